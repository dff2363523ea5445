//! `FORALL_VERIFY`.

use super::parameters::{argument, probe};
use super::planned::Loop;
use crate::front::function::{Function, sibling};
use crate::front::parameters::Share;
use crate::front::signature::is_borrowed_mutably;
use crate::ir::{Id, Kind, Moved};
use crate::language::methods;
use crate::maps::HashMap;
use crate::plan::{Class, Plan};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

/// Whether the values written to slices cannot depend on sums in another order than the sequential one. There is one loop, it
/// does not read its accumulators, and no statement beside it may call another loop.
pub(super) fn plain_maps(function: &Function, loops: &HashMap<Id, Loop>) -> bool {
    let mut alone = loops.len() == 1 && loops.values().all(|found| looks_at_no_sum(&found.plan));
    function.body.walk(&mut |e| {
        alone &= match &e.kind {
            Kind::For(_) if loops.contains_key(&e.id) => return false,
            Kind::For(_) | Kind::While(..) | Kind::Loop(..) | Kind::Call(..) => false,
            Kind::Macro(..) | Kind::Opaque(..) => false,
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

/// The call once as written and once in parallel: what stands before it, its arguments, and what is compared after it.
#[derive(Default)]
struct Comparison {
    /// Statements that copy what can be copied in any case.
    copies: TokenStream,
    /// The values that are copied only if their types allow it, and the patterns that take these copies.
    copied: Vec<Moved>,
    patterns: Vec<Moved>,
    /// The arguments of the sequential function.
    twin: Vec<Moved>,
    /// The arguments of the parallel one.
    same: Vec<Moved>,
    checks: TokenStream,
    /// The parameters that must be the same on all ranks, with their checksums.
    replicated: Vec<Moved>,
}

/// A parameter that is compared.
struct Compared<'f> {
    /// The function's name.
    text: &'f str,
    ident: &'f Ident,
    copy: Ident,
    /// How far what both leave may differ.
    allowed: TokenStream,
}

impl Compared<'_> {
    /// The statement that compares the copy with what the parallel function has left.
    fn check(&self, found: &TokenStream, allowed: &TokenStream) -> TokenStream {
        let (text, what, copy) = (self.text, format!("`{}`", self.ident), &self.copy);
        quote!(__forall::verify::same(
            #text, #what, (&&&&&__forall::verify::Compare(&#copy, #found, #allowed)).__compare()
        );)
    }

    fn check_elements(&self) -> TokenStream {
        self.check(&quote!(&__found), &self.allowed)
    }
}

impl Comparison {
    /// A slice or an array that is distributed.
    fn share(&mut self, share: &Share, compared: &Compared<'_>) {
        let Compared { ident, copy, .. } = compared;
        let (probe, argument) = (probe(&share.element), argument(share));
        let whole = quote!(#probe.whole(#argument));
        let check = compared.check_elements();
        if let Some(array) = &share.array {
            let dims = array.dims();
            self.patterns.push(Moved::from(quote!(mut #copy)));
            self.copied.push(Moved::from(quote!(#probe.array::<#dims>(#argument))));
            self.twin.push(Moved::from(array.lent(copy)));
            // Whatever is passed, the parallel call is for one type: a function that called itself with ever new ones
            // would not compile.
            let bound = array.bound(&share.element);
            self.same.push(Moved::from(match (array.reference, share.mutable) {
                (true, true) => quote!(&mut *#ident),
                (true, false) => quote!(#ident),
                (false, true) => quote!((&mut #ident as &mut dyn #bound)),
                (false, false) => quote!((&#ident as &dyn #bound)),
            }));
            if share.mutable {
                self.checks.extend(quote!({
                    let (#copy, __found) = (__forall::verify::elements(#copy), #whole);
                    #check
                }));
            }
            return;
        }
        self.copies.extend(quote!(#[allow(unused_mut)] let mut #copy = #whole;));
        if share.mutable {
            self.twin.push(Moved::from(quote!(&mut #copy)));
            self.same.push(Moved::from(quote!(&mut *#ident)));
            self.checks.extend(quote!({ let __found = #whole; #check }));
        } else {
            self.twin.push(Moved::from(quote!(&#copy)));
            self.same.push(Moved::from(quote!(#ident)));
        }
    }

    /// Blocks, whose copy has all of them.
    fn blocks(&mut self, share: &Share, compared: &Compared<'_>) {
        let Compared { ident, copy, allowed, .. } = compared;
        self.patterns.push(Moved::from(quote!(mut #copy)));
        self.copied.push(Moved::from(quote!((&&__forall::verify::Copier(&*#ident)).__copy())));
        let (twin, same) = match share.mutable {
            true => (quote!(&mut #copy), quote!(&mut *#ident)),
            false => (quote!(&#copy), quote!(#ident)),
        };
        self.twin.push(Moved::from(twin));
        self.same.push(Moved::from(same));
        // Loops may change blocks through `&` too.
        self.checks.extend(compared.check(&quote!(&*#ident), allowed));
    }

    /// A parameter that must be the same on all ranks.
    fn replicated(&mut self, value: &TokenStream, ident: &Ident) {
        let name = ident.to_string();
        self.replicated.push(Moved::from(quote!((#name, (&&&&__forall::verify::Checksum(#value)).__checksum()))));
    }

    /// A reference to anything else.
    fn reference(&mut self, reference: &syn::TypeReference, compared: &Compared<'_>) {
        let Compared { ident, copy, .. } = compared;
        if reference.mutability.is_none() {
            self.replicated(&quote!(&*#ident), ident);
            self.twin.push(Moved::from(quote!(#ident)));
            self.same.push(Moved::from(quote!(#ident)));
            return;
        }
        if matches!(&*reference.elem, syn::Type::Slice(_)) {
            let check = compared.check_elements();
            self.copies.extend(quote!(let mut #copy = #ident.to_vec();));
            self.checks.extend(quote!({ let __found = #ident.to_vec(); #check }));
        } else {
            self.patterns.push(Moved::from(quote!(mut #copy)));
            self.copied.push(Moved::from(quote!((&&__forall::verify::Copier(&*#ident)).__copy())));
            self.checks.extend(compared.check(&quote!(&*#ident), &quote!(__allowed)));
        }
        self.twin.push(Moved::from(quote!(&mut #copy)));
        self.same.push(Moved::from(quote!(&mut *#ident)));
    }

    /// `&mut self`.
    fn receiver(&mut self, text: &str) {
        let (ident, copy) = (Ident::new("self", Span::call_site()), copy_of_receiver());
        self.patterns.push(Moved::from(quote!(mut #copy)));
        self.copied.push(Moved::from(quote!((&&__forall::verify::Copier(&*#ident)).__copy())));
        let compared = Compared { text, ident: &ident, copy, allowed: TokenStream::new() };
        self.checks.extend(compared.check(&quote!(&*#ident), &quote!(__allowed)));
    }

    /// A value.
    fn value(&mut self, Compared { ident, copy, .. }: &Compared<'_>) {
        self.replicated(&quote!(&#ident), ident);
        self.patterns.push(Moved::from(quote!(#copy)));
        self.copied.push(Moved::from(quote!((&&__forall::verify::Copier(&#ident)).__copy())));
        self.twin.push(Moved::from(quote!(#copy)));
        self.same.push(Moved::from(quote!(#ident)));
    }
}

/// `FORALL_VERIFY`: the call with copies of its arguments, once as written and once in parallel, and what both leave. The
/// function that gives what is expected has the name `expected`; `plain_maps` tells that slices hold no sums.
pub(super) fn verification(function: &Function, expected: &str, plain_maps: bool) -> TokenStream {
    // The loop as it is written knows nothing of an order of ranks.
    if function.args.merging.order.is_some()
        || function.args.local && function.shares.iter().any(|share| share.blocks)
        || !function.tiles.objects.is_empty()
    {
        return TokenStream::new();
    }
    let name = &function.signature.ident;
    let text = name.to_string();
    let mut comparison = Comparison::default();
    let changes = changes_receiver(function);
    if changes {
        comparison.receiver(&text);
    }
    for input in &function.original.sig.inputs {
        let syn::FnArg::Typed(input) = input else { continue };
        let syn::Pat::Ident(ident) = &*input.pat else { return TokenStream::new() };
        let ident = &ident.ident;
        // Such a parameter hides the function from its own body, which then cannot call it.
        if ident == name {
            return TokenStream::new();
        }
        let share = function.shares.iter().find(|share| *ident == share.name);
        let compared = Compared {
            text: &text,
            ident,
            copy: format_ident!("__copy_of_{}", ident, span = Span::mixed_site()),
            allowed: match plain_maps && share.is_some() {
                true => quote!(__allowed.of_maps(__forall::ambient)),
                false => quote!(__allowed),
            },
        };
        if let Some(share) = share.filter(|share| share.blocks) {
            comparison.blocks(share, &compared);
        } else if let Some(share) = share {
            comparison.share(share, &compared);
        } else if function.pushes.iter().any(|p| *ident == p.name) {
            comparison.twin.push(Moved::from(quote!(&mut ::std::vec::Vec::new())));
            comparison.same.push(Moved::from(quote!(&mut *#ident)));
        } else if let syn::Type::Reference(reference) = &*input.ty {
            comparison.reference(reference, &compared);
        } else {
            comparison.value(&compared);
        }
    }
    let parallel = called(function);
    let sequential = if changes {
        let (name, copy, generics) = (sibling(name, expected), copy_of_receiver(), generics(function));
        quote!(#copy.#name #generics)
    } else {
        beside_it(function, expected)
    };
    let Comparison { copies, copied, patterns, twin, same, checks, replicated } = comparison;
    let [copies, checks] = [copies, checks].map(Moved::from);
    let local = function.args.local;
    let replicated =
        (!local).then(|| quote!(__forall::verify::replicated(#text, &[#(#replicated),*], __forall::ambient);));
    quote!(
        if __forall::verify::wanted(__forall::ambient) {
            #[allow(unused_imports)]
            use __forall::verify::probes::*;
            #replicated
            let __comparing = __forall::verify::Comparing::new();
            #copies
            if let (#(__forall::Some(#patterns),)*) = (#(#copied,)*) {
                let __expected = __comparing.on_this_rank(|| #sequential(#(#twin),*), __forall::ambient);
                let __result = #parallel(#(#same),*);
                let __allowed = __comparing.allowed(#local, __forall::ambient);
                #checks
                __forall::verify::same(
                    #text, "what it returns", (&&&&&__forall::verify::Compare(&__expected, &__result, __allowed)).__compare()
                );
                return __result;
            }
        }
    )
}

/// Whether the function is a method that takes `&mut self`.
fn changes_receiver(function: &Function) -> bool {
    function.method && function.signature.receiver().is_some_and(is_borrowed_mutably)
}

fn copy_of_receiver() -> Ident {
    format_ident!("__copy_of_self", span = Span::mixed_site())
}

/// Parameters that no argument tells must be named; lifetimes may not.
fn generics(function: &Function) -> TokenStream {
    let named = |parameter: &syn::GenericParam| match parameter {
        syn::GenericParam::Type(syn::TypeParam { ident, .. }) => Some(quote!(#ident)),
        // Without braces, it would be a type of this name.
        syn::GenericParam::Const(syn::ConstParam { ident, .. }) => Some(quote!({ #ident })),
        syn::GenericParam::Lifetime(_) => None,
    };
    let parameters: Vec<TokenStream> = function.original.sig.generics.params.iter().filter_map(named).collect();
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
