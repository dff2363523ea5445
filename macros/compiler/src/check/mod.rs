//! What is refused around the loops.

pub mod outside;
