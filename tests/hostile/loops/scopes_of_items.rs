//! Names that items hide, raw pointers, `async` blocks and temporaries.

mod refused {
    mod use_of_variants_hides_a_local {
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy)]
        enum E {
            k,
            l,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                use E::*;
                let _ = l;
                out[i * k as usize] = x[i];
            }
            let _ = k;
        }
    }
    mod raw_identifier_rebinds {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let v = x[i];
                let r#i = i / 2;
                out[i] = v;
            }
        }
    }
    mod raw_identifier_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let mut k = i;
                r#k /= 2;
                out[i] += out[k];
            }
        }
    }
    mod raw_identifier_of_the_loop {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for r#i in 0..out.len() {
                let k = i;
                let i = r#k / 2;
                out[k] += out[i];
            }
        }
    }
    mod raw_identifier_accumulator {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
                if r#s > 50 {
                    s = 0;
                }
            }
            s
        }
    }
    mod raw_identifier_of_a_slice {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] = r#out[i / 2] + 1;
            }
        }
    }
    mod raw_function {
        #[allow(dead_code)]
        fn at(i: usize) -> usize {
            i / 2
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[r#at(i)] = x[i];
            }
        }
    }
    mod label_hidden_and_outer_left {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            'a: for i in 0..x.len() {
                'b: for j in 0..3 {
                    if x[i] > 25 {
                        break 'a;
                    }
                    if x[i] > j {
                        break 'b;
                    }
                    out[i] += 1;
                }
            }
        }
    }
    mod label_of_a_block_around {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            'a: {
                for i in 0..x.len() {
                    if x[i] > 25 {
                        break 'a;
                    }
                    out[i] = x[i];
                }
            }
        }
    }
    mod nested_fn_of_the_name_of_the_index {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = i;
                {
                    fn i() -> usize {
                        1
                    }
                    out[k / i() / 2] = x[k];
                }
            }
        }
    }
    mod nested_fn_recursive {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                fn at(k: usize) -> usize {
                    if k > 3 { at(k - 4) } else { k }
                }
                if at(i) < out.len() {
                    out[at(i)] = x[i];
                }
            }
        }
    }
    mod nested_struct_with_drop {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                struct D<'a>(&'a mut usize);
                impl Drop for D<'_> {
                    fn drop(&mut self) {
                        *self.0 /= 2;
                    }
                }
                let mut k = i;
                {
                    let _d = D(&mut k);
                }
                out[k] = x[i];
            }
        }
    }
    mod async_block_assigns {
        use std::future::Future;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                {
                    let mut f = std::pin::pin!(async {
                        k /= 2;
                    });
                    let mut c = std::task::Context::from_waker(std::task::Waker::noop());
                    let _ = f.as_mut().poll(&mut c);
                }
                out[k] = x[i];
            }
        }
    }
    mod async_block_reads {
        use std::future::Future;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let mut t = 0i64;
            for i in 0..x.len() {
                s += x[i];
                {
                    let mut f = std::pin::pin!(async {
                        t += s;
                    });
                    let mut c = std::task::Context::from_waker(std::task::Waker::noop());
                    let _ = f.as_mut().poll(&mut c);
                }
            }
            t
        }
    }
    mod async_block_accumulates {
        use std::future::Future;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
                {
                    let mut f = std::pin::pin!(async {
                        if s > 40 {
                            s = 0;
                        }
                    });
                    let mut c = std::task::Context::from_waker(std::task::Waker::noop());
                    let _ = f.as_mut().poll(&mut c);
                }
            }
            s
        }
    }
    mod async_move_never_polled {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                let f = async move {
                    let mut s = s;
                    s += 1;
                    s
                };
                drop(f);
                s += x[i];
            }
            s
        }
    }
    mod raw_pointer_writes {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let p = &raw mut k;
                unsafe {
                    *p /= 2;
                }
                out[k] = x[i];
            }
        }
    }
    mod raw_pointer_of_the_accumulator {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
                let p = &raw mut s;
                unsafe {
                    if *p > 40 {
                        *p = 0;
                    }
                }
            }
            s
        }
    }
    mod raw_pointer_reads_the_accumulator {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
                let p = &raw const s;
                out[i] = unsafe { *p };
            }
        }
    }
    mod raw_pointer_as_cast {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let p = &mut k as *mut usize;
                unsafe {
                    *p /= 2;
                }
                out[k] = x[i];
            }
        }
    }
    mod raw_pointer_of_an_element {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let p = &raw mut out[i / 2];
                unsafe {
                    *p = x[i];
                }
            }
        }
    }
    mod raw_pointer_moves {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let p = &raw mut out[i];
                unsafe {
                    *p.sub(i - i / 2) = x[i];
                }
            }
        }
    }
    mod const_block {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i * const { 2 - 2 }] = x[i];
            }
        }
    }
    mod unsafe_block_assigns {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                unsafe {
                    let p: *mut usize = &mut k;
                    p.write(i / 2);
                }
                out[k] = x[i];
            }
        }
    }
    mod slice_rebound_in_the_body {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let out = &mut out[i / 2..];
                out[0] = x[i];
            }
        }
    }
    mod two_slices_change_names {
        #[forall::foreach]
        fn program(out: &mut [i64], other: &mut [i64]) {
            for i in 1..out.len() {
                let (out, other) = (&mut *other, &mut *out);
                out[i] = other[i - 1];
                other[i] = 3;
            }
        }
    }
    mod two_slices_change_names_before {
        #[forall::foreach]
        fn program(out: &mut [i64], other: &mut [i64]) {
            let (out, other) = (other, out);
            for i in 1..out.len() {
                out[i] = other[i - 1];
            }
        }
    }
    mod temporary_dropped_at_the_tail {
        struct D<'a>(&'a mut usize);
        impl Drop for D<'_> {
            fn drop(&mut self) {
                *self.0 /= 2;
            }
        }
        impl D<'_> {
            fn get(&self) -> i64 {
                *self.0 as i64
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let v = { D(&mut k).get() };
                out[k] = x[i] + v;
            }
        }
    }
    mod temporary_of_a_match_lives_on {
        struct D<'a>(&'a mut usize);
        impl Drop for D<'_> {
            fn drop(&mut self) {
                *self.0 /= 2;
            }
        }
        impl D<'_> {
            fn get(&self) -> i64 {
                *self.0 as i64
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                match D(&mut k).get() {
                    v => out[i] = v,
                }
                out[k] += x[i];
            }
        }
    }
    mod dropped_in_reverse {
        struct D<'a>(&'a mut i64, i64);
        impl Drop for D<'_> {
            fn drop(&mut self) {
                *self.0 = *self.0 * 3 + self.1;
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s %= 100;
                let d = D(&mut s, x[i]);
                *d.0 += 1;
            }
            s
        }
    }
    mod assigned_by_a_pattern {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                [_, k] = [k, k / 2];
                out[k] = x[i];
            }
        }
    }
    mod assigned_by_a_struct_pattern {
        struct S {
            i: usize,
            j: usize,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k;
                let _j;
                S { i: k, j: _j } = S { i: i / 2, j: i };
                k += 0;
                out[k] = x[i];
            }
        }
    }
    mod accumulators_fields_hidden {
        struct S {
            s: i64,
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = S { s: 0 };
            for i in 0..x.len() {
                s.s += x[i];
                let S { s: ref mut t } = s;
                *t = *t * 2 % 31;
            }
            s.s
        }
    }
    mod loop_variable_mutable {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for mut i in 0..x.len() {
                let v = x[i];
                i /= 2;
                out[i] = v;
            }
        }
    }
    mod loop_variable_of_a_pattern {
        #[forall::foreach]
        fn program(x: &[usize], out: &mut [usize]) {
            for (i, &x) in x.iter().enumerate() {
                let (x, i) = (i, x);
                if i < 3 {
                    out[x] = i;
                } else {
                    out[x / 2] = i;
                }
            }
        }
    }
    mod loop_variable_hidden_by_its_pattern {
        #[forall::foreach]
        fn program(x: &[usize], out: &mut [usize]) {
            for (j, &i) in x.iter().enumerate() {
                out[i] = j;
            }
        }
    }
    mod parameter_pattern_in_a_fn_type {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let f: fn(i: usize) -> usize = |i| i / 2;
                out[f(i)] = x[i];
            }
        }
    }
    mod generic_argument_of_the_name {
        fn at<const K: usize>(i: usize) -> usize {
            i * K
        }
        #[forall::foreach]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1;
            for i in 0..x.len() {
                const k: usize = 0;
                let j = at::<k>(i);
                out[j] = x[i];
            }
            let _ = k;
        }
    }
}

mod right {
    mod accumulator_assigned_by_a_pattern {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let (mut s, mut t) = (0i64, 1i64);
            for i in 0..x.len() {
                s += x[i];
                (s, t) = (t, s);
            }
            s * 3 + t
        }
    }
}
