//! The code that a loop runs for an item of a chain.

use super::super::plain::chosen;
use super::super::tokens::name_of;
use super::shape::{Shape, Shapes};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::visit_mut::VisitMut;

/// The body of a loop over a chain, without the update at its end.
pub(super) struct Body {
    pub at: Span,
    /// The name of the item, if the loop has no other pattern.
    pub item: Ident,
    /// The pattern of the loop, if it is no name.
    pub pattern: Option<TokenStream>,
    /// The item, or the value that the steps have made of it.
    pub value: TokenStream,
    pub shape: Shape,
    pub parts: Vec<Do>,
}

pub(super) enum Do {
    Let(TokenStream),
    If(TokenStream),
    /// A loop over several values, with its pattern.
    For(TokenStream, TokenStream),
}

impl Body {
    pub fn new(item: &Ident, shape: Shape) -> Body {
        let (at, value) = (item.span(), item.to_token_stream());
        Body { at, item: item.clone(), pattern: None, value, shape, parts: Vec::new() }
    }

    /// Whether no step has changed the item.
    pub fn is_untouched(&self) -> bool {
        self.pattern.is_none() && self.parts.is_empty() && self.item == self.value.to_string()
    }

    /// The pattern of the loop.
    pub fn pattern(&self) -> TokenStream {
        self.pattern.clone().unwrap_or_else(|| self.item.to_token_stream())
    }

