//! Methods: the first way to translate them that fits.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Op};
use crate::wgsl::contract::Type;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::std::MethodCall;
use crate::wgsl::elaborate::std::Words;
use crate::wgsl::tree::{Node, NodeKind, Ty};
use proc_macro2::TokenStream;

/// The type of a method's argument or result.
#[derive(Clone, Copy)]
enum Of {
    Itself,
    Bool,
    U32,
    I32,
    Unsigned,
}

/// The methods of numbers that devices have, with their arguments and their results.
const METHODS: [(&[Of], Of, Words); 11] = [
    (
        &[],
        Of::Itself,
        Words(
            "abs sqrt floor ceil round trunc fract signum recip to_degrees to_radians cbrt exp exp2 exp_m1 ln ln_1p log2 log10 sin cos \
             tan asin acos atan sinh cosh tanh wrapping_neg wrapping_abs swap_bytes reverse_bits next_power_of_two isqrt saturating_neg \
             saturating_abs round_ties_even",
        ),
    ),
    (
        &[Of::Itself],
        Of::Itself,
        Words(
            "min max copysign rem_euclid div_euclid hypot powf log atan2 abs_sub wrapping_add wrapping_sub wrapping_mul saturating_add \
             saturating_sub saturating_mul div_ceil next_multiple_of midpoint wrapping_div wrapping_rem wrapping_div_euclid \
             wrapping_rem_euclid saturating_div",
        ),
    ),
    (&[Of::Itself, Of::Itself], Of::Itself, Words("clamp mul_add")),
    (&[Of::I32], Of::Itself, Words("powi")),
    (
        &[Of::U32],
        Of::Itself,
        Words("pow wrapping_shl wrapping_shr rotate_left rotate_right wrapping_pow saturating_pow"),
    ),
    (
        &[],
        Of::Bool,
        Words("is_nan is_finite is_infinite is_sign_negative is_sign_positive is_power_of_two is_normal is_subnormal"),
    ),
    (&[Of::Itself], Of::Bool, Words("is_multiple_of")),
    (
        &[],
        Of::U32,
        Words("count_ones count_zeros leading_zeros trailing_zeros ilog2 ilog10 trailing_ones leading_ones"),
    ),
    (&[Of::Itself], Of::U32, Words("ilog")),
    (&[], Of::Unsigned, Words("unsigned_abs")),
    (&[Of::Itself], Of::Unsigned, Words("abs_diff")),
];

/// An expression without `&`.
pub fn seen_through(e: &Expr) -> &Expr {
    match &e.bare().kind {
        ir::Kind::Ref(_, inner) => inner.bare(),
        _ => e.bare(),
    }
}

