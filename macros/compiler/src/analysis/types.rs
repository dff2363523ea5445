//! Assumptions about types: the operators, methods and dereferences of accumulators and of other arrays have no side effects, and the
//! operators are those of std.

use super::collected::{Sort, calls};
use super::obligations::arrays;
use crate::front::attribute::Attribute;
use crate::front::function::Function;
use crate::ir::obligation::{self, Obligation, Property, Reason};
use crate::ir::place::Place;
use crate::ir::print::located;
use crate::ir::{Expr, Kind, Local};
use crate::language::methods::{self, Effect, Of};
use crate::language::types;
use crate::plan::{
    Accumulator, Better, Class, ComparedBy, Key, Merge, Missing, Operator, Plan, StateMerge, Step, Written, path_below,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::collections::BTreeSet;

/// The assumptions about the types of a loop's values.
pub fn of_loop(function: &Function, found: &Plan) -> Vec<Obligation> {
    let mut all = Vec::new();
    for accumulator in &found.accumulators {
        let mut assumed = Assumed { function, found, accumulator, all: &mut all };
        assumed.functions();
        assumed.values();
        assumed.collection();
    }
    // Parameters that are slices become handles, which are known.
    let arrays: BTreeSet<Local> = arrays(found).into_iter().collect();
    let at = found.f.source.span;
    all.extend(arrays.iter().map(|name| {
        let value = name.ident().into_token_stream();
        Obligation::Value { value, is: Property::AccessedAsSlice, at }
    }));
    all
}

/// The pattern of a tuple.
fn tuple(value: &Expr) -> Option<TokenStream> {
    let Kind::Tuple(parts) = &value.bare().kind else { return None };
    let parts = parts.iter().map(|part| tuple(part).unwrap_or_else(|| quote!(_)));
    Some(quote!((#(#parts,)*)))
}

/// Records the assumptions about an accumulator.
struct Assumed<'a> {
    function: &'a Function,
    found: &'a Plan,
    accumulator: &'a Accumulator,
    all: &'a mut Vec<Obligation>,
}

impl Assumed<'_> {
    fn value(&mut self, value: TokenStream, is: Property, at: Span) {
        self.all.push(Obligation::Value { value, is, at });
    }

    /// The places that updates change, each with its operator.
    fn changed(&self) -> Vec<(TokenStream, Option<&Operator>)> {
        let accumulator = self.accumulator;
        match &accumulator.class {
            Class::Best { variables, better, .. } => {
                let value = match better {
                    Better::Than { key, .. } => key.as_written(),
                    Better::ThanSome { .. } | Better::First(_) => variables[0].tokens(),
                };
                vec![(value, None)]
            }
            Class::Bins { leaves, .. } => {
                leaves.iter().map(|leaf| (self.part(&leaf.path), Some(&leaf.operator))).collect()
            }
            Class::Scatter { path, .. } => vec![(self.part(path), None)],
            Class::Idempotent { merge }
            | Class::Combine { merge }
            | Class::Segmented { merge, .. }
            | Class::Frame { merge, .. } => match merge {
                // The function that merges them takes options of numbers.
                Merge::By(Operator::InOption(_)) => vec![(self.part(&[]), None)],
                Merge::By(operator) | Merge::Written(operator, _) => vec![(self.part(&[]), Some(operator))],
                Merge::Combine(_) | Merge::Last => vec![(self.part(&[]), None)],
            },
            _ => vec![(self.part(&[]), None)],
        }
    }

    /// The operators and the dereferences of the updates.
    fn values(&mut self) {
        let (accumulator, at) = (self.accumulator, self.accumulator.at);
        let class = &accumulator.class;
        let changed: Vec<_> = self.changed().into_iter().map(|(place, by)| (place, by.cloned())).collect();
        let is_known = match class {
            Class::Parity | Class::Bins { .. } => true,
            Class::Scatter { written, .. } => matches!(written, Written::Merge(_)),
            Class::Best { better, .. } => matches!(better, Better::Than { .. }),
            _ => changed.iter().any(|(_, by)| by.is_some()),
        };
        for (place, by) in changed {
            let compares = matches!(class, Class::Best { .. }) || by.as_ref().is_some_and(Operator::compares);
            if is_known {
                let known = if compares { Property::ComparedAlike } else { Property::OperatorsOfStd };
                self.value(place.clone(), known, at);
            }
            if by.is_some_and(|operator| operator.saturates()) {
                self.value(place.clone(), Property::SaturatesAtOneEnd, at);
            }
            if class.is_reduction() {
                let mut bases = Vec::new();
                if let Ok(place) = syn::parse2(place) {
                    bases_of(&place, &mut bases);
                }
                bases.into_iter().for_each(|base| self.value(base, Property::PureDerefMut, at));
            }
        }
        if let Class::Best { variables, better, .. } = class {
            self.comparison(&variables[0], better);
            variables.iter().for_each(|variable| self.held_tuples(variable));
        } else if class.is_reduction() {
            self.held_tuples(&accumulator.place);
        }
    }

    /// Options to which the body assigns tuples: rustc knows the types of the tuples only from the body, and how they are sent is chosen
    /// before.
    fn held_tuples(&mut self, place: &Place) {
        let tokens = place.tokens();
        for e in self.found.f.body.nodes() {
            if let Kind::Assign(target, None, value) = &e.kind
                && target.is(place)
                && let Kind::Call(some, values) = &value.bare().kind
                && let [value] = values.as_slice()
                && some.name() == Some(Local::named("Some"))
                && let Some(pattern) = tuple(value)
            {
                let value = quote!(::core::option::Option::unwrap(::core::option::Option::as_ref(&#tokens)));
                self.all.push(Obligation::Pattern { pattern, value, at: self.accumulator.at });
            }
        }
    }

    /// The comparison of the best value with others.
    fn comparison(&mut self, best: &Place, better: &Better) {
        let (at, best) = (self.accumulator.at, best.tokens());
        match better {
            Better::Than { key, by, flag, tie, total, .. } => {
                // Otherwise the loop runs in order if a key cannot be compared. A traversal has no order to run in.
                let runs_again = self.found.guarded && self.function.attribute != Attribute::Traverse;
                if better.compares_all() && !runs_again {
                    self.value(key.as_written(), Property::TotallyOrdered, at);
                }
                if let Some(by) = by {
                    self.compared_by(by, key.as_written());
                }
                let mark = match flag {
                    Some((_, Missing::Where(mark))) => Some(mark),
                    _ => None,
                };
                if let Some(mark) = mark {
                    self.mark(mark);
                }
                let equal = tie.as_ref().is_some_and(|tie| tie.equal);
                if equal || *total && (tie.is_some() || mark.is_some()) {
                    self.value(key.as_written(), Property::TotallyOrdered, at);
                }
                if let Some(tie) = tie {
                    self.value(tie.key.as_written(), Property::ComparedAlike, at);
                    self.value(tie.key.as_written(), Property::TotallyOrdered, at);
                }
            }
            Better::ThanSome { fields, shape, total, by, .. } => {
                let held = quote!(::core::option::Option::unwrap(::core::option::Option::as_ref(&#best)));
                // If `None` says nothing about its type, rustc knows the fields after this.
                let pattern = shape.parse().unwrap_or_default();
                self.all.push(Obligation::Pattern { pattern, value: held.clone(), at });
                let value = compared(&quote!((*#held)), fields);
                self.value(value.clone(), Property::ComparedAlike, at);
                let runs_again = !self.found.running && self.function.attribute != Attribute::Traverse;
                if *total || !runs_again && !by.as_ref().is_some_and(ComparedBy::compares_all) {
                    self.value(value, Property::TotallyOrdered, at);
                }
                // The call in the body checks the method: here, rustc may not know the type.
                if let Some(ComparedBy { ordering: Some(written), .. }) = by {
                    self.ordering(written);
                }
            }
            Better::First(Missing::None) => self.value(best, Property::IsOption, at),
            Better::First(Missing::Where(mark)) => self.mark(mark),
            Better::First(Missing::False | Missing::True) => {
                let (pattern, value) = (quote_spanned!(at=> _: &bool), quote_spanned!(at=> &#best));
                self.all.push(Obligation::Pattern { pattern, value, at });
            }
        }
    }

    /// The condition by which a variable says that there is no value.
    fn mark(&mut self, mark: &Key) {
        let at = self.accumulator.at;
        self.value(mark.place.tokens(), Property::ComparedAlike, at);
        // Only floats have this method: that of another type is the user's.
        let calls = mark.of.nodes().filter_map(|e| match &e.kind {
            Kind::Method(receiver, method, ..) if method == "is_nan" => Some(receiver.tokens.clone()),
            _ => None,
        });
        calls.collect::<Vec<_>>().into_iter().for_each(|receiver| self.value(receiver, Property::IsFloat, at));
    }

    /// A method that compares is std's, and so is the variant that its result is compared with.
    fn compared_by(&mut self, by: &ComparedBy, value: TokenStream) {
        let at = self.accumulator.at;
        self.all.push(Obligation::Comparison { method: Ident::new(&by.method, at), value });
        if let Some(written) = &by.ordering {
            self.ordering(written);
        }
    }

    /// A variant that a comparison is tested for is std's.
    fn ordering(&mut self, written: &str) {
        let at = self.accumulator.at;
        let is = Ident::new(written.rsplit("::").next().unwrap_or_default().trim(), at);
        let path = located(written.parse().unwrap_or_default(), at);
        self.all.push(Obligation::Ordering { path, is, at });
    }

    /// The accumulator, or the part of an element to which a path leads, in code that never runs.
    fn part(&self, path: &[Step]) -> TokenStream {
        let (accumulator, at) = (self.accumulator, self.accumulator.at);
        let place = located(accumulator.tokens.clone(), at);
        let steps = path.iter().map(|step| match step {
            Step::Element => quote_spanned!(at=> [0]),
            Step::Field(name) => {
                let name = located(name.parse().unwrap_or_default(), at);
                quote_spanned!(at=> .#name)
            }
        });
        let share = self.function.shares.iter().find(|share| accumulator.place == share.name);
        match (&accumulator.class, share) {
            (Class::Bins { share: true, .. } | Class::Scatter { .. }, Some(share)) => {
                let element = &share.element;
                quote_spanned!(at=> __obligations::any::<#element>() #(#steps)*)
            }
            (Class::Bins { .. } | Class::Frame { .. }, _) => quote_spanned!(at=> #place[0] #(#steps)*),
            _ => place,
        }
    }

    /// The functions that updates call in place of operators.
    fn functions(&mut self) {
        let (accumulator, found) = (self.accumulator, self.found);
        let last = |path: &str| path.rsplit("::").next().unwrap_or_default().trim().to_owned();
        let combine = self.function.args.combine.as_ref().map(|path| last(&path.to_string()));
        if let Class::System(_) = accumulator.class {
            let nodes = found.f.body.nodes().filter(|e| accumulator.nodes.contains(&e.id));
            for e in nodes.flat_map(Expr::nodes) {
                if let Kind::Call(called, _) = &e.kind
                    && let Some(operator) = Operator::named(&last(&called.text()))
                {
                    self.all.extend(function_of_std(&operator, called, self.part(&[])));
                }
            }
        }
        found.f.body.walk(&mut |e| {
            if (accumulator.nodes.contains(&e.id) || accumulator.rewrites.contains_key(&e.id))
                && let Kind::Assign(target, None, value) = &e.kind
                && let Kind::Call(called, arguments) = &value.bare().kind
                && arguments.iter().any(|argument| argument.is_written_as(target))
                && let name = last(&called.text())
                && combine.as_ref() != Some(&name)
                && let Some(operator) = Operator::named(&name)
            {
                let path = path_below(target, accumulator.place.root).unwrap_or_default();
                let place = self.part(&path);
                self.all.extend(function_of_std(&operator, called, place));
            }
            true
        });
    }

    /// A buffer is emptied or set by methods of std. A collection of std with an unknown type only grows.
    fn collection(&mut self) {
        let (accumulator, body) = (self.accumulator, &self.found.f.body);
        let name = accumulator.place.root;
        match &accumulator.class {
            Class::Scratch => {
                let cleared = calls(body, name, |method| method == "clear").map(|at| (Property::Clears, at));
                let set = calls(body, name, methods::sets).map(|at| (Property::SetsAll, at));
                for (is, at) in cleared.into_iter().chain(set) {
                    self.value(accumulator.tokens.clone(), is, at);
                }
            }
            Class::State(StateMerge::OfType | StateMerge::Keyed(_))
                if !matches!(Sort::of(self.function, name), Sort::Std(_)) =>
            {
                body.walk(&mut |e| {
                    let (place, method) = match &e.kind {
                        Kind::Method(receiver, method, ..) if !receiver.is_left_by(method) => (receiver, Some(method)),
                        Kind::Index(place, _) | Kind::Ref(true, place) => (place, None),
                        _ => return true,
                    };
                    let adds = |of: Of| {
                        method.is_some_and(|method| {
                            method == "entry"
                                || methods::adds(of, method)
                                || methods::does(of, method, Effect::Reserves)
                        })
                    };
                    if is_part(place, name) {
                        for of in [Of::Sequence, Of::Map, Of::Set].into_iter().filter(|of| !adds(*of)) {
                            self.value(place.tokens.clone(), Property::OnlyAdds(of), e.span);
                        }
                    }
                    true
                });
            }
            _ => {}
        }
    }
}

/// A value, or a field of it, that is compared.
fn compared(value: &TokenStream, fields: &[String]) -> TokenStream {
    let fields = fields.iter().map(|field| field.parse::<TokenStream>().unwrap_or_default());
    quote!(#value #(.#fields)*)
}

/// The places that an access to a place dereferences.
fn bases_of(place: &syn::Expr, to: &mut Vec<TokenStream>) {
    let base = match place {
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => expr,
        syn::Expr::Field(syn::ExprField { base, .. }) => base,
        syn::Expr::Index(syn::ExprIndex { expr, .. }) => expr,
        syn::Expr::Paren(syn::ExprParen { expr, .. }) => return bases_of(expr, to),
        _ => return,
    };
    to.push(base.to_token_stream());
    bases_of(base, to);
}

/// Whether an expression is a variable or a part of it that fields lead to.
fn is_part(e: &Expr, of: Local) -> bool {
    match &e.kind {
        Kind::Name(name) => *name == of,
        Kind::Field(inner, _) | Kind::Paren(inner) => is_part(inner, of),
        _ => false,
    }
}

/// A function that is called in place of an operator is std's, or it is a method of the value's own type: `f64::max`.
fn function_of_std(operator: &Operator, called: &Expr, place: TokenStream) -> Option<Obligation> {
    let (at, text) = (called.span, called.text());
    let name = Ident::new(operator.text(), at);
    let same = |is: TokenStream, place: TokenStream| {
        let read = obligation::Function::read_as(called, is);
        Obligation::Function(obligation::Function { of: Some(place), reason: Reason::Operator, ..read })
    };
    let of_the_type = |ty: TokenStream, place: TokenStream| {
        let ty = located(ty, at);
        let (pattern, value) = (quote_spanned!(at=> _: &#ty), quote_spanned!(at=> &#place));
        Obligation::Pattern { pattern, value, at }
    };
    // `<f64>::max`, and `<i64 as Ord>::max`.
    if let Ok(syn::ExprPath { qself: Some(qualified), .. }) = syn::parse2(called.tokens.clone()) {
        return Some(match qualified.as_token {
            None => of_the_type(qualified.ty.to_token_stream(), place),
            Some(_) => same(quote!(::core::cmp::Ord::#name), place),
        });
    }
    // A module has a name in small letters, as numbers have.
    let in_module = |of: &str| of.starts_with(|c: char| c.is_lowercase()) && !types::is_primitive(of);
    let segments: Vec<&str> = text.split("::").map(str::trim).collect();
    Some(match segments.as_slice() {
        [_] => same(quote!(::core::cmp::#name), place),
        [.., of, _] if in_module(of) => same(quote!(::core::cmp::#name), place),
        [.., "Ord", _] => same(quote!(::core::cmp::Ord::#name), place),
        [of @ .., _] => of_the_type(of.join("::").parse().unwrap_or_default(), place),
        [] => return None,
    })
}
