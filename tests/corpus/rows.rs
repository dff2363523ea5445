//! Loops over `ndarray` arrays and views, cut along the first axis: rows and planes, and types of all kinds.

use crate::planes::{table, volume};
use crate::support::*;
use bytemuck::{Pod, Zeroable};
use forall::{Element, distributed_scan, foreach, foreach_tls, kary_reduce};
use ndarray::{
    Array1, Array2, Array3, ArrayRef2, ArrayView1, ArrayView2, ArrayView3, ArrayViewMut, ArrayViewMut1, ArrayViewMut2,
    ArrayViewMut3, Axis, Ix2, Zip, s,
};
use std::ops::{Add, Mul};

/// Rows one after the other, alone and beside others.
#[foreach]
fn rows_alone(a: ArrayView2<f64>, b: &Array2<f64>, sums: &mut [f64], mut dots: ArrayViewMut1<f64>) {
    for (y, row) in a.outer_iter().enumerate() {
        sums[y] = row.sum() + b[[y, 0]];
    }
    for ((p, q), dot) in a.rows().into_iter().zip(b.axis_iter(Axis(0))).zip(dots.iter_mut()) {
        *dot = p.dot(&q);
    }
    for (y, row) in a.outer_iter().enumerate().rev().step_by(2) {
        sums[y] -= row[0];
    }
}

/// Rows that are written as a whole, and element by element.
#[foreach]
fn rows_written(a: &Array2<f64>, mut out: ArrayViewMut2<f64>, by: &[f64]) {
    for (mut row, &factor) in out.outer_iter_mut().zip(by) {
        row *= factor;
        row[0] += 1.0;
    }
    for (y, mut row) in out.rows_mut().into_iter().enumerate().skip(1) {
        row.scaled_add(2.0, &a.row(y - 1));
    }
    for (mut row, from) in out.axis_iter_mut(Axis(0)).zip(a.outer_iter()) {
        for (v, w) in row.iter_mut().zip(from) {
            *v += w;
        }
    }
}

/// The elements of a row have the indices of an array beside it.
#[foreach]
fn rows_as_stencils(a: &Array2<f64>, out: &mut Array2<f64>) {
    for (y, mut row) in out.outer_iter_mut().enumerate() {
        for (x, v) in row.iter_mut().enumerate() {
            *v = a[[y, x]];
            if x > 0 && x + 1 < a.ncols() {
                *v += a[(y, x - 1)] - a[(y, x + 1)];
            }
        }
        for x in 1..row.len() {
            row[x] += a[[y, x - 1]];
        }
        if row.dim() > 1 {
            row[[1]] = *a.get((y + 1, 0)).unwrap_or(&7.0) + a.get([y, row.len()]).copied().unwrap_or(0.5);
        }
    }
}

/// Planes of a volume.
#[foreach]
fn planes(a: &Array3<i64>, out: &mut Array3<i64>) {
    for (z, mut plane) in out.axis_iter_mut(Axis(0)).enumerate() {
        for ((y, x), v) in plane.indexed_iter_mut() {
            *v = 2 * a[[z, y, x]];
        }
        let (ny, nx) = plane.dim();
        for y in 0..plane.nrows() {
            plane[[y, nx - 1]] += a[[z, ny - 1 - y, 0]];
        }
        plane.row_mut(0).fill(z as i64);
    }
    for z in 1..a.len_of(Axis(0)) {
        let above = a.index_axis(Axis(0), z - 1);
        out.index_axis_mut(Axis(0), z).zip_mut_with(&above, |v, w| *v -= w);
    }
}

/// Rows and slices by their index.
#[foreach]
fn rows_by_index(a: ArrayView2<f64>, out: &mut Array2<f64>) {
    for y in 1..a.nrows() - 1 {
        let (above, below) = (a.row(y - 1), a.row(y + 1));
        let mut row = out.row_mut(y);
        for x in 0..row.len() {
            row[x] = above[x] + below[x];
        }
        let around = a.slice(s![y - 1..=y + 1, ..2]);
        out.slice_mut(s![y, 1..]).mapv_inplace(|v| v + around.sum());
        out[[y, 0]] = a.slice(s![y.., -1]).sum() - a.slice(s![..y, 0]).sum();
    }
}

/// A moving average of one dimension.
#[foreach]
fn moving_average(a: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    for i in 2..a.len() - 2 {
        out[i] = a.slice(s![i - 2..i + 3]).mean().unwrap_or(0.0);
    }
}

