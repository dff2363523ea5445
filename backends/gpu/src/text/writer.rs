//! A text while it is written, and its bindings.

use super::shape::{Shape, Variant};
use forall_core::device::Program;
use std::fmt::Write;

/// The contents of a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binding {
    /// Sizes and values: see [`words`].
    Words,
    /// For each cause, the first position that raised it.
    Flags,
    /// A state before the first position.
    Seed,
    /// Merged states before each leaf, of the running values of a level.
    StatesBefore(usize),
    /// Numbers of pushed elements before each leaf.
    CountsBefore,
    /// The messages between tiles: see [`look_back`](crate::look_back).
    Chain,
    /// The leaves that the pass leaves.
    Leaves,
    /// A level of the tree, and the level above.
    Lower,
    Upper,
    /// A window of an array.
    Array(usize, u32),
    /// Where the elements are that lie apart, of all arrays that have such.
    Runs(u32),
    /// A window of a table.
    Table(usize, u32),
    Push(usize),
    /// A histogram: words, or rows.
    Bins(usize),
    /// The initial value of each row of it.
    Fresh(usize),
    /// Its rows, and the fewer ones that they are merged to.
    LowerRows(usize),
    UpperRows(usize),
}

/// The allowed access of a kernel to a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Read, all of it by all invocations.
    Same,
    Read,
    Write,
}

pub(crate) struct Writer<'a> {
    pub program: &'a Program,
    pub variant: Variant,
    pub shape: Shape,
    pub out: String,
    pub(crate) bindings: Vec<(Binding, Access)>,
}

/// Writing to a string does not fail.
macro_rules! put {
    ($writer:expr, $($text:tt)*) => {
        let _ = writeln!($writer.out, $($text)*);
    };
}

pub(crate) use put;

impl Writer<'_> {
    pub(crate) fn bind(&mut self, binding: Binding, access: Access, name: &str, of: &str) {
        let number = self.bindings.len();
        let space = match access {
            Access::Same => "uniform",
            Access::Read => "storage, read",
            Access::Write => "storage, read_write",
        };
        put!(self, "@group(0) @binding({number}) var<{space}> {name}: {of};");
        self.bindings.push((binding, access));
    }
}
