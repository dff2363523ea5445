//! Values that change though they are only read.

mod refused {
    mod atomic_in_vec_of_struct {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct C(AtomicI64);
        impl C {
            fn abs(&self) -> i64 {
                self.0.fetch_add(1, Ordering::SeqCst)
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = vec![C(AtomicI64::new(0))];
            for i in 0..x.len() {
                out[i] = x[i] + c[0].abs();
            }
        }
    }

    mod cell_boxed {
        use std::cell::Cell;
        struct C(Box<Cell<i64>>);
        impl C {
            fn abs(&self) -> i64 {
                self.0.set(9);
                0
            }
            fn len(&self) -> usize {
                self.0.get() as usize
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0i64;
            for i in 0..x.len() {
                let t = C(Box::new(Cell::new(x[i] + 50)));
                t.abs();
                v += t.len() as i64;
                out[i] = v;
            }
        }
    }

    mod cell_in_array {
        use std::cell::Cell;
        struct C(Cell<i64>);
        impl C {
            fn abs(&self) -> i64 {
                self.0.set(9);
                0
            }
            fn len(&self) -> usize {
                self.0.get() as usize
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0i64;
            for i in 0..x.len() {
                let t = [C(Cell::new(x[i] + 50))];
                t[0].abs();
                v += t[0].len() as i64;
                out[i] = v;
            }
        }
    }

    mod cell_in_tuple {
        use std::cell::Cell;
        struct C(Cell<i64>);
        impl C {
            fn abs(&self) -> i64 {
                self.0.set(9);
                0
            }
        }
        trait Wrap {
            fn wrap(self) -> C;
        }
        impl Wrap for i64 {
            fn wrap(self) -> C {
                C(Cell::new(self))
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0i64;
            for i in 0..x.len() {
                let t = x[i].wrap();
                t.abs();
                v += t.0.get();
                out[i] = v;
            }
        }
    }

    mod cell_late {
        use std::cell::Cell;
        struct C(Cell<i64>);
        impl C {
            fn abs(&self) -> i64 {
                self.0.set(9);
                0
            }
            fn len(&self) -> usize {
                self.0.get() as usize
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0i64;
            for i in 0..x.len() {
                let t;
                t = C(Cell::new(x[i] + 50));
                t.abs();
                v += t.len() as i64;
                out[i] = v;
            }
        }
    }

    mod cell_matched {
        use std::cell::Cell;
        struct C(Cell<i64>);
        impl C {
            fn abs(&self) -> i64 {
                self.0.set(9);
                0
            }
            fn len(&self) -> usize {
                self.0.get() as usize
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0i64;
            for i in 0..x.len() {
                match C(Cell::new(x[i] + 50)) {
                    t => {
                        t.abs();
                        v += t.len() as i64;
                    }
                }
                out[i] = v;
            }
        }
    }

    mod cell_slice_of_output {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = std::cell::Cell::from_mut(out).as_slice_of_cells();
            for i in 0..x.len() {
                c[i / 2].set(x[i]);
            }
        }
    }

    mod cell_struct_made {
        use std::cell::Cell;
        struct C(Cell<i64>);
        impl C {
            fn abs(&self) -> i64 {
                self.0.set(9);
                0
            }
            fn len(&self) -> usize {
                self.0.get() as usize
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0i64;
            for i in 0..x.len() {
                let t = C(Cell::new(x[i] + 50));
                t.abs();
                v += t.len() as i64;
                out[i] = v;
            }
        }
    }

    mod local_rc_cell_of_struct {
        struct P {
            c: std::rc::Rc<std::cell::Cell<i64>>,
        }
        impl P {
            fn abs(&self) {
                self.c.set(4);
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let a = std::rc::Rc::new(std::cell::Cell::new(x[i]));
                let b = P { c: a.clone() };
                b.abs();
                v += a.get();
                out[i] = v;
            }
        }
    }

    mod local_rc_refcell {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let a = std::rc::Rc::new(std::cell::RefCell::new(x[i]));
                let b = a.clone();
                *b.borrow_mut() = 4;
                v += *a.borrow();
                out[i] = v;
            }
        }
    }

    mod mutex_of_output {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let m = std::sync::Mutex::new(out);
            for i in 0..x.len() {
                m.lock().unwrap()[i / 2] = x[i];
            }
        }
    }

    mod static_by_path {
        use std::sync::atomic::{AtomicI64, Ordering};
        mod m {
            pub struct C(pub super::AtomicI64);
            impl C {
                pub fn abs(&self) -> i64 {
                    self.0.fetch_add(1, super::Ordering::SeqCst)
                }
            }
            pub static COUNT: C = C(super::AtomicI64::new(0));
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let _ = Ordering::SeqCst;
            for i in 0..x.len() {
                out[i] = x[i] + m::COUNT.abs();
            }
        }
    }

    mod static_in_index {
        use std::sync::atomic::{AtomicUsize, Ordering};
        struct C(AtomicUsize);
        impl C {
            fn count(&self) -> usize {
                self.0.fetch_add(1, Ordering::SeqCst)
            }
        }
        static COUNT: C = C(AtomicUsize::new(0));
        #[forall::foreach]
        fn program(#[replicated] x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..out.len() {
                out[i] = x[COUNT.count() % n];
            }
        }
    }

    mod static_lower_case {
        use std::sync::atomic::{AtomicI64, Ordering};
        #[allow(non_upper_case_globals)]
        static count: AtomicI64 = AtomicI64::new(0);
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = x[i] + count.fetch_add(1, Ordering::SeqCst);
            }
        }
    }

    mod static_lower_case_struct {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct C(AtomicI64);
        impl C {
            fn abs(&self) -> i64 {
                self.0.fetch_add(1, Ordering::SeqCst)
            }
        }
        #[allow(non_upper_case_globals)]
        static count: C = C(AtomicI64::new(0));
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = x[i] + count.abs();
            }
        }
    }

    mod static_struct_with_counter {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct C(AtomicI64);
        impl C {
            fn abs(&self) -> i64 {
                self.0.fetch_add(1, Ordering::SeqCst)
            }
        }
        static COUNT: C = C(AtomicI64::new(0));
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = x[i] + COUNT.abs();
            }
        }
    }
}
