//! The classes of variables. Each outer variable that a loop writes must have a class; the compiler rejects any other,
//! with the reason.
//!
//! [`loops`] classifies a loop. [`body`] collects the facts about it first. Then the variables are classified by kind. Distributed slices are in
//! [`arrays`], arrays that every rank holds as a whole in [`buffers`], and by their items in [`frames`]. Writes at indices that depend on data are in
//! [`scatter`]; updates that all apply one function are in [`repeated`]; and collections and states in [`states`]. Assigned variables are in [`scalars`], or together in [`systems`] if they are computed from
//! each other. Then come the [`conflicts`] between accesses, reads of scan states ([`running`]), also of those that are computed from an iteration's
//! [`own_elements`], and loops over [`blocks`], whose messages may be processed as they arrive ([`arrivals`](mod@arrivals)).

mod arrays;
mod arrivals;
mod blocks;
mod body;
mod buffers;
mod conflicts;
mod context;
mod cycle;
mod elements;
mod explain;
mod frames;
mod launches;
mod loads;
mod loops;
mod nodes;
mod operators;
mod own_elements;
mod privates;
mod regions;
mod repeated;
mod running;
mod scalars;
mod scatter;
mod sets;
mod states;
mod systems;

pub use arrivals::arrivals;
pub use blocks::refuse_other_use;
pub use context::After;
pub use explain::explain;
pub use loops::classify;
pub use nodes::header;

#[cfg(test)]
mod tests;
