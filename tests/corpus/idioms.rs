//! Spellings that differ between authors.

use crate::support::*;
use forall::{foreach, kary_reduce};

#[foreach]
fn parts_of_slices(x: &[i64], o: &mut [i64], a: usize, b: usize) {
    for (o, v) in o[a..b].iter_mut().zip(&x[a..b]) {
        *o = v + 1;
    }
}

#[kary_reduce]
fn sums_of_parts(x: &[i64], a: usize) -> i64 {
    let mut s = 0;
    for v in &x[a..] {
        s += v;
    }
    for v in x[..a].iter() {
        s -= 2 * v;
    }
    s
}

/// The loop ends at the first difference.
#[kary_reduce]
fn first_difference(x: &[i64], y: &[i64]) -> Option<usize> {
    for (i, (a, b)) in x.iter().zip(y).enumerate() {
        if a != b {
            return Some(i);
        }
    }
    None
}

/// Of numbers before a mark: their sum, how many they are, and the greatest.
#[kary_reduce]
fn totals_before(x: &[i64], mark: i64) -> (i64, usize, i64) {
    let (mut sum, mut count, mut most) = (0, 0, i64::MIN);
    for &v in x {
        if v == mark {
            break;
        }
        sum += v;
        count += 1;
        most = most.max(v);
    }
    (sum, count, most)
}

#[kary_reduce]
fn energy_before(x: &[f64], limit: f64) -> f64 {
    let mut energy = 0.0;
    for v in x {
        if *v > limit {
            break;
        }
        energy += v * v;
    }
    energy
}

/// Rows, the last may be shorter.
#[foreach]
fn rows_with_a_rest(w: usize, l: &[f64], r: &mut [f64]) {
    for (a, b) in l.chunks(w).zip(r.chunks_mut(w)) {
        let mut last = 0.0;
        for (j, v) in a.iter().enumerate() {
            last = 0.5 * last + v;
            b[j] = last;
        }
        b[0] += b.len() as f64;
    }
}

#[foreach]
fn numbered_without_end(x: &[u32], o: &mut [u32]) {
    for ((k, v), o) in (7u32..).zip(x).zip(o.iter_mut()) {
        *o = k * v;
    }
}

#[foreach]
fn pixels_of_rows(width: usize, img: &mut [u8]) {
    for (y, row) in img.chunks_mut(3 * width).enumerate() {
        for (x, px) in row.chunks_mut(3).enumerate() {
            px[0] = (x + y) as u8;
            px[px.len() - 1] = 9;
        }
    }
}

#[foreach]
fn sizes_in_an_array(x: &[f64], dims: [usize; 3], o: &mut [f64]) {
    for z in 0..dims[2] {
        for y in 0..dims[1] {
            for i in 0..dims[0] {
                let at = (z * dims[1] + y) * dims[0] + i;
                let up = if z + 1 < dims[2] { x[at + dims[0] * dims[1]] } else { x[at] };
                o[at] = 0.5 * (x[at] + up);
            }
        }
    }
}

#[foreach]
fn row_and_column_of_a_place(x: &[f64], w: usize, o: &mut [f64]) {
    for i in 0..o.len() {
        let (y, k) = (i / w, i % w);
        o[y * w + k] = x[y * w + k] + y as f64;
    }
}

macro_rules! skip_if {
    ($condition:expr) => {
        if $condition {
            continue;
        }
    };
}

#[kary_reduce]
fn continue_in_a_macro(x: &[i64]) -> i64 {
    let mut sum = 0;
    for v in x {
        skip_if!(*v % 3 == 0);
        sum += v;
    }
    sum
}

fn plain_total(x: &[f64]) -> f64 {
    x.iter().sum()
}

