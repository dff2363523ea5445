//! Loops as they are written without a thought of running them in parallel: first and last matches, halves of slices, `for_each`,
//! elements that are updated and then used.

use crate::support::*;
use forall::{distributed_scan, foreach, kary_reduce};

#[kary_reduce]
fn first_above(x: &[i64], limit: i64) -> Option<usize> {
    let mut first = None;
    for i in 0..x.len() {
        if first.is_none() && x[i] > limit {
            first = Some(i);
        }
    }
    first
}

/// The best value so far has the same name within the comparison.
#[kary_reduce]
fn least_and_most(x: &[i64]) -> (Option<(i64, usize)>, Option<i64>) {
    let (mut least, mut most) = (None, None);
    for (i, v) in x.iter().enumerate() {
        if least.is_none_or(|(least, _)| *v < least) {
            least = Some((*v, i));
        }
        if i % 3 == 1 && most.is_none_or(|most: i64| *v >= most) {
            most = Some(*v);
        }
    }
    (least, most)
}

/// A value that every rank has, and whose fields loops use.
struct Table {
    values: Vec<f64>,
    weights: Vec<f64>,
    taps: [f64; 3],
}

impl Table {
    fn new(n: usize) -> Self {
        Table { values: reals(n, 4), weights: positives(n, 5), taps: [0.25, 0.5, 0.25] }
    }
}

#[kary_reduce]
fn weighted_sum(table: &Table) -> (f64, f64) {
    let (mut sum, mut most) = (0.0, f64::NEG_INFINITY);
    for (v, w) in table.values.iter().zip(&table.weights) {
        sum += v * w;
    }
    for v in &table.values {
        most = most.max(*v);
    }
    (sum, most)
}

#[foreach]
fn added_by_fields(table: &Table, out: &mut [f64]) {
    for (i, (o, v)) in out.iter_mut().zip(&table.values).enumerate() {
        for (k, tap) in table.taps.iter().enumerate() {
            *o += tap * v * (i + k) as f64;
        }
    }
}

#[foreach]
fn fields_in_rounds(table: &mut Table, rounds: usize) {
    for _ in 0..rounds {
        for (v, w) in table.values.iter_mut().zip(&table.weights) {
            *v = 0.5 * *v + w;
        }
    }
}

/// A closure that reads the picture, and one that calls it, stand before the loop.
#[foreach]
fn around_by_closures(img: &[f32], w: usize, h: usize, out: &mut [f32]) {
    let at = |x: i32, y: i32| {
        let x = x.clamp(0, w as i32 - 1) as usize;
        let y = y.clamp(0, h as i32 - 1) as usize;
        img[y * w + x]
    };
    let cross = |x: i32, y: i32| at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1);
    for y in 0..h {
        for x in 0..w {
            out[y * w + x] = 0.5 * at(x as i32, y as i32) + 0.125 * cross(x as i32, y as i32);
        }
    }
}

/// Four sums at a time, and what is left over: iterators that have names.
#[kary_reduce]
fn unrolled(x: &[f64], y: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    let (xs, ys) = (x.chunks_exact(4), y.chunks_exact(4));
    let (rest_of_x, rest_of_y) = (xs.remainder(), ys.remainder());
    let both = x.chunks_exact(4);
    let others = y.chunks_exact(4);
    for (a, b) in both.zip(others) {
        for k in 0..4 {
            lanes[k] += a[k] * b[k];
        }
    }
    let mut sum = lanes[0] + lanes[1] + lanes[2] + lanes[3];
    for (a, b) in rest_of_x.iter().zip(rest_of_y) {
        sum += a * b;
    }
    sum
}

#[foreach]
fn by_a_named_iterator(x: &[i64], out: &mut [i64]) {
    let numbered = x.iter().enumerate();
    for (i, v) in numbered {
        out[i] = v * i as i64;
    }
}

/// Two buffers change places.
#[foreach]
fn in_turns(a: &mut Vec<f64>, b: &mut Vec<f64>, steps: usize) {
    for step in 0..steps {
        for i in 0..a.len() {
            b[i] = 0.5 * a[i] + step as f64;
        }
        std::mem::swap(a, b);
    }
}

