//! Indices that the expansion computes in addition to the user's.
//!
//! A footprint is evaluated from bindings that the user's tokens cannot name. An access is unchecked only if its index is computed from the
//! same bindings, by the operations below. The user's own index is evaluated too, and must be equal. After inlining both are the same
//! expression, so an optimised build removes the second computation and the comparison.

mod number;

pub use number::{Number, Scalar};

/// An index from the user's tokens, and the same index from the expansion.
#[derive(Debug, Clone, Copy)]
pub struct Computed<I> {
    user: I,
    computed: I,
    /// Whether the assumptions of the footprint hold.
    holds: bool,
    /// The array, by its place in the loop's list.
    slot: usize,
}

/// The user's index, and the one that the expansion computes, under the conditions that the footprint relies on.
#[inline(always)]
pub fn computed<I>(slot: usize, user: I, (computed, holds): (I, bool)) -> Computed<I> {
    Computed { user, computed, holds, slot }
}

/// The index of an item from the header of the loop, which only the expansion computes.
#[inline(always)]
pub fn own(slot: usize, computed: usize) -> Computed<usize> {
    Computed { user: computed, computed, holds: true, slot }
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
    /// The index, which equals that of the footprint.
    ///
    /// # Panics
    /// If the user's index differs: the compiler has misread the program.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn index(&self) -> I {
        if !self.user.same(self.computed) || !self.holds {
            misread();
        }
        self.computed
    }

    /// The same for a view of one array, to which the index must belong.
    ///
    /// # Panics
    /// As [`Computed::index`], and when the index is of another array.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn index_of(&self, slot: usize) -> I {
        if self.slot != slot {
            misread();
        }
        self.index()
    }

    /// The row-major index.
    #[inline(always)]
    pub(crate) fn at(&self, place: usize) -> Computed<usize> {
        own(self.slot, place)
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn misread() -> ! {
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

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<N: Number>(one: N, other: N) -> N {
            one.$name(other)
        }
    )*};
}

operations! {
    /// `one + other`.
    plus;
    /// `one - other`.
    minus;
    /// `one * other`.
    times;
    /// `one / other`.
    over;
    /// `one % other`.
    modulo;
    /// `one.div_euclid(other)`.
    over_euclid;
    /// `one.rem_euclid(other)`.
    modulo_euclid;
    /// `one.saturating_sub(other)`.
    minus_or_zero;
    /// `one.min(other)`.
    least;
    /// `one.max(other)`.
    greatest;
    /// `one & other`.
    and;
    /// `one | other`.
    or;
    /// `one ^ other`.
    xor;
}

/// `value << bits`.
#[inline(always)]
pub fn up<N: Number>(value: N, bits: u32) -> N {
    value.up(bits)
}

/// `value >> bits`.
#[inline(always)]
pub fn down<N: Number>(value: N, bits: u32) -> N {
    value.down(bits)
}

#[cfg(test)]
mod tests {
    use super::computed;

    #[test]
    #[should_panic(expected = "FA067")]
    fn another_index_than_the_computed_one_ends_the_call() {
        assert_eq!(computed(0, 4, (4, true)).index(), 4);
        computed(0, 3, (4, true)).index();
    }

    #[test]
    #[should_panic(expected = "FA067")]
    fn an_index_of_another_array_ends_the_call() {
        assert_eq!(computed(1, 4, (4, true)).index_of(1), 4);
        computed(0, 4, (4, true)).index_of(1);
    }
}
