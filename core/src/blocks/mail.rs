//! Messages between blocks. They are sent in one round and arrive in the next.

use super::link::Link;
use super::store::{Extent, Store};
use super::visits::Visits;
use crate::comm::{Comm, collective};
use crate::element::{Element, bytes_of, elements_in};
use crate::lock::lock;
use crate::partners::{Piece, Round};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::any::type_name;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex};

/// A message from one block to another.
///
/// It holds one value ([`Message::read`]), or elements of plain data ([`Message::elements`]).
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    from: usize,
    sort: Sort,
    bytes: Vec<u8>,
}

/// The type of a message's content, as a number that is the same on all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sort(u64);

impl Sort {
    /// A value that serde writes. Ownership is ignored: a value sent as `&[f32]` may be read as `Vec<f32>`.
    fn value<M: ?Sized>() -> Self {
        let mut name = type_name::<M>().replace("alloc::string::String", "str");
        for owner in ["alloc::boxed::Box<", "alloc::sync::Arc<", "alloc::rc::Rc<", "&mut ", "&", ">", "]"] {
            name = name.replace(owner, "");
        }
        Sort::named(&name.replace("alloc::vec::Vec<", "["))
    }

    /// Elements of plain data.
    fn elements<T>() -> Self {
        Sort::named(&format!("elements of {}", type_name::<T>()))
    }

    /// The FNV-1a hash, which is the same on all machines.
    fn named(name: &str) -> Self {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Sort(name.bytes().fold(0xcbf2_9ce4_8422_2325, step))
    }
}

impl Message {
    /// A message with a value.
    ///
    /// # Panics
    /// If serde cannot write it.
    pub(super) fn of<M: Serialize + ?Sized>(from: usize, value: &M) -> Self {
        let bytes = postcard::to_stdvec(value)
            .unwrap_or_else(|error| panic!("block {from} cannot send a `{}`: {error}", type_name::<M>()));
        Message { from, sort: Sort::value::<M>(), bytes }
    }

    /// A message with plain data.
    pub(super) fn of_elements<T: Element>(from: usize, elements: &[T]) -> Self {
        Message { from, sort: Sort::elements::<T>(), bytes: bytes_of(elements).to_vec() }
    }

    /// The sender.
    pub fn from(&self) -> usize {
        self.from
    }

    /// The value from [`BlockMut::send`](super::BlockMut::send). Ownership is ignored: `&[f32]` and `&str` are read as `Vec<f32>` and
    /// `String`.
    ///
    /// # Panics
    /// If the message has a value of another type.
    #[track_caller]
    pub fn read<M: DeserializeOwned>(&self) -> M {
        self.must_be(Sort::value::<M>(), type_name::<M>());
        postcard::from_bytes(&self.bytes).unwrap_or_else(|error| {
            panic!("the message of block {} cannot be read as a `{}`: {error}", self.from, type_name::<M>())
        })
    }

    /// The elements from [`BlockMut::send_elements`](super::BlockMut::send_elements), without a copy if they are aligned.
    ///
    /// # Panics
    /// If the message has other content.
    #[track_caller]
    pub fn elements<T: Element>(&self) -> Cow<'_, [T]> {
        self.must_be(Sort::elements::<T>(), &format!("elements of type `{}`", type_name::<T>()));
        elements_in(&self.bytes)
    }

    #[track_caller]
    fn must_be(&self, sort: Sort, name: &str) {
        let from = self.from;
        assert!(
            self.sort == sort,
            "the message of block {from} is read as {name}, and was sent as something else: read what is sent, a value with `read`, \
             elements with `elements`"
        );
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Message").field("from", &self.from).field("bytes", &self.bytes.len()).finish()
    }
}

/// A message in transit, which may be spilled.
#[derive(Debug)]
pub(super) struct Letter {
    from: usize,
    sort: Sort,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    Here(Vec<u8>),
    Away(Extent),
}

/// A message that waits, with its receiver.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Pending {
    pub to: usize,
    pub from: usize,
    /// The type of its content.
    pub sort: u64,
    pub bytes: Vec<u8>,
}

/// Shorter messages stay in memory.
const LONG: usize = 1 << 10;

/// The received and the outgoing messages of a block.
#[derive(Debug)]
pub(super) struct Mailbox {
    store: Arc<Store>,
    inbox: Mutex<VecDeque<Letter>>,
    outbox: Mutex<Vec<(usize, Letter)>>,
    pub(super) visits: Visits,
    /// How the body uses the mailbox, if messages are processed as they arrive.
    uses: Mutex<Option<Uses>>,
}

