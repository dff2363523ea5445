//! A loop that is ready to be printed.

use crate::plan::Plan;
use crate::wgsl::{Obstacle, Translation};
use proc_macro2::Literal;

/// A loop that is ready: its plan, and its translation for devices or what stands in the way.
pub struct Loop {
    pub plan: Plan,
    pub translation: Result<Translation, Vec<Obstacle>>,
    /// The source of the translation.
    pub(super) source: Option<Literal>,
}

impl Loop {
    pub fn new(plan: Plan, translation: Result<Translation, Vec<Obstacle>>) -> Loop {
        let source = translation.as_ref().ok().map(|translation| Literal::string(&translation.source));
        Loop { plan, translation, source }
    }
}
