//! Arrays, and parts of them that the body names.

use super::elaborate::{Binding, Elaborate, Item, is_path, lookup};
use super::tree::{Array, Kind, Node, Statement};
use super::types::Ty;
use crate::ir::report::{Place, shown};
use crate::ir::{self, Expr, Op};
use proc_macro2::TokenStream;
use quote::quote;
use std::rc::Rc;

/// A part of an array.
#[derive(Debug, Clone)]
pub(super) struct View {
    pub base: Base,
    pub element: Ty,
    /// The first element and how many there are; nothing for all of them.
    pub part: Option<(Node, Node)>,
    /// The lengths of the axes of an array of `ndarray`, whose elements are in row-major order.
    pub shape: Option<Vec<Node>>,
}

#[derive(Debug, Clone)]
pub enum Base {
    Array(Array),
    /// An array that the iteration holds, and its length.
    Local(Box<Node>, usize),
}

impl Base {
    /// Whether both are the same array.
    pub fn is(&self, other: &Base) -> bool {
        match (self, other) {
            (Base::Array(a), Base::Array(b)) => a == b,
            (Base::Local(a, _), Base::Local(b, _)) => is_place(a, b),
            _ => false,
        }
    }
}

/// Whether both are the same place, whose indices are held.
fn is_place(a: &Node, b: &Node) -> bool {
    match (&a.kind, &b.kind) {
        (Kind::Variable(a), Kind::Variable(b)) => a == b,
        (Kind::Integer(a), Kind::Integer(b)) => a == b,
        (Kind::Member(a, k), Kind::Member(b, l)) => k == l && is_place(a, b),
        (Kind::Field(a, k), Kind::Field(b, l)) => k == l && is_place(a, b),
        (Kind::Element(a, i), Kind::Element(b, j)) => is_place(a, b) && is_place(i, j),
        _ => false,
    }
}

