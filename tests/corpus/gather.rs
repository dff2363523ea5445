//! Reads at places that only the data know: the elements are asked for, or fetched whole where they cannot be.

use crate::support::*;
use forall::{distributed_scan, foreach, foreach_tls, kary_reduce};

#[foreach]
fn permuted(#[gather] x: &[f64], place: &[usize], out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = x[place[i]];
    }
}

#[foreach]
fn permuted_items(#[gather] x: &[f64], place: &[u32], out: &mut [f64]) {
    for (o, &p) in out.iter_mut().zip(place) {
        *o = 2.0 * x[p as usize];
    }
}

#[foreach]
fn rows_of_a_sparse_matrix(
    start: &[usize],
    #[gather] column: &[u32],
    #[gather] value: &[f64],
    #[gather] x: &[f64],
    y: &mut [f64],
) {
    for i in 0..y.len() {
        let mut sum = 0.0;
        for k in start[i]..start[i + 1] {
            sum += value[k] * x[column[k] as usize];
        }
        y[i] = sum;
    }
}

/// The same, with a row as two iterators; the closure's `a` is not the array.
#[foreach]
fn sparse_rows_zipped(
    start: &[usize],
    #[gather] column: &[u32],
    #[gather] a: &[f64],
    #[gather] x: &[f64],
    y: &mut [f64],
) {
    for i in 0..y.len() {
        let (j, k) = (start[i], start[i + 1]);
        y[i] = a[j..k].iter().zip(&column[j..k]).map(|(a, c)| a * x[*c as usize]).sum();
    }
}

#[foreach]
fn sparse_rows_by_names(
    start: &[usize],
    #[gather] column: &[u32],
    #[gather] a: &[f64],
    #[gather] x: &[f64],
    y: &mut [f64],
) {
    for (i, y) in y.iter_mut().enumerate() {
        let row = start[i]..start[i + 1];
        let (columns, values) = (&column[row.clone()], &a[row]);
        let mut sum = 0.0;
        for (&column, a) in columns.iter().zip(values) {
            sum += a * x[column as usize];
        }
        *y = columns.iter().enumerate().fold(sum, |sum, (at, &x)| sum + values[at] * f64::from(x));
    }
}

/// All of `x` may be read, but only some elements are.
#[foreach]
fn all_over(#[gather] x: &[f64], out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = x[7 * i * i % x.len()] - x[(5 * i + 3) % x.len()];
    }
}

#[foreach]
fn row_by_iterators(width: usize, column: &[u32], value: &[f64], #[gather] x: &[f64], y: &mut [f64]) {
    for i in 0..y.len() {
        let columns = &column[i * width..(i + 1) * width];
        let values = &value[i * width..(i + 1) * width];
        y[i] = values.iter().zip(columns).map(|(v, &c)| v * x[c as usize]).sum::<f64>();
    }
}

#[foreach]
fn under_conditions(#[gather] x: &[i64], place: &[usize], weight: &[i64], out: &mut [i64]) {
    for i in 0..out.len() {
        if weight[i] % 3 == 0 {
            continue;
        }
        let from = if weight[i] > 0 { place[i] } else { x.len() - 1 - place[i] };
        out[i] += match weight[i] % 4 {
            0 => x[from],
            1 | -1 if weight[i] > 100 => -x[from / 2],
            _ => weight[i] * x[from].max(x[0]),
        };
    }
}

#[kary_reduce]
fn counted_where(#[gather] x: &[i64], place: &[usize], weight: &[i64]) -> (usize, i64) {
    let mut count = 0;
    let mut most = i64::MIN;
    for (i, &w) in weight.iter().enumerate() {
        if w > -500 && x[place[i]] > w {
            count += 1;
        }
        if w < 0 || x[place[i] / 3] < 0 {
            most = most.max(x[place[i] / 2]);
        }
    }
    (count, most)
}

#[foreach]
fn inner_loops(#[gather] x: &[i64], steps: &[u32], out: &mut [i64]) {
    'cells: for i in 0..out.len() {
        let mut k = i;
        let mut left = steps[i] % 7;
        while left > 0 {
            k = (k * 5 + 3) % x.len();
            left -= 1;
            if k == 4 {
                continue 'cells;
            }
        }
        let mut sum = 0;
        loop {
            sum += x[k];
            if k < 10 {
                break;
            }
            k /= 2;
        }
        out[i] = sum;
    }
}

