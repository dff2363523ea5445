//! From a body to its control-flow graph.

use super::access::{Access, Form, Link, way};
use super::fresh::sets_each_item;
use super::graph::{END, Graph, START, Step};
use crate::ir::names::names_of_closure;
use crate::ir::{Arm, Block, Child, Expr, For, Kind, Op, Opaque, Pattern, StatementKind, Unknown};
use crate::language::macros;
use crate::maps::{HashMap, New as _};

impl<'e> Graph<'e> {
    /// The graph of one iteration: `continue` and `break` of the loop end it.
    pub fn of_iteration(f: &'e For) -> Graph<'e> {
        let mut build = Build::new();
        build.frames.push(Frame { label: f.label.name.as_deref(), is_loop: true, next: END, end: END });
        build.step(Step::Bind(&f.pattern));
        build.block(&f.body, false);
        build.finish()
    }

    /// The graph of a function's body.
    pub fn of_body(body: &'e Block) -> Graph<'e> {
        let mut build = Build::new();
        build.block(body, true);
        build.finish()
    }
}

/// A loop or a labeled block around the present code.
struct Frame<'e> {
    label: Option<&'e str>,
    is_loop: bool,
    /// The targets of `continue` and `break`.
    next: usize,
    end: usize,
}

struct Build<'e> {
    graph: Graph<'e>,
    /// The last step; `None` after a jump.
    at: Option<usize>,
    frames: Vec<Frame<'e>>,
    /// The target of `return`.
    exit: usize,
    /// Whether this is the body of a closure.
    captured: bool,
}

impl<'e> Build<'e> {
    fn new() -> Self {
        let graph = Graph { steps: Vec::new(), after: Vec::new(), before: Vec::new(), ends: HashMap::new() };
        let mut build = Build { graph, at: None, frames: Vec::new(), exit: END, captured: false };
        build.place(Step::Nothing);
        build.place(Step::Nothing);
        build.at = Some(START);
        build
    }

