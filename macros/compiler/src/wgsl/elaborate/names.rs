//! Names and paths: variables of the body, accumulators, and captured values.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Local};
use crate::wgsl::contract::Type;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::Binding;
use crate::wgsl::elaborate::std::orderings::ordering;
use crate::wgsl::tree::{Component, Node, NodeKind, Ty};
use proc_macro2::TokenStream;

impl Elaborate<'_> {
    /// The accumulator that an expression is, and which part of it.
    pub fn accumulator(&self, e: &Expr) -> Option<(usize, Component)> {
        if self.outputs.accumulators.is_empty()
            || !matches!(
                e.kind,
                ir::Kind::Name(_) | ir::Kind::Field(..) | ir::Kind::Index(..) | ir::Kind::Unary('*', _)
            )
        {
            return None;
        }
        let outside = e.root().is_some_and(|root| matches!(self.names.get(root), None | Some(Binding::Outer(..))));
        if !outside {
            return None;
        }
        self.outputs.accumulators.iter().enumerate().find_map(|(number, held)| {
            let variable = held.variables.iter().position(|(place, _)| e.is(place))?;
            Some((number, Component::Variable(variable)))
        })
    }

    /// Whether an expression is an accumulator's variable, or a part of one.
    pub fn is_in_accumulator(&self, e: &Expr) -> bool {
        self.accumulator(e.bare()).is_some()
            || match &e.bare().kind {
                ir::Kind::Field(inner, _) | ir::Kind::Index(inner, _) | ir::Kind::Unary('*', inner) => {
                    self.is_in_accumulator(inner)
                }
                _ => false,
            }
    }

    pub fn state(&self, number: usize, part: Component, at: Location) -> Node {
        let ty = match part {
            Component::Variable(variable) => self.outputs.accumulators[number].variables[variable].1.clone(),
            Component::Factor => self.outputs.accumulators[number].variables[0].1.clone(),
            Component::Some | Component::Hit | Component::Reset => Ty::BOOL,
        };
        Node::new(NodeKind::State(number, part), ty, at)
    }

    /// A place outside of the loop: `n`, `self.n`, `p.0`.
    pub fn outside(&mut self, e: &Expr) -> Option<Node> {
        let root = e.root().filter(|_| is_path(e) && !self.is_in_accumulator(e))?;
        let Some(Binding::Outer(ty)) = self.names.get(root).cloned() else { return None };
        let at = Location::from(e);
        let ty = self.outside_type(e, root, &ty);
        let text = e.text();
        Some(self.capture(&text, &e.bare().tokens, ty, at))
    }

    pub fn outside_type(&mut self, e: &Expr, root: Local, ty: &Ty) -> Ty {
        match &e.bare().kind {
            ir::Kind::Name(name) if name == root => ty.clone(),
            ir::Kind::Unary(_, inner) => self.outside_type(inner, root, ty),
            ir::Kind::Field(inner, field) => {
                let inner = self.outside_type(inner, root, ty);
                if let (Ty::Tuple(parts), Ok(number)) = (self.types.shallow(&inner), field.parse::<usize>())
                    && let Some(part) = parts.get(number)
                {
                    return part.clone();
                }
                self.captured.type_of(&e.text(), &mut self.types)
            }
            _ => self.types.unknown(),
        }
    }

    pub fn name_of(&mut self, name: Local, e: &Expr, at: Location) -> Node {
        if self.is_none_name(e) {
            return Node::none(self.types.unknown(), at);
        }
        match self.names.get(name).cloned() {
            Some(Binding::Local(variable)) => self.locals.read(variable, at),
            Some(Binding::Place(node)) => node,
            Some(Binding::Constant(ty, _, Some(constant))) => {
                let node = self.apart(&constant.value);
                self.same(&node.ty, &ty, at);
                node
            }
            Some(Binding::Constant(ty, ..)) => self.capture(&name, &e.tokens, ty, at),
            Some(Binding::Outer(ty)) => {
                if !self.quiet && (self.slot(name).is_some() || matches!(self.types.shallow(&ty), Ty::Slice(_))) {
                    let collected = self.outputs.pushes.iter().any(|pushed| pushed.place == name);
                    return match self.view_of_array(name, &e.tokens, at).filter(|_| !collected) {
                        Some(view) => self.pair(&view, at),
                        None => self
                            .stuck(at, format!("`{name}` is used as a whole: a device takes its elements one by one")),
                    };
                }
                self.outside(e).unwrap_or_else(|| self.stuck(at, format!("`{name}` is not understood")))
            }
            Some(Binding::View(view)) => self.pair(&view, at),
            Some(Binding::Range(_)) => self.stuck(
                at,
                format!("the range `{name}` is handed on: a device has ranges in headers of loops and in `x[{name}]`"),
            ),
            Some(Binding::Box(_)) => self.stuck(at, format!("`{name}` is handed on: a device accesses its elements")),
            Some(Binding::Use(path)) => self.of_use(&path, at),
            Some(Binding::Closure(_) | Binding::Function(_)) => {
                self.stuck(at, format!("`{name}` is handed on: a device can only call it"))
            }
            None if self.quiet => Node::new(NodeKind::Default, self.types.unknown(), at),
            // A constant outside of the function.
            None => {
                let ty = self.captured.type_of(&name, &mut self.types);
                self.capture(&name, &e.tokens, ty, at)
            }
        }
    }

    /// `f64::MAX`, `std::f64::consts::PI`, `Self::WIDTH`.
    pub fn path(&mut self, e: &Expr, at: Location) -> Node {
        let text: String = e.tokens.to_string().split_whitespace().collect();
        if self.is_none_name(e) {
            return Node::none(self.types.unknown(), at);
        }
        if let Some(node) = ordering(&text, at) {
            return node;
        }
        if let Some((first, rest)) = text.split_once("::")
            && let Some(Binding::Use(path)) = self.names.get(Local::named(first))
            && let Ok(rest) = rest.parse::<TokenStream>()
        {
            let path = quote::quote!(#path :: #rest);
            return self.of_use(&path, at);
        }
        let segments: Vec<&str> = text.split("::").collect();
        let owner = segments.iter().rev().skip(1).find_map(|segment| Type::named(segment));
        let ty = match (owner, segments.last()) {
            (Some(_), Some(&("BITS" | "MANTISSA_DIGITS" | "RADIX" | "DIGITS"))) => Ty::Scalar(Type::U32),
            (Some(_), Some(&("MAX_EXP" | "MIN_EXP" | "MAX_10_EXP" | "MIN_10_EXP"))) => Ty::Scalar(Type::I32),
            (Some(owner), _) => Ty::Scalar(owner),
            _ => self.captured.type_of(&text, &mut self.types),
        };
        self.capture(&text, &e.tokens, ty, at)
    }
}

/// Whether an expression names a place by fields alone.
pub fn is_path(e: &Expr) -> bool {
    match &e.kind {
        ir::Kind::Name(_) => true,
        ir::Kind::Field(e, _) | ir::Kind::Paren(e) | ir::Kind::Unary('*', e) => is_path(e),
        _ => false,
    }
}
