//! What stands for the updates of a variable in a chunk, which does not know the values before it.

use crate::ir::{Block, Expr};
use crate::plan::operator::Operator;

/// What replaces a node of the body.
#[derive(Debug, Clone)]
pub enum Rewrite {
    /// `acc += a; acc += b;`.
    Add(Vec<Expr>),
    /// The same where integers wrap around, since a part of the iterations may be out of range; also of products.
    Wrap {
        operator: Operator,
        operands: Vec<Operand>,
        /// The element of a histogram that is updated.
        place: Option<Expr>,
    },
    /// What comes to the values so far by the operator, if there are any; without an expression, `true`.
    Include(Option<Expr>),
    /// The same for each operand of a sum or a product.
    IncludeNumbers(Vec<Operand>),
    /// The same, where what cannot be compared forgets what was before.
    Follow(Expr),
    /// What was before does not count.
    Restart(Expr),
    /// A step of a linear recurrence.
    Linear(Linear),
    /// `if condition { then }`, which keeps the best value, and notes that it did.
    Best { condition: Expr, then: Block },
    /// A layer that is folded into an array as a whole.
    Layer(Expr),
    /// What is written where only the data know.
    Scatter { place: Expr, value: Expr },
    /// The value of a variable that is not looked at; where its type is written, any value.
    Unused { typed: bool },
}

impl Rewrite {
    /// Whether it takes something away.
    pub fn subtracts(&self) -> bool {
        match self {
            Rewrite::Wrap { operands, .. } | Rewrite::IncludeNumbers(operands) => operands.iter().any(|o| o.minus),
            Rewrite::Linear(Linear { factor, term }) => factor.subtracts() || term.subtracts(),
            _ => false,
        }
    }
}

/// What is added or multiplied.
#[derive(Debug, Clone)]
pub struct Operand {
    /// Whether it is subtracted.
    pub minus: bool,
    pub value: Expr,
}

/// An expression that is linear in a variable: `factor * variable + term`.
#[derive(Debug, Clone)]
pub struct Linear {
    pub factor: Amount,
    pub term: Amount,
}

impl Linear {
    pub fn variable() -> Self {
        Linear { factor: Amount::One, term: Amount::Zero }
    }

    pub fn constant(e: &Expr) -> Self {
        Linear { factor: Amount::Zero, term: Amount::Of(e.clone()) }
    }

    pub fn plus(self, other: Self) -> Self {
        Linear { factor: self.factor.plus(other.factor), term: self.term.plus(other.term) }
    }

    pub fn minus(self, other: Self) -> Self {
        Linear { factor: self.factor.minus(other.factor), term: self.term.minus(other.term) }
    }

    pub fn negative(self) -> Self {
        Linear { factor: self.factor.negative(), term: self.term.negative() }
    }

    pub fn times(self, by: &Amount) -> Self {
        Linear { factor: self.factor.times(by), term: self.term.times(by) }
    }
}

/// A number of the variable's type.
#[derive(Debug, Clone)]
pub enum Amount {
    Zero,
    One,
    Of(Expr),
    /// `1.0 / e`.
    Inverse(Expr),
    Negative(Box<Amount>),
    Sum(Box<[Amount; 2]>),
    Difference(Box<[Amount; 2]>),
    Product(Box<[Amount; 2]>),
}

impl Amount {
    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Amount::Zero, one) | (one, Amount::Zero) => one,
            (a, b) => Amount::Sum(Box::new([a, b])),
        }
    }

    fn minus(self, other: Self) -> Self {
        match (self, other) {
            (one, Amount::Zero) => one,
            (Amount::Zero, one) => one.negative(),
            (a, b) => Amount::Difference(Box::new([a, b])),
        }
    }

    fn negative(self) -> Self {
        match self {
            Amount::Zero => Amount::Zero,
            one => Amount::Negative(Box::new(one)),
        }
    }

    fn times(self, by: &Amount) -> Self {
        match self {
            Amount::Zero => Amount::Zero,
            Amount::One => by.clone(),
            one => Amount::Product(Box::new([one, by.clone()])),
        }
    }

    fn subtracts(&self) -> bool {
        match self {
            Amount::Zero | Amount::One | Amount::Of(_) | Amount::Inverse(_) => false,
            Amount::Negative(_) | Amount::Difference(_) => true,
            Amount::Sum(parts) | Amount::Product(parts) => parts.iter().any(Amount::subtracts),
        }
    }
}
