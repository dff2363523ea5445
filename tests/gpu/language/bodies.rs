//! Loops as people write them: ranges, `Option`, slices and iterators inside of a body. A GPU gives what Rust gives.
// One thing is written in many ways here.
#![allow(clippy::all)]

use crate::common::annotated::{gives, refusal};
use forall::foreach;
use std::cmp::Ordering;

#[foreach]
fn range_value(row: &[usize], #[replicated] val: &[f32], out: &mut [f32]) {
    for i in 0..out.len() {
        let r = row[i]..row[i + 1];
        let mut s = 0.0;
        for k in r {
            s += val[k];
        }
        out[i] = s;
    }
}
#[foreach]
fn range_clone(
    #[replicated] row: &[usize],
    #[replicated] col: &[usize],
    #[replicated] val: &[f32],
    #[replicated] x: &[f32],
    out: &mut [f32],
) {
    for i in 0..out.len() {
        let r = row[i]..row[i + 1];
        let mut s = 0.0;
        for (a, &c) in val[r.clone()].iter().zip(&col[r]) {
            s += a * x[c];
        }
        out[i] = s;
    }
}
#[foreach]
fn contains(x: &[f32], lo: f32, hi: f32, out: &mut [bool]) {
    for i in 0..x.len() {
        out[i] = (lo..hi).contains(&x[i]) && !(0..=3).contains(&(i % 7));
    }
}
#[foreach]
fn split_at(x: &[f32], n: usize, out: &mut [f32]) {
    for i in 0..out.len() {
        let row = &x[i * n..(i + 1) * n];
        let (a, b) = row.split_at(n / 2);
        out[i] = a.iter().sum::<f32>() - b.iter().sum::<f32>();
    }
}
#[foreach]
fn split_at_mut(x: &mut [f32], n: usize) {
    for row in x.chunks_mut(n) {
        let (a, b) = row.split_at_mut(n / 2);
        for (p, q) in a.iter_mut().zip(b.iter_mut()) {
            std::mem::swap(p, q);
        }
    }
}
#[foreach]
fn windows(x: &[f32], n: usize, out: &mut [f32]) {
    for i in 0..out.len() {
        let row = &x[i * n..(i + 1) * n];
        let mut s = 0.0;
        for w in row.windows(2) {
            s += (w[1] - w[0]).abs();
        }
        for c in row.chunks_exact(2) {
            s += c[0] * c[1];
        }
        out[i] = s + row.windows(3).map(|w| w[0] - 2.0 * w[1] + w[2]).sum::<f32>();
    }
}
#[foreach]
fn rev(x: &[f32], n: usize, out: &mut [f32]) {
    for i in 0..out.len() {
        let row = &x[i * n..(i + 1) * n];
        out[i] = row.iter().rev().fold(0.0, |a, b| a * 0.5 + b);
    }
}
#[foreach]
fn minmax(x: &[f32], n: usize, out: &mut [f32]) {
    for i in 0..out.len() {
        let row = &x[i * n..(i + 1) * n];
        out[i] =
            row.iter().copied().fold(f32::INFINITY, f32::min) + row.iter().cloned().fold(f32::MIN, |a, b| a.max(b));
    }
}
#[foreach]
fn int_minmax(x: &[i32], n: usize, out: &mut [i32]) {
    for i in 0..out.len() {
        let row = &x[i * n..(i + 1) * n];
        out[i] = *row.iter().max().unwrap() - row.iter().copied().min().unwrap_or(0);
    }
}
#[foreach]
fn array_map(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        let a = [x[i], 2.0, 3.0].map(|v| v * v);
        out[i] = a.iter().sum();
    }
}
#[foreach]
fn swap(x: &mut [f32]) {
    for i in 0..x.len() {
        let mut a = x[i];
        let mut b = 1.0;
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        x[i] = a + std::mem::replace(&mut b, 3.0) + b;
    }
}
#[foreach]
fn floats_alone(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = x[i].to_radians().copysign(-1.0) + f32::sqrt(x[i].abs()).recip() + x[i] / 3.0;
    }
}
#[foreach]
fn total_cmp(x: &[f32], n: usize, out: &mut [f32]) {
    for i in 0..out.len() {
        let row = &x[i * n..(i + 1) * n];
        out[i] = row.iter().copied().max_by(|a, b| a.total_cmp(b)).unwrap();
    }
}
#[foreach]
fn checked(x: &[i32], out: &mut [i32]) {
    for i in 0..x.len() {
        out[i] = match x[i].checked_add(5) {
            Some(v) => v,
            None => i32::MAX,
        };
        if let Some(v) = x[i].checked_mul(3) {
            out[i] ^= v;
        }
        out[i] ^= x[i].checked_div(2).unwrap_or(0) ^ x[i].checked_rem(0).unwrap_or(7) ^ x[i].checked_neg().unwrap_or(9);
        if x[i].checked_sub(1).is_none() {
            out[i] = 0;
        }
    }
}
#[foreach]
fn overflowing(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        let (v, over) = x[i].overflowing_add(5);
        out[i] = if over { 1 } else { v };
        out[i] = out[i].saturating_sub(3).saturating_mul(2).wrapping_add(1).reverse_bits();
    }
}
#[foreach]
fn get(x: &[f32], #[replicated] t: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = *t.get(i * 2).unwrap_or(&0.0);
        if let Some(v) = t.get(i + 1) {
            out[i] += v;
        }
        let last = t.last().copied().unwrap_or(1.0);
        out[i] += last + t.first().unwrap();
    }
}
#[foreach]
fn option_local(x: &[f32], #[replicated] t: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        let mut best: Option<f32> = None;
        for &v in t {
            if v > x[i] && best.is_none_or(|b| v < b) {
                best = Some(v);
            }
        }
        out[i] = best.unwrap_or(-1.0);
    }
}
#[foreach]
fn option_fn(x: &[f32], out: &mut [f32]) {
    fn root(v: f32) -> Option<f32> {
        if v < 0.0 {
            return None;
        }
        Some(v.sqrt())
    }
    for i in 0..x.len() {
        out[i] = match root(x[i]) {
            Some(r) if r > 1.0 => r,
            Some(_) => 1.0,
            None => 0.0,
        };
        out[i] += root(x[i]).map(|v| v + 1.0).unwrap_or(0.0);
        let Some(r) = root(x[i] + 1.0) else {
            continue;
        };
        out[i] -= r;
    }
}
#[foreach]
fn zip3(x: &[f32], y: &[f32], z: &[f32], n: usize, out: &mut [f32]) {
    for i in 0..out.len() {
        let (x, y, z) = (&x[i * n..][..n], &y[i * n..][..n], &z[i * n..][..n]);
        out[i] = x.iter().zip(y).zip(z).map(|((a, b), c)| a * b * c).sum();
    }
}
#[foreach]
fn while_let(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        let mut v = x[i];
        let mut steps = 0;
        while let Some(next) = v.checked_sub(7) {
            v = next;
            steps += 1;
        }
        out[i] = steps * 10 + v;
    }
}
#[foreach]
fn take_while(x: &[f32], n: usize, out: &mut [usize]) {
    for i in 0..out.len() {
        out[i] = x[i * n..(i + 1) * n].iter().take_while(|v| **v > 0.0).count();
    }
}
#[foreach]
fn min_by(x: &[f32], #[replicated] c: &[[f32; 2]], out: &mut [usize]) {
    for i in 0..x.len() {
        out[i] = (0..c.len()).min_by(|&a, &b| (c[a][0] - x[i]).abs().total_cmp(&(c[b][0] - x[i]).abs())).unwrap();
    }
}
#[foreach]
fn partial_cmp(x: &[f32], #[replicated] c: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = c.iter().copied().min_by(|a, b| (a - x[i]).abs().partial_cmp(&(b - x[i]).abs()).unwrap()).unwrap();
    }
}
#[foreach]
fn ranges_sum(x: &[u64], out: &mut [u64]) {
    for i in 0..x.len() {
        out[i] = (1..=x[i]).sum::<u64>() + (1..=x[i]).product::<u64>() + (0..4).map(|k| x[i] << k).sum::<u64>();
        out[i] += (0..10).filter(|k| k % 3 == 0).fold(0, |a, b| a + b);
    }
}
#[foreach]
fn clamp_chain(x: &[i32], out: &mut [i32]) {
    for i in 0..x.len() {
        out[i] = x[i].clamp(-5, 5).pow(2).max(3).min(7).abs().signum().rem_euclid(3).div_euclid(2);
    }
}
#[foreach]
fn bool_then(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = (x[i] > 0.0).then_some(x[i]).unwrap_or(0.0) + (x[i] < 9.0).then(|| 2.0).unwrap_or_default();
    }
}
#[foreach]
fn slice_cmp(x: &[f32], n: usize, out: &mut [bool]) {
    for i in 0..out.len() {
        out[i] = x[i * n..(i + 1) * n].contains(&1.0) || x[i * n..][..n].is_empty();
    }
}
#[foreach]
fn const_array(x: &[usize], out: &mut [f32]) {
    for i in 0..x.len() {
        const W: [f32; 3] = [0.25, 0.5, 0.25];
        out[i] = W[x[i] % 3] + W.iter().sum::<f32>();
    }
}
#[foreach]
fn nested_ranges(n: usize, #[replicated] a: &[f64], out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = (0..n).map(|j| (0..n).map(|k| a[j * n + k]).sum::<f64>()).fold(0.0, f64::max);
    }
}
#[foreach]
fn range_value_params(#[replicated] x: &[f32], n: usize, out: &mut [f32]) {
    for i in 0..out.len() {
        let inner = 1..n - 1;
        out[i] = inner.clone().map(|k| x[i * n + k]).sum::<f32>() / inner.len() as f32;
        if inner.is_empty() || inner.start > 3 || inner.contains(&i) {
            out[i] = 0.0;
        }
    }
}
#[foreach]
fn inclusive(x: &[f32], n: usize, out: &mut [f32]) {
    for i in 0..out.len() {
        let r = i.saturating_sub(1)..=(i + 1).min(n);
        for k in r.clone().rev() {
            out[i] += k as f32;
        }
        for k in r.step_by(2) {
            out[i] += k as f32 * x[i];
        }
    }
}
#[foreach]
fn find(x: &[f32], #[replicated] t: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = t.iter().copied().find(|&v| v > x[i]).unwrap_or(-1.0)
            + t.iter().rev().skip(1).step_by(2).take(4).sum::<f32>();
        out[i] += t.iter().enumerate().filter(|(k, _)| k % 2 == 0).map(|(_, v)| v).sum::<f32>();
    }
}
#[foreach]
fn copysigns(x: &[f32], out: &mut [u32]) {
    for i in 0..x.len() {
        out[i] = match x[i].total_cmp(&1.0) {
            Ordering::Less => 0,
            Ordering::Equal => 1,
            Ordering::Greater => 2,
        };
    }
}
#[foreach]
fn cmp_method(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        out[i] = match x[i].cmp(&5) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => 1,
            _ => 2,
        };
    }
}
#[foreach]
fn chunks_for(x: &[f32], n: usize, out: &mut [f32]) {
    for i in 0..out.len() {
        let mut it = 0.0;
        for (k, c) in x[i * n..(i + 1) * n].chunks(3).enumerate().rev() {
            it += c[0] * k as f32 + c.len() as f32;
        }
        for k in (0..n).rev().step_by(2) {
            it += k as f32;
        }
        out[i] = it;
    }
}
#[foreach]
fn loop_array(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        let mut a = [0.0f32; 8];
        for (k, v) in a.iter_mut().enumerate() {
            *v = x[i] * k as f32;
        }
        a.swap(0, 7);
        a[1..4].fill(2.0);
        a.reverse();
        let (l, r) = a.split_at(4);
        out[i] = l.iter().zip(r).map(|(p, q)| p * q).sum::<f32>() + a.iter().copied().fold(0.0, f32::max);
    }
}

