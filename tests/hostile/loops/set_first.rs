//! Variables from before a loop that each block sets first, as counters of the loops inside; and others that look alike.

mod right {
    mod inner_value_set_first {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t;
            for i in 0..x.len().min(y.len()) {
                t = x[i] / 2;
                for k in 0..3 {
                    t = t.wrapping_add(k);
                    y[i] = y[i].wrapping_add(t);
                }
            }
        }
    }
    mod counter_of_the_loop_inside {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let n = 4;
            let mut j;
            for i in 0..y.len().min(x.len()) / n {
                j = 0;
                while j < n {
                    y[i * n + j] = 2 * x[i * n + j] + 1;
                    j += 1;
                }
            }
        }
    }
    mod counters_of_both_loops {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let n = 4;
            let (mut i, mut j) = (0, 0);
            i = 0;
            while i < x.len().min(y.len()) / n {
                j = 0;
                while j < n {
                    y[i * n + j] = x[i * n + j] - 3;
                    j += 1;
                }
                i += 1;
            }
        }
    }
    mod two_loops_share_it {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &mut [i64]) -> i64 {
            let mut t: i64 = 0;
            let mut most = 0;
            for i in 0..x.len().min(y.len()) {
                t = x[i] / 2;
                y[i] = t - 1;
            }
            for v in y.iter() {
                t = v / 3;
                most = most.max(t);
            }
            most
        }
    }
    mod in_both_branches {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len().min(y.len()) {
                if x[i] > 1 {
                    t = x[i] - 1;
                    y[i] = t / 2;
                } else {
                    t = 5;
                    y[i] = t;
                }
            }
        }
    }
    mod triangle {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let n = 4;
            let mut j: usize = 0;
            for i in 0..n.min(y.len()).min(x.len() / n) {
                let mut sum = 0_i64;
                j = i + 1;
                while j < n {
                    sum = sum.wrapping_add(x[i * n + j]);
                    j += 1;
                }
                y[i] = sum;
            }
        }
    }
    mod type_of_the_first_value {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0u8;
            for i in 0..x.len().min(y.len()) {
                t = 200;
                t = t.wrapping_add(100);
                y[i] = x[i] / 2 + t as i64;
            }
        }
    }
    mod place_by_a_name {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut count = 0;
            for i in 0..x.len().min(y.len()) {
                let k = count;
                count += 1;
                y[k] = x[i];
            }
        }
    }
    mod place_by_a_name_of_two {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) -> usize {
            let mut count = 0;
            for i in 0..x.len().min(y.len() / 2) {
                let k = count;
                count += 2;
                y[k] = x[i];
                y[k + 1] = -1;
            }
            count
        }
    }
    mod read_by_the_next_loop {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len().min(y.len()) {
                t = x[i] / 2;
                y[i] = t + 1;
            }
            for v in y.iter_mut() {
                *v -= t / 2;
            }
        }
    }
    mod type_of_another_block {
        #[forall::foreach]
        fn program(x: &[f32], y: &mut [f64]) {
            let mut t = 0.0;
            for i in 0..x.len().min(y.len()) {
                t = x[i];
                y[i] = t as f64;
            }
            for i in 0..y.len() {
                t = 0.1;
                y[i] += t as f64;
            }
        }
    }
    mod type_of_a_whole_number_in_another_block {
        #[forall::foreach]
        fn program(x: &[u8], y: &mut [i64]) {
            let mut t;
            for i in 0..x.len().min(y.len()) {
                t = x[i];
                y[i] = t as i64;
            }
            for i in 0..y.len() {
                t = 200;
                y[i] += t.wrapping_add(100) as i64;
            }
        }
    }
}

mod refused {
    mod kept_across_a_condition {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut j = 0;
            for i in 0..x.len().min(y.len()) {
                if x[i] > 0 {
                    j = i;
                    y[i] = j as i64;
                } else {
                    y[i] = 1;
                }
                if x[i] % 5 == 0 {
                    y[i] = j as i64;
                }
            }
        }
    }
    mod read_before_it_is_set {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len().min(y.len()) {
                y[i] = t;
                t = x[i];
            }
        }
    }
    mod read_by_its_own_value {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len().min(y.len()) {
                t = x[i] / 2 - t;
                y[i] = t;
            }
        }
    }
    mod set_in_one_branch {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len().min(y.len()) {
                if x[i] > 1 {
                    t = x[i];
                }
                y[i] = t;
            }
        }
    }
    mod read_after_the_loop {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) -> i64 {
            let mut t = 0;
            for i in 0..x.len().min(y.len()) {
                t = x[i] / 2;
                y[i] = t + 1;
            }
            t
        }
    }
    mod counter_that_goes_on {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let n = 4;
            let mut j = 0;
            for i in 0..x.len().min(y.len()) / n {
                while j < n {
                    y[i * n + j] = x[i * n + j];
                    j += 1;
                }
                j = i % 2;
            }
        }
    }
    mod condition_reads_it {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut t = 0;
            for i in 0..x.len().min(y.len()) {
                if t > 3 {
                    t = x[i] / 2;
                    y[i] = t;
                } else {
                    t = 4;
                    y[i] = t - 1;
                }
            }
        }
    }
    mod place_by_an_old_name {
        #[forall::foreach]
        fn program(x: &[i64], y: &mut [i64]) {
            let mut count = 0;
            let mut k = 0;
            for i in 0..x.len().min(y.len()) {
                y[k] = x[i];
                k = count;
                count += 1;
            }
        }
    }
}
