//! The loop that runs the rounds of an algorithm.

use super::message::{Came, Segment, packed, unpack};
use super::round::{Does, Partners, Piece, Round};
use crate::comm::Comm;
use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::lock::lock;
use crate::node::Node;
use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};

/// Buffers for sent and received messages. Later reductions reuse them.
#[derive(Debug, Default)]
pub struct Rooms {
    received: Vec<Line>,
    sent: Vec<Vec<u8>>,
}

/// Received pieces are aligned to such lines, so that elements of any type can be read in place.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line([u8; LINE]);

const LINE: usize = 64;

impl Rooms {
    /// A buffer for each received message, of these lengths in bytes, and a buffer for each sent message.
    fn of(&mut self, lengths: impl Iterator<Item = usize> + Clone, sends: usize) -> (Vec<&mut [u8]>, &mut [Vec<u8>]) {
        let lines: usize = lengths.clone().map(|length| length.div_ceil(LINE)).sum();
        if self.received.len() < lines {
            self.received.resize(lines, Line([0; LINE]));
        }
        if self.sent.len() < sends {
            self.sent.resize(sends, Vec::new());
        }
        let mut rest = &mut self.received[..];
        let room = |length: usize| {
            let (room, after) = std::mem::take(&mut rest).split_at_mut(length.div_ceil(LINE));
            rest = after;
            &mut bytemuck::cast_slice_mut(room)[..length]
        };
        (lengths.map(room).collect(), &mut self.sent)
    }
}

/// An operator on elements.
#[derive(Debug, Clone, Copy)]
pub struct Operator<T, M> {
    /// `merge(earlier, later)`, which is associative and need not commute.
    pub merge: M,
    /// The identity element, if there is one. If many elements of a frame are blank, only the others are sent.
    pub blank: Option<T>,
}

/// The contribution of a rank: a frame, and layers that merge after the frame's elements.
///
/// Layers merge into the frame part by part, when a part is needed. A single layer is sent without a copy.
#[derive(Debug)]
pub struct Own<'f, T> {
    /// The frame, as long as all others. It receives the result.
    pub frame: &'f mut [T],
    /// Whether the frame's elements are valid. Otherwise the first layer is as long as the frame.
    pub holds: bool,
    /// The layers, in merge order. A layer may be shorter than the frame.
    pub layers: &'f [&'f [T]],
}

impl<'f, T> From<&'f mut [T]> for Own<'f, T> {
    fn from(frame: &'f mut [T]) -> Self {
        Own { frame, holds: true, layers: &[] }
    }
}

impl<T: Element> Own<'_, T> {
    /// Merges all layers into the frame, on all workers.
    ///
    /// # Panics
    /// If the operator panics.
    pub fn settle<M: Fn(T, T) -> T + Sync>(&mut self, node: &dyn Node, operator: &Operator<T, M>) {
        let merging = Merging { node, operator, panicked: Mutex::new(None) };
        let all = 0..self.frame.len();
        let frame = &mut *self.frame;
        merging.fold(&mut Mine { own: Own { frame, holds: self.holds, layers: self.layers }, merged: 0 }, all);
        merging.resume();
    }
}

/// The contribution of a rank, partly merged.
struct Mine<'f, T> {
    own: Own<'f, T>,
    /// The layers have merged into the elements before this index.
    merged: usize,
}

impl<'f, T: Element> Mine<'f, T> {
    /// The pending layers of a region.
    fn pending(&self, region: &Range<usize>) -> Pending<'f, T> {
        match region.end <= self.merged {
            true => Pending { holds: true, layers: &[] },
            false => Pending { holds: self.own.holds, layers: self.own.layers },
        }
    }
}

/// Merges the frames of the members. Returns the region of the result that is in this rank's frame afterwards; its other elements are
/// unspecified. All ranks call it with the same partners. Ranks that are not members have a frame with arbitrary elements, for the result.
///
/// The order of the merges depends only on the partners, so floats have the same bits in each run. A piece merges as soon as it has arrived
/// and all earlier ones have merged, while the next ones are in transit.
///
/// # Panics
/// If the operator panics, after all messages are sent. If the frame's length differs from that of the partners.
pub fn reduce<'f, T: Element, M: Fn(T, T) -> T + Sync>(
    comm: &dyn Comm,
    node: &dyn Node,
    partners: &Partners,
    operator: &Operator<T, M>,
    own: impl Into<Own<'f, T>>,
    rooms: &mut Rooms,
) -> Range<usize> {
    let mut mine = Mine { own: own.into(), merged: 0 };
    assert_eq!(mine.own.frame.len(), partners.length, "a frame has as many elements as all others");
    let merging = Merging { node, operator, panicked: Mutex::new(None) };
    let mut holds = if partners.members.contains(&comm.rank()) { 0..partners.length } else { 0..0 };
    for round in partners.rounds(comm.rank()) {
        match round.does {
            Does::Merge => merging.round(comm, &round, &mut mine, rooms),
            Does::Copy => {
                merging.fold(&mut mine, holds);
                mine.merged = partners.length;
                copy(comm, &round, mine.own.frame, operator.blank, rooms);
            }
        }
        holds = round.keeps;
    }
    merging.fold(&mut mine, holds.clone());
    merging.resume();
    holds
}

