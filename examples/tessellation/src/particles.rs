//! Particles without a file.

/// A number from 0 to 1 that looks random, and depends on nothing but the two given ones.
fn random(id: u64, which: u64) -> f64 {
    // SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
    let mut z = (id << 8 | which).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// The place of a particle in the unit cube: anywhere, or, of two of three, in one of some clusters, whose density falls as Plummer's does.
pub fn random_place(id: u64, clusters: u64) -> [f64; 3] {
    let anywhere = |id: u64| [0, 1, 2].map(|axis| random(id, axis));
    if clusters == 0 || id.is_multiple_of(3) {
        return anywhere(id);
    }
    let cluster = (random(id, 3) * clusters as f64) as u64;
    let (middle, size) = (anywhere(u64::MAX / 512 - cluster), 0.01 + 0.03 * random(u64::MAX / 512 - cluster, 3));
    // Not all of the mass, or the last particle is infinitely far away.
    let inside = 0.95 * random(id, 4) + 0.001;
    let radius = size / (inside.powf(-2.0 / 3.0) - 1.0).sqrt();
    let (cos, turn) = (2.0 * random(id, 5) - 1.0, std::f64::consts::TAU * random(id, 6));
    let sin = (1.0 - cos * cos).sqrt();
    let from = [radius * sin * turn.cos(), radius * sin * turn.sin(), radius * cos];
    [0, 1, 2].map(|axis| (middle[axis] + from[axis]).rem_euclid(1.0))
}
