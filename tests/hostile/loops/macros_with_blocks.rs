//! Macros of std with blocks that have side effects, and macros of the user of the same names.

mod refused {
    mod stop_breaks_a_label {
        macro_rules! stop {
            ($l:lifetime) => {
                break $l
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            'a: for i in 0..x.len() {
                for _j in 0..2 {
                    if x[i] > 24 {
                        stop!('a);
                    }
                }
                out[i] = x[i];
            }
        }
    }
    mod next_skips_a_count {
        macro_rules! next {
            () => {
                continue
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0;
            for i in 0..x.len() {
                if x[i] < 0 {
                    next!();
                }
                out[k] = x[i];
                k += 1;
            }
        }
    }
    mod vec_with_a_block {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                k += 1;
                let z = vec![
                    {
                        k /= 2;
                        0i64
                    };
                    1
                ];
                out[k] = x[i] + z[0];
            }
        }
    }
    mod vec_with_a_block_in_a_list {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let z = vec![0i64, {
                    k /= 2;
                    0
                }];
                out[k] = x[i] + z[0];
            }
        }
    }
    mod vec_with_a_block_as_length {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let z = vec![
                    0i64;
                    {
                        k /= 2;
                        2
                    }
                ];
                out[k] = x[i] + z[0];
            }
        }
    }
    mod matches_with_a_block {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let _b = matches!(
                    {
                        k /= 2;
                        x[i]
                    },
                    3 | 4
                );
                out[k] = x[i];
            }
        }
    }
    mod matches_with_a_guard_that_assigns {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let _b = matches!(x[i], q if { k /= 2; q > 3 });
                out[k] = x[i];
            }
        }
    }
    mod assert_with_a_block {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                assert!({
                    k /= 2;
                    true
                });
                out[k] = x[i];
            }
        }
    }
    mod assert_with_a_block_in_its_message {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                assert_eq!(
                    {
                        k /= 2;
                        k
                    },
                    i / 2,
                    "{}",
                    i
                );
                out[k] = x[i];
            }
        }
    }
    mod debug_assert_with_a_block {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                debug_assert!({
                    k /= 2;
                    true
                });
                debug_assert_ne!(
                    {
                        k += 1;
                        k
                    },
                    0
                );
                out[k] = x[i];
            }
        }
    }
    mod format_with_a_block {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let s = format!("{}", {
                    k /= 2;
                    k
                });
                out[k] = x[i] + s.len() as i64;
            }
        }
    }
    mod println_with_a_block {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                eprintln!("{}", {
                    k /= 2;
                    k
                });
                out[k] = x[i];
            }
        }
    }
    mod format_captures_the_accumulator {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let mut t = 0i64;
            for i in 0..x.len() {
                s += x[i];
                t += format!("{s:03}").len() as i64;
            }
            s + t
        }
    }
    mod write_with_a_block {
        use std::fmt::Write;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let mut t = String::new();
                write!(t, "{}", {
                    k /= 2;
                    k
                })
                .unwrap();
                out[k] = x[i] + t.len() as i64;
            }
        }
    }
    mod panic_with_a_block {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                if x[i] > 5000 {
                    panic!("{}", {
                        k /= 2;
                        k
                    });
                }
                k += 0;
                out[k] = x[i];
            }
        }
    }
    mod addr_of_mut {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let p = std::ptr::addr_of_mut!(k);
                unsafe {
                    *p /= 2;
                }
                out[k] = x[i];
            }
        }
    }
    mod dbg_with_a_block {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let _z = dbg!({
                    k /= 2;
                    k
                });
                out[k] = x[i];
            }
        }
    }
    mod thread_local_in_the_body {
        use std::cell::Cell;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                thread_local! { static C: Cell<i64> = const { Cell::new(0) }; }
                C.set(x[i]);
                out[i] = C.get();
            }
        }
    }
    mod thread_local_carried {
        use std::cell::Cell;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            thread_local! { static C: Cell<i64> = const { Cell::new(0) }; }
            C.set(0);
            for i in 0..x.len() {
                C.set(C.get() + x[i]);
                out[i] = C.get();
            }
        }
    }
    mod own_debug_assert_of_an_element {
        macro_rules! debug_assert {
            ($k:expr) => {
                $k += 1
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = x[i];
                debug_assert!(out[i / 2]);
            }
        }
    }
    mod own_println {
        macro_rules! println { ($($s:ident),*) => { $( $s = $s % 17; )* } }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
                println!(s);
            }
            s
        }
    }
    mod own_panic {
        macro_rules! panic {
            ($($t:tt)*) => {{
                let _ = 0;
            }};
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                if i % 2 == 0 {
                    panic!("even")
                }
                out[i / 2] = x[i];
            }
        }
    }
    mod own_unreachable {
        macro_rules! unreachable {
            () => {{}};
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k;
                if i % 2 == 0 {
                    k = i;
                } else {
                    k = i - 1;
                    unreachable!()
                }
                out[k] = x[i];
            }
        }
    }
    mod own_macro_by_path {
        mod m {
            macro_rules! assert_of {
                ($k:expr, $c:expr) => {
                    $k /= 2
                };
            }
            pub(crate) use assert_of as assert;
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                m::assert!(k, true);
                out[k] = x[i];
            }
        }
    }
    mod own_macro_by_use {
        mod m {
            macro_rules! halve {
                ($k:expr) => {
                    $k /= 2
                };
            }
            pub(crate) use halve;
        }
        use m::halve as assert;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                self::assert!(k);
                out[k] = x[i];
            }
        }
    }
    mod own_macro_by_use_in_the_body {
        mod m {
            macro_rules! halve {
                ($k:expr) => {
                    $k /= 2
                };
            }
            pub(crate) use halve;
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                use m::halve as debug_assert;
                let mut k = i;
                debug_assert!(k);
                out[k] = x[i];
            }
        }
    }
    mod runs_its_block_elsewhere {
        macro_rules! with {
            ($i:ident, $b:block) => {{
                let $i = $i / 2;
                $b
            }};
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let v = x[i];
                with!(i, {
                    out[i] = v;
                });
            }
        }
    }
    mod runs_its_statements_twice {
        macro_rules! twice { ($($t:tt)*) => { $($t)* $($t)* } }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                twice! { k /= 2; }
                out[k] = x[i];
            }
        }
    }
    mod macro_in_a_header {
        macro_rules! twice {
            ($n:expr) => {
                $n * 2
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                for j in 0..twice!(1) {
                    let k = i + j;
                    if k < out.len() {
                        out[k] = x[i];
                    }
                }
            }
        }
    }
    mod macro_in_the_loops_header {
        macro_rules! range {
            ($k:ident, $n:expr) => {{
                $k = 0;
                0..$n
            }};
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 1;
            k += 0;
            for i in range!(k, x.len()) {
                out[i * k] = x[i];
            }
        }
    }
    mod macro_in_a_condition {
        macro_rules! half {
            ($k:ident) => {{
                $k /= 2;
                true
            }};
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                if half!(k) {
                    out[k] = x[i];
                }
            }
        }
    }
    mod macro_pushes {
        macro_rules! put {
            ($t:ident, $v:expr) => {
                if $t.len() < 5 {
                    $t.push($v);
                }
            };
        }
        #[forall::foreach_tls]
        fn program(x: &[i64], to: &mut Vec<i64>) {
            for i in 0..x.len() {
                put!(to, x[i]);
                to.push(1);
            }
        }
    }
    mod macro_pushes_alone {
        macro_rules! put {
            ($t:ident, $v:expr) => {
                $t.insert(0, $v)
            };
        }
        #[forall::foreach_tls]
        fn program(x: &[i64], to: &mut Vec<i64>) {
            for i in 0..x.len() {
                put!(to, x[i]);
            }
        }
    }
    mod macro_before_a_sort {
        macro_rules! first {
            ($v:ident) => {
                if !$v.is_empty() {
                    $v[0] = 100;
                }
            };
        }
        #[forall::distributed_sort]
        fn program(out: &mut [i64]) {
            first!(out);
            out.sort();
        }
    }
    mod macro_after_the_loop_reads_a_scratch {
        macro_rules! half {
            ($s:ident) => {
                $s / 2
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let mut last = 0i64;
            for i in 0..x.len() {
                s += x[i];
                last = s;
            }
            half!(last)
        }
    }
    mod nested_macros {
        macro_rules! outer { ($($t:tt)*) => { inner!($($t)*) } }
        macro_rules! inner {
            ($k:ident /= $e:expr) => {
                $k /= $e
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                outer!(k /= 2);
                out[k] = x[i];
            }
        }
    }
    mod macro_in_a_known_macro {
        macro_rules! half {
            ($k:ident) => {{
                $k /= 2;
                true
            }};
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                assert!(half!(k));
                out[k] = x[i];
            }
        }
    }
    mod macro_as_a_field_or_method {
        macro_rules! half {
            ($k:ident) => {{
                $k /= 2;
                $k
            }};
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let q = half!(k).min(3);
                out[k] = x[i] + q as i64;
            }
        }
    }
    mod macro_makes_a_closure {
        macro_rules! closure {
            ($k:ident) => {
                || {
                    $k /= 2;
                }
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                closure!(k)();
                out[k] = x[i];
            }
        }
    }
    mod macro_borrows_for_later {
        macro_rules! lend {
            ($k:ident) => {
                &mut $k
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let p = lend!(k);
                *p /= 2;
                out[k] = x[i];
            }
        }
    }
    mod macro_lends_the_slice {
        macro_rules! lend {
            ($o:ident) => {
                &mut $o[..]
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let p = lend!(out);
                p[i / 2] = x[i];
            }
        }
    }
}
