//! Devices with their own memory, such as graphics processors.
//!
//! The macro translates a loop's body to WGSL, and emits a [`Program`]. A [`Device`] builds a shader from it and runs the shader over
//! positions. The program defines an iteration. The device distributes iterations over invocations and merges their results. The driver
//! ([`crate::fold`]) decides which elements they access, as on any node.
//!
//! [`forall_contract`] defines the language of programs, and the functions that a device provides.

mod composing;
mod functions;
mod known;
mod launch;
mod operators;
mod queries;
mod refusal;
mod residence;
mod seam;
mod sorting;
mod tuples;
mod variants;
mod words;

pub use crate::element::Element;
pub(crate) use composing::composed;
pub use forall_contract::{
    Array, Bins, Call, Cause, Compared, Literal, Operator, Program, Query, Source, Struct, Taken, Touched, Type,
};
pub use functions::{Called, Callee, Callees, Constant, Function, id_of, inventory, noted};
pub use known::{
    Elements, ElementsKnown, ElementsUnknown, Found, Known, Maker, Probe, ProbeKnown, ProbeUnknown, Table, TypeOf,
    known, leaked, length_within, opened,
};
pub use launch::{Launch, Outcome, Part, Received, Resident, Sparse};
pub(crate) use queries::{differs, is, resolved};
pub use refusal::Refusal;
pub use residence::{Memory, Moved, Residence, Valid};
pub use seam::{Costs, Device};
pub use sorting::{Sorting, Words};
pub use tuples::{Parted, lasting};
pub use variants::Variants;

/// The traits with which expansions inspect types by method resolution.
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
