//! Accumulated values: best ones, ties, what cannot be compared, overflow.

mod right {
    mod best_not_less_nan {
        #[forall::kary_reduce]
        fn program(x: &[f64], on: &[bool]) -> (f64, usize) {
            let (mut m, mut at) = (1e9, 0);
            for i in 0..x.len() {
                let e = if on[i] { f64::NAN } else { x[i] };
                if !(e >= m) {
                    m = e;
                    at = i;
                }
            }
            (m, at)
        }
    }
    mod best_negated {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut m, mut at) = (-100, 0);
            for i in 0..x.len() {
                if !(x[i] <= m) {
                    m = x[i];
                    at = i;
                }
            }
            (m, at)
        }
    }
    mod two_sums_swapped {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let (mut a, mut b) = (0, 0);
            for i in 0..x.len() {
                a += x[i];
                (a, b) = (b, a);
            }
            (a, b)
        }
    }
    mod clamp_mix {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v = 0;
            for i in 0..x.len() {
                v = v.max(x[i]).min(20);
            }
            v
        }
    }
    mod combined_by_what_panics_at_parts {
        fn add(a: i64, b: i64) -> i64 {
            assert!(b < 1000, "too much {b}");
            a + b
        }
        #[forall::kary_reduce(combine = add)]
        fn program(x: &[i64]) -> i64 {
            let mut v = 0;
            for i in 0..x.len() {
                v = add(v, x[i] * 2);
            }
            v
        }
    }

    mod combined_by_what_panics_at_a_chunk {
        fn add(a: i64, b: i64) -> i64 {
            assert!(b < 60, "too much {b}");
            a + b
        }
        #[forall::kary_reduce(combine = add)]
        fn program(x: &[i64]) -> i64 {
            let mut v = 0;
            for i in 0..x.len() {
                v = add(v, x[i]);
            }
            v
        }
    }

    mod combined_by_what_panics_at_the_whole {
        fn add(a: i64, b: i64) -> i64 {
            assert!(a < 900, "too much {a}");
            a + b
        }
        #[forall::kary_reduce(combine = add)]
        fn program(x: &[i64]) -> i64 {
            let mut v = 0;
            for i in 0..x.len() {
                v = add(v, x[i]);
            }
            v
        }
    }

    mod best_nan {
        #[forall::kary_reduce]
        fn program(x: &[f64], on: &[bool]) -> (f64, usize) {
            let (mut m, mut at) = (1e9, 0);
            for i in 0..x.len() {
                let e = if on[i] { f64::NAN } else { x[i] };
                if e < m {
                    m = e;
                    at = i;
                }
            }
            (m, at)
        }
    }

    mod best_nan_at_start {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut m, mut at) = (f64::NAN, 0);
            for i in 0..x.len() {
                let e = x[i];
                if e < m {
                    m = e;
                    at = i;
                }
            }
            (m, at)
        }
    }

    mod drawdown {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut m = i64::MIN;
            for i in 0..x.len() {
                m = m.max(x[i]);
                out[i] = m - x[i];
            }
        }
    }

    mod drawdown_reduced {
        #[forall::distributed_scan]
        fn program(x: &[i64]) -> i64 {
            let (mut m, mut d) = (i64::MIN, 0);
            for i in 0..x.len() {
                m = m.max(x[i]);
                d = d.max(m - x[i]);
            }
            d
        }
    }

    mod last_of_repeated {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut m, mut at) = (-100, 0);
            for i in 0..x.len() {
                if x[i] >= m {
                    m = x[i];
                    at = i;
                }
            }
            (m, at)
        }
    }

    mod polynomial_overflow {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0i64;
            for i in 0..x.len() {
                v = v * 31 + x[i];
                out[i] = v;
            }
        }
    }

    mod push_two_in_order {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut a = Vec::new();
            for i in 0..x.len() {
                a.push(x[i]);
                if x[i] > 3 {
                    a.push(i as i64);
                }
            }
            a
        }
    }

    mod recurrence_reset_by_zero {
        #[forall::distributed_scan]
        fn program(x: &[i64], on: &[bool], out: &mut [i64]) {
            let mut v = 1i64;
            for i in 0..x.len() {
                let a = if on[i] { 0 } else { 3 };
                v = v * a + x[i];
                out[i] = v;
            }
        }
    }

    mod recurrence_small_type {
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let mut v = 1u8;
            for i in 0..x.len() {
                v = v * (x[i] % 2) + x[i] % 100;
                out[i] = v;
            }
        }
    }
}

mod refused {
    mod best_of_two {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (i64, i64) {
            let (mut m, mut q) = (-100, -100);
            for i in 0..x.len() {
                if x[i] > m && y[i] > q {
                    m = x[i];
                    q = y[i];
                }
            }
            (m, q)
        }
    }


    mod max_of_min_with_itself {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v = 0;
            for i in 0..x.len() {
                v = v.max(x[i].min(v + 3));
            }
            v
        }
    }

    mod push_sorted {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut a = Vec::new();
            for i in 0..x.len() {
                let at = a.partition_point(|e| *e < x[i]);
                a.insert(at, x[i]);
            }
            a
        }
    }

    mod push_to_captured {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> (Vec<i64>, Vec<usize>) {
            let (mut a, mut b) = (vec![], vec![]);
            for i in 0..x.len() {
                if x[i] > 3 {
                    a.push(x[i]);
                } else {
                    b.push(a.len());
                }
            }
            (a, b)
        }
    }

    mod second_best {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let (mut m, mut s) = (-100, -100);
            for i in 0..x.len() {
                if x[i] > m {
                    m = x[i];
                } else {
                    s = s.max(x[i]);
                }
            }
            (m, s)
        }
    }

    mod sum_with_itself {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v = 1;
            for i in 0..x.len() {
                v += x[i] * (v % 2);
            }
            v
        }
    }

}
