//! Methods, and functions that stand outside of the annotated one.

use super::elaborate::{Binding, Elaborate, Item, lookup};
use super::tree::{Kind, Node, Part, Statement, Total};
use super::types::{Ty, Type};
use crate::ir::report::{Place, shown};
use crate::ir::{self, Expr, Op};
use crate::plan::Class;
use proc_macro2::TokenStream;

/// How long an array is of which each element is written by itself.
const WRITTEN_OUT: usize = 16;

/// What a method of numbers takes beside the number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Same,
    U32,
    I32,
}

/// What it gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    Same,
    Bool,
    U32,
    Unsigned,
}

/// The methods of numbers that devices have.
fn of_numbers(name: &str) -> Option<(&'static [Takes], Gives)> {
    use Gives::{Bool, Same as Itself, U32 as Count, Unsigned};
    use Takes::{I32, Same, U32};
    Some(match name {
        "abs" | "sqrt" | "floor" | "ceil" | "round" | "trunc" | "fract" | "signum" | "recip" | "to_degrees"
        | "to_radians" | "cbrt" | "exp" | "exp2" | "exp_m1" | "ln" | "ln_1p" | "log2" | "log10" | "sin" | "cos"
        | "tan" | "asin" | "acos" | "atan" | "sinh" | "cosh" | "tanh" | "wrapping_neg" | "wrapping_abs"
        | "swap_bytes" | "reverse_bits" | "next_power_of_two" | "isqrt" | "saturating_neg" | "saturating_abs"
        | "round_ties_even" => (&[], Itself),
        "min"
        | "max"
        | "copysign"
        | "rem_euclid"
        | "div_euclid"
        | "hypot"
        | "powf"
        | "log"
        | "atan2"
        | "abs_sub"
        | "wrapping_add"
        | "wrapping_sub"
        | "wrapping_mul"
        | "saturating_add"
        | "saturating_sub"
        | "saturating_mul"
        | "div_ceil"
        | "next_multiple_of"
        | "midpoint"
        | "wrapping_div"
        | "wrapping_rem"
        | "wrapping_div_euclid"
        | "wrapping_rem_euclid"
        | "saturating_div" => (&[Same], Itself),
        "clamp" | "mul_add" => (&[Same, Same], Itself),
        "powi" => (&[I32], Itself),
        "pow" | "wrapping_shl" | "wrapping_shr" | "rotate_left" | "rotate_right" | "wrapping_pow"
        | "saturating_pow" => (&[U32], Itself),
        "is_nan" | "is_finite" | "is_infinite" | "is_sign_negative" | "is_sign_positive" | "is_power_of_two"
        | "is_normal" | "is_subnormal" => (&[], Bool),
        "is_multiple_of" => (&[Same], Bool),
        "count_ones" | "count_zeros" | "leading_zeros" | "trailing_zeros" | "ilog2" | "ilog10" | "trailing_ones"
        | "leading_ones" => (&[], Count),
        "ilog" => (&[Same], Count),
        "unsigned_abs" => (&[], Unsigned),
        "abs_diff" => (&[Same], Unsigned),
        _ => return None,
    })
}

/// What `&` is in front of.
fn seen_through(e: &Expr) -> &Expr {
    match &e.bare().kind {
        ir::Kind::Ref(_, inner) => inner.bare(),
        _ => e.bare(),
    }
}

