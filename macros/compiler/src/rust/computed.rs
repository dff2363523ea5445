//! Indices that the expansion computes from bindings of its own, beside those that the user's tokens compute.
//!
//! A footprint is evaluated from variables that the user's tokens cannot name: the position, numbers held since before the loop,
//! and counters of inner loops. An access is unchecked only at an index that an iteration computes from the same variables.

use crate::front::function::Function;
use crate::index::{Before, Bound, Held, LoopCounter, Value, Variable, compute};
use crate::ir::Id;
use crate::ir::names::{length_variable, shape_variable};
use crate::ir::print::{Additions, CallWith};
use crate::maps::{HashMap, HashSet, New as _};
use crate::plan::{ComputedIndex, IndexForm, Plan, SlotKind};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The additions to a loop's body that compute its indices, and the numbers from outside of the loop that they need.
pub(super) struct ComputedBody {
    pub additions: Additions,
    /// The first statements of an iteration: they compute indices, each once.
    pub first: TokenStream,
    held: Vec<Held>,
}

/// The variables of the expansion that are used.
#[derive(Default)]
struct Used {
    held: BTreeMap<Ident, Held>,
    counters: BTreeSet<Ident>,
    seen: HashSet<*const Value>,
}

impl Used {
    /// The numbers from outside of the loop that a value needs.
    fn note_held(&mut self, value: &Value) {
        value.walk(&mut HashSet::new(), &mut |value| {
            if let Some(Variable::Held(held)) = value.variable() {
                self.held.insert(held.ident.clone(), held.clone());
            }
        });
    }

    fn note(&mut self, value: &Value) {
        let Used { held, counters, seen } = self;
        value.walk(seen, &mut |value| match value.variable() {
            Some(Variable::Held(number)) => drop(held.insert(number.ident.clone(), number.clone())),
            Some(Variable::Counter(counter)) => drop(counters.insert(counter.clone())),
            None => {}
        });
    }
}

/// The place of an array in the loop's list, if its indices can be computed.
pub(super) fn slot_of(found: &Plan, array: &str) -> Option<usize> {
    if let Some(region) = &found.region {
        return region.boxes.iter().position(|boxes| boxes.view == array);
    }
    found.slots.iter().position(|slot| slot.name == array && slot.kind != SlotKind::Gather)
}

