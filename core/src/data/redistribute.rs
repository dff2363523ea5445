//! Redistribution of elements between ranks.
//!
//! All ranks know all cuts, so each rank computes its messages locally. One exchange moves exactly the elements that change their rank.

use super::buffer::Buffer;
use super::cuts::Cuts;
use super::shares::Room;
use crate::comm::{Comm, collective};
use crate::element::{Element, bytes_of, from_bytes};
use crate::runtime::{self, Agreed, Header, Value};
use std::ops::Range;

/// A distributed piece of the new vector.
pub(super) struct Piece<'a, T> {
    /// This rank's share.
    pub local: &'a [T],
    /// The cuts of the piece.
    pub cuts: &'a Cuts,
    /// The index of the first element in the new vector; may be negative.
    pub place: isize,
}

impl<T: Element> Piece<'_, T> {
    /// The piece as bytes, without the type of its elements.
    fn bytes(&self) -> Bytes<'_> {
        Bytes { local: bytes_of(self.local), cuts: self.cuts, place: self.place }
    }
}

/// The bytes of a piece. The code on bytes is compiled once for all types.
struct Bytes<'a> {
    local: &'a [u8],
    cuts: &'a Cuts,
    place: isize,
}

impl Bytes<'_> {
    /// The range of the new vector to which the share of `rank` goes.
    fn goes_to(&self, rank: usize) -> Range<isize> {
        let range = self.cuts.range(rank);
        range.start as isize + self.place..range.end as isize + self.place
    }

    /// The bytes of elements of this rank's share, which begins at `start` of the new vector.
    fn of(&self, elements: &Range<isize>, start: isize, size: usize) -> &[u8] {
        &self.local[(elements.start - start) as usize * size..(elements.end - start) as usize * size]
    }
}

/// The intersection of two ranges, possibly empty.
fn overlap(a: &Range<isize>, b: &Range<isize>) -> Range<isize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

/// This rank's range, `wanted(comm.rank())`, of the vector that `pieces` form. All ranks call it with the same cuts,
/// positions and `wanted`; the ranges of different ranks may overlap.
///
/// Cost: one exchange, of at most one message for each piece and pair of ranks.
///
/// # Safety
/// The pieces go to ascending, disjoint ranges. Gaps are filled with zero bytes, which must be a value of T.
pub(super) unsafe fn redistribute<T: Element>(
    comm: &dyn Comm,
    pieces: &[Piece<'_, T>],
    wanted: &dyn Fn(usize) -> Range<usize>,
    room: impl FnOnce(usize) -> Room,
) -> Buffer<T> {
    let pieces: Vec<Bytes<'_>> = pieces.iter().map(Piece::bytes).collect();
    let len = wanted(comm.rank()).len();
    // SAFETY: the bytes that are moved were taken from elements of T, here or on a rank of the same program; the caller vouches
    // for the others.
    unsafe { Buffer::from_bytes(len, room(len), |bytes| move_bytes(comm, &pieces, size_of::<T>(), wanted, bytes)) }
}

/// Moves elements of this size to their new ranks, on this rank into these bytes.
fn move_bytes(
    comm: &dyn Comm,
    pieces: &[Bytes<'_>],
    size: usize,
    wanted: &dyn Fn(usize) -> Range<usize>,
    mut bytes: &mut [u8],
) {
    let me = comm.rank();
    let wanted = |rank| {
        let range = wanted(rank);
        range.start as isize..range.end as isize
    };
    let mut sends = Vec::new();
    for piece in pieces {
        let held = piece.goes_to(me);
        for rank in (0..comm.ranks()).filter(|&rank| rank != me) {
            let range = overlap(&held, &wanted(rank));
            if !range.is_empty() {
                sends.push((rank, piece.of(&range, held.start, size)));
            }
        }
    }
    let (own, mut receives) = (wanted(me), Vec::new());
    let mut at = own.start;
    for piece in pieces {
        for rank in 0..comm.ranks() {
            let placed = piece.goes_to(rank);
            let range = overlap(&placed, &own);
            if range.is_empty() {
                continue;
            }
            let (_, rest) = bytes.split_at_mut((range.start - at) as usize * size);
            let (target, rest) = rest.split_at_mut(range.len() * size);
            if rank == me {
                target.copy_from_slice(piece.of(&range, placed.start, size));
            } else {
                receives.push((rank, target));
            }
            bytes = rest;
            at = range.end;
        }
    }
    // Ranks without messages take part as well, because the exchange may be a collective operation.
    comm.exchange(&sends, &mut receives);
}

/// This rank's share of the same elements with other cuts. All ranks call it with the same cuts.
///
/// Cost: one exchange, of at most one message for each pair of ranks.
pub(crate) fn recut<T: Element>(comm: &dyn Comm, local: &[T], from: &Cuts, to: &Cuts) -> Vec<T> {
    let piece = Piece { local, cuts: from, place: 0 };
    // SAFETY: this one piece fills all that can be wanted.
    unsafe { redistribute(comm, &[piece], &|rank| to.range(rank), |_| Room::default()) }.into_vec()
}

/// Runs a collective operation on several ranks, after a handshake. If the ranks call different operations, or with different values, all
/// ranks end with a message that names both sides.
///
/// Cost, in addition to `run`: O(log ranks) short messages a rank.
///
/// # Panics
/// If the calling thread has no context: then there is only one rank.
pub(crate) fn together<R>(name: &str, values: &[Value<'_>], run: impl FnOnce(&dyn Comm, &Agreed) -> R) -> R {
    let context = runtime::current().expect("several ranks run in a context");
    let agreed = context.agree(&Header { function: name, number: 0, values });
    let result = run(context.comm(), &agreed);
    context.done();
    result
}

/// Broadcasts an element of `owner`. Cost: O(log ranks) short messages a rank.
pub(super) fn tell_one<T: Element>(comm: &dyn Comm, owner: usize, own: Option<T>) -> T {
    let message = own.map(|own| bytes_of(&[own]).to_vec());
    from_bytes(&collective::broadcast(comm, owner, message))[0]
}

/// The space around a share of `len` elements.
pub(super) fn room<T>(ranks: usize, len: usize) -> Room {
    if ranks == 1 { Room::alone::<T>(len) } else { Room::around::<T>(len).staggered::<T>() }
}

/// This rank's share of the concatenation of `pieces`, with space around it.
pub(super) fn collect<T: Element>(
    comm: &dyn Comm,
    pieces: &[Piece<'_, T>],
    wanted: &dyn Fn(usize) -> Range<usize>,
) -> Buffer<T> {
    let mut end = 0;
    for piece in pieces {
        assert_eq!(piece.place, end, "the pieces leave no place free");
        end += piece.cuts.total() as isize;
    }
    // SAFETY: the pieces go to ascending places and fill all of them.
    unsafe { redistribute(comm, pieces, wanted, |len| room::<T>(comm.ranks(), len)) }
}
