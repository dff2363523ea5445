//! Facts that follow from each other.

use crate::maps::{Fast, HashSet, New as _};
use petgraph::Directed;
use petgraph::algo::{astar, tarjan_scc};
use petgraph::graphmap::{GraphMap, NodeTrait};
use petgraph::visit::{Dfs, Reversed};
use std::hash::BuildHasherDefault;

/// A directed graph of facts: an edge leads from a fact to one that follows from it.
pub struct Relation<N>(GraphMap<N, (), Directed, BuildHasherDefault<Fast>>);

impl<N: NodeTrait> Relation<N> {
    pub fn new() -> Self {
        Relation(GraphMap::default())
    }

    /// Adds an edge.
    pub fn follows(&mut self, from: N, to: N) {
        self.0.add_edge(from, to, ());
    }

    /// These facts and all that follow from them, over any number of steps.
    pub fn from(&self, facts: impl IntoIterator<Item = N>) -> HashSet<N> {
        let mut search = Dfs::from_parts(facts.into_iter().collect(), HashSet::new());
        while search.next(&self.0).is_some() {}
        search.discovered
    }

    /// These facts and all from which they follow, over any number of steps.
    pub fn to(&self, facts: impl IntoIterator<Item = N>) -> HashSet<N> {
        let mut search = Dfs::from_parts(facts.into_iter().collect(), HashSet::new());
        while search.next(Reversed(&self.0)).is_some() {}
        search.discovered
    }

    /// The facts in groups: two facts are in one group if each follows from the other. Groups and their facts are in order.
    pub fn cycles(&self) -> Vec<Vec<N>> {
        let mut groups = tarjan_scc(&self.0);
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort_unstable();
        groups
    }

    /// A shortest way from a fact to one for which `ends` holds.
    pub fn way(&self, from: N, ends: impl Fn(N) -> bool) -> Option<Vec<N>> {
        self.0.contains_node(from).then_some(())?;
        Some(astar(&self.0, from, ends, |_| 1, |_| 0)?.1)
    }
}
