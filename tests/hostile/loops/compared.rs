//! Values that are compared by methods.

mod right {
    mod keys_of_functions {
        fn weight(v: f64) -> f64 {
            (v * 10.0).floor()
        }
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut best, mut at) = (0.0, usize::MAX);
            for i in 0..x.len() {
                if weight(x[i]) > weight(best) {
                    best = x[i];
                    at = i;
                }
            }
            (best, at)
        }
    }
    mod unwrapped_with_nan {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                let v = if i % 50 == 3 { f64::NAN } else { x[i] };
                if best.is_none_or(|b| v.partial_cmp(&b).unwrap().is_gt()) {
                    best = Some(v);
                }
            }
            best
        }
    }
    mod expected_numbers {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<(f64, usize)> {
            let mut best: Option<(f64, usize)> = None;
            for i in 0..x.len() {
                match best {
                    None => best = Some((x[i], i)),
                    Some((b, _)) => {
                        if x[i].partial_cmp(&b).expect("numbers").is_ge() {
                            best = Some((x[i], i));
                        }
                    }
                }
            }
            best
        }
    }
    mod unwrapped_less {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<(f64, usize)> {
            let mut best: Option<(f64, usize)> = None;
            for i in 0..x.len() {
                if best.is_none() || x[i].partial_cmp(&best.unwrap().0).unwrap() == std::cmp::Ordering::Less {
                    best = Some((x[i], i));
                }
            }
            best
        }
    }
    mod options_of_floats {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best = None;
            for i in 0..x.len() {
                let v = if i % 3 == 1 { Some(f64::NAN) } else { Some(x[i]) };
                if v > best {
                    best = v;
                }
            }
            best
        }
    }
    mod whole_tuples {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let mut best = (50, 0);
            for i in 0..x.len() {
                let better = (x[i], i) < best;
                if better {
                    best = (x[i], i);
                }
            }
            best
        }
    }
    mod float_and_index {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let mut best = (f64::MAX, 0);
            for i in 0..x.len() {
                if (x[i], i) < best {
                    best = (x[i], i);
                }
            }
            best
        }
    }
    mod reversed {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = 3;
            for i in 0..x.len() {
                if x[i].cmp(&best).reverse().is_gt() {
                    best = x[i];
                }
            }
            best
        }
    }
    mod not_equal {
        use std::cmp::Ordering;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = 0;
            for i in 0..x.len() {
                if x[i].cmp(&best) != Ordering::Less {
                    best = x[i];
                }
            }
            best
        }
    }
    mod by_total_cmp {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut best, mut at) = (f64::NEG_INFINITY, 0);
            for i in 0..x.len() {
                if x[i].total_cmp(&best).is_gt() {
                    best = x[i];
                    at = i;
                }
            }
            (best, at)
        }
    }
    mod by_total_cmp_of_nan_and_zeros {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (u64, usize) {
            let (mut best, mut at) = (0.0_f64, 0);
            for i in 0..x.len() {
                let v = if i % 7 == 3 {
                    -0.0
                } else if i % 11 == 5 {
                    -f64::NAN
                } else {
                    x[i].max(0.0)
                };
                if v.total_cmp(&best).is_lt() {
                    best = v;
                    at = i;
                }
            }
            (best.to_bits(), at)
        }
    }
    mod by_total_cmp_the_last_of_equal_ones {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut best, mut at) = (f64::NEG_INFINITY, 0);
            for (i, &v) in x.iter().enumerate() {
                let v = v.round();
                if v.total_cmp(&best).is_ge() {
                    best = v;
                    at = i;
                }
            }
            (best, at)
        }
    }
    mod by_total_cmp_the_other_way_round {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut best = f64::INFINITY;
            for i in 0..x.len() {
                if std::cmp::Ordering::Greater == best.total_cmp(&x[i]) {
                    best = x[i];
                }
            }
            best
        }
    }
    mod by_cmp_and_less {
        use std::cmp::Ordering;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut least, mut at) = (i64::MAX, 0);
            for i in 0..x.len() {
                if x[i].cmp(&least) == Ordering::Less {
                    (least, at) = (x[i], i);
                }
            }
            (least, at)
        }
    }
    mod by_cmp_and_less_apart {
        use std::cmp::Ordering;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let mut least = i64::MAX;
            let mut at = 0;
            for i in 0..x.len() {
                if Ordering::Less == x[i].cmp(&least) {
                    least = x[i];
                    at = i;
                }
            }
            (least, at)
        }
    }
    mod by_lt_of_a_field {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (usize, i64) {
            let mut best = (0, 1000_i64);
            for i in 0..x.len() {
                if x[i].lt(&best.1) {
                    best = (i, x[i]);
                }
            }
            best
        }
    }
    mod by_ge_behind_a_guard {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = -1000;
            for i in 0..x.len() {
                if x[i] % 2 == 0 && x[i].ge(&best) {
                    best = x[i];
                }
            }
            best
        }
    }
    mod method_of_a_trait_for_references {
        trait Other {
            fn total_cmp(&self, other: &f64) -> std::cmp::Ordering;
        }
        impl Other for f64 {
            fn total_cmp(&self, _: &f64) -> std::cmp::Ordering {
                std::cmp::Ordering::Greater
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut best = f64::INFINITY;
            for i in 0..x.len() {
                if x[i].total_cmp(&best).is_lt() {
                    best = x[i];
                }
            }
            best
        }
    }
    mod running_by_total_cmp {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut best = f64::INFINITY;
            for i in 0..x.len() {
                if x[i].total_cmp(&best).is_lt() {
                    best = x[i];
                }
                out[i] = best;
            }
        }
    }
}

