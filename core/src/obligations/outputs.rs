//! Obligations: values given to a scan state are copies, and no outputs.

/// Returns a value that is assumed to be a copy. A mutable reference is not `Copy` (FA014).
#[inline(always)]
pub fn fa014_this_is_a_copy<T: Copy>(value: T) -> T {
    value
}

/// All types have one implementation. Types that contain a mutable reference have a second one, so that rustc cannot infer `Why`.
pub trait NoOutput<Why> {}

/// The implementation of all types.
#[derive(Debug)]
pub struct AValue;

/// The second implementation: the number of the part that is a mutable reference.
#[derive(Debug)]
pub struct AnOutput<const PART: usize>;

impl<T> NoOutput<AValue> for T {}
impl<T: ?Sized> NoOutput<AnOutput<0>> for &mut T {}
impl<T: ?Sized> NoOutput<AnOutput<0>> for Option<&mut T> {}
impl<T, const N: usize> NoOutput<AnOutput<0>> for [&mut T; N] {}
impl<A: ?Sized, B> NoOutput<AnOutput<0>> for (&mut A, B) {}
impl<A, B: ?Sized> NoOutput<AnOutput<1>> for (A, &mut B) {}
impl<A: ?Sized, B, C> NoOutput<AnOutput<0>> for (&mut A, B, C) {}
impl<A, B: ?Sized, C> NoOutput<AnOutput<1>> for (A, &mut B, C) {}
impl<A, B, C: ?Sized> NoOutput<AnOutput<2>> for (A, B, &mut C) {}

/// Refuses an output as an argument of a scan state's method, which could write the state to it (FA014).
#[inline(always)]
pub fn fa014_this_is_no_output<T: NoOutput<Why>, Why>(value: T) -> T {
    value
}
