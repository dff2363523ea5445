//! Serialization of values that are sent between ranks.
//!
//! The macro does not know the types of the user's variables, so it uses method resolution. `(&&&&Probe::of(&value)).__codec()` finds the codec
//! for plain data first, then serde's, then one that reports that the type cannot be sent.

use crate::element::{Element, bytes_of, extend_from_bytes, from_bytes};
use std::marker::PhantomData;

/// Writes and reads values of one type.
pub trait Codec<V>: Send + Sync {
    /// Appends the value.
    fn encode(&self, value: &V, to: &mut Vec<u8>);
    /// Reads what [`Codec::encode`] wrote and moves past it.
    fn decode(&self, from: &mut &[u8]) -> V;
    /// Whether values can be sent.
    fn sends(&self) -> bool {
        true
    }
    /// Appends values, one after the other.
    fn encode_all(&self, values: &[V], to: &mut Vec<u8>) {
        values.iter().for_each(|value| self.encode(value, to));
    }
    /// Reads this number of values.
    fn decode_all(&self, count: usize, from: &mut &[u8]) -> Vec<V> {
        let mut values = Vec::with_capacity(count);
        self.decode_onto(count, from, &mut values);
        values
    }
    /// Reads this number of values, and appends them.
    fn decode_onto(&self, count: usize, from: &mut &[u8], to: &mut Vec<V>) {
        to.extend((0..count).map(|_| self.decode(from)));
    }
}

/// Finds the codec of a value's type by method resolution.
#[derive(Debug)]
pub struct Probe<V>(PhantomData<fn(V)>);

impl<V> Probe<V> {
    /// For the type of this value.
    pub fn of(_: &V) -> Self {
        Probe(PhantomData)
    }

    /// For the type of these elements.
    pub fn of_elements(_: &[V]) -> Self {
        Probe(PhantomData)
    }
}

/// Plain data, as its bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plain;

/// Values that serde can write.
#[derive(Debug, Clone, Copy)]
pub struct Serde;

/// A type that cannot be sent.
#[derive(Debug, Clone, Copy)]
pub struct Stays;

impl<V: Element> Codec<V> for Plain {
    fn encode(&self, value: &V, to: &mut Vec<u8>) {
        to.extend_from_slice(bytes_of(std::slice::from_ref(value)));
    }

    fn decode(&self, from: &mut &[u8]) -> V {
        let (head, tail) = from.split_at(size_of::<V>());
        *from = tail;
        match from_bytes::<V>(head).pop() {
            Some(value) => value,
            // A type without a size has one value, which no bytes describe.
            // SAFETY: a zero-sized plain-data value is valid without any bytes.
            None => unsafe { std::mem::zeroed() },
        }
    }

    fn encode_all(&self, values: &[V], to: &mut Vec<u8>) {
        to.extend_from_slice(bytes_of(values));
    }

    fn decode_onto(&self, count: usize, from: &mut &[u8], to: &mut Vec<V>) {
        if size_of::<V>() == 0 {
            return to.extend((0..count).map(|_| -> V { self.decode(from) }));
        }
        let (head, tail) = from.split_at(count * size_of::<V>());
        *from = tail;
        extend_from_bytes(to, head);
    }
}

impl<V: serde::Serialize + serde::de::DeserializeOwned> Codec<V> for Serde {
    fn encode(&self, value: &V, to: &mut Vec<u8>) {
        let bytes = postcard::to_stdvec(value).unwrap_or_else(|error| {
            panic!("a `{}` cannot be sent to another rank: {error}", std::any::type_name::<V>())
        });
        to.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        to.extend_from_slice(&bytes);
    }

    fn decode(&self, from: &mut &[u8]) -> V {
        let (length, rest) = from.split_at(8);
        let length = u64::from_le_bytes(length.try_into().unwrap_or([0; 8])) as usize;
        let (bytes, rest) = rest.split_at(length);
        *from = rest;
        postcard::from_bytes(bytes).unwrap_or_else(|error| {
            panic!("a `{}` from another rank cannot be read: {error}", std::any::type_name::<V>())
        })
    }
}

impl<V> Codec<V> for Stays {
    fn sends(&self) -> bool {
        false
    }
    fn encode(&self, _: &V, _: &mut Vec<u8>) {
        stays::<V>()
    }

    fn decode(&self, _: &mut &[u8]) -> V {
        stays::<V>()
    }
}

fn stays<V>() -> ! {
    panic!(
        "FA041: a `{}` cannot travel between ranks: derive `bytemuck::Pod`, or `serde::Serialize` and `serde::Deserialize`",
        std::any::type_name::<V>()
    )
}

/// A vector of plain data, as its length and its bytes.
#[derive(Debug, Clone, Copy)]
pub struct PlainVec;

impl<V: Element> Codec<Vec<V>> for PlainVec {
    fn encode(&self, value: &Vec<V>, to: &mut Vec<u8>) {
        to.extend_from_slice(&(value.len() as u64).to_le_bytes());
        to.extend_from_slice(bytes_of(value));
    }

