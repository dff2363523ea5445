//! The interface between the loop compiler and the runtime. The compiler writes a [`Program`] for devices, with the [`Type`]s of its inputs
//! and results, and a [`Query`] for each type that is known only at run time.
//!
//! This crate has no dependencies, so that the compiler and the runtime can both use it.
//!
//! # Definitions in a program's text
//! `p` is a position. `State` holds the values of the loop's accumulators. Its fields of type `usize` or `isize` are
//! `vec2<u32>`: the lower 32 bits, then the upper ones.
//!
//! | name | where | is |
//! |---|---|---|
//! | `struct State { f0: .., f1: .. }` | with accumulators | a field for each entry of [`Program::state`]; `bool` is held as `u32` |
//! | `fn fa_identity() -> State` | with accumulators | the operators' identities |
//! | `fn fa_merge(earlier: State, later: State) -> State` | with accumulators | both, in order |
//! | `fn fa_iteration(p: u32)` or `fn fa_iteration(p: u32, s: ptr<function, State>)` | always | the whole body |
//! | `fn fa_total(p: u32, s: ptr<function, State>)` | if [`Program::running`] | the part of the body that the scan states depend on |
//! | `fn fa_total_L(p: u32, s: ptr<function, State>)` | for each level `L` above 0 | the same for the scan states of this level: in `s`, lower levels have their values, and the fields of higher levels stay unchanged |
//! | `fn fa_advance(value: State, chunk: State) -> State` | if [`Program::running`] | the scan state after a chunk |
//!
//! A `State` is the *chunk* result of consecutive positions, beginning with `fa_identity()`; chunks merge. If the loop is a scan, a `State` can
//! also be the scan *value* before a position. `fa_iteration` gets it in `s` and replaces it by the value before the next position.
//! `fa_advance` advances it past a chunk.
//!
//! The body may run several times for a position: a device first counts pushes or adds up totals, and then stores results. In each run, an
//! iteration that reads an element after writing it gets the new value. All other elements have their old values.
//!
//! A call of one of the user's functions names the arrays whose parts it passes: see the functions of a `Program`.
//!
//! # Definitions of the device
//! `K` is the number of an entry, from 0. Integers of 8 and 16 bits are held as `i32` and `u32`, `usize` as `u32`, `isize` as
//! `i32`, `f16` as `f32`, `bool` as `bool`. [`usize::MAX`] is held as `0xffffffff`. Any other `usize` that does not fit below that raises
//! [`Cause::Wide`].
//!
//! | name | is |
//! |---|---|
//! | `fa_load_K(i: u32) -> T`, `fa_store_K(i: u32, v: T)`, `fa_len_K() -> u32` | [`Program::arrays`], by global index; the global length |
//! | `fa_value_K() -> T` | [`Program::values`] |
//! | `fa_table_K(i: u32) -> T`, `fa_table_len_K() -> u32` | [`Program::tables`] |
//! | `fa_push_K(v: T)` | [`Program::pushes`] |
//! | `fa_bin_K(i: u32, v: T)`, `fa_bins_len_K() -> u32` | [`Program::bins`]: adds a value to a bin; the number of bins |
//! | `fa_raise(cause: u32)` | the iteration panics in Rust, for the [`Cause`]; it continues with arbitrary values, and its later causes are ignored |
//! | `fa_trip() -> bool` | called at the start of each iteration of a loop in the body; the loop ends if it is true, as it is after the iteration raised a cause |
//! | `fa_OP_TYPE(..)` | operators and methods that WGSL lacks or defines differently; TYPE is Rust's name of the type |

pub mod dependence;
mod program;
mod query;
mod types;

pub use program::{Array, Bins, Call, Cause, Operator, Program, Touched};
pub use query::{Query, Source, Taken};
pub use types::{Compared, Literal, Struct, Type};
