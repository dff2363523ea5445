//! Forms of loop headers, one at a time.

use crate::support::*;
use forall::foreach;

#[foreach]
fn reversed(x: &[i32], out: &mut [i32]) {
    for i in (0..x.len()).rev() {
        out[i] = x[i] - i as i32;
    }
}

#[foreach]
fn stepped(x: &mut [i32], k: usize) {
    for i in (1..x.len()).step_by(k) {
        x[i] = -x[i];
    }
}

#[foreach]
fn stepped_and_reversed(x: &mut [i64], first: usize) {
    for i in (first..x.len()).rev().step_by(3) {
        x[i] *= i as i64;
    }
    for i in (0..x.len()).step_by(4).rev() {
        x[i] += 1;
    }
}

/// Red and black: writes even elements from odd ones, then the other way round.
#[foreach]
fn red_black(x: &mut [f64]) {
    let n = x.len();
    for i in (2..n - 1).step_by(2) {
        x[i] = 0.5 * (x[i - 1] + x[i + 1]);
    }
    for i in (1..n - 1).step_by(2) {
        x[i] = 0.5 * (x[i - 1] + x[i + 1]);
    }
}

/// Pairs: two elements written each iteration, disjoint from the next iteration's.
#[foreach]
fn swap_pairs(x: &mut [u32]) {
    for i in 0..x.len() / 2 {
        let left = x[2 * i];
        x[2 * i] = x[2 * i + 1];
        x[2 * i + 1] = left;
    }
}

#[foreach]
fn inclusive_range(lo: usize, hi: usize, out: &mut [usize]) {
    for i in lo..=hi {
        out[i] = i * i;
    }
}

/// The loop variable is signed, as translated code often has it.
#[foreach]
fn signed_variable(n: i64, x: &[f64], out: &mut [f64]) {
    for i in 1..n - 1 {
        out[i as usize] = x[(i - 1) as usize] - x[(i + 1) as usize];
    }
}

#[foreach]
fn narrow_variable(x: &mut [u64]) {
    for i in 0..x.len() as u32 {
        x[i as usize] ^= (i as u64) << 3;
    }
}

#[foreach]
fn by_reference(x: &[i64], y: &mut [i64]) {
    for (i, v) in x.iter().enumerate() {
        y[i] = v * v;
    }
}

#[foreach]
fn nested_zip(a: &[f32], b: &[f32], c: &[f32], out: &mut [f32]) {
    for (((o, a), b), c) in out.iter_mut().zip(a.iter()).zip(b).zip(c.iter()) {
        *o = a.mul_add(*b, *c);
    }
}

/// The shortest of the zipped vectors ends the loop.
#[foreach]
fn uneven_zip(a: &[i32], b: &[i32], out: &mut [i32]) {
    for (i, (a, b)) in a.iter().zip(b.iter()).enumerate() {
        out[i] = a * 2 + b;
    }
}

#[foreach]
fn chunk_means(x: &[f64], n: usize, means: &mut [f64]) {
    for (i, chunk) in x.chunks_exact(n).enumerate() {
        let mut sum = 0.0;
        for v in chunk {
            sum += v;
        }
        means[i] = sum / n as f64;
    }
}

#[foreach]
fn normalise_chunks(x: &mut [f64]) {
    for v in x.chunks_exact_mut(4) {
        let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]).sqrt();
        for c in v.iter_mut() {
            *c /= length;
        }
    }
}

#[foreach]
fn window_slopes(x: &[f64], out: &mut [f64]) {
    for (o, w) in out.iter_mut().zip(x.windows(3)) {
        *o = 0.5 * (w[2] - w[0]);
    }
}

/// Bounds from parameters, and a window of another array.
#[foreach]
fn between(from: usize, to: usize, shift: usize, x: &[i64], out: &mut [i64]) {
    for i in from..to {
        out[i] = x[i + shift] - 1;
    }
}

