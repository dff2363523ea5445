//! Comparisons that keep a value, with another branch.

mod right {
    mod best_trade {
        #[forall::distributed_scan]
        fn program(x: &[f64]) -> f64 {
            let mut lo = f64::MAX;
            let mut best = 0.0;
            for &v in x {
                if v < lo {
                    lo = v;
                } else if v - lo > best {
                    best = v - lo;
                }
            }
            best
        }
    }
    mod best_trade_of_integers {
        #[forall::distributed_scan]
        fn program(x: &[i32]) -> i32 {
            let mut lo = i32::MAX;
            let mut best = 0;
            for &v in x {
                if v < lo {
                    lo = v;
                } else if v.wrapping_sub(lo) > best {
                    best = v.wrapping_sub(lo);
                }
            }
            best
        }
    }
    mod since_the_peak {
        #[forall::distributed_scan]
        fn program(x: &[f64], o: &mut [f64]) {
            let mut hi = f64::MIN;
            let mut n = 0;
            for i in 0..x.len() {
                if x[i] > hi {
                    hi = x[i];
                } else {
                    n += 1;
                }
                o[i] = hi * n as f64;
            }
        }
    }
    mod below_the_peak {
        #[forall::distributed_scan]
        fn program(x: &[f64], o: &mut [f64]) {
            let mut hi = f64::MIN;
            let mut s = 0.0;
            for i in 0..x.len() {
                if x[i] > hi {
                    hi = x[i];
                } else {
                    s += hi - x[i];
                }
                o[i] = s;
            }
        }
    }
    mod the_last_peak {
        #[forall::distributed_scan]
        fn program(x: &[f64], o: &mut [f64]) {
            let mut hi = f64::MIN;
            let mut s = 0.0;
            for i in 0..x.len() {
                if hi < x[i] {
                    hi = x[i];
                } else {
                    s = hi;
                }
                o[i] = s;
            }
        }
    }
    mod three_branches {
        #[forall::distributed_scan]
        fn program(x: &[f64], o: &mut [f64]) {
            let mut hi = f64::MIN;
            let mut n = 0;
            let mut e = 0;
            for i in 0..x.len() {
                if hi < x[i] {
                    hi = x[i];
                } else if x[i] == hi {
                    e += 1;
                } else {
                    n += 1;
                }
                o[i] = (n * 2 + e) as f64;
            }
        }
    }
    mod peaks_of_two {
        #[forall::distributed_scan]
        fn program(x: &[f64], y: &[f64], o: &mut [f64]) {
            let mut hi = f64::MIN;
            let mut lo = f64::MAX;
            for i in 0..x.len() {
                if x[i] > hi {
                    hi = x[i];
                } else if y[i] < lo {
                    lo = y[i];
                }
                o[i] = hi + lo;
            }
        }
    }
    mod no_number_at_the_peak {
        #[forall::distributed_scan]
        fn program(x: &[f64], o: &mut [f64]) {
            let mut hi = f64::NAN;
            let mut n = 0;
            for i in 0..x.len() {
                if x[i] > hi {
                    hi = x[i];
                } else {
                    n += 1;
                }
                o[i] = n as f64;
            }
        }
    }
    mod both_ends_with_places {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize, f64, usize) {
            if x.is_empty() {
                return (0.0, 0, 0.0, 0);
            }
            let (mut lo, mut li, mut hi, mut hj) = (x[0], 0, x[0], 0);
            for i in 1..x.len() {
                if x[i] < lo {
                    lo = x[i];
                    li = i;
                } else if x[i] > hi {
                    hi = x[i];
                    hj = i;
                }
            }
            (lo, li, hi, hj)
        }
    }
    mod both_ends_of_columns {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> ([f64; 2], [f64; 2]) {
            let mut lo = [0.0; 2];
            let mut hi = [0.0; 2];
            for i in 0..x.len() {
                let p = [x[i], y[i]];
                for d in 0..2 {
                    if p[d] < lo[d] {
                        lo[d] = p[d];
                    } else if p[d] > hi[d] {
                        hi[d] = p[d];
                    }
                }
            }
            (lo, hi)
        }
    }
    mod both_ends_by_items {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let mut lo = 0;
            let mut hi = 0;
            for &v in x {
                if v < lo {
                    lo = v;
                } else if v > hi {
                    hi = v;
                }
            }
            (lo, hi)
        }
    }
}

