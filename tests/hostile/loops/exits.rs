//! Loops that an iteration may end.

mod right {
    mod another_loop_in_order {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> i64 {
            let mut k = 0;
            #[sequential]
            for t in 0..n {
                if t % 4 == 3 {
                    break;
                }
                k += 1;
            }
            for &v in x {
                if v == k {
                    return 1;
                }
            }
            k
        }
    }
    mod a_loop_without_shares {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> i64 {
            let mut order = Vec::new();
            for t in 0..n.min(20) {
                if t % 4 == 3 {
                    break;
                }
                order.push(t as i64);
            }
            let mut s = order.len() as i64;
            for &v in x {
                if v == 3 {
                    break;
                }
                s += v;
            }
            s
        }
    }
    mod asserts {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for &v in x {
                assert!(v < 100000, "large");
                if v < 0 {
                    break;
                }
                s += v;
            }
            s
        }
    }
    mod beside_pushes {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> (Vec<i64>, i64) {
            let mut v = vec![];
            let mut s = 0;
            for &e in x {
                if e > 50 {
                    break;
                }
                s += e;
            }
            for &e in x {
                if e > 9 {
                    v.push(e);
                }
            }
            (v, s)
        }
    }
    mod before_a_map {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut end = x.len();
            for i in 0..x.len() {
                if x[i] < 0 {
                    end = i;
                    break;
                }
            }
            for i in 0..end {
                y[i] = x[i];
            }
        }
    }
    mod before_a_scan {
        #[forall::distributed_scan]
        fn program(x: &[i64], y: &mut [i64]) -> bool {
            for &v in x {
                if v == 77 {
                    return false;
                }
            }
            let mut s = 0;
            for i in 0..x.len() {
                s += x[i];
                y[i] = s;
            }
            true
        }
    }
    mod sorted {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> bool {
            let mut sorted = true;
            for w in x.windows(2) {
                if w[0] > w[1] {
                    sorted = false;
                    break;
                }
            }
            sorted
        }
    }
    mod sorted_by_return {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> bool {
            for i in 1..x.len() {
                if x[i] < x[i - 1] {
                    return false;
                }
            }
            true
        }
    }
    mod position {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            for (i, v) in x.iter().enumerate() {
                if *v == 7 {
                    return Some(i);
                }
            }
            None
        }
    }
    mod first_by_break {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut at = -1;
            for i in 0..x.len() {
                if x[i] > 90 {
                    at = i as i64;
                    break;
                }
            }
            at
        }
    }
    mod mismatch {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> usize {
            for i in 0..x.len().min(y.len()) {
                if x[i] != y[i] {
                    return i;
                }
            }
            x.len().min(y.len())
        }
    }
    mod rows {
        #[forall::kary_reduce]
        fn program(wide: &[f64], w: usize) -> bool {
            let n = wide.len() / w;
            for i in 0..n {
                for j in 0..w {
                    if wide[i * w + j] < -9.0 {
                        return false;
                    }
                }
            }
            true
        }
    }
    mod labelled {
        #[forall::kary_reduce]
        fn program(wide: &[f64], w: usize) -> Option<(usize, usize)> {
            let n = wide.len() / w;
            let mut found = None;
            'search: for i in 0..n {
                for j in 0..w {
                    if wide[i * w + j] > 9.0 {
                        found = Some((i, j));
                        break 'search;
                    }
                }
            }
            found
        }
    }
    mod behind_continue {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut found = None;
            for &v in x {
                if v % 2 == 0 {
                    continue;
                }
                if v > 50 {
                    found = Some(v);
                    break;
                }
            }
            found
        }
    }
    mod matched {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i32 {
            for &v in x {
                match v {
                    0 => return 1,
                    1..=3 => return 2,
                    _ => {}
                }
            }
            0
        }
    }
    mod two_exits {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> bool {
            let mut all = true;
            for v in x {
                if *v < 0 {
                    all = false;
                    break;
                } else if *v == 100 {
                    all = false;
                    break;
                }
            }
            all
        }
    }
    mod last_one {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            let mut at = None;
            for i in (0..x.len()).rev() {
                if x[i] == 7 {
                    at = Some(i);
                    break;
                }
            }
            at
        }
    }
    mod named_condition {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> usize {
            let mut i0 = x.len();
            for i in 0..x.len() {
                let v = x[i];
                let big = v * v > 81.0;
                if big {
                    i0 = i;
                    break;
                }
            }
            i0
        }
    }
    mod indices_inside {
        #[forall::kary_reduce]
        fn program(x: &[i64], indices: &[usize], n: usize) -> bool {
            for i in 0..n {
                let j = indices[i];
                if j >= x.len() {
                    return false;
                }
            }
            true
        }
    }
    mod would_panic_later {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> Option<usize> {
            for i in 0..n + 100 {
                if x[i] > 70 {
                    return Some(i);
                }
            }
            None
        }
    }
    mod pair {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<(usize, f64)> {
            for (i, v) in x.iter().enumerate() {
                if v.is_nan() {
                    return Some((i, *v));
                }
            }
            None
        }
    }
    mod flag_and_place {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (bool, usize) {
            let mut hit = false;
            let mut at = 0;
            for i in 0..x.len() {
                if x[i] == 5 {
                    hit = true;
                    at = i;
                    break;
                }
            }
            (hit, at)
        }
    }
    mod let_else {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            for i in 0..x.len() {
                let Some(v) = x[i].checked_mul(1 << 57) else {
                    return i as i64;
                };
                if v < 0 {
                    return -1;
                }
            }
            0
        }
    }
    mod sum_until {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for v in x {
                if *v < 0 {
                    break;
                }
                s += *v;
            }
            s
        }
    }
    mod sum_and_place {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, Option<usize>) {
            let mut s = 0;
            let mut at = None;
            for i in 0..x.len() {
                s += x[i];
                if x[i] < 0 {
                    at = Some(i);
                    break;
                }
            }
            (s, at)
        }
    }
    mod count_until {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> usize {
            let mut c = 0;
            for &v in x {
                c += 1;
                if v == 0 {
                    break;
                }
            }
            c
        }
    }
    mod equal {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> bool {
            if x.len() != y.len() {
                return false;
            }
            for i in 0..x.len() {
                if x[i] != y[i] {
                    return false;
                }
            }
            true
        }
    }
    mod sorted_rows {
        #[forall::kary_reduce]
        fn program(wide: &[f64], w: usize) -> bool {
            let n = wide.len() / w;
            for i in 0..n {
                let row = &wide[i * w..(i + 1) * w];
                for j in 1..w {
                    if row[j] < row[j - 1] {
                        return false;
                    }
                }
            }
            true
        }
    }
    mod digits {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            let mut at = None;
            for i in 0..x.len() {
                let mut v = x[i].unsigned_abs();
                let mut s = 0;
                while v > 0 {
                    s += v % 10;
                    v /= 10;
                }
                if s == 12 {
                    at = Some(i);
                    break;
                }
            }
            at
        }
    }
    mod value {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut first = 0;
            for &v in x {
                if v > 10 && v % 7 == 0 {
                    first = v;
                    break;
                }
            }
            first
        }
    }
    mod length_until {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> usize {
            let mut n = 0;
            for &v in x {
                if v == 0 {
                    break;
                }
                n += 1;
            }
            n
        }
    }
    mod energy_until {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            for &v in x {
                if v < -8.0 {
                    break;
                }
                s += v * v;
            }
            s
        }
    }
    mod flag_and_place_twice {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (bool, usize) {
            let mut ok = true;
            let mut bad = 0;
            for (i, &v) in x.iter().enumerate() {
                if v < 0 {
                    ok = false;
                    bad = i;
                    break;
                }
                if v > 95 {
                    ok = false;
                    bad = i;
                    break;
                }
            }
            (ok, bad)
        }
    }
    mod two_elements {
        #[forall::kary_reduce]
        fn program(x: &[u8]) -> Option<usize> {
            for i in 0..x.len().saturating_sub(1) {
                if x[i] == b'\r' && x[i + 1] == b'\n' {
                    return Some(i);
                }
            }
            None
        }
    }
    mod pairs {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<(usize, usize)> {
            for i in 0..x.len() {
                for j in i + 1..x.len().min(i + 9) {
                    if x[i] + x[j] == k {
                        return Some((i, j));
                    }
                }
            }
            None
        }
    }
    mod prime {
        #[forall::kary_reduce]
        fn program(n: usize) -> bool {
            if n < 2 {
                return false;
            }
            for d in 2..n {
                if d * d > n {
                    break;
                }
                if n % d == 0 {
                    return false;
                }
            }
            true
        }
    }
    mod count_and_greatest {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (usize, i64) {
            let mut n = 0;
            let mut max = 0;
            for &v in x {
                if v < 0 {
                    break;
                }
                n += 1;
                max = max.max(v);
            }
            (n, max)
        }
    }
    mod overflow_after_the_end {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0_i64;
            for i in 0..x.len() {
                if i == 5 {
                    break;
                }
                s += x[i] << (i * 3).min(62);
            }
            s
        }
    }
    mod divides {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for &v in x {
                if v == 0 {
                    break;
                }
                s += 1000 / v;
            }
            s
        }
    }
    mod greatest {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut m = f64::NEG_INFINITY;
            for &v in x {
                if v.is_nan() || v < -9.0 {
                    break;
                }
                m = m.max(v);
            }
            m
        }
    }
    mod best {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut best, mut at) = (i64::MIN, 0);
            for i in 0..x.len() {
                if x[i] == 13 {
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
    mod two_loops {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> i64 {
            for &v in x {
                if v == 77 {
                    return -1;
                }
            }
            let mut s = 0;
            for &v in y {
                if v < 0 {
                    break;
                }
                s += v;
            }
            s
        }
    }
    mod reversed {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for i in (0..x.len()).rev() {
                if x[i] == 7 {
                    break;
                }
                s += x[i];
            }
            s
        }
    }
}
