//! Buffers that each iteration sets before it passes them to functions, and others that look alike.

mod right {
    mod ep {
        fn draw(n: usize, t: &mut i64, x: &mut [i64]) {
            for k in 0..n {
                *t = (*t * 1103515245 + 12345) % 2147483648;
                x[k] += *t % 100;
            }
        }
        #[forall::kary_reduce]
        fn program(n: usize) -> i64 {
            let mut x = vec![0; 100];
            let mut s = 0;
            for k in 0..n {
                let mut t = k as i64;
                x.fill(0);
                draw(100, &mut t, &mut x);
                for i in 0..100 {
                    s += 2 * x[i];
                }
            }
            s
        }
    }
    mod buffer_by_loop {
        fn draw(x: &mut [i64], v: i64) {
            for e in x.iter_mut() {
                *e += v;
            }
        }
        #[forall::kary_reduce]
        fn program(n: usize) -> i64 {
            let m = 10;
            let mut b = vec![0; m];
            let mut s = 0;
            for k in 0..n {
                for j in 0..m {
                    b[j] = (k * j) as i64;
                }
                draw(&mut b, 1);
                for j in 0..m {
                    s += b[j];
                }
            }
            s
        }
    }
    mod buffer_by_items {
        fn draw(x: &mut [i64], v: i64) {
            for e in x.iter_mut() {
                *e += v;
            }
        }
        #[forall::kary_reduce]
        fn program(n: usize) -> i64 {
            let mut b = [0; 10];
            let mut s = 0;
            for k in 0..n {
                for (j, e) in b.iter_mut().enumerate() {
                    *e = (k * j) as i64;
                }
                draw(&mut b, 1);
                s += b.iter().sum::<i64>();
            }
            s
        }
    }
    mod buffer_by_resize {
        fn draw(x: &mut Vec<i64>, v: i64) {
            x.push(v);
            for e in x.iter_mut() {
                *e += v;
            }
        }
        #[forall::kary_reduce]
        fn program(n: usize) -> i64 {
            let mut b = Vec::new();
            let mut s = 0;
            for k in 0..n {
                b.resize(5 + k % 3, 0);
                b.fill(1);
                draw(&mut b, k as i64);
                s += b.iter().sum::<i64>();
            }
            s
        }
    }
    mod buffer_cleared {
        fn draw(x: &mut Vec<i64>, v: i64) {
            x.push(v);
            for e in x.iter_mut() {
                *e += v;
            }
        }
        #[forall::kary_reduce]
        fn program(n: usize) -> i64 {
            let mut b = Vec::with_capacity(10);
            let mut s = 0;
            for k in 0..n {
                b.clear();
                b.resize(5 + k % 3, 0);
                draw(&mut b, k as i64);
                s += b.iter().sum::<i64>();
            }
            s
        }
    }
}

mod refused {
    mod buffer_filled_in_part {
        fn draw(x: &mut [i64], v: i64) {
            for e in x.iter_mut() {
                *e += v;
            }
        }
        #[forall::kary_reduce]
        fn program(n: usize) -> i64 {
            let mut b = vec![0; 10];
            let mut s = 0;
            for k in 0..n {
                for j in 0..9 {
                    b[j] = k as i64;
                }
                draw(&mut b, 1);
                for j in 0..10 {
                    s += b[j];
                }
            }
            s
        }
    }
    mod buffer_that_grows {
        fn draw(x: &mut Vec<i64>, v: i64) {
            x.push(v);
            for e in x.iter_mut() {
                *e += v;
            }
        }
        #[forall::kary_reduce]
        fn program(n: usize) -> i64 {
            let mut b = vec![0; 10];
            let mut s = 0;
            for k in 0..n {
                b.fill(0);
                draw(&mut b, k as i64);
                s += b.iter().sum::<i64>();
            }
            s
        }
    }
    mod resized_and_not_set {
        fn draw(x: &mut [i64], v: i64) {
            for e in x.iter_mut() {
                *e += v;
            }
        }
        #[forall::kary_reduce]
        fn program(n: usize) -> i64 {
            let mut b = vec![0; 10];
            let mut s = 0;
            for k in 0..n {
                b.resize(12, 0);
                draw(&mut b, k as i64);
                s += b.iter().sum::<i64>();
            }
            s
        }
    }
    mod breaks_out_of_the_filling_loop {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = vec![0; 10];
            let mut s = 0;
            for i in 0..x.len() {
                for e in b.iter_mut() {
                    if x[i] > 3 {
                        break;
                    }
                    *e = x[i];
                }
                s += b.iter().sum::<i64>();
            }
            s
        }
    }
    mod adds_to_each {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = vec![0; 10];
            let mut s = 0;
            for i in 0..x.len() {
                for e in b.iter_mut() {
                    *e += x[i];
                }
                s += b.iter().sum::<i64>();
            }
            s
        }
    }
    mod filled_after_the_loop_at_another_length {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let mut b: Vec<i64> = Vec::new();
            let mut s = 0;
            for i in 0..x.len() {
                b.clear();
                for j in 0..x[i] {
                    b.push(j);
                }
                s += b.iter().sum::<i64>();
            }
            b.fill(1);
            (s, b.len())
        }
    }
    mod outer_over_samples {
        fn step(v: &mut Vec<i64>, k: i64) {
            if let Some(l) = v.last_mut() {
                *l += k;
            }
            v.push(k);
        }
        #[forall::kary_reduce]
        fn program(n: usize) -> i64 {
            let mut v = vec![1; 10];
            let mut s = 0;
            for k in 0..n {
                step(&mut v, k as i64);
                for i in 0..10 {
                    s += v[i];
                }
            }
            s
        }
    }
}
