//! Operators and functions that look like those of std and are others.

mod refused {
    mod combine_is_an_item_inside {
        fn over(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
        const ZERO: i64 = 0;
        #[forall::kary_reduce(combine = over)]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for i in 0..x.len() {
                fn over(a: i64, b: i64) -> i64 { a.max(b) }
                s = over(s, x[i]);
            }
            s
        }
    }

    mod combine_is_imported_inside {
        mod blend { pub fn over(a: i64, b: i64) -> i64 { a.max(b) } }
        fn over(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
        const ZERO: i64 = 0;
        #[forall::kary_reduce(combine = over)]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for i in 0..x.len() {
                use blend::over;
                s = over(s, x[i]);
            }
            s
        }
    }

    mod combine_is_a_closure_inside {
        fn over(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
        #[forall::kary_reduce(combine = over)]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for i in 0..x.len() {
                let over = |a: i64, b: i64| a.max(b);
                s = over(s, x[i]);
            }
            s
        }
    }

    mod combine_is_in_a_module_imported_inside {
        mod blend { pub fn over(a: i64, b: i64) -> i64 { a.max(b) } }
        mod other { pub mod blend { pub fn over(a: i64, b: i64) -> i64 { a.wrapping_add(b) } } }
        #[forall::kary_reduce(combine = blend::over)]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for i in 0..x.len() {
                use other::blend;
                s = blend::over(s, x[i]);
            }
            s
        }
    }

    mod max_item_inside {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            use std::cmp::max;
            let mut v = 0;
            for i in 0..x.len() {
                fn max(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
                v = max(v, x[i]);
            }
            v
        }
    }

    mod max_use_inside {
        mod own { pub fn max(a: i64, b: i64) -> i64 { a.wrapping_add(b) } }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            use std::cmp::max;
            let mut v = 0;
            for i in 0..x.len() {
                use own::max;
                v = max(v, x[i]);
            }
            v
        }
    }

    mod max_let_inside {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            use std::cmp::max;
            let mut v = 0;
            for i in 0..x.len() {
                let max = |a: i64, b: i64| a.wrapping_add(b);
                v = max(v, x[i]);
            }
            v
        }
    }

    mod max_module_inside {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            use std::cmp;
            let mut v = 0;
            for i in 0..x.len() {
                mod cmp { pub fn max(a: i64, b: i64) -> i64 { a.wrapping_add(b) } }
                v = cmp::max(v, x[i]);
            }
            v
        }
    }

    mod max_macro_inside {
        macro_rules! summed { ($m:ident) => { let $m = |a: i64, b: i64| a.wrapping_add(b); } }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            use std::cmp::max;
            let mut v = 0;
            for i in 0..x.len() {
                summed!(max);
                v = max(v, x[i]);
            }
            v
        }
    }

    mod operand_closure_max {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let max = |a: i64, b: i64| a - b;
            let mut v = 0;
            for i in 0..x.len() {
                v = max(v, x[i]);
            }
            v
        }
    }

    mod operand_const_function_max {
        const max: fn(i64, i64) -> i64 = |a, b| a - b;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v = 0;
            for i in 0..x.len() {
                v = max(v, x[i]);
            }
            v
        }
    }

    mod operand_own_add {
        #[derive(Clone, Copy)]
        struct N(i64);
        impl std::ops::Add<i64> for N {
            type Output = i64;
            fn add(self, o: i64) -> i64 {
                self.0 - o
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v = 0i64;
            for i in 0..x.len() {
                v = N(x[i]) + v;
            }
            v
        }
    }

    mod operand_own_add_right {
        #[derive(Clone, Copy)]
        struct N(i64);
        impl std::ops::Add<N> for i64 {
            type Output = i64;
            fn add(self, o: N) -> i64 {
                o.0 - self
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v = 0i64;
            for i in 0..x.len() {
                v = v + N(x[i]);
            }
            v
        }
    }

    mod operand_own_and_bool {
        struct N(i64);
        impl std::ops::BitAndAssign<N> for bool {
            fn bitand_assign(&mut self, o: N) {
                *self = (o.0 > 3) != *self;
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> bool {
            let mut v = true;
            for i in 0..x.len() {
                v &= N(x[i]);
            }
            v
        }
    }

    mod operand_own_array_scan {
        #[derive(Clone, Copy)]
        struct N(i64);
        impl std::ops::Add<N> for i64 {
            type Output = i64;
            fn add(self, o: N) -> i64 {
                o.0 - self
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 1..x.len() {
                out[i] = out[i - 1] + N(x[i]);
            }
        }
    }

    mod operand_own_compare {
        #[derive(Clone, Copy)]
        struct N(i64);
        impl PartialEq<i64> for N {
            fn eq(&self, o: &i64) -> bool {
                self.0 == *o
            }
        }
        impl PartialOrd<i64> for N {
            fn partial_cmp(&self, o: &i64) -> Option<std::cmp::Ordering> {
                (self.0 + 3).partial_cmp(o)
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v = -50i64;
            for i in 0..x.len() {
                let e = N(x[i]);
                if e > v {
                    v = e.0;
                }
            }
            v
        }
    }

    mod operand_own_histogram {
        struct N(i64);
        impl std::ops::AddAssign<N> for i64 {
            fn add_assign(&mut self, o: N) {
                *self = o.0 - *self;
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64], idx: &[usize], bins: &mut [i64]) {
            for i in 0..x.len() {
                bins[idx[i] % 5] += N(x[i]);
            }
        }
    }

    mod operand_own_histogram_local {
        struct N(i64);
        impl std::ops::BitOrAssign<N> for i64 {
            fn bitor_assign(&mut self, o: N) {
                *self = o.0 - *self;
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64], idx: &[usize]) -> [i64; 5] {
            let mut b = [0i64; 5];
            for i in 0..x.len() {
                b[idx[i] % 5] |= N(x[i]);
            }
            b
        }
    }

    mod operand_own_linear {
        #[derive(Clone, Copy)]
        struct N(i64);
        impl std::ops::Mul<N> for i64 {
            type Output = i64;
            fn mul(self, o: N) -> i64 {
                self / 2 + o.0
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0i64;
            for i in 0..x.len() {
                v = v * N(2) + x[i];
                out[i] = v;
            }
        }
    }

    mod operand_own_linear_left {
        #[derive(Clone, Copy)]
        struct N(i64);
        impl std::ops::Mul<i64> for N {
            type Output = i64;
            fn mul(self, o: i64) -> i64 {
                (o / 2).min(self.0 * 50)
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0i64;
            for i in 0..x.len() {
                v = N(2) * v + x[i];
                out[i] = v;
            }
        }
    }

    mod operand_own_map_entry {
        struct N(i64);
        impl std::ops::AddAssign<N> for i64 {
            fn add_assign(&mut self, o: N) {
                *self = o.0 - *self;
            }
        }
        #[forall::foreach_tls]
        fn program(x: &[i64], idx: &[usize]) -> std::collections::BTreeMap<usize, i64> {
            let mut m = std::collections::BTreeMap::new();
            for i in 0..x.len() {
                *m.entry(idx[i] % 5).or_insert(0i64) += N(x[i]);
            }
            m
        }
    }

    mod operand_own_max {
        #[derive(Clone, Copy)]
        struct N(i64);
        impl N {
            fn max(self, o: i64) -> i64 {
                self.0 - o
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v = 0;
            for i in 0..x.len() {
                v = N(x[i]).max(v);
            }
            v
        }
    }

    mod operand_own_min_scan {
        #[derive(Clone, Copy)]
        struct N(i64);
        impl N {
            fn min(self, o: i64) -> i64 {
                self.0 - o
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                v = N(x[i]).min(v);
                out[i] = v;
            }
        }
    }

    mod operand_own_mul_assign {
        struct N(i64);
        impl std::ops::MulAssign<N> for i64 {
            fn mul_assign(&mut self, o: N) {
                *self = o.0 - *self;
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v = 1i64;
            for i in 0..x.len() {
                v *= N(x[i]);
            }
            v
        }
    }

    mod operand_own_or_assign {
        struct N(i64);
        impl std::ops::BitOrAssign<N> for i64 {
            fn bitor_assign(&mut self, o: N) {
                *self = o.0 - *self;
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v = 0i64;
            for i in 0..x.len() {
                v |= N(x[i]);
            }
            v
        }
    }

    mod operand_own_segment {
        struct N(i64);
        impl std::ops::AddAssign<N> for i64 {
            fn add_assign(&mut self, o: N) {
                *self = o.0 - *self;
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], on: &[bool], out: &mut [i64]) {
            let mut v = 0i64;
            for i in 0..x.len() {
                if on[i] {
                    v = 0;
                }
                v += N(x[i]);
                out[i] = v;
            }
        }
    }

    mod operand_own_sub_recurrence {
        #[derive(Clone, Copy)]
        struct N(i64);
        impl std::ops::Sub<i64> for N {
            type Output = i64;
            fn sub(self, o: i64) -> i64 {
                self.0 - o / 2
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0i64;
            for i in 0..x.len() {
                v = N(x[i]) - v;
                out[i] = v;
            }
        }
    }

    mod operand_own_wrapping_add {
        #[derive(Clone, Copy)]
        struct N(i64);
        impl N {
            fn wrapping_add(self, o: i64) -> i64 {
                self.0 - o
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v = 0i64;
            for i in 0..x.len() {
                v = N(x[i]).wrapping_add(v);
            }
            v
        }
    }

    mod operand_own_xor_assign {
        struct N(i64);
        impl std::ops::BitXorAssign<N> for i64 {
            fn bitxor_assign(&mut self, o: N) {
                *self = o.0 - *self;
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v = 0i64;
            for i in 0..x.len() {
                v ^= N(x[i]);
            }
            v
        }
    }

    mod operand_use_min_as_max {
        use std::cmp::min as max;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v = 50;
            for i in 0..x.len() {
                v = max(v, x[i]);
            }
            v
        }
    }

    mod string_own_add {
        struct S(String);
        impl std::ops::AddAssign<&str> for S {
            fn add_assign(&mut self, o: &str) {
                self.0.insert_str(0, o);
            }
        }
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> String {
            let mut s = S(String::new());
            for i in 0..x.len() {
                s += "ab";
                if x[i] > 4 {
                    s += "c";
                }
            }
            s.0
        }
    }

    mod layer_rebound_by_a_macro {
        macro_rules! again { ($l:ident) => { let held: Vec<i64> = $l.iter().rev().copied().collect(); let $l = &held[..]; } }
        const ZERO: i64 = 0;
        fn over(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
        #[forall::kary_reduce(combine = over, identity = ZERO)]
        fn program(x: &[i64], #[replicated] frame: &mut [i64]) {
            for layer in x.chunks(frame.len()) {
                again!(layer);
                for (d, s) in frame.iter_mut().zip(layer) {
                    *d = over(*d, *s);
                }
            }
        }
    }

    mod combine_is_hidden_after_the_loop {
        fn add(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
        #[forall::kary_reduce(combine = add)]
        fn program(x: &[i64]) -> i64 { let mut s = 0i64; for i in 0..x.len() { s = add(s, x[i]); } let add = |a: i64, b: i64| (a * 2 + b) % 100;  add(s, 3) }
    }

    mod combine_is_hidden_between_loops {
        fn add(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
        #[forall::kary_reduce(combine = add)]
        fn program(x: &[i64]) -> i64 { let mut t = 0i64; for i in 0..x.len() { t = add(t, x[i]); } let add = |a: i64, b: i64| (a * 2 + b) % 100; let mut s = 0i64; for i in 0..x.len() { s = add(s, x[i]); } s + t }
    }

    mod combine_may_come_by_a_glob {
        fn add(a: i64, b: i64) -> i64 { a.wrapping_add(b) } mod m { pub fn add(a: i64, b: i64) -> i64 { a.max(b) } }
        #[forall::kary_reduce(combine = add)]
        fn program(x: &[i64]) -> i64 { use m::*; let mut s = 0i64; for i in 0..x.len() { s = add(s, x[i]); } s }
    }
}

mod right {
    mod layer_behind_its_own_name {
        const ZERO: i64 = 0;
        fn over(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
        #[forall::kary_reduce(combine = over, identity = ZERO)]
        fn program(x: &[i64], #[replicated] frame: &mut [i64]) {
            for layer in x.chunks(frame.len()) {
                let doubled: Vec<i64> = layer.iter().map(|v| v.wrapping_mul(2)).collect();
                let layer = &doubled[..];
                for (d, s) in frame.iter_mut().zip(layer) {
                    *d = over(*d, *s);
                }
            }
        }
    }

    mod layers_folded_twice {
        const ZERO: i64 = 0;
        fn over(a: i64, b: i64) -> i64 { a.wrapping_mul(1).wrapping_add(b) }
        #[forall::kary_reduce(combine = over, identity = ZERO)]
        fn program(x: &[i64], #[replicated] frame: &mut [i64]) {
            for layer in x.chunks(frame.len()) {
                if layer[0] > 2 {
                    for (d, s) in frame.iter_mut().zip(layer) {
                        *d = over(*d, *s);
                    }
                }
                for (d, s) in frame.iter_mut().zip(layer) {
                    *d = over(*d, *s);
                }
            }
        }
    }

    mod combine_is_a_closure_outside {
        fn over(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
        const ZERO: i64 = 0;
        #[forall::kary_reduce(combine = over)]
        fn program(x: &[i64]) -> i64 {
            let over = |a: i64, b: i64| a.max(b);
            let mut s = 0;
            for i in 0..x.len() {
                s = over(s, x[i]);
            }
            s
        }
    }

    mod combine_is_imported_outside {
        mod blend { pub fn over(a: i64, b: i64) -> i64 { a.max(b) } }
        fn over(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
        const ZERO: i64 = 0;
        #[forall::kary_reduce(combine = over)]
        fn program(x: &[i64]) -> i64 {
            use blend::over;
            let mut s = 0;
            for i in 0..x.len() {
                s = over(s, x[i]);
            }
            s
        }
    }

    mod combine_of_a_frame_is_imported_outside {
        mod blend { pub fn over(a: i64, b: i64) -> i64 { a.max(b) } }
        const LEAST: i64 = i64::MIN;
        fn over(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
        #[forall::kary_reduce(combine = over, identity = LEAST)]
        fn program(x: &[i64], #[replicated] frame: &mut [i64]) {
            use blend::over;
            for layer in x.chunks(frame.len()) {
                for (d, s) in frame.iter_mut().zip(layer) {
                    *d = over(*d, *s);
                }
            }
        }
    }

    mod combine_is_renamed_by_an_import {
        fn add(a: i64, b: i64) -> i64 { a.wrapping_add(b) } mod m { pub fn other(a: i64, b: i64) -> i64 { a.max(b) } }
        #[forall::kary_reduce(combine = add)]
        fn program(x: &[i64]) -> i64 { use m::other as add; let mut s = 0i64; for i in 0..x.len() { s = add(s, x[i]); } s }
    }

    mod combine_is_taken_from_a_tuple {
        fn add(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
        #[forall::kary_reduce(combine = add)]
        fn program(x: &[i64]) -> i64 { let (add, _o) = (|a: i64, b: i64| a.max(b), 1); let mut s = 0i64; for i in 0..x.len() { s = add(s, x[i]); } s }
    }

    mod combine_of_a_scan_is_a_closure {
        fn add(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
        #[forall::distributed_scan(combine = add)]
        fn program(x: &[i64], out: &mut [i64]) { let add = |a: i64, b: i64| a.max(b); let mut s = 0i64; for i in 0..x.len() { s = add(s, x[i]); out[i] = s; } }
    }
}
