//! What annotated loops are written in: a GPU gives what Rust gives.
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
