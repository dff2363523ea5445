//! Prints assumptions as code that rustc rejects if they are wrong. None of it leaves machine code.

use crate::ir::Local;
use crate::ir::names::unraw;
use crate::ir::obligation::{Function, InBody, InPlace, Method, Obligation, OperandsOf, Property, Reason, Unchanged};
use crate::language::methods::{self, Argument, Family};
use crate::maps::{HashSet, New as _};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::collections::{BTreeMap, BTreeSet};

/// The steps in which rustc looks for a method: the trait of each, and how its methods take the receiver.
const STEPS: [(&str, &str); methods::STEPS] = [
    ("Fa022OwnMethodsComeFirst", "self"),
    ("Fa022OwnMethodsComeFirstByReference", "&self"),
    ("Fa022OwnMethodsComeFirstByMutableReference", "&mut self"),
];

/// Each obligation once, in a closure that nobody calls. rustc evaluates constants and compiles instances only in code that runs: such checks
/// come before the closure.
pub(super) fn printed<'o>(obligations: impl Iterator<Item = &'o Obligation>) -> TokenStream {
    let (mut seen, mut checks, mut macros) = (HashSet::new(), TokenStream::new(), TokenStream::new());
    let (mut methods, mut parameters, mut outside) = (Vec::new(), BTreeMap::new(), TokenStream::new());
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
            Obligation::Value { is: Property::SharesNothingInside { in_each_instance: true }, value, at } => {
                let check = shares_nothing_inside(true, &quote_spanned!(*at=> &#value), *at);
                if seen.insert(check.to_string()) {
                    outside.extend(quote!(#check;));
                }
            }
            Obligation::Ordering { path, is, at } => outside.extend(quote_spanned!(*at=> const {
                __forall::obligations::fa032_this_is_an_ordering_of_std(#path);
                ::core::assert!(
                    ::core::matches!(::core::cmp::Ordering::#is, #path),
                    "FA032: this is not what the standard library calls so"
                )
            };)),
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
        return outside;
    }
    let parameters = parameters.values();
    quote!(
        #outside
        #[allow(unused, unreachable_code, clippy::all, clippy::pedantic)]
        let _ = |#(#parameters),*| {
            use __forall::obligations::{self as __obligations, tests_of_types::*};
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
            // In two statements: before Rust 1.89, a temporary value in the parentheses of a struct ends with its statement.
            checks.extend(
                quote_spanned!(method.name.span()=> let #held = &(#receiver); let #held = __obligations::Captured(#held);),
            );
            held
        });
    }
    for (number, (step, receiver)) in STEPS.into_iter().enumerate() {
        // A trait has one method of a name: methods of one name with other arguments come in another trait.
        let mut left: Vec<&Method> = all.iter().copied().filter(|method| method.steps > number).collect();
        while let Some(first) = left.first().copied() {
            let family = first.family;
            let (mut declared, mut together, mut others) = (BTreeMap::new(), Vec::new(), Vec::new());
            for method in left {
                let fits = (method.family, method.is_of_slice()) == (family, first.is_of_slice())
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
    let calls = |changeable: bool| {
        let calls = methods.iter().map(|method| {
            let (name, receiver) = (&method.name, &receivers[&method.receiver.to_string()]);
            let arguments = method.arguments.iter().map(|argument| in_code(*argument).1);
            // rustc would borrow the value behind a shared reference.
            let receiver = match changeable {
                true => quote!(__obligations::Captured(&(&&#receiver).__changeable())),
                false => receiver.to_token_stream(),
            };
            quote_spanned!(name.span()=> (&#receiver).#value().#name(#(#arguments),*);)
        });
        calls.collect::<TokenStream>()
    };
    let of = of.map(|of| format_ident!("{of}")).map(|of| quote!(__obligations::#of +));
    let check = |implemented: TokenStream, changeable: bool| {
        let calls = calls(changeable);
        let probes = changeable.then(|| {
            quote!(
                use __obligations::{Changes as _, ChangesByReference as _, ChangesNothing as _};
            )
        });
        quote!({
            use __obligations::{#inside as _, #outside as _};
            #probes
            trait #step: ::core::marker::Sized { #declared }
            #implemented
            #calls
        })
    };
    if receiver == "self" {
        return check(quote!(impl<T: #of> #step for T {}), false);
    }
    // On a reference, the method of the type behind it would be found one step earlier.
    let reference = matches!(family, Family::Any | Family::OfStd | Family::Indexed | Family::Float).then(|| {
        check(
            quote!(
                impl #step for __obligations::NoReceiver {}
                impl<T: #of ?::core::marker::Sized> #step for &T {}
                impl<T: #of ?::core::marker::Sized> #step for &mut T {}
            ),
            false,
        )
    });
    // A slice has no size. Only the reference to it is a `T`.
    let slices = methods.iter().all(|method| method.is_of_slice());
    let itself = (reference.is_none() || !slices).then(|| {
        let owned = (family != Family::Any).then(|| quote!(__obligations::Owned));
        check(quote!(impl<T: #of #owned> #step for T {}), receiver == "&mut self" && family != Family::Any)
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

/// One check. A table, with an arm for each obligation.
fn check(obligation: &Obligation) -> TokenStream {
    match obligation {
        Obligation::Function(function) => same(function),
        Obligation::Type { written, is, at } => {
            quote_spanned!(*at=> __obligations::fa022_this_is_the_type_of_std::<#is, #written>();)
        }
        Obligation::Some { at } => quote_spanned!(*at=>
            __obligations::fa022_this_is_the_function_of_std(__forall::Some::<u8>, Some::<u8>);
            match __forall::None::<u8> { Some(_) => {} _ => {} };
        ),
        Obligation::None { at } => quote_spanned!(*at=>
            __obligations::fa022_this_is_none_of_std(None);
            match __forall::None::<u8> { None => {} _ => {} };
        ),
        Obligation::Value { value, is, at } => property(*is, value, *at),
        Obligation::Pattern { pattern, value, at } => quote_spanned!(*at=> let _ = || { let #pattern = #value; };),
        Obligation::Comparison { method, value } => quote_spanned!(method.span()=> let _ = || {
            use __obligations::Fa032MethodsOfStd as _;
            __obligations::fa032_this_method_is_of_std(__obligations::like(&#value).#method(&#value));
        };),
        Obligation::MethodOfSlice { ty, method, arguments } => {
            let tried = Ident::new("__vector", Span::mixed_site());
            let called = quote_spanned!(method.span()=> #tried.#method(#arguments));
            quote_spanned!(method.span()=> {
                use __obligations::MethodsOfSlices as _;
                let _ = |#tried: &mut #ty| __obligations::fa032_this_is_the_method_of_std(#called);
            })
        }
        Obligation::Method(_) | Obligation::Macro { .. } | Obligation::Ordering { .. } => TokenStream::new(),
    }
}

/// A property of the type of a value.
fn property(is: Property, value: &TokenStream, at: Span) -> TokenStream {
    let probed = |method: &str| {
        let method = Ident::new(method, at);
        quote_spanned!(at=> (&__obligations::Captured(&#value)).#method())
    };
    let value = quote_spanned!(at=> &#value);
    let (name, argument) = match is {
        Property::OperatorsOfStd => ("fa032_operators_are_known".to_owned(), value),
        Property::ComparedAlike => ("fa032_values_compare_alike".to_owned(), value),
        Property::TotallyOrdered => ("fa032_all_values_compare".to_owned(), value),
        Property::IsFloat => ("fa032_this_is_a_float".to_owned(), value),
        Property::IsOption => ("fa032_this_is_an_option".to_owned(), value),
        Property::SaturatesAtOneEnd => ("fa015_it_saturates_at_one_end".to_owned(), value),
        Property::Clears => ("fa018_clear_leaves_nothing".to_owned(), value),
        Property::SetsAll => ("fa018_all_elements_are_set".to_owned(), value),
        // The name is the user's and `at` is the header: by itself, the argument has the place that rustc's message shows.
        Property::AccessedAsSlice => {
            return quote_spanned!(at=> let _ = || {
                let __array = #value;
                __obligations::fa022_elements_are_those_of_a_slice(__array)
            };);
        }
        Property::OnlyAdds(of) => {
            (format!("fa014_this_only_adds_to_a_{}", format!("{of:?}").to_lowercase()), probed("__collection"))
        }
        Property::PureDerefMut => ("fa014_deref_mut_has_no_side_effect".to_owned(), probed("__dereferences")),
        Property::SharesNothing => ("fa017_iterations_share_nothing".to_owned(), probed("__shares")),
        Property::SharesNothingInside { in_each_instance } => {
            return shares_nothing_inside(in_each_instance, &value, at);
        }
    };
    let function = Ident::new(&name, at);
    quote_spanned!(at=> let _ = || __obligations::#function(#argument);)
}

/// Checks the values inside of a value behind a reference.
fn shares_nothing_inside(in_each_instance: bool, reference: &TokenStream, at: Span) -> TokenStream {
    match in_each_instance {
        false => {
            quote_spanned!(at=> let _ = || ::forall::__private::fa017_iterations_share_what_is_in_it!(#reference);)
        }
        true => quote_spanned!(at=> __forall::obligations::fa017_no_instance_shares(
            (&(&(&(&(&__forall::obligations::Kind::of(&#reference)).__inside()).__inside()).__inside()).__inside()).__inside()
        );),
    }
}

/// An expression inside of the code that checks its value.
pub(super) fn around(check: &InPlace, in_each_instance: bool, value: &TokenStream, at: Span) -> TokenStream {
    match check {
        InPlace::OnlyRead => quote_spanned!(at=> ::forall::__private::fa014_this_method_is_taken_to_read!(#value)),
        InPlace::Copy => quote_spanned!(at=> __forall::obligations::fa014_this_is_a_copy(#value)),
        InPlace::NoOutput => quote_spanned!(at=> __forall::obligations::fa014_this_is_no_output(#value)),
        InPlace::KeepsLength => quote_spanned!(at=> __forall::obligations::fa018_length_stays(#value)),
        InPlace::Operand(accumulator) => {
            let operand = operand_of(accumulator, at);
            quote_spanned!(at=> #operand(#value))
        }
        // As the field of a tuple, the value has a type of its own, whatever type the code around it expects.
        InPlace::SharesNothing => {
            let held = Ident::new("__value", Span::mixed_site().located_at(at));
            let check = shares_nothing(in_each_instance, &held.to_token_stream(), at);
            quote_spanned!(at=> (match #value { #held => { #check #held } },).0)
        }
        InPlace::PlaceSharesNothing => {
            let held = Ident::new("__held", Span::mixed_site().located_at(at));
            let check = shares_nothing(in_each_instance, &quote_spanned!(at=> *#held), at);
            quote_spanned!(at=> (*match &#value { #held => { #check #held } }))
        }
    }
}

/// Checks a place that all iterations may read.
fn shares_nothing(in_each_instance: bool, place: &TokenStream, at: Span) -> TokenStream {
    let held = Ident::new("__reference", Span::mixed_site().located_at(at));
    let inside = shares_nothing_inside(in_each_instance, &held.to_token_stream(), at);
    quote_spanned!(at=> match &#place { #held => {
        __forall::obligations::fa017_iterations_share_nothing(
            (&__forall::obligations::Captured(#held)).__shares()
        );
        #inside
    } })
}

/// Checks the names that a pattern binds.
pub(super) fn of_bound(names: &[Ident], in_each_instance: bool) -> TokenStream {
    let checks = names.iter().map(|name| shares_nothing(in_each_instance, &name.to_token_stream(), name.span()));
    quote!(#(#checks)*)
}

/// Checks that a statement leaves variables unchanged: they are borrowed while it runs.
pub(super) fn unchanged(all: &Unchanged, types_are_known: bool, statement: &TokenStream, at: Span) -> TokenStream {
    let names = |of: &BTreeSet<Local>| of.iter().map(|name| name.spanned(at)).collect::<Vec<_>>();
    let (inputs, passed) = (names(&all.inputs), names(&all.passed));
    let inside = passed.iter().filter(|_| types_are_known);
    let held = Ident::new("__inputs", at.resolved_at(Span::mixed_site()));
    quote_spanned!(at=>
        #(__forall::obligations::fa014_a_scan_state_depends_on_no_cell(
            (&__forall::obligations::Captured(&#passed)).__shares()
        );)*
        #(__forall::obligations::fa014_a_scan_state_depends_on_no_cell(
            (&__forall::obligations::Captured(&#inside)).__changes()
        );)*
        let #held = (#(&#inputs,)*);
        #statement;
        __forall::obligations::fa014_this_changes_no_input_of_a_scan_state(#held);
    )
}

/// The function that an operand of an accumulator is passed to.
pub(super) fn operand_of(accumulator: &Ident, at: Span) -> TokenStream {
    let operands = operands_variable(accumulator, at);
    quote_spanned!(at=> #operands.fa032_operand_is_known)
}

fn operands_variable(accumulator: &Ident, at: Span) -> Ident {
    let name = accumulator.to_string();
    format_ident!("__operands_of_{}", unraw(&name), span = at.resolved_at(Span::mixed_site()))
}

/// Declares a variable before the loop for each accumulator with checked operands. It knows the type of the accumulator.
pub(super) fn operands(all: &InBody) -> TokenStream {
    let declared = all.operands.iter().map(|(accumulator, of)| {
        let variable = operands_variable(accumulator, Span::mixed_site());
        let of = match of {
            OperandsOf::Value(value) => quote!(of(&#value)),
            OperandsOf::Type(ty) => quote!(<#ty>::new()),
            OperandsOf::Any => quote!(<()>::new()),
        };
        quote!(
            #[allow(unused_variables)]
            let #variable = (&__forall::obligations::Operands::#of).__of_known();
        )
    });
    declared.collect()
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
