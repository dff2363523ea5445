//! Loops that read and write one array, in which only the bounds and conditions of the loops keep iterations apart: triangles, panels of a
//! factorisation, tiles, colours.

use crate::support::*;
use forall::foreach;

// A constant distance, not shorter than the loop.

#[foreach]
fn second_half_of_128(flat: &mut [i64], a: &[i64]) {
    for i in 0..64 {
        flat[i + 64] = flat[i] + a[i];
    }
}

#[foreach]
fn blocks_by_a_constant(flat: &mut [i64]) {
    const N: usize = 64;
    for i in 0..N {
        flat[2 * N + i] = flat[N + i] + flat[i];
    }
}

const BLOCK: usize = 64;

#[foreach]
fn blocks_by_a_constant_of_the_module(flat: &mut [i64]) {
    for i in 0..BLOCK {
        flat[2 * BLOCK + i] = flat[BLOCK + i] - flat[i];
    }
}

#[foreach]
fn blocks_by_a_variable(flat: &mut [i64]) {
    let n = 32 * 2;
    for i in 0..n {
        flat[2 * n + i] = flat[n + i] + flat[i];
    }
}

#[foreach]
fn blocks_downwards(flat: &mut [i64]) {
    for i in 64..128 {
        flat[i - 64] = 3 * flat[i] - flat[i + 64];
    }
}

#[foreach]
fn every_second_of_a_block(flat: &mut [i64]) {
    for i in (0..64).step_by(2) {
        flat[i + 64] = flat[i] + 1;
        flat[i + 65] = flat[i + 1] - 1;
    }
}

#[foreach]
fn thirds(x: &mut [i64], n: usize) {
    for i in 0..n {
        x[2 * n + i] = x[n + i] + x[i];
    }
}

#[foreach]
fn from_the_block_before(x: &mut [i64], n: usize) {
    for i in n..2 * n {
        x[i] = x[i - n] * 2;
    }
}

#[foreach]
fn rows_from_the_upper_half(a: &mut [i64], n: usize, m: usize) {
    for i in 0..n {
        for j in 0..m {
            a[(i + n) * m + j] = a[i * m + j] + j as i64;
        }
    }
}

// One triangle from the other one.

#[foreach]
fn lower_from_upper(a: &mut [i64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            a[i * n + j] = a[j * n + i];
        }
    }
}

#[foreach]
fn upper_from_lower(a: &mut [i64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            a[j * n + i] = a[i * n + j];
        }
    }
}

#[foreach]
fn lower_from_upper_with_the_diagonal(a: &mut [i64], n: usize) {
    for i in 0..n {
        for j in 0..=i {
            a[i * n + j] = 2 * a[j * n + i];
        }
    }
}

#[foreach]
fn upper_from_lower_by_rows(a: &mut [i64], n: usize) {
    for i in 0..n {
        for j in i + 1..n {
            a[i * n + j] = a[j * n + i] + 1;
        }
    }
}

#[foreach]
fn lower_where_it_is_lower(a: &mut [i64], n: usize) {
    for i in 0..n {
        for j in 0..n {
            if j < i {
                a[i * n + j] = a[j * n + i];
            }
        }
    }
}

#[foreach]
fn lower_but_for_what_is_not(a: &mut [i64], n: usize) {
    for i in 0..n {
        for j in 0..n {
            if j >= i {
                continue;
            }
            a[i * n + j] = a[j * n + i] - 1;
        }
    }
}

#[foreach]
fn skew(a: &mut [i64], n: usize) {
    for i in 1..n {
        for j in (0..i).rev() {
            a[j * n + i] = -a[i * n + j];
        }
    }
}

#[foreach]
fn transposed_in_place(a: &mut [i64], n: usize) {
    for i in 0..n {
        for j in i + 1..n {
            let t = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = t;
        }
    }
}

