//! Data, kernels, folds and communicators of `forall`. This crate names no backend: see the facade `forall`.

pub mod arguments;
pub mod comm;
pub mod computed;
pub mod data;
pub mod device;
pub mod element;
pub mod error;
pub mod node;
pub mod partners;
pub mod runtime;
pub mod settings;
pub mod trace;

pub mod accumulate;
pub mod allocator;
pub mod blocks;
pub mod bounds;
pub mod call;
pub mod checkpoint;
pub mod codec;
pub mod explain;
pub mod fold;
pub mod footprint;
pub mod gather;
pub mod grid;
mod large_pages;
mod lock;
pub mod meta;
pub mod objects;
pub mod obligations;
pub mod parameter;
pub mod slot;
pub mod sort;
mod streaming;
pub mod traverse;
pub mod verify;
pub mod view;
