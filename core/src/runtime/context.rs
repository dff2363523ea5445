//! What one rank knows.

use super::agree::{self, Agreed, Along, Broken, Header, MERGING, Said, Value};
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

/// What one rank knows: its ranks, its machine, its settings, and where it is in the program.
pub struct Context {
    comm: Metered,
    /// Iterations of annotated loops that this rank ran.
    iterations: Cell<u64>,
    node: AnyNode,
    settings: Settings,
    rank: Rank,
    on_failure: OnFailure,
    calls: Cell<u64>,
    /// Handshakes of this rank with the others.
    handshakes: Cell<u64>,
    said: RefCell<Said>,
    /// What the innermost call is made with, while the ranks have not agreed on it yet.
    announced: RefCell<Option<Announced>>,
    location: Cell<Option<Location>>,
    /// Whether the last ranks run the first iterations of the current loop.
    backwards: Cell<bool>,
    broken: RefCell<Option<Broken>>,
    cache: TypeMap,
    rooms: RefCell<Rooms>,
}

/// What a call is made with that does not depend on what other ranks say.
struct Announced {
    function: &'static str,
    values: Vec<Value<'static>>,
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
            said: RefCell::default(),
            announced: RefCell::default(),
            location: Cell::new(None),
            backwards: Cell::new(false),
            broken: RefCell::new(None),
            cache: TypeMap::default(),
            rooms: RefCell::default(),
        }
    }

    /// One of a single rank, on the same machine with the same settings.
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

    /// This rank runs so many iterations of a loop.
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
    pub fn this_rank(&self) -> Rank {
        self.rank
    }

    /// This rank.
    #[inline]
    pub fn rank(&self) -> usize {
        self.rank.rank
    }

    /// How many ranks there are.
    #[inline]
    pub fn ranks(&self) -> usize {
        self.rank.ranks
    }

    /// How many annotated calls this rank has made so far, as far as they were announced with [`Context::agree`].
    pub fn calls(&self) -> u64 {
        self.calls.get()
    }

    /// Where a loop's body panicked, for the message.
    pub fn location(&self) -> Option<Location> {
        self.location.get()
    }

    /// Where in the program a panic of this rank is, to be compared with those of other ranks.
    pub fn panicked_at(&self) -> FailedAt {
        let iteration = self.location.get().map_or(FailedAt::OUTSIDE, |location| location.iteration);
        FailedAt { number: self.handshakes.get(), iteration, backwards: self.backwards.get() }
    }

    /// The last ranks run the first iterations of the loop that begins, or the first ones do.
    pub(crate) fn set_backwards(&self, backwards: bool) {
        self.backwards.set(backwards);
    }

    /// What the last handshake has begun will not fail on this rank any more.
    pub fn pass(&self) {
        self.comm.passed(self.handshakes.get());
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
        self.settle();
        if header.number == 0 {
            self.calls.set(self.calls.get() + 1);
        }
        self.shake_hands(header, header.number == 0, &mut Along::default()).0
    }

    /// Lets the ranks agree on something about the call that they are about to make.
    pub(crate) fn agree_before(&self, header: &Header<'_>) {
        self.settle();
        self.calls.set(self.calls.get() + 1);
        self.shake_hands(header, false, &mut Along::default());
        self.calls.set(self.calls.get() - 1);
    }

    /// Begins a call whose values depend on nothing that other ranks say: they are told with the next handshake, of whatever it
    /// is, or by [`Context::settle`].
    pub(crate) fn announce(&self, function: &'static str, values: Vec<Value<'static>>) {
        self.settle();
        self.calls.set(self.calls.get() + 1);
        self.announced.replace(Some(Announced { function, values }));
    }

    /// Tells the others what was announced, if they have not heard of it.
    pub(crate) fn settle(&self) {
        if let Some(Announced { function, values }) = self.announced.take() {
            self.shake_hands(&Header { function, number: 0, values: &values }, true, &mut Along::default());
        }
    }

    /// Takes back what was announced: the call does not come to its end.
    pub(crate) fn forget_announced(&self) {
        self.announced.take();
    }

    /// [`agree`](Context::agree) in the middle of a call, together with what was announced of it. Returns everybody's values
    /// of the header, and whether what went along is valid.
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
        match agree::call(&self.comm, header, self.calls.get(), &mut self.said.borrow_mut(), along) {
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

    /// Ends what [`Context::agree`] began: no rank waits for this one any more. Ranks that unwind out of a call all
    /// together, having told each other so, call it too.
    pub fn done(&self) {
        leave_call();
    }

    /// The handshake that this rank failed together with all others, if it did.
    pub fn broken(&self) -> Option<Broken> {
        self.broken.borrow().clone()
    }

    /// All ranks know that they cannot go on, and one of them says why.
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