/// How a visit uses a mailbox.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Uses {
    /// How often it has asked for messages.
    pub asked: usize,
    /// The number of messages that it had sent when it first asked, and when it last did.
    pub sent_before: usize,
    pub sent_until: usize,
}

impl Mailbox {
    /// An empty mailbox. All mailboxes of a rank share a store.
    pub(super) fn new(store: Arc<Store>) -> Self {
        let (inbox, outbox, visits, uses) = Default::default();
        Mailbox { store, inbox, outbox, visits, uses }
    }

    /// Begins a visit that is to take these messages.
    pub(super) fn begin_visit(&self, letters: impl IntoIterator<Item = Letter>) {
        lock(&self.inbox).extend(letters);
        *lock(&self.uses) = Some(Uses::default());
    }

    /// Ends a visit. Returns how it used the mailbox, and the messages that it has sent.
    pub(super) fn end_visit(&self) -> (Uses, Vec<(usize, Letter)>) {
        let uses = lock(&self.uses).take().unwrap_or_default();
        (uses, std::mem::take(&mut *lock(&self.outbox)))
    }

    /// Takes all messages that have arrived.
    pub(super) fn take_all(&self) -> VecDeque<Letter> {
        std::mem::take(&mut *lock(&self.inbox))
    }

    /// Queues a message for the next round. If `away`, long messages are spilled.
    ///
    /// # Panics
    /// If spilling fails.
    pub(super) fn send(&self, to: usize, message: Message, away: bool) {
        let letter = self.letter(message, away);
        lock(&self.outbox).push((to, letter));
    }

    /// Puts a message that has arrived behind the others.
    fn put(&self, letter: Letter) {
        self.visits.arrived();
        lock(&self.inbox).push_back(letter);
    }

    /// Takes the next message that has arrived.
    ///
    /// # Panics
    /// If it cannot be loaded from the store.
    pub(super) fn take(&self) -> Option<Message> {
        if let Some(uses) = &mut *lock(&self.uses) {
            uses.sent_until = lock(&self.outbox).len();
            if uses.asked == 0 {
                uses.sent_before = uses.sent_until;
            }
            uses.asked += 1;
        }
        let letter = lock(&self.inbox).pop_front()?;
        self.visits.took();
        Some(self.opened(letter))
    }

    /// Whether there are messages to take.
    pub(super) fn is_waited_for(&self) -> bool {
        !lock(&self.inbox).is_empty()
    }

    /// If `away`, a long message is spilled.
    ///
    /// # Panics
    /// If spilling fails.
    pub(super) fn letter(&self, Message { from, sort, bytes }: Message, away: bool) -> Letter {
        let bytes = match away && bytes.len() >= LONG {
            true => Bytes::Away(self.store.write(&bytes).unwrap_or_else(|error| {
                panic!(
                    "a message of block {from} cannot be written to the folder {}: {error}; choose one with more space with FORALL_STORE",
                    self.store.folder().display()
                )
            })),
            false => Bytes::Here(bytes),
        };
        Letter { from, sort, bytes }
    }

    /// The message of a letter.
    ///
    /// # Panics
    /// If it cannot be loaded from the store.
    pub(super) fn opened(&self, Letter { from, sort, bytes }: Letter) -> Message {
        let bytes = match bytes {
            Bytes::Here(bytes) => bytes,
            Bytes::Away(extent) => {
                let bytes = self.store.read(extent).unwrap_or_else(|error| {
                    panic!(
                        "a message of block {from} cannot be read back from the folder {}: {error}; the run has to be started again",
                        self.store.folder().display()
                    )
                });
                self.store.free(extent);
                bytes
            }
        };
        Message { from, sort, bytes }
    }

    /// The messages for a checkpoint: the received ones, then the outgoing ones. They stay. `number` is the block's own.
    ///
    /// # Errors
    /// If a spilled message cannot be read.
    pub(super) fn saved(&self, number: usize) -> io::Result<Vec<u8>> {
        let (inbox, outbox) = (lock(&self.inbox), lock(&self.outbox));
        let mut saved = (inbox.len() as u64).to_le_bytes().to_vec();
        let received = inbox.iter().map(|letter| (number, letter));
        for (to, letter) in received.chain(outbox.iter().map(|(to, letter)| (*to, letter))) {
            let bytes = match &letter.bytes {
                Bytes::Here(bytes) => Cow::Borrowed(&bytes[..]),
                Bytes::Away(extent) => Cow::Owned(self.store.read(*extent)?),
            };
            pack(to, letter.from, letter.sort, &bytes, &mut saved);
        }
        Ok(saved)
    }

