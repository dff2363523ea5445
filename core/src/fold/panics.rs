//! Early ends of a loop: panics in its body, and a hidden `break`.

use crate::call::Call;
use crate::error::{AnotherRankFailed, panic_message};
use crate::lock::lock;
use crate::runtime::tried;
use std::any::Any;
use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static PANICKED_AT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The start of the piece, the iteration, and the payload.
type FirstPanic = (usize, usize, Box<dyn Any + Send>);

/// The first panic of a loop, in the order of its iterations.
pub(super) struct Panics {
    stop: AtomicBool,
    first: Mutex<Option<FirstPanic>>,
}

impl Panics {
    pub(super) fn new() -> Self {
        Panics { stop: AtomicBool::new(false), first: Mutex::new(None) }
    }

    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether a piece before this position has panicked.
    pub(super) fn before(&self, position: usize) -> bool {
        self.stopped() && lock(&self.first).as_ref().is_some_and(|(earlier, ..)| *earlier < position)
    }

    /// Runs a piece that starts at `position`; `None` when it panics.
    pub(super) fn guard<R>(&self, position: usize, piece: impl FnOnce() -> R) -> Option<R> {
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

    /// Runs a speculative piece silently; `None` if it panics. The sequential loop need not panic there, because it has other values.
    pub(super) fn guard_speculative<R>(&self, position: usize, piece: impl FnOnce() -> R) -> Option<R> {
        self.guard(position, || tried(piece))
    }

    /// Discards a speculative piece, as if it had panicked.
    pub(super) fn fail<R>(&self, position: usize) -> Option<R> {
        self.guard(position, || resume_unwind(Box::new("what a part of the loop comes to is out of range")))
    }

    /// The iteration of the first panic, if there is one.
    pub(super) fn iteration(&self) -> Option<usize> {
        lock(&self.first).as_ref().map(|(_, iteration, _)| *iteration)
    }

    /// Raises the first panic, which was silent before.
    pub(super) fn say(&self, call: &Call) -> ! {
        let first = lock(&self.first).take();
        let message = first.as_ref().map_or("", |(.., payload)| panic_message(&**payload)).to_owned();
        first.iter().for_each(|(_, iteration, _)| call.context.set_location(call.meta.name, *iteration));
        panic!("{message}")
    }

    /// Resumes the first panic, if there is one.
    pub(super) fn resume(&self, call: &Call) {
        if let Some((_, iteration, payload)) = lock(&self.first).take() {
            if !payload.is::<AnotherRankFailed>() {
                call.context.set_location(call.meta.name, iteration);
            }
            resume_unwind(payload);
        }
    }
}

/// The state that a kernel returned.
///
/// # Panics
/// Never: a kernel that does not panic returns its state.
#[inline(always)]
pub fn returned<S>(state: Option<S>) -> S {
    match state {
        Some(state) => state,
        None => unreachable!("a kernel lost its state"),
    }
}

/// The current iteration, for the message of a panic. Free of cost if the body cannot panic.
#[derive(Debug)]
pub struct At {
    /// The position of the current iteration.
    pub position: usize,
}

impl At {
    /// Before the first iteration.
    #[inline(always)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        At { position: 0 }
    }

    /// Ends the iterations without a panic.
    #[inline(always)]
    pub fn done(self) {
        std::mem::forget(self);
    }

    /// Takes the position of the last panic on this thread.
    fn taken() -> Option<usize> {
        PANICKED_AT.take()
    }
}

impl Drop for At {
    #[cold]
    fn drop(&mut self) {
        PANICKED_AT.set(Some(self.position));
    }
}

/// Records whether a loop ran all its iterations: the compiler does not see a `break` inside a macro.
#[derive(Debug)]
pub struct Through(Cell<bool>);

impl Through {
    /// A loop that has not ended.
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
