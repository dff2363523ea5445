//! Whether merging gives the same bits in any grouping.

use super::number::Number;
use std::marker::PhantomData;

/// Whether merging gives the same bits in any grouping.
pub trait Exactness {
    /// The answer.
    const EXACT: bool;
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
}

impl Exactness for () {
    const EXACT: bool = true;
}

impl<A: Exactness, B: Exactness> Exactness for (A, B) {
    const EXACT: bool = A::EXACT && B::EXACT;
}
