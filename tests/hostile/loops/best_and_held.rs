//! Best values beside variables of the same names.

mod refused {
    mod stored_index_is_the_held_one {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(usize, i64)> {
            let mut best = None;
            for i in 0..x.len() {
                let v = x[i];
                if let Some((i, b)) = best {
                    if v < b {
                        best = Some((i, v));
                    }
                } else {
                    best = Some((i, v));
                }
            }
            best
        }
    }
    mod stored_index_is_the_held_one_by_match {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(usize, i64)> {
            let mut best = None;
            for i in 0..x.len() {
                let v = x[i];
                match best {
                    Some((i, b)) if v < b => best = Some((i, v)),
                    None => best = Some((i, v)),
                    _ => {}
                }
            }
            best
        }
    }
    mod stored_index_is_the_held_one_by_match_if {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(usize, i64)> {
            let mut best = None;
            for i in 0..x.len() {
                let v = x[i];
                match best {
                    Some((i, b)) => {
                        if v < b {
                            best = Some((i, v));
                        }
                    }
                    None => best = Some((i, v)),
                }
            }
            best
        }
    }
    mod stored_index_by_a_chain {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(usize, i64)> {
            let mut best = Some((100usize, 5i64));
            for i in 0..x.len() {
                let v = x[i];
                if let Some((i, b)) = best
                    && v < b
                {
                    best = Some((i, v));
                }
            }
            best
        }
    }
    mod stored_index_of_a_tuple {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (usize, i64) {
            let mut best = (100usize, 5i64);
            for i in 0..x.len() {
                let v = x[i];
                let (i, b) = best;
                if v < b {
                    best = (i, v);
                }
            }
            best
        }
    }
    mod stored_index_of_a_field {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (usize, i64) {
            let mut best = (100usize, 5i64);
            for i in 0..x.len() {
                if x[i] < best.1 {
                    best = (best.0, x[i]);
                }
            }
            best
        }
    }
    mod stored_value_is_the_held_one {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(usize, i64)> {
            let mut best = None;
            for i in 0..x.len() {
                let v = x[i];
                if let Some((_, w)) = best {
                    let (u, v) = (v, w);
                    if u < v {
                        best = Some((i, v));
                    }
                } else {
                    best = Some((i, v));
                }
            }
            best
        }
    }
    mod hidden_compared_value {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = 5i64;
            for i in 0..x.len() {
                let v = x[i];
                if v < b {
                    let v = v % 7;
                    b = v;
                }
            }
            b
        }
    }
    mod compared_by_another_option {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for i in 0..x.len() {
                if best.is_none_or(|b| {
                    let b = b % 5;
                    x[i] < b
                }) {
                    best = Some(x[i]);
                }
            }
            best
        }
    }
    mod mutable_reference_into_the_best {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(usize, i64)> {
            let mut best = Some((50usize, 5i64));
            for i in 0..x.len() {
                if let Some(b) = &mut best {
                    if x[i] < b.1 {
                        b.1 = x[i];
                        if i % 2 == 0 {
                            b.0 = i;
                        }
                    }
                }
            }
            best
        }
    }
    mod ref_mut_into_the_best {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(usize, i64)> {
            let mut best = Some((50usize, 5i64));
            for i in 0..x.len() {
                if let Some((k, ref mut b)) = best {
                    if x[i] < *b {
                        *b = x[i] + (k % 2) as i64;
                    }
                }
            }
            best
        }
    }
    mod as_mut_into_the_best {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best = Some(5i64);
            for i in 0..x.len() {
                if let Some(b) = best.as_mut() {
                    if x[i] < *b {
                        *b = (*b + x[i]) / 2;
                    }
                }
            }
            best
        }
    }
    mod min_of_tuples_with_the_held {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let mut best = (100i64, 5usize);
            for i in 0..x.len() {
                best = best.min((x[i], best.1));
            }
            best
        }
    }
    mod first_by_get_or_insert {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best = None;
            for i in 0..x.len() {
                let b = best.get_or_insert(x[i]);
                if x[i] < *b {
                    *b -= 1;
                }
            }
            best
        }
    }
    mod map_or_with_the_held {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(usize, i64)> {
            let mut best: Option<(usize, i64)> = None;
            for i in 0..x.len() {
                best = Some(best.map_or((i, x[i]), |(i, b)| if x[i] < b { (i, x[i]) } else { (i, b) }));
            }
            best
        }
    }
    mod map_or_with_hidden_elements {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for &v in x {
                best = Some(best.map_or(v, |v| v.min(3)));
            }
            best
        }
    }
    mod filter_of_the_best {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = Some(3);
            for i in 0..x.len() {
                if best.filter(|b| x[i] < *b).is_some() {
                    best = Some(x[i]);
                } else {
                    best = None;
                }
            }
            best
        }
    }
    mod let_else_of_the_best {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(usize, i64)> {
            let mut best = None;
            for i in 0..x.len() {
                let v = x[i];
                let Some((i, b)) = best else {
                    best = Some((i, v));
                    continue;
                };
                if v < b {
                    best = Some((i, v));
                }
            }
            best
        }
    }
    mod first_match_of_the_held {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            let mut first: Option<usize> = None;
            for i in 0..x.len() {
                if first.is_none_or(|i| i > 40) && x[i] > 3 {
                    first = Some(i);
                }
            }
            first
        }
    }
    mod count_and_best_share_a_name {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let mut c = 0i64;
            let mut b = 0i64;
            for i in 0..x.len() {
                if x[i] > b {
                    b = x[i];
                    c += 1;
                }
            }
            (b, c)
        }
    }
    mod best_compared_in_a_nested_block {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = 0i64;
            for i in 0..x.len() {
                let better = {
                    let b = b / 2;
                    x[i] > b
                };
                if better {
                    b = x[i];
                }
            }
            b
        }
    }
    mod best_in_a_struct_with_hidden_fields {
        #[derive(Clone, Copy)]
        struct B {
            i: usize,
            v: i64,
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (usize, i64) {
            let mut best = B { i: 7, v: 5 };
            for i in 0..x.len() {
                let v = x[i];
                if v < best.v {
                    let B { i, .. } = best;
                    best = B { i, v };
                }
            }
            (best.i, best.v)
        }
    }
    mod best_in_a_struct_by_update {
        #[derive(Clone, Copy)]
        struct B {
            i: usize,
            v: i64,
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (usize, i64) {
            let mut best = B { i: 7, v: 5 };
            for i in 0..x.len() {
                if x[i] < best.v {
                    best = B { v: x[i], ..best };
                }
            }
            (best.i, best.v)
        }
    }
    mod condition_if_let_of_a_sum_then_max {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let o = Some(3i64);
            for i in 0..x.len() {
                let t = if { if let Some(s) = o { x[i] > s } else { false } } { s } else { 0 };
                s = s.max(x[i] - t % 3);
            }
            s
        }
    }
    mod condition_if_let_written_to_an_element {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0i64;
            let o = Some(3i64);
            for i in 0..x.len() {
                if { if let Some(s) = o { x[i] > s } else { false } } {
                    s += 1;
                }
                out[i] = s;
            }
        }
    }
    mod condition_if_let_of_a_pushed {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut v = Vec::new();
            let o = Some(3i64);
            for i in 0..x.len() {
                if { if let Some(v) = o { x[i] > v } else { false } } {
                    v.push(x[i]);
                } else if v.len() > 3 {
                    v.push(1);
                }
            }
            v
        }
    }
    mod condition_if_let_of_an_index {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            let o = Some(3usize);
            for i in 0..out.len() {
                if { if let Some(i) = o { i > 2 } else { false } } {
                    out[i] += out[i / 2];
                }
            }
        }
    }
    mod condition_if_let_of_a_scan {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0i64;
            let o = Some(3i64);
            for i in 0..x.len() {
                if { if let Some(s) = o { x[i] > s } else { false } } {
                    s = s / 2;
                }
                s += x[i];
                out[i] = s;
            }
        }
    }
    mod condition_if_let_of_a_scratch {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut t = 0i64;
            let o = Some(3i64);
            for i in 0..x.len() {
                if { if let Some(t) = o { x[i] > t } else { false } } {
                    t = x[i];
                }
                out[i] = t;
            }
        }
    }
    mod condition_match_of_a_scratch {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut t = 0i64;
            let o = Some(3i64);
            for i in 0..x.len() {
                if match o {
                    Some(t) => x[i] > t,
                    None => true,
                } {
                    t = x[i];
                }
                out[i] = t;
            }
        }
    }
    mod condition_block_of_a_scratch {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut t = 0i64;
            for i in 0..x.len() {
                if {
                    let t = 3;
                    x[i] > t
                } {
                    t = x[i];
                }
                out[i] = t;
            }
        }
    }
    mod condition_chain_of_a_scratch {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut t = 0i64;
            let o = Some(3i64);
            for i in 0..x.len() {
                if x[i] > 0
                    && let Some(t) = o
                    && x[i] > t
                {
                    let _ = t;
                } else {
                    t += 1;
                }
                out[i] = t;
            }
        }
    }
    mod guard_if_let_of_a_scratch {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut t = 0i64;
            let o = Some(3i64);
            for i in 0..x.len() {
                match x[i] {
                    v if { if let Some(t) = o { v > t } else { false } } => t = v,
                    _ => {}
                }
                out[i] = t;
            }
        }
    }
    mod operand_if_let_of_a_scratch {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut t = 0i64;
            let o = Some(3i64);
            for i in 0..x.len() {
                let u = x[i] + if let Some(t) = o { t } else { 0 };
                if u > 5 {
                    t = u;
                }
                out[i] = t;
            }
        }
    }
    mod index_if_let_of_a_scratch {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut t = 0i64;
            let o = Some(0usize);
            for i in 0..x.len() {
                let a = [x[i], 2];
                let u = a[if let Some(t) = o { t } else { 1 }];
                if u > 5 {
                    t = u;
                }
                out[i] = t;
            }
        }
    }
    mod read_between_of_another_name {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut t = 0i64;
            for i in 0..x.len() {
                {
                    let mut t = 1;
                    t += x[i];
                    out[i] = t;
                }
                t += out[i];
                out[i] = t;
            }
        }
    }
}

mod right {
    mod condition_if_let_of_while {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let o = Some(3i64);
            for i in 0..x.len() {
                let mut c = 0;
                while { if let Some(s) = o { x[i] > s && c < 2 } else { false } } {
                    c += 1;
                }
                s = s.max(x[i] + c);
                if x[i] > 20 {
                    s -= 10;
                }
            }
            s
        }
    }
    mod condition_if_let_or {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let o = Some(3i64);
            for i in 0..x.len() {
                if !{ if let Some(s) = o { x[i] > s } else { false } } {
                    s -= 10;
                }
                s = s.max(x[i]);
            }
            s
        }
    }
}
