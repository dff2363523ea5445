//! Loops that count by while and loop.

mod refused {
    mod a_step_that_changes {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> i64 {
            let mut by = 1;
            let mut s = 0;
            let mut i = 0;
            while i < n {
                s += x[i];
                i += by;
                by += 1;
            }
            s
        }
    }
    mod a_step_of_the_data {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> i64 {
            let mut s = 0;
            let mut i = 0;
            while i < n {
                s += x[i];
                i += 1 + (x[i] as usize) % 3;
            }
            s
        }
    }
    mod through_a_counter_that_is_set_twice {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = out.len() / 3;
            let mut j = 0;
            let mut k: usize;
            for i in 0..n.min(x.len()) {
                k = j + 1;
                out[k] = x[i];
                if x[i] > 0 {
                    k = j;
                }
                j = k + 1;
            }
        }
    }
    mod bound_changes {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut i = 0;
            let mut m = x.len();
            let mut s = 0;
            while i < m {
                s += x[i];
                if x[i] > 50 {
                    m = i;
                }
                i += 1;
            }
            s
        }
    }
    mod skips {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut i = 0;
            let mut s = 0;
            while i < x.len() {
                s += x[i];
                if x[i] > 5 {
                    i += 1;
                }
                i += 1;
            }
            s
        }
    }
    mod cont_no_step {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> i64 {
            let mut i = 0;
            let mut s = 0;
            while i < n {
                if s > 1000000 {
                    continue;
                }
                s += x[i] * 0;
                i += 1;
            }
            s
        }
    }
    mod loop_mid {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> i64 {
            let mut s = 0;
            let mut i = 0;
            loop {
                s += x[i];
                i += 1;
                if i >= n {
                    break;
                }
            }
            s
        }
    }
    mod start_later {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize, k: usize) -> i64 {
            let mut a = k;
            let mut i = a;
            a += 3;
            let mut s = a as i64;
            while i < n {
                s += x[i];
                i += 1;
            }
            s
        }
    }
    mod start_changes {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize, k: usize) -> i64 {
            let mut i = 0;
            let mut s = 0;
            i = s as usize;
            s += 1;
            while i < n {
                s += x[i];
                i += 1;
            }
            s
        }
    }
    mod queue {
        #[forall::kary_reduce]
        fn program(x: &[usize]) -> usize {
            let mut q = vec![0];
            let mut i = 0;
            while i < q.len() {
                let u = q[i];
                if u + 1 < x.len() {
                    q.push(u + 1);
                }
                i += 1;
            }
            q.len()
        }
    }
    mod shadow {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> i64 {
            let mut i = 0;
            let mut s = 0;
            while i < n {
                let i = i + 0;
                s += x[i];
                s ^= i as i64;
            }
            s
        }
    }
    mod short_field {
        pub struct P {
            pub i: usize,
        }
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> i64 {
            let mut i = 0;
            let mut s = 0;
            while i < n {
                s += x[i];
                i += 1;
            }
            i = 0;
            while i < n {
                let p = P { i };
                s += x[p.i];
                i += 1;
            }
            s
        }
    }
    mod odd_type {
        #[derive(Clone, Copy, PartialEq, PartialOrd)]
        pub struct Odd(pub usize);
        impl std::ops::AddAssign<usize> for Odd {
            fn add_assign(&mut self, o: usize) {
                self.0 += 2 * o;
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> i64 {
            let mut i = Odd(0);
            let m = Odd(n);
            let mut s = 0;
            while i < m {
                s += x[i.0];
                i += 1;
            }
            s
        }
    }
    mod mac {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64], n: usize) {
            let mut i = 0;
            while i < n {
                assert!(i < 1000, "{i}");
                out[i] = x[i];
                i += 1;
            }
            i = 0;
            while i < n {
                assert!(i < 1000, "{i}");
                out[i] += x[i];
                i += 1;
            }
        }
    }
}
mod right {
    mod signed {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let n = x.len() as i64;
            let mut s = 0;
            let mut i = n - 1;
            while i >= 0 {
                s += x[i as usize] * i;
                i -= 1;
            }
            s
        }
    }
    mod wrap {
        #[forall::kary_reduce]
        fn program(n: usize) -> u64 {
            let mut i: u8 = 0;
            let mut s = 0;
            while i < 200 {
                s += i as u64 * n as u64;
                i += 100;
            }
            s
        }
    }
    mod le_max {
        #[forall::kary_reduce]
        fn program(n: usize) -> u64 {
            let mut i: u8 = 250;
            let mut s = 0;
            while i <= 254 {
                s += i as u64 * n as u64;
                i += 1;
            }
            s
        }
    }
    mod by_a_variable {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], n: usize) {
            let step = n % 3 + 1;
            let mut i = n % 2;
            while i < out.len().min(x.len()) {
                out[i] = x[i] * 3;
                i += step;
            }
        }
    }
    mod by_a_variable_with_the_end {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> (i64, usize) {
            let by = n % 4 + 1;
            let mut s = 0;
            let mut i = by;
            while i <= n {
                s += x[i - 1];
                i = i + by;
            }
            (s, by)
        }
    }
    mod no_step_and_no_iterations {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> i64 {
            let by = n % 2;
            let mut s = 3;
            let mut i = n;
            while i < n {
                s += x[i];
                i += by;
            }
            s
        }
    }
    mod the_value_after_steps_by_a_variable {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> (i64, usize) {
            let by = n % 3 + 2;
            let mut s = 0;
            let mut i = 0;
            while i < n {
                s += x[i];
                i += by;
            }
            (s, i)
        }
    }
    mod down_to_minus_one {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            let mut i = x.len() as i32 - 1;
            while i > -1 {
                s += x[i as usize] * i as i64;
                i -= 1;
            }
            s
        }
    }
    mod down_by_three {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len().min(out.len()) as isize;
            let mut i = n - 2;
            while i >= 0 {
                out[i as usize] = x[i as usize] - 1;
                i -= 3;
            }
        }
    }
    mod through_another_counter {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = out.len() / 2;
            let mut j = 0;
            for i in 0..n.min(x.len()) {
                let k = j + 1;
                out[k - 1] = x[i];
                out[k] = x[i] + 1;
                j = k + 1;
            }
        }
    }
    mod inner_reset {
        #[forall::foreach]
        fn program(wide: &mut [f64], n: usize, w: usize) {
            let mut j = 0;
            for i in 0..n {
                j = 0;
                while j < w {
                    wide[i * w + j] *= 2.0;
                    j += 1;
                }
            }
        }
    }
    mod break_in {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> Option<usize> {
            let mut i = 0;
            let mut at = None;
            while i < n {
                if x[i] > 50 {
                    at = Some(i);
                    break;
                }
                i += 1;
            }
            at
        }
    }
    mod while_le {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64], n: usize) {
            let mut i = 1;
            while i <= n - 1 {
                out[i] = x[i - 1];
                i += 1;
            }
        }
    }
    mod while_typed {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64], n: usize) {
            let mut i: usize = 0;
            while i != n {
                out[i] = 2.0 * x[i];
                i += 1;
            }
        }
    }
    mod two_phases {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64], y: &mut [f64], n: usize) {
            let mut i = 0;
            while i < n {
                out[i] = 2.0 * x[i];
                i += 1;
            }
            i = 0;
            while i < n {
                y[i] = 3.0 * x[i];
                i += 1;
            }
        }
    }
    mod unrolled {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> i64 {
            let mut i = 0;
            let mut s = 0;
            while i + 4 <= n {
                s += x[i] + x[i + 1] + x[i + 2] + x[i + 3];
                i += 4;
            }
            while i < n {
                s += x[i];
                i += 1;
            }
            s
        }
    }
    mod after {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let mut i = 0;
            let mut s = 0;
            while i < x.len() {
                s += x[i];
                i += 1;
            }
            (s, i)
        }
    }
    mod down_end {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> i64 {
            let mut s = 0;
            let mut i = n - 1;
            while i >= 1 {
                s += x[i] * i as i64;
                i -= 1;
            }
            s
        }
    }
    mod down_end_gt {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> i64 {
            let mut s = 0;
            if n > 0 {
                let mut i = n - 1;
                while i > 0 {
                    s += x[i] * i as i64;
                    i -= 1;
                }
            }
            s
        }
    }
    mod signed_typed {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            let mut i: i32 = 0;
            while i < 10 {
                if (i as usize) < x.len() {
                    s += x[i as usize] * i as i64;
                }
                i += 1;
            }
            s
        }
    }
    mod nested {
        #[forall::foreach]
        fn program(wide: &mut [f64], n: usize, w: usize) {
            let mut i = 0;
            while i < n {
                let mut j = 0;
                while j < w {
                    wide[i * w + j] *= 2.0;
                    j += 1;
                }
                i += 1;
            }
        }
    }
    mod len_pushed {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut out = Vec::new();
            let mut i = 0;
            while i < x.len() {
                if x[i] > 0 {
                    out.push(x[i]);
                }
                i += 1;
            }
            out
        }
    }
    mod shadow2 {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> i64 {
            let mut i = 0;
            let mut s = 0;
            while i < n {
                let v = {
                    let i = 0;
                    x[i]
                };
                s += v;
                i += 1;
            }
            s
        }
    }
    mod field_same {
        pub struct P {
            pub i: i64,
        }
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> i64 {
            let mut i = 0;
            let mut s = 0;
            while i < n {
                let p = P { i: x[i] };
                s += p.i;
                i += 1;
            }
            i = 1;
            while i < n {
                let p = P { i: x[i] };
                s += p.i;
                i += 1;
            }
            s
        }
    }
    mod closure_i {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64], n: usize) {
            let mut i = 0;
            while i < n {
                let f = || x[i] * 2.0;
                out[i] = f();
                i += 1;
            }
        }
    }
    mod time_loop {
        #[forall::foreach]
        fn program(x: &mut [f64], k: usize) {
            let mut t = 0;
            while t < k {
                for i in 0..x.len() {
                    x[i] = x[i] * 0.5 + t as f64;
                }
                t += 1;
            }
        }
    }
    mod conv_loop {
        #[forall::foreach]
        fn program(x: &mut [f64]) {
            let mut e = 1.0;
            while e > 0.1 {
                for i in 0..x.len() {
                    x[i] *= 0.5;
                }
                e *= 0.5;
            }
        }
    }
    mod while_offset {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64], n: usize) {
            let mut i = 0;
            while i + 2 < n {
                out[i] = x[i + 2];
                i += 1;
            }
        }
    }
    mod while_rev_cond {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64], n: usize) {
            let mut i = 0;
            while n > i {
                out[i] = x[i];
                i = 1 + i;
            }
        }
    }
}
