//! Partners: who merges with whom, so that the frames of all ranks become one.
//!
//! A frame is an array that every rank has, all of the same length. Element by element, the frames of all ranks are to be merged in
//! rank order; the operator is associative and need not commute. Image compositing is this, and so is the sum of arrays.
//!
//! An [`Algorithm`] is a list of [`Step`]s, of which there are two kinds: neighbours split a region among them, or one of them takes it
//! whole. [`Partners::rounds`] says, as plain data, what one rank sends, receives and keeps in each of them, and one loop,
//! [`reduce`], runs whatever it says.
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
//! Messages go out before a rank waits, and pieces merge in order while later ones are under way. Where an element is known that changes no
//! other, only what is not blank travels, if it is little enough.
//!
//! [`Algorithm::choose`] takes the one that is done first, by what messages, bytes and merging take here: see [`Costs`]. [`simulated`] says what
//! the ranks of a machine would do that is not at hand.
//!
//! What has a frame may also be a block: the same rounds then say what [`Blocks`](crate::blocks::Blocks) send each other.
//!
//! Afterwards the result is where the [`Whither`] says: in parts on the ranks that merged it, on one rank, or on all.

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
