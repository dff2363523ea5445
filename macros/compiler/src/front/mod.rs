//! From an author's function to the IR, with its loops in one form.

mod adaptors;
pub mod array;
mod assignments;
pub mod attribute;
pub mod barriers;
mod best_index;
mod block_numbers;
mod canonical;
pub mod chains;
mod closures;
pub mod constants;
mod counted_loops;
mod counters;
mod counting;
pub mod declared;
mod element_names;
mod exits;
mod fields;
pub mod fragments;
pub mod function;
pub mod fusion;
pub mod header;
pub mod items;
mod iterators;
pub mod lower;
pub mod macros;
mod named_parts;
mod nests;
mod next_values;
pub mod objects;
pub mod parameters;
mod passes;
mod plain;
pub mod receiver;
mod rename;
pub mod signature;
mod split_slices;
pub mod tiles;
pub mod tokens;
pub mod understood;
pub mod unknown_names;
pub mod variables;
pub mod waves;
mod whole_slices;

#[cfg(test)]
mod tests;
