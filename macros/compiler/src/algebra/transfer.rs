//! Expressions as functions of the variables before a chunk.

use super::tracked::Tracked;
use crate::ir::{Block, Expr, Kind, Local, Op, StatementKind};
use crate::plan::{Operator, Transfer};

impl Tracked<'_> {
    /// The row of a state or of a variable that is computed from states.
    pub fn row(&self, e: &Expr) -> Option<usize> {
        let state = self.states.iter().position(|state| e.is(state));
        let local = || self.locals.iter().position(|local| e.name() == Some(*local));
        state.or_else(|| Some(self.states.len() + local()?))
    }

    /// An expression as a function of the rows.
    pub fn transfer(&self, e: &Expr) -> Option<Transfer> {
        let e = e.bare();
        if let Some(row) = self.row(e) {
            return Some(Transfer::Row(row));
        }
        if !self.occurs_in(e) {
            return may_be_number(e).then(|| Transfer::Constant(e.clone()));
        }
        match &e.kind {
            Kind::Binary(op, a, b) => self.operation(*op, self.transfer(a)?, self.transfer(b)?),
            Kind::Unary('-', inner) => Some(Transfer::Negative(Box::new(self.transfer(inner)?))),
            Kind::Method(receiver, name, arguments, _) => self.method(receiver, name, arguments),
            Kind::Call(function, arguments) => self.call(function, arguments),
            Kind::If(condition, then, Some(otherwise)) => {
                let (then, otherwise) = (self.transfer(last_of(then)?)?, self.transfer(otherwise)?);
                self.choice(condition, then, otherwise)
            }
            _ => None,
        }
    }

    /// The value of `place op= value`, or of `place = value`.
    pub fn assigned(&self, place: &Expr, op: Option<Op>, value: &Expr) -> Option<Transfer> {
        let value = self.transfer(value)?;
        match op {
            None => Some(value),
            Some(op) => self.operation(op, Transfer::Row(self.row(place)?), value),
        }
    }

    fn operation(&self, op: Op, a: Transfer, b: Transfer) -> Option<Transfer> {
        match (op, a, b) {
            (Op::Add, a, b) => Some(Transfer::Sum(Box::new([a, b]))),
            (Op::Sub, a, b) => Some(Transfer::Difference(Box::new([a, b]))),
            (Op::Mul, a, Transfer::Constant(factor)) | (Op::Mul, Transfer::Constant(factor), a) => {
                Some(Transfer::Scaled(Box::new(a), factor))
            }
            (Op::Div, a, Transfer::Constant(divisor)) => Some(Transfer::Divided(Box::new(a), divisor)),
            _ => None,
        }
    }

    fn method(&self, receiver: &Expr, name: &str, arguments: &[Expr]) -> Option<Transfer> {
        let of = self.transfer(receiver)?;
        let constant = |e: &Expr| (!self.occurs_in(e)).then(|| e.clone());
        match (name, arguments) {
            ("max", [other]) => Some(Transfer::Greater(Box::new([of, self.transfer(other)?]))),
            ("min", [other]) => Some(Transfer::Lesser(Box::new([of, self.transfer(other)?]))),
            ("clamp", [low, high]) => {
                Some(Transfer::Between(Box::new(of), Box::new([constant(low)?, constant(high)?])))
            }
            ("saturating_add", [other]) => Some(Transfer::Saturating(Box::new(of), false, constant(other)?)),
            ("saturating_sub", [other]) => Some(Transfer::Saturating(Box::new(of), true, constant(other)?)),
            ("wrapping_add", [other]) => Some(Transfer::Wrapping(Op::Add, Box::new([of, self.transfer(other)?]))),
            ("wrapping_sub", [other]) => Some(Transfer::Wrapping(Op::Sub, Box::new([of, self.transfer(other)?]))),
            ("mul_add", [factor, term]) => {
                let product = self.operation(Op::Mul, of, self.transfer(factor)?)?;
                self.operation(Op::Add, product, self.transfer(term)?)
            }
            _ => None,
        }
    }

    /// `max` and `min` as functions.
    fn call(&self, function: &Expr, arguments: &[Expr]) -> Option<Transfer> {
        let [a, b] = arguments else { return None };
        let both = || Some(Box::new([self.transfer(a)?, self.transfer(b)?]));
        match Operator::named(&function.last_name())? {
            Operator::Max => Some(Transfer::Greater(both()?)),
            Operator::Min => Some(Transfer::Lesser(both()?)),
            _ => None,
        }
    }

    /// `if condition { then } else { otherwise }`.
    pub fn choice(&self, condition: &Expr, then: Transfer, otherwise: Transfer) -> Option<Transfer> {
        if !self.occurs_in(condition) {
            return Some(Transfer::Choose(condition.clone(), Box::new([then, otherwise])));
        }
        let Kind::Binary(op, left, right) = &condition.bare().kind else { return None };
        let (left, right) = (self.transfer(left)?, self.transfer(right)?);
        let (lesser, greater) = match op {
            Op::Lt | Op::Le => (left, right),
            Op::Gt | Op::Ge => (right, left),
            _ => return None,
        };
        // If the lesser value is less, `then` is the value.
        if then == lesser && otherwise == greater {
            return Some(Transfer::Lesser(Box::new([lesser, greater])));
        }
        if then == greater && otherwise == lesser {
            return Some(Transfer::Greater(Box::new([greater, lesser])));
        }
        // `if v > k { v - k } else { 0 }` is the greater of `v` and `k`, less `k`: no part of it is below zero.
        let difference = Transfer::Difference(Box::new([greater.clone(), lesser.clone()]));
        if then == difference && is_zero(&otherwise) {
            let most = Transfer::Greater(Box::new([greater, lesser.clone()]));
            return Some(Transfer::Difference(Box::new([most, lesser])));
        }
        // `if v < 0 { k } else { v + k }` is the greater of the two: they agree where the condition changes.
        let (row, low, high) = match (is_zero(&lesser), is_zero(&greater)) {
            (false, true) => (lesser, then, otherwise),
            (true, false) => (greater, otherwise, then),
            _ => return None,
        };
        let agree = |fixed: &Transfer, sum: &Transfer| match (fixed, sum) {
            (Transfer::Constant(_), Transfer::Sum(parts)) => {
                let [one, other] = &**parts;
                *one == row && other == fixed || *other == row && one == fixed
            }
            _ => false,
        };
        if agree(&low, &high) {
            return Some(Transfer::Greater(Box::new([high, low])));
        }
        agree(&high, &low).then(|| Transfer::Lesser(Box::new([low, high])))
    }

    /// The value of a row after an `if` whose branches only assign rows.
    pub fn after_branches(&self, row: usize, e: &Expr) -> Option<Transfer> {
        match &e.bare().kind {
            Kind::If(condition, then, otherwise) => {
                let otherwise = match otherwise {
                    Some(otherwise) => self.after_branches(row, otherwise)?,
                    None => Transfer::Row(row),
                };
                self.choice(condition, self.after_block(row, then)?, otherwise)
            }
            Kind::Block(block) => self.after_block(row, block),
            Kind::Assign(place, op, value) => match self.row(place)? == row {
                true => self.assigned(place, *op, value),
                false => Some(Transfer::Row(row)),
            },
            _ => None,
        }
    }

    fn after_block(&self, row: usize, block: &Block) -> Option<Transfer> {
        let mut found = None;
        for statement in &block.statements {
            let StatementKind::Expr(e, _) = &statement.kind else { return None };
            let after = self.after_branches(row, e)?;
            if !matches!(&after, Transfer::Row(same) if *same == row) && found.replace(after).is_some() {
                return None;
            }
        }
        Some(found.unwrap_or(Transfer::Row(row)))
    }
}

/// The value of a block that is only a value.
fn last_of(block: &Block) -> Option<&Expr> {
    match block.statements.as_slice() {
        [crate::ir::Statement { kind: StatementKind::Expr(e, false), .. }] => Some(e),
        _ => None,
    }
}

fn is_zero(of: &Transfer) -> bool {
    let Transfer::Constant(e) = of else { return false };
    let text = e.text();
    let number = ["f64", "f32"].iter().find_map(|ty| text.strip_suffix(ty)).unwrap_or(&text);
    matches!(number.trim_end_matches('_'), "0" | "0.0" | "0.") || matches!(e.bare().kind, Kind::Int(0))
}

/// Whether an expression may be a number, as far as its form tells.
pub(super) fn may_be_number(e: &Expr) -> bool {
    match &e.kind {
        Kind::Tuple(_) | Kind::Struct(..) => false,
        Kind::Call(function, _) => function.name() != Some(Local::named("Some")),
        _ => !["None", "true", "false"].iter().any(|word| e.is_code(word)),
    }
}
