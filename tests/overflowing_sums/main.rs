//! Sums and products of integers that leave their type on the way, under every mechanism that adds up: with overflow checks the sequential
//! loop decides whether there is a panic.

// Each form of an update is tried.
#![allow(clippy::assign_op_pattern)]
mod forms;
mod loops;

use forall::{DistVec, Runtime, distributed_scan, foreach, foreach_tls, kary_reduce, traverse};
use forms::*;
use loops::*;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

macro_rules! over {
    ($wrong:ident, $inputs:ident: $($name:ident)*) => {
        $({
            let count = compare(stringify!($name), &$inputs, |x| $name::sequential(x), |x| $name(&DistVec::from_global(x)));
            if count > 0 {
                $wrong.push((stringify!($name), count));
            }
        })*
    };
}

macro_rules! into {
    ($wrong:ident, $inputs:ident: $($name:ident)*) => {
        $({
            let count = compare(
                stringify!($name),
                &$inputs,
                |x| {
                    let mut out = vec![1; x.len()];
                    let result = $name::sequential(x, &mut out);
                    (result, out)
                },
                |x| {
                    let mut out = DistVec::from_fn(x.len(), |_| 1);
                    let result = $name(&DistVec::from_global(x), &mut out);
                    (result, out.to_all())
                },
            );
            if count > 0 {
                $wrong.push((stringify!($name), count));
            }
        })*
    };
}

/// The mechanisms for another type of integers.
macro_rules! of_type {
    ($module:ident, $type:ident, $inputs:expr) => {
        mod $module {
            use super::*;

            #[kary_reduce]
            fn sum(x: &[$type]) -> $type {
                let mut s: $type = 1;
                for v in x {
                    s += *v;
                }
                s
            }

            #[kary_reduce]
            fn difference(x: &[$type]) -> $type {
                let mut s = $type::MAX;
                for v in x {
                    s -= v;
                }
                s
            }

            #[kary_reduce]
            fn balance(x: &[$type]) -> $type {
                let mut s: $type = 3;
                for i in 0..x.len() {
                    if i % 3 == 1 { s -= x[i] } else { s += x[i] }
                }
                s
            }

            #[kary_reduce]
            fn product(x: &[$type]) -> $type {
                let mut s: $type = 1;
                for v in x {
                    s *= *v;
                }
                s
            }

            #[kary_reduce]
            fn bins(x: &[$type]) -> Vec<$type> {
                let mut h = vec![5; 2];
                for i in 0..x.len() {
                    h[i % 2] -= x[i];
                }
                h
            }

            #[kary_reduce]
            fn products(x: &[$type]) -> [$type; 2] {
                let mut h = [1; 2];
                for i in 0..x.len() {
                    h[i % 2] *= x[i];
                }
                h
            }

            #[kary_reduce]
            fn parts(x: &[$type]) -> Vec<($type, [$type; 2], u8)> {
                let mut h = vec![(1, [1, 1], 0); 2];
                for i in 0..x.len() {
                    h[i % 2].0 -= x[i];
                    h[i % 2].1[i / 2 % 2] *= x[i];
                    h[1].2 += 30;
                }
                h
            }

            #[kary_reduce(algorithm = tree, k = 3)]
            fn frame(x: &[$type]) -> Vec<$type> {
                let mut h = vec![2; 3];
                for i in 0..x.len() {
                    h[i % 2] += x[i];
                    h[2] += 1;
                }
                h
            }

            #[kary_reduce(algorithm = direct_send)]
            fn frame_down(x: &[$type]) -> [$type; 2] {
                let mut h = [$type::MAX / 2; 2];
                for i in 0..x.len() {
                    h[i % 2] -= x[i];
                }
                h
            }

            #[kary_reduce(algorithm = radix_k)]
            fn frame_of_products(x: &[$type]) -> [$type; 2] {
                let mut h = [1; 2];
                for i in 0..x.len() {
                    h[i % 2] *= x[i];
                }
                h
            }

            #[foreach_tls]
            fn map(x: &[$type]) -> BTreeMap<usize, $type> {
                let mut m = BTreeMap::new();
                for i in 0..x.len() {
                    *m.entry(i % 2).or_insert(0) += x[i];
                }
                m
            }

            #[foreach_tls]
            fn map_of_products(x: &[$type]) -> HashMap<usize, $type> {
                let mut m = HashMap::new();
                for i in 0..x.len() {
                    *m.entry(i % 2).or_insert(1) *= &x[i];
                }
                m
            }

            #[foreach]
            fn scattered(x: &[$type], #[scatter] out: &mut [$type]) {
                for i in 0..x.len() {
                    out[i % 2 % x.len()] -= x[i];
                }
            }

            #[kary_reduce]
            fn in_shares(x: &[$type], out: &mut [$type]) {
                for i in 0..x.len() {
                    out[x[i] as usize % 2 % x.len()] += x[i];
                }
            }

            #[distributed_scan]
            fn running(x: &[$type], out: &mut [$type]) {
                let mut s = $type::MAX / 2;
                for i in 0..x.len() {
                    out[i] = s;
                    s -= x[i];
                }
            }

            #[traverse]
            fn walk(#[replicated] nodes: &[$type], at: usize, sum: &mut $type, product: &mut $type) {
                if at >= nodes.len() {
                    return;
                }
                *sum += nodes[at];
                walk(nodes, 2 * at + 1, sum, product);
                *product *= nodes[at];
                *sum -= nodes[at] / 2;
                walk(nodes, 2 * at + 2, sum, product);
                *sum += 1;
            }

            #[test]
            fn sums() {
                let mut wrong = Vec::new();
                let inputs: Vec<Vec<$type>> = $inputs;
                over! { wrong, inputs: sum difference balance product bins products parts frame frame_down frame_of_products map map_of_products }
                into! { wrong, inputs: scattered in_shares running }
                let count = compare(
                    "walk",
                    &inputs,
                    |x| {
                        let (mut sum, mut product) = (0, 1);
                        walk::sequential(x, 0, &mut sum, &mut product);
                        (sum, product)
                    },
                    |x| {
                        let (mut sum, mut product) = (0, 1);
                        walk(x, 0, &mut sum, &mut product);
                        (sum, product)
                    },
                );
                if count > 0 {
                    wrong.push(("walk", count));
                }
                assert!(wrong.is_empty(), "{wrong:?}");
            }
        }
    };
}

