//! The drivers: every annotated loop is a fold over chunks, run and then merged.
//!
//! A [`Kernel`] is a loop made ready to run: [`Kernel::fold`] runs maps, pushes and reductions, [`Kernel::scan`] loops whose
//! body sees a running value. Both are written once over [`Node`](crate::node::Node) and [`Comm`].
//!
//! # Same bits
//! Chunks are cut at fixed multiples of the global positions. Results of chunks merge in the tree of aligned powers of two
//! (`fold/tree.rs`), which depends on nothing but the number of iterations. Where merging is exact, the grouping is free.

mod on_device;
mod panics;
mod plan;
mod scan;
mod tree;

use crate::accumulate::Accumulator;
use crate::call::Call;
use crate::comm::{Comm, collective};
use crate::device::{Program, Refusal};
use crate::footprint::Access;
use crate::gather::{Asks, Key, Schedule};
use crate::slot::{Slots, Windows};
pub use on_device::Captured;
use panics::Panics;
pub use panics::{At, Through};
use plan::{Plan, Wishes};
pub use plan::{Site, Weight};
pub use scan::{AHEAD, CHAINS};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use tree::Tree;

/// The arrays of loop `L` for proved iterations.
pub type Fast<'w, L> = <<L as Slots>::Windows as Windows>::Fast<'w>;
/// The arrays of loop `L` with checked indices.
pub type Checked<'w, L> = <<L as Slots>::Windows as Windows>::Checked<'w>;

/// Runs the proved or the checked form of the author's body.
struct Runner<'k, L: Slots, S> {
    windows: L::Windows,
    plan: &'k Plan,
    footprint: &'k S,
}

/// Which form of the body runs, with the arrays as it wants them.
enum Form<'w, L: Slots> {
    Fast(Fast<'w, L>),
    Checked(Checked<'w, L>),
}

impl<L: Slots, const N: usize, S: Fn(Range<usize>) -> [Access; N]> Runner<'_, L, S> {
    /// Runs `range` in the proved form as far as that is possible, the rest of it in the checked form.
    ///
    /// `state` goes through `body` piece by piece, in the order of the positions.
    #[inline]
    fn run<'w, State>(
        &self,
        range: Range<usize>,
        state: State,
        body: &impl Fn(State, Form<'w, L>, Range<usize>) -> State,
    ) -> State {
        let plan = self.plan;
        if plan.inside && (plan.workers == 1 || !plan.writes) {
            // SAFETY: the footprint of all positions lies inside the windows, and nobody writes but this worker.
            let arrays = unsafe { self.windows.fast(&plan.hulls) };
            return body(state, Form::Fast(arrays), range);
        }
        self.run_part(range, state, body)
    }

    /// The arrays for a range that runs in the proved form as a whole.
    fn proved<'w>(&self, range: &Range<usize>) -> Option<Fast<'w, L>> {
        let plan = self.plan;
        if plan.inside && (plan.workers == 1 || !plan.writes) {
            // SAFETY: as in `run`.
            return Some(unsafe { self.windows.fast(&plan.hulls) });
        }
        if plan.workers > 1 && !plan.ordered && plan.writes || !plan.inside_in_parts {
            return None;
        }
        let (hulls, inside) = plan.footprint(range, self.footprint);
        // SAFETY: as in `run_part`.
        inside.then(|| unsafe { self.windows.fast(&hulls) })
    }

    /// Halves a range until its parts lie inside or are single chunks: where only the first and the last iterations reach
    /// beyond an array, a few evaluations are enough for all the others.
    fn run_part<'w, State>(
        &self,
        range: Range<usize>,
        state: State,
        body: &impl Fn(State, Form<'w, L>, Range<usize>) -> State,
    ) -> State {
        let plan = self.plan;
        if plan.inside_in_parts && (plan.workers == 1 || plan.ordered || !plan.writes) {
            let (hulls, inside) = plan.footprint(&range, self.footprint);
            if inside {
                // SAFETY: the footprint of these positions lies inside the windows. Either this worker is alone, or the
                // footprints of written arrays were proved to be disjoint ranges for disjoint ranges of positions.
                return body(state, Form::Fast(unsafe { self.windows.fast(&hulls) }), range);
            }
            if range.len() > plan.chunk {
                let middle = (range.start + range.len() / 2).next_multiple_of(plan.chunk);
                if middle < range.end {
                    let state = self.run_part(range.start..middle, state, body);
                    return self.run_part(middle..range.end, state, body);
                }
            }
        }
        // SAFETY: iterations were proved to touch different elements where one of them writes.
        body(state, Form::Checked(unsafe { self.windows.checked() }), range)
    }
}

