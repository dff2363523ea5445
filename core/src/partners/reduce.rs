//! The loop that runs any of the algorithms.

use super::message::{Came, packed};
use super::round::{Does, Partners, Piece, Round};
use crate::comm::Comm;
use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::lock::lock;
use crate::node::Node;
use std::any::Any;
use std::borrow::Cow;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};

/// Room for the pieces that a rank receives: it is used again by the next reduction that gets it.
#[derive(Debug, Default)]
pub struct Rooms(Vec<Line>);

/// Pieces begin at such places, so that elements of any alignment can be looked at where they arrive.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line([u8; LINE]);

const LINE: usize = 64;

impl Rooms {
    /// One room for each of these numbers of bytes.
    fn of(&mut self, lengths: impl Iterator<Item = usize> + Clone) -> Vec<&mut [u8]> {
        let lines: usize = lengths.clone().map(|length| length.div_ceil(LINE)).sum();
        if self.0.len() < lines {
            self.0.resize(lines, Line([0; LINE]));
        }
        let mut rest = &mut self.0[..];
        let room = |length: usize| {
            let (room, after) = std::mem::take(&mut rest).split_at_mut(length.div_ceil(LINE));
            rest = after;
            &mut bytemuck::cast_slice_mut(room)[..length]
        };
        lengths.map(room).collect()
    }
}

/// How two elements merge.
#[derive(Debug, Clone, Copy)]
pub struct Operator<T, M> {
    /// `merge(earlier, later)`, which is associative and need not commute.
    pub merge: M,
    /// The element that changes no other, on either side of it, where there is one: where much of a frame is blank, only the rest
    /// of it travels.
    pub blank: Option<T>,
}

/// Merges the frames of the members, and returns which region of the result lies in the frame of this rank afterwards; what its
/// other elements hold is left open. All ranks call it with the same partners; those that are no members have a frame of any
/// elements, for the result.
///
/// Pieces merge in an order that depends on nothing but the partners, so that floats come to the same bits in each run; each
/// merges as soon as it is there and those before it have merged, while the next ones are under way.
///
/// # Panics
/// With what the operator panics with, after all messages have gone out. When the frame has another length than the partners say.
pub fn reduce<T: Element, M: Fn(T, T) -> T + Sync>(
    comm: &dyn Comm,
    node: &dyn Node,
    partners: &Partners,
    operator: &Operator<T, M>,
    frame: &mut [T],
    rooms: &mut Rooms,
) -> Range<usize> {
    assert_eq!(frame.len(), partners.length, "a frame has as many elements as all others");
    let merging = Merging { node, operator, panicked: Mutex::new(None) };
    let mut holds = if partners.members.contains(&comm.rank()) { 0..frame.len() } else { 0..0 };
    for round in partners.rounds(comm.rank()) {
        match round.does {
            Does::Merge => merging.round(comm, &round, frame, rooms),
            Does::Copy => copy(comm, &round, frame),
        }
        holds = round.keeps;
    }
    if let Some(payload) = merging.panicked.into_inner().unwrap_or_else(PoisonError::into_inner) {
        resume_unwind(payload);
    }
    holds
}

/// What merges pieces, on the workers of this rank.
struct Merging<'a, T, M> {
    node: &'a dyn Node,
    operator: &'a Operator<T, M>,
    panicked: Mutex<Option<Box<dyn Any + Send>>>,
}

/// How many bytes a worker merges at a time, at most.
const BATCH: usize = 1 << 17;

