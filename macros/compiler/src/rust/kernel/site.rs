//! What is known of a loop when it is compiled, as a static of the expansion.

use super::Expansion;
use crate::analysis::guards::{Beside, beside, panics_elsewhere, sums_again};
use crate::front::attribute::Grain;
use crate::plan::Weight;
use crate::rust::points::Compared;
use proc_macro2::TokenStream;
use quote::quote;

impl Expansion<'_> {
    /// What is the same in each call.
    pub(super) fn site(&self, name: &str, program: &TokenStream, compared: &Compared) -> TokenStream {
        let (found, number, compared) = (self.found, self.number, &compared.fields);
        let asking = found.asking.iter();
        let stages = asking.clone().flat_map(|asking| asking.stages.iter().map(|(_, slots)| quote!(&[#(#slots),*])));
        let looks = asking.flat_map(|asking| asking.looks.iter().map(|slots| quote!(&[#(#slots),*])));
        let texts = found.slots.iter().map(|slot| slot.name.text());
        let (ordered, again) = (found.ordered, sums_again(found));
        let [at_overflow, plain] = beside(found).map(|beside| match beside {
            Beside::Free => quote!(::forall::__private::fold::Interleaving::Free),
            Beside::Again => quote!(::forall::__private::fold::Interleaving::Again),
            Beside::Never => quote!(::forall::__private::fold::Interleaving::Never),
        });
        let [elsewhere_at_overflow, elsewhere] = panics_elsewhere(found);
        let weight = match found.weight {
            Weight::Light => quote!(Light),
            Weight::Medium => quote!(Medium),
            Weight::Heavy => quote!(Heavy),
        };
        let arity = self.function.args.arity.unwrap_or(2);
        let grain = match self.function.args.grain {
            None => quote!(Any),
            Some(Grain::Of(grain)) => quote!(Of(#grain)),
            Some(Grain::Sqrt) => quote!(Sqrt),
        };
        quote!(
            static __SITE: ::forall::__private::fold::Site = ::forall::__private::fold::Site {
                name: #name,
                number: #number,
                weight: ::forall::__private::fold::Weight::#weight,
                grain: ::forall::__private::fold::Grain::#grain,
                ordered: #ordered,
                again: #again,
                interleaving: if ::core::cfg!(debug_assertions) { #at_overflow } else { #plain },
                panics_elsewhere: if ::core::cfg!(debug_assertions) { #elsewhere_at_overflow } else { #elsewhere },
                gathers: &[#(#stages),*],
                looks: &[#(#looks),*],
                arrays: &[#(#texts),*],
                #compared
                arity: #arity,
                program: #program,
                instances: ::forall::__private::fold::PerInstance::new(),
            };
        )
    }
}
