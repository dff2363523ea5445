//! Partners: algorithms that reduce the frames of all ranks to one.
//!
//! A frame is an array of the same length on every rank. The frames of all ranks merge element by element, in rank order. The operator is
//! associative and need not commute. Examples are image compositing and the sum of arrays.
//!
//! An [`Algorithm`] is a list of [`Step`]s. In a step, neighbours split a region among them, one of them takes the whole region, or the
//! region passes along a chain of ranks. [`Partners::rounds`] describes the rounds of a rank as plain data: the regions that it sends,
//! receives and keeps. One loop, [`reduce`], runs these rounds.
//!
//! | algorithm | steps | a rank receives at most, of a frame of n elements on p ranks |
//! |---|---|---|
//! | [`Tree`](Algorithm::Tree) | merge k, merge k, .. | (k - 1) n in each of log(p) / log(k) rounds |
//! | [`BinarySwap`](Algorithm::BinarySwap) | split 2, split 2, .. | n / 2, n / 4, .. |
//! | [`RadixK`](Algorithm::RadixK) | split k1, split k2, .. | (k1 - 1) n / k1, (k2 - 1) n / (k1 k2), .. |
//! | [`DirectSend`](Algorithm::DirectSend) | split p | n |
//! | [`SerialDirectSend`](Algorithm::SerialDirectSend) | merge p | (p - 1) n |
//! | [`TodTree`](Algorithm::TodTree) | split r, merge k, merge k, .. | n, then (k - 1) n / r in each of log(p / r) / log(k) rounds |
//!
//! A rank sends its messages before it waits. Received pieces merge in order while later ones are in transit. If the operator has an
//! identity element, sparse regions are sent without their blank elements.
//!
//! [`Algorithm::choose`] selects the algorithm with the least expected time, from the costs of messages, bytes and merging: see [`Costs`].
//! [`simulated`] computes the timeline of the ranks of another machine.
//!
//! The members of a reduction may also be blocks: the same rounds then describe the messages between [`Blocks`](crate::blocks::Blocks).
//!
//! [`Whither`] is the destination of the result: in parts on the ranks that merged them, on one rank, or on all.

mod algorithm;
mod cost;
mod message;
mod reduce;
mod round;
mod simulated;
#[cfg(test)]
mod tests;

pub use algorithm::{Algorithm, Step};
pub use cost::{Costs, Load};
pub use message::{all_blank, coverage};
pub use reduce::{Operator, Own, Rooms, reduce};
pub use round::{Does, Partners, Piece, Round, Whither, broadcast};
pub use simulated::{Doing, Elements, Span, Timeline, simulated};
