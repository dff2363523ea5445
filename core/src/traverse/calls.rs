//! The pending calls of a worker.

use super::collected::{Collected, State};
use crate::accumulate::Accumulator;
use std::fmt;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// An entry of a worker's list of pending work.
pub(super) enum Pending<N, A: Accumulator> {
    /// A call: its depth, and its arguments.
    Call { depth: u32, arguments: N },
    /// Results of a body after a deferred call.
    Collected(State<A>),
    /// Results of earlier calls.
    All(Collected<A>),
}

/// The body of a call: it accumulates results and makes other calls.
pub(super) type Body<'t, N, A> = dyn Fn(&mut State<A>, N, &mut Calls<'_, N, A>) + Sync + 't;

/// The reason why a worker leaves its list before it is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leave {
    /// It has split off work for other workers.
    Share,
    /// Another worker panicked.
    Stop,
}

/// The other workers of a traversal.
pub(super) trait Others<N, A: Accumulator>: Sync {
    /// Splits off a part of a list. Returns a reason if the worker has to leave its list.
    fn split(&self, part: usize, pending: &mut Vec<Pending<N, A>>) -> Option<Leave>;
}

/// The payload of a panic: a call exceeds the depth limit.
pub(super) struct TooDeep(pub String);

/// The least time between two splits of a list, because a split takes about a microsecond.
const KEEP: Duration = Duration::from_micros(20);

/// The depth of calls on a worker's stack.
const STACK: u32 = 128;

/// The parameters of a traversal, which all workers share.
pub(super) struct Rules<'t, N, A: Accumulator> {
    pub accumulators: &'t A,
    pub body: &'t Body<'t, N, A>,
    /// Formats the arguments of a call.
    pub shown: &'t (dyn Fn(&N) -> String + Sync),
    /// The depth limit.
    pub depth: u32,
    /// Whether results after a call must stay behind the results of this call.
    pub between: bool,
}

impl<N, A: Accumulator> Rules<'_, N, A> {
    /// An empty state.
    pub(super) fn fresh(&self) -> State<A> {
        (self.accumulators.chunk(), self.accumulators.carry(false))
    }
}

/// The pending and the active calls of a worker.
#[allow(missing_debug_implementations)] // It holds closures.
pub struct Calls<'t, N, A: Accumulator> {
    /// The depth of the calls that the current body makes, and the limit for calls on the stack.
    depth: u32,
    limit: u32,
    /// Not 0 if other workers are idle.
    idle: &'t AtomicUsize,
    rules: &'t Rules<'t, N, A>,
    others: &'t dyn Others<N, A>,
    part: usize,
    /// In reverse order: the next entry is the last one.
    pending: Vec<Pending<N, A>>,
    /// The results before the first deferred call, if they must not merge with later ones.
    before: Option<State<A>>,
    /// Final results.
    pub(super) collected: Collected<A>,
    /// The time when the worker received its list or split it, and the number of requests since then.
    since: Instant,
    requests: u32,
    /// The number of calls made.
    pub(super) made: u64,
}

impl<'t, N, A: Accumulator> Calls<'t, N, A> {
    /// The calls of a worker in the part with this number.
    pub(super) fn new(
        rules: &'t Rules<'t, N, A>,
        idle: &'t AtomicUsize,
        others: &'t dyn Others<N, A>,
        part: usize,
    ) -> Self {
        let (pending, collected) = (Vec::new(), Collected::new(part == 0));
        let since = Instant::now();
        Calls {
            depth: 0,
            limit: 0,
            idle,
            rules,
            others,
            part,
            pending,
            before: None,
            collected,
            since,
            requests: 0,
            made: 0,
        }
    }

    /// A recursive call of the body.
    ///
    /// If no worker is idle, this is a plain call. Otherwise this call and all following ones are deferred until the stack is empty. The
    /// pending calls of all frames are then in the list, the ones nearest to the root first.
    #[inline(always)]
    pub fn call(&mut self, state: &mut State<A>, arguments: N) {
        if self.depth < self.limit && self.idle.load(Ordering::Relaxed) == 0 {
            self.keep_apart(state);
            self.make(state, arguments);
            self.keep_apart_after(state);
        } else {
            self.make_or_put_off(state, arguments);
        }
    }

    #[inline(always)]
    fn make(&mut self, state: &mut State<A>, arguments: N) {
        self.depth += 1;
        self.made += 1;
        (self.rules.body)(state, arguments, self);
        self.depth -= 1;
    }

