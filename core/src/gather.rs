//! `#[gather]`: reads at indices that depend on data (`x[index[i]]`). An inspector and an executor fetch the elements.
//!
//! The inspector is the part of the body that computes the indices. It runs over this rank's iterations and records the indices in
//! [`Requests`]. Then each rank fetches each requested element once from its owner, and the loop runs. A single rank reads the array
//! directly.
//!
//! `requested` holds the requested indices, `message` the messages with them, and `schedule` the communication schedule. The array is a
//! [slot](crate::slot). The [drivers](crate::fold) run the two phases.

pub(crate) mod message;
pub(crate) mod requested;
pub(crate) mod schedule;

pub use requested::{Indices, Requested, Requester, Requests};
pub use schedule::{Schedule, captured};
