//! Agreement on errors.

use super::error::CheckpointError;
use crate::comm::{Comm, collective};

/// The result of this rank if no rank failed; otherwise the error of the first rank that did. All ranks call it.
///
/// Cost: an allgather of a byte, and a broadcast of the error if there is one.
pub(super) fn agreed<V>(comm: &dyn Comm, result: Result<V, CheckpointError>) -> Result<V, CheckpointError> {
    let failed = collective::allgather(comm, &[result.is_err()]);
    match failed.iter().position(|failed| *failed) {
        None => result,
        Some(first) => Err(told(comm, first, result.err())),
    }
}

/// The error of this rank, on all ranks.
pub(super) fn told(comm: &dyn Comm, first: usize, own: Option<CheckpointError>) -> CheckpointError {
    let own = own.filter(|_| comm.rank() == first);
    let bytes = own.map(|error| postcard::to_stdvec(&error).expect("errors are numbers and texts"));
    postcard::from_bytes(&collective::broadcast(comm, first, bytes)).expect("all ranks run the same program")
}
