//! What patterns bind, and when they fit.

use super::elaborate::{Binding, Elaborate, Item, is_plain, lookup};
use super::tree::{Kind, Node, Statement};
use super::types::Ty;
use crate::ir::Op;
use crate::report::{Place, shown};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};

impl Elaborate<'_> {
    pub fn pattern(&mut self, tokens: &TokenStream) -> Option<(syn::Pat, Option<syn::Type>)> {
        let parser = |input: ParseStream<'_>| {
            let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
            let ty = match input.parse::<Option<syn::Token![:]>>()? {
                Some(_) => Some(input.parse::<syn::Type>()?),
                None => None,
            };
            Ok((pattern, ty))
        };
        parser.parse2(tokens.clone()).ok()
    }

    pub fn bind_tokens(&mut self, tokens: &TokenStream, item: Item, to: &mut Vec<Statement>) {
        let Some((pattern, ty)) = self.pattern(tokens) else {
            self.obstacle(
                Place::from(tokens),
                format!("the pattern `{}` is not understood", shown(&tokens.to_string())),
            );
            return;
        };
        if let (Some(ty), Item::Value(node)) = (&ty, &item) {
            let ty = self.written(ty);
            self.same(&node.ty.clone(), &ty, Place::from(tokens));
        }
        self.bind(&pattern, item, to);
    }

    pub fn bind(&mut self, pattern: &syn::Pat, item: Item, to: &mut Vec<Statement>) {
        let at = Place::from(&pattern.to_token_stream());
        match (pattern, item) {
            (syn::Pat::Paren(inner), item) => self.bind(&inner.pat, item, to),
            (syn::Pat::Reference(inner), Item::Place(node)) => self.bind(&inner.pat, Item::Value(node), to),
            (syn::Pat::Reference(inner), item) => self.bind(&inner.pat, item, to),
            (syn::Pat::Type(typed), item) => {
                if let Item::Value(node) | Item::Place(node) = &item {
                    let ty = self.written(&typed.ty);
                    self.same(&node.ty.clone(), &ty, at);
                }
                self.bind(&typed.pat, item, to);
            }
            (syn::Pat::Ident(ident), item) if ident.subpat.is_none() => {
                if ident.by_ref.is_some() && ident.mutability.is_some() {
                    self.obstacle(
                        at,
                        "`ref mut` changes a part of what it takes apart: put a new value into it as a whole",
                    );
                }
                let name = ident.ident.to_string();
                match item {
                    Item::Value(node) if self.quiet => self.declare(&name, node.ty),
                    Item::Value(node)
                        if ident.mutability.is_none() && matches!(self.types.shallow(&node.ty), Ty::View(..)) =>
                    {
                        if let Some(view) = self.local_view(node, to) {
                            self.name(&name, Binding::View(view));
                        }
                    }
                    Item::Value(node) => {
                        let variable = self.variable(&name, node.ty.clone(), ident.mutability.is_some());
                        to.push(Statement::Let(variable, Some(node)));
                        self.name(&name, Binding::Local(variable));
                    }
                    Item::Place(node) if self.quiet => self.declare(&name, node.ty),
                    Item::Place(node) => self.name(&name, Binding::Place(node)),
                    Item::View(view) if self.quiet => self.declare(&name, Ty::Slice(Box::new(view.element))),
                    // Another part may be put into it.
                    Item::View(view) if ident.mutability.is_some() && view.shape.is_none() => {
                        let pair = self.pair(&view, at);
                        let variable = self.variable(&name, pair.ty.clone(), true);
                        to.push(Statement::Let(variable, Some(pair)));
                        self.name(&name, Binding::Local(variable));
                    }
                    Item::View(view) => self.name(&name, Binding::View(view)),
                    Item::Range(range) => {
                        if ident.mutability.is_some() {
                            self.obstacle(
                                at,
                                "a range that is stepped through by itself: take `for`, or a number that counts",
                            );
                        }
                        self.name(&name, Binding::Range(range));
                    }
                    Item::Tuple(items) => {
                        let node = self.tuple(items, at);
                        self.bind(pattern, Item::Value(node), to);
                    }
                }
            }
            (syn::Pat::Wild(_), Item::Value(node)) => to.push(Statement::Do(node)),
            (syn::Pat::Wild(_), _) => {}
            (syn::Pat::Tuple(tuple), item) => {
                let count = tuple.elems.len();
                let parts: Vec<Item> = match item {
                    Item::Tuple(items) if items.len() == count => items,
                    Item::Value(Node { kind: Kind::Tuple(parts), .. }) if parts.len() == count => {
                        parts.into_iter().map(Item::Value).collect()
                    }
                    Item::Value(node) | Item::Place(node) => {
                        let types: Vec<Ty> = (0..count).map(|_| self.types.unknown()).collect();
                        self.same(&node.ty.clone(), &Ty::Tuple(types.clone()), at);
                        let whole = if self.quiet { node } else { self.hold("parts", node, to) };
                        let member = |(number, ty)| {
                            Item::Value(Node { kind: Kind::Member(whole.clone().boxed(), number), ty, at })
                        };
                        types.into_iter().enumerate().map(member).collect()
                    }
                    _ => {
                        self.obstacle(at, "a tuple is taken apart where there is none");
                        return;
                    }
                };
                // All values come before the first name.
                let mut values = Vec::new();
                for part in parts {
                    values.push(match part {
                        Item::Value(node) if count > 1 && !self.quiet && !is_plain(&node) => {
                            Item::Value(self.hold("part", node, to))
                        }
                        other => other,
                    });
                }
                for (pattern, item) in tuple.elems.iter().zip(values) {
                    self.bind(pattern, item, to);
                }
            }
            (syn::Pat::Slice(slice), item) => {
                let node = match item {
                    Item::Value(node) => {
                        if self.quiet {
                            node
                        } else {
                            self.hold("parts", node, to)
                        }
                    }
                    Item::Place(node) => node,
                    Item::View(view) => {
                        for (number, pattern) in slice.elems.iter().enumerate() {
                            let index = self.number(number, at);
                            let element = self.element(&view, index, false);
                            self.bind(pattern, Item::Value(element), to);
                        }
                        return;
                    }
                    Item::Tuple(_) | Item::Range(_) => return,
                };
                let element = self.types.unknown();
                self.same(&node.ty.clone(), &Ty::Array(Box::new(element.clone()), slice.elems.len()), at);
                for (number, pattern) in slice.elems.iter().enumerate() {
                    let index = self.number(number, at);
                    let kind = Kind::Element(node.clone().boxed(), index.boxed());
                    self.bind(pattern, Item::Value(Node { kind, ty: element.clone(), at }), to);
                }
            }
            (syn::Pat::Struct(_) | syn::Pat::TupleStruct(_), Item::Value(node) | Item::Place(node))
                if fields(pattern).is_some() =>
            {
                let whole = if self.quiet { node } else { self.hold("parts", node, to) };
                for (name, pattern) in fields(pattern).unwrap_or_default() {
                    let part = self.field(&whole, &name, at);
                    self.bind(&pattern, Item::Value(part), to);
                }
            }
            (other, item) => {
                // The names are there nevertheless, of unknown types.
                let text = shown(&other.to_token_stream().to_string());
                self.obstacle(at, format!("the pattern `{text}` takes apart what a device does not have"));
                let _ = item;
                for binding in self.lower.pattern(other).names {
                    let ty = self.types.unknown();
                    self.declare(&binding.name, ty);
                }
            }
        }
    }

    fn is_none_pattern(&mut self, tokens: &TokenStream) -> bool {
        match syn::parse2::<syn::Expr>(tokens.clone()) {
            Ok(e) => {
                let e = self.lower.expr(&e);
                self.is_none_name(&e)
            }
            Err(_) => false,
        }
    }

    pub fn tuple(&mut self, items: Vec<Item>, at: Place) -> Node {
        let mut parts = Vec::new();
        for item in items {
            parts.push(match item {
                Item::Value(node) | Item::Place(node) => node,
                Item::Tuple(items) => self.tuple(items, at),
                Item::View(view) => self.pair(&view, at),
                Item::Range(_) => self.stuck(at, "a range is a part of a tuple that is handed on"),
            });
        }
        let ty = Ty::Tuple(parts.iter().map(|part| part.ty.clone()).collect());
        self.node(Kind::Tuple(parts), ty, at)
    }

    /// Whether a value is what a pattern says; nothing where it always is.
    pub fn test(&mut self, tokens: &TokenStream, value: &Node, binds: &mut Vec<Statement>) -> Option<Node> {
        match self.pattern(tokens) {
            Some((pattern, _)) => self.test_pattern(&pattern, value, binds),
            None => {
                self.obstacle(
                    Place::from(tokens),
                    format!("the pattern `{}` is not understood", shown(&tokens.to_string())),
                );
                None
            }
        }
    }

    pub fn test_pattern(&mut self, pattern: &syn::Pat, value: &Node, binds: &mut Vec<Statement>) -> Option<Node> {
        let tokens = pattern.to_token_stream();
        let at = Place::from(&tokens);
        let equals = |this: &mut Self, tokens: &TokenStream| {
            let constant = this.code(tokens, at);
            Some(this.operation(Op::Eq, value.clone(), constant, at))
        };
        match pattern {
            syn::Pat::TupleStruct(some)
                if some.elems.len() == 1 && some.path.segments.last().is_some_and(|last| last.ident == "Some") =>
            {
                let Some((is_some, inside)) = self.opened(value) else {
                    self.obstacle(at, "`Some(..)` takes apart what is no `Option`");
                    return None;
                };
                Some(match self.test_pattern(&some.elems[0], &inside, binds) {
                    Some(test) => self.operation(Op::AndAnd, is_some, test, at),
                    None => is_some,
                })
            }
            syn::Pat::Ident(_) | syn::Pat::Path(_) if self.is_none_pattern(&tokens) => {
                let Some((is_some, _)) = self.opened(value) else {
                    self.obstacle(at, "`None` takes apart what is no `Option`");
                    return None;
                };
                Some(self.node(Kind::Not(is_some.boxed()), Ty::BOOL, at))
            }
            syn::Pat::Wild(_) | syn::Pat::Rest(_) => None,
            syn::Pat::Paren(inner) => self.test_pattern(&inner.pat, value, binds),
            syn::Pat::Reference(inner) => self.test_pattern(&inner.pat, value, binds),
            syn::Pat::Lit(_) | syn::Pat::Path(_) | syn::Pat::Verbatim(_) | syn::Pat::Const(_) => equals(self, &tokens),
            syn::Pat::Ident(ident) => {
                if ident.subpat.is_none()
                    && (ident.ident.to_string().starts_with(char::is_uppercase)
                        || matches!(lookup(&self.scope, &ident.ident.to_string()), Some(Binding::Constant(..))))
                {
                    return equals(self, &tokens);
                }
                let test = ident.subpat.as_ref().and_then(|(_, inner)| self.test_pattern(inner, value, binds));
                let plain = syn::Pat::Ident(syn::PatIdent { subpat: None, ..ident.clone() });
                self.bind(&plain, Item::Value(value.clone()), binds);
                test
            }
            syn::Pat::Range(range) => {
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
            syn::Pat::Or(or) => {
                let mut tests = Vec::new();
                for case in &or.cases {
                    // One that always fits.
                    tests.push(self.test_pattern(case, value, binds)?);
                }
                tests.into_iter().reduce(|a, b| self.operation(Op::OrOr, a, b, at))
            }
            syn::Pat::Tuple(tuple) => {
                let types: Vec<Ty> = tuple.elems.iter().map(|_| self.types.unknown()).collect();
                self.same(&value.ty.clone(), &Ty::Tuple(types.clone()), at);
                let mut tests = Vec::new();
                for (number, (pattern, ty)) in tuple.elems.iter().zip(types).enumerate() {
                    let member = match &value.kind {
                        Kind::Tuple(parts) if number < parts.len() => parts[number].clone(),
                        _ => self.node(Kind::Member(value.clone().boxed(), number), ty, at),
                    };
                    tests.extend(self.test_pattern(pattern, &member, binds));
                }
                tests.into_iter().reduce(|a, b| self.operation(Op::AndAnd, a, b, at))
            }
            syn::Pat::Struct(_) | syn::Pat::TupleStruct(_) if fields(pattern).is_some() => {
                let mut tests = Vec::new();
                for (name, pattern) in fields(pattern).unwrap_or_default() {
                    let part = self.field(value, &name, at);
                    tests.extend(self.test_pattern(&pattern, &part, binds));
                }
                tests.into_iter().reduce(|a, b| self.operation(Op::AndAnd, a, b, at))
            }
            _ => {
                self.bind(pattern, Item::Value(value.clone()), binds);
                None
            }
        }
    }
}

/// The fields that a pattern of a struct names, and their patterns.
fn fields(pattern: &syn::Pat) -> Option<Vec<(String, syn::Pat)>> {
    match pattern {
        syn::Pat::Struct(pattern) => {
            let fields = pattern.fields.iter();
            Some(fields.map(|field| (field.member.to_token_stream().to_string(), (*field.pat).clone())).collect())
        }
        syn::Pat::TupleStruct(pattern) => {
            let known = pattern.path.segments.last().map(|name| name.ident.to_string());
            if matches!(known.as_deref(), Some("Some" | "Ok" | "Err"))
                || pattern.elems.iter().any(|part| matches!(part, syn::Pat::Rest(_)))
            {
                return None;
            }
            Some(pattern.elems.iter().enumerate().map(|(number, part)| (number.to_string(), part.clone())).collect())
        }
        _ => None,
    }
}