/// Numbers of both signs, some alike.
fn floats(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 7919 + 13) % 61) as f32 * 0.37 - 7.0).collect()
}

/// Integers with those at the ends of their range.
fn integers(n: usize) -> Vec<i32> {
    let ends = [i32::MIN, i32::MIN + 1, -1, 0, 1, i32::MAX - 4, i32::MAX - 5, i32::MAX, 715_827_882, 715_827_883];
    (0..n).map(|i| ends.get(i).copied().unwrap_or(i as i32 * 37 - 1000)).collect()
}

/// The same results as from the sequential loop.
macro_rules! alike {
    ($($function:ident($($input:expr),*) => $out:expr;)*) => {$({
        let mut expected = $out;
        $function::sequential($($input,)* &mut expected);
        gives(&expected, || {
            let mut out = $out;
            $function($($input,)* &mut out);
            out
        });
    })*};
}

const N: usize = 60;

#[test]
fn ranges_that_have_names() {
    let row: Vec<usize> = (0..=N).map(|i| i * i % 7 + 3 * i).map(|k| k.min(150)).collect();
    let row: Vec<usize> = row
        .iter()
        .scan(0, |most, k| {
            *most = k.max(most).to_owned();
            Some(*most)
        })
        .collect();
    let col: Vec<usize> = (0..200).map(|k| k * 31 % N).collect();
    alike! {
        range_value(&row, &floats(200)) => vec![0.0; N];
        range_clone(&row, &col, &floats(200), &floats(N)) => vec![0.0; N];
        contains(&floats(N), -1.0, 3.0) => vec![false; N];
        range_value_params(&floats(N * 5), 5) => vec![0.0; N];
        inclusive(&floats(N), N) => vec![0.5; N];
    }
}

