//! The accesses of a body to each variable from outside of its loop.

pub mod branchless_push;
mod captured;
pub mod collected;
pub mod dependency;
pub mod effects;
pub mod guards;
mod header;
pub mod in_body;
pub mod inside;
pub mod obligations;
mod reached;
pub mod requests;
mod types;
mod unchanged;
pub mod walk;
