//! Loops over `ndarray` arrays and views, cut along the first axis: elements by their indices.

use crate::planes::{table, volume};
use crate::support::*;
use forall::{foreach, kary_reduce};
use ndarray::{
    Array, Array1, Array2, Array3, Array4, ArrayView1, ArrayView2, ArrayView3, ArrayViewMut1, ArrayViewMut2,
    ArrayViewMut3, Axis, Ix2, Ix3,
};

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

/// The sum of the neighbours that there are, as conditions on sums say.
#[foreach]
fn neighbours_there(a: &Array2<i64>, out: &mut Array2<i64>) {
    let (ny, nx) = a.dim();
    for y in 0..ny {
        for x in 0..nx {
            let mut sum = a[[y, x]];
            if y > 0 {
                sum += a[[y - 1, x]];
            }
            if y + 1 < ny {
                sum += 2 * a[[y + 1, x]];
            }
            if 1 + x > 1 && nx >= 2 {
                sum += 3 * a[[y, x - 1]];
            }
            if nx - 1 > x {
                sum += 4 * a[[y, x + 1]];
            }
            out[[y, x]] = sum;
        }
    }
}

/// The neighbours on a torus.
#[foreach]
fn neighbours_around(a: &Array3<i64>, out: &mut Array3<i64>) {
    let (nz, ny, nx) = a.dim();
    for z in 0..nz {
        for y in 0..ny {
            let (above, below) = (if y == 0 { ny - 1 } else { y - 1 }, if y + 1 == ny { 0 } else { y + 1 });
            for x in 0..nx {
                let left = if x > 0 { x - 1 } else { nx - 1 };
                let right = (x + 1) % nx;
                out[[z, y, x]] = a[[z, above, x]] + 2 * a[[z, below, x]] + 3 * a[[z, y, left]] + 4 * a[[z, y, right]];
            }
        }
    }
}

/// Three by three weights; some of them lie beyond the edges.
#[foreach]
fn convolve(a: &Array2<i64>, weights: [[i64; 3]; 3], out: &mut Array2<i64>) {
    let (ny, nx) = a.dim();
    for y in 0..ny {
        for x in 0..nx {
            let mut sum = 0;
            for (dy, row) in weights.iter().enumerate() {
                for dx in -1..=1isize {
                    let beside = x as isize + dx;
                    if y + dy >= 1 && y + dy - 1 < ny && beside >= 0 && beside < nx as isize {
                        sum += row[(dx + 1) as usize] * a[[y + dy - 1, beside as usize]];
                    }
                }
            }
            out[[y, x]] = sum;
        }
    }
}

/// One dimension: plain indices, and those of an array.
#[foreach]
fn derivative(a: ArrayView1<f64>, mut out: ArrayViewMut1<f64>, h: f64) {
    for i in 1..a.dim() - 1 {
        out[i] = (a[i + 1] - a[[i - 1]]) / (2.0 * h);
    }
}

/// The place of the largest element.
#[kary_reduce]
fn highest(a: &Array<f64, Ix2>) -> (usize, usize, f64) {
    let (mut row, mut column, mut most) = (0, 0, f64::MIN);
    for y in 0..a.nrows() {
        for x in 0..a.ncols() {
            if a[(y, x)] > most {
                most = a[(y, x)];
                row = y;
                column = x;
            }
        }
    }
    (row, column, most)
}

/// In place: every row from its left to its right end.
#[foreach]
fn accumulate_rows(a: &mut Array2<i64>) {
    let shape = [a.shape()[0], a.shape()[1]];
    for y in 0..shape[0] {
        for x in 0..shape[1] {
            if x > 0 {
                a[[y, x]] += a[[y, x - 1]];
            }
        }
    }
}

/// In place: every column downwards, although the ranks own rows.
#[foreach]
fn accumulate_columns(mut a: ArrayViewMut2<i64>) {
    for x in 0..a.ncols() {
        for y in 1..a.nrows() {
            a[[y, x]] += a[[y - 1, x]];
        }
    }
}

/// The middle axis, each row of it by itself.
#[foreach]
fn accumulate_middle(a: ArrayView3<i64>, out: &mut Array<i64, Ix3>) {
    for z in 0..a.len_of(Axis(0)) {
        for x in 0..a.len_of(Axis(2)) {
            let mut sum = 0;
            for y in 0..a.len_of(Axis(1)) {
                sum += a[[z, y, x]];
                out[(z, y, x)] = sum;
            }
        }
    }
}

