//! A function that sorts: a call into `core`.

use super::function::{Told, assembled};
use super::kernel::probes;
use super::obligations::printed;
use super::shared::{Checking, has_known_types, may_share, nothing_shared};
use crate::analysis::reached::Reached;
use crate::front::function::Function;
use crate::ir::names::bindings;
use crate::ir::print::{Edit, expr};
use crate::ir::{Block, Expr, Id, Kind, Local, Statement, StatementKind};
use crate::plan::{Column, Order, Rows, Sort, Subject};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::collections::{HashMap, HashSet};
use syn::visit_mut::VisitMut;

/// The whole expansion of a function that sorts.
pub fn expand_sort(function: &Function, sort: &Sort<'_>) -> TokenStream {
    let before = sort.before.iter().map(|statement| &statement.tokens);
    let order = sort.order.closure().map(called);
    let captures = order.iter().flat_map(|order| captures(function, order)).collect::<Vec<_>>();
    let reached = order.as_ref().map(|order| Reached::of(order, None, &may_share(function, &captures)));
    let reached = reached.unwrap_or_default();
    let shared = order.as_ref().map(|order| {
        let mut inside = HashSet::new();
        bindings(order, &mut |pattern| inside.extend(pattern.names.iter().map(|binding| binding.name)));
        let nothing_shared = nothing_shared(function, &captures, order, &inside, &reached);
        let probes = probes();
        quote!(#[allow(clippy::all, clippy::pedantic)] {
            #probes
            #[allow(unused_imports)]
            use ::forall::__private::obligations::{self as __obligations, HoldsOthers as _, IsItself as _};
            #nothing_shared
        })
    });
    let (believed, sorted) = match &sort.subject {
        Subject::Slice(name) => (of_std(function, sort, *name), of_slice(function, sort, *name, &reached)),
        Subject::Rows(rows) => (Some(rows_of_std(function, sort, rows)), of_rows(function, sort, rows, &reached)),
    };
    let obligations = printed(sort.obligations.iter());
    let body = quote!({ #obligations #(#before)* #believed #shared #sorted });
    assembled(function, &body, &told(function, sort))
}

/// A parameter, where it stands.
fn parameter(function: &Function, name: Local) -> Ident {
    let share = function.shares.iter().find(|share| share.name == name);
    Ident::new(&name, share.map_or_else(Span::call_site, |share| share.span))
}

/// The call that sorts.
fn call(sort: &Sort<'_>, subject: &TokenStream, closure: Option<TokenStream>) -> TokenStream {
    let how = match sort.order {
        Order::Natural => quote!(natural),
        Order::By(_) => quote!(by),
        Order::Total(_) => quote!(total),
        Order::Key(_) => quote!(by_key),
        Order::CachedKey(_) => quote!(by_cached_key),
    };
    quote_spanned!(sort.at=>
        #[allow(clippy::all, clippy::pedantic)]
        ::forall::__private::sort::#how(&__call, #subject, #closure);
    )
}

fn of_slice(function: &Function, sort: &Sort<'_>, name: Local, reached: &Reached<'_>) -> TokenStream {
    let slice = parameter(function, name);
    let checking = Checking::new(&AsWritten, reached, has_known_types(function));
    call(sort, &quote!(#slice), sort.order.closure().map(|closure| expr(closure, &checking)))
}

/// Replaces nothing.
struct AsWritten;

impl Edit for AsWritten {}

/// What a sort does with its order, as a block: it passes it on.
fn called(order: &Expr) -> Block {
    let tokens = order.tokens.clone();
    let made = |kind| Expr { id: Id::MAX, kind, span: order.span, tokens: tokens.clone() };
    let call = made(Kind::Call(Box::new(made(Kind::Path)), vec![order.clone()]));
    Block {
        statements: vec![Statement {
            id: Id::MAX,
            kind: StatementKind::Expr(call, true),
            tokens: order.tokens.clone(),
        }],
    }
}

/// The variables of the function that an order captures.
fn captures(function: &Function, order: &Block) -> Vec<(Local, Span)> {
    let mut captures: Vec<(Local, Span)> = Vec::new();
    let mut add = |name: Local, at: Span| {
        let declared = function.declared.contains_key(&name) || name == "self";
        let share = function.shares.iter().any(|share| share.name == name);
        let found = captures.iter().any(|(other, _)| other == name);
        if declared && !share && !found {
            captures.push((name.to_owned(), at));
        }
    };
    order.walk(&mut |e| {
        if let Kind::Name(name) = &e.kind {
            add(*name, e.span);
        }
        true
    });
    captures
}

/// Puts the parts of rows in the place of elements.
struct Parts<'s> {
    accesses: &'s HashMap<Id, usize>,
    columns: usize,
}

impl Edit for Parts<'_> {
    fn edits(&self, e: &Expr) -> bool {
        self.accesses.contains_key(&e.id)
    }

    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        let column = *self.accesses.get(&e.id)?;
        let Kind::Index(_, at) = &e.kind else { return None };
        let row = format_ident!("{}", at.name()?, span = at.span);
        let down = std::iter::repeat_n(quote!(.1), column);
        let part = if column + 1 == self.columns { TokenStream::new() } else { quote!(.0) };
        // A copy: rows have no gaps, so their parts may lie anywhere.
        let row = if self.columns == 1 { quote!(*#row) } else { quote!((*#row)) };
        Some(quote_spanned!(e.span=> ({ #row #(#down)* #part })))
    }
}

fn of_rows(function: &Function, sort: &Sort<'_>, rows: &Rows<'_>, reached: &Reached<'_>) -> TokenStream {
    let column = |column: &Column| {
        let name = parameter(function, column.name);
        match column.sorted {
            true => quote!(::forall::__private::sort::sorted(#name)),
            false => quote!(::forall::__private::sort::LookedAt::looked_at(&*#name)),
        }
    };
    let columns = rows.columns.iter().rev().map(column).reduce(|after, column| quote!((#column, #after)));
    let parameters = rows.parameters.iter().map(|name| format_ident!("{name}"));
    let parts = Parts { accesses: &rows.accesses, columns: rows.columns.len() };
    let body = expr(rows.body, &Checking::new(&parts, reached, has_known_types(function)));
    let held = Ident::new("__rows", Span::mixed_site());
    let call = call(sort, &quote!(&mut #held), Some(quote!(|#(#parameters),*| #body)));
    quote!(
        let mut #held = ::forall::__private::sort::Rows::of(&__call, #columns);
        #call
        #held.put_back();
    )
}

/// The type of a parameter, behind its reference, as the author wrote it.
fn type_of(function: &Function, name: Local) -> Option<&syn::Type> {
    function.original.sig.inputs.iter().find_map(|input| {
        let syn::FnArg::Typed(input) = input else { return None };
        let (syn::Pat::Ident(ident), syn::Type::Reference(ty)) = (&*input.pat, &*input.ty) else { return None };
        (ident.ident == name).then_some(&*ty.elem)
    })
}

/// That a method is std's: of a slice it is, since a type's own methods come first; of a `Vec` a trait may have one that comes
/// before.
fn method_of_std(
    vector: &TokenStream,
    ty: &TokenStream,
    method: &str,
    arguments: &TokenStream,
    at: Span,
) -> TokenStream {
    let (method, tried) = (Ident::new(method, at), Ident::new("__vector", Span::mixed_site()));
    let called = quote_spanned!(at=> __obligations::fa032_this_is_the_method_of_std(#tried.#method(#arguments)));
    quote!({
        #[allow(unused_imports)]
        use ::forall::__private::obligations::{self as __obligations, MethodsOfSlices as _};
        let _ = |#tried: #vector #ty| #called;
    })
}

/// What the method is tried out with.
fn tried_with(sort: &Sort<'_>) -> TokenStream {
    sort.order.closure().map_or_else(TokenStream::new, |_| quote!(()))
}

fn of_std(function: &Function, sort: &Sort<'_>, name: Local) -> Option<TokenStream> {
    let ty = type_of(function, name).filter(|ty| !matches!(ty, syn::Type::Slice(_)))?;
    Some(method_of_std(&quote!(&mut), &quote!(#ty), sort.method, &tried_with(sort), sort.at))
}

/// The same of the indices, and of the methods that bring the slices into their order.
fn rows_of_std(function: &Function, sort: &Sort<'_>, rows: &Rows<'_>) -> TokenStream {
    let vector = quote!(::std::vec::Vec<usize>);
    let sorted = method_of_std(&quote!(&mut), &vector, sort.method, &tried_with(sort), sort.at);
    let copied = rows.columns.iter().filter(|column| column.sorted).filter_map(|column| {
        let ty = type_of(function, column.name).filter(|ty| !matches!(ty, syn::Type::Slice(_)))?;
        Some(method_of_std(&quote!(&mut), &quote!(#ty), "copy_from_slice", &quote!(()), sort.at))
    });
    // The indices are made and gone over as they were written: of std's types.
    let (indices, order) = (&rows.indices.tokens, rows.order);
    let order = Ident::new(&order, sort.at);
    let named = Ident::new("Vec", sort.at);
    quote!(
        #sorted
        ::forall::__private::obligations::fa032_this_is_a_vector_of_std(::core::option::Option::None::<#named<u8>>);
        #(#copied)*
        let _ = || {
            #indices
            let _: &#vector = &#order;
            let _: ::core::slice::Iter<'_, usize> = #order.iter();
        };
    )
}

/// What is told of it.
fn told(function: &Function, sort: &Sort<'_>) -> Told {
    let by = sort.order.described();
    let (names, elements) = match &sort.subject {
        Subject::Slice(name) => (format!("`{name}`"), "an element"),
        Subject::Rows(rows) => {
            let sorted = rows.columns.iter().filter(|column| column.sorted);
            (sorted.map(|column| format!("`{}`", column.name)).collect::<Vec<_>>().join(", "), "a row of elements")
        }
    };
    let stable = !sort.method.contains("unstable");
    let line = sort.at.start().line;
    let mut explain =
        format!("`{}` is annotated with #[distributed_sort]\nsort (line {line}):\n", function.signature.ident);
    let mut say = |line: &str| explain.push_str(&format!("  {line}\n"));
    say(&format!("{names}: sorted{by}; what is equal keeps its order, over all ranks"));
    if !stable {
        say("an unstable sort leaves that open; here it is the same on any number of threads and ranks");
    }
    say("each rank: by digits where that is a number, else by comparing and merging");
    say(&format!("over ranks: {elements} moves once at most, and each share keeps its length"));
    say(match sort.order {
        Order::By(_) => "gpu: no, what is sorted by comparing is sorted on threads",
        _ => {
            "gpu: each rank's share, by digits, where that is a number of 32 or 64 bits or elements have one as key; else on threads"
        }
    });
    let expected = (!stable).then(|| {
        let mut block = function.code.written.clone();
        Stable.visit_block_mut(&mut block);
        block
    });
    Told {
        explain,
        plan: format!("distributed_sort: sort{by}"),
        shaders: "// A sort is no loop: the GPU has its own.\n".to_owned(),
        written: None,
        expected,
        plain_maps: false,
        uses: Vec::new(),
    }
}

/// Sorts in the stable way, which is one of those that the unstable way may go.
struct Stable;

impl VisitMut for Stable {
    fn visit_expr_method_call_mut(&mut self, call: &mut syn::ExprMethodCall) {
        let stable = match call.method.to_string().as_str() {
            "sort_unstable" => "sort",
            "sort_unstable_by" => "sort_by",
            "sort_unstable_by_key" => "sort_by_key",
            _ => return syn::visit_mut::visit_expr_method_call_mut(self, call),
        };
        call.method = Ident::new(stable, call.method.span());
        syn::visit_mut::visit_expr_method_call_mut(self, call);
    }
}
