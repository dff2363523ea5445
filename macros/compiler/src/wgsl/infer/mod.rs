//! The types of nodes: what follows from what is done with values, and the queries that the runtime answers when a program first runs.

pub mod operators;
mod queries;
pub mod types;
pub mod unknowns;
pub mod written;
