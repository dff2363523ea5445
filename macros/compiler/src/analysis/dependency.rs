//! The part of a scan's body on which the scan states depend.

use crate::flow::aliases::Aliases;
use crate::flow::{Definitions, Relation};
use crate::front::array;
use crate::front::items::Items;
use crate::ir::names::each_let;
use crate::ir::place::Place;
use crate::ir::{Block, Child, Expr, Id, Kind, Local, Pattern, Statement, StatementKind};
use crate::language::methods;
use crate::maps::{HashSet, New as _};
use crate::plan::{Accumulator, Class, Plan, SlotKind, System};
use proc_macro2::Span;

/// The statements of a body that are needed to compute the accumulators up to a level.
pub struct Sliced {
    level: usize,
    kept: HashSet<Id>,
    /// Updates of the accumulators of higher levels.
    above: HashSet<Id>,
    /// Arrays that the loop writes, and references to their elements: the part leaves out stores to them.
    stored: HashSet<Local>,
    /// Variables that no method can change: inputs, captured variables, and elements of these.
    fixed: HashSet<Local>,
    aliases: Aliases,
}

/// A fact about the part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Fact {
    /// The part needs the values of a variable.
    Needs(Local),
    /// A statement changes a needed variable or an accumulator, or determines whether later code runs.
    Matters(Id),
    /// The part keeps a statement.
    Keeps(Id),
}

/// A walk over a body, which notes the facts that follow from each other.
struct Walk<'s> {
    sliced: &'s Sliced,
    /// The updates of the accumulators.
    nodes: HashSet<Id>,
    follows: Relation<Fact>,
    /// The statements that matter in any case.
    first: Vec<Fact>,
    /// Whether the walk is inside an update: the part keeps all statements there.
    whole: bool,
}

/// The reason that a body has no such part.
pub enum Unsliceable {
    /// The scan state depends on an element that the iteration has already written.
    Stored(Local, Span),
    /// The computation of the scan state changes an element.
    Changes(Local, Span),
    /// The update of a scan state depends on the scan state.
    Running(Place, Span),
}

impl Sliced {
    /// Computes a backward slice. It keeps the updates, the statements that define or change a name in a kept
    /// statement, and the control flow around them.
    pub fn of(found: &Plan, level: usize) -> Sliced {
        let updates = |wanted: &dyn Fn(usize) -> bool| -> HashSet<Id> {
            found.accumulators.iter().filter(|a| wanted(a.level)).flat_map(|a| &a.nodes).copied().collect()
        };
        let nodes = updates(&|of| of <= level);
        let mut above = updates(&|of| of > level);
        // One that contains an update of this level is code around it.
        let around = |e: &&Expr| above.contains(&e.id) && e.nodes().any(|inner| nodes.contains(&inner.id));
        let around: Vec<Id> = found.f.body.nodes().filter(around).map(|e| e.id).collect();
        above.retain(|id| !around.contains(id));
        let mut stored: HashSet<Local> = found
            .slots
            .iter()
            .filter(|slot| matches!(slot.kind, SlotKind::Write | SlotKind::Everywhere))
            .map(|slot| slot.name)
            .collect();
        let mut header = Vec::new();
        found.source.arrays(&mut header);
        if header.iter().any(|(_, mutable)| *mutable) {
            Items::of(&found.f.source).writable_names(&found.f.pattern, &mut stored);
        }
        let aliases = Aliases::of(&Definitions::of_loop(&found.f));
        aliases.extend(&mut stored);
        let (fixed, kept) = (fixed(found, &stored), HashSet::new());
        let mut sliced = Sliced { level, kept, above, stored, fixed, aliases };
        let mut walk = Walk { sliced: &sliced, nodes, follows: Relation::new(), first: Vec::new(), whole: false };
        walk.block(&found.f.body, None);
        let facts = walk.follows.from(walk.first);
        sliced.kept =
            facts.into_iter().filter_map(|fact| if let Fact::Keeps(id) = fact { Some(id) } else { None }).collect();
        sliced
    }

