//! Methods of numbers and of arrays.

use super::{N, floats, integers, words};
use forall::foreach;

#[foreach]
fn searched(x: &[f32], #[replicated] edges: &[f32], out: &mut [usize]) {
    for i in 0..x.len() {
        out[i] = edges.partition_point(|&e| e <= x[i]);
        out[i] += 100 * edges[1..].partition_point(|e| *e < x[i]);
    }
}

#[foreach]
fn found(x: &[i32], #[replicated] sorted: &[i32], out: &mut [usize]) {
    for i in 0..x.len() {
        if sorted.binary_search(&x[i]).is_ok() {
            out[i] += 1000;
        }
        out[i] += sorted.binary_search(&(x[i] * 2)).unwrap_or_else(|e| e);
        out[i] += sorted.binary_search(&(x[i] * 3)).unwrap_or(7);
        match sorted.binary_search(&(x[i] + 1)) {
            Ok(k) => out[i] += k * 2,
            Err(k) => out[i] += k,
        }
        if let Ok(k) = sorted.binary_search(&(x[i] - 1)) {
            out[i] += k;
        }
        if sorted.binary_search_by(|v| v.cmp(&(x[i] / 2))).is_err() {
            out[i] += 5;
        }
        out[i] += sorted.binary_search_by_key(&(x[i] - 5), |&v| v - 5).unwrap_or_else(|k| k + 1);
    }
}

#[foreach]
fn roots(x: &[u32], y: &[u64], z: &[i32], out: &mut [u64]) {
    for i in 0..x.len() {
        out[i] = x[i].isqrt() as u64 + y[i].isqrt() + (z[i].unsigned_abs() as i32).isqrt() as u64;
        out[i] += (x[i] | 1).ilog10() as u64 * 1000 + (y[i] | 1).ilog10() as u64 * 10 + (x[i] | 1).ilog(3) as u64;
        out[i] += x[i].checked_ilog2().unwrap_or(77) as u64 + z[i].checked_ilog10().map_or(0, u64::from);
        out[i] += (i as usize).isqrt() as u64 + u64::from((i + 1).ilog2());
    }
}

#[foreach]
fn multiples(x: &[u32], y: &[i32], out: &mut [u32]) {
    for i in 0..x.len() {
        let a = x[i] >> 8;
        out[i] = a.next_multiple_of(12) ^ a.div_ceil(7) ^ a.abs_diff(1000);
        out[i] ^= y[i].abs_diff(-3) + y[i].rem_euclid(7) as u32 + y[i].div_euclid(7).unsigned_abs();
        out[i] ^= u32::midpoint(x[i], a) ^ x[i].midpoint(77);
        out[i] ^= y[i].midpoint(8) as u32;
        if a % 3 == 0 {
            out[i] ^= a.checked_next_multiple_of(5).unwrap_or(1) ^ a.checked_next_power_of_two().unwrap_or(2);
        }
        out[i] ^= x[i].trailing_ones() + x[i].leading_ones() * 7;
        out[i] ^= (y[i].checked_abs().unwrap_or(4) + y[i].checked_rem_euclid(4).unwrap_or(5)) as u32;
        out[i] ^= a.checked_sub(700).unwrap_or_default() ^ a.checked_add_signed(-9).unwrap_or(9);
        out[i] ^= a.saturating_add_signed(y[i]) ^ a.wrapping_add_signed(y[i]);
        out[i] ^= x[i].cast_signed().unsigned_abs() ^ y[i].cast_unsigned();
        out[i] ^= y[i].checked_div_euclid(3).unwrap_or(0) as u32;
    }
}

#[foreach]
fn saturating(x: &[i32], y: &[i8], out: &mut [i32]) {
    for i in 0..x.len() {
        out[i] = x[i].saturating_pow(3) ^ x[i].saturating_neg() ^ x[i].saturating_abs();
        out[i] ^= (y[i].saturating_add(100) as i32) << 8 ^ y[i].saturating_sub(100) as i32;
        out[i] ^= y[i].saturating_mul(3) as i32 ^ i32::from(y[i].saturating_pow(2)) << 4;
        out[i] ^= x[i].saturating_div(3) ^ i32::from(y[i].saturating_neg());
        out[i] ^= x[i].wrapping_pow(5) ^ i32::from(y[i].wrapping_pow(3)) ^ x[i].wrapping_div(3) ^ x[i].wrapping_rem(5);
        out[i] ^= x[i].wrapping_rem_euclid(9) ^ x[i].wrapping_div_euclid(9) ^ x[i].checked_pow(3).unwrap_or(-1);
        let (p, over) = x[i].overflowing_pow(4);
        let (q, wide) = y[i].overflowing_mul(9);
        let (n, least) = x[i].overflowing_neg();
        let (s, far) = x[i].overflowing_shl(37);
        out[i] ^=
            p ^ i32::from(q) ^ n ^ s ^ i32::from(over) ^ i32::from(wide) << 1 ^ (least as i32) << 2 ^ (far as i32) << 3;
        out[i] ^= x[i].checked_shl(40).unwrap_or(3) ^ x[i].checked_shr(3).unwrap_or(4) ^ x[i].overflowing_shr(3).0;
    }
}

