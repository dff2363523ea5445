//! Programs without the prelude, and programs whose own names and methods are those that expansions use.

#![deny(warnings)]

/// Names of the prelude are unknown here.
#[no_implicit_prelude]
mod without_prelude {
    use ::forall::{distributed_scan, distributed_sort, foreach, foreach_tls, kary_reduce, traverse};
    use ::std::option::Option::{self, None, Some};
    use ::std::vec::Vec;

    #[foreach]
    pub fn scale(x: &[f64], a: f64, out: &mut [f64]) {
        for i in 0..x.len() {
            out[i] = a * x[i];
        }
    }

    #[foreach]
    pub fn smooth(x: &[f64], out: &mut [f64]) {
        for i in 1..x.len() - 1 {
            out[i] = x[i - 1] + x[i] + x[i + 1];
        }
    }

    #[kary_reduce]
    pub fn count(keys: &[u32], #[replicated] bins: &mut [u64]) {
        for i in 0..keys.len() {
            bins[keys[i] as usize] += 1;
        }
    }

    #[foreach]
    pub fn pick(#[gather] x: &[f64], at: &[usize], out: &mut [f64]) {
        for i in 0..at.len() {
            out[i] = x[at[i]];
        }
    }

    #[foreach]
    pub fn spread(at: &[usize], x: &[f64], #[scatter] out: &mut [f64]) {
        for i in 0..at.len() {
            out[at[i]] += x[i];
        }
    }

    #[foreach_tls]
    pub fn positive(x: &[f64], out: &mut Vec<f64>) {
        for i in 0..x.len() {
            if x[i] > 0.0 {
                out.push(x[i]);
            }
        }
    }

    #[distributed_scan]
    pub fn sums(x: &[u64], out: &mut [u64]) {
        let mut sum = 0;
        for i in 0..x.len() {
            sum += x[i];
            out[i] = sum;
        }
    }

    #[distributed_scan]
    pub fn decay(x: &[f64], out: &mut [f64]) {
        let mut state = 0.0;
        for i in 0..x.len() {
            state = 0.5 * state + x[i];
            out[i] = state;
        }
    }

    #[kary_reduce]
    pub fn greatest(x: &[f64]) -> Option<(usize, f64)> {
        let mut best = None;
        for i in 0..x.len() {
            if best.is_none_or(|(_, most)| x[i] > most) {
                best = Some((i, x[i]));
            }
        }
        best
    }

    #[kary_reduce]
    pub fn total(x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += x[i];
        }
        sum
    }

    #[kary_reduce]
    #[allow(clippy::manual_find)]
    pub fn first(x: &[f64], above: f64) -> Option<usize> {
        for i in 0..x.len() {
            if x[i] > above {
                return Some(i);
            }
        }
        None
    }

    #[distributed_sort]
    pub fn sorted(x: &mut [u64]) {
        x.sort_unstable();
    }

    #[traverse]
    pub fn leaves(depth: u64, sum: &mut u64) {
        if depth == 0 {
            *sum += 2;
            return;
        }
        for _ in 0..2 {
            leaves(depth - 1, sum);
        }
    }
}

/// Constants of generic functions have the names of types and functions.
mod constants {
    use forall::{distributed_scan, foreach, foreach_tls, kary_reduce};

    #[allow(dead_code)]
    struct N;
    #[allow(dead_code, non_snake_case)]
    pub fn M() {}

    #[foreach]
    pub fn rows<const N: usize>(x: &[[f64; N]], out: &mut [f64]) {
        for i in 0..x.len() {
            let mut sum = 0.0;
            for k in 0..N {
                sum += x[i][k];
            }
            out[i] = sum;
        }
    }

    #[kary_reduce]
    pub fn columns<const N: usize, const M: usize>(x: &[[f64; N]]) -> [f64; N] {
        let mut sums = [0.0; N];
        for i in 0..x.len() {
            for k in 0..N {
                sums[k] += x[i][k] * M as f64;
            }
        }
        sums
    }

