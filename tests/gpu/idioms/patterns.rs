//! Patterns, where they take apart and where they choose.

use super::{N, floats, integers, words};
use forall::foreach;

#[foreach]
fn slice_else(x: &[f32], n: usize, out: &mut [f32]) {
    for i in 0..out.len() {
        let mut sum = 0.0;
        for w in x[i * n..(i + 1) * n].windows(3) {
            let [a, b, c] = w else { continue };
            sum += a - 2.0 * b + c;
        }
        for pair in x[i * n..(i + 1) * n].chunks(2) {
            if let [a, b] = pair {
                sum += a * b;
            }
            if let &[a] = pair {
                sum -= a;
            }
        }
        out[i] = sum;
    }
}

#[foreach]
fn slice_match(x: &[f32], n: usize, out: &mut [f32]) {
    for i in 0..out.len() {
        let part = &x[i * n..i * n + i % (n + 1)];
        out[i] = match part {
            [] => -1.0,
            [a] => *a,
            [a, b] if a > b => a - b,
            [first, .., last] => first * last,
        };
        if let [first, rest @ ..] = part {
            out[i] += first + rest.len() as f32 + rest.iter().sum::<f32>();
        }
        if let [.., a, b] = part {
            out[i] += a * 0.5 - b;
        }
        if let [head @ .., _] = part {
            out[i] += head.len() as f32;
        }
    }
}

#[foreach]
fn arrays(x: &[[f32; 3]], y: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        let [a, b, c] = x[i];
        let &[d, ..] = &x[i];
        let [.., e] = x[i];
        let [f, _, _] = &x[i];
        let [p, q] = [y[i], a];
        let [first, .., last] = x[i];
        out[i] = a + b * c - d + e * f + p * q + first - last;
        for &[u, v, w] in &x[..2] {
            out[i] += u * v * w;
        }
        for [u, v, _] in x[..2].iter() {
            out[i] += u - v;
        }
    }
}

#[foreach]
fn chunks(x: &mut [f32]) {
    for c in x.chunks_mut(4) {
        let [a, b, ..] = c else { continue };
        let t = *a;
        *a = *b;
        *b = t + 1.0;
    }
}

#[foreach]
fn chunks_read(x: &[f32], out: &mut [f32]) {
    for (c, o) in x.chunks(4).zip(out.iter_mut()) {
        *o = match *c {
            [a, b, c, d] => a + b + c + d,
            [a, ..] => a,
            [] => 0.0,
        };
        let &[a, b, _, _] = c else { continue };
        *o += a * b;
    }
}

#[foreach]
fn pairs(x: &[i32], y: &[i32], out: &mut [i32]) {
    for i in 0..x.len() {
        out[i] = match (x[i], y[i]) {
            (0, 0) => 1,
            (0, _) | (_, 0) => 2,
            (1..=9, 1..=9) => 3,
            (a, b) if a == b => a,
            (i32::MIN..=-1, b @ 1..) => b,
            (a @ (10 | 20 | 30), _) => -a,
            (a, ..=-1) => a * 2,
            _ => 9,
        };
        out[i] += match x[i] % 4 {
            0 | 2 => 10,
            n @ 1..=3 => n,
            n if n < 0 => -n,
            _ => unreachable!(),
        };
        match (x[i] > 0, y[i].signum()) {
            (true, 1) => out[i] += 100,
            (false, -1) => out[i] += 200,
            (true, _) => {}
            (false, _) => out[i] -= 100,
        }
    }
}

#[foreach]
fn floats_match(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = match x[i] {
            v if v.is_nan() => 0.0,
            0.0 => 5.0,
            ..-3.0 => -1.0,
            -3.0..=-1.0 => 1.0,
            v => v,
        };
    }
}

#[foreach]
fn bytes(text: &[u8], out: &mut [u8]) {
    for i in 0..text.len() {
        out[i] = match text[i] {
            b'a'..=b'z' => text[i] - b'a' + b'A',
            b'A'..=b'Z' => text[i] + 32,
            d @ b'0'..=b'9' => b'0' + (d - b'0' + 1) % 10,
            b' ' | b'\t' => b'_',
            other => other,
        };
    }
}

#[forall::device]
fn half(v: u32) -> Option<u32> {
    if v % 2 == 0 { Some(v / 2) } else { None }
}

#[foreach]
fn options(x: &[f32], #[replicated] table: &[f32], n: usize, out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = 0.0;
        if let Some(&v) = table.get(i % n) {
            out[i] += v;
        }
        if let Some(v) = table.get(i * 3) {
            out[i] += *v;
        }
        let Some(h) = half(i as u32) else { continue };
        let Some(&v) = table.get(h as usize) else {
            out[i] -= 1.0;
            continue;
        };
        out[i] += v;
        let Some(q) = half(h).filter(|&q| q > 3) else { continue };
        out[i] += match half(q) {
            Some(0) => 1.0,
            Some(v @ 1..=5) => v as f32,
            Some(v) if v > 10 => 10.0,
            Some(_) => -10.0,
            None => 0.5,
        };
        let (Some(a), Some(b)) = (table.get(i / 2), table.first()) else { continue };
        out[i] += a * b;
        if let (Some(a), None) = (table.get(0), table.get(i * 2)) {
            out[i] += a;
        }
        if let Some([a, b]) = Some([x[i], 1.0]) {
            out[i] += a + b;
        }
        if let Some((a, b)) = Some((x[i], i)).filter(|(_, i)| i % 2 == 0) {
            out[i] += a * b as f32;
        }
        if let Some(w) = table.get(1..3) {
            out[i] += w[0];
        }
        if let Some(w) = table.get(i % 20..=i / 2) {
            out[i] += w.len() as f32 - w.iter().sum::<f32>();
        }
        out[i] += table.get(i..).map_or(-3.0, |rest| rest.len() as f32);
        if let Some((first, rest)) = table[..i % 3].split_first() {
            out[i] += first * 2.0 + rest.len() as f32;
        }
        match table[..i % 4].split_last() {
            Some((last, [])) => out[i] -= last,
            Some((last, [first, ..])) => out[i] += last - first,
            None => out[i] += 7.0,
        }
    }
}

