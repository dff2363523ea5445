//! Scan states: reads of accumulators, and recurrences through arrays.

use super::context::Classifier;
use super::nodes::assigned;
use crate::analysis::dependency::{Sliced, Unsliceable};
use crate::analysis::walk::{Event, What};
use crate::front::attribute::Attribute;
use crate::front::lower::Lower;
use crate::index::Known;
use crate::ir::place::Place;
use crate::ir::report::{Code, Location, Report};
use crate::ir::text::shown;
use crate::ir::{Expr, For, Id, Kind, Local, Statement, StatementKind};
use crate::maps::{HashMap, HashSet, New as _};
use crate::plan::{Accumulator, Carried, Class, Plan};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A read of an accumulator outside of its updates.
struct Reader {
    variable: Place,
    place: Location,
    /// The update of the accumulator, as text.
    update: String,
}

impl Classifier<'_> {
    /// A recurrence through an array: `x[i] = .. x[i - 1] .. x[i - 2] ..`.
    pub(super) fn carry(
        &self,
        f: &Rc<For>,
        by_name: &BTreeMap<Local, Vec<&Event>>,
        result: &Plan,
    ) -> Option<(Rc<For>, Vec<Carried>)> {
        for (name, events) in by_name {
            let mut writes = events.iter().filter_map(|e| match &e.what {
                What::Elements { first, writes: true, single: true, .. } => Some((e, first)),
                _ => None,
            });
            let (Some((write, here)), None) = (writes.next(), writes.next()) else { continue };
            if write.conditional || write.skippable || write.depth > 0 {
                continue;
            }
            let Some(here) = &here.poly else { continue };
            let Some(step) = here.coefficient_of_position().filter(|step| !step.is_zero()) else { continue };
            // The reads, each with the number of iterations before.
            let before = events.iter().filter_map(|e| match &e.what {
                What::Elements { first: Known { poly: Some(there), .. }, writes: false, single: true, .. } => {
                    Some((e.id, there.minus(here)?.multiple_of(&step)?.checked_neg()?))
                }
                _ => None,
            });
            let before: HashMap<Id, usize> = before
                .filter_map(|(id, distance)| Some((id, usize::try_from(distance).ok()?)))
                .filter(|(_, d)| *d > 0)
                .collect();
            let furthest = before.values().copied().max().unwrap_or(0);
            let complete = (1..=furthest).all(|distance| before.values().any(|d| *d == distance));
            let step = step.as_constant();
            if !(1..=FURTHEST).contains(&furthest) || !complete && step.is_none() {
                continue;
            }
            let before = Before { reads: before, step };
            if let Some(carried) = rewrite_carried(f, *name, write, &before, result, self.function.code.lower.clone()) {
                return Some(carried);
            }
        }
        None
    }

    /// Checks the reads of accumulators: only the body of a scan may read them. Fails if no part of the body can
    /// compute the totals of the scan states.
    pub(super) fn running(&self, f: &Rc<For>, result: &mut Plan, report: &mut Report) -> Result<(), Unsliceable> {
        let scan = self.attribute == Attribute::DistributedScan;
        let readers = self.readers(f, result, report);
        let goes_on = |class: &Class| matches!(class, Class::Segmented { resets: true, .. } | Class::Linear { .. });
        let composed = |class: &Class| matches!(class, Class::System(_) | Class::Machine { .. });
        let composed = result.accumulators.iter().any(|a| composed(&a.class));
        let continued = scan && (!readers.is_empty() || result.accumulators.iter().any(|a| goes_on(&a.class)));
        result.running = composed || continued;
        if !scan && !readers.is_empty() {
            self.refuse_readers(readers, f, report);
        }
        if !result.running || !report.is_empty() {
            return Ok(());
        }
        match inside_of_another(f, result) {
            Some(inside) => Err(inside),
            None if !result.has_totals() => Ok(()),
            None => levels(result),
        }
    }

    /// The reads of accumulators outside of their updates.
    fn readers(&self, f: &For, result: &Plan, report: &mut Report) -> Vec<Reader> {
        let mut readers = Vec::new();
        for accumulator in &result.accumulators {
            if !accumulator.class.is_reduction()
                || matches!(accumulator.class, Class::Bins { .. } | Class::Frame { .. })
            {
                continue;
            }
            let decisions = match accumulator.class {
                Class::Machine { .. } => decisions(f, result),
                _ => HashSet::new(),
            };
            for variable in accumulator.variables() {
                let mut outside: Option<Location> = None;
                f.body.walk(&mut |e| {
                    if accumulator.nodes.contains(&e.id) || decisions.contains(&e.id) {
                        return false;
                    }
                    if e.is(variable)
                        && matches!(e.kind, Kind::Name(_) | Kind::Field(..) | Kind::Index(..) | Kind::Unary('*', _))
                    {
                        outside.get_or_insert(Location::from(e));
                        return false;
                    }
                    true
                });
                if let Some(place) = self.whole_of(variable, accumulator, f) {
                    self.blame(variable.root);
                    report.error(
                        Code::FA014,
                        place,
                        format!("this uses more than `{variable}`, which is being accumulated: what it has so far is not seen here"),
                        format!("accumulate into a variable of its own, and set `{variable}` after the loop"),
                    );
                    continue;
                }
                if let Some(place) = outside {
                    let update = accumulator.nodes.first().map(|node| update_of(f, *node)).unwrap_or_default();
                    readers.push(Reader { variable: variable.clone(), place, update });
                }
            }
        }
        readers
    }

    /// Reports why no part of the body can compute the totals of the scan states.
    pub(super) fn unsliceable(&self, trouble: Unsliceable, f: &For, result: &Plan, report: &mut Report) {
        match trouble {
            Unsliceable::Stored(array, span) => report.error(
                Code::FA014,
                span,
                format!("a scan state is computed from `{array}` after this iteration has written to it"),
                format!("keep the operand of the scan state in a variable, and write `{array}` afterwards"),
            ),
            Unsliceable::Changes(array, span) => report.error(
                Code::FA014,
                span,
                format!("`{array}` may be changed here, by code that computes a scan state and runs twice"),
                format!("compute the operand of the scan state from `{array}` first, and change `{array}` in a statement of its own"),
            ),
            Unsliceable::Running(variable, span) => match self.entangled(&variable, f, result) {
                Some((other, here, there)) => report.error(
                    Code::FA010,
                    span,
                    format!("loop-carried dependence: `{variable}` and `{other}` are each computed from the other (`{here}`, `{there}`)"),
                    "",
                ),
                None => report.error(
                    Code::FA014,
                    span,
                    format!("`{variable}` is a scan state, and its value here decides about the next value of a scan state"),
                    "",
                ),
            },
        }
    }

    /// Reports reads of accumulators in a loop that is not a scan.
    fn refuse_readers(&self, readers: Vec<Reader>, f: &Rc<For>, report: &mut Report) {
        let fits = self.would_fit(Attribute::DistributedScan, f);
        for Reader { variable, place, update } in readers {
            if !self.blamed.borrow_mut().insert(variable.root) {
                continue;
            }
            if fits {
                report.error(
                    Code::FA030,
                    place,
                    format!(
                        "this loop is a scan, not a `#[{}]`: `{variable}` is read here, while {update} accumulates it",
                        self.attribute.name()
                    ),
                    "",
                );
            } else {
                report.error(
                    Code::FA014,
                    place,
                    format!(
                        "`{variable}` is read here while {update} accumulates it: its value depends on the iterations before"
                    ),
                    "",
                );
            }
        }
    }

    /// The use of a variable as a whole, if only a part of it is an accumulator: `f(&s)` next to `s.sum += e`.
    fn whole_of(&self, part: &Place, accumulator: &Accumulator, f: &For) -> Option<Location> {
        if part.variable().is_some() {
            return None;
        }
        let mut found = None;
        f.body.walk(&mut |e| {
            if found.is_some() || accumulator.nodes.contains(&e.id) || e.is(part) {
                return false;
            }
            match e.place().filter(|place| place.root == part.root && place.is_fixed()) {
                Some(place) => {
                    found = (!place.is_apart_from(part)).then(|| Location::from(e));
                    false
                }
                None => true,
            }
        });
        found
    }

    /// Another scan state such that each of the two is computed from the other, with an update of each.
    fn entangled(&self, place: &Place, f: &For, result: &Plan) -> Option<(Place, String, String)> {
        let mentions = |updates: &[Id], place: &Place| {
            f.body.nodes().find(|e| updates.contains(&e.id) && e.mentions_place(place)).map(Expr::shown)
        };
        let own = result.accumulators.iter().find(|a| a.place == *place)?;
        result.accumulators.iter().filter(|a| a.place != *place).find_map(|other| {
            Some((other.place.clone(), mentions(&own.nodes, &other.place)?, mentions(&other.nodes, place)?))
        })
    }
}