/// Statements outside of the loop that do with slices whatever slices can do.
#[foreach]
fn centred(x: &[f64], o: &mut [f64]) -> f64 {
    let mean = plain_total(x) / x.len() as f64;
    let most = x.iter().copied().fold(0.5, f64::max);
    let tail: f64 = x[x.len() / 2..].iter().sum();
    for i in 0..x.len() {
        o[i] = (x[i] - mean) / most;
    }
    let check: f64 = o.iter().sum();
    if let Some(last) = o.last_mut() {
        *last = check;
    }
    if o.len() > 3 {
        o[0] += tail;
        o.swap(0, 1);
    }
    o[..o.len() / 2].iter().sum::<f64>()
}

/// Parts that statements outside of loops set.
#[foreach]
fn edges(x: &[f64], o: &mut [f64]) {
    let (n, edge) = (x.len(), x.len() / 3);
    o[..edge].fill(-1.0);
    for i in edge..n - edge {
        o[i] = x[i];
    }
    o[n - edge..].copy_from_slice(&x[..edge]);
    if n > 1 {
        o[0..=1].clone_from_slice(&[x[1], 7.0]);
    }
}

#[foreach]
fn steps_that_copy_back(u: &mut [f64], next: &mut [f64], n: usize) {
    for _ in 0..n {
        for i in 1..u.len() - 1 {
            next[i] = 0.5 * (u[i - 1] + u[i + 1]);
        }
        u.copy_from_slice(next);
    }
}

#[foreach]
fn outer_product_by_items(n: usize, u: &[f64], #[replicated] v: &[f64], a: &mut [f64]) {
    for i in 0..u.len() {
        for (j, vj) in v.iter().enumerate() {
            a[i * n + j] = u[i] * vj;
        }
    }
}
#[foreach]
fn taps_by_items(x: &[f64], k: [f64; 3], o: &mut [f64]) {
    for i in 0..o.len() {
        let mut s = 0.0;
        for (j, w) in k.iter().enumerate() {
            s += w * x[i + j];
        }
        o[i] = s;
    }
}
#[foreach]
fn life_by_offsets(now: &[u8], next: &mut [u8], w: usize, h: usize) {
    for y in 0..h {
        for x in 0..w {
            let mut alive = 0;
            for dy in [h - 1, 0, 1] {
                for dx in [w - 1, 0, 1] {
                    if dy != 0 || dx != 0 {
                        alive += now[(y + dy) % h * w + (x + dx) % w];
                    }
                }
            }
            next[y * w + x] = (alive == 3 || alive == 2 && now[y * w + x] == 1) as u8;
        }
    }
}
/// Local vectors that loops of their own fill by their headers, then what reads them.
#[foreach]
fn by_weights(x: &[f64], taps: usize, out: &mut [f64]) {
    let mut weights = vec![0.0; taps];
    for (k, weight) in weights.iter_mut().enumerate() {
        *weight = 1.0 / (k + 1) as f64;
    }
    for pair in weights.chunks_mut(2) {
        pair[0] += 1.0;
    }
    for i in 0..x.len() {
        out[i] = x[i] * weights[i % taps];
    }
}

/// A row as what follows its start, up to its length.
#[foreach]
fn rows_after_their_start(u: &[f64], o: &mut [f64], w: usize, h: usize) {
    for i in 0..h {
        let row = &mut o[i * w..][..w];
        for (x, sum) in row.iter_mut().enumerate() {
            *sum = u[i * w + x] + u[i * w..][..x].iter().sum::<f64>();
        }
    }
}

/// The other one of a pair, by its bits.
#[foreach]
fn partners(u: &[i64], o: &mut [i64]) {
    for i in 0..o.len() {
        o[i] = u[i ^ 1] - u[(i | 3) - 1] + u[i ^ 6];
    }
}

/// A place that is counted on from statement to statement.
#[foreach]
fn places_in_steps(u: &[i64], o: &mut [i64]) {
    for i in 0..u.len() {
        let mut k = 3 * i;
        o[k] = u[i];
        k += 1;
        if u[i] > 0 {
            o[k] = -u[i];
        }
        k = k + 1;
        for j in 0..2 {
            o[k] += u[i] + j;
        }
    }
}

