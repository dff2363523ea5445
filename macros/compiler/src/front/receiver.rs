//! A method that calls itself on other values than `self`: on the children of a node. Its `self` is then a parameter like any other, which
//! calls hand down.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;

/// The parameter that stands for `self`.
pub const THIS: &str = "__this";

/// The block with a parameter in place of `self`, where the method calls itself on anything else: `c.walk(out)` is `Self::walk(&c, out)` then.
pub fn handed_down(signature: &syn::Signature, block: &syn::Block) -> Option<syn::Block> {
    signature.receiver()?;
    let mut calls = Calls { name: &signature.ident, count: signature.inputs.len(), on_others: false };
    let mut block = block.clone();
    calls.visit_block_mut(&mut block);
    let named = || syn::parse2(renamed(block.to_token_stream())).ok();
    if calls.on_others { named() } else { None }
}

/// Whether an expression is `self`.
fn is_self(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Path(path) => path.path.is_ident("self"),
        syn::Expr::Paren(inner) => is_self(&inner.expr),
        _ => false,
    }
}

/// Writes calls of the method as calls of a function, with the value that it is called on as an argument.
struct Calls<'a> {
    name: &'a Ident,
    /// How many parameters it has, with `self`.
    count: usize,
    on_others: bool,
}

impl VisitMut for Calls<'_> {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        syn::visit_mut::visit_expr_mut(self, e);
        match e {
            // An iterator's `count()` is no call of a method `count` that collects.
            syn::Expr::MethodCall(call) if call.method == *self.name && call.args.len() + 1 == self.count => {
                self.on_others |= !is_self(&call.receiver);
                let (this, name, arguments) = (&call.receiver, &call.method, &call.args);
                if let Ok(written) = syn::parse2(quote!(Self::#name(&#this, #arguments))) {
                    *e = written;
                }
            }
            syn::Expr::Call(call) => {
                let path = call.func.to_token_stream().to_string();
                let first = call.args.first().filter(|_| path == format!("Self :: {}", self.name));
                self.on_others |= first.is_some_and(|this| !is_self(this) && !is_lent(this));
            }
            _ => {}
        }
    }

    // Another item has another `self`.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Whether it is `&self`, as calls of the method on `self` are written here.
fn is_lent(e: &syn::Expr) -> bool {
    matches!(e, syn::Expr::Reference(lent) if is_self(&lent.expr))
}

fn renamed(tokens: TokenStream) -> TokenStream {
    let each = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let mut inside = Group::new(group.delimiter(), renamed(group.stream()));
            inside.set_span(group.span());
            TokenTree::Group(inside)
        }
        TokenTree::Ident(name) if name == "self" => TokenTree::Ident(Ident::new(THIS, name.span())),
        token => token,
    });
    each.collect()
}
