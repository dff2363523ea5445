//! Parentheses around the fragments that a macro of the user has inserted.
//!
//! `macro_rules!` inserts a fragment as a group without delimiters. rustc drops such groups from the output of an attribute macro: of `$e * 2`
//! with `1 + 2` as `$e`, it would read `1 + 2 * 2`.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::{VisitMut, visit_expr_mut, visit_type_mut};

/// Puts each fragment of a function into parentheses, unless it keeps its meaning without them.
pub fn parenthesize_function(function: &mut syn::ImplItemFn) {
    Fragments.visit_impl_item_fn_mut(function);
}

/// The same for an item. Tokens that are no item stay as they are.
pub fn parenthesize_item(item: TokenStream) -> TokenStream {
    let Ok(mut parsed) = syn::parse2::<syn::Item>(item.clone()) else { return item };
    Fragments.visit_item_mut(&mut parsed);
    parsed.into_token_stream()
}

struct Fragments;

impl VisitMut for Fragments {
    fn visit_stmt_mut(&mut self, statement: &mut syn::Stmt) {
        // A fragment that is a statement ends where the statement ends.
        if let syn::Stmt::Expr(e, _) = statement
            && let syn::Expr::Group(fragment) = e
            && is_statement(&fragment.expr)
        {
            *e = (*fragment.expr).clone();
        }
        syn::visit_mut::visit_stmt_mut(self, statement);
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        visit_expr_mut(self, e);
        if let syn::Expr::Group(fragment) = e {
            let inner = fragment.expr.clone();
            *e = match is_operand(&inner) {
                true => *inner,
                false => syn::Expr::Paren(syn::ExprParen {
                    attrs: Vec::new(),
                    paren_token: of_the_expansion(fragment.group_token.span),
                    expr: inner,
                }),
            };
        }
    }

    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        visit_type_mut(self, ty);
        if let syn::Type::Group(fragment) = ty {
            let elem = fragment.elem.clone();
            *ty = match *elem {
                syn::Type::FnPtr(_) | syn::Type::ImplTrait(_) | syn::Type::TraitObject(_) => {
                    let paren_token = of_the_expansion(fragment.group_token.span);
                    syn::Type::Paren(syn::TypeParen { attrs: Vec::new(), paren_token, elem })
                }
                elem => elem,
            };
        }
    }

    fn visit_macro_mut(&mut self, invocation: &mut syn::Macro) {
        invocation.tokens = in_tokens(invocation.tokens.clone());
    }
}

/// rustc has no advice on parentheses that an expansion brings.
fn of_the_expansion(at: Span) -> syn::token::Paren {
    syn::token::Paren(Span::mixed_site().located_at(at))
}

/// Whether an expression is the operand of any operator, without parentheses.
fn is_operand(e: &syn::Expr) -> bool {
    use syn::Expr as E;
    let negative = |literal: &syn::ExprLit| match &literal.lit {
        syn::Lit::Int(number) => number.base10_digits().starts_with('-'),
        syn::Lit::Float(number) => number.base10_digits().starts_with('-'),
        _ => false,
    };
    match e {
        E::Lit(literal) => !negative(literal),
        E::Array(_)
        | E::Call(_)
        | E::Field(_)
        | E::Index(_)
        | E::Macro(_)
        | E::MethodCall(_)
        | E::Paren(_)
        | E::Path(_)
        | E::Repeat(_)
        | E::Try(_)
        | E::Tuple(_) => true,
        _ => false,
    }
}

/// Whether an expression is a whole statement by itself.
fn is_statement(e: &syn::Expr) -> bool {
    use syn::Expr as E;
    matches!(
        e,
        E::Assign(_)
            | E::Block(_)
            | E::Break(_)
            | E::Continue(_)
            | E::ForLoop(_)
            | E::If(_)
            | E::Loop(_)
            | E::Match(_)
            | E::Return(_)
            | E::Unsafe(_)
            | E::While(_)
    )
}

/// The tokens of a macro's arguments. Fragments that are no expressions stay as they are.
fn in_tokens(tokens: TokenStream) -> TokenStream {
    let parenthesized = |token| match token {
        TokenTree::Group(group) => {
            let inner = in_tokens(group.stream());
            let expression = syn::parse2::<syn::Expr>(inner.clone());
            let (delimiter, span) = match group.delimiter() {
                Delimiter::None if expression.is_ok_and(|e| !is_operand(&e)) => {
                    (Delimiter::Parenthesis, Span::mixed_site().located_at(group.span()))
                }
                delimiter => (delimiter, group.span()),
            };
            let mut group = Group::new(delimiter, inner);
            group.set_span(span);
            TokenTree::Group(group)
        }
        token => token,
    };
    tokens.into_iter().map(parenthesized).collect()
}