    #[cold]
    #[inline(never)]
    fn make_or_put_off(&mut self, state: &mut State<A>, arguments: N) {
        if self.depth < self.limit && (self.idle.load(Ordering::Relaxed) == 0 || !self.is_due()) {
            self.keep_apart(state);
            self.make(state, arguments);
            return self.keep_apart_after(state);
        }
        if self.depth >= self.rules.depth {
            resume_unwind(Box::new(TooDeep((self.rules.shown)(&arguments))));
        }
        // From now on all calls are deferred.
        self.limit = 0;
        if self.rules.between {
            self.set_aside(state);
        }
        self.pending.push(Pending::Call { depth: self.depth + 1, arguments });
    }

    /// If the operator is not exact, the results between two calls merge as one unit, independently of the workers.
    #[inline(always)]
    fn keep_apart(&mut self, state: &mut State<A>) {
        if !A::EXACT {
            let chunk = std::mem::replace(&mut state.0, self.rules.accumulators.chunk());
            self.collected.add_chunk(self.rules.accumulators, chunk);
        }
    }

    /// The same after a call. Without results after calls, the next results belong to the next call.
    #[inline(always)]
    fn keep_apart_after(&mut self, state: &mut State<A>) {
        if !A::EXACT && self.rules.between {
            match self.limit {
                // Deferred calls below come first.
                0 => self.set_aside(state),
                _ => self.keep_apart(state),
            }
        }
    }

    /// Stores the results since the last deferred call behind that call.
    #[cold]
    fn set_aside(&mut self, state: &mut State<A>) {
        let collected = std::mem::replace(state, self.rules.fresh());
        match self.before {
            None => self.before = Some(collected),
            Some(_) => self.pending.push(Pending::Collected(collected)),
        }
    }

    /// Whether the worker should split its list now.
    fn is_due(&mut self) -> bool {
        self.requests += 1;
        // Reading the clock takes longer than a small call.
        self.requests.is_power_of_two() && self.since.elapsed() >= KEEP
    }

    /// Processes a list and all calls that follow from it. If it stops early, returns the reason and the rest of the list.
    pub(super) fn make_all(
        &mut self,
        pending: Vec<Pending<N, A>>,
        state: &mut State<A>,
    ) -> Option<(Leave, Vec<Pending<N, A>>)> {
        self.pending = pending;
        while let Some(next) = self.pending.pop() {
            match next {
                Pending::Call { depth, arguments } => {
                    let own = self.pending.len();
                    self.limit = depth.saturating_add(STACK).min(self.rules.depth);
                    self.begin(depth, arguments, state);
                    self.pending[own..].reverse();
                    self.keep_apart(state);
                }
                Pending::Collected((chunk, carry)) => {
                    let earlier = std::mem::replace(state, (chunk, carry));
                    self.collected.add(self.rules.accumulators, earlier);
                    self.keep_apart(state);
                }
                Pending::All(all) => {
                    let earlier = std::mem::replace(state, self.rules.fresh());
                    self.collected.add(self.rules.accumulators, earlier);
                    self.collected.append(self.rules.accumulators, all);
                }
            }
            if self.idle.load(Ordering::Relaxed) != 0
                && (self.limit == 0 || self.is_due())
                && let Some(leave) = self.split()
            {
                return Some((leave, std::mem::take(&mut self.pending)));
            }
        }
        None
    }

    /// Makes a call of the list. Deferred calls are added to the list, in order.
    fn begin(&mut self, depth: u32, arguments: N, state: &mut State<A>) {
        self.depth = depth;
        self.made += 1;
        (self.rules.body)(state, arguments, self);
        if let Some(before) = self.before.take() {
            self.pending.push(Pending::Collected(std::mem::replace(state, before)));
        }
    }

    /// The results of a call before its own calls, and these calls in order.
    pub(super) fn put_off(mut self, depth: u32, arguments: N) -> (State<A>, Vec<Pending<N, A>>) {
        let mut state = self.rules.fresh();
        self.limit = 0;
        self.begin(depth, arguments, &mut state);
        (state, self.pending)
    }

    fn split(&mut self) -> Option<Leave> {
        (self.since, self.requests) = (Instant::now(), 0);
        self.others.split(self.part, &mut self.pending)
    }
}

/// Formats an argument of a call by method resolution.
#[derive(Debug)]
pub struct Argument<'a, T: ?Sized>(pub &'a T);

/// Method resolution finds this trait for types that are `Debug`.
pub trait Shown {
    /// The formatted argument.
    fn __shown(&self) -> String;
}

impl<T: fmt::Debug + ?Sized> Shown for Argument<'_, T> {
    fn __shown(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// Method resolution finds this trait for all other types.
pub trait Unshown {
    /// A placeholder.
    fn __shown(&self) -> String;
}

impl<T: ?Sized> Unshown for &Argument<'_, T> {
    fn __shown(&self) -> String {
        "..".to_owned()
    }
}