impl Elaborate<'_> {
    /// `fa_NAME_TYPE` of numbers, where there is one.
    fn of_number(&mut self, name: &str, mut args: Vec<Node>, at: Place) -> Option<Node> {
        let (takes, gives) = of_numbers(name)?;
        if args.len() != takes.len() + 1 {
            return None;
        }
        let ty = args[0].ty.clone();
        for (arg, takes) in args[1..].iter_mut().zip(takes) {
            let wanted = match takes {
                Takes::Same => ty.clone(),
                Takes::U32 => Ty::Scalar(Type::U32),
                Takes::I32 => Ty::Scalar(Type::I32),
            };
            self.same(&arg.ty.clone(), &wanted, at);
        }
        let gives = match gives {
            Gives::Same => ty,
            Gives::Bool => Ty::BOOL,
            Gives::U32 => Ty::Scalar(Type::U32),
            Gives::Unsigned => self.types.unsigned(&ty),
        };
        Some(self.node(Kind::Method(name.to_owned(), args), gives, at))
    }

    pub fn method(&mut self, receiver: &Expr, name: &str, args: &[Expr], call: &TokenStream, at: Place) -> Node {
        if let Some(node) = self.shape_method(receiver, name, args, at) {
            return node;
        }
        if !self.quiet {
            if let Some(node) = self.collected(receiver, name, args, at) {
                return node;
            }
            if let Some(node) = self.range_method(receiver, name, args, at) {
                return node;
            }
            if let Some(node) = self.option_method(receiver, name, args, at) {
                return node;
            }
            if let Some(node) = self.giving_option(receiver, name, args, at) {
                return node;
            }
            if let Some(node) = self.number_method(receiver, name, args, at) {
                return node;
            }
            if let Some(node) = self.slice_method(receiver, name, args, at) {
                return node;
            }
            let mut before = Vec::new();
            match (name, args) {
                ("len", []) => {
                    if let Some(node) = self.length_of(receiver, &mut before, at) {
                        return self.after(before, node);
                    }
                }
                ("is_empty", []) => {
                    if let Some(length) = self.length_of(receiver, &mut before, at) {
                        let none = self.number(0, at);
                        let node = self.operation(Op::Eq, length, none, at);
                        return self.after(before, node);
                    }
                }
                ("swap", [a, b]) => {
                    if let Some(view) = self.view(receiver, &mut before) {
                        let (a, b) = (self.index(a), self.index(b));
                        let (a, b) = (self.hold("a", a, &mut before), self.hold("b", b, &mut before));
                        let (a, b) = (self.element(&view, a, false), self.element(&view, b, false));
                        let node = self.exchange(a, b, at);
                        return self.after(before, node);
                    }
                }
                ("reverse", []) => {
                    if let Some(node) = self.reversed(receiver, at) {
                        return node;
                    }
                }
                ("contains", [value]) => {
                    if let Some(node) = self.contains(receiver, value, at) {
                        return node;
                    }
                }
                ("fill", [value]) => {
                    if let Some(node) = self.fill(receiver, value, at) {
                        return node;
                    }
                }
                ("copy_from_slice" | "clone_from_slice", [from]) => {
                    if let Some(node) = self.copy(receiver, from, at) {
                        return node;
                    }
                }
                ("map", [closure]) => {
                    if let Some(node) = self.mapped(receiver, closure, at) {
                        return node;
                    }
                }
                ("to_vec" | "get_mut" | "first_mut" | "last_mut", _) => {
                    return self
                        .stuck(at, format!("`.{name}()` gives what a device does not have: index the elements"));
                }
                _ => {}
            }
            if let Some(node) = self.chain(receiver, name, args, call, at) {
                return node;
            }
        } else if matches!(name, "len" | "count" | "capacity") && args.is_empty() {
            self.expr(receiver);
            return self.node(Kind::Unit, Ty::USIZE, at);
        } else if matches!(
            name,
            "iter"
                | "iter_mut"
                | "into_iter"
                | "copied"
                | "cloned"
                | "rev"
                | "skip"
                | "take"
                | "step_by"
                | "to_vec"
                | "as_slice"
        ) && let ty = self.expr(receiver).ty
            && matches!(self.types.shallow(&ty), Ty::Slice(_) | Ty::Array(..))
        {
            let element = self.types.element(&ty);
            return self.node(Kind::Unit, Ty::Slice(Box::new(element)), at);
        }
        let number = self.expr(receiver);
        if let (true, "map", Ty::Array(_, length)) = (self.quiet, name, self.types.shallow(&number.ty)) {
            let element = self.types.unknown();
            return self.node(Kind::Default, Ty::Array(Box::new(element), length), at);
        }
        match (name, args.len()) {
            ("clone" | "to_owned" | "copied" | "cloned" | "borrow" | "by_ref", 0) => return number,
            ("into", 0) => {
                let ty = self.types.unknown();
                return self.node(Kind::Cast(number.boxed()), ty, at);
            }
            ("to_f32" | "to_f64", 0) if matches!(self.types.shallow(&number.ty), Ty::Scalar(Type::F16)) => {
                let ty = if name == "to_f32" { Type::F32 } else { Type::F64 };
                return self.node(Kind::Cast(number.boxed()), Ty::Scalar(ty), at);
            }
            ("to_bits", 0) => {
                let ty = self.types.bits(&number.ty);
                return self.node(Kind::Method("to_bits".to_owned(), vec![number]), ty, at);
            }
            ("sin_cos", 0) => {
                let ty = number.ty.clone();
                let mut before = Vec::new();
                let angle = self.hold("angle", number, &mut before);
                let [sin, cos] = ["sin", "cos"]
                    .map(|name| self.node(Kind::Method(name.to_owned(), vec![angle.clone()]), ty.clone(), at));
                let pair = self.node(Kind::Tuple(vec![sin, cos]), Ty::Tuple(vec![ty.clone(), ty]), at);
                return self.after(before, pair);
            }
            ("is_positive" | "is_negative", 0) => {
                let zero = self.node(Kind::Integer(0), number.ty.clone(), at);
                let op = if name == "is_positive" { Op::Gt } else { Op::Lt };
                return self.operation(op, number, zero, at);
            }
            _ => {}
        }
        if !self.quiet && matches!(name, "iter" | "iter_mut" | "into_iter") {
            return self.stuck(
                at,
                format!("`.{name}()`: an iterator has a name or steps by itself: a device goes over it in a `for`, or to an end such as `.sum()`"),
            );
        }
        let mut all = vec![number];
        all.extend(args.iter().map(|arg| self.expr(arg)));
        if let Some(node) = self.of_number(name, all.clone(), at) {
            return node;
        }
        let marked = if self.quiet { None } else { self.method_marked(name, all, at) };
        marked.unwrap_or_else(|| self.stuck(at, format!("`.{name}()` is a method that a device does not have")))
    }

    /// What is done to a variable that the loop collects in.
    fn collected(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Place) -> Option<Node> {
        let text = receiver.name()?;
        if !matches!(lookup(&self.scope, text), None | Some(Binding::Outer(..))) {
            return None;
        }
        if let Some(number) = self.pushes.iter().position(|(push, _)| push == text) {
            let element = self.pushes[number].1.clone();
            let mut values = Vec::new();
            match (name, args) {
                ("push", [value]) => values.push(value),
                ("extend_from_slice" | "extend", [list]) => match &seen_through(list).kind {
                    ir::Kind::Array(parts) => values.extend(parts),
                    _ => return Some(self.stuck(
                        at,
                        format!(
                            "`{text}.{name}(..)` pushes as many elements as something else holds: push them one by one"
                        ),
                    )),
                },
                _ => return Some(self.stuck(at, format!("`{text}.{name}(..)` is no `push` of one element"))),
            }
            // All values come before the first push.
            let mut statements = Vec::new();
            let mut held = Vec::new();
            for value in values {
                let node = self.expr(value);
                self.same(&node.ty.clone(), &element, at);
                held.push(if args.len() == 1 && name == "push" {
                    node
                } else {
                    self.hold("pushed", node, &mut statements)
                });
            }
            for value in held {
                let push = self.node(Kind::Push(number, value.boxed()), Ty::unit(), at);
                statements.push(Statement::Do(push));
            }
            let unit = self.node(Kind::Unit, Ty::unit(), at);
            return Some(self.after(statements, unit));
        }
        // What a chunk of a scan knows: `acc.include(e, |a, b| ..)`.
        let number = self
            .held
            .iter()
            .position(|held| held.variables.iter().any(|(names, _)| names.iter().any(|n| n == text)))?;
        let class = &self.found?.accumulators[number].class;
        if !matches!(class, Class::Segmented { .. } | Class::Linear { .. }) || self.edits.is_empty() {
            return None;
        }
        let linear = matches!(class, Class::Linear { .. });
        let value = self.state(number, Part::Variable(0), at);
        let ty = value.ty.clone();
        let take = |this: &mut Self, e: &Expr| {
            let node = this.expr(e);
            this.same(&node.ty.clone(), &ty, at);
            node
        };
        Some(match (name, args) {
            ("restart", [e]) => {
                let e = take(self, e);
                self.restart(number, e, linear, at)
            }
            ("then", [factor, term]) => {
                let (factor, term) = (take(self, factor), take(self, term));
                let mut statements = Vec::new();
                let (factor, term) =
                    (self.hold("factor", factor, &mut statements), self.hold("term", term, &mut statements));
                let product = self.total(Total::Times, factor.clone(), value.clone());
                let sum = self.total(Total::Plus, product, term);
                statements.push(self.set(value, sum));
                let before = self.state(number, Part::Factor, at);
                let product = self.total(Total::Times, factor, before.clone());
                statements.push(self.set(before, product));
                let unit = self.node(Kind::Unit, Ty::unit(), at);
                self.after(statements, unit)
            }
            ("include", [e, merge]) => {
                let e = take(self, e);
                self.include(number, e, merge, at)
            }
            ("follow", [e, merge]) => {
                let mut statements = Vec::new();
                let e = take(self, e);
                let e = self.hold("value", e, &mut statements);
                // Nothing is greater than what cannot be compared.
                let comparable = self.operation(Op::Eq, e.clone(), e.clone(), at);
                let include = self.include(number, e.clone(), merge, at);
                let restart = self.restart(number, e, false, at);
                let choice = self.if_else(comparable, include, restart, at);
                self.after(statements, choice)
            }
            _ => return None,
        })
    }

    pub fn set(&self, place: Node, value: Node) -> Statement {
        let at = place.at;
        Statement::Do(self.node(Kind::Assign(place.boxed(), None, value.boxed()), Ty::unit(), at))
    }

    fn restart(&mut self, number: usize, value: Node, linear: bool, at: Place) -> Node {
        let place = self.state(number, Part::Variable(0), at);
        let yes = self.node(Kind::Bool(true), Ty::BOOL, at);
        let mut statements = vec![self.set(place.clone(), value)];
        if linear {
            let factor = self.state(number, Part::Factor, at);
            let zero = self.node(Kind::Zero, factor.ty.clone(), at);
            statements.push(self.set(factor, zero));
        } else {
            let some = self.state(number, Part::Some, at);
            statements.push(self.set(some, yes.clone()));
        }
        let reset = self.state(number, Part::Reset, at);
        statements.push(self.set(reset, yes));
        let unit = self.node(Kind::Unit, Ty::unit(), at);
        self.after(statements, unit)
    }

    /// `acc = acc op value`, where there may be nothing yet.
    pub fn include(&mut self, number: usize, value: Node, merge: &Expr, at: Place) -> Node {
        let mut statements = Vec::new();
        let value = self.hold("value", value, &mut statements);
        let place = self.state(number, Part::Variable(0), at);
        let some = self.state(number, Part::Some, at);
        let merged = self.apply(merge, vec![Item::Value(place.clone()), Item::Value(value.clone())], at);
        self.same(&merged.ty.clone(), &place.ty, at);
        let unit = || self.node(Kind::Unit, Ty::unit(), at);
        let both = self.after(vec![self.set(place.clone(), merged)], unit());
        let yes = self.node(Kind::Bool(true), Ty::BOOL, at);
        let first = self.after(vec![self.set(place, value), self.set(some.clone(), yes)], unit());
        let choice = self.if_else(some, both, first, at);
        self.after(statements, choice)
    }

    fn length_of(&mut self, receiver: &Expr, before: &mut Vec<Statement>, at: Place) -> Option<Node> {
        // A length that is known before the loop.
        if let Some(name) = receiver.name()
            && let Some(Binding::Outer(_, ty)) = lookup(&self.scope, name).cloned()
            && self.slot(name).is_none()
            && (self.function.is_some_and(|function| function.shares.iter().any(|share| share.name == name))
                || matches!(self.types.shallow(&ty), Ty::Slice(_)))
        {
            let tokens = &receiver.bare().tokens;
            let tokens = quote::quote!(#tokens.len());
            return Some(self.capture(&format!("{name}.len()"), &tokens, Ty::USIZE, at));
        }
        let view = self.view(receiver, before)?;
        Some(self.length(&view, at))
    }

    /// Two places, exchanged.
    pub fn exchange(&mut self, a: Node, b: Node, at: Place) -> Node {
        let mut statements = Vec::new();
        self.same(&a.ty, &b.ty, at);
        self.check_place(&a);
        self.check_place(&b);
        let (a, b) = (self.fixed(a, &mut statements), self.fixed(b, &mut statements));
        let (one, two) = (self.variable("one", a.ty.clone(), false), self.variable("two", b.ty.clone(), false));
        statements.push(super::tree::Statement::Let(one, Some(a.clone())));
        statements.push(super::tree::Statement::Let(two, Some(b.clone())));
        let (one, two) = (self.read(one, at), self.read(two, at));
        statements.push(self.set(a, two));
        statements.push(self.set(b, one));
        let unit = self.node(Kind::Unit, Ty::unit(), at);
        self.after(statements, unit)
    }

    /// `part.reverse()`; of an `Ordering`, the other way round.
    fn reversed(&mut self, receiver: &Expr, at: Place) -> Option<Node> {
        let mut before = Vec::new();
        let Some(view) = self.view(receiver, &mut before) else {
            let order = self.expr(receiver);
            self.same(&order.ty, &super::options::ORDERING, at);
            return Some(self.node(Kind::Negative(order.boxed()), super::options::ORDERING, at));
        };
        let node = self.turned(&view, &mut before, at);
        Some(self.after(before, node))
    }

    /// The elements of a view the other way round.
    pub fn turned(&mut self, view: &super::views::View, before: &mut Vec<Statement>, at: Place) -> Node {
        let length = self.length(view, at);
        let length = self.hold("length", length, before);
        let (one, two) = (self.number(1, at), self.number(2, at));
        let half = self.binary(Op::Div, length.clone(), two);
        let (target, variable) = (self.target(), self.variable("k", Ty::USIZE, false));
        let position = self.read(variable, at);
        let last = self.binary(Op::Sub, length, one);
        let other = self.binary(Op::Sub, last, position.clone());
        let (a, b) = (self.element(view, position, true), self.element(view, other, true));
        let body = self.exchange(a, b, at);
        let from = self.number(0, at);
        let count = super::tree::Count { target, variable, from, to: half, inclusive: false, down: false, body };
        self.node(Kind::Count(Box::new(count)), Ty::unit(), at)
    }

    /// `part.contains(&value)`.
    fn contains(&mut self, receiver: &Expr, value: &Expr, at: Place) -> Option<Node> {
        let mut before = Vec::new();
        let view = self.view(receiver, &mut before)?;
        let value = self.expr(value);
        let value = self.hold("value", value, &mut before);
        let no = self.node(Kind::Bool(false), Ty::BOOL, at);
        let found = self.variable("found", Ty::BOOL, true);
        before.push(Statement::Let(found, Some(no)));
        let found = self.read(found, at);
        let node = self.each(&view, at, &mut before, &mut |this, place, _| {
            let equal = this.operation(Op::Eq, place, value.clone(), at);
            let either = this.operation(Op::OrOr, found.clone(), equal, at);
            this.set(found.clone(), either)
        });
        before.push(Statement::Do(node));
        Some(self.after(before, found))
    }

    fn fill(&mut self, receiver: &Expr, value: &Expr, at: Place) -> Option<Node> {
        let mut before = Vec::new();
        let view = self.view(receiver, &mut before)?;
        let value = self.expr(value);
        self.same(&view.element.clone(), &value.ty, at);
        let value = self.hold("value", value, &mut before);
        let node = self.each(&view, at, &mut before, &mut |this, place, _| {
            this.check_place(&place);
            this.set(place, value.clone())
        });
        Some(self.after(before, node))
    }

    fn copy(&mut self, receiver: &Expr, from: &Expr, at: Place) -> Option<Node> {
        let mut before = Vec::new();
        let view = self.view(receiver, &mut before)?;
        let from = self.view(from, &mut before)?;
        self.same(&view.element.clone(), &from.element, at);
        let (a, b) = (self.length(&view, at), self.length(&from, at));
        let differ = self.operation(Op::Ne, a, b, at);
        let panics = self.panics(at);
        let nothing = self.node(Kind::Unit, Ty::unit(), at);
        before.push(Statement::Do(self.node(
            Kind::If(differ.boxed(), panics.boxed(), nothing.boxed()),
            Ty::unit(),
            at,
        )));
        let node = self.each(&view, at, &mut before, &mut |this, place, position| {
            this.check_place(&place);
            let value = this.element(&from, position, true);
            this.set(place, value)
        });
        Some(self.after(before, node))
    }

    /// `[a, b].map(|v| ..)`: an array again.
    fn mapped(&mut self, receiver: &Expr, closure: &Expr, at: Place) -> Option<Node> {
        let known = self.obstacles.len();
        let array = self.expr(receiver);
        let Ty::Array(element, length) = self.types.shallow(&array.ty) else {
            // What is in the way is said for the whole of it.
            self.obstacles.truncate(known);
            return None;
        };
        let mut before = Vec::new();
        self.take_closure(closure, &mut before);
        if length > WRITTEN_OUT {
            let array = self.hold("array", array, &mut before);
            let result = self.types.unknown();
            let mapped = self.variable("mapped", Ty::Array(Box::new(result.clone()), length), true);
            let mapped = self.read(mapped, at);
            let zero = self.node(Kind::Default, mapped.ty.clone(), at);
            before.push(match mapped.kind {
                Kind::Variable(variable) => Statement::Let(variable, Some(zero)),
                _ => return None,
            });
            let view = self.local_view(mapped.clone(), &mut before)?;
            let from = self.local_view(array, &mut before)?;
            let node = self.each(&view, at, &mut before, &mut |this, place, position| {
                let value = this.element(&from, position, true);
                let value = this.apply(closure, vec![Item::Value(value)], at);
                this.same(&result, &value.ty.clone(), at);
                this.set(place, value)
            });
            before.push(Statement::Do(node));
            return Some(self.after(before, mapped));
        }
        let parts: Vec<Node> = match array.kind {
            Kind::Array(parts) => parts.into_iter().map(|part| self.hold("part", part, &mut before)).collect(),
            _ => {
                let array = self.hold("array", array, &mut before).boxed();
                let part = |k| {
                    let index = self.number(k, at).boxed();
                    self.node(Kind::Element(array.clone(), index), (*element).clone(), at)
                };
                (0..length).map(part).collect()
            }
        };
        let result = self.types.unknown();
        let mut values = Vec::new();
        for part in parts {
            let value = self.apply(closure, vec![Item::Value(part)], at);
            self.same(&result, &value.ty.clone(), at);
            values.push(value);
        }
        let node = self.node(Kind::Array(values), Ty::Array(Box::new(result), length), at);
        Some(self.after(before, node))
    }

    /// A statement for each element of a view.
    fn each(
        &mut self,
        view: &super::views::View,
        at: Place,
        _: &mut Vec<Statement>,
        run: &mut dyn FnMut(&mut Self, Node, Node) -> Statement,
    ) -> Node {
        let (target, variable) = (self.target(), self.variable("k", Ty::USIZE, false));
        let position = self.read(variable, at);
        let place = self.element(view, position.clone(), true);
        let statement = run(self, place, position);
        let unit = self.node(Kind::Unit, Ty::unit(), at);
        let body = self.after(vec![statement], unit);
        let (from, to) = (self.number(0, at), self.length(view, at));
        let count = super::tree::Count { target, variable, from, to, inclusive: false, down: false, body };
        self.node(Kind::Count(Box::new(count)), Ty::unit(), at)
    }

    /// Functions that are known by their path, and the analysis's own.
    pub fn call_known(&mut self, function: &Expr, args: &[Expr], at: Place) -> Node {
        let text: String = function.text().split_whitespace().collect();
        let segments: Vec<&str> = text.split("::").collect();
        let last = segments.last().copied().unwrap_or_default();
        if text.starts_with("::forall::__private::") {
            return self.private(last, args, at);
        }
        if self.quiet {
            let args: Vec<Node> = args.iter().map(|arg| self.expr(arg)).collect();
            let owner = segments.iter().rev().nth(1).and_then(|segment| Type::named(segment));
            let node = match owner {
                Some(ty) if matches!(last, "from" | "from_f32") => Some(self.node(Kind::Unit, Ty::Scalar(ty), at)),
                Some(ref ty) if args.first().is_some_and(|arg| self.types.same(&arg.ty, &Ty::Scalar(ty.clone()))) => {
                    self.of_number(last, args, at)
                }
                None if matches!(last, "min" | "max") && args.len() == 2 => self.of_number(last, args, at),
                _ => None,
            };
            return node.unwrap_or_else(|| {
                let ty = self.types.unknown();
                self.node(Kind::Default, ty, at)
            });
        }
        let owner = segments.iter().rev().nth(1).copied().unwrap_or_default();
        match (owner, last, args) {
            ("mem", "swap", [a, b]) | (_, "swap", [a, b]) if segments.len() < 4 => {
                let (a, b) = (self.expr(a), self.expr(b));
                return self.exchange(a, b, at);
            }
            ("mem", "replace", [place, value]) => {
                let mut statements = Vec::new();
                let (place, value) = (self.expr(place), self.expr(value));
                self.same(&place.ty, &value.ty, at);
                self.check_place(&place);
                let place = self.fixed(place, &mut statements);
                let before = self.variable("before", place.ty.clone(), false);
                statements.push(Statement::Let(before, Some(place.clone())));
                statements.push(self.set(place, value));
                let before = self.read(before, at);
                return self.after(statements, before);
            }
            ("cmp" | "Ord", "min" | "max", [a, b]) | ("", "min" | "max", [a, b]) => {
                let all = vec![self.expr(a), self.expr(b)];
                if let Some(node) = self.of_number(last, all, at) {
                    return node;
                }
            }
            (_, "default", []) if owner == "Default" || Type::named(owner).is_some() => {
                let ty = Type::named(owner).map_or_else(|| self.types.unknown(), Ty::Scalar);
                return self.node(Kind::Default, ty, at);
            }
            _ => {}
        }
        if let Some(ty) = Type::named(owner) {
            if let (Type::F16, Ok(mut path)) = (&ty, syn::parse2::<syn::Path>(function.tokens.clone())) {
                // Another type may have this name.
                path.segments.pop();
                path.segments.pop_punct();
                let path = quote::quote!(#path);
                let named = self.types.given(&path.to_string(), super::asks::of_type(&path));
                self.same(&named, &Ty::Scalar(Type::F16), at);
            }
            if let Some(node) = self.number_function(&ty, last, args, at) {
                return node;
            }
            // `u32::checked_sub(a, b)`.
            let whole = super::options::GIVING.contains(&last) && !matches!(last, "min" | "max");
            if let ([receiver, rest @ ..], true) = (args, whole || last.starts_with("overflowing_")) {
                return self.method(receiver, last, rest, &function.tokens, at);
            }
            let ty = Ty::Scalar(ty);
            let mut all: Vec<Node> = args.iter().map(|arg| self.expr(arg)).collect();
            match (last, all.len()) {
                ("from_f32", 1) if matches!(ty, Ty::Scalar(Type::F16)) => {
                    self.same(&all[0].ty.clone(), &Ty::Scalar(Type::F32), at);
                    return self.node(Kind::Cast(all.remove(0).boxed()), ty, at);
                }
                ("from_f64", 1) if matches!(ty, Ty::Scalar(Type::F16)) => {
                    return self.stuck(
                        at,
                        "`f16::from_f64` is not computed on devices, since processors differ in how it rounds: write \
                         `f16::from_f32(x as f32)`",
                    );
                }
                ("from", 1) if !matches!(ty, Ty::Scalar(Type::F16)) => {
                    return self.node(Kind::Cast(all.remove(0).boxed()), ty, at);
                }
                ("from_bits", 1) => {
                    let bits = self.types.bits(&ty);
                    self.same(&all[0].ty.clone(), &bits, at);
                    return self.node(Kind::FromBits(all.remove(0).boxed()), ty, at);
                }
                _ => {}
            }
            if let Some(first) = all.first() {
                self.same(&first.ty.clone(), &ty, at);
            }
            if let Some(node) = self.of_number(last, all, at) {
                return node;
            }
        }
        if let (true, [value]) = (matches!(&*text, "Some" | "Option::Some"), args) {
            let value = self.expr(value);
            return self.some(value);
        }
        if let Some(node) = self.call_marked(function, args, at) {
            return node;
        }
        if let Some(node) = self.made_of_parts(function, args, at) {
            return node;
        }
        for arg in args {
            self.expr(arg);
        }
        let name = shown(&function.text());
        if last.starts_with(char::is_uppercase) {
            return self.stuck(at, format!("`{name}(..)` makes a value that a device does not have yet: use numbers, arrays `[T; N]` and tuples"));
        }
        self.stuck(
            at,
            format!(
                "calls `{name}`, which is not seen here: a device calls functions with `#[forall::device]` above them, by their \
                 name or through modules"
            ),
        )
    }

    /// `f64::max` and its kin, of values.
    pub fn path_of_number(&mut self, function: &Expr, values: Vec<Node>, at: Place) -> Option<Node> {
        let text: String = function.text().split_whitespace().collect();
        let (owner, name) = text.rsplit_once("::")?;
        let owner = owner.rsplit("::").next()?;
        match Type::named(owner) {
            Some(ty) => self.same(&values.first()?.ty.clone(), &Ty::Scalar(ty), at),
            None if owner == "cmp" && matches!(name, "min" | "max") => {}
            None => return None,
        }
        self.of_number(name, values, at)
    }

    /// Functions that the analysis puts into updates.
    fn private(&mut self, name: &str, args: &[Expr], at: Place) -> Node {
        let total = match name {
            "add" | "plus" => Some(Total::Plus),
            "subtract" | "minus" => Some(Total::Minus),
            "multiply" | "times" => Some(Total::Times),
            _ => None,
        };
        match (name, args, total) {
            ("add" | "subtract" | "multiply", [place, value], Some(total)) => {
                let (place, value) = (self.expr(place), self.expr(value));
                self.same(&place.ty, &value.ty, at);
                let mut statements = Vec::new();
                let value = self.hold("value", value, &mut statements);
                let sum = self.total(total, place.clone(), value);
                statements.push(self.set(place, sum));
                let unit = self.node(Kind::Unit, Ty::unit(), at);
                self.after(statements, unit)
            }
            ("plus" | "minus" | "times", [a, b], Some(total)) => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.same(&a.ty, &b.ty, at);
                self.total(total, a, b)
            }
            ("include", [place, value, merge], _) => {
                let place = self.expr(place);
                let value = self.expr(value);
                self.same(&place.ty, &value.ty, at);
                match place.kind {
                    Kind::State(number, _) => self.include(number, value, merge, at),
                    _ => self.stuck(at, "something is put together that is not seen"),
                }
            }
            ("number", [value], _) => self.expr(value),
            ("negative", [value], _) => {
                let value = self.expr(value);
                let zero = self.node(Kind::Zero, value.ty.clone(), at);
                self.total(Total::Minus, zero, value)
            }
            ("zero" | "one", [], _) => {
                let ty = self.types.unknown();
                self.node(if name == "one" { Kind::One } else { Kind::Zero }, ty, at)
            }
            _ => self.stuck(at, format!("`{name}` is not translated")),
        }
    }
}
