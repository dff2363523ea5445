//! Parallel helpers on the workers of a node.

use crate::call::Call;
use crate::large_pages::request_large_pages;
use crate::lock::lock;
use crate::node::{Node, Serial};
use crate::runtime::{Context, Rank, enter_loop};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The workers of a rank's node.
#[derive(Clone, Copy)]
pub(super) struct Workers<'n> {
    node: &'n dyn Node,
    rank: Rank,
    /// The call, if a device may do the work.
    call: Option<&'n Call>,
}

impl<'n> Workers<'n> {
    /// The workers of a call.
    pub(super) fn of(context: &'n Context) -> Self {
        Workers { node: context.node(), rank: context.this_rank(), call: None }
    }

    /// The workers of a call, or the device of its node.
    pub(super) fn or_device(call: &'n Call) -> Self {
        Workers { call: Some(call), ..Workers::of(call.context()) }
    }

    /// The call whose device may do the work.
    pub(super) fn call(self) -> Option<&'n Call> {
        self.call
    }

    /// The calling thread.
    pub(super) fn alone() -> Self {
        Workers { node: &Serial, rank: Rank::SOLO, call: None }
    }

    /// The number of workers.
    pub(super) fn count(self) -> usize {
        self.node.workers()
    }

    /// Runs `work(0)`, .. `work(pieces - 1)`, each once, in any order and on any worker.
    ///
    /// # Panics
    /// If a piece panics; no further piece starts then.
    pub(super) fn share_out(self, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
        let inside = |piece| {
            let _inside = enter_loop(self.rank);
            work(piece);
        };
        let workers = self.count().min(pieces);
        if workers <= 1 {
            return (0..pieces).for_each(inside);
        }
        let next = AtomicUsize::new(0);
        let panicked = Mutex::new(None);
        self.node.run(workers, &|_| {
            loop {
                let piece = next.fetch_add(1, Ordering::Relaxed);
                if piece >= pieces || lock(&panicked).is_some() {
                    return;
                }
                if let Err(payload) = catch_unwind(AssertUnwindSafe(|| inside(piece))) {
                    lock(&panicked).get_or_insert(payload);
                }
            }
        });
        if let Some(payload) = panicked.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(payload);
        }
    }

    /// Calls a function for each number below `len`.
    pub(super) fn for_each(self, len: usize, each: impl Fn(usize) + Sync) {
        let pieces = if len < 1 << 14 { 1 } else { 4 * self.count() };
        self.share_out(pieces, &|piece| part(len, pieces, piece).for_each(&each));
    }

    /// `value(0)`, .. `value(len - 1)`.
    pub(super) fn filled<V: Copy + Send + Sync>(self, len: usize, value: impl Fn(usize) -> V + Sync) -> Vec<V> {
        let mut vector = Vec::with_capacity(len);
        request_large_pages(&mut vector);
        let to = Places::new(vector.as_mut_ptr());
        // SAFETY: the capacity is sufficient, and each element is set once. If `value` panics, the length stays zero.
        unsafe {
            self.for_each(len, |at| to.set(at, value(at)));
            vector.set_len(len);
        }
        vector
    }

    /// `values(0..block)`, `values(block..2 * block)`, up to `len` values: each call gives one for each number in its range.
    pub(super) fn filled_in_blocks<V: Copy + Send + Sync>(
        self,
        len: usize,
        block: usize,
        values: impl Fn(Range<usize>) -> Vec<V> + Sync,
    ) -> Vec<V> {
        let mut vector = Vec::with_capacity(len);
        request_large_pages(&mut vector);
        let to = Places::new(vector.as_mut_ptr());
        self.share_out(len.div_ceil(block), &|number| {
            let range = number * block..len.min((number + 1) * block);
            let values = values(range.clone());
            assert_eq!(values.len(), range.len(), "a value for each number");
            // SAFETY: the capacity is sufficient, and the ranges are disjoint.
            unsafe { to.from(range.start).copy(Places::new(values.as_ptr().cast_mut()), values.len()) };
        });
        // SAFETY: all elements are set. If `values` panics, the length stays zero.
        unsafe { vector.set_len(len) };
        vector
    }

    /// Copies elements.
    ///
    /// # Safety
    /// As [`Places::copy`].
    pub(super) unsafe fn copy<T: Copy + Send + Sync>(self, from: Places<T>, to: Places<T>, len: usize) {
        let pieces = if len < 1 << 16 { 1 } else { self.count() };
        self.share_out(pieces, &|piece| {
            let range = part(len, pieces, piece);
            // SAFETY: the pieces are disjoint, and the caller's promise holds for all of them.
            unsafe { to.from(range.start).copy(from.from(range.start), range.len()) };
        });
    }
}

