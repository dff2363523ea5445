//! Recurrences through an array that read several elements before their own.

mod right {
    mod only_two {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 2..x.len() { out[i] = 0.3 * out[i - 2] + x[i]; }
        }
    }
    mod only_three {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 3..x.len() - 1 { out[i] = 0.3 * out[i - 3] + x[i]; }
        }
    }
    mod from_the_end {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in (0..x.len().saturating_sub(2)).rev() { out[i] = 0.3 * out[i + 2] + x[i]; }
        }
    }
    mod too_early {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 1..x.len() { out[i] = 0.3 * out[i - 2] + x[i]; }
        }
    }
    mod two_back {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 2..x.len() { out[i] = 0.5 * out[i - 1] - 0.3 * out[i - 2] + x[i]; }
        }
    }
    mod fib {
        #[forall::distributed_scan]
        fn program(x: &[u64], out: &mut [u64]) {
            for i in 2..out.len() { out[i] = out[i - 1].wrapping_add(out[i - 2]); }
        }
    }
    mod three {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 3..x.len() { out[i] = x[i] + 0.1 * out[i - 3] + 0.2 * out[i - 2] + 0.3 * out[i - 1]; }
        }
    }
    mod in_place {
        #[forall::distributed_scan]
        fn program(out: &mut [f64]) {
            for i in 2..out.len() { out[i] += 0.5 * out[i - 1] + 0.25 * out[i - 2]; }
        }
    }
    mod inputs {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 2..x.len() { out[i] = 0.2 * x[i] + 0.3 * x[i - 1] + 0.1 * x[i - 2] - 0.5 * out[i - 1] - 0.1 * out[i - 2]; }
        }
    }
    mod read_after {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64], d: &mut [f64]) {
            for i in 2..x.len() { out[i] = 0.5 * out[i - 1] - 0.3 * out[i - 2] + x[i]; d[i] = out[i - 1] + out[i - 2]; }
        }
    }
    mod one {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 1..x.len() { out[i] = 0.5 * out[i - 1] + x[i]; }
        }
    }
}
mod refused {
    mod product {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 2..x.len() { out[i] = 0.3 * out[i - 2] * out[i - 1] + x[i]; }
        }
    }
}
