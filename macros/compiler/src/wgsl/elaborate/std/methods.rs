//! Methods: which of the ways to translate them fits.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Op};
use crate::wgsl::contract::Type;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::tree::{Node, NodeKind, Ty};
use proc_macro2::TokenStream;

/// What a method of numbers takes beside the number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Takes {
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
pub fn seen_through(e: &Expr) -> &Expr {
    match &e.bare().kind {
        ir::Kind::Ref(_, inner) => inner.bare(),
        _ => e.bare(),
    }
}

impl Elaborate<'_> {
    /// `fa_NAME_TYPE` of numbers, where there is one.
    pub fn of_number(&mut self, name: &str, mut args: Vec<Node>, at: Location) -> Option<Node> {
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
        Some(Node::method(name, args, gives, at))
    }

    pub fn method(&mut self, receiver: &Expr, name: &str, args: &[Expr], call: &TokenStream, at: Location) -> Node {
        if let Some(node) = self.shape_method(receiver, name, args, at) {
            return node;
        }
        let known = match self.quiet {
            true => self.method_outside(receiver, name, args, at),
            false => self.method_inside(receiver, name, args, call, at),
        };
        if let Some(node) = known {
            return node;
        }
        let value = self.expr(receiver);
        if let (true, "map", Ty::Array(_, length)) = (self.quiet, name, self.types.shallow(&value.ty)) {
            let element = self.types.unknown();
            return Node::new(NodeKind::Default, Ty::Array(Box::new(element), length), at);
        }
        if let Some(node) = self.method_of_value(&value, name, args, at) {
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

    /// Outside of the loop, where types alone are wanted.
    fn method_outside(&mut self, receiver: &Expr, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        if matches!(name, "len" | "count" | "capacity") && args.is_empty() {
            self.expr(receiver);
            return Some(Node::new(NodeKind::Unit, Ty::USIZE, at));
        }
        /// What gives as many elements of the same type, or fewer.
        const KEEPING: [&str; 11] = [
            "iter",
            "iter_mut",
            "into_iter",
            "copied",
            "cloned",
            "rev",
            "skip",
            "take",
            "step_by",
            "to_vec",
            "as_slice",
        ];
        if !KEEPING.contains(&name) {
            return None;
        }
        let ty = self.expr(receiver).ty;
        if !matches!(self.types.shallow(&ty), Ty::Slice(_) | Ty::Array(..)) {
            return None;
        }
        let element = self.types.element(&ty);
        Some(Node::new(NodeKind::Unit, Ty::Slice(Box::new(element)), at))
    }

    /// Methods that are more than a function of values.
    fn method_inside(
        &mut self,
        receiver: &Expr,
        name: &str,
        args: &[Expr],
        call: &TokenStream,
        at: Location,
    ) -> Option<Node> {
        type Way<'a> = fn(&mut Elaborate<'a>, &Expr, &str, &[Expr], Location) -> Option<Node>;
        let ways: [Way<'_>; 7] = [
            Elaborate::collected,
            Elaborate::range_method,
            Elaborate::option_method,
            Elaborate::giving_option,
            Elaborate::number_method,
            Elaborate::slice_method,
            Elaborate::array_method,
        ];
        if let Some(node) = ways.iter().find_map(|way| way(self, receiver, name, args, at)) {
            return Some(node);
        }
        if matches!(name, "to_vec" | "get_mut" | "first_mut" | "last_mut") {
            let what = format!("`.{name}()` gives what a device does not have: index the elements");
            return Some(self.stuck(at, what));
        }
        self.chain(receiver, name, args, call, at)
    }

    /// Methods of a value, whatever gives it.
    fn method_of_value(&mut self, value: &Node, name: &str, args: &[Expr], at: Location) -> Option<Node> {
        let number = value.clone();
        Some(match (name, args.len()) {
            ("clone" | "to_owned" | "copied" | "cloned" | "borrow" | "by_ref", 0) => number,
            ("into", 0) => {
                let ty = self.types.unknown();
                number.cast(ty)
            }
            ("to_f32" | "to_f64", 0) if matches!(self.types.shallow(&number.ty), Ty::Scalar(Type::F16)) => {
                let ty = if name == "to_f32" { Type::F32 } else { Type::F64 };
                number.cast(Ty::Scalar(ty))
            }
            ("to_bits", 0) => {
                let ty = self.types.bits(&number.ty);
                Node::method("to_bits", vec![number], ty, at)
            }
            ("sin_cos", 0) => {
                let ty = number.ty.clone();
                let mut before = Vec::new();
                let angle = self.locals.hold("angle", number, &mut before);
                let [sin, cos] = ["sin", "cos"].map(|name| Node::method(name, vec![angle.clone()], ty.clone(), at));
                let pair = Node::new(NodeKind::Tuple(vec![sin, cos]), Ty::Tuple(vec![ty.clone(), ty]), at);
                pair.after(before)
            }
            ("is_positive" | "is_negative", 0) => {
                let zero = Node::integer(0, number.ty.clone(), at);
                let op = if name == "is_positive" { Op::Gt } else { Op::Lt };
                self.operation(op, number, zero, at)
            }
            _ => return None,
        })
    }
}
