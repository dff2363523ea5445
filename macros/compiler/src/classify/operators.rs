//! The functions that update variables. The expansion merges partial results by these functions outside of the loop, so
//! their names must have the same meaning there.

use crate::analysis::inside;
use crate::ir::report::{Code, Report};
use crate::ir::{Expr, Id, Kind};
use crate::maps::HashSet;
use crate::plan::Plan;

/// Rejects updates by a function whose name the loop rebinds.
pub fn other_operators(plan: &Plan, report: &mut Report) {
    let updates = plan.accumulators.iter().flat_map(|of| of.nodes.iter().chain(of.rewrites.keys()));
    let updates: HashSet<Id> = updates.copied().collect();
    let mut called: Vec<&Expr> = Vec::new();
    for e in plan.f.body.nodes() {
        if updates.contains(&e.id) {
            for of in e.nodes().filter_map(updater) {
                if called.iter().all(|other| other.id != of.id) {
                    called.push(of);
                }
            }
        }
    }
    if called.is_empty() {
        return;
    }
    let declared = inside::declared(&plan.f);
    for of in called {
        let Some(name) = inside::first_name(&of.tokens).filter(|name| declared.contains(name)) else { continue };
        report.error(
            Code::FA022,
            of,
            format!("`{name}` means something of its own inside this loop, and the results of iterations are merged beside it"),
            "declare or import it above the loop, or give one of them another name",
        );
    }
}

/// The called function of `place = function(place, value)`.
fn updater(e: &Expr) -> Option<&Expr> {
    let Kind::Assign(place, None, value) = &e.kind else { return None };
    let Kind::Call(called, arguments) = &value.bare().kind else { return None };
    arguments.iter().any(|argument| argument.is_written_as(place)).then_some(called)
}
