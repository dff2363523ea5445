//! Counters that each iteration moves by the same step, and those that a condition moves.

mod right {
    mod nested {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let w = 7; let mut k = 0; for y in 0..x.len() / w { for j in 0..w { out[k] = x[y * w + j]; k += 1; } }
        }
    }
    mod inner {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let w = 7; for y in 0..x.len() / w { let mut k = y * w; for j in 0..w { out[k] = x[y * w + j]; k += 1; } }
        }
    }
    mod numbered {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let w = 7; for y in 0..x.len() / w { let k = y * w; for (p, j) in (0..w).enumerate() { out[k + p] = x[y * w + j]; } }
        }
    }
    mod numbered_2 {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let w = 7; for y in 0..x.len() / w { let k = y * w; for j in 0..w { out[k + j] = x[y * w + j]; } }
        }
    }
    mod inner2 {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let w = 7; for y in 0..x.len() / w { let mut k = y * w; for j in 0..w { out[y * w + j] = x[k]; k += 1; } }
        }
    }
    mod numbered_3 {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let w = 7; for y in 0..x.len() / w { for (p, j) in (2..w).enumerate() { out[y * w + p] = x[y * w + j]; } }
        }
    }
    mod numbered_4 {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let w = 7; for y in 0..x.len() / w { for (p, j) in (2..=w).enumerate() { out[y * w + j - 2] = p as i64; } }
        }
    }
    mod interleaved {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..out.len() / 3 { out[k] = x[i]; k += 1; out[k] = 2 * x[i]; out[k + 1] = i as i64; k += 2; }
        }
    }
    mod from_the_end {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = out.len() - 1; for v in &x[1..] { out[k] = *v; k -= 1; }
        }
    }
    mod two_loops {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let half = x.len() / 2; let mut k = 0; for i in 0..half { out[k] = x[i]; k += 1; } for i in half..x.len() { out[k] = -x[i]; k += 1; }
        }
    }
    mod deep {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let (a, b) = (3, 4); let mut k = 0; for i in 0..x.len() / 12 { for j in 0..a { for l in 0..b { out[k] = x[(i * a + j) * b + l]; k += 1; } } }
        }
    }
    mod stated {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k: usize = 0; for i in 0..x.len() { out[k] = x[i]; k = k + 1; }
        }
    }
    mod rows {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let w = 5; let mut start = 0; for row in out.chunks_mut(w) { for j in 0..row.len() { row[j] = x[start + j]; } start += w; }
        }
    }
    mod sum {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> i64 {
            let mut k = 0; let mut s = 0; for v in x { s += *v * y[k]; k += 1; } s
        }
    }
    mod counted_items {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let mut k = 0; for v in x { out[k] = *v; k += 1; } k
        }
    }
    mod compact {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() { if x[i] > 0 { out[k] = x[i]; k += 1; } }
        }
    }
    mod compact2 {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let mut k = 0; for v in x { if *v > 0 { out[k] = 2 * *v; k += 1; } } k
        }
    }
    mod partition {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let (mut k, mut l) = (0, out.len()); for v in x { if *v > 0 { out[k] = *v; k += 1; } else { l -= 1; out[l] = *v; } } k
        }
    }
    mod ranked {
        #[forall::distributed_scan]
        fn program(x: &[i64], y: &[f64], out: &mut [f64], at: &mut [usize]) {
            let mut k = 0; for i in 0..x.len() { at[i] = k; if x[i] % 2 == 0 { out[k] = y[i]; k += 1; } }
        }
    }
    mod two_for_each {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for v in &x[..x.len() / 2] { if *v > 0 { out[k] = *v; out[k + 1] = -*v; k += 2; } }
        }
    }
    mod runs {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let mut k = 0; for i in 0..x.len() { if i == 0 || x[i] != x[i - 1] { out[k] = x[i]; k += 1; } } k
        }
    }
}

mod refused {
    mod skipped {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() { if x[i] < 0 { continue; } out[k] = x[i]; k += 1; }
        }
    }
    mod same {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() { out[k / 2] = x[i]; k += 1; }
        }
    }
    mod halves {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() { out[k] = x[i]; k += 1; if x[i] > 3 { k = 0; } }
        }
    }
    mod overlap {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() - 1 { out[k] = x[i]; out[k + 1] = 2 * x[i]; k += 1; }
        }
    }
    mod doubled {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 1; for i in 0..5 { out[k] = x[i]; k += k; }
        }
    }
    mod by_data {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() { out[k] = x[i]; k += (x[i] & 1) as usize; }
        }
    }
    mod compact_foreach {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let mut k = 0; for v in x { if *v > 0 { out[k] = 2 * *v; k += 1; } } k
        }
    }
    mod reads {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let mut k = 0; for v in x { if *v > 0 { out[k] = 2 * *v + out[0]; k += 1; } } k
        }
    }
}
