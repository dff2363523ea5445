//! One launch while it runs: its buffers, its shaders, and what the device is to do.

use super::region::Region;
use super::windows::windows;
use crate::memory::pool::{FLAGS, Memory};
use crate::memory::transfer::Wire;
use crate::memory::usage::Use;
use crate::processor::Processor;
use crate::shader::{Shader, Shaders};
use crate::text::shape::{Pass, Shape, Variant, Walk, Windows};
use crate::ways::LookBack;
use forall_core::device::{Launch, Program, Refusal};
use std::ops::Range;
use std::sync::Arc;
use wgpu::{BindGroup, Buffer, CommandEncoderDescriptor, ComputePassDescriptor, ComputePipeline, SubmissionIndex};

/// One thing for the device to do.
pub(super) enum Step {
    Dispatch {
        pipeline: ComputePipeline,
        group: BindGroup,
        x: u32,
        y: u32,
    },
    Copy {
        from: Region,
        to: Region,
    },
    /// Makes all bytes zero.
    Clear {
        buffer: Buffer,
        bytes: u64,
    },
}

/// One launch while it runs.
pub(super) struct Run<'a> {
    pub(super) processor: &'a Processor,
    pub(super) launch: &'a Launch<'a>,
    pub(super) program: &'static Program,
    pub(super) shape: Shape,
    pub(super) memory: &'a mut Memory,
    pub(super) shaders: &'a mut Shaders,
    /// All buffers that it uses, which go back when it is done.
    pub(super) lent: Vec<(Buffer, Use)>,
    /// The next operations of the device, in order.
    pub(super) steps: Vec<Step>,
    /// Whether it was told to do something already, and whether that can raise something.
    pub(super) submitted: bool,
    pub(super) raises: bool,
    pub(super) words: Region,
    pub(super) flags: Region,
    /// Through how many windows kernels look at the arrays, and at the tables and runs.
    pub(super) windows: [Windows; 2],
    /// The length of their windows on an array that they read, and on one that they write.
    pub(super) nothing: [Region; 2],
    /// How many leaves a pass has, and how many workgroups.
    pub(super) leaves: u64,
    pub(super) groups: u64,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        processor: &'a Processor,
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
        let flags = Region::first(memory.flags(processor)?, FLAGS);
        // They are known once the arrays are there.
        let (words, nothing) = (flags.clone(), [flags.clone(), flags.clone()]);
        let windows = windows(processor, launch, 1 << shape.window)?;
        let (lent, steps) = (Vec::new(), Vec::new());
        let (submitted, raises) = (false, false);
        Ok(Run {
            processor,
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
    pub(super) fn end(self) {
        // The last one is taken first: the next launch of this kind takes the same ones for the same things.
        for (buffer, of) in self.lent.into_iter().rev() {
            self.memory.give(buffer, of);
        }
    }

    pub(super) fn take(&mut self, bytes: u64, of: Use) -> Result<Region, Refusal> {
        let bytes = bytes.max(16).next_multiple_of(8);
        let buffer = self.memory.take(self.processor, bytes, of)?;
        self.lent.push((buffer.clone(), of));
        Ok(Region::first(buffer, bytes))
    }

    /// A buffer with this in it.
    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<Region, Refusal> {
        let held = self.take(bytes.len() as u64, Use::Work)?;
        self.wire().up(&held.buffer, 0, bytes)?;
        Ok(held)
    }

    /// The same, of what may be too long for one window.
    pub(super) fn put_long(&mut self, bytes: &[u8]) -> Result<Region, Refusal> {
        let held = self.take(bytes.len() as u64, Use::Stay)?;
        self.wire().up(&held.buffer, 0, bytes)?;
        Ok(held)
    }

    pub(super) fn wire(&self) -> Wire {
        Wire::new(self.processor)
    }

    /// Makes the shaders, which tell whether anything can be raised.
    pub(super) fn prepare(&mut self) -> Result<(), Refusal> {
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

    /// The levels of scan states whose totals a pass computes.
    pub(super) fn totals(&self) -> Range<usize> {
        match self.launch.totals {
            Some(level) => 0..level + 1,
            None if self.shape.look_back != LookBack::No || !self.program.running => 0..0,
            None => 0..self.program.depth(),
        }
    }

    pub(super) fn copy(&mut self, from: &Region, to: &Region) {
        self.steps.push(Step::Copy { from: from.clone(), to: to.clone() });
    }

    pub(super) fn shader(&mut self, pass: Pass) -> Result<Arc<Shader>, Refusal> {
        let arrays = self.launch.arrays.iter().zip(0..);
        let apart = arrays.fold(0, |all, (part, number)| all | u64::from(part.sparse.is_some()) << number.min(63));
        let [arrays, tables] = self.windows;
        let Launch { proved, overflow, .. } = *self.launch;
        let variant = Variant { pass, proved, overflow, apart, arrays, tables };
        let shader = self.shaders.get(self.processor, self.program, variant, self.shape)?;
        self.raises |= shader.raises;
        Ok(shader)
    }

    /// A buffer of at least `size` bytes that begins with these.
    pub(super) fn put_at_least(&mut self, bytes: &[u8], size: usize) -> Result<Region, Refusal> {
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len().max(size), 0);
        self.put(&bytes)
    }

    /// Tells the device to do the steps.
    pub(super) fn submit(&mut self) -> Result<SubmissionIndex, Refusal> {
        let (processor, label) = (self.processor, Some(self.program.name));
        let steps = std::mem::take(&mut self.steps);
        self.submitted = true;
        processor.guarded(|| {
            let mut encoder = processor.device.create_command_encoder(&CommandEncoderDescriptor { label });
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
            processor.queue.submit([encoder.finish()])
        })
    }
}
