//! The calls that a worker has still to make.

use super::collected::{Collected, State};
use crate::accumulate::Accumulator;
use std::fmt;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What is still to be done, in a worker's list.
pub(super) enum Pending<N, A: Accumulator> {
    /// A call: how many calls are around it, and its arguments.
    Call { depth: u32, arguments: N },
    /// What a body has collected after a call that was put off: the call comes first.
    Collected(State<A>),
    /// What calls have collected that were made before.
    All(Collected<A>),
}

/// What one call does: it collects, and makes other calls.
pub(super) type Body<'t, N, A> = dyn Fn(&mut State<A>, N, &mut Calls<'_, N, A>) + Sync + 't;

/// Why a worker leaves its list before it is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leave {
    /// There is work for the other workers.
    Share,
    /// Another worker panicked.
    Stop,
}

/// Whoever else works on a traversal.
pub(super) trait Others<N, A: Accumulator>: Sync {
    /// Splits off a part of a list, or says why the worker is to leave.
    fn split(&self, part: usize, pending: &mut Vec<Pending<N, A>>) -> Option<Leave>;
}

/// A call that is deeper than the traversal may be, as a panic.
pub(super) struct TooDeep(pub String);

/// How long a worker keeps what it got before it gives away a part of it: handing over takes about a microsecond.
const KEEP: Duration = Duration::from_micros(20);

/// How many calls may be inside of each other on a worker's stack.
const STACK: u32 = 128;

/// What a traversal is like, for all its workers.
pub(super) struct Rules<'t, N, A: Accumulator> {
    pub accumulators: &'t A,
    pub body: &'t Body<'t, N, A>,
    /// The arguments of a call in words.
    pub shown: &'t (dyn Fn(&N) -> String + Sync),
    /// How many calls may be around a call.
    pub depth: u32,
    /// Whether what a body collects after a call has to stay behind what that call collects.
    pub between: bool,
}

impl<N, A: Accumulator> Rules<'_, N, A> {
    /// Nothing.
    pub(super) fn fresh(&self) -> State<A> {
        (self.accumulators.chunk(), self.accumulators.carry(false))
    }
}

/// The calls that a worker has still to make, and those that it is in the middle of.
#[allow(missing_debug_implementations)] // It holds closures.
pub struct Calls<'t, N, A: Accumulator> {
    /// How many calls are around the ones that the current body makes, and how many there may be on the stack.
    depth: u32,
    limit: u32,
    /// Not 0 where another worker has nothing to do.
    asks: &'t AtomicUsize,
    rules: &'t Rules<'t, N, A>,
    others: &'t dyn Others<N, A>,
    part: usize,
    /// The next one last.
    pending: Vec<Pending<N, A>>,
    /// What was collected before the first call that was put off, where it is kept apart from what comes after.
    before: Option<State<A>>,
    /// What was collected and is not changed any more.
    pub(super) collected: Collected<A>,
    /// When the worker got its list, or gave away a part of it, and how often it was asked for one since.
    since: Instant,
    asked: u32,
    /// How many calls were made.
    pub(super) made: u64,
}

impl<'t, N, A: Accumulator> Calls<'t, N, A> {
    /// A worker's, of the part with this number.
    pub(super) fn new(
        rules: &'t Rules<'t, N, A>,
        asks: &'t AtomicUsize,
        others: &'t dyn Others<N, A>,
        part: usize,
    ) -> Self {
        let (pending, collected) = (Vec::new(), Collected::new(part == 0));
        let since = Instant::now();
        Calls {
            depth: 0,
            limit: 0,
            asks,
            rules,
            others,
            part,
            pending,
            before: None,
            collected,
            since,
            asked: 0,
            made: 0,
        }
    }

