//! What the methods of std and of `ndarray` do.

pub mod array;
pub mod methods;
