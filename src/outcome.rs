//! The permitted return types of programs and tests.

use std::fmt::Debug;
use std::process::{ExitCode, Termination};

/// A return type of `main` and of tests under the attributes: nothing, an exit code, or a `Result` of those.
///
/// The standard library's [`Termination`] reports a failure only by printing it. Ranks must know about a failure before, so
/// that a single rank prints it.
pub trait Outcome: Termination {
    /// The failure, if there is one.
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
