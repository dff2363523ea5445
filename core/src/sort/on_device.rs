//! Sorting on the device of a node.
//!
//! A device sorts numbers of 32 or 64 bits, or indices by such keys. The workers sort everything else, and also if the device refuses.

use super::number::{Numbers, Word};
use super::workers::Workers;
use crate::call::Call;
use crate::device::{Costs, Device, Residence, Sorting, Valid, Words};
use crate::fold::refused;
use crate::settings::Backend;

/// The time to sort a byte of a number on the workers, and on a device, in picoseconds: estimates.
const HERE: u64 = 3_000;
const THERE: u64 = 200;

/// Sorts numbers, if a device does.
pub(super) fn numbers<K: Copy>(workers: Workers<'_>, elements: &mut [K], numbers: &Numbers<K>) -> bool {
    let Some(call) = workers.call() else { return false };
    let sorting = Sorting {
        address: elements.as_mut_ptr().cast(),
        count: elements.len(),
        size: size_of::<K>(),
        share: None,
        words: numbers.for_device(),
        places: None,
    };
    // SAFETY: these are the elements, numbers of that size, and borrowed alone.
    unsafe { sorts(call, sorting) }
}

/// Sorts numbers that may stay on the device.
///
/// # Safety
/// There are `count` numbers of this type at the address, nothing else refers to them, and they are the share of this residence.
pub(super) unsafe fn resident<K>(
    call: &Call,
    address: *mut u8,
    count: usize,
    share: &Residence,
    numbers: &Numbers<K>,
) -> bool {
    let (size, words) = (size_of::<K>(), numbers.for_device());
    let stays = call.context().node().device().is_some_and(|device| device.holds(count * size));
    let sorting = Sorting { address, count, size, share: Some(share), words, places: None };
    // SAFETY: the caller's promise.
    stays && unsafe { sorts(call, sorting) }
}

/// The original index of each element in sorted order, if a device can sort. `words` computes all keys.
pub(super) fn places<W: Word>(workers: Workers<'_>, count: usize, words: &dyn Fn() -> Vec<W>) -> Option<Vec<u32>> {
    let call = workers.call()?;
    chosen(call, count, size_of::<W>(), true)?;
    let mut words = words();
    let mut places = vec![0; count];
    let sorting = Sorting {
        address: words.as_mut_ptr().cast(),
        count,
        size: size_of::<W>(),
        share: None,
        words: Words { flips: 0, sign: 0 },
        places: Some(&mut places),
    };
    // SAFETY: the words are unsigned numbers of that size, and as many as the places.
    unsafe { sorts(call, sorting) }.then_some(places)
}

/// The device, if it may sort such numbers and this is expected to be faster.
fn chosen(call: &Call, count: usize, size: usize, moves: bool) -> Option<&dyn Device> {
    let (node, settings) = (call.context().node(), call.context().settings());
    let device = node.device().filter(|_| matches!(size, 4 | 8))?;
    if settings.backend == Backend::Auto {
        let Costs { launch, byte } = device.costs();
        let bytes = (count * size) as u64;
        let there = 4 * launch + bytes * if moves { THERE + 2 * byte } else { THERE };
        if device.simulated() || there >= HERE * bytes / node.workers() as u64 {
            return None;
        }
    }
    Some(device)
}

/// Lets the device sort. Returns `false` if it refuses.
///
/// # Safety
/// As [`Device::sort`].
unsafe fn sorts(call: &Call, sorting: Sorting<'_>) -> bool {
    let (count, size) = (sorting.count, sorting.size);
    let moves = sorting.share.is_none_or(|share| share.valid() == Valid::Host);
    let Some(device) = chosen(call, count, size, moves) else { return false };
    // SAFETY: the caller's promise.
    let refusal = unsafe { device.sort(sorting) }.err();
    if call.context().settings().explain && call.context().rank() == 0 {
        let name = call.meta.name;
        crate::explain::decided(match &refusal {
            None => format!("`{name}`: {} sorts numbers of {size} bytes", device.name()),
            Some(refusal) => format!("`{name}`: the processor's cores sort: {refusal}"),
        });
    }
    if let Some(refusal) = &refusal {
        refused(call, call.meta.name, refusal);
    }
    refusal.is_none()
}
