//! The strategies of loops without a scan state, except for devices. Each is a type with one method, which runs the iterations of this rank.

use super::chunks::on_workers;
use super::collector::{Collector, Traits};
use super::in_order::{
    any_rank, chunk_by_chunk, find_mistake, find_mistake_over_ranks, hand_on, handed_on, is_mistaken, run_in_order,
};
use super::kernel::{Carries, only};
use super::opaque::Opaque;
use super::over_ranks::{IterationOrder, of_last, over_ranks};
use super::overlap::{Completed, Overlap};
use super::panics::Panics;
use super::plan::Plan;
use super::runner::{Body, Runner};
use super::site::Instance;
use super::tree::Tree;
use super::workers::{RunRange, Workers, fold_chunks};
use crate::call::Call;
use crate::comm::Comm;
use crate::slot::Windows;

/// A loop whose arrays are open.
pub(super) struct Loop<'l> {
    pub call: &'l Call,
    pub site: &'static Instance,
    pub plan: &'l Plan,
    pub accumulators: &'l dyn Collector,
    pub traits: Traits,
    pub runner: &'l Runner<'l>,
    /// Runs the body over a range, from and to a chunk and a carry.
    pub run: &'l RunRange<'l>,
    /// The body from known values of the variables, if the loop is speculative.
    pub whole: Option<&'l Body<'l>>,
    pub panics: &'l Panics,
}

/// The result of the iterations.
pub(super) enum Outcome {
    /// Chunks of this rank, which merge with those of the other ranks when the arrays are closed, and its carries.
    Parts(Tree<Opaque>, Carries),
    /// The value after the last iteration of all ranks, and this rank's carries.
    Value(Opaque, Carries),
}

impl Outcome {
    /// The value after the last iteration of all ranks, and this rank's carries.
    #[inline]
    pub fn merged(self, call: &Call, site: &Instance, plan: &Plan, accumulators: &dyn Collector) -> (Opaque, Carries) {
        match self {
            Outcome::Parts(tree, carries) => {
                (accumulators.after(total(call, site, plan, accumulators, tree).as_ref()), carries)
            }
            Outcome::Value(value, carries) => (value, carries),
        }
    }
}

/// The merged result of all ranks, if there is any.
pub(super) fn total(
    call: &Call,
    site: &Instance,
    plan: &Plan,
    accumulators: &dyn Collector,
    tree: Tree<Opaque>,
) -> Option<Opaque> {
    let merge = |earlier, later| accumulators.merge(earlier, later);
    match call.alone() {
        _ if !accumulators.traits().reduces => None,
        true => tree.total(&mut |earlier, later| merge(earlier, later)),
        false => over_ranks(call, plan, site, accumulators, tree, &merge),
    }
}

/// All iterations in order: chunk by chunk, or the body from known values of the variables.
pub(super) struct InOrder;

impl InOrder {
    #[inline(never)] // So that short loops in one piece need few registers and a small stack frame.
    pub fn run(self, of: &Loop<'_>) -> Outcome {
        let Loop { call, plan, accumulators, traits, runner, .. } = *of;
        let Some(whole) = of.whole else {
            let (tree, carry) = chunk_by_chunk(call, plan, accumulators, of.run);
            return Outcome::Parts(tree, only(traits, carry));
        };
        let ordered_ranks = IterationOrder { comm: call.context.comm(), backwards: plan.backwards };
        let (before, carry) = (handed_on(&ordered_ranks, accumulators), accumulators.carry(true));
        let (value, carry) = run_in_order(call, plan, runner, whole, before, carry);
        hand_on(&ordered_ranks, accumulators, &value);
        let last = ordered_ranks.rank() + 1 == ordered_ranks.ranks();
        let value = if call.alone() { value } else { of_last(call, accumulators, last.then_some(value)) };
        Outcome::Value(value, only(traits, carry))
    }
}

/// All iterations as one range, on one rank and one worker. It starts from the values of the sequential loop.
pub(super) struct OnePiece;