#[foreach]
fn rounded(x: &[f32], y: &[f64], out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = (x[i] * 4.0).round_ties_even() + x[i].round() * 3.0 + x[i].trunc() - x[i].fract();
        out[i] += (y[i] * 4.0).round_ties_even() as f32 + f32::max(x[i], 0.5) + f32::min(x[i], -0.25);
        out[i] += x[i].clamp(-1.0, 1.0) + x[i].rem_euclid(1.5) + x[i].div_euclid(1.5) + x[i].signum();
        out[i] += x[i].mul_add(2.0, 1.0) + x[i].copysign(-2.0);
        out[i] += x[i].total_cmp(&1.0) as i8 as f32;
        out[i] += f32::hypot(3.0, 4.0) + x[i].powi(2) + f32::abs(x[i]) + x[i].max(1.0).recip();
        out[i] += if x[i].is_normal() { 1.0 } else { 2.0 };
        out[i] += if x[i].is_subnormal() { 1.0 } else { 2.0 };
        let (a, b) = (x[i].min(y[i] as f32), x[i].max(y[i] as f32));
        out[i] += a * b;
    }
}

#[foreach]
fn as_bytes(x: &[u32], y: &[f32], out: &mut [u64]) {
    for i in 0..x.len() {
        let b = x[i].to_le_bytes();
        let c = x[i].to_be_bytes();
        out[i] = u64::from(u32::from_le_bytes([b[1], b[0], c[0], c[1]]));
        out[i] ^= u64::from(u32::from_be_bytes(b)) << 16;
        out[i] ^= u64::from(y[i].to_bits() >> 3) ^ u64::from(f32::from_bits(y[i].to_bits() ^ 1).to_bits());
        out[i] ^= u64::from_le_bytes([b[0], b[1], b[2], b[3], c[0], c[1], c[2], c[3]]);
        out[i] ^= u64::from(u16::from_be_bytes([b[0], c[0]])) ^ (i16::from_le_bytes([b[0], c[0]]) as u64);
        let d = out[i].to_be_bytes();
        out[i] ^= d.iter().map(|&b| u64::from(b)).sum::<u64>();
        let e = y[i].to_le_bytes();
        out[i] ^= f32::from_le_bytes(e).to_bits() as u64 + e[3] as u64;
        for byte in x[i].to_le_bytes() {
            out[i] = out[i].wrapping_mul(0x100000001b3) ^ u64::from(byte);
        }
    }
}

#[foreach]
fn sorted(x: &[i32], y: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        let mut a = [x[i], x[i] ^ 5, -x[i], 7, 3];
        a.sort_unstable();
        let median = a[2];
        a.reverse();
        let mut b = [y[i], -y[i], 0.5, 1.5, -0.25, 3.0];
        b.sort_by(|p, q| p.total_cmp(q));
        let least = b[0] + b[5] * 0.5;
        b.sort_unstable_by(|p, q| q.partial_cmp(p).unwrap());
        let mut c = [3, x[i].rem_euclid(7), 1, 5];
        c.sort();
        c[1..].sort_unstable_by_key(|v| (v - 3).abs());
        c.sort_by_key(|v| -v);
        let mut d = [(y[i], 0), (0.0, 1), (1.0, 2)];
        d.sort_by(|a, b| a.0.total_cmp(&b.0));
        out[i] = median as f32 + a[0] as f32 + least + b[1] + c[1] as f32 + d[1].1 as f32;
    }
}

