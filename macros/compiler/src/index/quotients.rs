//! Quotients, remainders, and indices that are computed from both.

use crate::index::poly::{PAIR, Poly, QUOTIENT, Symbol, position};
use crate::index::scope::{Known, Scope};
use crate::index::small_cases::{Atom, Counter};
use crate::ir::Local;
use std::rc::Rc;

impl Scope<'_> {
    /// `x / y`.
    pub(super) fn over(&mut self, x: &Known, y: &Known) -> Known {
        Known { value: self.combine("over", x, y), poly: self.quotient(x, y), least: None }
    }

    /// The result of `method` for two values, as one symbol.
    pub(super) fn atom(&mut self, method: &'static str, x: &Known, y: &Known) -> Known {
        let value = self.combine(method, x, y);
        let poly = match (&x.poly, &y.poly) {
            (Some(x), Some(y)) => {
                let prefix = if x.is_fixed() && y.is_fixed() { "" } else { QUOTIENT };
                let symbol = self.symbol(prefix, method, x, y);
                symbol.as_symbol().into_iter().for_each(|symbol| self.keep(symbol, &value));
                Some(symbol)
            }
            _ => None,
        };
        let least = (method == "least").then(|| Rc::new([x.clone(), y.clone()]));
        Known { value, poly, least }
    }

    pub(super) fn symbol(&mut self, prefix: &str, method: &'static str, x: &Poly, y: &Poly) -> Poly {
        let symbol = format!("{prefix}{method}({x:?}, {y:?})");
        self.symbols.atoms.insert(Local::named(&symbol), Atom { method, of: [x.clone(), y.clone()] });
        Poly::symbol(Local::named(&symbol))
    }

    /// The symbol of an index that is different in all iterations, although it does not move by a fixed step.
    pub fn pair(&mut self, place: Poly) -> Option<Poly> {
        let apart =
            [Self::taken_apart, Self::turned, Self::turned_bits].iter().any(|way| way(self, &place) == Some(true));
        apart.then(|| {
            let symbol = format!("{PAIR}{place:?}");
            self.symbols.pairs.insert(Local::named(&symbol), place);
            Poly::symbol(Local::named(&symbol))
        })
    }

    /// The quotient or similar value in an index that changes between iterations: its symbol and its operands.
    fn changing(&self, place: &Poly, wanted: &str) -> Option<(Symbol, [Poly; 2])> {
        let name = place.symbols().find(|symbol| symbol.starts_with(QUOTIENT))?;
        let Atom { method, of } = self.symbols.atoms.get(&name)?;
        (*method == wanted).then(|| (name, of.clone()))
    }

    /// One number counts the iterations, and the loop splits it: `x * h + y` with `(x, y) = (i % w, i / w)` and `i` in
    /// `0..w * h`, or `y * w + (w - 1 - x)`.
    fn taken_apart(&self, place: &Poly) -> Option<bool> {
        let Counter { from, end, step } = self.iterations.as_ref()?;
        if !from.is_zero() || step.as_constant() != Some(1) || !end.is_fixed() {
            return None;
        }
        let (quotient, [i, w]) = self.changing(place, "over")?;
        if i.as_symbol() != Some(position()) || !w.is_fixed() {
            return None;
        }
        // `column * x + row * y + start`, with `i = w * y + x`.
        let column = place.coefficient_of(position())?;
        let without_i = place.without(position());
        let row = without_i.coefficient_of(quotient)?.plus(&column.times(&w)?)?;
        let start = without_i.without(quotient);
        if ![&column, &row, &start].iter().all(|part| part.is_fixed()) {
            return None;
        }
        let as_large = |a: &Poly, b: &Poly| a == b || a.plus(b).is_some_and(|sum| sum.is_zero());
        // As `x < w`, rows of length `w` are disjoint. As `i < w * column`, `y < column`.
        Some(is_unit(&column) && as_large(&row, &w) || is_unit(&row) && as_large(&column.times(&w)?, end))
    }

    /// A rotated index `(i + k) % n`, for at most `n` iterations.
    fn turned(&self, place: &Poly) -> Option<bool> {
        let Counter { from, end, step } = self.iterations.as_ref()?;
        let (quotient, [turned, n]) = self.changing(place, "over")?;
        let unit = place.coefficient_of(position())?;
        let remainder = turned.minus(&Poly::symbol(quotient).times(&n)?)?;
        let (k, start) = (turned.minus(&Poly::symbol(position()))?, place.minus(&remainder.times(&unit)?)?);
        let fixed = [&k, &start, &n].iter().all(|part| part.is_fixed());
        let left = n.minus(&end.minus(from)?)?.as_constant()?;
        Some(fixed && is_unit(&unit) && step.as_constant() == Some(1) && left >= 0)
    }

    /// An XOR-permuted index `i ^ k`: it maps different numbers to different numbers.
    fn turned_bits(&self, place: &Poly) -> Option<bool> {
        let (turned, [i, k]) = self.changing(place, "xor")?;
        let step = i.coefficient_of(position())?.as_constant()?;
        let rest = place.without(turned);
        let fixed = [&i.without(position()), &k, &rest].iter().all(|part| part.is_fixed());
        Some(fixed && step != 0 && is_unit(&place.coefficient_of(turned)?))
    }

    /// The symbol of `x / y` in polynomials: `x / y * y + x % y` then simplifies to `x`.
    pub(super) fn quotient(&mut self, x: &Known, y: &Known) -> Option<Poly> {
        let value = self.combine("over", x, y);
        let (x, y) = (x.poly.as_ref()?, y.poly.as_ref()?);
        if let (Some(half), Some(2)) = (x.half_of_triangle(), y.as_constant()) {
            return Some(half);
        }
        if let (Some(x @ 0..), Some(y @ 1..)) = (x.as_constant(), y.as_constant()) {
            return Some(Poly::constant(x / y));
        }
        let prefix = if x.is_fixed() && y.is_fixed() { "" } else { QUOTIENT };
        let symbol = self.symbol(prefix, "over", x, y);
        symbol.as_symbol().into_iter().for_each(|symbol| self.keep(symbol, &value));
        Some(symbol)
    }

    pub(super) fn remainder(&mut self, x: &Known, y: &Known) -> Option<Poly> {
        let whole = self.quotient(x, y)?.times(y.poly.as_ref()?)?;
        x.poly.as_ref()?.minus(&whole)
    }
}

/// Whether it is 1 or -1.
fn is_unit(p: &Poly) -> bool {
    matches!(p.as_constant(), Some(1 | -1))
}

impl Known {
    /// Drops a polynomial that contains a changing quotient, unless it is the index of a pair: this has a symbol of its
    /// own.
    pub fn without_quotients(mut self, scope: &mut Scope<'_>) -> Known {
        let changes = |poly: &Poly| poly.any_symbol(|symbol| symbol.starts_with(QUOTIENT));
        self.poly = self.poly.and_then(|poly| if changes(&poly) { scope.pair(poly) } else { Some(poly) });
        self
    }
}