#[foreach]
fn matmul(a: &Array2<f64>, #[replicated] b: &Array2<f64>, mut c: ArrayViewMut2<f64>) {
    let (n, m) = c.dim();
    for i in 0..n {
        for j in 0..m {
            let mut sum = 0.0;
            for k in 0..a.ncols() {
                sum += a[[i, k]] * b[[k, j]];
            }
            c[[i, j]] = sum;
        }
    }
}

/// Every rank needs all of `a`.
#[foreach]
fn transpose(a: ArrayView2<i64>, mut out: ArrayViewMut2<i64>) {
    for y in 0..out.nrows() {
        for x in 0..out.ncols() {
            out[[y, x]] = a[[x, y]];
        }
    }
}

#[foreach]
fn four(a: &Array4<i64>, out: &mut Array4<i64>) {
    let (n0, n1, n2, n3) = out.dim();
    for i in 0..n0 {
        for j in 0..n1 {
            for k in 0..n2 {
                for l in 0..n3 {
                    out[[i, j, k, l]] = a[[i, n1 - 1 - j, k, n3 - 1 - l]] + (i * j * k * l) as i64;
                }
            }
        }
    }
}

/// How often values and classes meet.
#[kary_reduce]
fn joint_histogram(values: &[u32], classes: &[u32], mut counts: ArrayViewMut2<u64>) {
    for i in 0..values.len() {
        counts[[classes[i] as usize, values[i] as usize]] += 1;
    }
}

/// The elements one after the other, as of a slice.
#[kary_reduce]
fn dot(a: &Array3<i64>, b: ArrayView3<i64>) -> (i64, i64, usize) {
    let (mut sum, mut odd) = (0, 0);
    for (p, q) in a.iter().zip(b.iter()) {
        sum += p * q;
    }
    for v in a {
        odd += v & 1;
    }
    (sum, odd, a.len())
}

/// The place of the first zero; and every element with its place.
#[kary_reduce]
fn first_zero(a: ArrayView2<i64>, mut sums: ArrayViewMut2<i64>) -> Option<(usize, usize)> {
    let mut place = usize::MAX;
    for ((y, x), v) in a.indexed_iter() {
        if *v == 0 {
            place = place.min(y * a.ncols() + x);
        }
    }
    for ((y, x), s) in sums.indexed_iter_mut() {
        *s = a[[y, x]] + if y > 0 { a[[y - 1, x]] } else { 0 };
    }
    (place < a.len()).then(|| (place / a.ncols(), place % a.ncols()))
}

/// An annotated function that calls others.
#[foreach]
fn twice(a: ArrayView2<f64>, mut half: ArrayViewMut2<f64>, out: &mut Array2<f64>) {
    laplace(a.view(), half.view_mut());
    laplace(half.view(), out.view_mut());
    for y in 0..a.nrows() {
        out[[y, 0]] = half[[y, 0]];
    }
}

/// The same in one place: an annotated function, called with a whole array, would take it for the rank's part.
fn plainly_twice(a: ArrayView2<f64>, mut half: ArrayViewMut2<f64>, out: &mut Array2<f64>) {
    laplace::sequential(a, half.view_mut());
    laplace::sequential(half.view(), out.view_mut());
    out.column_mut(0).assign(&half.column(0));
}

