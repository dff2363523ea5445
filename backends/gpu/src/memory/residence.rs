//! Shares that stay in the memory of the device from one launch to the next, with room for a halo on both sides.

use super::pick::Elements;
use super::transfer::Wire;
use super::usage::Use;
use crate::layout;
use crate::processor::Processor;
use forall_core::device::{Memory, Refusal};
use wgpu::Buffer;

/// The device's copy of a share.
#[derive(Debug, Clone)]
pub(crate) struct Stay {
    wire: Wire,
    pub buffer: Buffer,
    /// Where the share begins in the buffer.
    pub front: u64,
    /// How many bytes the share has.
    pub bytes: usize,
}

/// So many bytes go to the device where they are repeated there.
const BLOCK: usize = 4096;

/// How many bytes there are to be beside a share: before it and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Beside {
    pub before: u64,
    pub after: u64,
}

impl Beside {
    /// Room for so many elements on each side, and for some more: the share keeps its place when a halo grows a little.
    pub(crate) fn room(before: usize, after: usize, size: usize) -> Self {
        let room = |elements: usize| match elements {
            0 => 0,
            // The share begins at an element, and where copies may.
            _ => (elements.next_power_of_two().max(16) * size) as u64,
        };
        Beside { before: room(before), after: room(after) }
    }

    /// The size of the buffer that holds a share of so many bytes and all that. Kernels read whole words.
    pub(crate) fn around(self, bytes: usize) -> u64 {
        (self.before + bytes as u64 + self.after + 16).next_multiple_of(16)
    }
}

impl Stay {
    /// A share in this buffer.
    pub(crate) fn new(processor: &Processor, buffer: Buffer, front: u64, bytes: usize) -> Self {
        Stay { wire: Wire::new(processor), buffer, front, bytes }
    }

    /// Whether it is this device's.
    pub(crate) fn is_of(&self, processor: &Processor) -> bool {
        self.wire.is_of(processor)
    }

    /// Whether there is so much room beside it.
    pub(crate) fn has(&self, beside: Beside) -> bool {
        self.front >= beside.before && self.front + self.bytes as u64 + beside.after <= self.buffer.size()
    }

    /// Changes bytes of the buffer, of the share or beside it.
    pub(crate) fn put(&self, at: u64, bytes: &[u8]) -> Result<(), Refusal> {
        let share = self.front..self.front + self.bytes as u64;
        let end = at + bytes.len() as u64;
        let (first, last) = (at & !3, end.next_multiple_of(4));
        if first == at && last == end {
            return self.wire.up(&self.buffer, at, bytes);
        }
        // Words that the share has bytes of stay what they are beside the bytes that change.
        let mut words = vec![0; (last - first) as usize];
        let middle = (at - first) as usize..(end - first) as usize;
        let (head, tail) = (first..at, end..last);
        let shared = |part: &std::ops::Range<u64>| part.start < share.end && part.end > share.start && !part.is_empty();
        let (mut head_word, mut tail_word) = ([0; 4], [0; 4]);
        let mut wanted: Vec<(u64, &mut [u8])> = Vec::new();
        if shared(&head) {
            wanted.push((first, &mut head_word));
        }
        if shared(&tail) {
            wanted.push((last - 4, &mut tail_word));
        }
        self.wire.down(&self.buffer, &mut wanted)?;
        let size = words.len();
        words[size - 4..].copy_from_slice(&tail_word);
        if first < at {
            let kept = (at - first) as usize;
            words[..kept].copy_from_slice(&head_word[..kept]);
        }
        words[middle].copy_from_slice(bytes);
        self.wire.up(&self.buffer, first, &words)
    }

    /// Copies the share to another buffer that has it at another place.
    pub(crate) fn copy_to(&self, other: &Stay) -> Result<(), Refusal> {
        let bytes = self.bytes.next_multiple_of(4) as u64;
        self.wire.across((&self.buffer, self.front), (&other.buffer, other.front), bytes)
    }
}

impl Memory for Stay {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn download(&self, parts: &mut [(usize, &mut [u8])]) -> Result<(), Refusal> {
        let mut parts: Vec<(u64, &mut [u8])> =
            parts.iter_mut().map(|(from, to)| (self.front + *from as u64, &mut **to)).collect();
        self.wire.down(&self.buffer, &mut parts)
    }

    fn gather(&self, places: &[usize], size: usize) -> Result<Vec<u8>, Refusal> {
        self.wire.pick(&self.buffer, Elements { front: self.front, size }, places)
    }

    fn upload(&self, at: usize, bytes: &[u8]) -> Result<(), Refusal> {
        self.put(self.front + at as u64, bytes)
    }

    fn fill(&self, at: usize, bytes: &[u8], times: usize) -> Result<(), Refusal> {
        let (at, total) = (self.front + at as u64, bytes.len() * times);
        let size = bytes.len() * 4;
        if total <= 2 * BLOCK.max(size) {
            return self.put(at, &bytes.repeat(times));
        }
        // From a word on, by whole words, as far as these go; the ends are put there.
        let head = (at.next_multiple_of(4) - at) as usize;
        let cycle: Vec<u8> = bytes.iter().copied().cycle().skip(head % bytes.len()).take(size).collect();
        let whole = (total - head) / size * size;
        let tail = total - head - whole;
        let first = at + head as u64;
        match cycle.iter().all(|byte| *byte == 0) {
            true => self.wire.clear(&self.buffer, first, whole as u64)?,
            false => {
                let block = cycle.repeat((BLOCK / size).max(1));
                self.wire.up(&self.buffer, first, &block)?;
                self.wire.repeat(&self.buffer, first, block.len() as u64, whole as u64)?;
            }
        }
        if head > 0 {
            self.put(at, &bytes.repeat(4)[..head])?;
        }
        match tail {
            0 => Ok(()),
            // What is left begins as a cycle does.
            tail => self.put(first + whole as u64, &cycle[..tail]),
        }
    }

    fn duplicate(&self) -> Result<Box<dyn Memory>, Refusal> {
        let buffer = self.wire.buffer(self.buffer.size(), Use::Stay.usages())?;
        let duplicate = Stay { buffer, ..self.clone() };
        self.copy_to(&duplicate)?;
        Ok(Box::new(duplicate))
    }
}

/// The bound part of a buffer, for the elements from byte `at` on: its beginning, as the device requires it, and the
/// number of the first element.
pub(crate) fn bound(at: u64, size: usize, alignment: u32) -> (u64, u64) {
    let step = step(size, alignment);
    let from = at / step * step;
    (from, (at - from) / size.max(1) as u64)
}

/// A binding begins at a multiple of this.
pub(crate) fn step(size: usize, alignment: u32) -> u64 {
    layout::common_multiple(u64::from(alignment).max(8), size.max(1) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_bound_begins_with_an_element() {
        assert_eq!(bound(0, 4, 256), (0, 0));
        assert_eq!(bound(1020, 4, 256), (768, 63));
        assert_eq!(bound(12 * 100, 12, 16), (1200, 0));
        assert_eq!(bound(12 * 101, 12, 256), (768, 37));
        assert_eq!(bound(3 * 1001, 3, 4), (3000, 1));
    }

    #[test]
    fn there_is_room_for_a_little_more() {
        assert_eq!(Beside::room(0, 1, 4), Beside { before: 0, after: 64 });
        assert_eq!(Beside::room(17, 0, 3), Beside { before: 96, after: 0 });
        assert_eq!(Beside { before: 64, after: 0 }.around(3), 96);
    }
}