/// The conditions that decide how accumulators go on, and nothing else.
fn decisions(f: &For, result: &Plan) -> HashSet<Id> {
    let updates: HashSet<Id> = result.accumulators.iter().flat_map(|a| &a.nodes).copied().collect();
    let mut found = HashSet::new();
    for e in f.body.nodes() {
        let (Kind::If(condition, ..) | Kind::Match(condition, _)) = &e.kind else { continue };
        let assigns = |e: &&Expr| matches!(e.kind, Kind::Assign(..));
        let mut changes = e.nodes().filter(assigns).peekable();
        if changes.peek().is_some() && changes.all(|e| updates.contains(&e.id)) {
            found.insert(condition.id);
        }
    }
    found
}

/// Finds the level of each scan state: the lowest level needs only the inputs, and each further level also needs the
/// states of the levels below it.
fn levels(result: &mut Plan) -> Result<(), Unsliceable> {
    let mut open: Vec<usize> =
        (0..result.accumulators.len()).filter(|k| result.accumulators[*k].class.is_reduction()).collect();
    open.iter().for_each(|k| result.accumulators[*k].level = usize::MAX);
    for level in 0.. {
        let mut later = Vec::new();
        // The totals of a machine run once for each state, so that nothing else may be in them.
        let machine = open.iter().copied().find(|k| {
            if !matches!(result.accumulators[*k].class, Class::Machine { .. }) {
                return false;
            }
            result.accumulators[*k].level = level;
            let fits = Sliced::of(result, level).check(result).is_ok();
            result.accumulators[*k].level = usize::MAX;
            fits
        });
        for &k in &open {
            if machine.is_some_and(|machine| machine != k) {
                later.push((k, None));
                continue;
            }
            result.accumulators[k].level = level;
            if let Err(trouble) = Sliced::of(result, level).check(result) {
                result.accumulators[k].level = usize::MAX;
                later.push((k, Some(trouble)));
            }
        }
        if later.len() == open.len() {
            // No state can be next. If one depends on itself, it is the mistake.
            let needs_another = |(k, trouble): &(usize, Unsliceable)| match trouble {
                Unsliceable::Running(variable, _) => !result.accumulators[*k].variables().contains(variable),
                _ => false,
            };
            let troubles = later.into_iter().filter_map(|(k, trouble)| Some((k, trouble?)));
            let trouble = troubles.min_by_key(needs_another);
            open.iter().for_each(|k| result.accumulators[*k].level = 0);
            return trouble.map_or(Ok(()), |(_, trouble)| Err(trouble));
        }
        open = later.into_iter().map(|(k, _)| k).collect();
    }
    Ok(())
}

