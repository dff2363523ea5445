//! From a chain of iterators to the header and the body of a loop.

use super::super::plain::{is_plain, is_pure};
use super::super::tokens::{Find, bare, mentions, name_of, place_in};
use super::body::Body;
use super::shape::Shape;
use super::{Chains, Statements};
use crate::ir::Local;
use proc_macro2::Span;
use quote::{ToTokens, quote};

/// A chain as a loop.
pub(super) struct Chain {
    pub header: syn::Expr,
    pub body: Body,
    /// Whether it goes over a distributed slice.
    pub distributed: bool,
    /// Whether it goes over several slices.
    pub several: bool,
    /// The condition that a range has a single item, and this item: then the loop does not run.
    pub alone: Option<(syn::Expr, syn::Expr)>,
}

impl Statements {
    /// The loop over a chain.
    pub(super) fn chain(&mut self, e: &syn::Expr, at: Span) -> Option<Chain> {
        let e = bare(e);
        if let Some(element) = self.slice(e) {
            let shape = Shape::Value(Some(element.into())).reference();
            return Some(self.begun(e, shape, true, at));
        }
        if self.is_field(e) {
            return Some(self.begun(e, Shape::Value(None).reference(), true, at));
        }
        let call = match e {
            syn::Expr::Range(range) if range.start.is_some() && range.end.is_some() => {
                return Some(self.begun(e, Shape::Value(None), false, at));
            }
            syn::Expr::MethodCall(call) if call.turbofish.is_none() && call.attrs.is_empty() => call,
            _ => return None,
        };
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let method = call.method.to_string();
        if !args.iter().all(|e| is_plain(e)) {
            return None;
        }
        match (&*method, args.as_slice()) {
            ("iter" | "into_iter", []) if self.slice(&call.receiver).is_some() => {
                let element = self.slice(&call.receiver)?;
                Some(self.begun(e, Shape::Value(Some(element.into())).reference(), true, at))
            }
            ("iter", []) if name_of(&call.receiver).is_some_and(|name| self.blocks.contains(&Local::from(name))) => {
                Some(self.begun(e, Shape::Value(None), true, at))
            }
            ("iter", []) if self.is_field(&call.receiver) => {
                Some(self.begun(e, Shape::Value(None).reference(), true, at))
            }
            ("windows" | "chunks" | "chunks_exact", [_]) if self.slice(&call.receiver).is_some() => {
                Some(self.begun(e, Shape::Slice, true, at))
            }
            ("copied" | "cloned", []) => {
                let mut chain = self.chain(&call.receiver, at)?;
                let Shape::Reference(target) = chain.body.shape.clone() else { return None };
                if chain.body.is_untouched() {
                    chain.header = e.clone();
                } else {
                    let value = &chain.body.value;
                    chain.body.value = quote!((*#value));
                }
                chain.body.shape = *target;
                Some(chain)
            }
            ("into_iter", []) => self.chain(&call.receiver, at),
            ("map", [closure]) => {
                let mut chain = self.chain(&call.receiver, at)?;
                chain.body.map(closure)?;
                Some(chain)
            }
            ("filter", [closure]) => {
                let mut chain = self.chain(&call.receiver, at)?;
                chain.body.name(&self.named("kept", at));
                chain.body.filter(closure)?;
                Some(chain)
            }
            ("filter_map", [closure]) => {
                let mut chain = self.chain(&call.receiver, at)?;
                chain.body.filter_map(closure)?;
                Some(chain)
            }
            ("flatten", []) => {
                let mut chain = self.chain(&call.receiver, at)?;
                let (item, over) = (self.named("item", at), chain.body.value.clone());
                // The elements of arrays in a slice.
                let Shape::Reference(_) = chain.body.shape else { return None };
                chain.body.flatten(&item, quote!(#over.iter()), Shape::Value(None).reference());
                Some(chain)
            }
            ("flat_map", [closure]) => {
                let mut chain = self.chain(&call.receiver, at)?;
                let (item, (over, _)) = (self.named("item", at), chain.body.called(closure)?);
                let inner = match closure {
                    syn::Expr::Closure(closure) => bare(&closure.body),
                    _ => return None,
                };
                let (over, shape) = match inner {
                    syn::Expr::Range(_) => (over, Shape::Value(None)),
                    syn::Expr::MethodCall(call) if call.method == "iter" && call.args.is_empty() => {
                        (over, Shape::Value(None).reference())
                    }
                    _ => return None,
                };
                chain.body.flatten(&item, over, shape);
                Some(chain)
            }
            ("rev" | "skip" | "take" | "step_by", _) => {
                let mut chain = self.chain(&call.receiver, at)?;
                if chain.body.is_untouched() {
                    chain.header = e.clone();
                    return Some(chain);
                }
                (chain.body.is_map() && is_pure(&call.receiver)).then_some(())?;
                let (header, method, args) = (&chain.header, &call.method, &call.args);
                chain.header = syn::parse2(quote!(#header.#method(#args))).ok()?;
                Some(chain)
            }
            ("enumerate", []) => {
                let mut chain = self.chain(&call.receiver, at)?;
                let count = || Shape::Value(Some(Box::new(syn::parse_quote!(usize))));
                if chain.body.is_untouched() {
                    chain.header = e.clone();
                    chain.body.shape = Shape::Tuple(vec![count(), chain.body.shape]);
                    return Some(chain);
                }
                (chain.body.is_map() && is_pure(&call.receiver)).then_some(())?;
                let (index, header) = (self.named("index", at), &chain.header);
                chain.header = syn::parse2(quote!(#header.enumerate())).ok()?;
                let (pattern, value) = (chain.body.pattern(), &chain.body.value);
                chain.body.value = quote!((#index, #value));
                chain.body.pattern = Some(quote!((#index, #pattern)));
                chain.body.shape = Shape::Tuple(vec![count(), chain.body.shape]);
                Some(chain)
            }
            ("zip", [other]) => self.zipped(call, other, at),
            _ => None,
        }
    }

    fn zipped(&mut self, call: &syn::ExprMethodCall, other: &syn::Expr, at: Span) -> Option<Chain> {
        let (one, two) = (self.chain(&call.receiver, at)?, self.chain(other, at)?);
        let shape = |one: Shape, two: Shape| Shape::Tuple(vec![one, two]);
        if one.body.is_untouched() && two.body.is_untouched() {
            let (header, shape) = (syn::Expr::MethodCall(call.clone()), shape(one.body.shape, two.body.shape));
            let chain = self.begun(&header, shape, one.distributed || two.distributed, at);
            return Some(Chain { several: true, ..chain });
        }
        let fits = one.body.is_map() && two.body.is_map() && is_pure(&call.receiver) && is_pure(other);
        fits.then_some(())?;
        let (header, with) = (&one.header, &two.header);
        let header = syn::parse2(quote!(#header.zip(#with))).ok()?;
        let [(first, value), (second, other)] = [&one.body, &two.body].map(|body| (body.pattern(), &body.value));
        let body = Body {
            at,
            item: one.body.item.clone(),
            pattern: Some(quote!((#first, #second))),
            value: quote!((#value, #other)),
            shape: shape(one.body.shape, two.body.shape),
            parts: one.body.parts.into_iter().chain(two.body.parts).collect(),
        };
        Some(Chain { header, body, distributed: one.distributed || two.distributed, several: true, alone: None })
    }

    fn begun(&mut self, header: &syn::Expr, shape: Shape, distributed: bool, at: Span) -> Chain {
        let body = Body::new(&self.named("item", at), shape);
        Chain { header: header.clone(), body, distributed, several: false, alone: None }
    }

    /// Whether an expression is a field, over which chains may be loops. A later stage checks that it is a slice.
    fn is_field(&self, e: &syn::Expr) -> bool {
        let field = match bare(e) {
            syn::Expr::Reference(reference) if reference.mutability.is_none() => bare(&reference.expr),
            field => field,
        };
        self.become_loops == Chains::OfFieldsAreLoops
            && matches!(field, syn::Expr::Field(_))
            && place_in(field).is_some()
    }

    /// The type of the elements, if an expression is a distributed slice or a part of one.
    pub(super) fn slice(&self, e: &syn::Expr) -> Option<syn::Type> {
        let source = match bare(e) {
            syn::Expr::Reference(reference) if reference.mutability.is_none() => bare(&reference.expr),
            source => source,
        };
        let whole = match source {
            syn::Expr::Index(part) if matches!(bare(&part.index), syn::Expr::Range(_)) => bare(&part.expr),
            source => source,
        };
        self.elements.get(&Local::from(name_of(whole)?)).cloned()
    }

    /// Whether the closures in an expression mention a distributed slice.
    pub(super) fn reads(&self, e: &syn::Expr) -> bool {
        let mentioned = |e: &syn::Expr| self.elements.keys().any(|name| mentions(e, &name.ident()));
        Find::in_expr(e, |e| matches!(e, syn::Expr::Closure(_)) && mentioned(e))
    }
}

/// The iterator's first token, at which rustc's messages point.
pub(super) fn beginning(header: &syn::Expr, at: Span) -> Span {
    header.to_token_stream().into_iter().next().map_or(at, |token| token.span())
}
