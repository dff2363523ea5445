//! The classification of one loop: first its header, then each variable by its kind, and then the conditions on all of
//! them together.

use super::blocks::refuse_reversed;
use super::body::Seen;
use super::context::{After, Classifier};
use super::nodes::header;
use super::operators::other_operators;
use super::privates::declared_inside;
use super::regions::{refuse_in_region, refuse_outside_of_tiles};
use super::running::earlier;
use crate::algebra::depends;
use crate::analysis::guards::{Guards, guards};
use crate::analysis::walk::{Event, What};
use crate::front::attribute::Attribute;
use crate::front::function::Function;
use crate::front::header::Source;
use crate::ir::names::each_let;
use crate::ir::place::Place;
use crate::ir::report::{Code, Location, Report};
use crate::ir::{Block, Expr, For, Kind, Local, Unknown};
use crate::language::methods;
use crate::maps::{HashSet, New as _};
use crate::plan::{Accumulator, Carried, Class, Plan};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Classifies a loop. If there are mistakes, reports them and returns `None`.
///
/// `attribute` is the function's, or another one for a loop that the function's attribute is not for.
pub fn classify(
    function: &Function,
    attribute: Attribute,
    f: &Rc<For>,
    after: &After<'_>,
    report: &mut Report,
) -> Option<Plan> {
    let classifier = Classifier::new(function, attribute, *after, false);
    let mut mine = Report::default();
    let (inside, privates) = declared_inside(function, f, after);
    let with_privates = |plan: Plan| Plan { written: f.clone(), privates: privates.clone(), ..plan };
    let found = classifier.run(inside.clone(), Vec::new(), &mut mine);
    if mine.is_empty() {
        return found.map(with_privates);
    }
    // A variable that is set in each iteration may be one of those that are computed from each other.
    let mut begun = HashSet::new();
    each_let(&function.body, &mut |pattern, _| begun.extend(pattern.variables()));
    let together = || classifier.composed_instead(f).filter(|_| privates.iter().all(|name| begun.contains(name)));
    let composed = classifier.composed_instead(&inside).map(with_privates).or_else(together);
    if composed.is_none() {
        report.absorb(mine);
    }
    composed
}

