//! The driver of loops that run on a device.

use super::captured::{Captured, refused};
use super::collector::Collector;
use super::in_order::{any_rank, hand_on, handed_on, is_mistaken};
use super::kernel::{Carries, Launches, Run, TakeOfTask};
use super::opaque::Opaque;
use super::over_ranks::IterationOrder;
use super::panics::Panics;
use super::plan::{Hulls, Plan};
use super::site::Instance;
use super::strategies::{Outcome as Results, total as merged};
use super::tree::Tree;
use crate::call::Call;
use crate::data::overlap;
use crate::device::{self, Cause, Costs, Device, Launch, Memory, Outcome, Part, Program, Refusal, Residence, Valid};
use crate::settings::Backend;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// All iterations of a rank on its device.
pub(super) struct OnDevice<'a> {
    pub accumulators: &'a dyn Collector,
    /// Whether an iteration may panic although the sequential loop does not.
    pub speculative: bool,
}

/// The result of a device.
pub(super) enum Ran {
    All(Results),
    /// A part has panicked on any rank: the loop has to run in order.
    Again,
    /// The workers have to run the rest. The device has run iterations before it, with this chunk and carry.
    Rest(Option<(Option<Opaque>, Opaque)>),
}

impl OnDevice<'_> {
    /// Runs the loop.
    #[cold]
    pub(super) fn run(self, of: &mut Run<'_, '_>, plan: &Plan) -> Ran {
        let OnDevice { accumulators, speculative } = self;
        let traits = accumulators.traits();
        let (captured, tasks) = (of.head.captured.take(), of.head.tasks);
        let overflow = match (&captured, tasks) {
            (Some(captured), _) => captured.overflow,
            (None, Some(tasks)) => tasks.overflow(),
            (None, None) => return Ran::Rest(None),
        };
        // An overflow may happen that the result of a device does not show. The workers then search for it.
        let finds_no_mistake = overflow && traits.detects_late && accumulators.hides_mistakes();
        if !of.faster_on_device(plan) || finds_no_mistake {
            of.bring_back();
            return Ran::Rest(None);
        }
        let mut bins = Vec::new();
        accumulators.bins(&mut bins);
        let merge = &mut |earlier, later| accumulators.merge(earlier, later);
        let mut total: Option<Opaque> = None;
        let count = of.head.site.program.as_ref().map_or(0, |program| program.pushes.len());
        let mut pushes = vec![Vec::new(); count];
        let mut take = |program: &Program, outcome: Outcome| {
            if traits.reduces {
                let chunk = accumulators.receive(&mut outcome.received(program));
                let all = match total.take() {
                    Some(earlier) => merge(earlier, chunk),
                    None => chunk,
                };
                if traits.limited && !accumulators.fits(&accumulators.value(), &all, &accumulators.after(Some(&all))) {
                    return false;
                }
                total = Some(all);
            }
            append(&mut pushes, outcome.pushes);
            true
        };
        let ran = match (&captured, tasks) {
            (Some(captured), _) => {
                let mut take = |outcome| take(captured.program, outcome).then_some(None).ok_or(Lost);
                of.launch(plan, captured, &bins, Launched::AtOnce(None), traits.limited, &mut take)
            }
            (None, Some(tasks)) => {
                of.launch_tasks(plan, tasks, &bins, &mut |program, outcome| _ = take(program, outcome))
            }
            (None, None) => None,
        };
        if ran.is_none() {
            let some = tasks.is_some() && (total.is_some() || pushes.iter().any(|pushed| !pushed.is_empty()));
            return Ran::Rest(some.then(|| (total, accumulators.pushed(&mut pushes.into_iter()))));
        }
        let call = of.head.call;
        // Speculative parts detect it by themselves, as on workers.
        let detects_late = traits.detects_late && of.head.site.again && !speculative;
        let mine = total.as_ref().filter(|_| detects_late).map(|total| accumulators.same_chunk(total));
        // A rank with an overflow needs the value before its iterations.
        let tell = || {
            let ordered_ranks = IterationOrder { comm: call.context.comm(), backwards: plan.backwards };
            let before = handed_on(&ordered_ranks, accumulators);
            let after = match &mine {
                Some(total) => accumulators.advance(before, total),
                None => before,
            };
            hand_on(&ordered_ranks, accumulators, &after);
        };
        if detects_late && any_rank(call, false) {
            tell();
        }
        let mut tree = Tree::new();
        if let Some(total) = total {
            tree.push(plan.chunks().start, total, &mut |_, later| later);
        }
        let carries = Carries::from_iter([accumulators.pushed(&mut pushes.into_iter())]);
        if !detects_late && !speculative {
            return Ran::All(Results::Parts(tree, carries));
        }
        let total = merged(call, of.head.site, plan, accumulators, tree);
        if detects_late {
            if is_mistaken(call, accumulators, total.as_ref()) {
                tell();
            }
            return Ran::All(Results::Value(accumulators.after(total.as_ref()), carries));
        }
        let merging = Panics::new();
        let value = merging.guard_speculative(plan.mine.start, || accumulators.after(total.as_ref()));
        if any_rank(call, merging.stopped()) {
            of.bring_back();
            return Ran::Again;
        }
        value.map_or(Ran::Again, |value| Ran::All(Results::Value(value, carries)))
    }
}

