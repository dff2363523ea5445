//! Closures: their bodies are put in place of calls, and see what was captured.
//!
//! A closure that borrows sees variables as they are, which nothing else changes as long as it is used. A `move` closure has
//! copies from where it was made, and changes those alone.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Local};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::{Binding, Closure, Named, lookup};
use crate::wgsl::tree::{Component, Item, Node, Statement};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::rc::Rc;

impl Elaborate<'_> {
    /// A closure that is made here; copies of what it captures come before it.
    pub fn closure(&mut self, value: &Expr, to: &mut Vec<Statement>) -> Option<Rc<Closure>> {
        let ir::Kind::Closure(patterns, head, body) = &value.bare().kind else { return None };
        let closure = Closure {
            parameters: patterns.clone(),
            output: head.output.clone(),
            body: (**body).clone(),
            environment: self.names.environment.clone(),
            moves: head.moves,
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
            let binding = match (lookup(&closure.environment, name).cloned(), held) {
                (Some(Binding::Local(variable)), _) if self.locals.all[variable].mutable => {
                    let value = self.locals.read(variable, at);
                    Binding::Local(self.locals.set_up(&name, value, true, to))
                }
                (None | Some(Binding::Outer(..)), Some(number)) => {
                    let variables = &self.outputs.accumulators[number].variables;
                    let part = variables.iter().position(|(text, _)| *text == name).unwrap_or_default();
                    let value = self.state(number, Component::Variable(part), at);
                    Binding::Local(self.locals.set_up(&name, value, true, to))
                }
                (Some(Binding::Closure(inner)), _) => Binding::Closure(self.with_copies(inner, to)),
                _ => continue,
            };
            environment = Some(Rc::new(Named { name, binding, before: environment }));
        }
        Rc::new(Closure { environment, ..(*closure).clone() })
    }

    /// Says where a `move` closure from outside of the loop owns what it uses, or has copies of what is changed after it was made: the
    /// loop would see the changed variables.
    pub fn refuse_stale(&mut self, name: &str, closure: &Closure, at: Location) {
        let (Some(function), Some(id), true, false) = (self.input.function, closure.outside, closure.moves, self.quiet)
        else {
            return;
        };
        for captured in mentioned(&closure.body.tokens) {
            if !matches!(lookup(&closure.environment, captured), Some(Binding::Outer(..))) {
                continue;
            }
            let Some(declared) = function.declared.get(&captured) else { continue };
            // Only copies are still there.
            if !declared.parameter && declared.is_made() {
                let what = format!("`{name}` is a `move` closure, which owns `{captured}`: borrow it, without `move`");
                self.obstacle(at, what);
                continue;
            }
            let (mut made, mut changed) = (false, false);
            function.body.walk(&mut |e| {
                made |= e.id == id;
                changed |= made && may_change(e, captured);
                !changed
            });
            if declared.mutable && (changed || !made) {
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
        let Some(name) = closure.name() else { return self.closure(closure, to) };
        let known = self.callee(name)?;
        self.refuse_stale(&name, &known, Location::from(closure));
        Some(self.with_copies(known, to))
    }

    /// The result of a closure for values; its body stands where it is called.
    pub fn apply(&mut self, closure: &Expr, items: Vec<Item>, at: Location) -> Node {
        let mut statements = Vec::new();
        let known = match self.inlining.taken.get(&closure.bare().id).cloned() {
            Some(known) => Some(known),
            None => self.handed_over(closure, &mut statements),
        };
        if let Some(known) = known.filter(|known| known.parameters.len() == items.len())
            && self.inlining.has_room()
        {
            return self.inline(&known, items, statements, at);
        }
        // `map_or(0, u64::from)`; `f64::max`, handed to `fold`.
        if matches!(closure.bare().kind, ir::Kind::Path)
            && let Some(node) = self.path_of_number(closure, &items, at)
        {
            return node;
        }
        self.apply_marked(closure, items, at).unwrap_or_else(|| {
            self.stuck(at, format!("`{}` is handed on: a device calls closures that stand here", closure.shown()))
        })
    }

    /// The same for one value.
    pub fn apply_to(&mut self, closure: &Expr, value: &Node, at: Location) -> Node {
        self.apply(closure, vec![Item::Value(value.clone())], at)
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
    e.changes().contains(&name) || matches!(&e.kind, ir::Kind::Method(receiver, ..) if receiver.root() == Some(name))
}
