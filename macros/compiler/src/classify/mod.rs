//! Every outer variable that a loop writes must fall into a class; what falls into none is refused, with the reason.

mod arrays;
mod buffers;
mod conflicts;
mod explain;
mod running;
mod scalars;
mod states;

pub use explain::explain;

use crate::analysis::scalar::{Form, Update};
use crate::analysis::walk::{Event, Names, Walk, What};
use crate::front::attribute::Attribute;
use crate::front::function::Function;
use crate::front::header::Source;
use crate::front::parameters::Share;
use crate::front::variables::Declared;
use crate::index::Scope;
use crate::index::small_cases::Cases;
use crate::ir::report::{Code, Place, Report, shown};
use crate::ir::{Block, Expr, For, Id, Kind, StatementKind};
use crate::language::methods;
use crate::plan::{Carried, Class, Plan, SlotKind, Weight};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

impl Names for Function {
    fn mutable(&self, name: &str) -> bool {
        self.declared.get(name).is_some_and(|d| d.mutable)
    }

    fn share(&self, name: &str) -> bool {
        self.shares.iter().any(|s| s.name == name)
    }

    fn buffer(&self, name: &str) -> bool {
        self.declared.get(name).is_some_and(|d| d.buffer && !d.again) && self.pushes.iter().all(|p| p.name != name)
    }

    fn array(&self, name: &str) -> bool {
        self.shares.iter().any(|s| s.name == name && s.array.is_some())
    }

    fn refused(&self, e: &Expr) -> bool {
        self.misused(e).is_some()
    }
}

/// What happens to variables after a loop.
#[derive(Clone, Copy)]
pub struct After<'f> {
    /// Whether a variable is mentioned.
    pub live: &'f dyn Fn(&str) -> bool,
    /// Whether what a buffer holds makes a difference: other code may set it anew first.
    pub looked_at: &'f dyn Fn(&str) -> bool,
}

/// Classifies a loop. Mistakes go to `report`; `None` then.
///
/// `attribute` is the function's, or another one for a loop beside those that the function is annotated for.
pub fn classify(
    function: &Function,
    attribute: Attribute,
    f: &Rc<For>,
    after: &After<'_>,
    report: &mut Report,
) -> Option<Plan> {
    let mut mine = Report::default();
    let found = Classifier::new(function, attribute, *after, false).run(f.clone(), Vec::new(), &mut mine);
    let failed = !mine.is_empty();
    report.absorb(mine);
    found.filter(|_| !failed)
}

struct Classifier<'f> {
    function: &'f Function,
    /// The attribute that the loop is held against.
    attribute: Attribute,
    live: &'f dyn Fn(&str) -> bool,
    after: After<'f>,
    /// Whether this is only a question, to find the attribute that fits: then no such question is asked again.
    trial: bool,
    /// Variables that a mistake has been found with.
    blamed: RefCell<HashSet<String>>,
    /// Reads that no footprint describes: the node, its place, the message and the help.
    opaque: RefCell<Vec<(Id, Place, String, String)>>,
}

/// Outer variables that are assigned or changed through methods, by a look at the tokens alone.
fn changing(function: &Function, body: &Block) -> HashSet<String> {
    let mut names = HashSet::new();
    body.walk(&mut |e| {
        match &e.kind {
            // Also `(a, b) = ..` and `S { x: a } = ..`: whatever the place mentions.
            Kind::Assign(place, ..) => place.walk(&mut |part| {
                if let Kind::Name(name) = &part.kind {
                    names.insert(name.clone());
                }
                // What an index mentions is only read.
                !matches!(part.kind, Kind::Index(..)) || {
                    names.extend(part.root().map(str::to_owned));
                    false
                }
            }),
            Kind::Ref(true, inner) => names.extend(inner.root().map(str::to_owned)),
            Kind::Method(receiver, method, ..) if !methods::reads(method) => {
                names.extend(receiver.root().filter(|root| function.mutable(root)).map(str::to_owned));
            }
            Kind::Macro(_, _, mentioned) => {
                names.extend(mentioned.iter().filter(|(name, _)| function.mutable(name)).map(|(name, _)| name.clone()));
            }
            _ => {}
        }
        true
    });
    names
}

