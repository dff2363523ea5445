//! A function that traverses: a call into `core`, with what one call does as a closure.

use super::accumulator::{OfLoop, Parts};
use super::body::Body;
use super::function::{Descriptions, assembled};
use super::kernel::{paired, place_in_pairs, probes, renamed_places};
use super::levels::{ByLevels, made_by_levels};
use super::methods::MethodsOfStd;
use super::obligations::{operands, printed};
use super::updates::rewritten;
use super::verification::beside_it;
use crate::front::function::{Function, sibling};
use crate::front::receiver::THIS;
use crate::ir::print::{Renamed, expr, statements};
use crate::ir::{Id, Kind};
use crate::maps::{HashMap, New as _};
use crate::plan::{Accumulator, Class, Described, Later, Plan, Traversal};
use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit_mut::VisitMut;

/// The whole expansion of a function that traverses.
pub fn expand_traversal(function: &Function, traversal: &Traversal, levels: &Result<ByLevels, String>) -> TokenStream {
    let plan = &traversal.body;
    let kind = OfLoop { in_order: true, running: false, moves: false };
    let parts: Vec<Parts> = plan.accumulators.iter().enumerate().map(|(k, a)| a.parts(function, kind, k)).collect();
    let before: TokenStream = parts.iter().map(|part| part.before.clone()).collect();
    let after: TokenStream = parts.iter().map(|part| part.after.clone()).collect();
    let accumulators = paired(parts.iter().map(|part| part.accumulator.clone()));
    let results = paired(parts.iter().map(|part| part.result.clone()));
    let used = plan.captures.iter().map(|(name, span)| {
        let name = format_ident!("{name}", span = *span);
        quote_spanned!(*span=> __forall::fa042_captured_values_must_be_sync(&#name);)
    });
    let (probes, of_calls, operands) = (probes(), printed(plan.obligations.iter()), operands(&plan.in_body));
    let name = function.signature.ident.to_string();
    let after_calls = match traversal.later {
        Later::Nothing => quote!(Nothing),
        Later::Sums => quote!(Sums),
        Later::Anything => quote!(Anything),
    };
    let depth = match function.args.depth {
        Some(depth) => quote!(#depth),
        None => quote!(__forall::traverse::DEPTH),
    };
    let own: Vec<Ident> = traversal.own.iter().map(|name| format_ident!("{name}")).collect();
    let (pattern, body) = (&plan.f.pattern.tokens, body(function, traversal));
    let (shown, again) = (shown(&own), again(function));
    let by_levels = levels.as_ref().ok().map(|found| {
        let parts = all_parts(plan);
        let levels = made_by_levels(function, traversal, found, &held, &|tokens| in_state(tokens, &parts));
        quote!(, #levels)
    });
    let run = format_ident!("{}", if by_levels.is_some() { "run_by_levels" } else { "run" });
    let this = function.hands_self_down.then(|| {
        let this = format_ident!("{THIS}");
        quote!(let #this: &Self = self;)
    });
    let obligations = printed(traversal.obligations.iter());
    let body = quote!({
        #obligations
        #this
        #probes
        #(#used)*
        #of_calls
        #operands
        #before
        let __first = (#(__forall::Clone::clone(&#own),)*);
        let __traversal = __forall::traverse::Traversal::new(
            &__call, #name, #depth, __forall::traverse::Later::#after_calls
        );
        #[allow(unused, clippy::all, clippy::pedantic)]
        let (#results, __again) = __traversal.#run(#accumulators, __first, #shown, |__state, __arguments, __calls| {
            let #pattern = __arguments;
            #body
        } #by_levels);
        #after
        if __again { #again }
    });
    let expanded = assembled(function, &body, &descriptions(function, traversal, levels));
    let item = levels.as_ref().ok().map(|found| &found.item);
    match (item, function.method) {
        (Some(item), true) => quote!(#expanded #item),
        (Some(item), false) => {
            let name = &function.signature.ident;
            quote!(#expanded #[allow(unused, clippy::all, clippy::pedantic)] impl #name { #item })
        }
        (None, _) => expanded,
    }
}

/// Where in the state what the body collects in is.
fn all_parts(plan: &Plan) -> HashMap<String, TokenStream> {
    let mut parts = HashMap::new();
    for (number, accumulator) in plan.accumulators.iter().enumerate() {
        parts_of_state(accumulator, [number, plan.accumulators.len()], &mut parts);
    }
    parts
}

/// One call, which makes those of the body.
fn body(function: &Function, traversal: &Traversal) -> TokenStream {
    let plan = &traversal.body;
    let places = renamed_places(plan);
    let methods = MethodsOfStd::of(function, plan, false);
    let plain = Body::of(Renamed { places: &places, additions: None }, &plan.in_body);
    let mut edits: HashMap<Id, TokenStream> = HashMap::new();
    for accumulator in &plan.accumulators {
        edits.extend(rewritten(accumulator, &Body { operands: false, ..plain.clone() }));
    }
    let named: Vec<&Accumulator> = plan.accumulators.iter().filter(|a| is_named(a)).collect();
    for accumulator in &named {
        let held = held(accumulator);
        plan.f.body.walk(&mut |e| {
            if matches!(e.kind, Kind::Name(name) if accumulator.place == name) {
                edits.insert(e.id, held.to_token_stream());
            }
            true
        });
    }
    let inside = Body { edits: edits.clone(), methods: Some(&methods), ..plain.clone() };
    edits.extend(traversal.calls.iter().map(|(id, arguments)| {
        let arguments = arguments.iter().zip(&traversal.own).map(|(e, name)| {
            let argument = expr(e, &inside);
            // What a method is called on may be a box of the value, and no type that has such a method, too.
            match *name == THIS {
                true => {
                    let at = argument.clone().into_iter().last().map_or_else(Span::call_site, |token| token.span());
                    let check = quote_spanned!(at=>
                        let _ = || __forall::traverse::fa034_the_method_is_the_nodes::<Self, _>(#argument);
                    );
                    quote!({ #check let __child: &Self = #argument; __child })
                }
                false => argument,
            }
        });
        (*id, quote!(__calls.call(__state, (#(#arguments,)*))))
    }));
    in_state(statements(&plan.f.body, &Body { edits, methods: Some(&methods), ..plain }), &all_parts(plan))
}

/// Whether an accumulator goes by the author's name.
fn is_named(accumulator: &Accumulator) -> bool {
    accumulator.place.variable().is_some_and(|name| accumulator.ident == name)
}

/// Its replacement in the body.
fn held(accumulator: &Accumulator) -> Ident {
    match is_named(accumulator) {
        true => format_ident!("__held_{}", accumulator.place.root, span = Span::mixed_site()),
        false => accumulator.ident.clone(),
    }
}

/// Where in the state of so many accumulators the one with this number is.
fn parts_of_state(accumulator: &Accumulator, [number, count]: [usize; 2], to: &mut HashMap<String, TokenStream>) {
    let steps = |first: usize, more: &[usize]| {
        let path = std::iter::once(first).chain(place_in_pairs(number, count)).chain(more.iter().copied());
        let path = path.map(Literal::usize_unsuffixed);
        quote!((__state #(.#path)*))
    };
    match &accumulator.class {
        Class::Best { names, hit, .. } => {
            for (k, name) in names.iter().enumerate() {
                to.insert(name.to_string(), steps(0, &[0, k]));
            }
            to.insert(hit.to_string(), steps(0, &[1]));
        }
        class => {
            let first = if class.is_reduction() { 0 } else { 1 };
            let part = steps(first, &[]);
            // The author has a reference of that name.
            let part = if is_named(accumulator) { quote!((&mut #part)) } else { part };
            to.insert(held(accumulator).to_string(), part);
        }
    }
}

/// The same tokens, with parts of the state in place of the names that stand for them.
fn in_state(tokens: TokenStream, parts: &HashMap<String, TokenStream>) -> TokenStream {
    let each = tokens.into_iter().flat_map(|token| match token {
        TokenTree::Group(group) => {
            let mut inside = Group::new(group.delimiter(), in_state(group.stream(), parts));
            inside.set_span(group.span());
            TokenStream::from(TokenTree::Group(inside))
        }
        TokenTree::Ident(name) => parts.get(&name.to_string()).cloned().unwrap_or_else(|| name.to_token_stream()),
        token => token.into(),
    });
    each.collect()
}

/// The arguments of a call in words, as a closure.
fn shown(own: &[Ident]) -> TokenStream {
    let each = own.iter().map(|name| {
        // A node printed with all that is below it would be too much.
        if name == THIS {
            return quote!("self = ..".to_owned());
        }
        let text = format!("{name} = ");
        quote!([#text, &*(&__forall::traverse::Argument(#name)).__shown()].concat())
    });
    quote!(|__arguments| {
        #[allow(unused_imports)]
        use __forall::traverse::{Shown as _, Unshown as _};
        let (#(#own,)*) = __arguments;
        let __shown: &[::std::string::String] = &[#(#each),*];
        __shown.join(", ")
    })
}

/// The traversal as it was written, after a call has panicked.
fn again(function: &Function) -> TokenStream {
    let (mut before, mut after, mut arguments) = (TokenStream::new(), TokenStream::new(), Vec::new());
    for input in &function.original.sig.inputs {
        let syn::FnArg::Typed(input) = input else { continue };
        let syn::Pat::Ident(pattern) = &*input.pat else { continue };
        let name = &pattern.ident;
        if let Some(push) = function.pushes.iter().find(|push| *name == push.name) {
            let (element, pushed) = (&push.element, format_ident!("__pushed_{name}", span = Span::mixed_site()));
            before.extend(quote!(let mut #pushed = ::std::vec::Vec::<#element>::new();));
            after.extend(quote!(
                let #pushed = __forall::traverse::share_of_repetition(&__call, #pushed);
                __forall::PushTarget::append(#name, #pushed);
            ));
            arguments.push(quote!(&mut #pushed));
        } else if matches!(&*input.ty, syn::Type::Reference(reference) if reference.mutability.is_some()) {
            arguments.push(quote!(&mut *#name));
        } else {
            arguments.push(name.to_token_stream());
        }
    }
    let sequential = beside_it(function, "sequential");
    quote!(
        #before
        __traversal.again(|| #sequential(#(#arguments),*));
        #after
    )
}

/// Calls the sequential function where the body called the function.
struct Sequential<'f> {
    function: &'f Function,
}

impl VisitMut for Sequential<'_> {
    fn visit_expr_call_mut(&mut self, call: &mut syn::ExprCall) {
        let name = &self.function.signature.ident;
        if let syn::Expr::Path(called) = &mut *call.func
            && called.qself.is_none()
        {
            let path = called.path.to_token_stream().to_string();
            if !self.function.method && called.path.is_ident(name) {
                let (at, sequential) = (name.span(), Ident::new("sequential", name.span()));
                called.path = syn::parse_quote_spanned!(at=> Self::#sequential);
            } else if self.function.method && path == format!("Self :: {name}") {
                let sequential = sibling(name, "sequential");
                called.path = syn::parse_quote!(Self::#sequential);
            }
        }
        syn::visit_mut::visit_expr_call_mut(self, call);
    }

    fn visit_expr_method_call_mut(&mut self, call: &mut syn::ExprMethodCall) {
        let name = &self.function.signature.ident;
        let own = matches!(&*call.receiver, syn::Expr::Path(path) if path.path.is_ident("self"));
        let called =
            own || self.function.hands_self_down && call.args.len() + 1 == self.function.original.sig.inputs.len();
        if self.function.method && called && call.method == *name {
            call.method = sibling(name, "sequential");
        }
        syn::visit_mut::visit_expr_method_call_mut(self, call);
    }

    // Another function has another `Self`.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// The description of the traversal.
fn descriptions(function: &Function, traversal: &Traversal, levels: &Result<ByLevels, String>) -> Descriptions {
    let plan = &traversal.body;
    let name = &function.signature.ident;
    let line = name.span().start().line;
    let mut explain = format!("`{name}` is annotated with #[traverse]\ntraversal (line {line}):\n");
    let mut say = |line: &str| explain.push_str(&format!("  {line}\n"));
    for accumulator in &plan.accumulators {
        let Described { name, by, more } = accumulator.class.described(false);
        say(&format!("{name}: `{}`{by}{}", accumulator.place, more.replace("iterations", "calls")));
    }
    let own = traversal.own.iter().map(|name| if name == THIS { "self" } else { name });
    let own: Vec<String> = own.map(|name| format!("`{name}`")).collect();
    match own.as_slice() {
        [] => say("handed down: nothing, all calls get the same"),
        own => say(&format!("handed down: {}", own.join(", "))),
    }
    if traversal.later == Later::Anything {
        say("what a call collects after it has called itself is kept apart until that is done");
    }
    say("serial: yes, depth first");
    say("threads: yes, a worker that has nothing to do gets the calls nearest to the root that are left of another's");
    match function.args.local {
        true => say("mpi: each rank traverses what it has, and nothing is sent"),
        false => say(
            "mpi: yes, the ranks share the calls some levels below the root; their results are combined in their order",
        ),
    }
    match levels {
        Ok(_) => say(
            "gpu: yes, level by level where many calls are on a level; the others run on threads, and what is collected is put in order there",
        ),
        Err(reason) => say(&format!("gpu: no, the calls run on threads: {reason}")),
    }
    let mut written = function.code.written.clone();
    Sequential { function }.visit_block_mut(&mut written);
    Descriptions {
        explain,
        plan: format!("traverse: {}", plan.classes()),
        shaders: match levels {
            Ok(found) => format!("// The calls of a level\n{}", found.shader),
            Err(reason) => format!("// The calls run on threads: {reason}\n"),
        }
        .to_token_stream(),
        written: Some(written),
        ..Descriptions::default()
    }
}
