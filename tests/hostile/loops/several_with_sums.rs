//! Additions at several indices, with other accumulators beside them and in loops of few iterations.

mod refused {
    mod offsets_reads_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64], long: &mut [f64]) -> f64 {
            let mut s = 0.0;
            for e in 0..x.len() {
                s += x[e];
                long[e] += s;
                long[e + 1] += 2.0 * x[e];
            }
            s
        }
    }
    mod fem_set {
        #[forall::foreach]
        fn program(x: &[f64], long: &mut [f64]) {
            for e in 0..x.len() {
                for a in 0..2 {
                    long[e + a] = x[e] + a as f64;
                }
            }
        }
    }
    mod fem_pow {
        #[forall::foreach]
        fn program(x: &[i64], long: &mut [i64]) {
            for e in 0..x.len() {
                for a in 0..2u32 {
                    long[e + a as usize] += x[e] * a.pow(2) as i64;
                }
            }
        }
    }
    mod fem_read {
        #[forall::foreach]
        fn program(x: &[f64], long: &mut [f64]) {
            for e in 0..x.len() {
                for a in 0..2 {
                    long[e + a] += long[e];
                }
            }
        }
    }
    mod cond_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64], long: &mut [f64]) -> f64 {
            let mut s = 0.0;
            for e in 0..x.len() {
                long[e] += x[e];
                long[e + 1] += 2.0 * x[e];
                if x[e] > 0.0 {
                    s += x[e];
                }
            }
            s
        }
    }
}
mod right {
    mod offsets_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64], long: &mut [f64]) -> f64 {
            let mut s = 0.0;
            for e in 0..x.len() {
                long[e] += x[e];
                long[e + 1] += 2.0 * x[e];
                s += x[e];
            }
            s
        }
    }
    mod offsets_max {
        #[forall::kary_reduce]
        fn program(x: &[f64], long: &mut [f64]) -> (f64, usize) {
            let mut m = 0.0f64;
            let mut c = 0;
            for e in 0..x.len() {
                let h = x[e] * 0.5;
                long[e] -= h;
                m = m.max(h);
                c += 1;
                long[e + 2] += h;
            }
            (m, c)
        }
    }
    mod offsets_two_vars {
        #[forall::kary_reduce]
        fn program(x: &[i64], long: &mut [i64]) -> (i64, i64) {
            let mut s = 0;
            let mut t = 0;
            for e in 0..x.len() {
                s += x[e];
                long[e] += x[e];
                t ^= x[e];
                long[e + 1] += 2 * x[e];
            }
            (s, t)
        }
    }
    mod fem {
        #[forall::foreach]
        fn program(x: &[f64], long: &mut [f64]) {
            for e in 0..x.len() {
                let h = x[e];
                let local = [h, 2.0 * h];
                for a in 0..2 {
                    long[e + a] += local[a];
                }
            }
        }
    }
    mod fem_nested {
        #[forall::foreach]
        fn program(x: &[f64], y: &[f64], long: &mut [f64]) {
            for e in 0..x.len() {
                for a in 0..2 {
                    for b in 0..2 {
                        long[e + a] += if a == b { x[e] } else { y[e] };
                    }
                }
            }
        }
    }
    mod fem_matrix {
        #[forall::foreach]
        fn program(x: &[f64], y: &[f64], long: &mut [f64]) {
            let k = [[1.0, -1.0], [-1.0, 1.0]];
            for e in 0..x.len() {
                for a in 0..2 {
                    for b in 0..2 {
                        long[e + a] += k[a][b] * x[e];
                    }
                }
            }
        }
    }
    mod fem_quad {
        #[forall::kary_reduce]
        fn program(x: &[f64], long: &mut [f64]) -> f64 {
            let mut total = 0.0;
            for e in 0..x.len() {
                for a in 0..3 {
                    long[e + a] += x[e] * (a + 1) as f64;
                    total += x[e] * a as f64;
                }
            }
            total
        }
    }
}
