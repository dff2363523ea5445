//! Macros that assign, bind or borrow what they receive, and that define items.

mod refused {
    mod put_assigns_elsewhere {
        macro_rules! put {
            ($o:ident [ $i:expr ] = $v:expr) => {
                $o[$i / 2] = $v
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                put!(out[i] = x[i]);
            }
        }
    }
    mod put_with_commas {
        macro_rules! put {
            ($o:ident, $i:expr, $v:expr) => {
                $o[$i / 2] = $v
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                put!(out, i, x[i]);
            }
        }
    }
    mod put_beside_a_right_write {
        macro_rules! put {
            ($o:ident, $i:expr, $v:expr) => {
                $o[$i / 2] += $v
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = x[i];
                put!(out, i, x[i]);
            }
        }
    }
    mod put_in_braces_in_rows {
        macro_rules! put {
            ($r:ident, $v:expr) => {
                $r[0] = $v;
            };
        }
        #[forall::foreach]
        fn program(x: &[f64], wide: &mut [f64], out: &mut [f64]) {
            for (i, row) in wide.chunks_exact_mut(3).enumerate() {
                put! { row, x[i] }
                put!(out, x[i]);
            }
        }
    }
    mod put_under_scan {
        macro_rules! put {
            ($o:ident, $i:expr, $v:expr) => {
                $o[$i / 2] = $v
            };
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
                put!(out, i, s);
            }
        }
    }
    mod accumulator_given {
        macro_rules! add {
            ($s:ident, $v:expr) => {
                $s = $s * 3 % 1000 + $v
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                add!(s, x[i]);
            }
            s
        }
    }
    mod accumulator_given_beside_a_sum {
        macro_rules! cut {
            ($s:ident) => {
                if $s > 50 {
                    $s = 0;
                }
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
                cut!(s);
            }
            s
        }
    }
    mod accumulator_read {
        macro_rules! show {
            ($o:ident, $i:ident, $s:expr) => {
                $o[$i] = $s
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
                show!(out, i, s);
            }
        }
    }
    mod best_given {
        macro_rules! keep {
            ($b:ident, $v:expr) => {
                if $v < $b {
                    $b = $v;
                } else {
                    $b += 1;
                }
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = 1000i64;
            for &v in x {
                if v < b {
                    b = v;
                }
                keep!(b, v);
            }
            b
        }
    }
    mod index_of_a_macro {
        macro_rules! at {
            ($i:expr) => {
                $i / 2
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[at!(i)] = x[i];
            }
        }
    }
    mod index_read_of_a_macro {
        macro_rules! prev {
            ($o:ident, $i:expr) => {
                if $i > 0 { $o[$i - 1] } else { 0 }
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = prev!(out, i) + x[i];
            }
        }
    }
    mod borrows_mutably {
        macro_rules! half {
            ($k:ident) => {{
                let p = &mut $k;
                *p /= 2;
            }};
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                half!(k);
                out[k] = x[i];
            }
        }
    }
    mod borrows_mutably_the_value {
        macro_rules! half {
            ($k:expr) => {
                *$k /= 2
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                half!(&mut k);
                out[k] = x[i];
            }
        }
    }
    mod rebinds_by_let {
        macro_rules! lets {
            ($i:ident, $e:expr) => {
                let $i = $e;
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let v = x[i];
                lets!(i, i / 2);
                out[i] = v;
            }
        }
    }
    mod rebinds_a_parameter {
        macro_rules! lets {
            ($i:ident, $e:expr) => {
                let $i = $e;
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: usize) {
            lets!(k, k - 2);
            for i in 0..x.len() {
                out[i * k] = x[i];
            }
        }
    }
    mod rebinds_a_slice {
        macro_rules! lets {
            ($i:ident = $e:expr) => {
                let $i = $e;
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                lets!(out = &mut out[i / 2..]);
                out[0] = x[i];
            }
        }
    }
    mod rebinds_the_accumulator {
        macro_rules! lets {
            ($i:ident) => {
                let mut $i = 7i64;
                $i += 1;
                let _ = $i;
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                lets!(s);
                s += x[i];
                let _ = s;
            }
            s
        }
    }
    mod pattern_of_let {
        macro_rules! pid {
            ($a:ident) => {
                $a
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let v = x[i];
                let pid!(i) = i / 2;
                out[i] = v;
            }
        }
    }
    mod pattern_of_match {
        macro_rules! pid {
            ($a:ident) => {
                $a
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let v = x[i];
                match i / 2 {
                    pid!(i) => out[i] = v,
                }
            }
        }
    }
    mod pattern_of_if_let {
        macro_rules! some {
            ($a:ident) => {
                Some($a)
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let v = x[i];
                if let some!(i) = Some(i / 2) {
                    out[i] = v
                }
            }
        }
    }
    mod pattern_of_a_loop {
        macro_rules! pid {
            ($a:ident) => {
                $a
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let v = x[i];
                for pid!(i) in i / 2..i / 2 + 1 {
                    out[i] = v
                }
            }
        }
    }
    mod pattern_of_the_loop {
        macro_rules! two {
            ($a:ident, $b:ident) => {
                ($b, $a)
            };
        }
        #[forall::foreach]
        fn program(x: &[usize], out: &mut [usize]) {
            for two!(a, b) in x.iter().copied().enumerate() {
                out[b] = a;
            }
        }
    }
    mod pattern_of_a_closure {
        macro_rules! pid {
            ($a:ident) => {
                $a
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let v = x[i];
                let f = |pid!(i): usize| i / 2;
                let k = f(i);
                out[k] = v;
            }
        }
    }
    mod pattern_of_while_let {
        macro_rules! some {
            ($a:ident) => {
                Some($a)
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let v = x[i];
                let mut o = Some(i / 2);
                while let some!(i) = o {
                    out[i] = v;
                    o = None;
                }
            }
        }
    }
    mod pattern_without_arguments_of_a_constant {
        macro_rules! three {
            () => {
                3
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                match i % 5 {
                    three!() => out[i / 5] = x[i],
                    _ => {}
                }
            }
        }
    }
    mod type_of_a_macro {
        macro_rules! ty {
            () => {
                u8
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i as ty!() as usize] = x[i];
            }
        }
    }
    mod item_constant {
        macro_rules! mk {
            () => {
                const k: usize = 0;
            };
        }
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                mk!();
                out[i * k] = x[i];
            }
        }
    }
    mod item_constant_after {
        macro_rules! mk {
            ($n:ident) => {
                const $n: usize = 0;
            };
        }
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                out[i * k] = x[i];
                mk!(k);
            }
        }
    }
    mod item_constant_in_inner_block {
        macro_rules! mk {
            () => {
                const K: usize = 0;
            };
        }
        const K: usize = 1;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                if x[i] > 0 {
                    mk! {}
                    out[i * K] = x[i];
                } else {
                    out[i * K] = 1;
                }
            }
        }
    }
    mod item_function {
        macro_rules! mk {
            () => {
                fn at(i: usize) -> usize {
                    i / 2
                }
            };
        }
        fn at(i: usize) -> usize {
            i
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                mk!();
                let _ = at(i);
                out[i + at(i) - i] = x[i];
            }
        }
    }
    mod item_static {
        macro_rules! mk {
            () => {
                static k: usize = 0;
            };
        }
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                mk!();
                out[i * k] = x[i];
            }
        }
    }
    mod item_use {
        mod m {
            pub const K: usize = 0;
        }
        const K: usize = 1;
        macro_rules! mk {
            () => {
                use m::K;
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                mk!();
                out[i * K] = x[i];
            }
        }
    }
    mod item_type {
        macro_rules! mk {
            () => {
                type Wide = u8;
            };
        }
        type Wide = u64;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                mk!();
                out[i as Wide as usize] = x[i];
            }
        }
    }
    mod item_trait_in_scope {
        mod m {
            pub trait Floor {
                fn floor(self) -> usize;
            }
            impl Floor for usize {
                fn floor(self) -> usize {
                    self / 2
                }
            }
        }
        macro_rules! mk {
            () => {
                use m::Floor;
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                mk!();
                out[i.floor()] = x[i];
            }
        }
    }
    mod item_before_the_loop {
        macro_rules! mk {
            () => {
                const K: usize = 0;
            };
        }
        const K: usize = 1;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            mk!();
            for i in 0..x.len() {
                out[i * K] = x[i];
            }
        }
    }
    mod macro_of_the_loop_body {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                macro_rules! at {
                    () => {
                        i / 2
                    };
                }
                out[at!()] = x[i];
            }
        }
    }
    mod macro_of_the_function {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                macro_rules! half {
                    () => {
                        k /= 2;
                    };
                }
                half!();
                out[k] = x[i];
            }
        }
    }
    mod macro_of_the_function_before_the_loop {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            macro_rules! cut {
                () => {
                    if s > 40 {
                        s = 1;
                    }
                };
            }
            for i in 0..x.len() {
                s += x[i];
                cut!();
            }
            s
        }
    }
    mod macro_of_the_function_that_is_a_table_name {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                macro_rules! assert {
                    ($c:expr) => {
                        k /= 2;
                    };
                }
                assert!(x[i] < 1000);
                out[k] = x[i];
            }
        }
    }
}
