//! The time of TOD-Tree by the formula of its paper (Grosset, Prasad, Christensen, Knoll, Hansen 2015).

/// The costs of a machine, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// A message, however short.
    pub latency: f64,
    /// A pixel that is sent.
    pub pixel: f64,
    /// A pixel that is blended.
    pub blended: f64,
}

/// The paper's values for Edison.
pub const EDISON: Costs = Costs { latency: 0.25e-6, pixel: 1.86e-9, blended: 8.1e-12 };

/// Of pictures of so many pixels, with so many regions and trees of arity `k`.
///
/// The stages come one after the other, and so do the messages of each: direct send in a locality, the trees, and the gather.
pub fn seconds(ranks: usize, pixels: usize, regions: usize, k: usize, costs: Costs) -> f64 {
    let Costs { latency, pixel, blended } = costs;
    let [ranks, pixels, regions, k] = [ranks, pixels, regions, k].map(|number| number as f64);
    let message = latency + pixels / regions * (pixel + blended);
    let rounds = (ranks / regions).log(k);
    (regions - 1.0) * message + (k - 1.0) * rounds * message + regions * latency + pixels * pixel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_gives_what_the_paper_has_for_64_nodes() {
        assert!((seconds(64, 2048 * 2048, 16, 8, EDISON) - 0.0174).abs() < 5e-5);
    }
}
