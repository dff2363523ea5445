//! Whether merging gives the same bits in any grouping.

use super::number::Number;
use std::marker::PhantomData;

/// Whether merging gives the same bits in any grouping.
pub trait Exactness {
    /// The answer.
    const EXACT: bool;
    /// Whether there are integers whose sums or products may leave their type.
    const LEAVES: bool = false;
    /// Whether this is a mistake, and chunks cannot tell if it happens.
    const NEEDS_ORDER: bool = false;
}

/// It does.
#[derive(Debug)]
pub struct Always;

/// It may not.
#[derive(Debug)]
pub struct Never;

impl Exactness for Always {
    const EXACT: bool = true;
}

impl Exactness for Never {
    const EXACT: bool = false;
}

/// Any grouping gives the same bits.
pub fn always<V>(_: &V) -> PhantomData<fn() -> Always> {
    PhantomData
}

/// Exact if sums of the numbers are.
#[derive(Debug)]
pub struct AsNumber<T>(pub(super) PhantomData<T>);

impl<T: Number> Exactness for AsNumber<T> {
    const EXACT: bool = T::EXACT;
    const LEAVES: bool = T::LEAVES;
}

/// As [`AsNumber`], for methods that wrap around or saturate.
#[derive(Debug)]
pub struct AsNumberInRange<T>(pub(super) PhantomData<T>);

impl<T: Number> Exactness for AsNumberInRange<T> {
    const EXACT: bool = T::EXACT;
}

/// The same numbers in a build with overflow checks.
#[derive(Debug)]
pub struct Checked<E>(pub(super) PhantomData<E>);

impl<E: Exactness> Exactness for Checked<E> {
    const EXACT: bool = E::EXACT;
    const LEAVES: bool = E::LEAVES;
    const NEEDS_ORDER: bool = E::LEAVES;
}

impl Exactness for () {
    const EXACT: bool = true;
}

impl<A: Exactness, B: Exactness> Exactness for (A, B) {
    const EXACT: bool = A::EXACT && B::EXACT;
    const LEAVES: bool = A::LEAVES || B::LEAVES;
}
