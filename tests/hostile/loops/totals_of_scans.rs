//! Loops under `distributed_scan` whose iterations read no state: totals overflow as in a reduction.

mod right {
    mod beside_a_counter {
        #[forall::distributed_scan]
        fn program(x: &[u32], wide: &mut [u32]) -> (u32, usize) {
            let mut v = 0_u32;
            let mut c = 0usize;
            for i in 0..x.len() {
                let e = x[i];
                for j in 0..3 {
                    wide[c] = x[i] + j as u32;
                    c += 1;
                }
                v -= e;
            }
            (v, c)
        }
    }
    mod after_a_scan {
        #[forall::distributed_scan]
        fn program(x: &[u32], out: &mut [u32], wide: &mut [u32]) -> (u32, usize) {
            let mut v = 0_u32;
            let mut c = 0usize;
            for i in 0..x.len() {
                if x[i] == 4_u32 {
                    out[c] = 7;
                    c += 1;
                }
            }
            for i in 0..x.len() {
                wide[c] = x[i];
                c += 1;
                v -= x[i];
            }
            (v, c)
        }
    }
    mod a_product {
        #[forall::distributed_scan]
        fn program(x: &[u32], wide: &mut [u32]) -> (u32, usize) {
            let mut v = 1_u32;
            let mut c = 0usize;
            for i in 0..x.len() {
                wide[c] = x[i];
                c += 1;
                v *= 3 + x[i] % 2;
            }
            (v, c)
        }
    }
    mod a_small_count {
        #[forall::distributed_scan]
        fn program(x: &[u32], wide: &mut [u32]) -> (u8, usize) {
            let mut v = 0_u8;
            let mut c = 0usize;
            for i in 0..x.len() {
                wide[c] = x[i];
                c += 1;
                v += 1;
            }
            (v, c)
        }
    }
    mod of_both_signs {
        #[forall::distributed_scan]
        fn program(x: &[u32], wide: &mut [u32]) -> (u32, usize) {
            let mut v = 2_u32;
            let mut c = 0usize;
            for i in 0..x.len() {
                wide[c] = x[i];
                c += 1;
                if x[i] % 2 == 0 {
                    v += x[i] % 5;
                } else {
                    v -= x[i] % 3;
                }
            }
            (v, c)
        }
    }
    mod of_floats {
        #[forall::distributed_scan]
        fn program(x: &[u32], wide: &mut [u32]) -> (f64, usize) {
            let mut v = 0.5;
            let mut c = 0usize;
            for i in 0..x.len() {
                wide[c] = x[i];
                c += 1;
                v -= (x[i] % 8) as f64;
            }
            (v, c)
        }
    }
    mod with_a_last_value {
        #[forall::distributed_scan]
        fn program(x: &[u32], wide: &mut [u32]) -> (u32, u32, usize) {
            let mut v = 0_u32;
            let mut last = 0;
            let mut c = 0usize;
            for i in 0..x.len() {
                wide[c] = x[i];
                c += 1;
                v += x[i];
                if x[i] % 3 == 0 {
                    last = x[i];
                }
            }
            (v, last, c)
        }
    }
}
