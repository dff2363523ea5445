//! Closures, iterators and fields that are put where a loop needs them: names must mean the same there.

mod refused {
    mod number_that_changes_behind_the_iterator {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut k = 4;
            let it = x.chunks_exact(k);
            k = 2;
            let mut s = 0;
            for c in it {
                s += c[k];
            }
            s
        }
    }
    mod leaves_while_it_goes_over_a_field {
        struct Held {
            data: Vec<i64>,
        }
        fn held(x: &[i64]) -> Held {
            Held { data: x.to_vec() }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let h = held(x);
            let mut s = 0;
            for v in &h.data {
                if *v > 20 {
                    return s;
                }
                s += v;
            }
            s
        }
    }
    mod carried_by_another_name_over_a_field {
        struct Held {
            data: Vec<i64>,
        }
        fn held(x: &[i64]) -> Held {
            Held { data: x.to_vec() }
        }
        #[forall::foreach_tls]
        fn program(x: &[i64], l: &mut Vec<i64>) {
            let h = held(x);
            let mut before = 0;
            for v in h.data.iter() {
                let p = &mut before;
                l.push(*p);
                *p = *v;
            }
        }
    }
    mod field_that_iterates_in_its_own_way {
        struct Own(Vec<i64>);
        impl Own {
            fn iter(&self) -> std::iter::Rev<std::slice::Iter<'_, i64>> { self.0.iter().rev() }
            fn len(&self) -> usize { self.0.len() }
        }
        impl std::ops::Index<usize> for Own {
            type Output = i64;
            fn index(&self, i: usize) -> &i64 { &self.0[i] }
        }
        struct Held {
            own: Own,
        }
        fn held(x: &[i64]) -> Held {
            Held { own: Own(x.to_vec()) }
        }
        #[forall::foreach_tls]
        fn program(x: &[i64], l: &mut Vec<i64>) {
            let h = held(x);
            for v in h.own.iter() {
                l.push(*v);
            }
        }
    }
}

mod right {
    mod constant_inside_hides_the_closures {
        const W: usize = 1;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let at = |i: usize| x[i] + W as i64;
            for i in 0..out.len() {
                const W: usize = 2;
                out[i] = at(i) + W as i64;
            }
        }
    }
    mod variable_inside_hides_the_closures_function {
        fn scale(v: i64) -> i64 { 2 * v }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let at = |i: usize| scale(x[i]);
            for i in 0..out.len() {
                let scale = |v: i64| 5 * v;
                out[i] = scale(1);
                for _ in 0..1 {
                    out[i] += at(i);
                }
            }
        }
    }
    mod constant_beside_the_loop_hides_the_iterators {
        const N: usize = 4;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let it = x.chunks_exact(N);
            let mut s = 0;
            {
                const N: usize = 2;
                for c in it {
                    s += c[N - 1];
                }
            }
            s
        }
    }
    mod closure_calls_a_function_and_a_closure {
        fn scale(v: i64) -> i64 { 2 * v }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            const W: i64 = 3;
            let by = 5;
            let at = |i: usize| scale(x[i]) + W;
            let both = |i: usize| at(i) - by * at(x.len() - 1 - i);
            for i in 0..x.len() {
                out[i] = both(i);
            }
        }
    }
}
