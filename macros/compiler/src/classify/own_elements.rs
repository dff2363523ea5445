//! Elements that an iteration of a scan writes before it computes a scan state from them: `x[i] *= 2; s += x[i];`.
//!
//! The scan states are computed first, by a part of the body that writes no elements. So the element becomes a
//! variable, and later statements use the variable: `let mut own = x[i]; own *= 2; x[i] = own; s += own;`.

use super::context::Classifier;
use crate::analysis::dependency::Unsliceable;
use crate::analysis::walk::Names;
use crate::ir::names::{bindings, unraw};
use crate::ir::print::{Edit, expr, statement};
use crate::ir::report::Report;
use crate::ir::{Block, Expr, For, Id, Kind, Local, Op, Statement, StatementKind};
use crate::language::methods;
use crate::maps::HashSet;
use crate::plan::Plan;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::rc::Rc;

impl Classifier<'_> {
    /// The plan of the loop with a variable for the problematic element, if that solves the problem.
    pub(super) fn with_own_elements(&self, trouble: &Unsliceable, f: &Rc<For>, plan: &Plan) -> Option<Plan> {
        let Unsliceable::Stored(name, _) = trouble else { return None };
        let again = self.named(*name, f)?;
        let mut report = Report::default();
        let classifier = Classifier::new(self.function, self.attribute, self.after, self.trial);
        let found = classifier.run(Rc::new(again), plan.carried.clone(), &mut report)?;
        report.is_empty().then(|| Plan { written: plan.written.clone(), ..found })
    }

    /// The loop with a variable for the only element of an array that its iterations write, or for the target of an
    /// item.
    fn named(&self, array: Local, f: &For) -> Option<For> {
        let statements = &f.body.statements;
        // A second variable for the same array would not help either.
        let (prefix, mut again) = (prefix(array), false);
        bindings(&f.body, &mut |pattern| again |= pattern.names.iter().any(|b| b.name.starts_with(&prefix)));
        if again {
            return None;
        }
        let own = statements.iter().find_map(|s| stored(s, array))?.clone();
        if !self.is_the_same_throughout(&own, f) || !is_all(&f.body, array, &own) {
            return None;
        }
        let (mut source, mut held) = (TokenStream::new(), None);
        for (number, s) in statements.iter().enumerate() {
            let before = Held { element: &own, name: held.clone() };
            let (Some(place), StatementKind::Expr(Expr { kind: Kind::Assign(target, assigned, value), span, .. }, _)) =
                (stored(s, array), &s.kind)
            else {
                source.extend(statement(s, &before));
                continue;
            };
            let name = format_ident!("{prefix}{number}", span = *span);
            let (element, value) = (&place.tokens, expr(value, &before));
            let op: TokenStream = format!("{}=", assigned.map_or("", Op::text)).parse().ok()?;
            match assigned {
                None if target.id == place.id => source.extend(quote_spanned!(*span=> let mut #name = #value;)),
                _ => {
                    let was = expr(place, &before);
                    let target = expr(target, &Held { element: &own, name: Some(name.clone()) });
                    source.extend(quote_spanned!(*span=> let mut #name = #was; #target #op #value;));
                }
            }
            source.extend(quote!(#element = #name;));
            held = Some(name);
        }
        let block: syn::Block = syn::parse2(quote!({ #source })).ok()?;
        Some(For { body: self.function.code.lower.clone().body(&block), ..f.clone() })
    }

    /// Whether an element is the same one at all mentions in the body.
    fn is_the_same_throughout(&self, own: &Expr, f: &For) -> bool {
        let mut bound: HashSet<Local> = f.pattern.names.iter().filter(|b| b.mutable).map(|b| b.name).collect();
        bindings(&f.body, &mut |pattern| bound.extend(pattern.variables()));
        let Kind::Index(_, index) = &own.kind else { return own.root().is_some_and(|item| !bound.contains(&item)) };
        let mut same = true;
        index.walk(&mut |e| {
            same &= match &e.kind {
                Kind::Name(name) => !bound.contains(name) && !self.function.mutable(*name),
                // A length does not change.
                Kind::Method(_, method, ..) if methods::measures(method) => return false,
                Kind::Int(_) | Kind::Literal | Kind::Path | Kind::Paren(_) | Kind::Binary(..) | Kind::Cast(..) => true,
                _ => false,
            };
            same
        });
        same
    }
}

/// The prefix of the variables for an array's elements.
fn prefix(array: Local) -> String {
    format!("__own_{}_", unraw(&array))
}

/// The element of an array, or the target of an item, that a statement assigns as a whole or in part.
fn stored(s: &Statement, array: Local) -> Option<&Expr> {
    fn element(place: &Expr, array: Local) -> Option<&Expr> {
        match &place.kind {
            Kind::Index(of, _) | Kind::Unary('*', of) if of.name() == Some(array) => Some(place),
            Kind::Field(of, _) | Kind::Paren(of) | Kind::Index(of, _) => element(of, array),
            _ => None,
        }
    }
    match &s.kind {
        StatementKind::Expr(Expr { kind: Kind::Assign(target, ..), .. }, _) => element(target, array),
        _ => None,
    }
}

/// Whether a body only reads elements of an array, and assigns this one in statements at the top level.
fn is_all(body: &Block, array: Local, element: &Expr) -> bool {
    let stores: HashSet<Id> = body.statements.iter().filter_map(|s| stored(s, array)).map(|place| place.id).collect();
    let (mut mentions, mut elements, mut plain) = (0, 0, true);
    body.walk(&mut |e| {
        let of_array = |e: &Expr| e.root() == Some(array);
        match &e.kind {
            Kind::Name(name) => mentions += usize::from(name == array),
            Kind::Index(of, _) | Kind::Unary('*', of) if of.name() == Some(array) => {
                elements += 1;
                plain &= !stores.contains(&e.id) || e.is_written_as(element);
            }
            Kind::Ref(true, of) => plain &= !of_array(of),
            Kind::Method(of, method, ..) if methods::measures(method) && of.name() == Some(array) => elements += 1,
            Kind::Method(of, method, ..) => plain &= !of_array(of) || methods::only_reads(method),
            Kind::Closure(..) | Kind::Opaque(..) => plain &= !e.mentions(array),
            _ => {}
        }
        if let Kind::Assign(target, ..) = &e.kind {
            let stores_here = target.nodes().any(|e| stores.contains(&e.id));
            plain &=
                stores_here || !of_array(target) && matches!(target.places()[..], [place] if place.id == target.id);
        }
        plain
    });
    plain && mentions == elements
}

/// Replaces an element by a variable.
struct Held<'e> {
    element: &'e Expr,
    name: Option<Ident>,
}

impl Edit for Held<'_> {
    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        let name = self.name.as_ref().filter(|_| matches!(e.kind, Kind::Index(..) | Kind::Unary('*', _)))?;
        // The span is that of the user's tokens, for messages.
        e.is_written_as(self.element).then(|| {
            let name = Ident::new(&name.to_string(), e.span);
            quote!(#name)
        })
    }
}
