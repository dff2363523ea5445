//! Shares that stay in the memory of the device from one launch to the next.

use crate::{Gpu, block_on, lock};
use forall_core::device::{Memory, Refusal};
use std::sync::{Arc, Mutex};
use wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoderDescriptor, Device, ErrorFilter, MapMode, PollType, Queue,
};

/// The device's copy of a share.
pub(crate) struct Stay {
    device: Device,
    queue: Queue,
    broken: Arc<Mutex<Option<String>>>,
    pub buffer: Buffer,
    /// How many bytes the share has.
    pub bytes: usize,
}

impl Stay {
    /// A share in this buffer.
    pub(crate) fn new(gpu: &Gpu, buffer: Buffer, bytes: usize) -> Self {
        Stay { device: gpu.device.clone(), queue: gpu.queue.clone(), broken: Arc::clone(&gpu.broken), buffer, bytes }
    }

    /// Whether it is this device's.
    pub(crate) fn is_of(&self, gpu: &Gpu) -> bool {
        self.device == gpu.device
    }
}

impl Memory for Stay {
    unsafe fn download(&self, to: *mut u8) -> Result<(), Refusal> {
        let size = self.bytes.next_multiple_of(8) as u64;
        let failed = |reason: &dyn std::fmt::Display| Refusal::Failed(format!("a share does not come back: {reason}"));
        let scopes =
            [ErrorFilter::OutOfMemory, ErrorFilter::Validation].map(|filter| self.device.push_error_scope(filter));
        let descriptor = BufferDescriptor {
            label: Some("forall"),
            size,
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        let copy = self.device.create_buffer(&descriptor);
        let mut encoder = self.device.create_command_encoder(&CommandEncoderDescriptor { label: Some("forall") });
        encoder.copy_buffer_to_buffer(&self.buffer, 0, &copy, 0, size);
        self.queue.submit([encoder.finish()]);
        let (sender, answer) = std::sync::mpsc::channel();
        copy.map_async(MapMode::Read, ..size, move |mapped| {
            // The other end waits for it.
            let _ = sender.send(mapped);
        });
        let polled = self.device.poll(PollType::wait_indefinitely());
        let [memory, validation] = scopes;
        let (validation, memory) = (block_on(validation.pop()), block_on(memory.pop()));
        if let Some(error) = validation.or(memory) {
            return Err(failed(&error));
        }
        polled.map_err(|error| failed(&error))?;
        if let Some(message) = &*lock(&self.broken) {
            return Err(failed(message));
        }
        answer.recv().map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
        let view = copy.get_mapped_range(..size).map_err(|error| failed(&error))?;
        // SAFETY: the caller has room for the share's bytes, and the view is elsewhere.
        unsafe { std::ptr::copy_nonoverlapping(view.as_ptr(), to, self.bytes) };
        Ok(())
    }
}
