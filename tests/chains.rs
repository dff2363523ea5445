//! DIY's test of `iexchange`: chains of blocks, between which particles hop.

use forall::blocks::{Blocks, Link};
use serde::{Deserialize, Serialize};

/// Numbers from 0 to `n - 1` that look random.
pub fn below(seed: &mut u64, n: usize) -> usize {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    ((*seed >> 33) as usize) % n
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, bytemuck::Pod, bytemuck::Zeroable,
)]
#[repr(C)]
pub struct Particle {
    pub id: u64,
    pub hops: u64,
    pub done: u64,
}

/// A block in a chain, with its particles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    pub seeds: Vec<Particle>,
    /// Fills a page of the store.
    pub weight: Vec<u64>,
}

/// DIY's test of `iexchange`: one to ten particles in each block, with one to twenty hops each.
pub fn chains(n: usize) -> Blocks<Chain> {
    Blocks::linked(n, |number| {
        let mut seed = 1 + number as u64;
        let count = 1 + below(&mut seed, 10);
        let particle = |k: usize, seed: &mut u64| Particle {
            id: (100 * number + k) as u64,
            hops: 1 + below(seed, 20) as u64,
            done: 0,
        };
        let seeds = (0..count).map(|k| particle(k, &mut seed)).collect();
        let links = [number.checked_sub(1), Some(number + 1).filter(|next| *next < n)];
        (Chain { seeds, weight: vec![number as u64; 200] }, links.into_iter().flatten().map(Link::to).collect())
    })
}

impl Chain {
    /// The link by which a particle leaves.
    pub fn next(&self, particle: &Particle, links: &[Link]) -> Option<Link> {
        let any = self.weight.len() as u64 + particle.id + particle.done;
        (particle.hops > 0 && !links.is_empty()).then(|| links[any as usize % links.len()])
    }
}
