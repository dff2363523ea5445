//! The contents of buffers, copied to memory that the host sees.

use super::region::Region;
use super::run::Run;
use crate::memory::transfer::answered;
use crate::memory::usage::Use;
use forall_core::device::{Cause, Moved, Refusal};
use std::ops::Range;
use wgpu::{BufferView, MapMode, PollType};

/// Contents that are not longer than this are copied to the host together.
const SMALL: u64 = 4096;

/// The contents of some buffers, in memory that the host sees.
pub(super) struct Copies {
    pub(super) staged: Vec<Region>,
    /// For each buffer, in which of them the copy is, and where.
    pub(super) places: Vec<(usize, Range<u64>)>,
    /// Whether the host sees them. To unmap other buffers is an error, after which the device is of no use.
    mapped: bool,
}

impl Copies {
    /// The bytes of the buffer with this number.
    pub(super) fn bytes(&self, number: usize) -> Result<BufferView, Refusal> {
        let place = self.places.get(number);
        let (staged, range) = place.ok_or_else(|| Refusal::Failed("a buffer that was not read".into()))?;
        let view = self.staged[*staged].buffer.get_mapped_range(range.clone());
        view.map_err(|error| Refusal::Failed(error.to_string()))
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        self.staged.iter().filter(|_| self.mapped).for_each(|held| held.buffer.unmap());
    }
}

/// The first position that raised something.
pub(super) fn raised(flags: &[u8]) -> Option<(usize, Cause)> {
    const CAUSES: [Cause; 6] =
        [Cause::Index, Cause::Overflow, Cause::DivisionByZero, Cause::Wide, Cause::Trips, Cause::Explicit];
    let positions = flags.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap_or_default()));
    let raised = positions.zip(CAUSES).filter(|(position, _)| *position != u32::MAX);
    raised.min_by_key(|(position, _)| *position).map(|(position, cause)| (position as usize, cause))
}

impl Run<'_> {
    /// Does the steps, waits, and gives what is in these buffers then: of the small ones all in one.
    pub(super) fn read(&mut self, wanted: &[Region]) -> Result<Copies, Refusal> {
        let room = |held: &Region| held.bytes.next_multiple_of(8);
        let small = |held: &&Region| held.bytes <= SMALL;
        let mut copies = Copies { staged: Vec::new(), places: Vec::new(), mapped: false };
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
            self.copy(held, &Region { buffer: to, from: at, bytes: held.bytes });
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
        let failed = |reason: &dyn std::fmt::Display| Refusal::Failed(format!("{}: {reason}", self.processor.name));
        self.processor.device.poll(PollType::wait_indefinitely()).map_err(|error| failed(&error))?;
        self.processor.broken()?;
        for _ in &copies.staged {
            answered(&answers)?;
        }
        copies.mapped = true;
        Ok(copies)
    }
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
