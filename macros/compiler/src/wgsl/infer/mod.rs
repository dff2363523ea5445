//! The types of nodes: what follows from what is done with values, and what a program asks for when it runs first.

pub mod operators;
mod questions;
pub mod types;
pub mod unknowns;
pub mod written;