/// Numbers, most of them small and some near the ends of the type, by a generator with a fixed seed.
macro_rules! random {
    ($type:ident, $seed:expr, $count:expr) => {{
        let mut state: u64 = $seed;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state >> 11
        };
        let mut one = move |small: bool| {
            let number = next();
            let some = (number % 100) as $type;
            match number / 100 % 8 {
                _ if small => (number % 7) as $type,
                0 => $type::MAX / 2 - some,
                1 => $type::MIN / 2 + some,
                2 => $type::MAX - some % 3,
                3 => $type::MIN + some % 3,
                4 => 0,
                5 => $type::MAX / 4 + 1,
                _ => (number % 5) as $type,
            }
        };
        let mut inputs: Vec<Vec<$type>> = (0..$count).map(|k| (0..k % 13).map(|_| one(k % 3 == 0)).collect()).collect();
        inputs.push(vec![$type::MAX, 1]);
        inputs.push(vec![$type::MAX / 2, $type::MAX / 2, 2]);
        inputs.push(vec![$type::MIN, $type::MAX, 1, $type::MAX]);
        inputs
    }};
}

of_type!(of_i8, i8, random!(i8, 7, 30));
of_type!(of_u8, u8, random!(u8, 8, 30));
of_type!(of_i16, i16, random!(i16, 9, 14));
of_type!(of_u16, u16, random!(u16, 10, 14));
of_type!(of_i64, i64, random!(i64, 11, 14));
of_type!(of_u64, u64, random!(u64, 12, 14));
of_type!(of_usize, usize, random!(usize, 13, 14));
of_type!(of_i128, i128, random!(i128, 14, 14));
of_type!(of_u128, u128, random!(u128, 15, 14));

/// The result of a call, or the message of its panic.
fn outcome<R>(call: impl FnOnce() -> R) -> Result<R, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !info.payload().downcast_ref::<String>().is_some_and(|text| text.starts_with("attempt to"))
                && !info.payload().downcast_ref::<&str>().is_some_and(|text| text.starts_with("attempt to"))
            {
                usual(info);
            }
        }));
    });
    catch_unwind(AssertUnwindSafe(call)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
    })
}

fn plans() -> Vec<(usize, usize, usize)> {
    let mut all = Vec::new();
    for ranks in [1, 2, 3, 4, 7] {
        for threads in [1, 2, 7] {
            for grain in [1, 3] {
                if ranks * threads <= 8 && (grain == 1 || threads > 1) {
                    all.push((ranks, threads, grain));
                }
            }
        }
    }
    all
}

/// Compares a mechanism with the sequential loop on all plans. How often it is wrong.
fn compare<T: Debug + Clone + Sync, R: PartialEq + Debug + Send>(
    name: &str,
    inputs: &[Vec<T>],
    sequential: impl Fn(&[T]) -> R,
    parallel: impl Fn(&[T]) -> R + Sync,
) -> usize {
    let mut wrong = 0;
    for x in inputs {
        let expected = outcome(|| sequential(x));
        for (ranks, threads, grain) in plans() {
            let got = outcome(|| {
                Runtime::builder().ranks(ranks).threads(threads).grain(grain).run(|| parallel(x)).swap_remove(0)
            });
            if got != expected {
                if wrong < 3 {
                    eprintln!(
                        "{name}: {x:?} on {ranks} ranks, {threads} threads, grain {grain}: {got:?} instead of {expected:?}"
                    );
                }
                wrong += 1;
            }
        }
    }
    wrong
}

