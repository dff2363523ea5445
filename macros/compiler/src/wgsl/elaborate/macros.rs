//! Macros that a device has, and panics.

use crate::ir::report::Location;
use crate::ir::{Arm, Expr, Kind, Op};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::tree::{ITERATION, Node, NodeKind, Statement, Ty};

impl Elaborate<'_> {
    pub fn macro_call(&mut self, name: &str, args: &[Expr], at: Location) -> Node {
        if let ("matches", [tested]) = (name, args)
            && let Kind::Match(value, arms) = &tested.kind
            && let Some(arm) = arms.first()
        {
            return self.matches(value, arm, at);
        }
        if self.quiet {
            // `vec![e; n]` and `vec![a, b]` tell the type of their elements.
            if let ("vec", [list]) = (name, args) {
                let ty = self.expr(list).ty;
                let element = self.types.element(&ty);
                return Node::new(NodeKind::Unit, Ty::Slice(Box::new(element)), at);
            }
            args.iter().for_each(|arg| _ = self.expr(arg));
            let ty = match name {
                "panic" | "unreachable" | "todo" | "unimplemented" => Ty::Never,
                _ => self.types.unknown(),
            };
            return Node::new(NodeKind::Unit, ty, at);
        }
        let condition = match (name.trim_start_matches("debug_"), args) {
            ("panic" | "unreachable" | "todo" | "unimplemented", _) => return self.panics(at),
            ("assert", [condition, ..]) => self.expr(condition),
            (test @ ("assert_eq" | "assert_ne"), [a, b, ..]) => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.operation(if test == "assert_eq" { Op::Eq } else { Op::Ne }, a, b, at)
            }
            _ => return self.stuck(at, format!("`{name}!` does what a device cannot do")),
        };
        let mut fails = Node::not(condition);
        if name.starts_with("debug") {
            let checks =
                self.capture("cfg!(debug_assertions)", &quote::quote!(::core::cfg!(debug_assertions)), Ty::BOOL, at);
            fails = self.operation(Op::AndAnd, checks, fails, at);
        }
        Node { at, ..Node::when(fails, self.panics(at)) }
    }

    /// `matches!(value, pattern if guard)`.
    fn matches(&mut self, value: &Expr, arm: &Arm, at: Location) -> Node {
        let (mut before, mut binds) = (Vec::new(), Vec::new());
        let value = self.tested(value, &mut before);
        let test = self.test(&arm.pattern, &value, &mut binds);
        let test = test.unwrap_or_else(|| Node::bool(true, at));
        let node = match &arm.guard {
            Some(guard) => {
                let guard = self.expr(guard);
                // The names are bound only if the pattern fits.
                let guard = guard.after(binds);
                self.operation(Op::AndAnd, test, guard, at)
            }
            None => test,
        };
        node.after(before)
    }

    /// Ends the iteration, which panics.
    pub fn panics(&mut self, at: Location) -> Node {
        if !self.exits.may_end {
            self.obstacle(at, "what puts results together may panic");
        }
        let raise = Node::new(NodeKind::Raise(5), Ty::unit(), at);
        let end = Node::new(NodeKind::Continue(ITERATION), Ty::Never, at);
        Node::new(NodeKind::Block(vec![Statement::Do(raise)], end.boxed()), Ty::Never, at)
    }
}
