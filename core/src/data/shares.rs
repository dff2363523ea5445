//! The types that an annotated function accepts for its arrays.

use super::cuts::Cuts;
use super::local::{Local, LocalMut};
use std::borrow::Cow;
use std::cell::{LazyCell, Ref, RefMut};
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, LazyLock, MutexGuard, RwLockReadGuard, RwLockWriteGuard};

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

/// The arguments that an annotated function accepts for a parameter `&[T]`: slices, `Vec`, arrays, [`DistVec`](super::DistVec), `ndarray`
/// views, and the pointers of the standard library to them (`Arc`, `Rc`, `Box`, `Cow`, guards of locks and cells).
///
/// # Safety
/// [`Share::room`] elements before and after [`Share::local`] belong to the same allocation, nothing else refers to them,
/// and the type is not [`Sync`] unless both are zero.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed as a share of `{T}` elements",
    note = "pass a slice, a `Vec`, an array or a `forall::DistVec` of `{T}`, or a pointer of the standard library to one",
    note = "a type of the program that dereferences to one of them needs `impl forall::SharePointer for Type {{}}`"
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
    note = "pass a `&mut` slice, `Vec`, array or `forall::DistVec` of `{T}`, or a pointer of the standard library to one",
    note = "a type of the program that dereferences to one of them needs `impl forall::SharePointer for Type {{}}`"
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

        // SAFETY: as above.
        unsafe impl<T, $($generic)*> SharedMut<T> for $type {
            fn share_mut(&mut self) -> ShareMut<'_, T> {
                ShareMut { local: LocalMut::from(&mut self[..]), cuts: None, room: Room::default() }
            }
        }
    )*};
}

plain_slices! {
    [] [T];
    [] Vec<T>;
    [const N: usize] [T; N];
}

/// Types that dereference to a share, and may be passed in its place: the pointers and guards of the standard library, and those for which
/// a program implements this trait.
///
/// ```
/// use std::ops::Deref;
///
/// struct Field {
///     values: Vec<f64>,
/// }
///
/// impl Deref for Field {
///     type Target = Vec<f64>;
///
///     fn deref(&self) -> &Vec<f64> {
///         &self.values
///     }
/// }
///
/// impl forall_core::data::SharePointer for Field {}
/// # fn passed(_: &(impl forall_core::data::Shared<f64> + ?Sized)) {}
/// # passed(&Field { values: vec![1.0] });
/// ```
// One impl of `Shared` for all types that implement `Deref` would overlap with arrays, for which the standard library may implement it.
pub trait SharePointer: Deref {}

macro_rules! pointers {
    ($([$($generic:tt)*] $type:ty;)*) => {$(
        impl<$($generic)*> SharePointer for $type {}
    )*};
}

pointers! {
    [S: ?Sized] &S;
    [S: ?Sized] &mut S;
    [S: ?Sized] Box<S>;
    [S: ?Sized] Rc<S>;
    [S: ?Sized] Arc<S>;
    [S: ToOwned + ?Sized] Cow<'_, S>;
    [S: ?Sized] Ref<'_, S>;
    [S: ?Sized] RefMut<'_, S>;
    [S: ?Sized] MutexGuard<'_, S>;
    [S: ?Sized] RwLockReadGuard<'_, S>;
    [S: ?Sized] RwLockWriteGuard<'_, S>;
    [S: ?Sized] ManuallyDrop<S>;
    [P: Deref] Pin<P>;
    [S] AssertUnwindSafe<S>;
    [S, F: FnOnce() -> S] LazyCell<S, F>;
    [S, F: FnOnce() -> S] LazyLock<S, F>;
}

// SAFETY: as for the type that it points to. It is `Sync` only if that type is.
#[diagnostic::do_not_recommend]
unsafe impl<T, P: SharePointer<Target: Shared<T>>> Shared<T> for P {
    #[inline]
    fn share(&self) -> Share<'_, T> {
        (**self).share()
    }
}

// SAFETY: as above.
#[diagnostic::do_not_recommend]
unsafe impl<T, P: SharePointer<Target: SharedMut<T>> + DerefMut> SharedMut<T> for P {
    #[inline]
    fn share_mut(&mut self) -> ShareMut<'_, T> {
        (**self).share_mut()
    }
}

#[diagnostic::do_not_recommend]
impl<T, P: SharePointer<Target: Shaped<T, D>>, const D: usize> Shaped<T, D> for P {
    #[inline]
    fn extents(&self) -> [usize; D] {
        (**self).extents()
    }
}
