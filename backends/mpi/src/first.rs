//! Which of several ranks that fail says so: the one that comes first in the program.
//!
//! Ranks run a loop's iterations at the same time. One whose iterations come later may fail before another does, whose panic is the
//! one that the sequential loop has. So a rank that fails tells all others where, and waits until each that has earlier iterations has
//! failed too, or has said that it is past that loop. A rank looks for such messages while it waits for others anyway; one that computes
//! is waited for, as long as [`PATIENCE`] allows.
//!
//! The messages have a communicator of their own, so that no other receive takes them.

use forall_core::comm::FailedAt;
use mpi::point_to_point::{Destination, Source};
use mpi::topology::{Communicator, SimpleCommunicator};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a rank that fails in a loop waits for those with earlier iterations.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How long one that fails elsewhere waits for the others.
const PATIENCE_OUTSIDE: Duration = Duration::from_millis(500);

/// A rank that has waited for so long since another one failed waits for that one: it will not come further.
const STUCK: Duration = Duration::from_millis(300);

/// How long a rank that fails sleeps between its looks for answers.
const PAUSE: Duration = Duration::from_micros(200);

/// How often a rank that waits looks in vain for each look for failures.
const LOOKS: u32 = 256;

/// The loops that this rank is past.
static PASSED: AtomicU64 = AtomicU64::new(0);

/// This rank is past the loops up to this number.
pub(crate) fn passed(loops: u64) {
    PASSED.store(loops, Ordering::Relaxed);
}

/// One wait of a rank for another, as far as failures go.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    looks: u32,
    /// Since when it has known of a failure.
    since: Option<Instant>,
}

impl Waits {
    /// Whether it is time to look for failures. To be called after each look in vain.
    #[inline]
    pub(crate) fn is_to_listen(&mut self) -> bool {
        self.looks = self.looks.wrapping_add(1);
        self.looks.is_multiple_of(LOOKS)
    }
}

/// The messages between ranks: [`FAILED`] with a loop and an iteration, or [`PAST`] with the loop.
type Word = [u64; 3];
const FAILED: u64 = 1;
const PAST: u64 = 2;

/// How ranks tell each other that they fail.
pub(crate) struct Failures {
    comm: SimpleCommunicator,
    /// The ranks that have failed and have no answer yet, with what they say.
    unanswered: Mutex<Vec<(usize, Word)>>,
}

// SAFETY: MPI's handles mean the same on all threads of a process. Whoever has the turn to call MPI uses this one: see `Callers`.
unsafe impl Send for Failures {}

impl Failures {
    /// All ranks call it.
    pub(crate) fn new(world: &SimpleCommunicator) -> Failures {
        Failures { comm: world.duplicate(), unanswered: Mutex::default() }
    }

    /// Tells ranks that have failed whether this one, which waits, is past their loops.
    pub(crate) fn answer(&self, waits: &mut Waits) {
        let mut unanswered = self.unanswered.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((from, word)) = self.next() {
            unanswered.push((from, word));
        }
        if unanswered.is_empty() {
            return;
        }
        let stuck = waits.since.get_or_insert_with(Instant::now).elapsed() > STUCK;
        unanswered.retain(|(rank, [_, number, _])| {
            let past = stuck || PASSED.load(Ordering::Relaxed) >= *number;
            if past {
                self.tell(*rank, [PAST, *number, 0]);
            }
            !past
        });
    }

    /// Whether this rank, which has failed there, is the one to say so. All ranks that fail ask.
    pub(crate) fn is_first(&self, rank: usize, ranks: usize, at: FailedAt) -> bool {
        let outside = at.iteration == FailedAt::OUTSIDE;
        let patience = if outside { PATIENCE_OUTSIDE } else { PATIENCE };
        let others = || (0..ranks).filter(|other| *other != rank);
        others().for_each(|other| self.tell(other, [FAILED, at.number, at.iteration as u64]));
        // Those that may come first.
        let mut awaited: Vec<usize> = others().filter(|other| outside || (*other < rank) != at.backwards).collect();
        let mut heard = std::mem::take(&mut *self.unanswered.lock().unwrap_or_else(PoisonError::into_inner));
        let start = Instant::now();
        while !awaited.is_empty() && start.elapsed() < patience {
            let Some((from, [kind, number, iteration])) = heard.pop().or_else(|| self.next()) else {
                std::thread::sleep(PAUSE);
                continue;
            };
            awaited.retain(|other| *other != from);
            if kind == FAILED && (number, iteration, from) < (at.number, at.iteration as u64, rank) {
                return false;
            }
        }
        true
    }

    fn tell(&self, to: usize, word: Word) {
        // So short a message is on its way at once, whether or not it is received.
        self.comm.process_at_rank(to as i32).send(&word[..]);
    }

    fn next(&self) -> Option<(usize, Word)> {
        let (message, status) = self.comm.any_process().immediate_matched_probe()?;
        let mut word = [0; 3];
        message.matched_receive_into(&mut word[..]);
        Some((status.source_rank() as usize, word))
    }
}
