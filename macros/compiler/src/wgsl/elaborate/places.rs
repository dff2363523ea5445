//! Assignments, and the places that may change.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::infer::operators::is_arithmetic;
use crate::wgsl::tree::{Array, Node, NodeKind, Statement, Ty};

impl Elaborate<'_> {
    pub fn assign(&mut self, place: &Expr, op: Option<Op>, value: &Expr, at: Location) -> Node {
        match &place.bare().kind {
            ir::Kind::Name(_) | ir::Kind::Path if place.is_code("_") => return self.expr(value),
            ir::Kind::Tuple(parts) if op.is_none() => return self.assign_tuple(parts, value, at),
            _ => {}
        }
        let (place, value) = (self.expr(place), self.expr(value));
        self.check_place(&place);
        match op {
            None => self.same(&place.ty, &value.ty, at),
            Some(op) if is_arithmetic(op) => return self.change(op, place, value, at),
            Some(_) => {}
        }
        Node::new(NodeKind::Assign(place.boxed(), op, value.boxed()), Ty::unit(), at)
    }

    /// `(a, b) = value`.
    fn assign_tuple(&mut self, parts: &[Expr], value: &Expr, at: Location) -> Node {
        let value = self.expr(value);
        let types: Vec<Ty> = parts.iter().map(|_| self.types.unknown()).collect();
        self.same(&value.ty, &Ty::Tuple(types.clone()), at);
        let mut statements = Vec::new();
        let whole = self.locals.set_up("parts", value, false, &mut statements);
        let whole = self.locals.read(whole, at);
        for (number, (part, ty)) in parts.iter().zip(types).enumerate().filter(|(_, (part, _))| !part.is_code("_")) {
            let place = self.expr(part);
            self.same(&place.ty, &ty, at);
            self.check_place(&place);
            statements.push(Statement::set(place, whole.member(number, ty, at)));
        }
        Node::unit(at).after(statements)
    }

    pub fn check_place(&mut self, place: &Node) {
        let fine = match &place.kind {
            NodeKind::Variable(_) | NodeKind::State(..) | NodeKind::Load(Array::Slot(_) | Array::Given(_), _) => true,
            NodeKind::Element(base, _) | NodeKind::Member(base, _) | NodeKind::Field(base, _) => {
                self.check_place(base);
                true
            }
            _ => false,
        };
        if !fine {
            self.obstacle(place.at, "something is changed that a device does not hold for the iteration");
        }
    }

    /// Two places, exchanged.
    pub fn exchange(&mut self, a: Node, b: Node, at: Location) -> Node {
        let mut statements = Vec::new();
        self.same(&a.ty, &b.ty, at);
        self.check_place(&a);
        self.check_place(&b);
        let (a, b) = (self.locals.fixed(a, &mut statements), self.locals.fixed(b, &mut statements));
        let [one, two] = [("one", &a), ("two", &b)].map(|(name, value)| {
            let variable = self.locals.set_up(name, value.clone(), false, &mut statements);
            self.locals.read(variable, at)
        });
        statements.extend([Statement::set(a, two), Statement::set(b, one)]);
        Node::unit(at).after(statements)
    }

    /// Whether iterations may change a place.
    pub fn is_changed(&self, place: &Node) -> bool {
        match &place.kind {
            NodeKind::Variable(variable) => self.locals.all[*variable].mutable,
            NodeKind::Element(base, _) | NodeKind::Member(base, _) | NodeKind::Field(base, _) => self.is_changed(base),
            NodeKind::Load(Array::Slot(slot), _) => {
                self.input.plan.is_some_and(|plan| plan.device_arrays().get(*slot).is_some_and(|array| array.writes))
            }
            NodeKind::State(..) | NodeKind::Load(Array::Given(_), _) => true,
            _ => false,
        }
    }
}
