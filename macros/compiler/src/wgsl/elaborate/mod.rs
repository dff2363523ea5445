//! From the author's expressions to typed nodes.
//!
//! [`annotated`] goes through a function with a loop, [`marked_function`] through one for devices. The walk
//! ([`context::Elaborate`]) is made of pieces, each with one job:
//!
//! | piece | knows |
//! |---|---|
//! | `names` (`environment`) | what names stand for |
//! | `types` (`infer`) | the types of nodes, as far as they have been found |
//! | `locals` | the variables of the body; it holds values that are used more than once |
//! | `exits` | where `break`, `continue` and `return` lead to |
//! | `captured` | what is outside of the loop and iterations read |
//! | `outputs` | what iterations write to |
//! | `form` | whether all of the body is wanted, or what running values depend on |
//!
//! Each of the other files goes through one sort of expressions as methods of the walk, and comes back to its `expr` for those
//! inside of them. What needs no more than a piece is a method of that. Methods of std are in `std`, a file for each sort of
//! receiver.

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
mod environment;
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
mod scrutinee;
mod statements;
mod std;
mod structs;
mod updates;
