//! Adaptors with closures in the headers of loops.

mod refused {
    mod filter_enumerate {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for (i, d) in x.iter().filter(|v| **v > 1.0).enumerate() {
                s += d * i as f64;
            }
            s
        }
    }
    mod wrong_map_dup {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in (0..x.len()).map(|k| k / 2) {
                out[i] = x[i];
            }
        }
    }
    mod wrong_map_prev {
        #[forall::foreach]
        fn program(out: &mut [f64]) {
            for i in (1..out.len().max(1)).map(|k| k - 1) {
                out[i] = out[i + 1];
            }
        }
    }
    mod wrong_filter_state {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut last = 0.0;
            for i in (0..x.len()).filter(|i| x[*i] > 1.0) {
                out[i] = last;
                last = x[i];
            }
        }
    }
    mod map_state {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut k = 0;
            for (i, k) in (0..x.len()).map(|i| {
                k += 1;
                (i, k)
            }) {
                out[i] = x[i] + k as f64;
            }
        }
    }
    mod typed {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for v in x.iter().map(|v: &f64| -> f64 { v + 1.0 }) {
                s += v;
            }
            s
        }
    }
    mod user_iter2 {
        pub struct It(usize);
        impl Iterator for It {
            type Item = usize;
            fn next(&mut self) -> Option<usize> {
                self.0 += 1;
                (self.0 < 5).then_some(self.0)
            }
        }
        impl It {
            fn filter(self, _f: impl Fn(&usize) -> bool) -> It {
                It(2)
            }
        }
        pub struct M;
        impl M {
            fn iter(&self) -> It {
                It(0)
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[usize]) -> usize {
            let m = M;
            let mut s = 0;
            for j in m.iter().filter(|j| *j > 3) {
                s += j;
            }
            for i in 0..x.len() {
                s += x[i];
            }
            s
        }
    }
}
mod right {
    mod filter_mut {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            for v in x.iter_mut().filter(|v| **v > 3.0) {
                *v = 0.0;
            }
        }
    }
    mod filter_mut_enum {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            for (i, v) in x.iter_mut().enumerate().filter(|(i, _)| i % 3 != 1) {
                *v = i as f64;
            }
        }
    }
    mod filter_mut_enum_val {
        #[forall::foreach]
        fn program(x: &mut [f64], y: &[f64]) {
            for (i, v) in x.iter_mut().enumerate().filter(|(i, v)| *i % 3 != 1 && **v < 2.0) {
                *v += y[i];
            }
        }
    }
    mod filter_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for v in x.iter().filter(|v| **v > 3.0) {
                s += v;
            }
            s
        }
    }
    mod filter_refpat {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for &v in x.iter().filter(|&&v| v > 3.0) {
                s += v;
            }
            s
        }
    }
    mod filter_refpat2 {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for &v in x.iter().filter(|&v| *v > 3.0) {
                s += v;
            }
            s
        }
    }
    mod filter_copied {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for v in x.iter().copied().filter(|v| *v > 3.0) {
                s += v;
            }
            s
        }
    }
    mod filter_then_copied {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for v in x.iter().filter(|v| **v > 3.0).copied() {
                s += v;
            }
            s
        }
    }
    mod map_square {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for v in x.iter().map(|v| v * v) {
                s += v;
            }
            s
        }
    }
    mod range_filter {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in (0..x.len()).filter(|i| i % 3 != 0) {
                out[i] = x[i];
            }
        }
    }
    mod range_filter_val {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in (0..x.len()).filter(|&i| x[i] > 1.0) {
                out[i] = x[i];
            }
        }
    }
    mod range_map {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in (0..x.len() / 2).map(|k| 2 * k) {
                out[i] = x[i];
            }
        }
    }
    mod range_map_rev {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in (0..x.len() / 2).map(|k| 2 * k + 1).rev() {
                out[i] = x[i];
            }
        }
    }
    mod zip_filter {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> f64 {
            let mut s = 0.0;
            for (a, b) in x.iter().zip(y).filter(|(a, b)| a < b) {
                s += a * b;
            }
            s
        }
    }
    mod zip_map {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> f64 {
            let mut s = 0.0;
            for d in x.iter().zip(y).map(|(a, b)| a - b) {
                s += d * d;
            }
            s
        }
    }
    mod map_enumerate {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for (i, d) in x.iter().map(|a| a + 1.0).enumerate() {
                s += d * i as f64;
            }
            s
        }
    }
    mod filter_map_then {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for d in x.iter().filter_map(|v| (*v > 1.0).then(|| v.sqrt())) {
                s += d;
            }
            s
        }
    }
    mod filter_map_opt {
        #[forall::kary_reduce]
        fn program(x: &[u64]) -> u64 {
            let mut s = 0;
            for d in x.iter().filter_map(|v| v.checked_sub(7)) {
                s += d;
            }
            s
        }
    }
    mod filter_break {
        #[forall::kary_reduce]
        fn program(x: &[f64], n: usize) -> f64 {
            let mut s = 0.0;
            for i in 0..n {
                for j in (0..i).filter(|j| j % 2 == 0) {
                    if x[j] > 3.0 {
                        break;
                    }
                    s += x[i];
                }
            }
            s
        }
    }
    mod inner_filter_checker {
        #[forall::foreach]
        fn program(out: &mut [f64], c: usize) {
            let n = out.len().isqrt();
            for i in 0..n {
                for j in (0..n).filter(|j| (i + j) % 2 == c % 2) {
                    out[i * n + j] += 1.0;
                }
            }
        }
    }
    mod filter_continue {
        #[forall::foreach]
        fn program(out: &mut [f64], x: &[f64]) {
            for i in (0..x.len()).filter(|i| *i != 3) {
                if x[i] < 0.0 {
                    continue;
                }
                out[i] = x[i];
            }
        }
    }
    mod filter_fn {
        fn keep(v: &&f64) -> bool {
            **v > 1.0
        }
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for v in x.iter().filter(keep) {
                s += v;
            }
            s
        }
    }
    mod map_fn {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for v in x.iter().copied().map(f64::abs) {
                s += v;
            }
            s
        }
    }
    mod filter_chunks {
        #[forall::foreach]
        fn program(wide: &mut [f64], w: usize) {
            for row in wide.chunks_exact_mut(w).filter(|r| r[0] > 1.0) {
                for v in row {
                    *v = 0.0;
                }
            }
        }
    }
    mod filter_windows {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> usize {
            let mut n = 0;
            for w in x.windows(2).filter(|w| w[0] < w[1]) {
                n += 1;
            }
            n
        }
    }
    mod filter_if_push {
        #[forall::foreach_tls]
        fn program(x: &[f64]) -> Vec<usize> {
            let mut v = Vec::new();
            for (i, _) in x.iter().enumerate().filter(|(_, v)| **v > 1.0) {
                v.push(i);
            }
            v
        }
    }
    mod filter_item_whole {
        #[forall::foreach_tls]
        fn program(x: &[f64]) -> Vec<usize> {
            let mut v = Vec::new();
            for e in x.iter().enumerate().filter(|(_, v)| **v > 1.0) {
                v.push(e.0);
            }
            v
        }
    }
    mod filter_item_ref {
        #[forall::foreach_tls]
        fn program(x: &[f64]) -> Vec<usize> {
            let mut v = Vec::new();
            for e in x.iter().enumerate().filter(|e| *e.1 > 1.0 && e.0 > 2) {
                v.push(e.0);
            }
            v
        }
    }
    mod filter_macro {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for v in x.iter().filter(|v| matches!(v.partial_cmp(&&1.0), Some(std::cmp::Ordering::Greater))) {
                s += v;
            }
            s
        }
    }
    mod typed2 {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for v in x.iter().map(|v: &f64| v + 1.0) {
                s += v;
            }
            s
        }
    }
    mod flat_map {
        #[forall::kary_reduce]
        fn program(n: usize, w: usize, wide: &[f64]) -> f64 {
            let mut s = 0.0;
            for (i, j) in (0..n).flat_map(|i| (0..w).map(move |j| (i, j))) {
                s += wide[i * w + j];
            }
            s
        }
    }
    mod flat_map_write {
        #[forall::foreach]
        fn program(n: usize, w: usize, wide: &mut [f64]) {
            for k in (0..n).flat_map(|i| i * w..(i + 1) * w) {
                wide[k] = k as f64;
            }
        }
    }
    mod shadow {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let v = 2.0;
            let mut s = 0.0;
            for w in x.iter().filter(|w| **w > v).map(|v| v * 3.0) {
                let v = v + w;
                s += v;
            }
            s
        }
    }
    mod user_iter {
        pub struct It(usize);
        impl Iterator for It {
            type Item = usize;
            fn next(&mut self) -> Option<usize> {
                self.0 += 1;
                (self.0 < 5).then_some(self.0)
            }
        }
        impl It {
            fn filter(self, _f: impl Fn(&usize) -> bool) -> It {
                It(2)
            }
        }
        pub struct M;
        impl M {
            fn iter(&self) -> It {
                It(0)
            }
        }
        #[forall::foreach]
        fn program(out: &mut [usize]) {
            let m = M;
            for i in 0..out.len() {
                for j in m.iter().filter(|j| *j > 3) {
                    out[i] += j;
                }
            }
        }
    }
    mod label {
        #[forall::foreach]
        fn program(out: &mut [f64], x: &[f64]) {
            'a: for i in (0..x.len()).filter(|i| *i != 3) {
                for j in 0..i {
                    if x[j] < 0.0 {
                        continue 'a;
                    }
                }
                out[i] = x[i];
            }
        }
    }
    mod extra_take {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for v in x.iter().map(|v| v * v).take(5) {
                s += v;
            }
            s
        }
    }
    mod filter_rev {
        #[forall::foreach_tls]
        fn program(x: &[f64]) -> Vec<f64> {
            let mut s = vec![];
            for v in x.iter().filter(|v| **v > 1.0).rev() {
                s.push(*v);
            }
            s
        }
    }
    mod panic_order {
        #[forall::kary_reduce]
        fn program(x: &[usize], table: &[f64]) -> f64 {
            let mut s = 0.0;
            for i in x.iter().map(|i| i + 1).filter(|i| {
                assert!(*i < 600);
                true
            }) {
                s += i as f64;
            }
            s
        }
    }
}
