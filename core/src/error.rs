//! Errors outside the program's code: settings, files, and the way in which it was started.

use std::path::PathBuf;

/// The remedy for processes that are not meant to work together.
const ALONE: &str = "to run each process as a program by itself, set FORALL_RANKS=1";

/// An error that names its cause and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting has an invalid value.
    #[error("{name}={value:?} is not understood: use {good}")]
    Setting {
        /// The environment variable or option.
        name: String,
        /// Its value.
        value: String,
        /// The valid values.
        good: &'static str,
    },

    /// A variable begins with `FORALL_` and is no setting.
    #[error("there is no setting `{name}`: did you mean `{nearest}`?")]
    UnknownSetting {
        /// The environment variable.
        name: String,
        /// The setting with the most similar name.
        nearest: &'static str,
    },

    /// A setting asks for a backend that is not part of this build.
    #[error("this build of the program has no backend `{backend}`: {remedy}")]
    NoBackend {
        /// The backend asked for.
        backend: &'static str,
        /// The remedy.
        remedy: String,
    },

    /// A launcher started several processes, and the program cannot connect them.
    #[error("{launch}, but the program was built without MPI: build it with the feature `mpi` of `forall`; {ALONE}")]
    NoMpi {
        /// The launcher's statement.
        launch: String,
    },

    /// A launcher started several processes that do not find each other.
    #[error(
        "{launch}, but the program was built for {library}, which finds {ranks} here: start it with the `mpirun` of that \
         MPI library, or build it for the MPI library of the launcher; {ALONE}"
    )]
    OtherLauncher {
        /// The launcher's statement.
        launch: String,
        /// The MPI library of this build, with its version.
        library: String,
        /// The number of ranks, in words.
        ranks: String,
    },

    /// `FORALL_RANKS` requires another number of ranks than there are.
    #[error("FORALL_RANKS={wanted}, but there are {found} ranks: start the program with `mpirun -n {wanted}`")]
    OtherRanks {
        /// The number in `FORALL_RANKS`.
        wanted: usize,
        /// The number of ranks.
        found: usize,
    },

    /// A launcher started several processes, and the program does not connect them.
    #[error(
        "{launch}, but the program's `main` does not connect the ranks: write #[forall::main] before `fn main`; {ALONE}"
    )]
    NoMain {
        /// The launcher's statement.
        launch: String,
    },

    /// MPI is available, but does not start.
    #[error("cannot use MPI: {reason}")]
    Mpi {
        /// The reason.
        reason: String,
    },

    /// The operating system refuses threads.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// The requested number of threads.
        threads: usize,
        /// The message of the operating system.
        reason: String,
    },

    /// There is no graphics processor, or it refuses to work.
    #[error("no GPU: {reason}; choose serial or threads")]
    Gpu {
        /// The reason.
        reason: String,
    },

    /// The trace cannot be recorded or written.
    #[error("cannot write the trace {}: {reason}", path.display())]
    Trace {
        /// The file that `FORALL_TRACE` names.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

/// The payload with which a rank unwinds because another rank failed.
///
/// The panic hook does not run for it, so nothing is printed: the rank that failed has reported the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnotherRankFailed;

impl AnotherRankFailed {
    /// Unwinds the calling thread without a message.
    pub fn unwind() -> ! {
        std::panic::resume_unwind(Box::new(AnotherRankFailed))
    }
}

/// The message of a panic's payload.
pub fn panic_message(payload: &(dyn std::any::Any + Send)) -> &str {
    if let Some(message) = payload.downcast_ref::<&str>() {
        message
    } else if let Some(message) = payload.downcast_ref::<String>() {
        message
    } else if payload.is::<AnotherRankFailed>() {
        "another rank failed"
    } else {
        "a panic whose payload is not text"
    }
}