impl Classifier<'_> {
    /// Whether the loop is of the class of another attribute.
    pub(super) fn would_fit(&self, attribute: Attribute, f: &Rc<For>) -> bool {
        if self.trial || attribute == self.attribute {
            return false;
        }
        let other = Classifier::new(self.function, attribute, self.after, true);
        other.plain(f).or_else(|| other.composed_instead(f)).is_some()
    }

    /// The plan of a loop, if each of its variables has a class by itself; and if a scan is one.
    fn plain(&self, f: &Rc<For>) -> Option<Plan> {
        let mut report = Report::default();
        let found = self.run(f.clone(), Vec::new(), &mut report).filter(|_| report.is_empty());
        found.filter(|found| self.attribute != Attribute::DistributedScan || found.running)
    }

    /// The plan of a loop with variables that are computed from each other.
    fn composed_instead(&self, f: &Rc<For>) -> Option<Plan> {
        if !matches!(self.attribute, Attribute::DistributedScan | Attribute::KaryReduce | Attribute::ForeachTls) {
            return None;
        }
        let composed = Classifier::new(self.function, self.attribute, self.after, true);
        let mut report = Report::default();
        let found = Classifier { composes: true, ..composed }.run(f.clone(), Vec::new(), &mut report);
        let found = found.filter(|_| report.is_empty())?;
        // A loop that is a scan by itself gets the attribute of one, unless it needs no composition.
        let composes = |a: &Accumulator| matches!(a.class, Class::System(_) | Class::Machine { .. });
        let scan = || Classifier::new(self.function, Attribute::DistributedScan, self.after, true).plain(f);
        let is_scan =
            self.attribute == Attribute::KaryReduce && found.accumulators.iter().any(composes) && scan().is_some();
        (!is_scan).then_some(found)
    }

    /// `carried` are the elements of the previous iteration, if the loop has been rewritten.
    pub(super) fn run(&self, f: Rc<For>, carried: Vec<Carried>, report: &mut Report) -> Option<Plan> {
        let mut first = Report::default();
        let found = self.attempt(f.clone(), carried.clone(), &mut first);
        let reads_no_state = |plan: &Plan| !plan.running && !plan.accumulators.is_empty();
        if self.states_are_read && found.as_ref().is_some_and(reads_no_state) {
            let totals = Classifier::new(self.function, self.attribute, self.after, self.trial);
            let totals = Classifier { composes: self.composes, states_are_read: false, ..totals };
            return totals.attempt(f, carried, report);
        }
        report.absorb(first);
        found
    }

    fn attempt(&self, f: Rc<For>, carried: Vec<Carried>, report: &mut Report) -> Option<Plan> {
        let source = self.source(&f, report)?;
        let Seen {
            events,
            boxes,
            report: mistakes,
            lengths,
            shapes,
            own_lengths,
            cases,
            weight,
            macros,
            computed,
            obligations,
        } = Seen::of(self.function, &source, &f);
        report.absorb(mistakes);
        let mut by_name: BTreeMap<Local, Vec<&Event>> = BTreeMap::new();
        for event in &events {
            by_name.entry(event.name).or_default().push(event);
        }
        let mut plan = Plan {
            f: f.clone(),
            written: f.clone(),
            source,
            region: None,
            slots: Vec::new(),
            accesses: Vec::new(),
            accumulators: Vec::new(),
            privates: Vec::new(),
            running: false,
            guarded: false,
            ordered: true,
            weight,
            macros,
            captures: Vec::new(),
            lengths,
            own_lengths,
            shapes,
            carried,
            asking: None,
            distances: Vec::new(),
            computed,
            obligations,
            in_body: Default::default(),
        };
        if self.attribute == Attribute::DistributedScan
            && plan.carried.len() < 8
            && let Some((again, carried)) = self.carry(&f, &by_name, &plan)
        {
            let found = self.rewritten(again, plan.carried, carried, report);
            return found.map(|found| Plan { written: f, ..found });
        }
        self.region(boxes, &mut plan, report);
        self.variables(&by_name, &mut plan, report);
        self.conflicts(&events, cases.as_ref(), &mut plan, report);
        if let Err(trouble) = self.running(&f, &mut plan, report) {
            match self.with_own_elements(&trouble, &f, &plan) {
                Some(found) => return Some(found),
                None => self.unsliceable(trouble, &f, &plan, report),
            }
        }
        plan.guarded = match guards(&plan) {
            Guards::Nothing => false,
            Guards::Again => true,
            Guards::Held(accumulator) => {
                report.error(
                    Code::FA014,
                    accumulator.at,
                    format!(
                        "which values `{}` keeps depends on whether it held one before, and the loop cannot be run again to find out",
                        accumulator.place
                    ),
                    "",
                );
                false
            }
            Guards::Once(e) => {
                report.error(
                    Code::FA014,
                    e,
                    format!("`{}` may panic, and whether it is reached depends on the iterations before", e.shown()),
                    "",
                );
                false
            }
        };
        refuse_end(&plan, report);
        self.opaque_reads(&f, report);
        other_operators(&plan, report);
        self.fits(&f, &plan, report);
        // The requested indices are computed before the loop. Loops over blocks do not allow that, and fetch the array
        // as a whole.
        if plan.source.blocks().is_empty() && plan.region.is_none() {
            self.gathers(&mut plan);
        }
        self.sets(&by_name, &mut plan);
        refuse_in_region(&plan, report);
        refuse_reversed(&plan, report);
        Some(plan)
    }

    /// Classifies the loop again after a recurrence through an array has become one through a variable.
    fn rewritten(
        &self,
        again: Rc<For>,
        mut all: Vec<Carried>,
        carried: Vec<Carried>,
        report: &mut Report,
    ) -> Option<Plan> {
        let names =
            carried.iter().map(|Carried { variable, set, read, .. }| (variable.to_string(), set.clone(), read.clone()));
        let names: Vec<(String, String, String)> = names.collect();
        all.extend(carried);
        let mut rewritten = Report::default();
        let found = self.run(again, all, &mut rewritten);
        for (variable, set, read) in &names {
            for variable in [&earlier(Local::named(variable)), variable] {
                rewritten.rename(variable, set, read);
            }
        }
        report.absorb(rewritten);
        found
    }

    /// Classifies each variable by its kind.
    fn variables(&self, by_name: &BTreeMap<Local, Vec<&Event>>, plan: &mut Plan, report: &mut Report) {
        let mut scalars: Vec<(Local, Vec<&Event>)> = Vec::new();
        for (name, events) in by_name {
            let writes = events.iter().any(|e| matches!(e.what, What::Elements { writes: true, .. }));
            if let Some(event) = self.change_of_a_static(*name, events, &plan.f) {
                self.blame(*name);
                report.error(
                    Code::FA017,
                    event.place,
                    format!(
                        "`{name}` is not declared in the function: a `static mut` is changed by all iterations at once"
                    ),
                    "",
                );
                continue;
            }
            if let Some(event) = self.object(*name, events) {
                refuse_outside_of_tiles(*name, event, report);
            } else if self.function.shares.iter().any(|share| share.name == *name) {
                self.share(*name, events, plan, report);
            } else if writes {
                self.local_array(*name, events, plan, report);
            } else if events.iter().any(|e| !matches!(e.what, What::Use | What::Len | What::Elements { .. })) {
                if self.folded(*name, events, plan) {
                    continue;
                }
                scalars.push((*name, events.clone()));
            } else {
                self.closure(*name, events, report);
                self.capture(*name, events, plan);
            }
        }
        let f = plan.f.clone();
        self.scalars(&f, scalars, plan, report);
    }

    /// The change of a static: a name without a declaration in the function, in an `unsafe` block. A local variable
    /// would not need the block.
    fn change_of_a_static<'e>(&self, name: Local, events: &[&'e Event], f: &For) -> Option<&'e Event> {
        let changes = |e: &&&Event| match e.what {
            What::Assign { .. } | What::BorrowMut => true,
            What::Elements { writes, .. } => writes,
            _ => false,
        };
        let change = events.iter().find(changes).filter(|_| !self.function.declared.contains_key(&name))?;
        let mut code =
            f.body.nodes().filter(|e| matches!(&e.kind, Kind::Opaque(opaque) if opaque.what == Unknown::Unsafe));
        let inside = code.any(|e| e.nodes().any(|e| e.id == change.id));
        inside.then_some(*change)
    }

    /// The range or the items of the loop.
    fn source(&self, f: &For, report: &mut Report) -> Option<Source> {
        if let Some((name, place)) = self.iterator_in(&f.source) {
            report.error(
                Code::FA005,
                place,
                format!("`{name}` is an iterator, so what it gives and how many iterations there are is not known beforehand"),
                "",
            );
            return None;
        }
        if let Some((name, kind, place)) = self.collection_in(&f.source) {
            report.error(
                Code::FA005,
                place,
                format!("`{name}` is a `{kind}`, whose items have no index: they cannot be handed out to iterations"),
                "",
            );
            return None;
        }
        match Source::parse(&f.source, &self.function.shares, &self.function.tiles.objects) {
            Ok(source) => Some(source),
            // Unsupported uses of an array are rejected elsewhere.
            Err(_) if self.function.misuses(&f.source) => None,
            Err(refused) => {
                report.error(Code::FA005, refused.place, refused.message, "");
                None
            }
        }
    }

    /// A variable in a header that holds an iterator.
    fn iterator_in(&self, source: &Expr) -> Option<(Local, Location)> {
        match &source.bare().kind {
            Kind::Name(name) => {
                let held = self.function.declared.get(name).is_some_and(|d| d.iterator);
                held.then(|| (*name, Location::from(source)))
            }
            Kind::Method(receiver, _, args, _) => {
                self.iterator_in(receiver).or_else(|| args.iter().find_map(|arg| self.iterator_in(arg)))
            }
            Kind::Ref(_, inner) => self.iterator_in(inner),
            _ => None,
        }
    }

    /// A variable in a header that holds a collection without indices.
    fn collection_in(&self, source: &Expr) -> Option<(String, &'static str, Location)> {
        match &source.bare().kind {
            Kind::Name(name) => {
                let declared = self.function.declared.get(name)?;
                Some((name.clone().to_string(), declared.collection?, Location::from(source)))
            }
            Kind::Method(_, method, ..) if methods::measures(method) || matches!(&**method, "get" | "contains") => None,
            Kind::Method(receiver, _, args, _) => {
                let beside = || args.iter().find_map(|arg| self.collection_in(arg));
                self.collection_in(receiver).or_else(beside)
            }
            Kind::Ref(_, inner) => self.collection_in(inner),
            _ => None,
        }
    }

    fn capture(&self, name: Local, events: &[&Event], result: &mut Plan) {
        if self.function.declared.contains_key(&name)
            && !result.carried.iter().any(|c| c.variable == name)
            && let Some(event) = events.first()
        {
            result.captures.push((name, event.place.start));
        }
    }

    /// Checks that the attribute names the class of the loop.
    fn fits(&self, f: &For, result: &Plan, report: &mut Report) {
        let attribute = self.attribute;
        let span = header(f);
        let writes = result.writes();
        let reduces = result.accumulators.iter().any(|a| a.class.is_reduction());
        // A loop with an early exit has no class yet.
        let has_class = !report.has(&[Code::FA020]);
        if has_class && attribute == Attribute::Foreach && reduces && !writes && !result.scatters() {
            let message = "this loop is a reduction, not a `#[foreach]`: it leaves nothing but accumulated values";
            report.error(Code::FA030, span, message, "");
        }
        if !writes && result.accumulators.is_empty() && report.is_empty() && !self.calls(&f.body) {
            report.error(
                Code::FA030,
                span,
                "this loop leaves nothing behind: it writes no slice and collects nothing",
                "write to a slice, push, or accumulate; or remove the loop",
            );
        }
    }

    /// Whether the body may have effects that the compiler does not see, such as printing.
    fn calls(&self, body: &Block) -> bool {
        body.nodes().any(|e| matches!(&e.kind, Kind::Macro(..) | Kind::Opaque(..) | Kind::Call(..) | Kind::Method(..)))
    }
}

