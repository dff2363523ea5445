//! Random programs that were wrong once.

mod right {
    mod counted_and_subtracted {
        #[forall::foreach_tls]
        pub fn program(x: &[u64], to: &mut Vec<u64>, k: u64) -> u64 {
            let mut v = 0_u64;
            let mut c = 0usize;
            for (i, &e) in x.iter().enumerate() {
                v -= e;
                if e == 4_u64 {
                    to.push(k);
                    c += 1;
                } else {
                    v += 1_u64;
                }
            }
            v
        }
    }

    mod guarded_float_sum {
        #[forall::kary_reduce]
        pub fn program(x: &[f32], short: &[f32], out: &mut [f32]) -> (f32, bool) {
            let mut v = 0_f32;
            let mut ok = true;
            let n = x.len();
            for i in 1..n {
                let e = x[i];
                let t1 = e;
                out[i] = t1 * t1;
                {
                    ok = ok && short[i] > e;
                }
                v -= x[i];
            }
            (v, ok)
        }
    }

    mod own_clone_changes {
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
        struct Num(i64);
        impl Num {
            fn max(self, o: Num) -> Num {
                Num(self.0 - o.0)
            }
            fn min(self, o: Num) -> Num {
                o
            }
            fn count(&mut self) -> i64 {
                self.0 += 1_i64;
                self.0
            }
            fn abs(&mut self) -> i64 {
                self.0 += 1_i64;
                self.0
            }
            fn len(&mut self) -> usize {
                self.0 += 1_i64;
                3
            }
            fn push(&mut self, e: i64) {
                self.0 = e;
            }
            fn get(&mut self) -> i64 {
                self.0 += 1_i64;
                self.0
            }
            fn clone(&mut self) -> Num {
                self.0 += 1_i64;
                *self
            }
        }
        impl std::ops::Add for Num {
            type Output = Num;
            fn add(self, o: Num) -> Num {
                Num(self.0 - o.0)
            }
        }
        impl std::ops::AddAssign for Num {
            fn add_assign(&mut self, o: Num) {
                self.0 = o.0 - self.0;
            }
        }
        #[forall::distributed_scan]
        pub fn program(x: &[i64], short: &[i64], out: &mut [i64]) -> (i64, bool, i64) {
            let mut v = 0_i64;
            let mut ok = true;
            let mut num = Num(1_i64);
            let n = x.len();
            for (i, &e) in x.iter().enumerate() {
                let mut pair = (x[i], 1_i64);
                let (t1, _) = &mut pair;
                *t1 += 1_i64;
                out[i] += (x[i] * 2_i64);
                ok = ok && short[i] > x[(i + 1) % n];
                out[i] = num.clone().0;
                v += pair.0;
                out[i] = v;
            }
            (v, ok, num.0)
        }
    }

    mod divides_where_an_extreme_changes {
        type List = Vec<i32>;
        #[forall::distributed_scan]
        pub fn program(
            x: &[i32],
            #[gather] y: &[i32],
            idx: &[usize],
            on: &[bool],
            wide2: &[i32],
            out: &mut [i32],
            w: usize,
        ) -> (i32, i32, usize, Vec<i32>) {
            let mut a = 1_i32;
            let mut m = 3_i32;
            let mut c = 0usize;
            let mut same: List = List::new();
            for (i, e) in x.iter().copied().enumerate() {
                if on[i] {
                    match y[idx[i]] {
                        t1 if t1 < 4_i32 => continue,
                        _ => {}
                    }
                }
                if i % 3 == 1 {
                    c += 1;
                }
                out[i] = c as i32;
                let mut t2 = 0_i32;
                for j in 0..w {
                    t2 += wide2[i * w + j];
                }
                out[i] = t2;
                if on[i] {
                    same.push((x[i] * 2_i32));
                }
                if e > m {
                    m = e;
                    a = 100_i32 / (e - 5_i32);
                }
            }
            (a, m, c, same)
        }
    }

    mod overflow_before_an_index {
        #[forall::kary_reduce]
        pub fn program(x: &[f64], idx: &[usize]) -> (f64, u8) {
            let mut v = 0_f64;
            let mut count8 = 0u8;
            let n = x.len();
            for i in 1..=n {
                let e = x[i];
                let mut list = vec![x[i], 1_f64, x[i]];
                let i = i - 1;
                list.push((if idx[i] % 4 == 2 { e } else { e }));
                {
                    count8 += 1;
                }
                v += (list.first().copied().unwrap_or(2_f64) + (list.len() as f64));
            }
            (v, count8)
        }
    }
}

mod refused {
    mod lent_where_it_stands {
        #[forall::distributed_scan]
        pub fn program(x: &[i64], bins: &mut [i64]) -> (i64, i64) {
            let mut v = 0_i64;
            let mut a = 1_i64;
            for i in 0..x.len() {
                *&mut v = (v - a);
                if i > 0 {
                    bins[i % 64] += {
                        let q = x[i];
                        q + q
                    };
                }
            }
            (v, a)
        }
    }

    mod macro_of_the_body_resets {
        #[forall::foreach]
        pub fn program(x: &[i64], idx: &[usize], out: &mut [i64]) -> i64 {
            let mut v = 0_i64;
            let n = x.len();
            for i in (0..n).rev() {
                let mut set = std::collections::BTreeSet::from([i]);
                set.insert(idx[i] % 7);
                if i > 0 {
                    out[i] = v;
                    v += x[i];
                }
                if !set.contains(&(idx[i] % 5)) {
                    set.insert(idx[i] % 9);
                }
                macro_rules! here {
                    () => {
                        v = 0_i64
                    };
                }
                here!();
                v += (set.len() as i64);
            }
            v
        }
    }

    mod insert_changes_an_option {
        #[forall::kary_reduce]
        pub fn program(x: &[i64], y: &[i64], out: &mut [i64], wide: &mut [i64], to: &mut Vec<i64>) -> i64 {
            let mut v = 0_i64;
            let n = x.len();
            for i in 1..n {
                let e = x[i];
                let mut o = Some(x[i]);
                let mut a = x[i];
                if i > 0 {
                    let row = &mut wide[i * 3..i * 3 + 3];
                    row[0] = x[(i + 1) % n];
                    row[2] = y[i];
                }
                o.insert(2_i64);
                *&mut v = a;
                to.push(a);
                if o.unwrap_or(3_i64) > 9_i64 {
                    v = 0_i64;
                }
                v += e;
                out[i] = v;
            }
            v
        }
    }

    mod macro_of_the_body_is_a_place {
        #[forall::foreach_tls]
        pub fn program(x: &[i32], out: &mut [i32]) -> i32 {
            let mut v = 0_i32;
            let n = x.len();
            for i in 0..n {
                let e = x[i];
                v -= e;
                out[n - 1 - i] = e;
                macro_rules! here {
                    () => {
                        v
                    };
                }
                here!() += x[i];
            }
            v
        }
    }
}
