//! Particles in bins, to go through them from the nearest to the farthest.

use crate::region::Particle;
use std::ops::Range;

/// Particles in a grid of bins.
pub struct Bins<'p> {
    particles: &'p [Particle],
    low: [f64; 3],
    side: f64,
    shape: [usize; 3],
    /// The particles of a bin are those with these numbers: `order[first[bin]..first[bin + 1]]`.
    first: Vec<u32>,
    order: Vec<u32>,
}

/// Particles that may be next, each with the bits of the square of its distance, which rise with it. Kept from search to search for its room.
pub type Waiting = Vec<(u64, u32)>;

impl<'p> Bins<'p> {
    /// Puts particles into bins, of about two each.
    pub fn new(particles: &'p [Particle]) -> Self {
        let extreme = |start, f: fn(f64, f64) -> f64| {
            [0, 1, 2].map(|axis| particles.iter().map(|particle| particle.at[axis]).fold(start, f))
        };
        let (low, high) = (extreme(f64::INFINITY, f64::min), extreme(f64::NEG_INFINITY, f64::max));
        let extent = [0, 1, 2].map(|axis| (high[axis] - low[axis]).max(0.0));
        let longest = extent.into_iter().fold(0.0, f64::max);
        let bins = (particles.len() / 2).max(1) as f64;
        // Flat data have flat bins' worth of them.
        let volume = extent.map(|side| side.max(longest / bins)).into_iter().product::<f64>();
        let side = (volume / bins).cbrt().max(longest / 1024.0).max(f64::MIN_POSITIVE);
        let shape = extent.map(|of| (of / side) as usize + 1);
        let mut bins = Bins {
            particles,
            low,
            side,
            shape,
            first: vec![0; shape.iter().product::<usize>() + 1],
            order: Vec::new(),
        };
        let of: Vec<usize> = particles.iter().map(|particle| bins.number(bins.bin(particle.at))).collect();
        for bin in &of {
            bins.first[bin + 1] += 1;
        }
        for bin in 1..bins.first.len() {
            bins.first[bin] += bins.first[bin - 1];
        }
        let mut next = bins.first.clone();
        bins.order = vec![0; particles.len()];
        for (particle, bin) in of.iter().enumerate() {
            bins.order[next[*bin] as usize] = particle as u32;
            next[*bin] += 1;
        }
        bins
    }

    fn bin(&self, at: [f64; 3]) -> [usize; 3] {
        [0, 1, 2].map(|axis| (((at[axis] - self.low[axis]) / self.side) as usize).min(self.shape[axis] - 1))
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.shape[1] + y) * self.shape[0] + x
    }

    /// The bins that are at most so many from a bin.
    fn around(&self, bin: [usize; 3], ring: usize) -> [Range<usize>; 3] {
        [0, 1, 2].map(|axis| bin[axis].saturating_sub(ring)..(bin[axis] + ring + 1).min(self.shape[axis]))
    }

    /// The distance below which all particles are in those bins; none where there are no others.
    fn known(&self, at: [f64; 3], around: &[Range<usize>; 3]) -> Option<f64> {
        let sides = (0..3).flat_map(|axis| {
            let (Range { start, end }, of) = (around[axis].clone(), at[axis] - self.low[axis]);
            let below = (start > 0).then_some(of - start as f64 * self.side);
            let above = (end < self.shape[axis]).then_some(end as f64 * self.side - of);
            [below, above].into_iter().flatten()
        });
        // What rounding may have put into a bin beside its own.
        sides.reduce(f64::min).map(|distance| (distance - 1e-9 * self.side).max(0.0))
    }

    /// Goes through all other particles, from the nearest to the farthest, until one is farther than is asked for. `each` is given the
    /// number of a particle, and says the square of the distance up to which it asks for more.
    pub fn by_distance(
        &self,
        number: usize,
        mut wanted: f64,
        waiting: &mut Waiting,
        mut each: impl FnMut(usize) -> f64,
    ) {
        let at = self.particles[number].at;
        let home = self.bin(at);
        let mut before = [const { 0..0 }; 3];
        waiting.clear();
        for ring in 0.. {
            let around = self.around(home, ring);
            let known = self.known(at, &around);
            self.add(number, &around, &before, wanted, waiting);
            // Those that are nearer than all that no bin has given yet.
            let is_next = |bits: u64| known.is_none_or(|known| f64::from_bits(bits) < known * known);
            let mut next = 0;
            for place in 0..waiting.len() {
                if is_next(waiting[place].0) {
                    waiting.swap(place, next);
                    next += 1;
                }
            }
            // Those at equal distances in the order of who they are, so that the order depends on no bin.
            waiting[..next].sort_unstable_by(|(one, a), (other, b)| {
                let key = |number: &u32| (self.particles[*number as usize].id, self.particles[*number as usize].image);
                one.cmp(other).then_with(|| key(a).cmp(&key(b)))
            });
            for (bits, other) in waiting.drain(..next) {
                if f64::from_bits(bits) > wanted {
                    return;
                }
                wanted = each(other as usize);
            }
            match known {
                Some(known) if known * known <= wanted => before = around,
                _ => return,
            }
        }
    }

    /// Adds what lies in these bins, and not in those that were added before.
    fn add(
        &self,
        number: usize,
        around: &[Range<usize>; 3],
        before: &[Range<usize>; 3],
        wanted: f64,
        waiting: &mut Waiting,
    ) {
        let at = self.particles[number].at;
        let mut add = |bins: Range<usize>| {
            for &other in &self.order[self.first[bins.start] as usize..self.first[bins.end] as usize] {
                let particle = &self.particles[other as usize];
                let square = (0..3).map(|axis| (particle.at[axis] - at[axis]).powi(2)).sum::<f64>();
                if square <= wanted && other as usize != number {
                    waiting.push((square.to_bits(), other));
                }
            }
        };
        // How far a row of bins is at least, along one axis.
        let apart = |axis: usize, bin: usize| {
            let low = self.low[axis] + bin as f64 * self.side;
            (low - at[axis]).max(at[axis] - low - self.side).max(0.0) - 1e-9 * self.side
        };
        let [along, rows, planes] = around;
        for z in planes.clone() {
            let above = apart(2, z).max(0.0).powi(2);
            for y in rows.clone() {
                if above + apart(1, y).max(0.0).powi(2) > wanted {
                    continue;
                }
                let bin = |x: usize| self.number([x, y, z]);
                if before[2].contains(&z) && before[1].contains(&y) {
                    add(bin(along.start)..bin(before[0].start));
                    add(bin(before[0].end)..bin(along.end));
                } else {
                    add(bin(along.start)..bin(along.end));
                }
            }
        }
    }
}
