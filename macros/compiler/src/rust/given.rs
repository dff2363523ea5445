//! The places outside of a loop that its iterations read, as arguments of the closure that runs a chunk.
//!
//! A closure has its captured variables behind references. Each store of the body might change them, as far as the processor's compiler
//! knows, so that the loop would read them again in each iteration. Arguments that are references are known not to overlap.

use crate::front::function::Function;
use crate::ir::names::each_let;
use crate::ir::place::Place;
use crate::ir::print::keeps_arguments;
use crate::ir::{Expr, Id, Kind, Local, Moved};
use crate::maps::{HashMap, HashSet, New as _};
use crate::plan::{Class, Plan, System};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

/// The most arguments of one call.
const ARGUMENTS: usize = 32;

/// The places that iterations read, and do not write.
#[derive(Default)]
pub(super) struct Given {
    /// Each place with the argument that refers to it.
    arguments: Vec<(Ident, TokenStream)>,
    /// The expressions that are these places, and the tokens that replace them.
    pub edits: HashMap<Id, TokenStream>,
}

impl Given {
    pub fn of(function: &Function, found: &Plan) -> Given {
        let (written, references) = (written(found), references(function));
        let mut places: Vec<(Place, Ident, TokenStream)> = Vec::new();
        let (mut edits, mut called) = (HashMap::new(), HashSet::new());
        found.f.body.walk(&mut |e| {
            if let Kind::Call(function, _) = &e.kind {
                called.insert(function.bare().id);
            }
            let Some(place) = captured(e, function, found) else {
                return !keeps_arguments(e) && !matches!(e.kind, Kind::Opaque(..) | Kind::Ref(true, _));
            };
            if !called.contains(&e.id) && written.iter().all(|other| place.is_apart_from(other)) {
                let reference = place.variable().is_some_and(|name| references.contains(&name));
                let known = places.iter().find(|(known, ..)| *known == place);
                let ident = known.map(|(_, ident, _)| ident.clone()).unwrap_or_else(|| {
                    let ident = format_ident!("__given{}", places.len(), span = Span::mixed_site());
                    let tokens = &e.tokens;
                    let value = if reference { quote!(&*#tokens) } else { quote!(&#tokens) };
                    places.push((place, ident.clone(), value));
                    ident
                });
                edits.insert(
                    e.id,
                    if reference { quote_spanned!(e.span=> #ident) } else { quote_spanned!(e.span=> (*#ident)) },
                );
            }
            false
        });
        Given { arguments: places.into_iter().map(|(_, ident, value)| (ident, value)).collect(), edits }
    }

    /// Code that runs with the places, and with other arguments that do not overlap.
    pub fn run(&self, others: Vec<(Ident, TokenStream)>, run: TokenStream) -> TokenStream {
        let all: Vec<_> = others.iter().chain(&self.arguments).collect();
        all.chunks(ARGUMENTS).rev().fold(run, |run, chunk| {
            let run = Moved::from(run);
            let with = format_ident!("with_{}", chunk.len());
            let (names, values): (Vec<_>, Vec<_>) = chunk.iter().map(|(name, value)| (name, value)).unzip();
            quote!(__forall::arguments::#with(#(#values,)* |#(#names),*| { #run }))
        })
    }

    /// The same places as variables.
    pub fn declared(&self) -> TokenStream {
        self.arguments.iter().map(|(ident, value)| quote!(let #ident = #value;)).collect()
    }
}

/// The place that an expression is, of a captured variable that is not a number: numbers are copied. Of `self` a field.
fn captured(e: &Expr, function: &Function, found: &Plan) -> Option<Place> {
    let mut of = e;
    while let Kind::Field(base, _) | Kind::Paren(base) | Kind::Unary('*', base) = &of.kind {
        of = base;
    }
    let Kind::Name(root) = of.kind else { return None };
    let is_field = !std::ptr::eq(of, e);
    let captured = match root == "self" {
        true => is_field,
        false => !function.is_number(root) && found.captures.iter().any(|(name, _)| *name == root),
    };
    if captured { e.place() } else { None }
}

/// The variables that hold a reference to a place of the function.
fn references(function: &Function) -> HashSet<Local> {
    let mut references = HashSet::new();
    each_let(&function.body, &mut |pattern, value| {
        let reference = matches!(value.bare().kind, Kind::Ref(..));
        references.extend(pattern.single().filter(|_| reference).map(|binding| binding.name));
    });
    references
}

/// The places that the loop writes.
fn written(found: &Plan) -> Vec<Place> {
    let mut written: Vec<Place> = found.slots.iter().map(|slot| Place::from(slot.name)).collect();
    written.extend(found.privates.iter().map(|name| Place::from(*name)));
    for accumulator in &found.accumulators {
        written.push(accumulator.place.clone());
        if let Class::Best { variables, .. }
        | Class::System(System { variables, .. })
        | Class::Machine { variables, .. } = &accumulator.class
        {
            written.extend(variables.iter().cloned());
        }
    }
    written
}
