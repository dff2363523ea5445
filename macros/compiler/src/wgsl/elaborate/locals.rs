//! The variables of a body.

use crate::ir::report::Location;
use crate::wgsl::tree::{Array, Base, Node, NodeKind, Statement, Ty, Var, Variable, View};

/// The variables of a body.
#[derive(Debug, Default)]
pub struct Locals {
    pub all: Vec<Variable>,
    /// The copies of arrays that the loops around this place go over.
    pub copies: Vec<ArrayCopy>,
}

/// A variable that holds a copy of an array, and the place of the array.
#[derive(Debug)]
pub struct ArrayCopy {
    pub variable: Var,
    pub place: Node,
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
        let end = match end {
            Some(end) => {
                let end = if inclusive { end + 1 } else { end };
                self.hold("end", end.within(length + 1), to)
            }
            None => length,
        };
        let (from, length) = match from {
            None => (None, end),
            Some(from) => {
                let from = self.hold("from", from.within(end.clone() + 1), to);
                (Some(from.clone()), self.hold("length", end - from, to))
            }
        };
        let first = match (from, &view.part) {
            (None, None) => Node::usize(0, at),
            (None, Some((first, _))) => first.clone(),
            (Some(from), None) => from,
            (Some(from), Some((first, _))) => self.hold("first", first.clone() + from, to),
        };
        let view = self.fixed_view(view, to);
        View { part: Some((first, length)), shape: None, ..view }
    }

    /// `length` elements of a view from one on, which are known to be there.
    pub fn piece(&mut self, view: &View, first: Node, length: Node, to: &mut Vec<Statement>) -> View {
        let first = match &view.part {
            None => first,
            Some((before, _)) => before.clone() + first,
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

    /// A variable with its first value.
    pub fn set_up(&mut self, name: &str, value: Node, mutable: bool, to: &mut Vec<Statement>) -> Var {
        let variable = self.add(name, value.ty.clone(), mutable);
        to.push(Statement::Let(variable, Some(value)));
        variable
    }

    /// A variable that changes, to be read and written.
    pub fn changing(&mut self, name: &str, first: Node, to: &mut Vec<Statement>) -> Node {
        let at = first.at;
        let variable = self.set_up(name, first, true, to);
        self.read(variable, at)
    }
}
