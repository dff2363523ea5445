//! Several mistakes of one iteration, whose first one counts, and running values that only their chunks lose.

mod right {
    mod narrow_count_beside_a_sum_of_floats_before_an_assertion {
        #[forall::kary_reduce]
        pub fn program(x: &[f32], out: &mut [f32], wide: &mut [f32], k: f32) -> (f32, u8) {
            let mut v = 0_f32;
            let mut count = 0u8;
            for i in 1..x.len() {
                let row = &mut wide[i * 3..i * 3 + 3];
                row[0] = x[i];
                row[2] = k;
                out[i] = k;
                v += k;
                for _ in 0..2 {
                    count += 5;
                    if i % 80 == 60 {
                        panic!("at {i}");
                    }
                }
            }
            (v, count)
        }
    }
    mod narrow_count_in_rows_before_an_assertion {
        #[forall::kary_reduce]
        pub fn program(x: &[i64], wide: &mut [i64]) -> u8 {
            let mut count = 0u8;
            for i in 1..x.len() {
                count += 5;
                if i % 80 == 60 {
                    panic!("at {i}");
                }
                let row = &mut wide[i * 3..i * 3 + 3];
                row[0] = x[i];
                row[2] = x[i] + x[i];
            }
            count
        }
    }
    mod narrow_count_in_turned_rows_before_an_index {
        #[forall::kary_reduce]
        pub fn program(x: &[i64], out: &mut [i64], wide: &mut [i64]) -> i8 {
            let mut small = 100i8;
            for (i, row) in wide.chunks_exact_mut(3).enumerate() {
                row.rotate_left(1);
                out[i] = x[i + 1];
                if x[i] > 8 {
                    small += 1;
                }
            }
            small
        }
    }
    mod in_place_and_too_much {
        #[forall::distributed_scan]
        pub fn program(x: &[f32], wide: &mut [f32]) {
            let mut v = 0_f32;
            for i in 0..x.len() {
                v += x[i];
                assert!(v < 300_f32, "{v:?}");
                wide[i * 3..i * 3].sort_by(|l, r| l.partial_cmp(r).unwrap());
            }
        }
    }
    mod in_place_and_unreachable {
        #[forall::distributed_scan]
        pub fn program(x: &[f32], y: &[f32], out: &mut [f32]) {
            let mut v = 0_f32;
            for i in 0..x.len() {
                out[i] = out[i];
                if v > 30_f32 {
                    unreachable!("{i}");
                }
                v += y[i];
            }
        }
    }
    mod in_place_sums_that_are_too_much {
        #[forall::distributed_scan]
        fn program(out: &mut [f32]) {
            let mut v = 0_f32;
            for i in 0..out.len() {
                v += out[i];
                assert!(v < 50.0, "too much at {i}");
                out[i] = v;
            }
        }
    }
    mod in_place_and_a_count_that_overflows {
        #[forall::distributed_scan]
        fn program(out: &mut [i64], x: &[f64]) {
            let mut v = 0.0;
            for i in 0..out.len() {
                v += x[i];
                out[i] += i64::MAX / 3 * 2;
                out[i] += v as i64;
            }
        }
    }
    mod in_place_and_a_division {
        #[forall::distributed_scan]
        fn program(out: &mut [i64], x: &[f64]) {
            let mut v = 0.0;
            for i in 0..out.len() {
                v += x[i];
                out[i] = out[i] / (v as i64 - 20).max(0);
            }
        }
    }
    mod product_overflows_before_an_index {
        #[forall::foreach_tls]
        pub fn program(#[scatter] spots: &mut [i64], to: &mut Vec<i64>) {
            let mut small = 100i8;
            let n = 1;
            for i in 0..n {
                small *= 2;
                to.push(1);
                spots[1] = 1;
            }
        }
    }
    mod difference_overflows_before_an_index {
        #[forall::kary_reduce]
        pub fn program(out: &mut [u32]) {
            let mut v = 0_u32;
            for i in 0..1 {
                v -= 1;
                out[i] = 1;
            }
        }
    }
    mod difference_overflows_before_a_row_that_is_too_long {
        #[forall::kary_reduce]
        pub fn program(wide: &mut [u32]) {
            let mut v = 0_u32;
            for i in 0..1 {
                v -= 1;
                let row = &mut wide[i..1];
            }
        }
    }
    mod sum_overflows_in_the_iteration_of_an_assertion {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i8 {
            let mut s = 100_i8;
            for i in 0..x.len() {
                s += 1;
                assert!(i != 27, "stop");
            }
            s
        }
    }
    mod sum_overflows_after_an_assertion {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i8 {
            let mut s = 100_i8;
            for i in 0..x.len() {
                assert!(i != 27, "stop");
                s += 1;
            }
            s
        }
    }
    mod bins_overflow_in_the_iteration_of_an_assertion {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> [u8; 3] {
            let mut h = [250_u8; 3];
            for i in 0..x.len() {
                h[i % 3] += 1;
                assert!(i != 15, "stop");
            }
            h
        }
    }
    mod bins_overflow_in_place {
        #[forall::kary_reduce]
        fn program(out: &mut [i64]) -> [u8; 3] {
            let mut h = [250_u8; 3];
            for i in 0..out.len() {
                h[i % 3] -= 100;
                out[i] = out[i] + 1;
            }
            h
        }
    }
    mod adds_and_subtracts_and_is_too_low {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i8 {
            let mut s = 0_i8;
            for i in 0..x.len() {
                s += -3;
                if i % 5 == 0 {
                    s -= 1;
                }
            }
            s
        }
    }
    mod adds_and_subtracts_and_is_too_high {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i8, u8) {
            let (mut s, mut t) = (0_i8, 200_u8);
            for i in 0..x.len() {
                s -= -3;
                if i % 5 == 0 {
                    s += 1;
                }
                t -= 2;
            }
            (s, t)
        }
    }
    mod two_sums_of_which_one_is_first {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i8, u8, i16) {
            let (mut s, mut t, mut p) = (0_i8, 200_u8, 1_i16);
            for i in 0..x.len() {
                t -= 2;
                if i > 90 {
                    s += 100;
                }
                p *= 1;
            }
            (s, t, p)
        }
    }
    mod zero_times_three {
        #[forall::distributed_scan]
        pub fn program(x: &[f32]) -> f32 {
            let mut v = 0_f32;
            for i in 0..x.len() {
                v = v * 3_f32 + 0_f32;
            }
            v
        }
    }
    mod zero_times_a_number {
        #[forall::distributed_scan]
        pub fn program(x: &[f32], out: &mut [f32], k: f32) {
            let mut v = 0_f32;
            for i in 0..x.len() {
                v = v * k;
                out[i] = v;
            }
        }
    }
    mod zero_times_elements {
        #[forall::distributed_scan]
        pub fn program(x: &[f32], out: &mut [f32]) {
            let mut v = 0_f32;
            for i in 0..x.len() {
                let e = x[i];
                v = v * e;
                out[i] = v;
            }
        }
    }
    mod up_and_down_again {
        #[forall::distributed_scan]
        pub fn program(x: &[f32], out: &mut [f32]) {
            let mut v = 1_f32;
            for i in 0..x.len() {
                let e = if i / 100 % 2 == 0 { 1.1 } else { 0.9 };
                v = v * e + 0.001;
                out[i] = v;
            }
        }
    }
    mod three_times_less_two {
        #[forall::distributed_scan]
        pub fn program(x: &[f64], out: &mut [f64]) {
            let mut v = 1_f64;
            for i in 0..x.len() {
                v = v * 3.0 - 2.0;
                out[i] = v;
            }
        }
    }
    mod grows_and_starts_again {
        #[forall::distributed_scan]
        pub fn program(x: &[f32], out: &mut [f32]) -> f32 {
            let mut v = 0_f32;
            for i in 0..x.len() {
                v = v * 10.0 + 1.0;
                if i % 30 == 29 {
                    v = 0.0;
                }
                out[i] = v;
            }
            v
        }
    }
    mod large_numbers_that_cancel {
        #[forall::distributed_scan]
        pub fn program(x: &[f32], out: &mut [f32]) {
            let mut v = 0_f32;
            for i in 0..x.len() {
                v += if i % 2 == 0 { 3e38 } else { -3e38 };
                out[i] = v;
            }
        }
    }
    mod one_that_feeds_another {
        #[forall::distributed_scan]
        pub fn program(x: &[f32], out: &mut [f32]) -> (f32, f32) {
            let (mut v, mut w) = (0_f32, 1_f32);
            for i in 0..x.len() {
                v = v * 7.0;
                w = w * 0.5 + v;
                out[i] = w;
            }
            (v, w)
        }
    }
    mod backwards_from_zero {
        #[forall::distributed_scan]
        pub fn program(x: &[f32], out: &mut [f32]) -> f32 {
            let mut v = 0_f32;
            for i in (0..x.len()).rev() {
                v = v * -5.0;
                out[i] = v + x[i];
            }
            v
        }
    }
}
