//! Communication between ranks.
//!
//! [`Comm`] is the interface of a backend: the ranks, and operations that move bytes. The collectives in [`collective`] are written once over
//! it.

pub mod collective;
mod local;
mod metered;
mod patience;
mod seam;
mod sim;
mod solo;
mod transit;

pub use local::Local;
pub use metered::{Metered, Traffic};
pub(crate) use patience::place;
pub use patience::{Awaited, Patience, Place, Stall, set_place, set_stall};
pub use seam::{Came, Comm, FailedAt, Mark, OverlappedWork, Stream};
pub use sim::{Machine, Sent, Sim};
pub use solo::Solo;
pub use transit::Transit;
