//! The part of a scan's body that the running value depends on.

use crate::classify::Loop;
use crate::ir::{Block, Expr, Id, Kind, Statement, StatementKind};
use std::collections::HashSet;

/// The statements of a body that are kept when only the accumulators are wanted.
pub struct Sliced {
    kept: HashSet<Id>,
    /// Arrays that are stored to by statements that are left out.
    pub stored: HashSet<String>,
    /// Arrays that kept statements read.
    pub read: HashSet<String>,
    /// Names that kept statements read.
    pub needed: HashSet<String>,
}

impl Sliced {
    /// A backward slice: an update is kept; so is what defines or changes a name that something kept mentions, and
    /// the control flow around it.
    pub fn of(found: &Loop) -> Sliced {
        let nodes: HashSet<Id> = found.accumulators.iter().flat_map(|a| &a.nodes).copied().collect();
        let mut sliced =
            Sliced { kept: HashSet::new(), stored: HashSet::new(), read: HashSet::new(), needed: HashSet::new() };
        loop {
            let before = (sliced.kept.len(), sliced.needed.len());
            sliced.block(&found.f.body, &nodes);
            if (sliced.kept.len(), sliced.needed.len()) == before {
                break;
            }
        }
        sliced
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
                        let element = matches!(place.kind, Kind::Index(..));
                        place.root().is_some_and(|root| self.needed.contains(root)) && !(element && self.stored.contains(place.root().unwrap_or_default()))
                    }
                    Kind::Ref(true, inner) => inner.root().is_some_and(|root| self.needed.contains(root)),
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
