//! Workers that take pieces of a loop: runs of chunks that share a carry.

use super::collector::{Collector, Traits};
use super::kernel::Carries;
use super::opaque::Opaque;
use super::pace::{Pace, TAKEN_FOR};
use super::panics::Panics;
use super::plan::Plan;
use super::tree::Tree;
use super::turns::Turns;
use crate::call::Call;
use crate::lock::lock;
use crate::runtime::{Rank, enter_loop};
use crate::settings::Schedule;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Runs the body over a range of positions, from and to a chunk and a carry.
pub(super) type RunRange<'r> = dyn Fn(Range<usize>, &mut Opaque, &mut Opaque) + Sync + 'r;

/// Whose chunks collect in one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Collection {
    /// Those of a piece.
    Piece,
    /// Those of pieces that follow each other.
    Run,
    /// All of a worker, merged in any order: these operators commute.
    Worker,
}

/// How the chunks of a rank are cut into pieces.
#[derive(Clone, Copy)]
struct Cut {
    /// How many chunks a worker takes at a time where that is left to it, and how many are worth a turn.
    pace: Pace,
    least: usize,
    /// Where the grouping makes no difference, a piece is run as a whole.
    whole: bool,
    /// Where what is collected is large, such as a histogram, a worker goes on with one collection.
    collection: Collection,
    /// Pieces are few: each, or each run of them, costs a state or a collection of its own.
    few: bool,
    /// Pushes are put together piece by piece, in order, while the loop runs.
    sheds: bool,
}