/// The target may begin where the source does not.
#[foreach]
fn moved_write(x: &[i64], k: usize, out: &mut [i64]) {
    for i in 0..x.len() {
        out[i + k] = x[i];
    }
}

/// The rows of a matrix beside a vector: lengths differ, and so do the cuts.
#[foreach]
fn scale_rows(matrix: &mut [f64], factor: &[f64], width: usize) {
    for row in 0..factor.len() {
        let line = &mut matrix[row * width..(row + 1) * width];
        for value in line.iter_mut() {
            *value *= factor[row];
        }
    }
}

#[foreach]
fn row_sums(matrix: &[f64], width: usize, sums: &mut [f64]) {
    for row in 0..sums.len() {
        let line = &matrix[row * width..(row + 1) * width];
        let mut sum = 0.0;
        for value in line {
            sum += value;
        }
        sums[row] = sum;
    }
}

/// Mirror: each iteration reads the far end.
#[foreach]
fn mirrored(x: &[i32], out: &mut [i32]) {
    let n = x.len();
    for i in 0..n {
        out[i] = x[n - 1 - i];
    }
}

/// Writes backwards.
#[foreach]
fn mirrored_write(x: &[i32], out: &mut [i32]) {
    let n = x.len();
    for i in 0..n {
        out[n - 1 - i] = x[i];
    }
}

#[foreach]
fn every_third(x: &[i32], out: &mut [i32]) {
    for i in 0..out.len() {
        out[i] = x[3 * i] + x[3 * i + 2];
    }
}

/// Periodic neighbours.
#[foreach]
fn periodic(x: &[f64], out: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        let left = if i == 0 { n - 1 } else { i - 1 };
        let right = if i + 1 == n { 0 } else { i + 1 };
        out[i] = x[left] + x[right] - 2.0 * x[i];
    }
}

/// Clamped neighbours.
#[foreach]
fn clamped(x: &[f64], out: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        let left = i.saturating_sub(1);
        let right = (i + 1).min(n - 1);
        out[i] = 0.25 * x[left] + 0.5 * x[i] + 0.25 * x[right];
    }
}

/// Several loops of different classes with plain statements before, between and after.
#[foreach]
fn several_loops(x: &[i64], y: &mut [i64], z: &mut [i64]) -> (i64, i64, usize) {
    let n = x.len();
    let mut least = x[0];
    for i in 0..n {
        if x[i] < least {
            least = x[i];
        }
    }
    let offset = 1 - least;
    for i in 0..n {
        y[i] = x[i] + offset;
    }
    let mut sum = 0;
    for i in 0..n {
        sum += y[i];
        z[i] = sum;
    }
    let mean = sum / n as i64;
    let mut above = 0;
    for i in 0..n {
        if y[i] > mean {
            above += 1;
        }
    }
    z[0] = -1;
    (least, z[n - 1], above)
}

