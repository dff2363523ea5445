//! The loop compiler of `forall`, as an ordinary library: what its attributes do with a function, from tokens to tokens.
//!
//! There is one folder for each stage, and a stage uses only those before it, in this order:
//!
//! | stage | does |
//! |---|---|
//! | `maps` | are the maps and sets of all stages |
//! | `language` | knows what methods of std and of `ndarray` do |
//! | `ir` | holds functions and loops as trees, names, text and diagnostics |
//! | `resolve` | finds which variable, item or label each word means |
//! | `front` | parses a function, lowers it to the IR and brings loops to one form |
//! | `flow` | builds the control-flow graph of a body, and solves data-flow problems over it |
//! | `index` | computes with index expressions |
//! | `plan` | says what is decided of a loop: plain data |
//! | `analysis` | finds out what a body does to each variable |
//! | `algebra` | finds variables that are computed from each other, and how their functions compose |
//! | `classify` | puts each variable into a class, or refuses the loop |
//! | `check` | refuses what is wrong around the loops |
//! | `wgsl` | translates a loop for graphics processors |
//! | `rust` | writes the calls into `forall-core` |
//! | `remedy` | looks for changes after which a rejected function is accepted |
//! | `entry` | runs the stages for each attribute |
//!
//! Use it through the facade `forall`, whose documentation describes the attributes.

mod algebra;
mod analysis;
mod check;
mod classify;
mod entry;
mod flow;
mod front;
mod index;
mod ir;
mod language;
mod maps;
mod plan;
mod remedy;
mod resolve;
mod rust;
#[cfg(test)]
mod testing;
mod wgsl;

pub use entry::{annotate, annotate_in_editor};
#[doc(hidden)]
pub use entry::{codes, remedied};
pub use front::attribute::Attribute;
/// The tokens of functions and of expansions.
pub use proc_macro2::TokenStream;
pub use rust::device_data::device_data;
pub use rust::marked::device;
pub use rust::root::{rooted, rooted_derive};
pub use rust::run::{main, test};
