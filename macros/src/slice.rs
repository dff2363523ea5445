//! The part of a scan's body that the running value depends on.

use crate::classify::{Class, Loop, SlotKind};
use crate::ir::{Block, Expr, Id, Kind, Statement, StatementKind};
use proc_macro2::Span;
use std::collections::HashSet;

/// The statements of a body that are kept when only the accumulators are wanted.
pub struct Sliced {
    kept: HashSet<Id>,
    /// Arrays that the loop writes, and what refers to their elements: stores to them are left out.
    stored: HashSet<String>,
    /// Names that kept statements mention.
    needed: HashSet<String>,
}

/// Why a body has no such part.
pub enum Unsliceable {
    /// The running value depends on an element that the iteration has written before.
    Stored(String, Span),
    /// The running value decides how a running value goes on.
    Running(String, Span),
}

impl Sliced {
    /// A backward slice: an update is kept; so is what defines or changes a name that something kept mentions, and
    /// the control flow around it.
    pub fn of(found: &Loop) -> Sliced {
        let nodes: HashSet<Id> = found.accumulators.iter().flat_map(|a| &a.nodes).copied().collect();
        let mut stored: HashSet<String> = found
            .slots
            .iter()
            .filter(|slot| matches!(slot.kind, SlotKind::Write | SlotKind::Everywhere))
            .map(|slot| slot.name.clone())
            .collect();
        let mut header = Vec::new();
        found.source.arrays(&mut header);
        if header.iter().any(|(_, mutable)| *mutable) {
            stored.extend(found.f.pattern.names.iter().map(|b| b.name.clone()));
        }
        aliases(&found.f.body, &mut stored);
        let mut sliced = Sliced { kept: HashSet::new(), stored, needed: HashSet::new() };
        loop {
            let before = (sliced.kept.len(), sliced.needed.len());
            sliced.block(&found.f.body, &nodes);
            if (sliced.kept.len(), sliced.needed.len()) == before {
                break;
            }
        }
        sliced
    }

    /// Looks for what would make the part compute something else than the whole.
    pub fn check(&self, found: &Loop) -> Result<(), Unsliceable> {
        let mut owners: Vec<(String, &[Id])> = Vec::new();
        for accumulator in &found.accumulators {
            match &accumulator.class {
                Class::Best { variables, .. } => {
                    owners.extend(variables.iter().map(|v| (v.clone(), accumulator.nodes.as_slice())));
                }
                class if class.is_reduction() => owners.push((accumulator.text.clone(), &accumulator.nodes)),
                _ => {}
            }
        }
        let mut written = HashSet::new();
        // Twice: what an inner loop stores late, its next round reads early.
        self.check_block(&found.f.body, &owners, &mut written, 0)
    }