#[foreach]
fn of_slices(x: &[i32], n: usize, out: &mut [i32]) {
    for i in 0..out.len() {
        let row = &x[i * n..(i + 1) * n];
        out[i] = *row.iter().max().unwrap() - row.iter().min().unwrap() + row.iter().copied().max().unwrap_or(0);
        out[i] += row.contains(&7) as i32 + [1, 3, 5].contains(&row[0]) as i32;
        out[i] += row.iter().position(|&v| v > 3).unwrap_or(n) as i32;
        out[i] += row.iter().rposition(|&v| v > 3).map_or(-1, |k| k as i32);
        out[i] += *row.iter().min_by(|a, b| a.cmp(b)).unwrap() + *row.iter().max_by_key(|v| v.abs()).unwrap();
        out[i] += row.iter().any(|&v| v == 2) as i32 + row.iter().all(|v| *v > -40) as i32;
        out[i] += row.iter().filter(|v| **v > 0).count() as i32 + row.iter().skip(1).step_by(2).sum::<i32>();
        out[i] +=
            Ord::min(row[0], row[1]) + i32::max(row[2], 3) + std::cmp::max(row[1], 2) + row[0].min(row[1]).max(row[2]);
        out[i] += row.first().copied().unwrap_or(0) + row.last().unwrap() + row.get(2).copied().unwrap_or_default();
        let mut a = [row[0], row[1], row[2], 4];
        a.swap(0, 3);
        a.rotate_left(1);
        out[i] += a[0] * 3 - a[2];
        a.rotate_right(2);
        a[1..].reverse();
        out[i] += a[0] * 5 - a[3] + a.iter().rev().take(2).product::<i32>();
        out[i] += row.iter().zip(row[1..].iter()).map(|(a, b)| (a - b).abs()).max().unwrap();
        out[i] += row.windows(2).filter(|w| w[0] < w[1]).count() as i32;
        out[i] += row.iter().enumerate().max_by_key(|&(_, v)| v).map(|(k, _)| k).unwrap() as i32;
        out[i] += row.is_sorted() as i32 + row.iter().fold(0, |a, &b| a ^ b);
        out[i] += row.iter().skip_while(|v| **v < 0).take_while(|v| **v >= 0).count() as i32;
        out[i] += row.iter().map(|v| v * 2).filter_map(|v| v.checked_sub(3)).min().unwrap_or(5);
        out[i] += (row.iter().last() == Some(&3)) as i32;
        out[i] += row.iter().nth(1).unwrap() + row.iter().copied().reduce(|a, b| a.max(b)).unwrap();
        out[i] += row.split_first().map_or(0, |(a, rest)| a + rest.len() as i32);
        out[i] += row.iter().inspect(|_| ()).count() as i32;
    }
}

#[foreach]
fn of_float_slices(x: &[f32], n: usize, out: &mut [f32]) {
    for i in 0..out.len() {
        let row = &x[i * n..(i + 1) * n];
        let least = row.iter().min_by(|a, b| a.total_cmp(b)).unwrap();
        let most = row.iter().copied().max_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
        let at = row.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).unwrap().0;
        let (k, v) = row.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap();
        let mean = row.iter().sum::<f32>() / row.len() as f32;
        let spread = row.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / (n - 1) as f32;
        let most_by_fold = row.iter().cloned().fold(f32::NEG_INFINITY, f32::max);
        let dot: f32 = row.iter().zip(row.iter().rev()).map(|(a, b)| a * b).sum();
        out[i] = least + most + at as f32 + v * k as f32 + spread + most_by_fold + dot;
        out[i] += row.iter().map(|v| v.abs()).reduce(f32::max).unwrap();
    }
}

#[foreach]
fn bits(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        let v = x[i];
        out[i] = v.rotate_left(5) ^ v.rotate_right(i as u32 % 32) ^ v.swap_bytes() ^ v.reverse_bits() ^ v.count_ones();
        out[i] ^= times_three(v) ^ (v as u8).rotate_left(3) as u32 ^ (v as u16).swap_bytes() as u32;
        out[i] ^= u32::from(v.is_power_of_two()) ^ v.checked_ilog2().unwrap_or(9) ^ u32::BITS - v.leading_zeros();
    }
}

#[forall::device]
fn times_three(v: u32) -> u32 {
    v.wrapping_mul(3)
}

#[foreach]
fn conversions(x: &[i32], out: &mut [i64]) {
    for i in 0..x.len() {
        let wide: i64 = x[i].into();
        let narrow = u8::try_from(x[i]).unwrap_or(255);
        out[i] = wide + i64::from(narrow) + i64::from(x[i] > 3) + u32::try_from(x[i]).map_or(-1, |v| v as i64);
        out[i] += usize::try_from(x[i]).is_ok() as i64 + i16::try_from(x[i] * 1000).unwrap_or(i16::MAX) as i64;
        let small: u16 = x[i].try_into().unwrap_or(9);
        out[i] += i64::from(small) + f64::from(x[i]) as i64;
        out[i] += i64::from(char_of(x[i]));
    }
}

#[forall::device]
fn char_of(v: i32) -> u8 {
    if v > 0 { b'+' } else { b'-' }
}