#[foreach]
fn transposed_in_place_from_below(a: &mut [i64], n: usize) {
    for i in 1..n {
        for j in 0..i {
            let t = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = t;
        }
    }
}

#[foreach]
fn symmetrised(a: &mut [f64], n: usize, lda: usize) {
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (a[i * lda + j] + a[j * lda + i]);
            a[i * lda + j] = mean;
            a[j * lda + i] = mean;
        }
    }
}

// Tiles, of which the last ones are shorter.

#[foreach]
fn transposed_by_tiles(a: &[i64], b: &mut [i64], n: usize) {
    for ti in (0..n).step_by(8) {
        for tj in (0..n).step_by(8) {
            for i in ti..(ti + 8).min(n) {
                for j in tj..(tj + 8).min(n) {
                    b[j * n + i] = a[i * n + j];
                }
            }
        }
    }
}

#[foreach]
fn transposed_by_numbered_tiles(a: &[i64], b: &mut [i64], n: usize, m: usize, tile: usize) {
    for t in 0..n.div_ceil(tile) {
        for i in t * tile..((t + 1) * tile).min(n) {
            for j in 0..m {
                b[j * n + i] = a[i * m + j];
            }
        }
    }
}

#[foreach]
fn columns_by_tiles(b: &mut [i64], n: usize, m: usize) {
    for t in (0..m).step_by(5) {
        let end = std::cmp::min(t + 5, m);
        for i in 0..n {
            for j in t..end {
                b[i * m + j] += (i + j) as i64;
            }
        }
    }
}

#[foreach]
fn tiles_where_they_are_inside(b: &mut [i64], n: usize, m: usize) {
    for t in 0..n.div_ceil(4) {
        for k in 0..4 {
            let i = 4 * t + k;
            if i < n {
                for j in 0..m {
                    b[j * n + i] = (3 * i + j) as i64;
                }
            }
        }
    }
}

// Steps of factorisations.

#[foreach]
fn cholesky_step(a: &mut [f64], n: usize, k: usize) {
    for i in k + 1..n {
        for j in k + 1..=i {
            a[i * n + j] -= a[i * n + k] * a[j * n + k];
        }
    }
}

#[foreach]
fn cholesky_step_by_columns(a: &mut [f64], n: usize, k: usize) {
    for j in k + 1..n {
        for i in j..n {
            a[i * n + j] -= a[i * n + k] * a[j * n + k];
        }
    }
}

#[foreach]
fn left_looking_column(a: &mut [f64], n: usize, k: usize) {
    for i in k..n {
        for j in 0..k {
            a[i * n + k] -= a[i * n + j] * a[k * n + j];
        }
    }
}

