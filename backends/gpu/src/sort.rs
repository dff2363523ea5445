//! Numbers sorted by their digits: a radix sort of keys of 32 and 64 bits, and of the places that they come from.
//!
//! Each pass counts a digit in blocks, adds up the counts, and brings each word to its place: three steps that need nothing of a
//! device but workgroups (Satish, Harris and Garland 2009). Digits in which no words differ are left out.

pub(crate) mod kernels;

use crate::gpu::{Gpu, Kept};
use crate::memory::pool::Memory;
use crate::memory::residence::{Beside, Stay, bound};
use crate::memory::transfer::Wire;
use crate::memory::usage::Use;
use crate::processor::Processor;
use crate::sync::lock;
use forall_core::device::{Refusal, Residence, Sorting, Valid};
use kernels::KERNELS;
use std::any::Any;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, Buffer, BufferBinding, BufferSize,
    CommandEncoderDescriptor, ComputePassDescriptor, ComputePipeline,
};

/// Words of a block, and counts of a span: as the text has them.
const BLOCK: usize = 4096;
const SPAN: usize = 2048;

/// A digit has so many bits.
const DIGIT: u32 = 4;

/// So many are numbered by the text.
const MOST: usize = 1 << 31;

/// A buffer, where in it something begins, and how many bytes it has.
#[derive(Clone)]
struct Held {
    buffer: Buffer,
    from: u64,
    bytes: u64,
}

/// A sort while it runs.
struct Run<'r> {
    processor: &'r Processor,
    memory: &'r mut Memory,
    kernels: &'r [ComputePipeline],
    sorting: &'r Sorting<'r>,
    lent: Vec<Buffer>,
    /// The arguments of kernels, without the digit.
    told: [u32; 8],
    /// The bindings: by their numbers.
    bound: [Option<Held>; 10],
    steps: Vec<(ComputePipeline, BindGroup, usize)>,
}

impl Gpu {
    /// See [`Device::sort`](forall_core::device::Device::sort).
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn sort_numbers(&self, mut sorting: Sorting<'_>) -> Result<(), Refusal> {
        let Sorting { count, size, .. } = sorting;
        let (processor, bytes) = (&self.processor, count * size);
        let most = processor.limits.max_storage_buffer_binding_size;
        if count > MOST || !matches!(size, 4 | 8) || bytes as u64 + 4096 > most {
            let name = &processor.name;
            return Err(Refusal::Cannot(format!("{name} does not sort {count} numbers of {size} bytes at once")));
        }
        if count < 2 {
            if let Some(places) = sorting.places {
                places.fill(0);
            }
            return Ok(());
        }
        processor.broken()?;
        let places = sorting.places.take();
        let kernels = self.sorters.get(processor, size == 8, places.is_some())?;
        let mut kept = lock(&self.kept);
        let Kept { memory, .. } = &mut *kept;
        memory.begin();
        let told = [0; 8];
        let mut run = Run {
            processor,
            memory,
            kernels,
            sorting: &sorting,
            lent: Vec::new(),
            told,
            bound: Default::default(),
            steps: Vec::new(),
        };
        // SAFETY: as the caller promises.
        let done = unsafe { run.sort(places) };
        run.end();
        done
    }
}

