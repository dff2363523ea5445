//! The workers of a loop. They take pieces from the chunk queue; the chunks of a piece share a carry.

use super::collector::{Collector, Traits};
use super::kernel::Carries;
use super::opaque::Opaque;
use super::pace::{Pace, TAKEN_FOR};
use super::panics::Panics;
use super::plan::Plan;
use super::queue::Queue;
use super::tree::Tree;
use crate::call::Call;
use crate::lock::lock;
use crate::runtime::{Rank, enter_loop};
use crate::settings::Schedule;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Runs the body over a range of positions, from and to a chunk and a carry.
pub(super) type RunRange<'r> = dyn Fn(Range<usize>, &mut Opaque, &mut Opaque) + Sync + 'r;

/// The chunks that share a collection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Collection {
    /// The chunks of a piece.
    Piece,
    /// The chunks of consecutive pieces.
    Run,
    /// All chunks of a worker. The operator commutes, so they merge in any order.
    Worker,
}

/// How a rank's chunks are divided into pieces.
#[derive(Clone, Copy)]
struct Cut {
    /// The number of chunks that a worker takes at a time, and the number that is worth an access to the queue.
    pace: Pace,
    least: usize,
    /// Whether a piece runs as one range, because the operator is exact.
    whole: bool,
    /// Large collections, such as histograms, are shared by several pieces of a worker.
    collection: Collection,
    /// Whether there should be few pieces, because each of them, or each run of them, needs a state or a collection.
    few: bool,
    /// Whether pushed elements are concatenated piece by piece, in order, while the loop runs.
    sheds: bool,
}

impl Cut {
    /// Pieces are long if each leaves a carry, and single chunks if the user chose their length. Otherwise their length follows the
    /// measured time.
    fn new(plan: &Plan, traits: Traits) -> Cut {
        let chunks = plan.chunks().len();
        let collection = match traits.exact && traits.bulky {
            true if traits.commutes => Collection::Worker,
            true => Collection::Run,
            false => Collection::Piece,
        };
        let few = traits.one_per_worker || collection == Collection::Run;
        // Other schedules have few pieces, so their pushes can wait until the end of the loop.
        let sheds = traits.sheds && !few && plan.workers > 1 && plan.schedule == Schedule::Steal;
        let of_worker = |parts: usize| chunks.div_ceil(parts * plan.workers).max(1);
        let fit = plan.chunks_in(TAKEN_FOR);
        let pace = match traits.carries && !few {
            true if !sheds => Pace::fixed(of_worker(4)),
            // A thief needs a collection of its own, so it steals only long pieces.
            _ if collection == Collection::Run => Pace::fixed(of_worker(16)),
            _ if plan.by_chunk => Pace::fixed(1),
            true => Pace::following(fit, of_worker(4)),
            false => Pace::following(fit, of_worker(16)),
        };
        Cut {
            pace,
            least: if plan.by_chunk { 1 } else { of_worker(16).min(fit) },
            whole: traits.exact || !traits.reduces,
            collection,
            few,
            sheds,
        }
    }
}

/// The result of a piece.
struct Piece {
    first: usize,
    /// The merged chunks.
    total: Tree<Opaque>,
    /// `None` if the worker keeps its carry.
    carry: Option<Opaque>,
}

/// The state that a worker keeps between pieces.
#[derive(Default)]
struct State {
    collection: Option<Opaque>,
    carry: Option<Opaque>,
}

/// The workers of one call, and their results.
pub(super) struct Workers<'k> {
    rank: Rank,
    plan: &'k Plan,
    accumulators: &'k dyn Collector,
    traits: Traits,
    cut: Cut,
    run: &'k RunRange<'k>,
    /// Whether pieces are speculative: they may panic although the sequential loop does not.
    speculative: bool,
    pub panics: &'k Panics,
    /// The first position of the earliest piece that has ended the loop.
    end: AtomicUsize,
    queue: Queue,
    parts: Parts<'k>,
    done: Mutex<Vec<Piece>>,
}