fn bytes() -> Vec<Vec<i8>> {
    vec![
        vec![],
        vec![100, -50],
        vec![100, 100, -100, -100],
        vec![-100, -20, 100, 100],
        vec![100, -100, 100, -100, 100],
        vec![-100, -100, 100, 100],
        vec![60, 60, 60, -120, 5],
        vec![1, 2, 3, 4, 5, 6],
        vec![127, 1],
        vec![-128, -1, 2],
        vec![50, 50, -90, 100, 17, -127, -1, 2, 3, 90],
        vec![20; 10],
        vec![-128, 127, 1, 127, 1],
    ]
}

macro_rules! tree {
    ($wrong:ident, $inputs:ident: $($name:ident)*) => {
        $({
            let count = compare(
                stringify!($name),
                &$inputs,
                |x| {
                    let mut s = 1;
                    $name::sequential(x, 0, &mut s);
                    s
                },
                |x| {
                    let mut s = 1;
                    $name(x, 0, &mut s);
                    s
                },
            );
            if count > 0 {
                $wrong.push((stringify!($name), count));
            }
        })*
    };
}

macro_rules! given {
    ($wrong:ident, $inputs:ident: $($name:ident)*) => {
        $({
            let count = compare(
                stringify!($name),
                &$inputs,
                |x| {
                    let mut m = [(0, 30), (5, 1)].into_iter().collect();
                    let result = $name::sequential(x, &mut m);
                    (result, m)
                },
                |x| {
                    let mut m = [(0, 30), (5, 1)].into_iter().collect();
                    let result = $name(&DistVec::from_global(x), &mut m);
                    (result, m)
                },
            );
            if count > 0 {
                $wrong.push((stringify!($name), count));
            }
        })*
    };
}

fn inputs() -> Vec<Vec<i8>> {
    let mut inputs = bytes();
    inputs.extend(random!(i8, 3, 20));
    // Up to the end of the type and back again, and once a step further.
    let swing = |i: i8| if i / 6 % 2 == 0 { 20 } else { -20 };
    inputs.push((0..120).map(swing).collect());
    inputs.push((0..120).map(|i| if i == 77 { 30 } else { swing(i) }).collect());
    inputs
}

#[test]
fn reductions() {
    let (mut wrong, inputs) = (Vec::new(), inputs());
    over! { wrong, inputs: plain minus both times assigned reversed under_a_condition tuple_field array_fixed nested best best_with count wrapping
    pushes_and_sum squares fields by_for_each }
    into! { wrong, inputs: in_place }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn histograms() {
    let (mut wrong, inputs) = (Vec::new(), inputs());
    over! { wrong, inputs: bins bins_minus bins_both bins_times bins_vec bins_set bins_tuple bins_nested bins_nested_k bins_mixed count_bins_tls
    bins_rev bins_pair_rev parts_deep }
    into! { wrong, inputs: share_bins share_bins_minus share_bins_times }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn frames() {
    let (mut wrong, inputs) = (Vec::new(), inputs());
    over! { wrong, inputs: frame_tree frame_swap frame_minus frame_times frame_items frame_rev frame_set frame_floats frame_wrapping frame_most
    frame_best frame_root frame_nested frame_twice }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn saturating_sums() {
    let (mut wrong, inputs) = (Vec::new(), random!(u8, 9, 20));
    over! { wrong, inputs: saturating }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn maps() {
    let (mut wrong, inputs) = (Vec::new(), inputs());
    over! { wrong, inputs: map map_one map_times map_modify map_counts map_rev map_twice }
    given! { wrong, inputs: map_given map_typed_closure map_negative map_and_sum }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn scans_and_scatters() {
    let (mut wrong, inputs) = (Vec::new(), inputs());
    into! { wrong, inputs: scatter scatter_minus scan scan_minus scan_times scan_exclusive scan_two scan_levels scan_segmented scan_linear
    scan_linear_minus scan_bins map_of_out inner scan_pairs scan_map }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn traversals() {
    let (mut wrong, inputs) = (Vec::new(), inputs());
    tree! { wrong, inputs: tree_before tree_after tree_around tree_both tree_minus tree_times tree_shared }
    let count = compare(
        "chain",
        &inputs,
        |x| {
            let (mut s, mut h) = (0, Vec::new());
            chain::sequential(x, 0, &mut s, &mut h);
            s
        },
        |x| {
            let (mut s, mut h) = (0, Vec::new());
            chain(x, 0, &mut s, &mut h);
            s
        },
    );
    if count > 0 {
        wrong.push(("chain", count));
    }
    let count = compare(
        "tree_bins",
        &inputs,
        |x| {
            let mut m = BTreeMap::new();
            tree_bins::sequential(x, 0, &mut m);
            m
        },
        |x| {
            let mut m = BTreeMap::new();
            tree_bins(x, 0, &mut m);
            m
        },
    );
    if count > 0 {
        wrong.push(("tree_bins", count));
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
