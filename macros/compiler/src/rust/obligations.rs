//! Prints the assumptions about the user's names, so that rustc rejects a wrong one. None of it leaves machine code.

use crate::ir::obligation::{Function, Method, Obligation, Reason};
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use std::collections::{BTreeMap, HashSet};

/// The steps in which rustc looks for a method, each with the trait that all types have then.
const STEPS: [&str; 3] =
    ["Fa022OwnMethodsComeFirst", "Fa022OwnMethodsComeFirstByReference", "Fa022OwnMethodsComeFirstByMutableReference"];

/// Each obligation once, in a closure that nobody calls.
pub(super) fn printed<'o>(obligations: impl Iterator<Item = &'o Obligation>) -> TokenStream {
    let (mut seen, mut checks, mut macros) = (HashSet::new(), TokenStream::new(), TokenStream::new());
    let (mut methods, mut parameters) = (Vec::new(), BTreeMap::new());
    for obligation in obligations {
        match obligation {
            Obligation::Method(method) => {
                if let Some((name, ty)) = &method.parameter {
                    parameters.insert(name.to_string(), quote!(mut #name: #ty));
                }
                let called = called(method);
                if seen.insert(called.to_string()) {
                    methods.push(called);
                }
            }
            Obligation::Macro { path, arguments, at } => {
                macros.extend(quote_spanned!(*at=> let _ = || { let _ = #path!(#arguments); };));
            }
            other => {
                let check = check(other);
                if seen.insert(check.to_string()) {
                    checks.extend(check);
                }
            }
        }
    }
    let macros = (!macros.is_empty()).then(|| {
        quote!({
            use ::std::io::Write as _;
            use __obligations::fa022_macros_of_std::*;
            #macros
        })
    });
    if !methods.is_empty() {
        let methods: TokenStream = methods.into_iter().collect();
        for step in STEPS.map(|step| format_ident!("{step}")) {
            checks.extend(quote!({ use __obligations::#step as _; #methods }));
        }
    }
    if checks.is_empty() && macros.is_none() {
        return TokenStream::new();
    }
    let parameters = parameters.values();
    quote!(
        #[allow(unused, unreachable_code, clippy::all, clippy::pedantic)]
        let _ = |#(#parameters),*| {
            use ::forall::__private::obligations as __obligations;
            #checks
            #macros
        };
    )
}

/// A call of a method, on a value of the receiver's type.
fn called(method: &Method) -> TokenStream {
    let Method { receiver, name, arguments, .. } = method;
    quote_spanned!(name.span()=> __obligations::like(&(#receiver)).#name(#arguments);)
}

fn check(obligation: &Obligation) -> TokenStream {
    match obligation {
        Obligation::Function(function) => same(function),
        Obligation::Type { written, is, at } => {
            quote_spanned!(*at=> __obligations::fa022_this_is_the_type_of_std::<#is, #written>();)
        }
        Obligation::Some { at } => quote_spanned!(*at=>
            __obligations::fa022_this_is_the_function_of_std(::core::option::Option::Some::<u8>, Some::<u8>);
            match ::core::option::Option::None::<u8> { Some(_) => {} _ => {} };
        ),
        Obligation::None { at } => quote_spanned!(*at=>
            __obligations::fa022_this_is_none_of_std(None);
            match ::core::option::Option::None::<u8> { None => {} _ => {} };
        ),
        Obligation::Method(_) | Obligation::Macro { .. } => TokenStream::new(),
    }
}

/// Two functions have one type only if they are the same.
fn same(function: &Function) -> TokenStream {
    let Function { path, is, of, reason, at } = function;
    let same = match reason {
        Reason::Meaning => "fa022_this_is_the_function_of_std",
        Reason::Swap => "fa012_this_swaps",
        Reason::Operator => "fa032_this_is_the_function_of_std",
    };
    let (same, of) = (format_ident!("{same}", span = *at), of.as_ref().map(|of| quote_spanned!(*at=> &#of,)));
    quote_spanned!(*at=> __obligations::#same(#of #is, #path);)
}
