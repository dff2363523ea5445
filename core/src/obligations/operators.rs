//! Obligations: operators and methods are those of std, and associative.

use std::marker::PhantomData;

/// A type whose comparisons, `max`, `min`, `&`, `|` and `^` are std's.
#[diagnostic::on_unimplemented(
    message = "FA032: forall does not know that this operator of `{Self}` is associative",
    label = "of type `{Self}`",
    note = "write the operator as a function and name it: `#[kary_reduce(combine = path)]`, with `acc = path(acc, value)`"
)]
pub trait OperatorsOfStd {}

/// A type whose values all compare: `!(a <= b)` is `b < a`.
#[diagnostic::on_unimplemented(
    message = "FA032: `{Self}` may have values that compare with nothing, such as NaN",
    label = "of type `{Self}`",
    note = "write the condition for the new value, as `new < held`, in place of the condition for keeping the held one"
)]
pub trait TotallyOrdered {}

/// A type whose comparisons are std's, and whose values compare with all values or with none, as NaN does. `(1.0, NAN)` compares with
/// `(0.0, 1.0)` and not with `(1.0, 1.0)`: then the best of several values depends on how they are grouped.
#[diagnostic::on_unimplemented(
    message = "FA032: forall does not know that this operator of `{Self}` is associative",
    label = "of type `{Self}`",
    note = "write the operator as a function and name it: `#[kary_reduce(combine = path)]`, with `acc = path(acc, value)`",
    note = "a float may be the first part of a tuple only, as in `(f64, usize)`: `(1.0, NAN)` compares with `(0.0, 1.0)`, and not with `(1.0, 1.0)`"
)]
pub trait ComparedAlike {}

/// A float: its `is_nan` is std's.
#[diagnostic::on_unimplemented(
    message = "FA032: forall does not know `is_nan` of `{Self}`",
    label = "of type `{Self}`",
    note = "say in an `Option` or in a `bool` that there is no value yet"
)]
pub trait FloatOfStd {}

#[diagnostic::do_not_recommend]
impl FloatOfStd for f32 {}
#[diagnostic::do_not_recommend]
impl FloatOfStd for f64 {}