impl Run<'_, '_> {
    /// Copies the arrays to the host, for the workers.
    pub(super) fn bring_back(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.bring_back());
        if let Some(tasks) = self.head.tasks.take() {
            tasks.leave();
        }
    }

    /// The device does not run this loop in this call.
    pub(super) fn stay_on_workers(&mut self) {
        if self.head.captured.take().is_some() || self.head.tasks.is_some() {
            self.bring_back();
        }
    }

    /// Whether the call is expected to run faster on the device, from the measured costs of an iteration on both sides and the number of
    /// elements to copy.
    fn faster_on_device(&self, plan: &Plan) -> bool {
        let context = &self.head.call.context;
        if context.settings().backend != Backend::Auto {
            return true;
        }
        let Some(Costs { launch, byte }) = context.node().device().map(Device::costs) else { return false };
        let arrays = || self.head.site.program.iter().flat_map(|program| program.arrays);
        let parts = if self.head.tasks.is_some() { Vec::new() } else { self.slots.parts() };
        let missing = context.node().device().zip(self.head.tasks).map(|(device, tasks)| tasks.missing(device));
        let [mut there, mut back] = missing.unwrap_or_default();
        for (part, array) in parts.iter().zip(arrays()) {
            let bytes = |elements: usize| (elements * array.element.size()) as u64;
            let own = part.share.map_or(0, |share| overlap(&part.elements(), &share.elements()).len());
            // The halo is copied each time.
            there += bytes(part.count - own) * if array.writes { 2 } else { 1 };
            there += bytes(part.sparse.map_or(0, |sparse| sparse.count));
            if let Some(share) = part.share {
                match share.residence.valid() {
                    Valid::Host => there += bytes(share.count),
                    Valid::Both => {}
                    Valid::Device => back += bytes(share.count),
                }
            }
        }
        let iterations = plan.mine.len() as u64;
        let workers = context.node().workers() as u64;
        let here = self.head.site.cost().saturating_mul(iterations) / workers + back * byte;
        let device =
            self.head.site.device_cost.load(Ordering::Relaxed).saturating_mul(iterations) + there * byte + launch;
        let faster = device < here;
        if context.settings().explain
            && context.this_rank().rank == 0
            && !self.head.site.device_reported.swap(true, Ordering::Relaxed)
        {
            let millis = |picoseconds: u64| picoseconds as f64 * 1e-9;
            eprintln!(
                "`{}`, loop {}: on {}, where it takes about {:.3} ms at first sight; {:.3} ms on {}",
                self.head.site.name,
                self.head.site.number + 1,
                if faster { "the GPU" } else { context.node().name() },
                millis(device.min(here)),
                millis(device.max(here)),
                if faster { "the processor's cores" } else { "the GPU" },
            );
        }
        faster
    }

    /// The same for a scan. `value_before` computes the scan state before this rank from its total, if it has one.
    pub(super) fn scan_on_device(
        &mut self,
        plan: &Plan,
        accumulators: &dyn Collector,
        value_before: &mut dyn FnMut(Option<Opaque>) -> Opaque,
    ) -> Option<(Opaque, Carries)> {
        let limited = accumulators.traits().limited;
        let captured = self.head.captured.take()?;
        // The exchange of scan states is over by then.
        let alone = self.head.call.alone();
        let finds_no_mistake = captured.overflow && accumulators.traits().detects_late && accumulators.hides_mistakes();
        if !self.faster_on_device(plan) || finds_no_mistake || limited && !alone {
            self.bring_back();
            return None;
        }
        let merge = &mut |earlier, later| accumulators.merge(earlier, later);
        let sent = |value: &Opaque| {
            let mut state = Vec::new();
            accumulators.send(value, &mut state);
            // No sum has wrapped around.
            state.resize(state.len() + 4 * captured.program.counted, 0);
            state
        };
        let mut first: Option<Opaque> = None;
        for level in 0..if self.head.call.alone() { 0 } else { captured.program.depth() } {
            let mut total: Option<Opaque> = None;
            // Above level 0, the states before a piece depend on the earlier pieces.
            let mut value = first.take();
            let before = value.as_ref().map(sent);
            self.launch(plan, &captured, &[], Launched::Totals(level, before.as_deref()), false, &mut |outcome| {
                let chunk = accumulators.receive(&mut outcome.received(captured.program));
                value = value.take().map(|value| accumulators.advance(value, &chunk));
                total = Some(match total.take() {
                    Some(earlier) => merge(earlier, chunk),
                    None => chunk,
                });
                Ok(value.as_ref().map(sent))
            })?;
            first = Some(value_before(total));
        }
        let first = first.unwrap_or_else(|| value_before(None));
        let state = sent(&first);
        let mut value = first;
        let mut pushes = vec![Vec::new(); captured.program.pushes.len()];
        self.launch(plan, &captured, &[], Launched::AtOnce(Some(&state)), limited, &mut |outcome| {
            let chunk = accumulators.receive(&mut outcome.received(captured.program));
            let after = accumulators.advance(accumulators.same_value(&value), &chunk);
            if limited && !accumulators.fits(&value, &chunk, &after) {
                return Err(Lost);
            }
            value = after;
            append(&mut pushes, outcome.pushes);
            Ok(Some(sent(&value)))
        })?;
        Some((value, Carries::from_iter([accumulators.pushed(&mut pushes.into_iter())])))
    }

    /// Runs the loop on the device, in several pieces if it is too large. `take` gets the outcome of each piece in order, and returns the scan
    /// state before the next one, or reports that combined factors overflowed in a `limited` loop. `None` if the device refuses, or if an
    /// iteration panics: the workers then run the loop, and panic as Rust does.
    #[allow(clippy::too_many_arguments)]
    fn launch(
        &mut self,
        plan: &Plan,
        captured: &Captured<'_>,
        bins: &[Vec<u8>],
        how: Launched<'_>,
        limited: bool,
        take: &mut Take<'_>,
    ) -> Option<()> {
        let program = captured.program;
        let device = self.head.call.context.node().device()?;
        // Shares that are too long for the device are copied there and back each time.
        for (slot, array) in self.slots.iter_mut().zip(program.arrays) {
            if slot.part().share.is_some_and(|share| !device.holds(share.count * array.element.size())) {
                slot.bring_back();
            }
        }
        let mut arrays = self.slots.parts();
        for (part, array) in arrays.iter_mut().zip(program.arrays) {
            part.share = part.share.filter(|share| device.holds(share.count * array.element.size()));
        }
        let footprint = |positions: &Range<usize>| match *positions == plan.mine {
            true => (plan.hulls.clone(), plan.inside),
            false => plan.footprint(positions, self.head.footprint),
        };
        let order =
            Order { call: self.head.call, site: self.head.site, device, plan, captured, bins, how, limited, arrays };
        if order.run(&footprint, take) {
            return Some(());
        }
        drop(order);
        self.slots.iter_mut().for_each(|slot| slot.bring_back());
        None
    }

    /// Runs tasks on the device. `None` if workers have to run some.
    fn launch_tasks(
        &mut self,
        plan: &Plan,
        tasks: &dyn Launches,
        bins: &[Vec<u8>],
        take: &mut TakeOfTask<'_>,
    ) -> Option<()> {
        let call = self.head.call;
        let start = Instant::now();
        let ran = call.context.node().device().is_some_and(|device| tasks.run(call, device, bins, take));
        if !ran {
            self.bring_back();
            return None;
        }
        measured(call, self.head.site, plan, start);
        Some(())
    }
}

