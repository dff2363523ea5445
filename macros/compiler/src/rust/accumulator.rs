//! What a loop leaves beside its arrays, as calls into `core`.

use super::bins::fresh_and_merge;
use super::updates::{by_operator, code, merged};
use crate::front::attribute::Attribute;
use crate::front::function::Function;
use crate::plan::{Accumulator, Class, Merge, Operator, StateMerge, Written};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

impl Accumulator {
    /// The pattern that binds a chunk's state, and the expression that gives it back.
    pub(super) fn chunk(&self) -> (TokenStream, TokenStream) {
        let ident = &self.ident;
        match &self.class {
            Class::Best { names, hit, .. } => (quote!(((#(mut #names,)*), mut #hit)), quote!(((#(#names,)*), #hit))),
            class if class.is_reduction() => (quote!(mut #ident), quote!(#ident)),
            _ => (quote!(()), quote!(())),
        }
    }

    /// What a chunk's totals of a level start from: the values of lower levels, and the state of a chunk.
    pub(super) fn of_level(&self, level: usize, number: usize) -> [(TokenStream, TokenStream); 2] {
        let by = |what: &str| {
            let by = format_ident!("__{what}{number}", span = Span::mixed_site());
            (quote!(#by), quote!(#by))
        };
        if self.level < level { [self.value(), by("chunk")] } else { [by("value"), self.chunk()] }
    }

    /// The same for the running value of a scan.
    pub(super) fn value(&self) -> (TokenStream, TokenStream) {
        let ident = &self.ident;
        match &self.class {
            Class::Best { names, .. } => (quote!((#(mut #names,)*)), quote!((#(#names,)*))),
            class if class.is_reduction() => (quote!(mut #ident), quote!(#ident)),
            _ => (quote!(()), quote!(())),
        }
    }

    /// The same for what a worker carries.
    pub(super) fn carry(&self) -> (TokenStream, TokenStream) {
        let ident = &self.ident;
        if self.class.is_reduction() { (quote!(()), quote!(())) } else { (quote!(mut #ident), quote!(#ident)) }
    }

    /// Statements before the call, the accumulator, the pattern that takes the result, and statements after it.
    pub(super) fn parts(&self, function: &Function, number: usize) -> [TokenStream; 4] {
        let place = &self.place;
        let out = format_ident!("__out{number}", span = Span::mixed_site());
        // Where the author changes it, so that what is wrong with its type is said there.
        let at = self.at;
        let located = crate::ir::print::located(place.clone(), self.at);
        let codec = quote_spanned!(at=> (&&&&::forall::__private::codec::Probe::of(&#located)).codec());
        let init = quote_spanned!(at=> ::core::clone::Clone::clone(&#located));
        let assign = quote!(#place = #out;);
        let simple = |name: &str| {
            let name = format_ident!("{name}");
            [
                TokenStream::new(),
                quote_spanned!(at=>
                    (&::forall::__private::asked::Asked::of(&#located)).number().#name(#init, #codec)
                ),
                quote!(#out),
                assign.clone(),
            ]
        };
        // A build that panics at overflow counts how often a partial sum wraps around; others do not pay for it.
        let checked = |[before, plain, result, after]: [TokenStream; 4], [_, counted, ..]: [TokenStream; 4]| {
            let accumulator = quote!({
                #[cfg(debug_assertions)]
                {
                    #counted
                }
                #[cfg(not(debug_assertions))]
                {
                    #plain
                }
            });
            [before, accumulator, result, after]
        };
        match &self.class {
            Class::Sum { wraps, counts } => {
                let [plain, counted] = if *wraps { ["running_sum", "counted_balance"] } else { ["sum", "counted_sum"] };
                if *counts { checked(simple(plain), simple(counted)) } else { simple(plain) }
            }
            Class::Difference { wraps: true } => simple("running_difference"),
            Class::Difference { wraps: false } => checked(simple("difference"), simple("counted_difference")),
            // Iterations that look at it find out themselves.
            Class::Product if function.attribute == Attribute::DistributedScan => simple("product"),
            Class::Product => checked(simple("product"), simple("counted_product")),
            Class::Parity => [
                TokenStream::new(),
                quote!(::forall::__private::accumulate::parity(#init, #codec)),
                quote!(#out),
                assign,
            ],
            Class::Linear { .. } => simple("linear"),
            Class::Idempotent { merge } => {
                let merge = merged(merge);
                [
                    TokenStream::new(),
                    quote!(::forall::__private::accumulate::idempotent(#init, #codec, |__a, __b| #merge)),
                    quote!(#out),
                    assign,
                ]
            }
            Class::Combine { merge } => {
                let merge = merged(merge);
                [
                    TokenStream::new(),
                    quote!(::forall::__private::accumulate::combine(#init, #codec, |__a, __b| #merge)),
                    quote!(#out),
                    assign,
                ]
            }
            Class::Segmented { merge, .. } => {
                let (exact, merge) = (format_ident!("{}", exactness(merge)), merged(merge));
                [
                    TokenStream::new(),
                    quote!({
                        let __init = #init;
                        let __exact = ::forall::__private::accumulate::#exact(&__init);
                        ::forall::__private::accumulate::segmented(__init, __exact, #codec, |__a, __b| #merge)
                    }),
                    quote!(#out),
                    assign,
                ]
            }
            Class::Best { variables, fields, op, .. } => {
                let places: Vec<TokenStream> = variables.iter().map(|v| code(v)).collect();
                let fields: TokenStream = fields.iter().map(|field| code(&format!(".{field}"))).collect();
                let op = code(op.text());
                let codecs =
                    places.iter().map(|place| quote!((&&&&::forall::__private::codec::Probe::of(&#place)).codec()));
                let names: Vec<Ident> = (0..variables.len()).map(|k| format_ident!("{out}_{k}")).collect();
                [
                    TokenStream::new(),
                    quote!(::forall::__private::accumulate::best(
                        (#(::core::clone::Clone::clone(&#places),)*), (#(#codecs,)*),
                        |__new, __old| (__new.0) #fields #op (__old.0) #fields
                    )),
                    quote!((#(#names,)*)),
                    quote!(#(#places = #names;)*),
                ]
            }
            Class::Bins { leaves, share, wraps } => {
                let (fresh, merge) = fresh_and_merge(leaves, *wraps);
                let whole = format_ident!("__whole{number}", span = Span::mixed_site());
                let declared = function.declared.get(&self.text);
                let own = declared.is_some_and(|d| d.buffer && !d.reference);
                let array = declared.is_some_and(|d| d.reference && d.length.is_some());
                let (before, target, after) = if *share {
                    (quote!(let mut #whole = #place.to_vec();), quote!(&mut #whole), quote!(#place.keep(&#whole);))
                } else if own {
                    (TokenStream::new(), quote!(&mut #place), TokenStream::new())
                } else if array {
                    (TokenStream::new(), quote!(&mut *#place), TokenStream::new())
                } else {
                    // A slice, or something that is not known to be more than one.
                    (
                        quote!(let mut #whole = #place[..].to_vec();),
                        quote!(&mut #whole),
                        quote!(#place[..].clone_from_slice(&#whole);),
                    )
                };
                [
                    before,
                    quote!({
                        let __target = #target;
                        let __fresh = #fresh;
                        let __codec = (&&&&::forall::__private::codec::Probe::of_elements(&__target[..])).codec();
                        ::forall::__private::accumulate::bins(__target, __fresh, __codec, |__a, __b| #merge)
                    }),
                    quote!(()),
                    after,
                ]
            }
            Class::Pushes { element } => [
                TokenStream::new(),
                quote!(::forall::__private::accumulate::pushes::<#element>(
                    ::forall::__private::PushTarget::take(#place),
                    (&__device::Elements::<#element>::new()).maker()
                )),
                quote!(#out),
                quote!(::forall::__private::PushTarget::append(#place, #out);),
            ],
            Class::Scatter { element, written } => {
                // What comes to an element by an operator may be of another type.
                let value = match written {
                    Written::Set | Written::Merge(_) => element.clone(),
                    Written::Assign(_) | Written::Binary(_) => quote!(_),
                };
                let write = write(written);
                [
                    TokenStream::new(),
                    quote!(::forall::__private::accumulate::scatter::<#element, #value, _>(
                        #place.target(&__call), |__element, __value| #write
                    )),
                    quote!(#out),
                    quote!(#place.deliver(&__call, (__SITE.number, #number), #out);),
                ]
            }
            Class::State(merge) => {
                let reference = function.declared.get(&self.text).is_some_and(|d| d.reference);
                let both = match merge {
                    StateMerge::Named { init, merge } => quote!((#init, #merge)),
                    StateMerge::Keyed(by) => {
                        let by = format_ident!("{by}");
                        quote!(::forall::__private::accumulate::keyed::#by(__state))
                    }
                    StateMerge::OfType => {
                        let at = Span::mixed_site().located_at(at);
                        let state = Ident::new("__state", Span::call_site().located_at(at));
                        quote_spanned!(at=> ::forall::__private::accumulate::by_merge(#state))
                    }
                };
                let (of, take, target) = match reference {
                    true => (quote!(&*#place), quote!(::core::mem::replace(&mut *#place, __make())), quote!(*#place)),
                    false => (quote!(&#place), quote!(#place), quote!(#place)),
                };
                // What the loop puts into a collection tells the type of its elements, and with it how they travel.
                [
                    TokenStream::new(),
                    quote!({
                        let __state = #of;
                        let __state = &*__state;
                        let (__make, __merge) = #both;
                        ::forall::__private::accumulate::state(#take, __make, __merge)
                    }),
                    quote!(#out),
                    quote!(
                        let __codec = (&&&&::forall::__private::codec::Probe::of(#out.state())).codec();
                        #target = #out.on_all_ranks(__codec, &__call);
                    ),
                ]
            }
            Class::Scratch => [
                TokenStream::new(),
                quote!(::forall::__private::accumulate::scratch(#init)),
                quote!(_),
                TokenStream::new(),
            ],
        }
    }
}

/// What an iteration does with an element named `__element`, and a value.
fn write(written: &Written) -> TokenStream {
    match written {
        Written::Set => quote!(*__element = __value),
        Written::Assign(op) => {
            let op = code(&format!("{}=", op.text()));
            quote!(*__element #op __value)
        }
        Written::Binary(op) => {
            let op = code(op.text());
            quote!(*__element = *__element #op __value)
        }
        Written::Merge(operator) => {
            let merged = by_operator(operator);
            quote!({
                let (__a, __b) = (*__element, __value);
                *__element = #merged;
            })
        }
    }
}

/// Whether values come to the same however they are grouped, as `core` calls it.
fn exactness(merge: &Merge) -> &'static str {
    match merge {
        Merge::By(Operator::Add | Operator::Mul) => "as_number",
        Merge::By(Operator::WrappingAdd | Operator::WrappingMul) | Merge::Combine(_) => "never",
        _ => "always",
    }
}
