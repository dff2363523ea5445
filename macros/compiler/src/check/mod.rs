//! What is refused around the loops.

pub mod arrays;
pub mod outside;