/// A loop of one call, made ready to run: all but what it accumulates, and its body.
///
/// It is run by the method that fits what the loop does: [`fold`](Kernel::fold) or [`fold_lanes`](Kernel::fold_lanes), or,
/// where the body sees a running value, [`scan`](Kernel::scan), [`scan_levels`](Kernel::scan_levels) or
/// [`scan_lanes`](Kernel::scan_lanes).
#[allow(missing_debug_implementations)] // It holds closures.
pub struct Kernel<'c, L, S, I> {
    call: &'c Call,
    site: &'static Site,
    iterations: usize,
    slots: L,
    footprint: S,
    ask: I,
    captured: Option<Captured<'c>>,
    /// What else the asking depends on than on arrays, where it depends on nothing hidden: see [`Kernel::asking_by`].
    asking_by: Option<Option<Rc<[u8]>>>,
}

impl<'c, L, const N: usize, S, I> Kernel<'c, L, S, I>
where
    L: Slots,
    S: Fn(Range<usize>) -> [Access; N] + Sync,
    I: for<'w> Fn(&Asks, usize, Checked<'w, L>, Range<usize>) + Sync,
{
    /// A loop of so many iterations on all ranks together. `footprint` gives the accesses of a range of positions; `ask`
    /// runs the part of the body that computes which elements of `#[gather]` slices are read.
    #[inline]
    pub fn new(call: &'c Call, site: &'static Site, iterations: usize, slots: L, footprint: S, ask: I) -> Self {
        Kernel { call, site, iterations, slots, footprint, ask, captured: None, asking_by: None }
    }

    /// With what a device is told of the variables that the body reads, where there is a device.
    #[inline]
    #[must_use]
    pub fn capturing(mut self, capture: impl FnOnce(&'static Program) -> Captured<'c>) -> Self {
        if self.call.context.node().may_have_device() {
            match &self.site.program {
                _ if !self.worth_a_device() => self.bring_back(),
                Ok(program) => self.captured = Some(capture(program)),
                Err(reason) => {
                    on_device::refused(self.call, self.site.name, &Refusal::Cannot((*reason).to_owned()));
                    self.bring_back();
                }
            }
        }
        self
    }

    /// Says that `ask` depends on nothing but the arrays that it looks at, and these values, of which `None` are none that can
    /// be compared. What iterations ask for is then found out once, for as long as nothing of that changes.
    #[inline]
    #[must_use]
    pub fn asking_by(mut self, values: impl FnOnce() -> Option<Rc<[u8]>>) -> Self {
        if !self.call.alone() {
            self.asking_by = Some(values());
        }
        self
    }

    /// Opens the arrays and makes the plan.
    #[inline]
    fn prepare(&mut self, wishes: Wishes) -> (Plan, L::Windows) {
        let Kernel { call, site, iterations, slots, footprint, ask, captured, asking_by } = self;
        let mut plan = Plan::make(call, site, *iterations, slots, footprint, wishes);
        call.context.count_iterations(plan.mine.len());
        let mut windows = slots.windows();
        if !call.alone() {
            for (stage, arrays) in site.gathers.iter().enumerate() {
                let key = asking_by.as_ref().map(|values| schedule_key(site, stage, &plan, values.as_ref(), slots));
                if let Some(schedules) = key.as_ref().and_then(|key| known_schedules(call, key.as_ref())) {
                    receive(call, arrays, slots, &schedules);
                    windows = slots.windows();
                    continue;
                }
                if captured.is_some() {
                    // The workers of this rank read the places that it asks for.
                    let mut number = 0..;
                    slots.each(&mut |slot| {
                        if number.next().is_some_and(|number| site.looks[stage].contains(&number)) {
                            slot.bring_back();
                        }
                    });
                }
                let schedules = schedule(call, &plan, arrays, slots, &|asks, positions| {
                    // SAFETY: the arrays are open, and the part of the body that asks writes nothing.
                    ask(asks, stage, unsafe { windows.checked() }, positions);
                });
                let schedules = Rc::new(schedules);
                receive(call, arrays, slots, &schedules);
                if let Some(key) = key.flatten() {
                    call.context.schedules().keep(key, schedules);
                }
                windows = slots.windows();
            }
            plan.scattered = windows.scattered();
            let mut held = plan::Hulls::new();
            windows.held(&mut |range| held.push(range));
            plan.settle(held, footprint);
        }
        (plan, windows)
    }
}

/// Lets this rank's iterations ask for what they gather from some arrays, and finds out who gives it.
#[cold]
fn schedule<L: Slots>(
    call: &Call,
    plan: &Plan,
    arrays: &[usize],
    slots: &mut L,
    ask: &(impl Fn(&Asks, Range<usize>) + Sync),
) -> Vec<Schedule> {
    let mut lens = Vec::new();
    slots.each(&mut |slot| {
        lens.push(if arrays.contains(&lens.len()) { slot.place().len } else { 0 });
    });
    let asks = Asks::new(lens);
    let panics = Panics::new();
    each_chunk(call, plan, &panics, |number| ask(&asks, plan.positions(number)));
    let (mut asked, mut number, mut schedules) = (asks.into_asked().into_iter(), 0, Vec::new());
    slots.each(&mut |slot| {
        if let Some(asked) = asked.next().filter(|_| arrays.contains(&number)) {
            schedules.extend(slot.schedule(&call.context, asked));
        }
        number += 1;
    });
    schedules
}

/// Fetches what iterations gather from some arrays.
fn receive<L: Slots>(call: &Call, arrays: &[usize], slots: &mut L, schedules: &[Schedule]) {
    let (mut schedules, mut number) = (schedules.iter(), 0);
    slots.each(&mut |slot| {
        if arrays.contains(&number)
            && let Some(schedule) = schedules.next()
        {
            slot.receive(&call.context, schedule);
        }
        number += 1;
    });
}

/// What the schedules of a stage hang on; nothing where it cannot be told whether that changes.
fn schedule_key<L: Slots>(
    site: &'static Site,
    stage: usize,
    plan: &Plan,
    values: Option<&Rc<[u8]>>,
    slots: &mut L,
) -> Option<Key> {
    let captured = Rc::clone(values?);
    let (mut places, mut versions, mut known) = (Vec::new(), Vec::new(), true);
    slots.each(&mut |slot| {
        if site.looks[stage].contains(&places.len()) {
            match slot.version() {
                Some(version) => versions.push(version),
                None => known = false,
            }
        }
        places.push(Key::place(slot.place()));
    });
    let (loop_at, mine) = (std::ptr::from_ref(site).addr(), plan.mine.clone());
    known.then_some(Key { loop_at, stage, mine, places, versions, captured })
}

/// The schedules of an earlier call, where all ranks have them.
fn known_schedules(call: &Call, key: Option<&Key>) -> Option<Rc<Vec<Schedule>>> {
    let found = key.and_then(|key| call.context.schedules().of(key));
    let all = collective::reduce_all(
        call.context.comm(),
        2,
        found.is_some(),
        |known| vec![u8::from(*known)],
        |bytes| bytes == [1],
        |one, two| one && two,
    );
    found.filter(|_| all)
}

/// Does something for all chunks of this rank, on all workers, and returns the results in order.
fn each_chunk<C: Send>(call: &Call, plan: &Plan, panics: &Panics, each: impl Fn(usize) -> C + Sync) -> Vec<C> {
    let chunks = plan.chunks();
    let next = AtomicUsize::new(chunks.start);
    let totals = Mutex::new(Vec::with_capacity(chunks.len()));
    let place = call.context.place();
    call.context.node().run(plan.workers, &|_worker| {
        let _inside = crate::runtime::enter_loop(place);
        let mut done = Vec::new();
        while !panics.stopped() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= chunks.end {
                break;
            }
            done.extend(panics.guard(plan.positions(number).start, || (number, each(number))));
        }
        lock(&totals).append(&mut done);
    });
    panics.resume(call);
    let mut totals = totals.into_inner().unwrap_or_else(PoisonError::into_inner);
    totals.sort_unstable_by_key(|(number, _)| *number);
    totals.into_iter().map(|(_, total)| total).collect()
}

