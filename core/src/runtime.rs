//! The ambient runtime: what an annotated call finds on the thread that makes it.
//!
//! A [`Context`] belongs to one rank and lives on the thread that runs the rank's program: it knows the ranks ([`Comm`]),
//! the machine ([`Node`]) and the [`Settings`]. Entering the program installs one ([`install`]); a thread that has none
//! gets one of its own at its first annotated call, as a single rank.
//!
//! Inside the body of an annotated loop ([`enter_loop`]) the ranks and threads are busy already, so annotated calls made
//! there find a context of a single rank and a serial node.

mod agree;
pub mod launch;
mod panics;

pub use agree::{Agreed, Broken, End, Header, MAX_VALUES, Value, close};
pub use panics::{PanicNote, panic_note, record_panics, watch_panics};

use crate::comm::{Comm, Metered, Solo, Traffic};
use crate::error::AnotherRankFailed;
use crate::gather::Schedules;
use crate::node::{Held, Node, Serial};
use crate::settings::Settings;
use std::cell::{Cell, RefCell, RefMut};
use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

/// What one rank knows: its ranks, its machine, its settings, and where it is in the program.
pub struct Context {
    comm: Metered,
    /// Iterations of annotated loops that this rank ran.
    iterations: Cell<u64>,
    node: Held,
    settings: Settings,
    place: Place,
    on_failure: OnFailure,
    calls: Cell<u64>,
    location: Cell<Option<Location>>,
    broken: RefCell<Option<Broken>>,
    /// What loops have asked for, to be asked once.
    schedules: RefCell<Schedules>,
}

/// A rank, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The rank.
    pub rank: usize,
    /// How many there are.
    pub ranks: usize,
}

impl Place {
    /// One rank alone.
    pub const SOLO: Place = Place { rank: 0, ranks: 1 };
}

impl Place {
    /// One word, which is not 0.
    fn pack(self) -> u64 {
        (self.rank as u64) << 32 | self.ranks as u64
    }

    fn unpack(word: u64) -> Option<Place> {
        (word != 0).then_some(Place { rank: (word >> 32) as usize, ranks: word as u32 as usize })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "rank {} of {}", self.rank, self.ranks)
    }
}

