//! A loop made ready to run: its arrays opened, its plan made, and what it gathers fetched.

use super::captured::{Captured, refused};
use super::collector::Traits;
use super::gathering::{schedule, schedule_key};
use super::opaque::Opaque;
use super::opening::Opening;
use super::plan::{Hulls, Plan, Wishes};
use super::runner::Checked;
use super::site::{Instance, Site};
use crate::accumulate::rounding;
use crate::call::Call;
use crate::comm::Meanwhile;
use crate::device::{Program, Refusal};
use crate::footprint::{Accesses, Footprint, Values};
use crate::gather::asked::Asks;
use crate::settings::Backend;
use crate::slot::{List, Opened, Slots, Windows};
use smallvec::SmallVec;
use std::ops::Range;
use std::rc::Rc;

/// A loop of one call, made ready to run: all but what it accumulates, and its body.
///
/// It is run once, by the method that fits what the loop does: [`fold`](Kernel::fold) or [`fold_lanes`](Kernel::fold_lanes), or,
/// where the body sees a running value, [`scan`](Kernel::scan), [`scan_levels`](Kernel::scan_levels) or
/// [`scan_lanes`](Kernel::scan_lanes).
///
/// The types of the arrays, of what is accumulated and of the body end in these methods. What drives the loop (`Run`) knows
/// none of them, so that it is compiled once for all loops.
#[allow(missing_debug_implementations)] // It holds closures.
pub struct Kernel<'c, L> {
    pub(super) head: Head<'c>,
    pub(super) slots: &'c mut L,
}

/// What is known of a loop of one call beside its arrays.
pub(super) struct Head<'c> {
    pub call: &'c Call,
    pub site: &'static Instance,
    pub iterations: usize,
    pub footprint: &'c Footprint<'c>,
    /// The values that the site's points mention.
    values: Option<&'c Values<'c>>,
    ask: Option<Box<Ask<'c>>>,
    pub captured: Option<Box<Captured<'c>>>,
    /// Whether the workers run it in any case, though there is a device.
    on_workers: bool,
    /// What else the asking depends on than on arrays, where it depends on nothing hidden: see [`Kernel::ask_by`].
    ask_by: Option<Option<Rc<[u8]>>>,
}

/// A loop whose arrays are listed.
pub(super) struct Run<'k, 'c> {
    pub head: &'k mut Head<'c>,
    pub slots: List<'k>,
}

/// What the workers of this rank carried, in the order of the iterations.
pub(super) type Carries = SmallVec<[Opaque; 1]>;

/// The one carry of a loop that ran in one piece, where there is anything in it.
pub(super) fn only(traits: Traits, carry: Opaque) -> Carries {
    let mut carries = Carries::new();
    if traits.carries {
        carries.push(carry);
    }
    carries
}

/// Those carries as what they are.
///
/// # Safety
/// They are of this type.
pub(super) unsafe fn carried<C>(carries: Carries) -> Vec<C> {
    let mut all = Vec::with_capacity(carries.len());
    for carry in carries {
        // SAFETY: the caller's promise.
        all.push(unsafe { carry.into() });
    }
    all
}

/// The part of a body that asks for elements, in one of its stages.
type Ask<'a> = dyn Fn(&Asks, usize, &[Opened], Range<usize>) + Sync + 'a;

/// A loop that takes less than this runs on the workers where the choice is free, without a look at the device.
const WORTH_A_THOUGHT: u64 = 200_000_000;

impl<'c, L: Slots> Kernel<'c, L> {
    /// A loop of so many iterations on all ranks together. `footprint` gives the accesses of a range of positions, and its type tells
    /// which instance of the function has the loop.
    #[inline]
    pub fn new<F: Fn(Range<usize>, &mut Accesses) + Sync>(
        call: &'c Call,
        site: &'static Site,
        iterations: usize,
        slots: &'c mut L,
        footprint: &'c F,
    ) -> Self {
        Kernel { head: Head::new(call, site.instance(footprint), iterations, footprint), slots }
    }

    /// With what a device is told of the variables that the body reads, where there is a device.
    #[inline]
    pub fn capture(&mut self, capture: &dyn Fn(&'static Program) -> Captured<'c>) {
        self.head.capture(capture);
    }

    /// With the values that the points of its accesses mention, which are compared where the footprints do not tell enough.
    #[inline]
    pub fn compare_by(&mut self, values: &'c Values<'c>) {
        self.head.values = Some(values);
    }

    /// With the part of the body that computes which elements of `#[gather]` slices are read, in one of its stages.
    #[inline]
    pub fn ask(&mut self, ask: impl for<'w> Fn(&Asks, usize, Checked<'w, L>, Range<usize>) + Sync + 'c)
    where
        L: 'c,
    {
        self.head.ask = Some(Box::new(move |asks, stage, windows, positions| {
            // SAFETY: these are the windows of the loop's arrays, which are open, and what asks writes nothing.
            ask(asks, stage, unsafe { L::checked(windows) }, positions);
        }));
    }

    /// Says that what asks depends on nothing but the arrays that it looks at, and these values, of which `None` are none that
    /// can be compared. What iterations ask for is then found out once, for as long as nothing of that changes.
    #[inline]
    pub fn ask_by(&mut self, values: &dyn Fn() -> Option<Rc<[u8]>>) {
        if !self.head.call.alone() {
            self.head.ask_by = Some(values());
        }
    }
}

impl<'c> Head<'c> {
    fn new(call: &'c Call, site: &'static Instance, iterations: usize, footprint: &'c Footprint<'c>) -> Self {
        let (values, ask, captured, on_workers, ask_by) = (None, None, None, false, None);
        Head { call, site, iterations, footprint, values, ask, captured, on_workers, ask_by }
    }

