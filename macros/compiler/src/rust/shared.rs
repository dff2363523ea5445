//! Checks by rustc that what a body reaches from captured values holds no shared mutable state.

use super::made_of::parts;
use crate::analysis::reached::{HEADER, Reached, Used};
use crate::front::function::Function;
use crate::front::tokens::names_in;
use crate::ir::names::root_of;
use crate::ir::print::{Checks, Edit, located};
use crate::ir::{Block, Expr, Id, Kind, Local};
use crate::language::methods;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::collections::{BTreeMap, HashSet};

/// Checks the values that a body reaches, where it reaches them.
pub(super) struct Checking<'a> {
    edit: &'a dyn Edit,
    reached: &'a Reached<'a>,
    /// Whether the types are the same for all callers of the function.
    types_are_known: bool,
}

impl<'a> Checking<'a> {
    pub(super) fn new(edit: &'a dyn Edit, reached: &'a Reached<'a>, types_are_known: bool) -> Self {
        Checking { edit, reached, types_are_known }
    }

    /// The checks of what the loop's header binds: the body begins with them.
    pub(super) fn header(&self) -> Option<TokenStream> {
        self.bound(HEADER, 0)
    }
}

/// How a value is checked.
#[derive(Clone, Copy)]
enum How {
    /// It is only looked at.
    Beside,
    /// It is passed on.
    Value,
    /// It is a place, which is lent for reading.
    Place,
}

