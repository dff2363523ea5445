//! Functions that combine running values, and panic for what a part of the iterations comes to.

mod right {
    mod parts_that_overflow {
        fn add(a: i8, b: i8) -> i8 {
            a + b
        }
        #[forall::distributed_scan(combine = add)]
        fn program(x: &[i32], out: &mut [i32]) {
            let mut s = 0i8;
            for i in 0..x.len() {
                s = add(s, [60, 60, -60, -60, -60, -60, 60, 60][i % 8]);
                out[i] += x[i] + s as i32;
            }
        }
    }
    mod parts_that_are_refused {
        fn add(a: i64, b: i64) -> i64 {
            assert!(b < 60 && b > -13, "parts");
            a + b
        }
        #[forall::distributed_scan(combine = add)]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                s = add(s, x[i]);
                out[i] = s;
            }
        }
    }
    mod parts_that_are_refused_in_place {
        fn add(a: i64, b: i64) -> i64 {
            assert!(b < 60 && b > -13, "parts");
            a + b
        }
        #[forall::distributed_scan(combine = add)]
        fn program(out: &mut [i64]) {
            let mut s = 0;
            for i in (0..out.len()).rev() {
                s = add(s, out[i]);
                out[i] = s;
            }
        }
    }
    mod parts_that_are_refused_beside_pushes {
        fn add(a: i64, b: i64) -> i64 {
            assert!(b < 60 && b > -13, "parts");
            a + b
        }
        #[forall::distributed_scan(combine = add)]
        fn program(x: &[i64]) -> (Vec<i64>, i64) {
            let (mut to, mut s) = (Vec::new(), 0);
            for i in 0..x.len() {
                s = add(s, x[i]);
                if x[i] > 7 {
                    to.push(s);
                }
            }
            (to, s)
        }
    }
    mod parts_that_are_refused_of_one_that_feeds_another {
        fn add(a: i64, b: i64) -> i64 {
            assert!(b < 600 && b > -13, "parts");
            a + b
        }
        #[forall::distributed_scan(combine = add)]
        fn program(x: &[i64], out: &mut [i64]) -> i64 {
            let (mut s, mut t) = (0, 0i64);
            for i in 0..x.len() {
                s = add(s, x[i]);
                t += s;
                out[i] = t;
            }
            t
        }
    }
    mod parts_that_are_refused_in_a_reduction {
        fn add(a: i64, b: i64) -> i64 {
            assert!(b < 60 && b > -13, "parts");
            a + b
        }
        #[forall::kary_reduce(combine = add)]
        fn program(x: &[i64], out: &mut [i64]) -> i64 {
            let mut s = 0;
            for i in 0..x.len() {
                s = add(s, x[i]);
                out[i] = x[i];
            }
            s
        }
    }
    mod values_that_are_refused {
        fn add(a: i64, b: i64) -> i64 {
            assert!(a < 300, "too much");
            a + b
        }
        #[forall::distributed_scan(combine = add)]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                s = add(s, x[i]);
                out[i] = s;
            }
        }
    }
}
