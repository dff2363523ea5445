//! What `EXPLAIN` tells of a loop.

use crate::index::Known;
use crate::ir::text::shown;
use crate::plan::{Access, Class, Described, Plan};

/// What `explain` tells: the class of each variable, the footprints, and who runs the loop.
pub fn explain(plan: &Plan) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, slot) in plan.slots.iter().enumerate() {
        let list = |writes: bool| {
            let mut texts: Vec<String> = Vec::new();
            for access in plan.accesses.iter().filter(|a| a.slot == number && a.writes == writes) {
                let text = match &access.halo {
                    Some(width) => format!("`{}` (within `#[halo({})]`)", access.text, shown(&width.to_string())),
                    None if access.first.value.is_none() => {
                        format!(
                            "`{}` (`#[gather]`: all of it, for its place depends on what iterations find)",
                            access.text
                        )
                    }
                    None => format!("`{}`", access.text),
                };
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
            texts.join(", ")
        };
        let (written, read) = (list(true), list(false));
        match (written.is_empty(), read.is_empty()) {
            (false, true) => lines.push(format!("map: `{}`, writes {written}", slot.name)),
            (false, false) => lines.push(format!("map: `{}`, writes {written}, reads {read}", slot.name)),
            (true, false) => lines.push(format!("input: `{}`, reads {read}", slot.name)),
            (true, true) => {}
        }
    }
    for (slot, reads) in plan.asking.iter().flat_map(|asking| &asking.reads) {
        let reads: Vec<String> = reads.iter().map(|read| format!("`{read}`")).collect();
        lines.push(format!("gather: `{}`, the elements that {} ask for", plan.slots[*slot].name, reads.join(", ")));
    }
    for accumulator in &plan.accumulators {
        let Described { name, by, more } = accumulator.class.described(plan.running);
        let from = if accumulator.level > 0 { ", computed from other running values" } else { "" };
        lines.push(format!("{name}: `{}`{by}{more}{from}", accumulator.text));
    }
    for name in &plan.privates {
        lines.push(format!("scratch: `{name}`, set by each iteration before it is read"));
    }
    let halo = halo(plan);
    lines.push(format!("halo: {halo}"));
    lines.push("serial: yes".to_owned());
    let frames = plan.accumulators.iter().any(|a| matches!(a.class, Class::Frame { .. }));
    let mut threads = match frames {
        true => {
            "threads: the iterations of a rank run in order, on one; what other ranks send is merged on all".to_owned()
        }
        false => "threads: yes, in chunks of iterations that are cut at fixed places".to_owned(),
    };
    if plan.levels() > 1 {
        let levels = plan.levels();
        threads +=
            &format!("; {levels} times over their running values, each computed from those before, and then over all");
    }
    lines.push(threads);
    let mut mpi = vec!["each rank runs the iterations of its share"];
    if !halo.starts_with("none") {
        mpi.push("it fetches its halo before");
    }
    if let Some(asking) = &plan.asking {
        mpi.push("it finds out which elements it gathers and fetches each of them once");
        if asking.captures.is_some() {
            mpi.push("what it found out holds for later calls, until something changes that it hangs on");
        }
    }
    if plan.running {
        mpi.push("the running value goes from rank to rank in O(log ranks) messages");
    } else if plan.accumulators.iter().any(|a| !a.class.is_carried() || matches!(a.class, Class::State { .. })) {
        mpi.push("the results of all ranks are put together in a tree, and every rank has them");
    }
    if frames {
        mpi.push("the arrays of all ranks merge in parts, in rank order");
    }
    if plan.accumulators.iter().any(|a| matches!(a.class, Class::Pushes { .. })) {
        mpi.push("what a rank pushes stays in its share");
    }
    if plan.scatters() {
        mpi.push(
            "what its iterations write elsewhere goes to the owners of the elements, without the places where these are those of \
             the last time",
        );
    }
    lines.push(format!("mpi: yes, {}", mpi.join("; ")));
    lines
}

/// How far reads go beyond what the iteration writes.
fn halo(plan: &Plan) -> String {
    let reads: Vec<&Access> = plan.accesses.iter().filter(|a| !a.writes).collect();
    if reads.is_empty() {
        return "none, no slice is read".to_owned();
    }
    let at_calls = || "from the footprints, at each call".to_owned();
    let own = plan.accesses.iter().find(|a| a.writes && a.single).or_else(|| reads.iter().find(|a| a.single).copied());
    let Some(Known { poly: Some(own), .. }) = own.map(|a| &a.first) else { return at_calls() };
    let (mut before, mut after) = (0, 0);
    for read in reads {
        let distance = read.first.poly.as_ref().and_then(|p| p.minus(own)).and_then(|d| d.as_constant());
        match distance.filter(|_| read.single) {
            Some(distance) => (before, after) = (before.min(distance), after.max(distance)),
            None => return at_calls(),
        }
    }
    let elements = |n: i64| format!("{n} element{}", if n == 1 { "" } else { "s" });
    match (before, after) {
        (0, 0) => "none, where the slices are cut alike".to_owned(),
        (b, 0) => format!("{} before the iteration's own", elements(-b)),
        (0, a) => format!("{} after the iteration's own", elements(a)),
        (b, a) => format!("{} before and {} after the iteration's own", elements(-b), elements(a)),
    }
}
