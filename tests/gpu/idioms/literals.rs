//! Literals whose type only their use, or Rust's own rule, shows.

use super::{N, floats, integers, words};
use forall::{foreach, kary_reduce};

#[forall::device]
fn product(m: [[u64; 2]; 2], v: [u64; 2]) -> [u64; 2] {
    [m[0][0] * v[0] + m[0][1] * v[1], m[1][0] * v[0] + m[1][1] * v[1]]
}

#[forall::device]
fn multiplied(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
    [
        a[0].wrapping_mul(b[0]).wrapping_add(a[1].wrapping_mul(b[2])),
        a[0].wrapping_mul(b[1]).wrapping_add(a[1].wrapping_mul(b[3])),
        a[2].wrapping_mul(b[0]).wrapping_add(a[3].wrapping_mul(b[2])),
        a[2].wrapping_mul(b[1]).wrapping_add(a[3].wrapping_mul(b[3])),
    ]
}

#[foreach]
fn fibonacci(n: &[u32], out: &mut [u64]) {
    for i in 0..n.len() {
        let mut m = [1, 0, 0, 1];
        for _ in 0..n[i] {
            m = multiplied(m, [1, 1, 1, 0]);
        }
        out[i] = m[1] + product([[1, 2], [3, 4]], [5, 6])[0];
    }
}

#[forall::device]
fn scaled(x: f32, by: i16, and: (u8, f64)) -> f32 {
    x * by as f32 + and.0 as f32 * and.1 as f32
}

#[foreach]
fn arguments(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = scaled(x[i], -3, (7, 0.5)) + scaled(1.0, if i > 3 { 4 } else { -2 }, (1, 2.0));
    }
}

#[foreach]
fn counters(x: &[f32], n: usize, out: &mut [f32]) {
    for i in 0..out.len() {
        let mut seen = 0;
        let mut sum = 0.0;
        for &v in &x[i * n..(i + 1) * n] {
            seen += 1;
            if seen % 2 == 0 {
                continue;
            }
            sum += v;
        }
        out[i] = if seen > 5 { sum } else { -sum };
    }
}

#[foreach]
fn signs(x: &[i32], out: &mut [bool]) {
    for i in 0..x.len() {
        let mut depth = 0;
        for k in 0..x[i].rem_euclid(9) {
            depth += if (x[i] ^ k) & 1 == 1 { 1 } else { -1 };
        }
        out[i] = depth < 0;
    }
}

#[foreach]
fn precise(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        let mut t = 1.0;
        let mut k = 0;
        while t > 1e-12 {
            t *= 0.37;
            k += 1;
        }
        out[i] = if k == 28 { x[i] } else { t as f32 };
    }
}

#[foreach]
fn abs_of_default(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        let mut way = 1;
        if x[i] % 3 == 0 {
            way = -1;
        }
        let way = way * 3;
        out[i] = (x[i] as i32).wrapping_add(way) as u32;
    }
}

#[foreach]
fn overflowing_default(x: &[u32], out: &mut [bool]) {
    for i in 0..x.len() {
        let mut h = 7;
        for k in 0..3 {
            h = h * 31 + k;
        }
        out[i] = h as u32 > x[i];
    }
}

#[foreach]
fn shifts(x: &[u64], out: &mut [u64]) {
    for i in 0..x.len() {
        let mut by = 1;
        let mut v = x[i];
        while v > 100 {
            v >>= by;
            by += 1;
        }
        out[i] = v << 3;
    }
}

#[foreach]
fn of_arrays(#[replicated] x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        let weights = [0.25, 0.5, 0.25];
        let steps = [-1, 0, 1];
        let mut sum = 0.0;
        for (w, s) in weights.iter().zip(steps) {
            let j = i as i64 + s;
            if j >= 0 && (j as usize) < x.len() {
                sum += w * x[j as usize];
            }
        }
        out[i] = sum;
    }
}

#[forall::device]
fn polar(x: f32, y: f32) -> (f32, f32) {
    (x.hypot(y), y)
}

#[forall::device]
fn split(x: f32) -> (i16, [f64; 2]) {
    (x as i16, [f64::from(x), 0.5])
}

#[foreach]
fn parts_of_results(x: &[f32], out: &mut [bool]) {
    for i in 0..x.len() {
        let (mut r, a) = polar(x[i], 0.0);
        r *= 2.0;
        let (whole, [v, half]) = split(x[i]);
        out[i] = r > a + 1.0 && v * 2.0 < half && whole % 2 == 0;
    }
}

#[kary_reduce]
fn odd_ones(x: &[i32]) -> u64 {
    let mut count = 0;
    for i in 0..x.len() {
        let mut odd = 0;
        let mut v = x[i];
        while v != 0 {
            if v % 2 != 0 {
                odd += 1;
            }
            v /= 2;
        }
        if odd % 2 == 1 {
            count += 1;
        }
    }
    count
}

#[foreach]
fn widths(x: &[u8], out: &mut [i32]) {
    for i in 0..x.len() {
        let mut level = 0;
        let mut most = 0;
        for bit in 0..8 {
            if x[i] >> bit & 1 == 1 {
                level += 1;
                most = most.max(level);
            } else {
                level = 0;
            }
        }
        let (mut a, mut b) = (0, 1);
        for _ in 0..most {
            (a, b) = (b, a + b);
        }
        out[i] = most * 100 + a;
    }
}

#[test]
fn literals() {
    alike! {
        fibonacci(&words(N).iter().map(|w| w % 60).collect::<Vec<u32>>()) => vec![0; N];
        arguments(&floats(N)) => vec![0.0; N];
        counters(&floats(N * 5), 5) => vec![0.0; N];
        signs(&integers(N)) => vec![false; N];
        precise(&floats(N)) => vec![0.0; N];
        abs_of_default(&words(N)) => vec![0; N];
        overflowing_default(&words(N)) => vec![false; N];
        shifts(&words(N).iter().map(|&w| u64::from(w) * 77_777).collect::<Vec<u64>>()) => vec![0; N];
        of_arrays(&floats(N)) => vec![0.0; N];
        parts_of_results(&floats(N)) => vec![false; N];
        widths(&(0..N).map(|i| (i * 37) as u8).collect::<Vec<u8>>()) => vec![0; N];
    }
    let x = integers(N);
    let run = || odd_ones(&x);
    assert_eq!(super::told("odd_ones", &odd_ones::sequential(&x), run), None);
}
