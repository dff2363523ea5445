//! Obligations: methods with names of std's methods are std's, and not those of a trait of the user's.
//!
//! rustc looks for a method of a receiver in steps: by value, by reference, by mutable reference, and again behind a reference. In each step,
//! it prefers an inherent method to a trait's. The expansion declares a trait with a method of the same name for one step, and calls the
//! method. If a trait of the user's has such a method in this step, rustc reports an ambiguity (E0034): the program calls the user's
//! method, because std's is in a later step. The traits of the expansion are for types of std only, so that methods of other types do not
//! matter.

use super::names::any;
use super::probe::Captured;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ops::{Range, RangeFrom, RangeInclusive};

/// Stands for a value of a type that has no methods of std's.
#[derive(Debug)]
pub struct NoReceiver;

macro_rules! families {
    ($($(#[$doc:meta])* $family:ident, $inside:ident, $outside:ident, $receiver:ident;)*) => {$(
        $(#[$doc])*
        pub trait $family {}

        impl $family for NoReceiver {}

        /// Implemented for values of these types.
        pub trait $inside<T> {
            /// A value of the same type.
            fn $receiver(&self) -> T;
        }

        impl<T: $family> $inside<T> for Captured<'_, T> {
            fn $receiver(&self) -> T {
                any()
            }
        }

        /// Implemented for values of all other types.
        pub trait $outside {
            /// A value without methods.
            fn $receiver(&self) -> NoReceiver;
        }

        impl<T: ?Sized> $outside for &Captured<'_, T> {
            fn $receiver(&self) -> NoReceiver {
                NoReceiver
            }
        }
    )*};
}
families! {
    /// Numbers, slices, collections and options, and references to them.
    TypeOfStd, HasMethodsOfStd, NoMethodsOfStd, of_std;
    /// Types with elements by index, and references to them.
    Indexed, HasElements, NoElements, indexed;
    /// Types with generic methods that have the names of methods of slices.
    Keyed, HasKeys, NoKeys, keyed;
    /// Types that are no references, and iterators.
    Owned, OwnsItself, OwnsNothing, owned;
    /// Floats, and references to them: `max` and `min` of other numbers are methods of the trait `Ord`.
    Float, IsFloat, NoFloat, float;
}

/// Implemented for values that are no references.
pub trait Changes<T> {
    /// A value of the same type.
    fn __changeable(&self) -> T;
}

impl<T: Owned> Changes<T> for &Captured<'_, T> {
    fn __changeable(&self) -> T {
        any()
    }
}

/// Implemented for mutable references.
pub trait ChangesByReference<T> {
    /// A value of the same type.
    fn __changeable(&self) -> T;
}

impl<'a, T: ?Sized> ChangesByReference<&'a mut T> for &&Captured<'_, &'a mut T> {
    fn __changeable(&self) -> &'a mut T {
        any()
    }
}

/// Implemented for values of all other types.
pub trait ChangesNothing {
    /// A value without methods.
    fn __changeable(&self) -> NoReceiver;
}

impl<T: ?Sized> ChangesNothing for Captured<'_, T> {
    fn __changeable(&self) -> NoReceiver {
        NoReceiver
    }
}

/// Implemented for all values.
pub trait HasSize<T> {
    /// A value of the same type.
    fn sized(&self) -> T;
}

impl<T> HasSize<T> for Captured<'_, T> {
    fn sized(&self) -> T {
        any()
    }
}

/// Implemented for slices themselves.
pub trait HasNoSize {
    /// A value without methods.
    fn sized(&self) -> NoReceiver;
}

impl<T: ?Sized> HasNoSize for &Captured<'_, T> {
    fn sized(&self) -> NoReceiver {
        NoReceiver
    }
}

macro_rules! implement {
    ($($family:ident: $(($($generic:ident)*) $type:ty;)*)*) => {$($(
        impl<$($generic),*> $family for $type {}
    )*)*};
}
macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl TypeOfStd for $type {}
        impl Owned for $type {}
    )*};
}
numbers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char }
implement! {
    Float: () f32; () f64;
    TypeOfStd: (T) [T]; (T) Vec<T>; (T) VecDeque<T>; (T) LinkedList<T>; (T) BinaryHeap<T>; () String; (T) Option<T>; (T E) Result<T, E>;
        (K V S) HashMap<K, V, S>; (K V) BTreeMap<K, V>; (K S) HashSet<K, S>; (K) BTreeSet<K>; () std::cmp::Ordering;
    Indexed: (T) [T]; (T) Vec<T>; (T) VecDeque<T>; (T) Option<T>;
    Keyed: (K V S) HashMap<K, V, S>; (K V) BTreeMap<K, V>; (K S) HashSet<K, S>; (K) BTreeSet<K>; () String; (T) Range<T>;
        (T) RangeInclusive<T>;
    Owned: (T) Vec<T>; (T) VecDeque<T>; (T) LinkedList<T>; (T) BinaryHeap<T>; () String; (T) Option<T>; (T E) Result<T, E>;
        (K V S) HashMap<K, V, S>; (K V) BTreeMap<K, V>; (K S) HashSet<K, S>; (K) BTreeSet<K>; () std::cmp::Ordering;
        (T) Range<T>; (T) RangeInclusive<T>; (T) RangeFrom<T>; (I) std::iter::Rev<I>; (A B) std::iter::Zip<A, B>;
        (I) std::iter::Enumerate<I>; (I) std::iter::Skip<I>; (I) std::iter::Take<I>; (I) std::iter::StepBy<I>;
        (I) std::iter::Copied<I>; (I) std::iter::Cloned<I>;
}
impl<T, const N: usize> TypeOfStd for [T; N] {}
impl<T, const N: usize> Indexed for [T; N] {}
impl<T, const N: usize> Owned for [T; N] {}
macro_rules! behind_references {
    ($($family:ident)*) => {$(
        impl<T: $family + ?Sized> $family for &T {}
        impl<T: $family + ?Sized> $family for &mut T {}
    )*};
}
behind_references! { TypeOfStd Indexed Float }
macro_rules! iterators {
    ($($type:ident)*) => {$(impl<T> Owned for std::slice::$type<'_, T> {})*};
}
iterators! { Iter IterMut Chunks ChunksMut ChunksExact ChunksExactMut Windows }

/// The value of a method call, after a check of its receiver.
#[inline(always)]
pub fn checked_call<T>((): (), value: T) -> T {
    value
}

/// The receiver of a method, and a check that knows its type.
#[inline(always)]
pub fn checked_receiver<T, C: FnOnce(&T)>(value: T, _: C) -> T {
    value
}
