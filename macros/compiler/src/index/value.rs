//! Abstract values, as code that computes them.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::HashSet;
use std::rc::Rc;

/// An abstract value: the code that computes it, and the values that this code needs.
#[derive(Debug)]
pub struct Value {
    pub(super) ident: Ident,
    pub(super) code: TokenStream,
    pub(super) needs: Vec<Rc<Value>>,
}

/// Emits the code of a value, after that of what it needs, once each.
pub fn emit(value: &Rc<Value>, emitted: &mut HashSet<Ident>, to: &mut TokenStream) -> Ident {
    if emitted.insert(value.ident.clone()) {
        for need in &value.needs {
            emit(need, emitted, to);
        }
        let (ident, code) = (&value.ident, &value.code);
        to.extend(quote!(let #ident = #code;));
    }
    value.ident.clone()
}
