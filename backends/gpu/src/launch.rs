//! One loop of one call: up, through its passes, and back.

mod arrays;

use crate::kernels::{self, LEAVES};
use crate::library::Native;
use crate::look_back;
use crate::memory::{FLAGS, Memory, Use};
use crate::shader::{Kernel, Rows, Shader, Shaders};
use crate::template::{self, Leaf, Pass, Shape, Slot, Variant, Walk, Windows, words};
use crate::transfer::{Wire, answered};
use crate::{Gpu, Kept, LookBack, Ways, bins, layout, lock};
use forall_core::device::{Bins, Cause, Launch, Moved, Outcome, Program, Refusal, Valid};
use std::ops::Range;
use std::sync::Arc;
use wgpu::{
    BindGroup, Buffer, BufferView, CommandEncoderDescriptor, ComputePassDescriptor, ComputePipeline, MapMode, PollType,
    SubmissionIndex,
};

/// Invocations of a workgroup, where the device allows so many.
const GROUP: u32 = 256;

/// The most words of histograms that a workgroup holds, and the most positions that it has an invocation take for them.
const NEAR: u64 = 4096;
const LONG: u32 = 64;

/// Positions of an invocation: so many that it waits for several of them at once, and, where something is merged after them,
/// that this is little beside them.
const EACH_OF_MAPS: u32 = 4;
const EACH_OF_FOLDS: u32 = 16;
const EACH_OF_RUNS: u32 = 8;

/// Where there are fewer positions than this, more workgroups at a time are worth more than that.
const FEW: usize = 1 << 17;

/// The most bytes of its memory that a workgroup takes, so that several find room beside each other.
const ROOM: u64 = 20 << 10;

/// What is no longer than this is brought to the host with others.
const SMALL: u64 = 4096;

/// A buffer, and which bytes of it are meant.
#[derive(Debug, Clone)]
struct Held {
    buffer: Buffer,
    from: u64,
    bytes: u64,
}

impl Held {
    /// The first bytes of a buffer.
    fn first(buffer: Buffer, bytes: u64) -> Self {
        Held { buffer, from: 0, bytes }
    }

    /// A window of it, of this size; the last one has what is left, and there is none beyond.
    fn window(&self, number: u32, size: u64) -> Option<Self> {
        let skipped = u64::from(number) * size;
        let bytes = self.bytes.checked_sub(skipped).filter(|left| *left > 0)?.min(size);
        Some(Held { buffer: self.buffer.clone(), from: self.from + skipped, bytes })
    }
}

/// The loop's arrays in the memory of the device.
#[derive(Debug, Default)]
struct Resident {
    arrays: Vec<Held>,
    /// For each array, the element of its binding with which its part begins.
    begin: Vec<u64>,
    /// For each array that iterations both read and write, what it was before.
    before: Vec<Option<Held>>,
    tables: Vec<Held>,
    /// Where the elements are that lie apart, and at which of these runs each array's begin.
    runs: Option<Held>,
    first_runs: Vec<usize>,
}

/// What the passes left in the memory of the device.
#[derive(Debug)]
struct Left {
    /// The merged state, where the loop has one; of a scan, one for each level of running values.
    states: Vec<Held>,
    /// What was pushed, with the number of bytes of the elements.
    pushes: Vec<(Held, usize)>,
    /// The histograms.
    bins: Vec<Held>,
}

/// One thing for the device to do.
enum Step {
    Dispatch {
        pipeline: ComputePipeline,
        group: BindGroup,
        x: u32,
        y: u32,
    },
    Copy {
        from: Held,
        to: Held,
    },
    /// Makes all bytes zero.
    Clear {
        buffer: Buffer,
        bytes: u64,
    },
}

/// One launch while it runs.
struct Run<'a> {
    gpu: &'a Gpu,
    launch: &'a Launch<'a>,
    program: &'static Program,
    shape: Shape,
    memory: &'a mut Memory,
    shaders: &'a mut Shaders,
    /// All buffers that it uses, which go back when it is done.
    lent: Vec<(Buffer, Use)>,
    /// What the device is to do next, in order.
    steps: Vec<Step>,
    /// Whether it was told to do something already, and whether that can raise something.
    submitted: bool,
    raises: bool,
    words: Held,
    flags: Held,
    /// Through how many windows kernels look at the arrays, and at the tables and runs.
    windows: [Windows; 2],
    /// What they look at through a window beyond the end of an array that they read, and of one that they write.
    nothing: [Held; 2],
    /// How many leaves a pass has, and how many workgroups.
    leaves: u64,
    groups: u64,
}

