//! Every outer variable that a loop writes must fall into a class; what falls into none is refused, with the reason.

use crate::array::element;
use crate::ask::{asking_part, bindings};
use crate::function::{Attribute, Declared, Function, Marker, Share};
use crate::header::Source;
use crate::index::{Known, Scope};
use crate::ir::{Block, Expr, For, Id, Kind, Op, StatementKind};
use crate::poly::Poly;
use crate::report::{Code, Place, Report, shown};
use crate::scalar::{Form, Operator, Update, as_linear, conjuncts, operands, part_of_update, through, updates};
use crate::slice::{Sliced, Unsliceable};
use crate::state::{Flow, How, Mention, Sort};
use crate::walk::{Event, Names, Walk, What};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// A loop made ready for expansion.
pub struct Loop {
    pub f: Rc<For>,
    pub source: Source,
    pub slots: Vec<Slot>,
    pub accesses: Vec<Access>,
    pub accumulators: Vec<Accumulator>,
    /// Variables that every iteration sets before it reads them.
    pub privates: Vec<String>,
    /// Whether the body sees a running value.
    pub running: bool,
    /// Whether iterations are proved to write ordered places while compiling.
    pub ordered: bool,
    pub weight: &'static str,
    /// Whether the body calls macros that may do anything.
    pub macros: bool,
    pub captures: Vec<(String, Span)>,
    /// Arrays whose length is asked for.
    pub lengths: BTreeSet<String>,
    /// Arrays whose shape is asked for.
    pub shapes: BTreeSet<String>,
    /// Array elements of the previous iteration, held in variables.
    pub carried: Vec<Carried>,
    /// What asks for the elements of gathered arrays.
    pub asking: Option<Asking>,
    pub explain: Vec<String>,
}

/// The part of a body that asks for the elements of gathered arrays.
pub struct Asking {
    /// What runs before each fetch, and the slots that it asks for.
    pub stages: Vec<(TokenStream, Vec<usize>)>,
    /// Private variables that it sets.
    pub privates: Vec<String>,
    /// The reads that it is for, by slot.
    reads: Vec<(usize, Vec<String>)>,
}

impl Loop {
    /// Whether the reductions run in interleaved lanes: straight code with nothing but operators that forall knows.
    pub fn in_lanes(&self) -> bool {
        let plain = |a: &Accumulator| {
            matches!(a.class, Class::Sum { .. } | Class::Difference { .. } | Class::Product | Class::Idempotent { .. })
        };
        self.weight == "Light"
            && !self.macros
            && self.accumulators.iter().any(plain)
            && self.accumulators.iter().all(|a| plain(a) || self.running && !a.class.is_reduction())
    }
}

/// An array of the loop.
#[derive(Debug, Clone)]
pub struct Slot {
    pub name: String,
    pub element: Option<TokenStream>,
    pub kind: SlotKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotKind {
    Read,
    /// A writable parameter that this loop only reads.
    ReadOutput,
    /// `#[gather]`, of which iterations ask for elements beforehand.
    Gather,
    Write,
    /// An array that every rank has whole.
    Everywhere,
}

/// One access, in the footprint.
#[derive(Debug, Clone)]
pub struct Access {
    pub slot: usize,
    pub writes: bool,
    pub single: bool,
    pub first: Known,
    pub end: Known,
    /// `#[halo(e)]` stands for an index that is not known.
    pub halo: Option<TokenStream>,
    /// Whether it is one of those that fill a square matrix from one triangle.
    pub mirrored: bool,
    /// The access as a person writes it.
    pub text: String,
}

/// A variable that collects something.
pub struct Accumulator {
    /// The author's place, as code.
    pub place: TokenStream,
    /// Its text.
    pub text: String,
    /// What it is called inside the kernel.
    pub ident: Ident,
    pub class: Class,
    /// What replaces its updates in a chunk that starts from the identity.
    pub edits: HashMap<Id, TokenStream>,
    /// The statements that update it.
    pub nodes: Vec<Id>,
}

pub enum Class {
    /// Partial sums of integers wrap around where they may be out of range and the whole is not.
    Sum {
        wraps: bool,
    },
    /// A sum of what is subtracted.
    Difference {
        wraps: bool,
    },
    Product,
    Parity,
    Idempotent {
        merge: TokenStream,
    },
    Combine {
        merge: TokenStream,
    },
    Best {
        variables: Vec<String>,
        /// What they are called inside the kernel.
        names: Vec<Ident>,
        better: TokenStream,
        hit: Ident,
    },
    Segmented {
        merge: TokenStream,
        exact: &'static str,
        /// Whether the author starts afresh somewhere.
        resets: bool,
    },
    Linear {
        /// Variables of the body that it is computed through.
        through: Vec<String>,
    },
    Bins {
        /// What the bins of a chunk start from, as code.
        fresh: TokenStream,
        merge: TokenStream,
        share: bool,
    },
    Pushes {
        element: TokenStream,
    },
    /// `init` without `merge` is code that gives both.
    State {
        init: Option<TokenStream>,
        merge: Option<TokenStream>,
    },
    Scratch,
}

/// What merges values of which the later one counts.
const LAST: &str = "__b";

impl Class {
    pub fn is_reduction(&self) -> bool {
        !matches!(self, Class::Pushes { .. } | Class::State { .. } | Class::Scratch)
    }

    fn name(&self) -> &'static str {
        match self {
            Class::Sum { .. }
            | Class::Difference { .. }
            | Class::Product
            | Class::Parity
            | Class::Idempotent { .. }
            | Class::Combine { .. }
            | Class::Segmented { resets: false, .. } => "reduce",
            Class::Best { .. } => "reduce (best value and place)",
            Class::Segmented { .. } => "segmented scan",
            Class::Linear { .. } => "linear recurrence",
            Class::Bins { .. } => "histogram",
            Class::Pushes { .. } => "push",
            Class::State { .. } => "state",
            Class::Scratch => "scratch",
        }
    }

    /// How its values are put together, as a person says it.
    fn how(&self) -> String {
        let by = |merge: &TokenStream| {
            let text = merge.to_string();
            let words: Vec<&str> =
                text.split(|c: char| c.is_whitespace() || "().".contains(c)).filter(|word| !word.is_empty()).collect();
            let operator =
                ["max", "min", "&&", "||", "&", "|", "^", "+", "*"].into_iter().find(|op| words.contains(op));
            match operator {
                _ if words.contains(&"plus") => " by `+`".to_owned(),
                _ if words.contains(&"times") => " by `*`".to_owned(),
                Some(operator) => format!(" by `{operator}`"),
                None if text.contains("__b >") || text.contains("__a >") => " by `max`".to_owned(),
                None if text.contains("__b <") || text.contains("__a <") => " by `min`".to_owned(),
                None => {
                    let path = text.split("(__a").next().unwrap_or_default().trim().trim_matches(['(', ')', ' ']);
                    format!(" by `{}`", shown(path))
                }
            }
        };
        match self {
            Class::Sum { .. } => " by `+`".to_owned(),
            Class::Difference { .. } => " by `-`".to_owned(),
            Class::Product => " by `*`".to_owned(),
            Class::Parity => " by `^`".to_owned(),
            Class::Idempotent { merge } | Class::Combine { merge } | Class::Bins { merge, .. } => by(merge),
            Class::Segmented { merge, resets: false, .. } => by(merge),
            Class::Segmented { merge, .. } if merge.to_string() == LAST => ", the last value that was set".to_owned(),
            Class::Segmented { merge, .. } => format!("{}, which starts afresh under a condition", by(merge)),
            Class::Best { variables, .. } => {
                format!(", with {}", variables.iter().map(|v| format!("`{v}`")).collect::<Vec<_>>().join(", "))
            }
            Class::Linear { .. } => " = a * itself + b".to_owned(),
            Class::Pushes { .. } => ", in the order of the iterations".to_owned(),
            Class::State { .. } => ", one for each worker, merged in the order of the iterations".to_owned(),
            Class::Scratch => ", one for each worker".to_owned(),
        }
    }
}

