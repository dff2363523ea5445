//! The distributed set of blocks.

use super::arrivals::Arrivals;
use super::block::{Block, BlockMut};
use super::collection::{BlockData, Collection, Limit, Moved};
use super::link::Link;
use super::parts::Parts;
use super::placement::{Assigner, Placement};
use crate::call::Call;
use crate::comm::collective;
use crate::data::{Cuts, Local, LocalMut, Room, Share, ShareMut, Shared, SharedMut, Stays, together};
use crate::explain;
use crate::lock::lock;
use crate::parameter::{Input, Output};
use crate::runtime::{self, Helpers, Value};
use crate::settings::Settings;
use bytemuck::NoUninit;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// The blocks of all ranks. Each rank has some of them: an [`Assigner`] decides which.
///
/// A block is any type that serde can write. There may be more blocks than ranks and workers, and more than fit into memory: at most
/// `FORALL_BLOCKS` are resident on a rank, and the others are spilled to disk and loaded on demand. An iteration over a block runs on the
/// rank that has the block:
///
/// ```text
/// #[foreach]
/// fn advance(blocks: &mut Blocks<Region>) {
///     for mut block in blocks.iter_mut() {
///         block.advance();
///     }
/// }
/// ```
///
/// A loop over [`iter_mut`](Blocks::iter_mut) is a *round*: messages from earlier loops have arrived when it begins. A message that is not
/// taken stays for the next round. On one rank, and without the attribute, the program has the same results.
///
/// ```
/// use forall_core::blocks::{Blocks, Link};
///
/// // Three blocks in a ring.
/// let mut blocks = Blocks::linked(3, |number| (10 * number as u32, vec![Link::to((number + 1) % 3)]));
/// for mut block in blocks.iter_mut() {
///     for link in block.links() {
///         let value = *block;
///         block.send(link, &value);
///     }
/// }
/// for mut block in blocks.iter_mut() {
///     for message in block.inbox() {
///         *block += message.read::<u32>();
///     }
/// }
/// assert_eq!(blocks.to_all(), [20, 10, 30]);
/// ```
///
/// Methods that are *collective* communicate: all ranks call them, in the same order and with the same arguments. The blocks stay on the
/// thread whose rank they belong to.
pub struct Blocks<B> {
    placement: Placement,
    rank: usize,
    tokens: Vec<Token>,
    /// The tokens of this rank's blocks, for calls of this rank alone.
    own: Vec<Token>,
    collection: Arc<Collection<B>>,
}

/// A token for a block in the arrays of a loop. Write access to the token permits opening the block for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, NoUninit)]
#[repr(transparent)]
pub struct Token(usize);

impl<B: BlockData> Blocks<B> {
    /// `f(0)`, `f(1)`, .. `f(n - 1)`: each rank makes its own blocks, in order. They have no links. Needs no communication.
    ///
    /// ```
    /// use forall_core::blocks::Blocks;
    ///
    /// let blocks = Blocks::from_fn(4, |number| vec![number; 3]);
    /// assert_eq!(blocks.len(), 4);
    /// ```
    ///
    /// # Panics
    /// If a block has to be spilled and this fails.
    pub fn from_fn(n: usize, mut f: impl FnMut(usize) -> B) -> Self {
        Self::linked(n, |number| (f(number), Vec::new()))
    }

    /// The same, each with its links.
    ///
    /// # Panics
    /// As [`Blocks::from_fn`], and if a link leads to a block that does not exist.
    #[track_caller]
    pub fn linked(n: usize, f: impl FnMut(usize) -> (B, Vec<Link>)) -> Self {
        Self::assigned(n, &Assigner::Contiguous, f)
    }

    /// The same, each with its links and on the rank that the assigner gives it. All ranks give equal assigners.
    ///
    /// # Panics
    /// As [`Blocks::linked`], and if the assigner does not fit the number of blocks or of ranks.
    #[track_caller]
    pub fn assigned(n: usize, assigner: &Assigner, mut f: impl FnMut(usize) -> (B, Vec<Link>)) -> Self {
        let placement = assigner.place(n, runtime::this_rank().ranks);
        let numbers = placement.numbers(runtime::this_rank().rank);
        let mut blocks = Self::none_in(placement);
        for number in numbers {
            let (data, links) = f(number);
            blocks.push(number, data, links);
        }
        blocks
    }

