//! Updates of what the loop collects in.

use crate::ir::report::Place;
use crate::ir::{self, Expr, Op};
use crate::plan::Class;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::scope::Binding;
use crate::wgsl::elaborate::std::methods::seen_through;
use crate::wgsl::tree::{Component, Item, Node, NodeKind, Statement, Total, Ty};

impl Elaborate<'_> {
    /// What is done to a variable that the loop collects in.
    pub fn collected(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Place) -> Option<Node> {
        let text = receiver.name()?;
        if !matches!(self.names.get(text), None | Some(Binding::Outer(..))) {
            return None;
        }
        if let Some(number) = self.outputs.pushes.iter().position(|(push, _)| push == text) {
            let element = self.outputs.pushes[number].1.clone();
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
        // What a chunk of a scan knows: `acc.include(e, |a, b| ..)`.
        let number = self
            .outputs
            .accumulators
            .iter()
            .position(|held| held.variables.iter().any(|(names, _)| names.iter().any(|n| n == text)))?;
        let class = &self.plan?.accumulators[number].class;
        if !matches!(class, Class::Segmented { .. } | Class::Linear { .. }) || self.form.edits.is_empty() {
            return None;
        }
        let linear = matches!(class, Class::Linear { .. });
        let value = self.state(number, Component::Variable(0), at);
        let ty = value.ty.clone();
        let take = |this: &mut Self, e: &Expr| {
            let node = this.expr(e);
            this.same(&node.ty.clone(), &ty, at);
            node
        };
        Some(match (name, args) {
            ("restart", [e]) => {
                let e = take(self, e);
                self.restart(number, e, linear, at)
            }
            ("then", [factor, term]) => {
                let (factor, term) = (take(self, factor), take(self, term));
                let mut statements = Vec::new();
                let (factor, term) = (
                    self.locals.hold("factor", factor, &mut statements),
                    self.locals.hold("term", term, &mut statements),
                );
                let product = Node::total(Total::Times, factor.clone(), value.clone());
                let sum = Node::total(Total::Plus, product, term);
                statements.push(Statement::set(value, sum));
                let before = self.state(number, Component::Factor, at);
                let product = Node::total(Total::Times, factor, before.clone());
                statements.push(Statement::set(before, product));
                let unit = Node::unit(at);
                unit.after(statements)
            }
            ("include", [e, merge]) => {
                let e = take(self, e);
                self.include(number, e, merge, at)
            }
            ("follow", [e, merge]) => {
                let mut statements = Vec::new();
                let e = take(self, e);
                let e = self.locals.hold("value", e, &mut statements);
                // Nothing is greater than what cannot be compared.
                let comparable = self.operation(Op::Eq, e.clone(), e.clone(), at);
                let include = self.include(number, e.clone(), merge, at);
                let restart = self.restart(number, e, false, at);
                let choice = self.if_else(comparable, include, restart, at);
                choice.after(statements)
            }
            _ => return None,
        })
    }

    pub fn restart(&mut self, number: usize, value: Node, linear: bool, at: Place) -> Node {
        let place = self.state(number, Component::Variable(0), at);
        let yes = Node::bool(true, at);
        let mut statements = vec![Statement::set(place.clone(), value)];
        if linear {
            let factor = self.state(number, Component::Factor, at);
            let zero = Node::new(NodeKind::Zero, factor.ty.clone(), at);
            statements.push(Statement::set(factor, zero));
        } else {
            let some = self.state(number, Component::Some, at);
            statements.push(Statement::set(some, yes.clone()));
        }
        let reset = self.state(number, Component::Reset, at);
        statements.push(Statement::set(reset, yes));
        let unit = Node::unit(at);
        unit.after(statements)
    }

    /// `acc = acc op value`, where there may be nothing yet.
    pub fn include(&mut self, number: usize, value: Node, merge: &Expr, at: Place) -> Node {
        let mut statements = Vec::new();
        let value = self.locals.hold("value", value, &mut statements);
        let place = self.state(number, Component::Variable(0), at);
        let some = self.state(number, Component::Some, at);
        let merged = self.apply(merge, vec![Item::Value(place.clone()), Item::Value(value.clone())], at);
        self.same(&merged.ty.clone(), &place.ty, at);
        let unit = || Node::unit(at);
        let both = unit().after(vec![Statement::set(place.clone(), merged)]);
        let yes = Node::bool(true, at);
        let first = unit().after(vec![Statement::set(place, value), Statement::set(some.clone(), yes)]);
        let choice = self.if_else(some, both, first, at);
        choice.after(statements)
    }

    /// Functions that the analysis puts into updates.
    pub fn private(&mut self, name: &str, args: &[Expr], at: Place) -> Node {
        let total = match name {
            "add" | "plus" => Some(Total::Plus),
            "subtract" | "minus" => Some(Total::Minus),
            "multiply" | "times" => Some(Total::Times),
            _ => None,
        };
        match (name, args, total) {
            ("add" | "subtract" | "multiply", [place, value], Some(total)) => {
                let (place, value) = (self.expr(place), self.expr(value));
                self.same(&place.ty, &value.ty, at);
                let mut statements = Vec::new();
                let value = self.locals.hold("value", value, &mut statements);
                let sum = Node::total(total, place.clone(), value);
                statements.push(Statement::set(place, sum));
                let unit = Node::unit(at);
                unit.after(statements)
            }
            ("plus" | "minus" | "times", [a, b], Some(total)) => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.same(&a.ty, &b.ty, at);
                Node::total(total, a, b)
            }
            ("include", [place, value, merge], _) => {
                let place = self.expr(place);
                let value = self.expr(value);
                self.same(&place.ty, &value.ty, at);
                match place.kind {
                    NodeKind::State(number, _) => self.include(number, value, merge, at),
                    _ => self.stuck(at, "something is put together that is not seen"),
                }
            }
            ("number", [value], _) => self.expr(value),
            ("negative", [value], _) => {
                let value = self.expr(value);
                let zero = Node::new(NodeKind::Zero, value.ty.clone(), at);
                Node::total(Total::Minus, zero, value)
            }
            ("zero" | "one", [], _) => {
                let ty = self.types.unknown();
                Node::new(if name == "one" { NodeKind::One } else { NodeKind::Zero }, ty, at)
            }
            _ => self.stuck(at, format!("`{name}` is not translated")),
        }
    }
}