/// The values of the step before are kept.
#[foreach]
fn from_a_copy(x: &mut Vec<f64>, steps: usize) {
    for _ in 0..steps {
        let old = x.clone();
        for i in 0..x.len() {
            x[i] = 0.5 * old[i] + 0.25 * old[old.len() - 1 - i];
        }
    }
}

/// Taps that an inner loop goes through, around the number of the iteration.
#[foreach]
fn taps(x: &[f64], #[replicated] w: &[f64], out: &mut [f64]) {
    for i in 2..x.len().max(4) - 2 {
        let mut sum = 0.0;
        for (k, w) in w.iter().enumerate() {
            sum += w * x[i + k - 2];
        }
        out[i] = sum;
    }
}

/// The same from the last on, and not for all.
#[foreach]
fn some_taps(x: &[f64], #[replicated] w: &[f64], out: &mut [f64]) {
    for i in (2..x.len().max(4) - 2).step_by(3).rev() {
        let mut sum = 0.0;
        for (k, w) in w.iter().enumerate() {
            sum += w * x[i + k - 2];
        }
        out[i] = sum;
    }
}

/// The place and the value of a match, behind a test of its own.
#[kary_reduce]
fn first_pair(x: &[i64], y: &[f64], limit: i64) -> (bool, usize, f64) {
    let (mut found, mut at, mut value) = (false, usize::MAX, 0.0);
    for i in 0..x.len() {
        if x[i] > limit {
            if !found && y[i] > 0.0 {
                let half = y[i] / 2.0;
                found = true;
                at = i;
                value = half;
            }
        }
    }
    (found, at, value)
}

/// Elements behind the first match are not computed.
#[kary_reduce]
fn first_divisible(x: &[i64], by: &[i64], start: Option<i64>) -> Option<i64> {
    let mut first = start;
    for i in 0..x.len() {
        if first.is_none() && x[i] % by[i] == 0 {
            first = Some(x[i] / by[i]);
        }
    }
    first
}

/// `by` is zero behind the first match, where the loop divides no more.
#[kary_reduce]
fn first_before_zero(x: &[i64], by: &[i64]) -> Option<i64> {
    let mut first = None;
    for i in 0..x.len() {
        if first.is_none() && x[i] / by[i] == x[i] {
            first = Some(x[i]);
        }
    }
    first
}

#[kary_reduce]
fn last_above(x: &[i64], limit: i64) -> (Option<usize>, i64) {
    let (mut last, mut value) = (None, -1);
    for i in 0..x.len() {
        if x[i] > limit {
            last = Some(i);
            value = x[i];
        }
    }
    (last, value)
}

/// Beside what is written, and in an inner loop.
#[foreach]
fn last_set(x: &[u32], out: &mut [u32]) -> u32 {
    let mut last = 7;
    for i in 0..x.len() {
        out[i] = x[i] + 1;
        for k in 0..3 {
            if x[i] % 5 == k {
                last = x[i] + k;
            }
        }
    }
    last
}

/// Every iteration sets it.
#[kary_reduce]
fn end(x: &[i64]) -> (i64, i64) {
    let (mut sum, mut end) = (0, 0);
    for v in x {
        sum += v;
        end = *v;
    }
    (sum, end)
}

#[distributed_scan]
fn first_so_far(x: &[i64], seen: &mut [u8]) -> Option<i64> {
    let mut first = None;
    for i in 0..x.len() {
        if first.is_none() && x[i] > 900 {
            first = Some(x[i]);
        }
        seen[i] = first.is_some() as u8;
    }
    first
}

#[distributed_scan]
fn doubled(x: &mut [i64], out: &mut [i64]) {
    let mut sum = 0;
    for i in 0..x.len() {
        x[i] *= 2;
        sum += x[i];
        out[i] = sum;
    }
}

