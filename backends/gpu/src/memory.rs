//! The memory of the device. `usage` has the purposes of buffers, `transfer` moves bytes there and back, and `pick` takes some
//! elements of a share. `residence` holds the shares that stay, and `pool` keeps buffers for later launches.

mod pick;
pub(crate) mod pool;
pub(crate) mod residence;
pub(crate) mod transfer;
pub(crate) mod usage;
