//! The solver of data-flow problems.

use super::graph::{END, Graph, START, Step};
use std::collections::BTreeSet;

/// A data-flow problem: a lattice of facts, and the change of a fact by a step.
pub trait Problem {
    type Fact: Clone + PartialEq;
    /// Whether facts follow from later steps.
    const BACKWARD: bool = false;

    /// The fact at the start of the body, or at its end for a backward problem.
    fn first(&self) -> Self::Fact;

    /// The fact at each step that no path has reached yet, if steps count that lead nowhere.
    fn bottom(&self) -> Option<Self::Fact> {
        None
    }

    /// The fact where two paths meet.
    fn join(&self, one: &Self::Fact, other: &Self::Fact) -> Self::Fact;

    /// The fact on the other side of a step.
    fn pass(&self, number: usize, step: &Step<'_>, fact: &Self::Fact) -> Self::Fact;
}

impl Graph<'_> {
    /// The fact before each step, in the direction of the problem; `None` if no path leads there.
    pub fn solve<P: Problem>(&self, problem: &P) -> Vec<Option<P::Fact>> {
        let (next, first) = if P::BACKWARD { (&self.before, END) } else { (&self.after, START) };
        let mut facts: Vec<Option<P::Fact>> = vec![problem.bottom(); self.steps.len()];
        facts[first] = Some(problem.first());
        let mut work: BTreeSet<usize> = (0..facts.len()).filter(|number| facts[*number].is_some()).collect();
        while let Some(number) = if P::BACKWARD { work.pop_last() } else { work.pop_first() } {
            let Some(fact) = &facts[number] else { continue };
            let fact = problem.pass(number, &self.steps[number], fact);
            for &next in &next[number] {
                let joined = match &facts[next] {
                    Some(known) => problem.join(known, &fact),
                    None => fact.clone(),
                };
                if facts[next].as_ref() != Some(&joined) {
                    facts[next] = Some(joined);
                    work.insert(next);
                }
            }
        }
        facts
    }
}
