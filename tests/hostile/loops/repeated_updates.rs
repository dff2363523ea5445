//! Elements that all updates change by one function, and others whose updates only look alike.

mod right {
    mod up_to_a_limit {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Vec<u8> {
            let mut h = vec![0u8; 5];
            for v in x {
                let k = v.rem_euclid(5) as usize;
                if h[k] < 3 {
                    h[k] += 1;
                }
            }
            h
        }
    }
    mod a_limit_below_the_start {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut h = vec![9; 5];
            for v in x {
                let k = v.rem_euclid(5) as usize;
                h[k] = (h[k] + 1).min(7);
            }
            h
        }
    }
    mod an_overflow {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Vec<u8> {
            let mut h = vec![253u8; 3];
            for i in 0..x.len() {
                let k = x[i].rem_euclid(3) as usize;
                h[k] = (h[k] + 1).min(255);
            }
            h
        }
    }
    mod an_index_out_of_bounds_after_an_overflow {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> [i8; 4] {
            let mut h = [126i8; 4];
            for i in 0..x.len() {
                let k = x[i].rem_euclid(5) as usize;
                if h[k] != 0 {
                    h[k] += 1;
                }
            }
            h
        }
    }
    mod a_division_by_zero {
        #[forall::kary_reduce]
        fn program(x: &[i64], n: usize) -> Vec<i64> {
            let mut h = vec![100; 4];
            let by = n as i64 % 3;
            for v in x {
                let k = v.rem_euclid(4) as usize;
                h[k] = h[k] / by + 7;
            }
            h
        }
    }
    mod two_statements_with_one_function {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut h = vec![0; 6];
            for v in x {
                let (k, j) = (v.rem_euclid(6) as usize, v.rem_euclid(4) as usize);
                if h[k] < 10 {
                    h[k] += 3;
                }
                if *v > 0 {
                    if h[j] < 10 {
                        h[j] += 3;
                    }
                }
            }
            h
        }
    }
}

mod refused {
    mod two_limits {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut h = vec![0; 5];
            for v in x {
                let k = v.rem_euclid(5) as usize;
                if *v > 0 {
                    if h[k] < 10 {
                        h[k] += 1;
                    }
                } else {
                    if h[k] < 4 {
                        h[k] += 2;
                    }
                }
            }
            h
        }
    }
    mod a_limit_of_the_iteration {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut h = vec![0; 5];
            for v in x {
                let k = v.rem_euclid(5) as usize;
                if h[k] < *v {
                    h[k] += 1;
                }
            }
            h
        }
    }
    mod a_step_of_the_iteration {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut h = vec![0; 5];
            for (i, v) in x.iter().enumerate() {
                let k = v.rem_euclid(5) as usize;
                h[k] = (h[k] * 2 + i as i64) % 1000;
            }
            h
        }
    }
    mod a_limit_that_changes {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut h = vec![0; 5];
            let mut most = 3;
            for v in x {
                let k = v.rem_euclid(5) as usize;
                if h[k] < most {
                    h[k] += 1;
                }
                most += 1;
            }
            h
        }
    }
    mod another_variable_beside {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (Vec<i64>, i64) {
            let mut h = vec![0; 5];
            let mut full = 0;
            for (i, v) in x.iter().enumerate() {
                let k = v.rem_euclid(5) as usize;
                if h[k] < 4 {
                    h[k] += 1;
                } else {
                    full += i as i64;
                }
            }
            (h, full)
        }
    }
    mod another_element {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut h = vec![0; 5];
            for v in x {
                let k = v.rem_euclid(5) as usize;
                if h[k] < h[0] + 2 {
                    h[k] += 1;
                }
            }
            h
        }
    }
    mod the_value_afterwards {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (Vec<i64>, i64) {
            let mut h = vec![0; 5];
            let mut s = 0;
            for v in x {
                let k = v.rem_euclid(5) as usize;
                if h[k] < 4 {
                    h[k] += 1;
                }
                s += h[k];
            }
            (h, s)
        }
    }
    mod a_plain_sum_beside {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut h = vec![0; 5];
            for v in x {
                let k = v.rem_euclid(5) as usize;
                if h[k] < 4 {
                    h[k] += 1;
                }
                h[0] += 1;
            }
            h
        }
    }
}
