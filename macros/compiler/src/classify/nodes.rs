//! Nodes of a loop's body.

use crate::algebra::updates::Update;
use crate::ir::place::Place;
use crate::ir::report::Location;
use crate::ir::{Block, Expr, For, Id, Kind, StatementKind};
use proc_macro2::{Ident, Span};
use quote::format_ident;

pub fn single(e: &Expr) -> Block {
    Block {
        statements: vec![crate::ir::Statement {
            id: 0,
            kind: StatementKind::Expr(e.clone(), true),
            tokens: e.tokens.clone(),
        }],
    }
}

/// Whether a node is in an expression.
pub fn holds(e: &Expr, node: Id) -> bool {
    e.nodes().any(|e| e.id == node)
}

/// The location of an update: the assignment, or the head of the `if` around it.
pub fn assignment(update: &Update<'_>) -> Location {
    match &update.node.kind {
        Kind::If(condition, ..) => Location::from(update.node.span).to(&**condition),
        _ => Location::from(update.node),
    }
}

/// The text of a node.
pub fn assigned(f: &For, node: Id) -> String {
    f.body.node(node).map(Expr::text).unwrap_or_default()
}

/// `path` of `place = path(place, e)`.
pub fn called(f: &For, assign: Id, place: &Place) -> Option<String> {
    let Kind::Assign(_, None, value) = &f.body.node(assign)?.kind else { return None };
    let Kind::Call(function, args) = &value.bare().kind else { return None };
    (args.len() == 2 && args[0].is(place)).then(|| function.shown())
}

/// From `for` to the end of the loop's header.
pub fn header(f: &For) -> Location {
    Location::from(f.span).to(&f.source)
}

/// The assignment whose place contains a node, and the place.
pub fn assignment_to(body: &Block, node: Id) -> Option<(&Expr, &Expr)> {
    body.nodes().find_map(|e| match &e.kind {
        Kind::Assign(target, ..) if on_the_way(target, node) => Some((&**target, e)),
        _ => None,
    })
}

/// Whether a node is the place, or a prefix of it.
fn on_the_way(place: &Expr, node: Id) -> bool {
    place.id == node
        || match &place.kind {
            Kind::Field(inner, _) | Kind::Index(inner, _) | Kind::Paren(inner) => on_the_way(inner, node),
            _ => false,
        }
}

/// The names of places inside the kernel.
pub(super) fn names_of(places: &[Place], kind: &str, at: Id) -> Vec<Ident> {
    let name = |(number, place): (u32, &Place)| match place.variable() {
        Some(name) => name.ident(),
        None => format_ident!("__{kind}_{at}_{number}", span = Span::mixed_site()),
    };
    (0..).zip(places).map(name).collect()
}
