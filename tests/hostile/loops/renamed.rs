//! Variables of one name, beside words that must keep it: fields, format strings, macros, assertions.

mod right {
    mod name_of_the_second_is_taken {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k__2 = 100i64;
                let k = k * 2;
                out[i] = k + k__2;
            }
        }
    }
    mod name_of_the_second_is_taken_after {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 2;
                let k__2 = 100i64;
                out[i] = k + k__2;
            }
        }
    }
    mod name_of_the_second_is_a_parameter {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k__2: i64) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 2;
                out[i] = k + k__2;
            }
        }
    }
    mod name_of_the_second_is_a_constant {
        #[allow(non_upper_case_globals)]
        const k__2: i64 = 100;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 2;
                out[i] = k + k__2;
            }
        }
    }
    mod name_of_the_second_is_a_function {
        fn k__2(v: i64) -> i64 {
            v + 1
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 2;
                out[i] = k__2(k);
            }
        }
    }
    mod name_of_the_second_is_a_field {
        struct S {
            k__2: i64,
            k: i64,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 2;
                let s = S { k__2: 3, k };
                out[i] = s.k * s.k__2;
            }
        }
    }
    mod format_captures_the_second {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 200;
                out[i] = format!("{k}").len() as i64;
            }
        }
    }
    mod format_captures_the_second_with_a_width {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let w = 2usize;
                let w = w * 3;
                let k = k * 200;
                out[i] = format!("{k:>w$} {0} {k:?}", i).len() as i64;
            }
        }
    }
    mod format_with_escaped_braces {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 200;
                out[i] = format!("{{k}} {k}").bytes().map(|b| b as i64).sum::<i64>();
            }
        }
    }
    mod format_in_a_raw_string {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 200;
                out[i] = format!(r#"{k} "{k:+}""#).len() as i64;
            }
        }
    }
    mod format_named_argument_of_the_name {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 200;
                out[i] = format!("{k} {j}", k = 3, j = k).len() as i64;
            }
        }
    }
    mod panic_message_captures_the_second {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 2;
                if k > 40 {
                    panic!("large {k} at {i}");
                }
                out[i] = k;
            }
        }
    }
    mod assert_message_names_the_second {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 2;
                assert!(k < 40);
                out[i] = k;
            }
        }
    }
    mod assert_eq_names_the_second {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i] > 25;
                let k = !k;
                assert_eq!(k, true);
                out[i] = k as i64;
            }
        }
    }
    mod unwrap_message {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k.checked_sub(3).filter(|k| *k < 20);
                out[i] = k.expect("k is small");
            }
        }
    }
    mod stringify_of_the_second {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 2;
                out[i] = k + stringify!(k + 1).len() as i64;
            }
        }
    }
    mod stringify_by_a_macro_of_the_user {
        macro_rules! name {
            ($k:ident) => {
                stringify!($k).len() as i64
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 2;
                out[i] = k + name!(k);
            }
        }
    }
    mod macro_of_the_user_matches_the_name {
        macro_rules! is_k {
            (k) => {
                1
            };
            ($other:ident) => {
                2
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 2;
                out[i] = k + is_k!(k);
            }
        }
    }
    mod macro_of_the_user_takes_a_field {
        struct S {
            k: i64,
        }
        macro_rules! field {
            ($s:expr, $k:ident) => {
                $s.$k
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let s = S { k: x[i] };
                let k = 3;
                let k = k * 2;
                out[i] = field!(s, k) + k;
            }
        }
    }
    mod macro_of_the_user_makes_a_struct {
        struct S {
            k: i64,
        }
        macro_rules! make {
            ($k:ident) => {
                S { $k: 3 }
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 2;
                out[i] = make!(k).k + k;
            }
        }
    }
    mod macro_of_the_user_shorthand {
        struct S {
            k: i64,
        }
        macro_rules! make {
            ($k:ident) => {
                S { $k }
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 2;
                out[i] = make!(k).k + k;
            }
        }
    }
    mod macro_with_a_string {
        macro_rules! show { ($($t:tt)*) => { format!($($t)*) } }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k * 200;
                out[i] = show!("{k}").len() as i64;
            }
        }
    }
    mod shorthand_of_the_second {
        struct S {
            k: i64,
            j: i64,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let j = 2;
                let k = k * 2;
                let s = S { j, k };
                out[i] = s.k + s.j;
            }
        }
    }
    mod shorthand_pattern_of_the_second {
        struct S {
            k: i64,
            j: i64,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let S { k, ref j } = S { j: k, k: 7 };
                let S { mut k, .. } = S { j: 1, k: k + *j };
                k += 1;
                out[i] = k;
            }
        }
    }
    mod shorthand_pattern_in_a_closure {
        struct S {
            k: i64,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let f = |S { k }: S| k + 1;
                out[i] = f(S { k }) + k;
            }
        }
    }
    mod enum_shorthand {
        enum E {
            A { k: i64 },
            B,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let e = if k > 3 { E::A { k } } else { E::B };
                out[i] = match e {
                    E::A { k } if k > 9 => k,
                    E::A { k: j } => j * k,
                    E::B => k,
                };
            }
        }
    }
    mod method_of_the_name {
        trait T {
            fn k(&self) -> i64;
        }
        impl T for i64 {
            fn k(&self) -> i64 {
                self + 1
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k.k();
                out[i] = k.k() + T::k(&k);
            }
        }
    }
    mod label_of_the_name {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = 'k: {
                    let k = k * 2;
                    if k > 9 {
                        break 'k 1;
                    }
                    k
                };
                out[i] = k;
            }
        }
    }
    mod fn_of_the_body_with_the_name {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let k = k + 1;
                fn f(k: i64) -> i64 {
                    let k = k * 2;
                    k
                }
                out[i] = f(k);
            }
        }
    }
    mod const_of_the_body_used_in_a_type {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                const N: usize = 3;
                let a: [i64; N] = [x[i]; N];
                {
                    const N: usize = 2;
                    let b: [i64; N] = [1; N];
                    out[i] = a.len() as i64 * 10 + b.len() as i64;
                }
            }
        }
    }
    mod static_of_two_blocks {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let a = {
                    static K: i64 = 3;
                    K
                };
                let b = {
                    static K: i64 = 5;
                    K
                };
                out[i] = a * x[i] + b;
            }
        }
    }
    mod macro_of_two_blocks {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let p = {
                    macro_rules! m {
                        ($v:expr) => {
                            $v + 1
                        };
                    }
                    m!(x[i])
                };
                let q = {
                    macro_rules! m {
                        ($v:expr) => {
                            $v * 2
                        };
                    }
                    m!(x[i])
                };
                out[i] = p - q;
            }
        }
    }
    mod accumulator_of_the_second {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let s = 5i64;
            let mut s = s * 2;
            for i in 0..x.len() {
                s += x[i];
            }
            s
        }
    }
    mod accumulator_of_the_second_in_the_result {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
            }
            let t = s;
            let mut s = 0i64;
            for i in 0..x.len() {
                s = s.max(x[i]);
            }
            (s, t)
        }
    }
    mod parameter_hidden_by_a_let {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: i64) {
            let k = k * 2;
            for i in 0..x.len() {
                out[i] = x[i] * k;
            }
            let k = 3;
            for i in 0..x.len() {
                out[i] += k;
            }
        }
    }
    mod parameter_hidden_in_an_index {
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64], w: usize) {
            let w = w - 1;
            for i in 0..x.len() {
                for j in 0..w {
                    wide[i * (w + 1) + j] = x[i];
                }
            }
        }
    }
    mod slice_hidden_by_a_copy {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let x: Vec<i64> = x.iter().map(|v| v * 2).collect();
            for i in 0..out.len() {
                out[i] = x[i];
            }
        }
    }
    mod slice_hidden_by_an_element {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (x, out) in x.iter().zip(out.iter_mut()) {
                let x = *x * 2;
                *out = x;
            }
        }
    }
    mod slice_hidden_by_a_number {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                let x = x[i];
                {
                    let x = x * 2;
                    s += x;
                }
                s += x;
            }
            s
        }
    }
    mod pushed_hidden {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut to = Vec::new();
            for i in 0..x.len() {
                let v = {
                    let mut to = Vec::new();
                    to.push(x[i]);
                    to.push(3);
                    to.len() as i64
                };
                to.push(v + x[i]);
            }
            to
        }
    }
    mod closure_parameter_of_the_second {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let f = |k: i64| {
                    let k = k + 1;
                    k * 2
                };
                let k = f(k) + k;
                out[i] = k + (|k| k)(i as i64);
            }
        }
    }
    mod captured_by_a_format_of_a_closure {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i];
                let f = |k: i64| format!("{k}/{k:03}").len() as i64;
                let k = k * 300;
                out[i] = f(k) + k;
            }
        }
    }
}

