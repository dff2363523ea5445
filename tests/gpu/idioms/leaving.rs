//! Ways out of loops.

use super::{N, floats, words};
use forall::foreach;

#[foreach]
fn labels(x: &[u32], n: usize, out: &mut [u32]) {
    for i in 0..out.len() {
        let row = &x[i * n..(i + 1) * n];
        let mut sum = 0u32;
        'outer: for a in 0..n {
            for b in 0..n {
                if row[a] % 7 == 3 && b > 2 {
                    continue 'outer;
                }
                if row[a] ^ row[b] == 5 {
                    break 'outer;
                }
                if row[b] % 11 == 4 {
                    break;
                }
                sum = sum.wrapping_add(row[a] % (b as u32 + 1));
            }
            sum = sum.wrapping_add(1);
        }
        out[i] = sum;
    }
}

#[foreach]
fn values(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        let mut v = x[i] | 1;
        let steps = loop {
            v = v.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if v % 16 == 3 {
                break v >> 4;
            }
        };
        let found = 'search: {
            for k in 0..10 {
                if v >> k & 7 == 5 {
                    break 'search k;
                }
            }
            99
        };
        let pair = loop {
            v /= 3;
            if v < 100 {
                break (v, v * 2);
            }
        };
        let deep = 'deep: loop {
            let mut k = 0;
            loop {
                k += 1;
                v += k;
                if k > 20 {
                    break;
                }
                if v > 150 {
                    break 'deep v;
                }
            }
        };
        out[i] = steps ^ found ^ pair.0 ^ pair.1 ^ deep;
    }
}

#[forall::device]
fn next(v: u32) -> Option<u32> {
    if v < 2 {
        None
    } else if v % 2 == 0 {
        Some(v / 2)
    } else {
        Some(v - 1)
    }
}

#[foreach]
fn while_lets(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        let mut v = x[i];
        let mut steps = 0;
        while let Some(w) = next(v) {
            v = w;
            steps += 1;
            if steps > 40 {
                break;
            }
        }
        let mut stack = [0u32; 16];
        let mut top = 1;
        stack[0] = x[i] % 50;
        while let Some(t) = usize::checked_sub(top, 1) {
            top = t;
            let w = stack[t];
            steps += w;
            if let Some(w) = next(w).filter(|w| w % 3 != 0) {
                stack[top] = w;
                top += 1;
            }
        }
        let mut rest = x[i];
        while let d @ 1.. = rest % 10 {
            steps += d;
            rest /= 10;
        }
        out[i] = steps;
    }
}

#[foreach]
fn nested(#[replicated] x: &[f32], n: usize, out: &mut [f32]) {
    'all: for i in 0..out.len() {
        let mut sum = 0.0;
        let mut k = 0;
        'rows: while k < n {
            k += 1;
            let v = x[i * n + k - 1];
            if v < -5.5 {
                out[i] = -1.0;
                continue 'all;
            }
            for t in 0..4 {
                if v > 4.0 {
                    continue 'rows;
                }
                sum += v * t as f32;
                if sum > 50.0 {
                    break 'rows;
                }
            }
        }
        out[i] = sum;
    }
}

#[foreach]
fn found(x: &[u32], n: usize, out: &mut [u32]) {
    for i in 0..out.len() {
        let row = &x[i * n..(i + 1) * n];
        let first = 'found: {
            for (k, v) in row.iter().enumerate() {
                if v % 4 == 1 {
                    break 'found Some(k);
                }
            }
            None
        };
        let least = loop {
            let Some(v) = row.iter().min() else { break 0 };
            break *v;
        };
        out[i] = least ^ first.map_or(7, |k| k as u32);
    }
}

#[foreach]
fn stepping(x: &[u32], out: &mut [u32]) {
    for i in 0..out.len() {
        let mut all = x[i * 3..(i + 1) * 3].iter();
        while let Some(v) = all.next() {
            out[i] ^= v;
        }
    }
}

#[test]
fn ways_out() {
    alike! {
        labels(&words(N * 8), 8) => vec![0; N];
        values(&words(N)) => vec![0; N];
        while_lets(&words(N)) => vec![0; N];
        nested(&floats(N * 5), 5) => vec![0.0; N];
        found(&words(N * 6), 6) => vec![0; N];
    }
    let said = crate::common::annotated::refusal(|| stepping(&words(9)[..], &mut [0; 3][..]));
    assert!(said.is_none_or(|said| said.contains("an iterator has a name or steps by itself")));
}
