//! Small cases, tried at compile time: if iterations access a common element in all of them, no call can be right.
//!
//! Sizes and strides are known only at run time, and each call proves that its iterations access different elements. A
//! loop such as `x[i] -= l[i * n + j] * x[j]` fails that proof for every `n`, so the compiler rejects it.

use crate::index::points::Points;
use crate::index::poly::{Poly, QUOTIENT, Symbol, position};
use crate::ir::Local;
use crate::maps::{HashMap, HashSet};
use forall_contract::dependence::{Relation, independent, may_happen};
use std::collections::{BTreeMap, BTreeSet};

/// The values of a counter of an inner loop or of the annotated loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counter {
    pub from: Poly,
    pub end: Poly,
    pub step: Poly,
}

/// An operation on two values that is not polynomial: `x / y`, the minimum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Atom {
    /// The name of the operation in `footprint::Index`.
    pub method: &'static str,
    pub of: [Poly; 2],
}

impl Atom {
    fn value(&self, values: &Values) -> Option<i64> {
        let [x, y] = [self.of[0].value(values)?, self.of[1].value(values)?];
        match self.method {
            "over" if x >= 0 && y > 0 => Some(x / y),
            "xor" => Some(x ^ y),
            "least" => Some(x.min(y)),
            "greatest" => Some(x.max(y)),
            "minus_or_zero" => Some((x - y).max(0)),
            _ => None,
        }
    }
}

/// The components of index expressions: the iterations, and, by their symbols, the counters of inner loops and the
/// computed values.
#[derive(Debug, Clone)]
pub struct Cases {
    pub iterations: Counter,
    /// Whether every iteration reaches the end of the body: a `continue` or `break` may skip any access.
    pub through: bool,
    /// The variables of enclosing loops.
    pub around: Vec<(Local, Counter)>,
    pub symbols: Symbols,
}

/// The meanings of symbols that are not variables of the function.
#[derive(Debug, Clone, Default)]
pub struct Symbols {
    /// The counters of inner loops, if their bounds are known.
    pub counters: HashMap<Symbol, Counter>,
    /// Quotients and similar values.
    pub atoms: HashMap<Symbol, Atom>,
    /// Indices of pairs.
    pub pairs: HashMap<Symbol, Poly>,
}

/// Atoms with their symbols, each after its operands.
type Atoms<'s> = Vec<(Symbol, &'s Atom)>;

/// Values of sizes for the dependence test, which does not enumerate iterations: even and odd ones, one above the sum
/// of several others, and values that do not occur as constants in an index.
const SIZES: [i64; 5] = [12, 19, 200, (1 << 33) + 1, (1 << 33) + 2];
/// Values of symbols that only occur in comparisons, as numbers of colours: at least two different ones.
const NUMBERS: [i64; 5] = [0, 1, 0, 1, 2];

/// Values of symbols that bound a loop: small ones, so that all iterations can be enumerated.
const BOUNDS: [i64; 3] = [4, 5, 7];
/// Values of symbols that are only factors or terms: some are larger than any product of bounds.
const STRIDES: [i64; 3] = [3, 1000, 100_003];

type Values = HashMap<Local, i64>;

impl Cases {
    /// Whether two accesses are independent for all possible sizes and strides, or if not `apart`, dependent for all of them. `None` if that is
    /// unknown.
    pub fn always(&self, apart: bool, one: &Points, two: &Points) -> Option<bool> {
        let mut free = BTreeSet::new();
        let mut atoms: Vec<(Symbol, &Atom)> = Vec::new();
        let Counter { from, end, step } = &self.iterations;
        let of_values = one.values.iter().chain(&two.values).map(|(symbol, _)| *symbol);
        let of_iterations = [from, end, step].into_iter().flat_map(Poly::symbols);
        let all: HashSet<Local> = of_values.chain(of_iterations).collect();
        if !all.into_iter().all(|symbol| self.fixed(symbol, &mut free, &mut atoms)) || free.len() > 3 {
            return None;
        }
        let others = [&one.first, &two.first, from, end, step].into_iter().chain(&one.length).chain(&two.length);
        let conditions = || one.conditions.iter().chain(&two.conditions);
        let bounds = conditions().filter(|condition| condition.relation == Relation::NotNegative);
        let sizes: HashSet<Local> = others
            .chain(bounds.map(|bound| &bound.sum))
            .chain(atoms.iter().flat_map(|(_, atom)| &atom.of))
            .flat_map(Poly::symbols)
            .collect();
        let compared = |name: Symbol| !sizes.contains(&name);
        let mut found = None;
        for case in 0..SIZES.len().pow(free.len() as u32) {
            let value = |(k, name): (usize, &Symbol)| {
                let choice = case / SIZES.len().pow(k as u32) % SIZES.len();
                (
                    *name,
                    match self.first_around(*name) {
                        Some(first) => first + NUMBERS[choice],
                        None if compared(*name) => NUMBERS[choice],
                        None => SIZES[choice],
                    },
                )
            };
            let mut values: Values = free.iter().enumerate().map(value).collect();
            let computed = atoms.iter().try_for_each(|(symbol, atom)| {
                let value = atom.value(&values)?;
                values.insert(*symbol, value);
                Some(())
            });
            // A variable of an enclosing loop has only the values that the loop gives it.
            let around = self.around.iter().all(|(name, counter)| counter.may_be(*name, &values));
            let iterations = computed.filter(|()| around).and_then(|()| self.iterations.count(&values));
            let Some(iterations) = iterations.filter(|count| *count > 1) else { continue };
            let (Some(one), Some(two)) = (one.of_values(&values), two.of_values(&values)) else {
                return None;
            };
            // Without two accesses, the case shows nothing.
            if ![&one, &two].into_iter().all(|access| may_happen(access, iterations.into())) {
                continue;
            }
            if independent(&one, &two, iterations.into()) != apart {
                return Some(false);
            }
            found = Some(true);
        }
        found
    }