/// The elements before its own that an iteration of a recurrence may read.
const FURTHEST: usize = 4;

/// The elements that earlier iterations have set.
struct Before {
    /// The reads, each with the number of iterations before.
    reads: HashMap<Id, usize>,
    /// The distance between the elements of two iterations.
    step: Option<i64>,
}

impl Before {
    /// The element so many iterations before the first one.
    fn first(&self, f: &For, place: &Expr, distance: usize) -> Option<Expr> {
        let mut nodes = f.body.nodes();
        if let Some(read) = nodes.find(|e| self.reads.get(&e.id) == Some(&distance)) {
            return Some(read.clone());
        }
        let Kind::Index(array, index) = &place.bare().kind else { return None };
        let (array, index, by) = (&array.tokens, &index.tokens, self.step?.checked_mul(i64::try_from(distance).ok()?)?);
        let distance = proc_macro2::Literal::usize_unsuffixed(usize::try_from(by.unsigned_abs()).ok()?);
        let operator = if by > 0 { quote!(-) } else { quote!(+) };
        Some(Expr { tokens: quote!(#array[(#index) #operator #distance]), ..place.clone() })
    }
}

/// The name of a variable with the value before an update of a recurrence.
pub(super) fn earlier(variable: Local) -> String {
    format!("__earlier{variable}")
}

/// Whether a statement has one of the reads at a distance.
fn reads_at(statement: &Statement, reads: &HashMap<Id, usize>, distance: usize) -> bool {
    statement.nodes().any(|e| reads.get(&e.id) == Some(&distance))
}

/// `x[i] = E(x[i - 1], x[i - 2])` as `next = E(one, two); two = one; one = next; x[i] = one`.
fn rewrite_carried(
    f: &Rc<For>,
    name: Local,
    write: &Event,
    before: &Before,
    result: &Plan,
    mut lower: Lower,
) -> Option<(Rc<For>, Vec<Carried>)> {
    struct Replace<'a>(&'a HashMap<Id, usize>, &'a [Ident]);
    impl crate::ir::print::Edit for Replace<'_> {
        fn expr(&self, e: &Expr) -> Option<TokenStream> {
            // The span is that of the user's tokens, for messages.
            let ident = Ident::new(&self.1[*self.0.get(&e.id)? - 1].to_string(), e.span);
            Some(quote!(#ident))
        }
    }
    let reads = &before.reads;
    let furthest = reads.values().copied().max()?;
    let number = result.carried.len();
    let variables: Vec<Ident> = (0..furthest)
        .map(|distance| format_ident!("__previous_{}_{}", crate::ir::names::unraw(&name), number + distance))
        .collect();
    // The previous elements, for statements after the one that sets the next element.
    let earlier_of = |variable: &Ident| format_ident!("{}", earlier(Local::named(&variable.to_string())));
    let later: Vec<Ident> = variables.iter().map(earlier_of).collect();
    let mut replace = Replace(reads, &variables);
    let (mut source, mut is_set) = (TokenStream::new(), false);
    for (number, statement) in f.body.statements.iter().enumerate() {
        let assignment = match &statement.kind {
            StatementKind::Expr(Expr { kind: Kind::Assign(place, op, value), .. }, _) if place.id == write.id => {
                Some((place, op, value))
            }
            _ => None,
        };
        let Some((place, op, value)) = assignment else {
            source.extend(crate::ir::print::statement(statement, &replace));
            continue;
        };
        is_set = true;
        let (place, value, at) = (&place.tokens, crate::ir::print::expr(value, &replace), write.place.start);
        for (distance, (variable, later)) in variables.iter().zip(&later).enumerate() {
            if f.body.statements[number + 1..].iter().any(|s| reads_at(s, reads, distance + 1)) {
                source.extend(quote!(let #later = #variable;));
            }
        }
        replace = Replace(reads, &later);
        let value = match op {
            Some(op) => {
                let op: TokenStream = op.text().parse().ok()?;
                quote_spanned!(at=> #place #op (#value))
            }
            None => value,
        };
        let last = Ident::new(&variables[0].to_string(), at);
        match furthest {
            1 => source.extend(quote_spanned!(at=> #last = #value;)),
            _ => {
                let next = format_ident!("__next_{}_{}", crate::ir::names::unraw(&name), number, span = at);
                source.extend(quote_spanned!(at=> let #next = #value;));
                for two in variables.windows(2).rev() {
                    let (to, from) = (Ident::new(&two[1].to_string(), at), Ident::new(&two[0].to_string(), at));
                    source.extend(quote_spanned!(at=> #to = #from;));
                }
                source.extend(quote_spanned!(at=> #last = #next;));
            }
        }
        source.extend(quote!(#place = #last;));
    }
    // The write must be a statement at the top level: in a block, it does not set the variables.
    if !is_set {
        return None;
    }
    let block: syn::Block = syn::parse2(quote!({ #source })).ok()?;
    let mut again = (**f).clone();
    again.body = lower.body(&block);
    let mut inside = HashSet::new();
    crate::ir::names::bindings(&f.body, &mut |pattern| inside.extend(pattern.names.iter().map(|binding| binding.name)));
    let carried = variables.into_iter().enumerate().map(|(distance, variable)| {
        let first = before.first(f, f.body.node(write.id)?, distance + 1)?;
        // The element is read once before the loop, where a variable of the body does not exist or is a different one.
        if inside.iter().any(|name| first.mentions(*name)) {
            return None;
        }
        let first = first.tokens;
        let (set, read) = (write.text.clone(), shown(&first.to_string()));
        Some(Carried { variable, first, set, read })
    });
    let mut carried: Vec<Carried> = carried.collect::<Option<_>>()?;
    // They are read in the order of the body: if one is out of bounds, the loop panics as it is written.
    let read = |carried: &Carried| {
        let distance = 1 + later.iter().position(|name| *name == earlier_of(&carried.variable)).unwrap_or(furthest);
        f.body.nodes().position(|e| reads.get(&e.id) == Some(&distance)).unwrap_or(usize::MAX)
    };
    carried.sort_by_key(read);
    Some((Rc::new(again), carried))
}

/// An update of a variable in the value that updates another one: neither is computed without the other.
fn inside_of_another(f: &For, result: &Plan) -> Option<Unsliceable> {
    let updates = |accumulator: &Accumulator| {
        let of = accumulator.nodes.iter().filter_map(|node| f.body.node(*node)).filter_map(|e| match &e.kind {
            Kind::Assign(_, _, value) => Some(&**value),
            _ => None,
        });
        of.collect::<Vec<_>>()
    };
    result.accumulators.iter().enumerate().find_map(|(number, inner)| {
        let others = result.accumulators.iter().enumerate().filter(|(other, _)| *other != number);
        let values: Vec<&Expr> = others.flat_map(|(_, outer)| updates(outer)).collect();
        let inside = values.iter().flat_map(|value| value.nodes()).find(|e| inner.nodes.contains(&e.id))?;
        Some(Unsliceable::Running(inner.place.clone(), inside.span))
    })
}

/// An update as messages show it, with its line.
fn update_of(f: &For, node: Id) -> String {
    let line = f.body.node(node).map(|e| format!(" (line {})", Location::from(e).line())).unwrap_or_default();
    format!("`{}`{line}", shown(&assigned(f, node)))
}
