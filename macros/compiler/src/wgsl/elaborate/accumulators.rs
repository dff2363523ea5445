//! Elements that the loop pushes, and writes at computed places.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::Binding;
use crate::wgsl::elaborate::std::MethodCall;
use crate::wgsl::elaborate::std::methods::seen_through;
use crate::wgsl::tree::{Node, NodeKind, Statement, Ty};
use quote::format_ident;

impl MethodCall<'_> {
    /// A method of a vector that the loop pushes to.
    pub fn collected(&self, walk: &mut Elaborate<'_>) -> Option<Node> {
        let MethodCall { receiver, name, args, at, .. } = *self;
        let vector = receiver.name()?;
        if !matches!(walk.names.get(vector), None | Some(Binding::Outer(..))) {
            return None;
        }
        let mut pushes = walk.outputs.pushes.iter();
        let number = pushes.position(|pushed| pushed.part.is_empty() && pushed.place == vector)?;
        let element = walk.outputs.pushes[number].element.clone();
        let values: &[Expr] = match (name, args) {
            ("push", [_]) => args,
            ("extend_from_slice" | "extend", [list]) => match &seen_through(list).kind {
                ir::Kind::Array(parts) => parts,
                _ => {
                    let what = "pushes as many elements as something else holds: push them one by one";
                    return Some(walk.stuck(at, format!("`{vector}.{name}(..)` {what}")));
                }
            },
            _ => return Some(walk.stuck(at, format!("`{vector}.{name}(..)` is no `push` of one element"))),
        };
        // All values come before the first push.
        let (mut statements, mut held) = (Vec::new(), Vec::new());
        for value in values {
            let node = walk.expr(value);
            walk.same(&node.ty, &element, at);
            held.push(if name == "push" { node } else { walk.locals.hold("pushed", node, &mut statements) });
        }
        statements.extend(held.into_iter().map(|value| push(number, value, at)));
        Some(Node::unit(at).after(statements))
    }
}

impl Elaborate<'_> {
    /// `out[place] = value`, with any operator: iterations push both, and the host writes them after the loop.
    pub fn scattered(&mut self, number: usize, place: &Expr, value: &Expr, at: Location) -> Node {
        let Some((_, places, name)) = self.outputs.scatters.iter().find(|(of, ..)| *of == number).cloned() else {
            return Node::unit(at);
        };
        let element = self.outputs.pushes[places + 1].element.clone();
        let mut statements = Vec::new();
        // The value comes first, as in Rust.
        let value = self.expr(value);
        self.same(&value.ty, &element, at);
        let value = self.locals.hold("value", value, &mut statements);
        let place = self.expr(place);
        self.same(&place.ty.clone(), &Ty::USIZE, at);
        let place = self.locals.hold("place", place, &mut statements);
        // A place beyond the end ends the loop in its iteration, and not when the writes are done.
        let name = format_ident!("{name}");
        let length = self.input.lower.expr(&syn::parse_quote!(#name.len()));
        let length = self.expr(&length);
        let beyond = self.operation(Op::Ge, place.clone(), length, at);
        statements.push(Statement::Do(Node::when(beyond, self.panics(at))));
        statements.extend([push(places, place, at), push(places + 1, value, at)]);
        Node::unit(at).after(statements)
    }
}

fn push(number: usize, value: Node, at: Location) -> Statement {
    Statement::Do(Node::new(NodeKind::Push(number, value.boxed()), Ty::unit(), at))
}
