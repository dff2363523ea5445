//! Functions that annotated loops call: a GPU runs those that are marked, and gives what Rust gives.

use crate::common::annotated::{on_ranks, refusal};
use forall::{device, distributed_scan, foreach, foreach_tls, kary_reduce};

const LIMIT: u32 = 1000;
const OFFSETS: [i32; 4] = [3, -1, 4, -1];

/// How many steps it takes to come to 1.
#[device]
fn collatz(start: u32) -> u32 {
    let mut n = start;
    let mut steps = 0;
    while n != 1 {
        if steps >= LIMIT {
            return LIMIT;
        }
        n = if n & 1 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

#[foreach]
fn all_collatz(out: &mut [u32]) {
    for i in 0..out.len() {
        out[i] = collatz(i as u32 + 1);
    }
}

#[test]
fn a_function_with_a_loop_and_a_constant() {
    same!(all_collatz() => vec![0; 1000]);
}

mod geometry {
    /// Squared length.
    #[forall::device]
    pub fn square(v: [f32; 3]) -> f32 {
        v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    }

    /// Squared distance, and the axis along which it is longest.
    #[forall::device]
    pub fn apart(a: &[f32; 3], b: &[f32; 3]) -> (f32, usize) {
        let mut d = [0.0; 3];
        let mut longest = 0;
        for k in 0..3 {
            d[k] = a[k] - b[k];
            if d[k].abs() > d[longest].abs() {
                longest = k;
            }
        }
        (square(d), longest)
    }

    #[forall::device]
    pub fn plus(a: i32, b: i32) -> i32 {
        a + b
    }

    pub mod units {
        #[forall::device]
        pub(crate) fn doubled(x: f32) -> f32 {
            super::square([x, 0.0, 0.0]) / x + x
        }

        pub fn unmarked(x: f32) -> f32 {
            x
        }
    }
}

use geometry::units;

#[foreach]
fn nearest(#[replicated] sites: &[[f32; 3]], points: &[[f32; 3]], out: &mut [usize], axes: &mut [u8]) {
    for i in 0..points.len() {
        let (mut best, mut least) = (0, f32::INFINITY);
        for (k, site) in sites.iter().enumerate() {
            let (distance, axis): (f32, usize) = geometry::apart(site, &points[i]);
            if distance < least {
                least = distance;
                best = k;
                axes[i] = axis as u8;
            }
        }
        out[i] = best;
    }
}

#[test]
fn tuples_arrays_and_functions_that_call_others() {
    let place = |i: usize| [(i % 7) as f32, (i % 5) as f32 * 1.5, (i % 3) as f32 - 0.25];
    let sites: Vec<_> = (0..10).map(|i| place(i * 37)).collect();
    let points: Vec<_> = (0..500).map(place).collect();
    let run = || {
        let (mut out, mut axes) = (vec![0; 500], vec![0; 500]);
        nearest(&sites, &points, &mut out, &mut axes);
        (out, axes)
    };
    let Some(result) = on_ranks(1, run) else { return };
    let (mut out, mut axes) = (vec![0; 500], vec![0; 500]);
    nearest::sequential(&sites, &points, &mut out, &mut axes);
    assert!(result.as_ref() == Ok(&(out, axes)), "{:?}", result.map(|_| "other results"));
}

#[foreach]
fn by_paths(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        let a: f32 = units::doubled(x[i]);
        out[i] = a
            + geometry::units::doubled(1.5)
            + self::geometry::square([x[i]; 3])
            + crate::functions::geometry::square([1.0, x[i], 2.0]);
    }
}

#[test]
fn functions_by_their_paths() {
    let x: Vec<f32> = (1..200).map(|i| i as f32 * 0.5).collect();
    same!(by_paths(&x) => vec![0.0; 199]);
}

/// The next number, as a generator of random ones gives it.
#[device]
fn next(state: &mut u32) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state
}

