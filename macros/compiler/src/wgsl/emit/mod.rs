//! From typed nodes to the text of WGSL.

mod arithmetic;
mod arrays;
pub mod calls;
mod control;
pub mod layout;
mod literals;
mod places;
mod statements;
pub mod text;
mod values;
