//! Pushed elements, concatenated in the order of iterations while the loop runs.
//!
//! A worker pushes the elements of a chunk to its own small buffer, which stays in its cache. When the numbers of elements of all earlier
//! chunks are known, the position of the chunk's elements in the target is known, and they are copied there, by several workers
//! concurrently. If the target is too small, the remaining elements go to further vectors, which are concatenated at the end.

use super::accumulator::{Accumulator, no_chunk};
use super::moves::{Moves, WORTH_SHARING};
use crate::codec::Codec;
use crate::device::Maker;
use crate::large_pages::{LARGE_PAGE, WORTH_LARGE_PAGES, make_pages, request_large_pages};
use crate::lock::lock;
use crate::runtime::{Context, PerInstance};
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// `out.push(e)`, where `out` is a parameter: each rank keeps the elements that its iterations push.
#[derive(Debug)]
pub struct Pushes<T> {
    target: Mutex<Target<T>>,
    /// Converts elements that a device has pushed.
    maker: Option<Maker<T>>,
    /// Sends elements to other ranks.
    sender: Option<Sender<T>>,
    expected: &'static AtomicUsize,
    /// The initial length and capacity of the user's vector.
    had: usize,
    room: usize,
}

/// A codec whose type is erased.
struct Sender<T>(Box<dyn Codec<T>>);

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sender").finish_non_exhaustive()
    }
}

/// The user's vector, and further vectors, in order. Their elements do not move while the loop runs.
#[derive(Debug)]
struct Target<T> {
    /// All vectors but the last one.
    full: Vec<Vec<T>>,
    /// Their lengths, including reserved positions.
    lengths: Vec<usize>,
    /// The last vector. Only its space behind the end is accessed while parts are copied.
    vector: Vec<T>,
    /// The length of the last vector, including reserved positions.
    assigned: usize,
    /// The largest total number of elements.
    expected: usize,
    /// The address in the last vector up to which workers have touched pages, or are about to.
    made: usize,
}

impl<T> Target<T> {
    /// Reserves positions for the next elements.
    fn place(&mut self, count: usize) -> Address<T> {
        if count > self.vector.capacity() - self.assigned {
            let have = self.lengths.iter().sum::<usize>() + self.assigned;
            let mut vector = Vec::with_capacity(count.max(have).max(self.expected.saturating_sub(have)));
            request_large_pages(&mut vector);
            self.full.push(std::mem::replace(&mut self.vector, vector));
            self.lengths.push(self.assigned);
            (self.assigned, self.made) = (0, 0);
        }
        let end = self.assigned;
        self.assigned += count;
        Address(self.vector.as_mut_ptr().wrapping_add(end))
    }

    /// The next large page behind the reserved positions, if no worker touches it yet.
    fn page_ahead(&mut self) -> Option<Address<u8>> {
        let (room, used) = (self.vector.capacity().saturating_mul(size_of::<T>()), self.assigned * size_of::<T>());
        let start = self.vector.as_ptr().addr();
        let page = self.made.max((start + used).next_multiple_of(LARGE_PAGE));
        let near = room >= WORTH_LARGE_PAGES
            && page <= start + used + LARGE_PAGE
            && page.saturating_add(LARGE_PAGE) <= start + room;
        near.then(|| {
            self.made = page + LARGE_PAGE;
            Address(self.vector.as_mut_ptr().cast::<u8>().wrapping_add(page - start))
        })
    }

    /// All vectors, in order.
    ///
    /// # Safety
    /// All reserved positions are initialised.
    unsafe fn vectors(mut self) -> Vec<Vec<T>> {
        self.full.push(self.vector);
        self.lengths.push(self.assigned);
        for (vector, length) in self.full.iter_mut().zip(self.lengths) {
            // SAFETY: the caller guarantees that the elements are initialised, and positions were reserved only up to the capacity.
            unsafe { vector.set_len(length) };
        }
        self.full
    }
}

/// The elements that a chunk pushed, and their position.
#[derive(Debug)]
pub struct Part<T> {
    elements: Vec<T>,
    place: Option<Address<T>>,
    /// The address of a page that this worker touches for later parts.
    page: Option<Address<u8>>,
}

