//! Names that blocks, patterns, conditions and items hide, and constructs whose meaning depends on where they stand.

mod right {
    mod guard_binding_seen_only_there {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                match Some(x[i]) {
                    Some(s) if s > 3 => {}
                    _ => s += 1,
                }
            }
            s
        }
    }
    mod let_else_initialiser_sees_the_outer {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut t = 0i64;
            let s = 2i64;
            for i in 0..x.len() {
                let Some(s) = x[i].checked_sub(s) else { continue };
                t += s;
            }
            t
        }
    }
    mod let_hides_an_accumulator_for_the_rest {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += 1;
                let mut s = x[i];
                s += 1;
                let _ = s;
            }
            s
        }
    }
    mod const_value_seen_before {
        #[forall::kary_reduce]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64]) -> i64 {
            let k = 100;
            let mut s = 0i64;
            for i in 0..x.len() {
                if x[i] > k {
                    s += 1;
                }
                const k: i64 = 3;
            }
            let _ = k;
            s
        }
    }
    mod const_pattern_not_a_binding {
        const K: usize = 3;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                match i {
                    K => out[i] = 1,
                    _ => out[i] = x[i],
                }
            }
        }
    }
    mod static_value_hides {
        #[forall::distributed_scan]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1i64;
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i] * k;
                out[i] = s;
                static k: i64 = 2;
            }
            let _ = k;
        }
    }
    mod label_of_an_inner_loop {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            'a: for i in 0..x.len() {
                for _j in 0..3 {
                    if x[i] > 3 {
                        continue 'a;
                    }
                    out[i] += 1;
                }
            }
        }
    }
    mod label_hidden_by_an_inner_loop {
        #[forall::foreach]
        #[allow(unused_labels)]
        fn program(x: &[i64], out: &mut [i64]) {
            'a: for i in 0..x.len() {
                'a: for j in 0..3 {
                    if x[i] > j {
                        break 'a;
                    }
                    out[i] += 1;
                }
            }
        }
    }
    mod label_of_a_block_within {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                'a: {
                    if x[i] > 25 {
                        break 'a;
                    }
                    out[i] = x[i];
                }
            }
        }
    }
    mod label_in_a_closure {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let f = |v: i64| 'a: {
                    if v > 3 {
                        break 'a 1;
                    }
                    2
                };
                out[i] = f(x[i]);
            }
        }
    }
    mod nested_fn_has_names_of_its_own {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                fn f(s: i64) -> i64 {
                    let mut t = s;
                    t = t * 2;
                    t
                }
                s += f(x[i]);
            }
            s
        }
    }
    mod slice_rebound_before_the_loop {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let x = &x[x.len() / 2..];
            for i in 0..x.len() {
                out[i] = x[i];
            }
        }
    }
    mod slice_rebound_in_a_block_and_used_after {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut n = 0;
            {
                let x = &x[x.len() / 2..];
                n = x.len();
            }
            for i in 0..n {
                out[i] = x[i];
            }
        }
    }
    mod temporary_dropped_before_else {
        struct D<'a>(&'a mut i64);
        impl Drop for D<'_> {
            fn drop(&mut self) {
                *self.0 = self.0.wrapping_mul(2);
            }
        }
        impl D<'_> {
            fn get(&self) -> Option<i64> {
                if *self.0 > 3 { Some(*self.0) } else { None }
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut t = x[i];
                if let Some(v) = D(&mut t).get() {
                    out[i] = v;
                } else {
                    out[i] = t;
                }
            }
        }
    }
    mod array_length_of_the_name {
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 7usize;
            for i in 0..x.len() {
                const k: usize = 2;
                let a = [x[i]; k];
                out[i] = a.len() as i64;
            }
            let _ = k;
        }
    }
}

