//! The parts of a translation: the types that the compiler and `core`'s `device` share.

pub use forall_contract::{Literal, Taken, Type};
use proc_macro2::TokenStream;
use std::collections::BTreeSet;

/// A query for a type, and the code that gives the answer, if there is such code.
pub type Query = forall_contract::Query<String, Given>;

/// Where its answer comes from.
pub type Source = forall_contract::Source<String, Given>;

/// Code that gives a type right before the loop, or nothing where devices do not have it.
#[derive(Debug, Clone)]
pub enum Given {
    /// A type that is written.
    Type(TokenStream),
    /// That of a place.
    Place(TokenStream),
    /// The type of the elements of a table, whose axes follow each other.
    Elements(TokenStream, usize),
    /// That of a part of these, where they are tuples.
    Part(TokenStream, usize),
    /// An array of these, whose length is code.
    Array(Type, TokenStream),
}

/// A query, for snapshots.
#[cfg(test)]
pub fn shown(query: &Query) -> String {
    let source = match &query.source {
        Source::Given(_) => "given".to_owned(),
        Source::Part(of, part) => format!("`{part}` of {of}"),
        Source::Unsigned(of) => format!("{of} without a sign"),
        Source::Bits(of) => format!("the bits of {of}"),
        Source::Result(call) => format!("what call {call} gives"),
        Source::Number(call, argument, part) => format!("number {part} of argument {argument} of call {call}"),
        Source::Operator(name, left, right) => format!("{name} of {} and {}", left.name(), right.name()),
        Source::Operand(name, other, side) => format!("side {side} of {name} beside {}", other.name()),
    };
    format!("`{}`, {source}: {:?}", crate::ir::text::shown(&query.name), query.taken)
}

/// A call as a `Program` lists it.
#[derive(Debug, Clone)]
pub struct Call {
    pub path: syn::Path,
    /// It is handed on, as in `map(helper)`.
    pub handed: bool,
    /// It is written as a method, of a value of this type.
    pub method: Option<Type>,
    pub line: usize,
    pub signature: String,
}

/// A captured array that is only read.
#[derive(Debug, Clone)]
pub struct Table {
    pub tokens: TokenStream,
    /// Its elements.
    pub ty: Type,
    /// Of a constant, how many of its axes are put one after the other.
    pub axes: usize,
    /// Which part of the elements it is, where these are tuples.
    pub part: Option<usize>,
}

/// A histogram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bins {
    /// The user's elements: a number, or an array of numbers, where each number is a bin.
    pub whole: Type,
    /// The bins.
    pub each: forall_contract::Bins,
}

impl Bins {
    /// How many bins an element has.
    pub fn width(&self) -> usize {
        let (mut ty, mut width) = (&self.whole, 1);
        while let Type::Array(inner, length) = ty {
            (ty, width) = (inner, width * length);
        }
        width
    }
}

/// The accesses of a part of a body to the loop's arrays, by their numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    pub loads: BTreeSet<usize>,
    pub stores: BTreeSet<usize>,
}

/// A loop in the language of devices: what a `Program` of `core` is made of.
#[derive(Debug)]
pub struct Translation {
    /// The text of WGSL.
    pub source: String,
    /// The elements of the loop's arrays, in the order of its slots.
    pub arrays: Vec<Type>,
    /// The expressions that give the captured values, right before the loop, and their types.
    pub values: Vec<(TokenStream, Type)>,
    /// The captured arrays that are only read, and the types of their elements.
    pub tables: Vec<Table>,
    /// The fields of `State`, for each reduction in the order of the accumulators; a tuple has a field for each part.
    ///
    /// These are the parts of the accumulator's chunk in `core`: the value alone; for a user's operator, the value and
    /// whether there is one. For a best value, they are all its variables and whether they were set. For a scan that starts
    /// afresh, they are the value, whether there is one, and whether it starts afresh. For a linear recurrence, they are the
    /// term, the factor and whether it starts afresh. The running value of a scan is in the first of them, or in all
    /// variables of a best value.
    pub state: Vec<Type>,
    /// For each field that is of the author's variables: what it is called, the code that names it, and its type.
    pub told: Vec<(String, TokenStream, Type)>,
    /// The level of each field: running values are computed from the inputs and the levels below.
    pub levels: Vec<usize>,
    /// How many of the fields, the last ones, count how often a sum of integers wrapped around.
    pub counted: usize,
    /// The elements that are pushed, for each such accumulator in their order.
    pub pushes: Vec<Type>,
    /// The histograms, in the order of their accumulators.
    pub bins: Vec<Bins>,
    /// The functions that are called.
    pub calls: Vec<Call>,
    /// The types that are asked for.
    pub queries: Vec<Query>,
    pub running: bool,
    /// Whether iterations may be put together in any order.
    pub commutative: bool,
    /// The accesses of `fa_total`, of the totals of higher levels and of `fa_iteration` to the arrays, in this order.
    pub touched: Vec<Touched>,
    /// Whether the body has loops.
    pub loops: bool,
}

/// A function in the language of devices: what a `Function` of `core` is made of.
#[derive(Debug)]
pub struct Marked {
    pub source: String,
    pub signature: String,
    pub helpers: Vec<String>,
    pub values: Vec<(TokenStream, Type)>,
    pub tables: Vec<Table>,
    pub calls: Vec<Call>,
    /// Its result, if that is one value, or what may be in an `Option` that is it.
    pub result: Option<Type>,
    /// The types that are asked for.
    pub queries: Vec<Query>,
    /// Whether the body has loops.
    pub loops: bool,
}
