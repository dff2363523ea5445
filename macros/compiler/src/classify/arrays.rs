//! Distributed slices: the elements that a loop reads and writes.

use super::blocks::refuse_other_use;
use super::context::Classifier;
use super::scatter::has_own_place;
use crate::analysis::requests::{AskingPart, asking_part};
use crate::analysis::walk::{Event, Names, What};
use crate::front::attribute::Attribute;
use crate::front::parameters::{Marker, Share};
use crate::index::Known;
use crate::index::poly::Poly;
use crate::index::triangles::is_in_a_triangle;
use crate::ir::names::{bindings, names_of_closure};
use crate::ir::report::{Code, Report};
use crate::ir::{Expr, For, Id, Kind, Local, Op};
use crate::maps::HashSet;
use crate::plan::{Access, Asking, Operator, Plan, Slot, SlotKind};
use std::collections::{BTreeMap, BTreeSet};

impl Classifier<'_> {
    /// Finds the slices marked `#[gather]` whose requested indices can be computed before the loop runs, possibly in
    /// several stages.
    pub(super) fn gathers(&self, result: &mut Plan) {
        let marked = |name: Local| {
            self.function.shares.iter().any(|s| s.name == name && matches!(s.marker, Some(Marker::Gather)))
        };
        let unknown = |slot: usize| result.accesses.iter().any(|a| a.slot == slot && a.first.value.is_none());
        let mut missing: Vec<(Local, usize)> =
            result.slots.iter().enumerate().map(|(k, slot)| (slot.name, k)).collect();
        let only_read = |k: usize| matches!(result.slots[k].kind, SlotKind::Read | SlotKind::ReadOutput);
        missing.retain(|&(name, k)| only_read(k) && marked(name) && unknown(k));
        let (mut stages, mut slots) = (Vec::new(), Vec::new());
        let (mut looks, mut header, mut captures) = (Vec::new(), Vec::new(), Some(BTreeSet::new()));
        result.source.arrays(&mut header);
        // One stage may need elements that an earlier one has fetched: `x[column[k]]`.
        while !missing.is_empty() {
            let names: Vec<Local> = missing.iter().map(|(name, _)| *name).collect();
            let (mut gathered, mut found) = (BTreeMap::new(), None);
            for &(name, slot) in &missing {
                gathered.insert(name, slot);
                match asking_part(result, &gathered, &names) {
                    Some(part) => found = Some(part),
                    None => _ = gathered.remove(&name),
                }
            }
            match found {
                Some(AskingPart { tokens: body, needed, plain }) => {
                    let more = self.captured_by(result, &needed).filter(|_| plain);
                    captures = captures.zip(more).map(|(all, more)| &all | &more);
                    missing.retain(|(name, _)| !gathered.contains_key(name));
                    slots.extend(gathered.values());
                    let looked_at = |slot: &Slot| {
                        let in_header = header.iter().any(|(name, mutable)| *name == slot.name && !mutable);
                        in_header || needed.contains(&slot.name)
                    };
                    looks.push((0..result.slots.len()).filter(|&slot| looked_at(&result.slots[slot])).collect());
                    stages.push((body, gathered.into_values().collect()));
                }
                // This slice is fetched as a whole, so that it is available from the beginning.
                None => _ = missing.remove(0),
            }
        }
        if stages.is_empty() {
            return;
        }
        slots.sort_unstable();
        let reads = slots.iter().map(|&slot| {
            let mut texts: Vec<String> = Vec::new();
            for access in result.accesses.iter().filter(|access| access.slot == slot) {
                if !texts.contains(&access.text) {
                    texts.push(access.text.clone());
                }
            }
            (slot, texts)
        });
        result.asking = Some(Asking { stages, looks, captures, reads: reads.collect() });
        slots.iter().for_each(|&slot| result.slots[slot].kind = SlotKind::Gather);
        result.accesses.retain(|access| !slots.contains(&access.slot));
    }

    /// The captured variables among these names and those in the loop's header, except for its arrays; `None` if a name
    /// may denote anything else.
    fn captured_by(&self, found: &Plan, names: &HashSet<Local>) -> Option<BTreeSet<Local>> {
        let mut inside: HashSet<Local> = found.f.pattern.variables().collect();
        let mut bound = Vec::new();
        bindings(&found.f.body, &mut |pattern| bound.extend(pattern.variables()));
        inside.extend(bound);
        let mut in_header = Vec::new();
        for e in found.f.source.nodes() {
            in_header.extend(e.name());
        }
        let is_array = |name: Local| found.slots.iter().any(|slot| slot.name == name);
        let mut all = BTreeSet::new();
        for name in names.iter().chain(&in_header).filter(|name| !is_array(**name)) {
            let declared = self.function.declared.get(name);
            let captured = in_header.contains(name) || found.captures.iter().any(|(captured, _)| captured == name);
            match declared {
                Some(_) if captured => _ = all.insert(*name),
                _ if inside.contains(name) => {}
                // A constant.
                None if name.starts_with(char::is_uppercase) => {}
                _ => return None,
            }
        }
        Some(all)
    }

    /// A distributed parameter.
    pub(super) fn share(&self, name: Local, events: &[&Event], result: &mut Plan, report: &mut Report) {
        let Some(share) = self.function.shares.iter().find(|s| s.name == name) else { return };
        let writes: Vec<&&Event> =
            events.iter().filter(|e| matches!(e.what, What::Elements { writes: true, .. })).collect();
        let elsewhere = |e: &&&Event| matches!(&e.what, What::Elements { first, .. } if !has_own_place(first));
        let counted = |e: &&&Event| matches!(&e.what, What::Elements { index, .. } if self.carried_in(index, &result.f).is_some());
        let scatters = match share.marker {
            Some(Marker::Scatter) => true,
            // A running value says where.
            None if self.attribute == Attribute::DistributedScan => {
                writes.iter().all(counted) && self.could_scatter(name, events, &result.f.body)
            }
            _ => false,
        };
        if scatters && writes.iter().any(elsewhere) {
            return self.scatter(share, events, result, report);
        }
        if !writes.is_empty()
            && (self.histogram(name, events, true, result) || self.repeated_bins(name, events, true, result))
        {
            return;
        }
        let kind = match (share.mutable, writes.is_empty()) {
            (_, false) => SlotKind::Write,
            (true, true) => SlotKind::ReadOutput,
            (false, true) => SlotKind::Read,
        };
        let slot = result.slots.len();
        result.slots.push(Slot { name, element: Some(share.element.clone()), kind, sets: 0 });
        for event in events {
            if !matches!(event.what, What::Elements { .. } | What::Len)
                && let Some(call) = unchecked(&result.f, event.id)
            {
                report.error(
                    if share.mutable { Code::FA012 } else { Code::FA050 },
                    call,
                    format!("`{}` is a way to elements of `{name}` that is not followed", call.shown()),
                    "index with `[]`: where the index is proved to stay inside, once before the loop, it is not checked either",
                );
                continue;
            }
            match &event.what {
                What::Elements { .. } => self.elements_of_share(share, event, events, slot, result, report),
                What::Len => {}
                What::Use | What::Method { .. } | What::BorrowMut | What::Assign { .. } => {
                    whole_use(share, event, !writes.is_empty(), report)
                }
            }
        }
    }

    /// An access to elements of a distributed parameter.
    fn elements_of_share(
        &self,
        share: &Share,
        event: &Event,
        events: &[&Event],
        slot: usize,
        result: &mut Plan,
        report: &mut Report,
    ) {
        let What::Elements { first, end, single, writes, .. } = &event.what else { return };
        // An index range of possible reads would be fetched as a whole, but the marker requests only the elements that
        // are read.
        let written = result.slots[slot].kind == SlotKind::Write;
        let asked = !written && matches!(share.marker, Some(Marker::Gather)) && !first.is_affine();
        let known = first.value.is_some() && end.value.is_some() && (*writes || !asked);
        if *writes {
            self.write(share.name, event, events, first, known, result, report);
        } else if !known && written {
            self.unknown_read_of_output(share.name, event, events);
        } else if !known && !matches!(share.marker, Some(Marker::Gather | Marker::Halo(_))) {
            self.unknown_read(share, event);
        }
        let (text, span, points) = (event.text.clone(), event.place.start, event.points.clone());
        result.accesses.push(if known || *writes {
            let (writes, single, first, end) = (*writes, *single, first.clone(), end.clone());
            Access { slot, writes, single, first, end, halo: None, apart: false, text, span, points }
        } else {
            let halo = match &share.marker {
                Some(Marker::Halo(width)) => Some(width.clone()),
                _ => None,
            };
            let (first, end) = (Known::default(), Known::default());
            Access { slot, writes: false, single: false, first, end, halo, apart: false, text, span, points: None }
        });
    }

    /// Reports a read of unknown elements of an array that the loop also writes.
    fn unknown_read_of_output(&self, name: Local, event: &Event, events: &[&Event]) {
        // A write at an unknown index is the more serious mistake, and its remedy also fixes the read.
        let unknown_write =
            |e: &&Event| matches!(&e.what, What::Elements { writes: true, first, .. } if first.value.is_none());
        if events.iter().any(unknown_write) {
            return;
        }
        self.opaque.borrow_mut().push((
            event.id,
            event.place,
            format!(
                "`{}` reads elements of `{name}` at places that no footprint describes, while iterations may write `{name}`",
                event.text
            ),
        ));
    }

    /// Reports a read of unknown elements without a marker or a halo for them.
    fn unknown_read(&self, share: &Share, event: &Event) {
        let name = &share.name;
        self.opaque.borrow_mut().push((
            event.id,
            event.place,
            format!(
                "`{}` reads elements of `{name}` at places that no footprint describes: they may be on any rank",
                event.text
            ),
        ));
    }

    /// Checks a write to elements: the iteration must determine its index.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn write(
        &self,
        name: Local,
        event: &Event,
        events: &[&Event],
        first: &Known,
        known: bool,
        result: &Plan,
        report: &mut Report,
    ) {
        let before = report.count();
        self.placed(name, event, events, first, known, result, report);
        if report.count() > before {
            self.blame(name);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn placed(
        &self,
        name: Local,
        event: &Event,
        events: &[&Event],
        first: &Known,
        known: bool,
        result: &Plan,
        report: &mut Report,
    ) {
        // Under `#[foreach]`, a write whose index the iteration and its counters determine is not meant as a histogram.
        if (self.attribute != Attribute::Foreach || !known)
            && let Some((add, read)) = read_bins(events)
        {
            report.error(
                Code::FA014,
                read.place,
                format!(
                    "`{}` is read while iterations still add to `{name}` (`{}`): what it holds depends on the iterations before",
                    read.text, add.text
                ),
                "",
            );
            return;
        }
        if !known {
            return self.unknown_write(name, event, result, report);
        }
        let step = first.poly.as_ref().map(Poly::coefficient_of_position);
        match step {
            Some(Some(step)) if step.is_zero() && reader(events).is_some() => {
                let read = reader(events).map_or(event, |read| read);
                report.error(
                    Code::FA010,
                    read.place,
                    format!(
                        "loop-carried dependence: every iteration writes the elements `{}`, and `{}` reads what the iterations \
                         before have written there",
                        event.text, read.text
                    ),
                    "",
                );
            }
            Some(Some(step)) if step.is_zero() => report.error(
                Code::FA011,
                event.place,
                format!("every iteration writes `{}`: only the last one would count", event.text),
                "",
            ),
            Some(None) if first.poly.as_ref().is_some_and(is_in_a_triangle) => {}
            Some(None)
                if first.poly.as_ref().is_some_and(Poly::is_pair) && matches!(event.what, What::Elements { single: true, .. }) => {}
            Some(None) | None => report.error(
                Code::FA011,
                event.place,
                format!("`{}` does not move by a fixed step from one iteration to the next, so iterations may write the same element", event.text),
                "",
            ),
            Some(Some(step)) => {
                if let Some((step, counter, values)) = first.poly.as_ref().and_then(|poly| meets_itself(poly, &step)) {
                    report.error(
                        Code::FA011,
                        event.place,
                        format!(
                            "`{}` moves by {step} from one iteration to the next, while `{counter}` takes {values} values: iterations \
                             write the same elements",
                            event.text
                        ),
                        "",
                    );
                }
            }
        }
    }

    /// The variables in an index that may change.
    fn changed_in(&self, index: &str) -> Vec<Local> {
        let words = index.split(|c: char| !c.is_alphanumeric() && c != '_').map(Local::named);
        words.filter(|word| self.function.mutable(*word) && !self.function.share(*word)).collect()
    }

    /// A variable in an index that goes from one iteration to the next.
    fn carried_in(&self, index: &str, f: &For) -> Option<Local> {
        let mut bound = f.pattern.variables().collect::<HashSet<Local>>();
        bindings(&f.body, &mut |pattern| bound.extend(pattern.variables()));
        self.changed_in(index).into_iter().find(|name| !bound.contains(name))
    }

    /// Rejects a write at an unknown index.
    fn unknown_write(&self, name: Local, event: &Event, result: &Plan, report: &mut Report) {
        let What::Elements { index, first, .. } = &event.what else { return };
        let counters = self.changed_in(index);
        counters.iter().for_each(|counter| self.blame(*counter));
        if let Some(counter) = counters.first() {
            if self.carried_in(index, &result.f).is_some() && self.would_fit(Attribute::DistributedScan, &result.f) {
                return report.error(
                    Code::FA030,
                    event.place,
                    format!("this loop is a scan: `{}` writes at the scan state `{counter}`", event.text),
                    "",
                );
            }
            report.error(
                Code::FA012,
                event.place,
                format!(
                    "`{}` writes `{name}` where `{counter}` says, which earlier iterations have changed",
                    event.text
                ),
                "",
            );
            return;
        }
        if let Some((row, part)) = first.poly.as_ref().and_then(|_| own_row(name, &result.f, event.id)) {
            report.error(
                Code::FA012,
                event.place,
                format!(
                    "the data choose where `{}` writes behind `{row}`: it may be beyond the end of the row, at an element that another iteration \
                     writes",
                    event.text
                ),
                part,
            );
            return;
        }
        if let Some(function) = self.unseen_function(&result.f, event.id) {
            report.error(
                Code::FA012,
                event.place,
                format!(
                    "`{}` writes `{name}` where `{function}` says, and what that computes is not seen here",
                    event.text
                ),
                see_function(&function),
            );
            return;
        }
        report.error(
            Code::FA012,
            event.place,
            format!(
                "`{}` writes `{name}` at a place that the data choose, so two iterations may write the same element",
                event.text
            ),
            "",
        );
    }

    /// The function that computes the index of an access, if the compiler does not see its body.
    fn unseen_function(&self, f: &For, access: Id) -> Option<String> {
        let mut function = None;
        walk_index(f, access, &mut |e| match &e.kind {
            Kind::Call(path, _) if matches!(path.kind, Kind::Name(_) | Kind::Path) => {
                function.get_or_insert(path.shown());
            }
            // An index from the data takes precedence.
            Kind::Index(..) => function = Some(String::new()),
            _ => {}
        });
        function.filter(|name| !name.is_empty())
    }

    /// Rejects a closure from outside of the loop that reads distributed slices or changes a variable.
    pub(super) fn closure(&self, name: Local, events: &[&Event], report: &mut Report) {
        let (Some((patterns, body)), Some(call)) = (self.function.closures.get(&name), events.first()) else { return };
        let own = names_of_closure(patterns, body);
        body.walk(&mut |e| {
            let any = matches!(e.kind, Kind::Assign(..) | Kind::Ref(..));
            let outer = |name: &Local| !own.contains(name) && (any || self.function.mutable(*name));
            if let Some(changed) = e.changes().into_iter().find(outer) {
                report.error(
                    Code::FA010,
                    call.place,
                    format!("`{name}` changes `{changed}` (`{}`), which all iterations share", e.shown()),
                    "",
                );
                return false;
            }
            if let Kind::Name(array) = &e.kind
                && self.function.share(*array)
                && !own.contains(array)
            {
                report.error(
                    Code::FA050,
                    call.place,
                    format!("`{name}` is a closure from outside of the loop that uses the distributed slice `{array}`"),
                    "",
                );
            }
            true
        });
    }
}

/// The call of `get_unchecked` that makes an access, or whose receiver is the access.
fn unchecked(f: &For, access: Id) -> Option<&Expr> {
    let of_access = |e: &&Expr| match &e.kind {
        Kind::Method(array, method, ..) => {
            method.starts_with("get_unchecked") && (e.id == access || array.bare().id == access)
        }
        _ => false,
    };
    f.body.nodes().find(of_access)
}

/// Rejects the use of a distributed parameter as a whole.
fn whole_use(share: &Share, event: &Event, written: bool, report: &mut Report) {
    if share.blocks {
        return refuse_other_use(share.name, event.place, report);
    }
    let (name, text) = (&share.name, &event.text);
    let alone = *name == **text;
    if share.mutable {
        let message = match alone {
            true if share.array.is_none() && !written => format!(
                "`{name}` is used as a whole here, which may write any of its elements: it is not seen which. Code that only reads them \
                 takes `&{name}[..]`"
            ),
            true => {
                format!("`{name}` is used as a whole here, which may write any of its elements: it is not seen which")
            }
            false => format!("`{text}` may write any element of `{name}`: it is not seen which"),
        };
        return report.error(Code::FA012, event.place, message, "");
    }
    let kind = if share.array.is_some() { "array" } else { "slice" };
    let message = match alone {
        true => {
            format!(
                "`{name}` is used as a whole here: it is not seen which elements of the distributed {kind} are read"
            )
        }
        false => {
            format!("`{text}` uses the distributed {kind} `{name}` as a whole: it is not seen which elements it reads")
        }
    };
    report.error(Code::FA050, event.place, message, "");
}

/// Visits all nodes in the index of an access.
fn walk_index(f: &For, access: Id, look: &mut dyn FnMut(&Expr)) {
    let index = f.body.node(access).map(|e| match &e.kind {
        Kind::Index(_, index) => &**index,
        _ => e,
    });
    index.into_iter().flat_map(Expr::nodes).for_each(look);
}

/// For `out[i * n + j]` with an unknown `j`: `i * n`, and the remedy of taking the iteration's own row first.
fn own_row(name: Local, f: &For, access: Id) -> Option<(String, String)> {
    let (mut index, mut first) = (None, true);
    walk_index(f, access, &mut |e| {
        if std::mem::take(&mut first) {
            index = Some(e.clone());
        }
    });
    let index = index?;
    let Kind::Binary(Op::Add, a, b) = &index.bare().kind else { return None };
    let own = |e: &Expr| f.pattern.names.iter().any(|binding| e.mentions(binding.name));
    let (row, column) = match (own(a), own(b)) {
        (true, false) => (a, b),
        (false, true) => (b, a),
        _ => return None,
    };
    let Kind::Binary(Op::Mul, x, y) = &row.bare().kind else { return None };
    let length = match (own(x), own(y)) {
        (true, false) => y,
        (false, true) => x,
        _ => return None,
    };
    let [row, column, length] = [row, column, length].map(|e| e.shown());
    let part = format!(
        "take the iteration's own part before the inner loop, `let row = &mut {name}[{row}..{row} + {length}];`, and write `row[{column}] = e`: \
         an index that the part does not have panics"
    );
    Some((row, part))
}

/// An access that reads.
fn reader<'e>(events: &[&'e Event]) -> Option<&'e Event> {
    let pure = |e: &&&Event| matches!(e.what, What::Elements { writes: false, .. });
    let both = |e: &&&Event| matches!(e.what, What::Elements { reads: true, .. });
    events.iter().find(pure).or_else(|| events.iter().find(both)).copied()
}

