//! What the loop pushes, and what it writes at places that only the data know.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::Binding;
use crate::wgsl::elaborate::std::methods::seen_through;
use crate::wgsl::tree::{Node, NodeKind, Statement, Ty};
use quote::format_ident;

impl Elaborate<'_> {
    /// What is done to a variable that the loop collects in.
    pub fn collected(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        let text = receiver.name()?;
        if !matches!(self.names.get(text), None | Some(Binding::Outer(..))) {
            return None;
        }
        if let Some(number) =
            self.outputs.pushes.iter().position(|pushed| pushed.part.is_empty() && pushed.place == text)
        {
            let element = self.outputs.pushes[number].element.clone();
            let mut values = Vec::new();
            match (name, args) {
                ("push", [value]) => values.push(value),
                ("extend_from_slice" | "extend", [list]) => match &seen_through(list).kind {
                    ir::Kind::Array(parts) => values.extend(parts),
                    _ => return Some(self.stuck(
                        at,
                        format!(
                            "`{text}.{name}(..)` pushes as many elements as something else holds: push them one by one"
                        ),
                    )),
                },
                _ => return Some(self.stuck(at, format!("`{text}.{name}(..)` is no `push` of one element"))),
            }
            // All values come before the first push.
            let mut statements = Vec::new();
            let mut held = Vec::new();
            for value in values {
                let node = self.expr(value);
                self.same(&node.ty.clone(), &element, at);
                held.push(if args.len() == 1 && name == "push" {
                    node
                } else {
                    self.locals.hold("pushed", node, &mut statements)
                });
            }
            for value in held {
                let push = Node::new(NodeKind::Push(number, value.boxed()), Ty::unit(), at);
                statements.push(Statement::Do(push));
            }
            let unit = Node::unit(at);
            return Some(unit.after(statements));
        }
        None
    }

    /// `out[place] = value`, whatever the operator: both are pushed, and written after the loop.
    pub fn scattered(&mut self, number: usize, place: &Expr, value: &Expr, at: Location) -> Node {
        let Some((_, places, name)) = self.outputs.scatters.iter().find(|(of, ..)| *of == number).cloned() else {
            return Node::unit(at);
        };
        let element = self.outputs.pushes[places + 1].element.clone();
        let mut statements = Vec::new();
        // The value comes first, as in Rust.
        let value = self.expr(value);
        self.same(&value.ty.clone(), &element, at);
        let value = self.locals.hold("value", value, &mut statements);
        let place = self.expr(place);
        self.same(&place.ty.clone(), &Ty::USIZE, at);
        let place = self.locals.hold("place", place, &mut statements);
        // A place that is not there ends the loop in the iteration that names it, and not where the writes are done.
        let name = format_ident!("{name}");
        let length = self.lower.expr(&syn::parse_quote!(#name.len()));
        let length = self.expr(&length);
        let beyond = self.operation(Op::Ge, place.clone(), length, at);
        let panics = self.panics(at);
        let check = NodeKind::If(beyond.boxed(), panics.boxed(), Node::unit(at).boxed());
        statements.push(Statement::Do(Node::new(check, Ty::unit(), at)));
        for (sequence, what) in [(places, place), (places + 1, value)] {
            let push = Node::new(NodeKind::Push(sequence, what.boxed()), Ty::unit(), at);
            statements.push(Statement::Do(push));
        }
        Node::unit(at).after(statements)
    }
}
