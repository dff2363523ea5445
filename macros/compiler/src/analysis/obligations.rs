//! The assumptions about names that hold for a whole function, or for a loop: which types, methods and macros the user's names are.

use crate::analysis::inside;
use crate::front::function::Function;
use crate::front::items::Items;
use crate::front::parameters::Share;
use crate::ir::obligation::{self, Method, Obligation};
use crate::ir::print::path_of;
use crate::ir::{Block, Expr, Kind, Local};
use crate::language::methods::{self, Family, Of};
use crate::language::{macros, types};
use crate::maps::{HashMap, HashSet};
use crate::plan::{Plan, SlotKind};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::Visit;

/// The assumptions that hold in the whole function.
pub fn of_function(function: &Function) -> Vec<Obligation> {
    let mut named = Named::default();
    named.visit_signature(&function.original.sig);
    named.visit_block(&function.original.block);
    let types = named.types.into_iter().map(|(name, at)| {
        let ty = Ident::new(&name, at);
        Obligation::Type { written: quote!(#ty), is: quote!(::core::primitive::#ty), at }
    });
    let mut all: Vec<Obligation> = types.collect();
    all.extend(named.some.map(|at| Obligation::Some { at }));
    all.extend(named.none.map(|at| Obligation::None { at }));
    all.extend(types_of_parameters(function));
    function.body.walk(&mut |e| {
        if let Kind::For(f) = &e.kind {
            let mut called = Vec::new();
            Items::of(&f.source).called(&mut called);
            all.extend(called.into_iter().map(|called| {
                let is = quote!(::core::iter::zip::<[u8; 1], [u8; 1]>);
                Obligation::Function(obligation::Function::read_as(called, is))
            }));
        }
        true
    });
    all.extend(methods_of_parameters(function));
    all.extend(copies_of_ranges(function));
    all.extend(macros_of_std(&function.body));
    all
}

/// The assumptions about variables in the scope of a loop.
pub fn of_loop(function: &Function, found: &Plan) -> Vec<Obligation> {
    methods_of_variables(function, found)
}

/// The names in a function that are known to be of std.
#[derive(Default)]
struct Named {
    /// Numbers and their kin, each with a place where it is written.
    types: BTreeMap<Local, Span>,
    /// Where `Some` and `None` are written.
    some: Option<Span>,
    none: Option<Span>,
}

impl<'ast> Visit<'ast> for Named {
    fn visit_type_path(&mut self, ty: &'ast syn::TypePath) {
        if let (None, Some(name)) = (&ty.qself, ty.path.get_ident()) {
            let text = name.to_string();
            // `f16` may be that of a crate.
            if text != "f16" && types::is_primitive(&text) || text == "char" {
                self.types.entry(Local::named(&text)).or_insert_with(|| name.span());
            }
        }
        syn::visit::visit_type_path(self, ty);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        match path.get_ident() {
            Some(name) if name == "Some" => _ = self.some.get_or_insert_with(|| name.span()),
            Some(name) if name == "None" => _ = self.none.get_or_insert_with(|| name.span()),
            _ => {}
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        if pattern.ident == "None" {
            self.none.get_or_insert_with(|| pattern.ident.span());
        }
        syn::visit::visit_pat_ident(self, pattern);
    }

    // The compiler leaves items as they are written.
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// The parameters with plain names, with the types that the user wrote.
fn parameters(function: &Function) -> impl Iterator<Item = (&Ident, &syn::Type)> {
    function.original.sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(input) => match &*input.pat {
            syn::Pat::Ident(pattern) => Some((&pattern.ident, &*input.ty)),
            _ => None,
        },
        syn::FnArg::Receiver(_) => None,
    })
}

fn behind_reference(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Reference(reference) => &reference.elem,
        ty => ty,
    }
}

fn path_to<'t>(ty: &'t syn::Type, name: &str) -> Option<&'t syn::Path> {
    match ty {
        syn::Type::Path(ty) => {
            Some(&ty.path).filter(|path| path.segments.last().is_some_and(|last| last.ident == name))
        }
        _ => None,
    }
}