#[test]
fn slices_and_iterators() {
    alike! {
        split_at(&floats(N * 7), 7) => vec![0.0; N];
        windows(&floats(N * 7), 7) => vec![0.0; N];
        rev(&floats(N * 7), 7) => vec![0.0; N];
        minmax(&floats(N * 7), 7) => vec![0.0; N];
        int_minmax(&integers(N * 6)[60..], 5) => vec![0; N];
        array_map(&floats(N)) => vec![0.0; N];
        zip3(&floats(N * 3), &floats(N * 4), &floats(N * 3), 3) => vec![0.0; N];
        take_while(&floats(N * 7), 7) => vec![0; N];
        slice_cmp(&floats(N * 7), 7) => vec![false; N];
        const_array(&(0..N).collect::<Vec<_>>()) => vec![0.0; N];
        nested_ranges(4, &(0..16).map(f64::from).collect::<Vec<_>>()) => vec![0.0; N];
        chunks_for(&floats(N * 7), 7) => vec![0.0; N];
        loop_array(&floats(N)) => vec![0.0; N];
        ranges_sum(&(0..20).collect::<Vec<u64>>()) => vec![0; 20];
    }
    let mut expected = floats(N * 6);
    split_at_mut::sequential(&mut expected, 6);
    gives(&expected, || {
        let mut x = floats(N * 6);
        split_at_mut(&mut x, 6);
        x
    });
    let mut expected = floats(N);
    swap::sequential(&mut expected);
    gives(&expected, || {
        let mut x = floats(N);
        swap(&mut x);
        x
    });
}

