//! The language of annotated loops: a GPU gives the results of Rust.
#![allow(missing_docs)]

#[macro_use]
#[path = "../common/mod.rs"]
mod common;

mod bodies;
mod copies;
mod functions;
mod half;
mod integers;
mod operators;
mod order;
mod slices;
mod struct_parts;
mod structs;
mod zeros;
