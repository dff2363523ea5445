//! The report of `EXPLAIN` about a loop.

use super::arrivals::arrivals;
use super::loads::loads;
use crate::index::poly::{Poly, position};
use crate::ir::text::shown;
use crate::plan::{Access, Boxes, Class, Described, Plan, SlotKind};
use proc_macro2::TokenStream;

/// The lines of the report: the class of each variable, the footprints, and the ranks that run the loop.
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
    lines.extend(plan.region.iter().flat_map(|region| &region.boxes).map(boxes));
    for (slot, reads) in plan.asking.iter().flat_map(|asking| &asking.reads) {
        let reads: Vec<String> = reads.iter().map(|read| format!("`{read}`")).collect();
        lines.push(format!("gather: `{}`, the requested elements {}", plan.slots[*slot].name, reads.join(", ")));
    }
    for accumulator in &plan.accumulators {
        let Described { name, by, more } = accumulator.class.described(plan.running);
        let from = if accumulator.level > 0 { ", computed from other scan states" } else { "" };
        lines.push(format!("{name}: `{}`{by}{more}{from}", accumulator.place));
    }
    for name in &plan.privates {
        lines.push(format!("scratch: `{name}`, set by each iteration before it is read"));
    }
    if plan.region.is_some() {
        return [lines, of_region(plan)].concat();
    }
    lines.extend(loads(plan));
    lines.extend(waves(plan));
    let halo = halo(plan);
    lines.push(format!("halo: {halo}"));
    lines.extend(moves(plan).into_iter().map(|moves| format!("moves: {moves}")));
    lines.push("serial: yes".to_owned());
    let frames = plan.accumulators.iter().any(|a| matches!(a.class, Class::Frame { .. }));
    let layers = plan.accumulators.iter().any(|a| matches!(a.class, Class::Frame { layers: true, .. }));
    let mut threads = match frames {
        true if layers => "threads: the elements of the arrays are shared among all".to_owned(),
        true => {
            "threads: the iterations of a rank run in order, on one; what other ranks send is merged on all".to_owned()
        }
        false if plan.running && !plan.has_totals() => {
            "threads: no, block after block, each from the scan state that the block before it leaves".to_owned()
        }
        false => "threads: yes, in chunks of iterations that are cut at fixed places".to_owned(),
    };
    if plan.f.ends.is_some() {
        threads += "; a chunk stops at an iteration that ends the loop, and later chunks do not count";
    }
    if plan.levels() > 1 {
        let levels = plan.levels();
        threads +=
            &format!("; {levels} times over their scan states, each computed from those before, and then over all");
    }
    lines.push(threads);
    let mut mpi = vec!["each rank runs the iterations of its share"];
    if !halo.starts_with("none") {
        mpi.push("it fetches its halo before");
    }
    if let Some(asking) = &plan.asking {
        mpi.push("it computes the indices that it gathers, and fetches each element once");
        if asking.captures.is_some() {
            mpi.push("the communication schedule is cached until one of its inputs changes");
        }
    }
    if plan.running && !plan.has_totals() {
        mpi.push("after its last block, it sends the scan state to the next rank, which then begins");
    } else if plan.running {
        mpi.push("the scan state goes from rank to rank in O(log ranks) messages");
    } else {
        let in_shares = |class: &Class| !plan.runs_in_order() && class.counts_in_shares();
        let merges = |class: &Class| !class.is_carried() || matches!(class, Class::State { .. });
        if plan.accumulators.iter().any(|a| merges(&a.class) && !in_shares(&a.class)) {
            mpi.push("the results of all ranks are combined in a tree, and every rank has them");
        }
        if plan.accumulators.iter().any(|a| in_shares(&a.class)) {
            mpi.push("each rank gets from every other one what this one has counted in its share of the bins");
        }
    }
    if frames {
        mpi.push("the arrays of all ranks merge in parts, in rank order");
    }
    if plan.accumulators.iter().any(|a| matches!(a.class, Class::Pushes { .. })) {
        mpi.push("the elements that a rank pushes are its share");
    }
    if plan.scatters() {
        mpi.push(
            "remote writes go to the owners of the elements, without their indices if these are the same as in the last call",
        );
    }
    lines.push(format!("mpi: yes, {}", mpi.join("; ")));
    lines
}

/// How a loop that receives visits blocks again.
fn waves(plan: &Plan) -> Option<String> {
    Some(match arrivals(plan)? {
        Ok(()) => "receives: each message as it arrives, without waves; results are in the order of the waves. In waves with \
                   FORALL_STRATEGY=-arrivals; if a result depends on the grouping of its parts, as a sum of floats does; and, without \
                   FORALL_STRATEGY=arrivals, if results must be put into order, as pushes must"
            .to_owned(),
        Err(reason) => format!(
            "receives: in waves, each over the blocks to which messages have come, until no block has messages; not as they arrive, because {reason}"
        ),
    })
}

