//! A loop made ready to run: its arrays opened, its plan made, and what it gathers fetched.

use super::captured::{Captured, refused};
use super::gathering::{known_schedules, receive, schedule, schedule_key};
use super::plan::{Hulls, Plan, Wishes};
use super::runner::Checked;
use super::site::Site;
use crate::call::Call;
use crate::device::{Program, Refusal};
use crate::footprint::Access;
use crate::gather::asked::Asks;
use crate::gather::schedule::Schedules;
use crate::slot::{Slots, Windows};
use std::ops::Range;
use std::rc::Rc;

/// A loop of one call, made ready to run: all but what it accumulates, and its body.
///
/// It is run by the method that fits what the loop does: [`fold`](Kernel::fold) or [`fold_lanes`](Kernel::fold_lanes), or,
/// where the body sees a running value, [`scan`](Kernel::scan), [`scan_levels`](Kernel::scan_levels) or
/// [`scan_lanes`](Kernel::scan_lanes).
#[allow(missing_debug_implementations)] // It holds closures.
pub struct Kernel<'c, L, S, I> {
    pub(super) call: &'c Call,
    pub(super) site: &'static Site,
    pub(super) iterations: usize,
    pub(super) slots: L,
    pub(super) footprint: S,
    pub(super) ask: I,
    pub(super) captured: Option<Captured<'c>>,
    /// What else the asking depends on than on arrays, where it depends on nothing hidden: see [`Kernel::asking_by`].
    pub(super) asking_by: Option<Option<Rc<[u8]>>>,
}

impl<'c, L, const N: usize, S, I> Kernel<'c, L, S, I>
where
    L: Slots,
    S: Fn(Range<usize>) -> [Access; N] + Sync,
    I: for<'w> Fn(&Asks, usize, Checked<'w, L>, Range<usize>) + Sync,
{
    /// A loop of so many iterations on all ranks together. `footprint` gives the accesses of a range of positions; `ask`
    /// runs the part of the body that computes which elements of `#[gather]` slices are read.
    #[inline]
    pub fn new(call: &'c Call, site: &'static Site, iterations: usize, slots: L, footprint: S, ask: I) -> Self {
        Kernel { call, site, iterations, slots, footprint, ask, captured: None, asking_by: None }
    }

    /// With what a device is told of the variables that the body reads, where there is a device.
    #[inline]
    #[must_use]
    pub fn capturing(mut self, capture: impl FnOnce(&'static Program) -> Captured<'c>) -> Self {
        if self.call.context.node().may_have_device() {
            match &self.site.program {
                _ if !self.worth_a_device() => self.bring_back(),
                Ok(program) => self.captured = Some(capture(program)),
                Err(reason) => {
                    refused(self.call, self.site.name, &Refusal::Cannot((*reason).to_owned()));
                    self.bring_back();
                }
            }
        }
        self
    }

    /// Says that `ask` depends on nothing but the arrays that it looks at, and these values, of which `None` are none that can
    /// be compared. What iterations ask for is then found out once, for as long as nothing of that changes.
    #[inline]
    #[must_use]
    pub fn asking_by(mut self, values: impl FnOnce() -> Option<Rc<[u8]>>) -> Self {
        if !self.call.alone() {
            self.asking_by = Some(values());
        }
        self
    }

    /// Opens the arrays and makes the plan.
    #[inline]
    pub(super) fn prepare(&mut self, wishes: Wishes) -> (Plan, L::Windows) {
        let Kernel { call, site, iterations, slots, footprint, ask, captured, asking_by } = self;
        let mut plan = Plan::make(call, site, *iterations, slots, footprint, wishes);
        call.context.count_iterations(plan.mine.len());
        let mut windows = slots.windows();
        if !call.alone() {
            for (stage, arrays) in site.gathers.iter().enumerate() {
                let key = asking_by.as_ref().map(|values| schedule_key(site, stage, &plan, values.as_ref(), slots));
                if let Some(schedules) = key.as_ref().and_then(|key| known_schedules(call, key.as_ref())) {
                    receive(call, arrays, slots, &schedules);
                    windows = slots.windows();
                    continue;
                }
                if captured.is_some() {
                    // The workers of this rank read the places that it asks for.
                    let mut number = 0..;
                    slots.each(&mut |slot| {
                        if number.next().is_some_and(|number| site.looks[stage].contains(&number)) {
                            slot.bring_back();
                        }
                    });
                }
                let schedules = schedule(call, &plan, arrays, slots, &|asks, positions| {
                    // SAFETY: the arrays are open, and the part of the body that asks writes nothing.
                    ask(asks, stage, unsafe { windows.checked() }, positions);
                });
                let schedules = Rc::new(schedules);
                receive(call, arrays, slots, &schedules);
                if let Some(key) = key.flatten() {
                    call.context.kept().get::<Schedules>().keep(key, schedules);
                }
                windows = slots.windows();
            }
            plan.scattered = windows.scattered();
            let mut held = Hulls::new();
            windows.held(&mut |range| held.push(range));
            plan.settle(held, footprint);
        }
        (plan, windows)
    }
}
