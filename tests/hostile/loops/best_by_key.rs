//! Best values by a key: an expression of the value that is compared.

mod refused {
    mod key_of_the_iteration {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> i64 {
            let mut b = 100_i64;
            for i in 0..x.len() {
                if (x[i] - y[i]).abs() < (b - y[i]).abs() {
                    b = x[i];
                }
            }
            b
        }
    }
    mod key_of_a_variable_of_the_body {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> i64 {
            let mut b = 100_i64;
            for i in 0..x.len() {
                let t = y[i];
                if (x[i] - t).abs() < (b - t).abs() {
                    b = x[i];
                }
            }
            b
        }
    }
    mod key_of_a_variable_that_changes {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = 100_i64;
            let mut t = 0;
            for &v in x {
                t += 1;
                if (v - t).abs() < (b - t).abs() {
                    b = v;
                }
            }
            b
        }
    }
    mod another_value {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = 100_i64;
            for &v in x {
                if v.abs() < b.abs() {
                    b = v + 1;
                }
            }
            b
        }
    }
    mod another_key {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = 100_i64;
            for &v in x {
                if (v - 1).abs() < b.abs() {
                    b = v;
                }
            }
            b
        }
    }
    mod companion_in_the_key {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (i64, i64) {
            let (mut b, mut c) = (100_i64, 3);
            for i in 0..x.len() {
                if x[i].abs() + y[i] < b.abs() + c {
                    b = x[i];
                    c = y[i];
                }
            }
            (b, c)
        }
    }
    mod set_elsewhere {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = 100_i64;
            for i in 0..x.len() {
                if x[i].abs() < b.abs() {
                    b = x[i];
                }
                if x[i] == 7 {
                    b = 50;
                }
            }
            b
        }
    }
    mod effects_in_the_key {
        fn key(v: i64, calls: &mut i64) -> i64 {
            *calls += 1;
            (v * 7) % 13
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let (mut b, mut calls) = (100_i64, 0);
            for &v in x {
                if key(v, &mut calls) < key(b, &mut calls) {
                    b = v;
                }
            }
            (b, calls)
        }
    }
}
mod right {
    mod key_of_a_slice {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> usize {
            let mut b = 0;
            for i in 0..x.len() {
                if x[i].abs() < x[b].abs() {
                    b = i;
                }
            }
            b
        }
    }
    mod references {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[i64]) -> (f64, i64) {
            let (mut b, mut c) = (3.0_f64, 100_i64);
            for v in x {
                if v.abs() < b.abs() {
                    b = *v;
                }
            }
            for (i, v) in y.iter().enumerate() {
                if i % 3 > 0 && v * v < c * c {
                    c = *v;
                }
            }
            (b, c)
        }
    }
    mod absolute {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let mut b: f64 = 0.0;
            let mut at = 0;
            for i in 0..x.len() {
                if x[i].abs() > b.abs() {
                    b = x[i];
                    at = i;
                }
            }
            (b, at)
        }
    }
    mod absolute_by_the_function {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let mut b = 1e30;
            let mut at = 0;
            for i in 0..x.len() {
                let v = x[i];
                if f64::abs(v) <= f64::abs(b) {
                    b = v;
                    at = i;
                }
            }
            (b, at)
        }
    }
    mod squares {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> i64 {
            let mut b = 100_i64;
            for &v in x {
                if (v - k) * (v - k) < (b - k) * (b - k) {
                    b = v;
                }
            }
            b
        }
    }
    mod parts_of_a_pair {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (i64, i64) {
            let mut best = (1000_i64, 0_i64);
            for i in 0..x.len() {
                if x[i].abs() + y[i].abs() < best.0.abs() + best.1.abs() {
                    best = (x[i], y[i]);
                }
            }
            best
        }
    }
    mod a_named_pair {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (i64, i64) {
            let mut best = (1000_i64, 0);
            for (p, q) in x.iter().zip(y) {
                let pair = (*p, *q);
                if pair.0 < best.0 {
                    best = pair;
                }
            }
            best
        }
    }
    mod conditions_beside {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64], k: i64) -> (i64, i64, u8) {
            let (mut b, mut with, mut kind) = (-50_i64, 0, 0_u8);
            for i in 0..x.len() {
                if y[i] > k && (b % 7 + 1).pow(2) < (x[i] % 7 + 1).pow(2) {
                    b = x[i];
                    with = y[i] * 2;
                    kind = 1;
                }
            }
            (b, with, kind)
        }
    }
    mod total_order {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut b = 3.0_f64;
            for &v in x {
                if (v * v).total_cmp(&(b * b)).is_gt() {
                    b = v;
                }
            }
            b
        }
    }
    mod scan {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut b = 0.5_f64;
            for i in 0..x.len() {
                if x[i].abs() > b.abs() {
                    b = x[i];
                }
                out[i] = b;
            }
        }
    }
    mod by_a_closure {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> i64 {
            let far = |v: i64| (v - k).abs() % 19;
            let mut b = 100_i64;
            for &v in x {
                if far(v) < far(b) {
                    b = v;
                }
            }
            b
        }
    }
    mod by_a_function {
        fn far(v: i64, k: i64) -> i64 {
            (v - k).abs() % 19
        }
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> (i64, usize) {
            let mut b = 100_i64;
            let mut at = 0;
            for i in 0..x.len() {
                if far(x[i], k) > far(b, k) {
                    b = x[i];
                    at = i;
                }
            }
            (b, at)
        }
    }
}
