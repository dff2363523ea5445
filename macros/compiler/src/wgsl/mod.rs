//! From an analysed loop to WGSL, the language of graphics processors.
//!
//! | step | from | to |
//! |---|---|---|
//! | `elaborate` | the user's expressions, with resolved names | typed nodes ([`tree`]) |
//! | `infer` | the uses of values | the types of the nodes, and queries for types that cannot be inferred |
//! | `emit` | nodes | lines of WGSL |
//! | `assemble` | the lines of a body | a whole program ([`contract`]) |
//!
//! The names that the text may use are the contract of `core`'s `device`. Whatever cannot be translated is an [`tree::Obstacle`],
//! which says what to change: the loop then runs on the processor.

mod assemble;
pub mod contract;
mod elaborate;
mod emit;
mod infer;
mod nodes;
#[cfg(test)]
mod tests;
pub mod tree;

pub use assemble::functions::translate as translate_function;
pub use assemble::loops::translate;
pub use contract::Translation;
pub use infer::written::of_option;
pub use tree::Obstacle;
