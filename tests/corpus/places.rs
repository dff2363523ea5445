//! Places that are computed in other ways than by an index expression that stands in the brackets.

use crate::support::*;
use forall::{distributed_scan, foreach};

// Swaps.

/// Odd-even transposition sort.
#[foreach]
fn odd_even_sort(x: &mut [i64], rounds: usize) {
    let n = x.len();
    // A round begins where the one before did not.
    #[sequential]
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

// Tiles, the last of which may be shorter.

#[foreach]
fn tiles(x: &[f64], out: &mut [f64], tile: usize) {
    let n = x.len();
    for t in 0..n.div_ceil(tile) {
        for i in t * tile..((t + 1) * tile).min(n) {
            out[i] = x[i] + t as f64;
        }
    }
}

#[foreach]
fn tiles_of_rows(a: &mut [f64], w: usize) {
    let rows = a.len() / w;
    for t in (0..rows).step_by(4) {
        let end = std::cmp::min(t + 4, rows);
        for y in t..end {
            for x in 0..w {
                a[y * w + x] += (y * 10 + x) as f64;
            }
        }
    }
}

#[foreach]
fn tiles_summed_in_place(a: &mut [i64]) {
    let n = a.len();
    for t in (0..n).step_by(8) {
        let tile = &mut a[t..(t + 8).min(n)];
        for i in 1..tile.len() {
            tile[i] += tile[i - 1];
        }
    }
}

// Places that iterations turn.

#[foreach]
fn turned_by(x: &[i64], out: &mut [i64], k: usize) {
    let n = x.len();
    for i in 0..n {
        out[(i + k) % n] = x[i];
    }
}

#[foreach]
fn neighbours_exchanged(x: &[i64], out: &mut [i64]) {
    for i in 0..x.len() / 2 * 2 {
        out[i ^ 1] = x[i];
    }
}

// Ranges that variables hold.

#[foreach]
fn inner_points(x: &[f64], out: &mut [f64]) {
    let inner = 1..x.len().max(2) - 1;
    for i in inner.clone() {
        out[i] = x[i - 1] + x[i + 1];
    }
    for i in inner {
        out[i] += x[i];
    }
}

#[foreach]
fn inner_points_of_a_plane(a: &[f64], out: &mut [f64], nx: usize, ny: usize) {
    let (rows, columns) = (1..=ny - 2, 1..nx - 1);
    let along: std::ops::Range<usize> = 1..nx - 1;
    let down = 1..=ny - 2;
    assert_eq!((rows.clone().count(), columns.len()), (ny - 2, along.len()));
    for y in down.clone().rev() {
        for x in along.clone().step_by(2) {
            out[y * nx + x] = a[(y - 1) * nx + x] + a[(y + 1) * nx + x];
        }
    }
}

#[foreach]
fn in_a_range(r: std::ops::Range<usize>, x: &[i64], out: &mut [i64]) {
    for i in r {
        out[i] = x[i] + i as i64;
    }
}

#[distributed_scan]
fn summed_in_a_range(r: &std::ops::Range<usize>, x: &[i64], out: &mut [i64]) -> i64 {
    let mut sum = 0;
    for (i, k) in r.clone().zip(r.clone().rev()) {
        sum += x[i] * k as i64;
        out[i] = sum;
    }
    sum
}

// Triangles that are packed row by row.

#[foreach]
fn packed(x: &[f64], a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..=i {
            a[i * (i + 1) / 2 + j] += x[i] * x[j];
        }
        a[i * (i + 1) / 2 + i] *= 2.0;
    }
}

/// Adds to each element what is not known to be a histogram.
#[foreach]
fn packed_sums(x: &[i64], a: &mut [i64], n: usize) {
    for i in 0..n {
        for j in 0..=i {
            a[i * (i + 1) / 2 + j] += x[i] * x[j];
        }
    }
}

#[foreach]
fn packed_below_the_diagonal(a: &mut [i64], n: usize) {
    for i in 1..n {
        let row = i * (i - 1) / 2;
        for j in 0..i {
            a[row + j] = (i * j) as i64 - a[row];
        }
    }
}

/// Another variable of the same name counts the rows: only the innermost loop has iterations that are apart.
#[foreach]
fn rows_of_another_length(a: &mut [u32], n: usize) {
    // All rows begin in one, and overlap the next.
    #[sequential]
    for i in 0..n {
        let row = i * (i + 1) / 2;
        #[sequential]
        for i in 0..n {
            for j in 0..=i {
                a[row + j] += (i + j) as u32;
            }
        }
    }
}

/// A row reads the rows of another triangle.
#[foreach]
fn pascal(old: &[u32], new: &mut [u32], n: usize) {
    fn row(i: u32) -> u32 {
        i * (i + 1) / 2
    }
    for i in 1..n as u32 {
        for j in 0..i {
            let above = if j > 0 { old[(row(i - 1) + j - 1) as usize] } else { 1 };
            new[(row(i) + j) as usize] = above.wrapping_add(old[(row(i - 1) + j) as usize]);
        }
    }
}

