//! Loops as people write them, in which names are used again.

mod right {
    mod let_x_is_x_max {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 0..x.len() {
                let x = x[i];
                let x = x.max(0.0);
                out[i] = x;
            }
        }
    }
    mod let_v_many_times {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut sum = 0.0;
            for i in 0..x.len() {
                let v = x[i];
                let v = v * v;
                let v = if v > 1.0 { v } else { 0.0 };
                sum += v;
            }
            sum
        }
    }
    mod if_let_some_v_is_v {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                let v = x[i].checked_mul(2);
                if let Some(v) = v {
                    s += v;
                }
            }
            s
        }
    }
    mod let_else_v_is_v {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                let v = x[i].checked_mul(2);
                let Some(v) = v else { continue };
                s += v;
            }
            s
        }
    }
    mod nested_closures {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64], k: f64) {
            let scale = |v: f64| v * k;
            let shift = |v: f64| {
                let f = |u: f64| scale(u) + 1.0;
                f(v)
            };
            for i in 0..x.len() {
                out[i] = shift(x[i]);
            }
        }
    }
    mod closure_hides_x {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let clamp = |x: f64| x.clamp(0.0, 1.0);
            for i in 0..x.len() {
                out[i] = clamp(x[i]);
            }
        }
    }
    mod closure_hides_the_index {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64], w: usize) {
            let at = |i: usize, j: usize| i * w + j;
            for i in 0..x.len() / w {
                for j in 0..w {
                    out[at(i, j)] = 2.0 * x[at(i, j)];
                }
            }
        }
    }
    mod user_debug_macro {
        macro_rules! trace { ($($t:tt)*) => { if false { eprintln!($($t)*); } } }
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 0..x.len() {
                out[i] = 2.0 * x[i];
                trace!("step {}", i);
            }
        }
    }
    mod user_debug_macro_of_a_value {
        macro_rules! check {
            ($v:expr) => {
                debug_assert!($v >= -1000.0, "too small")
            };
        }
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 0..x.len() {
                let v = x[i] * 0.5;
                check!(v);
                out[i] = v;
            }
        }
    }
    mod user_macro_of_a_formula {
        macro_rules! sq {
            ($v:expr) => {
                $v * $v
            };
        }
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 0..x.len() {
                out[i] = sq!(x[i]) + 1.0;
            }
        }
    }
    mod user_macro_of_a_formula_of_a_local {
        macro_rules! sq {
            ($v:expr) => {
                $v * $v
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for i in 0..x.len() {
                let d = x[i] - 1.0;
                s += sq!(d);
            }
            s
        }
    }
    mod loop_variable_named_twice {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64], wide: &mut [f64]) {
            for i in 0..x.len() {
                out[i] = x[i];
            }
            for i in 0..x.len() {
                for j in 0..3 {
                    wide[3 * i + j] = x[i];
                }
            }
        }
    }
    mod inner_loops_reuse_a_name {
        #[forall::foreach]
        fn program(x: &[f64], wide: &mut [f64]) {
            for i in 0..x.len() {
                let mut s = 0.0;
                for k in 0..3 {
                    s += k as f64 * x[i];
                }
                for k in 0..3 {
                    wide[3 * i + k] = s + k as f64;
                }
            }
        }
    }
    mod temp_in_a_block {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 0..x.len() {
                let v = {
                    let t = x[i] * 2.0;
                    let t = t + 1.0;
                    t.sqrt().abs()
                };
                out[i] = v;
            }
        }
    }
    mod match_with_bindings {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = match x[i] {
                    v if v < 0 => -v,
                    0 => 1,
                    v @ 1..=9 => v * 2,
                    v => v,
                };
            }
        }
    }
    mod match_on_a_tuple {
        #[forall::foreach]
        fn program(x: &[i64], y: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = match (x[i] > 0, y[i] > 0) {
                    (true, true) => 1,
                    (true, false) | (false, true) => 2,
                    _ => 3,
                };
            }
        }
    }
    mod enum_of_the_module {
        #[derive(Clone, Copy, PartialEq)]
        enum Side {
            Left,
            Right,
        }
        use Side::{Left, Right};
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let side = if x[i] > 0 { Left } else { Right };
                out[i] = match side {
                    Left => -1,
                    Right => 1,
                };
            }
        }
    }
    mod enum_of_the_module_by_path {
        #[derive(Clone, Copy)]
        enum Side {
            Left,
            Right,
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                let side = if x[i] > 0 { Side::Left } else { Side::Right };
                match side {
                    Side::Left => s += x[i],
                    Side::Right => s -= 1,
                }
            }
            s
        }
    }
    mod ordering_names {
        use std::cmp::Ordering::*;
        #[forall::foreach]
        fn program(x: &[i64], y: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = match x[i].cmp(&y[i]) {
                    Less => -1,
                    Equal => 0,
                    Greater => 1,
                };
            }
        }
    }
    mod ordering_names_in_the_body {
        #[forall::foreach]
        fn program(x: &[i64], y: &[i64], out: &mut [i64]) {
            use std::cmp::Ordering;
            for i in 0..x.len() {
                out[i] = match x[i].cmp(&y[i]) {
                    Ordering::Less => -1,
                    Ordering::Equal => 0,
                    Ordering::Greater => 1,
                };
            }
        }
    }
    mod constants_in_patterns {
        const FLUID: i64 = 3;
        const WALL: i64 = 4;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = match x[i] {
                    FLUID => 1,
                    WALL => 2,
                    _ => 0,
                };
            }
        }
    }
    mod constants_of_the_body {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            const DT: f64 = 0.5;
            for i in 0..x.len() {
                const HALF: f64 = 0.5 * DT;
                out[i] = x[i] * HALF + DT;
            }
        }
    }
    mod function_of_the_body {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            fn f(x: f64) -> f64 {
                let x = x * x;
                x + 1.0
            }
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
        }
    }
    mod struct_with_shorthand {
        #[derive(Clone, Copy)]
        struct P {
            x: f64,
            y: f64,
        }
        #[forall::foreach]
        fn program(x: &[f64], y: &[f64], out: &mut [f64]) {
            for i in 0..x.len() {
                let p = {
                    let (x, y) = (x[i], y[i]);
                    P { x, y }
                };
                let P { x, y } = p;
                out[i] = x * y;
            }
        }
    }
    mod best_with_index {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(usize, i64)> {
            let mut best: Option<(usize, i64)> = None;
            for (i, &v) in x.iter().enumerate() {
                if best.is_none_or(|(_, b)| v < b) {
                    best = Some((i, v));
                }
            }
            best
        }
    }
    mod best_by_if_let {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best = None;
            for &v in x {
                if let Some(b) = best {
                    if v < b {
                        best = Some(v);
                    }
                } else {
                    best = Some(v);
                }
            }
            best
        }
    }
    mod raw_names {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 0..x.len() {
                let r#type = x[i];
                let r#in = r#type * 2.0;
                out[i] = r#in;
            }
        }
    }
    mod labels {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            'cells: for i in 0..x.len() {
                for j in 0..5 {
                    if x[i] == j {
                        continue 'cells;
                    }
                }
                out[i] = x[i];
            }
        }
    }
    mod rename_the_slices {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let n = x.len().min(out.len());
            for i in 0..n {
                let o = &mut out[i];
                let v = &x[i];
                *o = *v * 2.0;
            }
        }
    }
    mod let_chain {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                if let Some(v) = x[i].checked_sub(3)
                    && v > 0
                {
                    s += v;
                }
            }
            s
        }
    }
    mod vec_scratch {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 0..x.len() {
                let mut t = vec![0.0; 4];
                for k in 0..4 {
                    t[k] = x[i] * k as f64;
                }
                out[i] = t.iter().sum::<f64>();
            }
        }
    }
    mod vec_scratch_filled {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut t = vec![0.0; 4];
            for i in 0..x.len() {
                t.fill(0.0);
                for k in 0..4 {
                    t[k] += x[i] * k as f64;
                }
                out[i] = t.iter().sum::<f64>();
            }
        }
    }
    mod assert_and_matches {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let v = x[i];
                debug_assert!(v > -1000, "at {i}: {v}");
                out[i] = if matches!(v, 0 | 1 | 2) || matches!(v, w if w > 20) { 1 } else { v };
            }
        }
    }
    mod cmp_of_std {
        use std::cmp::{max, min};
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                let lo = max(i, 1) - 1;
                let hi = min(i + 1, n - 1);
                out[i] = x[lo].max(x[hi]);
            }
        }
    }
    mod zip_of_std {
        use std::iter::zip;
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> f64 {
            let mut s = 0.0;
            for (a, b) in zip(x, y) {
                s += a * b;
            }
            s
        }
    }
    mod swap_of_std {
        use std::mem::swap;
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 0..x.len() {
                let mut a = x[i];
                let mut b = 2.0;
                if a > b {
                    swap(&mut a, &mut b);
                }
                out[i] = b - a;
            }
        }
    }
    mod user_extension_trait {
        trait Norm {
            fn norm(self) -> f64;
        }
        impl Norm for f64 {
            fn norm(self) -> f64 {
                self.abs() / 2.0
            }
        }
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 0..x.len() {
                out[i] = x[i].norm();
            }
        }
    }
    mod user_newtype_methods {
        #[derive(Clone, Copy)]
        struct V(f64, f64);
        impl V {
            fn dot(self, o: V) -> f64 {
                self.0 * o.0 + self.1 * o.1
            }
            fn len(self) -> f64 {
                self.dot(self).sqrt()
            }
        }
        #[forall::foreach]
        fn program(x: &[f64], y: &[f64], out: &mut [f64]) {
            for i in 0..x.len() {
                let v = V(x[i], y[i]);
                out[i] = v.len() + v.dot(V(1.0, 2.0));
            }
        }
    }
    mod type_alias {
        type Real = f64;
        type Idx = usize;
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let n: Idx = x.len();
            for i in 0..n {
                let v: Real = x[i] as Real;
                out[i] = v * 2.0;
            }
        }
    }
    mod loop_in_a_block {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let total = {
                let mut s = 0i64;
                for i in 0..x.len() {
                    s += x[i];
                }
                s
            };
            total * 2
        }
    }
    mod accumulator_renamed {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
            }
            let s = s * 2;
            let s = s.max(3);
            s
        }
    }
    mod closure_that_captures_a_hidden_name {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64], k: f64) {
            let k = k * 0.5;
            let f = |v: f64| v * k;
            let k = 3.0;
            for i in 0..x.len() {
                out[i] = f(x[i]) + k;
            }
        }
    }
    mod while_with_a_counter {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut v = x[i].abs();
                let mut n = 0;
                while v > 1 {
                    v = if v % 2 == 0 { v / 2 } else { v - 1 };
                    n += 1;
                }
                out[i] = n;
            }
        }
    }
    mod option_in_an_option {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let v = Some(x[i]).filter(|v| *v > 0).map(|v| v * 2);
                out[i] = if let Some(v) = v { v } else { -1 };
            }
        }
    }
    mod scan_with_hidden_names {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut s = 0.0;
            for i in 0..x.len() {
                let x = x[i];
                let x = x.abs();
                s += x;
                out[i] = s;
            }
        }
    }
    mod push_with_hidden_names {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<(usize, i64)> {
            let mut to = Vec::new();
            for (i, x) in x.iter().enumerate() {
                let x = *x;
                if x > 3 {
                    to.push((i, x));
                }
            }
            to
        }
    }
    mod sort_with_typed_keys {
        #[forall::distributed_sort]
        fn program(out: &mut [i64]) {
            out.sort_by_key(|&v| std::cmp::Reverse(v));
        }
    }
    mod row_of_a_matrix {
        #[forall::foreach]
        fn program(wide: &[f64], out: &mut [f64], w: usize) {
            for (i, row) in wide.chunks(w).enumerate() {
                let mut s = 0.0;
                for (j, v) in row.iter().enumerate() {
                    s += v * j as f64;
                }
                out[i] = s / row.len() as f64;
            }
        }
    }
    mod dbg_line {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                if x[i] > 1_000_000 {
                    eprintln!("large: {} at {i} in {}", x[i], line!());
                }
                out[i] = x[i];
            }
        }
    }
}