impl<T> Part<T> {
    /// Moves the elements to their position, if it is assigned.
    fn settle(&mut self) {
        if let Some(place) = self.place.take() {
            let count = self.elements.len();
            // SAFETY: the position was reserved for `count` elements in the allocation of a vector that does not move until then, and for
            // this part only. The elements move: the buffer forgets them.
            unsafe {
                self.elements.set_len(0);
                std::ptr::copy_nonoverlapping(self.elements.as_ptr(), place.0, count);
            }
        }
        if let Some(page) = self.page.take() {
            make_pages(page.0, LARGE_PAGE);
        }
    }
}

/// The address of the space for a part in the target.
#[derive(Debug)]
struct Address<T>(*mut T);

// SAFETY: the space belongs to the part alone, whichever thread it is on.
unsafe impl<T: Send> Send for Address<T> {}

/// The number of elements that a loop pushed in its last run, as an estimate for the next one.
#[derive(Debug)]
pub struct Expected(PerInstance<AtomicUsize>);

impl Expected {
    /// For a loop that has not run.
    #[allow(clippy::new_without_default, reason = "it is made in statics alone")]
    pub const fn new() -> Self {
        Expected(PerInstance::new())
    }

    /// The number of the instance with this closure.
    pub fn of<F>(&'static self, _: &F) -> &'static AtomicUsize {
        self.0.of(typeid::of::<F>(), &AtomicUsize::default)
    }
}

/// `out.push(e)`, where `out` is a parameter; `target` is its vector.
pub fn pushes<T: Send>(target: Option<Vec<T>>, maker: Option<Maker<T>>, expected: &'static AtomicUsize) -> Pushes<T> {
    let vector = target.unwrap_or_default();
    let (had, room) = (vector.len(), vector.capacity());
    let all = had.saturating_add(expected.load(Ordering::Relaxed));
    // Capacity that the user has reserved mostly has its pages already, from the previous call.
    let target =
        Target { full: Vec::new(), lengths: Vec::new(), assigned: had, vector, expected: all, made: usize::MAX };
    Pushes { target: Mutex::new(target), maker, sender: None, expected, had, room }
}

impl<T> Pushes<T> {
    /// Iterations may run on other ranks, which send the elements.
    #[must_use]
    pub fn sent_by(self, codec: impl Codec<T> + 'static) -> Self {
        Pushes { sender: codec.sends().then(|| Sender(Box::new(codec))), ..self }
    }
}

impl<T: Send> Accumulator for Pushes<T> {
    no_chunk!();
    type Carry = Vec<T>;
    type Shed = Part<T>;
    type Out = Vec<T>;

    /// The first carry of a loop that does not shed is the target itself.
    fn carry(&self, first: bool) -> Vec<T> {
        if !first {
            return Vec::new();
        }
        let mut target = lock(&self.target);
        target.assigned = 0;
        let mut vector = std::mem::take(&mut target.vector);
        let more = target.expected - vector.len();
        if more.saturating_mul(size_of::<T>()) >= WORTH_LARGE_PAGES && more > vector.capacity() - vector.len() {
            vector.reserve(more);
            request_large_pages(&mut vector);
        }
        vector
    }

    fn is_untouched(&self, carry: &Vec<T>) -> bool {
        carry.is_empty()
    }

    fn shed(&self, carry: &mut Vec<T>, empty: Option<Part<T>>) -> Part<T> {
        let empty = match empty {
            Some(part) => part.elements,
            None => Vec::new(),
        };
        Part { elements: std::mem::replace(carry, empty), place: None, page: None }
    }

    fn assign(&self, part: &mut Part<T>) {
        if !part.elements.is_empty() {
            let mut target = lock(&self.target);
            part.place = Some(target.place(part.elements.len()));
            part.page = target.page_ahead();
        }
    }

    fn place(&self, part: &mut Part<T>) {
        part.settle();
    }

    fn pushed(&self, parts: &mut std::vec::IntoIter<Vec<u8>>) -> Vec<T> {
        let mut carry = self.carry(true);
        match (parts.next(), &self.maker) {
            (Some(bytes), Some((_, maker))) => carry.append(&mut maker(&bytes)),
            (bytes, _) => {
                assert!(bytes.is_none_or(|bytes| bytes.is_empty()), "a device pushed elements of an unknown type")
            }
        }
        carry
    }