/// Notes the cost of an iteration on the device, if the settings leave the choice to measurements.
fn measured(call: &Call, site: &Instance, plan: &Plan, start: Instant) {
    if plan.mine.is_empty() || call.context.settings().backend != Backend::Auto {
        return;
    }
    let Some(Costs { launch, .. }) = call.context.node().device().map(Device::costs) else { return };
    let spent = (start.elapsed().as_nanos() as u64 * 1000).saturating_sub(launch) / plan.mine.len() as u64;
    // The first launch compiles the shader, and others copy elements: the shortest time is the cost.
    let known = site.device_cost.load(Ordering::Relaxed);
    if known == 0 || spent < known {
        site.device_cost.store(spent.max(1), Ordering::Relaxed);
    }
}

/// Appends the pushed elements of each sequence.
fn append(pushes: &mut [Vec<u8>], more: Vec<Vec<u8>>) {
    for (all, more) in pushes.iter_mut().zip(more) {
        if all.is_empty() { *all = more } else { all.extend(more) }
    }
}

/// The part of a loop that a launch runs.
#[derive(Clone, Copy)]
enum Launched<'s> {
    /// The whole body, from the scan state before the first position if there is one.
    AtOnce(Option<&'s [u8]>),
    /// The totals of a scan up to a level, from the states of the lower levels.
    Totals(usize, Option<&'s [u8]>),
}

impl Launched<'_> {
    /// The scan state before the first position.
    fn state(self) -> Option<Vec<u8>> {
        let (Launched::AtOnce(state) | Launched::Totals(_, state)) = self;
        state.map(<[u8]>::to_vec)
    }
}

