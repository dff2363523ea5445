//! Captured values of each kind, in each place of a body.

mod right {
    mod enums {
        #[derive(Clone, Copy, PartialEq)] enum M { A, B(i64) }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let m = if x.len() > 5 { M::B(3) } else { M::A }; for i in 0..x.len() { out[i] = match m { M::A => x[i], M::B(k) => x[i] * k }; }
        }
    }
    mod options {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let m: Option<Vec<i64>> = Some(vec![1, 2, 3]); for i in 0..x.len() { if let Some(v) = &m { out[i] = x[i] + v[i % 3]; } }
        }
    }
    mod option_ref {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let m: Option<Vec<i64>> = Some(vec![1, 2, 3]); let r = m.as_ref(); for i in 0..x.len() { out[i] = x[i] + r.map_or(0, |v| v[i % 3]); }
        }
    }
    mod strings {
        #[forall::foreach_tls]
        fn program(x: &[i64], to: &mut Vec<usize>) {
            let names = ["a".to_string(), "bcd".to_string()]; for i in 0..x.len() { let name = &names[i % 2]; to.push(name.len() + name.as_str().chars().count()); }
        }
    }
    mod pairs {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let p = (3i64, vec![5i64, 6], [7i64; 4]); for i in 0..x.len() { out[i] = p.0 * x[i] + p.1[i % 2] - p.2[i % 4]; }
        }
    }
    mod nested {
        struct S { a: Inner, n: usize } struct Inner { t: Vec<Vec<i64>>, f: fn(i64) -> i64 } fn twice(v: i64) -> i64 { 2 * v }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let s = S { a: Inner { t: vec![vec![1, 2], vec![3, 4]], f: twice }, n: 2 }; for i in 0..x.len() { out[i] = s.a.t[i % s.n][x[i] as usize % 2] + (s.a.f)(x[i]); }
        }
    }
    mod closures {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = vec![3i64, 4]; let b = 5i64; let f = |v: i64| v * k[0] + b; let g = move |v: i64| v - b; for i in 0..x.len() { let h = |w: i64| w + k[1] + b; out[i] = f(x[i]) + g(x[i]) + h(1); }
        }
    }
    mod boxed {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let b: Box<[i64]> = vec![1, 2, 3].into(); let d: Box<dyn Fn(i64) -> i64 + Sync> = Box::new(|v| v + 1); for i in 0..x.len() { out[i] = d(b[i % 3]) + x[i]; }
        }
    }
    mod iterated {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let w = vec![1i64, 2, 3]; for i in 0..x.len() { let mut s = 0; for v in &w { s += v * x[i]; } for (j, v) in w.iter().enumerate() { s += v * j as i64; } out[i] = s; }
        }
    }
    mod compared {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let name = String::from("abc"); let other = vec!["abc".to_string(), "d".to_string()]; for i in 0..x.len() { out[i] = if other[i % 2] == name { x[i] } else { -x[i] }; }
        }
    }
    mod deref {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let v = 7i64; let r = &v; let rr = &r; for i in 0..x.len() { out[i] = *r * x[i] + **rr + (*rr).pow(2); }
        }
    }
    mod slices {
        #[forall::foreach]
        fn program(x: &[i64], #[replicated] t: &[i64], out: &mut [i64]) {
            let (a, b) = t.split_at(t.len() / 2); let c = &t[1..]; for i in 0..x.len() { out[i] = a.first().copied().unwrap_or(0) + b[i % b.len()] * c[i % c.len()] + t[i % t.len()]; }
        }
    }
    mod asserted {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let t = vec![40i64; 3]; let k = t[0]; for i in 0..x.len() { assert!(x[i].abs() < k * 1_000_000 + t[2], "{} {k} {t:?}", x[i]); debug_assert_eq!(t.len(), 3); out[i] = x[i] + k; }
        }
    }
    mod matched {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let t = [1i64, 2, 3]; let s = vec![4i64, 5]; for i in 0..x.len() { let [a, b, c] = t; out[i] = match s.as_slice() { [p, q] => p * a + q * b + c * x[i], _ => 0 }; }
        }
    }
    mod shorthand {
        #[derive(Clone)] struct P { k: i64, v: i64 }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let base = P { k: 3, v: 4 }; let k = base.v + 1; for i in 0..x.len() { let p = P { k, ..base.clone() }; let P { k: q, v } = p; out[i] = q * x[i] + v + base.k; }
        }
    }
    mod generic {
        fn helper<T: Copy + std::ops::Mul<Output = T>>(a: T, b: T) -> T { a * b }
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let k: Vec<f64> = vec![1.5, 2.5]; let z = Some(2.0); for i in 0..x.len() { out[i] = helper(k[i % 2], x[i]) + z.unwrap_or(0.0); }
        }
    }
    mod sums {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let k: Vec<f64> = vec![1.5, 2.5]; let p = (2.0, 3.0); let mut s = 0.0; let mut best = 0.0f64; for i in 0..x.len() { s += k[i % 2] * x[i] * p.0; best = best.max(x[i] * p.1); } s + best
        }
    }
    mod scans {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = vec![1i64, 2, 4]; let p = (2i64, 3i64); let mut s = 0; for i in 0..x.len() { if x[i] > p.1 { s = 0; } s += k[i % 3] * x[i] * p.0; out[i] = s; }
        }
    }
    mod stats {
        #[forall::foreach_tls]
        fn program(x: &[i64], to: &mut Vec<i64>) {
            let k = vec![1i64, 2, 4]; let lim = (k[0], k[2]); for v in x { if *v > lim.0 && *v < lim.1 + 100 { to.push(*v * k[1]); } }
        }
    }
    mod loops_of_loops {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = vec![1i64, 2]; for r in 0..3 { let f = vec![r as i64; 2]; for i in 0..x.len() { out[i] += c[i % 2] * x[i] + f[1]; } }
        }
    }
    mod inner_names {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let t = vec![1i64, 2]; for i in 0..x.len() { let s = { let t = t[i % 2]; t * 2 }; let t = |t: i64| t + s; out[i] = t(x[i]); }
        }
    }
    mod labels {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let t = vec![3i64, 9]; 'a: for i in 0..x.len() { for v in &t { if x[i] == *v { continue 'a; } } out[i] = t[0] + x[i]; }
        }
    }
}