mod refused {
    mod old_upper_end_by_another_name {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, f64, f64) {
            let mut lo = 0.0;
            let mut hi = 0.0;
            let mut t = 0.0;
            for &v in x {
                let h = hi;
                if v < lo {
                    lo = v;
                } else if v > hi {
                    hi = v;
                }
                t += h;
            }
            (lo, hi, t)
        }
    }
    mod exit_beside_a_kept_value {
        #[forall::distributed_scan]
        fn program(x: &[f64], o: &mut [f64]) {
            let mut lo = f64::MAX;
            let mut n = 0.0;
            for i in 0..x.len() {
                if x[i] < lo {
                    lo = x[i];
                } else if n > 5.0 {
                    break;
                } else {
                    n += 1.0;
                }
                o[i] = n;
            }
        }
    }
    mod columns_that_begin_apart {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> ([f64; 3], [f64; 3]) {
            let mut lo = [f64::MAX; 3];
            let mut hi = [f64::MIN; 3];
            for i in 0..x.len() {
                let p = [x[i], y[i], x[i] * y[i]];
                for d in 0..3 {
                    if p[d] < lo[d] {
                        lo[d] = p[d];
                    } else if p[d] > hi[d] {
                        hi[d] = p[d];
                    }
                }
            }
            (lo, hi)
        }
    }
    mod a_branch_that_changes_the_value {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, f64, f64) {
            let mut lo = 0.0;
            let mut hi = 0.0;
            let mut t = 0.0;
            for &v in x {
                let mut v = v;
                if v < lo {
                    lo = v;
                    v = 9.0;
                } else if v > hi {
                    hi = v;
                }
                t += v;
            }
            (lo, hi, t)
        }
    }
    mod columns_at_another_index {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> ([f64; 3], [f64; 3]) {
            let mut lo = [0.0; 3];
            let mut hi = [0.0; 3];
            for i in 0..x.len() {
                let p = [x[i], y[i], x[i] * y[i]];
                for d in 0..2 {
                    if p[d] < lo[d] {
                        lo[d] = p[d];
                    } else if p[d] > hi[d + 1] {
                        hi[d + 1] = p[d];
                    }
                }
            }
            (lo, hi)
        }
    }
    mod means_of_integers {
        #[forall::distributed_scan]
        fn program(x: &[i64], o: &mut [i64]) {
            let mut m = 0;
            let mut n = 0;
            for i in 0..x.len() {
                n += 1;
                m += (x[i] % 1000 - m) / n;
                o[i] = m;
            }
        }
    }
    mod one_end_at_the_other {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, f64) {
            let mut lo = 1.0;
            let mut hi = -1.0;
            for &v in x {
                if v < lo {
                    lo = v;
                } else if v > hi {
                    hi = v;
                }
            }
            (lo, hi)
        }
    }
    mod both_ends_and_a_count {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, f64, usize) {
            let mut lo = 0.0;
            let mut hi = 0.0;
            let mut n = 0;
            for &v in x {
                if v < lo {
                    lo = v;
                    n += 1;
                } else if v > hi {
                    hi = v;
                }
            }
            (lo, hi, n)
        }
    }
    mod the_counter_of_other_items {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> f64 {
            let mut m = 0.0;
            for (i, &v) in x.iter().skip(1).enumerate() {
                if i == 0 {
                    m = v + y.len() as f64;
                } else {
                    m = m.max(v);
                }
            }
            m
        }
    }
}
