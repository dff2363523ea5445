//! Points that are different, and their numbers.

use forall::{DistVec, distributed_scan, foreach, foreach_tls};

/// Points without those that came before, and the number among them of each one that came.
#[derive(Debug)]
pub struct Unique {
    /// Each once, in the order in which they first came.
    pub points: DistVec<[f32; 3]>,
    /// Which of these each of the points is that came.
    pub numbers: DistVec<u64>,
}

impl Unique {
    /// From what a locator found: for each point the number of the first one that is the same. All ranks call it together.
    pub fn of(points: &DistVec<[f32; 3]>, first: &DistVec<u64>) -> Unique {
        let mut unique = Unique { points: DistVec::default(), numbers: DistVec::zeroed_like(first) };
        let mut count = DistVec::zeroed_like(first);
        count_up(first, &mut count);
        leaders(points, first, &mut unique.points);
        numbered(first, &count, &mut unique.numbers);
        unique
    }
}

#[distributed_scan]
fn count_up(first: &[u64], out: &mut [u64]) {
    let mut count = 0;
    for i in 0..first.len() {
        out[i] = count;
        if first[i] == i as u64 {
            count += 1;
        }
    }
}

#[foreach_tls]
fn leaders(points: &[[f32; 3]], first: &[u64], out: &mut Vec<[f32; 3]>) {
    for i in 0..points.len() {
        if first[i] == i as u64 {
            out.push(points[i]);
        }
    }
}

#[foreach]
fn numbered(first: &[u64], #[gather] count: &[u64], out: &mut [u64]) {
    for i in 0..first.len() {
        out[i] = count[first[i] as usize];
    }
}
