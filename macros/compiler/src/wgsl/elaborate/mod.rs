//! From the user's expressions to typed nodes.
//!
//! [`annotated`] walks through a function with a loop, [`marked_function`] through a function for devices. The walk
//! ([`context::Elaborate`]) has fields with one role each:
//!
//! | field | holds |
//! |---|---|
//! | `input` | the function and the plan of its loop |
//! | `names` (`environment`) | the meanings of names |
//! | `types` (`infer`) | the types of nodes, as far as they are known |
//! | `locals` | the variables of the body, and values that are used more than once |
//! | `exits` | the targets of `break`, `continue` and `return` |
//! | `captured` | values, arrays and functions outside of the loop |
//! | `outputs` | arrays and accumulators that iterations write |
//! | `form` | whether the walk translates all of the body, or the part that running values depend on |
//! | `inlining` | closures and functions whose bodies stand in place of calls |
//!
//! Each of the other files translates one kind of expressions by methods of the walk, which call its `expr` for the expressions inside.
//! A method that needs only one field belongs to that. The methods of std are in `std`, where the call is a type of its own.

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
mod tasks;
mod updates;
