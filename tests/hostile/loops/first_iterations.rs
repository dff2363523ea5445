//! Loops whose first iteration begins the values.

mod right {
    mod first_iteration_of_three {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> (f64, f64, i64) {
            let (mut a, mut b, mut n) = (0.0, 0.0, 0);
            for (i, (&p, q)) in x.iter().zip(y.iter()).enumerate() {
                if i == 0 {
                    a = p;
                    b = *q;
                } else {
                    if p < a {
                        a = p;
                    }
                    if b < *q {
                        b = *q;
                    }
                    n += 1;
                }
            }
            (a, b, n)
        }
    }
    mod greatest_from_the_first {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut m = 0.0;
            for i in 0..x.len() {
                if i == 0 || x[i] > m {
                    m = x[i];
                }
            }
            m
        }
    }
    mod greatest_from_the_first_with_its_place {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let mut m = 0.0;
            let mut k = 0;
            for i in 0..x.len() {
                if i == 0 || x[i] > m {
                    m = x[i];
                    k = i;
                }
            }
            (m, k)
        }
    }
    mod greatest_from_the_first_by_else {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut m = 0.0;
            for i in 0..x.len() {
                if i == 0 {
                    m = x[i];
                } else if x[i] > m {
                    m = x[i];
                }
            }
            m
        }
    }
    mod the_first_by_greater {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                if i > 0 && x[i] <= m {
                } else {
                    m = x[i];
                }
            }
            m
        }
    }
    mod the_first_that_continues {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let mut m = 0.0;
            let mut k = 0;
            for i in 0..x.len() {
                let v = x[i];
                if i == 0 {
                    m = v;
                    k = i;
                    continue;
                }
                if v > m {
                    m = v;
                    k = i;
                }
            }
            (m, k)
        }
    }
    mod the_first_after_zero {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let mut m = 0;
            let mut k = 0;
            for i in 1..x.len() {
                if i == 1 || x[i] < m {
                    m = x[i];
                    k = i;
                }
            }
            (m, k)
        }
    }
    mod the_first_and_some_others {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                if i == 0 {
                    m = x[i];
                    continue;
                }
                if x[i] % 3 == 0 {
                    continue;
                }
                if x[i] > m {
                    m = x[i];
                }
            }
            m
        }
    }
    mod not_greater_than_the_first {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut m, mut k) = (0, 0);
            for i in 0..x.len() {
                if !(i > 0) || x[i] > m {
                    m = x[i];
                    k = i;
                }
            }
            (m, k)
        }
    }
    mod both_extrema_from_the_first {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, f64) {
            let (mut lo, mut hi) = (0.0, 0.0);
            for i in 0..x.len() {
                if i == 0 {
                    lo = x[i];
                    hi = x[i];
                } else {
                    if x[i] < lo {
                        lo = x[i];
                    }
                    if x[i] > hi {
                        hi = x[i];
                    }
                }
            }
            (lo, hi)
        }
    }
    mod a_maximum_from_the_first {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut m = 0.0;
            for i in 0..x.len() {
                if i == 0 {
                    m = x[i];
                } else {
                    m = m.max(x[i]);
                }
            }
            m
        }
    }
    mod a_chosen_maximum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut m = 0.0;
            for i in 0..x.len() {
                m = if i == 0 { x[i] } else { x[i].max(m) };
            }
            m
        }
    }
    mod the_first_as_a_number {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let mut m = 0.0;
            let mut k = 0;
            for i in 0..x.len() {
                if i == 0 {
                    m = x[0];
                    k = 0;
                } else if x[i] > m {
                    m = x[i];
                    k = i;
                }
            }
            (m, k)
        }
    }
    mod extrema_and_a_sum_from_n {
        #[forall::kary_reduce]
        fn program(x: &[f64], n: usize) -> (f64, f64, f64) {
            let (mut lo, mut hi, mut s) = (0.0, 0.0, 0.0);
            for i in n..x.len() {
                let v = x[i] * 2.0;
                if i == n || v < lo {
                    lo = v;
                }
                if i == n || v > hi {
                    hi = v;
                }
                s += v;
            }
            (lo, hi, s)
        }
    }
    mod extrema_beside_an_array {
        #[forall::kary_reduce]
        fn program(x: &[f64], o: &mut [f64]) -> f64 {
            let mut m = 0.0;
            for i in 0..x.len() {
                o[i] = x[i] + 1.0;
                if i == 0 {
                    m = x[i];
                } else {
                    m = m.min(x[i]);
                }
            }
            m
        }
    }
    mod a_first_that_is_no_candidate {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (i64, usize) {
            let mut m = 0;
            let mut k = 0;
            for i in 0..x.len() {
                if y[i] > 0 {
                    if i == 0 || x[i] > m {
                        m = x[i];
                        k = i;
                    }
                }
            }
            (m, k)
        }
    }
    mod a_counter_of_a_type {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> u64 {
            let mut m = 0u64;
            for i in 0..x.len() as u32 {
                let v = (!i) as u64 % 1000;
                if i == 0 {
                    m = v;
                } else {
                    m = m.max(v);
                }
            }
            m
        }
    }
    mod a_counter_with_methods {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> u64 {
            let mut m = 0u64;
            for i in 0..x.len() as u8 % 9 {
                let v = (i.wrapping_sub(1)) as u64;
                if i == 0 {
                    m = v;
                } else {
                    m = m.max(v);
                }
            }
            m
        }
    }
    mod a_counter_of_a_closed_range {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let (mut lo, mut hi) = (0, 0);
            for i in 1..=x.len() as i16 % 11 {
                let v = (!i) as i64 + (i as i64);
                if i == 1 {
                    lo = v;
                    hi = v;
                } else {
                    lo = lo.min(v * i as i64);
                    hi = hi.max(v);
                }
            }
            (lo, hi)
        }
    }
    mod bits_of_a_counter {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (u32, u32) {
            let (mut lo, mut hi) = (0, 0);
            for i in 0..x.len() as u8 % 9 {
                let v = (i.leading_zeros());
                if i == 0 {
                    lo = v;
                    hi = v;
                } else {
                    lo = lo.min(v);
                    hi = hi.max(v);
                }
            }
            (lo, hi)
        }
    }
    mod the_first_or_less {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = 9;
            for i in 0..x.len() {
                if i != 0 && x[i] > m {
                    continue;
                }
                m = x[i];
            }
            m
        }
    }
    mod first_of_items {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut m = 0.0;
            for (i, &v) in x.iter().enumerate() {
                if i == 0 {
                    m = v;
                } else {
                    m = m.max(v);
                }
            }
            m
        }
    }
    mod first_of_items_chosen {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut m = 0.0;
            for (i, &v) in x.iter().enumerate() {
                m = if i == 0 { v } else { v.max(m) };
            }
            m
        }
    }
    mod first_of_items_both {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, f64) {
            let mut lo = 0.0;
            let mut hi = 0.0;
            for (k, v) in x.iter().enumerate() {
                if k == 0 {
                    lo = *v;
                    hi = *v;
                } else {
                    if *v < lo {
                        lo = *v;
                    }
                    if *v > hi {
                        hi = *v;
                    }
                }
            }
            (lo, hi)
        }
    }
    mod first_of_items_in_a_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 1.0;
            for (i, v) in x.iter().copied().enumerate() {
                if i == 0 {
                    s = 2.0 * v;
                } else {
                    s += v;
                }
            }
            s
        }
    }
    mod first_of_pairs {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> i64 {
            let mut m = 0;
            for (i, (a, b)) in x.iter().zip(y.iter()).enumerate() {
                let d = a.wrapping_sub(*b);
                if i == 0 {
                    m = d;
                } else {
                    m = m.max(d);
                }
            }
            m
        }
    }
    mod first_of_pairs_by_value {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> i64 {
            let mut m = 0;
            for (i, (&a, b)) in x.iter().zip(y.iter().copied()).enumerate() {
                let d = a.wrapping_sub(b);
                if i == 0 {
                    m = d;
                } else if m < d {
                    m = d;
                }
            }
            m
        }
    }
    mod first_of_pairs_and_a_slice {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> i64 {
            let mut m = 0;
            for (i, (&a, &b)) in x.iter().zip(y).enumerate() {
                let d = a.wrapping_sub(b);
                if i == 0 {
                    m = d;
                } else {
                    m = m.max(d);
                }
            }
            m
        }
    }
}

mod refused {
    mod the_first_item_of_a_set {
        #[forall::kary_reduce]
        fn program(x: &[u32]) -> u32 {
            let mut s = 0;
            let m = x.iter().map(|x| x / 2).collect::<std::collections::BTreeSet<_>>();
            for (i, v) in m.iter().enumerate() {
                if i == 0 {
                    s = *v;
                } else {
                    s = s.max(*v);
                }
            }
            s
        }
    }
}
