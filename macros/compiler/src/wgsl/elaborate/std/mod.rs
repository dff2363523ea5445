//! What methods of std do, in terms of nodes.

mod arrays;
mod chains;
pub mod methods;
pub mod numbers;
pub mod options;
pub mod orderings;
mod searches;
mod tuples;
