//! A loop in the language of devices.

use crate::question::Ask;
use crate::types::Type;

/// A loop in the language of devices: see the documentation of this crate.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// The function, and the number of the loop in it.
    pub name: &'static str,
    /// The author's body, in WGSL.
    pub source: &'static str,
    /// The loop's arrays, in the order of its slots.
    pub arrays: &'static [Array],
    /// Plain values that all iterations read.
    pub values: &'static [Type],
    /// Arrays that every rank has whole, and that are only read: the types of their elements.
    pub tables: &'static [Type],
    /// The fields of `State`.
    pub state: &'static [Type],
    /// The level of each of these fields. Where running values are computed from others, those of level 0 are computed from
    /// the inputs alone, and others from the inputs and the levels below.
    pub levels: &'static [usize],
    /// How many of these fields, the last ones, count how often a sum of integers wrapped around where overflow is checked:
    /// `i32`, for each accumulator that asks for it in a build that checks.
    pub counted: usize,
    /// The elements of the sequences that iterations push to.
    pub pushes: &'static [Type],
    /// The histograms that iterations put values into, in the order of the accumulators. A loop whose body sees running
    /// values has none.
    pub bins: &'static [Bins],
    /// The author's functions that the body calls.
    pub calls: &'static [Call],
    /// The types that are not known before the loop runs first. Where they are meant, there is [`Type::Asked`], and in the
    /// source `$K$` for the type's name in those of functions, `$K:type$` for the type in WGSL, `$K:length$` for how many
    /// elements an array has, `$K:=2.5$` for a literal of the type, `$K:zero$` for what changes nothing when it is added,
    /// `$K:operator$` for what follows `fa_` in the name of the function that an operator is, and `$K:held$` for what a `State` holds it as, with `fa_hold_$K$` and `fa_take_$K$` from the one to the other.
    pub asks: &'static [Ask],
    /// Whether the body sees the running values: then the loop is a scan.
    pub running: bool,
    /// Whether chunks may merge in any order, and iterations be added to a chunk in any order, as with the built-in operators
    /// (where these are exact, with the same result). Else they are merged in the order of the positions.
    pub commutative: bool,
    /// What `fa_total` does with the arrays, then `fa_total_L` of each higher level, and `fa_iteration`, which is always there.
    pub touched: &'static [Touched],
    /// Whether the body has loops, or one of the functions that it calls.
    pub loops: bool,
}

/// What a part of a body does with the loop's arrays, by their numbers: where it hands one to a function, both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touched {
    /// Those of which it loads elements.
    pub loads: &'static [usize],
    /// Those to which it stores elements.
    pub stores: &'static [usize],
}

impl Program {
    /// A program that does nothing, to fill in what another one lacks.
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
        asks: &[],
        running: false,
        commutative: false,
        touched: &[],
        loops: false,
    };

    /// How many levels of running values there are.
    pub fn depth(&self) -> usize {
        self.levels.iter().max().map_or(1, |level| level + 1)
    }
}

/// An array of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Array {
    /// Its elements.
    pub element: Type,
    /// Whether iterations write to it.
    pub writes: bool,
}

/// A histogram of a loop: numbers, each of which iterations change by one operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bins {
    /// A number, or a `bool`.
    pub element: Type,
    /// What a bin and a value come to.
    pub operator: Operator,
    /// Whether sums of integers wrap around where a part of the iterations is out of range, even if overflow is checked.
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
    /// A sum, difference, product, negation or shift out of range, where Rust checks it.
    Overflow = 1,
    /// A division, or a remainder, by zero.
    DivisionByZero = 2,
    /// A `usize` that the device has no room for, though Rust has.
    Wide = 3,
    /// A loop inside of the body with more turns than this device is known to run.
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
    /// As it is written.
    pub name: &'static str,
    /// Where.
    pub line: u32,
    /// Where it is written as a method: of a value of which type.
    pub method: Option<Type>,
    /// What it takes for granted. Types that the caller asks for are holes, as in its source.
    pub signature: &'static str,
}