#[device]
fn shuffle(order: &mut [u8; 8], (from, rounds): (u32, u32)) {
    let mut state = from;
    for _ in 0..rounds {
        let (i, j) = ((next(&mut state) % 8) as usize, (next(&mut state) % 8) as usize);
        order.swap(i, j);
        if order[0] == 7 {
            return;
        }
    }
}

#[foreach]
fn shuffled(out: &mut [[u8; 8]], seeds: &mut [u32]) {
    for i in 0..out.len() {
        shuffle(&mut out[i], (i as u32 + 1, 20_u32));
        let _: u32 = next(&mut seeds[i]);
    }
}

#[test]
fn arguments_that_are_changed() {
    let run = || {
        let (mut out, mut seeds) = (vec![[0, 1, 2, 3, 4, 5, 6, 7]; 300], (1..=300).collect::<Vec<u32>>());
        shuffled(&mut out, &mut seeds);
        (out, seeds)
    };
    let Some(result) = on_ranks(1, run) else { return };
    let (mut out, mut seeds) = (vec![[0, 1, 2, 3, 4, 5, 6, 7]; 300], (1..=300).collect::<Vec<u32>>());
    shuffled::sequential(&mut out, &mut seeds);
    assert!(result.as_ref() == Ok(&(out, seeds)), "{:?}", result.map(|_| "other results"));
}

const ROWS: [[i8; 3]; 4] = [[1, 2, 3], [-4, 5, -6], [7, -8, 9], [0, 1, 0]];
const DEEP: [[[u16; 2]; 2]; 2] = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]];
static WEIGHTS: &[f64] = &[0.5, 1.5, 2.5, 3.5, 4.5];

mod tables {
    #[forall::device]
    pub const SQUARES: [u64; 5] = [0, 1, 4, 9, 16];
}

#[device]
fn looked_up(i: usize) -> f64 {
    let deep: u16 = DEEP[i % 2][i / 2 % 2][i / 4 % 2];
    let mut sum = f64::from(deep) + WEIGHTS[i % WEIGHTS.len()];
    for v in &OFFSETS {
        let (v, square): (i32, u64) = (*v, tables::SQUARES[i % 5]);
        sum += f64::from(v) * square as f64;
    }
    let last: i8 = ROWS[i % 4][i % 3];
    sum + f64::from(last)
}

#[foreach]
fn look_up(out: &mut [f64]) {
    const OWN: [[f64; 2]; 3] = [[0.25, 0.5], [0.75, 1.0], [1.25, 1.5]];
    for i in 0..out.len() {
        let row: [i8; 3] = ROWS[i % 4];
        let deep: u16 = DEEP[i % 2][i / 2 % 2][i / 4 % 2];
        out[i] = looked_up(i) + f64::from(row[i % 3]) * WEIGHTS[i % 5] + f64::from(deep) + OWN[i % 3][i % 2];
    }
}

#[foreach]
fn look_beyond(out: &mut [i32]) {
    for i in 0..out.len() {
        let v: i8 = ROWS[i % 4][i % 4];
        out[i] = i32::from(v);
    }
}

#[test]
fn constant_tables() {
    same!(look_up() => vec![0.0; 500]);
    let Some(reason) = refusal(|| look_beyond(&mut [0; 10])) else { return };
    assert!(reason.contains("the len is 3 but the index is 3"), "{reason}");
}

/// Whether there is one, and which.
#[device]
fn digit(n: u64, k: u32) -> (bool, u8) {
    let power = 10_u64.pow(k);
    match n / power {
        0 => (false, 0),
        rest => (true, (rest % 10) as u8),
    }
}

#[device]
fn offset(k: usize) -> i32 {
    assert!(k < 100, "too far");
    OFFSETS[k % 4] + if k > 50 { OFFSETS[0] } else { 0 }
}

#[foreach_tls]
fn digits(n: &[u64], out: &mut Vec<u8>) {
    for i in 0..n.len() {
        for k in 0..6_u32 {
            let (there, value) = digit(n[i], k);
            if !there {
                break;
            }
            out.push(value);
        }
    }
}

