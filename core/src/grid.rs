//! Arrays of several dimensions: the elements of a slice parameter, with a shape.
//!
//! `a[[z, y, x]]` stays as the user wrote it, like `x[i]`. Inside the function, `a` is a [`Grid`] with global indices and the global shape.
//! Its elements are one long vector in row-major order.

#[cfg(feature = "ndarray")]
mod ndarray;

use crate::computed::{Axes, Computed};
use crate::data::{Shaped, Share, ShareMut, Shared, SharedMut};
use std::ops::{Deref, DerefMut, Index, IndexMut, Range};

/// An array parameter: a view of its elements in row-major order, and its shape.
#[derive(Debug, Clone, Copy)]
pub struct Grid<V, const D: usize> {
    view: V,
    shape: [usize; D],
}

/// The elements of a [`Grid`].
pub trait Linear: Index<usize> {
    /// Whether a computed index is checked, against each axis, so that it cannot reach the next row. All other indices are always checked.
    const CHECKED: bool;
}

impl<T> Linear for Vec<T> {
    const CHECKED: bool = true;
}

/// An index of an array of `D` dimensions.
pub trait GridIndex<const D: usize> {
    /// Whether the index is inside each axis.
    fn exists(&self, shape: &[usize; D]) -> bool;

    /// The position of the element in row-major order.
    fn place(self, shape: &[usize; D], checked: bool) -> usize;
}

/// A position in row-major order, or the index of an array of one dimension. The view checks it.
impl<const D: usize> GridIndex<D> for usize {
    #[inline(always)]
    fn exists(&self, _: &[usize; D]) -> bool {
        true
    }

    #[inline(always)]
    fn place(self, _: &[usize; D], _: bool) -> usize {
        self
    }
}

impl<const D: usize> GridIndex<D> for [usize; D] {
    #[inline(always)]
    fn exists(&self, shape: &[usize; D]) -> bool {
        self.iter().zip(shape).all(|(index, length)| index < length)
    }

    #[inline(always)]
    #[track_caller]
    fn place(self, shape: &[usize; D], checked: bool) -> usize {
        if checked && !self.exists(shape) {
            outside(self, *shape);
        }
        debug_assert!(self.exists(shape), "the footprint of a loop is wrong: {self:?} is outside of {shape:?}");
        // A plain loop: the loops around it are vectorised only if the compiler unrolls it early.
        let mut place = 0;
        for axis in 0..D {
            place = place * shape[axis] + self[axis];
        }
        place
    }
}

/// Ends the call for an index beyond the end of an axis.
///
/// The arguments are copies: if the address of the shape were passed on, the shape would be read from memory for each element.
#[cold]
#[inline(never)]
#[track_caller]
fn outside<const D: usize>(index: [usize; D], shape: [usize; D]) -> ! {
    panic!("ndarray: index out of bounds: the shape is {shape:?} but the index is {index:?}")
}

/// The form of `ndarray` for the shape of an array: a number, or a tuple.
pub trait Dim {
    /// The number or tuple.
    type Pattern;
    /// This shape in that form.
    fn pattern(self) -> Self::Pattern;
}

impl Dim for [usize; 1] {
    type Pattern = usize;
    #[inline(always)]
    fn pattern(self) -> usize {
        self[0]
    }
}

macro_rules! tuples {
    ($($d:literal $($usize:ident)*;)*) => {$(
        impl Dim for [usize; $d] {
            type Pattern = ($($usize,)*);
            #[inline(always)]
            fn pattern(self) -> Self::Pattern {
                self.into()
            }
        }

        impl GridIndex<$d> for ($($usize,)*) {
            #[inline(always)]
            fn exists(&self, shape: &[usize; $d]) -> bool {
                <[usize; $d]>::from(*self).exists(shape)
            }

            #[inline(always)]
            #[track_caller]
            fn place(self, shape: &[usize; $d], checked: bool) -> usize {
                <[usize; $d]>::from(self).place(shape, checked)
            }
        }
    )*};
}
tuples! {
    2 usize usize;
    3 usize usize usize;
    4 usize usize usize usize;
    5 usize usize usize usize usize;
    6 usize usize usize usize usize usize;
}

impl<V, const D: usize> Grid<V, D> {
    /// Gives elements a shape.
    #[inline(always)]
    pub fn new(view: V, shape: [usize; D]) -> Self {
        Grid { view, shape }
    }

    /// The elements without the shape.
    #[inline(always)]
    pub fn into_view(self) -> V {
        self.view
    }

    /// The global length of each axis.
    #[inline(always)]
    pub fn lengths(&self) -> [usize; D] {
        self.shape
    }

    /// The global shape, as a number or a tuple.
    #[inline(always)]
    pub fn dim(&self) -> <[usize; D] as Dim>::Pattern
    where
        [usize; D]: Dim,
    {
        self.shape.pattern()
    }

    /// The global shape.
    #[inline(always)]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of dimensions.
    #[inline(always)]
    pub fn ndim(&self) -> usize {
        D
    }

    /// The index of a position in row-major order.
    #[inline(always)]
    pub fn index_of(&self, place: usize) -> <[usize; D] as Dim>::Pattern
    where
        [usize; D]: Dim,
    {
        let mut left = place;
        let mut index = [0; D];
        for axis in (0..D).rev() {
            index[axis] = if axis == 0 { left } else { left % self.shape[axis] };
            left /= self.shape[axis];
        }
        index.pattern()
    }

    /// The position of an element in row-major order. It is beyond all elements if the index does not exist.
    #[inline(always)]
    pub fn place_of(&self, index: impl GridIndex<D>) -> usize {
        if index.exists(&self.shape) { index.place(&self.shape, false) } else { usize::MAX }
    }