#[foreach]
fn lu_step(a: &mut [f64], n: usize, k: usize) {
    for i in k + 1..n {
        a[i * n + k] *= 0.5;
        for j in k + 1..n {
            a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
    }
}

#[foreach]
fn gauss_jordan_step(a: &mut [f64], n: usize, k: usize) {
    let m = n + 1;
    for i in 0..n {
        if i != k {
            let factor = a[i * m + k];
            for j in k..m {
                a[i * m + j] -= factor * a[k * m + j];
            }
        }
    }
}

#[foreach]
fn gauss_jordan_step_that_leaves_one_out(a: &mut [f64], n: usize, k: usize) {
    for i in 0..n {
        if i == k {
            continue;
        }
        for j in 0..n {
            if j != k {
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
            }
        }
    }
}

#[foreach]
fn triangular_matrix_by_columns(l: &mut [f64], n: usize, k: usize) {
    for j in 0..k {
        let mut sum = 0.0;
        for i in j..k {
            sum += l[i * n + j];
        }
        l[k * n + j] = 0.25 * sum;
    }
}

#[foreach]
fn householder_step(a: &mut [f64], n: usize, k: usize) {
    for j in k + 1..n {
        let mut dot = 0.0;
        for i in k..n {
            dot += a[i * n + k] * a[i * n + j];
        }
        for i in k..n {
            a[i * n + j] -= 0.125 * dot * a[i * n + k];
        }
    }
}

// Colours.

#[foreach]
fn coloured_line(x: &mut [f64], colour: usize) {
    for i in 1..x.len() - 1 {
        if i % 2 == colour {
            x[i] = 0.5 * (x[i - 1] + x[i + 1]);
        }
    }
}

#[foreach]
fn coloured_torus(u: &mut [f64], n: usize, colour: usize) {
    for i in 0..n {
        for j in 0..n {
            if (i + j) % 2 == colour {
                let (up, down) = ((i + n - 1) % n, (i + 1) % n);
                let (left, right) = ((j + n - 1) % n, (j + 1) % n);
                u[i * n + j] = 0.25 * (u[up * n + j] + u[down * n + j] + u[i * n + left] + u[i * n + right]);
            }
        }
    }
}

#[foreach]
fn coloured_torus_of_spins(spin: &mut [i32], n: usize, m: usize, colour: usize) {
    for i in 0..n {
        for j in 0..m {
            if (i + j) % 2 != colour {
                continue;
            }
            let around = spin[((i + 1) % n) * m + j]
                + spin[((i + n - 1) % n) * m + j]
                + spin[i * m + (j + 1) % m]
                + spin[i * m + (j + m - 1) % m];
            if around < 0 {
                spin[i * m + j] = -spin[i * m + j];
            }
        }
    }
}

#[foreach]
fn coloured_plane(u: &mut [f64], n: usize, colour: usize) {
    for i in 1..n - 1 {
        for j in (1 + (i + colour) % 2..n - 1).step_by(2) {
            u[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]);
        }
    }
}

#[foreach]
fn coloured_volume(u: &mut [f64], n: usize, colour: usize) {
    for k in 1..n - 1 {
        for j in 1..n - 1 {
            for i in 1..n - 1 {
                if (i + j + k) % 2 == colour {
                    let at = (k * n + j) * n + i;
                    u[at] = (u[at - 1] + u[at + 1] + u[at - n] + u[at + n] + u[at - n * n] + u[at + n * n]) / 6.0;
                }
            }
        }
    }
}

// Others.

#[foreach]
fn bands(a: &mut [f64], n: usize, w: usize) {
    for i in 0..n {
        for j in i.saturating_sub(w)..i {
            a[i * n + j] = a[j * n + i] + 1.0;
        }
    }
}

#[foreach]
fn periodic_border(u: &mut [f64], n: usize) {
    for i in 1..n - 1 {
        u[i] = u[(n - 2) * n + i];
        u[(n - 1) * n + i] = u[n + i];
    }
}

#[foreach]
fn periodic_border_of_rows(u: &mut [f64], n: usize) {
    for i in 0..n {
        u[i * n] = u[i * n + n - 2];
        u[i * n + n - 1] = u[i * n + 1];
    }
}

#[foreach]
fn butterflies(x: &mut [f64], half: usize) {
    for block in 0..x.len() / (2 * half) {
        for k in 0..half {
            let (a, b) = (x[2 * half * block + k], x[2 * half * block + half + k]);
            x[2 * half * block + k] = a + b;
            x[2 * half * block + half + k] = a - b;
        }
    }
}

#[foreach]
fn first_row_and_others(a: &mut [f64], n: usize) {
    for i in 1..n {
        for j in 0..n {
            a[i * n + j] += a[j];
        }
    }
}

#[foreach]
fn last_column_from_the_others(a: &mut [f64], n: usize) {
    for i in 0..n {
        let mut sum = 0.0;
        for j in 0..n - 1 {
            sum += a[j * n + j];
        }
        a[i * n + n - 1] = sum;
    }
}

#[foreach]
fn parts_of_rows(a: &mut [f64], n: usize, k: usize) {
    for i in k + 1..n {
        let factor = a[i * n + k];
        for j in k + 1..n {
            a[i * n + j] -= factor * a[k * n + j];
        }
    }
}

