//! One loop of one call: up, through its passes, and back.

use crate::library::Native;
use crate::memory::{Memory, Use};
use crate::residence::Stay;
use crate::shader::{Kernel, Rows, Shader, Shaders};
use crate::template::{self, LEAVES, Leaf, Pass, Shape, Slot, Variant, words};
use crate::{Gpu, Kept, bins, layout, lock};
use forall_core::device::{Bins, Cause, Held as Shared, Launch, Outcome, Part, Program, Refusal, Valid};
use std::any::Any;
use std::sync::Arc;
use wgpu::{
    BindGroupDescriptor, BindGroupEntry, BindingResource, Buffer, BufferBinding, BufferSize, CommandEncoder,
    CommandEncoderDescriptor, ComputePassDescriptor, MapMode, PollType,
};

/// Invocations of a workgroup, where the device allows so many.
const GROUP: u32 = 256;

/// The most words of histograms that a workgroup holds, and the most positions that it has an invocation take for them.
const NEAR: u64 = 4096;
const LONG: u32 = 64;

/// Positions of an invocation, where there is something to merge after each of them.
const EACH: u32 = 8;

/// A buffer, and how many bytes of it are meant.
#[derive(Debug, Clone)]
struct Held {
    buffer: Buffer,
    bytes: u64,
}

