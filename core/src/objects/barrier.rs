//! Barriers in tasks: each task is cut in two, and its values stay on its rank in between.

use super::carried::Carried;
use crate::lock::lock;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Mutex;

/// In a loop over the tiles of an object: all tasks come here before any of them goes on.
///
/// The compiler cuts the tasks at the barrier, so that no thread waits. Variables of the task keep their values. The barrier is a statement
/// of the loop's own body, and not inside of a branch or another loop.
///
/// Without an attribute, the tasks run one after the other, and a barrier does nothing: then later tasks read what earlier ones have
/// written behind it.
///
/// # Panics
/// In a task, if the compiler has not cut it there: under another name, or in a function that the loop calls.
///
/// ```
/// # mod forall { pub use forall_core::objects::barrier; }
/// // In a function with the attribute `#[foreach]`:
/// // for tile in plane.tiles([64, 64]) {
/// //     let means = ..;   // reads the tile with a margin
/// //     forall::barrier();
/// //     ..                // writes `means` to the tile
/// // }
/// forall::barrier();
/// ```
pub fn barrier() -> Barrier {
    assert!(
        !IN_TASK.get(),
        "a task comes to a barrier that the compiler has not seen: write `barrier();` as a statement of the loop's own body, by this name"
    );
    Barrier
}

thread_local! {
    /// Whether a task runs on this thread.
    static IN_TASK: Cell<bool> = const { Cell::new(false) };
}

/// A task runs on this thread, until this is dropped.
#[derive(Debug)]
pub(super) struct Running(PhantomData<*const ()>);

impl Running {
    pub fn begin() -> Running {
        IN_TASK.set(true);
        Running(PhantomData)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        IN_TASK.set(false);
    }
}

/// The result of [`barrier`]. The compiler knows the function by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Barrier;

/// Where tasks are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// At their end.
    End,
    Barrier,
    /// Where they wait for elements.
    Wait,
    /// Where elements begin to arrive.
    Begin,
}

/// The values that the tasks of a region keep for those of the next one.
#[doc(hidden)]
pub struct Kept<T> {
    /// By the position of the iteration.
    values: Mutex<HashMap<usize, T>>,
    /// The ranks of the tasks.
    placed: OnceCell<Vec<usize>>,
    /// Their declarations.
    carried: RefCell<Carried>,
    cut: Cut,
}

impl<T> Kept<T> {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Kept { values: Mutex::default(), placed: OnceCell::new(), carried: RefCell::default(), cut: Cut::Barrier }
    }

    /// The values of tasks that are cut where they wait for elements. The parts do not overlap in time, and give the result of tasks in one
    /// piece.
    pub fn joined() -> Self {
        Kept { cut: Cut::Wait, ..Kept::new() }
    }

    /// The same where the elements arrive while the next part runs.
    pub fn begun() -> Self {
        Kept { cut: Cut::Begin, ..Kept::new() }
    }

    /// Lets iterations keep and take values.
    pub fn values(&self) -> Values<'_, T> {
        Values(&self.values)
    }

    /// The ranks on which the values are.
    pub(super) fn placed(&self) -> Option<&[usize]> {
        self.placed.get().map(Vec::as_slice)
    }

    pub(super) fn cut(&self) -> Cut {
        self.cut
    }

    /// The declarations of the tasks before the cut.
    pub(super) fn carried(&self) -> &RefCell<Carried> {
        &self.carried
    }

    pub(super) fn place(&self, ranks: &[usize]) {
        // A loop around the two regions makes new values.
        let _ = self.placed.set(ranks.to_vec());
    }
}

/// The values, for iterations on any thread.
#[doc(hidden)]
pub struct Values<'k, T>(&'k Mutex<HashMap<usize, T>>);

impl<T> Values<'_, T> {
    pub fn keep(&self, position: usize, values: T) {
        lock(self.0).insert(position, values);
    }

    /// Whether any of these iterations goes on behind the barrier.
    pub fn go_on(&self, mut positions: Range<usize>) -> bool {
        let values = lock(self.0);
        positions.any(|position| values.contains_key(&position))
    }

    /// The values of an iteration; `None` if it has ended before the barrier.
    pub fn take(&self, position: usize) -> Option<T> {
        lock(self.0).remove(&position)
    }
}

/// Shows the number of values.
impl<T> fmt::Debug for Kept<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Kept").field("values", &lock(&self.values).len()).finish_non_exhaustive()
    }
}

/// Shows the number of values.
impl<T> fmt::Debug for Values<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Values").field(&lock(self.0).len()).finish()
    }
}
