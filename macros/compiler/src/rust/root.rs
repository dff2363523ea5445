//! The path of the crate `forall` in the program that is compiled.
//!
//! The stages write `::forall`. The last step of an expansion replaces it where the program has the crate under another name.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::Parser;

/// Expands an attribute with the arguments other than `crate = path`. Without this argument, the crate has the name that `name` returns, or
/// `forall`.
pub fn rooted(
    name: impl FnOnce() -> Option<String>,
    args: TokenStream,
    expand: impl FnOnce(TokenStream) -> TokenStream,
) -> TokenStream {
    let (path, args) = taken(args);
    rename(expand(args), path, name)
}

/// Expands a derive. `#[device_data(crate = path)]` above the type gives the crate's path.
pub fn rooted_derive(
    name: impl FnOnce() -> Option<String>,
    item: TokenStream,
    expand: impl FnOnce(TokenStream) -> TokenStream,
) -> TokenStream {
    let attributes = syn::parse2::<syn::DeriveInput>(item.clone()).map(|item| item.attrs).unwrap_or_default();
    let path = attributes.iter().find_map(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("device_data") => taken(list.tokens.clone()).0,
        _ => None,
    });
    rename(expand(item), path, name)
}

fn rename(expansion: TokenStream, path: Option<TokenStream>, name: impl FnOnce() -> Option<String>) -> TokenStream {
    let path = path.or_else(|| {
        let name = syn::parse_str::<Ident>(&name()?).ok()?;
        Some(quote!(::#name))
    });
    match path {
        Some(path) => with_root(expansion, &path.into_iter().collect::<Vec<_>>()),
        None => expansion,
    }
}

/// The value of the argument `crate`, and the other arguments. Where it has no path, or two, the attribute reports it.
fn taken(args: TokenStream) -> (Option<TokenStream>, TokenStream) {
    type List = syn::punctuated::Punctuated<syn::Meta, syn::Token![,]>;
    let Ok(list) = List::parse_terminated.parse2(args.clone()) else { return (None, args) };
    let is_root = |meta: &syn::Meta| meta.path().is_ident("crate");
    let [syn::Meta::NameValue(syn::MetaNameValue { value: syn::Expr::Path(path), .. })] =
        list.iter().filter(|meta| is_root(meta)).collect::<Vec<_>>()[..]
    else {
        return (None, args);
    };
    let others: List = list.iter().filter(|meta| !is_root(meta)).cloned().collect();
    (Some(path.to_token_stream()), others.into_token_stream())
}

/// The tokens with a path in place of each `::forall` before `::__private`.
fn with_root(tokens: TokenStream, root: &[TokenTree]) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut renamed = Vec::with_capacity(tokens.len());
    let mut rest = &tokens[..];
    while let Some((first, others)) = rest.split_first() {
        if let Some(at) = begins_with_root(rest) {
            renamed.extend(root.iter().cloned().map(|token| located(token, at)));
            rest = &rest[ROOT..];
            continue;
        }
        renamed.push(match first {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), with_root(group.stream(), root));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other.clone(),
        });
        rest = others;
    }
    renamed.into_iter().collect()
}

/// The number of tokens in `::forall`.
const ROOT: usize = 3;

/// The place of `::forall::__private`, if tokens begin with it.
fn begins_with_root(tokens: &[TokenTree]) -> Option<Span> {
    let colon = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':');
    match tokens {
        [a, b, TokenTree::Ident(root), c, d, TokenTree::Ident(private), ..]
            if [a, b, c, d].into_iter().all(colon) && root == "forall" && private == "__private" =>
        {
            Some(root.span())
        }
        _ => None,
    }
}

/// A token of the path, at the place of `::forall`, to which messages about the expansion point. Its hygiene is that of the user's path.
fn located(mut token: TokenTree, at: Span) -> TokenTree {
    token.set_span(token.span().located_at(at));
    token
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attribute, annotate};

    fn expansion(args: TokenStream, name: Option<&str>) -> String {
        let item = quote!(
            fn f(x: &[f64], out: &mut [f64]) {
                for i in 0..x.len() {
                    out[i] = x[i];
                }
            }
        );
        let expand = |args| annotate(Attribute::Foreach, args, item);
        rooted(|| name.map(str::to_owned), args, expand).to_string()
    }

    #[test]
    fn no_other_name_of_the_crate_remains() {
        for (args, name, root) in [
            (quote!(crate = facade::forall), None, "facade :: forall :: __private"),
            (quote!(grain = 64, crate = facade::forall), Some("fa"), "facade :: forall :: __private"),
            (quote!(grain = 64), Some("fa"), ":: fa :: __private"),
            (quote!(), Some("r#type"), ":: r#type :: __private"),
        ] {
            let expansion = expansion(args, name);
            assert!(expansion.contains(root), "{expansion}");
            assert_eq!(expansion.matches(root).count(), expansion.matches("__private").count(), "{expansion}");
            assert!(!expansion.contains("compile_error"), "{expansion}");
        }
    }

    #[test]
    fn wrong_values_are_reported() {
        for args in [quote!(crate), quote!(crate = "forall"), quote!(crate = a, crate = b)] {
            assert!(expansion(args, None).contains("FA002"));
        }
    }
}
