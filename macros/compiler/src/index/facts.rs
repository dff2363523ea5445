//! Conditions that hold at an expression, as facts about the names in them.

use crate::ir::{Expr, Kind, Local, Op};

/// A condition that is known to hold for a name: how it compares to a sum of terms.
pub struct Fact<'e> {
    pub name: Local,
    pub op: Op,
    /// The terms, and whether each is added or subtracted.
    pub bound: Vec<(bool, &'e Expr)>,
    /// The compared expressions, as written: terms may move from one side to the other only if neither side has
    /// wrapped.
    pub sides: [&'e Expr; 2],
    /// How the first side compares to the second one.
    pub holds: Op,
}

/// A comparison as written.
#[derive(Clone, Copy)]
struct Comparison<'e> {
    sides: [&'e Expr; 2],
    holds: Op,
}

/// The facts for all names in `e`, if `e op bound` holds.
fn isolate<'e>(e: &'e Expr, op: Op, bound: &[(bool, &'e Expr)], written: Comparison<'e>, to: &mut Vec<Fact<'e>>) {
    let with = |bound: &[(bool, &'e Expr)], added, term| [bound, &[(added, term)]].concat();
    match &e.bare().kind {
        Kind::Name(name) => {
            let Comparison { sides, holds } = written;
            to.push(Fact { name: *name, op, bound: bound.to_vec(), sides, holds });
        }
        Kind::Binary(Op::Add, a, b) => {
            isolate(a, op, &with(bound, false, b), written, to);
            isolate(b, op, &with(bound, false, a), written, to);
        }
        Kind::Binary(Op::Sub, a, b) => {
            isolate(a, op, &with(bound, true, b), written, to);
            let turned: Vec<_> = bound.iter().map(|&(added, term)| (!added, term)).collect();
            isolate(b, op.mirrored(), &with(&turned, true, a), written, to);
        }
        _ => {}
    }
}

/// The comparisons that hold if two numbers are equal.
pub fn equality<'e>(a: &'e Expr, b: &'e Expr, to: &mut Vec<Fact<'e>>) {
    compared(a, Op::Eq, b, to);
}

fn compared<'e>(a: &'e Expr, op: Op, b: &'e Expr, to: &mut Vec<Fact<'e>>) {
    let written = Comparison { sides: [a, b], holds: op };
    isolate(a, op, &[(true, b)], written, to);
    isolate(b, op.mirrored(), &[(true, a)], written, to);
}

/// The comparisons that hold if the value of `condition` is `holds`.
pub fn facts<'e>(condition: &'e Expr, holds: bool, to: &mut Vec<Fact<'e>>) {
    match &condition.bare().kind {
        Kind::Binary(Op::AndAnd, a, b) if holds => {
            facts(a, true, to);
            facts(b, true, to);
        }
        Kind::Binary(Op::OrOr, a, b) if !holds => {
            facts(a, false, to);
            facts(b, false, to);
        }
        Kind::Unary('!', e) => facts(e, !holds, to),
        Kind::Binary(op, a, b) if op.is_comparison() => {
            compared(a, if holds { *op } else { op.negated() }, b, to);
        }
        _ => {}
    }
}