#[foreach]
fn rows_as_slices(a: &mut [f64], n: usize, k: usize) {
    for i in k + 1..n {
        let sum: f64 = a[k * n..(k + 1) * n].iter().sum();
        for v in &mut a[i * n..(i + 1) * n] {
            *v += sum;
        }
    }
}

#[foreach]
fn mirrored_planes(a: &mut [i32], n: usize, m: usize) {
    for i in 0..n / 2 {
        for j in 0..m {
            let t = a[i * m + j];
            a[i * m + j] = a[(n - 1 - i) * m + j];
            a[(n - 1 - i) * m + j] = t;
        }
    }
}

// Whole factorisations, of which the steps follow each other.

#[foreach]
fn lu(a: &mut [f64], n: usize) {
    #[sequential]
    for k in 0..n {
        for i in k + 1..n {
            a[i * n + k] /= a[k * n + k];
            for j in k + 1..n {
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
            }
        }
    }
}

#[foreach]
fn cholesky(a: &mut [f64], n: usize) {
    #[sequential]
    for k in 0..n {
        let root = a[k * n + k].sqrt();
        for i in k..n {
            a[i * n + k] /= root;
        }
        for i in k + 1..n {
            for j in k + 1..=i {
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            }
        }
    }
}

#[foreach]
fn crout_row(a: &mut [f64], n: usize, k: usize) {
    for j in k..n {
        for m in 0..k {
            a[k * n + j] -= a[k * n + m] * a[m * n + j];
        }
    }
}

#[foreach]
fn crout_column(a: &mut [f64], n: usize, k: usize) {
    for i in k + 1..n {
        let mut sum = a[i * n + k];
        for m in 0..k {
            sum -= a[i * n + m] * a[m * n + k];
        }
        a[i * n + k] = sum / a[k * n + k];
    }
}

// Trees and diagonals.

#[foreach]
fn diagonal_of_a_table(t: &mut [i64], m: usize, d: usize) {
    for i in 1..d {
        let j = d - i;
        t[i * m + j] = t[(i - 1) * m + j].max(t[i * m + j - 1]) + 1;
    }
}

#[foreach]
fn coarser_level_behind(u: &mut [i64], n: usize) {
    for i in 0..n / 2 {
        u[n + i] = u[2 * i] + u[2 * i + 1];
    }
}

#[foreach]
fn level_of_a_heap(t: &mut [i64], first: usize) {
    for i in first..2 * first {
        t[i] = t[2 * i].max(t[2 * i + 1]);
    }
}

#[foreach]
fn up_sweep(x: &mut [i64], d: usize) {
    for k in (0..x.len() / (2 * d) * (2 * d)).step_by(2 * d) {
        x[k + 2 * d - 1] += x[k + d - 1];
    }
}

#[foreach]
fn odd_even_exchange(x: &mut [i64], start: usize) {
    for i in (start..x.len() - 1).step_by(2) {
        if x[i] > x[i + 1] {
            let t = x[i];
            x[i] = x[i + 1];
            x[i + 1] = t;
        }
    }
}

// Rows, of which each iteration has a part.

#[foreach]
fn rotated_columns(a: &mut [f64], n: usize, p: usize, q: usize) {
    for k in 0..n {
        let t = a[k * n + p];
        a[k * n + p] = 0.8 * t - 0.6 * a[k * n + q];
        a[k * n + q] = 0.6 * t + 0.8 * a[k * n + q];
    }
}

#[foreach]
fn around_the_diagonal(a: &mut [f64], n: usize, w: usize) {
    for i in 0..n {
        for j in i.saturating_sub(w)..(i + w + 1).min(n) {
            a[i * n + j] *= 2.0;
        }
    }
}

#[foreach]
fn diagonals_that_end(a: &mut [f64], n: usize, w: usize) {
    for i in 0..n {
        for d in 0..w {
            let j = i + d;
            if j < n {
                a[i * n + j] = d as f64;
            }
        }
    }
}

