//! Handles for the block of an iteration.

use super::collection::{Collection, Opened};
use super::link::Link;
use super::mail::{Inbox, Message, Receiver};
use crate::data::SharePointer;
use crate::element::Element;
use serde::Serialize;
use std::cell::OnceCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A block that an iteration reads. It dereferences to the user's data, and loads them from disk only then.
pub struct Block<'b, B> {
    collection: &'b Collection<B>,
    at: usize,
    data: OnceCell<Arc<B>>,
}

/// A block that an iteration may change. It dereferences to the user's data, and loads them from disk only then.
pub struct BlockMut<'b, B> {
    collection: &'b Collection<B>,
    at: usize,
    data: OnceCell<Opened<B>>,
    changed: bool,
}

/// The neighbours of a block, one after the other.
#[derive(Debug, Clone)]
pub struct Links {
    links: Arc<[Link]>,
    next: usize,
}

impl Links {
    /// The remaining ones.
    pub fn as_slice(&self) -> &[Link] {
        &self.links[self.next..]
    }
}

impl Iterator for Links {
    type Item = Link;

    fn next(&mut self) -> Option<Link> {
        let link = self.links.get(self.next).copied();
        self.next += usize::from(link.is_some());
        link
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.as_slice().len();
        (left, Some(left))
    }
}

impl ExactSizeIterator for Links {}

macro_rules! both {
    ($($block:ident)*) => {$(
        impl<'b, B> $block<'b, B> {
            /// The number of the block, the same on any number of ranks. In a loop over all blocks it is the number of the iteration, so
            /// `out[block.number()] = ..` writes one element for each block.
            pub fn number(&self) -> usize {
                self.collection.numbers[self.at]
            }

            /// Its neighbours. Does not load the block.
            pub fn links(&self) -> Links {
                Links { links: self.collection.links[self.at].clone(), next: 0 }
            }
        }

        impl<B: fmt::Debug> fmt::Debug for $block<'_, B> {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.debug_struct("Block").field("number", &self.number()).field("data", &**self).finish()
            }
        }
    )*};
}
both!(Block BlockMut);

impl<'b, B> Block<'b, B> {
    pub(super) fn new(collection: &'b Collection<B>, at: usize) -> Self {
        Block { collection, at, data: OnceCell::new() }
    }
}

impl<'b, B> BlockMut<'b, B> {
    pub(super) fn new(collection: &'b Collection<B>, at: usize) -> Self {
        BlockMut { collection, at, data: OnceCell::new(), changed: false }
    }

    /// The messages that have arrived; the iterator removes them. Does not load the block.
    pub fn inbox(&self) -> Inbox {
        Inbox(self.collection.mailboxes[self.at].clone())
    }

    /// Takes the next message that has arrived; `None` if there is none. Does not load the block.
    ///
    /// A loop whose body calls it goes on until no block has messages and none is under way. It runs in *waves*: the first one visits all
    /// blocks, each later one the blocks to which messages have come since. Messages that are sent in a wave arrive in the next one, first by
    /// sender, then in the order of sending. A block that takes some of its messages and leaves others is visited again.
    ///
    /// ```
    /// use forall_core::blocks::Blocks;
    ///
    /// // #[foreach] runs it on all ranks and threads.
    /// fn halved(blocks: &mut Blocks<Vec<u64>>) {
    ///     for mut block in blocks.iter_mut() {
    ///         while let Some(message) = block.receive() {
    ///             let value: u64 = message.read();
    ///             block.push(value);
    ///             if value > 1 {
    ///                 block.send(value as usize % 3, &(value / 2));
    ///             }
    ///         }
    ///     }
    /// }
    ///
    /// let mut blocks = Blocks::from_fn(3, |_| Vec::new());
    /// for block in blocks.iter_mut() {
    ///     block.send(block.number(), &(8 + block.number() as u64));
    /// }
    /// halved(&mut blocks);
    /// assert_eq!(blocks.to_all(), [vec![8, 4], vec![9, 5, 2, 2], vec![10, 4, 2, 1, 1, 1]]);
    /// ```
    ///
    /// If the loop pushes elements (`done.push(e)`), a `DistVec` holds them in the order of the waves, and each wave that pushes may move all
    /// of its elements once on several ranks. A plain `Vec` on several ranks holds those of its own rank, in the order of the waves.
    ///
    /// Cost on several ranks: the messages of a wave, and three small exchanges of all ranks.
    ///
    /// # Without waves
    ///
    /// An annotated loop processes each message as it arrives, if messages do not change blocks, and if their results merge in any order: sums of
    /// integers without overflow checks, and extremes. With `FORALL_STRATEGY=arrivals`, so do pushes, best values and sums with overflow
    /// checks, whose results then are put into order; that pays if a message costs much. Workers take blocks that have
    /// messages, one worker at a time for a block; ranks send at any time, and find the end by counting messages. The result is that of the waves, bit
    /// by bit. `EXPLAIN` says whether a loop runs so, and if not, why. Requirements:
    /// - The body consists of `if block.is_first_visit() { .. }`, variables that are not `mut`, and a last `while let Some(message) = block.receive()
    ///   { .. }` without `break`, `return` and `?`.
    /// - The variable of the loop is not `mut`, so messages do not change the block. Methods of the block do not change it through `&` either (locks,
    ///   atomics); in builds with debug assertions, a block in memory that has changed ends the call.
    /// - The loop writes no array, and updates other variables by sums, minima, maxima, best values or pushes. A sum of floats depends on its
    ///   grouping: a loop with one runs in waves.
    ///
    /// Cost: a visit for each message, if the order of results matters (pushes, best values; and sums with overflow checks), and otherwise for all
    /// messages that wait. Messages then carry the way on which they came: some bytes for each hop, on one rank as a list that they share. On
    /// several ranks, results whose order matters merge wave by wave at the end. If several messages panic, one of them reports it.
    ///
    /// # Seeds
    ///
    /// Seeds may be sent by an earlier loop, as here, or by this one at its [first visit](BlockMut::is_first_visit). A body does not use both
    /// `receive` and [`inbox`](BlockMut::inbox).
    ///
    /// # Panics
    /// If a message cannot be loaded from the store. In an annotated function also if the call is hidden in a function or a macro.
    #[track_caller]
    pub fn receive(&self) -> Option<Message> {
        self.collection.waves.ask();
        self.collection.mailboxes[self.at].take()
    }