#[distributed_scan]
fn kept_beside(x: &[i64], kept: &mut [i64], out: &mut [i64]) {
    let mut most = i64::MIN;
    for i in 0..x.len() {
        kept[i] = x[i] - 3;
        kept[i] += kept[i] * 2;
        most = most.max(kept[i]);
        out[i] = most - kept[i];
    }
}

#[distributed_scan]
fn in_place(x: &mut [i64]) {
    let mut sum = 1;
    for v in x.iter_mut() {
        *v %= 11;
        sum += *v;
        *v = sum;
    }
}

#[distributed_scan]
fn of_points(points: &mut [[f64; 2]], length: &mut [f64]) {
    let mut sum = 0.0;
    for i in 0..points.len() {
        points[i][0] += 1.0;
        points[i][1] -= 1.0;
        let [a, b] = points[i];
        sum += a * a + b * b;
        length[i] = sum;
    }
}

#[foreach]
fn halves(v: &mut [i64], k: usize) {
    let (left, right) = v.split_at_mut(k);
    for l in left.iter_mut() {
        *l += 1;
    }
    for i in 0..right.len() {
        right[i] = 2 * right[i] - i as i64;
    }
}

/// One half from the other.
#[foreach]
fn butterflies(v: &mut [i64]) {
    let half = v.len() / 2;
    let (low, high) = v.split_at_mut(half);
    for i in 0..low.len() {
        let (a, b) = (low[i], high[i]);
        low[i] = a + b;
        high[i] = a - b;
    }
}

#[foreach]
fn thirds(v: &mut [i64], a: usize, b: usize) {
    let (one, rest) = v.split_at_mut(a);
    let (two, three) = rest.split_at_mut(b);
    for (o, w) in one.iter_mut().zip(two.iter()) {
        *o -= w;
    }
    for w in two {
        *w += 7;
    }
    for i in 1..three.len() {
        three[i] *= 3;
    }
}

#[kary_reduce]
fn difference_of_halves(v: &[i64], k: usize) -> i64 {
    let (left, right) = v.split_at(k);
    let mut sum = 0;
    for l in left {
        sum += l;
    }
    for r in right.iter().rev() {
        sum -= 3 * r;
    }
    sum
}

#[foreach]
fn each_of_two(x: &[i64], out: &mut [i64]) {
    out.iter_mut().zip(x).enumerate().for_each(|(i, (o, x))| {
        if *x < 0 {
            return;
        }
        *o = x + i as i64;
    });
}

#[kary_reduce]
fn sum_of_each(x: &[i64]) -> i64 {
    let mut sum = 0;
    x.iter().for_each(|v| sum += v);
    (0..x.len()).for_each(|i| {
        for k in 0..3 {
            if x[i] == k {
                return;
            }
            sum += k;
        }
        sum += 1;
    });
    sum
}

#[foreach]
fn steps_of_each(x: &mut [i64], y: &[i64], steps: usize) {
    for step in 0..steps {
        x.iter_mut().zip(y).for_each(|(x, y)| *x = *x * 3 % 1001 + y * step as i64);
    }
}

#[foreach]
fn mirrored(v: &mut [i64]) {
    let n = v.len();
    for i in 0..n / 2 {
        v.swap(i, n - 1 - i);
    }
}

#[foreach]
fn mirrored_by_hand(v: &mut [i64]) {
    let n = v.len();
    for i in 0..n / 2 {
        let held = v[i];
        v[i] = v[n - 1 - i];
        v[n - 1 - i] = held;
    }
}

#[foreach]
fn largest_of_both(x: &[f64], y: &mut [f64]) {
    for (d, s) in y.iter_mut().zip(x) {
        *d = d.max(*s);
    }
}

#[foreach]
fn rows_of_rest(x: &[i64], w: usize, out: &mut [i64]) {
    for i in 0..x.len() {
        let row = &mut out[i * w..][..w];
        for (k, o) in row.iter_mut().enumerate() {
            *o = x[i] * k as i64;
        }
    }
}

#[foreach]
fn around(x: &[i64], out: &mut [i64]) {
    let n = x.len();
    for i in 0..n {
        out[i] = x[(i + 1) % n] - x[(i + n - 1) % n];
    }
}

