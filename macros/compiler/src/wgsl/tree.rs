//! A body with names resolved and types, between the author's expressions and WGSL.

use crate::ir::Op;
use crate::ir::report::Location;
use crate::wgsl::contract::Type;
use std::rc::Rc;

/// A type while it is inferred. References are seen through: they do not occur.
#[derive(Debug, Clone)]
pub enum Ty {
    Unknown(usize),
    Scalar(Type),
    Array(Box<Ty>, usize),
    Slice(Box<Ty>),
    /// A part of an array of the loop: the array, and the elements. Its values are pairs, where it starts and how long it is,
    /// so that parts of one array can be chosen between.
    View(Rc<Base>, Box<Ty>),
    Tuple(Vec<Ty>),
    /// Its values are pairs: whether there is a value, and the value.
    Option(Box<Ty>),
    /// Of an expression that does not come to an end.
    Never,
    /// A type that devices do not have, by its text.
    Other(String),
}

impl Ty {
    /// Less, equal or greater: -1, 0 or 1.
    pub const ORDERING: Ty = Ty::Scalar(Type::I8);
    pub const USIZE: Ty = Ty::Scalar(Type::Usize);
    pub const BOOL: Ty = Ty::Scalar(Type::Bool);

    pub fn unit() -> Ty {
        Ty::Tuple(Vec::new())
    }

    /// Where a part of an array starts, and how long it is.
    pub fn pair() -> Ty {
        Ty::Tuple(vec![Ty::USIZE, Ty::USIZE])
    }
}

/// A variable of the body, by number.
pub type Var = usize;

/// The targets of `break` and `continue`, by number.
pub type Target = usize;

/// The annotated loop itself: `continue` ends the iteration.
pub const ITERATION: Target = 0;

/// A variable of the body.
#[derive(Debug, Clone)]
pub struct Variable {
    pub name: String,
    pub ty: Ty,
    pub mutable: bool,
}

