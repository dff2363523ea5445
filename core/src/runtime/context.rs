//! The context of a rank.

use super::agree::{self, Agreed, Along, Broken, Header, MERGING, Repeated, Value};
use super::cache::TypeMap;
use super::thread::{Rank, enter_call, leave_call};
use crate::comm::{Comm, FailedAt, Metered, Place, Solo, Traffic, set_place};
use crate::error::AnotherRankFailed;
use crate::node::{AnyNode, Node};
use crate::partners::Rooms;
use crate::settings::Settings;
use std::cell::{Cell, RefCell, RefMut};
use std::fmt;
use std::sync::Arc;

/// The context of a rank: its communicator, its node, its settings, and its position in the program.
pub struct Context {
    comm: Metered,
    /// Iterations of annotated loops that this rank ran.
    iterations: Cell<u64>,
    node: AnyNode,
    settings: Settings,
    rank: Rank,
    on_failure: OnFailure,
    calls: Cell<u64>,
    /// Repeated of this rank with the others.
    handshakes: Cell<u64>,
    repeated: RefCell<Repeated>,
    /// The values of the innermost call, until its deferred handshake.
    announced: RefCell<Option<Announced>>,
    location: Cell<Option<Location>>,
    /// Whether the last rank runs the first iterations of the current loop.
    backwards: Cell<bool>,
    broken: RefCell<Option<Broken>>,
    cache: TypeMap,
    rooms: RefCell<Rooms>,
}

/// The values of a call whose handshake is deferred.
struct Announced {
    function: &'static str,
    values: Vec<Value<'static>>,
}

