//! The types that an annotated function accepts for its arrays.

use super::cuts::Cuts;
use super::local::{Local, LocalMut};

/// This rank's contiguous share of a distributed vector.
#[derive(Debug)]
pub struct Share<'a, T> {
    /// The elements that this rank owns.
    pub local: Local<'a, T>,
    /// The cuts of the vector. `None` for plain slices: the ranks exchange their lengths in the handshake.
    pub cuts: Option<&'a Cuts>,
    /// The number of elements before and after `local` that may be written through a raw pointer, for a halo.
    pub room: Room,
    /// Whether this is a plain slice that may be replicated by mistake.
    pub plain: bool,
}

/// A share that the loop may write.
#[derive(Debug)]
pub struct ShareMut<'a, T> {
    /// The elements that this rank owns.
    pub local: LocalMut<'a, T>,
    /// As in [`Share::cuts`].
    pub cuts: Option<&'a Cuts>,
    /// As in [`Share::room`].
    pub room: Room,
}

/// Uninitialised elements around a share that belong to its buffer; zero for plain slices.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Room {
    /// Elements before the share.
    pub front: usize,
    /// Elements after the share.
    pub back: usize,
}

/// The arguments that an annotated function accepts for a parameter `&[T]`: slices, `Vec`, arrays, [`DistVec`](super::DistVec), `ndarray` views.
///
/// # Safety
/// [`Share::room`] elements before and after [`Share::local`] belong to the same allocation, nothing else refers to them,
/// and the type is not [`Sync`] unless both are zero.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed as a share of `{T}` elements",
    note = "pass a slice, a `Vec`, an array or a `forall::DistVec` of `{T}`"
)]
pub unsafe trait Shared<T> {
    /// This rank's share.
    fn share(&self) -> Share<'_, T>;
}

/// The arguments that an annotated function accepts for a parameter `&mut [T]`.
///
/// # Safety
/// As [`Shared`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed as a writable share of `{T}` elements",
    note = "pass a `&mut` slice, `Vec`, array or `forall::DistVec` of `{T}`"
)]
pub unsafe trait SharedMut<T>: Shared<T> {
    /// This rank's share.
    fn share_mut(&mut self) -> ShareMut<'_, T>;
}

/// The arguments that an annotated function accepts for a parameter with `D` dimensions: this rank's planes, cut along the
/// first axis. With the feature `ndarray`, arrays and views of that crate.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed as an array of {D} dimensions with `{T}` elements",
    note = "pass an array or a view of `ndarray` 0.17 with {D} dimensions, and give the dependency `forall` the feature `ndarray`"
)]
pub trait Shaped<T, const D: usize>: Shared<T> {
    /// The shape of this rank's part.
    fn extents(&self) -> [usize; D];
}

/// The same for a writable array.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed as a writable array of {D} dimensions with `{T}` elements",
    note = "pass a writable array or view of `ndarray` 0.17 with {D} dimensions, and give the dependency `forall` the feature `ndarray`"
)]
pub trait ShapedMut<T, const D: usize>: Shaped<T, D> + SharedMut<T> {}

impl<T, S: Shaped<T, D> + SharedMut<T> + ?Sized, const D: usize> ShapedMut<T, D> for S {}

macro_rules! plain_slices {
    ($([$($generic:tt)*] $type:ty;)*) => {$(
        // SAFETY: a plain slice has no space around it.
        unsafe impl<T, $($generic)*> Shared<T> for $type {
            fn share(&self) -> Share<'_, T> {
                Share { local: Local::from(&self[..]), cuts: None, room: Room::default(), plain: true }
            }
        }
    )*};
}

plain_slices! {
    [] [T];
    [] Vec<T>;
    [] Box<[T]>;
    [] std::rc::Rc<[T]>;
    [] std::sync::Arc<[T]>;
    [const N: usize] [T; N];
}

macro_rules! plain_slices_mut {
    ($([$($generic:tt)*] $type:ty;)*) => {$(
        // SAFETY: a plain slice has no space around it.
        unsafe impl<T, $($generic)*> SharedMut<T> for $type {
            fn share_mut(&mut self) -> ShareMut<'_, T> {
                ShareMut { local: LocalMut::from(&mut self[..]), cuts: None, room: Room::default() }
            }
        }
    )*};
}

plain_slices_mut! {
    [] [T];
    [] Vec<T>;
    [] Box<[T]>;
    [const N: usize] [T; N];
}

// SAFETY: as for the type referred to.
unsafe impl<T, S: Shared<T> + ?Sized> Shared<T> for &S {
    fn share(&self) -> Share<'_, T> {
        (**self).share()
    }
}

// SAFETY: as for the type referred to.
unsafe impl<T, S: Shared<T> + ?Sized> Shared<T> for &mut S {
    fn share(&self) -> Share<'_, T> {
        (**self).share()
    }
}

// SAFETY: as for the type referred to.
unsafe impl<T, S: SharedMut<T> + ?Sized> SharedMut<T> for &mut S {
    fn share_mut(&mut self) -> ShareMut<'_, T> {
        (**self).share_mut()
    }
}

impl<T, S: Shaped<T, D> + ?Sized, const D: usize> Shaped<T, D> for &S {
    fn extents(&self) -> [usize; D] {
        (**self).extents()
    }
}

impl<T, S: Shaped<T, D> + ?Sized, const D: usize> Shaped<T, D> for &mut S {
    fn extents(&self) -> [usize; D] {
        (**self).extents()
    }
}