/// The size of a cache line.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const LINE: usize = 64;

/// The number of lines to prefetch; the hardware prefetcher does the rest.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const MOST_LINES: usize = 8;

/// A pointer to elements that several workers write, each of them its own ones.
#[derive(Debug)]
pub(super) struct Places<T>(*mut T);

impl<T> Clone for Places<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Places<T> {}

// SAFETY: it is an address; its unsafe methods state the conditions of accesses.
unsafe impl<T: Send + Sync> Send for Places<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Places<T> {}

impl<T: Copy> Places<T> {
    /// The elements of a slice, or of a vector's spare capacity.
    pub(super) fn new(start: *mut T) -> Self {
        Places(start)
    }

    /// The elements from `at` on.
    ///
    /// # Safety
    /// `at` is at most the number of elements.
    pub(super) unsafe fn from(self, at: usize) -> Self {
        // SAFETY: the caller's promise.
        Places(unsafe { self.0.add(at) })
    }

    /// Writes an element.
    ///
    /// # Safety
    /// The index is valid, and nobody else accesses the element concurrently.
    pub(super) unsafe fn set(self, at: usize, value: T) {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(at).write(value) }
    }

    /// Prefetches an element, which will be read and written soon. The index need not be valid.
    #[inline(always)]
    pub(super) fn prefetch(self, at: usize) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        for line in 0..=(size_of::<T>() / LINE).min(MOST_LINES) {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a prefetch is not an access; any address is allowed.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(self.0.wrapping_add(at).cast::<i8>().wrapping_add(line * LINE)) };
        }
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        let _ = at;
    }

    /// Reads an element.
    ///
    /// # Safety
    /// The index is valid, the element is initialised, and nobody writes it concurrently.
    #[inline(always)]
    pub(super) unsafe fn get(self, at: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(at).read() }
    }

    /// The first `len` elements, to read.
    ///
    /// # Safety
    /// There are at least `len` elements, they are initialised, and nobody writes them as long as the slice is used.
    pub(super) unsafe fn slice<'a>(self, len: usize) -> &'a [T] {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(self.0, len) }
    }

    /// The first `len` elements, to write.
    ///
    /// # Safety
    /// There are at least `len` elements, they are initialised, and nobody else uses them as long as the slice is used.
    pub(super) unsafe fn slice_mut<'a>(self, len: usize) -> &'a mut [T] {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.0, len) }
    }

    /// Copies the first `len` elements of `from`.
    ///
    /// # Safety
    /// Both have at least `len` elements, which do not overlap. Those of `from` are initialised, and nobody writes them concurrently.
    /// Nobody else uses those of `self` at this time.
    pub(super) unsafe fn copy(self, from: Places<T>, len: usize) {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(from.0, self.0, len) }
    }
}

/// The range of part `number`, if `len` elements are divided into parts of nearly equal lengths.
pub(super) fn part(len: usize, parts: usize, number: usize) -> std::ops::Range<usize> {
    let start = |number: usize| number * (len / parts) + number.min(len % parts);
    start(number)..start(number + 1)
}
