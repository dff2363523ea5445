//! Blocks on their way: the bytes of a block with its links and messages; and copies of all blocks on one rank.

use super::link::Link;
use super::mail::Pending;
use super::placement::Placement;
use super::set::Blocks;
use super::written::Written;
use crate::comm::collective;
use crate::data::{Cuts, together};
use crate::runtime::Value;
use serde::{Deserialize, Serialize};

/// A block on its way to another rank.
#[derive(Serialize, Deserialize)]
struct Moving {
    number: usize,
    data: Vec<u8>,
    links: Vec<Link>,
    /// The messages that it has received or sent.
    mail: Vec<u8>,
}

impl<B> Blocks<B> {
    /// A block of this rank as bytes. It stays here.
    ///
    /// # Panics
    /// If serde cannot write the block, or the store cannot read it.
    pub(super) fn packed(&self, number: usize) -> Vec<u8> {
        let (blocks, at) = (self.collection(), self.at(number));
        let failed = |reason: String| -> ! { panic!("block {number} cannot move to another rank: it {reason}") };
        let data = blocks.bytes(at).unwrap_or_else(|reason| failed(reason));
        let mail = blocks.mailboxes[at].saved(number);
        let mail = mail.unwrap_or_else(|error| failed(format!("has a message that cannot be read: {error}")));
        let moving = Moving { number, data, links: blocks.links[at].to_vec(), mail };
        postcard::to_stdvec(&moving).unwrap_or_else(|error| failed(format!("cannot be written: {error}")))
    }

    /// Appends a block that has come from another rank.
    pub(super) fn unpack(&mut self, packed: &[u8]) {
        let moving: Moving = postcard::from_bytes(packed)
            .unwrap_or_else(|error| panic!("a block that has moved cannot be read: {error}; report this as a bug"));
        let Moving { number, data, links, mail } = moving;
        let misfit = || -> ! { panic!("block {number} cannot be read on the rank that it has moved to") };
        let block = self.collection().block_of(&data).unwrap_or_else(|| misfit());
        self.push(number, block, links);
        let blocks = self.collection();
        let (away, mailbox) = (blocks.is_out_of_core(), blocks.mailboxes.last());
        mailbox.and_then(|mailbox| mailbox.restore(&mail, away)).unwrap_or_else(|| misfit());
    }

    /// A copy of all blocks with their links and messages, whose only rank is this one. Collective.
    ///
    /// # Panics
    /// If serde cannot write or read a block, or the store fails.
    pub(crate) fn copied(&self) -> Blocks<B> {
        let mut own = Vec::new();
        for packed in self.collection().numbers.iter().map(|number| self.packed(*number)) {
            own.extend_from_slice(&(packed.len() as u64).to_le_bytes());
            own.extend_from_slice(&packed);
        }
        let values = [Value::same("the number of blocks", self.len() as u64)];
        let all = match self.placement().ranks() {
            1 => own,
            _ => together("FORALL_VERIFY", &values, |comm, _| collective::allgather_varied(comm, &own).0),
        };
        let mut copy = Blocks::alone(self.collection().like());
        let mut rest = &all[..];
        while let Some((length, behind)) = rest.split_first_chunk() {
            let (packed, others) = behind.split_at(u64::from_le_bytes(*length) as usize);
            copy.unpack(packed);
            rest = others;
        }
        copy.arrange(Placement::contiguous(Cuts::from_lengths(&[self.len()])));
        copy
    }

    /// The parts of a block of this rank; `None` if serde cannot write it.
    pub(crate) fn parts(&self, number: usize) -> Option<Written> {
        let (blocks, at) = (self.collection(), self.at(number));
        let data = blocks.open(at);
        let parts = blocks.parts_of(&data);
        blocks.close(at, data);
        parts
    }

    /// The parts of a block, after it was written and read again.
    pub(crate) fn parts_again(&self, number: usize) -> Option<Written> {
        let (blocks, at) = (self.collection(), self.at(number));
        blocks.parts_of(&blocks.block_of(&blocks.bytes(at).ok()?)?)
    }

    /// The messages that a block of this rank has received or sent.
    ///
    /// # Panics
    /// If the store cannot read one.
    pub(crate) fn pending(&self, number: usize) -> Vec<Pending> {
        let mailbox = &self.collection().mailboxes[self.at(number)];
        mailbox
            .pending(number)
            .unwrap_or_else(|error| panic!("block {number} has a message that cannot be read: {error}"))
    }
}
