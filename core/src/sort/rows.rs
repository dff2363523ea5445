//! Vectors that are sorted together: their elements at one index form a row.

use super::moving::Movable;
use super::workers::{Places, Workers};
use crate::call::Call;
use crate::comm::Comm;
use crate::data::{Cuts, recut};
use crate::element::Element;
use crate::parameter::{Input, Output};
use std::marker::PhantomData;

/// The elements of two vectors at one index, or of a vector and a row of others.
#[derive(Copy)]
#[repr(C, packed)]
pub struct Row<A, B>(pub A, pub B);

impl<A: Copy, B: Copy> Clone for Row<A, B> {
    fn clone(&self) -> Self {
        *self
    }
}

// SAFETY: the parts are plain data, and there is no padding between them.
unsafe impl<A: Element, B: Element> bytemuck::NoUninit for Row<A, B> {}

/// Vectors that are sorted together: a column, or a column and others.
pub trait Columns: Movable {
    /// The global length and the cuts of the first column.
    fn first(&self) -> (usize, Option<Cuts>);

    /// Whether all columns have this global length.
    fn are_all(&self, len: usize) -> bool;

    /// Redistributes columns with other cuts to this rank's rows.
    fn redistribute(&mut self, comm: &dyn Comm, cuts: &Cuts);

    /// Redistributes them back.
    fn redistribute_back(&mut self, comm: &dyn Comm, cuts: &Cuts);
}

/// A vector that is sorted together with others.
#[derive(Debug)]
pub struct Column<'a, T> {
    /// This rank's share.
    own: Places<T>,
    len: usize,
    /// The length on all ranks.
    all: usize,
    cuts: Option<Cuts>,
    /// The elements of this rank's rows, if the cuts differ.
    here: Option<Vec<T>>,
    /// Whether the column is permuted, or only read by the comparison.
    sorted: bool,
    share: PhantomData<&'a mut [T]>,
}

// SAFETY: workers only read elements, and write only their own ones; they do not access the cuts.
unsafe impl<T: Element> Sync for Column<'_, T> {}

/// A column that the sort permutes.
pub fn sorted<'a, T: Element>(x: &'a mut Output<'_, T>) -> Column<'a, T> {
    let all = x.len();
    let (local, place) = x.parts();
    let cuts = place.cuts().cloned();
    let elements = local.into_elements();
    let (own, len) = (Places::new(elements.as_mut_ptr()), elements.len());
    Column { own, len, all, cuts, here: None, sorted: true, share: PhantomData }
}

/// A parameter that the comparison reads.
pub trait LookedAt<T> {
    /// As a column that the sort does not permute.
    fn looked_at(&self) -> Column<'_, T>;
}

macro_rules! looked_at {
    ($($handle:ident)*) => {$(
        impl<T: Element> LookedAt<T> for $handle<'_, T> {
            fn looked_at(&self) -> Column<'_, T> {
                let elements = self.local().elements();
                let (own, len) = (Places::new(elements.as_ptr().cast_mut()), elements.len());
                let cuts = self.place().cuts().cloned();
                Column { own, len, all: self.len(), cuts, here: None, sorted: false, share: PhantomData }
            }
        }
    )*};
}
looked_at!(Input Output);

impl<T: Element> Columns for Column<'_, T> {
    fn first(&self) -> (usize, Option<Cuts>) {
        (self.all, self.cuts.clone())
    }

    fn are_all(&self, len: usize) -> bool {
        self.all == len
    }

    fn redistribute(&mut self, comm: &dyn Comm, cuts: &Cuts) {
        self.here = match &self.cuts {
            Some(own) if own != cuts => {
                // SAFETY: they are initialised, and nobody writes them at this time.
                Some(recut(comm, unsafe { self.own.slice(self.len) }, own, cuts))
            }
            _ => None,
        };
    }

    fn redistribute_back(&mut self, comm: &dyn Comm, cuts: &Cuts) {
        if let (Some(here), Some(own), true) = (&self.here, &self.cuts, self.sorted) {
            let back = recut(comm, here, cuts, own);
            // SAFETY: these are this column's alone, and as many.
            unsafe { self.own.slice_mut(self.len) }.copy_from_slice(&back);
        }
    }
}

