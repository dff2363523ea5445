//! Conditions that hold at an access: the ends of counters, and the conditions around the access.

use crate::index::facts::{equality, facts};
use crate::index::points::{Condition, Inner, Points};
use crate::index::poly::{Poly, QUOTIENT, Symbol, position};
use crate::index::scope::{Known, Scope};
use crate::index::value::Value;
use crate::ir::{Expr, Form, Kind, Local, Op, Pattern};
use forall_contract::dependence::Relation;
use std::rc::Rc;

/// The maximal number of variables of an access.
const VARIABLES: usize = 10;

impl Scope<'_> {
    /// Records the value of a symbol.
    pub fn keep(&mut self, symbol: Symbol, value: &Option<Rc<Value>>) {
        if let Some(value) = value {
            self.points.values.insert(symbol, value.clone());
        }
    }

    /// The symbol of a counter. If an enclosing loop has the same symbol, the inner counter gets another one.
    pub(super) fn symbol_of_counter(&mut self, mut symbol: Symbol) -> String {
        while self.points.active.iter().any(|(_, active)| *active == symbol) {
            symbol = Symbol::named(&format!("{symbol}'"));
        }
        self.points.active.push((self.depth(), symbol));
        symbol.to_string()
    }

    /// Records the comparisons of the counter of an inner loop: `start + symbol` goes from `from` to `end`.
    pub(super) fn count_from_to(&mut self, symbol: Symbol, start: Poly, from: &Known, end: &Known, step: &Known) {
        self.points.loops.remove(&symbol);
        let bound = |known: &Known| known.poly.clone().zip(known.value.clone());
        if let Some(from) = bound(from) {
            let (end, step) = (bound(end), step.poly.clone());
            self.points.loops.insert(symbol, Inner { start, from, end, step });
        }
    }

    /// From here to the end of the scope, the condition is true or false, as `holds` says.
    pub fn hold(&mut self, condition: &Expr, holds: bool) {
        let mut known = Vec::new();
        facts(condition, holds, &mut known);
        self.assume(&known);
        self.compare(condition, holds);
    }

    /// From here to the end of the scope, the value matches the pattern.
    pub fn matches(&mut self, value: &Expr, pattern: &Pattern) {
        match (&pattern.form, &value.bare().kind) {
            (Form::Value(number), _) if matches!(number.bare().kind, Kind::Int(_)) => {
                let mut known = Vec::new();
                equality(value, number, &mut known);
                self.assume(&known);
                self.compared(Op::Eq, value, number);
            }
            (Form::Tuple(patterns), Kind::Tuple(values)) if patterns.len() == values.len() => {
                values.iter().zip(patterns).for_each(|(value, pattern)| self.matches(value, pattern));
            }
            _ => {}
        }
    }

    fn compare(&mut self, condition: &Expr, holds: bool) {
        match &condition.bare().kind {
            Kind::Binary(Op::AndAnd, a, b) if holds => {
                self.compare(a, true);
                self.compare(b, true);
            }
            Kind::Binary(Op::OrOr, a, b) if !holds => {
                self.compare(a, false);
                self.compare(b, false);
            }
            Kind::Unary('!', e) => self.compare(e, !holds),
            Kind::Binary(op, a, b) if op.is_comparison() => {
                self.compared(if holds { *op } else { op.negated() }, a, b);
            }
            _ => {}
        }
    }

    fn compared(&mut self, op: Op, a: &Expr, b: &Expr) {
        let (a, b) = (self.known(a), self.known(b));
        let depth = self.depth();
        if op == Op::Eq {
            self.equal.push((depth, [a.clone(), b.clone()]));
        }
        match comparison(op, &a, &b) {
            Some(condition) => self.points.conditions.push((depth, condition)),
            // Intervals may decide this condition.
            None if a.value.is_some() && b.value.is_some() => self.points.partial.push(depth),
            None => {}
        }
    }

    /// The indices of an element along all axes, as numbers of the iteration if conditions say that they are equal: `[y, x]` for `[0, x]`
    /// where `y == 0`. Outer loops are for the first axes.
    pub fn of_iteration(&mut self, along: &[Expr]) -> Vec<Known> {
        let pairs = self.equal.iter().flat_map(|(_, [a, b])| [(a, b), (b, a)]);
        let moves = |(number, fixed): &(&Known, &Known)| {
            let moves = |known: &Known| known.poly.as_ref().is_some_and(|poly| !poly.is_fixed());
            number.value.is_some() && moves(number) && !moves(fixed)
        };
        let mut pairs: Vec<(Known, Option<Poly>)> =
            pairs.filter(moves).map(|(number, fixed)| (number.clone(), fixed.poly.clone())).collect();
        let loops = &self.points.active;
        pairs.sort_by_key(|(number, _)| {
            let counts = |symbol: Symbol| number.poly.as_ref().is_some_and(|poly| poly.any_symbol(|of| of == symbol));
            loops.iter().position(|(_, symbol)| counts(*symbol)).unwrap_or(loops.len())
        });
        let mut indices = Vec::new();
        for index in along {
            let known = self.known(index);
            let found = pairs.iter().enumerate().find_map(|(at, (_, fixed))| {
                let poly = known.poly.as_ref().filter(|poly| poly.is_fixed())?;
                Some((at, poly.minus(fixed.as_ref()?)?.as_constant()?))
            });
            indices.push(match found {
                None => known,
                Some((at, distance)) => {
                    let number = pairs.remove(at).0;
                    self.moved(number, distance)
                }
            });
        }
        indices
    }

    /// A number and this distance.
    fn moved(&mut self, number: Known, distance: i64) -> Known {
        let by = self.constant(distance.abs());
        match distance {
            0 => number,
            1.. => self.plus(&number, &by),
            _ => self.minus(&number, &by),
        }
    }

    /// The points of an access here, from its first element to its end.
    pub fn points(&self, first: &Known, end: Option<&Known>) -> Option<Points> {
        let first = first.poly.clone()?;
        let length = match end {
            Some(end) => Some(end.poly.as_ref()?.minus(&first)?),
            None => None,
        };
        let mut points = Points {
            variables: vec![position()],
            conditions: Vec::new(),
            first,
            length,
            values: Vec::new(),
            complete: self.points.partial.is_empty(),
        };
        let sums = [Some(points.first.clone()), points.length.clone()];
        if !sums.into_iter().flatten().all(|sum| self.add_symbols(&sum, &mut points)) {
            return None;
        }
        for (_, condition) in &self.points.conditions {
            self.add_condition(condition.clone(), &mut points);
        }
        // A condition on one variable may contain others.
        let mut next = 1;
        while let Some(symbol) = points.variables.get(next).cloned() {
            self.bound(symbol, &mut points);
            next += 1;
        }
        Some(points)
    }

    /// Adds the symbols of a sum to the variables and the values. Returns whether the sum is linear in the variables,
    /// and the number of these is within the limit.
    fn add_symbols(&self, sum: &Poly, to: &mut Points) -> bool {
        let (variables, values) = (to.variables.len(), to.values.len());
        let mut known = true;
        for symbol in sum.symbols() {
            let fixed = !symbol.starts_with(QUOTIENT);
            match self.points.values.get(&symbol).filter(|_| fixed) {
                Some(value) if to.values.iter().all(|(other, _)| other != symbol) => {
                    to.values.push((symbol, value.clone()));
                }
                Some(_) => {}
                None if to.variables.contains(&symbol) => {}
                // Every other fixed symbol has a value.
                None => {
                    known &= symbol.starts_with('#') || !fixed;
                    to.variables.push(symbol);
                }
            }
        }
        let is_variable = |symbol: Symbol| to.variables.contains(&symbol);
        if known && to.variables.len() <= VARIABLES && sum.is_linear_in(is_variable) {
            return true;
        }
        to.variables.truncate(variables);
        to.values.truncate(values);
        false
    }

    fn add_condition(&self, condition: Condition, to: &mut Points) {
        if self.add_symbols(&condition.sum, to) {
            to.conditions.push(condition);
        } else {
            to.complete = false;
        }
    }

    /// Adds the conditions on a variable.
    fn bound(&self, symbol: Symbol, to: &mut Points) {
        let variable = Poly::symbol(symbol);
        let mut holds = |relation, sum: Option<Poly>, unwrapped: Vec<Rc<Value>>| match sum {
            Some(sum) => self.add_condition(Condition { relation, sum, unwrapped }, to),
            None => to.complete = false,
        };
        if let Some(Inner { start, from: (from, unwrapped), end, step }) = self.points.loops.get(&symbol) {
            let counter = start.plus(&variable);
            let above = counter.as_ref().and_then(|counter| counter.minus(from));
            holds(Relation::NotNegative, above.clone(), vec![unwrapped.clone()]);
            match step.as_ref().map(|step| (step, step.as_constant())) {
                Some((_, Some(1))) => {}
                Some((step, _)) => {
                    // The variable is this number of steps from the first value.
                    let steps = Poly::symbol(Local::named(&format!("#steps of {symbol}")));
                    let whole = step.times(&steps).and_then(|walked| above?.minus(&walked));
                    holds(Relation::Zero, whole, vec![unwrapped.clone()]);
                }
                None => holds(Relation::Zero, None, Vec::new()),
            }
            match end {
                Some((end, unwrapped)) => {
                    let below = counter.and_then(|counter| end.minus(&counter)?.minus(&Poly::constant(1)));
                    holds(Relation::NotNegative, below, vec![unwrapped.clone()]);
                }
                None => holds(Relation::NotNegative, None, Vec::new()),
            }
            return;
        }
        let (Some(atom), Some(value)) = (self.symbols.atoms.get(&symbol), self.points.values.get(&symbol)) else {
            // The range of the counter already bounds the number of steps.
            if !symbol.starts_with("#steps of ") {
                to.complete = false;
            }
            return;
        };
        let ([x, y], value) = (&atom.of, || vec![value.clone()]);
        match atom.method {
            // `x - y * quotient` is the remainder.
            "over" => {
                let remainder = y.times(&variable).and_then(|whole| x.minus(&whole));
                let below = remainder.as_ref().and_then(|remainder| y.minus(remainder)?.minus(&Poly::constant(1)));
                holds(Relation::NotNegative, remainder, value());
                holds(Relation::NotNegative, below, value());
            }
            "least" => {
                holds(Relation::NotNegative, x.minus(&variable), value());
                holds(Relation::NotNegative, y.minus(&variable), value());
            }
            "greatest" => {
                holds(Relation::NotNegative, variable.minus(x), value());
                holds(Relation::NotNegative, variable.minus(y), value());
            }
            "minus_or_zero" => {
                let difference = x.minus(y);
                holds(Relation::NotNegative, difference.and_then(|difference| variable.minus(&difference)), value());
                holds(Relation::NotNegative, Some(variable.clone()), value());
            }
            _ => to.complete = false,
        }
    }
}

fn comparison(op: Op, a: &Known, b: &Known) -> Option<Condition> {
    let unwrapped = vec![a.value.clone()?, b.value.clone()?];
    let (a, b, one) = (a.poly.as_ref()?, b.poly.as_ref()?, Poly::constant(1));
    let (relation, sum) = match op {
        Op::Lt => (Relation::NotNegative, b.minus(a)?.minus(&one)?),
        Op::Le => (Relation::NotNegative, b.minus(a)?),
        Op::Gt => (Relation::NotNegative, a.minus(b)?.minus(&one)?),
        Op::Ge => (Relation::NotNegative, a.minus(b)?),
        Op::Eq => (Relation::Zero, a.minus(b)?),
        _ => (Relation::NotZero, a.minus(b)?),
    };
    Some(Condition { relation, sum, unwrapped })
}