impl Elaborate<'_> {
    pub fn view_of_array(&mut self, name: &str, tokens: &TokenStream, at: Place) -> Option<View> {
        let Some(Binding::Outer(number, ty)) = lookup(&self.scope, name).cloned() else { return None };
        if let Some(number) = self.bins.iter().position(|(_, bins, _)| bins == name).filter(|_| !self.quiet) {
            let element = self.bins[number].2.clone();
            let shape = self.shape_of(name, at);
            return Some(View { base: Base::Array(Array::Bins(number)), element, part: None, shape });
        }
        if let Some(slot) = self.slot(name).filter(|_| !self.quiet && self.seen_outside(name, number)) {
            let element = self.slots[slot].clone();
            let shape = self.shape_of(name, at);
            return Some(View { base: Base::Array(Array::Slot(slot)), element, part: None, shape });
        }
        let element = match self.types.shallow(&ty) {
            Ty::Array(element, _) | Ty::Slice(element) => *element,
            Ty::Unknown(_) => {
                let element = self.types.unknown();
                self.types.same(&ty, &Ty::Slice(Box::new(element.clone())));
                element
            }
            _ => return None,
        };
        if !self.quiet && !self.seen_outside(name, number) {
            self.obstacle(at, format!("`{name}` is not what it was where the closure was made"));
        }
        let table = self.table(name, tokens, element.clone(), at);
        let shape = self.shape_of(name, at);
        Some(View { base: Base::Array(table), element, part: None, shape })
    }

    /// The shape of a parameter that is an array of `ndarray`, which is known before the loop.
    fn shape_of(&mut self, name: &str, at: Place) -> Option<Vec<Node>> {
        let dims = self.function?.shares.iter().find(|share| share.name == name)?.array.as_ref()?.dims;
        let shape = crate::language::array::shape_variable(name);
        let lengths = (0..dims).map(|axis| {
            let tokens = quote!(#shape[#axis]);
            self.capture(&format!("{name}.shape()[{axis}]"), &tokens, Ty::USIZE, at)
        });
        Some(lengths.collect())
    }

    /// `[y, x]`, `(y, x)`, or a variable that holds them.
    fn index_list(&mut self, index: &Expr, dims: usize, to: &mut Vec<Statement>) -> Vec<Node> {
        let at = Place::from(index);
        if let ir::Kind::Array(parts) | ir::Kind::Tuple(parts) = &index.bare().kind
            && parts.len() == dims
        {
            return parts.iter().map(|part| self.index(part)).collect();
        }
        let node = self.expr(index);
        let node = self.hold("index", node, to);
        let member = |kind| Node { kind, ty: Ty::USIZE, at };
        match self.types.shallow(&node.ty) {
            Ty::Tuple(parts) if parts.len() == dims => {
                for part in &parts {
                    self.same(part, &Ty::USIZE, at);
                }
                (0..dims).map(|k| member(Kind::Member(node.clone().boxed(), k))).collect()
            }
            Ty::Array(_, length) if length == dims => {
                let number = |k| self.number(k, at).boxed();
                (0..dims).map(|k| member(Kind::Element(node.clone().boxed(), number(k)))).collect()
            }
            _ => {
                let text = shown(&index.text());
                self.obstacle(at, format!("`{text}` is not seen to be an index for each axis"));
                Vec::new()
            }
        }
    }

    /// What a method tells of the shape of an array.
    pub fn shape_method(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Place) -> Option<Node> {
        if !crate::language::array::SHAPE.contains(&name) {
            return None;
        }
        let mut before = Vec::new();
        let shape = self.view(receiver, &mut before)?.shape?;
        let whole = |this: &Self, kind: fn(Vec<Node>) -> Kind, ty: Ty| this.node(kind(shape.clone()), ty, at);
        let node = match (name, args) {
            ("dim" | "raw_dim", []) if shape.len() == 1 => shape[0].clone(),
            ("dim", []) => whole(self, Kind::Tuple, Ty::Tuple(vec![Ty::USIZE; shape.len()])),
            ("shape" | "raw_dim", []) => whole(self, Kind::Array, Ty::Array(Box::new(Ty::USIZE), shape.len())),
            ("nrows", []) => shape.first()?.clone(),
            ("ncols", []) => shape.get(1)?.clone(),
            ("ndim", []) => self.number(shape.len(), at),
            ("len_of", [axis]) => shape.get(crate::language::array::axis(axis)?)?.clone(),
            _ => return None,
        };
        Some(self.after(before, node))
    }

    /// How many elements axes have together.
    fn product(&self, shape: &[Node], at: Place) -> Node {
        shape.iter().cloned().reduce(|a, b| self.binary(Op::Mul, a, b)).unwrap_or_else(|| self.number(1, at))
    }

    /// An element of an array of `ndarray`, by its indices.
    fn grid_element(&mut self, view: &View, shape: &[Node], indices: Vec<Node>) -> Node {
        // What is beyond the first axis is beyond the end of all.
        let mut place: Option<Node> = None;
        for (index, length) in indices.into_iter().zip(shape) {
            place = Some(match place {
                None => index,
                Some(place) => {
                    let scaled = self.binary(Op::Mul, place, length.clone());
                    let index = self.within(index, length.clone());
                    self.binary(Op::Add, scaled, index)
                }
            });
        }
        let place = place.unwrap_or_else(|| self.number(0, Place::from(proc_macro2::Span::call_site())));
        self.element(view, place, false)
    }

    /// The indices of a position in row-major order.
    pub fn indices(&mut self, view: &View, position: Node, to: &mut Vec<Statement>) -> Item {
        let shape = view.shape.clone().unwrap_or_default();
        if shape.len() < 2 {
            return Item::Value(position);
        }
        let (mut items, mut rest) = (Vec::new(), position);
        for length in shape[1..].iter().rev() {
            let index = self.binary(Op::Rem, rest.clone(), length.clone());
            items.push(Item::Value(self.hold("index", index, to)));
            let more = self.binary(Op::Div, rest, length.clone());
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
        let length = self.product(&rest, at);
        let length = self.hold("length", length, to);
        let first = self.binary(Op::Mul, position, length.clone());
        let piece = self.piece(view, first, length, to);
        View { shape: Some(rest), ..piece }
    }

    /// `a.row(i)`, `a.index_axis(Axis(0), i)`, `a.slice(s![i, ..])`.
    fn part_of_grid(&mut self, receiver: &Expr, name: &str, args: &[Expr], to: &mut Vec<Statement>) -> Option<View> {
        let part = crate::language::array::part(name, args).filter(|part| part.whole)?;
        let view = self.view(receiver, to)?;
        let shape = view.shape.clone().filter(|shape| shape.len() > 1)?;
        if let ir::Kind::Range(from, end, inclusive) = &part.index.bare().kind {
            let at = Place::from(part.index);
            let from = match from {
                Some(from) => self.index(from),
                None => self.number(0, at),
            };
            let end = match end {
                Some(end) => self.index(end),
                None => shape[0].clone(),
            };
            let one = self.number(1, at);
            let end = if *inclusive { self.binary(Op::Add, end, one.clone()) } else { end };
            let beyond = self.binary(Op::Add, shape[0].clone(), one.clone());
            let end = self.within(end, beyond);
            let end = self.hold("end", end, to);
            let beyond = self.binary(Op::Add, end.clone(), one);
            let from = self.within(from, beyond);
            let from = self.hold("from", from, to);
            let rows = self.binary(Op::Sub, end, from.clone());
            let rows = self.hold("rows", rows, to);
            let plane = self.product(&shape[1..], at);
            let plane = self.hold("plane", plane, to);
            let first = self.binary(Op::Mul, from, plane.clone());
            let length = self.binary(Op::Mul, rows.clone(), plane);
            let length = self.hold("length", length, to);
            let piece = self.piece(&view, first, length, to);
            let shape = std::iter::once(rows).chain(shape.into_iter().skip(1)).collect();
            return Some(View { shape: Some(shape), ..piece });
        }
        let index = self.index(part.index);
        let index = self.within(index, shape[0].clone());
        Some(self.part_at(&view, index, to))
    }

    /// An expression that names elements: an array, a part of one, or another name for one.
    pub fn view(&mut self, e: &Expr, to: &mut Vec<Statement>) -> Option<View> {
        let at = Place::from(e);
        match &e.bare().kind {
            ir::Kind::Name(name) if lookup(&self.scope, name).is_none() => self.constant_view(e.bare()),
            ir::Kind::Name(name) => match lookup(&self.scope, name)?.clone() {
                Binding::View(view) => Some(view),
                Binding::Local(variable) => self.local_view(self.read(variable, at), to),
                Binding::Place(node) => self.local_view(node, to),
                Binding::Outer(..) if self.accumulator(e.bare()).is_some() => {
                    let node = self.expr(e);
                    self.local_view(node, to)
                }
                Binding::Outer(..) => self.view_of_array(name, &e.bare().tokens.clone(), at),
                Binding::Constant(ty, _, Some(value)) => {
                    let node = self.code(&value, at);
                    self.same(&node.ty.clone(), &ty, at);
                    let held = self.hold("constant", node, to);
                    self.local_view(held, to)
                }
                Binding::Constant(..) | Binding::Use(_) => self.constant_view(e.bare()),
                _ => None,
            },
            ir::Kind::Path => self.constant_view(e.bare()),
            ir::Kind::Ref(_, inner) | ir::Kind::Unary('*', inner) => self.view(inner, to),
            ir::Kind::Index(base, index) => match &index.bare().kind {
                ir::Kind::Range(from, end, inclusive) => {
                    let view = self.view(base, to)?;
                    let from = from.as_ref().map(|e| self.index(e));
                    let end = end.as_ref().map(|e| self.index(e));
                    Some(self.part(view, from, end, *inclusive, at, to))
                }
                _ => match self.named_range(index) {
                    Some(range) => {
                        let view = self.view(base, to)?;
                        for end in [&range.from, &range.to] {
                            self.same(&end.ty, &Ty::USIZE, at);
                        }
                        Some(self.part(view, Some(range.from), Some(range.to), range.inclusive, at, to))
                    }
                    None => {
                        let node = self.expr(e);
                        self.local_view(node, to)
                    }
                },
            },
            ir::Kind::Field(..) => {
                if !self.is_in_accumulator(e)
                    && let Some(root) = e.root().filter(|_| is_path(e.bare()))
                    && let Some(Binding::Outer(_, ty)) = lookup(&self.scope, root).cloned()
                {
                    let ty = self.outside_type(e.bare(), root, &ty);
                    let element = match self.types.shallow(&ty) {
                        Ty::Array(element, _) | Ty::Slice(element) => *element,
                        Ty::Unknown(_) => {
                            let element = self.types.unknown();
                            self.types.same(&ty, &Ty::Slice(Box::new(element.clone())));
                            element
                        }
                        _ => return None,
                    };
                    let tokens = e.bare().tokens.clone();
                    let table = self.table(&e.text(), &tokens, element.clone(), at);
                    return Some(View { base: Base::Array(table), element, part: None, shape: None });
                }
                let node = self.expr(e);
                self.local_view(node, to)
            }
            ir::Kind::Method(inner, name, args, _) if crate::language::array::part(name, args).is_some() => {
                self.part_of_grid(inner, name, args, to)
            }
            ir::Kind::Method(inner, name, args, _)
                if args.is_empty()
                    && matches!(
                        name.as_str(),
                        "as_slice" | "as_mut_slice" | "as_ref" | "as_mut" | "view" | "view_mut"
                    ) =>
            {
                self.view(inner, to)
            }
            // The bytes of a number.
            ir::Kind::Method(_, name, ..) if matches!(name.as_str(), "to_le_bytes" | "to_be_bytes") && !self.quiet => {
                let node = self.expr(e);
                let held = self.hold("bytes", node, to);
                self.local_view(held, to)
            }
            ir::Kind::Array(_) | ir::Kind::Repeat(..) => {
                let node = self.expr(e);
                let held = self.hold("list", node, to);
                self.local_view(held, to)
            }
            // A part that is chosen.
            ir::Kind::If(..) | ir::Kind::Match(..) | ir::Kind::Block(_) if !self.quiet => {
                let node = self.expr(e);
                self.local_view(node, to)
            }
            _ => None,
        }
    }

    /// The elements of an array that the iteration holds, or those that a pair stands for.
    pub fn local_view(&mut self, node: Node, to: &mut Vec<Statement>) -> Option<View> {
        match self.types.shallow(&node.ty) {
            Ty::Array(element, length) => {
                Some(View { base: Base::Local(node.boxed(), length), element: *element, part: None, shape: None })
            }
            Ty::Unknown(_) => {
                let (element, length) = self.types.lengthened(&node.ty)?;
                let at = node.at;
                let length = self.capture(&length.to_string(), &length, Ty::USIZE, at);
                let none = self.number(0, at);
                Some(View {
                    base: Base::Local(node.boxed(), usize::MAX),
                    element,
                    part: Some((none, length)),
                    shape: None,
                })
            }
            Ty::View(base, element) => {
                let at = node.at;
                let pair = self.hold("part", node, to).boxed();
                let member = |number| self.node(Kind::Member(pair.clone(), number), Ty::USIZE, at);
                Some(View { base: (*base).clone(), element: *element, part: Some((member(0), member(1))), shape: None })
            }
            _ => None,
        }
    }

    /// A part of an array as a value: where it starts, and how long it is.
    pub fn pair(&mut self, view: &View, at: Place) -> Node {
        if matches!(view.base, Base::Array(Array::Bins(_))) {
            return self.stuck(at, "a histogram is used as a whole: a device can only put values into it");
        }
        if view.shape.as_ref().is_some_and(|shape| shape.len() > 1) {
            return self
                .stuck(at, "an array of several axes is used as a whole: a device takes its elements one by one");
        }
        let (first, length) = match &view.part {
            Some((first, length)) => (first.clone(), length.clone()),
            None => (self.number(0, at), self.length(view, at)),
        };
        let ty = Ty::View(Rc::new(view.base.clone()), Box::new(view.element.clone()));
        self.node(Kind::Tuple(vec![first, length]), ty, at)
    }

    pub fn number(&self, n: usize, at: Place) -> Node {
        self.node(Kind::Integer(n as u128), Ty::USIZE, at)
    }

    pub fn binary(&self, op: Op, a: Node, b: Node) -> Node {
        let (ty, at) = if op.is_comparison() { (Ty::BOOL, a.at) } else { (a.ty.clone(), a.at) };
        self.node(Kind::Binary(op, a.boxed(), b.boxed()), ty, at)
    }

    pub fn length(&self, view: &View, at: Place) -> Node {
        match (&view.part, &view.base) {
            (Some((_, length)), _) => length.clone(),
            (None, Base::Array(array)) => self.node(Kind::Length(*array), Ty::USIZE, at),
            (None, Base::Local(_, length)) => self.number(*length, at),
        }
    }

    pub fn within(&self, index: Node, length: Node) -> Node {
        let at = index.at;
        self.node(Kind::Within(index.boxed(), length.boxed()), Ty::USIZE, at)
    }

    /// `view[from..end]`.
    pub fn part(
        &mut self,
        view: View,
        from: Option<Node>,
        end: Option<Node>,
        inclusive: bool,
        at: Place,
        to: &mut Vec<Statement>,
    ) -> View {
        let length = self.length(&view, at);
        let one = self.number(1, at);
        let end = match end {
            Some(end) => {
                let end = if inclusive { self.binary(Op::Add, end, one.clone()) } else { end };
                let beyond = self.binary(Op::Add, length, one.clone());
                let end = self.within(end, beyond);
                self.hold("end", end, to)
            }
            None => length,
        };
        let (from, length) = match from {
            None => (None, end),
            Some(from) => {
                let beyond = self.binary(Op::Add, end.clone(), one);
                let from = self.within(from, beyond);
                let from = self.hold("from", from, to);
                let length = self.binary(Op::Sub, end, from.clone());
                (Some(from), self.hold("length", length, to))
            }
        };
        let first = match (from, &view.part) {
            (None, None) => self.number(0, at),
            (None, Some((first, _))) => first.clone(),
            (Some(from), None) => from,
            (Some(from), Some((first, _))) => {
                let first = self.binary(Op::Add, first.clone(), from);
                self.hold("first", first, to)
            }
        };
        let view = self.fixed_view(view, to);
        View { part: Some((first, length)), shape: None, ..view }
    }

    /// A view that stays where it is when an index changes that led to it.
    pub fn fixed_view(&mut self, view: View, to: &mut Vec<Statement>) -> View {
        let base = match view.base {
            Base::Local(node, length) => Base::Local(self.fixed(*node, to).boxed(), length),
            array => array,
        };
        View { base, ..view }
    }

    /// `length` elements of a view from one on, which are known to be there.
    pub fn piece(&mut self, view: &View, first: Node, length: Node, to: &mut Vec<Statement>) -> View {
        let first = match &view.part {
            None => first,
            Some((before, _)) => self.binary(Op::Add, before.clone(), first),
        };
        let first = self.hold("first", first, to);
        View { part: Some((first, length)), ..view.clone() }
    }

    /// An element of a view; `known` says that it is there.
    pub fn element(&mut self, view: &View, index: Node, known: bool) -> Node {
        let at = index.at;
        let index = match &view.part {
            None => index,
            Some((first, length)) => {
                let index = if known { index } else { self.within(index, length.clone()) };
                match first.kind {
                    Kind::Integer(0) => index,
                    _ => self.binary(Op::Add, first.clone(), index),
                }
            }
        };
        let kind = match &view.base {
            Base::Array(array) => Kind::Load(*array, index.boxed()),
            Base::Local(node, _) => Kind::Element(node.clone(), index.boxed()),
        };
        self.node(kind, view.element.clone(), at)
    }

    pub fn index(&mut self, e: &Expr) -> Node {
        let index = self.expr(e);
        self.same(&index.ty, &Ty::USIZE, Place::from(e));
        index
    }

    pub fn indexed(&mut self, e: &Expr, base: &Expr, index: &Expr, at: Place) -> Node {
        if matches!(index.bare().kind, ir::Kind::Range(..)) || self.named_range(index).is_some() {
            if self.quiet {
                let base = self.expr(base).ty;
                let element = self.types.element(&base);
                return self.node(Kind::Unit, Ty::Slice(Box::new(element)), at);
            }
            let mut before = Vec::new();
            return match self.view(e, &mut before) {
                Some(view) => {
                    let pair = self.pair(&view, at);
                    self.after(before, pair)
                }
                None => {
                    self.stuck(at, format!("`{}` is a part of what is no array that a device has", shown(&e.text())))
                }
            };
        }
        if let Some(node) = self.constant_element(e, at) {
            return node;
        }
        let mut before = Vec::new();
        let node = match self.view(base, &mut before) {
            Some(view) if view.shape.as_ref().is_some_and(|shape| shape.len() > 1 || is_list(index)) => {
                let shape = view.shape.clone().unwrap_or_default();
                let indices = self.index_list(index, shape.len(), &mut before);
                self.grid_element(&view, &shape, indices)
            }
            Some(view) => {
                let index = self.index(index);
                self.element(&view, index, false)
            }
            None => {
                let base = self.expr(base);
                let index = self.index(index);
                let element = self.types.element(&base.ty);
                self.node(Kind::Element(base.boxed(), index.boxed()), element, at)
            }
        };
        self.after(before, node)
    }
}

/// Whether an index is written as one for each axis.
fn is_list(index: &Expr) -> bool {
    matches!(index.bare().kind, ir::Kind::Array(_) | ir::Kind::Tuple(_))
}
