//! Shows that a system of linear equations and inequalities has no integer solution.

use super::access::{Instances, Relation, Sum};
use std::collections::BTreeMap;

/// The largest number of combined pairs of inequalities.
const EFFORT: u32 = 20_000;
/// The largest number of inequalities at a time.
const MOST: usize = 500;
/// The largest number of values of a quotient that are tried.
const VALUES: i128 = 4;
/// The largest number of nonzero sums that are split into a positive and a negative case.
const SPLITS: usize = 3;

/// A conjunction of conditions.
#[derive(Debug, Clone)]
pub(super) struct System {
    variables: usize,
    /// Sums that are 0, and whether they cannot be split further.
    zero: Vec<(Sum, bool)>,
    /// Sums that are 0 or more.
    not_negative: Vec<Sum>,
    /// Sums that are not 0.
    not_zero: Vec<Sum>,
}

/// The least and the largest value of each variable, if known.
type Bounds = Vec<(Option<i128>, Option<i128>)>;

impl Sum {
    fn factor(&self, variable: usize) -> i128 {
        self.factors.get(variable).copied().unwrap_or(0)
    }

    fn is_constant(&self) -> bool {
        self.factors.iter().all(|factor| *factor == 0)
    }

    /// The variables that occur, with their factors.
    fn terms(&self) -> impl Iterator<Item = (usize, i128)> + '_ {
        self.factors.iter().copied().enumerate().filter(|(_, factor)| *factor != 0)
    }

    /// The same function, with the numbers of the variables increased.
    fn moved(&self, by: usize) -> Sum {
        Sum { constant: self.constant, factors: [vec![0; by], self.factors.clone()].concat() }
    }

    /// `self + times * other`.
    fn plus(&self, times: i128, other: &Sum) -> Option<Sum> {
        let constant = self.constant.checked_add(times.checked_mul(other.constant)?)?;
        let all = 0..self.factors.len().max(other.factors.len());
        let factors: Option<Vec<i128>> =
            all.map(|v| self.factor(v).checked_add(times.checked_mul(other.factor(v))?)).collect();
        Some(Sum { constant, factors: factors? })
    }

    fn times(&self, factor: i128) -> Option<Sum> {
        Sum::default().plus(factor, self)
    }

    fn divisor(&self) -> i128 {
        self.factors.iter().fold(0, |divisor, factor| gcd(divisor, *factor))
    }
}