impl Gpu {
    /// See [`Device::run`](forall_core::device::Device::run).
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn launch(&self, launch: &Launch<'_>) -> Result<Outcome, Refusal> {
        let program = launch.program;
        let count = launch.positions.len();
        if launch.positions.end >= u32::MAX as usize || count > (u32::MAX - 0xffff) as usize {
            return Err(Refusal::Cannot(format!(
                "{} numbers at most 4,294,901,760 iterations; here are {count}",
                self.name
            )));
        }
        if let Some(part) = launch.arrays.iter().find(|part| part.len >= u32::MAX as usize) {
            return Err(Refusal::Cannot(format!("{} numbers no array of {} elements", self.name, part.len)));
        }
        if count == 0 && !template::folds(program) && program.bins.is_empty() {
            return Ok(Outcome { pushes: vec![Vec::new(); program.pushes.len()], ..Outcome::default() });
        }
        self.broken()?;
        let plain = !template::folds(program) && program.pushes.is_empty();
        let ways = if plain { Ways::ALL } else { *self.ways.get_or_init(|| crate::probe::ways(self)) };
        // SAFETY: as the caller promises.
        unsafe { self.launch_in(ways, launch) }
    }

    /// The same, in these ways.
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn launch_in(&self, ways: Ways, launch: &Launch<'_>) -> Result<Outcome, Refusal> {
        let count = launch.positions.len();
        let shape = self.shape(launch, ways)?;
        // SAFETY: as the caller promises.
        let outcome = unsafe { self.attempt(launch, shape)? };
        match (outcome.raised, shape.turns) {
            // Nothing was written. A lane that is alone in its workgroup has more turns.
            (Some((_, Cause::Trips)), Some(_)) => {
                let alone = Shape {
                    walk: Walk::Runs,
                    group: 1,
                    each: 1,
                    turns: Some(template::TURNS_ALONE),
                    shared: 0,
                    subgroups: false,
                    look_back: LookBack::No,
                    ..shape
                };
                if rows(launch, alone.each, shape.native.long) > bins::most_cells(count as u64) {
                    return Ok(outcome);
                }
                // SAFETY: as above.
                unsafe { self.attempt(launch, alone) }
            }
            _ => Ok(outcome),
        }
    }

    /// One run of the launch.
    ///
    /// # Safety
    /// As for [`Gpu::launch`].
    unsafe fn attempt(&self, launch: &Launch<'_>, shape: Shape) -> Result<Outcome, Refusal> {
        let mut kept = lock(&self.kept);
        let Kept { shaders, memory } = &mut *kept;
        memory.begin();
        let mut run = Run::new(self, launch, shape, memory, shaders)?;
        run.prepare()?;
        // SAFETY: the parts are memory that nothing else touches, as the caller promises.
        let resident = unsafe { run.upload()? };
        // SAFETY: as above.
        let outcome = unsafe { run.compute(&resident) };
        if !matches!(outcome, Ok(Outcome { raised: None, .. })) {
            run.take_back(&resident);
        }
        let outcome = outcome?;
        run.end();
        Ok(outcome)
    }

    /// Whether it has atomic minima and maxima of 64 bits.
    pub(crate) fn long(&self) -> bool {
        self.device.features().contains(wgpu::Features::SHADER_INT64_ATOMIC_MIN_MAX)
    }

