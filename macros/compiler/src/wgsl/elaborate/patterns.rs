//! What patterns bind. When they fit is in `scrutinee`.

use crate::ir::Local;
use crate::ir::report::Location;
use crate::ir::text::{shown, shown_tokens};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::Binding;
use crate::wgsl::tree::{Array, Base, Item, Node, NodeKind, Statement, Ty, View};
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
            self.obstacle(Location::from(tokens), format!("the pattern `{}` is not understood", shown_tokens(tokens)));
            return;
        };
        if let (Some(ty), Item::Value(node)) = (&ty, &item) {
            let ty = self.written(ty);
            self.same(&node.ty.clone(), &ty, Location::from(tokens));
        }
        self.bind(&pattern, item, to);
    }

    pub fn bind(&mut self, pattern: &syn::Pat, item: Item, to: &mut Vec<Statement>) {
        let at = Location::from(&pattern.to_token_stream());
        let places = matches!(item, Item::Place(_));
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
            (syn::Pat::Ident(ident), item) if ident.subpat.is_none() => self.bind_name(ident, item, at, to),
            (syn::Pat::Wild(_), Item::Value(node)) => to.push(Statement::Do(node)),
            (syn::Pat::Wild(_), _) => {}
            // All of it has a name, and so have parts.
            (syn::Pat::Ident(ident), item) => self.bind_whole(ident, item, to),
            (syn::Pat::Tuple(tuple), item) => self.bind_tuple(tuple, item, at, to),
            (syn::Pat::Slice(slice), item) => self.bind_slice(slice, item, to),
            (syn::Pat::Struct(_) | syn::Pat::TupleStruct(_), Item::Value(node) | Item::Place(node))
                if fields(pattern).is_some() =>
            {
                let whole = if self.quiet || places { node } else { self.locals.hold("parts", node, to) };
                for (name, pattern) in fields(pattern).unwrap_or_default() {
                    let part = self.field(&whole, &name, at);
                    self.bind(&pattern, if places { Item::Place(part) } else { Item::Value(part) }, to);
                }
            }
            (other, item) => {
                // The names are there nevertheless, of unknown types.
                let text = shown(&other.to_token_stream().to_string());
                self.obstacle(at, format!("the pattern `{text}` takes apart what a device does not have"));
                let _ = item;
                for binding in self.lower.pattern(other).names {
                    let ty = self.types.unknown();
                    self.names.declare(binding.name, ty);
                }
            }
        }
    }

    /// A name.
    fn bind_name(&mut self, ident: &syn::PatIdent, item: Item, at: Location, to: &mut Vec<Statement>) {
        if ident.by_ref.is_some() && ident.mutability.is_some() {
            self.obstacle(at, "`ref mut` changes a part of what it takes apart: put a new value into it as a whole");
        }
        let name = Local::from(&ident.ident);
        match item {
            Item::Value(node) if self.quiet => self.names.declare(name, node.ty),
            Item::Value(node) if ident.mutability.is_none() && matches!(self.types.shallow(&node.ty), Ty::View(..)) => {
                if let Some(view) = self.local_view(node, to) {
                    self.names.bind(name, Binding::View(view));
                }
            }
            Item::Value(node) => {
                let variable = self.locals.add(&name, node.ty.clone(), ident.mutability.is_some());
                to.push(Statement::Let(variable, Some(node)));
                self.names.bind(name, Binding::Local(variable));
            }
            Item::Place(node) if self.quiet => self.names.declare(name, node.ty),
            Item::Place(node) => self.names.bind(name, Binding::Place(node)),
            Item::View(view) if self.quiet => self.names.declare(name, Ty::Slice(Box::new(view.element))),
            // Another part may be put into it.
            Item::View(view) if ident.mutability.is_some() && view.shape.is_none() => {
                let pair = self.pair(&view, at);
                let variable = self.locals.add(&name, pair.ty.clone(), true);
                to.push(Statement::Let(variable, Some(pair)));
                self.names.bind(name, Binding::Local(variable));
            }
            Item::View(view) => self.names.bind(name, Binding::View(view)),
            Item::Range(range) => {
                if ident.mutability.is_some() {
                    self.obstacle(at, "a range that is stepped through by itself: take `for`, or a number that counts");
                }
                self.names.bind(name, Binding::Range(range));
            }
            Item::Tuple(items) => {
                let node = self.tuple(items, at);
                self.bind_name(ident, Item::Value(node), at, to);
            }
        }
    }

    /// `whole @ parts`: all of it has a name, and so have parts.
    fn bind_whole(&mut self, ident: &syn::PatIdent, item: Item, to: &mut Vec<Statement>) {
        let whole = syn::Pat::Ident(syn::PatIdent { subpat: None, ..ident.clone() });
        let item = match item {
            Item::Value(node) if !self.quiet => Item::Value(self.locals.hold("whole", node, to)),
            other => other,
        };
        self.bind(&whole, item.clone(), to);
        if let Some((_, parts)) = &ident.subpat {
            self.bind(parts, item, to);
        }
    }

    /// `(a, b)`, `(first, .., last)`.
    fn bind_tuple(&mut self, tuple: &syn::PatTuple, item: Item, at: Location, to: &mut Vec<Statement>) {
        let places = matches!(item, Item::Place(_));
        let (first, rest, last) = around_rest(&tuple.elems);
        let count = first.len() + last.len();
        let parts: Vec<(&syn::Pat, Item)> = match item {
            Item::Tuple(items) if items.len() == count || rest.is_some() && items.len() >= count => {
                let after = items.len() - last.len();
                let back = items[after..].to_vec();
                first.into_iter().zip(items).chain(last.into_iter().zip(back)).collect()
            }
            Item::Value(node) | Item::Place(node) => {
                let direct = places || self.quiet || matches!(node.kind, NodeKind::Tuple(_));
                let whole = if direct { node } else { self.locals.hold("parts", node, to) };
                let Some(parts) = self.parts_of(tuple, &whole, at) else { return };
                let item = |node| if places { Item::Place(node) } else { Item::Value(node) };
                parts.into_iter().map(|(pattern, node)| (pattern, item(node))).collect()
            }
            _ => {
                self.obstacle(at, "a tuple is taken apart where there is none");
                return;
            }
        };
        // All values come before the first name.
        let mut values = Vec::new();
        for (pattern, part) in parts {
            values.push(match part {
                Item::Value(node) if count > 1 && !self.quiet && !is_plain(&node) => {
                    (pattern, Item::Value(self.locals.hold("part", node, to)))
                }
                other => (pattern, other),
            });
        }
        for (pattern, item) in values {
            self.bind(pattern, item, to);
        }
    }

    /// The patterns of a tuple's parts, and these.
    pub fn parts_of<'p>(
        &mut self,
        tuple: &'p syn::PatTuple,
        value: &Node,
        at: Location,
    ) -> Option<Vec<(&'p syn::Pat, Node)>> {
        let (first, rest, last) = around_rest(&tuple.elems);
        let count = first.len() + last.len();
        if rest.is_none() {
            let types = (0..count).map(|_| self.types.unknown()).collect();
            self.same(&value.ty, &Ty::Tuple(types), at);
        }
        let types = match self.types.shallow(&value.ty) {
            Ty::Tuple(types) if types.len() >= count => types,
            _ => {
                self.obstacle(at, "a tuple is taken apart of which the number of parts is not known: name all of them");
                return None;
            }
        };
        let part = |number: usize| match &value.kind {
            NodeKind::Tuple(parts) if number < parts.len() => parts[number].clone(),
            _ => Node::new(NodeKind::Member(value.clone().boxed(), number), types[number].clone(), at),
        };
        let after = types.len() - last.len();
        let front = first.into_iter().enumerate();
        let back = last.into_iter().enumerate().map(|(number, pattern)| (after + number, pattern));
        Some(front.chain(back).map(|(number, pattern)| (pattern, part(number))).collect())
    }

    fn bind_slice(&mut self, slice: &syn::PatSlice, item: Item, to: &mut Vec<Statement>) {
        let at = Location::from(&slice.to_token_stream());
        let (first, rest, last) = around_rest(&slice.elems);
        let count = first.len() + last.len();
        let mut places = matches!(item, Item::Place(_));
        let view = match item {
            Item::Value(node) | Item::Place(node) => {
                let whole = if places || self.quiet { node } else { self.locals.hold("parts", node, to) };
                if rest.is_none() {
                    let element = self.types.unknown();
                    self.same(&whole.ty, &Ty::Array(Box::new(element), count), at);
                }
                match self.types.shallow(&whole.ty) {
                    Ty::Array(element, length) => View::whole(Base::Local(whole.boxed(), length), *element),
                    _ if self.quiet => {
                        let element = self.types.element(&whole.ty);
                        View::whole(Base::Array(Array::Table(0)), element)
                    }
                    _ => {
                        self.obstacle(at, "an array is taken apart of which the length is not known");
                        return;
                    }
                }
            }
            // A slice is behind a reference.
            Item::View(view) => {
                let first = Node::usize(0, at);
                let first = view.element(first, true);
                places |= self.is_changed(&first);
                view
            }
            Item::Tuple(_) | Item::Range(_) => return,
        };
        let length = match &view.base {
            Base::Local(_, length) if view.part.is_none() => *length,
            _ => count,
        };
        let after = length.saturating_sub(last.len());
        let back = last.into_iter().enumerate().map(|(number, pattern)| (after + number, pattern));
        for (number, pattern) in first.into_iter().enumerate().chain(back) {
            let index = Node::usize(number, at);
            let element = view.element(index, false);
            self.bind(pattern, if places { Item::Place(element) } else { Item::Value(element) }, to);
        }
        if let Some(name) = rest.and_then(rest_name) {
            let (from, length) = (Node::usize(count - (length - after), at), Node::usize(length - count, at));
            let piece = self.locals.piece(&view, from, length, to);
            self.bind(&name, Item::View(piece), to);
        }
    }

    pub fn is_none_pattern(&mut self, tokens: &TokenStream) -> bool {
        match syn::parse2::<syn::Expr>(tokens.clone()) {
            Ok(e) => {
                let e = self.lower.expr(&e);
                self.is_none_name(&e)
            }
            Err(_) => false,
        }
    }

    pub fn tuple(&mut self, items: Vec<Item>, at: Location) -> Node {
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
        Node::new(NodeKind::Tuple(parts), ty, at)
    }
}

