//! Runs the body of a loop over a range of positions, with or without bounds checks.

use super::opaque::Opaque;
use super::plan::{Plan, Set};
use super::tiles::Tiles;
use crate::footprint::Footprint;
use crate::slot::{Opened, Slots};
use std::ops::Range;

/// The arrays of loop `L` without bounds checks, for proved iterations.
pub type Fast<'w, L> = <L as Slots>::Fast<'w>;

/// The arrays of loop `L` with bounds checks.
pub type Checked<'w, L> = <L as Slots>::Checked<'w>;

/// Runs the unchecked or the checked form of the body.
pub(super) struct Runner<'k> {
    pub(super) windows: &'k [Opened],
    pub(super) plan: &'k Plan,
    pub(super) footprint: &'k Footprint<'k>,
}

/// The arrays for a range of positions. Only a [`Runner`] makes it.
pub(super) struct Arrays<'w> {
    windows: &'w [Opened],
    /// The hulls of the accesses, if these are proved to be inside the windows. Otherwise indices are checked.
    proved: Option<&'w [Range<usize>]>,
    /// The elements that go past the caches.
    sets: &'w [Set],
}

impl Arrays<'_> {
    /// Runs a body in the unchecked form if there is a proof, otherwise in the checked form.
    ///
    /// # Safety
    /// `L` is the list of slots of the runner's windows, and the range is the one that the runner passes with the arrays.
    #[inline]
    pub(super) unsafe fn run<L: Slots, S>(
        &self,
        state: S,
        range: Range<usize>,
        fast: &impl for<'w> Fn(S, Fast<'w, L>, Range<usize>) -> S,
        checked: &impl for<'w> Fn(S, Checked<'w, L>, Range<usize>) -> S,
    ) -> S {
        match self.proved {
            // SAFETY: the runner has checked that the footprint of these positions is inside the windows, or the body accesses none of them. There are no data races: this
            // worker is the only one, or nobody writes, or disjoint ranges of positions are proved to write disjoint ranges.
            Some(hulls) => fast(state, unsafe { L::fast(self.windows, hulls) }, range),
            // SAFETY: the dependence test has proved that there are no data races between iterations.
            None => checked(state, unsafe { L::checked(self.windows) }, range),
        }
    }

    /// The same for a body that writes all elements which the loop writes, and that may run in parts: they go past the caches if that pays.
    ///
    /// # Safety
    /// As [`Arrays::run`].
    #[inline]
    pub(super) unsafe fn run_whole<L: Slots, S>(
        &self,
        mut state: S,
        range: Range<usize>,
        fast: &impl for<'w> Fn(S, Fast<'w, L>, Range<usize>) -> S,
        checked: &impl for<'w> Fn(S, Checked<'w, L>, Range<usize>) -> S,
    ) -> S {
        let Some(hulls) = self.proved else {
            // SAFETY: as in `run`.
            return checked(state, unsafe { L::checked(self.windows) }, range);
        };
        if !L::SETS {
            // SAFETY: as in `run`.
            return fast(state, unsafe { L::fast(self.windows, hulls) }, range);
        }
        // SAFETY: as in `run`, and the plan has computed `sets` from the footprint.
        let mut tiles = unsafe { Tiles::new(self.windows, hulls, self.sets, range) };
        while let Some((windows, hulls, range)) = tiles.next() {
            // SAFETY: as in `run`; the buffers of a tile have the elements that its iterations access.
            state = in_a_frame(fast, state, unsafe { L::fast(windows, hulls) }, range);
        }
        state
    }

    /// Runs a body that has only the unchecked form.
    ///
    /// # Safety
    /// As [`Arrays::run`].
    #[inline]
    pub(super) unsafe fn run_proved<L: Slots, S>(
        &self,
        state: S,
        range: Range<usize>,
        fast: &impl for<'w> Fn(S, Fast<'w, L>, Range<usize>) -> S,
    ) -> S {
        let Some(hulls) = self.proved else { return state };
        // SAFETY: as above.
        fast(state, unsafe { L::fast(self.windows, hulls) }, range)
    }
}

