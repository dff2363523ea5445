//! The chunk queue: hands out the pieces of a loop to the workers, by the schedule.
//!
//! A piece is a range of consecutive chunks. The schedule never changes a result, because pieces merge in the order of the iterations, in the
//! tree of chunks.

use super::plan::Plan;
use crate::lock::lock;
use crate::settings::Schedule;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// A piece that a worker has taken from the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Taken {
    /// The number of the piece in the order of the iterations. Meaningful only if workers take pieces in this order.
    pub number: usize,
    pub chunks: Range<usize>,
    /// Whether the piece directly follows the worker's previous piece. The worker then continues with its carry.
    pub follows: bool,
}

/// The pieces of a loop that no worker has taken yet.
pub(super) struct Queue {
    chunks: Range<usize>,
    order: Order,
}

enum Order {
    /// An idle worker takes the next piece. `left` has its number and the remaining chunks.
    Next { length: Length, left: Mutex<(usize, Range<usize>)> },
    /// One piece for each worker, of one length.
    Own { length: usize, taken: Box<[AtomicBool]> },
    /// Work stealing. Each worker takes pieces from the front of its own range. An idle worker steals the later half of another range.
    Halves { left: Box<[Mutex<Share>]> },
}

/// The length of consecutive pieces.
enum Length {
    /// The worker chooses.
    ByWorker,
    /// All pieces have this length.
    Fixed(usize),
    /// A fraction of the remaining chunks, but at least `least`: pieces become smaller.
    Shrinking { least: usize, parts: usize },
}

/// The rest of a worker's range.
struct Share {
    left: Range<usize>,
    /// Whether the worker has started it.
    begun: bool,
}

impl Queue {
    /// `least` is the number of chunks that are worth an access to the queue. `few` says whether each piece needs its own state.
    pub fn new(plan: &Plan, least: usize, few: bool) -> Queue {
        let (chunks, workers) = (plan.chunks(), plan.workers);
        let even = chunks.len().div_ceil(workers).max(1);
        let next = |length: Length| Order::Next { length, left: Mutex::new((0, chunks.clone())) };
        let order = match plan.schedule {
            _ if workers == 1 => next(Length::Fixed(even)),
            Schedule::Static => {
                let pieces = chunks.len().div_ceil(even);
                Order::Own { length: even, taken: (0..pieces).map(|_| AtomicBool::new(false)).collect() }
            }
            Schedule::Guided => next(Length::Shrinking { least, parts: 2 * workers }),
            Schedule::Steal if few => {
                let share = |worker: usize| {
                    let start = (chunks.start + worker * even).min(chunks.end);
                    Mutex::new(Share { left: start..(start + even).min(chunks.end), begun: false })
                };
                Order::Halves { left: (0..workers).map(share).collect() }
            }
            Schedule::Steal => next(Length::ByWorker),
        };
        Queue { chunks, order }
    }

    /// The next piece of this worker, or `None` if no chunk is left for it. `last` is its previous piece. `length` is the number of chunks
    /// that it wants, at least one; some schedules ignore it.
    pub fn take(&self, worker: usize, last: Option<&Taken>, length: usize) -> Option<Taken> {
        match &self.order {
            Order::Next { length: fixed, left } => {
                let mut left = lock(left);
                let (number, rest) = &mut *left;
                let length = match *fixed {
                    Length::ByWorker => length,
                    Length::Fixed(length) => length,
                    Length::Shrinking { least, parts } => (rest.len() / parts).max(least),
                };
                let length = length.min(rest.len());
                let taken = Taken { number: *number, chunks: rest.start..rest.start + length, follows: false };
                *number += 1;
                rest.start += length;
                (length > 0).then_some(taken)
            }
            Order::Own { length, taken } => {
                // The other workers take the piece of a worker that does not start.
                let mut numbers = (0..taken.len()).map(|k| (worker + k) % taken.len());
                let number = numbers.find(|number| !taken[*number].swap(true, Ordering::Relaxed))?;
                let start = self.chunks.start + number * length;
                let chunks = start..start.saturating_add(*length).min(self.chunks.end);
                Some(Taken { number, chunks, follows: false })
            }
            Order::Halves { left } => {
                let own = &left[worker % left.len()];
                front(own, length)
                    .or_else(|| {
                        let stolen = stolen(left, length)?;
                        lock(own).left = stolen;
                        front(own, length)
                    })
                    .map(|chunks| {
                        let follows = last.is_some_and(|last| last.chunks.end == chunks.start);
                        Taken { number: 0, chunks, follows }
                    })
            }
        }
    }

    /// Whether a worker may keep its carry from one piece to the next.
    pub fn continues(&self) -> bool {
        matches!(self.order, Order::Halves { .. })
    }
}

