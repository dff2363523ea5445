//! What a body does to each variable from outside of its loop.

pub mod aliases;
pub mod ask;
mod header;
pub mod scalar;
pub mod select;
pub mod slice;
pub mod state;
pub mod walk;
