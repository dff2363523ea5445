//! Numbers that look random, and are the same on any number of ranks.

/// A number from 0 to 1, without 1, that depends on the two given ones alone: the `which`-th of the thing `id`.
///
/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). `which` is less than 256.
pub fn random(id: u64, which: u64) -> f64 {
    let mut z = (id << 8 | which).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}
