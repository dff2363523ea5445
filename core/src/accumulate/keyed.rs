//! Maps whose entries iterations update. Two maps merge by the operator of the updates.

use super::accumulator::{Accumulator, no_chunk, no_shed};
use super::counted::{By, Tally};
use super::number::{Counted, CountedProduct, Number};
use super::state::{Both, Merge};
use crate::call::Call;
use crate::codec::{Codec, Plain};
use crate::comm::collective;
use crate::element::Element;
use crate::runtime::Context;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, btree_map, hash_map};
use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, BitXor};
use std::sync::Arc;

/// A map that can be merged with another one, key by key.
#[diagnostic::on_unimplemented(
    message = "FA033: `{Self}` is not a map that forall can merge",
    note = "use `HashMap` or `BTreeMap`, or name functions: `#[foreach_tls(init = path, merge = path)]`"
)]
pub trait Keyed: Sized {
    /// Its keys.
    type Key;
    /// The value of a key.
    type Value;
    /// Such a map with other values.
    type With<T>: Keyed<Key = Self::Key, Value = T>;
    /// An empty map.
    fn nothing() -> Self;
    /// The value of a key.
    fn value(&self, key: &Self::Key) -> Option<&Self::Value>;
    /// The value of a key. A new key gets a value.
    fn at(&mut self, key: Self::Key, fresh: impl FnOnce(&Self::Key) -> Self::Value) -> &mut Self::Value;
    /// Moves all entries out.
    fn drain_into(self, take: impl FnMut(Self::Key, Self::Value));
    /// Reserves capacity for additional entries.
    fn make_room(&mut self, _: usize) {}
    /// Adds the entries of another map. `both` merges the values of a key that is in both maps.
    fn join(&mut self, later: Self, both: impl Fn(&mut Self::Value, Self::Value));
}

impl<K: Eq + Hash, V, H: BuildHasher + Default> Keyed for HashMap<K, V, H> {
    type Key = K;
    type Value = V;
    type With<T> = HashMap<K, T, H>;
    fn nothing() -> Self {
        Self::default()
    }
    fn value(&self, key: &K) -> Option<&V> {
        self.get(key)
    }
    fn at(&mut self, key: K, fresh: impl FnOnce(&K) -> V) -> &mut V {
        self.entry(key).or_insert_with_key(fresh)
    }
    fn drain_into(self, mut take: impl FnMut(K, V)) {
        self.into_iter().for_each(|(key, value)| take(key, value));
    }
    fn make_room(&mut self, more: usize) {
        self.reserve(more);
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
    type Key = K;
    type Value = V;
    type With<T> = BTreeMap<K, T>;
    fn nothing() -> Self {
        Self::new()
    }
    fn value(&self, key: &K) -> Option<&V> {
        self.get(key)
    }
    fn at(&mut self, key: K, fresh: impl FnOnce(&K) -> V) -> &mut V {
        self.entry(key).or_insert_with_key(fresh)
    }
    fn drain_into(self, mut take: impl FnMut(K, V)) {
        self.into_iter().for_each(|(key, value)| take(key, value));
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

/// Integers, whose sums and products are the same in any grouping.
#[diagnostic::on_unimplemented(
    message = "FA033: entries of type `{Self}` cannot be merged: only sums and products of integers are the same for any number of threads",
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
    (S::nothing, |map, later| map.join(later, |earlier, later| *earlier = earlier.plus(later)))
}

/// `*m.entry(k).or_insert(1) *= e`
pub fn products<S: Keyed<Value: Whole>>(_: &S) -> Both<S> {
    (S::nothing, |map, later| map.join(later, |earlier, later| *earlier = earlier.times(later)))
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

/// A map of integers under `+` or `*`, where overflow is a mistake.
///
/// The entries of a worker start from the identity, so they can leave their type although the entries of the sequential loop do not. They are
/// tallies, which record how far they went, and merge. The map before the loop then tells whether an entry left its type.
#[derive(Debug)]
pub struct CountedKeyed<S, K> {
    state: Arc<S>,
    by: By,
    /// Whether no other rank has iterations. The first iterations then start from the user's map.
    alone: bool,
    tally: PhantomData<fn() -> K>,
}

/// `*m.entry(k).or_insert(0) += e`. [`sums`] has required that the entries are integers; another bound here would report the error twice.
pub fn counted_sums<S: Keyed<Value: Number + Element>>(state: S, call: &Call) -> CountedKeyed<S, Counted<S::Value>> {
    CountedKeyed { state: Arc::new(state), by: By::Adding, alone: call.alone(), tally: PhantomData }
}

/// `*m.entry(k).or_insert(1) *= e`, likewise.
pub fn counted_products<S: Keyed<Value: Number + Element>>(
    state: S,
    call: &Call,
) -> CountedKeyed<S, CountedProduct<S::Value>> {
    CountedKeyed { state: Arc::new(state), by: By::Multiplying, alone: call.alone(), tally: PhantomData }
}

/// The map that the body of a loop has in place of the user's.
#[derive(Debug)]
pub struct CountedMap<S: Keyed, K> {
    entries: S::With<K>,
    /// The user's map, if the iterations start from it.
    before: Option<Arc<S>>,
    by: By,
}

/// An entry of a [`CountedMap`].
#[allow(missing_debug_implementations)] // Not all keys can be printed.
pub struct CountedEntry<'m, S: Keyed, K> {
    map: &'m mut CountedMap<S, K>,
    key: S::Key,
}

impl<S: Keyed<Value: Number>, K: Tally<S::Value>> CountedMap<S, K> {
    /// The entry of this key.
    pub fn entry(&mut self, key: S::Key) -> CountedEntry<'_, S, K> {
        CountedEntry { map: self, key }
    }

    /// Reserves capacity for additional entries.
    pub fn reserve(&mut self, more: usize) {
        self.entries.make_room(more);
    }
}

impl<'m, S: Keyed<Value: Number>, K: Tally<S::Value>> CountedEntry<'m, S, K> {
    /// The entry, with `start` included: this is the identity, or the operand of the `and_modify` before it.
    pub fn or_insert(self, start: S::Value) -> &'m mut K {
        let CountedMap { entries, before, by } = self.map;
        let tally = entries.at(self.key, |key| match before {
            Some(before) => K::starting(before.value(key).copied().unwrap_or(K::IDENTITY), *by),
            None => K::none(),
        });
        tally.include(start);
        tally
    }