#[foreach]
fn partner(x: &[i64], out: &mut [i64]) {
    for i in 0..x.len() {
        out[i] = x[i] - x[i ^ 1];
    }
}

/// Three numbers of one slice as an element of another.
#[foreach]
fn points(x: &[f64], out: &mut [[f64; 3]], turned: &mut [[f64; 2]]) {
    for i in 0..out.len() {
        out[i] = std::array::from_fn(|k| x[3 * i + k]);
    }
    for (i, t) in turned.iter_mut().enumerate() {
        *t = core::array::from_fn(|k| x[3 * i + 2 - k]);
    }
}

/// Two slices in turn.
#[foreach]
fn steps_that_swap(u: &mut [f64], next: &mut [f64], steps: usize) {
    for _ in 0..steps {
        for i in 1..u.len() {
            next[i] = 0.5 * (u[i] + u[i - 1]);
        }
        u.swap_with_slice(next);
    }
    next.copy_from_slice(u);
    for i in 0..u.len() {
        u[i] += 1.0;
    }
    u.clone_from_slice(&next[..]);
}

/// Functions without a loop, which call others.
#[foreach]
fn twice(x: &[f64], out: &mut [f64]) {
    copied(x, out);
    added(x, out);
}

#[foreach]
fn back_and_forth(x: &mut [f64], out: &mut [f64], rounds: usize) {
    for _ in 0..rounds {
        copied(x, out);
        added(out, x);
    }
}

#[foreach]
fn copied(x: &[f64], out: &mut [f64]) {
    for (o, v) in out.iter_mut().zip(x) {
        *o = v / 2.0;
    }
}

#[foreach]
fn added(x: &[f64], out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] += x[i];
    }
}

#[kary_reduce]
fn root_of_squares(x: &[i64]) -> f64 {
    (squares(x) as f64).sqrt()
}

#[kary_reduce]
fn squares(x: &[i64]) -> i64 {
    x.iter().map(|v| v * v).sum()
}

/// Elements that are arrays of any length.
#[foreach]
fn reversed<const N: usize>(x: &[[f64; N]], out: &mut [[f64; N]]) {
    for i in 0..out.len() {
        for k in 0..N {
            out[i][k] = x[i][N - 1 - k];
        }
        out[i].rotate_left(1);
    }
}

/// Elements that add to both of their nodes, in rounds.
#[foreach]
fn assembled(x: &[f64], rhs: &mut [f64], force: &mut [f64], rounds: usize) {
    for _ in 0..rounds {
        for e in 0..x.len().max(2) - 2 {
            let h = 1.1 * x[e + 1] - x[e];
            rhs[e] += 0.3 * h;
            rhs[e + 2] -= 0.7 * h;
            force[e] += h;
            force[e + 1] += x[e];
        }
        for e in 0..force.len() {
            force[e] += rhs[e];
        }
    }
}

/// Both colours of a grid, in place.
#[foreach]
fn red_black(u: &mut [f64], f: &[f64], w: usize, h: usize) {
    for c in 0..2 {
        for j in 1..h.max(1) - 1 {
            for i in (1 + (j + c) % 2..w.max(1) - 1).step_by(2) {
                u[j * w + i] = 0.25
                    * (u[j * w + i - 1] + u[j * w + i + 1] + u[(j - 1) * w + i] + u[(j + 1) * w + i] - f[j * w + i]);
            }
        }
    }
}

/// A part of what is written, by a name of its own.
#[foreach]
fn inner_part(x: &[i64], out: &mut [i64], from: usize, to: usize) {
    let inner = &mut out[from..to];
    for i in 0..inner.len() {
        inner[i] += x[i];
    }
}