#[kary_reduce(combine = geometry::plus)]
fn offsets(x: &[u8]) -> i32 {
    let mut sum = 0;
    for i in 0..x.len() {
        sum = geometry::plus(sum, offset(x[i] as usize));
    }
    sum
}

#[distributed_scan]
fn totals(x: &[u8], out: &mut [i32]) {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += offset(x[i] as usize);
        out[i] = sum;
    }
}

#[test]
fn in_loops_of_all_kinds() {
    let n: Vec<u64> = (0..300).map(|i| i * i * 7).collect();
    same!(digits(&n) => Vec::new());
    let x: Vec<u8> = (0..1000).map(|i| (i % 100) as u8).collect();
    same!(totals(&x) => vec![0; 1000]);
    let Some(sum) = on_ranks(1, || offsets(&x)) else { return };
    assert_eq!(sum, Ok(offsets::sequential(&x)));
}

#[test]
fn a_panic_in_a_function_is_that_of_the_loop() {
    let mut x: Vec<u8> = (0..1000).map(|i| (i % 100) as u8).collect();
    x[700] = 200;
    let Some(reason) = refusal(|| offsets(&x)) else { return };
    assert!(reason.contains("too far"), "{reason}");
}

#[foreach]
fn handed_on(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        let near = [x[i], x[i] + 0.5, 2.0];
        out[i] = near.iter().copied().map(units::doubled).sum::<f32>();
    }
}

#[test]
fn functions_that_are_handed_on() {
    let x: Vec<f32> = (1..100).map(|i| i as f32).collect();
    same!(handed_on(&x) => vec![0.0; 99]);
}

mod made {
    macro_rules! function {
        ($name:ident, $by:literal) => {
            #[forall::device]
            pub fn $name(x: i32) -> i32 {
                x * $by
            }
        };
    }
    function!(thrice, 3);
    function!(tenfold, 10);
    pub fn ten() -> i32 {
        tenfold(1)
    }
}
use made::*;

#[device]
fn tenfold(x: i32) -> i32 {
    // It shadows the other one.
    x * 100
}

#[foreach]
fn scaled(x: &mut [i32]) {
    #[device]
    fn inside(x: i32) -> i32 {
        x - 1
    }
    for v in x.iter_mut() {
        *v = thrice(tenfold(*v)) + inside(*v);
    }
}

#[test]
fn functions_that_macros_make_and_that_shadow_others() {
    same!(scaled() => (0..100).collect::<Vec<i32>>());
    let Some(result) = on_ranks(1, || {
        let mut x = vec![2];
        scaled(&mut x);
        x
    }) else {
        return;
    };
    assert_eq!(result, Ok(vec![601]));
    assert_eq!(ten(), 10);
}

fn plain(x: f32) -> f32 {
    x
}

#[foreach]
fn calls_plain(out: &mut [f32]) {
    for i in 0..out.len() {
        out[i] = plain(1.0);
    }
}

#[foreach]
fn calls_plain_by_path(out: &mut [f32]) {
    for i in 0..out.len() {
        out[i] = geometry::units::unmarked(out[i]);
    }
}

mod other {
    pub fn collatz(n: u32) -> u32 {
        n + 1
    }
}

/// A function of this name is marked: another one.
#[foreach]
fn calls_another(out: &mut [u32]) {
    for i in 0..out.len() {
        out[i] = other::collatz(1);
    }
}

#[foreach]
fn imports_another(out: &mut [u32]) {
    use other::collatz;
    for i in 0..out.len() {
        out[i] = collatz(1);
    }
}

/// The marked function comes by `*`, and the called one hides it.
mod hidden {
    use super::*;

    fn collatz(n: u32) -> u32 {
        n + 2
    }

    #[foreach]
    pub fn calls(out: &mut [u32]) {
        for i in 0..out.len() {
            out[i] = collatz(1);
        }
    }

