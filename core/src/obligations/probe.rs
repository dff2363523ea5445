//! Values and types that obligations test.
//!
//! rustc looks for a method on `&Captured<T>` before it looks on `&&Captured<T>`. So a trait for `Captured<T>` with a bound on `T` answers if
//! the bound holds, and a trait for `&Captured<T>` with a method of the same name answers otherwise.

use std::marker::PhantomData;

/// A value that all iterations of a loop read.
#[derive(Debug)]
pub struct Captured<'a, T: ?Sized>(pub &'a T);

/// The answer for types that have none of the tested properties.
#[derive(Debug)]
pub struct Nothing;

/// The type of a value.
#[derive(Debug)]
pub struct Kind<T>(pub(super) PhantomData<fn(&T)>);

impl<T> Kind<T> {
    /// The type of this value.
    #[inline(always)]
    pub fn of(_: &T) -> Self {
        Kind(PhantomData)
    }
}
