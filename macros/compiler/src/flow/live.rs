//! Liveness: whether later code reads a variable before it sets it.

use super::access::Access;
use super::fresh::{Fresh, Level};
use super::graph::{Graph, Step};
use super::solve::Problem;
use crate::ir::For;

/// Whether the contents of a variable are read later.
pub struct Live {
    pub of: Fresh,
    /// Whether the caller sees them after the body.
    pub returned: bool,
}

impl Live {
    /// Whether code after a loop reads what the loop has left in the variable.
    pub fn after(&self, graph: &Graph<'_>, f: &For) -> bool {
        graph.end_of(f).is_none_or(|end| graph.solve(self)[end] != Some(false))
    }

    fn reads(access: &Access<'_>) -> bool {
        !access.sets_element()
    }
}

impl Problem for Live {
    type Fact = bool;
    const BACKWARD: bool = true;

    fn first(&self) -> bool {
        self.returned
    }

    fn bottom(&self) -> Option<bool> {
        Some(false)
    }

    fn join(&self, one: &bool, other: &bool) -> bool {
        *one || *other
    }

    fn pass(&self, _: usize, step: &Step<'_>, live: &bool) -> bool {
        let first: Level = self.of.first;
        match step {
            Step::Access(access) if access.root == self.of.name => match access {
                _ if self.of.resets(access, first) => false,
                _ => *live || Live::reads(access),
            },
            Step::Bind(pattern) if pattern.binds(self.of.name) => false,
            Step::Done(f) if self.of.fills(f) => false,
            _ => *live,
        }
    }
}
