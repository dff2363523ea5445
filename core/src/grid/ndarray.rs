//! `ndarray` arrays and views as shares: of a long vector in row-major order, or of an array with a shape.

use std::ops::{Index, IndexMut, Range};

use ndarray::{
    ArrayBase, ArrayRef, ArrayView, ArrayView1, ArrayViewMut, ArrayViewMut1, Axis, Data, DataMut, Dim, Dimension, Ix,
    RemoveAxis, ShapeBuilder, SliceArg, SliceInfo, SliceInfoElem, StrideShape,
};

use super::Grid;
use crate::data::{Room, Shaped, Share, ShareMut, Shared, SharedMut};

/// Panics with the reason why an array cannot be a share.
fn not_standard(shape: &[usize], strides: &[isize]) -> ! {
    panic!(
        "an array of shape {shape:?} with strides {strides:?} is not a share of one long vector: its elements do not lie \
         one after the other in row-major order; pass `array.as_standard_layout()` instead"
    )
}

/// The elements in row-major order. A rank's array is its share, cut along the first axis.
///
/// # Panics
/// [`Shared::share`] panics when the array is not contiguous in standard (row-major) layout.
// SAFETY: an array has no space around its elements.
unsafe impl<T, D: Dimension> Shared<T> for ArrayRef<T, D> {
    fn share(&self) -> Share<'_, T> {
        let Some(local) = self.as_slice() else { not_standard(self.shape(), self.strides()) };
        Share { local: local.into(), cuts: None, room: Room::default(), plain: true }
    }
}

/// As for [`Shared`].
///
/// # Panics
/// [`SharedMut::share_mut`] panics when the array is not contiguous in standard (row-major) layout.
// SAFETY: an array has no space around its elements.
unsafe impl<T, D: Dimension> SharedMut<T> for ArrayRef<T, D> {
    fn share_mut(&mut self) -> ShareMut<'_, T> {
        if !self.is_standard_layout() {
            not_standard(self.shape(), self.strides());
        }
        let local = self.as_slice_mut().expect("a standard layout is contiguous");
        ShareMut { local: local.into(), cuts: None, room: Room::default() }
    }
}

impl<T, const D: usize> Shaped<T, D> for ArrayRef<T, Dim<[Ix; D]>>
where
    Dim<[Ix; D]>: Dimension,
{
    fn extents(&self) -> [usize; D] {
        std::array::from_fn(|axis| self.shape()[axis])
    }
}

// SAFETY: as for the array's elements.
unsafe impl<T, S: Data<Elem = T>, D: Dimension> Shared<T> for ArrayBase<S, D> {
    fn share(&self) -> Share<'_, T> {
        (**self).share()
    }
}

// SAFETY: as for the array's elements.
unsafe impl<T, S: DataMut<Elem = T>, D: Dimension> SharedMut<T> for ArrayBase<S, D> {
    fn share_mut(&mut self) -> ShareMut<'_, T> {
        (**self).share_mut()
    }
}

impl<T, S: Data<Elem = T>, const D: usize> Shaped<T, D> for ArrayBase<S, Dim<[Ix; D]>>
where
    Dim<[Ix; D]>: Dimension,
{
    fn extents(&self) -> [usize; D] {
        (**self).extents()
    }
}

impl<V, const D: usize> Grid<V, D> {
    /// The global length of an axis.
    #[inline(always)]
    pub fn len_of(&self, axis: Axis) -> usize {
        self.shape()[axis.0]
    }

    /// The global shape, to make an array like this one.
    #[inline(always)]
    pub fn raw_dim(&self) -> Dim<[Ix; D]>
    where
        Dim<[Ix; D]>: Dimension,
    {
        let mut dim = Dim::<[Ix; D]>::zeros(D);
        dim.slice_mut().copy_from_slice(self.shape());
        dim
    }