/// A loop and its device.
struct Order<'o> {
    call: &'o Call,
    site: &'static Instance,
    device: &'o dyn Device,
    plan: &'o Plan,
    captured: &'o Captured<'o>,
    bins: &'o [Vec<u8>],
    how: Launched<'o>,
    /// Whether the outcome of a piece may be invalid.
    limited: bool,
    arrays: Vec<Part<'o>>,
}

/// The scan state is lost, because combined factors overflowed.
struct Lost;

/// Takes the outcome of a piece, and returns the scan state before the next one.
type Take<'t> = dyn FnMut(Outcome) -> Result<Option<Vec<u8>>, Lost> + 't;

impl Order<'_> {
    /// Runs the loop piece by piece. After a failure, all arrays are restored.
    #[cold]
    fn run(&self, footprint: &dyn Fn(&Range<usize>) -> (Hulls, bool), take: &mut Take<'_>) -> bool {
        let (plan, program) = (self.plan, self.captured.program);
        let obstacle = match &self.captured.obstacle {
            _ if plan.scattered && self.arrays.iter().all(|part| part.sparse.is_none()) => {
                Some("the elements that it gathers from other ranks lie apart".to_owned())
            }
            obstacle => obstacle.clone(),
        };
        if let Some(obstacle) = obstacle {
            self.refused(&Refusal::Cannot(obstacle));
            return false;
        }
        let start = Instant::now();
        let mut state = self.how.state();
        // The remaining pieces, in reverse order.
        let mut pieces = vec![plan.mine.clone()];
        pieces.retain(|piece| !piece.is_empty());
        let mut before = self.limited.then(|| Before::remember(self));
        let mut whole = vec![false; self.arrays.len()];
        while let Some(positions) = pieces.pop() {
            let refusal = match self.piece(&positions, footprint(&positions), &whole, state.as_deref()) {
                Ok(Outcome { raised: Some(raised), .. }) => Err(raised),
                Ok(outcome) => match take(outcome) {
                    Ok(next) => {
                        state = next;
                        continue;
                    }
                    Err(Lost) => {
                        Ok(Refusal::Cannot("what its iterations come to leaves the range of its numbers".into()))
                    }
                },
                Err(Refusal::TooMuch(_)) if self.finds_whole(&positions, footprint, &mut whole) => {
                    pieces.push(positions);
                    continue;
                }
                Err(Refusal::TooMuch(_)) if positions.len() > 1 => {
                    if before.is_none() {
                        tracing::debug!(kernel = program.name, "runs in pieces");
                        before = Some(Before::remember(self));
                    }
                    let half = positions.len() / 2;
                    let middle = positions.start + if half > EVEN { half - half % EVEN } else { half };
                    pieces.push(middle..positions.end);
                    pieces.push(positions.start..middle);
                    continue;
                }
                Err(refusal) => Ok(refusal),
            };
            if let Some(before) = before {
                before.restore();
            }
            match refusal {
                Ok(refusal) => self.refused(&refusal),
                Err((position, cause)) => self.raised(position, cause),
            }
            return false;
        }
        measured(self.call, self.site, plan, start);
        true
    }

    /// Records an array, such as a gathered one, if half of the positions access nearly as many of its elements as all positions. Returns
    /// whether there is a new one.
    fn finds_whole(
        &self,
        positions: &Range<usize>,
        footprint: &dyn Fn(&Range<usize>) -> (Hulls, bool),
        whole: &mut [bool],
    ) -> bool {
        let half = positions.start..positions.start + positions.len().div_ceil(2);
        let ((all, _), (some, _)) = (footprint(positions), footprint(&half));
        let mut found = false;
        for (number, known) in whole.iter_mut().enumerate() {
            let is = self.is_gathered(number) || 4 * some[number].len() > 3 * all[number].len();
            found |= is && !*known;
            *known |= is;
        }
        found
    }

    fn is_gathered(&self, array: usize) -> bool {
        self.site.gathers.iter().any(|stage| stage.contains(&array))
    }

    /// Launches some positions, which access these elements, from a scan state if there is one.
    fn piece(
        &self,
        positions: &Range<usize>,
        (hulls, inside): (Hulls, bool),
        touched_whole: &[bool],
        state: Option<&[u8]>,
    ) -> Result<Outcome, Refusal> {
        let (program, gathers) = (self.captured.program, self.site.gathers);
        let proved = inside && gathers.is_empty();
        let whole = *positions == self.plan.mine;
        let mut arrays = self.arrays.clone();
        for (number, part) in arrays.iter_mut().enumerate() {
            part.whole = touched_whole[number];
            if (proved || !whole) && !self.is_gathered(number) {
                *part = cropped(*part, &hulls[number], program.arrays[number].element.size());
            }
            part.share = part.share.filter(|share| !overlap(&part.elements(), &share.elements()).is_empty());
        }
        let tables: Vec<&[u8]> = self.captured.tables.iter().map(|table| &**table).collect();
        let launch = Launch {
            program,
            positions: positions.clone(),
            arrays: &arrays,
            proved,
            overflow: self.captured.overflow,
            values: &self.captured.values,
            tables: &tables,
            bins: self.bins,
            state,
            totals: match self.how {
                Launched::Totals(level, _) => Some(level),
                _ => None,
            },
            timed: self.call.context.settings().backend == Backend::Auto,
        };
        // SAFETY: the arrays are open, only this thread accesses them, and the macro and the probes have checked the types.
        unsafe { self.device.run(&launch) }
    }

    fn raised(&self, position: usize, cause: Cause) {
        let name = self.captured.program.name;
        if matches!(cause, Cause::Wide | Cause::Trips) {
            self.refused(&Refusal::Cannot(format!("iteration {position} needs {cause}")));
        } else {
            tracing::debug!(kernel = name, position, %cause, "runs again on the workers, to panic there");
        }
    }

    fn refused(&self, refusal: &Refusal) {
        refused(self.call, self.captured.program.name, refusal);
    }
}