    /// The first value of the variable of an enclosing loop over a few literal numbers, such as colours.
    fn first_around(&self, name: Local) -> Option<i64> {
        let (_, counter) = self.around.iter().find(|(variable, _)| *variable == name)?;
        let (from, end) = (counter.from.as_constant()?, counter.end.as_constant()?);
        (end - from <= SIZES[0]).then_some(from)
    }

    /// Collects the sizes and strides on which a symbol depends, and the values to compute, in this order.
    fn fixed<'s>(&'s self, symbol: Symbol, free: &mut BTreeSet<Local>, atoms: &mut Vec<(Symbol, &'s Atom)>) -> bool {
        if atoms.iter().any(|(other, _)| *other == symbol) {
            return true;
        }
        match self.symbols.atoms.get_key_value(&symbol) {
            Some((symbol, atom)) => {
                let known = atom.of.iter().flat_map(Poly::symbols).all(|part| self.fixed(part, free, atoms));
                atoms.push((*symbol, atom));
                known
            }
            None => {
                free.insert(symbol);
                !symbol.starts_with('#') && !symbol.starts_with(QUOTIENT)
            }
        }
    }

    /// Whether two iterations access the same element, one as `write` and the other as `other`, in all small cases.
    pub fn always_meet(&self, write: &Poly, other: &Poly) -> bool {
        let whole = |place: &'_ Poly| {
            place.as_symbol().and_then(|symbol| self.symbols.pairs.get(&symbol)).unwrap_or(place).clone()
        };
        let (write, other) = (&whole(write), &whole(other));
        let mut free = BTreeMap::new();
        let (mut inner, mut inner_other, mut none) = (Vec::new(), Vec::new(), Vec::new());
        let Counter { from, end, step } = &self.iterations;
        let mut atoms = Vec::new();
        let known =
            [from, end, step].into_iter().all(|bound| self.symbols(bound, true, &mut none, &mut free, &mut atoms))
                && self.symbols(write, false, &mut inner, &mut free, &mut atoms)
                && self.symbols(other, false, &mut inner_other, &mut free, &mut atoms);
        if !self.through || !known || !none.is_empty() || free.len() > 3 || inner.len() > 2 || inner_other.len() > 2 {
            return false;
        }
        let (fixed, moving): (Atoms<'_>, Atoms<'_>) =
            atoms.iter().partition(|(symbol, _)| !symbol.starts_with(QUOTIENT));
        let mut met = false;
        for case in 0..3_usize.pow(free.len() as u32) {
            let value = |(k, (name, bounds)): (usize, (&Symbol, &bool))| {
                let choice = case / 3_usize.pow(k as u32) % 3;
                (*name, if *bounds { BOUNDS[choice] } else { STRIDES[choice] })
            };
            let mut values: Values = free.iter().enumerate().map(value).collect();
            for (symbol, atom) in &fixed {
                let Some(value) = atom.value(&values) else { return false };
                values.insert(*symbol, value);
            }
            let (Some(written), Some(touched)) =
                (self.touched(write, &inner, &moving, &values), self.touched(other, &inner_other, &moving, &values))
            else {
                return false;
            };
            // Without different iterations that access elements, the case shows nothing.
            if written.is_empty() || touched.is_empty() || written.iter().all(|(p, _)| *p == written[0].0) {
                continue;
            }
            let meet = written.iter().any(|(p, at)| touched.iter().any(|(q, other)| p != q && at == other));
            if !meet {
                return false;
            }
            met = true;
        }
        met
    }

    /// Collects the counters in an expression, each after those on which it depends, the sizes and strides, with
    /// whether they bound a loop, and the values to compute. Returns whether all symbols are of these kinds.
    fn symbols<'s>(
        &'s self,
        e: &Poly,
        bounds: bool,
        inner: &mut Vec<Symbol>,
        free: &mut BTreeMap<Local, bool>,
        atoms: &mut Atoms<'s>,
    ) -> bool {
        e.symbols().all(|symbol| {
            if symbol == position() || inner.contains(&symbol) {
                return true;
            }
            if let Some(counter) = self.symbols.counters.get(&symbol) {
                let Counter { from, end, step } = counter;
                let known = [from, end, step].into_iter().all(|bound| self.symbols(bound, true, inner, free, atoms));
                inner.push(symbol);
                return known;
            }
            if let Some((symbol, atom)) = self.symbols.atoms.get_key_value(&symbol) {
                // Of the changing ones, only quotients of the position are supported.
                if symbol.starts_with(QUOTIENT)
                    && (atom.of[0].as_symbol() != Some(position()) || !atom.of[1].is_fixed())
                {
                    return false;
                }
                let known = atom.of.iter().all(|part| self.symbols(part, bounds, inner, free, atoms));
                atoms.push((*symbol, atom));
                return known;
            }
            *free.entry(symbol).or_default() |= bounds;
            !symbol.starts_with('#') && !symbol.starts_with(QUOTIENT)
        })
    }

    /// The elements that an access touches, each with its iteration.
    fn touched(&self, e: &Poly, inner: &[Symbol], moving: &Atoms<'_>, values: &Values) -> Option<Vec<(i64, i64)>> {
        let mut values = values.clone();
        let mut touched = Vec::new();
        for (at, _) in (0..).zip(self.iterations.first(&values)?) {
            values.insert(position(), at);
            for (symbol, atom) in moving {
                values.insert(*symbol, atom.value(&values)?);
            }
            self.inside(e, inner, &mut values, &mut |element| touched.push((at, element)))?;
        }
        Some(touched)
    }

    fn inside(&self, e: &Poly, inner: &[Symbol], values: &mut Values, found: &mut dyn FnMut(i64)) -> Option<()> {
        let Some((symbol, deeper)) = inner.split_first() else {
            let at = e.value(values)?;
            // A negative index is a panic in the sequential loop too.
            if at >= 0 {
                found(at);
            }
            return Some(());
        };
        for value in self.symbols.counters[symbol].first(values)? {
            values.insert(*symbol, value);
            self.inside(e, deeper, values, found)?;
        }
        Some(())
    }
}