    /// The messages that the block with this number has received, then those that it has sent.
    ///
    /// # Errors
    /// If a spilled message cannot be read.
    pub(super) fn pending(&self, number: usize) -> io::Result<Vec<Pending>> {
        let saved = self.saved(number)?;
        let mut rest = saved.get(size_of::<u64>()..).unwrap_or_default();
        let mut all = Vec::new();
        while let Some((to, message, others)) = unpacked(rest) {
            all.push(Pending { to, from: message.from, sort: message.sort.0, bytes: message.bytes });
            rest = others;
        }
        Ok(all)
    }

    /// Puts back what [`Mailbox::saved`] gave. `None` if the bytes are no messages.
    ///
    /// # Panics
    /// If a long message has to be spilled and this fails.
    pub(super) fn restore(&self, saved: &[u8], away: bool) -> Option<()> {
        let (received, mut rest) = saved.split_first_chunk()?;
        let mut received = u64::from_le_bytes(*received);
        while !rest.is_empty() {
            let (to, message);
            (to, message, rest) = unpacked(rest)?;
            match received.checked_sub(1) {
                Some(left) => {
                    received = left;
                    lock(&self.inbox).push_back(self.letter(message, away));
                }
                None => self.send(to, message, away),
            }
        }
        (received == 0).then_some(())
    }

    /// Removes all messages, which are elsewhere.
    pub(super) fn clear(&self) {
        let sent = std::mem::take(&mut *lock(&self.outbox)).into_iter().map(|(_, letter)| letter);
        for letter in std::mem::take(&mut *lock(&self.inbox)).into_iter().chain(sent) {
            if let Bytes::Away(extent) = letter.bytes {
                self.store.free(extent);
            }
        }
    }

    /// The number of messages that have not been delivered.
    #[cfg(test)]
    fn waiting(&self) -> usize {
        lock(&self.outbox).len()
    }
}

/// An iterator over the messages of a block that have arrived: first by round, then by sender, then in the order of sending.
///
/// Messages that are not taken stay for a later round.
#[derive(Debug, Clone)]
pub struct Inbox(pub(super) Arc<Mailbox>);

impl Inbox {
    /// The number of messages.
    pub fn len(&self) -> usize {
        lock(&self.0.inbox).len()
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Inbox {
    /// Takes all messages as the pieces of a round of [partners](crate::partners), whose ranks are blocks: each piece with its message, in
    /// the order in which they merge.
    ///
    /// # Panics
    /// If a message is no piece of this round, or a piece is missing.
    #[track_caller]
    pub fn pieces(self, round: &Round) -> Vec<(Piece, Message)> {
        let mut messages: Vec<Option<Message>> = self.map(Some).collect();
        let mut take = |piece: &Piece| {
            let message =
                messages.iter_mut().find(|message| message.as_ref().is_some_and(|one| one.from == piece.rank));
            let message = message.and_then(Option::take);
            (
                piece.clone(),
                message.unwrap_or_else(|| panic!("block {} has not sent its piece of the round", piece.rank)),
            )
        };
        let pieces = round.receives.iter().map(&mut take).collect();
        if let Some(other) = messages.into_iter().flatten().next() {
            panic!("block {} has sent a message that is no piece of the round", other.from)
        }
        pieces
    }
}

impl Iterator for Inbox {
    type Item = Message;

    fn next(&mut self) -> Option<Message> {
        self.0.take()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len(), Some(self.len()))
    }
}

/// The receiver of a message: a link, or the number of a block.
pub trait Receiver {
    /// The number of the block.
    fn block(&self) -> usize;
}

impl Receiver for usize {
    fn block(&self) -> usize {
        *self
    }
}

impl Receiver for Link {
    fn block(&self) -> usize {
        self.to
    }
}

impl<R: Receiver + ?Sized> Receiver for &R {
    fn block(&self) -> usize {
        (**self).block()
    }
}

/// The mailboxes of this rank's blocks.
pub(super) struct Post<'p> {
    pub mailboxes: &'p [Arc<Mailbox>],
    /// The numbers of the blocks, in order.
    pub numbers: &'p [usize],
    /// Whether long messages are spilled.
    pub away: bool,
}

