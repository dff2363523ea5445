//! Checks that the attribute fits the loops: it names the class of one of them, and its arguments have an effect.

use crate::classify::header;
use crate::front::attribute::Attribute;
use crate::front::function::Function;
use crate::front::parameters::{Marker, Share, WRITTEN_IS_DISTRIBUTED, copies_are_written};
use crate::ir::Id;
use crate::ir::report::{Code, Location, Report};
use crate::ir::text::shown;
use crate::maps::HashMap;
use crate::plan::{Access, Class, Merge, Plan, SlotKind, StateMerge};

/// Checks that the attribute names the class of at least one loop.
pub fn refuse_other_class(function: &Function, loops: &HashMap<Id, Plan>, report: &mut Report) {
    let any = |test: &dyn Fn(&Plan) -> bool| loops.values().any(test);
    let writes = any(&|l| l.writes() || l.scatters());
    // Maps whose entries the loop adds up, and the like. The loop would be refused if it did more.
    let entries = |class: &Class| matches!(class, Class::State(StateMerge::Keyed(_)));
    let by_entries = function.attribute == Attribute::KaryReduce;
    let reduces = any(&|l| l.accumulators.iter().any(|a| a.class.is_reduction() || by_entries && entries(&a.class)));
    let pushes = any(&|l| {
        l.accumulators.iter().any(|a| matches!(a.class, Class::Pushes { .. } | Class::State(_) | Class::Scratch))
    });
    let running = any(&|l| l.running);
    let instead = if running {
        "distributed_scan"
    } else if pushes {
        "foreach_tls"
    } else if reduces {
        "kary_reduce"
    } else {
        "foreach"
    };
    let fits = match function.attribute {
        Attribute::Foreach => writes || instead == "foreach",
        Attribute::ForeachTls => pushes,
        // The counters of its loops were scans, until they were computed.
        Attribute::DistributedScan => running || function.code.has_counters,
        Attribute::KaryReduce => reduces,
        // Functions under these attributes have no parallel loops.
        Attribute::DistributedSort | Attribute::Traverse => true,
    };
    if !fits && !loops.is_empty() {
        let first = loops.iter().min_by_key(|(id, _)| **id);
        let place = first.map_or_else(|| Location::from(function.signature.ident.span()), |(_, l)| header(&l.f));
        // An earlier iteration may have written the element or not: `x[i] += x[i - k]`.
        let unknown = loops.values().find_map(|plan| {
            let write = plan.accesses.iter().find(|a| a.writes && !plan.ordered)?;
            let read = plan.accesses.iter().find(|a| !a.writes && a.slot == write.slot && a.text != write.text)?;
            Some((&write.text, &read.text))
        });
        if let (Attribute::DistributedScan, Some((write, read))) = (function.attribute, unknown) {
            report.error(
                Code::FA030,
                place,
                format!(
                    "`#[distributed_scan]`, but whether `{read}` is what an earlier iteration has written as `{write}`, and how many \
                     iterations before, is known only when the loop runs"
                ),
                "",
            );
            return;
        }
        let what = match function.attribute {
            Attribute::ForeachTls => "pushes nothing and has no state or scratch buffer of its own",
            Attribute::Foreach => "leaves nothing but what it accumulates",
            Attribute::DistributedScan => "has no scan state that an iteration reads",
            _ => "accumulates nothing",
        };
        report.error(Code::FA030, place, format!("`#[{}]`, but the loop {what}", function.attribute.name()), "");
    }
}

/// Checks that a loop uses the function of `combine = path` to combine values.
pub fn refuse_unused_combine(function: &Function, loops: &HashMap<Id, Plan>, report: &mut Report) {
    let Some(path) = &function.args.combine else { return };
    let by_path = |l: &Plan| l.accumulators.iter().any(|a| a.class.merges_by(path));
    if !loops.values().any(by_path) {
        let (path_tokens, path) = (path, shown(&path.to_string()));
        report.error(
            Code::FA002,
            path_tokens,
            format!("`combine = {path}`, but no loop combines values by `{path}`"),
            format!("write `acc = {path}(acc, e)` in the loop, or remove the argument"),
        );
    }
}

/// Warns of `#[scatter]` if no loop writes at indices that depend on data.
fn idle_scatter(share: &Share, loops: &HashMap<Id, Plan>, report: &mut Report) {
    let scattered = |plan: &Plan| {
        let mut accumulators = plan.accumulators.iter().filter(|a| matches!(a.class, Class::Scatter { .. }));
        accumulators.any(|accumulator| accumulator.place == share.name)
    };
    if !loops.values().any(scattered) {
        let name = &share.name;
        report.warning(
            Code::FA051,
            share.span,
            format!(
                "`#[scatter]` has no effect: no loop writes elements of `{name}` at places that only the data know"
            ),
            "remove the marker: what the iteration writes at places of its own goes there without it",
        );
    }
}

