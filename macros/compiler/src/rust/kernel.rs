//! One loop as a call of a driver in `core`: its arrays, its footprint, and its body in the forms that the driver needs.

mod scan;
mod site;

use super::accumulator::{OfLoop, Parts};
use super::body::Body;
use super::computed::{ComputedBody, literal};
use super::counting::Updates;
use super::given::Given;
use super::header::singles_out_the_first;
use super::lanes::{edits_of_level, iterate_in_blocks, iterate_in_lanes, iterations};
use super::methods::MethodsOfStd;
use super::obligations::{operands, printed};
use super::parameters::shape_of;
use super::planned::Loop;
use super::points::Compared;
use super::program::{functions_on_devices, program, types_of_results};
use super::region;
use super::systems::for_each_start;
use crate::analysis::branchless_push::{Selection, Target, selection};
use crate::analysis::collected::declaration;
use crate::analysis::dependency::Sliced;
use crate::analysis::requests::asker;
use crate::classify::arrivals;
use crate::front::function::Function;
use crate::index::emit;
use crate::ir::names::{bindings, blocks_variable, length_variable, shape_variable, type_variable, unraw};
use crate::ir::obligation::HEADER;
use crate::ir::place::Place;
use crate::ir::print::{Checks, Renamed, iteration};
use crate::ir::{Id, Local, Moved};
use crate::maps::{HashMap, HashSet, New as _};
use crate::plan::{Accumulator, Class, Plan, Slot, SlotKind, System};
use crate::rust::callees::Callees;
use crate::rust::updates::{in_range, rewritten};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::collections::BTreeMap;

