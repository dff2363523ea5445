//! Obligations: dereferencing, element access and methods that only read have no side effects.

use super::probe::{Captured, Nothing};
use crate::data::{Local, LocalMut};
use crate::grid::Grid;
use crate::parameter::{Input, Output};
use std::marker::PhantomData;
use std::ops::DerefMut;
use std::rc::Rc;
use std::sync::Arc;

/// Implemented for types that call `deref_mut` in `*guard` and `guard.field`.
pub trait CallsDerefMut<T: ?Sized> {
    /// The answer.
    fn __dereferences(&self) -> DerefMutOf<T>;
}

impl<T: DerefMut + ?Sized> CallsDerefMut<T> for Captured<'_, T> {
    #[inline(always)]
    fn __dereferences(&self) -> DerefMutOf<T> {
        DerefMutOf(PhantomData)
    }
}

/// Implemented for all other types.
pub trait CallsNoFunction {
    /// The answer.
    fn __dereferences(&self) -> Nothing;
}

impl<T: ?Sized> CallsNoFunction for &Captured<'_, T> {
    #[inline(always)]
    fn __dereferences(&self) -> Nothing {
        Nothing
    }
}

/// The answer for types that implement `DerefMut`.
#[derive(Debug)]
pub struct DerefMutOf<T: ?Sized>(PhantomData<fn(&T)>);

/// Required of each part of a place expression that a loop updates.
#[diagnostic::on_unimplemented(
    message = "FA014: each update first calls `deref_mut` of this type, which may have side effects",
    label = "the loop updates a value behind this",
    note = "dereference it once, before the loop: `let total = &mut *place;`, and in the loop `*total += e`"
)]
pub trait PureDerefMut {}

#[diagnostic::do_not_recommend]
impl PureDerefMut for Nothing {}

macro_rules! pure {
    ($($type:ty)*) => {$(#[diagnostic::do_not_recommend] impl<T: ?Sized> PureDerefMut for DerefMutOf<$type> {})*};
}
pure! {
    &mut T Box<T> std::sync::MutexGuard<'_, T> std::sync::RwLockWriteGuard<'_, T> std::cell::RefMut<'_, T>
    std::mem::ManuallyDrop<T>
}
#[diagnostic::do_not_recommend]
impl<T> PureDerefMut for DerefMutOf<Vec<T>> {}
#[diagnostic::do_not_recommend]
impl<T> PureDerefMut for DerefMutOf<std::panic::AssertUnwindSafe<T>> {}

/// Refuses updates through a `deref_mut` of the user (FA014).
#[inline(always)]
pub fn fa014_deref_mut_has_no_side_effect<T: PureDerefMut>(_: T) {}

/// A type whose elements, length and iterators are those of a slice: no function of the user runs.
#[diagnostic::on_unimplemented(
    message = "FA022: forall does not know the element access of `{Self}`: its functions may have side effects, or return other elements",
    label = "the loop runs over its elements",
    note = "borrow a slice before the loop, and write the loop over it: `let elements = &mut place[..];`, or `&place[..]`"
)]
pub trait AccessedAsSlice {}

#[diagnostic::do_not_recommend]
impl<T> AccessedAsSlice for [T] {}
#[diagnostic::do_not_recommend]
impl<T, const N: usize> AccessedAsSlice for [T; N] {}
#[diagnostic::do_not_recommend]
impl<T> AccessedAsSlice for Vec<T> {}
#[diagnostic::do_not_recommend]
impl<T> AccessedAsSlice for Input<'_, T> {}
#[diagnostic::do_not_recommend]
impl<T> AccessedAsSlice for Output<'_, T> {}
#[diagnostic::do_not_recommend]
impl<T: AccessedAsSlice, const D: usize> AccessedAsSlice for Grid<T, D> {}
#[diagnostic::do_not_recommend]
impl<T> AccessedAsSlice for Local<'_, T> {}
#[diagnostic::do_not_recommend]
impl<T> AccessedAsSlice for LocalMut<'_, T> {}
#[diagnostic::do_not_recommend]
impl<T: Clone> AccessedAsSlice for std::borrow::Cow<'_, [T]> {}

macro_rules! accessed_as_slices {
    ($($type:ty)*) => {$(#[diagnostic::do_not_recommend] impl<T: AccessedAsSlice + ?Sized> AccessedAsSlice for $type {})*};
}
accessed_as_slices! {
    &T &mut T Box<T> Rc<T> Arc<T> std::mem::ManuallyDrop<T> std::cell::Ref<'_, T> std::cell::RefMut<'_, T>
    std::sync::MutexGuard<'_, T> std::sync::RwLockReadGuard<'_, T> std::sync::RwLockWriteGuard<'_, T>
}

/// Refuses arrays whose elements, length or iterators may come from a function of the user (FA022).
#[inline(always)]
pub fn fa022_elements_are_those_of_a_slice<T: AccessedAsSlice + ?Sized>(_: &T) {}

/// The receiver of a method that is assumed only to read. It is a macro, so that rustc's message about a method that changes the receiver
/// shows the name.
#[doc(hidden)]
#[macro_export]
macro_rules! fa014_this_method_is_taken_to_read {
    ($place:expr) => {
        (*&$place)
    };
}

/// Ends the shared borrow of the inputs of a scan state, which lasts while a statement runs that is assumed to leave them unchanged.
#[inline(always)]
pub fn fa014_this_changes_no_input_of_a_scan_state<T>(_: T) {}
