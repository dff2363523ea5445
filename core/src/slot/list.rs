//! The arrays of a loop: a list of slots, and the addresses in them that its workers share.

use crate::data::Layout;
use crate::device::Part;
use crate::gather::asked::Asked;
use crate::gather::schedule::Schedule;
use crate::runtime::Context;
use std::ops::Range;

/// The arrays of a loop: nested pairs of slots, `(x, (out, ()))`.
pub trait Slots {
    /// The addresses, for the workers.
    type Windows: Windows;

    /// Visits every array in order.
    fn each(&mut self, visit: &mut dyn FnMut(&mut dyn Slot));

    /// The windows, once every array is open.
    fn windows(&mut self) -> Self::Windows;

    /// The memory of all arrays, for a device, once every array is open.
    fn parts<'p>(&'p self, to: &mut Vec<Part<'p>>);
}

/// One array of a loop, whatever its element.
pub trait Slot {
    /// Where its elements are.
    fn place(&self) -> &Layout;

    /// Whether the loop writes it.
    fn writes(&self) -> bool;

    /// Fetches what this rank's iterations need: `hulls[r]` are the elements that rank `r` may touch.
    fn open(&mut self, context: &Context, hulls: &[Range<usize>]);

    /// Sends back what this rank's iterations wrote to elements of other ranks.
    fn close(&mut self, context: &Context, hulls: &[Range<usize>]);

    /// The memory that this rank's iterations touch, for a device.
    fn part(&self) -> Part<'_>;

    /// Makes the host's copy of the elements valid, and the only one where the loop writes.
    fn bring_back(&mut self);

    /// The version of the share, where it has one and the loop cannot change it.
    fn version(&self) -> Option<u64> {
        None
    }

    /// Tells the others what this rank's iterations ask for, and learns what they ask for.
    fn schedule(&self, _: &Context, _: Asked) -> Option<Schedule> {
        None
    }

    /// Fetches that, and gives the others what they ask for.
    fn receive(&mut self, _: &Context, _: &Schedule) {}
}

/// The addresses of a loop's arrays, shared by its workers.
pub trait Windows: Copy + Send + Sync {
    /// Slices with the proof that indices lie inside.
    type Fast<'w>;
    /// Views that check each index.
    type Checked<'w>;

    /// Whether a window holds single elements, packed: then only the checked form of the arrays finds them.
    fn scattered(&self) -> bool;

    /// Visits what each window holds.
    fn held(&self, visit: &mut dyn FnMut(Range<usize>));

    /// The arrays for iterations that touch only `hulls[k]` of array `k`.
    ///
    /// # Safety
    /// The loop's arrays are open for `'w`; the iterations touch only `hulls`, which lie inside the windows; nothing else
    /// touches the hulls of written arrays meanwhile, nor writes those of read ones.
    unsafe fn fast<'w>(&self, hulls: &[Range<usize>]) -> Self::Fast<'w>;

    /// The arrays for any iterations.
    ///
    /// # Safety
    /// The loop's arrays are open for `'w`, and no two iterations that run at the same time touch the same element if one
    /// of them writes it.
    unsafe fn checked<'w>(&self) -> Self::Checked<'w>;
}

impl Slots for () {
    type Windows = ();
    fn each(&mut self, _: &mut dyn FnMut(&mut dyn Slot)) {}
    fn windows(&mut self) {}
    fn parts<'p>(&'p self, _: &mut Vec<Part<'p>>) {}
}

impl Windows for () {
    type Fast<'w> = ();
    type Checked<'w> = ();
    fn scattered(&self) -> bool {
        false
    }
    fn held(&self, _: &mut dyn FnMut(Range<usize>)) {}
    unsafe fn fast<'w>(&self, _: &[Range<usize>]) -> Self::Fast<'w> {}
    unsafe fn checked<'w>(&self) -> Self::Checked<'w> {}
}
