//! `ndarray` arrays and views, of any dimension, as shares of a linearised vector.

use ndarray::{ArrayBase, Data, DataMut, Dimension};

use super::{Room, Share, ShareMut, Shared, SharedMut};

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
unsafe impl<T, S: Data<Elem = T>, D: Dimension> Shared<T> for ArrayBase<S, D> {
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
unsafe impl<T, S: DataMut<Elem = T>, D: Dimension> SharedMut<T> for ArrayBase<S, D> {
    fn share_mut(&mut self) -> ShareMut<'_, T> {
        if !self.is_standard_layout() {
            not_standard(self.shape(), self.strides());
        }
        let local = self.as_slice_mut().expect("a standard layout is contiguous");
        let first = local.as_mut_ptr();
        ShareMut { local, first, cuts: None, room: Room::default() }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array3, ArrayViewMut2, arr2};

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
