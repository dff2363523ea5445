//! Loops over iterators that change or leave out items, and loops whose chunks the author has chosen.

mod refused {
    mod grain_other_name {
        #[forall::foreach(grain = 4)]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            let mut v = 0;
            let r = &mut v;
            for i in 0..n {
                *r = x[i];
                out[i] = *r + 1;
                if i > 0 {
                    out[i] = out[i - 1];
                }
            }
        }
    }
    mod state_swap {
        struct S(Vec<i64>);
        impl S {
            fn push(&mut self, v: i64) {
                self.0.insert(0, v);
            }
            fn len(&self) -> usize {
                self.0.len()
            }
        }
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> usize {
            let mut s = S(Vec::new());
            let mut m = 0;
            for i in 0..x.len() {
                s.push(x[i]);
                m = s.len() * i;
            }
            m
        }
    }
    mod early_exit_list {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut l = Vec::new();
            for i in 0..x.len() {
                if x[i] > 3 {
                    return l;
                }
                l.push(x[i]);
            }
            l
        }
    }
    mod user_max_scatter {
        trait Own {
            fn max(self, o: Self) -> Self;
        }
        #[derive(Clone, Copy)]
        struct W(i64);
        impl Own for W {
            fn max(self, o: W) -> W {
                W(self.0.wrapping_mul(31).wrapping_add(o.0))
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = W(0);
            for i in 0..x.len() {
                b = b.max(W(x[i]));
            }
            b.0
        }
    }
    mod mapped_for_reads_sum {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut c = 0i64;
            for i in 0..x.len() {
                for v in [1i64, 2].iter().map(|e| e + c) {
                    out[i] = v;
                }
                c = x[i];
            }
        }
    }
}
mod right {
    mod mapped_filter_for {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut s = 0i64;
                for v in [3i64, 1, 4, 1, 5].iter().map(|e| e.wrapping_mul(x[i])).filter(|e| e % 2 == 0) {
                    if v > 40 {
                        break;
                    }
                    if v == 8 {
                        continue;
                    }
                    s = s.wrapping_add(v);
                }
                out[i] = s;
            }
        }
    }
    mod take_while_label {
        #[forall::foreach]
        fn program(x: &[u32], out: &mut [u32]) {
            for i in 0..x.len() {
                let mut s = 0u32;
                'a: for k in (0..9u32).map(|k| k * 3).take_while(|k| *k < 20) {
                    for j in (0..4u32).filter(|j| j % 2 == 1) {
                        if (k + j + x[i]) % 7 == 0 {
                            continue 'a;
                        }
                        s = s.wrapping_mul(3).wrapping_add(k + j);
                    }
                }
                out[i] = s;
            }
        }
    }
    mod inspect_order {
        #[forall::foreach]
        fn program(x: &[i32], out: &mut [i32]) {
            for i in 0..x.len() {
                let mut seen = 0i32;
                let mut s = 0i32;
                for v in [2i32, 7, 1].iter().skip_while(|v| **v < 5).map(|v| v.wrapping_add(x[i])) {
                    seen += 1;
                    s = s.wrapping_mul(5).wrapping_add(v);
                }
                out[i] = s.wrapping_add(seen);
            }
        }
    }
    mod grain_panic {
        #[forall::foreach(grain = 2)]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = 100 / (x[i] - 3);
            }
        }
    }
    mod grain_sqrt_list {
        #[forall::foreach_tls(grain = sqrt)]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut l = Vec::new();
            for i in 0..x.len() {
                if x[i] % 2 == 0 {
                    l.push(x[i] / (x[i] - 8));
                }
            }
            l
        }
    }
    mod scatter_early {
        #[forall::foreach(grain = 1)]
        fn program(x: &[i64], #[scatter] out: &mut [i64]) {
            let n = out.len();
            for i in 0..x.len() {
                let p = x[i].unsigned_abs() as usize % n;
                if x[i] % 3 == 0 {
                    continue;
                }
                out[p] = 60 / (x[i] - 4);
            }
        }
    }
    mod shadowed_combine_outside {
        fn over(a: i64, b: i64) -> i64 {
            a.wrapping_add(b)
        }
        #[forall::kary_reduce(combine = over)]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for i in 0..x.len() {
                let over_ = x[i];
                s = over(s, over_);
            }
            s
        }
    }
}
