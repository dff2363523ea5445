//! Indices of gathered arrays that the body computes through references, closures and jumps.

mod right {
    mod pushed_through_a_reference {
        #[forall::foreach]
        fn program(#[gather] y: &[i64], k: &[usize], out: &mut [i64]) {
            let n = y.len();
            for i in 0..out.len().min(k.len()) {
                let mut b = vec![0usize];
                let r = &mut b;
                r.push(k[i]);
                out[i] = y[b[b.len() - 1] % n];
            }
        }
    }
    mod cloned_through_a_reference {
        #[forall::foreach]
        fn program(#[gather] y: &[i64], k: &[usize], out: &mut [i64]) {
            let n = y.len();
            for i in 0..out.len().min(k.len()) {
                let mut b = vec![0usize];
                for r in b.iter_mut() {
                    r.clone_from(&k[i]);
                }
                out[i] = y[b[0] % n];
            }
        }
    }
    mod closure {
        #[forall::foreach]
        fn program(#[gather] y: &[i64], k: &[usize], out: &mut [i64]) {
            let n = y.len();
            for i in 0..out.len().min(k.len()) {
                let mut b = 0usize;
                let mut set = |v: usize| b = v;
                set(k[i]);
                out[i] = y[b % n];
            }
        }
    }
    mod swapped {
        #[forall::foreach]
        fn program(#[gather] y: &[i64], k: &[usize], out: &mut [i64]) {
            let n = y.len();
            for i in 0..out.len().min(k.len()) {
                let (mut b, mut c) = (0usize, k[i]);
                let (p, q) = (&mut b, &mut c);
                std::mem::swap(p, q);
                out[i] = y[b % n];
            }
        }
    }
    mod labeled_exit {
        #[forall::foreach]
        fn program(#[gather] y: &[i64], k: &[usize], out: &mut [i64]) {
            let n = y.len();
            for i in 0..out.len().min(k.len()) {
                let mut b = 0usize;
                'a: {
                    if y[k[i] % n] > 3 { break 'a; }
                    b = 1;
                }
                out[i] = y[b % n];
            }
        }
    }
    mod labeled_exit_from_loop {
        #[forall::foreach]
        fn program(#[gather] y: &[i64], k: &[usize], out: &mut [i64]) {
            let n = y.len();
            for i in 0..out.len().min(k.len()) {
                let mut b = 0usize;
                'a: for _ in 0..3 {
                    for j in 0..2 {
                        if y[(k[i] + j) % n] > 3 { continue 'a; }
                    }
                    b += 1;
                }
                out[i] = y[b % n];
            }
        }
    }
    mod counted_by_a_closure {
        #[forall::foreach]
        fn program(#[gather] y: &[i64], k: &[usize], out: &mut [i64]) {
            let n = y.len();
            for i in 0..out.len().min(k.len()) {
                let mut b = 0usize;
                (0..(y[k[i] % n] % 5).max(0)).for_each(|_| b += 1);
                out[i] = y[b % n];
            }
        }
    }
    mod let_else {
        #[forall::foreach]
        fn program(#[gather] y: &[i64], k: &[usize], out: &mut [i64]) {
            let n = y.len();
            for i in 0..out.len().min(k.len()) {
                let mut b = 0usize;
                'a: {
                    let 0..5 = y[k[i] % n] else { b = 2; break 'a; };
                }
                out[i] = y[b % n];
            }
        }
    }
    mod guard_sets {
        #[forall::foreach]
        fn program(#[gather] y: &[i64], k: &[usize], out: &mut [i64]) {
            let n = y.len();
            for i in 0..out.len().min(k.len()) {
                let mut b = 0usize;
                match y[k[i] % n] {
                    v if { b = v.unsigned_abs() as usize; v > 3 } => {}
                    _ => {}
                }
                out[i] = y[b % n];
            }
        }
    }
    mod lazily {
        #[forall::foreach]
        fn program(#[gather] y: &[i64], k: &[usize], out: &mut [i64]) {
            let n = y.len();
            for i in 0..out.len().min(k.len()) {
                let mut b = 0usize;
                let _ = y[k[i] % n] > 3 && { b = 1; true };
                out[i] = y[b % n];
            }
        }
    }
    mod collected {
        #[forall::foreach]
        fn program(#[gather] y: &[i64], k: &[usize], out: &mut [i64]) {
            let n = y.len();
            for i in 0..out.len().min(k.len()) {
                let mut b = vec![0usize; 2];
                let (p, q) = b.split_at_mut(1);
                p.fill(k[i]);
                q.copy_from_slice(p);
                out[i] = y[b[1] % n];
            }
        }
    }
    mod parts_of_a_pattern {
        #[forall::foreach]
        fn program(#[gather] y: &[i64], k: &[usize], out: &mut [i64]) {
            let n = y.len();
            for i in 0..out.len().min(k.len()) {
                let mut b = [0usize; 2];
                let [p, q] = &mut b;
                p.clone_from(&k[i]);
                q.clone_from(p);
                out[i] = y[b[1] % n];
            }
        }
    }
    mod if_let_reference {
        #[forall::foreach]
        fn program(#[gather] y: &[i64], k: &[usize], out: &mut [i64]) {
            let n = y.len();
            for i in 0..out.len().min(k.len()) {
                let mut b = vec![0usize];
                if let Some(p) = b.first_mut() { p.clone_from(&k[i]); }
                out[i] = y[b[0] % n];
            }
        }
    }
    mod iterator_moves {
        #[forall::foreach]
        fn program(#[gather] y: &[i64], k: &[usize], out: &mut [i64]) {
            let n = y.len();
            for i in 0..out.len().min(k.len()) {
                let mut b = vec![1usize, 2, 3];
                let mut all = b.iter_mut();
                let first = all.next();
                let second = all.next();
                second.into_iter().for_each(|v| *v = k[i]);
                out[i] = y[b[1] % n];
            }
        }
    }
}
