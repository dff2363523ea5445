//! The state of the calling thread: in a loop's body, in a call.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

/// A rank, and the number of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    /// The rank.
    pub rank: usize,
    /// The number of ranks.
    pub ranks: usize,
}

impl Rank {
    /// A single rank.
    pub const SOLO: Rank = Rank { rank: 0, ranks: 1 };
}

impl Rank {
    /// Packs it into a nonzero word.
    fn pack(self) -> u64 {
        (self.rank as u64) << 32 | self.ranks as u64
    }

    fn unpack(word: u64) -> Option<Rank> {
        (word != 0).then_some(Rank { rank: (word >> 32) as usize, ranks: word as u32 as usize })
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "rank {} of {}", self.rank, self.ranks)
    }
}

thread_local! {
    /// The rank whose loop body this thread is in. Needs no destructor, so that it can be read while a thread ends.
    /// The rank is packed, so that entering and leaving a loop is one store each; 0 is no loop.
    static IN_LOOP: Cell<u64> = const { Cell::new(0) };
    /// The number of the loop body that this thread is in, and the number of those so far.
    static ENTRY: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
    /// The loop body for which something is kept; 0 is none.
    static KEEPS: Cell<u64> = const { Cell::new(0) };
    static KEPT: RefCell<Option<Rc<dyn Any>>> = const { RefCell::new(None) };
    /// The number of nested calls that began with a handshake and have not ended.
    static IN_CALL: Cell<u32> = const { Cell::new(0) };
}

/// Marks the calling thread as inside the body of a loop that `rank` runs, until the guard is dropped.
#[must_use = "the thread is in the loop only while the guard lives"]
#[inline]
pub fn enter_loop(rank: Rank) -> InLoop {
    let (entry, last) = ENTRY.get();
    ENTRY.set((last + 1, last + 1));
    InLoop { before: IN_LOOP.replace(rank.pack()), entry, thread: PhantomData }
}

/// A thread in a loop's body: see [`enter_loop`].
#[derive(Debug)]
pub struct InLoop {
    before: u64,
    /// The loop body around this one.
    entry: u64,
    /// The guard must be dropped on its own thread.
    thread: PhantomData<*const ()>,
}

impl Drop for InLoop {
    #[inline]
    fn drop(&mut self) {
        IN_LOOP.set(self.before);
        let (entry, last) = ENTRY.replace((self.entry, ENTRY.get().1));
        debug_assert!(entry <= last);
        if KEEPS.get() == entry {
            forget_kept();
        }
    }
}

/// Keeps a value until the thread leaves the loop body that it is in. Nothing is kept outside of loops, and one value at a time.
pub(super) fn keep_in_loop(value: impl FnOnce() -> Rc<dyn Any>) {
    let (entry, _) = ENTRY.get();
    if entry != 0 && KEEPS.get() != entry {
        KEEPS.set(entry);
        KEPT.set(Some(value()));
    }
}

/// The value that is kept for the loop body that this thread is in.
pub(super) fn kept_in_loop() -> Option<Rc<dyn Any>> {
    if KEEPS.get() == ENTRY.get().0 { KEPT.with_borrow(Clone::clone) } else { None }
}

#[cold]
fn forget_kept() {
    KEEPS.set(0);
    // While a thread ends, there may be no value any more.
    let _ = KEPT.try_with(RefCell::take);
}

/// Whether the calling thread is inside the body of an annotated loop.
#[inline]
pub fn in_loop() -> bool {
    IN_LOOP.get() != 0
}

/// Whether other ranks rely on the calling thread's rank: see `Context::agree`.
pub fn in_call() -> bool {
    IN_CALL.get() > 0
}

/// Resets the calls that were left by unwinding, so that the thread can run another program.
pub fn forget_calls() {
    IN_CALL.set(0);
}

/// The rank whose loop body this thread is in.
pub(super) fn rank_in_loop() -> Option<Rank> {
    Rank::unpack(IN_LOOP.get())
}

/// Begins a call.
pub(super) fn enter_call() {
    IN_CALL.set(IN_CALL.get() + 1);
}

/// Ends a call.
pub(super) fn leave_call() {
    IN_CALL.set(IN_CALL.get().saturating_sub(1));
}
