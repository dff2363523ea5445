//! Functions that are values: closures, callbacks and trait objects.

mod right {
    mod callback_as_an_object {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let f: &(dyn Fn(f64) -> f64 + Sync) = &|v| v * 2.0 + 1.0;
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod callbacks_in_boxes {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let f: Vec<Box<dyn Fn(f64) -> f64 + Sync>> = vec![Box::new(|v| v + 1.0), Box::new(|v| v * v)];
            for i in 0..x.len() {
                out[i] = f[i % 2](x[i]);
            }
        }
    }
    mod objects_of_a_trait {
        trait Shape: Sync {
            fn area(&self, scale: f64) -> f64;
        }
        struct Square(f64);
        struct Disc(f64);
        impl Shape for Square {
            fn area(&self, scale: f64) -> f64 {
                self.0 * self.0 * scale
            }
        }
        impl Shape for Disc {
            fn area(&self, scale: f64) -> f64 {
                self.0 * scale
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(2.0)), Box::new(Disc(0.5))];
            let mut total = 0.0;
            for i in 0..x.len() {
                total += shapes[i % 2].area(x[i]);
            }
            total
        }
    }
    mod closure_that_reads_a_table {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let table = [3, 1, 4, 1, 5];
            let f = |v: i64| table[v.rem_euclid(5) as usize] + v;
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod function_by_its_name {
        fn twice(v: i64) -> i64 {
            2 * v
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let f: fn(i64) -> i64 = twice;
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod closure_handed_on {
        fn apply<F: Fn(i64) -> i64>(f: F, v: i64) -> i64 {
            f(f(v))
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: i64) {
            for i in 0..x.len() {
                out[i] = apply(|v| v * k + 1, x[i]);
            }
        }
    }
    mod function_made_by_a_function {
        fn adder(by: i64) -> impl Fn(i64) -> i64 {
            move |v| v + by
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: i64) {
            let f = adder(k);
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod move_table {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let table = vec![1, 2, 3];
            let f = move |v: i64| v + table[v.rem_euclid(3) as usize];
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod move_number {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: i64) {
            let f = move |v: i64| v + k;
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod read_before_the_loop {
        use std::sync::Mutex;
        use std::sync::atomic::{AtomicI64, Ordering};
        fn value(of: &Mutex<i64>) -> i64 {
            *of.lock().unwrap()
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: i64) {
            let limit = Mutex::new(k);
            let n = AtomicI64::new(3);
            n.fetch_add(k, Ordering::Relaxed);
            let n = n.into_inner();
            let most = value(&limit);
            let others: Vec<i64> = (0..3).map(|v| v + *limit.lock().unwrap()).collect();
            let f = |v: i64| v.min(most) + n + others[v.rem_euclid(3) as usize];
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod closure_of_a_closure {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: i64) {
            let g = |v: i64| v * k;
            let f: Box<dyn Fn(i64) -> i64 + Sync + '_> = Box::new(|v| g(v) + g(k));
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod objects_with_lists {
        trait Curve: Sync {
            fn at(&self, t: f64) -> f64;
        }
        struct Steps {
            heights: Vec<f64>,
            name: Option<String>,
        }
        impl Curve for Steps {
            fn at(&self, t: f64) -> f64 {
                let k = (t.abs() as usize).min(self.heights.len() - 1);
                self.heights[k] + self.name.as_ref().map_or(0.0, |name| name.len() as f64)
            }
        }
        struct Flat;
        impl Curve for Flat {
            fn at(&self, _: f64) -> f64 {
                1.5
            }
        }
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let heights: Vec<f64> = Vec::from([1.0, 3.0]);
            let curves: [Box<dyn Curve>; 3] = [
                Box::new(Steps { heights, name: None }),
                Box::new(Steps { heights: vec![0.5; 4], name: Some(String::from("four")) }),
                Box::new(Flat),
            ];
            for i in 0..x.len() {
                out[i] = curves[i % 3].at(x[i]);
            }
        }
    }
}

mod refused {
    mod closure_with_an_atomic {
        use std::sync::atomic::{AtomicI64, Ordering};
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = AtomicI64::new(0);
            let f = |v: i64| v + c.fetch_add(1, Ordering::Relaxed);
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod closure_that_owns_an_atomic {
        use std::sync::atomic::{AtomicI64, Ordering};
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = AtomicI64::new(0);
            let f = move |v: i64| v + c.fetch_add(1, Ordering::Relaxed);
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod closure_with_a_mutex {
        use std::sync::Mutex;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = Mutex::new(0);
            let f = |v: i64| {
                *c.lock().unwrap() += v;
                *c.lock().unwrap()
            };
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod reference_to_a_closure_with_an_atomic {
        use std::sync::atomic::{AtomicI64, Ordering};
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = AtomicI64::new(0);
            let f = &|v: i64| v + c.fetch_add(1, Ordering::Relaxed);
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod object_of_a_closure_with_an_atomic {
        use std::sync::atomic::{AtomicI64, Ordering};
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = AtomicI64::new(0);
            let f: &(dyn Fn(i64) -> i64 + Sync) = &|v| v + c.fetch_add(1, Ordering::Relaxed);
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod box_of_a_closure_with_an_atomic {
        use std::sync::atomic::{AtomicI64, Ordering};
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = AtomicI64::new(0);
            let f: Box<dyn Fn(i64) -> i64 + Sync + '_> = Box::new(|v| v + c.fetch_add(1, Ordering::Relaxed));
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod object_with_an_atomic {
        use std::sync::atomic::{AtomicI64, Ordering};
        trait Next: Sync {
            fn next(&self) -> i64;
        }
        struct C(AtomicI64);
        impl Next for C {
            fn next(&self) -> i64 {
                self.0.fetch_add(1, Ordering::Relaxed)
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c: Box<dyn Next> = Box::new(C(AtomicI64::new(0)));
            for i in 0..x.len() {
                out[i] = c.next() + x[i];
            }
        }
    }
    mod object_beside_its_atomic {
        use std::sync::atomic::{AtomicI64, Ordering};
        trait Next: Sync {
            fn next(&self) -> i64;
        }
        impl Next for AtomicI64 {
            fn next(&self) -> i64 {
                self.fetch_add(1, Ordering::Relaxed)
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = AtomicI64::new(0);
            let c: &dyn Next = &c;
            for i in 0..x.len() {
                out[i] = c.next() + x[i];
            }
        }
    }
    mod closure_made_by_a_function {
        use std::sync::atomic::{AtomicI64, Ordering};
        fn counter() -> impl Fn(i64) -> i64 {
            let c = AtomicI64::new(0);
            move |v| v + c.fetch_add(1, Ordering::Relaxed)
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let f = counter();
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod generic_type_with_an_atomic {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct W<T>(T);
        impl W<AtomicI64> {
            fn next(&self) -> i64 {
                self.0.fetch_add(1, Ordering::Relaxed)
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = W(AtomicI64::new(0));
            for i in 0..x.len() {
                out[i] = c.next() + x[i];
            }
        }
    }
    mod arc_of_a_type_with_an_atomic {
        use std::sync::Arc;
        use std::sync::atomic::{AtomicI64, Ordering};
        struct C(AtomicI64);
        impl C {
            fn next(&self) -> i64 {
                self.0.fetch_add(1, Ordering::Relaxed)
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = Arc::new(C(AtomicI64::new(0)));
            for i in 0..x.len() {
                out[i] = c.next() + x[i];
            }
        }
    }
    mod reference_in_a_struct_to_an_atomic {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct C<'a>(&'a AtomicI64);
        impl C<'_> {
            fn next(&self) -> i64 {
                self.0.fetch_add(1, Ordering::Relaxed)
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = AtomicI64::new(0);
            let c = C(&n);
            for i in 0..x.len() {
                out[i] = c.next() + x[i];
            }
        }
    }
    mod box_in_a_struct_of_an_atomic {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct C {
            n: Box<AtomicI64>,
        }
        impl C {
            fn next(&self) -> i64 {
                self.n.fetch_add(1, Ordering::Relaxed)
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = C { n: Box::new(AtomicI64::new(0)) };
            for i in 0..x.len() {
                out[i] = c.next() + x[i];
            }
        }
    }
    mod field_of_a_dyn {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct C<'a> {
            f: &'a (dyn Fn() -> i64 + Sync),
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = AtomicI64::new(0);
            let next = || n.fetch_add(1, Ordering::Relaxed);
            let c = C { f: &next };
            for i in 0..x.len() {
                out[i] = (c.f)() + x[i];
            }
        }
    }
}
