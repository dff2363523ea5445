//! Index expressions in abstract form: as code that evaluates them over `Index`, and as polynomials.

pub mod poly;
pub mod small;

use crate::front::array::axis;
use crate::index::poly::{PAIR, POSITION, Poly, QUOTIENT, TRIANGLE};
use crate::index::small::{Atom, Counter};
use crate::ir::names::{length_variable, shape_variable};
use crate::ir::{Block, Counted, Expr, Kind, Op, Pattern, StatementKind};
use crate::language::{methods, types};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// An abstract value: the code that computes it, and the values that this code needs.
#[derive(Debug)]
pub struct Value {
    ident: Ident,
    code: TokenStream,
    needs: Vec<Rc<Value>>,
}

/// What is known of an integer expression.
#[derive(Debug, Clone, Default)]
pub struct Known {
    pub value: Option<Rc<Value>>,
    pub poly: Option<Poly>,
}

/// What a name inside of the loop stands for.
#[derive(Debug, Clone)]
pub enum Local {
    /// An integer, as far as it is known.
    Integer(Known),
    /// Refers to elements of this array: to one, or to as many along each axis as the `extents` say.
    Element { array: String, extents: Vec<Known> },
    /// One of several values, which one is not followed: conditions on it hold only for a while.
    Joined(Known),
    /// A closure that can be seen through, with the names that were in scope where it was made.
    Closure(Vec<Pattern>, Box<Expr>, Rc<Names>),
}

/// Names in scope, innermost last.
pub type Names = Vec<HashMap<String, Local>>;

/// The names in scope, and the values made so far.
pub struct Scope<'f> {
    scopes: Names,
    /// Variables of the function that are `mut` or that several `let`s declare: a closure may mean another one by a name
    /// than the loop does.
    pub unsettled: &'f HashSet<String>,
    /// Arrays of the function whose length is written as a number.
    pub fixed: &'f HashMap<String, i64>,
    /// Whether what is looked at may not happen at all, so that nothing with a precondition may be evaluated for it.
    pub conditional: bool,
    /// Closures whose calls are being looked into: inside of them, the same name is another function.
    inside: Vec<String>,
    /// Closures of the function outside of the loop.
    pub outer_closures: &'f HashMap<String, (Vec<Pattern>, Expr)>,
    /// Outer variables that the loop changes: nothing is known of their values.
    pub changing: &'f HashSet<String>,
    /// Parameters that are shares: their elements are not known. With the number of dimensions of those that have a shape.
    pub shares: &'f HashMap<String, Option<usize>>,
    next: usize,
    /// The counters of inner loops, by their symbols, as far as their bounds are known.
    pub counters: HashMap<String, Counter>,
    /// Quotients and the like, by their symbols: what they are of.
    pub atoms: HashMap<String, Atom>,
    /// Places of pairs, by their symbols.
    pub pairs: HashMap<String, Poly>,
    /// The iterations of the annotated loop, where it counts.
    pub iterations: Option<Counter>,
    /// Arrays outside of the loop whose length is asked for: it is held in a variable.
    pub lengths: BTreeSet<String>,
    /// The same for shapes.
    pub shapes: BTreeSet<String>,
}

