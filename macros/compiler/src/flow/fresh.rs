//! Definite assignment: whether a variable has a value that this iteration has set.

use super::access::{Access, Form, Link, way};
use super::graph::{END, Graph, Step};
use super::solve::Problem;
use crate::ir::{Counted, Expr, For, Id, Kind, Local, Op};
use crate::language::methods::{self, Effect, Of};
use crate::maps::{HashSet, New as _};
use std::collections::BTreeSet;

/// How much of a variable has been set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Stale,
    /// The number of elements, but not the elements.
    Sized,
    Fresh,
}

/// The level of a variable before each step.
pub struct Fresh {
    pub name: Local,
    /// The level before the first step: a variable of a fixed length begins as sized.
    pub(super) first: Level,
    /// The loops that set each element, by their sources.
    fills: HashSet<Id>,
    /// The mentions in these loops at elements that this round or an earlier one has set.
    earlier: HashSet<Id>,
    /// Whether only assignments to the whole variable count, as for a variable that begins without a value.
    whole: bool,
}

impl Fresh {
    /// The state of a variable that counts as set only if it is assigned as a whole.
    pub fn unset(name: Local) -> Fresh {
        Fresh { name, first: Level::Stale, fills: HashSet::new(), earlier: HashSet::new(), whole: true }
    }

    /// Whether an access sets the whole contents of a variable of this level.
    pub fn resets(&self, access: &Access<'_>, level: Level) -> bool {
        let assigned = matches!(access.form, Form::Assigned { op: None, .. }) && access.links.is_empty();
        match access.method() {
            _ if self.whole => access.sets(),
            Some(("clear", [])) => true,
            Some((method, _)) => methods::sets(method) && level >= Level::Sized,
            None => assigned,
        }
    }

    /// That of a buffer with this level before the first step. `is_length` says whether an expression is its number of elements.
    pub fn of_buffer(graph: &Graph<'_>, name: Local, first: Level, is_length: &dyn Fn(&Expr) -> bool) -> Fresh {
        let mut fresh = Fresh { first, whole: false, ..Fresh::unset(name) };
        for f in graph.loops().filter(|_| first == Level::Sized) {
            let Some((from, here)) = filled_from(f, name, is_length) else { continue };
            let is_set = |element: i64| {
                let set = Sets { name, is_place: &|access| access.sets_element() && access.element() == Some(element) };
                graph.end_of(f).is_some_and(|end| graph.solve(&set)[end] == Some(true))
            };
            if (0..from).all(is_set) {
                fresh.fills.insert(f.source.id);
                fresh.earlier.extend(earlier_elements(f, name, from).chain(here));
            }
        }
        fresh
    }

    /// Whether a loop sets all elements.
    pub fn fills(&self, f: &For) -> bool {
        self.fills.contains(&f.source.id)
    }

    /// The level that an access needs.
    fn needed(&self, access: &Access<'_>) -> Level {
        let harmless = |effect| access.method().is_some_and(|(name, _)| methods::does(Of::Sequence, name, effect));
        match access.method() {
            Some((method, _)) if methods::sets(method) => Level::Stale,
            _ if harmless(Effect::Reserves) || resizes(access) => Level::Stale,
            _ if access.measures() || access.sets_element() || self.earlier.contains(&access.variable.id) => {
                Level::Sized
            }
            _ => Level::Fresh,
        }
    }

    /// Whether each access only depends on values that the code has set, and one of them sets the variable.
    pub fn holds(&self, graph: &Graph<'_>) -> bool {
        let levels = graph.solve(self);
        let mut all = graph.accesses().filter(|(_, access)| access.root == self.name);
        let mut set = !self.fills.is_empty();
        all.all(|(number, access)| {
            let Some(level) = levels[number] else { return true };
            let resets = self.resets(access, level);
            set |= resets;
            let needed = if self.whole { Level::Fresh } else { self.needed(access) };
            resets || level >= needed && !measures_memory(access)
        }) && set
    }
}

impl Problem for Fresh {
    type Fact = Level;

    fn first(&self) -> Level {
        self.first
    }

    fn join(&self, one: &Level, other: &Level) -> Level {
        *one.min(other)
    }

    fn pass(&self, _: usize, step: &Step<'_>, level: &Level) -> Level {
        match step {
            Step::Access(access) if access.root == self.name => match access {
                _ if self.resets(access, *level) => Level::Fresh,
                _ if !self.whole && resizes(access) => Level::Sized.max(*level),
                _ => *level,
            },
            Step::Done(f) if *level == Level::Sized && self.fills(f) => Level::Fresh,
            _ => *level,
        }
    }
}

/// Whether an access sets the number of elements, whatever it was.
fn resizes(access: &Access<'_>) -> bool {
    access.method().is_some_and(|(method, _)| matches!(method, "resize" | "resize_with"))
}

/// Whether an access reads the capacity, which depends on earlier contents even after a reset.
pub fn measures_memory(access: &Access<'_>) -> bool {
    access.links.iter().any(|link| matches!(link, Link::Method("capacity" | "spare_capacity_mut", _)))
}

/// Whether the rounds of a loop set a place before each other access to its variable, and whether all of them do.
struct Sets<'s> {
    name: Local,
    is_place: &'s dyn Fn(&Access<'_>) -> bool,
}

impl Problem for Sets<'_> {
    type Fact = bool;

    fn first(&self) -> bool {
        false
    }

    fn join(&self, one: &bool, other: &bool) -> bool {
        *one && *other
    }

    fn pass(&self, _: usize, step: &Step<'_>, set: &bool) -> bool {
        *set || matches!(step, Step::Access(access) if access.root == self.name && (self.is_place)(access))
    }
}

