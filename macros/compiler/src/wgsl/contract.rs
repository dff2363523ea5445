//! What a translation is: all that the compiler and `core`'s `device` must both know.

use proc_macro2::TokenStream;
use std::collections::BTreeSet;

/// The type of an element or a value, as Rust names it: `core`'s `device::Type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    Isize,
    Usize,
    F16,
    F32,
    F64,
    /// `[T; N]`.
    Array(Box<Type>, usize),
    /// What the program asks for under this number, and what is known of it.
    Asked(usize, Literal),
}

const NAMES: [(&str, Type); 14] = [
    ("bool", Type::Bool),
    ("i8", Type::I8),
    ("u8", Type::U8),
    ("i16", Type::I16),
    ("u16", Type::U16),
    ("i32", Type::I32),
    ("u32", Type::U32),
    ("i64", Type::I64),
    ("u64", Type::U64),
    ("isize", Type::Isize),
    ("usize", Type::Usize),
    ("f16", Type::F16),
    ("f32", Type::F32),
    ("f64", Type::F64),
];

impl Type {
    pub fn named(name: &str) -> Option<Type> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, ty)| ty.clone())
    }

    /// Rust's name; that of its elements for an array.
    pub fn name(&self) -> String {
        match self {
            Type::Array(element, _) => element.name(),
            Type::Asked(number, _) => format!("${number}$"),
            scalar => NAMES.iter().find(|(_, ty)| ty == scalar).map_or("", |(name, _)| name).to_owned(),
        }
    }

    /// Whether WGSL's operators compute as Rust does: those of `f16` round.
    pub fn is_plain_float(&self) -> bool {
        self.is_float() && *self != Type::F16
    }

    pub fn is_float(&self) -> bool {
        matches!(self, Type::F16 | Type::F32 | Type::F64 | Type::Asked(_, Literal::Float))
    }

    pub fn is_integer(&self) -> bool {
        !self.is_float() && !matches!(self, Type::Bool | Type::Array(..) | Type::Asked(_, Literal::Any))
    }

    /// Whether it may turn out to be anything.
    pub fn is_open(&self) -> bool {
        matches!(self, Type::Asked(_, Literal::Any))
    }

    /// Whether a value of it may have parts, so that only a variable is indexed by what is not known before.
    pub fn has_parts(&self) -> bool {
        self.is_open() || matches!(self, Type::Array(..))
    }

    /// How many bytes a number has in Rust.
    pub fn bytes(&self) -> Option<usize> {
        Some(match self {
            Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 | Type::F16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 | Type::F64 | Type::Isize | Type::Usize => 8,
            _ => return None,
        })
    }

    pub fn is_signed(&self) -> bool {
        matches!(self, Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Isize)
    }

    /// The type that holds it in WGSL.
    pub fn wgsl(&self) -> String {
        match self {
            Type::I8 | Type::I16 | Type::I32 | Type::Isize => "i32".to_owned(),
            Type::U8 | Type::U16 | Type::U32 | Type::Usize => "u32".to_owned(),
            Type::F16 => "f32".to_owned(),
            Type::Array(element, length) => format!("array<{}, {length}>", element.wgsl()),
            Type::Asked(number, _) => format!("${number}:type$"),
            other => other.name(),
        }
    }

    /// What follows a literal of this type in WGSL.
    pub fn suffix(&self) -> &'static str {
        match self {
            Type::I64 => "li",
            Type::U64 => "lu",
            Type::F16 | Type::F32 => "f",
            Type::F64 => "lf",
            Type::U8 | Type::U16 | Type::U32 | Type::Usize => "u",
            _ => "i",
        }
    }
}

/// What a literal tells of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Literal {
    #[default]
    Any,
    Integer,
    Float,
}

/// Code that gives a type right before the loop, or nothing where devices do not have it.
#[derive(Debug, Clone)]
pub enum Given {
    /// A type that is written.
    Type(TokenStream),
    /// That of a place.
    Place(TokenStream),
    /// That of the elements of a table, of which so many axes are put one after the other.
    Elements(TokenStream, usize),
    /// That of a part of these, where they are tuples.
    Part(TokenStream, usize),
    /// An array of these, of which code gives the length.
    Array(Type, TokenStream),
}

/// Where the answer to a question comes from; other questions are named by their numbers.
#[derive(Debug, Clone)]
pub enum Source {
    Given(Given),
    /// The part of another type: a field, or `[]` for the elements.
    Part(usize, String),
    Unsigned(usize),
    Bits(usize),
    /// What a call gives.
    Result(usize),
    /// A number that a call takes or gives: the call, the argument (what it gives comes after them), and which of the numbers
    /// that this is made of.
    Number(usize, usize, usize),
    /// What an operator gives: its name, and the types of its sides.
    Operator(&'static str, Type, Type),
    /// One of its sides: its name, the type of the other side, and which side it is.
    Operand(&'static str, Type, usize),
}

/// What the text takes for granted of an answer.
#[derive(Debug, Clone)]
pub enum Taken {
    Kind(Literal),
    Type(Type),
}

/// A question of a program: what it is about, and where the answer comes from.
#[derive(Debug, Clone)]
pub struct Ask {
    pub name: String,
    pub source: Source,
    pub taken: Taken,
}

#[cfg(test)]
impl std::fmt::Display for Ask {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let source = match &self.source {
            Source::Given(_) => "given".to_owned(),
            Source::Part(of, part) => format!("`{part}` of {of}"),
            Source::Unsigned(of) => format!("{of} without a sign"),
            Source::Bits(of) => format!("the bits of {of}"),
            Source::Result(call) => format!("what call {call} gives"),
            Source::Number(call, argument, part) => format!("number {part} of argument {argument} of call {call}"),
            Source::Operator(name, left, right) => format!("{name} of {} and {}", left.name(), right.name()),
            Source::Operand(name, other, side) => format!("side {side} of {name} beside {}", other.name()),
        };
        write!(formatter, "`{}`, {source}: {:?}", crate::ir::report::shown(&self.name), self.taken)
    }
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

/// A histogram: the operator is named as `core` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bins {
    /// The author's elements: a number, or an array of them, of which each is a bin.
    pub whole: Type,
    pub element: Type,
    pub operator: &'static str,
    pub wraps: bool,
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

/// What a part of a body does with the loop's arrays, by their numbers.
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
    /// These are the parts of the accumulator's chunk in `core`: the value alone; of a user's operator, the value and whether
    /// there is one; of a best value, all its variables and whether they were set; of a scan that starts afresh, the value,
    /// whether there is one, and whether it starts afresh; of a linear recurrence, the term, the factor and whether it starts
    /// afresh. The running value of a scan is in the first of them, or in all variables of a best value.
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
    pub asks: Vec<Ask>,
    pub running: bool,
    /// Whether iterations may be put together in any order.
    pub commutative: bool,
    /// What `fa_total` and the totals of higher levels do with the arrays, and `fa_iteration`, in this order.
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
    pub asks: Vec<Ask>,
    /// Whether the body has loops.
    pub loops: bool,
}
