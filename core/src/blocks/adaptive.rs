//! Meshes with boxes at several levels of refinement.

mod borders;
mod error;
mod level_box;
mod links;
mod mesh;
mod overlaps;
mod refined;

pub use borders::Border;
pub use error::{BoxProblem, MeshError};
pub use level_box::LevelBox;
pub use links::MeshLink;
pub use mesh::{AdaptiveMesh, Patch};
pub use overlaps::Overlap;
