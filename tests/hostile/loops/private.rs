//! Variables that each iteration sets before it reads them, and others that look alike.

mod right {
    mod kept_over_rounds {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut k = 0;
            for i in 0..x.len() {
                {
                    k = x[i];
                    for j in 0..3 {
                        k += j;
                    }
                }
                y[i] = k;
            }
        }
    }
    mod index_by_steps {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut k = 0;
            for i in 0..x.len() / 2 {
                k = 2 * i;
                y[k] = x[i];
                k += 1;
                y[k] = x[i] + 1;
            }
        }
    }
    mod issue {
        #[forall::kary_reduce]
        fn program(u: &[i64]) -> i64 {
            let n = 4;
            let mut temp;
            let mut sum = 0;
            for i in 0..u.len() / n {
                for j in 0..n {
                    temp = u[i * n + j];
                    sum = sum + temp * temp;
                }
            }
            sum
        }
    }
    mod both_arms {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len() {
                if x[i] > 3 {
                    t = x[i];
                } else if x[i] < 0 {
                    t = -x[i];
                } else {
                    t = 7;
                }
                y[i] = t * 2;
            }
        }
    }
    mod all_arms {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t;
            for i in 0..x.len() {
                match x[i] % 3 {
                    0 => t = x[i],
                    1 | 2 => {
                        t = 1;
                        t += x[i];
                    }
                    _ => continue,
                }
                y[i] = t * 2;
            }
        }
    }
    mod tuple {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let (mut a, mut b) = (0, 0);
            for i in 0..x.len() {
                (a, b) = (x[i], 2 * x[i]);
                a += b;
                b *= a;
                y[i] = a - b;
            }
        }
    }
    mod whole_array {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut a = [0; 3];
            for i in 0..x.len() {
                a = [x[i], 1, 2];
                a[1] += a[0];
                y[i] = a.iter().sum();
            }
        }
    }
    mod whole_struct {
        #[derive(Clone, Default)]
        struct P {
            a: i64,
            b: i64,
        }
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut p = P::default();
            for i in 0..x.len() {
                p = P { a: x[i], b: 3 };
                p.a += p.b;
                y[i] = p.a * p.b;
            }
        }
    }
    mod set_by_each_round {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 5;
            for i in 0..x.len() {
                let mut s = 0;
                for j in 0..x[i] % 3 {
                    t = x[i] + j;
                    s += t;
                }
                y[i] = s;
            }
        }
    }
    mod guarded_read {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len() {
                if x[i] > 3 {
                    t = x[i];
                    y[i] = t;
                }
            }
        }
    }
    mod continue_first {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len() {
                if x[i] < 2 {
                    continue;
                }
                t = x[i];
                t *= 3;
                y[i] = t;
            }
        }
    }
    mod set_again_after {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) -> i64 {
            let mut t = 0;
            for i in 0..x.len() {
                t = x[i];
                t += 1;
                y[i] = t;
            }
            t = y.len() as i64;
            t
        }
    }
    mod two_loops {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t;
            for i in 0..x.len() {
                t = x[i];
                t += 1;
                y[i] = t;
            }
            for i in 0..x.len() {
                t = y[i];
                t *= t;
                y[i] = t;
            }
        }
    }
    mod narrow {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0u8;
            for i in 0..x.len() {
                t = 200;
                t = t.wrapping_add(100);
                y[i] = x[i] + i64::from(t) + t.leading_zeros() as i64;
            }
        }
    }
    mod float {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t: f32 = 0.0;
            for i in 0..x.len() {
                t = 1.5;
                y[i] = x[i] + t.powi(30) as i64 + (t / 3.0 * 1e9) as i64;
            }
        }
    }
    mod text {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = String::new();
            for i in 0..x.len() {
                t = format!("{}", x[i]);
                t.push('1');
                y[i] = t.len() as i64;
            }
        }
    }
    mod reference {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = &0;
            for i in 0..x.len() {
                t = &x[i];
                y[i] = *t + *t;
            }
        }
    }
    mod option {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut best = None;
            for i in 0..x.len() {
                best = None;
                for k in 0..3 {
                    if best.is_none_or(|b| x[i] % (k + 2) > b) {
                        best = Some(x[i] % (k + 2));
                    }
                }
                y[i] = best.unwrap_or(-1);
            }
        }
    }
    mod index {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut k;
            for i in 0..x.len() {
                k = i;
                y[k] = x[k] + 1;
            }
        }
    }
    mod destructured {
        fn two(v: i64) -> (i64, i64) {
            (v / 2, v % 2)
        }
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let (mut q, mut r);
            for i in 0..x.len() {
                (q, r) = two(x[i]);
                q += r;
                y[i] = q;
            }
        }
    }
    mod running {
        #[forall::distributed_scan]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            let mut s = 0;
            for i in 0..x.len() {
                t = x[i] * 2;
                s += t;
                y[i] = s;
            }
        }
    }
    mod running_in_inner {
        #[forall::distributed_scan]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            let mut s = 0;
            for i in 0..x.len() {
                for j in 0..2 {
                    t = x[i] * j;
                    s += t;
                }
                y[i] = s;
            }
        }
    }
    mod loop_with_break {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t;
            for i in 0..x.len() {
                let mut n = 0;
                loop {
                    t = x[i] + n;
                    n += 1;
                    if n > 2 {
                        break;
                    }
                }
                y[i] = t;
            }
        }
    }
    mod else_panics {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t;
            for i in 0..x.len() {
                if x[i] > -1_000_000 {
                    t = x[i];
                } else {
                    unreachable!()
                }
                y[i] = t;
            }
        }
    }
    mod dropped {
        struct D(i64);
        impl Drop for D {
            fn drop(&mut self) {
                self.0 = 0;
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = D(0);
            for i in 0..x.len() {
                t = D(x[i]);
                t.0 += 1;
                y[i] = t.0;
            }
        }
    }
    mod moved_away {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = vec![0];
            for i in 0..x.len() {
                t = vec![x[i]; 3];
                let u = t;
                y[i] = u.iter().sum();
            }
        }
    }
    mod parameter {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64], mut t: i64) {
            for i in 0..x.len() {
                t = x[i];
                t += 1;
                y[i] = t;
            }
        }
    }
    mod pushed {
        #[forall::foreach_tls]
        fn program(x: &[i64], out: &mut Vec<i64>) {
            let mut t;
            for i in 0..x.len() {
                t = x[i] * 3;
                t += 1;
                if t > 4 {
                    out.push(t);
                }
            }
        }
    }
    mod inner_index {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut k;
            let m = 2;
            for i in 0..x.len() / m {
                for j in 0..m {
                    k = i * m + j;
                    y[k] = x[k] + 1;
                }
            }
        }
    }
    mod inner_index_under_if {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut k = 0;
            let m = 2;
            for i in 0..x.len() / m {
                for j in 0..m {
                    if j > 0 {
                        k = i * m + j;
                        y[k] = x[k] + 1;
                    }
                }
            }
        }
    }
    mod of_inner_while {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut k = 0;
            for i in 0..x.len() {
                let mut j = 0;
                while j < 2 {
                    k = x[i] + j;
                    y[i] += k;
                    j += 1;
                }
            }
        }
    }
    mod gathered {
        #[forall::foreach]
        fn program(x: &[i64], #[forall::gather] z: &[i64], y: &mut [i64]) {
            let mut k;
            for i in 0..x.len() {
                k = x[i].rem_euclid(z.len() as i64) as usize;
                y[i] = z[k];
            }
        }
    }
    mod histogram {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> [i64; 5] {
            let mut h = [0; 5];
            let mut k = 0;
            for i in 0..x.len() {
                k = x[i].rem_euclid(5) as usize;
                h[k] += 1;
            }
            h
        }
    }
    mod held_closure {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len() {
                t = x[i];
                let twice = |v: i64| v * 2 + t;
                y[i] = twice(3);
            }
        }
    }
    mod first_of_pairs {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = (0, 0);
            for i in 0..x.len() {
                t = (x[i], 1);
                if t.0 > 2 {
                    t.1 = 5;
                }
                y[i] = t.0 * t.1;
            }
        }
    }
    mod let_else {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t;
            for i in 0..x.len() {
                let Some(v) = x[i].checked_add(3) else { continue };
                t = v;
                y[i] = t;
            }
        }
    }
    mod question {
        fn half(v: i64) -> Option<i64> {
            if v % 2 == 0 { Some(v / 2) } else { None }
        }
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len() {
                let f = || -> Option<i64> { half(half(x[i])?) };
                t = f().unwrap_or(7);
                y[i] = t;
            }
        }
    }
    mod shadowed {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 1;
            for i in 0..x.len() {
                t = x[i];
                let t = t * 2;
                y[i] = t;
            }
        }
    }
    mod time_loop {
        #[forall::foreach]
        fn program(x: &mut [i64], y: &mut [i64]) {
            let mut t;
            for _step in 0..3 {
                for i in 1..x.len() - 1 {
                    t = x[i - 1] + x[i + 1];
                    y[i] = t / 2;
                }
                for i in 0..x.len() {
                    t = y[i];
                    x[i] = t;
                }
            }
        }
    }
    mod first_round_only {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len() {
                if i == 0 {
                    t = x[i];
                }
                y[i] = t;
            }
        }
    }
}