/// The item of a loop over the mutable elements of a variable.
fn item(f: &For) -> Option<Local> {
    let (_, links) = way(&f.source)?;
    let item = match (f.source.bare(), links.as_slice(), f.pattern.parts()) {
        (Expr { kind: Kind::Ref(true, _), .. }, [], _) => &f.pattern,
        (_, [Link::Method("iter_mut", [])], _) => &f.pattern,
        (_, [Link::Method("iter_mut", []), Link::Method("enumerate", [])], [_, item]) => item,
        _ => return None,
    };
    item.single().filter(|_| matches!(item.form, crate::ir::Form::Name(_, None))).map(|binding| binding.name)
}

/// An assignment `*item = e`.
fn sets_item(access: &Access<'_>) -> bool {
    matches!(&access.form, Form::Assigned { place, op: None, .. }
        if matches!(&place.kind, Kind::Unary('*', item) if item.name().is_some()))
}

/// Whether a loop over the mutable elements of a variable reads none of them before it sets it.
pub fn sets_each_item(f: &For) -> bool {
    let Some(name) = item(f) else { return false };
    let graph = Graph::of_iteration(f);
    let set = graph.solve(&Sets { name, is_place: &sets_item });
    let mut accesses = graph.accesses().filter(|(_, access)| access.root == name);
    accesses.all(|(number, access)| sets_item(access) || set[number] != Some(false))
}

/// A place that a body may set.
pub enum Part {
    /// The target of a variable that is a reference.
    Target,
    /// The element of a variable at these mentions.
    Element(HashSet<Id>),
}

impl Part {
    fn is_set_by(&self, access: &Access<'_>) -> bool {
        let set = match self {
            Part::Target => sets_item(access),
            Part::Element(mentions) => {
                let is_place = |e: &Expr| mentions.contains(&e.bare().id);
                access.sets_element() && matches!(&access.form, Form::Assigned { place, .. } if is_place(place))
            }
        };
        set && !access.captured
    }
}

/// Whether all paths set each of these parts of a variable, before any other access to the variable.
pub fn sets_parts(graph: &Graph<'_>, name: Local, parts: &[Part]) -> bool {
    let set = |part: &Part| graph.solve(&Sets { name, is_place: &|access| part.is_set_by(access) });
    let set: Vec<Vec<Option<bool>>> = parts.iter().map(set).collect();
    let mut others = graph.accesses().filter(|(_, access)| {
        access.root == name && !access.measures() && !parts.iter().any(|part| part.is_set_by(access))
    });
    set.iter().all(|set| set[END] == Some(true))
        && others.all(|(number, _)| set.iter().all(|set| set[number] != Some(false)))
}

/// The first element that a loop sets, if its rounds set all elements from there on, and the mentions at the element of a round after it
/// is set. `is_length` says whether an expression is the number of elements.
fn filled_from(f: &For, name: Local, is_length: &dyn Fn(&Expr) -> bool) -> Option<(i64, Vec<Id>)> {
    let graph = Graph::of_iteration(f);
    if let (Some(item), Some((variable, _))) = (item(f), way(&f.source)) {
        let set = graph.solve(&Sets { name: item, is_place: &sets_item });
        return (set[END] == Some(true) && variable.name() == Some(name)).then(|| (0, Vec::new()));
    }
    let Counted { from, to, inclusive: false, step: None } = f.source.counted()? else { return None };
    let counter = f.pattern.single().filter(|binding| !binding.mutable && !f.counts_by_while)?.name;
    let Kind::Int(from) = from.bare().kind else { return None };
    let is_here = |access: &Access<'_>| access.root == name && access.index().and_then(Expr::name) == Some(counter);
    let set = graph.solve(&Sets { name, is_place: &|access| is_here(access) && access.sets_element() });
    let here = graph.accesses().filter(|(number, access)| set[*number] == Some(true) && is_here(access));
    let here = here.map(|(_, access)| access.variable.id).collect();
    (set[END] == Some(true) && from >= 0 && is_length(to)).then_some((from, here))
}

/// The mentions of a variable in a loop that sets its elements from `from` on, at elements that are already set.
fn earlier_elements(f: &For, name: Local, from: i64) -> impl Iterator<Item = Id> {
    let upwards = matches!(f.source.bare().kind, Kind::Range(..));
    let is_earlier = move |index: &Expr| match &index.bare().kind {
        Kind::Int(element) => (0..from).contains(element),
        Kind::Binary(Op::Sub, counter, back) => {
            let back = matches!(back.bare().kind, Kind::Int(back) if (1..=from).contains(&back));
            upwards && back && counter.name().is_some_and(|counter| f.pattern.binds(counter))
        }
        _ => false,
    };
    f.body.nodes().filter_map(move |e| match &e.kind {
        Kind::Index(of, index) if of.name() == Some(name) && is_earlier(index) => Some(of.bare().id),
        _ => None,
    })
}

/// Whether the code accesses only elements at constant indices, and sets each of them before it reads it.
pub fn sets_each_element(graph: &Graph<'_>, name: Local) -> bool {
    let accesses = graph.accesses().filter(|(_, access)| access.root == name && !access.measures());
    let all: Vec<(usize, &Access<'_>, Option<i64>)> = accesses.map(|(number, a)| (number, a, a.element())).collect();
    let elements: BTreeSet<Option<i64>> = all.iter().map(|(.., element)| *element).collect();
    !elements.is_empty()
        && elements.iter().all(|element| {
            let Some(at) = *element else { return false };
            let set =
                graph.solve(&Sets { name, is_place: &|access| access.sets_element() && access.element() == Some(at) });
            let mut here = all.iter().filter(|(.., other)| other == element);
            here.all(|(number, access, _)| access.sets_element() || set[*number] != Some(false))
        })
}
