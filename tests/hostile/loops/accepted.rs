//! Loops with constructs that leave their class as it is: overflow in histograms and counters, adapted iterators, patterns, early exits.

mod right {
    mod closure_that_reads_outside {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let at = |k: usize| x[k];
            for i in 0..x.len() {
                out[i] = at(x.len() - 1 - i);
            }
        }
    }
    mod guard_over_an_element {
        struct Puts<'a>(&'a mut i64);
        impl Drop for Puts<'_> {
            fn drop(&mut self) {
                *self.0 = 7;
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let p = Puts(&mut out[i]);
                *p.0 = x[i];
            }
        }
    }
    mod swapped_elements {
        #[forall::foreach]
        fn program(out: &mut [i64], other: &mut [i64]) {
            let n = out.len();
            for i in 0..n {
                std::mem::swap(&mut out[i], &mut other[n - 1 - i]);
            }
        }
    }
    mod polynomial_that_overflows {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut h = 1i64;
            for i in 0..x.len() {
                h = h * 3 + x[i];
                out[i] = h;
            }
        }
    }
    mod entry_or_default_pushed {
        use std::collections::BTreeMap;
        #[forall::foreach_tls]
        fn program(idx: &[usize]) -> BTreeMap<usize, Vec<usize>> {
            let mut m: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for i in 0..idx.len() {
                m.entry(idx[i] % 7).or_default().push(i);
            }
            m
        }
    }
    mod text_grows {
        use std::fmt::Write;
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> String {
            let mut s = String::new();
            for i in 0..x.len() {
                write!(s, "{} ", x[i]).unwrap();
            }
            s
        }
    }
    mod text_by_push_str {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> String {
            let mut s = String::new();
            for i in 0..x.len() {
                s.push_str(&x[i].to_string());
                s.push(' ');
            }
            s
        }
    }
    mod chunks_and_chunks_of_other_lengths {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> i64 {
            let mut s = 0;
            for (a, b) in x.chunks(3).zip(y.chunks(2)) {
                s += a[a.len() - 1] * b[0];
            }
            s
        }
    }
    mod out_by_windows {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (o, w) in out.iter_mut().zip(x.windows(3)) {
                *o = w[0] + w[2];
            }
        }
    }
    mod short_and_long_zipped {
        #[forall::foreach]
        fn program(short: &[i64], long: &[i64], out: &mut [i64]) {
            for ((o, a), b) in out.iter_mut().zip(short).zip(&long[2..]) {
                *o = a + b;
            }
        }
    }
    mod zip_of_three_with_rev {
        #[forall::foreach]
        fn program(short: &[i64], long: &[i64], out: &mut [i64]) {
            for ((o, a), b) in out.iter_mut().zip(short.iter().rev()).zip(long.iter().rev()) {
                *o = a + b;
            }
        }
    }
    mod iter_zip_function {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (o, v) in std::iter::zip(out.iter_mut(), x) {
                *o = *v;
            }
        }
    }
    mod pattern_of_three {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let [a, _, b, ..] = x[i..] else { continue };
                out[i] = a + b;
            }
        }
    }
    mod pattern_with_a_rest {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let [head, rest @ ..] = &x[i..] else { continue };
                out[i] = *head + rest.len() as i64;
            }
        }
    }
    mod let_else_with_a_block {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                let Some(v) = x[i].checked_sub(3).filter(|v| *v > 0) else {
                    s += 1;
                    continue;
                };
                s += v;
                out[i] = s;
            }
        }
    }
    mod const_block {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = x[i] + const { 3i64.pow(2) };
            }
        }
    }
    mod guard_that_divides {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = match x[i] {
                    v if 100 / (v - 20) > 2 => v,
                    _ => 0,
                };
            }
        }
    }
    mod shift_by_the_index {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = x[i] << i;
            }
        }
    }
    mod least_divided_by_minus_one {
        #[forall::foreach]
        fn program(x: &[i32], out: &mut [i32]) {
            for i in 0..x.len() {
                out[i] = (i32::MIN + (i as i32 % 50)) / (x[i].signum() | 1);
            }
        }
    }
    mod negated_least {
        #[forall::foreach]
        fn program(x: &[i32], out: &mut [i32]) {
            for i in 0..x.len() {
                out[i] = -((i32::MIN + 90).wrapping_sub(i as i32)) + x[i].min(0);
            }
        }
    }
    mod absolute_least {
        #[forall::foreach]
        fn program(x: &[i32], out: &mut [i32]) {
            for i in 0..x.len() {
                out[i] = (i32::MIN + 90).wrapping_sub(i as i32).abs() + x[i].min(0);
            }
        }
    }
    mod narrow_counter {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> u8 {
            let mut c = 0u8;
            for i in 0..x.len() {
                if x[i] > 3 {
                    c += 1;
                }
            }
            c
        }
    }
    mod narrow_counter_up_and_down {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> u8 {
            let mut c = 100u8;
            for i in 0..x.len() {
                if x[i] > 3 {
                    c += 2;
                } else {
                    c -= 9;
                }
            }
            c
        }
    }
    mod narrow_bins {
        #[forall::kary_reduce]
        fn program(idx: &[usize]) -> [u8; 4] {
            let mut h = [250u8; 4];
            for i in 0..idx.len() {
                h[idx[i] % 4] += 1;
            }
            h
        }
    }
    mod narrow_bins_up_and_down {
        #[forall::kary_reduce]
        fn program(idx: &[usize], x: &[i64]) -> [i8; 4] {
            let mut h = [100i8; 4];
            for i in 0..idx.len() {
                h[idx[i] % 4] += x[i] as i8;
            }
            h
        }
    }
    mod narrow_bins_down {
        #[forall::kary_reduce]
        fn program(idx: &[usize]) -> [u8; 4] {
            let mut h = [90u8; 4];
            for i in 0..idx.len() {
                h[idx[i] % 4] -= 1;
            }
            h
        }
    }
    mod narrow_bins_multiplied {
        #[forall::kary_reduce]
        fn program(idx: &[usize]) -> [u8; 64] {
            let mut h = [9u8; 64];
            for i in 0..idx.len() {
                h[idx[i] % 64] *= 2;
            }
            h
        }
    }
    mod narrow_bins_multiplied_by_zero_first {
        #[forall::kary_reduce]
        fn program(idx: &[usize]) -> [u8; 64] {
            let mut h = [9u8; 64];
            for i in 0..idx.len() {
                h[idx[i] % 64] *= (i % 97) as u8;
            }
            h
        }
    }
    mod narrow_vector_of_bins {
        #[forall::kary_reduce]
        fn program(idx: &[usize], k: usize) -> Vec<u8> {
            let mut h = vec![250u8; k];
            for i in 0..idx.len() {
                h[idx[i] % k] = h[idx[i] % k] + 1;
            }
            h
        }
    }
    mod product_that_overflows {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i32 {
            let mut p = 1i32;
            for i in 0..x.len() {
                p *= (x[i] % 3) as i32 + 3;
            }
            p
        }
    }
    mod range_that_underflows {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut s = 0;
                for j in i - 1..i + 1 {
                    s += x[j];
                }
                out[i] = s;
            }
        }
    }
    mod indices_from_minus_three {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in -3..x.len() as i64 - 3 {
                out[(i + 3) as usize] = x[(i + 3) as usize] + i;
            }
        }
    }
    mod best_in_an_option {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut r: Option<i64> = None;
            for i in 0..x.len() {
                r = r.max(Some(x[i]));
            }
            r
        }
    }
    mod sort_by_key_that_counts {
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64]) {
            let mut c = 0;
            for (i, r) in wide.chunks_mut(3).enumerate() {
                r.sort_by_key(|v| {
                    c += 1;
                    *v
                });
                r[0] += x[i];
            }
            let _ = c;
        }
    }
    mod box_and_reference {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = Box::new(0i64);
            for i in 0..x.len() {
                *b += x[i];
            }
            *b
        }
    }
    mod bool_xor {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut on = false;
            for i in 0..x.len() {
                on ^= x[i] > 3;
                if on {
                    out[i] = x[i];
                }
            }
        }
    }
    mod try_in_a_closure {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = (|| -> Option<i64> {
                    let a = x.get(i + 1)?;
                    Some(*a + *x.get(i + 2)?)
                })()
                .unwrap_or(-1);
            }
        }
    }
    mod clone_from_slices {
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64]) {
            for i in 0..x.len() {
                wide[3 * i..3 * i + 3].clone_from_slice(&[x[i], 1, 2]);
            }
        }
    }
    mod mirrored_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            let n = out.len();
            for i in 0..n / 2 {
                out.swap(i, n - 1 - i);
            }
        }
    }
    mod from_fn_of_std {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            use std::array;
            for i in 0..x.len() / 3 {
                let a: [i64; 3] = array::from_fn(|k| x[3 * i + k]);
                out[i] = a[0] + a[2];
            }
        }
    }
    mod from_fn_imported {
        use std::array::from_fn;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() / 3 {
                let a: [i64; 3] = from_fn(|k| x[3 * i + k] * 2);
                out[i] = a[0] + a[2];
            }
        }
    }
    mod bins_set {
        #[forall::kary_reduce]
        fn program(idx: &[usize]) -> [i8; 3] {
            let mut h = [100i8; 3];
            for i in 0..idx.len() {
                h[idx[i] % 3] = h[idx[i] % 3] - 2 + (i % 5) as i8;
            }
            h
        }
    }
    mod bins_beside_a_panic {
        #[forall::kary_reduce]
        fn program(idx: &[usize], x: &[i64]) -> [u8; 3] {
            let mut h = [40u8; 3];
            for i in 0..idx.len() {
                h[idx[i] % 3] -= 1;
                assert!(x[i] != 7, "seven at {i}");
            }
            h
        }
    }
    mod bins_of_floats {
        #[forall::kary_reduce]
        fn program(idx: &[usize], x: &[f64]) -> [f64; 3] {
            let mut h = [40.0; 3];
            for i in 0..idx.len() {
                h[idx[i] % 3] -= x[i];
            }
            h
        }
    }
    mod bins_and_a_sum {
        #[forall::kary_reduce]
        fn program(idx: &[usize]) -> ([u16; 3], u8) {
            let mut h = [40u16; 3];
            let mut s = 0u8;
            for i in 0..idx.len() {
                h[idx[i] % 3] *= 1 + (i % 2) as u16;
                s += (i % 3) as u8;
            }
            (h, s)
        }
    }
}
