//! `FORALL_VERIFY`.

use super::kernel::Loop;
use super::parameters::{argument, asked};
use crate::front::function::{Function, sibling};
use crate::ir::{Id, Kind};
use crate::language::methods;
use crate::plan::{Class, Plan};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashMap;

/// Whether what is written to slices cannot depend on sums in another order than the sequential one: there is one loop, which
/// does not look at what it accumulates, and nothing beside it may call another loop.
pub(super) fn plain_maps(function: &Function, loops: &HashMap<Id, Loop>) -> bool {
    let mut alone = loops.len() == 1 && loops.values().all(|found| looks_at_no_sum(&found.plan));
    function.body.walk(&mut |e| {
        alone &= match &e.kind {
            Kind::For(_) if loops.contains_key(&e.id) => return false,
            Kind::For(_) | Kind::While(..) | Kind::Loop(..) | Kind::Call(..) | Kind::Macro(..) => false,
            Kind::Method(_, method, ..) => methods::reads(method),
            _ => true,
        };
        alone
    });
    alone
}

fn looks_at_no_sum(plan: &Plan) -> bool {
    let bins = |class: &Class| matches!(class, Class::Bins { share: true, .. });
    !plan.running && plan.carried.is_empty() && !plan.accumulators.iter().any(|a| bins(&a.class))
}