    fn finish(mut self) -> Graph<'e> {
        self.jump(END);
        self.graph
    }

    /// A step without edges.
    fn place(&mut self, step: Step<'e>) -> usize {
        self.graph.steps.push(step);
        self.graph.after.push(Vec::new());
        self.graph.before.push(Vec::new());
        self.graph.steps.len() - 1
    }

    fn edge(&mut self, from: usize, to: usize) {
        if !self.graph.after[from].contains(&to) {
            self.graph.after[from].push(to);
            self.graph.before[to].push(from);
        }
    }

    /// The next step.
    fn step(&mut self, step: Step<'e>) -> usize {
        let number = self.place(step);
        self.to(number);
        number
    }

    /// Goes on at a step.
    fn to(&mut self, number: usize) {
        if let Some(at) = self.at {
            self.edge(at, number);
        }
        self.at = Some(number);
    }

    /// Ends the path at a step.
    fn jump(&mut self, number: usize) {
        self.to(number);
        self.at = None;
    }

    /// Code that may run once after the present step, and a step after it.
    fn maybe(&mut self, inside: impl FnOnce(&mut Self)) {
        let before = self.step(Step::Nothing);
        inside(self);
        let after = self.step(Step::Nothing);
        self.edge(before, after);
    }

    fn block(&mut self, block: &'e Block, used: bool) {
        for (number, statement) in block.statements.iter().enumerate() {
            match &statement.kind {
                StatementKind::Item(_) => {}
                StatementKind::Let(pattern, value, otherwise) => {
                    if let Some(value) = value {
                        self.expr(value, !matches!(pattern.form, crate::ir::Form::Any));
                    }
                    if let Some(otherwise) = otherwise {
                        self.maybe(|build| {
                            build.expr(otherwise, false);
                            build.at = None;
                        });
                    }
                    self.step(Step::Bind(pattern));
                }
                StatementKind::Expr(e, semicolon) => {
                    let last = number + 1 == block.statements.len() && !semicolon;
                    self.expr(e, last && used);
                }
            }
        }
    }

    fn exprs(&mut self, es: impl IntoIterator<Item = &'e Expr>) {
        es.into_iter().for_each(|e| self.expr(e, true));
    }

    fn children(&mut self, e: &'e Expr) {
        for child in e.children() {
            match child {
                Child::Expr(e) => self.expr(e, true),
                Child::Block(block) => self.block(block, true),
            }
        }
    }

    /// An expression. A table, with an arm for each kind.
    fn expr(&mut self, e: &'e Expr, used: bool) {
        match &e.kind {
            Kind::Paren(inner) => self.expr(inner, used),
            Kind::Block(block) => self.block(block, used),
            Kind::Labeled(label, _, block) => {
                let end = self.place(Step::Nothing);
                let label = Some(label.trim_start_matches('\''));
                self.frames.push(Frame { label, is_loop: false, next: end, end });
                self.block(block, used);
                self.frames.pop();
                self.to(end);
            }
            Kind::Opaque(opaque) => self.opaque(e, opaque, used),
            Kind::If(condition, then, otherwise) => {
                self.expr(condition, true);
                let tested = self.step(Step::Nothing);
                self.block(then, used);
                let then = self.at.replace(tested);
                if let Some(otherwise) = otherwise {
                    self.expr(otherwise, used);
                }
                self.meet([then]);
            }
            Kind::Match(matched, arms) => self.arms(matched, arms, used),
            Kind::For(f) => self.for_loop(f),
            Kind::While(label, condition, body) => self.rounds(label.name.as_deref(), |build| {
                build.expr(condition, true);
                let tested = build.step(Step::Nothing);
                build.block(body, false);
                Some(tested)
            }),
            Kind::Loop(label, body) => self.rounds(label.name.as_deref(), |build| {
                build.block(body, false);
                None
            }),
            Kind::Closure(patterns, _, body) => self.closure(patterns, body, true),
            Kind::Let(pattern, value) => {
                self.expr(value, true);
                self.step(Step::Bind(pattern));
            }
            Kind::Binary(Op::AndAnd | Op::OrOr, left, right) => {
                self.expr(left, true);
                self.maybe(|build| build.expr(right, true));
            }
            Kind::Break(label, result) => {
                self.exprs(result.as_deref());
                let end = self.frame(label.as_deref()).map_or(self.exit, |frame| frame.end);
                self.jump(end);
            }
            Kind::Continue(label) => {
                let next = self.frame(label.as_deref()).map_or(self.exit, |frame| frame.next);
                self.jump(next);
            }
            Kind::Return(result) => {
                self.exprs(result.as_deref());
                self.jump(self.exit);
            }
            Kind::Try(inner) => {
                self.expr(inner, true);
                let tested = self.step(Step::Nothing);
                self.edge(tested, self.exit);
            }
            Kind::Assign(place, op, value) => self.assign(e, place, *op, value),
            Kind::Call(function, args) => self.call(e, function, args, used),
            Kind::Macro(name, args, _) if macros::writes(name) => self.write(e, args, used),
            Kind::Macro(name, args, _) => {
                self.exprs(args);
                if macros::diverges(name) {
                    self.jump(self.exit);
                }
            }
            Kind::Name(_)
            | Kind::Method(..)
            | Kind::Field(..)
            | Kind::Index(..)
            | Kind::Unary('*', _)
            | Kind::Ref(..) => match way(e) {
                Some((variable, links)) => {
                    self.inside(&links, used);
                    self.access(variable, e, links, Form::Chain, used);
                }
                None => self.others(e, used),
            },
            _ => self.children(e),
        }
    }

    /// Goes on where the present path and others meet.
    fn meet(&mut self, others: impl IntoIterator<Item = Option<usize>>) {
        let paths: Vec<usize> = others.into_iter().chain([self.at]).flatten().collect();
        self.at = None;
        if !paths.is_empty() {
            let end = self.place(Step::Nothing);
            paths.into_iter().for_each(|from| self.edge(from, end));
            self.at = Some(end);
        }
    }

    /// Code that does not begin with a variable.
    fn others(&mut self, e: &'e Expr, used: bool) {
        match &e.kind {
            // The result of writing to a string does not depend on its contents.
            Kind::Method(receiver, method, args, _)
                if matches!(method.as_str(), "unwrap" | "expect" | "ok")
                    && matches!(&receiver.kind, Kind::Macro(path, ..) if macros::writes(path)) =>
            {
                self.expr(receiver, used);
                self.exprs(args);
            }
            Kind::Method(receiver, method, args, _) => {
                self.expr(receiver, true);
                self.arguments(method, args, used);
            }
            _ => self.children(e),
        }
    }

    /// The indices and arguments of a chain.
    fn inside(&mut self, links: &[Link<'e>], used: bool) {
        for link in links {
            match link {
                Link::Method(method, args) => self.arguments(method, args, used),
                Link::Index(index) => self.expr(index, true),
                Link::Field(_) => {}
            }
        }
    }

    fn arguments(&mut self, method: &str, args: &'e [Expr], used: bool) {
        for arg in args {
            match &arg.kind {
                Kind::Closure(patterns, _, body) if method == "for_each" => self.closure(patterns, body, used),
                _ => self.expr(arg, true),
            }
        }
    }

    fn access(&mut self, variable: &'e Expr, e: &'e Expr, links: Vec<Link<'e>>, form: Form<'e>, used: bool) {
        if let Kind::Name(root) = variable.kind {
            let captured = self.captured;
            self.step(Step::Access(Access { root, variable, e, links, form, used, captured }));
        }
    }

    fn assign(&mut self, e: &'e Expr, place: &'e Expr, op: Option<Op>, value: &'e Expr) {
        let nowhere = |place: &Expr| place.is_code("_");
        self.expr(value, !(op.is_none() && nowhere(place)));
        for place in place.places() {
            match way(place) {
                Some((variable, links)) => {
                    self.inside(&links, true);
                    self.access(variable, e, links, Form::Assigned { place, op, value }, false);
                }
                None if nowhere(place) => {}
                None => self.children(place),
            }
        }
    }

    fn call(&mut self, e: &'e Expr, function: &'e Expr, args: &'e [Expr], used: bool) {
        self.expr(function, true);
        let whole =
            |arg: &Expr| matches!(arg.kind, Kind::Ref(true, _)) && way(arg).is_some_and(|(_, links)| links.is_empty());
        self.exprs(args.iter().filter(|arg| !whole(arg)));
        for (number, arg) in args.iter().enumerate().filter(|(_, arg)| whole(arg)) {
            let mut others = args.iter().enumerate().filter(|(other, _)| *other != number).map(|(_, arg)| arg);
            let alone = !used && !others.any(hands_out);
            if let Some((variable, links)) = way(arg) {
                self.access(variable, e, links, Form::Passed { alone }, used);
            }
        }
    }

    /// `write!(to, ..)`.
    fn write(&mut self, e: &'e Expr, call: &'e [Expr], used: bool) {
        if let [Expr { kind: Kind::Method(to, _, args, _), .. }] = call
            && let Some((variable, links)) = way(to)
            && links.iter().all(|link| matches!(link, Link::Field(_)))
        {
            self.exprs(args);
            return self.access(variable, e, links, Form::Written, used);
        }
        self.exprs(call);
    }

    /// Code that the compiler does not understand. It may evaluate its parts at any time or never.
    fn opaque(&mut self, e: &'e Expr, opaque: &'e Opaque, used: bool) {
        match opaque.what {
            Unknown::Unsafe => opaque.parts.iter().for_each(|part| self.expr(part, used)),
            Unknown::RawPointer | Unknown::Await | Unknown::Yield => self.exprs(&opaque.parts),
            Unknown::Macro | Unknown::Statement | Unknown::Syntax => {
                for variable in opaque.received() {
                    self.access(variable, e, Vec::new(), Form::Opaque, true);
                }
                self.maybe(|build| build.exprs(&opaque.parts));
            }
        }
        if opaque.may_leave() {
            let tested = self.step(Step::Nothing);
            let targets: Vec<usize> = self.frames.iter().flat_map(|frame| [frame.next, frame.end]).collect();
            targets.into_iter().chain([self.exit]).for_each(|target| self.edge(tested, target));
        }
    }

    /// A closure may run later, or never. Its code counts where it is written.
    fn closure(&mut self, patterns: &'e [Pattern], body: &'e Expr, used: bool) {
        self.maybe(|build| {
            let end = build.place(Step::Nothing);
            let frames = std::mem::take(&mut build.frames);
            let (exit, captured) =
                (std::mem::replace(&mut build.exit, end), std::mem::replace(&mut build.captured, true));
            for pattern in patterns {
                build.step(Step::Bind(pattern));
            }
            build.expr(body, used);
            build.to(end);
            (build.frames, build.exit, build.captured) = (frames, exit, captured);
        });
    }

    fn arms(&mut self, matched: &'e Expr, arms: &'e [Arm], used: bool) {
        self.expr(matched, true);
        let mut open = vec![self.step(Step::Nothing)];
        let mut ends = Vec::new();
        for arm in arms {
            self.at = None;
            let start = self.place(Step::Bind(&arm.pattern));
            open.iter().for_each(|from| self.edge(*from, start));
            self.at = Some(start);
            if let Some(guard) = &arm.guard {
                self.expr(guard, true);
                open.push(self.step(Step::Nothing));
            }
            self.expr(&arm.body, used);
            ends.push(self.at);
        }
        self.at = None;
        self.meet(ends);
    }

    /// A loop: `round` is its condition and its body. It returns the step at which the condition was tested.
    fn rounds(&mut self, label: Option<&'e str>, round: impl FnOnce(&mut Self) -> Option<usize>) {
        let (next, end) = (self.step(Step::Nothing), self.place(Step::Nothing));
        self.frames.push(Frame { label, is_loop: true, next, end });
        let tested = round(self);
        self.frames.pop();
        self.jump(next);
        if let Some(tested) = tested {
            self.edge(tested, end);
        }
        self.at = Some(end);
    }

    fn for_loop(&mut self, f: &'e For) {
        match way(&f.source).filter(|_| sets_each_item(f)) {
            Some((variable, links)) => self.access(variable, &f.source, links, Form::SetEach, true),
            None => self.expr(&f.source, true),
        }
        self.rounds(f.label.name.as_deref(), |build| {
            let more = build.step(Step::Nothing);
            let done = build.place(Step::Done(f));
            build.edge(more, done);
            build.step(Step::Bind(&f.pattern));
            build.block(&f.body, false);
            Some(done)
        });
        if let Some(end) = self.at {
            self.graph.ends.insert(f.source.id, end);
        }
    }

    fn frame(&self, label: Option<&str>) -> Option<&Frame<'e>> {
        let named = |frame: &&Frame<'e>| match label {
            Some(label) => frame.label == Some(label),
            None => frame.is_loop,
        };
        self.frames.iter().rev().find(named)
    }
}

/// Whether an argument allows a method or function to store values elsewhere. The compiler assumes that a plain value
/// does not: an obligation says so.
pub fn hands_out(arg: &Expr) -> bool {
    match &arg.kind {
        Kind::Paren(inner) => hands_out(inner),
        Kind::Ref(true, _) => true,
        Kind::Closure(patterns, _, body) => acts_outside(patterns, body),
        _ => false,
    }
}

/// Whether a closure has other effects than computing a value and changing its arguments.
fn acts_outside(patterns: &[Pattern], body: &Expr) -> bool {
    let own = names_of_closure(patterns, body);
    let foreign = |place: &Expr| match way(place) {
        Some((root, _)) => root.name().is_none_or(|name| !own.contains(&name)),
        None => true,
    };
    body.nodes().any(|e| match &e.kind {
        Kind::Assign(place, ..) => foreign(place),
        Kind::Ref(true, inner) => foreign(inner),
        Kind::Method(receiver, method, ..) => {
            !receiver.is_left_by(method) && way(receiver).is_some() && foreign(receiver)
        }
        Kind::Macro(path, ..) => !matches!(path.as_str(), "vec" | "format" | "matches"),
        Kind::Opaque(..) => true,
        _ => false,
    })
}
