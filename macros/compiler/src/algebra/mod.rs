//! The transfer functions of loop-carried variables: how one iteration changes them together.
//!
//! [`dependences`] finds the variables that are computed from each other. [`tracked`] follows their values through a body, and
//! [`transfer`] reads an expression as a function of them. [`system`] finds the semiring in which this function composes: sums and
//! products, sums and maxima or minima, or one variable between bounds. [`machine`] is for variables that take a finite number of
//! values, and [`choice`] for those that keep the best of values.

mod choice;
mod dependences;
mod machine;
mod system;
mod tracked;
mod transfer;
pub mod updates;

pub use choice::{Choice, Kept, choice, has_comparing_method};
pub use dependences::{Dependences, depends};
pub use machine::machine;
pub use system::{System, system};
pub use tracked::bound_in;

#[cfg(test)]
mod tests;
