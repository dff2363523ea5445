//! Names that blocks, patterns and conditions hide, of indices and accumulators.

mod refused {
    mod guard_binding_then_other_arm {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                match x[i] {
                    s if s > 3 => {
                        let _ = s;
                    }
                    _ => s = s * 2 % 7 + 1,
                }
            }
            s
        }
    }
    mod guard_hides_the_index {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let k = match i / 2 {
                    i if i > 3 => i,
                    _ => i,
                };
                out[i] += out[k];
            }
        }
    }
    mod guard_with_if_let {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                match Some(x[i]) {
                    Some(v) if { if let Some(s) = Some(v) { s > 3 } else { false } } => {
                        s = s * 2 % 9;
                    }
                    _ => s += 1,
                }
            }
            s
        }
    }
    mod chain_binding_in_the_block {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                if let Some(s) = Some(x[i])
                    && s > 3
                {
                    let _ = s;
                } else {
                    s = s * 2 % 11 + 1;
                }
            }
            s
        }
    }
    mod chain_binding_reads_outer_before {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let mut c = 0i64;
            for i in 0..x.len() {
                if s > 20
                    && let s = x[i]
                    && s > 3
                {
                    c += 1;
                }
                s += x[i];
            }
            s + c
        }
    }
    mod chain_of_while {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                let mut o = Some(3i64);
                while let Some(s) = o
                    && s > 0
                {
                    o = Some(s - 1);
                }
                s = s * 2 % 11 + x[i];
            }
            s
        }
    }
    mod else_sees_the_outer {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                let o = if x[i] > 3 { Some(x[i]) } else { None };
                if let Some(s) = o {
                    let _ = s;
                } else {
                    s = s / 2 + 1;
                }
                s += x[i];
            }
            s
        }
    }
    mod else_if_chain_sees_the_outer {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                let o = if x[i] > 3 { Some(x[i]) } else { None };
                if let Some(s) = o {
                    let _ = s;
                } else if s > 10 {
                    s = 0;
                }
                s += 1;
            }
            s
        }
    }
    mod let_else_sees_the_outer {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                let o = if x[i] > 3 { Some(x[i]) } else { None };
                let Some(s) = o else {
                    s = s / 2 + 1;
                    continue;
                };
                let _ = s;
            }
            s
        }
    }
    mod let_hides_an_accumulator_and_reads_it {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let mut t = 0i64;
            for i in 0..x.len() {
                s += x[i];
                {
                    let s = s % 5;
                    t += s;
                }
            }
            s + t
        }
    }
    mod let_hides_an_accumulator_in_one_branch {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                if x[i] > 3 {
                    let mut s = 0i64;
                    s += x[i];
                    let _ = s;
                } else {
                    s = s * 2 % 13 + 1;
                }
            }
            s
        }
    }
    mod const_seen_before_it_is_written {
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                out[i * k] = x[i];
                const k: usize = 0;
            }
        }
    }
    mod const_seen_before_it_is_written_in_place {
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(out: &mut [i64]) {
            let k = 0;
            for i in 1..out.len() {
                out[i] = out[i - k] + 1;
                const k: usize = 1;
                let _ = k;
            }
        }
    }
    mod const_hides_a_scalar_in_a_reduction_factor {
        #[forall::distributed_scan]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1i64;
            let mut s = 0i64;
            for i in 0..x.len() {
                s = s * k + x[i];
                s %= 1000;
                out[i] = s;
                const k: i64 = 2;
            }
            let _ = k;
        }
    }
    mod const_in_an_inner_block {
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                {
                    out[i * k] = x[i];
                    const k: usize = 0;
                }
            }
            let _ = k;
        }
    }
    mod const_pattern_of_the_body_after {
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                match i % 5 {
                    five => out[i / 5] = x[i],
                    _ => {}
                }
                const five: usize = 3;
            }
        }
    }
    mod static_hides {
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                static k: usize = 0;
                out[i * k] = x[i];
            }
            let _ = k;
        }
    }
    mod fn_of_the_body_hides_one_outside {
        fn at(i: usize) -> usize {
            i
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[at(i)] = x[i];
                fn at(i: usize) -> usize {
                    i / 2
                }
            }
            let _ = at(0);
        }
    }
    mod fn_of_the_body_hides_a_closure {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let at = |i: usize| i;
            for i in 0..x.len() {
                out[at(i)] = x[i];
                fn at(i: usize) -> usize {
                    i / 2
                }
            }
            let _ = at(0);
        }
    }
    mod fn_of_the_body_hides_a_closure_read {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            let at = |i: usize| i;
            for i in 0..out.len() {
                out[i] += out[at(i)];
                fn at(i: usize) -> usize {
                    i / 2
                }
            }
            let _ = at(0);
        }
    }
    mod fn_of_the_body_hides_the_closure_of_a_sum {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let add = |a: i64, b: i64| a + b;
            let mut s = 0i64;
            for i in 0..x.len() {
                s = add(s, x[i]);
                fn add(a: i64, b: i64) -> i64 {
                    (a * 2 + b) % 100
                }
            }
            let _ = add(1, 2);
            s
        }
    }
    mod fn_of_the_function_hides_max {
        use std::cmp::max;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s = max(s, x[i]);
            }
            fn max(a: i64, b: i64) -> i64 {
                (a * 2 + b) % 100
            }
            s
        }
    }
    mod fn_of_the_body_hides_max {
        use std::cmp::max;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s = max(s, x[i]);
                fn max(a: i64, b: i64) -> i64 {
                    (a * 2 + b) % 100
                }
            }
            s
        }
    }
    mod use_of_the_body_hides {
        mod m {
            pub const K: usize = 0;
        }
        const K: usize = 1;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i * K] = x[i];
                use m::K;
            }
        }
    }
    mod use_as_of_the_body_hides_a_local {
        mod m {
            pub const K: usize = 0;
        }
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                out[i * k] = x[i];
                use m::K as k;
            }
            let _ = k;
        }
    }
    mod use_of_a_group_hides_a_local {
        mod m {
            #[allow(non_upper_case_globals)]
            pub const k: usize = 0;
            pub const L: usize = 0;
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                use m::{L, k};
                out[i * k] = x[i] + L as i64;
            }
            let _ = k;
        }
    }
    mod use_of_everything_hides_a_local {
        mod m {
            #[allow(non_upper_case_globals)]
            pub const k: usize = 0;
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                use m::*;
                out[i * k] = x[i];
            }
            let _ = k;
        }
    }
    mod use_of_everything_hides_a_value {
        mod m {
            #[allow(non_upper_case_globals)]
            pub const k: i64 = 0;
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 1;
            for i in 0..x.len() {
                use m::*;
                out[i] = x[i] * k;
            }
            k += 1;
            let _ = k;
        }
    }
    mod use_of_everything_hides_max {
        mod m {
            pub fn max(a: i64, b: i64) -> i64 {
                (a * 2 + b) % 100
            }
        }
        use std::cmp::max;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = max(0i64, 0);
            for i in 0..x.len() {
                use m::*;
                s = max(s, x[i]);
            }
            s
        }
    }
}