    fn decode(&self, from: &mut &[u8]) -> Vec<V> {
        let (count, rest) = from.split_at(8);
        let count = u64::from_le_bytes(count.try_into().unwrap_or([0; 8])) as usize;
        *from = rest;
        let mut values = Vec::new();
        Plain.decode_onto(count, from, &mut values);
        values
    }
}

/// An option of plain data, as a byte and the bytes.
#[derive(Debug, Clone, Copy)]
pub struct PlainOption;

/// An optional value of plain data.
#[diagnostic::on_unimplemented(
    message = "FA041: forall does not see how an `Option<{Self}>` travels between ranks: its type is found out too late",
    note = "write the type where the variable is declared: `let mut found: Option<{Self}> = None;`"
)]
pub trait Optional: Element {}

impl<V: Element> Optional for V {}

impl<V: Optional> Codec<Option<V>> for PlainOption {
    fn encode(&self, value: &Option<V>, to: &mut Vec<u8>) {
        to.push(u8::from(value.is_some()));
        if let Some(value) = value {
            Plain.encode(value, to);
        }
    }

    fn decode(&self, from: &mut &[u8]) -> Option<V> {
        let (some, rest) = from.split_first()?;
        *from = rest;
        (*some == 1).then(|| Plain.decode(from))
    }
}

macro_rules! tuples {
    ($($value:ident $codec:ident $place:tt),*) => {
        impl<$($value, $codec: Codec<$value>),*> Codec<($($value,)*)> for ($($codec,)*) {
            fn encode(&self, value: &($($value,)*), to: &mut Vec<u8>) {
                $(self.$place.encode(&value.$place, to);)*
            }

            fn decode(&self, from: &mut &[u8]) -> ($($value,)*) {
                ($(self.$place.decode(from),)*)
            }

            fn sends(&self) -> bool {
                true $(&& self.$place.sends())*
            }
        }
    };
}
tuples!(A CA 0);
tuples!(A CA 0, B CB 1);
tuples!(A CA 0, B CB 1, D CD 2);
tuples!(A CA 0, B CB 1, D CD 2, E CE 3);
tuples!(A CA 0, B CB 1, D CD 2, E CE 3, F CF 4);
tuples!(A CA 0, B CB 1, D CD 2, E CE 3, F CF 4, G CG 5);
tuples!(A CA 0, B CB 1, D CD 2, E CE 3, F CF 4, G CG 5, H CH 6);
tuples!(A CA 0, B CB 1, D CD 2, E CE 3, F CF 4, G CG 5, H CH 6, I CI 7);

/// Method resolution finds this trait for tuples of plain data. The components are consecutive, as a device sends them.
pub trait ProbeTuple {
    /// The codecs of the parts.
    type Parts;
    /// All of them.
    fn __codec(&self) -> Self::Parts;
}

macro_rules! tuples_of_plain_data {
    ($($value:ident $plain:ty),*) => {
        impl<$($value: Element),*> ProbeTuple for &&&Probe<($($value,)*)> {
            type Parts = ($($plain,)*);

            fn __codec(&self) -> Self::Parts {
                Self::Parts::default()
            }
        }
    };
}
tuples_of_plain_data!(A Plain);
tuples_of_plain_data!(A Plain, B Plain);
tuples_of_plain_data!(A Plain, B Plain, D Plain);
tuples_of_plain_data!(A Plain, B Plain, D Plain, E Plain);
tuples_of_plain_data!(A Plain, B Plain, D Plain, E Plain, F Plain);
tuples_of_plain_data!(A Plain, B Plain, D Plain, E Plain, F Plain, G Plain);
tuples_of_plain_data!(A Plain, B Plain, D Plain, E Plain, F Plain, G Plain, H Plain);
tuples_of_plain_data!(A Plain, B Plain, D Plain, E Plain, F Plain, G Plain, H Plain, I Plain);

/// Method resolution finds this trait for vectors of plain data.
pub trait ProbeVec {
    /// The codec.
    fn __codec(&self) -> PlainVec {
        PlainVec
    }
}

impl<V: Element> ProbeVec for &&&Probe<Vec<V>> {}

/// Method resolution finds this trait for options of plain data, also if their type is not inferred yet.
pub trait ProbeOption {
    /// The codec.
    fn __codec(&self) -> PlainOption {
        PlainOption
    }
}

impl<V: Optional> ProbeOption for &&&Probe<Option<V>> {}

/// Method resolution finds this trait for plain data.
pub trait ProbePlain {
    /// The codec.
    fn __codec(&self) -> Plain {
        Plain
    }
}

impl<V: Element> ProbePlain for &&Probe<V> {}

/// Method resolution finds this trait for types that serde can write.
pub trait ProbeSerde {
    /// The codec.
    fn __codec(&self) -> Serde {
        Serde
    }
}

impl<V: serde::Serialize + serde::de::DeserializeOwned> ProbeSerde for &Probe<V> {}

/// Method resolution finds this trait for all other types.
pub trait ProbeStays {
    /// The codec.
    fn __codec(&self) -> Stays {
        Stays
    }
}

impl<V> ProbeStays for Probe<V> {}
