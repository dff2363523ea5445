//! Indices that the expansion computes in addition to the user's.
//!
//! A footprint is evaluated from bindings that the user's tokens cannot name. An access is unchecked only if its index is computed from the
//! same bindings, by the operations below. The user's own index is evaluated too, and must be equal. After inlining both are the same
//! expression, so an optimised build removes the second computation and the comparison.

mod number;

pub use number::{Number, Scalar};

/// An index that equals that of the footprint.
///
/// Two words, which builds without optimisation pass in registers.
#[derive(Debug, Clone, Copy)]
pub struct Computed<I> {
    pub(crate) index: I,
    /// The array, by its place in the loop's list.
    pub(crate) slot: usize,
}

/// The user's index, which must equal the one that the expansion computes.
///
/// # Panics
/// If they differ: the compiler has misread the program.
#[inline(always)]
#[track_caller]
pub fn computed(slot: usize, user: usize, computed: usize) -> Computed<usize> {
    if user != computed {
        misread();
    }
    Computed { index: computed, slot }
}

/// The same for indices along several axes, or if the footprint relies on an assumption: `holds` tells whether it is true.
///
/// # Panics
/// As [`computed`].
#[inline(always)]
#[track_caller]
pub fn computed_if<I: Axes>(slot: usize, user: I, (computed, holds): (I, bool)) -> Computed<I> {
    if !user.same(computed) || !holds {
        misread();
    }
    Computed { index: computed, slot }
}

/// The index of an item from the header of the loop, which only the expansion computes.
#[inline(always)]
pub fn own(slot: usize, index: usize) -> Computed<usize> {
    Computed { index, slot }
}

/// An index that can be compared axis by axis.
///
/// The equality of arrays compares memory: the indices would have to be stored for each element, and loops would not be vectorised.
pub trait Axes: Copy {
    /// Whether both are equal along each axis.
    fn same(self, other: Self) -> bool;
}

impl Axes for usize {
    #[inline(always)]
    fn same(self, other: Self) -> bool {
        self == other
    }
}

impl<const D: usize> Axes for [usize; D] {
    #[inline(always)]
    fn same(self, other: Self) -> bool {
        let mut same = true;
        for axis in 0..D {
            same &= self[axis] == other[axis];
        }
        same
    }
}

macro_rules! tuples {
    ($($d:literal $($usize:ident)*;)*) => {$(
        impl Axes for ($($usize,)*) {
            #[inline(always)]
            fn same(self, other: Self) -> bool {
                <[usize; $d]>::from(self).same(other.into())
            }
        }
    )*};
}

tuples! {
    2 usize usize;
    3 usize usize usize;
    4 usize usize usize usize;
    5 usize usize usize usize usize;
    6 usize usize usize usize usize usize;
}

impl<I: Axes> Computed<I> {
    /// The index for a view of one array.
    ///
    /// # Panics
    /// If the index is of another array.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn index_of(self, slot: usize) -> I {
        if self.slot != slot {
            misread();
        }
        self.index
    }

    /// The row-major index.
    #[inline(always)]
    pub(crate) fn at(self, place: usize) -> Computed<usize> {
        own(self.slot, place)
    }
}

#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn misread() -> ! {
    panic!(
        "FA067: this index is not the one that `forall` has analysed: a macro or an item in the loop's body gives one of its names another \
         meaning; use other names there, or write the macro's code in its place"
    )
}

/// The value of a number outside the loop.
#[inline(always)]
pub fn number<S: Scalar>(value: &S) -> S::Number {
    value.number()
}

/// The user's own value of a number that the expansion holds: with the type of the one, and the value of the other.
#[inline(always)]
pub fn like<'n, S: Like<'n, N>, N>(_: S, held: &'n N) -> S {
    S::like(held)
}

/// A type that a held number can stand for: its own type, and a reference to it.
pub trait Like<'n, N> {
    /// The value of this type.
    fn like(held: &'n N) -> Self;
}

impl<'n, N: Number> Like<'n, N> for N {
    #[inline(always)]
    fn like(held: &'n N) -> N {
        *held
    }
}

impl<'n, N: Number> Like<'n, N> for &'n N {
    #[inline(always)]
    fn like(held: &'n N) -> &'n N {
        held
    }
}

/// A range that an inner loop counts through. Its ends must equal those of the footprint.
///
/// # Panics
/// If they differ: the compiler has misread the program.
#[inline(always)]
#[track_caller]
pub fn counted<N: Number>(range: std::ops::Range<N>, from: (N, bool), to: (N, bool)) -> std::ops::Range<N> {
    same(range.start, from)..same(range.end, to)
}

/// A number of the user, which must equal the number of the expansion, under the assumptions of the footprint.
#[inline(always)]
#[track_caller]
fn same<N: Number>(user: N, (computed, holds): (N, bool)) -> N {
    if user != computed || !holds {
        misread();
    }
    computed
}

/// The same with the last value included.
///
/// # Panics
/// As [`counted`].
#[inline(always)]
#[track_caller]
pub fn counted_through<N: Number>(
    range: std::ops::RangeInclusive<N>,
    from: (N, bool),
    to: (N, bool),
) -> std::ops::RangeInclusive<N> {
    let (start, end) = range.into_inner();
    same(start, from)..=same(end, to)
}

/// The step of an inner loop, which must equal that of the footprint.
///
/// # Panics
/// As [`counted`].
#[inline(always)]
#[track_caller]
pub fn step(user: usize, computed: (usize, bool)) -> usize {
    same(user, computed)
}

#[cfg(test)]
mod tests {
    use super::computed;

    #[test]
    #[should_panic(expected = "FA067")]
    fn another_index_than_the_computed_one_ends_the_call() {
        assert_eq!(computed(0, 4, 4).index, 4);
        computed(0, 3, 4);
    }

    #[test]
    #[should_panic(expected = "FA067")]
    fn an_index_of_another_array_ends_the_call() {
        assert_eq!(computed(1, 4, 4).index_of(1), 4);
        computed(0, 4, 4).index_of(1);
    }
}
