//! Loops over fields: `for v in &self.data` is `let data = &self.data; for v in data`, as the later stages know arrays by their names.

use super::iterators::each_source;
use super::tokens::{bare, name_of};
use crate::ir::names::unraw;
use crate::language::methods;
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{VisitMut, visit_expr_mut};

/// Gives names to the fields that loops go over, except in loops inside of others, whose iterations may change the fields. The result has
/// each new name with the field's, for messages.
pub fn borrow_fields(block: &mut syn::Block) -> Vec<(String, String)> {
    let mut borrow = Borrow::default();
    borrow.visit_block_mut(block);
    borrow.names
}

#[derive(Default)]
struct Borrow {
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
            let name = format_ident!("__{field}_{}", self.names.len() + 1, span = of.span());
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