/// The columns' sums, and the largest sum of a row with its place.
#[kary_reduce]
fn sums_of_both(a: ArrayView2<i64>, mut columns: ArrayViewMut1<i64>) -> (usize, i64) {
    let (mut place, mut most) = (0, i64::MIN);
    for (y, row) in a.outer_iter().enumerate() {
        for (x, v) in row.iter().enumerate() {
            columns[x] += v;
        }
        if row.sum() > most {
            most = row.sum();
            place = y;
        }
    }
    (place, most)
}

/// The sum of all rows so far, and a statement outside of loops that reads rows.
#[distributed_scan]
fn running_sums(a: &Array2<i64>, sums: &mut [i64]) -> i64 {
    let mut sum = a.row(0).sum() + a.slice(s![1.., 0]).sum();
    for (row, out) in a.rows().into_iter().zip(sums.iter_mut()) {
        sum += row.sum();
        *out = sum;
    }
    a.outer_iter().map(|row| row[0]).max().unwrap_or(0) + a.indexed_iter().map(|((y, _), v)| y as i64 * v).sum::<i64>()
}

/// The running value goes into the rows.
#[distributed_scan]
fn running_into_rows(out: &mut Array2<i64>, mut volume: ArrayViewMut3<i64>) {
    let mut sum = 0;
    for mut row in out.outer_iter_mut() {
        sum += row[0];
        row += sum;
    }
    let mut sum = 0;
    for z in 0..volume.len_of(Axis(0)) {
        let first = volume.index_axis(Axis(0), z).row(0).to_owned();
        sum += first.sum();
        volume.slice_mut(s![z, 1.., ..]).mapv_inplace(|v| v + sum);
    }
}

#[foreach_tls]
fn rows_above(a: &Array2<f64>, level: f64, places: &mut Vec<usize>) {
    for (y, row) in a.outer_iter().enumerate() {
        if row.iter().all(|v| *v < level) {
            places.push(y);
        }
    }
}

/// Operations of `ndarray` on rows.
#[foreach]
fn row_methods(a: &Array2<f64>, mut out: ArrayViewMut2<f64>, sums: &mut [f64]) {
    for y in 0..a.nrows() {
        let mut sum = 0.0;
        for (x, v) in a.row(y).iter().enumerate() {
            sum += v * a[[y, x]];
        }
        for &v in a.row(y) {
            sum += v;
        }
        for (p, q) in a.row(y).iter().zip(&a.row(y)) {
            sum += p * q;
        }
        for row in a.slice(s![y..y + 1, ..]).outer_iter() {
            sum += row[0];
        }
        let twice = &a.row(y) * 2.0 + a.row(y);
        let most = a.slice(s![y, ..]).fold(f64::MIN, |p, q| p.max(*q));
        sums[y] = sum + twice.sum() + most + a.row(y).to_vec()[0];
    }
    for mut row in out.rows_mut() {
        row.mapv_inplace(|v| v * 2.0);
        for v in &mut row {
            *v += 1.0;
        }
        let last = row.len() - 1;
        row[last] = 0.0;
    }
    for (mut row, k) in out.outer_iter_mut().zip(0..) {
        let (mut left, right) = row.view_mut().split_at(Axis(0), 1);
        left.fill(k as f64 + right.sum());
    }
    for (y, mut row) in out.outer_iter_mut().enumerate() {
        Zip::from(&mut row).and(&a.row(y)).for_each(|v, w| *v += w);
        row.slice_mut(s![1..]).assign(&a.slice(s![y, ..-1]));
    }
}

/// Pixels of a picture, its shape held in a variable.
#[foreach]
fn grey(picture: &Array3<u8>, mut mean: ArrayViewMut2<u8>, most: &mut Array2<u8>, total: &mut Array2<u32>) {
    for (pixels, mut row) in picture.outer_iter().zip(mean.outer_iter_mut()) {
        for (pixel, v) in pixels.outer_iter().zip(row.iter_mut()) {
            *v = pixel.iter().fold(0, |sum: u8, part| sum.wrapping_add(*part));
        }
    }
    let shape = picture.shape();
    for y in 0..shape[0] {
        for x in 0..shape[1] {
            most[(y, x)] = picture.slice(s![y, x, ..]).iter().copied().max().unwrap_or(0);
            for part in 0..shape[2] {
                total[[y, x]] += u32::from(picture[[y, x, part]]);
            }
        }
    }
    for y in 0..shape[0] {
        for ((x, part), v) in picture.index_axis(Axis(0), y).indexed_iter() {
            total[[y, x]] += (part as u32 + 1) * u32::from(*v) - u32::from(picture[[y, x, part]]);
        }
    }
}

