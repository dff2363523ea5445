//! Arrays of `ndarray`: their shapes, elements and parts.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Local};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::locals::Locals;
use crate::wgsl::elaborate::std::MethodCall;
use crate::wgsl::tree::{Item, Node, NodeKind, Statement, Ty, View};
use quote::quote;

impl MethodCall<'_> {
    /// A method that gives the shape of an array, or a part of it.
    pub fn shape_method(&self, walk: &mut Elaborate<'_>) -> Option<Node> {
        let MethodCall { receiver, name, args, at, .. } = *self;
        if !crate::language::methods::measures_shape(name) {
            return None;
        }
        let mut before = Vec::new();
        let shape = walk.view(receiver, &mut before)?.shape?;
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
}

impl Elaborate<'_> {
    /// The shape of a parameter that is an array of `ndarray`, which is known before the loop.
    pub fn shape_of(&mut self, name: Local, at: Location) -> Option<Vec<Node>> {
        let dims = self.input.function?.shares.iter().find(|share| share.name == name)?.array.as_ref()?.dims;
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
        match self.types.shallow(&node.ty) {
            Ty::Tuple(parts) if parts.len() == dims => {
                for part in &parts {
                    self.same(part, &Ty::USIZE, at);
                }
                (0..dims).map(|k| node.member(k, Ty::USIZE, at)).collect()
            }
            Ty::Array(_, length) if length == dims => {
                let element = |k| NodeKind::Element(node.clone().boxed(), Node::usize(k, at).boxed());
                (0..dims).map(|k| Node::new(element(k), Ty::USIZE, at)).collect()
            }
            _ => {
                let text = index.shown();
                self.obstacle(at, format!("`{text}` is not seen to be an index for each axis"));
                Vec::new()
            }
        }
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
        let ir::Kind::Range(from, end, inclusive) = &part.index.bare().kind else {
            let index = self.index(part.index).within(shape[0].clone());
            return Some(self.locals.part_at(&view, index, to));
        };
        let at = Location::from(part.index);
        let from = from.as_ref().map_or(Node::usize(0, at), |from| self.index(from));
        let end = end.as_ref().map_or(shape[0].clone(), |end| self.index(end));
        let end = if *inclusive { end + 1 } else { end };
        let end = self.locals.hold("end", end.within(shape[0].clone() + 1), to);
        let from = self.locals.hold("from", from.within(end.clone() + 1), to);
        let rows = self.locals.hold("rows", end - from.clone(), to);
        let plane = self.locals.hold("plane", product(&shape[1..], at), to);
        let first = from * plane.clone();
        let length = self.locals.hold("length", rows.clone() * plane, to);
        let piece = self.locals.piece(&view, first, length, to);
        let shape = std::iter::once(rows).chain(shape.into_iter().skip(1)).collect();
        Some(View { shape: Some(shape), ..piece })
    }
}

/// How many elements axes have together.
fn product(shape: &[Node], at: Location) -> Node {
    shape.iter().cloned().reduce(|a, b| a * b).unwrap_or_else(|| Node::usize(1, at))
}

/// An element of an array of `ndarray`, by its indices.
pub fn grid_element(view: &View, shape: &[Node], indices: Vec<Node>) -> Node {
    // An index beyond the first axis is beyond the end of the array.
    let mut place: Option<Node> = None;
    for (index, length) in indices.into_iter().zip(shape) {
        place = Some(match place {
            None => index,
            Some(place) => place * length.clone() + index.within(length.clone()),
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
            items.push(Item::Value(self.hold("index", rest.clone() % length.clone(), to)));
            rest = self.hold("rest", rest / length.clone(), to);
        }
        items.push(Item::Value(rest));
        items.reverse();
        Item::Tuple(items)
    }

    /// One part of an array along its first axis, which is known to be there.
    pub fn part_at(&mut self, view: &View, position: Node, to: &mut Vec<Statement>) -> View {
        let at = position.at;
        let rest = view.shape.clone().unwrap_or_default().split_off(1);
        let length = self.hold("length", product(&rest, at), to);
        let piece = self.piece(view, position * length.clone(), length, to);
        View { shape: Some(rest), ..piece }
    }
}
