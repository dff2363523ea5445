//! The drivers: every annotated loop is a fold over chunks, run and then merged.
//!
//! [`fold`] runs maps, pushes and reductions; [`scan`] runs loops whose body sees a running value. Both are written once
//! over [`Node`](crate::node::Node) and [`Comm`].
//!
//! # Same bits
//! Chunks are cut at fixed multiples of the global positions. Results of chunks merge in the tree of aligned powers of two
//! (`fold/tree.rs`), which depends on nothing but the number of iterations. Where merging is exact, the grouping is free.

mod plan;
mod tree;

use crate::accumulate::Accumulator;
use crate::call::Call;
use crate::comm::{Comm, collective};
use crate::footprint::Access;
use crate::gather::{Asker, Asks};
use crate::slot::{Slots, Windows};
use plan::{Plan, Wishes};
pub use plan::{Site, Weight};
use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use tree::Tree;

/// The arrays of loop `L` for proved iterations.
pub type Fast<'w, L> = <<L as Slots>::Windows as Windows>::Fast<'w>;
/// The arrays of loop `L` with checked indices.
pub type Checked<'w, L> = <<L as Slots>::Windows as Windows>::Checked<'w>;

/// Where the piece began, the iteration, and the panic.
type FirstPanic = (usize, usize, Box<dyn Any + Send>);

/// What a panic in a loop's body leaves: the first one, by iteration.
struct Panics {
    stop: AtomicBool,
    first: Mutex<Option<FirstPanic>>,
}

impl Panics {
    fn new() -> Self {
        Panics { stop: AtomicBool::new(false), first: Mutex::new(None) }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Runs a piece that starts at `position`; `None` when it panics.
    fn guard<R>(&self, position: usize, piece: impl FnOnce() -> R) -> Option<R> {
        match catch_unwind(AssertUnwindSafe(piece)) {
            Ok(result) => Some(result),
            Err(payload) => {
                let mut first = lock(&self.first);
                if first.as_ref().is_none_or(|(earlier, ..)| position < *earlier) {
                    *first = Some((position, At::taken().unwrap_or(position), payload));
                }
                self.stop.store(true, Ordering::Relaxed);
                None
            }
        }
    }

    /// Goes on with the first panic, if there was any.
    fn resume(&self, call: &Call) {
        if let Some((_, iteration, payload)) = lock(&self.first).take() {
            call.context.set_location(call.meta.name, iteration);
            resume_unwind(payload);
        }
    }
}

/// How many chunks of a scan run side by side, so that the processor need not wait for each running value in turn.
pub const CHAINS: usize = 4;

/// Where a loop's body is, for the message when it panics. Costs nothing where nothing can panic.
#[derive(Debug)]
pub struct At(Cell<usize>);

thread_local! {
    static PANICKED_AT: Cell<Option<usize>> = const { Cell::new(None) };
}

impl At {
    /// At no iteration yet.
    #[inline(always)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        At(Cell::new(0))
    }

    /// At the iteration of this position.
    #[inline(always)]
    pub fn set(&self, position: usize) {
        self.0.set(position);
    }

    /// Through, without a panic.
    #[inline(always)]
    pub fn done(self) {
        std::mem::forget(self);
    }

    /// Where the last panic on this thread was.
    fn taken() -> Option<usize> {
        PANICKED_AT.take()
    }
}

impl Drop for At {
    #[cold]
    fn drop(&mut self) {
        PANICKED_AT.set(Some(self.0.get()));
    }
}

/// Whether a loop went through all its iterations: a macro's `break` is not seen when the loop is compiled.
#[derive(Debug)]
pub struct Through(Cell<bool>);