/// Rows of one matrix with columns of another.
#[foreach]
fn products(a: ArrayView2<f64>, #[replicated] b: ArrayView2<f64>, mut c: ArrayViewMut2<f64>) {
    for (p, mut row) in a.rows().into_iter().zip(c.rows_mut()) {
        row.assign(&p.dot(&b));
    }
    for y in 0..a.nrows() {
        for (x, column) in b.columns().into_iter().enumerate() {
            c[[y, x]] -= 0.5 * a.row(y).dot(&column);
        }
    }
}

/// The data choose the row.
#[foreach]
fn rows_chosen(#[gather] a: &Array2<i64>, #[halo(2)] b: &Array2<i64>, from: &[usize], out: &mut Array2<i64>) {
    for (y, mut row) in out.outer_iter_mut().enumerate() {
        row.assign(&a.row(from[y]));
        row += &a.slice(s![from[y] / 2, ..]);
        row -= &b.row((y + from[y] % 3).max(2) - 2);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, forall::DeviceData)]
#[repr(C)]
struct Cell {
    height: f64,
    flow: [f64; 2],
}
same_fields!(Cell { height, flow });

/// Shallow water, one step: elements with fields.
#[foreach]
fn shallow(cells: ArrayView2<Cell>, mut next: ArrayViewMut2<Cell>, dt: f64) {
    for y in 1..cells.nrows() - 1 {
        for x in 1..cells.ncols() - 1 {
            let [u, v] = cells[[y, x]].flow;
            let slope = [
                cells[[y, x + 1]].height - cells[[y, x - 1]].height,
                cells[[y + 1, x]].height - cells[[y - 1, x]].height,
            ];
            next[[y, x]].height = cells[[y, x]].height - dt * (u + v);
            next[[y, x]].flow[0] = u - dt * slope[0];
            next[[y, x]].flow[1] = v - dt * slope[1];
        }
    }
}

#[foreach]
fn axpy<T: Element + Add<Output = T> + Mul<Output = T>>(a: T, x: &Array2<T>, mut y: ArrayViewMut<'_, T, Ix2>) {
    for i in 0..x.nrows() {
        for j in 0..x.ncols() {
            y[[i, j]] = a * x[[i, j]] + y[[i, j]];
        }
    }
}

struct Filter {
    weights: [f64; 3],
}

impl Filter {
    #[foreach]
    fn rows(&self, a: ArrayView2<f64>, mut out: ArrayViewMut2<f64>) {
        for y in 0..a.nrows() {
            for x in 1..a.ncols() - 1 {
                let mut sum = 0.0;
                for k in 0..3 {
                    sum += self.weights[k] * a[[y, x + k - 1]];
                }
                out[[y, x]] = sum;
            }
        }
    }
}

/// Slices beside arrays, several loops, and statements between them.
#[foreach]
fn normalise(a: &mut ArrayViewMut2<f64>, sums: &mut [f64], by: &[f64]) -> (f64, (usize, usize)) {
    let (ny, nx) = a.dim();
    for y in 0..ny {
        let mut sum = 0.0;
        for x in 0..nx {
            sum += a[[y, x]].abs();
        }
        sums[y] = sum + by[y];
    }
    let corner = if a.is_empty() { 0.0 } else { a[[ny - 1, nx - 1]] };
    for y in 0..ny {
        for x in 0..nx {
            a[[y, x]] /= sums[y];
        }
    }
    (corner, a.dim())
}

/// The sum of all rows so far; and a recurrence along the first axis.
#[distributed_scan]
fn running_rows(a: ArrayView2<i64>, sums: &mut [i64], mut out: ArrayViewMut2<i64>) {
    let mut sum = 0;
    for y in 0..a.nrows() {
        for x in 0..a.ncols() {
            sum += a[[y, x]];
        }
        sums[y] = sum;
    }
    for y in 1..out.nrows() {
        out[[y, 0]] = out[[y - 1, 0]] + a[[y, 0]];
    }
}

