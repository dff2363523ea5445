//! Variables that keep the best of values, in many spellings.

mod refused {
    mod different_guards {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                match best {
                    None => {
                        if x[i] > 0.0 {
                            best = Some(x[i]);
                        }
                    }
                    Some(b) => {
                        if x[i] > 1.0 && x[i] < b {
                            best = Some(x[i]);
                        }
                    }
                }
            }
            best
        }
    }
    mod companion_sometimes {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut b, mut at) = (9.0, 0);
            for i in 0..x.len() {
                let c = x[i] < b;
                if c {
                    b = x[i];
                    if x[i] > 0.0 {
                        at = i;
                    }
                }
            }
            (b, at)
        }
    }
    mod counts {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut b, mut n) = (9.0, 0);
            for i in 0..x.len() {
                let c = x[i] < b;
                if c {
                    b = x[i];
                    n += 1;
                }
            }
            (b, n)
        }
    }
    mod other_key {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> f64 {
            let mut b = 9.0;
            for i in 0..x.len() {
                let c = x[i] < b;
                if c {
                    b = y[i];
                }
            }
            b
        }
    }
    mod changed_between {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut b = 9.0;
            for i in 0..x.len() {
                let mut v = x[i];
                let c = v < b;
                v += 1.0;
                if c {
                    b = v;
                }
            }
            b
        }
    }
    mod eq_only {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = 9;
            for i in 0..x.len() {
                let c = x[i] == b;
                if c {
                    b = x[i];
                }
            }
            b
        }
    }
    mod reads_best {
        #[forall::kary_reduce]
        fn program(x: &[f64], out: &mut [f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                match best {
                    Some(b) if b <= x[i] => {}
                    _ => best = Some(x[i]),
                }
                out[i] = best.unwrap();
            }
            best
        }
    }
    mod effect {
        #[forall::kary_reduce]
        fn program(x: &[f64], out: &mut [f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                match best {
                    Some(b) if b <= x[i] => {}
                    _ => {
                        best = Some(x[i]);
                        out[i] = 1.0;
                    }
                }
            }
            best
        }
    }
    mod iterator {
        fn other(v: f64) -> Option<f64> {
            (v > 0.0).then_some(v)
        }
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                let c = other(x[i]).filter(|c| best.is_none_or(|b| *c < b));
                if let Some(c) = c {
                    best = Some(c);
                }
            }
            best
        }
    }
    mod swapped {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                best = match best {
                    Some(b) if b < x[i] => None,
                    _ => Some(x[i]),
                };
            }
            best
        }
    }
    mod threshold {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut b = 9.0;
            for i in 0..x.len() {
                let c = x[i] < b;
                if c || x[i] > 100.0 {
                    b = x[i];
                }
            }
            b
        }
    }
}
mod right {
    mod match_guard {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for i in 0..x.len() {
                match best {
                    Some(b) if b <= x[i] => {}
                    _ => best = Some(x[i]),
                }
            }
            best
        }
    }
    mod match_none {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                match best {
                    None => best = Some(x[i]),
                    Some(b) => {
                        if x[i] < b {
                            best = Some(x[i]);
                        }
                    }
                }
            }
            best
        }
    }
    mod match_value {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                best = match best {
                    None => Some(x[i]),
                    Some(b) if x[i] < b => Some(x[i]),
                    same => same,
                };
            }
            best
        }
    }
    mod map_or {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                best = Some(best.map_or(x[i], |b| if x[i] < b { x[i] } else { b }));
            }
            best
        }
    }
    mod filter_or {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for i in 0..x.len() {
                best = best.filter(|b| *b <= x[i]).or(Some(x[i]));
            }
            best
        }
    }
    mod filter_or2 {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                best = best.filter(|b| !(x[i] < *b)).or(Some(x[i]));
            }
            best
        }
    }
    mod then_some {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                best = best.is_none_or(|b| x[i] < b).then_some(x[i]).or(best);
            }
            best
        }
    }
    mod some_order {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                if best.is_none() || Some(x[i]) < best {
                    best = Some(x[i]);
                }
            }
            best
        }
    }
    mod named {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                let better = match best {
                    None => true,
                    Some(b) => x[i] < b,
                };
                if better {
                    best = Some(x[i]);
                }
            }
            best
        }
    }
    mod named_mut {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                let mut better = false;
                if let Some(b) = best {
                    if x[i] < b {
                        better = true;
                    }
                } else {
                    better = true;
                }
                if better {
                    best = Some(x[i]);
                }
            }
            best
        }
    }
    mod pair {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(i64, usize)> {
            let mut best: Option<(i64, usize)> = None;
            for i in 0..x.len() {
                match best {
                    Some((b, _)) if b <= x[i] => {}
                    _ => best = Some((x[i], i)),
                }
            }
            best
        }
    }
    mod pair_keep {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(i64, usize)> {
            let mut best: Option<(i64, usize)> = None;
            for i in 0..x.len() {
                best = match best {
                    Some((b, j)) if b <= x[i] => Some((b, j)),
                    _ => Some((x[i], i)),
                };
            }
            best
        }
    }
    mod partial {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                if best.is_none_or(|b| x[i].partial_cmp(&b) == Some(std::cmp::Ordering::Less)) {
                    best = Some(x[i]);
                }
            }
            best
        }
    }
    mod partial_match {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                match best {
                    None => best = Some(x[i]),
                    Some(b) => match x[i].partial_cmp(&b) {
                        Some(std::cmp::Ordering::Less) => best = Some(x[i]),
                        _ => {}
                    },
                }
            }
            best
        }
    }
    mod total_match {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                best = Some(match best {
                    None => x[i],
                    Some(b) => match x[i].total_cmp(&b) {
                        std::cmp::Ordering::Less => x[i],
                        _ => b,
                    },
                });
            }
            best
        }
    }
    mod candidates {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                let v = x[i];
                if v > 0.0 {
                    if let Some(b) = best {
                        if v < b {
                            best = Some(v);
                        }
                    } else {
                        best = Some(v);
                    }
                }
            }
            best
        }
    }
    mod candidate_option {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                let candidate = if x[i] > 0.0 { Some(x[i]) } else { None };
                match (best, candidate) {
                    (None, Some(v)) => best = Some(v),
                    (Some(b), Some(v)) if v < b => best = Some(v),
                    _ => {}
                }
            }
            best
        }
    }
    mod let_else {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                let Some(b) = best else {
                    best = Some(x[i]);
                    continue;
                };
                if x[i] < b {
                    best = Some(x[i]);
                }
            }
            best
        }
    }
    mod continue_too {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                if let Some(b) = best {
                    if !(x[i] < b) {
                        continue;
                    }
                }
                best = Some(x[i]);
            }
            best
        }
    }
    mod unwrap {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                if best.is_none() || x[i] < best.unwrap() {
                    best = Some(x[i]);
                }
            }
            best
        }
    }
    mod inner_loop {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                for j in 0..4 {
                    let v = x[i] * j as f64;
                    match best {
                        Some(b) if !(v < b) => {}
                        _ => best = Some(v),
                    }
                }
            }
            best
        }
    }
    mod tuple_assign {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut b, mut at) = (f64::MAX, usize::MAX);
            for i in 0..x.len() {
                (b, at) = if x[i] < b { (x[i], i) } else { (b, at) };
            }
            (b, at)
        }
    }
    mod two_ifs {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut b, mut at) = (f64::MAX, usize::MAX);
            for i in 0..x.len() {
                let better = x[i] < b;
                if better {
                    b = x[i];
                }
                if better {
                    at = i;
                }
            }
            (b, at)
        }
    }
    mod value_each {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut b, mut at) = (f64::MAX, usize::MAX);
            for i in 0..x.len() {
                let better = x[i] < b;
                at = if better { i } else { at };
                b = if better { x[i] } else { b };
            }
            (b, at)
        }
    }
    mod else_too {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut b, mut at) = (i64::MAX, usize::MAX);
            for i in 0..x.len() {
                if x[i] >= b {
                } else {
                    b = x[i];
                    at = i;
                }
            }
            (b, at)
        }
    }
    mod cmp_match {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut b, mut at) = (i64::MAX, usize::MAX);
            for i in 0..x.len() {
                match x[i].cmp(&b) {
                    std::cmp::Ordering::Less => {
                        b = x[i];
                        at = i;
                    }
                    _ => {}
                }
            }
            (b, at)
        }
    }
    mod last {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut b, mut at) = (i64::MAX, usize::MAX);
            for i in 0..x.len() {
                if x[i] <= b {
                    b = x[i];
                    at = i;
                }
            }
            (b, at)
        }
    }
    mod nested {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut b, mut at) = (f64::MAX, usize::MAX);
            for i in 0..x.len() {
                if x[i] > 0.0 {
                    if x[i] < b {
                        at = i;
                        b = x[i];
                    }
                }
            }
            (b, at)
        }
    }
    mod tuple {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let mut best = (f64::MAX, 0);
            for i in 0..x.len() {
                let (b, _) = best;
                if x[i] < b {
                    best = (x[i], i);
                }
            }
            best
        }
    }
    mod tuple_if {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let mut best = (f64::MAX, 0);
            for i in 0..x.len() {
                best = if x[i] < best.0 { (x[i], i) } else { best };
            }
            best
        }
    }
    mod flag {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut b, mut at, mut first) = (0, 0, true);
            for i in 0..x.len() {
                if first {
                    b = x[i];
                    at = i;
                    first = false;
                } else if x[i] < b {
                    b = x[i];
                    at = i;
                }
            }
            (b, at)
        }
    }
    mod flag_after {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut b, mut at, mut first) = (0, 0, true);
            for i in 0..x.len() {
                if first || x[i] < b {
                    b = x[i];
                    at = i;
                }
                first = false;
            }
            (b, at)
        }
    }
    mod found {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (bool, usize) {
            let (mut found, mut at) = (false, 0);
            for i in 0..x.len() {
                if x[i] > 7 {
                    if found {
                        continue;
                    }
                    found = true;
                    at = i;
                }
            }
            (found, at)
        }
    }
    mod first_or {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            let mut at = None;
            for i in 0..x.len() {
                at = at.or_else(|| if x[i] > 7 { Some(i) } else { None });
            }
            at
        }
    }
    mod first_match {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            let mut at = None;
            for i in 0..x.len() {
                match at {
                    Some(_) => {}
                    None if x[i] > 7 => at = Some(i),
                    None => {}
                }
            }
            at
        }
    }
}
