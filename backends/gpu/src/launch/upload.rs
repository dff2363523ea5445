//! The loop's arrays on their way up: shares that stay on the device, with what lies beside them or was asked for, and all
//! others.

use super::region::{Region, Resident};
use super::run::Run;
use super::spread::bins_of;
use crate::bins;
use crate::memory::residence::{self, Beside, Stay};
use crate::memory::usage::Use;
use crate::text::shape::LONGEST_SEARCH;
use crate::text::words;
use forall_core::device::{Launch, Part, Refusal, Resident as Shared, Valid};
use std::any::Any;

impl<'a> Run<'a> {
    /// Brings the arrays to the device.
    ///
    /// # Safety
    /// The parts are memory that may be read.
    pub(super) unsafe fn upload(&mut self) -> Result<Resident, Refusal> {
        let mut resident = Resident::default();
        let mut runs: Vec<[u32; 2]> = Vec::new();
        for (part, array) in self.launch.arrays.iter().zip(self.program.arrays) {
            let (size, number) = (array.element.size(), resident.arrays.len());
            let (held, begin) = match (self.share(number), part.sparse) {
                // SAFETY: the share is memory that the caller lends us.
                (Some(share), _) => unsafe { self.stay(part, &share, size)? },
                // SAFETY: the part has so many elements, which the caller lets us read.
                (None, None) => (self.put_long(unsafe { bytes_at(part.address, part.count * size) })?, 0),
                (None, Some(sparse)) => {
                    // SAFETY: as above.
                    let both = unsafe {
                        [bytes_at(part.address, part.count * size), bytes_at(sparse.address, sparse.count * size)]
                    };
                    (self.put_long(&both.concat())?, 0)
                }
            };
            resident.arrays.push(held);
            resident.begin.push(begin);
            resident.first_runs.push(runs.len());
            runs.extend(part.sparse.map_or(&[][..], |sparse| sparse.runs));
            if part.sparse.is_some_and(|sparse| number >= 64 || sparse.runs.len() >> (LONGEST_SEARCH + 1) > 0) {
                return Err(Refusal::Cannot("too many elements that it gathers from other ranks lie apart".into()));
            }
        }
        if !runs.is_empty() {
            resident.runs = Some(self.put_long(bytemuck::cast_slice(&runs))?);
        }
        for table in self.launch.tables {
            resident.tables.push(self.put_long(table)?);
        }
        let words = told(self.launch, &resident, self.leaves, self.groups);
        let bytes = 4 * words.len() as u64;
        self.words = Region::first(self.memory.constant(self.processor, words)?, bytes);
        let facts = self.shaders.facts(self.program, self.processor.long());
        let twice = self.program.running || !self.program.pushes.is_empty();
        for (number, held) in resident.arrays.iter().enumerate() {
            // What the device alone has is lost if an iteration raises something after others have written.
            let alone = self.share(number).is_some_and(|share| share.residence.valid() == Valid::Device);
            let writes = self.program.arrays[number].writes && self.launch.totals.is_none();
            let lost = alone && writes && self.raises;
            let before = match lost || (twice && facts.disturbs[number]) {
                true => Some(self.take(held.bytes, Use::Stay)?),
                false => None,
            };
            resident.before.push(before);
        }
        for (held, before) in resident.arrays.iter().zip(&resident.before) {
            if let Some(before) = before {
                self.copy(held, before);
            }
        }
        Ok(resident)
    }

