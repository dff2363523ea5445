//! Data, kernels, folds and communicators of `forall`. This crate names no backend: see the facade `forall`.

pub mod comm;
pub mod data;
pub mod element;
pub mod error;
pub mod node;
pub mod runtime;
pub mod settings;
pub mod trace;
