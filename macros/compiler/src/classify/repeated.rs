//! Arrays whose updates all apply one function to an element: `if h[k] < 255 { h[k] += 1; }`, `h[k] = (h[k] + 1) % 12`.
//!
//! The function may do anything to the element, as long as everything else that it reads is the same in all iterations: equal updates
//! commute. So a chunk counts the updates of each element.

use super::buffers::{Collected, is_placed};
use super::context::Classifier;
use super::nodes::{holds, single};
use crate::analysis::walk::{Event, Names, What};
use crate::front::attribute::Attribute;
use crate::front::parameters::Share;
use crate::ir::names::bindings;
use crate::ir::print::{Edit, expr};
use crate::ir::{Block, Expr, Id, Kind, Local, Op, Statement, StatementKind};
use crate::language::methods;
use crate::maps::{HashMap, HashSet, New as _};
use crate::plan::{Accumulator, Class, Leaf, Operator, Plan, Rewrite, Step, Update, Written, path_below};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

/// The updates of an array by one function.
struct Repeated<'e> {
    /// The statements, each with the index of its element.
    updates: Vec<(&'e Expr, &'e Expr)>,
    /// The parts of an element that the function reads and writes.
    paths: Vec<Vec<Step>>,
    update: Update,
}

impl Repeated<'_> {
    fn nodes(&self) -> Vec<Id> {
        let assigns = |e: &&Expr| matches!(e.kind, Kind::Assign(..));
        let inside = self.updates.iter().flat_map(|(update, _)| update.nodes().filter(assigns));
        self.updates.iter().map(|(update, _)| update.id).chain(inside.map(|e| e.id)).collect()
    }
}

