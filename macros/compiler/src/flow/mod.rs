//! The control flow of a body, and data-flow problems over it.
//!
//! A [`Graph`] has a step for each access to a variable, in the order of evaluation. A problem ([`solve`]) says how a step changes a fact, and
//! how the facts of two paths join; `Graph::solve` is the only fixpoint iteration of the compiler over control flow. The problems:
//! whether a variable has a value of the same iteration ([`fresh`]), and whether later code reads it ([`live`]).
//!
//! Where the order of statements does not count, [`Definitions`] are the code that gives each variable a value, and [`aliases`] the names that
//! may mean one place. All that follows from them is reachability in a [`Relation`].

mod access;
pub mod aliases;
mod build;
mod definitions;
mod dependences;
pub mod fresh;
mod graph;
pub mod live;
mod relation;
mod solve;
#[cfg(test)]
mod tests;

pub use access::{Access, Form, Link, way};
pub use build::hands_out;
pub use definitions::{Definition, Definitions, Form as DefinitionForm, indices};
pub use dependences::{Needed, all_variables};
pub use fresh::{Fresh, Level};
pub use graph::Graph;
pub use live::Live;
pub use relation::Relation;