    /// Checks that the part computes the same values as the whole body.
    pub fn check(&self, found: &Plan) -> Result<(), Unsliceable> {
        // The states of lower levels are known.
        let unknown = found.accumulators.iter().filter(|a| a.level >= self.level);
        let owners: Vec<Owner<'_>> = unknown
            .flat_map(|accumulator| {
                let owner = |place| Owner { place, level: accumulator.level, nodes: &accumulator.nodes };
                self.unknown(accumulator).into_iter().map(owner)
            })
            .collect();
        let mut written = HashSet::new();
        // The body of a loop is checked twice: a round may read the stores of the previous round.
        self.check_block(&found.f.body, &owners, &mut written, 0)
    }

    /// The places whose values the part does not know, outside of the updates of an accumulator.
    fn unknown(&self, accumulator: &Accumulator) -> Vec<Place> {
        let and = |places: &[Place], locals: &[Local]| {
            places.iter().cloned().chain(locals.iter().map(|name| Place::from(*name))).collect()
        };
        match &accumulator.class {
            Class::Best { variables, through: locals, .. } | Class::System(System { variables, locals, .. }) => {
                and(variables, locals)
            }
            // The totals know the state, for each value before the chunk.
            Class::Machine { .. } if accumulator.level == self.level => Vec::new(),
            Class::Machine { variables, .. } => variables.clone(),
            Class::Linear { through } => and(std::slice::from_ref(&accumulator.place), through),
            class if class.is_reduction() => vec![accumulator.place.clone()],
            _ => Vec::new(),
        }
    }