/// Where in an annotated function a rank panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// The annotated function.
    pub function: &'static str,
    /// Which iteration, counted from 0.
    pub iteration: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`, iteration {}", self.function, self.iteration)
    }
}

/// What ranks do when they find out, all at once, that one of them cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    /// They abort.
    Abort,
    /// They unwind, all of them, to whoever runs the ranks' program: the next test can then run.
    Unwind,
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<Context>>> = const { RefCell::new(None) };
    static INNER: RefCell<Option<Rc<Context>>> = const { RefCell::new(None) };
    /// The rank whose loop body this thread is in. Needs no destructor, so that it can be read while a thread ends.
    /// The place is packed, so that entering and leaving a loop is one store each; 0 is no loop.
    static IN_LOOP: Cell<u64> = const { Cell::new(0) };
    /// How many calls this thread's rank has begun with a handshake and not ended: a call may contain others.
    static IN_CALL: Cell<u32> = const { Cell::new(0) };
}

impl Context {
    /// A context for the calling thread.
    pub fn new(comm: Box<dyn Comm>, node: Arc<dyn Node>, settings: Settings) -> Context {
        Context {
            place: Place { rank: comm.rank(), ranks: comm.ranks() },
            comm: Metered::new(comm),
            iterations: Cell::new(0),
            node: Held(node),
            settings,
            on_failure: OnFailure::Abort,
            calls: Cell::new(0),
            location: Cell::new(None),
            broken: RefCell::new(None),
            schedules: RefCell::default(),
        }
    }

    /// The schedules that are known.
    pub(crate) fn schedules(&self) -> RefMut<'_, Schedules> {
        self.schedules.borrow_mut()
    }

    /// Chooses what happens when a handshake fails; [`OnFailure::Abort`] unless told.
    pub fn on_failure(self, on_failure: OnFailure) -> Context {
        Context { on_failure, ..self }
    }

    /// The ranks.
    pub fn comm(&self) -> &dyn Comm {
        &self.comm
    }

    /// What this rank has sent and received.
    pub fn traffic(&self) -> Traffic {
        self.comm.traffic()
    }

    /// Iterations of annotated loops that this rank has run.
    pub fn iterations(&self) -> u64 {
        self.iterations.get()
    }

    pub(crate) fn count_iterations(&self, count: usize) {
        self.iterations.set(self.iterations.get() + count as u64);
    }

    /// The machine.
    pub fn node(&self) -> &dyn Node {
        &self.node
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// This rank, and how many there are.
    pub fn place(&self) -> Place {
        self.place
    }

    /// This rank.
    #[inline]
    pub fn rank(&self) -> usize {
        self.place.rank
    }

    /// How many ranks there are.
    #[inline]
    pub fn ranks(&self) -> usize {
        self.place.ranks
    }

    /// How many annotated calls this rank has made so far, as far as they were announced with [`Context::agree`].
    pub fn calls(&self) -> u64 {
        self.calls.get()
    }

    /// Where a loop's body panicked, for the message.
    pub fn location(&self) -> Option<Location> {
        self.location.get()
    }

    /// Says where the loop's body panicked. To be called on this thread before it unwinds.
    pub fn set_location(&self, function: &'static str, iteration: usize) {
        self.location.set(Some(Location { function, iteration }));
    }

    /// Tells all ranks which call this rank makes and checks that they make the same one; returns everybody's values.
    ///
    /// A header with the number 0 begins a call. Between it and [`Context::done`] other ranks count on this one, so a panic
    /// in between ends them all. A single rank agrees with itself and pays nothing for it.
    ///
    /// # Panics
    /// When the ranks call different functions, or a value that must agree does not: all ranks end with a message that
    /// names both sides.
    pub fn agree(&self, header: &Header<'_>) -> Agreed {
        if header.number == 0 {
            self.calls.set(self.calls.get() + 1);
        }
        if self.place.ranks == 1 {
            return Agreed::alone(header);
        }
        if self.broken.borrow().is_some() {
            AnotherRankFailed::unwind();
        }
        match agree::call(&self.comm, header, self.calls.get()) {
            Ok(agreed) => {
                if header.number == 0 {
                    IN_CALL.set(IN_CALL.get() + 1);
                }
                agreed
            }
            Err(broken) => self.end(broken),
        }
    }

    /// Ends what [`Context::agree`] began: no rank waits for this one any more. Ranks that unwind out of a call all
    /// together, having told each other so, call it too.
    pub fn done(&self) {
        IN_CALL.set(IN_CALL.get().saturating_sub(1));
    }

    /// The handshake that this rank failed together with all others, if it did.
    pub fn broken(&self) -> Option<Broken> {
        self.broken.borrow().clone()
    }

    /// All ranks know that they cannot go on, and one of them says why.
    fn end(&self, broken: Broken) -> ! {
        let (rank, on_failure) = (self.place.rank, self.on_failure);
        let speaks = broken.failed.is_none() && rank == 0;
        let message = if speaks { broken.message.clone() } else { String::new() };
        self.broken.replace(Some(broken));
        match on_failure {
            OnFailure::Abort => self.comm.abort(&message),
            OnFailure::Unwind => AnotherRankFailed::unwind(),
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Context")
            .field("comm", &self.comm.name())
            .field("place", &self.place)
            .field("node", &self.node.name())
            .field("workers", &self.node.workers())
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// Makes `context` the calling thread's until the guard is dropped, which restores the one before.
#[must_use = "the context is in force only while the guard lives"]
pub fn install(context: Context) -> Installed {
    let context = Rc::new(context);
    let before = CURRENT.replace(Some(context.clone()));
    Installed { context, before }
}

/// A context in force: see [`install`].
#[derive(Debug)]
pub struct Installed {
    context: Rc<Context>,
    before: Option<Rc<Context>>,
}

impl std::ops::Deref for Installed {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        CURRENT.set(self.before.take());
    }
}

/// Calls `f` with the context in force. A thread that has none keeps the one that `starter` makes.
///
/// Costs a few nanoseconds.
#[inline]
pub fn with_current<R>(starter: fn() -> Context, f: impl FnOnce(&Context) -> R) -> R {
    f(&current_or(starter))
}

/// The context in force. A thread that has none keeps the one that `starter` makes.
#[inline]
pub fn current_or(starter: fn() -> Context) -> Rc<Context> {
    current().unwrap_or_else(|| keep(starter()))
}

#[cold]
fn keep(context: Context) -> Rc<Context> {
    let context = Rc::new(context);
    CURRENT.set(Some(context.clone()));
    context
}

/// The context in force, if the thread has one.
#[inline]
pub fn current() -> Option<Rc<Context>> {
    if in_loop() { Some(inner()) } else { CURRENT.with_borrow(Clone::clone) }
}

/// The context in force inside a loop's body.
#[cold]
fn inner() -> Rc<Context> {
    let make = || Rc::new(Context::new(Box::new(Solo), Arc::new(Serial), Settings::default()));
    INNER.with_borrow_mut(|inner| inner.get_or_insert_with(make).clone())
}

/// Calls `f` with the ranks of the context in force, or with a single rank.
pub fn with_comm<R>(f: impl FnOnce(&dyn Comm) -> R) -> R {
    match current() {
        Some(context) => f(context.comm()),
        None => f(&Solo),
    }
}

/// The rank of the program that the calling thread works for; 0 where nothing was started.
#[inline]
pub fn rank() -> usize {
    place().rank
}

/// How many ranks run the program; 1 where nothing was started.
#[inline]
pub fn ranks() -> usize {
    place().ranks
}

/// Who runs the loops of the calling thread's rank: `serial`, `threads`, `gpu`; `serial` where nothing was started.
pub fn backend() -> &'static str {
    current().map_or("serial", |context| context.node().name())
}

/// Both at once. Inside a loop's body this is the rank that runs the loop, on all of its threads.
#[inline]
pub fn place() -> Place {
    let current = || CURRENT.try_with(|current| current.borrow().as_ref().map(|context| context.place)).ok().flatten();
    Place::unpack(IN_LOOP.get()).or_else(current).unwrap_or(Place::SOLO)
}

/// Marks the calling thread as inside the body of a loop that `place` runs, until the guard is dropped.
#[must_use = "the thread is in the loop only while the guard lives"]
#[inline]
pub fn enter_loop(place: Place) -> InLoop {
    InLoop { before: IN_LOOP.replace(place.pack()), thread: PhantomData }
}

/// A thread in a loop's body: see [`enter_loop`].
#[derive(Debug)]
pub struct InLoop {
    before: u64,
    /// The guard must be dropped on its own thread.
    thread: PhantomData<*const ()>,
}

impl Drop for InLoop {
    #[inline]
    fn drop(&mut self) {
        IN_LOOP.set(self.before);
    }
}

/// Whether the calling thread is inside the body of an annotated loop.
#[inline]
pub fn in_loop() -> bool {
    IN_LOOP.get() != 0
}

/// Whether other ranks count on the calling thread's rank: see [`Context::agree`].
pub fn in_call() -> bool {
    IN_CALL.get() > 0
}

/// Forgets calls that were left by unwinding, so that the thread can run another program.
pub fn forget_calls() {
    IN_CALL.set(0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::Local;

    fn solo() -> Context {
        Context::new(Box::new(Solo), Arc::new(Serial), Settings { explain: true, ..Settings::default() })
    }

    fn local(comm: Local) -> Context {
        Context::new(Box::new(comm), Arc::new(Serial), Settings::default())
    }

    #[test]
    fn a_thread_without_a_context_keeps_the_one_it_makes() {
        assert_eq!((rank(), ranks()), (0, 1));
        with_current(solo, |context| {
            context.agree(&Header { function: "f", number: 0, values: &[] });
        });
        with_current(|| unreachable!("the thread has a context"), |context| assert_eq!(context.calls(), 1));
    }

    #[test]
    fn contexts_nest() {
        let outer = install(solo());
        drop(install(Context::new(Box::new(Solo), Arc::new(Serial), Settings::default())));
        assert!(with_current(|| unreachable!("installed"), |context| context.settings().explain));
        assert_eq!(outer.comm().name(), "solo");
        drop(outer);
        assert!(current().is_none());
    }

    #[test]
    fn a_loop_body_is_a_single_rank_for_calls_and_keeps_the_rank_it_works_for() {
        let ranks = Local::run(3, |comm| {
            let context = install(local(comm));
            let place = context.place();
            std::thread::scope(|scope| {
                scope
                    .spawn(|| {
                        let _loop = enter_loop(place);
                        let calls = with_current(|| unreachable!("in a loop"), |context| context.comm().ranks());
                        assert_eq!((calls, super::ranks(), in_loop()), (1, 3, true));
                        rank()
                    })
                    .join()
                    .unwrap()
            })
        });
        assert_eq!(ranks, [0, 1, 2]);
        assert!(!in_loop());
    }

    #[test]
    fn ranks_that_agree_learn_each_others_values() {
        let results = Local::run(3, |comm| {
            let context = install(local(comm));
            let values = [Value::same("the end of the loop", 12), Value::own("the length of `x`", rank() as u64)];
            let agreed = context.agree(&Header { function: "f", number: 0, values: &values });
            assert!(in_call());
            context.done();
            agreed.of(1).collect::<Vec<_>>()
        });
        assert_eq!(results, [[0, 1, 2], [0, 1, 2], [0, 1, 2]]);
    }

    fn disagreement(ranks: usize, program: impl Fn(&Context) + Sync) -> String {
        let failure = Local::try_run(ranks, |comm| {
            let context = install(local(comm));
            program(&context);
            match close(context.comm(), "main", context.calls(), End::Finished) {
                Ok(_) => {}
                Err(broken) => context.end(broken),
            }
        });
        failure.unwrap_err().message
    }

    #[test]
    fn different_functions_are_named() {
        let message = disagreement(3, |context| {
            context.agree(&Header { function: "first", number: 0, values: &[] });
            let function = if rank() == 2 { "there" } else { "here" };
            context.agree(&Header { function, number: 0, values: &[] });
        });
        assert_eq!(
            message,
            "the ranks do not make the same calls: rank 0 calls `here` (call 2), rank 2 calls `there` (call 2)"
        );
    }

    #[test]
    fn different_values_are_named() {
        let message = disagreement(3, |context| {
            let values = [Value::own("free", rank() as u64), Value::same("the length of `x`", 12 - rank() as u64 / 2)];
            context.agree(&Header { function: "f", number: 0, values: &values });
        });
        assert_eq!(
            message,
            "the ranks call `f` (call 1) differently: the length of `x` is 12 on rank 0 and 11 on rank 2"
        );
    }

    #[test]
    fn different_loops_are_named() {
        let message = disagreement(2, |context| {
            context.agree(&Header { function: "f", number: 0, values: &[] });
            context.agree(&Header { function: "f", number: 1 + rank() as u32, values: &[] });
        });
        assert_eq!(
            message,
            "the ranks do not make the same calls: rank 0 is at loop 1 of `f` (call 1), rank 1 is at loop 2 of `f` (call 1)"
        );
    }

    #[test]
    fn one_call_fewer_is_named() {
        let message = disagreement(4, |context| {
            for _ in 0..if rank() == 1 { 6 } else { 7 } {
                context.agree(&Header { function: "f", number: 0, values: &[] });
            }
        });
        assert_eq!(
            message,
            "the ranks do not make the same calls: rank 0 calls `f` (call 7), rank 1 reached the end of main (after 6 calls)"
        );
    }

    #[test]
    fn ranks_can_unwind_together() {
        let results = Local::run(3, |comm| {
            let context = install(local(comm).on_failure(OnFailure::Unwind));
            let function = if rank() == 1 { "a" } else { "b" };
            let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                context.agree(&Header { function, number: 0, values: &[] });
            }));
            (unwound.is_err(), in_call(), context.broken().map(|broken| broken.message))
        });
        let message = "the ranks do not make the same calls: rank 0 calls `b` (call 1), rank 1 calls `a` (call 1)";
        assert_eq!(results, vec![(true, false, Some(message.to_owned())); 3]);
    }
}