/// Whether a loop leaves its blocks as they are, as far as it shows.
fn leaves_blocks(plan: &Plan) -> bool {
    let changes = |e: &Expr| matches!(&e.kind, Kind::Method(_, method, ..) if methods::changes_shared_state(method));
    !plan.source.blocks().iter().any(|(_, mutable)| *mutable) && !plan.f.body.nodes().any(changes)
}

/// Iterations after the end of a loop may run, so the loop leaves nothing but values that are dropped then.
fn refuse_end(plan: &Plan, report: &mut Report) {
    let Some(ends) = &plan.f.ends else { return };
    let drops = |class: &Class| {
        matches!(class, Class::Sum { .. } | Class::Difference { .. } | Class::Product | Class::Parity)
            || matches!(class, Class::Idempotent { .. } | Class::Combine { .. } | Class::Best { .. })
            || matches!(class, Class::Segmented { .. })
    };
    // The chunks have other values of the accumulators than the sequential loop.
    let places: Vec<Place> = plan.accumulators.iter().flat_map(Accumulator::variables).cloned().collect();
    let fits = plan.accumulators.iter().all(|a| drops(&a.class))
        && ends.name().is_some_and(|left| !depends(left, &places, &plan.f.body))
        && !plan.macros
        && !plan.running
        && !plan.writes()
        && plan.asking.is_none()
        && plan.region.is_none()
        && (plan.source.blocks().is_empty() || leaves_blocks(plan));
    if !fits {
        report.error(Code::FA020, ends, "the loop ends early, and leaves more than accumulated values", "");
    }
}
