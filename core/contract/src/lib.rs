//! What the loop compiler tells the runtime of a loop, in words that both know: it writes a [`Program`] for devices, with the [`Type`]s of
//! what the program reads and leaves, and [`Ask`]s for those that only the program finds out.
//!
//! This crate depends on nothing, so that both sides can have it.
//!
//! # What a program's text defines
//! `p` is a position; `State` holds what the accumulators of the loop have so far. Its fields that are `usize` or `isize` are
//! `vec2<u32>`: their 64 bits, the lower ones first.
//!
//! | name | where | is |
//! |---|---|---|
//! | `struct State { f0: .., f1: .. }` | with accumulators | a field for each entry of [`Program::state`]; `bool` is held as `u32` |
//! | `fn fa_identity() -> State` | with accumulators | the operators' identities |
//! | `fn fa_merge(earlier: State, later: State) -> State` | with accumulators | both, in order |
//! | `fn fa_iteration(p: u32)` or `fn fa_iteration(p: u32, s: ptr<function, State>)` | always | the whole body |
//! | `fn fa_total(p: u32, s: ptr<function, State>)` | where [`Program::running`] | the part of the body that the running values depend on |
//! | `fn fa_total_L(p: u32, s: ptr<function, State>)` | for each level `L` above 0 | the same for the running values of the level: those of lower levels are values in `s`, and the fields of higher ones stay what they are |
//! | `fn fa_advance(value: State, chunk: State) -> State` | where [`Program::running`] | the running value after a chunk |
//!
//! A `State` is a *chunk*, what some positions that follow each other have together, from `fa_identity()` on; chunks merge.
//! Where the loop is a scan, there is also the running *value* before a position: `fa_iteration` gets that in `s`, and
//! `fa_advance` takes it past a chunk. What `fa_iteration` leaves in `s` is the value before the next position.
//!
//! The body may run several times for a position: a device counts pushes, or adds up totals, before it does what counts. An
//! element that an iteration reads after it wrote it has the new value each time, and all others have the old ones.
//!
//! A call of one of the author's functions names the arrays whose parts it hands over: see the functions of a `Program`.
//!
//! # What the device defines for it
//! `K` is the number of an entry, from 0. Integers of 8 and 16 bits are held as `i32` and `u32`, `usize` as `u32`, `isize` as
//! `i32`, `f16` as `f32`, `bool` as `bool`. [`usize::MAX`] is held as `0xffffffff`; any other `usize` that has no room below that raises
//! [`Cause::Wide`].
//!
//! | name | is |
//! |---|---|
//! | `fa_load_K(i: u32) -> T`, `fa_store_K(i: u32, v: T)`, `fa_len_K() -> u32` | [`Program::arrays`], by global index; the global length |
//! | `fa_value_K() -> T` | [`Program::values`] |
//! | `fa_table_K(i: u32) -> T`, `fa_table_len_K() -> u32` | [`Program::tables`] |
//! | `fa_push_K(v: T)` | [`Program::pushes`] |
//! | `fa_bin_K(i: u32, v: T)`, `fa_bins_len_K() -> u32` | [`Program::bins`]: puts a value into a bin; how many bins there are |
//! | `fa_raise(cause: u32)` | the iteration panics in Rust, for the [`Cause`]; it goes on with any values, and what it raises later does not count |
//! | `fa_trip() -> bool` | called at the start of each turn of a loop in the body; the loop ends where it is true, as it is once the iteration raised |
//! | `fa_OP_TYPE(..)` | operators and methods that WGSL lacks or does otherwise; TYPE is Rust's name of the type |

pub mod dependence;
mod program;
mod question;
mod types;

pub use program::{Array, Bins, Call, Cause, Operator, Program, Touched};
pub use question::{Ask, Source, Taken};
pub use types::{Compared, Literal, Struct, Type};
