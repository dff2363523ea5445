//! The distributed vector [`DistVec`], and the types that an annotated function accepts in its place.

mod buffer;
mod cuts;
mod dist_vec;
mod elements;
mod layout;
mod local;
mod push_target;
mod redistribute;
mod shares;
mod versioned;

pub use cuts::{Cuts, chunk_len, share};
pub use dist_vec::DistVec;
pub use dist_vec::make::FromRootError;
pub use elements::Elements;
pub(crate) use layout::overlap;
pub use layout::{Layout, Stays};
pub(crate) use local::{FEW, LocalBytes, check, pick};
pub use local::{Local, LocalMut};
pub use push_target::PushTarget;
pub(crate) use redistribute::{recut, together};
pub use shares::{Room, Shaped, ShapedMut, Share, ShareMut, SharePointer, Shared, SharedMut};
