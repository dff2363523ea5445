//! Checks in a body that the methods which it calls are std's.

use super::obligations::of_methods;
use crate::front::function::Function;
use crate::ir::obligation::Method;
use crate::ir::print::{CheckOfMethod, Edit, expr};
use crate::ir::{Child, Expr, Id, Kind, Local, Pattern, StatementKind};
use crate::language::methods;
use crate::maps::{HashSet, New as _};
use crate::plan::{Class, Plan};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// The calls of methods in a body that the compiler assumes to be std's: those of numbers, and if the loop is translated for devices, all
/// that the translation may know. One call is enough for each variable and each method.
pub(super) struct MethodsOfStd(HashSet<Id>);

impl MethodsOfStd {
    pub(super) fn of(function: &Function, found: &Plan, translated: bool) -> Self {
        let (mut all, mut seen) = (HashSet::new(), HashSet::new());
        let share = |name: Local| function.shares.iter().any(|share| share.name == name);
        let variables = found.accumulators.iter().flat_map(|accumulator| accumulator.variables());
        let variables: HashSet<Local> = variables.map(|variable| variable.root).collect();
        let deciding = deciding(found);
        found.f.body.walk(&mut |e| {
            let Kind::Method(receiver, method, ..) = &e.kind else { return true };
            // In a chunk, another variable of another type may stand for an accumulator.
            if receiver.root().is_some_and(|root| variables.contains(&root)) {
                return true;
            }
            let decides = deciding.contains(&e.id);
            let known = decides
                || methods::is_of_numbers(method)
                || method == "by_ref"
                || translated && methods::is_known(method);
            if !known || methods::assumed(method).is_empty() {
                return true;
            }
            let checked = match &receiver.bare().kind {
                // These methods of std take references. One of a trait that takes a value comes first.
                _ if decides => true,
                Kind::Name(name) => !share(*name) && seen.insert((*name, method.clone())),
                // Elements of a distributed slice are no references.
                Kind::Index(base, _) => base.root().is_some_and(|root| !share(root)),
                Kind::Method(_, inner, ..) => !methods::is_of_numbers(inner) && !methods::measures(inner),
                Kind::Int(_) | Kind::Literal | Kind::Binary(..) | Kind::Unary(..) | Kind::Cast(..) => false,
                _ => true,
            };
            if checked {
                all.insert(e.id);
            }
            true
        });
        MethodsOfStd(all)
    }

    /// The check of a call.
    pub(super) fn check(&self, call: &Expr, receiver: &TokenStream) -> Option<CheckOfMethod> {
        let Kind::Method(on, ..) = &call.kind else { return None };
        if !self.0.contains(&call.id) {
            return None;
        }
        if is_place(on) {
            return Some(CheckOfMethod::OfPlace(in_closure(&Method::called(call, receiver))));
        }
        let held = Ident::new("__receiver", Span::mixed_site());
        let checks = in_closure(&Method::called(call, &quote!(*#held)));
        Some(CheckOfMethod::OfValue(quote!(|#held| { #checks })))
    }

    /// The checks of the calls in an expression that other code replaces: that code need not call the methods.
    pub(super) fn checks_of_replaced(&self, e: &Expr, edit: &dyn Edit) -> Option<TokenStream> {
        let (mut bound, mut all) = (HashSet::new(), Vec::new());
        e.walk(&mut |e| {
            names_bound(e, &mut bound);
            true
        });
        e.walk(&mut |call| {
            if let Kind::Method(on, ..) = &call.kind
                && self.0.contains(&call.id)
                && may_be_mentioned(on, &bound)
            {
                all.extend(Method::called(call, &expr(on, edit)));
            }
            true
        });
        (!all.is_empty()).then(|| in_closure(&all))
    }
}

/// The comparisons that decide about best values.
fn deciding(found: &Plan) -> HashSet<Id> {
    let best = found.accumulators.iter().filter(|accumulator| matches!(accumulator.class, Class::Best { .. }));
    let nodes: HashSet<Id> = best.flat_map(|accumulator| accumulator.nodes.iter().copied()).collect();
    let updates = found.f.body.nodes().filter(|e| nodes.contains(&e.id));
    let compares = |e: &&Expr| matches!(&e.kind, Kind::Method(_, method, ..) if methods::compares(method));
    updates.flat_map(Expr::nodes).filter(compares).map(|e| e.id).collect()
}

/// Whether an expression is a place, which may be mentioned twice.
fn is_place(e: &Expr) -> bool {
    match &e.bare().kind {
        Kind::Name(_) | Kind::Path => true,
        Kind::Field(inner, _) | Kind::Unary('*', inner) => is_place(inner),
        Kind::Index(base, index) => is_place(base) && !matches!(index.bare().kind, Kind::Block(_) | Kind::Try(_)),
        _ => false,
    }
}

/// The names that the patterns of an expression bind.
fn names_bound(e: &Expr, to: &mut HashSet<Local>) {
    let mut add = |pattern: &Pattern| to.extend(pattern.names.iter().map(|binding| binding.name));
    match &e.kind {
        Kind::Let(pattern, _) => add(pattern),
        Kind::Match(_, arms) => arms.iter().for_each(|arm| add(&arm.pattern)),
        Kind::For(found) => add(&found.pattern),
        Kind::Closure(parameters, ..) => parameters.iter().for_each(&mut add),
        _ => {}
    }
    e.children().iter().for_each(|child| {
        if let Child::Block(block) = child {
            block.statements.iter().for_each(|statement| {
                if let StatementKind::Let(pattern, ..) = &statement.kind {
                    add(pattern);
                }
            });
        }
    });
}

/// Whether an expression can stand in a closure beside itself: it binds nothing, leaves nothing and mentions none of these names.
fn may_be_mentioned(e: &Expr, bound: &HashSet<Local>) -> bool {
    let mut may = true;
    e.walk(&mut |e| {
        may &= match &e.kind {
            Kind::Name(name) => !bound.contains(name),
            Kind::Try(_)
            | Kind::Return(_)
            | Kind::Break(..)
            | Kind::Continue(_)
            | Kind::Opaque(_)
            | Kind::Macro(..) => false,
            _ => true,
        };
        may
    });
    may
}

/// These checks, in a closure that nobody calls.
fn in_closure(methods: &[Method]) -> TokenStream {
    let checks = of_methods(&methods.iter().collect::<Vec<_>>());
    quote!(
        #[allow(unused, unreachable_code, clippy::all, clippy::pedantic)]
        let _ = || {
            use __forall::obligations as __obligations;
            #checks
        };
    )
}
