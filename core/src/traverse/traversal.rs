//! The driver of traversals.

use super::calls::{Calls, Leave, Others, Pending, Rules, TooDeep};
use super::collected::{Collected, State};
use super::levels::{ByLevels, Laws, Listed, NoLevels, enough};
use super::over_ranks::{FOR_EACH_RANK, below_the_root, part_of_rank};
use super::pool::{Pool, Task};
use crate::accumulate::{Accumulator, rounding};
use crate::call::Call;
use crate::comm::collective;
use crate::lock::lock;
use crate::runtime::{Rank, enter_loop, tried};
use crate::settings::Backend;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The default depth limit. A stack of the usual size holds fewer calls.
pub const DEPTH: u32 = 1 << 20;

/// A traversal of one call, ready to run.
#[derive(Debug)]
pub struct Traversal<'c> {
    call: &'c Call,
    /// The name of the function.
    name: &'static str,
    depth: u32,
    later: Later,
}

/// The results that a body may add after its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Later {
    /// None.
    Nothing,
    /// Results whose order matters only if the operator is not exact, or to detect overflow.
    Sums,
    /// Results whose order matters.
    Anything,
}

/// A running traversal on this rank.
struct Run<'r, N, A: Accumulator> {
    rank: Rank,
    rules: Rules<'r, N, A>,
    made: AtomicU64,
    /// The message for a call that exceeds the depth limit.
    too_deep: Mutex<Option<String>>,
}

/// The end of the work on a task.
enum End<N, A: Accumulator> {
    Done(Collected<A>),
    /// It has split off work for other workers.
    Share(Task<N, A>),
    /// Another worker panicked.
    Stopped,
}

/// A traversal with a single worker so far.
struct Alone;

impl<N, A: Accumulator> Others<N, A> for Alone {
    fn split(&self, _: usize, pending: &mut Vec<Pending<N, A>>) -> Option<Leave> {
        (pending.len() > 1).then_some(Leave::Share)
    }
}

impl<'c> Traversal<'c> {
    /// A traversal of a function, with a depth limit.
    #[inline]
    pub fn new(call: &'c Call, name: &'static str, depth: u32, later: Later) -> Self {
        Traversal { call, name, depth, later }
    }

