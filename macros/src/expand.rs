//! From a classified loop to calls into `core`. After checking, nothing here can fail.

use crate::array::shape_variable;
use crate::ask::asker;
use crate::classify::{Accumulator, Class, Loop, Slot, SlotKind};
use crate::device::callees::Callees;
use crate::device::{self, Bins, Type};
use crate::function::{Function, Share, sibling};
use crate::index::{emit, length_variable, plain};
use crate::ir::{Expr, Id, Kind, Op, Statement, StatementKind};
use crate::outside::{element_written, part_written};
use crate::print::{Edit, block, expr, statements};
use crate::select::{Selection, selection};
use crate::slice::Sliced;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// Replaces the loops of a function, in the order of the walk.
struct Loops<'a> {
    function: &'a Function,
    loops: &'a HashMap<Id, Loop>,
    number: Cell<usize>,
}

impl Edit for Loops<'_> {
    fn edits(&self, e: &Expr) -> bool {
        let written = part_written(self.function, e).is_some() || element_written(self.function, e).is_some();
        written || self.loops.contains_key(&e.id)
    }

    /// A variable that only serves inside the iterations is declared there.
    fn statement(&self, s: &Statement) -> Option<TokenStream> {
        let StatementKind::Let(pattern, None, None) = &s.kind else { return None };
        let name = &pattern.single()?.name;
        let private = pattern.ty.is_none() && self.loops.values().any(|l| l.privates.contains(name));
        private.then(TokenStream::new)
    }

    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        let Some(found) = self.loops.get(&e.id) else {
            if let Some((share, index, value)) = element_written(self.function, e) {
                return Some(self.put(share, index, value, e.span));
            }
            let (share, range, method, arguments) = part_written(self.function, e)?;
            let (name, method) = (format_ident!("{}", share.name, span = share.span), format_ident!("{method}"));
            let range = expr(range, self);
            let arguments = arguments.iter().map(|argument| expr(argument, self));
            return Some(quote!(#name.part(#range).#method(#(#arguments),*)));
        };
        let mut numbers: Vec<Id> = self.loops.keys().copied().collect();
        numbers.sort_unstable();
        let number = numbers.iter().position(|id| *id == e.id).unwrap_or(self.number.get());
        Some(expand_loop(self.function, found, number))
    }
}

impl Loops<'_> {
    /// `out[index] = value`: the value is computed first, and nobody asks for what was there before.
    fn put(&self, share: &Share, index: &Expr, value: &Expr, at: Span) -> TokenStream {
        let name = format_ident!("{}", share.name, span = share.span);
        let held = |name: &str, of: &Expr| Ident::new(name, Span::mixed_site().located_at(of.span));
        let (put, put_index) = (held("__value", value), held("__index", index));
        let (index, value) = (expr(index, self), expr(value, self));
        quote_spanned!(at=> {
            let #put = #value;
            let #put_index = #index;
            #name.put(#put, #put_index);
        })
    }
}

/// Renames places that are not plain variables, and replaces updates.
pub struct Kernel<'a> {
    pub places: &'a [(String, Ident)],
    pub edits: HashMap<Id, TokenStream>,
    pub dropped: Option<&'a Sliced>,
}

impl Edit for Kernel<'_> {
    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        if let Some(tokens) = self.edits.get(&e.id) {
            return Some(tokens.clone());
        }
        if !self.places.is_empty() && matches!(e.kind, Kind::Field(..) | Kind::Index(..) | Kind::Unary('*', _)) {
            let text = e.text();
            if let Some((_, ident)) = self.places.iter().find(|(place, _)| *place == text) {
                return Some(quote!(#ident));
            }
        }
        None
    }

    fn statement(&self, s: &Statement) -> Option<TokenStream> {
        let sliced = self.dropped?;
        if sliced.keeps(s) {
            None
        } else {
            Some(match &s.kind {
                StatementKind::Expr(_, false) => quote!({}),
                _ => TokenStream::new(),
            })
        }
    }
}

