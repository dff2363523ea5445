//! A function that sorts: a call into `core`.

use super::function::{Told, assembled};
use crate::front::function::Function;
use crate::ir::{Expr, Statement};
use crate::plan::{Order, Sort};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::visit_mut::VisitMut;

/// The whole expansion of a function that sorts.
pub fn expand_sort(function: &Function, sort: &Sort<'_>) -> TokenStream {
    let name = Ident::new(sort.name, share_span(function, sort.name));
    let by = |how: &str, by: Option<&Expr>| {
        let (how, by) = (format_ident!("{how}"), by.map(|by| &by.tokens));
        quote_spanned!(sort.at=> ::forall::__private::sort::#how(&__call, #name, #by);)
    };
    let call = match sort.order {
        Order::Natural => by("natural", None),
        Order::By(compare) => by("by", Some(compare)),
        Order::Total(compare) => by("total", Some(compare)),
        Order::Key(key) => by("by_key", Some(key)),
        Order::CachedKey(key) => by("by_cached_key", Some(key)),
    };
    let before = sort.before.iter().map(|Statement { tokens, .. }| tokens);
    let belief = method_of_std(function, sort);
    let body = quote!({ #(#before)* #belief #call });
    assembled(function, &body, &told(function, sort))
}

fn share_span(function: &Function, name: &str) -> Span {
    function.shares.iter().find(|share| share.name == name).map_or_else(Span::call_site, |share| share.span)
}

/// The type of a parameter, behind its reference, as the author wrote it.
fn type_of<'f>(function: &'f Function, name: &str) -> Option<&'f syn::Type> {
    function.original.sig.inputs.iter().find_map(|input| {
        let syn::FnArg::Typed(input) = input else { return None };
        let (syn::Pat::Ident(ident), syn::Type::Reference(ty)) = (&*input.pat, &*input.ty) else { return None };
        (ident.ident == name).then_some(&*ty.elem)
    })
}

/// That the method is std's: of a slice it is, since a type's own methods come first; of a `Vec` a trait may have one that comes
/// before.
fn method_of_std(function: &Function, sort: &Sort<'_>) -> Option<TokenStream> {
    let ty = type_of(function, sort.name).filter(|ty| !matches!(ty, syn::Type::Slice(_)))?;
    let arguments = match sort.order {
        Order::Natural => TokenStream::new(),
        _ => quote!(()),
    };
    let (method, vector) = (Ident::new(sort.method, sort.at), Ident::new("__vector", Span::mixed_site()));
    let tried = quote_spanned!(sort.at=> __beliefs::fa032_this_is_the_method_of_std(#vector.#method(#arguments)));
    Some(quote!({
        #[allow(unused_imports)]
        use ::forall::__private::beliefs::{self as __beliefs, MethodsOfSlices as _};
        let _ = |#vector: &mut #ty| #tried;
    }))
}

/// What is told of it.
fn told(function: &Function, sort: &Sort<'_>) -> Told {
    let (name, by) = (sort.name, sort.order.described());
    let stable = !sort.method.contains("unstable");
    let line = sort.at.start().line;
    let mut explain =
        format!("`{}` is annotated with #[distributed_sort]\nsort (line {line}):\n", function.signature.ident);
    let mut say = |line: &str| explain.push_str(&format!("  {line}\n"));
    say(&format!("`{name}` is sorted{by}; what is equal keeps its order, over all ranks"));
    if !stable {
        say("an unstable sort leaves that open; here it is the same on any number of threads and ranks");
    }
    say("each rank: by digits where that is a number, else by comparing and merging");
    say("over ranks: an element moves once at most, and each share keeps its length");
    say("gpu: no, a sort runs on threads");
    let expected = (!stable).then(|| {
        let mut block = function.original.block.clone();
        Stable.visit_block_mut(&mut block);
        block
    });
    Told {
        explain,
        plan: format!("distributed_sort: sort{by}"),
        shaders: "// A sort runs on threads.\n".to_owned(),
        expected,
        plain_maps: false,
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