/// A list of arrays' slots, or of what stands for them.
fn list(items: impl DoubleEndedIterator<Item = TokenStream>) -> TokenStream {
    items.rev().fold(quote!(()), |tail, item| quote!((#item, #tail)))
}

/// The parts of all accumulators, in pairs of one and the rest. One alone is no pair: each pair is compiled, in each
/// user's build.
pub(super) fn paired(items: impl DoubleEndedIterator<Item = TokenStream>) -> TokenStream {
    items.rev().reduce(|rest, item| quote!((#item, #rest))).unwrap_or_else(|| quote!(()))
}

/// The fields that lead to one of so many that are [`paired`].
pub(super) fn place_in_pairs(number: usize, count: usize) -> impl Iterator<Item = usize> {
    std::iter::repeat_n(1, number).chain((number + 1 < count).then_some(0))
}

/// The loop with this number in its function.
pub(super) fn expand(function: &Function, found: &Loop, number: usize) -> TokenStream {
    let (whole, Loop { plan: found, translation, .. }) = (found, found);
    let places = renamed_places(found);
    let callees = Callees::of(translation.as_ref().map_or(&[], |translation| &translation.calls));
    let of_std = if translation.is_ok() { functions_on_devices(function, found) } else { Vec::new() };
    let of_std = of_std.into_iter().map(|of| (of.called.id, of.ident)).collect();
    let methods = MethodsOfStd::of(function, found, translation.is_ok());
    let (computed, given) = (ComputedBody::of(found), Given::of(function, found));
    let counted = match found.f.ends {
        // Registers do not survive the calls that count, and such a loop has no lanes to hide the loads and stores.
        Some(_) => Updates::default(),
        None => Updates::of(function, found, &Renamed { places: &places, additions: None }),
    };
    Expansion { function, whole, found, number, places, of_std, methods, callees, computed, counted, given }.tokens()
}

/// The accumulators that are not plain variables, with the variables that stand for them.
pub(super) fn renamed_places(found: &Plan) -> Vec<(Place, Ident)> {
    let mut places: Vec<(Place, Ident)> = Vec::new();
    for accumulator in &found.accumulators {
        match &accumulator.class {
            Class::Best { variables, names, .. }
            | Class::System(System { variables, names, .. })
            | Class::Machine { variables, names, .. } => {
                places.extend(variables.iter().cloned().zip(names.iter().cloned()));
            }
            _ => places.push((accumulator.place.clone(), accumulator.ident.clone())),
        }
    }
    places.retain(|(place, ident)| place.variable().is_none_or(|name| *ident != name));
    places
}

/// Names of traits that are found for what the author's types are.
pub(super) fn probes() -> TokenStream {
    quote!(
        #[allow(unused_imports)]
        use __forall::probes::*;
    )
}

/// A variable that knows the type of a private variable. The assignment never runs.
fn private(function: &Function, found: &Plan, name: Local) -> TokenStream {
    let (of, mut ident) = (type_variable(&name), None);
    bindings(&found.f.body, &mut |pattern| {
        if pattern.binds(name) {
            ident = pattern.ident(name);
        }
    });
    let has_value = declaration(&function.body, name).is_none_or(|(_, value)| value.is_some());
    let read = has_value.then(|| quote!(#of.is_of(&#ident);));
    quote!(
        let #of = __forall::device::TypeOf::new();
        #[allow(unused_assignments)]
        while false {
            #read
            #ident = #of.value();
        }
    )
}

/// A loop on its way.
struct Expansion<'a> {
    function: &'a Function,
    whole: &'a Loop,
    /// Its plan.
    found: &'a Plan,
    number: usize,
    /// Accumulators that are not plain variables, with the variables that stand for them.
    places: Vec<(Place, Ident)>,
    /// The functions that a program for devices assumes to be std's, with the variables that know them.
    of_std: BTreeMap<Id, Ident>,
    methods: MethodsOfStd,
    callees: Callees,
    computed: ComputedBody,
    /// The updates that are counted while `FORALL_VERIFY` compares a call.
    counted: Updates,
    /// The values from outside of the loop that the body reads.
    given: Given,
}

/// The values that a chunk keeps from one iteration to the next: the pattern that takes them, and the expression that
/// returns them.
struct State {
    taken: TokenStream,
    given: TokenStream,
}

/// Whether a body counts its updates, for `FORALL_VERIFY`.
#[derive(Clone, Copy)]
enum Form {
    Plain,
    Counting,
}

/// A body in its two forms: where all indices are proved to be inside, and where each is checked.
struct Forms {
    fast: TokenStream,
    checked: TokenStream,
}

impl State {
    /// That of all accumulators.
    fn of(each: impl Iterator<Item = (TokenStream, TokenStream)>) -> State {
        let (taken, given): (Vec<_>, Vec<_>) = each.unzip();
        State { taken: paired(taken.into_iter()), given: paired(given.into_iter()) }
    }

    fn and(&self, other: &State) -> State {
        let [State { taken, given }, State { taken: others, given: give_others }] = [self, other];
        State { taken: quote!((#taken, #others)), given: quote!((#given, #give_others)) }
    }
}

impl Forms {
    fn closures(&self) -> TokenStream {
        let Forms { fast, checked } = self;
        quote!(
            |__state, __arrays, __range: __forall::Range<usize>| #fast,
            |__state, __arrays, __range: __forall::Range<usize>| #checked
        )
    }
}

impl Expansion<'_> {
    fn tokens(&self) -> TokenStream {
        let found = self.found;
        // Iterations may run on other ranks than those that have their results.
        let moves = found.region.is_some() || !found.source.blocks().is_empty();
        let kind = OfLoop { in_order: found.runs_in_order(), running: found.running, moves };
        let parts = found.accumulators.iter().enumerate().map(|(k, a)| a.parts(self.function, kind, k));
        let parts: Vec<Parts> = parts.collect();
        let accumulators = paired(parts.iter().map(|p| p.accumulator.clone()));
        let accumulators = self.callees.note(match &found.f.ends {
            Some(_) => quote!(__forall::accumulate::until(#accumulators)),
            None => accumulators,
        });
        let results = paired(parts.iter().map(|p| p.result.clone()));
        let (before, after): (Vec<_>, Vec<_>) =
            parts.into_iter().map(|part| (Moved::from(part.before), Moved::from(part.after))).unzip();
        let used = found.captures.iter().map(|(name, span)| {
            let name = format_ident!("{name}", span = *span);
            quote_spanned!(*span=> __forall::fa042_captured_values_must_be_sync(&#name);)
        });
        let privates = found.privates.iter().map(|name| private(self.function, found, *name));
        let (obligations, operands) = (printed(found.obligations.iter()), operands(&found.in_body));
        let (setup, carried, len) = (self.setup(), self.carried(), found.source.len());
        let count = region::count(found).unwrap_or_else(|| quote!(#len));
        let (slots, footprint, inspector) = (self.slots(), self.footprint(), self.inspector());
        let (opened, closed) =
            (region::opened(found, &self.function.signature.ident.to_string(), self.number), region::closed(found));
        let call = if found.running { self.scan(&accumulators) } else { self.fold(&accumulators) };
        let of_std = self.of_std.values();
        let name = self.function.signature.ident.to_string();
        let copies = self.callees.copies(&self.function.original.block);
        let [program, captured] = program(self.function, self.whole, &name, &self.callees);
        let compared = Compared::of(found);
        let (on_device, capture) = match &found.region {
            Some(_) => {
                let types = types_of_results(self.function, self.whole);
                let launches = region::launches(found, self.whole.translation.as_ref().ok(), &captured);
                (Moved::from(quote!(#types #launches)), Some(Moved::from(quote!(__kernel.launch(&__launches);))))
            }
            None => (Moved::from(TokenStream::new()), Some(Moved::from(quote!(__kernel.capture(&#captured);)))),
        };
        let (site, declared) = (self.site(&name, &program, &compared), self.callees.declared());
        let (values, compare_by) = (&compared.before, &compared.after);
        let [arrivals, arrive] = self.arrivals();
        let captures = found.asking.as_ref().and_then(|asking| asking.captures.as_ref());
        let ask_by = captures.map(|captures| {
            // Where an element of an array with axes lies depends on their lengths.
            let shapes = found.shapes.iter().map(|array| shape_variable(array));
            let captures = captures.iter().map(|name| format_ident!("{name}")).chain(shapes);
            quote!(__kernel.inspect_by(&|| __forall::gather::captured(&[#((&__device::Probe(&(#captures))).__found()),*]));)
        });
        let [obligations, operands, footprint, call, copies, declared] =
            [obligations, operands, footprint, call, copies, declared].map(Moved::from);
        let [slots, inspector, results] = [slots, inspector, results].map(Moved::from);
        let number = self.number;
        let counter = (!self.counted.is_empty()).then(|| {
            quote!(
                #[allow(unused_imports)]
                use __forall::accumulate::measured::{NoValue as _, ValueOfCounted as _, ValueOfNumber as _};
                let __counter = __forall::accumulate::rounding::Counter::of(#name, #number);
            )
        });
        let run = quote!(
            #(#carried)*
            #(#privates)*
            #(#used)*
            #obligations
            #operands
            #(let #of_std = __device::Called::new();)*
            #(#before)*
            #opened
            #[allow(unused, for_loops_over_fallibles, clippy::all, clippy::pedantic)]
            let #results = {
                #declared
                #copies
                #counter
                let __footprint = #footprint;
                #values
                #on_device
                #arrivals
                let mut __slots = #slots;
                let mut __kernel =
                    __forall::fold::Kernel::new(&__call, &__SITE, #count, &mut __slots, &__footprint);
                #compare_by
                #arrive
                #capture
                #inspector
                #ask_by
                #call
            };
            #closed
            #(#after)*
        );
        let run = Moved::from(run);
        let run = if found.carried.is_empty() { run } else { quote!(if #len > 0 { #run }).into() };
        let [probes, site, setup] = [probes(), site, setup].map(Moved::from);
        let pulled = found.source.pulled();
        quote!({
            #probes
            #site
            #setup
            #run
            #pulled
        })
    }

    /// The messages of the blocks, if the loop may process them as they arrive: before the loop borrows the blocks, and afterwards.
    fn arrivals(&self) -> [Option<TokenStream>; 2] {
        let blocks = self.found.source.blocks();
        let Some((array, _)) = blocks.first().filter(|_| arrivals(self.found) == Some(Ok(()))) else {
            return [None, None];
        };
        let (blocks, array) = (blocks_variable(array), format_ident!("{array}"));
        [Some(quote!(let __arrivals = #blocks.arrivals(&#array);)), Some(quote!(__kernel.arrive(__arrivals);))]
    }

    /// The values that are computed once for each loop.
    fn setup(&self) -> TokenStream {
        let found = self.found;
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
        setup.extend(self.computed.setup(found));
        setup
    }

    /// The elements of the iteration before the first.
    fn carried(&self) -> Vec<TokenStream> {
        let (found, pattern) = (self.found, &self.found.f.pattern.tokens);
        let carried = found.carried.iter().map(|carried| {
            let (variable, first) = (&carried.variable, &carried.first);
            let variable = syn::Ident::new(&variable.to_string(), Span::call_site());
            let item = found.source.item(&quote!(0usize), &|_| None);
            quote!(let mut #variable = { let #pattern = #item; #first };)
        });
        carried.collect()
    }

    /// The arrays.
    fn slots(&self) -> TokenStream {
        if self.found.region.is_some() {
            return quote!((__tokens.read_slot(), ()));
        }
        list(self.found.slots.iter().map(|slot| {
            let name = format_ident!("{}", slot.name);
            match slot.kind {
                SlotKind::Read | SlotKind::ReadOutput => quote!(#name.read_slot()),
                SlotKind::Gather => quote!(#name.gather_slot()),
                SlotKind::Write if slot.sets > 0 => {
                    let sets = slot.sets;
                    quote!(#name.set_slot(#sets))
                }
                SlotKind::Write => quote!(#name.write_slot()),
                SlotKind::Everywhere => quote!(__forall::slot::WriteSlot::everywhere(&mut #name[..])),
            }
        }))
    }

    fn names(&self) -> Vec<Ident> {
        self.found.slots.iter().map(|slot| format_ident!("{}", slot.name)).collect()
    }

    /// The elements that a range of positions touches, as a closure.
    fn footprint(&self) -> TokenStream {
        let (mut evaluate, mut emitted) = (TokenStream::new(), HashSet::new());
        let accesses = self.found.accesses.iter().map(|access| {
            let (slot, writes) = (access.slot, access.writes);
            if let Some(width) = &access.halo {
                let plane = shape_of(self.function, self.found.slots[slot].name)
                    .map_or(quote!(1usize), |shape| quote!(#shape[1..].iter().product::<usize>()));
                let here = self.found.source.here();
                return quote!(near(#slot, #here, (#width) as usize, #plane));
            }
            match (&access.first.value, &access.end.value) {
                (Some(first), Some(_)) if access.single => {
                    let first = emit(first, &mut emitted, &mut evaluate);
                    let kind = format_ident!("{}", if access.apart { "apart" } else { "element" });
                    quote!(#kind(#slot, #writes, &#first))
                }
                (Some(first), Some(end)) => {
                    let (first, end) =
                        (emit(first, &mut emitted, &mut evaluate), emit(end, &mut emitted, &mut evaluate));
                    quote!(range(#slot, #writes, #first, #end))
                }
                _ => quote!(everything(#slot, #writes)),
            }
        });
        let mut accesses: Vec<TokenStream> = accesses.collect();
        if self.found.region.is_some() {
            accesses.push(quote!(element(0, false, &__fp::Index::outer(0, 1, i64::MAX, &__positions))));
        }
        quote!(|__positions: __forall::Range<usize>, __accesses: &mut __fp::Accesses| {
            #evaluate
            #(__accesses.#accesses;)*
        })
    }

    /// The statements of the body, with what replaces some of them.
    fn body(&self, edits: HashMap<Id, TokenStream>, dropped: Option<&Sliced>, form: Form) -> TokenStream {
        let counted = match form {
            Form::Plain => None,
            Form::Counting => Some(&self.counted),
        };
        self.tokens_of(&Body { dropped, counted, ..self.edited(edits) })
    }

    fn edited(&self, edits: HashMap<Id, TokenStream>) -> Body<'_> {
        let mut all = self.given.edits.clone();
        all.extend(region::views(self.found));
        all.extend(edits);
        Body {
            edits: all,
            functions: Some(&self.of_std),
            methods: Some(&self.methods),
            ..Body::of(self.renamed(), &self.found.in_body)
        }
    }

    /// The edits inside of updates. Their operands are checked when a form of the body has the updates as they are written.
    fn updates(&self) -> Body<'_> {
        Body { operands: false, methods: None, ..self.edited(HashMap::new()) }
    }

    /// The statements of the body. The checks of the names that the header binds come first.
    fn tokens_of(&self, body: &Body<'_>) -> TokenStream {
        let (indices, first) = (&self.computed.first, body.bound(HEADER, 0));
        let iteration = Moved::from(iteration(&self.found.f, body, &quote!(__left = true; break;)));
        quote!(#indices #first #iteration)
    }

    /// The iterations in the form that the call needs, if the updates of the loop are counted.
    fn in_both_forms(&self, of: impl Fn(Form) -> TokenStream) -> TokenStream {
        let plain = of(Form::Plain);
        if self.counted.is_empty() {
            return plain;
        }
        let (plain, counting) = (Moved::from(plain), Moved::from(of(Form::Counting)));
        quote!(match __counter.begin() {
            __forall::None => { #plain }
            __forall::Some(__counting) => { #counting }
        })
    }

    fn renamed(&self) -> Renamed<'_> {
        Renamed { places: &self.places, additions: Some(&self.computed.additions) }
    }

    /// The lengths that the indices of written elements use.
    fn own_lengths(&self) -> HashMap<Id, TokenStream> {
        let lengths = self.found.own_lengths.iter();
        lengths.map(|(id, array)| (*id, length_variable(array).into_token_stream())).collect()
    }

    /// For running values that are known: what is scattered is noted in any case, and a frame is what a rank carries.
    fn edits_of_values(&self) -> HashMap<Id, TokenStream> {
        let (mut edits, updates) = (self.own_lengths(), self.updates());
        let carried = |a: &&Accumulator| matches!(a.class, Class::Scatter { .. } | Class::Frame { .. });
        let carried = self.found.accumulators.iter().filter(carried);
        carried.for_each(|accumulator| edits.extend(rewritten(accumulator, &updates)));
        edits
    }

    fn body_of_values(&self) -> TokenStream {
        self.body(self.edits_of_values(), None, Form::Plain)
    }

    /// The same, with checks that the statements which the totals leave out do not change their inputs.
    fn body_with_unchanged_inputs(&self) -> TokenStream {
        self.tokens_of(&Body { unchanged: true, ..self.edited(self.edits_of_values()) })
    }

    /// For chunks without known values before them.
    fn edits_of_chunks(&self) -> HashMap<Id, TokenStream> {
        let (mut edits, updates) = (self.own_lengths(), self.updates());
        for accumulator in &self.found.accumulators {
            edits.extend(rewritten(accumulator, &updates));
        }
        edits
    }

    /// For the totals of a level.
    fn body_of_totals(&self, level: usize, form: Form) -> TokenStream {
        let sliced = Sliced::of(self.found, level);
        let mut edits = self.own_lengths();
        edits.extend(edits_of_level(self.found, level, &self.updates()));
        let body = self.body(edits, Some(&sliced), form);
        let machine = |a: &&Accumulator| a.level == level && matches!(a.class, Class::Machine { .. });
        match self.found.accumulators.iter().find(machine) {
            Some(machine) => for_each_start(machine, self.found, &body),
            None => body,
        }
    }

    /// The iterations. Where some elements are kept, the body is there twice: see
    /// `branchless_push`.
    fn iterate_with(&self, body: TokenStream, keeping: Option<(Vec<Target>, TokenStream)>) -> TokenStream {
        let (found, span) = (self.found, self.found.f.span);
        let own = found.source.owned();
        let (watch, range, check) = if found.macros {
            (
                quote!(let __through = __forall::Through::new();),
                quote!(__through.over(__range)),
                quote!(__through.check();),
            )
        } else {
            (TokenStream::new(), quote!(__range), TokenStream::new())
        };
        let iterations =
            |range: TokenStream, body: TokenStream| Moved::from(iterations(found, &range, &Moved::from(body)));
        let iterations = if singles_out_the_first(found) && !found.macros {
            let first = iterations(quote!(__range.start..::core::cmp::min(__range.end, 1)), body.clone());
            let others = iterations(quote!(::core::cmp::max(__range.start, 1)..__range.end), body);
            quote!(#first #others).into()
        } else if let Some((targets, keeping)) = keeping {
            let (plain, keeping) = (iterations(quote!(__range), body), iterations(quote!(__range), keeping));
            let kept_in = &targets[0].ident;
            let rooms = targets.iter().map(|Target { ident, room, each, .. }| {
                quote!(let mut #room = __forall::accumulate::Room::of(&mut #ident, __range.len() * #each);)
            });
            let fits = targets.iter().map(|Target { ident, each, .. }| {
                quote!(__forall::accumulate::Room::is_there(&#ident, __range.len() * #each))
            });
            quote!(
                let mut __blocks = __forall::accumulate::Blocks::of(__range);
                while let __forall::Some((__range, __mixed)) = __blocks.next(#kept_in.len()) {
                    if __mixed #(&& #fits)* { #(#rooms)* #keeping } else { #plain }
                }
            )
            .into()
        } else {
            iterations(range, body)
        };
        // An earlier range of the chunk may have ended the loop.
        let iterations: TokenStream = match &found.f.ends {
            Some(_) => quote!(if !__left { #iterations }),
            None => iterations.into_token_stream(),
        };
        quote_spanned!(span=>
            #own
            #watch
            let mut __at = __forall::At::new();
            #iterations
            #check
            __at.done();
        )
    }

    /// The iterations, with bins in the shape of their array.
    fn shaped_iterations(&self, iteration: TokenStream) -> TokenStream {
        let bins = self.found.accumulators.iter().filter(|a| matches!(a.class, Class::Bins { share: true, .. }));
        let (mut shape, mut unshape) = (TokenStream::new(), TokenStream::new());
        for name in bins.map(|a| a.place.root).filter(|name| shape_of(self.function, *name).is_some()) {
            let ident = name.ident();
            shape.extend(self.shaped(name, true, quote!(#ident)));
            unshape.extend(quote!(let #ident = #ident.into_view();));
        }
        let iteration = Moved::from(iteration);
        quote!(#shape #iteration #unshape)
    }

    fn iterate(&self, body: TokenStream) -> TokenStream {
        self.shaped_iterations(self.iterate_with(body, None))
    }

    /// The same for a body that each form prints.
    fn iterate_in_both_forms(&self, body: impl Fn(Form) -> TokenStream) -> TokenStream {
        self.shaped_iterations(self.in_both_forms(|form| self.iterate_with(body(form), None)))
    }

    /// The variable that an array is in the body: what has a shape keeps it there.
    fn shaped(&self, name: Local, mutable: bool, view: TokenStream) -> TokenStream {
        let (ident, mutable) = (format_ident!("{name}"), mutable.then(|| quote!(mut)));
        let grid = match shape_of(self.function, name) {
            Some(shape) => quote!(__forall::Grid::new(#view, #shape)),
            None => view,
        };
        quote!(let #mutable #ident = #grid;)
    }

    /// The form where all indices are proved to be inside. It takes its arrays as arguments of a closure: as such they are known
    /// not to overlap.
    fn fast(&self, iterations: TokenStream, state: &State) -> TokenStream {
        let names = self.names();
        let parts: Vec<Ident> =
            (0..names.len()).map(|k| format_ident!("__part{k}", span = Span::mixed_site())).collect();
        let pattern = match self.found.region {
            Some(_) => quote!(_),
            None => list(parts.iter().map(|p| quote!(#p))),
        };
        let (mut arguments, mut views) = (Vec::new(), TokenStream::new());
        for (number, ((slot, name), part)) in self.found.slots.iter().zip(&names).zip(&parts).enumerate() {
            if slot.kind == SlotKind::Gather {
                views.extend(self.shaped(slot.name, false, quote!(#part)));
                continue;
            }
            let proof = format_ident!("__proof_{}", unraw(&slot.name), span = Span::mixed_site());
            let reads = matches!(slot.kind, SlotKind::Read | SlotKind::ReadOutput);
            let (view, number) = (if reads { quote!(Reads) } else { quote!(Writes) }, literal(number));
            let view = quote!(__forall::view::#view::proved(#name, #proof, #number));
            views.extend(self.shaped(slot.name, !reads, view));
            arguments.extend([(name.clone(), quote!(#part.0)), (proof, quote!(#part.1))]);
        }
        let (State { taken, given }, numbers, owned) = (state, self.numbers(), self.owned());
        let [views, iterations] = [views, iterations].map(Moved::from);
        let run = quote!(
            #owned
            #views
            #numbers
            if let __forall::Some(#taken) = __kept.take() {
                #iterations
                __kept = __forall::Some(#given);
            }
        );
        let run = Moved::from(self.given.run(arguments, run));
        // The state is moved into the closure and out again, so that the variables live in registers meanwhile.
        quote!({
            let #pattern = __arrays;
            let mut __kept = __forall::Some(__state);
            #run;
            __forall::returned(__kept)
        })
    }

    /// The arrays of a body that checks its indices.
    fn views(&self) -> TokenStream {
        if self.found.region.is_some() {
            return quote!(let _ = __arrays;);
        }
        let (slots, names) = (&self.found.slots, self.names());
        let written = |slot: &Slot| matches!(slot.kind, SlotKind::Write | SlotKind::Everywhere);
        let pattern = slots.iter().zip(&names);
        let pattern = list(pattern.map(|(slot, name)| if written(slot) { quote!(mut #name) } else { quote!(#name) }));
        let arrays = slots.iter().zip(&names).filter(|(slot, _)| shape_of(self.function, slot.name).is_some());
        let arrays = arrays.map(|(slot, name)| self.shaped(slot.name, written(slot), quote!(#name)));
        quote!(let #pattern = __arrays; #(#arrays)*)
    }

    /// Numbers of the user that the body reads, copied into variables. Behind the reference of a closure, each store of the body
    /// might change them, and the processor would read them again and again.
    fn numbers(&self) -> TokenStream {
        let numbers = self.found.captures.iter().filter(|(name, _)| self.function.is_number(*name));
        let copies = numbers.map(|(name, span)| {
            let name = format_ident!("{name}", span = *span);
            quote!(let #name = #name;)
        });
        copies.chain([self.computed.renewed(self.function)]).collect()
    }

    /// Copies of what the indices are computed from.
    fn owned(&self) -> TokenStream {
        self.computed.owned(self.found, self.function)
    }

    fn checked(&self, iterations: TokenStream, state: &State) -> TokenStream {
        // Tasks are always on their rank.
        if self.found.region.is_some() {
            return quote!({
                let _ = (__state, __arrays, __range);
                ::core::unreachable!()
            });
        }
        let iterations = Moved::from(iterations);
        let (views, numbers, State { taken, given }) = (self.views(), self.numbers(), state);
        let (owned, places) = (self.owned(), self.given.declared());
        self.callees.note(quote!({
            #owned
            #views
            #numbers
            #places
            let #taken = __state;
            #iterations
            #given
        }))
    }

    fn forms(&self, iterations: TokenStream, state: &State) -> Forms {
        Forms { fast: self.fast(iterations.clone(), state), checked: self.checked(iterations, state) }
    }

    /// The call with the inspector of `#[gather]` arrays: the code that requests their elements.
    fn inspector(&self) -> TokenStream {
        let Some(asking) = &self.found.asking else { return TokenStream::new() };
        let (numbers, views) = (0..asking.stages.len(), self.views());
        let iterations = asking.stages.iter().map(|(body, slots)| {
            let askers = slots.iter().map(|&slot| asker(slot));
            let iterations = self.iterate_with(body.clone(), None);
            quote!(#(let #askers = __asks.requester(#slots);)* #iterations)
        });
        quote!(__kernel.inspect(|__asks, __stage: usize, __arrays, __range: __forall::Range<usize>| {
            #views
            match __stage {
                #(#numbers => { #iterations })*
                _ => {}
            }
        });)
    }

    /// The state of all accumulators.
    fn state(&self, of: fn(&Accumulator) -> (TokenStream, TokenStream)) -> State {
        let all = State::of(self.found.accumulators.iter().map(of));
        match &self.found.f.ends {
            Some(_) => all.and(&State { taken: quote!(mut __left), given: quote!(__left) }),
            None => all,
        }
    }

    fn carries(&self) -> State {
        State::of(self.found.accumulators.iter().map(Accumulator::carry))
    }

    /// The body in interleaved lanes, with what each of them keeps.
    fn laned(&self, body: impl Fn(Form) -> TokenStream) -> Forms {
        let accumulators = &self.found.accumulators;
        let lanes: Vec<Ident> =
            (0..accumulators.len()).map(|k| format_ident!("__lanes{k}", span = Span::mixed_site())).collect();
        let state = State::of(accumulators.iter().zip(&lanes).map(|(a, lane)| match a.class.is_reduction() {
            true => (quote!(mut #lane), quote!(#lane)),
            false => (quote!(()), quote!(())),
        }));
        let iterate = if self.found.in_blocks() { iterate_in_blocks } else { iterate_in_lanes };
        self.forms(self.in_both_forms(|form| iterate(self.found, &lanes, &body(form))), &state)
    }

    /// The call of the driver, of a loop without running values.
    fn fold(&self, accumulators: &TokenStream) -> TokenStream {
        let edits = self.edits_of_chunks();
        let body = |form: Form| self.body(edits.clone(), None, form);
        if self.found.in_lanes() {
            let bodies = self.laned(body).closures();
            return quote!(__kernel.fold_lanes(#accumulators, #bodies));
        }
        let carries = self.carries();
        let state = self.state(Accumulator::chunk).and(&carries);
        let plain = self.edited(edits.clone());
        let keeping = |form: Form| {
            selection(self.found, &plain).map(|Selection { mut edits, targets }| {
                edits.extend(plain.edits.clone());
                (targets, self.body(edits, None, form))
            })
        };
        let fast = self.in_both_forms(|form| self.iterate_with(body(form), keeping(form)));
        let fast = self.fast(self.shaped_iterations(fast), &state);
        let bodies = Forms { fast, checked: self.checked(self.iterate_in_both_forms(body), &state) };
        let bodies = bodies.closures();
        // Bins of which each rank has a share are passed on from rank to rank only if they need it themselves.
        let stays = |a: &Accumulator| matches!(a.class, Class::Bins { share: true, .. }) && !a.class.needs_order();
        let stay = self.found.accumulators.iter().any(stays);
        let needs_order = !stay && self.found.accumulators.iter().any(|a| a.class.needs_order());
        if !self.found.guarded && !needs_order {
            return quote!(__kernel.fold(#accumulators, #bodies));
        }
        let state = self.state(Accumulator::value).and(&carries);
        let whole = self.checked(self.iterate(self.body_of_values()), &state);
        let whole = quote!(|__state, __arrays, __range: __forall::Range<usize>| #whole);
        match self.found.guarded {
            true => quote!(__kernel.fold_guarded(#accumulators, #bodies, #whole)),
            false => in_range(
                &quote!(__kernel.fold_with_order(#accumulators, #bodies, #whole)),
                &quote!(__kernel.fold(#accumulators, #bodies)),
            ),
        }
    }
}
