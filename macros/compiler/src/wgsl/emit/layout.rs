//! Where the state of the accumulators is.

use crate::maps::HashMap;
use crate::wgsl::contract::Type;
use crate::wgsl::tree::Component;

/// The fields of `State`.
#[derive(Debug, Default)]
pub struct Layout {
    pub fields: Vec<Type>,
    /// The first field of each component of an accumulator.
    pub first: HashMap<(usize, Component), usize>,
    /// The field that counts how often an accumulator's sum wraps around.
    pub counts: HashMap<usize, usize>,
}

impl Layout {
    /// The first field of a component.
    pub fn field(&self, accumulator: usize, component: Component) -> usize {
        self.first.get(&(accumulator, component)).copied().unwrap_or_default()
    }
}
