//! Buffers of the device, which are used again.

use forall_core::device::Refusal;
use wgpu::{Buffer, BufferDescriptor, BufferUsages};

/// What a buffer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Kernels read and write it.
    Work,
    /// The same, a part at a time: it holds a share that stays.
    Stay,
    /// The host reads it.
    Read,
}

impl Use {
    pub(crate) fn usages(self) -> BufferUsages {
        match self {
            Use::Work | Use::Stay => BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            Use::Read => BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        }
    }
}

/// Buffers that no launch uses now.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    free: Vec<Free>,
    launches: u64,
}

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
    }

    /// A buffer of at least so many bytes, with any content.
    pub(crate) fn take(&mut self, gpu: &crate::Gpu, bytes: u64, of: Use) -> Result<Buffer, Refusal> {
        let limits = gpu.device.limits();
        let most = match of {
            Use::Work => limits.max_buffer_size.min(limits.max_storage_buffer_binding_size),
            Use::Stay | Use::Read => limits.max_buffer_size,
        };
        if bytes > most {
            return Err(Refusal::TooMuch(format!(
                "{} holds at most {most} bytes at once; these iterations need {bytes}",
                gpu.name
            )));
        }
        let size = rounded(bytes).min(most & !15).max(bytes.next_multiple_of(16));
        let fits = |free: &Free| free.of.usages() == of.usages() && free.buffer.size() == size;
        if let Some(found) = self.free.iter().position(fits) {
            return Ok(self.free.swap_remove(found).buffer);
        }
        let descriptor =
            BufferDescriptor { label: Some("forall"), size, usage: of.usages(), mapped_at_creation: false };
        if size > gpu.room.memory {
            return Err(Refusal::Failed(format!("{} has no memory left", gpu.name)));
        }
        let buffer = gpu.guarded(|| gpu.device.create_buffer(&descriptor));
        if buffer.is_err() && !self.free.is_empty() {
            self.free.clear();
            // What was freed is there again once the device has noticed.
            let _ = gpu.device.poll(wgpu::PollType::wait_indefinitely());
            return gpu.guarded(|| gpu.device.create_buffer(&descriptor));
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
