//! What elements are sorted by.

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

/// What elements are sorted by.
pub(super) trait Order<T>: Sync {
    /// How two elements compare.
    fn compare(&self, one: &T, other: &T) -> Ordering;

    /// Sorts the elements of one machine. What is equal keeps its order.
    fn sort(&self, workers: Workers<'_>, elements: &mut [T]);

    /// Sorts rows, of one rank or of all, so that each moves once, where that is the shortest way: whether it has.
    fn sort_long(
        &self,
        _workers: Workers<'_>,
        _over: Option<(&dyn Comm, &Cuts)>,
        _rows: &impl Movable<Row = T>,
    ) -> bool {
        false
    }

    /// How elements become words, where they are numbers in this order.
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

/// `sort_by`: the author's comparison.
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

/// `sort_by(|a, b| a.total_cmp(b))`: the comparison is known by its words. Of floats it is std's own, since a method of the type
/// comes before those of traits; other types may have one of that name.
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
    /// The order of what `key` gives.
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

/// `sort_by_cached_key`: a key that is dear, so that each rank computes it once or twice for an element.
#[derive(Debug)]
pub(super) struct ByCachedKey<F, K>(ByKey<F, K>);

impl<F, K> ByCachedKey<F, K> {
    /// The order of what `key` gives.
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
