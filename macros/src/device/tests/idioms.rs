//! What people write without a thought: literals without types, tuples, patterns, methods.

use super::*;

asking! {
    literals_of_arguments: "
        #[foreach]
        fn fibonacci(n: &[u32], out: &mut [u64]) {
            for i in 0..n.len() {
                let mut m = [1, 0, 0, 1];
                for _ in 0..n[i] {
                    m = multiplied(m, [1, 1, 1, 0]);
                }
                let (most, on) = limits((7, 0.5), -1);
                out[i] = if on { m[1] } else { most };
            }
        }";
}
