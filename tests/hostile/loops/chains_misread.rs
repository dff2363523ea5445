//! Chains of iterators whose closures, keys, orders and ends are easily misread.

mod refused {
    mod maxby_equal_nan {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<u64> {
            x.iter()
                .map(|v| if *v > 1.0 { f64::NAN } else { *v })
                .max_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal))
                .map(|v| v.to_bits())
        }
    }
    mod ties_max {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            x.iter().enumerate().max_by(|a, b| (a.1 % 4).cmp(&(b.1 % 4))).map(|p| p.0)
        }
    }
    mod ties_max_rev {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(usize, i64)> {
            x.iter().copied().enumerate().max_by(|a, b| a.1.cmp(&b.1).reverse())
        }
    }
    mod key_div {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            x.iter().copied().max_by(|a, b| (100 / a).cmp(&(100 / b)))
        }
    }
    mod not_same_key {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            x.iter().copied().max_by(|a, b| a.abs().cmp(b))
        }
    }
    mod mixed {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> Option<i64> {
            x.iter().zip(y).map(|(a, b)| a - b).max_by(|a, b| a.cmp(&a))
        }
    }
    mod side_effect {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (Option<i64>, usize) {
            let mut c = 0;
            let m = x.iter().copied().max_by_key(|v| {
                c += 1;
                v % 7
            });
            (m, c)
        }
    }
    mod find_effect {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> (Option<i64>, usize) {
            let mut c = 0;
            let m = x.iter().copied().find(|v| {
                c += 1;
                *v > k
            });
            (m, c)
        }
    }
    mod skip_effect {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let mut c = 0;
            let m = x
                .iter()
                .map(|v| {
                    c += 1;
                    *v
                })
                .skip(2)
                .sum();
            (m, c)
        }
    }
    mod zip_effect {
        #[forall::kary_reduce]
        fn program(x: &[i64], short: &[i64]) -> (i64, usize) {
            let mut c = 0;
            let m = x
                .iter()
                .map(|v| {
                    c += 1;
                    *v
                })
                .zip(short)
                .map(|(a, b)| a % 5 * b % 7)
                .sum();
            (m, c)
        }
    }
    mod filter_enum {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.iter().filter(|v| **v > 0).enumerate().map(|(i, v)| v % 9 * i as i64).sum()
        }
    }
    mod reduce_sub {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            x.iter().copied().reduce(|a, b| a - b)
        }
    }
    mod reduce_first {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            x.iter().copied().reduce(|a, _| a)
        }
    }
    mod user_trait {
        pub trait Odd {
            fn total_cmp(self, o: &f64) -> std::cmp::Ordering;
        }
        impl Odd for f64 {
            fn total_cmp(self, o: &f64) -> std::cmp::Ordering {
                (-self).partial_cmp(&-*o).unwrap()
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            x.iter().copied().max_by(|a, b| (*a).total_cmp(b))
        }
    }
    mod filter_map_none {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.iter().filter_map(|v| v.checked_sub(2)).sum()
        }
    }
    mod flat_range_any {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> bool {
            x.iter().flat_map(|v| 0..(v % 3)).any(|v| v == 2)
        }
    }
    mod max_rev_key {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            x.iter().enumerate().max_by_key(|(i, v)| (**v, std::cmp::Reverse(*i))).map(|(i, _)| i)
        }
    }
}
mod right {
    mod maxby_nan {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> u64 {
            x.iter()
                .map(|v| {
                    if *v > 5.0 {
                        f64::NAN
                    } else if *v < -5.0 {
                        -f64::NAN
                    } else {
                        *v
                    }
                })
                .max_by(|a, b| a.total_cmp(b))
                .map(|v| v.to_bits())
                .unwrap_or(7)
        }
    }
    mod minby_partial_nan {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            x.iter().map(|v| if *v > 100.0 { f64::NAN } else { *v }).min_by(|a, b| a.partial_cmp(b).unwrap())
        }
    }
    mod minby_equal_nan {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<u64> {
            x.iter()
                .map(|v| if *v > 1.0 { f64::NAN } else { *v })
                .min_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal))
                .map(|v| v.to_bits())
        }
    }
    mod minby_equal_nan_rev {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<u64> {
            x.iter()
                .map(|v| if *v > 1.0 { f64::NAN } else { *v })
                .min_by(|a, b| b.partial_cmp(a).unwrap_or(std::cmp::Ordering::Equal))
                .map(|v| v.to_bits())
        }
    }
    mod ties_min {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            x.iter().enumerate().min_by_key(|p| p.1 % 4).map(|p| p.0)
        }
    }
    mod ties_min_rev {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(usize, i64)> {
            x.iter().copied().enumerate().min_by(|a, b| b.1.cmp(&a.1))
        }
    }
    mod key_panics_alone {
        #[forall::kary_reduce]
        fn program(short: &[i64], n: usize) -> Option<usize> {
            (0..n).max_by(|&i, &j| short[i].cmp(&short[j]))
        }
    }
    mod enum_map {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.iter().map(|v| v % 3).enumerate().map(|(i, v)| v * (i % 5) as i64).sum()
        }
    }
    mod zip_maps {
        #[forall::kary_reduce]
        fn program(x: &[i64], long: &[i64]) -> i64 {
            x.iter().map(|v| v % 3).zip(long.iter().skip(1).map(|v| v % 11)).map(|(a, b)| a * b).sum()
        }
    }
    mod rev_map {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<usize> {
            x.iter().map(|v| v % 9).rev().position(|v| v == k)
        }
    }
    mod find_after {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<i64> {
            x.iter().map(|v| v * 2).filter(|v| v % 3 == 0).find(|v| *v > k)
        }
    }
    mod find_div {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<i64> {
            x.iter().filter(|v| **v != 0).map(|v| 1000 / v).find(|v| *v > k)
        }
    }
    mod find_zero {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<i64> {
            x.iter().map(|v| 1000 / v).find(|v| *v > k)
        }
    }
    mod find_map_block {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<i64> {
            x.iter().find_map(|v| {
                let w = v * v;
                if w > k { Some(w - 1) } else { None }
            })
        }
    }
    mod find_enum {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<(usize, i64)> {
            x.iter().enumerate().find(|(_, v)| **v > k).map(|(i, v)| (i, *v))
        }
    }
    mod next_filter {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<i64> {
            x.iter().copied().filter(|v| *v > k).next()
        }
    }
    mod last_map {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<(usize, i64)> {
            x.iter().enumerate().filter(|(_, v)| **v > k).map(|(i, v)| (i, *v)).last()
        }
    }
    mod last_ref {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> i64 {
            *x.iter().filter(|v| **v > k).last().unwrap_or(&0)
        }
    }
    mod reduce_all_nan {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<u64> {
            x.iter().map(|_| f64::NAN).reduce(f64::max).map(|v| v.to_bits() & 1)
        }
    }
    mod reduce_some_nan {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            x.iter().map(|v| if *v > 2.0 { f64::NAN } else { *v }).reduce(|a: f64, b| a.min(b))
        }
    }
    mod reduce_xor {
        #[forall::kary_reduce]
        fn program(x: &[u64]) -> Option<u64> {
            x.iter().copied().reduce(|a, b| a ^ b)
        }
    }
    mod reduce_and {
        #[forall::kary_reduce]
        fn program(x: &[u64]) -> u64 {
            x.iter().copied().reduce(|a, b| a & b).unwrap_or(99)
        }
    }
    mod reduce_overflow {
        #[forall::kary_reduce]
        fn program(x: &[i32]) -> Option<i32> {
            x.iter().copied().map(|v| v * 9_000_000).reduce(|a, b| a + b)
        }
    }
    mod fold_parts_cross {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            x.iter().fold((0, 0), |acc, &v| (acc.1 + v, acc.0 + 1))
        }
    }
    mod fold_parts_dep {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            x.iter().fold((0, 0), |acc, &v| (acc.0 + v, acc.0.max(acc.1)))
        }
    }
    mod fold_arr {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> [i64; 2] {
            x.iter().fold([0, 0], |a, v| [a[0] + v, a[1].max(*v)])
        }
    }
    mod fold_ignore_init {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> i64 {
            x.iter().fold(k, |_, &v| v * 2)
        }
    }
    mod fold_ignore_both {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> i64 {
            x.iter().fold(k, |_, _| 3)
        }
    }
    mod fold_count {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> usize {
            x.iter().fold(0, |n, _| n + 1)
        }
    }
    mod rpos_div {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<usize> {
            x.iter().rposition(|v| 1000 / v > k)
        }
    }
    mod chain_max {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> Option<i64> {
            x.iter().chain(y.iter()).copied().max()
        }
    }
    mod chain_any {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64], k: i64) -> bool {
            x.iter().chain(y).any(|v| 1000 / (v - 2) == k)
        }
    }
    mod chain_find {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64], k: i64) -> Option<i64> {
            x.iter().chain(y).copied().find(|v| v % 5 == k)
        }
    }
    mod flat_range {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.iter().flat_map(|v| 0..(v % 3)).sum()
        }
    }
    mod max_tuple {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<(i64, usize)> {
            x.iter().enumerate().map(|(i, v)| (*v, i)).max()
        }
    }
    mod min_tuple_ref {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            x.iter().enumerate().map(|(i, v)| (v, i)).min().map(|p| p.1)
        }
    }
    mod key_ref {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            x.iter().max_by_key(|v| **v).copied()
        }
    }
    mod two_same {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (usize, usize, i64) {
            (
                x.iter().filter(|v| **v % 2 == 0).count(),
                x.iter().filter(|v| **v % 2 == 1).map(|v| v + 1).filter(|v| *v % 3 == 0).count(),
                x.iter().map(|v| v * 2).filter(|v| v % 3 == 0).sum(),
            )
        }
    }
    mod last_slice {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let s: i64 = x.iter().sum();
            s + *x.last().unwrap_or(&0)
        }
    }
    mod while_any {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            if x.iter().any(|v| v.is_nan()) {
                return f64::NAN;
            }
            x.iter().sum::<f64>()
        }
    }
}