impl OnePiece {
    /// The value after the last iteration, and the carry. A single rank has nothing to close and to merge.
    pub fn run(self, of: &Loop<'_>) -> (Opaque, Carries) {
        let Loop { call, site, plan, accumulators, traits, run, .. } = *of;
        if plan.mine.is_empty() {
            return (accumulators.value(), Carries::new());
        }
        let mut carry = accumulators.carry(true);
        let mut fold_all = || match traits.exact {
            // The sequential loop.
            true => {
                let mut chunk = accumulators.chunk_from(&accumulators.value());
                run(plan.mine.clone(), &mut chunk, &mut carry);
                Some(chunk)
            }
            false => {
                let (tree, _) = fold_chunks(plan, plan.chunks(), accumulators, run, &mut carry);
                tree.total(&mut |earlier, later| accumulators.merge(earlier, later))
            }
        };
        // Chunks that start from the user's variables panic at an overflow by themselves.
        let total = if traits.detects_late && !traits.exact {
            let panics = Panics::new();
            let total = panics.guard(plan.mine.start, &mut fold_all);
            if let Some(first) = panics.iteration()
                && site.again
            {
                find_mistake(call, plan, accumulators, Some(first), accumulators.value(), run);
            }
            panics.resume(call);
            total.flatten()
        } else {
            fold_all()
        };
        (accumulators.after(total.as_ref()), only(traits, carry))
    }
}

/// Chunks on all workers.
#[derive(Default)]
pub(super) struct Chunks {
    /// The chunk and the carry of iterations before these.
    pub earlier: Option<(Option<Opaque>, Opaque)>,
}

impl Chunks {
    #[inline(never)]
    pub fn run(self, of: &Loop<'_>) -> Outcome {
        let Loop { call, site, plan, accumulators, traits, run, panics, .. } = *of;
        let workers = Workers::new(call, plan, accumulators, run, false, panics);
        on_workers(call, site, plan, &|worker| workers.work(worker));
        let detects_late = traits.detects_late && site.again;
        if detects_late && any_rank(call, panics.stopped()) {
            find_mistake_over_ranks(call, plan, accumulators, panics, run);
        }
        panics.resume(call);
        let (mut tree, mut carries) = workers.collected();
        if let Some((chunk, carry)) = self.earlier {
            let later = tree.total(&mut |earlier, later| accumulators.merge(earlier, later));
            let all = chunk.into_iter().chain(later).reduce(|earlier, later| accumulators.merge(earlier, later));
            tree = Tree::new();
            if let Some(all) = all {
                tree.push(plan.chunks().start, all, &mut |_, later| later);
            }
            if traits.carries {
                carries.insert(0, carry);
            }
        }
        if !detects_late {
            return Outcome::Parts(tree, carries);
        }
        let total = total(call, site, plan, accumulators, tree);
        if is_mistaken(call, accumulators, total.as_ref()) {
            find_mistake_over_ranks(call, plan, accumulators, &Panics::new(), run);
        }
        Outcome::Value(accumulators.after(total.as_ref()), carries)
    }
}

/// The iterations that have not run while the arrays were opened, in chunks on all workers.
pub(super) struct Overlapped<'o> {
    pub overlap: Overlap<'o>,
    pub windows: &'o Windows,
    pub completed: Completed,
}

impl Overlapped<'_> {
    #[inline(never)]
    pub fn run(self, of: &Loop<'_>) -> Outcome {
        // All messages were short.
        if self.completed.positions.is_empty() {
            return Chunks::default().run(of);
        }
        let (tree, carries) = self.overlap.run_rest(of.plan, self.windows, self.completed);
        of.panics.resume(of.call);
        Outcome::Parts(tree, carries)
    }
}

/// Speculative chunks on all workers. If a piece, or the user's function for their results, panics on any rank, the iterations run in order.
pub(super) struct Speculative;

impl Speculative {
    #[inline(never)]
    pub fn run(self, of: &Loop<'_>) -> Outcome {
        let Loop { call, site, plan, accumulators, run, panics, .. } = *of;
        let workers = Workers::new(call, plan, accumulators, run, true, panics);
        on_workers(call, site, plan, &|worker| workers.work(worker));
        let (stopped, merging) = (workers.panicked(), Panics::new());
        let start = plan.mine.start;
        let merge = |earlier, later| {
            let merged = merging.guard_speculative(start, || accumulators.merge(earlier, later));
            merged.unwrap_or_else(|| accumulators.chunk())
        };
        let collected = merging.guard_speculative(start, || workers.collected());
        let (tree, carries) = collected.unwrap_or_else(|| (Tree::new(), Carries::new()));
        let total = match call.alone() {
            true => tree.total(&mut |earlier, later| merge(earlier, later)),
            false => over_ranks(call, plan, site, accumulators, tree, &merge),
        };
        let value = merging.guard_speculative(start, || accumulators.after(total.as_ref()));
        let again = any_rank(call, stopped || merging.stopped());
        match value.filter(|_| !again) {
            Some(value) => Outcome::Value(value, carries),
            None => InOrder.run(of),
        }
    }
}