    /// The positions of the elements of a part along the first axis. Empty if there is no such part.
    pub fn places_of_part(&self, index: impl TryInto<usize>) -> Range<usize> {
        let length: usize = self.shape[1..].iter().product();
        match index.try_into() {
            Ok(index) if index < self.shape[0] => index * length..(index + 1) * length,
            _ => 0..0,
        }
    }

    /// The array itself, to pass it to a function.
    pub fn view(&self) -> &Self {
        self
    }

    /// The array itself, to pass it to a function.
    pub fn view_mut(&mut self) -> &mut Self {
        self
    }
}

impl<V: Linear, const D: usize> Grid<V, D> {
    /// An element, if there is one with this index.
    #[inline(always)]
    #[track_caller]
    pub fn get(&self, index: impl GridIndex<D>) -> Option<&V::Output> {
        let place = self.place_of(index);
        (place < self.shape.iter().product()).then(|| &self.view[place])
    }
}

impl<V> Grid<V, 2> {
    /// The global number of rows.
    #[inline(always)]
    pub fn nrows(&self) -> usize {
        self.shape[0]
    }

    /// The number of columns.
    #[inline(always)]
    pub fn ncols(&self) -> usize {
        self.shape[1]
    }
}

impl<V, const D: usize> Deref for Grid<V, D> {
    type Target = V;

    #[inline(always)]
    fn deref(&self) -> &V {
        &self.view
    }
}

impl<V, const D: usize> DerefMut for Grid<V, D> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut V {
        &mut self.view
    }
}

impl<V: Linear, I: GridIndex<D>, const D: usize> Index<I> for Grid<V, D> {
    type Output = V::Output;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: I) -> &V::Output {
        &self.view[index.place(&self.shape, true)]
    }
}

impl<V, I, const D: usize> Index<Computed<I>> for Grid<V, D>
where
    V: Linear + Index<Computed<usize>, Output = <V as Index<usize>>::Output>,
    I: GridIndex<D> + Axes,
{
    type Output = <V as Index<usize>>::Output;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: Computed<I>) -> &Self::Output {
        &self.view[index.at(index.index.place(&self.shape, V::CHECKED))]
    }
}

impl<V, I, const D: usize> IndexMut<Computed<I>> for Grid<V, D>
where
    V: Linear + IndexMut<Computed<usize>, Output = <V as Index<usize>>::Output>,
    I: GridIndex<D> + Axes,
{
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: Computed<I>) -> &mut Self::Output {
        &mut self.view[index.at(index.index.place(&self.shape, V::CHECKED))]
    }
}

impl<V: Linear + IndexMut<usize>, I: GridIndex<D>, const D: usize> IndexMut<I> for Grid<V, D> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: I) -> &mut V::Output {
        &mut self.view[index.place(&self.shape, true)]
    }
}

// SAFETY: as for the view.
unsafe impl<T, V: Shared<T>, const D: usize> Shared<T> for Grid<V, D> {
    fn share(&self) -> Share<'_, T> {
        self.view.share()
    }
}

// SAFETY: as for the view.
unsafe impl<T, V: SharedMut<T>, const D: usize> SharedMut<T> for Grid<V, D> {
    fn share_mut(&mut self) -> ShareMut<'_, T> {
        self.view.share_mut()
    }
}

/// A parameter of an annotated function can be passed to another one. The shape is that of this rank's part.
impl<T, V: Shared<T>, const D: usize> Shaped<T, D> for Grid<V, D> {
    fn extents(&self) -> [usize; D] {
        let mut extents = self.shape;
        extents[0] = match self.shape[1..].iter().product::<usize>() {
            // No rank has elements, so any rank may have the planes.
            0 if D > 1 => {
                if crate::runtime::rank() == 0 {
                    self.shape[0]
                } else {
                    0
                }
            }
            plane => self.view.share().local.len() / plane,
        };
        extents
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid<Vec<usize>, 3> {
        Grid::new((0..24).collect(), [2, 3, 4])
    }

    #[test]
    fn elements_are_in_row_major_order() {
        let mut grid = grid();
        assert_eq!((grid[[1, 2, 3]], grid[(1, 0, 1)], grid[5]), (23, 13, 5));
        grid[[0, 1, 1]] = 99;
        assert_eq!(grid.to_vec()[5], 99);
        assert_eq!((grid.dim(), grid.shape(), grid.ndim(), grid.len()), ((2, 3, 4), &[2, 3, 4][..], 3, 24));
        assert!((0..24).all(|place| grid.index_of(place) == (place / 12, place / 4 % 3, place % 4)));
        assert_eq!((grid.place_of([1, 2, 3]), grid.place_of((1, 3, 0))), (23, usize::MAX));
        assert_eq!((grid.get([1, 2, 3]), grid.get((1, 3, 0)), grid.get(24)), (Some(&23), None, None));
        assert_eq!((grid.places_of_part(1), grid.places_of_part(2), grid.places_of_part(-1)), (12..24, 0..0, 0..0));
        assert_eq!(Grid::new(vec![7], [1]).dim(), 1);
    }

    #[test]
    #[should_panic(expected = "the shape is [2, 3, 4] but the index is [0, 0, 4]")]
    fn an_index_beyond_the_end_of_a_row_is_not_in_the_next_row() {
        let _ = grid()[[0, 0, 4]];
    }

    #[test]
    fn what_is_passed_on_has_the_shape_of_this_ranks_part() {
        assert_eq!(grid().extents(), [2, 3, 4]);
        assert_eq!(Grid::new(Vec::<u8>::new(), [5, 0]).extents(), [5, 0]);
        assert_eq!(Grid::new(vec![1, 2], [2]).extents(), [2]);
    }
}
