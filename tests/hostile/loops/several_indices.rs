//! Additions at several indices of one array.

mod refused {
    mod before_the_beginning {
        #[forall::foreach]
        fn program(x: &[i64], rhs: &mut [i64], n: usize) {
            for e in 0..n {
                rhs[e] += x[e];
                rhs[e - 1] += x[e + 3];
            }
        }
    }
    mod offsets_that_fall {
        #[forall::foreach]
        fn program(x: &[i64], rhs: &mut [i64], n: usize) {
            for e in 0..n {
                rhs[e / 2] += x[e];
                rhs[e / 2 + 1] += x[e];
            }
        }
    }
    mod read_between {
        #[forall::foreach]
        fn program(x: &[i64], rhs: &mut [i64], n: usize) {
            for e in 0..n.saturating_sub(1) {
                rhs[e] += x[e];
                rhs[e + 1] += rhs[e];
            }
        }
    }
    mod set_and_add {
        #[forall::foreach]
        fn program(x: &[i64], rhs: &mut [i64], n: usize) {
            for e in 0..n.saturating_sub(1) {
                rhs[e] = x[e];
                rhs[e + 1] += x[e];
            }
        }
    }
    mod add_and_multiply {
        #[forall::foreach]
        fn program(x: &[i64], rhs: &mut [i64], n: usize) {
            for e in 0..n.saturating_sub(1) {
                rhs[e] += x[e];
                rhs[e + 1] *= x[e] % 3;
            }
        }
    }
    mod counted_besides {
        #[forall::foreach]
        fn program(x: &[i64], rhs: &mut [i64], n: usize) -> i64 {
            let mut c = 0;
            for e in 0..n.saturating_sub(1) {
                c += 1;
                rhs[e] += x[e];
                rhs[e + 1] += c;
            }
            c
        }
    }
    mod effects_in_the_value {
        fn next(k: &std::cell::Cell<i64>) -> i64 {
            k.set(k.get() + 1);
            k.get()
        }
        #[forall::foreach]
        fn program(x: &[i64], rhs: &mut [i64], n: usize) {
            let k = std::cell::Cell::new(0);
            for e in 0..n.saturating_sub(1) {
                rhs[e] += next(&k);
                rhs[e + 1] += x[e];
            }
        }
    }
}
mod right {
    mod offsets {
        #[forall::foreach]
        fn program(x: &[f64], rhs: &mut [f64]) {
            for e in 0..x.len().saturating_sub(1) {
                let h = x[e] * 1.1;
                rhs[e] += 0.5 * h;
                rhs[e + 1] -= 0.7 * h;
            }
        }
    }
    mod three_offsets {
        #[forall::foreach]
        fn program(x: &[f64], rhs: &mut [f64]) {
            for e in 1..x.len().saturating_sub(1) {
                rhs[e - 1] += x[e];
                rhs[e] -= 2.1 * x[e];
                rhs[e + 1] += x[e + 1];
            }
        }
    }
    mod offsets_of_rows {
        #[forall::foreach]
        fn program(x: &[f64], rhs: &mut [f64], w: usize) {
            for i in 0..(x.len() / w).saturating_sub(1) {
                for j in 0..w {
                    rhs[i * w + j] += x[i * w + j];
                    rhs[(i + 1) * w + j] += 0.3 * x[i * w + j];
                }
            }
        }
    }
    mod cells_of_a_grid {
        #[forall::foreach]
        fn program(x: &[f64], wide: &mut [f64], w: usize, n: usize) {
            for i in 0..n.saturating_sub(1) {
                for j in 0..w - 1 {
                    let k = i * w + j;
                    let v = x[i] * 1.3 + j as f64;
                    wide[k] += v;
                    wide[k + 1] += 0.1 * v;
                    wide[k + w] += 0.01 * v;
                    wide[k + w + 1] += 0.001 * v;
                }
            }
        }
    }
    mod beyond_the_end {
        #[forall::foreach]
        fn program(x: &[i64], rhs: &mut [i64], n: usize) {
            for e in 0..n {
                rhs[e] += x[e];
                rhs[e + 1] += x[e];
            }
        }
    }
    mod two_arrays {
        #[forall::foreach]
        fn program(x: &[f64], fx: &mut [f64], fy: &mut [f64], rounds: usize) {
            for _ in 0..rounds {
                for e in 0..x.len().saturating_sub(2) {
                    let d = x[e + 1] - x[e];
                    fx[e] += d;
                    fx[e + 1] -= d;
                    fy[e] += 0.5 * d;
                    fy[e + 2] -= 0.5 * d;
                }
            }
        }
    }
    mod numbers_that_overflow {
        #[forall::foreach]
        fn program(x: &[u8], rhs: &mut [u8]) {
            for e in 0..x.len().saturating_sub(1) {
                rhs[e] += x[e] / 4;
                rhs[e + 1] += x[e] / 4;
            }
        }
    }
    mod places_apart {
        #[forall::foreach]
        fn program(x: &[f64], rhs: &mut [f64]) {
            for e in 0..x.len() / 2 {
                rhs[2 * e] += x[e];
                rhs[2 * e + 1] += x[e];
            }
        }
    }
}
