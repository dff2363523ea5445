//! Where control goes: loops, blocks that are left, and choices.

use crate::ir::report::Location;
use crate::wgsl::contract::Type;
use crate::wgsl::emit::text::{Emit, Frame, Value, bare, negated, settled};
use crate::wgsl::tree::{Count, Node, NodeKind, Target, Ty};

impl Emit<'_> {
    /// A loop or block that can be left. `body` gives what comes before its lines, the lines, and what comes after.
    pub fn frame(
        &mut self,
        target: Target,
        is_loop: bool,
        result: Value,
        body: impl FnOnce(&mut Self, Target) -> (Vec<String>, Vec<String>, Vec<String>),
    ) {
        self.frames.push(Frame { target, is_loop, result, broken: None, continued: None, crossed: Vec::new() });
        let (head, lines, tail) = body(self, target);
        let Some(frame) = self.frames.pop() else { return };
        if let Some(flag) = &frame.broken {
            self.line(format!("var {flag} = false;"));
        }
        self.lines.extend(head);
        let mut inside = Vec::new();
        if is_loop {
            self.loops = true;
            inside.push("if (fa_trip()) { break; }".to_owned());
        }
        if let Some(flag) = &frame.continued {
            inside.push(format!("var {flag} = false;"));
        }
        inside.extend(lines);
        self.put(inside);
        self.lines.extend(tail);
        // What was left from inside goes on from here.
        for (target, goes_on) in frame.crossed {
            let flag = self.flag(target, goes_on);
            let here = match goes_on {
                true => {
                    self.frames.iter().rev().find(|frame| frame.is_loop).is_some_and(|frame| frame.target == target)
                }
                false => self.frames.last().is_some_and(|frame| frame.target == target),
            };
            let how = if here && goes_on { "continue" } else { "break" };
            self.line(format!("if ({flag}) {{ {how}; }}"));
        }
    }

    fn flag(&mut self, target: Target, goes_on: bool) -> String {
        let fresh = self.fresh(if goes_on { "next" } else { "leave" });
        let Some(frame) = self.frames.iter_mut().find(|frame| frame.target == target) else {
            return "false".to_owned();
        };
        let flag = if goes_on { &mut frame.continued } else { &mut frame.broken };
        flag.get_or_insert(fresh).clone()
    }

    pub fn leave(&mut self, target: Target, goes_on: bool, at: Location) {
        let Some(place) = self.frames.iter().position(|frame| frame.target == target) else {
            self.obstacle(at, "something is left that is not seen here");
            return;
        };
        // `continue` also leads out of blocks.
        let direct = match goes_on {
            true => self.frames[place + 1..].iter().all(|frame| !frame.is_loop),
            false => place + 1 == self.frames.len(),
        };
        if !direct {
            let flag = self.flag(target, goes_on);
            self.line(format!("{flag} = true;"));
            // Frames that are left on the way; where `continue` leads out of blocks, no further.
            for number in place + 1..self.frames.len() {
                let inner_loop = self.frames[number..].iter().any(|frame| frame.is_loop);
                if goes_on && !inner_loop {
                    continue;
                }
                if !self.frames[number].crossed.contains(&(target, goes_on)) {
                    self.frames[number].crossed.push((target, goes_on));
                }
            }
        }
        self.line(if direct && goes_on { "continue;" } else { "break;" });
    }

    pub fn labeled(&mut self, target: Target, node: &Node, body: &Node) -> Value {
        let result = self.declare("result", &node.ty, node.at);
        let into = result.clone();
        self.frame(target, false, result.clone(), |this, _| {
            let (lines, ()) = this.nested(|this| {
                let value = this.value(body);
                if !matches!(value, Value::Never) {
                    this.set(&into, &value);
                    this.line("break;");
                }
            });
            // A `switch` with one case is what WGSL can leave.
            let lines = std::iter::once("default: {".to_owned())
                .chain(lines.into_iter().map(|line| format!("    {line}")))
                .chain(std::iter::once("}".to_owned()))
                .collect();
            (vec!["switch (0i) {".to_owned()], lines, vec!["}".to_owned()])
        });
        settled(result)
    }

    /// Puts a value where it is held. Whether what follows is reached.
    pub fn put_into(&mut self, node: &Node, held: &Value) -> bool {
        match &node.kind {
            NodeKind::If(condition, then, otherwise) if !is_select(node) => {
                !matches!(self.choice(node, condition, then, otherwise, Some(held)), Value::Never)
            }
            NodeKind::Block(statements, value) => self.statements(statements) && self.put_into(value, held),
            _ => match self.value(node) {
                Value::Never => false,
                value => {
                    self.set(held, &value);
                    true
                }
            },
        }
    }

    pub fn choice(
        &mut self,
        node: &Node,
        condition: &Node,
        then: &Node,
        otherwise: &Node,
        held: Option<&Value>,
    ) -> Value {
        let condition = match self.value(condition) {
            Value::Never => return Value::Never,
            value => value,
        };
        if is_select(node)
            && self.types.known(&node.ty).is_some_and(|ty| !ty.has_parts())
            && let [one, two] = [then, otherwise].map(|branch| self.value(branch))
            && [&one, &two].iter().all(|value| matches!(value, Value::Named(_) | Value::Constant(_)))
        {
            let (one, two, condition) = (bare(one.text()), bare(two.text()), bare(condition.text()));
            return Value::Once(format!("select({two}, {one}, {condition})"));
        }
        let never = |branch: &Node| matches!(self.types.shallow(&branch.ty), Ty::Never);
        let wanted = !(self.is_unit(&node.ty) || never(then) && never(otherwise));
        let result = match held {
            Some(held) => held.clone(),
            None if wanted => self.declare("chosen", &node.ty, node.at),
            None => Value::Unit,
        };
        let [(then_lines, one), (else_lines, two)] = [then, otherwise].map(|branch| {
            self.nested(|this| match &result {
                Value::Unit => this.run(branch),
                result => this.put_into(branch, result),
            })
        });
        match (then_lines.is_empty(), else_lines.is_empty()) {
            (true, true) => _ = self.hold("unused", condition),
            (true, false) => {
                self.line(format!("if ({}) {{", negated(condition.text())));
                self.put(else_lines);
                self.line("}");
            }
            (false, _) => {
                self.line(format!("if ({}) {{", bare(condition.text())));
                self.put(then_lines);
                if else_lines.is_empty() {
                    self.line("}");
                } else if is_chain(&else_lines) {
                    // `else if`.
                    let mut lines = else_lines.into_iter();
                    if let Some(first) = lines.next() {
                        self.line(format!("}} else {first}"));
                    }
                    self.lines.extend(lines);
                } else {
                    self.line("} else {");
                    self.put(else_lines);
                    self.line("}");
                }
            }
        }
        if one || two { settled(result) } else { Value::Never }
    }

    pub fn count(&mut self, count: &Count, at: Location) -> Value {
        let ty = self.number(&count.from);
        if !(ty.is_integer() || ty.is_open()) {
            self.obstacle(at, format!("a loop counts by `{}`", ty.name()));
            return Value::Unit;
        }
        let Some([from, to]) = self.pair(&count.from, &count.to) else { return Value::Never };
        let to = self.hold("end", to);
        let from = if count.down || count.inclusive { self.hold("from", from) } else { from };
        let name = &self.variables[count.variable].name;
        let counter = self.fresh(name);
        let one = self.literal(1, &ty, at);
        self.names.insert(count.variable, Value::Named(counter.clone()));
        let (from, to) = (bare(from.text()).to_owned(), bare(to.text()).to_owned());
        if ty == Type::Usize && !count.inclusive && !count.down {
            self.below.push((counter.clone(), to.clone()));
        }
        let body = |this: &mut Self| this.nested(|this| _ = this.run(&count.body)).0;
        match (count.inclusive, count.down) {
            (false, false) => self.frame(count.target, true, Value::Unit, |this, _| {
                let head = format!("for (var {counter} = {from}; {counter} < {to}; {counter} += {one}) {{");
                (vec![head], body(this), vec!["}".to_owned()])
            }),
            (false, true) => {
                self.line(format!("var {counter} = {to};"));
                self.frame(count.target, true, Value::Unit, |this, _| {
                    let mut lines =
                        vec![format!("if ({counter} <= {from}) {{ break; }}"), format!("{counter} -= {one};")];
                    lines.extend(body(this));
                    (vec!["loop {".to_owned()], lines, vec!["}".to_owned()])
                });
            }
            // The last value may be the largest there is: it is compared before the step.
            (true, down) => {
                let (first, last, sign) = if down { (&to, &from, "-") } else { (&from, &to, "+") };
                self.line(format!("if ({from} <= {to}) {{"));
                let (lines, ()) = self.nested(|this| {
                    this.line(format!("var {counter} = {first};"));
                    this.frame(count.target, true, Value::Unit, |this, _| {
                        let mut lines = body(this);
                        lines.extend([
                            "continuing {".to_owned(),
                            format!("    let last = {counter} == {last};"),
                            format!("    {counter} {sign}= {one};"),
                            "    break if last;".to_owned(),
                            "}".to_owned(),
                        ]);
                        (vec!["loop {".to_owned()], lines, vec!["}".to_owned()])
                    });
                });
                self.put(lines);
                self.line("}");
            }
        }
        Value::Unit
    }
}

/// Whether an expression is a choice of which only one side may be evaluated.
pub fn is_choice(node: &Node) -> bool {
    match &node.kind {
        NodeKind::If(..) => !is_select(node),
        NodeKind::Block(_, value) => is_choice(value),
        _ => false,
    }
}

/// Whether an expression is a choice between two values that are there.
fn is_select(node: &Node) -> bool {
    let there = |node: &Node| {
        matches!(
            node.kind,
            NodeKind::Integer(_)
                | NodeKind::Float(_)
                | NodeKind::Bool(_)
                | NodeKind::Variable(_)
                | NodeKind::Value(_)
                | NodeKind::Zero
                | NodeKind::One
        )
    };
    matches!(&node.kind, NodeKind::If(_, then, otherwise) if there(then) && there(otherwise))
}

/// Whether lines are one `if` with all of its branches.
fn is_chain(lines: &[String]) -> bool {
    lines.first().is_some_and(|line| line.starts_with("if (") && line.ends_with('{'))
        && lines.last().is_some_and(|line| line == "}")
        && lines[1..lines.len() - 1].iter().all(|line| line.starts_with(' ') || line.starts_with("} else"))
}
