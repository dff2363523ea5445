//! The names that a function declares, so that what mentions them may stand elsewhere.

use super::tokens::named_by;
use quote::ToTokens;
use std::collections::HashSet;
use syn::visit::Visit;

/// The names that the items of a block give.
fn items_of(block: &syn::Block) -> impl Iterator<Item = String> {
    block.stmts.iter().flat_map(|statement| match statement {
        syn::Stmt::Item(item) => named_by(item.to_token_stream()),
        _ => Vec::new(),
    })
}

/// The names that patterns and items give.
#[derive(Default)]
pub struct Given(pub HashSet<String>);

impl Given {
    /// All names that a function declares.
    pub fn all(signature: &syn::Signature, block: &syn::Block) -> Self {
        let mut given = Given::before(signature, block);
        given.visit_block(block);
        given
    }

    /// Those that are given before a function begins: by its parameters, and by its items, which are seen everywhere.
    pub fn before(signature: &syn::Signature, block: &syn::Block) -> Self {
        let mut given = Given(items_of(block).collect());
        given.visit_signature(signature);
        given
    }

    /// Whether a name means the same wherever it stands behind a place of the function, before which these names are given.
    pub fn settles(&self, name: &str, all: &Given) -> bool {
        self.0.contains(name) || !all.0.contains(name)
    }
}

impl<'ast> Visit<'ast> for Given {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.0.insert(pattern.ident.to_string());
        syn::visit::visit_pat_ident(self, pattern);
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        self.0.extend(named_by(item.to_token_stream()));
    }
}