// Points of one colour.

#[foreach]
fn one_colour(old: &[f64], new: &mut [f64], n: usize, colour: usize) {
    for i in 1..n - 1 {
        let first = 1 + (i + colour) % 2;
        for j in (first..n - 1).step_by(2) {
            new[i * n + j] =
                0.25 * (old[i * n + j - 1] + old[i * n + j + 1] + old[(i - 1) * n + j] + old[(i + 1) * n + j]);
        }
    }
}

#[foreach]
fn one_colour_counted_by_hand(old: &[f64], new: &mut [f64], n: usize, colour: usize) {
    for i in 1..n - 1 {
        let s = 1 + (i + colour) % 2;
        let mut j = s;
        while j < n - 1 {
            let at = i * n + j;
            new[at] = 0.25 * (old[at - 1] + old[at + 1] + old[at - n] + old[at + n]);
            j += 2;
        }
    }
}

/// Loops that count by hand, one in the other, and one whose counter is looked at afterwards.
#[foreach]
fn counted_by_hand(x: &[i64], out: &mut [i64], width: usize) {
    for block in 0..out.len() / width {
        let mut k = 0;
        while k < width {
            let mut sum = 0;
            let mut near = k.saturating_sub(2);
            while near <= (k + 2).min(width - 1) {
                sum += x[block * width + near];
                near += 1;
            }
            out[block * width + k] = sum;
            k += 1;
        }
        let (mut halves, mut rest) = (0, x[block * width]);
        while halves < 20 && rest % 2 == 0 {
            rest /= 2;
            halves += 1;
        }
        out[block * width] += halves;
    }
}

cases! {
    one_colour(n) {
        let side = square(n).max(2);
        let (old, new) = (reals(side * side, 1), vec![0.0; side * side]);
        check!(one_colour(&old, &mut new, side, 0); shares old; writes new);
        check!(one_colour(&old, &mut new, side, 1); shares old; writes new);
    }
    one_colour_counted_by_hand(n) {
        let side = square(n).max(2);
        let (old, new) = (reals(side * side, 1), vec![0.0; side * side]);
        check!(one_colour_counted_by_hand(&old, &mut new, side, 1); shares old; writes new);
    }
    counted_by_hand(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(counted_by_hand(&x, &mut out, 5); shares x; writes out);
    }
    packed(n) {
        let side = square(n);
        let (x, a) = (reals(side, 1), reals(side * (side + 1) / 2, 2));
        check!(packed(&x, &mut a, side); shares x; writes a);
    }
    packed_sums(n) {
        let side = square(n);
        let (x, a) = (integers(side, 1), integers(side * (side + 1) / 2, 2));
        check!(packed_sums(&x, &mut a, side); shares x; writes a);
    }
    packed_below_the_diagonal(n) {
        let side = square(n);
        let a = integers(side * (side + 1) / 2, 1);
        check!(packed_below_the_diagonal(&mut a, side); writes a);
    }
    rows_of_another_length(n) {
        let side = square(n).min(12);
        let a = naturals(side * (side + 1), 1, 1000);
        check!(rows_of_another_length(&mut a, side); writes a);
    }
    pascal(n) {
        let side = square(n);
        let old = made(side * (side + 1) / 2, 1, |bits| bits as u32);
        let new = vec![0; old.len()];
        check!(pascal(&old, &mut new, side); shares old; writes new);
    }
    tiles(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(tiles(&x, &mut out, 8); shares x; writes out);
        check!(tiles(&x, &mut out, 1000); shares x; writes out);
    }
    tiles_of_rows(n) {
        let a = reals(n / 3 * 3, 1);
        check!(tiles_of_rows(&mut a, 3); writes a);
    }
    tiles_summed_in_place(n) {
        let a = integers(n, 1);
        check!(tiles_summed_in_place(&mut a); writes a);
    }
    turned_by(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(turned_by(&x, &mut out, 1); shares x; writes out);
        check!(turned_by(&x, &mut out, n / 2 + 3); shares x; writes out);
    }
    neighbours_exchanged(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(neighbours_exchanged(&x, &mut out); shares x; writes out);
    }
    inner_points(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(inner_points(&x, &mut out); shares x; writes out);
    }
    inner_points_of_a_plane(n) {
        let side = square(n).max(2);
        let (a, out) = (reals(side * side, 1), vec![0.0; side * side]);
        check!(inner_points_of_a_plane(&a, &mut out, side, side); shares a; writes out);
    }
    in_a_range(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(in_a_range(n / 3..n, &x, &mut out); shares x; writes out);
        let nothing = std::ops::Range { start: n, end: n / 2 };
        check!(in_a_range(nothing.clone(), &x, &mut out); shares x; writes out);
    }
    summed_in_a_range(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(summed_in_a_range(&(n / 4..n), &x, &mut out); shares x; writes out);
    }
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
