//! The errors of checkpoints.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The reason why a checkpoint could not be saved or loaded. All ranks get the same error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file cannot be written: a full disk, a missing folder, no permission.
    #[error("rank {rank} cannot write the checkpoint {}: {reason}{}", path.display(), earlier(path))]
    Write {
        /// The file.
        path: PathBuf,
        /// The first rank that failed.
        rank: usize,
        /// The message of the system.
        reason: String,
    },

    /// The file cannot be read: it does not exist, or there is no permission.
    #[error("rank {rank} cannot read the checkpoint {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The first rank that failed.
        rank: usize,
        /// The message of the system.
        reason: String,
    },

    /// There is a folder or a device at the place of the file.
    #[error("the checkpoint {} cannot be a file: there is a folder or a device of this name; choose another name", path.display())]
    NotFile {
        /// The path.
        path: PathBuf,
    },

    /// The file is no checkpoint.
    #[error("{} is no checkpoint of forall: it does not begin as one", path.display())]
    NotCheckpoint {
        /// The file.
        path: PathBuf,
    },

    /// The file has another version of the format, or another byte order.
    #[error("the checkpoint {} has {found}, and this program reads {known}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version of the file.
        found: String,
        /// The version of the program.
        known: String,
    },

    /// The file was cut short, or bytes of it have changed.
    #[error("the checkpoint {} is damaged: {reason}; restart from an earlier one", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damaged part.
        reason: String,
    },

    /// The file has data of another type.
    #[error("the checkpoint {} holds {found}, and the program loads {wanted}", path.display())]
    Type {
        /// The file.
        path: PathBuf,
        /// The type in the file.
        found: String,
        /// The type of the program.
        wanted: String,
    },

    /// A value cannot be written, or its bytes are no value of its type.
    #[error("the checkpoint {}: {reason}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The value with the reason.
        reason: String,
    },

    /// The ranks do not save the same data.
    #[error("the ranks save different data in the checkpoint {}: rank 0 has {first}, and rank {rank} does not", path.display())]
    Differ {
        /// The file.
        path: PathBuf,
        /// The data of rank 0.
        first: String,
        /// The first rank that differs.
        rank: usize,
    },
}

impl CheckpointError {
    /// Whether an earlier checkpoint may still be whole.
    pub fn is_damage(&self) -> bool {
        matches!(self, CheckpointError::Damaged { .. } | CheckpointError::NotCheckpoint { .. })
    }
}

/// The remark on an earlier file of this name.
fn earlier(path: &Path) -> &'static str {
    if path.is_file() { "; the earlier checkpoint of this name is unchanged" } else { "" }
}
