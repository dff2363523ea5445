//! Iterations that may run on other ranks: [`Moves`].
//!
//! The results are those of iterations that stay. Each iteration is a chunk. A rank sends the results of another rank's iterations to that
//! rank, which merges them in the order of the iterations. If results merge in any order, they stay where the iterations ran.

use super::collector::{Collector, Traits};
use super::kernel::{Carries, Moves};
use super::opaque::Opaque;
use super::strategies::{Loop, Outcome};
use super::tree::Tree;
use super::workers::{RunRange, first_or_fresh};
use crate::comm::collective;
use crate::lock::lock;
use crate::runtime::{current, enter_loop};
use std::sync::{Mutex, PoisonError};

/// The results of consecutive iterations of one rank.
struct Run {
    home: usize,
    first: usize,
    /// The next iteration.
    next: usize,
    tree: Tree<Opaque>,
    /// If the operator is exact: the chunk of all these iterations.
    chunk: Option<Opaque>,
    carry: Option<Opaque>,
}

/// The state of a worker.
#[derive(Default)]
struct State {
    /// The merged result of all iterations, if any order gives the same bits.
    chunk: Option<Opaque>,
    runs: Vec<Run>,
}

/// Whether results merge in any order.
fn is_loose(traits: Traits) -> bool {
    traits.exact && traits.commutes && !traits.detects_late
}

/// All iterations, on all workers and ranks.
pub(super) struct Moving<'a> {
    pub moves: &'a dyn Moves,
    /// Runs the body over positions of other ranks.
    pub elsewhere: &'a RunRange<'a>,
}

impl Moving<'_> {
    #[inline(never)]
    pub fn run(self, of: &Loop<'_>) -> Outcome {
        let states: Vec<Mutex<State>> = (0..of.plan.workers.max(1)).map(|_| Mutex::default()).collect();
        self.work(of, &states);
        of.panics.resume(of.call);
        let (accumulators, traits) = (of.accumulators, of.traits);
        let merge = |earlier, later| accumulators.merge(earlier, later);
        let (mut runs, mut loose) = (Vec::new(), None);
        for state in states {
            let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
            loose = [loose, state.chunk].into_iter().flatten().reduce(merge);
            runs.extend(state.runs);
        }
        for run in &mut runs {
            let _ = run.end(accumulators);
        }
        if traits.carries || traits.reduces && !is_loose(traits) {
            runs = at_home(of, runs);
        }
        runs.sort_unstable_by_key(|run| run.first);
        let (mut tree, mut carries) = (Tree::new(), Carries::new());
        if let Some(loose) = loose {
            tree.push(of.plan.chunks().start, loose, &mut |_, later| later);
        }
        for run in runs {
            tree.append(run.tree, &mut |earlier, later| accumulators.merge(earlier, later));
            carries.extend(run.carry);
        }
        Outcome::Parts(tree, carries)
    }

    /// Runs the workers. The calling thread also moves iterations between ranks.
    fn work(&self, of: &Loop<'_>, states: &[Mutex<State>]) {
        let Loop { call, plan, accumulators, traits, run, panics, .. } = *of;
        let (moves, elsewhere, rank) = (self.moves, self.elsewhere, call.context.this_rank());
        let caller = std::thread::current().id();
        call.context.node().run(states.len(), &|worker| {
            let context = if std::thread::current().id() == caller { current() } else { None };
            let _inside = enter_loop(rank);
            let mut state = lock(&states[worker]);
            let each = &mut |position: usize| {
                let home = moves.home(position);
                let body = if home == rank.rank { run } else { elsewhere };
                let one = || {
                    state.one(
                        position,
                        home,
                        accumulators,
                        traits,
                        || first_or_fresh(plan, position, accumulators),
                        body,
                    )
                };
                !panics.stopped() && panics.guard(position, one).is_some()
            };
            moves.run(context.as_ref().map(|context| context.comm()), each);
        });
    }
}

impl State {
    /// Runs one iteration.
    fn one(
        &mut self,
        position: usize,
        home: usize,
        accumulators: &dyn Collector,
        traits: Traits,
        fresh: impl Fn() -> Opaque,
        body: &RunRange<'_>,
    ) {
        let follows = |run: &&mut Run| run.next == position && run.home == home;
        let (mut carry, mut chunk) = match self.runs.last_mut().filter(follows) {
            Some(run) => (run.carry.take(), run.chunk.take()),
            None => {
                let carry = self.runs.last_mut().and_then(|run| run.end(accumulators));
                let tree = Tree::new();
                self.runs.push(Run { home, first: position, next: position, tree, chunk: None, carry: None });
                (carry, None)
            }
        };
        let loose = is_loose(traits);
        if loose {
            chunk = self.chunk.take();
        }
        let mut chunk = chunk.unwrap_or_else(fresh);
        let mut of_run = carry.take().unwrap_or_else(|| accumulators.carry(false));
        body(position..position + 1, &mut chunk, &mut of_run);
        let Some(run) = self.runs.last_mut() else { return };
        (run.next, run.carry) = (position + 1, Some(of_run));
        match (loose, traits.exact) {
            _ if !traits.reduces => {}
            (true, _) => self.chunk = Some(chunk),
            (false, true) => run.chunk = Some(chunk),
            (false, false) => run.tree.push(position, chunk, &mut |earlier, later| accumulators.merge(earlier, later)),
        }
    }
}

impl Run {
    /// Ends the run. Returns its carry if there is nothing in it.
    fn end(&mut self, accumulators: &dyn Collector) -> Option<Opaque> {
        if let Some(chunk) = self.chunk.take() {
            self.tree.push(self.first, chunk, &mut |_, later| later);
        }
        let mut carry = self.carry.take()?;
        if accumulators.is_untouched(&mut carry) {
            return Some(carry);
        }
        self.carry = Some(carry);
        None
    }

    fn encode(self, accumulators: &dyn Collector, to: &mut Vec<u8>) {
        to.extend_from_slice(&(self.first as u64).to_le_bytes());
        self.tree.encode(to, |chunk, to| accumulators.encode(chunk, to));
        to.push(u8::from(self.carry.is_some()));
        if let Some(carry) = self.carry {
            accumulators.encode_carry(carry, to);
        }
    }

    fn decode(accumulators: &dyn Collector, home: usize, from: &mut &[u8]) -> Option<Run> {
        let first = u64::from_le_bytes(*from.split_first_chunk().map(|(head, rest)| {
            *from = rest;
            head
        })?) as usize;
        let tree = Tree::decode(from, |from| accumulators.decode(from));
        let carry = (from.split_off_first() == Some(&1)).then(|| accumulators.decode_carry(from));
        Some(Run { home, first, next: first, tree, chunk: None, carry })
    }
}

/// Sends the results to the ranks of the iterations. Returns those of this rank's iterations.
fn at_home(of: &Loop<'_>, runs: Vec<Run>) -> Vec<Run> {
    let Loop { call, accumulators, .. } = *of;
    let (rank, comm) = (call.context.rank(), call.context.comm());
    let (mut own, others): (Vec<Run>, Vec<Run>) = runs.into_iter().partition(|run| run.home == rank);
    let mut parts = vec![Vec::new(); comm.ranks()];
    for run in others {
        let home = run.home;
        run.encode(accumulators, &mut parts[home]);
    }
    for received in collective::all_to_all(comm, &parts) {
        let mut rest = &received[..];
        own.extend(std::iter::from_fn(|| Run::decode(accumulators, rank, &mut rest)));
    }
    own
}