/// The lengths of pieces are multiples of this, so that two pieces do not write the same word.
const EVEN: usize = 1024;

/// Copies of a loop's arrays before its first piece, in case a later piece fails.
struct Before<'a> {
    shares: Vec<(&'a Residence, Option<Box<dyn Memory>>)>,
    host: Vec<(*mut u8, Vec<u8>)>,
}

impl<'a> Before<'a> {
    fn remember(order: &Order<'a>) -> Self {
        let mut before = Before { shares: Vec::new(), host: Vec::new() };
        // Totals write nothing.
        let writes = |array: &device::Array| array.writes && !matches!(order.how, Launched::Totals(..));
        let arrays = order.arrays.iter().zip(order.captured.program.arrays);
        for (part, array) in arrays.filter(|(_, array)| writes(array)) {
            let own = part.share.map_or(0..0, |share| overlap(&part.elements(), &share.elements()));
            if let (Some(share), false) = (part.share, own.is_empty()) {
                let copy = share.residence.remember().unwrap_or_else(|refusal| {
                    tracing::debug!(%refusal, "a share comes back, for the device has no room for it once more");
                    // SAFETY: this is the share's own memory; only the device has a valid copy, so no slice is alive.
                    unsafe { share.residence.bring_back(share.address) };
                    None
                });
                before.shares.push((share.residence, copy));
            }
            let halos = match own.is_empty() {
                true => [part.elements(), 0..0],
                false => [part.first..own.start, own.end..part.first + part.count],
            };
            for elements in halos.into_iter().filter(|elements| !elements.is_empty()) {
                let size = array.element.size();
                let address = part.address.wrapping_add((elements.start - part.first) * size);
                // SAFETY: these elements are in host memory, and nothing else accesses them.
                let bytes = unsafe { std::slice::from_raw_parts(address, elements.len() * size) };
                before.host.push((address, bytes.to_vec()));
            }
        }
        before
    }

    fn restore(self) {
        self.shares.into_iter().for_each(|(residence, memory)| residence.restore(memory));
        for (address, bytes) in self.host {
            // SAFETY: as in `remember`.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address, bytes.len()) };
        }
    }
}

/// The elements of `hull` in a part.
fn cropped<'a>(part: Part<'a>, hull: &Range<usize>, size: usize) -> Part<'a> {
    let skipped = hull.start.saturating_sub(part.first);
    Part { address: part.address.wrapping_add(skipped * size), first: part.first + skipped, count: hull.len(), ..part }
}
