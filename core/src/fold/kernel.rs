//! A loop that is ready to run, with its plan and its arrays.

use super::captured::{Captured, refused};
use super::collector::Traits;
use super::gathering::{schedule, schedule_key};
use super::opaque::Opaque;
use super::opening::Opening;
use super::plan::{Hulls, Plan, Wishes};
use super::runner::Checked;
use super::site::{Instance, Site};
use crate::accumulate::rounding;
use crate::blocks::Arrivals;
use crate::call::Call;
use crate::comm::{Comm, OverlappedWork};
use crate::device::{Device, Outcome, Program, Refusal};
use crate::footprint::{Accesses, Footprint, Values};
use crate::gather::requested::Requests;
use crate::out_of_line::{OutOfLine, drop_here};
use crate::settings::{Backend, Strategy};
use crate::slot::{self, List, Slots, Windows};
use smallvec::SmallVec;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// A loop of one call, without its accumulators and its body.
///
/// One method runs it once: [`fold`](Kernel::fold) or [`fold_lanes`](Kernel::fold_lanes), or, if the body reads a scan state,
/// [`scan`](Kernel::scan), [`scan_levels`](Kernel::scan_levels) or [`scan_lanes`](Kernel::scan_lanes).
///
/// These methods erase the types of the arrays, the accumulators and the body. The drivers behind them (`Run`) are compiled once for all
/// loops.
#[allow(missing_debug_implementations)] // It holds closures.
pub struct Kernel<'c, L> {
    pub(super) head: OutOfLine<Head<'c>>,
    pub(super) slots: &'c mut L,
}

/// A loop of one call, without its arrays.
pub(super) struct Head<'c> {
    pub call: &'c Call,
    pub site: &'static Instance,
    pub iterations: usize,
    pub footprint: &'c Footprint<'c>,
    /// The values in the accesses of the dependence test.
    values: Option<&'c Values<'c>>,
    inspect: Option<Box<Inspect<'c>>>,
    pub captured: Option<Box<Captured<'c>>>,
    /// The iterations are tasks that a device may run.
    pub tasks: Option<&'c dyn Launches>,
    /// The iterations may run on other ranks.
    pub moves: Option<&'c dyn Moves>,
    /// The messages of blocks, if the loop may process them as they arrive.
    pub arrivals: Option<Arc<Arrivals>>,
    /// Iterations may be long although they are few.
    pub long: bool,
    /// Whether the workers run the loop although there is a device.
    on_workers: bool,
    /// The values that the inspector reads beside arrays, if it has no hidden inputs: see [`Kernel::inspect_by`].
    inspect_by: Option<Option<Rc<[u8]>>>,
}

/// Takes the results of a launch.
pub type TakeOfTask<'t> = dyn FnMut(&'static Program, Outcome) + 't;

/// Iterations that a device runs as launches of their own: tasks on objects.
pub trait Launches {
    /// Whether the build has overflow checks.
    fn overflow(&self) -> bool;

    /// The number of bytes that a device lacks, and of those that the host lacks.
    fn missing(&self, device: &dyn Device) -> [u64; 2];

    /// Runs this rank's iterations on a device, in their order, and gives it the initial bins of histograms. If the device cannot run one, the
    /// others are left. Returns whether all have run.
    fn run(&self, call: &Call, device: &dyn Device, bins: &[Vec<u8>], take: &mut TakeOfTask<'_>) -> bool;

    /// The workers run the iterations that are left: the host gets their elements.
    fn leave(&self);

    /// If the iterations may run on other ranks.
    fn moves(&self) -> Option<&dyn Moves>;
}

/// Iterations that may run on other ranks: tasks on objects, whose body does not access the array of their numbers. Each of them has a rank
/// that has its results.
pub trait Moves: Sync {
    /// The rank of an iteration.
    fn home(&self, position: usize) -> usize;