#[test]
fn options_and_orders() {
    let centres: Vec<[f32; 2]> = floats(9).into_iter().map(|x| [x, 0.0]).collect();
    let ends: Vec<u32> = [0, 1, 4, 5, 6, 7, u32::MAX, u32::MAX - 4, u32::MAX - 5, 3_000_000_000].to_vec();
    alike! {
        total_cmp(&[floats(N * 7 - 3), vec![-0.0, 0.0, f32::INFINITY]].concat(), 7) => vec![0.0; N];
        checked(&integers(N)) => vec![0; N];
        overflowing(&ends) => vec![0; ends.len()];
        get(&floats(N), &floats(20)) => vec![0.0; N];
        option_local(&floats(N), &floats(20)) => vec![0.0; N];
        option_fn(&floats(N)) => vec![0.0; N];
        while_let(&ends[..6]) => vec![0; 6];
        min_by(&floats(N), &centres) => vec![0; N];
        partial_cmp(&floats(N), &floats(11)) => vec![0.0; N];
        bool_then(&floats(N)) => vec![0.0; N];
        find(&floats(N), &floats(80)) => vec![0.0; N];
        copysigns(&[floats(N - 4), vec![1.0, f32::NAN, -f32::NAN, 0.5]].concat()) => vec![0; N];
        cmp_method(&ends) => vec![0; ends.len()];
        clamp_chain(&integers(N)[5..]) => vec![0; N - 5];
        floats_alone(&floats(N)) => vec![0.0; N];
    }
}

