//! When patterns fit, and what they then bind.

use crate::ir::report::Location;
use crate::ir::text::shown_tokens;
use crate::ir::{self, Expr, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::{Binding, lookup};
use crate::wgsl::elaborate::patterns::{around_rest, fields, rest_name};
use crate::wgsl::elaborate::std::options::opened;
use crate::wgsl::tree::{Array, Base, Item, Node, NodeKind, Statement, Ty, View};
use proc_macro2::TokenStream;
use quote::ToTokens;

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
    /// What `match` and its kin look at.
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

    /// Whether a value is what a pattern says; nothing where it always is.
    pub fn test(&mut self, tokens: &TokenStream, value: &Scrutinee, binds: &mut Vec<Statement>) -> Option<Node> {
        match self.pattern(tokens) {
            Some((pattern, _)) => self.test_pattern(&pattern, value, binds),
            None => {
                self.obstacle(
                    Location::from(tokens),
                    format!("the pattern `{}` is not understood", shown_tokens(tokens)),
                );
                None
            }
        }
    }

    pub fn test_pattern(&mut self, pattern: &syn::Pat, tested: &Scrutinee, binds: &mut Vec<Statement>) -> Option<Node> {
        let value = &tested.node;
        let tokens = pattern.to_token_stream();
        let at = Location::from(&tokens);
        match pattern {
            syn::Pat::TupleStruct(some)
                if some.elems.len() == 1 && some.path.segments.last().is_some_and(|last| last.ident == "Some") =>
            {
                let Some((is_some, inside)) = opened(&mut self.types, value) else {
                    self.obstacle(at, "`Some(..)` takes apart what is no `Option`");
                    return None;
                };
                Some(match self.test_pattern(&some.elems[0], &tested.part(inside), binds) {
                    Some(test) => self.operation(Op::AndAnd, is_some, test, at),
                    None => is_some,
                })
            }
            // Of a search, or of a conversion: the error is in the value's place.
            syn::Pat::TupleStruct(result)
                if result.elems.len() == 1
                    && result.path.segments.last().is_some_and(|last| last.ident == "Ok" || last.ident == "Err") =>
            {
                let Some((is_ok, inside)) = opened(&mut self.types, value) else {
                    self.obstacle(
                        at,
                        "a `Result` is taken apart, which a device has of searches and conversions alone",
                    );
                    return None;
                };
                let is_ok = match result.path.segments.last() {
                    Some(last) if last.ident == "Err" => Node::not(is_ok),
                    _ => is_ok,
                };
                Some(match self.test_pattern(&result.elems[0], &tested.part(inside), binds) {
                    Some(test) => self.operation(Op::AndAnd, is_ok, test, at),
                    None => is_ok,
                })
            }
            syn::Pat::Ident(_) | syn::Pat::Path(_) if self.is_none_pattern(&tokens) => {
                let Some((is_some, _)) = opened(&mut self.types, value) else {
                    self.obstacle(at, "`None` takes apart what is no `Option`");
                    return None;
                };
                Some(Node::not(is_some))
            }
            syn::Pat::Wild(_) | syn::Pat::Rest(_) => None,
            syn::Pat::Paren(inner) => self.test_pattern(&inner.pat, tested, binds),
            syn::Pat::Reference(inner) => {
                self.test_pattern(&inner.pat, &Scrutinee { node: value.clone(), refers: false }, binds)
            }
            syn::Pat::Slice(slice) => self.test_slice(slice, tested, binds),
            syn::Pat::Lit(_) | syn::Pat::Path(_) | syn::Pat::Verbatim(_) | syn::Pat::Const(_) => {
                Some(self.equals(value, &tokens, at))
            }
            syn::Pat::Ident(ident) => self.test_name(ident, tested, at, binds),
            syn::Pat::Range(range) => self.test_range(range, value, at),
            syn::Pat::Or(or) => self.test_cases(or, tested, binds),
            syn::Pat::Tuple(tuple) => {
                let parts = self.parts_of(tuple, value, at)?;
                let tests: Vec<Node> = parts
                    .into_iter()
                    .filter_map(|(pattern, part)| self.test_pattern(pattern, &tested.part(part), binds))
                    .collect();
                tests.into_iter().reduce(|a, b| self.operation(Op::AndAnd, a, b, at))
            }
            syn::Pat::Struct(_) | syn::Pat::TupleStruct(_) if fields(pattern).is_some() => {
                let mut tests = Vec::new();
                for (name, pattern) in fields(pattern).unwrap_or_default() {
                    let part = self.field(value, &name, at);
                    tests.extend(self.test_pattern(&pattern, &tested.part(part), binds));
                }
                tests.into_iter().reduce(|a, b| self.operation(Op::AndAnd, a, b, at))
            }
            _ => {
                self.bind(pattern, Item::Value(value.clone()), binds);
                None
            }
        }
    }

    /// `a..=b`.
    fn test_range(&mut self, range: &syn::PatRange, value: &Node, at: Location) -> Option<Node> {
        let mut tests = Vec::new();
        if let Some(start) = &range.start {
            let start = self.code(&start.to_token_stream(), at);
            tests.push(self.operation(Op::Ge, value.clone(), start, at));
        }
        if let Some(end) = &range.end {
            let end = self.code(&end.to_token_stream(), at);
            let op = if matches!(range.limits, syn::RangeLimits::Closed(_)) { Op::Le } else { Op::Lt };
            tests.push(self.operation(op, value.clone(), end, at));
        }
        tests.into_iter().reduce(|a, b| self.operation(Op::AndAnd, a, b, at))
    }

    /// Whether a value is a constant.
    fn equals(&mut self, value: &Node, constant: &TokenStream, at: Location) -> Node {
        let constant = self.code(constant, at);
        self.operation(Op::Eq, value.clone(), constant, at)
    }

    /// A name, or a constant.
    fn test_name(
        &mut self,
        ident: &syn::PatIdent,
        tested: &Scrutinee,
        at: Location,
        binds: &mut Vec<Statement>,
    ) -> Option<Node> {
        let value = &tested.node;
        if ident.subpat.is_none()
            && (ident.ident.to_string().starts_with(char::is_uppercase)
                || matches!(self.names.get((&ident.ident).into()), Some(Binding::Constant(..))))
        {
            return Some(self.equals(value, &ident.to_token_stream(), at));
        }
        let test = ident.subpat.as_ref().and_then(|(_, inner)| self.test_pattern(inner, tested, binds));
        let plain = syn::Pat::Ident(syn::PatIdent { subpat: None, ..ident.clone() });
        let item = match tested.refers && !self.quiet && self.is_changed(value) {
            true => Item::Place(value.clone()),
            false => Item::Value(value.clone()),
        };
        self.bind(&plain, item, binds);
        test
    }

    /// `[a, b]`, `[first, .., last]`, `[head @ .., last]`.
    fn test_slice(&mut self, slice: &syn::PatSlice, tested: &Scrutinee, binds: &mut Vec<Statement>) -> Option<Node> {
        let (value, at) = (&tested.node, Location::from(&slice.to_token_stream()));
        let (first, rest, last) = around_rest(&slice.elems);
        let count = first.len() + last.len();
        let mut tests = Vec::new();
        let view = match self.types.shallow(&value.ty) {
            // The test comes before what is bound: it holds nothing.
            Ty::View(base, element) => {
                let member = |number: usize| match &value.kind {
                    NodeKind::Tuple(parts) if number < parts.len() => parts[number].clone(),
                    _ => Node::new(NodeKind::Member(value.clone().boxed(), number), Ty::USIZE, at),
                };
                View { base: (*base).clone(), element: *element, part: Some((member(0), member(1))), shape: None }
            }
            Ty::Array(element, length) => View::whole(Base::Local(value.clone().boxed(), length), *element),
            Ty::Unknown(_) if rest.is_none() => {
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
            let count = Node::usize(count, at);
            let op = if rest.is_some() { Op::Ge } else { Op::Eq };
            tests.push(self.operation(op, length.clone(), count, at));
        }
        for (number, pattern) in first.iter().enumerate() {
            let index = Node::usize(number, at);
            let element = view.element(index, true);
            tests.extend(self.test_pattern(pattern, &tested.part(element), binds));
        }
        for (number, pattern) in last.iter().enumerate() {
            let back = last.len() - number;
            let index = match (&view.part, &view.base) {
                (None, Base::Local(_, length)) => Node::usize(length.saturating_sub(back), at),
                _ => {
                    let back = Node::usize(back, at);
                    Node::binary(Op::Sub, length.clone(), back)
                }
            };
            let element = view.element(index, true);
            tests.extend(self.test_pattern(pattern, &tested.part(element), binds));
        }
        if let Some(name) = rest.and_then(rest_name) {
            let (from, count) = (Node::usize(first.len(), at), Node::usize(count, at));
            let length = Node::binary(Op::Sub, length, count);
            let length = self.locals.hold("rest", length, binds);
            let piece = self.locals.piece(&view, from, length, binds);
            self.bind(&name, Item::View(piece), binds);
        }
        tests.into_iter().reduce(|a, b| self.operation(Op::AndAnd, a, b, at))
    }

    /// `a | b`. What is bound is what the first case binds that fits.
    fn test_cases(&mut self, or: &syn::PatOr, tested: &Scrutinee, binds: &mut Vec<Statement>) -> Option<Node> {
        let at = Location::from(&or.to_token_stream());
        let (scope, mut cases) = (self.names.environment.clone(), Vec::new());
        for case in &or.cases {
            let mut bound = Vec::new();
            let test = self.test_pattern(case, tested, &mut bound);
            cases.push((test, bound, self.names.environment.clone()));
            self.names.environment = scope.clone();
        }
        let is_constant = |name: ir::Local| {
            name.starts_with(char::is_uppercase) || matches!(lookup(&scope, name), Some(Binding::Constant(..)))
        };
        let mut names: Vec<ir::Local> = match or.cases.first() {
            Some(case) => self.lower.pattern(case).names.into_iter().map(|binding| binding.name).collect(),
            None => Vec::new(),
        };
        names.retain(|name| !is_constant(*name));
        if self.quiet {
            self.names.environment = cases.first().map_or(scope, |(_, _, scope)| scope.clone());
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
        for (test, mut bound, seen) in cases.into_iter().rev() {
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
            let unit = Node::unit(at);
            let bound = unit.clone().after(bound);
            chosen = Some(match (&test, chosen) {
                (Some(test), other) => self.if_else(test.clone(), bound, other.unwrap_or(unit), at),
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
