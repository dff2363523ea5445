//! Index expressions in abstract form: as code that evaluates them over `Index`, and as polynomials.

mod counters;
mod facts;
mod known;
pub mod poly;
mod quotients;
mod scope;
mod shapes;
pub mod small_cases;
#[cfg(test)]
mod tests;

pub use facts::{Fact, facts};
pub use scope::{Known, Local, Scope, emit};
