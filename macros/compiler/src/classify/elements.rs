//! The loops of a task whose iterations are independent of each other: a device runs all of them at the same time.

use crate::front::items::{Form, Items};
use crate::front::tiles::is_view;
use crate::front::tokens::names_in;
use crate::ir::names::bindings;
use crate::ir::report::Location;
use crate::ir::{Block, Expr, For, Kind, Local, Op, Pattern, Statement, StatementKind};
use crate::maps::{HashSet, New as _};
use crate::plan::{Boxes, Elements, Launches, TaskStep};
use std::rc::Rc;

/// Finds one nest of loops over all elements of a task. If the loop goes over tiles, an iteration is a task; otherwise it is an element of one.
/// `tile` is the variable that holds the tile.
pub(super) fn one_launch(
    f: &For,
    tiled: bool,
    tile: Option<Local>,
    boxes: &[Boxes],
) -> Result<Launches, (Location, String)> {
    let refuse = |place: Location, what: &str| Err((place, what.to_owned()));
    let place = Location::from(f.span);
    let indices = match same_indices(&f.body, boxes, &|boxes| boxes.written) {
        Ok(indices) => indices,
        Err(e) => return refuse(e.into(), "a task accesses an object that it writes at several indices"),
    };
    let statements = f.body.statements.iter().filter(|statement| !is_view_of_object(statement));
    let mut body = Block { statements: statements.cloned().collect() };
    // The variables that may differ from element to element.
    let mut varying: HashSet<Local> = if tiled { HashSet::new() } else { names_of(&f.pattern).collect() };
    bindings(&f.body, &mut |pattern| varying.extend(names_of(pattern)));
    if tiled {
        body.statements.iter().take_while(|statement| is_constant(statement)).flat_map(names_bound).for_each(|name| {
            varying.remove(&name);
        });
    }
    let is_own =
        |name: Local| indices.iter().all(|along| along.iter().any(|index| is_own_index(index, name, &varying)));
    if !tiled && !f.pattern.single().is_some_and(|name| !name.mutable && is_own(name.name)) {
        return refuse(place, "iterations are not seen to write elements of their own");
    }
    let (mut constants, mut loops) = (0, Vec::new());
    while let Some(next) = last_loop(&body)
        && next.pattern.single().is_some_and(|name| !name.mutable && is_own(name.name))
        && next.source.nodes().all(|e| e.name().is_none_or(|name| !varying.contains(&name)))
    {
        body.statements.pop();
        if tiled && loops.is_empty() {
            constants = body.statements.len();
        }
        body.statements.extend(next.body.statements.iter().cloned());
        loops.push(next);
    }
    if tiled && loops.is_empty() {
        return refuse(
            place,
            "the compiler finds no loop over elements in a task that writes each of them in an iteration of its own",
        );
    }
    let before = on_host(&loops, tile, &mut body, constants);
    if before.iter().any(|statement| mentions_objects(statement, boxes)) {
        return refuse(place, "a range in a task depends on an element of an object");
    }
    match leaves(&body, 0) {
        Some(e) if !loops.is_empty() => refuse(e.into(), "a loop over the elements of a task ends early"),
        _ => {
            let mut steps: Vec<TaskStep> = before.into_iter().map(Box::new).map(TaskStep::Statement).collect();
            steps.push(TaskStep::Launch(0));
            Ok(Launches { steps, elements: vec![Elements { loops, body }], each: false })
        }
    }
}

/// Takes from the first statements of a block those that the ranges of the loops depend on, and those that use the tile. The host evaluates them.
fn on_host(loops: &[Rc<For>], tile: Option<Local>, body: &mut Block, constants: usize) -> Vec<Statement> {
    let mut needed: HashSet<Local> = loops.iter().flat_map(|f| f.source.variables()).collect();
    let rest = body.statements.split_off(constants);
    let (mut before, mut others) = (Vec::new(), Vec::new());
    for statement in std::mem::take(&mut body.statements).into_iter().rev() {
        let of_tile = tile.is_some_and(|tile| statement.nodes().any(|e| e.name() == Some(tile)));
        if of_tile || names_bound(&statement).any(|name| needed.contains(&name)) {
            needed.extend(statement.nodes().filter_map(Expr::name));
            before.push(statement);
        } else {
            others.push(statement);
        }
    }
    before.reverse();
    body.statements = others.into_iter().rev().chain(rest).collect();
    before
}

pub(super) fn is_view_of_object(statement: &Statement) -> bool {
    matches!(&statement.kind, StatementKind::Let(_, Some(value), None) if is_view(value))
}