mod refused {
    mod cfg_let_hides {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = i;
                #[cfg(all())]
                let k = k / 2;
                out[k] = x[i];
            }
        }
    }
    mod cfg_let_hides_nothing {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = i / 2;
                #[cfg(any())]
                let k = i;
                out[k] = x[i];
            }
        }
    }
    mod cfg_statement_is_not_there {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut t = 0i64;
            for i in 0..x.len() {
                #[cfg(any())]
                {
                    t = 0;
                }
                t += x[i];
                out[i] = t;
            }
        }
    }
    mod cfg_reset_is_not_there {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut t = 0i64;
            for i in 0..x.len() {
                #[cfg(any())]
                let () = t = 0;
                t = t.max(x[i]);
                out[i] = t;
            }
        }
    }
    mod cfg_arm_is_not_there {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                match x[i] {
                    #[cfg(any())]
                    _ => {}
                    v if v > 3 => s += v,
                    #[cfg(all())]
                    _ => s += 1,
                    #[cfg(any())]
                    _ => s = 0,
                }
            }
            s
        }
    }
    mod cfg_function_of_the_body {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                #[cfg(any())]
                fn at(i: usize) -> usize {
                    i
                }
                #[cfg(all())]
                fn at(i: usize) -> usize {
                    i / 2
                }
                out[at(i)] = x[i];
            }
        }
    }
    mod cfg_const_of_the_body {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                #[cfg(any())]
                const K: usize = 1;
                #[cfg(all())]
                const K: usize = 0;
                out[i * K] = x[i];
            }
        }
    }
    mod cfg_macro {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                if cfg!(any()) {
                    out[i] = x[i];
                } else {
                    out[i / 2] = x[i];
                }
            }
        }
    }
}