mod roots {
    use super::Circle;

    /// The last element of a list of marks, if it is above zero.
    #[forall::device]
    pub fn last_mark(marks: &[f32], least: Option<f32>) -> Option<f32> {
        let last = *marks.last()?;
        match least {
            Some(least) if last < least => None,
            Some(_) | None => Some(last),
        }
    }

    #[forall::device]
    pub fn root(a: f64, b: f64, c: f64) -> Option<f64> {
        let d = b * b - 4.0 * a * c;
        if d < 0.0 || a == 0.0 {
            return None;
        }
        Some((-b + d.sqrt()) / (2.0 * a))
    }

    #[forall::device]
    pub fn both(x: f64) -> Option<f64> {
        let first = root(1.0, x, -1.0)?;
        let second = root(x, first, -0.5)?;
        Some(first + second)
    }

    #[forall::device]
    pub fn hit(circle: Circle, y: f32) -> Option<Circle> {
        let half = circle.radius * circle.radius - (y - circle.y) * (y - circle.y);
        (half >= 0.0).then(|| Circle { radius: half.sqrt(), ..circle })
    }

    #[forall::device]
    pub fn order(a: f32, b: f32) -> std::cmp::Ordering {
        a.abs().total_cmp(&b.abs()).then(a.total_cmp(&b)).reverse()
    }
}

/// Around a place on an axis.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable, forall::DeviceData)]
#[repr(C)]
pub struct Circle {
    y: f32,
    radius: f32,
}

#[foreach]
fn by_functions(x: &[f64], n: usize, #[replicated] marks: &[f32], circles: &[Circle], out: &mut [f64]) {
    for i in 0..x.len() {
        let mut sum = roots::both(x[i]).unwrap_or(-1.0);
        if let Some(root) = roots::root(x[i], 1.0, -2.0) {
            sum += root * 2.0;
        }
        let part = &marks[i * n..(i + i % 2) * n];
        let least = if i % 3 == 0 { None } else { Some(0.5) };
        sum += f64::from(roots::last_mark(part, least).map_or(9.0, |mark| mark * 0.5));
        let Some(hit) = roots::hit(circles[i], 0.25) else {
            out[i] = -sum;
            continue;
        };
        sum += f64::from(hit.radius + hit.y);
        let before = roots::hit(hit, 0.5);
        if before.is_some_and(|circle| circle.radius > 0.1) && roots::order(hit.y, hit.radius).is_lt() {
            sum += 100.0;
        }
        out[i] = sum;
    }
}

#[test]
fn functions_give_and_take_options() {
    let x: Vec<f64> = floats(N).into_iter().map(f64::from).collect();
    let circles: Vec<Circle> =
        floats(2 * N).chunks(2).map(|pair| Circle { y: pair[0] * 0.1, radius: pair[1] }).collect();
    alike! { by_functions(&x, 3, &floats(N * 3 + 3), &circles) => vec![0.0; N]; }
}

/// All widths at once.
macro_rules! widths {
    ($($name:ident: $type:ident;)*) => {$(
        #[foreach]
        fn $name(x: &[$type], #[replicated] y: &[$type], out: &mut [$type]) {
            for i in 0..x.len() {
                let mut all = 0;
                for (k, &b) in y.iter().enumerate() {
                    let a = x[i];
                    let bits = (a.checked_add(b).is_some() as $type)
                        | (a.checked_sub(b).is_some() as $type) << 1
                        | (a.checked_mul(b).is_some() as $type) << 2
                        | (a.checked_div(b).is_some() as $type) << 3;
                    let sum = a.checked_add(b).unwrap_or(1) ^ a.checked_sub(b).unwrap_or(2);
                    let quotient = a.checked_mul(b).unwrap_or(4) ^ a.checked_rem(b).unwrap_or(8);
                    let (difference, over) = a.overflowing_sub(b);
                    let order = match a.cmp(&b) {
                        Ordering::Less => 3,
                        Ordering::Equal => 5,
                        Ordering::Greater => 7,
                    };
                    let turned = (sum ^ quotient ^ order).rotate_left(k as u32 % 7);
                    all ^= turned ^ bits ^ if over { difference } else { a };
                }
                out[i] = all;
            }
        }
    )*};
}
widths! { of_i8: i8; of_u8: u8; of_i16: i16; of_u16: u16; of_i32: i32; of_u32: u32; of_i64: i64; of_u64: u64; }

