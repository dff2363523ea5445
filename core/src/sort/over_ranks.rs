//! Sorting over ranks: each sorts its share, and each element goes to its rank in one exchange.

use super::order::Order;
use super::workers::Workers;
use super::{merging, splitters};
use crate::data::Cuts;
use crate::element::{Element, bytes_of};
use crate::runtime::Context;
use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};

/// Sorts the whole of which each rank has a share.
pub(super) fn sort<T: Element>(context: &Context, elements: &mut [T], cuts: &Cuts, order: &impl Order<T>) {
    order.sort(Workers::of(context), elements);
    bring_together(context, elements, cuts, order);
}

/// Makes of sorted shares those of the sorted whole.
pub(super) fn bring_together<T: Element>(context: &Context, elements: &mut [T], cuts: &Cuts, order: &impl Order<T>) {
    let workers = Workers::of(context);
    let comm = context.comm();
    let (me, ranks) = (comm.rank(), comm.ranks());
    let places = splitters::places(comm, elements, cuts, order);
    let goes = |from: usize, to: usize| places[from][to]..places[from][to + 1];

    // What comes from each rank is sorted: these are runs, in the order of ranks.
    let mut received = Room::of(elements.len());
    let mut ends = vec![0];
    let (mut receives, mut rest) = (Vec::new(), received.bytes());
    for from in 0..ranks {
        let count = goes(from, me).len();
        let (run, after) = rest.split_at_mut(count * size_of::<T>());
        rest = after;
        ends.push(ends[from] + count);
        if from == me {
            run.copy_from_slice(bytes_of(&elements[goes(me, me)]));
        } else if !run.is_empty() {
            receives.push((from, run));
        }
    }
    assert!(rest.is_empty(), "a share keeps its length");
    let sends: Vec<(usize, &[u8])> = (0..ranks)
        .filter(|to| *to != me && !goes(me, *to).is_empty())
        .map(|to| (to, bytes_of(&elements[goes(me, to)])))
        .collect();
    comm.exchange(&sends, &mut receives);
    // SAFETY: the runs are all of the room, and their bytes are those of elements of this type.
    let mut received = unsafe { received.filled() };
    merging::merge_into(workers, elements, &mut received, ends, |one, other| order.compare(one, other));
}

/// Room for elements whose bytes come from elsewhere: zeros, which the system has at hand, so that none is written twice.
struct Room<T> {
    room: Vec<T>,
    len: usize,
}

impl<T: Element> Room<T> {
    fn of(len: usize) -> Self {
        let layout =
            Layout::array::<T>(len).unwrap_or_else(|_| unreachable!("a share of as many elements is in memory"));
        if layout.size() == 0 {
            return Room { room: Vec::new(), len };
        }
        // SAFETY: the layout is not empty; it is that of a vector with this capacity, of which no element is there yet.
        let room = unsafe {
            let start = alloc_zeroed(layout);
            if start.is_null() {
                handle_alloc_error(layout);
            }
            Vec::from_raw_parts(start.cast(), 0, len)
        };
        Room { room, len }
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: these are the bytes of the room, which are initialised, and borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.room.as_mut_ptr().cast(), self.len * size_of::<T>()) }
    }

    /// # Safety
    /// All bytes have become those of elements.
    unsafe fn filled(mut self) -> Vec<T> {
        // SAFETY: there is room for so many, and the caller's promise.
        unsafe { self.room.set_len(self.len) };
        self.room
    }
}
