//! Knowledge about integer expressions.

use crate::index::facts::{Fact, facts};
use crate::index::poly::{Poly, QUOTIENT};
use crate::index::scope::{Known, Meaning, Scope};
use crate::index::value::Value;
use crate::ir::names::{length_variable, shape_variable};
use crate::ir::obligation::{Function, Obligation};
use crate::ir::{Arm, Block, Expr, Kind, Local, Op, StatementKind};
use crate::language::{methods, types};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::rc::Rc;

impl Scope<'_> {
    /// Narrows the knowledge about names by conditions that hold here.
    pub fn assume(&mut self, facts: &[Fact<'_>]) {
        for fact in facts {
            let Some(Meaning::Integer(Known { value: Some(value), poly, .. })) = self.local(fact.name).cloned() else {
                continue;
            };
            let mut bound = self.constant(0);
            for (added, term) in &fact.bound {
                let term = self.known(term);
                bound = if *added { self.plus(&bound, &term) } else { self.minus(&bound, &term) };
            }
            let sides = fact.sides.map(|side| self.known(side));
            for side in &sides {
                bound.value = self.combine_by("unless_wrapped", None, &bound, side);
            }
            let Some(bound) = bound.value else { continue };
            let method = match fact.op {
                Op::Lt => format_ident!("below"),
                Op::Le => format_ident!("at_most"),
                Op::Gt => format_ident!("above"),
                Op::Ge => format_ident!("at_least"),
                Op::Eq => format_ident!("equal"),
                _ => format_ident!("other_than"),
            };
            let (v, b) = (&value.ident, &bound.ident);
            let code = quote!(#v.#method(#b));
            // An iteration evaluates the comparison as it is written.
            let [one, other] = &sides;
            let comparison = one.value.clone().zip(other.value.clone()).map(|(one, other)| {
                let (a, b, op) = (&one.ident, &other.ident, fact.holds.tokens());
                (quote!({ __holds &= #a #op #b; #v }), vec![value.clone(), one, other])
            });
            let (computed, computed_needs) = comparison.unzip();
            let code = [code, computed.unwrap_or_default()];
            let narrowed = self.computed_if(code, vec![value.clone(), bound.clone()], computed_needs);
            self.bind(fact.name, Meaning::Integer(Known { value: Some(narrowed), poly, least: None }));
        }
    }

    /// Runs `known` under the assumption that the value of the condition is `holds`.
    pub(super) fn where_it<K>(&mut self, condition: &Expr, holds: bool, known: impl FnOnce(&mut Self) -> K) -> K {
        let mut found = Vec::new();
        facts(condition, holds, &mut found);
        self.enter();
        self.assume(&found);
        let known = known(self);
        self.leave();
        known
    }

    /// Whether an expression has the same value in all iterations, and is safe to evaluate before the loop: it has no
    /// side effects, and it panics only if the loop would panic.
    pub(super) fn invariant(&self, e: &Expr) -> bool {
        let harmless = !self.conditional;
        e.nodes().all(|e| match &e.kind {
            Kind::Name(name) => {
                !self.is_local(*name)
                    && !self.outside.changing.contains(name)
                    && !self.outside.closures.is_some_and(|closures| closures.contains_key(name))
                    && !self.outside.shares.contains_key(name)
            }
            Kind::Path | Kind::Int(_) | Kind::Literal | Kind::Paren(_) | Kind::Unary(..) | Kind::Cast(..) => true,
            Kind::Field(..) => true,
            // An element within the bounds: `dims[1]` of `dims: [usize; 3]`.
            Kind::Index(base, index) => {
                match (base.name().and_then(|name| self.outside.fixed.get(&name)), &index.kind) {
                    (Some(length), Kind::Int(index)) if index < length => true,
                    _ => harmless,
                }
            }
            Kind::Binary(..) => harmless,
            // Reading the shape of an array cannot fail.
            Kind::Method(_, name, args, _) => {
                let shape = args.is_empty() && methods::measures_shape(name);
                (harmless || shape) && methods::reads(name)
            }
            Kind::Call(function, _) => harmless && function.text().ends_with(":: from"),
            _ => false,
        })
    }

    /// The knowledge about an integer expression in the current scope.
    pub fn known(&mut self, e: &Expr) -> Known {
        if let Some((array, axis)) = self.extent_in(e) {
            if !self.is_local(Local::named(&array)) {
                let shape = shape_variable(&array);
                self.is_held(e, shape.clone(), quote!(#shape[#axis]));
            }
            return self.extent(Local::named(&array), axis);
        }
        match &e.kind {
            Kind::Paren(inner) => self.known(inner),
            Kind::Int(value) => self.constant(*value),
            Kind::Name(name) => match self.local(*name).cloned() {
                Some(Meaning::Integer(known) | Meaning::Joined(known)) => known,
                Some(_) => Known::default(),
                None if self.invariant(e) => self.outside(e),
                None => Known::default(),
            },
            Kind::Path => self.outside(e),
            Kind::Unary('*', inner) => {
                if self.invariant(inner) {
                    self.outside(e)
                } else {
                    self.known(inner)
                }
            }
            Kind::Unary('-', inner) => {
                let (zero, inner) = (self.constant(0), self.known(inner));
                let Known { value, poly, .. } = self.minus(&zero, &inner);
                let value = value.map(|v| {
                    let ident = &v.ident;
                    self.computed(quote!(#ident.as_signed()), vec![v.clone()], quote!(#ident))
                });
                Known { value, poly, least: None }
            }
            Kind::Binary(op, a, b) => self.binary(*op, a, b),
            Kind::Cast(inner, ty, _) => {
                let floats = {
                    inner.nodes().any(|e| {
                        matches!(&e.kind, Kind::Literal | Kind::Method(..))
                            || matches!(&e.kind, Kind::Cast(_, ty, _) if ty.starts_with('f'))
                    })
                };
                let limit = types::largest(ty);
                // A narrow type may truncate the value. The truncated value is still the same in all iterations.
                if self.invariant(e) && (floats || limit.is_some_and(|limit| limit < i64::MAX)) {
                    return self.outside(e);
                }
                let Some(limit) = limit else { return Known::default() };
                let known = self.known(inner);
                let signed = ty.starts_with('i');
                let value = known.value.map(|v| {
                    let (ident, primitive) = (&v.ident, format_ident!("{ty}"));
                    let computed = quote!(#ident as ::core::primitive::#primitive);
                    self.computed(quote!(#ident.cast(#limit, #signed)), vec![v.clone()], computed)
                });
                // A narrow type may truncate the value: two iterations may then have the same one.
                Known { value, poly: known.poly.filter(|_| limit == i64::MAX), least: None }
            }
            Kind::Method(receiver, name, args, _) => self.method(e, receiver, name, args),
            Kind::Call(function, args) => self.call(e, function, args),
            Kind::If(condition, then, Some(otherwise)) => {
                let binds = condition.nodes().any(|e| matches!(e.kind, Kind::Let(..)));
                if binds {
                    return Known::default();
                }
                let before = std::mem::replace(&mut self.conditional, true);
                let a = self.where_it(condition, true, |scope| scope.block_value(then));
                let b = self.where_it(condition, false, |scope| scope.known(otherwise));
                self.conditional = before;
                let known = self.either(&a, &b);
                self.chosen(known, condition, &a, &b)
            }
            Kind::Match(_, arms) => {
                let before = std::mem::replace(&mut self.conditional, true);
                let values: Vec<Known> = arms.iter().map(|arm| self.value_of_arm(arm)).collect();
                self.conditional = before;
                values.into_iter().reduce(|one, other| self.either(&one, &other)).unwrap_or_default()
            }
            Kind::Block(block) => self.block_value(block),
            Kind::Field(..) | Kind::Index(..) if self.invariant(e) => self.outside(e),
            _ => Known::default(),
        }
    }

    fn value_of_arm(&mut self, arm: &Arm) -> Known {
        self.enter();
        self.bind_unknown(&arm.pattern);
        let known = self.known(&arm.body);
        self.leave();
        known
    }

    /// One of two values. An iteration chooses by a condition.
    fn chosen(&mut self, known: Known, condition: &Expr, a: &Known, b: &Known) -> Known {
        let (Some(value), Some(a), Some(b)) = (known.value.clone(), a.value.clone(), b.value.clone()) else {
            return known;
        };
        if Rc::ptr_eq(&value, &a) {
            return known;
        }
        let mut needs = Vec::new();
        let Some(test) = self.test(condition, &mut needs) else { return known };
        let value = self.chosen_by(&value, &test, needs, [&a, &b]);
        Known { value: Some(value), ..known }
    }

    /// A condition as an iteration computes it, and the values that it needs.
    fn test(&mut self, condition: &Expr, needs: &mut Vec<Rc<Value>>) -> Option<TokenStream> {
        match &condition.bare().kind {
            Kind::Unary('!', e) => {
                let test = self.test(e, needs)?;
                Some(quote!(!#test))
            }
            Kind::Binary(op @ (Op::AndAnd | Op::OrOr), a, b) => {
                let (a, b, op) = (self.test(a, needs)?, self.test(b, needs)?, op.tokens());
                Some(quote!((#a #op #b)))
            }
            Kind::Binary(op, a, b) if op.is_comparison() => {
                let (a, b, op) = (self.known(a).value?, self.known(b).value?, op.tokens());
                let (one, other) = (&a.ident, &b.ident);
                let test = quote!((#one #op #other));
                needs.extend([a, b]);
                Some(test)
            }
            _ => None,
        }
    }

    pub(super) fn block_value(&mut self, block: &Block) -> Known {
        let Some((last, before)) = block.statements.split_last() else { return Known::default() };
        self.enter();
        let plain = before.iter().all(|statement| match &statement.kind {
            StatementKind::Let(pattern, Some(value), None) => match pattern.single().filter(|b| !b.mutable) {
                Some(binding) => {
                    let known = self.known(value);
                    self.bind(binding.name, Meaning::Integer(known));
                    true
                }
                None => false,
            },
            // An assertion before the value does not change the value.
            StatementKind::Expr(Expr { kind: Kind::Macro(..), .. }, true) => true,
            _ => false,
        });
        let known = match &last.kind {
            StatementKind::Expr(e, false) if plain => self.known(e),
            _ => Known::default(),
        };
        self.leave();
        known
    }

    pub fn binary(&mut self, op: Op, a: &Expr, b: &Expr) -> Known {
        let (x, y) = (self.known(a), self.known(b));
        let literal = |e: &Expr| match &e.bare().kind {
            Kind::Int(value) => Some(*value),
            _ => None,
        };
        match op {
            Op::Add => self.plus(&x, &y),
            Op::Sub => self.minus(&x, &y),
            Op::Mul => self.times(&x, &y),
            Op::Div => self.over(&x, &y),
            Op::Rem => Known { value: self.combine("modulo", &x, &y), poly: self.remainder(&x, &y), least: None },
            Op::Shl => match literal(b) {
                Some(bits @ 0..=40) => {
                    let factor = self.constant(1 << bits);
                    let product = self.times(&x, &factor);
                    self.of_bits(product, "up", &x, bits)
                }
                _ => Known::default(),
            },
            Op::Shr => match literal(b) {
                Some(bits @ 0..=40) => {
                    let divisor = self.constant(1 << bits);
                    let quotient = self.over(&x, &divisor);
                    self.of_bits(quotient, "down", &x, bits)
                }
                _ => Known::default(),
            },
            // Setting or flipping bits keeps a number in its aligned block, if the size of the block is a power of two
            // above the bits.
            Op::Or | Op::Xor => match literal(b).or(literal(a)) {
                Some(bits @ 0..=4095) => {
                    let changed = if literal(b).is_some() { x } else { y };
                    let size = self.constant((bits + 1).unsigned_abs().next_power_of_two() as i64);
                    let (block, one) = (self.over(&changed, &size), self.constant(1));
                    let first = self.times(&block, &size);
                    let end = self.plus(&first, &size);
                    let last = self.minus(&end, &one);
                    let Known { value, .. } = self.either(&first, &last);
                    let poly = changed.poly.as_ref().filter(|_| op == Op::Xor).map(|x| {
                        let prefix = if x.is_fixed() { "" } else { QUOTIENT };
                        self.symbol(prefix, "xor", x, &Poly::constant(bits))
                    });
                    let operation = if op == Op::Xor { "xor" } else { "or" };
                    self.of_bits(Known { value, poly, least: None }, operation, &changed, bits)
                }
                _ => Known::default(),
            },
            Op::And => match literal(b).or(literal(a)) {
                // `x & (2^k - 1)` is a remainder.
                Some(mask) if mask >= 0 && (mask & (mask + 1)) == 0 => {
                    let divisor = self.constant(mask + 1);
                    let masked = if literal(b).is_some() { &x } else { &y };
                    let poly = if masked.is_fixed() { self.remainder(masked, &divisor) } else { None };
                    let value = self.combine("modulo", masked, &divisor);
                    let masked = masked.clone();
                    self.of_bits(Known { value, poly, least: None }, "and", &masked, mask)
                }
                _ => Known::default(),
            },
            _ => Known::default(),
        }
    }

    /// The knowledge `known`, with code for an iteration: it applies an operation with a literal to `x`.
    fn of_bits(&mut self, known: Known, operation: &str, x: &Known, literal: i64) -> Known {
        let value = known.value.zip(x.value.clone()).map(|(value, x)| {
            let (ident, bits, operation) = (&value.ident, &x.ident, format_ident!("{operation}"));
            let literal = Literal::i64_unsuffixed(literal);
            let code = quote!(__computed::Number::#operation(#bits, #literal));
            self.computed_by(quote!(#ident), vec![value.clone()], code, vec![x.clone()])
        });
        Known { value, ..known }
    }

    pub(super) fn method(&mut self, e: &Expr, receiver: &Expr, name: &str, args: &[Expr]) -> Known {
        if let ("len", Some(Meaning::Element { extents, .. })) = (name, receiver.name().and_then(|n| self.local(n)))
            && !extents.is_empty()
        {
            let extents = extents.clone();
            return self.product(&extents);
        }
        if let ("len", Some(array)) = (name, receiver.name())
            && !self.is_local(array)
        {
            let held = length_variable(&array);
            self.is_held(e, held.clone(), quote!(#held));
            return self.length(array);
        }
        let simple = match (name, args.len()) {
            ("min", 1) => "least",
            ("max", 1) => "greatest",
            ("saturating_sub", 1) => "minus_or_zero",
            ("rem_euclid", 1) => "modulo",
            ("div_euclid", 1) => "over",
            ("wrapping_add", 1) => "plus",
            ("wrapping_sub", 1) => "minus",
            ("wrapping_mul", 1) => "times",
            ("clamp", 2) => {
                let (x, lo, hi) = (self.known(receiver), self.known(&args[0]), self.known(&args[1]));
                let low = self.atom("greatest", &x, &lo);
                return self.atom("least", &low, &hi);
            }
            ("div_ceil", 1) => {
                let (x, y, one) = (self.known(receiver), self.known(&args[0]), self.constant(1));
                let above = self.plus(&x, &y);
                let above = self.minus(&above, &one);
                return self.over(&above, &y);
            }
            ("clone" | "to_owned", 0) => return self.known(receiver),
            _ if self.invariant(e) => return self.outside(e),
            _ => return Known::default(),
        };
        let (x, y) = (self.known(receiver), self.known(&args[0]));
        match name {
            // Two iterations may wrap to the same value, so there is no polynomial.
            "wrapping_add" | "wrapping_sub" | "wrapping_mul" => {
                Known { value: self.combine(simple, &x, &y), ..Known::default() }
            }
            "div_euclid" => {
                let value = self.combine_by(simple, Some("over_euclid"), &x, &y);
                let known = if x.is_fixed() { self.over(&x, &y) } else { self.atom(simple, &x, &y) };
                Known { value, ..known }
            }
            "rem_euclid" => {
                let value = self.combine_by(simple, Some("modulo_euclid"), &x, &y);
                match x.is_fixed() && y.is_fixed() {
                    true => Known { value, poly: self.remainder(&x, &y), least: None },
                    false => Known { value, ..self.atom(simple, &x, &y) },
                }
            }
            _ => self.atom(simple, &x, &y),
        }
    }

    pub(super) fn call(&mut self, e: &Expr, called: &Expr, args: &[Expr]) -> Known {
        let name = called.name().filter(|name| !self.inside.iter().any(|inside| inside == name));
        let closure = name.and_then(|name| match self.local(name) {
            Some(Meaning::Closure(patterns, body, names)) => Some((patterns.clone(), (**body).clone(), names.clone())),
            Some(_) => None,
            // Outside of the loop, the names of the loop have no meaning.
            None => {
                let (patterns, body) = self.outside.closures?.get(&name)?;
                let mut captured = body.variables().chain([name]);
                let settled = captured.all(|name| !self.outside.mutable.contains(&name));
                settled.then(|| (patterns.clone(), body.clone(), Rc::new(Vec::new())))
            }
        });
        if let Some((patterns, body, names)) = closure {
            if patterns.len() != args.len() {
                return Known::default();
            }
            let here = self.enter_closure(&patterns, args, &names);
            self.inside.extend(name);
            let known = self.known(&body);
            self.inside.pop();
            self.leave_closure(here);
            return known;
        }
        let text = called.text();
        let (path, last) = text.rsplit_once("::").unwrap_or(("", &text));
        let method = match (last.trim(), args.len()) {
            ("min", 2) => "least",
            ("max", 2) => "greatest",
            _ if self.invariant(e) => return self.outside(e),
            _ => return Known::default(),
        };
        let (x, y) = (self.known(&args[0]), self.known(&args[1]));
        let known = self.atom(method, &x, &y);
        let of = path.rsplit("::").next().unwrap_or_default().trim();
        let function = Ident::new(last.trim(), called.span);
        let is = match of {
            "cmp" => quote!(::core::cmp::#function::<::core::primitive::usize>),
            "Ord" => quote!(<::core::primitive::usize as ::core::cmp::Ord>::#function),
            _ if types::largest(of).is_some() => {
                let number = format_ident!("{of}");
                quote!(<::core::primitive::#number as ::core::cmp::Ord>::#function)
            }
            // Another `min` may be in scope: then the result is only an assumption, and each access is checked.
            _ => return self.assumed(&known),
        };
        self.obligations.push(Obligation::Function(Function::read_as(called, is)));
        known
    }
}