impl Counter {
    /// Whether the variable may have its value in `values`; true if this is unknown.
    fn may_be(&self, variable: Local, values: &Values) -> bool {
        let (Some(value), Some(from), Some(end)) =
            (values.get(&variable), self.from.value(values), self.end.value(values))
        else {
            return true;
        };
        (from..end).contains(value)
    }

    /// The number of values.
    fn count(&self, values: &Values) -> Option<i64> {
        let step = self.step.value(values).filter(|step| *step > 0)?;
        let length = self.end.value(values)?.checked_sub(self.from.value(values)?)?;
        Some(length.max(0).checked_add(step - 1)? / step)
    }

    /// The first few values.
    fn first(&self, values: &Values) -> Option<impl Iterator<Item = i64> + use<>> {
        let step = usize::try_from(self.step.value(values)?).ok().filter(|step| *step > 0)?;
        Some((self.from.value(values)?..self.end.value(values)?).step_by(step).take(8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &str) -> Poly {
        Poly::symbol(Symbol::named(name))
    }

    fn product(a: &str, b: &str) -> Poly {
        symbol(a).times(&symbol(b)).unwrap()
    }

    fn cases() -> Cases {
        let counter = |from, end: &str| Counter { from, end: symbol(end), step: Poly::constant(1) };
        Cases {
            iterations: counter(Poly::constant(0), "n"),
            through: true,
            around: Vec::new(),
            symbols: Symbols {
                counters: [
                    (Symbol::named("#below"), counter(Poly::constant(0), &position())),
                    (Symbol::named("#row"), counter(Poly::constant(0), "n")),
                    (Symbol::named("#half"), counter(Poly::constant(0), "n / 2")),
                ]
                .into_iter()
                .collect(),
                atoms: [(Symbol::named("n / 2"), Atom { method: "over", of: [symbol("n"), Poly::constant(2)] })]
                    .into_iter()
                    .collect(),
                pairs: HashMap::default(),
            },
        }
    }

    #[test]
    fn a_triangular_solve_always_meets() {
        assert!(cases().always_meet(&symbol(&position()), &symbol("#below")));
    }

    #[test]
    fn rows_meet_where_their_length_says_so() {
        let row = product(&position(), "n").plus(&symbol("#row")).unwrap();
        assert!(!cases().always_meet(&row, &row));
        let strided = product(&position(), "stride").plus(&symbol("#row")).unwrap();
        assert!(!cases().always_meet(&strided, &strided));
        let overlapping = symbol(&position()).plus(&symbol("#row")).unwrap();
        assert!(cases().always_meet(&overlapping, &overlapping));
    }

    #[test]
    fn half_of_a_size_is_half_of_it() {
        let rows = product(&position(), "n / 2");
        let half = rows.plus(&symbol("#half")).unwrap();
        assert!(!cases().always_meet(&half, &half));
        let whole = rows.plus(&symbol("#row")).unwrap();
        assert!(cases().always_meet(&whole, &whole));
    }

    #[test]
    fn what_is_not_known_is_not_guessed() {
        assert!(!cases().always_meet(&symbol(&position()), &symbol("#elsewhere")));
        let off = symbol(&position()).plus(&symbol("offset")).unwrap();
        assert!(!cases().always_meet(&symbol(&position()), &off));
    }
}