#[foreach]
fn ranges_of_elements(#[gather] x: &[i64], first: &[usize], out: &mut [i64]) {
    for i in 0..out.len() {
        let end = (first[i] + 3).min(x.len());
        out[i] = x[first[i]..end].iter().sum::<i64>() + x[first[i]..=first[i]].len() as i64;
        if let Some(v) = x.get(first[i] + 2) {
            out[i] -= v;
        }
    }
}

/// The place of the second read depends on the first.
#[foreach]
fn pointer_jumping(#[gather] parent: &[usize], node: &[usize], out: &mut [usize]) {
    for i in 0..out.len() {
        let mut p = node[i];
        for _ in 0..4 {
            p = parent[p];
        }
        out[i] = p;
    }
}

/// One of two slices can be asked for.
#[foreach]
fn through_a_table(#[gather] table: &[usize], #[gather] value: &[f64], key: &[usize], out: &mut [f64]) {
    for i in 0..out.len() {
        let slot = table[key[i]];
        out[i] = value[slot];
    }
}

#[distributed_scan]
fn running_sum_of_gathered(#[gather] x: &[i64], place: &[usize], out: &mut [i64]) -> i64 {
    let mut sum = 0;
    for i in 0..place.len() {
        sum += x[place[i]];
        out[i] = sum;
    }
    sum
}