/// Takes a piece from the front of a worker's own range.
fn front(share: &Mutex<Share>, length: usize) -> Option<Range<usize>> {
    let mut share = lock(share);
    share.begun = true;
    let start = share.left.start;
    let end = share.left.end.min(start + length);
    share.left.start = end;
    (start < end).then_some(start..end)
}

/// Steals the later half of the longest range that is worth it, or a whole range that its worker has not started.
fn stolen(left: &[Mutex<Share>], length: usize) -> Option<Range<usize>> {
    loop {
        let worth = |share: &Share| if share.begun { share.left.len() > length } else { !share.left.is_empty() };
        let lengths = left.iter().enumerate().filter_map(|(worker, share)| {
            let share = lock(share);
            worth(&share).then_some((share.left.len(), worker))
        });
        let (_, victim) = lengths.max()?;
        let mut share = lock(&left[victim]);
        // Another worker may have taken it since then.
        if worth(&share) {
            let keeps = share.left.len() / 2;
            let middle = share.left.start + keeps;
            let end = std::mem::replace(&mut share.left.end, middle);
            return Some(middle..end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(schedule: Schedule, workers: usize, chunks: usize, least: usize, few: bool) -> Queue {
        let mut plan = Plan::over(0..chunks * 10, 10, 1);
        (plan.workers, plan.schedule) = (workers, schedule);
        Queue::new(&plan, least, few)
    }

    /// Workers take 1 to `most` chunks in a pseudorandom order; the first `missing` workers take none. Returns the pieces of each worker.
    fn taken(queue: &Queue, workers: usize, most: usize, missing: usize, mut seed: u64) -> Vec<Vec<Taken>> {
        let mut all: Vec<Vec<Taken>> = vec![Vec::new(); workers];
        let mut done = vec![false; workers];
        done[..missing].fill(true);
        while done.iter().any(|done| !done) {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let worker = (seed >> 33) as usize % workers;
            if !done[worker] {
                match queue.take(worker, all[worker].last(), 1 + (seed >> 20) as usize % most) {
                    Some(taken) => all[worker].push(taken),
                    None => done[worker] = true,
                }
            }
        }
        all
    }

    #[test]
    fn every_chunk_is_taken_once_by_any_set_of_workers() {
        for schedule in Schedule::ALL {
            for (workers, chunks) in [(1, 0), (1, 5), (2, 0), (2, 1), (2, 97), (3, 97), (7, 6), (7, 1000)] {
                for (piece, least, few) in [(1, 1, false), (1, 1, true), (5, 3, false), (5, 3, true)] {
                    for missing in 0..workers.min(3) {
                        let queue = queue(schedule, workers, chunks, least, few);
                        let mut all = taken(&queue, workers, piece, missing, 7).concat();
                        all.sort_by_key(|taken| taken.chunks.start);
                        let covered: Vec<usize> = all.iter().flat_map(|taken| taken.chunks.clone()).collect();
                        let case = format!("{schedule}, {workers} workers, {chunks} chunks, {missing} missing");
                        assert_eq!(covered, (0..chunks).collect::<Vec<_>>(), "{case}");
                        if !queue.continues() {
                            assert!(all.iter().map(|taken| taken.number).eq(0..all.len()), "{case}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_static_worker_has_its_own_piece_and_guided_ones_shrink() {
        let fixed = queue(Schedule::Static, 4, 100, 1, false);
        assert_eq!(fixed.take(2, None, 1).unwrap().chunks, 50..75);
        assert_eq!(fixed.take(0, None, 1).unwrap().chunks, 0..25);
        let guided = queue(Schedule::Guided, 2, 64, 1, false);
        let lengths: Vec<usize> =
            std::iter::from_fn(|| guided.take(0, None, 1)).map(|taken| taken.chunks.len()).collect();
        assert_eq!(lengths[..4], [16, 12, 9, 6]);
        assert!(lengths.is_sorted_by(|one, two| one >= two) && lengths.ends_with(&[1, 1]));
    }

    #[test]
    fn states_follow_the_thefts_and_not_the_pieces() {
        let queue = queue(Schedule::Steal, 2, 1000, 1, true);
        // The second worker does all the rest while the first one runs its first piece.
        let first = queue.take(0, None, 1).unwrap();
        let mut states = 1;
        let mut last: Option<Taken> = None;
        while let Some(taken) = queue.take(1, last.as_ref(), 1) {
            states += usize::from(!taken.follows);
            last = Some(taken);
        }
        assert_eq!(first.chunks, 0..1);
        assert!(states <= 12, "{states}");
    }
}
