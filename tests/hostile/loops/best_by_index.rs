//! The index of the best element, which the loop compares with the element at that index.

mod right {
    mod argmax {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> usize {
            let mut b = 0; for i in 1..x.len() { if x[i] > x[b] { b = i; } } b
        }
    }
    mod argmin_last {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> usize {
            let mut b = 0; for i in 0..x.len() { if x[b] >= x[i] { b = i; } } b
        }
    }
    mod both {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (usize, usize) {
            let (mut lo, mut hi) = (0, 0); for i in 1..x.len() { if x[i] < x[lo] { lo = i; } if x[i] > x[hi] { hi = i; } } (lo, hi)
        }
    }
    mod guarded {
        #[forall::kary_reduce]
        fn program(d: &[i64], done: &[u8]) -> usize {
            let mut u = 0; for v in 0..d.len() { if done[v] == 0 && d[v] < d[u] { u = v; } } u
        }
    }
    mod empty {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> usize {
            let mut b = 7; for i in 5..x.len().min(3) { if x[i] > x[b] { b = i; } } b
        }
    }
    mod out_of_range {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> usize {
            let mut b = x.len() + 3; for i in 0..x.len() { if x[i] > x[b] { b = i; } } b
        }
    }
    mod value_too {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> (usize, f64) {
            let mut b = 0; for i in 1..x.len() { if x[i] > x[b] { b = i; } } (b, x[b])
        }
    }
    mod with_a_map {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) -> usize {
            let mut b = 0; for i in 0..x.len() { out[i] = 2.0 * x[i]; if x[i] > x[b] { b = i; } } b
        }
    }
}
mod refused {
    mod written {
        #[forall::kary_reduce]
        fn program(x: &mut [f64]) -> usize {
            let mut b = 0; for i in 1..x.len() { x[i] += 1.0; if x[i] > x[b] { b = i; } } b
        }
    }
    mod else_too {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> usize {
            let mut b = 0; for i in 1..x.len() { if x[i] > x[b] { b = i; } else { b = 0; } } b
        }
    }
}