    #[device]
    fn marked(n: u32) -> u32 {
        collatz(n)
    }

    #[foreach]
    pub fn by_function(out: &mut [u32]) {
        for i in 0..out.len() {
            out[i] = marked(1);
        }
    }
}

#[foreach]
fn generic(out: &mut [u32], bytes: &mut [u8]) {
    for i in 0..out.len() {
        out[i] = names::hash(1_u32);
        bytes[i] = names::hash(1_u8);
    }
}

use geometry::plus as more;

/// Outside of the function, this name is a function of another name.
mod plus {}

#[foreach]
fn imports_one(out: &mut [i32]) {
    use geometry::plus as sum;
    for i in 0..out.len() {
        let a: i32 = more(out[i], 1);
        let b: i32 = low::plus(a, 2);
        out[i] = sum(a, b);
    }
}

#[allow(non_camel_case_types)]
struct low;

#[device]
#[allow(clippy::needless_lifetimes, reason = "it has one to name")]
fn least<'a>(a: &'a [i32; 2], shift: i32) -> i32 {
    geometry::plus(a[0].min(a[1]), shift)
}

/// A local value and a function of one name.
#[foreach]
fn of_one_name(out: &mut [i32]) {
    for i in 0..out.len() {
        let least: i32 = least(&[out[i], i as i32], 3);
        let both: i32 = [least, 2].iter().copied().map(doubly).sum();
        out[i] = geometry::plus(least, both) + (more)(least, 1);
    }
}

#[device]
fn doubly(x: i32) -> i32 {
    2 * x
}

#[test]
fn functions_by_other_names() {
    same!(of_one_name() => (0..100).map(|i| i * 7 % 31).collect::<Vec<i32>>());
}

impl low {
    fn plus(a: i32, b: i32) -> i32 {
        a + b
    }
}

/// Functions by the names of methods that everything has, or that a `Drop` has, compile.
#[foreach]
fn calls_by_names_of_methods(out: &mut [u32]) {
    fn min(a: u32) -> u32 {
        a
    }
    for i in 0..out.len() {
        out[i] = names::clone(1)
            + names::into(2)
            + names::drop(3)
            + names::cmp(4)
            + names::default(5)
            + names::hash(6)
            + min(7);
    }
}

mod names {
    pub fn clone(a: u32) -> u32 {
        a
    }
    pub fn into(a: u32) -> u32 {
        a
    }
    pub fn drop(a: u32) -> u32 {
        a
    }
    pub fn cmp(a: u32) -> u32 {
        a
    }
    pub fn default(a: u32) -> u32 {
        a
    }
    pub fn hash<T: Copy>(a: T) -> T {
        a
    }
}

#[foreach]
fn asks_for_types(out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = offset(i % 4) as f64 + f64::from(geometry::plus(3, -4));
    }
}

#[test]
fn the_function_tells_types() {
    same!(asks_for_types() => vec![0.0; 1000]);
}

#[device]
fn both(i: usize) -> (usize, f32) {
    (i, 0.5)
}

#[foreach]
fn takes_for_granted(out: &mut [f64]) {
    for i in 0..out.len() {
        let both = both(i);
        out[i] = both.0 as f64;
    }
}

#[device]
fn odd(n: u32) -> bool {
    if n == 0 { false } else { even(n - 1) }
}

#[device]
fn even(n: u32) -> bool {
    if n == 0 { true } else { odd(n - 1) }
}

#[foreach]
fn recursive(out: &mut [bool]) {
    for i in 0..out.len() {
        out[i] = odd(i as u32);
    }
}

