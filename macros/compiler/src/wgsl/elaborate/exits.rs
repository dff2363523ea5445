//! Where `break`, `continue` and `return` lead to.

use crate::wgsl::tree::{ITERATION, Target, Ty};

/// A loop or a block that can be left.
pub struct Frame {
    pub label: Option<String>,
    pub target: Target,
    pub is_loop: bool,
    pub ty: Ty,
}

/// The loops and blocks around a place, from the outermost to the innermost.
pub struct Exits {
    pub frames: Vec<Frame>,
    targets: Target,
    /// Whether the body may end the iteration.
    pub may_end: bool,
}

impl Default for Exits {
    fn default() -> Self {
        Exits { frames: Vec::new(), targets: ITERATION, may_end: true }
    }
}

impl Exits {
    /// A number for what can be left.
    pub fn target(&mut self) -> Target {
        self.targets += 1;
        self.targets
    }

    /// The target of `return` in a function that the body calls, and the type of its value.
    pub fn returns(&self) -> Option<(Target, Ty)> {
        let frame = self.frames.first().filter(|frame| frame.target != ITERATION && !frame.is_loop)?;
        Some((frame.target, frame.ty.clone()))
    }

    /// The target of a `break` or a `continue` with this label, or without one.
    pub fn frame(&self, label: Option<&str>) -> Option<(Target, Ty)> {
        let frame = self.frames.iter().rev().find(|frame| match label {
            Some(label) => frame
                .label
                .as_deref()
                .is_some_and(|name| name.trim_start_matches('\'') == label.trim_start_matches('\'')),
            None => frame.is_loop,
        })?;
        Some((frame.target, frame.ty.clone()))
    }
}