impl<'k> Workers<'k> {
    pub fn new(
        call: &Call,
        plan: &'k Plan,
        accumulators: &'k dyn Collector,
        run: &'k RunRange<'k>,
        speculative: bool,
        panics: &'k Panics,
    ) -> Self {
        let traits = accumulators.traits();
        let cut = Cut::new(plan, traits);
        Workers {
            rank: call.context.this_rank(),
            plan,
            accumulators,
            traits,
            cut,
            run,
            speculative,
            panics,
            end: AtomicUsize::new(usize::MAX),
            queue: Queue::new(plan, cut.least, cut.few),
            parts: Parts::new(accumulators),
            done: Mutex::default(),
        }
    }

    /// Runs one worker: it takes pieces until none is left.
    pub fn work(&self, worker: usize) {
        let _inside = enter_loop(self.rank);
        let (mut done, mut state): (Vec<Piece>, _) = (Vec::new(), State::default());
        let (mut last, mut pace) = (None, self.cut.pace);
        while let Some(taken) = self.queue.take(worker, last.as_ref(), pace.length()) {
            let start = pace.follows().then(Instant::now);
            let position = self.plan.positions(taken.chunks.start).start;
            // Only a piece before a panic may still panic first; later pieces are skipped.
            if self.panics.before(position) || self.end.load(Ordering::Relaxed) < position {
                continue;
            }
            if self.queue.continues() && !taken.follows {
                self.leave(&mut done, &mut state);
            }
            let numbers = taken.chunks.clone();
            let piece = match self.speculative {
                true => self.panics.guard_speculative(position, || self.piece(numbers, &mut state)),
                false => self.panics.guard(position, || self.piece(numbers, &mut state)),
            };
            let Some(mut piece) = piece else { continue };
            if self.cut.sheds
                && let Some(mut carry) = piece.carry.take()
            {
                self.parts.shed(taken.number, &mut carry);
                state.carry = Some(carry);
            }
            if self.queue.continues() {
                state.carry = piece.carry.take();
            }
            if self.traits.reduces || self.traits.carries && !self.cut.sheds {
                done.push(piece);
            }
            if let Some(start) = start {
                pace.took(taken.chunks.len(), start.elapsed());
            }
            last = Some(taken);
        }
        if self.queue.continues() {
            self.leave(&mut done, &mut state);
        }
        self.collect(&mut done, &mut state);
        lock(&self.done).append(&mut done);
    }

    /// Ends a run of consecutive pieces: the carry belongs to the last one.
    fn leave(&self, done: &mut [Piece], state: &mut State) {
        if let (Some(carry), Some(last)) = (state.carry.take(), done.last_mut()) {
            last.carry = Some(carry);
        }
        if self.cut.collection == Collection::Run {
            self.collect(done, state);
        }
    }

    fn collect(&self, done: &mut [Piece], state: &mut State) {
        if let (Some(chunk), Some(last)) = (state.collection.take(), done.last_mut()) {
            last.total.push(last.first, chunk, &mut |earlier, later| self.accumulators.merge(earlier, later));
        }
    }

    fn piece(&self, numbers: Range<usize>, state: &mut State) -> Piece {
        let (first, accumulators) = (numbers.start, self.accumulators);
        let starts = first == self.plan.chunks().start && !self.cut.sheds;
        let mut carry = state.carry.take().unwrap_or_else(|| accumulators.carry(starts));
        if !self.cut.whole {
            let (total, ends) = fold_chunks(self.plan, numbers, accumulators, self.run, &mut carry);
            self.note_end(ends, first);
            return Piece { first, total, carry: Some(carry) };
        }
        let range = self.plan.positions(first).start..self.plan.positions(numbers.end - 1).end;
        let mut chunk = match (self.cut.collection, state.collection.take()) {
            (_, Some(chunk)) => chunk,
            (Collection::Piece, None) => first_or_fresh(self.plan, first, accumulators),
            _ => accumulators.chunk(),
        };
        (self.run)(range, &mut chunk, &mut carry);
        self.note_end(accumulators.ends(&chunk), first);
        let mut total = Tree::new();
        let continues = match self.cut.collection {
            Collection::Piece => false,
            Collection::Run => self.queue.continues(),
            Collection::Worker => true,
        };
        if continues {
            state.collection = Some(chunk);
        } else if self.traits.reduces {
            total.push(first, chunk, &mut |earlier, later| accumulators.merge(earlier, later));
        }
        Piece { first, total, carry: Some(carry) }
    }

