//! Best values and matches where a special value says that there are none yet; ties; and values in parts.

mod right {
    mod first_match_by_max {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> usize {
            let mut k = usize::MAX;
            for i in 0..x.len() {
                if x[i] > 0.0 && k == usize::MAX {
                    k = i;
                }
            }
            k
        }
    }
    mod first_match_by_sign {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> isize {
            let mut k = -1isize;
            for i in 0..x.len() {
                if x[i] > 0.0 && k < 0 {
                    k = i as isize;
                }
            }
            k
        }
    }
    mod first_match_by_minus_one {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> isize {
            let mut k = -1;
            for i in 0..x.len() {
                if k == -1 && x[i] > 0.0 {
                    k = i as isize;
                }
            }
            k
        }
    }
    mod ties_by_another_array {
        #[forall::kary_reduce]
        fn program(x: &[i64], id: &[u32]) -> (i64, u32) {
            let mut m = i64::MIN;
            let mut k = u32::MAX;
            for i in 0..x.len() {
                if x[i] > m || (x[i] == m && id[i] < k) {
                    m = x[i];
                    k = id[i];
                }
            }
            (m, k)
        }
    }
    mod ties_by_the_place {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let mut m = f64::MIN;
            let mut k = usize::MAX;
            for i in 0..x.len() {
                if x[i] > m || x[i] == m && i < k {
                    m = x[i];
                    k = i;
                }
            }
            (m, k)
        }
    }
    mod pairs_compared {
        #[forall::kary_reduce]
        fn program(x: &[i64], id: &[u32]) -> (i64, u32) {
            let mut m = i64::MAX;
            let mut k = 0u32;
            for i in 0..x.len() {
                if (x[i], id[i]) < (m, k) {
                    m = x[i];
                    k = id[i];
                }
            }
            (m, k)
        }
    }
    mod no_place_yet {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, isize) {
            let mut m = 0.0;
            let mut k = -1isize;
            for i in 0..x.len() {
                if k < 0 || x[i] > m {
                    m = x[i];
                    k = i as isize;
                }
            }
            (m, k)
        }
    }
    mod no_place_yet_among_some {
        #[forall::kary_reduce]
        fn program(x: &[f64], ok: &[bool]) -> (f64, usize) {
            let mut m = 0.0;
            let mut k = usize::MAX;
            for i in 0..x.len() {
                if ok[i] && (k == usize::MAX || x[i] > m) {
                    m = x[i];
                    k = i;
                }
            }
            (m, k)
        }
    }
    mod no_place_yet_by_a_length {
        #[forall::kary_reduce]
        fn program(x: &[f64], n: usize) -> (f64, usize) {
            let mut m = 0.0;
            let mut k = n;
            for i in 0..x.len() {
                if k == n || m < x[i] {
                    m = x[i];
                    k = i;
                }
            }
            (m, k)
        }
    }
    mod matches_that_continue {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> i64 {
            let mut k = -1i64;
            for i in 0..x.len() {
                if x[i] > 3.0 {
                    if k >= 0 {
                        continue;
                    }
                    k = i as i64;
                }
            }
            k
        }
    }
    mod no_value_yet_by_its_own {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = i64::MIN;
            let mut k = 0;
            for i in 0..x.len() {
                if m == i64::MIN || x[i] < m {
                    m = x[i];
                    k = i;
                }
            }
            m + k as i64
        }
    }
    mod ties_with_a_place {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (i64, i64, usize) {
            let (mut a, mut b, mut k) = (i64::MAX, i64::MAX, 0);
            for i in 0..x.len() {
                if x[i] < a || x[i] == a && y[i] < b {
                    (a, b, k) = (x[i], y[i], i);
                }
            }
            (a, b, k)
        }
    }
    mod ties_that_continue {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (i64, i64, usize) {
            let (mut a, mut b, mut k) = (i64::MAX, i64::MAX, 0);
            for i in 0..x.len() {
                if x[i] > a {
                    continue;
                }
                if x[i] == a && y[i] >= b {
                    continue;
                }
                a = x[i];
                b = y[i];
                k = i;
            }
            (a, b, k)
        }
    }
    mod ties_by_a_match {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (i64, i64, usize) {
            let (mut a, mut b, mut k) = (i64::MAX, i64::MAX, 0);
            for i in 0..x.len() {
                match x[i].cmp(&a) {
                    std::cmp::Ordering::Less => {
                        a = x[i];
                        b = y[i];
                        k = i;
                    }
                    std::cmp::Ordering::Equal if y[i] < b => {
                        b = y[i];
                        k = i;
                    }
                    _ => {}
                }
            }
            (a, b, k)
        }
    }
    mod a_sum_in_a_block {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for i in 0..x.len() {
                s = {
                    let v = x[i];
                    if v > 0.0 { s + v } else { s }
                };
            }
            s
        }
    }
    mod two_sums_chosen {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, f64) {
            let (mut p, mut q) = (0.0, 0.0);
            for i in 0..x.len() {
                (p, q) = if x[i] > 0.0 { (p + x[i], q) } else { (p, q + x[i]) };
            }
            (p, q)
        }
    }
    mod a_pair_of_sums {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let mut s = (0.0, 0);
            for i in 0..x.len() {
                s = (s.0 + x[i], s.1 + 1);
            }
            s
        }
    }
    mod a_pair_of_extrema {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, f64) {
            let mut r = (f64::MAX, f64::MIN);
            for &v in x {
                r = (r.0.min(v), r.1.max(v));
            }
            r
        }
    }
    mod three_members {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, f64, usize) {
            let mut s = (0.0, f64::MIN, 0);
            for &v in x {
                s = (s.0 + v, s.1.max(v), if v > 0.0 { s.2 + 1 } else { s.2 });
            }
            s
        }
    }
    mod a_flag_cleared_at_the_end {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut m = 0.0;
            let mut first = true;
            for i in 0..x.len() {
                if first {
                    m = x[i];
                } else if x[i] > m {
                    m = x[i];
                }
                first = false;
            }
            m
        }
    }
    mod a_flag_with_a_place {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let mut m = 0.0;
            let mut k = 0;
            let mut first = true;
            for i in 0..x.len() {
                if first {
                    m = x[i];
                    k = i;
                } else if x[i] > m {
                    m = x[i];
                    k = i;
                }
                first = false;
            }
            (m, k)
        }
    }
    mod sums_by_key {
        #[forall::distributed_scan]
        fn program(x: &[f64], k: &[u32], o: &mut [f64]) {
            let mut v = 0.0f64;
            let mut last = u32::MAX;
            for i in 0..x.len() {
                if k[i] != last {
                    v = 0.0;
                    last = k[i];
                }
                v += x[i];
                o[i] = v;
            }
        }
    }
    mod keys_counted {
        #[forall::distributed_scan]
        fn program(x: &[f64], k: &[u32], o: &mut [usize]) {
            let mut n = 0;
            let mut last = 0;
            for i in 0..x.len() {
                if last != k[i] {
                    n += 1;
                    last = k[i];
                }
                o[i] = n;
            }
        }
    }
    mod a_clamp_of_branches {
        #[forall::distributed_scan]
        fn program(x: &[f64], o: &mut [f64]) {
            let mut v = 0.0f64;
            for i in 0..x.len() {
                v += x[i];
                if v < 0.0 {
                    v = 0.0;
                } else if v > 1.0 {
                    v = 1.0;
                }
                o[i] = v;
            }
        }
    }
    mod a_clamp_from_above {
        #[forall::distributed_scan]
        fn program(x: &[f64], o: &mut [f64]) {
            let mut v = 0.0f64;
            for i in 0..x.len() {
                v += x[i];
                if v > 1.0 {
                    v = 1.0;
                } else if v < -1.0 {
                    v = -1.0;
                }
                o[i] = v;
            }
        }
    }
    mod a_place_that_says_there_is_none {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let mut m = 0.0;
            let mut k = 3;
            for i in 0..x.len() {
                if k == 3 || x[i] > m {
                    m = x[i];
                    k = i;
                }
            }
            (m, k)
        }
    }
    mod a_value_before_the_loop {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let mut m = 2;
            let mut k = 7;
            for i in 0..x.len() {
                if k == 0 || x[i] > m {
                    m = x[i];
                    k = i % 4;
                }
            }
            (m, k)
        }
    }
    mod matches_that_say_there_is_none {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut k = -1;
            for i in 0..x.len() {
                if k < 0 {
                    k = x[i] - 3;
                }
            }
            k
        }
    }
    mod matches_equal_to_the_mark {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut k = 5;
            for i in 0..x.len() {
                if k == 5 && i % 3 == 1 {
                    k = x[i];
                }
            }
            k
        }
    }
    mod ties_of_values_that_do_not_compare {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[u32]) -> (f64, u32) {
            let (mut m, mut b) = (0.0, 9);
            for i in 0..x.len() {
                let v = (x[i] - 1.0).sqrt();
                if v > m || v == m && y[i] < b {
                    m = v;
                    b = y[i];
                }
            }
            (m, b)
        }
    }
    mod later_ties {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (i64, i64, usize) {
            let (mut m, mut b, mut k) = (0, 9, 0);
            for i in 0..x.len() {
                if x[i] > m || x[i] == m && y[i] <= b {
                    m = x[i];
                    b = y[i];
                    k = i;
                }
            }
            (m, b, k)
        }
    }
    mod a_tie_that_does_not_matter {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (i64, i64, usize) {
            let (mut m, mut b, mut k) = (0, 9, 0);
            for i in 0..x.len() {
                if x[i] >= m || x[i] == m && y[i] < b {
                    m = x[i];
                    b = y[i];
                    k = i;
                }
            }
            (m, b, k)
        }
    }
    mod a_computed_key {
        #[forall::distributed_scan]
        fn program(x: &[i64], o: &mut [i64]) {
            let mut v = 0;
            let mut last = 0;
            for i in 0..x.len() {
                let key = x[i] / 2;
                if key != last {
                    last = key;
                    v = 0;
                }
                v += x[i];
                o[i] = v;
            }
        }
    }
    mod zero_says_there_is_none {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut m = 0.0;
            for i in 0..x.len() {
                if m == 0.0 || x[i] < m {
                    m = x[i];
                }
            }
            m
        }
    }
    mod zero_of_integers_says_there_is_none {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                if m == 0 || x[i] < m {
                    m = x[i];
                }
            }
            m
        }
    }
    mod a_written_array {
        #[forall::kary_reduce]
        fn program(x: &[f64], o: &mut [f64]) -> (f64, isize) {
            let mut m = 0.0;
            let mut k = -1isize;
            for i in 0..x.len() {
                o[i] = x[i] * 2.0;
                if k < 0 || x[i] > m {
                    m = x[i];
                    k = i as isize;
                }
            }
            (m, k)
        }
    }
    mod keys_that_do_not_compare {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, isize) {
            let mut m = 0.0;
            let mut k = -1isize;
            for i in 0..x.len() {
                let v = (x[i] - 1.0).ln();
                if k == -1 || v > m {
                    m = v;
                    k = i as isize;
                }
            }
            (m, k)
        }
    }
    mod an_exit {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> isize {
            let mut k = -1isize;
            for i in 0..x.len() {
                if x[i] > 1e9 {
                    break;
                }
                if k == -1 && x[i] > 0.5 {
                    k = i as isize;
                }
            }
            k
        }
    }
    mod bytes {
        #[forall::kary_reduce]
        fn program(x: &[u8]) -> u8 {
            let mut m = 0u8;
            for &v in x {
                if m == 0 || v < m {
                    m = v;
                }
            }
            m
        }
    }
    mod roots_that_do_not_compare {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let (mut m, mut k) = (0.0, usize::MAX);
            for (i, &v) in x.iter().enumerate() {
                if k == usize::MAX || (v - 2.0).sqrt() > m {
                    m = (v - 2.0).sqrt();
                    k = i;
                }
            }
            (m, k)
        }
    }
    mod a_member_of_a_block {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let mut s = (0i64, 0i64);
            for i in 0..x.len() {
                s = (s.0 + x[i], { s.1.max(x[i]) });
            }
            s
        }
    }

    mod a_match_that_leaves_the_mark {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let (mut v, mut c) = (0, 0usize);
            for i in 0..x.len() {
                if i == 0 && 0 == c {
                    v = 1;
                    c = i;
                }
            }
            v
        }
    }
    mod matches_that_leave_the_mark {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut v, mut c) = (0, 1usize);
            for i in 0..x.len() {
                if x[i] > 3 && c == 1 {
                    v = x[i];
                    c = i % 3;
                }
            }
            (v, c)
        }
    }
    mod not_a_number_until_the_first {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut m = f64::NAN;
            for &v in x {
                if m.is_nan() || v > m {
                    m = v;
                }
            }
            m
        }
    }
    mod not_a_number_with_a_place {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            let mut m = f64::NAN;
            let mut k = 0;
            for i in 0..x.len() {
                if m.is_nan() || x[i] < m {
                    m = x[i];
                    k = i;
                }
            }
            (m, k)
        }
    }
    mod not_a_number_is_left_out {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut m = f64::NAN;
            for &v in x {
                if v.is_nan() {
                    continue;
                }
                if m.is_nan() || v > m {
                    m = v;
                }
            }
            m
        }
    }
    mod not_a_number_until_the_first_match {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut m = f64::NAN;
            for &v in x {
                if m.is_nan() && v > 0.5 {
                    m = v;
                }
            }
            m
        }
    }
    mod not_a_number_by_branches {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut m = f64::NAN;
            for &v in x {
                if m.is_nan() {
                    m = v;
                } else if m < v {
                    m = v;
                }
            }
            m
        }
    }
    mod a_number_to_begin_with {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut m: f64 = 0.25;
            for &v in x {
                if m.is_nan() || v > m {
                    m = v;
                }
            }
            m
        }
    }
    mod another_one_is_not_a_number {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> (f64, f64) {
            let mut m = f64::NAN;
            let mut w: f64 = 0.0;
            for i in 0..x.len() {
                if w.is_nan() || x[i] > m {
                    m = x[i];
                    w = y[i];
                }
            }
            (m, w)
        }
    }
    mod one_beside_is_not_a_number {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> (f64, f64) {
            let mut m = -1.0;
            let mut w = f64::NAN;
            for i in 0..x.len() {
                if w.is_nan() || x[i] > m {
                    m = x[i];
                    w = y[i];
                }
            }
            (m, w)
        }
    }
    mod a_match_beside_not_a_number {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> f64 {
            let mut w = f64::NAN;
            for i in 0..x.len() {
                if w.is_nan() && x[i] > 0.0 {
                    w = y[i];
                }
            }
            w
        }
    }
    mod both_ends_are_not_numbers {
        #[forall::kary_reduce]
        fn program(x: &[f32]) -> (f32, f32) {
            let mut lo = f32::NAN;
            let mut hi = f32::NAN;
            for &v in x {
                if lo.is_nan() || v < lo {
                    lo = v;
                }
                if hi.is_nan() || v > hi {
                    hi = v;
                }
            }
            (lo, hi)
        }
    }
}
