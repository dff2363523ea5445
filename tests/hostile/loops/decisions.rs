//! Statements that decide whether a variable is set.

mod refused {
    mod number_typed_by_its_name {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> f64 {
            let mut sum = 0;
            for _i in 0..x.len() {
                let next: u64 = sum + 1_000_000_000;
                sum = next;
            }
            sum as f64
        }
    }
    mod arm_behind_the_same_case {
        use std::cmp::Ordering;
        #[forall::kary_reduce]
        #[allow(unreachable_patterns)]
        fn program(x: &[i64]) -> i64 {
            let mut best = 5;
            for i in 0..x.len() {
                let v = x[i];
                match v.cmp(&best) {
                    Ordering::Less => {}
                    Ordering::Less => best = v,
                    _ => {}
                }
            }
            best
        }
    }
    mod counts_behind_a_continue {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut best, mut changes) = (f64::MIN, 0);
            for i in 0..x.len() {
                if x[i] <= best {
                    continue;
                }
                best = x[i];
                changes += 1;
            }
            (best, changes)
        }
    }
    mod counts_before_a_continue {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut best, mut worse) = (f64::MIN, 0);
            for i in 0..x.len() {
                if x[i] <= best {
                    worse += 1;
                    continue;
                }
                best = x[i];
            }
            (best, worse)
        }
    }
    mod writes_behind_a_continue {
        #[forall::kary_reduce]
        fn program(x: &[f64], out: &mut [f64]) -> f64 {
            let mut best = f64::MIN;
            for i in 0..x.len() {
                if x[i] <= best {
                    continue;
                }
                best = x[i];
                out[i] = 1.0;
            }
            best
        }
    }
    mod keeps_another_value {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut best = f64::MIN;
            for i in 0..x.len() {
                if x[i] <= best {
                    continue;
                }
                best = x[i] - 1.0;
            }
            best
        }
    }
    mod two_conditions_on_two_states {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> (f64, f64) {
            let (mut a, mut b) = (f64::MIN, f64::MAX);
            for i in 0..x.len() {
                if x[i] <= a || y[i] >= b {
                    continue;
                }
                a = x[i];
                b = y[i];
            }
            (a, b)
        }
    }
    mod condition_of_an_earlier_value {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut best = f64::MIN;
            for i in 0..x.len() {
                let better = x[i] > best;
                best = 0.5 * best;
                if better {
                    best = x[i];
                }
            }
            best
        }
    }
    mod the_best_before {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, f64) {
            let (mut best, mut second) = (f64::MIN, f64::MIN);
            for i in 0..x.len() {
                let held = best;
                if x[i] > held {
                    best = x[i];
                    second = held;
                }
            }
            (best, second)
        }
    }
    mod condition_that_decides_twice {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut best, mut changes) = (f64::MIN, 0usize);
            for i in 0..x.len() {
                let better = x[i] > best;
                if better {
                    best = x[i];
                }
                if better {
                    changes += 1;
                }
            }
            (best, changes)
        }
    }
    mod sum_of_an_earlier_value {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut sum = 0.0;
            for i in 0..x.len() {
                let next = sum + x[i];
                sum = x[i];
                sum = next * sum;
            }
            sum
        }
    }
    mod other_case_changes_it_too {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = 0;
            for i in 0..x.len() {
                match x[i].cmp(&best) {
                    std::cmp::Ordering::Greater => best = x[i],
                    std::cmp::Ordering::Less => best -= 1,
                    std::cmp::Ordering::Equal => {}
                }
            }
            best
        }
    }
    mod different_from_the_last {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut last, mut at) = (0, 0);
            for i in 0..x.len() {
                match x[i].cmp(&last) {
                    std::cmp::Ordering::Equal => {}
                    _ => {
                        last = x[i];
                        at = i + at;
                    }
                }
            }
            (last, at)
        }
    }
    mod value_that_changes_in_between {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, f64) {
            let (mut best, mut k) = (f64::MIN, 0.0);
            for i in 0..x.len() {
                let mut v = x[i];
                let better = v > best;
                let w = {
                    v += 1.0;
                    v
                };
                if better {
                    best = v;
                    k = w;
                }
            }
            (best, k)
        }
    }
    mod flag_that_stays {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, bool) {
            let (mut best, mut first) = (0.0, true);
            for i in 0..x.len() {
                if first || x[i] > best {
                    best = x[i];
                    first = x[i] < 0.5;
                }
            }
            (best, first)
        }
    }
    mod flag_that_is_set_back {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, bool) {
            let (mut best, mut first) = (0.0, true);
            for i in 0..x.len() {
                if x[i] < 0.0 {
                    first = true;
                }
                if first || x[i] > best {
                    best = x[i];
                    first = false;
                }
            }
            (best, first)
        }
    }
    mod flag_for_another_purpose {
        #[forall::kary_reduce]
        fn program(x: &[f64], on: &[bool]) -> f64 {
            let mut best = 0.0;
            for i in 0..x.len() {
                if on[i] || x[i] > best {
                    best = x[i];
                }
            }
            best
        }
    }
    mod least_of_other_values_in_an_option {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                best = Some(best.map_or(y[i], |b| b.min(x[i])));
            }
            best
        }
    }
    mod instead_of_none_is_another_value_each_time {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                best = Some(best.unwrap_or(y[i]).min(x[i]));
            }
            best
        }
    }
    mod mean_in_an_option {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut mean: Option<f64> = None;
            for i in 0..x.len() {
                mean = Some(mean.map_or(x[i], |m| 0.5 * (m + x[i])));
            }
            mean
        }
    }
    mod greatest_in_an_option_of_others {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            struct Odd(f64);
            impl Odd {
                fn max(self, other: f64) -> Odd {
                    Odd(self.0 - other)
                }
            }
            let mut best: Option<Odd> = None;
            for i in 0..x.len() {
                best = Some(best.map_or(Odd(x[i]), |b| b.max(x[i])));
            }
            best.map(|b| b.0)
        }
    }
    mod maximum_of_those_that_go_on {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut most = 0;
            for i in 0..x.len() {
                if i % 10 == 0 {
                    most = 0;
                }
                if x[i] > most {
                    let Some(_) = x[i].checked_rem(x[i] % 3) else { continue };
                    most = x[i];
                }
                out[i] = most;
            }
        }
    }
}

