//! A body with names resolved and types, between the author's expressions and WGSL.

use super::types::Ty;
use crate::ir::Op;
use crate::ir::report::Place;

/// A variable of the body, by number.
pub type Var = usize;

/// What `break` and `continue` lead to, by number.
pub type Target = usize;

/// The annotated loop itself: `continue` ends the iteration.
pub const ITERATION: Target = 0;

#[derive(Debug, Clone)]
pub struct Node {
    pub kind: Kind,
    pub ty: Ty,
    pub at: Place,
}

/// An array outside of the iteration, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Array {
    Slot(usize),
    Table(usize),
    /// A histogram: its elements are not read.
    Bins(usize),
    /// The array that a function is given a part of.
    Given(usize),
}

/// A part of what is held of an accumulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// One of its variables.
    Variable(usize),
    /// Whether there is a value yet.
    Some,
    /// Whether an iteration has set it.
    Hit,
    /// Whether what came before does not matter.
    Reset,
    /// The factor of a linear recurrence, whose term is the variable.
    Factor,
}

/// An operator of accumulated numbers: integers wrap around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Total {
    Plus,
    Minus,
    Times,
}

#[derive(Debug, Clone)]
pub enum Kind {
    Unit,
    Bool(bool),
    /// An integer, or a float that is written as one.
    Integer(u128),
    Float(String),
    /// What changes nothing when it is added; what does so when it is subtracted; and when it is a factor.
    Zero,
    PlainZero,
    One,
    /// All bits zero, of any type.
    Default,
    /// The same where it does not matter what there is.
    Nothing,
    Variable(Var),
    State(usize, Part),
    Value(usize),
    Length(Array),
    Load(Array, Box<Node>),
    /// An element of an array that the iteration holds.
    Element(Box<Node>, Box<Node>),
    Member(Box<Node>, usize),
    /// A field of a struct, or what is seen to be a part of a tuple later.
    Field(Box<Node>, String),
    /// The fields of a struct, and what has the others.
    Struct(Vec<(String, Node)>, Option<Box<Node>>),
    /// An index that must be below a length.
    Within(Box<Node>, Box<Node>),
    Not(Box<Node>),
    Negative(Box<Node>),
    Binary(Op, Box<Node>, Box<Node>),
    /// The same between what may be structs: see `operators`.
    Operator(usize, Op, Box<Node>, Box<Node>),
    Total(Total, Box<Node>, Box<Node>),
    /// A step of a sum or a product of an iterator, which `f16` rounds at the end alone; and the end.
    Step(Op, Box<Node>, Box<Node>),
    Rounded(Box<Node>),
    Cast(Box<Node>),
    /// `fa_NAME_TYPE`, with the type of the first argument.
    Method(String, Vec<Node>),
    FromBits(Box<Node>),
    Tuple(Vec<Node>),
    Array(Vec<Node>),
    /// So many times the same value; 0 where the length is asked for.
    Repeat(Box<Node>, usize),
    /// How many values there are from one to another, which is not included; how many steps of a width there are.
    Distance(Box<Node>, Box<Node>),
    Steps(Box<Node>, Box<Node>),
    Block(Vec<Statement>, Box<Node>),
    /// What can be left with a value.
    Labeled(Target, Box<Node>),
    If(Box<Node>, Box<Node>, Box<Node>),
    Loop(Target, Box<Node>),
    While(Target, Box<Node>, Box<Node>),
    Count(Box<Count>),
    Break(Target, Box<Node>),
    Continue(Target),
    Assign(Box<Node>, Option<Op>, Box<Node>),
    /// The same by an operator between what may be structs.
    Change(usize, Op, Box<Node>, Box<Node>),
    Push(usize, Box<Node>),
    /// Puts a value into a bin of a histogram.
    Bin(usize, Box<Node>, Box<Node>),
    /// A function that is not seen.
    Call(usize, Vec<Node>),
    Raise(u32),
}

/// A loop over the values of a range.
#[derive(Debug, Clone)]
pub struct Count {
    pub target: Target,
    pub variable: Var,
    pub from: Node,
    pub to: Node,
    pub inclusive: bool,
    pub down: bool,
    pub body: Node,
}

#[derive(Debug, Clone)]
pub enum Statement {
    Let(Var, Option<Node>),
    Do(Node),
}

impl Node {
    pub fn boxed(self) -> Box<Node> {
        Box::new(self)
    }

    /// Visits the nodes right below this one.
    pub fn below(&mut self, visit: &mut dyn FnMut(&mut Node)) {
        match &mut self.kind {
            Kind::Unit
            | Kind::Bool(_)
            | Kind::Integer(_)
            | Kind::Float(_)
            | Kind::Zero
            | Kind::PlainZero
            | Kind::One
            | Kind::Default
            | Kind::Nothing
            | Kind::Variable(_)
            | Kind::State(..)
            | Kind::Value(_)
            | Kind::Length(_)
            | Kind::Continue(_)
            | Kind::Raise(_) => {}
            Kind::Load(_, a)
            | Kind::Member(a, _)
            | Kind::Field(a, _)
            | Kind::Not(a)
            | Kind::Negative(a)
            | Kind::Rounded(a)
            | Kind::Cast(a)
            | Kind::FromBits(a)
            | Kind::Repeat(a, _)
            | Kind::Labeled(_, a)
            | Kind::Loop(_, a)
            | Kind::Break(_, a)
            | Kind::Push(_, a) => visit(a),
            Kind::Element(a, b)
            | Kind::Within(a, b)
            | Kind::Binary(_, a, b)
            | Kind::Operator(_, _, a, b)
            | Kind::Total(_, a, b)
            | Kind::Step(_, a, b)
            | Kind::Distance(a, b)
            | Kind::Steps(a, b)
            | Kind::While(_, a, b)
            | Kind::Assign(a, _, b)
            | Kind::Change(_, _, a, b)
            | Kind::Bin(_, a, b) => {
                visit(a);
                visit(b);
            }
            Kind::If(a, b, c) => {
                visit(a);
                visit(b);
                visit(c);
            }
            Kind::Method(_, nodes) | Kind::Tuple(nodes) | Kind::Array(nodes) | Kind::Call(_, nodes) => {
                nodes.iter_mut().for_each(visit);
            }
            Kind::Struct(fields, rest) => {
                fields.iter_mut().for_each(|(_, node)| visit(node));
                rest.iter_mut().for_each(|node| visit(node));
            }
            Kind::Block(statements, value) => {
                statements.iter_mut().for_each(|statement| statement.below(visit));
                visit(value);
            }
            Kind::Count(count) => {
                visit(&mut count.from);
                visit(&mut count.to);
                visit(&mut count.body);
            }
        }
    }
}

impl Statement {
    /// Visits the node right below this one.
    pub fn below(&mut self, visit: &mut dyn FnMut(&mut Node)) {
        match self {
            Statement::Let(_, node) => node.iter_mut().for_each(visit),
            Statement::Do(node) => visit(node),
        }
    }
}
