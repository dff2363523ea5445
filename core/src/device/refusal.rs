//! Reasons why a device does not run a loop.

/// The reason why a device did not run a launch. Nothing was written.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The device cannot run this program, or not with this amount of data.
    #[error("{0}")]
    Cannot(String),
    /// The launch is too large: it needs more elements of an array than the device can bind, or produces more than fits into its
    /// memory. A part of the positions may fit, or all of them if it is known that the array is accessed as a `Part::whole`.
    #[error("{0}")]
    TooMuch(String),
    /// The device is lost or has no memory left.
    #[error("{0}")]
    Failed(String),
}