    fn check_block(
        &self,
        block: &Block,
        owners: &[(String, &[Id])],
        written: &mut HashSet<String>,
        depth: usize,
    ) -> Result<(), Unsliceable> {
        for _ in 0..if depth > 0 { 2 } else { 1 } {
            for statement in &block.statements {
                match &statement.kind {
                    StatementKind::Item => {}
                    StatementKind::Let(_, value, otherwise) => {
                        for e in value.iter().chain(otherwise) {
                            self.check_expr(e, self.keeps(statement), owners, written, depth)?;
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
        owners: &[(String, &[Id])],
        written: &mut HashSet<String>,
        depth: usize,
    ) -> Result<(), Unsliceable> {
        match &e.kind {
            Kind::Block(b) | Kind::Labeled(_, _, b) => return self.check_block(b, owners, written, depth),
            Kind::Loop(_, b) => return self.check_block(b, owners, written, depth + 1),
            Kind::If(c, t, otherwise) if !owners.iter().any(|(_, nodes)| nodes.contains(&e.id)) => {
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
                self.check_expr(&f.source, kept, owners, written, depth)?;
                return self.check_block(&f.body, owners, written, depth + 1);
            }
            Kind::Match(v, arms) => {
                self.check_expr(v, kept, owners, written, depth)?;
                for arm in arms {
                    self.check_expr(&arm.body, kept, owners, written, depth)?;
                }
                return Ok(());
            }
            _ => {}
        }
        if kept {
            let mut trouble = None;
            e.walk(&mut |inner| {
                let text = inner.text();
                for (owner, nodes) in owners {
                    // Inside of its own update an accumulator may stand.
                    let own = nodes.contains(&e.id) || nodes.contains(&inner.id);
                    if text == *owner && !own {
                        trouble.get_or_insert(Unsliceable::Running(owner.clone(), inner.span));
                    }
                }
                if let Kind::Name(name) = &inner.kind
                    && written.contains(name)
                {
                    trouble.get_or_insert(Unsliceable::Stored(name.clone(), inner.span));
                }
                trouble.is_none() && !owners.iter().any(|(_, nodes)| nodes.contains(&inner.id) && inner.id != e.id)
            });
            if let Some(trouble) = trouble {
                return Err(trouble);
            }
        }
        e.walk(&mut |e| {
            match &e.kind {
                Kind::Assign(place, ..) | Kind::Ref(true, place) => {
                    if let Some(root) = place.root()
                        && self.stored.contains(root)
                        && !kept
                    {
                        written.insert(root.to_owned());
                    }
                }
                _ => {}
            }
            true
        });
        Ok(())
    }

    pub fn keeps(&self, s: &Statement) -> bool {
        matches!(s.kind, StatementKind::Item) || self.kept.contains(&s.id)
    }

    fn block(&mut self, block: &Block, nodes: &HashSet<Id>) -> bool {
        let mut any = false;
        for statement in block.statements.iter().rev() {
            any |= self.statement(statement, nodes);
        }
        any
    }

    fn statement(&mut self, s: &Statement, nodes: &HashSet<Id>) -> bool {
        let keep = self.kept.contains(&s.id)
            || match &s.kind {
                StatementKind::Item => true,
                StatementKind::Let(pattern, value, _) => {
                    pattern.names.iter().any(|b| self.needed.contains(&b.name))
                        || value.as_ref().is_some_and(|v| self.matters(v, nodes))
                }
                StatementKind::Expr(e, _) => self.matters(e, nodes),
            };
        if keep {
            self.kept.insert(s.id);
            match &s.kind {
                StatementKind::Let(_, value, otherwise) => {
                    for e in value.iter().chain(otherwise) {
                        self.need(e, nodes);
                    }
                }
                StatementKind::Expr(e, _) => self.need(e, nodes),
                StatementKind::Item => {}
            }
        }
        keep
    }

    /// Whether an expression updates an accumulator, changes a needed name, or decides whether the rest runs.
    fn matters(&mut self, e: &Expr, nodes: &HashSet<Id>) -> bool {
        let mut found = false;
        e.walk(&mut |e| {
            found |= nodes.contains(&e.id)
                || match &e.kind {
                    Kind::Continue(_) | Kind::Break(..) => true,
                    Kind::Assign(place, ..) => {
                        place.root().is_some_and(|root| self.needed.contains(root) && !self.stored.contains(root))
                    }
                    Kind::Ref(true, inner) => {
                        inner.root().is_some_and(|root| self.needed.contains(root) && !self.stored.contains(root))
                    }
                    Kind::Method(receiver, name, ..) => {
                        !crate::walk::is_reading(name) && receiver.root().is_some_and(|root| self.needed.contains(root))
                    }
                    _ => false,
                };
            !found
        });
        found
    }

    /// Notes the names that a kept expression mentions. Blocks inside of it keep only what matters in them.
    fn need(&mut self, e: &Expr, nodes: &HashSet<Id>) {
        match &e.kind {
            Kind::Block(b) | Kind::Labeled(_, _, b) | Kind::Loop(_, b) => {
                self.inner(b, nodes);
            }
            Kind::If(c, t, otherwise) => {
                self.need(c, nodes);
                self.inner(t, nodes);
                if let Some(otherwise) = otherwise {
                    self.need(otherwise, nodes);
                }
            }
            Kind::While(_, c, b) => {
                self.need(c, nodes);
                self.inner(b, nodes);
            }
            Kind::For(f) => {
                self.need(&f.source, nodes);
                self.inner(&f.body, nodes);
            }
            Kind::Match(v, arms) => {
                self.need(v, nodes);
                for arm in arms {
                    if let Some(guard) = &arm.guard {
                        self.need(guard, nodes);
                    }
                    self.need(&arm.body, nodes);
                }
            }
            Kind::Name(name) => {
                self.needed.insert(name.clone());
            }
            Kind::Macro(_, args, names) => {
                self.needed.extend(names.iter().map(|(n, _)| n.clone()));
                for arg in args {
                    self.need(arg, nodes);
                }
            }
            _ => {
                for child in e.children() {
                    match child {
                        crate::ir::Child::Expr(e) => self.need(e, nodes),
                        crate::ir::Child::Block(b) => self.inner(b, nodes),
                    }
                }
            }
        }
    }

    /// A block whose value is used keeps its last expression.
    fn inner(&mut self, block: &Block, nodes: &HashSet<Id>) {
        if let Some(last) = block.statements.last()
            && let StatementKind::Expr(e, false) = &last.kind
            && !matches!(e.kind, Kind::If(_, _, None) | Kind::For(_) | Kind::While(..) | Kind::Assign(..))
        {
            self.kept.insert(last.id);
            self.need(e, nodes);
        }
        self.block(block, nodes);
    }
}

/// Names that refer to elements of stored arrays: `let row = &mut out[a..b];`.
fn aliases(block: &Block, stored: &mut HashSet<String>) {
    for statement in &block.statements {
        if let StatementKind::Let(pattern, Some(value), _) = &statement.kind
            && let Kind::Ref(true, inner) = &value.bare().kind
            && inner.root().is_some_and(|root| stored.contains(root))
        {
            stored.extend(pattern.names.iter().map(|b| b.name.clone()));
        }
        statement.walk(&mut |e| {
            match &e.kind {
                Kind::Block(b) | Kind::If(_, b, _) | Kind::Loop(_, b) | Kind::While(_, _, b) => aliases(b, stored),
                Kind::For(f) => aliases(&f.body, stored),
                _ => {}
            }
            true
        });
    }
}