    /// The shape of a part along the first axis, with strides. Without them, `ndarray` would test for each row if it is empty, and loops
    /// over rows would not be vectorised.
    #[inline(always)]
    fn shape_of_part(&self) -> StrideShape<<Dim<[Ix; D]> as Dimension>::Smaller>
    where
        Dim<[Ix; D]>: RemoveAxis,
    {
        let shape = self.raw_dim().remove_axis(Axis(0));
        let mut strides = shape.clone();
        let mut stride = 1;
        for axis in (0..shape.ndim()).rev() {
            strides[axis] = stride;
            stride *= shape[axis];
        }
        shape.strides(strides)
    }

    /// The shape of some parts along the first axis.
    #[inline(always)]
    fn shape_of_parts(&self, parts: &Range<usize>) -> Dim<[Ix; D]>
    where
        Dim<[Ix; D]>: Dimension,
    {
        let mut dim = self.raw_dim();
        dim[0] = parts.len();
        dim
    }

    /// The positions of the elements of some parts along the first axis.
    #[inline(always)]
    fn places_of_parts(&self, parts: &Range<usize>) -> Range<usize> {
        let length: usize = self.shape()[1..].iter().product();
        parts.start * length..parts.end * length
    }

    /// A part along the first axis.
    #[inline(always)]
    #[track_caller]
    fn part(&self, axis: Axis, index: usize) -> Range<usize> {
        let (length, shape) = (self.shape()[0], self.shape());
        assert!(axis.0 == 0, "the parts of a distributed array are those along its first axis, not along {axis:?}");
        assert!(
            index < length,
            "index {index} must be less than the length {length} of axis 0 of an array of shape {shape:?}"
        );
        index..index + 1
    }

    /// The parts along the first axis that a slice selects, and the same slice for these parts.
    #[track_caller]
    fn sliced<const N: usize>(&self, elements: &[SliceInfoElem; N]) -> (Range<usize>, [SliceInfoElem; N]) {
        let from_start = |index: isize| {
            usize::try_from(index).unwrap_or_else(|_| {
                panic!(
                    "the first axis of a distributed array is sliced from its start, not by the negative index {index}"
                )
            })
        };
        let mut rest = *elements;
        let parts = match rest.first_mut() {
            Some(SliceInfoElem::Index(index)) => {
                let part = self.part(Axis(0), from_start(*index));
                *index = 0;
                part
            }
            Some(SliceInfoElem::Slice { start, end, .. }) => {
                let length = self.shape()[0];
                let (first, last) = (from_start(*start), end.map_or(length, from_start));
                assert!(
                    first.max(last) <= length,
                    "{first}..{last} is not inside of axis 0 of an array of shape {:?}",
                    self.shape()
                );
                (*start, *end) = (0, None);
                first..last.max(first)
            }
            _ => panic!("a distributed array is sliced along its first axis first"),
        };
        (parts, rest)
    }
}

/// An iterator over the elements or the parts of an array.
pub trait Items<Item>: DoubleEndedIterator<Item = Item> + ExactSizeIterator {}

impl<Item, I: DoubleEndedIterator<Item = Item> + ExactSizeIterator> Items<Item> for I {}

/// The message for a part with another number of elements than its shape. This cannot happen, because the shape determines the part.
const SHAPED: &str = "a part has the elements of its shape";