    /// The share that stays on the device, of an array that is one.
    pub(super) fn share(&self, number: usize) -> Option<Shared<'a>> {
        share(self.launch, number)
    }

    /// A part of a share that stays, in the memory of the device, with what lies beside the share: what is bound, and the
    /// element of that with which the part begins.
    ///
    /// # Safety
    /// The share and the part are memory that nothing else touches.
    unsafe fn stay(&mut self, part: &Part<'_>, share: &Shared<'_>, size: usize) -> Result<(Region, u64), Refusal> {
        let (processor, bytes) = (self.processor, share.count * size);
        let (own, all) = (share.elements(), part.elements());
        let sparse = part.sparse.map_or(0, |sparse| sparse.count);
        let (before, after) = (own.start.saturating_sub(all.start), all.end.saturating_sub(own.end) + sparse);
        let beside = Beside::room(before, after, size);
        let known = share.residence.with_memory(|memory| {
            let memory: &dyn Any = &**memory.as_ref()?;
            memory.downcast_ref::<Stay>().filter(|known| known.is_of(processor) && known.bytes == bytes).cloned()
        });
        let valid = share.residence.valid();
        let mut fresh = |known: Option<&Stay>| {
            // A halo on one side that is gone may come back.
            let front = known.map_or(0, |known| known.front).max(beside.before);
            let size = Beside { before: front, ..beside }.around(bytes);
            Ok(Stay::new(processor, self.memory.take(processor, size, Use::Stay)?, front, bytes))
        };
        let stay = match (valid, known) {
            (Valid::Both | Valid::Device, Some(known)) if known.has(beside) => known,
            (Valid::Both | Valid::Device, Some(known)) => {
                let more = fresh(Some(&known))?;
                known.copy_to(&more)?;
                share.residence.with_memory(|memory| *memory = Some(Box::new(more.clone())));
                more
            }
            (valid, known) => {
                if valid == Valid::Device {
                    // Another device has it.
                    // SAFETY: the share is initialised memory that nothing else touches.
                    let all = unsafe { std::slice::from_raw_parts_mut(share.address, bytes) };
                    share.residence.with_memory(|memory| match memory {
                        Some(memory) => memory.download(&mut [(0, all)]),
                        None => Ok(()),
                    })?;
                }
                let stay = match known.filter(|known| known.has(beside)) {
                    Some(known) => known,
                    None => fresh(None)?,
                };
                // SAFETY: the share has so many bytes, which are valid now.
                self.wire().up(&stay.buffer, stay.front, unsafe { bytes_at(share.address, bytes) })?;
                share.residence.with_memory(|memory| *memory = Some(Box::new(stay.clone())));
                share.residence.uploaded();
                stay
            }
        };
        if before > 0 {
            // SAFETY: what lies before the share is in the host's memory.
            let halo = unsafe { bytes_at(part.address, before * size) };
            stay.put(stay.front - halo.len() as u64, halo)?;
        }
        if after > 0 {
            let address = match part.sparse {
                Some(sparse) => sparse.address,
                None => part.address.wrapping_add((own.end - all.start) * size),
            };
            // SAFETY: what lies after the share is in the host's memory.
            stay.put(stay.front + bytes as u64, unsafe { bytes_at(address, after * size) })?;
        }
        let at = (stay.front + ((all.start + before).saturating_sub(own.start) * size) as u64) - (before * size) as u64;
        let (from, begin) = residence::bound(at, size, processor.limits.min_storage_buffer_offset_alignment);
        let bytes = (at - from + ((part.count + sparse) * size) as u64).max(16).next_multiple_of(8);
        Ok((Region { buffer: stay.buffer, from, bytes }, begin))
    }
}

/// The share of an array; one without elements of the part has nothing to stay.
fn share<'a>(launch: &Launch<'a>, number: usize) -> Option<Shared<'a>> {
    let part = launch.arrays[number].elements();
    let has = |share: &Shared<'_>| share.elements().start.max(part.start) < share.elements().end.min(part.end);
    launch.arrays[number].share.filter(has)
}

/// So many bytes there; none where there are none, wherever that is.
///
/// # Safety
/// They may be read for as long as the slice lives.
unsafe fn bytes_at<'a>(address: *const u8, count: usize) -> &'a [u8] {
    match count {
        0 => &[],
        // SAFETY: the caller's promise.
        count => unsafe { std::slice::from_raw_parts(address, count) },
    }
}

/// Sizes and values, as the shader looks for them.
fn told(launch: &Launch<'_>, resident: &Resident, leaves: u64, groups: u64) -> Vec<u32> {
    let program = launch.program;
    let mut all = vec![0; words::total(program).next_multiple_of(4)];
    all[words::START] = launch.positions.start as u32;
    all[words::COUNT] = launch.positions.len() as u32;
    all[words::LEAVES] = leaves as u32;
    all[words::GROUPS] = groups as u32;
    all[words::SEEDED] = launch.state.is_some().into();
    for (number, part) in launch.arrays.iter().enumerate() {
        let at = words::array(number);
        let (begin, runs) = (resident.begin[number] as u32, resident.first_runs[number] as u32);
        all[at..at + 4].copy_from_slice(&[part.first as u32, part.count as u32, part.len as u32, begin]);
        // The end of the runs is none.
        all[at + 4..at + 6].copy_from_slice(&[runs, part.sparse.map_or(0, |sparse| sparse.runs.len() as u32 - 1)]);
    }
    for (number, (table, element)) in launch.tables.iter().zip(program.tables).enumerate() {
        all[words::table(program, number)] = (table.len() / element.size().max(1)) as u32;
    }
    let mut first = 0;
    for (number, (of, count)) in bins_of(launch).enumerate() {
        let at = words::bins(program, number);
        all[at..at + 2].copy_from_slice(&[count as u32, first]);
        // Where a workgroup holds them, which is none of those that take two words at once.
        first += (count as usize * bins::words(of, false)) as u32;
    }
    let mut rest = launch.values;
    for (number, of) in program.values.iter().enumerate() {
        let mut at = words::value(program, number);
        for base in of.scalars() {
            let value;
            (value, rest) = rest.split_at(base.size().min(rest.len()));
            let end = at + words::of_scalar(base);
            bytemuck::cast_slice_mut::<u32, u8>(&mut all[at..end])[..value.len()].copy_from_slice(value);
            at = end;
        }
    }
    all
}
