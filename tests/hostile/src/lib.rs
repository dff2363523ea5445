//! Random programs that try to be accepted and to give another result than the sequential loop.
//!
//! [`grammar`] makes a [`program`] from a seed, [`trial`] compiles many of them and runs each beside its sequential twin in
//! [`world`], and [`shrink`] makes a wrong one small.

pub mod grammar;
pub mod program;
pub mod shrink;
pub mod trial;
pub mod world;