/// `FORALL_VERIFY`: the call with copies of its arguments, once as written and once in parallel, and what both leave. The
/// function that gives what is expected has the name `expected`; `plain_maps` tells that slices hold no sums.
pub(super) fn verification(function: &Function, expected: &str, plain_maps: bool) -> TokenStream {
    let name = &function.signature.ident;
    let text = name.to_string();
    let (mut copies, mut checks) = (TokenStream::new(), TokenStream::new());
    let (mut patterns, mut copied, mut twin, mut same) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for input in &function.original.sig.inputs {
        let syn::FnArg::Typed(input) = input else { continue };
        let syn::Pat::Ident(ident) = &*input.pat else { return TokenStream::new() };
        let ident = &ident.ident;
        // Such a parameter hides the function from its own body, which then cannot call it.
        if ident == name {
            return TokenStream::new();
        }
        let copy = format_ident!("__copy_of_{}", ident, span = Span::mixed_site());
        let what = format!("`{ident}`");
        let allowed = match plain_maps && function.shares.iter().any(|s| *ident == s.name) {
            true => quote!(__allowed.of_maps(::forall::__private::ambient)),
            false => quote!(__allowed),
        };
        let check = quote!(::forall::__private::verify::same(
            #text, #what, (&&&&&::forall::__private::verify::Compare(&#copy, &__found, #allowed)).compare()
        ););
        if let Some(share) = function.shares.iter().find(|s| *ident == s.name) {
            let element = &share.element;
            let argument = argument(share);
            let whole = asked(element);
            let whole = quote!(#whole.whole(#argument));
            if let Some(array) = &share.array {
                let dims = array.dims();
                patterns.push(quote!(mut #copy));
                let asked = asked(element);
                copied.push(quote!(#asked.array::<#dims>(#argument)));
                twin.push(array.lent(&copy));
                // Whatever is passed, the call below is for one type: a function that called itself with ever new ones
                // would not compile.
                let bound = array.bound(element);
                same.push(match (array.reference, share.mutable) {
                    (true, true) => quote!(&mut *#ident),
                    (true, false) => quote!(#ident),
                    (false, true) => quote!((&mut #ident as &mut dyn #bound)),
                    (false, false) => quote!((&#ident as &dyn #bound)),
                });
                if share.mutable {
                    checks.extend(quote!({
                        let (#copy, __found) = (::forall::__private::verify::elements(#copy), #whole);
                        #check
                    }));
                }
                continue;
            }
            copies.extend(quote!(#[allow(unused_mut)] let mut #copy = #whole;));
            if share.mutable {
                twin.push(quote!(&mut #copy));
                same.push(quote!(&mut *#ident));
                checks.extend(quote!({ let __found = #whole; #check }));
            } else {
                twin.push(quote!(&#copy));
                same.push(quote!(#ident));
            }
        } else if function.pushes.iter().any(|p| *ident == p.name) {
            twin.push(quote!(&mut ::std::vec::Vec::new()));
            same.push(quote!(&mut *#ident));
        } else if let syn::Type::Reference(reference) = &*input.ty {
            if reference.mutability.is_none() {
                twin.push(quote!(#ident));
                same.push(quote!(#ident));
                continue;
            }
            if matches!(&*reference.elem, syn::Type::Slice(_)) {
                copies.extend(quote!(let mut #copy = #ident.to_vec();));
                checks.extend(quote!({ let __found = #ident.to_vec(); #check }));
                twin.push(quote!(&mut #copy));
            } else {
                patterns.push(quote!(mut #copy));
                copied.push(quote!((&&::forall::__private::verify::Copier(&*#ident)).copy()));
                checks.extend(quote!(::forall::__private::verify::same(
                    #text, #what, (&&&&&::forall::__private::verify::Compare(&#copy, &*#ident, __allowed)).compare()
                );));
                twin.push(quote!(&mut #copy));
            }
            same.push(quote!(&mut *#ident));
        } else {
            patterns.push(quote!(#copy));
            copied.push(quote!((&&::forall::__private::verify::Copier(&#ident)).copy()));
            twin.push(quote!(#copy));
            same.push(quote!(#ident));
        }
    }
    let (sequential, parallel) = (beside_it(function, expected), called(function));
    quote!(
        if ::forall::__private::verify::wanted(::forall::__private::ambient) {
            #[allow(unused_imports)]
            use ::forall::__private::verify::{
                CompareBytes as _, CompareClose as _, CompareItems as _, ComparePrinted as _, CompareNothing as _,
                CopyClone as _, CopyNothing as _,
            };
            let __comparing = ::forall::__private::verify::Comparing::new();
            #copies
            if let (#(::core::option::Option::Some(#patterns),)*) = (#(#copied,)*) {
                let __expected = #sequential(#(#twin),*);
                let __result = #parallel(#(#same),*);
                let __allowed = __comparing.allowed(::forall::__private::ambient);
                #checks
                ::forall::__private::verify::same(
                    #text, "what it returns", (&&&&&::forall::__private::verify::Compare(&__expected, &__result, __allowed)).compare()
                );
                return __result;
            }
        }
    )
}

/// Parameters that no argument tells must be named; lifetimes may not.
fn generics(function: &Function) -> TokenStream {
    let named = |parameter: &syn::GenericParam| match parameter {
        syn::GenericParam::Type(ty) => Some(ty.ident.clone()),
        syn::GenericParam::Const(constant) => Some(constant.ident.clone()),
        syn::GenericParam::Lifetime(_) => None,
    };
    let parameters: Vec<Ident> = function.original.sig.generics.params.iter().filter_map(named).collect();
    if parameters.is_empty() { TokenStream::new() } else { quote!(::<#(#parameters),*>) }
}

/// The function as it is called.
fn called(function: &Function) -> TokenStream {
    let (name, generics) = (&function.signature.ident, generics(function));
    match (function.method, function.signature.receiver().is_some()) {
        (true, true) => quote!(self.#name #generics),
        (true, false) => quote!(Self::#name #generics),
        (false, _) => quote!(#name #generics),
    }
}

/// The function of this name that stands beside it, as it is called.
pub(super) fn beside_it(function: &Function, which: &str) -> TokenStream {
    let (name, generics) = (&function.signature.ident, generics(function));
    let sibling = sibling(name, which);
    match (function.method, function.signature.receiver().is_some()) {
        (true, true) => quote!(self.#sibling #generics),
        (true, false) => quote!(Self::#sibling #generics),
        (false, _) => {
            let twin = format_ident!("{which}");
            quote!(#name::#twin #generics)
        }
    }
}
