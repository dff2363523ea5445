//! Calls of functions and closures that are seen: their bodies are put in place of them.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Local, Nested};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::{Binding, Closure};
use crate::wgsl::elaborate::exits::Frame;
use crate::wgsl::tree::{Item, Node, NodeKind, Statement, Target, Ty};
use std::rc::Rc;

impl Elaborate<'_> {
    pub fn call(&mut self, function: &Expr, args: &[Expr], at: Location) -> Node {
        let Some(name) = function.name() else { return self.call_known(function, args, at) };
        if matches!(self.names.get(name), Some(Binding::Function(function)) if function.counts) {
            let what = "has parameters that are numbers: a device calls functions of types alone";
            return self.stuck(at, format!("`{name}` {what}"));
        }
        let Some(callee) = self.callee(name) else { return self.call_known(function, args, at) };
        self.refuse_stale(&name, &callee, at);
        if !self.inlining.has_room() {
            return self.stuck(
                at,
                format!("`{name}` calls itself, or too many calls are inside of each other: they are all written out for a device"),
            );
        }
        if callee.parameters.len() != args.len() {
            return self.stuck(at, format!("`{name}` does not take {} arguments", args.len()));
        }
        let mut statements = Vec::new();
        let items = args.iter().map(|arg| match self.item(arg, &mut statements) {
            // In their order, before the body.
            Item::Value(node) if args.len() > 1 && !self.quiet => {
                Item::Value(self.locals.hold("argument", node, &mut statements))
            }
            other => other,
        });
        let items = items.collect();
        self.inline(&callee, items, statements, at)
    }

    /// The closure or the function of this name.
    pub fn callee(&mut self, name: Local) -> Option<Rc<Closure>> {
        match self.names.get(name)? {
            Binding::Closure(closure) => Some(closure.clone()),
            Binding::Function(function) if !function.counts => {
                let Nested { parameters, output, generic, body, .. } = &**function;
                self.types.generic.extend(generic.iter().cloned());
                Some(Rc::new(Closure {
                    parameters: parameters.clone(),
                    output: output.clone(),
                    body: body.clone(),
                    environment: self.names.environment.clone(),
                    moves: false,
                    outside: None,
                }))
            }
            _ => None,
        }
    }

    /// The body of a function that is translated by itself: its value, however it is left.
    pub fn function_body(&mut self, body: &Expr, result: &Ty, at: Location) -> Node {
        let target = self.exits.target();
        self.exits.frames = vec![Frame { label: None, target, is_loop: false, ty: result.clone() }];
        let value = self.expr(body);
        self.exits.frames.clear();
        self.left(body, value, target, result, at)
    }

    /// The value of a body that `return` may leave.
    pub fn left(&mut self, body: &Expr, value: Node, target: Target, returned: &Ty, at: Location) -> Node {
        self.same(returned, &value.ty.clone(), at);
        let mut leaves = false;
        body.walk(&mut |e| {
            leaves |= matches!(e.kind, ir::Kind::Return(_) | ir::Kind::Try(_));
            !leaves
        });
        match leaves {
            true => Node::new(NodeKind::Labeled(target, value.boxed()), returned.clone(), at),
            false => Node { ty: returned.clone(), ..value },
        }
    }

    /// The body of a function in place of a call, after these statements.
    pub fn inline(&mut self, callee: &Closure, items: Vec<Item>, mut statements: Vec<Statement>, at: Location) -> Node {
        let outside = std::mem::replace(&mut self.names.environment, callee.environment.clone());
        for (pattern, item) in callee.parameters.iter().zip(items) {
            self.bind(pattern, item, &mut statements);
        }
        let returned = match &callee.output {
            Some(ty) => self.written(&ty.tokens),
            None => self.types.unknown(),
        };
        let target = self.exits.target();
        let frame = Frame { label: None, target, is_loop: false, ty: returned.clone() };
        let frames = std::mem::replace(&mut self.exits.frames, vec![frame]);
        // A body is inlined more than once: closures that its iterators take belong to this call.
        let taken = std::mem::take(&mut self.inlining.taken);
        self.inlining.depth += 1;
        self.inlining.calls += 1;
        let value = self.apart(&callee.body);
        self.inlining.depth -= 1;
        self.inlining.taken = taken;
        self.exits.frames = frames;
        self.names.environment = outside;
        self.left(&callee.body, value, target, &returned, at).after(statements)
    }
}
