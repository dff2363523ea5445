//! Code that the compiler does not analyse: `async` blocks, raw pointers, statics of macros.

mod refused {
    mod asynchronous_write {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let mut later = Box::pin(async {
                    k /= 2;
                });
                let mut context = std::task::Context::from_waker(std::task::Waker::noop());
                _ = std::future::Future::poll(later.as_mut(), &mut context);
                drop(later);
                out[k] = x[i];
            }
        }
    }
    mod asynchronous_total {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for i in 0..x.len() {
                let mut later = Box::pin(async {
                    s = s % 7 + x[i] % 5;
                });
                let mut context = std::task::Context::from_waker(std::task::Waker::noop());
                _ = std::future::Future::poll(later.as_mut(), &mut context);
            }
            s
        }
    }
    mod raw_pointer_to_the_index {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let p = &raw mut k;
                unsafe {
                    *p /= 2;
                }
                out[k] = x[i];
            }
        }
    }
    mod raw_pointer_to_an_element {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                let p = &raw mut out[i];
                unsafe {
                    *p.sub(i - i / 2) = x[i];
                }
            }
        }
    }
    mod raw_pointer_by_a_cast {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let p = &mut out[i] as *mut i64;
                unsafe {
                    p.sub(i - i / 2).write(x[i]);
                }
            }
        }
    }
    mod raw_pointer_by_its_type {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let p: *mut i64 = &mut out[i];
                unsafe {
                    *p.sub(i - i / 2) = x[i];
                }
            }
        }
    }
    mod raw_pointer_by_a_macro {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = 1;
                let p = std::ptr::addr_of_mut!(out[i]);
                unsafe {
                    *p.sub(i - i / 2) = x[i];
                }
            }
        }
    }
    mod static_that_a_macro_changes {
        static mut SUM: i64 = 0;
        macro_rules! raise {
            ($s:ident, $v:expr) => {
                $s += $v
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                unsafe {
                    raise!(SUM, x[i]);
                    out[i] = SUM;
                }
            }
        }
    }
    mod constant_block {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i * const { 0 }] = x[i];
            }
        }
    }
    mod local_of_a_thread {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                thread_local! {
                    static SEEN: std::cell::Cell<i64> = const { std::cell::Cell::new(0) };
                }
                SEEN.set(SEEN.get() + 1);
                out[i] = x[i] + SEEN.get();
            }
        }
    }
}
