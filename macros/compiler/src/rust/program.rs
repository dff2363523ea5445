//! The program of a loop for devices, and the values of its variables.

use crate::analysis::inside;
use crate::front::function::Function;
use crate::front::tokens::names_in;
use crate::ir::names::boxes_variable;
use crate::ir::{Expr, Kind, Moved};
use crate::language::types;
use crate::maps::{HashSet, New as _};
use crate::plan::{Class, Plan};
use crate::rust::callees::Callees;
use crate::rust::contract;
use crate::rust::planned::Loop;
use crate::wgsl::contract::{Bins, Given, Translation, Type};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use std::cell::LazyCell;
use std::collections::BTreeSet;

/// The loop's program for devices, as a constant expression, and what gives a device the values of its variables. Where there is no
/// translation, the reason.
pub(super) fn program(
    function: &Function,
    Loop { plan: found, translation, source }: &Loop,
    name: &str,
    callees: &Callees,
) -> [TokenStream; 2] {
    let translation = match translation {
        Ok(translation) => translation,
        Err(obstacles) => {
            let reasons: Vec<String> = obstacles.iter().map(ToString::to_string).collect();
            let reasons = reasons.join("; ");
            return [
                quote!(__forall::Err(#reasons)),
                quote!(|__program| __forall::fold::Captured::new(
                    __program,
                    false,
                    ::std::vec::Vec::new(),
                    ::std::vec::Vec::new()
                )),
            ];
        }
    };
    let program = Moved::from(constant(found, translation, source.as_ref(), name));
    let (callees, given) = (callees.list(), contract::answers(&translation.queries));
    let results = results(function, found, translation).into_iter();
    let of_results = match found.region {
        Some(_) if results.len() > 0 => quote!(.of_types(&__types)),
        _ => results.map(|[name, ty, found]| quote!(.of_type(#name, #ty, #found))).collect(),
    };
    let [variables, results, named] =
        [variables(found, translation), of_results, named(function, found)].map(Moved::from);
    [
        quote!(__forall::Ok(#program)),
        quote!(|__program| __forall::fold::Captured::new(__program, ::core::cfg!(debug_assertions), #callees, #given)
            #variables #results #named),
    ]
}

/// The program as a constant expression.
fn constant(found: &Plan, translation: &Translation, source: Option<&Literal>, name: &str) -> TokenStream {
    // Only what is not empty is printed.
    let list = |field: &str, items: Vec<TokenStream>| {
        let field = format_ident!("{field}");
        (!items.is_empty()).then(|| quote!(#field: &[#(#items),*],))
    };
    let is = |field: &str, holds: bool| {
        let field = format_ident!("{field}");
        holds.then(|| quote!(#field: true,))
    };
    let numbers = |numbers: &[usize]| numbers.iter().map(ToTokens::to_token_stream).collect();
    let types = |types: &mut dyn Iterator<Item = &Type>| types.map(contract::ty).collect();
    let arrays = translation.arrays.iter().zip(found.device_arrays()).map(|(element, array)| {
        let (element, writes) = (contract::ty(element), array.writes);
        quote!(__device::Array { element: #element, writes: #writes })
    });
    let bins = translation.bins.iter().map(|Bins { each, .. }| {
        let forall_contract::Bins { element, operator, wraps } = each;
        let (element, operator) = (contract::ty(element), format_ident!("{operator:?}"));
        quote!(__device::Bins { element: #element, operator: __device::Operator::#operator, wraps: #wraps })
    });
    let touched = translation.touched.iter().map(|touched| {
        let (loads, stores) = (touched.loads.iter(), touched.stores.iter());
        quote!(__device::Touched { loads: &[#(#loads),*], stores: &[#(#stores),*] })
    });
    let counted = translation.counted;
    let fields = [
        list("arrays", arrays.collect()),
        list("values", types(&mut translation.values.iter().map(|(_, ty)| ty))),
        list("tables", types(&mut translation.tables.iter().map(|table| &table.ty))),
        list("state", types(&mut translation.state.iter())),
        list("levels", numbers(&translation.levels)),
        (counted != 0).then(|| quote!(counted: #counted,)),
        list("pushes", types(&mut translation.pushes.iter())),
        list("bins", bins.collect()),
        list("calls", contract::calls(&translation.calls)),
        list("queries", contract::queries(&translation.queries)),
        is("running", translation.running),
        is("commutative", translation.commutative),
        list("touched", touched.collect()),
        is("loops", translation.loops),
    ];
    let fields: TokenStream = fields.into_iter().flatten().collect();
    let fields = Moved::from(fields);
    quote!(__device::Program { name: #name, source: #source, #fields ..__device::Program::EMPTY })
}

/// The values and types of the variables, tables and arrays that a program reads.
fn variables(found: &Plan, translation: &Translation) -> TokenStream {
    let mut described = TokenStream::new();
    let shown = |e: &TokenStream| crate::ir::text::shown(&e.to_string());
    for (value, ty) in &translation.values {
        let (name, ty) = (shown(value), contract::ty(ty));
        described.extend(quote!(.value(#name, #ty, (&__device::Probe(&(#value))).__found())));
    }
    for table in &translation.tables {
        let (name, ty, found) = (shown(&table.tokens), contract::ty(&table.ty), contract::found(table));
        described.extend(match table.part {
            Some(_) => quote!(.table_part(#name, #ty, #found)),
            None => quote!(.table(#name, #ty, #found)),
        });
    }
    for (slot, ty) in found.slots.iter().zip(&translation.arrays) {
        let (Some(element), name, ty) = (&slot.element, slot.name.text(), contract::ty(ty)) else { continue };
        let element = of_elements(element);
        described.extend(quote!(.of_type(#name, #ty, #element)));
    }
    let boxes = found.region.iter().flat_map(|region| &region.boxes).enumerate();
    for ((number, boxes), ty) in boxes.zip(&translation.arrays) {
        let (variable, name, ty) = (boxes_variable(number), boxes.object.text(), contract::ty(ty));
        described.extend(quote!(.of_type(#name, #ty, (&__device::Probe(&#variable.zero())).__ty())));
    }
    described
}

/// Whether the names that the translation knows are those of std.
fn named(function: &Function, found: &Plan) -> TokenStream {
    let mut described = TokenStream::new();
    for of in functions_on_devices(function, found) {
        let (name, ident, path) = (of.called.shown(), &of.ident, of.path);
        described.extend(quote!(.named(#name, #ident.is(#path))));
    }
    for name in numbers_named(found) {
        let ty = format_ident!("{name}");
        described.extend(quote!(.named(#name, ::core::any::type_name::<#ty>() == #name)));
    }
    described
}

/// The types of a region's results, from before the loop: it borrows them while it runs.
pub(super) fn types_of_results(
    function: &Function,
    Loop { plan: found, translation, .. }: &Loop,
) -> Option<TokenStream> {
    let (Ok(translation), Some(_)) = (translation, &found.region) else { return None };
    let results = results(function, found, translation).into_iter();
    let some = results.len() > 0;
    let types = results.map(|[name, ty, found]| quote!((#name, #ty, #found)));
    some.then(|| quote!(let __types = [#(#types),*];))
}

/// The types of what a program leaves beside its arrays: of accumulators, pushed elements, and bins. Of each its name, and its type as expected
/// and as it is.
fn results(function: &Function, found: &Plan, translation: &Translation) -> Vec<[TokenStream; 3]> {
    let mut described = Vec::new();
    for (name, place, ty) in &translation.told {
        described.push([quote!(#name), contract::ty(ty), quote!((&__device::Probe(&#place)).__ty())]);
    }
    let mut pushes = translation.pushes.iter();
    let mut bins = translation.bins.iter();
    for accumulator in &found.accumulators {
        match &accumulator.class {
            Class::Pushes { element } => {
                let (name, element) = (accumulator.place.to_string(), of_elements(element));
                if let Some(ty) = pushes.next().map(contract::ty) {
                    described.push([quote!(#name), ty, element]);
                }
            }
            Class::Scatter { element, .. } => {
                // The places come first: these are `usize` in any case.
                let (_, values) = (pushes.next(), pushes.next());
                let (name, element) = (accumulator.place.to_string(), of_elements(element));
                if let Some(ty) = values.map(contract::ty) {
                    described.push([quote!(#name), ty, element]);
                }
            }
            Class::Bins { share, .. } => {
                let (name, place) = (accumulator.place.to_string(), &accumulator.tokens);
                let element =
                    function.shares.iter().find(|s| accumulator.place == s.name).filter(|_| *share).map(|s| &s.element);
                let found = match element {
                    Some(element) => of_elements(element),
                    None => quote!((&__device::Probe(&(#place)[..])).__ty()),
                };
                if let Some(ty) = bins.next().map(|bins| contract::ty(&bins.whole)) {
                    described.push([quote!(#name), ty, found]);
                }
            }
            _ => {}
        }
    }
    described
}

/// The type of an array's elements.
fn of_elements(element: &TokenStream) -> TokenStream {
    contract::answer(&Given::Type(element.clone()))
}

/// A function that a program for devices assumes to be one of std's.
pub(super) struct OfStd<'e> {
    pub called: &'e Expr,
    /// The variable before the loop that knows the function.
    pub ident: Ident,
    /// Its path in std.
    pub path: &'static str,
}

/// The functions that a program for devices assumes to be std's, by their names. Those that update accumulators are checked anyway.
pub(super) fn functions_on_devices<'p>(function: &Function, found: &'p Plan) -> Vec<OfStd<'p>> {
    let inside = LazyCell::new(|| inside::declared(&found.f));
    let mut all = Vec::new();
    let mut updates = HashSet::new();
    found.f.body.walk(&mut |e| {
        if let Kind::Assign(place, _, value) = &e.kind
            && let Kind::Call(called, arguments) = &value.bare().kind
            && arguments.iter().any(|argument| argument.is_written_as(place))
        {
            updates.insert(called.id);
        }
        let Kind::Call(called, _) = &e.kind else { return true };
        let text: String = called.text().split_whitespace().collect();
        let of_number = text.rsplit("::").nth(1).is_some_and(types::is_primitive);
        let path = match text.rsplit("::").next().unwrap_or_default() {
            "swap" => "core::mem::swap",
            "replace" => "core::mem::replace",
            "min" | "max" if text.ends_with("Ord::min") || text.ends_with("Ord::max") => "core::cmp::Ord",
            "min" if !of_number => "core::cmp::min",
            "max" if !of_number => "core::cmp::max",
            "default" => "core::default::Default",
            _ => return true,
        };
        if !updates.contains(&called.id)
            && !called.name().is_some_and(|name| inside.contains(&name) || function.declared.contains_key(&name))
        {
            let ident = format_ident!("__function_{}", called.id, span = Span::mixed_site());
            all.push(OfStd { called, ident, path });
        }
        true
    });
    all
}

/// The types of numbers that a body names: a type of the user may have such a name. The translation checks `f16` itself.
fn numbers_named(found: &Plan) -> BTreeSet<String> {
    let mut names = Vec::new();
    found.f.body.statements.iter().for_each(|s| names_in(s.tokens.clone(), &mut names));
    names.into_iter().map(|(name, _)| name).filter(|name| name != "f16" && types::is_primitive(name)).collect()
}
