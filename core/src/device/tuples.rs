//! Arrays of tuples. A device has an array for each component, because Rust does not define the layout of tuples.

use super::known::{Found, Known, Table};
use crate::element::bytes_of;
use forall_contract::Type;
use std::ops::Deref;

/// Types that devices support, and tuples of them.
pub trait Parted: Copy {
    /// The number of components, recursively.
    const PARTS: usize;
    /// The implementation for types that are no tuples.
    const WHOLE: Option<Type>;

    /// The type of a part.
    fn ty(part: usize) -> Option<Type>;
    /// Adds the bytes of a part.
    fn put(&self, part: usize, to: &mut Vec<u8>);
}

impl<T: Known> Parted for T {
    const PARTS: usize = 1;
    const WHOLE: Option<Type> = Some(T::TYPE);

    fn ty(part: usize) -> Option<Type> {
        let () = T::FITS;
        (part == 0).then_some(T::TYPE)
    }

    fn put(&self, _: usize, to: &mut Vec<u8>) {
        to.extend_from_slice(bytes_of(std::slice::from_ref(self)));
    }
}

macro_rules! tuples {
    ($(($($name:ident: $number:tt),*))*) => {$(
        impl<$($name: Parted),*> Parted for ($($name,)*) {
            const PARTS: usize = 0 $(+ $name::PARTS)*;
            const WHOLE: Option<Type> = None;

            fn ty(mut part: usize) -> Option<Type> {
                $(
                    if part < $name::PARTS {
                        return $name::ty(part);
                    }
                    part -= $name::PARTS;
                )*
                let _ = part;
                None
            }

            fn put(&self, mut part: usize, to: &mut Vec<u8>) {
                $(
                    if part < $name::PARTS {
                        return self.$number.put(part, to);
                    }
                    part -= $name::PARTS;
                )*
                let _ = part;
            }
        }
    )*};
}
tuples! {
    (A: 0)
    (A: 0, B: 1)
    (A: 0, B: 1, C: 2)
    (A: 0, B: 1, C: 2, D: 3)
    (A: 0, B: 1, C: 2, D: 3, E: 4)
    (A: 0, B: 1, C: 2, D: 3, E: 4, F: 5)
}

/// A type and the bytes of values, or `None` for types that devices do not support.
pub type Owned = Option<(Type, Vec<u8>)>;

/// A part of elements: of a tuple, or the field of a struct.
fn part<T: Parted>(elements: &[T], number: usize) -> Owned {
    let mut bytes = Vec::new();
    if let Some(Type::Struct(of)) = T::WHOLE {
        // There is no room between fields.
        let ty = of.fields.get(number)?.1;
        let from: usize = of.fields[..number].iter().map(|(_, ty)| ty.size()).sum();
        for element in elements {
            let mut whole = Vec::new();
            element.put(0, &mut whole);
            bytes.extend_from_slice(whole.get(from..from + ty.size())?);
        }
        return Some((ty, bytes));
    }
    let ty = T::ty(number)?;
    elements.iter().for_each(|element| element.put(number, &mut bytes));
    Some((ty, bytes))
}

/// The content of a constant, leaked.
pub fn lasting(found: Owned) -> Found<'static> {
    found.map(|(ty, bytes)| (ty, &*bytes.leak()))
}

macro_rules! tables {
    ($($name:ident: $(#[$doc:meta])* [$($generics:tt)*] $holder:ty, $held:ident => $elements:expr;)*) => {$(
        $(#[$doc])*
        pub trait $name {
            /// A part of the elements.
            fn __part(&self, number: usize) -> Owned;
        }

        impl<$($generics)*> $name for $holder {
            fn __part(&self, number: usize) -> Owned {
                let $held = self.0;
                part($elements, number)
            }
        }
    )*};
}
tables! {
    PartsOfSlice: /// Slices, vectors, and what else is a slice.
        [T: Parted, S: Deref<Target = [T]>] &&&&Table<'_, S>, held => held;
    PartsOfArray: /// Arrays.
        [T: Parted, const N: usize] &&&Table<'_, [T; N]>, held => held;
    PartsOfArrayBehind: /// References to arrays.
        [T: Parted, S: Deref<Target = [T; N]>, const N: usize] &&Table<'_, S>, held => &held[..];
    PartsOfVecBehind: /// References to vectors.
        [T: Parted, S: Deref<Target = Vec<T>>] &Table<'_, S>, held => &held[..];
}

/// Method resolution finds this trait for all other types.
pub trait PartsUnknown {
    /// `None`.
    fn __part(&self, _: usize) -> Owned {
        None
    }
}

impl<S: ?Sized> PartsUnknown for Table<'_, S> {}

#[cfg(test)]
mod tests {
    #[allow(unused_imports)]
    use super::super::probes::*;
    use super::*;

    #[test]
    #[allow(clippy::needless_borrow)] // As expansions ask.
    fn parts_of_tuples_are_found() {
        const ALL: [(u8, (f32, [i16; 2])); 2] = [(1, (2.0, [3, 4])), (5, (6.0, [7, 8]))];
        let floats = (Type::F32, bytes_of(&[2.0_f32, 6.0]).to_vec());
        assert_eq!((&&&&&Table(&ALL)).__part(0), Some((Type::U8, vec![1, 5])));
        assert_eq!((&&&&&Table(&ALL)).__part(1), Some(floats.clone()));
        let pairs = (Type::Array(&Type::I16, 2), bytes_of(&[3_i16, 4, 7, 8]).to_vec());
        assert_eq!((&&&&&Table(&ALL.to_vec())).__part(2), Some(pairs));
        assert_eq!((&&&&&Table(&ALL)).__part(3), None);
        assert_eq!((&&&&&Table(&&ALL)).__part(1), Some(floats.clone()));
        assert_eq!((&&&&&Table(&&ALL.to_vec())).__part(1), Some(floats.clone()));
        assert_eq!((&&&&&Table(&&ALL[..])).__part(1), Some(floats));
        assert_eq!((&&&&&Table(&[("a", 1)])).__part(1), None);
        assert_eq!((&&&&&Table(&5)).__part(0), None);
        assert_eq!((&&&&&Table(&[7_u8])).__part(0), Some((Type::U8, vec![7])));
    }
}
