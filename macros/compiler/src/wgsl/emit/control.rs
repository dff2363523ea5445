//! Control flow: loops, blocks that are left, and choices.

use crate::ir::report::Location;
use crate::wgsl::contract::Type;
use crate::wgsl::emit::text::{Emit, Frame, Value, bare, negated, settled};
use crate::wgsl::tree::{Count, Node, NodeKind, Target, Ty};

impl Emit<'_> {
    /// A loop or block that can be left. `body` gives its head and its lines.
    fn frame(
        &mut self,
        target: Target,
        is_loop: bool,
        result: Value,
        body: impl FnOnce(&mut Self) -> (String, Vec<String>),
    ) {
        self.frames.push(Frame { target, is_loop, result, broken: None, continued: None, crossed: Vec::new() });
        let (head, lines) = body(self);
        let Some(frame) = self.frames.pop() else { return };
        if let Some(flag) = &frame.broken {
            self.line(format!("var {flag} = false;"));
        }
        self.line(head);
        let mut inside = Vec::new();
        if is_loop {
            self.needs.loops = true;
            inside.push("if (fa_trip()) { break; }".to_owned());
        }
        if let Some(flag) = &frame.continued {
            inside.push(format!("var {flag} = false;"));
        }
        inside.extend(lines);
        self.put(inside);
        self.line("}");
        // Jumps from inside that lead further go on from here.
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
        self.frame(target, false, result.clone(), |this| {
            let (lines, ()) = this.nested(|this| {
                if let Some(value) = this.value(body) {
                    this.set(&result, &value);
                    this.line("break;");
                }
            });
            // WGSL can leave a `switch` with one case.
            let lines = lines.into_iter().map(|line| format!("    {line}"));
            let lines = std::iter::once("default: {".to_owned()).chain(lines).chain(["}".to_owned()]);
            ("switch (0i) {".to_owned(), lines.collect())
        });
        settled(result)
    }

    /// A `loop`.
    pub fn endless(&mut self, node: &Node, target: Target, body: &Node) -> Option<Value> {
        let result = self.declare("result", &node.ty, node.at);
        self.frame(target, true, result.clone(), |this| ("loop {".to_owned(), this.body(body)));
        match result {
            // Nothing leaves it.
            Value::Unit if matches!(self.types.shallow(&node.ty), Ty::Never) => None,
            result => Some(settled(result)),
        }
    }

    pub fn repeated_while(&mut self, target: Target, condition: &Node, body: &Node) -> Value {
        self.frame(target, true, Value::Unit, |this| {
            let (lines, _) = this.nested(|this| {
                let value = this.value(condition)?;
                this.line(format!("if ({}) {{ break; }}", negated(value.text())));
                this.run(body)
            });
            ("loop {".to_owned(), lines)
        });
        Value::Unit
    }

    /// The lines of a body.
    fn body(&mut self, body: &Node) -> Vec<String> {
        self.nested(|this| this.run(body)).0
    }

    /// Puts a value into variables; nothing if it does not come to an end.
    pub fn put_into(&mut self, node: &Node, held: &Value) -> Option<()> {
        match &node.kind {
            NodeKind::If(condition, then, otherwise) if !is_select(node) => {
                _ = self.choice(node, [condition, then, otherwise], Some(held))?;
            }
            NodeKind::Block(statements, value) => {
                self.statements(statements)?;
                self.put_into(value, held)?;
            }
            _ => {
                let value = self.value(node)?;
                self.set(held, &value);
            }
        }
        Some(())
    }

    pub fn choice(
        &mut self,
        node: &Node,
        [condition, then, otherwise]: [&Node; 3],
        held: Option<&Value>,
    ) -> Option<Value> {
        let condition = self.value(condition)?;
        if is_select(node)
            && self.types.known(&node.ty).is_some_and(|ty| !ty.has_parts())
            && let [Some(one), Some(two)] = [then, otherwise].map(|branch| self.value(branch))
            && [&one, &two].iter().all(|value| matches!(value, Value::Named(_) | Value::Constant(_)))
        {
            return Some(Value::call("select", &[two, one, condition]));
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
        one.or(two).map(|()| settled(result))
    }

    pub fn count(&mut self, count: &Count, at: Location) -> Option<Value> {
        let ty = self.number(&count.from);
        if !(ty.is_integer() || ty.is_open()) {
            self.obstacle(at, format!("a loop counts by `{}`", ty.name()));
            return Some(Value::Unit);
        }
        let [from, to] = self.pair(&count.from, &count.to)?;
        let to = self.hold("end", to);
        let from = if count.down || count.inclusive { self.hold("from", from) } else { from };
        let name = &self.variables[count.variable].name;
        let counter = self.fresh(name);
        let one = self.literal(1, &ty, at);
        self.function.names.insert(count.variable, Value::Named(counter.clone()));
        let (from, to) = (bare(from.text()).to_owned(), bare(to.text()).to_owned());
        if ty == Type::Usize && !count.inclusive && !count.down {
            self.function.below.push((counter.clone(), to.clone()));
        }
        let repeat = |this: &mut Self, run: &dyn Fn(Vec<String>) -> (String, Vec<String>)| {
            this.frame(count.target, true, Value::Unit, |this| run(this.body(&count.body)));
        };
        match (count.inclusive, count.down) {
            (false, false) => repeat(self, &|lines| {
                (format!("for (var {counter} = {from}; {counter} < {to}; {counter} += {one}) {{"), lines)
            }),
            (false, true) => {
                self.line(format!("var {counter} = {to};"));
                repeat(self, &|lines| {
                    let step = [format!("if ({counter} <= {from}) {{ break; }}"), format!("{counter} -= {one};")];
                    ("loop {".to_owned(), step.into_iter().chain(lines).collect())
                });
            }
            // The last value may be the largest there is: it is compared before the step.
            (true, down) => {
                let (first, last, sign) = if down { (&to, &from, "-") } else { (&from, &to, "+") };
                self.line(format!("if ({from} <= {to}) {{"));
                let (lines, ()) = self.nested(|this| {
                    this.line(format!("var {counter} = {first};"));
                    repeat(this, &|mut lines| {
                        lines.extend([
                            "continuing {".to_owned(),
                            format!("    let last = {counter} == {last};"),
                            format!("    {counter} {sign}= {one};"),
                            "    break if last;".to_owned(),
                            "}".to_owned(),
                        ]);
                        ("loop {".to_owned(), lines)
                    });
                });
                self.put(lines);
                self.line("}");
            }
        }
        Some(Value::Unit)
    }
}

/// Whether an expression is a choice that may evaluate only one side.
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
