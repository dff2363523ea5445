//! Messages that are processed as they arrive, without waves.
//!
//! A block that has messages waits in a queue until a worker takes it. One worker at a time works on a block. Messages that its visits send go
//! to their receivers at once, or to the thread that [leads](super::leading) the messages between ranks.

use super::mail::{Letter, Mailbox};
use super::trail::Trail;
use crate::data::Layout;
use crate::lock::lock;
use std::any::Any;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// A loop over blocks whose messages may be processed in any order.
#[derive(Debug)]
pub struct Arrivals {
    pub(super) mailboxes: Vec<Arc<Mailbox>>,
    /// The numbers of the blocks, in order.
    numbers: Vec<usize>,
    /// Whether long messages are spilled.
    pub(super) away: bool,
    /// The rank of each block.
    owners: Vec<usize>,
    /// Whether messages have trails.
    is_ordered: AtomicBool,
    /// One for each block.
    desks: Box<[Mutex<Desk>]>,
    queue: Mutex<Queue>,
    changed: Condvar,
    is_over: AtomicBool,
    /// Messages to blocks of other ranks.
    out: Mutex<Vec<(usize, Arrived)>>,
    results: Mutex<Results>,
}

/// A message that waits for its block, or for its way to another rank.
#[derive(Debug)]
pub(super) struct Arrived {
    pub letter: Letter,
    /// Its position in the order of the waves, if that matters.
    pub trail: Option<Arc<Trail>>,
}

/// The messages that wait for a block.
#[derive(Debug, Default)]
struct Desk {
    waiting: VecDeque<Arrived>,
    /// Whether the block is in the queue, or a worker works on it.
    is_busy: bool,
}

/// The blocks that wait for a worker.
#[derive(Debug, Default)]
struct Queue {
    blocks: VecDeque<usize>,
    /// The number of busy blocks.
    busy: usize,
}

/// The results that later passes over the loop take.
#[derive(Debug, Default)]
struct Results {
    /// Whether the loop has run.
    has_run: bool,
    passes: VecDeque<Box<dyn Any + Send>>,
}

/// Runs the body for the block at this position. Returns whether the loop goes on.
pub type Visit<'v> = dyn FnMut(usize, Option<Arc<Trail>>) -> bool + 'v;

/// The number of visits to a block before others get their turn.
const VISITS: usize = 64;

/// The messages of a visit whose results need no order.
const BATCH: usize = 1024;

impl Arrivals {
    pub(super) fn new(mailboxes: &[Arc<Mailbox>], numbers: &[usize], away: bool, place: &Layout) -> Arc<Self> {
        let owners = (0..place.len).map(|block| place.holder(block)).collect();
        let desks = mailboxes.iter().map(|_| Mutex::default()).collect();
        let (is_ordered, queue, changed, is_over, out, results) = Default::default();
        let (mailboxes, numbers) = (mailboxes.to_vec(), numbers.to_vec());
        Arc::new(Arrivals {
            mailboxes,
            numbers,
            away,
            owners,
            is_ordered,
            desks,
            queue,
            changed,
            is_over,
            out,
            results,
        })
    }

    /// The number of a block of this rank.
    pub(crate) fn number(&self, at: usize) -> usize {
        self.numbers[at]
    }

    /// The position of a block, if this rank has it.
    pub(super) fn at(&self, number: usize) -> Option<usize> {
        self.numbers.binary_search(&number).ok()
    }

    /// The rank of a block.
    pub(super) fn owner(&self, block: usize) -> usize {
        self.owners[block]
    }

    /// Whether the loop has run, so that passes over it only take results.
    pub(crate) fn has_run(&self) -> bool {
        lock(&self.results).has_run
    }

    /// Keeps the results of later passes over the loop.
    pub(crate) fn keep(&self, passes: impl IntoIterator<Item = Box<dyn Any + Send>>) {
        *lock(&self.results) = Results { has_run: true, passes: passes.into_iter().collect() };
    }

    /// The results of the next pass.
    pub(crate) fn next_pass(&self) -> Option<Box<dyn Any + Send>> {
        lock(&self.results).passes.pop_front()
    }

    /// Whether there is another pass.
    pub(super) fn has_pass(&self) -> bool {
        !lock(&self.results).passes.is_empty()
    }

    /// All blocks wait for their first visit, and the messages in their inboxes for the visits after it. If `is_ordered`, each visit processes one
    /// message, and knows its position in the order of the waves.
    pub(crate) fn begin(&self, is_ordered: bool) {
        self.is_ordered.store(is_ordered, Ordering::Relaxed);
        for (at, mailbox) in self.mailboxes.iter().enumerate() {
            let arrived = |(number, letter): (usize, Letter)| {
                let trail = is_ordered.then(|| Trail::first(self.numbers[at], number + 1));
                Arrived { letter, trail }
            };
            let waiting = mailbox.take_all().into_iter().enumerate().map(arrived).collect();
            *lock(&self.desks[at]) = Desk { waiting, is_busy: true };
        }
        let all = self.mailboxes.len();
        *lock(&self.queue) = Queue { blocks: (0..all).collect(), busy: all };
    }

