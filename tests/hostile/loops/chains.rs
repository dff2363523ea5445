//! Chains of iterators as whole bodies.

mod refused {
    mod fold_hash {
        #[forall::kary_reduce]
        fn program(x: &[u64]) -> u64 {
            x.iter().fold(7, |h: u64, &v| h.wrapping_mul(31).wrapping_add(v))
        }
    }
    mod fold_horner {
        #[forall::kary_reduce]
        fn program(x: &[f64], t: f64) -> f64 {
            x.iter().rev().fold(0.0, |acc, c| acc * t + c)
        }
    }
    mod range_flat {
        #[forall::kary_reduce]
        fn program(wide: &[f64], n: usize, w: usize) -> f64 {
            (0..n).flat_map(|i| (0..w).map(move |j| (i, j))).map(|(i, j)| wide[i * w + j]).sum()
        }
    }
    mod take_while_count {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> usize {
            x.iter().take_while(|&&v| v < k).count()
        }
    }
    mod skip_while_sum {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> i64 {
            x.iter().skip_while(|&&v| v < k).sum()
        }
    }
    mod fold_push {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Vec<i64> {
            x.iter().fold(Vec::new(), |mut out, &v| {
                if v > 0 {
                    out.push(v);
                }
                out
            })
        }
    }
    mod try_fold {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            x.iter().try_fold(0i64, |a, &v| a.checked_add(v))
        }
    }
}
mod right {
    mod sum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().sum()
        }
    }
    mod sum_turbo {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().copied().sum::<f64>()
        }
    }
    mod product {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().product()
        }
    }
    mod max {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            x.iter().copied().max()
        }
    }
    mod max_ref {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            *x.iter().max().unwrap_or(&0)
        }
    }
    mod min_cloned_unwrap {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.iter().min().cloned().unwrap_or(0)
        }
    }
    mod max_by_total {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            x.iter().copied().max_by(|a, b| a.total_cmp(b))
        }
    }
    mod min_by_partial {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            x.iter().cloned().min_by(|a, b| a.partial_cmp(b).unwrap())
        }
    }
    mod min_by_ref {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().min_by(|a, b| a.total_cmp(b)).copied().unwrap_or(0.0)
        }
    }
    mod min_by_key {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<i64> {
            x.iter().copied().min_by_key(|v| (v - k).abs())
        }
    }
    mod max_by_key_ref {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.iter().max_by_key(|v| v.abs()).copied().unwrap_or_default()
        }
    }
    mod max_by_path {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            x.iter().copied().max_by(f64::total_cmp)
        }
    }
    mod argmax {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<usize> {
            x.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|(i, _)| i)
        }
    }
    mod argmin_pat {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> usize {
            x.iter().enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(i, _)| i).unwrap_or(0)
        }
    }
    mod argmax_key {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            x.iter().enumerate().max_by_key(|(_, v)| **v).map(|(i, _)| i)
        }
    }
    mod argmax_key_pat {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            x.iter().enumerate().max_by_key(|&(_, v)| v).map(|p| p.0)
        }
    }
    mod argmin_range {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<usize> {
            (0..x.len()).min_by(|&i, &j| x[i].total_cmp(&x[j]))
        }
    }
    mod argmin_range_key {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            (0..x.len()).min_by_key(|&i| x[i])
        }
    }
    mod count_filter {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> usize {
            x.iter().filter(|&&v| v > k).count()
        }
    }
    mod count_filter_deref {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> usize {
            x.iter().filter(|v| **v > k).count()
        }
    }
    mod any {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> bool {
            x.iter().any(|&v| v == k)
        }
    }
    mod all {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> bool {
            x.iter().all(|v| v.is_finite())
        }
    }
    mod all_sorted {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> bool {
            x.windows(2).all(|w| w[0] <= w[1])
        }
    }
    mod position {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<usize> {
            x.iter().position(|&v| v == k)
        }
    }
    mod rposition {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<usize> {
            x.iter().rposition(|&v| v == k)
        }
    }
    mod find {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<i64> {
            x.iter().copied().find(|&v| v > k)
        }
    }
    mod find_ref {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<i64> {
            x.iter().find(|v| **v > k).copied()
        }
    }
    mod find_map {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<i64> {
            x.iter().find_map(|&v| if v > k { Some(v * 2) } else { None })
        }
    }
    mod filter_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().filter(|v| **v > 0.0).sum()
        }
    }
    mod filter_map_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().filter_map(|&v| if v > 0.0 { Some(v.sqrt()) } else { None }).sum()
        }
    }
    mod filter_map_then {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().filter_map(|&v| (v > 0.0).then(|| v.sqrt())).sum()
        }
    }
    mod map_filter_count {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> usize {
            x.iter().map(|v| v * 2.0).filter(|v| *v > 1.0).count()
        }
    }
    mod enumerate_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().enumerate().map(|(i, v)| i as f64 * v).sum()
        }
    }
    mod windows_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.windows(2).map(|w| (w[1] - w[0]).abs()).sum()
        }
    }
    mod windows_max {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            x.windows(3).map(|w| w[0] + w[1] - w[2]).max()
        }
    }
    mod chunks_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.chunks(4).map(|c| c.iter().sum::<f64>().abs()).sum()
        }
    }
    mod chunks_exact_max {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.chunks_exact(3).map(|c| c[0] * c[0] + c[1] * c[1] + c[2] * c[2]).fold(0.0, f64::max)
        }
    }
    mod chunks_norm {
        #[forall::kary_reduce]
        fn program(wide: &[f64], w: usize) -> f64 {
            wide.chunks(w).map(|r| r.iter().map(|v| v.abs()).sum::<f64>()).fold(0.0, f64::max)
        }
    }
    mod dot {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> f64 {
            x.iter().zip(y).map(|(a, b)| a * b).sum()
        }
    }
    mod dot_pat {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> f64 {
            x.iter().zip(y.iter()).map(|(&a, &b)| a * b).sum::<f64>()
        }
    }
    mod dist {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> f64 {
            x.iter().zip(y.iter()).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        }
    }
    mod mismatches {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> usize {
            x.iter().zip(y).filter(|(a, b)| a != b).count()
        }
    }
    mod three_zip {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64], z: &[f64]) -> f64 {
            x.iter().zip(y).zip(z).map(|((a, b), c)| a * b * c).sum()
        }
    }
    mod skip_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().skip(1).sum()
        }
    }
    mod take_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64], k: usize) -> f64 {
            x.iter().take(k).sum()
        }
    }
    mod rev_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().rev().sum()
        }
    }
    mod step_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().step_by(2).sum()
        }
    }
    mod skip_step {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.iter().skip(1).step_by(3).map(|v| v % 7).sum()
        }
    }
    mod zip_skip {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().zip(x.iter().skip(1)).map(|(a, b)| (b - a).abs()).sum()
        }
    }
    mod slice_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x[1..].iter().sum()
        }
    }
    mod trapz {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> f64 {
            x.windows(2).zip(y.windows(2)).map(|(a, b)| 0.5 * (a[1] - a[0]) * (b[0] + b[1])).sum()
        }
    }
    mod mean {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().sum::<f64>() / x.len() as f64
        }
    }
    mod variance {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let n = x.len() as f64;
            let mean = x.iter().sum::<f64>() / n;
            x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n
        }
    }
    mod fold_ignore {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.iter().fold(0, |_, v| *v)
        }
    }
    mod fold_ignore_opt {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            x.iter().fold(None, |_, &v| Some(v))
        }
    }
    mod fold_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().fold(0.0, |a, v| a + v)
        }
    }
    mod fold_sum_pat {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().fold(0.0, |acc, &v| acc + v * v)
        }
    }
    mod fold_max {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b))
        }
    }
    mod fold_max_path {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        }
    }
    mod fold_minmax {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, f64) {
            x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &v| (lo.min(v), hi.max(v)))
        }
    }
    mod fold_minmax_named {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, f64) {
            x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |acc, &v| (acc.0.min(v), acc.1.max(v)))
        }
    }
    mod fold_if {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.iter().fold(0, |a, &v| if v > 0 { a + v } else { a })
        }
    }
    mod fold_if_best {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().fold(0.0, |a, &v| if v > a { v } else { a })
        }
    }
    mod fold_mut {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.iter().fold(0, |mut a, &v| {
                a += v;
                a
            })
        }
    }
    mod fold_struct_tuple {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (f64, usize) {
            x.iter().fold((0.0, 0), |(s, n), v| (s + v, n + 1))
        }
    }
    mod fold_xor {
        #[forall::kary_reduce]
        fn program(x: &[u64]) -> u64 {
            x.iter().fold(0, |h, v| h ^ v)
        }
    }
    mod reduce_max {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            x.iter().copied().reduce(f64::max)
        }
    }
    mod reduce_closure {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.iter().copied().reduce(|a, b| a.max(b)).unwrap_or(0)
        }
    }
    mod reduce_sum {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            x.iter().copied().reduce(|a, b| a + b)
        }
    }
    mod range_map_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> f64 {
            (0..x.len()).map(|i| x[i] * y[i]).sum()
        }
    }
    mod nested_sum {
        #[forall::kary_reduce]
        fn program(wide: &[f64], n: usize, w: usize) -> f64 {
            (0..n).map(|i| (0..w).map(|j| wide[i * w + j]).sum::<f64>()).sum()
        }
    }
    mod last {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<i64> {
            x.iter().copied().filter(|&v| v > k).last()
        }
    }
    mod inspect_free {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().map(|v| v.abs()).map(f64::sqrt).sum()
        }
    }
    mod map_path {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().copied().map(f64::abs).sum()
        }
    }
    mod chain {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> f64 {
            x.iter().chain(y).sum()
        }
    }
    mod into_iter_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.into_iter().sum()
        }
    }
    mod for_each_sum {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0;
            x.iter().for_each(|v| s += v);
            s
        }
    }
    mod partition_like {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (usize, usize) {
            (x.iter().filter(|v| **v > 0).count(), x.iter().filter(|v| **v < 0).count())
        }
    }
    mod last_elem {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.iter().map(|v| v % 5).max().unwrap_or(-1)
        }
    }
    mod contains {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> bool {
            x.contains(&k)
        }
    }
    mod eq {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> bool {
            x.iter().zip(y).all(|(a, b)| a == b)
        }
    }
    mod u8count {
        #[forall::kary_reduce]
        fn program(x: &[u8]) -> usize {
            x.iter().filter(|&&b| b == b'\n').count()
        }
    }
    mod mapcast {
        #[forall::kary_reduce]
        fn program(x: &[u8]) -> u64 {
            x.iter().map(|&b| b as u64).sum()
        }
    }
    mod mapcast_from {
        #[forall::kary_reduce]
        fn program(x: &[u8]) -> u64 {
            x.iter().map(|&b| u64::from(b)).sum()
        }
    }
    mod let_bound {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let s: f64 = x.iter().sum();
            let m = x.iter().cloned().fold(f64::MIN, f64::max);
            s / m
        }
    }
    mod rmse {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> f64 {
            (x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / x.len() as f64).sqrt()
        }
    }
    mod block_closure {
        #[forall::kary_reduce]
        fn program(x: &[f64], y: &[f64]) -> f64 {
            x.iter()
                .zip(y)
                .map(|(a, b)| {
                    let d = a - b;
                    d * d
                })
                .sum()
        }
    }
    mod max_partial {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            x.iter().map(|v| v.abs()).max_by(|a, b| a.partial_cmp(b).unwrap())
        }
    }
    mod max_abs_f {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            x.iter().map(|v| v.abs()).fold(0.0, f64::max)
        }
    }
    mod first_index_of_max {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (usize, f64) {
            x.iter().copied().enumerate().fold((0, f64::NEG_INFINITY), |b, (i, v)| if v > b.1 { (i, v) } else { b })
        }
    }
    mod fold_bins {
        #[forall::kary_reduce]
        fn program(x: &[u8]) -> [u64; 4] {
            x.iter().fold([0; 4], |mut h, &v| {
                h[(v % 4) as usize] += 1;
                h
            })
        }
    }
    mod collect_filter {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<i64> {
            x.iter().copied().filter(|v| *v > 0).collect()
        }
    }
    mod collect_map {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<usize> {
            x.iter().enumerate().filter(|(_, v)| **v > 0).map(|(i, _)| i).collect()
        }
    }
    mod is_sorted {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> bool {
            x.is_sorted()
        }
    }
    mod min_max_unwrap {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            x.iter().max().unwrap_or(&0) - x.iter().min().unwrap_or(&0)
        }
    }
}
