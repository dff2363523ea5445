//! Arrays whose elements each iteration sets before it reads any. The values from before the loop do not matter, so `core` may write past the caches.
//!
//! Loops that only copy are left out: the processor copies memory faster than through a buffer. So are scans: while the totals of a chunk are
//! computed, the processor writes the chunk before it back from the caches.

use super::context::Classifier;
use crate::analysis::walk::{Event, What};
use crate::flow::Graph;
use crate::flow::fresh::{Part, sets_parts};
use crate::front::items::Items;
use crate::index::poly::Poly;
use crate::ir::{Block, Child, Expr, For, Id, Kind, Local, Statement};
use crate::maps::{HashSet, New as _};
use crate::plan::{Plan, SlotKind};
use std::collections::BTreeMap;

impl Classifier<'_> {
    /// Notes for each array how many elements an iteration sets.
    pub(super) fn sets(&self, by_name: &BTreeMap<Local, Vec<&Event>>, plan: &mut Plan) {
        let f = plan.f.clone();
        if plan.running || plan.region.is_some() || f.ends.is_some() || !plan.source.blocks().is_empty() {
            return;
        }
        if !computes_in(&f.body) && !f.body.nodes().any(|e| fills(e, plan)) {
            return;
        }
        let graph = Graph::of_iteration(&f);
        let item = only_item(&f, by_name.values().flatten().copied());
        for slot in plan.slots.iter_mut().filter(|slot| slot.kind == SlotKind::Write) {
            let events = by_name.get(&slot.name).map_or(&[][..], Vec::as_slice);
            slot.sets = sets(&graph, &f, slot.name, item, events).unwrap_or(0);
        }
    }
}

/// The variable for the elements of the only array whose elements the header gives for writing.
fn only_item<'e>(f: &For, events: impl Iterator<Item = &'e Event>) -> Option<Local> {
    let mut items = HashSet::new();
    Items::of(&f.source).writable_names(&f.pattern, &mut items);
    // Of two arrays, the pattern may leave the items of one out: `(o, _)`.
    let arrays = events.filter(|event| is_header(f, event)).count();
    if arrays == 1 && items.len() == 1 { items.into_iter().next() } else { None }
}

/// Whether an array's elements are items of the loop that it may write.
fn is_header(f: &For, event: &Event) -> bool {
    event.id == f.source.id && matches!(event.what, What::Elements { writes: true, .. })
}

/// The number of elements of an array that each iteration sets before it reads any, if it does.
fn sets(graph: &Graph<'_>, f: &For, array: Local, item: Option<Local>, events: &[&Event]) -> Option<usize> {
    let accesses: Vec<&Event> = events.iter().copied().filter(|event| !matches!(event.what, What::Len)).collect();
    if let [header] = accesses.as_slice()
        && is_header(f, header)
    {
        let single = matches!(header.what, What::Elements { single: true, .. });
        return (single && sets_parts(graph, item?, &[Part::Target])).then_some(1);
    }
    let mut places: Vec<(&Poly, HashSet<Id>)> = Vec::new();
    for event in accesses {
        let What::Elements { first, single: true, .. } = &event.what else { return None };
        let place = first.poly.as_ref()?;
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, ids)) => _ = ids.insert(event.id),
            None => places.push((place, HashSet::from_iter([event.id]))),
        }
    }
    // Different constants apart: other places may be the same one in a call, which then keeps another element.
    let (one, others) = places.split_first()?;
    if !others.iter().all(|(other, _)| other.minus(one.0).is_some_and(|apart| apart.as_constant().is_some())) {
        return None;
    }
    let parts: Vec<Part> = places.into_iter().map(|(_, mentions)| Part::Element(mentions)).collect();
    sets_parts(graph, array, &parts).then_some(parts.len())
}

/// Whether an expression computes a value, and does not only read it. Indices do not count.
fn computes(e: &Expr) -> bool {
    match &e.kind {
        Kind::Index(base, _) => return computes(base),
        Kind::Method(of, name, ..) if name == "clone" => return computes(of),
        Kind::Binary(..) | Kind::Call(..) | Kind::Method(..) | Kind::Cast(..) | Kind::If(..) | Kind::Match(..) => {
            return true;
        }
        Kind::Unary(operator, _) if *operator != '*' => return true,
        _ => {}
    }
    e.children().into_iter().any(|child| match child {
        Child::Expr(e) => computes(e),
        Child::Block(block) => computes_in(block),
    })
}

fn computes_in(block: &Block) -> bool {
    block.statements.iter().flat_map(Statement::exprs).any(computes)
}

/// Whether an assignment gives all iterations the same value.
fn fills(e: &Expr, plan: &Plan) -> bool {
    let Kind::Assign(_, None, value) = &e.kind else { return false };
    let captured = |name: Local| plan.captures.iter().any(|(captured, _)| *captured == name);
    matches!(value.bare().kind, Kind::Int(_) | Kind::Literal) || value.name().is_some_and(captured)
}