/// The loop's arrays in the memory of the device.
#[derive(Debug)]
struct Resident {
    arrays: Vec<Held>,
    /// For each array that iterations both read and write, what it was before.
    before: Vec<Option<Held>>,
    tables: Vec<Held>,
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
    words: Held,
    flags: Held,
    /// How many leaves a pass has.
    leaves: u64,
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
        let shape = self.shape(launch)?;
        // SAFETY: as the caller promises.
        let outcome = unsafe { self.attempt(launch, shape)? };
        match (outcome.raised, shape.turns) {
            // Nothing was written. A lane that is alone in its workgroup has more turns.
            (Some((_, Cause::Trips)), Some(_)) => {
                let alone = Shape { group: 1, each: 1, turns: Some(template::TURNS_ALONE), shared: 0, ..shape };
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
    fn shape(&self, launch: &Launch<'_>) -> Result<Shape, Refusal> {
        let program = launch.program;
        let limits = self.device.limits();
        let group = GROUP.min(limits.max_compute_invocations_per_workgroup).min(limits.max_compute_workgroup_size_x);
        let group = 1 << group.ilog2();
        // A simulated device counts all turns of an invocation together, so that one with loops gets one position.
        let loops = ["fa_trip(", "fa_pow", "fa_rem_", "_euclid_"].iter().any(|name| program.source.contains(name));
        let merges = template::folds(program) || !program.pushes.is_empty() || !program.bins.is_empty();
        let mut each = match (merges, self.simulated && loops) {
            (true, false) => EACH,
            _ => 1,
        };
        let most = bins::most_cells(launch.positions.len() as u64);
        let long = self.long();
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
        let room = u64::from(limits.max_compute_workgroup_storage_size / 4).min(NEAR);
        while each > 1 && each < LONG && near <= room && u64::from(group * each) < 4 * near {
            each *= 2;
        }
        let shared = match near > 0 && near <= room && near <= u64::from(group * each) {
            true => near.next_power_of_two().max(256).min(room) as u32,
            false => 0,
        };
        let (_, state) = layout::state(program.state);
        let most = limits.max_compute_workgroup_storage_size as usize / state.max(1);
        if most == 0 {
            return Err(Refusal::Cannot(format!("a state of {state} bytes is too large for {}", self.name)));
        }
        let rounds = ["fa_div_f", "fa_sqrt_f", "fa_recip_", "fa_powi_", "div_euclid_f"];
        let native = match rounds.iter().any(|name| program.source.contains(name)) {
            true => *self.native.get_or_init(|| crate::probe::native(self)),
            // It does not matter.
            false => Native { single: true, double: true, long },
        };
        let fold = group.min(1 << most.min(1 << 16).ilog2());
        let turns = self.simulated.then_some(template::TURNS - each);
        Ok(Shape { group, each, fold, sum: group, turns, shared, native })
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
        let leaves = launch.positions.len().div_ceil(shape.each as usize).max(1) as u64;
        let words = words(launch, leaves, shape.group);
        let nothing = memory.take(gpu, 4 * words.len() as u64, Use::Work)?;
        let words_held = Held { buffer: nothing, bytes: 4 * words.len() as u64 };
        let flags = Held { buffer: memory.take(gpu, 32, Use::Work)?, bytes: 32 };
        gpu.queue.write_buffer(&words_held.buffer, 0, bytemuck::cast_slice(&words));
        gpu.queue.write_buffer(&flags.buffer, 0, &[0xff; 32]);
        let lent = vec![(words_held.buffer.clone(), Use::Work), (flags.buffer.clone(), Use::Work)];
        Ok(Run { gpu, launch, program, shape, memory, shaders, lent, words: words_held, flags, leaves })
    }

    /// Gives the buffers back.
    fn end(self) {
        for (buffer, of) in self.lent {
            self.memory.give(buffer, of);
        }
    }

    fn take(&mut self, bytes: u64, of: Use) -> Result<Held, Refusal> {
        let bytes = bytes.max(16).next_multiple_of(8);
        let buffer = self.memory.take(self.gpu, bytes, of)?;
        self.lent.push((buffer.clone(), of));
        Ok(Held { buffer, bytes })
    }

    /// A buffer with this in it.
    fn put(&mut self, bytes: &[u8]) -> Result<Held, Refusal> {
        let held = self.take(bytes.len() as u64, Use::Work)?;
        self.write(&held.buffer, bytes)?;
        Ok(held)
    }

    /// Puts bytes into a buffer.
    fn write(&self, buffer: &Buffer, bytes: &[u8]) -> Result<(), Refusal> {
        let (whole, rest) = bytes.split_at(bytes.len() & !3);
        self.gpu.guarded(|| {
            if !whole.is_empty() {
                self.gpu.queue.write_buffer(buffer, 0, whole);
            }
            if !rest.is_empty() {
                let mut last = [0; 4];
                last[..rest.len()].copy_from_slice(rest);
                self.gpu.queue.write_buffer(buffer, whole.len() as u64, &last);
            }
        })
    }

    /// Brings the arrays to the device.
    ///
    /// # Safety
    /// The parts are memory that may be read.
    unsafe fn upload(&mut self) -> Result<Resident, Refusal> {
        let mut resident = Resident { arrays: Vec::new(), before: Vec::new(), tables: Vec::new() };
        for (part, array) in self.launch.arrays.iter().zip(self.program.arrays) {
            let size = array.element.size();
            let held = match self.share(resident.arrays.len()) {
                // SAFETY: the share is memory that the caller lends us.
                Some(share) => unsafe { self.stay(part, &share, size)? },
                // SAFETY: the part has so many elements, which the caller lets us read.
                None => self.put(unsafe { bytes_at(part.address, part.count * size) })?,
            };
            resident.arrays.push(held);
        }
        for table in self.launch.tables {
            resident.tables.push(self.put(table)?);
        }
        let twice = self.program.running || !self.program.pushes.is_empty();
        for (number, held) in resident.arrays.iter().enumerate() {
            // What the device alone has is lost if an iteration raises something after others have written.
            let alone = self.share(number).is_some_and(|share| share.residence.valid() == Valid::Device);
            let lost = alone && self.program.arrays[number].writes;
            let before = match lost || (twice && template::rewrites(self.program, number)) {
                true => Some(self.take(held.bytes, Use::Work)?),
                false => None,
            };
            resident.before.push(before);
        }
        if resident.before.iter().any(Option::is_some) {
            let mut encoder = self.encoder();
            for (held, before) in resident.arrays.iter().zip(&resident.before) {
                if let Some(before) = before {
                    encoder.copy_buffer_to_buffer(&held.buffer, 0, &before.buffer, 0, held.bytes);
                }
            }
            self.submit(encoder)?;
        }
        Ok(resident)
    }

    /// The share that stays on the device, of an array that is one.
    fn share(&self, number: usize) -> Option<Shared<'a>> {
        share(self.launch, number)
    }

    /// The share that a part is of, in the memory of the device, where it stays.
    ///
    /// # Safety
    /// The share is memory that nothing else touches.
    unsafe fn stay(&mut self, part: &Part<'_>, share: &Shared<'_>, size: usize) -> Result<Held, Refusal> {
        let inside = part.first >= share.first && part.first + part.count <= share.first + share.count;
        if !inside {
            return Err(Refusal::Cannot(format!("{}: a part lies outside of its share", self.program.name)));
        }
        let (gpu, bytes) = (self.gpu, share.count * size);
        let held = |buffer: Buffer| Held { buffer, bytes: (bytes.max(16).next_multiple_of(8)) as u64 };
        let known = share.residence.with_memory(|memory| {
            let memory: &dyn Any = &**memory.as_ref()?;
            let known = memory.downcast_ref::<Stay>().filter(|known| known.is_of(gpu) && known.bytes == bytes)?;
            Some(known.buffer.clone())
        });
        let buffer = match (share.residence.valid(), known) {
            (Valid::Both | Valid::Device, Some(buffer)) => return Ok(held(buffer)),
            (valid, known) => {
                if valid == Valid::Device {
                    // Another device has it.
                    share.residence.with_memory(|memory| match memory {
                        // SAFETY: there is room for the share at its own place.
                        Some(memory) => unsafe { memory.download(share.address) },
                        None => Ok(()),
                    })?;
                }
                match known {
                    Some(buffer) => buffer,
                    None => self.memory.take(gpu, bytes.max(16) as u64, Use::Work)?,
                }
            }
        };
        // SAFETY: the share has so many bytes, which are valid now.
        self.write(&buffer, unsafe { bytes_at(share.address, bytes) })?;
        share.residence.with_memory(|memory| *memory = Some(Box::new(Stay::new(gpu, buffer.clone(), bytes))));
        share.residence.uploaded();
        Ok(held(buffer))
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
    fn take_back(&self, resident: &Resident) {
        let mut encoder = self.encoder();
        for (number, array) in self.program.arrays.iter().enumerate() {
            let Some(share) = self.share(number).filter(|_| array.writes) else { continue };
            match &resident.before[number] {
                Some(before) => {
                    let held = &resident.arrays[number];
                    encoder.copy_buffer_to_buffer(&before.buffer, 0, &held.buffer, 0, held.bytes);
                }
                // The host has it too.
                None => share.residence.with_memory(|memory| *memory = None),
            }
        }
        if let Err(error) = self.submit(encoder) {
            tracing::error!(%error, "shares may be lost");
        }
    }

    /// Runs the passes; the inner error is what a position raised.
    fn passes(&mut self, resident: &Resident) -> Result<Result<Left, (usize, Cause)>, Refusal> {
        let program = self.program;
        let mut encoder = self.encoder();
        let restore = |encoder: &mut CommandEncoder| {
            for (held, before) in resident.arrays.iter().zip(&resident.before) {
                if let Some(before) = before {
                    encoder.copy_buffer_to_buffer(&before.buffer, 0, &held.buffer, 0, held.bytes);
                }
            }
        };
        let mut bound =
            Bound { resident, seed: None, states: Vec::new(), counts: None, pushes: &[], bins: &[], fresh: &[] };
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
            for level in 0..self.launch.totals.map_or(program.depth(), |level| level + 1) {
                let shader = self.shader(Pass::Total(level))?;
                let levels = self.pass(&mut encoder, &shader, Leaf::State, &bound)?;
                left.states.extend(levels.last().cloned());
                restore(&mut encoder);
                if self.launch.totals == Some(level) {
                    self.submit(encoder)?;
                    return Ok(Ok(left));
                }
                self.down(&mut encoder, &shader, &levels)?;
                bound.states.extend(levels.into_iter().next());
            }
        }
        let mut sequences = Vec::new();
        if !program.pushes.is_empty() {
            let shader = self.shader(Pass::Count)?;
            let levels = self.pass(&mut encoder, &shader, Leaf::Counts, &bound)?;
            let Some(top) = levels.last() else {
                return Err(Refusal::Failed("a tree without a top".into()));
            };
            let [flags, counts] = &self.read(encoder, &[self.flags.clone(), top.clone()])?[..] else {
                return Err(Refusal::Failed("a buffer that was not read".into()));
            };
            if let Some(raised) = raised(flags) {
                return Ok(Err(raised));
            }
            encoder = self.encoder();
            self.down(&mut encoder, &shader, &levels)?;
            restore(&mut encoder);
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
            self.dispatch(&mut encoder, fill, cells.div_ceil(u64::from(self.shape.group)), &bound, None, None)?;
        }
        let levels = self.pass(&mut encoder, &shader, leaf, &bound)?;
        if leaf == Leaf::State {
            left.states.extend(levels.last().cloned());
        }
        left.bins.clone_from(&held);
        for rows in &shader.rows {
            left.bins[rows.number] = self.join(&mut encoder, rows, &bound)?;
        }
        self.submit(encoder)?;
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
        let mut wanted = vec![self.flags.clone()];
        wanted.extend(left.states.iter().cloned());
        wanted.extend(left.pushes.iter().map(|(held, _)| held.clone()));
        wanted.extend(left.bins.iter().cloned());
        wanted.extend(written.iter().map(|array| resident.arrays[*array].clone()));
        let encoder = self.encoder();
        let staged = self.stage(encoder, &wanted)?;
        let mut rest = staged.iter();
        let mut next = || {
            let held = rest.next().ok_or_else(|| Refusal::Failed("a buffer that was not read".into()))?;
            held.buffer.get_mapped_range(..held.bytes).map_err(|error| Refusal::Failed(error.to_string()))
        };
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
            let views = written.iter().map(|_| next()).collect::<Result<Vec<_>, _>>()?;
            for (array, view) in written.iter().zip(views) {
                let part = &self.launch.arrays[*array];
                let bytes = part.count * self.program.arrays[*array].element.size();
                if bytes > 0 {
                    // SAFETY: the part has so many bytes, which are ours to write, and the device's are elsewhere.
                    unsafe { std::ptr::copy_nonoverlapping(view.as_ptr(), part.address, bytes) };
                }
            }
        }
        for held in &staged {
            held.buffer.unmap();
        }
        if outcome.raised.is_none() {
            for share in stay.iter().filter_map(|array| self.share(*array)) {
                share.residence.device_wrote();
            }
        }
        Ok(outcome)
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
                    Held { buffer: rows.buffer, bytes: bytes.max(size) }
                }
                _ => Held { buffer: first.buffer.clone(), bytes: first.bytes },
            });
            fresh.push(first);
        }
        Ok((held, fresh))
    }

    /// Merges the rows of a histogram to one.
    fn join(&mut self, encoder: &mut CommandEncoder, rows: &Rows, bound: &Bound<'_>) -> Result<Held, Refusal> {
        let size = cell_size(&self.program.bins[rows.number]);
        let count = bins_of(self.launch).nth(rows.number).map_or(0, |(_, count)| count).max(1);
        let (mut left, mut held) = (self.leaves, bound.bins[rows.number].clone());
        while left > 1 {
            left = left.div_ceil(u64::from(bins::FAN));
            let bytes = left * count * size;
            let upper = self.take(bytes, Use::Work)?;
            let upper = Held { buffer: upper.buffer, bytes };
            let groups = (left * count).div_ceil(u64::from(self.shape.group));
            self.dispatch(encoder, &rows.join, groups, bound, Some(&held), Some(&upper))?;
            held = upper;
        }
        Ok(held)
    }

    fn encoder(&self) -> CommandEncoder {
        self.gpu.device.create_command_encoder(&CommandEncoderDescriptor { label: Some(self.program.name) })
    }

    fn shader(&mut self, pass: Pass) -> Result<Arc<Shader>, Refusal> {
        let variant = Variant { pass, proved: self.launch.proved, overflow: self.launch.overflow };
        self.shaders.get(self.gpu, self.program, variant, self.shape)
    }

    /// A buffer of at least `size` bytes that begins with these.
    fn put_at_least(&mut self, bytes: &[u8], size: usize) -> Result<Held, Refusal> {
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len().max(size), 0);
        self.put(&bytes)
    }

    /// Runs the body over all positions and folds what it leaves: the levels of the tree, the leaves first.
    fn pass(
        &mut self,
        encoder: &mut CommandEncoder,
        shader: &Shader,
        leaf: Leaf,
        bound: &Bound<'_>,
    ) -> Result<Vec<Held>, Refusal> {
        let (size, group) = match leaf {
            Leaf::Nothing => (0, 1),
            Leaf::State => (layout::state(self.program.state).1 as u64, self.shape.fold),
            Leaf::Counts => (4 * self.program.pushes.len() as u64, self.shape.sum),
        };
        let tile = u64::from(group * LEAVES);
        let mut levels = Vec::new();
        if size > 0 {
            let mut count = self.leaves;
            loop {
                // The length of the binding tells kernels how many elements the level has.
                let held = self.take(count * size, Use::Work)?;
                levels.push(Held { buffer: held.buffer, bytes: count * size });
                if count == 1 {
                    break;
                }
                count = count.div_ceil(tile);
            }
        }
        let groups = self.leaves.div_ceil(u64::from(self.shape.group));
        self.dispatch(encoder, &shader.pass, groups, bound, levels.first(), None)?;
        for pair in levels.windows(2) {
            let groups = pair[1].bytes / size;
            self.dispatch(encoder, wanted(&shader.up)?, groups, bound, Some(&pair[0]), Some(&pair[1]))?;
        }
        Ok(levels)
    }

    /// Leaves at each leaf what all before it have together.
    fn down(&mut self, encoder: &mut CommandEncoder, shader: &Shader, levels: &[Held]) -> Result<(), Refusal> {
        let Some(size) = levels.last().map(|top| top.bytes) else { return Ok(()) };
        let resident = Resident { arrays: Vec::new(), before: Vec::new(), tables: Vec::new() };
        let bound = Bound {
            resident: &resident,
            seed: None,
            states: Vec::new(),
            counts: None,
            pushes: &[],
            bins: &[],
            fresh: &[],
        };
        for pair in levels.windows(2).rev() {
            let groups = pair[1].bytes / size;
            self.dispatch(encoder, wanted(&shader.down)?, groups, &bound, Some(&pair[0]), Some(&pair[1]))?;
        }
        Ok(())
    }

    fn dispatch(
        &self,
        encoder: &mut CommandEncoder,
        kernel: &Kernel,
        groups: u64,
        bound: &Bound<'_>,
        lower: Option<&Held>,
        upper: Option<&Held>,
    ) -> Result<(), Refusal> {
        let mut entries = Vec::with_capacity(kernel.slots.len());
        for (binding, slot) in &kernel.slots {
            let held = match *slot {
                Slot::Words => Some(&self.words),
                Slot::Flags => Some(&self.flags),
                Slot::Seed => bound.seed.as_ref(),
                Slot::StatesBefore(level) => bound.states.get(level),
                Slot::CountsBefore => bound.counts.as_ref(),
                Slot::Leaves | Slot::Lower => lower,
                Slot::Upper => upper,
                Slot::Array(number) => bound.resident.arrays.get(number),
                Slot::Table(number) => bound.resident.tables.get(number),
                Slot::Push(number) => bound.pushes.get(number),
                Slot::Bins(number) => bound.bins.get(number),
                Slot::Fresh(number) => bound.fresh.get(number),
                Slot::LowerRows(_) => lower,
                Slot::UpperRows(_) => upper,
            };
            let held =
                held.ok_or_else(|| Refusal::Cannot(format!("{}: nothing to bind as {slot:?}", self.program.name)))?;
            let binding_of = BufferBinding { buffer: &held.buffer, offset: 0, size: BufferSize::new(held.bytes) };
            entries.push(BindGroupEntry { binding: *binding, resource: BindingResource::Buffer(binding_of) });
        }
        let most = u64::from(self.gpu.device.limits().max_compute_workgroups_per_dimension);
        let x = groups.clamp(1, most);
        let y = groups.div_ceil(x).max(1);
        self.gpu.guarded(|| {
            let group = self.gpu.device.create_bind_group(&BindGroupDescriptor {
                label: Some(self.program.name),
                layout: &kernel.layout,
                entries: &entries,
            });
            let mut pass = encoder
                .begin_compute_pass(&ComputePassDescriptor { label: Some(self.program.name), timestamp_writes: None });
            pass.set_pipeline(&kernel.pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(x as u32, y as u32, 1);
        })
    }

    fn submit(&self, encoder: CommandEncoder) -> Result<(), Refusal> {
        self.gpu.guarded(|| {
            self.gpu.queue.submit([encoder.finish()]);
        })
    }

    /// Submits, waits, and gives the bytes of these buffers, which are small.
    fn read(&mut self, encoder: CommandEncoder, wanted: &[Held]) -> Result<Vec<Vec<u8>>, Refusal> {
        let staged = self.stage(encoder, wanted)?;
        let mut all = Vec::new();
        for held in &staged {
            let view =
                held.buffer.get_mapped_range(..held.bytes).map_err(|error| Refusal::Failed(error.to_string()))?;
            all.push(view.to_vec());
            drop(view);
            held.buffer.unmap();
        }
        Ok(all)
    }

    /// Submits, waits, and maps copies of these buffers.
    fn stage(&mut self, mut encoder: CommandEncoder, wanted: &[Held]) -> Result<Vec<Held>, Refusal> {
        let mut staged = Vec::with_capacity(wanted.len());
        for held in wanted {
            let copy = self.take(held.bytes, Use::Read)?;
            encoder.copy_buffer_to_buffer(&held.buffer, 0, &copy.buffer, 0, held.bytes);
            staged.push(Held { buffer: copy.buffer, bytes: held.bytes });
        }
        self.submit(encoder)?;
        let (sender, answers) = std::sync::mpsc::channel();
        for held in &staged {
            let sender = sender.clone();
            held.buffer.map_async(MapMode::Read, ..held.bytes, move |answer| {
                // The other end waits for all answers.
                let _ = sender.send(answer);
            });
        }
        drop(sender);
        let failed = |reason: &dyn std::fmt::Display| Refusal::Failed(format!("{}: {reason}", self.gpu.name));
        self.gpu.device.poll(PollType::wait_indefinitely()).map_err(|error| failed(&error))?;
        for _ in &staged {
            let answer = answers.recv().map_err(|error| failed(&error))?;
            answer.map_err(|error| failed(&error))?;
        }
        self.gpu.broken()?;
        Ok(staged)
    }
}

