//! The elements that the tasks of a region lack.

use super::access::Access;
use super::area::Area;
use super::map::Areas;
use super::state::Counters;
use super::unions::Unions;
use crate::comm::Comm;
use crate::runtime::{Along, Rank};
use std::collections::BTreeMap;

/// The objects of a region.
type Accesses<'a, 'r> = &'a mut [Box<dyn Access + 'r>];

/// The messages of this rank: one to each rank that lacks elements of it, and one from each rank that has elements it lacks.
///
/// They follow from the owners, which all ranks know. So both ranks of a message know of it, of its boxes and of its length.
pub(super) struct Transfer {
    sends: Messages,
    receives: Messages,
    /// The copies that ranks get, each with the number of its object.
    copies: Vec<(usize, Area, usize)>,
}

/// For each rank, the boxes of each object.
type Messages = BTreeMap<usize, BTreeMap<usize, Areas>>;

impl Transfer {
    /// The messages for tasks that run on these ranks.
    pub fn new(accesses: Accesses<'_, '_>, unions: &Unions, this: Rank) -> Self {
        let Rank { rank, ranks } = this;
        let mut transfer = Transfer { sends: Messages::new(), receives: Messages::new(), copies: Vec::new() };
        if ranks == 1 {
            return transfer;
        }
        for (number, access) in accesses.iter_mut().enumerate().filter(|(_, access)| access.used().reads()) {
            let knowledge = access.state().knowledge();
            for (to, areas) in unions.of_ranks[number].iter().enumerate() {
                for (part, owner) in areas.areas().flat_map(|area| knowledge.needed(area, to)) {
                    if owner == rank {
                        transfer.sends.entry(to).or_default().entry(number).or_default().add(part);
                    }
                    if to == rank {
                        transfer.receives.entry(owner).or_default().entry(number).or_default().add(part);
                    }
                    transfer.copies.push((number, part, to));
                }
            }
        }
        transfer
    }

    /// Sends and receives the elements. `handshake` attaches the messages, and tells whether the ones to and from its partners have been
    /// exchanged.
    pub fn run(self, accesses: Accesses<'_, '_>, comm: &dyn Comm, handshake: impl FnOnce(&mut Along<'_>) -> bool) {
        let messages: Vec<(usize, Vec<u8>)> =
            self.sends.iter().map(|(to, parts)| (*to, packed(accesses, parts))).collect();
        let mut buffers: Vec<(usize, Vec<u8>)> =
            self.receives.iter().map(|(from, parts)| (*from, vec![0; length(accesses, parts)])).collect();
        let mut along = Along {
            sends: messages.iter().map(|(to, message)| (*to, &message[..])).collect(),
            rooms: buffers.iter_mut().map(|(from, buffer)| (*from, &mut buffer[..])).collect(),
            ..Along::default()
        };
        let exchanged = handshake(&mut along);
        let Along { mut sends, mut rooms, went, came, .. } = along;
        if exchanged {
            sends.retain(|(to, _)| !went.contains(to));
            rooms.retain(|(from, _)| !came.contains(from));
        }
        if !sends.is_empty() || !rooms.is_empty() {
            comm.exchange(&sends, &mut rooms);
        }
        for (parts, (_, buffer)) in self.receives.values().zip(&buffers) {
            let mut rest = &buffer[..];
            for (number, areas) in parts {
                accesses[*number].state().unpack(&areas.canonical(), &mut rest);
            }
        }
        for (number, part, to) in self.copies {
            accesses[number].state().knowledge().copied_in_common(part, to);
        }
    }
}

/// A message, which is counted with its first object.
fn packed(accesses: Accesses<'_, '_>, parts: &BTreeMap<usize, Areas>) -> Vec<u8> {
    let mut message = Vec::with_capacity(length(accesses, parts));
    for (number, areas) in parts {
        accesses[*number].state().pack(&areas.canonical(), &mut message);
    }
    if let Some(number) = parts.keys().next() {
        accesses[*number].state().count(Counters { control: 0, data: 1, bytes: message.len() as u64 });
    }
    message
}

/// The length of a message.
fn length(accesses: Accesses<'_, '_>, parts: &BTreeMap<usize, Areas>) -> usize {
    parts.iter().map(|(number, areas)| areas.count() * accesses[*number].state().size()).sum()
}