/// The item of an iteration at a position.
pub(super) fn item(found: &Plan, position: &Ident) -> TokenStream {
    found.source.item(&quote!(#position), &|array| slot_of(found, array))
}

/// A number of the expansion's.
pub(super) fn literal(number: usize) -> Literal {
    Literal::usize_suffixed(number)
}

impl ComputedBody {
    pub fn of(found: &Plan) -> ComputedBody {
        let (mut additions, mut used) = (Additions::default(), Used::default());
        for access in &found.accesses {
            access.first.value.iter().chain(&access.end.value).for_each(|value| used.note(value));
            if let Some(points) = &access.points {
                let unwrapped = points.conditions.iter().flat_map(|condition| &condition.unwrapped);
                points.values.iter().map(|(_, value)| value).chain(unwrapped).for_each(|value| used.note(value));
            }
        }
        for boxes in found.region.iter().flat_map(|region| &region.boxes) {
            boxes.values().for_each(|value| used.note_held(value));
        }
        let indices: BTreeMap<_, _> = found.computed.indices.iter().collect();
        let indices = indices.into_iter().filter_map(|(id, index)| {
            let index = index.as_ref()?;
            Some((*id, index, slot_of(found, &index.array)?))
        });
        let places = binds(found);
        let (mut around, mut before): (Vec<(_, CallWith)>, _) = (Vec::new(), Before::new(places.clone()));
        for (id, ComputedIndex { form, along, .. }, slot) in indices {
            along.iter().for_each(|value| used.note(value));
            let (function, computed) = match (before.compute(along), form) {
                (Some(along), IndexForm::Number) => (quote!(__computed::computed), with_axes(*form, &along)),
                (Some(along), _) => {
                    let index = with_axes(*form, &along);
                    (quote!(__computed::computed_if), quote!((#index, true)))
                }
                (None, _) => (quote!(__computed::computed_if), compute(along, |along| with_axes(*form, along))),
            };
            let slot = literal(slot);
            let (before, after) = (quote!(#slot,), quote!(, #computed));
            around.push((id, CallWith { function, before, after }));
        }
        // The ends of a loop may be computed from counters of the loops around it.
        let bounds = found.computed.bounds.iter().flat_map(|(id, all)| all.iter().map(move |one| (*id, one)));
        let mut bounds: Vec<(Id, &Bound)> = bounds.collect();
        bounds.sort_by_key(|(_, bound)| Reverse(places.get(bound.ident()).map(|(place, _)| *place)));
        for (id, bound) in bounds {
            if used.counters.contains(bound.ident()) {
                add(id, bound, &mut used, &mut additions);
            }
        }
        for (id, invariant) in &found.computed.invariants {
            let length = found.lengths.iter().any(|array| length_variable(array) == invariant.variable);
            let shape = found.shapes.iter().any(|array| shape_variable(array) == invariant.variable);
            if length || shape || used.held.contains_key(&invariant.variable) {
                let number = &invariant.number;
                let call = CallWith {
                    function: quote!(__computed::like),
                    before: TokenStream::new(),
                    after: quote!(, &#number),
                };
                additions.calls.entry(*id).or_default().push(call);
            }
        }
        for (id, call) in around {
            additions.calls.entry(id).or_default().push(call);
        }
        let mut first = TokenStream::new();
        for (place, code) in before.statements {
            match place {
                Some(id) => additions.first.entry(id).or_default().extend(code),
                None => first = code,
            }
        }
        ComputedBody { additions, first, held: used.held.into_values().collect() }
    }

    /// Statements before the loop: they hold the numbers that it needs, if it has any iteration.
    pub fn setup(&self, found: &Plan) -> TokenStream {
        let len = found.source.len();
        let all = self.held.iter().map(|Held { ident, tokens }| {
            quote!(
                let #ident = if #len > 0usize {
                    __computed::number(&(#tokens))
                } else {
                    ::core::default::Default::default()
                };
            )
        });
        all.collect()
    }

    /// Statements at the beginning of a chunk: copies of these numbers, for the kernel to own.
    pub fn owned(&self, found: &Plan, function: &Function) -> TokenStream {
        let mut owned = TokenStream::new();
        for Held { ident, tokens } in &self.held {
            // A constant is one for rustc too.
            owned.extend(match named(tokens, function) {
                Named::Constant => quote!(let #ident = __computed::number(&(#tokens));),
                Named::Variable | Named::Other => quote!(let #ident = #ident;),
            });
        }
        for array in &found.lengths {
            let length = length_variable(array);
            owned.extend(quote!(let #length = #length;));
        }
        for array in &found.shapes {
            let shape = shape_variable(array);
            owned.extend(quote!(let #shape = #shape;));
        }
        owned
    }

    /// The user's variables of these numbers, which then are known to have the values of the copies.
    pub fn renewed(&self, function: &Function) -> TokenStream {
        let variables = self.held.iter().filter(|held| matches!(named(&held.tokens, function), Named::Variable));
        let all = variables.map(|Held { ident, tokens }| quote!(let #tokens = __computed::like(#tokens, &#ident);));
        all.collect()
    }
}

/// An index in the form in which it is written.
fn with_axes(form: IndexForm, along: &[impl ToTokens]) -> TokenStream {
    match form {
        IndexForm::Number => quote!(#(#along)*),
        IndexForm::Array => quote!([#(#along),*]),
        IndexForm::Tuple => quote!((#(#along,)*)),
    }
}

/// The inner loops and closures that bind counters, each with its place in the body.
fn binds(found: &Plan) -> HashMap<Ident, (usize, Id)> {
    let (mut binds, mut place) = (HashMap::new(), 0);
    found.f.body.walk(&mut |e| {
        place += 1;
        for bound in found.computed.bounds.get(&e.id).into_iter().flatten() {
            binds.insert(bound.ident().clone(), (place, e.id));
        }
        true
    });
    binds
}

/// The kind of name that a number outside of the loop has.
enum Named {
    Variable,
    Constant,
    Other,
}

fn named(tokens: &TokenStream, function: &Function) -> Named {
    let mut all = tokens.clone().into_iter();
    match (all.next(), all.next()) {
        (Some(proc_macro2::TokenTree::Ident(name)), None) => {
            match function.declared.contains_key(&crate::ir::Local::from(&name)) {
                true => Named::Variable,
                false => Named::Constant,
            }
        }
        _ => Named::Other,
    }
}

/// Adds a counter to a body.
fn add(id: Id, bound: &Bound, used: &mut Used, to: &mut Additions) {
    let computed = |value: &Rc<Value>| compute(std::slice::from_ref(value), |value| quote!(#(#value)*));
    match bound {
        Bound::Copy { ident, of } => to.first.entry(id).or_default().extend(quote!(let #ident = #of;)),
        Bound::Loop(LoopCounter { ident, range, inclusive, from, to: end, step }) => {
            [from, end].into_iter().chain(step.as_ref().map(|(_, step)| step)).for_each(|value| used.note(value));
            to.counters.insert(id, ident.clone());
            let function = if *inclusive { quote!(__computed::counted_through) } else { quote!(__computed::counted) };
            let (from, end) = (computed(from), computed(end));
            let call = CallWith { function, before: TokenStream::new(), after: quote!(, #from, #end) };
            to.calls.entry(*range).or_default().push(call);
            if let Some((id, step)) = step {
                let step = computed(step);
                let call =
                    CallWith { function: quote!(__computed::step), before: TokenStream::new(), after: quote!(, #step) };
                to.calls.entry(*id).or_default().push(call);
            }
        }
    }
}