#[test]
fn checked_in_all_widths() {
    macro_rules! try_all {
        ($($name:ident: $type:ident;)*) => {$({
            let x: Vec<$type> = (0..12).map(|k| ($type::MIN).wrapping_add(k)).chain((0..12).map(|k| $type::MAX - k))
                .chain((0..40).map(|k| ($type::MAX / 40 * k).wrapping_sub(3 * k))).collect();
            alike! { $name(&x, &x) => vec![0; x.len()]; }
        })*};
    }
    try_all! { of_i8: i8; of_u8: u8; of_i16: i16; of_u16: u16; of_i32: i32; of_u32: u32; of_i64: i64; of_u64: u64; }
}

#[foreach]
fn powers(x: &[u32], y: &[usize], out: &mut [usize]) {
    for i in 0..x.len() {
        out[i] = x[i].next_power_of_two() as usize + x[i].ilog2() as usize * 3 + x[i].div_ceil(7) as usize;
        out[i] += y[i].next_multiple_of(5) + y[i].div_ceil(4) + y[i].next_power_of_two() + y[i].ilog2() as usize;
        out[i] += y[i].checked_sub(100).unwrap_or(3) + y[i].checked_add(usize::MAX).is_none() as usize;
    }
}

#[foreach]
fn unwrapped(x: &mut [u32], #[replicated] table: &[u32]) {
    for i in 0..x.len() {
        x[i] = *table.get(i).unwrap();
    }
}

#[test]
fn powers_and_what_panics() {
    let x: Vec<u32> = (0..N as u32).map(|i| i * i * 31 + 1).collect();
    let y: Vec<usize> = (0..N).map(|i| i * 5 % 40 + 1).collect();
    alike! { powers(&x, &y) => vec![0; N]; }
    let mut x = [7; 5];
    let said = refusal(|| unwrapped(&mut x[..], &[1, 2, 3][..]));
    assert!(said.is_none_or(|said| said.contains("called `Option::unwrap()` on a `None` value")));
}

/// The meaning of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::NoUninit, forall::DeviceData)]
#[repr(u8)]
enum Kind {
    Solid = 3,
    Fluid,
    Empty = 200,
}

/// Told apart by hand, and not as `match` does.
#[derive(Debug, Clone, Copy, bytemuck::NoUninit, forall::DeviceData)]
#[repr(u32)]
enum Alike {
    One,
    Two,
}

impl PartialEq for Alike {
    fn eq(&self, _: &Alike) -> bool {
        true
    }
}

#[derive(Debug, Clone, Copy, PartialEq, bytemuck::NoUninit, forall::DeviceData)]
#[repr(C)]
struct Tile {
    weight: f32,
    kind: Kind,
    below: Kind,
    rest: i16,
}

#[forall::device]
fn kind_of(x: f32, least: Kind) -> Kind {
    match x {
        x if x < -3.0 => least,
        x if x < 0.0 => Kind::Fluid,
        _ => Kind::Empty,
    }
}

#[forall::device]
impl Kind {
    fn next(self) -> Option<Kind> {
        match self {
            Kind::Solid => Some(Kind::Fluid),
            Kind::Fluid => Some(Kind::Empty),
            Kind::Empty => None,
        }
    }
}

