//! Messages between blocks: sent in one round, there in the next.

use super::link::Link;
use crate::comm::{Comm, collective};
use crate::element::{Element, bytes_of, elements_in};
use crate::lock::lock;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::any::type_name;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex};

/// What one block has sent to another.
///
/// It holds one value ([`Message::read`]), or elements of plain data ([`Message::elements`]).
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    from: usize,
    sort: Sort,
    bytes: Vec<u8>,
}

/// What a message is said to hold: a number for each type, the same on all ranks of a program.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sort(u64);

impl Sort {
    /// A value that serde writes. How it is owned makes no difference: what is sent as `&[f32]` may be read as `Vec<f32>`.
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

    /// FNV-1a: short, and the same everywhere.
    fn named(name: &str) -> Self {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Sort(name.bytes().fold(0xcbf2_9ce4_8422_2325, step))
    }
}

impl Message {
    /// A value, which serde writes.
    ///
    /// # Panics
    /// When serde cannot write it.
    pub(super) fn of<M: Serialize + ?Sized>(from: usize, value: &M) -> Self {
        let bytes = postcard::to_stdvec(value)
            .unwrap_or_else(|error| panic!("block {from} cannot send a `{}`: {error}", type_name::<M>()));
        Message { from, sort: Sort::value::<M>(), bytes }
    }

    /// Elements, as they are.
    pub(super) fn of_elements<T: Element>(from: usize, elements: &[T]) -> Self {
        Message { from, sort: Sort::elements::<T>(), bytes: bytes_of(elements).to_vec() }
    }

    /// The block that has sent it.
    pub fn from(&self) -> usize {
        self.from
    }

    /// The value that was sent with [`BlockMut::send`](super::BlockMut::send). How it is owned makes no difference: what was sent as
    /// `&[f32]` or `&str` is read as `Vec<f32>` or `String`.
    ///
    /// # Panics
    /// When a value of another type was sent.
    #[track_caller]
    pub fn read<M: DeserializeOwned>(&self) -> M {
        self.must_be(Sort::value::<M>(), type_name::<M>());
        postcard::from_bytes(&self.bytes).unwrap_or_else(|error| {
            panic!("the message of block {} cannot be read as a `{}`: {error}", self.from, type_name::<M>())
        })
    }

    /// The elements that were sent with [`BlockMut::send_elements`](super::BlockMut::send_elements), where they lie if they are aligned.
    ///
    /// # Panics
    /// When something else was sent.
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

/// What a block has received and sent.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    inbox: Mutex<VecDeque<Message>>,
    outbox: Mutex<Vec<(usize, Message)>>,
}

impl Mailbox {
    /// Keeps a message for the next round.
    pub(super) fn send(&self, to: usize, message: Message) {
        lock(&self.outbox).push((to, message));
    }

    /// How many messages have not been sent off.
    #[cfg(test)]
    fn waiting(&self) -> usize {
        lock(&self.outbox).len()
    }
}

/// The messages of a block that have arrived and have not been taken, in the order of the blocks that have sent them, and of one block in
/// the order in which it has sent them. Those of an earlier round come first.
///
/// It gives them one after the other. What is left there stays for a later round.
#[derive(Debug, Clone)]
pub struct Inbox(pub(super) Arc<Mailbox>);

impl Inbox {
    /// How many messages there are.
    pub fn len(&self) -> usize {
        lock(&self.0.inbox).len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Iterator for Inbox {
    type Item = Message;

    fn next(&mut self) -> Option<Message> {
        lock(&self.0.inbox).pop_front()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len(), Some(self.len()))
    }
}

/// A link, or the number of a block: where a message goes.
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

/// The mailboxes of this rank's blocks, the first of which has this number.
pub(super) struct Post<'p> {
    pub mailboxes: &'p [Arc<Mailbox>],
    pub first: usize,
}

/// What stands before a message that goes to another rank: where it goes, who has sent it, its sort, and its length.
type Head = [u64; 4];

