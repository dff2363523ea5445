//! Variables and buffers that are declared before a loop, and that each iteration sets before it reads them.

// The values before the loops are never read.
#![allow(unused_assignments)]

use crate::support::*;
use forall::{distributed_scan, foreach, foreach_tls, kary_reduce};

#[kary_reduce]
fn squares_in_blocks(u: &[i64], n: usize) -> i64 {
    let mut temp;
    let mut sum = 0;
    for i in 0..u.len() / n {
        for j in 0..n {
            temp = u[i * n + j];
            sum = sum + temp * temp;
        }
    }
    sum
}

/// The private variable is an index, as in C.
#[foreach]
fn reversed_blocks(x: &[i64], out: &mut [i64]) {
    let mut from;
    for i in 0..x.len() / 4 {
        for j in 0..4 {
            from = 4 * i + j;
            out[from] = 3 * x[from] - 1;
        }
    }
}

#[foreach]
fn of_three_kinds(x: &[i64], out: &mut [i64]) {
    let mut t;
    for i in 0..x.len() {
        match x[i] % 3 {
            0 => t = x[i],
            1 | -1 => {
                t = 1;
                t += x[i];
            }
            _ => continue,
        }
        out[i] = t * 2;
    }
}

#[foreach]
fn of_both_arms(x: &[f32], out: &mut [f32]) {
    let mut t = 0.0;
    for i in 0..x.len() {
        if x[i] > 0.25 {
            t = x[i] * 2.0;
        } else {
            t = 0.5;
            t -= x[i];
        }
        out[i] = t + 1.0;
    }
}

#[derive(Clone, Copy)]
struct Range {
    low: f32,
    high: f32,
}

#[foreach]
fn of_several_parts(x: &[f32], out: &mut [f32]) {
    let (mut pair, mut three) = ((0.0, 0.0), [0.0; 3]);
    let mut range = Range { low: 0.0, high: 0.0 };
    for i in 1..x.len() {
        pair = (x[i], x[i - 1]);
        three = [pair.0, pair.1, 0.5];
        range = Range { low: pair.0.min(pair.1), high: pair.0.max(pair.1) };
        three[2] += range.high - range.low;
        pair.0 *= 2.0;
        range.low += 0.25;
        out[i] = pair.0 + three[2] * three[1] - range.low;
    }
}

/// The type of the constants is that of the variable outside of the loop.
#[foreach]
fn of_the_outer_type(x: &[u32], out: &mut [u32]) {
    let mut t = 0u8;
    for i in 0..x.len() {
        t = 200;
        t = t.wrapping_add(100);
        out[i] = x[i].wrapping_add(u32::from(t)) ^ t.leading_zeros();
    }
}

#[foreach]
fn in_steps(x: &mut [i64], y: &mut [i64], steps: usize) {
    let mut t;
    for _ in 0..steps {
        for i in 1..x.len().max(1) - 1 {
            t = x[i - 1] + x[i + 1];
            y[i] = t / 2;
        }
        for i in 0..x.len() {
            t = y[i];
            x[i] = t;
        }
    }
}

#[distributed_scan]
fn running(x: &[i64], out: &mut [i64]) {
    let mut t = 0;
    let mut sum = 0;
    for i in 0..x.len() {
        for j in 1..3 {
            t = x[i] * j;
            sum += t;
        }
        out[i] = sum;
    }
}

#[foreach_tls]
fn kept(x: &[i64], out: &mut Vec<i64>) {
    let mut t;
    for &v in x {
        t = v * 3;
        t += 1;
        if t % 2 == 0 {
            out.push(t);
        }
    }
}

/// The variable has no `Clone` and no `Default`.
struct Parsed(Vec<i64>);

impl Drop for Parsed {
    fn drop(&mut self) {
        self.0.clear();
    }
}

#[foreach]
fn dropped(x: &[i64], out: &mut [i64]) {
    let mut parsed = Parsed(Vec::new());
    for i in 0..x.len() {
        parsed = Parsed(vec![x[i]; 3]);
        parsed.0.push(i as i64);
        out[i] = parsed.0.iter().sum();
    }
}

fn draw(n: usize, seed: &mut u64, x: &mut [f64]) {
    for v in x.iter_mut().take(n) {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *v += (*seed >> 40) as f64 / 16_777_216.0;
    }
}

/// A Monte Carlo kernel.
#[kary_reduce]
fn samples(n: usize, length: usize) -> (f64, u64) {
    let mut x = vec![0.0; length];
    let (mut s, mut count) = (0.0, 0u64);
    for k in 0..n {
        let mut t = k as u64;
        x.fill(0.0);
        draw(length, &mut t, &mut x);
        for i in 0..length {
            s += 2.0 * x[i];
            if x[i] > 0.5 {
                count += 1;
            }
        }
    }
    (s, count)
}

#[foreach]
fn smoothed_samples(out: &mut [f64], length: usize) {
    let mut x = vec![0.0; length];
    for k in 0..out.len() {
        let mut t = k as u64;
        for (j, v) in x.iter_mut().enumerate() {
            *v = j as f64;
        }
        draw(length, &mut t, &mut x);
        out[k] = x.iter().sum();
    }
}

fn grow(x: &mut Vec<i64>, v: i64) {
    x.push(v);
    x.iter_mut().for_each(|e| *e += v);
}

#[kary_reduce]
fn grown(v: &[i64]) -> i64 {
    let mut x = Vec::new();
    let mut s = 0;
    for k in 0..v.len() {
        x.resize(3 + k % 4, 0);
        x.fill(1);
        grow(&mut x, v[k]);
        s += x.iter().sum::<i64>();
    }
    s
}

cases! {
    squares_in_blocks(n) {
        let u = integers(n, 1);
        check!(squares_in_blocks(&u, 3); shares u);
    }
    reversed_blocks(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(reversed_blocks(&x, &mut out); shares x; writes out);
    }
    of_three_kinds(n) {
        let (x, out) = (integers(n, 1), vec![5; n]);
        check!(of_three_kinds(&x, &mut out); shares x; writes out);
    }
    of_both_arms(n) {
        let (x, out) = (singles(n, 1), vec![5.0; n]);
        check!(of_both_arms(&x, &mut out); shares x; writes out);
    }
    of_several_parts(n) {
        let (x, out) = (singles(n, 1), vec![5.0; n]);
        check!(of_several_parts(&x, &mut out); shares x; writes out);
    }
    of_the_outer_type(n) {
        let (x, out) = (made(n, 1, |bits| bits as u32), vec![5; n]);
        check!(of_the_outer_type(&x, &mut out); shares x; writes out);
    }
    in_steps(n) {
        let (x, y) = (integers(n, 1), integers(n, 2));
        check!(in_steps(&mut x, &mut y, 3); writes x, y);
    }
    running(n) {
        let (x, out) = (integers(n, 1), vec![5; n]);
        check!(running(&x, &mut out); shares x; writes out);
    }
    kept(n) {
        let (x, out) = (integers(n, 1), Vec::new());
        check!(kept(&x, &mut out); shares x; writes out);
    }
    dropped(n) {
        let (x, out) = (integers(n, 1), vec![5; n]);
        check!(dropped(&x, &mut out); shares x; writes out);
    }
    samples(n) {
        check!(samples(n, 7) within 1e-9);
        check!(samples(n, 0) within 1e-9);
    }
    smoothed_samples(n) {
        let out = vec![5.0; n];
        check!(smoothed_samples(&mut out, 9); writes out);
    }
    grown(n) {
        let v = integers(n, 1);
        check!(grown(&v); shares v);
    }
}
