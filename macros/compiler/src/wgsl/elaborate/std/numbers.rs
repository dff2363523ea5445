//! Methods of numbers that are more than one function of the device: those that may give nothing, pairs, bytes, and
//! conversions that may fail.

use crate::ir::report::Location;
use crate::ir::{Expr, Op};
use crate::wgsl::contract::Type;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::tree::{Item, Node, NodeKind, Statement, Ty};

impl Elaborate<'_> {
    pub fn number_method(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        if let Some(node) = self.checked_further(receiver, name, args, at) {
            return Some(node);
        }
        if let Some(node) = self.overflowing(receiver, name, args, at) {
            return Some(node);
        }
        if let Some(node) = self.moved_by(receiver, name, args, at) {
            return Some(node);
        }
        self.conversion(receiver, name, args, at)
    }

    /// A sum, a difference or a quotient, unless it is out of range.
    pub fn checked(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        let mut before = Vec::new();
        let node = match (name, args) {
            ("checked_add" | "checked_sub" | "checked_mul", [other]) => {
                let [a, b] = self.both(receiver, other, &mut before);
                let (op, ty) = (name.trim_start_matches("checked_"), a.ty.clone());
                let method = |name: String, ty| Node::new(NodeKind::Method(name, vec![a.clone(), b.clone()]), ty, at);
                let over = method(format!("overflows_{op}"), Ty::BOOL);
                let fits = Node::not(over);
                // Where it fits, they are the same; and this raises nothing where it does not.
                let value = method(format!("saturating_{op}"), ty);
                self.some_if(fits, value, at)
            }
            ("checked_div" | "checked_rem", [other]) => {
                let [a, b] = self.both(receiver, other, &mut before);
                let over = Node::method("overflows_div", vec![a.clone(), b.clone()], Ty::BOOL, at);
                let fits = Node::not(over);
                let op = if name == "checked_div" { Op::Div } else { Op::Rem };
                let value = Node::binary(op, a, b);
                self.some_if(fits, value, at)
            }
            ("checked_neg", []) => {
                let a = self.expr(receiver);
                let a = self.locals.hold("a", a, &mut before);
                let over = Node::method("overflows_neg", vec![a.clone()], Ty::BOOL, at);
                let fits = Node::not(over);
                let value = Node::method("wrapping_neg", vec![a.clone()], a.ty, at);
                self.some_if(fits, value, at)
            }
            _ => return None,
        };
        Some(node.after(before))
    }

    /// Other numbers that there are only in range.
    pub fn checked_further(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        let mut before = Vec::new();
        let node = match (name, args) {
            ("checked_ilog2" | "checked_ilog10", []) => {
                let a = self.held_value(receiver, &mut before);
                let zero = Node::integer(0, a.ty.clone(), at);
                let there = self.operation(Op::Gt, a.clone(), zero, at);
                let value = Node::method(name.trim_start_matches("checked_"), vec![a], Ty::Scalar(Type::U32), at);
                self.some_if(there, value, at)
            }
            ("checked_abs", []) => {
                let a = self.held_value(receiver, &mut before);
                let over = Node::method("overflows_abs", vec![a.clone()], Ty::BOOL, at);
                let ty = a.ty.clone();
                let value = Node::method("wrapping_abs", vec![a], ty, at);
                self.unless(over, value, at)
            }
            ("checked_pow", [n]) => {
                let [a, n] = self.power(receiver, n, &mut before);
                let over = Node::method("overflows_pow", vec![a.clone(), n.clone()], Ty::BOOL, at);
                let ty = a.ty.clone();
                let value = Node::method("wrapping_pow", vec![a, n], ty, at);
                self.unless(over, value, at)
            }
            ("checked_div_euclid" | "checked_rem_euclid", [other]) => {
                let (a, b) = (self.held_value(receiver, &mut before), self.held_value(other, &mut before));
                self.same(&a.ty, &b.ty, at);
                let over = Node::method("overflows_div", vec![a.clone(), b.clone()], Ty::BOOL, at);
                let ty = a.ty.clone();
                let value = Node::method(name.trim_start_matches("checked_"), vec![a, b], ty, at);
                self.unless(over, value, at)
            }
            ("checked_next_power_of_two", []) => {
                let a = self.held_value(receiver, &mut before);
                // Of what has room as `usize`, all have one that has room in Rust.
                if matches!(self.types.shallow(&a.ty), Ty::Scalar(Type::Usize)) {
                    let ty = a.ty.clone();
                    let value = Node::method("next_power_of_two", vec![a], ty, at);
                    let some = Node::some(value);
                    return Some(some.after(before));
                }
                // The greatest one that there is.
                let (bits, one) = (self.bits_of(&a, at)?, Node::integer(1, a.ty.clone(), at));
                let by = Node::method(
                    "wrapping_sub",
                    vec![bits, Node::integer(1, Ty::Scalar(Type::U32), at)],
                    Ty::Scalar(Type::U32),
                    at,
                );
                let most = Node::new(NodeKind::Binary(Op::Shl, one.boxed(), by.boxed()), a.ty.clone(), at);
                let over = self.operation(Op::Gt, a.clone(), most, at);
                let ty = a.ty.clone();
                let value = Node::method("next_power_of_two", vec![a], ty, at);
                self.unless(over, value, at)
            }
            ("checked_next_multiple_of", [other]) => {
                let (a, b) = (self.held_value(receiver, &mut before), self.held_value(other, &mut before));
                self.same(&a.ty, &b.ty, at);
                let zero = Node::integer(0, a.ty.clone(), at);
                let none = self.operation(Op::Eq, b.clone(), zero.clone(), at);
                // By zero it is not divided.
                let rest = self.operation(Op::Rem, a.clone(), b.clone(), at);
                let rest = self.if_else(none.clone(), zero.clone(), rest, at);
                let rest = self.locals.hold("rest", rest, &mut before);
                let whole = self.operation(Op::Eq, rest.clone(), zero.clone(), at);
                let missing = Node::method("wrapping_sub", vec![b, rest], a.ty.clone(), at);
                let missing = self.if_else(whole, zero, missing, at);
                let missing = self.locals.hold("missing", missing, &mut before);
                let over = Node::method("overflows_add", vec![a.clone(), missing.clone()], Ty::BOOL, at);
                let over = self.operation(Op::OrOr, none, over, at);
                let ty = a.ty.clone();
                let value = Node::method("saturating_add", vec![a, missing], ty, at);
                self.unless(over, value, at)
            }
            _ => return None,
        };
        Some(node.after(before))
    }

    /// A number, and whether it is out of range.
    pub fn overflowing(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        let mut before = Vec::new();
        let node = match (name, args) {
            ("overflowing_add" | "overflowing_sub" | "overflowing_mul", [other]) => {
                let [a, b] = self.both(receiver, other, &mut before);
                let (op, ty) = (name.trim_start_matches("overflowing_"), a.ty.clone());
                let method = |name: String, ty| Node::new(NodeKind::Method(name, vec![a.clone(), b.clone()]), ty, at);
                let parts =
                    vec![method(format!("wrapping_{op}"), ty.clone()), method(format!("overflows_{op}"), Ty::BOOL)];
                Node::new(NodeKind::Tuple(parts), Ty::Tuple(vec![ty, Ty::BOOL]), at)
            }
            ("overflowing_pow", [n]) => {
                let [a, n] = self.power(receiver, n, &mut before);
                let over = Node::method("overflows_pow", vec![a.clone(), n.clone()], Ty::BOOL, at);
                let ty = a.ty.clone();
                let value = Node::method("wrapping_pow", vec![a, n], ty, at);
                pair_of(value, over, at)
            }
            ("overflowing_neg" | "overflowing_abs", []) => {
                let a = self.held_value(receiver, &mut before);
                let op = name.trim_start_matches("overflowing_");
                let over = Node::method(&format!("overflows_{op}"), vec![a.clone()], Ty::BOOL, at);
                let ty = a.ty.clone();
                let value = Node::method(&format!("wrapping_{op}"), vec![a], ty, at);
                pair_of(value, over, at)
            }
            ("checked_shl" | "checked_shr" | "overflowing_shl" | "overflowing_shr", [n]) => {
                let [a, n] = self.power(receiver, n, &mut before);
                let bits = self.bits_of(&a, at)?;
                let over = self.operation(Op::Ge, n.clone(), bits, at);
                let (kind, op) = name.split_once('_')?;
                let ty = a.ty.clone();
                let value = Node::method(&format!("wrapping_{op}"), vec![a, n], ty, at);
                if kind == "checked" { self.unless(over, value, at) } else { pair_of(value, over, at) }
            }
            _ => return None,
        };
        Some(node.after(before))
    }

    /// An unsigned number and a signed one.
    pub fn moved_by(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        let mut before = Vec::new();
        let node = match (name, args) {
            ("checked_add_signed" | "saturating_add_signed" | "wrapping_add_signed", [by]) => {
                let (a, by) = (self.held_value(receiver, &mut before), self.held_value(by, &mut before));
                let signed = self.types.signed_of(&a.ty);
                self.same(&by.ty, &signed, at);
                let zero = Node::integer(0, by.ty.clone(), at);
                let down = self.operation(Op::Lt, by.clone(), zero, at);
                let amount = Node::method("unsigned_abs", vec![by], a.ty.clone(), at);
                let amount = self.locals.hold("amount", amount, &mut before);
                let how = name.trim_end_matches("_add_signed");
                let (op, values) = (if how == "checked" { "saturating" } else { how }, vec![a.clone(), amount]);
                let [add, sub] =
                    ["add", "sub"].map(|way| Node::method(&format!("{op}_{way}"), values.clone(), a.ty.clone(), at));
                if how == "checked" {
                    let [over, under] = ["add", "sub"]
                        .map(|way| Node::method(&format!("overflows_{way}"), values.clone(), Ty::BOOL, at));
                    let over = self.if_else(down.clone(), under, over, at);
                    let value = self.if_else(down, sub, add, at);
                    self.unless(over, value, at)
                } else {
                    self.if_else(down, sub, add, at)
                }
            }
            _ => return None,
        };
        Some(node.after(before))
    }

    /// The same number, or its bytes, in another type.
    pub fn conversion(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        let mut before = Vec::new();
        let node = match (name, args) {
            ("cast_signed", []) => {
                let a = self.expr(receiver);
                let ty = self.types.signed_of(&a.ty);
                a.cast(ty)
            }
            ("cast_unsigned", []) => {
                let a = self.expr(receiver);
                let ty = self.types.unsigned(&a.ty);
                a.cast(ty)
            }
            ("to_le_bytes" | "to_be_bytes", []) => {
                let a = self.expr(receiver);
                self.as_bytes(a, name == "to_be_bytes", &mut before, at)
            }
            ("try_into", []) => {
                let a = self.expr(receiver);
                let ty = self.types.unknown();
                self.converted(a, ty, false, at)
            }
            _ => return None,
        };
        Some(node.after(before))
    }

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

    pub fn held_value(&mut self, e: &Expr, to: &mut Vec<Statement>) -> Node {
        let value = self.expr(e);
        self.locals.hold("value", value, to)
    }

    /// A value and a `u32`.
    pub fn power(&mut self, a: &Expr, n: &Expr, to: &mut Vec<Statement>) -> [Node; 2] {
        let (a, n) = (self.held_value(a, to), self.held_value(n, to));
        self.same(&n.ty, &Ty::Scalar(Type::U32), n.at);
        [a, n]
    }

    /// `Some(value)` unless it is out of range.
    pub fn unless(&mut self, over: Node, value: Node, at: Location) -> Node {
        let fits = Node::not(over);
        self.some_if(fits, value, at)
    }

    /// How many bits a number has in Rust.
    pub fn bits_of(&mut self, value: &Node, at: Location) -> Option<Node> {
        let bits = match self.types.shallow(&value.ty) {
            Ty::Scalar(ty) => ty.bytes().map(|bytes| 8 * bytes),
            _ => None,
        };
        match bits {
            Some(bits) => Some(Node::integer(bits as u128, Ty::Scalar(Type::U32), at)),
            None => {
                self.obstacle(at, "the type of a number is not known here: write it, as in `let x: u32 = ..`");
                None
            }
        }
    }

    pub fn as_bytes(&mut self, value: Node, from_top: bool, to: &mut Vec<Statement>, at: Location) -> Node {
        let (ty, size) = match self.types.shallow(&value.ty) {
            Ty::Scalar(ty) if ty.bytes().is_some() => (ty, ty.bytes().unwrap_or(1)),
            _ => return self.stuck(at, "the type of a number is not known here: write it, as in `let x: u32 = ..`"),
        };
        let bits = Ty::Scalar(type_of_bits(&ty));
        let value = match ty.is_float() {
            true => Node::method("to_bits", vec![value], bits.clone(), at),
            false => value.cast(bits.clone()),
        };
        let value = self.locals.hold("bits", value, to);
        let mut bytes: Vec<Node> = Vec::new();
        for byte in 0..size {
            let by = Node::integer(8 * byte as u128, Ty::Scalar(Type::U32), at);
            let part = match byte {
                0 => value.clone(),
                _ => Node::new(NodeKind::Binary(Op::Shr, value.clone().boxed(), by.boxed()), bits.clone(), at),
            };
            bytes.push(part.cast(Ty::Scalar(Type::U8)));
        }
        if from_top {
            bytes.reverse();
        }
        let ty = Ty::Array(Box::new(Ty::Scalar(Type::U8)), size);
        Node::new(NodeKind::Array(bytes), ty, at)
    }

    pub fn of_bytes(&mut self, bytes: Node, ty: &Type, from_top: bool, at: Location) -> Node {
        let Some(size) = ty.bytes() else { return self.stuck(at, "bytes become what is no number") };
        self.same(&bytes.ty, &Ty::Array(Box::new(Ty::Scalar(Type::U8)), size), at);
        let mut before = Vec::new();
        let bytes = self.locals.hold("bytes", bytes, &mut before);
        let bits = Ty::Scalar(type_of_bits(ty));
        let part = |number: usize| {
            let index = Node::usize(if from_top { size - 1 - number } else { number }, at);
            let byte = NodeKind::Element(bytes.clone().boxed(), index.boxed());
            let byte = Node::new(byte, Ty::Scalar(Type::U8), at);
            let byte = byte.cast(bits.clone());
            let by = Node::integer(8 * number as u128, Ty::Scalar(Type::U32), at);
            match number {
                0 => byte,
                _ => Node::new(NodeKind::Binary(Op::Shl, byte.boxed(), by.boxed()), bits.clone(), at),
            }
        };
        let mut all = part(0);
        for number in 1..size {
            let next = part(number);
            all = Node::new(NodeKind::Binary(Op::Or, all.boxed(), next.boxed()), bits.clone(), at);
        }
        let ty = Ty::Scalar(*ty);
        let node = match ty {
            Ty::Scalar(ref float) if float.is_float() => Node::new(NodeKind::FromBits(all.boxed()), ty, at),
            _ => all.cast(ty),
        };
        node.after(before)
    }

    /// The same number in another type of integers, if it is there: as it comes back, and on the same side of zero.
    pub fn converted(&mut self, value: Node, to: Ty, never_below: bool, at: Location) -> Node {
        let mut before = Vec::new();
        let from = value.ty.clone();
        let value = self.locals.hold("value", value, &mut before);
        let other = value.clone().cast(to.clone());
        let back = other.clone().cast(from.clone());
        let same = self.operation(Op::Eq, back, value.clone(), at);
        let zero = |ty: &Ty| Node::integer(0, ty.clone(), at);
        let fits = if never_below {
            let least = zero(&from);
            let above = self.operation(Op::Ge, value, least, at);
            self.operation(Op::AndAnd, above, same, at)
        } else {
            let (a, b) = (zero(&from), zero(&to));
            let (a, b) = (self.operation(Op::Lt, value, a, at), self.operation(Op::Lt, other.clone(), b, at));
            let alike = self.operation(Op::Eq, a, b, at);
            self.operation(Op::AndAnd, same, alike, at)
        };
        let node = self.some_if(fits, other, at);
        node.after(before)
    }
}

/// The type of which a number's bits are taken: without a sign, and of 64 bits where it is as wide as an address.
fn type_of_bits(ty: &Type) -> Type {
    match ty {
        Type::I8 | Type::U8 => Type::U8,
        Type::I16 | Type::U16 | Type::F16 => Type::U16,
        Type::I32 | Type::U32 | Type::F32 => Type::U32,
        _ => Type::U64,
    }
}

fn pair_of(value: Node, over: Node, at: Location) -> Node {
    let ty = Ty::Tuple(vec![value.ty.clone(), Ty::BOOL]);
    Node::new(NodeKind::Tuple(vec![value, over]), ty, at)
}

/// What a function of a type of numbers gives for values, where it is handed on: `map_or(0, u64::from)`.
pub fn handed_conversion(ty: &Type, name: &str, items: &[Item]) -> Option<Node> {
    match (name, items) {
        ("from", [Item::Value(value) | Item::Place(value)]) => Some(value.clone().cast(Ty::Scalar(*ty))),
        _ => None,
    }
}
