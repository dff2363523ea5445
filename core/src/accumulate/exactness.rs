//! Exactness of operators: whether any grouping gives the same bits.

use super::number::Number;
use std::marker::PhantomData;

/// The exactness of an operator.
pub trait Exactness {
    /// Whether any grouping gives the same bits.
    const EXACT: bool;
    /// Whether integers may overflow.
    const OVERFLOWS: bool = false;
    /// Whether overflow is an error that chunks cannot detect.
    const NEEDS_ORDER: bool = false;
}

/// The operator is exact.
#[derive(Debug)]
pub struct Always;

/// The operator may round.
#[derive(Debug)]
pub struct Never;

impl Exactness for Always {
    const EXACT: bool = true;
}

impl Exactness for Never {
    const EXACT: bool = false;
}

/// For exact operators.
pub fn always<V>(_: &V) -> PhantomData<fn() -> Always> {
    PhantomData
}

/// Exact if the numbers are integers.
#[derive(Debug)]
pub struct AsNumber<T>(pub(super) PhantomData<T>);

impl<T: Number> Exactness for AsNumber<T> {
    const EXACT: bool = T::EXACT;
    const OVERFLOWS: bool = T::OVERFLOWS;
}

/// The same as [`AsNumber`], for operators that wrap around or saturate.
#[derive(Debug)]
pub struct AsNumberInRange<T>(pub(super) PhantomData<T>);

impl<T: Number> Exactness for AsNumberInRange<T> {
    const EXACT: bool = T::EXACT;
}

/// The same exactness, in a build with overflow checks.
#[derive(Debug)]
pub struct Checked<E>(pub(super) PhantomData<E>);

impl<E: Exactness> Exactness for Checked<E> {
    const EXACT: bool = E::EXACT;
    const OVERFLOWS: bool = E::OVERFLOWS;
    const NEEDS_ORDER: bool = E::OVERFLOWS;
}

impl Exactness for () {
    const EXACT: bool = true;
}

impl<A: Exactness, B: Exactness> Exactness for (A, B) {
    const EXACT: bool = A::EXACT && B::EXACT;
    const OVERFLOWS: bool = A::OVERFLOWS || B::OVERFLOWS;
}
