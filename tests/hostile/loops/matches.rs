//! First and last matches, elements that are used after they are written, closures as loops, halves of slices.

mod right {
    mod first_divides_behind {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut first = None;
            for i in 0..x.len() {
                if first.is_none() && 100 / (x[i] - 5) > 20 {
                    first = Some(i);
                }
            }
            first.map_or(-1, |i| i as i64)
        }
    }

    mod first_value_panics {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut first = None;
            for i in 0..x.len() {
                if x[i] > 2 && first.is_none() {
                    first = Some(60 / (x[i] - 7));
                }
            }
            first
        }
    }

    mod first_in_inner_loop {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (i64, i64) {
            let (mut found, mut a, mut b) = (false, 0, 0);
            for i in 0..x.len() {
                for j in 0..2 {
                    if x[i] > 3 {
                        if !found && y[i] > j {
                            found = true;
                            (a, b) = (i as i64, j);
                        }
                    }
                }
            }
            (a, b)
        }
    }

    mod first_starts_found {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let mut first = x.first().map(|_| 77);
            let mut sum = 0;
            for i in 0..x.len() {
                sum += x[i];
                if first.is_none() {
                    first = Some(x[i]);
                }
            }
            (first.unwrap_or(1), sum)
        }
    }

    mod last_with_continue {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let (mut last, mut end) = (-1, 0);
            for i in 0..x.len() {
                end = x[i];
                if x[i] % 3 == 0 {
                    continue;
                }
                if x[i] > 2 {
                    last = i as i64;
                } else {
                    last = -x[i];
                }
            }
            (last, end)
        }
    }

    mod own_element_twice {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                out[i] = x[i] + s;
                out[i] += 1;
                let before = out[i];
                out[i] = before * 2 - x[i];
                s += x[i];
            }
        }
    }

    mod own_element_feeds {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                out[i] = x[i] * 3;
                if out[i] > 6 {
                    continue;
                }
                out[i] -= 1;
                s += out[i];
                out[i] = s;
            }
        }
    }

    mod each_returns {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            out.iter_mut().zip(x).for_each(|(o, &v)| {
                for k in 0..4 {
                    if v == k {
                        return;
                    }
                    *o += k;
                }
                let f = |a: i64| {
                    if a > 3 {
                        return a;
                    }
                    -a
                };
                *o += f(v);
            });
        }
    }

    mod halves_panic_outside {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = out.len() / 2;
            let (left, right) = out.split_at_mut(k);
            for i in 0..x.len() {
                left[i] = x[i];
            }
            for r in right {
                *r = 1;
            }
        }
    }

    mod halves_too_far {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let (left, right) = out.split_at_mut(x.len() + 1);
            for l in left.iter_mut() {
                *l = 3;
            }
            for r in right {
                *r = 1;
            }
        }
    }

    mod const_in_loop {
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                const limit: i64 = 3;
                out[i] = match x[i] { limit => 7, other => other };
            }
        }
    }

    mod unit_struct {
        #[forall::foreach]
        #[allow(non_camel_case_types)]
        fn program(x: &[i64], out: &mut [i64]) {
            #[derive(PartialEq, Eq, Clone, Copy)]
            struct done;
            for i in 0..x.len().min(out.len()) {
                out[i] = match (done, x[i]) { (done, 3) => 7, (_, other) => other };
            }
        }
    }

    mod matches_const {
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            const limit: i64 = 3;
            for i in 0..x.len().min(out.len()) {
                if matches!(x[i], limit) { out[i] = 5; }
            }
        }
    }

    mod const_in_nested_function {
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            fn g(v: i64) -> i64 { const limit: i64 = 3; match v { limit => 7, other => other } }
            for i in 0..x.len().min(out.len()) { out[i] = g(x[i]); }
        }
    }

    mod const_named_as_upper_variable {
        const N: i64 = 3;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) { out[i] = match x[i] { N => 7, v => v }; }
        }
    }

    mod function_imported_with_name_of_binding {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            use std::cmp::max;
            for i in 0..x.len().min(out.len()) {
                let o = Some(max(x[i], 3));
                out[i] = match o { Some(max) if max > 4 => max, _ => 7 };
            }
        }
    }

    mod function_in_function_with_name_of_binding {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            fn max(a: i64, b: i64) -> i64 { a.max(b) }
            for i in 0..x.len().min(out.len()) {
                let o = Some(max(x[i], 3));
                out[i] = match o { Some(max) if max > 4 => max, _ => 7 };
            }
        }
    }

    mod lower_case_const_in_function {
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            const limit: i64 = 3;
            for i in 0..x.len().min(out.len()) {
                out[i] = match x[i] { limit => 7, other => other };
            }
        }
    }
}