/// Points of three numbers.
#[foreach]
fn points_from_fn(x: &[f64], o: &mut [f64]) {
    for i in 0..o.len() {
        let p: [f64; 3] = std::array::from_fn(|k| x[3 * i + k]);
        o[i] = p[0] + p[1] * p[2];
    }
}

/// Another function of the name gives other numbers.
#[foreach]
fn points_from_elsewhere(x: &[f64], o: &mut [f64]) {
    fn from_fn<const N: usize>(f: impl Fn(usize) -> f64) -> [f64; N] {
        std::array::from_fn(|k| f(N - 1 - k))
    }
    for i in 0..o.len() {
        let p: [f64; 3] = from_fn(|k| x[3 * i + k]);
        o[i] = p[0] + p[1] * p[2];
    }
}

/// Taps at offsets that stand in the loop.
#[foreach]
fn taps_in_pairs(u: &[f32], o: &mut [f32], w: usize, h: usize) {
    for y in 0..h {
        for x in 0..w {
            let mut sum = 0.0;
            for (dx, c) in [(0, 0.8), (1, 0.2)] {
                for (dy, d) in [(w, c), (0, 0.5)] {
                    sum += c * d * u[y * w + x + dx + dy];
                }
            }
            o[y * w + x] = sum;
        }
    }
}

/// A row by its ends, as ranges of compressed storage are written.
#[foreach]
fn rows_by_their_ends(u: &[i64], o: &mut [i64], w: usize, h: usize) {
    for y in 0..h {
        for at in y * w..(y + 1) * w {
            o[at] = u[at] + y as i64;
        }
        for at in (y * w..y * w + w).step_by(2) {
            o[at] -= u[at / 2];
        }
    }
}

/// Buffers that are declared together.
#[foreach]
fn two_buffers(u: &[i64], o: &mut [i64], w: usize, h: usize) {
    let (mut sums, mut products) = (vec![0; w], vec![1; w]);
    for y in 0..h {
        for x in 0..w {
            sums[x] = u[y * w + x] + x as i64;
            products[x] = u[y * w + x] * 3;
        }
        for x in 0..w {
            o[y * w + x] = sums[w - 1 - x] - products[x];
        }
    }
}

