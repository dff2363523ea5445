//! Buffers of the device, which are used again.

use super::transfer::Wire;
use super::usage::Use;
use crate::processor::Processor;
use crate::shader::Kernel;
use forall_core::device::Refusal;
use std::collections::{HashMap, VecDeque};
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindingResource, Buffer, BufferBinding,
    BufferDescriptor, BufferSize, PollType, SubmissionIndex,
};

/// Bytes of the flags that kernels raise.
pub(crate) const FLAGS: u64 = 32;

/// Launches that the device may be behind the host.
const BEHIND: usize = 32;

/// The resources that launches leave for later ones: unused buffers, and bindings that they will probably use again. A
/// launch like one before it finds all that it needs.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    free: Vec<Free>,
    launches: u64,
    /// Buffers by what is in them, which does not change, and the launch that used them last.
    constants: HashMap<Vec<u32>, (Buffer, u64)>,
    /// The arguments of kernels, by their parts, and the launch that used them last.
    groups: HashMap<Given, (BindGroup, u64)>,
    /// The flags, all down.
    flags: Option<Buffer>,
    /// Launches that nobody has waited for.
    queued: VecDeque<SubmissionIndex>,
}

/// The layout of a kernel, and the buffers with where what is meant begins, and how many bytes it has.
type Given = (BindGroupLayout, Vec<(Buffer, u64, u64)>);

#[derive(Debug)]
struct Free {
    buffer: Buffer,
    of: Use,
    /// The launch that used it last.
    launch: u64,
}

/// A buffer that was not used for so many launches is given back to the driver.
const KEEP: u64 = 32;

impl Memory {
    /// Says that a launch begins.
    pub(crate) fn begin(&mut self) {
        self.launches += 1;
        let now = self.launches;
        self.free.retain(|free| free.launch + KEEP >= now);
        self.groups.retain(|_, (_, launch)| *launch + KEEP >= now);
        for (_, (buffer, _)) in self.constants.extract_if(|_, (_, launch)| *launch + KEEP < now) {
            self.free.push(Free { buffer, of: Use::Work, launch: now });
        }
    }

    /// A buffer that holds these words.
    pub(crate) fn constant(&mut self, processor: &Processor, words: Vec<u32>) -> Result<Buffer, Refusal> {
        let now = self.launches;
        if let Some((buffer, launch)) = self.constants.get_mut(&words) {
            *launch = now;
            return Ok(buffer.clone());
        }
        let buffer = self.take(processor, 4 * words.len() as u64, Use::Work)?;
        Wire::new(processor).up(&buffer, 0, bytemuck::cast_slice(&words))?;
        self.constants.insert(words, (buffer.clone(), now));
        Ok(buffer)
    }

    /// The flags, which are down.
    pub(crate) fn flags(&mut self, processor: &Processor) -> Result<Buffer, Refusal> {
        if let Some(flags) = &self.flags {
            return Ok(flags.clone());
        }
        let flags = self.take(processor, FLAGS, Use::Work)?;
        Wire::new(processor).up(&flags, 0, &[0xff; FLAGS as usize])?;
        Ok(self.flags.insert(flags).clone())
    }

    /// Says that a kernel may have raised some.
    pub(crate) fn flags_changed(&mut self) {
        self.flags = None;
    }

    /// These buffers, in the order of a kernel's bindings, as it is given them.
    pub(crate) fn group(
        &mut self,
        processor: &Processor,
        kernel: &Kernel,
        held: Vec<(Buffer, u64, u64)>,
    ) -> Result<BindGroup, Refusal> {
        let (given, now) = ((kernel.layout.clone(), held), self.launches);
        if let Some((group, launch)) = self.groups.get_mut(&given) {
            *launch = now;
            return Ok(group.clone());
        }
        let mut entries = Vec::with_capacity(given.1.len());
        for ((binding, _), (buffer, offset, bytes)) in kernel.bindings.iter().zip(&given.1) {
            let buffer = BufferBinding { buffer, offset: *offset, size: BufferSize::new(*bytes) };
            entries.push(BindGroupEntry { binding: *binding, resource: BindingResource::Buffer(buffer) });
        }
        let descriptor = BindGroupDescriptor { label: Some("forall"), layout: &kernel.layout, entries: &entries };
        let group = processor.guarded(|| processor.device.create_bind_group(&descriptor))?;
        self.groups.insert(given, (group.clone(), now));
        Ok(group)
    }

    /// Notes a launch that nobody waits for. The device is never far behind.
    pub(crate) fn queued(&mut self, processor: &Processor, index: SubmissionIndex) -> Result<(), Refusal> {
        self.queued.push_back(index);
        if self.queued.len() > BEHIND
            && let Some(oldest) = self.queued.pop_front()
        {
            let until = PollType::Wait { submission_index: Some(oldest), timeout: None };
            processor.device.poll(until).map_err(|error| Refusal::Failed(error.to_string()))?;
        }
        Ok(())
    }

    /// A buffer of at least so many bytes, with any content.
    pub(crate) fn take(&mut self, processor: &Processor, bytes: u64, of: Use) -> Result<Buffer, Refusal> {
        let limits = &processor.limits;
        let most = match of {
            Use::Work => limits.max_buffer_size.min(limits.max_storage_buffer_binding_size),
            Use::Stay | Use::Read => limits.max_buffer_size,
        };
        if bytes > most {
            return Err(Refusal::TooMuch(format!(
                "{} holds at most {most} bytes at once; these iterations need {bytes}",
                processor.name
            )));
        }
        let size = rounded(bytes).min(most & !15).max(bytes.next_multiple_of(16));
        let fits = |free: &Free| free.of.usages() == of.usages() && free.buffer.size() == size;
        // The last one that came back, so that the same launch takes the same ones again.
        if let Some(found) = self.free.iter().rposition(fits) {
            return Ok(self.free.remove(found).buffer);
        }
        let descriptor =
            BufferDescriptor { label: Some("forall"), size, usage: of.usages(), mapped_at_creation: false };
        if size > processor.room.memory {
            return Err(Refusal::Failed(format!("{} has no memory left", processor.name)));
        }
        let buffer = processor.guarded(|| processor.device.create_buffer(&descriptor));
        if buffer.is_err() {
            self.free.clear();
            // These hold on to buffers, too.
            self.groups.clear();
            // What was freed is there again once the device has noticed.
            let _ = processor.device.poll(PollType::wait_indefinitely());
            return processor.guarded(|| processor.device.create_buffer(&descriptor));
        }
        buffer
    }

    /// Takes a buffer back.
    pub(crate) fn give(&mut self, buffer: Buffer, of: Use) {
        self.free.push(Free { buffer, of, launch: self.launches });
    }
}

/// Sizes in steps, so that launches of about the same size use the same buffers.
fn rounded(bytes: u64) -> u64 {
    const STEP: u64 = 1 << 20;
    if bytes < STEP { bytes.next_power_of_two().max(256) } else { bytes.next_multiple_of(STEP) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_in_steps() {
        assert_eq!([0, 1, 257, 1 << 20, (1 << 20) + 1].map(rounded), [256, 256, 512, 1 << 20, 2 << 20]);
    }
}
