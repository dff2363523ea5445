//! Operators and methods.

use crate::ir::Op;
use crate::ir::report::Location;
use crate::wgsl::contract::{Literal, Type};
use crate::wgsl::emit::text::{Emit, Stays, Value, WRITTEN_OUT, bare, negated};
use crate::wgsl::tree::{Node, NodeKind, Total, Ty};

impl Emit<'_> {
    /// A sum as the accumulators do it.
    pub fn totals(&mut self, ty: &Ty, how: Total, a: &Value, b: &Value, at: Location) -> Value {
        let (sign, name) = match how {
            Total::Plus => ("+", "add"),
            Total::Minus => ("-", "sub"),
            Total::Times => ("*", "mul"),
        };
        let ty = self.known(ty, at);
        if ty.is_plain_float() {
            return self.floats(sign, a.clone(), b.clone());
        }
        Value::Once(format!("fa_wrapping_{name}_{}({}, {})", ty.name(), bare(a.text()), bare(b.text())))
    }

    pub fn negative(&mut self, inner: &Node) -> Value {
        let ty = self.number(inner);
        if let (NodeKind::Integer(value), Type::Queried(number, Literal::Integer)) = (&inner.kind, &ty) {
            return Value::Constant(format!("${number}:=-{value}$"));
        }
        if let NodeKind::Integer(value) = &inner.kind
            && ty.is_signed()
        {
            let text = self.literal(*value, &ty, inner.at);
            return Value::Constant(if text.starts_with('(') { text } else { format!("-{text}") });
        }
        match self.value(inner) {
            Value::Never => Value::Never,
            value if ty.is_float() => self.keep(&value, format!("(-{})", value.text())),
            value => Value::Once(format!("fa_neg_{}({})", ty.name(), bare(value.text()))),
        }
    }

    fn floats(&mut self, sign: &str, a: Value, b: Value) -> Value {
        let a = match (&a, &b) {
            // The compiler of shaders refuses constants that overflow.
            (Value::Constant(text), Value::Constant(_)) => {
                let name = self.fresh("constant");
                self.line(format!("var {name} = {text};"));
                Value::Named(name)
            }
            _ => a,
        };
        Value::Once(format!("({} {sign} {})", a.text(), b.text()))
    }

    /// A step of a sum or a product: `f16` has the range and the digits of `f32` until the end.
    pub fn step(&mut self, op: Op, ty: &Type, a: Value, b: Value, at: Location) -> Value {
        if *ty == Type::F16 || ty.is_open() {
            let name = if op == Op::Add { "add" } else { "mul" };
            return Value::Once(format!("fa_step_{name}_{}({}, {})", ty.name(), bare(a.text()), bare(b.text())));
        }
        self.operate(op, ty, ty, a, b, at)
    }

    pub fn binary(&mut self, op: Op, a: &Node, b: &Node, at: Location) -> Value {
        if matches!(op, Op::AndAnd | Op::OrOr) {
            return self.short(op, a, b);
        }
        if let (Op::Eq | Op::Ne, Ty::Array(..)) = (op, self.types.shallow(&a.ty)) {
            let ty = self.known(&a.ty, at);
            let Some(both) = self.pair(a, b) else { return Value::Never };
            let [a, b] = both.map(|value| self.hold_array(value).text().to_owned());
            let equal = self.equal(&ty, &a, &b, at);
            return Value::Once(if op == Op::Eq { equal } else { negated(&equal) });
        }
        let (ty, right) = (self.number(a), self.number(b));
        let Some([a, b]) = self.pair(a, b) else { return Value::Never };
        self.operate(op, &ty, &right, a, b, at)
    }

    /// Whether two values are equal, element by element.
    fn equal(&mut self, ty: &Type, a: &str, b: &str, at: Location) -> String {
        let Type::Array(element, length) = ty else { return format!("{a} == {b}") };
        if *length > WRITTEN_OUT {
            self.obstacle(at, format!("arrays of {length} elements are compared: compare them one by one"));
        }
        let parts: Vec<String> = (0..(*length).min(WRITTEN_OUT))
            .map(|k| self.equal(element, &format!("{a}[{k}u]"), &format!("{b}[{k}u]"), at))
            .collect();
        if parts.is_empty() { "true".to_owned() } else { format!("({})", parts.join(" && ")) }
    }

    pub fn operate(&mut self, op: Op, ty: &Type, right: &Type, a: Value, b: Value, at: Location) -> Value {
        let name = match op {
            _ if op.is_comparison() => {
                if *ty == Type::Bool && !matches!(op, Op::Eq | Op::Ne) {
                    self.obstacle(at, "`bool` has no order on a device");
                }
                // What may be a struct or an array is compared by a function.
                if ty.is_open() && matches!(op, Op::Eq | Op::Ne) {
                    let text = format!("fa_eq_{}({}, {})", ty.name(), bare(a.text()), bare(b.text()));
                    return Value::Once(if op == Op::Eq { text } else { negated(&text) });
                }
                if let (true, Some(name)) = (ty.is_open(), name_of(op)) {
                    return Value::Once(format!("fa_{name}_{}({}, {})", ty.name(), bare(a.text()), bare(b.text())));
                }
                let text = format!("({} {} {})", a.text(), op.text(), b.text());
                return if (a.stays(), b.stays()) == (Stays::Constant, Stays::Constant) {
                    Value::Constant(text)
                } else {
                    Value::Once(text)
                };
            }
            Op::And | Op::Or | Op::Xor => {
                if ty.is_float() {
                    self.obstacle(at, "floats have no bits to combine");
                }
                if let (true, Some(name)) = (ty.is_open(), name_of(op)) {
                    return Value::Once(format!("fa_{name}_{}({}, {})", ty.name(), bare(a.text()), bare(b.text())));
                }
                let sign = if *ty == Type::Bool && op == Op::Xor { "!=" } else { op.text() };
                return Value::Once(format!("({} {sign} {})", a.text(), b.text()));
            }
            Op::Add => "add",
            Op::Sub => "sub",
            Op::Mul => "mul",
            Op::Div => "div",
            Op::Rem => "rem",
            Op::Shl => "shl",
            _ => "shr",
        };
        if *ty == Type::Bool {
            self.obstacle(at, "`bool` is no number");
        }
        if ty.is_float() && matches!(op, Op::Shl | Op::Shr) {
            self.obstacle(at, "floats have no bits to shift");
        }
        if ty.is_plain_float() && matches!(op, Op::Add | Op::Sub | Op::Mul) {
            return self.floats(op.text(), a, b);
        }
        // Only the library rounds a quotient to the nearest on every device; a product is rounded so anyway.
        if let (Op::Div, true, Some(inverse)) = (op, ty.is_plain_float(), inverse(&b)) {
            return self.floats("*", a, inverse);
        }
        let b = if matches!(op, Op::Shl | Op::Shr) { self.amount(b, right, at) } else { b };
        Value::Once(format!("fa_{name}_{}({}, {})", ty.name(), bare(a.text()), bare(b.text())))
    }

    /// By how many bits, as `u32`.
    pub fn amount(&mut self, value: Value, ty: &Type, at: Location) -> Value {
        match ty {
            Type::U32 | Type::Usize | Type::U8 | Type::U16 => value,
            Type::I64 | Type::U64 | Type::Queried(..) => {
                self.obstacle(at, format!("shifts by `{}`, which a device does not: write `as u32`", ty.name()));
                value
            }
            _ => match value.text().strip_suffix('i').and_then(|text| text.parse::<u32>().ok()) {
                Some(number) => Value::Constant(format!("{number}u")),
                None => Value::Once(format!("fa_cast_{}_u32({})", ty.name(), bare(value.text()))),
            },
        }
    }

    /// `&&` and `||`: the right side is evaluated where it counts.
    fn short(&mut self, op: Op, a: &Node, b: &Node) -> Value {
        let left = self.value(a);
        if matches!(left, Value::Never) {
            return left;
        }
        let (lines, right) = self.nested(|this| this.value(b));
        if lines.is_empty() && !matches!(right, Value::Never) {
            return Value::Once(format!("({} {} {})", left.text(), op.text(), right.text()));
        }
        let name = self.fresh("both");
        self.line(format!("var {name}: bool = {};", bare(left.text())));
        let condition = if op == Op::AndAnd { name.clone() } else { format!("!{name}") };
        self.line(format!("if ({condition}) {{"));
        let mut lines = lines;
        if !matches!(right, Value::Never) {
            lines.push(format!("{name} = {};", bare(right.text())));
        }
        self.put(lines);
        self.line("}");
        Value::Named(name)
    }

    pub fn method(&mut self, name: &str, args: &[Node], at: Location) -> Value {
        /// What only `f32` has, since there is nothing in WGSL to compute it with.
        const SINGLE: [&str; 24] = [
            "powf", "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "sin", "cos", "tan", "asin",
            "acos", "atan", "atan2", "sinh", "cosh", "tanh", "hypot", "cbrt", "asinh", "acosh", "atanh",
        ];
        const FLOATS: [&str; 25] = [
            "round_ties_even",
            "is_normal",
            "is_subnormal",
            "sqrt",
            "powi",
            "mul_add",
            "floor",
            "ceil",
            "round",
            "trunc",
            "fract",
            "recip",
            "copysign",
            "to_degrees",
            "to_radians",
            "is_nan",
            "is_finite",
            "is_infinite",
            "is_sign_negative",
            "is_sign_positive",
            "abs_sub",
            "to_bits",
            "hypot",
            "cbrt",
            "total_cmp",
        ];
        const BOTH: [&str; 9] =
            ["abs", "min", "max", "clamp", "signum", "rem_euclid", "div_euclid", "cmp", "comparable"];
        let Some(first) = args.first() else { return Value::Unit };
        let ty = self.number(first);
        /// What the crate `half` has.
        const HALF: [&str; 12] = [
            "copysign",
            "is_nan",
            "is_finite",
            "is_infinite",
            "is_sign_negative",
            "is_sign_positive",
            "to_bits",
            "abs",
            "min",
            "max",
            "clamp",
            "signum",
        ];
        let float = FLOATS.contains(&name) || SINGLE.contains(&name);
        if ty == Type::F16 && !HALF.contains(&name) {
            self.obstacle(at, format!("`f16::{name}` is not computed on devices: write `x.to_f32().{name}(..)`"));
        }
        if ty == Type::F64 && SINGLE.contains(&name) {
            self.obstacle(
                at,
                format!("`f64::{name}` is not computed on devices: take `f32`, or leave this loop to the processor"),
            );
        }
        if !(BOTH.contains(&name) || float == ty.is_float() || ty.is_open()) || ty == Type::Bool {
            self.obstacle(at, format!("`{}` has no `{name}` on a device", ty.name()));
        }
        let Some(values) = self.values(&args.iter().collect::<Vec<_>>()) else { return Value::Never };
        let values: Vec<&str> = values.iter().map(|value| bare(value.text())).collect();
        Value::Once(format!("fa_{name}_{}({})", ty.name(), values.join(", ")))
    }
}

/// One by a float that is a power of two, where that is exact.
fn inverse(value: &Value) -> Option<Value> {
    let Value::Constant(text) = value else { return None };
    let (digits, suffix) = text.split_at(text.find(['f', 'l'])?);
    let number = digits.parse::<f64>().ok()?;
    let inverse = number.recip();
    let fits = match suffix {
        "f" => (number as f32).is_normal() && (inverse as f32).is_normal(),
        "lf" => number.is_normal() && inverse.is_normal(),
        _ => false,
    };
    let is_power = number.to_bits() << 12 == 0;
    (fits && is_power).then(|| Value::Constant(format!("{inverse:?}{suffix}")))
}

/// What an operator is called in the names of functions.
pub fn name_of(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Add => "add",
        Op::Sub => "sub",
        Op::Mul => "mul",
        Op::Div => "div",
        Op::Rem => "rem",
        Op::And => "bitand",
        Op::Or => "bitor",
        Op::Xor => "bitxor",
        Op::Lt => "lt",
        Op::Le => "le",
        Op::Gt => "gt",
        Op::Ge => "ge",
        _ => return None,
    })
}
