//! Loops that look as if a special value or the first iteration said that there is no value yet, or as if they broke ties.

mod refused {
    mod own_is_nan {
        #[derive(Clone, Copy, PartialEq, PartialOrd)]
        struct W(i64);
        impl W {
            fn is_nan(&self) -> bool {
                self.0 % 3 == 0
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = W(0);
            for i in 0..x.len() {
                let v = W(x[i]);
                if m.is_nan() || v > m {
                    m = v;
                }
            }
            m.0
        }
    }
    mod own_is_nan_that_counts {
        use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
        static N: AtomicUsize = AtomicUsize::new(0);
        trait Odd {
            fn is_nan(&self) -> bool;
        }
        impl Odd for i64 {
            fn is_nan(&self) -> bool {
                N.fetch_add(1, Relaxed) % 7 == 0
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            N.store(0, Relaxed);
            let mut m = 0i64;
            for i in 0..x.len() {
                if m.is_nan() || x[i] > m {
                    m = x[i];
                }
            }
            m
        }
    }
    mod a_mark_that_changes {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let mut n = 0;
            let mut m = 0;
            let mut k = 0;
            for i in 0..x.len() {
                n += 1;
                if k == n || x[i] > m {
                    m = x[i];
                    k = i;
                }
            }
            (m, k + n)
        }
    }
    mod another_second_key {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (i64, i64) {
            let (mut m, mut b) = (0, 9);
            for i in 0..x.len() {
                if x[i] > m || x[i] == m && y[i] < b {
                    m = x[i];
                    b = y[i] + 1;
                }
            }
            (m, b)
        }
    }
    mod the_second_iteration {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let mut m = 0;
            let mut k = 0;
            for i in 0..x.len() {
                if i == 1 || x[i] < m {
                    m = x[i];
                    k = i;
                }
            }
            (m, k)
        }
    }
    mod the_first_of_an_inner_loop {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                for j in 0..4 {
                    let v = x[i] * j;
                    if j == 0 || v > m {
                        m = v;
                    }
                }
            }
            m
        }
    }
    mod the_first_of_an_outer_loop {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                for j in 0..4 {
                    let v = x[i] * j;
                    if i == 0 || v > m {
                        m = v;
                    }
                }
            }
            m
        }
    }
    mod another_key_kept {
        #[forall::distributed_scan]
        fn program(x: &[i64], o: &mut [i64]) {
            let mut v = 0;
            let mut last = 0;
            for i in 0..x.len() {
                if x[i] != last {
                    v = 0;
                    last = x[i] + 1;
                }
                v += x[i];
                o[i] = v;
            }
        }
    }
    mod a_key_that_is_used {
        #[forall::distributed_scan]
        fn program(x: &[i64], o: &mut [i64]) {
            let mut v = 0;
            let mut last = 0;
            for i in 0..x.len() {
                if x[i] != last {
                    v = last;
                    last = x[i];
                }
                v += x[i];
                o[i] = v;
            }
        }
    }
    mod a_key_that_is_skipped {
        #[forall::distributed_scan]
        fn program(x: &[i64], o: &mut [i64]) {
            let mut v = 0;
            let mut last = 0;
            for i in 0..x.len() {
                if x[i] != last {
                    v = 0;
                    if i % 3 == 0 {
                        continue;
                    }
                    last = x[i];
                }
                v += x[i];
                o[i] = v;
            }
        }
    }
    mod a_key_that_changes {
        #[forall::distributed_scan]
        fn program(x: &[i64], o: &mut [i64]) {
            let mut v = 0;
            let mut last = 0;
            for i in 0..x.len() {
                let mut key = x[i];
                if key != last {
                    v = 0;
                    last = key;
                    key += 1;
                }
                v += key;
                o[i] = v;
            }
        }
    }
    mod members_swapped {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let mut s = (0, 1);
            for i in 0..x.len() {
                s = (s.1 + x[i], s.0);
            }
            s
        }
    }
    mod a_member_of_another {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let mut s = (0, 1);
            for i in 0..x.len() {
                s = (s.0 + x[i], s.0);
            }
            s
        }
    }
    mod a_clamp_that_is_none {
        #[forall::distributed_scan]
        fn program(x: &[f64], o: &mut [f64]) {
            let mut v = 0.5f64;
            for i in 0..x.len() {
                v += x[i];
                if v < 1.0 {
                    v = 1.0;
                } else if v > 0.0 {
                    v = 0.0;
                }
                o[i] = v;
            }
        }
    }
    mod a_mark_that_stops {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let mut m = f64::MAX;
            let mut k = usize::MAX;
            for i in 0..x.len() {
                if (m == f64::MAX || x[i] < m) && k != 2 {
                    m = x[i];
                    k = i;
                }
            }
            (m, k)
        }
    }
    mod a_count_that_says_there_is_none {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut m, mut n) = (0, 0);
            for i in 0..x.len() {
                if n == 0 || x[i] > m {
                    m = x[i];
                }
                n += 1;
            }
            (m, n)
        }
    }
    mod extrema_that_begin_apart {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let (mut lo, mut hi) = (i64::MAX, i64::MIN);
            for i in 0..x.len() {
                if x[i] < lo {
                    lo = x[i];
                } else if x[i] > hi {
                    hi = x[i];
                }
            }
            (lo, hi)
        }
    }
    mod a_recurrence_from_the_first {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                if i == 0 {
                    m = x[i];
                } else {
                    m = m * 2 + x[i];
                }
            }
            m
        }
    }
    mod an_end_with_side_effects {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let mut n = 0;
            let mut next = || {
                n += 1;
                n
            };
            let (mut lo, mut hi) = (0, 0);
            for i in 0..next() {
                if i == 0 {
                    lo = x.len() as i64;
                    hi = lo;
                } else {
                    lo = lo.min(i);
                    hi = hi.max(i);
                }
            }
            (lo, hi + next())
        }
    }
    mod an_end_that_changes {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let (mut lo, mut hi) = (0, 0);
            let mut n = x.len();
            for i in 0..n {
                if i == 0 {
                    lo = x[i];
                    hi = x[i];
                } else {
                    lo = lo.min(x[i]);
                    hi = hi.max(x[i]);
                }
                n = 3;
            }
            (lo, hi + n as i64)
        }
    }
    mod a_start_that_changes {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let (mut lo, mut hi) = (0, 0);
            let mut a = 0;
            for i in a..x.len() {
                if i == a {
                    lo = x[i];
                    hi = x[i];
                } else {
                    lo = lo.min(x[i]);
                    hi = hi.max(x[i]);
                }
                {
                    let r = &mut a;
                    *r += 1;
                }
            }
            (lo, hi)
        }
    }
    mod a_mark_by_another_name {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let mut m = 0;
            let mut k = usize::MAX;
            for i in 0..x.len() {
                let r = &mut k;
                if *r == usize::MAX || x[i] > m {
                    m = x[i];
                    *r = i;
                }
            }
            (m, k)
        }
    }
    mod a_mark_that_decides_about_the_end {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let mut m = 0;
            let mut k = usize::MAX;
            for i in 0..x.len() {
                let best = k;
                if best == usize::MAX || x[i] > m {
                    m = x[i];
                    k = i;
                    if i % 5 == 4 {
                        break;
                    }
                }
            }
            (m, k)
        }
    }
    mod a_first_that_decides_about_the_end {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let mut m = 0;
            let mut k = 0;
            for i in 0..x.len() {
                if i == 0 || x[i] > m {
                    m = x[i];
                    k = i;
                    if x[i] > 7 {
                        return (m, k);
                    }
                }
            }
            (m, k)
        }
    }
    mod a_second_key_by_another_name {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (i64, i64) {
            let (mut m, mut b) = (0, 9);
            for i in 0..x.len() {
                let c = &mut b;
                if x[i] > m || x[i] == m && y[i] < *c {
                    m = x[i];
                    *c = y[i];
                }
            }
            (m, b)
        }
    }
    mod a_second_key_that_goes_on {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (i64, i64) {
            let (mut m, mut b) = (0, 9);
            for i in 0..x.len() {
                if x[i] > m || x[i] == m && y[i] < b {
                    m = x[i];
                    b = y[i];
                }
                b = b.min(5);
            }
            (m, b)
        }
    }
    mod members_swapped_by_a_branch {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let mut s = (0, 3);
            for i in 0..x.len() {
                s = if x[i] > 3 { (s.0 + x[i], s.1) } else { (s.1, s.0) };
            }
            s
        }
    }
}
