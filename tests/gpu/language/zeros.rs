//! The sign of zero. A GPU gives what Rust gives, also where a zero is written.
// One thing is written in many ways here.
#![allow(clippy::all)]

use forall::foreach;
use half::f16;

macro_rules! signs {
    ($name:ident $type:ident $bits:ident $zero:expr) => {
        #[foreach]
        fn $name(x: &[$type], out: &mut [[$bits; 12]]) {
            for i in 0..x.len() {
                let v = x[i];
                let mut w = v;
                w += $zero;
                let mut u = v;
                u *= $zero;
                let s = $zero;
                out[i] = [
                    (v + $zero).to_bits(),
                    ($zero + v).to_bits(),
                    ($zero - v).to_bits(),
                    (v - $zero).to_bits(),
                    (v * $zero).to_bits(),
                    ($zero * v).to_bits(),
                    (v + -$zero).to_bits(),
                    (-$zero - v).to_bits(),
                    (v * -$zero).to_bits(),
                    w.to_bits(),
                    u.to_bits(),
                    (s + v).to_bits(),
                ];
            }
        }
    };
}

signs!(single f32 u32 0.0);
signs!(double f64 u64 0.0);

type Float = f32;

#[foreach]
fn of_another_name(x: &[Float], out: &mut [u32]) {
    for i in 0..x.len() {
        let v = x[i];
        out[i] = (v + 0.0).to_bits() ^ (0.0 - v).to_bits() << 1 ^ (v * 0.0).to_bits() << 2;
    }
}

#[foreach]
fn halves(x: &[f16], out: &mut [[u16; 3]]) {
    for i in 0..x.len() {
        out[i] = [(x[i] + f16::ZERO).to_bits(), (f16::ZERO - x[i]).to_bits(), (x[i] * f16::ZERO).to_bits()];
    }
}

/// Sums that begin with a zero.
#[foreach]
fn sums(x: &[f32], out: &mut [[u32; 4]]) {
    for i in 0..x.len() {
        let mut s = 0.0;
        s += x[i];
        let mut t = 0.0;
        for _ in 0..3 {
            t += x[i];
        }
        let mut a = [0.0; 3];
        a[1] += x[i];
        let mut b = [0.0, 1.0];
        b[i % 2] -= x[i];
        out[i] = [s.to_bits(), t.to_bits(), a[1].to_bits(), b[0].to_bits()];
    }
}

#[test]
fn signs_of_zero() {
    let x = [0.0, -0.0, 1.0, -1.0, 1e-40, -1e-40];
    let finite = &x[..];
    same!(single(finite) => vec![[7; 12]; 6]);
    same!(sums(finite) => vec![[7; 4]; 6]);
    same!(of_another_name(finite) => vec![7; 6]);
    let long = finite.iter().map(|x| f64::from(*x)).collect::<Vec<_>>();
    same!(double(&long) => vec![[7; 12]; 6]);
    let half = finite.iter().map(|x| f16::from_f32(*x)).collect::<Vec<_>>();
    same!(halves(&half) => vec![[7; 3]; 6]);
}
