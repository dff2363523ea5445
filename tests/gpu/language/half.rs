//! `f16` of the crate `half`, in annotated loops: a GPU gives what that crate gives.

use crate::common;
use crate::common::annotated::{on_ranks, refusal};
use bytemuck::{Pod, Zeroable};
use forall::{DeviceData, DistVec, device, distributed_scan, foreach, foreach_tls, kary_reduce};
use half::f16;

fn numbers(n: usize) -> Vec<f16> {
    (0..n).map(|i| f16::from_f32(((i * 37) % 101) as f32 * 0.37 - 11.3)).collect()
}

#[foreach]
fn axpy(a: f16, x: &[f16], y: &mut [f16]) {
    for i in 0..x.len() {
        y[i] += a * x[i];
    }
}

/// From one type to the other, with constants and the methods that there are.
#[foreach]
fn shaped(x: &[f16], low: f16, out: &mut [f16]) {
    for i in 0..x.len() {
        let v = half::f16::from_f32((x[i].to_f32() * 0.1).exp());
        let w = if v > f16::ONE && !x[i].is_nan() { v / (x[i] + f16::ONE) } else { -v };
        out[i] = w.clamp(low, f16::MAX).max(x[i] % f16::PI).copysign(x[i]);
    }
}

#[foreach]
fn swapped(x: &[f16], out: &mut [u16]) {
    for i in 0..x.len() {
        let bits = x[i].to_bits();
        let back = f16::from_bits(bits ^ 0x8000);
        out[i] = back.to_bits().rotate_left(8);
    }
}

#[foreach]
fn widened(x: &[f16], out: &mut [f64]) {
    for (o, h) in out.iter_mut().zip(x) {
        *o = h.to_f64() + 1.0;
    }
}

#[test]
fn maps() {
    for n in [0, 1, 2, 63, 257, 1031] {
        let x = numbers(n);
        same!(axpy(f16::from_f32(0.3), &x) => numbers(n));
        same!(shaped(&x, f16::from_f32(-2.5)) => vec![f16::ZERO; n]);
        same!(swapped(&x) => vec![0; n]);
        same!(widened(&x) => vec![0.0; n]);
    }
}

#[distributed_scan]
fn highest(x: &[f16], out: &mut [f16]) {
    let mut top = x[0];
    for i in 0..x.len() {
        top = top.max(x[i]);
        out[i] = top;
    }
}

