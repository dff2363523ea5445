//! The orders by which elements are sorted.

use super::merging;
use super::moving::{self, LONG, Movable};
use super::number::Numbers;
use super::radix;
use super::workers::Workers;
use crate::comm::Comm;
use crate::data::Cuts;
use crate::element::Element;
use std::cmp::Ordering;
use std::marker::PhantomData;

/// The order of a sort.
pub(super) trait Order<T>: Sync {
    /// Compares two elements.
    fn compare(&self, one: &T, other: &T) -> Ordering;

    /// Sorts the elements of one rank, stably.
    fn sort(&self, workers: Workers<'_>, elements: &mut [T]);

    /// Sorts rows, of one rank or of all, so that each moves once. Returns `false` if another algorithm is faster.
    fn sort_long(
        &self,
        _workers: Workers<'_>,
        _over: Option<(&dyn Comm, &Cuts)>,
        _rows: &impl Movable<Row = T>,
    ) -> bool {
        false
    }

    /// The conversion of elements to words, if the elements are numbers in this order.
    fn numbers(&self) -> Option<Numbers<T>> {
        None
    }
}

/// `sort`: the order of the type.
#[derive(Debug)]
pub(super) struct Natural;

impl<T: Element + Ord> Order<T> for Natural {
    #[inline]
    fn compare(&self, one: &T, other: &T) -> Ordering {
        one.cmp(other)
    }

    fn sort(&self, workers: Workers<'_>, elements: &mut [T]) {
        match Numbers::<T>::ordered() {
            Some(numbers) => radix::sort_numbers(workers, elements, &numbers),
            None => merging::sort(workers, elements, |run| run.sort(), |one, other| one.cmp(other)),
        }
    }

    fn numbers(&self) -> Option<Numbers<T>> {
        Numbers::ordered()
    }
}

/// `sort_by`: the user's comparison.
#[derive(Debug)]
pub(super) struct By<F>(pub(super) F);

impl<T: Element, F: Fn(&T, &T) -> Ordering + Sync> Order<T> for By<F> {
    #[inline]
    fn compare(&self, one: &T, other: &T) -> Ordering {
        (self.0)(one, other)
    }

    fn sort(&self, workers: Workers<'_>, elements: &mut [T]) {
        merging::sort(workers, elements, |run| run.sort_by(|one, other| (self.0)(one, other)), &self.0);
    }
}

/// `sort_by(|a, b| a.total_cmp(b))`, which the macro recognises by its tokens. For floats it is the method of std, because inherent methods
/// take precedence; other types may have another method with this name.
#[derive(Debug)]
pub(super) struct TotalOrder<F>(pub(super) F);

impl<T: Element, F: Fn(&T, &T) -> Ordering + Sync> Order<T> for TotalOrder<F> {
    #[inline]
    fn compare(&self, one: &T, other: &T) -> Ordering {
        (self.0)(one, other)
    }

    fn sort(&self, workers: Workers<'_>, elements: &mut [T]) {
        match Numbers::<T>::floats() {
            Some(numbers) => radix::sort_numbers(workers, elements, &numbers),
            None => merging::sort(workers, elements, |run| run.sort_by(|one, other| (self.0)(one, other)), &self.0),
        }
    }

    fn numbers(&self) -> Option<Numbers<T>> {
        Numbers::floats()
    }
}

/// `sort_by_key`: a key of each element.
#[derive(Debug)]
pub(super) struct ByKey<F, K>(F, PhantomData<fn() -> K>);

impl<F, K> ByKey<F, K> {
    /// The order of the keys.
    pub(super) fn new<T>(key: F) -> Self
    where
        F: Fn(&T) -> K + Sync,
    {
        ByKey(key, PhantomData)
    }
}

impl<T: Element, F: Fn(&T) -> K + Sync, K: Ord> Order<T> for ByKey<F, K> {
    #[inline]
    fn compare(&self, one: &T, other: &T) -> Ordering {
        (self.0)(one).cmp(&(self.0)(other))
    }

    fn sort(&self, workers: Workers<'_>, elements: &mut [T]) {
        match Numbers::<K>::ordered() {
            Some(numbers) => radix::sort_by_number(workers, elements, &numbers, &self.0),
            None => {
                merging::sort(workers, elements, |run| run.sort_by_key(&self.0), |one, other| self.compare(one, other))
            }
        }
    }

    fn sort_long(&self, workers: Workers<'_>, over: Option<(&dyn Comm, &Cuts)>, rows: &impl Movable<Row = T>) -> bool {
        let numbers = Numbers::<K>::ordered().filter(|_| size_of::<T>() >= LONG);
        if let Some(numbers) = &numbers {
            moving::sort_by_number(workers, over, rows, numbers, &self.0);
        }
        numbers.is_some()
    }
}

/// `sort_by_cached_key`: an expensive key, which is computed once or twice for each element.
#[derive(Debug)]
pub(super) struct ByCachedKey<F, K>(ByKey<F, K>);

impl<F, K> ByCachedKey<F, K> {
    /// The order of the keys.
    pub(super) fn new<T>(key: F) -> Self
    where
        F: Fn(&T) -> K + Sync,
    {
        ByCachedKey(ByKey::new(key))
    }
}

impl<T: Element, F: Fn(&T) -> K + Sync, K: Ord> Order<T> for ByCachedKey<F, K> {
    #[inline]
    fn compare(&self, one: &T, other: &T) -> Ordering {
        self.0.compare(one, other)
    }

    fn sort(&self, workers: Workers<'_>, elements: &mut [T]) {
        match Numbers::<K>::ordered() {
            Some(_) => self.0.sort(workers, elements),
            None => merging::sort(
                workers,
                elements,
                |run| run.sort_by_cached_key(&self.0.0),
                |one, other| self.compare(one, other),
            ),
        }
    }

    fn sort_long(&self, workers: Workers<'_>, over: Option<(&dyn Comm, &Cuts)>, rows: &impl Movable<Row = T>) -> bool {
        self.0.sort_long(workers, over, rows)
    }
}