impl Through {
    /// Not yet.
    #[inline(always)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Through(Cell::new(false))
    }

    /// The range, watched to its end.
    #[inline(always)]
    pub fn over(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        range.map(Some).chain(std::iter::once(None)).map_while(|position| {
            self.0.set(position.is_none());
            position
        })
    }

    /// Ends the call if the loop was left early.
    #[track_caller]
    pub fn check(self) {
        assert!(
            self.0.get(),
            "FA020: a macro in the loop's body ends the loop early (`break`), so which iterations run depends on the \
             earlier ones; let every iteration run: write `continue`, or collect what was found and look at it after the \
             loop"
        );
    }
}

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
        if plan.workers > 1 && !plan.ordered && plan.writes {
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
        if plan.workers == 1 || plan.ordered || !plan.writes {
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

/// Opens the arrays and makes the plan.
#[inline]
fn prepare<L: Slots, const N: usize>(
    call: &Call,
    site: &'static Site,
    iterations: usize,
    slots: &mut L,
    footprint: &impl Fn(Range<usize>) -> [Access; N],
    ask: &(impl for<'w> Fn(&Asker<'_>, usize, Checked<'w, L>, Range<usize>) + Sync),
    wishes: Wishes,
) -> (Plan, L::Windows) {
    let mut plan = Plan::make(call, site, iterations, slots, footprint, wishes);
    let mut windows = slots.windows();
    if !call.alone() {
        for (stage, arrays) in site.gathers.iter().enumerate() {
            fetch_asked(call, &plan, arrays, slots, &|asker, positions| {
                // SAFETY: the arrays are open, and the part of the body that asks writes nothing.
                ask(asker, stage, unsafe { windows.checked() }, positions);
            });
            windows = slots.windows();
        }
        plan.scattered = windows.scattered();
        let mut held = plan::Hulls::new();
        windows.held(&mut |range| held.push(range));
        plan.settle(held, footprint);
    }
    (plan, windows)
}

/// Lets this rank's iterations ask for what they gather from some arrays, and fetches it.
#[cold]
fn fetch_asked<L: Slots>(
    call: &Call,
    plan: &Plan,
    arrays: &[usize],
    slots: &mut L,
    ask: &(impl Fn(&Asker<'_>, Range<usize>) + Sync),
) {
    let (mut lens, mut number) = (Vec::new(), 0);
    slots.each(&mut |slot| {
        lens.push(if arrays.contains(&lens.len()) { slot.place().len } else { 0 });
    });
    let asks = Asks::new(lens);
    let panics = Panics::new();
    each_chunk(call, plan, &panics, |number| ask(&asks.asker(), plan.positions(number)));
    slots.each(&mut |slot| {
        if arrays.contains(&number) {
            slot.receive(&call.context, asks.of(number));
        }
        number += 1;
    });
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

/// Runs a loop without a running value.
///
/// `iterations` is the number of iterations on all ranks together; `footprint` gives the accesses of a range of positions;
/// `ask` runs the part of the body that computes which elements of `#[gather]` slices are read;
/// `fast` and `checked` run the author's body over a range of positions, from and to the state of the accumulators.
///
/// # Panics
/// With what the body panics with, after all workers have stopped.
#[inline]
#[allow(clippy::too_many_arguments)]
pub fn fold<L, A, const N: usize, S, I, F, C>(
    call: &Call,
    site: &'static Site,
    iterations: usize,
    slots: L,
    accumulators: A,
    footprint: S,
    ask: I,
    fast: F,
    checked: C,
) -> A::Out
where
    L: Slots,
    A: Accumulator,
    S: Fn(Range<usize>) -> [Access; N] + Sync,
    I: for<'w> Fn(&Asker<'_>, usize, Checked<'w, L>, Range<usize>) + Sync,
    F: for<'w> Fn((A::Chunk, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
    C: for<'w> Fn((A::Chunk, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
{
    let (value, carries) = run_fold(call, site, iterations, slots, &accumulators, footprint, ask, fast, checked);
    accumulators.finish(value, carries, &call.context)
}

/// [`fold`] up to the value after the last iteration and this rank's carries.
#[inline]
#[allow(clippy::too_many_arguments)]
fn run_fold<L, A, const N: usize, S, I, F, C>(
    call: &Call,
    site: &'static Site,
    iterations: usize,
    mut slots: L,
    accumulators: &A,
    footprint: S,
    ask: I,
    fast: F,
    checked: C,
) -> (A::Value, Vec<A::Carry>)
where
    L: Slots,
    A: Accumulator,
    S: Fn(Range<usize>) -> [Access; N] + Sync,
    I: for<'w> Fn(&Asker<'_>, usize, Checked<'w, L>, Range<usize>) + Sync,
    F: for<'w> Fn((A::Chunk, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
    C: for<'w> Fn((A::Chunk, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Chunk, A::Carry) + Sync,
{
    let reduces = size_of::<A::Chunk>() > 0;
    let carries = size_of::<A::Carry>() > 0;
    let wishes = Wishes { aligned: reduces && !A::EXACT, bulky: A::BULKY, forwards: carries, parts: 1 };
    let (plan, windows) = prepare(call, site, iterations, &mut slots, &footprint, &ask, wishes);
    let runner = Runner::<L, S> { windows, plan: &plan, footprint: &footprint };
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
            let (chunk, carry) = runner.run(plan.mine.clone(), (accumulators.chunk(), accumulators.carry(true)), &body);
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
        chunks.len().div_ceil(16 * plan.workers)
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
    let parts =
        Parts::<A> { accumulators, turn: Mutex::new(Turn { next: 0, waiting: BTreeMap::new(), empty: Vec::new() }) };
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
    close(call, &plan, &mut slots);

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
        let total = if call.alone() { tree.total(merge) } else { over_ranks(call, &plan, site, accumulators, tree) };
        if let Some(total) = total {
            value = accumulators.advance(value, &total);
        }
    }
    (value, kept)
}

/// [`fold`], with the reductions in interleaved lanes.
///
/// # Panics
/// As [`fold`].
#[inline]
#[allow(clippy::too_many_arguments)]
pub fn fold_lanes<L, A, const N: usize, S, I, F, C>(
    call: &Call,
    site: &'static Site,
    iterations: usize,
    slots: L,
    accumulators: A,
    footprint: S,
    ask: I,
    fast: F,
    checked: C,
) -> A::Out
where
    L: Slots,
    A: Accumulator,
    S: Fn(Range<usize>) -> [Access; N] + Sync,
    I: for<'w> Fn(&Asker<'_>, usize, Checked<'w, L>, Range<usize>) + Sync,
    F: for<'w> Fn(A::Lanes, Fast<'w, L>, Range<usize>) -> A::Lanes + Sync,
    C: for<'w> Fn(A::Lanes, Checked<'w, L>, Range<usize>) -> A::Lanes + Sync,
{
    let lanes = &accumulators;
    let into = |chunk: A::Chunk, found: A::Lanes| lanes.merge(chunk, lanes.merge_lanes(found));
    let (value, carries) = run_fold(
        call,
        site,
        iterations,
        slots,
        lanes,
        footprint,
        ask,
        |(chunk, carry), arrays, range| (into(chunk, fast(lanes.lanes(), arrays, range)), carry),
        |(chunk, carry), arrays, range| (into(chunk, checked(lanes.lanes(), arrays, range)), carry),
    );
    accumulators.finish(value, carries, &call.context)
}

/// [`scan`], with the totals of chunks in interleaved lanes, and with several chunks side by side: `chains` runs the body
/// over a range that is [`CHAINS`] chunks of one length, each from a running value of its own.
///
/// # Panics
/// As [`scan`].
#[inline]
#[allow(clippy::too_many_arguments)]
pub fn scan_lanes<L, A, const N: usize, S, I, TF, TC, F, C, Q>(
    call: &Call,
    site: &'static Site,
    iterations: usize,
    slots: L,
    accumulators: A,
    footprint: S,
    ask: I,
    total_fast: TF,
    total_checked: TC,
    fast: F,
    checked: C,
    chains: Q,
) -> A::Out
where
    L: Slots,
    A: Accumulator,
    S: Fn(Range<usize>) -> [Access; N] + Sync,
    I: for<'w> Fn(&Asker<'_>, usize, Checked<'w, L>, Range<usize>) + Sync,
    TF: for<'w> Fn(A::Lanes, Fast<'w, L>, Range<usize>) -> A::Lanes + Sync,
    TC: for<'w> Fn(A::Lanes, Checked<'w, L>, Range<usize>) -> A::Lanes + Sync,
    F: for<'w> Fn((A::Value, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
    C: for<'w> Fn((A::Value, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
    Q: for<'w> Fn([A::Value; CHAINS], Fast<'w, L>, Range<usize>) -> [A::Value; CHAINS] + Sync,
{
    let lanes = &accumulators;
    let into = |chunk: A::Chunk, found: A::Lanes| lanes.merge(chunk, lanes.merge_lanes(found));
    let (value, carries) = run_scan(
        call,
        site,
        iterations,
        slots,
        lanes,
        footprint,
        ask,
        |chunk, arrays, range| into(chunk, total_fast(lanes.lanes(), arrays, range)),
        |chunk, arrays, range| into(chunk, total_checked(lanes.lanes(), arrays, range)),
        fast,
        checked,
        Some(chains),
    );
    accumulators.finish(value, carries, &call.context)
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

/// The running value between chunks.
struct Running<'k, A: Accumulator> {
    accumulators: &'k A,
    /// Where merging is exact: the value itself.
    value: A::Value,
    /// Elsewhere: all chunks so far, so that the value is the same however they were run.
    tree: Tree<A::Chunk>,
}

