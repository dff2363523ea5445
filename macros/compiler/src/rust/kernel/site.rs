//! The properties of a loop that are known when it is compiled, as a static of the expansion.

use super::Expansion;
use crate::analysis::dependency::Sliced;
use crate::analysis::guards::{Beside, beside, panics_elsewhere, sums_again};
use crate::front::attribute::Grain;
use crate::ir::{Block, Child, Expr};
use crate::plan::{Class, Plan, Semiring, Weight};
use crate::rust::points::Compared;
use proc_macro2::TokenStream;
use quote::quote;

impl Expansion<'_> {
    /// The values that are the same in each call.
    pub(super) fn site(&self, name: &str, program: &TokenStream, compared: &Compared) -> TokenStream {
        let (found, number, compared) = (self.found, self.number, &compared.fields);
        let asking = found.asking.iter();
        let stages = asking.clone().flat_map(|asking| asking.stages.iter().map(|(_, slots)| quote!(&[#(#slots),*])));
        let looks = asking.flat_map(|asking| asking.looks.iter().map(|slots| quote!(&[#(#slots),*])));
        let tasks = found.region.iter().map(|_| "tasks");
        let texts = found.slots.iter().map(|slot| slot.name.text()).chain(tasks);
        let (ordered, again) = (found.ordered, sums_again(found));
        let interleaving = by_overflow(beside(found), |beside| match beside {
            Beside::Free => quote!(__forall::fold::Interleaving::Free),
            Beside::Again => quote!(__forall::fold::Interleaving::Again),
            Beside::Never => quote!(__forall::fold::Interleaving::Never),
        });
        let elsewhere = by_overflow(panics_elsewhere(found), |elsewhere| quote!(#elsewhere));
        let totals_suffice = totals_suffice(found);
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
            static __SITE: __forall::fold::Site = __forall::fold::Site {
                name: #name,
                number: #number,
                weight: __forall::fold::Weight::#weight,
                grain: __forall::fold::Grain::#grain,
                ordered: #ordered,
                again: #again,
                interleaving: #interleaving,
                totals_suffice: #totals_suffice,
                panics_elsewhere: #elsewhere,
                gathers: &[#(#stages),*],
                looks: &[#(#looks),*],
                arrays: &[#(#texts),*],
                #compared
                arity: #arity,
                program: #program,
                instances: __forall::fold::PerInstance::new(),
            };
        )
    }
}

/// A fact in builds with overflow checks, and in others.
fn by_overflow<T: PartialEq>([checked, plain]: [T; 2], print: impl Fn(&T) -> TokenStream) -> TokenStream {
    let printed = print(&plain);
    if checked == plain {
        return printed;
    }
    let checked = print(&checked);
    quote!(if ::core::cfg!(debug_assertions) { #checked } else { #printed })
}

/// Whether the totals of a scan compute all that the loop leaves, and detect each mistake: whether the sequential loop panics.
fn totals_suffice(found: &Plan) -> TokenStream {
    if !found.has_totals() {
        return quote!(false);
    }
    let top = found.levels() - 1;
    let sliced = Sliced::of(found, top);
    let complete = keeps_all(&found.f.body, &sliced);
    let carried = found.accumulators.iter().any(|a| !a.class.is_reduction() || a.class.is_carried());
    let composed = found.accumulators.iter().any(|a| matches!(a.class, Class::System(_) | Class::Machine { .. }));
    if !composed || !complete || carried || found.writes() || found.macros {
        return quote!(false);
    }
    // A sum of integers overflows in a build with overflow checks.
    let sums = |class: &Class| match class {
        Class::System(system) => matches!(system.semiring, Semiring::Linear { .. }),
        Class::Machine { .. } | Class::Parity | Class::Idempotent { .. } => false,
        _ => true,
    };
    match found.accumulators.iter().any(|a| sums(&a.class)) {
        true => quote!(!::core::cfg!(debug_assertions)),
        false => quote!(true),
    }
}

/// Whether the part that computes totals has all statements of a block, and of the blocks in it.
fn keeps_all(block: &Block, sliced: &Sliced) -> bool {
    let inner = |e: &Expr| {
        e.children().into_iter().all(|child| {
            matches!(child, Child::Expr(_)) || matches!(child, Child::Block(block) if keeps_all(block, sliced))
        })
    };
    block
        .statements
        .iter()
        .all(|statement| sliced.keeps(statement) && statement.exprs().flat_map(Expr::nodes).all(inner))
}