/// What kernels are given beside words, flags and levels.
struct Bound<'a> {
    resident: &'a Resident,
    seed: Option<Held>,
    states: Vec<Held>,
    counts: Option<Held>,
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

/// The share of an array; one without elements has nothing to stay.
fn share<'a>(launch: &Launch<'a>, number: usize) -> Option<Shared<'a>> {
    launch.arrays[number].share.filter(|share| share.count > 0)
}

/// So many bytes there; none where there are none, wherever that is.
///
/// # Safety
/// They may be read for as long as the slice lives.
unsafe fn bytes_at<'a>(address: *const u8, count: usize) -> &'a [u8] {
    match count {
        0 => &[],
        // SAFETY: the caller's promise.
        count => unsafe { std::slice::from_raw_parts(address, count) },
    }
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

/// Sizes and values, as the shader looks for them.
fn words(launch: &Launch<'_>, leaves: u64, group: u32) -> Vec<u32> {
    let program = launch.program;
    let mut all = vec![0; words::total(program)];
    all[words::START] = launch.positions.start as u32;
    all[words::COUNT] = launch.positions.len() as u32;
    all[words::LEAVES] = leaves as u32;
    all[words::GROUPS] = leaves.div_ceil(u64::from(group)) as u32;
    all[words::SEEDED] = launch.state.is_some().into();
    for (number, part) in launch.arrays.iter().enumerate() {
        let at = words::array(number);
        let from = share(launch, number).map_or(0, |share| part.first.wrapping_sub(share.first));
        all[at..at + 4].copy_from_slice(&[part.first as u32, part.count as u32, part.len as u32, from as u32]);
    }
    for (number, (table, element)) in launch.tables.iter().zip(program.tables).enumerate() {
        all[words::table(program, number)] = (table.len() / element.size().max(1)) as u32;
    }
    let mut first = 0;
    for (number, (of, count)) in bins_of(launch).enumerate() {
        let at = words::bins(program, number);
        all[at..at + 2].copy_from_slice(&[count as u32, first]);
        // Where a workgroup holds them, which is none of those that take two words at once.
        first += (count as usize * bins::words(of, false)) as u32;
    }
    let mut rest = launch.values;
    for (number, of) in program.values.iter().enumerate() {
        let mut at = words::value(program, number);
        for base in of.scalars() {
            let value;
            (value, rest) = rest.split_at(base.size().min(rest.len()));
            let end = at + words::of_scalar(base);
            bytemuck::cast_slice_mut::<u32, u8>(&mut all[at..end])[..value.len()].copy_from_slice(value);
            at = end;
        }
    }
    all
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
