//! Random programs that try to be accepted and to give another result than the sequential loop.
//!
//! `grammar` makes a `program` from a seed, `trial` compiles many of them and runs each beside its sequential twin in
//! [`world`], and `shrink` makes a wrong one small.

#[cfg(feature = "search")]
pub mod grammar;
#[cfg(feature = "search")]
pub mod program;
#[cfg(feature = "search")]
pub mod shrink;
#[cfg(feature = "search")]
pub mod trial;
pub mod world;