/// The values that merge into a region of a frame before all others.
#[derive(Clone, Copy)]
struct Pending<'l, T> {
    /// Whether the frame's elements are valid.
    holds: bool,
    layers: &'l [&'l [T]],
}

impl<'l, T: Element> Pending<'l, T> {
    /// The only layer, if the frame has no valid elements and there are no others.
    fn only(&self) -> Option<&'l [T]> {
        match self.layers {
            [layer] if !self.holds => Some(layer),
            _ => None,
        }
    }

    /// Merges the layers into the elements from `at` on.
    fn merge_into(&self, kept: &mut [T], at: usize, merge: impl Fn(T, T) -> T) {
        let mut layers = self.layers;
        if let ([first, others @ ..], false) = (layers, self.holds) {
            kept.copy_from_slice(&first[at..at + kept.len()]);
            layers = others;
        }
        for layer in layers {
            let layer = layer.get(at..).unwrap_or_default();
            kept.iter_mut().zip(layer).for_each(|(kept, next)| *kept = merge(*kept, *next));
        }
    }
}

/// Merges pieces on the workers of this rank.
struct Merging<'a, T, M> {
    node: &'a dyn Node,
    operator: &'a Operator<T, M>,
    panicked: Mutex<Option<Box<dyn Any + Send>>>,
}

/// The largest number of bytes that a worker merges at a time.
const BATCH: usize = 1 << 17;

impl<T: Element, M: Fn(T, T) -> T + Sync> Merging<'_, T, M> {
    fn round(&self, comm: &dyn Comm, round: &Round, mine: &mut Mine<'_, T>, rooms: &mut Rooms) {
        for piece in &round.sends {
            if mine.pending(&piece.region).only().is_none() {
                self.fold(mine, piece.region.clone());
            }
        }
        let lie: Vec<Option<&[T]>> = round.sends.iter().map(|piece| mine.pending(&piece.region).only()).collect();
        let mut pending = mine.pending(&round.merges);
        let (parts, mut kept) = apart(mine.own.frame, vec![round.merges.clone()]);
        let elements = |number: usize, region: &Range<usize>| match lie[number] {
            Some(layer) => &layer[region.clone()],
            None => parts.elements(region),
        };
        let lengths = round.receives.iter().map(|piece| piece.region.len() * size_of::<T>());
        let (received, sent) = rooms.of(lengths, round.sends.len());
        let sends = round.sends.iter().zip(sent).enumerate().map(|(number, (piece, room))| {
            let elements = elements(number, &piece.region);
            let is_packed = self.operator.blank.is_some_and(|blank| packed(elements, blank, room));
            (piece.rank, if is_packed { &room[..] } else { bytes_of(elements) })
        });
        let sends: Vec<(usize, &[u8])> = sends.collect();
        let mut rooms: Vec<(usize, &mut [u8])> = round.receives.iter().map(|piece| piece.rank).zip(received).collect();
        comm.exchange_in_order(&sends, &mut rooms, &mut |number, message| {
            let came = Came::of(message, round.merges.len());
            let before = std::mem::replace(&mut pending, Pending { holds: true, layers: &[] });
            let segments = came.segments(round.merges.start, kept[0], !before.layers.is_empty());
            self.merge(segments, before, round.receives[number].earlier);
        });
        if !pending.layers.is_empty() {
            self.merge(vec![Segment { at: round.merges.start, kept: kept[0], came: None }], pending, false);
        }
        mine.merged = match round.merges == round.keeps {
            true => usize::MAX,
            // The remaining slices merge later.
            false => mine.merged.max(round.merges.end),
        };
    }

    /// Merges a region of the layers into the frame, if it has not merged yet. No region merges twice.
    fn fold(&self, mine: &mut Mine<'_, T>, region: Range<usize>) {
        let region = region.start.max(mine.merged.min(region.end))..region.end;
        let pending = mine.pending(&region);
        if !pending.layers.is_empty() {
            let kept = &mut mine.own.frame[region.clone()];
            self.merge(vec![Segment { at: region.start, kept, came: None }], pending, false);
        }
    }

    /// Merges pending layers, and then received elements, into the frame.
    fn merge(&self, segments: Vec<Segment<'_, T>>, pending: Pending<'_, T>, earlier: bool) {
        let merge = &self.operator.merge;
        let one = |Segment { at, kept, came }: Segment<'_, T>| {
            let end = at + kept.len();
            match (pending.only(), came) {
                (Some(layer), Some(came)) => {
                    let pairs = layer[at..end].iter().zip(came);
                    let merged = pairs.map(|(own, came)| if earlier { merge(*came, *own) } else { merge(*own, *came) });
                    kept.iter_mut().zip(merged).for_each(|(kept, merged)| *kept = merged);
                }
                (_, came) => {
                    pending.merge_into(kept, at, merge);
                    let pairs = kept.iter_mut().zip(came.unwrap_or_default());
                    if earlier {
                        pairs.for_each(|(kept, came)| *kept = merge(*came, *kept));
                    } else {
                        pairs.for_each(|(kept, came)| *kept = merge(*kept, *came));
                    }
                }
            }
        };
        let batch = (BATCH / size_of::<T>().max(1)).max(1);
        let elements: usize = segments.iter().map(|segment| segment.kept.len()).sum();
        let workers = self.node.workers().min(elements / batch).max(1);
        let batches = Mutex::new(segments.into_iter().flat_map(|segment| segment.batches(batch)));
        let work = |_worker: usize| {
            let next = || lock(&batches).next();
            let merged = catch_unwind(AssertUnwindSafe(|| {
                while let Some(segment) = next() {
                    one(segment);
                }
            }));
            if let Err(payload) = merged {
                lock(&self.panicked).get_or_insert(payload);
            }
        };
        if workers > 1 { self.node.run(workers, &work) } else { work(0) }
    }

    /// Resumes a panic of the operator, if there was one.
    fn resume(self) {
        if let Some(payload) = self.panicked.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(payload);
        }
    }
}

