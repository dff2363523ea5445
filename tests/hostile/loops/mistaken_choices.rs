//! Loops that decide by the best value so far about more than it, or compare by methods of their own; and panics behind a decision.

mod refused {
    mod local_set_in_a_nested_branch {
        #[forall::kary_reduce]
        fn program(x: &[i64], out: &mut [i64]) -> i64 {
            let mut best = 40;
            for i in 0..x.len() {
                let mut t = 0;
                let better = x[i] < best;
                if better {
                    best = x[i];
                    if x[i] > 2 {
                        t = 1;
                    }
                }
                out[i] = t;
            }
            best
        }
    }
    mod local_set_in_a_loop {
        #[forall::kary_reduce]
        fn program(x: &[i64], out: &mut [i64]) -> i64 {
            let mut best = 40;
            for i in 0..x.len() {
                let mut t = 0;
                let better = x[i] < best;
                if better {
                    best = x[i];
                    for j in 0..3 {
                        t += j;
                    }
                }
                out[i] = t;
            }
            best
        }
    }
    mod local_pushed {
        #[forall::kary_reduce]
        fn program(x: &[i64], out: &mut [i64]) -> i64 {
            let mut best = 40;
            for i in 0..x.len() {
                let mut t = vec![0];
                let better = x[i] < best;
                if better {
                    best = x[i];
                    t.push(1);
                }
                out[i] = t.len() as i64;
            }
            best
        }
    }
    mod local_by_an_operator {
        #[forall::kary_reduce]
        fn program(x: &[i64], out: &mut [i64]) -> i64 {
            let mut best = 40;
            for i in 0..x.len() {
                let mut t = 0;
                let better = x[i] < best;
                if better {
                    best = x[i];
                    t += 1;
                }
                out[i] = t;
            }
            best
        }
    }
    mod local_array {
        #[forall::kary_reduce]
        fn program(x: &[i64], out: &mut [i64]) -> i64 {
            let mut best = 40;
            for i in 0..x.len() {
                let mut t = [0, 0];
                let better = x[i] < best;
                if better {
                    best = x[i];
                    t[1] = 4;
                }
                out[i] = t[1];
            }
            best
        }
    }
    mod local_by_a_closure {
        #[forall::kary_reduce]
        fn program(x: &[i64], out: &mut [i64]) -> i64 {
            let mut best = 40;
            for i in 0..x.len() {
                let mut t = 0;
                let mut set = || t = 1;
                let better = x[i] < best;
                if better {
                    best = x[i];
                    set();
                }
                out[i] = t;
            }
            best
        }
    }
    mod is_none_by_value {
        trait N {
            fn is_none(self) -> bool;
        }
        impl N for Option<i64> {
            fn is_none(self) -> bool {
                match self {
                    None => true,
                    Some(v) => v > 5,
                }
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for i in 0..x.len() {
                let no = best.is_none();
                if no || x[i] < best.unwrap() {
                    best = Some(x[i]);
                }
            }
            best
        }
    }
    mod is_some_by_value {
        trait N {
            fn is_some(self) -> bool;
        }
        impl N for Option<i64> {
            fn is_some(self) -> bool {
                match self {
                    None => false,
                    Some(v) => v > 5,
                }
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for i in 0..x.len() {
                if best.is_some() {
                    continue;
                }
                if x[i] > 3 {
                    best = Some(x[i]);
                }
            }
            best
        }
    }
    mod as_ref_by_value {
        trait N {
            fn as_ref(self) -> Option<i64>;
        }
        impl N for Option<i64> {
            fn as_ref(self) -> Option<i64> {
                self.map(|v| -v)
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for i in 0..x.len() {
                let better = best.as_ref().is_none_or(|b| x[i] < b);
                if better {
                    best = Some(x[i]);
                }
            }
            best
        }
    }
    mod cmp_by_value {
        use std::cmp::Ordering;
        trait N {
            fn cmp(self, other: &i64) -> Ordering;
        }
        impl N for i64 {
            fn cmp(self, other: &i64) -> Ordering {
                (self % 7).partial_cmp(&(other % 7)).unwrap()
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for i in 0..x.len() {
                match best {
                    None => best = Some(x[i]),
                    Some(b) => match x[i].cmp(&b) {
                        Ordering::Less => best = Some(x[i]),
                        _ => {}
                    },
                }
            }
            best
        }
    }
    mod total_cmp_by_value {
        use std::cmp::Ordering;
        trait N {
            fn total_cmp(self, other: &f64) -> Ordering;
        }
        impl N for f64 {
            fn total_cmp(self, other: &f64) -> Ordering {
                (self % 7.0).partial_cmp(&(other % 7.0)).unwrap_or(Ordering::Equal)
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                match best {
                    None => best = Some(x[i]),
                    Some(b) => match x[i].total_cmp(&b) {
                        Ordering::Less => best = Some(x[i]),
                        _ => {}
                    },
                }
            }
            best
        }
    }
    mod partial_cmp_by_value {
        use std::cmp::Ordering;
        trait N {
            fn partial_cmp(self, other: &i64) -> Option<Ordering>;
        }
        impl N for i64 {
            fn partial_cmp(self, other: &i64) -> Option<Ordering> {
                Some(Ord::cmp(&(self % 7), &(other % 7)))
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for i in 0..x.len() {
                match best {
                    None => best = Some(x[i]),
                    Some(b) => {
                        if x[i].partial_cmp(&b) == Some(Ordering::Less) {
                            best = Some(x[i])
                        }
                    }
                }
            }
            best
        }
    }
    mod lt_by_value_in_an_option {
        trait N {
            fn lt(self, other: &i64) -> bool;
        }
        impl N for i64 {
            fn lt(self, other: &i64) -> bool {
                self % 7 < other % 7
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for i in 0..x.len() {
                match best {
                    None => best = Some(x[i]),
                    Some(b) => {
                        if x[i].lt(&b) {
                            best = Some(x[i])
                        }
                    }
                }
            }
            best
        }
    }
    mod bit_operator_of_ones_own {
        #[derive(Clone, Copy)]
        struct W(i64);
        impl std::ops::BitAnd<W> for bool {
            type Output = bool;
            fn bitand(self, w: W) -> bool {
                self != (w.0 > 3)
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = 40;
            for i in 0..x.len() {
                let w = W(x[i]);
                let better = (x[i] < best) & w;
                if better {
                    best = x[i];
                }
            }
            best
        }
    }
    mod running_total_behind_names {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let (mut best, mut total) = (40, 0);
            for i in 0..x.len() {
                total += x[i] & 3;
                let mut t = total;
                t += 1;
                let better = x[i] < best && t > 9;
                if better {
                    best = x[i];
                }
            }
            (best, total)
        }
    }
    mod another_name {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = 40;
            for i in 0..x.len() {
                let held = &mut best;
                let better = x[i] < *held;
                if better {
                    *held = x[i] / 2;
                }
            }
            best
        }
    }
    mod early_exit {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = 40;
            for i in 0..x.len() {
                let better = x[i] < best;
                if better {
                    best = x[i];
                    if x[i] < 3 {
                        break;
                    }
                }
            }
            best
        }
    }
}
mod right {
    mod panics_behind_a_continue {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let (mut best, mut at) = (3, 0);
            for i in 0..x.len() {
                let better = x[i] < best;
                if !better {
                    continue;
                }
                let w = 100 / (x[i] - 7);
                best = x[i];
                at = w;
            }
            (best, at)
        }
    }
    mod panics_in_a_later_chunk {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let (mut best, mut at) = (1000, 0);
            for i in 0..x.len() {
                let v = 5 + i as i64;
                if !(v < best) {
                    continue;
                }
                let w = 100 / (9 - i as i64) + x[i] - x[i];
                best = v;
                at = w;
            }
            (best, at)
        }
    }
    mod panics_behind_a_name {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let (mut best, mut at) = (1000, 0);
            for i in 0..x.len() {
                let v = 5 + i as i64;
                let better = v < best;
                let w = if better { 100 / (9 - i as i64) + x[i] - x[i] } else { 0 };
                if better {
                    best = v;
                    at = w;
                }
            }
            (best, at)
        }
    }
}