    /// Later pieces do not count if the piece that begins with this chunk has ended the loop.
    fn note_end(&self, ends: bool, first: usize) {
        if ends {
            self.end.fetch_min(self.plan.positions(first).start, Ordering::Relaxed);
        }
    }

    /// Whether a piece has panicked that counts.
    pub fn panicked(&self) -> bool {
        self.panics.before(self.end.load(Ordering::Relaxed))
    }

    /// The merged results of all pieces, and the carries in order.
    pub fn collected(self) -> (Tree<Opaque>, Carries) {
        let mut pieces = self.done.into_inner().unwrap_or_else(PoisonError::into_inner);
        pieces.sort_unstable_by_key(|piece| piece.first);
        let mut tree = Tree::new();
        let mut carries = Carries::with_capacity(pieces.len());
        for piece in pieces {
            tree.append(piece.total, &mut |earlier, later| self.accumulators.merge(earlier, later));
            carries.extend(piece.carry);
        }
        (tree, carries)
    }
}

/// The initial value of a chunk. The first chunk starts from the values of the user's variables.
pub(super) fn first_or_fresh(plan: &Plan, number: usize, accumulators: &dyn Collector) -> Opaque {
    match accumulators.traits().detects_late && plan.positions(number).start == 0 {
        true => accumulators.chunk_from(&accumulators.value()),
        false => accumulators.chunk(),
    }
}

/// Runs consecutive chunks, each from the identity, and merges them, until one ends the loop. Returns whether one does.
pub(super) fn fold_chunks(
    plan: &Plan,
    numbers: Range<usize>,
    accumulators: &dyn Collector,
    run: &RunRange<'_>,
    carry: &mut Opaque,
) -> (Tree<Opaque>, bool) {
    let (mut tree, mut ends) = (Tree::new(), false);
    for number in numbers {
        let mut chunk = first_or_fresh(plan, number, accumulators);
        run(plan.positions(number), &mut chunk, carry);
        ends = accumulators.ends(&chunk);
        tree.push(number, chunk, &mut |earlier, later| accumulators.merge(earlier, later));
        if ends {
            break;
        }
    }
    (tree, ends)
}

/// Pushed elements of pieces, until their position in the result is known.
struct Parts<'k> {
    accumulators: &'k dyn Collector,
    order: Mutex<Order>,
}

#[derive(Default)]
struct Order {
    /// The next piece whose position is computed.
    next: usize,
    /// Parts of later pieces.
    waiting: BTreeMap<usize, Opaque>,
    /// Empty buffers for reuse.
    empty: Vec<Opaque>,
}

impl<'k> Parts<'k> {
    fn new(accumulators: &'k dyn Collector) -> Self {
        Parts { accumulators, order: Mutex::default() }
    }

    /// Takes the pushed elements out of the carry after piece `number`. Copies all parts whose positions are known to the result.
    fn shed(&self, number: usize, carry: &mut Opaque) {
        let mut ready = Vec::new();
        {
            let mut order = lock(&self.order);
            let empty = order.empty.pop();
            let part = self.accumulators.shed(carry, empty);
            order.waiting.insert(number, part);
            while let Some(mut part) = {
                let next = order.next;
                order.waiting.remove(&next)
            } {
                self.accumulators.assign(&mut part);
                ready.push(part);
                order.next += 1;
            }
        }
        for part in &mut ready {
            self.accumulators.place(part);
        }
        lock(&self.order).empty.append(&mut ready);
    }
}
