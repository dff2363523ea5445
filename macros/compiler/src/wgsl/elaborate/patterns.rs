//! The names that patterns bind. `scrutinee` tests whether patterns fit.

use crate::ir::report::Location;
use crate::ir::text::shown_tokens;
use crate::ir::{Binding as Name, Form, Local, Pattern};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::Binding;
use crate::wgsl::tree::{Array, Base, Item, Node, NodeKind, Statement, Ty, View};

impl Elaborate<'_> {
    pub fn bind(&mut self, pattern: &Pattern, item: Item, to: &mut Vec<Statement>) {
        let at = Location::from(&pattern.tokens);
        if let Some(ty) = &pattern.ty {
            let ty = self.written(&ty.tokens);
            match &item {
                Item::Value(node) | Item::Place(node) => self.same(&node.ty, &ty, at),
                Item::View(view) => {
                    if let Ty::Slice(element) | Ty::Array(element, _) = self.types.shallow(&ty) {
                        self.same(&view.element, &element, at);
                    }
                }
                Item::Tuple(_) | Item::Range(_) => {}
            }
        }
        let places = matches!(item, Item::Place(_));
        match (&pattern.form, item) {
            (Form::Reference(inner), Item::Place(node)) => self.bind(inner, Item::Value(node), to),
            (Form::Reference(inner), item) => self.bind(inner, item, to),
            (Form::Any, Item::Value(node)) => to.push(Statement::Do(node)),
            (Form::Any, _) => {}
            (Form::Name(name, None), item) => self.bind_name(name, item, at, to),
            (Form::Name(name, Some(parts)), item) => {
                let item = match item {
                    Item::Value(node) if !self.quiet => Item::Value(self.locals.hold("whole", node, to)),
                    other => other,
                };
                self.bind_name(name, item.clone(), at, to);
                self.bind(parts, item, to);
            }
            (Form::Tuple(parts), item) => self.bind_tuple(parts, item, at, to),
            (Form::Slice(parts), item) => self.bind_slice(parts, item, at, to),
            (form, Item::Value(node) | Item::Place(node)) if fields(form).is_some() => {
                let whole = if self.quiet || places { node } else { self.locals.hold("parts", node, to) };
                for (name, pattern) in fields(form).unwrap_or_default() {
                    let part = self.field(&whole, &name, at);
                    self.bind(pattern, if places { Item::Place(part) } else { Item::Value(part) }, to);
                }
            }
            _ => {
                let text = shown_tokens(&pattern.tokens);
                self.obstacle(at, format!("the pattern `{text}` takes apart what a device does not have"));
                self.declare(pattern);
            }
        }
    }

    /// Binds the names of a pattern to values of unknown types.
    pub fn declare(&mut self, pattern: &Pattern) {
        for name in &pattern.names {
            let ty = self.types.unknown();
            self.names.declare(name.name, ty);
        }
    }

    pub fn bind_name(&mut self, binding: &Name, item: Item, at: Location, to: &mut Vec<Statement>) {
        let Name { name, mutable, refers } = *binding;
        if refers && mutable {
            self.obstacle(at, "`ref mut` changes a part of what it takes apart: put a new value into it as a whole");
        }
        let binding = match item {
            Item::Value(node) | Item::Place(node) if self.quiet => Binding::Outer(node.ty),
            Item::View(view) if self.quiet => Binding::Outer(Ty::Slice(Box::new(view.element))),
            Item::Value(node) if !mutable && matches!(self.types.shallow(&node.ty), Ty::View(..)) => {
                let Some(view) = self.local_view(node, to) else { return };
                Binding::View(view)
            }
            Item::Value(node) => Binding::Local(self.locals.set_up(&name, node, mutable, to)),
            Item::Place(node) => Binding::Place(node),
            // Another part may be put into it.
            Item::View(view) if mutable && view.shape.is_none() => {
                let pair = self.pair(&view, at);
                Binding::Local(self.locals.set_up(&name, pair, true, to))
            }
            Item::View(view) => Binding::View(view),
            Item::Range(range) => {
                if mutable {
                    self.obstacle(at, "a range that is stepped through by itself: take `for`, or a number that counts");
                }
                Binding::Range(range)
            }
            Item::Tuple(items) => {
                let node = self.tuple(items, at);
                return self.bind_name(binding, Item::Value(node), at, to);
            }
        };
        self.names.bind(name, binding);
    }

    /// `(a, b)`, `(first, .., last)`.
    fn bind_tuple(&mut self, parts: &[Pattern], item: Item, at: Location, to: &mut Vec<Statement>) {
        let places = matches!(item, Item::Place(_));
        let around = Around::of(parts);
        let parts: Vec<(&Pattern, Item)> = match item {
            Item::Tuple(items) if around.fits(items.len()) => {
                around.numbered(items.len()).map(|(number, pattern)| (pattern, items[number].clone())).collect()
            }
            Item::Value(node) | Item::Place(node) => {
                let direct = places || self.quiet || matches!(node.kind, NodeKind::Tuple(_));
                let whole = if direct { node } else { self.locals.hold("parts", node, to) };
                let Some(parts) = self.parts_of(&around, &whole, at) else { return };
                let item = |node| if places { Item::Place(node) } else { Item::Value(node) };
                parts.into_iter().map(|(pattern, node)| (pattern, item(node))).collect()
            }
            _ => return self.obstacle(at, "a tuple is taken apart where there is none"),
        };
        // All values come before the first name.
        let mut values = Vec::new();
        for (pattern, part) in parts {
            values.push(match part {
                Item::Value(node) if around.count() > 1 && !self.quiet && !is_plain(&node) => {
                    (pattern, Item::Value(self.locals.hold("part", node, to)))
                }
                other => (pattern, other),
            });
        }
        values.into_iter().for_each(|(pattern, item)| self.bind(pattern, item, to));
    }

    /// The patterns of the parts of a tuple, with the parts.
    pub fn parts_of<'p>(
        &mut self,
        around: &Around<'p>,
        value: &Node,
        at: Location,
    ) -> Option<Vec<(&'p Pattern, Node)>> {
        if around.rest.is_none() {
            let types = (0..around.count()).map(|_| self.types.unknown()).collect();
            self.same(&value.ty, &Ty::Tuple(types), at);
        }
        let types = match self.types.shallow(&value.ty) {
            Ty::Tuple(types) if types.len() >= around.count() => types,
            _ => {
                self.obstacle(at, "a pattern takes a tuple apart whose number of parts is not known: name all of them");
                return None;
            }
        };
        let part = |number: usize| match &value.kind {
            NodeKind::Tuple(parts) if number < parts.len() => parts[number].clone(),
            _ => value.member(number, types[number].clone(), at),
        };
        Some(around.numbered(types.len()).map(|(number, pattern)| (pattern, part(number))).collect())
    }

    fn bind_slice(&mut self, parts: &[Pattern], item: Item, at: Location, to: &mut Vec<Statement>) {
        let around = Around::of(parts);
        let mut places = matches!(item, Item::Place(_));
        let view = match item {
            Item::Value(node) | Item::Place(node) => {
                let whole = if places || self.quiet { node } else { self.locals.hold("parts", node, to) };
                if around.rest.is_none() {
                    let element = self.types.unknown();
                    self.same(&whole.ty, &Ty::Array(Box::new(element), around.count()), at);
                }
                match self.types.shallow(&whole.ty) {
                    Ty::Array(element, length) => View::whole(Base::Local(whole.boxed(), length), *element),
                    _ if self.quiet => {
                        let element = self.types.element(&whole.ty);
                        View::whole(Base::Array(Array::Table(0)), element)
                    }
                    _ => return self.obstacle(at, "a pattern takes an array apart whose length is not known"),
                }
            }
            // A slice is behind a reference.
            Item::View(view) => {
                places |= self.is_changed(&view.element(Node::usize(0, at), true));
                view
            }
            Item::Tuple(_) | Item::Range(_) => return,
        };
        let length = match &view.base {
            Base::Local(_, length) if view.part.is_none() => *length,
            _ => around.count(),
        };
        for (number, pattern) in around.numbered(length) {
            let element = view.element(Node::usize(number, at), false);
            self.bind(pattern, if places { Item::Place(element) } else { Item::Value(element) }, to);
        }
        if let Some(name) = around.name() {
            let from = Node::usize(around.first.len(), at);
            let piece = self.locals.piece(&view, from, Node::usize(length.saturating_sub(around.count()), at), to);
            self.bind_name(name, Item::View(piece), at, to);
        }
    }

    pub fn tuple(&mut self, items: Vec<Item>, at: Location) -> Node {
        let parts = items.into_iter().map(|item| match item {
            Item::Value(node) | Item::Place(node) => node,
            Item::Tuple(items) => self.tuple(items, at),
            Item::View(view) => self.pair(&view, at),
            Item::Range(_) => self.stuck(at, "a range is a part of a tuple that is handed on"),
        });
        Node::tuple(parts.collect(), at)
    }
}