macro_rules! known {
    ($($type:ty)*) => {$(
        #[diagnostic::do_not_recommend] impl OperatorsOfStd for $type {}
        #[diagnostic::do_not_recommend] impl ComparedAlike for $type {}
    )*};
}
macro_rules! ordered {
    ($($type:ty)*) => {
        known!($($type)*);
        $(#[diagnostic::do_not_recommend] impl TotallyOrdered for $type {})*
    };
}
known!(f32 f64);
ordered! {
    i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize bool char str String
    std::cmp::Ordering std::time::Duration std::time::Instant std::time::SystemTime
}
#[diagnostic::do_not_recommend]
impl<T: TotallyOrdered + ?Sized> TotallyOrdered for &T {}
#[diagnostic::do_not_recommend]
impl<A: TotallyOrdered, B: TotallyOrdered> TotallyOrdered for (A, B) {}
#[diagnostic::do_not_recommend]
impl<A: TotallyOrdered, B: TotallyOrdered, C: TotallyOrdered> TotallyOrdered for (A, B, C) {}
#[diagnostic::do_not_recommend]
impl<A: TotallyOrdered, B: TotallyOrdered, C: TotallyOrdered, D: TotallyOrdered> TotallyOrdered for (A, B, C, D) {}
#[diagnostic::do_not_recommend]
impl<T: TotallyOrdered> TotallyOrdered for Option<T> {}
#[diagnostic::do_not_recommend]
impl<T: TotallyOrdered> TotallyOrdered for std::cmp::Reverse<T> {}
#[diagnostic::do_not_recommend]
impl<T: TotallyOrdered> TotallyOrdered for [T] {}
#[diagnostic::do_not_recommend]
impl<T: TotallyOrdered, const N: usize> TotallyOrdered for [T; N] {}
#[diagnostic::do_not_recommend]
impl<T: TotallyOrdered> TotallyOrdered for Vec<T> {}
#[cfg(feature = "half")]
known!(half::f16 half::bf16);
#[diagnostic::do_not_recommend]
impl<T: ComparedAlike + ?Sized> ComparedAlike for &T {}
#[diagnostic::do_not_recommend]
impl<T: ComparedAlike + ?Sized> ComparedAlike for &mut T {}
#[diagnostic::do_not_recommend]
impl<T: ComparedAlike> ComparedAlike for std::cmp::Reverse<T> {}
#[diagnostic::do_not_recommend]
impl<T: ComparedAlike> ComparedAlike for std::num::Wrapping<T> {}
#[diagnostic::do_not_recommend]
impl<T: ComparedAlike> ComparedAlike for std::num::Saturating<T> {}
#[diagnostic::do_not_recommend]
impl<T: TotallyOrdered> ComparedAlike for Option<T> {}
#[diagnostic::do_not_recommend]
impl<T: TotallyOrdered> ComparedAlike for [T] {}
#[diagnostic::do_not_recommend]
impl<T: TotallyOrdered, const N: usize> ComparedAlike for [T; N] {}
#[diagnostic::do_not_recommend]
impl<T: TotallyOrdered> ComparedAlike for Vec<T> {}
#[diagnostic::do_not_recommend]
impl<A: ComparedAlike, B: TotallyOrdered> ComparedAlike for (A, B) {}
#[diagnostic::do_not_recommend]
impl<A: ComparedAlike, B: TotallyOrdered, C: TotallyOrdered> ComparedAlike for (A, B, C) {}
#[diagnostic::do_not_recommend]
impl<A: ComparedAlike, B: TotallyOrdered, C: TotallyOrdered, D: TotallyOrdered> ComparedAlike for (A, B, C, D) {}
#[diagnostic::do_not_recommend]
impl ComparedAlike for () {}
#[diagnostic::do_not_recommend]
impl OperatorsOfStd for () {}
#[diagnostic::do_not_recommend]
impl<T: OperatorsOfStd + ?Sized> OperatorsOfStd for &T {}
#[diagnostic::do_not_recommend]
impl<T: OperatorsOfStd + ?Sized> OperatorsOfStd for &mut T {}
#[diagnostic::do_not_recommend]
impl<T: OperatorsOfStd> OperatorsOfStd for Option<T> {}
#[diagnostic::do_not_recommend]
impl<T: OperatorsOfStd> OperatorsOfStd for std::cmp::Reverse<T> {}
#[diagnostic::do_not_recommend]
impl<T: OperatorsOfStd> OperatorsOfStd for std::num::Wrapping<T> {}
#[diagnostic::do_not_recommend]
impl<T: OperatorsOfStd> OperatorsOfStd for std::num::Saturating<T> {}
#[diagnostic::do_not_recommend]
impl<T: OperatorsOfStd> OperatorsOfStd for [T] {}
#[diagnostic::do_not_recommend]
impl<T: OperatorsOfStd, const N: usize> OperatorsOfStd for [T; N] {}
#[diagnostic::do_not_recommend]
impl<T: OperatorsOfStd> OperatorsOfStd for Vec<T> {}
#[diagnostic::do_not_recommend]
impl<A: OperatorsOfStd, B: OperatorsOfStd> OperatorsOfStd for (A, B) {}
#[diagnostic::do_not_recommend]
impl<A: OperatorsOfStd, B: OperatorsOfStd, C: OperatorsOfStd> OperatorsOfStd for (A, B, C) {}
#[diagnostic::do_not_recommend]
impl<A: OperatorsOfStd, B: OperatorsOfStd, C: OperatorsOfStd, D: OperatorsOfStd> OperatorsOfStd for (A, B, C, D) {}

/// Refuses operators of types that are not std's (FA032).
#[inline(always)]
pub fn fa032_operators_are_known<T: OperatorsOfStd + ?Sized>(_: &T) {}

/// Refuses comparisons of types that are not std's, and types some of whose values compare with some values only (FA032).
#[inline(always)]
pub fn fa032_values_compare_alike<T: ComparedAlike + ?Sized>(_: &T) {}

/// Refuses types some of whose values compare with nothing (FA032).
#[inline(always)]
pub fn fa032_all_values_compare<T: TotallyOrdered + ?Sized>(_: &T) {}

/// Refuses `is_nan` of types that are not std's floats (FA032).
#[inline(always)]
pub fn fa032_this_is_a_float<T: FloatOfStd + ?Sized>(_: &T) {}

/// A number that saturates at one bound only: its saturating sums and products are associative.
#[diagnostic::on_unimplemented(
    message = "FA015: saturating operations of `{Self}` are not associative: a value that was clamped at one bound is wrong on \
               the way to the other",
    label = "`{Self}` may have a sign",
    note = "add in a wider type (`acc += e as i128`) and clamp the sum after the loop; or use an unsigned type"
)]
pub trait SaturatesAtOneEnd {}

