//! Loops over blocks on other ranks than their tokens, as an [`Assigner`](crate::blocks::Assigner) has them.
//!
//! Each iteration runs on the rank of its block, and its results go to the rank that has its token: [`Moving`](super::moving). So results, pushes and
//! scan states have the order of the numbers of the blocks.

use super::collector::Collector;
use super::kernel::{Carries, Moves};
use super::opaque::Opaque;
use super::panics::Panics;
use super::plan::Scattered;
use crate::call::Call;
use crate::comm::{Comm, collective};
use crate::runtime::enter_loop;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The iterations that this rank runs. They move to no other rank.
pub(super) struct OnOwners<'p> {
    scattered: &'p Scattered,
    positions: Vec<usize>,
    next: AtomicUsize,
}

impl<'p> OnOwners<'p> {
    pub fn new(scattered: &'p Scattered, rank: usize) -> Self {
        OnOwners { scattered, positions: scattered.positions(rank).collect(), next: AtomicUsize::new(0) }
    }
}

impl Moves for OnOwners<'_> {
    fn home(&self, position: usize) -> usize {
        self.scattered.home(position)
    }

    fn run(&self, _: Option<&dyn Comm>, run: &mut dyn FnMut(usize) -> bool) {
        while let Some(position) = self.positions.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            if !run(*position) {
                return;
            }
        }
    }
}

/// The body from a scan state and a carry, over consecutive positions.
pub(super) type Step<'s> = dyn Fn(Range<usize>, [&mut Opaque; 2]) + 's;

/// Runs all iterations in order. The scan state goes from the rank of a block to the rank of the next one. Returns the state after the last
/// iteration, on all ranks, and this rank's carries.
///
/// # Panics
/// As the sequential loop.
pub(super) fn in_order(
    call: &Call,
    scattered: &Scattered,
    accumulators: &dyn Collector,
    step: &Step<'_>,
) -> (Opaque, Carries) {
    let (comm, rank) = (call.context.comm(), call.context.rank());
    let mut found: Vec<(usize, Opaque)> = Vec::new();
    let mut last = None;
    for turn in scattered.turns() {
        if turn.rank != rank {
            continue;
        }
        let mut value = match turn.before {
            None => accumulators.value(),
            Some(before) => {
                let messages = comm.exchange_messages(&[], &[before]);
                accumulators.decode_value(&mut messages.first().map_or(&[][..], |bytes| &bytes[..]))
            }
        };
        // The results of positions with different homes are apart.
        for positions in scattered.by_home(turn.positions) {
            let (panics, mut carry) = (Panics::new(), accumulators.carry(found.is_empty()));
            let inside = enter_loop(call.context.this_rank());
            panics.guard(positions.start, || step(positions.clone(), [&mut value, &mut carry]));
            drop(inside);
            panics.resume(call);
            found.push((positions.start, carry));
        }
        match turn.after {
            None => last = Some(value),
            Some(after) => {
                let mut bytes = Vec::new();
                accumulators.encode_value(&value, &mut bytes);
                comm.exchange_messages(&[(after, &bytes)], &[]);
            }
        }
    }
    let carries = at_home(call, scattered, accumulators, found);
    (super::over_ranks::of_last(call, accumulators, last), carries)
}

/// Sends the carries to the homes of their positions. Returns those of this rank, in order.
fn at_home(call: &Call, scattered: &Scattered, accumulators: &dyn Collector, found: Vec<(usize, Opaque)>) -> Carries {
    if !accumulators.traits().carries {
        return Carries::new();
    }
    let comm = call.context.comm();
    let (mut own, mut parts) = (Vec::new(), vec![Vec::new(); comm.ranks()]);
    for (first, carry) in found {
        match scattered.home(first) {
            home if home == comm.rank() => own.push((first, carry)),
            home => {
                parts[home].extend_from_slice(&(first as u64).to_le_bytes());
                accumulators.encode_carry(carry, &mut parts[home]);
            }
        }
    }
    for received in collective::all_to_all(comm, &parts) {
        let mut rest = &received[..];
        while let Some((first, behind)) = rest.split_first_chunk() {
            let first = u64::from_le_bytes(*first) as usize;
            rest = behind;
            own.push((first, accumulators.decode_carry(&mut rest)));
        }
    }
    own.sort_by_key(|(first, _)| *first);
    own.into_iter().map(|(_, carry)| carry).collect()
}