/// The patterns before `..`, that itself, and those after it.
pub fn around_rest(
    parts: &syn::punctuated::Punctuated<syn::Pat, syn::Token![,]>,
) -> (Vec<&syn::Pat>, Option<&syn::Pat>, Vec<&syn::Pat>) {
    let is_rest = |pattern: &syn::Pat| match pattern {
        syn::Pat::Rest(_) => true,
        syn::Pat::Ident(ident) => matches!(ident.subpat.as_ref().map(|(_, inner)| &**inner), Some(syn::Pat::Rest(_))),
        _ => false,
    };
    let mut first: Vec<&syn::Pat> = parts.iter().collect();
    let Some(at) = first.iter().position(|pattern| is_rest(pattern)) else { return (first, None, Vec::new()) };
    let last = first.split_off(at + 1);
    let rest = first.pop();
    (first, rest, last)
}

/// What `name @ ..` calls the rest.
pub fn rest_name(rest: &syn::Pat) -> Option<syn::Pat> {
    match rest {
        syn::Pat::Ident(ident) => Some(syn::Pat::Ident(syn::PatIdent { subpat: None, ..ident.clone() })),
        _ => None,
    }
}

/// The fields that a pattern of a struct names, and their patterns.
pub fn fields(pattern: &syn::Pat) -> Option<Vec<(String, syn::Pat)>> {
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

/// Whether evaluating a node earlier or later makes no difference.
pub fn is_plain(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Integer(_) | NodeKind::Float(_) | NodeKind::Bool(_) | NodeKind::Value(_))
}
