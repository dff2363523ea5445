//! Sweeps over colours, and parts of written slices that have names.

mod refused {
    mod colours_that_meet {
        #[forall::foreach]
        fn program(x: &mut [i64], n: usize) {
            for c in 0..2 {
                for i in (1 + c..n.saturating_sub(1)).step_by(1) {
                    x[i] = x[i - 1] + x[i + 1];
                }
            }
        }
    }
    mod three_colours_of_two {
        #[forall::foreach]
        fn program(wide: &mut [i64], w: usize, n: usize) {
            for c in 0..3 {
                for j in 1..n.saturating_sub(1) {
                    for i in (1 + (j + c) % 3..w - 1).step_by(2) {
                        wide[j * w + i] = wide[j * w + i - 1] + wide[(j - 1) * w + i];
                    }
                }
            }
        }
    }
    mod rounds_with_more {
        #[forall::foreach]
        fn program(x: &mut [i64], out: &mut [i64], n: usize) {
            let mut k = 0;
            for c in 0..2 {
                k += 1;
                for i in (1 + c..n.saturating_sub(1)).step_by(2) {
                    x[i] = x[i - 1] + x[i + 1];
                }
                out[k % 2] = x[0];
            }
        }
    }
    mod parts_that_were_moved {
        #[forall::foreach]
        fn program(out: &mut [i64], n: usize) {
            let tail = &mut out[n / 3..];
            for i in 0..tail.len() {
                tail[i / 2] += 1;
            }
        }
    }
}
mod right {
    mod red_black {
        #[forall::foreach]
        fn program(x: &[f64], wide: &mut [f64], w: usize, n: usize) {
            for c in 0..2 {
                for j in 1..n.saturating_sub(1) {
                    for i in (1 + (j + c) % 2..w - 1).step_by(2) {
                        wide[j * w + i] = 0.25
                            * (wide[j * w + i - 1] + wide[j * w + i + 1] + wide[(j - 1) * w + i] + wide[(j + 1) * w + i] - x[j]);
                    }
                }
            }
        }
    }
    mod red_black_line {
        #[forall::foreach]
        fn program(x: &mut [i64], n: usize) {
            for c in 0..2 {
                for i in (1 + c..n.saturating_sub(1)).step_by(2) {
                    x[i] = (x[i - 1] + x[i + 1]) % 1000;
                }
            }
        }
    }
    mod red_black_of_an_array {
        #[forall::foreach]
        fn program(x: &mut [i64], n: usize) {
            for _ in 0..3 {
                for c in [1, 2] {
                    for i in (c..n.saturating_sub(1)).step_by(2) {
                        x[i] = (x[i - 1] + x[i + 1]) % 1000;
                    }
                }
            }
        }
    }
    mod four_colours {
        #[forall::foreach]
        fn program(wide: &mut [i64], w: usize, n: usize) {
            for c in 0..4 {
                let (a, b) = (c / 2, c % 2);
                for j in (1 + a..n.saturating_sub(1)).step_by(2) {
                    for i in (1 + b..w - 1).step_by(2) {
                        wide[j * w + i] += wide[j * w + i - 1] - wide[(j - 1) * w + i + 1] % 7;
                    }
                }
            }
        }
    }
    mod tail {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64], n: usize) {
            let out = &mut out[n / 3..];
            for i in 0..out.len() {
                out[i] = 2.0 * x[i];
            }
        }
    }
    mod middle {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], n: usize, k: usize) {
            let inner = &mut out[k..n - 1];
            for (o, v) in inner.iter_mut().zip(x) {
                *o += v;
            }
            let head = &mut inner[..=k];
            for i in 0..head.len() {
                head[i] *= 3;
            }
        }
    }
    mod two_parts_after_another {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], n: usize) {
            let low = &mut out[..n / 2];
            for i in 0..low.len() {
                low[i] = x[i];
            }
            let high = &mut out[n / 2..];
            for i in 0..high.len() {
                high[i] -= x[i];
            }
            for o in out.iter_mut() {
                *o += 1;
            }
        }
    }
}