    /// A set that will have this number of blocks. The caller pushes those of this rank.
    pub(super) fn none_of(n: usize) -> Self {
        Self::none_in(Assigner::Contiguous.place(n, runtime::this_rank().ranks))
    }

    /// The same, with this placement.
    fn none_in(placement: Placement) -> Self {
        let (rank, n) = (runtime::this_rank().rank, placement.total());
        // Before the program is started, the first annotated call reports errors in the settings.
        let settings = runtime::current().map(|context| context.settings().clone());
        let Settings { blocks, block_bytes, store, .. } =
            settings.or_else(|| Settings::from_env().ok()).unwrap_or_default();
        let (limit, folder) = (Limit::new(blocks, block_bytes), store.unwrap_or_else(std::env::temp_dir));
        let tokens = placement.tokens(rank).map(Token).collect();
        let own = placement.numbers(rank).into_iter().map(Token).collect();
        Blocks { placement, rank, tokens, own, collection: Arc::new(Collection::new(n, limit, folder)) }
    }

    /// A block for each part of a domain, with links to its neighbours: of a grid ([`Decomposition`](super::Decomposition)), of a mesh with
    /// several levels ([`AdaptiveMesh`](super::AdaptiveMesh)), or of your own ([`Parts`]).
    ///
    /// ```
    /// use forall_core::blocks::{Blocks, Decomposition};
    ///
    /// let parts = Decomposition::new([20, 30], 6);
    /// let sums = Blocks::over(&parts, |part| part.own.len());
    /// assert_eq!(sums.to_all().iter().sum::<usize>(), 20 * 30);
    /// ```
    ///
    /// # Panics
    /// As [`Blocks::linked`].
    #[track_caller]
    pub fn over<P: Parts + ?Sized>(parts: &P, mut f: impl FnMut(&P::Part) -> B) -> Self {
        let block = |number| {
            let (part, links) = parts.numbered(number);
            (f(&part), links)
        };
        Self::linked(parts.count(), block)
    }
}

impl<B> Blocks<B> {
    /// A set without blocks on a single rank. The caller pushes them, and then [arranges](Blocks::arrange) them.
    pub(super) fn alone(collection: Collection<B>) -> Self {
        let placement = Placement::contiguous(Cuts::from_lengths(&[0]));
        Blocks { placement, rank: 0, tokens: Vec::new(), own: Vec::new(), collection: Arc::new(collection) }
    }

    /// Keeps the blocks that are on this rank by a placement, in order. The caller has pushed the others.
    pub(super) fn arrange(&mut self, placement: Placement) {
        let collection = Arc::get_mut(&mut self.collection).expect("blocks move outside of loops");
        collection.arrange(|number| placement.owner(number) == Some(self.rank));
        self.tokens = placement.tokens(self.rank).map(Token).collect();
        self.own = placement.numbers(self.rank).into_iter().map(Token).collect();
        self.placement = placement;
    }

    /// Appends a block of this rank.
    #[track_caller]
    pub(super) fn push(&mut self, number: usize, data: B, links: Vec<Link>) {
        let collection = Arc::get_mut(&mut self.collection).expect("a set that is being made has one owner");
        let n = collection.total;
        let wrong = links.iter().find(|link| link.to >= n);
        assert!(
            wrong.is_none(),
            "block {number} has a link to block {}, but there are only {n} blocks, from 0 on",
            wrong.map_or(0, |link| link.to)
        );
        collection.push(number, data, links);
    }

    /// This rank's blocks.
    pub(super) fn collection(&self) -> &Collection<B> {
        &self.collection
    }

    /// The position of a block of this rank.
    pub(super) fn at(&self, number: usize) -> usize {
        self.collection.at(number).unwrap_or_else(|| panic!("block {number} is on another rank"))
    }

    pub(super) fn placement(&self) -> &Placement {
        &self.placement
    }

    pub(super) fn rank(&self) -> usize {
        self.rank
    }

    /// The number of blocks on all ranks.
    pub fn len(&self) -> usize {
        self.placement.total()
    }

    /// Whether no rank has a block.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of this rank's blocks, in order.
    pub fn numbers(&self) -> &[usize] {
        &self.collection.numbers
    }