impl Post<'_> {
    /// Brings what was sent to the blocks of this rank. What was sent to those of other ranks waits.
    pub(super) fn deliver_here(&self) {
        self.each_sent(&mut |to, message| match self.mailboxes.get(to.wrapping_sub(self.first)) {
            Some(mailbox) => {
                lock(&mailbox.inbox).push_back(message);
                None
            }
            None => Some(message),
        });
    }

    /// Brings what was sent to its receivers on all ranks; `owner` says which rank has a block. All ranks call it.
    ///
    /// Cost: an [`allgather_varied`](collective::allgather_varied) of what each rank sends to whom, and a message between two ranks where
    /// there is one between their blocks.
    pub(super) fn deliver(&self, comm: &dyn Comm, owner: impl Fn(usize) -> usize) {
        let (me, ranks) = (comm.rank(), comm.ranks());
        if ranks == 1 {
            return self.deliver_here();
        }
        let (mut own, mut parcels) = (Vec::new(), vec![Vec::new(); ranks]);
        self.each_sent(&mut |to, message| {
            match owner(to) {
                owner if owner == me => own.push((to, message)),
                owner => pack(to, &message, &mut parcels[owner]),
            }
            None
        });
        let told = |(to, parcel): (usize, &Vec<u8>)| [me as u64, to as u64, parcel.len() as u64];
        let sent: Vec<(usize, &Vec<u8>)> =
            parcels.iter().enumerate().filter(|(_, parcel)| !parcel.is_empty()).collect();
        let told: Vec<[u64; 3]> = sent.iter().copied().map(told).collect();
        let all = collective::allgather_varied(comm, &told).0;
        let mine = all.iter().filter(|[_, to, _]| *to == me as u64);
        let mut arriving: Vec<(usize, Vec<u8>)> =
            mine.map(|&[from, _, len]| (from as usize, vec![0; len as usize])).collect();
        let sends: Vec<(usize, &[u8])> = sent.iter().map(|(to, parcel)| (*to, &parcel[..])).collect();
        let mut receives: Vec<(usize, &mut [u8])> =
            arriving.iter_mut().map(|(from, parcel)| (*from, &mut parcel[..])).collect();
        if !all.is_empty() {
            comm.exchange(&sends, &mut receives);
        }
        // Lower ranks have the blocks with lower numbers.
        let mut own = Some(own);
        for (from, parcel) in arriving {
            if from > me {
                self.put(own.take().into_iter().flatten());
            }
            self.put(unpack(&parcel));
        }
        self.put(own.into_iter().flatten());
    }

    /// Takes what the blocks have sent, one after the other. What comes back waits.
    fn each_sent(&self, take: &mut dyn FnMut(usize, Message) -> Option<Message>) {
        for mailbox in self.mailboxes {
            let mut outbox = lock(&mailbox.outbox);
            let sent = std::mem::take(&mut *outbox);
            outbox.extend(sent.into_iter().filter_map(|(to, message)| Some((to, take(to, message)?))));
        }
    }

    fn put(&self, messages: impl Iterator<Item = (usize, Message)>) {
        for (to, message) in messages {
            lock(&self.mailboxes[to - self.first].inbox).push_back(message);
        }
    }
}

fn pack(to: usize, message: &Message, parcel: &mut Vec<u8>) {
    let Message { from, sort, bytes } = message;
    let head: Head = [to as u64, *from as u64, sort.0, bytes.len() as u64];
    parcel.extend_from_slice(bytes_of(&[head]));
    parcel.extend_from_slice(bytes);
}

fn unpack(mut parcel: &[u8]) -> impl Iterator<Item = (usize, Message)> {
    std::iter::from_fn(move || {
        let (head, rest) = parcel.split_at_checked(size_of::<Head>())?;
        let &[to, from, sort, len] = elements_in::<Head>(head).first()?;
        let (bytes, rest) = rest.split_at_checked(len as usize)?;
        parcel = rest;
        Some((to as usize, Message { from: from as usize, sort: Sort(sort), bytes: bytes.to_vec() }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::Local;
    use crate::data::Cuts;

    #[test]
    fn how_a_value_is_owned_makes_no_difference() {
        assert_eq!(Message::of(1, &[1_u8, 2][..]).read::<Vec<u8>>(), [1, 2]);
        assert_eq!(Message::of(1, "text").read::<String>(), "text");
        assert_eq!(Message::of(1, &(3_usize, vec![0.5])).read::<(usize, Box<[f64]>)>(), (3, [0.5].into()));
        assert_eq!(*Message::of_elements(1, &[1_u64, 2]).elements::<u64>(), [1, 2]);
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

    /// Every block sends to every other one, and once more to those with even numbers. What arrives where, and in which order?
    #[test]
    fn messages_arrive_in_the_order_of_their_senders() {
        const BLOCKS: usize = 5;
        for ranks in 1..=7 {
            let received = Local::run(ranks, |comm| {
                let cuts = Cuts::even(BLOCKS, ranks);
                let mine = cuts.range(comm.rank());
                let mailboxes: Vec<Arc<Mailbox>> = mine.clone().map(|_| Arc::default()).collect();
                for from in mine.clone() {
                    let send =
                        |to: usize, text: String| mailboxes[from - mine.start].send(to, Message::of(from, &text));
                    (0..BLOCKS).for_each(|to| send(to, format!("{from}>{to} ")));
                    (0..BLOCKS).step_by(2).for_each(|to| send(to, format!("{from}>>{to} ")));
                }
                let owner = |block| cuts.owner(block).unwrap();
                let post = Post { mailboxes: &mailboxes, first: mine.start };
                post.deliver(&comm, owner);
                post.deliver(&comm, owner);
                let texts = mailboxes.iter().map(|mailbox| {
                    assert_eq!(mailbox.waiting(), 0);
                    Inbox(mailbox.clone()).map(|message| message.read::<String>()).collect::<String>()
                });
                texts.collect::<Vec<_>>()
            });
            let expected = (0..BLOCKS).map(|to| {
                let twice =
                    |from| if to % 2 == 0 { format!("{from}>{to} {from}>>{to} ") } else { format!("{from}>{to} ") };
                (0..BLOCKS).map(twice).collect::<String>()
            });
            assert_eq!(received.concat(), expected.collect::<Vec<_>>(), "{ranks} ranks");
        }
    }

    #[test]
    fn what_goes_to_other_ranks_waits_for_them() {
        let mailboxes = [Arc::new(Mailbox::default())];
        let post = Post { mailboxes: &mailboxes, first: 3 };
        for to in [2, 3, 4, 3] {
            mailboxes[0].send(to, Message::of(3, &to));
        }
        post.deliver_here();
        assert_eq!((mailboxes[0].waiting(), Inbox(mailboxes[0].clone()).len()), (2, 2));
    }
}
