//! The parts of a value, as serde writes them: to compare two values of any type.

use serde::ser::{self, Serialize, Serializer};
use std::fmt;

/// A value, or a part of one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Written {
    Number(i128),
    Single(f32),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
    /// Lists, tuples, structs, options and variants.
    List(Vec<Written>),
    Map(Vec<(Written, Written)>),
}

impl fmt::Display for Written {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Written::Number(number) => write!(formatter, "{number}"),
            Written::Text(text) => write!(formatter, "{text:?}"),
            Written::List(parts) => write!(formatter, "a list of {} parts", parts.len()),
            Written::Map(entries) => write!(formatter, "a map of {} entries", entries.len()),
            other => write!(formatter, "{other:?}"),
        }
    }
}

impl Written {
    /// The parts of a value; `None` if serde cannot write it.
    pub fn of<V: Serialize + ?Sized>(value: &V) -> Option<Written> {
        value.serialize(Taking).ok()
    }

    /// The value with its lists in an order of their contents: for sets without an order.
    #[must_use]
    pub fn sorted(self) -> Written {
        match self {
            Written::List(parts) => {
                let mut parts: Vec<Written> = parts.into_iter().map(Written::sorted).collect();
                parts.sort_by_cached_key(|part| format!("{part:?}"));
                Written::List(parts)
            }
            Written::Map(entries) => {
                Written::Map(entries.into_iter().map(|(key, value)| (key, value.sorted())).collect())
            }
            other => other,
        }
    }
}

/// `fmt::Error` stands for an error of the user's implementation.
type Taken = Result<Written, fmt::Error>;

struct Taking;

/// The parts of a list so far.
struct List(Vec<Written>);

/// The entries of a map so far, and a key that waits for its value.
struct Entries(Vec<(Written, Written)>, Option<Written>);

macro_rules! numbers {
    ($($method:ident $number:ty),*) => {$(
        fn $method(self, value: $number) -> Taken {
            Ok(Written::Number(value as i128))
        }
    )*};
}

impl Serializer for Taking {
    type Ok = Written;
    type Error = fmt::Error;
    type SerializeSeq = List;
    type SerializeTuple = List;
    type SerializeTupleStruct = List;
    type SerializeTupleVariant = List;
    type SerializeMap = Entries;
    type SerializeStruct = List;
    type SerializeStructVariant = List;

    numbers! {
        serialize_bool bool, serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128
    }

    fn serialize_f32(self, value: f32) -> Taken {
        Ok(Written::Single(value))
    }

    fn serialize_f64(self, value: f64) -> Taken {
        Ok(Written::Double(value))
    }

    fn serialize_char(self, value: char) -> Taken {
        Ok(Written::Text(value.to_string()))
    }

    fn serialize_str(self, text: &str) -> Taken {
        Ok(Written::Text(text.to_owned()))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Taken {
        Ok(Written::Bytes(bytes.to_vec()))
    }

    fn serialize_none(self) -> Taken {
        Ok(Written::List(Vec::new()))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Taken {
        Ok(Written::List(vec![value.serialize(self)?]))
    }

    fn serialize_unit(self) -> Taken {
        Ok(Written::List(Vec::new()))
    }

    fn serialize_unit_struct(self, _: &'static str) -> Taken {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Taken {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Taken {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Taken {
        Ok(Written::List(vec![Written::Text(name.to_owned()), value.serialize(self)?]))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<List, fmt::Error> {
        Ok(List(Vec::new()))
    }

    fn serialize_tuple(self, _: usize) -> Result<List, fmt::Error> {
        Ok(List(Vec::new()))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<List, fmt::Error> {
        Ok(List(Vec::new()))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<List, fmt::Error> {
        Ok(List(vec![Written::Text(name.to_owned())]))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Entries, fmt::Error> {
        Ok(Entries(Vec::new(), None))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<List, fmt::Error> {
        Ok(List(Vec::new()))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<List, fmt::Error> {
        Ok(List(vec![Written::Text(name.to_owned())]))
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

macro_rules! members {
    ($($kind:ident $method:ident ($($key:ident)?)),*) => {$(
        impl ser::$kind for List {
            type Ok = Written;
            type Error = fmt::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, $($key: &'static str,)? value: &T) -> fmt::Result {
                self.0.push(value.serialize(Taking)?);
                Ok(())
            }

            fn end(self) -> Taken {
                Ok(Written::List(self.0))
            }
        }
    )*};
}
members! {
    SerializeSeq serialize_element (), SerializeTuple serialize_element (), SerializeTupleStruct serialize_field (),
    SerializeTupleVariant serialize_field (), SerializeStruct serialize_field (_name), SerializeStructVariant serialize_field (_name)
}

impl ser::SerializeMap for Entries {
    type Ok = Written;
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> fmt::Result {
        self.1 = Some(key.serialize(Taking)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        let key = self.1.take().ok_or(fmt::Error)?;
        self.0.push((key, value.serialize(Taking)?));
        Ok(())
    }

    /// The entries in an order of their keys: a hash map has none.
    fn end(mut self) -> Taken {
        self.0.sort_by_cached_key(|(key, _)| format!("{key:?}"));
        Ok(Written::Map(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[derive(serde::Serialize)]
    enum Kind {
        Empty,
        One(u64),
        Two { left: u8, right: [f32; 2] },
    }

    #[test]
    fn parts_are_those_of_the_value() {
        let number = |number: i128| Written::Number(number);
        let text = |text: &str| Written::Text(text.to_owned());
        assert_eq!(Written::of(&(true, -3_i8, 'x')), Some(Written::List(vec![number(1), number(-3), text("x")])));
        assert_eq!(Written::of(&Kind::Empty), Some(text("Empty")));
        assert_eq!(Written::of(&Kind::One(7)), Some(Written::List(vec![text("One"), number(7)])));
        let two = Written::List(vec![Written::Single(0.5), Written::Single(2.0)]);
        let two = Written::List(vec![text("Two"), number(1), two]);
        assert_eq!(Written::of(&Kind::Two { left: 1, right: [0.5, 2.0] }), Some(two));
        assert_eq!(
            Written::of(&[None, Some(1_u8)]),
            Some(Written::List(vec![Written::List(vec![]), Written::List(vec![number(1)])]))
        );
    }

    #[test]
    fn maps_have_the_order_of_their_keys() {
        let all: [HashMap<u32, u32>; 4] = std::array::from_fn(|_| (0..50).map(|i| (i * 7 % 50, i)).collect());
        let parts = all.map(|map| Written::of(&map).unwrap());
        assert!(parts.iter().all(|part| *part == parts[0]));
        let sorted = |list: &[u32]| Written::of(list).unwrap().sorted();
        assert_eq!(sorted(&[3, 1, 2]), sorted(&[2, 3, 1]));
    }
}