macro_rules! unsigned {
    ($($type:ty)*) => {$(#[diagnostic::do_not_recommend] impl SaturatesAtOneEnd for $type {})*};
}
unsigned! { u8 u16 u32 u64 u128 usize }

/// Refuses saturating operations of other types (FA015).
#[inline(always)]
pub fn fa015_it_saturates_at_one_end<T: SaturatesAtOneEnd>(_: &T) {}

/// The type of the values that such an operator changes.
#[derive(Debug)]
pub struct Operands<V>(PhantomData<fn(&V)>);

impl<V> Operands<V> {
    /// The type `V`.
    #[allow(clippy::new_without_default)]
    #[inline(always)]
    pub fn new() -> Self {
        Operands(PhantomData)
    }

    /// The type of a value.
    #[inline(always)]
    pub fn of(_: &V) -> Self {
        Operands(PhantomData)
    }
}

/// Accepts the operands of such an operator. With an operand of another type than std's, it may be another operator.
#[derive(Debug, Clone, Copy)]
pub struct OfKnown;

/// Accepts any operand, because the type of the variable is refused already.
#[derive(Debug, Clone, Copy)]
pub struct OfOther;

impl OfKnown {
    /// Returns the operand, which must have a type of std (FA032).
    #[inline(always)]
    pub fn fa032_operand_is_known<T: OperatorsOfStd>(self, operand: T) -> T {
        operand
    }
}

impl OfOther {
    /// Returns the operand.
    #[inline(always)]
    pub fn fa032_operand_is_known<T>(self, operand: T) -> T {
        operand
    }
}

/// Implemented for types whose operators are std's.
pub trait KnownOperands {
    /// Accepts the operands.
    fn __of_known(&self) -> OfKnown;
}

impl<V: OperatorsOfStd> KnownOperands for Operands<V> {
    #[inline(always)]
    fn __of_known(&self) -> OfKnown {
        OfKnown
    }
}

/// Implemented for all other types.
pub trait OtherOperands {
    /// Accepts the operands.
    fn __of_known(&self) -> OfOther;
}

impl<V> OtherOperands for &Operands<V> {
    #[inline(always)]
    fn __of_known(&self) -> OfOther {
        OfOther
    }
}

/// The methods that are assumed to be those of std's slices. A method that rustc finds before std's own is found before these, or in the
/// same step.
pub trait MethodsOfSlices {
    /// Nothing.
    fn sort(&self) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn sort_unstable(&self) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn sort_by<F>(&self, _: F) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn sort_unstable_by<F>(&self, _: F) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn sort_by_key<F>(&self, _: F) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn sort_unstable_by_key<F>(&self, _: F) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn sort_by_cached_key<F>(&self, _: F) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn copy_from_slice<F>(&self, _: F) -> OfStd {
        OfStd
    }
}

impl<T> MethodsOfSlices for [T] {}

/// The result of these methods.
#[derive(Debug)]
pub struct OfStd;

/// Required of the result of a tested method.
#[diagnostic::on_unimplemented(
    message = "FA032: this is not the method of std's slices: a trait in scope has one of the same name",
    label = "the trait's",
    note = "take `&mut [T]`, whose own methods come first"
)]
pub trait IsOfStd {}

#[diagnostic::do_not_recommend]
impl IsOfStd for OfStd {}

/// Refuses another method with the name of a method of std's slices.
#[inline(always)]
pub fn fa032_this_is_the_method_of_std<T: IsOfStd>(_: T) {}

/// The methods that compare values of std's types. Those of std take references. Only a method of another trait that takes the value itself
/// is found before these, or in the same step.
pub trait Fa032MethodsOfStd: Sized {
    /// Nothing.
    fn cmp(self, _: &Self) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn partial_cmp(self, _: &Self) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn total_cmp(self, _: &Self) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn lt(self, _: &Self) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn le(self, _: &Self) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn gt(self, _: &Self) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn ge(self, _: &Self) -> OfStd {
        OfStd
    }
}

impl<T> Fa032MethodsOfStd for T {}

/// Refuses another method with the name of one of std's (FA032).
#[inline(always)]
pub fn fa032_this_method_is_of_std(_: OfStd) {}

/// Refuses a method of another type with the name of a method of `Option` (FA032).
#[inline(always)]
pub fn fa032_this_is_an_option<T>(_: &Option<T>) {}

/// Refuses another type with the name `Vec` (FA032).
#[inline(always)]
pub fn fa032_this_is_a_vector_of_std(_: Option<Vec<u8>>) {}

/// Refuses another type with the name `Ordering` (FA032).
pub const fn fa032_this_is_an_ordering_of_std(_: core::cmp::Ordering) {}