mod right {
    mod guard_with_an_effect {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let (mut best, mut tests) = (i64::MIN, 0);
            for i in 0..x.len() {
                match x[i] {
                    v if {
                        tests += v;
                        v > best
                    } =>
                    {
                        best = v
                    }
                    _ => {}
                }
            }
            (best, tests)
        }
    }
    mod both_some_and_none {
        #[derive(Clone, Copy)]
        struct Both;
        impl Both {
            fn is_some(&self) -> bool {
                true
            }
            fn is_none(&self) -> bool {
                true
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let both = Both;
            let mut best = 5;
            for i in 0..x.len() {
                let v = x[i];
                if both.is_some() || v <= best {
                } else {
                    best = v;
                }
            }
            best
        }
    }
    mod flag_for_the_first {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize, bool) {
            let (mut least, mut at, mut first) = (0.0, 0, true);
            for i in 0..x.len() {
                let v = x[i].sqrt();
                if first || v < least {
                    least = v;
                    at = i;
                    first = false;
                }
            }
            (least, at, first)
        }
    }
    mod flag_for_one_that_was_found {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (i64, bool) {
            let (mut most, mut found) = (100, false);
            for i in 0..x.len() {
                if y[i] % 3 != 0 && (x[i] > most || !found) {
                    most = x[i];
                    found = true;
                }
            }
            (most, found)
        }
    }
    mod flag_in_a_scan {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut least, mut first) = (0, true);
            for i in 0..x.len() {
                if first || x[i] < least {
                    least = x[i];
                    first = false;
                }
                out[i] = least;
            }
        }
    }
    mod greatest_in_an_option {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (Option<f64>, Option<f64>) {
            let (mut most, mut least) = (None, None);
            for i in 0..x.len() {
                let v = x[i].sqrt();
                most = Some(most.map_or(v, |m: f64| m.max(v)));
                if x[i] > 0.3 {
                    least = Some(match least {
                        Some(l) => v.min(l),
                        None => v,
                    });
                }
            }
            (most, least)
        }
    }
    mod chosen_in_an_option {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (Option<i64>, Option<i64>) {
            let (mut most, mut least) = (None, Some(3));
            for i in 0..x.len() {
                most = match most {
                    None => Some(x[i]),
                    Some(m) => Some(if x[i] > m { x[i] } else { m }),
                };
                let lower = match least {
                    Some(l) if l <= x[i] => l,
                    _ => x[i],
                };
                least = Some(lower);
            }
            (most, least)
        }
    }
    mod least_instead_of_none {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (Option<f64>, Option<f64>) {
            let (mut most, mut other): (Option<f64>, Option<f64>) = (None, Some(0.25));
            for i in 0..x.len() {
                if x[i] > most.unwrap_or(0.5) {
                    most = Some(x[i]);
                }
                other = Some(other.unwrap_or(0.5).max(x[i]));
            }
            (most, other)
        }
    }
    mod leaves_the_iteration {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut best, mut at) = (f64::MIN, 0);
            for i in 0..x.len() {
                let v = x[i];
                if v <= best {
                    continue;
                }
                best = v;
                at = i;
            }
            (best, at)
        }
    }
    mod leaves_it_for_what_compares_with_nothing {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut best, mut at) = (f64::MIN, 0);
            for i in 0..x.len() {
                let v = x[i].sqrt();
                if v <= best {
                    continue;
                }
                best = v;
                at = i;
            }
            (best, at)
        }
    }
    mod starts_from_a_better_value {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut best, mut at) = (1e6, 0);
            for i in 0..x.len() {
                let v = x[i].sqrt();
                if v <= best {
                    continue;
                }
                best = v;
                at = i;
            }
            (best, at)
        }
    }
    mod has_an_empty_branch {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut best, mut at) = (i64::MIN, 0);
            for i in 0..x.len() {
                if x[i] <= best {
                } else {
                    best = x[i];
                    at = i;
                }
            }
            (best, at)
        }
    }
    mod has_deeper_conditions {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (i64, usize) {
            let (mut best, mut at) = (i64::MAX, 0);
            for i in 0..x.len() {
                if y[i] < 0 {
                } else if x[i] % 2 == 0 {
                    if x[i] < best {
                        best = x[i];
                        at = i;
                    }
                }
            }
            (best, at)
        }
    }
    mod names_the_condition {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut best, mut at) = (f64::MIN, 0);
            for i in 0..x.len() {
                let better = x[i] > best;
                best = if better { x[i] } else { best };
                at = if better { i } else { at };
            }
            (best, at)
        }
    }
    mod chooses_a_pair {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut best, mut at) = (f64::MIN, 0);
            for i in 0..x.len() {
                (best, at) = if x[i] > best { (x[i], i) } else { (best, at) };
            }
            (best, at)
        }
    }
    mod matches_the_value {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut best = f64::MIN;
            for i in 0..x.len() {
                match x[i] {
                    v if v > best => best = v,
                    _ => {}
                }
            }
            best
        }
    }
    mod matches_the_order {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut best, mut at) = (i64::MIN, 0);
            for i in 0..x.len() {
                match x[i].cmp(&best) {
                    std::cmp::Ordering::Less | std::cmp::Ordering::Equal => {}
                    std::cmp::Ordering::Greater => {
                        best = x[i];
                        at = i;
                    }
                }
            }
            (best, at)
        }
    }
    mod names_the_next_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, f64) {
            let (mut sum, mut other) = (0.0, 1.0);
            for i in 0..x.len() {
                let next = sum + x[i];
                sum = next;
                let held = other;
                other = held + 2.0 * x[i];
            }
            (sum, other)
        }
    }
    mod index_of_the_best_element {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (usize, usize) {
            let (mut most, mut least) = (0, 0);
            for i in 0..x.len() {
                most = if x[i] > x[most] { i } else { most };
                if x[i] >= x[least] {
                    continue;
                }
                least = i;
            }
            (most, least)
        }
    }
    mod maximum_that_starts_afresh {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut most = 0;
            for i in 0..x.len() {
                if i % 10 == 0 {
                    most = 0;
                }
                if x[i] > most {
                    most = x[i];
                }
                out[i] = most;
            }
        }
    }
}
