//! Recurrences through an array whose write stands in a block, beside other variables.

mod refused {
    mod a_block {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) -> i64 {
            let mut sum = 0;
            for i in 1..x.len() {
                sum += x[i];
                {
                    out[i] = out[i - 1] + sum;
                }
            }
            sum
        }
    }
    mod the_first_is_left_out {
        #[forall::distributed_scan]
        fn program(x: &[u64], out: &mut [u64]) {
            let mut ok = true;
            for i in 0..x.len() {
                ok = ok != (1 == 2);
                if i > 0 {
                    out[i] = out[i - 1] + 1;
                }
            }
        }
    }
    mod another_loop_pushes {
        #[forall::foreach_tls]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut set = std::collections::BTreeSet::new();
            for i in 0..x.len() {
                if i > 0 {
                    out[i] = out[i - 1] + 1;
                }
            }
            for i in 1..1 {
                set.insert(1);
            }
        }
    }
    mod a_value {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) -> i64 {
            let mut sum = 0;
            for i in 1..x.len() {
                let t = {
                    out[i] = out[i - 1] + 1;
                    x[i]
                };
                sum += t;
            }
            sum
        }
    }
}
