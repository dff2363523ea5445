//! Names that blocks, patterns, conditions and items hide: loops that are right, and the first that are refused.

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
}