cases! {
    rows_after_their_start(n) {
        let (w, h) = (square(n), square(n) + 1);
        let (u, o) = (reals(w * h, 1), vec![0.0; w * h]);
        check!(rows_after_their_start(&u, &mut o, w, h); shares u; writes o);
    }
    partners(n) {
        let (u, o) = (integers((n + 8) / 8 * 8, 1), vec![0; n]);
        check!(partners(&u, &mut o); shares u; writes o);
    }
    places_in_steps(n) {
        let (u, o) = (integers(n, 1), integers(3 * n, 2));
        check!(places_in_steps(&u, &mut o); shares u; writes o);
    }
    points_from_fn(n) {
        let (x, o) = (reals(3 * n, 1), vec![0.0; n]);
        check!(points_from_fn(&x, &mut o); shares x; writes o);
        check!(points_from_elsewhere(&x, &mut o); shares x; writes o);
    }
    taps_in_pairs(n) {
        let (w, h) = (square(n), square(n) + 1);
        let (u, o) = (singles(w * h + w + 1, 1), vec![0.0; w * h]);
        check!(taps_in_pairs(&u, &mut o, w, h); shares u; writes o);
    }
    rows_by_their_ends(n) {
        let (w, h) = (square(n) + 1, square(n));
        let (u, o) = (integers(w * h, 1), vec![0; w * h]);
        check!(rows_by_their_ends(&u, &mut o, w, h); shares u; writes o);
    }
    two_buffers(n) {
        let (w, h) = (square(n) + 1, square(n));
        let (u, o) = (integers(w * h, 1), vec![0; w * h]);
        check!(two_buffers(&u, &mut o, w, h); shares u; writes o);
    }
    by_weights(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(by_weights(&x, 3, &mut out); shares x; writes out);
    }
    parts_of_slices(n) {
        let (x, o) = (integers(n, 1), integers(n, 2));
        let (a, b) = (n / 5, n - n / 7);
        check!(parts_of_slices(&x, &mut o, a, b); shares x; writes o);
    }
    sums_of_parts(n) {
        let x = integers(n, 1);
        check!(sums_of_parts(&x, n / 3); shares x);
    }
    first_difference(n) {
        for at in [0, n / 3, n.saturating_sub(1), n] {
            let (x, mut y) = (integers(n, 1), integers(n, 1));
            if let Some(other) = y.get_mut(at) {
                *other += 1;
            }
            check!(first_difference(&x, &y); shares x, y);
        }
    }
    totals_before(n) {
        for at in [0, n / 2, n.saturating_sub(1), n] {
            let mut x = integers(n, 1);
            if let Some(mark) = x.get_mut(at) {
                *mark = 1_000_000;
            }
            check!(totals_before(&x, 1_000_000); shares x);
        }
    }
    energy_before(n) {
        for at in [n / 3, n] {
            let mut x = reals(n, 1);
            if let Some(end) = x.get_mut(at) {
                *end = 1e6;
            }
            check!(energy_before(&x, 1e5) within 1e-12; shares x);
        }
    }
    rows_with_a_rest(n) {
        for w in [1, 3, 64] {
            let (l, r) = (reals(n, 1), reals(n, 2));
            check!(rows_with_a_rest(w, &l, &mut r); shares l; writes r);
        }
    }
    numbered_without_end(n) {
        let (x, o) = (naturals(n, 1, 1000), naturals(n, 2, 10));
        check!(numbered_without_end(&x, &mut o); shares x; writes o);
    }
    pixels_of_rows(n) {
        for width in [1, 5] {
            let img = vec![0u8; n];
            check!(pixels_of_rows(width, &mut img); writes img);
        }
    }
    sizes_in_an_array(n) {
        let side = cube(n);
        let dims = [side, side + 1, side + 2];
        let len = dims.iter().product();
        let (x, o) = (reals(len, 1), reals(len, 2));
        check!(sizes_in_an_array(&x, dims, &mut o); shares x; writes o);
    }
    row_and_column_of_a_place(n) {
        let (x, o) = (reals(n, 1), reals(n, 2));
        check!(row_and_column_of_a_place(&x, 7, &mut o); shares x; writes o);
    }
    continue_in_a_macro(n) {
        let x = integers(n, 1);
        check!(continue_in_a_macro(&x); shares x);
    }
    centred(n) {
        let (x, o) = (reals(n, 1), reals(n, 2));
        check!(centred(&x, &mut o); shares x; writes o);
    }
    edges(n) {
        let (x, o) = (reals(n, 1), vec![0.0; n]);
        check!(edges(&x, &mut o); shares x; writes o);
    }
    steps_that_copy_back(n) {
        let (u, next) = (reals(n + 1, 1), reals(n + 1, 1));
        check!(steps_that_copy_back(&mut u, &mut next, 3); writes u, next);
    }
    outer_product_by_items(n) {
        let (u, v, a) = (reals(n, 1), reals(3, 2), reals(3 * n, 3));
        check!(outer_product_by_items(3, &u, &v, &mut a); shares u; writes a);
    }
    taps_by_items(n) {
        let (x, o) = (reals(n + 2, 1), reals(n, 2));
        check!(taps_by_items(&x, [1.0, 2.0, 4.0], &mut o); shares x; writes o);
    }
    life_by_offsets(n) {
        let (w, h) = (square(n) + 1, square(n) + 2);
        let (now, next) = (made(w * h, 1, |bits| (bits % 3 == 0) as u8), vec![0u8; w * h]);
        check!(life_by_offsets(&now, &mut next, w, h); shares now; writes next);
    }
}
