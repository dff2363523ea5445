//! A function that sorts: a call into `core`.

use super::body::Body;
use super::function::{Descriptions, assembled};
use super::kernel::probes;
use super::obligations::printed;
use crate::front::function::Function;
use crate::ir::print::{Renamed, expr};
use crate::ir::{Id, Kind, Local};
use crate::maps::{HashMap, New as _};
use crate::plan::{Column, Order, Rows, Sort, Subject};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::visit_mut::VisitMut;

/// The whole expansion of a function that sorts.
pub fn expand_sort(function: &Function, sort: &Sort<'_>) -> TokenStream {
    let before = sort.before.iter().map(|statement| &statement.tokens);
    let sorted = match &sort.subject {
        Subject::Slice(name) => of_slice(function, sort, *name),
        Subject::Rows(rows) => of_rows(function, sort, rows),
    };
    let (obligations, of_order) = (printed(sort.obligations.iter()), printed(sort.of_order.iter()));
    let probes = probes();
    let body = quote!({ #obligations #(#before)* #probes #of_order #sorted });
    assembled(function, &body, &descriptions(function, sort))
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
        __forall::sort::#how(&__call, #subject, #closure);
    )
}

fn of_slice(function: &Function, sort: &Sort<'_>, name: Local) -> TokenStream {
    let slice = parameter(function, name);
    call(sort, &quote!(#slice), sort.order.closure().map(|closure| expr(closure, &order(sort, HashMap::new()))))
}

/// The edits of the order.
fn order<'s>(sort: &'s Sort<'_>, edits: HashMap<Id, TokenStream>) -> Body<'s> {
    Body { edits, ..Body::of(Renamed { places: &[], additions: None }, &sort.in_order) }
}

/// The parts of rows that the order has in place of elements.
fn parts_of(rows: &Rows<'_>) -> HashMap<Id, TokenStream> {
    let columns = rows.columns.len();
    let mut parts = HashMap::new();
    rows.body.walk(&mut |e| {
        if let (Some(column), Kind::Index(_, at)) = (rows.accesses.get(&e.id), &e.kind)
            && let Some(row) = at.name()
        {
            let row = row.spanned(at.span);
            let down = std::iter::repeat_n(quote!(.1), *column);
            let part = if column + 1 == columns { TokenStream::new() } else { quote!(.0) };
            // A copy: rows have no gaps, so their parts may lie anywhere.
            let row = if columns == 1 { quote!(*#row) } else { quote!((*#row)) };
            parts.insert(e.id, quote_spanned!(e.span=> ({ #row #(#down)* #part })));
        }
        true
    });
    parts
}

fn of_rows(function: &Function, sort: &Sort<'_>, rows: &Rows<'_>) -> TokenStream {
    let column = |column: &Column| {
        let name = parameter(function, column.name);
        match column.sorted {
            true => quote!(__forall::sort::sorted(#name)),
            false => quote!(__forall::sort::LookedAt::looked_at(&*#name)),
        }
    };
    let columns = rows.columns.iter().rev().map(column).reduce(|after, column| quote!((#column, #after)));
    let parameters = rows.parameters.iter().map(|name| format_ident!("{name}"));
    let body = expr(rows.body, &order(sort, parts_of(rows)));
    let held = Ident::new("__rows", Span::mixed_site());
    let call = call(sort, &quote!(&mut #held), Some(quote!(|#(#parameters),*| #body)));
    quote!(
        let mut #held = __forall::sort::Rows::of(&__call, #columns);
        #call
        #held.put_back();
    )
}

/// The description of the sort.
fn descriptions(function: &Function, sort: &Sort<'_>) -> Descriptions {
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
    Descriptions {
        explain,
        plan: format!("distributed_sort: sort{by}"),
        shaders: quote!("// A sort is no loop: the GPU has its own.\n"),
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