#[foreach_tls]
fn edges_that_rise(#[gather] height: &[i64], from: &[u32], to: &[u32], rising: &mut Vec<[u32; 2]>) {
    for (&a, &b) in from.iter().zip(to) {
        if height[a as usize] < height[b as usize] {
            rising.push([a, b]);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable, forall::DeviceData)]
#[repr(C)]
struct Body {
    place: [f64; 3],
    mass: f64,
}

#[foreach]
fn pulls(#[gather] bodies: &[Body], neighbours: &[[u32; 4]], pull: &mut [f64]) {
    for (i, near) in neighbours.iter().enumerate() {
        let mut sum = 0.0;
        for &j in near {
            let other = &bodies[j as usize];
            sum += other.mass * (1.0 + other.place[0] - bodies[i].place[1]).abs();
        }
        pull[i] = sum;
    }
}

fn hash(i: usize) -> usize {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7
}

/// Places that no array holds.
#[foreach]
fn scrambled<const K: usize>(#[gather] x: &[u32], out: &mut [u32]) {
    for i in 0..out.len() {
        let mut total = 0u32;
        let mut places = [0; K];
        for (k, place) in places.iter_mut().enumerate() {
            *place = hash(i + k) % x.len();
        }
        for place in places {
            total = total.wrapping_add(x[place]);
        }
        out[i] = total;
    }
}

/// A written element is read at the iteration's own index, and decides nothing about later reads.
#[foreach]
fn relaxed(#[gather] old: &[f64], neighbour: &[usize], new: &mut [f64]) {
    for i in (0..new.len()).rev() {
        let gone = new[i];
        let a = old[neighbour[i]];
        new[i] = if gone > 0.0 { 0.5 * (a + gone) } else { a };
    }
}

/// A written element decides about later reads.
#[foreach]
fn walks(#[gather] next: &[usize], at: &mut [usize]) {
    for a in at.iter_mut() {
        *a = next[*a];
    }
}

#[foreach]
fn whole_of_two(#[gather] x: &[f64], #[replicated] place: &[usize], n: usize, out: &mut [f64]) {
    for i in 0..n {
        let pair = (x[place[i]], x[place[n - 1 - i]]);
        out[i] = pair.0 - pair.1;
    }
}

/// Where each of `n` rows of a sparse matrix begins, and where the last one ends: none to three entries a row.
fn starts_of_rows(n: usize) -> Vec<usize> {
    let mut start = vec![0];
    for count in indices(n, 1, 4) {
        start.push(start[start.len() - 1] + count);
    }
    start
}

cases! {
    permuted(n) {
        let (x, place, out) = (reals(n, 1), indices(n, 2, n), reals(n, 3));
        check!(permuted(&x, &place, &mut out); shares x, place; writes out);
    }
    permuted_items(n) {
        let (x, place, out) = (reals(n / 2 + 1, 1), naturals(n, 2, n / 2 + 1), reals(n, 3));
        check!(permuted_items(&x, &place, &mut out); shares x, place; writes out);
    }
    rows_of_a_sparse_matrix(n) {
        let start = starts_of_rows(n);
        let entries = start[n];
        let (column, value, x, y) = (naturals(entries, 2, n), reals(entries, 3), reals(n, 4), reals(n, 5));
        check!(rows_of_a_sparse_matrix(&start, &column, &value, &x, &mut y); shares start, column, value, x; writes y);
    }
    sparse_rows_zipped(n) {
        let start = starts_of_rows(n);
        let entries = start[n];
        let (column, value, x, y) = (naturals(entries, 2, n), reals(entries, 3), reals(n, 4), reals(n, 5));
        check!(sparse_rows_zipped(&start, &column, &value, &x, &mut y); shares start, column, value, x; writes y);
    }
    sparse_rows_by_names(n) {
        let start = starts_of_rows(n);
        let entries = start[n];
        let (column, value, x, y) = (naturals(entries, 2, n), reals(entries, 3), reals(n, 4), reals(n, 5));
        check!(sparse_rows_by_names(&start, &column, &value, &x, &mut y); shares start, column, value, x; writes y);
    }
    all_over(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n / 3]);
        check!(all_over(&x, &mut out); shares x; writes out);
    }
    row_by_iterators(n) {
        let width = 5;
        let (column, value) = (naturals(n * width, 1, n), reals(n * width, 2));
        let (x, y) = (reals(n, 3), reals(n, 4));
        check!(row_by_iterators(width, &column, &value, &x, &mut y); shares column, value, x; writes y);
    }
    under_conditions(n) {
        let (x, place, weight, out) = (integers(n, 1), indices(n, 2, n), integers(n, 3), integers(n, 4));
        check!(under_conditions(&x, &place, &weight, &mut out); shares x, place, weight; writes out);
    }
    counted_where(n) {
        let (x, place, weight) = (integers(n, 1), indices(n, 2, n), integers(n, 3));
        check!(counted_where(&x, &place, &weight); shares x, place, weight);
    }
    inner_loops(n) {
        let (x, steps, out) = (integers(n, 1), naturals(n, 2, 100), integers(n, 3));
        check!(inner_loops(&x, &steps, &mut out); shares x, steps; writes out);
    }
    ranges_of_elements(n) {
        let (x, first, out) = (integers(n, 1), indices(n, 2, n), integers(n, 3));
        check!(ranges_of_elements(&x, &first, &mut out); shares x, first; writes out);
    }
    pointer_jumping(n) {
        let (parent, node, out) = (indices(n, 1, n), indices(n, 2, n), indices(n, 3, n));
        check!(pointer_jumping(&parent, &node, &mut out); shares parent, node; writes out);
    }
    through_a_table(n) {
        let (table, value) = (indices(n, 1, n), reals(n, 2));
        let (key, out) = (indices(n, 3, n), reals(n, 4));
        check!(through_a_table(&table, &value, &key, &mut out); shares table, value, key; writes out);
    }
    running_sum_of_gathered(n) {
        let (x, place, out) = (integers(n, 1), indices(n, 2, n), integers(n, 3));
        check!(running_sum_of_gathered(&x, &place, &mut out); shares x, place; writes out);
    }
    edges_that_rise(n) {
        let (height, from, to) = (integers(n, 1), naturals(2 * n, 2, n), naturals(2 * n, 3, n));
        let rising = vec![[7, 7]; 0];
        check!(edges_that_rise(&height, &from, &to, &mut rising); shares height, from, to; writes rising);
    }
    pulls(n) {
        let bodies = made(n, 1, |bits| Body { place: [unit(bits), unit(bits.rotate_left(20)), 0.0], mass: unit(bits.rotate_left(40)) });
        let neighbours = made(n, 2, |bits| [0, 16, 32, 48].map(|shift| ((bits >> shift) & 0xffff) as u32 % n.max(1) as u32));
        let pull = reals(n, 3);
        check!(pulls(&bodies, &neighbours, &mut pull); shares bodies, neighbours; writes pull);
    }
    scrambled(n) {
        let (x, out) = (naturals(n, 1, 1 << 30), naturals(n, 2, 10));
        check!(@ ("scrambled") (scrambled::sequential::<3>(&x, &mut out)) (scrambled::<3>(&x, &mut out)) ; shares x; writes out);
    }
    relaxed(n) {
        let (old, neighbour, new) = (reals(n, 1), indices(n, 2, n), reals(n, 3));
        check!(relaxed(&old, &neighbour, &mut new); shares old, neighbour; writes new);
    }
    walks(n) {
        let (next, at) = (indices(n, 1, n), indices(n, 2, n));
        check!(walks(&next, &mut at); shares next; writes at);
    }
    whole_of_two(n) {
        let (x, place, out) = (reals(n, 1), indices(n, 2, n), reals(n, 3));
        check!(whole_of_two(&x, &place, n, &mut out); shares x; writes out);
    }
}
