//! Queries for types that are known only at run time.

use crate::types::{Literal, Type};

/// A query for the type of a value. `S` is the type of names. `G` is the code that gives an answer; the runtime has the answer instead.
#[derive(Debug, Clone, Copy)]
pub struct Query<S = &'static str, G = ()> {
    /// The name of the value in messages.
    pub name: S,
    /// The source of the answer.
    pub source: Source<S, G>,
    /// The compiler's assumption about the type.
    pub taken: Taken,
}

/// The source of an answer. It refers to other queries by their numbers.
#[derive(Debug, Clone, Copy)]
pub enum Source<S = &'static str, G = ()> {
    /// The expansion gives it, in the order of the queries.
    Given(G),
    /// A part of the type of an earlier query: a field, or `[]` for the elements of an array.
    Part(usize, S),
    /// The unsigned type of the same width as the type of an earlier query.
    Unsigned(usize),
    /// The type of the bits of the type of an earlier query.
    Bits(usize),
    /// The result of a call, by its number.
    Result(usize),
    /// A scalar of an argument or of the result of a call: the number of the call, of the argument (the result comes after the arguments),
    /// and of the scalar in it.
    Number(usize, usize, usize),
    /// The result of an operator: its name, and the types of its operands. The result of an assigning operator is its left operand.
    Operator(&'static str, Type, Type),
    /// A literal operand: the name of the operator, the type of the other operand, and the literal's position, 0 or 1.
    Operand(&'static str, Type, usize),
}

/// An assumption about a type.
#[derive(Debug, Clone, Copy)]
pub enum Taken {
    /// It has the kind of this literal.
    Kind(Literal),
    /// It is this type, or the type of an earlier query.
    Type(Type),
}
