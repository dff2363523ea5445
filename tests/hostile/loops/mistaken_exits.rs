//! Loops that an iteration may end, and that leave more than accumulated values, or whose exits depend on the values before.

mod refused {
    mod the_best_decides_through_a_name {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = 40;
            for i in 0..x.len() {
                let better = x[i] < best;
                if better {
                    best = x[i];
                    if i % 7 == 0 {
                        break;
                    }
                }
            }
            best
        }
    }
    mod the_best_decides {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut best, mut at) = (i64::MIN, 0);
            for i in 0..x.len() {
                if x[i] > best {
                    best = x[i];
                    at = i;
                    if i % 5 == 3 {
                        break;
                    }
                }
            }
            (best, at)
        }
    }
    mod not_better_ends {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut best, mut at) = (i64::MIN, 0);
            for i in 0..x.len() {
                if x[i] <= best {
                    break;
                }
                best = x[i];
                at = i;
            }
            (best, at)
        }
    }
    mod held_ends {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut o: Option<i64> = None;
            for i in 0..x.len() {
                if o.is_none() && x[i] > 20 {
                    o = Some(x[i]);
                } else if o.is_some() {
                    break;
                }
            }
            o
        }
    }
    mod held_ends_a_sum {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (Option<i64>, i64) {
            let mut o: Option<i64> = None;
            let mut s = 0;
            for i in 0..x.len() {
                if o.is_none() {
                    if x[i] > 20 {
                        o = Some(x[i]);
                    }
                } else {
                    break;
                }
                s += x[i];
            }
            (o, s)
        }
    }
    mod continue_by_the_best {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                let w = m;
                m = m.max(x[i]);
                if x[i] > w {
                    continue;
                }
                if i % 3 == 1 {
                    break;
                }
            }
            m
        }
    }
    mod a_closure_reads_the_best {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut best, mut at) = (i64::MIN, 0);
            for i in 0..x.len() {
                let stop = |v: i64| v > best;
                if stop(x[i]) && i % 5 == 3 {
                    break;
                }
                if x[i] > best {
                    best = x[i];
                    at = i;
                }
            }
            (best, at)
        }
    }
    mod a_counter_of_the_iteration {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let mut pair = (i64::MIN, 0);
            for i in 0..x.len() {
                let mut t = 0;
                if x[i] > pair.0 {
                    pair = (x[i], i);
                    t += 1;
                }
                if t > 0 && i % 5 == 3 {
                    break;
                }
            }
            pair
        }
    }
    mod a_value_of_a_branch {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let mut pair = (i64::MIN, 0);
            for i in 0..x.len() {
                let t = if x[i] > pair.0 {
                    pair = (x[i], i);
                    1
                } else {
                    0
                };
                if t > 0 && i % 5 == 3 {
                    break;
                }
            }
            pair
        }
    }
    mod matched_with_the_first {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (Option<usize>, i64) {
            let mut at = None;
            let mut s = 0;
            for i in 0..x.len() {
                let first = at.is_none() && x[i] > 40;
                if first {
                    at = Some(i);
                }
                match (first, i % 3) {
                    (true, 1) => break,
                    _ => s += 1,
                }
            }
            (at, s)
        }
    }
    mod set_by_a_function {
        fn set(f: &mut bool, v: bool) {
            *f = v;
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = 0;
            for i in 0..x.len() {
                let mut f = false;
                if x[i] > best {
                    best = x[i];
                    set(&mut f, true);
                }
                if f && i % 4 == 1 {
                    break;
                }
            }
            best
        }
    }
    mod returns_the_best {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = 0;
            for i in 0..x.len() {
                for j in 0..2 {
                    if x[i] + j > best {
                        best = x[i] + j;
                        if i % 4 == 1 {
                            return best;
                        }
                    }
                }
            }
            best
        }
    }
    mod a_loop_inside {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = 0;
            'l: for i in 0..x.len() {
                'm: loop {
                    if x[i] > best {
                        best = x[i];
                        break 'm;
                    }
                    if i % 4 == 1 {
                        break 'l;
                    }
                    break;
                }
            }
            best
        }
    }
    mod a_flag_so_far {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            let mut hit = false;
            for &v in x {
                hit |= v > 60;
                if hit {
                    break;
                }
                s += v;
            }
            s
        }
    }
    mod a_count_so_far {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            let mut c = 0;
            for &v in x {
                c += 1;
                if c > 5 {
                    break;
                }
                s += v;
            }
            s + c
        }
    }
    mod a_sum_so_far {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for &v in x {
                if s > 100 {
                    break;
                }
                s += v;
            }
            s
        }
    }
    mod the_element_before {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            let mut before = 0;
            for &v in x {
                if before > v {
                    break;
                }
                before = v;
                s += 1;
            }
            s
        }
    }
    mod a_macro_of_the_user {
        macro_rules! pass {
            ($e:expr) => {
                $e
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for &v in x {
                if v < 0 {
                    break;
                }
                s += pass!(v);
            }
            s
        }
    }
    mod a_macro_that_breaks {
        macro_rules! stop {
            () => {
                break
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for &v in x {
                if v == 7 {
                    break;
                }
                if v < 0 {
                    stop!();
                }
                s += v;
            }
            s
        }
    }
    mod another_name_for_the_sum {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for &v in x {
                let t = &mut s;
                if v == 7 {
                    break;
                }
                *t = *t / 2 + v;
            }
            s
        }
    }
    mod another_name_for_the_array {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &mut [i64]) -> i64 {
            let mut s = 0;
            let z = y;
            for i in 0..x.len() {
                z[i] = x[i];
                if x[i] == 7 {
                    break;
                }
                s += 1;
            }
            s
        }
    }
    mod writes {
        #[forall::foreach]
        fn program(x: &mut [i64]) {
            for v in x.iter_mut() {
                if *v < 0 {
                    break;
                }
                *v = 0;
            }
        }
    }
    mod pushes {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut out = vec![];
            for v in x {
                if *v < 0 {
                    break;
                }
                out.push(*v);
            }
            out
        }
    }
    mod writes_and_returns {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &mut [i64]) -> bool {
            for i in 0..x.len() {
                y[i] = x[i];
                if x[i] < 0 {
                    return true;
                }
            }
            false
        }
    }
    mod last_value_and_return {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (usize, bool) {
            let mut seen = 0;
            for i in 0..x.len() {
                seen = i;
                if x[i] < 0 {
                    return (seen, true);
                }
            }
            (seen, false)
        }
    }
    mod returns_the_sum_so_far {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = i64::MIN;
            for &v in x {
                if v == 0 {
                    return m;
                }
                m = m.max(v);
            }
            m
        }
    }
    mod sum_or_mark {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut total = 0;
            for i in 0..x.len() {
                if x[i] < 0 {
                    total = -1;
                    break;
                }
                total += x[i];
            }
            total
        }
    }
    mod histogram {
        #[forall::kary_reduce]
        fn program(x: &[i64], bins: &mut [u64]) -> bool {
            for &v in x {
                if v < 0 {
                    return false;
                }
                bins[(v % 64) as usize] += 1;
            }
            true
        }
    }
    mod returns_another_type {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> std::cmp::Ordering {
            for (a, b) in x.iter().zip(y) {
                match a.cmp(b) {
                    std::cmp::Ordering::Equal => {}
                    other => return other,
                }
            }
            x.len().cmp(&y.len())
        }
    }
}