impl Classifier<'_> {
    /// Accepts an array as a histogram if all its updates apply one function. Returns whether it is one.
    pub(super) fn repeated_bins(&self, name: Local, events: &[&Event], share: bool, result: &mut Plan) -> bool {
        // If the iteration determines the indices of the writes, it is a map.
        if events.iter().all(|event| is_placed(event)) {
            return false;
        }
        let f = result.f.clone();
        let Some(found) = self.repeated(name, events, &f.pattern.variables().collect(), &f.body) else { return false };
        let operator = Operator::Repeated(Box::new(found.update.clone()));
        let at = events.first().map_or(f.span, |e| e.place.start);
        let leaves = found.paths.iter().map(|path| Leaf { path: path.clone(), operator: operator.clone() });
        let rewrites = found.updates.iter().map(|(update, index)| (update.id, Rewrite::Repeat((*index).clone())));
        let (rewrites, nodes) = (rewrites.collect(), found.nodes());
        let collected = Collected { leaves: leaves.collect(), set: true, rewrites, nodes, ..Collected::new(share, at) };
        self.collected(name, collected, result)
    }

    /// Accepts a slice marked `#[scatter]` if all its updates apply one function. Returns whether it does.
    pub(super) fn repeated_scatter(&self, share: &Share, events: &[&Event], result: &mut Plan) -> bool {
        let f = result.f.clone();
        let inside = f.pattern.variables().collect();
        let Some(found) = self.repeated(share.name, events, &inside, &f.body) else { return false };
        let [path] = found.paths.as_slice() else { return false };
        let written = Written::Merge(Operator::Repeated(Box::new(found.update.clone())));
        let class = Class::Scatter { element: share.element.clone(), path: path.clone(), written };
        let rewrite = |(update, index): &(&Expr, &Expr)| {
            let nothing = Literal::u8_suffixed(0);
            let value = Expr { id: 0, kind: Kind::Int(0), span: update.span, tokens: quote!(#nothing) };
            (update.id, Rewrite::Scatter { place: (*index).clone(), value })
        };
        let rewrites: HashMap<Id, Rewrite> = found.updates.iter().map(rewrite).collect();
        let at = events.first().map_or(f.span, |event| event.place.start);
        let ident = format_ident!("{}", share.name);
        result.accumulators.push(Accumulator { rewrites, ..Accumulator::new(share.name, ident, class, at) });
        true
    }

    /// The updates of an array, if all accesses belong to updates by one function.
    fn repeated<'e>(
        &self,
        name: Local,
        events: &[&Event],
        inside: &HashSet<Local>,
        body: &'e Block,
    ) -> Option<Repeated<'e>> {
        let mut around: Vec<&Expr> = Vec::new();
        for event in events {
            match &event.what {
                What::Elements { single: true, .. } => {
                    let statement = |e: &&Expr| matches!(e.kind, Kind::Assign(..) | Kind::If(..) | Kind::Match(..));
                    let innermost = body.nodes().filter(|e| statement(e) && holds(e, event.id)).last()?;
                    around.push(innermost);
                }
                What::Len => {}
                _ => return None,
            }
        }
        let mut updates: Vec<&Expr> = Vec::new();
        for e in &around {
            let is_part = around.iter().any(|other| other.id != e.id && holds(other, e.id));
            if !is_part && updates.iter().all(|other| other.id != e.id) {
                updates.push(e);
            }
        }
        let mut inside = inside.clone();
        bindings(body, &mut |pattern| inside.extend(pattern.variables()));
        let changed = body.nodes().flat_map(Expr::changes).chain(inside).collect();
        let mut found = Repeated { updates: Vec::new(), paths: Vec::new(), update: Update::new(quote!(), false) };
        for update in updates {
            let applied = self.applied(name, update, &changed)?;
            if found.updates.is_empty() {
                (found.paths, found.update) = (applied.paths, applied.update);
            } else if found.update != applied.update {
                return None;
            }
            found.updates.push((update, applied.index));
        }
        // Marks in a distributed slice are a map or a scatter.
        let marks = |(update, _): &(&Expr, &Expr)| matches!(&update.kind, Kind::Assign(_, None, value) if !value.mentions(name));
        let is_own = self.attribute == Attribute::KaryReduce && !self.function.share(name);
        let accumulates = is_own || !found.updates.iter().all(marks);
        (accumulates && !found.updates.is_empty()).then_some(found)
    }

    /// A statement as the application of a function to an element. `changed` are the variables that differ between iterations.
    fn applied<'e>(&self, name: Local, update: &'e Expr, changed: &HashSet<Local>) -> Option<Applied<'e>> {
        let element = |e: &Expr| matches!(&e.kind, Kind::Index(of, _) if of.name() == Some(name));
        let mut index: Option<&Expr> = None;
        let (mut own, mut fits, mut paths, mut may_panic) = (HashSet::new(), is_unit(update), Vec::new(), false);
        bindings(&single(update), &mut |pattern| own.extend(pattern.variables()));
        update.walk(&mut |e| {
            if let Kind::Index(_, at) = &e.kind
                && element(e)
            {
                fits &= index.is_none_or(|index| index.is_written_as(at)) && is_plain(at) && !at.mentions(name);
                fits &= !own.iter().any(|name| at.mentions(*name));
                index = Some(at);
                return false;
            }
            fits &= match &e.kind {
                Kind::Name(other) => own.contains(other) || self.is_invariant(*other, changed),
                Kind::Assign(place, ..) => {
                    let root = place.places().iter().all(|place| {
                        place.root().is_some_and(|root| root == name || own.contains(&root)) && !has_deref(place)
                    });
                    root && !place.places().is_empty()
                }
                Kind::Method(_, method, ..) => methods::reads(method),
                // An index that depends on data is checked.
                _ => is_computation(e),
            };
            may_panic |= panics(e);
            fits
        });
        let index = index.filter(|_| fits && always_reads(update, &element))?;
        update.walk(&mut |e| match path_below(e, name) {
            Some(path) => {
                paths.extend((!paths.contains(&path)).then_some(path));
                false
            }
            None => true,
        });
        let code = expr(update, &OfElement { name });
        Some(Applied { index, paths, update: Update::new(quote!(#code;), may_panic) })
    }

    /// Whether a variable from outside of the loop has the same value in all iterations, and is no array of the loop.
    fn is_invariant(&self, name: Local, changed: &HashSet<Local>) -> bool {
        let declared = self.function.declared.contains_key(&name) && !self.function.closures.contains_key(&name);
        let constant = name.starts_with(char::is_uppercase);
        !changed.contains(&name) && !self.function.share(name) && (declared || constant)
    }
}

/// A statement as the application of a function.
struct Applied<'e> {
    index: &'e Expr,
    paths: Vec<Vec<Step>>,
    update: Update,
}

/// `*__element` in place of an element.
struct OfElement {
    name: Local,
}

impl Edit for OfElement {
    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        let Kind::Index(of, _) = &e.kind else { return None };
        (of.name() == Some(self.name)).then(|| {
            let element = Ident::new("__element", Span::call_site().located_at(e.span));
            quote!((*#element))
        })
    }
}

/// Whether an expression computes from its parts, without side effects and without leaving.
fn is_computation(e: &Expr) -> bool {
    match &e.kind {
        Kind::Path | Kind::Int(_) | Kind::Literal | Kind::Paren(_) | Kind::Field(..) | Kind::Tuple(_) => true,
        Kind::Binary(..) | Kind::Cast(..) | Kind::If(..) | Kind::Match(..) | Kind::Let(..) | Kind::Block(_) => true,
        Kind::Unary(op, _) => *op != '*',
        // The user guarantees that functions have no side effects.
        Kind::Call(function, arguments) => {
            matches!(function.bare().kind, Kind::Path)
                && arguments.iter().all(|e| !matches!(e.bare().kind, Kind::Ref(..) | Kind::Closure(..)))
        }
        _ => false,
    }
}

/// Whether an index may be evaluated once in place of several times.
fn is_plain(index: &Expr) -> bool {
    index.nodes().all(|e| match &e.kind {
        Kind::Name(_) | Kind::Path | Kind::Int(_) | Kind::Paren(_) | Kind::Field(..) | Kind::Index(..) => true,
        Kind::Binary(..) | Kind::Unary(..) | Kind::Cast(..) => true,
        Kind::Method(_, method, ..) => methods::reads(method),
        _ => false,
    })
}

fn has_deref(place: &Expr) -> bool {
    place.nodes().any(|e| matches!(e.kind, Kind::Unary('*', _)))
}

/// Whether a node, without its parts, may panic in a build without overflow checks.
fn panics(e: &Expr) -> bool {
    match &e.kind {
        Kind::Binary(Op::Div | Op::Rem, _, by) | Kind::Assign(_, Some(Op::Div | Op::Rem), by) => {
            !matches!(by.bare().kind, Kind::Int(number) if number != 0)
        }
        Kind::Method(_, method, ..) => !methods::never_panics(method),
        Kind::Call(..) => true,
        _ => false,
    }
}

/// Whether a statement has no value.
fn is_unit(e: &Expr) -> bool {
    let unit = |block: &Block| match block.statements.last() {
        Some(Statement { kind: StatementKind::Expr(last, semicolon), .. }) => *semicolon || is_unit(last),
        _ => true,
    };
    match &e.kind {
        Kind::Assign(..) => true,
        Kind::Block(block) => unit(block),
        Kind::If(_, then, otherwise) => unit(then) && otherwise.as_ref().is_none_or(|e| is_unit(e)),
        Kind::Match(_, arms) => arms.iter().all(|arm| is_unit(&arm.body)),
        Kind::Tuple(parts) => parts.is_empty(),
        _ => false,
    }
}

/// Whether a statement accesses the element in any case, so that an index out of bounds panics in any case.
fn always_reads(e: &Expr, element: &dyn Fn(&Expr) -> bool) -> bool {
    let reads = |e: &Expr| always_reads(e, element);
    match &e.kind {
        _ if element(e) => true,
        Kind::Assign(place, _, value) => reads(place) || reads(value),
        Kind::If(of, ..) | Kind::Match(of, _) | Kind::Let(_, of) => reads(of),
        Kind::Paren(of) | Kind::Field(of, _) | Kind::Unary(_, of) | Kind::Cast(of, ..) => reads(of),
        Kind::Binary(Op::AndAnd | Op::OrOr, first, _) => reads(first),
        Kind::Binary(_, one, other) => reads(one) || reads(other),
        Kind::Method(of, _, arguments, _) => reads(of) || arguments.iter().any(reads),
        Kind::Call(_, arguments) => arguments.iter().any(reads),
        Kind::Tuple(parts) => parts.iter().any(reads),
        _ => false,
    }
}
