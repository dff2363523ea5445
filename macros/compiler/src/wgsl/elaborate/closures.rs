//! Closures: their bodies are put in place of calls, and see what was captured.
//!
//! A closure that borrows sees variables as they are, which nothing else changes as long as it is used. A `move` closure has
//! copies from where it was made, and changes those alone.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Local};
use crate::wgsl::contract::Type;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::{Binding, Closure, Named, lookup};
use crate::wgsl::elaborate::std::numbers::handed_conversion;
use crate::wgsl::tree::{Component, Item, Node, Statement};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::rc::Rc;

impl Elaborate<'_> {
    /// A closure that is made here; copies of what it captures come before it.
    pub fn closure(&mut self, value: &Expr, to: &mut Vec<Statement>) -> Option<Rc<Closure>> {
        let ir::Kind::Closure(patterns, _, body) = &value.bare().kind else { return None };
        // Types that the head gives.
        let (output, moves) = match syn::parse2::<syn::ExprClosure>(value.bare().tokens.clone()) {
            Ok(syn::ExprClosure { output: syn::ReturnType::Type(_, ty), capture, .. }) => {
                (Some(*ty), capture.is_some())
            }
            Ok(syn::ExprClosure { capture, .. }) => (None, capture.is_some()),
            Err(_) => (None, false),
        };
        let closure = Closure {
            parameters: patterns.iter().map(|pattern| pattern.tokens.clone()).collect(),
            output,
            body: (**body).clone(),
            environment: self.names.environment.clone(),
            moves,
            outside: self.quiet.then_some(value.bare().id),
        };
        Some(self.with_copies(Rc::new(closure), to))
    }

    /// A closure as it is when it is handed over: a `move` closure with copies of what it has.
    pub fn with_copies(&mut self, closure: Rc<Closure>, to: &mut Vec<Statement>) -> Rc<Closure> {
        if !closure.moves || closure.outside.is_some() {
            return closure;
        }
        let at = Location::from(&closure.body);
        let mut environment = closure.environment.clone();
        for name in mentioned(&closure.body.tokens) {
            let held =
                self.outputs.accumulators.iter().position(|held| held.variables.iter().any(|(text, _)| *text == name));
            let binding = match (lookup(&closure.environment, Local::named(&name)).cloned(), held) {
                (Some(Binding::Local(variable)), _) if self.locals.all[variable].mutable => {
                    let value = self.locals.read(variable, at);
                    self.copy_of(&name, value, to)
                }
                (None | Some(Binding::Outer(..)), Some(number)) => {
                    let variables = &self.outputs.accumulators[number].variables;
                    let part = variables.iter().position(|(text, _)| *text == name).unwrap_or_default();
                    let value = self.state(number, Component::Variable(part), at);
                    self.copy_of(&name, value, to)
                }
                (Some(Binding::Closure(inner)), _) => Binding::Closure(self.with_copies(inner, to)),
                _ => continue,
            };
            environment = Some(Rc::new(Named { name, binding, before: environment }));
        }
        let Closure { parameters, output, body, moves, outside, .. } = &*closure;
        Rc::new(Closure {
            parameters: parameters.clone(),
            output: output.clone(),
            body: body.clone(),
            environment,
            moves: *moves,
            outside: *outside,
        })
    }

    pub fn copy_of(&mut self, name: &str, value: Node, to: &mut Vec<Statement>) -> Binding {
        let copy = self.locals.add(name, value.ty.clone(), true);
        to.push(Statement::Let(copy, Some(value)));
        Binding::Local(copy)
    }

    /// Says where a `move` closure from outside of the loop owns what it uses, or has copies of what is changed after it was made: the
    /// loop would see the changed variables.
    pub fn refuse_stale(&mut self, name: &str, closure: &Closure, at: Location) {
        let (Some(function), Some(id), true, false) = (self.function, closure.outside, closure.moves, self.quiet)
        else {
            return;
        };
        for captured in mentioned(&closure.body.tokens) {
            let declared = function.declared.get(&ir::Local::named(&captured));
            // What is no copy is not there any more.
            let moved = declared.is_some_and(|declared| !declared.parameter && declared.is_made());
            if moved && matches!(lookup(&closure.environment, Local::named(&captured)), Some(Binding::Outer(..))) {
                self.obstacle(
                    at,
                    format!("`{name}` is a `move` closure, which owns `{captured}`: borrow it, without `move`"),
                );
                continue;
            }
            if !matches!(lookup(&closure.environment, Local::named(&captured)), Some(Binding::Outer(..)))
                || !declared.is_some_and(|declared| declared.mutable)
            {
                continue;
            }
            let (mut made, mut changed) = (false, false);
            function.body.walk(&mut |e| {
                made |= e.id == id;
                changed |= made && may_change(e, Local::named(&captured));
                !changed
            });
            if changed || !made {
                self.obstacle(
                    at,
                    format!(
                        "`{name}` is a `move` closure with a copy of `{captured}`, and `{captured}` may change after that: \
                         make the closure inside of the loop, or give `{captured}` another name before it"
                    ),
                );
            }
        }
    }

    /// A closure that an iterator takes, before its first item: its copies are the same for all of them.
    pub fn take_closure(&mut self, closure: &Expr, to: &mut Vec<Statement>) {
        if let Some(known) = self.handed_over(closure, to) {
            self.inlining.taken.insert(closure.bare().id, known);
        }
    }

    pub fn handed_over(&mut self, closure: &Expr, to: &mut Vec<Statement>) -> Option<Rc<Closure>> {
        match closure.name() {
            Some(name) => match self.names.get(name).cloned() {
                Some(Binding::Closure(known)) => {
                    self.refuse_stale(&name, &known, Location::from(closure));
                    Some(self.with_copies(known, to))
                }
                _ => None,
            },
            None => self.closure(closure, to),
        }
    }

    /// What a closure gives for values; it is written where it is called.
    pub fn apply(&mut self, closure: &Expr, items: Vec<Item>, at: Location) -> Node {
        let mut statements = Vec::new();
        let known = match self.inlining.taken.get(&closure.bare().id).cloned() {
            Some(known) => Some(known),
            None => self.handed_over(closure, &mut statements),
        };
        let fits = self.inlining.has_room();
        if let Some(known) = known
            && fits
            && known.parameters.len() == items.len()
        {
            let parameters: Vec<_> = known.parameters.iter().map(|p| (p.clone(), None)).collect();
            let scope = known.environment.clone();
            return self.inline_items(&parameters, known.output.as_ref(), &known.body, items, statements, scope, at);
        }
        if let Some(name) = closure.name()
            && let Some(Binding::Function(function)) = self.names.get(name).cloned()
            && fits
            && let Some((parameters, output, body, scope)) = self.nested(&function)
            && parameters.len() == items.len()
        {
            return self.inline_items(&parameters, output.as_ref(), &body, items, Vec::new(), scope, at);
        }
        // `map_or(0, u64::from)`.
        let text: String = closure.text().split_whitespace().collect();
        if let Some((owner, name)) = text.rsplit_once("::")
            && let Some(ty) = Type::named(owner)
            && let Some(node) = handed_conversion(&ty, name, &items)
        {
            return node;
        }
        // `f64::max`, handed to `fold`.
        if let ir::Kind::Path = closure.bare().kind
            && items.iter().all(|item| matches!(item, Item::Value(_) | Item::Place(_)))
        {
            let values = items.iter().filter_map(|item| match item {
                Item::Value(node) | Item::Place(node) => Some(node.clone()),
                _ => None,
            });
            if let Some(node) = self.path_of_number(closure, values.collect(), at) {
                return node;
            }
        }
        self.apply_marked(closure, items, at).unwrap_or_else(|| {
            self.stuck(at, format!("`{}` is handed on: a device calls closures that stand here", closure.shown()))
        })
    }
}

/// All names that tokens mention.
pub fn mentioned(tokens: &TokenStream) -> BTreeSet<Local> {
    let mut names = BTreeSet::new();
    for token in tokens.clone() {
        match token {
            TokenTree::Ident(name) => drop(names.insert(Local::from(&name))),
            TokenTree::Group(group) => names.extend(mentioned(&group.stream())),
            _ => {}
        }
    }
    names
}

/// Whether an expression may change a variable that is declared with `mut`.
pub fn may_change(e: &Expr, name: Local) -> bool {
    match &e.kind {
        ir::Kind::Assign(place, ..) => match &place.bare().kind {
            ir::Kind::Name(_) | ir::Kind::Field(..) | ir::Kind::Index(..) | ir::Kind::Unary('*', _) => {
                place.bare().root() == Some(name)
            }
            _ => place.mentions(name),
        },
        ir::Kind::Ref(true, place) => place.root() == Some(name),
        ir::Kind::Method(receiver, ..) => receiver.root() == Some(name),
        _ => false,
    }
}
