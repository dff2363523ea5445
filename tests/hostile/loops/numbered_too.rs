//! More counters: after their loops, beside other variables, and those that are none.

mod right {
    mod after {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let mut k = 3; for i in 0..x.len() - 4 { out[k] = x[i]; k += 1; } out[0] = k as i64; for i in 0..2 { out[i + 1] = k as i64 + i as i64; } k
        }
    }
    mod same_name {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() { out[k] = x[i]; let k2 = k; { let k = k2 * 2; out[k2] += k as i64; } k += 1; }
        }
    }
    mod shadow {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; let k0 = 5usize; for i in 0..x.len() { let k1 = k + k0; out[k] = x[i] + k1 as i64; k += 1; }
        }
    }
    mod inner_skips {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() { for j in 0..3 { if x[i] > j { continue; } out[k] = x[i] + j; break; } k += 1; }
        }
    }
    mod by_length {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let w = x.len() / 4; let mut k = 0; for i in 0..4 { for j in 0..w { out[k + j] = x[i * w + j]; } k += w; }
        }
    }
    mod field {
        struct P { k: i64 }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let p = P { k: 4 }; let mut k = 0; for i in 0..x.len() { out[k] = x[i] + p.k; k += 1; }
        }
    }
    mod short {
        struct P { k: usize }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() { let p = P { k }; out[k] = x[i] + p.k as i64; k += 1; }
        }
    }
    mod below {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 3usize; for i in 0..x.len() { out[k] = x[i]; k -= 1; }
        }
    }
    mod zero {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let mut k = 0; for i in 5..x.len().min(3) { out[k] = x[i]; k += 1; } k
        }
    }
    mod inclusive {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let mut k = 1; for i in 1..=x.len() - 2 { out[k] = x[i]; k += 1; } k
        }
    }
    mod rev {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in (0..x.len()).rev() { out[k] = x[i]; k += 1; }
        }
    }
    mod zipped {
        #[forall::foreach]
        fn program(x: &[i64], y: &[i64], out: &mut [i64]) {
            let mut k = 0; for (a, b) in x.iter().zip(y) { out[k] = a * b; k += 1; }
        }
    }
    mod stepped {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in (0..x.len()).step_by(3) { out[k] = x[i]; k += 1; }
        }
    }
    mod chunks {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for c in x.chunks(4) { out[k] = c.iter().sum::<i64>(); k += 1; }
        }
    }
    mod two_counters {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut a, mut b) = (0, x.len() / 2); for i in 0..x.len() / 2 { out[a] = x[b]; out[b] = x[a] + i as i64; a += 1; b += 1; }
        }
    }
    mod condition {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() { if k % 3 == 1 { out[k] = x[i]; } else { out[k] = k as i64; } k += 1; }
        }
    }
    mod pushes {
        #[forall::foreach_tls]
        fn program(x: &[i64], to: &mut Vec<i64>) {
            let mut k = 0; for i in 0..x.len() { if x[k] > 0 { to.push(x[i] + k as i64); } k += 1; }
        }
    }
}
mod refused {
    mod overflowing {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = usize::MAX - 3; for i in 0..x.len() { out[k.wrapping_add(4)] = x[i]; k = k + 1; }
        }
    }
    mod called {
        fn bump(k: &mut usize) { *k += 1 }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() { out[k] = x[i]; if x[i] > 3 { bump(&mut k); } k += 1; }
        }
    }
    mod breaks {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> usize {
            let mut k = 0; for i in 0..x.len() { if x[i] > 50 { break; } out[k] = x[i]; k += 1; } k
        }
    }
    mod fills {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() { out[k] = x[i]; k += 1; k %= 7; }
        }
    }
    mod by_item {
        #[forall::foreach]
        fn program(x: &[usize], out: &mut [i64]) {
            let mut k = 0; for v in x { out[k] = *v as i64; k += *v; }
        }
    }
    mod macro_moves {
        macro_rules! skip { ($k:ident) => { $k += 1; } }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() { out[k / 2] = x[i]; skip!(k); k += 1; }
        }
    }
    mod trait_moves {
        trait Grow { fn trunc(&mut self); } impl Grow for usize { fn trunc(&mut self) { *self /= 2 } }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0; for i in 0..x.len() { out[k] = x[i]; k.trunc(); k += 1; }
        }
    }
    mod step_moves {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut d = 1; let mut k = 0; for i in 0..x.len() { out[k] = x[i]; d = 3 - d; k += d; }
        }
    }
}
