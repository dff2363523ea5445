//! Loops as people write them: chains of iterators, fields of structs, floats without a type, markers without an effect.

mod refused {
    mod order_of_effects {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut seen = Vec::new();
            let any = x.iter().any(|v| {
                seen.push(*v);
                *v > 20
            });
            if any { seen } else { Vec::new() }
        }
    }
    mod fold_not_associative {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.iter().fold(1_i64, |a, v| (a * 3 - v) % 1000)
        }
    }
    mod fold_two_that_mix {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            x.iter().fold((0, 0), |(a, b), v| ((b + v) % 77, a % 13))
        }
    }
    mod own_sum {
        trait Sums {
            fn sum(&self) -> i64;
        }
        impl Sums for [i64] {
            fn sum(&self) -> i64 {
                7
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.sum()
        }
    }
    mod max_by_own_order {
        #[derive(Clone, Copy, PartialEq, Eq)]
        struct Less(i64);
        impl PartialOrd for Less {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                self.0.partial_cmp(&other.0)
            }
        }
        impl Ord for Less {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                other.0.cmp(&self.0)
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.iter().map(|v| Less(*v)).max().map_or(3, |v| v.0)
        }
    }
    mod rotated_parts_that_meet {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() / 2 {
                out[i..i + 2].rotate_left(1);
            }
        }
    }
    mod fields_at_places_of_the_data {
        struct S {
            a: Vec<i64>,
            b: i64,
        }
        #[forall::foreach]
        fn program(at1: &[usize], n: usize) -> Vec<i64> {
            let mut s = S { a: vec![1; n], b: 3 };
            for i in 0..n {
                s.a[at1[i]] = s.b + i as i64;
            }
            s.a
        }
    }
    mod fields_by_a_method {
        struct S {
            a: Vec<i64>,
            b: i64,
        }
        impl S {
            fn at(&self, i: usize) -> i64 {
                self.a[i / 2] + self.b
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], n: usize) -> Vec<i64> {
            let mut s = S { a: vec![1; n], b: 3 };
            for i in 0..n {
                s.a[i] = s.at(i) + x[i];
            }
            s.a
        }
    }
    mod whole_field_and_its_elements {
        #[derive(Clone)]
        struct S {
            a: Vec<i64>,
        }
        #[forall::foreach]
        fn program(x: &[i64], n: usize) -> Vec<i64> {
            let mut s = S { a: vec![1; n] };
            for i in 0..n {
                s.a[i] = x[i];
                if x[i] > 100 {
                    s.a = vec![2; n];
                }
            }
            s.a
        }
    }
}
mod right {
    mod fields_one_after_the_other {
        struct S {
            a: Vec<i64>,
            b: i64,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], n: usize) {
            let mut s = S { a: vec![1; n + 1], b: 3 };
            for i in 0..n {
                s.a[i + 1] = s.a[i] * s.b % 1000;
            }
            for i in 0..x.len() {
                out[i] = s.a[i] + x[i];
            }
        }
    }
    mod counted_in_a_closure {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut calls = 0;
            let s = x.iter().map(|v| { calls += 1; v * 2 }).sum::<i64>();
            s * 1000 + calls
        }
    }
    mod changed_before {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut k = 1;
            let s = { k += 1; k } + x.iter().map(|v| v * k).sum::<i64>();
            let k = s % 5;
            s + x.iter().map(|x| x * k).sum::<i64>()
        }
    }
    mod changed_by_a_call {
        fn next(k: &mut i64) -> i64 {
            *k += 1;
            *k
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut k = 1;
            let mut s = 0;
            for v in x {
                s += v;
            }
            let t = next(&mut k) + x.iter().map(|v| v * k).sum::<i64>();
            s - t
        }
    }
    mod not_evaluated {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> bool {
            let mut s = 0;
            for v in x {
                s += v;
            }
            n > 0 && x.iter().map(|v| s / n as i64 + v).any(|v| v > 20)
        }
    }
    mod in_branches {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> i64 {
            let a = if n % 2 == 0 { x.iter().sum::<i64>() } else { 3 };
            if n % 3 == 0 {
                return x.iter().map(|v| v - a).sum();
            }
            match n % 5 {
                0 => x.iter().map(|v| v + a).sum(),
                _ => {
                    if a > 2 { x.iter().skip(2).sum() } else { x.iter().take(3).product() }
                }
            }
        }
    }
    mod overflow {
        #[forall::kary_reduce]
        fn program(x: &[u8]) -> u8 {
            x.iter().sum()
        }
    }
    mod last_place {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> Option<usize> {
            x.iter().rev().position(|v| *v == 17).map(|at| n - 1 - at)
        }
    }
    mod no_numbers {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut m = -3.0;
            for i in 0..x.len() {
                m = ((x[i] - x[i]) / (x[i] - x[i])).max(m);
                m = (x[i] * 2.0).max(m);
            }
            m
        }
    }
    mod no_numbers_in_segments {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut m = 3.0;
            for i in 0..x.len() {
                if i % 7 == 5 {
                    m = x[i] / 0.0 * 0.0;
                }
                m = x[i].min(m);
                out[i] = m;
            }
        }
    }
    mod literals_in_tuples {
        #[forall::kary_reduce]
        fn program(x: &[f32], y: &[f64]) -> (f32, f64) {
            let big = 1e3;
            let (mut a, mut b) = (-big, (2.0 + 3.0) * 100.0);
            for (p, q) in x.iter().zip(y) {
                a = p.max(a);
                b = (q * 3.0).min(b);
            }
            (a, b)
        }
    }
    mod numbers_are_turned {
        #[forall::foreach]
        fn program(out: &mut [u32]) {
            for i in 0..out.len() {
                out[i].rotate_left(3);
                let turned = out[i].rotate_left(3);
                out[i] = turned ^ 1;
            }
        }
    }
    mod fields {
        struct S {
            a: Vec<i64>,
            b: [i64; 3],
            c: i64,
            t: (i64, Vec<i64>),
        }
        #[forall::foreach]
        fn program(x: &[i64], n: usize) -> (Vec<i64>, i64) {
            let mut s = S { a: vec![1; n], b: [4, 5, 6], c: 2, t: (5, vec![7; n]) };
            for i in 0..n {
                assert!(i < n);
                s.a[i] = s.c * s.b[i % 3] + s.t.1[n - 1 - i] * x[i] + s.t.0;
            }
            (s.a, s.c)
        }
    }
    mod fields_of_a_block {
        struct S {
            a: Vec<i64>,
            sum: i64,
            most: i64,
        }
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> (Vec<i64>, i64, i64) {
            let mut s = S { a: vec![1; n], sum: 0, most: -50 };
            for i in 0..n {
                s.a[i] += x[i];
                s.sum += x[i];
                s.most = s.most.max(x[i]);
            }
            (s.a, s.sum, s.most)
        }
    }
    mod tails_of_slices {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            if x.len() < 3 {
                return;
            }
            let x = &x[1..];
            let x = &x[1..];
            for i in 0..x.len() {
                let y = &x[i..];
                out[i] = y[0] + x[x.len() - 1];
            }
        }
    }
    mod tail_inside {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 0..out.len().saturating_sub(1) {
                let x = &x[1..];
                out[i] = x[i];
            }
        }
    }
    mod tail_zip {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], n: usize) {
            let h = n / 2;
            let a = &x[..h];
            let b = &x[h..];
            for (o, (p, q)) in out.iter_mut().zip(a.iter().zip(b)) {
                *o = p + q;
            }
        }
    }
    mod row_inside {
        #[forall::foreach]
        fn program(x: &[f32], w: usize, out: &mut [f32]) {
            for i in 0..out.len() / w {
                let row = &x[i * w..(i + 1) * w];
                let o = &mut out[i * w..(i + 1) * w];
                for j in 0..w {
                    o[j] = row[j] + row[0];
                }
            }
        }
    }
    mod min_untyped {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut m = 1e30;
            for v in x {
                m = v.min(m);
            }
            m
        }
    }
    mod max_untyped {
        #[forall::kary_reduce]
        fn program(x: &[f32]) -> f32 {
            let mut m = 0.0;
            for i in 0..x.len() {
                m = x[i].max(m);
            }
            m
        }
    }
    mod min_scan_untyped {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut m = 100.0;
            for i in 0..x.len() {
                m = x[i].min(m);
                out[i] = m;
            }
        }
    }
    mod min_of_abs_untyped {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> (f64, f64) {
            let mut m = 0.0;
            let mut d = 0.0;
            for i in 0..x.len() {
                m = (x[i] - y[i]).abs().max(m);
                d = x[i].abs().max(d);
            }
            (m, d)
        }
    }
    mod max_ref {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            *x.iter().max().unwrap_or(&0)
        }
    }
    mod count_pattern {
        #[forall::kary_reduce]
        fn program(x: &[u8]) -> usize {
            x.iter().filter(|&&v| v == 5).count()
        }
    }
    mod sum_filter_map {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.iter().enumerate().filter(|(i, _)| i % 3 == 0).map(|(_, v)| v).sum()
        }
    }
    mod unneeded_gather {
        #[forall::foreach]
        fn program(#[gather] x: &[f64], out: &mut [f64]) {
            for i in 0..out.len() {
                out[i] = 2.0 * x[i];
            }
        }
    }
    mod unneeded_halo {
        #[forall::foreach]
        fn program(#[halo(1)] x: &[f64], out: &mut [f64]) {
            for i in 1..out.len().saturating_sub(1) {
                out[i] = x[i - 1] + x[i + 1];
            }
        }
    }
    mod unneeded_halo_rows {
        #[forall::foreach]
        fn program(#[halo(w)] wide: &[f64], out: &mut [f64], w: usize) {
            for i in 0..out.len() {
                let mut s = 0.0;
                for j in 0..w {
                    s += wide[i * w + j];
                }
                out[i] = s;
            }
        }
    }
}
