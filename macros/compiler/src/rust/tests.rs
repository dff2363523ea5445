//! The expansion's own variables.

use crate::annotate;
use crate::testing::{annotated, functions_in};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::visit::Visit;

fn words(tokens: TokenStream, to: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => _ = to.insert(ident.to_string()),
            TokenTree::Group(group) => words(group.stream(), to),
            _ => {}
        }
    }
}

/// The variables that an expansion binds.
#[derive(Default)]
struct Bound(BTreeSet<String>);

impl<'ast> Visit<'ast> for Bound {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.0.insert(pattern.ident.to_string());
        syn::visit::visit_pat_ident(self, pattern);
    }
}

/// The expansion binds the user's variables, `i_2` for a second `i`, and variables that begin with two underscores. Variables of the user do
/// not begin so after `resolve`, so that neither hides the other.
#[test]
fn variables_of_the_expansion_are_told_from_the_users() {
    let (mut expanded, mut wrong) = (0, Vec::new());
    for (name, item) in functions_in("tests/corpus") {
        let mut written = BTreeSet::new();
        words(item.to_token_stream(), &mut written);
        let (attribute, args, item) = annotated(item);
        let expansion = annotate(attribute, args, item);
        let mut bound = Bound::default();
        // Methods stand among other items of an `impl`.
        match syn::parse2(expansion.clone()) {
            Ok(file) => bound.visit_file(&file),
            Err(_) => bound.visit_item_impl(&syn::parse_quote!(impl X { #expansion })),
        }
        let own = bound.0.into_iter().filter(|variable| {
            let renamed = variable.rsplit_once('_').is_some_and(|(stem, number)| {
                written.contains(stem) && number.chars().all(|digit| digit.is_ascii_digit())
            });
            !variable.starts_with("__") && !renamed && !written.contains(variable)
        });
        wrong.extend(own.map(|variable| format!("{name}: {variable}")));
        expanded += 1;
    }
    assert!(expanded > 300, "{expanded} functions");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
