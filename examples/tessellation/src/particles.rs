//! Particles without a file.

use forall_examples::random::random;

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