fn nest(items: impl DoubleEndedIterator<Item = TokenStream>) -> TokenStream {
    items.rev().fold(quote!(()), |tail, item| quote!((#item, #tail)))
}

impl Accumulator {
    /// The pattern that binds a chunk's state, and the expression that gives it back.
    fn chunk(&self) -> (TokenStream, TokenStream) {
        let ident = &self.ident;
        match &self.class {
            Class::Best { names, hit, .. } => (quote!(((#(mut #names,)*), mut #hit)), quote!(((#(#names,)*), #hit))),
            class if class.is_reduction() => (quote!(mut #ident), quote!(#ident)),
            _ => (quote!(()), quote!(())),
        }
    }

    /// What a chunk's totals of a level start from: the values of lower levels, and the state of a chunk.
    fn of_level(&self, level: usize, number: usize) -> [(TokenStream, TokenStream); 2] {
        let by = |what: &str| {
            let by = format_ident!("__{what}{number}", span = Span::mixed_site());
            (quote!(#by), quote!(#by))
        };
        if self.level < level { [self.value(), by("chunk")] } else { [by("value"), self.chunk()] }
    }

    /// The same for the running value of a scan.
    fn value(&self) -> (TokenStream, TokenStream) {
        let ident = &self.ident;
        match &self.class {
            Class::Best { names, .. } => (quote!((#(mut #names,)*)), quote!((#(#names,)*))),
            class if class.is_reduction() => (quote!(mut #ident), quote!(#ident)),
            _ => (quote!(()), quote!(())),
        }
    }

    /// The same for what a worker carries.
    fn carry(&self) -> (TokenStream, TokenStream) {
        let ident = &self.ident;
        if self.class.is_reduction() { (quote!(()), quote!(())) } else { (quote!(mut #ident), quote!(#ident)) }
    }

    /// Statements before the call, the accumulator, the pattern that takes the result, and statements after it.
    fn parts(&self, function: &Function, number: usize) -> [TokenStream; 4] {
        let place = &self.place;
        let out = format_ident!("__out{number}", span = Span::mixed_site());
        // Where the author changes it, so that what is wrong with its type is said there.
        let at = self.at;
        let located = crate::print::located(place.clone(), self.at);
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
                let plain = simple(if *wraps { "running_sum" } else { "sum" });
                if *counts { checked(plain, simple("counted_sum")) } else { plain }
            }
            Class::Difference { wraps: true } => simple("running_difference"),
            Class::Difference { wraps: false } => checked(simple("difference"), simple("counted_difference")),
            Class::Product => simple("product"),
            Class::Parity => [
                TokenStream::new(),
                quote!(::forall::__private::accumulate::parity(#init, #codec)),
                quote!(#out),
                assign,
            ],
            Class::Linear { .. } => simple("linear"),
            Class::Idempotent { merge } => [
                TokenStream::new(),
                quote!(::forall::__private::accumulate::idempotent(#init, #codec, |__a, __b| #merge)),
                quote!(#out),
                assign,
            ],
            Class::Combine { merge } => [
                TokenStream::new(),
                quote!(::forall::__private::accumulate::combine(#init, #codec, |__a, __b| #merge)),
                quote!(#out),
                assign,
            ],
            Class::Segmented { merge, exact, .. } => {
                let exact = format_ident!("{exact}");
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
            Class::Best { variables, better, .. } => {
                let places: Vec<TokenStream> = variables.iter().map(|v| v.parse().unwrap_or_default()).collect();
                let codecs =
                    places.iter().map(|place| quote!((&&&&::forall::__private::codec::Probe::of(&#place)).codec()));
                let names: Vec<Ident> = (0..variables.len()).map(|k| format_ident!("{out}_{k}")).collect();
                [
                    TokenStream::new(),
                    quote!(::forall::__private::accumulate::best(
                        (#(::core::clone::Clone::clone(&#places),)*), (#(#codecs,)*), #better
                    )),
                    quote!((#(#names,)*)),
                    quote!(#(#places = #names;)*),
                ]
            }
            Class::Bins { fresh, merge, share, .. } => {
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
            Class::State { init: maker, merge } => {
                let reference = function.declared.get(&self.text).is_some_and(|d| d.reference);
                let both = match (maker, merge) {
                    (Some(maker), Some(merge)) => quote!((#maker, #merge)),
                    (Some(both), None) => quote!(#both),
                    (None, _) => {
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

/// Asks that the type of an array's elements is plain data. What is wrong with it is said where it is written.
fn asked(element: &TokenStream) -> TokenStream {
    let at = element.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span());
    quote_spanned!(at=> (&::forall::__private::asked::Asked::<#element>::new()).element())
}

/// The variable that holds the shape of a parameter, if it has one.
fn shape_of(function: &Function, name: &str) -> Option<Ident> {
    function.shares.iter().find(|s| s.name == name)?.array.as_ref().map(|_| shape_variable(name))
}

/// The loop's program for devices, as a constant expression, and what gives a device the values of its variables.
fn program(function: &Function, found: &Loop, name: &str, callees: &Callees) -> [TokenStream; 2] {
    let types = |types: &mut dyn Iterator<Item = &Type>| {
        let types = types.map(device::tokens);
        quote!(&[#(#types),*])
    };
    let translation = match &found.translation {
        Ok(translation) => translation,
        Err(obstacles) => {
            let reasons: Vec<String> = obstacles.iter().map(ToString::to_string).collect();
            let reasons = reasons.join("; ");
            return [
                quote!(::core::result::Result::Err(#reasons)),
                quote!(|__program| __device::Captured::new(
                    __program,
                    false,
                    ::std::vec::Vec::new(),
                    ::std::vec::Vec::new()
                )),
            ];
        }
    };
    let (source, running, commutative) = (&translation.source, translation.running, translation.commutative);
    let arrays = translation.arrays.iter().zip(&found.slots).map(|(element, slot)| {
        let (element, writes) = (device::tokens(element), matches!(slot.kind, SlotKind::Write | SlotKind::Everywhere));
        quote!(__device::Array { element: #element, writes: #writes })
    });
    let values = types(&mut translation.values.iter().map(|(_, ty)| ty));
    let tables = types(&mut translation.tables.iter().map(|table| &table.ty));
    let (state, pushes) = (types(&mut translation.state.iter()), types(&mut translation.pushes.iter()));
    let (levels, counted) = (&translation.levels, translation.counted);
    let bins = translation.bins.iter().map(|Bins { element, operator, wraps, .. }| {
        let (element, operator) = (device::tokens(element), format_ident!("{operator}"));
        quote!(__device::Bins { element: #element, operator: __device::Operator::#operator, wraps: #wraps })
    });
    let calls = device::functions::calls(&translation.calls);
    let asks = device::asks::tokens(&translation.asks, &translation.numbers);
    let given = device::asks::given(&translation.asks);
    let given = quote!(::std::vec![#(#given),*]);
    let program = quote!(::core::result::Result::Ok(__device::Program {
        name: #name,
        source: #source,
        arrays: &[#(#arrays),*],
        values: #values,
        tables: #tables,
        state: #state,
        levels: &[#(#levels),*],
        counted: #counted,
        pushes: #pushes,
        bins: &[#(#bins),*],
        calls: #calls,
        asks: #asks,
        running: #running,
        commutative: #commutative,
    }));

    let mut told = TokenStream::new();
    let shown = |e: &TokenStream| crate::report::shown(&e.to_string());
    for (value, ty) in &translation.values {
        let (name, ty) = (shown(value), device::tokens(ty));
        told.extend(quote!(.value(#name, #ty, (&__device::Probe(&(#value))).found())));
    }
    for table in &translation.tables {
        let (name, ty, found) = (shown(&table.tokens), device::tokens(&table.ty), table.found());
        told.extend(match table.part {
            Some(_) => quote!(.table_part(#name, #ty, #found)),
            None => quote!(.table(#name, #ty, #found)),
        });
    }
    let of_elements = |element: &TokenStream| device::asks::of_type(element);
    for (slot, ty) in found.slots.iter().zip(&translation.arrays) {
        let (Some(element), name, ty) = (&slot.element, &slot.name, device::tokens(ty)) else { continue };
        let element = of_elements(element);
        told.extend(quote!(.of_type(#name, #ty, #element)));
    }
    for (name, place, ty) in &translation.told {
        let ty = device::tokens(ty);
        told.extend(quote!(.of_type(#name, #ty, (&__device::Probe(&#place)).ty())));
    }
    let mut pushes = translation.pushes.iter();
    let mut bins = translation.bins.iter();
    for accumulator in &found.accumulators {
        match &accumulator.class {
            Class::Pushes { element } => {
                let (name, element) = (&accumulator.text, of_elements(element));
                if let Some(ty) = pushes.next().map(device::tokens) {
                    told.extend(quote!(.of_type(#name, #ty, #element)));
                }
            }
            Class::Bins { share, .. } => {
                let (name, place) = (&accumulator.text, &accumulator.place);
                let element = function.shares.iter().find(|s| s.name == *name).filter(|_| *share).map(|s| &s.element);
                let found = match element {
                    Some(element) => of_elements(element),
                    None => quote!((&__device::Probe(&(#place)[..])).ty()),
                };
                if let Some(ty) = bins.next().map(|bins| device::tokens(&bins.whole)) {
                    told.extend(quote!(.of_type(#name, #ty, #found)));
                }
            }
            _ => {}
        }
    }
    let callees = callees.list();
    let captured = quote!(__device::Captured::new(__program, ::core::cfg!(debug_assertions), #callees, #given) #told);
    [program, quote!(|__program| #captured)]
}

fn expand_loop(function: &Function, found: &Loop, number: usize) -> TokenStream {
    let span = found.f.span;
    let mut setup = TokenStream::new();
    found.source.setup(&mut setup);
    for array in &found.lengths {
        let (held, array) = (length_variable(array), format_ident!("{array}"));
        setup.extend(quote!(let #held: usize = #array.len();));
    }
    // From the variable, which need not be the parameter of that name.
    for array in &found.shapes {
        let (shape, array) = (shape_variable(array), format_ident!("{array}"));
        setup.extend(quote!(let #shape = #array.lengths();));
    }
    let len = found.source.len();
    let pattern = &found.f.pattern.tokens;

    // The elements of the iteration before the first.
    let carried = found.carried.iter().map(|carried| {
        let (variable, first) = (&carried.variable, &carried.first);
        let variable = syn::Ident::new(&variable.to_string(), Span::call_site());
        let item = found.source.item(&quote!(0usize));
        quote!(let mut #variable = { let #pattern = #item; #first };)
    });

    // Arrays.
    let slots = nest(found.slots.iter().map(|slot| {
        let name = format_ident!("{}", slot.name);
        match slot.kind {
            SlotKind::Read | SlotKind::ReadOutput => quote!(#name.read_slot()),
            SlotKind::Gather => quote!(#name.gather_slot()),
            SlotKind::Write => quote!(#name.write_slot()),
            SlotKind::Everywhere => quote!(::forall::__private::slot::WriteSlot::everywhere(&mut #name[..])),
        }
    }));
    let names: Vec<Ident> = found.slots.iter().map(|slot| format_ident!("{}", slot.name)).collect();
    let texts = found.slots.iter().map(|slot| &slot.name);

    // Footprints.
    let (mut evaluate, mut emitted) = (TokenStream::new(), HashSet::new());
    let accesses: Vec<TokenStream> = found
        .accesses
        .iter()
        .map(|access| {
            let (slot, writes) = (access.slot, access.writes);
            if let Some(width) = &access.halo {
                let plane = shape_of(function, &found.slots[slot].name)
                    .map_or(quote!(1usize), |shape| quote!(#shape[1..].iter().product::<usize>()));
                return quote!(__fp::Access::near(#slot, &__positions, (#width) as usize, #plane));
            }
            match (&access.first.value, &access.end.value) {
                (Some(first), Some(_)) if access.single => {
                    let first = emit(first, &mut emitted, &mut evaluate);
                    let apart = access.apart.then(|| quote!(.as_apart()));
                    quote!(__fp::Access::element(#slot, #writes, #first)#apart)
                }
                (Some(first), Some(end)) => {
                    let (first, end) =
                        (emit(first, &mut emitted, &mut evaluate), emit(end, &mut emitted, &mut evaluate));
                    quote!(__fp::Access::range(#slot, #writes, #first, #end))
                }
                _ => quote!(__fp::Access::everything(#slot, #writes)),
            }
        })
        .collect();
    let count = accesses.len();
    let footprint = quote!(|__positions: ::core::ops::Range<usize>| -> [__fp::Access; #count] {
        #evaluate
        [#(#accesses),*]
    });

    // Accumulators.
    let parts: Vec<[TokenStream; 4]> =
        found.accumulators.iter().enumerate().map(|(k, a)| a.parts(function, k)).collect();
    let before = parts.iter().map(|p| &p[0]);
    let accumulators = nest(parts.iter().map(|p| p[1].clone()));
    let results = nest(parts.iter().map(|p| p[2].clone()));
    let after = parts.iter().map(|p| &p[3]);

    // Kernels.
    let mut places: Vec<(String, Ident)> = Vec::new();
    for accumulator in &found.accumulators {
        match &accumulator.class {
            Class::Best { variables, names, .. } => places.extend(variables.iter().cloned().zip(names.iter().cloned())),
            _ => places.push((accumulator.text.clone(), accumulator.ident.clone())),
        }
    }
    places.retain(|(text, ident)| ident != text);
    let mut edits = found.own_lengths.clone();
    for accumulator in &found.accumulators {
        edits.extend(accumulator.edits.clone());
    }
    let chunk_body = Kernel { places: &places, edits, dropped: None };
    let value_body = Kernel { places: &places, edits: found.own_lengths.clone(), dropped: None };
    // Where some elements are kept, the body is there twice: see `select`.
    let iterate_with = |privates: &[String], body: TokenStream, keeping: Option<(Ident, TokenStream)>| {
        let item = found.source.item(&quote!(__p));
        let label = &found.f.label.tokens;
        let own = found.source.owned();
        let privates = privates.iter().map(|name| {
            let name = format_ident!("{name}");
            quote!(let mut #name;)
        });
        let (watch, range, check) = if found.macros {
            (
                quote!(let __through = ::forall::__private::Through::new();),
                quote!(__through.over(__range)),
                quote!(__through.check();),
            )
        } else {
            (TokenStream::new(), quote!(__range), TokenStream::new())
        };
        let iterations = |range: TokenStream, body: &TokenStream| {
            let privates = privates.clone();
            quote_spanned!(span=>
                #label for __p in #range {
                    __at.set(__p);
                    #(#privates)*
                    let #pattern = #item;
                    #body
                }
            )
        };
        let iterations = if singles_out_the_first(found) && !found.macros {
            let first = iterations(quote!(__range.start..::core::cmp::min(__range.end, 1)), &body);
            let others = iterations(quote!(::core::cmp::max(__range.start, 1)..__range.end), &body);
            quote!(#first #others)
        } else if let Some((kept_in, keeping)) = keeping {
            let (plain, keeping) = (iterations(quote!(__range), &body), iterations(quote!(__range), &keeping));
            quote!(
                let mut __blocks = ::forall::__private::accumulate::Blocks::of(__range);
                while let ::core::option::Option::Some((__range, __mixed)) = __blocks.next(#kept_in.len()) {
                    if __mixed { #keeping } else { #plain }
                }
            )
        } else {
            iterations(range, &body)
        };
        quote_spanned!(span=>
            #own
            #watch
            let __at = ::forall::__private::At::new();
            #iterations
            #check
            __at.done();
        )
    };
    let list = |f: fn(&Accumulator) -> (TokenStream, TokenStream)| {
        let (patterns, values): (Vec<_>, Vec<_>) = found.accumulators.iter().map(f).unzip();
        (nest(patterns.into_iter()), nest(values.into_iter()))
    };
    let (chunk_in, chunk_out) = list(Accumulator::chunk);
    let (carry_in, carry_out) = list(Accumulator::carry);
    // What has a shape keeps it in the body.
    let shaped = |name: &str, mutable: bool, view: TokenStream| {
        let (ident, mutable) = (format_ident!("{name}"), mutable.then(|| quote!(mut)));
        let grid = match shape_of(function, name) {
            Some(shape) => quote!(::forall::__private::Grid::new(#view, #shape)),
            None => view,
        };
        quote!(let #mutable #ident = #grid;)
    };
    let bins = found.accumulators.iter().filter(|a| matches!(a.class, Class::Bins { share: true, .. }));
    let bins: Vec<&String> = bins.map(|a| &a.text).filter(|name| shape_of(function, name).is_some()).collect();
    let iterate_keeping = |body: TokenStream, keeping: Option<(Ident, TokenStream)>| {
        let iteration = iterate_with(&found.privates, body, keeping);
        let (mut shape, mut unshape) = (TokenStream::new(), TokenStream::new());
        for name in &bins {
            let ident = format_ident!("{name}");
            shape.extend(shaped(name, true, quote!(#ident)));
            unshape.extend(quote!(let #ident = #ident.into_view();));
        }
        quote!(#shape #iteration #unshape)
    };
    let iterate = |body: TokenStream| iterate_keeping(body, None);
    let (value_in, value_out) = list(Accumulator::value);

    let callees = Callees::of(found.translation.as_ref().map_or(&[], |translation| &translation.calls));
    let accumulators = callees.note(accumulators);

    // The proved form takes its arrays as arguments of a closure: as such they are known not to overlap.
    let fast = |iteration: &TokenStream, state: (&TokenStream, &TokenStream)| {
        let parts: Vec<Ident> =
            (0..names.len()).map(|k| format_ident!("__part{k}", span = Span::mixed_site())).collect();
        let pattern = nest(parts.iter().map(|p| quote!(#p)));
        let (mut arguments, mut passed, mut views) = (Vec::new(), Vec::new(), TokenStream::new());
        for ((slot, name), part) in found.slots.iter().zip(&names).zip(&parts) {
            if slot.kind == SlotKind::Gather {
                views.extend(shaped(&slot.name, false, quote!(#part)));
                continue;
            }
            let proof = format_ident!("__proof_{}", plain(&slot.name), span = Span::mixed_site());
            let view = match slot.kind {
                SlotKind::Read | SlotKind::ReadOutput => {
                    shaped(&slot.name, false, quote!(::forall::__private::view::Reads::proved(#name, #proof)))
                }
                _ => shaped(&slot.name, true, quote!(::forall::__private::view::Writes::proved(#name, #proof))),
            };
            match (&slot.element, slot.kind) {
                (Some(element), SlotKind::Read | SlotKind::ReadOutput) => {
                    arguments.push(quote!(#name: &[#element], #proof: ::forall::__private::view::Proof<'_>));
                    passed.push(quote!(#part.0, #part.1));
                    views.extend(view);
                }
                (Some(element), _) => {
                    arguments.push(quote!(#name: &mut [#element], #proof: ::forall::__private::view::Proof<'_>));
                    passed.push(quote!(#part.0, #part.1));
                    views.extend(view);
                }
                // The element's type is not written anywhere: the view is made outside, and captured.
                (None, _) => views.extend(quote!(let (#name, #proof) = #part; #view)),
            }
        }
        let (state_in, state_out) = state;
        // The state is moved into the closure and out again, so that the variables live in registers meanwhile.
        quote!({
            let #pattern = __arrays;
            let mut __kept = ::core::option::Option::Some(__state);
            let mut __run = |#(#arguments,)* __range: ::core::ops::Range<usize>| {
                #views
                if let ::core::option::Option::Some(#state_in) = __kept.take() {
                    #iteration
                    __kept = ::core::option::Option::Some(#state_out);
                }
            };
            __run(#(#passed,)* __range);
            ::forall::__private::kept(__kept)
        })
    };
    let written = |slot: &Slot| matches!(slot.kind, SlotKind::Write | SlotKind::Everywhere);
    let pattern_of_views =
        nest(found.slots.iter().zip(&names).map(
            |(slot, name)| {
                if written(slot) { quote!(mut #name) } else { quote!(#name) }
            },
        ));
    let arrays = found.slots.iter().zip(&names).filter(|(slot, _)| shape_of(function, &slot.name).is_some());
    let arrays = arrays.map(|(slot, name)| shaped(&slot.name, written(slot), quote!(#name)));
    let views = quote!(let #pattern_of_views = __arrays; #(#arrays)*);
    let checked = |iteration: &TokenStream, (state_in, state_out): (&TokenStream, &TokenStream)| {
        callees.note(quote!({
            #views
            let #state_in = __state;
            #iteration
            #state_out
        }))
    };

    let captures = found.captures.iter().map(|(name, span)| {
        let name = format_ident!("{name}", span = *span);
        quote_spanned!(*span=> ::forall::__private::fa042_captured_values_must_be_sync(&#name);)
    });
    let name = function.signature.ident.to_string();
    let stages = found.asking.iter().flat_map(|asking| asking.stages.iter().map(|(_, slots)| quote!(&[#(#slots),*])));
    let looks = found.asking.iter().flat_map(|asking| asking.looks.iter().map(|slots| quote!(&[#(#slots),*])));
    let ask = match &found.asking {
        Some(asking) => {
            let numbers = 0..asking.stages.len();
            let iterations = asking.stages.iter().map(|(body, slots)| {
                let askers = slots.iter().map(|&slot| asker(slot));
                let iterations = iterate_with(&asking.privates, body.clone(), None);
                quote!(#(let #askers = __asks.asker(#slots);)* #iterations)
            });
            quote!(|__asks, __stage: usize, __arrays, __range: ::core::ops::Range<usize>| {
                #views
                match __stage {
                    #(#numbers => { #iterations })*
                    _ => {}
                }
            })
        }
        None => quote!(|_, _, _, _| ()),
    };
    let both = |fast: TokenStream, checked: TokenStream| quote!(|__state, __arrays, __range: ::core::ops::Range<usize>| #fast, |__state, __arrays, __range: ::core::ops::Range<usize>| #checked);
    let kernel = |iteration: &TokenStream, state: (&TokenStream, &TokenStream)| {
        both(fast(iteration, state), checked(iteration, state))
    };
    let in_lanes = found.in_lanes();
    let lanes: Vec<Ident> =
        (0..found.accumulators.len()).map(|k| format_ident!("__lanes{k}", span = Span::mixed_site())).collect();
    let lanes_state = (
        nest(
            found
                .accumulators
                .iter()
                .zip(&lanes)
                .map(|(a, l)| if a.class.is_reduction() { quote!(mut #l) } else { quote!(()) }),
        ),
        nest(
            found
                .accumulators
                .iter()
                .zip(&lanes)
                .map(|(a, l)| if a.class.is_reduction() { quote!(#l) } else { quote!(()) }),
        ),
    );
    let laned = |body: TokenStream| iterate_in_lanes(found, &lanes, &body);
    let call = if found.running {
        let levels = found.levels();
        let total = |level: usize| {
            let sliced = Sliced::of(found, level);
            let edits = edits_of_level(found, level, &places);
            statements(&found.f.body, &Kernel { places: &places, edits, dropped: Some(&sliced) })
        };
        let whole = iterate(statements(&found.f.body, &value_body));
        let (name, totals) = if levels > 1 {
            let bodies: Vec<[TokenStream; 2]> = (0..levels)
                .map(|level| {
                    let states = found.accumulators.iter().enumerate().map(|(k, a)| a.of_level(level, k));
                    let (values, chunks): (Vec<_>, Vec<_>) = states.map(|[value, chunk]| (value, chunk)).unzip();
                    let state = |part: fn(&(TokenStream, TokenStream)) -> &TokenStream| {
                        let [value, chunk] =
                            [&values, &chunks].map(|all| nest(all.iter().map(|one| part(one).clone())));
                        quote!(((__level, #value), #chunk))
                    };
                    let (state, iteration) = ((&state(|s| &s.0), &state(|s| &s.1)), iterate(total(level)));
                    [fast(&iteration, state), checked(&iteration, state)]
                })
                .collect();
            let numbers = 1..levels;
            let [fast, checked] = [0, 1].map(|form| {
                let (lowest, others) = (&bodies[0][form], bodies[1..].iter().map(|forms| &forms[form]));
                let numbers = numbers.clone();
                quote!(|__state, __arrays, __range: ::core::ops::Range<usize>| match __state.0.0 {
                    #(#numbers => #others,)*
                    _ => #lowest,
                })
            });
            (format_ident!("scan_levels"), quote!(#levels, #fast, #checked))
        } else if in_lanes {
            (format_ident!("scan_lanes"), kernel(&laned(total(0)), (&lanes_state.0, &lanes_state.1)))
        } else {
            (format_ident!("scan"), kernel(&iterate(total(0)), (&chunk_in, &chunk_out)))
        };
        let bodies = kernel(&whole, (&quote!((#value_in, #carry_in)), &quote!((#value_out, #carry_out))));
        let chains = in_lanes.then(|| {
            let side_by_side = found.accumulators.iter().all(|a| a.class.is_reduction());
            let run = if side_by_side {
                let body = iterate_in_chains(found, &value_in, &value_out, &statements(&found.f.body, &value_body));
                fast(&body, (&quote!(mut __values), &quote!(__values)))
            } else {
                quote!(__state)
            };
            quote!(|__state, __arrays, __range: ::core::ops::Range<usize>| #run)
        });
        quote!(#name(#accumulators, #totals, #bodies, #chains))
    } else if in_lanes {
        let bodies = kernel(&laned(statements(&found.f.body, &chunk_body)), (&lanes_state.0, &lanes_state.1));
        quote!(fold_lanes(#accumulators, #bodies))
    } else {
        let (body, state) = (
            statements(&found.f.body, &chunk_body),
            [quote!((#chunk_in, #carry_in)), quote!((#chunk_out, #carry_out))],
        );
        let keeping = selection(found, &chunk_body).map(|Selection { mut edits, kept_in }| {
            edits.extend(chunk_body.edits.clone());
            (kept_in, statements(&found.f.body, &Kernel { places: &places, edits, dropped: None }))
        });
        let state = (&state[0], &state[1]);
        let (fast, checked) = (fast(&iterate_keeping(body.clone(), keeping), state), checked(&iterate(body), state));
        let bodies = both(fast, checked);
        quote!(fold(#accumulators, #bodies))
    };
    let ([program, captured], declared) = (program(function, found, &name, &callees), callees.declared());
    let (weight, ordered) = (format_ident!("{}", found.weight), found.ordered);
    let arity = function.args.arity.unwrap_or(2);
    let site = quote!(
        static __SITE: ::forall::__private::fold::Site = ::forall::__private::fold::Site {
            name: #name,
            number: #number,
            weight: ::forall::__private::fold::Weight::#weight,
            ordered: #ordered,
            gathers: &[#(#stages),*],
            looks: &[#(#looks),*],
            arrays: &[#(#texts),*],
            arity: #arity,
            program: #program,
            cost: ::core::sync::atomic::AtomicU64::new(0),
            device_cost: ::core::sync::atomic::AtomicU64::new(0),
            told: ::core::sync::atomic::AtomicBool::new(false),
        };
    );
    let run = quote!(
        #(#carried)*
        #(#captures)*
        #(#before)*
        #[allow(unused, for_loops_over_fallibles, clippy::all, clippy::pedantic)]
        let #results = {
            #declared
            let __footprint = #footprint;
            ::forall::__private::fold::Kernel::new(&__call, &__SITE, #len, #slots, __footprint, #ask)
                .capturing(#captured)
                .#call
        };
        #(#after)*
    );
    let run = if found.carried.is_empty() { run } else { quote!(if #len > 0 { #run }) };
    quote!({
        #[allow(unused_imports)]
        use ::forall::__private::{
            asked::{AskNumber as _, RefuseNumber as _},
            codec::{
                ProbeOption as _, ProbePlain as _, ProbeSerde as _, ProbeStays as _, ProbeTuple as _, ProbeVec as _,
            },
            device::{self as __device, probes::*},
            footprint as __fp,
        };
        #site
        #setup
        #run
    })
}

/// What replaces updates in the totals of a level: those of the level start from the identity, those of higher levels are
/// left out, and those of lower levels stay as they are.
fn edits_of_level(found: &Loop, level: usize, places: &[(String, Ident)]) -> HashMap<Id, TokenStream> {
    let mut edits = found.own_lengths.clone();
    for accumulator in &found.accumulators {
        match accumulator.level.cmp(&level) {
            Ordering::Less => {}
            Ordering::Equal => {
                let renamed = |(id, tokens): (&Id, &TokenStream)| (*id, crate::print::renamed(tokens.clone(), places));
                edits.extend(accumulator.edits.iter().map(renamed));
            }
            Ordering::Greater => edits.extend(accumulator.nodes.iter().map(|id| (*id, quote!(())))),
        }
    }
    edits
}

/// A body whose reductions go to interleaved lanes.
///
/// The body runs inside of a loop of one iteration, so that `continue` ends it and not the lane.
fn iterate_in_lanes(found: &Loop, lanes: &[Ident], body: &TokenStream) -> TokenStream {
    let item = found.source.item(&quote!(__p));
    let (label, pattern) = (&found.f.label.tokens, &found.f.pattern.tokens);
    let own = found.source.owned();
    let privates = found.privates.iter().map(|name| {
        let name = format_ident!("{name}");
        quote!(let mut #name;)
    });
    let reductions: Vec<(&Ident, &Ident)> = found
        .accumulators
        .iter()
        .zip(lanes)
        .filter(|(a, _)| a.class.is_reduction())
        .map(|(a, lanes)| (&a.ident, lanes))
        .collect();
    let load =
        reductions.iter().map(|(ident, lanes)| quote!(let mut #ident = ::core::clone::Clone::clone(&#lanes[__lane]);));
    let store = reductions.iter().map(|(ident, lanes)| quote!(#lanes[__lane] = #ident;));
    let one = quote_spanned!(found.f.span=>
        #(#load)*
        #label for __p in ::core::option::Option::Some(__first + __lane) {
            __at.set(__p);
            #(#privates)*
            let #pattern = #item;
            #body
        }
        #(#store)*
    );
    quote!(
        #own
        let __at = ::forall::__private::At::new();
        let mut __first = __range.start;
        while __range.end - __first >= ::forall::__private::accumulate::LANES {
            for __lane in 0..::forall::__private::accumulate::LANES { #one }
            __first += ::forall::__private::accumulate::LANES;
        }
        for __lane in 0..__range.end - __first { #one }
        __at.done();
    )
}

/// A body that runs through several chunks at once, each with a running value of its own.
///
/// Chunks are a power of two apart, so that their elements would meet in one place of the first-level cache: each chunk is
/// a few elements ahead of the one before it.
fn iterate_in_chains(found: &Loop, value_in: &TokenStream, value_out: &TokenStream, body: &TokenStream) -> TokenStream {
    let item = found.source.item(&quote!(__p));
    let (label, pattern) = (&found.f.label.tokens, &found.f.pattern.tokens);
    let own = found.source.owned();
    let privates = found.privates.iter().map(|name| {
        let name = format_ident!("{name}");
        quote!(let mut #name;)
    });
    let one = quote_spanned!(found.f.span=>
        let #value_in = ::core::clone::Clone::clone(&__values[__chain]);
        #label for __p in ::core::option::Option::Some(__range.start + __chain * __length + __step) {
            __at.set(__p);
            #(#privates)*
            let #pattern = #item;
            #body
        }
        __values[__chain] = #value_out;
    );
    quote!(
        #own
        let __at = ::forall::__private::At::new();
        let __length = (__range.end - __range.start) / ::forall::__private::fold::CHAINS;
        let __ahead = ::core::cmp::min(::forall::__private::fold::AHEAD, __length / ::forall::__private::fold::CHAINS);
        let __together = __length - (::forall::__private::fold::CHAINS - 1) * __ahead;
        for __ends in [false, true] {
            for __chain in 0..::forall::__private::fold::CHAINS {
                let __first = __chain * __ahead;
                for __step in if __ends { __first + __together..__length } else { 0..__first } { #one }
            }
            if !__ends {
                for __together in 0..__together {
                    for __chain in 0..::forall::__private::fold::CHAINS {
                        let __step = __together + __chain * __ahead;
                        #one
                    }
                }
            }
        }
        __at.done();
    )
}

/// Whether the body asks if it runs for the first time (`if i > 0`). The first iteration is then written apart, so that the
/// others need not ask.
fn singles_out_the_first(found: &Loop) -> bool {
    let positions = found.source.positions(&found.f.pattern);
    let mut asks = false;
    found.f.body.walk(&mut |e| {
        if let Kind::Binary(op, one, two) = &e.kind {
            for (op, position, other) in [(*op, one, two), (op.mirrored(), two, one)] {
                let first = match other.bare().kind {
                    Kind::Int(0) => matches!(op, Op::Eq | Op::Ne | Op::Gt),
                    Kind::Int(1) => matches!(op, Op::Ge | Op::Lt),
                    _ => false,
                };
                asks |= first && position.name().is_some_and(|name| positions.contains(&name));
            }
        }
        !asks
    });
    asks
}

fn is_by_value(share: &Share) -> bool {
    share.array.as_ref().is_some_and(|array| !array.reference)
}

/// A reference to what the caller passed.
fn argument(share: &Share) -> TokenStream {
    let ident = format_ident!("{}", share.name, span = share.span);
    if is_by_value(share) { quote!(&#ident) } else { quote!(&*#ident) }
}

/// `FORALL_VERIFY`: the call with copies of its arguments, once as written and once in parallel, and what both leave.
fn verification(function: &Function) -> TokenStream {
    let name = &function.signature.ident;
    let text = name.to_string();
    let (mut copies, mut checks) = (TokenStream::new(), TokenStream::new());
    let (mut patterns, mut copied, mut twin, mut same) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for input in &function.original.sig.inputs {
        let syn::FnArg::Typed(input) = input else { continue };
        let syn::Pat::Ident(ident) = &*input.pat else { return TokenStream::new() };
        let ident = &ident.ident;
        let copy = format_ident!("__copy_of_{}", ident, span = Span::mixed_site());
        let what = format!("`{ident}`");
        let check = quote!(::forall::__private::verify::same(
            #text, #what, (&&&&::forall::__private::verify::Compare(&#copy, &__found)).compare()
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
                    #text, #what, (&&&&::forall::__private::verify::Compare(&#copy, &*#ident)).compare()
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
    // Parameters that no argument tells must be named; lifetimes may not.
    let parameters: Vec<&Ident> = function
        .original
        .sig
        .generics
        .params
        .iter()
        .filter_map(|parameter| match parameter {
            syn::GenericParam::Type(ty) => Some(&ty.ident),
            syn::GenericParam::Const(constant) => Some(&constant.ident),
            syn::GenericParam::Lifetime(_) => None,
        })
        .collect();
    let generics = if parameters.is_empty() { TokenStream::new() } else { quote!(::<#(#parameters),*>) };
    let (sequential, parallel) = if function.method {
        let sibling = sibling(name, "sequential");
        match function.signature.receiver().is_some() {
            true => (quote!(self.#sibling #generics), quote!(self.#name #generics)),
            false => (quote!(Self::#sibling #generics), quote!(Self::#name #generics)),
        }
    } else {
        (quote!(#name::sequential #generics), quote!(#name #generics))
    };
    quote!(
        if ::forall::__private::verify::wanted(::forall::__private::ambient) {
            #[allow(unused_imports)]
            use ::forall::__private::verify::{
                CompareBytes as _, CompareClose as _, ComparePrinted as _, CompareNothing as _, CopyClone as _, CopyNothing as _,
            };
            let __comparing = ::forall::__private::verify::Comparing::new();
            #copies
            if let (#(::core::option::Option::Some(#patterns),)*) = (#(#copied,)*) {
                let __expected = #sequential(#(#twin),*);
                let __result = #parallel(#(#same),*);
                #checks
                ::forall::__private::verify::same(
                    #text, "what it returns", (&&&&::forall::__private::verify::Compare(&__expected, &__result)).compare()
                );
                return __result;
            }
        }
    )
}

/// The function's loops in WGSL, in their order; of those that are not translated, the reasons.
fn shaders(loops: &HashMap<Id, Loop>) -> String {
    let mut sorted: Vec<(&Id, &Loop)> = loops.iter().collect();
    sorted.sort_unstable_by_key(|(id, _)| **id);
    let shown = sorted.iter().enumerate().map(|(number, (_, found))| match &found.translation {
        Ok(translation) => format!("// Loop {}\n{}", number + 1, translation.source),
        Err(obstacles) => {
            let reasons = obstacles.iter().map(|obstacle| format!("// {obstacle}\n"));
            format!("// Loop {} is not translated:\n{}", number + 1, reasons.collect::<String>())
        }
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// The whole expansion: the dispatcher, and the struct that shares its name.
pub fn expand(function: &Function, loops: &HashMap<Id, Loop>, explain: &str) -> TokenStream {
    let original = &function.original;
    let (attrs, vis, name) = (&original.attrs, &original.vis, &original.sig.ident);
    let signature = &function.signature;
    let body = block(&function.body, &Loops { function, loops, number: Cell::new(0) });
    let parameters: Vec<&String> = function.shares.iter().map(|s| &s.name).collect();
    let text = name.to_string();
    let attribute = function.attribute.name();
    let inputs = function.shares.iter().map(|share| {
        let (ident, argument) = (format_ident!("{}", share.name, span = share.span), argument(share));
        let shape = share.array.as_ref().map(|array| {
            let (shape, element, dims) = (shape_variable(&share.name), &share.element, array.dims());
            quote!(let mut #shape = ::forall::__private::Shaped::<#element, #dims>::extents(#argument);)
        });
        let asked = asked(&share.element);
        let handle = if share.mutable {
            let argument = if is_by_value(share) { quote!(&mut #ident) } else { quote!(#ident) };
            quote!(let mut #ident = #asked.output(&__call, #argument);)
        } else {
            quote!(let mut #ident = #asked.input(&__call, #argument);)
        };
        quote!(#shape #handle)
    });
    let places = function.shares.iter().map(|share| {
        let ident = format_ident!("{}", share.name, span = share.span);
        quote!(#ident.place_mut())
    });
    let arrays = function.shares.iter().filter(|share| share.array.is_some());
    let shapes = arrays.map(|share| {
        let (name, shape) = (&share.name, shape_variable(&share.name));
        quote!((#name, &mut #shape))
    });
    let handles = function.shares.iter().map(|share| {
        let ident = format_ident!("{}", share.name, span = share.span);
        let handle = match shape_of(function, &share.name) {
            Some(shape) => quote!(::forall::__private::Grid::new(#ident, #shape)),
            None => quote!(#ident),
        };
        if share.mutable { quote!(let #ident = &mut #handle;) } else { quote!(let #ident = &#handle;) }
    });
    let meta = quote!(
        static __META: ::forall::__private::Meta = ::forall::__private::Meta {
            name: #text,
            attribute: #attribute,
            parameters: &[#(#parameters),*],
            explain: #explain,
        };
    );
    let verify = verification(function);
    let doc = format!("\n\n# What forall does\n```text\n{explain}```");
    let dispatcher = quote!(
        #(#attrs)*
        #[doc = #doc]
        #[allow(
            unused_mut, unused_variables, unused_assignments, clippy::extra_unused_lifetimes,
            clippy::multiple_bound_locations, clippy::needless_lifetimes, clippy::needless_range_loop,
            clippy::too_many_arguments
        )]
        #vis #signature {
            #[allow(unused_imports)]
            use ::forall::__private::{PushTarget as _, asked::{AskElement as _, RefuseElement as _}};
            #meta
            #verify
            let __call = ::forall::__private::Call::begin(&__META, ::forall::__private::ambient);
            #(#inputs)*
            __call.align(&mut [#(#places),*], &mut [#(#shapes),*]);
            #(#handles)*
            #body
        }
    );
    let mut sequential = original.sig.clone();
    let (block, lints) = (
        &original.block,
        quote!(#[allow(dead_code, clippy::needless_range_loop, clippy::too_many_arguments, clippy::manual_memcpy)]),
    );
    let plan = format!("{attribute}: {} loop{}", loops.len(), if loops.len() == 1 { "" } else { "s" });
    let shaders = shaders(loops);
    if function.method {
        sequential.ident = sibling(name, "sequential");
        let upper = plain(&name.to_string()).to_uppercase();
        let [explained, planned, shader] = ["EXPLAIN", "PLAN", "WGSL"].map(|what| format_ident!("{upper}_{what}"));
        return quote!(
            #dispatcher
            /// The function as it was written.
            #lints
            #vis #sequential #block
            /// What forall does for each loop.
            #[allow(dead_code)]
            #vis const #explained: &'static str = #explain;
            /// The plan's name.
            #[allow(dead_code)]
            #vis const #planned: &'static str = #plan;
            /// What the loops do, as a GPU is told.
            #[allow(dead_code)]
            #vis const #shader: &'static str = #shaders;
        );
    }
    sequential.ident = format_ident!("sequential", span = name.span());
    let inner = match vis {
        syn::Visibility::Inherited => quote!(pub(self)),
        _ => quote!(#vis),
    };
    let inner = if matches!(vis, syn::Visibility::Inherited) { quote!(pub) } else { inner };
    quote!(
        #dispatcher
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #name {}
        #[allow(dead_code)]
        impl #name {
            /// The function as it was written.
            #lints
            #inner #sequential #block
            /// What forall does for each loop.
            #inner const EXPLAIN: &'static str = #explain;
            /// The plan's name.
            #inner const PLAN: &'static str = #plan;
            /// What the loops do, as a GPU is told.
            #inner const WGSL: &'static str = #shaders;
        }
    )
}
