//! Ranges up to the last number, searches in iterators, and the edges of integers. A GPU gives what Rust gives.
// One thing is written in many ways here, and some of it is what nobody should write.
#![allow(clippy::all)]

use forall::foreach;

each! {
    to_the_last_u8 |x| {
        let mut s = 0;
        let mut c = 0;
        for v in 200 + x as u8..=u8::MAX {
            s += v as u32;
            c += 1;
        }
        for v in (250..=255u8).rev() {
            s = s * 3 + v as u32;
        }
        s ^ c << 20
    };
    to_the_last_i8 |x| {
        let mut s = 0i32;
        for v in -128i8..=-120 {
            s += v as i32;
        }
        for v in (100 + x as i8..=127).rev() {
            s = s * 2 % 1009 + v as i32;
        }
        for v in 3i8..-3 {
            s += 1000 + v as i32;
        }
        s as u32
    };
    to_the_last_u32 |x| {
        let mut s = 0u32;
        for v in u32::MAX - x % 5..=u32::MAX {
            s = s.wrapping_mul(3).wrapping_add(v);
        }
        for v in (u32::MAX - 2..u32::MAX).rev() {
            s ^= v;
        }
        for v in (u32::MAX - x..=u32::MAX).step_by(2) {
            s = s.wrapping_add(v);
        }
        s
    };
    to_the_last_i32 |x| {
        let mut s = 0i32;
        for v in i32::MIN..=i32::MIN + x as i32 {
            s = s.wrapping_add(v);
        }
        for v in (i32::MAX - 2..=i32::MAX).rev() {
            s ^= v;
        }
        for v in (-3..=3i32).rev().step_by(2) {
            s = s.wrapping_mul(5) + v;
        }
        s as u32
    };
    empty_ranges |x| {
        let (lo, hi) = (x, 11u32);
        let mut s = 0;
        for v in lo..hi {
            s += v;
        }
        for v in (lo..hi).rev() {
            s = s * 3 % 1009 + v;
        }
        for v in lo..=hi {
            s += v * 5;
        }
        for v in (hi..=lo).rev() {
            s = s * 3 % 1009 + v;
        }
        for v in (lo..hi).step_by(3) {
            s += v * 7;
        }
        for v in (lo..hi).rev().step_by(4) {
            s += v * 11;
        }
        for v in (lo..hi).step_by(3).rev() {
            s = s * 7 % 1009 + v;
        }
        s
    };
    skips |x| {
        let n = x as usize % 9;
        let a = [1u32, 2, 3, 4, 5, 6, 7];
        let mut s = 0;
        for v in a.iter().skip(n) {
            s = s * 3 % 1009 + v;
        }
        for (k, v) in a.iter().enumerate().skip(2).step_by(3) {
            s += v * k as u32;
        }
        for (k, v) in a.iter().rev().enumerate().take(n) {
            s = s * 5 % 1009 + v * k as u32;
        }
        for (k, v) in a[..n.min(7)].iter().enumerate().rev() {
            s = s * 7 % 1009 + v * k as u32;
        }
        for w in a.windows(3).rev() {
            s = s * 3 % 1009 + w[0];
        }
        for c in a.chunks(3).rev() {
            s = s * 3 % 1009 + c[0] + c.len() as u32;
        }
        s
    };
    last_items |x| {
        let a = [x % 3, 1, 2, 0, 1];
        let mut c = 0;
        let p = a
            .iter()
            .map(|v| {
                c += v;
                c
            })
            .last()
            .unwrap_or(7);
        let q = a
            .iter()
            .position(|&v| {
                c += 1;
                v == 1
            })
            .unwrap_or(9) as u32;
        let r = a
            .iter()
            .map(|v| {
                c += 1;
                v * 2
            })
            .nth(2)
            .unwrap_or(5);
        p + q * 10 + r * 100 + c * 1000
    };
    last_positions |x| {
        let a = [x % 3, 1, 2, 0, 1];
        let mut c = 0;
        let p = a
            .iter()
            .rposition(|&v| {
                c = c * 3 + v;
                v == x % 4
            })
            .unwrap_or(9) as u32;
        p * 1000 + c
    };
    last_positions_of_mapped |x| {
        let a = [x % 3, 1, 2, 0, 1];
        let mut c = 1;
        let p = a
            .iter()
            .map(|v| {
                c += 1;
                v * c
            })
            .rposition(|v| v == 4)
            .unwrap_or(9) as u32;
        p * 1000 + c
    };
    searches |x| {
        let a = [x % 3, 1, 2, 0, 1];
        let mut c = 0;
        let p = a.iter().any(|v| {
            c += 1;
            *v == 2
        });
        let q = a.iter().all(|v| {
            c += 10;
            *v < 2
        });
        let r = a
            .iter()
            .copied()
            .find(|v| {
                c += 100;
                *v == 1
            })
            .unwrap_or(8);
        let s = a
            .iter()
            .find_map(|v| {
                c += 1000;
                v.checked_sub(2)
            })
            .unwrap_or(3);
        c + p as u32 + q as u32 * 2 + r * 4 + s * 8
    };
    ties |x| {
        let a = [(1u32, 5u32), (x % 3, 6), (1, 7), (0, 8), (0, 9)];
        let k = [3, x % 4, 3, 0, 0];
        let p = k.iter().enumerate().max_by_key(|(_, v)| **v).unwrap().0 as u32;
        let q = k.iter().enumerate().min_by_key(|(_, v)| **v).unwrap().0 as u32;
        let r = k.iter().enumerate().max_by(|a, b| a.1.cmp(b.1)).unwrap().0 as u32;
        let s = k.iter().enumerate().min_by(|a, b| a.1.cmp(b.1)).unwrap().0 as u32;
        p + q * 10 + r * 100 + s * 1000 + a[0].1
    };
    lazy_chains |x| {
        let a = [x % 3, 1, 2, 0, 1];
        let (mut c, mut d, mut e, mut f) = (0, 0, 1, 0);
        let s = a
            .iter()
            .map(|v| {
                c += 1;
                v + c
            })
            .filter(|v| {
                d += v;
                v % 2 == 0
            })
            .map(|v| {
                e += 100;
                v * 2 + e
            })
            .take_while(|v| {
                f += 50;
                *v < 400
            })
            .fold(0, |a, b| a * 10 + b);
        let t = a
            .iter()
            .skip_while(|v| {
                c += 1;
                **v == 0
            })
            .map(|v| {
                d += 7;
                v + 1
            })
            .sum::<u32>();
        s + t * 7 + c * 1000 + d * 100000 + e + f
    };
    casts |x| {
        let v = x as i32 - 11;
        let a = v as u8;
        let b = v as i8 as u32;
        let c = (v * 100) as i8 as i16 as u16;
        let d = v as u64 as u32;
        let e = (x * 20) as u8 as i8 as i32;
        let f = (v as f32 * 1e9) as i32;
        let g = (v as f32 * 0.5) as u32;
        let h = (v as f32 / 0.0) as i8;
        let i = u32::MAX as f32 as u32;
        let j = (x > 5) as i64 as u32;
        a as u32 ^ b ^ (c as u32) << 3 ^ d ^ e as u32 ^ f as u32 ^ g ^ h as u32 ^ i ^ j
    };
    signed_division |x| {
        let v = x as i32 - 11;
        let d = if v == 0 { 3 } else { v };
        let a = -7 / d;
        let b = -7 % d;
        let c = (-7i32).rem_euclid(d);
        let e = (-7i32).div_euclid(d);
        let f = i32::MIN.wrapping_div(-1) ^ i32::MIN.wrapping_rem(-1);
        let g = i32::MIN.checked_div(v).unwrap_or(5);
        let h = i32::MIN.checked_rem(v).unwrap_or(5);
        let k = i8::MIN.wrapping_div(-1) as i32;
        let (l, m) = i32::MIN.overflowing_mul(v);
        (a ^ b << 3 ^ c << 6 ^ e << 9 ^ f ^ g ^ h << 2 ^ k ^ l) as u32 ^ m as u32
    };
    shifts |x| {
        let v = x as i32 - 11;
        let a = 1u32.wrapping_shl(x * 3);
        let b = (-5i32).wrapping_shr(x * 5);
        let c = 1u32.checked_shl(x * 2).unwrap_or(77);
        let d = (-100i8 >> (x % 8)) as i32;
        let e = 3u8 << (x % 8);
        let f = v >> 31;
        let g = (v as i64 >> 40) as i32;
        let h = 1u32.checked_shr(x * 2).unwrap_or(3);
        let j = 0x81u8.rotate_left(x);
        let k = 200u8.wrapping_shl(x);
        a ^ b as u32 ^ c ^ d as u32 ^ e as u32 ^ f as u32 ^ g as u32 ^ h ^ (j as u32) << 8 ^ (k as u32) << 16
    };
    saturating |x| {
        let v = x as i32 - 11;
        let a = i32::MIN.saturating_sub(v);
        let b = (v as i8).saturating_mul(20);
        let c = (x as u8 * 11).saturating_add(200);
        let d = i32::MIN.wrapping_abs() ^ v.abs();
        let e = i8::MIN.wrapping_neg();
        let f = x.abs_diff(11);
        let g = v.signum();
        let h = i32::MIN.unsigned_abs();
        let j = (v as i16).saturating_neg();
        (a ^ b as i32 ^ d ^ e as i32 ^ g) as u32 ^ c as u32 ^ f ^ h ^ j as u32
    };
}