/// An element of the previous iteration.
#[derive(Debug, Clone)]
pub struct Carried {
    pub variable: Ident,
    /// The element that the first iteration reads.
    pub first: TokenStream,
    /// The element that an iteration sets, as a person writes it.
    set: String,
    /// The element that it reads.
    read: String,
}

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
) -> Option<Loop> {
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
            Kind::Method(receiver, method, ..) if !crate::walk::is_reading(method) => {
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
    let arrays = function.declared.iter().filter(|(_, d)| d.buffer && !d.again);
    arrays.filter_map(|(name, d)| Some((name.clone(), length(d)?))).collect()
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

    fn run(&self, f: Rc<For>, carried: Vec<Carried>, report: &mut Report) -> Option<Loop> {
        let function = self.function;
        let mutable_share = |name: &str| function.shares.iter().any(|s| s.name == name && s.mutable);
        let source = match Source::parse(&f.source, &mutable_share) {
            Ok(source) => source,
            // What is done with an array is refused already, wherever it stands.
            Err(_) if crate::array::is_refused(function, &f.source) => return None,
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
        let mut walk = Walk::new(scope, function);
        walk.annotated(&source, &f);
        let (events, left) = (walk.events, walk.report);
        let (lengths, mut shapes) = (walk.scope.lengths, walk.scope.shapes);
        shapes.extend(events.iter().map(|e| &e.name).filter(|name| function.array(name)).cloned());
        report.absorb(left);

        let mut by_name: BTreeMap<&str, Vec<&Event>> = BTreeMap::new();
        for event in &events {
            by_name.entry(&event.name).or_default().push(event);
        }
        let mut result = Loop {
            weight: weight(&f.body),
            macros: calls_macros(&f.body),
            f: f.clone(),
            source,
            slots: Vec::new(),
            accesses: Vec::new(),
            accumulators: Vec::new(),
            privates: Vec::new(),
            running: false,
            ordered: true,
            captures: Vec::new(),
            lengths,
            shapes,
            carried,
            asking: None,
            explain: Vec::new(),
        };
        // A recurrence through an array becomes one through a variable, and the loop is looked at again.
        if self.attribute == Attribute::DistributedScan
            && result.carried.len() < 8
            && let Some((f, carried)) = self.carry(&f, &by_name, &result)
        {
            let mut all = result.carried;
            let (variable, set, read) = (carried.variable.to_string(), carried.set.clone(), carried.read.clone());
            all.push(carried);
            let mut rewritten = Report::default();
            let found = self.run(f, all, &mut rewritten);
            let help = format!(
                "a scan through an array is `{set} = {read} op e`, with an associative operator, or a linear recurrence, \
                 `{set} = a * {read} + b`"
            );
            rewritten.rename(&variable, &set, &read, &help);
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
        self.conflicts(&events, &mut result, report);
        self.running(&f, &events, &mut result, report);
        self.opaque_reads(&f, report);
        self.attribute(&f, &mut result, report);
        self.gathers(&mut result);
        self.explain(&mut result);
        Some(result)
    }

    /// Finds the slices marked `#[gather]` of which iterations can ask for elements before the loop runs, in as many
    /// stages as it takes.
    fn gathers(&self, result: &mut Loop) {
        let marked = |name: &str| {
            self.function.shares.iter().any(|s| s.name == name && matches!(s.marker, Some(Marker::Gather)))
        };
        let unknown = |slot: usize| result.accesses.iter().any(|a| a.slot == slot && a.first.value.is_none());
        let mut missing: Vec<(&str, usize)> =
            result.slots.iter().enumerate().map(|(k, slot)| (&*slot.name, k)).collect();
        missing.retain(|&(name, k)| result.slots[k].kind == SlotKind::Read && marked(name) && unknown(k));
        let (mut stages, mut slots, mut privates) = (Vec::new(), Vec::new(), BTreeSet::new());
        // What one stage has fetched tells the next where to read: `x[column[k]]`.
        while !missing.is_empty() {
            let names: Vec<&str> = missing.iter().map(|(name, _)| *name).collect();
            let (mut gathered, mut found) = (HashMap::new(), None);
            for &(name, slot) in &missing {
                gathered.insert(name, slot);
                match asking_part(result, &gathered, &names) {
                    Some(part) => found = Some(part),
                    None => _ = gathered.remove(name),
                }
            }
            match found {
                Some((body, needed)) => {
                    privates.extend(result.privates.iter().filter(|name| needed.contains(*name)).cloned());
                    missing.retain(|(name, _)| !gathered.contains_key(name));
                    slots.extend(gathered.values());
                    stages.push((body, gathered.into_values().collect()));
                }
                // This one is fetched whole, so that it is there from the beginning.
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
        result.asking = Some(Asking { stages, privates: privates.into_iter().collect(), reads: reads.collect() });
        slots.iter().for_each(|&slot| result.slots[slot].kind = SlotKind::Gather);
        result.accesses.retain(|access| !slots.contains(&access.slot));
    }

    fn capture(&self, name: &str, events: &[&Event], result: &mut Loop) {
        if self.function.declared.contains_key(name)
            && !result.carried.iter().any(|c| c.variable == name)
            && let Some(event) = events.first()
        {
            result.captures.push((name.to_owned(), event.place.start));
        }
    }

    /// A distributed parameter.
    fn share(&self, name: &str, events: &[&Event], result: &mut Loop, report: &mut Report) {
        let Some(share) = self.function.shares.iter().find(|s| s.name == name) else { return };
        let writes: Vec<&&Event> =
            events.iter().filter(|e| matches!(e.what, What::Elements { writes: true, .. })).collect();
        if !writes.is_empty() && self.histogram(name, events, true, result) {
            return;
        }
        let kind = match (share.mutable, writes.is_empty()) {
            (_, false) => SlotKind::Write,
            (true, true) => SlotKind::ReadOutput,
            (false, true) => SlotKind::Read,
        };
        let slot = result.slots.len();
        result.slots.push(Slot { name: name.to_owned(), element: Some(share.element.clone()), kind });
        for event in events {
            match &event.what {
                What::Elements { first, end, single, writes, .. } => {
                    let known = first.value.is_some() && end.value.is_some();
                    if *writes {
                        self.write(name, event, events, first, known, report);
                    } else if !known && share.mutable {
                        // A write at such a place is the greater mistake, and mending it mends this one.
                        let unknown_write = |e: &&&Event| matches!(&e.what, What::Elements { writes: true, first, .. } if first.value.is_none());
                        if !events.iter().any(|e| unknown_write(&e)) {
                            self.opaque.borrow_mut().push((
                                event.id,
                                event.place,
                                format!(
                                    "`{}` reads elements of `{name}` at places that no footprint describes, while iterations may write \
                                     `{name}`",
                                    event.text
                                ),
                                format!("read what `{name}` held before the loop from a slice of its own, `#[gather] old: &[T]`"),
                            ));
                        }
                    } else if !known && share.marker.is_none() {
                        self.opaque.borrow_mut().push((
                            event.id,
                            event.place,
                            format!(
                                "`{}` reads elements of `{name}` at places that no footprint describes: they may be on any rank",
                                event.text
                            ),
                            format!(
                                "mark the parameter: `#[replicated] {name}` if every rank has all of it, `#[gather] {name}` to fetch \
                                 the elements that are asked for, or `#[halo(n)] {name}` if they are at most n {} away",
                                if share.array.as_ref().is_some_and(|array| array.dims > 1) { "planes" } else { "elements" }
                            ),
                        ));
                    }
                    if known || *writes {
                        result.accesses.push(Access {
                            slot,
                            writes: *writes,
                            single: *single,
                            first: first.clone(),
                            end: end.clone(),
                            halo: None,
                            mirrored: false,
                            text: event.text.clone(),
                        });
                    } else {
                        let halo = match &share.marker {
                            Some(Marker::Halo(width)) => Some(width.clone()),
                            _ => None,
                        };
                        result.accesses.push(Access {
                            slot,
                            writes: false,
                            single: false,
                            first: Known::default(),
                            end: Known::default(),
                            halo,
                            mirrored: false,
                            text: event.text.clone(),
                        });
                    }
                }
                What::Len => {}
                What::Use | What::Method { .. } | What::BorrowMut | What::Assign { .. } if share.mutable => {
                    report.error(
                        Code::FA012,
                        event.place,
                        if event.text == *name {
                            format!("`{name}` is used as a whole here, which may write any of its elements: it is not seen which")
                        } else {
                            format!("`{}` may write any element of `{name}`: it is not seen which", event.text)
                        },
                        match &share.array {
                            Some(array) => format!("write the elements by their index (`{} = e`)", element(name, Some(array))),
                            None => format!(
                                "write the elements by their index (`{name}[i] = e`), or hand over the part that belongs to the \
                                 iteration (`&mut {name}[a..b]`)"
                            ),
                        },
                    );
                }
                What::Use | What::Method { .. } | What::BorrowMut | What::Assign { .. } => {
                    let kind = if share.array.is_some() { "array" } else { "slice" };
                    let message = if event.text == *name {
                        format!(
                            "`{name}` is used as a whole here: it is not seen which elements of the distributed {kind} are read"
                        )
                    } else {
                        format!(
                            "`{}` uses the distributed {kind} `{name}` as a whole: it is not seen which elements it reads",
                            event.text
                        )
                    };
                    let part = match &share.array {
                        Some(array) => format!("as `{}`", element(name, Some(array))),
                        None => format!("pass the part that is needed (`&{name}[a..b]`)"),
                    };
                    report.error(
                        Code::FA050,
                        event.place,
                        message,
                        format!(
                            "index `{name}` in the loop, {part}, or mark the parameter `#[replicated] {name}` if every rank has all \
                             of it"
                        ),
                    );
                }
            }
        }
    }

    /// Checks a write to elements: it must go where the iteration says.
    fn write(&self, name: &str, event: &Event, events: &[&Event], first: &Known, known: bool, report: &mut Report) {
        if let Some((add, read)) = read_bins(events) {
            report.error(
                Code::FA014,
                read.place,
                format!(
                    "`{}` is read while iterations still add to `{name}` (`{}`): what it holds depends on the iterations before",
                    read.text, add.text
                ),
                format!("read `{name}` after the loop, or in a second loop"),
            );
            return;
        }
        if !known {
            let What::Elements { index, .. } = &event.what else { return };
            let counters: Vec<&str> = index
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|word| self.function.mutable(word) && !self.function.share(word))
                .collect();
            counters.iter().for_each(|counter| self.blame(counter));
            if let Some(counter) = counters.first() {
                report.error(
                    Code::FA012,
                    event.place,
                    format!("`{}` writes `{name}` where `{counter}` says, which earlier iterations have changed", event.text),
                    format!(
                        "to keep some of the elements in their order, push them: `{name}.push(e)` with `{name}: &mut Vec<T>` under \
                         `#[foreach_tls]`; else compute the place from the loop variable"
                    ),
                );
                return;
            }
            report.error(
                Code::FA012,
                event.place,
                format!("`{}` writes `{name}` at a place that the data choose, so two iterations may write the same element", event.text),
                format!(
                    "write `{name}` at a place that follows from the loop variable; to add up at places that the data choose, write \
                     `{name}[k] += e` and nothing else to it; to keep some of the elements, push them (`#[foreach_tls]`)"
                ),
            );
            return;
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
                    "let each iteration write elements of its own; if only the loops inside are parallel, put `#[sequential]` \
                     above this one",
                );
            }
            Some(Some(step)) if step.is_zero() => report.error(
                Code::FA011,
                event.place,
                format!("every iteration writes `{}`: only the last one would count", event.text),
                format!(
                    "write an element that belongs to the iteration; to collect a result from all of them, add it up \
                     (`{name}[k] += e`, `sum += e`) under `#[kary_reduce]`"
                ),
            ),
            Some(None) | None => report.error(
                Code::FA011,
                event.place,
                format!("`{}` does not move by a fixed step from one iteration to the next, so iterations may write the same element", event.text),
                "write at `a * i + b`, where neither `a` nor `b` changes from iteration to iteration",
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
                        "let the elements of an iteration end before those of the next begin",
                    );
                }
            }
        }
    }

    /// A closure from outside of the loop must neither read distributed slices nor change anything.
    fn closure(&self, name: &str, events: &[&Event], report: &mut Report) {
        let (Some((patterns, body)), Some(call)) = (self.function.closures.get(name), events.first()) else { return };
        let mut own: HashSet<&str> = patterns.iter().flat_map(|p| &p.names).map(|b| b.name.as_str()).collect();
        body.walk(&mut |e| {
            if let Kind::Block(block) = &e.kind {
                for statement in &block.statements {
                    if let StatementKind::Let(pattern, ..) = &statement.kind {
                        own.extend(pattern.names.iter().map(|b| b.name.as_str()));
                    }
                }
            }
            true
        });
        body.walk(&mut |e| {
            let changed = match &e.kind {
                Kind::Assign(place, ..) => place.root(),
                Kind::Ref(true, inner) => inner.root(),
                Kind::Method(receiver, method, ..) if !crate::walk::is_reading(method) => {
                    receiver.root().filter(|root| self.function.mutable(root))
                }
                _ => None,
            };
            if let Some(changed) = changed.filter(|changed| !own.contains(changed)) {
                report.error(
                    Code::FA010,
                    call.place,
                    format!("`{name}` changes `{changed}` (`{}`), which all iterations share", shown(&e.text())),
                    format!("let the closure return what it found, and update `{changed}` in the loop, as a reduction"),
                );
                return false;
            }
            if let Kind::Name(array) = &e.kind
                && self.function.share(array)
                && !own.contains(array.as_str())
            {
                report.error(
                    Code::FA050,
                    call.place,
                    format!("`{name}` is a closure from outside of the loop that uses the distributed slice `{array}`"),
                    format!(
                        "write the closure inside the loop, or mark the parameter `#[replicated] {array}` if every rank has all of it"
                    ),
                );
            }
            true
        });
    }

    /// A local array, or one that every rank has whole, of which elements are written.
    fn local_array(&self, name: &str, events: &[&Event], result: &mut Loop, report: &mut Report) {
        if self.function.state_named(name)
            || events.iter().any(|e| matches!(&e.what, What::Method { method, .. } if is_push(method)))
        {
            return self.state(name, events, result, report);
        }
        if self.scratch(name, events, result, report) {
            return;
        }
        let in_field = |e: &&&Event| {
            matches!(e.what, What::Elements { writes: true, .. }) && e.text.starts_with(&format!("{name}."))
        };
        if let Some(event) = events.iter().find(in_field) {
            self.blame(name);
            report.error(
                Code::FA012,
                event.place,
                format!("`{}` writes elements of an array inside of `{name}`, which all iterations share", event.text),
                format!(
                    "use an array of its own (`let mut bins = [0; n];`), and put it into `{name}` after the loop; a fixed element of a \
                     field may be accumulated (`{name}.sum[0] += e`)"
                ),
            );
            return;
        }
        let maps = events.iter().all(|e| match &e.what {
            What::Elements { first, writes: true, .. } => {
                first.poly.as_ref().and_then(Poly::coefficient_of_position).is_some_and(|step| !step.is_zero())
            }
            _ => true,
        });
        if !maps && self.histogram(name, events, false, result) {
            return;
        }
        if !maps
            && let Some(declared) = self.function.declared.get(name)
            && !declared.parameter
            && declared.buffer
            && !(self.live)(name)
        {
            let place = events.first().map_or_else(|| header(&result.f), |e| e.place);
            return self.unfilled(name, place, &result.f.body, report);
        }
        let slot = result.slots.len();
        result.slots.push(Slot { name: name.to_owned(), element: None, kind: SlotKind::Everywhere });
        for event in events {
            match &event.what {
                What::Elements { first, end, single, writes, .. } => {
                    if *writes {
                        self.write(name, event, events, first, first.value.is_some() && end.value.is_some(), report);
                    }
                    result.accesses.push(Access {
                        slot,
                        writes: *writes,
                        single: *single,
                        first: first.clone(),
                        end: end.clone(),
                        halo: None,
                        mirrored: false,
                        text: event.text.clone(),
                    });
                }
                What::Len => {}
                _ => report.error(
                    Code::FA010,
                    event.place,
                    if event.text == *name {
                        format!("`{name}` is used as a whole here while iterations write its elements")
                    } else {
                        format!("`{}` uses `{name}` as a whole while iterations write its elements", event.text)
                    },
                    format!("read only the elements of `{name}` that the iteration itself writes"),
                ),
            }
        }
    }

    /// Takes a variable that every iteration sets anew before it does anything else with it. Whether it is one.
    fn scratch(&self, name: &str, events: &[&Event], result: &mut Loop, report: &mut Report) -> bool {
        let Some(declared) = self.function.declared.get(name) else { return false };
        let flow = Flow::of_iteration(&result.f, name, crate::state::is_array(self.function, name));
        let reset = flow.resets.first().filter(|_| flow.private());
        if let Some(reset) = reset {
            if (self.after.looked_at)(name) {
                let (after, help) = match declared.reference {
                    true => ("given back to the caller", format!("declare `let mut {name}` in the function")),
                    false => ("read after the loop", format!("declare `let mut {name}` inside the loop")),
                };
                report.error(
                    Code::FA013,
                    reset.place,
                    format!("`{name}` is set anew by every iteration (`{}`) and {after}: what the last iteration leaves is lost", reset.text),
                    format!("{help}; if what the last iteration leaves is wanted, compute it after the loop"),
                );
            } else {
                self.add_scratch(name, result);
            }
            return true;
        }
        let set = !declared.parameter && !(self.live)(name) && self.scratch_array(name, events, &result.f.body);
        if set {
            self.add_scratch(name, result);
        }
        set
    }

    fn unfilled(&self, name: &str, place: Place, body: &Block, report: &mut Report) {
        report.error(
            Code::FA018,
            place,
            format!("`{name}` is a buffer that an iteration may read before it has written it: what it finds depends on other iterations"),
            if crate::state::keeps_its_length(self.function, body, name) {
                "begin every iteration with `.clear()` or `.fill(..)`, or write all elements that are read".to_owned()
            } else {
                format!(
                    "set it anew at the start of every iteration, on every path and before anything else is done with it \
                     (`{name}.clear()`; where its length changes, `fill`, `resize` and `truncate` are not enough); or declare it \
                     inside the loop"
                )
            },
        );
    }

    fn add_scratch(&self, name: &str, result: &mut Loop) {
        let ident = format_ident!("{name}");
        result.accumulators.push(Accumulator {
            place: quote!(#ident),
            text: name.to_owned(),
            ident,
            class: Class::Scratch,
            edits: HashMap::new(),
            nodes: Vec::new(),
        });
    }

    /// `h[k] op= e` wherever it is touched.
    fn histogram(&self, name: &str, events: &[&Event], share: bool, result: &mut Loop) -> bool {
        // Which parts of an element are updated, each by one operator: `h[k]`, `h[k].n`, `h[k][j]`.
        let mut leaves: Vec<(Vec<Step>, Operator)> = Vec::new();
        // Bins that go down, or that are multiplied, may be out of range in a part of the iterations only.
        let (mut nodes, mut parts, mut wraps) = (Vec::new(), HashMap::new(), false);
        for event in events {
            match &event.what {
                What::Elements { writes: true, single: true, .. } => {
                    let Some((target, assign)) = assignment_to(&result.f.body, event.id) else { return false };
                    let Kind::Assign(_, op, _) = &assign.kind else { return false };
                    let found = match op {
                        Some(op) => Operator::of(*op),
                        // `h[k] = h[k].max(e)`, `h[k] = h[k] + e`.
                        None => self.element_update(target, assign),
                    };
                    let (Some(found), Some(path)) = (found, path_below(target, name)) else { return false };
                    match leaves.iter().find(|(leaf, _)| *leaf == path) {
                        Some((_, other)) if *other != found => return false,
                        Some(_) => {}
                        None => leaves.push((path, found.clone())),
                    }
                    if let Some(operands) = operands(&found, assign) {
                        wraps |= found == Operator::Mul || operands.iter().any(|(minus, _)| *minus);
                        parts.insert(assign.id, part_of_update(&found, &target.tokens, &operands));
                    }
                    nodes.push(event.id);
                }
                What::Elements { writes: false, .. } => {
                    // Reads are those inside of the updates just checked.
                    if !self.inside_update(&result.f.body, name, event.id) {
                        return false;
                    }
                }
                What::Len => {}
                _ => return false,
            }
        }
        if leaves.is_empty() {
            return false;
        }
        // Writes that the iteration places are maps, not histograms: `y[i] += x[i]`.
        let placed = events.iter().all(|e| match &e.what {
            What::Elements { first, writes: true, .. } => {
                let step = first.poly.as_ref().and_then(Poly::coefficient_of_position);
                step.is_some_and(|step| !step.is_zero())
            }
            _ => true,
        });
        if placed {
            return false;
        }
        // An element and a part of it: no part has an operator of its own.
        if leaves.iter().any(|(one, _)| leaves.iter().any(|(other, _)| one != other && other.starts_with(one))) {
            return false;
        }
        let merge_of = |operator: &Operator| match operator {
            Operator::Add if !wraps => quote!(__a + __b),
            _ => operator.merge(None),
        };
        let (fresh, merge) = match leaves.as_slice() {
            [(path, operator)] if path.is_empty() => {
                let fresh = format_ident!(
                    "{}",
                    match operator {
                        Operator::Add => "zero_of",
                        Operator::Mul => "one_of",
                        Operator::Xor => "xor_identity",
                        _ => "initial",
                    }
                );
                (quote!(::forall::__private::accumulate::#fresh(&__target[..])), merge_of(operator))
            }
            leaves => {
                let (mut exact, mut fresh, mut merge) = (quote!(()), TokenStream::new(), TokenStream::new());
                for (path, operator) in leaves {
                    let (leaf, of_merge) = (first_of(path), merge_of(operator));
                    let of_numbers = matches!(operator, Operator::Add | Operator::Mul);
                    if of_numbers {
                        exact = quote!((::forall::__private::accumulate::number_in(&__target[..], |__e| &__e #leaf), #exact));
                    }
                    let identity = match operator {
                        Operator::Add => quote!(*__a = ::forall::__private::zero();),
                        Operator::Mul => quote!(*__a = ::forall::__private::one();),
                        Operator::Xor => quote!(*__a = *__a ^ *__a;),
                        _ => TokenStream::new(),
                    };
                    fresh.extend(each(path, &quote!(__e), None, &identity));
                    let merged = quote!(*__a = {
                        let (__a, __b) = (::core::clone::Clone::clone(&*__a), ::core::clone::Clone::clone(__b));
                        #of_merge
                    };);
                    merge.extend(each(path, &quote!(__all), Some(&quote!(__later)), &merged));
                }
                (
                    quote!(::forall::__private::accumulate::parts_of(&__target[..], #exact, |__e| { #fresh })),
                    quote!({ let (mut __all, __later) = (__a, __b); #merge __all }),
                )
            }
        };
        let ident = format_ident!("{name}");
        result.accumulators.push(Accumulator {
            place: quote!(#ident),
            text: name.to_owned(),
            ident,
            class: Class::Bins { fresh, merge, share },
            edits: if wraps { parts } else { HashMap::new() },
            nodes,
        });
        true
    }

    /// The operator of `h[k] = h[k] op e`.
    fn element_update(&self, target: &Expr, assign: &Expr) -> Option<Operator> {
        let found = updates(&target.text(), &single(assign), None).into_iter().find_map(|u| match u.form {
            Form::Step(operator, _) => Some(operator),
            _ => None,
        });
        found.filter(|o| !matches!(o, Operator::Keep(_) | Operator::Follow(_) | Operator::Combine))
    }

    /// Whether a node is part of the value that is assigned to the variable itself.
    fn inside_assignment(&self, body: &Block, name: &str, node: Id) -> bool {
        let mut inside = false;
        body.walk(&mut |e| {
            if let Kind::Assign(target, None, value) = &e.kind
                && target.name() == Some(name)
            {
                value.walk(&mut |v| {
                    inside |= v.id == node;
                    true
                });
            }
            !inside
        });
        inside
    }

    fn inside_update(&self, body: &Block, name: &str, read: Id) -> bool {
        let mut inside = false;
        body.walk(&mut |e| {
            if let Kind::Assign(target, None, value) = &e.kind
                && target.root() == Some(name)
            {
                value.walk(&mut |v| {
                    inside |= v.text() == target.text() && holds(v, read);
                    true
                });
            }
            !inside
        });
        inside
    }

    /// Whether every iteration sets the elements of an array, at fixed places or by a loop over all, before it reads them.
    fn scratch_array(&self, name: &str, events: &[&Event], body: &Block) -> bool {
        matches!(events.first(), Some(Event { what: What::Elements { .. }, .. }))
            && crate::state::keeps_its_length(self.function, body, name)
            && (set_one_by_one(events) || self.filled_by_a_loop(name, events, body))
    }

    /// Whether a loop over the whole length of an array sets all its elements, before any of them is read.
    fn filled_by_a_loop(&self, name: &str, events: &[&Event], body: &Block) -> bool {
        let Some(filling) = events.iter().position(|e| e.depth > 0 && !e.conditional && sets_element(e)) else {
            return false;
        };
        let write = events[filling];
        // The loops around the write, the outermost first. The last one fills; should an outer one run no iteration, it
        // must hold the reads as well.
        let mut around: Vec<&Rc<For>> = Vec::new();
        body.walk(&mut |e| {
            if let Kind::For(f) = &e.kind
                && has_node(&f.body, write.id)
            {
                around.push(f);
            }
            true
        });
        let Some((inner, outer)) = around.split_last() else { return false };
        if write.depth != around.len()
            || leaves_early(&inner.body)
            || outer.iter().any(|f| !events.iter().all(|e| has_node(&f.body, e.id)))
        {
            return false;
        }
        // `buffer[0] = ..; for k in 1..n { buffer[k] = .. }` writes everything as well.
        let mut head = 0;
        while events[..filling]
            .iter()
            .any(|e| !e.conditional && e.depth == 0 && constant_of(e) == Some(head) && sets_element(e))
        {
            head += 1;
        }
        let Some(from) = (0..=head).find(|from| self.fills_from(*from, name, write, inner, body)) else { return false };
        // What comes before the write reads nothing, but for elements that the loop has set in its rounds before.
        let upwards = matches!(inner.source.bare().kind, Kind::Range(..));
        let set_before = |e: &Event| {
            let (What::Elements { first: read, writes: false, single: true, .. }, What::Elements { first: here, .. }) =
                (&e.what, &write.what)
            else {
                return false;
            };
            let back =
                here.poly.as_ref().zip(read.poly.as_ref()).and_then(|(here, read)| here.minus(read)?.as_constant());
            upwards && has_node(&inner.body, e.id) && back.is_some_and(|back| (1..=from).contains(&back))
        };
        events[..filling].iter().all(|e| matches!(e.what, What::Len) || sets_element(e) || set_before(e))
    }

    /// Whether a loop around a write of `name[j]` is `for j in from..length`, with the length of `name`.
    fn fills_from(&self, from: i64, name: &str, write: &Event, f: &For, body: &Block) -> bool {
        let What::Elements { first: Known { poly: Some(poly), .. }, index, .. } = &write.what else { return false };
        let Some((_, to, _, _)) = crate::walk::range_of(&f.source) else { return false };
        // The same words must mean the same number here and where the array was made.
        let mut settled = true;
        to.walk(&mut |e| {
            if let Kind::Name(name) = &e.kind {
                settled &= !crate::scalar::shadowed(body, name).contains(&e.id) && !changes(body, name);
            }
            settled
        });
        let grows = |e: &Expr| match &e.kind {
            Kind::Method(receiver, method, ..) => {
                receiver.root() == Some(name)
                    && (is_push(method) || matches!(method.as_str(), "resize" | "resize_with" | "insert"))
            }
            Kind::Assign(place, ..) => place.name() == Some(name),
            Kind::Ref(true, inner) => inner.name() == Some(name),
            _ => false,
        };
        let mut grown = false;
        self.function.body.walk(&mut |e| {
            grown |= grows(e);
            !grown
        });
        let made = self.function.declared.get(name).and_then(|d| d.length.clone()).filter(|length| {
            let words = length.split(|c: char| !c.is_alphanumeric() && c != '_');
            !grown && words.into_iter().all(|word| !self.function.mutable(word))
        });
        settled
            && [made, Some(format!("{name} . len ()"))]
                .into_iter()
                .flatten()
                .any(|length| *poly == Poly::symbol(format!("#{index}:{from}..{length}:")))
    }

    /// A recurrence through an array: `x[i] = .. x[i - 1] ..`.
    fn carry(&self, f: &Rc<For>, by_name: &BTreeMap<&str, Vec<&Event>>, result: &Loop) -> Option<(Rc<For>, Carried)> {
        for (name, events) in by_name {
            let mut writes = events.iter().filter_map(|e| match &e.what {
                What::Elements { first, writes: true, single: true, .. } => Some((e, first)),
                _ => None,
            });
            let (Some((write, here)), None) = (writes.next(), writes.next()) else { continue };
            if write.conditional || write.depth > 0 {
                continue;
            }
            let Some(here) = &here.poly else { continue };
            let Some(step) = here.coefficient_of_position().filter(|step| !step.is_zero()) else { continue };
            let before: Vec<Id> = events
                .iter()
                .filter_map(|e| match &e.what {
                    What::Elements { first: Known { poly: Some(there), .. }, writes: false, single: true, .. } => {
                        (there.minus(here)?.multiple_of(&step)? == -1).then_some(e.id)
                    }
                    _ => None,
                })
                .collect();
            if before.is_empty() {
                continue;
            }
            if let Some(carried) = rewrite_carried(f, name, write, &before, result) {
                return Some(carried);
            }
        }
        None
    }

    /// The variables that are assigned, changed by methods, or borrowed.
    fn scalars(&self, f: &Rc<For>, scalars: Vec<(&str, Vec<&Event>)>, result: &mut Loop, report: &mut Report) {
        let combine = self.function.args.combine.as_ref().map(|path| path.to_string());
        let mut grouped: HashSet<String> = HashSet::new();
        // The places that are assigned, in order of their first assignment.
        let mut places: Vec<(String, &str, Vec<&Event>)> = Vec::new();
        for (name, events) in &scalars {
            // `all = all.then(x)` is an update like any other.
            let opaque = events.iter().any(|e| match e.what {
                What::Method { .. } => !self.inside_assignment(&f.body, name, e.id),
                What::BorrowMut => true,
                _ => false,
            });
            let parts: BTreeSet<String> = events
                .iter()
                .filter_map(|e| match &e.what {
                    What::Assign { place, .. } => Some(place.clone()),
                    _ => None,
                })
                .collect();
            if self.function.pushes.iter().any(|p| p.name == *name) || opaque || self.function.state_named(name) {
                self.state(name, events, result, report);
                continue;
            }
            for place in parts {
                places.push((place, name, events.clone()));
            }
        }
        // Groups first: their members have no class of their own.
        for (place, _, _) in &places {
            for update in updates(place, &f.body, combine.as_deref()) {
                if let Form::Looks(member, read) = &update.form
                    && !grouped.contains(place)
                {
                    self.looks(place, member, read, &update, report);
                    grouped.insert(place.clone());
                    grouped.extend(set_in(update.node));
                }
                if let Form::Best(op, group, condition) = &update.form {
                    let known = group.iter().all(|member| places.iter().any(|(p, _, _)| p == member));
                    if known && !grouped.contains(place) {
                        self.best(place, *op, group, condition, &update, f, result, report);
                        grouped.extend(group.iter().cloned());
                    }
                }
            }
        }
        for (place, name, events) in &places {
            if !grouped.contains(place) {
                self.scalar(place, name, events, f, combine.as_deref(), result, report);
            }
        }
    }

    /// `if e > best { before = best; best = e; }`: what is kept depends on what the iterations before have kept.
    fn looks(&self, place: &str, member: &str, read: &Expr, update: &Update<'_>, report: &mut Report) {
        for name in set_in(update.node) {
            self.blame(&name);
        }
        self.blame(member);
        let (place, member) = (shown(place), shown(member));
        let besides = match place == member {
            true => ", the best value so far,".to_owned(),
            false => format!(", which goes with the best value `{place}`,"),
        };
        report.error(
            Code::FA014,
            read,
            format!("`{member}`{besides} is read where it is set: what it holds depends on the iterations before"),
            format!(
                "in the `if` that keeps the best value, compare with `{place}` once, and compute what is set from the iteration \
                 alone (`{{ {place} = e; place = i; }}`)"
            ),
        );
    }

    #[allow(clippy::too_many_arguments)]
    fn best(
        &self,
        place: &str,
        op: Op,
        group: &[String],
        condition: &Expr,
        update: &Update<'_>,
        f: &Rc<For>,
        result: &mut Loop,
        report: &mut Report,
    ) {
        let Kind::If(_, then, _) = &update.node.kind else { return };
        // All members are set here and nowhere else.
        for member in group {
            let (mut outside, mut set) = (false, false);
            let other = crate::scalar::shadowed(&f.body, member);
            f.body.walk(&mut |e| {
                if e.id == update.node.id {
                    return false;
                }
                if !other.contains(&e.id) {
                    let here = |e: &Expr| e.text() == *member;
                    outside |= here(e)
                        && matches!(e.kind, Kind::Name(_) | Kind::Field(..) | Kind::Index(..) | Kind::Unary('*', _));
                    set |= match &e.kind {
                        Kind::Assign(place, ..) => match &place.bare().kind {
                            Kind::Tuple(parts) => parts.iter().any(here),
                            _ => here(place),
                        },
                        _ => false,
                    };
                }
                true
            });
            // A scan may look at what goes with the best value, but nothing else may set it.
            if set || outside && self.attribute != Attribute::DistributedScan {
                let (what, help) = match set {
                    true => ("set", "set all variables that go with the best value in that `if`, and nowhere else"),
                    false => ("used", "use it after the loop only"),
                };
                self.blame(member);
                report.error(
                    Code::FA014,
                    assignment(update),
                    format!("`{member}` goes with the best value so far, and is {what} elsewhere in the loop too"),
                    help,
                );
                return;
            }
        }
        let mut parts = Vec::new();
        conjuncts(condition, &mut parts);
        let fields = parts.iter().find_map(|part| match &part.bare().kind {
            Kind::Binary(o, a, b) if o.is_comparison() => {
                crate::scalar::accessor_of(b, place).or_else(|| crate::scalar::accessor_of(a, place))
            }
            _ => None,
        });
        let fields: TokenStream = fields
            .unwrap_or_default()
            .iter()
            .map(|field| format!(".{field}").parse::<TokenStream>().unwrap_or_default())
            .collect();
        let op: TokenStream = op.text().parse().unwrap_or_default();
        let hit = format_ident!("__hit_{}", update.node.id, span = Span::mixed_site());
        let mut edits = HashMap::new();
        let names: Vec<Ident> = (0..)
            .zip(group)
            .map(|(k, member)| match syn::parse_str::<Ident>(member) {
                Ok(name) => name,
                Err(_) => format_ident!("__best_{}_{k}", update.node.id, span = Span::mixed_site()),
            })
            .collect();
        edits.insert(update.node.id, {
            let places: Vec<(String, Ident)> = group.iter().cloned().zip(names.iter().cloned()).collect();
            let renamed = crate::expand::Kernel { places: &places, edits: HashMap::new(), dropped: None };
            let condition = crate::print::expr(condition, &renamed);
            let statements = crate::print::statements(then, &renamed);
            quote!(if #condition { #hit = true; #statements })
        });
        let tokens: TokenStream = place.parse().unwrap_or_default();
        result.accumulators.push(Accumulator {
            place: tokens,
            text: place.to_owned(),
            ident: format_ident!("__best_{}", update.node.id),
            class: Class::Best {
                variables: group.to_vec(),
                names,
                better: quote!(|__new, __old| (__new.0) #fields #op (__old.0) #fields),
                hit,
            },
            edits,
            nodes: vec![update.node.id],
        });
    }

    #[allow(clippy::too_many_arguments)]
    fn scalar(
        &self,
        place: &str,
        name: &str,
        events: &[&Event],
        f: &Rc<For>,
        combine: Option<&str>,
        result: &mut Loop,
        report: &mut Report,
    ) {
        let all = updates(place, &f.body, combine);
        let span = all.first().map_or_else(|| Place::from(f.span), |u| assignment(u));
        if all.is_empty() {
            return;
        }
        // A variable that every iteration sets before reading it is the iteration's own.
        let first = events.iter().find(|e| match &e.what {
            What::Assign { place: p, .. } => p == place,
            What::Use => true,
            _ => false,
        });
        let set_first = first.is_some_and(|e| {
            matches!(&e.what, What::Assign { op: None, value, .. } if !value.mentions(name))
                && !e.conditional
                && e.depth == 0
        });
        if set_first && place == name {
            if (self.live)(name) {
                report.error(
                    Code::FA013,
                    span,
                    format!("`{place}` is set by every iteration and read after the loop: the value of the last iteration is lost"),
                    format!("declare `let {place}` inside the loop; if the last value is wanted, compute it from the last element after the loop"),
                );
            } else {
                result.privates.push(place.to_owned());
            }
            return;
        }
        let forms: Vec<&Form<'_>> = all.iter().map(|u| &u.form).collect();
        let mut operators: Vec<&Operator> = Vec::new();
        for form in &forms {
            if let Form::Step(operator, _) = form
                && !operators.contains(&operator)
            {
                operators.push(operator);
            }
        }
        let resets = forms.iter().filter(|f| matches!(f, Form::Reset(_))).count();
        let steps = forms.iter().filter(|f| matches!(f, Form::Step(..))).count();
        let simple = steps + resets == forms.len();
        let scan = self.attribute == Attribute::DistributedScan;
        let ident = match place == name {
            true => format_ident!("{name}"),
            false => format_ident!("__acc_{}", all[0].assign, span = Span::mixed_site()),
        };
        let combine_path = self.function.args.combine.as_ref();
        let (mut edits, mut nodes) = (HashMap::new(), Vec::new());
        // What is computed from it on the way: `let b = a * y; y = b - y;`.
        let way = match all.as_slice() {
            [update] if scan => through(place, &f.body, update.assign),
            _ => HashMap::new(),
        };
        let by_way = assignment_of(f, all[0].assign).is_some_and(|e| way.keys().any(|name| e.mentions(name)));
        let simple = simple && !by_way;
        let class = if simple && operators.len() == 1 && resets == 0 && !matches!(operators[0], Operator::Follow(_)) {
            let operator = operators[0];
            match operator {
                Operator::Follow(_) => return,
                Operator::Add => {
                    let parts: Option<Vec<_>> = all
                        .iter()
                        .map(|u| Some((u.assign, operands(operator, assignment_of(f, u.assign)?)?)))
                        .collect();
                    let parts = parts.unwrap_or_default();
                    let subtracts = |minus| parts.iter().flat_map(|(_, operands)| operands).any(|part| part.0 == minus);
                    match (subtracts(true), subtracts(false)) {
                        (true, false) => {
                            for (assign, operands) in &parts {
                                let operands = operands.iter().map(|(_, e)| &e.tokens);
                                edits.insert(
                                    *assign,
                                    match scan {
                                        true => quote!({ #(::forall::__private::add(&mut #ident, #operands);)* }),
                                        false => quote!({ #(#ident += #operands;)* }),
                                    },
                                );
                            }
                            Class::Difference { wraps: scan }
                        }
                        (both, _) => {
                            let wraps = both || scan;
                            if wraps {
                                let place = quote!(#ident);
                                edits.extend(
                                    parts.iter().map(|(id, parts)| (*id, part_of_update(operator, &place, parts))),
                                );
                            }
                            Class::Sum { wraps }
                        }
                    }
                }
                Operator::Mul => {
                    for update in &all {
                        if let Some(parts) = assignment_of(f, update.assign).and_then(|e| operands(operator, e)) {
                            edits.insert(update.assign, part_of_update(operator, &quote!(#ident), &parts));
                        }
                    }
                    Class::Product
                }
                Operator::Xor => Class::Parity,
                Operator::Idempotent(_) | Operator::Keep(_) => Class::Idempotent { merge: operator.merge(None) },
                Operator::Wrapping(_) | Operator::Combine => {
                    let merge = operator.merge(combine_path);
                    for update in &all {
                        let Form::Step(_, Some(operand)) = &update.form else { continue };
                        let operand = &operand.tokens;
                        edits.insert(
                            update.assign,
                            quote!(::forall::__private::include(&mut #ident, #operand, |__a, __b| #merge)),
                        );
                    }
                    Class::Combine { merge }
                }
            }
        } else if simple && resets == forms.len() && scan {
            for update in &all {
                let Form::Reset(value) = &update.form else { continue };
                let value = &value.tokens;
                edits.insert(update.assign, quote!(#ident.restart(#value)));
            }
            Class::Segmented { merge: LAST.parse().unwrap_or_default(), exact: "always", resets: true }
        } else if simple && operators.len() == 1 && (scan || resets == 0) {
            let operator = operators[0];
            let merge = operator.merge(combine_path);
            let mut fits = true;
            for update in &all {
                match &update.form {
                    Form::Step(operator @ (Operator::Add | Operator::Mul), _) => {
                        let Some(parts) = assignment_of(f, update.assign).and_then(|e| operands(operator, e)) else {
                            fits = false;
                            continue;
                        };
                        let parts = parts.iter().map(|(minus, e)| {
                            let e = &e.tokens;
                            let e = quote!(::forall::__private::number(#e));
                            let e = if *minus { quote!(::forall::__private::negative(#e)) } else { e };
                            quote!(#ident.include(#e, |__a, __b| #merge);)
                        });
                        edits.insert(update.assign, quote!({ #(#parts)* }));
                    }
                    Form::Step(Operator::Follow(_), Some(operand)) => {
                        let operand = &operand.tokens;
                        edits.insert(update.node.id, quote!(#ident.follow(#operand, |__a, __b| #merge)));
                    }
                    Form::Step(operator, operand) => {
                        let operand = match (operator, operand) {
                            // `inside = !inside`.
                            (Operator::Xor, None) => quote!(true),
                            (_, Some(operand)) => operand.tokens.clone(),
                            (Operator::Keep(_), None) => match kept_value(update.node) {
                                Some(value) => value,
                                None => {
                                    fits = false;
                                    continue;
                                }
                            },
                            (_, None) => {
                                fits = false;
                                continue;
                            }
                        };
                        let node = if matches!(operator, Operator::Keep(_)) { update.node.id } else { update.assign };
                        edits.insert(node, quote!(#ident.include(#operand, |__a, __b| #merge)));
                    }
                    Form::Reset(value) => {
                        let value = &value.tokens;
                        edits.insert(update.assign, quote!(#ident.restart(#value)));
                    }
                    _ => fits = false,
                }
            }
            if !fits {
                self.blame(name);
                report.error(
                    Code::FA015,
                    span,
                    format!("the updates of `{place}` are not of the form `{place} = {place} op value`"),
                    "write each update as one operator with one value",
                );
                return;
            }
            Class::Segmented {
                merge,
                exact: match operator {
                    Operator::Idempotent(_) | Operator::Keep(_) | Operator::Follow(_) | Operator::Xor => "always",
                    Operator::Add | Operator::Mul => "as_number",
                    Operator::Wrapping(_) | Operator::Combine => "never",
                },
                resets: resets > 0,
            }
        } else if scan && let Some(maps) = linear_edits(&all, f, place, &ident) {
            edits = maps.edits;
            nodes = maps.nodes;
            Class::Linear { through: maps.through }
        } else {
            self.refuse_scalar(place, name, events, &all, &operators, resets, f, report);
            return;
        };
        nodes.extend(all.iter().map(|u| u.node.id));
        let tokens: TokenStream = place.parse().unwrap_or_default();
        let respanned = if place == name {
            let ident = format_ident!("{name}");
            quote!(#ident)
        } else {
            tokens
        };
        result.accumulators.push(Accumulator { place: respanned, text: place.to_owned(), ident, class, edits, nodes });
    }

    #[allow(clippy::too_many_arguments)]
    fn refuse_scalar(
        &self,
        place: &str,
        name: &str,
        events: &[&Event],
        all: &[Update<'_>],
        operators: &[&Operator],
        resets: usize,
        f: &Rc<For>,
        report: &mut Report,
    ) {
        self.blame(name);
        let at = |u: Option<&Update<'_>>| u.map_or_else(|| Place::from(f.span), assignment);
        let first = at(all.first());
        let sets = all.first().map(|u| shown(&assigned(f, u.assign))).unwrap_or_default();
        let linear = all.iter().all(|u| !matches!(u.form, Form::Opaque | Form::Best(..)))
            && !operators.iter().any(|o| !matches!(o, Operator::Add | Operator::Mul));
        let scan = linear && self.would_fit(Attribute::DistributedScan, f);
        if resets == all.len() {
            let Some(read) = events.iter().find(|e| matches!(e.what, What::Use)) else {
                report.error(
                    Code::FA013,
                    first,
                    format!(
                        "`{place}` keeps what the last iteration that sets it leaves (`{sets}`): which one that is depends on the \
                         order of the iterations"
                    ),
                    format!(
                        "under `#[kary_reduce]`, find the largest such iteration (`if i > last {{ last = i; }}`) and set `{place}` \
                         after the loop, or declare `{place}` inside the loop"
                    ),
                );
                return;
            };
            let (mut decides, mut compared) = (false, false);
            f.body.walk(&mut |e| {
                if let Kind::If(condition, then, _) = &e.kind {
                    let mut sets = false;
                    then.walk(&mut |inner| {
                        sets |= all.iter().any(|u| u.assign == inner.id);
                        true
                    });
                    decides |= sets && condition.mentions(name);
                    condition.walk(&mut |e| {
                        compared |= sets
                            && matches!(&e.kind, Kind::Binary(op, a, b) if op.is_comparison() && (a.text() == place || b.text() == place));
                        true
                    });
                }
                true
            });
            report.error(
                Code::FA010,
                read.place,
                format!("loop-carried dependence: `{place}` is read here, and an earlier iteration may have set it by `{sets}`"),
                if compared {
                    format!(
                        "to keep the best value, set `{place}` to what it is compared with, `if e > {place} {{ {place} = e; }}`, where \
                         both are the same words with the same meaning"
                    )
                } else if decides {
                    format!(
                        "to find the place of the best value under `#[kary_reduce]`, keep the value beside it: \
                         `if e > best {{ best = e; {place} = i; }}`"
                    )
                } else {
                    format!(
                        "read what the iteration before had by its index (`x[i - 1]`); if every iteration sets `{place}` before \
                         reading it, declare it inside the loop"
                    )
                },
            );
        } else if operators.len() > 1 {
            let texts: Vec<String> = operators.iter().map(|o| format!("`{}`", o.text())).collect();
            report.error(
                Code::FA016,
                at(all.iter().find(|u| matches!(&u.form, Form::Step(o, _) if o != operators[0]))),
                format!(
                    "`{place}` is updated with different operators ({}), which together are not associative",
                    texts.join(" and ")
                ),
                if scan {
                    format!(
                        "use one variable for each operator; as a linear recurrence, `{place} = a * {place} + b`, \
                         `#[distributed_scan]` takes the loop"
                    )
                } else {
                    "use one variable for each operator, or one associative function: `combine = path`".to_owned()
                },
            );
        } else if linear {
            let what = if resets > 0 { "starts afresh in some iterations" } else { "is a linear recurrence" };
            report.error(
                Code::FA015,
                first,
                format!("`{sets}` is not associative as a reduction: `{place}` {what}"),
                if scan {
                    "a recurrence or a segmented scan is what `#[distributed_scan]` is for".to_owned()
                } else {
                    format!("write `{place}` as a reduction, `{place} += e`; or as a scan, under `#[distributed_scan]`")
                },
            );
        } else if matches!(self.attribute, Attribute::Foreach | Attribute::ForeachTls) {
            report.error(
                Code::FA010,
                first,
                format!("loop-carried dependence: `{sets}` computes `{place}` from what the iteration before left in it"),
                format!(
                    "compute `{place}` from the loop variable; or update it by one associative operator (`{place} += e`), which is \
                     what `#[kary_reduce]` and `#[distributed_scan]` are for"
                ),
            );
        } else {
            let function = all.iter().find_map(|u| called(f, u.assign, place));
            report.error(
                Code::FA015,
                first,
                format!("`{sets}` updates `{place}` by an operation that is not known to be associative"),
                if let Some(function) = function {
                    format!("if `{function}` is associative, say so: `#[{}(combine = {function})]`", self.attribute.name())
                } else { format!(
                    "write `{place} += e`, `*=`, `&=`, `|=`, `^=`, `{place} = {place}.max(e)`, `if e > {place} {{ {place} = e }}`, or name \
                     an associative function: `combine = path` with `{place} = path({place}, e)`"
                ) },
            );
        }
    }

    /// A variable that is changed by methods, by parts, or by reference.
    fn state(&self, name: &str, events: &[&Event], result: &mut Loop, report: &mut Report) {
        let function = self.function;
        let ident = format_ident!("{name}");
        let changes = events.iter().find(|e| !matches!(e.what, What::Use | What::Len));
        let span = changes.map_or_else(|| Place::from(result.f.span), |e| e.place);
        if self.scratch(name, events, result, report) {
            return;
        }
        let attribute = self.attribute;
        let flow = Flow::of_iteration(&result.f, name, crate::state::is_array(function, name));
        let add = |class: Class, result: &mut Loop| {
            result.accumulators.push(Accumulator {
                place: quote!(#ident),
                text: name.to_owned(),
                ident: ident.clone(),
                class,
                edits: HashMap::new(),
                nodes: Vec::new(),
            });
        };
        let push = function.pushes.iter().find(|p| p.name == name);
        let pushes_only = push.is_some()
            || events.iter().all(|e| match &e.what {
                What::Method { method, .. } => is_push(method),
                What::Use | What::Len => true,
                _ => false,
            }) && events.iter().any(|e| matches!(e.what, What::Method { .. }));
        let collects = matches!(attribute, Attribute::ForeachTls | Attribute::DistributedScan);
        let unfilled = self.unfilled_buffer(name, &flow);
        if !collects && push.is_none() {
            if let Some(place) = unfilled {
                return self.unfilled(name, place, &result.f.body, report);
            }
            let (code, help) = match pushes_only {
                true => (Code::FA030, "a loop that pushes is annotated with `#[foreach_tls]`"),
                false => (
                    Code::FA017,
                    "collect into a state under `#[foreach_tls(init = path, merge = path)]`, or declare the variable inside the loop",
                ),
            };
            let why = match changes.map(|e| &*e.text).filter(|text| *text != name) {
                Some(text) => format!("`{text}` changes `{name}`, which all iterations share"),
                None => format!("`{name}` may be changed here, and all iterations share it"),
            };
            report.error(code, span, why, help);
            return;
        }
        if let Some(place) = unfilled.filter(|_| !pushes_only) {
            return self.unfilled(name, place, &result.f.body, report);
        }
        if !self.only_adds(name, &flow, pushes_only, report) {
            return;
        }
        if let Some(push) = push {
            if collects {
                add(Class::Pushes { element: push.element.clone() }, result);
            } else {
                report.error(
                    Code::FA030,
                    span,
                    format!("this loop pushes to `{name}`, which `#[{}]` does not do", attribute.name()),
                    "a loop that pushes is annotated with `#[foreach_tls]`",
                );
            }
            return;
        }
        let named = function.args.init.is_some() && (!pushes_only || function.state_named(name));
        if named {
            add(Class::State { init: function.args.init.clone(), merge: function.args.merge.clone() }, result);
            return;
        }
        if let Some(merge) = self.merge_of(name, &flow, report) {
            add(merge, result);
        }
    }

    /// Where a buffer of the function's own, which nothing looks at after the loop, may hold what earlier iterations left.
    fn unfilled_buffer(&self, name: &str, flow: &Flow) -> Option<Place> {
        let declared = self.function.declared.get(name)?;
        let queue = declared.made_by.as_ref().is_some_and(|path| path.starts_with("VecDeque"));
        let own = !declared.parameter && declared.buffer && !queue && !(self.after.looked_at)(name);
        let first = flow.reads.first().or_else(|| flow.updates.first().map(|(mention, _)| mention))?;
        let set = |(_, how): &(Mention, How)| matches!(how, How::Method(method, _) if crate::state::is_setting(method));
        let meant = !matches!(self.attribute, Attribute::ForeachTls | Attribute::DistributedScan)
            || !flow.resets.is_empty()
            || flow.updates.iter().any(set);
        (own && meant).then_some(first.place)
    }

    /// A collection or a state must not be looked at while it grows, nor lose what it holds.
    fn only_adds(&self, name: &str, flow: &Flow, pushes_only: bool, report: &mut Report) -> bool {
        let function = self.function;
        let remedy = match function.declared.get(name) {
            Some(d) if d.parameter => {
                format!("change `{name}` by statements whose value is not used, and look at it after the loop")
            }
            _ => format!(
                "change `{name}` by statements whose value is not used, and look at it after the loop; if it belongs to the \
                 iteration, declare it inside the loop, or set it anew at the start of every iteration, before anything else"
            ),
        };
        let mut fine = true;
        if let Some(read) = flow.reads.first() {
            fine = false;
            let (message, help) = match pushes_only && read.text != name {
                true => (
                    format!(
                        "`{}` looks at `{name}` while iterations push to it: what it has so far depends on their order",
                        read.text
                    ),
                    "count what is pushed in a variable of its own under `#[distributed_scan]`, or look after the loop"
                        .to_owned(),
                ),
                false if read.text == name => (
                    format!(
                        "`{name}` is looked at while iterations change it: what it holds depends on the iterations before"
                    ),
                    remedy.clone(),
                ),
                false => (
                    format!(
                        "`{}` looks at `{name}` while iterations change it: what it holds depends on the iterations before",
                        read.text
                    ),
                    remedy.clone(),
                ),
            };
            report.error(Code::FA014, read.place, message, help);
        }
        if let Some(reset) = flow.resets.first() {
            report.error(
                Code::FA014,
                reset.place,
                format!("`{}` drops what `{name}` holds of the iterations before, which a part of the loop does not know", reset.text),
                format!("set `{name}` anew before the loop; or in every iteration, on every path and before anything else is done with it"),
            );
            return false;
        }
        let (named, sort) = (function.args.init.is_some() && !pushes_only, Sort::of(function, name));
        let pushed = function.pushes.iter().any(|p| p.name == name);
        for (update, how) in &flow.updates {
            let adds = match how {
                How::Method(method, _) if pushed => is_push(method),
                How::Written if pushed => true,
                _ if pushed => false,
                how => named || sort.merges(how),
            };
            if adds {
                continue;
            }
            report.error(
                Code::FA014,
                update.place,
                format!(
                    "`{}` does more than add to `{name}`: what it does depends on what earlier iterations have put there",
                    update.text
                ),
                match (pushed, sort) {
                    (true, _) => "use `push`, `extend` or `extend_from_slice` only".to_owned(),
                    (_, Sort::Sequence) => format!(
                        "use `push`, `extend` or `extend_from_slice` only; if `{name}` belongs to the iteration, declare it inside the \
                         loop; if two of them can be put together nevertheless, say how: `#[foreach_tls(init = path, merge = path)]`"
                    ),
                    _ => format!(
                        "only add to `{name}`, and take away after the loop; if two of them can be put together nevertheless, say \
                         how: `#[foreach_tls(init = path, merge = path)]`"
                    ),
                },
            );
            return false;
        }
        fine
    }

    /// How the states of two workers become one, where the attribute does not say it.
    fn merge_of(&self, name: &str, flow: &Flow, report: &mut Report) -> Option<Class> {
        let inserts = |how: &How| match how {
            How::Method(method, arguments) => match Sort::of(self.function, name) {
                Sort::Map => matches!(method.as_str(), "insert" | "extend" | "append"),
                Sort::Unknown => method == "insert" && *arguments == 2,
                _ => false,
            },
            _ => false,
        };
        let mut found: Option<(&Mention, &'static str)> = None;
        for (update, how) in &flow.updates {
            let by = match how {
                How::Entry(Some(by)) => by,
                How::Entry(None) => {
                    report.error(
                        Code::FA015,
                        update.place,
                        format!("`{}` changes an entry of `{name}` by an operation that is not known to be associative", update.text),
                        format!(
                            "write `*{name}.entry(k).or_insert(0) += e` (or `or_default`, `*=` from 1, `|=`, `^=`), \
                             `{name}.entry(k).or_insert(e)` or `{name}.entry(k).or_default().push(e)`; or say how two maps are put \
                             together: `#[foreach_tls(init = path, merge = path)]`"
                        ),
                    );
                    return None;
                }
                how if inserts(how) => "lasts",
                _ => continue,
            };
            match found {
                Some((first, other)) if other != by => {
                    report.error(
                        Code::FA016,
                        update.place,
                        format!(
                            "entries of `{name}` are changed in different ways (`{}` and `{}`), which together are not associative",
                            first.text, update.text
                        ),
                        "use one map for each; or say how two of them are put together: `#[foreach_tls(init = path, merge = path)]`",
                    );
                    return None;
                }
                _ => found = Some((update, by)),
            }
        }
        Some(match found {
            Some((_, by)) => {
                let by = format_ident!("{by}");
                Class::State { init: Some(quote!(::forall::__private::accumulate::keyed::#by(__state))), merge: None }
            }
            None => Class::State { init: None, merge: None },
        })
    }

    /// Marks the accesses that fill a square matrix from one triangle: `a[i * n + j]` and `a[j * n + i]` with `j` from `i`
    /// on, up to `n`, and the diagonal. Whoever writes in row `i` from column `i` on, and in column `i` from row `i` on,
    /// meets no other iteration: both numbers of an element tell which it belongs to, the lower one.
    fn mirrored(&self, result: &mut Loop) {
        let Some(variable) = result.f.pattern.single().map(|b| b.name.clone()) else { return };
        let mut bound = HashSet::new();
        bindings(&result.f.body, &mut |pattern| bound.extend(pattern.names.iter().map(|b| b.name.clone())));
        let again = |text: &str| text.split_whitespace().any(|word| bound.contains(word));
        for slot in 0..result.slots.len() {
            let polys: Vec<&Poly> = result
                .accesses
                .iter()
                .filter(|a| a.slot == slot && a.single)
                .filter_map(|a| a.first.poly.as_ref())
                .collect();
            let family = polys.iter().find_map(|row| {
                let side = row.coefficient_of_position()?;
                let counter = row.without_position();
                let (_, range) = counter.as_symbol()?.strip_prefix('#')?.split_once(':')?;
                let (from, to) = range.strip_suffix(':')?.split_once("..")?;
                let upwards = from == variable || from.starts_with(&format!("{variable} + "));
                if !upwards || side.as_symbol()? != to || again(&variable) || again(to) {
                    return None;
                }
                let position = Poly::symbol(crate::poly::POSITION);
                let column = counter.times(&side)?.plus(&position)?;
                let diagonal = position.times(&side)?.plus(&position)?;
                polys.contains(&&column).then(|| [(*row).clone(), column, diagonal])
            });
            let Some(family) = family else { continue };
            for access in result.accesses.iter_mut().filter(|a| a.slot == slot && a.single) {
                access.mirrored = access.first.poly.as_ref().is_some_and(|poly| family.contains(poly));
            }
        }
    }

    /// Compares every write with every other access to the same array.
    fn conflicts(&self, events: &[Event], result: &mut Loop, report: &mut Report) {
        self.mirrored(result);
        let accesses: Vec<(&Event, usize)> = events
            .iter()
            .filter_map(|e| {
                let slot = result.slots.iter().position(|s| s.name == e.name)?;
                matches!(e.what, What::Elements { .. }).then_some((e, slot))
            })
            .collect();
        for (k, (one, slot)) in accesses.iter().enumerate() {
            for (two, other) in &accesses[k..] {
                if slot != other {
                    continue;
                }
                let (
                    What::Elements { first: f1, writes: w1, single: s1, .. },
                    What::Elements { first: f2, writes: w2, single: s2, .. },
                ) = (&one.what, &two.what)
                else {
                    continue;
                };
                if !w1 && !w2 {
                    continue;
                }
                let (write, other, w, o) = if *w1 { (one, two, f1, f2) } else { (two, one, f2, f1) };
                let verdict = self.compare(w, o, *s1 && *s2);
                match verdict {
                    Verdict::Apart => {}
                    Verdict::AtRunTime => result.ordered = false,
                    Verdict::Meet(distance) => {
                        let both = *w1 && *w2;
                        let array = &write.name;
                        let by = match distance {
                            -1 => "the iteration before".to_owned(),
                            1 => "the next iteration".to_owned(),
                            d if d < 0 => format!("the iteration {} before", -d),
                            d => format!("the iteration {d} later"),
                        };
                        if both {
                            report.error(
                                Code::FA011,
                                other.place,
                                format!(
                                    "`{}` and `{}` write the same element of `{array}` from different iterations",
                                    write.text, other.text
                                ),
                                "let every iteration write its own elements",
                            );
                        } else {
                            report.error(
                                Code::FA010,
                                other.place,
                                format!(
                                    "loop-carried dependence: `{}` reads the element of `{array}` that {by} writes as `{}`",
                                    other.text, write.text
                                ),
                                match (distance, self.attribute) {
                                    (-1, Attribute::DistributedScan) => {
                                        "a scan through an array is `x[i] = x[i - 1] op e`, with an associative operator and one write of \
                                         each element; write the rest in a loop of its own"
                                    }
                                    (_, Attribute::DistributedScan) if distance < 0 => {
                                        "a scan reads only the element just before (`x[i - 1]`); carry more than that in a struct, with an \
                                         associative function: `combine = path`"
                                    }
                                    (-1, _) if self.would_fit(Attribute::DistributedScan, &result.f) => {
                                        "the loop is a scan through an array: `#[distributed_scan]` is the attribute for it"
                                    }
                                    (-1, _) if write.depth > 0 && self.function.array(array) => {
                                        "if iterations along another axis do not depend on each other, make the loop over that axis the \
                                         outer one; else read another array than is written, and exchange the two afterwards"
                                    }
                                    (-1, _) => {
                                        "read another slice than is written, and exchange the two afterwards; what must come from the \
                                         iteration before can only come through an associative operator, under `#[distributed_scan]`"
                                    }
                                    _ => "read another slice than is written, and exchange the two afterwards",
                                },
                            );
                        }
                    }
                }
            }
        }
    }

    fn compare(&self, write: &Known, other: &Known, single: bool) -> Verdict {
        let (Some(w), Some(o)) = (&write.poly, &other.poly) else { return Verdict::AtRunTime };
        let Some(step) = w.coefficient_of_position() else { return Verdict::AtRunTime };
        let Some(difference) = o.minus(w) else { return Verdict::AtRunTime };
        let inner = |p: &Poly| p.any_symbol(|s| s.starts_with('#') && s != crate::poly::POSITION);
        if difference.is_zero() {
            return if single && step.as_constant().is_some_and(|c| c != 0) && !inner(w) {
                Verdict::Apart
            } else {
                Verdict::AtRunTime
            };
        }
        if single
            && !step.is_zero()
            && let Some(k) = difference.multiple_of(&step)
            && k != 0
            && (!inner(w) || !inner(&difference))
        {
            return Verdict::Meet(k);
        }
        match (difference.as_constant(), step.as_constant()) {
            (Some(d), Some(c)) if single && !inner(w) && !inner(o) && c != 0 && d.abs() < c.abs() => Verdict::Apart,
            _ => Verdict::AtRunTime,
        }
    }

    /// Looks at who reads accumulators: the body of a scan may, others may not.
    fn running(&self, f: &Rc<For>, events: &[Event], result: &mut Loop, report: &mut Report) {
        let scan = self.attribute == Attribute::DistributedScan;
        let mut readers: Vec<(String, Place, String)> = Vec::new();
        for accumulator in &result.accumulators {
            let variables: Vec<String> = match &accumulator.class {
                Class::Best { variables, .. } => variables.clone(),
                class if class.is_reduction() && !matches!(class, Class::Bins { .. }) => vec![accumulator.text.clone()],
                _ => continue,
            };
            for variable in variables {
                let mut outside: Option<Place> = None;
                let other = crate::scalar::shadowed(&f.body, &variable);
                f.body.walk(&mut |e| {
                    if other.contains(&e.id) {
                        return true;
                    }
                    if accumulator.nodes.contains(&e.id) {
                        return false;
                    }
                    if e.text() == variable
                        && matches!(e.kind, Kind::Name(_) | Kind::Field(..) | Kind::Index(..) | Kind::Unary('*', _))
                    {
                        outside.get_or_insert(Place::from(e));
                        return false;
                    }
                    if let Kind::Macro(_, args, names) = &e.kind
                        && names.iter().any(|(n, _)| *n == variable)
                        && !args.iter().any(|a| a.mentions(&variable))
                    {
                        outside.get_or_insert(Place::from(e));
                    }
                    true
                });
                if let Some(place) = self.whole_of(&variable, accumulator, f) {
                    self.blame(&variable);
                    let variable = shown(&variable);
                    report.error(
                        Code::FA014,
                        place,
                        format!("this uses more than `{variable}`, which is being accumulated: what it has so far is not seen here"),
                        format!("accumulate into a variable of its own, and set `{variable}` after the loop"),
                    );
                    continue;
                }
                if let Some(place) = outside {
                    let update = accumulator.nodes.first().map(|node| shown(&assigned(f, *node))).unwrap_or_default();
                    readers.push((variable, place, update));
                }
            }
        }
        let _ = events;
        result.running = scan
            && (!readers.is_empty()
                || result
                    .accumulators
                    .iter()
                    .any(|a| matches!(a.class, Class::Segmented { resets: true, .. } | Class::Linear { .. })));
        if result.running && report.is_empty() {
            match Sliced::of(result).check(result) {
                Ok(()) => {}
                Err(Unsliceable::Stored(array, span)) => report.error(
                    Code::FA014,
                    span,
                    format!("the running value is computed from `{array}` after this iteration has written to it"),
                    format!("keep the value that goes into the running value in a variable, and write `{array}` afterwards"),
                ),
                Err(Unsliceable::Changes(array, span)) => report.error(
                    Code::FA014,
                    span,
                    format!("`{array}` may be changed here, on the way to the running value, which is computed twice"),
                    format!("compute what goes into the running value from `{array}` first, and change `{array}` in a statement of its own"),
                ),
                Err(Unsliceable::Running(variable, span)) => match self.entangled(&variable, f, result) {
                    Some((other, here, there)) => report.error(
                        Code::FA010,
                        span,
                        format!("loop-carried dependence: `{variable}` and `{other}` are each computed from the other (`{here}`, `{there}`)"),
                        "a running value may depend on the inputs and on itself, by one associative operator; put both into one struct \
                         if an associative function combines them: `combine = path`",
                    ),
                    None => report.error(
                        Code::FA014,
                        span,
                        format!("`{variable}` is a running value, and what it is here decides how a running value goes on"),
                        "conditions and values of an update may depend on the inputs only; compute this running value in a loop of \
                         its own, store it, and use it in the next loop",
                    ),
                },
            }
        }
        if !scan && !readers.is_empty() {
            let fits = self.would_fit(Attribute::DistributedScan, f);
            for (variable, place, update) in readers {
                if !self.blamed.borrow_mut().insert(variable.clone()) {
                    continue;
                }
                if fits {
                    report.error(
                        Code::FA030,
                        place,
                        format!(
                            "this loop is a scan, not a `#[{}]`: `{variable}` is read here, while `{update}` accumulates it",
                            self.attribute.name()
                        ),
                        "`#[distributed_scan]` is the attribute for running values",
                    );
                } else {
                    report.error(
                        Code::FA014,
                        place,
                        format!(
                            "`{variable}` is read here while `{update}` accumulates it: its value depends on the iterations before"
                        ),
                        format!("read `{variable}` after the loop, or compute what is wanted here from the loop variable"),
                    );
                }
            }
        }
    }

    /// Where the variable is used that an accumulated part belongs to: `f(&s)` beside `s.sum += e`.
    fn whole_of(&self, variable: &str, accumulator: &Accumulator, f: &For) -> Option<Place> {
        let root =
            variable.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '#').find(|word| !word.is_empty())?;
        if root == variable {
            return None;
        }
        fn is_path(e: &Expr) -> bool {
            match &e.kind {
                Kind::Field(inner, _) => is_path(inner),
                kind => matches!(kind, Kind::Name(_)),
            }
        }
        let other = crate::scalar::shadowed(&f.body, root);
        let mut found = None;
        f.body.walk(&mut |e| {
            if found.is_some() || accumulator.nodes.contains(&e.id) || e.text() == variable {
                return false;
            }
            match &e.kind {
                Kind::Field(..) if is_path(e) => {
                    let text = e.text();
                    if e.root() == Some(root)
                        && (variable.starts_with(&format!("{text} ")) || text.starts_with(&format!("{variable} .")))
                    {
                        found = Some(Place::from(e));
                    }
                    false
                }
                // Another fixed element of the same field.
                Kind::Index(base, index) if matches!(index.bare().kind, Kind::Int(_)) && is_path(base) => {
                    if variable.starts_with(&format!("{} ", e.text())) || variable == base.text() {
                        found = Some(Place::from(e));
                    }
                    false
                }
                Kind::Name(name) if name == root && !other.contains(&e.id) => {
                    found = Some(Place::from(e));
                    false
                }
                _ => true,
            }
        });
        found
    }

    /// Another running value that is computed from this one, and this one from it, with an update of each.
    fn entangled(&self, variable: &str, f: &For, result: &Loop) -> Option<(String, String, String)> {
        let mentions = |updates: &[Id], name: &str| {
            let mut found = None;
            f.body.walk(&mut |e| {
                if updates.contains(&e.id) && e.mentions(name) {
                    found.get_or_insert(shown(&e.text()));
                }
                found.is_none()
            });
            found
        };
        let own = result.accumulators.iter().find(|a| a.text == variable)?;
        result.accumulators.iter().filter(|a| a.text != variable).find_map(|other| {
            Some((other.text.clone(), mentions(&own.nodes, &other.text)?, mentions(&other.nodes, variable)?))
        })
    }

    /// Whether the attribute says what the loop is.
    fn attribute(&self, f: &Rc<For>, result: &mut Loop, report: &mut Report) {
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

    /// What `explain` tells: the class of each variable, the footprints, and who runs the loop.
    fn explain(&self, result: &mut Loop) {
        let mut lines = Vec::new();
        for (number, slot) in result.slots.iter().enumerate() {
            let list = |writes: bool| {
                let mut texts: Vec<String> = Vec::new();
                for access in result.accesses.iter().filter(|a| a.slot == number && a.writes == writes) {
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
        for (slot, reads) in result.asking.iter().flat_map(|asking| &asking.reads) {
            let reads: Vec<String> = reads.iter().map(|read| format!("`{read}`")).collect();
            lines.push(format!(
                "gather: `{}`, the elements that {} ask for",
                result.slots[*slot].name,
                reads.join(", ")
            ));
        }
        for accumulator in &result.accumulators {
            let class =
                if result.running && matches!(accumulator.class.name(), "reduce" | "reduce (best value and place)") {
                    "scan"
                } else {
                    accumulator.class.name()
                };
            lines.push(format!("{class}: `{}`{}", accumulator.text, accumulator.class.how()));
        }
        for name in &result.privates {
            lines.push(format!("scratch: `{name}`, set by each iteration before it is read"));
        }
        let halo = self.halo(result);
        lines.push(format!("halo: {halo}"));
        lines.push("serial: yes".to_owned());
        lines.push("threads: yes, in chunks of iterations that are cut at fixed places".to_owned());
        let mut mpi = vec!["each rank runs the iterations of its share"];
        if !halo.starts_with("none") {
            mpi.push("it fetches its halo before");
        }
        if result.asking.is_some() {
            mpi.push("it finds out which elements it gathers and fetches each of them once");
        }
        if result.running {
            mpi.push("the running value goes from rank to rank in O(log ranks) messages");
        } else if result.accumulators.iter().any(|a| a.class.is_reduction() || matches!(a.class, Class::State { .. })) {
            mpi.push("the results of all ranks are put together in a tree, and every rank has them");
        }
        if result.accumulators.iter().any(|a| matches!(a.class, Class::Pushes { .. })) {
            mpi.push("what a rank pushes stays in its share");
        }
        lines.push(format!("mpi: yes, {}", mpi.join("; ")));
        lines.push("gpu: no, this version has no GPU backend".to_owned());
        result.explain = lines;
    }

    /// How far reads go beyond what the iteration writes.
    fn halo(&self, result: &Loop) -> String {
        let reads: Vec<&Access> = result.accesses.iter().filter(|a| !a.writes).collect();
        if reads.is_empty() {
            return "none, no slice is read".to_owned();
        }
        let at_calls = || "from the footprints, at each call".to_owned();
        let own =
            result.accesses.iter().find(|a| a.writes && a.single).or_else(|| reads.iter().find(|a| a.single).copied());
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
}

enum Verdict {
    Apart,
    AtRunTime,
    /// `other` touches what `write` writes this many iterations later.
    Meet(i64),
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

pub fn is_push(method: &str) -> bool {
    matches!(method, "push" | "extend" | "extend_from_slice" | "push_str" | "append" | "push_back" | "write_fmt")
}

/// A step from an element of an array to a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Field(String),
    /// Any element.
    Element,
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

/// The assignment to a place that a node is in, and the place.
fn assignment_to(body: &Block, node: Id) -> Option<(&Expr, &Expr)> {
    let mut found = None;
    body.walk(&mut |e| {
        if let Kind::Assign(target, ..) = &e.kind
            && found.is_none()
            && on_the_way(target, node)
        {
            found = Some((&**target, e));
        }
        found.is_none()
    });
    found
}

/// Whether a node is the place, or what the place is a part of.
fn on_the_way(place: &Expr, node: Id) -> bool {
    place.id == node
        || match &place.kind {
            Kind::Field(inner, _) | Kind::Index(inner, _) | Kind::Paren(inner) => on_the_way(inner, node),
            _ => false,
        }
}

/// How `place` is reached from an element of the array `name`.
fn path_below(place: &Expr, name: &str) -> Option<Vec<Step>> {
    match &place.bare().kind {
        Kind::Field(inner, field) => {
            let mut path = path_below(inner, name)?;
            path.push(Step::Field(field.clone()));
            Some(path)
        }
        Kind::Index(inner, _) if inner.name() == Some(name) => Some(Vec::new()),
        Kind::Index(inner, _) if matches!(&inner.bare().kind, Kind::Unary('*', array) if array.name() == Some(name)) => {
            Some(Vec::new())
        }
        Kind::Index(inner, _) => {
            let mut path = path_below(inner, name)?;
            path.push(Step::Element);
            Some(path)
        }
        _ => None,
    }
}

fn field(name: &str) -> TokenStream {
    format!(".{name}").parse().unwrap_or_default()
}

/// One of the parts that a path leads to, for its type.
fn first_of(path: &[Step]) -> TokenStream {
    path.iter()
        .map(|step| match step {
            Step::Field(name) => field(name),
            Step::Element => quote!([0]),
        })
        .collect()
}

/// Code that runs for each part of an element that a path leads to, as `__a`, beside the same part of another, `__b`.
fn each(path: &[Step], one: &TokenStream, other: Option<&TokenStream>, run: &TokenStream) -> TokenStream {
    match path.split_first() {
        None => {
            let other = other.map(|other| quote!(let __b = &#other;));
            quote!({ let __a = &mut #one; #other #run })
        }
        Some((Step::Field(name), rest)) => {
            let name = field(name);
            each(rest, &quote!(#one #name), other.map(|other| quote!(#other #name)).as_ref(), run)
        }
        Some((Step::Element, rest)) => {
            let depth = rest.len();
            let (a, b) = (format_ident!("__a{depth}"), format_ident!("__b{depth}"));
            let inner = each(rest, &quote!((*#a)), other.map(|_| quote!((*#b))).as_ref(), run);
            match other {
                Some(other) => quote!(for (#a, #b) in #one.iter_mut().zip(#other.iter()) { #inner }),
                None => quote!(for #a in #one.iter_mut() { #inner }),
            }
        }
    }
}

/// The places that statements at the top of an `if` assign.
fn set_in(node: &Expr) -> Vec<String> {
    let Kind::If(_, then, _) = &node.kind else { return Vec::new() };
    let target = |s: &crate::ir::Statement| match &s.kind {
        StatementKind::Expr(Expr { kind: Kind::Assign(place, ..), .. }, _) => Some(place.text()),
        _ => None,
    };
    then.statements.iter().filter_map(target).collect()
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

/// An access that reads.
fn reader<'e>(events: &[&'e Event]) -> Option<&'e Event> {
    let pure = |e: &&&Event| matches!(e.what, What::Elements { writes: false, .. });
    let both = |e: &&&Event| matches!(e.what, What::Elements { reads: true, .. });
    events.iter().find(pure).or_else(|| events.iter().find(both)).copied()
}

/// An array that would be a histogram, were it not read as well: an update, and such a read.
fn read_bins<'e>(events: &[&'e Event]) -> Option<(&'e Event, &'e Event)> {
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

/// Whether iterations write the same elements for certain: a step, an inner counter's name, and how many values it takes,
/// all known here.
fn meets_itself(place: &Poly, step: &Poly) -> Option<(i64, String, i64)> {
    let step = step.as_constant().filter(|step| *step != 0)?;
    let (symbol, factor) = place.only_other_symbol(crate::poly::POSITION)?;
    let (name, range) = symbol.strip_prefix('#')?.split_once(':')?;
    let (from, to) = range.strip_suffix(':')?.split_once("..")?;
    let (to, more) = to.strip_prefix('=').map_or((to, 0), |to| (to, 1));
    let values = to.trim().parse::<i64>().ok()?.checked_sub(from.trim().parse().ok()?)?.checked_add(more)?;
    // `factor * j = step` for a difference `j` that the counter has.
    let apart = step.checked_rem(factor)? == 0 && step.checked_div(factor)?.checked_abs()? < values;
    apart.then(|| (step, name.to_owned(), values))
}

/// Whether a plain `name[k] = e` happens.
fn sets_element(event: &Event) -> bool {
    matches!(event.what, What::Elements { writes: true, reads: false, op: None, single: true, .. })
}

/// `k` of `name[k]`, where it is a number.
fn constant_of(event: &Event) -> Option<i64> {
    match &event.what {
        What::Elements { index, single: true, .. } => index.parse().ok(),
        _ => None,
    }
}

/// Whether an array is touched at fixed places only, and each of them is set for certain before it is read.
fn set_one_by_one(events: &[&Event]) -> bool {
    let mut set = HashSet::new();
    events.iter().all(|event| {
        let Some(k) = constant_of(event) else { return matches!(event.what, What::Len) };
        if !sets_element(event) {
            return set.contains(&k);
        }
        if !event.conditional && event.depth == 0 {
            set.insert(k);
        }
        true
    })
}

fn has_node(body: &Block, node: Id) -> bool {
    let mut found = false;
    body.walk(&mut |e| {
        found |= e.id == node;
        !found
    });
    found
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

/// Whether a `break` or `continue` in the body of a loop may end one of its rounds, or all of them.
fn leaves_early(body: &Block) -> bool {
    let mut found = false;
    body.walk(&mut |e| match &e.kind {
        Kind::Break(..) | Kind::Continue(_) | Kind::Return(_) | Kind::Try(_) => {
            found = true;
            false
        }
        Kind::For(_) | Kind::While(..) | Kind::Loop(..) => {
            e.walk(&mut |inner| {
                found |= matches!(
                    inner.kind,
                    Kind::Break(Some(_), _) | Kind::Continue(Some(_)) | Kind::Return(_) | Kind::Try(_)
                );
                !found
            });
            false
        }
        _ => !found,
    });
    found
}

fn weight(body: &Block) -> &'static str {
    let mut weight = "Light";
    body.walk(&mut |e| {
        match &e.kind {
            Kind::For(_) | Kind::While(..) | Kind::Loop(..) => weight = "Heavy",
            Kind::Method(_, name, _, _)
                if matches!(name.as_str(), "iter" | "sum" | "fold" | "sort" | "sort_unstable") =>
            {
                weight = "Heavy";
            }
            Kind::Call(function, _) if weight == "Light" => {
                // Constructors and conversions are cheap.
                let last = function.text().rsplit("::").next().unwrap_or_default().trim().to_owned();
                if !last.starts_with(char::is_uppercase) && !matches!(last.as_str(), "from" | "min" | "max" | "new") {
                    weight = "Medium";
                }
            }
            _ => {}
        }
        weight != "Heavy"
    });
    weight
}

/// An assignment.
fn assignment_of(f: &For, assign: Id) -> Option<&Expr> {
    let mut found = None;
    f.body.walk(&mut |e| {
        if e.id == assign {
            found = Some(e);
        }
        found.is_none()
    });
    found
}

/// `e` of `if e > acc { acc = e; }`.
fn kept_value(node: &Expr) -> Option<TokenStream> {
    let Kind::If(condition, then, None) = &node.kind else { return None };
    let mut parts = Vec::new();
    conjuncts(condition, &mut parts);
    if parts.len() != 1 {
        return None;
    }
    then.statements.iter().find_map(|s| match &s.kind {
        StatementKind::Expr(Expr { kind: Kind::Assign(_, None, value), .. }, _) => Some(value.tokens.clone()),
        _ => None,
    })
}

/// The updates as maps, and the variables of the body that they are computed through.
fn linear_edits(all: &[Update<'_>], f: &For, place: &str, ident: &Ident) -> Option<Linear> {
    let through = match all {
        [update] => through(place, &f.body, update.assign),
        _ => HashMap::new(),
    };
    let (mut edits, mut nodes) = (HashMap::new(), Vec::new());
    for update in all {
        let parts = as_linear(&update.form, assignment_of(f, update.assign)?, &through)?;
        edits.insert(update.assign, parts.applied(ident));
    }
    // Where only the accumulators are wanted, these variables have no value.
    for statement in &f.body.statements {
        if let StatementKind::Let(pattern, Some(value), _) = &statement.kind
            && pattern.single().is_some_and(|b| through.contains_key(b.name.as_str()))
        {
            let none = if pattern.ty.is_some() { quote!(::core::default::Default::default()) } else { quote!(()) };
            edits.insert(value.id, none);
            nodes.push(value.id);
        }
    }
    Some(Linear { edits, through: through.into_keys().map(str::to_owned).collect(), nodes })
}

struct Linear {
    edits: HashMap<Id, TokenStream>,
    through: Vec<String>,
    nodes: Vec<Id>,
}

/// `x[i] = E(x[i - 1])` as `prev = E(prev); x[i] = prev`.
fn rewrite_carried(f: &Rc<For>, name: &str, write: &Event, before: &[Id], result: &Loop) -> Option<(Rc<For>, Carried)> {
    struct Replace<'a>(&'a [Id], &'a Ident);
    impl crate::print::Edit for Replace<'_> {
        fn expr(&self, e: &Expr) -> Option<TokenStream> {
            // At the place of the author's words, for messages.
            let ident = Ident::new(&self.1.to_string(), e.span);
            self.0.contains(&e.id).then(|| quote!(#ident))
        }
    }
    let variable = format_ident!("__previous_{}_{}", crate::index::plain(name), result.carried.len());
    let replace = Replace(before, &variable);
    let mut first = None;
    let mut source = TokenStream::new();
    for statement in &f.body.statements {
        let assignment = match &statement.kind {
            StatementKind::Expr(Expr { kind: Kind::Assign(place, op, value), .. }, _) if place.id == write.id => {
                Some((place, op, value))
            }
            _ => None,
        };
        statement.walk(&mut |e| {
            if before.contains(&e.id) {
                first.get_or_insert(e.tokens.clone());
            }
            true
        });
        match assignment {
            Some((place, op, value)) => {
                let (place, value) = (&place.tokens, crate::print::expr(value, &replace));
                let ident = Ident::new(&variable.to_string(), write.place.start);
                match op {
                    Some(op) => {
                        let op: TokenStream = op.text().parse().ok()?;
                        source.extend(quote_spanned!(write.place.start=> #ident = #place #op (#value);));
                    }
                    None => source.extend(quote_spanned!(write.place.start=> #ident = #value;)),
                }
                source.extend(quote!(#place = #ident;));
            }
            None => source.extend(crate::print::statement(statement, &replace)),
        }
    }
    // The write must be one of the statements at the top.
    let block: syn::Block = syn::parse2(quote!({ #source })).ok()?;
    let mut lower = crate::lower::Lower::starting_at(1 << 24);
    let body = lower.block(&block);
    let mut again = (**f).clone();
    again.body = body;
    let first = first?;
    let (set, read) = (write.text.clone(), shown(&first.to_string()));
    Some((Rc::new(again), Carried { variable, first, set, read }))
}
