//! The numbers of the points of one rank among those of all.

use crate::grid::{Grid, Key, key};
use forall::{DistVec, distributed_scan, distributed_sort, foreach, foreach_tls, kary_reduce};

/// A point that a rank has, its first number there, and the first one of all ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Entry {
    key: Key,
    /// Fills the space.
    unused: u32,
    number: u64,
}

/// For each point the number of the first one that is the same, of all ranks: from the first one that this rank has, and the buckets in which it has
/// any, each once. All ranks call it together.
///
/// The ranks have to agree on points in buckets that several of them have: sorted by their keys they lie side by side, the least number first.
pub(crate) fn agreed(points: &DistVec<[f32; 3]>, first: DistVec<u64>, grid: &Grid, occupied: Vec<u32>) -> DistVec<u64> {
    if forall::ranks() == 1 {
        return first;
    }
    let mut ranks = vec![0; grid.len()];
    count_ranks(&DistVec::from_local(occupied), &mut ranks);
    let mut entries = DistVec::default();
    shared(points, &first, grid, &ranks, &mut entries);
    sort(&mut entries);
    let mut least = DistVec::zeroed_like(&entries);
    least_of_run(&entries, &mut least);
    let mut of_leaders = first.clone();
    tell(&entries, &least, &mut of_leaders);
    let mut all = DistVec::zeroed_like(&first);
    follow(&first, &of_leaders, &mut all);
    all
}

/// How many ranks have points in each bucket.
#[kary_reduce]
fn count_ranks(occupied: &[u32], #[replicated] ranks: &mut [u32]) {
    for i in 0..occupied.len() {
        ranks[occupied[i] as usize] += 1;
    }
}

/// The points that are the first ones of this rank, where others have any.
#[foreach_tls]
fn shared(points: &[[f32; 3]], first: &[u64], grid: &Grid, #[replicated] ranks: &[u32], out: &mut Vec<Entry>) {
    for i in 0..points.len() {
        if first[i] == i as u64 && ranks[grid.bucket(points[i])] > 1 {
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
