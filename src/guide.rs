//! Pages that explain a subject across several parts of the library.

#[doc = include_str!("guide/ranks.md")]
pub mod ranks {}

#[doc = include_str!("guide/cluster.md")]
pub mod cluster {}
