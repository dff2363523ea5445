//! Loops over fields: `for v in &self.data` becomes `let data = &self.data; for v in data`, as what loops go over has a name.

use super::tokens::bare;
use crate::ir::names::unraw;
use crate::language::methods;
use quote::{ToTokens, format_ident, quote_spanned};
use std::collections::HashSet;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{VisitMut, visit_expr_mut};

/// Lends the fields that loops go over, but for loops within others: an iteration may do there what it likes.
pub fn lend_fields(signature: &syn::Signature, block: &mut syn::Block) {
    let mut names = Names::default();
    names.visit_signature(signature);
    names.visit_block(block);
    Lend { taken: names.0, made: 0 }.visit_block_mut(block);
}

/// The names that a function gives and uses, but those of fields.
#[derive(Default)]
struct Names(HashSet<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.0.insert(pattern.ident.to_string());
        syn::visit::visit_pat_ident(self, pattern);
    }

    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        self.0.extend(e.path.segments.iter().map(|segment| segment.ident.to_string()));
        syn::visit::visit_expr_path(self, e);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        let mut names = Vec::new();
        super::tokens::names_in(called.to_token_stream(), &mut names);
        self.0.extend(names.into_iter().map(|(name, _)| name));
    }
}

struct Lend {
    taken: HashSet<String>,
    made: usize,
}

impl VisitMut for Lend {
    fn visit_stmt_mut(&mut self, statement: &mut syn::Stmt) {
        let syn::Stmt::Expr(syn::Expr::ForLoop(f), _) = statement else {
            return syn::visit_mut::visit_stmt_mut(self, statement);
        };
        let mut lent = Vec::new();
        self.header(&mut f.expr, &mut lent);
        if !lent.is_empty() {
            let at = f.for_token.span();
            let looped: syn::Stmt = syn::parse_quote_spanned!(at=> { #(#lent)* #f });
            *statement = looped;
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

impl Lend {
    /// Puts names in place of the fields at the beginnings of a header.
    fn header(&mut self, e: &mut syn::Expr, lent: &mut Vec<syn::Stmt>) {
        match e {
            syn::Expr::Paren(inner) => self.header(&mut inner.expr, lent),
            syn::Expr::Reference(reference) if field(&reference.expr).is_some() => {
                let mutable = reference.mutability.is_some();
                *e = self.lend(&reference.expr, mutable, lent);
            }
            syn::Expr::MethodCall(call) => {
                let method = call.method.to_string();
                if field(&call.receiver).is_some() && methods::refers(&method) {
                    *call.receiver = self.lend(&call.receiver, method.ends_with("_mut"), lent);
                } else {
                    self.header(&mut call.receiver, lent);
                }
                if method == "zip" {
                    call.args.iter_mut().for_each(|other| self.header(other, lent));
                }
            }
            _ => {}
        }
    }

    fn lend(&mut self, of: &syn::Expr, mutable: bool, lent: &mut Vec<syn::Stmt>) -> syn::Expr {
        let field = field(of).unwrap_or_default();
        let free = syn::parse_str::<syn::Ident>(&field).ok().filter(|_| self.taken.insert(field.clone()));
        let name = free.map_or_else(
            || {
                self.made += 1;
                format_ident!("__{field}_{}", self.made, span = of.span())
            },
            |name| syn::Ident::new(&name.to_string(), of.span()),
        );
        let reference = if mutable { quote_spanned!(of.span()=> &mut) } else { quote_spanned!(of.span()=> &) };
        lent.push(syn::parse_quote_spanned!(of.span()=> let #name = #reference #of;));
        syn::parse_quote!(#name)
    }
}

/// The last name of `self.grid.data`.
fn field(e: &syn::Expr) -> Option<String> {
    let syn::Expr::Field(found) = bare(e) else { return None };
    let of_variable = match bare(&found.base) {
        syn::Expr::Path(path) => path.path.get_ident().is_some(),
        inner => field(inner).is_some(),
    };
    of_variable.then(|| match &found.member {
        syn::Member::Named(name) => unraw(&name.to_string()).to_owned(),
        syn::Member::Unnamed(index) => format!("field{}", index.index),
    })
}
