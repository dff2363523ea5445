//! A loop in the language of devices.

use crate::query::Query;
use crate::types::Type;

/// A loop in the language of devices: see the documentation of this crate.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// The function, and the number of the loop in it.
    pub name: &'static str,
    /// The body of the loop, in WGSL.
    pub source: &'static str,
    /// The loop's arrays, in the order of its slots.
    pub arrays: &'static [Array],
    /// Plain values that all iterations read.
    pub values: &'static [Type],
    /// The element types of the read-only arrays that every rank has whole.
    pub tables: &'static [Type],
    /// The fields of `State`.
    pub state: &'static [Type],
    /// The level of each of these fields. Scan states of level 0 depend on the inputs alone, and those of a higher level on the inputs and
    /// the levels below.
    pub levels: &'static [usize],
    /// The number of fields, at the end, that count how often a sum of integers wrapped around: an `i32` for each accumulator that needs it
    /// in a build with overflow checks.
    pub counted: usize,
    /// The element types of the sequences that iterations push to.
    pub pushes: &'static [Type],
    /// The histograms, in the order of the accumulators. A loop whose body reads scan states has none.
    pub bins: &'static [Bins],
    /// The user's functions that the body calls.
    pub calls: &'static [Call],
    /// The queries for types that are unknown until the loop first runs. [`Type::Queried`] refers to query `K`. So do holes in the source.
    /// `$K$` is the type's name in names of functions, and `$K:type$` the type in WGSL. `$K:length$` is the length of an array, `$K:=2.5$`
    /// a literal of the type, and `$K:zero$` the identity of its addition. `$K:operator$` is the name of an operator's function after
    /// `fa_`. `$K:held$` is the type in a `State`, with `fa_hold_$K$` and `fa_take_$K$` to convert to it and back.
    pub queries: &'static [Query],
    /// Whether the body reads scan states, so that the loop is a scan.
    pub running: bool,
    /// Whether chunks and iterations may merge in any order, as with the built-in operators (exact ones then give the same result).
    /// Otherwise they merge in the order of the positions.
    pub commutative: bool,
    /// The accesses of `fa_total`, of `fa_total_L` for each higher level, and of `fa_iteration`, which always exists.
    pub touched: &'static [Touched],
    /// Whether the body or one of its callees has loops.
    pub loops: bool,
}

/// The accesses of a part of the body to the loop's arrays, by their numbers. An array that it passes to a function counts as loaded and
/// stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touched {
    /// The arrays whose elements it loads.
    pub loads: &'static [usize],
    /// The arrays whose elements it stores.
    pub stores: &'static [usize],
}

impl Program {
    /// An empty program: the default values of the fields.
    pub const EMPTY: Program = Program {
        name: "",
        source: "",
        arrays: &[],
        values: &[],
        tables: &[],
        state: &[],
        levels: &[],
        counted: 0,
        pushes: &[],
        bins: &[],
        calls: &[],
        queries: &[],
        running: false,
        commutative: false,
        touched: &[],
        loops: false,
    };

    /// The number of levels of scan states.
    pub fn depth(&self) -> usize {
        self.levels.iter().max().map_or(1, |level| level + 1)
    }
}

/// An array of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Array {
    /// The type of its elements.
    pub element: Type,
    /// Whether iterations write to it.
    pub writes: bool,
}

/// A histogram of a loop: its iterations update the bins by one operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bins {
    /// The type of a bin: a number or `bool`.
    pub element: Type,
    /// Combines a bin and a value.
    pub operator: Operator,
    /// Whether the sum of a part of the iterations may wrap around, even in a build with overflow checks.
    pub wraps: bool,
}

/// The operator of a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Operator {
    Add,
    /// Integers wrap around.
    Mul,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// Why an iteration panics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Cause {
    /// An index beyond the end.
    Index = 0,
    /// A sum, difference, product, negation or shift out of range, in a build with overflow checks.
    Overflow = 1,
    /// A division, or a remainder, by zero.
    DivisionByZero = 2,
    /// A `usize` that does not fit in the device's 32 bits.
    Wide = 3,
    /// A loop inside of the body with more iterations than this device is known to run.
    Trips = 4,
    /// `assert!`, `panic!`, `unreachable!`, or a method that panics, such as `clamp` and `unwrap`.
    Explicit = 5,
}

impl std::fmt::Display for Cause {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Cause::Index => "index out of bounds",
            Cause::Overflow => "attempt to calculate with overflow",
            Cause::DivisionByZero => "attempt to divide by zero",
            Cause::Wide => "a `usize` of more than the 32 bits that it has on the GPU",
            Cause::Trips => {
                "more turns of a loop inside of the body than this driver is known to run (it would stop without an error)"
            }
            Cause::Explicit => "an assertion, or a method that panics, on the GPU",
        })
    }
}

/// A call of a function.
#[derive(Debug)]
pub struct Call {
    /// The callee as the user wrote it.
    pub name: &'static str,
    /// The line of the call.
    pub line: u32,
    /// The type of the receiver, if it is a method call.
    pub method: Option<Type>,
    /// The signature that the compiler assumes. Queried types are holes, as in the source of the caller.
    pub signature: &'static str,
}
