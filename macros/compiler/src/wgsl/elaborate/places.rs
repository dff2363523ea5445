//! Places: what is changed, and what may be.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Op};
use crate::plan::SlotKind;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::infer::operators::is_arithmetic;
use crate::wgsl::tree::{Array, Node, NodeKind, Statement, Ty};

impl Elaborate<'_> {
    pub fn assign(&mut self, place: &Expr, op: Option<Op>, value: &Expr, at: Location) -> Node {
        let place = match &place.bare().kind {
            ir::Kind::Name(name) if name == "_" => return self.expr(value),
            ir::Kind::Path if place.is_code("_") => return self.expr(value),
            ir::Kind::Tuple(parts) if op.is_none() => {
                let value = self.expr(value);
                let types: Vec<Ty> = parts.iter().map(|_| self.types.unknown()).collect();
                self.same(&value.ty.clone(), &Ty::Tuple(types.clone()), at);
                let mut statements = Vec::new();
                let variable = self.locals.add("parts", value.ty.clone(), false);
                statements.push(Statement::Let(variable, Some(value)));
                for (number, (part, ty)) in parts.iter().zip(types).enumerate() {
                    if part.is_code("_") {
                        continue;
                    }
                    let place = self.expr(part);
                    self.same(&place.ty, &ty, at);
                    self.check_place(&place);
                    let whole = self.locals.read(variable, at).boxed();
                    let member = Node::new(NodeKind::Member(whole, number), ty, at);
                    let assign = Node::new(NodeKind::Assign(place.boxed(), None, member.boxed()), Ty::unit(), at);
                    statements.push(Statement::Do(assign));
                }
                let unit = Node::unit(at);
                return Node::new(NodeKind::Block(statements, unit.boxed()), Ty::unit(), at);
            }
            _ => self.expr(place),
        };
        let value = self.expr(value);
        self.check_place(&place);
        match op {
            None => self.same(&place.ty, &value.ty, at),
            Some(op) if is_arithmetic(op) => return self.change(op, place, value, at),
            Some(_) => {}
        }
        Node::new(NodeKind::Assign(place.boxed(), op, value.boxed()), Ty::unit(), at)
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
        let (one, two) = (self.locals.add("one", a.ty.clone(), false), self.locals.add("two", b.ty.clone(), false));
        statements.push(Statement::Let(one, Some(a.clone())));
        statements.push(Statement::Let(two, Some(b.clone())));
        let (one, two) = (self.locals.read(one, at), self.locals.read(two, at));
        statements.push(Statement::set(a, two));
        statements.push(Statement::set(b, one));
        let unit = Node::unit(at);
        unit.after(statements)
    }

    /// Whether iterations may change what is in a place.
    pub fn is_changed(&self, place: &Node) -> bool {
        match &place.kind {
            NodeKind::Variable(variable) => self.locals.all[*variable].mutable,
            NodeKind::Element(base, _) | NodeKind::Member(base, _) | NodeKind::Field(base, _) => self.is_changed(base),
            NodeKind::Load(Array::Slot(slot), _) => {
                let slot = self.plan.and_then(|found| found.slots.get(*slot));
                slot.is_some_and(|slot| matches!(slot.kind, SlotKind::Write | SlotKind::Everywhere))
            }
            NodeKind::State(..) | NodeKind::Load(Array::Given(_), _) => true,
            _ => false,
        }
    }
}