impl<A: Accumulator> Running<'_, A> {
    fn value(&self) -> A::Value {
        let merge = &mut |earlier, later| self.accumulators.merge(earlier, later);
        match if A::EXACT { None } else { self.tree.total(merge) } {
            Some(total) => self.accumulators.advance(self.value.clone(), &total),
            None => self.value.clone(),
        }
    }

    fn include(&mut self, number: usize, chunk: A::Chunk) {
        if A::EXACT {
            self.value = self.accumulators.advance(self.value.clone(), &chunk);
        } else {
            self.tree.push(number, chunk, &mut |earlier, later| self.accumulators.merge(earlier, later));
        }
    }
}

/// Runs a loop whose body sees a running value.
///
/// `total_fast` and `total_checked` run the part of the body that the running value depends on, from the identity;
/// `fast` and `checked` run all of it, from the value before the range. Workers take chunks in order: one that finds the
/// value before its chunk known runs the body at once; else it runs the totals first, waits for the value, hands on the
/// next one and then runs the body, while the chunk is still in its cache (a single-pass chained scan, after Merrill and
/// Garland 2016, with the wait of a CPU).
///
/// # Panics
/// With what the body panics with, after all workers have stopped.
#[inline]
#[allow(clippy::too_many_arguments)]
pub fn scan<L, A, const N: usize, S, I, TF, TC, F, C>(
    call: &Call,
    site: &'static Site,
    iterations: usize,
    slots: L,
    accumulators: A,
    footprint: S,
    ask: I,
    total_fast: TF,
    total_checked: TC,
    fast: F,
    checked: C,
) -> A::Out
where
    L: Slots,
    A: Accumulator,
    S: Fn(Range<usize>) -> [Access; N] + Sync,
    I: for<'w> Fn(&Asker<'_>, usize, Checked<'w, L>, Range<usize>) + Sync,
    TF: for<'w> Fn(A::Chunk, Fast<'w, L>, Range<usize>) -> A::Chunk + Sync,
    TC: for<'w> Fn(A::Chunk, Checked<'w, L>, Range<usize>) -> A::Chunk + Sync,
    F: for<'w> Fn((A::Value, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
    C: for<'w> Fn((A::Value, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
{
    let chains = no_chains::<L, A, _>(|values, _: Fast<'_, L>, _| values);
    let (value, carries) = run_scan(
        call,
        site,
        iterations,
        slots,
        &accumulators,
        footprint,
        ask,
        total_fast,
        total_checked,
        fast,
        checked,
        chains,
    );
    accumulators.finish(value, carries, &call.context)
}

/// No kernel for chunks side by side, of the type that one would have.
fn no_chains<L: Slots, A: Accumulator, Q>(_: Q) -> Option<Q>
where
    Q: for<'w> Fn([A::Value; CHAINS], Fast<'w, L>, Range<usize>) -> [A::Value; CHAINS] + Sync,
{
    None
}

