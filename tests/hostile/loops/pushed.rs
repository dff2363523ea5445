//! Pushes under a condition, which are done without a branch.

mod right {
    mod pushed_two_vecs {
        #[forall::foreach_tls]
        pub fn program(x: &[i64], a: &mut Vec<i64>, b: &mut Vec<usize>) {
            for i in 0..x.len() {
                if x[i] > 1 {
                    a.push(x[i]);
                    b.push(i);
                }
                if x[i] % 2 == 0 {
                    b.push(i);
                }
            }
        }
    }
    mod pushed_same_twice {
        #[forall::foreach_tls]
        pub fn program(x: &[i64], a: &mut Vec<i64>) {
            for i in 0..x.len() {
                if x[i] > 1 {
                    a.push(x[i]);
                    a.push(x[i]);
                }
                if x[i] < 1 {
                    a.push(x[i]);
                }
            }
        }
    }
    mod pushed_condition_divides {
        #[forall::foreach_tls]
        pub fn program(x: &[i64], a: &mut Vec<i64>) {
            for i in 0..x.len() {
                if 100 / (x[i] - 3) > 1 {
                    a.push(x[i]);
                }
            }
        }
    }
    mod pushed_also_outside {
        #[forall::foreach_tls]
        pub fn program(x: &[i64], a: &mut Vec<i64>) {
            for i in 0..x.len() {
                if x[i] > 1 {
                    a.push(x[i]);
                }
                for k in 0..(x[i] & 3) {
                    a.push(k);
                }
            }
        }
    }
    mod pushed_names_of_mine {
        #[forall::foreach_tls]
        pub fn program(x: &[i64]) -> Vec<i64> {
            let mut v = Vec::new();
            let keep = 3;
            let __room0 = 4;
            for e in x {
                let room = *e + keep + __room0;
                if room > 9 {
                    v.push(room);
                }
            }
            v
        }
    }
    mod pushed_boxed {
        #[forall::foreach_tls]
        pub fn program(x: &[i64]) -> Vec<Option<i64>> {
            let mut v = vec![];
            for e in x {
                let o = if *e > 5 { None } else { Some(*e) };
                if *e > 2 {
                    v.push(o);
                }
            }
            v
        }
    }
    mod pushed_strings {
        #[forall::foreach_tls]
        pub fn program(x: &[i64]) -> usize {
            let mut v: Vec<String> = vec![];
            for e in x {
                let s = format!("{e}");
                if *e > 2 {
                    v.push(s);
                }
            }
            v.iter().map(|s| s.len()).sum()
        }
    }
    mod pushed_shadowed {
        #[forall::foreach_tls]
        pub fn program(x: &[i64]) -> Vec<i64> {
            let mut v = vec![];
            for e in x {
                let e = {
                    let v = *e;
                    v * 2
                };
                if e > 2 {
                    v.push(e);
                }
            }
            v
        }
    }
    mod pushed_units {
        #[forall::foreach_tls]
        pub fn program(x: &[i64]) -> usize {
            let mut v = vec![];
            for e in x {
                if *e > 2 {
                    v.push(());
                }
            }
            v.len()
        }
    }
}
