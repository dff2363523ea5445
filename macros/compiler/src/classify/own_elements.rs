//! Elements that an iteration of a scan writes before a running value is computed from them: `x[i] *= 2; s += x[i];`.
//!
//! The running values are computed beforehand, by a part of the body that stores nothing. So what is stored gets a name, and goes by
//! it from there on: `let mut own = x[i]; own *= 2; x[i] = own; s += own;`.

use super::context::Classifier;
use crate::analysis::dependency::Unsliceable;
use crate::analysis::walk::Names;
use crate::ir::names::{bindings, unraw};
use crate::ir::print::{Edit, expr, statement};
use crate::ir::report::Report;
use crate::ir::{Block, Expr, For, Id, Kind, Local, Op, Statement, StatementKind};
use crate::language::methods;
use crate::plan::Plan;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::collections::HashSet;
use std::rc::Rc;

impl Classifier<'_> {
    /// The plan of the loop with a name for the element that stands in the way, if it has one then.
    pub(super) fn with_own_elements(&self, trouble: &Unsliceable, f: &Rc<For>, plan: &Plan) -> Option<Plan> {
        let Unsliceable::Stored(name, _) = trouble else { return None };
        let again = self.named(*name, f)?;
        let mut report = Report::default();
        let classifier = Classifier::new(self.function, self.attribute, self.after, self.trial);
        let found = classifier.run(Rc::new(again), plan.carried.clone(), &mut report)?;
        report.is_empty().then(|| Plan { written: plan.written.clone(), ..found })
    }

    /// The loop with a name for the one element of an array that its iterations write, or for what an item refers to.
    fn named(&self, array: Local, f: &For) -> Option<For> {
        let statements = &f.body.statements;
        // Where a name was not enough, another one is not either.
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

    /// Whether an element is the same one wherever in the body it is named.
    fn is_the_same_throughout(&self, own: &Expr, f: &For) -> bool {
        let mut bound: HashSet<Local> = f.pattern.names.iter().filter(|b| b.mutable).map(|b| b.name).collect();
        bindings(&f.body, &mut |pattern| bound.extend(pattern.variables()));
        let Kind::Index(_, index) = &own.kind else { return own.root().is_some_and(|item| !bound.contains(&item)) };
        let mut same = true;
        index.walk(&mut |e| {
            same &= match &e.kind {
                Kind::Name(name) => !bound.contains(name) && !self.function.mutable(*name),
                // A length stays as it is.
                Kind::Method(_, method, ..) if methods::measures(method) => return false,
                Kind::Int(_) | Kind::Literal | Kind::Path | Kind::Paren(_) | Kind::Binary(..) | Kind::Cast(..) => true,
                _ => false,
            };
            same
        });
        same
    }
}

/// What the names of an array's elements begin with.
fn prefix(array: Local) -> String {
    format!("__own_{}_", unraw(&array))
}

/// The element of an array, or what an item refers to, that a statement assigns, as a whole or a part of it.
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

/// Whether a body does nothing with an array but read its elements, and assign this one in statements at the top.
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

/// Puts a name in place of an element.
struct Held<'e> {
    element: &'e Expr,
    name: Option<Ident>,
}

impl Edit for Held<'_> {
    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        let name = self.name.as_ref().filter(|_| matches!(e.kind, Kind::Index(..) | Kind::Unary('*', _)))?;
        // At the place of the author's words, for messages.
        e.is_written_as(self.element).then(|| {
            let name = Ident::new(&name.to_string(), e.span);
            quote!(#name)
        })
    }
}
