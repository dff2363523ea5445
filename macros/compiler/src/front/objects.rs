//! The objects among the parameters and the variables of a function.

use super::tokens::{bare, name_of};
use crate::ir::Local;
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::visit::Visit;

/// A parameter or a variable that is an object.
#[derive(Debug, Clone)]
pub struct Object {
    pub name: Local,
    /// The number of dimensions.
    pub dims: usize,
    /// The type of the elements, if it is written.
    pub element: Option<TokenStream>,
    /// Whether it is a reference to one.
    pub reference: bool,
}

/// The number of dimensions of an object, and the type of its elements if it is written.
type Known = (usize, Option<TokenStream>);

/// The dimensions and the element type that `Object<T, D>` names.
fn known_of(ty: &syn::Type) -> Option<Known> {
    let syn::Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Object")?;
    known_among(&last.arguments)
}

fn known_among(arguments: &syn::PathArguments) -> Option<Known> {
    let syn::PathArguments::AngleBracketed(arguments) = arguments else { return None };
    let mut arguments = arguments.args.iter();
    let element = match arguments.next()? {
        syn::GenericArgument::Type(syn::Type::Infer(_)) => None,
        syn::GenericArgument::Type(element) => Some(element.to_token_stream()),
        _ => None,
    };
    match arguments.next()? {
        syn::GenericArgument::Const(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(dims), .. })) => {
            Some((dims.base10_parse().ok()?, element))
        }
        _ => None,
    }
}

/// Finds the objects among the parameters and the variables of a function.
struct Objects<'b> {
    body: &'b syn::Block,
    found: Vec<Object>,
    /// Whether a reference to a field counts if elements of it are indexed. Otherwise loops must go through its tiles.
    indexed: bool,
}

impl Objects<'_> {
    fn add(&mut self, name: &Ident, known: Option<Known>, reference: bool) {
        let is_new = self.found.iter().all(|object| object.name != Local::from(name));
        if !is_new {
            return;
        }
        if let Some((dims, element)) = known.filter(|(dims, _)| (1..=3).contains(dims)) {
            self.found.push(Object { name: Local::from(name), dims, element, reference });
        }
    }

    fn parameter(&mut self, input: &syn::FnArg) {
        if let syn::FnArg::Typed(syn::PatType { pat, ty, .. }) = input
            && let syn::Pat::Ident(name) = &**pat
        {
            match &**ty {
                syn::Type::Reference(of) => self.add(&name.ident, known_of(&of.elem), true),
                ty => self.add(&name.ident, known_of(ty), false),
            }
        }
    }

    /// The number of dimensions of a variable, as its uses show it. If `tiled`, loops must go through its tiles.
    fn dims_by_use(&self, name: &Ident, tiled: bool) -> Option<usize> {
        struct Uses<'n>(&'n Ident, Option<usize>, bool);
        impl<'ast> Visit<'ast> for Uses<'_> {
            fn visit_expr(&mut self, e: &'ast syn::Expr) {
                let is = |e: &syn::Expr| name_of(e).is_some_and(|name| name == self.0);
                let length = |e: &syn::Expr| match bare(e) {
                    syn::Expr::Array(list) => Some(list.elems.len()),
                    _ => None,
                };
                match e {
                    syn::Expr::Index(element) if is(&element.expr) => {
                        self.1 = self.1.or_else(|| length(&element.index))
                    }
                    syn::Expr::MethodCall(call) if call.method == "tiles" && is(&call.receiver) => {
                        self.2 = true;
                        self.1 = self.1.or_else(|| call.args.first().and_then(length));
                    }
                    _ => {}
                }
                syn::visit::visit_expr(self, e);
            }
        }
        let mut uses = Uses(name, None, false);
        uses.visit_block(self.body);
        uses.1.filter(|_| uses.2 || !tiled)
    }
}

impl<'ast> Visit<'ast> for Objects<'_> {
    /// `let next = Object::zeroed([ny, nx]);`, `let next: &mut Object<f64, 2> = ..;`, and `let next = &mut self.next;` if loops go through
    /// its tiles.
    fn visit_local(&mut self, local: &'ast syn::Local) {
        let Some(init) = &local.init else { return };
        match (&local.pat, bare(&init.expr)) {
            (syn::Pat::Tuple(patterns), syn::Expr::Tuple(values)) if patterns.elems.len() == values.elems.len() => {
                patterns
                    .elems
                    .iter()
                    .zip(&values.elems)
                    .for_each(|(pattern, value)| self.variable(pattern, None, value));
            }
            (syn::Pat::Type(typed), value) => self.variable(&typed.pat, Some(&typed.ty), value),
            (pattern, value) => self.variable(pattern, None, value),
        }
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

impl Objects<'_> {
    fn variable(&mut self, pattern: &syn::Pat, ty: Option<&syn::Type>, value: &syn::Expr) {
        let syn::Pat::Ident(name) = pattern else { return };
        let name = &name.ident;
        match (ty, bare(value)) {
            (Some(syn::Type::Reference(of)), _) => self.add(name, known_of(&of.elem), true),
            (Some(ty), _) => self.add(name, known_of(ty), false),
            (None, syn::Expr::Reference(of)) => {
                let tiled = !(self.indexed && of.mutability.is_none() && matches!(bare(&of.expr), syn::Expr::Field(_)));
                self.add(name, self.dims_by_use(name, tiled).map(|dims| (dims, None)), true);
            }
            (None, syn::Expr::Call(call)) => {
                let syn::Expr::Path(path) = &*call.func else { return };
                let mut segments = path.path.segments.iter().rev().skip(1);
                let Some(object) = segments.next().filter(|segment| segment.ident == "Object") else { return };
                let list = call.args.iter().find_map(|e| match bare(e) {
                    syn::Expr::Array(list) => Some(list.elems.len()),
                    _ => None,
                });
                let by_use = || list.or_else(|| self.dims_by_use(name, false)).map(|dims| (dims, None));
                self.add(name, known_among(&object.arguments).or_else(by_use), false);
            }
            _ => {}
        }
    }
}

/// The parameters and variables that are objects.
pub(super) fn objects(signature: &syn::Signature, body: &syn::Block) -> Vec<Object> {
    let mut objects = Objects { body, found: Vec::new(), indexed: false };
    signature.inputs.iter().for_each(|input| objects.parameter(input));
    objects.visit_block(body);
    // `let now = &self.now;`, in a function that goes through the tiles of `next`.
    if !objects.found.is_empty() {
        objects.indexed = true;
        objects.visit_block(body);
    }
    objects.found
}
