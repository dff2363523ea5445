//! The pseudo-random numbers of the benchmarks: `seed * a^k mod 2^46`. Each can be computed directly.

/// The seed of most series.
pub const SEED: u64 = 314_159_265;

/// The factor that leads from a seed to the next one: 5^13.
pub const A: u64 = 1_220_703_125;

const MASK: u64 = (1 << 46) - 1;

/// Moves a seed on, and gives the number in `0..1` that it stands for.
pub fn next(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(A) & MASK;
    *seed as f64 / (MASK + 1) as f64
}

/// The seed `count` numbers later.
pub fn skip(mut seed: u64, mut count: u64) -> u64 {
    let mut power = A;
    while count > 0 {
        if count & 1 == 1 {
            seed = seed.wrapping_mul(power) & MASK;
        }
        power = power.wrapping_mul(power) & MASK;
        count >>= 1;
    }
    seed
}
