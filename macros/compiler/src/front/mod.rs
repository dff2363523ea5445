//! From an author's function to the IR, with its loops in one form.

pub mod array;
pub mod attribute;
pub mod constants;
pub mod counting;
pub mod each;
mod fixed_items;
pub mod fragments;
pub mod function;
pub mod halves;
pub mod header;
pub mod items;
pub mod lent;
pub mod lower;
pub mod macros;
pub mod meaning;
pub mod moved;
pub mod named;
pub mod normal;
pub mod optional;
pub mod parameters;
pub mod receiver;
pub mod signature;
pub mod tokens;
pub mod understood;
pub mod variables;

#[cfg(test)]
mod tests;
