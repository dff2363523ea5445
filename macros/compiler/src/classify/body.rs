//! Facts about a body that are collected before its variables are classified.

use crate::algebra::updates::{Form, Given};
use crate::analysis::walk::{Boxed, Event, Names, Walk, What};
use crate::front::constants::constants;
use crate::front::function::Function;
use crate::front::header::Source;
use crate::front::parameters::Share;
use crate::front::variables::Declared;
use crate::index::poly::Poly;
use crate::index::small_cases::{Cases, Counter};
use crate::index::triangles::{are_rows, is_in_a_triangle, without_rows};
use crate::index::{HeldValues, Outside, Scope};
use crate::ir::obligation::Obligation;
use crate::ir::report::Report;
use crate::ir::{Block, Expr, For, Id, Kind, Local, length_in};
use crate::maps::{HashMap, HashSet, New as _};
use crate::plan::{ComputedIndices, Weight};
use std::collections::BTreeSet;

/// The results of one walk over a body.
pub(super) struct Seen {
    pub events: Vec<Event>,
    /// The accesses to elements of objects.
    pub boxes: Vec<Boxed>,
    /// The mistakes that do not depend on the classes.
    pub report: Report,
    /// Arrays whose length or shape the body reads.
    pub lengths: BTreeSet<Local>,
    pub shapes: BTreeSet<Local>,
    /// See [`Plan::own_lengths`](crate::plan::Plan).
    pub own_lengths: HashMap<Id, Local>,
    /// The accesses, for trying small cases of sizes.
    pub cases: Option<Cases>,
    pub weight: Weight,
    /// Whether the body calls macros that may have any effect.
    pub macros: bool,
    pub computed: ComputedIndices,
    pub obligations: Vec<Obligation>,
}

impl Seen {
    pub fn of(function: &Function, source: &Source, f: &For) -> Seen {
        let dims = |share: &Share| share.array.as_ref().map(|array| array.dims);
        let shares: HashMap<Local, Option<usize>> = function.shares.iter().map(|s| (s.name, dims(s))).collect();
        let outside = Outside {
            closures: Some(&function.closures),
            mutable: mutable(function),
            fixed: fixed(function),
            constants: constants(&function.original.block),
            changing: changing(function, &f.body),
            shares,
        };
        let elementwise = outside.fixed.iter().filter(|(name, length)| elementwise(&f.body, **name, **length));
        let elementwise = elementwise.map(|(name, _)| *name).collect();
        let mut walk = Walk::new(Scope::new(outside), function, elementwise);
        walk.annotated(source, f);
        let cases = walk.scope.iterations(&f.source).map(|iterations| Cases {
            iterations,
            through: runs_through(&f.body),
            around: around(function, f, &mut walk.scope),
            symbols: std::mem::take(&mut walk.scope.symbols),
        });
        let (mut events, boxes, report) = (walk.events, walk.boxes, walk.report);
        keep_triangles(&mut events, cases.as_ref());
        let HeldValues { lengths, mut shapes, invariants, .. } = walk.scope.held;
        let computed = ComputedIndices { invariants, ..walk.computed };
        shapes.extend(events.iter().map(|e| &e.name).filter(|name| function.array(**name)).cloned());
        let parts =
            events.iter().any(|e| function.array(e.name) && matches!(e.what, What::Elements { single: false, .. }));
        Seen {
            own_lengths: own_lengths(f, &events, &lengths),
            weight: if parts { Weight::Heavy } else { weight(&f.body) },
            macros: calls_macros(&f.body),
            computed,
            events,
            boxes,
            report,
            lengths,
            shapes,
            cases,
            obligations: walk.scope.obligations,
        }
    }
}

/// Notes which accesses to packed triangles may be in the row of another iteration.
fn keep_triangles(events: &mut [Event], cases: Option<&Cases>) {
    let index = |event: &Event| match &event.what {
        What::Elements { first, single: true, .. } => first.poly.clone().filter(is_in_a_triangle),
        _ => None,
    };
    let arrays: BTreeSet<Local> =
        events.iter().filter(|event| index(event).is_some()).map(|event| event.name).collect();
    for array in arrays {
        let found: Vec<Poly> = events.iter().filter(|event| event.name == array).filter_map(index).collect();
        if cases.is_some_and(|cases| are_rows(&found.iter().collect::<Vec<_>>(), cases)) {
            continue;
        }
        for event in events.iter_mut().filter(|event| event.name == array) {
            if let What::Elements { first, .. } = &mut event.what {
                first.poly = first.poly.take().map(|index| without_rows(&index));
            }
        }
    }
}

impl Names for Function {
    fn mutable(&self, name: Local) -> bool {
        self.declared.get(&name).is_some_and(|d| d.mutable)
    }

    fn share(&self, name: Local) -> bool {
        self.shares.iter().any(|s| s.name == name)
    }