mod refused {
    mod read_by_the_next_round_of_steps {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            let mut start = 0;
            for _step in 0..3 {
                start += t;
                for i in 0..x.len() {
                    t = x[i];
                    t += start;
                    y[i] += t;
                }
            }
        }
    }
    mod no_round_of_the_inner_loop {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 5;
            for i in 0..x.len() {
                for j in 0..x[i] % 3 {
                    t = x[i] + j;
                }
                y[i] = t;
            }
        }
    }
    mod continues_before_it_is_set {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len() {
                'inner: for j in 0..3 {
                    if x[i] > j {
                        continue 'inner;
                    }
                    t = x[i];
                }
                y[i] = t;
            }
        }
    }
    mod breaks_before_it_is_set {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len() {
                'block: {
                    if x[i] > 3 {
                        break 'block;
                    }
                    t = x[i];
                }
                y[i] = t;
            }
        }
    }
    mod read_in_a_closure_before {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len() {
                let old = {
                    let f = || t + 1;
                    f()
                };
                t = x[i];
                y[i] = t + old;
            }
        }
    }
    mod set_in_a_closure {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len() {
                if x[i] > 2 {
                    let mut set = || t = x[i];
                    set();
                }
                y[i] = t;
            }
        }
    }
    mod read_under_a_condition {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len() {
                if x[i] > 3 {
                    t = x[i];
                }
                if x[i] > 1 {
                    y[i] = t;
                }
            }
        }
    }
    mod set_through_a_reference {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len() {
                let r = &mut t;
                if x[i] > 3 {
                    *r = x[i];
                }
                y[i] = *r;
            }
        }
    }
    mod read_after_the_loop {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) -> i64 {
            let mut t = 0;
            for i in 0..x.len() {
                t = x[i];
                t += 1;
                y[i] = t;
            }
            t
        }
    }
    mod set_on_the_right_of_and {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len() {
                let _ = x[i] > 3 && {
                    t = x[i];
                    true
                };
                y[i] = t;
            }
        }
    }
    mod one_part_of_a_tuple {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = (0, 0);
            for i in 0..x.len() {
                t.0 = x[i];
                if x[i] > 3 {
                    t.1 = x[i];
                }
                y[i] = t.0 + t.1;
            }
        }
    }
    mod itself_in_its_value {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len() {
                t = x[i] - t;
                y[i] = t;
            }
        }
    }
    mod lock {
        use std::cell::Cell;
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let c = Cell::new(0);
            let mut t = &c;
            for i in 0..x.len() {
                t = &c;
                t.set(t.get() + x[i]);
                y[i] = t.get();
            }
        }
    }
    mod unsafe_pointer {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) -> i64 {
            let mut t = 0;
            let p = &raw const t;
            for i in 0..x.len() {
                t = x[i];
                y[i] = t + 1;
            }
            unsafe { *p }
        }
    }
    mod cast_pointer {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) -> i64 {
            let mut t = 0;
            let p = &t as *const i64;
            for i in 0..x.len() {
                t = x[i];
                y[i] = t + 1;
            }
            unsafe { *p }
        }
    }
    mod coerced_pointer {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) -> i64 {
            let mut t = 0;
            let p: *const i64 = &t;
            for i in 0..x.len() {
                t = x[i];
                y[i] = t + 1;
            }
            unsafe { *p }
        }
    }
    mod with_label {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            'all: for i in 0..x.len() {
                for j in 0..3 {
                    if x[i] == j {
                        continue 'all;
                    }
                    t = j;
                }
                y[i] = t;
            }
        }
    }
}
