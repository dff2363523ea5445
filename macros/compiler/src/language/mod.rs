//! What the methods of std and of `ndarray` do.

pub mod methods;
pub mod types;
