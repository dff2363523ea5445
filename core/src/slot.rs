//! The arrays of a loop on this rank. Slots receive remote elements before the loop, and send remote writes after it.
//!
//! A loop has a list of slots ([`Slots`]), one for each array. `exchange` moves elements between ranks. `array` and `gather` are the two
//! kinds of slots.
//!
//! If a device has the shares, only the requested indices are copied to the host, and only requested elements leave their owner's device.
//! The device receives gathered elements behind the share, with their indices ([`device::Sparse`](crate::device::Sparse)).

mod array;
mod exchange;
mod gather;
mod list;

pub use array::{ReadSlot, WriteSlot};
pub use gather::{GatherSlot, Gathered};
pub(crate) use list::Windows;
pub use list::{List, Need, Opened, Slot, Slots, Way};
