//! Sorting over ranks: each sorts its share, and each element goes to its rank in one exchange.

use super::order::Order;
use super::workers::Workers;
use super::{merging, splitters};
use crate::data::Cuts;
use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::runtime::Context;

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
    let mut received = elements.to_vec();
    let mut ends = vec![0];
    let (mut receives, mut rest) = (Vec::new(), &mut received[..]);
    for from in 0..ranks {
        let (run, after) = rest.split_at_mut(goes(from, me).len());
        rest = after;
        ends.push(ends[from] + run.len());
        if from == me {
            run.copy_from_slice(&elements[goes(me, me)]);
        } else if !run.is_empty() {
            // SAFETY: the rank sends elements of the same type.
            receives.push((from, unsafe { bytes_of_mut(run) }));
        }
    }
    let sends: Vec<(usize, &[u8])> = (0..ranks)
        .filter(|to| *to != me && !goes(me, *to).is_empty())
        .map(|to| (to, bytes_of(&elements[goes(me, to)])))
        .collect();
    comm.exchange(&sends, &mut receives);
    merging::merge_into(workers, elements, &mut received, ends, |one, other| order.compare(one, other));
}
