//! Every outer variable that a loop writes must fall into a class; what falls into none is refused, with the reason.
//!
//! [`loops`] goes through a loop: [`body`] is what is seen of it before, and the variables are classified by kind: distributed
//! slices ([`arrays`]), arrays that every rank has whole ([`buffers`], by their items [`frames`]), where the data say ([`scatter`]), what is
//! assigned ([`scalars`]), what grows ([`states`]). Then come
//! [`conflicts`] between accesses, and who reads [`running`] values, also those that are computed from an iteration's
//! [`own_elements`]; and loops over [`blocks`].

mod arrays;
mod blocks;
mod body;
mod buffers;
mod conflicts;
mod context;
mod explain;
mod frames;
mod loops;
mod nodes;
mod operators;
mod own_elements;
mod running;
mod scalars;
mod scatter;
mod states;

pub use blocks::refuse_other_use;
pub use context::After;
pub use explain::explain;
pub use loops::classify;
pub use nodes::header;

#[cfg(test)]
mod tests;
