//! One hash grid for all workers, with a lock for each bucket.

use crate::grid::{Grid, Key, key};
use forall::{DistVec, distributed_scan, distributed_sort, foreach, foreach_tls, kary_reduce};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A locator that all workers of a rank fill. What it holds does not depend on who comes first: each point with its least number.
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
        if forall::ranks() > 1 { agreed(points, &first) } else { first }
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

/// A point that a rank has, its first number there, and the first one of all ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Entry {
    key: Key,
    /// Fills the space.
    unused: u32,
    number: u64,
}

/// The ranks agree on points that several of them have: sorted by their keys they lie side by side, the least number first.
fn agreed(points: &DistVec<[f32; 3]>, first: &DistVec<u64>) -> DistVec<u64> {
    let mut entries = DistVec::default();
    leaders(points, first, &mut entries);
    sort(&mut entries);
    let mut least = DistVec::zeroed_like(&entries);
    least_of_run(&entries, &mut least);
    let mut of_leaders = first.clone();
    tell(&entries, &least, &mut of_leaders);
    let mut all = DistVec::zeroed_like(first);
    follow(first, &of_leaders, &mut all);
    all
}

#[foreach_tls]
fn leaders(points: &[[f32; 3]], first: &[u64], out: &mut Vec<Entry>) {
    for i in 0..points.len() {
        if first[i] == i as u64 {
            out.push(Entry { key: key(points[i]), unused: 0, number: i as u64 });
        }
    }
}

#[distributed_sort]
fn sort(entries: &mut [Entry]) {
    entries.sort_unstable_by_key(|entry| (entry.key, entry.number));
}

#[distributed_scan]
fn least_of_run(entries: &[Entry], least: &mut [u64]) {
    let mut now = 0;
    for i in 0..entries.len() {
        if i == 0 || entries[i].key != entries[i - 1].key {
            now = entries[i].number;
        }
        least[i] = now;
    }
}

#[foreach]
fn tell(entries: &[Entry], least: &[u64], #[scatter] first: &mut [u64]) {
    for i in 0..entries.len() {
        first[entries[i].number as usize] = least[i];
    }
}

#[foreach]
fn follow(first: &[u64], #[gather] of_leaders: &[u64], out: &mut [u64]) {
    for i in 0..first.len() {
        out[i] = of_leaders[first[i] as usize];
    }
}
