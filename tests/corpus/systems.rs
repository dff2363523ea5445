//! Variables that are computed from each other, and finite-state machines.

use crate::support::*;
use forall::{distributed_scan, kary_reduce};

/// A second-order filter.
#[distributed_scan]
fn filter(x: &[f64], out: &mut [f64]) {
    let (mut x1, mut x2, mut y1, mut y2) = (0.0, 0.0, 0.0, 0.0);
    for i in 0..x.len() {
        let y = 0.2 * x[i] + 0.4 * x1 + 0.2 * x2 + 0.5 * y1 - 0.3 * y2;
        x2 = x1;
        x1 = x[i];
        y2 = y1;
        y1 = y;
        out[i] = y;
    }
}

/// A rotation by another angle in each iteration: a complex product.
#[distributed_scan]
fn turned(x: &[f64], out: &mut [f64]) -> (f64, f64) {
    let (mut re, mut im) = (1.0f64, 0.0f64);
    for i in 0..x.len() {
        let (c, s) = (x[i].cos(), x[i].sin());
        (re, im) = (re * c - im * s, re * s + im * c);
        out[i] = re;
    }
    (re, im)
}

#[distributed_scan]
fn fibonacci(out: &mut [u64]) -> u64 {
    let (mut a, mut b) = (0u64, 1u64);
    for i in 0..out.len() {
        out[i] = a;
        let next = a.wrapping_add(b);
        a = b;
        b = next;
    }
    a
}

/// The largest sum of neighbours.
#[kary_reduce]
fn largest_subarray(x: &[i64]) -> i64 {
    let (mut here, mut best) = (0i64, i64::MIN);
    for i in 0..x.len() {
        here = (here + x[i]).max(x[i]);
        best = best.max(here);
    }
    best
}

#[distributed_scan]
fn queue(x: &[i32], out: &mut [i32]) -> i32 {
    let mut length = 0i32;
    for i in 0..x.len() {
        length = (length + x[i] - 1).clamp(0, 50);
        out[i] = length;
    }
    length
}

#[distributed_scan]
fn latched(x: &[u32], out: &mut [u32]) {
    let mut bits = 5u32;
    for i in 0..x.len() {
        bits = (bits & !x[i]) | (x[i] >> 1);
        out[i] = bits;
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Field,
    Quoted,
    Quote,
}

/// The fields and the rows of a table as comma-separated text.
#[distributed_scan]
fn fields_and_rows(text: &[u8], starts: &mut [u8]) -> (usize, usize) {
    let (mut fields, mut rows) = (0, 0);
    let mut state = State::Field;
    for i in 0..text.len() {
        let c = text[i] % 8;
        match (state, c) {
            (State::Field | State::Quote, 2) => fields += 1,
            (State::Field | State::Quote, 3) => rows += 1,
            _ => {}
        }
        starts[i] = u8::from(state != State::Quoted);
        state = match (state, c) {
            (State::Field | State::Quote, 1) => State::Quoted,
            (State::Quoted, 1) => State::Quote,
            (State::Quoted, _) => State::Quoted,
            _ => State::Field,
        };
    }
    (fields, rows)
}

cases! {
    filter(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(filter(&x, &mut out) within 1e-9; shares x; writes out);
    }
    turned(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(turned(&x, &mut out) within 1e-9; shares x; writes out);
    }
    fibonacci(n) {
        let out = vec![0; n];
        check!(fibonacci(&mut out); writes out);
    }
    largest_subarray(n) {
        let x = integers(n, 1);
        check!(largest_subarray(&x); shares x);
    }
    queue(n) {
        let (x, out) = (integers32(n, 1), vec![0; n]);
        check!(queue(&x, &mut out); shares x; writes out);
    }
    latched(n) {
        let (x, out) = (naturals(n, 1, 1000), vec![0; n]);
        check!(latched(&x, &mut out); shares x; writes out);
    }
    fields_and_rows(n) {
        let (text, starts) = (made(n, 1, |bits| bits as u8), vec![0; n]);
        check!(fields_and_rows(&text, &mut starts); shares text; writes starts);
    }
}