    /// The entry.
    pub fn or_default(self) -> &'m mut K {
        self.or_insert(K::IDENTITY)
    }

    /// Nothing: the `or_insert` behind it has the same operand, and includes it in old and new entries.
    #[must_use]
    pub fn and_modify(self, _: impl FnOnce(&mut S::Value)) -> Self {
        self
    }
}

impl<S, K> Accumulator for CountedKeyed<S, K>
where
    S: Keyed<Value: Number + Element> + Send + Sync,
    S::With<K>: Send,
    K: Tally<S::Value>,
{
    no_chunk!();
    no_shed!();
    type Carry = CountedMap<S, K>;
    type Out = CountedCollected<S, K>;
    const ONE_PER_WORKER: bool = true;
    const DETECTS_LATE: bool = S::Value::OVERFLOWS;

    fn carry(&self, first: bool) -> CountedMap<S, K> {
        let before = (first && self.alone).then(|| Arc::clone(&self.state));
        CountedMap { entries: S::With::nothing(), before, by: self.by }
    }
    fn finish(self, _: (), carries: Vec<CountedMap<S, K>>, _: &Context) -> CountedCollected<S, K> {
        let mine = carries.into_iter().map(|carry| carry.entries).collect();
        CountedCollected { state: self.state, mine, by: self.by }
    }
}

/// The tallies of this rank, and the map before the loop.
#[derive(Debug)]
pub struct CountedCollected<S: Keyed, K> {
    state: Arc<S>,
    /// One map for each worker, in the order of the iterations.
    mine: Vec<S::With<K>>,
    by: By,
}

impl<S: Keyed<Value: Number + Element>, K: Tally<S::Value>> CountedCollected<S, K> {
    /// The map before the loop.
    pub fn state(&self) -> &S {
        &self.state
    }

    /// The map after the loop. All ranks take part.
    ///
    /// # Panics
    /// As the operator, if an entry left its type.
    pub fn on_all_ranks(self, codec: impl Codec<S>, call: &Call) -> S {
        let CountedCollected { state, mine, by } = self;
        let mut mine = mine.into_iter().fold(S::With::nothing(), joined::<S, K>);
        if !call.alone() {
            let total = collective::reduce_all(
                call.comm(),
                2,
                RefCell::new(mine),
                |entries| encoded::<S, K>(entries, &codec),
                |bytes| RefCell::new(decoded::<S, K>(bytes, &codec)),
                |earlier, later| RefCell::new(joined::<S, K>(earlier.into_inner(), later.into_inner())),
            );
            mine = total.into_inner();
        }
        let mut state = Arc::into_inner(state).expect("the maps of the workers are gone");
        mine.drain_into(|key, tally| {
            let value = state.at(key, |_| K::IDENTITY);
            *value = tally.after(*value, by);
        });
        state
    }
}

/// The merged tallies of two parts of the iterations.
fn joined<S: Keyed<Value: Number>, K: Tally<S::Value>>(mut earlier: S::With<K>, later: S::With<K>) -> S::With<K> {
    earlier.join(later, |earlier, later| *earlier = earlier.and_then(later));
    earlier
}

/// For another rank. A key travels in a map of the user's type, because only the codec of this type is known.
fn encoded<S: Keyed<Value: Number + Element>, K: Tally<S::Value>>(
    entries: &RefCell<S::With<K>>,
    codec: &impl Codec<S>,
) -> Vec<u8> {
    let (mut bytes, mut again) = (Vec::new(), S::With::nothing());
    entries.replace(S::With::nothing()).drain_into(|key, tally| {
        let mut one = S::nothing();
        one.at(key, |_| K::IDENTITY);
        codec.encode(&one, &mut bytes);
        tally.encode(&Plain, &mut bytes);
        one.drain_into(|key, _| _ = again.at(key, |_| tally));
    });
    entries.replace(again);
    bytes
}

/// From another rank.
fn decoded<S: Keyed<Value: Number + Element>, K: Tally<S::Value>>(
    mut bytes: &[u8],
    codec: &impl Codec<S>,
) -> S::With<K> {
    let mut entries = S::With::nothing();
    while !bytes.is_empty() {
        let one = codec.decode(&mut bytes);
        let tally = K::decode(&Plain, &mut bytes);
        one.drain_into(|key, _| _ = entries.at(key, |_| tally));
    }
    entries
}
