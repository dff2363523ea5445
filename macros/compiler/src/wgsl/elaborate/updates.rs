//! The updates of an accumulator in a chunk, which does not know the values before it.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Op};
use crate::plan::{Amount, Class, Linear, Operand, Operator, Rewrite};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::tree::{Component, Node, NodeKind, Statement, Total, Ty};
use quote::quote;

impl Elaborate<'_> {
    /// The update of an accumulator in a chunk.
    pub fn rewritten(&mut self, number: usize, rewrite: &Rewrite, e: &Expr) -> Node {
        let at = Location::from(e);
        // All of it is wanted.
        let sliced = self.form.sliced.take();
        let node = match rewrite {
            Rewrite::Add(values) => {
                let ir::Kind::Assign(place, ..) = &e.kind else { return Node::unit(at) };
                let steps = values.iter().map(|value| Statement::Do(self.assign(place, Some(Op::Add), value, at)));
                Node::unit(at).after(steps.collect())
            }
            Rewrite::Wrap { operator, operands, .. } => {
                let steps = operands.iter().map(|operand| Statement::Do(self.wrapping(number, operator, operand, at)));
                Node::unit(at).after(steps.collect())
            }
            Rewrite::Include(value) => {
                let value = match value {
                    Some(value) => self.taken_by(number, value, at),
                    None => Node::bool(true, at),
                };
                self.include(number, value, at)
            }
            Rewrite::IncludeNumbers(operands) => {
                let steps = operands.iter().map(|Operand { minus, value }| {
                    let value = self.taken_by(number, value, at);
                    Statement::Do(self.include(number, if *minus { value.negative() } else { value }, at))
                });
                Node::unit(at).after(steps.collect())
            }
            Rewrite::Follow(value) => {
                let mut statements = Vec::new();
                let value = self.taken_by(number, value, at);
                let value = self.locals.hold("value", value, &mut statements);
                // Nothing is greater than what cannot be compared.
                let comparable = self.operation(Op::Eq, value.clone(), value.clone(), at);
                let include = self.include(number, value.clone(), at);
                let restart = self.restart(number, value, false, at);
                self.if_else(comparable, include, restart, at).after(statements)
            }
            Rewrite::Restart(value) => {
                let value = self.taken_by(number, value, at);
                self.restart(number, value, false, at)
            }
            Rewrite::Linear(step) => self.linear(number, step, at),
            // Loops with systems are not translated.
            Rewrite::Assignments { .. } => Node::unit(at),
            Rewrite::Take(e) => {
                let hit = self.state(number, Component::Hit, at);
                // A number of its own: the node itself is what is replaced.
                let taken = self.expr(&Expr { id: 0, ..e.clone() });
                taken.after(vec![Statement::set(hit, Node::bool(true, at))])
            }
            Rewrite::Unused { typed: true } => {
                let ty = self.types.unknown();
                Node::new(NodeKind::Default, ty, at)
            }
            Rewrite::Scatter { place, value } => self.scattered(number, place, value, at),
            // Loops that fold layers are not translated.
            Rewrite::Unused { typed: false } | Rewrite::Layer(_) | Rewrite::Repeat(_) => Node::unit(at),
        };
        self.form.sliced = sliced;
        node
    }

    /// A value of the type of an accumulator.
    fn taken_by(&mut self, number: usize, value: &Expr, at: Location) -> Node {
        let value = self.expr(value);
        let place = self.state(number, Component::Variable(0), at);
        self.same(&value.ty, &place.ty, at);
        value
    }

    /// An update of a part of the iterations: integers wrap around there.
    fn wrapping(&mut self, number: usize, operator: &Operator, operand: &Operand, at: Location) -> Node {
        let value = self.taken_by(number, &operand.value, at);
        let place = self.state(number, Component::Variable(0), at);
        let mut statements = Vec::new();
        let value = self.locals.hold("value", value, &mut statements);
        let how = match (operator, operand.minus) {
            (Operator::Mul, _) => Total::Times,
            (_, true) => Total::Minus,
            (_, false) => Total::Plus,
        };
        let sum = Node::total(how, place.clone(), value);
        statements.push(Statement::set(place, sum));
        Node::unit(at).after(statements)
    }

    /// The values before do not count.
    fn restart(&mut self, number: usize, value: Node, linear: bool, at: Location) -> Node {
        let place = self.state(number, Component::Variable(0), at);
        let yes = Node::bool(true, at);
        let other = if linear {
            let factor = self.state(number, Component::Factor, at);
            let zero = Node::new(NodeKind::Zero, factor.ty.clone(), at);
            Statement::set(factor, zero)
        } else {
            Statement::set(self.state(number, Component::Some, at), yes.clone())
        };
        let reset = self.state(number, Component::Reset, at);
        Node::unit(at).after(vec![Statement::set(place, value), other, Statement::set(reset, yes)])
    }

    /// `acc = acc op value`, where there may be nothing yet.
    fn include(&mut self, number: usize, value: Node, at: Location) -> Node {
        let accumulator = self.input.plan.map(|plan| &plan.accumulators[number].class);
        let Some(Class::Combine { merge } | Class::Segmented { merge, .. }) = accumulator else {
            return Node::unit(at);
        };
        let mut statements = Vec::new();
        let value = self.locals.hold("value", value, &mut statements);
        let place = self.state(number, Component::Variable(0), at);
        let some = self.state(number, Component::Some, at);
        let mut held = Vec::new();
        let [a, b] = [("__a", &place), ("__b", &value)].map(|(name, node)| {
            let variable = self.locals.set_up(name, node.clone(), false, &mut held);
            self.locals.read(variable, at)
        });
        let both = self.merged(merge, a, b, at);
        self.same(&both.ty, &place.ty, at);
        let both = Node::unit(at).after(vec![Statement::set(place.clone(), both.after(held))]);
        let first = vec![Statement::set(place, value), Statement::set(some.clone(), Node::bool(true, at))];
        self.if_else(some, both, Node::unit(at).after(first), at).after(statements)
    }

    /// A step of a linear recurrence.
    fn linear(&mut self, number: usize, Linear { factor, term }: &Linear, at: Location) -> Node {
        let value = self.state(number, Component::Variable(0), at);
        if matches!(factor, Amount::Zero) {
            let term = self.amount(term, &value.ty, at);
            return self.restart(number, term, true, at);
        }
        let (factor, term) = (self.amount(factor, &value.ty, at), self.amount(term, &value.ty, at));
        let mut statements = Vec::new();
        let (factor, term) =
            (self.locals.hold("factor", factor, &mut statements), self.locals.hold("term", term, &mut statements));
        let product = Node::total(Total::Times, factor.clone(), value.clone());
        let sum = Node::total(Total::Plus, product, term);
        statements.push(Statement::set(value, sum));
        let before = self.state(number, Component::Factor, at);
        let product = Node::total(Total::Times, factor, before.clone());
        statements.push(Statement::set(before, product));
        Node::unit(at).after(statements)
    }

    /// A number of this type.
    fn amount(&mut self, amount: &Amount, ty: &Ty, at: Location) -> Node {
        let mut both = |how: Total, parts: &[Amount; 2]| {
            let [a, b] = [&parts[0], &parts[1]].map(|part| self.amount(part, ty, at));
            Node::total(how, a, b)
        };
        let node = match amount {
            Amount::Zero => Node::new(NodeKind::Zero, ty.clone(), at),
            Amount::One => Node::new(NodeKind::One, ty.clone(), at),
            Amount::Of(value) => self.expr(value),
            Amount::Inverse(value) => {
                let one = self.literal(&quote!(1.0), at);
                let value = self.expr(value);
                self.operation(Op::Div, one, value, at)
            }
            Amount::Negative(one) => self.amount(one, ty, at).negative(),
            Amount::Sum(parts) => both(Total::Plus, parts),
            Amount::Difference(parts) => both(Total::Minus, parts),
            Amount::Product(parts) => both(Total::Times, parts),
        };
        self.same(&node.ty, ty, at);
        node
    }
}
