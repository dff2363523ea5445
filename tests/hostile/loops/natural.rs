//! Loops as people write them: the first match by leaving the loop, entries of maps, operations that saturate.

mod refused {
    mod entry_max {
        use std::collections::HashMap;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m: HashMap<i64, i64> = HashMap::new();
            for i in 0..x.len() {
                let e = m.entry(x[i] % 7).or_insert(0);
                *e = (*e).max(x[i]);
            }
            m.values().sum()
        }
    }
    mod entry_max_twice {
        use std::collections::HashMap;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m: HashMap<i64, i64> = HashMap::new();
            for i in 0..x.len() {
                *m.entry(x[i] % 7).or_insert(0) = (*m.entry(x[i] % 7).or_insert(0)).max(x[i]);
            }
            m.values().sum()
        }
    }
    mod entry_max_of_if {
        use std::collections::HashMap;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m: HashMap<i64, i64> = HashMap::new();
            for i in 0..x.len() {
                let e = m.entry(x[i] % 7).or_insert(x[i]);
                if x[i] > *e {
                    *e = x[i];
                }
            }
            m.values().sum()
        }
    }
    mod get_or_insert {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best = None;
            for i in 0..x.len() {
                let b = best.get_or_insert(x[i]);
                if x[i] > *b {
                    *b = x[i];
                }
            }
            best
        }
    }
    mod get_or_insert_first {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut first = None;
            for i in 0..x.len() {
                first.get_or_insert(x[i]);
            }
            first
        }
    }
    mod saturating_signed {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut acc = i64::MAX - 30;
            for i in 0..x.len() {
                acc = acc.saturating_add(x[i]);
            }
            acc
        }
    }
    mod saturating_bins_signed {
        #[forall::kary_reduce]
        fn program(x: &[i64], #[replicated] bins: &mut [i64]) {
            for i in 0..x.len() {
                let k = x[i].unsigned_abs() as usize % 64;
                bins[k] = bins[k].saturating_add(x[i] << 58);
            }
        }
    }
    mod saturating_minus {
        #[forall::kary_reduce]
        fn program(x: &[u64]) -> u64 {
            let mut acc = 0_u64;
            for i in 0..x.len() {
                acc = x[i].saturating_sub(acc);
            }
            acc
        }
    }
}
mod right {
    mod all_by_return {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> bool {
            for &v in x {
                if v < -k * 100 {
                    return false;
                }
            }
            true
        }
    }
    mod any_by_break {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> bool {
            let mut found = false;
            for i in 0..x.len() {
                if x[i] == k {
                    found = true;
                    break;
                }
            }
            found
        }
    }
    mod find_by_return {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<usize> {
            for i in 0..x.len() {
                if x[i] == k {
                    return Some(i);
                }
            }
            None
        }
    }
    mod find_by_break {
        #[forall::kary_reduce]
        fn program(x: &[i64], k: i64) -> Option<usize> {
            let mut at = None;
            for i in 0..x.len() {
                if x[i] == k {
                    at = Some(i);
                    break;
                }
            }
            at
        }
    }
    mod argmin_by_index {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> usize {
            let mut k = 0;
            for i in 1..x.len() {
                if x[i] < x[k] {
                    k = i;
                }
            }
            k
        }
    }
    mod saturating_down {
        #[forall::kary_reduce]
        fn program(x: &[u64]) -> u64 {
            let mut acc = 500_u64;
            for i in 0..x.len() {
                acc = acc.saturating_sub(x[i]);
            }
            acc
        }
    }
    mod saturating_u8 {
        #[forall::kary_reduce]
        fn program(x: &[u8]) -> u8 {
            let mut acc = 3_u8;
            for i in 0..x.len() {
                acc = acc.saturating_add(x[i] / 32);
            }
            acc
        }
    }
    mod saturating_u8_by_reference {
        #[forall::kary_reduce]
        fn program(x: &[u64]) -> u64 {
            let mut acc = u64::MAX - 4000;
            for v in x {
                acc = v.saturating_add(acc);
            }
            acc
        }
    }
    mod saturating_product {
        #[forall::kary_reduce]
        fn program(x: &[u32]) -> u32 {
            let mut acc = 1_u32;
            for i in 0..x.len() {
                if x[i] % 5 == 1 {
                    acc = acc.saturating_mul(x[i] + 1);
                }
            }
            acc
        }
    }
    mod saturating_product_with_zeros {
        #[forall::kary_reduce]
        fn program(x: &[u32]) -> u32 {
            let mut acc = 7_u32;
            for i in 0..x.len() {
                acc = acc.saturating_mul(if i == 400 { 0 } else { x[i] % 9 + 1 });
            }
            acc
        }
    }
    mod saturating_scan {
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let mut acc = 0_u8;
            for i in 0..x.len() {
                acc = acc.saturating_add(x[i] / 16);
                out[i] = acc;
            }
        }
    }
    mod saturating_segments {
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let mut acc = 9_u8;
            for i in 0..x.len() {
                if x[i] < 12 {
                    acc = 2;
                }
                acc = acc.saturating_add(x[i] / 16);
                out[i] = acc;
            }
        }
    }
    mod saturating_bins {
        #[forall::kary_reduce]
        fn program(x: &[u8], #[replicated] bins: &mut [u8]) {
            for i in 0..x.len() {
                let k = x[i] as usize % 64;
                bins[k] = bins[k].saturating_add(x[i] / 8);
            }
        }
    }
    mod saturating_bins_of_pairs {
        #[forall::kary_reduce]
        fn program(x: &[u8]) -> [(u8, u32); 8] {
            let mut h = [(7_u8, 9_u32); 8];
            for i in 0..x.len() {
                let k = x[i] as usize % 8;
                h[k].0 = h[k].0.saturating_add(x[i] / 32);
                h[k].1 += 1;
            }
            h
        }
    }
    mod saturating_shares_of_bins {
        #[forall::kary_reduce]
        fn program(x: &[u8], bins: &mut [u8]) {
            for i in 0..x.len() {
                let k = x[i] as usize % bins.len();
                bins[k] = bins[k].saturating_add(x[i] / 8);
            }
        }
    }
    mod wrapping_bins_that_start_somewhere {
        #[forall::kary_reduce]
        fn program(x: &[u64]) -> [u64; 8] {
            let mut h = [1000_u64; 8];
            for i in 0..x.len() {
                let k = x[i] as usize % 8;
                h[k] = h[k].wrapping_add(x[i]);
            }
            h
        }
    }
    mod wrapping_products_that_start_somewhere {
        #[forall::kary_reduce]
        fn program(x: &[u64], #[replicated] bins: &mut [u64]) {
            for i in 0..x.len() {
                let k = x[i] as usize % 64;
                bins[k] = bins[k].wrapping_mul(x[i] + 3);
            }
        }
    }
    mod wrapping_parts_that_start_somewhere {
        #[forall::kary_reduce]
        fn program(x: &[u64]) -> [(u64, i64); 8] {
            let mut h = [(1000_u64, 5_i64); 8];
            for i in 0..x.len() {
                let k = x[i] as usize % 8;
                h[k].0 = h[k].0.wrapping_mul(x[i] + 2);
                h[k].1 = h[k].1.wrapping_add(1);
            }
            h
        }
    }
}
