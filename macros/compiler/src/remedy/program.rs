//! An annotated function, as the compiler received it.

use crate::front::attribute::Attribute;
use proc_macro2::TokenStream;

/// An annotated function.
#[derive(Clone)]
pub struct Program {
    pub attribute: Attribute,
    pub args: TokenStream,
    pub item: syn::ImplItemFn,
}
