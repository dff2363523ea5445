//! Places that are computed in other ways than by an index expression that stands in the brackets.

use crate::support::*;
use forall::{distributed_scan, foreach};

// Swaps.

/// Odd-even transposition sort.
#[foreach]
fn odd_even_sort(x: &mut [i64], rounds: usize) {
    let n = x.len();
    for round in 0..rounds {
        let first = round % 2;
        for i in (first..n.saturating_sub(1)).step_by(2) {
            if x[i] > x[i + 1] {
                x.swap(i, i + 1);
            }
        }
    }
}

#[foreach]
fn turned_around(x: &mut [f32]) {
    let n = x.len();
    for i in 0..n / 2 {
        x.swap(i, n - 1 - i);
    }
}

/// Rows of a matrix, upside down.
#[foreach]
fn upside_down(a: &mut [u32], ny: usize, nx: usize) {
    for y in 0..ny / 2 {
        for x in 0..nx {
            a.swap(y * nx + x, (ny - 1 - y) * nx + x);
        }
    }
}

/// Butterflies: both places in one block of the iteration.
#[foreach]
fn within_blocks(x: &mut [u8], half: usize) {
    for block in 0..x.len() / (2 * half) {
        for k in 0..half {
            x.swap(2 * block * half + k, (2 * block + 1) * half + k);
        }
    }
}

#[foreach]
fn transposed_in_place(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in i + 1..n {
            a.swap(i * n + j, j * n + i);
        }
    }
}

/// Swaps with itself, and what was swapped is read.
#[distributed_scan]
fn swapped_and_summed(x: &mut [i64], out: &mut [i64]) -> i64 {
    let mut sum = 0;
    for i in 0..x.len() {
        x.swap(i, i);
        out[i] = sum;
        sum += i as i64;
    }
    sum
}

// Functions that compute places.

#[foreach]
fn by_a_function(a: &[f64], out: &mut [f64], nx: usize, ny: usize) {
    fn at(x: usize, y: usize, nx: usize) -> usize {
        debug_assert!(x < nx);
        let row = y * nx;
        row + x
    }
    for y in 1..ny - 1 {
        for x in 0..nx {
            out[at(x, y, nx)] = a[at(x, y - 1, nx)] + a[at(x, y + 1, nx)];
        }
    }
}

/// The function stands behind its calls, beside a constant, and under another name in the loop.
#[foreach]
fn by_a_function_below(x: &[i32], out: &mut [i32]) {
    const WIDTH: usize = 4;
    for i in 0..x.len() / WIDTH {
        let start = first(i);
        for k in 0..WIDTH {
            out[start + turned(k)] = x[first(i) + k];
        }
        fn turned(k: usize) -> usize {
            WIDTH - 1 - k
        }
    }
    fn first(block: usize) -> usize {
        block * WIDTH
    }
}

#[distributed_scan]
fn by_a_function_in_a_scan(x: &[i64], out: &mut [i64]) -> i64 {
    const fn place(i: usize) -> usize {
        2 * i + 1
    }
    let mut sum = 0;
    for i in 0..x.len() / 2 {
        sum += x[place(i)];
        out[place(i)] = sum;
    }
    sum
}

cases! {
    by_a_function(n) {
        let side = square(n).max(2);
        let (a, out) = (reals(side * side, 1), vec![0.0; side * side]);
        check!(by_a_function(&a, &mut out, side, side); shares a; writes out);
    }
    by_a_function_below(n) {
        let (x, out) = (integers32(n, 1), vec![0; n]);
        check!(by_a_function_below(&x, &mut out); shares x; writes out);
    }
    by_a_function_in_a_scan(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(by_a_function_in_a_scan(&x, &mut out); shares x; writes out);
    }
    odd_even_sort(n) {
        let x = integers(n, 1);
        check!(odd_even_sort(&mut x, 5); writes x);
    }
    turned_around(n) {
        let x = singles(n, 1);
        check!(turned_around(&mut x); writes x);
    }
    upside_down(n) {
        let side = square(n);
        let a = made(side * side, 1, |bits| bits as u32);
        check!(upside_down(&mut a, side, side); writes a);
    }
    within_blocks(n) {
        let x = made(n, 1, |bits| bits as u8);
        check!(within_blocks(&mut x, 3); writes x);
    }
    transposed_in_place(n) {
        let side = square(n);
        let a = reals(side * side, 1);
        check!(transposed_in_place(&mut a, side); writes a);
    }
    swapped_and_summed(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(swapped_and_summed(&mut x, &mut out); writes x, out);
    }
}
