//! Sorting on several ranks: each rank sorts its share, and one exchange moves each element to its rank.

use super::buffer::ReceiveBuffer;
use super::order::Order;
use super::workers::Workers;
use super::{merging, splitters};
use crate::data::Cuts;
use crate::element::{Element, bytes_of};
use crate::runtime::Context;

/// Sorts a distributed vector.
pub(super) fn sort<T: Element>(context: &Context, elements: &mut [T], cuts: &Cuts, order: &impl Order<T>) {
    order.sort(Workers::of(context), elements);
    merge_shares(context, elements, cuts, order);
}

/// Merges sorted shares over all ranks.
pub(super) fn merge_shares<T: Element>(context: &Context, elements: &mut [T], cuts: &Cuts, order: &impl Order<T>) {
    let workers = Workers::of(context);
    let comm = context.comm();
    let (me, ranks) = (comm.rank(), comm.ranks());
    let places = splitters::places(comm, elements, cuts, &|one: &T, other: &T| order.compare(one, other));
    let goes = |from: usize, to: usize| places[from][to]..places[from][to + 1];

    // The elements from each rank are a sorted run.
    let mut received = ReceiveBuffer::of(elements.len());
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
    // SAFETY: the runs fill the buffer, and their bytes are those of elements of this type.
    let mut received = unsafe { received.filled() };
    merging::merge_into(workers, elements, &mut received, ends, |one, other| order.compare(one, other));
}