    /// The body calls its function.
    ///
    /// As long as nobody asks for work this is a call like any other. Otherwise it is put off, and so are all that follow until
    /// the stack is empty: then the calls that are left of all bodies on it are in the list, those nearest to the root first.
    #[inline(always)]
    pub fn call(&mut self, state: &mut State<A>, arguments: N) {
        if self.depth < self.limit && self.asks.load(Ordering::Relaxed) == 0 {
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
        if self.depth < self.limit && (self.asks.load(Ordering::Relaxed) == 0 || !self.is_due()) {
            self.keep_apart(state);
            self.make(state, arguments);
            return self.keep_apart_after(state);
        }
        if self.depth >= self.rules.depth {
            resume_unwind(Box::new(TooDeep((self.rules.shown)(&arguments))));
        }
        // From now on all calls are put off.
        self.limit = 0;
        if self.rules.between {
            self.set_aside(state);
        }
        self.pending.push(Pending::Call { depth: self.depth + 1, arguments });
    }

    /// Where the grouping makes a difference, what is collected between two calls is merged as a whole, whoever makes the calls.
    #[inline(always)]
    fn keep_apart(&mut self, state: &mut State<A>) {
        if !A::EXACT {
            let chunk = std::mem::replace(&mut state.0, self.rules.accumulators.chunk());
            self.collected.add_chunk(self.rules.accumulators, chunk);
        }
    }

    /// The same after a call. Where bodies collect nothing after calls, what is collected next belongs to a call that begins.
    #[inline(always)]
    fn keep_apart_after(&mut self, state: &mut State<A>) {
        if !A::EXACT && self.rules.between {
            match self.limit {
                // Calls were put off below, and come first.
                0 => self.set_aside(state),
                _ => self.keep_apart(state),
            }
        }
    }

    /// What was collected since the last call that was put off stays behind that one.
    #[cold]
    fn set_aside(&mut self, state: &mut State<A>) {
        let collected = std::mem::replace(state, self.rules.fresh());
        match self.before {
            None => self.before = Some(collected),
            Some(_) => self.pending.push(Pending::Collected(collected)),
        }
    }

    /// Whether the worker is to give away something.
    fn is_due(&mut self) -> bool {
        self.asked += 1;
        // Looking at the clock takes longer than a small call.
        self.asked.is_power_of_two() && self.since.elapsed() >= KEEP
    }

    /// Does all that is in a list, whose next entry is the last one, and that follows from it. Returns why it did not, and what is left.
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
            if self.asks.load(Ordering::Relaxed) != 0
                && (self.limit == 0 || self.is_due())
                && let Some(leave) = self.split()
            {
                return Some((leave, std::mem::take(&mut self.pending)));
            }
        }
        None
    }

    /// Makes a call of the list. Those that were put off meanwhile are in the list then, in their order.
    fn begin(&mut self, depth: u32, arguments: N, state: &mut State<A>) {
        self.depth = depth;
        self.made += 1;
        (self.rules.body)(state, arguments, self);
        if let Some(before) = self.before.take() {
            self.pending.push(Pending::Collected(std::mem::replace(state, before)));
        }
    }

    /// What a call collects before the calls that it makes, and these in their order.
    pub(super) fn put_off(mut self, depth: u32, arguments: N) -> (State<A>, Vec<Pending<N, A>>) {
        let mut state = self.rules.fresh();
        self.limit = 0;
        self.begin(depth, arguments, &mut state);
        (state, self.pending)
    }

    fn split(&mut self) -> Option<Leave> {
        (self.since, self.asked) = (Instant::now(), 0);
        self.others.split(self.part, &mut self.pending)
    }
}

/// An argument of a call, for a message.
#[derive(Debug)]
pub struct Argument<'a, T: ?Sized>(pub &'a T);

/// Found for arguments that can be printed.
pub trait Shown {
    /// As they are printed.
    fn shown(&self) -> String;
}

impl<T: fmt::Debug + ?Sized> Shown for Argument<'_, T> {
    fn shown(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// Found for all others.
pub trait Unshown {
    /// That there is one.
    fn shown(&self) -> String;
}

impl<T: ?Sized> Unshown for &Argument<'_, T> {
    fn shown(&self) -> String {
        "..".to_owned()
    }
}