    #[distributed_scan]
    pub fn running<const N: usize>(x: &[u64], out: &mut [u64]) {
        let mut sum = 0;
        for i in 0..x.len() {
            sum += x[i] + N as u64;
            out[i] = sum;
        }
    }

    #[foreach_tls]
    pub fn above<const M: u64>(x: &[u64], out: &mut Vec<u64>) {
        for i in 0..x.len() {
            if x[i] > M {
                out.push(x[i]);
            }
        }
    }
}

/// A trait of all types, with names of methods by which expansions inspect types.
mod methods {
    use forall::{distributed_scan, distributed_sort, foreach, foreach_tls, kary_reduce, traverse};
    use std::collections::HashMap;

    macro_rules! methods {
        ($($name:ident)*) => {
            #[allow(dead_code)]
            pub trait Everything {
                $(fn $name(&self) {})*
            }
        };
    }
    methods! {
        codec element number told_apart are_ordered found ty elements maker part compare copy checksum value largest same sums products inside changeable shares changes of_known collection dereferences shown
    }
    impl<T: ?Sized> Everything for T {}

    #[foreach]
    pub fn scale(x: &[f64], a: f64, out: &mut [f64]) {
        for i in 0..x.len() {
            out[i] = a * x[i];
        }
    }

    #[foreach]
    pub fn smooth(x: &[f64], out: &mut [f64]) {
        for i in 1..x.len() - 1 {
            out[i] = x[i - 1] + x[i] + x[i + 1];
        }
    }

    #[kary_reduce]
    pub fn count(keys: &[u32], #[replicated] bins: &mut [u64]) {
        for i in 0..keys.len() {
            bins[keys[i] as usize] += 1;
        }
    }

    #[kary_reduce]
    pub fn words(x: &[u64]) -> HashMap<u64, u64> {
        let mut counts = HashMap::new();
        for i in 0..x.len() {
            *counts.entry(x[i]).or_insert(0) += 1;
        }
        counts
    }

    #[foreach]
    pub fn spread(at: &[usize], x: &[f64], #[scatter] out: &mut [f64]) {
        for i in 0..at.len() {
            out[at[i]] += x[i];
        }
    }

    #[foreach_tls]
    pub fn positive(x: &[f64], out: &mut Vec<f64>) {
        for i in 0..x.len() {
            if x[i] > 0.0 {
                out.push(x[i]);
            }
        }
    }

    #[foreach_tls]
    pub fn texts(x: &[u64], out: &mut Vec<String>) {
        for i in 0..x.len() {
            out.push(x[i].to_string());
        }
    }

    #[distributed_scan]
    pub fn decay(x: &[f64], out: &mut [f64]) {
        let mut state = 0.0;
        for i in 0..x.len() {
            state = 0.5 * state + x[i];
            out[i] = state;
        }
    }

    #[distributed_scan]
    pub fn flags(x: &[u64], out: &mut [bool]) {
        let mut odd = false;
        for i in 0..x.len() {
            odd = if x[i] == 0 { false } else { odd ^ (x[i] % 2 == 1) };
            out[i] = odd;
        }
    }

    #[kary_reduce]
    pub fn greatest(x: &[f64]) -> Option<(usize, f64)> {
        let mut best = None;
        for i in 0..x.len() {
            if best.is_none_or(|(_, most)| x[i] > most) {
                best = Some((i, x[i]));
            }
        }
        best
    }

    #[kary_reduce]
    pub fn total(x: &[f64], table: &[f64; 2]) -> (f64, [f64; 2]) {
        let (mut sum, mut both) = (0.0, [0.0; 2]);
        for i in 0..x.len() {
            sum += x[i] * table[i % 2];
            both[i % 2] += x[i];
        }
        (sum, both)
    }

    #[distributed_sort]
    pub fn sorted(x: &mut [u64]) {
        x.sort_unstable_by_key(|x| *x % 10);
    }

    #[traverse]
    pub fn leaves(depth: u64, sum: &mut u64) {
        if depth == 0 {
            *sum += 2;
            return;
        }
        for _ in 0..2 {
            leaves(depth - 1, sum);
        }
    }
}

