//! Tasks that a device runs in several launches: the host runs the statements between the loops over elements.

use super::elements::{
    is_constant, is_own_index, is_view_of_object, last_loop, leaves, mentions_objects, names_of, same_indices,
};
use crate::front::items::{Form, Items};
use crate::ir::names::bindings;
use crate::ir::report::Location;
use crate::ir::{Block, Expr, For, Kind, Local, Statement, StatementKind};
use crate::maps::{HashSet, New as _};
use crate::plan::{Boxes, Elements, Launches, TaskStep};

/// The reason why a task stays on the cores.
type Refused = (Location, String);

/// Splits a task into statements of the host and launches. If the loop does not go over tiles, the host runs its iterations. An error may have
/// a reason that users can act upon.
pub(super) fn several_launches(
    f: &For,
    tiled: bool,
    tile: Option<Local>,
    boxes: &[Boxes],
) -> Result<Launches, Option<Refused>> {
    let launches = Launches { each: !tiled, ..Launches::default() };
    let mut split = Split { boxes, tile, launches, known: Vec::new(), private: None };
    let counts = matches!(Items::of(&f.source).form, Form::Range { to: Some(_), .. });
    let counts = counts && f.pattern.single().is_some_and(|name| !name.mutable);
    if !tiled && !counts {
        return Err(None);
    }
    let mut scope = Scope::default();
    scope.known.extend(names_of(&f.pattern));
    split.launches.steps = split
        .steps(&f.body, scope)
        .map_err(|refused| split.private.take().or_else(|| (!split.launches.elements.is_empty()).then_some(refused)))?;
    if split.launches.elements.is_empty() {
        return Err(None);
    }
    split.refuse_hidden(f)?;
    Ok(split.launches)
}

fn refuse<R>(place: Location, what: &str) -> Result<R, Refused> {
    Err((place, what.to_owned()))
}

/// The variables of a task at a statement.
#[derive(Clone, Default)]
struct Scope {
    /// Those that the host has.
    known: HashSet<Local>,
    /// Those of them that may change.
    changing: HashSet<Local>,
    /// Those that only launches have.
    computed: HashSet<Local>,
    /// Constants that launches compute themselves, so that their types follow from their uses.
    repeated: Vec<Statement>,
}

impl Scope {
    fn uses(&self, statement: &Statement, among: impl Fn(&Scope) -> &HashSet<Local>) -> bool {
        statement.nodes().filter_map(Expr::name).any(|name| among(self).contains(&name))
    }

    /// Whether the host can evaluate an expression.
    fn can_evaluate(&self, e: &Expr, boxes: &[Boxes]) -> bool {
        let opaque = |e: &Expr| {
            let hidden = e
                .name()
                .is_some_and(|name| self.computed.contains(&name) || boxes.iter().any(|boxes| boxes.view == name));
            hidden || matches!(e.kind, Kind::Opaque(_) | Kind::Macro(..) | Kind::Assign(..) | Kind::Ref(true, _))
        };
        !e.nodes().any(opaque)
    }

    /// The constants that some statements need, and those that these need.
    fn needed_by(&self, statements: &[Statement]) -> Vec<Statement> {
        let mut needed: HashSet<Local> = statements.iter().flat_map(Statement::nodes).filter_map(Expr::name).collect();
        let mut all = Vec::new();
        for constant in self.repeated.iter().rev() {
            if bound_by(constant).any(|name| needed.contains(&name)) {
                needed.extend(constant.nodes().filter_map(Expr::name));
                all.push(constant.clone());
            }
        }
        all.reverse();
        all
    }
}

fn bound_by(statement: &Statement) -> impl Iterator<Item = Local> {
    let pattern = match &statement.kind {
        StatementKind::Let(pattern, ..) => Some(pattern),
        _ => None,
    };
    pattern.into_iter().flat_map(names_of)
}