    /// How a program is spread over this device.
    fn shape(&self, launch: &Launch<'_>, ways: Ways) -> Result<Shape, Refusal> {
        let program = launch.program;
        let limits = &self.limits;
        let group = GROUP.min(limits.max_compute_invocations_per_workgroup).min(limits.max_compute_workgroup_size_x);
        let most_lanes = 1 << group.ilog2();
        // A simulated device counts all turns of an invocation together, so that one with loops gets one position.
        let long = self.long();
        let facts = lock(&self.kept).shaders.facts(program, long);
        let loops = facts.loops;
        let merges = template::folds(program) || !program.pushes.is_empty() || !program.bins.is_empty();
        let (_, state) = layout::state(program.state);
        let fits = |group: u32, each: u32| {
            kernels::room(program, group, each, state as u64)
                <= ROOM.min(limits.max_compute_workgroup_storage_size.into())
        };
        let few = launch.positions.len() < FEW;
        let (mut walk, mut group, mut each) =
            (Walk::Tiles, most_lanes, if merges { EACH_OF_FOLDS } else { EACH_OF_MAPS });
        if few {
            each /= 4;
        }
        while each > 1 && !fits(group, each) {
            each /= 2;
        }
        while group > 32 && !fits(group, each) {
            group /= 2;
        }
        if !ways.tiles || (self.simulated && loops) || !fits(group, each) || !facts.in_tiles {
            (walk, group) = (Walk::Runs, most_lanes);
            each = if merges && !(self.simulated && loops) { EACH_OF_RUNS } else { 1 };
        }
        let most = bins::most_cells(launch.positions.len() as u64);
        while rows(launch, each, long) > most {
            each *= 2;
        }
        if u64::from(each) > bins::LONGEST {
            return Err(Refusal::Cannot(format!(
                "floats, and what else is merged in order, are put into so many bins ({}) that {} would hold too many copies of them",
                bins_of(launch).map(|(_, count)| count).sum::<u64>(),
                self.name
            )));
        }
        // In the memory of a workgroup where that is worth the way back.
        let near = bins_of(launch).map(|(of, count)| match bins::way(of, long) {
            // Only the device's memory has them.
            bins::Way::Long => u64::MAX >> 32,
            _ => bins::words(of, long) as u64 * count,
        });
        let near = near.sum::<u64>();
        let taken = if walk == Walk::Tiles { kernels::room(program, group, each, state as u64) } else { 0 };
        let room = (u64::from(limits.max_compute_workgroup_storage_size).saturating_sub(taken) / 4).min(NEAR);
        while each > 1 && each < LONG && near <= room && u64::from(group * each) < 4 * near && fits(group, 2 * each) {
            each *= 2;
        }
        let shared = match near > 0 && near <= room && near <= u64::from(group * each) {
            true => near.next_power_of_two().max(256).min(room) as u32,
            false => 0,
        };
        let most = limits.max_compute_workgroup_storage_size as usize / state.max(1);
        if most == 0 {
            return Err(Refusal::Cannot(format!("a state of {state} bytes is too large for {}", self.name)));
        }
        let native = match facts.rounds {
            true => *self.native.get_or_init(|| crate::probe::native(self)),
            // It does not matter.
            false => Native { single: true, double: true, long },
        };
        let fold = most_lanes.min(1 << most.min(1 << 16).ilog2());
        let turns = self.simulated.then_some(template::TURNS - 4 * each.min(256));
        let uniform = 4 * words::total(program) as u64 + 16 <= limits.max_uniform_buffer_binding_size;
        let subgroups = ways.subgroups && kernels::shuffles(program);
        let look_back = match walk {
            Walk::Tiles if facts.looks_back => ways.look_back,
            _ => LookBack::No,
        };
        let window = limits.max_storage_buffer_binding_size.ilog2();
        Ok(Shape { walk, group, each, fold, turns, shared, uniform, subgroups, look_back, native, window })
    }
}

impl<'a> Run<'a> {
    fn new(
        gpu: &'a Gpu,
        launch: &'a Launch<'a>,
        shape: Shape,
        memory: &'a mut Memory,
        shaders: &'a mut Shaders,
    ) -> Result<Self, Refusal> {
        let program = launch.program;
        let leaves = launch.positions.len().div_ceil(shape.span() as usize).max(1) as u64;
        let groups = match shape.walk {
            Walk::Tiles => leaves,
            Walk::Runs => leaves.div_ceil(u64::from(shape.group)),
        };
        let flags = Held::first(memory.flags(gpu)?, FLAGS);
        // They are known once the arrays are there.
        let (words, nothing) = (flags.clone(), [flags.clone(), flags.clone()]);
        let windows = arrays::windows(gpu, launch, 1 << shape.window)?;
        let (lent, steps) = (Vec::new(), Vec::new());
        let (submitted, raises) = (false, false);
        Ok(Run {
            gpu,
            launch,
            program,
            shape,
            memory,
            shaders,
            lent,
            steps,
            submitted,
            raises,
            words,
            flags,
            windows,
            nothing,
            leaves,
            groups,
        })
    }

    /// Gives the buffers back.
    fn end(self) {
        // The last one is taken first: the next launch of this kind takes the same ones for the same things.
        for (buffer, of) in self.lent.into_iter().rev() {
            self.memory.give(buffer, of);
        }
    }

    fn take(&mut self, bytes: u64, of: Use) -> Result<Held, Refusal> {
        let bytes = bytes.max(16).next_multiple_of(8);
        let buffer = self.memory.take(self.gpu, bytes, of)?;
        self.lent.push((buffer.clone(), of));
        Ok(Held::first(buffer, bytes))
    }

    /// A buffer with this in it.
    fn put(&mut self, bytes: &[u8]) -> Result<Held, Refusal> {
        let held = self.take(bytes.len() as u64, Use::Work)?;
        self.wire().up(&held.buffer, 0, bytes)?;
        Ok(held)
    }

    /// The same, of what may be too long for one window.
    fn put_long(&mut self, bytes: &[u8]) -> Result<Held, Refusal> {
        let held = self.take(bytes.len() as u64, Use::Stay)?;
        self.wire().up(&held.buffer, 0, bytes)?;
        Ok(held)
    }

    fn wire(&self) -> Wire {
        Wire::new(self.gpu)
    }

    /// Makes the shaders, which tell whether anything can be raised.
    fn prepare(&mut self) -> Result<(), Refusal> {
        if self.windows != [Windows::default(); 2] {
            self.nothing = [self.take(0, Use::Work)?, self.take(0, Use::Work)?];
        }
        let passes = self.totals().map(Pass::Total);
        let count = (!self.program.pushes.is_empty()).then_some(Pass::Count);
        let rest = [count, Some(Pass::Iterate)].into_iter().flatten().filter(|_| self.launch.totals.is_none());
        for pass in passes.chain(rest).collect::<Vec<_>>() {
            self.shader(pass)?;
        }
        Ok(())
    }

