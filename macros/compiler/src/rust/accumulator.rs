//! The results of a loop beside its arrays, as calls into `core`.

use super::bins::{counted, fresh_and_merge, repeated};
use super::systems::{Composed, composed};
use super::updates::{by_operator, code, in_range, merged};
use crate::front::attribute::{Algorithm, Merging};
use crate::front::function::Function;
use crate::front::parameters::Share;
use crate::front::variables::Declared;
use crate::ir::place::Place;
use crate::plan::{Accumulator, Better, Class, Leaf, Merge, Missing, Operator, StateMerge, Step, System, Written};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

impl Accumulator {
    /// The pattern that binds a chunk's state, and the expression that gives it back.
    pub(super) fn chunk(&self) -> (TokenStream, TokenStream) {
        let ident = &self.ident;
        match &self.class {
            Class::Best { names, hit, records: true, better, .. } => {
                let end = match better {
                    Better::Than { key, flag: Some(_), .. } => {
                        let first = &names[0];
                        let key = key.of_tokens(&quote!(#first));
                        quote!({ let __hit = #hit.first(&(#key)); ((#(#names,)*), __hit) })
                    }
                    _ => quote!(((#(#names,)*), #hit)),
                };
                (quote!(((#(mut #names,)*), mut #hit)), end)
            }
            Class::Best {
                names,
                hit,
                better: Better::Than { key, flag: Some((number, missing @ Missing::Where(_))), .. },
                ..
            } => {
                let (first, flag) = (&names[0], &names[*number]);
                let (key, missing) = (key.of_tokens(&quote!(#first)), missing.holds(&quote!(#flag)));
                let end = quote!({ let __hit = #hit.at_end(#missing, &(#key)); ((#(#names,)*), __hit) });
                (quote!(((#(mut #names,)*), mut #hit)), end)
            }
            Class::Best { names, better, .. } => {
                let yes = quote!(__forall::accumulate::Hit::Yes);
                let set = match better {
                    Better::Than { key, flag: Some((number, missing)), .. } => {
                        let (first, flag) = (&names[0], &names[*number]);
                        let (key, missing) = (key.of_tokens(&quote!(#first)), missing.holds(&quote!(#flag)));
                        // No key replaces one that compares with nothing, so the last one tells.
                        quote!(if #missing { __forall::accumulate::Hit::No } else { #yes.first(&(#key)) })
                    }
                    _ => yes,
                };
                (quote!(((#(mut #names,)*), _)), quote!({ let __hit = #set; ((#(#names,)*), __hit) }))
            }
            class if !class.is_carried() => (quote!(mut #ident), quote!(#ident)),
            _ => (quote!(()), quote!(())),
        }
    }

    /// The initial values of a chunk's totals of a level: the values of lower levels, and the state of a chunk.
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
            Class::Best { names, .. } | Class::Machine { names, .. } => {
                (quote!((#(mut #names,)*)), quote!((#(#names,)*)))
            }
            Class::System(System { names, .. }) => (quote!([#(mut #names),*]), quote!([#(#names),*])),
            class if !class.is_carried() => (quote!(mut #ident), quote!(#ident)),
            _ => (quote!(()), quote!(())),
        }
    }

    /// The same for what a worker carries.
    pub(super) fn carry(&self) -> (TokenStream, TokenStream) {
        let ident = &self.ident;
        if self.class.is_carried() { (quote!(mut #ident), quote!(#ident)) } else { (quote!(()), quote!(())) }
    }

    /// Its replacement around the call.
    pub(super) fn parts(&self, function: &Function, of: OfLoop, number: usize) -> Parts {
        let OfLoop { in_order, running, moves } = of;
        let call = Call::of(self, number);
        let Call { place, out, init, codec, .. } = &call;
        match &self.class {
            Class::Sum { wraps, counts } => {
                let [plain, counted] = if *wraps { ["running_sum", "counted_balance"] } else { ["sum", "counted_sum"] };
                if *counts { call.checked(plain, counted) } else { call.simple(plain) }
            }
            Class::Difference { wraps: true } => call.simple("running_difference"),
            Class::Difference { wraps: false } => call.checked("difference", "counted_difference"),
            // Iterations that read it find out themselves.
            Class::Product if running => call.simple("product"),
            Class::Product => call.checked("product", "counted_product"),
            Class::Parity => call.assigned(quote!(__forall::accumulate::parity(#init, #codec))),
            Class::Linear { .. } => call.simple("linear"),
            Class::System(_) | Class::Machine { .. } => {
                let Composed { accumulator, result, after } = composed(self, &call.out, codec);
                Parts { accumulator, result, after, ..Parts::default() }
            }
            Class::Idempotent { merge } => {
                let merge = merged(merge);
                call.assigned(quote!(__forall::accumulate::idempotent(#init, #codec, |__a, __b| #merge)))
            }
            Class::Combine { merge } => {
                let (merge, largest) = (merged(merge), largest(merge));
                call.assigned(quote!(__forall::accumulate::combine(
                    #init, #codec, |__a, __b| #merge, #largest
                )))
            }
            Class::Segmented { merge, .. } => {
                let (exact, merge, largest) = (format_ident!("{}", exactness(merge)), merged(merge), largest(merge));
                call.assigned(quote!({
                    let __init = #init;
                    let __exact = __forall::accumulate::#exact(&__init);
                    __forall::accumulate::segmented(__init, __exact, #codec, |__a, __b| #merge, #largest)
                }))
            }
            Class::Best { variables, better, .. } => call.best(variables, better),
            Class::Bins { leaves, share, wraps, falls } => {
                let (start, checked) = (fresh_and_merge(leaves, *wraps), counted(leaves, *wraps, *falls));
                let declared = function.declared.get(&self.place.root);
                let bins = call.bins(leaves, start.clone(), checked, *share, declared, number);
                match function.shares.iter().find(|parameter| *share && self.place == parameter.name) {
                    Some(bin) if !in_order && self.class.counts_in_shares() => call.share_bins(bin, bins, &start),
                    _ => bins,
                }
            }
            Class::Frame { merge, wraps, falls, layers } => {
                let frame = call.frame(merge, *layers, function, &self.place);
                // Layers of numbers are floats.
                let tallied = if *layers { None } else { tallied(merge, *wraps, *falls) };
                call.counted_frame(frame, tallied)
            }
            Class::Pushes { element } => {
                let sent = moves.then(|| {
                    let probe = quote!(__forall::codec::Probe::<#element>::of_elements(&[]));
                    quote!(.sent_by((&&&&#probe).__codec()))
                });
                Parts {
                    accumulator: quote!(__forall::accumulate::pushes::<#element>(
                        __forall::PushTarget::take(#place),
                        (&__device::Elements::<#element>::new()).__maker(),
                        {
                            static __EXPECTED: __forall::accumulate::Expected =
                                __forall::accumulate::Expected::new();
                            __EXPECTED.of(&|| ())
                        }
                    ) #sent),
                    result: quote!(#out),
                    after: quote!(__forall::PushTarget::append(#place, #out);),
                    ..Parts::default()
                }
            }
            Class::Scatter { element, path, written } => call.scatter(element, path, written, number),
            Class::State(merge) => {
                let reference = function.declared.get(&self.place.root).is_some_and(|declared| declared.reference);
                call.state(merge, function.args.merge_all.as_ref(), reference)
            }
            Class::Scratch => Parts {
                accumulator: quote!(__forall::accumulate::scratch(#init)),
                result: quote!(_),
                ..Parts::default()
            },
        }
    }
}

/// The loop of an accumulator.
#[derive(Clone, Copy)]
pub(super) struct OfLoop {
    /// Whether its iterations run in order.
    pub in_order: bool,
    /// Whether iterations read the accumulator.
    pub running: bool,
    /// Whether iterations may run on other ranks than their results.
    pub moves: bool,
}

/// The replacement of an accumulator around the call that runs a loop.
#[derive(Default)]
pub(super) struct Parts {
    /// Statements before the call.
    pub before: TokenStream,
    /// The accumulator.
    pub accumulator: TokenStream,
    /// The pattern that takes the result.
    pub result: TokenStream,
    /// Statements after the call.
    pub after: TokenStream,
}

/// The pieces of code that the parts of an accumulator have in common.
struct Call<'a> {
    /// Where the author changes it, so that what is wrong with its type is said there.
    at: Span,
    place: &'a TokenStream,
    /// The place, located where the author changes it.
    located: TokenStream,
    /// The variable that takes the result.
    out: Ident,
    init: TokenStream,
    codec: TokenStream,
}

impl<'a> Call<'a> {
    /// An array that iterations fold into.
    fn frame(&self, merge: &Merge, layers: bool, function: &Function, frame: &Place) -> Parts {
        let frame = frame.to_string();
        let kind = format_ident!("{}", if layers { "layers" } else { "frame" });
        let (at, located, ranks) = (self.at, &self.located, merging(function));
        let number = |identity: &str| {
            let identity = format_ident!("{identity}");
            quote!(Number(__forall::#identity(), __forall::accumulate::Number::magnitude))
        };
        let start = match (merge, &function.args.identity) {
            (Merge::Combine(_), Some(identity)) => quote!(Identity(#identity)),
            (Merge::By(Operator::Add), _) => number("zero"),
            (Merge::By(Operator::Mul), _) => number("one"),
            _ => quote!(Same),
        };
        // Layers of numbers are of those that are never out of range.
        let noted = layers && matches!(merge, Merge::By(_));
        let target = match noted {
            true => quote_spanned!(at=> __forall::accumulate::floats(&mut #located[..])),
            false => quote_spanned!(at=> &mut #located[..]),
        };
        let (start, merge) = (quote!(__forall::accumulate::Start::#start), merged(merge));
        Parts {
            before: TokenStream::new(),
            accumulator: quote_spanned!(at=> __forall::accumulate::#kind(
                &__call, #frame, #target, #start, |__a, __b| #merge, #ranks
            )),
            result: quote!(()),
            after: TokenStream::new(),
        }
    }

    /// In a build with overflow checks, elements that are integers are tallies.
    fn counted_frame(&self, frame: Parts, tallied: Option<[&str; 2]>) -> Parts {
        let Some([what, by]) = tallied else { return frame };
        let (what, by) = (format_ident!("{what}"), format_ident!("{by}"));
        let (Call { at, located, .. }, plain) = (self, frame.accumulator);
        let counted = quote_spanned!(*at=> {
            let __elements = __forall::accumulate::ElementsOf::of(&#located[..]);
            (&__elements).#what(#plain, __forall::accumulate::By::#by)
        });
        Parts { accumulator: in_range(&counted, &plain), ..frame }
    }

    fn of(accumulator: &'a Accumulator, number: usize) -> Self {
        let (at, place) = (accumulator.at, &accumulator.tokens);
        let located = crate::ir::print::located(place.clone(), at);
        Call {
            at,
            place,
            out: format_ident!("__out{number}", span = Span::mixed_site()),
            init: quote_spanned!(at=> __forall::Clone::clone(&#located)),
            codec: quote_spanned!(at=> (&&&&__forall::codec::Probe::of(&#located)).__codec()),
            located,
        }
    }

    /// An accumulator whose result is assigned to the author's variable.
    fn assigned(&self, accumulator: TokenStream) -> Parts {
        let Call { place, out, .. } = self;
        Parts { accumulator, result: quote!(#out), after: quote!(#place = #out;), ..Parts::default() }
    }

    /// One of numbers, by its name.
    fn of_numbers(&self, name: &str) -> TokenStream {
        let (name, Call { at, located, init, codec, .. }) = (format_ident!("{name}"), self);
        quote_spanned!(*at=> (&__forall::bounds::Probe::of(&#located)).__number().#name(#init, #codec))
    }

    fn simple(&self, name: &str) -> Parts {
        self.assigned(self.of_numbers(name))
    }

    /// A build that panics at overflow counts how often a partial sum wraps around; others do not pay for it.
    fn checked(&self, plain: &str, counted: &str) -> Parts {
        let [plain, counted] = [plain, counted].map(|name| self.of_numbers(name));
        self.assigned(in_range(&counted, &plain))
    }

    fn best(&self, variables: &[Place], better: &Better) -> Parts {
        let places: Vec<TokenStream> = variables.iter().map(Place::tokens).collect();
        let better = match better {
            Better::Than { key, op, by, flag, tie, .. } => {
                let member = |of: &str, number: usize| {
                    let (of, number) = (code(of), Literal::usize_unsuffixed(number));
                    quote!((#of.#number))
                };
                let first = flag.as_ref().map(|(number, missing)| {
                    let missing = missing.holds(&member("__old", *number));
                    quote!(#missing ||)
                });
                let [new, old] = ["__new", "__old"].map(|of| key.of_tokens(&member(of, 0)));
                let op = code(op.text());
                let tie = tie.as_ref().map(|tie| {
                    let [one, two] = ["__new", "__old"].map(|of| tie.key.of_tokens(&member(of, tie.number)));
                    let op = code(tie.op.text());
                    quote!(|| (#new) == (#old) && (#one) #op (#two))
                });
                match by {
                    Some(by) if by.is_total() => quote!(|__new, __old| {
                        // Less than equal, equal to it, or greater.
                        #first (#new).total_cmp(&(#old)) #op ::core::cmp::Ordering::Equal
                    }),
                    _ => quote!(|__new, __old| #first (#new) #op (#old) #tie),
                }
            }
            Better::ThanSome { fields, op, by, .. } => {
                let fields: TokenStream = fields.iter().map(|field| code(&format!(".{field}"))).collect();
                let op = code(op.text());
                let (function, better) = match by {
                    Some(by) if by.is_total() => {
                        let compared = quote!(__forall::accumulate::TotalOrder::total_order(__new, __old));
                        (quote!(better_some_by), quote!(#compared #op ::core::cmp::Ordering::Equal))
                    }
                    _ => (quote!(better_some), quote!(__new #op __old)),
                };
                quote!(|__new, __old| __forall::accumulate::#function(
                    &__new.0,
                    &__old.0,
                    |__held| &(*__held) #fields,
                    |__new, __old| #better,
                ))
            }
            Better::First(missing) => {
                let missing = missing.holds(&quote!((__old.0)));
                quote!(|_, __old| #missing)
            }
        };
        let codecs = places.iter().map(|place| quote!((&&&&__forall::codec::Probe::of(&#place)).__codec()));
        let names: Vec<Ident> = (0..variables.len()).map(|k| format_ident!("{}_{k}", self.out)).collect();
        Parts {
            accumulator: quote!(__forall::accumulate::best(
                (#(__forall::Clone::clone(&#places),)*), (#(#codecs,)*), #better
            )),
            result: quote!((#(#names,)*)),
            after: quote!(#(#places = #names;)*),
            ..Parts::default()
        }
    }

    /// Bins that are distributed over the ranks. Bins of integers, in a build that panics at overflow, record the range
    /// of their values.
    fn share_bins(&self, bin: &Share, counted: Parts, (fresh, merge): &(TokenStream, TokenStream)) -> Parts {
        let (place, element) = (self.place, &bin.element);
        let never_overflows = bin.is_of_floats();
        let sure = never_overflows.then(|| quote!(let _: &[::core::primitive::#element] = &__target[..];));
        let plain = quote!({
            let __target = #place.bins(&__call);
            #sure
            let __fresh = #fresh;
            let __codec = (&&&&__forall::codec::Probe::of_elements(&__target[..])).__codec();
            __forall::accumulate::share_bins(__target, __fresh, __codec, |__a, __b| #merge)
        });
        if never_overflows {
            return Parts { accumulator: plain, result: quote!(()), ..Parts::default() };
        }
        let Parts { before, accumulator, result, after } = counted;
        Parts {
            before: quote!(#[cfg(debug_assertions)] #before),
            accumulator: in_range(&accumulator, &plain),
            result,
            after: quote!(#[cfg(debug_assertions)] #after),
        }
    }

    fn bins(
        &self,
        leaves: &[Leaf],
        (fresh, merge): (TokenStream, TokenStream),
        counted: Option<TokenStream>,
        share: bool,
        declared: Option<&Declared>,
        number: usize,
    ) -> Parts {
        let place = self.place;
        let update = leaves.iter().find_map(|leaf| match &leaf.operator {
            Operator::Repeated(update) => Some(update),
            _ => None,
        });
        let whole = format_ident!("__whole{number}", span = Span::mixed_site());
        let own = declared.is_some_and(|d| d.buffer && !d.reference);
        let array = declared.is_some_and(|d| d.reference && d.length.is_some());
        let (before, target, after) = if share {
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
        let plain = quote!(__forall::accumulate::bins(__target, __fresh, __codec, |__a, __b| #merge));
        let bins = match (update, counted) {
            (Some(update), _) => repeated(update),
            (None, Some(counted)) => in_range(&counted, &plain),
            (None, None) => plain,
        };
        let fresh = update.is_none().then(|| quote!(let __fresh = #fresh;));
        let accumulator = quote!({
            let __target = #target;
            #fresh
            let __codec = (&&&&__forall::codec::Probe::of_elements(&__target[..])).__codec();
            #bins
        });
        Parts { before, accumulator, result: quote!(()), after }
    }

    fn scatter(&self, element: &TokenStream, path: &[Step], written: &Written, number: usize) -> Parts {
        let Call { place, out, .. } = self;
        // What comes to an element by an operator may be of another type.
        let value = match written {
            // The function of all updates has no operand.
            Written::Merge(Operator::Repeated(_)) => quote!(u8),
            Written::Set | Written::Merge(_) if path.is_empty() => element.clone(),
            _ => quote!(_),
        };
        let write = write(written, path);
        Parts {
            accumulator: quote!(__forall::accumulate::scatter::<#element, #value, _>(
                #place.target(&__call), |__element, __value| #write
            )),
            result: quote!(#out),
            after: quote!(#place.deliver(&__call, (__SITE.number, #number), #out);),
            ..Parts::default()
        }
    }

    fn state(&self, merge: &StateMerge, all: Option<&TokenStream>, reference: bool) -> Parts {
        let Call { place, out, at, .. } = self;
        let both = match merge {
            StateMerge::Named { init, merge } => quote!((#init, #merge)),
            StateMerge::Keyed(by) => {
                let by = format_ident!("{by}");
                quote!(__forall::accumulate::keyed::#by(__state))
            }
            StateMerge::Rows(depth) => quote!(::forall::__private::accumulate::rows::rows::<#depth, _>(__state)),
            StateMerge::OfType => {
                let at = Span::mixed_site().located_at(*at);
                let state = Ident::new("__state", Span::call_site().located_at(at));
                quote_spanned!(at=> __forall::accumulate::by_merge(#state))
            }
        };
        let (of, take, target) = match reference {
            true => (quote!(&*#place), quote!(::core::mem::replace(&mut *#place, __make())), quote!(*#place)),
            false => (quote!(&#place), quote!(#place), quote!(#place)),
        };
        let all = all.map(|path| quote!(.all_at_once(#path)));
        let plain = quote!(__forall::accumulate::state(#take, __make, __merge) #all);
        let state = match merge {
            StateMerge::Keyed(by @ ("sums" | "products")) => {
                let counted = format_ident!("counted_{by}");
                in_range(&quote!(__forall::accumulate::keyed::#counted(#take, &__call)), &plain)
            }
            _ => plain,
        };
        // What the loop puts into a collection tells the type of its elements, and with it how they travel.
        Parts {
            accumulator: quote!({
                let __state = #of;
                let __state = &*__state;
                let (__make, __merge) = #both;
                #state
            }),
            result: quote!(#out),
            after: quote!(
                let __codec = (&&&&__forall::codec::Probe::of(#out.state())).__codec();
                #target = #out.on_all_ranks(__codec, &__call);
            ),
            ..Parts::default()
        }
    }
}

/// The method that makes tallies of the elements of a frame, and the operators that change them.
fn tallied(merge: &Merge, wraps: bool, falls: bool) -> Option<[&'static str; 2]> {
    match merge {
        Merge::By(Operator::Add) if falls => Some(["__sums", "Subtracting"]),
        Merge::By(Operator::Add) if wraps => Some(["__sums", "Both"]),
        Merge::By(Operator::Add) => Some(["__sums", "Adding"]),
        Merge::By(Operator::Mul) => Some(["__products", "Multiplying"]),
        _ => None,
    }
}

/// How the arrays of ranks become one, as the author has it.
fn merging(function: &Function) -> TokenStream {
    let Merging { algorithm, regions, radices, slices, root, order } = &function.args.merging;
    let k = function.args.arity.unwrap_or(8);
    let algorithm = match algorithm {
        None | Some(Algorithm::Auto) => None,
        Some(Algorithm::Tree) => Some(quote!(Tree { k: #k })),
        Some(Algorithm::BinarySwap) => Some(quote!(BinarySwap)),
        Some(Algorithm::RadixK) => {
            let radices = radices.clone().unwrap_or_else(|| vec![k; usize::BITS as usize]);
            Some(quote!(RadixK { radices: ::std::vec![#(#radices),*] }))
        }
        Some(Algorithm::DirectSend) => Some(quote!(DirectSend)),
        Some(Algorithm::SerialDirectSend) => Some(quote!(SerialDirectSend)),
        Some(Algorithm::TodTree) => {
            let regions = regions.unwrap_or(16);
            Some(quote!(TodTree { regions: #regions, k: #k }))
        }
        Some(Algorithm::Pipeline) => {
            let slices = slices.unwrap_or(16);
            Some(quote!(Pipeline { slices: #slices }))
        }
    };
    let option = |value: Option<TokenStream>| match value {
        Some(value) => quote!(__forall::Some(#value)),
        None => quote!(__forall::None),
    };
    let algorithm = option(algorithm.map(|algorithm| quote!(__forall::partners::Algorithm::#algorithm)));
    let root = option(root.map(|root| quote!(#root)));
    let order = option(order.as_ref().map(
        |order| quote_spanned!(order.span()=> (::core::stringify!(#order), ::core::convert::Into::<f64>::into(#order))),
    ));
    quote!(__forall::accumulate::Ranks { algorithm: #algorithm, root: #root, order: #order })
}

/// The update of an element named `__element`, or of this part of it, by a value.
fn write(written: &Written, path: &[Step]) -> TokenStream {
    let part = path.iter().fold(quote!((*__element)), |part, step| match step {
        Step::Field(field) => {
            let field = code(field);
            quote!(#part.#field)
        }
        Step::Element => part,
    });
    match written {
        Written::Set => quote!(#part = __value),
        Written::Assign(op) => {
            let op = code(&format!("{}=", op.text()));
            quote!(#part #op __value)
        }
        Written::Binary(op) => {
            let op = code(op.text());
            quote!(#part = #part #op __value)
        }
        Written::Merge(Operator::Repeated(update)) => {
            let code = &update.code;
            quote!({
                let _: u8 = __value;
                #code
            })
        }
        Written::Merge(operator) => {
            let merged = by_operator(operator);
            quote!({
                let (__a, __b) = (#part, __value);
                #part = #merged;
            })
        }
    }
}

/// How large the floats are in values that this may round, for `FORALL_VERIFY`.
fn largest(merge: &Merge) -> TokenStream {
    match merge {
        Merge::Combine(_) | Merge::By(Operator::Add | Operator::Mul) => quote!(|__value| {
            #[allow(unused_imports)]
            use __forall::accumulate::rounding::{
                FloatsInData as _, FloatsInOption as _, FloatsInText as _, NoFloats as _,
            };
            (&&&&__forall::accumulate::rounding::Floats(__value)).__largest()
        }),
        _ => quote!(|_| 0.0),
    }
}

/// Whether values come to the same however they are grouped, as `core` calls it.
fn exactness(merge: &Merge) -> &'static str {
    match merge {
        Merge::By(Operator::Add | Operator::Mul) => "as_number",
        Merge::By(Operator::WrappingAdd | Operator::WrappingMul) | Merge::Combine(_) => "never",
        Merge::By(operator) if operator.saturates() => "never",
        _ => "always",
    }
}
