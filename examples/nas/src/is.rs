//! IS: the ranks of integer keys, by counting.

use crate::random::{SEED, next, skip};
use crate::{Class, Outcome, timed};
use forall::{DistVec, foreach, kary_reduce};

/// How often the keys are ranked; each time two keys are others.
const ITERATIONS: u32 = 10;

/// The keys: sums of four numbers each.
#[foreach]
pub fn make_keys(keys: &mut [u32], largest: u32) {
    for i in 0..keys.len() {
        let mut seed = skip(SEED, 4 * i as u64);
        let sum = next(&mut seed) + next(&mut seed) + next(&mut seed) + next(&mut seed);
        keys[i] = (f64::from(largest / 4) * sum) as u32;
    }
}

/// How many keys are at most as large as each value. Two keys are set anew first.
#[kary_reduce]
pub fn rank_keys(keys: &mut [u32], up_to: &mut [u32], iteration: u32) {
    keys[iteration as usize] = iteration;
    keys[(iteration + ITERATIONS) as usize] = up_to.len() as u32 - iteration;
    for count in up_to.iter_mut() {
        *count = 0;
    }
    for &key in keys.iter() {
        up_to[key as usize] += 1;
    }
    let mut sum = 0;
    for count in up_to.iter_mut() {
        sum += *count;
        *count = sum;
    }
}

/// How many keys are not where their rank says, when they stand in order.
#[kary_reduce]
pub fn misplaced(sorted: &[u32], #[gather] up_to: &[u32]) -> usize {
    let mut wrong = 0;
    for i in 0..sorted.len() {
        let key = sorted[i] as usize;
        let first = if key == 0 { 0 } else { up_to[key - 1] as usize };
        if i < first || i >= up_to[key] as usize {
            wrong += 1;
        }
    }
    wrong
}

/// Runs the benchmark.
pub fn run(class: Class) -> Outcome {
    let count = class.choose(1 << 16, 1 << 23);
    let largest: u32 = class.choose(1 << 11, 1 << 19);
    // Keys whose ranks are published, with these ranks; those of the last two fall from iteration to iteration.
    let places =
        class.choose([48_427, 17_148, 23_627, 62_548, 4_431], [2_112_377, 662_041, 5_336_171, 3_642_833, 4_250_760]);
    let published = class.choose([0, 18, 346, 64_917, 65_463], [104, 17_523, 123_928, 8_288_932, 8_388_264]);
    let (mut keys, mut up_to) = (DistVec::zeroed(count), DistVec::zeroed(largest as usize));
    make_keys(&mut keys, largest);
    let mut wrong = 0;
    let mut iteration = |iteration: u32| {
        rank_keys(&mut keys, &mut up_to, iteration);
        for (k, (&place, &published)) in places.iter().zip(&published).enumerate() {
            let key = keys.get(place).unwrap_or_default() as usize;
            let rank = if key == 0 { 0 } else { up_to.get(key - 1).unwrap_or_default() };
            let moved = iteration - class.choose(0, 1);
            let expected = if k < 3 { published + moved } else { published - moved };
            wrong += usize::from(key > 0 && rank != expected);
        }
    };
    iteration(1);
    let ((), seconds) = timed(|| (1..=ITERATIONS).for_each(iteration));
    let mut sorted = keys.to_all();
    sorted.sort_unstable();
    wrong += misplaced(&DistVec::from_global(&sorted), &up_to);
    let operations = f64::from(ITERATIONS) * count as f64 * 1e-6;
    Outcome { seconds, operations, error: wrong as f64, allowed: 0.0 }
}
