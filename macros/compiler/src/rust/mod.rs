//! From a classified loop to calls into `core`. After checking, nothing here can fail.

mod accumulator;
mod bins;
mod body;
mod callees;
mod computed;
pub mod contract;
mod counting;
pub mod device_data;
mod editor;
mod explain;
mod function;
mod given;
mod header;
mod kernel;
mod lanes;
mod levels;
pub mod marked;
mod methods;
mod obligations;
mod parameters;
mod planned;
mod points;
mod program;
mod region;
pub mod root;
pub mod run;
mod sort;
mod systems;
mod traversal;
mod updates;
mod verification;
mod wholes;

pub use editor::in_editor;
pub use function::{expand, with_errors};
pub use levels::ByLevels;
pub use planned::Loop;
pub use sort::expand_sort;
pub use traversal::expand_traversal;

#[cfg(test)]
mod tests;
