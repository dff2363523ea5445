//! A whole program of a loop, or of a function: its state, what it captures, and the text.

mod accumulators;
mod captured;
pub mod functions;
mod histograms;
pub mod loops;
mod state;
