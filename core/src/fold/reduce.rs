//! Loops without a running value: maps, pushes and reductions.

use super::chunks::{Stopwatch, close};
use super::kernel::Kernel;
use super::over_ranks::over_ranks;
use super::panics::Panics;
use super::plan::Wishes;
use super::runner::{Checked, Fast, Form, Runner};
use super::tree::Tree;
use crate::accumulate::Accumulator;
use crate::footprint::Access;
use crate::gather::asked::Asks;
use crate::lock::lock;
use crate::runtime::enter_loop;
use crate::slot::Slots;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a worker brings back from one piece.
struct Piece<A: Accumulator> {
    first: usize,
    chunks: Vec<(usize, A::Chunk)>,
    /// Nothing when the worker goes on with it.
    carry: Option<A::Carry>,
}

/// How long a worker pushes before it gives away what it has, in picoseconds: the parts should stay in its cache, and
/// workers should seldom meet.
const SHED_AFTER: u64 = 200_000_000;

/// How long a piece should run at most that leaves nothing behind, in picoseconds: long enough for the next one to cost
/// nothing, short enough for its elements to stay near (a copy of more than the cache holds is a slower copy) and for
/// workers to end together.
const TAKEN_FOR: u64 = 50_000_000;

/// The parts that pieces push, on their way to their places.
struct Parts<'k, A: Accumulator> {
    accumulators: &'k A,
    turn: Mutex<Turn<A::Shed>>,
}

struct Turn<S> {
    /// The piece whose place is found next.
    next: usize,
    /// Parts of later pieces.
    waiting: BTreeMap<usize, S>,
    /// Buffers that are free.
    empty: Vec<S>,
}

