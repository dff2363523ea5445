//! The best value, or the first one, in an `Option`.

mod right {
    mod best_beside_a_counted_loop {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(i64, usize)> {
            let mut best: Option<(i64, usize)> = None;
            for i in 0..x.len() {
                let mut total = 0i64;
                let mut j = 0;
                while j <= i.min(3) {
                    assert!(j < 4);
                    total = total.wrapping_add(x[i].wrapping_mul(j as i64 + 1));
                    j += 1;
                }
                best = match best {
                    Some((held, at)) if held >= total => Some((held, at)),
                    _ => Some((total, i)),
                };
            }
            best
        }
    }
    mod least_in_arms_of_another_order {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut kept = None;
            for v in x {
                match kept {
                    Some(held) if held <= *v => {}
                    Some(_) => kept = Some(*v),
                    None => kept = Some(*v),
                }
            }
            kept
        }
    }
    mod stored_value_is_the_held_one {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            let mut last = None;
            for i in 0..x.len() {
                if x[i] > 3 {
                    if let Some(i) = last {
                        last = Some(i);
                    } else {
                        last = Some(i);
                    }
                }
            }
            last
        }
    }
    mod least_by_a_match_that_keeps {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut kept = None;
            for i in 0..x.len() {
                let v = x[i];
                kept = match kept {
                    Some(b) if b <= v => Some(b),
                    _ => Some(v),
                };
            }
            kept
        }
    }
    mod greatest_with_its_index_by_a_match {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(usize, i64)> {
            let mut kept = None;
            for i in 0..x.len() {
                let v = x[i];
                kept = match kept {
                    Some((j, b)) if b >= v => Some((j, b)),
                    _ => Some((i, v)),
                };
            }
            kept
        }
    }
    mod last_greatest_by_a_match {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(usize, i64)> {
            let mut kept = None;
            for i in 0..x.len() {
                let v = x[i];
                kept = match kept {
                    Some((j, b)) if v < b => Some((j, b)),
                    _ => Some((i, v)),
                };
            }
            kept
        }
    }
    mod least_by_if_let_of_values {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut kept = None;
            for i in 0..x.len() {
                let v = x[i];
                kept = if let Some(b) = kept { if v < b { Some(v) } else { Some(b) } } else { Some(v) };
            }
            kept
        }
    }
    mod least_unless_it_is_kept {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut kept = None;
            for i in 0..x.len() {
                let v = x[i];
                match kept {
                    Some(b) if b <= v => {}
                    _ => kept = Some(v),
                }
            }
            kept
        }
    }
    mod first_by_a_guard_of_none {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut kept = None;
            for i in 0..x.len() {
                let v = x[i];
                kept = match kept {
                    None if v > 3 || v < -30 => Some(v),
                    other => other,
                };
            }
            kept
        }
    }
    mod first_inside_of_if_let {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut kept = None;
            for i in 0..x.len() {
                let v = x[i];
                if let None = kept {
                    if v > 3 {
                        kept = Some(v);
                    }
                }
            }
            kept
        }
    }
    mod first_of_all_by_match {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            let mut kept = None;
            for i in 0..x.len() {
                let v = x[i];
                match kept {
                    Some(_) => {}
                    None => kept = Some(i),
                }
                let _ = v;
            }
            kept
        }
    }
    mod first_by_or {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            let mut first = None;
            for i in 0..x.len() {
                first = first.or(if x[i] > 20 { Some(i) } else { None });
            }
            first
        }
    }
    mod first_by_or_after_one_before {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut first: Option<i64> = x.first().copied().filter(|v| *v > 3);
            for i in 1..x.len() {
                first = first.or((x[i] > 20).then(|| x[i]));
            }
            first
        }
    }
    mod least_by_map_or {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for &v in x {
                if best.map_or(true, |b| v < b) {
                    best = Some(v);
                }
            }
            best
        }
    }
    mod most_by_is_none_or_the_last_of_many {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(usize, i64)> {
            let mut best: Option<(usize, i64)> = None;
            for (i, &v) in x.iter().enumerate() {
                if best.is_none_or(|(_, b)| v >= b) {
                    best = Some((i, v));
                }
            }
            best
        }
    }
    mod nearest_beside_its_place {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (Option<f64>, usize) {
            let (mut best, mut at) = (None, 0);
            for i in 0..x.len() {
                let d = (x[i] - 1.5).abs();
                if best.is_none_or(|b| b > d) {
                    best = Some(d);
                    at = i;
                }
            }
            (best, at)
        }
    }
    mod by_match_with_a_guard {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best = None;
            for &v in x {
                best = match best {
                    None => Some(v),
                    Some(b) if v > b => Some(v),
                    _ => best,
                };
            }
            best
        }
    }
    mod by_match_with_a_name_for_what_stays {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut r: Option<i64> = None;
            for i in 0..x.len() {
                r = match r {
                    None => Some(x[i]),
                    Some(m) if x[i] > m => Some(x[i]),
                    same => same,
                };
            }
            r
        }
    }
    mod by_match_in_statements {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best = None;
            for &v in x {
                match best {
                    Some(b) => {
                        if v < b {
                            best = Some(v);
                        }
                    }
                    None => best = Some(v),
                }
            }
            best
        }
    }
    mod by_if_let {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(i64, usize)> {
            let mut best: Option<(i64, usize)> = None;
            for i in 0..x.len() {
                if let Some((b, _)) = best {
                    if x[i] < b {
                        best = Some((x[i], i));
                    }
                } else {
                    best = Some((x[i], i));
                }
            }
            best
        }
    }
    mod by_unwrap {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for &v in x {
                if v % 3 != 0 && v > 4 {
                    if best.is_none() || v < best.unwrap() {
                        best = Some(v);
                    }
                }
            }
            best
        }
    }
    mod by_unwrap_of_a_field {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<(usize, f64)> {
            let mut best: Option<(usize, f64)> = None;
            for (i, v) in x.iter().enumerate() {
                if best.is_none() || *v > best.unwrap().1 {
                    best = Some((i, *v));
                }
            }
            best
        }
    }
    mod values_that_compare_with_nothing {
        #[forall::kary_reduce]
        fn program(x: &[f64], idx: &[usize]) -> (u64, usize) {
            let (mut best, mut at) = (None, 0);
            for i in 0..x.len() {
                let v = if idx[i] % 4 == 1 { f64::NAN } else { x[i] };
                if best.is_none_or(|b| v < b) {
                    best = Some(v);
                    at = i;
                }
            }
            (best.map_or(1, f64::to_bits), at)
        }
    }
    mod values_that_compare_with_nothing_come_first {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<u64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                let v = if i == 0 || i % 5 == 3 { f64::NAN } else { x[i] };
                if best.map_or(true, |b| v > b) {
                    best = Some(v);
                }
            }
            best.map(f64::to_bits)
        }
    }
    mod values_that_compare_with_nothing_behind_a_condition {
        #[forall::kary_reduce]
        fn program(x: &[f64], idx: &[usize], out: &mut [f64]) -> Option<u64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                out[i] = x[i] + 1.0;
                let v = if i % 7 == 3 { f64::NAN } else { x[i] };
                if idx[i] % 3 == 0 && best.map_or(true, |b| v > b) {
                    best = Some(v);
                }
            }
            best.map(f64::to_bits)
        }
    }
    mod or_of_a_result_in_the_body {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut r: Result<i64, i64> = Err(0);
                for k in 0..3 {
                    r = r.or(if x[i] % 3 == k { Ok(k) } else { Err(x[i]) });
                }
                out[i] = r.unwrap_or(-1);
            }
        }
    }
    mod with_one_before {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best = Some(3);
            for &v in x {
                if best.is_none_or(|b| v <= b) {
                    best = Some(v);
                }
            }
            best
        }
    }

    mod field_match {
        struct S { most: Option<i64>, other: i64 }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = S { most: None, other: 0 };
            for i in 0..x.len() {
                let v = x[i];
                s.other += v;
                s.most = match s.most { Some(m) if m >= v => Some(m), _ => Some(v) };
            }
            s.most.unwrap_or(-1) + s.other
        }
    }

    mod field_match_two {
        struct S { most: Option<(usize, i64)>, other: i64 }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = S { most: None, other: 0 };
            for i in 0..x.len() {
                let v = x[i];
                s.other += v;
                s.most = match s.most { Some((k, m)) if m >= v => Some((k, m)), _ => Some((i, v)) };
            }
            s.most.map_or(-1, |(k, m)| k as i64 + m) + s.other
        }
    }

    mod field_if_let {
        struct S { most: Option<i64> }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = S { most: None };
            for i in 0..x.len() {
                let v = x[i];
                if let Some(m) = s.most { if v > m { s.most = Some(v); } } else { s.most = Some(v); }
            }
            s.most.unwrap_or(-1)
        }
    }

    mod field_match_statement {
        struct S { most: Option<i64> }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = S { most: None };
            for i in 0..x.len() {
                let v = x[i];
                match s.most { None => s.most = Some(v), Some(m) if v > m => s.most = Some(v), _ => {} }
            }
            s.most.unwrap_or(-1)
        }
    }

    mod tuple_field {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = (None, 0i64);
            for i in 0..x.len() {
                let v = x[i];
                s.0 = match s.0 { Some(m) if m >= v => Some(m), _ => Some(v) };
                s.1 += 1;
            }
            s.0.unwrap_or(-1) + s.1
        }
    }

    mod field_bound_else {
        struct S { most: Option<i64> }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = S { most: None };
            for i in 0..x.len() {
                let v = x[i];
                s.most = if let Some(m) = s.most { if m >= v { Some(m) } else { Some(v) } } else { Some(v) };
            }
            s.most.unwrap_or(-1)
        }
    }
}

