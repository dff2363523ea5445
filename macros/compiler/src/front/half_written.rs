//! Functions whose body is no Rust yet, as while somebody writes it.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;

/// A function to expand in place of one whose body cannot be parsed: it has no loops. `None` for all other items.
///
/// rustc has reported the error before it expands attributes. If it has not, the function has syntax that the compiler does not know. This is an
/// error of a lint, since rustc runs that lint only on programs without other errors.
pub fn half_written(item: &TokenStream) -> Option<TokenStream> {
    let mut head: Vec<TokenTree> = item.clone().into_iter().collect();
    let body = head.pop()?;
    let is_body = matches!(&body, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let stub = quote!(
        #[allow(unused)]
        #(#head)*
        {
            const _: () = {
                #[must_use = "FA022: this function has syntax that `forall` does not know. Write it in another way, or remove the attribute"]
                const fn fa022_this_syntax_is_known() -> bool {
                    false
                }
                #[deny(unused_must_use)]
                const fn required() {
                    fa022_this_syntax_is_known();
                }
                required()
            };
            ::core::unreachable!()
        }
    );
    let parses = |item: &TokenStream| syn::parse2::<syn::ImplItemFn>(item.clone()).is_ok();
    (is_body && !parses(item) && parses(&stub)).then_some(stub)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_functions_with_a_body_that_does_not_parse() {
        for text in
            ["fn f(x: &[f64]) { x[0]. }", "pub fn f<T>(#[replicated] x: &[T]) -> T where T: Copy { for i in 0.. }"]
        {
            let stub = half_written(&text.parse().unwrap()).unwrap();
            assert!(syn::parse2::<syn::ItemFn>(stub).is_ok());
        }
        for text in ["fn f() { }", "fn f();", "struct S { x: f64 }", "impl S { fn f() { x. } }", "fn f(x: ) { }", ""] {
            assert!(half_written(&text.parse().unwrap()).is_none(), "{text}");
        }
    }
}