    /// Whether each item has one value.
    pub fn is_map(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Do::Let(_)))
    }

    /// Binds the value to a pattern.
    pub fn bind(&mut self, pattern: &dyn ToTokens) {
        let (value, at) = (&self.value, self.at);
        self.parts.push(Do::Let(quote_spanned!(at=> let #pattern = #value;)));
        self.value = pattern.to_token_stream();
    }

    /// Binds the value to a name, unless it is one.
    pub fn name(&mut self, name: &Ident) {
        if syn::parse2::<Ident>(self.value.clone()).is_err() {
            self.bind(name);
        }
    }

    /// Binds the value to the pattern of a closure.
    pub fn take(&mut self, pattern: &syn::Pat) -> Shapes {
        let mut shapes = Shapes::new();
        self.shape.clone().bind(pattern, &mut shapes);
        match pattern {
            syn::Pat::Type(typed) => self.bind(typed),
            pattern if self.is_untouched() => {
                self.pattern = Some(pattern.to_token_stream());
            }
            pattern => self.bind(pattern),
        }
        shapes
    }

    /// The value of a closure of the value.
    pub fn called(&mut self, closure: &syn::Expr) -> Option<(TokenStream, Shape)> {
        match closure {
            syn::Expr::Closure(closure) => {
                let (Some(pattern), 1) = (closure.inputs.first(), closure.inputs.len()) else { return None };
                let shapes = self.take(pattern);
                Some((closure.body.to_token_stream(), Shape::of(&closure.body, &shapes)))
            }
            syn::Expr::Path(path) => {
                let value = &self.value;
                Some((quote!(#path(#value)), Shape::Value(None)))
            }
            _ => None,
        }
    }

    pub fn map(&mut self, closure: &syn::Expr) -> Option<()> {
        (self.value, self.shape) = self.called(closure)?;
        Some(())
    }

    /// The value of an expression of a reference to the value, which is a name and which a pattern binds.
    pub fn looked_at(&mut self, pattern: &syn::Pat, e: &syn::Expr) -> (TokenStream, Shape) {
        let mut shapes = Shapes::new();
        self.shape.clone().reference().bind(pattern, &mut shapes);
        let shape = Shape::of(e, &shapes);
        let value = self.value.clone();
        let e = match pattern {
            syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) => {
                let mut e = e.clone();
                Behind { name: ident, value: &value }.visit_expr_mut(&mut e);
                quote!(#e)
            }
            syn::Pat::Reference(reference) => {
                let inner = &reference.pat;
                self.parts.push(Do::Let(quote!(let #inner = #value;)));
                quote!(#e)
            }
            pattern => {
                self.parts.push(Do::Let(quote!(let #pattern = &#value;)));
                quote!(#e)
            }
        };
        (e, shape)
    }

    /// The value of a closure of a reference to the value.
    pub fn looked_at_by(&mut self, closure: &syn::Expr) -> Option<(TokenStream, Shape)> {
        let syn::Expr::Closure(closure) = closure else { return None };
        let (Some(pattern), 1) = (closure.inputs.first(), closure.inputs.len()) else { return None };
        Some(self.looked_at(pattern, &closure.body))
    }

    pub fn filter(&mut self, closure: &syn::Expr) -> Option<()> {
        let (condition, _) = self.looked_at_by(closure)?;
        self.parts.push(Do::If(condition));
        Some(())
    }

    /// `filter_map`, of a closure that returns `if c { Some(e) } else { None }` or `c.then(|| e)`.
    pub fn filter_map(&mut self, closure: &syn::Expr) -> Option<()> {
        let syn::Expr::Closure(called) = closure else { return None };
        let (Some(pattern), 1) = (called.inputs.first(), called.inputs.len()) else { return None };
        let mut e = &*called.body;
        let mut before = Vec::new();
        while let syn::Expr::Block(block) = e
            && let Some((syn::Stmt::Expr(value, None), statements)) = block.block.stmts.split_last()
            && statements.iter().all(|statement| matches!(statement, syn::Stmt::Local(_)))
        {
            before.extend(statements);
            e = value;
        }
        let (condition, value) = chosen(e)?;
        let shapes = self.take(pattern);
        self.parts.extend(before.into_iter().map(|statement| Do::Let(statement.to_token_stream())));
        self.parts.push(Do::If(condition.to_token_stream()));
        (self.value, self.shape) = (value.to_token_stream(), Shape::of(value, &shapes));
        Some(())
    }

    /// A loop over the values of an iterator.
    pub fn flatten(&mut self, item: &Ident, over: TokenStream, shape: Shape) {
        self.parts.push(Do::For(item.to_token_stream(), over));
        (self.value, self.shape) = (item.to_token_stream(), shape);
    }

    /// Puts a value without references in place of the value.
    pub fn own(&mut self, name: &mut dyn FnMut() -> Ident) -> Option<()> {
        let (pattern, value) = self.shape.owned(&self.value, name)?;
        if !pattern.is_empty() {
            self.bind(&pattern);
        }
        self.value = value;
        Some(())
    }

    /// The body with an update at its end.
    pub fn run(&self, update: &dyn Fn(&TokenStream) -> TokenStream) -> TokenStream {
        self.parts.iter().rev().fold(update(&self.value), |rest, part| match part {
            Do::Let(binding) => quote!(#binding #rest),
            Do::If(condition) => quote!(if #condition { #rest }),
            Do::For(pattern, over) => quote!(for #pattern in #over { #rest }),
        })
    }

    /// The body that sets a variable once, if all conditions hold. Nothing else runs afterwards.
    pub fn found(
        &self,
        missing: &TokenStream,
        last: Option<TokenStream>,
        set: &dyn Fn(&TokenStream) -> TokenStream,
    ) -> Option<TokenStream> {
        let (mut parts, mut bindings): (Vec<_>, Vec<_>) = (self.parts.iter().collect(), Vec::new());
        for part in &parts {
            match part {
                Do::Let(binding) => bindings.push(binding),
                Do::If(_) => {}
                Do::For(..) => return None,
            }
        }
        let (last, set) = (last.map(Do::If), set(&self.value));
        parts.extend(&last);
        // What follows the last condition is only for the value.
        let tests = parts.iter().rposition(|part| matches!(part, Do::If(_))).map_or(0, |last| last + 1);
        let mut inner: Option<TokenStream> = None;
        for part in parts[..tests].iter().rev() {
            inner = Some(match (part, inner) {
                (Do::If(condition), None) => quote!((#condition)),
                (Do::If(condition), Some(rest)) => quote!((#condition) && #rest),
                (Do::Let(binding), rest) => quote!({ #binding #rest }),
                (Do::For(..), _) => return None,
            });
        }
        let inner = inner.map(|inner| quote!(&& #inner));
        Some(quote!(if #missing #inner { #(#bindings)* #set }))
    }
}

/// Puts a value in place of the target of a reference.
struct Behind<'a> {
    name: &'a Ident,
    value: &'a TokenStream,
}

impl VisitMut for Behind<'_> {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        let (name, value) = (self.name, self.value);
        match e {
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) if name_of(expr) == Some(name) => {
                *e = syn::parse_quote!(#value);
            }
            e if name_of(e) == Some(name) => *e = syn::parse_quote!((&#value)),
            e => syn::visit_mut::visit_expr_mut(self, e),
        }
    }
}
