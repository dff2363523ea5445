//! `#[gather]`: reads at places that only the data know (`x[index[i]]`), fetched from their owners in two phases.
//!
//! First the part of the body that computes the indices runs by itself over this rank's iterations, and notes them in an
//! [`Asks`]. Then each rank asks the owners for the elements that it noted, once each, and the loop runs on what came.
//! One rank by itself reads the array where it is.
//!
//! Here is what ranks ask for (`asked`), how they say so (`requests`), and who gives what to whom (`schedule`). The array itself is a
//! [slot](crate::slot) as all others, and the two phases belong to the [drivers](crate::fold).

pub(crate) mod asked;
pub(crate) mod requests;
pub(crate) mod schedule;

pub use asked::{Asked, Asker, Asks, Indices};
pub use schedule::{Schedule, captured};
