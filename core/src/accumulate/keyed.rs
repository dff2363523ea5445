//! Maps that iterations fill through their entries: how two of them are put together, by what is done to an entry.

use super::number::Number;
use super::state::{Both, Merge};
use std::collections::{BTreeMap, HashMap, btree_map, hash_map};
use std::hash::{BuildHasher, Hash};
use std::ops::{BitAnd, BitOr, BitXor};

/// A map that can be put together with another one, key by key.
#[diagnostic::on_unimplemented(
    message = "FA033: `{Self}` is no map that forall knows, so it is not known how two of them are put together",
    note = "use `HashMap` or `BTreeMap`, or name functions: `#[foreach_tls(init = path, merge = path)]`"
)]
pub trait Keyed: Sized {
    /// What a key leads to.
    type Value;
    /// A map that holds nothing.
    fn nothing() -> Self;
    /// Adds the entries of another map; `both` has the word where a key is in both.
    fn join(&mut self, later: Self, both: impl Fn(&mut Self::Value, Self::Value));
}

impl<K: Eq + Hash, V, H: BuildHasher + Default> Keyed for HashMap<K, V, H> {
    type Value = V;
    fn nothing() -> Self {
        Self::default()
    }
    fn join(&mut self, later: Self, both: impl Fn(&mut V, V)) {
        if self.is_empty() {
            *self = later;
            return;
        }
        for (key, value) in later {
            match self.entry(key) {
                hash_map::Entry::Occupied(mut entry) => both(entry.get_mut(), value),
                hash_map::Entry::Vacant(entry) => _ = entry.insert(value),
            }
        }
    }
}

impl<K: Ord, V> Keyed for BTreeMap<K, V> {
    type Value = V;
    fn nothing() -> Self {
        Self::new()
    }
    fn join(&mut self, later: Self, both: impl Fn(&mut V, V)) {
        for (key, value) in later {
            match self.entry(key) {
                btree_map::Entry::Occupied(mut entry) => both(entry.get_mut(), value),
                btree_map::Entry::Vacant(entry) => _ = entry.insert(value),
            }
        }
    }
}

/// Integers, of which sums and products are the same in any grouping.
#[diagnostic::on_unimplemented(
    message = "FA033: entries of type `{Self}` are not put together: only sums and products of integers are the same for any number of threads",
    note = "name functions: `#[foreach_tls(init = path, merge = path)]`"
)]
pub trait Whole: Number {}

macro_rules! whole {
    ($($type:ty)*) => {$(
        impl Whole for $type {}
        impl Whole for std::num::Wrapping<$type> {}
    )*};
}
whole!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// `*m.entry(k).or_insert(0) += e`
pub fn sums<S: Keyed<Value: Whole>>(_: &S) -> Both<S> {
    (S::nothing, |map, later| map.join(later, |earlier, later| *earlier = *earlier + later))
}

/// `*m.entry(k).or_insert(1) *= e`
pub fn products<S: Keyed<Value: Whole>>(_: &S) -> Both<S> {
    (S::nothing, |map, later| map.join(later, |earlier, later| *earlier = *earlier * later))
}

/// `*m.entry(k).or_default() |= e`
pub fn ors<S: Keyed<Value = V>, V: Copy + BitOr<Output = V>>(_: &S) -> Both<S> {
    (S::nothing, |map, later| map.join(later, |earlier, later| *earlier = *earlier | later))
}

/// `*m.entry(k).or_default() ^= e`
pub fn xors<S: Keyed<Value = V>, V: Copy + BitXor<Output = V>>(_: &S) -> Both<S> {
    (S::nothing, |map, later| map.join(later, |earlier, later| *earlier = *earlier ^ later))
}

/// `m.entry(k).and_modify(|v| *v &= e).or_insert(e)`
pub fn ands<S: Keyed<Value = V>, V: Copy + BitAnd<Output = V>>(_: &S) -> Both<S> {
    (S::nothing, |map, later| map.join(later, |earlier, later| *earlier = *earlier & later))
}

/// `m.entry(k).or_insert(e)`
pub fn firsts<S: Keyed>(_: &S) -> Both<S> {
    (S::nothing, |map, later| map.join(later, |_, _| ()))
}

/// `m.insert(k, e)`, `*m.entry(k).or_default() = e`
pub fn lasts<S: Keyed>(_: &S) -> Both<S> {
    (S::nothing, |map, later| map.join(later, |earlier, later| *earlier = later))
}

/// `m.entry(k).or_default().push(e)`
pub fn merges<S: Keyed<Value: Merge>>(_: &S) -> Both<S> {
    (S::nothing, |map, later| map.join(later, Merge::merge))
}

/// `m.entry(k).or_default().insert(l, e)`
pub fn maps<S: Keyed<Value: Keyed>>(_: &S) -> Both<S> {
    (S::nothing, |map, later| {
        map.join(later, |earlier, later| earlier.join(later, |earlier, later| *earlier = later));
    })
}
