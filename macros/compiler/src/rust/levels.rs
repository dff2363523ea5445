//! A traversal level by level: the loop over the calls of a level, and what collects the values that it notes.

use super::updates::{by_placeholder, merged};
use crate::check::levels::{Levels, Update, VALUE, columns, values_of};
use crate::front::function::Function;
use crate::plan::{Accumulator, Class, Traversal};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// The loop, as it is expanded.
pub struct ByLevels {
    pub levels: Levels,
    /// The function that has the loop.
    pub item: TokenStream,
    /// Its program for devices.
    pub shader: String,
}

/// The code by which `core` makes the calls of a level. `held` is what stands for an accumulator, and `in_state` puts
/// parts of the state in its place.
pub(super) fn made_by_levels(
    function: &Function,
    traversal: &Traversal,
    found: &ByLevels,
    held: &dyn Fn(&Accumulator) -> Ident,
    in_state: &dyn Fn(TokenStream) -> TokenStream,
) -> TokenStream {
    let Levels { name, shared, own, values, places, .. } = &found.levels;
    let names: Vec<[Ident; 3]> = traversal.own.iter().map(|name| columns(*name)).collect();
    let (all, below): (Vec<&Ident>, Vec<&Ident>) = names.iter().map(|[all, below, _]| (all, below)).unzip();
    let numbers = (0..own.len()).map(Literal::usize_unsuffixed);
    let collecting: Vec<Ident> = (0..values.len()).map(values_of).collect();
    let called = match function.method {
        true => quote!(Self::#name),
        false => {
            let function = &function.signature.ident;
            quote!(#function::#name)
        }
    };
    let this = function.original.sig.receiver().map(|_| quote!(self,));
    // One column after the other makes nested pairs.
    let (first, more) = (below[0], &below[1..]);
    let rows = more.iter().fold(quote!(#first), |rows, column| quote!(#rows.into_iter().zip(#column)));
    let pattern = more.iter().fold(quote!(#first), |pattern, column| quote!((#pattern, #column)));
    let nested = collecting.iter().rev().fold(quote!(()), |rest, values| quote!((#values.into_iter(), #rest)));
    let arms = places.iter().map(|place| {
        let accumulator = &traversal.body.accumulators[place.accumulator];
        let (held, number) = (held(accumulator), Literal::u32_suffixed(place.number));
        let value = format_ident!("{VALUE}");
        let update = match &place.update {
            Update::Push => quote!(#held.push(#value)),
            Update::Assign("-") => quote!(#held -= #value),
            Update::Assign("*") => quote!(#held *= #value),
            Update::Assign("^") => quote!(#held ^= #value),
            Update::Assign(_) => quote!(#held += #value),
            Update::Rewritten(rewrite) => by_placeholder(accumulator, rewrite),
            Update::Merge => {
                let merge = match &accumulator.class {
                    Class::Idempotent { merge } => merged(merge),
                    _ => quote!(__b),
                };
                quote!(#held = { let (__a, __b) = (#held, #value); #merge })
            }
        };
        let update = in_state(update);
        let path = std::iter::repeat_n(1, place.accumulator).chain([0]).map(Literal::usize_unsuffixed);
        quote!(#number => if let __forall::Some(#value) = __values #(.#path)*.next() { #update; })
    });
    quote!(|__accumulators| __forall::traverse::levels(
        __accumulators,
        |__calls: &[(#(#own,)*)]| {
            #(let #all: ::std::vec::Vec<#own> = __calls.iter().map(|__one| __one.#numbers).collect();)*
            #(let mut #below: ::std::vec::Vec<#own> = ::std::vec::Vec::new();)*
            let mut __events: ::std::vec::Vec<u32> = ::std::vec::Vec::new();
            #(let mut #collecting: ::std::vec::Vec<#values> = ::std::vec::Vec::new();)*
            #called(#this #(#shared,)* #(&#all, &mut #below,)* &mut __events, #(&mut #collecting),*);
            __forall::traverse::Level {
                events: __events,
                below: #rows.into_iter().map(|#pattern| (#(#below,)*)).collect(),
                values: #nested,
            }
        },
        |__state, __place, __values| match __place {
            #(#arms)*
            _ => {}
        },
    ))
}
