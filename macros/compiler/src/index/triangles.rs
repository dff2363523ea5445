//! Rows of packed triangles: `i * (i + 1) / 2 + j` with `j` up to `i`, and `i * n - i * (i + 1) / 2 + j` with `j` from `i` on.

use crate::index::poly::{Poly, Symbol, TRIANGLE, position};
use crate::index::small_cases::Cases;
use crate::ir::Local;

/// The elements that an iteration accesses: from `start + first` to `start + end`, `end` excluded, and as many triangular numbers more.
struct Row {
    triangles: i64,
    start: Poly,
    first: Poly,
    end: Poly,
}

/// The index as one that may be in the row of another iteration.
pub fn without_rows(index: &Poly) -> Poly {
    index.renamed(Local::named(TRIANGLE), Local::named(&format!("{TRIANGLE} without rows")))
}

/// Whether a polynomial is an index in the iteration's row of a packed triangle.
pub fn is_in_a_triangle(index: &Poly) -> bool {
    index.any_symbol(|symbol| symbol == Local::named(TRIANGLE))
}

/// Whether each of these indices is in a row of one packed triangle, so that those of different iterations are different.
pub fn are_rows(indices: &[&Poly], cases: &Cases) -> bool {
    let Some(rows) = indices.iter().map(|index| Row::of(index, cases)).collect::<Option<Vec<Row>>>() else {
        return false;
    };
    // Rows without elements come last, or all of them come first: between two rows with elements, one of them has elements.
    let growth = rows.iter().map(|row| row.end.minus(&row.first)?.coefficient_of(position())?.as_constant());
    let Some(growth) = growth.collect::<Option<Vec<i64>>>() else { return false };
    let one_way = growth.iter().all(|growth| *growth >= 0) || growth.iter().all(|growth| *growth <= 0);
    one_way && rows.iter().all(|one| rows.iter().all(|two| one.ends_before(two, cases) == Some(true)))
}

impl Row {
    fn of(index: &Poly, cases: &Cases) -> Option<Row> {
        let triangle = Local::named(TRIANGLE);
        let triangles = index.coefficient_of(triangle)?.as_constant()?;
        let rest = index.without(triangle);
        let mut counters = rest.symbols().filter(|symbol| cases.symbols.counters.contains_key(symbol));
        let (counter, another): (Option<Symbol>, _) = (counters.next(), counters.next());
        let (first, end) = match counter {
            Some(counter) if another.is_none() && rest.coefficient_of(counter)?.as_constant() == Some(1) => {
                let counted = &cases.symbols.counters[&counter];
                (counted.step.as_constant() == Some(1)).then(|| (counted.from.clone(), counted.end.clone()))?
            }
            Some(_) => return None,
            None => (Poly::default(), Poly::constant(1)),
        };
        let start = counter.map_or(rest.clone(), |counter| rest.without(counter));
        let is_linear = |poly: &Poly| {
            let slope = poly.coefficient_of(position());
            slope.is_some_and(|slope| slope.is_fixed()) && poly.without(position()).is_fixed()
        };
        let fits = [&start, &first, &end].into_iter().all(is_linear);
        fits.then_some(Row { triangles, start, first, end })
    }

    /// Whether this row ends before another begins that belongs to the next iteration.
    fn ends_before(&self, other: &Row, cases: &Cases) -> Option<bool> {
        let iterations = &cases.iterations;
        if self.triangles != other.triangles || iterations.step.as_constant() != Some(1) {
            return None;
        }
        let next = |poly: &Poly| poly.plus(&poly.coefficient_of(position())?);
        let more = Poly::symbol(position()).plus(&Poly::constant(1))?.times(&Poly::constant(self.triangles))?;
        let begins = next(&other.start)?.plus(&next(&other.first)?)?.plus(&more)?;
        let between = begins.minus(&self.start.plus(&self.end)?)?;
        let (slope, at_first) = (between.coefficient_of(position())?.as_constant()?, between.without(position()));
        let least = if slope >= 0 {
            at_first
        } else {
            // In the last iteration but one.
            let last = iterations.end.minus(&iterations.from)?.minus(&Poly::constant(2))?;
            at_first.plus(&last.times(&Poly::constant(slope))?)?
        };
        Some(least.as_constant()? >= 0)
    }
}