    /// The levels of running values of which the totals are found out by a pass.
    fn totals(&self) -> Range<usize> {
        match self.launch.totals {
            Some(level) => 0..level + 1,
            None if self.shape.look_back != LookBack::No || !self.program.running => 0..0,
            None => 0..self.program.depth(),
        }
    }

    /// Runs the passes and brings what they left.
    ///
    /// # Safety
    /// As for [`Gpu::launch`].
    unsafe fn compute(&mut self, resident: &Resident) -> Result<Outcome, Refusal> {
        match self.passes(resident)? {
            // SAFETY: as the caller promises.
            Ok(left) => unsafe { self.download(resident, &left) },
            Err(raised) => Ok(Outcome { raised: Some(raised), ..Outcome::default() }),
        }
    }

    /// Makes the shares that stay what they were before, after a launch that did not come to its end.
    fn take_back(&mut self, resident: &Resident) {
        self.memory.flags_changed();
        self.steps.clear();
        for (number, array) in self.program.arrays.iter().enumerate() {
            let Some(share) = self.share(number).filter(|_| array.writes) else { continue };
            match &resident.before[number] {
                Some(before) if self.submitted => self.copy(before, &resident.arrays[number]),
                Some(_) => {}
                // It cannot be that some positions raised something and others wrote.
                None if share.residence.valid() == Valid::Device => {}
                // The host has it too.
                None => share.residence.with_memory(|memory| *memory = None),
            }
        }
        if let Err(error) = self.submit() {
            tracing::error!(%error, "shares may be lost");
        }
    }

    /// Runs the passes; the inner error is what a position raised.
    fn passes(&mut self, resident: &Resident) -> Result<Result<Left, (usize, Cause)>, Refusal> {
        let program = self.program;
        let facts = self.shaders.facts(program, self.gpu.long());
        let restore = |this: &mut Self| {
            let held = resident.before.iter().zip(&resident.arrays).zip(&facts.disturbs);
            for ((before, held), _) in held.filter(|(_, disturbs)| **disturbs) {
                if let Some(before) = before {
                    this.copy(before, held);
                }
            }
        };
        let mut bound = Bound {
            resident,
            seed: None,
            states: Vec::new(),
            counts: None,
            chain: None,
            pushes: &[],
            bins: &[],
            fresh: &[],
        };
        let mut left = Left { states: Vec::new(), pushes: Vec::new(), bins: Vec::new() };
        if program.running {
            let seed = self
                .launch
                .state
                .map_or_else(|| Some(vec![0; 16]), |state| layout::state_to_device(program.state, state));
            let Some(seed) = seed else {
                return Err(Refusal::Cannot(format!(
                    "a running value before the loop has no room on {}",
                    self.gpu.name
                )));
            };
            bound.seed = Some(self.put_at_least(&seed, layout::state(program.state).1)?);
            for level in self.totals() {
                let shader = self.shader(Pass::Total(level))?;
                let levels = self.pass(&shader, Leaf::State, &bound, None)?;
                left.states.extend(levels.last().cloned());
                restore(self);
                if self.launch.totals == Some(level) {
                    return Ok(Ok(left));
                }
                self.down(&shader, &levels)?;
                bound.states.extend(levels.into_iter().next());
            }
        }
        let mut sequences = Vec::new();
        if !program.pushes.is_empty() {
            let shader = self.shader(Pass::Count)?;
            let levels = self.pass(&shader, Leaf::Counts, &bound, None)?;
            let Some(top) = levels.last() else {
                return Err(Refusal::Failed("a tree without a top".into()));
            };
            let read = self.read(&[self.flags.clone(), top.clone()])?;
            let counts = read.bytes(1)?.to_vec();
            let raised = raised(&read.bytes(0)?);
            drop(read);
            if let Some(raised) = raised {
                return Ok(Err(raised));
            }
            self.down(&shader, &levels)?;
            restore(self);
            for (count, element) in counts.chunks_exact(4).zip(program.pushes) {
                let count = u32::from_ne_bytes(count.try_into().unwrap_or_default());
                let bytes = count as usize * element.size();
                if count == u32::MAX {
                    return Err(Refusal::Cannot(format!("{} numbers no 4,294,967,295 elements", self.gpu.name)));
                }
                left.pushes.push((self.take(bytes as u64, Use::Work)?, bytes));
            }
            bound.counts = levels.into_iter().next();
            sequences = left.pushes.iter().map(|(held, _)| held.clone()).collect();
        }
        bound.pushes = &sequences;
        let shader = self.shader(Pass::Iterate)?;
        let leaf = template::leaf(program, Pass::Iterate);
        let (held, fresh) = self.bins()?;
        (bound.bins, bound.fresh) = (&held, &fresh);
        for (number, fill) in shader.rows.iter().map(|rows| (rows.number, &rows.fill)) {
            let cells = held[number].bytes / cell_size(&program.bins[number]);
            self.dispatch(fill, cells.div_ceil(u64::from(self.shape.group)), &bound, None, None)?;
        }
        if program.running && self.shape.look_back != LookBack::No {
            let bytes = look_back::chain(program, self.leaves);
            let chain = self.take(bytes, Use::Work)?;
            self.steps.push(Step::Clear { buffer: chain.buffer.clone(), bytes: bytes.next_multiple_of(4) });
            let state = layout::state(program.state).1 as u64;
            let all = self.take(state, Use::Work)?;
            bound.chain = Some(chain);
            left.states.push(Held::first(all.buffer, state));
        }
        let lower = left.states.last().filter(|_| bound.chain.is_some()).cloned();
        let levels = self.pass(&shader, leaf, &bound, lower)?;
        if leaf == Leaf::State {
            left.states.extend(levels.last().cloned());
        }
        left.bins.clone_from(&held);
        for rows in &shader.rows {
            left.bins[rows.number] = self.join(rows, &bound)?;
        }
        Ok(Ok(left))
    }