impl MethodCall<'_> {
    /// Outside of the loop, where types alone are wanted.
    fn method_outside(&self, walk: &mut Elaborate<'_>) -> Option<Node> {
        let MethodCall { receiver, name, args, at, .. } = *self;
        if matches!(name, "len" | "count" | "capacity") && args.is_empty() {
            walk.expr(receiver);
            return Some(Node::new(NodeKind::Unit, Ty::USIZE, at));
        }
        /// Methods that give as many elements of the same type, or fewer.
        const KEEPING: Words = Words("iter iter_mut into_iter copied cloned rev skip take step_by to_vec as_slice");
        if !KEEPING.contain(name) {
            return None;
        }
        let ty = walk.expr(receiver).ty;
        if !matches!(walk.types.shallow(&ty), Ty::Slice(_) | Ty::Array(..)) {
            return None;
        }
        let element = walk.types.element(&ty);
        Some(Node::new(NodeKind::Unit, Ty::Slice(Box::new(element)), at))
    }

    /// Methods that are more than a function of values.
    fn method_inside(&self, walk: &mut Elaborate<'_>) -> Option<Node> {
        let MethodCall { name, at, .. } = *self;
        let known = (self.collected(walk))
            .or_else(|| self.range_method(walk))
            .or_else(|| self.option_method(walk))
            .or_else(|| self.element_if_there(walk))
            .or_else(|| self.of_condition(walk))
            .or_else(|| self.order(walk))
            .or_else(|| self.number_method(walk))
            .or_else(|| self.slice_method(walk))
            .or_else(|| self.array_method(walk));
        if known.is_some() {
            return known;
        }
        if matches!(name, "to_vec" | "get_mut" | "first_mut" | "last_mut") {
            let what = format!("`.{name}()` gives what a device does not have: index the elements");
            return Some(walk.stuck(at, what));
        }
        self.chain(walk)
    }

    /// Methods of a value, whatever gives it.
    fn method_of_value(&self, walk: &mut Elaborate<'_>, value: &Node) -> Option<Node> {
        let MethodCall { name, args, at, .. } = *self;
        let number = value.clone();
        Some(match (name, args.len()) {
            ("clone" | "to_owned" | "copied" | "cloned" | "borrow" | "by_ref", 0) => number,
            ("into", 0) => {
                let ty = walk.types.unknown();
                number.cast(ty)
            }
            ("to_f32" | "to_f64", 0) if matches!(walk.types.shallow(&number.ty), Ty::Scalar(Type::F16)) => {
                let ty = if name == "to_f32" { Type::F32 } else { Type::F64 };
                number.cast(Ty::Scalar(ty))
            }
            ("to_bits", 0) => {
                let ty = walk.types.bits(&number.ty);
                Node::method("to_bits", vec![number], ty, at)
            }
            ("sin_cos", 0) => {
                let ty = number.ty.clone();
                let mut before = Vec::new();
                let angle = walk.locals.hold("angle", number, &mut before);
                let [sin, cos] = ["sin", "cos"].map(|name| Node::method(name, vec![angle.clone()], ty.clone(), at));
                Node::tuple(vec![sin, cos], at).after(before)
            }
            ("is_positive" | "is_negative", 0) => {
                let zero = Node::integer(0, number.ty.clone(), at);
                let op = if name == "is_positive" { Op::Gt } else { Op::Lt };
                walk.operation(op, number, zero, at)
            }
            _ => return None,
        })
    }
}

impl Elaborate<'_> {
    /// `fa_NAME_TYPE` of numbers, where there is one.
    pub fn of_number(&mut self, name: &str, args: Vec<Node>, at: Location) -> Option<Node> {
        let (takes, gives, _) = METHODS.iter().find(|(_, _, names)| names.contain(name))?;
        let ty = args.first().filter(|_| args.len() == takes.len() + 1)?.ty.clone();
        let of = |this: &mut Self, of: Of| match of {
            Of::Itself => ty.clone(),
            Of::Bool => Ty::BOOL,
            Of::U32 => Ty::Scalar(Type::U32),
            Of::I32 => Ty::Scalar(Type::I32),
            Of::Unsigned => this.types.unsigned(&ty),
        };
        for (arg, takes) in args[1..].iter().zip(*takes) {
            let wanted = of(self, *takes);
            self.same(&arg.ty, &wanted, at);
        }
        let gives = of(self, *gives);
        Some(Node::method(name, args, gives, at))
    }

    pub fn method(&mut self, receiver: &Expr, name: &str, args: &[Expr], tokens: &TokenStream, at: Location) -> Node {
        let call = MethodCall { receiver, name, args, tokens, at };
        let known = call.shape_method(self).or_else(|| match self.quiet {
            true => call.method_outside(self),
            false => call.method_inside(self),
        });
        if let Some(node) = known {
            return node;
        }
        let value = self.expr(receiver);
        if let (true, "map", Ty::Array(_, length)) = (self.quiet, name, self.types.shallow(&value.ty)) {
            let element = self.types.unknown();
            return Node::new(NodeKind::Default, Ty::Array(Box::new(element), length), at);
        }
        if let Some(node) = call.method_of_value(self, &value) {
            return node;
        }
        if !self.quiet && matches!(name, "iter" | "iter_mut" | "into_iter") {
            return self.stuck(
                at,
                format!("`.{name}()`: an iterator has a name or steps by itself: a device goes over it in a `for`, or to an end such as `.sum()`"),
            );
        }
        let mut all = vec![value];
        all.extend(args.iter().map(|arg| self.expr(arg)));
        if let Some(node) = self.of_number(name, all.clone(), at) {
            return node;
        }
        let marked = if self.quiet { None } else { self.method_marked(name, all, at) };
        marked.unwrap_or_else(|| self.stuck(at, format!("`.{name}()` is a method that a device does not have")))
    }
}