#[foreach]
fn of_usize(x: &[usize], dx: &[isize], out: &mut [usize]) {
    for i in 0..x.len() {
        let v = x[i];
        out[i] = v.checked_next_power_of_two().unwrap_or(3) + v.isqrt() + v.midpoint(9) + (v | 1).ilog(3) as usize;
        out[i] += v.checked_add_signed(dx[i]).unwrap_or(1000) + v.saturating_add_signed(dx[i]) * 3;
        out[i] += (v + 9).wrapping_add_signed(dx[i]) + v.checked_add_signed(-1).map_or(77, |k| k * 2);
        out[i] += usize::from_le_bytes(v.to_le_bytes()) ^ v.to_be_bytes()[7] as usize ^ v.to_le_bytes()[5] as usize;
        out[i] += usize::try_from(dx[i]).unwrap_or(5) + u8::try_from(v).map_or(300, usize::from);
        out[i] += v.checked_pow(2).unwrap_or(9) + v.leading_ones() as usize + v.trailing_ones() as usize;
        out[i] += isize::try_from(v).unwrap_or(-1).unsigned_abs() + dx[i].checked_abs().unwrap_or(3) as usize;
        out[i] += usize::checked_sub(v, 3).unwrap_or(11) + usize::overflowing_add(v, 2).0;
        out[i] += dx[i].saturating_abs().cast_unsigned() + v.checked_shl(3).unwrap_or(1);
    }
}

#[foreach]
fn rows_in_order(x: &mut [i32]) {
    for row in x.chunks_exact_mut(8) {
        row[..5].sort_unstable();
        row.rotate_left(2);
        row[1..].rotate_right(3);
        row[2..6].sort_by(|a, b| (b % 5).cmp(&(a % 5)));
        row.sort_by_key(|v| v.rem_euclid(3));
    }
}

#[foreach]
fn many(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        let mut all = [0u32; 24];
        for k in 0..24 {
            all[k] = x[i].wrapping_mul(2_654_435_761).wrapping_add((k as u32 * k as u32) << 20) >> 12;
        }
        let before = all.is_sorted();
        all.sort_unstable();
        out[i] = all[0] ^ all[17] << 3 ^ all[23] ^ (all.is_sorted() && !before) as u32;
        let half = all[12];
        out[i] ^= match all.binary_search(&half) {
            Ok(k) | Err(k) => k as u32,
        };
    }
}

#[foreach]
fn with_equals(x: &[i32], #[replicated] sorted: &[i32], out: &mut [usize]) {
    for i in 0..x.len() {
        out[i] = sorted.binary_search(&x[i]).unwrap_or_else(|k| 100 + k);
        let part = &sorted[i % 5..sorted.len() - i % 3];
        out[i] += part.binary_search_by(|v| v.cmp(&x[i])).unwrap_or_else(|k| k * 2) * 1000;
        out[i] += sorted[..i % 2].binary_search(&x[i]).is_err() as usize;
    }
}

#[foreach]
fn unstable(x: &mut [i32]) {
    for row in x.chunks_exact_mut(8) {
        row.sort_unstable_by_key(|v| v % 3);
    }
}

#[test]
fn of_numbers() {
    let longs: Vec<u64> = (0..N as u64).map(|i| u64::MAX >> i ^ i * 31).collect();
    let doubles: Vec<f64> = floats(N).into_iter().map(|v| f64::from(v) * 1.25).collect();
    let small: Vec<i8> = (0..N).map(|i| (i * 37) as i8).collect();
    alike! {
        roots(&words(N), &longs, &integers(N)) => vec![0; N];
        multiples(&words(N), &integers(N)) => vec![0; N];
        saturating(&[integers(N - 3), vec![i32::MIN, i32::MAX, -1]].concat(), &small) => vec![0; N];
        rounded(&floats(N), &doubles) => vec![0.0; N];
        as_bytes(&words(N), &floats(N)) => vec![0; N];
        bits(&words(N)) => vec![0; N];
        conversions(&integers(N)) => vec![0; N];
        of_usize(&(0..N).map(|i| i * i * 7).collect::<Vec<usize>>(), &(0..N as isize).map(|i| i * 31 % 23 - 9).collect::<Vec<_>>()) => vec![0; N];
    }
}

#[test]
fn of_arrays() {
    let edges: Vec<f32> = (0..23).map(|k| k as f32 * 0.4 - 5.0).collect();
    let odd: Vec<i32> = (0..31).map(|k| k * 3 - 40).collect();
    alike! {
        searched(&floats(N), &edges) => vec![0; N];
        found(&integers(N), &odd) => vec![0; N];
        sorted(&integers(N), &floats(N)) => vec![0.0; N];
        of_slices(&integers(N * 6), 6) => vec![0; N];
        of_float_slices(&floats(N * 6), 6) => vec![0.0; N];
        many(&words(N)) => vec![0; N];
        with_equals(&integers(N), &(0..70).map(|k| k * k / 60 - 9).collect::<Vec<i32>>()) => vec![0; N];
        rows_in_order() => integers(N * 8);
    }
    let said = crate::common::annotated::refusal(|| unstable(&mut integers(16)[..]));
    assert!(said.is_none_or(|said| said.contains("puts elements that compare as equal in any order")));
}
