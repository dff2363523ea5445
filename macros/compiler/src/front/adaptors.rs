//! Adaptors in headers: `for v in x.iter().filter(|v| **v > 0.0) { .. }` is `for v in x.iter() { if *v > 0.0 { .. } }`, and
//! `for y in x.iter().map(|v| v * v) { .. }` is `for v in x.iter() { let y = v * v; .. }`.

use super::counters::Changes;
use super::parameters::slices;
use super::plain::{chosen, is_plain};
use super::tokens::{bare, mentions, name_of, place_in};
use crate::ir::Local;
use crate::language::methods;
use crate::maps::HashSet;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

/// Moves the closures of adaptors from the headers of loops into their bodies. The result has the new names, each with its name in messages.
pub fn move_adaptors(signature: &syn::Signature, block: &mut syn::Block) -> Vec<(String, String)> {
    let slices = slices(signature).map(|slice| slice.name).collect();
    let mut adaptors = Adaptors { slices, loops: 0, names: Vec::new() };
    adaptors.visit_block_mut(block);
    adaptors.names
}

struct Adaptors {
    slices: HashSet<Local>,
    /// The number of loops around.
    loops: usize,
    names: Vec<(String, String)>,
}

/// A loop whose header loses its last adaptor step by step.
struct Loop {
    pattern: syn::Pat,
    body: TokenStream,
}

impl VisitMut for Adaptors {
    fn visit_expr_for_loop_mut(&mut self, f: &mut syn::ExprForLoop) {
        let names = self.names.len();
        match self.moved(f) {
            Some(moved) => *f = moved,
            None => self.names.truncate(names),
        }
        let around = usize::from(!matches!(*f.pat, syn::Pat::Wild(_)));
        self.loops += around;
        syn::visit_mut::visit_expr_for_loop_mut(self, f);
        self.loops -= around;
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, _: &mut syn::Macro) {}
}

/// Whether a header has an adaptor with a closure that can be part of the body.
fn has_adaptor(e: &syn::Expr) -> bool {
    const WITH_CLOSURES: [&str; 5] = ["filter", "filter_map", "map", "inspect", "flat_map"];
    match bare(e) {
        syn::Expr::MethodCall(call) => {
            WITH_CLOSURES.iter().any(|name| call.method == name) || has_adaptor(&call.receiver)
        }
        _ => false,
    }
}

impl Adaptors {
    /// Whether the methods of a header are those of std's iterators: it begins with a range or a slice. A loop that is not inside of another may go
    /// over any variable or field, because later stages check that it is a slice.
    fn is_of_std(&self, e: &syn::Expr) -> bool {
        match bare(e) {
            syn::Expr::MethodCall(call) if methods::gives_iterator(&call.method.to_string()) => {
                match bare(&call.receiver) {
                    inner @ (syn::Expr::MethodCall(_) | syn::Expr::Range(_)) => self.is_of_std(inner),
                    syn::Expr::Index(part) if matches!(bare(&part.index), syn::Expr::Range(_)) => {
                        self.is_slice(&part.expr)
                    }
                    source => self.is_slice(source),
                }
            }
            syn::Expr::Range(_) => true,
            _ => false,
        }
    }

    fn is_slice(&self, e: &syn::Expr) -> bool {
        let is_parameter = name_of(e).is_some_and(|name| self.slices.contains(&Local::from(name)));
        is_parameter || self.loops == 0 && place_in(e).is_some()
    }

