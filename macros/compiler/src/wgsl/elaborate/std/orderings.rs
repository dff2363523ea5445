//! `Ordering`: a number.

use crate::ir::report::Location;
use crate::ir::{Expr, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::tree::{Node, NodeKind, Statement, Ty};

impl Elaborate<'_> {
    /// A method that gives an `Ordering`, or is one of it.
    pub fn order(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        let mut before = Vec::new();
        let node = match (name, args) {
            ("cmp" | "total_cmp" | "partial_cmp", [other]) => {
                let [a, b] = self.both(receiver, other, &mut before);
                let method = |name: &str, ty| Node::method(name, vec![a.clone(), b.clone()], ty, at);
                let order = method(if name == "total_cmp" { name } else { "cmp" }, Ty::ORDERING);
                match name {
                    "partial_cmp" => {
                        let comparable = method("comparable", Ty::BOOL);
                        self.some_if(comparable, order, at)
                    }
                    _ => order,
                }
            }
            ("is_lt" | "is_le" | "is_gt" | "is_ge" | "is_eq" | "is_ne", []) => {
                let order = self.expr(receiver);
                let zero = Node::integer(0, Ty::ORDERING, at);
                let op = match name {
                    "is_lt" => Op::Lt,
                    "is_le" => Op::Le,
                    "is_gt" => Op::Gt,
                    "is_ge" => Op::Ge,
                    "is_eq" => Op::Eq,
                    _ => Op::Ne,
                };
                self.operation(op, order, zero, at)
            }
            // The next order, where the first says nothing.
            ("then", [other]) | ("then_with", [other]) => {
                let order = self.expr(receiver);
                let order = self.locals.hold("order", order, &mut before);
                let other = match name {
                    "then" => {
                        let other = self.expr(other);
                        self.locals.hold("other", other, &mut before)
                    }
                    _ => self.apply(other, Vec::new(), at),
                };
                let zero = Node::integer(0, Ty::ORDERING, at);
                let equal = self.operation(Op::Eq, order.clone(), zero, at);
                self.if_else(equal, other, order, at)
            }
            _ => return None,
        };
        Some(node.after(before))
    }

    /// Two values of one type, held.
    pub fn both(&mut self, a: &Expr, b: &Expr, before: &mut Vec<Statement>) -> [Node; 2] {
        let [a, b] = [a, b].map(|e| {
            let value = self.expr(e);
            self.locals.hold("side", value, before)
        });
        self.same(&a.ty, &b.ty, a.at);
        [a, b]
    }
}

/// `Ordering::Less`.
pub fn ordering(text: &str, at: Location) -> Option<Node> {
    let one = || Node::integer(1, Ty::ORDERING, at);
    let name = text.strip_prefix("::").unwrap_or(text);
    let name = ["std::", "core::"].iter().find_map(|root| name.strip_prefix(root)).unwrap_or(name);
    let name = name.strip_prefix("cmp::").unwrap_or(name).strip_prefix("Ordering::")?;
    Some(match name {
        "Less" => Node::new(NodeKind::Negative(one().boxed()), Ty::ORDERING, at),
        "Equal" => Node::integer(0, Ty::ORDERING, at),
        "Greater" => one(),
        _ => return None,
    })
}
