//! Why there is no graphics processor to run loops on.

/// Why there is no gpu node.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// The machine has none.
    #[error(
        "there is no graphics processor here that Vulkan, Metal or DirectX 12 knows; on Linux, is a Vulkan driver installed?"
    )]
    None,
    /// The one that was asked for is not there.
    #[error("there is no graphics processor {index}; this machine has {}", listed(names))]
    Index {
        /// The requested device.
        index: usize,
        /// Those that are there.
        names: Vec<String>,
    },
    /// None has the name that was asked for.
    #[error("no graphics processor is called `{part}`; this machine has {}", listed(names))]
    Name {
        /// The requested device.
        part: String,
        /// Those that are there.
        names: Vec<String>,
    },
    /// The driver gives no access to it.
    #[error("the graphics processor {name} cannot be used: {reason}")]
    Denied {
        /// The processor.
        name: String,
        /// The driver's message.
        reason: String,
    },
}

fn listed(names: &[String]) -> String {
    let numbered: Vec<String> =
        names.iter().enumerate().map(|(index, name)| format!("{name} (number {index})")).collect();
    numbered.join(", ")
}
