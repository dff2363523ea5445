//! Macros and `unsafe` code that loops may hold.

mod right {
    mod squares {
        macro_rules! sq {
            ($e:expr) => {{
                let e = $e;
                e * e
            }};
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = sq!(x[i]);
            }
        }
    }
    mod rules_for_names_and_for_values {
        macro_rules! at {
            ($x:ident [ $i:ident ]) => {
                $x[$i] + 1
            };
            ($e:expr) => {
                $e
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = at!(x[i]);
            }
        }
    }
    mod swapped_locals {
        macro_rules! swap {
            ($a:ident, $b:ident) => {
                let t = $a;
                $a = $b;
                $b = t;
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], y: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let (mut a, mut b) = (x[i], y[i]);
                if a > b {
                    swap!(a, b);
                }
                out[i] = a * 2 + b;
            }
        }
    }
    mod end_of_an_inner_loop {
        macro_rules! stop {
            ($c:expr) => {
                if $c {
                    break;
                }
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut s = 0;
                for j in 0..5 {
                    stop!(x[i] < j);
                    s += j;
                }
                out[i] = s;
            }
        }
    }
    mod larger_of_two {
        macro_rules! max {
            ($a:expr, $b:expr) => {
                if $a > $b { $a } else { $b }
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], y: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let (a, b) = (x[i], y[i]);
                out[i] = max!(a, b) + max!(x[i], 3);
            }
        }
    }
    mod sum_of_squares {
        macro_rules! sq {
            ($e:expr) => {
                $e * $e
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for v in x {
                s += sq!(v % 10);
            }
            s
        }
    }
    mod logged {
        macro_rules! debug {
            ($($t:tt)*) => {
                if false {
                    println!($($t)*);
                }
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let v = x[i] * 2;
                debug!("{i} {} {v:?}", v);
                out[i] = v;
            }
        }
    }
    mod logged_with_a_semicolon {
        macro_rules! debug {
            ($f:literal $(, $t:expr)*) => {
                _ = format!($f $(, $t)*);
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                debug!("{} {}", i, x[i]);
                out[i] = x[i];
            }
        }
    }
    mod nothing_in_braces {
        macro_rules! debug {
            ($($t:tt)*) => {};
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                {
                    debug!("{}", i);
                }
                out[i] = x[i];
            }
        }
    }
    mod bound_in_braces {
        macro_rules! bind {
            ($i:ident) => {
                let $i = $i / 2;
                _ = $i;
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                {
                    bind!(i);
                }
                out[i] = x[i];
            }
        }
    }
    mod value_in_braces {
        macro_rules! twice {
            ($e:expr) => {
                $e + $e
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = {
                    let v = x[i];
                    twice! { v }
                };
            }
        }
    }
    mod skipped {
        macro_rules! skip_if {
            ($c:expr) => {
                if $c {
                    continue;
                }
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                skip_if!(x[i] % 3 == 0);
                out[i] = x[i];
            }
        }
    }
    mod local_total {
        macro_rules! add {
            ($s:ident, $e:expr) => {
                $s += $e
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut s = 0;
                for j in 0..3 {
                    add!(s, x[i] + j);
                }
                out[i] = s;
            }
        }
    }
    mod guarded_pattern {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> usize {
            let mut n = 0;
            for i in 0..x.len() {
                if matches!(x[i] % 7, v if v > 2) && !matches!(x[i], 5 | 6) {
                    n += 1;
                }
            }
            n
        }
    }
    mod lists {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut v = vec![x[i]; 3];
                v[1] += 1;
                let w = vec![v[0], v[1], { let t = v[2]; t + i as i64 }];
                out[i] = w.iter().sum();
            }
        }
    }
    mod formats {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], w: usize) {
            let width = w % 9;
            for i in 0..x.len() {
                let v = x[i];
                let text = format!("{v:width$} {i} {a:>b$} {}", x[i], a = i + 1, b = width);
                out[i] = text.len() as i64;
            }
        }
    }
    mod texts_of_all {
        use std::fmt::Write as _;
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> String {
            let mut text = String::new();
            for i in 0..x.len() {
                write!(text, "{} {i};", x[i]).unwrap();
                writeln!(text).unwrap();
            }
            text
        }
    }
    mod assertions {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                assert!(i < x.len(), "{i} of {}", x.len());
                debug_assert_eq!(x[i], x[i], "{}", x[i]);
                out[i] = x[i];
            }
        }
    }
    mod pointer_to_a_copy {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let t = x[i];
                let p = &raw const t;
                out[i] = unsafe { *p };
            }
        }
    }
    mod unsafe_call {
        unsafe fn twice(v: i64) -> i64 {
            v * 2
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = unsafe { twice(x[i]) };
            }
        }
    }
    mod type_of_a_local {
        macro_rules! number {
            () => {
                i64
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let v: number!() = x[i] * 3;
                out[i] = v as number!();
            }
        }
    }
    mod scale_before_the_loop {
        macro_rules! scaled {
            ($s:ident, $e:expr) => {
                $s * $e
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 2;
            s += 1;
            for i in 0..x.len() {
                out[i] = scaled!(s, x[i]);
            }
        }
    }
}
