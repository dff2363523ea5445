//! Scans whose iterations read the best values so far, in many spellings.

mod refused {
    mod early_exit {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let (mut lo, mut t) = (0.0, 0.0);
            for i in 0..x.len() {
                if x[i] < lo {
                    lo = x[i];
                    if t > 3.0 {
                        continue;
                    }
                    t += 1.0;
                }
                out[i] = lo + t;
            }
        }
    }
    mod decides_through_another_name {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let (mut lo, mut hi) = (0.0, 0.0);
            for i in 0..x.len() {
                let was = lo;
                let small = x[i] < was;
                if small {
                    lo = x[i] + hi;
                } else if x[i] > hi {
                    hi = x[i];
                }
                out[i] = lo - hi;
            }
        }
    }
    mod a_branch_that_changes_the_value {
        #[forall::distributed_scan]
        fn program(x: &[f64]) -> (f64, f64, f64) {
            let mut lo = 0.0;
            let mut hi = 0.0;
            let mut t = 0.0;
            for &v in x {
                let mut v = v;
                if v < lo {
                    lo = v;
                    v = 9.0;
                } else if v > hi {
                    hi = v;
                }
                t += v;
            }
            (lo, hi, t)
        }
    }
    mod counts_records {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [usize]) {
            let (mut b, mut n) = (9, 0);
            for i in 0..x.len() {
                let c = x[i] < b;
                if c {
                    b = x[i];
                    n += 1;
                }
                out[i] = n;
            }
        }
    }
    mod skips {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut b, mut n) = (9, 0);
            for i in 0..x.len() {
                if x[i] >= b {
                    continue;
                }
                b = x[i];
                n += x[i];
                out[i] = n;
            }
        }
    }
    mod writes_where_better {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut b = 9;
            for i in 0..x.len() {
                let c = x[i] < b;
                if c {
                    b = x[i];
                    out[i] = 1;
                }
            }
        }
    }
    mod marked {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut at = -1;
            for i in 0..x.len() {
                if at < 0 && x[i] > 3 {
                    at = x[i] - 5;
                }
                out[i] = at;
            }
        }
    }
    mod changed_between {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut b = 9;
            for i in 0..x.len() {
                let mut v = x[i];
                let c = v < b;
                v += 1;
                if c {
                    b = v;
                }
                out[i] = b;
            }
        }
    }
    mod floats_in_an_option {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                best = match best {
                    Some(b) if b <= x[i] => Some(b),
                    _ => Some(x[i]),
                };
                out[i] = best.unwrap_or(0.0);
            }
        }
    }
}

mod right {
    mod structs_in_a_scan {
        #[derive(Clone, Copy)]
        struct P {
            x: f64,
            y: f64,
        }
        #[forall::distributed_scan]
        fn program(x: &[f64], y: &[f64], out: &mut [f64]) {
            let (mut lo, mut at) = (1e30, 0usize);
            for i in 0..x.len() {
                let p = P { x: x[i], y: y[i] };
                let P { x: a, y: b } = p;
                let d = a * a + b;
                if d < lo {
                    lo = d;
                    at = i;
                }
                out[i] = lo + at as f64;
            }
        }
    }
    mod named {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [usize]) {
            let (mut b, mut at) = (9, 0);
            for i in 0..x.len() {
                let c = x[i] < b;
                if c {
                    b = x[i];
                    at = i;
                }
                out[i] = at;
            }
        }
    }
    mod pair {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) -> usize {
            let (mut b, mut at) = (0.5, 7);
            for i in 0..x.len() {
                (b, at) = if x[i] < b { (x[i], i) } else { (b, at) };
                out[i] = b + at as f64;
            }
            at
        }
    }
    mod read_before {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) -> (i64, usize) {
            let (mut b, mut at) = (9, 0);
            for i in 0..x.len() {
                out[i] = b - at as i64;
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
    mod in_an_option {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut best: Option<i64> = None;
            for i in 0..x.len() {
                best = best.filter(|b| !(x[i] < *b)).or(Some(x[i]));
                out[i] = best.unwrap_or(99);
            }
        }
    }
    mod pairs_in_an_option {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [usize]) {
            let mut best: Option<(i64, usize)> = None;
            for i in 0..x.len() {
                match best {
                    Some((b, _)) if b >= x[i] => {}
                    _ => best = Some((x[i], i)),
                }
                if let Some((_, at)) = best {
                    out[i] = at;
                }
            }
        }
    }
    mod inner_loops {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut b, mut at) = (9, 0);
            for i in 0..x.len() {
                for j in 0..3 {
                    if x[i] == j {
                        continue;
                    }
                    let v = (x[i] * (j + 1)) % 7;
                    let better = v < b;
                    if better {
                        b = v;
                        at = j;
                    }
                }
                out[i] = b * 10 + at;
            }
        }
    }
    mod counted_at_a_higher_level {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut b, mut at, mut n) = (9, 0, 0);
            for i in 0..x.len() {
                if x[i] < b {
                    n += 1;
                }
                let c = x[i] < b;
                if c {
                    b = x[i];
                    at = i as i64;
                }
                out[i] = n * 100 + at;
            }
        }
    }
    mod total_of_the_best {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut b, mut at, mut total) = (9, 0, 0);
            for i in 0..x.len() {
                let c = x[i] < b;
                (b, at) = if c { (x[i], i) } else { (b, at) };
                total += b;
                out[i] = total + at as i64;
            }
        }
    }
    mod best_of_a_total {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [usize]) {
            let (mut total, mut b, mut at) = (0, -1, 0);
            for i in 0..x.len() {
                total += x[i];
                let c = total > b;
                (b, at) = if c { (total, i) } else { (b, at) };
                out[i] = at;
            }
        }
    }
    mod first_match {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [usize]) {
            let mut at: Option<usize> = None;
            for i in 0..x.len() {
                match at {
                    None if x[i] > 3 => at = Some(i),
                    _ => {}
                }
                out[i] = at.unwrap_or(1000);
            }
        }
    }
    mod with_a_flag {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut b, mut first) = (0, true);
            for i in 0..x.len() {
                if first {
                    b = x[i];
                    first = false;
                } else if x[i] < b {
                    b = x[i];
                }
                out[i] = b;
            }
        }
    }
    mod last_of_equal {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [usize]) {
            let (mut b, mut at) = (3, 0);
            for i in 0..x.len() {
                let worse = x[i] > b;
                if !worse {
                    b = x[i];
                    at = i;
                }
                out[i] = at;
            }
        }
    }
    mod parts_of_a_struct {
        #[derive(Clone, Copy)]
        struct Best {
            value: i64,
            at: usize,
            seen: i64,
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = Best { value: 9, at: 0, seen: 0 };
            for i in 0..x.len() {
                s.seen += x[i];
                let c = x[i] < s.value;
                if c {
                    s.value = x[i];
                    s.at = i;
                }
                out[i] = s.seen + s.at as i64;
            }
        }
    }
}
