//! `ndarray` arrays and views as shares: of a long vector in row-major order, or of an array with a shape.

use ndarray::{ArrayBase, ArrayRef, Axis, Data, DataMut, Dim, Dimension, IntoDimension, Ix};

use super::{Room, Shaped, Share, ShareMut, Shared, SharedMut};
use crate::grid::Grid;

/// Why an array cannot be a share.
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
// SAFETY: an array has no room.
unsafe impl<T, D: Dimension> Shared<T> for ArrayRef<T, D> {
    fn share(&self) -> Share<'_, T> {
        let Some(local) = self.as_slice() else { not_standard(self.shape(), self.strides()) };
        Share { local, first: local.as_ptr().cast_mut(), cuts: None, room: Room::default() }
    }
}

/// As for [`Shared`].
///
/// # Panics
/// [`SharedMut::share_mut`] panics when the array is not contiguous in standard (row-major) layout.
// SAFETY: an array has no room.
unsafe impl<T, D: Dimension> SharedMut<T> for ArrayRef<T, D> {
    fn share_mut(&mut self) -> ShareMut<'_, T> {
        if !self.is_standard_layout() {
            not_standard(self.shape(), self.strides());
        }
        let local = self.as_slice_mut().expect("a standard layout is contiguous");
        let first = local.as_mut_ptr();
        ShareMut { local, first, cuts: None, room: Room::default() }
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

// SAFETY: as for what the array refers to.
unsafe impl<T, S: Data<Elem = T>, D: Dimension> Shared<T> for ArrayBase<S, D> {
    fn share(&self) -> Share<'_, T> {
        (**self).share()
    }
}

// SAFETY: as for what the array refers to.
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
    pub fn raw_dim(&self) -> Dim<[Ix; D]>
    where
        [Ix; D]: IntoDimension<Dim = Dim<[Ix; D]>>,
    {
        std::array::from_fn(|axis| self.shape()[axis]).into_dimension()
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
