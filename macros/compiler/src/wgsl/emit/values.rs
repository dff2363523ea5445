//! Expressions.

use crate::ir::report::Location;
use crate::wgsl::contract::Type;
use crate::wgsl::emit::literals::{fits, minus_zero};
use crate::wgsl::emit::places::How;
use crate::wgsl::emit::text::{Emit, Stays, Value, bare, negated, settled};
use crate::wgsl::tree::{Array, ITERATION, Node, NodeKind, Total, Ty, Var};

impl Emit<'_> {
    /// An expression; nothing if it does not come to an end. Statements that it needs come before it. A table, with an arm for each
    /// kind of node.
    pub fn value(&mut self, node: &Node) -> Option<Value> {
        let at = node.at;
        Some(match &node.kind {
            NodeKind::Unit => match self.types.shallow(&node.ty) {
                Ty::Never => return None,
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
                let mut first = self.numbers.values.get(*number).copied().unwrap_or_default();
                settled(self.numbered(&node.ty, &mut first, &|k, _| format!("fa_value_{k}()"), at))
            }
            NodeKind::Length(array) => self.length_of(*array),
            NodeKind::Load(array, index) => return self.loaded(node, *array, index),
            NodeKind::Element(base, index) => return self.element(base, index, at),
            NodeKind::Member(base, number) => return self.part_of_tuple(node, base, *number),
            NodeKind::Field(base, field) => return self.field_of_struct(node, base, field),
            NodeKind::Struct(fields, rest) => return self.made(node, fields, rest.as_deref()),
            NodeKind::Within(index, length) => {
                let [index, length] = self.pair(index, length)?;
                self.below(index, &length)
            }
            NodeKind::Proved(index, length) => {
                let [index, length] = self.pair(index, length)?;
                self.needs.helper("fa_in_box");
                Value::call("fa_in_box", [&index, &length])
            }
            NodeKind::Not(inner) => self.not(inner)?,
            NodeKind::Negative(inner) => self.negative(inner)?,
            NodeKind::Binary(op, a, b) => return self.binary(*op, a, b, at),
            NodeKind::Operator(number, op, a, b) => match self.function_of(*number, at) {
                None => return self.binary(*op, a, b, at),
                Some(function) => Value::call(&function, &self.pair(a, b)?),
            },
            NodeKind::Total(how, a, b) => self.total(node, *how, a, b)?,
            NodeKind::Step(op, a, b) => {
                let ty = self.number(node);
                let [a, b] = self.pair(a, b)?;
                self.step(*op, &ty, a, b, at)
            }
            NodeKind::Rounded(inner) => self.rounded(node, inner)?,
            NodeKind::Cast(inner) => self.cast(node, inner)?,
            NodeKind::Method(name, args) => return self.method(name, args, at),
            NodeKind::FromBits(bits) => {
                let ty = self.number(node);
                Value::of("from_bits", &ty, &[self.value(bits)?])
            }
            NodeKind::Tuple(parts) => Value::Tuple(self.values(parts)?),
            NodeKind::Array(parts) => {
                let values = self.values(parts)?;
                self.listed(&node.ty, &values, at)
            }
            NodeKind::Repeat(value, length) => self.repeat(node, value, *length)?,
            NodeKind::Distance(from, to) => self.distance(from, to, at)?,
            NodeKind::Steps(count, width) => {
                let values = self.pair(count, width)?;
                self.needs.helper("fa_steps");
                Value::call("fa_steps", &values)
            }
            NodeKind::Block(statements, value) => {
                self.statements(statements)?;
                return self.value(value);
            }
            NodeKind::Labeled(target, body) => self.labeled(*target, node, body),
            NodeKind::If(condition, then, otherwise) => return self.choice(node, [condition, then, otherwise], None),
            NodeKind::Loop(target, body) => return self.endless(node, *target, body),
            NodeKind::While(target, condition, body) => self.repeated_while(*target, condition, body),
            NodeKind::Count(count) => self.count(count, at)?,
            NodeKind::Break(target, value) => {
                let value = self.value(value)?;
                if let Some(frame) = self.frames.iter().find(|frame| frame.target == *target) {
                    self.set(&frame.result.clone(), &value);
                }
                self.leave(*target, false, at);
                return None;
            }
            NodeKind::Continue(target) => {
                match *target {
                    ITERATION => self.line(self.function.end.clone()),
                    target => self.leave(target, true, at),
                }
                return None;
            }
            NodeKind::Assign(place, op, value) => self.assign(place, op.map_or(How::Put, How::Op), value, at)?,
            NodeKind::Change(number, op, place, value) => {
                let how = self.function_of(*number, at).map_or(How::Op(*op), How::Function);
                self.assign(place, how, value, at)?
            }
            NodeKind::Push(number, value) => self.push(*number, value, at)?,
            NodeKind::Bin(number, index, value) => {
                let call = Value::call(&format!("fa_bin_{number}"), &self.pair(index, value)?);
                self.line(format!("{};", call.text()));
                Value::Unit
            }
            NodeKind::Call(number, args) => self.call(*number, args, &node.ty, at)?,
            NodeKind::Raise(cause) => {
                self.line(format!("fa_raise({cause}u);"));
                Value::Unit
            }
        })
    }

    /// A value that is written as it is.
    fn constant(&mut self, node: &Node) -> Value {
        let at = node.at;
        let ty = |this: &mut Self| this.number(node);
        Value::Constant(match &node.kind {
            NodeKind::Bool(value) => value.to_string(),
            NodeKind::Integer(value) => {
                let ty = ty(self);
                self.literal(*value, &ty, at)
            }
            NodeKind::Float(digits) => {
                let ty = ty(self);
                self.float(digits, &ty, at)
            }
            NodeKind::Zero | NodeKind::PlainZero => {
                let ty = ty(self);
                let minus = matches!(node.kind, NodeKind::Zero) && (ty.is_float() || ty.is_open());
                if minus { minus_zero(&ty) } else { self.zero(&ty, at) }
            }
            NodeKind::One => {
                let ty = ty(self);
                self.literal(1, &ty, at)
            }
            kind => {
                if matches!(kind, NodeKind::Default)
                    && self.types.parts(&node.ty).is_some_and(|parts| parts.iter().any(|part| part.is_open()))
                {
                    self.obstacle(at, "the default of a type that is not known here: write the value");
                }
                return self.zeros(&node.ty, at);
            }
        })
    }

    /// A variable of the body.
    fn variable(&mut self, variable: Var, at: Location) -> Value {
        match self.function.names.get(&variable) {
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
            Array::Table(k) => format!("fa_table_len_{}()", self.numbers.tables.get(k).copied().unwrap_or(k)),
            Array::Bins(k) => match self.numbers.widths.get(k) {
                None | Some(1) => format!("fa_bins_len_{k}()"),
                Some(width) => format!("(fa_bins_len_{k}() / {width}u)"),
            },
            // Its part has a length of its own.
            Array::Given(_) => "0u".to_owned(),
        })
    }

    /// An element of an array outside of the iteration.
    fn loaded(&mut self, node: &Node, array: Array, index: &Node) -> Option<Value> {
        let index = self.value(index)?;
        if let (Array::Table(table), Ty::Tuple(_)) = (array, self.types.shallow(&node.ty)) {
            // There is a table for each part.
            let mut first = self.numbers.tables.get(table).copied().unwrap_or(table);
            let index = self.hold("i", index);
            let load = |k, _: &Type| format!("fa_table_{k}({})", bare(index.text()));
            return Some(self.numbered(&node.ty, &mut first, &load, node.at));
        }
        self.known(&node.ty, node.at);
        let load = self.loader(array);
        if load.is_none() {
            self.obstacle(node.at, "an element of a histogram is read: a device can only put values into it");
        }
        Some(Value::call(&load?, &[index]))
    }

    /// A part of a tuple. The other parts are evaluated too.
    fn part_of_tuple(&mut self, node: &Node, base: &Node, number: usize) -> Option<Value> {
        Some(match self.value(base)? {
            Value::Tuple(mut parts) if number < parts.len() => {
                let part = parts.swap_remove(number);
                for other in parts {
                    self.hold("t", other);
                }
                part
            }
            _ => self.zeros(&node.ty, node.at),
        })
    }

    /// A field of a struct.
    fn field_of_struct(&mut self, node: &Node, base: &Node, field: &str) -> Option<Value> {
        if let Some(member) = self.member(node, base, field) {
            return self.value(&member);
        }
        self.known(&node.ty, node.at);
        let value = self.value(base)?;
        let text = format!("{}.m_{}", value.text(), field.trim_start_matches("r#"));
        Some(if value.stays() == Stays::Once { Value::Once(text) } else { Value::Named(text) })
    }

    /// A struct with some of its fields, and another one that has the rest.
    fn made(&mut self, node: &Node, fields: &[(String, Node)], rest: Option<&Node>) -> Option<Value> {
        if self.types.known(&node.ty).is_none() {
            let what = "the type of a struct that is made here is not known: write it, as in `let v: Pair<f32> = ..`";
            self.obstacle(node.at, what);
            return None;
        }
        let ty = self.known(&node.ty, node.at).wgsl();
        let nodes = || fields.iter().map(|(_, value)| value).chain(rest);
        for node in nodes() {
            self.known(&node.ty, node.at);
        }
        let values = self.values(nodes())?;
        let made = self.fresh("made");
        let start = rest.and(values.last()).map_or(String::new(), |rest| format!(" = {}", bare(rest.text())));
        self.line(format!("var {made}: {ty}{start};"));
        for ((field, _), value) in fields.iter().zip(&values) {
            self.line(format!("{made}.m_{} = {};", field.trim_start_matches("r#"), bare(value.text())));
        }
        Some(Value::Named(made))
    }

    fn not(&mut self, inner: &Node) -> Option<Value> {
        let ty = self.number(inner);
        let value = self.value(inner)?;
        Some(match ty {
            Type::Bool => value.keep(negated(value.text())),
            ty => Value::of("not", &ty, &[value]),
        })
    }

    /// A sum of accumulated numbers.
    fn total(&mut self, node: &Node, how: Total, a: &Node, b: &Node) -> Option<Value> {
        let ty = self.number(node);
        let [a, b] = self.pair(a, b)?;
        if let (Total::Plus, Value::Constant(text)) = (how, &a)
            && !ty.is_float()
            && text.trim_end_matches(char::is_alphabetic) == "0"
        {
            return Some(b);
        }
        Some(self.totals(&node.ty, how, &a, &b, node.at))
    }

    /// The end of a sum or a product of an iterator.
    fn rounded(&mut self, node: &Node, inner: &Node) -> Option<Value> {
        let ty = self.number(node);
        let value = self.value(inner)?;
        Some(if ty == Type::F16 || ty.is_open() { Value::of("rounded", &ty, &[value]) } else { value })
    }

    /// `as`.
    fn cast(&mut self, node: &Node, inner: &Node) -> Option<Value> {
        let (from, to) = (self.number(inner), self.number(node));
        Some(match (self.value(inner)?, &inner.kind) {
            (value, _) if from == to => value,
            // The same number in another type.
            (Value::Constant(_), NodeKind::Integer(value))
                if to.is_integer()
                    && !matches!((&from, &to), (Type::Queried(..), _) | (_, Type::Queried(..)))
                    && fits(*value, &from, &to) =>
            {
                Value::Constant(self.literal(*value, &to, node.at))
            }
            _ if to == Type::Bool => {
                self.obstacle(node.at, "a number does not become a `bool`");
                Value::Constant("false".to_owned())
            }
            (value, _) => Value::of(&format!("cast_{}", from.name()), &to, &[value]),
        })
    }

    /// How many values there are from one to another.
    fn distance(&mut self, from: &Node, to: &Node, at: Location) -> Option<Value> {
        let ty = self.number(from);
        if matches!(ty, Type::Queried(..)) {
            self.obstacle(at, "the type of the ends of a range is not known here: write it, as in `let n: usize = ..`");
        }
        let [a, b] = self.pair(from, to)?;
        if a.text() == "0u" && matches!(ty, Type::Usize | Type::U32 | Type::U16 | Type::U8) {
            return Some(b);
        }
        self.needs.helper(&format!("fa_distance_{}", ty.name()));
        Some(Value::of("distance", &ty, &[a, b]))
    }

    fn push(&mut self, number: usize, value: &Node, at: Location) -> Option<Value> {
        match self.value(value)? {
            value @ (Value::Once(_) | Value::Named(_) | Value::Constant(_)) => {
                self.line(format!("fa_push_{number}({});", bare(value.text())))
            }
            _ => self.obstacle(
                at,
                "what is pushed is a tuple, which a device does not push yet: push numbers or arrays `[T; N]`",
            ),
        }
        Some(Value::Unit)
    }

    /// A part of a tuple that was taken for a field before its type was known.
    pub fn member(&self, node: &Node, base: &Node, field: &str) -> Option<Node> {
        let Ty::Tuple(_) = self.types.shallow(&base.ty) else { return None };
        Some(base.member(field.parse().ok()?, node.ty.clone(), node.at))
    }
}