/// The data choose the column: it is in the same row, so no marker is needed.
#[foreach]
fn pick(a: ArrayView2<f64>, column: &[usize], mut out: ArrayViewMut1<f64>, mut marks: ArrayViewMut2<u8>) {
    for y in 0..a.nrows() {
        out[y] = a[[y, column[y]]];
        marks[[y, column[y]]] = 1;
    }
}

/// The data choose the row: nearby, or anywhere.
#[foreach]
fn rows_from(#[halo(2)] a: ArrayView2<i64>, #[gather] b: ArrayView2<i64>, from: &[usize], mut out: ArrayViewMut2<i64>) {
    for y in 0..out.nrows() {
        for x in 0..out.ncols() {
            out[[y, x]] = a[[(y + from[y] % 3).max(2) - 2, x]] + 10_000 * b[[from[y], x]];
        }
    }
}

/// Single elements from anywhere: the places are arrays too, and one of them is gathered itself.
#[foreach]
fn scattered(
    #[gather] a: ArrayView3<i64>,
    #[gather] row: &Array1<usize>,
    order: ArrayView1<usize>,
    mut out: ArrayViewMut1<i64>,
) {
    for i in 0..out.len() {
        let z = row[order[i]];
        if z < a.dim().0 {
            out[i] = a[(z, z % a.shape()[1], order[i] % a.len_of(Axis(2)))] + a[[a.dim().0 - 1 - z, 0, 1]];
        }
    }
}

#[foreach_tls]
fn places_above(a: &ArrayRef2<f64>, level: f64, places: &mut Vec<[usize; 2]>) {
    for y in 0..a.nrows() {
        for x in 0..a.ncols() {
            if a[[y, x]] > level {
                places.push([y, x]);
            }
        }
    }
}

