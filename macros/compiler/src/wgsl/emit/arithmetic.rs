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
        Value::of(&format!("wrapping_{name}"), &ty, [a, b])
    }

    pub fn negative(&mut self, inner: &Node) -> Option<Value> {
        let ty = self.number(inner);
        if let (NodeKind::Integer(value), Type::Queried(number, Literal::Integer)) = (&inner.kind, &ty) {
            return Some(Value::Constant(format!("${number}:=-{value}$")));
        }
        if let NodeKind::Integer(value) = &inner.kind
            && ty.is_signed()
        {
            let text = self.literal(*value, &ty, inner.at);
            return Some(Value::Constant(if text.starts_with('(') { text } else { format!("-{text}") }));
        }
        let value = self.value(inner)?;
        Some(if ty.is_float() { value.keep(format!("(-{})", value.text())) } else { Value::of("neg", &ty, &[value]) })
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
            return Value::of(&format!("step_{name}"), ty, &[a, b]);
        }
        self.operate(op, ty, ty, [a, b], at)
    }

    pub fn binary(&mut self, op: Op, a: &Node, b: &Node, at: Location) -> Option<Value> {
        if matches!(op, Op::AndAnd | Op::OrOr) {
            return self.short(op, a, b);
        }
        if let (Op::Eq | Op::Ne, Ty::Array(..)) = (op, self.types.shallow(&a.ty)) {
            let ty = self.known(&a.ty, at);
            let [a, b] = self.pair(a, b)?.map(|value| self.hold_array(value).text().to_owned());
            let equal = self.equal(&ty, &a, &b, at);
            return Some(Value::Once(if op == Op::Eq { equal } else { negated(&equal) }));
        }
        let (ty, right) = (self.number(a), self.number(b));
        let sides = self.pair(a, b)?;
        Some(self.operate(op, &ty, &right, sides, at))
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

    pub fn operate(&mut self, op: Op, ty: &Type, right: &Type, [a, b]: [Value; 2], at: Location) -> Value {
        let bits = matches!(op, Op::And | Op::Or | Op::Xor);
        let refused = match op {
            Op::Eq | Op::Ne => None,
            _ if op.is_comparison() => (*ty == Type::Bool).then_some("`bool` has no order on a device"),
            _ if bits => ty.is_float().then_some("floats have no bits to combine"),
            _ if *ty == Type::Bool => Some("`bool` is no number"),
            Op::Shl | Op::Shr if ty.is_float() => Some("floats have no bits to shift"),
            _ => None,
        };
        if let Some(what) = refused {
            self.obstacle(at, what);
        }
        if op.is_comparison() || bits {
            // A function compares structs and arrays.
            if ty.is_open() && matches!(op, Op::Eq | Op::Ne) {
                let equal = Value::of("eq", ty, &[a, b]);
                return if op == Op::Eq { equal } else { Value::Once(negated(equal.text())) };
            }
            if let (true, Some(name)) = (ty.is_open(), name_of(op)) {
                return Value::of(name, ty, &[a, b]);
            }
            let sign = if *ty == Type::Bool && op == Op::Xor { "!=" } else { op.text() };
            let text = format!("({} {sign} {})", a.text(), b.text());
            let constant = !bits && [a, b].iter().all(|value| value.stays() == Stays::Constant);
            return if constant { Value::Constant(text) } else { Value::Once(text) };
        }
        if ty.is_plain_float() && matches!(op, Op::Add | Op::Sub | Op::Mul) {
            return self.floats(op.text(), a, b);
        }
        // Only the library rounds a quotient to the nearest on every device; a product is rounded so anyway.
        if let (Op::Div, true, Some(inverse)) = (op, ty.is_plain_float(), inverse(&b)) {
            return self.floats("*", a, inverse);
        }
        let (name, b) = match op {
            Op::Shl => ("shl", self.amount(b, right, at)),
            Op::Shr => ("shr", self.amount(b, right, at)),
            op => (name_of(op).unwrap_or_default(), b),
        };
        Value::of(name, ty, &[a, b])
    }

    /// By how many bits, as `u32`.
    fn amount(&mut self, value: Value, ty: &Type, at: Location) -> Value {
        match ty {
            Type::U32 | Type::Usize | Type::U8 | Type::U16 => value,
            Type::I64 | Type::U64 | Type::Queried(..) => {
                self.obstacle(at, format!("shifts by `{}`, which a device does not: write `as u32`", ty.name()));
                value
            }
            _ => match value.text().strip_suffix('i').and_then(|text| text.parse::<u32>().ok()) {
                Some(number) => Value::Constant(format!("{number}u")),
                None => Value::of(&format!("cast_{}", ty.name()), &Type::U32, &[value]),
            },
        }
    }

    /// `&&` and `||`: the right side is evaluated only if it decides.
    fn short(&mut self, op: Op, a: &Node, b: &Node) -> Option<Value> {
        let left = self.value(a)?;
        let (mut lines, right) = self.nested(|this| this.value(b));
        if let (true, Some(right)) = (lines.is_empty(), &right) {
            return Some(Value::Once(format!("({} {} {})", left.text(), op.text(), right.text())));
        }
        let name = self.fresh("both");
        self.line(format!("var {name}: bool = {};", bare(left.text())));
        self.line(format!("if ({}{name}) {{", if op == Op::AndAnd { "" } else { "!" }));
        lines.extend(right.map(|right| format!("{name} = {};", bare(right.text()))));
        self.put(lines);
        self.line("}");
        Some(Value::Named(name))
    }

    pub fn method(&mut self, name: &str, args: &[Node], at: Location) -> Option<Value> {
        /// Methods that only `f32` has, since WGSL has nothing to compute them with.
        const SINGLE: &str = "powf exp exp2 exp_m1 ln ln_1p log log2 log10 sin cos tan asin acos atan atan2 sinh cosh tanh hypot cbrt \
                              asinh acosh atanh";
        const FLOATS: &str = "round_ties_even is_normal is_subnormal sqrt powi mul_add floor ceil round trunc fract recip copysign \
                              to_degrees to_radians is_nan is_finite is_infinite is_sign_negative is_sign_positive abs_sub to_bits \
                              total_cmp";
        const BOTH: &str = "abs min max clamp signum rem_euclid div_euclid cmp comparable";
        /// The methods of the crate `half`.
        const HALF: &str =
            "copysign is_nan is_finite is_infinite is_sign_negative is_sign_positive to_bits abs min max clamp signum";
        let Some(first) = args.first() else { return Some(Value::Unit) };
        let ty = self.number(first);
        let is_in = |names: &str| names.split_whitespace().any(|word| word == name);
        if ty == Type::F16 && !is_in(HALF) {
            self.obstacle(at, format!("`f16::{name}` is not computed on devices: write `x.to_f32().{name}(..)`"));
        }
        if ty == Type::F64 && is_in(SINGLE) {
            let what = "is not computed on devices: take `f32`, or leave this loop to the processor";
            self.obstacle(at, format!("`f64::{name}` {what}"));
        }
        let fits = is_in(BOTH) || ty.is_open() || (is_in(FLOATS) || is_in(SINGLE)) == ty.is_float();
        if !fits || ty == Type::Bool {
            self.obstacle(at, format!("`{}` has no `{name}` on a device", ty.name()));
        }
        Some(Value::of(name, &ty, &self.values(args)?))
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

/// The name of an operator in the names of functions.
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
