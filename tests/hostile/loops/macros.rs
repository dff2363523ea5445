//! Macros that bind, write, define items or leave the loop.

mod refused {
    mod write_of_a_halved_index {
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
    mod write_in_braces {
        macro_rules! put {
            ($o:ident, $i:expr, $v:expr) => {
                $o[$i / 2] = $v;
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = 1;
                {
                    put!(out, i, x[i]);
                }
            }
        }
    }
    mod write_as_a_value {
        macro_rules! put {
            ($o:ident [ $i:expr ] = $v:expr) => {{
                $o[$i / 2] += $v;
                $v
            }};
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], wide: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = 0;
                wide[i] = put!(out[i] = x[i]);
            }
        }
    }
    mod read_of_another_element {
        macro_rules! half {
            ($o:ident [ $i:expr ]) => {
                $o[$i / 2]
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = half!(out[i]) + x[i];
            }
        }
    }
    mod read_of_a_halved_index {
        macro_rules! half {
            ($x:ident [ $i:expr ]) => {
                $x[$i / 2]
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = half!(x[i]);
            }
        }
    }
    mod place_of_a_macro {
        macro_rules! at {
            ($o:ident, $i:expr) => {
                $o[$i / 2]
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let r = &mut at!(out, i);
                *r = x[i];
            }
        }
    }
    mod macro_of_a_macro {
        macro_rules! put {
            ($o:ident, $i:expr, $v:expr) => {
                $o[$i / 2] = $v
            };
        }
        macro_rules! run {
            ($m:ident, $($t:tt)*) => {
                $m!($($t)*)
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                run!(put, out, i, x[i]);
            }
        }
    }
    mod macro_in_a_list {
        macro_rules! halve {
            ($k:ident) => {{
                $k /= 2;
                0
            }};
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let z = vec![halve!(k); 1];
                out[k] = x[i] + z[0];
            }
        }
    }
    mod write_in_a_list {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                k += 1;
                let z = vec![{ k /= 2; 0 }; 1];
                out[k] = x[i] + z[0];
            }
        }
    }
    mod write_in_a_length {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let z = vec![0; { k /= 2; 1 }];
                out[k] = x[i] + z[0];
            }
        }
    }
    mod write_in_a_guard {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                if matches!(x[i], v if { k /= 2; v > 0 }) {
                    out[k] = x[i];
                }
            }
        }
    }
    mod write_in_an_assertion {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                assert!({ k /= 2; true }, "{}", k);
                out[k] = x[i];
            }
        }
    }
    mod write_in_a_named_argument {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let text = format!("{a:?}", a = { k /= 2; 3 });
                out[k] = x[i] + text.len() as i64;
            }
        }
    }
    mod write_in_dbg {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let v = dbg!({ k /= 2; x[i] });
                out[k] = v;
            }
        }
    }
    mod borrow_in_a_list {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let mut all = vec![&mut k];
                *all[0] /= 2;
                out[k] = x[i];
            }
        }
    }
    mod index_that_a_macro_halves {
        macro_rules! halve {
            ($k:ident) => {
                $k /= 2
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                halve!(k);
                out[k] = x[i];
            }
        }
    }
    mod index_that_a_value_halves {
        macro_rules! halved {
            ($k:expr) => {{
                $k /= 2;
                1
            }};
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let one = halved!(k);
                out[k] = x[i] + one;
            }
        }
    }
    mod index_behind_a_reference {
        macro_rules! halve {
            ($k:expr) => {
                *$k /= 2
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let r = &mut k;
                halve!(r);
                out[k] = x[i];
            }
        }
    }
    mod borrow_that_a_macro_makes {
        macro_rules! borrowed {
            ($k:ident) => {
                &mut $k
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let r = borrowed!(k);
                *r /= 2;
                out[k] = x[i];
            }
        }
    }
    mod binding_of_the_index {
        macro_rules! bind {
            ($i:ident) => {
                let $i = $i / 2;
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                bind!(i);
                out[i] = x[i];
            }
        }
    }
    mod binding_before_the_loop {
        macro_rules! bind {
            ($w:ident) => {
                let $w = $w - 1;
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let w = 1;
            bind!(w);
            for i in 0..x.len() {
                out[i * w] = x[i];
            }
        }
    }
    mod constant_of_a_macro {
        macro_rules! mk {
            () => {
                #[allow(non_upper_case_globals)]
                const k: usize = 0;
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                mk!();
                out[i * k] = x[i];
            }
        }
    }
    mod constant_of_a_macro_behind_its_use {
        macro_rules! mk {
            ($v:expr) => {
                #[allow(non_upper_case_globals)]
                const k: usize = $v;
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                out[i * k] = x[i];
                mk!(0);
            }
        }
    }
    mod constant_of_a_macro_in_braces_at_the_end {
        macro_rules! mk {
            ($($t:tt)*) => {
                #[allow(non_upper_case_globals)]
                const k: usize = 0;
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                out[i * k] = x[i];
                mk! {}
            }
        }
    }
    mod function_of_a_macro {
        fn at(i: usize) -> usize {
            i
        }
        macro_rules! mk {
            () => {
                fn at(i: usize) -> usize {
                    i / 2
                }
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                mk!();
                out[at(i)] = x[i];
            }
        }
    }
    mod module_of_a_macro {
        macro_rules! mk {
            () => {
                use other as cmp;
                mod other {
                    pub fn min(a: usize, b: usize) -> usize {
                        a.max(b)
                    }
                }
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            use std::cmp;
            for i in 0..x.len() / 3 {
                mk!();
                for j in 0..cmp::min(3, 7) {
                    out[3 * i + j] = x[i];
                }
            }
        }
    }
    mod type_of_a_macro {
        macro_rules! mk {
            () => {
                #[allow(non_camel_case_types)]
                type u64 = u8;
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                mk!();
                out[(i as u64 / 2 * 2) as usize] = x[i];
            }
        }
    }
    mod pattern_of_a_macro {
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
    mod pattern_in_an_arm {
        macro_rules! pid {
            ($a:ident) => {
                Some($a)
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                match Some(i / 2) {
                    pid!(i) => out[i] = x[i],
                    None => {}
                }
            }
        }
    }
    mod pattern_of_a_condition {
        macro_rules! pid {
            ($a:ident) => {
                Some($a)
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                if let pid!(i) = Some(i / 2) {
                    out[i] = x[i];
                }
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
                let mut put = |pid!(i): usize| out[i] = 3;
                put(i / 2);
            }
        }
    }
    mod type_that_narrows {
        macro_rules! narrow {
            () => {
                u8
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[(i * 16) as narrow!() as usize / 16] = x[i];
            }
        }
    }
    mod return_of_a_macro {
        macro_rules! stop {
            ($c:expr) => {
                if $c {
                    return;
                }
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                stop!(x[i] % 5 == 0);
                out[i] = x[i];
            }
        }
    }
    mod break_of_a_macro {
        macro_rules! stop {
            ($c:expr) => {
                if $c {
                    break;
                }
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for i in 0..x.len() {
                let odd = {
                    stop!(x[i] % 5 == 0);
                };
                s += x[i];
                _ = odd;
            }
            s
        }
    }
    mod break_in_the_tokens {
        macro_rules! when {
            ($c:expr => $($t:tt)*) => {
                if $c { $($t)* }
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for i in 0..x.len() {
                when!(x[i] % 5 == 0 => break);
                s += x[i];
            }
            s
        }
    }
    mod label_in_the_tokens {
        macro_rules! leave {
            ($l:lifetime, $c:expr) => {
                if $c {
                    break $l;
                }
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            'all: for i in 0..x.len() {
                for j in 0..3 {
                    leave!('all, x[i] > 3 + j);
                }
                out[i] = x[i];
            }
        }
    }
    mod question_mark_of_a_macro {
        macro_rules! give {
            ($o:expr) => {
                $o?
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> Option<()> {
            for i in 0..x.len() {
                out[i] = give!(Some(x[i]).filter(|v| v % 5 != 0));
            }
            Some(())
        }
    }
    mod total_that_a_macro_changes {
        macro_rules! raise {
            ($v:expr) => {
                $v *= 2
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s = s.wrapping_add(x[i]);
                raise!(s);
            }
            s
        }
    }
    mod total_that_a_macro_alone_changes {
        macro_rules! raise {
            ($s:ident, $v:expr) => {
                $s = $s * 3 + $v
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                raise!(s, x[i] % 2);
                s %= 1000;
            }
            s
        }
    }
    mod total_in_a_condition {
        macro_rules! above {
            ($v:ident, $x:expr) => {{
                $v -= 1;
                $x > 3
            }};
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                if above!(s, x[i]) {
                    s += 5;
                }
            }
            s
        }
    }
    mod total_that_a_string_names {
        macro_rules! log {
            ($t:literal) => {
                format!($t)
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i] % 3 + log!("{s}").len() as i64;
            }
            s
        }
    }
    mod total_that_std_prints {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i] % 3 + format!("{s:>3}").len() as i64;
            }
            s
        }
    }
    mod width_that_std_prints {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> usize {
            let mut w = 0usize;
            for i in 0..x.len() {
                w += format!("{:w$}", x[i]).len();
            }
            w
        }
    }
    mod list_that_a_macro_reverses {
        macro_rules! add {
            ($t:ident, $v:expr) => {{
                $t.insert(0, $v)
            }};
        }
        #[forall::foreach_tls]
        fn program(x: &[i64], to: &mut Vec<i64>) {
            for i in 0..x.len() {
                to.push(x[i]);
                add!(to, x[i]);
            }
        }
    }
    mod own_format {
        macro_rules! format {
            ($t:literal, $v:expr) => {{
                $v /= 2;
                String::from($t)
            }};
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let text = format!("{}", k);
                out[k] = x[i] + text.len() as i64;
            }
        }
    }
    mod own_assertion_in_the_function {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            macro_rules! assert {
                ($v:expr) => {
                    $v
                };
            }
            for i in 0..x.len() {
                let mut k = i;
                assert!(k /= 2);
                out[k] = x[i];
            }
        }
    }
    mod own_assertion_in_the_loop {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                macro_rules! assert {
                    ($k:expr, $v:expr) => {
                        $k = $v
                    };
                }
                let mut k = i;
                assert!(k, k > 0);
                out[k as usize] = x[i];
            }
        }
    }
    mod own_assertion_before_the_loop {
        macro_rules! assert {
            ($k:expr) => {
                $k
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut w = 1;
            assert!(w = 0);
            for i in 0..x.len() {
                out[i * w] = x[i];
            }
        }
    }
    mod own_list {
        mod mine {
            macro_rules! list {
                ($a:expr; $n:expr) => {
                    ::std::vec::Vec::from([$a, $a])
                };
            }
            pub(super) use list;
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() / 3 {
                use mine::list as vec;
                let v = vec![x[i]; 3];
                for j in 0..v.len() {
                    out[2 * i + j] = v[j];
                }
            }
        }
    }
}
