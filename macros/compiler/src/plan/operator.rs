//! Operators: how an update changes a variable, and how two values of the variable merge.

use crate::ir::text::shown;
use crate::ir::{Expr, Op};
use proc_macro2::TokenStream;

/// An associative operator that forall knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operator {
    Add,
    Mul,
    Xor,
    /// `&`, `|`, `&&` or `||`: idempotent operators, `x op x = x`.
    Logical(Op),
    Max,
    Min,
    /// A comparison that keeps the better value: `if e > acc { acc = e }`, as `new op old`.
    Keep(Op),
    /// The comparison with the other branch, `if acc op e {} else { acc = e }`, as `old op new`: a value that cannot be
    /// compared replaces the accumulator as well, and the earlier values are lost.
    Follow(Op),
    /// Methods with wrapping arithmetic: associative, but different from the plain operators.
    WrappingAdd,
    WrappingMul,
    /// Methods with saturating arithmetic: associative for unsigned numbers.
    SaturatingAdd,
    SaturatingMul,
    /// `max` or `min` of the values in two options, if there are two.
    InOption(Box<Operator>),
    /// The user's function.
    Combine,
    /// One function of the element, in each update.
    Repeated(Box<Update>),
}

/// Code that updates an element, `*__element`, by values that are the same in all iterations. Equal text is an equal function.
#[derive(Debug, Clone)]
pub struct Update {
    pub code: TokenStream,
    text: String,
    /// Whether it may panic in a build without overflow checks.
    pub may_panic: bool,
}

impl Update {
    pub fn new(code: TokenStream, may_panic: bool) -> Update {
        Update { text: code.to_string(), code, may_panic }
    }
}

impl PartialEq for Update {
    fn eq(&self, other: &Update) -> bool {
        self.text == other.text
    }
}

impl Eq for Update {}

impl Operator {
    pub fn of(op: Op) -> Option<Operator> {
        Some(match op {
            Op::Add | Op::Sub => Operator::Add,
            Op::Mul => Operator::Mul,
            Op::Xor => Operator::Xor,
            Op::And | Op::Or | Op::AndAnd | Op::OrOr => Operator::Logical(op),
            _ => return None,
        })
    }

    /// The operator of a method or of a function with two arguments, by its name.
    pub fn named(name: &str) -> Option<Operator> {
        Some(match name {
            "max" => Operator::Max,
            "min" => Operator::Min,
            "wrapping_add" => Operator::WrappingAdd,
            "wrapping_mul" => Operator::WrappingMul,
            "saturating_add" => Operator::SaturatingAdd,
            "saturating_mul" => Operator::SaturatingMul,
            _ => return None,
        })
    }

    /// Whether it is an addition of any kind: zero is then the identity.
    pub fn adds(&self) -> bool {
        matches!(self, Operator::Add | Operator::WrappingAdd | Operator::SaturatingAdd)
    }

    /// Whether it is a multiplication of any kind: one is then the identity.
    pub fn multiplies(&self) -> bool {
        matches!(self, Operator::Mul | Operator::WrappingMul | Operator::SaturatingMul)
    }

    /// Whether it keeps one of two values by a comparison.
    pub fn compares(&self) -> bool {
        matches!(self, Operator::Max | Operator::Min | Operator::Keep(_) | Operator::Follow(_))
    }

    /// Whether it saturates at the largest number.
    pub fn saturates(&self) -> bool {
        matches!(self, Operator::SaturatingAdd | Operator::SaturatingMul)
    }

    pub fn text(&self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Mul => "*",
            Operator::Xor => "^",
            Operator::Logical(op) => op.text(),
            Operator::Max | Operator::Keep(Op::Gt | Op::Ge) | Operator::Follow(Op::Gt | Op::Ge) => "max",
            Operator::Min | Operator::Keep(_) | Operator::Follow(_) => "min",
            Operator::WrappingAdd => "wrapping_add",
            Operator::WrappingMul => "wrapping_mul",
            Operator::SaturatingAdd => "saturating_add",
            Operator::SaturatingMul => "saturating_mul",
            Operator::InOption(inner) => inner.text(),
            Operator::Combine => "combine",
            Operator::Repeated(_) => "one function",
        }
    }
}

/// How an earlier and a later value of a variable merge.
#[derive(Debug, Clone)]
pub enum Merge {
    By(Operator),
    /// By the function that the user wrote as an operator: in `acc = f64::min(acc, e)` the function may be the only
    /// hint at the type.
    Written(Operator, Expr),
    /// By the function of `combine = path`.
    Combine(TokenStream),
    /// The later value replaces the earlier one.
    Last,
}

impl Merge {
    /// The merge of an operator; `combine` is the user's function.
    pub fn of(operator: &Operator, combine: Option<&TokenStream>) -> Merge {
        match (operator, combine) {
            (Operator::Combine, Some(path)) => Merge::Combine(path.clone()),
            _ => Merge::By(operator.clone()),
        }
    }

    /// Whether the function of this path merges the values.
    pub fn is_by(&self, path: &TokenStream) -> bool {
        match self {
            Merge::By(operator) => path.to_string() == operator.text(),
            Merge::Written(_, function) => function.is_code(&path.to_string()),
            Merge::Combine(function) => function.to_string() == path.to_string(),
            Merge::Last => false,
        }
    }

    /// Its name, for messages.
    pub fn text(&self) -> String {
        match self {
            Merge::By(operator) | Merge::Written(operator, _) => operator.text().to_owned(),
            Merge::Combine(path) => shown(&path.to_string()),
            Merge::Last => "the last value".to_owned(),
        }
    }
}
