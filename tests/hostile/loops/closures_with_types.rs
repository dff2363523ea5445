//! Closures with types, captures and states of their own.

mod right {
    mod fold_of_the_loop {
        #[forall::kary_reduce]
        fn program(x: &[i32]) -> i64 {
            x.iter().fold(0, |a: i64, v| a + *v as i64 * 100_000_000)
        }
    }
    mod for_each_of_i64 {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut s = 0i64;
                (0..4).for_each(|k: i64| {
                    let z = k * 2_000_000_000;
                    s += z;
                });
                out[i] = s + x[i];
            }
        }
    }
    mod for_each_of_u8 {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut s = 0i64;
                (0..4).for_each(|k: u8| {
                    let z = k.wrapping_mul(100);
                    s += z as i64;
                });
                out[i] = s + x[i];
            }
        }
    }
    mod for_each_of_i8_overflows {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut s = 0i64;
                (0..4).for_each(|k: i8| {
                    let z = k * 50;
                    s += z as i64;
                });
                out[i] = s + x[i];
            }
        }
    }
    mod for_each_of_f32 {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 0..x.len() {
                let mut s = 0.0;
                [0.1, 0.2].iter().for_each(|v: &f32| {
                    s += (*v * 3.3) as f64;
                });
                out[i] = s + x[i];
            }
        }
    }
    mod outer_for_each_of_u64 {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], n: usize) {
            let _ = n;
            (0..3).for_each(|k: u64| {
                let z = k << 40;
                out[k as usize] = z as i64;
            });
            let _ = x;
        }
    }
    mod outer_for_each_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            (0..100).for_each(|k: i64| {
                let z = k * 2_000_000_000;
                out[k as usize] = z;
            });
        }
    }
    mod map_of_i64 {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += (0..4).map(|k: i64| k * 2_000_000_000).sum::<i64>();
            }
            s
        }
    }
    mod fold_of_types {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = x[i] + (0..4).fold(0, |a: i64, k: u8| a + k.wrapping_mul(100) as i64);
            }
        }
    }
    mod filter_of_types {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += (0..4).filter(|k: &u8| k.wrapping_mul(100) > 50).count() as i64;
            }
            s
        }
    }
    mod called_with_a_type {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let f = |k: u64| (k * 3_000_000_000) as i64;
                out[i] = f(3) + x[i];
            }
        }
    }
    mod called_with_a_small_type {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let f = |k: u8| k.wrapping_mul(200) as i64;
                out[i] = f(3) + x[i];
            }
        }
    }
    mod called_with_a_result_type {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let f = |k| -> u8 { 200u8.wrapping_add(k) };
                out[i] = f(100) as i64 + x[i];
            }
        }
    }
    mod called_directly {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = (|k: u64| k * 3_000_000_000)(3) as i64 + x[i];
            }
        }
    }
    mod called_with_floats {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 0..x.len() {
                let f = |v: f32| v * 0.1;
                out[i] = x[i] + f(3.3) as f64;
            }
        }
    }
    mod capture_by_move_of_a_value {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = 5;
                let f = move |v: i64| v + k;
                k = 0;
                out[i] = f(x[i]) + k;
            }
        }
    }
    mod capture_by_move_of_an_accumulator {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let f = move |v: i64| v + s;
            for i in 0..x.len() {
                s = s.max(f(x[i]));
            }
            s
        }
    }
    mod capture_of_an_accumulators_name {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let s = 5;
            let f = |v: i64| v * s;
            let mut s = 0i64;
            for i in 0..x.len() {
                s += f(x[i]);
            }
            s
        }
    }
    mod state_in_a_moving_closure_of_one_iteration {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut c = 0i64;
                let mut f = move || {
                    c += 1;
                    c
                };
                f();
                out[i] = x[i] + f() + c;
            }
        }
    }
    mod returns_from_a_closure {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let f = |v: i64| {
                    if v > 3 {
                        return 1;
                    }
                    2
                };
                out[i] = f(x[i]);
            }
        }
    }
    mod question_mark_in_a_closure {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let f = |v: Option<i64>| {
                    let w = v?;
                    Some(w + 1)
                };
                out[i] = f(if x[i] > 3 { Some(x[i]) } else { None }).unwrap_or(7);
            }
        }
    }
    mod closure_that_loops {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let f = |n: u8| {
                    let mut s = 0u8;
                    for k in 0..n {
                        s = s.wrapping_add(k * 20);
                    }
                    s
                };
                out[i] = f(10) as i64 + x[i];
            }
        }
    }
    mod literal_of_a_closure_argument {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let f = |a: u8, b: u8| a.wrapping_sub(b);
                out[i] = f(3, 5) as i64 + x[i];
            }
        }
    }
    mod closure_over_a_negative_literal {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let f = |a: i8| a >> 1;
                out[i] = f(-3) as i64 + x[i];
            }
        }
    }
    mod sort_key_of_a_type {
        #[forall::distributed_sort]
        fn program(out: &mut [i64]) {
            out.sort_by_key(|v: &i64| *v as u8);
        }
    }
    mod sort_key_of_a_result_type {
        #[forall::distributed_sort]
        fn program(out: &mut [i64]) {
            out.sort_by_key(|v| -> i8 { (*v * 10) as i8 });
        }
    }
    mod sort_with_swapped_names {
        #[forall::distributed_sort]
        fn program(out: &mut [i64]) {
            out.sort_by(|b, a| a.cmp(b));
        }
    }
    mod sort_with_hidden_names {
        #[forall::distributed_sort]
        fn program(out: &mut [i64]) {
            out.sort_by(|a, b| {
                let (a, b) = (b, a);
                a.cmp(b)
            });
        }
    }
    mod sort_with_a_half_hidden_name {
        #[forall::distributed_sort]
        fn program(out: &mut [i64]) {
            out.sort_by(|a, b| {
                let a = &(a % 5);
                let b = &(b % 5);
                a.cmp(b)
            });
        }
    }
    mod sort_of_floats_with_a_swap {
        #[forall::distributed_sort]
        fn program(out: &mut [f64]) {
            out.sort_by(|a, b| b.partial_cmp(a).unwrap());
        }
    }
    mod sort_with_a_function_of_ones_own {
        fn cmp(a: &i64, b: &i64) -> std::cmp::Ordering {
            (b % 5).cmp(&(a % 5))
        }
        #[forall::distributed_sort]
        fn program(out: &mut [i64]) {
            out.sort_by(cmp);
        }
    }
}