#[foreach]
fn chains(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        let v = x[i];
        out[i] = if let 0..=9 = v {
            1
        } else if let 10 | 11 = v {
            2
        } else if let Some(h) = half(v)
            && h > 100
        {
            h
        } else {
            3
        };
        let kind @ (a, b) = (v / 3, v % 3);
        if kind.0 > kind.1 {
            out[i] ^= a + b;
        }
    }
}

#[foreach]
fn cases(x: &[i32], y: &[i32], out: &mut [i32]) {
    for i in 0..x.len() {
        let (a, b) = (x[i] % 4, y[i] % 5);
        out[i] = match (a, b) {
            (0, v) | (v, 0) => v * 10,
            (1, v @ 2..) | (v, 1) if v > 1 => v * 100,
            (p, q) | (q, p) if p == q => p + 1000,
            (v, _) => v,
        };
        if let [0, v, _] | [v, 1, _] | [_, 2, v] = [a, b, x[i]] {
            out[i] += v * 7;
        }
        if matches!((a, b), (1, k) | (k, 2) if k > 0) {
            out[i] += 5;
        }
        let whole @ [first, .., last] = [a, b, a + b, 9];
        let (front, .., back) = (a, 1u8, 2u16, b);
        out[i] += whole[2] * first - last + front * back;
        while let Some(d) = a.checked_sub(out[i])
            && d > 50
            && let Some(e) = d.checked_sub(40)
        {
            out[i] += e;
            if out[i] % 3 == 0 {
                continue;
            }
            out[i] += 1;
            if out[i] > 77 {
                break;
            }
        }
        if let Some(s) = a.checked_rem(b)
            && s != 0
        {
            out[i] -= s;
        }
    }
}

#[foreach]
fn through_references(x: &mut [f32], y: &[f32]) {
    for (row, y) in x.chunks_exact_mut(4).zip(y) {
        match row {
            [a, _, _, b] if *a > 1.0 => std::mem::swap(a, b),
            [a, rest @ ..] => {
                *a += y;
                rest[0] = rest.len() as f32;
                let [_, tail @ ..] = rest else { continue };
                tail[1] -= 1.0;
            }
            [] => {}
        }
        let mut best = Some(*y);
        if let Some(v) = &mut best {
            *v *= 2.0;
        }
        let mut pair = (row[1], [1, 2]);
        match &mut pair {
            (v, [a, _]) if *v > 0.0 => {
                *v += 0.5;
                *a = 7;
            }
            (v, [.., b]) => {
                *v = 0.25;
                *b += 1;
            }
        }
        row[2] += best.unwrap_or(0.0) + pair.0 + (pair.1[0] * pair.1[1]) as f32;
        for (k, v) in row.iter_mut().enumerate() {
            *v += k as f32;
        }
    }
}

#[foreach]
fn mutable(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        let (mut a, b) = (x[i], 2.0);
        let [mut c, d] = [a, b];
        a += d;
        c *= b;
        let mut pair = (a, c);
        let (first, second) = &mut pair;
        *first += 1.0;
        *second -= *first;
        let mut all = [a, b, c];
        for v in &mut all {
            *v += 1.0;
        }
        for v in all.iter_mut() {
            *v *= 2.0;
        }
        let [p, _, q] = &mut all;
        std::mem::swap(p, q);
        out[i] = pair.0 + pair.1 + all[0] - all[2] * all[1];
    }
}

#[test]
fn slices() {
    let triples: Vec<[f32; 3]> = floats(3 * N).chunks(3).map(|c| [c[0], c[1], c[2]]).collect();
    alike! {
        slice_else(&floats(N * 5), 5) => vec![0.0; N];
        slice_match(&floats(N * 5), 5) => vec![0.0; N];
        arrays(&triples, &floats(N)) => vec![0.0; N];
        chunks() => floats(4 * N + 1);
        chunks_read(&floats(4 * N - 3)) => vec![0.0; N];
    }
    let (x, y) = (floats(N * 4), floats(N));
    let mut expected = x.clone();
    through_references::sequential(&mut expected, &y);
    let run = || {
        let mut x = x.clone();
        through_references(&mut x, &y);
        x
    };
    assert_eq!(super::told("through_references", &expected, run), None);
}

#[test]
fn choices() {
    let text: Vec<u8> = (0..=255).collect();
    alike! {
        pairs(&integers(N * 2), &integers(N * 2 + 9)[9..]) => vec![0; N * 2];
        pairs(&[0, 0, 5, 7, 12, 10, 20, -5, -7, 30], &[0, 3, 0, 7, 12, 3, -4, 6, -6, 30]) => vec![0; 10];
        floats_match(&[floats(N), vec![f32::NAN, 0.0, -0.0, -3.0, -1.0]].concat()) => vec![0.0; N + 5];
        bytes(&text) => vec![0; 256];
        options(&floats(N), &floats(17), 20) => vec![0.0; N];
        chains(&words(N)) => vec![0; N];
        mutable(&floats(N)) => vec![0.0; N];
        cases(&integers(N), &integers(N + 7)[7..]) => vec![0; N];
    }
}