struct Split<'b> {
    boxes: &'b [Boxes],
    tile: Option<Local>,
    launches: Launches,
    /// For each launch, the variables that the host has there.
    known: Vec<HashSet<Local>>,
    /// A loop over elements that changes a variable of the task.
    private: Option<Refused>,
}

impl Split<'_> {
    fn steps(&mut self, block: &Block, mut scope: Scope) -> Result<Vec<TaskStep>, Refused> {
        let mut steps = Vec::new();
        for statement in block.statements.iter().filter(|statement| !is_view_of_object(statement)) {
            let accesses = mentions_objects(statement, self.boxes);
            let step = match &statement.kind {
                StatementKind::Expr(Expr { kind: Kind::For(next), .. }, _) if accesses => {
                    match self.elements(statement, &scope) {
                        Some(elements) => {
                            self.launches.elements.push(elements);
                            self.known.push(scope.known.clone());
                            TaskStep::Launch(self.launches.elements.len() - 1)
                        }
                        None => self.loop_of_host(next, &scope)?,
                    }
                }
                StatementKind::Expr(Expr { kind: Kind::If(condition, then, otherwise), .. }, _)
                    if accesses && scope.can_evaluate(condition, self.boxes) =>
                {
                    let otherwise = match otherwise.as_deref().map(|otherwise| &otherwise.kind) {
                        Some(Kind::Block(block)) => self.steps(block, scope.clone())?,
                        None => Vec::new(),
                        Some(_) => return refuse(condition.as_ref().into(), "a chain of conditions chooses the loops"),
                    };
                    TaskStep::If(condition.clone(), self.steps(then, scope.clone())?, otherwise)
                }
                _ if is_constant(statement) && (accesses || scope.uses(statement, |scope| &scope.computed)) => {
                    self.constant_of_launches(statement, &mut scope)?;
                    continue;
                }
                _ => self.statement(statement, &mut scope)?,
            };
            steps.push(step);
        }
        Ok(steps)
    }

    /// A constant that launches compute, because it reads objects. The launches may follow later, so no task writes these.
    fn constant_of_launches(&self, statement: &Statement, scope: &mut Scope) -> Result<(), Refused> {
        let writes = |boxes: &Boxes| boxes.written && statement.nodes().any(|e| e.name() == Some(boxes.view));
        let of_tile = statement.nodes().any(|e| e.name().is_some() && e.name() == self.tile);
        if self.boxes.iter().any(writes) || of_tile || scope.uses(statement, |scope| &scope.changing) {
            return refuse((&statement.tokens).into(), "a statement between the loops of a task accesses an object");
        }
        scope.computed.extend(bound_by(statement));
        scope.repeated.push(statement.clone());
        Ok(())
    }

    /// A statement that the host runs.
    fn statement(&self, statement: &Statement, scope: &mut Scope) -> Result<TaskStep, Refused> {
        let place = Location::from(&statement.tokens);
        if mentions_objects(statement, self.boxes) || scope.uses(statement, |scope| &scope.computed) {
            return refuse(place, "a statement between the loops of a task accesses an object");
        }
        let alone = Block { statements: vec![statement.clone()] };
        if leaves(&alone, 0).is_some() {
            return refuse(place, "a task ends early");
        }
        let effect = |e: &Expr| matches!(e.kind, Kind::Opaque(_) | Kind::Macro(..) | Kind::Ref(true, _));
        let mut inside = scope.known.clone();
        bindings(&alone, &mut |pattern| inside.extend(names_of(pattern)));
        let changes_own = |e: &Expr| e.changes().iter().all(|name| inside.contains(name));
        if statement.nodes().any(|e| effect(e) || !changes_own(e)) || matches!(statement.kind, StatementKind::Item(_)) {
            return refuse(
                place,
                "a statement between the loops of a task changes variables that are not the task's own",
            );
        }
        let constant = is_constant(statement);
        let of_tile = statement.nodes().any(|e| e.name().is_some() && e.name() == self.tile);
        if constant && !of_tile && !scope.uses(statement, |scope| &scope.changing) {
            scope.repeated.push(statement.clone());
        }
        if let StatementKind::Let(pattern, value, _) = &statement.kind {
            scope.known.extend(names_of(pattern));
            let mutable = pattern.names.iter().filter(|name| name.mutable || value.is_none());
            scope.changing.extend(mutable.map(|name| name.name));
        }
        Ok(TaskStep::Statement(Box::new(statement.clone())))
    }

    /// A loop that the host runs.
    fn loop_of_host(&mut self, f: &For, scope: &Scope) -> Result<TaskStep, Refused> {
        let plain = f.label.name.is_none() && !f.counts_by_while && !f.sequential;
        if !plain || !scope.can_evaluate(&f.source, self.boxes) {
            return refuse(f.span.into(), "the iterations of a loop in a task depend on each other, or on elements");
        }
        let mut inside = scope.clone();
        inside.known.extend(names_of(&f.pattern));
        inside.changing.extend(f.pattern.names.iter().filter(|name| name.mutable).map(|name| name.name));
        Ok(TaskStep::For(std::rc::Rc::new(f.clone()), self.steps(&f.body, inside)?))
    }

    /// The loops over elements that begin with a statement: each of their iterations writes elements of its own.
    fn elements(&mut self, statement: &Statement, scope: &Scope) -> Option<Elements> {
        let mut body = Block { statements: vec![statement.clone()] };
        let written = |boxes: &Boxes| body.nodes().any(|e| e.changes().contains(&boxes.view));
        let indices = same_indices(&body, self.boxes, &written).ok()?;
        let mut varying = HashSet::new();
        bindings(&body, &mut |pattern| varying.extend(names_of(pattern)));
        let is_own =
            |name: Local| indices.iter().all(|along| along.iter().any(|index| is_own_index(index, name, &varying)));
        let owners: HashSet<Local> = varying.iter().copied().filter(|name| is_own(*name)).collect();
        let mut loops = Vec::new();
        while let Some(next) = last_loop(&body)
            && next.pattern.single().is_some_and(|name| !name.mutable && owners.contains(&name.name))
            && scope.can_evaluate(&next.source, self.boxes)
            && !next.source.variables().any(|name| varying.contains(&name))
        {
            body.statements.pop();
            body.statements.extend(next.body.statements.iter().cloned());
            loops.push(next);
        }
        // The variables of the task keep their values during a launch.
        let changed =
            body.nodes().find_map(|e| Some((e, e.changes().into_iter().find(|name| scope.known.contains(name))?)));
        if let Some((e, name)) = changed {
            let what = format!("a loop over the elements of a task changes `{name}`, a variable of the task");
            self.private.get_or_insert((e.into(), what));
        }
        if loops.is_empty() || changed.is_some() || leaves(&body, 0).is_some() {
            return None;
        }
        let constants = scope.needed_by(&body.statements);
        body.statements.splice(0..0, constants);
        Some(Elements { loops, body })
    }

    /// Rejects a launch that does not have the variables of another launch: all launches are one program.
    fn refuse_hidden(&self, f: &For) -> Result<(), Refused> {
        let all: HashSet<Local> = self.known.iter().flatten().copied().collect();
        for elements in &self.launches.elements {
            let mut own: HashSet<Local> = elements.loops.iter().flat_map(|f| names_of(&f.pattern)).collect();
            bindings(&elements.body, &mut |pattern| own.extend(names_of(pattern)));
            let mut used = elements.body.nodes().filter_map(Expr::name);
            let hidden = |name: &Local| {
                all.contains(name) && !own.contains(name) && self.known.iter().any(|known| !known.contains(name))
            };
            if used.any(|name| hidden(&name)) {
                return refuse(
                    f.span.into(),
                    "a loop over the elements of a task uses a variable that another one does not have",
                );
            }
        }
        Ok(())
    }
}
