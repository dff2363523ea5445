//! The parts of a traversal in order, and the tasks for idle workers.

use super::calls::{Leave, Others, Pending};
use super::collected::{Collected, State};
use crate::accumulate::Accumulator;
use crate::lock::lock;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// A part with pending calls.
pub(super) struct Task<N, A: Accumulator> {
    pub part: usize,
    pub pending: Vec<Pending<N, A>>,
    /// The results so far, and the current state.
    pub begun: Option<(Collected<A>, State<A>)>,
}

/// A part, and its successor.
struct Part<A: Accumulator> {
    collected: Option<Collected<A>>,
    next: Option<usize>,
}

struct Parts<N, A: Accumulator> {
    all: Vec<Part<A>>,
    /// The parts without a worker.
    tasks: Vec<Task<N, A>>,
    /// The number of unfinished parts.
    open: usize,
    /// The number of idle workers.
    waiting: usize,
}

/// All parts, as a linked list in sequential order.
pub(super) struct Pool<N, A: Accumulator> {
    parts: Mutex<Parts<N, A>>,
    /// The number of idle workers without a task, or [`STOP`] if all workers have to stop.
    pub idle: AtomicUsize,
    stopped: AtomicBool,
    /// Incremented to wake waiting workers.
    news: AtomicUsize,
    changed: Condvar,
}

/// A value of [`Pool::idle`] at which all workers check for the reason.
const STOP: usize = 1 << (usize::BITS - 2);

/// The number of polls before a waiting worker sleeps.
const SPINS: u32 = 5_000;

impl<N: Send, A: Accumulator> Pool<N, A> {
    /// A pool with a single part.
    pub(super) fn new(first: Task<N, A>) -> Self {
        Pool {
            parts: Mutex::new(Parts {
                all: vec![Part { collected: None, next: None }],
                tasks: vec![first],
                open: 1,
                waiting: 0,
            }),
            idle: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            news: AtomicUsize::new(0),
            changed: Condvar::new(),
        }
    }

    /// Waits for the next task; `None` if all parts are done.
    pub(super) fn take(&self) -> Option<Task<N, A>> {
        let mut parts = lock(&self.parts);
        parts.waiting += 1;
        let task = loop {
            if self.is_stopped() || parts.open == 0 {
                break None;
            }
            if let Some(task) = parts.tasks.pop() {
                break Some(task);
            }
            self.publish_idle(&parts);
            let seen = self.news.load(Ordering::Relaxed);
            drop(parts);
            let heard = (0..SPINS).any(|_| {
                spin_loop();
                self.news.load(Ordering::Relaxed) != seen
            });
            parts = lock(&self.parts);
            if !heard && self.news.load(Ordering::Relaxed) == seen {
                parts = self.changed.wait(parts).unwrap_or_else(PoisonError::into_inner);
            }
        };
        parts.waiting -= 1;
        self.publish_idle(&parts);
        task
    }

    /// Publishes the number of idle workers without a task.
    fn publish_idle(&self, parts: &Parts<N, A>) {
        if !self.is_stopped() {
            self.idle.store(parts.waiting.saturating_sub(parts.tasks.len()), Ordering::Relaxed);
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Finishes a part.
    pub(super) fn done(&self, part: usize, collected: Collected<A>) {
        let mut parts = lock(&self.parts);
        parts.all[part].collected = Some(collected);
        parts.open -= 1;
        if parts.open == 0 {
            self.wake_all();
        }
    }

    /// Stops all workers.
    pub(super) fn stop(&self) {
        let _parts = lock(&self.parts);
        self.stopped.store(true, Ordering::Relaxed);
        self.idle.store(STOP, Ordering::Relaxed);
        self.wake_all();
    }

    /// Wakes all waiting workers.
    fn wake_all(&self) {
        self.news.fetch_add(1, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// All results in order; `None` after a panic.
    pub(super) fn into_collected(self, accumulators: &A) -> Option<Collected<A>> {
        if self.stopped.into_inner() {
            return None;
        }
        let mut parts = self.parts.into_inner().unwrap_or_else(PoisonError::into_inner).all;
        let (mut all, mut next) = (Collected::new(true), Some(0));
        while let Some(part) = next {
            let Part { collected, next: after } = &mut parts[part];
            collected.take().into_iter().for_each(|collected| all.append(accumulators, collected));
            next = *after;
        }
        Some(all)
    }
}

impl<N: Send, A: Accumulator> Others<N, A> for Pool<N, A> {
    fn split(&self, part: usize, pending: &mut Vec<Pending<N, A>>) -> Option<Leave> {
        if self.is_stopped() {
            return Some(Leave::Stop);
        }
        let end = later_half(pending)?;
        let mut parts = lock(&self.parts);
        // Another worker may have split its list already.
        if parts.waiting > parts.tasks.len() {
            let next = parts.all.len();
            let after = parts.all[part].next.replace(next);
            parts.all.push(Part { collected: None, next: after });
            parts.open += 1;
            parts.tasks.push(Task { part: next, pending: pending.drain(..end).collect(), begun: None });
            self.publish_idle(&parts);
            self.news.fetch_add(1, Ordering::Relaxed);
            self.changed.notify_one();
        }
        None
    }
}

/// The end of the prefix of a list that is split off: the later half of the calls nearest to the root, and the results after them. `None` if
/// no call would be left.
fn later_half<N, A: Accumulator>(pending: &[Pending<N, A>]) -> Option<usize> {
    let mut calls = pending.iter().enumerate().filter_map(|(place, pending)| match pending {
        Pending::Call { depth, .. } => Some((place, *depth)),
        Pending::Collected(_) | Pending::All(_) => None,
    });
    let (_, top) = calls.clone().next()?;
    let count = calls.clone().take_while(|(_, depth)| *depth == top).count().div_ceil(2);
    let (last, _) = calls.nth(count - 1)?;
    // At least one call stays.
    calls.next().map(|_| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(depths: &[Option<u32>]) -> Vec<Pending<(), ()>> {
        let pending = |depth: &Option<u32>| match depth {
            Some(depth) => Pending::Call { depth: *depth, arguments: () },
            None => Pending::Collected(((), ())),
        };
        depths.iter().map(pending).collect()
    }

    #[test]
    fn half_of_the_calls_nearest_to_the_root_are_split_off() {
        assert_eq!(later_half(&list(&[])), None);
        assert_eq!(later_half(&list(&[Some(3)])), None);
        assert_eq!(later_half(&list(&[None, Some(3), None])), None);
        assert_eq!(later_half(&list(&[Some(3), Some(3)])), Some(1));
        assert_eq!(later_half(&list(&[Some(3), Some(4), Some(4)])), Some(1));
        assert_eq!(later_half(&list(&[None, Some(3), None, Some(3), None, Some(3), Some(4)])), Some(4));
        assert_eq!(later_half(&list(&[Some(1); 7])), Some(4));
    }
}
