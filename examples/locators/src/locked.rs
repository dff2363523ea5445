//! One hash grid for all workers, with a lock for each bucket.

use crate::agreed::agreed;
use crate::grid::{Grid, Key, key};
use forall::{DistVec, foreach, kary_reduce};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A locator that all workers of a rank fill. Its contents do not depend on who comes first: each point with its least number.
#[derive(Debug)]
pub struct Locked {
    grid: Grid,
    buckets: Vec<Mutex<Vec<Found>>>,
}

/// A point, and the least number under which it came.
#[derive(Debug, Clone, Copy)]
struct Found {
    key: Key,
    first: u64,
}

impl Locked {
    /// With nothing in it.
    pub fn new(grid: Grid) -> Locked {
        Locked { grid, buckets: (0..grid.len()).map(|_| Mutex::default()).collect() }
    }

    fn bucket(&self, point: [f32; 3]) -> MutexGuard<'_, Vec<Found>> {
        // A bucket is whole between any two statements.
        self.buckets[self.grid.bucket(point)].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a point under a number. Whether it was not there yet, as 0 or 1.
    pub fn insert(&self, point: [f32; 3], number: u64) -> u64 {
        let (key, mut bucket) = (key(point), self.bucket(point));
        match bucket.iter_mut().find(|found| found.key == key) {
            Some(found) => {
                found.first = found.first.min(number);
                0
            }
            None => {
                bucket.push(Found { key, first: number });
                1
            }
        }
    }

    /// The least number under which a point came.
    pub fn first(&self, point: [f32; 3]) -> Option<u64> {
        let key = key(point);
        self.bucket(point).iter().find(|found| found.key == key).map(|found| found.first)
    }

    /// For each point the number of the first one that is the same. All ranks call it together.
    pub fn firsts(points: &DistVec<[f32; 3]>, grid: Grid) -> DistVec<u64> {
        let locator = Locked::new(grid);
        let mut first = DistVec::zeroed_like(points);
        fill(points, &locator);
        look_up(points, &locator, &mut first);
        let is_occupied =
            |bucket: &&Mutex<Vec<Found>>| !bucket.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
        let occupied = (0..).zip(&locator.buckets).filter(|(_, bucket)| is_occupied(bucket));
        agreed(points, first, &grid, occupied.map(|(number, _)| number).collect())
    }
}

/// How many points are different, of all that a rank has.
#[kary_reduce]
fn fill(points: &[[f32; 3]], locator: &Locked) -> u64 {
    let mut different = 0;
    for i in 0..points.len() {
        different += locator.insert(points[i], i as u64);
    }
    different
}

#[foreach]
fn look_up(points: &[[f32; 3]], locator: &Locked, first: &mut [u64]) {
    for i in 0..points.len() {
        first[i] = locator.first(points[i]).unwrap_or(i as u64);
    }
}
