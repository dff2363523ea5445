//! The drivers of annotated loops. Each loop is a fold over chunks: the chunks run, then their results merge.
//!
//! A [`Kernel`] is a loop that is ready to run. [`Kernel::fold`] runs maps, pushes and reductions. [`Kernel::scan`] runs loops whose body
//! reads the scan state. Both use only the traits [`Node`](crate::node::Node) and [`Comm`](crate::comm::Comm).
//!
//! # Reproducible results
//! Chunk boundaries are fixed multiples of the global positions. Results merge in a tree of aligned powers of two (`fold/tree.rs`), whose
//! shape depends only on the number of iterations. If the operator is exact, any grouping gives the same result.
//!
//! # The files, in the order of their imports
//! - `site`: a loop of the program. `touched`: the elements that a rank's iterations access. `disjoint`: whether iterations are independent.
//! - `plan`: the plan of a call. `tree`: the merge tree of chunks. `queue`: the chunk queue. `panics`: the first panic of a loop.
//! - `chunks`: functions that all drivers use. `opaque`, `collector`: the accumulators with their types erased. `runner`: runs the body over a
//!   range.
//! - `gathering`, `opening`: fetch remote elements. `captured`: captured values for devices. `kernel`: the entry points.
//! - `over_ranks`: merges over ranks. `in_order`: sequential execution. `overlap`: overlaps communication with computation.
//! - `strategy`: the choice of a [`Strategy`](crate::settings::Strategy). `strategies`: a type for each, with one method. `arriving`, `moving`: loops
//!   over messages of blocks, and over tasks that run on other ranks.
//! - The drivers: `on_device`, `reduce`, `scan`. They make the plan, open the arrays, choose, run and close.

mod arriving;
mod both_ends;
mod captured;
mod chain;
mod chunks;
mod collector;
mod disjoint;
mod gathering;
mod in_order;
mod kernel;
mod moving;
mod on_device;
mod opaque;
mod opening;
mod over_ranks;
mod overlap;
mod pace;
mod panics;
mod plan;
mod queue;
mod reduce;
mod runner;
mod running;
mod scan;
mod scattered;
mod site;
mod strategies;
mod strategy;
mod tiles;
mod touched;
mod traffic;
mod tree;
mod workers;

pub use crate::runtime::PerInstance;
pub use captured::Captured;
pub(crate) use captured::refused;
pub use kernel::{Kernel, Launches, Moves, TakeOfTask};
pub use panics::{At, Through, returned};
pub use runner::{Checked, Fast};
pub use running::{AHEAD, CHAINS};
pub use site::{Grain, Instance, Interleaving, Site, Weight, meet, refuse};
