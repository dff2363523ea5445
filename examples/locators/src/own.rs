//! A hash grid for each worker: they are merged bucket by bucket, without locks.

use crate::agreed::agreed;
use crate::grid::{Grid, Key, key};
use forall::{DistVec, foreach, foreach_tls};
use serde::{Deserialize, Serialize};

/// A locator that one worker fills, or that several were merged into. It has no room before its first point.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Own {
    /// For each bucket, 1 more than the place of the entry that was put there last; 0 where there is none.
    last: Vec<u32>,
    entries: Vec<Entry>,
    /// The buckets that have entries, each once.
    occupied: Vec<u32>,
}

/// A point, and the least number under which it came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    key: Key,
    bucket: u32,
    first: u64,
    /// How many entries before this one the next one of the bucket is; 0 where there is none.
    back: u32,
}

impl Own {
    /// With nothing in it.
    pub fn new() -> Own {
        Own::default()
    }

    /// How many points it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Notes a point under a number.
    pub fn insert(&mut self, grid: &Grid, point: [f32; 3], number: u64) {
        if self.last.is_empty() {
            self.last = vec![0; grid.len()];
        }
        self.put(key(point), grid.bucket(point), number);
    }

    fn put(&mut self, key: Key, bucket: usize, number: u64) {
        let place = self.in_bucket(bucket).find(|place| self.entries[*place].key == key);
        if let Some(place) = place {
            let first = &mut self.entries[place].first;
            *first = number.min(*first);
            return;
        }
        let last = self.last[bucket];
        if last == 0 {
            self.occupied.push(bucket as u32);
        }
        let next = self.entries.len() as u32 + 1;
        let back = if last == 0 { 0 } else { next - last };
        self.entries.push(Entry { key, bucket: bucket as u32, first: number, back });
        self.last[bucket] = next;
    }

    /// The places of a bucket's entries, the latest first.
    fn in_bucket(&self, bucket: usize) -> impl Iterator<Item = usize> {
        let last = self.last.get(bucket).and_then(|last| last.checked_sub(1));
        std::iter::successors(last.map(|last| last as usize), |place| match self.entries[*place].back {
            0 => None,
            back => Some(place - back as usize),
        })
    }

    /// The least number under which a point came.
    pub fn first(&self, grid: &Grid, point: [f32; 3]) -> Option<u64> {
        let key = key(point);
        let mut places = self.in_bucket(grid.bucket(point));
        places.find(|place| self.entries[*place].key == key).map(|place| self.entries[place].first)
    }

    /// Adds what later iterations found.
    pub fn merge(&mut self, later: Own) {
        if self.last.is_empty() {
            *self = later;
            return;
        }
        for entry in later.entries {
            self.put(entry.key, entry.bucket as usize, entry.first);
        }
    }

    /// Those of all workers, merged at once: who was the first to have points in a bucket merges it, and nobody else looks at it.
    pub fn merge_all(all: Vec<Own>) -> Own {
        let mut all: Vec<Own> = all.into_iter().filter(|own| !own.is_empty()).collect();
        if all.len() < 2 {
            return all.pop().unwrap_or_default();
        }
        let claims: Vec<Claim> = (all.iter().enumerate())
            .flat_map(|(worker, own)| {
                own.occupied.iter().map(move |bucket| Claim { worker: worker as u32, bucket: *bucket })
            })
            .collect();
        let (mut entries, mut last) = (Vec::new(), vec![0; all[0].last.len()]);
        merge_buckets(&claims, &all, &mut entries);
        ends(&entries, &mut last);
        let mut occupied = Vec::new();
        buckets(&entries, &mut occupied);
        Own { last, entries, occupied }
    }

    /// For each point the number of the first one that is the same. All ranks call it together.
    pub fn firsts(points: &DistVec<[f32; 3]>, grid: Grid) -> DistVec<u64> {
        // Each rank has its own points alone.
        let (mine, before) = (points.local(), points.offset() as u64);
        let (first, occupied) = forall::on_this_rank(|| {
            let (mut first, locator) = (vec![0; mine.len()], filled(mine, &grid, before));
            look_up(mine, &grid, &locator, before, &mut first);
            (first, locator.occupied)
        });
        agreed(points, DistVec::from_local(first), &grid, occupied)
    }
}

/// A worker that has points in a bucket.
#[derive(Debug, Clone, Copy)]
struct Claim {
    worker: u32,
    bucket: u32,
}

#[foreach_tls]
fn merge_buckets(#[replicated] claims: &[Claim], #[replicated] all: &[Own], out: &mut Vec<Entry>) {
    for k in 0..claims.len() {
        let Claim { worker, bucket } = claims[k];
        let (worker, bucket) = (worker as usize, bucket as usize);
        if all[..worker].iter().all(|own| own.last[bucket] == 0) {
            let mut merged: Vec<Entry> = Vec::new();
            for own in &all[worker..] {
                for place in own.in_bucket(bucket) {
                    let entry = own.entries[place];
                    match merged.iter_mut().find(|found| found.key == entry.key) {
                        Some(found) => found.first = found.first.min(entry.first),
                        None => merged.push(Entry { back: u32::from(!merged.is_empty()), ..entry }),
                    }
                }
            }
            out.extend_from_slice(&merged);
        }
    }
}

/// Where the entries of each bucket end: they lie side by side.
#[foreach]
fn ends(#[replicated] entries: &[Entry], #[scatter] last: &mut [u32]) {
    for e in 0..entries.len() {
        if e + 1 == entries.len() || entries[e + 1].back == 0 {
            last[entries[e].bucket as usize] = e as u32 + 1;
        }
    }
}

#[foreach_tls]
fn buckets(#[replicated] entries: &[Entry], out: &mut Vec<u32>) {
    for e in 0..entries.len() {
        if entries[e].back == 0 {
            out.push(entries[e].bucket);
        }
    }
}

/// All points that are different, with so many of them before these.
#[foreach_tls(init = Own::new, merge = Own::merge, merge_all = Own::merge_all)]
fn filled(points: &[[f32; 3]], grid: &Grid, before: u64) -> Own {
    let mut locator = Own::new();
    for i in 0..points.len() {
        locator.insert(grid, points[i], before + i as u64);
    }
    locator
}

#[foreach]
fn look_up(points: &[[f32; 3]], grid: &Grid, locator: &Own, before: u64, first: &mut [u64]) {
    for i in 0..points.len() {
        first[i] = locator.first(grid, points[i]).unwrap_or(before + i as u64);
    }
}