#[foreach]
fn between_two_columns(result: &mut [f64], start: &[usize], stop: &[usize], n: usize) {
    for p in 0..start.len() {
        let row = &mut result[p * n..(p + 1) * n];
        for j in start[p]..stop[p] {
            row[j] += 1.0;
        }
    }
}

#[foreach]
fn up_to_a_column(result: &mut [f64], stop: &[usize], n: usize) {
    for p in 0..stop.len() {
        for j in 0..n {
            if j == stop[p] {
                break;
            }
            result[p * n + j] = 1.0;
        }
    }
}

/// Sides of squares of about `n` elements in all, but for the largest sizes.
fn sides(n: usize) -> [usize; 2] {
    let side = if n > 1100 { n % 7 } else { square(n) };
    [side, side + 1]
}

/// A regular matrix in which no pivot is near 0.
fn regular(n: usize, m: usize, seed: u64) -> Vec<f64> {
    let mut a = reals(n * m, seed);
    (0..n.min(m)).for_each(|i| a[i * m + i] = n as f64 + 1.0);
    a
}

cases! {
    constant_distances(n) {
        let (flat, a) = (integers(192 + n % 5, 1), integers(64, 2));
        check!(second_half_of_128(&mut flat, &a); shares a; writes flat);
        check!(blocks_by_a_constant(&mut flat); writes flat);
        check!(blocks_by_a_constant_of_the_module(&mut flat); writes flat);
        check!(blocks_by_a_variable(&mut flat); writes flat);
        check!(blocks_downwards(&mut flat); writes flat);
        check!(every_second_of_a_block(&mut flat); writes flat);
    }
    variable_distances(n) {
        let x = integers(3 * n, 1);
        check!(thirds(&mut x, n); writes x);
        check!(from_the_block_before(&mut x, n); writes x);
        let s = square(n);
        let a = integers(2 * s * 7, 3);
        check!(rows_from_the_upper_half(&mut a, s, 7); writes a);
    }
    triangles(n) {
        for n in sides(n) {
            let a = integers(n * n, 1);
            check!(lower_from_upper(&mut a, n); writes a);
            check!(upper_from_lower(&mut a, n); writes a);
            check!(lower_from_upper_with_the_diagonal(&mut a, n); writes a);
            check!(upper_from_lower_by_rows(&mut a, n); writes a);
            check!(lower_where_it_is_lower(&mut a, n); writes a);
            check!(lower_but_for_what_is_not(&mut a, n); writes a);
            check!(skew(&mut a, n); writes a);
            check!(transposed_in_place(&mut a, n); writes a);
            check!(transposed_in_place_from_below(&mut a, n); writes a);
            let b = reals(n * (n + 3), 2);
            check!(symmetrised(&mut b, n, n + 3); writes b);
        }
    }
    tiles(n) {
        for n in sides(n) {
            let (a, b) = (integers(n * n, 1), integers(n * n, 2));
            check!(transposed_by_tiles(&a, &mut b, n); shares a; writes b);
            let (m, wide) = (n + 2, integers(n * (n + 2), 3));
            let tall = integers(n * m, 4);
            check!(transposed_by_numbered_tiles(&wide, &mut tall, n, m, 6); shares wide; writes tall);
            check!(columns_by_tiles(&mut tall, n, m); writes tall);
            check!(tiles_where_they_are_inside(&mut tall, n, m); writes tall);
        }
    }
    factorisations(n) {
        for n in sides(n) {
            let (a, wide) = (regular(n, n, 1), regular(n, n + 1, 2));
            check!(lu(&mut a, n); writes a);
            let symmetric: Vec<f64> = (0..n * n).map(|at| a[at.min(at % n * n + at / n)]).collect();
            check!(cholesky(&mut symmetric, n); writes symmetric);
            for k in [0, n / 3, n.saturating_sub(1)].into_iter().filter(|k| *k < n) {
                check!(cholesky_step(&mut a, n, k); writes a);
                check!(cholesky_step_by_columns(&mut a, n, k); writes a);
                check!(left_looking_column(&mut a, n, k); writes a);
                check!(lu_step(&mut a, n, k); writes a);
                check!(gauss_jordan_step(&mut wide, n, k); writes wide);
                check!(gauss_jordan_step_that_leaves_one_out(&mut a, n, k); writes a);
                check!(triangular_matrix_by_columns(&mut a, n, k); writes a);
                check!(householder_step(&mut a, n, k); writes a);
                check!(parts_of_rows(&mut a, n, k); writes a);
                check!(crout_row(&mut a, n, k); writes a);
                check!(crout_column(&mut a, n, k); writes a);
                check!(rows_as_slices(&mut a, n, k) within 1e-9; writes a);
            }
        }
    }
    colours(n) {
        for colour in [0, 1] {
            let x = reals(n.max(2), 1);
            check!(coloured_line(&mut x, colour); writes x);
            let side = sides(n)[0] / 2 * 2;
            let u = reals(side * side, 2);
            check!(coloured_torus(&mut u, side, colour); writes u);
            let spin = integers32(side * (side + 4), 3);
            let spin: Vec<i32> = spin.into_iter().map(|s| s.rem_euclid(2) * 2 - 1).collect();
            check!(coloured_torus_of_spins(&mut spin, side, side + 4, colour); writes spin);
            for n in sides(n).into_iter().filter(|n| *n > 1) {
                let u = reals(n * n, 4);
                check!(coloured_plane(&mut u, n, colour); writes u);
            }
            for n in [cube(n), cube(n) + 1].into_iter().filter(|n| *n > 1) {
                let u = reals(n * n * n, 5);
                check!(coloured_volume(&mut u, n, colour); writes u);
            }
        }
    }
    trees_and_diagonals(n) {
        let s = square(n);
        let t = integers(s * s, 1);
        check!(diagonal_of_a_table(&mut t, s, s.saturating_sub(1)); writes t);
        let u = integers(n / 2 * 2 + n / 2, 2);
        check!(coarser_level_behind(&mut u, n / 2 * 2); writes u);
        let heap = integers(4 * n, 3);
        check!(level_of_a_heap(&mut heap, n); writes heap);
        check!(up_sweep(&mut u, 2); writes u);
        if n > 0 {
            check!(odd_even_exchange(&mut heap, n % 2); writes heap);
        }
    }
    parts_of_rows(n) {
        for n in sides(n) {
            let a = reals(n * n, 1);
            if n > 1 {
                check!(rotated_columns(&mut a, n, n / 2, n - 1 - n / 2 * (n % 2)); writes a);
            }
            check!(around_the_diagonal(&mut a, n, 2); writes a);
            check!(diagonals_that_end(&mut a, n, 3); writes a);
            let (start, stop) = (indices(n, 2, n / 2 + 1), indices(n, 3, n + 1));
            check!(between_two_columns(&mut a, &start, &stop, n); shares start, stop; writes a);
            check!(up_to_a_column(&mut a, &stop, n); shares stop; writes a);
        }
    }
    others(n) {
        for n in sides(n) {
            let a = reals(n * n, 1);
            check!(bands(&mut a, n, 3); writes a);
            if n > 2 {
                check!(periodic_border(&mut a, n); writes a);
            }
            if n > 1 {
                check!(periodic_border_of_rows(&mut a, n); writes a);
            }
            check!(first_row_and_others(&mut a, n); writes a);
            if n > 1 {
                check!(last_column_from_the_others(&mut a, n); writes a);
            }
            let whole = integers32(n * 5, 2);
            check!(mirrored_planes(&mut whole, n, 5); writes whole);
        }
        let x = reals(n, 3);
        check!(butterflies(&mut x, 4); writes x);
    }
}