/// The header of a message to another rank: receiver, sender, type, length and checksum.
type Head = [u64; 5];

/// The approximate number of bytes that a rank sends to all others at a time.
const PARCELS: usize = 1 << 26;

impl<'p> Post<'p> {
    /// The mailbox of a block of this rank.
    fn mailbox(&self, number: usize) -> Option<&'p Mailbox> {
        self.numbers.binary_search(&number).ok().map(|at| &*self.mailboxes[at])
    }

    /// Delivers messages between blocks of this rank. Other messages wait.
    pub(super) fn deliver_here(&self) {
        self.each_sent(&mut |_, to, letter| match self.mailbox(to) {
            Some(mailbox) => {
                mailbox.put(letter);
                None
            }
            None => Some(letter),
        });
    }

    /// Delivers all messages; `owner` is the rank of a block. All ranks call it.
    ///
    /// Cost: an [`allgather_varied`](collective::allgather_varied) of the lengths, and a message between two ranks if there is one between
    /// their blocks; repeated for each [`PARCELS`] bytes.
    pub(super) fn deliver(&self, comm: &dyn Comm, owner: impl Fn(usize) -> usize) {
        match comm.ranks() {
            1 => self.deliver_here(),
            ranks => self.deliver_in(comm, owner, PARCELS / ranks),
        }
    }

    /// The same, with about this number of bytes at a time for each rank.
    fn deliver_in(&self, comm: &dyn Comm, owner: impl Fn(usize) -> usize, room: usize) {
        let (me, ranks) = (comm.rank(), comm.ranks());
        let before: Vec<usize> = self.mailboxes.iter().map(|mailbox| lock(&mailbox.inbox).len()).collect();
        let mut waiting: Vec<VecDeque<Outgoing>> = (0..ranks).map(|_| VecDeque::new()).collect();
        self.each_sent(&mut |mailbox, to, letter| {
            match owner(to) {
                owner if owner == me => self.mailbox(to).expect("the block is here").put(letter),
                owner => waiting[owner].push_back(Outgoing { mailbox, to, letter }),
            }
            None
        });
        let mut go_on = true;
        while go_on {
            let parcels: Vec<Vec<u8>> = waiting.iter_mut().map(|letters| parcel(letters, room)).collect();
            let sends: Vec<(usize, &[u8])> =
                parcels.iter().map(|parcel| &parcel[..]).enumerate().filter(|(_, parcel)| !parcel.is_empty()).collect();
            let header = |(to, parcel): &(usize, &[u8])| {
                [me as u64, *to as u64, parcel.len() as u64, u64::from(!waiting[*to].is_empty())]
            };
            let headers: Vec<[u64; 4]> = sends.iter().map(header).collect();
            let all = collective::allgather_varied(comm, &headers).0;
            let mine = all.iter().filter(|[_, to, ..]| *to == me as u64);
            let mut arriving: Vec<(usize, Vec<u8>)> =
                mine.map(|&[from, _, len, _]| (from as usize, vec![0; len as usize])).collect();
            let mut receives: Vec<(usize, &mut [u8])> =
                arriving.iter_mut().map(|(from, parcel)| (*from, &mut parcel[..])).collect();
            if !all.is_empty() {
                comm.exchange(&sends, &mut receives);
            }
            for (to, message) in arriving.iter().flat_map(|(from, parcel)| unpack(*from, parcel)) {
                let mailbox = self.mailbox(to).unwrap_or_else(|| damaged(me));
                mailbox.put(mailbox.letter(message, self.away));
            }
            go_on = all.iter().any(|[.., more]| *more > 0);
        }
        for (mailbox, before) in self.mailboxes.iter().zip(before) {
            lock(&mailbox.inbox).make_contiguous()[before..].sort_by_key(|letter| letter.from);
        }
    }

    /// Takes the outgoing messages one after the other. A message that `take` returns waits.
    fn each_sent<'m>(&'m self, take: &mut dyn FnMut(&'m Mailbox, usize, Letter) -> Option<Letter>) {
        for mailbox in self.mailboxes {
            let mut outbox = lock(&mailbox.outbox);
            let sent = std::mem::take(&mut *outbox);
            outbox.extend(sent.into_iter().filter_map(|(to, letter)| Some((to, take(mailbox, to, letter)?))));
        }
    }
}

