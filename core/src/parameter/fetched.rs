//! The elements that statements outside of loops have read, kept until the elements change.

use crate::data::{FEW, Local, LocalMut};
use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Range;

/// Elements that statements outside of loops have read: kept so that statements can refer to them.
#[derive(Debug)]
pub(super) struct Fetched<T> {
    /// Single elements, and ranges of them: the index of the first one, and the elements.
    parts: RefCell<Vec<(usize, Box<[T]>)>>,
    /// All elements, once statements have read more than parts.
    whole: OnceCell<Vec<T>>,
    /// How many of this rank's elements a device has given by themselves since the last loop.
    pub(super) singles: Cell<usize>,
}

impl<T> Fetched<T> {
    pub(super) fn new() -> Self {
        Fetched { parts: RefCell::default(), whole: OnceCell::new(), singles: Cell::new(0) }
    }

    /// The elements are about to change.
    fn forget(&mut self) {
        self.parts.get_mut().clear();
        self.whole.take();
    }

    /// All elements, if they are here.
    pub(super) fn whole(&self) -> Option<&Vec<T>> {
        self.whole.get()
    }

    /// All elements, which `fetch` fetches if they are not here.
    pub(super) fn whole_or(&self, fetch: impl FnOnce() -> Vec<T>) -> &Vec<T> {
        self.whole.get_or_init(fetch)
    }

    /// Whether many elements are here.
    pub(super) fn are_many(&self) -> bool {
        self.whole.get().is_some() || self.parts.borrow().len() >= FEW
    }

    /// The elements of a range, which `fetch` fetches if they are not here.
    pub(super) fn part(&self, range: Range<usize>, fetch: impl FnOnce() -> Vec<T>) -> &[T] {
        let same = |(first, elements): &&(usize, Box<[T]>)| *first == range.start && elements.len() == range.len();
        // A look at the latest ones: a search must not take longer than to fetch.
        let parts = self.parts.borrow();
        let found = parts.iter().rev().take(FEW).find(same).map(|(_, elements)| std::ptr::from_ref(&**elements));
        drop(parts);
        let address = found.unwrap_or_else(|| {
            let elements = fetch().into_boxed_slice();
            let address = std::ptr::from_ref(&*elements);
            self.parts.borrow_mut().push((range.start, elements));
            address
        });
        // SAFETY: the box lives until `forget`, which nobody calls while this is borrowed, and moving a box does not move
        // what it holds.
        unsafe { &*address }
    }
}

/// This rank's elements of a parameter `&mut [T]`, with those that statements have read.
///
/// The fields are private, so that [`Changing::change`] is the only way to change elements. It forgets what statements have read.
#[derive(Debug)]
pub(super) struct Changing<'a, T> {
    local: LocalMut<'a, T>,
    fetched: Fetched<T>,
}

impl<'a, T> Changing<'a, T> {
    pub(super) fn new(local: LocalMut<'a, T>) -> Self {
        Changing { local, fetched: Fetched::new() }
    }

    /// How many elements this rank has.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.local.len()
    }

    /// The elements, to read.
    #[inline]
    pub(super) fn local(&self) -> Local<'_, T> {
        self.local.as_local()
    }

    /// The elements, to change.
    #[inline]
    pub(super) fn change(&mut self) -> &mut LocalMut<'a, T> {
        self.fetched.forget();
        &mut self.local
    }

    /// The elements that statements have read.
    pub(super) fn fetched(&self) -> &Fetched<T> {
        &self.fetched
    }
}
