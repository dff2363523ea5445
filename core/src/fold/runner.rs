//! Runs the author's body over a range of positions, in the form that is proved for it.

use super::plan::Plan;
use crate::footprint::Access;
use crate::slot::{Slots, Windows};
use std::ops::Range;

/// The arrays of loop `L` for proved iterations.
pub type Fast<'w, L> = <<L as Slots>::Windows as Windows>::Fast<'w>;

/// The arrays of loop `L` with checked indices.
pub type Checked<'w, L> = <<L as Slots>::Windows as Windows>::Checked<'w>;

/// Runs the proved or the checked form of the author's body.
pub(super) struct Runner<'k, L: Slots, S> {
    pub(super) windows: L::Windows,
    pub(super) plan: &'k Plan,
    pub(super) footprint: &'k S,
}

/// Which form of the body runs, with the arrays as it wants them.
pub(super) enum Form<'w, L: Slots> {
    Fast(Fast<'w, L>),
    Checked(Checked<'w, L>),
}

impl<L: Slots, const N: usize, S: Fn(Range<usize>) -> [Access; N]> Runner<'_, L, S> {
    /// Runs `range` in the proved form as far as that is possible, the rest of it in the checked form.
    ///
    /// `state` goes through `body` piece by piece, in the order of the positions.
    #[inline]
    pub(super) fn run<'w, State>(
        &self,
        range: Range<usize>,
        state: State,
        body: &impl Fn(State, Form<'w, L>, Range<usize>) -> State,
    ) -> State {
        let plan = self.plan;
        if plan.inside && (plan.workers == 1 || !plan.writes) {
            // SAFETY: the footprint of all positions lies inside the windows, and nobody writes but this worker.
            let arrays = unsafe { self.windows.fast(&plan.hulls) };
            return body(state, Form::Fast(arrays), range);
        }
        self.run_part(range, state, body)
    }

    /// The arrays for a range that runs in the proved form as a whole.
    pub(super) fn proved<'w>(&self, range: &Range<usize>) -> Option<Fast<'w, L>> {
        let plan = self.plan;
        if plan.inside && (plan.workers == 1 || !plan.writes) {
            // SAFETY: as in `run`.
            return Some(unsafe { self.windows.fast(&plan.hulls) });
        }
        if plan.workers > 1 && !plan.ordered && plan.writes || !plan.inside_in_parts {
            return None;
        }
        let (hulls, inside) = plan.footprint(range, self.footprint);
        // SAFETY: as in `run_part`.
        inside.then(|| unsafe { self.windows.fast(&hulls) })
    }

    /// Halves a range until its parts lie inside or are single chunks: where only the first and the last iterations reach
    /// beyond an array, a few evaluations are enough for all the others.
    pub(super) fn run_part<'w, State>(
        &self,
        range: Range<usize>,
        state: State,
        body: &impl Fn(State, Form<'w, L>, Range<usize>) -> State,
    ) -> State {
        let plan = self.plan;
        if plan.inside_in_parts && (plan.workers == 1 || plan.ordered || !plan.writes) {
            let (hulls, inside) = plan.footprint(&range, self.footprint);
            if inside {
                // SAFETY: the footprint of these positions lies inside the windows. Either this worker is alone, or the
                // footprints of written arrays were proved to be disjoint ranges for disjoint ranges of positions.
                return body(state, Form::Fast(unsafe { self.windows.fast(&hulls) }), range);
            }
            if range.len() > plan.chunk {
                let middle = (range.start + range.len() / 2).next_multiple_of(plan.chunk);
                if middle < range.end {
                    let state = self.run_part(range.start..middle, state, body);
                    return self.run_part(middle..range.end, state, body);
                }
            }
        }
        // SAFETY: iterations were proved to touch different elements where one of them writes.
        body(state, Form::Checked(unsafe { self.windows.checked() }), range)
    }
}