/// `factor * variable + constant`.
fn single(variable: usize, factor: i128, constant: i128) -> Sum {
    let mut factors = vec![0; variable + 1];
    factors[variable] = factor;
    Sum { constant, factors }
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

impl System {
    /// The pairs of points of two accesses that touch the same element, if the position `sooner` is before the position `later` (the
    /// numbers of their variables).
    pub fn of(one: &Instances, two: &Instances, iterations: i128, [sooner, later]: [usize; 2]) -> System {
        let mut system = System::with(one.variables + two.variables);
        let elements = [system.add(one, 0, iterations), system.add(two, one.variables, iterations)];
        // If the difference overflows, no condition is added, which is sound.
        system.zero.extend(elements[0].plus(-1, &elements[1]).map(|difference| (difference, false)));
        let mut before = single(sooner.max(later), 0, -1);
        (before.factors[sooner], before.factors[later]) = (-1, 1);
        system.not_negative.push(before);
        system
    }

    /// The points of one access.
    pub fn of_one(access: &Instances, iterations: i128) -> System {
        let mut system = System::with(access.variables);
        system.add(access, 0, iterations);
        system
    }

    fn with(variables: usize) -> System {
        System { variables, zero: Vec::new(), not_negative: Vec::new(), not_zero: Vec::new() }
    }

    /// Adds the points of an access; `at` is the number of its first variable. Returns the element.
    fn add(&mut self, access: &Instances, at: usize, iterations: i128) -> Sum {
        self.not_negative.extend([single(at, 1, 0), single(at, -1, iterations - 1)]);
        for (relation, sum) in &access.conditions {
            let sum = sum.moved(at);
            match relation {
                Relation::Zero => self.zero.push((sum, false)),
                Relation::NotNegative => self.not_negative.push(sum),
                Relation::NotZero => self.not_zero.push(sum),
            }
        }
        let mut element = access.first.moved(at);
        if let Some(length) = &access.length {
            // One of the elements of the slice.
            let offset = self.variables;
            self.variables += 1;
            element.factors.resize(self.variables, 0);
            element.factors[offset] = 1;
            self.not_negative.push(single(offset, 1, 0));
            self.not_negative.extend(length.moved(at).plus(-1, &single(offset, 1, 1)));
        }
        element
    }

    pub fn is_impossible(&self) -> bool {
        let mut effort = EFFORT;
        self.clone().impossible(&mut effort).unwrap_or(false)
    }

    /// Whether the system has no integer solution; `None` if the effort did not suffice.
    fn impossible(mut self, effort: &mut u32) -> Option<bool> {
        if self.contradicts()? {
            return Some(true);
        }
        let Some(bounds) = self.bounds()? else { return Some(true) };
        while let Some(next) = self.zero.iter().position(|(_, whole)| !whole) {
            match self.split(next, &bounds, effort)? {
                None => self.zero[next].1 = true,
                Some(parts) => {
                    for part in parts {
                        if !part.impossible(effort)? {
                            return Some(false);
                        }
                    }
                    return Some(true);
                }
            }
        }
        if !self.solve()? {
            return Some(true);
        }
        self.apart(SPLITS, effort)
    }

    /// Divides each sum by the common divisor of its factors. Returns whether a sum without variables contradicts its condition.
    fn contradicts(&mut self) -> Option<bool> {
        for (sum, _) in &mut self.zero {
            let divisor = sum.divisor();
            if divisor == 0 && sum.constant != 0 || divisor > 1 && sum.constant % divisor != 0 {
                return Some(true);
            }
            if divisor > 1 {
                sum.constant /= divisor;
                sum.factors.iter_mut().for_each(|factor| *factor /= divisor);
            }
        }
        self.zero.retain(|(sum, _)| !sum.is_constant());
        Some(!tighten(&mut self.not_negative))
    }

    /// The bounds of all variables that follow from single inequalities and equations. The inner `None` means that a variable has no value.
    fn bounds(&self) -> Option<Option<Bounds>> {
        let mut bounds: Bounds = vec![(None, None); self.variables];
        let mut all: Vec<Sum> = self.not_negative.clone();
        for (sum, _) in &self.zero {
            all.extend([sum.clone(), sum.times(-1)?]);
        }
        for _ in 0..4 {
            for sum in &all {
                for (variable, factor) in sum.terms() {
                    // `factor * variable >= -(the largest value of the rest)`.
                    let mut rest = sum.clone();
                    rest.factors[variable] = 0;
                    let Some(most) = largest(&rest, &bounds) else { continue };
                    let (low, high) = &mut bounds[variable];
                    if factor > 0 {
                        let least = -most.div_euclid(factor);
                        *low = Some(low.map_or(least, |low| low.max(least)));
                    } else {
                        let most = most.div_euclid(-factor);
                        *high = Some(high.map_or(most, |high| high.min(most)));
                    }
                    if matches!((*low, *high), (Some(low), Some(high)) if low > high) {
                        return Some(None);
                    }
                }
            }
        }
        Some(Some(bounds))
    }

    /// Splits an equation `s * (..) + rest = 0`: the rest is a multiple of `s`, and has few values if it is bounded. Returns one system for
    /// each value; all of them have to be shown impossible. The inner `None` means that there is no such split.
    fn split(&self, number: usize, bounds: &Bounds, effort: &mut u32) -> Option<Option<Vec<System>>> {
        let equation = &self.zero[number].0;
        let mut sizes: Vec<i128> = equation.terms().map(|(_, factor)| factor.abs()).filter(|size| *size > 1).collect();
        sizes.sort_unstable();
        sizes.dedup();
        for size in sizes {
            let remainder = equation.constant.rem_euclid(size);
            let remainder = if 2 * remainder > size { remainder - size } else { remainder };
            let (mut rest, mut multiple) = (equation.clone(), equation.clone());
            (rest.constant, multiple.constant) = (remainder, (equation.constant - remainder) / size);
            for (variable, factor) in equation.terms() {
                if factor % size == 0 {
                    rest.factors[variable] = 0;
                    multiple.factors[variable] = factor / size;
                } else {
                    multiple.factors[variable] = 0;
                }
            }
            if rest.is_constant() {
                continue;
            }
            let few = |low: Option<i128>, high: Option<i128>| {
                let (first, last) = (-(-low?).div_euclid(size), high?.div_euclid(size));
                (last.checked_sub(first)? < VALUES).then_some(first..=last)
            };
            let by_bounds =
                few(rest.times(-1).and_then(|rest| largest(&rest, bounds)).map(|most| -most), largest(&rest, bounds));
            let values = match by_bounds {
                Some(values) if values.clone().count() <= 1 => Some(values),
                other => match self.range(&rest, effort)? {
                    Some((low, high)) => few(low, high).or(other),
                    None => return Some(Some(Vec::new())),
                },
            };
            let Some(values) = values else { continue };
            let mut parts = Vec::new();
            for value in values {
                let mut part = self.clone();
                let (mut rest, mut multiple) = (rest.clone(), multiple.clone());
                rest.constant = rest.constant.checked_sub(size.checked_mul(value)?)?;
                multiple.constant = multiple.constant.checked_add(value)?;
                part.zero[number] = (rest, false);
                part.zero.push((multiple, false));
                parts.push(part);
            }
            return Some(Some(parts));
        }
        Some(None)
    }

    /// The range of a sum, from the inequalities and the equations that cannot be split. The inner `None` means that they contradict each
    /// other.
    #[allow(clippy::type_complexity)]
    fn range(&self, sum: &Sum, effort: &mut u32) -> Option<Option<(Option<i128>, Option<i128>)>> {
        let value = self.variables;
        let mut named = sum.clone();
        named.factors.resize(value + 1, 0);
        named.factors[value] = -1;
        let mut all = self.not_negative.clone();
        all.extend([named.times(-1)?, named]);
        for (sum, _) in self.zero.iter().filter(|(_, whole)| *whole) {
            all.extend([sum.clone(), sum.times(-1)?]);
        }
        let Some(left) = eliminate(all, Some(value), effort)? else { return Some(None) };
        let (mut low, mut high) = (None::<i128>, None::<i128>);
        for sum in left {
            match sum.factor(value) {
                0 => {}
                factor if factor > 0 => {
                    let least = -sum.constant.div_euclid(factor);
                    low = Some(low.map_or(least, |low| low.max(least)));
                }
                factor => {
                    let most = sum.constant.div_euclid(-factor);
                    high = Some(high.map_or(most, |high| high.min(most)));
                }
            }
        }
        Some(Some((low, high)))
    }

    /// Solves the equations in integers, and substitutes the solutions for variables. Returns whether there are any solutions.
    fn solve(&mut self) -> Option<bool> {
        loop {
            if self.contradicts()? {
                return Some(false);
            }
            // Equations with small factors first, and among these the shortest.
            let smallest = |sum: &Sum| sum.terms().map(|(_, factor)| factor.abs()).min().unwrap_or(0);
            let best =
                (0..self.zero.len()).min_by_key(|k| (smallest(&self.zero[*k].0), self.zero[*k].0.terms().count()));
            let Some(best) = best else { return Some(true) };
            let sum = self.zero[best].0.clone();
            let (variable, factor) = sum.terms().min_by_key(|(_, factor)| factor.abs())?;
            // `variable = value`. If the factor is not 1, a remainder stays in the equation.
            let mut value = Sum { constant: 0, factors: vec![0; sum.factors.len()] };
            for (other, of) in sum.terms().filter(|(other, _)| *other != variable) {
                value.factors[other] = -of.div_euclid(factor);
            }
            let unit = factor.abs() == 1;
            if unit {
                value.constant = -sum.constant * factor;
                self.zero.remove(best);
            } else {
                // The new variable gets the number of the old one.
                value.factors[variable] = 1;
            }
            let substitute = |sum: &Sum| -> Option<Sum> {
                let factor = sum.factor(variable);
                let mut without = sum.clone();
                if let Some(own) = without.factors.get_mut(variable) {
                    *own = 0;
                }
                without.plus(factor, &value)
            };
            for (sum, _) in &mut self.zero {
                *sum = substitute(sum)?;
            }
            for sum in self.not_negative.iter_mut().chain(&mut self.not_zero) {
                *sum = substitute(sum)?;
            }
        }
    }

    /// Shows that the inequalities contradict each other, for both signs of some nonzero sums.
    fn apart(mut self, splits: usize, effort: &mut u32) -> Option<bool> {
        if self.not_zero.iter().any(|sum| sum.is_constant() && sum.constant == 0) {
            return Some(true);
        }
        if splits > 0
            && let Some(sum) = self.not_zero.pop()
        {
            if sum.is_constant() {
                return self.apart(splits, effort);
            }
            for sign in [1, -1] {
                let mut side = self.clone();
                let mut sum = sum.times(sign)?;
                sum.constant = sum.constant.checked_sub(1)?;
                side.not_negative.push(sum);
                if !side.apart(splits - 1, effort)? {
                    return Some(false);
                }
            }
            return Some(true);
        }
        Some(eliminate(self.not_negative, None, effort)?.is_none())
    }
}

/// The largest value of a sum.
fn largest(sum: &Sum, bounds: &Bounds) -> Option<i128> {
    sum.terms().try_fold(sum.constant, |most, (variable, factor)| {
        let (low, high) = bounds[variable];
        most.checked_add(factor.checked_mul(if factor > 0 { high? } else { low? })?)
    })
}

/// Divides each inequality by the common divisor of its factors, and keeps the strictest of those with equal factors. Returns whether none
/// contradicts itself.
fn tighten(all: &mut Vec<Sum>) -> bool {
    let mut strictest: BTreeMap<Vec<i128>, i128> = BTreeMap::new();
    for mut sum in all.drain(..) {
        match sum.divisor() {
            0 if sum.constant < 0 => return false,
            0 => continue,
            divisor => {
                sum.constant = sum.constant.div_euclid(divisor);
                sum.factors.iter_mut().for_each(|factor| *factor /= divisor);
            }
        }
        while sum.factors.last() == Some(&0) {
            sum.factors.pop();
        }
        let constant = strictest.entry(sum.factors).or_insert(sum.constant);
        *constant = (*constant).min(sum.constant);
    }
    all.extend(strictest.into_iter().map(|(factors, constant)| Sum { constant, factors }));
    true
}

/// Fourier-Motzkin elimination of all variables, except for `kept`. The inner `None` means that the inequalities contradict each other.
fn eliminate(mut all: Vec<Sum>, kept: Option<usize>, effort: &mut u32) -> Option<Option<Vec<Sum>>> {
    loop {
        if !tighten(&mut all) {
            return Some(None);
        }
        let variables = all.iter().map(|sum| sum.factors.len()).max().unwrap_or(0);
        let count = |variable: usize| {
            let above = all.iter().filter(|sum| sum.factor(variable) > 0).count();
            let below = all.iter().filter(|sum| sum.factor(variable) < 0).count();
            (above, below)
        };
        let left = (0..variables).filter(|variable| Some(*variable) != kept);
        let left = left.filter_map(|variable| match count(variable) {
            (0, 0) => None,
            (above, below) => Some((above * below, variable)),
        });
        let Some((_, variable)) = left.min() else { return Some(Some(all)) };
        let (with, mut rest): (Vec<Sum>, Vec<Sum>) = all.into_iter().partition(|sum| sum.factor(variable) != 0);
        for low in with.iter().filter(|sum| sum.factor(variable) > 0) {
            for high in with.iter().filter(|sum| sum.factor(variable) < 0) {
                *effort = effort.checked_sub(1)?;
                let (a, b) = (low.factor(variable), -high.factor(variable));
                let divisor = gcd(a, b);
                rest.push(low.times(b / divisor)?.plus(a / divisor, high)?);
            }
        }
        if rest.len() > MOST {
            return None;
        }
        all = rest;
    }
}
