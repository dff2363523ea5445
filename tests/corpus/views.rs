//! Loops over `ndarray` views, cut along the first axis.

use crate::support::*;
use forall::{foreach, kary_reduce};
use ndarray::{Array2, Array3, ArrayView2, ArrayView3, ArrayViewMut2, ArrayViewMut3, Axis, Slice};

#[foreach]
fn laplace(a: ArrayView2<f64>, mut out: ArrayViewMut2<f64>) {
    let (ny, nx) = a.dim();
    for y in 1..ny - 1 {
        for x in 1..nx - 1 {
            out[[y, x]] = a[[y - 1, x]] + a[[y + 1, x]] + a[[y, x - 1]] + a[[y, x + 1]] - 4.0 * a[[y, x]];
        }
    }
}

#[foreach]
fn smooth_volume(a: ArrayView3<f64>, mut out: ArrayViewMut3<f64>) {
    let (nz, ny, nx) = a.dim();
    for z in 1..nz - 1 {
        for y in 0..ny {
            for x in 0..nx {
                out[[z, y, x]] = 0.25 * a[[z - 1, y, x]] + 0.5 * a[[z, y, x]] + 0.25 * a[[z + 1, y, x]];
            }
        }
    }
}

#[kary_reduce]
fn view_maximum(a: &Array3<f64>) -> f64 {
    let (nz, ny, nx) = a.dim();
    let mut most = f64::MIN;
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                most = most.max(a[[z, y, x]]);
            }
        }
    }
    most
}

/// The planes of this rank, cut evenly.
fn planes(n: usize) -> Slice {
    let (rank, ranks) = (forall::rank(), forall::ranks());
    Slice::from(rank * n / ranks..(rank + 1) * n / ranks)
}

cases! {
    laplace(n) {
        let nx = square(n).max(2);
        let ny = nx + 1;
        let a = Array2::from_shape_vec((ny, nx), reals(ny * nx, 1)).unwrap();
        let mut expected = Array2::zeros((ny, nx));
        laplace::sequential(a.view(), expected.view_mut());
        let mut out = Array2::zeros(a.slice_axis(Axis(0), planes(ny)).dim());
        laplace(a.slice_axis(Axis(0), planes(ny)), out.view_mut());
        let found = forall::DistVec::from_local(out.into_raw_vec_and_offset().0).to_all();
        compare("laplace", "views", &expected.into_raw_vec_and_offset().0, &found, 0.0);
    }
    smooth_volume(n) {
        let nx = cube(n).max(2);
        let (ny, nz) = (nx + 1, nx + 2);
        let a = Array3::from_shape_vec((nz, ny, nx), reals(nz * ny * nx, 1)).unwrap();
        let mut expected = Array3::zeros((nz, ny, nx));
        smooth_volume::sequential(a.view(), expected.view_mut());
        let mut out = Array3::zeros(a.slice_axis(Axis(0), planes(nz)).dim());
        smooth_volume(a.slice_axis(Axis(0), planes(nz)), out.view_mut());
        let found = forall::DistVec::from_local(out.into_raw_vec_and_offset().0).to_all();
        compare("smooth_volume", "views", &expected.into_raw_vec_and_offset().0, &found, 0.0);
    }
    view_maximum(n) {
        let nx = cube(n).max(2);
        let (ny, nz) = (nx + 1, nx + 2);
        let a = Array3::from_shape_vec((nz, ny, nx), reals(nz * ny * nx, 1)).unwrap();
        let expected = view_maximum::sequential(&a);
        let found = view_maximum(&a.slice_axis(Axis(0), planes(nz)).to_owned());
        compare("view_maximum", "views", &expected, &found, 0.0);
    }
}
