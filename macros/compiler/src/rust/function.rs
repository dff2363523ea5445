//! A whole function: the dispatcher, and what stands beside it.

use super::explain::{explained, warning};
use super::kernel;
use super::obligations::printed;
use super::parameters::bound;
use super::planned::Loop;
use super::verification::{plain_maps, verification};
use super::wholes::uses;
use crate::check::blocks::wave;
use crate::check::outside::{cloned, element_written, is_of_slice, part_written, wholes_written};
use crate::front::function::{Function, sibling};
use crate::front::parameters::Share;
use crate::ir::names::{blocks_variable, unraw};
use crate::ir::obligation::Obligation;
use crate::ir::print::{Checks, Edit, expr, statements};
use crate::ir::{Expr, Id, Moved, Pattern, Statement, StatementKind};
use crate::maps::HashMap;
use crate::resolve::no_constants;
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

/// Replaces the loops of a function, in the order of the walk.
struct Loops<'a> {
    function: &'a Function,
    loops: &'a HashMap<Id, Loop>,
}

impl Checks for Loops<'_> {
    fn is_of_slice(&self, receiver: &Expr, method: &str) -> bool {
        is_of_slice(self.function, receiver, method)
    }
}

impl Edit for Loops<'_> {
    fn edits(&self, e: &Expr) -> bool {
        let function = self.function;
        part_written(function, e).is_some()
            || element_written(function, e).is_some()
            || wholes_written(function, e).is_some()
            || cloned(function, e).is_some()
            || wave(function, e).is_some()
            || self.loops.contains_key(&e.id)
    }

    fn checks(&self) -> Option<&dyn Checks> {
        Some(self)
    }

    fn statement(&self, s: &Statement) -> Option<TokenStream> {
        if let StatementKind::Let(pattern, Some(value), None) = &s.kind
            && self.function.splits(value)
        {
            return Some(self.halves(pattern, value));
        }
        None
    }

    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        let Some(found) = self.loops.get(&e.id) else {
            if let Some((share, index, value)) = element_written(self.function, e) {
                return Some(self.put(share, index, value, e.span));
            }
            if let Some((one, method, other)) = wholes_written(self.function, e) {
                return Some(of_wholes(one, method, other, e.span));
            }
            if let Some(share) = cloned(self.function, e) {
                let name = format_ident!("{}", share.name, span = share.span);
                return Some(quote_spanned!(e.span=> #name.to_vec()));
            }
            if let Some(blocks) = wave(self.function, e).and_then(Expr::name) {
                let (all, blocks) = (blocks_variable(&blocks), format_ident!("{blocks}"));
                return Some(quote_spanned!(e.span=> #all.is_active(&__call, &#blocks)));
            }
            let (share, range, method, arguments) = part_written(self.function, e)?;
            let (name, method) = (format_ident!("{}", share.name, span = share.span), format_ident!("{method}"));
            let range = expr(range, self);
            let arguments = arguments.iter().map(|argument| expr(argument, self));
            return Some(quote!(#name.part(#range).#method(#(#arguments),*)));
        };
        let number = self.loops.keys().filter(|id| **id < e.id).count();
        Some(kernel::expand(self.function, found, number))
    }
}

impl Loops<'_> {
    /// Two slices in place of one: handles, as those of parameters.
    fn halves(&self, pattern: &Pattern, value: &Expr) -> TokenStream {
        let (halves, value) = (&pattern.tokens, expr(value, self));
        let of = |half: &Pattern| {
            let half = &half.tokens;
            match self.function.shares.iter().any(|share| share.mutable && share.name == *half.to_string()) {
                true => quote!(let #half = &mut { #half };),
                false => quote!(let #half = &#half;),
            }
        };
        let each = pattern.parts().iter().map(of);
        quote!(let #halves = #value; #(#each)*)
    }

    /// `out[index] = value`: the value is computed first, and the old one is not read.
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

/// A whole slice is set to another one, or exchanged with it.
fn of_wholes(one: &Share, method: &str, other: &Share, at: Span) -> TokenStream {
    let [one, other] = [one, other].map(|share| format_ident!("{}", share.name, span = share.span));
    let method = Ident::new(method, at);
    let argument = if method == "swap_with" { quote!(&mut *#other) } else { quote!(&*#other) };
    quote_spanned!(at=> #one.#method(#argument))
}

/// The loops in their order.
fn in_order(loops: &HashMap<Id, Loop>) -> Vec<&Loop> {
    let mut sorted: Vec<(&Id, &Loop)> = loops.iter().collect();
    sorted.sort_unstable_by_key(|(id, _)| **id);
    sorted.into_iter().map(|(_, found)| found).collect()
}

/// The function's loops in WGSL, in their order; of those that are not translated, the reasons. A constant expression.
fn shaders(loops: &HashMap<Id, Loop>) -> TokenStream {
    let shown = in_order(loops).into_iter().enumerate().map(|(number, found)| {
        let (between, number) = (if number == 0 { "" } else { "\n" }, number + 1);
        match (&found.source, &found.translation) {
            (Some(source), _) => {
                let title = format!("{between}// Loop {number}\n");
                quote!(#title, #source)
            }
            (None, translation) => {
                let obstacles = translation.as_ref().err().into_iter().flatten();
                let reasons: String = obstacles.map(|obstacle| format!("// {obstacle}\n")).collect();
                format!("{between}// Loop {number} is not translated:\n{reasons}").to_token_stream()
            }
        }
    });
    quote!(::core::concat!(#(#shown),*))
}

/// The attribute, how many loops there are, and the classes of each: ``foreach: 2 loops: map; reduce by `+` ``.
fn plan_of(attribute: &str, loops: &HashMap<Id, Loop>) -> String {
    let classes: Vec<String> = in_order(loops).into_iter().map(|found| found.plan.classes()).collect();
    let loops = if loops.len() == 1 { "loop" } else { "loops" };
    format!("{attribute}: {} {loops}: {}", classes.len(), classes.join("; "))
}

/// The name of the function that `FORALL_VERIFY` runs in place of the one that was written.
const EXPECTED: &str = "expected";

/// The descriptions of a function, and the bodies of the functions beside it.
#[derive(Default)]
pub(super) struct Descriptions {
    pub explain: String,
    pub plan: String,
    /// A constant expression.
    pub shaders: TokenStream,
    /// The body of the sequential function, where that is not quite as it was written: it calls itself.
    pub written: Option<syn::Block>,
    /// The body that `FORALL_VERIFY` runs, where the one that was written leaves more than one result open.
    pub expected: Option<syn::Block>,
    /// Whether what is written to slices depends on no sum.
    pub plain_maps: bool,
    /// How each distributed parameter is used.
    pub uses: Vec<TokenStream>,
}

/// The whole expansion of a function with loops.
pub fn expand(
    function: &Function,
    loops: &HashMap<Id, Loop>,
    in_order: &[Span],
    obligations: &[Obligation],
    warnings: &TokenStream,
) -> TokenStream {
    let described = Descriptions {
        explain: function.code.resolved.renamed.shown(&explained(function, loops, in_order)),
        plan: plan_of(function.attribute.name(), loops),
        shaders: shaders(loops),
        written: None,
        expected: None,
        plain_maps: plain_maps(function, loops),
        uses: uses(function, loops),
    };
    let (obligations, statements) =
        (printed(obligations.iter()), Moved::from(statements(&function.body, &Loops { function, loops })));
    assembled(function, &quote!({ #warnings #obligations #statements }), &described)
}

/// The function as it was written, the struct that shares its name, and the dispatcher. Editors offer completion in the first copy of the user's
/// tokens, so this is the one as it was written.
pub(super) fn assembled(function: &Function, body: &TokenStream, described: &Descriptions) -> TokenStream {
    let explain = Literal::string(&described.explain);
    let dispatcher = dispatcher(function, body, described, &explain);
    let dispatcher = function.code.resolved.in_their_contexts(dispatcher, &function.original);
    let [dispatcher, beside] = [dispatcher, beside(function, described, &explain)].map(Moved::from);
    let warning = (function.args.explain && !function.method).then(|| warning(function, &described.explain));
    quote!(#beside #dispatcher #warning)
}

/// The diagnostics of a function, in place of its body. Callers and the rest of the crate still see the signature of an accepted function.
/// The function as it was written is still checked, so that rustc reports only mistakes of the user.
pub fn with_errors(function: &Function, errors: TokenStream) -> TokenStream {
    let original = &function.original;
    let (attrs, vis, signature) = (&original.attrs, &original.vis, without_suggestions(&function.signature));
    let described = Descriptions { shaders: quote!(""), ..Descriptions::default() };
    let written = beside(function, &described, &Literal::string(""));
    // No value stands for a type that only the body tells.
    if matches!(&function.signature.output, syn::ReturnType::Type(_, output) if matches!(**output, syn::Type::ImplTrait(_)))
    {
        let sig = syn::Signature { ident: function.signature.ident.clone(), ..original.sig.clone() };
        let original = syn::ImplItemFn { sig, block: function.code.written.clone(), ..original.clone() };
        return quote!(#errors #[allow(unused)] #original);
    }
    quote!(
        #written
        #(#attrs)*
        #[allow(unused, clippy::all)]
        #vis #signature {
            #errors
            ::core::unreachable!()
        }
    )
}

/// The signature with empty brackets where it has no parameters for types. Next to a name, rustc would suggest such a parameter for an unknown
/// type, though not in the message about the function as it was written. rustc drops the second of two messages only if they are equal.
fn without_suggestions(signature: &syn::Signature) -> TokenStream {
    let syn::Signature { safety, fn_token, ident, generics, inputs, output, paren_token, .. } = signature;
    if !generics.params.is_empty() {
        return signature.to_token_stream();
    }
    let mut parameters = Group::new(Delimiter::Parenthesis, quote!(#inputs));
    parameters.set_span(paren_token.span.join());
    let clause = &generics.where_clause;
    quote!(#safety #fn_token #ident <> #parameters #output #clause)
}

/// The lint attributes of the function. They hold for the function as it was written, too.
fn lints_of(attributes: &[syn::Attribute]) -> TokenStream {
    let of_lints = attributes.iter().filter_map(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return None };
        let (name, lints) = (list.path.get_ident()?, &list.tokens);
        match name.to_string().as_str() {
            "allow" | "warn" | "deny" => Some(quote!(#attribute)),
            // It need not be fulfilled in both.
            "expect" => Some(quote_spanned!(name.span()=> #[allow(#lints)])),
            _ => None,
        }
    });
    of_lints.collect()
}

/// The function for callers.
fn dispatcher(function: &Function, body: &TokenStream, described: &Descriptions, explain: &Literal) -> TokenStream {
    let uses = &described.uses;
    let original = &function.original;
    let (attrs, vis) = (&original.attrs, &original.vis);
    let signature = without_suggestions(&function.signature);
    let parameters: Vec<&str> = function.parameters().map(|s| s.name.text()).collect();
    let text = original.sig.ident.to_string();
    let attribute = function.attribute.name();
    let meta = quote!(
        static __META: __forall::Meta = __forall::Meta {
            name: #text,
            attribute: #attribute,
            parameters: &[#(#parameters),*],
            uses: &[#(#uses),*],
            explain: #explain,
        };
    );
    let verify = verification(
        function,
        if described.expected.is_some() { EXPECTED } else { "sequential" },
        described.plain_maps,
    );
    let bound = Moved::from(bound(function));
    let begin = format_ident!("{}", if function.args.local { "begin_local" } else { "begin" });
    let bound_names = no_constants(function.code.resolved.bound.iter()).map(|check| quote!(#check;));
    // With the user's braces, the function is the user's for rustc, which reports it if nothing calls it.
    let mut body = Group::new(
        Delimiter::Brace,
        quote!(
            #[allow(unused_imports)]
            use ::forall::__private::{self as __forall, bounds::{AcceptElement as _, RefuseElement as _}, traits_of_std::*};
            #bound_names
            #meta
            #verify
            let __call = __forall::Call::#begin(&__META, __forall::ambient);
            #bound
            #body
        ),
    );
    body.set_span(original.block.brace_token.span.join());
    quote!(
        #(#attrs)*
        #[doc = ::core::concat!("\n\n# How forall runs it\n```text\n", #explain, "```")]
        #[allow(
            unused_mut, unused_variables, unused_assignments, unreachable_code, unreachable_patterns, clippy::extra_unused_lifetimes,
            clippy::multiple_bound_locations, clippy::needless_lifetimes, clippy::needless_range_loop,
            clippy::too_many_arguments
        )]
        #vis #signature #body
    )
}

/// The function as it was written, and its descriptions.
fn beside(function: &Function, described: &Descriptions, explain: &Literal) -> TokenStream {
    let Descriptions { plan, shaders, expected, written, .. } = described;
    let original = &function.original;
    let (vis, name, method) = (&original.vis, &original.sig.ident, function.method);
    let visible = match vis {
        syn::Visibility::Inherited if !method => quote!(pub),
        vis => quote!(#vis),
    };
    // The order of ranks may depend on variables that the loop does not use.
    let unused = function.args.merging.order.is_some().then(|| quote!(#[allow(unused_variables)]));
    let lints = lints_of(&original.attrs);
    let with_name = |which: &str, span: Span| {
        let ident = if method { sibling(name, which) } else { format_ident!("{which}", span = span) };
        syn::Signature { ident, ..original.sig.clone() }
    };
    let (sequential, block) =
        (with_name("sequential", name.span()), written.as_ref().unwrap_or(&function.code.written));
    let expected = expected.as_ref().map(|block| {
        let (signature, visible) = (with_name(EXPECTED, Span::call_site()), method.then_some(vis));
        quote!(#[doc(hidden)] #[allow(dead_code)] #lints #visible #signature #block)
    });
    let upper = unraw(&name.to_string()).to_uppercase();
    let [explained, planned, shader] = ["EXPLAIN", "PLAN", "WGSL"].map(|what| match method {
        true => format_ident!("{upper}_{what}"),
        false => format_ident!("{what}"),
    });
    let items = quote!(
        /// The function as it was written.
        #[allow(dead_code, clippy::needless_range_loop, clippy::too_many_arguments, clippy::manual_memcpy, clippy::explicit_counter_loop)]
        #lints
        #unused
        #visible #sequential #block
        #expected
        /// The report of `FORALL_EXPLAIN` for each loop.
        #[allow(dead_code)]
        #visible const #explained: &'static str = #explain;
        /// The classes of each loop.
        #[allow(dead_code)]
        #visible const #planned: &'static str = #plan;
        /// The program of the loops for a GPU.
        #[allow(dead_code)]
        #visible const #shader: &'static str = #shaders;
    );
    if method {
        return items;
    }
    let items = Moved::from(items);
    quote!(
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #name {}
        #[allow(dead_code)]
        impl #name { #items }
    )
}