cases! {
    sweeps(n) {
        let (x, rhs, force) = (reals(n, 1), reals(n, 2), reals(n, 3));
        check!(assembled(&x, &mut rhs, &mut force, 2); shares x; writes rhs, force);
        let w = square(n).max(1);
        let (u, f) = (reals(w * (n / w), 1), reals(w * (n / w), 2));
        check!(red_black(&mut u, &f, w, n / w); shares f; writes u);
        let (x, out) = (integers(n, 1), integers(n, 2));
        check!(inner_part(&x, &mut out, n / 3, n - n / 4); shares x; writes out);
    }
    calls(n) {
        // The sequential functions call annotated ones, which all ranks must call.
        let (x, whole) = (reals(n, 1), integers(n, 2));
        let (mut a, mut b) = (forall::DistVec::from_global(&x), forall::DistVec::from_global(&vec![0.0; n]));
        twice(&a, &mut b);
        let expected: Vec<f64> = x.iter().map(|v| v / 2.0 + v).collect();
        compare("twice", "DistVec", &expected, &b.to_all(), 0.0);
        back_and_forth(&mut a, &mut b, 3);
        let (mut plain, mut other) = (x, expected);
        for _ in 0..3 {
            copied::sequential(&plain, &mut other);
            added::sequential(&other, &mut plain);
        }
        compare("back_and_forth", "DistVec", &(plain, other), &(a.to_all(), b.to_all()), 0.0);
        let expected = (whole.iter().map(|v| v * v).sum::<i64>() as f64).sqrt();
        compare("root_of_squares", "DistVec", &expected, &root_of_squares(&forall::DistVec::from_global(&whole)), 0.0);
    }
    long_elements(n) {
        let (x, out) = (made(n, 1, |bits| [unit(bits); 37]), made(n, 2, |bits| [unit(bits); 37]));
        check!(reversed(&x, &mut out); shares x; writes out);
    }
    points(n) {
        let (x, out, turned) = (reals(3 * n, 1), vec![[0.0; 3]; n], vec![[0.0; 2]; n]);
        check!(points(&x, &mut out, &mut turned); shares x; writes out, turned);
    }
    steps_that_swap(n) {
        let (u, next) = (reals(n, 1), reals(n, 2));
        check!(steps_that_swap(&mut u, &mut next, 3); writes u, next);
    }
    first_above(n) {
        let x = integers(n, 1);
        for limit in [-2000, 0, 995, 2000] {
            check!(first_above(&x, limit); shares x);
        }
    }
    least_and_most(n) {
        let x = integers(n, 1);
        check!(least_and_most(&x); shares x);
    }
    weighted_sum(n) {
        let table = Table::new(n);
        check!(weighted_sum(&table) within 1e-12);
        let out = reals(n, 1);
        check!(added_by_fields(&table, &mut out); writes out);
        let changed = |change: fn(&mut Table, usize)| {
            let mut table = Table::new(n);
            change(&mut table, 3);
            table.values
        };
        let (plain, annotated) = (changed(fields_in_rounds::sequential), changed(fields_in_rounds));
        compare("fields_in_rounds", "fields", &plain, &annotated, 0.0);
    }
    around_by_closures(n) {
        let w = square(n).max(1);
        let (img, out) = (singles(w * (n / w), 1), singles(w * (n / w), 2));
        check!(around_by_closures(&img, w, n / w, &mut out); shares img; writes out);
    }
    unrolled(n) {
        let (x, y) = (reals(n, 1), reals(n, 2));
        check!(unrolled(&x, &y) within 1e-12; shares x, y);
        let (x, out) = (integers(n, 1), integers(n, 2));
        check!(by_a_named_iterator(&x, &mut out); shares x; writes out);
    }
    in_turns(n) {
        let (a, b) = (reals(n, 1), reals(n, 2));
        for steps in [0, 1, 3, 4] {
            check!(in_turns(&mut a, &mut b, steps); writes a, b);
        }
    }
    from_a_copy(n) {
        let x = reals(n, 1);
        check!(from_a_copy(&mut x, 3); writes x);
    }
    taps(n) {
        let (x, w, out) = (reals(n, 1), reals(5, 2), reals(n, 3));
        check!(taps(&x, &w, &mut out); shares x; writes out);
        check!(some_taps(&x, &w, &mut out); shares x; writes out);
    }
    first_pair(n) {
        let (x, y) = (integers(n, 1), reals(n, 2));
        check!(first_pair(&x, &y, 500); shares x, y);
    }
    first_divisible(n) {
        let (x, by) = (integers(n, 1), made(n, 2, |bits| (bits % 90) as i64 + 100));
        check!(first_divisible(&x, &by, None); shares x, by);
        check!(first_divisible(&x, &by, Some(3)); shares x, by);
    }
    first_before_zero(n) {
        let (x, mut by) = (positive_integers(n), vec![2; n]);
        for (i, by) in by.iter_mut().enumerate().skip(n / 3) {
            *by = if i == n / 3 { 1 } else { 0 };
        }
        check!(first_before_zero(&x, &by); shares x, by);
    }
    last_above(n) {
        let x = integers(n, 1);
        for limit in [-2000, 0, 995, 2000] {
            check!(last_above(&x, limit); shares x);
        }
    }
    last_set(n) {
        let (x, out) = (naturals(n, 1, 1000), vec![0; n]);
        check!(last_set(&x, &mut out); shares x; writes out);
    }
    end(n) {
        let x = integers(n, 1);
        check!(end(&x); shares x);
    }
    first_so_far(n) {
        let (x, seen) = (integers(n, 1), vec![0u8; n]);
        check!(first_so_far(&x, &mut seen); shares x; writes seen);
    }
    doubled(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(doubled(&mut x, &mut out); writes x, out);
    }
    kept_beside(n) {
        let (x, kept, out) = (integers(n, 1), vec![0; n], vec![0; n]);
        check!(kept_beside(&x, &mut kept, &mut out); shares x; writes kept, out);
    }
    in_place(n) {
        let x = integers(n, 1);
        check!(in_place(&mut x); writes x);
    }
    of_points(n) {
        let (points, length) = (made(n, 1, |bits| [unit(bits), unit(bits >> 7)]), vec![0.0; n]);
        check!(of_points(&mut points, &mut length) within 1e-9; writes points, length);
    }
    halves(n) {
        let v = integers(n, 1);
        for k in [0, n / 3, n] {
            check!(halves(&mut v, k); writes v);
        }
    }
    butterflies(n) {
        let v = integers(n, 1);
        check!(butterflies(&mut v); writes v);
    }
    thirds(n) {
        let v = integers(n, 1);
        check!(thirds(&mut v, n / 3, n / 2); writes v);
    }
    difference_of_halves(n) {
        let v = integers(n, 1);
        check!(difference_of_halves(&v, n / 4); shares v);
    }
    each_of_two(n) {
        let (x, out) = (integers(n, 1), vec![5; n]);
        check!(each_of_two(&x, &mut out); shares x; writes out);
    }
    sum_of_each(n) {
        let x = integers(n, 1);
        check!(sum_of_each(&x); shares x);
    }
    steps_of_each(n) {
        let (x, y) = (integers(n, 1), integers(n, 2));
        check!(steps_of_each(&mut x, &y, 4); shares y; writes x);
    }
    mirrored(n) {
        let v = integers(n, 1);
        check!(mirrored(&mut v); writes v);
    }
    mirrored_by_hand(n) {
        let v = integers(n, 1);
        check!(mirrored_by_hand(&mut v); writes v);
    }
    largest_of_both(n) {
        let (x, y) = (reals(n, 1), reals(n, 2));
        check!(largest_of_both(&x, &mut y); shares x; writes y);
    }
    rows_of_rest(n) {
        let (x, out) = (integers(n, 1), vec![0; 3 * n]);
        check!(rows_of_rest(&x, 3, &mut out); shares x; writes out);
    }
    around(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(around(&x, &mut out); shares x; writes out);
    }
    partner(n) {
        let (x, out) = (integers(n + n % 2, 1), vec![0; n + n % 2]);
        check!(partner(&x, &mut out); shares x; writes out);
    }
}

/// In `2..1000`.
fn positive_integers(n: usize) -> Vec<i64> {
    made(n, 1, |bits| (bits % 998) as i64 + 2)
}
