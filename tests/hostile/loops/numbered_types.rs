//! Counters of loops over ranges of other types, and ways to go wrong: another name, an early exit, a table that changes.

mod right {
    mod best_else {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> usize {
            let mut b = 0; for i in 1..x.len() { if x[i] > x[b] { b = i; } if x[i] == 7 { break; } } b
        }
    }
    mod by_a_cast {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let w = 3i32; let mut k = 0; for i in 0..x.len() / 3 { out[k] = x[i]; k += w as usize; } k
        }
    }
    mod unsigned {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let mut k = 0; for i in 0u8..x.len().min(200) as u8 { out[k] = x[i as usize]; k += 1; } k
        }
    }
    mod closed {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let n = x.len() as i64; let mut k = 1; for i in 2..=n { if i < 90 { out[k] = i; } k += 1; } k
        }
    }
    mod suffixed {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let mut k = 0; for i in 1i64..4 { if k < x.len() { out[k] = x[0] + i; } k += 1; } k
        }
    }
    mod signed {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let n = x.len() as i32; let mut k = 0; for i in 0..n { out[k] = x[i as usize]; k += 1; } k
        }
    }
    mod literals {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let mut k = 0; for i in 2..5 { if i < x.len() { out[k] = x[i]; } k += 1; } k
        }
    }
    mod nested_literals {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() / 3 { for j in 1..4 { out[k] = x[i] + j; k += 1; } }
        }
    }
    mod nested_from {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let w = 4; let mut k = 0; for i in 0..x.len() / 4 { for j in 1..w { out[k] = x[i * w + j]; k += 1; } }
        }
    }
    mod best_typed {
        #[forall::kary_reduce]
        fn program(x: &[f32]) -> usize {
            let mut b: usize = 0; for i in 0..x.len() { if x[b] < x[i] { b = i; } } b
        }
    }
}
mod refused {
    mod signed_inside {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let w = 4i32; let mut k = 0; for i in 0..x.len() / 4 { for j in 0..w { out[k] = x[i] + j as i64; k += 1; } }
        }
    }
    mod aliased {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() { let r = &mut k; *r += (x[i] & 1) as usize; out[k] = x[i]; k += 1; }
        }
    }
    mod returns {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let mut k = 0; for i in 0..x.len() { out[k] = x[i]; if x[i] > 90 { return k; } k += 1; } k
        }
    }
    mod own_min {
        trait Own { fn wrapping_add(&mut self, by: usize) -> usize; }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() { out[k / 3] = x[i]; k += 2; }
        }
    }
    mod table_changes {
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let mut next = vec![1u8, 2, 0]; let mut s = 0u8; for i in 0..x.len() { let t = &mut next; t[0] = x[i] % 3; s = next[s as usize]; out[i] = s; }
        }
    }
}
