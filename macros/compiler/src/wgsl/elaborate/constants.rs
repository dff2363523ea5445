//! Constant arrays.

use crate::ir::report::Location;
use crate::ir::{self, Expr};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::Binding;
use crate::wgsl::tree::{Array, Base, Node, NodeKind, Ty, View};
use quote::quote;

impl Elaborate<'_> {
    /// A constant array, all of it.
    pub fn constant_view(&mut self, e: &Expr) -> Option<View> {
        let (_, array, element) = self.constant(e, 1)?;
        Some(View::whole(Base::Array(array), element))
    }

    /// A constant array that has so many indices: its name, the table, and the type of its elements.
    pub fn constant(&mut self, e: &Expr, axes: usize) -> Option<(String, Array, Ty)> {
        let (mut text, mut tokens) = (e.text(), e.tokens.clone());
        let mut ty = match &e.kind {
            _ if self.quiet => return None,
            ir::Kind::Path => self.types.unknown(),
            ir::Kind::Name(name) => match self.names.get(*name) {
                None => self.types.unknown(),
                // A constant of the loop is not visible before it.
                Some(Binding::Constant(ty, _, None)) => ty.clone(),
                Some(Binding::Use(path)) => {
                    (text, tokens) = (path.to_string(), path.clone());
                    self.types.unknown()
                }
                _ => return None,
            },
            _ => return None,
        };
        for _ in 0..axes {
            ty = self.types.element(&ty);
        }
        let table = self.table(&text, &tokens, ty, Location::from(e), axes);
        let Array::Table(number) = table else { return None };
        let element = self.captured.tables.get(number)?.ty.clone();
        Some((text, table, element))
    }

    /// `TABLE[i][j]`: an element of a constant. A table knows only the length of the first axis.
    pub fn constant_element(&mut self, e: &Expr, at: Location) -> Option<Node> {
        let (mut indices, mut base) = (Vec::new(), e);
        while let ir::Kind::Index(inner, index) = &base.bare().kind {
            if matches!(index.bare().kind, ir::Kind::Range(..)) {
                return None;
            }
            indices.push(index);
            base = inner;
        }
        let (name, array, element) = self.constant(base.bare(), indices.len())?;
        let mut place: Option<Node> = None;
        for (axis, index) in indices.into_iter().rev().enumerate() {
            let index = self.index(index);
            place = Some(match place {
                None => index,
                Some(place) => {
                    let Array::Table(number) = array else { return None };
                    let tokens = &self.captured.tables.get(number)?.tokens;
                    let length = quote!(__device::length_within((&&&&&__device::Table(&#tokens)).__elements(), #axis));
                    let length =
                        self.capture(&format!("the length of {name} along axis {axis}"), &length, Ty::USIZE, at);
                    place * length.clone() + index.within(length)
                }
            });
        }
        Some(Node::new(NodeKind::Load(array, place?.boxed()), element, at))
    }
}