/// A letter to another rank.
struct Outgoing<'m> {
    mailbox: &'m Mailbox,
    to: usize,
    letter: Letter,
}

/// Packs letters up to about this number of bytes, at least one letter.
fn parcel(letters: &mut VecDeque<Outgoing<'_>>, room: usize) -> Vec<u8> {
    let mut parcel = Vec::new();
    while (parcel.is_empty() || parcel.len() < room)
        && let Some(Outgoing { mailbox, to, letter }) = letters.pop_front()
    {
        let Message { from, sort, bytes } = mailbox.opened(letter);
        pack(to, from, sort, &bytes, &mut parcel);
    }
    parcel
}

fn pack(to: usize, from: usize, sort: Sort, bytes: &[u8], parcel: &mut Vec<u8>) {
    let words = [to as u64, from as u64, sort.0, bytes.len() as u64];
    let head: Head = [words[0], words[1], words[2], words[3], checksum(words, bytes)];
    parcel.extend_from_slice(bytes_of(&[head]));
    parcel.extend_from_slice(bytes);
}

impl Message {
    /// Packs the message for another rank.
    pub(super) fn pack(&self, to: usize, parcel: &mut Vec<u8>) {
        pack(to, self.from, self.sort, &self.bytes, parcel);
    }
}

/// The checksum of a packed message.
fn checksum(words: [u64; 4], bytes: &[u8]) -> u64 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(bytes_of(&words));
    hasher.update(bytes);
    u64::from(hasher.finalize())
}

/// The messages that a rank has sent, with their receivers.
///
/// # Panics
/// If bytes have changed on their way.
fn unpack(from: usize, mut parcel: &[u8]) -> impl Iterator<Item = (usize, Message)> {
    std::iter::from_fn(move || {
        let (to, message);
        if parcel.is_empty() {
            return None;
        }
        (to, message, parcel) = unpacked(parcel).unwrap_or_else(|| damaged(from));
        Some((to, message))
    })
}

/// Reports bytes of a rank that have changed.
pub(super) fn damaged(from: usize) -> ! {
    panic!(
        "messages of blocks from rank {from} have changed on their way: their checksums are wrong; restart the run from a checkpoint, and \
         test the network and the memory of both machines"
    )
}