/// The location of a panic in an annotated function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// The annotated function.
    pub function: &'static str,
    /// The iteration, from 0.
    pub iteration: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`, iteration {}", self.function, self.iteration)
    }
}

/// The reaction to a failed handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    /// They abort.
    Abort,
    /// All ranks unwind to the caller of the program, so that the next test can run.
    Unwind,
}

impl Context {
    /// A context for the calling thread.
    pub fn new(comm: Box<dyn Comm>, node: Arc<dyn Node>, settings: Settings) -> Context {
        Context {
            rank: Rank { rank: comm.rank(), ranks: comm.ranks() },
            comm: Metered::new(comm),
            iterations: Cell::new(0),
            node: AnyNode(node),
            settings,
            on_failure: OnFailure::Abort,
            calls: Cell::new(0),
            handshakes: Cell::new(0),
            repeated: RefCell::default(),
            announced: RefCell::default(),
            location: Cell::new(None),
            backwards: Cell::new(false),
            broken: RefCell::new(None),
            cache: TypeMap::default(),
            rooms: RefCell::default(),
        }
    }

    /// A context of a single rank with the same node and settings.
    pub(super) fn alone(&self) -> Context {
        let context = Context::new(Box::new(Solo), self.node.0.clone(), self.settings.clone());
        Context { on_failure: self.on_failure, ..context }
    }

    /// Buffers for messages of partners. Later calls reuse them, because to allocate them takes longer than to fill them.
    pub(crate) fn rooms(&self) -> RefMut<'_, Rooms> {
        self.rooms.borrow_mut()
    }

    /// Values that calls cache for later calls.
    pub(crate) fn cache(&self) -> &TypeMap {
        &self.cache
    }

    /// Sets the reaction to a failed handshake; the default is [`OnFailure::Abort`].
    pub fn on_failure(self, on_failure: OnFailure) -> Context {
        Context { on_failure, ..self }
    }

    /// The communicator. Not inline, for the reason of [`Solo::comm`].
    #[inline(never)]
    pub fn comm(&self) -> &dyn Comm {
        &self.comm
    }

    /// The traffic of this rank.
    pub fn traffic(&self) -> Traffic {
        self.comm.traffic()
    }

    /// Iterations of annotated loops that this rank has run.
    pub fn iterations(&self) -> u64 {
        self.iterations.get()
    }

    /// Counts iterations of a loop.
    pub(crate) fn count_iterations(&self, count: usize) {
        self.iterations.set(self.iterations.get() + count as u64);
    }

    /// The node. Not inline, as [`Context::comm`].
    #[inline(never)]
    pub fn node(&self) -> &dyn Node {
        &self.node
    }

    /// The same node, for other threads.
    pub(crate) fn shared_node(&self) -> Arc<dyn Node> {
        self.node.0.clone()
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// This rank, and the number of ranks.
    pub fn this_rank(&self) -> Rank {
        self.rank
    }

    /// This rank.
    #[inline]
    pub fn rank(&self) -> usize {
        self.rank.rank
    }

    /// The number of ranks.
    #[inline]
    pub fn ranks(&self) -> usize {
        self.rank.ranks
    }

    /// The number of annotated calls with a handshake so far.
    pub fn calls(&self) -> u64 {
        self.calls.get()
    }

    /// The location of a panic in a loop's body, for the message.
    pub fn location(&self) -> Option<Location> {
        self.location.get()
    }

    /// The position of a panic in the program, to compare it with other ranks.
    pub fn panicked_at(&self) -> FailedAt {
        let iteration = self.location.get().map_or(FailedAt::OUTSIDE, |location| location.iteration);
        FailedAt { number: self.handshakes.get(), iteration, backwards: self.backwards.get() }
    }

    /// Sets whether the last rank runs the first iterations of the loop.
    pub(crate) fn set_backwards(&self, backwards: bool) {
        self.backwards.set(backwards);
    }

    /// Declares that the current loop cannot fail on this rank any more.
    pub fn pass(&self) {
        self.comm.passed(self.handshakes.get());
    }

    /// Sets the location of a panic in a loop's body. Call it on this thread before it unwinds.
    pub fn set_location(&self, function: &'static str, iteration: usize) {
        self.location.set(Some(Location { function, iteration }));
    }

    /// The handshake: checks that all ranks make the same call, and returns the values of all ranks.
    ///
    /// A header with the number 0 begins a call. Until [`Context::done`] other ranks rely on this one, so a panic ends them
    /// all. A single rank needs no handshake.
    ///
    /// # Panics
    /// If the ranks call different functions, or a value that must agree differs: all ranks end with a message that names
    /// both sides.
    pub fn agree(&self, header: &Header<'_>) -> Agreed {
        self.settle();
        if header.number == 0 {
            self.calls.set(self.calls.get() + 1);
        }
        self.shake_hands(header, header.number == 0, &mut Along::default()).0
    }

    /// [`agree`](Context::agree), together with the deferred handshake of the call if there is one. Returns whether the attached messages
    /// are valid.
    pub(crate) fn agree_along(&self, header: &Header<'_>, along: &mut Along<'_>) -> bool {
        if self.announced.borrow().is_none() {
            self.calls.set(self.calls.get() + 1);
            return self.shake_hands(header, true, along).1;
        }
        let valid = self.agree_within(header, along).1;
        // The deferred handshake is over, and the call goes on.
        if self.rank.ranks > 1 {
            enter_call();
        }
        valid
    }

    /// A handshake before a call.
    pub(crate) fn agree_before(&self, header: &Header<'_>) {
        self.settle();
        self.calls.set(self.calls.get() + 1);
        self.shake_hands(header, false, &mut Along::default());
        self.calls.set(self.calls.get() - 1);
    }

    /// Begins a call with a deferred handshake: its values are part of the next handshake, or of [`Context::settle`].
    pub(crate) fn announce(&self, function: &'static str, values: Vec<Value<'static>>) {
        self.settle();
        self.calls.set(self.calls.get() + 1);
        self.announced.replace(Some(Announced { function, values }));
    }

    /// Makes the deferred handshake, if there is one.
    pub(crate) fn settle(&self) {
        if let Some(Announced { function, values }) = self.announced.take() {
            self.shake_hands(&Header { function, number: 0, values: &values }, true, &mut Along::default());
        }
    }

    /// Drops the deferred handshake of a call that unwinds.
    pub(crate) fn forget_announced(&self) {
        self.announced.take();
    }

    /// [`agree`](Context::agree) inside a call, together with its deferred handshake. Returns the values of all ranks, and whether
    /// the attached messages are valid.
    pub(crate) fn agree_within(&self, header: &Header<'_>, along: &mut Along<'_>) -> (Agreed, bool) {
        let announced = self.announced.take();
        let begins = announced.is_some();
        let mut values: Vec<Value<'_>> = announced.map_or(Vec::new(), |call| call.values);
        let before = values.len();
        values.extend_from_slice(header.values);
        let (mut agreed, valid) = self.shake_hands(&Header { values: &values, ..*header }, begins, along);
        agreed.forget(before);
        (agreed, valid)
    }

    fn shake_hands(&self, header: &Header<'_>, begins: bool, along: &mut Along<'_>) -> (Agreed, bool) {
        if self.rank.ranks == 1 {
            return (Agreed::alone(header), true);
        }
        if self.broken.borrow().is_some() {
            AnotherRankFailed::unwind();
        }
        self.pass();
        self.handshakes.set(self.handshakes.get() + 1);
        let place = match header.number {
            0 | MERGING => Place::Call(self.calls.get()),
            number => Place::Loop(number, self.calls.get()),
        };
        set_place(header.function, place);
        match agree::call(&self.comm, header, self.calls.get(), &mut self.repeated.borrow_mut(), along) {
            Ok(agreed) => {
                if begins {
                    enter_call();
                }
                agreed
            }
            Err(broken) => self.end(broken),
        }
    }

    /// The number of the last handshake, the same on all ranks.
    pub(crate) fn handshakes(&self) -> u64 {
        self.handshakes.get()
    }

    /// Ends the call that [`Context::agree`] began. Ranks that unwind together after a failed handshake call it too.
    pub fn done(&self) {
        leave_call();
    }

    /// The failed handshake, if there is one.
    pub fn broken(&self) -> Option<Broken> {
        self.broken.borrow().clone()
    }

    /// Ends all ranks after a failed handshake.
    pub(super) fn end(&self, broken: Broken) -> ! {
        let (rank, on_failure) = (self.rank.rank, self.on_failure);
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
            .field("place", &self.rank)
            .field("node", &self.node.name())
            .field("workers", &self.node.workers())
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
