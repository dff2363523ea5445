//! The transfer functions of variables that are computed from each other.

use crate::ir::{Expr, Op};
use proc_macro2::TokenStream;

/// A value as a function of rows: the variables of a system, and the variables of the body that are computed from them.
#[derive(Debug, Clone)]
pub enum Transfer {
    Row(usize),
    /// A value of the iteration.
    Constant(Expr),
    /// A value that no semiring composes.
    Unknown,
    Sum(Box<[Transfer; 2]>),
    Difference(Box<[Transfer; 2]>),
    /// `wrapping_add` and `wrapping_sub`.
    Wrapping(Op, Box<[Transfer; 2]>),
    /// The sum, or the difference if it is `true`, within the bounds of the type.
    Saturating(Box<Transfer>, bool, Expr),
    Scaled(Box<Transfer>, Expr),
    Divided(Box<Transfer>, Expr),
    Negative(Box<Transfer>),
    Greater(Box<[Transfer; 2]>),
    Lesser(Box<[Transfer; 2]>),
    Between(Box<Transfer>, Box<[Expr; 2]>),
    /// One of two values, by a condition of the iteration.
    Choose(Expr, Box<[Transfer; 2]>),
}

impl Transfer {
    /// Its parts.
    pub fn parts(&self) -> &[Transfer] {
        match self {
            Transfer::Row(_) | Transfer::Constant(_) | Transfer::Unknown => &[],
            Transfer::Sum(parts)
            | Transfer::Difference(parts)
            | Transfer::Wrapping(_, parts)
            | Transfer::Greater(parts)
            | Transfer::Lesser(parts)
            | Transfer::Choose(_, parts) => &**parts,
            Transfer::Saturating(part, ..)
            | Transfer::Scaled(part, _)
            | Transfer::Divided(part, _)
            | Transfer::Negative(part)
            | Transfer::Between(part, ..) => std::slice::from_ref(part),
        }
    }

    /// Whether this holds for it and for all its parts.
    pub fn all(&self, holds: &dyn Fn(&Transfer) -> bool) -> bool {
        holds(self) && self.parts().iter().all(|part| part.all(holds))
    }

    /// Visits the rows in it.
    pub fn rows(&self, visit: &mut dyn FnMut(usize)) {
        if let Transfer::Row(row) = self {
            visit(*row);
        }
        self.parts().iter().for_each(|part| part.rows(visit));
    }

    /// The values of the iteration in it.
    pub fn values<'t>(&'t self, visit: &mut dyn FnMut(&'t Expr)) {
        match self {
            Transfer::Constant(e)
            | Transfer::Saturating(_, _, e)
            | Transfer::Scaled(_, e)
            | Transfer::Divided(_, e)
            | Transfer::Choose(e, _) => visit(e),
            Transfer::Between(_, bounds) => bounds.iter().for_each(&mut *visit),
            _ => {}
        }
        self.parts().iter().for_each(|part| part.values(visit));
    }

    /// The same with other numbers of rows.
    pub fn renumbered(&mut self, number: &dyn Fn(usize) -> usize) {
        match self {
            Transfer::Row(row) => *row = number(*row),
            Transfer::Constant(_) | Transfer::Unknown => {}
            Transfer::Sum(parts)
            | Transfer::Difference(parts)
            | Transfer::Wrapping(_, parts)
            | Transfer::Greater(parts)
            | Transfer::Lesser(parts)
            | Transfer::Choose(_, parts) => parts.iter_mut().for_each(|part| part.renumbered(number)),
            Transfer::Saturating(part, ..)
            | Transfer::Scaled(part, _)
            | Transfer::Divided(part, _)
            | Transfer::Negative(part)
            | Transfer::Between(part, ..) => part.renumbered(number),
        }
    }
}

/// Equal text is an equal value.
impl PartialEq for Transfer {
    fn eq(&self, other: &Self) -> bool {
        let expressions = match (self, other) {
            (Transfer::Row(one), Transfer::Row(two)) => one == two,
            (Transfer::Constant(one), Transfer::Constant(two)) => one.is_written_as(two),
            (Transfer::Sum(_), Transfer::Sum(_)) | (Transfer::Difference(_), Transfer::Difference(_)) => true,
            (Transfer::Negative(_), Transfer::Negative(_)) => true,
            (Transfer::Greater(_), Transfer::Greater(_)) | (Transfer::Lesser(_), Transfer::Lesser(_)) => true,
            (Transfer::Scaled(_, one), Transfer::Scaled(_, two))
            | (Transfer::Divided(_, one), Transfer::Divided(_, two)) => one.is_written_as(two),
            _ => false,
        };
        expressions && self.parts() == other.parts()
    }
}

/// The new values of some rows.
#[derive(Debug, Clone)]
pub struct Assignments {
    /// All values are computed before the first is assigned.
    pub rows: Vec<(usize, Transfer)>,
    /// Whether this is the first statement of an iteration that assigns rows.
    pub first: bool,
}

/// The operations by which the transfer functions of a system compose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Semiring {
    /// Sums and products; `fixed` if the factors are the same in all iterations.
    Linear { fixed: bool },
    /// Sums and maxima.
    Max,
    /// Sums and minima.
    Min,
    /// Sums and bounds, of one variable.
    Clamp,
}

/// The values that the variables of a finite-state machine may take.
#[derive(Debug, Clone)]
pub enum States {
    /// For each variable the values that the body assigns.
    Values(Vec<Values>),
    /// Of one variable, the value before the loop, these constants, and the elements of tables.
    Table { constants: Vec<TokenStream>, elements: Vec<TokenStream> },
    /// One variable whose bits each depend on themselves only.
    Bits,
}

impl Semiring {
    /// Its name, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Semiring::Linear { .. } => "system of linear recurrences",
            Semiring::Max => "recurrence of `+` and `max`",
            Semiring::Min => "recurrence of `+` and `min`",
            Semiring::Clamp => "recurrence of `+` within bounds",
        }
    }
}

/// The values of one variable of a finite-state machine.
#[derive(Debug, Clone)]
pub struct Values {
    pub assigned: Vec<TokenStream>,
    /// Whether the value before the loop may be another one.
    pub others_before: bool,
}
