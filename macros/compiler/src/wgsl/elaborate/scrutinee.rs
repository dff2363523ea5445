//! Tests whether patterns fit, and the names that they bind then.

use crate::ir::report::Location;
use crate::ir::text::shown_tokens;
use crate::ir::{self, Expr, Form, Local, Op, Pattern};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::{Binding, lookup};
use crate::wgsl::elaborate::patterns::{Around, fields, is_of_option};
use crate::wgsl::elaborate::std::options::opened;
use crate::wgsl::tree::{Array, Base, Item, Node, NodeKind, Statement, Ty, View};

/// A value that patterns are compared with.
#[derive(Debug, Clone)]
pub struct Scrutinee {
    pub node: Node,
    /// Whether names stand for places in it, rather than for values.
    pub refers: bool,
}

impl Scrutinee {
    fn part(&self, node: Node) -> Scrutinee {
        Scrutinee { node, refers: self.refers }
    }
}

impl Elaborate<'_> {
    /// The value that `match` and its kin compare.
    pub fn tested(&mut self, e: &Expr, to: &mut Vec<Statement>) -> Scrutinee {
        if self.quiet {
            return Scrutinee { node: self.expr(e), refers: false };
        }
        match &e.bare().kind {
            ir::Kind::Ref(true, inner) => {
                let place = self.expr(inner);
                self.check_place(&place);
                return Scrutinee { node: self.locals.fixed(place, to), refers: true };
            }
            ir::Kind::Name(name) => {
                if let Some(Binding::Place(place)) = self.names.get(*name) {
                    return Scrutinee { node: place.clone(), refers: true };
                }
            }
            _ => {}
        }
        let node = self.expr(e);
        // A slice is behind a reference.
        let refers =
            matches!(self.types.shallow(&node.ty), Ty::View(..)) && !matches!(e.bare().kind, ir::Kind::Unary('*', _));
        Scrutinee { node: self.locals.hold("value", node, to), refers }
    }

    /// Whether all of these hold; nothing if there are none.
    fn all(&mut self, tests: Vec<Node>, at: Location) -> Option<Node> {
        tests.into_iter().reduce(|a, b| self.operation(Op::AndAnd, a, b, at))
    }

    /// Whether a pattern fits a value; nothing if it always does.
    pub fn test(&mut self, pattern: &Pattern, tested: &Scrutinee, binds: &mut Vec<Statement>) -> Option<Node> {
        let (value, at) = (&tested.node, Location::from(&pattern.tokens));
        match &pattern.form {
            Form::Variant(name, parts) if parts.len() == 1 && is_of_option(*name) => {
                // The error of a search, or of a conversion, is in the value's place.
                let Some((there, inside)) = opened(&mut self.types, value) else {
                    self.obstacle(
                        at,
                        match *name == "Some" {
                            true => "`Some(..)` takes apart what is no `Option`",
                            false => "a `Result` is taken apart, which a device has of searches and conversions alone",
                        },
                    );
                    return None;
                };
                let there = if *name == "Err" { Node::not(there) } else { there };
                let inner = self.test(&parts[0], &tested.part(inside), binds);
                self.all([there].into_iter().chain(inner).collect(), at)
            }
            Form::Any | Form::Rest => None,
            Form::Reference(inner) => self.test(inner, &Scrutinee { node: value.clone(), refers: false }, binds),
            Form::Slice(parts) => self.test_slice(parts, tested, at, binds),
            Form::Value(constant) if self.is_none_name(constant) => self.test_none(value, at),
            Form::Value(constant) => Some(self.equals(value, constant, at)),
            Form::Name(name, None) if self.is_constant(name.name) => {
                let tokens = pattern.tokens.clone();
                let constant = self.input.lower.node(ir::Kind::Name(name.name), name.name.ident().span(), tokens);
                match self.is_none_name(&constant) {
                    true => self.test_none(value, at),
                    false => Some(self.equals(value, &constant, at)),
                }
            }
            Form::Name(name, inner) => {
                let test = inner.as_ref().and_then(|inner| self.test(inner, tested, binds));
                let item = match tested.refers && !self.quiet && self.is_changed(value) {
                    true => Item::Place(value.clone()),
                    false => Item::Value(value.clone()),
                };
                self.bind_name(name, item, at, binds);
                test
            }
            Form::Range(start, end, inclusive) => {
                let mut tests = Vec::new();
                for (end, op) in [(start, Op::Ge), (end, if *inclusive { Op::Le } else { Op::Lt })] {
                    if let Some(end) = end {
                        let end = self.apart(end);
                        tests.push(self.operation(op, value.clone(), end, at));
                    }
                }
                self.all(tests, at)
            }
            Form::Or(cases) => self.test_cases(cases, tested, at, binds),
            Form::Tuple(parts) => {
                let mut tests = Vec::new();
                for (pattern, part) in self.parts_of(&Around::of(parts), value, at)? {
                    tests.extend(self.test(pattern, &tested.part(part), binds));
                }
                self.all(tests, at)
            }
            form => {
                let Some(fields) = fields(form) else {
                    let text = shown_tokens(&pattern.tokens);
                    self.obstacle(at, format!("the pattern `{text}` takes apart what a device does not have"));
                    self.declare(pattern);
                    return None;
                };
                let mut tests = Vec::new();
                for (name, pattern) in fields {
                    let part = self.field(value, &name, at);
                    tests.extend(self.test(pattern, &tested.part(part), binds));
                }
                self.all(tests, at)
            }
        }
    }

    /// Whether the name of a pattern is a constant.
    fn is_constant(&self, name: Local) -> bool {
        name.starts_with(char::is_uppercase) || matches!(self.names.get(name), Some(Binding::Constant(..)))
    }

    fn test_none(&mut self, value: &Node, at: Location) -> Option<Node> {
        let Some((is_some, _)) = opened(&mut self.types, value) else {
            self.obstacle(at, "`None` takes apart what is no `Option`");
            return None;
        };
        Some(Node::not(is_some))
    }

    /// Whether a value is a constant.
    fn equals(&mut self, value: &Node, constant: &Expr, at: Location) -> Node {
        let constant = self.apart(constant);
        self.operation(Op::Eq, value.clone(), constant, at)
    }

    /// `[a, b]`, `[first, .., last]`, `[head @ .., last]`.
    fn test_slice(
        &mut self,
        parts: &[Pattern],
        tested: &Scrutinee,
        at: Location,
        binds: &mut Vec<Statement>,
    ) -> Option<Node> {
        let (value, around) = (&tested.node, Around::of(parts));
        let count = around.count();
        let mut tests = Vec::new();
        let view = match self.types.shallow(&value.ty) {
            // The test comes before what is bound: it holds nothing.
            Ty::View(base, element) => {
                let member = |number: usize| match &value.kind {
                    NodeKind::Tuple(parts) if number < parts.len() => parts[number].clone(),
                    _ => value.member(number, Ty::USIZE, at),
                };
                View { base: (*base).clone(), element: *element, part: Some((member(0), member(1))), shape: None }
            }
            Ty::Array(element, length) => View::whole(Base::Local(value.clone().boxed(), length), *element),
            Ty::Unknown(_) if around.rest.is_none() => {
                let element = self.types.unknown();
                self.same(&value.ty, &Ty::Array(Box::new(element.clone()), count), at);
                View::whole(Base::Local(value.clone().boxed(), count), element)
            }
            _ => {
                self.obstacle(at, "a pattern takes apart what is not seen to be an array or a slice");
                let element = self.types.element(&value.ty);
                View::whole(Base::Array(Array::Table(0)), element)
            }
        };
        let length = view.length(at);
        if view.part.is_some() {
            let op = if around.rest.is_some() { Op::Ge } else { Op::Eq };
            tests.push(self.operation(op, length.clone(), Node::usize(count, at), at));
        }
        let first = (0..around.first.len()).map(|number| Node::usize(number, at));
        let last = (1..=around.last.len()).rev().map(|back| match (&view.part, &view.base) {
            (None, Base::Local(_, length)) => Node::usize(length.saturating_sub(back), at),
            _ => length.clone() - back,
        });
        for (index, pattern) in first.chain(last).zip(around.first.iter().chain(around.last)) {
            tests.extend(self.test(pattern, &tested.part(view.element(index, true)), binds));
        }
        if let Some(name) = around.name() {
            let length = self.locals.hold("rest", length - count, binds);
            let piece = self.locals.piece(&view, Node::usize(around.first.len(), at), length, binds);
            self.bind_name(name, Item::View(piece), at, binds);
        }
        self.all(tests, at)
    }

    /// `a | b`: the first case that fits binds the names.
    fn test_cases(
        &mut self,
        cases: &[Pattern],
        tested: &Scrutinee,
        at: Location,
        binds: &mut Vec<Statement>,
    ) -> Option<Node> {
        let names = cases.first().map_or(&[][..], |case| &case.names).iter().map(|binding| binding.name);
        let names: Vec<Local> = names.filter(|name| !self.is_constant(*name)).collect();
        let (scope, mut tried) = (self.names.environment.clone(), Vec::new());
        for case in cases {
            let mut bound = Vec::new();
            let test = self.test(case, tested, &mut bound);
            let seen = std::mem::replace(&mut self.names.environment, scope.clone());
            tried.push((test, bound, seen));
        }
        if self.quiet {
            self.names.environment = tried.first().map_or(scope, |(_, _, seen)| seen.clone());
            return None;
        }
        let mut variables = Vec::new();
        for name in &names {
            let ty = self.types.unknown();
            let variable = self.locals.add(name, ty, true);
            binds.push(Statement::Let(variable, None));
            variables.push(variable);
        }
        let (mut tests, mut always, mut chosen) = (Vec::new(), false, None);
        for (test, mut bound, seen) in tried.into_iter().rev() {
            for (name, variable) in names.iter().zip(&variables) {
                let value = match lookup(&seen, *name) {
                    Some(Binding::Local(local)) => self.locals.read(*local, at),
                    Some(Binding::Place(place)) => place.clone(),
                    _ => self.stuck(at, format!("`{name}` stands for a part of an array in one of several patterns")),
                };
                let place = self.locals.read(*variable, at);
                self.same(&place.ty, &value.ty, at);
                bound.push(Statement::set(place, value));
            }
            let bound = Node::unit(at).after(bound);
            chosen = Some(match (&test, chosen) {
                (Some(test), other) => self.if_else(test.clone(), bound, other.unwrap_or(Node::unit(at)), at),
                (None, _) => bound,
            });
            always |= test.is_none();
            tests.extend(test);
        }
        if !names.is_empty() {
            binds.extend(chosen.map(Statement::Do));
        }
        for (name, variable) in names.iter().zip(variables) {
            self.names.bind(*name, Binding::Local(variable));
        }
        if always {
            return None;
        }
        tests.into_iter().rev().reduce(|a, b| self.operation(Op::OrOr, a, b, at))
    }
}
