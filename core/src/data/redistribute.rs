//! Moves elements between ranks: whoever holds an element sends it to whoever wants it.
//!
//! Both sides know all cuts, so each rank finds out alone what to send and what to expect: one exchange of exactly the
//! elements that change their rank, without a word beforehand.

use super::buffer::Buffer;
use super::cuts::Cuts;
use super::shares::Room;
use crate::comm::{Comm, collective};
use crate::element::{Element, bytes_of, from_bytes};
use crate::runtime::{self, Agreed, Header, Value};
use std::ops::Range;

/// Some elements of the vector to be made, wherever they lie now.
pub(super) struct Piece<'a, T> {
    /// This rank's share.
    pub local: &'a [T],
    /// Where all shares begin and end.
    pub cuts: &'a Cuts,
    /// Where the first element goes in the new vector, which may be before its beginning.
    pub place: isize,
}

impl<T: Element> Piece<'_, T> {
    /// The same piece by its bytes, which are moved without knowing what they are of.
    fn bytes(&self) -> Bytes<'_> {
        Bytes { local: bytes_of(self.local), cuts: self.cuts, place: self.place }
    }
}

/// The bytes of a piece. What moves them is compiled once for all types of elements.
struct Bytes<'a> {
    local: &'a [u8],
    cuts: &'a Cuts,
    place: isize,
}

impl Bytes<'_> {
    /// Where the share of `rank` goes.
    fn goes_to(&self, rank: usize) -> Range<isize> {
        let range = self.cuts.range(rank);
        range.start as isize + self.place..range.end as isize + self.place
    }

    /// The bytes of elements of this rank's share, which goes from `start` on.
    fn of(&self, elements: &Range<isize>, start: isize, size: usize) -> &[u8] {
        &self.local[(elements.start - start) as usize * size..(elements.end - start) as usize * size]
    }
}

/// The elements that both ranges have, possibly none.
fn overlap(a: &Range<isize>, b: &Range<isize>) -> Range<isize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

/// This rank's piece, `wanted(comm.rank())`, of the vector that `pieces` make up. All ranks call it with the same cuts,
/// places and `wanted`; ranges that different ranks want may overlap.
///
/// Cost: one exchange, of at most one message for each piece and pair of ranks.
///
/// # Safety
/// The pieces go to ascending places that do not overlap. Where none goes, zero bytes are left, which must be a value of T.
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

/// Brings elements of so many bytes to where they are wanted, on this rank into these bytes.
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
    // Ranks that keep what they have take part as well: the exchange may be collective underneath.
    comm.exchange(&sends, &mut receives);
}

/// This rank's share of the same elements, cut in another way. All ranks call it with the same cuts.
///
/// Cost: one exchange, of at most one message for each pair of ranks.
pub(crate) fn recut<T: Element>(comm: &dyn Comm, local: &[T], from: &Cuts, to: &Cuts) -> Vec<T> {
    let piece = Piece { local, cuts: from, place: 0 };
    // SAFETY: this one piece fills all that can be wanted.
    unsafe { redistribute(comm, &[piece], &|rank| to.range(rank), |_| Room::default()) }.into_vec()
}

/// Runs a collective operation on several ranks, once all of them have said that it is the one they call. Where they call
/// another, or with other values, all end with a message that names both sides.
///
/// Cost, beside `run`: O(log ranks) short messages a rank.
///
/// # Panics
/// When the calling thread has no context: then there is one rank.
pub(crate) fn together<R>(name: &str, values: &[Value<'_>], run: impl FnOnce(&dyn Comm, &Agreed) -> R) -> R {
    let context = runtime::current().expect("several ranks run in a context");
    let agreed = context.agree(&Header { function: name, number: 0, values });
    let result = run(context.comm(), &agreed);
    context.done();
    result
}

/// The element that `owner` has, on all ranks. Cost: O(log ranks) short messages a rank.
pub(super) fn tell_one<T: Element>(comm: &dyn Comm, owner: usize, own: Option<T>) -> T {
    let message = own.map(|own| bytes_of(&[own]).to_vec());
    from_bytes(&collective::broadcast(comm, owner, message))[0]
}

/// The room beside a share of `len` elements.
pub(super) fn room<T>(ranks: usize, len: usize) -> Room {
    if ranks == 1 { Room::alone::<T>(len) } else { Room::beside::<T>(len).staggered::<T>() }
}

/// This rank's share of the vector that `pieces` make up, one after the other from place 0 on, with room beside it.
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
