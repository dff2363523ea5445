//! Questions that an iteration asks, and their answers.

use crate::ir::{Expr, Op};
use std::collections::BTreeMap;

/// A question about the values of an iteration.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// Whether a variable that is an option holds a value, or the value of one that is a `bool`.
    Held(usize),
    /// Whether a variable has another value than those that say that there is none: see [`Absent`].
    Present,
    /// How the new key compares with the one before: an [`Order`].
    Order,
    /// The same of a second key.
    Tie,
    /// A condition on values of the iteration alone.
    Test(String),
}

/// A condition on a part of a variable: `at == usize::MAX`.
#[derive(Debug, Clone)]
pub struct Absent {
    pub member: usize,
    pub path: Vec<String>,
    pub sign: Sign,
}

/// The sign by which a part of a variable says that there is no value.
#[derive(Debug, Clone)]
pub enum Sign {
    /// It compares so with a value that no iteration changes.
    Compares(Op, Box<Expr>),
    /// It is no number.
    IsNan,
}

impl PartialEq for Absent {
    fn eq(&self, other: &Absent) -> bool {
        let same = match (&self.sign, &other.sign) {
            (Sign::Compares(op, with), Sign::Compares(other, value)) => op == other && with.is_written_as(value),
            (Sign::IsNan, Sign::IsNan) => true,
            _ => false,
        };
        self.member == other.member && self.path == other.path && same
    }
}

/// Answers to questions, by their numbers.
pub type Answers = BTreeMap<Question, u8>;

/// How a new key compares with the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    Less,
    Equal,
    Greater,
    /// As NaN with all numbers.
    Unordered,
}

impl Order {
    pub const ALL: [Order; 4] = [Order::Less, Order::Equal, Order::Greater, Order::Unordered];

    pub fn reversed(self) -> Order {
        match self {
            Order::Less => Order::Greater,
            Order::Greater => Order::Less,
            same => same,
        }
    }

    pub fn satisfies(self, op: Op) -> bool {
        match op {
            Op::Lt => self == Order::Less,
            Op::Le => matches!(self, Order::Less | Order::Equal),
            Op::Gt => self == Order::Greater,
            Op::Ge => matches!(self, Order::Greater | Order::Equal),
            Op::Eq => self == Order::Equal,
            _ => self != Order::Equal,
        }
    }
}

/// The key by which values are compared: the part of a variable, and the method that compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    pub member: usize,
    pub path: Vec<String>,
    /// `cmp`, `partial_cmp`, `total_cmp`; no method for operators.
    pub by: Option<&'static str>,
}
