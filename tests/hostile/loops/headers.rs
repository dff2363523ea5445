//! Headers that count in their own way, and loops that count by `while`.

mod right {
    mod header_inspect {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let mut c = 0;
            for i in (0..x.len()).inspect(|_| c += 1) {
                out[i] = x[i];
            }
            c
        }
    }
    mod header_filter {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in (0..x.len()).filter(|i| i % 3 == 1) {
                out[i] = x[i];
            }
        }
    }
    mod while_step_in_hex {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut t = 0;
                let mut j = 200u8;
                while j < 255 {
                    t += x[i];
                    assert!(t < 3000 && t > -3000);
                    j += 0x10;
                    if t == 0 {
                        break;
                    }
                }
                out[i] = t;
            }
        }
    }
    mod while_up_to_the_greatest {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut t = 0;
                let mut j = 250u8;
                while j <= 255 {
                    t += x[i];
                    j += 1;
                }
                out[i] = t;
            }
        }
    }
    mod while_by_two {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut t = 0;
                let mut j = 0;
                while j <= i {
                    t += x[j];
                    j += 2;
                }
                out[i] = t;
            }
        }
    }
    mod open_range_bound_255 {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len().min(out.len()).min(255);
            for (k, (o, e)) in (0u8..).zip(out[..n].iter_mut().zip(&x[..n])) {
                *o = e + k as i64;
            }
        }
    }
    mod open_range_bound_254 {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len().min(out.len()).min(254);
            for (k, (o, e)) in (0u8..).zip(out[..n].iter_mut().zip(&x[..n])) {
                *o = e + k as i64;
            }
        }
    }
    mod open_range_bound_255_from {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len().min(out.len()).min(1);
            for (k, (o, e)) in (254u8..).zip(out[..n].iter_mut().zip(&x[..n])) {
                *o = e + k as i64;
            }
        }
    }
    mod open_range_bound_255_from2 {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for (k, (o, e)) in (255u8..).zip(out[..0].iter_mut().zip(x)) {
                *o = e + k as i64;
            }
        }
    }
    mod open_range_bound_second {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len().min(out.len()).min(255);
            for ((o, e), k) in out[..n].iter_mut().zip(&x[..n]).zip(0u8..) {
                *o = e + k as i64;
            }
        }
    }
    mod open_range_bound_middle2 {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len().min(out.len()).min(255);
            for ((o, k), e) in out.iter_mut().zip(0u8..).zip(&x[..n]) {
                *o = e + k as i64;
            }
        }
    }
    mod open_range_inside_255 {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                let mut t = 0;
                for (k, e) in (0u8..).zip(&x[..i.min(255)]) {
                    t += e * k as i64;
                }
                out[i] = t;
            }
        }
    }
    mod open_range_inside_chain_255 {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                out[i] = (0u8..).zip(&x[..i.min(255)]).map(|(k, e)| e * k as i64).sum::<i64>();
            }
        }
    }
    mod open_range_reduce_255 {
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> i64 {
            let n = x.len().min(255);
            let mut t = 0;
            for (k, e) in (0u8..).zip(&x[..n]) {
                t += e * k as i64;
            }
            t
        }
    }
    mod open_range_take_after {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len().min(out.len()).min(255);
            for (k, (o, e)) in (0u8..).zip(out[..n].iter_mut().zip(&x[..n])).take(255) {
                *o = e + k as i64;
            }
        }
    }
    mod open_range_take_after2 {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len().min(out.len()).min(255);
            for (k, (o, e)) in (0u8..).zip(out[..n].iter_mut().zip(&x[..n])).take(256) {
                *o = e + k as i64;
            }
        }
    }
    mod open_range_step_after {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len().min(out.len()).min(255);
            for (k, (o, e)) in (0u8..).zip(out[..n].iter_mut().zip(&x[..n])).step_by(3) {
                *o = e + k as i64;
            }
        }
    }
    mod open_range_step_after2 {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len().min(out.len()).min(253);
            for (k, (o, e)) in (0u8..).zip(out[..n].iter_mut().zip(&x[..n])).step_by(3) {
                *o = e + k as i64;
            }
        }
    }
    mod open_range_skip_after {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len().min(out.len()).min(55);
            for (k, (o, e)) in (200u8..).zip(out[..n].iter_mut().zip(&x[..n])).skip(40) {
                *o = e + k as i64;
            }
        }
    }
    mod open_range_inside_step {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                let mut t = 0;
                for (k, e) in (0u8..).step_by(2).zip(&x[..i.min(127)]) {
                    t += e * k as i64;
                }
                out[i] = t;
            }
        }
    }
    mod open_range_inside_step2 {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                let mut t = 0;
                for (k, e) in (0u8..).step_by(2).zip(&x[..i.min(128)]) {
                    t += e * k as i64;
                }
                out[i] = t;
            }
        }
    }
    mod open_range_inside_skip {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                let mut t = 0;
                for (k, e) in (0u8..).skip(200).zip(&x[..i.min(55)]) {
                    t += e * k as i64;
                }
                out[i] = t;
            }
        }
    }
    mod open_range_inside_take2 {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                let mut t = 0;
                for (k, e) in (0u8..).take(256).zip(&x[..i]) {
                    t += e * k as i64;
                }
                out[i] = t;
            }
        }
    }
    mod open_range_in_place_break {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                for (k, e) in (0u8..).zip(&x[..i]) {
                    out[i] += e * k as i64;
                    if k == 200 {
                        break;
                    }
                }
            }
        }
    }
    mod open_signed_from {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64], k: i64) {
            let from = k as i8;
            for ((o, e), k) in out.iter_mut().zip(x).zip(from..) {
                *o = e + k as i64;
            }
        }
    }
    mod open_u32 {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for ((o, e), k) in out.iter_mut().zip(x).zip(4_294_967_200u32..) {
                *o = e + k as i64;
            }
        }
    }
    mod open_inside_left {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                let mut t = 0;
                for (k, e) in (250u8..).zip(x[..i].iter()) {
                    t += e * k as i64;
                    if k == 254 {
                        break;
                    }
                }
                out[i] = t;
            }
        }
    }
    mod open_sum {
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> i64 {
            let mut t = 0;
            for (k, e) in (0u8..).zip(x) {
                if *e > 3 {
                    t += k as i64;
                }
            }
            t
        }
    }
    mod header_open_range_from_zero {
        #[forall::kary_reduce]
        pub fn program(x: &[i64], idx: &[usize], #[scatter] spots: &mut [i64], k: i64) -> (i64, i64) {
            let mut b = 2_i64;
            let mut m = 3_i64;
            for (b, e) in (0u8..).zip(x.iter().copied()) {
                let i = b as usize;
                if [e, k][i % 2] > m {
                    m = [e, k][i % 2];
                }
                spots[idx[i] + 1] = (i as i64);
            }
            (b, m)
        }
    }

    mod cell_len_in_while {
        use std::cell::Cell;
        struct L(Cell<usize>);
        impl L {
            fn len(&self) -> usize {
                self.0.set(self.0.get() - 1);
                self.0.get()
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let l = L(Cell::new(12));
                let mut t = 0;
                let mut j = 0;
                while j < l.len() {
                    t += x[i];
                    j += 1;
                }
                out[i] = t;
            }
        }
    }

    mod header_chunks_exact_zip {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (c, e) in out.chunks_exact_mut(4).zip(x.chunks(3)) {
                c[0] = e[0];
                c[1] = e.len() as i64;
            }
        }
    }

    mod header_chunks_remainder {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (i, c) in out.chunks_mut(4).enumerate() {
                c[3] = x[i];
            }
        }
    }

    mod header_chunks_rev {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (i, c) in out.chunks_mut(4).rev().enumerate() {
                c[0] = x[i] + c.len() as i64;
            }
        }
    }

    mod header_chunks_zero {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: usize) {
            for (c, e) in out.chunks_mut(k - 2).zip(x) {
                c[0] = *e;
            }
        }
    }

    mod header_inclusive_max {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..=255u8 {
                if (i as usize) < x.len() {
                    out[i as usize] = x[i as usize];
                }
            }
        }
    }

    mod header_inverted_signed {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len() as i32;
            for i in n..-n {
                out[i as usize] = 1;
            }
            for i in (-n..0).rev() {
                out[(i + n) as usize] = x[(-i - 1) as usize];
            }
        }
    }

    mod header_narrow_length {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() as u8 {
                out[i as usize] = x[i as usize];
            }
        }
    }

    mod header_negative {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in -3i32..x.len() as i32 - 3 {
                out[(i + 3) as usize] = x[(i + 3) as usize] + i as i64;
            }
        }
    }

    mod header_part_inverted {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: usize) {
            for (o, e) in out.iter_mut().zip(&x[k + 1..k]) {
                *o = *e;
            }
        }
    }

    mod header_rev_step {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in (0..x.len()).rev().step_by(3) {
                out[i] = x[i];
            }
        }
    }

    mod header_rev_zip {
        #[forall::foreach]
        fn program(long: &[i64], out: &mut [i64]) {
            for (o, e) in out.iter_mut().rev().zip(long.iter().rev()) {
                *o = *e;
            }
        }
    }

    mod header_skip_rev_enumerate {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (i, e) in x.iter().skip(2).rev().enumerate() {
                out[i] = *e;
            }
        }
    }

    mod header_skip_then_step {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (o, e) in out.iter_mut().skip(1).step_by(2).zip(x) {
                *o = *e;
            }
        }
    }

    mod header_slice_too_long {
        #[forall::foreach]
        fn program(short: &[i64], out: &mut [i64]) {
            let n = out.len();
            for (o, e) in out.iter_mut().zip(&short[..n]) {
                *o = *e;
            }
        }
    }

    mod header_step_rev {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in (0..x.len()).step_by(3).rev() {
                out[i] = x[i];
            }
        }
    }

    mod header_step_then_skip {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (o, e) in out.iter_mut().step_by(2).skip(1).zip(x) {
                *o = *e;
            }
        }
    }

    mod header_step_zero {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: usize) {
            for i in (0..x.len()).step_by(k - 2) {
                out[i] = x[i];
            }
        }
    }

    mod header_take_step_rev {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (i, e) in x.iter().take(50).step_by(2).rev().enumerate() {
                out[i] = *e;
            }
        }
    }

    mod header_two_ways {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for (i, j) in (0..n).zip((0..n).rev()) {
                out[j] = x[i];
            }
        }
    }

    mod header_windows_zero {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: usize) {
            for (o, e) in out.iter_mut().zip(x.windows(k - 2)) {
                *o = e.len() as i64;
            }
        }
    }

    mod header_zip_rev_lengths {
        #[forall::foreach]
        fn program(long: &[i64], out: &mut [i64]) {
            for (o, e) in out.iter_mut().zip(long.iter()).rev() {
                *o = *e;
            }
        }
    }

    mod header_zip_rev_short {
        #[forall::foreach]
        fn program(short: &[i64], out: &mut [i64]) {
            for (e, o) in short.iter().zip(out.iter_mut()).rev() {
                *o = *e;
            }
        }
    }

    mod while_inclusive_end {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut t = 0;
                let mut j = 250u8;
                while j <= 255 {
                    t += x[i].signum();
                    assert!(t < 9 && t > -9 && (x[i] != 0 || j > 249));
                    j += 1;
                }
                out[i] = t;
            }
        }
    }

    mod while_macro_bound {
        macro_rules! less {
            ($n:ident) => {
                $n -= 1;
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut t = 0;
                let mut b = 9;
                let mut j = 0;
                while j < b {
                    t += x[i];
                    less!(b);
                    j += 1;
                }
                out[i] = t;
            }
        }
    }

    mod while_overflow_counter {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut t = 0;
                let mut j = 240u8;
                while j < 255 {
                    t += x[i];
                    j += 10;
                    if t == 12345 {
                        break;
                    }
                }
                out[i] = t;
            }
        }
    }

    mod while_overflow_counter_plain {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut t = 0;
                let mut j = 240u8;
                while j < 255 {
                    t += x[i] / 5;
                    assert!(t < 100_000 && t > -100_000);
                    j += 10;
                }
                out[i] = t;
            }
        }
    }

    mod while_shadowed_bound {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let b = 6;
                let mut t = 0;
                let mut j = 0;
                while j < b {
                    let b = 2;
                    t += x[i] * b;
                    j += 1;
                }
                out[i] = t;
            }
        }
    }
}

mod refused {
    mod header_chain {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in (0..n).chain(0..n) {
                out[i] += x[i];
            }
        }
    }

    mod header_char {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for c in 'a'..'z' {
                let i = c as usize - 97;
                if i < x.len() {
                    out[i] = x[i];
                }
            }
        }
    }

    mod header_cycle {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in (0..n).cycle().take(2 * n) {
                out[i] += x[i];
            }
        }
    }

    mod header_effect_in_bound {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let mut c = 0;
            for i in 0.. {
                c += 1;
                x.len()
            }
            {
                out[i] = x[i];
            }
            c
        }
    }



    mod header_map_half {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in (0..x.len()).map(|i| i / 2) {
                out[i] += x[i];
            }
        }
    }

    mod header_rchunks {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (i, c) in out.rchunks_mut(3).enumerate() {
                c[0] = x[i];
            }
        }
    }
}
