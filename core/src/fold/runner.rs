//! Runs the author's body over a range of positions, in the form that is proved for it.

use super::opaque::Opaque;
use super::plan::Plan;
use crate::footprint::Footprint;
use crate::slot::{Opened, Slots};
use std::ops::Range;

/// The arrays of loop `L` for proved iterations.
pub type Fast<'w, L> = <L as Slots>::Fast<'w>;

/// The arrays of loop `L` with checked indices.
pub type Checked<'w, L> = <L as Slots>::Checked<'w>;

/// Runs the proved or the checked form of the author's body.
pub(super) struct Runner<'k> {
    pub(super) windows: &'k [Opened],
    pub(super) plan: &'k Plan,
    pub(super) footprint: &'k Footprint<'k>,
}

/// The arrays for some positions. Only a [`Runner`] makes it, for the positions that it runs.
pub(super) struct Arrays<'w> {
    windows: &'w [Opened],
    /// The elements that these positions touch, where that is proved; else their indices are checked.
    proved: Option<&'w [Range<usize>]>,
}

impl Arrays<'_> {
    /// Runs a body in the form that is proved.
    ///
    /// # Safety
    /// `L` is the list of slots that the runner's windows are of, and the range what it gives with the arrays.
    #[inline]
    pub(super) unsafe fn run<L: Slots, S>(
        &self,
        state: S,
        range: Range<usize>,
        fast: &impl for<'w> Fn(S, Fast<'w, L>, Range<usize>) -> S,
        checked: &impl for<'w> Fn(S, Checked<'w, L>, Range<usize>) -> S,
    ) -> S {
        match self.proved {
            // SAFETY: the runner has seen to it that the footprint of these positions lies inside the windows. Either this
            // worker is alone, or nobody writes, or the footprints of written arrays were proved to be disjoint ranges for
            // disjoint ranges of positions.
            Some(hulls) => fast(state, unsafe { L::fast(self.windows, hulls) }, range),
            // SAFETY: iterations were proved to touch different elements where one of them writes.
            None => checked(state, unsafe { L::checked(self.windows) }, range),
        }
    }

    /// The same for a body that is only run where it is proved.
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
    /// Runs a body whose indices are checked.
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

/// A body over the arrays for a range of positions, with what it goes on with: a chunk or a running value, and what the worker
/// carries.
pub(super) type Body<'b> = dyn Fn([&mut Opaque; 2], &Arrays<'_>, Range<usize>) + Sync + 'b;

/// What runs a body over the arrays for some positions.
pub(super) type Each<'e> = dyn FnMut(&Arrays<'_>, Range<usize>) + 'e;

impl Runner<'_> {
    /// Runs `range` in the proved form as far as that is possible, the rest of it in the checked form: piece by piece, in the
    /// order of the positions.
    pub(super) fn run(&self, range: Range<usize>, each: &mut Each<'_>) {
        let plan = self.plan;
        if plan.inside && (plan.workers == 1 || !plan.writes) {
            return each(&Arrays { windows: self.windows, proved: Some(&plan.hulls) }, range);
        }
        self.run_part(range, each);
    }

    /// Runs a range in the proved form as a whole, or not at all. Whether it did.
    pub(super) fn run_proved(&self, range: Range<usize>, each: &mut Each<'_>) -> bool {
        let plan = self.plan;
        if plan.inside && (plan.workers == 1 || !plan.writes) {
            each(&Arrays { windows: self.windows, proved: Some(&plan.hulls) }, range);
            return true;
        }
        if plan.workers > 1 && !plan.ordered && plan.writes || !plan.inside_in_parts {
            return false;
        }
        let (hulls, inside) = plan.footprint(&range, self.footprint);
        if inside {
            each(&Arrays { windows: self.windows, proved: Some(&hulls) }, range);
        }
        inside
    }

    /// Halves a range until its parts lie inside or are single chunks: where only the first and the last iterations reach
    /// beyond an array, a few evaluations are enough for all the others.
    fn run_part(&self, range: Range<usize>, each: &mut Each<'_>) {
        let plan = self.plan;
        if plan.inside_in_parts && (plan.workers == 1 || plan.ordered || !plan.writes) {
            let (hulls, inside) = plan.footprint(&range, self.footprint);
            if inside {
                return each(&Arrays { windows: self.windows, proved: Some(&hulls) }, range);
            }
            if range.len() > plan.chunk {
                let middle = (range.start + range.len() / 2).next_multiple_of(plan.chunk);
                if middle < range.end {
                    self.run_part(range.start..middle, each);
                    return self.run_part(middle..range.end, each);
                }
            }
        }
        each(&Arrays { windows: self.windows, proved: None }, range);
    }
}