/// A parameter that is a `Vec` is taken for a slice, and one that is a `Range` for its two ends.
fn types_of_parameters(function: &Function) -> Vec<Obligation> {
    let mut all = Vec::new();
    for (name, ty) in parameters(function) {
        let ty = behind_reference(ty);
        let distributed =
            function.shares.iter().map(|share| &share.name).chain(function.pushes.iter().map(|push| &push.name));
        let vector = path_to(ty, "Vec").filter(|_| distributed.into_iter().any(|share| name == share));
        let range = path_to(ty, "Range").filter(|_| gone_through(function, name));
        let vector = vector.map(|path| (path, quote!(::std::vec::Vec<u8>)));
        let range = range.map(|path| (path, quote!(::core::ops::Range<u8>)));
        for (path, is) in vector.into_iter().chain(range) {
            let (mut path, at) = (path.clone(), name.span());
            if let Some(last) = path.segments.last_mut() {
                last.arguments = syn::PathArguments::None;
            }
            all.push(Obligation::Type { written: quote!(#path<u8>), is, at });
        }
    }
    all
}

/// Whether a loop goes through a variable as a whole: `for i in r`, `for i in r.clone().rev()`.
fn gone_through(function: &Function, name: &Ident) -> bool {
    struct Headers<'n>(&'n Ident, bool);
    impl<'ast> Visit<'ast> for Headers<'_> {
        fn visit_expr_for_loop(&mut self, f: &'ast syn::ExprForLoop) {
            self.1 |= begins_with(&f.expr, self.0);
            syn::visit::visit_expr_for_loop(self, f);
        }
    }
    fn begins_with(e: &syn::Expr, name: &Ident) -> bool {
        match e {
            syn::Expr::MethodCall(call) => begins_with(&call.receiver, name),
            syn::Expr::Paren(inner) => begins_with(&inner.expr, name),
            syn::Expr::Reference(inner) => begins_with(&inner.expr, name),
            syn::Expr::Unary(inner) => begins_with(&inner.expr, name),
            syn::Expr::Path(path) => path.path.is_ident(name),
            _ => false,
        }
    }
    let mut headers = Headers(name, false);
    headers.visit_block(&function.original.block);
    headers.1
}

/// The variable that a method is called on, as a whole: `x` of `x.len()`, `(*x).len()` and `(&mut *x).len()`.
fn whole(receiver: &Expr) -> Option<Local> {
    match &receiver.kind {
        Kind::Name(name) => Some(*name),
        Kind::Paren(inner) | Kind::Unary('*', inner) | Kind::Ref(_, inner) => whole(inner),
        _ => None,
    }
}

/// A slice or an array that is a parameter, or a half of one, with the type that it has where the function is as it was written.
struct Slice {
    name: Ident,
    ty: TokenStream,
    of: Of,
    /// Whether it is behind a reference, and if that is mutable.
    by_reference: Option<bool>,
}

fn slices(function: &Function) -> HashMap<Local, Slice> {
    let of_parameter = |(name, ty): (&Ident, &syn::Type)| {
        let array = function.shares.iter().any(|share| *name == share.name && share.array.is_some());
        let of = match behind_reference(ty) {
            _ if array => Of::Array,
            syn::Type::Slice(_) => Of::Slice,
            syn::Type::Array(_) => Of::Sequence,
            ty => path_to(ty, "Vec").map(|_| Of::Sequence)?,
        };
        let by_reference = match ty {
            syn::Type::Reference(reference) => Some(reference.mutability.is_some()),
            _ => None,
        };
        let text = ty.to_token_stream().to_string();
        let ty = ty.to_token_stream();
        (!text.split(' ').any(|word| word == "impl")).then(|| Slice { name: name.clone(), ty, of, by_reference })
    };
    let half = |share: &Share| {
        let (name, element) = (Ident::new(&share.name, share.span), &share.element);
        let ty = if share.mutable { quote!(&mut [#element]) } else { quote!(&[#element]) };
        Slice { name, ty, of: Of::Slice, by_reference: Some(share.mutable) }
    };
    let halves = function.shares.iter().filter(|share| share.split_by.is_some()).map(half);
    let all = parameters(function).filter_map(of_parameter).chain(halves);
    all.map(|slice| (Local::from(&slice.name), slice)).collect()
}

/// The methods of slices and arrays that are parameters. Inside the function, these are handles and views, for which no trait of the
/// user's is implemented.
fn methods_of_parameters(function: &Function) -> Vec<Obligation> {
    let slices = slices(function);
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    function.body.walk(&mut |e| {
        let Kind::Method(receiver, method, _, _) = &e.kind else { return true };
        let Some(name) = whole(receiver) else { return true };
        let Some(slice) = slices.get(&name) else { return true };
        // A slice's own methods are found first on a reference of their kind.
        let first = slice.by_reference == Some(false) && slice.of == Of::Slice && receiver.name().is_some();
        let known = slice.of != Of::Array || methods::is_plain_of_arrays(method);
        if first || !known || !seen.insert((receiver.text(), method)) {
            return true;
        }
        let mut tried = |receiver: &TokenStream, limit: usize| {
            all.extend(Method::called(e, receiver).into_iter().take(usize::from(limit > 0)).map(|method| {
                let parameter = Some((slice.name.clone(), slice.ty.clone()));
                Obligation::Method(Method { parameter, family: Family::Any, steps: limit, ..method })
            }));
        };
        let name = &slice.name;
        let behind = quote!(*#name);
        // The number of steps on the value itself: a method of a trait, or a generic one, is found behind them.
        let on_value = match methods::assumed(method).first() {
            Some((Family::Owned, steps)) => *steps,
            _ => methods::STEPS,
        };
        match slice.by_reference {
            None => tried(&receiver.tokens, on_value),
            Some(mutable) => {
                let by_its_kind = on_value < methods::STEPS && mutable == (on_value == 2);
                tried(&receiver.tokens, if by_its_kind { 0 } else { methods::STEPS });
                if slice.of == Of::Sequence {
                    tried(&behind, on_value);
                }
            }
        }
        true
    });
    all
}

/// The methods of other arrays that a loop goes through, of buffers that it prepares, of collections that it fills and of its results.
fn methods_of_variables(function: &Function, found: &Plan) -> Vec<Obligation> {
    let results = found.accumulators.iter().flat_map(|accumulator| accumulator.variables()).map(|place| place.root);
    let mut variables: BTreeSet<Local> = arrays(found).into_iter().chain(results).collect();
    let parameters: HashSet<Local> = parameters(function).map(|(name, _)| Local::from(name)).collect();
    let inside = inside::declared(&found.f);
    variables.retain(|name| !parameters.contains(name) && !inside.contains(name));
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    let mut tried = |e: &Expr| {
        if let Kind::Method(receiver, method, _, _) = &e.kind
            && let Some(name) = receiver.name().filter(|name| variables.contains(name))
            // Those of numbers are checked in the body, where the types of all numbers are known.
            && methods::is_known(method)
            && !methods::is_of_numbers(method)
            && seen.insert((name, method.clone()))
        {
            all.extend(Method::called(e, &receiver.tokens).into_iter().map(Obligation::Method));
        }
        true
    };
    // As they are written: another form of the body has other methods.
    function.code.as_written.walk(&mut |e| tried(e));
    // These methods of a header give an iterator.
    found.f.source.walk(&mut |e| {
        if let Kind::Method(receiver, method, _, _) = &e.kind
            && method == "by_ref"
        {
            all.extend(Method::called(e, &receiver.tokens).into_iter().map(Obligation::Method));
        }
        true
    });
    all
}

/// A range in a header is gone through as it is, and not as what a method of a trait makes of it.
fn copies_of_ranges(function: &Function) -> Vec<Obligation> {
    let mut all = Vec::new();
    function.code.as_written.walk(&mut |e| {
        if let Kind::For(f) = &e.kind {
            f.source.walk(&mut |e| {
                if let Kind::Method(receiver, method, _, _) = &e.kind
                    && method == "clone"
                    && matches!(receiver.bare().kind, Kind::Range(..) | Kind::Name(_))
                {
                    let range = match &receiver.bare().kind {
                        Kind::Range(.., true) => quote!(0..=0),
                        _ => quote!(0..0),
                    };
                    all.extend(Method::called(e, &range).into_iter().map(Obligation::Method));
                }
                true
            });
        }
        true
    });
    all
}

/// The arrays of the header, and those that are written, that are no handles.
pub fn arrays(found: &Plan) -> Vec<Local> {
    let handles = |name: Local| found.slots.iter().any(|slot| slot.name == name && slot.kind != SlotKind::Everywhere);
    let written = found.slots.iter().filter(|slot| slot.kind == SlotKind::Everywhere).map(|slot| slot.name);
    let mut gone_through = Vec::new();
    found.source.arrays(&mut gone_through);
    let gone_through = gone_through.into_iter().map(|(name, _)| name).filter(|name| !handles(*name));
    written.chain(gone_through).collect()
}

/// The macros that are known by their names.
pub fn macros_of_std(body: &Block) -> Vec<Obligation> {
    let mut called: BTreeMap<_, Obligation> = BTreeMap::new();
    body.walk(&mut |e| {
        if let Kind::Macro(name, ..) = &e.kind
            && let Some(handed) = macros::harmless_call(name)
        {
            let (path, arguments) = (path_of(e), handed.parse().unwrap_or_default());
            called.entry(path.to_string()).or_insert(Obligation::Macro { path, arguments, at: e.span });
        }
        true
    });
    called.into_values().collect()
}
