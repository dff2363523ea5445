//! Boxes of an object in the hands of the user.

use super::area::Area;
use super::state::State;
use crate::element::Element;
use bytemuck::Zeroable;
use std::cell::RefCell;
use std::fmt;
use std::ops::{Deref, Index, IndexMut, Range};
use std::rc::Rc;

/// The elements of a box, with the indices of the object.
///
/// ```
/// use forall_core::objects::Object;
///
/// let plane = Object::from_fn([4, 6], |[y, x]| 10 * y + x);
/// let view = plane.get([1..3, 2..5]);
/// assert_eq!(view[[2, 4]], 24);
/// assert_eq!(view.elements(), [12, 13, 14, 22, 23, 24]);
/// ```
#[derive(Clone, PartialEq)]
pub struct View<T, const D: usize> {
    ranges: [Range<usize>; D],
    elements: Vec<T>,
}

impl<T, const D: usize> View<T, D> {
    /// The elements of a box, in row-major order.
    pub(super) fn new(ranges: [Range<usize>; D], elements: Vec<T>) -> Self {
        View { ranges, elements }
    }

    /// The indices along each axis.
    pub fn ranges(&self) -> [Range<usize>; D] {
        self.ranges.clone()
    }

    /// The number of elements along each axis.
    pub fn shape(&self) -> [usize; D] {
        std::array::from_fn(|axis| self.ranges[axis].len())
    }

    /// The elements, in row-major order.
    pub fn elements(&self) -> &[T] {
        &self.elements
    }

    /// The elements, in row-major order.
    pub fn into_elements(self) -> Vec<T> {
        self.elements
    }

    /// The elements as an array of `ndarray`, with indices from 0.
    #[cfg(feature = "ndarray")]
    pub fn array(&self) -> ndarray::ArrayView<'_, T, <[usize; D] as ndarray::IntoDimension>::Dim>
    where
        [usize; D]: ndarray::IntoDimension,
    {
        let view = ndarray::ArrayView::from_shape(self.shape(), &self.elements);
        view.expect("there is one element for each index")
    }

    fn position(&self, index: [usize; D]) -> usize {
        let inside = self.ranges.iter().zip(index).all(|(range, at)| range.contains(&at));
        assert!(inside, "the index {index:?} is outside of the box {:?}", self.ranges);
        self.ranges.iter().zip(index).fold(0, |position, (range, at)| position * range.len() + at - range.start)
    }
}

impl<T, const D: usize> Index<[usize; D]> for View<T, D> {
    type Output = T;

    fn index(&self, index: [usize; D]) -> &T {
        &self.elements[self.position(index)]
    }
}

/// Shows the ranges and the elements.
impl<T: fmt::Debug, const D: usize> fmt::Debug for View<T, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("View").field("ranges", &self.ranges).field("elements", &self.elements).finish()
    }
}

/// The elements of a box that this rank may change: see [`Object::get_mut`](super::Object::get_mut). The changes are stored when it is dropped. Other ranks see
/// them after
/// [`Object::modified`](super::Object::modified).
///
/// In a task, the changes are stored for the task.
pub struct ViewMut<T: Element + Zeroable, const D: usize, S: Changes<T> = OfRank<T>> {
    changes: S,
    view: View<T, D>,
}

/// Where the changes of a view go.
#[doc(hidden)]
pub trait Changes<T> {
    /// Changes the elements of a box.
    fn change(&self, start: [usize; 3], end: [usize; 3], elements: &[T]);
}

/// The changes of a rank.
#[doc(hidden)]
pub struct OfRank<T>(pub(super) Rc<RefCell<State<T>>>);

impl<T: Element + Zeroable> Changes<T> for OfRank<T> {
    fn change(&self, start: [usize; 3], end: [usize; 3], elements: &[T]) {
        self.0.borrow_mut().change(Area { start, end }, elements);
    }
}

impl<T: Element + Zeroable, const D: usize, S: Changes<T>> ViewMut<T, D, S> {
    pub(super) fn new(changes: S, view: View<T, D>) -> Self {
        ViewMut { changes, view }
    }

    /// The elements, in row-major order.
    pub fn elements_mut(&mut self) -> &mut [T] {
        &mut self.view.elements
    }

    /// The elements as an array of `ndarray`, with indices from 0.
    #[cfg(feature = "ndarray")]
    pub fn array_mut(&mut self) -> ndarray::ArrayViewMut<'_, T, <[usize; D] as ndarray::IntoDimension>::Dim>
    where
        [usize; D]: ndarray::IntoDimension,
    {
        let view = ndarray::ArrayViewMut::from_shape(self.view.shape(), &mut self.view.elements);
        view.expect("there is one element for each index")
    }
}

impl<T: Element + Zeroable, const D: usize, S: Changes<T>> Deref for ViewMut<T, D, S> {
    type Target = View<T, D>;

    fn deref(&self) -> &View<T, D> {
        &self.view
    }
}

impl<T: Element + Zeroable, const D: usize, S: Changes<T>> Index<[usize; D]> for ViewMut<T, D, S> {
    type Output = T;

    fn index(&self, index: [usize; D]) -> &T {
        &self.view[index]
    }
}

impl<T: Element + Zeroable, const D: usize, S: Changes<T>> IndexMut<[usize; D]> for ViewMut<T, D, S> {
    fn index_mut(&mut self, index: [usize; D]) -> &mut T {
        let position = self.view.position(index);
        &mut self.view.elements[position]
    }
}

impl<T: Element + Zeroable, const D: usize, S: Changes<T>> Drop for ViewMut<T, D, S> {
    fn drop(&mut self) {
        let Area { start, end } = Area::of(&self.view.ranges);
        self.changes.change(start, end, &self.view.elements);
    }
}

/// Shows the ranges and the elements.
impl<T: Element + Zeroable + fmt::Debug, const D: usize, S: Changes<T>> fmt::Debug for ViewMut<T, D, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view.fmt(formatter)
    }
}