/// One check. Types that differ from caller to caller are checked when the function is compiled for one of them.
fn check(how: How, types_are_known: bool, of: &TokenStream, at: Span) -> TokenStream {
    let [lent, value] = ["__lent", "__value"].map(|name| Ident::new(name, Span::mixed_site().located_at(at)));
    let inside = match types_are_known {
        true => quote_spanned!(at=> let _ = || ::forall::__private::fa017_iterations_share_what_is_in_it!(#lent);),
        false => quote_spanned!(at=> ::forall::__private::obligations::fa017_no_instance_shares(
            (&(&(&(&(&::forall::__private::obligations::Kind::of(&#lent)).inside()).inside()).inside()).inside()).inside()
        );),
    };
    let checked = quote_spanned!(at=>
        #[allow(unused_imports)]
        use ::forall::__private::obligations::{HoldsOthers as _, IsItself as _, SharesNothing as _, SharesState as _};
        ::forall::__private::obligations::fa017_iterations_share_nothing(
            (&::forall::__private::obligations::Captured(#lent)).shares()
        );
        #inside
    );
    match how {
        How::Beside => quote_spanned!(at=> match &#of { #lent => { #checked } }),
        // As the field of a tuple, the value has a type of its own, whatever is expected around it.
        How::Value => {
            quote_spanned!(at=> (match #of { #value => { match &#value { #lent => { #checked } } #value } },).0)
        }
        How::Place => quote_spanned!(at=> (*match &#of { #lent => { #checked #lent } })),
    }
}

impl Edit for Checking<'_> {
    fn inner(&self) -> Option<&dyn Edit> {
        Some(self.edit)
    }

    fn checks(&self) -> Option<&dyn Checks> {
        Some(self)
    }
}

impl Checks for Checking<'_> {
    fn is_checked(&self, e: &Expr) -> bool {
        self.reached.used.contains_key(&e.id)
    }

    fn checked(&self, e: &Expr, tokens: &TokenStream) -> Option<TokenStream> {
        let how = match self.reached.used.get(&e.id)? {
            Used::Value => How::Value,
            Used::Place => How::Place,
        };
        Some(check(how, self.types_are_known, tokens, e.span))
    }

    fn bound(&self, id: Id, arm: usize) -> Option<TokenStream> {
        let mut checked: Vec<&str> = Vec::new();
        let mut checks = TokenStream::new();
        for (name, pattern) in self.reached.bound.get(&(id, arm))? {
            if checked.contains(name) {
                continue;
            }
            checked.push(name);
            let mut all = Vec::new();
            names_in(pattern.tokens.clone(), &mut all);
            let at = all.iter().rfind(|(other, _)| other == name).map_or_else(Span::call_site, |(_, at)| *at);
            let variable: TokenStream = name.parse().unwrap_or_default();
            let variable = located(variable, at);
            let check = check(How::Beside, self.types_are_known, &quote!(#variable), at);
            checks.extend(quote!(#check;));
        }
        Some(checks)
    }
}

/// Whether a body captures a variable that may hold more than a number, or names a static.
pub(super) fn may_share<'a>(function: &'a Function, captures: &'a [(Local, Span)]) -> impl Fn(Local) -> bool + 'a {
    move |name| match captures.iter().any(|(captured, _)| captured == name) {
        true => !function.is_number(name) && function.shares.iter().all(|share| share.name != name),
        // Constants and statics have no declaration here.
        false => {
            let is_item = name.starts_with(char::is_uppercase) && !name.contains(char::is_lowercase);
            is_item && !function.declared.contains_key(&name)
        }
    }
}

/// The variables of the function by which the attribute's functions go, if they are closures.
fn named_by_the_attribute(function: &Function) -> Vec<(Local, Span)> {
    let args = &function.args;
    let paths = [&args.init, &args.merge, &args.merge_all, &args.combine].into_iter().flatten();
    let named = paths.filter_map(|path| syn::parse2::<Ident>(path.clone()).ok());
    let named = named.map(|name| (Local::from(&name), name.span()));
    named.filter(|(name, _)| function.declared.contains_key(name)).collect()
}

/// Values that all iterations read hold nothing that they could change all the same: no lock, no atomic, no channel.
pub(super) fn nothing_shared(
    function: &Function,
    captures: &[(Local, Span)],
    body: &Block,
    inside: &HashSet<Local>,
    reached: &Reached<'_>,
) -> TokenStream {
    let captures: Vec<_> = captures.iter().cloned().chain(named_by_the_attribute(function)).collect();
    let captured = captures.iter().map(|(name, span)| (name.to_string(), Ident::new(name, *span).into_token_stream()));
    let mut values: BTreeMap<String, TokenStream> = captured.collect();
    // Constants and statics have no declaration here.
    let is_item = |name: Local| !inside.contains(&name) && !function.declared.contains_key(&name) && name != "self";
    for place in looked_into(body, false) {
        let first = place.tokens.clone().into_iter().next().map(|token| token.to_string());
        if first.is_some_and(|name| is_item(Local::named(&name)) && name != "None") {
            values.entry(place.text()).or_insert_with(|| place.tokens.clone());
        }
    }
    let captured = |root: &str| root == "self" || captures.iter().any(|(name, _)| name == root);
    for part in parts_lent(body) {
        if part.root().is_some_and(|root| captured(&root) && !inside.contains(&root)) {
            values.entry(part.text()).or_insert_with(|| part.tokens.clone());
        }
    }
    // Of numbers nothing more is asked.
    let mut looked_into: HashSet<String> = looked_into(body, true).into_iter().map(Expr::text).collect();
    let known = has_known_types(function);
    let made_of = parts(function, &captures);
    for part in made_of.places {
        looked_into.insert(part.text());
        values.entry(part.text()).or_insert_with(|| part.tokens.clone());
    }
    let alone = made_of.values.into_iter().filter(|_| known).map(|value| {
        let (at, value) = (value.span, &value.tokens);
        quote_spanned!(at=> let _ = || {
            __obligations::fa017_iterations_share_nothing((&__obligations::Captured(&#value)).shares());
            ::forall::__private::fa017_iterations_share_what_is_in_it!(#value);
        };)
    });
    let is_known = |place: &str| known || has_known_type(function, Local::named(root_of(place)));
    let mut used: BTreeMap<String, &Expr> = BTreeMap::new();
    for place in &reached.captured {
        used.entry(place.text()).or_insert(place);
    }
    let used = used.into_iter().filter(|(text, _)| text != "None").map(|(text, place)| {
        values.remove(&text);
        let check = check(How::Beside, is_known(&text), &place.tokens, place.span);
        quote!(#check;)
    });
    let used: Vec<TokenStream> = used.collect();
    let values = values.into_iter().map(|(text, place)| {
        let span = place.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span());
        let inside = (is_known(&text) && looked_into.contains(&text)).then(
            || quote_spanned!(span=> let _ = || ::forall::__private::fa017_iterations_share_what_is_in_it!(#place);),
        );
        quote_spanned!(span=>
            __obligations::fa017_iterations_share_nothing((&__obligations::Captured(&#place)).shares());
            #inside
        )
    });
    quote!(#(#values)* #(#alone)* #(#used)*)
}

/// The fields of which other code gets to see a reference.
fn parts_lent(body: &Block) -> Vec<&Expr> {
    fn is_part(e: &Expr) -> bool {
        matches!(&e.kind, Kind::Field(inner, _) if matches!(inner.kind, Kind::Name(_)) || is_part(inner))
    }
    let mut found = Vec::new();
    body.walk(&mut |e| {
        match &e.kind {
            Kind::Ref(false, part) if is_part(part) => found.push(&**part),
            Kind::Method(part, method, ..) if is_part(part) && !methods::reads(method) => found.push(&**part),
            _ => {}
        }
        true
    });
    found
}

/// The variables and items of which other code gets to see a reference; with `arguments`, those that are handed on as well.
fn looked_into(body: &Block, arguments: bool) -> Vec<&Expr> {
    fn whole(place: &Expr) -> Option<&Expr> {
        match &place.kind {
            Kind::Name(_) | Kind::Path => Some(place),
            Kind::Paren(e) | Kind::Unary('*', e) | Kind::Field(e, _) | Kind::Index(e, _) | Kind::Ref(_, e) => whole(e),
            _ => None,
        }
    }
    let mut found = Vec::new();
    body.walk(&mut |e| {
        match &e.kind {
            Kind::Method(_, _, args, _) if arguments => found.extend(args.iter().filter_map(whole)),
            // A closure has what it captured.
            Kind::Call(function, args) if arguments => {
                found.extend(args.iter().filter_map(whole).chain(whole(function)));
            }
            _ => {}
        }
        match &e.kind {
            Kind::Method(place, ..)
            | Kind::Ref(_, place)
            | Kind::Index(place, _)
            | Kind::Field(place, _)
            | Kind::Unary('*', place) => found.extend(whole(place)),
            _ => {}
        }
        true
    });
    found
}

/// Whether a parameter's type is known where the function is compiled, whoever calls it. That of a method may mention what the block
/// around it is generic over.
fn has_known_type(function: &Function, name: Local) -> bool {
    let signature = &function.original.sig;
    let generic: HashSet<String> = signature.generics.type_params().map(|of| of.ident.to_string()).collect();
    let known = |input: &syn::FnArg| match input {
        syn::FnArg::Typed(input) => {
            let mut mentioned = Vec::new();
            names_in(input.ty.to_token_stream(), &mut mentioned);
            let own = matches!(&*input.pat, syn::Pat::Ident(pattern) if pattern.ident == name);
            own && mentioned.iter().all(|(name, _)| name != "impl" && !generic.contains(name))
        }
        syn::FnArg::Receiver(_) => false,
    };
    !function.method && signature.inputs.iter().any(known)
}

/// Whether the types of a function's values are known where it is compiled, whoever calls it.
pub(super) fn has_known_types(function: &Function) -> bool {
    let signature = &function.original.sig;
    let any = |input: &syn::FnArg| match input {
        syn::FnArg::Typed(input) => matches!(&*input.ty, syn::Type::ImplTrait(_)),
        syn::FnArg::Receiver(_) => true,
    };
    !function.method && signature.generics.type_params().next().is_none() && !signature.inputs.iter().any(any)
}
