//! From a classified loop to calls into `core`. After checking, nothing here can fail.

mod accumulator;
mod bins;
mod callees;
pub mod contract;
pub mod device_data;
mod explain;
mod header;
mod kernel;
mod lanes;
pub mod marked;
mod program;
pub mod run;
mod updates;
mod verification;

use self::explain::{explained, warning};
use crate::check::outside::{element_written, part_written};
use crate::front::function::{Function, sibling};
use crate::front::parameters::Share;
use crate::ir::names::{shape_variable, unraw};
use crate::ir::print::{Edit, block, expr};
use crate::ir::{Expr, Id, Statement, StatementKind};
use crate::plan::Plan;
use crate::wgsl::{Obstacle, Translation};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::cell::Cell;
use std::collections::HashMap;

/// A loop that is ready: its plan, and its translation for devices or what stands in the way.
pub struct Loop {
    pub plan: Plan,
    pub translation: Result<Translation, Vec<Obstacle>>,
}

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
        let private = pattern.ty.is_none() && self.loops.values().any(|l| l.plan.privates.contains(name));
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
        Some(kernel::expand(self.function, found, number))
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

fn nest(items: impl DoubleEndedIterator<Item = TokenStream>) -> TokenStream {
    items.rev().fold(quote!(()), |tail, item| quote!((#item, #tail)))
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

fn is_by_value(share: &Share) -> bool {
    share.array.as_ref().is_some_and(|array| !array.reference)
}

/// A reference to what the caller passed.
fn argument(share: &Share) -> TokenStream {
    let ident = format_ident!("{}", share.name, span = share.span);
    if is_by_value(share) { quote!(&#ident) } else { quote!(&*#ident) }
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

/// The function as it was written, with what is wrong with it: so editors and the rest of the crate know it.
pub fn with_errors(function: &Function, errors: TokenStream) -> TokenStream {
    let original = &function.original;
    if function.method || matches!(original.vis, syn::Visibility::Inherited) && function.signature.receiver().is_some()
    {
        let inner = &original.block;
        let (attrs, vis, sig) = (&original.attrs, &original.vis, &original.sig);
        return quote!(#(#attrs)* #[allow(unused)] #vis #sig { #errors #inner });
    }
    quote!(#errors #[allow(unused)] #original)
}

/// The whole expansion: the dispatcher, and the struct that shares its name.
pub fn expand(function: &Function, loops: &HashMap<Id, Loop>, in_order: &[Span]) -> TokenStream {
    let explain = &explained(function, loops, in_order);
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
    let verify = verification::verification(function);
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
        let upper = unraw(&name.to_string()).to_uppercase();
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
    let warning = function.args.explain.then(|| warning(function, explain));
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
        #warning
    )
}
