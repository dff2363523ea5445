//! Methods of numbers that are more than one function of the device: those that may give nothing, pairs, bytes, and
//! conversions that may fail.

use crate::ir::report::Location;
use crate::ir::{Expr, Op};
use crate::wgsl::contract::Type;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::std::MethodCall;
use crate::wgsl::tree::{Node, NodeKind, Statement, Ty};

const U32: Ty = Ty::Scalar(Type::U32);
const UNKNOWN: &str = "the type of a number is not known here: write it, as in `let x: u32 = ..`";

impl MethodCall<'_> {
    pub fn number_method(&self, walk: &mut Elaborate<'_>) -> Option<Node> {
        let MethodCall { receiver, name, args, at, .. } = *self;
        let mut before = Vec::new();
        let node = match self.in_range(walk, &mut before) {
            Some(node) => node,
            None => match (name, args) {
                ("checked_next_power_of_two", []) => self.next_power_of_two(walk, &mut before)?,
                ("checked_next_multiple_of", [other]) => self.next_multiple_of(walk, other, &mut before),
                ("checked_add_signed" | "saturating_add_signed" | "wrapping_add_signed", [by]) => {
                    self.add_signed(walk, receiver, by, name.trim_end_matches("_add_signed"), &mut before)
                }
                ("cast_signed", []) => {
                    let a = walk.expr(receiver);
                    let ty = walk.types.signed_of(&a.ty);
                    a.cast(ty)
                }
                ("cast_unsigned", []) => {
                    let a = walk.expr(receiver);
                    let ty = walk.types.unsigned(&a.ty);
                    a.cast(ty)
                }
                ("to_le_bytes" | "to_be_bytes", []) => {
                    let a = walk.expr(receiver);
                    self.as_bytes(walk, a, name == "to_be_bytes", &mut before)
                }
                ("try_into", []) => {
                    let (a, ty) = (walk.expr(receiver), walk.types.unknown());
                    walk.converted(a, ty, false, at)
                }
                _ => return None,
            },
        };
        Some(node.after(before))
    }

    /// `checked_add` and its kin give nothing for a result that is out of range, `overflowing_add` and its kin tell.
    fn in_range(&self, walk: &mut Elaborate<'_>, to: &mut Vec<Statement>) -> Option<Node> {
        let MethodCall { receiver, name, args, at, .. } = *self;
        let (kind, op) = name.split_once('_')?;
        let checked = kind == "checked";
        if !checked && kind != "overflowing" {
            return None;
        }
        let values = match (op, args) {
            ("add" | "sub" | "mul", [other]) => self.both(walk, receiver, other, to).to_vec(),
            ("div" | "rem" | "div_euclid" | "rem_euclid", [other]) if checked => {
                self.both(walk, receiver, other, to).to_vec()
            }
            ("pow" | "shl" | "shr", [n]) => {
                let [a, n] = [receiver, n].map(|e| self.held_value(walk, e, to));
                walk.same(&n.ty, &U32, n.at);
                vec![a, n]
            }
            ("neg" | "abs", []) => vec![self.held_value(walk, receiver, to)],
            ("ilog2" | "ilog10", []) if checked => {
                let a = self.held_value(walk, receiver, to);
                let there = walk.operation(Op::Gt, a.clone(), Node::integer(0, a.ty.clone(), at), at);
                return Some(walk.some_if(there, Node::method(op, vec![a], U32, at), at));
            }
            _ => return None,
        };
        let ty = values[0].ty.clone();
        let method = |name: &str, ty: Ty| Node::method(name, values.clone(), ty, at);
        let over = match op {
            "shl" | "shr" => {
                let bits = self.bits_of(walk, &values[0])?;
                walk.operation(Op::Ge, values[1].clone(), bits, at)
            }
            "div" | "rem" | "div_euclid" | "rem_euclid" => method("overflows_div", Ty::BOOL),
            op => method(&format!("overflows_{op}"), Ty::BOOL),
        };
        let value = match op {
            // In range both are the same, and this one never raises.
            "add" | "sub" | "mul" if checked => method(&format!("saturating_{op}"), ty),
            "div" => Node::binary(Op::Div, values[0].clone(), values[1].clone()),
            "rem" => Node::binary(Op::Rem, values[0].clone(), values[1].clone()),
            "div_euclid" | "rem_euclid" => method(op, ty),
            op => method(&format!("wrapping_{op}"), ty),
        };
        Some(if checked { self.unless(walk, over, value) } else { Node::tuple(vec![value, over], at) })
    }

    fn next_power_of_two(&self, walk: &mut Elaborate<'_>, to: &mut Vec<Statement>) -> Option<Node> {
        let MethodCall { receiver, at, .. } = *self;
        let a = self.held_value(walk, receiver, to);
        let value = Node::method("next_power_of_two", vec![a.clone()], a.ty.clone(), at);
        // Each number that a device has as `usize` has one in Rust.
        if matches!(walk.types.shallow(&a.ty), Ty::Scalar(Type::Usize)) {
            return Some(Node::some(value));
        }
        // The greatest power of two of the type.
        let (bits, one) = (self.bits_of(walk, &a)?, Node::integer(1, a.ty.clone(), at));
        let by = Node::method("wrapping_sub", vec![bits, Node::integer(1, U32, at)], U32, at);
        let over = walk.operation(Op::Gt, a, Node::binary(Op::Shl, one, by), at);
        Some(self.unless(walk, over, value))
    }

    fn next_multiple_of(&self, walk: &mut Elaborate<'_>, other: &Expr, to: &mut Vec<Statement>) -> Node {
        let MethodCall { receiver, at, .. } = *self;
        let [a, b] = self.both(walk, receiver, other, to);
        let (ty, zero) = (a.ty.clone(), Node::integer(0, a.ty.clone(), at));
        let none = walk.operation(Op::Eq, b.clone(), zero.clone(), at);
        // Nothing is divided by zero.
        let rest = walk.operation(Op::Rem, a.clone(), b.clone(), at);
        let rest = walk.if_else(none.clone(), zero.clone(), rest, at);
        let rest = walk.locals.hold("rest", rest, to);
        let whole = walk.operation(Op::Eq, rest.clone(), zero.clone(), at);
        let missing = Node::method("wrapping_sub", vec![b, rest], ty.clone(), at);
        let missing = walk.if_else(whole, zero, missing, at);
        let values = vec![a, walk.locals.hold("missing", missing, to)];
        let over = Node::method("overflows_add", values.clone(), Ty::BOOL, at);
        let over = walk.operation(Op::OrOr, none, over, at);
        self.unless(walk, over, Node::method("saturating_add", values, ty, at))
    }

    /// An unsigned number and a signed one.
    fn add_signed(&self, walk: &mut Elaborate<'_>, a: &Expr, by: &Expr, how: &str, to: &mut Vec<Statement>) -> Node {
        let at = self.at;
        let [a, by] = [a, by].map(|e| self.held_value(walk, e, to));
        let (ty, signed) = (a.ty.clone(), walk.types.signed_of(&a.ty));
        walk.same(&by.ty, &signed, at);
        let down = walk.operation(Op::Lt, by.clone(), Node::integer(0, by.ty.clone(), at), at);
        let amount = Node::method("unsigned_abs", vec![by], ty.clone(), at);
        let values = vec![a, walk.locals.hold("amount", amount, to)];
        let either = |this: &mut Elaborate<'_>, how: &str, ty: &Ty| {
            let [add, sub] =
                ["add", "sub"].map(|way| Node::method(&format!("{how}_{way}"), values.clone(), ty.clone(), at));
            this.if_else(down.clone(), sub, add, at)
        };
        if how != "checked" {
            return either(walk, how, &ty);
        }
        let over = either(walk, "overflows", &Ty::BOOL);
        let value = either(walk, "saturating", &ty);
        self.unless(walk, over, value)
    }

    fn held_value(&self, walk: &mut Elaborate<'_>, e: &Expr, to: &mut Vec<Statement>) -> Node {
        let value = walk.expr(e);
        walk.locals.hold("value", value, to)
    }

    /// `Some(value)` unless it is out of range.
    fn unless(&self, walk: &mut Elaborate<'_>, over: Node, value: Node) -> Node {
        let at = self.at;
        walk.some_if(Node::not(over), value, at)
    }

    /// How many bits a number has in Rust.
    fn bits_of(&self, walk: &mut Elaborate<'_>, value: &Node) -> Option<Node> {
        let at = self.at;
        if let Ty::Scalar(ty) = walk.types.shallow(&value.ty)
            && let Some(bytes) = ty.bytes()
        {
            return Some(Node::integer(8 * bytes as u128, U32, at));
        }
        walk.obstacle(at, UNKNOWN);
        None
    }

    fn as_bytes(&self, walk: &mut Elaborate<'_>, value: Node, from_top: bool, to: &mut Vec<Statement>) -> Node {
        let at = self.at;
        let (ty, size) = match walk.types.shallow(&value.ty) {
            Ty::Scalar(ty) if ty.bytes().is_some() => (ty, ty.bytes().unwrap_or(1)),
            _ => return walk.stuck(at, UNKNOWN),
        };
        let bits = Ty::Scalar(type_of_bits(&ty));
        let value = match ty.is_float() {
            true => Node::method("to_bits", vec![value], bits, at),
            false => value.cast(bits),
        };
        let value = walk.locals.hold("bits", value, to);
        let byte = |number: usize| {
            let part = match number {
                0 => value.clone(),
                _ => Node::binary(Op::Shr, value.clone(), Node::integer(8 * number as u128, U32, at)),
            };
            part.cast(Ty::Scalar(Type::U8))
        };
        let mut bytes: Vec<Node> = (0..size).map(byte).collect();
        if from_top {
            bytes.reverse();
        }
        let ty = Ty::Array(Box::new(Ty::Scalar(Type::U8)), size);
        Node::new(NodeKind::Array(bytes), ty, at)
    }
}

