//! Index expressions as polynomials over their names, to compare two accesses at compile time.

use crate::ir::Local;
use crate::maps::HashMap;
use std::collections::BTreeMap;

/// A variable of the function, or a value without a name in the function.
pub type Symbol = Local;

/// The symbol of the position of the iteration.
pub fn position() -> Symbol {
    Local::named("#p")
}

/// The name of the symbol for `p * (p + 1) / 2` of the position `p`, from which the beginning of a row of a packed
/// triangle is computed.
pub const TRIANGLE: &str = "#triangle";

/// The prefix of the symbols for indices that are computed from the two parts of the position, `i % w` and `i / w`, and
/// that are different in all iterations.
pub const PAIR: &str = "#pair";

/// The prefix of the symbols for quotients that change between iterations by no fixed step.
pub const QUOTIENT: &str = "%";

/// Integer coefficients of products of symbols; the empty product is the constant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Poly {
    terms: BTreeMap<Vec<Symbol>, i64>,
}

impl Poly {
    pub fn constant(value: i64) -> Self {
        Poly { terms: BTreeMap::from([(Vec::new(), value)]) }.tidy()
    }

    pub fn symbol(symbol: Symbol) -> Self {
        Poly { terms: BTreeMap::from([(vec![symbol], 1)]) }
    }

    fn tidy(mut self) -> Self {
        self.terms.retain(|_, c| *c != 0);
        self
    }

    pub fn plus(&self, other: &Poly) -> Option<Poly> {
        let mut sum = self.clone();
        for (symbols, c) in &other.terms {
            let entry = sum.terms.entry(symbols.clone()).or_insert(0);
            *entry = entry.checked_add(*c)?;
        }
        Some(sum.tidy())
    }

    pub fn times(&self, other: &Poly) -> Option<Poly> {
        let mut product = Poly::default();
        for (a, ca) in &self.terms {
            for (b, cb) in &other.terms {
                let mut symbols = [a.as_slice(), b.as_slice()].concat();
                symbols.sort();
                let entry = product.terms.entry(symbols).or_insert(0);
                *entry = entry.checked_add(ca.checked_mul(*cb)?)?;
            }
        }
        Some(product.tidy())
    }

