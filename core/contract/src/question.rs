//! What a text leaves open: types that are known when the program runs.

use crate::types::{Literal, Type};

/// A question: what is the type of something? `S` is how names are held, and `G` the code that gives an answer, where there is any yet.
#[derive(Debug, Clone, Copy)]
pub struct Ask<S = &'static str, G = ()> {
    /// What is of that type, for messages.
    pub name: S,
    /// Where the answer comes from.
    pub source: Source<S, G>,
    /// What the text takes for granted.
    pub taken: Taken,
}

/// Where the answer comes from. Other questions are named by their numbers.
#[derive(Debug, Clone, Copy)]
pub enum Source<S = &'static str, G = ()> {
    /// It is told beside the text, in the order of the questions.
    Given(G),
    /// The part of the type of an earlier question: a field, or `[]` for the elements of an array.
    Part(usize, S),
    /// The unsigned type as wide as that of an earlier question.
    Unsigned(usize),
    /// The type of the bits of an earlier question.
    Bits(usize),
    /// What a call gives, by its number.
    Result(usize),
    /// A number that a call takes or gives: the call, the argument (what it gives comes after them), and which of the numbers
    /// that this is made of.
    Number(usize, usize, usize),
    /// What an operator gives: its name, and the types of its sides. An assigning one gives its left side.
    Operator(&'static str, Type, Type),
    /// One side of an operator, the first or the second, which is a literal: the name, and the type of the other side.
    Operand(&'static str, Type, usize),
}

/// What a text takes for granted of a type.
#[derive(Debug, Clone, Copy)]
pub enum Taken {
    /// As much as a literal tells.
    Kind(Literal),
    /// This type. It may be that of an earlier question.
    Type(Type),
}
