//! Items that a body, or a macro in it, brings; side effects within expressions.

mod refused {
    mod trait_of_the_body_for_is_none {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut b: Option<i64> = None;
            for i in 0..x.len() {
                trait N {
                    fn is_none(self) -> bool;
                }
                impl N for Option<i64> {
                    fn is_none(self) -> bool {
                        true
                    }
                }
                if b.is_none() {
                    b = Some(x[i]);
                }
            }
            b
        }
    }
    mod trait_of_the_body_for_len {
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64]) {
            for (i, row) in wide.chunks_exact_mut(3).enumerate() {
                trait L {
                    fn len(&self) -> usize;
                }
                impl L for &mut [i64] {
                    fn len(&self) -> usize {
                        2
                    }
                }
                for j in 0..row.len() {
                    row[j] = x[i];
                }
            }
        }
    }
    mod trait_of_the_function_for_len {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            trait L {
                fn len(&self) -> usize;
            }
            impl L for &mut [i64] {
                fn len(&self) -> usize {
                    2
                }
            }
            for i in 0..out.len() {
                out[i] = x[i];
            }
        }
    }
    mod use_of_std_in_the_body {
        mod m {
            pub mod cmp {
                pub fn max(a: i64, b: i64) -> i64 {
                    (a * 2 + b) % 100
                }
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            use m as std;
            let mut s = 0i64;
            for i in 0..x.len() {
                s = std::cmp::max(s, x[i]);
            }
            s
        }
    }
    mod use_of_std_in_the_loop {
        mod m {
            pub mod cmp {
                pub fn max(a: i64, b: i64) -> i64 {
                    (a * 2 + b) % 100
                }
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                use m as std;
                s = std::cmp::max(s, x[i]);
            }
            s
        }
    }
    mod use_of_cmp_in_the_loop {
        use std::cmp;
        mod m {
            pub fn max(a: i64, b: i64) -> i64 {
                (a * 2 + b) % 100
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = cmp::max(0i64, 0);
            for i in 0..x.len() {
                use m as cmp;
                s = cmp::max(s, x[i]);
            }
            s
        }
    }
    mod macro_brings_std {
        mod m {
            pub mod cmp {
                pub fn max(a: i64, b: i64) -> i64 {
                    (a * 2 + b) % 100
                }
            }
        }
        macro_rules! mk {
            () => {
                use m as std;
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                mk!();
                s = std::cmp::max(s, x[i]);
            }
            s
        }
    }
    mod macro_brings_the_combine {
        fn add(a: i64, b: i64) -> i64 {
            a + b
        }
        macro_rules! mk {
            () => {
                fn add(a: i64, b: i64) -> i64 {
                    (a * 2 + b) % 100
                }
            };
        }
        #[forall::kary_reduce(combine = add)]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                mk!();
                s = add(s, x[i]);
            }
            s
        }
    }
    mod item_of_the_body_is_the_combine {
        fn add(a: i64, b: i64) -> i64 {
            a + b
        }
        #[forall::kary_reduce(combine = add)]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                fn add(a: i64, b: i64) -> i64 {
                    (a * 2 + b) % 100
                }
                s = add(s, x[i]);
            }
            let _ = add(1, 2);
            s
        }
    }
    mod local_of_the_body_is_the_combine {
        fn add(a: i64, b: i64) -> i64 {
            a + b
        }
        #[forall::kary_reduce(combine = add)]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                let add = |a: i64, b: i64| (a * 2 + b) % 100;
                s = add(s, x[i]);
            }
            let _ = add(1, 2);
            s
        }
    }
    mod macro_of_the_function_after_a_std_macro {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                assert!(k < 100_000);
                macro_rules! assert {
                    ($c:expr) => {
                        k = k / 2;
                    };
                }
                assert!(true);
                out[k] = x[i];
            }
        }
    }
    mod static_mut_counter {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            static mut N: i64 = 0;
            unsafe {
                N = 0;
            }
            for i in 0..x.len() {
                unsafe {
                    N += 1;
                    out[i] = x[i] + N;
                }
            }
        }
    }
    mod static_mut_in_an_inner_block {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                let t = {
                    static mut LAST: i64 = 0;
                    unsafe {
                        if i == 0 {
                            LAST = 0;
                        }
                        let t = LAST;
                        LAST = x[i];
                        t
                    }
                };
                s += t * x[i];
            }
            s
        }
    }
    mod static_atomic_in_the_body {
        use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                static N: AtomicI64 = AtomicI64::new(0);
                if i == 0 {
                    N.store(0, Relaxed);
                }
                out[i] = x[i] + N.fetch_add(1, Relaxed);
            }
        }
    }
    mod static_atomic_by_a_reference {
        use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
        static N: AtomicI64 = AtomicI64::new(0);
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = &N;
            c.store(0, Relaxed);
            for i in 0..x.len() {
                out[i] = x[i] + c.fetch_add(1, Relaxed);
            }
        }
    }
    mod static_mutex_in_the_body {
        use std::sync::Mutex;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                static N: Mutex<i64> = Mutex::new(0);
                let mut g = N.lock().unwrap();
                if i == 0 {
                    *g = 0;
                }
                *g += x[i];
                out[i] = *g;
            }
        }
    }
    mod static_once_lock_in_the_body {
        use std::sync::OnceLock;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                static N: OnceLock<i64> = OnceLock::new();
                out[i] = *N.get_or_init(|| 3) + x[i];
            }
        }
    }
    mod static_hidden_in_a_function {
        use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
        static N: AtomicI64 = AtomicI64::new(0);
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                fn n() -> i64 {
                    N.fetch_add(1, Relaxed)
                }
                if i == 0 {
                    N.store(0, Relaxed);
                }
                out[i] = x[i] + n();
            }
        }
    }
    mod const_cell_reference {
        use std::cell::Cell;
        #[allow(clippy::declare_interior_mutable_const)]
        const C: Cell<i64> = Cell::new(3);
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = x[i] + C.get();
                C.set(9);
            }
        }
    }
    mod drop_of_an_assigned_value {
        struct D<'a>(&'a std::cell::Cell<i64>, i64);
        impl Drop for D<'_> {
            fn drop(&mut self) {
                self.0.set(self.0.get() * 3 + self.1);
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = std::cell::Cell::new(0);
            let mut d = Some(D(&c, 0));
            for i in 0..x.len() {
                d = Some(D(&c, x[i]));
                out[i] = i as i64;
            }
            drop(d);
            out[0] = c.get();
        }
    }
    mod lazy_and_effects {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let mut c = 0i64;
            for i in 0..x.len() {
                if x[i] > 3 && {
                    c += 1;
                    c % 2 == 0
                } {
                    s += x[i];
                }
            }
            s * 100 + c
        }
    }
    mod index_order {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                out[k] = {
                    k /= 2;
                    x[k]
                };
            }
        }
    }
    mod index_order_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let mut k = i;
                out[{
                    k /= 2;
                    i
                }] += k as i64;
            }
        }
    }
    mod assignment_as_a_value {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let () = k /= 2;
                out[k] = x[i];
            }
        }
    }
    mod const_of_a_trait_on_the_element {
        trait K {
            const K: i64;
        }
        impl K for i64 {
            const K: i64 = 2;
        }
        impl K for f64 {
            const K: i64 = 1;
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0i64;
            for i in 0..x.len() {
                s = s * <i64 as K>::K + x[i];
                s %= 1000;
                out[i] = s;
            }
        }
    }
    mod self_in_a_nested_impl {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                struct S;
                impl S {
                    const K: usize = 2;
                    fn at(i: usize) -> usize {
                        i / Self::K
                    }
                }
                out[S::at(i)] = x[i];
            }
        }
    }
}
