//! Closures that compute.

mod right {
    mod shadowed_between {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let w = 1;
            let at = |i: usize| i + w;
            let w = 7;
            for i in 0..x.len().saturating_sub(1) {
                y[i] = x[at(i)] + w;
            }
        }
    }
    mod closure_shadowed {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64], a: i64, b: i64) {
            let f = |v: i64| v / 3 + a % 9;
            for i in 0..x.len() {
                y[i] = f(x[i]);
            }
            let f = |v: i64| v / 5 - b % 9;
            for i in 0..x.len() {
                y[i] += f(x[i]);
            }
        }
    }
    mod the_loop_has_the_name_of_a_captured_variable {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let w = 3;
            let at = |i: usize| i + w;
            for w in 0..x.len().saturating_sub(3) {
                y[w] = x[at(w)];
            }
        }
    }
    mod the_body_shadows {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let w = 2;
            let at = |i: usize| i * w;
            let n = x.len() / 2;
            for i in 0..n {
                let w = 100 + i;
                y[i] = x[at(i)] + w as i64;
            }
        }
    }
    mod nested {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> i64 {
            let f = |v: i64| v.wrapping_mul(3) + k;
            let g = |v| v * k % 7;
            let mut s = 0_i64;
            for i in 0..x.len() {
                for j in 0..3 {
                    let k = j as i64;
                    s = s.wrapping_add(g(x[i] % 1000) + k + f(k));
                }
            }
            s
        }
    }
    mod untyped {
        #[forall::foreach]
        fn program(x: &[f64], y: &mut [f64], a: f64) {
            let f = |v| v * a + 1.0;
            for (o, v) in y.iter_mut().zip(x) {
                *o = f(*v);
            }
            for (o, v) in y.iter_mut().zip(x) {
                *o += f(*v * 2.0);
            }
        }
    }
    mod overflow_panics {
        #[forall::foreach]
        fn program(x: &[i32], y: &mut [i32], k: i32) {
            let f = |v: i32| v * 70_000 + k;
            for i in 0..x.len() {
                y[i] = f(x[i]);
            }
        }
    }
    mod both_in_loop_and_after {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: usize) -> i64 {
            let at = |i: usize| (i + k) % 5;
            let mut s = 0_i64;
            for i in 0..x.len() {
                s += (at(i) as i64) * (x[i] % 100);
            }
            s + at(3) as i64
        }
    }
    mod in_a_header {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64], k: usize) {
            let end = |n: usize| n - k % 1;
            for i in 0..end(x.len()) {
                y[i] = x[i] + end(i) as i64;
            }
        }
    }
    mod of_fields {
        struct Grid {
            w: usize,
        }
        #[forall::foreach]
        fn program(x: &[f64], y: &mut [f64]) {
            let g = Grid { w: 1 };
            let at = |i: usize, j: usize| j * g.w + i;
            for j in 0..x.len().saturating_sub(1) {
                y[at(0, j)] = x[at(1, j)];
            }
        }
    }
    mod closure_of_closure {
        #[forall::foreach]
        fn program(x: &[f64], y: &mut [f64], c: f64) {
            let half = |v: f64| v * c;
            let more = |v: f64| half(v) + c;
            for i in 0..x.len() {
                y[i] = more(x[i]) + half(2.0);
            }
        }
    }
    mod of_another_loop {
        #[forall::distributed_scan]
        fn program(x: &[i64], y: &mut [i64], k: i64) {
            let step = |v: i64| v % 10 + k;
            let mut s = 0;
            for i in 0..x.len() {
                s += step(x[i]);
                y[i] = step(s);
            }
        }
    }
}