#[derive(Debug, Clone)]
pub struct Node {
    pub kind: NodeKind,
    pub ty: Ty,
    pub at: Location,
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

/// A component of what is held of an accumulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Component {
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
pub enum NodeKind {
    Unit,
    Bool(bool),
    /// An integer, or a float that is written as one.
    Integer(u128),
    Float(String),
    /// The identity of addition, of subtraction, and of multiplication.
    Zero,
    PlainZero,
    One,
    /// All bits zero, of any type.
    Default,
    /// The same where it does not matter what there is.
    Nothing,
    Variable(Var),
    State(usize, Component),
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
    /// An index that the expansion computes too. It must be below a length, which may be proved before the loop.
    Proved(Box<Node>, Box<Node>),
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
    /// The construct that a value can leave.
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
            NodeKind::Unit
            | NodeKind::Bool(_)
            | NodeKind::Integer(_)
            | NodeKind::Float(_)
            | NodeKind::Zero
            | NodeKind::PlainZero
            | NodeKind::One
            | NodeKind::Default
            | NodeKind::Nothing
            | NodeKind::Variable(_)
            | NodeKind::State(..)
            | NodeKind::Value(_)
            | NodeKind::Length(_)
            | NodeKind::Continue(_)
            | NodeKind::Raise(_) => {}
            NodeKind::Load(_, a)
            | NodeKind::Member(a, _)
            | NodeKind::Field(a, _)
            | NodeKind::Not(a)
            | NodeKind::Negative(a)
            | NodeKind::Rounded(a)
            | NodeKind::Cast(a)
            | NodeKind::FromBits(a)
            | NodeKind::Repeat(a, _)
            | NodeKind::Labeled(_, a)
            | NodeKind::Loop(_, a)
            | NodeKind::Break(_, a)
            | NodeKind::Push(_, a) => visit(a),
            NodeKind::Element(a, b)
            | NodeKind::Within(a, b)
            | NodeKind::Proved(a, b)
            | NodeKind::Binary(_, a, b)
            | NodeKind::Operator(_, _, a, b)
            | NodeKind::Total(_, a, b)
            | NodeKind::Step(_, a, b)
            | NodeKind::Distance(a, b)
            | NodeKind::Steps(a, b)
            | NodeKind::While(_, a, b)
            | NodeKind::Assign(a, _, b)
            | NodeKind::Change(_, _, a, b)
            | NodeKind::Bin(_, a, b) => {
                visit(a);
                visit(b);
            }
            NodeKind::If(a, b, c) => {
                visit(a);
                visit(b);
                visit(c);
            }
            NodeKind::Method(_, nodes) | NodeKind::Tuple(nodes) | NodeKind::Array(nodes) | NodeKind::Call(_, nodes) => {
                nodes.iter_mut().for_each(visit);
            }
            NodeKind::Struct(fields, rest) => {
                fields.iter_mut().for_each(|(_, node)| visit(node));
                rest.iter_mut().for_each(|node| visit(node));
            }
            NodeKind::Block(statements, value) => {
                statements.iter_mut().for_each(|statement| statement.below(visit));
                visit(value);
            }
            NodeKind::Count(count) => {
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

/// A part of an array.
#[derive(Debug, Clone)]
pub struct View {
    pub base: Base,
    pub element: Ty,
    /// The first element and how many there are; nothing for all of them.
    pub part: Option<(Node, Node)>,
    /// The lengths of the axes of an array of `ndarray`, whose elements are in row-major order.
    pub shape: Option<Vec<Node>>,
}

#[derive(Debug, Clone)]
pub enum Base {
    Array(Array),
    /// An array that the iteration holds, and its length.
    Local(Box<Node>, usize),
}

impl Base {
    /// Whether both are the same array.
    pub fn is(&self, other: &Base) -> bool {
        match (self, other) {
            (Base::Array(a), Base::Array(b)) => a == b,
            (Base::Local(a, _), Base::Local(b, _)) => is_place(a, b),
            _ => false,
        }
    }
}

/// Whether both are the same place, whose indices are held.
pub fn is_place(a: &Node, b: &Node) -> bool {
    match (&a.kind, &b.kind) {
        (NodeKind::Variable(a), NodeKind::Variable(b)) => a == b,
        (NodeKind::Integer(a), NodeKind::Integer(b)) => a == b,
        (NodeKind::Member(a, k), NodeKind::Member(b, l)) => k == l && is_place(a, b),
        (NodeKind::Field(a, k), NodeKind::Field(b, l)) => k == l && is_place(a, b),
        (NodeKind::Element(a, i), NodeKind::Element(b, j)) => is_place(a, b) && is_place(i, j),
        _ => false,
    }
}

/// Both ends of a range, held.
#[derive(Debug, Clone)]
pub struct Range {
    pub from: Node,
    pub to: Node,
    pub inclusive: bool,
}

/// The value that a pattern is bound to.
#[derive(Debug, Clone)]
pub enum Item {
    Value(Node),
    Place(Node),
    View(View),
    Range(Range),
    Tuple(Vec<Item>),
}

/// How chunks of an accumulator merge: two variables, and what both come to.
pub struct Merge {
    pub earlier: Var,
    pub later: Var,
    pub both: Node,
}

/// The loop's parts as nodes.
#[derive(Default)]
pub struct LoopBody {
    pub position: Var,
    pub iteration: Vec<Statement>,
    /// The totals of each level of scan states.
    pub totals: Vec<Vec<Statement>>,
    /// For each accumulator that has an operator.
    pub merges: Vec<Option<Merge>>,
    /// The types of the variables of each accumulator.
    pub held: Vec<Vec<Ty>>,
}

/// Why a loop, or a part of one, is not translated, and what to change.
#[derive(Debug, Clone)]
pub struct Obstacle {
    pub place: Location,
    pub what: String,
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} (line {})", self.what, self.place.line())
    }
}

/// All that is in the way, each once.
#[derive(Debug, Default)]
pub struct Obstacles(Vec<Obstacle>);

impl Obstacles {
    pub fn add(&mut self, place: Location, what: impl Into<String>) {
        let what = what.into();
        if !self.0.iter().any(|known| known.what == what) {
            self.0.push(Obstacle { place, what });
        }
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets those after so many.
    pub fn truncate(&mut self, length: usize) {
        self.0.truncate(length);
    }

    /// The obstacle, if there is one.
    pub fn refuse(&mut self) -> Result<(), Vec<Obstacle>> {
        if self.0.is_empty() { Ok(()) } else { Err(std::mem::take(&mut self.0)) }
    }
}
