//! Nodes that many places make.

use crate::ir::Op;
use crate::ir::report::Location;
use crate::wgsl::tree::{Base, Node, NodeKind, Statement, Target, Total, Ty, View};

impl Node {
    pub fn new(kind: NodeKind, ty: Ty, at: Location) -> Node {
        Node { kind, ty, at }
    }

    pub fn unit(at: Location) -> Node {
        Node::new(NodeKind::Unit, Ty::unit(), at)
    }

    pub fn bool(value: bool, at: Location) -> Node {
        Node::new(NodeKind::Bool(value), Ty::BOOL, at)
    }

    /// An index or a length.
    pub fn usize(n: usize, at: Location) -> Node {
        Node::integer(n as u128, Ty::USIZE, at)
    }

    pub fn integer(value: u128, ty: Ty, at: Location) -> Node {
        Node::new(NodeKind::Integer(value), ty, at)
    }

    pub fn not(condition: Node) -> Node {
        let at = condition.at;
        Node::new(NodeKind::Not(condition.boxed()), Ty::BOOL, at)
    }

    /// An operation of two values of one type that has no operators of its own.
    pub fn binary(op: Op, a: Node, b: Node) -> Node {
        let (ty, at) = if op.is_comparison() { (Ty::BOOL, a.at) } else { (a.ty.clone(), a.at) };
        Node::new(NodeKind::Binary(op, a.boxed(), b.boxed()), ty, at)
    }

    /// Sums as the accumulators do them.
    pub fn total(how: Total, a: Node, b: Node) -> Node {
        let (ty, at) = (a.ty.clone(), a.at);
        Node::new(NodeKind::Total(how, a.boxed(), b.boxed()), ty, at)
    }

    /// A function of the device: `fa_NAME_TYPE`.
    pub fn method(name: &str, args: Vec<Node>, gives: Ty, at: Location) -> Node {
        Node::new(NodeKind::Method(name.to_owned(), args), gives, at)
    }

    /// The lesser of two lengths.
    pub fn min(a: Node, b: Node) -> Node {
        let at = a.at;
        Node::method("min", vec![a, b], Ty::USIZE, at)
    }

    /// The difference of two lengths, or none.
    pub fn saturating_sub(a: Node, b: Node) -> Node {
        let at = a.at;
        Node::method("saturating_sub", vec![a, b], Ty::USIZE, at)
    }

    /// The same value in another type.
    pub fn cast(self, ty: Ty) -> Node {
        let at = self.at;
        Node::new(NodeKind::Cast(self.boxed()), ty, at)
    }

    /// An index that must be below a length.
    pub fn within(self, length: Node) -> Node {
        let at = self.at;
        Node::new(NodeKind::Within(self.boxed(), length.boxed()), Ty::USIZE, at)
    }

    /// `Some(value)`.
    pub fn some(value: Node) -> Node {
        let (ty, at) = (Ty::Option(Box::new(value.ty.clone())), value.at);
        Node::new(NodeKind::Tuple(vec![Node::bool(true, at), value]), ty, at)
    }

    pub fn none(of: Ty, at: Location) -> Node {
        let nothing = Node::new(NodeKind::Nothing, of.clone(), at);
        Node::new(NodeKind::Tuple(vec![Node::bool(false, at), nothing]), Ty::Option(Box::new(of)), at)
    }

    /// Leaves a loop or a block without a value.
    pub fn leave(target: Target, at: Location) -> Node {
        Node::new(NodeKind::Break(target, Node::unit(at).boxed()), Ty::Never, at)
    }

    /// Zero minus this.
    pub fn negative(self) -> Node {
        let zero = Node::new(NodeKind::Zero, self.ty.clone(), self.at);
        Node::total(Total::Minus, zero, self)
    }

    /// A choice without a value.
    pub fn when(condition: Node, then: Node) -> Node {
        let at = condition.at;
        Node::new(NodeKind::If(condition.boxed(), then.boxed(), Node::unit(at).boxed()), Ty::unit(), at)
    }

    pub fn tuple(parts: Vec<Node>, at: Location) -> Node {
        let ty = Ty::Tuple(parts.iter().map(|part| part.ty.clone()).collect());
        Node::new(NodeKind::Tuple(parts), ty, at)
    }

    /// A part of a tuple.
    pub fn member(&self, number: usize, ty: Ty, at: Location) -> Node {
        Node::new(NodeKind::Member(self.clone().boxed(), number), ty, at)
    }

    /// Statements, and then this value.
    pub fn after(self, statements: Vec<Statement>) -> Node {
        if statements.is_empty() {
            return self;
        }
        let (ty, at) = (self.ty.clone(), self.at);
        Node::new(NodeKind::Block(statements, self.boxed()), ty, at)
    }
}

/// Operations on lengths and indices.
macro_rules! operators {
    ($($operator:ident $method:ident)*) => {$(
        impl std::ops::$operator for Node {
            type Output = Node;

            fn $method(self, other: Node) -> Node {
                Node::binary(Op::$operator, self, other)
            }
        }

        impl std::ops::$operator<usize> for Node {
            type Output = Node;

            fn $method(self, other: usize) -> Node {
                let other = Node::usize(other, self.at);
                Node::binary(Op::$operator, self, other)
            }
        }
    )*};
}

operators! { Add add Sub sub Mul mul Div div Rem rem }

impl Statement {
    /// Puts a value into a place.
    pub fn set(place: Node, value: Node) -> Statement {
        let at = place.at;
        Statement::Do(Node::new(NodeKind::Assign(place.boxed(), None, value.boxed()), Ty::unit(), at))
    }
}

impl View {
    /// All elements of an array.
    pub fn whole(base: Base, element: Ty) -> View {
        View { base, element, part: None, shape: None }
    }

    pub fn length(&self, at: Location) -> Node {
        match (&self.part, &self.base) {
            (Some((_, length)), _) => length.clone(),
            (None, Base::Array(array)) => Node::new(NodeKind::Length(*array), Ty::USIZE, at),
            (None, Base::Local(_, length)) => Node::usize(*length, at),
        }
    }

    /// One of its elements; `known` says that it is there.
    pub fn element(&self, index: Node, known: bool) -> Node {
        let at = index.at;
        let index = match &self.part {
            None => index,
            Some((first, length)) => {
                let index = if known { index } else { index.within(length.clone()) };
                match first.kind {
                    NodeKind::Integer(0) => index,
                    _ => first.clone() + index,
                }
            }
        };
        let kind = match &self.base {
            Base::Array(array) => NodeKind::Load(*array, index.boxed()),
            Base::Local(node, _) => NodeKind::Element(node.clone(), index.boxed()),
        };
        Node::new(kind, self.element.clone(), at)
    }
}
