//! A cache of the elements that statements outside loops have read, until the elements change.

use crate::data::{FEW, Local, LocalMut};
use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Range;

/// Elements that statements outside loops have read. They are stored, because statements may hold references to them.
#[derive(Debug)]
pub(super) struct Fetched<T> {
    /// Single elements and ranges: the index of the first element, and the elements.
    parts: RefCell<Vec<(usize, Box<[T]>)>>,
    /// All elements, once statements have read more than parts.
    whole: OnceCell<Vec<T>>,
    /// The number of single elements of this rank that were copied from a device since the last loop.
    pub(super) singles: Cell<usize>,
}

impl<T> Fetched<T> {
    pub(super) fn new() -> Self {
        Fetched { parts: RefCell::default(), whole: OnceCell::new(), singles: Cell::new(0) }
    }

    /// Clears the cache, because the elements are about to change.
    fn forget(&mut self) {
        self.parts.get_mut().clear();
        self.whole.take();
    }

    /// All elements, if cached.
    pub(super) fn whole(&self) -> Option<&Vec<T>> {
        self.whole.get()
    }

    /// All elements; calls `fetch` if they are not cached.
    pub(super) fn whole_or(&self, fetch: impl FnOnce() -> Vec<T>) -> &Vec<T> {
        self.whole.get_or_init(fetch)
    }

    /// Whether many elements are cached.
    pub(super) fn are_many(&self) -> bool {
        self.whole.get().is_some() || self.parts.borrow().len() >= FEW
    }

    /// The elements of a range; calls `fetch` if they are not cached.
    pub(super) fn part(&self, range: Range<usize>, fetch: impl FnOnce() -> Vec<T>) -> &[T] {
        let same = |(first, elements): &&(usize, Box<[T]>)| *first == range.start && elements.len() == range.len();
        // Searches only the latest entries, because the search must not take longer than a fetch.
        let parts = self.parts.borrow();
        let found = parts.iter().rev().take(FEW).find(same).map(|(_, elements)| std::ptr::from_ref(&**elements));
        drop(parts);
        let address = found.unwrap_or_else(|| {
            let elements = fetch().into_boxed_slice();
            let address = std::ptr::from_ref(&*elements);
            self.parts.borrow_mut().push((range.start, elements));
            address
        });
        // SAFETY: the box lives until `forget`, which needs a unique borrow. Moving a box does not move its content.
        unsafe { &*address }
    }
}

/// This rank's share of a parameter `&mut [T]`, with the cache of read elements.
///
/// The fields are private, so [`Changing::change`] is the only way to change elements. It clears the cache.
#[derive(Debug)]
pub(super) struct Changing<'a, T> {
    local: LocalMut<'a, T>,
    fetched: Fetched<T>,
}

impl<'a, T> Changing<'a, T> {
    pub(super) fn new(local: LocalMut<'a, T>) -> Self {
        Changing { local, fetched: Fetched::new() }
    }

    /// The length of this rank's share.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.local.len()
    }

    /// The share, for reading.
    #[inline]
    pub(super) fn local(&self) -> Local<'_, T> {
        self.local.as_local()
    }

    /// The share, for writing.
    #[inline]
    pub(super) fn change(&mut self) -> &mut LocalMut<'a, T> {
        self.fetched.forget();
        &mut self.local
    }

    /// The cache of read elements.
    pub(super) fn fetched(&self) -> &Fetched<T> {
        &self.fetched
    }
}
