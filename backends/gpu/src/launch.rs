//! One loop of one call: up, through its passes, and back.

use crate::library::Native;
use crate::memory::{Memory, Use};
use crate::shader::{Kernel, Shader, Shaders};
use crate::template::{self, LEAVES, Leaf, Pass, Shape, Slot, Variant, words};
use crate::{Gpu, Kept, layout, lock};
use forall_core::device::{Cause, Launch, Outcome, Program, Refusal};
use std::sync::Arc;
use wgpu::{
    BindGroupDescriptor, BindGroupEntry, BindingResource, Buffer, BufferBinding, BufferSize, CommandEncoder,
    CommandEncoderDescriptor, ComputePassDescriptor, MapMode, PollType,
};

/// Invocations of a workgroup, where the device allows so many.
const GROUP: u32 = 256;

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
    /// The merged state, where the loop has one.
    state: Option<Held>,
    /// What was pushed, with the number of bytes of the elements.
    pushes: Vec<(Held, usize)>,
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
        if count == 0 && !template::folds(program) {
            return Ok(Outcome { pushes: vec![Vec::new(); program.pushes.len()], ..Outcome::default() });
        }
        self.broken()?;
        let shape = self.shape(program)?;
        // SAFETY: as the caller promises.
        let outcome = unsafe { self.attempt(launch, shape)? };
        match (outcome.raised, shape.turns) {
            // Nothing was written. A lane that is alone in its workgroup has more turns.
            (Some((_, Cause::Trips)), Some(_)) => {
                let alone = Shape { group: 1, each: 1, turns: Some(template::TURNS_ALONE), ..shape };
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
        let outcome = match run.passes(&resident)? {
            Ok(left) => {
                // SAFETY: as above.
                unsafe { run.download(&resident, &left)? }
            }
            Err(raised) => Outcome { raised: Some(raised), ..Outcome::default() },
        };
        run.end();
        Ok(outcome)
    }

    /// How a program is spread over this device.
    fn shape(&self, program: &Program) -> Result<Shape, Refusal> {
        let limits = self.device.limits();
        let group = GROUP.min(limits.max_compute_invocations_per_workgroup).min(limits.max_compute_workgroup_size_x);
        let group = 1 << group.ilog2();
        // A simulated device counts all turns of an invocation together, so that one with loops gets one position.
        let loops = ["fa_trip(", "fa_pow", "fa_rem_", "_euclid_"].iter().any(|name| program.source.contains(name));
        let each = match (template::folds(program) || !program.pushes.is_empty(), self.simulated && loops) {
            (true, false) => EACH,
            _ => 1,
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
            false => Native { single: true, double: true },
        };
        let fold = group.min(1 << most.min(1 << 16).ilog2());
        Ok(Shape { group, each, fold, sum: group, turns: self.simulated.then_some(template::TURNS), native })
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
        let (whole, rest) = bytes.split_at(bytes.len() & !3);
        self.gpu.guarded(|| {
            if !whole.is_empty() {
                self.gpu.queue.write_buffer(&held.buffer, 0, whole);
            }
            if !rest.is_empty() {
                let mut last = [0; 4];
                last[..rest.len()].copy_from_slice(rest);
                self.gpu.queue.write_buffer(&held.buffer, whole.len() as u64, &last);
            }
        })?;
        Ok(held)
    }

    /// Brings the arrays to the device.
    ///
    /// # Safety
    /// The parts are memory that may be read.
    unsafe fn upload(&mut self) -> Result<Resident, Refusal> {
        let mut resident = Resident { arrays: Vec::new(), before: Vec::new(), tables: Vec::new() };
        for (part, array) in self.launch.arrays.iter().zip(self.program.arrays) {
            let bytes: &[u8] = match part.count * array.element.size() {
                0 => &[],
                // SAFETY: the part has so many elements, which the caller lets us read.
                size => unsafe { std::slice::from_raw_parts(part.address, size) },
            };
            resident.arrays.push(self.put(bytes)?);
        }
        for table in self.launch.tables {
            resident.tables.push(self.put(table)?);
        }
        let twice = self.program.running || !self.program.pushes.is_empty();
        for (number, held) in resident.arrays.iter().enumerate() {
            let before = match twice && template::rewrites(self.program, number) {
                true => Some(self.take(held.bytes, Use::Work)?),
                false => None,
            };
            resident.before.push(before);
        }
        Ok(resident)
    }

    /// Runs the passes; the inner error is what a position raised.
    fn passes(&mut self, resident: &Resident) -> Result<Result<Left, (usize, Cause)>, Refusal> {
        let program = self.program;
        let mut encoder = self.encoder();
        for (held, before) in resident.arrays.iter().zip(&resident.before) {
            if let Some(before) = before {
                encoder.copy_buffer_to_buffer(&held.buffer, 0, &before.buffer, 0, held.bytes);
            }
        }
        let restore = |encoder: &mut CommandEncoder| {
            for (held, before) in resident.arrays.iter().zip(&resident.before) {
                if let Some(before) = before {
                    encoder.copy_buffer_to_buffer(&before.buffer, 0, &held.buffer, 0, held.bytes);
                }
            }
        };
        let mut bound = Bound { resident, seed: None, states: None, counts: None, pushes: &[] };
        let mut left = Left { state: None, pushes: Vec::new() };
        if program.running {
            let shader = self.shader(Pass::Total)?;
            let levels = self.pass(&mut encoder, &shader, Leaf::State, &bound)?;
            left.state = levels.last().cloned();
            if self.launch.totals_only {
                self.submit(encoder)?;
                return Ok(Ok(left));
            }
            self.down(&mut encoder, &shader, &levels)?;
            restore(&mut encoder);
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
            bound.states = levels.into_iter().next();
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
        let levels = self.pass(&mut encoder, &shader, leaf, &bound)?;
        if leaf == Leaf::State {
            left.state = levels.last().cloned();
        }
        self.submit(encoder)?;
        Ok(Ok(left))
    }

    /// Brings the results to the host, unless an iteration raised something.
    ///
    /// # Safety
    /// The parts of arrays that are written are memory that nothing else touches.
    unsafe fn download(&mut self, resident: &Resident, left: &Left) -> Result<Outcome, Refusal> {
        let written: Vec<usize> = match self.launch.totals_only {
            true => Vec::new(),
            false => (0..self.program.arrays.len()).filter(|array| self.program.arrays[*array].writes).collect(),
        };
        let mut wanted = vec![self.flags.clone()];
        wanted.extend(left.state.clone());
        wanted.extend(left.pushes.iter().map(|(held, _)| held.clone()));
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
            if left.state.is_some() {
                outcome.state = layout::state_to_host(self.program.state, &next()?);
            }
            for (_, bytes) in &left.pushes {
                outcome.pushes.push(next()?[..*bytes].to_vec());
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
        Ok(outcome)
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
        let bound = Bound { resident: &resident, seed: None, states: None, counts: None, pushes: &[] };
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
                Slot::StatesBefore => bound.states.as_ref(),
                Slot::CountsBefore => bound.counts.as_ref(),
                Slot::Leaves | Slot::Lower => lower,
                Slot::Upper => upper,
                Slot::Array(number) => bound.resident.arrays.get(number),
                Slot::Table(number) => bound.resident.tables.get(number),
                Slot::Push(number) => bound.pushes.get(number),
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
    states: Option<Held>,
    counts: Option<Held>,
    pushes: &'a [Held],
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
        all[at..at + 3].copy_from_slice(&[part.first as u32, part.count as u32, part.len as u32]);
    }
    for (number, (table, element)) in launch.tables.iter().zip(program.tables).enumerate() {
        all[words::table(program, number)] = (table.len() / element.size().max(1)) as u32;
    }
    let mut rest = launch.values;
    for (number, of) in program.values.iter().enumerate() {
        let (base, width) = layout::scalar(*of);
        let each = words::of_scalar(base);
        let at = words::value(program, number);
        for place in all[at..at + width * each].chunks_exact_mut(each) {
            let value;
            (value, rest) = rest.split_at(base.size().min(rest.len()));
            bytemuck::cast_slice_mut::<u32, u8>(place)[..value.len()].copy_from_slice(value);
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
