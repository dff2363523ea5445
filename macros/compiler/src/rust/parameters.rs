//! The parameters of a function that are distributed.

use crate::front::function::Function;
use crate::front::parameters::Share;
use crate::ir::names::{blocks_variable, shape_variable};
use crate::ir::{Local, Moved};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

/// The test whether the type of an array's elements is plain data. Errors point at the type.
pub(super) fn probe(element: &TokenStream) -> TokenStream {
    let at = element.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span());
    quote_spanned!(at=> (&__forall::bounds::Probe::<#element>::new()).__element())
}

/// The variable that holds the shape of a parameter, if it has one.
pub(super) fn shape_of(function: &Function, name: Local) -> Option<Ident> {
    function.shares.iter().find(|s| s.name == name)?.array.as_ref().map(|_| shape_variable(&name))
}

pub(super) fn is_by_value(share: &Share) -> bool {
    share.array.as_ref().is_some_and(|array| !array.reference)
}

/// A reference to what the caller passed.
pub(super) fn argument(share: &Share) -> TokenStream {
    let ident = format_ident!("{}", share.name, span = share.span);
    if is_by_value(share) { quote!(&#ident) } else { quote!(&*#ident) }
}

/// Statements that make a call's parameters of what the caller passed: handles, then that all ranks agree on them, then what
/// the body sees.
pub(super) fn bound(function: &Function) -> TokenStream {
    let inputs = function.parameters().map(|share| {
        let (ident, argument) = (format_ident!("{}", share.name, span = share.span), argument(share));
        let shape = share.array.as_ref().map(|array| {
            let (shape, element, dims) = (shape_variable(&share.name), &share.element, array.dims());
            quote!(let mut #shape = __forall::Shaped::<#element, #dims>::extents(#argument);)
        });
        let probe = Moved::from(probe(&share.element));
        if share.blocks {
            let (blocks, handle) = (blocks_variable(&share.name), if share.mutable { "output" } else { "input" });
            let handle = format_ident!("{handle}");
            return quote!(
                let #blocks = __forall::blocks::Inside::of(#argument);
                let mut #ident = #blocks.#handle(&__call, #ident);
            );
        }
        let handle = if share.mutable {
            let argument = if is_by_value(share) { quote!(&mut #ident) } else { quote!(#ident) };
            quote!(let mut #ident = #probe.output(&__call, #argument);)
        } else {
            quote!(let mut #ident = #probe.input(&__call, #argument);)
        };
        let handle = Moved::from(handle);
        quote!(#shape #handle)
    });
    let places = function.parameters().map(|share| {
        let ident = format_ident!("{}", share.name, span = share.span);
        quote!(#ident.place_mut())
    });
    let arrays = function.parameters().filter(|share| share.array.is_some());
    let shapes = arrays.map(|share| {
        let (name, shape) = (share.name.text(), shape_variable(&share.name));
        quote!((#name, &mut #shape))
    });
    let handles = function.parameters().map(|share| {
        let ident = format_ident!("{}", share.name, span = share.span);
        let handle = match shape_of(function, share.name) {
            Some(shape) => quote!(__forall::Grid::new(#ident, #shape)),
            None => quote!(#ident),
        };
        if share.mutable { quote!(let #ident = &mut #handle;) } else { quote!(let #ident = &#handle;) }
    });
    quote!(
        #(#inputs)*
        __call.align(&mut [#(#places),*], &mut [#(#shapes),*]);
        #(#handles)*
    )
}
