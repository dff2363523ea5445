//! Obligations: methods of buffers and collections are those of std.

use super::probe::{Captured, Nothing};
use crate::parameter::Output;

/// Required of a buffer that each iteration clears first.
#[diagnostic::on_unimplemented(
    message = "FA018: `clear` of this type is not the standard library's, and may leave elements of another iteration",
    label = "the loop clears it",
    note = "set it anew at the start of every iteration (`acc = Acc::default()`), or declare it inside the loop"
)]
pub trait Clears {}

macro_rules! clears {
    ($($($name:ident)::+ <$($of:ident),*>;)*) => {$(#[diagnostic::do_not_recommend] impl<$($of),*> Clears for ::std::$($name)::+<$($of),*> {})*};
}
clears! {
    vec::Vec<T>;
    string::String<>;
    collections::VecDeque<T>;
    collections::LinkedList<T>;
    collections::BinaryHeap<T>;
    collections::BTreeMap<K, V>;
    collections::BTreeSet<T>;
    collections::HashMap<K, V, S>;
    collections::HashSet<T, S>;
}
#[diagnostic::do_not_recommend]
impl<C: Clears + ?Sized> Clears for &mut C {}

/// Refuses a buffer that is not emptied by `clear` of std (FA018).
#[inline(always)]
pub fn fa018_clear_leaves_nothing<C: Clears + ?Sized>(_: &C) {}

/// Required of a buffer whose elements each iteration sets first.
#[diagnostic::on_unimplemented(
    message = "FA018: forall does not know whether this method of `{Self}` sets all elements",
    label = "the loop sets it anew by this method",
    note = "set it anew at the start of every iteration (`b = B::default()`), or declare it inside the loop"
)]
pub trait SetsAll {}

#[diagnostic::do_not_recommend]
impl<T> SetsAll for [T] {}
#[diagnostic::do_not_recommend]
impl<T, const N: usize> SetsAll for [T; N] {}
#[diagnostic::do_not_recommend]
impl<T> SetsAll for Vec<T> {}
#[diagnostic::do_not_recommend]
impl<T: SetsAll + ?Sized> SetsAll for &mut T {}
#[diagnostic::do_not_recommend]
impl<T: SetsAll + ?Sized> SetsAll for Box<T> {}
#[diagnostic::do_not_recommend]
impl<T> SetsAll for Output<'_, T> {}
#[cfg(feature = "ndarray")]
#[diagnostic::do_not_recommend]
impl<S: ndarray::RawData, D> SetsAll for ndarray::ArrayBase<S, D> {}

/// Refuses a buffer whose method may leave elements of another iteration (FA018).
#[inline(always)]
pub fn fa018_all_elements_are_set<T: SetsAll + ?Sized>(_: &T) {}

/// Required of a buffer that the loop passes on after it has set its elements.
#[diagnostic::on_unimplemented(
    message = "FA018: code that gets a `&mut {Self}` may change its length, and the loop sets only the elements that are there",
    label = "the loop passes it on here",
    note = "pass a slice (`&mut x[..]`), or set the length in each iteration (`x.clear(); x.resize(n, 0.0);`)"
)]
pub trait KeepsLength {}

#[diagnostic::do_not_recommend]
impl<T> KeepsLength for [T] {}
#[diagnostic::do_not_recommend]
impl<T, const N: usize> KeepsLength for [T; N] {}
#[diagnostic::do_not_recommend]
impl KeepsLength for str {}

/// Refuses a borrow that can change the length of a buffer (FA018).
#[inline(always)]
pub fn fa018_length_stays<T: KeepsLength + ?Sized>(of: &mut T) -> &mut T {
    of
}

/// A collection of std.
pub trait Collection {
    /// The kind of its methods.
    type Kind: Default;
}

/// An ordered sequence of items.
#[derive(Debug, Default)]
pub struct Sequence;

/// Values with keys.
#[derive(Debug, Default)]
pub struct Map;

/// Items without an index.
#[derive(Debug, Default)]
pub struct Set;

macro_rules! collections {
    ($($kind:ty: ($($generic:ident)*) $type:ty;)*) => {$(
        impl<$($generic),*> Collection for $type {
            type Kind = $kind;
        }
    )*};
}
collections! {
    Sequence: (T) Vec<T>;
    Sequence: (T) std::collections::VecDeque<T>;
    Sequence: () String;
    Sequence: (T) [T];
    Map: (K V H) std::collections::HashMap<K, V, H>;
    Map: (K V) std::collections::BTreeMap<K, V>;
    Set: (K H) std::collections::HashSet<K, H>;
    Set: (K) std::collections::BTreeSet<K>;
    Set: (K) std::collections::BinaryHeap<K>;
    Set: (K) std::collections::LinkedList<K>;
}
impl<T: Collection + ?Sized> Collection for &mut T {
    type Kind = T::Kind;
}

/// Implemented for collections of std.
pub trait OfCollections<K> {
    /// The kind of the collection.
    fn __collection(&self) -> K;
}

impl<T: Collection + ?Sized> OfCollections<T::Kind> for Captured<'_, T> {
    #[inline(always)]
    fn __collection(&self) -> T::Kind {
        T::Kind::default()
    }
}

/// Implemented for all other types.
pub trait OfOthers {
    /// The answer.
    fn __collection(&self) -> Nothing;
}

impl<T: ?Sized> OfOthers for &Captured<'_, T> {
    #[inline(always)]
    fn __collection(&self) -> Nothing {
        Nothing
    }
}

macro_rules! only_adds {
    ($($trait:ident $function:ident: $($other:ty)*;)*) => {$(
        /// Required of the receiver of a method that may do more than add to such a collection.
        #[diagnostic::on_unimplemented(
            message = "FA014: the effect of this on a collection of the standard library depends on the elements that earlier iterations inserted",
            label = "the collection is used through an alias or a part of another value",
            note = "only add to it (`push`, `extend`, of maps and sets `insert`); or name a function that merges two of them: \
                    `#[foreach_tls(init = path, merge = path)]`"
        )]
        pub trait $trait {}
        $(impl $trait for $other {})*

        /// Refuses such a collection (FA014).
        #[inline(always)]
        pub fn $function<K: $trait>(_: K) {}
    )*};
}
only_adds! {
    NoSequence fa014_this_only_adds_to_a_sequence: Map Set Nothing;
    NoMap fa014_this_only_adds_to_a_map: Sequence Set Nothing;
    NoSet fa014_this_only_adds_to_a_set: Sequence Map Nothing;
}
