//! Choices that look random and are the same for the same seed.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

/// A sequence of choices.
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1);
        (0..3).for_each(|_| _ = random.next());
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// A number from 0 to below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// True so many times of a hundred.
    pub fn percent(&mut self, times: usize) -> bool {
        self.below(100) < times
    }

    /// One of several. A new entry of a table changes only the programs that get it: each entry has its own lot in each draw, which
    /// follows from its text, and the highest wins. An entry that stands there several times has as many lots.
    pub fn of<'a, T: Hash>(&mut self, several: &'a [T]) -> &'a T {
        let draw = self.next();
        let mut times = HashMap::<u64, u64>::new();
        let lot = |entry: &&T| {
            let mut said = Said(0xcbf2_9ce4_8422_2325);
            entry.hash(&mut said);
            let time = times.entry(said.0).or_default();
            *time += 1;
            mixed(draw ^ said.0.wrapping_mul(*time))
        };
        several.iter().max_by_key(lot).expect("a table has entries")
    }
}

fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A hash that no release of Rust changes.
struct Said(u64);

impl Hasher for Said {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