mod refused {
    mod best_in_a_type_of_ones_own {
        #[derive(Clone, Copy)]
        struct Odd(i64);
        impl Odd {
            fn is_none_or(&mut self, f: impl Fn(i64) -> bool) -> bool {
                self.0 += 1;
                f(self.0)
            }
        }
        #[allow(non_snake_case)]
        fn Some(v: i64) -> Odd {
            Odd(v / 2)
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = Odd(0);
            for &v in x {
                if best.is_none_or(|b| v < b) {
                    best = Some(v);
                }
            }
            best.0
        }
    }
    mod some_of_ones_own {
        #[allow(non_snake_case)]
        fn Some(v: i64) -> Option<i64> {
            Option::Some(v / 2)
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best = None;
            for &v in x {
                if best.is_none_or(|b| v < b) {
                    best = Some(v);
                }
            }
            best
        }
    }
    mod none_of_ones_own {
        #[allow(non_upper_case_globals)]
        const None: Option<i64> = Some(4);
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best = Option::None;
            for &v in x {
                match best {
                    None => best = Some(v),
                    Some(b) if v < b => best = Some(v),
                    _ => {}
                }
            }
            best
        }
    }
    mod or_of_ones_own {
        #[derive(Clone, Copy)]
        struct Odd(Option<i64>);
        impl Odd {
            fn or(self, other: Option<i64>) -> Odd {
                Odd(other.or(self.0))
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best = Odd(None);
            for &v in x {
                best = best.or(if v > 4 { Some(v) } else { None });
            }
            best.0
        }
    }
    mod operators_of_ones_own {
        #[derive(Clone, Copy, PartialEq)]
        struct Odd(i64);
        impl PartialOrd for Odd {
            fn partial_cmp(&self, other: &Odd) -> Option<std::cmp::Ordering> {
                (self.0 % 7).partial_cmp(&(other.0 % 5))
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<Odd> = None;
            for &v in x {
                let v = Odd(v);
                if best.is_none_or(|b| v < b) {
                    best = Some(v);
                }
            }
            best.map(|b| b.0)
        }
    }
    mod what_is_kept_is_not_what_is_compared {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best = None;
            for &v in x {
                if best.is_none_or(|b| v < b) {
                    best = Some(v / 2);
                }
            }
            best
        }
    }
    mod the_other_part_is_compared {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> Option<(i64, i64)> {
            let mut best = None;
            for i in 0..x.len() {
                if best.is_none_or(|(b, _)| y[i] < b) {
                    best = Some((x[i], y[i]));
                }
            }
            best
        }
    }
    mod by_match_with_another_value {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best = None;
            for &v in x {
                best = match best {
                    None => Some(v + 3),
                    Some(b) if v > b => Some(v),
                    _ => best,
                };
            }
            best
        }
    }
    mod running_best {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                if best.is_none_or(|b| x[i] < b) {
                    best = Some(x[i]);
                }
                out[i] = best.unwrap_or(0.0);
            }
        }
    }
    mod beside_what_is_pushed {
        #[forall::foreach_tls]
        fn program(x: &[f64]) -> (Option<f64>, Vec<usize>) {
            let (mut best, mut to) = (None, Vec::new());
            for i in 0..x.len() {
                if x[i] > 1.0 {
                    to.push(i);
                }
                if best.is_none_or(|b| x[i] < b) {
                    best = Some(x[i]);
                }
            }
            (best, to)
        }
    }
    mod reads_it_elsewhere {
        #[forall::kary_reduce]
        fn program(x: &[i64], out: &mut [i64]) -> Option<i64> {
            let mut best = None;
            for i in 0..x.len() {
                out[i] = best.unwrap_or(0);
                if best.is_none_or(|b| x[i] < b) {
                    best = Some(x[i]);
                }
            }
            best
        }
    }
}