    /// Runs iterations on this worker until no rank has one left, or `run` returns that the loop has ended. The rank's own thread has the
    /// communicator. All ranks call it.
    fn run(&self, comm: Option<&dyn Comm>, run: &mut dyn FnMut(usize) -> bool);
}

/// A loop with the list of its arrays.
pub(super) struct Run<'k, 'c> {
    pub head: &'k mut Head<'c>,
    pub slots: List<'k>,
}

/// The open arrays of a loop. They are closed when the loop has run on several ranks; a panic leaves them open, as other ranks may have ended.
#[must_use]
pub(super) struct Opened(());

/// The carries of this rank's workers, in the order of the iterations.
pub(super) type Carries = SmallVec<[Opaque; 1]>;

/// The carry of a loop that ran in one piece, if its type is not empty.
pub(super) fn only(traits: Traits, carry: Opaque) -> Carries {
    let mut carries = Carries::new();
    if traits.carries {
        carries.push(carry);
    }
    carries
}

/// Carries with their type.
///
/// # Safety
/// The carries have this type.
pub(super) unsafe fn carried<C>(carries: Carries) -> Vec<C> {
    let mut all = Vec::with_capacity(carries.len());
    for carry in carries {
        // SAFETY: the caller guarantees it.
        all.push(unsafe { carry.into() });
    }
    all
}

/// The inspector of a stage.
type Inspect<'a> = dyn Fn(&Requests, usize, &[slot::Opened], Range<usize>) + Sync + 'a;

/// With automatic choice, the workers run any loop that takes less than this.
const LEAST_FOR_DEVICE: u64 = 200_000_000;

impl<'c, L: Slots> Kernel<'c, L> {
    /// A loop with this number of iterations over all ranks. `footprint` computes the accesses of a range of positions; its type
    /// identifies the instance of the function.
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