    /// The rank of a block; `None` if there is no such block. All ranks know it of all blocks, so it needs no communication.
    ///
    /// ```
    /// use forall_core::blocks::Blocks;
    ///
    /// let blocks = Blocks::from_fn(4, |number| number);
    /// assert_eq!((blocks.rank_of(2), blocks.rank_of(4)), (Some(0), None));
    /// ```
    pub fn rank_of(&self, number: usize) -> Option<usize> {
        self.placement.owner(number)
    }

    /// The traffic between this rank's memory and its disk so far.
    pub fn moved(&self) -> Moved {
        self.collection.moved()
    }

    /// This rank's blocks, for reading. In an annotated function, the blocks of all ranks.
    pub fn iter(&self) -> Iter<'_, B> {
        Iter { collection: &self.collection, left: 0..self.numbers().len() }
    }

    /// A round over this rank's blocks; in an annotated function, over the blocks of all ranks. Messages to them arrive before it begins;
    /// outside annotated functions only messages from this rank's blocks.
    pub fn iter_mut(&mut self) -> IterMut<'_, B> {
        let Collection { waves, mailboxes, .. } = &*self.collection;
        self.collection.post().deliver_here();
        waves.begin(mailboxes, false);
        IterMut { collection: &self.collection, left: (0..self.numbers().len()).collect::<Vec<_>>().into_iter() }
    }

    /// Copies of all blocks, in order, on all ranks. Collective: for small results.
    ///
    /// ```
    /// use forall_core::blocks::Blocks;
    ///
    /// assert_eq!(Blocks::from_fn(3, |number| number * number).to_all(), [0, 1, 4]);
    /// ```
    ///
    /// # Panics
    /// If serde cannot write or read a block.
    pub fn to_all(&self) -> Vec<B> {
        let values = [Value::same("the number of blocks", self.len() as u64)];
        let mine = self.iter();
        let own: Vec<Vec<u8>> = mine.map(|block| self.collection.written(block.number(), &block)).collect();
        let lengths: Vec<u64> = own.iter().map(|bytes| bytes.len() as u64).collect();
        let own = own.concat();
        let ranks = self.placement.ranks();
        let (bytes, lengths) = match ranks {
            1 => (own, lengths),
            _ => together("Blocks::to_all", &values, |comm, _| {
                (collective::allgather_varied(comm, &own).0, collective::allgather_varied(comm, &lengths).0)
            }),
        };
        let mut rest = &bytes[..];
        let mut read = |(number, length): (usize, u64)| {
            let (bytes, others) = rest.split_at(length as usize);
            rest = others;
            (number, self.collection.read_from(number, bytes))
        };
        let numbers = (0..ranks).flat_map(|rank| self.placement.numbers(rank));
        let mut all: Vec<(usize, B)> = numbers.zip(lengths).map(&mut read).collect();
        all.sort_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, block)| block).collect()
    }
}

impl<B> fmt::Debug for Blocks<B> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Blocks")
            .field("len", &self.len())
            .field("numbers", &self.numbers())
            .finish_non_exhaustive()
    }
}

// SAFETY: tokens have no space around them.
unsafe impl<B> Shared<Token> for Blocks<B> {
    fn share(&self) -> Share<'_, Token> {
        Share {
            local: Local::from(&self.tokens[..]),
            cuts: Some(self.placement.cuts()),
            room: Room::default(),
            plain: false,
        }
    }
}

// SAFETY: as above.
unsafe impl<B> SharedMut<Token> for Blocks<B> {
    fn share_mut(&mut self) -> ShareMut<'_, Token> {
        ShareMut {
            local: LocalMut::from(&mut self.tokens[..]),
            cuts: Some(self.placement.cuts()),
            room: Room::default(),
        }
    }
}

/// Blocks, for reading: [`Blocks::iter`].
#[derive(Debug)]
pub struct Iter<'b, B> {
    collection: &'b Collection<B>,
    left: Range<usize>,
}

impl<'b, B> Iterator for Iter<'b, B> {
    type Item = Block<'b, B>;

    fn next(&mut self) -> Option<Block<'b, B>> {
        self.left.next().map(|at| Block::new(self.collection, at))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<Block<'b, B>> {
        self.left.nth(n).map(|at| Block::new(self.collection, at))
    }
}

