//! Messages between ranks that all of them expect.

use crate::comm::Comm;
use crate::runtime::{Agreed, Value};
use std::collections::BTreeMap;

/// The ranks that get a message from this one, as words of a handshake. So all ranks know who sends to whom.
pub(super) struct Recipients(Vec<u64>);

impl Recipients {
    /// These ranks.
    pub fn new(ranks: usize, of: impl IntoIterator<Item = usize>) -> Self {
        let mut words = vec![0; words(ranks)];
        of.into_iter().for_each(|rank| words[rank / 64] |= 1 << (rank % 64));
        Recipients(words)
    }

    /// The values for the handshake.
    pub fn values<'a>(&self) -> impl Iterator<Item = Value<'a>> + '_ {
        self.0.iter().map(|word| Value::own("the ranks that get a message", *word))
    }
}

/// The number of words for the recipients of a rank.
pub(super) fn words(ranks: usize) -> usize {
    ranks.div_ceil(64)
}

/// The ranks that send a message to `to`. `first` is the number of values before the recipients.
pub(super) fn senders(agreed: &Agreed, first: usize, to: usize) -> Vec<usize> {
    let word = agreed.of(first + to / 64);
    word.enumerate().filter(|(_, word)| word >> (to % 64) & 1 == 1).map(|(rank, _)| rank).collect()
}

/// Whether any rank sends a message.
pub(super) fn any(agreed: &Agreed, first: usize, ranks: usize) -> bool {
    (first..first + words(ranks)).any(|at| agreed.of(at).any(|word| word != 0))
}

/// Sends these messages, and returns those of the senders, in their order.
pub(super) fn exchange(comm: &dyn Comm, messages: &BTreeMap<usize, Vec<u8>>, from: &[usize]) -> Vec<Vec<u8>> {
    let sends: Vec<(usize, &[u8])> = messages.iter().map(|(to, message)| (*to, &message[..])).collect();
    comm.exchange_messages(&sends, from)
}

/// Writes a part of the protocol.
pub(super) fn written(value: &impl serde::Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).expect("boxes and ranks are numbers")
}

/// Reads a part of the protocol, and moves past it.
pub(super) fn read<V: serde::de::DeserializeOwned>(from: &mut &[u8]) -> V {
    let (value, rest) = postcard::take_from_bytes(from).expect("all ranks run the same program");
    *from = rest;
    value
}
