//! The guide: a page for each subject.
//!
//! | page | subject |
//! |---|---|
//! | [Getting started](start) | from an empty folder to a program that runs on all cores |
//! | [Which attribute](attributes) | the attribute, the markers and the arguments that fit a loop |
//! | [Rejected loops](rejected) | how to rewrite them, and a list of all codes |
//! | [Programs on several ranks](ranks) | shares, printing, files, random numbers |
//! | [On a cluster](cluster) | launchers, threads, binding, job scripts |
//! | [Loops on a GPU](gpu) | settings, data, types and functions |
//! | [Arrays](arrays) | arrays of several dimensions |
//! | [Blocks](blocks) | data that move as a whole |
//! | [Objects](objects) | arrays without a fixed owner, and tasks on them |
//! | [EXPLAIN and traces](tracing) | reports of loops, and timelines |
//! | [Porting a program](porting) | a program, step by step |
//! | [How it works](inside) | the compiler and the runtime |
//! | [Comparison](comparison) | rayon, OpenMP, Numba, Chapel, Kokkos, DIY, Thrust |
//! | [Limits](limits) | unsupported programs |

#[doc = include_str!("guide/start.md")]
pub mod start {}

#[doc = include_str!("guide/attributes.md")]
pub mod attributes {}

#[doc = include_str!("guide/rejected.md")]
pub mod rejected {}

#[doc = include_str!("guide/ranks.md")]
pub mod ranks {}

#[doc = include_str!("guide/cluster.md")]
pub mod cluster {}

#[doc = include_str!("guide/gpu.md")]
pub mod gpu {}

#[cfg_attr(feature = "ndarray", doc = include_str!("guide/arrays.md"))]
#[cfg_attr(
    not(feature = "ndarray"),
    doc = "Arrays of several dimensions: this page needs the feature `ndarray`, as docs.rs has it."
)]
pub mod arrays {}

#[doc = include_str!("guide/blocks.md")]
pub mod blocks {}

#[doc = include_str!("guide/objects.md")]
pub mod objects {}

#[doc = include_str!("guide/tracing.md")]
pub mod tracing {}

#[doc = include_str!("guide/porting.md")]
pub mod porting {}

#[doc = include_str!("guide/inside.md")]
pub mod inside {}

#[doc = include_str!("guide/comparison.md")]
pub mod comparison {}

#[doc = include_str!("guide/limits.md")]
pub mod limits {}
