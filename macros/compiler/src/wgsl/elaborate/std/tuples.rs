//! Tuples that are compared.

use crate::ir::Op;
use crate::ir::report::Location;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::tree::{Node, Ty};

impl Elaborate<'_> {
    /// `(a, b) == (c, d)`, `(a, b) < (c, d)`: the first parts that differ tell.
    pub fn compared_tuples(&mut self, op: Op, a: Node, b: Node, at: Location) -> Option<Node> {
        let is_tuple = |node: &Node| matches!(self.types.shallow(&node.ty), Ty::Tuple(parts) if !parts.is_empty());
        if !(op.is_comparison() && (is_tuple(&a) || is_tuple(&b))) {
            return None;
        }
        self.same(&a.ty, &b.ty, at);
        let Ty::Tuple(types) = self.types.shallow(&a.ty) else { return None };
        let mut before = Vec::new();
        let (a, b) = (self.locals.hold("one", a, &mut before), self.locals.hold("other", b, &mut before));
        let part = |(number, ty): (usize, &Ty)| [&a, &b].map(|whole| whole.member(number, ty.clone(), at));
        let mut parts: Vec<[Node; 2]> = types.iter().enumerate().map(part).collect();
        let [first, second] = parts.pop()?;
        let equal = matches!(op, Op::Eq | Op::Ne);
        let strict = if matches!(op, Op::Lt | Op::Le) { Op::Lt } else { Op::Gt };
        let mut node = self.operation(if equal { Op::Eq } else { op }, first, second, at);
        for [one, other] in parts.into_iter().rev() {
            let alike = self.operation(Op::Eq, one.clone(), other.clone(), at);
            node = self.operation(Op::AndAnd, alike, node, at);
            if !equal {
                let differs = self.operation(strict, one, other, at);
                node = self.operation(Op::OrOr, differs, node, at);
            }
        }
        Some(if op == Op::Ne { Node::not(node) } else { node }.after(before))
    }
}
