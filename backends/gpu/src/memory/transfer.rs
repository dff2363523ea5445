//! Bytes on their way to the memory of the device and back.

use super::usage::Use;
use crate::processor::Processor;
use crate::sync::{block_on, lock};
use forall_core::device::{Costs, Moved, Refusal};
use std::ops::Range;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};
use wgpu::{
    Buffer, BufferAsyncError, BufferDescriptor, BufferUsages, CommandEncoderDescriptor, ComputePipeline, Device,
    ErrorFilter, MapMode, PollType, Queue,
};

/// The most bytes that are under way at once: the driver holds them once more.
const AT_ONCE: usize = 64 << 20;

/// The most bytes that are repeated at once.
const REPEATED: u64 = 4 << 20;

/// A way to the device that may outlive the node, with shares that stay there.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    pub device: Device,
    pub queue: Queue,
    /// See [`Wire::pick`].
    pub picker: Arc<OnceLock<ComputePipeline>>,
    broken: Arc<Mutex<Option<String>>>,
}

/// Some bytes of a buffer, which begin and end as copies need it, and which of them are meant.
struct Window {
    from: u64,
    bytes: usize,
    meant: Range<usize>,
}

impl Window {
    fn around(from: u64, bytes: usize) -> Self {
        let skipped = (from % 4) as usize;
        let meant = skipped..skipped + bytes;
        Window { from: from - skipped as u64, bytes: meant.end.next_multiple_of(4), meant }
    }
}

impl Wire {
    pub(crate) fn new(processor: &Processor) -> Self {
        let (device, queue) = (processor.device.clone(), processor.queue.clone());
        Wire { device, queue, picker: Arc::clone(&processor.picker), broken: Arc::clone(&processor.broken) }
    }

    /// Whether it leads to this device.
    pub(crate) fn is_of(&self, processor: &Processor) -> bool {
        self.device == processor.device
    }

    /// Does `work`, and says what the driver has against it.
    pub(crate) fn guarded<T>(&self, work: impl FnOnce() -> T) -> Result<T, Refusal> {
        use ErrorFilter::{OutOfMemory, Validation};
        let scopes = [OutOfMemory, Validation].map(|filter| self.device.push_error_scope(filter));
        let done = work();
        // They are popped in the reverse order.
        let [memory, validation] = scopes;
        let (validation, memory) = (block_on(validation.pop()), block_on(memory.pop()));
        match (validation.or(memory), &*lock(&self.broken)) {
            (_, Some(message)) => Err(Refusal::Failed(message.clone())),
            (Some(error), None) => Err(Refusal::Failed(error.to_string())),
            (None, None) => Ok(done),
        }
    }

    /// A buffer of so many bytes for shares.
    pub(crate) fn buffer(&self, size: u64, usage: BufferUsages) -> Result<Buffer, Refusal> {
        let descriptor = BufferDescriptor { label: Some("forall"), size, usage, mapped_at_creation: false };
        self.guarded(|| self.device.create_buffer(&descriptor))
    }

    /// Puts bytes into a buffer, from a multiple of four on. Where their number is none, some zeros follow.
    pub(crate) fn up(&self, buffer: &Buffer, at: u64, bytes: &[u8]) -> Result<(), Refusal> {
        Moved { up: bytes.len() as u64, down: 0 }.count();
        let (whole, rest) = bytes.split_at(bytes.len() & !3);
        let mut to = at;
        for part in whole.chunks(AT_ONCE) {
            self.guarded(|| self.queue.write_buffer(buffer, to, part))?;
            to += part.len() as u64;
            if whole.len() > AT_ONCE {
                self.guarded(|| self.queue.submit([]))?;
                self.wait()?;
            }
        }
        if !rest.is_empty() {
            let mut last = [0; 4];
            last[..rest.len()].copy_from_slice(rest);
            self.guarded(|| self.queue.write_buffer(buffer, to, &last))?;
        }
        Ok(())
    }

    /// Copies parts of a buffer to the host.
    pub(crate) fn down(&self, buffer: &Buffer, parts: &mut [(u64, &mut [u8])]) -> Result<(), Refusal> {
        // Pieces of the parts, as many at once as may be.
        let mut batch: Vec<(Window, &mut [u8])> = Vec::new();
        let mut size = 0;
        for (from, to) in parts.iter_mut() {
            for (number, to) in to.chunks_mut(AT_ONCE).enumerate() {
                let window = Window::around(*from + (number * AT_ONCE) as u64, to.len());
                if size + window.bytes > AT_ONCE && !batch.is_empty() {
                    self.fetch(buffer, &mut batch, size)?;
                    batch.clear();
                    size = 0;
                }
                size += window.bytes;
                batch.push((window, to));
            }
        }
        if batch.is_empty() { Ok(()) } else { self.fetch(buffer, &mut batch, size) }
    }

