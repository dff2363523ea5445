//! Ranks: who they are and how bytes move between them.
//!
//! [`Comm`] is the whole seam: a backend says who it is and moves bytes; the collectives in
//! [`collective`] are written once over it.

pub mod collective;
mod local;
mod metered;
mod patience;
mod seam;
mod sim;
mod solo;

pub use local::Local;
pub use metered::{Metered, Traffic};
pub(crate) use patience::place;
pub use patience::{Awaited, Patience, Place, Stall, set_place, set_stall};
pub use seam::{Came, Comm, FailedAt, Mark, OverlappedWork};
pub use sim::{Machine, Sent, Sim};
pub use solo::Solo;
