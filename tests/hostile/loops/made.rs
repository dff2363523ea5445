//! The values inside captured values, operations that saturate, and loops that end early.

mod right {
    mod find_by_a_label {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<usize> {
            let mut at = None;
            'all: for i in 0..x.len() {
                for j in 0..3 {
                    if x[i] == k + j {
                        at = Some(i);
                        break 'all;
                    }
                }
            }
            at
        }
    }
    mod closure_with_a_variable_that_changed {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64], k: f64) {
            let mut scale = 1.0;
            scale *= k;
            let f = |v: f64| v * scale;
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod closure_over_a_text {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let name = String::from("name");
            let part: &str = &name[1..];
            let f = |v: i64| v + part.len() as i64;
            for i in 0..x.len() {
                out[i] = f(x[i]) + name.len() as i64;
            }
        }
    }
    mod closure_over_a_slice_of_its_own {
        #[forall::foreach]
        fn program(x: &[i64], #[replicated] table: &[i64], out: &mut [i64]) {
            let rest = &table[3..];
            let at = |v: i64| rest[v.rem_euclid(rest.len() as i64) as usize];
            let twice = |v: i64| at(v) + at(v + 1);
            for i in 0..x.len() {
                out[i] = twice(x[i]);
            }
        }
    }
    mod closure_over_a_struct_with_a_lock_it_leaves_alone {
        struct Shared {
            limit: i64,
            #[allow(dead_code)]
            lock: std::sync::Mutex<i64>,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: i64) {
            let shared = Shared { limit: k, lock: std::sync::Mutex::new(0) };
            let f = |v: i64| v.min(shared.limit);
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod boxed_in_a_struct {
        struct Filter<'a> {
            by: Box<dyn Fn(i64) -> bool + Sync + 'a>,
        }
        #[forall::foreach_tls]
        fn program(x: &[i64], k: i64) -> Vec<i64> {
            let filter = Filter { by: Box::new(|v| v > k) };
            let mut kept = Vec::new();
            for &v in x {
                if (filter.by)(v) {
                    kept.push(v);
                }
            }
            kept
        }
    }
    mod generic_callback {
        fn each<F: Fn(i64) -> i64 + Sync>(f: &F, v: i64) -> i64 {
            f(v)
        }
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> i64 {
            let f = move |v: i64| v ^ k;
            let mut sum = 0;
            for &v in x {
                sum += each(&f, v);
            }
            sum
        }
    }
    mod saturating_counts_by_one {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> u8 {
            let mut n = 250_u8;
            for &v in x {
                if v > 0 {
                    n = n.saturating_add(1);
                }
            }
            n
        }
    }
    mod saturating_beside_a_division {
        #[forall::kary_reduce]
        fn program(x: &[u64]) -> u64 {
            let mut n = u64::MAX - 100;
            for i in 0..x.len() {
                n = n.saturating_add(1000 / (x[i] + 1));
            }
            n
        }
    }
    mod wrapping_by_reference {
        #[forall::kary_reduce]
        fn program(x: &[u64]) -> u64 {
            let mut n = u64::MAX - 100;
            for v in x.iter() {
                n = v.wrapping_add(n);
            }
            n
        }
    }
    mod best_by_total_cmp_that_divides {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[f64]) -> (f64, i64) {
            let (mut best, mut q) = (f64::NEG_INFINITY, 0);
            for i in 0..y.len() {
                if y[i].total_cmp(&best).is_gt() {
                    best = y[i];
                    q = 100 / (x[i] + 60);
                }
            }
            (best, q)
        }
    }
    mod best_by_cmp_of_texts {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> String {
            let mut best = String::from("m");
            for i in 0..x.len() {
                let name = format!("{}", x[i]);
                if name.cmp(&best).is_lt() {
                    best = name;
                }
            }
            best
        }
    }
    mod short_chunks_of_bins_that_panic {
        #[forall::kary_reduce(grain = 2)]
        fn program(x: &[i64]) -> Vec<u8> {
            let mut bins = vec![100_u8; 64];
            for i in 0..x.len() {
                let k = (x[i] + 20) as usize % 64;
                bins[k] += 3;
                bins[63 - k] -= 4;
            }
            bins
        }
    }
    mod short_chunks_of_bins_beside_pushes {
        #[forall::foreach_tls(grain = 1)]
        fn program(x: &[i64], found: &mut Vec<usize>) -> Vec<i32> {
            let mut bins = vec![0_i32; 50];
            for i in 0..x.len() {
                let k = (x[i] + 20) as usize % 50;
                bins[k] += 1;
                bins[49 - k] -= 2;
                if x[i] % 3 == 0 {
                    found.push(i);
                }
            }
            bins
        }
    }
}
mod refused {
    mod saturating_literal {
        #[forall::kary_reduce]
        fn program(x: &[u8]) -> (u8, u16) {
            let (mut a, mut b) = (200, 1);
            for &v in x {
                if v > 250 {
                    a = u8::saturating_add(a, 0).max(a);
                }
                b = u16::from(v / 128).saturating_add(b);
            }
            (a, b)
        }
    }
    mod saturating_of_ones_own {
        #[derive(Clone, Copy)]
        struct S(u64);
        impl S {
            fn saturating_add(self, other: S) -> S {
                S(self.0.wrapping_mul(3) ^ other.0)
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[u64]) -> u64 {
            let mut s = S(1);
            for &v in x {
                s = s.saturating_add(S(v));
            }
            s.0
        }
    }
    mod saturating_of_a_wide_pair {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i32 {
            let mut s = (0_i32, 0_u8);
            for &v in x {
                s.0 = s.0.saturating_add((v as i32) << 24);
            }
            s.0
        }
    }
    mod saturating_and_plain {
        #[forall::kary_reduce]
        fn program(x: &[u8]) -> u8 {
            let mut s = 0_u8;
            for &v in x {
                if v % 2 == 0 {
                    s = s.saturating_add(v);
                } else {
                    s = s.wrapping_add(v);
                }
            }
            s
        }
    }
    mod saturating_pow {
        #[forall::kary_reduce]
        fn program(x: &[u8]) -> u32 {
            let mut s = 3_u32;
            for &v in x {
                s = s.saturating_pow(u32::from(v % 3));
            }
            s
        }
    }
    mod closure_over_a_field_of_a_reference {
        use std::sync::atomic::{AtomicUsize, Ordering};
        struct Log {
            calls: AtomicUsize,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [usize]) {
            let log = Log { calls: AtomicUsize::new(0) };
            let at = &log;
            let f = |v: i64| at.calls.fetch_add(1, Ordering::Relaxed) + v.unsigned_abs() as usize;
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod closure_in_a_tuple {
        use std::sync::atomic::{AtomicI64, Ordering};
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = AtomicI64::new(0);
            let both = (|v: i64| v + 1, |v: i64| v + n.fetch_add(1, Ordering::Relaxed));
            for i in 0..x.len() {
                out[i] = (both.1)((both.0)(x[i]));
            }
        }
    }
    mod arc_cloned_into_a_closure {
        use std::sync::Arc;
        use std::sync::atomic::{AtomicI64, Ordering};
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = Arc::new(AtomicI64::new(0));
            let mine = Arc::clone(&n);
            let f = move |v: i64| v + mine.fetch_add(1, Ordering::Relaxed);
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod objects_in_a_vector {
        use std::sync::atomic::{AtomicI64, Ordering};
        trait Step: Sync {
            fn step(&self) -> i64;
        }
        struct One;
        impl Step for One {
            fn step(&self) -> i64 {
                1
            }
        }
        struct Next(AtomicI64);
        impl Step for Next {
            fn step(&self) -> i64 {
                self.0.fetch_add(1, Ordering::Relaxed)
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let steps: Vec<Box<dyn Step>> = vec![Box::new(One), Box::new(Next(AtomicI64::new(0)))];
            for i in 0..x.len() {
                out[i] = x[i] + steps[i % 2].step();
            }
        }
    }
    mod lock_in_an_option_of_a_box {
        use std::sync::Mutex;
        struct Held {
            sum: Option<Box<Mutex<i64>>>,
        }
        impl Held {
            fn add(&self, v: i64) -> i64 {
                let mut sum = self.sum.as_ref().unwrap().lock().unwrap();
                *sum += v;
                *sum
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let held = Held { sum: Some(Box::new(Mutex::new(0))) };
            for i in 0..x.len() {
                out[i] = held.add(x[i]);
            }
        }
    }
    mod break_behind_a_push {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut kept = Vec::new();
            for &v in x {
                kept.push(v);
                if v > 20 {
                    kept.push(-1);
                    break;
                }
            }
            kept
        }
    }
    mod find_behind_an_update {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, Option<usize>) {
            let (mut sum, mut at) = (0, None);
            for i in 0..x.len() {
                sum += x[i];
                if sum > 100 {
                    at = Some(i);
                    break;
                }
            }
            (sum, at)
        }
    }
}