    fn moves(&self) -> bool {
        self.sender.is_some()
    }
    fn encode_carry(&self, carry: Vec<T>, to: &mut Vec<u8>) {
        to.extend_from_slice(&(carry.len() as u64).to_le_bytes());
        self.sender.iter().for_each(|sender| sender.0.encode_all(&carry, to));
    }
    fn decode_carry(&self, from: &mut &[u8]) -> Vec<T> {
        let (count, rest) = from.split_at(8);
        *from = rest;
        let count = u64::from_le_bytes(count.try_into().unwrap_or([0; 8])) as usize;
        self.sender.as_ref().map_or_else(Vec::new, |sender| sender.0.decode_all(count, from))
    }

    fn finish(self, _: (), mut carries: Vec<Vec<T>>, context: &Context) -> Vec<T> {
        let target = self.target.into_inner().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the loop is over, and all parts that got a place have been copied there.
        let mut vectors = unsafe { target.vectors() };
        vectors.append(&mut carries);
        let mut all = joined(vectors, context);
        self.expected.store(all.len() - self.had, Ordering::Relaxed);
        // The estimate was too high.
        if all.capacity() > self.room.max(all.len().saturating_mul(2)) {
            all.shrink_to(self.room.max(all.len()));
        }
        all
    }
}

/// Blocks of iterations. Each block runs in the form that suits the share of pushes in the previous one.
#[derive(Debug)]
pub struct Blocks {
    rest: Range<usize>,
    /// The iterations of the previous block, and the number of elements before it.
    length: usize,
    had: usize,
}

impl Blocks {
    /// The length of a block.
    const LENGTH: usize = 512;

    /// All blocks of a range.
    #[inline(always)]
    pub fn of(range: Range<usize>) -> Self {
        Blocks { rest: range, length: 0, had: 0 }
    }

    /// The next block, and whether a branch would be mispredicted often, because only some iterations push. `have` is the number of elements.
    #[inline(always)]
    pub fn next(&mut self, have: usize) -> Option<(Range<usize>, bool)> {
        let Range { start, end } = self.rest;
        if start >= end {
            return None;
        }
        let (kept, length) = (have.wrapping_sub(self.had), self.length);
        let mixed = kept > length / 16 && kept < length - length / 32;
        let middle = end.min(start + Blocks::LENGTH);
        *self = Blocks { rest: middle..end, length: middle - start, had: have };
        Some((start..middle, mixed))
    }
}

/// Spare capacity of a vector for pushes without branches. The length is in a register, and is stored at the end.
#[derive(Debug)]
pub struct Room<'v, T> {
    elements: &'v mut Vec<T>,
    start: *mut T,
    len: usize,
    end: usize,
}

impl<'v, T> Room<'v, T> {
    /// Whether a vector has spare capacity for this many elements. Otherwise plain pushes are used, which grow it only as needed.
    #[inline(always)]
    pub fn is_there(elements: &Vec<T>, more: usize) -> bool {
        elements.capacity() - elements.len() >= more
    }

    /// Takes spare capacity for this many elements.
    #[inline(always)]
    pub fn of(elements: &'v mut Vec<T>, more: usize) -> Self {
        elements.reserve(more);
        let (start, len) = (elements.as_mut_ptr(), elements.len());
        Room { elements, start, len, end: len + more }
    }

    /// Pushes an element if the condition holds.
    ///
    /// # Panics
    /// If there is no capacity left.
    #[inline(always)]
    pub fn keep(&mut self, keeps: bool, element: T) {
        assert!(self.len < self.end, "there is room for all that may be kept");
        if std::mem::needs_drop::<T>() && !keeps {
            return;
        }
        // SAFETY: there is space for one more element after the last one. It is written before it counts as an element. An element that is
        // not kept needs no drop.
        unsafe { self.start.add(self.len).write(element) };
        self.len += usize::from(keeps);
    }
}

