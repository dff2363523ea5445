//! Whether a name means one thing in all of a function, so that what mentions it may stand elsewhere.

use super::tokens::named_by;
use quote::ToTokens;
use std::collections::{HashMap, HashSet};
use syn::visit::Visit;

/// How often each name of a function is given: by parameters, patterns and items. What an item inside of another block names counts twice,
/// as it hides what has the name outside.
#[derive(Default)]
pub struct Meanings(HashMap<String, usize>);

impl Meanings {
    pub fn of(signature: &syn::Signature, block: &syn::Block) -> Self {
        let mut meanings = Meanings::default();
        meanings.visit_signature(signature);
        meanings.visit_block(block);
        for name in items_of(block) {
            // It has been counted as one inside.
            meanings.0.entry(name).and_modify(|count| *count -= 1);
        }
        meanings
    }

    /// How often a name is given.
    pub fn count(&self, name: &str) -> usize {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// Whether a name means the same wherever it stands behind a place of the function, before which these names are given.
    pub fn is_settled(&self, name: &str, before: &HashSet<String>) -> bool {
        match self.count(name) {
            0 => true,
            1 => before.contains(name),
            _ => false,
        }
    }
}

impl<'ast> Visit<'ast> for Meanings {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        *self.0.entry(pattern.ident.to_string()).or_default() += 1;
        syn::visit::visit_pat_ident(self, pattern);
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        named_by(item.to_token_stream()).into_iter().for_each(|name| *self.0.entry(name).or_default() += 2);
    }
}

/// The names that the items of a block give.
fn items_of(block: &syn::Block) -> impl Iterator<Item = String> {
    block.stmts.iter().flat_map(|statement| match statement {
        syn::Stmt::Item(item) => named_by(item.to_token_stream()),
        _ => Vec::new(),
    })
}

/// The names that patterns give.
#[derive(Default)]
pub struct Given(pub HashSet<String>);

impl Given {
    /// Those that are given before a function begins: by its parameters, and by its items, which are seen everywhere.
    pub fn before(signature: &syn::Signature, block: &syn::Block) -> Self {
        let mut given = Given(items_of(block).collect());
        given.visit_signature(signature);
        given
    }
}

impl<'ast> Visit<'ast> for Given {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.0.insert(pattern.ident.to_string());
        syn::visit::visit_pat_ident(self, pattern);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}