#[kary_reduce]
fn total(x: &[f16]) -> f16 {
    let mut sum = f16::ZERO;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

#[kary_reduce]
fn least(x: &[f16]) -> (f16, usize) {
    let (mut best, mut at) = (f16::INFINITY, 0);
    for i in 0..x.len() {
        if x[i] < best {
            best = x[i];
            at = i;
        }
    }
    (best, at)
}

#[kary_reduce]
fn binned(x: &[u32], weight: &[f16]) -> [f16; 5] {
    let mut bins = [f16::ZERO; 5];
    for i in 0..x.len() {
        bins[(x[i] % 5) as usize] += weight[i];
    }
    bins
}

#[foreach_tls]
fn kept(x: &[f16], out: &mut Vec<f16>) {
    for i in 0..x.len() {
        if x[i] > f16::ZERO {
            out.push(x[i] * x[i]);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Texel {
    colour: [f16; 3],
    alpha: f16,
}

#[device]
fn over(front: f16, back: f16, alpha: f16) -> f16 {
    front * alpha + back * (f16::ONE - alpha)
}

#[foreach]
fn blended(front: &[Texel], out: &mut [Texel]) {
    for i in 0..front.len() {
        for c in 0..3 {
            out[i].colour[c] = over(front[i].colour[c], out[i].colour[c], front[i].alpha);
        }
    }
}

/// On several ranks, with shares of odd lengths.
#[test]
fn sums_scans_and_pushes() {
    for n in [1, 2, 7, 130, 1031] {
        let x = numbers(n);
        let mut tops = vec![f16::ZERO; n];
        highest::sequential(&x, &mut tops);
        let mut some = Vec::new();
        kept::sequential(&x, &mut some);
        // Sums of so few bits depend on the order: these are of small integers, and exact.
        let small: Vec<f16> = (0..n).map(|i| f16::from_f32((i % 3) as f32 - 1.0)).collect();
        let places: Vec<u32> = (0..n as u32).map(|i| i * i).collect();
        let expected =
            (tops, total::sequential(&small), least::sequential(&x), binned::sequential(&places, &small), some);
        for ranks in 1..=3 {
            let run = || {
                let shares = DistVec::from_global(&x);
                let mut tops = DistVec::zeroed(n);
                highest(&shares, &mut tops);
                let small = DistVec::from_global(&small);
                let mut some = DistVec::zeroed(0);
                kept(&shares, &mut some);
                let bins = binned(&DistVec::from_global(&places), &small);
                (tops.to_all(), total(&small), least(&shares), bins, some.to_all())
            };
            let Some(found) = on_ranks(ranks, run) else { return };
            assert!(found.as_ref() == Ok(&expected), "{ranks} ranks: {found:?}");
        }
        let texel =
            |i: usize| Texel { colour: [x[i], x[n - 1 - i], f16::ONE], alpha: f16::from_f32(i as f32 / n as f32) };
        let front: Vec<Texel> = (0..n).map(texel).collect();
        same!(blended(&front) => front.iter().rev().copied().collect::<Vec<_>>());
    }
}

/// A type that has the name alone.
mod other {
    #[derive(Clone, Copy)]
    #[allow(non_camel_case_types)]
    pub struct f16(f32);

    impl f16 {
        pub fn from_f32(x: f32) -> Self {
            f16(x * 2.0)
        }
        pub fn to_f32(self) -> f32 {
            self.0
        }
    }
}

#[foreach]
fn doubled(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = other::f16::from_f32(x[i]).to_f32();
    }
}

#[foreach]
fn rooted(x: &[f16], out: &mut [f16]) {
    for i in 0..x.len() {
        out[i] = f16::from_f64(x[i].to_f64());
    }
}

#[test]
fn what_is_not_theirs_is_said() {
    let Some(reason) = refusal(|| doubled(&[1.5; 10], &mut [0.0; 10])) else { return };
    assert!(reason.contains("`other::f16` is of a type that devices do not know"), "{reason}");
    let Some(reason) = refusal(|| rooted(&numbers(10), &mut numbers(10))) else { return };
    assert!(reason.contains("`f16::from_f32(x as f32)`"), "{reason}");
}

/// A NaN keeps its bits, or becomes quiet, as in the crate.
#[foreach]
fn not_numbers(x: &[f16], out: &mut [[u16; 4]], kept: &mut [f16]) {
    for i in 0..x.len() {
        let back = f16::from_bits(x[i].to_bits() ^ 0x11);
        let wide = f32::from_bits(0x7f80_0001 + u32::from(x[i].to_bits()));
        out[i] = [x[i].to_bits(), back.to_bits(), (-x[i]).to_bits(), f16::from_f32(wide).to_bits()];
        kept[i] = x[i];
    }
}

#[test]
fn bits_of_what_is_no_number() {
    let x: Vec<f16> = [0x7c11, 0x7c01, 0xfc11, 0x7e00, 0x7e05, 0xffff, 0x7c00, 0x3c11].map(f16::from_bits).into();
    let bits = |x: &[f16]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let run = || {
        let (mut out, mut kept) = (vec![[0; 4]; x.len()], vec![f16::ZERO; x.len()]);
        not_numbers(&x, &mut out, &mut kept);
        (out, bits(&kept))
    };
    let (mut out, mut kept) = (vec![[0; 4]; x.len()], vec![f16::ZERO; x.len()]);
    not_numbers::sequential(&x, &mut out, &mut kept);
    assert_eq!(bits(&kept), bits(&x));
    common::annotated::gives(&(out, bits(&kept)), run);
}

/// The crate adds up, and multiplies, in `f32`, and rounds once.
#[foreach]
fn of_iterators(x: &[f16], out: &mut [[f16; 6]]) {
    for i in 0..x.len() {
        let h = [x[i], f16::from_f32(0.37), f16::from_f32(1000.5)];
        let s: f16 = h.iter().sum();
        let p = h.iter().copied().product::<f16>();
        let t: f16 = (0..5).map(|k| f16::from_f32((x[i].to_f32() + k as f32) * 1.37)).sum();
        let none: f16 = h[..0].iter().sum();
        let one: f16 = h[..0].iter().product();
        out[i] = [s, p, t, none, one, h.iter().fold(f16::ZERO, |a, b| a + b)];
    }
}

#[test]
fn sums_and_products_of_iterators() {
    let x = numbers(300);
    same!(of_iterators(&x) => vec![[f16::ZERO; 6]; 300]);
}
