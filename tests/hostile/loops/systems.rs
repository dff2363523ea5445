//! Variables that are computed from each other, and finite-state machines.

mod refused {
    mod index_in_another_field {
        #[derive(Clone, Copy)]
        struct P { v: usize, t: [usize; 4] }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut p = P { v: 0, t: [1, 0, 3, 2] };
            for i in 0..x.len() {
                p.v = p.t[p.v % 4] + p.v + x[i].unsigned_abs() as usize;
            }
            p.v as i64
        }
    }
    mod maximum_of_index_in_another_field {
        #[derive(Clone, Copy)]
        struct P { v: i64, t: [i64; 4] }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut p = P { v: 0, t: [1, 0, 3, 2] };
            for i in 0..x.len() {
                p.v = (p.v + p.t[p.v as usize & 3]).max(x[i]);
                out[i] = p.v;
            }
        }
    }
    mod product_of_states {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let (mut a, mut b) = (1.0, 0.5);
            for i in 0..x.len() { let c = a * b; b = a + x[i]; a = c; out[i] = a; }
        }
    }
    mod logistic {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut v = 0.3;
            for i in 0..x.len() { v = 3.7 * v * (1.0 - v) + 0.0 * x[i]; out[i] = v; }
        }
    }
    mod max_and_min_of_two {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut a, mut b) = (0i64, 0i64);
            for i in 0..x.len() { let t = (a + x[i]).max(b); b = b.min(a); a = t; out[i] = a; }
        }
    }
    mod condition_on_state {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut a = 0i64;
            for i in 0..x.len() { if a > 5 { a = a / 2; } else { a += x[i]; } out[i] = a; }
        }
    }
    mod shadowed_max {
        trait M { fn max(self, o: i64) -> i64; }
        impl M for &i64 { fn max(self, o: i64) -> i64 { *self - o } }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let (mut here, mut best) = (0i64, 0i64);
            for i in 0..x.len() { here = (&(here + x[i])).max(x[i]); best = best.max(here); }
            best
        }
    }
    mod own_max {
        fn max(a: i64, b: i64) -> i64 { a - b }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let (mut here, mut best) = (0i64, 0i64);
            for i in 0..x.len() { here = max(here + x[i], x[i]); best = max(best, here); }
            best
        }
    }
    mod remainder_of_a_sum {
        #[forall::distributed_scan]
        fn program(out: &mut [u64]) {
            let (mut a, mut b) = (0u64, 1u64);
            for o in out.iter_mut() {
                *o = a;
                (a, b) = (b, (a + b) % 1_000_007);
            }
        }
    }
    mod constant_of_the_body {
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let mut s = 0u8;
            for i in 0..x.len() {
                const ON: u8 = 9;
                if s != ON && x[i] % 3 == 0 { s = ON; } else if s == ON && x[i] % 5 == 0 { s = 0; }
                out[i] = s;
            }
        }
    }
    mod chosen_by_a_guard {
        #[forall::distributed_scan]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                match x[i] {
                    v if v > m && v % 3 > 0 && v < 50 - m => m = v,
                    _ => {}
                }
            }
            m
        }
    }
    mod chosen_by_the_receiver {
        #[forall::distributed_scan]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0i64;
            for i in 0..x.len() {
                (m > 3).then(|| m = x[i]);
                m ^= x[i];
            }
            m
        }
    }
    mod left_by_a_condition {
        #[forall::distributed_scan]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                if m > 5 {
                    continue;
                }
                m = x[i];
            }
            m
        }
    }
    mod set_in_rounds {
        #[forall::distributed_scan]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                for _ in 0..(m & 3) {
                    m = x[i];
                }
                m |= x[i] & 1;
            }
            m
        }
    }
    mod added_in_the_value_of_another {
        #[forall::distributed_scan]
        fn program(x: &[i64], w: usize) -> i64 {
            let (mut s, mut t) = (0, 0);
            for i in 0..x.len() {
                t += (0..w as i64).map(|k| { s += k; s + x[i] }).sum::<i64>();
            }
            s + t
        }
    }
    mod divided_before_the_element {
        #[forall::kary_reduce]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let mut k = i;
                out[{ k /= 2; i }] += k as i64;
            }
        }
    }
}