impl<B> DoubleEndedIterator for Iter<'_, B> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.left.next_back().map(|at| Block::new(self.collection, at))
    }
}

impl<B> ExactSizeIterator for Iter<'_, B> {}

/// A round over blocks: [`Blocks::iter_mut`].
///
/// The lengths are those of the current wave: if blocks [receive](BlockMut::receive), the blocks to which messages have come follow.
#[derive(Debug)]
pub struct IterMut<'b, B> {
    collection: &'b Collection<B>,
    /// The blocks that the current wave has not visited.
    left: std::vec::IntoIter<usize>,
}

impl<'b, B> Iterator for IterMut<'b, B> {
    type Item = BlockMut<'b, B>;

    fn next(&mut self) -> Option<BlockMut<'b, B>> {
        if self.left.len() == 0 {
            self.left = self.collection.waves.next_here(&self.collection.post()).into_iter();
        }
        self.left.next().map(|at| BlockMut::new(self.collection, at))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl<B> DoubleEndedIterator for IterMut<'_, B> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.left.next_back().map(|at| BlockMut::new(self.collection, at))
    }
}

impl<B> ExactSizeIterator for IterMut<'_, B> {}

impl<'b, B> IntoIterator for &'b Blocks<B> {
    type Item = Block<'b, B>;
    type IntoIter = Iter<'b, B>;

    fn into_iter(self) -> Iter<'b, B> {
        self.iter()
    }
}

impl<'b, B> IntoIterator for &'b mut Blocks<B> {
    type Item = BlockMut<'b, B>;
    type IntoIter = IterMut<'b, B>;

    fn into_iter(self) -> IterMut<'b, B> {
        self.iter_mut()
    }
}

/// The blocks of an argument inside an annotated function, in addition to the tokens in its loops.
#[derive(Debug)]
pub struct Inside<B> {
    collection: Arc<Collection<B>>,
    /// The rank of each block, if these are not the ranks of the tokens.
    owners: Option<Arc<[usize]>>,
    /// Whether a loop that receives is running.
    receiving: AtomicBool,
    /// Whether it has not yet run a wave.
    begins: AtomicBool,
    /// That loop, if its messages may be processed as they arrive.
    arrivals: Mutex<Option<Arc<Arrivals>>>,
    /// The fingerprints of the blocks before such a loop.
    before: Mutex<Vec<Option<u64>>>,
    /// The workers for annotated calls in a block, if there are fewer blocks than workers.
    helpers: OnceLock<Helpers>,
}

impl<B> Inside<B> {
    /// The blocks of an argument.
    pub fn of(blocks: &Blocks<B>) -> Self {
        let (receiving, begins, arrivals, before, helpers) = Default::default();
        let (collection, owners) = (blocks.collection.clone(), blocks.placement.owners().cloned());
        Inside { collection, owners, receiving, begins, arrivals, before, helpers }
    }

    /// Begins a round on all ranks: delivers all messages. A loop that receives has done so in [`Inside::is_active`].
    pub fn begin(&self, call: &Call, blocks: &Output<'_, Token>) {
        if !self.receiving.load(Ordering::Relaxed) {
            self.deliver(call, blocks);
            self.collection.waves.begin(&self.collection.mailboxes, true);
        }
    }

    /// Begins the next wave of a loop that receives. Returns whether there is one: the first one, or later ones if blocks of any rank have
    /// messages.
    pub fn is_active(&self, call: &Call, blocks: &Output<'_, Token>) -> bool {
        let Collection { waves, mailboxes, .. } = &*self.collection;
        let first = !self.receiving.swap(true, Ordering::Relaxed);
        self.begins.store(first, Ordering::Relaxed);
        let arrivals = lock(&self.arrivals).take();
        if let Some(arrivals) = arrivals.filter(|arrivals| !first && arrivals.has_run()) {
            self.must_be_unchanged();
            // All ranks have the same passes.
            let goes_on = arrivals.has_pass();
            self.receiving.store(goes_on, Ordering::Relaxed);
            *lock(&self.arrivals) = Some(arrivals).filter(|_| goes_on);
            return goes_on;
        }
        self.deliver(call, blocks);
        if first {
            waves.begin(mailboxes, false);
            return true;
        }
        let own = [waves.listen(), waves.next(mailboxes)];
        let all = match call.alone() {
            true => own.map(u8::from).to_vec(),
            false => collective::allgather(call.comm(), &own.map(u8::from)),
        };
        let any = |which: usize| all.iter().skip(which).step_by(own.len()).any(|flag| *flag == 1);
        let goes_on = any(0) && any(1);
        self.receiving.store(goes_on, Ordering::Relaxed);
        goes_on
    }

