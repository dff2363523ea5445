//! Loops without a running value: maps, pushes and reductions.

use super::chunks::{Stopwatch, close};
use super::collector::Collector;
use super::in_order::{any_rank, found_out, hand_on, handed_on, run_in_order};
use super::kernel::{Carries, Kernel, Run, Windows, carried, only};
use super::opaque::Opaque;
use super::over_ranks::{Turned, of_last, over_ranks};
use super::panics::Panics;
use super::plan::Wishes;
use super::runner::{Arrays, Body, Checked, Fast, Runner};
use super::tree::Tree;
use crate::accumulate::Accumulator;
use crate::comm::Comm;
use crate::lock::lock;
use crate::runtime::enter_loop;
use crate::slot::{List, Slots};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a worker brings back from one piece.
struct Piece {
    first: usize,
    chunks: Vec<(usize, Opaque)>,
    /// Nothing when the worker goes on with it.
    carry: Option<Opaque>,
}

/// How long a worker pushes before it gives away what it has, in picoseconds: the parts should stay in its cache, and
/// workers should seldom meet.
const SHED_AFTER: u64 = 200_000_000;

/// How long a piece should run at most that leaves nothing behind, in picoseconds: long enough for the next one to cost
/// nothing, short enough for its elements to stay near (a copy of more than the cache holds is a slower copy) and for
/// workers to end together.
const TAKEN_FOR: u64 = 50_000_000;

/// The parts that pieces push, on their way to their places.
struct Parts<'k> {
    accumulators: &'k dyn Collector,
    turn: Mutex<Turn>,
}

struct Turn {
    /// The piece whose place is found next.
    next: usize,
    /// Parts of later pieces.
    waiting: BTreeMap<usize, Opaque>,
    /// Buffers that are free.
    empty: Vec<Opaque>,
}

impl Parts<'_> {
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

impl<L: Slots> Kernel<'_, L> {
    /// Runs a loop without a running value.
    ///
    /// `fast` and `checked` run the author's body over a range of positions, from and to the state of the accumulators.
    ///
    /// # Panics
    /// With what the body panics with, after all workers have stopped.
    #[inline]
    pub fn fold<A, F, C>(self, accumulators: A, fast: F, checked: C) -> A::Out
    where
        A: Accumulator,
        F: for<'w> Fn((A::Chunk, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
        C: for<'w> Fn((A::Chunk, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
    {
        let context = &self.head.call.context;
        let body = |[chunk, carry]: [&mut Opaque; 2], arrays: &Arrays<'_>, range: Range<usize>| {
            // SAFETY: these are a chunk and a carry of the accumulators, and arrays of this loop.
            let (found, carried) = unsafe { arrays.run::<L, _>((chunk.take(), carry.take()), range, &fast, &checked) };
            chunk.put::<A::Chunk>(found);
            carry.put::<A::Carry>(carried);
        };
        let (value, carries) = self.run_fold(&accumulators, &body, None);
        accumulators.finish(value, carries, context)
    }

    /// [`fold`](Kernel::fold) of a loop whose variables decide what runs: a chunk, which does not know them, may panic where the
    /// loop does not. `whole` is the author's body, from the values before the range; where a chunk panics, it runs over all
    /// iterations in order. It may do so after some of them have run: the loop reads nothing that it writes.
    ///
    /// # Panics
    /// As [`fold`](Kernel::fold), where the sequential loop does.
    #[inline]
    pub fn fold_guarded<A, F, C, W>(self, accumulators: A, fast: F, checked: C, whole: W) -> A::Out
    where
        A: Accumulator,
        F: for<'w> Fn((A::Chunk, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
        C: for<'w> Fn((A::Chunk, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
        W: for<'w> Fn((A::Value, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
    {
        let context = &self.head.call.context;
        let body = |[chunk, carry]: [&mut Opaque; 2], arrays: &Arrays<'_>, range: Range<usize>| {
            // SAFETY: as in `fold`.
            let (found, carried) = unsafe { arrays.run::<L, _>((chunk.take(), carry.take()), range, &fast, &checked) };
            chunk.put::<A::Chunk>(found);
            carry.put::<A::Carry>(carried);
        };
        let whole = |[value, carry]: [&mut Opaque; 2], arrays: &Arrays<'_>, range: Range<usize>| {
            // SAFETY: as in `fold`, and it is a running value.
            let (found, carried) = unsafe { arrays.run_checked::<L, _>((value.take(), carry.take()), range, &whole) };
            value.put::<A::Value>(found);
            carry.put::<A::Carry>(carried);
        };
        let (value, carries) = self.run_fold(&accumulators, &body, Some(&whole));
        accumulators.finish(value, carries, context)
    }

    /// [`fold`](Kernel::fold), with the reductions in interleaved lanes.
    ///
    /// # Panics
    /// As [`fold`](Kernel::fold).
    #[inline]
    pub fn fold_lanes<A, F, C>(self, accumulators: A, fast: F, checked: C) -> A::Out
    where
        A: Accumulator,
        F: for<'w> Fn(A::Lanes, Fast<'w, L>, Range<usize>) -> A::Lanes + Sync,
        C: for<'w> Fn(A::Lanes, Checked<'w, L>, Range<usize>) -> A::Lanes + Sync,
    {
        let (lanes, context) = (&accumulators, &self.head.call.context);
        let body = |[chunk, _]: [&mut Opaque; 2], arrays: &Arrays<'_>, range: Range<usize>| {
            // SAFETY: as in `fold`.
            let (before, found) = unsafe { (chunk.take(), arrays.run::<L, _>(lanes.lanes(), range, &fast, &checked)) };
            chunk.put::<A::Chunk>(lanes.merge(before, lanes.merge_lanes(found)));
        };
        let (value, carries) = self.run_fold(lanes, &body, None);
        accumulators.finish(value, carries, context)
    }

    /// [`fold`](Kernel::fold) up to the value after the last iteration and this rank's carries.
    #[inline]
    fn run_fold<A: Accumulator>(
        mut self,
        accumulators: &A,
        body: &Body<'_>,
        whole: Option<&Body<'_>>,
    ) -> (A::Value, Vec<A::Carry>) {
        let mut slots = List::default();
        self.slots.list(&mut slots);
        let (value, carries) = Run { head: &mut self.head, slots }.fold(accumulators, body, whole);
        // SAFETY: they are of the accumulators that made them.
        unsafe { (value.into(), carried(carries)) }
    }
}

