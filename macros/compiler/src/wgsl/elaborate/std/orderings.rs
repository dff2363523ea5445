//! `Ordering`: a number.

use crate::ir::report::Location;
use crate::ir::{Expr, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::std::MethodCall;
use crate::wgsl::tree::{Node, NodeKind, Statement, Ty};

/// `Ordering::Equal`.
pub fn equal(at: Location) -> Node {
    Node::integer(0, Ty::ORDERING, at)
}

/// `Ordering::Less`.
pub fn ordering(text: &str, at: Location) -> Option<Node> {
    let one = || Node::integer(1, Ty::ORDERING, at);
    let name = text.strip_prefix("::").unwrap_or(text);
    let name = ["std::", "core::"].iter().find_map(|root| name.strip_prefix(root)).unwrap_or(name);
    let name = name.strip_prefix("cmp::").unwrap_or(name).strip_prefix("Ordering::")?;
    Some(match name {
        "Less" => Node::new(NodeKind::Negative(one().boxed()), Ty::ORDERING, at),
        "Equal" => equal(at),
        "Greater" => one(),
        _ => return None,
    })
}

impl MethodCall<'_> {
    /// A method that gives an `Ordering`, or is one of it.
    pub fn order(&self, walk: &mut Elaborate<'_>) -> Option<Node> {
        let MethodCall { receiver, name, args, at, .. } = *self;
        let mut before = Vec::new();
        let node = match (name, args) {
            ("cmp" | "total_cmp" | "partial_cmp", [other]) => {
                let [a, b] = self.both(walk, receiver, other, &mut before);
                let method = |name: &str, ty| Node::method(name, vec![a.clone(), b.clone()], ty, at);
                let order = method(if name == "total_cmp" { name } else { "cmp" }, Ty::ORDERING);
                match name {
                    "partial_cmp" => walk.some_if(method("comparable", Ty::BOOL), order, at),
                    _ => order,
                }
            }
            ("is_lt" | "is_le" | "is_gt" | "is_ge" | "is_eq" | "is_ne", []) => {
                let order = walk.expr(receiver);
                let op = match name {
                    "is_lt" => Op::Lt,
                    "is_le" => Op::Le,
                    "is_gt" => Op::Gt,
                    "is_ge" => Op::Ge,
                    "is_eq" => Op::Eq,
                    _ => Op::Ne,
                };
                walk.operation(op, order, equal(at), at)
            }
            // The next order, where the first says nothing.
            ("then" | "then_with", [other]) => {
                let order = walk.expr(receiver);
                let order = walk.locals.hold("order", order, &mut before);
                let other = match name {
                    "then" => {
                        let other = walk.expr(other);
                        walk.locals.hold("other", other, &mut before)
                    }
                    _ => walk.apply(other, Vec::new(), at),
                };
                let equal = walk.operation(Op::Eq, order.clone(), equal(at), at);
                walk.if_else(equal, other, order, at)
            }
            _ => return None,
        };
        Some(node.after(before))
    }

    /// Two values of one type, held.
    pub fn both(&self, walk: &mut Elaborate<'_>, a: &Expr, b: &Expr, before: &mut Vec<Statement>) -> [Node; 2] {
        let [a, b] = [a, b].map(|e| {
            let value = walk.expr(e);
            walk.locals.hold("side", value, before)
        });
        walk.same(&a.ty, &b.ty, a.at);
        [a, b]
    }
}