impl<T: Element> Column<'_, T> {
    /// The elements of this rank's rows, and their number.
    #[inline(always)]
    fn places(&self) -> (Places<T>, usize) {
        match &self.here {
            Some(here) => (Places::new(here.as_ptr().cast_mut()), here.len()),
            None => (self.own, self.len),
        }
    }
}

impl<T: Element> Movable for Column<'_, T> {
    type Row = T;

    fn len(&self) -> usize {
        self.places().1
    }

    #[inline(always)]
    fn prefetch(&self, at: usize) {
        self.places().0.prefetch(at);
    }

    #[inline(always)]
    unsafe fn row(&self, at: usize) -> T {
        let (places, len) = self.places();
        assert!(at < len, "there are {len} rows");
        // SAFETY: there is such a place, which is initialised, and the caller's promise.
        unsafe { places.get(at) }
    }

    #[inline(always)]
    unsafe fn set(&self, at: usize, row: T) {
        if !self.sorted {
            return;
        }
        let (places, len) = self.places();
        assert!(at < len, "there are {len} rows");
        // SAFETY: there is such a place, and the caller's promise.
        unsafe { places.set(at, row) };
    }
}

impl<A: Columns, B: Columns> Columns for (A, B) {
    fn first(&self) -> (usize, Option<Cuts>) {
        self.0.first()
    }

    fn are_all(&self, len: usize) -> bool {
        self.0.are_all(len) && self.1.are_all(len)
    }

    fn redistribute(&mut self, comm: &dyn Comm, cuts: &Cuts) {
        self.0.redistribute(comm, cuts);
        self.1.redistribute(comm, cuts);
    }

    fn redistribute_back(&mut self, comm: &dyn Comm, cuts: &Cuts) {
        self.0.redistribute_back(comm, cuts);
        self.1.redistribute_back(comm, cuts);
    }
}

impl<A: Columns, B: Columns> Movable for (A, B) {
    type Row = Row<A::Row, B::Row>;

    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn prefetch(&self, at: usize) {
        self.0.prefetch(at);
        self.1.prefetch(at);
    }

    #[inline(always)]
    unsafe fn row(&self, at: usize) -> Self::Row {
        // SAFETY: the caller's promise.
        unsafe { Row(self.0.row(at), self.1.row(at)) }
    }

    #[inline(always)]
    unsafe fn set(&self, at: usize, row: Self::Row) {
        // SAFETY: the caller's promise.
        unsafe {
            self.0.set(at, row.0);
            self.1.set(at, row.1);
        }
    }
}

/// The rows of several vectors during a sort.
pub struct Rows<'c, C: Columns> {
    call: &'c Call,
    pub(super) columns: C,
    /// The rows as one slice, if needed.
    rows: Option<Vec<C::Row>>,
    pub(super) cuts: Option<Cuts>,
}

impl<'c, C: Columns> Rows<'c, C> {
    /// The rows of `columns`, with the cuts of the first one.
    ///
    /// # Panics
    /// If the lengths differ.
    #[track_caller]
    pub fn of(call: &'c Call, mut columns: C) -> Self {
        let (len, cuts) = columns.first();
        assert!(columns.are_all(len), "the vectors that are sorted together have different lengths");
        if let Some(cuts) = &cuts {
            columns.redistribute(call.context().comm(), cuts);
        }
        Rows { call, columns, rows: None, cuts }
    }

    /// The rows as one slice, and the cuts if there are several ranks.
    pub(super) fn in_one_piece(&mut self) -> (&mut [C::Row], Option<&Cuts>) {
        let columns = &self.columns;
        // SAFETY: no row is set at this time.
        let made = || Workers::of(self.call.context()).filled(columns.len(), |at| unsafe { columns.row(at) });
        (self.rows.get_or_insert_with(made), self.cuts.as_ref())
    }

    /// Copies the rows back to the vectors.
    pub fn put_back(mut self) {
        if let (columns, Some(rows)) = (&self.columns, &self.rows) {
            // SAFETY: each place is set once.
            Workers::of(self.call.context()).for_each(rows.len(), |at| unsafe { columns.set(at, rows[at]) });
        }
        if let Some(cuts) = &self.cuts {
            self.columns.redistribute_back(self.call.context().comm(), cuts);
        }
    }
}