/// An array that would be a histogram if the loop did not also read it: an update, and such a read.
pub(super) fn read_bins<'e>(events: &[&'e Event]) -> Option<(&'e Event, &'e Event)> {
    let mut add = None;
    for event in events {
        match &event.what {
            What::Elements { writes: true, op: Some(op), first, single: true, .. } if Operator::of(*op).is_some() => {
                let step = first.poly.as_ref().and_then(Poly::coefficient_of_position);
                if step.is_some_and(|step| !step.is_zero()) {
                    return None;
                }
                add.get_or_insert(*event);
            }
            What::Elements { writes: true, .. } => return None,
            _ => {}
        }
    }
    let read = events.iter().find(|e| matches!(e.what, What::Elements { writes: false, .. }))?;
    Some((add?, read))
}

/// Whether iterations certainly write the same elements: the step, the name of an inner counter, and the number of its
/// values, if all of them are known at compile time.
fn meets_itself(place: &Poly, step: &Poly) -> Option<(i64, String, i64)> {
    let step = step.as_constant().filter(|step| *step != 0)?;
    let (symbol, factor) = place.only_other_symbol(crate::index::poly::position())?;
    let (name, range) = symbol.strip_prefix('#')?.split_once(':')?;
    let (from, to) = range.strip_suffix(':')?.split_once("..")?;
    let (to, more) = to.strip_prefix('=').map_or((to, 0), |to| (to, 1));
    let values = to.trim().parse::<i64>().ok()?.checked_sub(from.trim().parse().ok()?)?.checked_add(more)?;
    // `factor * j = step` for a difference `j` of two values of the counter.
    let apart = step.checked_rem(factor)? == 0 && step.checked_div(factor)?.checked_abs()? < values;
    apart.then(|| (step, name.to_owned(), values))
}

fn see_function(function: &str) -> String {
    format!(
        "only the body of a function inside of this one, or of a closure, is seen: move `{function}` into this function, or write \
         `let place = |i| ..` and use that; it must be one expression, after `let`s if need be"
    )
}