    /// Brings a message to its block, or to those for other ranks.
    pub(super) fn bring(&self, to: usize, arrived: Arrived) {
        let Some(at) = self.at(to) else { return lock(&self.out).push((to, arrived)) };
        let mut desk = lock(&self.desks[at]);
        desk.waiting.push_back(arrived);
        if !std::mem::replace(&mut desk.is_busy, true) {
            let mut queue = lock(&self.queue);
            queue.busy += 1;
            queue.blocks.push_back(at);
            self.changed.notify_one();
        }
    }

    /// Ends the loop: all workers stop.
    pub(crate) fn finish(&self) {
        let _queue = lock(&self.queue);
        self.is_over.store(true, Ordering::Release);
        self.changed.notify_all();
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    /// Whether no block of this rank has work, and no message waits for its way to another rank.
    pub(super) fn is_idle(&self) -> bool {
        lock(&self.queue).busy == 0 && lock(&self.out).is_empty()
    }

    /// Takes the messages to other ranks, with their receivers.
    pub(super) fn take_out(&self) -> Vec<(usize, Arrived)> {
        std::mem::take(&mut *lock(&self.out))
    }

    /// The next block, if one waits.
    pub(super) fn next_block(&self) -> Option<usize> {
        lock(&self.queue).blocks.pop_front()
    }

    /// Works on blocks until the loop is over. If this rank is `alone`, the loop is over when no block has work.
    pub(crate) fn work(&self, alone: bool, visit: &mut Visit<'_>) {
        loop {
            let mut queue = lock(&self.queue);
            let at = loop {
                if self.is_over() || alone && queue.busy == 0 {
                    return;
                }
                if let Some(at) = queue.blocks.pop_front() {
                    break at;
                }
                queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            };
            drop(queue);
            self.serve(at, VISITS, visit);
        }
    }

    /// Visits a block at most so often.
    pub(super) fn serve(&self, at: usize, most: usize, visit: &mut Visit<'_>) {
        for _ in 0..most {
            let Some(next) = self.next_visit(at) else { return };
            if self.is_over() {
                return;
            }
            if !self.visit(at, next, visit) {
                return self.finish();
            }
        }
        lock(&self.queue).blocks.push_back(at);
        self.changed.notify_one();
    }

    /// The messages of the next visit to a block; `None` if the block is idle from now on.
    fn next_visit(&self, at: usize) -> Option<VecDeque<Arrived>> {
        if self.mailboxes[at].visits.are_first() {
            return Some(VecDeque::new());
        }
        let mut desk = lock(&self.desks[at]);
        let most = if self.is_ordered.load(Ordering::Relaxed) { 1 } else { BATCH };
        let count = desk.waiting.len().min(most);
        if count > 0 {
            return Some(desk.waiting.drain(..count).collect());
        }
        desk.is_busy = false;
        let mut queue = lock(&self.queue);
        queue.busy -= 1;
        if queue.busy == 0 {
            self.changed.notify_all();
        }
        None
    }

    /// Runs the body for these messages, and brings those that it sends to their receivers. Returns whether the loop goes on.
    fn visit(&self, at: usize, messages: VecDeque<Arrived>, visit: &mut Visit<'_>) -> bool {
        let (mailbox, count) = (&self.mailboxes[at], messages.len());
        let is_first = mailbox.visits.are_first();
        let mut trail = None;
        if self.is_ordered.load(Ordering::Relaxed) {
            trail =
                messages.front().map_or_else(|| Some(Trail::first(self.numbers[at], 0)), |first| first.trail.clone());
        }
        mailbox.begin_visit(messages.into_iter().map(|message| message.letter));
        let goes_on = visit(at, trail.clone());
        let (uses, sent) = mailbox.end_visit();
        mailbox.visits.begin(true, true);
        if !goes_on {
            return false;
        }
        let sends_apart = uses.sent_before > 0 || uses.sent_until < sent.len();
        assert!(uses.asked == count + 1 && (is_first || !sends_apart), "{HIDDEN}");
        for (number, (to, letter)) in sent.into_iter().enumerate() {
            let trail = trail.as_ref().map(|trail| trail.next(to, number));
            self.bring(to, Arrived { letter, trail });
        }
        true
    }
}

const HIDDEN: &str = "a function or a macro in the body of an annotated loop sends or receives messages of a block: call `send` and `receive` in \
                      the body itself, and pass on the messages";