/// A smaller result is sent uncompressed, because the messages with the lengths take as long.
const WORTH_PACKING: usize = 1 << 16;

/// Sends and receives parts of the result. Large results are sent without blank elements.
fn copy<T: Element>(comm: &dyn Comm, round: &Round, frame: &mut [T], blank: Option<T>, rooms: &mut Rooms) {
    let blank = blank.filter(|_| size_of_val(frame) >= WORTH_PACKING);
    let mut pieces: Vec<&Piece> = round.receives.iter().collect();
    pieces.sort_unstable_by_key(|piece| piece.region.start);
    let (parts, taken) = apart(frame, pieces.iter().map(|piece| piece.region.clone()).collect());
    let (_, sent) = rooms.of(std::iter::empty(), round.sends.len());
    let sends = round.sends.iter().zip(sent).map(|(piece, room)| {
        let elements = parts.elements(&piece.region);
        let is_packed = blank.is_some_and(|blank| packed(elements, blank, room));
        (piece.rank, if is_packed { &room[..] } else { bytes_of(elements) })
    });
    let sends: Vec<(usize, &[u8])> = sends.collect();
    let from: Vec<usize> = pieces.iter().map(|piece| piece.rank).collect();
    // SAFETY: the other ranks send elements of the same type, and `unpack` expands a shorter message to such elements.
    let mut regions: Vec<&mut [u8]> = taken.into_iter().map(|part| unsafe { bytes_of_mut(part) }).collect();
    let Some(blank) = blank else {
        return comm.exchange(&sends, &mut from.into_iter().zip(regions).collect::<Vec<_>>());
    };
    let lengths = comm.exchange_lengths(&sends, &from);
    let mut receives: Vec<(usize, &mut [u8])> = from
        .into_iter()
        .zip(&mut regions)
        .zip(&lengths)
        .map(|((from, region), &length)| (from, &mut region[..length]))
        .collect();
    comm.exchange(&sends, &mut receives);
    regions.into_iter().zip(lengths).for_each(|(region, length)| unpack(region, length, blank));
}

/// The parts of a frame between the removed regions, with their first indices.
struct Parts<'f, T>(Vec<(usize, &'f [T])>);

impl<'f, T> Parts<'f, T> {
    /// The elements of a region that was not removed.
    fn elements(&self, region: &Range<usize>) -> &'f [T] {
        let number = self.0.partition_point(|(start, _)| *start <= region.start) - 1;
        let (start, part) = self.0[number];
        &part[region.start - start..region.end - start]
    }
}

/// Splits regions off a frame. They are in the order of the elements and do not overlap.
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
