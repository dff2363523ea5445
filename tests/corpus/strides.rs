//! Strides and places that hold a division, a remainder or the lesser of two numbers.

use crate::support::*;
use forall::{distributed_scan, foreach, kary_reduce};

// Rows of the new array are as long as the loop inside says.

#[foreach]
fn halved(u: &[u32], o: &mut [u32], w: usize, h: usize) {
    for y in 0..h / 2 {
        for x in 0..w / 2 {
            let at = 2 * y * w + 2 * x;
            o[y * (w / 2) + x] = (u[at] + u[at + 1] + u[at + w] + u[at + w + 1]) / 4;
        }
    }
}

#[foreach]
fn every_second(u: &[u32], o: &mut [u32], w: usize, h: usize) {
    for y in 0..h >> 1 {
        for x in 0..w >> 1 {
            o[y * (w >> 1) + x] = u[2 * y * w + 2 * x];
        }
    }
}

#[foreach]
fn every_second_with_the_last(u: &[u32], o: &mut [u32], w: usize, h: usize) {
    for y in 0..h.div_ceil(2) {
        for x in 0..w.div_ceil(2) {
            o[y * w.div_ceil(2) + x] = u[2 * y * w + 2 * x];
        }
    }
}

#[foreach]
fn first_columns(u: &[u32], o: &mut [u32], w: usize, h: usize) {
    for y in 0..h {
        for x in 0..w.min(3) {
            o[y * w.min(3) + x] = u[y * w + x];
        }
    }
}

#[foreach]
fn inner_columns(u: &[u32], o: &mut [u32], w: usize, h: usize) {
    for y in 0..h {
        for x in 0..w.saturating_sub(2) {
            o[y * w.saturating_sub(2) + x] = u[y * w + x + 1];
        }
    }
}

#[foreach]
fn last_columns(u: &[u32], o: &mut [u32], w: usize, h: usize) {
    for y in 0..h {
        for x in 0..w % 4 {
            o[y * (w % 4) + x] = u[(y + 1) * w - w % 4 + x];
        }
    }
}

#[foreach]
fn halves_exchanged(o: &mut [u32]) {
    let n = o.len();
    for i in 0..n / 2 {
        let t = o[i];
        o[i] = o[i + n / 2];
        o[i + n / 2] = t;
    }
}

// One number counts, and is taken apart again.

#[foreach]
fn transposed(u: &[u32], o: &mut [u32], w: usize, h: usize) {
    for i in 0..w * h {
        let (x, y) = (i % w, i / w);
        o[x * h + y] = u[y * w + x];
    }
}

#[foreach]
fn turned(u: &[u32], o: &mut [u32], w: usize, h: usize) {
    for i in 0..h * w {
        let x = i % w;
        let y = i / w;
        o[x * h + (h - 1 - y)] += u[i];
    }
}

#[foreach]
fn mirrored(u: &[u32], o: &mut [u32], w: usize) {
    for i in 0..u.len() {
        let (x, y) = (i % w, i / w);
        o[y * w + (w - 1 - x)] = u[i];
    }
}

#[foreach]
fn upside_down(u: &[u32], o: &mut [u32], w: usize, h: usize) {
    for i in 0..w * h {
        let (x, y) = (i % w, i / w);
        o[(h - 1 - y) * w + x] = u[i];
    }
}

#[foreach]
fn first_half_transposed(u: &[u32], o: &mut [u32], w: usize, h: usize) {
    for i in 0..(w / 2) * h {
        let (x, y) = (i % (w / 2), i / (w / 2));
        o[x * h + y] = u[y * w + x];
    }
}

/// The length of what is written, in the place to write at.
#[foreach]
fn from_the_end(u: &[u32], o: &mut [u32]) {
    for i in 0..u.len() {
        o[o.len() - 1 - i] = u[i];
    }
}

#[foreach]
fn both_halves(u: &[u32], o: &mut [u32]) {
    for i in 0..o.len() / 2 {
        o[i] = u[i];
        o[i + o.len() / 2] += 2 * u[i];
    }
}

#[distributed_scan]
fn totals_from_the_end(u: &[u32], o: &mut [u32]) -> u32 {
    let mut sum = 0;
    for i in 0..u.len() {
        sum += u[i];
        o[o.len() - 1 - i] = sum;
    }
    sum
}

// Loops that count by `while` with a step that is known when they are called, downwards, and through another variable.

#[foreach]
fn every(x: &[f64], out: &mut [f64], first: usize, step: usize) {
    let mut i = first;
    while i < out.len() {
        out[i] = 2.0 * x[i];
        i += step;
    }
}

#[kary_reduce]
fn sum_of_every(x: &[u32], inc: usize) -> (u32, usize) {
    let (mut sum, n) = (0, x.len());
    let mut i = inc;
    while i <= n {
        sum += x[i - 1];
        i = i + inc;
    }
    (sum, n)
}

#[kary_reduce]
fn signed_steps(x: &[u32], n: i32, inc: i32) -> u32 {
    let mut sum = 0;
    let mut i = 0;
    while i < n {
        sum += x[i as usize];
        i += inc;
    }
    sum
}

#[foreach]
fn down_to_zero(x: &[u32], out: &mut [u32], n: i64) {
    let mut i = n - 1;
    while i >= 0 {
        out[i as usize] = x[i as usize] + 1;
        i -= 1;
    }
}

#[foreach]
fn down_by_two(x: &[u32], out: &mut [u32], n: i32) {
    let mut i = n - 1;
    while i > -1 {
        out[i as usize] = x[i as usize] + 1;
        i -= 2;
    }
}

