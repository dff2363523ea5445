//! Packed triangles.

mod refused {
    mod lower_too_long {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 4;
            for i in 0..m {
                for j in 0..=i {
                    bins[i * (i - i % 1) / 2 + j] = (i * 10 + j) as f64;
                }
            }
        }
    }
    mod lower_overlap {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 4;
            for i in 0..m {
                for j in 0..=i + 1 {
                    bins[i * (i + 1) / 2 + j] = (i * 10 + j) as f64;
                }
            }
        }
    }
    mod upper_overlap {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 4;
            for i in 0..m {
                for j in i..m + 1 {
                    bins[i * m - i * (i + 1) / 2 + j] = (i * 10 + j) as f64;
                }
            }
        }
    }
    mod upper_overlap2 {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 4;
            for i in 1..m {
                for j in i..m {
                    bins[i * m - i * (i + 1) / 2 + j - j / 7] = (i * 10 + j) as f64;
                }
            }
        }
    }
    mod upper_wrong_n {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 4;
            for i in 0..m {
                for j in i..m {
                    bins[i * (m - 1) - i * (i + 1) / 2 + j + i / 9] = (i * 10 + j) as f64;
                }
            }
        }
    }
    mod two_triangles {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 4;
            for i in 0..m {
                for j in 0..=i {
                    bins[i * (i + 1) / 2 + j] = (i * 10 + j) as f64;
                }
                for j in i..m {
                    bins[i * m - i * (i + 1) / 2 + j] = 1.0;
                }
            }
        }
    }
    mod shifted_same {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 4;
            for i in 0..m {
                for j in 0..=i {
                    bins[i * (i + 1) / 2 + j] = (i * 10 + j) as f64;
                }
                for j in 0..=i {
                    bins[(i + 1) * (i + 2) / 2 + j] = 3.0;
                }
            }
        }
    }
    mod read_prev_row {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 4;
            for i in 1..m {
                for j in 0..i {
                    bins[i * (i + 1) / 2 + j] += bins[(i - 1) * i / 2 + j];
                }
            }
        }
    }
    mod beyond_n_diag {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 3;
            for i in 0..m + 2 {
                bins[i * (m + 1) - i * (i + 1) / 2] += i as f64;
            }
        }
    }
    mod step2 {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 4;
            for i in (0..m).step_by(2) {
                for j in 0..=i {
                    bins[i * (i + 1) / 2 + j] = (i * 10 + j) as f64;
                }
            }
        }
    }
    mod from_k {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 6;
            for i in k..m {
                for j in i..m {
                    bins[i * m - i * (i + 1) / 2 + j] += 1.0;
                }
            }
        }
    }
    mod signed {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: i64) {
            let m = k + 6;
            for i in 0..m {
                for j in i..m {
                    bins[(i * m - i * (i + 1) / 2 + j) as usize] += 1.0;
                }
            }
        }
    }
    mod rev {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 6;
            for i in (0..m).rev() {
                for j in i..m {
                    bins[i * m - i * (i + 1) / 2 + j] += 1.0;
                }
            }
        }
    }
}
mod right {
    mod upper {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 6;
            for i in 0..m {
                for j in i..m {
                    bins[i * m - i * (i + 1) / 2 + j] = (i * 10 + j) as f64;
                }
            }
        }
    }
    mod upper_strict {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 6;
            for i in 0..m {
                for j in i + 1..m {
                    bins[i * (2 * m - i - 1) / 2 + j - i - 1] = (i * 10 + j) as f64;
                }
            }
        }
    }
    mod upper_strict_last {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 6;
            for i in 0..m - 1 {
                for j in i + 1..m {
                    bins[m * i - i * (i + 1) / 2 + j - i - 1] += (i * 10 + j) as f64;
                }
            }
        }
    }
    mod upper_other {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 6;
            for i in 0..m {
                for j in i..m {
                    bins[i * (2 * m - i + 1) / 2 + j - i] = (i * 10 + j) as f64;
                }
            }
        }
    }
    mod upper_diag {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 6;
            for i in 0..m {
                bins[i * m - i * (i + 1) / 2 + i] = 1.0;
                for j in i + 1..m {
                    bins[i * m - i * (i + 1) / 2 + j] = (i * 10 + j) as f64;
                }
            }
        }
    }
    mod upper_row {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 6;
            for i in 0..m {
                let row = i * (2 * m - i - 1) / 2;
                for j in i..m {
                    bins[row + j] = (i * 10 + j) as f64;
                }
            }
        }
    }
    mod lower_strict {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 6;
            for i in 1..m {
                for j in 0..i {
                    bins[i * (i - 1) / 2 + j] = (i * 10 + j) as f64;
                }
            }
        }
    }
    mod rows_gap {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 4;
            for i in 0..m {
                for j in 0..i {
                    bins[i * (i + 1) / 2 + j] = (i * 10 + j) as f64;
                }
            }
        }
    }
    mod beyond_n {
        #[forall::foreach]
        fn program(bins: &mut [f64], k: usize) {
            let m = k + 4;
            for i in 0..m + 3 {
                for j in i..m {
                    bins[i * m - i * (i + 1) / 2 + j] = (i * 10 + j) as f64;
                }
            }
        }
    }
    mod sym_read {
        #[forall::foreach]
        fn program(#[replicated] table: &[f64], bins: &[f64], out: &mut [f64]) {
            let m = 8usize.min(out.len());
            for i in 0..m {
                let mut s = 0.0;
                for j in i..m {
                    s += bins[i * 8 - i * (i + 1) / 2 + j] * table[j];
                }
                out[i] = s;
            }
        }
    }
    mod pair_dist {
        #[forall::foreach]
        fn program(x: &[f64], bins: &mut [f64]) {
            let n = x.len().min(9);
            for i in 0..n {
                for j in i + 1..n {
                    bins[n * i - i * (i + 1) / 2 + j - i - 1] = (x[i] - x[j]).abs();
                }
            }
        }
    }
}