    fn moved(&mut self, f: &syn::ExprForLoop) -> Option<syn::ExprForLoop> {
        if !has_adaptor(&f.expr) || !self.is_of_std(&f.expr) {
            return None;
        }
        let (mut header, body) = (f.expr.clone(), f.body.to_token_stream());
        let mut rest = Loop { pattern: (*f.pat).clone(), body };
        while has_adaptor(&header) {
            header = self.without_last(&header, &mut rest, f)?.into();
        }
        let Loop { pattern, body } = rest;
        let (attrs, label, at) = (&f.attrs, &f.label, f.for_token.span);
        syn::parse2(quote_spanned!(at=> #(#attrs)* #label for #pattern in #header { #body })).ok()
    }

    /// The header without its last adaptor, which becomes part of the body.
    fn without_last(&mut self, header: &syn::Expr, rest: &mut Loop, f: &syn::ExprForLoop) -> Option<syn::Expr> {
        let syn::Expr::MethodCall(call) = bare(header) else { return None };
        if call.turbofish.is_some() || !call.attrs.is_empty() || !call.args.iter().all(is_plain) {
            return None;
        }
        let (pattern, body) = (rest.pattern.clone(), rest.body.clone());
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        match (&*call.method.to_string(), args.as_slice()) {
            ("filter", [closure]) => {
                let condition = self.condition(closure, rest)?;
                rest.body = quote!(if #condition { #body });
            }
            ("inspect", [closure]) => {
                let seen = self.condition(closure, rest)?;
                rest.body = quote!({ #seen; } #body);
            }
            ("map", [closure]) => {
                let value = self.called(closure, rest)?;
                rest.body = quote!(let #pattern = #value; #body);
            }
            ("filter_map", [closure]) => {
                let value = self.called(closure, rest)?;
                rest.body = quote!(if let Some(#pattern) = #value { #body });
                if let Ok(e) = syn::parse2::<syn::Expr>(value)
                    && let Some((condition, value)) = chosen(&e)
                {
                    rest.body = quote!(if #condition { let #pattern = #value; #body });
                }
            }
            // A `break` would leave the loop inside alone.
            ("flat_map", [closure]) if !leaves(&f.body) => {
                let over = self.called(closure, rest)?;
                rest.body = quote!(for #pattern in #over { #body });
            }
            ("copied", []) => rest.pattern = syn::parse_quote!(&#pattern),
            ("cloned", []) => {
                let item = self.named("item", call.method.span());
                rest.pattern = syn::parse_quote!(#item);
                rest.body = quote!(let #pattern = ::core::clone::Clone::clone(#item); #body);
            }
            // These ask each adaptor before them for all items, in their order.
            ("rev", []) | ("take", [_]) | ("enumerate", []) => return self.moved_over(call, rest, f),
            _ => return None,
        }
        Some((*call.receiver).clone())
    }

    /// The header in which an adaptor that counts items comes before the one that it follows, which must keep their number.
    fn moved_over(&mut self, call: &syn::ExprMethodCall, rest: &mut Loop, f: &syn::ExprForLoop) -> Option<syn::Expr> {
        let syn::Expr::MethodCall(before) = bare(&call.receiver) else { return None };
        let keeps = ["map", "inspect", "copied", "cloned"].iter().any(|name| before.method == name);
        if !(keeps || call.method == "rev" && before.method == "filter") {
            return None;
        }
        let mut index = None;
        if call.method == "enumerate" {
            let syn::Pat::Tuple(pair) = &rest.pattern else { return None };
            let [first, second] = [pair.elems.first()?, pair.elems.iter().nth(1)?];
            index = Some(first.clone());
            rest.pattern = second.clone();
        }
        let source = self.without_last(&call.receiver, rest, f)?;
        if let Some(first) = index {
            let pattern = &rest.pattern;
            rest.pattern = syn::parse_quote!((#first, #pattern));
        }
        let (method, args) = (&call.method, &call.args);
        Some(syn::parse_quote!(#source.#method(#args)))
    }

    /// The value of a closure of an item. Its parameter becomes the pattern of the loop.
    fn called(&mut self, closure: &syn::Expr, rest: &mut Loop) -> Option<TokenStream> {
        match bare(closure) {
            syn::Expr::Closure(closure) => {
                let (Some(pattern), 1) = (closure.inputs.first(), closure.inputs.len()) else { return None };
                let (body, at) = (&closure.body, span_of(&closure.body));
                if !matches!(pattern, syn::Pat::Type(_)) {
                    rest.pattern = pattern.clone();
                    return Some(body.to_token_stream());
                }
                let item = self.named("item", at);
                rest.pattern = syn::parse_quote!(#item);
                Some(quote!({ let #pattern = #item; #body }))
            }
            path @ syn::Expr::Path(_) => {
                let item = self.named("item", span_of(path));
                rest.pattern = syn::parse_quote!(#item);
                Some(quote!(#path(#item)))
            }
            _ => None,
        }
    }

    /// The value of a closure of a reference to the item.
    fn condition(&mut self, closure: &syn::Expr, rest: &mut Loop) -> Option<TokenStream> {
        let closure = match bare(closure) {
            syn::Expr::Closure(closure) if closure.inputs.len() == 1 => closure,
            path @ syn::Expr::Path(_) => {
                let item = self.held(rest)?;
                return Some(quote!(#path(&#item)));
            }
            _ => return None,
        };
        let mut e = (*closure.body).clone();
        let mut see = See { adaptors: self, found: Vec::new() };
        if see.pattern(&closure.inputs[0], &mut rest.pattern, true).is_some() {
            let found = see.found;
            let hidden = |seen: &Seen| has_in_macro(&e, &seen.name);
            if !found.iter().any(hidden) {
                Behind { found: &found }.visit_expr_mut(&mut e);
                return Some(e.to_token_stream());
            }
        }
        let (pattern, item) = (&closure.inputs[0], self.held(rest)?);
        Some(quote!({ let #pattern = &#item; #e }))
    }

    /// The item as a variable.
    fn held(&mut self, rest: &mut Loop) -> Option<Ident> {
        if let syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) =
            &rest.pattern
        {
            return Some(ident.clone());
        }
        let (item, pattern, body) = (self.named("item", Span::call_site()), &rest.pattern, &rest.body);
        rest.body = quote!(let #pattern = #item; #body);
        rest.pattern = syn::parse_quote!(#item);
        Some(item)
    }

    fn named(&mut self, what: &str, at: Span) -> Ident {
        let name = format_ident!("__adapted_{}", self.names.len(), span = at);
        self.names.push((name.to_string(), what.to_owned()));
        name
    }
}

fn span_of(e: &syn::Expr) -> Span {
    e.to_token_stream().into_iter().next().map_or_else(Span::call_site, |token| token.span())
}

/// Whether a body may end its loop.
fn leaves(body: &syn::Block) -> bool {
    let mut changes = Changes::default();
    changes.visit_block(body);
    changes.leaves
}

/// Whether the arguments of a macro mention a variable.
fn has_in_macro(e: &syn::Expr, name: &Ident) -> bool {
    struct Macros<'a>(&'a Ident, bool);
    impl<'ast> Visit<'ast> for Macros<'_> {
        fn visit_macro(&mut self, of: &'ast syn::Macro) {
            self.1 |= mentions(of, self.0);
        }
    }
    let mut macros = Macros(name, false);
    macros.visit_expr(e);
    macros.1
}

/// A variable of a pattern for a reference to an item, or for the item itself.
struct Seen {
    name: Ident,
    /// The variable in the item.
    value: TokenStream,
    by_reference: bool,
}

/// Compares the pattern of a closure with the pattern of the loop.
struct See<'a> {
    adaptors: &'a mut Adaptors,
    found: Vec<Seen>,
}

impl See<'_> {
    /// Finds the variables of a pattern in the item. The loop's pattern gets names for what it has left out.
    fn pattern(&mut self, pattern: &syn::Pat, item: &mut syn::Pat, by_reference: bool) -> Option<()> {
        match (pattern, item) {
            (syn::Pat::Paren(inner), item) => self.pattern(&inner.pat, item, by_reference),
            (syn::Pat::Wild(_), _) => Some(()),
            (syn::Pat::Reference(inner), item) if by_reference => self.pattern(&inner.pat, item, false),
            (syn::Pat::Reference(inner), syn::Pat::Reference(item)) => self.pattern(&inner.pat, &mut item.pat, false),
            (syn::Pat::Reference(inner), item) => {
                let (syn::Pat::Ident(name), value) = (&*inner.pat, self.value(item)?) else { return None };
                self.see(name, quote!((*#value)), false)
            }
            (syn::Pat::Tuple(parts), item) => {
                if matches!(item, syn::Pat::Wild(_)) {
                    let all = parts.elems.iter().map(|_| quote!(_));
                    *item = syn::parse_quote!((#(#all,)*));
                }
                let syn::Pat::Tuple(items) = item else { return None };
                let has_rest = parts.elems.iter().chain(&items.elems).any(|part| matches!(part, syn::Pat::Rest(_)));
                if has_rest || parts.elems.len() != items.elems.len() {
                    return None;
                }
                let mut pairs = parts.elems.iter().zip(&mut items.elems);
                pairs.try_for_each(|(part, item)| self.pattern(part, item, by_reference))
            }
            (syn::Pat::Ident(name), item) => {
                let value = self.value(item)?;
                self.see(name, value, by_reference)
            }
            _ => None,
        }
    }

    /// The value of an item that a pattern binds.
    fn value(&mut self, item: &mut syn::Pat) -> Option<TokenStream> {
        match item {
            syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, ident, .. }) => Some(ident.to_token_stream()),
            syn::Pat::Reference(inner) => {
                let value = self.value(&mut inner.pat)?;
                Some(quote!((&#value)))
            }
            syn::Pat::Wild(_) => {
                let name = self.adaptors.named("item", Span::call_site());
                *item = syn::parse_quote!(#name);
                Some(name.into_token_stream())
            }
            syn::Pat::Tuple(parts) => {
                let values = parts.elems.iter_mut().map(|part| self.value(part)).collect::<Option<Vec<_>>>()?;
                Some(quote!((#(#values,)*)))
            }
            _ => None,
        }
    }

    fn see(&mut self, name: &syn::PatIdent, value: TokenStream, by_reference: bool) -> Option<()> {
        let syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. } = name else { return None };
        self.found.push(Seen { name: ident.clone(), value, by_reference });
        Some(())
    }
}

/// Puts values in place of the variables of a closure.
struct Behind<'a> {
    found: &'a [Seen],
}

impl Behind<'_> {
    fn of(&self, e: &syn::Expr) -> Option<&Seen> {
        let name = name_of(e)?;
        self.found.iter().find(|seen| seen.name == *name)
    }
}

impl VisitMut for Behind<'_> {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        if let syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) = e
            && let Some(Seen { value, by_reference: true, .. }) = self.of(expr)
        {
            *e = syn::parse_quote!(#value);
        } else if let Some(Seen { value, by_reference, .. }) = self.of(e) {
            *e = if *by_reference { syn::parse_quote!((&#value)) } else { syn::parse_quote!(#value) };
        } else {
            syn::visit_mut::visit_expr_mut(self, e);
            // `*(&x)` is `x`.
            if let syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) = e
                && let syn::Expr::Reference(syn::ExprReference { mutability: None, expr: target, .. }) = bare(expr)
            {
                *e = (**target).clone();
            }
        }
    }
}
