//! The control-flow graph as data.

use super::access::Access;
use crate::ir::{For, Id, Pattern};
use crate::maps::HashMap;

/// The control-flow graph of a body.
///
/// Steps are numbered in the order in which they are written: a vector and a worklist in this order need no library for graphs.
pub struct Graph<'e> {
    pub(super) steps: Vec<Step<'e>>,
    pub(super) after: Vec<Vec<usize>>,
    pub(super) before: Vec<Vec<usize>>,
    /// The step after each loop, by the id of its source.
    pub(super) ends: HashMap<Id, usize>,
}

/// The step before the body.
pub const START: usize = 0;
/// The step after the body, and after each early exit from it.
pub const END: usize = 1;

pub enum Step<'e> {
    /// Paths meet, or part.
    Nothing,
    Access(Access<'e>),
    /// The variables of a pattern begin.
    Bind(&'e Pattern),
    /// A `for` loop has run all of its rounds.
    Done(&'e For),
}

impl<'e> Graph<'e> {
    /// The loops of the body.
    pub fn loops(&self) -> impl Iterator<Item = &'e For> {
        self.steps.iter().filter_map(|step| match step {
            Step::Done(f) => Some(*f),
            _ => None,
        })
    }

    /// The step after a loop.
    pub fn end_of(&self, f: &For) -> Option<usize> {
        self.ends.get(&f.source.id).copied()
    }

    /// All accesses, with their numbers.
    pub fn accesses(&self) -> impl Iterator<Item = (usize, &Access<'e>)> {
        self.steps.iter().enumerate().filter_map(|(number, step)| match step {
            Step::Access(access) => Some((number, access)),
            _ => None,
        })
    }
}
