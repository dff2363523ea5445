//! Operands with a side effect, which would be computed twice, once, in another order or not at all.

mod refused {
    mod greatest_of_two_items {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                let mut it = [x[i], x[i] / 3].into_iter();
                m = if m > it.next().unwrap() { m } else { it.next().unwrap() };
            }
            m
        }
    }
    mod greatest_of_a_closure {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                let mut v = x[i] * 3;
                let mut roll = || {
                    v /= 3;
                    v
                };
                if roll() > m {
                    m = roll();
                }
            }
            m
        }
    }
    mod greatest_of_a_cell {
        use std::cell::Cell;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                let c = Cell::new(x[i]);
                if c.replace(x[i] / 3) > m {
                    m = c.replace(x[i] / 3);
                }
            }
            m
        }
    }
    mod element_of_the_next_item {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> [i64; 4] {
            let mut h = [0; 4];
            for i in 0..x.len() {
                let mut it = [1usize, 3].into_iter();
                h[it.next().unwrap()] += it.next().unwrap() as i64 * x[i];
            }
            h
        }
    }
    mod element_that_the_operand_moves {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> [i64; 4] {
            let mut h = [0; 4];
            for i in 0..x.len() {
                let mut k = i % 4;
                h[k] += {
                    k = (k + 1) % 4;
                    x[i]
                };
                h[k] += 1;
            }
            h
        }
    }
    mod element_found_twice {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> [i64; 4] {
            let mut h = [0; 4];
            for i in 0..x.len() {
                let mut it = [0usize, 2].into_iter();
                h[it.next().unwrap()] = h[it.next().unwrap()] + x[i];
            }
            h
        }
    }
    mod scattered_element_that_the_operand_moves {
        #[forall::foreach]
        fn program(x: &[i64], #[scatter] out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = (i * 7) % x.len();
                out[k] = out[k] + {
                    k = (k + 1) % x.len();
                    x[i] + k as i64
                };
            }
        }
    }
    mod sum_of_items_around {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for i in 0..x.len() {
                let mut it = [x[i], 5].into_iter();
                s = it.next().unwrap() + (s - it.next().unwrap());
            }
            s
        }
    }
    mod factor_from_a_stack {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0i64;
            for i in 0..x.len() {
                let mut stack = vec![7, -1];
                s = (s + x[i]) * stack.pop().unwrap();
                out[i] = s;
            }
        }
    }
    mod text_that_grows_between {
        use std::fmt::Write;
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0i64;
            for i in 0..x.len() {
                let mut text = String::new();
                let d = s + text.len() as i64;
                write!(text, "{}", i).unwrap();
                s = -d + x[i];
                out[i] = text.len() as i64;
            }
        }
    }
    mod entry_under_the_name_of_what_is_inserted {
        use std::collections::BTreeMap;
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> BTreeMap<i64, i64> {
            let mut m = BTreeMap::new();
            for i in 0..x.len() {
                let v = &i64::from(i < 9);
                m.entry(x[i] / 20).and_modify(|v| *v ^= *v).or_insert(*v);
            }
            m
        }
    }
    mod behind_or_in_a_closure {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (bool, i64) {
            let (mut m, mut s) = (false, 0);
            for i in 0..x.len() {
                let mut k = 0;
                let mut g = || {
                    k = 7;
                    x[i] > 25
                };
                m = m || g();
                s += k;
            }
            (m, s)
        }
    }
    mod behind_or_by_a_reference {
        fn bump(k: &mut i64, v: i64) -> bool {
            *k += 1;
            v > 25
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (bool, i64) {
            let (mut m, mut s) = (false, 0);
            for i in 0..x.len() {
                let mut k = 0;
                let r = &mut k;
                m = m || bump(r, x[i]);
                s += k;
            }
            (m, s)
        }
    }
    mod behind_the_greatest_in_a_closure {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64) {
            let (mut m, mut s) = (0, 0);
            for i in 0..x.len() {
                let mut k = 0;
                let mut g = || {
                    k = 7;
                    true
                };
                if x[i] > m && g() {
                    m = x[i];
                }
                s += k;
            }
            (m, s)
        }
    }
    mod behind_the_greatest_in_a_cell {
        use std::cell::Cell;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, i64, i64) {
            let (mut m, mut at, mut s) = (0, 0, 0);
            for i in 0..x.len() {
                let k = Cell::new(0);
                if x[i] > m {
                    m = x[i];
                    at = k.replace(1);
                }
                s += k.get();
            }
            (m, at, s)
        }
    }
    mod behind_the_first_in_a_closure {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (Option<usize>, i64) {
            let (mut first, mut s) = (None, 0);
            for i in 0..x.len() {
                let mut k = 0;
                let mut g = || {
                    k = 7;
                    true
                };
                if first.is_none() && g() {
                    first = Some(i);
                }
                s += k;
            }
            (first, s)
        }
    }
    mod arm_that_catches_before {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            const TOP: i64 = -1;
            let mut best: Option<i64> = None;
            for i in 0..x.len() {
                match best {
                    None => best = Some(x[i]),
                    Some(TOP) => {}
                    Some(b) if x[i] > b => best = Some(x[i]),
                    _ => {}
                }
            }
            best
        }
    }
    mod function_of_another_module {
        mod other {
            pub fn blend(a: i64, b: i64) -> i64 { a.wrapping_mul(2) ^ b }
        }
        fn blend(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
        #[forall::kary_reduce(combine = blend)]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0i64;
            for i in 0..x.len() {
                m = other::blend(m, x[i]);
            }
            m
        }
    }
    mod length_by_another_variable {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = 6;
            let mut buf = vec![0i64; n];
            let n = 3;
            for i in 0..x.len() {
                for k in 0..n {
                    buf[k] = x[i] + k as i64;
                }
                out[i] = buf[5] + buf[0];
                buf[5] = x[i];
            }
        }
    }
    mod length_by_a_constant_inside {
        const N: usize = 6;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut buf = vec![0i64; N];
            for i in 0..x.len() {
                {
                    const N: usize = 3;
                    for k in 0..N {
                        buf[k] = x[i] + k as i64;
                    }
                }
                out[i] = buf[5] + buf[0];
                buf[5] = x[i];
            }
        }
    }
    mod longer_before_the_loop {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut buf = vec![0i64; 3];
            buf.clone_from(&vec![0; 6]);
            for i in 0..x.len() {
                for k in 0..3 {
                    buf[k] = x[i] + k as i64;
                }
                out[i] = buf[5] + buf[0];
                buf[5] = x[i];
            }
        }
    }
    mod cleared_in_part {
        #[derive(Clone)]
        struct Acc {
            a: i64,
            b: i64,
        }
        impl Acc {
            fn clear(&mut self) { self.a = 0; }
            fn add(&mut self, v: i64) {
                self.a += v;
                self.b += v;
            }
            fn b(&self) -> i64 { self.b }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut acc = Acc { a: 0, b: 0 };
            for i in 0..x.len() {
                acc.clear();
                acc.add(x[i]);
                out[i] = acc.b();
            }
        }
    }
    mod place_by_an_imported_constant {
        const W: usize = 1;
        mod wide {
            pub const W: usize = 2;
        }
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64]) {
            for i in 0..x.len() {
                use self::wide::W;
                wide[i / W] = x[i];
            }
        }
    }
}

