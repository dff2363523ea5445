//! Names that mean different things in different places.

mod refused {
    mod constant_of_a_method {
        const K: usize = 0;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            struct S;
            impl S {
                fn first() -> usize {
                    const K: usize = 1;
                    K - 1
                }
            }
            for i in 0..x.len() {
                out[i * K] = x[i] + S::first() as i64;
            }
        }
    }
    mod copied_from_an_inner_variable {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                for _ in 0..1 {
                    let i = i / 2;
                    k = i;
                }
                out[k] = x[i];
            }
        }
    }
    mod bound_in_a_nested_condition {
        #[forall::kary_reduce]
        fn program(x: &[i64], o: Option<i64>) -> i64 {
            let mut s = 0;
            for i in 0..x.len() {
                if { if let Some(s) = o { x[i] > s } else { false } } {
                    s -= 10;
                }
                s = s.max(x[i]);
            }
            s
        }
    }
    mod type_of_a_block {
        struct S;
        impl S {
            const K: usize = 1;
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            out[S::K] = 0;
            for i in 0..x.len() {
                struct S;
                impl S {
                    const K: usize = 0;
                }
                out[i * S::K] = x[i];
            }
        }
    }
    mod constant_seen_before_it_is_written {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                out[i * k] = x[i];
                const k: usize = 0;
            }
        }
    }
    mod halved_in_an_arm {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                match i / 2 {
                    i => out[i] = x[i],
                }
            }
        }
    }
    mod halved_by_a_chain {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                if let Some(i) = i.checked_sub(1) && let i = i / 2 && out.len() > i {
                    out[i] = x[i];
                }
            }
        }
    }
    mod label_of_another_loop {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            'a: for i in 0..x.len() {
                'a: for j in 0..2 {
                    if x[i] > j {
                        break 'a;
                    }
                }
                if x[i] > 3 {
                    break 'a;
                }
                out[i] = x[i];
            }
        }
    }
    mod sum_under_another_sum {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for i in 0..x.len() {
                let before = s;
                {
                    let mut s = 0;
                    s += before;
                    s += x[i];
                }
                s = before / 2 + x[i];
            }
            s
        }
    }
    mod constant_in_an_arm {
        const k: usize = 3;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                match i {
                    k => out[k] = x[i],
                    _ => {}
                }
            }
        }
    }
    mod constant_in_a_condition {
        const k: i64 = 3;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for i in 0..x.len() {
                if let Some(k) = x[i].checked_sub(1) {
                    s += k;
                }
            }
            s
        }
    }
    mod macro_of_two_variables {
        macro_rules! put {
            ($o:ident, $i:ident) => {
                $o[$i] = 1
            };
        }
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                {
                    let i = i / 2;
                    put!(out, i);
                }
            }
        }
    }
}

mod right {
    mod each_its_own {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: usize) {
            let k = k.min(3);
            for i in 0..x.len().saturating_sub(k) {
                let v = x[i];
                let v = if let Some(v) = v.checked_mul(2) && v > 3 { v - 1 } else { v };
                let v = match v {
                    i @ 0..=9 => i * 2,
                    v if v < 0 => -v,
                    v => v / 2,
                };
                out[i + k] = {
                    let k = v + 1;
                    let v = |k: i64| k * v;
                    v(k)
                };
            }
        }
    }
    mod sums_of_one_name {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for i in 0..x.len() {
                let t = {
                    let mut s = x[i];
                    for k in 0..3 {
                        s += k;
                    }
                    s
                };
                s += t;
            }
            let t = s;
            let mut s = 1;
            for i in 0..x.len() {
                s = s.max(x[i]);
            }
            s + t
        }
    }
    mod slices_by_another_name {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len() / 2;
            let x = &x[n..];
            for i in 0..n {
                out[i] = x[i] + x.len() as i64;
            }
        }
    }
    mod functions_and_constants {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            fn min(a: i64, b: i64) -> i64 {
                a.max(b)
            }
            const W: usize = 2;
            for i in 0..x.len().saturating_sub(W) {
                const V: i64 = 5;
                let min = min(x[i], V);
                out[i] = x[i + W] + min;
            }
        }
    }
    mod labels_of_one_name {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            'a: for i in 0..x.len() {
                let mut n = 0;
                'a: for j in 0..5 {
                    for k in 0..j {
                        if x[i] < k {
                            continue 'a;
                        }
                        n += k;
                    }
                }
                'a: {
                    if n > 3 {
                        break 'a;
                    }
                    n = 3;
                }
                if n > 100 {
                    continue 'a;
                }
                out[i] = n;
            }
        }
    }
    mod shorthand_fields {
        struct P {
            v: i64,
            w: i64,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let v = 3;
            for i in 0..x.len() {
                let w = x[i] * v;
                let v = x[i];
                let p = P { v, w };
                let P { v, w: x } = p;
                out[i] = v - x;
            }
        }
    }
    mod words_of_messages {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let v = 2;
            for i in 0..x.len() {
                let v = x[i] + v;
                assert!(v < 1_000_000, "{v} of {i}: {}", v + 1);
                out[i] = format!("{v:0>3}").len() as i64 + v;
            }
        }
    }
    mod assertions_in_their_own_words {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let v = 3;
            for i in 0..x.len() {
                let v = x[i] - v;
                assert!(v < 20 && (0..3).all(|k| v != 20 + k));
                debug_assert!( v!=17 );
                out[i] = v;
            }
        }
    }
    mod counted_by_while {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut s = 0;
                let mut i_2 = 0;
                while i_2 < 3 {
                    let i = i_2 + i;
                    s += i as i64;
                    i_2 += 1;
                }
                out[i] = s;
            }
        }
    }
}