/// Warns of `#[gather]` and `#[halo(..)]` if all reads have indices that move with the iteration by a fixed step.
pub fn idle_markers(function: &Function, loops: &HashMap<Id, Plan>, report: &mut Report) {
    for share in &function.shares {
        let marker = match &share.marker {
            Some(Marker::Gather) => "#[gather]".to_owned(),
            Some(Marker::Halo(width)) => format!("#[halo({})]", shown(&width.to_string())),
            Some(Marker::Scatter) => {
                idle_scatter(share, loops, report);
                continue;
            }
            None => continue,
        };
        let needed = |plan: &Plan| {
            let slots = plan.slots.iter().enumerate().filter(|(_, slot)| slot.name == share.name);
            let mut slots = slots.map(|(number, slot)| (number, slot.kind == SlotKind::Gather));
            slots.any(|(number, gathered)| {
                let marked = |a: &Access| {
                    a.slot == number && (a.halo.is_some() || a.first.value.is_none() || a.end.value.is_none())
                };
                gathered || plan.accesses.iter().any(marked)
            })
        };
        if !loops.values().any(needed) {
            let name = &share.name;
            report.warning(
                Code::FA051,
                share.span,
                format!(
                    "`{marker}` has no effect: no loop reads elements of `{name}` at places that only the data know"
                ),
                "remove the marker: what the footprint describes is fetched without it",
            );
        }
    }
}

/// Rejects setting elements of a slice that every rank holds as a whole. Iterations may only fold into it.
pub fn refuse_written_copies(function: &Function, loops: &HashMap<Id, Plan>, report: &mut Report) {
    for (name, declared) in &function.declared {
        let Some(place) = declared.everywhere else { continue };
        let set = |plan: &Plan| plan.slots.iter().any(|s| s.kind == SlotKind::Everywhere && s.name == *name);
        if loops.values().any(set) {
            report.error(Code::FA051, place, copies_are_written(*name), WRITTEN_IS_DISTRIBUTED);
        }
    }
}

/// Requires `identity = ..` for arrays that several ranks fold into: each rank starts its array from the identity
/// element.
pub fn refuse_missing_identity(function: &Function, loops: &HashMap<Id, Plan>, report: &mut Report) {
    if function.args.identity.is_some() {
        return;
    }
    for accumulator in loops.values().flat_map(|plan| &plan.accumulators) {
        if let Class::Frame { merge: merge @ Merge::Combine(_), .. } = &accumulator.class {
            let (name, by) = (&accumulator.place, merge.text());
            report.error(
                Code::FA002,
                Location::from(accumulator.at),
                format!("elements of `{name}` are combined by `{by}`, and it is not known what each rank starts from"),
                format!("name the element that changes no other: `#[kary_reduce(combine = {by}, identity = PATH)]`"),
            );
        }
    }
}

/// Rejects arguments for merging arrays of ranks if no loop merges such arrays.
pub fn refuse_idle_merging(function: &Function, loops: &HashMap<Id, Plan>, report: &mut Report) {
    let frame = |plan: &Plan| plan.accumulators.iter().any(|a| matches!(a.class, Class::Frame { .. }));
    let (args, merging) = (&function.args, &function.args.merging);
    for (given, name) in [
        (merging.algorithm.is_some(), "algorithm"),
        (merging.root.is_some(), "root"),
        (merging.order.is_some(), "order"),
        (args.identity.is_some(), "identity"),
    ] {
        if given && !loops.values().any(frame) {
            report.error(
                Code::FA002,
                function.signature.ident.span(),
                format!("`{name}` has no effect: no loop folds into an array that every rank has"),
                "remove the argument; or fold into a slice marked `#[replicated]`, or an array of the function, element by element",
            );
        }
    }
}

/// Rejects `merge_all` if no loop has states to merge.
pub fn refuse_idle_merge_all(function: &Function, loops: &HashMap<Id, Plan>, report: &mut Report) {
    let Some(path) = &function.args.merge_all else { return };
    let state = |plan: &Plan| plan.accumulators.iter().any(|a| matches!(a.class, Class::State(_)));
    if !loops.values().any(state) {
        report.error(
            Code::FA002,
            path,
            "`merge_all` has no effect: no loop fills a state",
            "remove the argument, because pushes to a `Vec` merge without it; or fill a state that the function returns",
        );
    }
}