#[test]
fn why_a_loop_does_not_run_there() {
    let Some(reason) = refusal(|| calls_plain(&mut [0.0; 10])) else { return };
    let (said, line) = ("calls `plain` (line ", "), which is not marked: put `#[forall::device]` above it");
    assert!(reason.contains(said) && reason.contains(line), "{reason}");
    let Some(reason) = refusal(|| calls_plain_by_path(&mut [0.0; 10])) else { return };
    assert!(reason.contains("calls `geometry::units::unmarked`"), "{reason}");
    for reason in [
        refusal(|| calls_another(&mut [0; 10])),
        refusal(|| imports_another(&mut [0; 10])),
        refusal(|| hidden::calls(&mut [0; 10])),
        refusal(|| hidden::by_function(&mut [0; 10])),
    ]
    .into_iter()
    .flatten()
    {
        assert!(reason.contains("collatz`") && reason.contains("which is not marked"), "{reason}");
    }
    let Some(reason) = refusal(|| generic(&mut [0; 10], &mut [0; 10])) else { return };
    assert!(reason.contains("`names::hash` (line") && reason.contains("several instances"), "{reason}");
    let Some(reason) = refusal(|| recursive(&mut [false; 10])) else { return };
    assert!(reason.contains("calls itself"), "{reason}");
    let Some(reason) = refusal(|| takes_for_granted(&mut [0.0; 10])) else { return };
    assert!(reason.contains("the type of `both(..)` is not known"), "{reason}");
    let Some(reason) = refusal(|| imports_one(&mut [5; 10])) else { return };
    assert!(reason.contains("calls `low::plus`") && reason.contains("which is not marked"), "{reason}");
    // Elsewhere they run.
    let mut out = [0; 3];
    calls_by_names_of_methods(&mut out);
    assert_eq!(out, [28; 3]);
    let mut out = [0.0; 10];
    calls_plain(&mut out);
    assert_eq!(out, [1.0; 10]);
}

/// Items that only the body knows are its own.
#[foreach]
fn own_items(out: &mut [f64]) {
    for i in 0..out.len() {
        const K: f64 = 2.0;
        static T: [f64; 2] = [1.0, 2.5];
        fn square(v: f64) -> f64 {
            v * v
        }
        out[i] = K * square(out[i]) + T[i % 2];
    }
}

/// The meaning of an import in the body is unknown where the loop stands.
#[foreach]
fn own_imports(out: &mut [u64]) {
    for i in 0..out.len() {
        use tables::SQUARES as ALL;
        struct Own {
            value: u64,
        }
        let own = Own { value: ALL[i % 5] };
        out[i] = own.value;
    }
}

#[test]
fn items_in_bodies() {
    same!(own_items() => (0..300).map(f64::from).collect::<Vec<f64>>());
    let Some(reason) = refusal(|| own_imports(&mut [0; 10])) else { return };
    assert!(reason.contains("only this block knows"), "{reason}");
    let mut out = [0; 7];
    own_imports(&mut out);
    assert_eq!(out, [0, 1, 4, 9, 16, 0, 1]);
}

#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable, forall::DeviceData)]
#[repr(C)]
struct Marked {
    low: u32,
    high: u32,
}

#[device]
fn mixed(a: u32, b: u32) -> u32 {
    a ^ b.rotate_left(3)
}

#[device]
fn marked(v: u32) -> Marked {
    Marked { low: v, high: mixed(v, 7) }
}

/// Calls right behind a colon, and behind the dots of a range and of a base.
#[foreach]
fn called_after_punctuation(x: &[u32], out: &mut [Marked]) {
    for i in 0..x.len() {
        let mut sum = 0;
        for k in mixed(x[i], 1) % 3..mixed(x[i], 2) % 9 {
            sum += k;
        }
        for k in 0..=mixed(x[i], 5) % 4 {
            sum += mixed(k, x[i]) % 5;
        }
        let base = Marked { low: mixed(sum, x[i]), ..marked(x[i]) };
        out[i] = Marked { low: self::mixed(base.low, 2), high: mixed(base.high, sum) };
    }
}

#[test]
fn calls_after_punctuation() {
    let x: Vec<u32> = (0..301).map(|i| i * 37 % 101).collect();
    same!(called_after_punctuation(&x) => vec![Marked { low: 0, high: 0 }; 301]);
}