    fn check_block(
        &self,
        block: &Block,
        owners: &[Owner<'_>],
        written: &mut HashSet<Local>,
        depth: usize,
    ) -> Result<(), Unsliceable> {
        for _ in 0..if depth > 0 { 2 } else { 1 } {
            for statement in &block.statements {
                match &statement.kind {
                    StatementKind::Item(_) => {}
                    StatementKind::Let(_, value, otherwise) => {
                        if let Some(value) = value {
                            self.check_bound(value, self.keeps(statement), owners, written, depth)?;
                        }
                        if let Some(otherwise) = otherwise {
                            self.check_expr(otherwise, self.keeps(statement), owners, written, depth)?;
                        }
                    }
                    StatementKind::Expr(e, _) => self.check_expr(e, self.keeps(statement), owners, written, depth)?,
                }
            }
        }
        Ok(())
    }

    fn check_expr(
        &self,
        e: &Expr,
        kept: bool,
        owners: &[Owner<'_>],
        written: &mut HashSet<Local>,
        depth: usize,
    ) -> Result<(), Unsliceable> {
        let kept = kept && !self.above.contains(&e.id);
        match &e.kind {
            _ if self.above.contains(&e.id)
                || owners.iter().any(|owner| owner.level == self.level && owner.nodes.contains(&e.id)) => {}
            Kind::Block(b) | Kind::Labeled(_, _, b) => return self.check_block(b, owners, written, depth),
            Kind::Let(_, value) => return self.check_bound(value, kept, owners, written, depth),
            Kind::Loop(_, b) => return self.check_block(b, owners, written, depth + 1),
            Kind::If(c, t, otherwise) => {
                self.check_expr(c, kept, owners, written, depth)?;
                self.check_block(t, owners, written, depth)?;
                return match otherwise {
                    Some(otherwise) => self.check_expr(otherwise, kept, owners, written, depth),
                    None => Ok(()),
                };
            }
            Kind::While(_, c, b) => {
                self.check_expr(c, kept, owners, written, depth)?;
                return self.check_block(b, owners, written, depth + 1);
            }
            Kind::For(f) => {
                self.check_bound(&f.source, kept, owners, written, depth)?;
                return self.check_block(&f.body, owners, written, depth + 1);
            }
            Kind::Match(v, arms) => {
                self.check_bound(v, kept, owners, written, depth)?;
                for arm in arms {
                    if let Some(guard) = &arm.guard {
                        self.check_expr(guard, kept, owners, written, depth)?;
                    }
                    self.check_expr(&arm.body, kept, owners, written, depth)?;
                }
                return Ok(());
            }
            _ => {}
        }
        self.check_names(e, kept, owners, written)?;
        // The part runs in addition to the whole body, so its stores would happen twice.
        let mut trouble = None;
        e.walk(&mut |inner| {
            self.stores(inner, &mut |root| {
                if kept {
                    trouble.get_or_insert(Unsliceable::Changes(root, inner.span));
                } else {
                    written.insert(root);
                }
            });
            trouble.is_none()
        });
        trouble.map_or(Ok(()), Err)
    }

    /// Checks that the names in a kept expression have the same values in the part as in the whole body.
    fn check_names(
        &self,
        e: &Expr,
        kept: bool,
        owners: &[Owner<'_>],
        written: &HashSet<Local>,
    ) -> Result<(), Unsliceable> {
        if kept { self.check_mentions(e, owners, &[], written) } else { Ok(()) }
    }

    /// Checks the names in an expression, which is a part of an update of the accumulators with these numbers.
    fn check_mentions(
        &self,
        e: &Expr,
        owners: &[Owner<'_>],
        updates: &[usize],
        written: &HashSet<Local>,
    ) -> Result<(), Unsliceable> {
        if self.above.contains(&e.id) {
            return Ok(());
        }
        let mut updates = updates.to_vec();
        updates.extend((0..owners.len()).filter(|number| owners[*number].nodes.contains(&e.id)));
        // An accumulator may occur inside of its own update.
        let mut others = owners.iter().enumerate().filter(|(number, _)| !updates.contains(number));
        if let Some((_, owner)) = others.find(|(_, owner)| e.is(&owner.place)) {
            return Err(Unsliceable::Running(owner.place.clone(), e.span));
        }
        if let Kind::Name(name) = &e.kind
            && written.contains(name)
        {
            return Err(Unsliceable::Stored(*name, e.span));
        }
        e.children().into_iter().try_for_each(|child| match child {
            Child::Expr(e) => self.check_mentions(e, owners, &updates, written),
            Child::Block(block) => {
                let mut exprs = block.statements.iter().flat_map(Statement::exprs);
                exprs.try_for_each(|e| self.check_mentions(e, owners, &updates, written))
            }
        })
    }

    /// Checks the value of a binding: binding a name to elements of a stored array does not change them yet.
    fn check_bound(
        &self,
        e: &Expr,
        kept: bool,
        owners: &[Owner<'_>],
        written: &mut HashSet<Local>,
        depth: usize,
    ) -> Result<(), Unsliceable> {
        if !borrows(e) {
            return self.check_expr(e, kept, owners, written, depth);
        }
        self.check_names(e, kept, owners, written)
    }

    /// The stored arrays that a node may change directly.
    fn stores(&self, e: &Expr, to: &mut dyn FnMut(Local)) {
        self.aliases.changed_by(e, &mut |change| {
            self.stored.iter().filter(|name| self.aliases.touches(change, **name)).for_each(|name| to(*name));
        });
    }

    /// Whether an expression is an update of a higher level.
    pub fn leaves_out(&self, e: &Expr) -> bool {
        self.above.contains(&e.id)
    }

    pub fn keeps(&self, s: &Statement) -> bool {
        matches!(s.kind, StatementKind::Item(_)) || self.kept.contains(&s.id)
    }
}

impl Walk<'_> {
    /// A block in a statement.
    fn block(&mut self, block: &Block, around: Option<Id>) {
        // A block whose value is used keeps its last expression.
        if let (Some(around), Some(Statement { id, kind: StatementKind::Expr(e, false), .. })) =
            (around, block.statements.last())
            && !matches!(e.kind, Kind::If(_, _, None) | Kind::For(_) | Kind::While(..) | Kind::Assign(..))
        {
            self.follows.follows(Fact::Keeps(around), Fact::Keeps(*id));
        }
        for statement in &block.statements {
            let (id, matters) = (statement.id, Fact::Matters(statement.id));
            self.follows.follows(matters, Fact::Keeps(id));
            if let Some(around) = around.filter(|_| self.whole) {
                self.follows.follows(Fact::Keeps(around), Fact::Keeps(id));
            }
            around.iter().for_each(|around| self.follows.follows(matters, Fact::Matters(*around)));
            if let StatementKind::Let(pattern, ..) = &statement.kind {
                for name in pattern.variables() {
                    self.follows.follows(Fact::Needs(name), Fact::Keeps(id));
                    // The names may be used to change the borrowed values.
                    self.follows.follows(matters, Fact::Needs(name));
                }
            }
            statement.exprs().for_each(|e| self.expr(e, id));
        }
    }

    /// An expression in a statement.
    fn expr(&mut self, e: &Expr, at: Id) {
        let Sliced { above, stored, fixed, aliases, .. } = self.sliced;
        if above.contains(&e.id) {
            return;
        }
        let leaves = match &e.kind {
            Kind::Continue(_) | Kind::Break(..) => true,
            Kind::Opaque(opaque) => opaque.may_leave(),
            _ => false,
        };
        self.first.extend((leaves || self.nodes.contains(&e.id)).then_some(Fact::Matters(at)));
        aliases.changed_by(e, &mut |change| {
            let changed = aliases.touched(change).filter(|name| !stored.contains(name) && !fixed.contains(name));
            changed.for_each(|name| self.follows.follows(Fact::Needs(name), Fact::Matters(at)));
        });
        if let Kind::Name(name) = &e.kind {
            self.follows.follows(Fact::Keeps(at), Fact::Needs(*name));
        }
        let whole = self.whole;
        self.whole |= self.nodes.contains(&e.id);
        for child in e.children() {
            match child {
                Child::Expr(e) => self.expr(e, at),
                Child::Block(block) => self.block(block, Some(at)),
            }
        }
        self.whole = whole;
    }
}

/// An accumulator, for the check.
struct Owner<'a> {
    place: Place,
    level: usize,
    nodes: &'a [Id],
}

/// Whether an expression only refers to elements: `&mut out[a..b]`, `out[a..b].iter_mut().zip(row)`.
fn borrows(e: &Expr) -> bool {
    match &e.bare().kind {
        Kind::Name(_) => true,
        Kind::Ref(_, inner) | Kind::Field(inner, _) | Kind::Unary('*', inner) => borrows(inner),
        Kind::Index(base, index) => borrows(base) && harmless(index),
        Kind::Method(receiver, name, args, _) => {
            let names = methods::refers(name);
            names && borrows(receiver) && args.iter().all(|arg| borrows(arg) || harmless(arg))
        }
        _ => false,
    }
}

/// Whether an index is only arithmetic.
fn harmless(e: &Expr) -> bool {
    e.nodes().all(|e| match &e.kind {
        Kind::Method(_, name, ..) => methods::reads(name),
        Kind::Name(_) | Kind::Path | Kind::Int(_) | Kind::Literal | Kind::Paren(_) | Kind::Unary(..) => true,
        Kind::Binary(..) | Kind::Cast(..) | Kind::Index(..) | Kind::Field(..) | Kind::Range(..) => true,
        Kind::Call(..) => array::axis(e).is_some(),
        Kind::Macro(name, ..) => name == "s",
        _ => false,
    })
}

/// The names of a loop's body that no method can change: they are not `mut`, and do not refer to a variable that is.
fn fixed(found: &Plan, stored: &HashSet<Local>) -> HashSet<Local> {
    let read = |kind: SlotKind| matches!(kind, SlotKind::Read | SlotKind::Gather);
    let mut fixed: HashSet<Local> = found.slots.iter().filter(|slot| read(slot.kind)).map(|slot| slot.name).collect();
    fixed.extend(found.captures.iter().map(|(name, _)| *name));
    fixed.extend(found.f.pattern.variables());
    let mut changeable: HashSet<Local> = HashSet::new();
    let mut add = |pattern: &Pattern| {
        changeable.extend(pattern.names.iter().filter(|name| name.mutable).map(|name| name.name));
    };
    add(&found.f.pattern);
    crate::ir::names::bindings(&found.f.body, &mut add);
    each_let(&found.f.body, &mut |pattern, value| {
        if borrows(value)
            && !matches!(value.bare().kind, Kind::Method(..) | Kind::Ref(true, _))
            && value.root().is_some_and(|root| fixed.contains(&root) && !changeable.contains(&root))
        {
            fixed.extend(pattern.variables());
        }
    });
    fixed.retain(|name| !changeable.contains(name) && !stored.contains(name));
    fixed
}
