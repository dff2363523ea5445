//! Point locators, after Ettinger et al. 2013: which of many points are the same one, found by all workers at once.
//!
//! Points are put into the buckets of a [`Grid`]. A bucket knows each of its points once, with the least number under which it came. The
//! sequential loop over the points finds the same, whoever comes first. So [`Unique`] has the points, and gives them numbers, in the order
//! of the sequential loop, on any number of threads and ranks.
//!
//! | locator | who has buckets | on several ranks |
//! |---|---|---|
//! | [`Locked`] | all workers have the same ones, each with a lock | each rank has its points, and the ranks agree on those that several have, by sorting them |
//! | [`Own`] | each worker has its own, and they are merged bucket by bucket, without locks | the same |
//!
//! [`Boxes`] finds what points lie in: the boxes around the cells of a mesh, for one.
//!
//! Points are the same where their coordinates are: 0 and -0 are, and so is NaN and itself, but no two points that are only near.

mod agreed;
mod boxes;
mod grid;
mod locked;
mod own;
mod unique;

pub use boxes::{Boxes, Extent};
pub use grid::{Grid, Key, key};
pub use locked::Locked;
pub use own::Own;
pub use unique::Unique;
