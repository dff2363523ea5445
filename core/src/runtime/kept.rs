//! What calls leave for later ones, each kind of it by its type.

use std::any::{Any, TypeId};
use std::cell::{RefCell, RefMut};
use std::collections::HashMap;

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

#[cfg(test)]
mod tests {
    use super::*;

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
