//! The last methods of chains: what the loop accumulates, and the value.

use super::super::plain::is_plain;
use super::super::tokens::bare;
use super::read::{Chain, beginning};
use super::shape::Shape;
use super::{Chains, Statements};
use crate::language::types;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

/// The last methods of chains, each with the number of its arguments.
const ENDS: [(&str, usize); 20] = [
    ("sum", 0),
    ("product", 0),
    ("count", 0),
    ("max", 0),
    ("min", 0),
    ("max_by", 1),
    ("min_by", 1),
    ("max_by_key", 1),
    ("min_by_key", 1),
    ("any", 1),
    ("all", 1),
    ("position", 1),
    ("rposition", 1),
    ("find", 1),
    ("find_map", 1),
    ("next", 0),
    ("last", 0),
    ("fold", 2),
    ("reduce", 1),
    ("collect", 0),
];

/// The last method of a chain.
struct End<'e> {
    call: &'e syn::ExprMethodCall,
    method: String,
    args: Vec<&'e syn::Expr>,
    /// The type of the value, if it is written.
    ty: Option<&'e syn::Type>,
}

impl End<'_> {
    /// The type of a number: as written, or that of the elements.
    fn number(&self, chain: &Chain) -> Option<(syn::Type, bool)> {
        let written = self.call.turbofish.as_ref().and_then(|turbofish| match turbofish.args.first()? {
            syn::GenericArgument::Type(syn::Type::Infer(_)) => None,
            syn::GenericArgument::Type(ty) => Some(ty),
            _ => None,
        });
        let ty = written.or(self.ty).or(chain.body.shape.element())?;
        let text = ty.to_token_stream().to_string();
        let float = matches!(&*text, "f32" | "f64");
        (types::is_primitive(&text) && text != "bool").then(|| (ty.clone(), float))
    }
}