/// The patterns before `..`, that itself, and those after it.
pub struct Around<'p> {
    pub first: &'p [Pattern],
    pub rest: Option<&'p Pattern>,
    pub last: &'p [Pattern],
}

impl<'p> Around<'p> {
    pub fn of(parts: &'p [Pattern]) -> Around<'p> {
        let is_rest = |pattern: &Pattern| match &pattern.form {
            Form::Rest => true,
            Form::Name(_, Some(inner)) => matches!(inner.form, Form::Rest),
            _ => false,
        };
        match parts.iter().position(is_rest) {
            Some(at) => Around { first: &parts[..at], rest: parts.get(at), last: &parts[at + 1..] },
            None => Around { first: parts, rest: None, last: &[] },
        }
    }

    pub fn count(&self) -> usize {
        self.first.len() + self.last.len()
    }

    /// Whether so many parts fit.
    fn fits(&self, count: usize) -> bool {
        count == self.count() || self.rest.is_some() && count >= self.count()
    }

    /// The patterns with the numbers of their parts, of so many.
    fn numbered(&self, count: usize) -> impl Iterator<Item = (usize, &'p Pattern)> {
        let after = count.saturating_sub(self.last.len());
        self.first.iter().enumerate().chain((after..).zip(self.last))
    }

    /// The name of the rest: `name @ ..`.
    pub fn name(&self) -> Option<&'p Name> {
        match &self.rest?.form {
            Form::Name(name, _) => Some(name),
            _ => None,
        }
    }
}

/// The fields of a pattern of a struct that may be the user's, and their patterns.
pub fn fields(form: &Form) -> Option<Vec<(String, &Pattern)>> {
    match form {
        Form::Struct(fields) => Some(fields.iter().map(|(name, part)| (name.clone(), part)).collect()),
        Form::Variant(name, parts) => {
            let own = !is_of_option(*name) && Around::of(parts).rest.is_none();
            own.then(|| parts.iter().enumerate().map(|(number, part)| (number.to_string(), part)).collect())
        }
        _ => None,
    }
}

/// Whether a name is a variant of `Option` or `Result`, which devices have.
pub fn is_of_option(name: Local) -> bool {
    matches!(name.text(), "Some" | "Ok" | "Err")
}

/// Whether evaluating a node earlier or later makes no difference.
pub fn is_plain(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Integer(_) | NodeKind::Float(_) | NodeKind::Bool(_) | NodeKind::Value(_))
}