/// Arrays of the function whose length is written as a number.
fn fixed(function: &Function) -> HashMap<String, i64> {
    let length = |d: &Declared| d.length.as_ref().and_then(|length| length.parse().ok());
    let dims = |d: &Declared| {
        let share = function.shares.iter().find(|share| Some(&share.name) == d.shape_of.as_ref())?;
        i64::try_from(share.array.as_ref()?.dims).ok()
    };
    let arrays = function.declared.iter().filter(|(_, d)| (d.buffer || d.shape_of.is_some()) && !d.again);
    arrays.filter_map(|(name, d)| Some((name.clone(), length(d).or_else(|| dims(d))?))).collect()
}

/// Whether a body mentions nothing of an array but elements at fixed places, and accumulates in them by several operators:
/// with one it is a histogram.
fn elementwise(body: &Block, array: &str, length: i64) -> bool {
    let fixed = |e: &Expr| match &e.bare().kind {
        Kind::Index(base, index) if base.name() == Some(array) => {
            matches!(index.bare().kind, Kind::Int(at) if (0..length).contains(&at))
        }
        _ => false,
    };
    let (mut mentions, mut elements, mut plain) = (0, 0, true);
    let mut operators = HashSet::new();
    body.walk(&mut |e| {
        elements += usize::from(!matches!(e.kind, Kind::Paren(_)) && fixed(e));
        match &e.kind {
            Kind::Name(name) => mentions += usize::from(name == array),
            Kind::Macro(_, _, names) => plain &= names.iter().all(|(name, _)| name != array),
            Kind::Index(part, _) | Kind::Field(part, _) | Kind::Ref(true, part) => plain &= !fixed(part),
            Kind::Method(part, method, ..) => plain &= !fixed(part) || methods::reads(method),
            Kind::Assign(place, ..) if fixed(place) => {
                operators.extend(crate::analysis::scalar::updates(&place.text(), body, None).into_iter().map(|u| {
                    match u.form {
                        Form::Step(operator, _) => Some(operator.text()),
                        _ => None,
                    }
                }));
                plain &= !operators.contains(&None);
            }
            _ => {}
        }
        plain
    });
    plain && mentions == elements && operators.len() > 1
}

/// Variables of the function that do not mean one value all the time.
fn unsettled(function: &Function) -> HashSet<String> {
    function.declared.iter().filter(|(_, d)| d.mutable || d.again).map(|(name, _)| name.clone()).collect()
}

/// Whether a body calls macros of which nothing is known: those of the standard library keep to themselves.
fn calls_macros(body: &Block) -> bool {
    const KNOWN: [&str; 19] = [
        "assert",
        "assert_eq",
        "assert_ne",
        "cfg",
        "concat",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
        "eprint",
        "eprintln",
        "format",
        "matches",
        "panic",
        "print",
        "println",
        "todo",
        "unimplemented",
        "unreachable",
        "vec",
    ];
    let mut found = false;
    body.walk(&mut |e| {
        if let Kind::Macro(path, ..) = &e.kind {
            found |= !KNOWN.contains(&path.rsplit(':').next().unwrap_or_default().trim());
        }
        !found
    });
    found
}

impl<'f> Classifier<'f> {
    fn new(function: &'f Function, attribute: Attribute, after: After<'f>, trial: bool) -> Self {
        let (blamed, opaque) = (RefCell::default(), RefCell::default());
        Classifier { function, attribute, live: after.live, after, trial, blamed, opaque }
    }

    /// Whether the loop is what another attribute says.
    fn would_fit(&self, attribute: Attribute, f: &Rc<For>) -> bool {
        if self.trial || attribute == self.attribute {
            return false;
        }
        let mut report = Report::default();
        let found = Classifier::new(self.function, attribute, self.after, true).run(f.clone(), Vec::new(), &mut report);
        report.is_empty() && found.is_some_and(|l| attribute != Attribute::DistributedScan || l.running)
    }

    fn blame(&self, name: &str) {
        self.blamed.borrow_mut().insert(name.to_owned());
    }

