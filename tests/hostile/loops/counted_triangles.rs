//! Counters that go through packed triangles.

mod refused {
    mod row_slice {
        #[forall::foreach]
        fn program(bins: &mut [f64]) {
            let m = 8usize;
            let mut k = 0;
            for i in 0..m {
                for v in &mut bins[k..k + i + 1] {
                    *v = i as f64;
                }
                k += i + 1;
            }
        }
    }
    mod wrong_twice {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let m = x.len().isqrt();
            let mut k = 0;
            for i in 0..m {
                for j in 0..=i {
                    x[k / 2] = (i * 10 + j) as f64;
                    k += 1;
                }
            }
        }
    }
    mod wrong_next {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let m = x.len().isqrt();
            let mut k = 0;
            for i in 0..m {
                for j in 0..=i {
                    x[k] += x[k + 1];
                    k += 1;
                }
            }
        }
    }
    mod wrong_prev_row {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let m = x.len().isqrt();
            let mut k = 0;
            for i in 1..m {
                for j in 0..=i {
                    x[k] = (i * 10 + j) as f64;
                    k += 1;
                }
                k -= 1;
            }
        }
    }
    mod sat_lower_end {
        #[forall::foreach]
        fn program(x: &mut [f64], k: usize) {
            let m = x.len().isqrt();
            let mut c = 0;
            for i in 0..m {
                for j in i..k {
                    x[c] = (i * 10 + j) as f64;
                    c += 1;
                }
            }
        }
    }
    mod sat_two_less {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let m = x.len().isqrt();
            let mut c = 0;
            for i in 0..m {
                for j in i + 2..m {
                    x[c] = (i * 10 + j) as f64;
                    c += 1;
                }
            }
        }
    }
    mod cond {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let m = x.len().isqrt();
            let mut c = 0;
            for i in 0..m {
                for j in 0..i {
                    if j % 2 == 0 {
                        x[c] = (i * 10 + j) as f64;
                        c += 1;
                    }
                }
            }
        }
    }
    mod two_levels {
        #[forall::foreach]
        fn program(wide: &mut [f64], n: usize) {
            let mut k = 0;
            let m = n.min(6);
            for b in 0..3 {
                for i in 0..m {
                    for j in 0..i {
                        if k < wide.len() {
                            wide[k] = (b + i * 10 + j) as f64;
                        }
                        k += 1;
                    }
                }
            }
        }
    }
    mod after_strict {
        #[forall::foreach]
        fn program(x: &mut [f64], n: usize) {
            let m = n.isqrt();
            let mut k = 0;
            for i in 0..m {
                for j in i + 1..m {
                    x[k] = (i * 10 + j) as f64;
                    k += 1;
                }
            }
            for i in 0..3 {
                for j in i + 1..3 {
                    if k < x.len() {
                        x[k] = (i * 10 + j) as f64;
                    }
                    k += 1;
                }
            }
        }
    }
}
mod right {
    mod lower {
        #[forall::foreach]
        fn program(bins: &mut [f64]) {
            let m = 8usize;
            let mut k = 0;
            for i in 0..m {
                for j in 0..=i {
                    bins[k] = (i * 10 + j) as f64;
                    k += 1;
                }
            }
        }
    }
    mod lower_n {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let m = x.len().isqrt();
            let mut k = 0;
            for i in 0..m {
                for j in 0..=i {
                    x[k] = (i * 10 + j) as f64;
                    k += 1;
                }
            }
        }
    }
    mod lower_strict {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let m = x.len().isqrt();
            let mut k = 0;
            for i in 0..m {
                for j in 0..i {
                    x[k] += (i * 10 + j) as f64;
                    k += 1;
                }
            }
        }
    }
    mod upper {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let m = x.len().isqrt();
            let mut k = 0;
            for i in 0..m {
                for j in i..m {
                    x[k] = (i * 10 + j) as f64;
                    k += 1;
                }
            }
        }
    }
    mod upper_strict {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let m = x.len().isqrt();
            let mut k = 0;
            for i in 0..m {
                for j in i + 1..m {
                    x[k] = (i * 10 + j) as f64;
                    k += 1;
                }
            }
        }
    }
    mod upper_pdist {
        #[forall::foreach]
        fn program(#[replicated] table: &[f64], bins: &mut [f64]) {
            let m = 10;
            let mut k = 0;
            for i in 0..m {
                for j in i + 1..m {
                    bins[k] = (table[i] - table[j]).abs();
                    k += 1;
                }
            }
        }
    }
    mod upper_short {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let m = x.len().isqrt();
            if m < 2 {
                return;
            }
            let mut k = 0;
            for i in 0..m - 1 {
                for j in i + 1..m {
                    x[k] = (i * 10 + j) as f64;
                    k += 1;
                }
            }
        }
    }
    mod upper_short_len {
        #[forall::foreach]
        fn program(#[replicated] table: &[f64], x: &mut [f64]) {
            let m = table.len() / 8;
            let mut k = 0;
            for i in 0..m {
                for j in (i + 1)..m {
                    if k < x.len() {
                        x[k] = (table[i] - table[j]).abs();
                    }
                    k += 1;
                }
            }
        }
    }
    mod read_lower {
        #[forall::foreach]
        fn program(bins: &[f64], out: &mut [f64]) {
            let m = 9.min(out.len());
            let mut k = 0;
            for i in 0..m {
                let mut s = 0.0;
                for j in 0..i {
                    s += bins[k] * j as f64;
                    k += 1;
                }
                out[i] = s;
            }
        }
    }
    mod row_step {
        #[forall::foreach]
        fn program(bins: &mut [f64]) {
            let m = 8usize;
            let mut k = 0;
            for i in 0..m {
                for j in 0..i + 1 {
                    bins[k + j] = (i * 10 + j) as f64;
                }
                k += i + 1;
            }
        }
    }
    mod after {
        #[forall::foreach]
        fn program(x: &mut [f64]) -> usize {
            let m = x.len().isqrt();
            let mut k = 0;
            for i in 0..m {
                for j in i..m {
                    x[k] = (i * 10 + j) as f64;
                    k += 1;
                }
            }
            k
        }
    }
    mod after_lower {
        #[forall::foreach]
        fn program(x: &mut [f64]) -> usize {
            let m = x.len().isqrt();
            let mut k = 0;
            for i in 0..m {
                for j in 0..i {
                    x[k] = (i * 10 + j) as f64;
                    k += 1;
                }
            }
            k
        }
    }
    mod unpack {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let m = x.len().isqrt();
            let mut k = 0;
            for i in 0..m {
                for j in 0..=i {
                    out[i * m + j] = x[k];
                    k += 1;
                }
            }
        }
    }
    mod unpack_sym {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let m = x.len().isqrt();
            let mut k = 0;
            for i in 0..m {
                for j in 0..=i {
                    out[i * m + j] = x[k];
                    out[j * m + i] = x[k];
                    k += 1;
                }
            }
        }
    }
    mod pack_diag {
        #[forall::foreach]
        fn program(a: &[f64], x: &mut [f64]) {
            let m = a.len().isqrt();
            let mut k = 0;
            for i in 0..m {
                for j in 0..i {
                    x[k] = a[i * m + j];
                    k += 1;
                }
                x[k] = a[i * m + i];
                k += 1;
            }
        }
    }
    mod i32s {
        #[forall::foreach]
        fn program(bins: &mut [f64]) {
            let mut k = 0;
            for i in 0..8 {
                for j in 0..=i {
                    bins[k] = (i * 10 + j) as f64;
                    k += 1;
                }
            }
        }
    }
    mod offset_start {
        #[forall::foreach]
        fn program(bins: &mut [f64]) {
            let mut k = 3;
            for i in 0..8usize {
                for j in 0..=i {
                    bins[k] = (i * 10 + j) as f64;
                    k += 1;
                }
            }
        }
    }
    mod sum_pairs {
        #[forall::kary_reduce]
        fn program(#[replicated] table: &[f64], bins: &[f64]) -> f64 {
            let mut k = 0;
            let mut s = 0.0;
            for i in 0..10 {
                for j in i + 1..10 {
                    s += bins[k] * table[i] * table[j];
                    k += 1;
                }
            }
            s
        }
    }
    mod from_one {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let m = x.len().isqrt();
            let mut k = 0;
            for i in 1..m {
                for j in 0..i {
                    x[k] = (i * 10 + j) as f64;
                    k += 1;
                }
            }
        }
    }
    mod from_one_upper {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let m = x.len().isqrt();
            let mut k = 0;
            for i in 1..m {
                for j in i..m {
                    x[k] = (i * 10 + j) as f64;
                    k += 1;
                }
            }
        }
    }
    mod from_two_lower {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let m = x.len().isqrt();
            let mut k = 0;
            for i in 2..m {
                for j in 0..=i {
                    x[k] = (i * 10 + j) as f64;
                    k += 1;
                }
            }
        }
    }
    mod after_used {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let m = x.len().isqrt();
            let mut k = 0;
            for i in 0..m {
                for j in 0..i {
                    x[k] = (i * 10 + j) as f64;
                    k += 1;
                }
            }
            if k < x.len() {
                x[k] = -1.0;
            }
        }
    }
    mod from_one_zero {
        #[forall::foreach]
        fn program(x: &mut [f64], n: usize) {
            let m = n / 300;
            let mut k = 0;
            for i in 1..m {
                for j in i..m {
                    x[k] = (i * 10 + j) as f64;
                    k += 1;
                }
            }
        }
    }
    mod after_strict_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64], n: usize) -> (f64, usize) {
            let m = n.isqrt();
            let mut k = 0;
            let mut s = 0.0;
            for i in 1..m {
                for j in i + 1..m {
                    s += x[k];
                    k += 1;
                }
            }
            (s, k)
        }
    }
    mod after_sum_zero {
        #[forall::kary_reduce]
        fn program(x: &[f64], n: usize) -> (f64, usize) {
            let m = n / 50;
            let mut k = 0;
            let mut s = 0.0;
            for i in 1..m {
                for j in i + 1..m {
                    s += x[k];
                    k += 1;
                }
            }
            (s, k)
        }
    }
}
