//! The arrays of a loop on this rank: what its iterations need is fetched before, what they wrote elsewhere is sent after.
//!
//! A loop has a list of slots ([`Slots`]), one for each array. `exchange` moves elements between ranks; `array` and
//! `gather` are the two kinds of slots.
//!
//! Where a device has the shares, only the indices that a gather computes come to the host, and only the elements that others ask for leave
//! their owner's device. Those that this rank asked for, and that do not lie beside each other, a device gets behind the share,
//! with where they are in the array ([`device::Apart`](crate::device::Apart)).

mod array;
mod exchange;
mod gather;
mod list;

pub use array::{ReadSlot, WriteSlot};
pub use gather::{GatherSlot, Gathered};
pub(crate) use list::Windows;
pub use list::{List, Need, Opened, Slot, Slots, Way};