impl Statements {
    /// The loops of a chain, and its value.
    pub(super) fn written(&mut self, e: &syn::Expr, ty: Option<&syn::Type>) -> Option<(Vec<syn::Stmt>, syn::Expr)> {
        let syn::Expr::MethodCall(call) = e else { return None };
        let (method, args) = (call.method.to_string(), call.args.iter().collect::<Vec<_>>());
        if let Some(other) = self.as_test(call, &args) {
            return self.written(&other, ty);
        }
        let of_iterator = self.slice(&call.receiver).is_none();
        if !of_iterator || !ENDS.contains(&(&*method, args.len())) || !args.iter().all(|e| is_plain(e)) {
            return None;
        }
        let (end, at) = (End { call, method, args, ty }, call.method.span());
        let mut chains = Vec::new();
        for part in one_after_the_other(&call.receiver) {
            let chain = self.chain(&part, at)?;
            let reads = chain.distributed || self.reads(&call.receiver) || end.args.iter().any(|e| self.reads(e));
            reads.then_some(())?;
            chains.push(chain);
        }
        self.has_chains = true;
        let become_loops = !matches!(self.become_loops, Chains::Stay | Chains::StayInPasses);
        if !become_loops && !chains.iter().any(|chain| chain.several) {
            return None;
        }
        let name = self.named(&end.method, at);
        let (mut statements, mut of_all) = (Vec::new(), None);
        for mut chain in chains {
            let (declared, update, value) = self.ended(&end, &name, &mut chain)?;
            if of_all.is_none() {
                let syn::Block { stmts, .. } = syn::parse2(quote!({ #declared })).ok()?;
                statements.extend(stmts);
                of_all = Some(syn::parse2(value).ok()?);
            } else if matches!(&*end.method, "position" | "rposition" | "fold" | "reduce") {
                return None;
            }
            let (header, pattern) = (&chain.header, chain.body.pattern());
            let at = beginning(header, at);
            let mut code = quote_spanned!(at=> for #pattern in #header { #update });
            if let (Some((alone, item)), Some(value)) = (chain.alone, &mut of_all) {
                code = quote_spanned!(at=> if !(#alone) { #code });
                *value = syn::parse2(quote_spanned!(at=> (if #alone { Some(#item) } else { #value }))).ok()?;
            }
            statements.push(syn::parse2(code).ok()?);
        }
        Some((statements, of_all?))
    }

    /// `x.contains(&v)` is `x.iter().any(|e| *e == v)`, and `x.is_sorted()` is `x.windows(2).all(|w| w[0] <= w[1])`.
    fn as_test(&mut self, call: &syn::ExprMethodCall, args: &[&syn::Expr]) -> Option<syn::Expr> {
        let (array, at) = (&call.receiver, call.method.span());
        self.slice(array)?;
        match (&*call.method.to_string(), args) {
            ("contains", [value]) => {
                let item = self.named("item", at);
                let value = match bare(value) {
                    syn::Expr::Reference(reference) => reference.expr.to_token_stream(),
                    other => quote!(*#other),
                };
                syn::parse2(quote_spanned!(at=> #array.iter().any(|#item| *#item == #value))).ok()
            }
            ("is_sorted", []) => {
                let item = self.named("item", at);
                syn::parse2(quote_spanned!(at=> #array.windows(2).all(|#item| #item[0] <= #item[1]))).ok()
            }
            _ => None,
        }
    }

    /// The declaration, the body of the loop, and the value.
    fn ended(
        &mut self,
        end: &End<'_>,
        name: &Ident,
        chain: &mut Chain,
    ) -> Option<(TokenStream, TokenStream, TokenStream)> {
        let at = name.span();
        match (&*end.method, end.args.as_slice()) {
            ("sum", _) => {
                let (ty, float) = end.number(chain)?;
                let zero = if float { quote!(-0.0) } else { quote!(0) };
                let update = chain.body.run(&|value| quote!(#name += #value;));
                Some((quote!(let mut #name: #ty = #zero;), update, quote!(#name)))
            }
            ("product", _) => {
                let (ty, float) = end.number(chain)?;
                let one = if float { quote!(1.0) } else { quote!(1) };
                let update = chain.body.run(&|value| quote!(#name *= #value;));
                Some((quote!(let mut #name: #ty = #one;), update, quote!(#name)))
            }
            ("count", _) => {
                Some((quote!(let mut #name = 0_usize;), chain.body.run(&|_| quote!(#name += 1;)), quote!(#name)))
            }
            ("max" | "min", _) => self.extreme(&end.method, name, chain),
            ("max_by" | "min_by" | "max_by_key" | "min_by_key", [closure]) => {
                self.best(&end.method, closure, name, chain)
            }
            ("any" | "all", [closure]) => {
                let (condition, _) = chain.body.called(closure)?;
                let all = end.method == "all";
                let condition = if all { quote!(!(#condition)) } else { condition };
                let value = if all { quote!(!#name) } else { quote!(#name) };
                let update = chain.body.found(&quote!(!#name), Some(condition), &|_| quote!(#name = true;))?;
                Some((quote!(let mut #name = false;), update, value))
            }
            ("position", [closure]) if chain.body.is_map() => {
                let (index, (condition, _)) = (self.named("index", at), chain.body.called(closure)?);
                let (header, pattern) = (&chain.header, chain.body.pattern());
                chain.header = syn::parse2(quote!(#header.enumerate())).ok()?;
                chain.body.pattern = Some(quote!((#index, #pattern)));
                let set = |_: &TokenStream| quote!(#name = Some(#index););
                let update = chain.body.found(&quote!(#name.is_none()), Some(condition), &set)?;
                Some((quote!(let mut #name = None;), update, quote!(#name)))
            }
            ("rposition", [closure]) if chain.body.is_untouched() => {
                let (index, (condition, _)) = (self.named("index", at), chain.body.called(closure)?);
                let (header, pattern) = (&chain.header, chain.body.pattern());
                chain.header = syn::parse2(quote!(#header.enumerate().rev())).ok()?;
                chain.body.pattern = Some(quote!((#index, #pattern)));
                let set = |_: &TokenStream| quote!(#name = Some(#index););
                let update = chain.body.found(&quote!(#name.is_none()), Some(condition), &set)?;
                Some((quote!(let mut #name = None;), update, quote!(#name)))
            }
            ("find", [closure]) => {
                chain.body.name(&self.named("kept", at));
                chain.body.filter(closure)?;
                self.first(name, chain)
            }
            ("find_map", [closure]) => {
                chain.body.filter_map(closure)?;
                self.first(name, chain)
            }
            ("next", []) => self.first(name, chain),
            ("last", []) => {
                let shape = chain.body.shape.clone();
                chain.body.own(&mut || self.named("part", at))?;
                let update = chain.body.run(&|value| quote!(#name = Some(#value);));
                Some((quote!(let mut #name = None;), update, self.held(name, &shape)))
            }
            ("fold", [init, combine]) => self.folded(name, init, combine, &mut chain.body, &TokenStream::new()),
            ("reduce", [combine]) if !chain.body.shape.has_references() => {
                let ty = chain.body.shape.element().cloned().or_else(|| argument_of("Option", end.ty?).cloned());
                self.reduced(name, combine, ty.as_ref(), &mut chain.body)
            }
            ("collect", []) if !chain.body.shape.has_references() => {
                let written = end.call.turbofish.as_ref().and_then(|turbofish| match turbofish.args.first()? {
                    syn::GenericArgument::Type(ty) => Some(ty),
                    _ => None,
                });
                let ty = written.or(end.ty)?;
                let element = argument_of("Vec", ty)?;
                let update = chain.body.run(&|value| quote!(#name.push(#value);));
                Some((quote!(let mut #name: Vec<#element> = Vec::new();), update, quote!(#name)))
            }
            _ => None,
        }
    }

    /// `max()` and `min()`.
    fn extreme(
        &mut self,
        end: &str,
        name: &Ident,
        chain: &mut Chain,
    ) -> Option<(TokenStream, TokenStream, TokenStream)> {
        let at = name.span();
        let shape = chain.body.shape.clone();
        if !shape.has_references() {
            chain.body.name(&self.named("value", at));
        }
        chain.body.own(&mut || self.named("part", at))?;
        let (held, better) = (self.named("held", at), if end == "max" { quote!(>) } else { quote!(<=) });
        let kept = |value: &TokenStream| quote!(if #name.is_none_or(|#held| !(#held #better #value)) { #name = Some(#value); });
        let update = chain.body.run(&kept);
        let value = self.held(name, &shape);
        Some((quote!(let mut #name = None;), update, value))
    }

    /// The first value.
    fn first(&mut self, name: &Ident, chain: &mut Chain) -> Option<(TokenStream, TokenStream, TokenStream)> {
        let (shape, at) = (chain.body.shape.clone(), name.span());
        chain.body.own(&mut || self.named("part", at))?;
        let update = chain.body.found(&quote!(#name.is_none()), None, &|value| quote!(#name = Some(#value);))?;
        Some((quote!(let mut #name = None;), update, self.held(name, &shape)))
    }

    /// The option that holds an item, or nothing.
    fn held(&mut self, name: &Ident, shape: &Shape) -> TokenStream {
        if !shape.has_references() {
            return name.to_token_stream();
        }
        let (pattern, value) = shape.returned(&mut || self.named("part", name.span()));
        quote!(#name.as_ref().map(|#pattern| #value))
    }
}

/// `T` of `Vec<T>`.
fn argument_of<'t>(name: &str, ty: &'t syn::Type) -> Option<&'t syn::Type> {
    let syn::Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    match &last.arguments {
        syn::PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            syn::GenericArgument::Type(ty) if !matches!(ty, syn::Type::Infer(_)) => Some(ty),
            _ => None,
        },
        _ => None,
    }
}

/// The chains of `a.chain(b)` and of the steps behind it.
fn one_after_the_other(e: &syn::Expr) -> Vec<syn::Expr> {
    let syn::Expr::MethodCall(call) = bare(e) else { return vec![e.clone()] };
    let with = |receiver: syn::Expr| -> syn::Expr {
        syn::Expr::MethodCall(syn::ExprMethodCall { receiver: Box::new(receiver), ..call.clone() })
    };
    match (&*call.method.to_string(), call.args.first()) {
        ("chain", Some(other)) if call.args.len() == 1 => {
            let mut parts = one_after_the_other(&call.receiver);
            parts.extend(one_after_the_other(other));
            parts
        }
        ("map" | "filter" | "filter_map" | "copied" | "cloned", _) => {
            one_after_the_other(&call.receiver).into_iter().map(with).collect()
        }
        _ => vec![e.clone()],
    }
}