mod right {
    mod places_drawn_by_lot {
        struct Lot(u64);
        impl Lot {
            fn draw(&mut self) -> usize {
                self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (self.0 >> 33) as usize
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> [i64; 8] {
            let mut h = [0; 8];
            for i in 0..x.len() {
                let mut lot = Lot(x[i] as u64);
                for _ in 0..5 {
                    h[lot.draw() % 8] += 1;
                }
            }
            h
        }
    }
    mod operand_with_variables_of_its_own {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> ([i64; 4], i64, bool) {
            let (mut h, mut m, mut any) = ([0; 4], -100, false);
            for i in 0..x.len() {
                h[i % 4] += {
                    let mut t = x[i];
                    t += 1;
                    t
                };
                let twice = |v: i64| 2 * v;
                if twice(x[i]) > m {
                    m = twice(x[i]);
                }
                any = any || {
                    let mut t = x[i];
                    t *= 3;
                    t > 20
                };
            }
            (h, m, any)
        }
    }
    mod longer_name_beside_a_shorter_one {
        #[forall::kary_reduce]
        fn program(bx: &[i64], x: &[i64]) -> (i64, i64) {
            let (mut m, mut at) = (-1000, 0);
            for i in 0..bx.len() {
                if bx[i] > m {
                    m = bx[i];
                    at = x[i];
                }
            }
            (m, at)
        }
    }
}
