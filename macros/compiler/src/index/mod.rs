//! Index expressions in abstract form: as code that evaluates them over `Index`, and as polynomials.

mod counters;
mod facts;
mod holds;
mod known;
mod points;
pub mod poly;
mod quotients;
mod scope;
mod shapes;
pub mod small_cases;
#[cfg(test)]
mod tests;
pub mod triangles;
mod value;

pub use counters::{Bound, LoopCounter, counter_variable};
pub use points::Points;
pub use scope::{HeldValues, Known, Meaning, Outside, Scope};
pub use value::{Before, Held, Invariant, Value, Variable, compute, depends_on_position, emit};