impl Run<'_, '_> {
    /// The value after the last iteration, and this rank's carries.
    fn fold(mut self, accumulators: &dyn Collector, body: &Body<'_>, whole: Option<&Body<'_>>) -> (Opaque, Carries) {
        let traits = accumulators.traits();
        let wishes = Wishes {
            aligned: traits.reduces && !traits.exact,
            chunks: Wishes::most(traits.bulky, false),
            forwards: traits.carries,
            parts: 1,
        };
        let mut windows = Windows::new();
        let plan = self.prepare(wishes, &mut windows);
        if let Some(outcome) = self.fold_on_device(&plan, accumulators) {
            return outcome;
        }
        let (call, site) = (self.head.call, self.head.site);
        let runner = Runner { windows: &windows, plan: &plan, footprint: self.head.footprint };
        let run = |range: Range<usize>, chunk: &mut Opaque, carry: &mut Opaque| {
            runner.run(range, &mut |arrays, range| body([&mut *chunk, &mut *carry], arrays, range));
        };
        let watch = Stopwatch::start(call, &plan);
        let merge = &mut |earlier, later| accumulators.merge(earlier, later);

        // One piece starts from what the sequential loop has.
        if plan.workers == 1 && call.alone() && (whole.is_none() || traits.exact) {
            if plan.mine.is_empty() {
                return (accumulators.value(), Carries::new());
            }
            let mut carry = accumulators.carry(true);
            if traits.exact {
                // One piece: the author's loop, with at most a different start.
                let mut chunk = accumulators.chunk();
                if traits.finds_out {
                    let panics = Panics::new();
                    panics.guard(plan.mine.start, || run(plan.mine.clone(), &mut chunk, &mut carry));
                    if let Some(first) = panics.iteration() {
                        found_out(call, &plan, accumulators, Some(first), accumulators.value(), &run);
                    }
                    panics.resume(call);
                } else {
                    run(plan.mine.clone(), &mut chunk, &mut carry);
                }
                watch.stop(site, &plan);
                return (accumulators.after(Some(&chunk)), only(traits, carry));
            }
            let mut tree = Tree::new();
            for number in plan.chunks() {
                let mut chunk = accumulators.chunk();
                run(plan.positions(number), &mut chunk, &mut carry);
                tree.push(number, chunk, merge);
            }
            watch.stop(site, &plan);
            return (accumulators.after(tree.total(merge).as_ref()), only(traits, carry));
        }

        // Pieces are runs of chunks that share a carry. Workers take the next piece when they are free, unless each is to
        // make only one carry: then the pieces are as many as the workers.
        let chunks = plan.chunks();
        let per_piece = if traits.one_per_worker || plan.workers == 1 {
            chunks.len().div_ceil(plan.workers)
        } else if traits.carries {
            chunks.len().div_ceil(4 * plan.workers)
        } else if !traits.reduces || traits.exact {
            chunks.len().div_ceil(16 * plan.workers).min(plan.chunks_in(TAKEN_FOR))
        } else {
            1
        }
        .max(1);
        // Where the grouping makes no difference, a piece is run as a whole; and where the collection is large, such as a
        // histogram, a worker has only one, which is merged in any order: these operators commute.
        let whole_pieces = traits.exact || !traits.reduces;
        let one_collection = traits.exact && traits.commutes && traits.bulky;
        // Pushes are put together piece by piece, in order, while the loop runs.
        let sheds = traits.sheds && !traits.one_per_worker && plan.workers > 1;
        let per_piece = if sheds { plan.chunks_in(SHED_AFTER).min(per_piece) } else { per_piece };
        let parts =
            Parts { accumulators, turn: Mutex::new(Turn { next: 0, waiting: BTreeMap::new(), empty: Vec::new() }) };
        let next = AtomicUsize::new(0);
        let panics = Panics::new();
        let pieces = Mutex::new(Vec::new());
        let place = call.context.place();
        let work = |_worker: usize| {
            let _inside = enter_loop(place);
            let mut done: Vec<Piece> = Vec::new();
            let mut collection: Option<Opaque> = None;
            let mut kept: Option<Opaque> = None;
            while !panics.stopped() {
                let first = chunks.start + next.fetch_add(1, Ordering::Relaxed) * per_piece;
                if first >= chunks.end {
                    break;
                }
                let last = (first + per_piece).min(chunks.end);
                let run_piece = || {
                    let mut carry = kept.take().unwrap_or_else(|| accumulators.carry(first == chunks.start && !sheds));
                    let mut results = Vec::new();
                    if whole_pieces {
                        let range = plan.positions(first).start..plan.positions(last - 1).end;
                        let mut chunk = collection.take().unwrap_or_else(|| accumulators.chunk());
                        run(range, &mut chunk, &mut carry);
                        if one_collection {
                            collection = Some(chunk);
                        } else if traits.reduces {
                            results.push((first, chunk));
                        }
                        return Piece { first, chunks: results, carry: Some(carry) };
                    }
                    for number in first..last {
                        let mut chunk = accumulators.chunk();
                        run(plan.positions(number), &mut chunk, &mut carry);
                        if traits.reduces {
                            results.push((number, chunk));
                        }
                    }
                    Piece { first, chunks: results, carry: Some(carry) }
                };
                let position = plan.positions(first).start;
                let piece = match whole {
                    Some(_) => panics.guard_guess(position, run_piece),
                    None => panics.guard(position, run_piece),
                };
                let Some(mut piece) = piece else { break };
                if sheds && let Some(mut carry) = piece.carry.take() {
                    parts.shed((first - chunks.start) / per_piece, &mut carry);
                    kept = Some(carry);
                }
                if traits.reduces || traits.carries && !sheds {
                    done.push(piece);
                }
            }
            if let (Some(chunk), Some(last)) = (collection, done.last_mut()) {
                last.chunks.push((last.first, chunk));
            }
            lock(&pieces).append(&mut done);
        };
        call.context.node().run(plan.workers, &work);
        if let Some(whole) = whole
            && any_rank(call, panics.stopped())
        {
            let turned = Turned { comm: call.context.comm(), backwards: plan.backwards };
            let (before, carry) = (handed_on(&turned, accumulators), accumulators.carry(true));
            let (value, carry) = run_in_order(call, &plan, &runner, whole, before, carry);
            hand_on(&turned, accumulators, &value);
            close(call, &plan, &mut self.slots);
            let last = turned.rank() + 1 == turned.ranks();
            let value = if call.alone() { value } else { of_last(call, accumulators, last.then_some(value)) };
            return (value, only(traits, carry));
        }
        if traits.finds_out && any_rank(call, panics.stopped()) {
            let turned = Turned { comm: call.context.comm(), backwards: plan.backwards };
            let before = handed_on(&turned, accumulators);
            let value = found_out(call, &plan, accumulators, panics.iteration(), before, &run);
            panics.resume(call);
            hand_on(&turned, accumulators, &value);
        }
        panics.resume(call);
        watch.stop(site, &plan);
        close(call, &plan, &mut self.slots);

        let mut pieces = pieces.into_inner().unwrap_or_else(PoisonError::into_inner);
        pieces.sort_unstable_by_key(|piece| piece.first);
        let mut tree = Tree::new();
        let mut kept = Carries::with_capacity(pieces.len());
        for piece in pieces {
            for (number, chunk) in piece.chunks {
                tree.push(number, chunk, merge);
            }
            kept.extend(piece.carry);
        }
        let total = match call.alone() {
            _ if !traits.reduces => None,
            true => tree.total(merge),
            false => over_ranks(call, &plan, site, accumulators, tree),
        };
        (accumulators.after(total.as_ref()), kept)
    }
}
