//! From a classified loop to calls into `core`. After checking, nothing here can fail.

mod accumulator;
mod bins;
mod callees;
pub mod contract;
pub mod device_data;
mod function;
mod header;
mod kernel;
mod lanes;
pub mod marked;
mod parameters;
mod program;
mod updates;
mod verification;

pub use function::expand;
pub use kernel::Loop;