impl Run<'_> {
    fn end(self) {
        for buffer in self.lent.into_iter().rev() {
            self.memory.give(buffer, Use::Work);
        }
    }

    fn wire(&self) -> Wire {
        Wire::new(self.processor)
    }

    fn take(&mut self, bytes: usize) -> Result<Held, Refusal> {
        let bytes = (bytes as u64).max(16).next_multiple_of(8);
        let buffer = self.memory.take(self.processor, bytes, Use::Work)?;
        self.lent.push(buffer.clone());
        Ok(Held { buffer, from: 0, bytes })
    }

    /// # Safety
    /// As for [`Gpu::sort_numbers`].
    unsafe fn sort(&mut self, places: Option<&mut [u32]>) -> Result<(), Refusal> {
        let Sorting { address, count, size, share, words, .. } = *self.sorting;
        let bytes = count * size;
        // SAFETY: there are so many initialised numbers, which nothing else touches.
        let host = || unsafe { std::slice::from_raw_parts_mut(address, bytes) };
        let (numbers, first) = match share {
            // Where only the device has them, there is nothing to look at in the host's memory.
            Some(share) => self.stay(share, bytes, size, &|| &*host())?,
            None => {
                let numbers = self.take(bytes)?;
                self.wire().up(&numbers.buffer, 0, host())?;
                (numbers, 0)
            }
        };
        let [one, other] = [self.take(bytes)?, self.take(bytes)?];
        let blocks = count.div_ceil(BLOCK);
        let halves = |word: u64| [word as u32, (word >> 32) as u32];
        let ([flips, more_flips], [sign, more_sign]) = (halves(words.flips), halves(words.sign));
        self.told = [count as u32, blocks as u32, 0, first as u32, flips, more_flips, sign, more_sign];
        let spans = (16 * blocks).div_ceil(SPAN);
        let (counts, sums, differing) = (self.take(64 * blocks)?, self.take(4 * spans)?, self.take(8)?);
        self.wire().clear(&differing.buffer, 0, 8)?;
        // The length tells kernels how many spans there are.
        let sums = Held { bytes: (4 * spans as u64).max(4), ..sums };
        self.bound = Default::default();
        for (binding, held) in [(1, &numbers), (2, &numbers), (4, &one), (7, &counts), (8, &sums), (9, &differing)] {
            self.bound[binding] = Some(held.clone());
        }
        let mut froms = match places {
            Some(_) => Some([self.take(4 * count)?, self.take(4 * count)?]),
            None => None,
        };
        self.bound[6] = froms.as_ref().map(|[one, _]| one.clone());
        self.step(0, 0, blocks)?;
        self.submit()?;
        let mut differ = [0; 8];
        self.wire().down(&differing.buffer, &mut [(0, &mut differ)])?;
        let differ = u64::from_le_bytes(differ);
        let mut sides = [one, other];
        for shift in (0..8 * size as u32).step_by(DIGIT as usize).filter(|shift| (differ >> shift) & 15 != 0) {
            let [from, to] = sides;
            (self.bound[3], self.bound[4]) = (Some(from.clone()), Some(to.clone()));
            sides = [to, from];
            if let Some([from, to]) = froms.take() {
                (self.bound[5], self.bound[6]) = (Some(from.clone()), Some(to.clone()));
                froms = Some([to, from]);
            }
            for (kernel, groups) in [(1, blocks), (2, spans), (3, 1), (4, spans), (5, blocks)] {
                self.step(kernel, shift, groups)?;
            }
        }
        if let (Some(places), Some([from, _])) = (places, &froms) {
            self.submit()?;
            return self.wire().down(&from.buffer, &mut [(0, bytemuck::cast_slice_mut(places))]);
        }
        if differ == 0 {
            return Ok(());
        }
        self.bound[3] = Some(sides[0].clone());
        self.step(6, 0, blocks)?;
        self.submit()?;
        match share {
            Some(share) => share.device_wrote(),
            None => self.wire().down(&numbers.buffer, &mut [(0, host())])?,
        }
        Ok(())
    }

    /// A share, in the memory of the device, and the number of what is bound with which it begins.
    fn stay<'h>(
        &mut self,
        share: &Residence,
        bytes: usize,
        size: usize,
        host: &dyn Fn() -> &'h [u8],
    ) -> Result<(Held, u64), Refusal> {
        let known = share.with_memory(|memory| {
            let memory: &dyn Any = &**memory.as_ref()?;
            memory.downcast_ref::<Stay>().filter(|known| known.is_of(self.processor) && known.bytes == bytes).cloned()
        });
        let stay = match (share.valid(), known) {
            (Valid::Both | Valid::Device, Some(known)) => known,
            (Valid::Device, None) => return Err(Refusal::Cannot("another device has the share".into())),
            (Valid::Host | Valid::Both, known) => {
                let none = Beside { before: 0, after: 0 };
                let stay = match known {
                    Some(known) => known,
                    None => {
                        let buffer = self.memory.take(self.processor, none.around(bytes), Use::Stay)?;
                        Stay::new(self.processor, buffer, 0, bytes)
                    }
                };
                self.wire().up(&stay.buffer, stay.front, host())?;
                share.with_memory(|memory| *memory = Some(Box::new(stay.clone())));
                share.uploaded();
                stay
            }
        };
        let (from, begin) = bound(stay.front, size, self.processor.limits.min_storage_buffer_offset_alignment);
        let bytes = (stay.front - from + bytes as u64).max(16).next_multiple_of(8);
        Ok((Held { buffer: stay.buffer, from, bytes }, begin))
    }

    /// Adds a kernel to what is to be done.
    fn step(&mut self, kernel: usize, shift: u32, groups: usize) -> Result<(), Refusal> {
        let mut told = self.told;
        told[2] = shift;
        let told = Held { buffer: self.memory.constant(self.processor, told.to_vec())?, from: 0, bytes: 32 };
        self.bound[0] = Some(told);
        let (name, bindings) = KERNELS[kernel];
        // Where places move, they are bound too.
        let more: &[u32] = match name {
            "begin" if self.bound[6].is_some() => &[6],
            "spread" if self.bound[6].is_some() => &[5, 6],
            _ => &[],
        };
        let mut entries = Vec::new();
        for binding in bindings.iter().chain(more) {
            let held = self.bound[*binding as usize].as_ref();
            let held = held.ok_or_else(|| Refusal::Failed(format!("nothing is bound to {binding} of {name}")))?;
            let buffer = BufferBinding { buffer: &held.buffer, offset: held.from, size: BufferSize::new(held.bytes) };
            entries.push(BindGroupEntry { binding: *binding, resource: BindingResource::Buffer(buffer) });
        }
        let pipeline = self.kernels[kernel].clone();
        let device = &self.processor.device;
        let group = self.processor.guarded(|| {
            let layout = pipeline.get_bind_group_layout(0);
            device.create_bind_group(&BindGroupDescriptor {
                label: Some("forall sort"),
                layout: &layout,
                entries: &entries,
            })
        })?;
        self.steps.push((pipeline, group, groups));
        Ok(())
    }

    fn submit(&mut self) -> Result<(), Refusal> {
        let (processor, steps) = (self.processor, std::mem::take(&mut self.steps));
        let most = processor.limits.max_compute_workgroups_per_dimension as usize;
        let label = Some("forall sort");
        processor.guarded(|| {
            let mut encoder = processor.device.create_command_encoder(&CommandEncoderDescriptor { label });
            let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor { label, timestamp_writes: None });
            for (pipeline, group, groups) in &steps {
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, group, &[]);
                let x = (*groups).min(most);
                pass.dispatch_workgroups(x as u32, groups.div_ceil(x) as u32, 1);
            }
            drop(pass);
            processor.queue.submit([encoder.finish()]);
        })
    }
}
