//! Finds the loops of a function, plans them, and rejects mistakes around them.

pub mod arrays;
pub mod attribute;
pub mod blocks;
pub mod levels;
pub mod loops;
pub mod outside;
pub mod sorts;
pub mod traversals;

use crate::analysis::{in_body, obligations};
use crate::check::loops::Planned;
use crate::front::function::Function;
use crate::ir::report::Report;

/// The parallel loops of a function. Reports all mistakes.
pub fn check(function: &Function, report: &mut Report) -> Planned {
    arrays::refuse_methods(function, report);
    let mut planned = loops::planned(function, report);
    if report.is_empty() {
        planned.obligations = obligations::of_function(function);
        planned.obligations.extend(outside::swaps(function));
        for plan in planned.loops.values_mut() {
            planned.obligations.append(&mut plan.obligations);
            (plan.obligations, plan.in_body) = in_body::of_loop(function, plan);
        }
        let is_planned = |id| planned.loops.contains_key(&id);
        arrays::refuse_parts_outside(function, is_planned, report);
        blocks::refuse_other_uses(function, is_planned, report);
        blocks::refuse_other_receiving(planned.loops.values(), report);
        outside::refuse_writes(function, is_planned, report);
        outside::refuse_questions(function, is_planned, report);
        attribute::refuse_other_class(function, &planned.loops, report);
        attribute::refuse_unused_combine(function, &planned.loops, report);
        attribute::idle_markers(function, &planned.loops, report);
        attribute::refuse_written_copies(function, &planned.loops, report);
        attribute::refuse_missing_identity(function, &planned.loops, report);
        attribute::refuse_idle_merging(function, &planned.loops, report);
        attribute::refuse_idle_merge_all(function, &planned.loops, report);
    }
    planned
}

#[cfg(test)]
mod tests;