    /// Adds the values of captured variables for a device, if there is one.
    #[inline]
    pub fn capture(&mut self, capture: &dyn Fn(&'static Program) -> Captured<'c>) {
        self.head.capture(capture);
    }

    /// A device may run the iterations by these launches.
    #[inline]
    pub fn launch(&mut self, tasks: &'c dyn Launches) {
        self.head.launch(tasks);
    }

    /// The iterations may run on other ranks.
    #[inline]
    pub fn may_move(&mut self, moves: Option<&'c dyn Moves>) {
        self.head.moves = moves;
    }

    /// The loop may process messages of blocks as they arrive.
    #[inline]
    pub fn arrive(&mut self, arrivals: Option<Arc<Arrivals>>) {
        self.head.arrivals = arrivals;
    }

    /// Adds the values in the accesses of the dependence test.
    #[inline]
    pub fn compare_by(&mut self, values: &'c Values<'c>) {
        self.head.values = Some(values);
    }

    /// Adds the inspector: the part of the body that computes the indices of `#[gather]` slices, for each stage.
    #[inline]
    pub fn inspect(&mut self, inspect: impl for<'w> Fn(&Requests, usize, Checked<'w, L>, Range<usize>) + Sync + 'c)
    where
        L: 'c,
    {
        self.head.inspect = Some(Box::new(move |requests, stage, windows, positions| {
            // SAFETY: these are open windows of the loop's arrays, and an inspector writes nothing.
            inspect(requests, stage, unsafe { L::checked(windows) }, positions);
        }));
    }

    /// Declares that the inspector reads only its arrays and these values; `None` if a value cannot be compared. The schedule is then cached
    /// until one of these inputs changes.
    #[inline]
    pub fn inspect_by(&mut self, values: &dyn Fn() -> Option<Rc<[u8]>>) {
        if !self.head.call.alone() {
            self.head.inspect_by = Some(values());
        }
    }
}

drop_here!(Head<'_>);

impl<'c> Head<'c> {
    fn new(
        call: &'c Call,
        site: &'static Instance,
        iterations: usize,
        footprint: &'c Footprint<'c>,
    ) -> OutOfLine<Self> {
        let (values, inspect, captured, tasks, inspect_by) = (None, None, None, None, None);
        let (moves, arrivals, long, on_workers) = (None, None, false, false);
        OutOfLine::new(Head {
            call,
            site,
            iterations,
            footprint,
            values,
            inspect,
            captured,
            tasks,
            moves,
            arrivals,
            long,
            on_workers,
            inspect_by,
        })
    }

    fn capture(&mut self, capture: &dyn Fn(&'static Program) -> Captured<'c>) {
        if self.call.context.node().may_have_device() {
            self.captured = self.program_for_device().map(|program| Box::new(capture(program)));
            self.on_workers = self.captured.is_none();
        }
    }

    fn launch(&mut self, tasks: &'c dyn Launches) {
        self.long = true;
        self.moves = tasks.moves();
        match self.program_for_device().filter(|_| self.moves.is_none()) {
            Some(_) => self.tasks = Some(tasks),
            None => tasks.leave(),
        }
    }

    /// The program of the loop, if a device may run it.
    fn program_for_device(&self) -> Option<&'static Program> {
        let (node, settings) = (self.call.context.node(), self.call.context.settings());
        if !node.may_have_device() || !settings.strategies.has(Strategy::Device) || !self.is_worth_a_device() {
            return None;
        }
        let refuse = |reason: &&str| refused(self.call, self.site.name, &Refusal::Cannot((*reason).to_owned()));
        self.site.program.as_ref().map_err(refuse).ok()
    }

    /// Whether a device may run the loop: always if the user chose it, otherwise if the loop takes long enough.
    fn is_worth_a_device(&self) -> bool {
        let long = || self.site.cost().saturating_mul(self.iterations as u64) > LEAST_FOR_DEVICE;
        (self.call.context.settings().backend != Backend::Auto || long()) && self.call.context.node().device().is_some()
    }
}

impl Run<'_, '_> {
    /// Makes the plan, as far as it does not depend on fetched elements.
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

    /// Opens the arrays, and overlaps this with other work.
    pub(super) fn open(&mut self, plan: &Plan, overlapped: &mut OverlappedWork<'_>) -> Opened {
        if !self.head.call.alone() {
            self.fetch(plan, overlapped);
        }
        Opened(())
    }

    /// Closes the arrays: sends remote writes to their owners.
    #[inline]
    pub(super) fn close(&mut self, _: Opened, plan: &Plan) {
        if !self.head.call.alone() {
            self.send_writes(plan);
        }
    }

    #[cold]
    fn send_writes(&mut self, plan: &Plan) {
        let call = self.head.call;
        call.context.pass();
        for (array, (slot, touched)) in self.slots.iter_mut().zip(&plan.by_rank).enumerate() {
            if slot.writes() {
                let before = call.context.traffic();
                slot.close(&call.context, touched, plan.written[array].as_deref());
                let traffic = call.context.traffic() - before;
                if let Some(report) = plan.report.filter(|_| traffic.bytes_sent + traffic.bytes_received > 0) {
                    report.written(array, traffic.bytes_sent, traffic.bytes_received);
                }
            }
        }
    }

    /// Whether ranks touch elements of others, and write none of them.
    pub(super) fn only_fetches(&self, plan: &Plan) -> bool {
        !plan.elsewhere && self.slots.iter().zip(&plan.by_rank).any(|(slot, touched)| slot.is_remote(touched))
    }

    /// Finds the windows of open arrays, and completes the plan with them.
    pub(super) fn settle(&mut self, plan: &mut Plan, windows: &mut Windows) {
        self.slots.windows(windows);
        if !self.head.call.alone() {
            plan.scattered = windows.iter().any(slot::Opened::is_scattered);
            let held: Hulls = self.slots.iter().map(|slot| slot.held()).collect();
            let sparse = self.slots.iter().enumerate();
            let sparse = sparse.filter_map(|(array, slot)| Some((array, slot.sparse()?.clone()))).collect();
            plan.settle(held, sparse, self.head.footprint);
        }
    }

    /// Makes the handshake of the loop, and fetches remote elements for this rank's iterations.
    #[cold]
    fn fetch(&mut self, plan: &Plan, overlapped: &mut OverlappedWork<'_>) {
        let Head { call, site, iterations, inspect, captured, inspect_by, .. } = &*self.head;
        let slots = &mut self.slots;
        let whole = slots.iter_mut().zip(&plan.by_rank).filter(|(slot, _)| slot.place().everywhere);
        whole.for_each(|(slot, touched)| slot.open_everywhere(&touched[call.context.rank()]));
        let key = |stage: usize, slots: &List<'_>| {
            let values = inspect_by.as_ref()?;
            schedule_key(site, stage, plan, values.as_ref(), slots)
        };
        let keys = (0..site.gathers.len()).map(|stage| key(stage, slots)).collect();
        let mut opening = Opening::begin(call, site, *iterations, plan, slots, keys, overlapped);
        for stage in 0..site.gathers.len() {
            if opening.knows(stage) {
                continue;
            }
            if captured.is_some() {
                // The workers run the inspector, so they need the arrays that it reads.
                let looked_at = slots.iter_mut().enumerate().filter(|(number, _)| site.looks[stage].contains(number));
                looked_at.for_each(|(_, slot)| slot.bring_back());
            }
            let mut windows = Windows::new();
            slots.windows(&mut windows);
            let schedules = schedule(call, plan, site.gathers[stage], slots, &|requests, positions| {
                inspect.iter().for_each(|inspect| inspect(requests, stage, &windows, positions.clone()));
            });
            opening.gather(stage, schedules, slots);
        }
    }
}