    /// Brings the results to the host, unless an iteration raised something.
    ///
    /// # Safety
    /// The parts of arrays that are written are memory that nothing else touches.
    unsafe fn download(&mut self, resident: &Resident, left: &Left) -> Result<Outcome, Refusal> {
        let (stay, written): (Vec<usize>, Vec<usize>) = match self.launch.totals.is_some() {
            true => (Vec::new(), Vec::new()),
            false => (0..self.program.arrays.len())
                .filter(|array| self.program.arrays[*array].writes)
                .partition(|array| self.share(*array).is_some()),
        };
        let mut ways: Vec<Way> = Vec::new();
        for array in written {
            let part = &self.launch.arrays[array];
            let bytes = part.count * self.program.arrays[array].element.size();
            ways.push(Way { held: resident.arrays[array].clone(), skipped: 0, bytes, address: part.address });
        }
        for array in &stay {
            ways.extend(self.beside(*array, resident));
        }
        ways.retain(|way| way.bytes > 0);
        let mut wanted = vec![self.flags.clone()];
        wanted.extend(left.states.iter().cloned());
        wanted.extend(left.pushes.iter().map(|(held, _)| held.clone()));
        wanted.extend(left.bins.iter().cloned());
        wanted.extend(ways.iter().map(|way| way.held.clone()));
        let wrote = |this: &Self| {
            for share in stay.iter().filter_map(|array| this.share(*array)) {
                share.residence.device_wrote();
            }
        };
        if wanted.len() == 1 && !self.raises && !self.launch.timed {
            // There is nothing to learn: the host need not wait.
            let index = self.submit()?;
            wrote(self);
            self.memory.queued(self.gpu, index)?;
            return Ok(Outcome::default());
        }
        let read = self.read(&wanted)?;
        let mut numbers = 0..wanted.len();
        let mut next = || read.bytes(numbers.next().unwrap_or(usize::MAX));
        let mut outcome = Outcome { raised: raised(&next()?), ..Outcome::default() };
        if outcome.raised.is_none() {
            let states = left.states.iter().map(|_| Ok(layout::state_to_host(self.program.state, &next()?)));
            let states = states.collect::<Result<Vec<_>, Refusal>>()?;
            outcome.state = layout::of_levels(self.program, &states);
            for (_, bytes) in &left.pushes {
                outcome.pushes.push(next()?[..*bytes].to_vec());
            }
            for (of, count) in bins_of(self.launch) {
                let size = count as usize
                    * match bins::words(of, self.shape.native.long) {
                        0 => cell_size(of) as usize,
                        words => 4 * words,
                    };
                outcome.bins.push(bins::to_host(of, &next()?[..size]));
            }
            // Once the first array is written, nothing may fail.
            let views = ways.iter().map(|_| next()).collect::<Result<Vec<_>, _>>()?;
            for (way, view) in ways.iter().zip(views) {
                let bytes = &view[way.skipped..way.skipped + way.bytes];
                // SAFETY: there is room for so many bytes, which are ours to write, and the device's are elsewhere.
                unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), way.address, bytes.len()) };
            }
            wrote(self);
        }
        Ok(outcome)
    }

    /// What iterations wrote beside a share that stays, on its way to the host.
    fn beside(&self, array: usize, resident: &Resident) -> Vec<Way> {
        let (part, size) = (&self.launch.arrays[array], self.program.arrays[array].element.size());
        let Some(own) = self.share(array).map(|share| share.elements()) else { return Vec::new() };
        let (all, bound) = (part.elements(), &resident.arrays[array]);
        let before = all.start..own.start.max(all.start);
        let after = own.end.min(all.end)..all.end;
        let way = |elements: std::ops::Range<usize>| {
            let skipped = (elements.start - all.start) * size;
            let at = bound.from + resident.begin[array] * size as u64 + skipped as u64;
            let (from, bytes) = (at & !7, elements.len() * size);
            let held =
                Held { buffer: bound.buffer.clone(), from, bytes: (at - from + bytes as u64).next_multiple_of(8) };
            Way { held, skipped: (at - from) as usize, bytes, address: part.address.wrapping_add(skipped) }
        };
        [before, after].into_iter().filter(|elements| !elements.is_empty()).map(way).collect()
    }

    /// The histograms in the memory of the device, and what their rows start from.
    fn bins(&mut self) -> Result<(Vec<Held>, Vec<Held>), Refusal> {
        let (mut held, mut fresh) = (Vec::new(), Vec::new());
        for (number, (of, count)) in bins_of(self.launch).enumerate() {
            let Some(bytes) = bins::to_device(of, &self.launch.bins[number]) else {
                return Err(Refusal::Cannot(format!("a bin before the loop has no room on {}", self.gpu.name)));
            };
            let first = self.put(&bytes)?;
            held.push(match bins::way(of, self.shape.native.long) {
                bins::Way::Rows => {
                    let size = cell_size(of);
                    let bytes = self.leaves * count * size;
                    let rows = self.take(bytes, Use::Work)?;
                    // The length of the binding tells kernels how many rows there are.
                    Held::first(rows.buffer, bytes.max(size))
                }
                _ => first.clone(),
            });
            fresh.push(first);
        }
        Ok((held, fresh))
    }

    /// Merges the rows of a histogram to one.
    fn join(&mut self, rows: &Rows, bound: &Bound<'_>) -> Result<Held, Refusal> {
        let size = cell_size(&self.program.bins[rows.number]);
        let count = bins_of(self.launch).nth(rows.number).map_or(0, |(_, count)| count).max(1);
        let (mut left, mut held) = (self.leaves, bound.bins[rows.number].clone());
        while left > 1 {
            left = left.div_ceil(u64::from(bins::FAN));
            let bytes = left * count * size;
            let upper = self.take(bytes, Use::Work)?;
            let upper = Held::first(upper.buffer, bytes);
            let groups = (left * count).div_ceil(u64::from(self.shape.group));
            self.dispatch(&rows.join, groups, bound, Some(&held), Some(&upper))?;
            held = upper;
        }
        Ok(held)
    }

    fn copy(&mut self, from: &Held, to: &Held) {
        self.steps.push(Step::Copy { from: from.clone(), to: to.clone() });
    }

    fn shader(&mut self, pass: Pass) -> Result<Arc<Shader>, Refusal> {
        let arrays = self.launch.arrays.iter().zip(0..);
        let apart = arrays.fold(0, |all, (part, number)| all | u64::from(part.apart.is_some()) << number.min(63));
        let [arrays, tables] = self.windows;
        let Launch { proved, overflow, .. } = *self.launch;
        let variant = Variant { pass, proved, overflow, apart, arrays, tables };
        let shader = self.shaders.get(self.gpu, self.program, variant, self.shape)?;
        self.raises |= shader.raises;
        Ok(shader)
    }

    /// A buffer of at least `size` bytes that begins with these.
    fn put_at_least(&mut self, bytes: &[u8], size: usize) -> Result<Held, Refusal> {
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len().max(size), 0);
        self.put(&bytes)
    }

    /// Runs the body over all positions and folds what it leaves: the levels of the tree, the leaves first. `all` is where it
    /// leaves what there is nothing to fold of.
    fn pass(
        &mut self,
        shader: &Shader,
        leaf: Leaf,
        bound: &Bound<'_>,
        all: Option<Held>,
    ) -> Result<Vec<Held>, Refusal> {
        let size = match leaf {
            Leaf::Nothing => 0,
            Leaf::State => layout::state(self.program.state).1 as u64,
            Leaf::Counts => 4 * self.program.pushes.len() as u64,
        };
        let span = u64::from(self.shape.fold * LEAVES);
        let mut levels = Vec::new();
        if size > 0 {
            let mut count = self.leaves;
            loop {
                // The length of the binding tells kernels how many elements the level has.
                let held = self.take(count * size, Use::Work)?;
                levels.push(Held::first(held.buffer, count * size));
                if count == 1 {
                    break;
                }
                count = count.div_ceil(span);
            }
        }
        self.dispatch(&shader.pass, self.groups, bound, levels.first().or(all.as_ref()), None)?;
        for pair in levels.windows(2) {
            let groups = pair[1].bytes / size;
            self.dispatch(wanted(&shader.up)?, groups, bound, Some(&pair[0]), Some(&pair[1]))?;
        }
        Ok(levels)
    }

    /// Leaves at each leaf what all before it have together, where those before it in its span are there.
    fn down(&mut self, shader: &Shader, levels: &[Held]) -> Result<(), Refusal> {
        let Some(size) = levels.last().map(|top| top.bytes) else { return Ok(()) };
        let resident = Resident::default();
        let bound = Bound {
            resident: &resident,
            seed: None,
            states: Vec::new(),
            counts: None,
            chain: None,
            pushes: &[],
            bins: &[],
            fresh: &[],
        };
        for pair in levels.windows(2).rev().skip(1) {
            let groups = pair[1].bytes / size;
            self.dispatch(wanted(&shader.down)?, groups, &bound, Some(&pair[0]), Some(&pair[1]))?;
        }
        Ok(())
    }

    fn dispatch(
        &mut self,
        kernel: &Kernel,
        groups: u64,
        bound: &Bound<'_>,
        lower: Option<&Held>,
        upper: Option<&Held>,
    ) -> Result<(), Refusal> {
        let mut held = Vec::with_capacity(kernel.slots.len());
        let [arrays, tables] = self.windows;
        for (_, slot) in &kernel.slots {
            let (mut all, mut window, mut writes) = (1, 0, false);
            let found = match *slot {
                Slot::Words => Some(&self.words),
                Slot::Flags => Some(&self.flags),
                Slot::Seed => bound.seed.as_ref(),
                Slot::StatesBefore(level) => bound.states.get(level),
                Slot::CountsBefore => bound.counts.as_ref(),
                Slot::Leaves | Slot::Lower => lower,
                Slot::Upper => upper,
                Slot::Chain => bound.chain.as_ref(),
                Slot::Array(number, of) => {
                    (all, window, writes) = (arrays.of(number), of, self.program.arrays[number].writes);
                    bound.resident.arrays.get(number)
                }
                Slot::Runs(of) => {
                    (all, window) = (tables.of(self.program.tables.len()), of);
                    bound.resident.runs.as_ref()
                }
                Slot::Table(number, of) => {
                    (all, window) = (tables.of(number), of);
                    bound.resident.tables.get(number)
                }
                Slot::Push(number) => bound.pushes.get(number),
                Slot::Bins(number) => bound.bins.get(number),
                Slot::Fresh(number) => bound.fresh.get(number),
                Slot::LowerRows(_) => lower,
                Slot::UpperRows(_) => upper,
            };
            let found =
                found.ok_or_else(|| Refusal::Cannot(format!("{}: nothing to bind as {slot:?}", self.program.name)))?;
            let found = match all {
                1 => found,
                _ => &found
                    .window(window, 1 << self.shape.window)
                    .unwrap_or_else(|| self.nothing[usize::from(writes)].clone()),
            };
            held.push((found.buffer.clone(), found.from, found.bytes));
        }
        let group = self.memory.group(self.gpu, kernel, held)?;
        let most = u64::from(self.gpu.limits.max_compute_workgroups_per_dimension);
        let x = groups.clamp(1, most);
        let y = groups.div_ceil(x).max(1);
        self.steps.push(Step::Dispatch { pipeline: kernel.pipeline.clone(), group, x: x as u32, y: y as u32 });
        Ok(())
    }

    /// Tells the device to do the steps.
    fn submit(&mut self) -> Result<SubmissionIndex, Refusal> {
        let (gpu, label) = (self.gpu, Some(self.program.name));
        let steps = std::mem::take(&mut self.steps);
        self.submitted = true;
        gpu.guarded(|| {
            let mut encoder = gpu.device.create_command_encoder(&CommandEncoderDescriptor { label });
            let mut steps = steps.iter().peekable();
            while let Some(step) = steps.next() {
                match step {
                    Step::Clear { buffer, bytes } => encoder.clear_buffer(buffer, 0, Some(*bytes)),
                    Step::Copy { from, to } => {
                        let [source, target] = [&from.buffer, &to.buffer];
                        encoder.copy_buffer_to_buffer(source, from.from, target, to.from, from.bytes.min(to.bytes));
                    }
                    first => {
                        // Those that follow each other share a pass; each sees what the ones before it wrote.
                        let mut pass =
                            encoder.begin_compute_pass(&ComputePassDescriptor { label, timestamp_writes: None });
                        let mut next = Some(first);
                        while let Some(Step::Dispatch { pipeline, group, x, y }) = next {
                            pass.set_pipeline(pipeline);
                            pass.set_bind_group(0, group, &[]);
                            pass.dispatch_workgroups(*x, *y, 1);
                            next = steps.next_if(|step| matches!(step, Step::Dispatch { .. }));
                        }
                    }
                }
            }
            gpu.queue.submit([encoder.finish()])
        })
    }

    /// Does the steps, waits, and gives what is in these buffers then: of the small ones all in one.
    fn read(&mut self, wanted: &[Held]) -> Result<Copies, Refusal> {
        let room = |held: &Held| held.bytes.next_multiple_of(8);
        let small = |held: &&Held| held.bytes <= SMALL;
        let mut copies = Copies { staged: Vec::new(), places: Vec::new() };
        copies.staged.push(self.take(wanted.iter().filter(small).map(room).sum(), Use::Read)?);
        let mut next = 0;
        for held in wanted {
            let (number, at) = match small(&held) {
                true => (0, next),
                false => (copies.staged.len(), 0),
            };
            match number {
                0 => next += room(held),
                _ => copies.staged.push(self.take(held.bytes, Use::Read)?),
            }
            let to = copies.staged[number].buffer.clone();
            self.copy(held, &Held { buffer: to, from: at, bytes: held.bytes });
            copies.places.push((number, at..at + held.bytes));
        }
        Moved { up: 0, down: wanted.iter().map(|held| held.bytes).sum() }.count();
        self.submit()?;
        let (sender, answers) = std::sync::mpsc::channel();
        for held in &copies.staged {
            let sender = sender.clone();
            held.buffer.map_async(MapMode::Read, ..held.bytes, move |answer| {
                // The other end waits for all answers.
                let _ = sender.send(answer);
            });
        }
        drop(sender);
        let failed = |reason: &dyn std::fmt::Display| Refusal::Failed(format!("{}: {reason}", self.gpu.name));
        self.gpu.device.poll(PollType::wait_indefinitely()).map_err(|error| failed(&error))?;
        self.gpu.broken()?;
        for _ in &copies.staged {
            answered(&answers)?;
        }
        Ok(copies)
    }
}