    /// Reports the reads that no footprint describes, but those at a place which a variable chooses that is a mistake
    /// itself: mending the one mends the other.
    fn opaque_reads(&self, f: &For, report: &mut Report) {
        let blamed = self.blamed.borrow();
        for (id, place, message, help) in self.opaque.take() {
            let mut follows = false;
            f.body.walk(&mut |e| {
                follows |= e.id == id && blamed.iter().any(|name| e.mentions(name));
                !follows
            });
            if !follows {
                report.error(Code::FA050, place, message, help);
            }
        }
    }

    fn run(&self, f: Rc<For>, carried: Vec<Carried>, report: &mut Report) -> Option<Plan> {
        let function = self.function;
        if let Some((name, place)) = self.iterator_in(&f.source) {
            report.error(
                Code::FA005,
                place,
                format!("`{name}` is an iterator, so what it gives and how many iterations there are is not known beforehand"),
                "write in the header what is gone over: `for i in a..b`, or `for i in r` with `r: Range<usize>`, or `x.iter()` of a \
                 slice; items that nothing else gives can be collected first, into a `Vec`",
            );
            return None;
        }
        if let Some((name, kind, place)) = self.collection_in(&f.source) {
            report.error(
                Code::FA005,
                place,
                format!("`{name}` is a `{kind}`, whose items have no index: they cannot be handed out to iterations"),
                format!("collect what is gone over into a `Vec` first: `let items: Vec<_> = {name}.iter().collect();`"),
            );
            return None;
        }
        let source = match Source::parse(&f.source, &function.shares) {
            Ok(source) => source,
            // What is done with an array is refused already, wherever it stands.
            Err(_) if function.misuses(&f.source) => return None,
            Err(refused) => {
                report.error(
                    Code::FA005,
                    refused.place,
                    refused.message,
                    "write `for i in a..b` (with `.rev()`, `.step_by(k)`), or iterate over slices with `iter`, `iter_mut`, `zip`, \
                     `enumerate`, `chunks_exact`, `windows`",
                );
                return None;
            }
        };
        let changing = changing(function, &f.body);
        let dims = |share: &Share| share.array.as_ref().map(|array| array.dims);
        let shares: HashMap<String, Option<usize>> =
            function.shares.iter().map(|s| (s.name.clone(), dims(s))).collect();
        let (unsettled, fixed) = (unsettled(function), fixed(function));
        let scope = Scope::new(&function.closures, &changing, &shares, &unsettled, &fixed);
        let elementwise = fixed.iter().filter(|(name, length)| elementwise(&f.body, name, **length));
        let mut walk = Walk::new(scope, function, elementwise.map(|(name, _)| name.clone()).collect());
        walk.annotated(&source, &f);
        // A `continue` or `break` may leave out any access: then nothing meets for certain.
        let iterations = walk.scope.iterations(&f.source).filter(|_| runs_through(&f.body));
        let cases = iterations.map(|iterations| Cases {
            iterations,
            counters: std::mem::take(&mut walk.scope.counters),
            atoms: std::mem::take(&mut walk.scope.atoms),
            pairs: std::mem::take(&mut walk.scope.pairs),
        });
        let (events, left) = (walk.events, walk.report);
        let (lengths, mut shapes) = (walk.scope.lengths, walk.scope.shapes);
        shapes.extend(events.iter().map(|e| &e.name).filter(|name| function.array(name)).cloned());
        report.absorb(left);

        let mut by_name: BTreeMap<&str, Vec<&Event>> = BTreeMap::new();
        for event in &events {
            by_name.entry(&event.name).or_default().push(event);
        }
        let parts =
            events.iter().any(|e| function.array(&e.name) && matches!(e.what, What::Elements { single: false, .. }));
        let mut result = Plan {
            weight: if parts { Weight::Heavy } else { weight(&f.body) },
            macros: calls_macros(&f.body),
            f: f.clone(),
            written: f.clone(),
            source,
            slots: Vec::new(),
            accesses: Vec::new(),
            accumulators: Vec::new(),
            privates: Vec::new(),
            running: false,
            ordered: true,
            captures: Vec::new(),
            own_lengths: own_lengths(&f, &events, &lengths),
            lengths,
            shapes,
            carried,
            asking: None,
        };
        // A recurrence through an array becomes one through a variable, and the loop is looked at again.
        if self.attribute == Attribute::DistributedScan
            && result.carried.len() < 8
            && let Some((again, carried)) = self.carry(&f, &by_name, &result)
        {
            let mut all = result.carried;
            let (variable, set, read) = (carried.variable.to_string(), carried.set.clone(), carried.read.clone());
            all.push(carried);
            let mut rewritten = Report::default();
            let found = self.run(again, all, &mut rewritten).map(|found| Plan { written: f, ..found });
            let help = format!(
                "a scan through an array is `{set} = {read} op e`, with an associative operator, or a linear recurrence, \
                 `{set} = a * {read} + b`"
            );
            for variable in [running::earlier(&variable), variable] {
                rewritten.rename(&variable, &set, &read, &help);
            }
            report.absorb(rewritten);
            return found;
        }
        let mut scalars: Vec<(&str, Vec<&Event>)> = Vec::new();
        for (name, events) in &by_name {
            let elements = events.iter().any(|e| matches!(e.what, What::Elements { .. }));
            let writes = events.iter().any(|e| matches!(e.what, What::Elements { writes: true, .. }));
            if function.share(name) {
                self.share(name, events, &mut result, report);
            } else if writes {
                self.local_array(name, events, &mut result, report);
            } else if events.iter().any(|e| !matches!(e.what, What::Use | What::Len | What::Elements { .. })) {
                scalars.push((name, events.clone()));
            } else {
                let _ = elements;
                self.closure(name, events, report);
                self.capture(name, events, &mut result);
            }
        }
        self.scalars(&f, scalars, &mut result, report);
        self.conflicts(&events, cases.as_ref(), &mut result, report);
        self.running(&f, &events, &mut result, report);
        self.opaque_reads(&f, report);
        self.attribute(&f, &mut result, report);
        self.gathers(&mut result);
        Some(result)
    }