/// The first message of a parcel with its receiver, and the rest. `None` if bytes have changed.
pub(super) fn unpacked(parcel: &[u8]) -> Option<(usize, Message, &[u8])> {
    let (head, rest) = parcel.split_at_checked(size_of::<Head>())?;
    let &[to, from, sort, len, check] = elements_in::<Head>(head).first()?;
    let (bytes, rest) = rest.split_at_checked(usize::try_from(len).ok()?)?;
    let message = Message { from: from as usize, sort: Sort(sort), bytes: bytes.to_vec() };
    (checksum([to, from, sort, len], bytes) == check).then_some((to as usize, message, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::Local;
    use crate::data::Cuts;

    /// The mailboxes of a rank.
    fn mailboxes(count: usize) -> Vec<Arc<Mailbox>> {
        let store = Arc::new(Store::new(std::env::temp_dir()));
        (0..count).map(|_| Arc::new(Mailbox::new(store.clone()))).collect()
    }

    #[test]
    fn how_a_value_is_owned_makes_no_difference() {
        assert_eq!(Message::of(1, &[1_u8, 2][..]).read::<Vec<u8>>(), [1, 2]);
        assert_eq!(Message::of(1, "text").read::<String>(), "text");
        assert_eq!(Message::of(1, &(3_usize, vec![0.5])).read::<(usize, Box<[f64]>)>(), (3, [0.5].into()));
        assert_eq!(*Message::of_elements(1, &[1_u64, 2]).elements::<u64>(), [1, 2]);
    }

    #[test]
    fn a_message_that_changes_on_its_way_is_an_error() {
        let mut parcel = Vec::new();
        pack(3, 4, Sort(7), b"a message", &mut parcel);
        assert_eq!(
            unpack(1, &parcel).map(|(to, message)| (to, message.from, message.bytes.len())).collect::<Vec<_>>(),
            [(3, 4, 9)]
        );
        for byte in 0..parcel.len() {
            let mut changed = parcel.clone();
            changed[byte] ^= 1 << (byte % 8);
            let fails = std::panic::catch_unwind(|| unpack(1, &changed).count());
            let message = crate::error::panic_message(&*fails.unwrap_err()).to_owned();
            assert!(message.contains("from rank 1 have changed on their way"), "{message}");
        }
        assert!(std::panic::catch_unwind(|| unpack(1, &parcel[..20]).count()).is_err());
    }

    #[test]
    fn another_type_is_an_error() {
        let wrong = |read: &(dyn Fn() + std::panic::RefUnwindSafe)| {
            let payload = std::panic::catch_unwind(read).unwrap_err();
            let message = crate::error::panic_message(&*payload).to_owned();
            assert!(message.contains("the message of block 7 is read as"), "{message}");
        };
        wrong(&|| _ = Message::of(7, &1_u32).read::<i32>());
        wrong(&|| _ = Message::of(7, &[1_u32][..]).read::<u32>());
        wrong(&|| drop(Message::of_elements(7, &[1_u32]).read::<Vec<u32>>()));
        wrong(&|| drop(Message::of_elements(7, &[1_u32]).elements::<i32>()));
    }

    /// Every block sends a message to every other one, and a second one to blocks with even numbers.
    #[test]
    fn messages_arrive_in_the_order_of_their_senders() {
        const BLOCKS: usize = 5;
        for (ranks, away) in (1..=7).flat_map(|ranks| [(ranks, false), (ranks, true)]) {
            let received = Local::run(ranks, |comm| {
                let cuts = Cuts::even(BLOCKS, ranks);
                let mine = cuts.range(comm.rank());
                let mailboxes = mailboxes(mine.len());
                for from in mine.clone() {
                    let send = |to: usize, text: String| {
                        let text = text.repeat(if (from + to).is_multiple_of(3) { 300 } else { 1 });
                        mailboxes[from - mine.start].send(to, Message::of(from, &text), away);
                    };
                    (0..BLOCKS).for_each(|to| send(to, format!("{from}>{to} ")));
                    (0..BLOCKS).step_by(2).for_each(|to| send(to, format!("{from}>>{to} ")));
                }
                let owner = |block| cuts.owner(block).unwrap();
                let numbers: Vec<usize> = mine.clone().collect();
                let post = Post { mailboxes: &mailboxes, numbers: &numbers, away };
                // One letter at a time, or all at once.
                post.deliver_in(&comm, owner, if away { 0 } else { PARCELS });
                post.deliver(&comm, owner);
                let texts = mailboxes.iter().map(|mailbox| {
                    assert_eq!(mailbox.waiting(), 0);
                    Inbox(mailbox.clone()).map(|message| message.read::<String>()).collect::<String>()
                });
                texts.collect::<Vec<_>>()
            });
            let expected = (0..BLOCKS).map(|to| {
                let twice = |from: usize| {
                    let repeats = if (from + to).is_multiple_of(3) { 300 } else { 1 };
                    let first = format!("{from}>{to} ").repeat(repeats);
                    if to % 2 == 0 { first + &format!("{from}>>{to} ").repeat(repeats) } else { first }
                };
                (0..BLOCKS).map(twice).collect::<String>()
            });
            assert_eq!(received.concat(), expected.collect::<Vec<_>>(), "{ranks} ranks");
        }
    }

    #[test]
    fn what_goes_to_other_ranks_waits_for_them() {
        let mailboxes = mailboxes(1);
        let post = Post { mailboxes: &mailboxes, numbers: &[3], away: false };
        for to in [2, 3, 4, 3] {
            mailboxes[0].send(to, Message::of(3, &to), false);
        }
        post.deliver_here();
        assert_eq!((mailboxes[0].waiting(), Inbox(mailboxes[0].clone()).len()), (2, 2));
    }

    #[test]
    fn a_message_that_cannot_be_written_is_an_error_with_a_remedy() {
        let mailbox = Mailbox::new(Arc::new(Store::new("/nonexistent/folder".into())));
        // A short one needs no folder.
        mailbox.send(1, Message::of_elements(4, &[0_u8; LONG - 1]), true);
        let long = std::panic::AssertUnwindSafe(|| mailbox.send(1, Message::of_elements(4, &[0_u8; LONG]), true));
        let payload = std::panic::catch_unwind(long).unwrap_err();
        let message = crate::error::panic_message(&*payload).to_owned();
        assert!(
            message.contains("a message of block 4 cannot be written") && message.contains("FORALL_STORE"),
            "{message}"
        );
        assert_eq!(mailbox.waiting(), 1);
    }
}
