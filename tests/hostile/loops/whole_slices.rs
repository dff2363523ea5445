//! Other names for whole slices.

mod refused {
    mod carried {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let y = &mut *x;
            for i in 1..y.len() {
                y[i] += y[i - 1];
            }
        }
    }
    mod macro_alias_text {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let y = x;
            let n = y.len();
            println!("{y:?}");
            for i in 0..n {
                out[i] = y[i] * 2;
            }
        }
    }
    mod cond_alias {
        #[forall::foreach]
        fn program(x: &[f64], z: &[f64], out: &mut [f64], k: usize) {
            let y = if k > 1 { x } else { z };
            for i in 0..out.len() {
                out[i] = y[i];
            }
        }
    }
    mod alias_both {
        #[forall::foreach]
        fn program(x: &mut [f64], z: &mut [f64]) {
            let (a, b) = (&mut *x, &mut *z);
            for i in 0..a.len() {
                a[i] += b[i];
            }
        }
    }
}
mod right {
    mod rebor {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let y = &mut *x;
            for i in 0..y.len() {
                y[i] *= 2.0;
            }
        }
    }
    mod rebor_then_x {
        #[forall::foreach]
        fn program(x: &mut [f64], z: &[f64]) {
            let y = &mut *x;
            for i in 0..y.len() {
                y[i] *= 2.0;
            }
            for i in 0..x.len() {
                x[i] += z[i];
            }
        }
    }
    mod rebor2 {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let y = &mut x[..];
            for i in 0..y.len() {
                y[i] *= 2.0;
            }
        }
    }
    mod shared_whole {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let a = &x[..];
            let o: &mut [f64] = out;
            for i in 0..a.len() {
                o[i] = a[i] * 2.0;
            }
        }
    }
    mod chain_alias {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let a = x;
            let b = a;
            for (o, v) in out.iter_mut().zip(b) {
                *o = v * 2.0;
            }
        }
    }
    mod macro_alias {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let y = &mut *x;
            assert!(y.len() < 100_000);
            for i in 0..y.len() {
                y[i] *= 2.0;
            }
        }
    }
    mod shadow_alias {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let x = &x[..];
            for i in 0..x.len() {
                out[i] = x[i];
            }
        }
    }
    mod part_alias {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let y = &x[1..];
            for i in 0..y.len() {
                out[i] = y[i];
            }
        }
    }
    mod copied {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let y = x.to_vec();
            for i in 1..x.len() {
                x[i] = y[i - 1];
            }
        }
    }
    mod alias_in_block {
        #[forall::foreach]
        fn program(x: &mut [f64], k: usize) {
            if k == 2 {
                let y = &mut *x;
                for v in y.iter_mut() {
                    *v += 1.0;
                }
            }
        }
    }
}