    /// The running loop that receives, whose messages may be processed as they arrive: before its first wave, and after it has run so.
    pub fn arrivals(&self, blocks: &Output<'_, Token>) -> Option<Arc<Arrivals>> {
        let mut arrivals = lock(&self.arrivals);
        if self.begins.load(Ordering::Relaxed) {
            let Collection { mailboxes, numbers, .. } = &*self.collection;
            let away = self.collection.is_out_of_core();
            *arrivals = Some(Arrivals::new(mailboxes, numbers, away, blocks.place()));
            if cfg!(debug_assertions) {
                *lock(&self.before) = self.collection.fingerprints();
            }
        }
        arrivals.clone()
    }

    /// # Panics
    /// If a block is no longer as it was before its messages were processed as they arrived.
    fn must_be_unchanged(&self) {
        let before = std::mem::take(&mut *lock(&self.before));
        if before.is_empty() {
            return;
        }
        let now = self.collection.fingerprints();
        let is_other =
            |(before, now): (&Option<u64>, &Option<u64>)| before.zip(*now).is_some_and(|(old, new)| old != new);
        if let Some(at) = before.iter().zip(&now).position(is_other) {
            panic!(
                "block {} has changed while it processed messages as they arrived: a method changes it through `&`, by a lock or an atomic; write \
                 `for mut block in ..`, and messages are processed in the order of waves",
                self.collection.numbers[at]
            );
        }
    }

    fn deliver(&self, call: &Call, blocks: &Output<'_, Token>) {
        match call.alone() {
            true => self.collection.post().deliver_here(),
            false => self.collection.post().deliver(call.comm(), |block| blocks.place().holder(block)),
        }
    }

    /// The position of the block of a token.
    fn at(&self, token: &Token) -> usize {
        self.collection.at(token.0).expect("iterations run on the rank of their block")
    }

    /// Blocks stay on their ranks. Annotated calls in a block get the workers that have none.
    fn stays(&self, call: &Call) -> Option<Stays> {
        let (workers, all) = (self.collection.workers(), call.context.node().workers());
        let at_a_time = workers.min(self.collection.numbers.len());
        if at_a_time < all && self.helpers.set(Helpers::of(&call.context)).is_ok() && call.context.settings().explain {
            explain::decided(format!(
                "`{}`: rank {} has {at_a_time} block{} at a time for {all} workers, so annotated calls in a block run on all workers",
                call.meta.name,
                call.context.rank(),
                if at_a_time == 1 { "" } else { "s" }
            ));
        }
        Some(Stays { workers, owners: self.owners.clone() })
    }

    fn help(&self) {
        self.helpers.get().into_iter().for_each(Helpers::help);
    }

    /// Opens the block of a token, for reading.
    pub fn open(&self, token: &Token) -> Block<'_, B> {
        self.help();
        Block::new(&self.collection, self.at(token))
    }

    /// Opens the block of a token, for writing.
    pub fn open_mut(&self, token: &mut Token) -> BlockMut<'_, B> {
        self.help();
        BlockMut::new(&self.collection, self.at(token))
    }

    /// The argument as a parameter of the function. Iterations run on the ranks of the blocks.
    pub fn input<'a>(&self, call: &'a Call, blocks: &'a Blocks<B>) -> Input<'a, Token> {
        let mut input = match call.alone() {
            true => Input::new(call, &blocks.own[..]),
            false => Input::new(call, blocks),
        };
        input.place_mut().stays = self.stays(call);
        input
    }

    /// The same for a writable argument.
    pub fn output<'a>(&self, call: &'a Call, blocks: &'a mut Blocks<B>) -> Output<'a, Token> {
        let mut output = match call.alone() {
            true => Output::new(call, &mut blocks.own[..]),
            false => Output::new(call, blocks),
        };
        output.place_mut().stays = self.stays(call);
        output
    }
}
