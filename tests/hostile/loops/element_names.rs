//! Names of elements that loops accumulate into: `let s = &mut sums[k]; *s += v;`.

mod refused {
    mod method_of_the_reference {
        trait Wraps {
            fn wrapping_add(self, other: i64) -> i64;
        }
        impl Wraps for &mut i64 {
            fn wrapping_add(self, other: i64) -> i64 {
                self.rotate_left(1) ^ other
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64], idx: &[usize]) -> Vec<i64> {
            let mut h = vec![0i64; 9];
            for i in 0..x.len() {
                let s = &mut h[idx[i] % 9];
                *s = s.wrapping_add(x[i]);
            }
            h
        }
    }
    mod held_twice {
        #[forall::kary_reduce]
        fn program(x: &[i64], idx: &[usize]) -> Vec<i64> {
            let mut h = vec![0i64; 9];
            for i in 0..x.len() {
                let s = &mut h[idx[i] % 9];
                *s += x[i];
                if *s > 40 {
                    *s = 0;
                }
            }
            h
        }
    }
    mod read_between {
        #[forall::kary_reduce]
        fn program(x: &[i64], idx: &[usize]) -> (Vec<i64>, i64) {
            let mut h = vec![0i64; 9];
            let mut t = 0;
            for i in 0..x.len() {
                let s = &mut h[idx[i] % 9];
                *s += x[i];
                t += *s;
            }
            (h, t)
        }
    }
    mod index_changes {
        #[forall::kary_reduce]
        fn program(x: &[i64], idx: &[usize]) -> Vec<i64> {
            let mut h = vec![0i64; 9];
            let mut k = 0;
            for i in 0..x.len() {
                let s = &mut h[k];
                k = idx[i] % 9;
                *s += x[i];
            }
            h
        }
    }
    mod two_operators {
        #[forall::kary_reduce]
        fn program(x: &[i64], idx: &[usize]) -> Vec<i64> {
            let mut h = vec![1i64; 9];
            for i in 0..x.len() {
                let s = &mut h[idx[i] % 9];
                *s += x[i];
                *s = (*s).max(3);
            }
            h
        }
    }
    mod scatter_two {
        #[forall::foreach]
        fn program(x: &[i64], idx: &[usize], #[scatter] out: &mut [i64]) {
            for i in 0..x.len() {
                let o = &mut out[idx[i]];
                *o += x[i];
                *o *= 2;
            }
        }
    }
    mod scatter_read {
        #[forall::foreach]
        fn program(x: &[i64], idx: &[usize], #[scatter] out: &mut [i64]) {
            for i in 0..x.len() {
                let o = &mut out[idx[i]];
                *o = *o / 2 + x[i];
            }
        }
    }
}
mod right {
    mod push_of_the_reference {
        trait Put {
            fn push(self, element: i64);
        }
        impl Put for &mut Vec<i64> {
            fn push(self, element: i64) {
                Vec::push(self, element);
                self.reverse();
            }
        }
        #[forall::foreach_tls]
        fn program(x: &[i64], idx: &[usize]) -> Vec<Vec<i64>> {
            let mut cells = vec![Vec::new(); 9];
            for i in 0..x.len() {
                let cell = &mut cells[idx[i] % 9];
                cell.push(x[i]);
            }
            cells
        }
    }
    mod local_changes {
        #[forall::kary_reduce]
        fn program(x: &[i64], idx: &[usize]) -> Vec<i64> {
            let mut h = vec![0i64; 9];
            for i in 0..x.len() {
                let mut k = idx[i] % 9;
                let s = &mut h[k];
                k += 1;
                *s += x[i] * k as i64;
                h[k % 9] += 1;
            }
            h
        }
    }
    mod vectors {
        #[forall::kary_reduce]
        fn program(x: &[i64], idx: &[usize]) -> (Vec<[i64; 3]>, Vec<usize>) {
            let mut h = vec![[0i64; 3]; 9];
            let mut n = vec![0; 9];
            for i in 0..x.len() {
                let l = idx[i] % 9;
                let (s, c) = (&mut h[l], &mut n[l]);
                for d in 0..3 {
                    s[d] += x[i] * d as i64;
                }
                *c += 1;
            }
            (h, n)
        }
    }
    mod extremes {
        #[forall::kary_reduce]
        fn program(x: &[i64], idx: &[usize]) -> Vec<i64> {
            let mut h = vec![i64::MIN; 9];
            for (v, l) in x.iter().zip(idx) {
                let best = &mut h[l % 9];
                *best = (*best).max(*v);
            }
            h
        }
    }
    mod rows {
        #[forall::foreach_tls]
        fn program(x: &[i64], idx: &[usize]) -> Vec<Vec<i64>> {
            let mut cells = vec![Vec::new(); 9];
            for i in 0..x.len() {
                let cell = &mut cells[idx[i] % 9];
                cell.push(x[i]);
                if x[i] % 2 == 0 {
                    cell.push(i as i64);
                }
            }
            cells
        }
    }
    mod fields {
        struct S {
            n: u32,
            total: i64,
        }
        #[forall::kary_reduce]
        fn program(x: &[i64], idx: &[usize]) -> Vec<(u32, i64)> {
            let mut s: [(u32, i64); 9] = [(0, 0); 9];
            for i in 0..x.len() {
                let one = &mut s[idx[i] % 9];
                one.0 += 1;
                one.1 += x[i];
            }
            s.to_vec()
        }
    }
    mod scattered {
        #[forall::foreach]
        fn program(x: &[i64], idx: &[usize], #[scatter] out: &mut [i64]) {
            for i in 0..x.len() {
                let o = &mut out[idx[i] % 5];
                *o += x[i];
            }
        }
    }
    mod hides {
        #[forall::kary_reduce]
        fn program(x: &[i64], idx: &[usize]) -> Vec<i64> {
            let mut h = vec![0i64; 9];
            for i in 0..x.len() {
                let s = &mut h[idx[i] % 9];
                {
                    let s = 7;
                    assert_eq!(s, 7);
                }
                *s += x[i];
            }
            h
        }
    }
    mod under_conditions {
        #[forall::kary_reduce]
        fn program(x: &[i64], idx: &[usize]) -> Vec<i64> {
            let mut h = vec![0i64; 9];
            for i in 0..x.len() {
                if x[i] < 0 {
                    continue;
                }
                let s = &mut h[idx[i] % 9];
                if x[i] % 3 == 0 {
                    *s += 2;
                } else {
                    *s -= x[i];
                }
            }
            h
        }
    }
    mod out_of_range {
        #[forall::kary_reduce]
        fn program(x: &[i64], idx: &[usize]) -> Vec<i64> {
            let mut h = vec![0i64; 9];
            for i in 0..x.len() {
                let s = &mut h[idx[i]];
                *s += x[i];
            }
            h
        }
    }
}