/// A condition that is known to hold for a name: how it compares to a sum of terms.
pub struct Fact<'e> {
    name: &'e str,
    op: Op,
    /// The terms, and whether they are added or subtracted.
    bound: Vec<(bool, &'e Expr)>,
    /// What is compared, as it is written: the terms may be moved from one side to the other where neither has wrapped.
    sides: [&'e Expr; 2],
}

/// The facts for all names in `e`, where `e op bound` holds.
fn isolate<'e>(e: &'e Expr, op: Op, bound: &[(bool, &'e Expr)], sides: [&'e Expr; 2], to: &mut Vec<Fact<'e>>) {
    let with = |bound: &[(bool, &'e Expr)], added, term| [bound, &[(added, term)]].concat();
    match &e.bare().kind {
        Kind::Name(name) => to.push(Fact { name, op, bound: bound.to_vec(), sides }),
        Kind::Binary(Op::Add, a, b) => {
            isolate(a, op, &with(bound, false, b), sides, to);
            isolate(b, op, &with(bound, false, a), sides, to);
        }
        Kind::Binary(Op::Sub, a, b) => {
            isolate(a, op, &with(bound, true, b), sides, to);
            let turned: Vec<_> = bound.iter().map(|&(added, term)| (!added, term)).collect();
            isolate(b, op.mirrored(), &with(&turned, true, a), sides, to);
        }
        _ => {}
    }
}

/// The comparisons that hold where `condition` is `holds`.
pub fn facts<'e>(condition: &'e Expr, holds: bool, to: &mut Vec<Fact<'e>>) {
    match &condition.bare().kind {
        Kind::Binary(Op::AndAnd, a, b) if holds => {
            facts(a, true, to);
            facts(b, true, to);
        }
        Kind::Binary(Op::OrOr, a, b) if !holds => {
            facts(a, false, to);
            facts(b, false, to);
        }
        Kind::Unary('!', e) => facts(e, !holds, to),
        Kind::Binary(op, a, b) if op.is_comparison() => {
            let op = if holds { *op } else { op.negated() };
            isolate(a, op, &[(true, b)], [a, b], to);
            isolate(b, op.mirrored(), &[(true, a)], [a, b], to);
        }
        _ => {}
    }
}

impl<'f> Scope<'f> {
    pub fn new(
        outer_closures: &'f HashMap<String, (Vec<Pattern>, Expr)>,
        changing: &'f HashSet<String>,
        shares: &'f HashMap<String, Option<usize>>,
        unsettled: &'f HashSet<String>,
        fixed: &'f HashMap<String, i64>,
    ) -> Self {
        Scope {
            scopes: vec![HashMap::new()],
            unsettled,
            fixed,
            conditional: false,
            inside: Vec::new(),
            outer_closures,
            changing,
            shares,
            next: 0,
            counters: HashMap::new(),
            atoms: HashMap::new(),
            pairs: HashMap::new(),
            iterations: None,
            lengths: BTreeSet::new(),
            shapes: BTreeSet::new(),
        }
    }

    pub fn enter(&mut self) {
        self.scopes.push(HashMap::new());
    }

    pub fn leave(&mut self) {
        self.scopes.pop();
    }

    pub fn bind(&mut self, name: &str, local: Local) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), local);
        }
    }

    pub fn bind_unknown(&mut self, pattern: &Pattern) {
        for binding in &pattern.names {
            self.bind(&binding.name, Local::Integer(Known::default()));
        }
    }

    pub fn local(&self, name: &str) -> Option<&Local> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    pub fn is_local(&self, name: &str) -> bool {
        self.local(name).is_some()
    }

    pub fn value(&mut self, code: TokenStream, needs: Vec<Rc<Value>>) -> Rc<Value> {
        self.next += 1;
        let ident = format_ident!("__v{}", self.next, span = Span::mixed_site());
        Rc::new(Value { ident, code, needs })
    }

    /// Narrows what is known of names where a condition holds.
    pub fn assume(&mut self, facts: &[Fact<'_>]) {
        for fact in facts {
            let Some(Local::Integer(Known { value: Some(value), poly })) = self.local(fact.name).cloned() else {
                continue;
            };
            let mut bound = self.constant(0);
            for (added, term) in &fact.bound {
                let term = self.known(term);
                bound = if *added { self.plus(&bound, &term) } else { self.minus(&bound, &term) };
            }
            for side in fact.sides {
                let side = self.known(side);
                bound.value = self.combine("unless_wrapped", &bound, &side);
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
            let narrowed = self.value(quote!(#v.#method(#b)), vec![value.clone(), bound.clone()]);
            self.bind(fact.name, Local::Integer(Known { value: Some(narrowed), poly }));
        }
    }

    /// What is known where a condition is `holds`.
    fn where_it<K>(&mut self, condition: &Expr, holds: bool, known: impl FnOnce(&mut Self) -> K) -> K {
        let mut found = Vec::new();
        facts(condition, holds, &mut found);
        self.enter();
        self.assume(&found);
        let known = known(self);
        self.leave();
        known
    }

    /// Whether an expression is the same in all iterations, and safe to evaluate beforehand: nothing in it changes
    /// anything, and nothing can panic that would not panic in the loop.
    fn invariant(&self, e: &Expr) -> bool {
        let mut fine = true;
        let harmless = !self.conditional;
        e.walk(&mut |e| {
            fine &= match &e.kind {
                Kind::Name(name) => {
                    !self.is_local(name)
                        && !self.changing.contains(name)
                        && !self.outer_closures.contains_key(name)
                        && !self.shares.contains_key(name)
                }
                Kind::Path | Kind::Int(_) | Kind::Literal | Kind::Paren(_) | Kind::Unary(..) | Kind::Cast(..) => true,
                Kind::Field(..) => true,
                // An element that is there: `dims[1]` of `dims: [usize; 3]`.
                Kind::Index(base, index) => match (base.name().and_then(|name| self.fixed.get(name)), &index.kind) {
                    (Some(length), Kind::Int(index)) if index < length => true,
                    _ => harmless,
                },
                Kind::Binary(..) => harmless,
                // The shape of an array is there whatever happens.
                Kind::Method(_, name, args, _) => {
                    let shape = args.is_empty() && methods::measures_shape(name);
                    (harmless || shape) && methods::reads(name)
                }
                Kind::Call(function, _) => harmless && function.text().ends_with(":: from"),
                _ => false,
            };
            fine
        });
        fine
    }

    fn constant(&mut self, value: i64) -> Known {
        Known {
            value: Some(self.value(quote!(__fp::Index::constant(#value)), Vec::new())),
            poly: Some(Poly::constant(value)),
        }
    }

    fn outside(&mut self, tokens: &TokenStream) -> Known {
        Known {
            value: Some(self.value(quote!(__fp::Index::of(&(#tokens))), Vec::new())),
            poly: Some(Poly::symbol(tokens.to_string())),
        }
    }

    fn combine(&mut self, method: &str, a: &Known, b: &Known) -> Option<Rc<Value>> {
        let (a, b) = (a.value.clone()?, b.value.clone()?);
        let (x, y, method) = (&a.ident, &b.ident, format_ident!("{method}"));
        Some(self.value(quote!(#x.#method(#y)), vec![a.clone(), b.clone()]))
    }

    pub fn plus(&mut self, a: &Known, b: &Known) -> Known {
        let poly = a.poly.as_ref().zip(b.poly.as_ref()).and_then(|(a, b)| a.plus(b));
        Known { value: self.combine("plus", a, b), poly }
    }

    pub fn minus(&mut self, a: &Known, b: &Known) -> Known {
        let poly = a.poly.as_ref().zip(b.poly.as_ref()).and_then(|(a, b)| a.minus(b));
        Known { value: self.combine("minus", a, b), poly }
    }

    pub fn times(&mut self, a: &Known, b: &Known) -> Known {
        let poly = a.poly.as_ref().zip(b.poly.as_ref()).and_then(|(a, b)| a.times(b));
        Known { value: self.combine("times", a, b), poly }
    }

    /// What is known of an integer expression, with all names as they are in scope now.
    pub fn known(&mut self, e: &Expr) -> Known {
        if let Some((array, axis)) = self.extent_in(e) {
            return self.extent(&array, axis);
        }
        match &e.kind {
            Kind::Paren(inner) => self.known(inner),
            Kind::Int(value) => self.constant(*value),
            Kind::Name(name) => match self.local(name).cloned() {
                Some(Local::Integer(known) | Local::Joined(known)) => known,
                Some(_) => Known::default(),
                None if self.invariant(e) => self.outside(&e.tokens),
                None => Known::default(),
            },
            Kind::Path => self.outside(&e.tokens),
            Kind::Unary('*', inner) => {
                if self.invariant(inner) {
                    self.outside(&e.tokens)
                } else {
                    self.known(inner)
                }
            }
            Kind::Unary('-', inner) => {
                let (zero, inner) = (self.constant(0), self.known(inner));
                let Known { value, poly } = self.minus(&zero, &inner);
                let value = value.map(|v| {
                    let ident = &v.ident;
                    self.value(quote!(#ident.as_signed()), vec![v.clone()])
                });
                Known { value, poly }
            }
            Kind::Binary(op, a, b) => self.binary(*op, a, b),
            Kind::Cast(inner, ty, _) => {
                let floats = {
                    let mut floats = false;
                    inner.walk(&mut |e| {
                        floats |= matches!(&e.kind, Kind::Literal | Kind::Method(..))
                            || matches!(&e.kind, Kind::Cast(_, ty, _) if ty.starts_with('f'));
                        !floats
                    });
                    floats
                };
                let limit = types::largest(ty);
                // A narrow type may cut the value, which is then the same in all iterations all the same.
                if self.invariant(e) && (floats || limit.is_some_and(|limit| limit < i64::MAX)) {
                    return self.outside(&e.tokens);
                }
                let Some(limit) = limit else { return Known::default() };
                let known = self.known(inner);
                let signed = ty.starts_with('i');
                let value = known.value.map(|v| {
                    let ident = &v.ident;
                    self.value(quote!(#ident.cast(#limit, #signed)), vec![v.clone()])
                });
                // A narrow type may cut the value: two iterations may then have the same.
                Known { value, poly: known.poly.filter(|_| limit == i64::MAX) }
            }
            Kind::Method(receiver, name, args, _) => self.method(e, receiver, name, args),
            Kind::Call(function, args) => self.call(e, function, args),
            Kind::If(condition, then, Some(otherwise)) => {
                let mut binds = false;
                condition.walk(&mut |e| {
                    binds |= matches!(e.kind, Kind::Let(..));
                    !binds
                });
                if binds {
                    return Known::default();
                }
                let before = std::mem::replace(&mut self.conditional, true);
                let a = self.where_it(condition, true, |scope| scope.block_value(then));
                let b = self.where_it(condition, false, |scope| scope.known(otherwise));
                self.conditional = before;
                self.either(&a, &b)
            }
            Kind::Block(block) => self.block_value(block),
            Kind::Field(..) | Kind::Index(..) if self.invariant(e) => self.outside(&e.tokens),
            _ => Known::default(),
        }
    }

    /// The number of dimensions of a parameter with a shape, or of a part of one, if the expression is such.
    fn dims<'e>(&self, e: &'e Expr) -> Option<(&'e str, usize)> {
        let name = e.name()?;
        let dims = match self.local(name) {
            Some(Local::Element { extents, .. }) if !extents.is_empty() => extents.len(),
            Some(_) => return None,
            None => (*self.shares.get(name)?)?,
        };
        Some((name, dims))
    }

    /// The array and the axis whose length an expression asks for.
    fn extent_in(&self, e: &Expr) -> Option<(String, usize)> {
        let number = |e: &Expr| match &e.bare().kind {
            Kind::Int(number) => usize::try_from(*number).ok(),
            _ => None,
        };
        let asked = |e: &Expr, wanted: &str| match &e.bare().kind {
            Kind::Method(array, method, args, _) if method == wanted && args.is_empty() => {
                self.dims(array).map(|(array, dims)| (array.to_owned(), dims))
            }
            _ => None,
        };
        let (found, axis) = match &e.kind {
            Kind::Field(dim, axis) => (asked(dim, "dim")?, axis.parse().ok()?),
            Kind::Index(shape, axis) => (asked(shape, "shape")?, number(axis)?),
            Kind::Method(array, method, args, _) => match (method.as_str(), args.as_slice()) {
                ("nrows", []) => (asked(e, method)?, 0),
                ("ncols", []) => (asked(e, method)?, 1),
                ("dim", []) => (asked(e, method).filter(|(_, dims)| *dims == 1)?, 0),
                ("len_of", [along]) => {
                    let (array, dims) = self.dims(array)?;
                    ((array.to_owned(), dims), axis(along)?)
                }
                _ => return None,
            },
            _ => return None,
        };
        let (array, dims) = found;
        (axis < dims).then_some((array, axis))
    }

    /// The length of an axis: of a parameter the global one.
    fn extent(&mut self, array: &str, axis: usize) -> Known {
        if let Some(Local::Element { extents, .. }) = self.local(array) {
            return extents.get(axis).cloned().unwrap_or_default();
        }
        self.shapes.insert(array.to_owned());
        let shape = shape_variable(array);
        Known {
            value: Some(self.value(quote!(__fp::Index::of(&#shape[#axis])), Vec::new())),
            poly: Some(Poly::symbol(format!("{array}.shape()[{axis}]"))),
        }
    }

    /// The lengths of the axes of a part of an array along its first axis.
    pub fn extents_of_part(&mut self, array: &str) -> Vec<Known> {
        let dims = self.shares.get(array).copied().flatten().unwrap_or(1);
        (1..dims).map(|axis| self.extent(array, axis)).collect()
    }

    /// How many elements a part has that has these lengths.
    pub fn product(&mut self, extents: &[Known]) -> Known {
        let one = self.constant(1);
        extents.iter().fold(one, |length, extent| self.times(&length, extent))
    }

    /// The parts of an array along its first axis that an index or a range means: their first place, and the end.
    pub fn places_of_parts(&mut self, array: &str, index: &Expr) -> (Known, Known) {
        let extents = self.extents_of_part(array);
        let (length, one) = (self.product(&extents), self.constant(1));
        let (first, end) = match &index.bare().kind {
            Kind::Range(from, to, inclusive) => {
                let first = match from {
                    Some(from) => self.known(from),
                    None => self.constant(0),
                };
                let end = match to {
                    Some(to) => self.known(to),
                    None => self.extent(array, 0),
                };
                (first, if *inclusive { self.plus(&end, &one) } else { end })
            }
            _ => {
                let first = self.known(index);
                let end = self.plus(&first, &one);
                (first, end)
            }
        };
        (self.times(&first, &length), self.times(&end, &length))
    }

    /// What is known of the parts of a tuple.
    pub fn parts(&mut self, e: &Expr) -> Vec<Known> {
        match &e.bare().kind {
            Kind::Tuple(parts) => parts.iter().map(|part| self.known(part)).collect(),
            Kind::Method(array, method, args, _) if method == "dim" && args.is_empty() => {
                let found = self.dims(array).map(|(array, dims)| (array.to_owned(), dims));
                found.map_or_else(Vec::new, |(array, dims)| (0..dims).map(|axis| self.extent(&array, axis)).collect())
            }
            _ => Vec::new(),
        }
    }

    /// The element of an array that an index means: its place in row-major order, where the array has a shape.
    pub fn place(&mut self, array: &str, index: &Expr) -> Known {
        let (Kind::Array(indices) | Kind::Tuple(indices)) = &index.bare().kind else { return self.known(index) };
        if self.is_local(array) || self.shares.get(array) != Some(&Some(indices.len())) {
            return self.known(index);
        }
        let mut place = self.known(&indices[0]);
        for (axis, index) in indices.iter().enumerate().skip(1) {
            let (extent, index) = (self.extent(array, axis), self.known(index));
            let along = self.along(&index, &extent);
            let rows = self.times(&place, &extent);
            place = self.plus(&rows, &along);
        }
        // `a.indexed_iter()` gave the indices of this very place: then it moves by one from iteration to iteration.
        if place.poly == Some(Poly::symbol(POSITION)) {
            let position = Known { value: Some(self.position()), poly: None };
            place.value = self.combine("formed_like", &place, &position);
        }
        place
    }

    /// An index along an inner axis. A checked access stays inside of the axis whatever the index is.
    fn along(&mut self, index: &Known, extent: &Known) -> Known {
        let value = self.combine("within", index, extent).or_else(|| {
            let extent = extent.value.clone()?;
            let ident = &extent.ident;
            Some(self.value(quote!(__fp::Index::anywhere(#ident)), vec![extent.clone()]))
        });
        self.next += 1;
        let unknown = || Poly::symbol(format!("#along{}", self.next));
        Known { value, poly: Some(index.poly.clone().unwrap_or_else(unknown)) }
    }

    /// The iteration's position.
    pub fn position(&mut self) -> Rc<Value> {
        self.value(quote!(__fp::Index::outer(0, 1, i64::MAX, &__positions)), Vec::new())
    }

    /// The indices of the iteration's position in an array: what `a.indexed_iter()` counts through.
    pub fn indices(&mut self, array: &str, position: &Known) -> Vec<Known> {
        let dims = self.shares.get(array).copied().flatten().unwrap_or(1);
        let mut left = position.clone();
        let mut indices = Vec::new();
        for axis in (1..dims).rev() {
            let extent = self.extent(array, axis);
            let value = self.combine("modulo", &left, &extent);
            self.next += 1;
            let rows = Known {
                value: self.combine("over", &left, &extent),
                poly: Some(Poly::symbol(format!("#rows{}", self.next))),
            };
            // What is left over: the place is then `rows * extent + index` again.
            let whole = self.times(&rows, &extent);
            indices.push(Known { value, poly: self.minus(&left, &whole).poly });
            left = rows;
        }
        indices.push(left);
        indices.reverse();
        indices
    }

    fn block_value(&mut self, block: &Block) -> Known {
        let Some((last, before)) = block.statements.split_last() else { return Known::default() };
        self.enter();
        let plain = before.iter().all(|statement| match &statement.kind {
            StatementKind::Let(pattern, Some(value), None) => match pattern.single().filter(|b| !b.mutable) {
                Some(binding) => {
                    let known = self.known(value);
                    self.bind(&binding.name, Local::Integer(known));
                    true
                }
                None => false,
            },
            // What is checked on the way does not change the value.
            StatementKind::Expr(Expr { kind: Kind::Macro(path, ..), .. }, true) => path.contains("assert"),
            _ => false,
        });
        let known = match &last.kind {
            StatementKind::Expr(e, false) if plain => self.known(e),
            _ => Known::default(),
        };
        self.leave();
        known
    }

    fn binary(&mut self, op: Op, a: &Expr, b: &Expr) -> Known {
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
            Op::Rem => Known { value: self.combine("modulo", &x, &y), poly: self.remainder(&x, &y) },
            Op::Shl => match literal(b) {
                Some(bits @ 0..=40) => {
                    let factor = self.constant(1 << bits);
                    self.times(&x, &factor)
                }
                _ => Known::default(),
            },
            Op::Shr => match literal(b) {
                Some(bits @ 0..=40) => {
                    let divisor = self.constant(1 << bits);
                    self.over(&x, &divisor)
                }
                _ => Known::default(),
            },
            Op::And => match literal(b).or(literal(a)) {
                // `x & (2^k - 1)` is a remainder.
                Some(mask) if mask >= 0 && (mask & (mask + 1)) == 0 => {
                    let divisor = self.constant(mask + 1);
                    let masked = if literal(b).is_some() { &x } else { &y };
                    let poly = if masked.is_fixed() { self.remainder(masked, &divisor) } else { None };
                    Known { value: self.combine("modulo", masked, &divisor), poly }
                }
                _ => Known::default(),
            },
            _ => Known::default(),
        }
    }

    fn method(&mut self, e: &Expr, receiver: &Expr, name: &str, args: &[Expr]) -> Known {
        if let ("len", Some(Local::Element { extents, .. })) = (name, receiver.name().and_then(|n| self.local(n)))
            && !extents.is_empty()
        {
            let extents = extents.clone();
            return self.product(&extents);
        }
        if let ("len", Some(array)) = (name, receiver.name())
            && !self.is_local(array)
        {
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
            _ if self.invariant(e) => return self.outside(&e.tokens),
            _ => return Known::default(),
        };
        let (x, y) = (self.known(receiver), self.known(&args[0]));
        match name {
            // What wraps may be the same in two iterations, so there is no polynomial.
            "wrapping_add" | "wrapping_sub" | "wrapping_mul" => {
                Known { value: self.combine(simple, &x, &y), poly: None }
            }
            "div_euclid" if x.is_fixed() => self.over(&x, &y),
            "rem_euclid" if x.is_fixed() && y.is_fixed() => {
                Known { value: self.combine(simple, &x, &y), poly: self.remainder(&x, &y) }
            }
            _ => self.atom(simple, &x, &y),
        }
    }

    fn call(&mut self, e: &Expr, function: &Expr, args: &[Expr]) -> Known {
        let name = function.name().filter(|name| !self.inside.iter().any(|inside| inside == name));
        let closure = name.and_then(|name| match self.local(name) {
            Some(Local::Closure(patterns, body, names)) => Some((patterns.clone(), (**body).clone(), names.clone())),
            Some(_) => None,
            // Outside of the loop the loop's own names mean nothing.
            None => {
                let (patterns, body) = self.outer_closures.get(name)?;
                let mut settled = !self.unsettled.contains(name);
                body.walk(&mut |e| {
                    if let Kind::Name(name) = &e.kind {
                        settled &= !self.unsettled.contains(name);
                    }
                    settled
                });
                settled.then(|| (patterns.clone(), body.clone(), Rc::new(Vec::new())))
            }
        });
        if let Some((patterns, body, names)) = closure {
            if patterns.len() != args.len() {
                return Known::default();
            }
            let here = self.enter_closure(&patterns, args, &names);
            self.inside.extend(name.map(str::to_owned));
            let known = self.known(&body);
            self.inside.pop();
            self.leave_closure(here);
            return known;
        }
        let text = function.text();
        let (path, last) = text.rsplit_once("::").unwrap_or(("", &text));
        let method = match (last.trim(), args.len()) {
            ("min", 2) => "least",
            ("max", 2) => "greatest",
            _ if self.invariant(e) => return self.outside(&e.tokens),
            _ => return Known::default(),
        };
        let (x, y) = (self.known(&args[0]), self.known(&args[1]));
        let Known { mut value, mut poly } = self.atom(method, &x, &y);
        // Another `min` may be in scope: then what is known is only assumed, and each access is checked.
        let path = path.trim();
        let standard = path.ends_with("cmp") || path.ends_with("Ord") || types::largest(path).is_some();
        if !standard {
            poly = None;
            value = value.map(|v| {
                let ident = &v.ident;
                self.value(quote!(#ident.assumed()), vec![v.clone()])
            });
        }
        Known { value, poly }
    }

    /// `x / y`.
    fn over(&mut self, x: &Known, y: &Known) -> Known {
        Known { value: self.combine("over", x, y), poly: self.quotient(x, y) }
    }

    /// What `method` makes of two values, as one symbol where neither changes in the loop.
    fn atom(&mut self, method: &'static str, x: &Known, y: &Known) -> Known {
        let poly = match (&x.poly, &y.poly) {
            (Some(x), Some(y)) if x.is_fixed() && y.is_fixed() => Some(self.symbol("", method, x, y)),
            _ => None,
        };
        Known { value: self.combine(method, x, y), poly }
    }

    fn symbol(&mut self, prefix: &str, method: &'static str, x: &Poly, y: &Poly) -> Poly {
        let symbol = format!("{prefix}{method}({x:?}, {y:?})");
        self.atoms.insert(symbol.clone(), Atom { method, of: [x.clone(), y.clone()] });
        Poly::symbol(symbol)
    }

    /// The name of a place that no two iterations share, where they are counted by one number and it is taken apart again:
    /// `x * h + y` with `(x, y) = (i % w, i / w)` and `i` in `0..w * h`, or `y * w + (w - 1 - x)`.
    pub fn pair(&mut self, place: Poly) -> Option<Poly> {
        let Counter { from, end, step } = self.iterations.as_ref()?;
        if !from.is_zero() || step.as_constant() != Some(1) || !end.is_fixed() {
            return None;
        }
        let quotient = place.symbols().find(|symbol| symbol.starts_with(QUOTIENT))?;
        let Atom { method: "over", of: [i, w] } = self.atoms.get(quotient)? else { return None };
        if i.as_symbol() != Some(POSITION) || !w.is_fixed() {
            return None;
        }
        // `column * x + row * y + start`, where `i` is `w * y + x`.
        let column = place.coefficient_of(POSITION)?;
        let without_i = place.without(POSITION);
        let row = without_i.coefficient_of(quotient)?.plus(&column.times(w)?)?;
        let start = without_i.without(quotient);
        if ![&column, &row, &start].iter().all(|part| part.is_fixed()) {
            return None;
        }
        let unit = |p: &Poly| matches!(p.as_constant(), Some(1 | -1));
        let as_large = |a: &Poly, b: &Poly| a == b || a.plus(b).is_some_and(|sum| sum.is_zero());
        // As `x` is below `w`, rows of `w` do not meet; as `i` is below `w * column`, `y` is below `column`.
        let apart = unit(&column) && as_large(&row, w) || unit(&row) && as_large(&column.times(w)?, end);
        apart.then(|| {
            let symbol = format!("{PAIR}{place:?}");
            self.pairs.insert(symbol.clone(), place);
            Poly::symbol(symbol)
        })
    }

    /// What `x / y` is called in polynomials, so that `x / y * y + x % y` is found to be `x`.
    fn quotient(&mut self, x: &Known, y: &Known) -> Option<Poly> {
        let (x, y) = (x.poly.as_ref()?, y.poly.as_ref()?);
        if let (Some(row), Some(2)) = (x.row_of_triangle(), y.as_constant()) {
            return Some(Poly::symbol(format!("{TRIANGLE}{row}")));
        }
        if let (Some(x @ 0..), Some(y @ 1..)) = (x.as_constant(), y.as_constant()) {
            return Some(Poly::constant(x / y));
        }
        let prefix = if x.is_fixed() && y.is_fixed() { "" } else { QUOTIENT };
        Some(self.symbol(prefix, "over", x, y))
    }

    fn remainder(&mut self, x: &Known, y: &Known) -> Option<Poly> {
        let whole = self.quotient(x, y)?.times(y.poly.as_ref()?)?;
        x.poly.as_ref()?.minus(&whole)
    }

    /// Goes to where a closure was made, with what a call gives it. Returns the names in scope here.
    pub fn enter_closure(&mut self, patterns: &[Pattern], args: &[Expr], names: &Names) -> Names {
        let values: Vec<Known> = args.iter().map(|arg| self.known(arg)).collect();
        let here = std::mem::replace(&mut self.scopes, names.clone());
        self.enter();
        for (pattern, known) in patterns.iter().zip(values) {
            match pattern.single().filter(|binding| !binding.mutable) {
                Some(binding) => self.bind(&binding.name, Local::Integer(known)),
                None => self.bind_unknown(pattern),
            }
        }
        here
    }

    pub fn leave_closure(&mut self, here: Names) {
        self.scopes = here;
    }

    /// The names in scope, for a closure that is made here.
    pub fn names(&self) -> Rc<Names> {
        Rc::new(self.scopes.clone())
    }

    /// One of two values.
    pub fn either(&mut self, a: &Known, b: &Known) -> Known {
        Known { value: self.combine("or", a, b), poly: None }
    }

    pub fn zero(&mut self) -> Known {
        self.constant(0)
    }

    /// The length of an array outside of the loop.
    pub fn length(&mut self, array: &str) -> Known {
        if self.changing.contains(array) && !self.shares.contains_key(array) {
            return Known::default();
        }
        let ident = format_ident!("{array}");
        let text = quote!(#ident.len()).to_string();
        self.lengths.insert(array.to_owned());
        let held = length_variable(array);
        Known { value: Some(self.value(quote!(__fp::Index::of(&#held)), Vec::new())), poly: Some(Poly::symbol(text)) }
    }

    /// A counter of an inner loop from 0 to a known value.
    pub fn counter_to(&mut self, number: u16, name: &str, to: &Known) -> Known {
        let (zero, one) = (self.constant(0), self.constant(1));
        let symbol = format!("#{name}:{:?}", to.poly);
        self.count(&symbol, &zero, to, &one);
        let poly = Some(Poly::symbol(symbol));
        let value = (|| {
            let (f, t, s) = (zero.value?, to.value.clone()?, one.value?);
            let (fi, ti, si) = (&f.ident, &t.ident, &s.ident);
            Some(self.value(quote!(__fp::Index::inner(#number, #fi, #ti, #si)), vec![f.clone(), t.clone(), s.clone()]))
        })();
        Known { value, poly }
    }

    /// Keeps what is known of a counter. Of two that look alike but are not, nothing is known.
    fn count(&mut self, symbol: &str, from: &Known, end: &Known, step: &Known) {
        let bounds = (from.poly.clone(), end.poly.clone(), step.poly.clone());
        let counter = match bounds {
            (Some(from), Some(end), Some(step)) => Some(Counter { from, end, step }),
            _ => None,
        };
        let before = self.counters.remove(symbol);
        if let Some(counter) = counter.filter(|counter| before.is_none_or(|before| before == *counter)) {
            self.counters.insert(symbol.to_owned(), counter);
        }
    }

    /// What is known of the iterations of a loop over a range.
    pub fn iterations(&mut self, source: &Expr) -> Option<Counter> {
        let Counted { from, to, inclusive, step } = source.counted()?;
        let (from, to) = (self.known(from), self.known(to));
        let one = self.constant(1);
        let end = if inclusive { self.plus(&to, &one) } else { to };
        let step = step.map_or(one, |step| self.known(step));
        Some(Counter { from: from.poly?, end: end.poly?, step: step.poly? })
    }

    /// A counter of an inner loop over `from..to`.
    pub fn counter(&mut self, number: u16, name: &str, range: Counted<'_>) -> Known {
        let Counted { from, to, inclusive, step } = range;
        let (first, end) = (self.known(from), self.known(to));
        let one = self.constant(1);
        let end = if inclusive { self.plus(&end, &one) } else { end };
        let step_known = match step {
            Some(step) => self.known(step),
            None => one,
        };
        // Counters of loops with the same bounds count alike: two accesses in sibling loops can be compared.
        let text = format!("{}..{}{}", from.text(), if inclusive { "=" } else { "" }, to.text());
        let step_text = step.map(Expr::text).unwrap_or_default();
        let symbol = format!("#{name}:{text}:{step_text}");
        self.count(&symbol, &first, &end, &step_known);
        let poly = Some(Poly::symbol(symbol));
        let value = (|| {
            let (f, t, s) = (first.value?, end.value?, step_known.value?);
            let (fi, ti, si) = (&f.ident, &t.ident, &s.ident);
            Some(self.value(quote!(__fp::Index::inner(#number, #fi, #ti, #si)), vec![f.clone(), t.clone(), s.clone()]))
        })();
        Known { value, poly }
    }
}

impl Known {
    /// Whether it is known to be the same in all iterations.
    fn is_fixed(&self) -> bool {
        self.poly.as_ref().is_some_and(Poly::is_fixed)
    }

    /// Without a polynomial in which a quotient is left that changes; the place of a pair has a name of its own.
    pub fn without_quotients(mut self, scope: &mut Scope<'_>) -> Known {
        let changes = |poly: &Poly| poly.any_symbol(|symbol| symbol.starts_with(QUOTIENT));
        self.poly = self.poly.and_then(|poly| if changes(&poly) { scope.pair(poly) } else { Some(poly) });
        self
    }
}

/// Emits the code of a value, after that of what it needs, once each.
pub fn emit(value: &Rc<Value>, emitted: &mut HashSet<Ident>, to: &mut TokenStream) -> Ident {
    if emitted.insert(value.ident.clone()) {
        for need in &value.needs {
            emit(need, emitted, to);
        }
        let (ident, code) = (&value.ident, &value.code);
        to.extend(quote!(let #ident = #code;));
    }
    value.ident.clone()
}

#[cfg(test)]
mod tests;