/// Parts along the first axis, as views of `ndarray`.
impl<T, V, const D: usize> Grid<V, D>
where
    V: Index<Range<usize>, Output = [T]>,
    Dim<[Ix; D]>: RemoveAxis,
{
    #[inline(always)]
    #[track_caller]
    fn parts(&self, parts: &Range<usize>) -> ArrayView<'_, T, Dim<[Ix; D]>> {
        let elements = &(**self)[self.places_of_parts(parts)];
        ArrayView::from_shape(self.shape_of_parts(parts), elements).expect(SHAPED)
    }

    /// The part at an index along the first axis.
    ///
    /// # Panics
    /// If there is no such part, or if it is another axis.
    #[inline(always)]
    #[track_caller]
    pub fn index_axis(&self, axis: Axis, index: usize) -> ArrayView<'_, T, <Dim<[Ix; D]> as Dimension>::Smaller> {
        let elements = &(**self)[self.places_of_parts(&self.part(axis, index))];
        // SAFETY: these are the elements of one part, and the strides are those of its shape in row-major order.
        unsafe { ArrayView::from_shape_ptr(self.shape_of_part(), elements.as_ptr()) }
    }

    /// The part for an iteration.
    #[inline(always)]
    #[track_caller]
    pub fn outer(&self, position: usize) -> ArrayView<'_, T, <Dim<[Ix; D]> as Dimension>::Smaller> {
        self.index_axis(Axis(0), position)
    }

    /// A slice of the array.
    ///
    /// # Panics
    /// As on an array, and for negative indices along the first axis.
    #[inline(always)]
    #[track_caller]
    pub fn slice<const N: usize, Out: Dimension>(
        &self,
        slice: SliceInfo<[SliceInfoElem; N], Dim<[Ix; D]>, Out>,
    ) -> ArrayView<'_, T, Out>
    where
        for<'s> SliceInfo<&'s [SliceInfoElem], Dim<[Ix; D]>, Out>: SliceArg<Dim<[Ix; D]>, OutDim = Out>,
    {
        let (parts, rest) = self.sliced(&slice);
        let rest = SliceInfo::<_, Dim<[Ix; D]>, Out>::try_from(&rest[..]).expect(SHAPED);
        self.parts(&parts).slice_move(rest)
    }

    /// All parts along the first axis.
    pub fn outer_iter<'a>(&'a self) -> impl Items<ArrayView<'a, T, <Dim<[Ix; D]> as Dimension>::Smaller>>
    where
        T: 'a,
    {
        self.axis_iter(Axis(0))
    }

    /// All parts along the first axis.
    ///
    /// # Panics
    /// If it is another axis.
    pub fn axis_iter<'a>(&'a self, axis: Axis) -> impl Items<ArrayView<'a, T, <Dim<[Ix; D]> as Dimension>::Smaller>>
    where
        T: 'a,
    {
        (0..self.shape()[0]).map(move |index| self.index_axis(axis, index))
    }

    /// All elements, each with its index.
    pub fn indexed_iter<'a>(&'a self) -> impl Items<(<[usize; D] as crate::grid::Dim>::Pattern, &'a T)>
    where
        T: 'a,
        [usize; D]: crate::grid::Dim,
    {
        let elements = &(**self)[self.places_of_parts(&(0..self.shape()[0]))];
        elements.iter().enumerate().map(|(place, element)| (self.index_of(place), element))
    }
}

/// Parts along the first axis, to write.
impl<T, V, const D: usize> Grid<V, D>
where
    V: IndexMut<Range<usize>, Output = [T]>,
    Dim<[Ix; D]>: RemoveAxis,
{
    #[inline(always)]
    #[track_caller]
    fn parts_mut(&mut self, parts: &Range<usize>) -> ArrayViewMut<'_, T, Dim<[Ix; D]>> {
        let (shape, places) = (self.shape_of_parts(parts), self.places_of_parts(parts));
        ArrayViewMut::from_shape(shape, &mut (**self)[places]).expect(SHAPED)
    }

    /// As [`Grid::index_axis`].
    #[inline(always)]
    #[track_caller]
    pub fn index_axis_mut(
        &mut self,
        axis: Axis,
        index: usize,
    ) -> ArrayViewMut<'_, T, <Dim<[Ix; D]> as Dimension>::Smaller> {
        let (places, shape) = (self.places_of_parts(&self.part(axis, index)), self.shape_of_part());
        // SAFETY: as in `index_axis`.
        unsafe { ArrayViewMut::from_shape_ptr(shape, (**self)[places].as_mut_ptr()) }
    }

    /// The part for an iteration.
    #[inline(always)]
    #[track_caller]
    pub fn outer_mut(&mut self, position: usize) -> ArrayViewMut<'_, T, <Dim<[Ix; D]> as Dimension>::Smaller> {
        self.index_axis_mut(Axis(0), position)
    }

    /// As [`Grid::slice`].
    #[inline(always)]
    #[track_caller]
    pub fn slice_mut<const N: usize, Out: Dimension>(
        &mut self,
        slice: SliceInfo<[SliceInfoElem; N], Dim<[Ix; D]>, Out>,
    ) -> ArrayViewMut<'_, T, Out>
    where
        for<'s> SliceInfo<&'s [SliceInfoElem], Dim<[Ix; D]>, Out>: SliceArg<Dim<[Ix; D]>, OutDim = Out>,
    {
        let (parts, rest) = self.sliced(&slice);
        let rest = SliceInfo::<_, Dim<[Ix; D]>, Out>::try_from(&rest[..]).expect(SHAPED);
        self.parts_mut(&parts).slice_move(rest)
    }
}

