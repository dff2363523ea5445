//! Variables that are computed from each other, as Rust: their accumulators, and the rows of a chunk.

use crate::ir::Expr;
use crate::ir::place::Place;
use crate::plan::{Accumulator, Assignments, Class, Plan, Semiring, States, System, Transfer};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

/// Prints transfer functions as calls on the rows of a chunk.
pub(super) struct Rows<'a> {
    pub rows: &'a Ident,
    pub semiring: Semiring,
    /// Prints a value of the iteration.
    pub value: &'a dyn Fn(&Expr) -> TokenStream,
    /// Whether to leave out the values of the iteration: what remains is the matrix of the system.
    pub matrix: bool,
}

impl Rows<'_> {
    /// The statement that assigns rows.
    pub fn assign(&self, Assignments { rows: assigned, first }: &Assignments) -> TokenStream {
        let rows = self.rows;
        let count = (*first && self.semiring == Semiring::Linear { fixed: true } && !self.matrix)
            .then(|| quote!(#rows.count();));
        let new: Vec<Ident> =
            (0..assigned.len()).map(|k| format_ident!("__new{k}", span = Span::mixed_site())).collect();
        let (numbers, values) = (assigned.iter().map(|(row, _)| row), assigned.iter().map(|(_, of)| self.print(of)));
        quote!(#count #(let #new = #values;)* #(#rows.put(#numbers, #new);)*)
    }

    fn print(&self, transfer: &Transfer) -> TokenStream {
        let (rows, row) = (self.rows, Ident::new("__row", Span::mixed_site()));
        // The row comes first, so that each call borrows the chunk by itself.
        let call = |of: &Transfer, method: &str, values: &[&Expr]| {
            let (of, method, values) =
                (self.print(of), format_ident!("{method}"), values.iter().map(|e| (self.value)(e)));
            quote!({ let #row = #of; #rows.#method(#row, #(#values),*) })
        };
        match transfer {
            Transfer::Row(number) => quote!(#rows.row(#number)),
            // Classified systems have none.
            Transfer::Unknown => TokenStream::new(),
            Transfer::Constant(_) if self.matrix => quote!(#rows.nothing()),
            Transfer::Constant(e) => {
                let value = (self.value)(e);
                quote!(#rows.constant(#value))
            }
            Transfer::Choose(condition, parts) => {
                let (condition, [then, otherwise]) =
                    ((self.value)(condition), parts.each_ref().map(|of| self.print(of)));
                quote!(if #condition { #then } else { #otherwise })
            }
            Transfer::Scaled(of, factor) => self.on_row(of, "times", (self.value)(factor)),
            Transfer::Divided(of, divisor) => {
                let divisor = (self.value)(divisor);
                self.on_row(of, "times", quote!(1.0 / (#divisor)))
            }
            Transfer::Negative(of) => self.on_row(of, "negative", TokenStream::new()),
            Transfer::Saturating(of, false, e) => call(of, "saturating_add", &[e]),
            Transfer::Saturating(of, true, e) => call(of, "saturating_subtract", &[e]),
            Transfer::Between(of, bounds) => call(of, "between", &[&bounds[0], &bounds[1]]),
            Transfer::Sum(parts) | Transfer::Wrapping(crate::ir::Op::Add, parts) => match (self.semiring, &**parts) {
                (Semiring::Linear { .. }, [a, b]) => self.on_row(a, "plus", self.print(b)),
                (_, [of, Transfer::Constant(e)] | [Transfer::Constant(e), of]) => call(of, "add", &[e]),
                _ => TokenStream::new(),
            },
            Transfer::Difference(parts) | Transfer::Wrapping(_, parts) => match (self.semiring, &**parts) {
                (Semiring::Linear { .. }, [a, b]) => self.on_row(a, "minus", self.print(b)),
                (_, [of, Transfer::Constant(e)]) => call(of, "subtract", &[e]),
                _ => TokenStream::new(),
            },
            Transfer::Greater(parts) => self.better("at_least", &parts[..], &call),
            Transfer::Lesser(parts) => self.better("at_most", &parts[..], &call),
        }
    }

    fn on_row(&self, of: &Transfer, method: &str, argument: TokenStream) -> TokenStream {
        let (of, method, row) = (self.print(of), format_ident!("{method}"), Ident::new("__row", Span::mixed_site()));
        quote!({ let #row = #of; #row.#method(#argument) })
    }

    fn better(
        &self,
        bound: &str,
        parts: &[Transfer],
        call: &dyn Fn(&Transfer, &str, &[&Expr]) -> TokenStream,
    ) -> TokenStream {
        match (self.semiring, parts) {
            (Semiring::Clamp, [of, Transfer::Constant(e)] | [Transfer::Constant(e), of]) => call(of, bound, &[e]),
            (_, [a, b]) => self.on_row(a, "or", self.print(b)),
            _ => TokenStream::new(),
        }
    }
}

/// The accumulator of several variables around the call.
pub(super) struct Composed {
    pub accumulator: TokenStream,
    /// The pattern that takes the result.
    pub result: TokenStream,
    /// The statements that assign it.
    pub after: TokenStream,
}

/// The code around the call for a system or a machine.
pub(super) fn composed(accumulator: &Accumulator, out: &Ident, codec: &TokenStream) -> Composed {
    let places = accumulator.variables();
    let outs: Vec<Ident> = (0..places.len()).map(|k| format_ident!("{out}_{k}")).collect();
    let located = |place: &Place| crate::ir::print::located(place.tokens(), accumulator.at);
    let tokens: Vec<TokenStream> = places.iter().map(located).collect();
    let inits = quote!(#(__forall::Clone::clone(&#tokens)),*);
    let after = quote!(#(#tokens = #outs;)*);
    match &accumulator.class {
        Class::System(system) => {
            let accumulator = system_of(system, &tokens[0], &inits, codec);
            Composed { accumulator, result: quote!([#(#outs),*]), after }
        }
        Class::Machine { states, .. } => {
            let accumulator = machine_of(states, places.len(), &inits);
            Composed { accumulator, result: quote!((#(#outs,)*)), after }
        }
        _ => Composed { accumulator: TokenStream::new(), result: quote!(_), after: TokenStream::new() },
    }
}

fn system_of(system: &System, first: &TokenStream, inits: &TokenStream, codec: &TokenStream) -> TokenStream {
    let (states, rows) = (system.variables.len(), system.variables.len() + system.locals.len());
    let numbers = quote!((&__forall::bounds::Probe::of(&#first)).__number());
    let (summed, present) = (&system.summed, system.present);
    match system.semiring {
        Semiring::Linear { fixed: false } => quote!(#numbers.affine::<#states, #rows, _>([#inits], #codec)),
        Semiring::Linear { fixed: true } => {
            let map = Ident::new("__map", Span::mixed_site());
            let value = |e: &Expr| e.tokens.clone();
            let printer = Rows { rows: &map, semiring: system.semiring, value: &value, matrix: true };
            let step = system.step.iter().map(|all| printer.assign(all));
            quote!(#numbers.filter::<#states, #rows, _>([#inits], #codec, |#map| { #({ #step })* }))
        }
        Semiring::Max => {
            quote!(#numbers.extremes::<#states, #rows, true, #present, _>([#inits], #codec, [#(#summed),*]))
        }
        Semiring::Min => {
            quote!(#numbers.extremes::<#states, #rows, false, #present, _>([#inits], #codec, [#(#summed),*]))
        }
        Semiring::Clamp => {
            let bounds = system.bounds;
            quote!(#numbers.clamped::<#states, #rows, #bounds, _>([#inits], #codec))
        }
    }
}

fn machine_of(states: &States, variables: usize, inits: &TokenStream) -> TokenStream {
    let init = Ident::new("__init", Span::mixed_site());
    let fields = (0..variables).map(proc_macro2::Literal::usize_unsuffixed);
    let same = quote!(|__a, __b| {
        #((&__forall::accumulate::Compared::of(&__a.#fields)).__same(&__a.#fields, &__b.#fields))&&*
    });
    let codec = quote!((&&&&__forall::codec::Probe::of(&#init)).__codec());
    let with = |code: TokenStream| {
        quote!({
            #[allow(unused_imports)]
            use __forall::accumulate::{ByValue as _, ByVariant as _};
            let #init = (#inits,);
            #code
        })
    };
    let values = match states {
        States::Bits => return quote!(__forall::accumulate::bits((#inits,))),
        States::Table { constants, elements } => {
            return with(quote!(__forall::accumulate::machine_of_tables(#init, #codec, [#((#constants,)),*], #same, [
                #(&mut #elements.map(|__value| (__value,)) as &mut dyn ::core::iter::Iterator<Item = _>),*
            ])));
        }
        States::Values(values) => values,
    };
    // All combinations, the values before the loop first.
    let mut starts: Vec<Vec<TokenStream>> = vec![Vec::new()];
    for (number, values) in values.iter().enumerate() {
        let number = proc_macro2::Literal::usize_unsuffixed(number);
        let before = values.others_before.then(|| quote!(__forall::Clone::clone(&#init.#number)));
        let all: Vec<TokenStream> = before.into_iter().chain(values.assigned.iter().cloned()).collect();
        starts = starts
            .iter()
            .flat_map(|start| all.iter().map(|value| start.iter().chain([value]).cloned().collect()))
            .collect();
    }
    with(quote!(__forall::accumulate::machine(#init, #codec, [#((#(#starts,)*)),*], #same)))
}

/// The variables with the value of an accumulator.
fn values_of(accumulator: &Accumulator) -> Vec<Ident> {
    match &accumulator.class {
        Class::Best { names, .. } | Class::System(System { names, .. }) | Class::Machine { names, .. } => names.clone(),
        _ => vec![accumulator.ident.clone()],
    }
}

/// The body of an iteration for each state in which a chunk may begin.
///
/// Each of them begins with the values that lower levels have before the iteration.
pub(super) fn for_each_start(machine: &Accumulator, found: &Plan, body: &TokenStream) -> TokenStream {
    let Class::Machine { names, .. } = &machine.class else { return body.clone() };
    let (ends, start) = (&machine.ident, Ident::new("__start", Span::mixed_site()));
    let lower = found.accumulators.iter().filter(|a| a.level < machine.level && !a.class.is_carried());
    let lower: Vec<Ident> = lower.flat_map(values_of).collect();
    let kept: Vec<Ident> = (0..lower.len()).map(|k| format_ident!("__kept{k}", span = Span::mixed_site())).collect();
    // `continue` ends the inner loop.
    quote!(
        #(let #kept = __forall::Clone::clone(&#lower);)*
        for #start in 0..#ends.starts() {
            #(#lower = __forall::Clone::clone(&#kept);)*
            let (#(mut #names,)*) = #ends.now(#start);
            for _ in [()] { #body }
            #ends.put(#start, (#(#names,)*));
        }
    )
}
