//! `xs.iter().for_each(|x| ..)` as the loop that it is: `for x in xs.iter() { .. }`, where `return` is `continue`.

use super::tokens::{bare, names_in};
use crate::language::methods;
use crate::resolve::arguments::MacroArguments;
use proc_macro2::Span;
use quote::{ToTokens, format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{VisitMut, visit_expr_mut};

/// The loop that a statement is.
pub fn as_loop(statement: &syn::Stmt) -> Option<syn::Stmt> {
    let syn::Stmt::Expr(syn::Expr::MethodCall(call), _) = statement else { return None };
    let syn::ExprMethodCall { receiver, method, turbofish: None, args, .. } = call else { return None };
    let (Some(syn::Expr::Closure(closure)), 1, true) = (args.first(), args.len(), method == "for_each") else {
        return None;
    };
    let plain = closure.capture.is_none()
        && closure.asyncness.is_none()
        && closure.lifetimes.is_none()
        && closure.attrs.is_empty()
        && call.attrs.is_empty()
        && matches!(closure.output, syn::ReturnType::Default);
    let (Some(pattern), 1, true) = (closure.inputs.first(), closure.inputs.len(), plain && is_iterator(receiver))
    else {
        return None;
    };
    // A type that is written says what the variable is, in a loop's body too.
    let (pattern, typed) = match pattern {
        syn::Pat::Type(typed) => match &*typed.pat {
            syn::Pat::Ident(name) if name.subpat.is_none() => (&*typed.pat, Some((&name.ident, &typed.ty))),
            _ => return None,
        },
        other => (other, None),
    };
    let at = receiver.span();
    let mut body = match &*closure.body {
        syn::Expr::Block(block) if block.attrs.is_empty() && block.label.is_none() => block.block.clone(),
        value => syn::parse2(quote_spanned!(value.span()=> { #value; })).ok()?,
    };
    let label =
        syn::Lifetime::new(&format!("'{}", format_ident!("__each_{}_{}", at.start().line, at.start().column)), at);
    let mut returns = Returns { label: &label, found: false, hidden: false };
    returns.visit_block_mut(&mut body);
    if returns.hidden {
        return None;
    }
    if let Some((name, ty)) = typed {
        body.stmts.insert(0, syn::parse2(quote_spanned!(ty.span()=> let _: #ty = #name;)).ok()?);
    }
    let label = returns.found.then(|| quote_spanned!(at=> #label:));
    // The words of the loop stand where the iterator begins.
    let first = receiver.to_token_stream().into_iter().next().map_or_else(Span::call_site, |token| token.span());
    syn::parse2(quote_spanned!(first=> #label for #pattern in #receiver #body)).ok()
}

fn is_iterator(e: &syn::Expr) -> bool {
    match bare(e) {
        syn::Expr::Range(_) => true,
        syn::Expr::MethodCall(call) => {
            let known = methods::gives_iterator(&call.method.to_string());
            let begins = known && !matches!(bare(&call.receiver), syn::Expr::MethodCall(_) | syn::Expr::Range(_));
            begins || known && is_iterator(&call.receiver)
        }
        _ => false,
    }
}

/// Ends an iteration where a closure returns.
struct Returns<'l> {
    label: &'l syn::Lifetime,
    found: bool,
    /// Whether something may return that is not seen.
    hidden: bool,
}

impl VisitMut for Returns<'_> {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        match e {
            syn::Expr::Return(value) => {
                let (label, at) = (self.label, value.return_token.span);
                self.hidden |= value.expr.is_some();
                self.found = true;
                *e = syn::parse_quote_spanned!(at=> continue #label);
            }
            syn::Expr::Closure(_) | syn::Expr::Async(_) => {}
            _ => visit_expr_mut(self, e),
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        let mut names = Vec::new();
        names_in(mac.tokens.clone(), &mut names);
        self.hidden |= !MacroArguments::are_known(mac) || names.iter().any(|(name, _)| name == "return");
    }
}