impl Arrays<'_> {
    /// Runs a body in the checked form.
    ///
    /// # Safety
    /// As [`Arrays::run`].
    pub(super) unsafe fn run_checked<L: Slots, S>(
        &self,
        state: S,
        range: Range<usize>,
        checked: &impl for<'w> Fn(S, Checked<'w, L>, Range<usize>) -> S,
    ) -> S {
        // SAFETY: as above.
        checked(state, unsafe { L::checked(self.windows) }, range)
    }
}

/// Runs a body as a function of its own. In a loop of tiles, rustc would take constants of the body out of all loops, and read them again from
/// memory in each iteration.
#[inline(never)]
fn in_a_frame<S, A>(body: &impl Fn(S, A, Range<usize>) -> S, state: S, arrays: A, range: Range<usize>) -> S {
    body(state, arrays, range)
}

/// A body over a range of positions, with its accumulators: a chunk or a scan state, and the carry of the worker.
pub(super) type Body<'b> = dyn Fn([&mut Opaque; 2], &Arrays<'_>, Range<usize>) + Sync + 'b;

/// A function that runs the body over a range of positions.
pub(super) type Each<'e> = dyn FnMut(&Arrays<'_>, Range<usize>) + 'e;

impl Runner<'_> {
    /// Runs `range`, in the unchecked form as far as possible, in the order of the positions.
    pub(super) fn run(&self, range: Range<usize>, each: &mut Each<'_>) {
        let plan = self.plan;
        if plan.inside && (plan.workers == 1 || !plan.writes) {
            return each(&Arrays { windows: self.windows, proved: Some(&plan.hulls), sets: &plan.sets }, range);
        }
        self.run_part(range, each);
    }

    /// Runs positions of other ranks, in the unchecked form. The body accesses none of the arrays: see [`Moves`](super::kernel::Moves).
    pub(super) fn run_elsewhere(&self, range: Range<usize>, each: &mut Each<'_>) {
        each(&Arrays { windows: self.windows, proved: Some(&self.plan.hulls), sets: &[] }, range);
    }

    /// Runs a whole range in the unchecked form, if possible. Returns whether it ran.
    pub(super) fn run_proved(&self, range: Range<usize>, each: &mut Each<'_>) -> bool {
        let plan = self.plan;
        if plan.inside && (plan.workers == 1 || !plan.writes) {
            each(&Arrays { windows: self.windows, proved: Some(&plan.hulls), sets: &plan.sets }, range);
            return true;
        }
        if plan.workers > 1 && !plan.ordered && plan.writes || !plan.inside_in_parts {
            return false;
        }
        let (hulls, inside) = plan.footprint(&range, self.footprint);
        if inside {
            each(&Arrays { windows: self.windows, proved: Some(&hulls), sets: &plan.sets }, range);
        }
        inside
    }

    /// Bisects a range until its parts are proved or are single chunks. If only the first and the last iterations leave an array, a few
    /// evaluations of the footprint are enough.
    fn run_part(&self, range: Range<usize>, each: &mut Each<'_>) {
        let plan = self.plan;
        if plan.inside_in_parts && (plan.workers == 1 || plan.ordered || !plan.writes) {
            let (hulls, inside) = plan.footprint(&range, self.footprint);
            if inside {
                return each(&Arrays { windows: self.windows, proved: Some(&hulls), sets: &plan.sets }, range);
            }
            if range.len() > plan.chunk {
                let middle = (range.start + range.len() / 2).next_multiple_of(plan.chunk);
                if middle < range.end {
                    self.run_part(range.start..middle, each);
                    return self.run_part(middle..range.end, each);
                }
            }
        }
        each(&Arrays { windows: self.windows, proved: None, sets: &[] }, range);
    }
}
