//! The memory of the device: `usage` says what a buffer is for, `transfer` moves bytes there and back, `pick` takes some elements of a
//! share, `residence` holds the shares that stay, and `pool` keeps buffers for later launches.

mod pick;
pub(crate) mod pool;
pub(crate) mod residence;
pub(crate) mod transfer;
pub(crate) mod usage;
