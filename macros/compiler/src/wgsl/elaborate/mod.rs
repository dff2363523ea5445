//! From the author's expressions to typed nodes.
//!
//! [`context`] holds what is known on the way. Each of the other files goes through one sort of expressions, and comes back to
//! `expr` for those inside of it.

mod accumulators;
pub mod annotated;
mod array_copies;
mod arrays;
mod calls;
pub mod captured;
mod closures;
mod constants;
pub mod context;
mod control;
mod exits;
mod expressions;
mod grids;
mod header;
mod histograms;
mod items;
mod iterators;
mod known_calls;
mod locals;
mod macros;
pub mod marked;
pub mod marked_function;
pub mod merges;
mod names;
mod patterns;
mod places;
mod ranges;
mod scope;
mod scrutinee;
mod statements;
mod std;
mod structs;
mod updates;
