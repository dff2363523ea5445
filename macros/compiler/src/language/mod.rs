//! What the methods of std and of `ndarray` do.

pub mod macros;
pub mod methods;
pub mod types;
