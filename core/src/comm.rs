//! Ranks: who they are and how bytes move between them.
//!
//! [`Comm`] is the whole seam: a backend says who it is and moves bytes; the collectives in
//! [`collective`] are written once over it.

pub mod collective;
mod local;
mod metered;
mod seam;
mod solo;

pub use local::Local;
pub use metered::{Metered, Traffic};
pub use seam::Comm;
pub use solo::Solo;