    /// Makes the first call and all calls that follow from it. `shown` formats the arguments of a call.
    ///
    /// Returns the user's variables, and whether a call has panicked. After a panic the variables are unchanged, and the caller has to run
    /// the sequential traversal ([`Traversal::again`]).
    ///
    /// # Panics
    /// If a call exceeds the depth limit.
    #[track_caller]
    pub fn run<N, A, B>(
        &self,
        accumulators: A,
        first: N,
        shown: impl Fn(&N) -> String + Sync,
        body: B,
    ) -> (A::Out, bool)
    where
        N: Send,
        A: Accumulator,
        B: Fn(&mut State<A>, N, &mut Calls<'_, N, A>) + Sync,
    {
        self.run_by(accumulators, first, shown, body, None::<fn(&A) -> NoLevels>)
    }

    /// The same level by level, if the user chose a device.
    ///
    /// # Panics
    /// If a call exceeds the depth limit.
    #[track_caller]
    pub fn run_by_levels<N, A, B, L>(
        &self,
        accumulators: A,
        first: N,
        shown: impl Fn(&N) -> String + Sync,
        body: B,
        levels: impl FnOnce(&A) -> L,
    ) -> (A::Out, bool)
    where
        N: Send,
        A: Accumulator,
        B: Fn(&mut State<A>, N, &mut Calls<'_, N, A>) + Sync,
        L: ByLevels<N, A>,
    {
        let wanted = self.call.context().settings().backend == Backend::Gpu;
        self.run_by(accumulators, first, shown, body, wanted.then_some(levels))
    }

    #[track_caller]
    fn run_by<N, A, B, L>(
        &self,
        accumulators: A,
        first: N,
        shown: impl Fn(&N) -> String + Sync,
        body: B,
        levels: Option<impl FnOnce(&A) -> L>,
    ) -> (A::Out, bool)
    where
        N: Send,
        A: Accumulator,
        B: Fn(&mut State<A>, N, &mut Calls<'_, N, A>) + Sync,
        L: ByLevels<N, A>,
    {
        let Traversal { call, name, depth, later } = *self;
        let context = call.context();
        // The tally of a sum of integers depends on the order of the calls.
        let between = later == Later::Anything || later == Later::Sums && (!A::EXACT || A::DETECTS_LATE);
        let rules = Rules { accumulators: &accumulators, body: &body, shown: &shown, depth, between };
        let (made, too_deep) = (AtomicU64::new(0), Mutex::new(None));
        let run = Run { rank: context.this_rank(), rules, made, too_deep };
        let levels = levels.map(|levels| levels(&accumulators));
        let levels = levels.as_ref().map(|levels| levels as &dyn ByLevels<N, A>);
        let collected = match call.alone() && levels.is_none() {
            true => run.on_this_rank(call, vec![Pending::Call { depth: 0, arguments: first }]),
            false => run.on_ranks(call, first, levels),
        };
        let Run { made, too_deep, .. } = run;
        let made = made.into_inner() as usize;
        context.count_iterations(made);
        if let Some(arguments) = lock(&too_deep).take() {
            panic!(
                "FA064: `{name}` calls itself more than {depth} times inside of itself, at last as {name}({arguments}): the tree has \
                 a circle, or it is deeper than `#[traverse(depth = {depth})]` allows"
            );
        }
        rounding::merges_others(made);
        let found = collected.and_then(|collected| {
            let (mine, carries) = collected.total(&accumulators);
            let value = match total(call, &accumulators, mine) {
                Some(total) => after(&accumulators, &total)?,
                None => accumulators.value(),
            };
            Some((value, carries))
        });
        match found {
            Some((value, carries)) => (accumulators.finish(value, carries, context), false),
            None => {
                let before = accumulators.value();
                (accumulators.finish(before, Vec::new(), context), true)
            }
        }
    }

    /// Runs the sequential traversal.
    pub fn again<R>(&self, sequential: impl FnOnce() -> R) -> R {
        let _inside = enter_loop(self.call.context().this_rank());
        sequential()
    }
}

/// The values after all calls; `None` after an overflow. All ranks have the same total and return the same.
fn after<A: Accumulator>(accumulators: &A, total: &A::Chunk) -> Option<A::Value> {
    let advance = || accumulators.advance(accumulators.value(), total);
    if A::DETECTS_LATE { catch_unwind(AssertUnwindSafe(|| tried(advance))).ok() } else { Some(advance()) }
}

/// The merged results of all ranks.
fn total<A: Accumulator>(call: &Call, accumulators: &A, mine: Option<A::Chunk>) -> Option<A::Chunk> {
    if call.alone() || size_of::<A::Chunk>() == 0 {
        return mine;
    }
    let encode = |total: &Option<A::Chunk>| {
        let mut bytes = vec![u8::from(total.is_some())];
        total.iter().for_each(|total| accumulators.encode(total, &mut bytes));
        bytes
    };
    let decode = |bytes: &[u8]| (bytes[0] == 1).then(|| accumulators.decode(&mut &bytes[1..]));
    let merge = |earlier: Option<A::Chunk>, later: Option<A::Chunk>| match (earlier, later) {
        (Some(earlier), Some(later)) => Some(accumulators.merge(earlier, later)),
        (one, None) | (None, one) => one,
    };
    collective::reduce_all(call.comm(), 2, mine, encode, decode, merge)
}

/// This rank's share of elements that a sequential traversal pushed on every rank: rank 0 keeps them all.
pub fn share_of_repetition<T>(call: &Call, pushed: Vec<T>) -> Vec<T> {
    if call.alone() || call.context().rank() == 0 { pushed } else { Vec::new() }
}

impl<N: Send, A: Accumulator> Run<'_, N, A> {
    /// Makes this rank's part of the calls. `None` after a panic on any rank.
    #[cold]
    fn on_ranks(&self, call: &Call, first: N, levels: Option<&dyn ByLevels<N, A>>) -> Option<Collected<A>> {
        let context = call.context();
        let Rank { rank, ranks, .. } = if call.alone() { Rank::SOLO } else { context.this_rank() };
        // All ranks make the same calls, with or without a device.
        let of_each = match &levels {
            Some(_) if ranks == 1 => enough(context),
            Some(_) => enough(context).max(FOR_EACH_RANK),
            None => FOR_EACH_RANK,
        };
        let all = self.guarded(|| below_the_root(first, of_each * ranks, &self.rules, &Alone));
        let collected = all.and_then(|all| {
            let mut mine = part_of_rank(all, rank, ranks);
            if let Some(levels) = levels.filter(|_| context.node().device().is_some()) {
                let listed = mine.into_iter().map(Listed).collect();
                mine = levels.made(listed, &Laws(&self.rules), context).into_iter().map(|Listed(left)| left).collect();
            }
            mine.reverse();
            self.on_this_rank(call, mine)
        });
        // A call that exceeds the depth limit ends all ranks.
        if lock(&self.too_deep).is_some() || call.alone() {
            return collected;
        }
        let comm = call.comm();
        let panicked = collective::allgather(comm, &[u8::from(collected.is_none())]).contains(&1);
        collected.filter(|_| !panicked)
    }

    /// Processes a list with all workers of this rank. `None` after a panic.
    fn on_this_rank(&self, call: &Call, pending: Vec<Pending<N, A>>) -> Option<Collected<A>> {
        let node = call.context().node();
        let workers = node.workers();
        // The other workers start when the first one has split off work.
        let idle = AtomicUsize::new(usize::from(workers > 1));
        let first = Task { part: 0, pending, begun: None };
        let first = match self.guarded(|| self.work(&idle, &Alone, first))? {
            End::Done(collected) => return Some(collected),
            End::Share(task) => task,
            End::Stopped => return None,
        };
        let pool = Pool::new(first);
        node.run(workers, &|_| {
            while let Some(task) = pool.take() {
                let part = task.part;
                match self.guarded(|| self.work(&pool.idle, &pool, task)) {
                    Some(End::Done(collected)) => pool.done(part, collected),
                    _ => pool.stop(),
                }
            }
        });
        pool.into_collected(self.rules.accumulators)
    }

    /// Processes a task.
    fn work(&self, idle: &AtomicUsize, others: &dyn Others<N, A>, task: Task<N, A>) -> End<N, A> {
        let Task { part, pending, begun } = task;
        let mut calls = Calls::new(&self.rules, idle, others, part);
        let mut state = match begun {
            Some((collected, state)) => {
                calls.collected = collected;
                state
            }
            None => self.rules.fresh(),
        };
        let left = calls.make_all(pending, &mut state);
        self.made.fetch_add(calls.made, Ordering::Relaxed);
        let mut collected = calls.collected;
        match left {
            None => {
                collected.add(self.rules.accumulators, state);
                End::Done(collected)
            }
            Some((Leave::Share, pending)) => End::Share(Task { part, pending, begun: Some((collected, state)) }),
            Some((Leave::Stop, _)) => End::Stopped,
        }
    }

    /// Runs calls; `None` if they panic. The sequential traversal then decides.
    fn guarded<R>(&self, run: impl FnOnce() -> R) -> Option<R> {
        let _inside = enter_loop(self.rank);
        match catch_unwind(AssertUnwindSafe(|| tried(run))) {
            Ok(result) => Some(result),
            Err(payload) => {
                if let Ok(deep) = payload.downcast::<TooDeep>() {
                    lock(&self.too_deep).get_or_insert(deep.0);
                }
                None
            }
        }
    }
}
