//! Methods of arrays and slices that go over their elements.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::tree::{Count, Item, Node, NodeKind, Statement, Ty, View};

/// How long an array is of which each element is written by itself.
pub const WRITTEN_OUT: usize = 16;

impl Elaborate<'_> {
    /// A method that goes over elements, or asks how many there are.
    pub fn array_method(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        let mut before = Vec::new();
        match (name, args) {
            ("len", []) => self.length_of(receiver, &mut before, at).map(|length| length.after(before)),
            ("is_empty", []) => {
                let length = self.length_of(receiver, &mut before, at)?;
                Some(self.operation(Op::Eq, length, Node::usize(0, at), at).after(before))
            }
            ("swap", [a, b]) => {
                let view = self.view(receiver, &mut before)?;
                let (a, b) = (self.index(a), self.index(b));
                let (a, b) = (self.locals.hold("a", a, &mut before), self.locals.hold("b", b, &mut before));
                let (a, b) = (view.element(a, false), view.element(b, false));
                Some(self.exchange(a, b, at).after(before))
            }
            ("reverse", []) => self.reversed(receiver, at),
            ("contains", [value]) => self.contains(receiver, value, at),
            ("fill", [value]) => self.fill(receiver, value, at),
            ("copy_from_slice" | "clone_from_slice", [from]) => self.copy(receiver, from, at),
            ("map", [closure]) => self.mapped(receiver, closure, at),
            _ => None,
        }
    }

    /// `part.reverse()`; of an `Ordering`, the other way round.
    fn reversed(&mut self, receiver: &Expr, at: Location) -> Option<Node> {
        let mut before = Vec::new();
        let Some(view) = self.view(receiver, &mut before) else {
            let order = self.expr(receiver);
            self.same(&order.ty, &Ty::ORDERING, at);
            return Some(Node::new(NodeKind::Negative(order.boxed()), Ty::ORDERING, at));
        };
        let node = self.turned(&view, &mut before, at);
        Some(node.after(before))
    }

    /// The elements of a view the other way round.
    pub fn turned(&mut self, view: &View, before: &mut Vec<Statement>, at: Location) -> Node {
        let length = view.length(at);
        let length = self.locals.hold("length", length, before);
        let (one, two) = (Node::usize(1, at), Node::usize(2, at));
        let half = Node::binary(Op::Div, length.clone(), two);
        let (target, variable) = (self.exits.target(), self.locals.add("k", Ty::USIZE, false));
        let position = self.locals.read(variable, at);
        let last = Node::binary(Op::Sub, length, one);
        let other = Node::binary(Op::Sub, last, position.clone());
        let (a, b) = (view.element(position, true), view.element(other, true));
        let body = self.exchange(a, b, at);
        let from = Node::usize(0, at);
        let count = Count { target, variable, from, to: half, inclusive: false, down: false, body };
        Node::new(NodeKind::Count(Box::new(count)), Ty::unit(), at)
    }

    /// `part.contains(&value)`.
    pub fn contains(&mut self, receiver: &Expr, value: &Expr, at: Location) -> Option<Node> {
        let mut before = Vec::new();
        let view = self.view(receiver, &mut before)?;
        let value = self.expr(value);
        let value = self.locals.hold("value", value, &mut before);
        let no = Node::bool(false, at);
        let found = self.locals.add("found", Ty::BOOL, true);
        before.push(Statement::Let(found, Some(no)));
        let found = self.locals.read(found, at);
        let node = self.each(&view, at, &mut before, &mut |this, place, _| {
            let equal = this.operation(Op::Eq, place, value.clone(), at);
            let either = this.operation(Op::OrOr, found.clone(), equal, at);
            Statement::set(found.clone(), either)
        });
        before.push(Statement::Do(node));
        Some(found.after(before))
    }

    fn fill(&mut self, receiver: &Expr, value: &Expr, at: Location) -> Option<Node> {
        let mut before = Vec::new();
        let view = self.view(receiver, &mut before)?;
        let value = self.expr(value);
        self.same(&view.element.clone(), &value.ty, at);
        let value = self.locals.hold("value", value, &mut before);
        let node = self.each(&view, at, &mut before, &mut |this, place, _| {
            this.check_place(&place);
            Statement::set(place, value.clone())
        });
        Some(node.after(before))
    }

    pub fn copy(&mut self, receiver: &Expr, from: &Expr, at: Location) -> Option<Node> {
        let mut before = Vec::new();
        let view = self.view(receiver, &mut before)?;
        let from = self.view(from, &mut before)?;
        self.same(&view.element.clone(), &from.element, at);
        let (a, b) = (view.length(at), from.length(at));
        let differ = self.operation(Op::Ne, a, b, at);
        let panics = self.panics(at);
        let nothing = Node::unit(at);
        before.push(Statement::Do(Node::new(
            NodeKind::If(differ.boxed(), panics.boxed(), nothing.boxed()),
            Ty::unit(),
            at,
        )));
        let node = self.each(&view, at, &mut before, &mut |this, place, position| {
            this.check_place(&place);
            let value = from.element(position, true);
            Statement::set(place, value)
        });
        Some(node.after(before))
    }

    /// `[a, b].map(|v| ..)`: an array again.
    fn mapped(&mut self, receiver: &Expr, closure: &Expr, at: Location) -> Option<Node> {
        let known = self.obstacles.len();
        let array = self.expr(receiver);
        let Ty::Array(element, length) = self.types.shallow(&array.ty) else {
            // What is in the way is said for the whole of it.
            self.obstacles.truncate(known);
            return None;
        };
        let mut before = Vec::new();
        self.take_closure(closure, &mut before);
        if length > WRITTEN_OUT {
            let array = self.locals.hold("array", array, &mut before);
            let result = self.types.unknown();
            let mapped = self.locals.add("mapped", Ty::Array(Box::new(result.clone()), length), true);
            let mapped = self.locals.read(mapped, at);
            let zero = Node::new(NodeKind::Default, mapped.ty.clone(), at);
            before.push(match mapped.kind {
                NodeKind::Variable(variable) => Statement::Let(variable, Some(zero)),
                _ => return None,
            });
            let view = self.local_view(mapped.clone(), &mut before)?;
            let from = self.local_view(array, &mut before)?;
            let node = self.each(&view, at, &mut before, &mut |this, place, position| {
                let value = from.element(position, true);
                let value = this.apply(closure, vec![Item::Value(value)], at);
                this.same(&result, &value.ty.clone(), at);
                Statement::set(place, value)
            });
            before.push(Statement::Do(node));
            return Some(mapped.after(before));
        }
        let parts: Vec<Node> = match array.kind {
            NodeKind::Array(parts) => {
                parts.into_iter().map(|part| self.locals.hold("part", part, &mut before)).collect()
            }
            _ => {
                let array = self.locals.hold("array", array, &mut before).boxed();
                let part = |k| {
                    let index = Node::usize(k, at).boxed();
                    Node::new(NodeKind::Element(array.clone(), index), (*element).clone(), at)
                };
                (0..length).map(part).collect()
            }
        };
        let result = self.types.unknown();
        let mut values = Vec::new();
        for part in parts {
            let value = self.apply(closure, vec![Item::Value(part)], at);
            self.same(&result, &value.ty.clone(), at);
            values.push(value);
        }
        let node = Node::new(NodeKind::Array(values), Ty::Array(Box::new(result), length), at);
        Some(node.after(before))
    }

    /// A statement for each element of a view.
    pub fn each(
        &mut self,
        view: &View,
        at: Location,
        _: &mut Vec<Statement>,
        run: &mut dyn FnMut(&mut Self, Node, Node) -> Statement,
    ) -> Node {
        let (target, variable) = (self.exits.target(), self.locals.add("k", Ty::USIZE, false));
        let position = self.locals.read(variable, at);
        let place = view.element(position.clone(), true);
        let statement = run(self, place, position);
        let unit = Node::unit(at);
        let body = unit.after(vec![statement]);
        let (from, to) = (Node::usize(0, at), view.length(at));
        let count = Count { target, variable, from, to, inclusive: false, down: false, body };
        Node::new(NodeKind::Count(Box::new(count)), Ty::unit(), at)
    }
    /// An element of a slice, or a part, where there is one.
    pub fn element_if_there(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        let mut before = Vec::new();
        let node = match (name, args) {
            ("get", [index]) if !matches!(index.bare().kind, ir::Kind::Range(..)) => {
                let view = self.view(receiver, &mut before).filter(|view| view.shape.is_none())?;
                let index = self.index(index);
                let index = self.locals.hold("index", index, &mut before);
                let length = view.length(at);
                let there = self.operation(Op::Lt, index.clone(), length, at);
                let element = view.element(index, true);
                self.some_if(there, element, at)
            }
            ("get", [range]) => {
                let view = self.view(receiver, &mut before).filter(|view| view.shape.is_none())?;
                let length = view.length(at);
                let length = self.locals.hold("length", length, &mut before);
                let (from, end, inclusive) = match &range.bare().kind {
                    ir::Kind::Range(from, end, inclusive) => (from, end, *inclusive),
                    _ => return None,
                };
                let from = match from {
                    Some(from) => self.index(from),
                    None => Node::usize(0, at),
                };
                let from = self.locals.hold("from", from, &mut before);
                let end = match end {
                    Some(end) => self.index(end),
                    None => length.clone(),
                };
                let end = if inclusive { Node::binary(Op::Add, end, Node::usize(1, at)) } else { end };
                let end = self.locals.hold("end", end, &mut before);
                let ordered = self.operation(Op::Le, from.clone(), end.clone(), at);
                let inside = self.operation(Op::Le, end.clone(), length, at);
                let there = self.operation(Op::AndAnd, ordered, inside, at);
                let length = Node::saturating_sub(end, from.clone());
                let piece = self.locals.piece(&view, from, length, &mut before);
                let pair = self.pair(&piece, at);
                self.some_if(there, pair, at)
            }
            ("split_first" | "split_last", []) => {
                let view = self.view(receiver, &mut before).filter(|view| view.shape.is_none())?;
                let length = view.length(at);
                let length = self.locals.hold("length", length, &mut before);
                let (none, one) = (Node::usize(0, at), Node::usize(1, at));
                let there = self.operation(Op::Gt, length.clone(), none.clone(), at);
                let rest = Node::saturating_sub(length, one.clone());
                let rest = self.locals.hold("rest", rest, &mut before);
                let (at_one, from) = if name == "split_first" { (none, one) } else { (rest.clone(), none) };
                let element = view.element(at_one, true);
                let piece = self.locals.piece(&view, from, rest, &mut before);
                let pair = self.pair(&piece, at);
                let both = self.tuple(vec![Item::Value(element), Item::Value(pair)], at);
                self.some_if(there, both, at)
            }
            ("first" | "last", []) => {
                let view = self.view(receiver, &mut before).filter(|view| view.shape.is_none())?;
                let length = view.length(at);
                let length = self.locals.hold("length", length, &mut before);
                let none = Node::usize(0, at);
                let there = self.operation(Op::Gt, length.clone(), none.clone(), at);
                let one = Node::usize(1, at);
                let index = if name == "first" { none } else { Node::binary(Op::Sub, length, one) };
                let element = view.element(index, true);
                self.some_if(there, element, at)
            }
            _ => return None,
        };
        Some(node.after(before))
    }
}
