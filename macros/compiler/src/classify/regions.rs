//! Loops over objects: their iterations are tasks, with a box of each object that they access.

use super::context::Classifier;
use super::elements::one_launch;
use super::launches::several_launches;
use super::nodes::header;
use crate::analysis::walk::{Boxed, Event};
use crate::front::barriers::{Cut, at_cut};
use crate::front::declared::declares;
use crate::front::tiles::is_view;
use crate::index::poly::position;
use crate::ir::report::{Code, Location, Report};
use crate::ir::{Expr, Id, Kind, Local, Statement, StatementKind};
use crate::maps::{HashSet, New as _};
use crate::plan::{Boxes, Plan, Region};

impl Classifier<'_> {
    /// The boxes of a loop over objects.
    pub(super) fn region(&self, accesses: Vec<Boxed>, plan: &mut Plan, report: &mut Report) {
        let f = plan.f.clone();
        let view = |statement: &Statement| match &statement.kind {
            StatementKind::Let(pattern, Some(value), None) if is_view(value) => {
                Some((pattern.single()?.name, value.id))
            }
            _ => None,
        };
        let views: Vec<(Local, Id)> = f.body.statements.iter().filter_map(view).collect();
        let cuts: Vec<(Id, Cut)> = f.body.nodes().filter_map(|e| at_cut(e).map(|cut| (e.id, cut))).collect();
        let tiled = plan.source.tiled().map(|(object, _)| object.name);
        let tiles = plan.source.tile(&f.pattern).map(|(_, dims)| dims);
        if let Some(object) = tiled.filter(|_| tiles.is_none()) {
            report.error(
                Code::FA005,
                header(&f),
                format!("a loop can only iterate over the tiles of `{object}` by themselves"),
                format!("write `for tile in {object}.tiles(..)`, and compute what belongs to a tile from its ranges"),
            );
            return;
        }
        if views.is_empty() && tiles.is_none() && cuts.is_empty() {
            return;
        }
        self.refuse_other_uses(plan, report);
        refuse_inner_barriers(plan, report);
        refuse_unknown_writes(&accesses, report);
        refuse_shared_elements(&accesses, plan, report);
        let mut boxes: Vec<Boxes> = Vec::new();
        for (view, id) in views {
            let known = self.function.tiles.views.iter().find(|known| known.name == view);
            let object =
                known.and_then(|known| self.function.tiles.objects.iter().find(|object| object.name == known.object));
            let Some(object) = object else { continue };
            let own: Vec<&Boxed> = accesses.iter().filter(|access| access.view == view).collect();
            let calls = |method: &str| f.body.nodes().any(|e| calls(e, view, &|name| name == method));
            let modified = calls("modified");
            if modified && let Some(access) = own.iter().find(|access| !access.declared) {
                refuse_index_beside_modified(object.name, access, report);
            }
            // If tasks are cut, a later part may declare the changes. Then they are examined when the task has ended.
            if !modified
                && (cuts.is_empty() || !self.declares_somewhere(object.name))
                && let Some(change) = f.body.nodes().find(|e| self::calls(e, view, &|name| name == "get_mut"))
            {
                refuse_private_changes(object.name, change, report);
            }
            boxes.push(Boxes {
                view,
                id,
                object: object.name,
                reference: object.reference,
                dims: object.dims,
                element: object.element.clone(),
                written: own.iter().any(|access| access.writes),
                modified,
                requested: calls("request"),
                accesses: own.iter().map(|access| access.along.clone()).collect(),
                texts: own.iter().map(|access| (access.text.clone(), access.writes)).collect(),
            });
        }
        let place = Location::from(f.span);
        let launches = match boxes.iter().any(|boxes| boxes.modified || boxes.requested) {
            _ if !cuts.is_empty() => Err((place, "the tasks wait for each other".to_owned())),
            true => Err((place, "tasks declare boxes while they run".to_owned())),
            false => {
                let tile = plan.source.tile(&f.pattern).and_then(|(pattern, _)| pattern.parts().first()?.single());
                let (tiled, tile) = (tiles.is_some(), tile.map(|tile| tile.name));
                one_launch(&f, tiled, tile, &boxes).or_else(|refused| {
                    several_launches(&f, tiled, tile, &boxes).map_err(|better| better.unwrap_or(refused))
                })
            }
        };
        plan.region = Some(Region { tiles, cuts, boxes, launches });
    }

    /// Whether any loop of the function declares elements of an object as modified.
    fn declares_somewhere(&self, object: Local) -> bool {
        let views = || self.function.tiles.views.iter().filter(|view| view.object == object);
        self.function.body.nodes().any(|e| views().any(|view| calls(e, view.name, &|name| name == "modified")))
    }

    /// An access to an object as such, and not to a view of it.
    pub(super) fn object<'e>(&self, name: Local, events: &[&'e Event]) -> Option<&'e Event> {
        let is_object = self.function.tiles.objects.iter().any(|object| object.name == name);
        events.first().copied().filter(|_| is_object)
    }

    /// Rejects uses of objects other than accesses to their elements.
    fn refuse_other_uses(&self, plan: &Plan, report: &mut Report) {
        let view = |name: Local| self.function.tiles.views.iter().find(|view| view.name == name);
        let mut understood: HashSet<Id> = HashSet::new();
        for e in plan.f.body.nodes() {
            if let Kind::Index(base, index) = &e.kind
                && let Some(view) = base.name().and_then(view)
            {
                let dims = self.function.tiles.objects.iter().find(|object| object.name == view.object);
                let fits = |list: &[Expr]| dims.is_some_and(|object| object.dims == list.len());
                if !matches!(&index.bare().kind, Kind::Array(list) if !fits(list)) {
                    understood.insert(base.bare().id);
                }
            }
            if let Kind::Method(receiver, method, args, _) = &e.kind
                && declares(method)
                && args.len() == 1
            {
                understood.insert(receiver.bare().id);
            }
        }
        let mut refused = HashSet::new();
        let mut refuse = |name: Local, place: Location| {
            let Some(view) = view(name).filter(|view| refused.insert(view.name)) else { return };
            let object = view.object;
            report.error(
                Code::FA024,
                place,
                format!("a task accesses elements of `{object}`, and here it uses the object in another way"),
                format!(
                    "index it, `{object}[[y, x]]`, or get a range, `{object}.get(range)`; what uses the whole object (`to_all`, functions that \
                     take it) belongs before or behind the loop"
                ),
            );
        };
        for e in plan.f.body.nodes() {
            match &e.kind {
                Kind::Name(name) if !understood.contains(&e.id) => refuse(*name, Location::from(e)),
                Kind::Opaque(opaque) => {
                    for received in opaque.received() {
                        if let Some(name) = received.name() {
                            refuse(name, Location::from(received));
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether an expression calls a method of a view.
fn calls(e: &Expr, view: Local, is: &dyn Fn(&str) -> bool) -> bool {
    matches!(&e.kind, Kind::Method(receiver, method, ..) if receiver.name() == Some(view) && is(method))
}

/// Rejects an index beside `modified`: it would not see the changes.
fn refuse_index_beside_modified(object: Local, access: &Boxed, report: &mut Report) {
    report.error(
        Code::FA024,
        access.place,
        format!("a task declares ranges of `{object}` as modified, and here it uses an element by its index"),
        format!("use the elements of a view: `let mut view = {object}.get_mut(range);`, then `view[[y, x]]`"),
    );
}

/// Rejects changes that a task does not declare: they end with the task, and later iterations of the sequential loop would see them.
fn refuse_private_changes(object: Local, change: &Expr, report: &mut Report) {
    report.error(
        Code::FA024,
        change,
        format!("a task changes elements of `{object}` here, and does not declare them as modified: later iterations would see the changes"),
        format!("write `{object}.modified(range)` behind the changes, or change a copy: `let mut copy = {object}.get(range).into_elements();`"),
    );
}

/// Rejects barriers that are no statements of the loop's own body: tasks are not cut there.
fn refuse_inner_barriers(plan: &Plan, report: &mut Report) {
    for e in plan.f.body.nodes() {
        if let Kind::Call(function, arguments) = &e.kind
            && arguments.is_empty()
            && function.last_name() == "barrier"
        {
            report.error(
                Code::FA024,
                e,
                "all tasks come to a barrier, and this one is not a statement of the loop's own body",
                "write `barrier();` between the statements of the loop, and not in a branch or another loop",
            );
        }
    }
}

/// Rejects writes at indices that the compiler does not know: two tasks may write the same element.
fn refuse_unknown_writes(accesses: &[Boxed], report: &mut Report) {
    for access in accesses.iter().filter(|access| access.writes) {
        if access.along.is_empty() || access.along.iter().any(|along| along.value.is_none()) {
            report.error(
                Code::FA012,
                access.place,
                format!(
                    "`{}` writes at a place that the data choose, so two tasks may write the same element",
                    access.text
                ),
                "write at indices that are computed from the ranges of the tile",
            );
        }
    }
}

/// Rejects accesses of neighbouring tasks to the same element, if one of them writes it and the tiles are known to have neighbours.
fn refuse_shared_elements(accesses: &[Boxed], plan: &Plan, report: &mut Report) {
    let cut: Vec<bool> = match plan.source.tiled().map(|(_, shape)| &shape.bare().kind) {
        Some(Kind::Array(lengths)) => lengths.iter().map(|length| matches!(length.bare().kind, Kind::Int(_))).collect(),
        Some(_) => return,
        None => Vec::new(),
    };
    // Along a tile the whole range of the tile; without tiles, the variable of the loop tells iterations apart.
    let meets = |access: &Boxed, axis: usize, distance: i64| match cut.get(axis) {
        Some(cut) => *cut && distance != 0 && access.through_tile[axis],
        None => {
            let poly = access.along[axis].poly.as_ref();
            let step = poly.and_then(|poly| poly.coefficient_of(position())).and_then(|step| step.as_constant());
            step.is_some_and(|step| step != 0 && distance != 0 && distance % step == 0)
        }
    };
    let mut refused = HashSet::new();
    for one in accesses.iter().filter(|access| access.writes) {
        for other in accesses.iter().filter(|other| other.view == one.view && other.along.len() == one.along.len()) {
            let same = (0..one.along.len()).any(|axis| {
                let [a, b] = [one, other].map(|access| access.along[axis].poly.as_ref());
                let distance = a.zip(b).and_then(|(a, b)| a.minus(b)).and_then(|distance| distance.as_constant());
                distance.is_some_and(|distance| meets(one, axis, distance))
            });
            if same && refused.insert(one.view) {
                let what = if other.writes { "also writes" } else { "reads" };
                report.error(
                    Code::FA024,
                    other.place,
                    format!("`{}` is written by one task, and another task {what} the element as `{}`", one.text, other.text),
                    "let tasks read one object and write another, and exchange the two after the loop (`std::mem::swap`)",
                );
            }
        }
    }
}

/// Rejects an access to an object in a loop whose iterations are not tasks.
pub(super) fn refuse_outside_of_tiles(object: Local, event: &Event, report: &mut Report) {
    report.error(
        Code::FA024,
        event.place,
        format!("`{object}` is an object, and the iterations of this loop do not go over elements or tiles of it"),
        format!("write `for tile in {object}.tiles(..)`, and go over the ranges of each tile"),
    );
}

/// Rejects what tasks cannot do yet.
pub(super) fn refuse_in_region(plan: &Plan, report: &mut Report) {
    let Some(_) = &plan.region else { return };
    if (plan.running || plan.guarded) && report.is_empty() {
        report.error(
            Code::FA024,
            header(&plan.f),
            "a task runs once, and here tasks depend on values that earlier ones leave",
            "let each task write its result into an object, `results[[tile.number()]] = ..`, and go through that in a loop of its own",
        );
    }
    if let Some(slot) = plan.slots.first() {
        report.error(
            Code::FA024,
            header(&plan.f),
            format!("tasks run where their boxes are, and the elements of `{}` are elsewhere", slot.name),
            format!("mark it `#[replicated] {}` if every rank has all of it, or make it an object too", slot.name),
        );
    }
}