mod refused {
    mod outer_map_of_i64 {
        #[forall::kary_reduce]
        fn program(n: usize, x: &[i64]) -> i64 {
            let _ = n;
            let mut s = 0i64;
            for (k, v) in (0..).map(|k: i64| k * 2_000_000_000).zip(x) {
                s += k + v;
            }
            s
        }
    }
    mod outer_map_of_u8 {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for (k, v) in (0..200).map(|k: u8| k.wrapping_mul(3)).zip(x) {
                s += k as i64 + v;
            }
            s
        }
    }
    mod index_of_a_typed_closure {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let f = |k: u8| k as usize;
                out[f(i as u8)] = x[i];
            }
        }
    }
    mod index_of_a_typed_closure_before {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let f = |k: u8| k as usize;
            for i in 0..x.len() {
                out[f(i as u8)] = x[i];
            }
        }
    }
    mod index_of_a_typed_result {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let f = |k: usize| -> u8 { k as u8 };
            for i in 0..x.len() {
                out[f(i) as usize] = x[i];
            }
        }
    }
    mod index_by_let_type {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k: u8 = i as _;
                out[k as usize] = x[i];
            }
        }
    }
    mod index_by_try_from {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = u8::try_from(i % 300).unwrap_or(7);
                out[k as usize] = x[i];
            }
        }
    }
    mod index_in_narrow_arithmetic {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[(i as u8).wrapping_add(1) as usize] = x[i];
            }
        }
    }
    mod index_in_narrow_arithmetic_of_a_let {
        #[forall::foreach]
        fn program(x: &[i64], long: &mut [i64]) {
            for i in 0..x.len() {
                let k = i as u8;
                long[k.wrapping_mul(1) as usize] = x[i];
            }
        }
    }
    mod sum_of_typed_closures {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let add = |a: i8, b: i8| a.wrapping_add(b);
            let mut s = 0i8;
            for i in 0..x.len() {
                s = add(s, x[i] as i8);
            }
            s as i64
        }
    }
    mod max_of_typed_closures {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                let f = |a: i64, b: i64| if (a as u8) > (b as u8) { a } else { b };
                s = f(s, x[i]);
            }
            s
        }
    }
    mod capture_by_move_then_changed {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i / 2;
                let f = move || k;
                k = i;
                let _ = k;
                out[f()] = x[i];
            }
        }
    }
    mod capture_by_move_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let mut k = i / 2;
                let f = move || k;
                k = i;
                out[k] += out[f()];
            }
        }
    }
    mod capture_by_move_of_a_reduction_factor {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut k = 0.5;
            let f = move |s: f64, v: f64| s * k + v;
            k = 0.9;
            let mut s = 0.0;
            for i in 0..x.len() {
                s = f(s, x[i]);
                out[i] = s * k;
            }
        }
    }
    mod capture_then_hidden {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let k = i / 2;
                let f = || k;
                let k = i;
                let _ = k;
                out[f()] = x[i];
            }
        }
    }
    mod capture_then_hidden_in_place {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let k = i / 2;
                let f = || k;
                let k = i;
                out[k] += out[f()];
            }
        }
    }
    mod capture_before_then_hidden {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            let k = 2;
            let f = |i: usize| i / k;
            let k = 1;
            for i in 0..out.len() {
                out[i / k] += out[f(i)];
            }
        }
    }
    mod capture_of_the_loop_variable_hidden {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            let i = 2;
            let f = |j: usize| j / i;
            for i in 0..out.len() {
                out[i] += out[f(i)];
            }
        }
    }
    mod state_in_a_closure {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut c = 0i64;
            let mut f = || {
                c += 1;
                c
            };
            for i in 0..x.len() {
                out[i] = x[i] + f();
            }
        }
    }
    mod state_in_a_moving_closure {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut c = 0i64;
            let mut f = move || {
                c += 1;
                c
            };
            for i in 0..x.len() {
                out[i] = x[i] + f();
            }
            out[0] = c;
        }
    }
    mod state_in_a_moving_closure_that_sums {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let mut f = move |v: i64| {
                s += v;
                s
            };
            let mut last = 0;
            for i in 0..x.len() {
                last = f(x[i]);
            }
            last + s
        }
    }
    mod state_in_a_boxed_closure {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut c = 0i64;
            let mut f: Box<dyn FnMut() -> i64> = Box::new(move || {
                c += 1;
                c
            });
            for i in 0..x.len() {
                out[i] = x[i] + f();
            }
        }
    }
    mod accumulates_in_a_closure {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let mut f = |v: i64| {
                s = s * 2 % 100 + v;
            };
            for i in 0..x.len() {
                f(x[i]);
            }
            s
        }
    }
    mod closure_named_like_a_function {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let max = |a: i64, b: i64| (a * 2 + b) % 100;
            let mut s = 0i64;
            for i in 0..x.len() {
                s = max(s, x[i]);
            }
            s
        }
    }
    mod function_pointer {
        fn half(i: usize) -> usize {
            i / 2
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let f: fn(usize) -> usize = half;
            for i in 0..x.len() {
                out[f(i)] = x[i];
            }
        }
    }
    mod function_pointer_of_one_iteration {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let f: fn(usize) -> usize = |k| k / 2;
                out[i] += out[f(i)];
            }
        }
    }
    mod closure_in_a_tuple {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let p = (|k: usize| k / 2, 0);
                out[i] += out[(p.0)(i)];
            }
        }
    }
    mod closure_given_to_a_function {
        fn run(mut f: impl FnMut(usize)) {
            f(0);
            f(0);
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                run(|_| k /= 2);
                out[k] = x[i];
            }
        }
    }
    mod closure_with_a_pattern {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let f = |(a, _b): (usize, usize)| a;
                out[i] += out[f((i / 2, i))];
            }
        }
    }
    mod closure_with_a_mutable_parameter {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let f = |mut a: usize| {
                    a /= 2;
                    a
                };
                out[i] += out[f(i)];
            }
        }
    }
    mod closure_with_a_reference_parameter {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let f = |a: &mut usize| *a /= 2;
                let mut k = i;
                f(&mut k);
                out[k] = x[i];
            }
        }
    }
    mod closure_of_closures {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                let f = |k: usize| {
                    let g = |i: usize| i / 2;
                    g(k)
                };
                out[i] += out[f(i)];
            }
        }
    }
    mod generic_of_a_closure {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            x.iter().for_each(|&v: &i64| {
                let t = (v as u8) as i64;
                s += t;
            });
            s
        }
    }
    mod enumerate_of_a_typed_closure {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            x.iter().enumerate().for_each(|(i, v): (usize, &i64)| {
                let k = i / 2;
                out[k] = *v;
            });
        }
    }
    mod sort_under_a_condition {
        #[forall::distributed_sort]
        fn program(out: &mut [i64], n: usize) {
            if n % 2 == 1 {
                out.sort();
            } else {
                out.sort_by(|a, b| b.cmp(a));
            }
        }
    }
    mod sort_of_a_part {
        #[forall::distributed_sort]
        fn program(out: &mut [i64]) {
            let k = out.len() / 2;
            out[k..].sort();
        }
    }
    mod sort_twice_with_hidden_slices {
        #[forall::distributed_sort]
        fn program(out: &mut [i64], other: &mut [i64]) {
            let (out, other) = (other, out);
            out.sort();
            let _ = other;
        }
    }
}
