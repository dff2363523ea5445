//! What a program or a test can return.

use std::fmt::Debug;
use std::process::{ExitCode, Termination};

/// What `main` and tests under the attributes can return: nothing, an exit code, or a `Result` of those.
///
/// The standard library's [`Termination`] tells whether something failed only by printing it. Ranks need to know it first,
/// so that one of them prints it for all.
pub trait Outcome: Termination {
    /// What failed, if something did.
    fn error(&self) -> Option<String>;
}

impl Outcome for () {
    fn error(&self) -> Option<String> {
        None
    }
}

impl Outcome for ExitCode {
    fn error(&self) -> Option<String> {
        (*self != ExitCode::SUCCESS).then(|| "an exit code other than success".to_owned())
    }
}

impl<T: Outcome, E: Debug> Outcome for Result<T, E> {
    fn error(&self) -> Option<String> {
        match self {
            Ok(value) => value.error(),
            Err(error) => Some(format!("Error: {error:?}")),
        }
    }
}
