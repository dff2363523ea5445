//! Histograms: arrays whose elements are updated by one operator.

use crate::algebra::updates::operands;
use crate::ir::report::Location;
use crate::ir::{self, Expr, StatementKind};
use crate::plan::{Operand, Operator};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::tree::{Array, Node, NodeKind, Statement, Ty};

impl Elaborate<'_> {
    /// The number of a bin: of an element of a histogram, or of an element of an array that it is.
    pub fn bin_at(&self, place: Node) -> Option<Node> {
        match place.kind {
            NodeKind::Load(Array::Bins(_), index) => Some(*index),
            NodeKind::Element(base, index) => {
                let Ty::Array(_, length) = self.types.shallow(&base.ty) else { return None };
                let length = Node::usize(length, place.at);
                Some(self.bin_at(*base)? * length.clone() + index.within(length))
            }
            _ => None,
        }
    }

    /// An update of a histogram.
    pub fn bin(&mut self, e: &Expr, at: Location) -> Option<Node> {
        if self.quiet {
            return None;
        }
        // `if e > h[k] { h[k] = e; }` keeps the better one.
        let assign = match &e.kind {
            ir::Kind::Assign(..) => e,
            ir::Kind::If(condition, then, None) => match (then.statements.as_slice(), &condition.bare().kind) {
                ([ir::Statement { kind: StatementKind::Expr(assign, _), .. }], ir::Kind::Binary(op, ..))
                    if op.is_comparison() =>
                {
                    assign
                }
                _ => return None,
            },
            _ => return None,
        };
        let accumulators = &self.input.plan?.accumulators;
        let number = self.outputs.histograms.iter().position(|(k, ..)| accumulators[*k].nodes.contains(&assign.id))?;
        let operator = accumulators[self.outputs.histograms[number].0].class.operator_of_bins()?;
        let keeps = matches!(operator, Operator::Keep(_));
        if keeps == matches!(e.kind, ir::Kind::Assign(..)) {
            return None;
        }
        let ir::Kind::Assign(target, op, value) = &assign.kind else { return None };
        let plain = |value: &Expr| Operand { minus: false, value: value.clone() };
        let values = match (op, operands(operator, assign)) {
            (_, Some(values)) => values,
            (Some(_), None) => vec![plain(value)],
            (None, None) if keeps => vec![plain(value)],
            (None, None) => vec![plain(other_operand(value, target)?)],
        };
        let mut nodes = Vec::new();
        for Operand { minus, value } in values {
            let value = self.expr(&value);
            let value = if minus { value.negative() } else { value };
            let place = self.expr(target);
            let (before, place) = match place.kind {
                NodeKind::Block(before, place) => (before, *place),
                _ => (Vec::new(), place),
            };
            self.same(&value.ty, &place.ty, at);
            let Some(index) = self.bin_at(place) else {
                let text = target.shown();
                return Some(self.stuck(at, format!("`{text}` is not seen to be an element of the histogram")));
            };
            let bin = Node::new(NodeKind::Bin(number, index.boxed(), value.boxed()), Ty::unit(), at);
            nodes.push(Statement::Do(bin.after(before)));
        }
        Some(Node::unit(at).after(nodes))
    }
}

/// `e` of `place.max(e)`, `max(place, e)`, or `place | e`.
fn other_operand<'e>(value: &'e Expr, place: &Expr) -> Option<&'e Expr> {
    let pair = match &value.bare().kind {
        ir::Kind::Method(receiver, _, args, _) if args.len() == 1 => [&**receiver, &args[0]],
        ir::Kind::Call(_, args) if args.len() == 2 => [&args[0], &args[1]],
        ir::Kind::Binary(_, a, b) => [&**a, &**b],
        _ => return None,
    };
    match pair.map(|e| e.is_written_as(place)) {
        [true, false] => Some(pair[1]),
        [false, true] => Some(pair[0]),
        _ => None,
    }
}
