//! Choices and loops.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Op};
use crate::wgsl::elaborate::annotated::at_loop;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::exits::Frame;
use crate::wgsl::elaborate::iterators::Iter;
use crate::wgsl::tree::{Count, Item, Node, NodeKind, Statement, Target, Ty};
use proc_macro2::TokenStream;
use std::collections::HashMap;
use std::rc::Rc;

impl Elaborate<'_> {
    pub fn choice(&mut self, condition: &Expr, then: &ir::Block, otherwise: Option<&Expr>, at: Location) -> Node {
        if has_let(condition) && !matches!(condition.bare().kind, ir::Kind::Let(..)) {
            return self.chosen_by_several(condition, then, otherwise, at);
        }
        if let ir::Kind::Let(pattern, value) = &condition.bare().kind {
            let mut before = Vec::new();
            let value = self.tested(value, &mut before);
            let mut binds = Vec::new();
            let condition = self.test(&pattern.tokens, &value, &mut binds);
            let then = self.block(then, at);
            let then = then.after(binds);
            let otherwise = match otherwise {
                Some(otherwise) => self.expr(otherwise),
                None => Node::unit(at),
            };
            let condition = condition.unwrap_or_else(|| Node::bool(true, at));
            let choice = self.if_else(condition, then, otherwise, at);
            return choice.after(before);
        }
        let condition = self.expr(condition);
        let then = self.block(then, at);
        match otherwise {
            Some(otherwise) => {
                let otherwise = self.expr(otherwise);
                self.if_else(condition, then, otherwise, at)
            }
            None => {
                self.same(&condition.ty.clone(), &Ty::BOOL, condition.at);
                self.types.same(&then.ty, &Ty::unit());
                let nothing = Node::unit(at);
                Node::new(NodeKind::If(condition.boxed(), then.boxed(), nothing.boxed()), Ty::unit(), at)
            }
        }
    }

    pub fn matched(&mut self, value: &Expr, arms: &[ir::Arm], at: Location) -> Node {
        let mut before = Vec::new();
        let value = self.tested(value, &mut before);
        // Condition, what is bound, guard and body of each arm.
        let mut all = Vec::new();
        for (number, arm) in arms.iter().enumerate() {
            let mut binds = Vec::new();
            let test = self.test(&arm.pattern.tokens, &value, &mut binds);
            let guard = arm.guard.as_ref().map(|guard| self.expr(guard));
            let body = self.expr(&arm.body);
            // One of the arms fits: where no other one did, the last.
            let last = number + 1 == arms.len() && guard.is_none();
            all.push((if last { None } else { test }, binds, guard, body));
        }
        // What has a name is not there where the pattern does not fit: it is not looked at before.
        let is_apart = |(test, binds, guard, _): &(Option<Node>, Vec<Statement>, Option<Node>, Node)| {
            let there = |bind: &Statement| matches!(bind, Statement::Let(_, Some(value)) if is_there(value));
            test.is_some() && guard.is_some() && !binds.iter().all(there)
        };
        if !self.quiet && all.iter().any(is_apart) {
            let (target, ty) = (self.exits.target(), self.types.unknown());
            for (test, mut binds, guard, body) in all {
                self.same(&ty, &body.ty.clone(), at);
                let unit = Node::unit(at);
                let mut node = Node::new(NodeKind::Break(target, body.boxed()), Ty::Never, at);
                if let Some(guard) = guard {
                    node = self.if_else(guard, node, unit.clone(), at);
                }
                binds.push(Statement::Do(node));
                let node = unit.clone().after(binds);
                before.push(Statement::Do(match test {
                    Some(test) => self.if_else(test, node, unit, at),
                    None => node,
                }));
            }
            // One of them has fitted.
            let never = Node::new(NodeKind::Nothing, ty.clone(), at);
            let block = never.after(before);
            return Node::new(NodeKind::Labeled(target, block.boxed()), ty, at);
        }
        let mut rest: Option<Node> = None;
        for (test, binds, guard, body) in all.into_iter().rev() {
            let choice = |this: &mut Self, condition, body, rest: Option<Node>| {
                let rest = rest.unwrap_or_else(|| Node::new(NodeKind::Unit, Ty::Never, at));
                this.if_else(condition, body, rest, at)
            };
            rest = Some(match (test, guard) {
                (None, None) => body.after(binds),
                (Some(test), None) => {
                    let body = body.after(binds);
                    choice(self, test, body, rest)
                }
                (test, Some(guard)) => {
                    let condition = match test {
                        Some(test) => self.operation(Op::AndAnd, test, guard, at),
                        None => guard,
                    };
                    let node = choice(self, condition, body, rest);
                    node.after(binds)
                }
            });
        }
        let node = rest.unwrap_or_else(|| Node::new(NodeKind::Unit, Ty::Never, at));
        node.after(before)
    }

    pub fn while_loop(&mut self, label: &ir::Label, condition: &Expr, body: &ir::Block, at: Location) -> Node {
        let target = self.exits.target();
        self.exits.frames.push(Frame { label: label.name.clone(), target, is_loop: true, ty: Ty::unit() });
        if has_let(condition) && !self.quiet && !matches!(condition.bare().kind, ir::Kind::Let(..)) {
            let unit = Node::unit(at);
            let turn = self.exits.target();
            let inside = self.where_all(condition, &mut |this| {
                let body = this.block(body, at);
                let next = Node::new(NodeKind::Break(turn, unit.clone().boxed()), Ty::Never, at);
                next.after(vec![Statement::Do(body)])
            });
            self.exits.frames.pop();
            let leave = Node::new(NodeKind::Break(target, unit.clone().boxed()), Ty::Never, at);
            let turned = leave.after(vec![Statement::Do(inside)]);
            let turned = Node::new(NodeKind::Labeled(turn, turned.boxed()), Ty::unit(), at);
            return Node::new(NodeKind::Loop(target, turned.boxed()), Ty::unit(), at);
        }
        let ir::Kind::Let(pattern, value) = &condition.bare().kind else {
            let condition = self.expr(condition);
            self.same(&condition.ty.clone(), &Ty::BOOL, condition.at);
            let body = self.block(body, at);
            self.exits.frames.pop();
            return Node::new(NodeKind::While(target, condition.boxed(), body.boxed()), Ty::unit(), at);
        };
        let (mut before, mut binds) = (Vec::new(), Vec::new());
        let value = self.tested(value, &mut before);
        let test = self.test(&pattern.tokens, &value, &mut binds);
        let body = self.block(body, at);
        self.exits.frames.pop();
        let body = body.after(binds);
        let unit = Node::unit(at);
        let leave = Node::new(NodeKind::Break(target, unit.boxed()), Ty::Never, at);
        let turn = match test {
            Some(test) => self.if_else(test, body, leave, at),
            None => body,
        };
        let turn = turn.after(before);
        Node::new(NodeKind::Loop(target, turn.boxed()), Ty::unit(), at)
    }

    /// `if a && let Some(b) = c && d`, which may be left with a value.
    pub fn chosen_by_several(
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
            this.same(&ty, &then.ty.clone(), at);
            Node::new(NodeKind::Break(target, then.boxed()), Ty::Never, at)
        });
        let otherwise = self.expr(otherwise);
        self.same(&ty, &otherwise.ty.clone(), at);
        let node = otherwise.after(vec![Statement::Do(inside)]);
        Node::new(NodeKind::Labeled(target, node.boxed()), ty, at)
    }

    /// What is done where all parts of a condition hold, of which each sees the names of those before it.
    pub fn where_all(&mut self, condition: &Expr, run: &mut dyn FnMut(&mut Self) -> Node) -> Node {
        let at = Location::from(condition);
        let (mut before, mut binds) = (Vec::new(), Vec::new());
        let test = match &condition.bare().kind {
            ir::Kind::Binary(Op::AndAnd, first, second) if has_let(condition) => {
                return self.where_all(first, &mut |this| this.where_all(second, run));
            }
            ir::Kind::Let(pattern, value) => {
                let value = self.tested(value, &mut before);
                self.test(&pattern.tokens, &value, &mut binds)
            }
            _ => Some(self.expr(condition)),
        };
        let node = run(self);
        let node = node.after(binds);
        let nothing = Node::unit(at);
        let node = match test {
            Some(test) => self.if_else(test, node, nothing, at),
            None => node,
        };
        node.after(before)
    }

    pub fn for_loop(&mut self, f: &Rc<ir::For>, at: Location) -> Node {
        if self.quiet
            && let Some(found) = self.plan
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
        let copies = self.copies.len();
        let Some(iter) = self.iterator(&f.source, &mut before) else {
            if !self.quiet {
                return self.stuck(
                    Location::from(&f.source),
                    format!("the loop over `{}` does not count over a range or over elements", f.source.shown()),
                );
            }
            for binding in &f.pattern.names {
                let ty = self.types.unknown();
                self.names.declare(binding.name, ty);
            }
            self.block(&f.body, at);
            return Node::unit(at);
        };
        if f.counts_by_while
            && let Some(check) = self.leaves_its_type(f, &iter, at)
        {
            before.push(Statement::Do(check));
        }
        let target = self.exits.target();
        let frame = Frame { label: f.label.name.clone(), target, is_loop: true, ty: Ty::unit() };
        let node = self.counted(&f.pattern.tokens, iter, target, frame.label, at, &mut |this| this.block(&f.body, at));
        before.push(Statement::Do(node));
        self.leave_out_copies(copies, &mut before);
        match (before.pop(), before.is_empty()) {
            (Some(Statement::Do(node)), true) => node,
            (last, _) => {
                before.extend(last);
                let unit = Node::unit(at);
                unit.after(before)
            }
        }
    }

    /// Raises where the counter of a `while` loop may leave its type behind the last turn: what follows then is left to the workers.
    fn leaves_its_type(&mut self, f: &ir::For, iter: &Iter, at: Location) -> Option<Node> {
        let step = match f.source.counted()?.step.map(|step| &step.bare().kind) {
            None => 1,
            Some(ir::Kind::Int(step)) => step.unsigned_abs().into(),
            Some(_) => return None,
        };
        let range = if let Iter::StepBy(range, _) = iter { range } else { iter };
        let Iter::Range { from, to, inclusive } = range else { return None };
        let beyond: u128 = if *inclusive { step } else { step - 1 };
        if beyond == 0 {
            return None;
        }
        let runs = self.operation(Op::Le, from.clone(), to.clone(), at);
        let beyond = Node::new(NodeKind::Integer(beyond), to.ty.clone(), at);
        let after = Node::method("wrapping_add", vec![to.clone(), beyond], to.ty.clone(), at);
        let wraps = self.operation(Op::Lt, after, to.clone(), at);
        let leaves = self.operation(Op::AndAnd, runs, wraps, at);
        let raise = Node::new(NodeKind::Raise(5), Ty::unit(), at);
        let none = Node::unit(at);
        Some(self.if_else(leaves, raise, none, at))
    }

    /// A loop over the items of an iterator.
    #[allow(clippy::too_many_arguments)]
    pub fn counted(
        &mut self,
        pattern: &TokenStream,
        iter: Iter,
        target: Target,
        label: Option<String>,
        at: Location,
        body: &mut dyn FnMut(&mut Self) -> Node,
    ) -> Node {
        use Iter;
        let name = self.pattern(pattern).and_then(|(pattern, _)| match pattern {
            syn::Pat::Ident(ident) => Some(ident.ident.to_string()),
            _ => None,
        });
        let name = name.as_deref().unwrap_or("item");
        let (range, down) = match iter {
            Iter::Range { from, to, inclusive } => (Ok((from, to, inclusive)), false),
            Iter::Rev(inner, length) => match *inner {
                Iter::Range { from, to, inclusive } => (Ok((from, to, inclusive)), true),
                inner => (Err(Iter::Rev(Box::new(inner), length)), false),
            },
            other => (Err(other), false),
        };
        let (mut before, mut statements) = (Vec::new(), Vec::new());
        let (variable, from, to, inclusive) = match range {
            Ok((from, to, inclusive)) => {
                let variable = self.locals.add(name, from.ty.clone(), false);
                let item = self.locals.read(variable, at);
                self.bind_tokens(pattern, Item::Value(item), &mut statements);
                (variable, from, to, inclusive)
            }
            Err(iter) => {
                let length = self.turns(&iter, at, &mut before);
                let variable = self.locals.add("k", Ty::USIZE, false);
                let position = self.locals.read(variable, at);
                let item = self.at(&iter, position, &mut statements);
                self.bind_tokens(pattern, item, &mut statements);
                (variable, Node::usize(0, at), length, false)
            }
        };
        self.exits.frames.push(Frame { label, target, is_loop: true, ty: Ty::unit() });
        let body = body(self);
        self.exits.frames.pop();
        let body = body.after(statements);
        let count = Count { target, variable, from, to, inclusive, down, body };
        Node::new(NodeKind::Count(Box::new(count)), Ty::unit(), at).after(before)
    }
}

/// Whether a value is a part of what is held.
pub fn is_there(value: &Node) -> bool {
    match &value.kind {
        NodeKind::Member(base, _) | NodeKind::Field(base, _) => is_there(base),
        NodeKind::Variable(_) | NodeKind::Integer(_) | NodeKind::Value(_) => true,
        _ => false,
    }
}

/// Whether a condition, or a part of it, takes something apart.
pub fn has_let(condition: &Expr) -> bool {
    match &condition.bare().kind {
        ir::Kind::Let(..) => true,
        ir::Kind::Binary(Op::AndAnd, first, second) => has_let(first) || has_let(second),
        _ => false,
    }
}