#[test]
fn loops_without_the_prelude() {
    use without_prelude as w;
    let x = [1.0, -2.0, 4.0, 3.0];
    let mut out = [0.0; 4];
    w::scale(&x, 2.0, &mut out);
    assert_eq!(out, [2.0, -4.0, 8.0, 6.0]);
    w::smooth(&x, &mut out);
    assert_eq!(out, [2.0, 3.0, 5.0, 6.0]);
    w::pick(&x, &[3, 0, 0, 1], &mut out);
    assert_eq!(out, [3.0, 1.0, 1.0, -2.0]);
    w::spread(&[0, 0, 3, 1], &x, &mut out);
    assert_eq!(out, [2.0, 4.0, 1.0, 2.0]);
    w::decay(&[1.0, 1.0, 1.0, 1.0], &mut out);
    assert_eq!(out, [1.0, 1.5, 1.75, 1.875]);
    let (mut bins, mut sums, mut positive, mut keys) = ([0; 3], [0; 3], vec![], [3, 1, 2]);
    w::count(&[2, 0, 2], &mut bins);
    w::sums(&[1, 2, 3], &mut sums);
    w::positive(&x, &mut positive);
    w::sorted(&mut keys);
    assert_eq!((bins, sums, positive, keys), ([1, 0, 2], [1, 3, 6], vec![1.0, 4.0, 3.0], [1, 2, 3]));
    assert_eq!((w::greatest(&x), w::total(&x), w::first(&x, 3.0)), (Some((2, 4.0)), 6.0, Some(2)));
    let mut leaves = 0;
    w::leaves(3, &mut leaves);
    assert_eq!(leaves, 16);
}

#[test]
fn constants_with_the_names_of_types_and_functions() {
    let x = [[1.0, 2.0], [3.0, 4.0]];
    let (mut out, mut sums, mut above) = ([0.0; 2], [0; 2], vec![]);
    constants::rows(&x, &mut out);
    constants::running::<5>(&[1, 2], &mut sums);
    constants::above::<1>(&[1, 2], &mut above);
    assert_eq!((out, sums, above), ([3.0, 7.0], [6, 13], vec![2]));
    assert_eq!(constants::columns::<2, 10>(&x), [40.0, 60.0]);
    constants::M();
}

#[test]
fn methods_with_the_names_of_those_that_expansions_call() {
    use methods as m;
    let x = [1.0, -2.0, 4.0, 3.0];
    let mut out = [0.0; 4];
    m::scale(&x, 2.0, &mut out);
    assert_eq!(out, [2.0, -4.0, 8.0, 6.0]);
    m::smooth(&x, &mut out);
    assert_eq!(out, [2.0, 3.0, 5.0, 6.0]);
    m::spread(&[0, 0, 3, 1], &x, &mut out);
    assert_eq!(out, [1.0, 6.0, 5.0, 10.0]);
    m::decay(&[1.0, 1.0, 1.0, 1.0], &mut out);
    assert_eq!(out, [1.0, 1.5, 1.75, 1.875]);
    let (mut bins, mut flags, mut positive, mut keys, mut texts) = ([0; 3], [false; 3], vec![], [13, 1, 2], vec![]);
    m::count(&[2, 0, 2], &mut bins);
    m::flags(&[1, 2, 3], &mut flags);
    m::positive(&x, &mut positive);
    m::sorted(&mut keys);
    m::texts(&[7], &mut texts);
    assert_eq!((bins, flags, positive, keys), ([1, 0, 2], [true, true, false], vec![1.0, 4.0, 3.0], [1, 2, 13]));
    assert_eq!((texts, m::words(&[5, 5]).remove(&5)), (vec!["7".to_owned()], Some(2)));
    assert_eq!((m::greatest(&x), m::total(&x, &[1.0, 0.0])), (Some((2, 4.0)), (5.0, [5.0, 1.0])));
    let mut leaves = 0;
    m::leaves(3, &mut leaves);
    assert_eq!(leaves, 16);
}
