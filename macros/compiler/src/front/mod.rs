//! From an author's function to the IR, with its loops in one form.

pub mod function;
pub mod header;
pub mod lower;
pub mod normal;
mod understood;