cases! {
    shallow(n) {
        let cell = |bits| Cell { height: unit(bits), flow: [unit(bits >> 3) - 0.5, unit(bits >> 7) - 0.5] };
        let (cells, next) = (table(n, 1, |n, seed| made(n, seed, cell)), table(n, 2, |n, seed| made(n, seed, cell)));
        arrays!(shallow(cells.view(), next.view_mut(), 0.01); arrays cells; out next);
    }
    axpy(n) {
        let (x, y) = (table(n, 1, singles), table(n, 2, singles));
        arrays!(axpy(0.5, &x, y.view_mut()); arrays x; out y);
        let (x, y) = (table(n, 1, integers32), table(n, 2, integers32));
        arrays!(axpy(3, &x, y.view_mut()); arrays x; out y);
    }
    method(n) {
        let filter = Filter { weights: [0.25, 0.5, 0.25] };
        let (a, out) = (table(n, 1, reals), table(n, 2, reals));
        arrays!(filter.rows(a.view(), out.view_mut()) like rows_sequential; arrays a; out out);
    }
    normalise(n) {
        let a = table(n, 1, reals);
        let (by, sums) = (positives(a.nrows(), 2), vec![0.0; a.nrows()]);
        arrays!(normalise(&mut a.view_mut(), &mut sums, &by); out a; slices by; written sums);
    }
    running_rows(n) {
        let (a, out) = (table(n, 1, integers), table(n, 2, integers));
        let sums = vec![0; a.nrows()];
        arrays!(running_rows(a.view(), &mut sums, out.view_mut()); arrays a; out out; written sums);
    }
    pick(n) {
        let a = table(n, 1, reals);
        let (column, out) = (indices(a.nrows(), 2, a.ncols()), Array1::zeros(a.nrows()));
        let marks = Array2::zeros(a.dim());
        arrays!(pick(a.view(), &column, out.view_mut(), marks.view_mut()); arrays a; out out, marks; slices column);
    }
    rows_from(n) {
        let (a, b, out) = (table(n, 1, integers), table(n, 2, integers), table(n, 3, integers));
        let from = indices(a.nrows(), 4, a.nrows() - 1);
        arrays!(rows_from(a.view(), b.view(), &from, out.view_mut()); arrays a, b; out out; slices from);
    }
    scattered(n) {
        let (a, out) = (volume(n, 1, integers), Array1::zeros(n));
        let row = Array1::from_vec(indices(n + 3, 2, a.shape()[0] + 1));
        let order = Array1::from_vec(indices(n, 3, n + 3));
        arrays!(scattered(a.view(), &row, order.view(), out.view_mut()); arrays a, row, order; out out);
    }
    places_above(n) {
        let a = table(n, 1, reals);
        let places = Vec::new();
        arrays!(places_above(&a, 0.5, &mut places); arrays a; written places);
    }
    rows_alone(n) {
        let (a, b) = (table(n, 1, reals), table(n, 2, reals));
        let (sums, dots) = (vec![0.0; a.nrows()], Array1::zeros(a.nrows()));
        arrays!(rows_alone(a.view(), &b, &mut sums, dots.view_mut()); arrays a, b; out dots; written sums);
    }
    rows_written(n) {
        let (a, out) = (table(n, 1, reals), table(n, 2, reals));
        let by = reals(a.nrows(), 3);
        arrays!(rows_written(&a, out.view_mut(), &by); arrays a; out out; slices by);
    }
    rows_as_stencils(n) {
        let (a, out) = (table(n, 1, reals), table(n, 2, reals));
        arrays!(rows_as_stencils(&a, &mut out); arrays a; out out);
    }
    planes(n) {
        let (a, out) = (volume(n, 1, integers), volume(n, 2, integers));
        arrays!(planes(&a, &mut out); arrays a; out out);
    }
    rows_by_index(n) {
        let (a, out) = (table(n, 1, reals), table(n, 2, reals));
        arrays!(rows_by_index(a.view(), &mut out); arrays a; out out);
    }
    moving_average(n) {
        let (a, out) = (Array1::from_vec(reals(n + 4, 1)), Array1::zeros(n + 4));
        arrays!(moving_average(a.view(), out.view_mut()); arrays a; out out);
    }
    sums_of_both(n) {
        let a = table(n, 1, integers);
        let columns = Array1::from_vec(integers(a.ncols(), 2));
        arrays!(sums_of_both(a.view(), columns.view_mut()); arrays a; out columns);
    }
    running_sums(n) {
        let a = table(n, 1, integers);
        let sums = vec![0; a.nrows()];
        arrays!(running_sums(&a, &mut sums); arrays a; written sums);
    }
    running_into_rows(n) {
        let (out, planes) = (table(n, 1, integers), volume(n, 2, integers));
        arrays!(running_into_rows(&mut out, planes.view_mut()); out out, planes);
    }
    rows_above(n) {
        let a = table(n, 1, reals);
        let places = Vec::new();
        arrays!(rows_above(&a, 0.9, &mut places); arrays a; written places);
    }
    row_methods(n) {
        let (a, out) = (table(n, 1, reals), table(n, 2, reals));
        let sums = vec![0.0; a.nrows()];
        arrays!(row_methods(&a, out.view_mut(), &mut sums); arrays a; out out; written sums);
    }
    grey(n) {
        let picture = volume(n, 1, |n, seed| made(n, seed, |bits| bits as u8));
        let (height, width, _) = picture.dim();
        let (mean, most) = (Array2::zeros((height, width)), Array2::zeros((height, width)));
        let total = Array2::zeros((height, width));
        arrays!(grey(&picture, mean.view_mut(), &mut most, &mut total); arrays picture; out mean, most, total);
    }
    products(n) {
        let side = cube(n);
        let a = Array2::from_shape_vec((side + 2, side), reals((side + 2) * side, 1)).unwrap();
        let b = Array2::from_shape_vec((side, side + 1), reals(side * (side + 1), 2)).unwrap();
        let c = Array2::zeros((side + 2, side + 1));
        arrays!(products(a.view(), b.view(), c.view_mut()); arrays a; out c);
    }
    rows_chosen(n) {
        let (a, b, out) = (table(n, 1, integers), table(n, 2, integers), table(n, 3, integers));
        let from = indices(a.nrows(), 4, a.nrows() - 1);
        arrays!(rows_chosen(&a, &b, &from, &mut out); arrays a, b; out out; slices from);
    }
    rows_without_elements(n) {
        for shape in [(n, 0), (0, n), (0, 0)] {
            let (a, out) = (Array2::<i64>::zeros(shape), Array2::zeros(shape));
            let sums = vec![0; shape.0];
            if shape.1 > 0 {
                arrays!(running_rows(a.view(), &mut sums, out.view_mut()); arrays a; out out; written sums);
            }
            let (a, by) = (Array2::zeros(shape), vec![0.0; shape.0]);
            if shape.0 == 0 || shape.1 > 0 {
                let out = Array2::zeros(shape);
                arrays!(rows_written(&a, out.view_mut(), &by); arrays a; out out; slices by);
            }
            let out = Array2::zeros(shape);
            arrays!(rows_as_stencils(&a, &mut out); arrays a; out out);
        }
    }
}
