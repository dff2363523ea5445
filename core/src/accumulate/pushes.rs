//! Pushed elements, put together in the order of iterations while the loop runs.
//!
//! A worker pushes the elements of a chunk to a small buffer of its own, which stays in its cache. When all earlier chunks
//! have said how many elements they push, the chunk's elements have a place in the target, and are copied there, by several
//! workers at once. A target that is too small keeps what it has; what does not fit follows in parts of its own.

use super::accumulator::{Accumulator, no_chunk};
use crate::device::Maker;
use crate::runtime::Context;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// `out.push(e)`, where `out` is a parameter: each rank keeps what its iterations push.
#[derive(Debug)]
pub struct Pushes<T> {
    target: Mutex<Target<T>>,
    /// Makes elements of what a device has pushed.
    maker: Option<Maker<T>>,
}

#[derive(Debug)]
struct Target<T> {
    /// The author's vector. Not touched while parts are copied behind its end, except by [`Pushes::assign`].
    vector: Vec<T>,
    /// Elements that are there, or have a place.
    assigned: usize,
    /// What did not fit, in order.
    more: Vec<Vec<T>>,
}

/// The elements that a chunk pushed, and the place that they got.
#[derive(Debug)]
pub struct Part<T> {
    elements: Vec<T>,
    place: Option<Address<T>>,
}

impl<T> Part<T> {
    /// Moves the elements to their place, if they have one.
    fn settle(&mut self) {
        if let Some(place) = self.place.take() {
            let count = self.elements.len();
            // SAFETY: whoever gave the place found room for `count` elements there, in the allocation of a vector that is
            // not moved meanwhile, and gave it to nobody else. The elements move: the buffer forgets them.
            unsafe {
                self.elements.set_len(0);
                std::ptr::copy_nonoverlapping(self.elements.as_ptr(), place.0, count);
            }
        }
    }
}

/// From so many bytes on, several workers copy.
const WORTH_SHARING: usize = 1 << 20;

/// The address of free space in the target, for as many elements as the part has.
#[derive(Debug)]
struct Address<T>(*mut T);

// SAFETY: the space belongs to the part alone, whichever thread it is on.
unsafe impl<T: Send> Send for Address<T> {}

/// `out.push(e)`, `out` a parameter, of which `target` was taken.
pub fn pushes<T: Send>(target: Option<Vec<T>>, maker: Option<Maker<T>>) -> Pushes<T> {
    let vector = target.unwrap_or_default();
    Pushes { target: Mutex::new(Target { assigned: vector.len(), vector, more: Vec::new() }), maker }
}

impl<T> Pushes<T> {
    fn target(&self) -> MutexGuard<'_, Target<T>> {
        self.target.lock().unwrap_or_else(PoisonError::into_inner)
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
        let mut target = self.target();
        target.assigned = 0;
        std::mem::take(&mut target.vector)
    }

    fn shed(&self, carry: &mut Vec<T>, empty: Option<Part<T>>) -> Part<T> {
        let empty = empty.map_or_else(Vec::new, |part| part.elements);
        Part { elements: std::mem::replace(carry, empty), place: None }
    }

    fn assign(&self, part: &mut Part<T>) {
        let mut target = self.target();
        let fits = part.elements.len() <= target.vector.capacity() - target.assigned;
        if fits && target.more.is_empty() {
            let end = target.assigned;
            part.place = Some(Address(target.vector.as_mut_ptr().wrapping_add(end)));
            target.assigned += part.elements.len();
        } else if !part.elements.is_empty() {
            let elements = std::mem::take(&mut part.elements);
            target.more.push(elements);
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

    fn finish(self, _: (), carries: Vec<Vec<T>>, context: &Context) -> Vec<T> {
        let Target { mut vector, assigned, more } = self.target.into_inner().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: `assigned` elements from the start were there or were placed; all places are within the capacity.
        unsafe { vector.set_len(assigned) };
        let mut parts = more.into_iter().chain(carries).peekable();
        if vector.is_empty()
            && let Some(first) = parts.next()
        {
            // The allocation with elements in it is worth more than an empty one.
            vector = first;
        }
        let parts: Vec<Vec<T>> = parts.collect();
        append(&mut vector, parts, context);
        vector
    }
}

/// Iterations in blocks, each of which is run in the form that suits what the one before it kept.
#[derive(Debug)]
pub struct Blocks {
    rest: Range<usize>,
    /// Iterations of the block before, and how many elements there were before it.
    length: usize,
    had: usize,
}

impl Blocks {
    /// So many that looking back costs nothing.
    const LENGTH: usize = 512;

    /// All blocks of a range.
    #[inline(always)]
    pub fn of(range: Range<usize>) -> Self {
        Blocks { rest: range, length: 0, had: 0 }
    }

    /// The next block, and whether some elements are kept and others are not, so that a branch would often be guessed wrong.
    /// `have` is how many have been kept.
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

/// Pushes an element if it is to be kept, without a branch.
#[inline(always)]
pub fn keep<T>(elements: &mut Vec<T>, keeps: bool, element: T) {
    let count = elements.len();
    if std::mem::needs_drop::<T>() || count == elements.capacity() {
        if keeps {
            elements.push(element);
        }
        return;
    }
    // SAFETY: there is room for one more behind the last element, which is written before it counts as one. What is not kept
    // needs no drop.
    unsafe {
        elements.as_mut_ptr().add(count).write(element);
        elements.set_len(count + usize::from(keeps));
    }
}

/// Moves all parts behind a vector's end; where that is much, each worker takes some.
fn append<T: Send>(vector: &mut Vec<T>, parts: Vec<Vec<T>>, context: &Context) {
    let (start, more) = (vector.len(), parts.iter().map(Vec::len).sum::<usize>());
    vector.reserve(more);
    let workers = context.node().workers().min(parts.len());
    if workers < 2 || more * size_of::<T>() < WORTH_SHARING {
        parts.into_iter().for_each(|mut part| vector.append(&mut part));
        return;
    }
    let mut end = start;
    let parts = parts.into_iter().map(|elements| {
        let place = Some(Address(vector.as_mut_ptr().wrapping_add(end)));
        end += elements.len();
        Mutex::new(Part { elements, place })
    });
    let (parts, next) = (parts.collect::<Vec<_>>(), AtomicUsize::new(0));
    context.node().run(workers, &|_| {
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            part.lock().unwrap_or_else(PoisonError::into_inner).settle();
        }
    });
    // SAFETY: `more` elements were put behind the first `start`, in space that was reserved.
    unsafe { vector.set_len(start + more) };
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
        let mut elements = Vec::with_capacity(3);
        // An allocator may give more than it was asked for.
        let (room, mut expected) = (elements.capacity(), Vec::new());
        for i in 0..3 * room + 1 {
            keep(&mut elements, i % 3 == 1, i);
            expected.extend((i % 3 == 1).then_some(i));
            // A vector that is full does not grow for what is not kept.
            assert_eq!(elements.capacity(), room);
        }
        assert_eq!(elements, expected);
        let counted = Rc::new(());
        let mut elements = Vec::with_capacity(8);
        (0..8).for_each(|i| keep(&mut elements, i % 2 == 0, counted.clone()));
        assert_eq!((elements.len(), Rc::strong_count(&counted)), (4, 5));
        let mut units = Vec::new();
        (0..8).for_each(|i| keep(&mut units, i % 2 == 0, ()));
        assert_eq!(units.len(), 4);
    }
}
