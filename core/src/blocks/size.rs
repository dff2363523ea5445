//! The size of a block in memory, as serde sees it.

use serde::ser::{self, Serialize, Serializer};
use std::fmt;

/// The bytes of the numbers and texts in a value, as they are in memory, and 24 for each list, text and map: the size of a `Vec`. Spare capacity
/// and what serde does not write are not counted.
pub(super) fn size_of_value<V: Serialize + ?Sized>(value: &V) -> u64 {
    let mut size = Size(0);
    // A value that serde refuses counts as far as it was written. Whoever writes it reports the error.
    let _ = value.serialize(&mut size);
    size.0
}

struct Size(u64);

/// The size of an owner of elements.
const OWNER: u64 = 24;

/// `fmt::Error` stands for an error of the user's implementation.
type Done = fmt::Result;

macro_rules! numbers {
    ($($method:ident $number:ty),*) => {$(
        fn $method(self, _: $number) -> Done {
            self.0 += size_of::<$number>() as u64;
            Ok(())
        }
    )*};
}

impl<'s> Serializer for &'s mut Size {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    numbers! {
        serialize_bool bool, serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128, serialize_f32 f32,
        serialize_f64 f64, serialize_char char
    }

    fn serialize_str(self, text: &str) -> Done {
        self.serialize_bytes(text.as_bytes())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Done {
        self.0 += OWNER + bytes.len() as u64;
        Ok(())
    }

    fn serialize_none(self) -> Done {
        self.serialize_bool(false)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        self.0 += 1;
        value.serialize(self)
    }

    fn serialize_unit(self) -> Done {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Done {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, variant: u32, _: &'static str) -> Done {
        self.serialize_u32(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Done {
        self.0 += 4;
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<&'s mut Size, fmt::Error> {
        self.0 += OWNER;
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<&'s mut Size, fmt::Error> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<&'s mut Size, fmt::Error> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<&'s mut Size, fmt::Error> {
        self.0 += 4;
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<&'s mut Size, fmt::Error> {
        self.0 += OWNER;
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<&'s mut Size, fmt::Error> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<&'s mut Size, fmt::Error> {
        self.0 += 4;
        Ok(self)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

macro_rules! members {
    ($($kind:ident $method:ident ($($key:ident)?)),*) => {$(
        impl ser::$kind for &mut Size {
            type Ok = ();
            type Error = fmt::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, $($key: &'static str,)? value: &T) -> Done {
                value.serialize(&mut **self)
            }

            fn end(self) -> Done {
                Ok(())
            }
        }
    )*};
}
members! {
    SerializeSeq serialize_element (), SerializeTuple serialize_element (), SerializeTupleStruct serialize_field (),
    SerializeTupleVariant serialize_field (), SerializeStruct serialize_field (_name), SerializeStructVariant serialize_field (_name)
}

impl ser::SerializeMap for &mut Size {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Done {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        value.serialize(&mut **self)
    }

    fn end(self) -> Done {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[derive(serde::Serialize)]
    enum Kind {
        Empty,
        One(u64),
        Two { left: u8, right: [u16; 3] },
    }

    #[test]
    fn sizes_are_those_in_memory() {
        // Postcard writes a byte for each of these.
        assert_eq!(size_of_value(&vec![1_u64; 100]), 24 + 800);
        assert_eq!(size_of_value(&([1_f32; 4], 'x', true, "text")), 16 + 4 + 1 + 24 + 4);
        assert_eq!(size_of_value(&BTreeMap::from([(1_u16, Some(2_i128)), (3, None)])), 24 + 2 + 1 + 16 + 2 + 1);
        let kinds = [Kind::Empty, Kind::One(7), Kind::Two { left: 1, right: [2; 3] }];
        assert_eq!(kinds.map(|kind| size_of_value(&kind)), [4, 12, 4 + 1 + 6]);
    }
}
