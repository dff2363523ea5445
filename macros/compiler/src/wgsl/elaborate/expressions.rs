//! Expressions.

use crate::ir::print::path_of;
use crate::ir::report::Location;
use crate::ir::{self, Expr, Op, Unknown};
use crate::wgsl::contract::Type;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::number_in;
use crate::wgsl::elaborate::exits::Frame;
use crate::wgsl::infer::operators::is_arithmetic;
use crate::wgsl::tree::{ITERATION, Node, NodeKind, Ty};
use proc_macro2::TokenStream;

impl Elaborate<'_> {
    pub fn expr(&mut self, e: &Expr) -> Node {
        let at = Location::from(e);
        if !self.quiet
            && let Some(&(number, rewrite)) = self.form.rewrites.get(&e.id)
        {
            return rewrite.map_or_else(|| Node::unit(at), |rewrite| self.rewritten(number, rewrite, e));
        }
        if let Some((number, part)) = self.accumulator(e) {
            return self.state(number, part, at);
        }
        if let Some(node) = self.bin(e, at) {
            return node;
        }
        match &e.kind {
            ir::Kind::Paren(inner) | ir::Kind::Unary('*', inner) | ir::Kind::Ref(_, inner) => self.expr(inner),
            ir::Kind::Name(name) => self.name_of(*name, e, at),
            ir::Kind::Path => self.path(e, at),
            ir::Kind::Int(_) | ir::Kind::Literal => self.literal(&e.tokens, at),
            ir::Kind::Unary(op, inner) => {
                let inner = self.expr(inner);
                let ty = inner.ty.clone();
                let kind = if *op == '!' { NodeKind::Not(inner.boxed()) } else { NodeKind::Negative(inner.boxed()) };
                Node::new(kind, ty, at)
            }
            ir::Kind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.operation(*op, a, b, at)
            }
            ir::Kind::Assign(place, op, value) => self.assign(place, *op, value, at),
            ir::Kind::Index(base, index) => self.indexed(e, base, index, at),
            ir::Kind::Field(base, field) => self.field_or_part(e, base, field, at),
            ir::Kind::Method(receiver, name, args, call) => self.method(receiver, name, args, call, at),
            ir::Kind::Call(function, args) => self.call(function, args, at),
            ir::Kind::Cast(inner, _, tokens) => self.cast(inner, tokens),
            ir::Kind::Tuple(parts) if parts.is_empty() => Node::unit(at),
            ir::Kind::Tuple(parts) => Node::tuple(parts.iter().map(|part| self.expr(part)).collect(), at),
            ir::Kind::Array(parts) => self.listed(parts, at),
            ir::Kind::Repeat(value, length) => self.repeated(e, value, length, at),
            ir::Kind::Block(block) => self.block(block, at),
            ir::Kind::Labeled(label, _, block) => self.labeled(label, block, at),
            ir::Kind::If(condition, then, otherwise) => self.choice(condition, then, otherwise.as_deref(), at),
            ir::Kind::Match(value, arms) => self.matched(value, arms, at),
            ir::Kind::For(f) => self.for_loop(f, at),
            ir::Kind::While(label, condition, body) => self.while_loop(label, condition, body, at),
            ir::Kind::Loop(label, body) => self.endless(label, body, at),
            ir::Kind::Break(label, value) => self.broken(label.as_deref(), value.as_deref(), at),
            ir::Kind::Continue(label) => match self.exits.frame(label.as_deref()) {
                Some((target, _)) => Node::new(NodeKind::Continue(target), Ty::Never, at),
                None => self.stuck(at, "`continue` leads to no loop of the body"),
            },
            ir::Kind::Return(value) => self.returned(value.as_deref(), at),
            ir::Kind::Macro(name, args, _) => self.macro_call(name, args, at),
            ir::Kind::Opaque(opaque) if opaque.what == Unknown::Unsafe && opaque.parts.len() == 1 => {
                self.expr(&opaque.parts[0])
            }
            ir::Kind::Struct(path, fields, rest) => self.made(path, fields, rest.as_deref(), at),
            ir::Kind::Try(inner) => self.tried(inner, at),
            ir::Kind::Closure(..) => self.stuck(
                at,
                "a closure is handed on: a device calls only those that have a name, or that iterators take",
            ),
            ir::Kind::Let(..) => self.stuck(at, "`let` in a condition takes apart what a device does not have"),
            ir::Kind::Range(from, end, _) => {
                for e in from.iter().chain(end) {
                    self.expr(e);
                }
                self.stuck(
                    at,
                    "a range is a value here: a device has ranges in the headers of loops and in `x[a..b]` only",
                )
            }
            ir::Kind::Opaque(opaque) => {
                for part in &opaque.parts {
                    self.expr(part);
                }
                match opaque.what.is_macro() {
                    true => {
                        let path = path_of(e).to_string().replace(' ', "");
                        self.stuck(at, format!("the compiler does not know the macro `{path}!`"))
                    }
                    false => self.stuck(at, format!("{} is not translated", opaque.what.text())),
                }
            }
        }
    }

    /// `base.field`: of a range, of what is outside, of a tuple or of a struct.
    fn field_or_part(&mut self, e: &Expr, base: &Expr, field: &str, at: Location) -> Node {
        self.names.end_of_range(base, field).or_else(|| self.outside(e)).unwrap_or_else(|| {
            let base = self.expr(base);
            self.member(base, field, at)
        })
    }

    /// A part of a tuple, or a field.
    pub fn member(&mut self, base: Node, field: &str, at: Location) -> Node {
        match (self.types.shallow(&base.ty), field.parse::<usize>()) {
            (Ty::Tuple(parts), Ok(number)) if number < parts.len() => base.member(number, parts[number].clone(), at),
            _ => self.field(&base, field, at),
        }
    }

    /// `inner as T`.
    fn cast(&mut self, inner: &Expr, tokens: &TokenStream) -> Node {
        let literal = matches!(inner.bare().kind, ir::Kind::Int(_))
            || matches!(&inner.bare().kind, ir::Kind::Unary('-', i) if matches!(i.bare().kind, ir::Kind::Int(_)));
        let inner = self.expr(inner);
        let ty = self.written(tokens);
        if literal && matches!(&ty, Ty::Scalar(ty) if ty.is_integer()) {
            self.types.same(&inner.ty, &ty);
        }
        inner.cast(ty)
    }

    /// `[value; length]`.
    fn repeated(&mut self, e: &Expr, value: &Expr, length: &Expr, at: Location) -> Node {
        let value = self.expr(value);
        match number_in(&self.names.environment, length) {
            Some(length) if length > 0 => {
                let ty = Ty::Array(Box::new(value.ty.clone()), length);
                Node::new(NodeKind::Repeat(value.boxed(), length), ty, at)
            }
            _ if self.quiet => Node::new(NodeKind::Unit, Ty::Slice(Box::new(value.ty)), at),
            None if self.is_seen_outside(length) => {
                let ty = self.types.array_by(&value.ty, &length.tokens);
                Node::new(NodeKind::Repeat(value.boxed(), 0), ty, at)
            }
            _ => self.stuck(at, format!("the length of `{}` is not a number that is written here", e.shown())),
        }
    }

    /// `[a, b]`.
    fn listed(&mut self, parts: &[Expr], at: Location) -> Node {
        let parts: Vec<Node> = parts.iter().map(|part| self.expr(part)).collect();
        let element = self.types.unknown();
        for part in &parts {
            self.same(&element, &part.ty, part.at);
        }
        let ty = Ty::Array(Box::new(element), parts.len());
        Node::new(NodeKind::Array(parts), ty, at)
    }

    /// A block that can be left with a value.
    fn labeled(&mut self, label: &str, block: &ir::Block, at: Location) -> Node {
        let (target, ty) = (self.exits.target(), self.types.unknown());
        self.exits.frames.push(Frame { label: Some(label.to_owned()), target, is_loop: false, ty: ty.clone() });
        let block = self.block(block, at);
        self.exits.frames.pop();
        self.same(&ty, &block.ty, at);
        Node::new(NodeKind::Labeled(target, block.boxed()), ty, at)
    }

    /// A `loop`.
    fn endless(&mut self, label: &ir::Label, body: &ir::Block, at: Location) -> Node {
        let (target, ty) = (self.exits.target(), self.types.unknown());
        self.exits.frames.push(Frame { label: label.name.clone(), target, is_loop: true, ty: ty.clone() });
        let body = self.block(body, at);
        self.exits.frames.pop();
        // Nothing leaves it with a value.
        if matches!(self.types.shallow(&ty), Ty::Unknown(_)) {
            self.types.same(&ty, &Ty::unit());
        }
        Node::new(NodeKind::Loop(target, body.boxed()), ty, at)
    }

    /// `break`.
    fn broken(&mut self, label: Option<&str>, value: Option<&Expr>, at: Location) -> Node {
        let value = value.map_or(Node::unit(at), |value| self.expr(value));
        match self.exits.frame(label) {
            Some((target, ty)) if target != ITERATION => {
                self.same(&ty, &value.ty, at);
                Node::new(NodeKind::Break(target, value.boxed()), Ty::Never, at)
            }
            _ => self.stuck(at, "`break` leaves what is not a loop of the body"),
        }
    }

    /// `return`.
    fn returned(&mut self, value: Option<&Expr>, at: Location) -> Node {
        let value = value.map_or(Node::unit(at), |value| self.expr(value));
        // The frame of the function that is inlined, or of the annotated one.
        let Some((target, ty)) = self.exits.frames.first().map(|frame| (frame.target, frame.ty.clone())) else {
            return self.stuck(at, "`return` leaves the loop");
        };
        self.same(&ty, &value.ty, at);
        let kind = if self.quiet { NodeKind::Unit } else { NodeKind::Break(target, value.boxed()) };
        Node::new(kind, Ty::Never, at)
    }

    pub fn literal(&mut self, tokens: &TokenStream, at: Location) -> Node {
        let number = |this: &mut Self, digits: &str, suffix: &str, float: bool| {
            let ty = match Type::named(suffix) {
                Some(ty) => Ty::Scalar(ty),
                None if float => this.types.float(),
                None if suffix.is_empty() => this.types.integer(),
                None => return this.stuck(at, format!("`{suffix}` is a type that a device does not have")),
            };
            match digits.parse::<u128>() {
                Ok(value) if !float => Node::integer(value, ty, at),
                _ => Node::new(NodeKind::Float(digits.to_owned()), ty, at),
            }
        };
        match syn::parse2::<syn::Lit>(tokens.clone()) {
            Ok(syn::Lit::Int(int)) => number(self, int.base10_digits(), int.suffix(), false),
            Ok(syn::Lit::Float(float)) => number(self, float.base10_digits(), float.suffix(), true),
            Ok(syn::Lit::Bool(value)) => Node::bool(value.value, at),
            Ok(syn::Lit::Byte(byte)) => Node::integer(byte.value().into(), Ty::Scalar(Type::U8), at),
            _ => self.stuck(at, "text is not handed to a device"),
        }
    }

    pub fn operation(&mut self, op: Op, a: Node, b: Node, at: Location) -> Node {
        if let Some(node) = self.equal_options(op, a.clone(), b.clone(), at) {
            return node;
        }
        if let Some(node) = self.compared_tuples(op, a.clone(), b.clone(), at) {
            return node;
        }
        let ty = match op {
            Op::AndAnd | Op::OrOr => {
                self.same(&a.ty, &Ty::BOOL, at);
                self.same(&b.ty, &Ty::BOOL, at);
                Ty::BOOL
            }
            _ if op.is_comparison() => {
                self.same(&a.ty, &b.ty, at);
                Ty::BOOL
            }
            _ if is_arithmetic(op) => match self.operated(op, false, &a, &b, at) {
                (ty, Some(number)) => {
                    return Node::new(NodeKind::Operator(number, op, a.boxed(), b.boxed()), ty, at);
                }
                (ty, None) => ty,
            },
            _ => a.ty.clone(),
        };
        Node::new(NodeKind::Binary(op, a.boxed(), b.boxed()), ty, at)
    }

    /// `place op= value`.
    pub fn change(&mut self, op: Op, place: Node, value: Node, at: Location) -> Node {
        let kind = match self.operated(op, true, &place, &value, at) {
            (_, Some(number)) => NodeKind::Change(number, op, place.boxed(), value.boxed()),
            (_, None) => NodeKind::Assign(place.boxed(), Some(op), value.boxed()),
        };
        Node::new(kind, Ty::unit(), at)
    }

    /// The type of the result of an operator of numbers or of structs, and its number, if it may be one of structs.
    fn operated(&mut self, op: Op, assigns: bool, a: &Node, b: &Node, at: Location) -> (Ty, Option<usize>) {
        let known = self.types.operated(op, assigns, [&a.ty, &b.ty], (!self.quiet).then_some(at));
        known.unwrap_or_else(|| {
            self.same(&a.ty, &b.ty, at);
            (a.ty.clone(), None)
        })
    }

    pub fn if_else(&mut self, condition: Node, then: Node, otherwise: Node, at: Location) -> Node {
        self.same(&condition.ty, &Ty::BOOL, condition.at);
        let [one, other] = [&then, &otherwise].map(|node| self.types.shallow(&node.ty));
        let ty = if matches!(one, Ty::Never) { otherwise.ty.clone() } else { then.ty.clone() };
        if let (Ty::View(one, _), Ty::View(other, _)) = (one, other)
            && !one.is(&other)
        {
            return self
                .stuck(at, "slices of different arrays are chosen between: a device chooses parts of one array");
        }
        self.same(&then.ty, &otherwise.ty, at);
        Node::new(NodeKind::If(condition.boxed(), then.boxed(), otherwise.boxed()), ty, at)
    }
}