mod refused {
    mod block_let_hides_the_index {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                for _q in 0..1 {
                    let i = i / 2;
                    k = i;
                }
                out[i] = x[k];
            }
        }
    }
    mod block_let_hides_the_index_written {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                {
                    let i = i / 2;
                    k = i;
                }
                out[k] = x[i];
            }
        }
    }
    mod block_let_hides_then_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let mut k = i;
                for _q in 0..1 {
                    let i = i / 2;
                    k = i;
                }
                out[i] += out[k];
            }
        }
    }
    mod match_arm_hides_then_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let mut k = i;
                match i / 2 {
                    i => k = i,
                }
                out[i] += out[k];
            }
        }
    }
    mod if_let_hides_then_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let mut k = i;
                if let Some(i) = Some(i / 2) {
                    k = i;
                }
                out[i] += out[k];
            }
        }
    }
    mod while_let_hides_then_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let mut k = i;
                let mut o = Some(i / 2);
                while let Some(i) = o {
                    k = i;
                    o = None;
                }
                out[i] += out[k];
            }
        }
    }
    mod closure_hides_then_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let mut k = i;
                let mut f = |i: usize| k = i;
                f(i / 2);
                out[i] += out[k];
            }
        }
    }
    mod closure_block_hides_then_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let f = || {
                    let i = i / 2;
                    i
                };
                let k = f();
                out[i] += out[k];
            }
        }
    }
    mod loop_hides_then_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let k = loop {
                    let i = i / 2;
                    break i;
                };
                out[i] += out[k];
            }
        }
    }
    mod labeled_block_hides_then_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let k = 'a: {
                    let i = i / 2;
                    if i > 3 {
                        break 'a i;
                    }
                    i
                };
                out[i] += out[k];
            }
        }
    }
    mod let_else_hides_then_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let mut k = i;
                {
                    let Some(i) = i.checked_sub(1) else { continue };
                    k = i;
                }
                out[i] += out[k];
            }
        }
    }
    mod for_hides_then_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let mut k = i;
                for i in i / 2..i / 2 + 1 {
                    k = i;
                }
                out[i] += out[k];
            }
        }
    }
    mod shorthand_field_hides_then_in_place {
        struct S {
            i: usize,
        }
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let k;
                {
                    let S { i } = S { i: i / 2 };
                    k = i;
                }
                out[i] += out[k];
            }
        }
    }
    mod shorthand_field_in_an_arm_hides {
        struct S {
            i: usize,
        }
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let k = match (S { i: i / 2 }) {
                    S { i } => i,
                };
                out[i] += out[k];
            }
        }
    }
    mod shorthand_expression_of_a_hidden {
        struct S {
            i: usize,
        }
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let s = {
                    let i = i / 2;
                    S { i }
                };
                out[i] += out[s.i];
            }
        }
    }
    mod tuple_let_hides {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let (k, j) = {
                    let (i, j) = (i / 2, i);
                    (i, j)
                };
                out[j] += out[k];
            }
        }
    }
    mod tuple_let_swaps {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let j = i / 2;
                let (i, j) = (j, i);
                out[i] = x[j];
            }
        }
    }
    mod tuple_assign_swaps {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let (mut a, mut b) = (i, i / 2);
                (a, b) = (b, a);
                out[a] = x[b];
            }
        }
    }
    mod at_pattern_hides {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for j in 0..out.len() {
                let i = j;
                let k = match j / 2 {
                    i @ 0..=3 => i,
                    _ => i,
                };
                out[j] += out[k];
            }
        }
    }
    mod at_pattern_in_or {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let k = match i / 2 {
                    i @ (1 | 2) => i,
                    _ => i,
                };
                out[i] += out[k];
            }
        }
    }
    mod or_pattern_hides {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let k = match (Some(i / 2), i % 3 == 0) {
                    (Some(i), true) | (Some(i), false) => i,
                    (None, _) => i,
                };
                out[i] += out[k];
            }
        }
    }
    mod slice_pattern_hides {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let k;
                {
                    let [i, ..] = [i / 2, i];
                    k = i;
                }
                out[i] += out[k];
            }
        }
    }
    mod ref_pattern_hides {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let k;
                {
                    let ref i = i / 2;
                    k = *i;
                }
                out[i] += out[k];
            }
        }
    }
    mod reference_pattern_hides {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let k;
                {
                    let &i = &(i / 2);
                    k = i;
                }
                out[i] += out[k];
            }
        }
    }
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
    mod use_of_variants_hides_a_local {
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy)]
        enum E {
            k,
            l,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                use E::*;
                let _ = l;
                out[i * k as usize] = x[i];
            }
            let _ = k;
        }
    }
    mod raw_identifier_rebinds {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let v = x[i];
                let r#i = i / 2;
                out[i] = v;
            }
        }
    }
    mod raw_identifier_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let mut k = i;
                r#k /= 2;
                out[i] += out[k];
            }
        }
    }
    mod raw_identifier_of_the_loop {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for r#i in 0..out.len() {
                let k = i;
                let i = r#k / 2;
                out[k] += out[i];
            }
        }
    }
    mod raw_identifier_accumulator {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
                if r#s > 50 {
                    s = 0;
                }
            }
            s
        }
    }
    mod raw_identifier_of_a_slice {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] = r#out[i / 2] + 1;
            }
        }
    }
    mod raw_function {
        #[allow(dead_code)]
        fn at(i: usize) -> usize {
            i / 2
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[r#at(i)] = x[i];
            }
        }
    }
    mod label_hidden_and_outer_left {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            'a: for i in 0..x.len() {
                'b: for j in 0..3 {
                    if x[i] > 25 {
                        break 'a;
                    }
                    if x[i] > j {
                        break 'b;
                    }
                    out[i] += 1;
                }
            }
        }
    }
    mod label_of_a_block_around {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            'a: {
                for i in 0..x.len() {
                    if x[i] > 25 {
                        break 'a;
                    }
                    out[i] = x[i];
                }
            }
        }
    }
    mod nested_fn_of_the_name_of_the_index {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = i;
                {
                    fn i() -> usize {
                        1
                    }
                    out[k / i() / 2] = x[k];
                }
            }
        }
    }
    mod nested_fn_recursive {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                fn at(k: usize) -> usize {
                    if k > 3 { at(k - 4) } else { k }
                }
                if at(i) < out.len() {
                    out[at(i)] = x[i];
                }
            }
        }
    }
    mod nested_struct_with_drop {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                struct D<'a>(&'a mut usize);
                impl Drop for D<'_> {
                    fn drop(&mut self) {
                        *self.0 /= 2;
                    }
                }
                let mut k = i;
                {
                    let _d = D(&mut k);
                }
                out[k] = x[i];
            }
        }
    }
    mod async_block_assigns {
        use std::future::Future;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                {
                    let mut f = std::pin::pin!(async {
                        k /= 2;
                    });
                    let mut c = std::task::Context::from_waker(std::task::Waker::noop());
                    let _ = f.as_mut().poll(&mut c);
                }
                out[k] = x[i];
            }
        }
    }
    mod async_block_reads {
        use std::future::Future;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let mut t = 0i64;
            for i in 0..x.len() {
                s += x[i];
                {
                    let mut f = std::pin::pin!(async {
                        t += s;
                    });
                    let mut c = std::task::Context::from_waker(std::task::Waker::noop());
                    let _ = f.as_mut().poll(&mut c);
                }
            }
            t
        }
    }
    mod async_block_accumulates {
        use std::future::Future;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
                {
                    let mut f = std::pin::pin!(async {
                        if s > 40 {
                            s = 0;
                        }
                    });
                    let mut c = std::task::Context::from_waker(std::task::Waker::noop());
                    let _ = f.as_mut().poll(&mut c);
                }
            }
            s
        }
    }
    mod async_move_never_polled {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                let f = async move {
                    let mut s = s;
                    s += 1;
                    s
                };
                drop(f);
                s += x[i];
            }
            s
        }
    }
    mod raw_pointer_writes {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let p = &raw mut k;
                unsafe {
                    *p /= 2;
                }
                out[k] = x[i];
            }
        }
    }
    mod raw_pointer_of_the_accumulator {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
                let p = &raw mut s;
                unsafe {
                    if *p > 40 {
                        *p = 0;
                    }
                }
            }
            s
        }
    }
    mod raw_pointer_reads_the_accumulator {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
                let p = &raw const s;
                out[i] = unsafe { *p };
            }
        }
    }
    mod raw_pointer_as_cast {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let p = &mut k as *mut usize;
                unsafe {
                    *p /= 2;
                }
                out[k] = x[i];
            }
        }
    }
    mod raw_pointer_of_an_element {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let p = &raw mut out[i / 2];
                unsafe {
                    *p = x[i];
                }
            }
        }
    }
    mod raw_pointer_moves {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let p = &raw mut out[i];
                unsafe {
                    *p.sub(i - i / 2) = x[i];
                }
            }
        }
    }
    mod const_block {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i * const { 2 - 2 }] = x[i];
            }
        }
    }
    mod unsafe_block_assigns {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                unsafe {
                    let p: *mut usize = &mut k;
                    p.write(i / 2);
                }
                out[k] = x[i];
            }
        }
    }
    mod slice_rebound_in_the_body {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let out = &mut out[i / 2..];
                out[0] = x[i];
            }
        }
    }
    mod two_slices_change_names {
        #[forall::foreach]
        fn program(out: &mut [i64], other: &mut [i64]) {
            for i in 1..out.len() {
                let (out, other) = (&mut *other, &mut *out);
                out[i] = other[i - 1];
                other[i] = 3;
            }
        }
    }
    mod two_slices_change_names_before {
        #[forall::foreach]
        fn program(out: &mut [i64], other: &mut [i64]) {
            let (out, other) = (other, out);
            for i in 1..out.len() {
                out[i] = other[i - 1];
            }
        }
    }
    mod temporary_dropped_at_the_tail {
        struct D<'a>(&'a mut usize);
        impl Drop for D<'_> {
            fn drop(&mut self) {
                *self.0 /= 2;
            }
        }
        impl D<'_> {
            fn get(&self) -> i64 {
                *self.0 as i64
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let v = { D(&mut k).get() };
                out[k] = x[i] + v;
            }
        }
    }
    mod temporary_of_a_match_lives_on {
        struct D<'a>(&'a mut usize);
        impl Drop for D<'_> {
            fn drop(&mut self) {
                *self.0 /= 2;
            }
        }
        impl D<'_> {
            fn get(&self) -> i64 {
                *self.0 as i64
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                match D(&mut k).get() {
                    v => out[i] = v,
                }
                out[k] += x[i];
            }
        }
    }
    mod dropped_in_reverse {
        struct D<'a>(&'a mut i64, i64);
        impl Drop for D<'_> {
            fn drop(&mut self) {
                *self.0 = *self.0 * 3 + self.1;
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s %= 100;
                let d = D(&mut s, x[i]);
                *d.0 += 1;
            }
            s
        }
    }
    mod assigned_by_a_pattern {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                [_, k] = [k, k / 2];
                out[k] = x[i];
            }
        }
    }
    mod assigned_by_a_struct_pattern {
        struct S {
            i: usize,
            j: usize,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k;
                let _j;
                S { i: k, j: _j } = S { i: i / 2, j: i };
                k += 0;
                out[k] = x[i];
            }
        }
    }
    mod accumulator_assigned_by_a_pattern {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let (mut s, mut t) = (0i64, 1i64);
            for i in 0..x.len() {
                s += x[i];
                (s, t) = (t, s);
            }
            s * 3 + t
        }
    }
    mod accumulators_fields_hidden {
        struct S {
            s: i64,
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = S { s: 0 };
            for i in 0..x.len() {
                s.s += x[i];
                let S { s: ref mut t } = s;
                *t = *t * 2 % 31;
            }
            s.s
        }
    }
    mod loop_variable_mutable {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for mut i in 0..x.len() {
                let v = x[i];
                i /= 2;
                out[i] = v;
            }
        }
    }
    mod loop_variable_of_a_pattern {
        #[forall::foreach]
        fn program(x: &[usize], out: &mut [usize]) {
            for (i, &x) in x.iter().enumerate() {
                let (x, i) = (i, x);
                if i < 3 {
                    out[x] = i;
                } else {
                    out[x / 2] = i;
                }
            }
        }
    }
    mod loop_variable_hidden_by_its_pattern {
        #[forall::foreach]
        fn program(x: &[usize], out: &mut [usize]) {
            for (j, &i) in x.iter().enumerate() {
                out[i] = j;
            }
        }
    }
    mod parameter_pattern_in_a_fn_type {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let f: fn(i: usize) -> usize = |i| i / 2;
                out[f(i)] = x[i];
            }
        }
    }
    mod generic_argument_of_the_name {
        fn at<const K: usize>(i: usize) -> usize {
            i * K
        }
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                const k: usize = 0;
                let j = at::<k>(i);
                out[j] = x[i];
            }
            let _ = k;
        }
    }
}