mod right {
    mod filter_outer_y {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut y;
            let (mut y1, mut y2) = (0.0f64, 0.0f64);
            for i in 0..x.len() {
                y = x[i] + 0.5 * y1 - 0.3 * y2;
                y2 = y1;
                y1 = y;
                out[i] = y;
            }
        }
    }
    mod filter {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let (mut x1, mut x2, mut y1, mut y2) = (0.0, 0.0, 0.0, 0.0);
            for i in 0..x.len() {
                let y = 0.2 * x[i] + 0.4 * x1 + 0.2 * x2 - -0.5 * y1 - 0.3 * y2;
                x2 = x1; x1 = x[i]; y2 = y1; y1 = y;
                out[i] = y;
            }
        }
    }
    mod filter_iter {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64], k: f64) {
            let mut y1 = 0.5f64; let mut y2 = -0.25;
            for (o, v) in out.iter_mut().zip(x) {
                let y = v + 0.3 * y1 - 0.2 * y2 * 0.5;
                y2 = y1;
                y1 = y;
                *o = y * k;
            }
        }
    }
    mod fibonacci {
        #[forall::distributed_scan]
        fn program(out: &mut [u64]) {
            let (mut a, mut b) = (0u64, 1u64);
            for i in 0..out.len() { out[i] = a % 1000; let next = a.wrapping_add(b); a = b; b = next; }
        }
    }
    mod oscillator {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let (mut p, mut v) = (1.0, 0.0);
            for i in 0..x.len() {
                v -= 0.01 * p - 0.001 * x[i];
                p += 0.01 * v;
                out[i] = p;
            }
        }
    }
    mod complex_product {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let (mut re, mut im) = (1.0f64, 0.0f64);
            for i in 0..x.len() {
                let (c, s) = (x[i].cos(), x[i].sin());
                let r = re * c - im * s;
                im = re * s + im * c;
                re = r;
                out[i] = re + im;
            }
        }
    }
    mod subarray {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let (mut here, mut best) = (0i64, i64::MIN);
            for i in 0..x.len() { here = (here + x[i]).max(x[i]); best = best.max(here); }
            best
        }
    }
    mod subarray_if {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut here = 0;
            let mut best = 0;
            for &v in x {
                here += v;
                if here < 0 { here = 0; }
                if here > best { best = here; }
            }
            best
        }
    }
    mod subarray_if_else {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let mut here = 0;
            let mut best = i64::MIN;
            for &v in x {
                here = if here < 0 { v } else { here + v };
                best = std::cmp::max(best, here);
            }
            (best, here)
        }
    }
    mod subarray_f {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut here = 0.0f64;
            let mut best = f64::NEG_INFINITY;
            for &v in x {
                if here > 0.0 { here += v; } else { here = v; }
                best = best.max(here);
            }
            best
        }
    }
    mod subarray_i32 {
        #[forall::kary_reduce]
        fn program(x: &[i32]) -> i32 {
            let mut here = 0i32;
            let mut best = 0i32;
            for i in 0..x.len() { here = (here + x[i]).max(0); best = best.max(here); }
            best
        }
    }
    mod queue {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut q = 0i64;
            for i in 0..x.len() { q = (q + x[i] - 3).max(0); out[i] = q; }
        }
    }
    mod clamp {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 5;
            for i in 0..x.len() { v = (v + x[i]).clamp(-10, 10); out[i] = v; }
        }
    }
    mod clamp_f {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64], lo: f64) {
            let mut v = 0.0f64;
            for i in 0..x.len() { v = (v + x[i]).min(1.5).max(lo.min(0.0)); out[i] = v; }
        }
    }
    mod bucket {
        #[forall::distributed_scan]
        fn program(x: &[u32], out: &mut [u32]) {
            let mut v = 3u32;
            for i in 0..x.len() { v = v.saturating_add(x[i]).saturating_sub(7); out[i] = v; }
        }
    }
    mod bits {
        #[forall::distributed_scan]
        fn program(x: &[u32], out: &mut [u32]) {
            let mut b = 5u32;
            for i in 0..x.len() { b = (b & !x[i]) | (x[i] >> 1); out[i] = b; }
        }
    }
    mod toggle {
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let mut on = false;
            for i in 0..x.len() {
                if x[i] % 3 == 0 { on = !on; }
                out[i] = if on { x[i] } else { 0 };
            }
        }
    }
    mod csv {
        #[forall::distributed_scan]
        fn program(x: &[u8]) -> (usize, usize) {
            let (mut quoted, mut fields, mut rows) = (false, 0, 0);
            for &c in x {
                match c % 8 {
                    1 => quoted = !quoted,
                    2 if !quoted => fields += 1,
                    3 if !quoted => { fields += 1; rows += 1; }
                    _ => {}
                }
            }
            (fields, rows)
        }
    }
    mod machine {
        #[derive(Clone, Copy, PartialEq)]
        enum State { Start, Word, Number }
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let mut state = State::Start;
            for i in 0..x.len() {
                let c = x[i] % 5;
                state = match (state, c) {
                    (State::Start, 1 | 2) => State::Word,
                    (State::Start, 3) => State::Number,
                    (State::Word, 0) => State::Start,
                    (State::Number, 0 | 4) => State::Start,
                    (s, _) => s,
                };
                out[i] = match state { State::Start => 0, State::Word => 1, State::Number => 2 };
            }
        }
    }
    mod machine_in_order {
        #[derive(Clone, Copy)]
        enum State { Start, Word, Number }
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) -> u64 {
            let mut state = State::Start;
            let mut words = 0;
            for i in 0..x.len() {
                let c = x[i] % 5;
                match state {
                    State::Start => {
                        if c == 1 { state = State::Word; words += 1; out[i] = 7; } else if c == 2 { state = State::Number; }
                    }
                    State::Word => if c == 0 { state = State::Start; },
                    State::Number => { out[i] = 9; if c < 2 { state = State::Start; } }
                }
            }
            words
        }
    }
    mod counter_modulo {
        #[forall::distributed_scan]
        fn program(x: &[u32], out: &mut [u32]) {
            let mut s = 0u32;
            for i in 0..x.len() { s = (s * 2 + x[i] % 5) % 7; out[i] = s; }
        }
    }
    mod carry {
        #[forall::distributed_scan]
        fn program(x: &[u32], y: &[u32], out: &mut [u32]) {
            let mut carry = 0u64;
            for i in 0..x.len().min(y.len()).min(out.len()) {
                let t = u64::from(x[i]) + u64::from(y[i]) + carry;
                out[i] = t as u32;
                carry = t >> 32;
            }
        }
    }
    mod carry_bool {
        #[forall::distributed_scan]
        fn program(x: &[u64], out: &mut [u64]) {
            let mut carry = false;
            for i in 0..x.len() {
                let (t, c1) = x[i].overflowing_mul(0x9E3779B97F4A7C15);
                let (t, c2) = t.overflowing_add(carry as u64);
                out[i] = t;
                carry = c1 || c2;
            }
        }
    }
    mod parity_ints {
        #[forall::distributed_scan]
        fn program(x: &[u32], out: &mut [usize]) {
            const IN: usize = 17; const OUT: usize = 40;
            let mut s = OUT;
            for i in 0..x.len() {
                if s == OUT && x[i] % 4 == 1 { s = IN; } else if s == IN && x[i] % 4 == 2 { s = OUT; }
                out[i] = s;
            }
        }
    }

    mod huge {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut q = 0i64;
            for i in 0..x.len() { q = (q + (x[i] % 3) * 1_000_000_000_000_000_000).clamp(-4_000_000_000_000_000_000, 4_000_000_000_000_000_000); out[i] = q; }
        }
    }
    mod unsigned_queue {
        #[forall::distributed_scan]
        fn program(x: &[u32], out: &mut [u32]) {
            let mut q = 0u32;
            for i in 0..x.len() { let a = x[i] % 7; q = (q + a).max(3) - 3; out[i] = q; }
        }
    }
    mod unsigned_if {
        #[forall::distributed_scan]
        fn program(x: &[u32], out: &mut [u32]) {
            let mut q = 0u32;
            for i in 0..x.len() { let a = x[i] % 7; if q + a > 4 { q = q + a - 4; } else { q = 0; } out[i] = q; }
        }
    }
    mod nan {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut v = 0.0f64;
            for i in 0..x.len() { let e = if x[i] > 1.9 { f64::NAN } else { x[i] }; v = (v + e).max(0.0); out[i] = v; }
        }
    }
    mod infinite_filter {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let (mut a, mut b) = (0.0f64, 0.0f64);
            for i in 0..x.len() { let t = 0.5 * a + 0.25 * b + if x[i] > 1.95 { f64::INFINITY } else { x[i] }; b = a; a = t; out[i] = t; }
        }
    }
    mod growing {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let (mut a, mut b) = (1.0f64, 1.0f64);
            for i in 0..x.len() { let t = a + b + 0.001 * x[i]; a = b; b = t; out[i] = t.min(1e300); }
        }
    }
    mod min_plus {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let (mut a, mut b) = (0i64, i64::MAX);
            for &v in x { a = (a + v).min(v); b = if a < b { a } else { b }; }
            b
        }
    }
    mod alignment_row {
        #[forall::distributed_scan]
        fn program(x: &[i64], y: &[i64], out: &mut [i64]) {
            let mut left = 0i64;
            for i in 0..x.len().min(y.len()).min(out.len()) { left = (left - 2).max(x[i]).max(y[i] + 1); out[i] = left; }
        }
    }
    mod conditional_step {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let (mut p, mut v) = (0.0f64, 1.0f64);
            for i in 0..x.len() {
                if x[i] > 0.5 { v = -v; continue; }
                p += 0.1 * v;
                if x[i] < -1.0 { p = 0.0; }
                out[i] = p;
            }
        }
    }
    mod nested_steps {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let (mut p, mut v) = (0.0f64, 1.0f64);
            for i in 0..x.len() {
                for _ in 0..3 { v -= 0.1 * p; p += 0.1 * v; }
                v += x[i];
                out[i] = p;
            }
        }
    }
    mod fields {
        pub struct S { pub a: f64, pub b: f64 }
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut s = S { a: 0.0, b: 1.0 };
            for i in 0..x.len() { let t = s.a * 0.5 - s.b * 0.25 + x[i]; s.b = s.a; s.a = t; out[i] = s.a + s.b; }
        }
    }
    mod fibonacci_tuple {
        #[forall::distributed_scan]
        fn program(out: &mut [u64]) {
            let (mut a, mut b) = (0u64, 1u64);
            for o in out.iter_mut() { *o = a % 97; (a, b) = (b, a.wrapping_add(b)); }
        }
    }
    mod two_machines {
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let mut on = false; let mut level = 0u8;
            for i in 0..x.len() {
                if x[i] % 7 == 0 { on = !on; }
                level = match (level, on, x[i] % 3) { (0, true, 1) => 1, (1, _, 2) => 2, (2, false, _) => 0, (l, _, _) => l };
                out[i] = level + 3 * on as u8;
            }
        }
    }
    mod run_length {
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u64]) {
            let mut run = 0; let mut last = 0u8;
            for i in 0..x.len() {
                let c = x[i] % 3;
                if c == last { run += 1; } else { run = 1; }
                last = c;
                out[i] = run;
            }
        }
    }
    mod comment_stripper {
        #[forall::distributed_scan]
        fn program(x: &[u8]) -> usize {
            let mut state = 0u8; let mut kept = 0;
            for &c in x {
                match state {
                    0 => if c % 4 == 1 { state = 1 } else { kept += 1 },
                    1 => if c % 4 == 1 { state = 2 } else { state = 0; kept += 2 },
                    _ => if c % 4 == 3 { state = 0; kept += 1 },
                }
            }
            kept
        }
    }
    mod char_state {
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u32]) {
            let mut mode = 'a';
            for i in 0..x.len() {
                if mode == 'a' && x[i] % 5 == 0 { mode = 'b'; } else if mode == 'b' && x[i] % 5 == 1 { mode = 'a'; }
                out[i] = mode as u32;
            }
        }
    }
    mod filter_outer_init {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut y = 0.0f64;
            let (mut y1, mut y2) = (0.0f64, 0.0f64);
            for i in 0..x.len() {
                y = x[i] + 0.5 * y1 - 0.3 * y2;
                y2 = y1;
                y1 = y;
                out[i] = y;
            }
        }
    }
    mod machine_with_temp {
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let mut c;
            let mut on = false;
            for i in 0..x.len() {
                c = x[i] % 4;
                if c == 0 { on = !on; }
                out[i] = if on { c } else { 9 };
            }
        }
    }
    mod subarray_with_temp {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v;
            let (mut here, mut best) = (0i64, 0i64);
            for i in 0..x.len() {
                v = x[i] * 2;
                here = (here + v).max(0);
                best = best.max(here);
            }
            best
        }
    }
    mod equal_to_all {
        #[derive(Clone, Copy)]
        enum State { Low, High, Top }
        impl PartialEq for State { fn eq(&self, _: &State) -> bool { true } }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut state = State::Low;
            for i in 0..x.len() {
                state = match state {
                    State::Low => if x[i] > 3 { State::High } else { State::Low },
                    State::High => if x[i] < 0 { State::Top } else { State::High },
                    State::Top => if x[i] % 5 == 0 { State::Low } else { State::Top },
                };
                out[i] = match state { State::Low => 0, State::High => 1, State::Top => 2 };
            }
        }
    }
    mod equal_by_group {
        #[derive(Clone, Copy)]
        enum State { A, B, C }
        impl PartialEq for State { fn eq(&self, other: &State) -> bool { matches!(self, State::A) == matches!(other, State::A) } }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut state = State::B;
            for i in 0..x.len() {
                match state {
                    State::A => if x[i] > 3 { state = State::B; },
                    State::B => if x[i] < 0 { state = State::C; },
                    State::C => if x[i] % 3 == 0 { state = State::A; },
                }
                out[i] = state as i64;
            }
        }
    }
}
