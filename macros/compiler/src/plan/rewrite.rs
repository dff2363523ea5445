//! Replacements of a variable's updates in a chunk that does not know the earlier values.

use crate::ir::Expr;
use crate::plan::operator::Operator;
use crate::plan::transfer::Assignments;

/// The replacement of a node of the body.
#[derive(Debug, Clone)]
pub enum Rewrite {
    /// `acc += a; acc += b;`.
    Add(Vec<Expr>),
    /// Sums or products with wrapping integers, because a part of the iterations may be out of range.
    Wrap {
        operator: Operator,
        operands: Vec<Operand>,
        /// The updated element of a histogram.
        place: Option<Expr>,
    },
    /// Applies the operator to the value so far, if there is one, and this expression; without an expression, `true`.
    Include(Option<Expr>),
    /// `Include` for each operand of a sum or a product.
    IncludeNumbers(Vec<Operand>),
    /// `Include`, but a value that cannot be compared replaces the earlier values.
    Follow(Expr),
    /// Replaces the earlier values.
    Restart(Expr),
    /// A step of a linear recurrence.
    Linear(Linear),
    /// New values of the rows of a system; its value, if it is the value of a declaration, and whether that has a type.
    Assignments { rows: Assignments, declares: Option<bool> },
    /// An assignment that takes a new best value, or the value that it takes.
    Take(Expr),
    /// A layer that the loop folds into an array as a whole.
    Layer(Expr),
    /// A write at an index that depends on data.
    Scatter { place: Expr, value: Expr },
    /// An update of the element at an index by the function of all updates.
    Repeat(Expr),
    /// The value of a variable that the loop does not read; any value, if its type is written.
    Unused { typed: bool },
}

impl Rewrite {
    /// Whether the update subtracts a value.
    pub fn subtracts(&self) -> bool {
        match self {
            Rewrite::Wrap { operands, .. } | Rewrite::IncludeNumbers(operands) => operands.iter().any(|o| o.minus),
            Rewrite::Linear(Linear { factor, term }) => factor.subtracts() || term.subtracts(),
            _ => false,
        }
    }
}

/// A term of a sum, or a factor of a product.
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