impl<T: Element, M: Fn(T, T) -> T + Sync> Merging<'_, T, M> {
    fn round(&self, comm: &dyn Comm, round: &Round, frame: &mut [T], rooms: &mut Rooms) {
        let (parts, mut kept) = apart(frame, vec![round.keeps.clone()]);
        let elements = |region: &Range<usize>| parts.elements(region);
        let message = |piece: &Piece| {
            let elements = elements(&piece.region);
            let packed = self.operator.blank.and_then(|blank| packed(elements, blank));
            (piece.rank, packed.map_or_else(|| Cow::Borrowed(bytes_of(elements)), Cow::Owned))
        };
        let messages: Vec<(usize, Cow<'_, [u8]>)> = round.sends.iter().map(message).collect();
        let sends: Vec<(usize, &[u8])> = messages.iter().map(|(rank, message)| (*rank, &message[..])).collect();
        let lengths = round.receives.iter().map(|piece| piece.region.len() * size_of::<T>());
        let mut rooms: Vec<(usize, &mut [u8])> =
            round.receives.iter().map(|piece| piece.rank).zip(rooms.of(lengths)).collect();
        comm.exchange_in_order(&sends, &mut rooms, &mut |number, message| {
            let came = Came::of(message, round.keeps.len());
            self.piece(came.beside(kept[0]), round.receives[number].earlier);
        });
    }

    /// Merges what came with what is kept.
    fn piece(&self, parts: Vec<(&mut [T], &[T])>, earlier: bool) {
        let merge = &self.operator.merge;
        let merge = |kept: &mut [T], came: &[T]| {
            let pairs = kept.iter_mut().zip(came);
            if earlier {
                pairs.for_each(|(kept, came)| *kept = merge(*came, *kept));
            } else {
                pairs.for_each(|(kept, came)| *kept = merge(*kept, *came));
            }
        };
        let batch = (BATCH / size_of::<T>().max(1)).max(1);
        let elements: usize = parts.iter().map(|(kept, _)| kept.len()).sum();
        let workers = self.node.workers().min(elements / batch).max(1);
        let batches = parts.into_iter().flat_map(|(kept, came)| kept.chunks_mut(batch).zip(came.chunks(batch)));
        let batches = Mutex::new(batches);
        let work = |_worker: usize| {
            let next = || lock(&batches).next();
            let merged = catch_unwind(AssertUnwindSafe(|| {
                while let Some((kept, came)) = next() {
                    merge(kept, came);
                }
            }));
            if let Err(payload) = merged {
                lock(&self.panicked).get_or_insert(payload);
            }
        };
        if workers > 1 { self.node.run(workers, &work) } else { work(0) }
    }
}

/// Sends and receives parts of the result.
fn copy<T: Element>(comm: &dyn Comm, round: &Round, frame: &mut [T]) {
    let mut pieces: Vec<&Piece> = round.receives.iter().collect();
    pieces.sort_unstable_by_key(|piece| piece.region.start);
    let (parts, taken) = apart(frame, pieces.iter().map(|piece| piece.region.clone()).collect());
    let send = |piece: &Piece| (piece.rank, bytes_of(parts.elements(&piece.region)));
    let sends: Vec<(usize, &[u8])> = round.sends.iter().map(send).collect();
    // SAFETY: the other ranks send elements of the same type.
    let room = |part| unsafe { bytes_of_mut(part) };
    let mut receives: Vec<(usize, &mut [u8])> =
        pieces.iter().map(|piece| piece.rank).zip(taken.into_iter().map(room)).collect();
    comm.exchange(&sends, &mut receives);
}

/// What is between the regions that were taken out of a frame, with the places where it begins.
struct Parts<'f, T>(Vec<(usize, &'f [T])>);

impl<'f, T> Parts<'f, T> {
    /// A region that is not taken.
    fn elements(&self, region: &Range<usize>) -> &'f [T] {
        let number = self.0.partition_point(|(start, _)| *start <= region.start) - 1;
        let (start, part) = self.0[number];
        &part[region.start - start..region.end - start]
    }
}

/// Takes regions out of a frame, which are in the order of the elements and do not overlap.
fn apart<T>(frame: &mut [T], regions: Vec<Range<usize>>) -> (Parts<'_, T>, Vec<&mut [T]>) {
    let (mut parts, mut taken, mut rest, mut at) = (Vec::new(), Vec::new(), frame, 0);
    for region in regions {
        let (before, others) = rest.split_at_mut(region.start - at);
        let (one, after) = others.split_at_mut(region.len());
        parts.push((at, &*before));
        taken.push(one);
        (rest, at) = (after, region.end);
    }
    parts.push((at, rest));
    (Parts(parts), taken)
}
