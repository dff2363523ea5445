//! Methods of arrays and slices that go over their elements.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::std::MethodCall;
use crate::wgsl::tree::{Item, Node, NodeKind, Statement, Ty, View};

/// The most elements of an array that are written one by one.
const WRITTEN_OUT: usize = 16;

impl MethodCall<'_> {
    /// A method that goes over elements, or gives their number.
    pub fn array_method(&self, walk: &mut Elaborate<'_>) -> Option<Node> {
        let MethodCall { receiver, name, args, at, .. } = *self;
        let mut before = Vec::new();
        let node = match (name, args) {
            ("len", []) => walk.length_of(receiver, &mut before, at)?,
            ("is_empty", []) => {
                let length = walk.length_of(receiver, &mut before, at)?;
                walk.operation(Op::Eq, length, Node::usize(0, at), at)
            }
            ("swap", [a, b]) => {
                let view = walk.view(receiver, &mut before)?;
                let (a, b) = (walk.index(a), walk.index(b));
                let (a, b) = (walk.locals.hold("a", a, &mut before), walk.locals.hold("b", b, &mut before));
                walk.exchange(view.element(a, false), view.element(b, false), at)
            }
            ("reverse", []) => match walk.view(receiver, &mut before) {
                Some(view) => walk.turned(&view, &mut before, at),
                // Of an `Ordering`.
                None => {
                    let order = walk.expr(receiver);
                    walk.same(&order.ty, &Ty::ORDERING, at);
                    Node::new(NodeKind::Negative(order.boxed()), Ty::ORDERING, at)
                }
            },
            ("contains", [value]) => {
                let view = walk.view(receiver, &mut before)?;
                let value = walk.expr(value);
                let value = walk.locals.hold("value", value, &mut before);
                let found = walk.locals.changing("found", Node::bool(false, at), &mut before);
                let node = walk.each(&view, at, &mut |this, place, _| {
                    let equal = this.operation(Op::Eq, place, value.clone(), at);
                    let either = this.operation(Op::OrOr, found.clone(), equal, at);
                    Statement::set(found.clone(), either)
                });
                before.push(Statement::Do(node));
                found
            }
            ("fill", [value]) => {
                let view = walk.view(receiver, &mut before)?;
                let value = walk.expr(value);
                walk.same(&view.element, &value.ty, at);
                let value = walk.locals.hold("value", value, &mut before);
                walk.each(&view, at, &mut |this, place, _| {
                    this.check_place(&place);
                    Statement::set(place, value.clone())
                })
            }
            ("copy_from_slice" | "clone_from_slice", [from]) => self.copy(walk, from, &mut before)?,
            ("map", [closure]) => self.mapped(walk, closure, &mut before)?,
            _ => return None,
        };
        Some(node.after(before))
    }

    fn copy(&self, walk: &mut Elaborate<'_>, from: &Expr, before: &mut Vec<Statement>) -> Option<Node> {
        let MethodCall { receiver, at, .. } = *self;
        let view = walk.view(receiver, before)?;
        let from = walk.view(from, before)?;
        walk.same(&view.element, &from.element, at);
        let differ = walk.operation(Op::Ne, view.length(at), from.length(at), at);
        before.push(Statement::Do(Node::when(differ, walk.panics(at))));
        Some(walk.each(&view, at, &mut |this, place, position| {
            this.check_place(&place);
            Statement::set(place, from.element(position, true))
        }))
    }

    /// `[a, b].map(|v| ..)`: an array again.
    fn mapped(&self, walk: &mut Elaborate<'_>, closure: &Expr, before: &mut Vec<Statement>) -> Option<Node> {
        let MethodCall { receiver, at, .. } = *self;
        let known = walk.obstacles.len();
        let array = walk.expr(receiver);
        let Ty::Array(element, length) = walk.types.shallow(&array.ty) else {
            // The obstacle is reported for the whole expression.
            walk.obstacles.truncate(known);
            return None;
        };
        walk.take_closure(closure, before);
        let result = walk.types.unknown();
        let ty = Ty::Array(Box::new(result.clone()), length);
        if length > WRITTEN_OUT {
            let array = walk.locals.hold("array", array, before);
            let mapped = walk.locals.changing("mapped", Node::new(NodeKind::Default, ty, at), before);
            let view = walk.local_view(mapped.clone(), before)?;
            let from = walk.local_view(array, before)?;
            let node = walk.each(&view, at, &mut |this, place, position| {
                let value = this.apply_to(closure, &from.element(position, true), at);
                this.same(&result, &value.ty, at);
                Statement::set(place, value)
            });
            before.push(Statement::Do(node));
            return Some(mapped);
        }
        let parts: Vec<Node> = match array.kind {
            NodeKind::Array(parts) => parts.into_iter().map(|part| walk.locals.hold("part", part, before)).collect(),
            _ => {
                let array = walk.locals.hold("array", array, before).boxed();
                let part = |k| {
                    let index = Node::usize(k, at).boxed();
                    Node::new(NodeKind::Element(array.clone(), index), (*element).clone(), at)
                };
                (0..length).map(part).collect()
            }
        };
        let mut values = Vec::new();
        for part in parts {
            let value = walk.apply_to(closure, &part, at);
            walk.same(&result, &value.ty, at);
            values.push(value);
        }
        Some(Node::new(NodeKind::Array(values), ty, at))
    }

    /// An element of a slice, or a part, where there is one.
    pub fn element_if_there(&self, walk: &mut Elaborate<'_>) -> Option<Node> {
        let MethodCall { receiver, name, args, at, .. } = *self;
        let (("get", [_]) | ("split_first" | "split_last" | "first" | "last", [])) = (name, args) else { return None };
        let mut before = Vec::new();
        let view = walk.view(receiver, &mut before).filter(|view| view.shape.is_none())?;
        let (none, length) = (Node::usize(0, at), view.length(at));
        if let [index] = args
            && !matches!(index.bare().kind, ir::Kind::Range(..))
        {
            let index = walk.index(index);
            let index = walk.locals.hold("index", index, &mut before);
            let there = walk.operation(Op::Lt, index.clone(), length, at);
            return Some(walk.some_if(there, view.element(index, true), at).after(before));
        }
        let length = walk.locals.hold("length", length, &mut before);
        if let [range] = args {
            let ir::Kind::Range(from, end, inclusive) = &range.bare().kind else { return None };
            let from = from.as_ref().map_or(none, |from| walk.index(from));
            let from = walk.locals.hold("from", from, &mut before);
            let end = end.as_ref().map_or(length.clone(), |end| walk.index(end));
            let end = if *inclusive { end + 1 } else { end };
            let end = walk.locals.hold("end", end, &mut before);
            let ordered = walk.operation(Op::Le, from.clone(), end.clone(), at);
            let inside = walk.operation(Op::Le, end.clone(), length, at);
            let there = walk.operation(Op::AndAnd, ordered, inside, at);
            let piece = walk.locals.piece(&view, from.clone(), Node::saturating_sub(end, from), &mut before);
            let pair = walk.pair(&piece, at);
            return Some(walk.some_if(there, pair, at).after(before));
        }
        let there = walk.operation(Op::Gt, length.clone(), none.clone(), at);
        let value = match name {
            "first" => view.element(none, true),
            "last" => view.element(length - 1, true),
            _ => {
                let rest = Node::saturating_sub(length, Node::usize(1, at));
                let rest = walk.locals.hold("rest", rest, &mut before);
                let first = name == "split_first";
                let element = view.element(if first { none.clone() } else { rest.clone() }, true);
                let from = if first { Node::usize(1, at) } else { none };
                let piece = walk.locals.piece(&view, from, rest, &mut before);
                walk.tuple(vec![Item::Value(element), Item::View(piece)], at)
            }
        };
        Some(walk.some_if(there, value, at).after(before))
    }
}

impl Elaborate<'_> {
    /// The elements of a view the other way round.
    pub fn turned(&mut self, view: &View, before: &mut Vec<Statement>, at: Location) -> Node {
        let length = self.locals.hold("length", view.length(at), before);
        self.positions([Node::usize(0, at), length.clone() / 2], |this, position, _| {
            let other = length - 1 - position.clone();
            vec![Statement::Do(this.exchange(view.element(position, true), view.element(other, true), at))]
        })
    }

    /// A statement for each element of a view, by its place and its position.
    fn each(&mut self, view: &View, at: Location, run: &mut dyn FnMut(&mut Self, Node, Node) -> Statement) -> Node {
        self.positions([Node::usize(0, at), view.length(at)], |this, position, _| {
            vec![run(this, view.element(position.clone(), true), position)]
        })
    }
}