/// What was in some buffers, in memory that the host sees.
struct Copies {
    staged: Vec<Held>,
    /// For each buffer, in which of them the copy is, and where.
    places: Vec<(usize, Range<u64>)>,
}

impl Copies {
    /// The bytes of the buffer with this number.
    fn bytes(&self, number: usize) -> Result<BufferView, Refusal> {
        let place = self.places.get(number);
        let (staged, range) = place.ok_or_else(|| Refusal::Failed("a buffer that was not read".into()))?;
        let view = self.staged[*staged].buffer.get_mapped_range(range.clone());
        view.map_err(|error| Refusal::Failed(error.to_string()))
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        self.staged.iter().for_each(|held| held.buffer.unmap());
    }
}

/// Bytes that go from the device to a place in the host's memory.
struct Way {
    held: Held,
    /// How many bytes of that are not meant, before those that are.
    skipped: usize,
    bytes: usize,
    address: *mut u8,
}

/// What kernels are given beside words, flags and levels.
struct Bound<'a> {
    resident: &'a Resident,
    seed: Option<Held>,
    states: Vec<Held>,
    counts: Option<Held>,
    chain: Option<Held>,
    pushes: &'a [Held],
    bins: &'a [Held],
    fresh: &'a [Held],
}

/// The histograms of a launch, with how many bins each has.
fn bins_of<'a>(launch: &'a Launch<'_>) -> impl Iterator<Item = (&'static Bins, u64)> + 'a {
    let program: &'static Program = launch.program;
    program.bins.iter().zip(launch.bins).map(|(of, bytes)| (of, (bytes.len() / of.element.size().max(1)) as u64))
}

