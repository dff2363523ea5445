//! The loop-carried variables that are computed from each other.

use super::tracked::Tracked;
use crate::flow::{Definitions, Relation, all_variables};
use crate::ir::place::Place;
use crate::ir::{Block, Kind, Local};

/// Which variables the assignments of each variable depend on, by their numbers.
pub struct Dependences {
    follows: Relation<usize>,
    /// The same in both directions.
    together: Relation<usize>,
    /// Whether a condition around an assignment depends on the assigned variable.
    decides_itself: Vec<bool>,
}

impl Dependences {
    pub fn of(places: &[Place], body: &Block) -> Dependences {
        let definitions = Definitions::of(body);
        let assignments: Vec<_> = definitions.assignments().collect();
        let mut found = Dependences {
            follows: Relation::new(),
            together: Relation::new(),
            decides_itself: vec![false; places.len()],
        };
        for (number, place) in places.iter().enumerate() {
            found.add(number, number);
            let tracked = Tracked::of(std::slice::from_ref(place), &definitions);
            for (assign, conditions) in &assignments {
                let Kind::Assign(target, _, value) = &assign.kind else { continue };
                let decides = conditions.iter().any(|condition| tracked.occurs_in(condition));
                for target in target.places() {
                    let Some(assigned) = places.iter().position(|place| target.is(place)) else { continue };
                    if decides || tracked.occurs_in(value) {
                        found.add(number, assigned);
                    }
                    found.decides_itself[number] |= decides && assigned == number;
                }
            }
        }
        found
    }

    fn add(&mut self, from: usize, to: usize) {
        self.follows.follows(from, to);
        self.together.follows(from, to);
        self.together.follows(to, from);
    }

    /// The variables that depend on each other, in either direction, over any number of steps.
    pub fn connected(&self) -> Vec<Vec<usize>> {
        self.together.cycles()
    }

    /// The variables that depend on each other in both directions.
    pub fn cycles(&self, among: &[usize]) -> Vec<Vec<usize>> {
        let cycles = self.follows.cycles();
        cycles.into_iter().filter(|cycle| cycle.iter().any(|place| among.contains(place))).collect()
    }

    /// Whether a variable decides whether it is assigned.
    pub fn decides_itself(&self, place: usize) -> bool {
        self.decides_itself[place]
    }
}

/// Whether a variable of the body depends on these places as they were before the iteration: through its values, the conditions around its
/// assignments, or an early end of the iteration.
pub fn depends(name: Local, on: &[Place], body: &Block) -> bool {
    Definitions::of(body).dependent_on(on.iter().map(|place| place.root), &all_variables).contains(&name)
}
