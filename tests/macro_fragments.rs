//! Macros of the user that write annotated functions: each function gives what it gives without its attribute.

use forall::{Backend, DistVec, Settings};
use std::num::NonZeroUsize;

/// The same functions with their attributes, in the module `annotated`, and without, in the module `plain`.
macro_rules! functions {
    ($(#[$attribute:ident] $make:ident $fragments:tt)*) => {
        mod annotated {
            #[allow(unused_imports)]
            use super::{functions_of::*, increased};
            $($make!([#[forall::$attribute]] $fragments);)*
        }
        mod plain {
            #[allow(unused_imports)]
            use super::{functions_of::*, increased};
            $($make!([] $fragments);)*
        }
    };
}

fn increased(v: i64) -> i64 {
    v + 1
}

mod functions_of {
    macro_rules! factor { ([$(#[$a:meta])?] ($name:ident, $e:expr)) => {
        $(#[$a])?
        pub fn $name(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = x[i] + $e * 2 - $e;
            }
        }
    } }
    macro_rules! stride { ([$(#[$a:meta])?] ($name:ident, $e:expr)) => {
        $(#[$a])?
        pub fn $name(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() / ($e * 2) {
                for j in 0..$e {
                    out[i * $e + j] = x[i];
                }
            }
        }
    } }
    macro_rules! distance { ([$(#[$a:meta])?] ($name:ident, $e:expr)) => {
        $(#[$a])?
        pub fn $name(x: &[i64], out: &mut [i64]) {
            for i in 8..x.len() {
                out[i] = x[i - $e];
            }
        }
    } }
    macro_rules! of_functions { ([$(#[$a:meta])?] ($name:ident, $f:expr, $t:ty, $b:block)) => {
        $(#[$a])?
        pub fn $name(x: &[$t], out: &mut [$t]) {
            for i in 0..x.len() {
                let v: $t = $f(x[i]);
                out[i] = v * $b;
            }
        }
    } }
    macro_rules! conditions { ([$(#[$a:meta])?] ($name:ident, $c:expr, $l:literal, $p:pat)) => {
        $(#[$a])?
        pub fn $name(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                assert!($l * 2 < 0, "{}", $l * 2);
                if !$c && matches!(x[i] - $l, $p) {
                    out[i] = i64::abs($l);
                }
            }
        }
    } }
    macro_rules! sum { ([$(#[$a:meta])?] ($name:ident, $e:expr)) => {
        $(#[$a])?
        pub fn $name(x: &[i64], out: &mut [i64]) -> i64 {
            const SCALE: i64 = $e * 2;
            let mut sum = $e;
            for i in 0..x.len() {
                out[i] = 0;
                sum += x[i] * $e - SCALE * $e as i64;
            }
            sum * $e
        }
    } }
    macro_rules! recurrence { ([$(#[$a:meta])?] ($name:ident, $e:expr)) => {
        $(#[$a])?
        pub fn $name(x: &[i64], out: &mut [i64]) {
            let mut v = 0_i64;
            for i in 0..x.len() {
                v = v.wrapping_mul($e * 2).wrapping_add(x[i]);
                out[i] = v;
            }
        }
    } }
    macro_rules! statements { ([$(#[$a:meta])?] ($name:ident, $second:expr)) => {
        $(#[$a])?
        pub fn $name(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                if x[i] > 20 {
                    $second;
                }
                out[i] = x[i];
            }
        }
    } }
    macro_rules! sorts { ([$(#[$a:meta])?] ($name:ident, $e:expr)) => {
        $(#[$a])?
        pub fn $name(out: &mut [i64]) {
            out.sort_by_key(|v| *v % $e);
        }
    } }
    // The attribute is the macro's, and the function its caller's.
    macro_rules! above { ([$(#[$a:meta])?] ($name:ident, $($function:tt)*)) => {
        $(#[$a])?
        pub $($function)*
    } }
    macro_rules! around { ([$(#[$a:meta])?] ($name:ident, $x:ident, $out:ident, $i:ident, $body:block)) => {
        $(#[$a])?
        pub fn $name($x: &[i64], $out: &mut [i64]) {
            let v = 3;
            for $i in v..$x.len() {
                $body;
                $out[$i] += v as i64;
            }
        }
    } }
    pub(crate) use {
        above, around, conditions, distance, factor, of_functions, recurrence, sorts, statements, stride, sum,
    };
}

functions! {
    #[foreach] factor (sums, 1 + 2)
    #[foreach] factor (choices, if true { 3 } else { 4 })
    #[foreach] factor (casts, 3u8 as i64)
    #[foreach] stride (strides, 1 + 2)
    #[foreach] distance (distances, 4 - 2)
    #[foreach] of_functions (closures, |v: i64| v + 1, i64, { 1 + 2 })
    #[foreach] of_functions (paths, increased, i64, { 4 })
    #[foreach] conditions (either, increased(1) > 4 || increased(3) > 7, -3, 1 | 5 | 9)
    #[kary_reduce] sum (reduced, 5 - 2)
    #[distributed_scan] recurrence (scanned, 1 + 2)
    #[foreach] statements (skipped, continue)
    #[distributed_sort] sorts (sorted, 2 + 3)
    #[foreach] above (doubled, fn doubled(x: &[i64], out: &mut [i64]) {
        for i in 0..x.len() {
            let v = x[i];
            let v = v + x[x.len() - 1 - i];
            if let Some(v) = Some(v).filter(|v| *v > 3) {
                out[i] = v;
            }
        }
    })
    #[kary_reduce] above (largest, fn largest(x: &[i64], out: &mut [i64]) -> Option<(usize, i64)> {
        let (mut best, mut total) = (None, 0);
        for (i, v) in x.iter().enumerate() {
            total += v;
            best = match best { Some((k, held)) if held >= *v => Some((k, held)), _ => Some((i, *v)) };
            out[i] = v - 1;
        }
        best.map(|(k, v)| (k, v + total))
    })
    #[distributed_scan] above (running, fn running(x: &[i64], out: &mut [i64]) -> i64 {
        let mut sum = 0;
        for (o, v) in out.iter_mut().zip(x) {
            sum += v;
            *o = sum;
        }
        sum
    })
    #[distributed_sort] above (turned, fn turned(out: &mut [i64]) {
        out.sort_by(|a, b| b.cmp(a));
    })
    #[foreach] around (in_braces, a, b, k, { let v = a[k] + a[k - 3]; b[k] = v; })
}

#[test]
fn fragments_stay_together() {
    let x: Vec<i64> = (0..200).map(|i| (i * 7919) % 53 - 12).collect();
    let start: Vec<i64> = (0..200).collect();
    for (ranks, threads) in [(1, 1), (1, 2), (2, 1), (3, 2), (7, 1)] {
        let settings = Settings {
            backend: Backend::Threads,
            threads: NonZeroUsize::new(threads),
            grain: NonZeroUsize::new(7),
            ..Settings::default()
        };
        forall::Runtime::builder().settings(settings).ranks(ranks).run(|| {
            macro_rules! compare {
                ($($name:ident)*) => {$({
                    let (all, mut out, mut expected) = (DistVec::from_global(&x), DistVec::from_global(&start), start.clone());
                    let (found, plain) = (annotated::$name(&all, &mut out), plain::$name(&x, &mut expected));
                    assert!(found == plain && out.to_all() == expected, "{} on {ranks}", stringify!($name));
                })*};
            }
            #[allow(clippy::unit_cmp)]
            {
                compare! { sums choices casts strides distances closures paths either reduced scanned skipped }
                compare! { doubled largest running in_braces }
            }
            let (mut out, mut expected) = (DistVec::from_global(&x), x.clone());
            annotated::sorted(&mut out);
            plain::sorted(&mut expected);
            assert_eq!(out.to_all(), expected);
            annotated::turned(&mut out);
            plain::turned(&mut expected);
            assert_eq!(out.to_all(), expected);
        });
    }
}

macro_rules! on_two_ranks {
    ($name:ident, $e:expr) => {
        #[forall::test(ranks = 2)]
        fn $name() {
            assert_eq!($e * 2, 6);
        }
    };
}
on_two_ranks!(fragments_of_tests, 1 + 2);

/// Parameters and bodies of the caller, below an attribute and the word `fn` of the macro.
mod of_the_caller {
    use forall::{foreach, kary_reduce};

    pub struct Field {
        pub data: Vec<i64>,
        pub by: i64,
    }

    macro_rules! both {
        ($annotated:ident, $plain:ident, ($($parameters:tt)*), $body:block) => {
            #[foreach] pub fn $annotated($($parameters)*) $body
            #[allow(clippy::explicit_counter_loop)]
            pub fn $plain($($parameters)*) $body
        };
    }

    both!(doubled, doubled_plain, (x: &[i64], out: &mut [i64]), {
        let mut k = 0;
        for v in x {
            out[k] = 2 * v;
            k += 1;
        }
    });

    impl Field {
        both!(grown, grown_plain, (&mut self), {
            for i in 0..self.data.len() {
                self.data[i] += self.by;
            }
        });
    }

    macro_rules! sum_of {
        ($name:ident, $x:ident, $i:ident, $e:expr) => {
            #[kary_reduce]
            pub fn $name($x: &[i64]) -> i64 {
                let mut sum = 0;
                for $i in 0..$x.len() {
                    sum += $e;
                }
                sum
            }
        };
    }

    sum_of!(squares, x, i, x[i] * x[i]);
}

#[test]
fn parameters_and_bodies_may_be_those_of_the_caller() {
    use of_the_caller::{Field, doubled, doubled_plain, squares};
    let x: Vec<i64> = (0..1000).collect();
    let (mut out, mut expected) = (vec![0; 1000], vec![0; 1000]);
    doubled(&x, &mut out);
    doubled_plain(&x, &mut expected);
    assert_eq!(out, expected);
    let (mut one, mut other) = (Field { data: x.clone(), by: 3 }, Field { data: x.clone(), by: 3 });
    one.grown();
    other.grown_plain();
    assert_eq!(one.data, other.data);
    assert_eq!(squares(&x), x.iter().map(|v| v * v).sum::<i64>());
}
