//! Another name for a variable, in code whose variables have names of their own.

use super::tokens::{assigns, mentions, name_of};
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;

/// Gives a variable another name.
pub(super) struct Rename<'a> {
    pub name: &'a Ident,
    pub to: &'a Ident,
    /// Whether a macro mentions it where it has no place of its own.
    pub hidden: bool,
    /// Whether code assigns it, or borrows it to change it.
    pub changed: bool,
}

impl VisitMut for Rename<'_> {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        let place = match e {
            syn::Expr::Assign(assign) => Some(&assign.left),
            syn::Expr::Binary(binary) if assigns(binary) => Some(&binary.left),
            syn::Expr::Reference(reference) if reference.mutability.is_some() => Some(&reference.expr),
            _ => None,
        };
        self.changed |= place.is_some_and(|place| name_of(place) == Some(self.name));
        if name_of(e) == Some(self.name) {
            let to = Ident::new(&self.to.to_string(), e.span());
            *e = syn::parse_quote!(#to);
        } else {
            syn::visit_mut::visit_expr_mut(self, e);
        }
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        if field.colon_token.is_none() {
            field.colon_token = Some(Default::default());
        }
        self.visit_expr_mut(&mut field.expr);
    }

    fn visit_macro_mut(&mut self, of: &mut syn::Macro) {
        of.tokens = self.tokens(std::mem::take(&mut of.tokens));
        // A string may mention it.
        self.hidden |= mentions(&of.tokens, self.name);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

impl Rename<'_> {
    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let mut behind_a_dot = false;
        let token = |token| {
            let after_dot = behind_a_dot;
            behind_a_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
            match token {
                TokenTree::Ident(name) if name == *self.name && !after_dot => {
                    Ident::new(&self.to.to_string(), name.span()).into()
                }
                TokenTree::Group(group) => {
                    let mut inside = Group::new(group.delimiter(), self.tokens(group.stream()));
                    inside.set_span(group.span());
                    inside.into()
                }
                other => other,
            }
        };
        tokens.into_iter().map(token).collect()
    }
}
