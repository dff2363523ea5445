//! Histograms: values that are put into elements of an array, all by one operator.

use super::Bins;
use super::elaborate::Elaborate;
use super::tree::{Array, Kind, Node, Total};
use super::types::{Ty, Type};
use crate::analysis::scalar::operands;
use crate::ir::report::{Place, shown};
use crate::ir::{self, Expr, Op, StatementKind};
use crate::plan::{Class, Operator};

/// A histogram as a device has it, or why it has none such.
pub fn of(class: &Class, whole: Type) -> Result<Bins, String> {
    let mut element = whole.clone();
    while let Type::Array(inner, _) = element {
        element = *inner;
    }
    let Class::Bins { operator: Some(operator), wraps, .. } = class else { return Err("is no histogram".to_owned()) };
    let (float, bool) = (element.is_float(), element == Type::Bool);
    let operator = match operator {
        Operator::Add | Operator::Wrapping("wrapping_add") if !bool => "Add",
        Operator::Mul | Operator::Wrapping("wrapping_mul") if !bool => "Mul",
        Operator::Idempotent("min") if !bool => "Min",
        Operator::Idempotent("max") if !bool => "Max",
        Operator::Keep(op) if element.is_integer() => match op {
            Op::Gt | Op::Ge => "Max",
            _ => "Min",
        },
        Operator::Keep(_) if float => {
            return Err("keeps the better float by a comparison: write `h[k] = h[k].max(e)`, or `min`".to_owned());
        }
        Operator::Idempotent("&") if !float => "And",
        Operator::Idempotent("|") if !float => "Or",
        Operator::Xor if !float => "Xor",
        other => return Err(format!("is a histogram by `{}`, which devices do not have", other.text())),
    };
    Ok(Bins { whole, element, operator, wraps: *wraps || class_wraps(class) })
}

fn class_wraps(class: &Class) -> bool {
    matches!(class, Class::Bins { operator: Some(Operator::Wrapping(_)), .. })
}

impl Bins {
    /// How many bins an element has.
    pub fn width(&self) -> usize {
        let (mut ty, mut width) = (&self.whole, 1);
        while let Type::Array(inner, length) = ty {
            (ty, width) = (inner, width * length);
        }
        width
    }
}

impl Elaborate<'_> {
    /// The number of a bin: of an element of a histogram, or of an element of an array that it is.
    fn bin_at(&self, place: Node) -> Option<Node> {
        match place.kind {
            Kind::Load(Array::Bins(_), index) => Some(*index),
            Kind::Element(base, index) => {
                let Ty::Array(_, length) = self.types.shallow(&base.ty) else { return None };
                let length = self.number(length, place.at);
                let first = self.binary(Op::Mul, self.bin_at(*base)?, length.clone());
                let index = self.within(*index, length);
                Some(self.binary(Op::Add, first, index))
            }
            _ => None,
        }
    }

    /// An update of a histogram.
    pub fn bin(&mut self, e: &Expr, at: Place) -> Option<Node> {
        if self.quiet {
            return None;
        }
        // `if e > h[k] { h[k] = e; }` keeps the better one.
        let assign = match &e.kind {
            ir::Kind::Assign(..) => e,
            ir::Kind::If(condition, then, None) => match then.statements.as_slice() {
                [statement] => match (&statement.kind, &condition.bare().kind) {
                    (StatementKind::Expr(assign, _), ir::Kind::Binary(op, ..)) if op.is_comparison() => assign,
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        };
        let accumulators = &self.found?.accumulators;
        let number = self.bins.iter().position(|(k, ..)| accumulators[*k].nodes.contains(&assign.id))?;
        let Class::Bins { operator: Some(operator), .. } = &accumulators[self.bins[number].0].class else {
            return None;
        };
        let keeps = matches!(operator, Operator::Keep(_));
        if keeps == matches!(e.kind, ir::Kind::Assign(..)) {
            return None;
        }
        let ir::Kind::Assign(target, op, value) = &assign.kind else { return None };
        let values = match (op, operands(operator, assign)) {
            (_, Some(values)) => values,
            (Some(_), None) => vec![(false, &**value)],
            (None, None) if keeps => vec![(false, &**value)],
            (None, None) => vec![(false, other_operand(value, &target.text())?)],
        };
        let mut nodes = Vec::new();
        for (minus, value) in values {
            let mut value = self.expr(value);
            if minus {
                let zero = self.node(Kind::Zero, value.ty.clone(), at);
                value = self.total(Total::Minus, zero, value);
            }
            let place = self.expr(target);
            let (before, place) = match place.kind {
                Kind::Block(before, place) => (before, *place),
                _ => (Vec::new(), place),
            };
            self.same(&value.ty.clone(), &place.ty, at);
            let Some(index) = self.bin_at(place) else {
                let text = shown(&target.text());
                return Some(self.stuck(at, format!("`{text}` is not seen to be an element of the histogram")));
            };
            let bin = self.node(Kind::Bin(number, index.boxed(), value.boxed()), Ty::unit(), at);
            nodes.push(super::tree::Statement::Do(self.after(before, bin)));
        }
        let unit = self.node(Kind::Unit, Ty::unit(), at);
        Some(self.after(nodes, unit))
    }
}

/// `e` of `place.max(e)`, `max(place, e)`, or `place | e`.
fn other_operand<'e>(value: &'e Expr, place: &str) -> Option<&'e Expr> {
    let pair = match &value.bare().kind {
        ir::Kind::Method(receiver, _, args, _) if args.len() == 1 => [&**receiver, &args[0]],
        ir::Kind::Call(_, args) if args.len() == 2 => [&args[0], &args[1]],
        ir::Kind::Binary(_, a, b) => [&**a, &**b],
        _ => return None,
    };
    match pair.map(|e| e.bare().text() == place) {
        [true, false] => Some(pair[1]),
        [false, true] => Some(pair[0]),
        _ => None,
    }
}
