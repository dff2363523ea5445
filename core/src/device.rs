//! What a device with a memory of its own, such as a graphics processor, is told about a loop.
//!
//! The macro translates a loop's body to WGSL when it expands, and leaves a [`Program`]. A [`Device`] builds a shader around
//! it and runs it over positions. What one iteration does is the program's, how iterations are spread and merged is the
//! device's, and which elements they may touch is the driver's ([`crate::fold`]), as on every other node.
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
//! A call of one of the author's functions names the arrays whose parts it hands over: see [`Function`].
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

mod asks;
mod composing;
mod functions;
mod known;
mod launch;
mod operators;
mod program;
mod refusal;
mod residence;
mod seam;
mod tuples;
mod types;
mod variants;
mod words;

pub use crate::element::Element;
pub(crate) use asks::{differs, is, resolved};
pub(crate) use composing::composed;
pub use functions::{Callee, Callees, Constant, Function, id_of, inventory, noted};
pub use known::{
    Elements, ElementsKnown, ElementsUnknown, Found, Known, Maker, Probe, ProbeKnown, ProbeUnknown, Table, kept, known,
    length_within, opened,
};
pub use launch::{Apart, Held, Launch, Outcome, Part, Received};
pub use program::{Array, Ask, Bins, Call, Cause, Operator, Program, Source, Taken, Touched};
pub use refusal::Refusal;
pub use residence::{Memory, Moved, Residence, Valid};
pub use seam::{Costs, Device};
pub use tuples::{Parted, lasting};
pub use types::{Struct, Type};
pub use variants::{Compared, Variants};

/// The traits by which expansions ask for types: what is found depends on what a type is.
pub mod probes {
    pub use super::known::{
        ElementsKnown as _, ElementsUnknown as _, ProbeKnown as _, ProbeUnknown as _, TableOfArray as _,
        TableOfArrayBehind as _, TableOfSlice as _, TableOfVecBehind as _, TableUnknown as _,
    };
    pub use super::tuples::{
        PartsOfArray as _, PartsOfArrayBehind as _, PartsOfSlice as _, PartsOfVecBehind as _, PartsUnknown as _,
    };
    pub use super::variants::{
        VariantsCompared as _, VariantsInOrder as _, VariantsMatched as _, VariantsSomehow as _, VariantsUnordered as _,
    };
}