impl<A: Accumulator> Parts<'_, A> {
    /// Takes what the carry has after piece `number`; places it, and what waited for it, if all earlier parts have places.
    fn shed(&self, number: usize, carry: &mut A::Carry) {
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

impl<L, const N: usize, S, I> Kernel<'_, L, S, I>
where
    L: Slots,
    S: Fn(Range<usize>) -> [Access; N] + Sync,
    I: for<'w> Fn(&Asks, usize, Checked<'w, L>, Range<usize>) + Sync,
{
    /// Runs a loop without a running value.
    ///
    /// `fast` and `checked` run the author's body over a range of positions, from and to the state of the accumulators.
    ///
    /// # Panics
    /// With what the body panics with, after all workers have stopped.
    #[inline]
    pub fn fold<A, F, C>(mut self, accumulators: A, fast: F, checked: C) -> A::Out
    where
        A: Accumulator,
        F: for<'w> Fn((A::Chunk, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
        C: for<'w> Fn((A::Chunk, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
    {
        let (value, carries) = self.run_fold(&accumulators, fast, checked);
        accumulators.finish(value, carries, &self.call.context)
    }

    /// [`fold`](Kernel::fold), with the reductions in interleaved lanes.
    ///
    /// # Panics
    /// As [`fold`](Kernel::fold).
    #[inline]
    pub fn fold_lanes<A, F, C>(mut self, accumulators: A, fast: F, checked: C) -> A::Out
    where
        A: Accumulator,
        F: for<'w> Fn(A::Lanes, Fast<'w, L>, Range<usize>) -> A::Lanes + Sync,
        C: for<'w> Fn(A::Lanes, Checked<'w, L>, Range<usize>) -> A::Lanes + Sync,
    {
        let lanes = &accumulators;
        let into = |chunk: A::Chunk, found: A::Lanes| lanes.merge(chunk, lanes.merge_lanes(found));
        let (value, carries) = self.run_fold(
            lanes,
            |(chunk, carry), arrays, range| (into(chunk, fast(lanes.lanes(), arrays, range)), carry),
            |(chunk, carry), arrays, range| (into(chunk, checked(lanes.lanes(), arrays, range)), carry),
        );
        accumulators.finish(value, carries, &self.call.context)
    }

    /// [`fold`](Kernel::fold) up to the value after the last iteration and this rank's carries.
    #[inline]
    fn run_fold<A, F, C>(&mut self, accumulators: &A, fast: F, checked: C) -> (A::Value, Vec<A::Carry>)
    where
        A: Accumulator,
        F: for<'w> Fn((A::Chunk, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
        C: for<'w> Fn((A::Chunk, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
    {
        let reduces = size_of::<A::Chunk>() > 0;
        let carries = size_of::<A::Carry>() > 0;
        let wishes = Wishes {
            aligned: reduces && !A::EXACT,
            chunks: Wishes::most(A::BULKY, false),
            forwards: carries,
            parts: 1,
        };
        let (plan, windows) = self.prepare(wishes);
        let (call, site) = (self.call, self.site);
        if let Some(outcome) = self.fold_on_device(&plan, accumulators) {
            return outcome;
        }
        let runner = Runner::<L, S> { windows, plan: &plan, footprint: &self.footprint };
        let body = |state: (A::Chunk, A::Carry), form: Form<'_, L>, range: Range<usize>| match form {
            Form::Fast(arrays) => fast(state, arrays, range),
            Form::Checked(arrays) => checked(state, arrays, range),
        };
        let watch = Stopwatch::start(call, &plan);
        let merge = &mut |earlier, later| accumulators.merge(earlier, later);

        if plan.workers == 1 && call.alone() {
            if plan.mine.is_empty() {
                let value = accumulators.value();
                return (value, Vec::new());
            }
            if A::EXACT {
                // One piece: the author's loop, with at most a different start.
                let (chunk, carry) =
                    runner.run(plan.mine.clone(), (accumulators.chunk(), accumulators.carry(true)), &body);
                watch.stop(site, &plan);
                let value = accumulators.advance(accumulators.value(), &chunk);
                return (value, vec![carry]);
            }
            let mut tree = Tree::new();
            let mut carry = accumulators.carry(true);
            for number in plan.chunks() {
                let chunk;
                (chunk, carry) = runner.run(plan.positions(number), (accumulators.chunk(), carry), &body);
                tree.push(number, chunk, merge);
            }
            watch.stop(site, &plan);
            let mut value = accumulators.value();
            if let Some(total) = tree.total(merge) {
                value = accumulators.advance(value, &total);
            }
            return (value, vec![carry]);
        }

        // Pieces are runs of chunks that share a carry. Workers take the next piece when they are free, unless each is to
        // make only one carry: then the pieces are as many as the workers.
        let chunks = plan.chunks();
        let per_piece = if A::ONE_PER_WORKER || plan.workers == 1 {
            chunks.len().div_ceil(plan.workers)
        } else if carries {
            chunks.len().div_ceil(4 * plan.workers)
        } else if !reduces || A::EXACT {
            chunks.len().div_ceil(16 * plan.workers).min(plan.chunks_in(TAKEN_FOR))
        } else {
            1
        }
        .max(1);
        // Where the grouping makes no difference, a piece is run as a whole; and where the collection is large, such as a
        // histogram, a worker has only one, which is merged in any order: these operators commute.
        let whole_pieces = A::EXACT || !reduces;
        let one_collection = A::EXACT && A::COMMUTES && A::BULKY;
        // Pushes are put together piece by piece, in order, while the loop runs.
        let sheds = size_of::<A::Shed>() > 0 && !A::ONE_PER_WORKER && plan.workers > 1;
        let per_piece = if sheds { plan.chunks_in(SHED_AFTER).min(per_piece) } else { per_piece };
        let parts = Parts::<A> {
            accumulators,
            turn: Mutex::new(Turn { next: 0, waiting: BTreeMap::new(), empty: Vec::new() }),
        };
        let next = AtomicUsize::new(0);
        let panics = Panics::new();
        let pieces = Mutex::new(Vec::new());
        let place = call.context.place();
        let work = |_worker: usize| {
            let _inside = enter_loop(place);
            let mut done: Vec<Piece<A>> = Vec::new();
            let mut collection: Option<A::Chunk> = None;
            let mut kept: Option<A::Carry> = None;
            while !panics.stopped() {
                let first = chunks.start + next.fetch_add(1, Ordering::Relaxed) * per_piece;
                if first >= chunks.end {
                    break;
                }
                let last = (first + per_piece).min(chunks.end);
                let piece = panics.guard(plan.positions(first).start, || {
                    let mut carry = kept.take().unwrap_or_else(|| accumulators.carry(first == chunks.start && !sheds));
                    let mut results = Vec::new();
                    if whole_pieces {
                        let range = plan.positions(first).start..plan.positions(last - 1).end;
                        let chunk;
                        let fresh = collection.take().unwrap_or_else(|| accumulators.chunk());
                        (chunk, carry) = runner.run(range, (fresh, carry), &body);
                        if one_collection {
                            collection = Some(chunk);
                        } else if reduces {
                            results.push((first, chunk));
                        }
                        return Piece { first, chunks: results, carry: Some(carry) };
                    }
                    for number in first..last {
                        let chunk;
                        (chunk, carry) = runner.run(plan.positions(number), (accumulators.chunk(), carry), &body);
                        if reduces {
                            results.push((number, chunk));
                        }
                    }
                    Piece { first, chunks: results, carry: Some(carry) }
                });
                let Some(mut piece) = piece else { break };
                if sheds && let Some(mut carry) = piece.carry.take() {
                    parts.shed((first - chunks.start) / per_piece, &mut carry);
                    kept = Some(carry);
                }
                if reduces || carries && !sheds {
                    done.push(piece);
                }
            }
            if let (Some(chunk), Some(last)) = (collection, done.last_mut()) {
                last.chunks.push((last.first, chunk));
            }
            lock(&pieces).append(&mut done);
        };
        call.context.node().run(plan.workers, &work);
        panics.resume(call);
        watch.stop(site, &plan);
        close(call, &plan, &mut self.slots);

        let mut pieces = pieces.into_inner().unwrap_or_else(PoisonError::into_inner);
        pieces.sort_unstable_by_key(|piece| piece.first);
        let mut tree = Tree::new();
        let mut kept = Vec::with_capacity(pieces.len());
        for piece in pieces {
            for (number, chunk) in piece.chunks {
                tree.push(number, chunk, merge);
            }
            kept.extend(piece.carry);
        }
        let mut value = accumulators.value();
        if reduces {
            let total =
                if call.alone() { tree.total(merge) } else { over_ranks(call, &plan, site, accumulators, tree) };
            if let Some(total) = total {
                value = accumulators.advance(value, &total);
            }
        }
        (value, kept)
    }
}