    fn capture(&mut self, capture: &dyn Fn(&'static Program) -> Captured<'c>) {
        if self.call.context.node().may_have_device() {
            match &self.site.program {
                Ok(program) if self.worth_a_device() => self.captured = Some(Box::new(capture(program))),
                Err(reason) if self.worth_a_device() => {
                    refused(self.call, self.site.name, &Refusal::Cannot((*reason).to_owned()));
                }
                _ => {}
            }
            self.on_workers = self.captured.is_none();
        }
    }

    /// Whether a device is to be asked at all: always, where the author wants it; else for loops that take long enough for
    /// the choice to matter.
    fn worth_a_device(&self) -> bool {
        let long = || self.site.cost().saturating_mul(self.iterations as u64) > WORTH_A_THOUGHT;
        (self.call.context.settings().backend != Backend::Auto || long()) && self.call.context.node().device().is_some()
    }
}

impl Run<'_, '_> {
    /// Makes the plan, opens the arrays and finds their windows.
    pub(super) fn prepare(&mut self, wishes: Wishes, windows: &mut Windows) -> Plan {
        let mut plan = self.plan(wishes);
        self.open(&plan, &mut || false);
        self.settle(&mut plan, windows);
        plan
    }

    /// Makes the plan, as far as it does not hang on what is fetched.
    pub(super) fn plan(&mut self, wishes: Wishes) -> Plan {
        if self.head.on_workers {
            self.slots.iter_mut().for_each(|slot| slot.bring_back());
        }
        let Head { call, site, iterations, footprint, values, .. } = *self.head;
        if wishes.aligned {
            rounding::merges(iterations);
        }
        let plan = Plan::make(call, site, iterations, &self.slots, (footprint, values), wishes);
        call.context.count_iterations(plan.mine.len());
        call.context.set_backwards(plan.backwards);
        plan
    }

    /// Opens the arrays, beside other work.
    pub(super) fn open(&mut self, plan: &Plan, meanwhile: &mut Meanwhile<'_>) {
        if !self.head.call.alone() {
            self.fetch(plan, meanwhile);
        }
    }

    /// Finds the windows of open arrays, and what the plan says of these.
    pub(super) fn settle(&mut self, plan: &mut Plan, windows: &mut Windows) {
        self.slots.windows(windows);
        if !self.head.call.alone() {
            plan.scattered = windows.iter().any(Opened::is_scattered);
            let held: Hulls = self.slots.iter().map(|slot| slot.held()).collect();
            let apart = self.slots.iter().enumerate();
            let apart = apart.filter_map(|(array, slot)| Some((array, slot.apart()?.clone()))).collect();
            plan.settle(held, apart, self.head.footprint);
        }
    }

    /// Lets the ranks agree on the loop, and fetches what this rank's iterations need of other ranks' shares.
    #[cold]
    fn fetch(&mut self, plan: &Plan, meanwhile: &mut Meanwhile<'_>) {
        let Head { call, site, iterations, ask, captured, ask_by, .. } = &*self.head;
        let slots = &mut self.slots;
        let whole = slots.iter_mut().zip(&plan.by_rank).filter(|(slot, _)| slot.place().everywhere);
        whole.for_each(|(slot, touched)| slot.open_everywhere(&touched[call.context.rank()]));
        let key = |stage: usize, slots: &List<'_>| {
            let values = ask_by.as_ref()?;
            schedule_key(site, stage, plan, values.as_ref(), slots)
        };
        let keys = (0..site.gathers.len()).map(|stage| key(stage, slots)).collect();
        let mut opening = Opening::begin(call, site, *iterations, plan, slots, keys, meanwhile);
        for stage in 0..site.gathers.len() {
            if opening.knows(stage) {
                continue;
            }
            if captured.is_some() {
                // The workers of this rank read the places that it asks for.
                let looked_at = slots.iter_mut().enumerate().filter(|(number, _)| site.looks[stage].contains(number));
                looked_at.for_each(|(_, slot)| slot.bring_back());
            }
            let mut windows = Windows::new();
            slots.windows(&mut windows);
            let schedules = schedule(call, plan, site.gathers[stage], slots, &|asks, positions| {
                ask.iter().for_each(|ask| ask(asks, stage, &windows, positions.clone()));
            });
            opening.gather(stage, schedules, slots);
        }
    }
}