/// The accesses of tasks to an object.
fn boxes(boxes: &Boxes) -> String {
    let list = |writes: bool| {
        let mut texts: Vec<String> = Vec::new();
        for (text, _) in boxes.texts.iter().filter(|(_, written)| *written == writes) {
            let text = format!("`{text}`");
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts.join(", ")
    };
    let (written, read) = (list(true), list(false));
    let some = |what: &str, list: &str| (!list.is_empty()).then(|| format!("{what} {list}"));
    let kind = if written.is_empty() && !boxes.modified { "input" } else { "map" };
    let uses = [
        some("writes", &written),
        some("reads", &read),
        boxes.modified.then(|| "ranges that tasks declare as modified".to_owned()),
        boxes.requested.then(|| "ranges that tasks request".to_owned()),
    ];
    let uses: Vec<String> = uses.into_iter().flatten().collect();
    format!("{kind}: `{}`, a box for each task, {}", boxes.object, uses.join(", "))
}

/// How the tasks of a region run.
fn of_region(plan: &Plan) -> Vec<String> {
    let mut mpi = vec![
        "each rank runs the tasks for which it has most of the input",
        "it fetches the elements that they lack before",
        "it then owns the elements that they write",
    ];
    if plan.accumulators.iter().any(|accumulator| !matches!(accumulator.class, Class::Scratch)) {
        mpi[0] = "the ranks run the tasks in their order, each about as many";
        mpi.push("the results of all ranks are combined in a tree, and every rank has them");
    }
    vec![
        "tasks: one for each tile".to_owned(),
        "serial: yes".to_owned(),
        "threads: yes, one task at a time on each".to_owned(),
        format!("mpi: yes, {}", mpi.join("; ")),
    ]
}

/// The elements of each array that ranks exchange, and the reason; the first call adds the number of bytes.
fn moves(plan: &Plan) -> Vec<String> {
    let mut lines = Vec::new();
    let own = own_place(plan);
    for (number, slot) in plan.slots.iter().enumerate() {
        let (name, size) = (&slot.name, slot.element.as_ref().map(size_of).unwrap_or_default());
        if slot.kind == SlotKind::Gather {
            lines.push(format!("`{name}`, the requested elements of other ranks, each of them once{size}"));
            continue;
        }
        let accesses: Vec<&Access> = plan.accesses.iter().filter(|access| access.slot == number).collect();
        let ways: Vec<Way> = accesses.iter().map(|access| way(access, own)).collect();
        if slot.kind == SlotKind::Everywhere {
            lines.push(format!("`{name}`, the changed elements, to every rank{size}"));
        } else if ways.contains(&Way::Whole) {
            lines.push(format!("`{name}`, all of it to every rank{size}"));
        } else if let Some(width) = accesses.iter().find_map(|access| access.halo.as_ref()) {
            lines.push(format!("`{name}`, {} elements on both sides of each share{size}", shown(&width.to_string())));
        } else if ways.contains(&Way::Apart) {
            lines.push(format!("`{name}`, the elements of other shares that a rank's iterations access{size}"));
        } else {
            let distances = ways.iter().filter_map(|way| if let Way::Near(by) = way { Some(*by) } else { None });
            let (before, after) = distances.fold((0, 0), |(before, after), by| (before.min(by), after.max(by)));
            if (before, after) != (0, 0) {
                let count = elements(after - before);
                lines.push(format!("`{name}`, {count} for each rank, from beside its share (halo){size}"));
            }
        }
    }
    for accumulator in &plan.accumulators {
        if let Class::Scatter { element, .. } = &accumulator.class {
            let size = size_of(element);
            lines.push(format!("`{}`, what is written to elements of other ranks, to these{size}", accumulator.place));
        }
    }
    if lines.is_empty() {
        lines.push("no elements, if the slices are cut alike".to_owned());
    }
    lines
}

/// The size of an element, for a line about several of them.
fn size_of(element: &TokenStream) -> String {
    format!("; an element takes size_of::<{}>() bytes", shown(&element.to_string()))
}

/// The index of an access, relative to the iteration's own index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// At this distance, in elements.
    Near(i64),
    /// At another index that the iteration determines.
    Apart,
    /// At any index.
    Whole,
}

fn way(access: &Access, own: Option<&Poly>) -> Way {
    if access.halo.is_some() {
        return Way::Near(0);
    }
    if access.first.value.is_none() {
        return Way::Whole;
    }
    let distance = access.first.poly.as_ref().zip(own).and_then(|(place, own)| place.minus(own)?.as_constant());
    distance.filter(|_| access.single).map_or(Way::Apart, Way::Near)
}

/// The index of the element that an iteration writes, or reads if it writes none: it determines the rank of the
/// iteration. `None` if the elements of an iteration are spread out, so that they may belong to several ranks.
fn own_place(plan: &Plan) -> Option<&Poly> {
    let single = |access: &&Access| access.single;
    let written = plan.accesses.iter().filter(|access| access.writes).find(single);
    let own = written.or_else(|| plan.accesses.iter().find(single))?.first.poly.as_ref()?;
    let inner = own.any_symbol(|symbol| symbol.starts_with('#') && symbol != position());
    let next = own.coefficient_of_position()?.as_constant();
    // The range of the next iteration begins before the range of this one ends.
    (!inner || next.is_none_or(|next| next.abs() > 1)).then_some(own)
}

fn elements(n: i64) -> String {
    format!("{n} element{}", if n == 1 { "" } else { "s" })
}

/// The distance by which reads exceed the elements that the iteration writes.
fn halo(plan: &Plan) -> String {
    let reads: Vec<&Access> = plan.accesses.iter().filter(|a| !a.writes).collect();
    if reads.is_empty() {
        return "none, no slice is read".to_owned();
    }
    let Some(own) = own_place(plan) else {
        return "from the footprints, at each call".to_owned();
    };
    let (mut before, mut after) = (0, 0);
    for read in reads {
        let distance = read.first.poly.as_ref().and_then(|p| p.minus(own)).and_then(|d| d.as_constant());
        match distance.filter(|_| read.single) {
            Some(distance) => (before, after) = (before.min(distance), after.max(distance)),
            None => return "from the footprints, at each call".to_owned(),
        }
    }
    match (before, after) {
        (0, 0) => "none, if the slices are cut alike".to_owned(),
        (b, 0) => format!("{} before the iteration's own", elements(-b)),
        (0, a) => format!("{} after the iteration's own", elements(a)),
        (b, a) => format!("{} before and {} after the iteration's own", elements(-b), elements(a)),
    }
}
