//! The call of the driver, of a loop with running values.

use super::{Expansion, Forms, State};
use crate::plan::Accumulator;
use crate::rust::lanes::iterate_in_chains;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

impl Expansion<'_> {
    /// The same of a loop with running values: first the bodies that find out totals, then the whole one.
    pub(super) fn scan(&self, accumulators: &TokenStream) -> TokenStream {
        if !self.found.has_totals() {
            let state = self.state(Accumulator::value).and(&self.carries());
            let bodies = self.forms(self.iterate(self.body_of_values()), &state).closures();
            return quote!(__kernel.scan_in_order(#accumulators, #bodies));
        }
        let (found, levels) = (self.found, self.found.levels());
        let (name, totals) = if levels > 1 {
            let totals = self.totals_of_levels(levels).closures();
            let of_each = found.accumulators.iter().map(|a| a.level);
            (format_ident!("scan_levels"), quote!(&[#(#of_each),*], #totals))
        } else if found.in_lanes() || found.in_blocks() {
            (format_ident!("scan_lanes"), self.laned(|form| self.body_of_totals(0, form)).closures())
        } else {
            let totals = self.iterate_in_both_forms(|form| self.body_of_totals(0, form));
            (format_ident!("scan"), self.forms(totals, &self.state(Accumulator::chunk)).closures())
        };
        let (values, whole) = (self.state(Accumulator::value), self.iterate(self.body_of_values()));
        let state = values.and(&self.carries());
        let checked = self.iterate(self.body_with_unchanged_inputs());
        let bodies = Forms { fast: self.fast(whole, &state), checked: self.checked(checked, &state) }.closures();
        let chains = (found.in_lanes() || found.in_blocks()).then(|| {
            let side_by_side = found.accumulators.iter().all(|a| a.class.is_reduction());
            let run = if side_by_side {
                let body = iterate_in_chains(found, &values.taken, &values.given, &self.body_of_values());
                self.fast(body, &State { taken: quote!(mut __values), given: quote!(__values) })
            } else {
                quote!(__state)
            };
            quote!(|__state, __arrays, __range: __forall::Range<usize>| #run)
        });
        quote!(__kernel.#name(#accumulators, #totals, #bodies, #chains))
    }

    /// The code that computes the totals of any of several levels of scan states.
    fn totals_of_levels(&self, levels: usize) -> Forms {
        let of_level = |level: usize| {
            let states = self.found.accumulators.iter().enumerate().map(|(k, a)| a.of_level(level, k));
            let (values, chunks): (Vec<_>, Vec<_>) = states.map(|[value, chunk]| (value, chunk)).unzip();
            let [values, chunks] = [values, chunks].map(|all| State::of(all.into_iter()));
            let level_too = State { taken: quote!(__level), given: quote!(__level) }.and(&values);
            self.forms(self.iterate_in_both_forms(|form| self.body_of_totals(level, form)), &level_too.and(&chunks))
        };
        let bodies: Vec<Forms> = (0..levels).map(of_level).collect();
        let choice = |form: fn(&Forms) -> &TokenStream| {
            let (lowest, others) = (form(&bodies[0]), bodies[1..].iter().map(form));
            let numbers = 1..levels;
            quote!(match __state.0.0 {
                #(#numbers => #others,)*
                _ => #lowest,
            })
        };
        Forms { fast: choice(|forms| &forms.fast), checked: choice(|forms| &forms.checked) }
    }
}
