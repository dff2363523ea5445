//! What calls leave for later ones, each kind of it by its type.

use std::any::{Any, TypeId};
use std::cell::{RefCell, RefMut};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// At most one value of each type.
#[derive(Default)]
pub(crate) struct Kept(RefCell<HashMap<TypeId, Box<dyn Any>>>);

impl Kept {
    /// The value of this type, to look at and to change. At first it is the default.
    ///
    /// # Panics
    /// While another one is looked at.
    pub(crate) fn get<T: Any + Default>(&self) -> RefMut<'_, T> {
        RefMut::map(self.0.borrow_mut(), |kept| {
            let value = kept.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(T::default()));
            match value.downcast_mut() {
                Some(value) => value,
                None => unreachable!("a value is kept under its own type"),
            }
        })
    }
}

/// Values of earlier calls of a rank, the one that was used last at the end; each with the number of the handshake in which the
/// ranks made it together.
#[derive(Debug)]
pub(crate) struct Latest<K, V>(VecDeque<Made<K, V>>);

#[derive(Debug)]
struct Made<K, V> {
    key: K,
    born: u64,
    value: Rc<V>,
    bytes: usize,
}

impl<K, V> Default for Latest<K, V> {
    fn default() -> Self {
        Latest(VecDeque::new())
    }
}

impl<K: PartialEq, V> Latest<K, V> {
    /// How many are kept, and how much memory they may take together: one may take more.
    const MOST: usize = 64;
    const MOST_BYTES: usize = 64 << 20;

    /// The value of this key, and when it was made.
    pub(crate) fn of(&mut self, key: &K) -> Option<(u64, Rc<V>)> {
        let found = self.0.iter().position(|made| made.key == *key)?;
        let found = self.0.remove(found)?;
        let known = (found.born, Rc::clone(&found.value));
        self.0.push_back(found);
        Some(known)
    }

    /// Keeps the value of this key, which takes so many bytes.
    pub(crate) fn keep(&mut self, key: K, born: u64, value: Rc<V>, bytes: usize) {
        self.0.retain(|made| made.key != key);
        self.0.push_back(Made { key, born, value, bytes });
        let mut total: usize = self.0.iter().map(|made| made.bytes).sum();
        while self.0.len() > Self::MOST || total > Self::MOST_BYTES && self.0.len() > 1 {
            total -= self.0.pop_front().map_or(0, |made| made.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ones_that_were_used_last_are_kept() {
        const MOST: usize = Latest::<usize, ()>::MOST;
        let mut kept = Latest::default();
        for key in 0..MOST {
            kept.keep(key, 7, Rc::new(()), 1);
        }
        assert!(kept.of(&0).is_some());
        kept.keep(MOST, 8, Rc::new(()), 1);
        assert!(kept.of(&0).is_some() && kept.of(&1).is_none() && kept.of(&2).is_some());
        assert_eq!(kept.of(&MOST).map(|(born, _)| born), Some(8));
        // Large ones push the others out, but not themselves.
        kept.keep(0, 9, Rc::new(()), Latest::<usize, ()>::MOST_BYTES + 1);
        assert_eq!((kept.0.len(), kept.of(&0).map(|(born, _)| born)), (1, Some(9)));
    }

    #[test]
    fn each_type_has_a_value_of_its_own() {
        let kept = Kept::default();
        kept.get::<Vec<u8>>().push(3);
        *kept.get::<usize>() += 2;
        kept.get::<Vec<u8>>().push(4);
        assert_eq!(*kept.get::<Vec<u8>>(), [3, 4]);
        assert_eq!(*kept.get::<usize>(), 2);
    }
}
