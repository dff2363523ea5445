//! The accumulators of a loop: reductions, scan states, pushed sequences, user-defined states.
//!
//! Each annotated loop is a fold over chunks: the chunks run, then their results merge. An [`Accumulator`] describes one outer variable of
//! the loop: the initial value of a chunk, how neighbouring chunks merge, and the final value of the variable. The accumulators of a loop
//! form a list of nested pairs, `(first, (second, ()))`.

mod accumulator;
mod affine;
mod bins;
mod clamped;
mod counted;
mod division;
mod exactness;
mod extremes;
pub mod float;
mod frame;
pub mod keyed;
mod linear;
mod machine;
pub mod measured;
mod moves;
mod number;
mod operators;
mod ordered;
mod pushes;
mod repeated;
pub mod rounding;
pub mod rows;
mod scatter;
mod segmented;
mod share_bins;
mod state;
mod sums;
mod until;

pub use accumulator::{Accumulator, LANES, Settling, Shares};
pub use affine::*;
pub use bins::*;
pub use clamped::*;
pub use counted::By;
pub use exactness::*;
pub use extremes::*;
pub use frame::{
    CountedFrame, Counts, ElementsOf, Frame, Layered, Layers, NeverOverflows, Ranks, Start, floats, frame, layers,
};
pub use linear::*;
pub use machine::*;
pub use number::*;
pub use operators::*;
pub use ordered::Ordered;
pub use pushes::{Blocks, Expected, Part, Pushes, Room, pushes};
pub use repeated::{BitsCompared, BitsUnknown, Repeated, SameBits, Updates, repeated};
pub use scatter::{Noted, Scatter, Scattered, Target, scatter};
pub use segmented::*;
pub use share_bins::{BinsTarget, ShareBins, share_bins};
pub use state::*;
pub use sums::*;
pub use until::{Until, until};