cases! {
    laplace(n) {
        let (a, out) = (table(n, 1, reals), table(n, 2, reals));
        arrays!(laplace(a.view(), out.view_mut()); arrays a; out out);
    }
    neighbours_there(n) {
        let (a, out) = (table(n, 1, integers), table(n, 2, integers));
        arrays!(neighbours_there(&a, &mut out); arrays a; out out);
    }
    neighbours_around(n) {
        let (a, out) = (volume(n, 1, integers), volume(n, 2, integers));
        arrays!(neighbours_around(&a, &mut out); arrays a; out out);
    }
    convolve(n) {
        let (a, out) = (table(n, 1, integers), table(n, 2, integers));
        arrays!(convolve(&a, [[1, -2, 3], [4, 5, -6], [7, 8, 9]], &mut out); arrays a; out out);
    }
    smooth_volume(n) {
        let (a, out) = (volume(n, 1, reals), volume(n, 2, reals));
        arrays!(smooth_volume(a.view(), out.view_mut()); arrays a; out out);
    }
    view_maximum(n) {
        let a = volume(n, 1, reals);
        arrays!(view_maximum(&a); arrays a);
    }
    derivative(n) {
        let (a, out) = (Array1::from_vec(reals(n + 1, 1)), Array1::zeros(n + 1));
        arrays!(derivative(a.view(), out.view_mut(), 0.1); arrays a; out out);
    }
    highest(n) {
        let a = table(n, 1, reals);
        arrays!(highest(&a); arrays a);
    }
    accumulate_rows(n) {
        let a = table(n, 1, integers);
        arrays!(accumulate_rows(&mut a); out a);
    }
    accumulate_columns(n) {
        let a = table(n, 1, integers);
        arrays!(accumulate_columns(a.view_mut()); out a);
    }
    accumulate_middle(n) {
        let (a, out) = (volume(n, 1, integers), volume(n, 2, integers));
        arrays!(accumulate_middle(a.view(), &mut out); arrays a; out out);
    }
    matmul(n) {
        let side = cube(n);
        let a = Array2::from_shape_vec((side + 2, side), reals((side + 2) * side, 1)).unwrap();
        let b = Array2::from_shape_vec((side, side + 1), reals(side * (side + 1), 2)).unwrap();
        let c = Array2::zeros((side + 2, side + 1));
        arrays!(matmul(&a, &b, c.view_mut()); arrays a; out c);
    }
    transpose(n) {
        let a = table(n, 1, integers);
        let out = Array2::zeros((a.ncols(), a.nrows()));
        arrays!(transpose(a.view(), out.view_mut()); arrays a; out out);
    }
    four(n) {
        let side = (n as f64).powf(0.25) as usize;
        let shape = (side + 1, 2, side, 3);
        let a = Array4::from_shape_vec(shape, integers((side + 1) * side * 6, 1)).unwrap();
        let out = Array4::zeros(shape);
        arrays!(four(&a, &mut out); arrays a; out out);
    }
    joint_histogram(n) {
        let (values, classes) = (naturals(n, 1, 13), naturals(n, 2, 5));
        let counts = Array2::from_elem((5, 13), 1);
        arrays!(joint_histogram(&values, &classes, counts.view_mut()); out counts; slices values, classes);
    }
    dot(n) {
        let (a, b) = (volume(n, 1, integers), volume(n, 2, integers));
        arrays!(dot(&a, b.view()); arrays a, b);
    }
    first_zero(n) {
        let (mut a, sums) = (table(n, 1, |n, seed| made(n, seed, |bits| (bits % 100) as i64 + 1)), table(n, 2, integers));
        arrays!(first_zero(a.view(), sums.view_mut()); arrays a; out sums);
        let last = a.len() * 2 / 3;
        a.iter_mut().skip(last).for_each(|v| *v -= 50);
        arrays!(first_zero(a.view(), sums.view_mut()); arrays a; out sums);
    }
    twice(n) {
        let (a, half, out) = (table(n, 1, reals), table(n, 2, reals), table(n, 3, reals));
        arrays!(twice(a.view(), half.view_mut(), &mut out) like plainly_twice; arrays a; out half, out);
    }
    no_elements(n) {
        for shape in [(n, 0), (0, n), (0, 0)] {
            let (a, out) = (Array2::<i64>::zeros(shape), Array2::zeros(shape));
            arrays!(accumulate_rows(&mut out); out out);
            arrays!(accumulate_columns(out.view_mut()); out out);
            arrays!(first_zero(a.view(), out.view_mut()); arrays a; out out);
            let b = Array2::<f64>::zeros((shape.1, 3));
            let (a, c) = (Array2::zeros(shape), Array2::zeros((shape.0, 3)));
            arrays!(matmul(&a, &b, c.view_mut()); arrays a; out c);
        }
        for shape in [(n, 0, 2), (n, 2, 0), (0, n, 2)] {
            let (a, out) = (Array3::<i64>::zeros(shape), Array3::zeros(shape));
            arrays!(accumulate_middle(a.view(), &mut out); arrays a; out out);
            arrays!(dot(&a, out.view()); arrays a, out);
        }
    }
}
