//! Tokens on their way into other tokens.

use proc_macro2::TokenStream;
use quote::ToTokens;
use std::cell::Cell;

/// Tokens that `quote!` interpolates once. They move into the new tokens: `quote!` copies a `TokenStream`, token by token, at each level of
/// code in code.
pub struct Moved(Cell<TokenStream>);

impl From<TokenStream> for Moved {
    fn from(tokens: TokenStream) -> Moved {
        Moved(Cell::new(tokens))
    }
}

impl ToTokens for Moved {
    fn to_tokens(&self, to: &mut TokenStream) {
        to.extend(std::iter::once(self.0.take()));
    }
}