impl<T, V: Index<Range<usize>, Output = [T]>> Grid<V, 2> {
    /// A row.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    #[track_caller]
    pub fn row(&self, index: usize) -> ArrayView1<'_, T> {
        self.index_axis(Axis(0), index)
    }

    /// A row, to write.
    ///
    /// # Panics
    /// As [`Grid::row`].
    #[inline(always)]
    #[track_caller]
    pub fn row_mut(&mut self, index: usize) -> ArrayViewMut1<'_, T>
    where
        V: IndexMut<Range<usize>>,
    {
        self.index_axis_mut(Axis(0), index)
    }

    /// All rows.
    pub fn rows<'a>(&'a self) -> impl Items<ArrayView1<'a, T>>
    where
        T: 'a,
    {
        self.outer_iter()
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2, Array3, ArrayViewMut2, arr2};

    use super::*;

    #[test]
    fn arrays_and_views_of_any_dimension_are_shares() {
        let mut cube = Array3::from_shape_fn((2, 3, 4), |(z, y, x)| (z * 3 + y) * 4 + x);
        assert!(cube.share().local.iter().copied().eq(0..24));
        assert_eq!(cube.view().into_dyn().share().local.len(), 24);
        cube.share_mut().local[23] = 7;
        assert_eq!(cube[[1, 2, 3]], 7);

        let slab = cube.slice(ndarray::s![1.., .., ..]);
        assert_eq!(slab.share().local[0], 12);
        let mut plain = [1.0, 2.0, 3.0, 4.0];
        ArrayViewMut2::from_shape((2, 2), &mut plain).unwrap().share_mut().local[2] = 9.0;
        assert_eq!(plain[2], 9.0);
        assert!(Array1::<u8>::default(0).share().local.is_empty());
        assert!(cube.share().cuts.is_none() && cube.share().room == Room::default());
    }

    #[test]
    fn arrays_and_views_have_a_shape() {
        fn extents<const D: usize>(array: impl Shaped<u8, D>) -> [usize; D] {
            array.extents()
        }
        let mut cube = Array3::<u8>::zeros((2, 3, 4));
        assert_eq!((extents(&cube), extents(cube.view_mut()), extents(&*cube)), ([2, 3, 4], [2, 3, 4], [2, 3, 4]));
        assert_eq!((extents(Array1::zeros(5)), extents(Array2::zeros((0, 7)))), ([5], [0, 7]));
        let grid = Grid::new(vec![0; 6], [2, 3]);
        assert_eq!((grid.raw_dim(), grid.len_of(Axis(1))), (ndarray::Ix2(2, 3), 3));
    }

    #[test]
    #[should_panic(expected = "pass `array.as_standard_layout()` instead")]
    fn a_transposed_array_is_refused() {
        arr2(&[[1, 2], [3, 4]]).reversed_axes().share();
    }

    #[test]
    #[should_panic(expected = "an array of shape [3, 1] with strides")]
    fn a_column_is_refused_for_writing() {
        let mut table = arr2(&[[1, 2], [3, 4], [5, 6]]);
        table.slice_mut(ndarray::s![.., ..1]).share_mut();
    }
}
