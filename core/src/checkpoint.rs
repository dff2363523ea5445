//! Checkpoints: the state of a program in one file, which any number of ranks loads.
//!
//! [`Blocks`](crate::blocks::Blocks), [`DistVec`](crate::data::DistVec) and [`Object`](crate::objects::Object) have methods `save` and `load`.
//! [`save`] and [`load`] do the same for several of them at once, in a tuple, together with numbers and other values that all ranks have
//! ([`Same`]). [`checkpoint`] saves at each n-th step of a loop and keeps the last two files, and [`restart`] finds the newest whole one.
//!
//! ```
//! use forall_core::checkpoint;
//! use forall_core::data::DistVec;
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("heat");
//! // The second run goes on where the first one has ended.
//! for end in [25, 40] {
//!     let (mut step, mut heat) =
//!         checkpoint::restart(&path)?.unwrap_or_else(|| (0, DistVec::from_fn(100, |i| i as f32)));
//!     assert_eq!(step, if end == 25 { 0 } else { 20 });
//!     while step < end {
//!         heat.local_mut().iter_mut().for_each(|value| *value *= 0.5);
//!         step += 1;
//!         checkpoint::checkpoint(10, &path, step, &heat)?;
//!     }
//! }
//! # Ok::<(), checkpoint::CheckpointError>(())
//! ```
//!
//! # The file
//! All ranks write at the same time, each its own pieces: a block, or at most 1 MiB of elements. The pieces have a checksum each. The index
//! at the end of the file has the types, the counts and the pieces, with a checksum of its own. Each byte of the file is in the header, in a piece
//! or in the index, so a flipped bit anywhere is an error.
//!
//! The folder must be visible to all ranks. The file is written aside, and gets its name when it is whole and on the disk: until then, an
//! earlier file of this name stays. On Linux the file has no name before, if all ranks are on one machine and the file system supports it. Then
//! nothing is left behind when the program is killed. Otherwise its name begins with a dot and ends with `.part`. A panic on one rank removes
//! it, and a signal does not.
//!
//! # Types
//! The file has the names of the types, as [`type_name`](std::any::type_name) gives them, and the sizes of elements. A file of another type is an
//! error that names both. Blocks are stored in the format of `postcard`. Elements are stored as they are in memory: a machine with another
//! byte order refuses them. If a struct keeps its name and changes its fields, the file is refused if its bytes do not fit.
//!
//! # Errors
//! All ranks return the same error. A failed save leaves an earlier file of this name as it was.

mod agreed;
mod aside;
mod error;
mod format;
mod loading;
mod saving;
mod series;
mod value;
mod vector;

pub use error::CheckpointError;
pub(crate) use format::{Part, Piece};
pub use loading::{Load, Loading, load};
pub(crate) use saving::Bytes;
pub use saving::{Save, Saving, save};
pub use series::{checkpoint, restart};
pub use value::Same;
pub(crate) use vector::elements;