/// The bytes of a cell of a row.
fn cell_size(of: &Bins) -> u64 {
    layout::held(of.element).1 as u64
}

/// How many cells the rows of all histograms have, where an invocation takes so many positions.
fn rows(launch: &Launch<'_>, each: u32, long: bool) -> u64 {
    let rows = (launch.positions.len() as u64).div_ceil(u64::from(each)).max(1);
    let cells =
        bins_of(launch).filter(|(of, _)| bins::way(of, long) == bins::Way::Rows).map(|(_, count)| count).sum::<u64>();
    // One row is there in any case.
    if rows == 1 { 0 } else { rows * cells }
}

fn wanted(kernel: &Option<Kernel>) -> Result<&Kernel, Refusal> {
    kernel.as_ref().ok_or_else(|| Refusal::Cannot("a tree without kernels".into()))
}

/// The first position that raised something.
fn raised(flags: &[u8]) -> Option<(usize, Cause)> {
    const CAUSES: [Cause; 6] =
        [Cause::Index, Cause::Overflow, Cause::DivisionByZero, Cause::Wide, Cause::Trips, Cause::Explicit];
    let positions = flags.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap_or_default()));
    let raised = positions.zip(CAUSES).filter(|(position, _)| *position != u32::MAX);
    raised.min_by_key(|(position, _)| *position).map(|(position, cause)| (position as usize, cause))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_position_is_told_with_its_cause() {
        let mut flags = [u32::MAX; 8];
        assert_eq!(raised(bytemuck::cast_slice(&flags)), None);
        flags[Cause::Overflow as usize] = 7;
        flags[Cause::Wide as usize] = 3;
        assert_eq!(raised(bytemuck::cast_slice(&flags)), Some((3, Cause::Wide)));
    }
}
