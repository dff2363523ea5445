//! Choices and loops.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Form, Op};
use crate::maps::{HashMap, New as _};
use crate::wgsl::elaborate::annotated::at_loop;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::exits::Frame;
use crate::wgsl::elaborate::iterators::Iter;
use crate::wgsl::tree::{Count, Item, Node, NodeKind, Range, Statement, Target, Ty};
use std::rc::Rc;

/// An arm of a `match`: its condition, the names that it binds, its guard and its body.
type Arm = (Option<Node>, Vec<Statement>, Option<Node>, Node);

impl Elaborate<'_> {
    pub fn choice(&mut self, condition: &Expr, then: &ir::Block, otherwise: Option<&Expr>, at: Location) -> Node {
        if has_let(condition) && !matches!(condition.bare().kind, ir::Kind::Let(..)) {
            return self.chosen_by_several(condition, then, otherwise, at);
        }
        if let ir::Kind::Let(pattern, value) = &condition.bare().kind {
            let (mut before, mut binds) = (Vec::new(), Vec::new());
            let value = self.tested(value, &mut before);
            let condition = self.test(pattern, &value, &mut binds);
            let then = self.block(then, at).after(binds);
            let otherwise = otherwise.map_or(Node::unit(at), |otherwise| self.expr(otherwise));
            let condition = condition.unwrap_or_else(|| Node::bool(true, at));
            return self.if_else(condition, then, otherwise, at).after(before);
        }
        let condition = self.expr(condition);
        let then = self.block(then, at);
        match otherwise {
            Some(otherwise) => {
                let otherwise = self.expr(otherwise);
                self.if_else(condition, then, otherwise, at)
            }
            None => {
                self.same(&condition.ty, &Ty::BOOL, condition.at);
                self.types.same(&then.ty, &Ty::unit());
                Node { at, ..Node::when(condition, then) }
            }
        }
    }

    pub fn matched(&mut self, value: &Expr, arms: &[ir::Arm], at: Location) -> Node {
        let mut before = Vec::new();
        let value = self.tested(value, &mut before);
        let mut all = Vec::new();
        for (number, arm) in arms.iter().enumerate() {
            let mut binds = Vec::new();
            let test = self.test(&arm.pattern, &value, &mut binds);
            let guard = arm.guard.as_ref().map(|guard| self.expr(guard));
            let body = self.expr(&arm.body);
            // One of the arms fits: if no other one does, the last.
            let last = number + 1 == arms.len() && guard.is_none();
            all.push((if last { None } else { test }, binds, guard, body));
        }
        // A guard reads bound names only if the pattern fits.
        let is_apart = |(test, binds, guard, _): &Arm| {
            let there = |bind: &Statement| matches!(bind, Statement::Let(_, Some(value)) if is_there(value));
            test.is_some() && guard.is_some() && !binds.iter().all(there)
        };
        if !self.quiet && all.iter().any(is_apart) {
            return self.matched_in_order(all, before, at);
        }
        let mut rest = Node::new(NodeKind::Unit, Ty::Never, at);
        for (test, binds, guard, body) in all.into_iter().rev() {
            rest = match (test, guard) {
                (None, None) => body.after(binds),
                (Some(test), None) => self.if_else(test, body.after(binds), rest, at),
                (test, Some(guard)) => {
                    let condition = match test {
                        Some(test) => self.operation(Op::AndAnd, test, guard, at),
                        None => guard,
                    };
                    self.if_else(condition, body, rest, at).after(binds)
                }
            };
        }
        rest.after(before)
    }

    /// Tries the arms in order. The first arm that fits leaves the `match`.
    fn matched_in_order(&mut self, arms: Vec<Arm>, mut before: Vec<Statement>, at: Location) -> Node {
        let (target, ty) = (self.exits.target(), self.types.unknown());
        for (test, mut binds, guard, body) in arms {
            self.same(&ty, &body.ty, at);
            let mut node = Node::new(NodeKind::Break(target, body.boxed()), Ty::Never, at);
            if let Some(guard) = guard {
                node = self.if_else(guard, node, Node::unit(at), at);
            }
            binds.push(Statement::Do(node));
            let node = Node::unit(at).after(binds);
            before.push(Statement::Do(self.if_holds(test, node, Node::unit(at), at)));
        }
        // One of them has fitted.
        let block = Node::new(NodeKind::Nothing, ty.clone(), at).after(before);
        Node::new(NodeKind::Labeled(target, block.boxed()), ty, at)
    }

    /// A choice by a test that may be nothing: then it always holds.
    fn if_holds(&mut self, test: Option<Node>, then: Node, otherwise: Node, at: Location) -> Node {
        match test {
            Some(test) => self.if_else(test, then, otherwise, at),
            None => then,
        }
    }

    pub fn while_loop(&mut self, label: &ir::Label, condition: &Expr, body: &ir::Block, at: Location) -> Node {
        let target = self.exits.target();
        self.exits.frames.push(Frame { label: label.name.clone(), target, is_loop: true, ty: Ty::unit() });
        let turn = match &condition.bare().kind {
            ir::Kind::Let(pattern, value) => {
                let (mut before, mut binds) = (Vec::new(), Vec::new());
                let value = self.tested(value, &mut before);
                let test = self.test(pattern, &value, &mut binds);
                let body = self.block(body, at).after(binds);
                self.if_holds(test, body, Node::leave(target, at), at).after(before)
            }
            _ if has_let(condition) && !self.quiet => {
                let turn = self.exits.target();
                let inside = self.where_all(condition, &mut |this| {
                    let body = this.block(body, at);
                    Node::leave(turn, at).after(vec![Statement::Do(body)])
                });
                let turned = Node::leave(target, at).after(vec![Statement::Do(inside)]);
                Node::new(NodeKind::Labeled(turn, turned.boxed()), Ty::unit(), at)
            }
            _ => {
                let condition = self.expr(condition);
                self.same(&condition.ty, &Ty::BOOL, condition.at);
                let body = self.block(body, at);
                self.exits.frames.pop();
                return Node::new(NodeKind::While(target, condition.boxed(), body.boxed()), Ty::unit(), at);
            }
        };
        self.exits.frames.pop();
        Node::new(NodeKind::Loop(target, turn.boxed()), Ty::unit(), at)
    }

    /// `if a && let Some(b) = c && d`, which may be left with a value.
    fn chosen_by_several(
        &mut self,
        condition: &Expr,
        then: &ir::Block,
        otherwise: Option<&Expr>,
        at: Location,
    ) -> Node {
        let Some(otherwise) = otherwise else {
            return self.where_all(condition, &mut |this| {
                let then = this.block(then, at);
                this.types.same(&then.ty, &Ty::unit());
                then
            });
        };
        let (target, ty) = (self.exits.target(), self.types.unknown());
        let inside = self.where_all(condition, &mut |this| {
            let then = this.block(then, at);
            this.same(&ty, &then.ty, at);
            Node::new(NodeKind::Break(target, then.boxed()), Ty::Never, at)
        });
        let otherwise = self.expr(otherwise);
        self.same(&ty, &otherwise.ty, at);
        let node = otherwise.after(vec![Statement::Do(inside)]);
        Node::new(NodeKind::Labeled(target, node.boxed()), ty, at)
    }

    /// A node that runs if all parts of a condition hold. Each part sees the names that the parts before it bind.
    pub fn where_all(&mut self, condition: &Expr, run: &mut dyn FnMut(&mut Self) -> Node) -> Node {
        let at = Location::from(condition);
        let (mut before, mut binds) = (Vec::new(), Vec::new());
        let test = match &condition.bare().kind {
            ir::Kind::Binary(Op::AndAnd, first, second) if has_let(condition) => {
                return self.where_all(first, &mut |this| this.where_all(second, run));
            }
            ir::Kind::Let(pattern, value) => {
                let value = self.tested(value, &mut before);
                self.test(pattern, &value, &mut binds)
            }
            _ => Some(self.expr(condition)),
        };
        let node = run(self).after(binds);
        self.if_holds(test, node, Node::unit(at), at).after(before)
    }

    pub fn for_loop(&mut self, f: &Rc<ir::For>, at: Location) -> Node {
        if self.quiet
            && let Some(found) = self.input.plan
            && Rc::ptr_eq(f, &found.written)
            && self.body.is_none()
        {
            let frames = std::mem::take(&mut self.exits.frames);
            at_loop(self, found);
            (self.exits.frames, self.quiet) = (frames, true);
            (self.form.rewrites, self.form.sliced) = (HashMap::new(), None);
            self.outputs.accumulators.clear();
            return Node::unit(at);
        }
        if let Some(node) = self.adapted_loop(f, at) {
            return node;
        }
        let mut before = Vec::new();
        let copies = self.locals.copies.len();
        let Some(iter) = self.iterator(&f.source, &mut before) else {
            if !self.quiet {
                return self.stuck(
                    Location::from(&f.source),
                    format!("the loop over `{}` does not count over a range or over elements", f.source.shown()),
                );
            }
            self.declare(&f.pattern);
            self.block(&f.body, at);
            return Node::unit(at);
        };
        if f.counts_by_while {
            before.extend(self.leaves_its_type(f, &iter, at).map(Statement::Do));
        }
        let node = self.counted(f, iter, at);
        before.push(Statement::Do(node));
        self.locals.leave_out_copies(copies, &mut before);
        match (before.pop(), before.is_empty()) {
            (Some(Statement::Do(node)), true) => node,
            (last, _) => {
                before.extend(last);
                Node::unit(at).after(before)
            }
        }
    }

    /// Raises if the counter of a `while` loop may leave its type after the last iteration: the workers run the loop then.
    fn leaves_its_type(&mut self, f: &ir::For, iter: &Iter, at: Location) -> Option<Node> {
        let step = match f.source.counted()?.step.map(|step| &step.bare().kind) {
            None => 1,
            Some(ir::Kind::Int(step)) => step.unsigned_abs().into(),
            Some(_) => return None,
        };
        let range = if let Iter::StepBy(range, _) = iter { range } else { iter };
        let Iter::Range(Range { from, to, inclusive }) = range else { return None };
        let beyond: u128 = if *inclusive { step } else { step - 1 };
        if beyond == 0 {
            return None;
        }
        let runs = self.operation(Op::Le, from.clone(), to.clone(), at);
        let beyond = Node::integer(beyond, to.ty.clone(), at);
        let after = Node::method("wrapping_add", vec![to.clone(), beyond], to.ty.clone(), at);
        let wraps = self.operation(Op::Lt, after, to.clone(), at);
        let leaves = self.operation(Op::AndAnd, runs, wraps, at);
        Some(self.if_else(leaves, Node::new(NodeKind::Raise(5), Ty::unit(), at), Node::unit(at), at))
    }

    /// A loop over the items of an iterator.
    fn counted(&mut self, f: &ir::For, iter: Iter, at: Location) -> Node {
        let name = match &f.pattern.form {
            Form::Name(name, _) => &name.name,
            _ => "item",
        };
        let (range, down) = match iter {
            Iter::Range(range) => (Ok(range), false),
            Iter::Rev(inner, length) => match *inner {
                Iter::Range(range) => (Ok(range), true),
                inner => (Err(Iter::Rev(Box::new(inner), length)), false),
            },
            other => (Err(other), false),
        };
        let (mut before, mut statements, target) = (Vec::new(), Vec::new(), self.exits.target());
        let (variable, Range { from, to, inclusive }) = match range {
            Ok(range) => {
                let variable = self.locals.add(name, range.from.ty.clone(), false);
                let item = Item::Value(self.locals.read(variable, at));
                self.bind(&f.pattern, item, &mut statements);
                (variable, range)
            }
            Err(iter) => {
                let length = self.turns(&iter, at, &mut before);
                let variable = self.locals.add("k", Ty::USIZE, false);
                let position = self.locals.read(variable, at);
                let item = self.at(&iter, position, &mut statements);
                self.bind(&f.pattern, item, &mut statements);
                (variable, Range { from: Node::usize(0, at), to: length, inclusive: false })
            }
        };
        let body = self.body_of(f, target, at).after(statements);
        let count = Count { target, variable, from, to, inclusive, down, body };
        Node::new(NodeKind::Count(Box::new(count)), Ty::unit(), at).after(before)
    }

    /// The body of a loop inside of its frame.
    pub fn body_of(&mut self, f: &ir::For, target: Target, at: Location) -> Node {
        self.exits.frames.push(Frame { label: f.label.name.clone(), target, is_loop: true, ty: Ty::unit() });
        let body = self.block(&f.body, at);
        self.exits.frames.pop();
        body
    }

    /// A loop over positions, by statements for each of them.
    pub fn positions(
        &mut self,
        [from, to]: [Node; 2],
        run: impl FnOnce(&mut Self, Node, Target) -> Vec<Statement>,
    ) -> Node {
        let at = from.at;
        let (target, variable) = (self.exits.target(), self.locals.add("k", Ty::USIZE, false));
        let position = self.locals.read(variable, at);
        let body = Node::unit(at).after(run(self, position, target));
        let count = Count { target, variable, from, to, inclusive: false, down: false, body };
        Node::new(NodeKind::Count(Box::new(count)), Ty::unit(), at)
    }
}

/// Whether a value is a part of a variable.
fn is_there(value: &Node) -> bool {
    match &value.kind {
        NodeKind::Member(base, _) | NodeKind::Field(base, _) => is_there(base),
        NodeKind::Variable(_) | NodeKind::Integer(_) | NodeKind::Value(_) => true,
        _ => false,
    }
}

/// Whether a condition, or a part of it, takes a value apart.
fn has_let(condition: &Expr) -> bool {
    match &condition.bare().kind {
        ir::Kind::Let(..) => true,
        ir::Kind::Binary(Op::AndAnd, first, second) => has_let(first) || has_let(second),
        _ => false,
    }
}
