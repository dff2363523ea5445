//! Loops over fields: `for v in &self.data` is `let data = &self.data; for v in data`, as the later stages know arrays by their names.

use super::iterators::each_source;
use super::tokens::{bare, name_of, names_in};
use crate::ir::names::unraw;
use crate::language::methods;
use proc_macro2::Ident;
use quote::{ToTokens, quote_spanned};
use std::collections::HashSet;
use syn::spanned::Spanned;
use syn::visit_mut::{VisitMut, visit_expr_mut};

/// Gives names to the fields that loops go over, except in loops inside of others, whose iterations may change the fields. The result has
/// each new name with the field's, for messages.
pub fn borrow_fields(block: &mut syn::Block) -> Vec<(String, String)> {
    let mut words = Vec::new();
    names_in(block.to_token_stream(), &mut words);
    let mut borrow = Borrow { words: words.into_iter().map(|(word, _)| word).collect(), names: Vec::new() };
    borrow.visit_block_mut(block);
    borrow.names
}

struct Borrow {
    /// The words of the block: the compiler may have made it of a block with such names.
    words: HashSet<String>,
    names: Vec<(String, String)>,
}

impl VisitMut for Borrow {
    fn visit_stmt_mut(&mut self, statement: &mut syn::Stmt) {
        let syn::Stmt::Expr(syn::Expr::ForLoop(f), _) = statement else {
            return syn::visit_mut::visit_stmt_mut(self, statement);
        };
        let mut borrows: Vec<syn::Stmt> = Vec::new();
        each_source(&mut f.expr, None, &mut |source, method| {
            let (of, mutable) = match (&*source, method) {
                (syn::Expr::Reference(reference), _) => (bare(&reference.expr), reference.mutability.is_some()),
                (field, Some(method)) if methods::refers(method) => (field, method.ends_with("_mut")),
                _ => return,
            };
            let Some(field) = field(of) else { return };
            let free =
                (1..).map(|number| format!("__field_{field}_{number}")).find(|name| self.words.insert(name.clone()));
            let Some(name) = free.map(|name| Ident::new(&name, of.span())) else { return };
            let reference = if mutable { quote_spanned!(of.span()=> &mut) } else { quote_spanned!(of.span()=> &) };
            borrows.push(syn::parse_quote_spanned!(of.span()=> let #name = #reference #of;));
            self.names.push((name.to_string(), field));
            *source = syn::parse_quote!(#name);
        });
        if !borrows.is_empty() {
            let named = syn::parse_quote_spanned!(f.for_token.span()=> { #(#borrows)* #f });
            *statement = named;
        } else if matches!(*f.pat, syn::Pat::Wild(_)) {
            // Rounds of the loops inside.
            self.visit_block_mut(&mut f.body);
        }
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        if !matches!(e, syn::Expr::Closure(_) | syn::Expr::ForLoop(_)) {
            visit_expr_mut(self, e);
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// The last name of `self.grid.data`.
fn field(e: &syn::Expr) -> Option<String> {
    let syn::Expr::Field(syn::ExprField { base, member, .. }) = bare(e) else { return None };
    let name = || match member {
        syn::Member::Named(name) => unraw(&name.to_string()).to_owned(),
        syn::Member::Unnamed(index) => format!("field{}", index.index),
    };
    (name_of(base).is_some() || field(base).is_some()).then(name)
}
