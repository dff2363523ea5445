//! The expansion for editors: the function as it was written, and the signature that callers see.
//!
//! An editor maps each word of the source to all tokens of the expansion that cover its place, and shows or renames them all. It therefore gets the
//! user's tokens alone, without the code that runs a loop.

use super::function::with_errors;
use crate::front::function::Function;
use proc_macro2::{Group, Span, TokenStream, TokenTree};

/// A function, as it was received, with the errors that the compiler reports about it.
pub fn in_editor(mut function: Function, received: &TokenStream, errors: TokenStream) -> TokenStream {
    if let Some(TokenTree::Group(body)) = received.clone().into_iter().last() {
        // A parsed body has brackets that cover their content.
        let tokens = syn::Expr::Verbatim(without_markers(body.stream()));
        function.code.written.stmts = vec![syn::Stmt::Expr(tokens, None)];
    }
    // A name that is emitted twice stays with the function that callers call, and a parameter with the function as it was written.
    let elsewhere = Span::call_site();
    function.original.sig.ident.set_span(elsewhere);
    for input in &mut function.signature.inputs {
        if let syn::FnArg::Typed(typed) = input
            && let syn::Pat::Ident(name) = &mut *typed.pat
        {
            name.ident.set_span(elsewhere);
        }
    }
    with_errors(&function, errors)
}

/// The tokens of a body without `#[sequential]`. Groups without this attribute stay as they are.
fn without_markers(tokens: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let TokenTree::Group(group) = &token else {
            kept.push(token);
            continue;
        };
        let after_hash = matches!(kept.last(), Some(TokenTree::Punct(hash)) if hash.as_char() == '#');
        let last = group.stream().into_iter().last();
        if after_hash && matches!(last, Some(TokenTree::Ident(name)) if name == "sequential") {
            kept.pop();
            continue;
        }
        let inside = without_markers(group.stream());
        if inside.to_string() == group.stream().to_string() {
            kept.push(token);
        } else {
            let mut changed = Group::new(group.delimiter(), inside);
            changed.set_span(group.span());
            kept.push(changed.into());
        }
    }
    kept.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_removed_alone() {
        let tokens = "#[allow(unused)] let a = [1, 2]; #[sequential] for i in 0..2 { #[forall::sequential] for j in 0..a[i] { f(j); } }";
        let kept = without_markers(tokens.parse().unwrap()).to_string();
        let expected: TokenStream =
            "#[allow(unused)] let a = [1, 2]; for i in 0..2 { for j in 0..a[i] { f(j); } }".parse().unwrap();
        assert_eq!(kept, expected.to_string());
    }
}
