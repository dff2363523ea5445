//! Prints the assumptions about the user's names, so that rustc rejects a wrong one. None of it leaves machine code.

use crate::ir::obligation::{Function, Method, Obligation, Reason};
use crate::language::methods::{self, Argument, Family};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::collections::{BTreeMap, HashSet};

/// The steps in which rustc looks for a method: the trait of each, and how its methods take the receiver.
const STEPS: [(&str, &str); methods::STEPS] = [
    ("Fa022OwnMethodsComeFirst", "self"),
    ("Fa022OwnMethodsComeFirstByReference", "&self"),
    ("Fa022OwnMethodsComeFirstByMutableReference", "&mut self"),
];

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
                let Method { receiver, name, family, .. } = method;
                if seen.insert(format!("{family:?} {receiver} . {name}")) {
                    methods.push(method);
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
    checks.extend(of_methods(&methods));
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

/// Checks that rustc finds no other methods than those that are assumed. The code names `__obligations`.
pub(super) fn of_methods(all: &[&Method]) -> TokenStream {
    let mut checks = TokenStream::new();
    // Receivers may call methods themselves: they stand where the traits below are not in scope.
    let mut receivers = BTreeMap::new();
    for method in all {
        let (receiver, number) = (&method.receiver, receivers.len());
        receivers.entry(receiver.to_string()).or_insert_with(|| {
            let held = format_ident!("__receiver_{number}", span = Span::mixed_site());
            checks.extend(quote_spanned!(method.name.span()=> let #held = __obligations::Captured(&(#receiver));));
            held
        });
    }
    for (number, (step, receiver)) in STEPS.into_iter().enumerate() {
        // A trait has one method of a name: methods of one name with other arguments come in another trait.
        let mut left: Vec<&Method> = all.iter().copied().filter(|method| method.steps > number).collect();
        while let Some(first) = left.first() {
            let family = first.family;
            let (mut declared, mut together, mut others) = (BTreeMap::new(), Vec::new(), Vec::new());
            for method in left {
                let fits = method.family == family
                    && *declared.entry(method.name.to_string()).or_insert_with(|| method.arguments.clone())
                        == method.arguments;
                if fits { together.push(method) } else { others.push(method) }
            }
            checks.extend(in_one_step(step, receiver, family, &together, &receivers));
            left = others;
        }
    }
    checks
}

/// A trait with methods of these names for one step, and a call of each.
fn in_one_step(
    step: &str,
    receiver: &str,
    family: Family,
    methods: &[&Method],
    receivers: &BTreeMap<String, Ident>,
) -> TokenStream {
    let (mut declared, mut seen) = (TokenStream::new(), HashSet::new());
    let (step, taken) = (format_ident!("{step}"), receiver.parse::<TokenStream>().unwrap_or_default());
    for method in methods {
        if seen.insert(method.name.to_string()) {
            let (name, types) = (&method.name, method.arguments.iter().map(|argument| in_code(*argument).0));
            declared.extend(quote!(fn #name(#taken, #(_: #types),*) {}));
        }
    }
    let (of, [inside, outside, value]) = match family {
        Family::Any => (None, ["HasSize", "HasNoSize", "sized"]),
        Family::OfStd => (Some("TypeOfStd"), ["HasMethodsOfStd", "NoMethodsOfStd", "of_std"]),
        Family::Indexed => (Some("Indexed"), ["HasElements", "NoElements", "indexed"]),
        Family::Keyed => (Some("Keyed"), ["HasKeys", "NoKeys", "keyed"]),
        Family::Owned => (Some("Owned"), ["OwnsItself", "OwnsNothing", "owned"]),
        Family::Float => (Some("Float"), ["IsFloat", "NoFloat", "float"]),
    };
    let [inside, outside, value] = [inside, outside, value].map(|name| format_ident!("{name}"));
    let calls = methods.iter().map(|method| {
        let (name, receiver) = (&method.name, &receivers[&method.receiver.to_string()]);
        let arguments = method.arguments.iter().map(|argument| in_code(*argument).1);
        quote_spanned!(name.span()=> (&#receiver).#value().#name(#(#arguments),*);)
    });
    let of = of.map(|of| format_ident!("{of}")).map(|of| quote!(__obligations::#of +));
    let check = |implemented: TokenStream| {
        let calls = calls.clone();
        quote!({
            use __obligations::{#inside as _, #outside as _};
            trait #step: Sized { #declared }
            #implemented
            #(#calls)*
        })
    };
    if receiver == "self" {
        return check(quote!(impl<T: #of> #step for T {}));
    }
    // On a reference, the method of the type behind it would be found one step earlier.
    let owned = (family != Family::Any).then(|| quote!(__obligations::Owned));
    let itself = check(quote!(impl<T: #of #owned> #step for T {}));
    let reference = matches!(family, Family::Any | Family::OfStd | Family::Indexed | Family::Float).then(|| {
        check(quote!(
            impl #step for __obligations::NoReceiver {}
            impl<T: #of ?Sized> #step for &T {}
            impl<T: #of ?Sized> #step for &mut T {}
        ))
    });
    quote!(#itself #reference)
}

/// The type of a parameter, and an argument.
fn in_code(argument: Argument) -> (TokenStream, TokenStream) {
    let (any, nothing) = (quote!(__obligations::any()), quote!(_));
    let function = |count: usize, result: TokenStream| {
        let (parameters, types) = (vec![&nothing; count], vec![quote!(()); count]);
        (quote!(fn(#(#types),*)), quote!(|#(#parameters),*| #result))
    };
    match argument {
        Argument::Any => (quote!(()), any),
        Argument::Index => (quote!(usize), quote!(0usize)),
        Argument::All => (quote!(::core::ops::RangeFull), quote!(..)),
        Argument::Unit => (quote!(()), quote!(())),
        Argument::Function(count) => function(count, any),
        Argument::ToUnit(count) => function(count, quote!(())),
    }
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
