//! Values that are taken apart into places, and places that are expressions.

mod refused {
    mod array_of_places {
        #[forall::foreach]
        fn program(x: &[u64], out: &mut [u64]) {
            let n = x.len();
            for i in 0..n {
                [out[i], out[(i + 1) % n]] = [5, x[i]];
            }
        }
    }
    mod struct_of_places {
        struct Pair {
            a: u64,
            b: u64,
        }
        #[forall::foreach]
        fn program(x: &[u64], out: &mut [u64]) {
            let n = x.len();
            for i in 0..n {
                Pair { a: out[i], b: out[(i + 1) % n] } = Pair { a: 5, b: x[i] };
            }
        }
    }
    mod tuple_struct_of_places {
        struct Pair(u64, u64);
        #[forall::foreach]
        fn program(x: &[u64], out: &mut [u64]) {
            let n = x.len();
            for i in 0..n {
                Pair(out[i], out[(i + 1) % n]) = Pair(5, x[i]);
            }
        }
    }
    mod nested_tuple_of_places {
        #[forall::foreach]
        fn program(x: &[u64], out: &mut [u64]) {
            let n = x.len();
            for i in 0..n {
                ((out[i], _), (out[(i + 1) % n], ..)) = ((5, 1), (x[i], 3));
            }
        }
    }
    mod tuple_of_places {
        #[forall::foreach]
        fn program(x: &[u64], out: &mut [u64]) {
            let n = x.len();
            for i in 0..n {
                (out[i], out[(i + 1) % n]) = (5, x[i]);
            }
        }
    }
    mod nested_running_values {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut a, mut b, mut c) = (0, 1, 2);
            for i in 0..x.len() {
                ((a, b), c) = ((b, a ^ x[i]), c + 1);
                out[i] = a + c;
            }
        }
    }
    mod array_of_running_values {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut a, mut b) = (0, 1);
            for i in 0..x.len() {
                [a, b] = [b, a ^ x[i]];
                out[i] = a;
            }
        }
    }
    mod running_value_in_an_array_of_its_own_sum {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut a = 0;
            for i in 0..x.len() {
                [a, _] = [a + x[i], 3];
                out[i] = a;
            }
        }
    }
    mod with_a_rest {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut a = 0;
            for i in 0..x.len() {
                (a, ..) = (a * 2 + x[i], 3, 4);
                out[i] = a;
            }
        }
    }
    mod place_in_parentheses {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                (out)[i / 2] = x[i];
            }
        }
    }
    mod place_of_a_block {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                ({ &mut *out })[i / 2] = x[i];
            }
        }
    }
    mod place_of_an_if {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], other: &mut [i64]) {
            for i in 0..x.len() {
                *(if x[i] > 3 { &mut out[i / 2] } else { &mut other[i / 3] }) = x[i];
            }
        }
    }
    mod place_of_a_match {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], other: &mut [i64]) {
            for i in 0..x.len() {
                (match x[i] {
                    3 => &mut *out,
                    _ => &mut *other,
                })[i / 2] = x[i];
            }
        }
    }
    mod place_of_an_array_of_references {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], other: &mut [i64]) {
            for i in 0..x.len() {
                [&mut *out, &mut *other][i % 2][i / 2] = x[i];
            }
        }
    }
    mod place_by_a_cast_of_a_method {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out.as_mut()[i / 2] = x[i];
            }
        }
    }
    mod place_by_iter_mut_nth {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                *out.iter_mut().nth(i / 2).unwrap() = x[i];
            }
        }
    }
    mod place_by_last_mut {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                *out[..=i].last_mut().unwrap() = x[i];
            }
        }
    }
    mod place_by_first_mut {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                *out[i / 2..].first_mut().unwrap() = x[i];
            }
        }
    }
    mod place_by_split_first_mut {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                if let Some((a, b)) = out[i..].split_first_mut() {
                    *a = x[i];
                    if let Some(c) = b.first_mut() {
                        *c += 1;
                    }
                }
            }
        }
    }
    mod place_by_pattern_on_a_part {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                if let [a, b, ..] = &mut out[i..] {
                    *a = x[i];
                    *b += 1;
                }
            }
        }
    }
    mod for_over_two_elements {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                for k in [i, (i + 1) % n] {
                    out[k] = x[i];
                }
            }
        }
    }
    mod while_let_pops_places {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                let mut stack = vec![i, (i + 1) % n];
                while let Some(k) = stack.pop() {
                    out[k] = x[i];
                }
            }
        }
    }
    mod fill_of_a_part {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i..].fill(x[i]);
            }
        }
    }
    mod array_of_running_values_in_a_map {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut a, mut b) = (0, 1);
            for i in 0..x.len() {
                [a, b] = [b, a ^ x[i]];
                out[i] = a;
            }
        }
    }
    mod sum_in_an_array_in_a_map {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut a = 0;
            for i in 0..x.len() {
                [a, _] = [a + x[i], 3];
                out[i] = a;
            }
        }
    }
    mod sum_in_an_array_beside_a_sum {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let (mut a, mut b) = (0, 0);
            for i in 0..x.len() {
                [a, _] = [a * 3 ^ x[i], 3];
                b += x[i];
            }
            a + b
        }
    }
}

mod right {
    mod sum_with_a_subtraction_first {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) -> i8 {
            let mut small = 100_i8;
            for i in 0..x.len() {
                small = small - (i % 2) as i8 + 1;
                out[i] = i64::from(small);
            }
            small
        }
    }
}
