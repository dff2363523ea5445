//! The results of a launch, on their way to the host.

use super::passes::Left;
use super::read::raised;
use super::region::{Region, Resident};
use super::run::Run;
use super::spread::{bins_of, cell_size};
use crate::bins;
use crate::layout;
use forall_core::device::{Outcome, Refusal, Valid};

/// Bytes that go from the device to a place in the host's memory.
struct Way {
    held: Region,
    /// How many bytes of that are not meant, before those that are.
    skipped: usize,
    bytes: usize,
    address: *mut u8,
}

impl Run<'_> {
    /// Runs the passes and brings what they left.
    ///
    /// # Safety
    /// As for [`Gpu::launch`].
    pub(super) unsafe fn compute(&mut self, resident: &Resident) -> Result<Outcome, Refusal> {
        match self.passes(resident)? {
            // SAFETY: as the caller promises.
            Ok(left) => unsafe { self.download(resident, &left) },
            Err(raised) => Ok(Outcome { raised: Some(raised), ..Outcome::default() }),
        }
    }

    /// Makes the shares that stay what they were before, after a launch that did not come to its end.
    pub(super) fn take_back(&mut self, resident: &Resident) {
        self.memory.flags_changed();
        self.steps.clear();
        for (number, array) in self.program.arrays.iter().enumerate() {
            let Some(share) = self.share(number).filter(|_| array.writes) else { continue };
            match &resident.before[number] {
                Some(before) if self.submitted => self.copy(before, &resident.arrays[number]),
                Some(_) => {}
                // It cannot be that some positions raised something and others wrote.
                None if share.residence.valid() == Valid::Device => {}
                // The host has it too.
                None => share.residence.with_memory(|memory| *memory = None),
            }
        }
        if let Err(error) = self.submit() {
            tracing::error!(%error, "shares may be lost");
        }
    }

    /// Brings the results to the host, unless an iteration raised something.
    ///
    /// # Safety
    /// The parts of arrays that are written are memory that nothing else touches.
    pub(super) unsafe fn download(&mut self, resident: &Resident, left: &Left) -> Result<Outcome, Refusal> {
        let (stay, written): (Vec<usize>, Vec<usize>) = match self.launch.totals.is_some() {
            true => (Vec::new(), Vec::new()),
            false => (0..self.program.arrays.len())
                .filter(|array| self.program.arrays[*array].writes)
                .partition(|array| self.share(*array).is_some()),
        };
        let mut ways: Vec<Way> = Vec::new();
        for array in written {
            let part = &self.launch.arrays[array];
            let bytes = part.count * self.program.arrays[array].element.size();
            ways.push(Way { held: resident.arrays[array].clone(), skipped: 0, bytes, address: part.address });
        }
        for array in &stay {
            ways.extend(self.beside(*array, resident));
        }
        ways.retain(|way| way.bytes > 0);
        let mut wanted = vec![self.flags.clone()];
        wanted.extend(left.states.iter().cloned());
        wanted.extend(left.pushes.iter().map(|(held, _)| held.clone()));
        wanted.extend(left.bins.iter().cloned());
        wanted.extend(ways.iter().map(|way| way.held.clone()));
        let wrote = |this: &Self| {
            for share in stay.iter().filter_map(|array| this.share(*array)) {
                share.residence.device_wrote();
            }
        };
        if wanted.len() == 1 && !self.raises && !self.launch.timed {
            // There is nothing to learn: the host need not wait.
            let index = self.submit()?;
            wrote(self);
            self.memory.queued(self.processor, index)?;
            return Ok(Outcome::default());
        }
        let read = self.read(&wanted)?;
        let mut numbers = 0..wanted.len();
        let mut next = || read.bytes(numbers.next().unwrap_or(usize::MAX));
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
            let views = ways.iter().map(|_| next()).collect::<Result<Vec<_>, _>>()?;
            for (way, view) in ways.iter().zip(views) {
                let bytes = &view[way.skipped..way.skipped + way.bytes];
                // SAFETY: there is room for so many bytes, which are ours to write, and the device's are elsewhere.
                unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), way.address, bytes.len()) };
            }
            wrote(self);
        }
        Ok(outcome)
    }

    /// The writes of iterations beside a share that stays, on their way to the host.
    fn beside(&self, array: usize, resident: &Resident) -> Vec<Way> {
        let (part, size) = (&self.launch.arrays[array], self.program.arrays[array].element.size());
        let Some(own) = self.share(array).map(|share| share.elements()) else { return Vec::new() };
        let (all, bound) = (part.elements(), &resident.arrays[array]);
        let before = all.start..own.start.max(all.start);
        let after = own.end.min(all.end)..all.end;
        let way = |elements: std::ops::Range<usize>| {
            let skipped = (elements.start - all.start) * size;
            let at = bound.from + resident.begin[array] * size as u64 + skipped as u64;
            let (from, bytes) = (at & !7, elements.len() * size);
            let held =
                Region { buffer: bound.buffer.clone(), from, bytes: (at - from + bytes as u64).next_multiple_of(8) };
            Way { held, skipped: (at - from) as usize, bytes, address: part.address.wrapping_add(skipped) }
        };
        [before, after].into_iter().filter(|elements| !elements.is_empty()).map(way).collect()
    }
}