    fn buffer(&self, name: Local) -> bool {
        self.declared.get(&name).is_some_and(|d| d.buffer) && self.pushes.iter().all(|p| p.name != name)
    }

    fn array(&self, name: Local) -> bool {
        self.shares.iter().any(|s| s.name == name && s.array.is_some())
    }

    fn parts_of_elements(&self, name: Local) -> Option<i64> {
        length_in(&self.shares.iter().find(|share| share.name == name)?.element.to_string())
    }

    fn range_of_tile(&self, first: Local, end: Local) -> bool {
        self.tiles.ranges.contains(&[first, end])
    }

    fn refused(&self, e: &Expr) -> bool {
        self.misused(e).is_some()
    }
}

/// Outer variables that the body assigns or changes through methods, from the tokens alone.
fn changing(function: &Function, body: &Block) -> HashSet<Local> {
    let mut names = HashSet::new();
    for e in body.nodes() {
        // A method and opaque code change no variable that is not declared with `mut`.
        let any = matches!(e.kind, Kind::Assign(..) | Kind::Ref(..));
        names.extend(e.changes().into_iter().filter(|name| any || function.mutable(*name)));
    }
    names
}

/// The arrays of the function whose length is written as a number.
fn fixed(function: &Function) -> HashMap<Local, i64> {
    let length = |d: &Declared| d.length.as_ref().and_then(|length| length.parse().ok());
    let dims = |d: &Declared| {
        let share = function.shares.iter().find(|share| Some(share.name) == d.shape_of)?;
        i64::try_from(share.array.as_ref()?.dims).ok()
    };
    let arrays = function.declared.iter().filter(|(_, d)| d.buffer || d.shape_of.is_some());
    arrays.filter_map(|(name, d)| Some((*name, length(d).or_else(|| dims(d))?))).collect()
}

/// Whether a body only accesses an array at constant indices, and accumulates in its elements by several operators: by
/// a single operator, it would be a histogram.
fn elementwise(body: &Block, array: Local, length: i64) -> bool {
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
            Kind::Opaque(..) => plain &= !e.mentions(array),
            Kind::Index(part, _) | Kind::Field(part, _) | Kind::Ref(true, part) => plain &= !fixed(part),
            Kind::Method(part, method, ..) => plain &= !fixed(part) || part.is_left_by(method),
            Kind::Assign(target, ..) if fixed(target) => {
                let place = target.place();
                let updates =
                    place.iter().flat_map(|place| crate::algebra::updates::updates(place, body, Given::default()));
                operators.extend(updates.map(|u| match u.form {
                    Form::Step(operator, _) => Some(operator.text()),
                    _ => None,
                }));
                plain &= !operators.contains(&None);
            }
            _ => {}
        }
        plain
    });
    plain && mentions == elements && operators.len() > 1
}

/// The variables of the function that are `mut`.
fn mutable(function: &Function) -> HashSet<Local> {
    function.declared.iter().filter(|(_, d)| d.mutable).map(|(name, _)| *name).collect()
}

/// Whether a body calls unknown macros; those of the standard library have no side effects.
fn calls_macros(body: &Block) -> bool {
    body.nodes().any(|e| matches!(&e.kind, Kind::Opaque(opaque) if opaque.what.is_macro()))
}

/// See [`Plan::own_lengths`](crate::plan::Plan).
fn own_lengths(f: &For, events: &[Event], lengths: &BTreeSet<Local>) -> HashMap<Id, Local> {
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
                        && array.name() == Some(event.name)
                    {
                        found.insert(e.id, event.name);
                    }
                    true
                });
            }
            true
        });
    }
    found
}

/// The variables of the enclosing loops, with their ranges.
fn around(function: &Function, f: &For, scope: &mut Scope<'_>) -> Vec<(Local, Counter)> {
    fn find<'e>(block: &'e Block, f: &For, to: &mut Vec<&'e For>) -> bool {
        let mut found = false;
        block.walk(&mut |e| {
            if let Kind::For(other) = &e.kind
                && !found
            {
                found = other.source.id == f.source.id
                    || find(&other.body, f, to) && {
                        to.push(other);
                        true
                    };
                return false;
            }
            !found
        });
        found
    }
    let mut loops = Vec::new();
    find(&function.body, f, &mut loops);
    let counted = |around: &&For| around.pattern.single().filter(|binding| !binding.mutable).cloned();
    let loops = loops.iter().filter_map(|around| Some((counted(around)?.name, scope.iterations(&around.source)?)));
    loops.collect()
}

/// Whether every iteration reaches the end of the body, without an early exit from an inner loop.
fn runs_through(body: &Block) -> bool {
    body.nodes().all(|e| {
        !matches!(
            e.kind,
            Kind::Continue(_) | Kind::Break(..) | Kind::Return(_) | Kind::While(..) | Kind::Loop(..) | Kind::Try(_)
        )
    })
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
                // Constructors and conversions are cheap calls.
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