/// As the kernel s128 of TSVC.
#[foreach]
fn through_another(a: &mut [f64], b: &[f64], c: &[f64], d: &[f64], next: &mut [f64]) {
    let mut j = 0;
    let mut k: usize;
    for i in 0..a.len() / 2 {
        k = j + 1;
        a[i] = b[k] - d[i];
        j = k + 1;
        next[k] = a[i] + c[k];
    }
}

#[foreach]
fn pairs(x: &[f64], out: &mut [f64], gap: usize) {
    let mut j = 0;
    for i in 0..out.len() / (gap + 1) {
        let k = j + gap;
        out[j] = x[i];
        out[k] = -x[i];
        j = k + 1;
    }
}

cases! {
    by_a_variable(n) {
        let (x, out) = (reals(n, 3), reals(n, 4));
        for (first, step) in [(0, 1), (1, 3), (n / 2, 2), (n, 0), (0, n + 1)] {
            check!(every(&x, &mut out, first, step); shares x; writes out);
        }
        let x = naturals(n, 1, 1000);
        for inc in [1, 2, 5, n + 1] {
            check!(sum_of_every(&x, inc); shares x);
            check!(signed_steps(&x, n as i32, inc as i32); shares x);
        }
        let out = naturals(n, 2, 1000);
        check!(down_to_zero(&x, &mut out, n as i64); shares x; writes out);
        check!(down_by_two(&x, &mut out, n as i32); shares x; writes out);
    }
    through_another(n) {
        let (a, b, c, d, next) = (reals(n, 1), reals(n, 2), reals(n, 3), reals(n, 4), reals(n, 5));
        check!(through_another(&mut a, &b, &c, &d, &mut next); shares b, c, d; writes a, next);
        for gap in [1, 2] {
            check!(pairs(&b, &mut next, gap); shares b; writes next);
        }
    }
    from_the_end(n) {
        let (u, o) = (naturals(n, 1, 1000), naturals(n, 2, 1000));
        check!(from_the_end(&u, &mut o); shares u; writes o);
    }
    both_halves(n) {
        let (u, o) = (naturals(n, 1, 1000), naturals(n, 2, 1000));
        check!(both_halves(&u, &mut o); shares u; writes o);
    }
    totals_from_the_end(n) {
        let (u, o) = (naturals(n, 1, 1000), naturals(n, 2, 1000));
        check!(totals_from_the_end(&u, &mut o); shares u; writes o);
    }
    halved(n) {
        for (w, h) in sides(n) {
            let (u, o) = (naturals(w * h, 1, 1000), naturals(w * h, 2, 1000));
            check!(halved(&u, &mut o, w, h); shares u; writes o);
        }
    }
    every_second(n) {
        for (w, h) in sides(n) {
            let (u, o) = (naturals(w * h, 1, 1000), naturals(w * h, 2, 1000));
            check!(every_second(&u, &mut o, w, h); shares u; writes o);
        }
    }
    every_second_with_the_last(n) {
        for (w, h) in sides(n) {
            let (u, o) = (naturals(w * h, 1, 1000), naturals(w * h, 2, 1000));
            check!(every_second_with_the_last(&u, &mut o, w, h); shares u; writes o);
        }
    }
    first_columns(n) {
        for (w, h) in sides(n) {
            let (u, o) = (naturals(w * h, 1, 1000), naturals(w * h, 2, 1000));
            check!(first_columns(&u, &mut o, w, h); shares u; writes o);
        }
    }
    inner_columns(n) {
        for (w, h) in sides(n) {
            let (u, o) = (naturals(w * h, 1, 1000), naturals(w * h, 2, 1000));
            check!(inner_columns(&u, &mut o, w, h); shares u; writes o);
        }
    }
    last_columns(n) {
        for (w, h) in sides(n) {
            let (u, o) = (naturals(w * h, 1, 1000), naturals(w * h, 2, 1000));
            check!(last_columns(&u, &mut o, w, h); shares u; writes o);
        }
    }
    transposed(n) {
        for (w, h) in sides(n) {
            let (u, o) = (naturals(w * h, 1, 1000), naturals(w * h, 2, 1000));
            check!(transposed(&u, &mut o, w, h); shares u; writes o);
        }
    }
    turned(n) {
        for (w, h) in sides(n) {
            let (u, o) = (naturals(w * h, 1, 1000), naturals(w * h, 2, 1000));
            check!(turned(&u, &mut o, w, h); shares u; writes o);
        }
    }
    upside_down(n) {
        for (w, h) in sides(n) {
            let (u, o) = (naturals(w * h, 1, 1000), naturals(w * h, 2, 1000));
            check!(upside_down(&u, &mut o, w, h); shares u; writes o);
        }
    }
    first_half_transposed(n) {
        for (w, h) in sides(n) {
            let (u, o) = (naturals(w * h, 1, 1000), naturals(w * h, 2, 1000));
            check!(first_half_transposed(&u, &mut o, w, h); shares u; writes o);
        }
    }
    halves_exchanged(n) {
        let o = naturals(n, 1, 1000);
        check!(halves_exchanged(&mut o); writes o);
    }
    mirrored(n) {
        for (w, h) in sides(n) {
            let (u, o) = (naturals(w * h, 1, 1000), naturals(w * h, 2, 1000));
            check!(mirrored(&u, &mut o, w); shares u; writes o);
        }
    }
}

/// Rectangles of about `n` elements: low, square and high ones, of even and odd sides.
fn sides(n: usize) -> [(usize, usize); 4] {
    let side = square(n);
    [(side, side), (side + 1, side), (side.min(3), n / 3), (n / 2, side.min(2))]
}