mod right {
    mod while_let_in_the_condition {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                let mut o = Some(x[i]);
                while let Some(s) = o {
                    o = if s > 3 { Some(s / 2) } else { None };
                }
                s = s.min(x[i]);
                s += 1;
            }
            s
        }
    }
    mod let_in_the_condition_of_while {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                let mut c = 0;
                while {
                    let s = x[i];
                    c < 2 && s > 3
                } {
                    s -= 10;
                    c += 1;
                }
                s = s.max(x[i]);
            }
            s
        }
    }
    mod if_let_in_the_condition_of_and {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let o = Some(3i64);
            for i in 0..x.len() {
                if x[i] > 0 && { if let Some(s) = o { x[i] > s } else { false } } {
                    s -= 10;
                }
                s = s.max(x[i]);
            }
            s
        }
    }
    mod if_let_in_the_condition {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let o = Some(3i64);
            for i in 0..x.len() {
                if { if let Some(s) = o { x[i] > s } else { false } } {
                    s -= 10;
                }
                s = s.max(x[i]);
            }
            s
        }
    }
    mod chain_binding_not_in_the_else {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                if x[i] > 3
                    && let Some(s) = Some(x[i])
                    && s < 20
                {
                } else {
                    s -= 10;
                }
                s = s.max(x[i]);
            }
            s
        }
    }
    mod closure_in_the_condition {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let o = Some(3i64);
            for i in 0..x.len() {
                if o.is_some_and(|s| x[i] > s) {
                    s -= 10;
                }
                s = s.max(x[i]);
            }
            s
        }
    }
}
