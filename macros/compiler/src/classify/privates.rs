//! Variables that each iteration sets before it reads them. The loop gets a variable of its own in their place:
//!
//! ```text
//! let mut t = 0.0;                       let mut t = 0.0;
//! for i in 0..x.len() {          =>      for i in 0..x.len() {
//!     t = x[i];                              let mut t;
//!     y[i] = t * t;                          t = x[i];
//! }                                          y[i] = t * t;
//!                                        }
//! ```

use super::context::After;
use crate::flow::{Access, Fresh, Graph};
use crate::front::function::Function;
use crate::ir::names::{bindings, type_variable};
use crate::ir::print::{print_parts, statement_of};
use crate::ir::{Block, Expr, For, Kind, Local, Statement, StatementKind, Unknown};
use crate::maps::HashSet;
use quote::quote;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The loop with a declaration at the start of its body for each private variable, and these variables.
pub(super) fn declared_inside(function: &Function, f: &Rc<For>, after: &After<'_>) -> (Rc<For>, Vec<Local>) {
    let found = privates(function, f, after);
    if found.is_empty() {
        return (f.clone(), Vec::new());
    }
    let mut again = For::clone(f);
    for (name, variable) in found.iter().rev() {
        declare(&mut again.body, *name, declared(function, *name, variable));
    }
    (Rc::new(again), found.into_iter().map(|(name, _)| name).collect())
}

/// The private variables, each with a mention.
fn privates(function: &Function, f: &For, after: &After<'_>) -> Vec<(Local, Expr)> {
    let graph = Graph::of_iteration(f);
    let mut own: HashSet<Local> = f.pattern.variables().collect();
    bindings(&f.body, &mut |pattern| own.extend(pattern.variables()));
    let mut set: BTreeMap<Local, &Access<'_>> = BTreeMap::new();
    for (_, access) in graph.accesses().filter(|(_, access)| access.sets()) {
        set.entry(access.root).or_insert(access);
    }
    let outer = |name: Local| {
        let declared = function.declared.get(&name).filter(|_| !own.contains(&name));
        declared.is_some_and(|declared| !declared.reference && declared.everywhere.is_none())
            && function.shares.iter().all(|share| share.name != name)
            && function.pushes.iter().all(|push| push.name != name)
    };
    let private = |(name, access): (Local, &Access<'_>)| {
        let private = outer(name)
            && Fresh::unset(name).holds(&graph)
            && !(after.live)(name)
            && !has_address(&function.body, name);
        private.then(|| (name, access.variable.clone()))
    };
    set.into_iter().filter_map(private).collect()
}

/// Whether code may read a variable by an address that it holds without a borrow: `&raw const name`, `&name as *const T`.
fn has_address(body: &Block, name: Local) -> bool {
    let (mut trusted, mut held) = (false, false);
    for e in body.nodes() {
        match &e.kind {
            Kind::Opaque(opaque) => {
                trusted = true;
                held |= opaque.what == Unknown::RawPointer && opaque.parts.iter().any(|part| part.root() == Some(name));
            }
            Kind::Ref(_, of) => held |= of.root() == Some(name),
            _ => {}
        }
    }
    trusted && held
}

/// Inserts a declaration at the start of the innermost block that has all mentions of the variable.
fn declare(block: &mut Block, name: Local, declaration: Statement) {
    let mut mentions = block.statements.iter_mut().filter(|statement| statement.mentions(name));
    if let (Some(statement), None) = (mentions.next(), mentions.next())
        && let StatementKind::Expr(e, semicolon) = &mut statement.kind
        && let Some(inner) = inner(e, name)
    {
        declare(inner, name, declaration);
        e.tokens = print_parts(e);
        statement.tokens = statement_of(e, e.tokens.clone(), *semicolon);
        return;
    }
    block.statements.insert(0, declaration);
}

/// The block in an expression that has all mentions of a variable, if each run of the block sets the variable first.
fn inner(e: &mut Expr, name: Local) -> Option<&mut Block> {
    match &mut e.kind {
        Kind::Block(block) => Some(block),
        Kind::If(condition, then, None) if !condition.mentions(name) => Some(then),
        Kind::For(f) if !f.source.mentions(name) && Fresh::unset(name).holds(&Graph::of_iteration(f)) => {
            Some(&mut Rc::make_mut(f).body)
        }
        _ => None,
    }
}

/// `let mut name;`, with the type of the variable outside of the loop.
fn declared(function: &Function, name: Local, variable: &Expr) -> Statement {
    let mut lower = function.code.lower.clone();
    let (ident, of) = (name.spanned(variable.span), type_variable(&name));
    let pattern: syn::Pat = syn::parse_quote!(mut #ident);
    Statement {
        id: lower.id(),
        kind: StatementKind::Let(lower.pattern(&pattern), None, None),
        tokens: quote!(let mut #ident; while false { #ident = #of.value(); }),
    }
}