    fn fetch(&self, buffer: &Buffer, batch: &mut [(Window, &mut [u8])], size: usize) -> Result<(), Refusal> {
        Moved { up: 0, down: size as u64 }.count();
        let size = size.next_multiple_of(8) as u64;
        let copy = self.buffer(size, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        self.guarded(|| {
            let mut encoder = self.device.create_command_encoder(&CommandEncoderDescriptor { label: Some("forall") });
            let mut at = 0;
            for (window, _) in batch.iter() {
                encoder.copy_buffer_to_buffer(buffer, window.from, &copy, at, window.bytes as u64);
                at += window.bytes as u64;
            }
            self.queue.submit([encoder.finish()]);
        })?;
        let (sender, answer) = std::sync::mpsc::channel();
        copy.map_async(MapMode::Read, ..size, move |mapped| {
            // The other end waits for it.
            let _ = sender.send(mapped);
        });
        self.wait()?;
        let failed = |reason: &dyn std::fmt::Display| Refusal::Failed(reason.to_string());
        answered(&answer)?;
        let view = copy.get_mapped_range(..size).map_err(|error| failed(&error))?;
        let mut rest = &view[..];
        for (window, to) in batch {
            let part;
            (part, rest) = rest.split_at(window.bytes);
            to.copy_from_slice(&part[window.meant.clone()]);
        }
        Ok(())
    }

    /// Copies bytes from one buffer to another, from and to multiples of four.
    pub(crate) fn across(&self, from: (&Buffer, u64), to: (&Buffer, u64), bytes: u64) -> Result<(), Refusal> {
        self.guarded(|| {
            let mut encoder = self.device.create_command_encoder(&CommandEncoderDescriptor { label: Some("forall") });
            encoder.copy_buffer_to_buffer(from.0, from.1, to.0, to.1, bytes);
            self.queue.submit([encoder.finish()]);
        })
    }

    /// Makes bytes of a buffer zero, whole words from a multiple of four on.
    pub(crate) fn clear(&self, buffer: &Buffer, from: u64, bytes: u64) -> Result<(), Refusal> {
        self.guarded(|| {
            let mut encoder = self.device.create_command_encoder(&CommandEncoderDescriptor { label: Some("forall") });
            encoder.clear_buffer(buffer, from, Some(bytes));
            self.queue.submit([encoder.finish()]);
        })
    }

    /// Repeats the first `known` of so many bytes of a buffer, which are whole words from a multiple of four on.
    pub(crate) fn repeat(&self, buffer: &Buffer, from: u64, mut known: u64, bytes: u64) -> Result<(), Refusal> {
        let most = (known * (REPEATED / known).max(1)).min(bytes);
        // A buffer cannot be copied to itself.
        let other = self.buffer(most, BufferUsages::COPY_SRC | BufferUsages::COPY_DST)?;
        self.guarded(|| {
            let mut encoder = self.device.create_command_encoder(&CommandEncoderDescriptor { label: Some("forall") });
            let mut there = 0;
            while known < bytes {
                // All that is known, up to as much as the other buffer holds.
                if there < most && there < known {
                    let more = known.min(most);
                    encoder.copy_buffer_to_buffer(buffer, from, &other, 0, more);
                    there = more;
                }
                let step = there.min(bytes - known);
                encoder.copy_buffer_to_buffer(&other, 0, buffer, from + known, step);
                known += step;
            }
            self.queue.submit([encoder.finish()]);
        })
    }

    /// Waits until the device has done all that it was told.
    fn wait(&self) -> Result<(), Refusal> {
        self.device.poll(PollType::wait_indefinitely()).map_err(|error| Refusal::Failed(error.to_string()))?;
        match &*lock(&self.broken) {
            Some(message) => Err(Refusal::Failed(message.clone())),
            None => Ok(()),
        }
    }
}

/// Finds out what it takes to use a device: the best of some tries, which take some milliseconds.
pub(crate) fn costs(processor: &Processor) -> Result<Costs, Refusal> {
    let wire = Wire::new(processor);
    let mut bytes = vec![1; TRIED];
    let buffers = [(); 2].map(|()| wire.buffer(TRIED as u64, Use::Stay.usages()));
    let [Ok(one), Ok(two)] = &buffers else { return Err(Refusal::Failed("no memory left".into())) };
    let timed = |work: &mut dyn FnMut() -> Result<(), Refusal>| {
        let start = Instant::now();
        work()?;
        wire.wait()?;
        Ok(start.elapsed().as_nanos() as u64 * 1000)
    };
    let (mut launch, mut moved) = (u64::MAX, u64::MAX);
    for _ in 0..TRIES {
        launch = launch.min(timed(&mut || wire.across((one, 0), (two, 0), 4))?);
        moved = moved.min(timed(&mut || {
            wire.up(one, 0, &bytes)?;
            wire.down(one, &mut [(0, &mut bytes)])
        })?);
    }
    // A way up and a way back, each with a wait.
    let byte = moved.saturating_sub(2 * launch) / (2 * TRIED as u64);
    Ok(Costs { launch: launch.max(1), byte: byte.max(1) })
}

/// Bytes that move to find out what it takes, and how often.
const TRIED: usize = 1 << 19;
const TRIES: usize = 3;

/// Waits for the answer to a request to map a buffer, once the device has done all that it was told.
///
/// Another thread that waits for the device too may be about to give it; a device that is lost may never do so.
pub(crate) fn answered(answer: &Receiver<Result<(), BufferAsyncError>>) -> Result<(), Refusal> {
    let failed = |reason: &dyn std::fmt::Display| Refusal::Failed(reason.to_string());
    let mapped = answer.recv_timeout(Duration::from_secs(60)).map_err(|error| failed(&error))?;
    mapped.map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_begin_and_end_with_words() {
        let look = |from, bytes| {
            let window = Window::around(from, bytes);
            (window.from, window.bytes, window.meant)
        };
        assert_eq!(look(8, 4), (8, 4, 0..4));
        assert_eq!(look(9, 1), (8, 4, 1..2));
        assert_eq!(look(11, 2), (8, 8, 3..5));
    }
}
