//! Functions and types that have names of std, and statics.

mod refused {
    mod ordering_of_another {
        #[derive(PartialEq)]
        enum Ordering {
            Less,
            Greater,
        }
        trait Cmp {
            fn cmp_to(&self, o: &i64) -> Ordering;
        }
        impl Cmp for i64 {
            fn cmp_to(&self, o: &i64) -> Ordering {
                if self % 5 < o % 7 { Ordering::Less } else { Ordering::Greater }
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = 100i64;
            for i in 0..x.len() {
                if x[i].cmp_to(&b) == Ordering::Less {
                    b = x[i];
                }
            }
            b
        }
    }
    mod ordering_of_another_of_cmp {
        #[allow(non_upper_case_globals, dead_code)]
        mod m {
            pub const Less: std::cmp::Ordering = std::cmp::Ordering::Greater;
            pub const Greater: std::cmp::Ordering = std::cmp::Ordering::Less;
        }
        use m as Ordering;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = 3i64;
            for i in 0..x.len() {
                if x[i].cmp(&b) == Ordering::Less {
                    b = x[i];
                }
            }
            b
        }
    }
    mod range_of_another {
        #[allow(non_snake_case)]
        fn range(a: usize, b: usize) -> std::ops::Range<usize> {
            a / 2..b
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in range(4, x.len()) {
                out[i] = x[i];
            }
        }
    }
    mod range_struct_of_another {
        struct Range {
            start: usize,
            end: usize,
        }
        impl Iterator for Range {
            type Item = usize;
            fn next(&mut self) -> Option<usize> {
                self.start += 1;
                if self.start > self.end { None } else { Some((self.start - 1) / 2) }
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in (Range { start: 0, end: x.len() }) {
                out[i] = x[i];
            }
        }
    }
    mod range_inclusive_of_a_function {
        struct R(usize);
        impl R {
            fn new(a: usize, b: usize) -> std::ops::RangeInclusive<usize> {
                a..=b / 2
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in R::new(0, x.len() - 1) {
                out[i] = x[i];
            }
            let _ = R(0).0;
        }
    }
    mod repeat_of_another {
        fn repeat(v: i64) -> std::vec::IntoIter<i64> {
            vec![v, v + 1, v + 2].into_iter()
        }
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for (o, v) in out.iter_mut().zip(repeat(3)) {
                *o = v;
            }
        }
    }
    mod identity_of_another {
        fn identity(k: usize) -> usize {
            k / 2
        }
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] += out[identity(i)];
            }
        }
    }
    mod usize_from_of_another {
        trait From2 {
            fn from(k: u8) -> usize;
        }
        struct Usize;
        impl From2 for Usize {
            fn from(k: u8) -> usize {
                k as usize / 2
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[Usize::from(i as u8)] = x[i];
            }
        }
    }
    mod size_of_of_another {
        fn size_of<T>() -> usize {
            1
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i * size_of::<i64>() / 2] = x[i];
            }
        }
    }
    mod static_counts {
        use std::sync::atomic::{AtomicI64, Ordering};
        static N: AtomicI64 = AtomicI64::new(0);
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            N.store(0, Ordering::Relaxed);
            for i in 0..x.len() {
                out[i] = x[i] + N.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    mod static_by_a_path {
        mod m {
            use std::sync::atomic::AtomicI64;
            pub static N: AtomicI64 = AtomicI64::new(0);
        }
        use std::sync::atomic::Ordering::Relaxed;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            m::N.store(0, Relaxed);
            for i in 0..x.len() {
                out[i] = x[i] + m::N.fetch_add(1, Relaxed);
            }
        }
    }
    mod static_mut {
        static mut N: i64 = 0;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            unsafe {
                N = 0;
            }
            for i in 0..x.len() {
                unsafe {
                    N += x[i];
                    out[i] = N;
                }
            }
        }
    }
    mod static_mut_in_the_body {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                static mut N: i64 = 0;
                unsafe {
                    if i == 0 {
                        N = 0;
                    }
                    N += x[i];
                    out[i] = N;
                }
            }
        }
    }
    mod const_with_a_cell {
        use std::cell::Cell;
        #[allow(clippy::declare_interior_mutable_const)]
        const C: Cell<i64> = Cell::new(0);
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let c = C;
                c.set(c.get() + x[i]);
                out[i] = c.get();
            }
        }
    }
    mod self_path {
        mod m {
            pub fn at(i: usize) -> usize {
                i / 2
            }
        }
        fn at(i: usize) -> usize {
            m::at(i)
        }
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] += out[self::at(i)];
            }
        }
    }
    mod macro_brings_max {
        use std::cmp::max;
        macro_rules! mk {
            () => {
                fn max(a: i64, b: i64) -> i64 {
                    (a * 2 + b) % 100
                }
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = max(0i64, 0);
            for i in 0..x.len() {
                mk!();
                s = max(s, x[i]);
            }
            s
        }
    }
    mod macro_brings_max_before {
        #[allow(unused_imports)]
        use std::cmp::max;
        macro_rules! mk {
            () => {
                fn max(a: i64, b: i64) -> i64 {
                    (a * 2 + b) % 100
                }
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            mk!();
            let mut s = 0i64;
            for i in 0..x.len() {
                s = max(s, x[i]);
            }
            s
        }
    }
    mod macro_brings_a_use {
        use std::cmp::max;
        mod m {
            pub fn max(a: i64, b: i64) -> i64 {
                (a * 2 + b) % 100
            }
        }
        macro_rules! mk {
            () => {
                use m::max;
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = max(0i64, 0);
            for i in 0..x.len() {
                mk!();
                s = max(s, x[i]);
            }
            s
        }
    }
    mod macro_brings_a_module {
        mod m {
            pub const K: i64 = 1;
        }
        macro_rules! mk {
            () => {
                mod m {
                    pub const K: i64 = 3;
                }
            };
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0i64;
            for i in 0..x.len() {
                mk!();
                s = s * m::K + x[i];
                s %= 100;
                out[i] = s;
            }
        }
    }
    mod macro_brings_a_type {
        #[allow(non_camel_case_types)]
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            macro_rules! mk {
                () => {
                    type i32 = i8;
                };
            }
            mk!();
            let mut s: i32 = 0;
            for i in 0..x.len() {
                s = s.wrapping_add(x[i] as i32);
            }
            s as i64
        }
    }
    mod macro_brings_some {
        macro_rules! mk {
            () => {
                #[allow(non_snake_case)]
                fn Some(v: i64) -> Option<i64> {
                    Option::Some(v / 2)
                }
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut b: Option<i64> = None;
            for i in 0..x.len() {
                mk!();
                if b.is_none_or(|b| x[i] > b) {
                    b = Some(x[i]);
                }
            }
            b
        }
    }
    mod macro_brings_a_constant_value {
        macro_rules! mk {
            () => {
                const k: i64 = 3;
            };
        }
        #[forall::distributed_scan]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1i64;
            let mut s = 0i64;
            for i in 0..x.len() {
                mk!();
                s += x[i] * k;
                out[i] = s;
            }
            let _ = k;
        }
    }
    mod macro_brings_a_factor {
        macro_rules! mk {
            () => {
                const k: i64 = 3;
            };
        }
        #[forall::distributed_scan]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1i64;
            let mut s = 0i64;
            for i in 0..x.len() {
                mk!();
                s = s * k % 100 + x[i];
                out[i] = s;
            }
            let _ = k;
        }
    }
    mod macro_brings_a_linear_factor {
        macro_rules! mk {
            () => {
                const k: f64 = 0.5;
            };
        }
        #[forall::distributed_scan]
        #[allow(non_upper_case_globals)]
        fn program(x: &[f64], out: &mut [f64]) {
            let k = 0.9;
            let mut s = 0.0;
            for i in 0..x.len() {
                mk!();
                s = s * k + x[i];
                out[i] = s;
            }
            let _ = k;
        }
    }
    mod linear_factor_of_an_inner_type {
        struct S;
        impl S {
            const K: f64 = 0.9;
        }
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut s = 0.0;
            for i in 0..x.len() {
                s = s * S::K + x[i];
                out[i] = s;
                struct S;
                impl S {
                    const K: f64 = 0.5;
                }
            }
            let _ = S::K;
        }
    }
    mod threshold_of_an_inner_type {
        struct S;
        impl S {
            const K: i64 = 1;
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = S::K;
            for i in 0..x.len() {
                struct S;
                impl S {
                    const K: i64 = 5;
                }
                s = s.max(x[i].min(S::K));
            }
            s
        }
    }
}