impl Elaborate<'_> {
    /// Functions of a type of numbers that are no methods: `u32::from_le_bytes(..)`, `u8::try_from(..)`.
    pub fn number_function(&mut self, ty: &Type, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        match (name, args) {
            ("from_le_bytes" | "from_be_bytes", [bytes]) => {
                let bytes = self.expr(bytes);
                Some(self.of_bytes(bytes, ty, name == "from_be_bytes", at))
            }
            ("try_from", [value]) if ty.is_integer() => {
                let value = self.expr(value);
                Some(self.converted(value, Ty::Scalar(*ty), !ty.is_signed(), at))
            }
            _ => None,
        }
    }

    fn of_bytes(&mut self, bytes: Node, ty: &Type, from_top: bool, at: Location) -> Node {
        let Some(size) = ty.bytes() else { return self.stuck(at, "bytes become what is no number") };
        self.same(&bytes.ty, &Ty::Array(Box::new(Ty::Scalar(Type::U8)), size), at);
        let mut before = Vec::new();
        let bytes = self.locals.hold("bytes", bytes, &mut before);
        let part = |number: usize| {
            let index = Node::usize(if from_top { size - 1 - number } else { number }, at);
            let byte = NodeKind::Element(bytes.clone().boxed(), index.boxed());
            let byte = Node::new(byte, Ty::Scalar(Type::U8), at).cast(Ty::Scalar(type_of_bits(ty)));
            match number {
                0 => byte,
                _ => Node::binary(Op::Shl, byte, Node::integer(8 * number as u128, U32, at)),
            }
        };
        let all = (1..size).fold(part(0), |all, number| Node::binary(Op::Or, all, part(number)));
        let node = match ty.is_float() {
            true => Node::new(NodeKind::FromBits(all.boxed()), Ty::Scalar(*ty), at),
            false => all.cast(Ty::Scalar(*ty)),
        };
        node.after(before)
    }

    /// The same number in another type of integers, if it is there: it casts back to itself, and is on the same side of zero.
    fn converted(&mut self, value: Node, to: Ty, never_below: bool, at: Location) -> Node {
        let mut before = Vec::new();
        let from = value.ty.clone();
        let value = self.locals.hold("value", value, &mut before);
        let other = value.clone().cast(to.clone());
        let same = self.operation(Op::Eq, other.clone().cast(from.clone()), value.clone(), at);
        let zero = |ty: Ty| Node::integer(0, ty, at);
        let fits = if never_below {
            let above = self.operation(Op::Ge, value, zero(from), at);
            self.operation(Op::AndAnd, above, same, at)
        } else {
            let [a, b] = [(value, from), (other.clone(), to)].map(|(n, ty)| self.operation(Op::Lt, n, zero(ty), at));
            let alike = self.operation(Op::Eq, a, b, at);
            self.operation(Op::AndAnd, same, alike, at)
        };
        self.some_if(fits, other, at).after(before)
    }
}

/// The type of a number's bits: without a sign, and of 64 bits if it is as wide as an address.
fn type_of_bits(ty: &Type) -> Type {
    match ty {
        Type::I8 | Type::U8 => Type::U8,
        Type::I16 | Type::U16 | Type::F16 => Type::U16,
        Type::I32 | Type::U32 | Type::F32 => Type::U32,
        _ => Type::U64,
    }
}