    pub fn minus(&self, other: &Poly) -> Option<Poly> {
        self.plus(&other.times(&Poly::constant(-1))?)
    }

    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new() as &Vec<Symbol>).copied(),
            _ => None,
        }
    }

    /// The polynomial factor of the position; `None` if the position occurs squared, as in a triangle, or in a pair.
    pub fn coefficient_of_position(&self) -> Option<Poly> {
        if self.any_symbol(|symbol| symbol.starts_with(TRIANGLE)) || self.is_pair() {
            return None;
        }
        self.coefficient_of(position())
    }

    /// The polynomial factor of a symbol; `None` if the symbol occurs squared.
    pub fn coefficient_of(&self, symbol: Symbol) -> Option<Poly> {
        let mut coefficient = Poly::default();
        for (symbols, c) in &self.terms {
            match symbols.iter().filter(|s| **s == symbol).count() {
                0 => {}
                1 => {
                    let rest = symbols.iter().filter(|s| **s != symbol).copied().collect();
                    coefficient.terms.insert(rest, *c);
                }
                _ => return None,
            }
        }
        Some(coefficient)
    }

    /// Whether this is the index of a pair, or mentions one.
    pub fn is_pair(&self) -> bool {
        self.any_symbol(|symbol| symbol.starts_with(PAIR))
    }

    /// Half of a polynomial that contains the square of the position, and whose values are even.
    pub fn half_of_triangle(&self) -> Option<Poly> {
        let squares = *self.terms.get(&vec![position(), position()])?;
        let position = Poly::symbol(position());
        let product = position.times(&position.plus(&Poly::constant(1))?)?.times(&Poly::constant(squares))?;
        let rest = self.minus(&product)?;
        let is_even = rest.terms.values().all(|factor| factor % 2 == 0);
        let half = Poly { terms: rest.terms.into_iter().map(|(symbols, factor)| (symbols, factor / 2)).collect() };
        let triangle = Poly::symbol(Local::named(TRIANGLE)).times(&Poly::constant(squares))?;
        if is_even { triangle.plus(&half) } else { None }
    }

    /// The polynomial with another symbol in place of one.
    pub fn renamed(&self, symbol: Symbol, other: Symbol) -> Poly {
        let renamed = |symbols: &Vec<Symbol>| {
            let mut symbols: Vec<Symbol> = symbols.iter().map(|s| if *s == symbol { other } else { *s }).collect();
            symbols.sort();
            symbols
        };
        Poly { terms: self.terms.iter().map(|(symbols, factor)| (renamed(symbols), *factor)).collect() }
    }

    /// The polynomial without the terms that contain a symbol.
    pub fn without(&self, symbol: Symbol) -> Poly {
        let terms = self.terms.iter().filter(|(symbols, _)| symbols.iter().all(|s| *s != symbol));
        Poly { terms: terms.map(|(symbols, c)| (symbols.clone(), *c)).collect() }
    }

    /// The symbol, if the polynomial is a single symbol.
    pub fn as_symbol(&self) -> Option<Symbol> {
        match self.terms.iter().next() {
            Some((symbols, 1)) if self.terms.len() == 1 && symbols.len() == 1 => Some(symbols[0]),
            _ => None,
        }
    }

    /// The only symbol besides `known`, with its factor; `None` if there are several, or if it occurs in a product.
    pub fn only_other_symbol(&self, known: Symbol) -> Option<(Symbol, i64)> {
        let mut others = self.terms.iter().filter(|(symbols, _)| !symbols.is_empty() && symbols.as_slice() != [known]);
        match (others.next(), others.next()) {
            (Some((symbols, factor)), None) if symbols.len() == 1 => Some((symbols[0], *factor)),
            _ => None,
        }
    }

    /// The products of symbols, each with its factor.
    pub fn terms(&self) -> impl Iterator<Item = (&[Symbol], i64)> {
        self.terms.iter().map(|(symbols, factor)| (symbols.as_slice(), *factor))
    }

    /// Whether no product contains two of these symbols.
    pub fn is_linear_in(&self, variable: impl Fn(Symbol) -> bool) -> bool {
        self.terms.keys().all(|symbols| symbols.iter().filter(|symbol| variable(**symbol)).count() < 2)
    }

    /// The symbols that occur, possibly repeated.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> {
        self.terms.keys().flatten().copied()
    }

    /// The value of the polynomial for these values of the symbols.
    pub fn value(&self, values: &HashMap<Symbol, i64>) -> Option<i64> {
        self.terms.iter().try_fold(0i64, |sum, (symbols, c)| {
            let product = symbols.iter().try_fold(*c, |product, symbol| product.checked_mul(*values.get(symbol)?))?;
            sum.checked_add(product)
        })
    }

    /// Whether the value is the same in all iterations: the names of changing symbols begin with a sign.
    pub fn is_fixed(&self) -> bool {
        !self.any_symbol(|symbol| symbol.starts_with('#') || symbol.starts_with(QUOTIENT))
    }

    /// Whether it contains a symbol with this property.
    pub fn any_symbol(&self, holds: impl Fn(Symbol) -> bool) -> bool {
        self.symbols().any(holds)
    }

    /// The integer `k` for which this is `k * other`.
    pub fn multiple_of(&self, other: &Poly) -> Option<i64> {
        let (symbols, c) = other.terms.iter().next()?;
        let mine = self.terms.get(symbols)?;
        let k = (mine % c == 0).then(|| mine / c)?;
        (other.times(&Poly::constant(k))? == *self).then_some(k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_above_is_one_iteration_back() {
        let (p, nx, x) = (Poly::symbol(position()), Poly::symbol(Local::named("nx")), Poly::symbol(Local::named("x")));
        let here = p.times(&nx).unwrap().plus(&x).unwrap();
        let above = p.minus(&Poly::constant(1)).unwrap().times(&nx).unwrap().plus(&x).unwrap();
        let step = here.coefficient_of_position().unwrap();
        assert_eq!(step, nx);
        assert_eq!(above.minus(&here).unwrap().multiple_of(&step), Some(-1));
        assert_eq!(here.minus(&here).unwrap().as_constant(), Some(0));
        assert_eq!(Poly::constant(3).multiple_of(&Poly::constant(2)), None);
    }
}