#[foreach]
fn kinds(x: &[f32], tiles: &[Tile], least: Kind, out: &mut [f32], next: &mut [Kind]) {
    for i in 0..x.len() {
        let mut kind = if i % 2 == 0 { kind_of(x[i], least) } else { Kind::Solid };
        let (below, v) = (tiles[i].below, x[i]);
        if kind != tiles[i].kind && matches!(below, Kind::Solid | Kind::Empty if v > -2.0) {
            kind = below;
        }
        out[i] = match (kind, tiles[i].kind) {
            (Kind::Solid, _) => 1.0,
            (Kind::Fluid, Kind::Solid) => tiles[i].weight,
            (other, _) => other as u8 as f32,
        };
        next[i] = kind.next().unwrap_or(Kind::Solid);
        if kind == Kind::Fluid || tiles[i].below == least {
            out[i] += 0.5;
        }
    }
}

#[foreach]
fn alike(x: &mut [u32], what: Alike) {
    for i in 0..x.len() {
        x[i] = if what == Alike::Two { 1 } else { 0 };
    }
}

#[test]
fn enums_without_fields() {
    let all = [Kind::Solid, Kind::Fluid, Kind::Empty];
    let tile = |i: usize| Tile { kind: all[i % 3], below: all[i / 3 % 3], weight: i as f32, rest: 0 };
    let tiles: Vec<Tile> = (0..N).map(tile).collect();
    for least in all {
        let mut expected = (vec![0.0; N], vec![Kind::Empty; N]);
        kinds::sequential(&floats(N), &tiles, least, &mut expected.0, &mut expected.1);
        gives(&expected, || {
            let (mut out, mut next) = (vec![0.0; N], vec![Kind::Empty; N]);
            kinds(&floats(N), &tiles, least, &mut out, &mut next);
            (out, next)
        });
    }
    let said = refusal(|| alike(&mut [1, 2][..], Alike::One));
    assert!(said.is_none_or(|said| said.contains("is not that of its variants")));
}

/// Two of a kind.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Zeroable, forall::DeviceData)]
#[repr(C)]
struct Pair<T> {
    a: T,
    b: T,
}

// SAFETY: two numbers of one size have no room between them.
unsafe impl<T: bytemuck::Pod> bytemuck::Pod for Pair<T> {}

#[forall::device]
impl Pair<f32> {
    fn product(self) -> f32 {
        self.a * self.b
    }
}

#[forall::device]
impl Pair<u64> {
    fn product(self) -> u64 {
        self.a ^ self.b
    }
}

#[forall::device]
fn turned(pair: Pair<f32>) -> Pair<f32> {
    Pair { a: pair.b, b: pair.a }
}

#[foreach]
fn pairs(x: &[Pair<f32>], y: &[Pair<u64>], out: &mut [Pair<f32>], bits: &mut [u64]) {
    for i in 0..x.len() {
        use std::f32::consts::{E, PI as HALF_TURN};
        use std::{cmp::Ordering, f32::consts};
        use units::METRE;
        use units::STEPS as ALL;
        use units::scaled;
        let turned = turned(x[i]);
        out[i] = Pair { a: turned.a * HALF_TURN + E, b: turned.product() - consts::SQRT_2 };
        if out[i].a.total_cmp(&out[i].b) == Ordering::Less {
            out[i].b = scaled(out[i].b) * METRE;
        }
        let other: Pair<u64> = Pair { a: 3, ..y[i] };
        bits[i] = y[i].product() + other.a + other.b + ALL[i % 2][i % 3] + ALL.len() as u64;
    }
}

mod units {
    pub const METRE: f32 = 0.01;
    pub const STEPS: [[u64; 3]; 2] = [[1, 2, 3], [40, 50, 60]];

    #[forall::device]
    pub fn scaled(x: f32) -> f32 {
        x * 8.0
    }
}

#[test]
fn generic_structs_and_uses() {
    let x: Vec<Pair<f32>> = floats(2 * N).chunks(2).map(|pair| Pair { a: pair[0], b: pair[1] }).collect();
    let y: Vec<Pair<u64>> = (0..N as u64).map(|i| Pair { a: i, b: i * i << 20 }).collect();
    let mut expected = (x.clone(), vec![0; N]);
    pairs::sequential(&x, &y, &mut expected.0, &mut expected.1);
    gives(&expected, || {
        let (mut out, mut bits) = (x.clone(), vec![0; N]);
        pairs(&x, &y, &mut out, &mut bits);
        (out, bits)
    });
}