mod refused {
    mod some_of_the_author {
        #[allow(non_snake_case)]
        fn Some(i: i64) -> Option<i64> {
            if i % 2 == 0 { None } else { Option::Some(i) }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut first = None;
            for i in 0..x.len() {
                if first.is_none() && x[i] > 2 {
                    first = Some(i as i64);
                }
            }
            first
        }
    }

    mod first_decides {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let (mut found, mut sum) = (false, 0);
            for i in 0..x.len() {
                if !found && x[i] > 4 {
                    found = true;
                }
                if found {
                    sum += x[i];
                }
            }
            (found as i64, sum)
        }
    }

    mod first_counts {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let (mut first, mut tried) = (None, 0);
            for i in 0..x.len() {
                if first.is_none() && {
                    tried += 1;
                    x[i] > 4
                } {
                    first = Some(i as i64);
                }
            }
            (first.unwrap_or(-1), tried)
        }
    }

    mod best_counts {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64, i64) {
            let (mut best, mut at, mut tried) = (-100, 0, 0);
            for i in 0..x.len() {
                if x[i] > best && {
                    tried += 1;
                    x[i] != 4
                } {
                    best = x[i];
                    at = i as i64;
                }
            }
            (best, at, tried)
        }
    }

    mod first_forgets {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut first = None;
            for i in 0..x.len() {
                if first.is_none() && x[i] > 2 {
                    first = Some(i as i64);
                }
                if x[i] < 0 {
                    first = None;
                }
            }
            first
        }
    }

    mod own_element_by_another_name {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                out[i] = x[i] * 3;
                let o = &mut out[i];
                *o += 1;
                s += out[i];
                out[i] = s;
            }
        }
    }

    mod own_element_moves {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                let mut k = i;
                out[k] = x[i];
                k = x.len() - 1 - k;
                s += out[k];
            }
            out[0] = s;
        }
    }

    mod own_element_under_a_condition {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                if x[i] > 3 {
                    out[i] = x[i];
                }
                s += out[i];
                out[i] = s;
            }
        }
    }

    mod import_in_function {
        mod m { #[allow(non_upper_case_globals)] pub const limit: i64 = 3; }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            use m::limit;
            for i in 0..x.len().min(out.len()) {
                out[i] = match x[i] { limit => 7, other => other };
            }
        }
    }

    mod import_in_loop {
        mod m { #[allow(non_upper_case_globals)] pub const limit: i64 = 3; }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                use m::limit;
                out[i] = match x[i] { limit => 7, other => other };
            }
        }
    }

    mod import_in_block {
        mod m { #[allow(non_upper_case_globals)] pub const limit: i64 = 3; }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            {
                use m::limit;
                for i in 0..x.len().min(out.len()) {
                    out[i] = match x[i] { limit => 7, other => other };
                }
            }
        }
    }

    mod glob_in_loop {
        mod m { #[allow(non_upper_case_globals)] pub const limit: i64 = 3; }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                use m::*;
                out[i] = match x[i] { limit => 7, other => other };
            }
        }
    }

    mod const_in_chain {
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                const k: usize = 1;
                if let Some(k) = Some(i) { out[k] = x[i]; }
            }
        }
    }

    mod const_in_let_else {
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                const k: usize = 1;
                let Some(k) = Some(i) else { continue; };
                out[k] = x[i];
            }
        }
    }

    mod constant_outside {
        #[allow(non_upper_case_globals)]
        const limit: i64 = 3;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                out[i] = match x[i] { limit => 7, other => other };
            }
        }
    }
}
