//! Arrays of `ndarray`: their shapes, elements and parts.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Local, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::locals::Locals;
use crate::wgsl::tree::{Item, Node, NodeKind, Statement, Ty, View};
use quote::quote;

impl Elaborate<'_> {
    /// The shape of a parameter that is an array of `ndarray`, which is known before the loop.
    pub fn shape_of(&mut self, name: Local, at: Location) -> Option<Vec<Node>> {
        let dims = self.function?.shares.iter().find(|share| share.name == name)?.array.as_ref()?.dims;
        let shape = crate::ir::names::shape_variable(&name);
        let lengths = (0..dims).map(|axis| {
            let tokens = quote!(#shape[#axis]);
            self.capture(&format!("{name}.shape()[{axis}]"), &tokens, Ty::USIZE, at)
        });
        Some(lengths.collect())
    }

    /// `[y, x]`, `(y, x)`, or a variable that holds them.
    pub fn index_list(&mut self, index: &Expr, dims: usize, to: &mut Vec<Statement>) -> Vec<Node> {
        let at = Location::from(index);
        if let ir::Kind::Array(parts) | ir::Kind::Tuple(parts) = &index.bare().kind
            && parts.len() == dims
        {
            return parts.iter().map(|part| self.index(part)).collect();
        }
        let node = self.expr(index);
        let node = self.locals.hold("index", node, to);
        let member = |kind| Node { kind, ty: Ty::USIZE, at };
        match self.types.shallow(&node.ty) {
            Ty::Tuple(parts) if parts.len() == dims => {
                for part in &parts {
                    self.same(part, &Ty::USIZE, at);
                }
                (0..dims).map(|k| member(NodeKind::Member(node.clone().boxed(), k))).collect()
            }
            Ty::Array(_, length) if length == dims => {
                let number = |k| Node::usize(k, at).boxed();
                (0..dims).map(|k| member(NodeKind::Element(node.clone().boxed(), number(k)))).collect()
            }
            _ => {
                let text = index.shown();
                self.obstacle(at, format!("`{text}` is not seen to be an index for each axis"));
                Vec::new()
            }
        }
    }

    /// What a method tells of the shape of an array.
    pub fn shape_method(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        if !crate::language::methods::measures_shape(name) {
            return None;
        }
        let mut before = Vec::new();
        let shape = self.view(receiver, &mut before)?.shape?;
        let whole = |kind: fn(Vec<Node>) -> NodeKind, ty: Ty| Node::new(kind(shape.clone()), ty, at);
        let node = match (name, args) {
            ("dim" | "raw_dim", []) if shape.len() == 1 => shape[0].clone(),
            ("dim", []) => whole(NodeKind::Tuple, Ty::Tuple(vec![Ty::USIZE; shape.len()])),
            ("shape" | "raw_dim", []) => whole(NodeKind::Array, Ty::Array(Box::new(Ty::USIZE), shape.len())),
            ("nrows", []) => shape.first()?.clone(),
            ("ncols", []) => shape.get(1)?.clone(),
            ("ndim", []) => Node::usize(shape.len(), at),
            ("len_of", [axis]) => shape.get(crate::front::array::axis(axis)?)?.clone(),
            _ => return None,
        };
        Some(node.after(before))
    }

    /// `a.row(i)`, `a.index_axis(Axis(0), i)`, `a.slice(s![i, ..])`.
    pub fn part_of_grid(
        &mut self,
        receiver: &Expr,
        name: Local,
        args: &[Expr],
        to: &mut Vec<Statement>,
    ) -> Option<View> {
        let part = crate::front::array::part(&name, args).filter(|part| part.whole)?;
        let view = self.view(receiver, to)?;
        let shape = view.shape.clone().filter(|shape| shape.len() > 1)?;
        if let ir::Kind::Range(from, end, inclusive) = &part.index.bare().kind {
            let at = Location::from(part.index);
            let from = match from {
                Some(from) => self.index(from),
                None => Node::usize(0, at),
            };
            let end = match end {
                Some(end) => self.index(end),
                None => shape[0].clone(),
            };
            let one = Node::usize(1, at);
            let end = if *inclusive { Node::binary(Op::Add, end, one.clone()) } else { end };
            let beyond = Node::binary(Op::Add, shape[0].clone(), one.clone());
            let end = end.within(beyond);
            let end = self.locals.hold("end", end, to);
            let beyond = Node::binary(Op::Add, end.clone(), one);
            let from = from.within(beyond);
            let from = self.locals.hold("from", from, to);
            let rows = Node::binary(Op::Sub, end, from.clone());
            let rows = self.locals.hold("rows", rows, to);
            let plane = product(&shape[1..], at);
            let plane = self.locals.hold("plane", plane, to);
            let first = Node::binary(Op::Mul, from, plane.clone());
            let length = Node::binary(Op::Mul, rows.clone(), plane);
            let length = self.locals.hold("length", length, to);
            let piece = self.locals.piece(&view, first, length, to);
            let shape = std::iter::once(rows).chain(shape.into_iter().skip(1)).collect();
            return Some(View { shape: Some(shape), ..piece });
        }
        let index = self.index(part.index);
        let index = index.within(shape[0].clone());
        Some(self.locals.part_at(&view, index, to))
    }
}

/// How many elements axes have together.
fn product(shape: &[Node], at: Location) -> Node {
    shape.iter().cloned().reduce(|a, b| Node::binary(Op::Mul, a, b)).unwrap_or_else(|| Node::usize(1, at))
}

/// An element of an array of `ndarray`, by its indices.
pub fn grid_element(view: &View, shape: &[Node], indices: Vec<Node>) -> Node {
    // What is beyond the first axis is beyond the end of all.
    let mut place: Option<Node> = None;
    for (index, length) in indices.into_iter().zip(shape) {
        place = Some(match place {
            None => index,
            Some(place) => {
                let scaled = Node::binary(Op::Mul, place, length.clone());
                let index = index.within(length.clone());
                Node::binary(Op::Add, scaled, index)
            }
        });
    }
    let place = place.unwrap_or_else(|| Node::usize(0, Location::from(proc_macro2::Span::call_site())));
    view.element(place, false)
}

impl Locals {
    /// The indices of a position in row-major order.
    pub fn indices(&mut self, view: &View, position: Node, to: &mut Vec<Statement>) -> Item {
        let shape = view.shape.clone().unwrap_or_default();
        if shape.len() < 2 {
            return Item::Value(position);
        }
        let (mut items, mut rest) = (Vec::new(), position);
        for length in shape[1..].iter().rev() {
            let index = Node::binary(Op::Rem, rest.clone(), length.clone());
            items.push(Item::Value(self.hold("index", index, to)));
            let more = Node::binary(Op::Div, rest, length.clone());
            rest = self.hold("rest", more, to);
        }
        items.push(Item::Value(rest));
        items.reverse();
        Item::Tuple(items)
    }

    /// One part of an array along its first axis, which is known to be there.
    pub fn part_at(&mut self, view: &View, position: Node, to: &mut Vec<Statement>) -> View {
        let at = position.at;
        let rest = view.shape.clone().unwrap_or_default().split_off(1);
        let length = product(&rest, at);
        let length = self.hold("length", length, to);
        let first = Node::binary(Op::Mul, position, length.clone());
        let piece = self.piece(view, first, length, to);
        View { shape: Some(rest), ..piece }
    }
}
