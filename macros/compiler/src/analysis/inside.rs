//! The names that the body of a loop rebinds.

use crate::front::tokens::names_in;
use crate::ir::names::bindings;
use crate::ir::{Block, Child, For, Local, StatementKind};
use crate::maps::HashSet;
use proc_macro2::{TokenStream, TokenTree};

/// The names that a loop declares itself.
pub fn declared(f: &For) -> HashSet<Local> {
    let mut inside: HashSet<Local> = f.pattern.variables().collect();
    bindings(&f.body, &mut |pattern| inside.extend(pattern.variables()));
    inside.extend(items_in(&f.body));
    inside
}

/// The first name of a path, unless the path has the same meaning everywhere: `max` of `max(a, b)`, `cmp` of
/// `cmp::max(a, b)`.
pub fn first_name(path: &TokenStream) -> Option<Local> {
    let Some(TokenTree::Ident(first)) = path.clone().into_iter().next() else { return None };
    let everywhere = ["self", "super", "crate"].iter().any(|root| first == root);
    (!everywhere).then(|| Local::from(&first))
}

/// The names in the items of a body, at any depth: these items may declare names that are not in scope outside of it.
pub fn items_in(body: &Block) -> HashSet<Local> {
    let mut names = Vec::new();
    let mut of_block = |block: &Block| {
        for statement in &block.statements {
            if matches!(statement.kind, StatementKind::Item(_)) {
                names_in(statement.tokens.clone(), &mut names);
            }
        }
    };
    of_block(body);
    for e in body.nodes() {
        for child in e.children() {
            if let Child::Block(block) = child {
                of_block(block);
            }
        }
    }
    names.into_iter().map(|(name, _)| Local::named(&name)).collect()
}
