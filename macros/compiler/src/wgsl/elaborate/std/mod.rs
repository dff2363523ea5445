//! What methods of std do, in terms of nodes.

mod arrays;
mod chains;
pub mod methods;
mod numbers;
pub mod options;
mod searches;
mod tuples;
