//! Expressions.

use crate::ir::Op;
use crate::ir::report::Location;
use crate::wgsl::contract::Type;
use crate::wgsl::emit::literals::fits;
use crate::wgsl::emit::places::How;
use crate::wgsl::emit::text::{Emit, Helper, Stays, Value, bare, negated, settled};
use crate::wgsl::tree::{Array, ITERATION, Node, NodeKind, Target, Total, Ty, Var};

impl Emit<'_> {
    /// An expression. Statements that it needs come before it. A table, with an arm for each kind of node.
    pub fn value(&mut self, node: &Node) -> Value {
        let at = node.at;
        match &node.kind {
            NodeKind::Unit => match self.types.shallow(&node.ty) {
                Ty::Never => Value::Never,
                _ => Value::Unit,
            },
            NodeKind::Bool(_)
            | NodeKind::Integer(_)
            | NodeKind::Float(_)
            | NodeKind::Zero
            | NodeKind::PlainZero
            | NodeKind::One
            | NodeKind::Default
            | NodeKind::Nothing => self.constant(node),
            NodeKind::Variable(variable) => self.variable(*variable, at),
            NodeKind::State(number, part) => self.state_value(*number, *part, &node.ty, at),
            NodeKind::Value(number) => {
                let mut first = self.values.get(*number).copied().unwrap_or_default();
                settled(self.numbered(&node.ty, &mut first, &|k, _| format!("fa_value_{k}()"), at))
            }
            NodeKind::Length(array) => self.length_of(*array),
            NodeKind::Load(array, index) => self.loaded(node, *array, index),
            NodeKind::Element(base, index) => self.element(base, index, at),
            NodeKind::Member(base, number) => self.part_of_tuple(node, base, *number),
            NodeKind::Field(base, field) => self.field_of_struct(node, base, field),
            NodeKind::Struct(fields, rest) => self.made(node, fields, rest.as_deref()),
            NodeKind::Within(index, length) => match self.values(&[index, length]).as_deref() {
                Some([index, length]) => self.below(index.clone(), length),
                _ => Value::Never,
            },
            NodeKind::Not(inner) => self.not(inner),
            NodeKind::Negative(inner) => self.negative(inner),
            NodeKind::Binary(op, a, b) => self.binary(*op, a, b, at),
            NodeKind::Operator(number, op, a, b) => self.operator(*number, *op, [a, b], at),
            NodeKind::Total(how, a, b) => self.total(node, *how, a, b),
            NodeKind::Step(op, a, b) => {
                let ty = self.number(node);
                let Some([a, b]) = self.pair(a, b) else { return Value::Never };
                self.step(*op, &ty, a, b, at)
            }
            NodeKind::Rounded(inner) => self.rounded(node, inner),
            NodeKind::Cast(inner) => self.cast(node, inner),
            NodeKind::Method(name, args) => self.method(name, args, at),
            NodeKind::FromBits(bits) => {
                let ty = self.number(node);
                match self.value(bits) {
                    Value::Never => Value::Never,
                    value => Value::Once(format!("fa_from_bits_{}({})", ty.name(), bare(value.text()))),
                }
            }
            NodeKind::Tuple(parts) => match self.values(&parts.iter().collect::<Vec<_>>()) {
                Some(values) => Value::Tuple(values),
                None => Value::Never,
            },
            NodeKind::Array(parts) => match self.values(&parts.iter().collect::<Vec<_>>()) {
                Some(values) => self.listed(&node.ty, &values, at),
                None => Value::Never,
            },
            NodeKind::Repeat(value, length) => self.repeat(node, value, *length),
            NodeKind::Distance(from, to) => self.distance(from, to, at),
            NodeKind::Steps(count, width) => {
                let Some([count, width]) = self.pair(count, width) else { return Value::Never };
                self.helpers.insert(Helper("fa_steps".to_owned()));
                Value::Once(format!("fa_steps({}, {})", bare(count.text()), bare(width.text())))
            }
            NodeKind::Block(statements, value) => {
                if !self.statements(statements) {
                    return Value::Never;
                }
                self.value(value)
            }
            NodeKind::Labeled(target, body) => self.labeled(*target, node, body),
            NodeKind::If(condition, then, otherwise) => self.choice(node, condition, then, otherwise, None),
            NodeKind::Loop(target, body) => self.endless(node, *target, body),
            NodeKind::While(target, condition, body) => self.repeated_while(*target, condition, body),
            NodeKind::Count(count) => self.count(count, at),
            NodeKind::Break(target, value) => self.left_with(*target, value, at),
            NodeKind::Continue(target) => {
                if *target == ITERATION {
                    self.line(self.end.clone());
                } else {
                    self.leave(*target, true, at);
                }
                Value::Never
            }
            NodeKind::Assign(place, op, value) => self.assign(place, op.map_or(How::Put, How::Op), value, at),
            NodeKind::Change(number, op, place, value) => {
                let how = self.function_of(*number, at).map_or(How::Op(*op), How::Function);
                self.assign(place, how, value, at)
            }
            NodeKind::Push(number, value) => self.push(*number, value, at),
            NodeKind::Bin(number, index, value) => {
                let Some([index, value]) = self.pair(index, value) else { return Value::Never };
                self.line(format!("fa_bin_{number}({}, {});", bare(index.text()), bare(value.text())));
                Value::Unit
            }
            NodeKind::Call(number, args) => self.call(*number, args, &node.ty, at),
            NodeKind::Raise(cause) => {
                self.line(format!("fa_raise({cause}u);"));
                Value::Unit
            }
        }
    }

    /// What stands for itself.
    fn constant(&mut self, node: &Node) -> Value {
        let at = node.at;
        match &node.kind {
            NodeKind::Bool(value) => Value::Constant(value.to_string()),
            NodeKind::Integer(value) => {
                let ty = self.number(node);
                Value::Constant(self.literal(*value, &ty, at))
            }
            NodeKind::Float(digits) => {
                let ty = self.number(node);
                Value::Constant(self.float(digits, &ty, at))
            }
            NodeKind::Zero => {
                let ty = self.number(node);
                Value::Constant(if ty.is_float() || ty.is_open() { Self::minus_zero(&ty) } else { self.zero(&ty, at) })
            }
            NodeKind::PlainZero => {
                let ty = self.number(node);
                Value::Constant(self.zero(&ty, at))
            }
            NodeKind::One => {
                let ty = self.number(node);
                Value::Constant(self.literal(1, &ty, at))
            }
            NodeKind::Default => {
                if self.types.parts(&node.ty).is_some_and(|parts| parts.iter().any(|part| part.is_open())) {
                    self.obstacle(at, "the default of a type that is not known here: write the value");
                }
                self.zeros(&node.ty, at)
            }
            NodeKind::Nothing => self.zeros(&node.ty, at),
            _ => Value::Unit,
        }
    }

    /// A variable of the body.
    fn variable(&mut self, variable: Var, at: Location) -> Value {
        match self.names.get(&variable) {
            Some(value) => value.clone(),
            None => {
                self.obstacle(at, format!("`{}` is not known here", self.variables[variable].name));
                Value::Unit
            }
        }
    }

    /// How many elements an array outside of the iteration has.
    fn length_of(&mut self, array: Array) -> Value {
        Value::Named(match array {
            Array::Slot(k) => format!("fa_len_{k}()"),
            Array::Table(k) => format!("fa_table_len_{}()", self.tables.get(k).copied().unwrap_or(k)),
            Array::Bins(k) => match self.widths.get(k) {
                None | Some(1) => format!("fa_bins_len_{k}()"),
                Some(width) => format!("(fa_bins_len_{k}() / {width}u)"),
            },
            // Its part has a length of its own.
            Array::Given(_) => "0u".to_owned(),
        })
    }

    /// An element of an array outside of the iteration.
    fn loaded(&mut self, node: &Node, array: Array, index: &Node) -> Value {
        let index = self.value(index);
        if matches!(index, Value::Never) {
            return index;
        }
        if let (Array::Table(table), Ty::Tuple(_)) = (array, self.types.shallow(&node.ty)) {
            // There is a table for each part.
            let mut first = self.tables.get(table).copied().unwrap_or(table);
            let index = self.hold("i", index);
            let load = |k, _: &Type| format!("fa_table_{k}({})", bare(index.text()));
            return self.numbered(&node.ty, &mut first, &load, node.at);
        }
        self.known(&node.ty, node.at);
        let Some(load) = self.loader(array) else {
            self.obstacle(node.at, "an element of a histogram is read: a device can only put values into it");
            return Value::Never;
        };
        Value::Once(format!("{load}({})", bare(index.text())))
    }

    /// A part of a tuple.
    fn part_of_tuple(&mut self, node: &Node, base: &Node, number: usize) -> Value {
        match self.value(base) {
            Value::Tuple(mut parts) if number < parts.len() => {
                let part = parts.swap_remove(number);
                // What else there is to be evaluated is evaluated too.
                for other in parts {
                    self.hold("t", other);
                }
                part
            }
            Value::Never => Value::Never,
            _ => self.zeros(&node.ty, node.at),
        }
    }

    /// A field of a struct.
    fn field_of_struct(&mut self, node: &Node, base: &Node, field: &str) -> Value {
        if let Some(member) = self.member(node, base, field) {
            return self.value(&member);
        }
        self.known(&node.ty, node.at);
        match self.value(base) {
            Value::Never => Value::Never,
            value => {
                let text = format!("{}.m_{}", value.text(), field.trim_start_matches("r#"));
                if value.stays() == Stays::Once { Value::Once(text) } else { Value::Named(text) }
            }
        }
    }

    /// A struct of fields, and what has the others.
    fn made(&mut self, node: &Node, fields: &[(String, Node)], rest: Option<&Node>) -> Value {
        if self.types.known(&node.ty).is_none() {
            let what = "the type of a struct that is made here is not known: write it, as in `let v: Pair<f32> = ..`";
            self.obstacle(node.at, what);
            return Value::Never;
        }
        let ty = self.known(&node.ty, node.at).wgsl();
        let nodes: Vec<&Node> = fields.iter().map(|(_, value)| value).chain(rest).collect();
        for node in &nodes {
            self.known(&node.ty, node.at);
        }
        let Some(values) = self.values(&nodes) else { return Value::Never };
        let made = self.fresh("made");
        let start = rest.and(values.last()).map_or(String::new(), |rest| format!(" = {}", bare(rest.text())));
        self.line(format!("var {made}: {ty}{start};"));
        for ((field, _), value) in fields.iter().zip(&values) {
            self.line(format!("{made}.m_{} = {};", field.trim_start_matches("r#"), bare(value.text())));
        }
        Value::Named(made)
    }

    fn not(&mut self, inner: &Node) -> Value {
        let ty = self.number(inner);
        match self.value(inner) {
            Value::Never => Value::Never,
            value if ty == Type::Bool => self.keep(&value, negated(value.text())),
            value => Value::Once(format!("fa_not_{}({})", ty.name(), bare(value.text()))),
        }
    }

    /// An operator between what may be structs.
    fn operator(&mut self, number: usize, op: Op, [a, b]: [&Node; 2], at: Location) -> Value {
        match self.function_of(number, at) {
            None => self.binary(op, a, b, at),
            Some(function) => {
                let Some([a, b]) = self.pair(a, b) else { return Value::Never };
                Value::Once(format!("{function}({}, {})", bare(a.text()), bare(b.text())))
            }
        }
    }

    /// A sum of accumulated numbers.
    fn total(&mut self, node: &Node, how: Total, a: &Node, b: &Node) -> Value {
        let ty = self.number(node);
        let Some([a, b]) = self.pair(a, b) else { return Value::Never };
        if let (Total::Plus, Value::Constant(text)) = (how, &a)
            && !ty.is_float()
            && text.trim_end_matches(char::is_alphabetic) == "0"
        {
            return b;
        }
        self.totals(&node.ty, how, &a, &b, node.at)
    }

    /// The end of a sum or a product of an iterator.
    fn rounded(&mut self, node: &Node, inner: &Node) -> Value {
        let ty = self.number(node);
        match self.value(inner) {
            value if ty == Type::F16 || ty.is_open() => {
                Value::Once(format!("fa_rounded_{}({})", ty.name(), bare(value.text())))
            }
            value => value,
        }
    }

    /// `as`.
    fn cast(&mut self, node: &Node, inner: &Node) -> Value {
        let (from, to) = (self.number(inner), self.number(node));
        match self.value(inner) {
            Value::Never => Value::Never,
            value if from == to => value,
            // The same number in another type.
            Value::Constant(_)
                if matches!(inner.kind, NodeKind::Integer(_))
                    && to.is_integer()
                    && !matches!((&from, &to), (Type::Queried(..), _) | (_, Type::Queried(..)))
                    && fits(inner, &from, &to) =>
            {
                let NodeKind::Integer(value) = inner.kind else { return Value::Unit };
                Value::Constant(self.literal(value, &to, node.at))
            }
            _ if to == Type::Bool => {
                self.obstacle(node.at, "a number does not become a `bool`");
                Value::Constant("false".to_owned())
            }
            value => Value::Once(format!("fa_cast_{}_{}({})", from.name(), to.name(), bare(value.text()))),
        }
    }

    /// How many values there are from one to another.
    fn distance(&mut self, from: &Node, to: &Node, at: Location) -> Value {
        let ty = self.number(from);
        if matches!(ty, Type::Queried(..)) {
            self.obstacle(at, "the type of the ends of a range is not known here: write it, as in `let n: usize = ..`");
        }
        let Some([a, b]) = self.pair(from, to) else { return Value::Never };
        if a.text() == "0u" && matches!(ty, Type::Usize | Type::U32 | Type::U16 | Type::U8) {
            return b;
        }
        self.helpers.insert(Helper(format!("fa_distance_{}", ty.name())));
        Value::Once(format!("fa_distance_{}({}, {})", ty.name(), bare(a.text()), bare(b.text())))
    }

    /// A `loop`.
    fn endless(&mut self, node: &Node, target: Target, body: &Node) -> Value {
        let result = self.declare("result", &node.ty, node.at);
        self.frame(target, true, result.clone(), |this, _| {
            let (lines, ()) = this.nested(|this| _ = this.run(body));
            (vec!["loop {".to_owned()], lines, vec!["}".to_owned()])
        });
        match result {
            // Nothing leaves it.
            Value::Unit if matches!(self.types.shallow(&node.ty), Ty::Never) => Value::Never,
            result => settled(result),
        }
    }

    fn repeated_while(&mut self, target: Target, condition: &Node, body: &Node) -> Value {
        self.frame(target, true, Value::Unit, |this, _| {
            let (lines, ()) = this.nested(|this| {
                let value = this.value(condition);
                if matches!(value, Value::Never) {
                    return;
                }
                this.line(format!("if ({}) {{ break; }}", negated(value.text())));
                this.run(body);
            });
            (vec!["loop {".to_owned()], lines, vec!["}".to_owned()])
        });
        Value::Unit
    }

    /// Leaves a loop or a block with a value.
    fn left_with(&mut self, target: Target, value: &Node, at: Location) -> Value {
        let value = self.value(value);
        if matches!(value, Value::Never) {
            return value;
        }
        if let Some(frame) = self.frames.iter().find(|frame| frame.target == target) {
            let result = frame.result.clone();
            self.set(&result, &value);
        }
        self.leave(target, false, at);
        Value::Never
    }

    fn push(&mut self, number: usize, value: &Node, at: Location) -> Value {
        let value = self.value(value);
        match value {
            Value::Never => return value,
            Value::Once(_) | Value::Named(_) | Value::Constant(_) => {
                self.line(format!("fa_push_{number}({});", bare(value.text())))
            }
            _ => self.obstacle(
                at,
                "what is pushed is a tuple, which a device does not push yet: push numbers or arrays `[T; N]`",
            ),
        }
        Value::Unit
    }

    /// What was taken for a field before it was seen to be the part of a tuple.
    pub fn member(&self, node: &Node, base: &Node, field: &str) -> Option<Node> {
        let Ty::Tuple(_) = self.types.shallow(&base.ty) else { return None };
        let kind = NodeKind::Member(base.clone().boxed(), field.parse().ok()?);
        Some(Node { kind, ty: node.ty.clone(), at: node.at })
    }
}
