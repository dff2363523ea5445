//! Control flow in a loop's body: conditions, inner loops, and jumps.

use super::{Walk, Where};
use crate::index::Meaning;
use crate::index::poly::Poly;
use crate::ir::report::Code;
use crate::ir::{Expr, For, Form, Kind};

impl Walk<'_, '_> {
    /// Analyses the expressions that determine which statements run.
    pub(super) fn control(&mut self, e: &Expr, at: Where) {
        match &e.kind {
            Kind::Labeled(name, _, block) => {
                self.exits.enter(Some(name), false);
                self.block(block, Where { conditional: true, ..at });
                self.exits.leave();
            }
            Kind::If(condition, then, otherwise) => {
                self.scope.enter();
                self.expr(condition, at);
                let inside = Where { conditional: true, ..at };
                self.scope.hold(condition, true);
                self.block(then, inside);
                self.scope.leave();
                if let Some(otherwise) = otherwise {
                    self.scope.enter();
                    self.scope.hold(condition, false);
                    self.expr(otherwise, inside);
                    self.scope.leave();
                }
            }
            Kind::Match(value, arms) => {
                self.expr(value, at);
                let inside = Where { conditional: true, ..at };
                self.scope.enter();
                for arm in arms {
                    self.scope.enter();
                    self.scope.matches(value, &arm.pattern);
                    self.scope.bind_unknown(&arm.pattern);
                    self.exprs(&arm.guard, inside);
                    if let Some(guard) = &arm.guard {
                        self.scope.hold(guard, true);
                    }
                    self.expr(&arm.body, inside);
                    self.scope.leave();
                    // The next arms run only if the condition is false.
                    if let (Some(guard), Form::Any) = (&arm.guard, &arm.pattern.form) {
                        self.scope.hold(guard, false);
                    }
                }
                self.scope.leave();
            }
            Kind::For(f) => self.inner_for(f, at),
            Kind::While(label, condition, body) => {
                self.exits.enter(label.name.as_ref(), true);
                self.scope.enter();
                self.expr(condition, at);
                let inside = Where { conditional: true, depth: at.depth + 1, ..at };
                self.block(body, inside);
                self.scope.leave();
                self.exits.leave();
            }
            Kind::Loop(label, body) => {
                self.exits.enter(label.name.as_ref(), true);
                self.block(body, Where { depth: at.depth + 1, ..at });
                self.exits.leave();
            }
            Kind::Break(label, value) => {
                self.exprs(value.as_deref(), at);
                if !self.exits.is_inside(label) && !at.closure {
                    self.leaves(e, "`break` ends the loop early, so which iterations run depends on the earlier ones");
                }
            }
            Kind::Continue(label) if !self.exits.is_inside(label) && !at.closure => {
                if label.is_some() && self.exits.own_label != *label {
                    self.leaves(e, "this label belongs to a loop around the annotated one");
                }
                self.exits.ended = true;
            }
            Kind::Return(value) => {
                self.exprs(value.as_deref(), at);
                if !at.closure {
                    self.leaves(e, "`return` leaves the loop from inside an iteration");
                }
            }
            Kind::Try(inner) => {
                self.expr(inner, at);
                if !at.closure {
                    self.leaves(e, "`?` leaves the loop from inside an iteration");
                }
            }
            _ => {}
        }
    }

    pub(super) fn closure_body(&mut self, body: &Expr, at: Where) {
        let around = self.exits.enter_closure();
        self.expr(body, Where { closure: true, ..at });
        self.exits.leave_closure(around);
    }

    pub(super) fn leaves(&mut self, e: &Expr, why: &str) {
        self.report.error(Code::FA020, e, why, "");
    }

    fn inner_for(&mut self, f: &For, at: Where) {
        self.expr(&f.source, at);
        self.exits.enter(f.label.name.as_ref(), true);
        self.scope.enter();
        self.counters += 1;
        let number = self.counters;
        match (f.source.counted(), f.pattern.single(), &f.source.bare().kind) {
            (Some(range), Some(binding), _) if !binding.mutable => {
                let (from, to, inclusive) = (range.from, range.to, range.inclusive);
                let known = self.scope.counter(number, binding.name, range);
                if let (Some(first), Some(end)) = (from.name(), to.name())
                    && self.names.range_of_tile(first, end)
                {
                    self.through_tiles.extend(known.poly.as_ref().and_then(Poly::as_symbol));
                }
                let known = if f.counts_by_while {
                    let (from, to) = (self.scope.known(from), self.scope.known(to));
                    self.copied(known, f.source.id, (&f.pattern, binding.name), (&from, &to, inclusive))
                } else {
                    self.counted(known, number, &f.source)
                };
                self.scope.bind(binding.name, Meaning::Integer(known));
            }
            (_, _, Kind::Method(range, method, ..)) if method == "enumerate" && range.counted().is_some() => {
                self.bind_numbered(f, number, range);
            }
            (_, _, Kind::Array(values)) => self.bind_one_of(&f.pattern, values.iter().collect()),
            _ => self.bind_enumerated(f, number),
        }
        // An inner loop may run no iteration, but then its accesses do not happen.
        self.block(&f.body, Where { depth: at.depth + 1, ..at });
        self.scope.leave();
        self.exits.leave();
    }
}