/// [`scan`] up to the value after the last iteration and this rank's carries.
#[inline]
#[allow(clippy::too_many_arguments)]
fn run_scan<L, A, const N: usize, S, I, TF, TC, F, C, Q>(
    call: &Call,
    site: &'static Site,
    iterations: usize,
    mut slots: L,
    accumulators: &A,
    footprint: S,
    ask: I,
    total_fast: TF,
    total_checked: TC,
    fast: F,
    checked: C,
    chains: Option<Q>,
) -> (A::Value, Vec<A::Carry>)
where
    L: Slots,
    A: Accumulator,
    S: Fn(Range<usize>) -> [Access; N] + Sync,
    I: for<'w> Fn(&Asker<'_>, usize, Checked<'w, L>, Range<usize>) + Sync,
    TF: for<'w> Fn(A::Chunk, Fast<'w, L>, Range<usize>) -> A::Chunk + Sync,
    TC: for<'w> Fn(A::Chunk, Checked<'w, L>, Range<usize>) -> A::Chunk + Sync,
    F: for<'w> Fn((A::Value, A::Carry), Fast<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
    C: for<'w> Fn((A::Value, A::Carry), Checked<'w, L>, Range<usize>) -> (A::Value, A::Carry) + Sync,
    Q: for<'w> Fn([A::Value; CHAINS], Fast<'w, L>, Range<usize>) -> [A::Value; CHAINS] + Sync,
{
    // Where totals are needed in any case, several smaller chunks run side by side.
    let chains = chains.filter(|_| !A::EXACT && size_of::<A::Carry>() == 0);
    let group = if chains.is_some() { CHAINS } else { 1 };
    let wishes = Wishes { aligned: true, bulky: A::BULKY, forwards: size_of::<A::Carry>() > 0, parts: group };
    let (plan, windows) = prepare(call, site, iterations, &mut slots, &footprint, &ask, wishes);
    let runner = Runner::<L, S> { windows, plan: &plan, footprint: &footprint };
    let body = |state: (A::Value, A::Carry), form: Form<'_, L>, range: Range<usize>| match form {
        Form::Fast(arrays) => fast(state, arrays, range),
        Form::Checked(arrays) => checked(state, arrays, range),
    };
    let watch = Stopwatch::start(call, &plan);
    if iterations == 0 {
        let value = accumulators.value();
        return (value, Vec::new());
    }
    if plan.workers == 1 && call.alone() && A::EXACT {
        // The author's loop, unchanged.
        let (value, carry) = runner.run(plan.mine.clone(), (accumulators.value(), accumulators.carry(true)), &body);
        watch.stop(site, &plan);
        return (value, vec![carry]);
    }

    let total_of = |range: Range<usize>| {
        runner.run(range, accumulators.chunk(), &|chunk, form, range| match form {
            Form::Fast(arrays) => total_fast(chunk, arrays, range),
            Form::Checked(arrays) => total_checked(chunk, arrays, range),
        })
    };
    // What a chunk comes to, from its end backwards as far as it matters; at most `limit` iterations.
    let total_within = |number: usize, limit: usize| {
        let Range { start, mut end } = plan.positions(number);
        if !A::SETTLES {
            return Some(total_of(start..end));
        }
        let (mut part, least) = (256, end.saturating_sub(limit).max(start));
        let mut total = None;
        loop {
            let begin = end.saturating_sub(part).max(least);
            let earlier = total_of(begin..end);
            let chunk = match total.take() {
                Some(later) => accumulators.merge(earlier, later),
                None => earlier,
            };
            if begin == start || accumulators.settled(&chunk) {
                return Some(chunk);
            }
            if begin == least {
                return None;
            }
            (end, part, total) = (begin, 2 * part, Some(chunk));
        }
    };
    let total = |number: usize| match total_within(number, usize::MAX) {
        Some(total) => total,
        None => unreachable!("without a limit there is a total"),
    };
    let chunks = plan.chunks();
    let panics = Panics::new();
    let mut running = Running { accumulators, value: accumulators.value(), tree: Tree::new() };
    let mut totals: Option<Vec<A::Chunk>> = None;
    let turned = Turned { comm: call.context.comm(), backwards: plan.backwards };
    let last_rank = turned.rank() + 1 == turned.ranks();
    if !call.alone() {
        // Every rank but the last tells the later ones what its chunks come to, before it can know its own start. The last
        // one has time to find out too, and does so where it needs the totals in any case.
        let mut mine = Tree::new();
        if !last_rank || !A::EXACT {
            let found = each_chunk(call, &plan, &panics, total);
            for (number, chunk) in chunks.clone().zip(&found) {
                mine.push(number, chunk.clone(), &mut |earlier, later| accumulators.merge(earlier, later));
            }
            totals = Some(found);
        }
        let before = collective::exscan(
            &turned,
            condensed(accumulators, mine),
            |tree: &Tree<A::Chunk>| {
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
        if let Some(before) = before {
            let merge = &mut |earlier, later| accumulators.merge(earlier, later);
            if A::EXACT {
                if let Some(before) = before.total(merge) {
                    running.value = accumulators.advance(running.value.clone(), &before);
                }
            } else {
                running.tree = before;
            }
        }
    }

    let running = Mutex::new(running);
    let next = AtomicUsize::new(chunks.start);
    let turn = AtomicUsize::new(chunks.start);
    let carries = Mutex::new(Vec::new());
    let end = Mutex::new(None);
    let place = call.context.place();
    let work = |_worker: usize| {
        let _inside = crate::runtime::enter_loop(place);
        let mut done = Vec::new();
        while !panics.stopped() {
            let first = next.fetch_add(group, Ordering::Relaxed);
            if first >= chunks.end {
                break;
            }
            let numbers = first..(first + group).min(chunks.end);
            let range = plan.positions(first).start..plan.positions(numbers.end - 1).end;
            let result = panics.guard(range.start, || {
                let known: Option<Vec<A::Chunk>> = match &totals {
                    Some(totals) => Some(totals[first - chunks.start..numbers.end - chunks.start].to_vec()),
                    // Whose turn it is needs no totals, unless they are had so cheaply that the next chunk can begin.
                    None if A::EXACT && turn.load(Ordering::Acquire) == first => {
                        let cheap = |number| total_within(number, plan.chunk / 16);
                        if A::SETTLES { numbers.clone().map(cheap).collect() } else { None }
                    }
                    None => Some(numbers.clone().map(&total).collect()),
                };
                wait_for(&turn, first, &panics).then(|| match known {
                    Some(totals) => {
                        let values: Vec<A::Value> = {
                            let mut running = lock(&running);
                            let next = |(number, total)| {
                                let value = running.value();
                                running.include(number, total);
                                value
                            };
                            numbers.clone().zip(totals).map(next).collect()
                        };
                        turn.store(numbers.end, Ordering::Release);
                        let whole = range.len() == CHAINS * plan.chunk && values.len() == CHAINS;
                        if let (true, Some(chains), Some(arrays)) = (whole, &chains, runner.proved(&range))
                            && let Ok(values) = <[A::Value; CHAINS]>::try_from(values.clone())
                        {
                            let [.., value] = chains(values, arrays, range.clone());
                            return (value, accumulators.carry(false));
                        }
                        let mut end = (accumulators.value(), accumulators.carry(first == chunks.start));
                        for (number, value) in numbers.clone().zip(values) {
                            end = runner.run(plan.positions(number), (value, end.1), &body);
                        }
                        end
                    }
                    None => {
                        let value = lock(&running).value();
                        let carry = accumulators.carry(first == chunks.start);
                        let (value, carry) = runner.run(range.clone(), (value, carry), &body);
                        lock(&running).value = value.clone();
                        turn.store(numbers.end, Ordering::Release);
                        (value, carry)
                    }
                })
            });
            if let Some(Some((value, carry))) = result {
                if range.end == iterations {
                    *lock(&end) = Some(value);
                }
                if size_of::<A::Carry>() > 0 {
                    done.push((first, carry));
                }
            }
        }
        lock(&carries).append(&mut done);
    };
    if !chunks.is_empty() {
        call.context.node().run(plan.workers, &work);
    }
    panics.resume(call);
    watch.stop(site, &plan);
    close(call, &plan, &mut slots);

    let end = end.into_inner().unwrap_or_else(PoisonError::into_inner);
    let value = if call.alone() {
        end
    } else {
        // The rank that ran the last iteration tells the others what the author's variables are after the loop.
        let bytes = end.as_ref().map(|value| {
            let mut bytes = Vec::new();
            accumulators.encode_value(value, &mut bytes);
            bytes
        });
        let owners = collective::allgather(call.context.comm(), &[u8::from(end.is_some())]);
        let owner = owners.iter().position(|&has| has == 1).unwrap_or(0);
        let bytes = collective::broadcast(call.context.comm(), owner, bytes);
        Some(accumulators.decode_value(&mut &bytes[..]))
    };
    let mut carries = carries.into_inner().unwrap_or_else(PoisonError::into_inner);
    carries.sort_unstable_by_key(|(number, _)| *number);
    let value = value.unwrap_or_else(|| accumulators.value());
    (value, carries.into_iter().map(|(_, carry)| carry).collect())
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

/// Waits until all chunks before `number` have handed on the value. `false` when a worker panicked.
#[inline]
fn wait_for(turn: &AtomicUsize, number: usize, panics: &Panics) -> bool {
    let mut spins = 0_u32;
    while turn.load(Ordering::Acquire) != number {
        if panics.stopped() {
            return false;
        }
        spins += 1;
        if spins < 1 << 12 { std::hint::spin_loop() } else { std::thread::yield_now() }
    }
    true
}