mod refused {
    mod cast_by_name {
        #[forall::kary_reduce]
        fn program(x: &[i32], y: &[f64]) -> f64 {
            let mut best = -1e30;
            for i in 0..x.len().min(y.len()) {
                let v = x[i];
                let vasf64 = y[i];
                if v as f64 > best {
                    best = vasf64;
                }
            }
            best
        }
    }
    mod marks_by_name {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let __of_v_ = 3.0;
            let mut best = 0.0_f64;
            for i in 0..x.len() {
                let v = x[i] * 2.0;
                if v + __of_v_ > best {
                    best = v + v;
                }
            }
            best
        }
    }
    mod marks_of_keys_by_name {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let __held = 3.0;
            let mut best = 0.0_f64;
            for i in 0..x.len() {
                if x[i].abs() + x[i] > best.abs() + __held {
                    best = x[i];
                }
            }
            best
        }
    }
    mod cast_by_name_of_integers {
        #[forall::kary_reduce]
        fn program(x: &[i32]) -> i64 {
            let mut best = -1_000_000_000_000_i64;
            let vasi64 = 3_i64;
            for &v in x {
                if v as i64 + 1 > best {
                    best = vasi64 + 1;
                }
            }
            best
        }
    }
    mod keys_with_casts_by_name {
        #[forall::kary_reduce]
        fn program(x: &[i32]) -> i32 {
            let mut best = 0;
            let bestasi64 = 3_i64;
            for &v in x {
                if v as i64 + bestasi64 > best as i64 + best as i64 {
                    best = v;
                }
            }
            best
        }
    }
    mod unwrapped_beside_a_number {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut best = 0.0;
            for i in 0..x.len() {
                let v = if i % 5 == 3 { f64::NAN } else { x[i] };
                if v.partial_cmp(&best).unwrap().is_gt() {
                    best = v;
                }
            }
            best
        }
    }
    mod unwrapped_in_a_scan {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut best = 0.0;
            for i in 0..x.len() {
                let v = if i % 5 == 3 { f64::NAN } else { x[i] };
                if v.partial_cmp(&best).unwrap().is_gt() {
                    best = v;
                }
                out[i] = best;
            }
        }
    }
    mod cmp_by_value_of_a_trait {
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
                if best.is_none_or(|b| x[i].cmp(&b).is_lt()) {
                    best = Some(x[i]);
                }
            }
            best
        }
    }
    mod lt_by_value_of_a_trait {
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
                if best.is_none_or(|b| x[i].lt(&b)) {
                    best = Some(x[i]);
                }
            }
            best
        }
    }
    mod partial_by_value_of_a_trait {
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
        fn program(x: &[i64]) -> i64 {
            let mut best = 40;
            for i in 0..x.len() {
                let better = x[i].partial_cmp(&best) == Some(Ordering::Less);
                if better {
                    best = x[i];
                }
            }
            best
        }
    }
    mod tuples_of_floats {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> (f64, f64) {
            let mut best = (f64::MAX, 0.0);
            for i in 0..x.len() {
                let k = x[i].floor() % 2.0;
                let w = if y[i] > 3.0 { f64::NAN } else { y[i] };
                let better = (k, w) < best;
                if better {
                    best = (k, w);
                }
            }
            best
        }
    }
    mod tuples_of_floats_direct {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> (f64, f64) {
            let mut best = (f64::MAX, 0.0);
            for i in 0..x.len() {
                let k = x[i].floor() % 2.0;
                let w = if y[i] > 3.0 { f64::NAN } else { y[i] };
                if (k, w) < best {
                    best = (k, w);
                }
            }
            best
        }
    }
    mod tuples_of_floats_in_an_option {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> Option<(f64, f64)> {
            let mut best = None;
            for i in 0..x.len() {
                let k = x[i].floor() % 2.0;
                let w = if y[i] > 3.0 { f64::NAN } else { y[i] };
                let better = match best {
                    None => true,
                    Some(b) => (k, w) < b,
                };
                if better {
                    best = Some((k, w));
                }
            }
            best
        }
    }
    mod tuples_of_floats_in_an_option_direct {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> Option<(f64, f64)> {
            let mut best = None;
            for i in 0..x.len() {
                let k = x[i].floor() % 2.0;
                let w = if y[i] > 3.0 { f64::NAN } else { y[i] };
                if best.is_none_or(|b| (k, w) < b) {
                    best = Some((k, w));
                }
            }
            best
        }
    }
    mod arrays_of_floats {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut best = [0.0, 0.0];
            for i in 0..x.len() {
                let v = [x[i].floor() % 2.0, if i % 3 == 1 { f64::NAN } else { x[i] }];
                if v > best {
                    best = v;
                }
            }
            best[1]
        }
    }
    mod best_by_a_part_that_is_a_tuple {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut best, mut at) = ((0.0, 0.0), 0);
            for i in 0..x.len() {
                let v = (x[i].floor() % 2.0, if i % 3 == 1 { f64::NAN } else { x[i] });
                if v > best {
                    best = v;
                    at = i;
                }
            }
            (best.0, at)
        }
    }
    mod method_of_a_trait_by_value {
        trait Other {
            fn total_cmp(self, other: &f64) -> std::cmp::Ordering;
        }
        impl Other for f64 {
            fn total_cmp(self, other: &f64) -> std::cmp::Ordering {
                if self as i64 % 3 == 0 {
                    std::cmp::Ordering::Greater
                } else {
                    (self + 1.0).partial_cmp(other).unwrap()
                }
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut best = f64::NEG_INFINITY;
            for i in 0..x.len() {
                if x[i].total_cmp(&best).is_gt() {
                    best = x[i];
                }
            }
            best
        }
    }
    mod cmp_of_a_trait_by_value {
        use std::cmp::Ordering;
        trait Other {
            fn cmp(self, other: &i64) -> Ordering;
        }
        impl Other for i64 {
            fn cmp(self, _: &i64) -> Ordering {
                Ordering::Greater
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = 3;
            for i in 0..x.len() {
                if x[i].cmp(&best) == Ordering::Greater {
                    best = x[i];
                }
            }
            best
        }
    }
    mod gt_of_a_blanket_trait {
        trait Other: Sized {
            fn gt(self, other: &Self) -> bool;
        }
        impl<T> Other for T {
            fn gt(self, _: &Self) -> bool {
                true
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = 3;
            for i in 0..x.len() {
                if x[i].gt(&best) {
                    best = x[i];
                }
            }
            best
        }
    }
    mod less_is_greater {
        mod order {
            #[allow(non_upper_case_globals)]
            pub const Less: std::cmp::Ordering = std::cmp::Ordering::Greater;
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut best, mut at) = (3, 0);
            for i in 0..x.len() {
                if x[i].cmp(&best) == order::Less {
                    best = x[i];
                    at = i;
                }
            }
            (best, at)
        }
    }
    mod less_of_ones_own {
        #[derive(PartialEq)]
        #[allow(dead_code)]
        enum Ordering {
            Less,
        }
        impl PartialEq<Ordering> for std::cmp::Ordering {
            fn eq(&self, _: &Ordering) -> bool {
                *self == std::cmp::Ordering::Equal
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut best, mut at) = (3, 0);
            for i in 0..x.len() {
                if x[i].cmp(&best) == Ordering::Less {
                    best = x[i];
                    at = i;
                }
            }
            (best, at)
        }
    }
    mod type_with_an_order_of_its_own {
        #[derive(Clone, Copy, PartialEq, Eq)]
        struct V(i64);
        impl PartialOrd for V {
            fn partial_cmp(&self, other: &V) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }
        impl Ord for V {
            fn cmp(&self, other: &V) -> std::cmp::Ordering {
                if (self.0 + other.0) % 3 == 0 { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater }
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = V(0);
            for i in 0..x.len() {
                if V(x[i]).cmp(&best).is_gt() {
                    best = V(x[i]);
                }
            }
            best.0
        }
    }
    mod kept_is_not_compared {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut best = 0.0;
            for i in 0..x.len() {
                if x[i].total_cmp(&best).is_gt() {
                    best = x[i] / 2.0;
                }
            }
            best
        }
    }
    mod compared_twice {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut best = 0.0;
            for i in 0..x.len() {
                if x[i].total_cmp(&best).is_gt() && x[i] < best + 3.0 {
                    best = x[i];
                }
            }
            best
        }
    }
    mod equal {
        use std::cmp::Ordering;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut best, mut at) = (3, 0);
            for i in 0..x.len() {
                if x[i].cmp(&best) == Ordering::Equal {
                    best = x[i];
                    at = i;
                }
            }
            (best, at)
        }
    }
    mod partial_cmp_unwrapped {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut best = 0.0;
            for i in 0..x.len() {
                if x[i].partial_cmp(&best).unwrap().is_gt() {
                    best = x[i];
                }
            }
            best
        }
    }
}
