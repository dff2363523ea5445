//! Arrays that one loop writes and another one gathers from, and others that look alike.

mod right {
    mod written_by_the_next_loop {
        #[forall::foreach]
        fn program(#[gather] y: &mut [i64], k: &[usize], out: &mut [i64]) {
            for i in 0..k.len().min(out.len()) {
                out[i] = y[k[i]];
            }
            for i in 0..y.len() {
                y[i] += 1;
            }
        }
    }
    mod written_by_the_loop_before {
        #[forall::foreach]
        fn program(#[gather] y: &mut [i64], k: &[usize], out: &mut [i64]) {
            for i in 0..y.len() {
                y[i] = 3 * i as i64;
            }
            for i in 0..k.len().min(out.len()) {
                out[i] = y[k[i]];
            }
        }
    }
    mod in_rounds {
        #[forall::foreach]
        fn program(#[gather] y: &mut [i64], k: &[usize], #[gather] z: &mut [i64]) {
            let n = y.len().min(z.len()).min(k.len());
            #[sequential]
            for _ in 0..3 {
                for i in 0..n {
                    z[i] = y[k[i] % n] + 1;
                }
                for i in 0..n {
                    y[i] = z[k[i] % n] - 2;
                }
            }
        }
    }
    mod between_two_scatters {
        #[forall::kary_reduce]
        fn program(#[gather] y: &mut [i64], k: &[usize]) -> i64 {
            let mut sum = 0;
            for i in 0..k.len() {
                sum += y[k[i]];
            }
            for i in 0..y.len() {
                y[i] = sum;
            }
            for i in 0..k.len() {
                sum += y[k[i]];
            }
            sum
        }
    }
    mod index_of_an_index {
        #[forall::foreach]
        fn program(#[gather] y: &mut [i64], #[gather] k: &mut [usize], out: &mut [i64]) {
            for i in 0..k.len().min(out.len()) {
                out[i] = y[k[k[i]]];
            }
            for i in 0..k.len() {
                k[i] = 0;
            }
            for i in 0..y.len() {
                y[i] -= 1;
            }
        }
    }
}

mod refused {
    mod written_by_the_same_loop {
        #[forall::foreach]
        fn program(#[gather] y: &mut [i64], k: &[usize]) {
            for i in 0..k.len().min(y.len()) {
                y[i] = y[k[i]] + 1;
            }
        }
    }
    mod written_inside {
        #[forall::foreach]
        fn program(#[gather] y: &mut [i64], k: &[usize], out: &mut [i64]) {
            for i in 0..k.len().min(out.len()).min(y.len()) {
                if out[i] > 0 {
                    y[i] = 0;
                }
                out[i] = y[k[i]];
            }
        }
    }
    mod written_through_a_name {
        #[forall::foreach]
        fn program(#[gather] y: &mut [i64], k: &[usize], out: &mut [i64]) {
            for i in 0..k.len().min(out.len()).min(y.len()) {
                let own = &mut y[i];
                *own += 1;
                out[i] = y[k[i]];
            }
        }
    }
    mod scattered_by_the_same_loop {
        #[forall::foreach]
        fn program(#[scatter] y: &mut [i64], k: &[usize], out: &mut [i64]) {
            for i in 0..k.len().min(out.len()) {
                y[k[i]] = out[i];
                out[i] = y[k[i]];
            }
        }
    }
    mod scattered_and_read_elsewhere {
        #[forall::foreach]
        fn program(#[scatter] y: &mut [i64], k: &[usize], out: &mut [i64]) {
            for i in 0..k.len().min(out.len()) {
                y[k[i]] = out[i];
            }
            for i in 0..k.len().min(out.len()) {
                out[i] = y[k[i]];
            }
        }
    }
}