impl<T> Drop for Room<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: this number of elements has been written, and the capacity is sufficient.
        unsafe { self.elements.set_len(self.len) };
    }
}

/// Concatenates vectors. Reuses the first nonempty one if its capacity is sufficient. Many elements are moved by all workers.
fn joined<T: Send>(mut vectors: Vec<Vec<T>>, context: &Context) -> Vec<T> {
    // An allocation with elements is worth more than an empty one.
    let filled = vectors.iter().position(|vector| !vector.is_empty());
    let Some(first) = filled.or_else(|| vectors.iter().position(|vector| vector.capacity() > 0)) else {
        return Vec::new();
    };
    let mut all = std::mem::take(&mut vectors[first]);
    let more = vectors.iter().map(Vec::len).sum::<usize>();
    if context.node().workers() < 2 || more == 0 || more.saturating_mul(size_of::<T>()) < WORTH_SHARING {
        all.reserve(more);
        vectors.iter_mut().for_each(|vector| all.append(vector));
        return all;
    }
    // All workers move many elements to a new allocation. One worker moves few elements, while it allocates.
    if more > all.capacity() - all.len() && more >= all.len() {
        let mut larger = Vec::with_capacity(all.len() + more);
        request_large_pages(&mut larger);
        vectors[first] = std::mem::replace(&mut all, larger);
    }
    let more = vectors.iter().map(Vec::len).sum();
    all.reserve(more);
    let mut moves = Moves::to(all.as_mut_ptr().wrapping_add(all.len()).cast());
    vectors.iter().for_each(|vector| moves.add(vector.as_ptr().cast(), size_of_val(&vector[..])));
    // SAFETY: the vectors hold these bytes. The positions are behind the elements of `all`, in space that was reserved for all of them.
    unsafe { moves.run(context) };
    // SAFETY: the elements up to here were moved behind the first ones. The vectors forget them, and keep their capacity.
    unsafe {
        vectors.iter_mut().for_each(|vector| vector.set_len(0));
        all.set_len(all.len() + more);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn blocks_follow_each_other_and_know_whether_the_one_before_was_mixed() {
        let mut blocks = Blocks::of(10..10 + 2 * Blocks::LENGTH + 1);
        assert_eq!(blocks.next(100), Some((10..10 + Blocks::LENGTH, false)));
        assert_eq!(blocks.next(100 + Blocks::LENGTH / 2).map(|(_, mixed)| mixed), Some(true));
        assert_eq!(
            blocks.next(100 + Blocks::LENGTH / 2 + 1).map(|(range, mixed)| (range.len(), mixed)),
            Some((1, false))
        );
        assert_eq!(blocks.next(200), None);
        assert_eq!(Blocks::of(3..3).next(0), None);
        let mut blocks = Blocks::of(0..2 * Blocks::LENGTH);
        blocks.next(0);
        assert_eq!(blocks.next(Blocks::LENGTH).map(|(_, mixed)| mixed), Some(false), "all were kept");
    }

    #[test]
    fn what_is_kept_is_there_once_and_the_rest_is_dropped() {
        let (mut elements, mut expected) = (vec![7], vec![7]);
        for count in [0, 1, 2, 100] {
            let mut room = Room::of(&mut elements, count);
            for i in 0..count {
                room.keep(i % 3 == 1, i);
                expected.extend((i % 3 == 1).then_some(i));
            }
            drop(room);
            assert_eq!(elements, expected);
        }
        // A full vector does not grow for an element that is not kept.
        elements.shrink_to_fit();
        assert!(Room::is_there(&elements, 0) && !Room::is_there(&elements, elements.capacity() - elements.len() + 1));
        let counted = Rc::new(());
        let mut elements = Vec::new();
        let mut room = Room::of(&mut elements, 8);
        (0..8).for_each(|i| room.keep(i % 2 == 0, counted.clone()));
        drop(room);
        assert_eq!((elements.len(), Rc::strong_count(&counted)), (4, 5));
        let mut units = Vec::new();
        let mut room = Room::of(&mut units, 8);
        (0..8).for_each(|i| room.keep(i % 2 == 0, ()));
        drop(room);
        assert_eq!(units.len(), 4);
    }
}
