//! The drivers: every annotated loop is a fold over chunks, run and then merged.
//!
//! A [`Kernel`] is a loop made ready to run: [`Kernel::fold`] runs maps, pushes and reductions, [`Kernel::scan`] loops whose
//! body sees a running value. Both are written once over [`Node`](crate::node::Node) and [`Comm`](crate::comm::Comm).
//!
//! # Same bits
//! Chunks are cut at fixed multiples of the global positions. Results of chunks merge in the tree of aligned powers of two
//! (`fold/tree.rs`), which depends on nothing but the number of iterations. Where merging is exact, the grouping is free.
//!
//! # The files, each naming only those before it
//! `site` (a loop of the program), `touched` (by a rank's iterations), `apart` (whether iterations are independent), `plan` (of a call), `tree` (of chunks), `turns` (who takes which of them), `panics`, `chunks` (what all drivers do), `opaque` and `collector` (the
//! accumulators, as the drivers see them), `runner` (the body over a range), `gathering`, `opening` (what ranks fetch), `captured` (for devices), `kernel`, `over_ranks`, `in_order`, `beside` (what runs while
//! messages are under way); then the drivers: `on_device`, `reduce`, `scan`.

mod apart;
mod beside;
mod captured;
mod chain;
mod chunks;
mod collector;
mod gathering;
mod in_order;
mod kernel;
mod moved;
mod on_device;
mod opaque;
mod opening;
mod over_ranks;
mod pace;
mod panics;
mod pieces;
mod plan;
mod reduce;
mod runner;
mod running;
mod scan;
mod site;
mod touched;
mod tree;
mod turns;

pub use crate::runtime::PerInstance;
pub use captured::Captured;
pub(crate) use captured::refused;
pub use kernel::Kernel;
pub use panics::{At, Through, kept};
pub use runner::{Checked, Fast};
pub use running::{AHEAD, CHAINS};
pub use site::{Beside, Grain, Instance, Site, Weight, meet, refuse};
