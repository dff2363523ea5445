//! Quotients, remainders and places that are made of both.

use crate::index::poly::{PAIR, Poly, QUOTIENT, Symbol, TRIANGLE, position};
use crate::index::scope::{Known, Scope};
use crate::index::small_cases::{Atom, Counter};
use crate::ir::Local;
use std::rc::Rc;

impl Scope<'_> {
    /// `x / y`.
    pub(super) fn over(&mut self, x: &Known, y: &Known) -> Known {
        Known { value: self.combine("over", x, y), poly: self.quotient(x, y), least: None }
    }

    /// What `method` makes of two values, as one symbol.
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

    /// The name of a place that no two iterations share, though it does not move by a fixed step.
    pub fn pair(&mut self, place: Poly) -> Option<Poly> {
        let apart =
            [Self::taken_apart, Self::turned, Self::turned_bits].iter().any(|way| way(self, &place) == Some(true));
        apart.then(|| {
            let symbol = format!("{PAIR}{place:?}");
            self.symbols.pairs.insert(Local::named(&symbol), place);
            Poly::symbol(Local::named(&symbol))
        })
    }

    /// The quotient or the like in a place that changes from iteration to iteration: its name, and what it is of.
    fn changing(&self, place: &Poly, wanted: &str) -> Option<(Symbol, [Poly; 2])> {
        let name = place.symbols().find(|symbol| symbol.starts_with(QUOTIENT))?;
        let Atom { method, of } = self.symbols.atoms.get(&name)?;
        (*method == wanted).then(|| (name, of.clone()))
    }

    /// Iterations are counted by one number, which is taken apart again: `x * h + y` with `(x, y) = (i % w, i / w)` and `i` in
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
        // `column * x + row * y + start`, where `i` is `w * y + x`.
        let column = place.coefficient_of(position())?;
        let without_i = place.without(position());
        let row = without_i.coefficient_of(quotient)?.plus(&column.times(&w)?)?;
        let start = without_i.without(quotient);
        if ![&column, &row, &start].iter().all(|part| part.is_fixed()) {
            return None;
        }
        let as_large = |a: &Poly, b: &Poly| a == b || a.plus(b).is_some_and(|sum| sum.is_zero());
        // As `x` is below `w`, rows of `w` do not meet; as `i` is below `w * column`, `y` is below `column`.
        Some(is_unit(&column) && as_large(&row, &w) || is_unit(&row) && as_large(&column.times(&w)?, end))
    }

    /// `(i + k) % n`, for no more than `n` iterations.
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

    /// `i ^ k`: other numbers have other bits.
    fn turned_bits(&self, place: &Poly) -> Option<bool> {
        let (turned, [i, k]) = self.changing(place, "xor")?;
        let step = i.coefficient_of(position())?.as_constant()?;
        let rest = place.without(turned);
        let fixed = [&i.without(position()), &k, &rest].iter().all(|part| part.is_fixed());
        Some(fixed && step != 0 && is_unit(&place.coefficient_of(turned)?))
    }

    /// What `x / y` is called in polynomials, so that `x / y * y + x % y` is found to be `x`.
    pub(super) fn quotient(&mut self, x: &Known, y: &Known) -> Option<Poly> {
        let value = self.combine("over", x, y);
        let (x, y) = (x.poly.as_ref()?, y.poly.as_ref()?);
        if let (Some(row), Some(2)) = (x.row_of_triangle(), y.as_constant()) {
            return Some(Poly::symbol(Local::named(&format!("{TRIANGLE}{row}"))));
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
    /// Without a polynomial in which a quotient is left that changes; the place of a pair has a name of its own.
    pub fn without_quotients(mut self, scope: &mut Scope<'_>) -> Known {
        let changes = |poly: &Poly| poly.any_symbol(|symbol| symbol.starts_with(QUOTIENT));
        self.poly = self.poly.and_then(|poly| if changes(&poly) { scope.pair(poly) } else { Some(poly) });
        self
    }
}