    /// Whether the loop visits the block for the first time. A loop whose body calls it visits blocks again when messages have come, as
    /// with [`receive`](BlockMut::receive).
    ///
    /// # Panics
    /// In an annotated function, if the call is hidden in a function or a macro.
    #[track_caller]
    pub fn is_first_visit(&self) -> bool {
        self.collection.waves.ask();
        self.collection.mailboxes[self.at].visits.are_first()
    }

    /// Whether the current wave of a loop that receives omits the block. For expansions.
    #[doc(hidden)]
    pub fn __rests(&self) -> bool {
        !self.collection.mailboxes[self.at].visits.are_due()
    }

    /// Sends a value to a block, by a link or by its number. It arrives in the next round. The receiver may be any block, also this one.
    ///
    /// # Panics
    /// If there is no such block, or serde cannot write the value.
    #[track_caller]
    pub fn send<M: Serialize + ?Sized>(&self, to: impl Receiver, value: &M) {
        self.post(to.block(), Message::of(self.number(), value));
    }

    /// Sends elements of plain data, without serialization.
    ///
    /// # Panics
    /// If there is no such block.
    #[track_caller]
    pub fn send_elements<T: Element>(&self, to: impl Receiver, elements: &[T]) {
        self.post(to.block(), Message::of_elements(self.number(), elements));
    }

    #[track_caller]
    fn post(&self, to: usize, message: Message) {
        let (number, total) = (self.number(), self.collection.total);
        assert!(to < total, "block {number} sends to block {to}, but there are only {total} blocks, from 0 on");
        self.collection.mailboxes[self.at].send(to, message, self.collection.is_out_of_core());
    }
}

impl<B> Deref for Block<'_, B> {
    type Target = B;

    fn deref(&self) -> &B {
        self.data.get_or_init(|| self.collection.open(self.at))
    }
}

impl<B> Deref for BlockMut<'_, B> {
    type Target = B;

    fn deref(&self) -> &B {
        &self.data.get_or_init(|| self.collection.take(self.at)).data
    }
}

impl<B> DerefMut for BlockMut<'_, B> {
    fn deref_mut(&mut self) -> &mut B {
        let _: &B = self;
        self.changed = true;
        let opened = self.data.get_mut().expect("the block was opened");
        Arc::get_mut(&mut opened.data).expect("a block that is open to write has no other readers")
    }
}

/// An annotated function takes a block in place of its data: `advance(&mut block)`.
impl<B> SharePointer for Block<'_, B> {}

/// An annotated function takes a block in place of its data: `advance(&mut block)`.
impl<B> SharePointer for BlockMut<'_, B> {}

impl<B> Drop for Block<'_, B> {
    fn drop(&mut self) {
        if let Some(data) = self.data.take() {
            self.collection.close(self.at, data);
        }
    }
}

impl<B> Drop for BlockMut<'_, B> {
    fn drop(&mut self) {
        if let Some(opened) = self.data.take() {
            self.collection.put_back(self.at, opened, self.changed);
        }
    }
}
