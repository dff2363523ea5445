//! How items hold references: an accumulator can hold only values that own their data.

use super::super::tokens::{bare, name_of};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

/// The shape of the items of an iterator, or of the values that a step makes of them.
#[derive(Clone)]
pub(super) enum Shape {
    /// A value without references, with its type if it is known.
    Value(Option<Box<syn::Type>>),
    Reference(Box<Shape>),
    Tuple(Vec<Shape>),
    /// A reference to several elements.
    Slice,
}

/// The shapes of variables.
pub(super) type Shapes = Vec<(Ident, Shape)>;

impl Shape {
    pub fn reference(self) -> Shape {
        Shape::Reference(Box::new(self))
    }

    fn target(self) -> Shape {
        match self {
            Shape::Reference(target) => target.target(),
            other => other,
        }
    }

    /// The type of a value, also behind references.
    pub fn element(&self) -> Option<&syn::Type> {
        match self {
            Shape::Value(ty) => ty.as_deref(),
            Shape::Reference(target) => target.element(),
            _ => None,
        }
    }

    /// Binds the variables of a pattern.
    pub fn bind(self, pattern: &syn::Pat, to: &mut Shapes) {
        match (pattern, self) {
            (syn::Pat::Ident(name), shape) => to.push((name.ident.clone(), shape)),
            (syn::Pat::Type(typed), shape) => shape.bind(&typed.pat, to),
            (syn::Pat::Paren(inner), shape) => shape.bind(&inner.pat, to),
            (syn::Pat::Reference(pattern), Shape::Reference(target)) => target.bind(&pattern.pat, to),
            (syn::Pat::Tuple(pattern), Shape::Tuple(parts)) if parts.len() == pattern.elems.len() => {
                pattern.elems.iter().zip(parts).for_each(|(pattern, part)| part.bind(pattern, to));
            }
            // Names in such a pattern are references.
            (syn::Pat::Tuple(pattern), Shape::Reference(target)) => {
                if let Shape::Tuple(parts) = target.target()
                    && parts.len() == pattern.elems.len()
                {
                    pattern.elems.iter().zip(parts).for_each(|(pattern, part)| part.reference().bind(pattern, to));
                }
            }
            _ => {}
        }
    }

    /// The shape of an expression.
    pub fn of(e: &syn::Expr, shapes: &Shapes) -> Shape {
        let of = |e| Shape::of(e, shapes);
        match bare(e) {
            e if name_of(e).is_some() => {
                let found = name_of(e).and_then(|name| shapes.iter().find(|(other, _)| other == name));
                found.map_or(Shape::Value(None), |(_, shape)| shape.clone())
            }
            syn::Expr::Reference(reference) => of(&reference.expr).reference(),
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => match of(expr) {
                Shape::Reference(target) => *target,
                other => other,
            },
            syn::Expr::Tuple(parts) => Shape::Tuple(parts.elems.iter().map(of).collect()),
            syn::Expr::Field(syn::ExprField { base, member: syn::Member::Unnamed(field), .. }) => {
                match of(base).target() {
                    Shape::Tuple(parts) => parts.into_iter().nth(field.index as usize),
                    _ => None,
                }
                .unwrap_or(Shape::Value(None))
            }
            syn::Expr::Block(block) => match block.block.stmts.last() {
                Some(syn::Stmt::Expr(value, None)) => of(value),
                _ => Shape::Value(None),
            },
            syn::Expr::If(choice) => match choice.then_branch.stmts.last() {
                Some(syn::Stmt::Expr(value, None)) => of(value),
                _ => Shape::Value(None),
            },
            _ => Shape::Value(None),
        }
    }

    pub fn has_references(&self) -> bool {
        match self {
            Shape::Value(_) => false,
            Shape::Reference(_) | Shape::Slice => true,
            Shape::Tuple(parts) => parts.iter().any(Shape::has_references),
        }
    }

    /// A value of this shape without its references, and the pattern to which the value must be bound before, if it is a tuple.
    pub fn owned(&self, value: &TokenStream, name: &mut dyn FnMut() -> Ident) -> Option<(TokenStream, TokenStream)> {
        match self {
            Shape::Value(_) => Some((TokenStream::new(), value.clone())),
            Shape::Slice => None,
            Shape::Reference(target) => match &**target {
                Shape::Tuple(_) if target.has_references() => None,
                target => target.owned(&quote!(*#value), name),
            },
            Shape::Tuple(parts) => {
                let (mut patterns, mut values) = (Vec::new(), Vec::new());
                for part in parts {
                    let held = name().to_token_stream();
                    let (pattern, value) = part.owned(&held, name)?;
                    patterns.push(if pattern.is_empty() { held } else { pattern });
                    values.push(value);
                }
                Some((quote!((#(#patterns),*)), quote!((#(#values),*))))
            }
        }
    }

    /// The item that an owned value stands for, behind a reference with this pattern.
    pub fn returned(&self, name: &mut dyn FnMut() -> Ident) -> (TokenStream, TokenStream) {
        match self {
            Shape::Tuple(parts) if self.has_references() => {
                let (patterns, values): (Vec<_>, Vec<_>) = parts.iter().map(|part| part.returned(name)).unzip();
                (quote!((#(#patterns),*)), quote!((#(#values),*)))
            }
            Shape::Reference(target) => {
                let (pattern, value) = match &**target {
                    Shape::Reference(_) => target.returned(name),
                    _ => {
                        let held = name().to_token_stream();
                        return (held.clone(), held);
                    }
                };
                (pattern, quote!(&#value))
            }
            _ => {
                let held = name();
                (held.to_token_stream(), quote!(::core::clone::Clone::clone(#held)))
            }
        }
    }
}
