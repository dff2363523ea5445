//! Forms of bodies, one at a time.

use crate::support::*;
use forall::foreach;

/// `continue`, inner `loop` with `break` and a value, inner `while`, a label inside.
#[foreach]
fn collatz(x: &[u64], steps: &mut [u32]) {
    for i in 0..x.len() {
        if x[i] == 0 {
            steps[i] = 0;
            continue;
        }
        let mut v = x[i];
        let mut count = 0;
        steps[i] = loop {
            if v == 1 {
                break count;
            }
            while v % 2 == 0 {
                v /= 2;
                count += 1;
            }
            if v != 1 {
                v = 3 * v + 1;
                count += 1;
            }
        };
    }
}

/// A label on an inner loop, which stays inside the iteration.
#[foreach]
fn inner_label(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        let mut found = 0;
        'search: for a in 1..20u32 {
            for b in a..20 {
                if a * a + b * b == x[i] {
                    found = a * 100 + b;
                    break 'search;
                }
            }
        }
        out[i] = found;
    }
}

/// Shadowing, a local array, tuples, `if let`, a cast that wraps.
#[foreach]
fn mixed_body(x: &[i32], out: &mut [i32]) {
    for i in 0..x.len() {
        let x = x[i];
        let digits = [x % 10, x / 10 % 10, x / 100 % 10];
        let (mut sum, mut product) = (0, 1);
        for d in digits {
            sum += d;
            product *= d.max(1);
        }
        let small = if let 0..=9 = x { 1 } else { 0 };
        let byte = i as u8 as i32;
        out[i] = sum * 1000 + product + small + byte;
    }
}

fn spread(v: f64, by: f64) -> f64 {
    let mut r = v;
    for _ in 0..3 {
        r = r * by + v;
    }
    r
}

/// Calls of a function, a closure and a constant.
#[foreach]
fn calls(x: &[f64], out: &mut [f64]) {
    const BY: f64 = 0.75;
    let square = |v: f64| v * v;
    for i in 0..x.len() {
        let half = |v: f64| v / 2.0;
        out[i] = half(square(spread(x[i], BY)));
    }
}

/// An element is read and written several times in one iteration.
#[foreach]
fn read_after_write(x: &mut [f64], y: &mut [f64]) {
    for i in 0..x.len() {
        x[i] += 1.0;
        y[i] = x[i] * 2.0;
        x[i] = y[i] - x[i];
        if x[i] > 1.5 {
            y[i] = -y[i];
        }
    }
}

/// A scratch variable of the function, written before it is read in each iteration.
#[foreach]
fn outer_scratch(x: &[f64], y: &mut [f64]) {
    let mut t;
    for i in 0..x.len() {
        t = x[i] * 3.0;
        t = t - 1.0;
        y[i] = t * t;
    }
}

/// A scratch array of the function.
#[foreach]
fn scratch_array(x: &[i64], y: &mut [i64]) {
    let mut powers = [0i64; 4];
    for i in 0..x.len() {
        powers[0] = 1;
        for k in 1..4 {
            powers[k] = powers[k - 1] * (x[i] % 100);
        }
        y[i] = powers[3] - powers[2] + powers[1] - powers[0];
    }
}

/// Conditional writes leave the other elements alone.
#[foreach]
fn conditional_write(x: &[i32], y: &mut [i32]) {
    for i in 0..x.len() {
        if x[i] > 0 {
            y[i] = x[i];
        } else if x[i] % 2 == 0 {
            y[i] -= 1;
        }
    }
}

/// Output of one loop is input to the next at shifted places.
#[foreach]
fn chained_stencils(x: &[f64], a: &mut [f64], b: &mut [f64]) {
    let n = x.len();
    for i in 2..n - 2 {
        a[i] = x[i - 2] + x[i + 2];
    }
    for i in 4..n - 4 {
        b[i] = a[i - 2] - a[i + 2];
    }
}

cases! {
    collatz(n) {
        let (x, steps) = (made(n, 1, |bits| bits % 10_000), vec![0; n]);
        check!(collatz(&x, &mut steps); shares x; writes steps);
    }
    inner_label(n) {
        let (x, out) = (naturals(n, 1, 800), vec![0; n]);
        check!(inner_label(&x, &mut out); shares x; writes out);
    }
    mixed_body(n) {
        let (x, out) = (integers32(n, 1), vec![0; n]);
        check!(mixed_body(&x, &mut out); shares x; writes out);
    }
    calls(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(calls(&x, &mut out); shares x; writes out);
    }
    read_after_write(n) {
        let (x, y) = (reals(n, 1), vec![0.0; n]);
        check!(read_after_write(&mut x, &mut y); writes x, y);
    }
    outer_scratch(n) {
        let (x, y) = (reals(n, 1), vec![0.0; n]);
        check!(outer_scratch(&x, &mut y); shares x; writes y);
    }
    scratch_array(n) {
        let (x, y) = (integers(n, 1), vec![0; n]);
        check!(scratch_array(&x, &mut y); shares x; writes y);
    }
    conditional_write(n) {
        let (x, y) = (integers32(n, 1), integers32(n, 2));
        check!(conditional_write(&x, &mut y); shares x; writes y);
    }
    chained_stencils(n) {
        let n = n.max(4);
        let (x, a, b) = (reals(n, 1), vec![0.0; n], vec![0.0; n]);
        check!(chained_stencils(&x, &mut a, &mut b); shares x; writes a, b);
    }
}