    /// A variable that holds an iterator, in a header.
    fn iterator_in(&self, source: &Expr) -> Option<(String, Place)> {
        match &source.bare().kind {
            Kind::Name(name) => {
                let held = self.function.declared.get(name).is_some_and(|d| d.iterator && !d.again);
                held.then(|| (name.clone(), Place::from(source)))
            }
            Kind::Method(receiver, _, args, _) => {
                self.iterator_in(receiver).or_else(|| args.iter().find_map(|arg| self.iterator_in(arg)))
            }
            Kind::Ref(_, inner) => self.iterator_in(inner),
            _ => None,
        }
    }

    /// A variable that holds a collection without indices, in a header.
    fn collection_in(&self, source: &Expr) -> Option<(String, &'static str, Place)> {
        match &source.bare().kind {
            Kind::Name(name) => {
                let declared = self.function.declared.get(name).filter(|d| !d.again)?;
                Some((name.clone(), declared.collection?, Place::from(source)))
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

    fn capture(&self, name: &str, events: &[&Event], result: &mut Plan) {
        if self.function.declared.contains_key(name)
            && !result.carried.iter().any(|c| c.variable == name)
            && let Some(event) = events.first()
        {
            result.captures.push((name.to_owned(), event.place.start));
        }
    }

    /// Whether the attribute says what the loop is.
    fn attribute(&self, f: &Rc<For>, result: &mut Plan, report: &mut Report) {
        let attribute = self.attribute;
        let span = header(f);
        let has = |test: &dyn Fn(&Class) -> bool| result.accumulators.iter().any(|a| test(&a.class));
        let writes = result.slots.iter().any(|s| matches!(s.kind, SlotKind::Write | SlotKind::Everywhere));
        let reduces = has(&|c| c.is_reduction());
        let wrong = match attribute {
            Attribute::Foreach if reduces && !writes => Some((
                "a reduction: it leaves nothing but accumulated values",
                "`#[kary_reduce]` is the attribute for it",
            )),
            _ => None,
        };
        if let Some((what, help)) = wrong {
            report.error(Code::FA030, span, format!("this loop is {what}, not a `#[{}]`", attribute.name()), help);
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

    /// Whether the body does something that is not seen, such as printing.
    fn calls(&self, body: &Block) -> bool {
        let mut found = false;
        body.walk(&mut |e| {
            found |= matches!(&e.kind, Kind::Macro(..) | Kind::Call(..) | Kind::Method(..));
            !found
        });
        found
    }
}

fn single(e: &Expr) -> Block {
    Block {
        statements: vec![crate::ir::Statement {
            id: 0,
            kind: StatementKind::Expr(e.clone(), true),
            tokens: e.tokens.clone(),
        }],
    }
}

/// Whether a node is in an expression.
fn holds(e: &Expr, node: Id) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        found |= e.id == node;
        !found
    });
    found
}

/// See [`Plan::own_lengths`].
fn own_lengths(f: &For, events: &[Event], lengths: &BTreeSet<String>) -> HashMap<Id, String> {
    let mut found = HashMap::new();
    let written = |event: &&Event| matches!(event.what, What::Elements { writes: true, .. });
    for event in events.iter().filter(written).filter(|event| lengths.contains(&event.name)) {
        f.body.walk(&mut |e| {
            let Kind::Index(_, index) = &e.kind else { return true };
            if e.id == event.id {
                index.walk(&mut |e| {
                    if let Kind::Method(array, method, args, _) = &e.kind
                        && method == "len"
                        && args.is_empty()
                        && array.name() == Some(&event.name)
                    {
                        found.insert(e.id, event.name.clone());
                    }
                    true
                });
            }
            true
        });
    }
    found
}

/// Where an update is: the assignment, or the head of the `if` around it.
fn assignment(update: &Update<'_>) -> Place {
    match &update.node.kind {
        Kind::If(condition, ..) => Place::from(update.node.span).to(&**condition),
        _ => Place::from(update.node),
    }
}

/// The text of a node.
fn assigned(f: &For, node: Id) -> String {
    let mut text = String::new();
    f.body.walk(&mut |e| {
        if e.id == node {
            text = e.text();
        }
        text.is_empty()
    });
    text
}

/// `path` of `place = path(place, e)`.
fn called(f: &For, assign: Id, place: &str) -> Option<String> {
    let mut found = None;
    f.body.walk(&mut |e| {
        if e.id == assign
            && let Kind::Assign(_, None, value) = &e.kind
            && let Kind::Call(function, args) = &value.bare().kind
            && args.len() == 2
            && args[0].text() == place
        {
            found = Some(shown(&function.text()));
        }
        found.is_none()
    });
    found
}

/// From `for` to the end of what is iterated over.
pub fn header(f: &For) -> Place {
    Place::from(f.span).to(&f.source)
}

/// Whether a variable is assigned or borrowed as `&mut`.
fn changes(body: &Block, name: &str) -> bool {
    let mut found = false;
    body.walk(&mut |e| {
        found |= match &e.kind {
            Kind::Assign(place, ..) | Kind::Ref(true, place) => place.root() == Some(name),
            _ => false,
        };
        !found
    });
    found
}

/// Whether every iteration comes to the end of the body, and does not stop in an inner loop.
fn runs_through(body: &Block) -> bool {
    let mut through = true;
    body.walk(&mut |e| {
        through &= !matches!(
            e.kind,
            Kind::Continue(_) | Kind::Break(..) | Kind::Return(_) | Kind::While(..) | Kind::Loop(..) | Kind::Try(_)
        );
        through
    });
    through
}

fn weight(body: &Block) -> Weight {
    let mut weight = Weight::Light;
    body.walk(&mut |e| {
        match &e.kind {
            Kind::For(_) | Kind::While(..) | Kind::Loop(..) => weight = Weight::Heavy,
            Kind::Method(_, name, _, _)
                if matches!(name.as_str(), "iter" | "sum" | "fold" | "sort" | "sort_unstable") =>
            {
                weight = Weight::Heavy;
            }
            Kind::Call(function, _) if weight == Weight::Light => {
                // Constructors and conversions are cheap.
                let last = function.text().rsplit("::").next().unwrap_or_default().trim().to_owned();
                if !last.starts_with(char::is_uppercase) && !matches!(last.as_str(), "from" | "min" | "max" | "new") {
                    weight = Weight::Medium;
                }
            }
            _ => {}
        }
        weight != Weight::Heavy
    });
    weight
}
