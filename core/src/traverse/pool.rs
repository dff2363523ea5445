//! The parts of a traversal: who works on which, and their order.

use super::calls::{Leave, Others, Pending};
use super::collected::{Collected, State};
use crate::accumulate::Accumulator;
use crate::lock::lock;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// A part that somebody is to work on.
pub(super) struct Task<N, A: Accumulator> {
    pub part: usize,
    pub pending: Vec<Pending<N, A>>,
    /// What was collected in it so far, and the state that goes on.
    pub begun: Option<(Collected<A>, State<A>)>,
}

/// A part, and the one behind it.
struct Part<A: Accumulator> {
    collected: Option<Collected<A>>,
    next: Option<usize>,
}

struct Parts<N, A: Accumulator> {
    all: Vec<Part<A>>,
    /// Those that nobody works on.
    tasks: Vec<Task<N, A>>,
    /// How many are not done.
    open: usize,
    /// How many workers look for a task.
    waiting: usize,
}

/// All parts, of which each was split from the one before it.
pub(super) struct Pool<N, A: Accumulator> {
    parts: Mutex<Parts<N, A>>,
    /// How many workers wait for a task that nobody has split off for them; [`STOP`] where all are to stop.
    pub asks: AtomicUsize,
    stopped: AtomicBool,
    /// Changes whenever a worker that waits is to look again.
    news: AtomicUsize,
    changed: Condvar,
}

/// So many workers that all of them look why.
const STOP: usize = 1 << (usize::BITS - 2);

/// How often a worker that waits looks for news before it goes to sleep.
const SPINS: u32 = 5_000;

impl<N: Send, A: Accumulator> Pool<N, A> {
    /// With a single part.
    pub(super) fn new(first: Task<N, A>) -> Self {
        Pool {
            parts: Mutex::new(Parts {
                all: vec![Part { collected: None, next: None }],
                tasks: vec![first],
                open: 1,
                waiting: 0,
            }),
            asks: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            news: AtomicUsize::new(0),
            changed: Condvar::new(),
        }
    }

    /// A task; nothing when all parts are done. Waits for one that is split off.
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
            self.ask(&parts);
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
        self.ask(&parts);
        task
    }

    /// Asks the workers for as many tasks as there are not enough of.
    fn ask(&self, parts: &Parts<N, A>) {
        if !self.is_stopped() {
            self.asks.store(parts.waiting.saturating_sub(parts.tasks.len()), Ordering::Relaxed);
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// A part is done.
    pub(super) fn done(&self, part: usize, collected: Collected<A>) {
        let mut parts = lock(&self.parts);
        parts.all[part].collected = Some(collected);
        parts.open -= 1;
        if parts.open == 0 {
            self.tell_all();
        }
    }

    /// Nobody goes on.
    pub(super) fn stop(&self) {
        let _parts = lock(&self.parts);
        self.stopped.store(true, Ordering::Relaxed);
        self.asks.store(STOP, Ordering::Relaxed);
        self.tell_all();
    }

    /// Lets all that wait look again.
    fn tell_all(&self) {
        self.news.fetch_add(1, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Everything that was collected, in order; nothing after a panic.
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
        // Others may have answered.
        if parts.waiting > parts.tasks.len() {
            let next = parts.all.len();
            let after = parts.all[part].next.replace(next);
            parts.all.push(Part { collected: None, next: after });
            parts.open += 1;
            parts.tasks.push(Task { part: next, pending: pending.drain(..end).collect(), begun: None });
            self.ask(&parts);
            self.news.fetch_add(1, Ordering::Relaxed);
            self.changed.notify_one();
        }
        None
    }
}

/// The end of what is split off from the beginning of a list: half of the calls that are nearest to the root, and what was
/// collected after them. Nothing where there would be no call left.
fn later_half<N, A: Accumulator>(pending: &[Pending<N, A>]) -> Option<usize> {
    let mut calls = pending.iter().enumerate().filter_map(|(place, pending)| match pending {
        Pending::Call { depth, .. } => Some((place, *depth)),
        Pending::Collected(_) | Pending::All(_) => None,
    });
    let (_, top) = calls.clone().next()?;
    let count = calls.clone().take_while(|(_, depth)| *depth == top).count().div_ceil(2);
    let (last, _) = calls.nth(count - 1)?;
    // At least one call is left.
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