/// The loop at the end of a block, behind constants, if it goes over a range. Its iterations may run in any order.
pub(super) fn last_loop(block: &Block) -> Option<Rc<For>> {
    let (last, before) = block.statements.split_last()?;
    let StatementKind::Expr(Expr { kind: Kind::For(next), .. }, _) = &last.kind else { return None };
    let next = &forwards(next);
    let counts = next.label.name.is_none() && !next.counts_by_while;
    let range = matches!(Items::of(&next.source).form, Form::Range { to: Some(_), .. });
    (counts && range && before.iter().all(is_constant)).then(|| next.clone())
}

/// The same iterations in rising order: `a..b` of `(a..b).rev()`.
fn forwards(f: &Rc<For>) -> Rc<For> {
    match &f.source.bare().kind {
        Kind::Method(range, method, arguments, _) if method == "rev" && arguments.is_empty() => {
            Rc::new(For { source: range.bare().clone(), ..For::clone(f) })
        }
        _ => f.clone(),
    }
}

/// Whether a statement declares variables that do not change, and has no effect that the compiler does not see.
pub(super) fn is_constant(statement: &Statement) -> bool {
    let StatementKind::Let(pattern, Some(value), None) = &statement.kind else { return false };
    let effect = |e: &Expr| matches!(e.kind, Kind::Opaque(_) | Kind::Macro(..) | Kind::Assign(..) | Kind::Ref(true, _));
    pattern.names.iter().all(|name| !name.mutable) && !value.nodes().any(effect)
}

pub(super) fn names_of(pattern: &Pattern) -> impl Iterator<Item = Local> {
    pattern.names.iter().map(|name| name.name)
}

fn names_bound(statement: &Statement) -> impl Iterator<Item = Local> {
    let pattern = match &statement.kind {
        StatementKind::Let(pattern, ..) => Some(pattern),
        _ => None,
    };
    pattern.into_iter().flat_map(names_of)
}

pub(super) fn mentions_objects(statement: &Statement, boxes: &[Boxes]) -> bool {
    let mut names = Vec::new();
    names_in(statement.tokens.clone(), &mut names);
    names.iter().any(|(name, _)| boxes.iter().any(|boxes| boxes.view == Local::named(name)))
}

/// The index of the accesses to each written object, along each axis. If there are several, one of the accesses.
pub(super) fn same_indices<'e>(
    body: &'e Block,
    boxes: &[Boxes],
    written: &dyn Fn(&Boxes) -> bool,
) -> Result<Vec<&'e [Expr]>, &'e Expr> {
    let mut all = Vec::new();
    for boxes in boxes.iter().filter(|boxes| written(boxes)) {
        let mut first: Option<&[Expr]> = None;
        for e in body.nodes() {
            let Kind::Index(base, index) = &e.kind else { continue };
            if base.name() != Some(boxes.view) {
                continue;
            }
            let Kind::Array(along) = &index.bare().kind else { return Err(e) };
            match first {
                None => first = Some(along),
                Some(first) if first.iter().zip(along).all(|(one, other)| one.is_written_as(other)) => {}
                Some(_) => return Err(e),
            }
        }
        all.extend(first);
    }
    Ok(all)
}

/// Whether an index is this variable, or at a fixed distance from it.
pub(super) fn is_own_index(index: &Expr, name: Local, varying: &HashSet<Local>) -> bool {
    match &index.bare().kind {
        Kind::Name(other) => *other == name,
        Kind::Binary(Op::Add | Op::Sub, one, distance) => {
            let fixed = match &distance.bare().kind {
                Kind::Int(_) => true,
                Kind::Name(other) => !varying.contains(other),
                _ => false,
            };
            fixed && is_own_index(one, name, varying)
        }
        _ => false,
    }
}

/// An expression that leaves the iteration of a loop over elements, other than `continue`.
pub(super) fn leaves(block: &Block, depth: usize) -> Option<&Expr> {
    let mut found = None;
    block.walk(&mut |e| {
        let inside = match &e.kind {
            Kind::For(f) => Some(&f.body),
            Kind::While(_, _, body) | Kind::Loop(_, body) => Some(body),
            Kind::Break(label, _) if depth == 0 || label.is_some() => return leave(&mut found, e),
            Kind::Continue(Some(_)) | Kind::Return(_) | Kind::Try(_) => return leave(&mut found, e),
            Kind::Closure(..) => return false,
            _ => return true,
        };
        found = found.or(inside.and_then(|body| leaves(body, depth + 1)));
        false
    });
    found
}

fn leave<'e>(found: &mut Option<&'e Expr>, e: &'e Expr) -> bool {
    *found = found.or(Some(e));
    false
}
