//! The unions of the boxes of tasks.

use super::access::{Access, Use};
use super::area::Area;
use super::map::Areas;
use std::rc::Rc;

/// The unions of the boxes of a region's tasks. Calls of the region with the same boxes share them.
#[derive(Debug)]
pub(super) struct Unions {
    /// The use of each object, and the boxes of its tasks.
    of: Vec<(Use, Vec<Area>)>,
    /// For each object, the boxes of all tasks.
    pub all: Vec<Areas>,
    /// The ranks of the tasks.
    placed: Vec<usize>,
    /// For each object and each rank, the boxes of the rank's tasks.
    pub of_ranks: Vec<Vec<Areas>>,
}

impl Unions {
    /// The unions for tasks that have no ranks yet.
    pub fn new(accesses: &[Box<dyn Access + '_>]) -> Rc<Unions> {
        let of: Vec<_> = accesses.iter().map(|access| (access.used(), access.areas().to_vec())).collect();
        let all = of.iter().map(|(_, areas)| Areas::of(areas.iter().copied())).collect();
        Rc::new(Unions { of, all, placed: Vec::new(), of_ranks: Vec::new() })
    }

    /// Whether these are the unions of the boxes of this region. Then no two of its tasks write the same element, as in the earlier call.
    pub fn are_of(&self, accesses: &[Box<dyn Access + '_>]) -> bool {
        let mut pairs = self.of.iter().zip(accesses);
        self.of.len() == accesses.len()
            && pairs.all(|((used, areas), access)| *used == access.used() && *areas == access.areas())
    }

    /// The same for tasks on these ranks.
    pub fn placed(self: Rc<Self>, placed: &[usize], ranks: usize) -> Rc<Unions> {
        if self.placed == placed && self.of_ranks.iter().all(|of| of.len() == ranks) && !self.of_ranks.is_empty() {
            return self;
        }
        let on_ranks = |areas: &Vec<Area>| {
            let mut of = vec![Areas::default(); ranks];
            areas.iter().zip(placed).for_each(|(area, rank)| of[*rank].add(*area));
            of
        };
        let of_ranks = self.of.iter().map(|(_, areas)| on_ranks(areas)).collect();
        Rc::new(Unions { of: self.of.clone(), all: self.all.clone(), placed: placed.to_vec(), of_ranks })
    }
}