impl Cut {
    /// Pieces are long where each leaves a carry, and single chunks where the author has chosen how long these are. Else they follow
    /// the time that they take.
    fn new(plan: &Plan, traits: Traits) -> Cut {
        let chunks = plan.chunks().len();
        let collection = match traits.exact && traits.bulky {
            true if traits.commutes => Collection::Worker,
            true => Collection::Run,
            false => Collection::Piece,
        };
        let few = traits.one_per_worker || collection == Collection::Run;
        // Pieces that shrink, and one for each worker, are few: what they push need not go away meanwhile.
        let sheds = traits.sheds && !few && plan.workers > 1 && plan.schedule == Schedule::Steal;
        let of_worker = |parts: usize| chunks.div_ceil(parts * plan.workers).max(1);
        let fit = plan.chunks_in(TAKEN_FOR);
        let pace = match traits.carries && !few {
            true if !sheds => Pace::fixed(of_worker(4)),
            // What is left of another worker's is worth a collection, or stays there.
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

/// What a worker brings back from one piece.
struct Piece {
    first: usize,
    /// What its chunks come to.
    total: Tree<Opaque>,
    /// Nothing when the worker goes on with it.
    carry: Option<Opaque>,
}

/// What a worker has from one piece to the next.
#[derive(Default)]
struct Kept {
    collection: Option<Opaque>,
    carry: Option<Opaque>,
}

/// The workers of one call, and what they have brought back.
pub(super) struct Workers<'k> {
    rank: Rank,
    plan: &'k Plan,
    accumulators: &'k dyn Collector,
    traits: Traits,
    cut: Cut,
    run: &'k RunRange<'k>,
    /// Whether a piece may panic where the loop does not.
    guesses: bool,
    pub panics: &'k Panics,
    turns: Turns,
    parts: Parts<'k>,
    done: Mutex<Vec<Piece>>,
}

impl<'k> Workers<'k> {
    pub fn new(
        call: &Call,
        plan: &'k Plan,
        accumulators: &'k dyn Collector,
        run: &'k RunRange<'k>,
        guesses: bool,
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
            guesses,
            panics,
            turns: Turns::new(plan, cut.least, cut.few),
            parts: Parts::new(accumulators),
            done: Mutex::default(),
        }
    }

    /// One worker: takes pieces until none is left.
    pub fn work(&self, worker: usize) {
        let _inside = enter_loop(self.rank);
        let (mut done, mut kept): (Vec<Piece>, _) = (Vec::new(), Kept::default());
        let (mut last, mut pace) = (None, self.cut.pace);
        while let Some(taken) = self.turns.take(worker, last.as_ref(), pace.length()) {
            let start = pace.follows().then(Instant::now);
            let position = self.plan.positions(taken.chunks.start).start;
            // What comes before a panic may panic first; what comes after makes no difference any more.
            if self.panics.before(position) {
                continue;
            }
            if self.turns.goes_on() && !taken.follows {
                self.leave(&mut done, &mut kept);
            }
            let numbers = taken.chunks.clone();
            let piece = match self.guesses {
                true => self.panics.guard_guess(position, || self.piece(numbers, &mut kept)),
                false => self.panics.guard(position, || self.piece(numbers, &mut kept)),
            };
            let Some(mut piece) = piece else { continue };
            if self.cut.sheds
                && let Some(mut carry) = piece.carry.take()
            {
                self.parts.shed(taken.number, &mut carry);
                kept.carry = Some(carry);
            }
            if self.turns.goes_on() {
                kept.carry = piece.carry.take();
            }
            if self.traits.reduces || self.traits.carries && !self.cut.sheds {
                done.push(piece);
            }
            if let Some(start) = start {
                pace.took(taken.chunks.len(), start.elapsed());
            }
            last = Some(taken);
        }
        if self.turns.goes_on() {
            self.leave(&mut done, &mut kept);
        }
        self.collect(&mut done, &mut kept);
        lock(&self.done).append(&mut done);
    }

    /// A worker leaves the pieces that follow each other: what it has of them is that of the last one.
    fn leave(&self, done: &mut [Piece], kept: &mut Kept) {
        if let (Some(carry), Some(last)) = (kept.carry.take(), done.last_mut()) {
            last.carry = Some(carry);
        }
        if self.cut.collection == Collection::Run {
            self.collect(done, kept);
        }
    }

    fn collect(&self, done: &mut [Piece], kept: &mut Kept) {
        if let (Some(chunk), Some(last)) = (kept.collection.take(), done.last_mut()) {
            last.total.push(last.first, chunk, &mut |earlier, later| self.accumulators.merge(earlier, later));
        }
    }

    fn piece(&self, numbers: Range<usize>, kept: &mut Kept) -> Piece {
        let (first, accumulators) = (numbers.start, self.accumulators);
        let starts = first == self.plan.chunks().start && !self.cut.sheds;
        let mut carry = kept.carry.take().unwrap_or_else(|| accumulators.carry(starts));
        if !self.cut.whole {
            let total = fold_chunks(self.plan, numbers, accumulators, self.run, &mut carry);
            return Piece { first, total, carry: Some(carry) };
        }
        let range = self.plan.positions(first).start..self.plan.positions(numbers.end - 1).end;
        let mut chunk = match (self.cut.collection, kept.collection.take()) {
            (_, Some(chunk)) => chunk,
            (Collection::Piece, None) => first_or_fresh(self.plan, first, accumulators),
            _ => accumulators.chunk(),
        };
        (self.run)(range, &mut chunk, &mut carry);
        let mut total = Tree::new();
        let goes_on = match self.cut.collection {
            Collection::Piece => false,
            Collection::Run => self.turns.goes_on(),
            Collection::Worker => true,
        };
        if goes_on {
            kept.collection = Some(chunk);
        } else if self.traits.reduces {
            total.push(first, chunk, &mut |earlier, later| accumulators.merge(earlier, later));
        }
        Piece { first, total, carry: Some(carry) }
    }

    /// What all pieces come to, and the carries in order.
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

/// What a chunk starts from: of the first one it is known what the variables are.
fn first_or_fresh(plan: &Plan, number: usize, accumulators: &dyn Collector) -> Opaque {
    match accumulators.traits().finds_out && plan.positions(number).start == 0 {
        true => accumulators.chunk_from(&accumulators.value()),
        false => accumulators.chunk(),
    }
}

/// What consecutive chunks come to, each from nothing.
pub(super) fn fold_chunks(
    plan: &Plan,
    numbers: Range<usize>,
    accumulators: &dyn Collector,
    run: &RunRange<'_>,
    carry: &mut Opaque,
) -> Tree<Opaque> {
    let mut tree = Tree::new();
    for number in numbers {
        let mut chunk = first_or_fresh(plan, number, accumulators);
        run(plan.positions(number), &mut chunk, carry);
        tree.push(number, chunk, &mut |earlier, later| accumulators.merge(earlier, later));
    }
    tree
}

/// The parts that pieces push, on their way to their places.
struct Parts<'k> {
    accumulators: &'k dyn Collector,
    turn: Mutex<Turn>,
}

#[derive(Default)]
struct Turn {
    /// The piece whose place is found next.
    next: usize,
    /// Parts of later pieces.
    waiting: BTreeMap<usize, Opaque>,
    /// Buffers that are free.
    empty: Vec<Opaque>,
}

impl<'k> Parts<'k> {
    fn new(accumulators: &'k dyn Collector) -> Self {
        Parts { accumulators, turn: Mutex::default() }
    }

    /// Takes what the carry has after piece `number`; places it, and what waited for it, if all earlier parts have places.
    fn shed(&self, number: usize, carry: &mut Opaque) {
        let mut ready = Vec::new();
        {
            let mut turn = lock(&self.turn);
            let empty = turn.empty.pop();
            let part = self.accumulators.shed(carry, empty);
            turn.waiting.insert(number, part);
            while let Some(mut part) = {
                let next = turn.next;
                turn.waiting.remove(&next)
            } {
                self.accumulators.assign(&mut part);
                ready.push(part);
                turn.next += 1;
            }
        }
        for part in &mut ready {
            self.accumulators.place(part);
        }
        lock(&self.turn).empty.append(&mut ready);
    }
}
