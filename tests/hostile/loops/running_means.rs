//! Means so far, and other values that are divided in each iteration.

mod right {
    mod mean_before_the_count {
        #[forall::distributed_scan]
        fn program(x: &[f64], o: &mut [f64]) {
            let mut mean = 0.0;
            let mut n = 0.0;
            for i in 0..x.len() {
                mean += (x[i] - mean) / n;
                n += 1.0;
                o[i] = mean;
            }
        }
    }
    mod mean_count_from_one {
        #[forall::distributed_scan]
        fn program(x: &[f64], o: &mut [f64]) {
            let mut mean = 0.0;
            let mut n = 1.0;
            for i in 0..x.len() {
                mean += (x[i] - mean) / n;
                n += 1.0;
                o[i] = mean;
            }
        }
    }
    mod mean_that_restarts {
        #[forall::distributed_scan]
        fn program(x: &[f64], o: &mut [f64]) {
            let mut mean = 0.0;
            let mut n = 0.0;
            for i in 0..x.len() {
                if x[i] > 0.9 {
                    n = 0.0;
                }
                n += 1.0;
                mean += (x[i] - mean) / n;
                o[i] = mean;
            }
        }
    }
    mod mean_and_variance {
        #[forall::distributed_scan]
        fn program(x: &[f64]) -> (f64, f64) {
            let mut mean = 0.0;
            let mut m2 = 0.0;
            let mut n = 0.0;
            for &v in x {
                n += 1.0;
                let d = v - mean;
                mean += d / n;
                m2 += d * (v - mean);
            }
            (mean, m2)
        }
    }
    mod mean_by_the_index {
        #[forall::distributed_scan]
        fn program(x: &[f64]) -> (f64, f64) {
            let mut mean = 0.0;
            let mut m2 = 0.0;
            for (i, &v) in x.iter().enumerate() {
                let n = (i + 1) as f64;
                let d = v - mean;
                mean += d / n;
                m2 += d * (v - mean);
            }
            (mean, m2)
        }
    }
    mod mean_so_far {
        #[forall::distributed_scan]
        fn program(x: &[f64], o: &mut [f64]) {
            let mut mean = 0.0;
            let mut n = 0.0;
            for i in 0..x.len() {
                n += 1.0;
                mean = mean + (x[i] - mean) / n;
                o[i] = mean;
            }
        }
    }
    mod mean_of_whole_counts {
        #[forall::distributed_scan]
        fn program(x: &[f64]) -> (f64, f64) {
            let mut mean = 0.0;
            let mut m2 = 0.0;
            let mut n = 0;
            for &v in x {
                n += 1;
                let d = v - mean;
                mean += d / n as f64;
                m2 += d * (v - mean);
            }
            (mean, m2)
        }
    }
    mod weighted_mean {
        #[forall::distributed_scan]
        fn program(x: &[f64], y: &[f64]) -> f64 {
            let mut mean = 0.0;
            let mut all = 1.0;
            for i in 0..x.len() {
                let w = y[i].abs();
                all += w;
                mean += w * (x[i] - mean) / all;
            }
            mean
        }
    }
    mod mean_of_some {
        #[forall::distributed_scan]
        fn program(x: &[f64], o: &mut [f64]) {
            let mut mean = 0.0;
            let mut n = 0.0;
            for i in 0..x.len() {
                if x[i] > 0.0 {
                    n += 1.0;
                    mean += (x[i] - mean) / n;
                }
                o[i] = mean;
            }
        }
    }
    mod halved {
        #[forall::distributed_scan]
        fn program(x: &[f64], o: &mut [f64]) {
            let mut s = 0.0;
            let d = 3.0;
            for i in 0..x.len() {
                s = (s + x[i]) / d;
                o[i] = s;
            }
        }
    }
    mod halved_by_a_parameter {
        #[forall::distributed_scan]
        fn program(x: &[f64], d: f64, o: &mut [f64]) {
            let mut s = 0.0;
            for i in 0..x.len() {
                s = (s + x[i]) / (1.0 + d * d);
                o[i] = s;
            }
        }
    }
    mod two_halved {
        #[forall::distributed_scan]
        fn program(x: &[f64], d: f64, o: &mut [f64]) {
            let mut a = 0.0;
            let mut b = 1.0;
            for i in 0..x.len() {
                let c = (a - b) / (2.0 + d * d);
                b = (b + a) / (3.0 + d * d) + x[i];
                a = c;
                o[i] = a + b;
            }
        }
    }
    mod divided_integers {
        #[forall::distributed_scan]
        fn program(x: &[i64], o: &mut [i64]) {
            let mut s = 0;
            let d = 3;
            for i in 0..x.len() {
                s = (s + x[i] % 100) / d;
                o[i] = s;
            }
        }
    }
}
