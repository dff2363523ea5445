//! The description of a type that inference does not know, or did not know at first.

use crate::ir::Op;
use crate::ir::report::Location;
use crate::maps::{HashMap, HashSet};
use crate::wgsl::contract::{Given, Literal, Query};
use crate::wgsl::tree::Ty;
use proc_macro2::TokenStream;

/// A type that follows from another, once that is known.
#[derive(Debug)]
pub enum Follows {
    /// The unsigned type of the same width.
    Unsigned,
    /// The type of the bits of a float.
    Bits,
    /// The type with a sign of the same width.
    Signed,
}

/// Where the type of an unknown comes from, if nothing tells it.
#[derive(Debug, Clone)]
pub enum Origin {
    /// It is written.
    Written(TokenStream),
    /// It is that of what is handed to the device, and compared then.
    Captured(Given),
    /// An array of these, whose length is code.
    Lengthened(Ty, TokenStream),
    /// The part of another unknown: a field, or `[]` for the elements.
    Part(usize, String),
    Unsigned(usize),
    Bits(usize),
    /// The result of a call, by the number of the call; for a method, with its type.
    Result(usize, Option<Ty>),
    /// A number that a call takes or returns: the call, the type of a method, the argument, and which of its numbers.
    /// Results come after the arguments.
    Number(usize, Option<Ty>, usize, usize),
    /// The result of an operator, by its number.
    Operator(usize),
    /// One of its sides: a literal whose type only the other side shows.
    Operand(usize, usize),
}

/// A type that is not known, or was not at first.
#[derive(Debug, Default)]
pub struct Unknown {
    pub is: Option<Ty>,
    pub literal: Literal,
    /// Its name, and the source of its type if nothing else shows it.
    pub sources: Vec<(String, Origin)>,
    /// The types of its parts.
    pub parts: Vec<(String, Ty)>,
}

/// The queries so far.
#[derive(Debug, Default)]
pub struct Queries {
    pub all: Vec<Query>,
    /// The query about each unknown, if there can be one.
    pub numbers: HashMap<usize, Option<usize>>,
    /// The sources that have a query: the unknown, and the number of its source.
    pub queried: HashSet<(usize, usize)>,
    /// The query about each operator.
    pub operators: HashMap<usize, usize>,
}

/// An operator between values that may be structs.
#[derive(Debug)]
pub struct OpenOperator {
    pub op: Op,
    /// `+=` and its kin: the result is the new left side.
    pub assigns: bool,
    pub left: Ty,
    pub right: Ty,
    /// The number of the unknown that is its result.
    pub result: usize,
    /// Both sides and the result have one type.
    pub plain: bool,
    /// Where it stands, if what does not fit there is said.
    pub at: Option<Location>,
}

impl OpenOperator {
    /// The name of its method.
    pub fn name(&self) -> &'static str {
        match (self.op, self.assigns) {
            (Op::Add, false) => "add",
            (Op::Sub, false) => "sub",
            (Op::Mul, false) => "mul",
            (_, false) => "div",
            (Op::Add, true) => "add_assign",
            (Op::Sub, true) => "sub_assign",
            (Op::Mul, true) => "mul_assign",
            (_, true) => "div_assign",
        }
    }

    pub fn sides(&self) -> [&Ty; 2] {
        [&self.left, &self.right]
    }

    pub fn result(&self) -> usize {
        self.result
    }

    pub fn is_plain(&self) -> bool {
        self.plain
    }
}