cases! {
    reversed(n) {
        let (x, out) = (integers32(n, 1), vec![0; n]);
        check!(reversed(&x, &mut out); shares x; writes out);
    }
    stepped(n) {
        let x = integers32(n, 1);
        check!(stepped(&mut x, 1); writes x);
        check!(stepped(&mut x, 5); writes x);
        check!(stepped(&mut x, 2000); writes x);
    }
    stepped_and_reversed(n) {
        let x = integers(n, 1);
        check!(stepped_and_reversed(&mut x, 2); writes x);
    }
    red_black(n) {
        let x = reals(n.max(2), 1);
        check!(red_black(&mut x); writes x);
    }
    swap_pairs(n) {
        let x = naturals(n, 1, 1000);
        check!(swap_pairs(&mut x); writes x);
    }
    inclusive_range(n) {
        let out = vec![0; n + 3];
        check!(inclusive_range(2, n + 1, &mut out); writes out);
        check!(inclusive_range(2, 1, &mut out); writes out);
    }
    signed_variable(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(signed_variable(n as i64, &x, &mut out); shares x; writes out);
    }
    narrow_variable(n) {
        let x = made(n, 1, |bits| bits);
        check!(narrow_variable(&mut x); writes x);
    }
    by_reference(n) {
        let (x, y) = (integers(n, 1), vec![0; n]);
        check!(by_reference(&x, &mut y); shares x; writes y);
    }
    nested_zip(n) {
        let (a, b, c, out) = (singles(n, 1), singles(n, 2), singles(n, 3), vec![0.0; n]);
        check!(nested_zip(&a, &b, &c, &mut out); shares a, b, c; writes out);
    }
    uneven_zip(n) {
        let (a, b, out) = (integers32(n, 1), integers32(n / 2 + 1, 2), vec![0; n]);
        check!(uneven_zip(&a, &b, &mut out); shares a, b; writes out);
    }
    chunk_means(n) {
        let (x, means) = (reals(n, 1), vec![0.0; n / 6]);
        check!(chunk_means(&x, 6, &mut means); shares x; writes means);
    }
    normalise_chunks(n) {
        let x = positives(n, 1);
        check!(normalise_chunks(&mut x); writes x);
    }
    window_slopes(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n.saturating_sub(2)]);
        check!(window_slopes(&x, &mut out); shares x; writes out);
    }
    between(n) {
        let (x, out) = (integers(n + 40, 1), vec![0; n]);
        check!(between(n / 4, n / 2, 40, &x, &mut out); shares x; writes out);
        check!(between(n, n / 2, 0, &x, &mut out); shares x; writes out);
    }
    moved_write(n) {
        let (x, out) = (integers(n, 1), vec![0; n + n / 3]);
        check!(moved_write(&x, n / 3, &mut out); shares x; writes out);
    }
    scale_rows(n) {
        let width = 9;
        let rows = n / width;
        let (matrix, factor) = (reals(rows * width, 1), reals(rows, 2));
        check!(scale_rows(&mut matrix, &factor, width); shares factor; writes matrix);
    }
    row_sums(n) {
        let width = 9;
        let rows = n / width;
        let (matrix, sums) = (reals(rows * width, 1), vec![0.0; rows]);
        check!(row_sums(&matrix, width, &mut sums); shares matrix; writes sums);
    }
    mirrored(n) {
        let (x, out) = (integers32(n, 1), vec![0; n]);
        check!(mirrored(&x, &mut out); shares x; writes out);
    }
    mirrored_write(n) {
        let (x, out) = (integers32(n, 1), vec![0; n]);
        check!(mirrored_write(&x, &mut out); shares x; writes out);
    }
    every_third(n) {
        let (x, out) = (integers32(n, 1), vec![0; n / 3]);
        check!(every_third(&x, &mut out); shares x; writes out);
    }
    periodic(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(periodic(&x, &mut out); shares x; writes out);
    }
    clamped(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(clamped(&x, &mut out); shares x; writes out);
    }
    several_loops(n) {
        let n = n.max(1);
        let (x, y, z) = (integers(n, 1), vec![0; n], vec![0; n]);
        check!(several_loops(&x, &mut y, &mut z); shares x; writes y, z);
    }
    callers_of_all_kinds(n) {
        // Slices, arrays and boxes, where this rank has all of the vector.
        if forall::ranks() == 1 {
            let x: [i64; 6] = [3, 1, 4, 1, 5, 9];
            let mut y = [0i64; 6];
            by_reference(&x, &mut y);
            assert_eq!(y, [9, 1, 16, 1, 25, 81]);
            by_reference(&x[1..4], &mut y[..3]);
            assert_eq!(y, [1, 16, 1, 1, 25, 81]);
            let boxed = integers(n, 1).into_boxed_slice();
            let mut out = vec![0; n].into_boxed_slice();
            by_reference(&boxed, &mut out);
            assert!(boxed.iter().zip(&out).all(|(x, y)| x * x == *y));
        }
    }
}
