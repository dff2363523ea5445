//! Constant arrays.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Op};
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

    /// A constant array by so many indices: its name, the table, and what there is at them.
    pub fn constant(&mut self, e: &Expr, axes: usize) -> Option<(String, Array, Ty)> {
        let (mut text, mut tokens) = (e.text(), e.tokens.clone());
        let mut ty = match &e.kind {
            _ if self.quiet => return None,
            ir::Kind::Path => self.types.unknown(),
            ir::Kind::Name(name) => match self.names.get(*name) {
                None => self.types.unknown(),
                // What only the loop sees is handed over by nobody.
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

    /// `TABLE[i][j]`: an element of a constant, of whose axes only the first has a length that a table knows.
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
                    let tokens = &self.captured.tables.get(table_number(array)?)?.tokens;
                    let device = quote!(::forall::__private::device);
                    let length = quote!(#device::length_within((&&&&&#device::Table(&#tokens)).elements(), #axis));
                    let length =
                        self.capture(&format!("the length of {name} along axis {axis}"), &length, Ty::USIZE, at);
                    let first = Node::binary(Op::Mul, place, length.clone());
                    let index = index.within(length);
                    Node::binary(Op::Add, first, index)
                }
            });
        }
        Some(Node::new(NodeKind::Load(array, place?.boxed()), element, at))
    }
}

fn table_number(array: Array) -> Option<usize> {
    match array {
        Array::Table(number) => Some(number),
        _ => None,
    }
}
