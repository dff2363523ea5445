//! Values that a rank caches between calls.

use std::any::{Any, TypeId};
use std::cell::{RefCell, RefMut};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// At most one value of each type.
#[derive(Default)]
pub(crate) struct TypeMap(RefCell<HashMap<TypeId, Box<dyn Any>>>);

impl TypeMap {
    /// The value of this type, initially the default.
    ///
    /// # Panics
    /// If another value is borrowed.
    pub(crate) fn get<T: Any + Default>(&self) -> RefMut<'_, T> {
        RefMut::map(self.0.borrow_mut(), |values| {
            let value = values.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(T::default()));
            match value.downcast_mut() {
                Some(value) => value,
                None => unreachable!("the key of a value is its type"),
            }
        })
    }
}

/// A cache that evicts the least recently used entry; the most recent one is at the end. Each entry has the number of the handshake in
/// which the ranks computed it.
#[derive(Debug)]
pub(crate) struct LruCache<K, V>(VecDeque<Entry<K, V>>);

#[derive(Debug)]
struct Entry<K, V> {
    key: K,
    born: u64,
    value: Rc<V>,
    bytes: usize,
}

impl<K, V> Default for LruCache<K, V> {
    fn default() -> Self {
        LruCache(VecDeque::new())
    }
}

impl<K: PartialEq, V> LruCache<K, V> {
    /// The number of entries, and their size together. A single entry may be larger.
    const MOST: usize = 64;
    const MOST_BYTES: usize = 64 << 20;

    /// The value of this key, and the handshake that it is from.
    pub(crate) fn get(&mut self, key: &K) -> Option<(u64, Rc<V>)> {
        let found = self.0.iter().position(|entry| entry.key == *key)?;
        let found = self.0.remove(found)?;
        let cached = (found.born, Rc::clone(&found.value));
        self.0.push_back(found);
        Some(cached)
    }

    /// Adds a value of this size, in bytes.
    pub(crate) fn insert(&mut self, key: K, born: u64, value: Rc<V>, bytes: usize) {
        self.0.retain(|entry| entry.key != key);
        self.0.push_back(Entry { key, born, value, bytes });
        let mut total: usize = self.0.iter().map(|entry| entry.bytes).sum();
        while self.0.len() > Self::MOST || total > Self::MOST_BYTES && self.0.len() > 1 {
            total -= self.0.pop_front().map_or(0, |entry| entry.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_entry_is_evicted() {
        const MOST: usize = LruCache::<usize, ()>::MOST;
        let mut cache = LruCache::default();
        for key in 0..MOST {
            cache.insert(key, 7, Rc::new(()), 1);
        }
        assert!(cache.get(&0).is_some());
        cache.insert(MOST, 8, Rc::new(()), 1);
        assert!(cache.get(&0).is_some() && cache.get(&1).is_none() && cache.get(&2).is_some());
        assert_eq!(cache.get(&MOST).map(|(born, _)| born), Some(8));
        // A large entry evicts the others, but not itself.
        cache.insert(0, 9, Rc::new(()), LruCache::<usize, ()>::MOST_BYTES + 1);
        assert_eq!((cache.0.len(), cache.get(&0).map(|(born, _)| born)), (1, Some(9)));
    }

    #[test]
    fn each_type_has_a_value_of_its_own() {
        let map = TypeMap::default();
        map.get::<Vec<u8>>().push(3);
        *map.get::<usize>() += 2;
        map.get::<Vec<u8>>().push(4);
        assert_eq!(*map.get::<Vec<u8>>(), [3, 4]);
        assert_eq!(*map.get::<usize>(), 2);
    }
}
