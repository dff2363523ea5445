//! Values that all ranks have, and tuples.

use super::error::CheckpointError;
use super::format::Part;
use super::loading::{Load, Loading};
use super::saving::{Save, Saving};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::any::type_name;

/// A value of any type that serde can write, which all ranks have. Rank 0 saves it, and all ranks load it.
///
/// ```
/// use forall_core::checkpoint::{self, Same};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("state");
/// let names = vec!["left".to_owned(), "right".to_owned()];
/// checkpoint::save(&path, &(7_u32, Same(&names)))?;
/// let (step, Same(loaded)): (u32, Same<Vec<String>>) = checkpoint::load(&path)?;
/// assert_eq!((step, loaded), (7, names));
/// # Ok::<(), checkpoint::CheckpointError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Same<V>(pub V);

/// Saves a value of this type.
fn save_value<V: Serialize + ?Sized>(value: &V, name: &str, to: &mut Saving<'_>) -> Result<(), CheckpointError> {
    let name = name.trim_start_matches('&');
    let bytes = postcard::to_stdvec(value).map_err(|error| CheckpointError::Value {
        path: to.path().to_owned(),
        reason: format!("a `{name}` cannot be written: {error}"),
    });
    // The checksum is part of the description: ranks with other values get an error.
    let checksum = bytes.as_ref().map_or(0, |bytes| crc32fast::hash(bytes));
    let mut piece = Some(bytes.map(|bytes| (Vec::new(), bytes))).filter(|piece| to.rank() == 0 || piece.is_err());
    let part = Part { name: name.to_owned(), len: 1, size: 0, lengths: vec![u64::from(checksum)] };
    to.part(part, &mut || piece.take())
}

/// Loads a value of this type.
fn load_value<V: DeserializeOwned>(name: &str, from: &mut Loading<'_>) -> Result<V, CheckpointError> {
    let (_, pieces) = from.part(name, 0)?;
    let what = || format!("the value of type `{name}`");
    let bytes = match pieces.first() {
        Some(piece) => from.read(piece, &what),
        None => Err(from.misfit(what())),
    };
    let value = bytes.and_then(|bytes| match postcard::take_from_bytes(&bytes) {
        Ok((value, [])) => Ok(value),
        _ => Err(from.misfit(format!("{} cannot be read", what()))),
    });
    from.agreed(value)
}

impl<V: Serialize> Save for Same<V> {
    fn save_to(&self, to: &mut Saving<'_>) -> Result<(), CheckpointError> {
        save_value(&self.0, type_name::<V>(), to)
    }
}

impl<V: DeserializeOwned> Load for Same<V> {
    fn load_from(from: &mut Loading<'_>) -> Result<Self, CheckpointError> {
        load_value(type_name::<V>(), from).map(Same)
    }
}

macro_rules! values {
    ($($value:ty)*) => {$(
        /// All ranks have the same value.
        impl Save for $value {
            fn save_to(&self, to: &mut Saving<'_>) -> Result<(), CheckpointError> {
                save_value(self, type_name::<$value>(), to)
            }
        }

        /// All ranks get the value.
        impl Load for $value {
            fn load_from(from: &mut Loading<'_>) -> Result<Self, CheckpointError> {
                load_value(type_name::<$value>(), from)
            }
        }
    )*};
}
values!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char String);

macro_rules! tuples {
    ($(($($part:ident $place:tt),+))*) => {$(
        impl<$($part: Save),+> Save for ($($part,)+) {
            fn save_to(&self, to: &mut Saving<'_>) -> Result<(), CheckpointError> {
                $(self.$place.save_to(to)?;)+
                Ok(())
            }
        }

        impl<$($part: Load),+> Load for ($($part,)+) {
            fn load_from(from: &mut Loading<'_>) -> Result<Self, CheckpointError> {
                Ok(($($part::load_from(from)?,)+))
            }
        }
    )*};
}
tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}
