//! Why a device does not run a loop.

/// Why a device did not run a launch. Nothing was written.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// This device cannot run this program, or not with so much data.
    #[error("{0}")]
    Cannot(String),
    /// So many positions at once are too much for it: they need more elements of an array than it can look at, or leave
    /// more than it has room for. It may be able to run a part of them, or all where it knows that the array is touched as a
    /// `Part::whole`.
    #[error("{0}")]
    TooMuch(String),
    /// The device is lost or has no memory left.
    #[error("{0}")]
    Failed(String),
}
