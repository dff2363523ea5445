//! The variables of a body, and what they hold.

use crate::ir::Op;
use crate::ir::report::Location;
use crate::wgsl::tree::{Array, Base, Node, NodeKind, Statement, Ty, Var, Variable, View};

/// The variables of a body.
#[derive(Debug, Default)]
pub struct Locals {
    pub all: Vec<Variable>,
}

impl Locals {
    pub fn add(&mut self, name: &str, ty: Ty, mutable: bool) -> Var {
        self.all.push(Variable { name: name.to_owned(), ty, mutable });
        self.all.len() - 1
    }

    pub fn read(&self, variable: Var, at: Location) -> Node {
        Node::new(NodeKind::Variable(variable), self.all[variable].ty.clone(), at)
    }

    /// Holds a value in a variable, so that it can be used more than once.
    pub fn hold(&mut self, name: &str, value: Node, to: &mut Vec<Statement>) -> Node {
        if matches!(value.kind, NodeKind::Variable(v) if !self.all[v].mutable)
            || matches!(value.kind, NodeKind::Integer(_) | NodeKind::Value(_) | NodeKind::Length(_))
        {
            return value;
        }
        let at = value.at;
        let variable = self.add(name, value.ty.clone(), false);
        to.push(Statement::Let(variable, Some(value)));
        self.read(variable, at)
    }

    /// A place whose indices do not change any more.
    pub fn fixed(&mut self, place: Node, to: &mut Vec<Statement>) -> Node {
        let Node { kind, ty, at } = place;
        let kind = match kind {
            NodeKind::Load(array, index) => NodeKind::Load(array, self.hold("index", *index, to).boxed()),
            NodeKind::Element(base, index) => {
                let base = self.fixed(*base, to);
                NodeKind::Element(base.boxed(), self.hold("index", *index, to).boxed())
            }
            NodeKind::Member(base, number) => NodeKind::Member(self.fixed(*base, to).boxed(), number),
            NodeKind::Field(base, field) => NodeKind::Field(self.fixed(*base, to).boxed(), field),
            other => other,
        };
        Node { kind, ty, at }
    }

    /// A view that stays where it is when an index changes that led to it.
    pub fn fixed_view(&mut self, view: View, to: &mut Vec<Statement>) -> View {
        let base = match view.base {
            Base::Local(node, length) => Base::Local(self.fixed(*node, to).boxed(), length),
            array => array,
        };
        View { base, ..view }
    }

    /// `view[from..end]`.
    pub fn part(
        &mut self,
        view: View,
        from: Option<Node>,
        end: Option<Node>,
        inclusive: bool,
        at: Location,
        to: &mut Vec<Statement>,
    ) -> View {
        let length = view.length(at);
        let one = Node::usize(1, at);
        let end = match end {
            Some(end) => {
                let end = if inclusive { Node::binary(Op::Add, end, one.clone()) } else { end };
                let beyond = Node::binary(Op::Add, length, one.clone());
                let end = end.within(beyond);
                self.hold("end", end, to)
            }
            None => length,
        };
        let (from, length) = match from {
            None => (None, end),
            Some(from) => {
                let beyond = Node::binary(Op::Add, end.clone(), one);
                let from = from.within(beyond);
                let from = self.hold("from", from, to);
                let length = Node::binary(Op::Sub, end, from.clone());
                (Some(from), self.hold("length", length, to))
            }
        };
        let first = match (from, &view.part) {
            (None, None) => Node::usize(0, at),
            (None, Some((first, _))) => first.clone(),
            (Some(from), None) => from,
            (Some(from), Some((first, _))) => {
                let first = Node::binary(Op::Add, first.clone(), from);
                self.hold("first", first, to)
            }
        };
        let view = self.fixed_view(view, to);
        View { part: Some((first, length)), shape: None, ..view }
    }

    /// `length` elements of a view from one on, which are known to be there.
    pub fn piece(&mut self, view: &View, first: Node, length: Node, to: &mut Vec<Statement>) -> View {
        let first = match &view.part {
            None => first,
            Some((before, _)) => Node::binary(Op::Add, before.clone(), first),
        };
        let first = self.hold("first", first, to);
        View { part: Some((first, length)), ..view.clone() }
    }

    /// Whether another name for a place is a `&mut`.
    pub fn may_change(&self, place: &Node) -> bool {
        match &place.kind {
            NodeKind::Variable(variable) => self.all[*variable].mutable,
            NodeKind::Element(base, _) | NodeKind::Member(base, _) | NodeKind::Field(base, _) => self.may_change(base),
            NodeKind::State(..) | NodeKind::Load(Array::Slot(_) | Array::Given(_), _) => true,
            _ => false,
        }
    }

    /// A variable that counts.
    pub fn counter(&mut self, name: &str, from: Node, to: &mut Vec<Statement>) -> Node {
        let at = from.at;
        let variable = self.add(name, Ty::USIZE, true);
        to.push(Statement::Let(variable, Some(from)));
        self.read(variable, at)
    }
}