/// Sends back what was written elsewhere.
#[inline]
fn close<L: Slots>(call: &Call, plan: &Plan, slots: &mut L) {
    if !call.alone() {
        let mut number = 0;
        slots.each(&mut |slot| {
            if slot.writes() {
                slot.close(&call.context, &plan.by_rank[number]);
            }
            number += 1;
        });
    }
}

/// Learns what an iteration costs, for the choice between one worker and several.
struct Stopwatch(Option<std::time::Instant>);

impl Stopwatch {
    #[inline]
    fn start(call: &Call, plan: &Plan) -> Self {
        let worth = call.context.node().workers() > 1 && plan.mine.len() >= 64;
        Stopwatch(worth.then(std::time::Instant::now))
    }

    #[inline]
    fn stop(self, site: &Site, plan: &Plan) {
        if let Some(start) = self.0 {
            let spent = start.elapsed().as_nanos() as u64 * 1000 * plan.workers as u64;
            site.cost.store((spent / plan.mine.len() as u64).max(1), Ordering::Relaxed);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

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
            let _inside = crate::runtime::enter_loop(place);
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

/// What a kernel gave back.
///
/// # Panics
/// Never: a kernel that does not panic keeps its state.
#[inline(always)]
pub fn kept<S>(state: Option<S>) -> S {
    match state {
        Some(state) => state,
        None => unreachable!("a kernel lost its state"),
    }
}

/// Chunks of all ranks, merged up a k-ary tree, on every rank.
///
/// Where merging is exact the ranks need not keep the tree's nodes apart: one value each is sent.
#[cold]
fn over_ranks<A: Accumulator>(
    call: &Call,
    plan: &Plan,
    site: &Site,
    accumulators: &A,
    tree: Tree<A::Chunk>,
) -> Option<A::Chunk> {
    let merge = &mut |earlier, later| accumulators.merge(earlier, later);
    let tree = condensed(accumulators, tree);
    let turned = Turned { comm: call.context.comm(), backwards: plan.backwards };
    let whole = collective::reduce_all(
        &turned,
        site.arity,
        tree,
        |tree| {
            let mut bytes = Vec::new();
            tree.encode(&mut bytes, |chunk, to| accumulators.encode(chunk, to));
            bytes
        },
        |mut bytes| Tree::decode(&mut bytes, |from| accumulators.decode(from)),
        |mut earlier, later| {
            earlier.append(later, &mut |earlier, later| accumulators.merge(earlier, later));
            condensed(accumulators, earlier)
        },
    );
    whole.total(merge)
}

/// A single node, where the grouping makes no difference.
fn condensed<A: Accumulator>(accumulators: &A, tree: Tree<A::Chunk>) -> Tree<A::Chunk> {
    if A::EXACT { tree.condensed(&mut |earlier, later| accumulators.merge(earlier, later)) } else { tree }
}

/// Ranks in the order of their iterations: a loop that runs down its arrays visits the last rank's share first.
struct Turned<'a> {
    comm: &'a dyn Comm,
    backwards: bool,
}

impl Turned<'_> {
    fn turn(&self, rank: usize) -> usize {
        if self.backwards { self.comm.ranks() - 1 - rank } else { rank }
    }
}

impl Comm for Turned<'_> {
    fn name(&self) -> &'static str {
        self.comm.name()
    }

    fn rank(&self) -> usize {
        self.turn(self.comm.rank())
    }

    fn ranks(&self) -> usize {
        self.comm.ranks()
    }

    fn exchange(&self, sends: &[(usize, &[u8])], receives: &mut [(usize, &mut [u8])]) {
        let sends: Vec<(usize, &[u8])> = sends.iter().map(|&(rank, bytes)| (self.turn(rank), bytes)).collect();
        for (rank, _) in receives.iter_mut() {
            *rank = self.turn(*rank);
        }
        self.comm.exchange(&sends, receives);
    }

    fn abort(&self, message: &str) -> ! {
        self.comm.abort(message)
    }
}
