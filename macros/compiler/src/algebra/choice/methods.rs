//! Comparisons, and methods of options, of orderings and of `bool`.

use super::questions::{Compared, Order, Question, Sign};
use super::run::{Ran, Run, Stop};
use super::value::Value;
use crate::ir::{Expr, Kind, Op};

impl Run<'_> {
    /// The result of a comparison by an operator.
    pub(super) fn compare(&mut self, op: Op, a: &Value, b: &Value) -> Ran<bool> {
        let (a, b) = (a.behind(), b.behind());
        self.joined(a)?;
        self.joined(b)?;
        if let (Value::New(a), Value::New(b)) = (a, b) {
            // The same question for all ways to ask it.
            let (a, op, b, holds) = match op {
                Op::Gt | Op::Ge => (b, op.mirrored(), a, 1),
                Op::Ne => (a, Op::Eq, b, 0),
                _ => (a, op, b, 1),
            };
            return Ok(self.answer(Question::Test(format!("{a} {} {b}", op.text())))? == holds);
        }
        Ok(self.order(a, b, None)?.satisfies(op))
    }

    /// How two values compare.
    fn order(&mut self, a: &Value, b: &Value, by: Option<&'static str>) -> Ran<Order> {
        let (a, b) = (a.behind(), b.behind());
        self.joined(a)?;
        self.joined(b)?;
        let of = |a: u8, b: u8| match a.cmp(&b) {
            std::cmp::Ordering::Less => Order::Less,
            std::cmp::Ordering::Equal => Order::Equal,
            std::cmp::Ordering::Greater => Order::Greater,
        };
        match (a, b) {
            (Value::Order(a), Value::Order(b)) => Ok(of(*a as u8, *b as u8)),
            (Value::Bool(a), Value::Bool(b)) => Ok(of(u8::from(*a), u8::from(*b))),
            (Value::Tuple(a), Value::Tuple(b)) if a.len() == b.len() => {
                for (a, b) in a.iter().zip(b) {
                    match self.order(a, b, by)? {
                        Order::Equal => {}
                        order => return Ok(order),
                    }
                }
                Ok(Order::Equal)
            }
            (Value::Some(_) | Value::None, _) | (_, Value::Some(_) | Value::None) => {
                match (self.content(a)?, self.content(b)?) {
                    (Some(a), Some(b)) => self.order(&a, &b, by),
                    (a, b) => Ok(of(u8::from(a.is_some()), u8::from(b.is_some()))),
                }
            }
            (Value::Old(member, path), new) if !new.has_state() => {
                self.asked(Compared { member: *member, path: path.clone(), by }, new).map(Order::reversed)
            }
            (new, Value::Old(member, path)) if !new.has_state() => {
                self.asked(Compared { member: *member, path: path.clone(), by }, new)
            }
            _ => Err(Stop::Unknown),
        }
    }

    /// How a new key compares with that of a variable.
    fn asked(&mut self, compared: Compared, new: &Value) -> Ran<Order> {
        self.reads += 1;
        let asked = (compared, new.clone());
        let (known, question) = match &self.compared {
            Some(first) if *first != asked => (&mut self.tie, Question::Tie),
            _ => (&mut self.compared, Question::Order),
        };
        if *known.get_or_insert_with(|| asked.clone()) != asked {
            return Err(Stop::Unknown);
        }
        let answer = self.answer(question)?;
        Ok(Order::ALL[usize::from(answer)])
    }

    /// Whether the new key compares with nothing.
    fn is_unordered(&self) -> bool {
        self.answers.get(&Question::Order) == Some(&(Order::Unordered as u8))
    }

    /// The value of a call of a method.
    pub(super) fn method(&mut self, receiver: &Expr, method: &str, arguments: &[Expr]) -> Ran<Value> {
        let before = self.reads;
        let of = self.value(receiver)?;
        self.joined(&of)?;
        match (method, arguments) {
            ("then" | "then_some", [_]) => {
                let holds = self.truth(&of)?;
                self.of_bool(before, holds, method, arguments)
            }
            ("cmp" | "total_cmp" | "partial_cmp", [other]) => self.ordering_of(&of, method, other),
            ("lt" | "le" | "gt" | "ge", [other]) => {
                let other = self.value(other)?;
                let op = match method {
                    "lt" => Op::Lt,
                    "le" => Op::Le,
                    "gt" => Op::Gt,
                    _ => Op::Ge,
                };
                self.compare(op, &of, &other).map(Value::Bool)
            }
            ("max" | "min", [other]) => {
                let other = self.value(other)?;
                self.joined(&other)?;
                let greater = method == "max";
                match (of, other) {
                    (old @ Value::Old(..), Value::New(new)) | (Value::New(new), old @ Value::Old(..)) => {
                        self.reads += 1;
                        Ok(Value::Extreme(greater, Box::new(old), new))
                    }
                    _ => Err(Stop::Unknown),
                }
            }
            ("is_nan", []) => match of.behind() {
                Value::Old(member, path) => {
                    let (member, path) = (*member, path.clone());
                    self.absent(member, &path, Sign::IsNan).map(Value::Bool)
                }
                _ => Err(Stop::Unknown),
            },
            _ => match of {
                Value::Order(order) => self.of_order(order, method, arguments),
                // The type of another value may be any.
                Value::Some(_) | Value::None | Value::Old(..) => self.of_option(before, &of, method, arguments),
                _ => Err(Stop::Unknown),
            },
        }
    }

    fn ordering_of(&mut self, of: &Value, method: &str, other: &Expr) -> Ran<Value> {
        let other = self.value(other)?;
        let by = match method {
            "cmp" => "cmp",
            "total_cmp" => "total_cmp",
            _ => "partial_cmp",
        };
        let order = self.order(of, &other, Some(by))?;
        Ok(match (by, order) {
            ("partial_cmp", Order::Unordered) => Value::None,
            ("partial_cmp", order) => Value::some(Value::Order(order)),
            // All values compare: this way does not exist.
            (_, Order::Unordered) => Value::Order(Order::Equal),
            (_, order) => Value::Order(order),
        })
    }

    fn of_order(&mut self, order: Order, method: &str, arguments: &[Expr]) -> Ran<Value> {
        let op = match (method, arguments) {
            ("is_lt", []) => Op::Lt,
            ("is_le", []) => Op::Le,
            ("is_gt", []) => Op::Gt,
            ("is_ge", []) => Op::Ge,
            ("is_eq", []) => Op::Eq,
            ("is_ne", []) => Op::Ne,
            ("reverse", []) => return Ok(Value::Order(order.reversed())),
            _ => return Err(Stop::Unknown),
        };
        Ok(Value::Bool(order.satisfies(op)))
    }

    fn of_bool(&mut self, before: usize, holds: bool, method: &str, arguments: &[Expr]) -> Ran<Value> {
        match (method, arguments) {
            ("then_some", [value]) => {
                let value = self.value(value)?;
                Ok(if holds { Value::some(value) } else { Value::None })
            }
            ("then", [closure]) if holds => self.decided(before, |run| run.call(closure, &[])).map(Value::some),
            ("then", [_]) => Ok(Value::None),
            _ => Err(Stop::Unknown),
        }
    }

    /// A method of `Option`.
    fn of_option(&mut self, before: usize, of: &Value, method: &str, arguments: &[Expr]) -> Ran<Value> {
        let content = self.content(of)?;
        self.reads += usize::from(of.has_state());
        // Arguments are evaluated in any case, closures are not.
        let mut values = Vec::new();
        for argument in arguments {
            match &argument.bare().kind {
                Kind::Closure(..) => values.push(None),
                _ => values.push(Some(self.value(argument)?)),
            }
        }
        let value = |number: usize| values.get(number).cloned().flatten().ok_or(Stop::Unknown);
        let closure = |number: usize| {
            arguments.get(number).filter(|e| matches!(e.bare().kind, Kind::Closure(..))).ok_or(Stop::Unknown)
        };
        let call = |run: &mut Self, number: usize, of: &[Value]| {
            let closure = closure(number)?;
            run.decided(before, |run| run.call(closure, of))
        };
        Ok(match (method, content, arguments.len()) {
            ("is_some", content, 0) => Value::Bool(content.is_some()),
            ("is_none", content, 0) => Value::Bool(content.is_none()),
            ("copied", content, 0) => content.map_or(Value::None, |content| Value::some(content.behind().clone())),
            ("as_ref", content, 0) => content.map_or(Value::None, |content| Value::some(Value::reference(content))),
            ("unwrap" | "expect", None, _) if *of == Value::None && self.is_unordered() => return Err(Stop::Panics),
            ("unwrap", Some(content), 0) | ("expect" | "unwrap_or" | "unwrap_or_else", Some(content), 1) => content,
            ("unwrap_or", None, 1) => value(0)?,
            ("unwrap_or_else", None, 1) => call(self, 0, &[])?,
            ("is_none_or", None, 1) => Value::Bool(true),
            ("is_some_and", None, 1) => Value::Bool(false),
            ("is_none_or" | "is_some_and", Some(content), 1) => {
                let holds = call(self, 0, &[content])?;
                Value::Bool(self.truth(&holds)?)
            }
            ("map" | "and_then" | "filter", None, 1) => Value::None,
            ("map", Some(content), 1) => Value::some(call(self, 0, &[content])?),
            ("and_then", Some(content), 1) => call(self, 0, &[content])?,
            ("filter", Some(content), 1) => {
                let holds = call(self, 0, &[Value::reference(content.clone())])?;
                if self.truth(&holds)? { Value::some(content) } else { Value::None }
            }
            ("map_or", None, 2) => value(0)?,
            ("map_or", Some(content), 2) => call(self, 1, &[content])?,
            ("map_or_else", None, 2) => call(self, 0, &[])?,
            ("map_or_else", Some(content), 2) => call(self, 1, &[content])?,
            ("or" | "or_else", Some(content), 1) => Value::some(content),
            // The other one is an option, too.
            ("or", None, 1) => self.content(&value(0)?)?.map_or(Value::None, Value::some),
            ("or_else", None, 1) => {
                let other = call(self, 0, &[])?;
                self.content(&other)?.map_or(Value::None, Value::some)
            }
            _ => return Err(Stop::Unknown),
        })
    }

    /// The value of a closure that is called with these values.
    fn call(&mut self, closure: &Expr, values: &[Value]) -> Ran<Value> {
        let Kind::Closure(patterns, _, body) = &closure.bare().kind else { return Err(Stop::Unknown) };
        if patterns.len() != values.len() {
            return Err(Stop::Unknown);
        }
        for (pattern, value) in patterns.iter().zip(values) {
            if !self.binds(pattern, value)? {
                return Err(Stop::Unknown);
            }
        }
        self.value(body)
    }
}
