//! Knowledge about the language: macros, the methods of std and of `ndarray`, and types.

pub mod macros;
pub mod methods;
pub mod types;
