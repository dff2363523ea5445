//! Loops over blocks that receive: whether a block may process each message by itself, as it arrives.
//!
//! A visit then processes one message, in place of all that have come. The loop has the same result if its body consists of the work at the first
//! visit and of the work on a message. Each piece of work changes only accumulators, and depends on nothing but the block, its message and captured
//! values. The runtime restores the order of the results.

use crate::front::waves::{RECEIVING, RESTS};
use crate::ir::{Block, Expr, Form, Kind, Local, Pattern, Statement, StatementKind};
use crate::language::methods;
use crate::maps::{HashSet, New as _};
use crate::plan::{Class, Plan, SlotKind};

/// Methods of a block by which it exchanges messages.
const MESSAGES: [&str; 5] = [RECEIVING[0], RECEIVING[1], "inbox", "send", "send_elements"];

/// Whether a loop receives; and if so, the reason why it runs in waves, if there is one.
pub fn arrivals(plan: &Plan) -> Option<Result<(), String>> {
    let rests = |e: &Expr| matches!(&e.kind, Kind::Method(_, method, ..) if method == RESTS);
    plan.f.body.nodes().any(rests).then(|| {
        let block = plan.f.pattern.single().ok_or("its pattern takes the block apart")?;
        if block.mutable {
            return Err(format!("`{}` is `mut`, so messages may change the block", block.name));
        }
        changes(plan)?;
        Arrivals { block: block.name, plan, kept: HashSet::new() }.body(&plan.f.body)
    })
}

/// Refuses changes that depend on the order of the iterations, or on their number.
fn changes(plan: &Plan) -> Result<(), String> {
    let blocks: Vec<&str> = plan.source.blocks().into_iter().map(|(name, _)| name).collect();
    let writes = |kind| matches!(kind, SlotKind::Write | SlotKind::Everywhere);
    if let Some(slot) = plan.slots.iter().find(|slot| writes(slot.kind) && !blocks.contains(&&*slot.name.to_string())) {
        return Err(format!("it writes elements of `{}`", slot.name));
    }
    if plan.runs_in_order() || plan.asking.is_some() {
        return Err("its iterations depend on each other".to_owned());
    }
    let merges = |class: &Class| {
        matches!(
            class,
            Class::Sum { .. }
                | Class::Difference { .. }
                | Class::Product
                | Class::Idempotent { .. }
                | Class::Best { .. }
                | Class::Pushes { .. }
        )
    };
    match plan.accumulators.iter().find(|accumulator| !merges(&accumulator.class)) {
        Some(other) => Err(format!(
            "`{}` is more than a sum, an extreme, a best value or a vector of pushed elements",
            other.place
        )),
        None => Ok(()),
    }
}

struct Arrivals<'p> {
    block: Local,
    plan: &'p Plan,
    /// The variables that the body declares outside of the work on a message.
    kept: HashSet<Local>,
}

impl Arrivals<'_> {
    fn body(mut self, body: &Block) -> Result<(), String> {
        let statements = body.statements.iter().filter(|statement| !self.rests(statement));
        let statements: Vec<&Statement> = statements.collect();
        let Some((StatementKind::Expr(last, _), before)) =
            statements.split_last().map(|(last, before)| (&last.kind, before))
        else {
            return Err(self.other());
        };
        for statement in before {
            match &statement.kind {
                StatementKind::Item(_) => {}
                StatementKind::Let(pattern, Some(value), None) => self.held(pattern, value)?,
                StatementKind::Expr(e, _) => match &e.bare().kind {
                    Kind::If(condition, work, None) if self.calls(condition, RECEIVING[1]) => self.work(work, false)?,
                    _ => return Err(self.other()),
                },
                StatementKind::Let(..) => return Err(self.other()),
            }
        }
        match &last.bare().kind {
            Kind::While(_, condition, work) if self.receives(condition) => self.work(work, true),
            _ => Err(self.other()),
        }
    }

    fn other(&self) -> String {
        let block = self.block;
        format!(
            "its body is more than `if {block}.is_first_visit() {{ .. }}`, `let` and a last `while let Some(message) = {block}.receive() {{ .. }}`"
        )
    }

    /// Whether this is the statement by which a wave omits a block.
    fn rests(&self, statement: &Statement) -> bool {
        match &statement.kind {
            StatementKind::Expr(e, _) => {
                matches!(&e.bare().kind, Kind::If(condition, _, None) if self.calls(condition, RESTS))
            }
            _ => false,
        }
    }

    fn calls(&self, e: &Expr, name: &str) -> bool {
        match &e.bare().kind {
            Kind::Method(receiver, method, args, _) => {
                method == name && args.is_empty() && receiver.name() == Some(self.block)
            }
            _ => false,
        }
    }

    /// `let Some(message) = block.receive()`.
    fn receives(&self, condition: &Expr) -> bool {
        let Kind::Let(pattern, value) = &condition.bare().kind else { return false };
        let some = |of: &[Pattern]| matches!(of, [one] if matches!(one.form, Form::Any | Form::Name(_, None)));
        let takes = matches!(&pattern.form, Form::Variant(name, of) if *name == "Some" && some(of));
        takes && self.calls(value, RECEIVING[0])
    }

    /// A variable that each visit sets again: it keeps nothing from one message for the next.
    fn held(&mut self, pattern: &Pattern, value: &Expr) -> Result<(), String> {
        if let Some(binding) = pattern.names.iter().find(|binding| binding.mutable) {
            return Err(format!("`{}` is `mut`, so it may keep something from one message for the next", binding.name));
        }
        self.kept.extend(pattern.variables());
        self.harmless(value)?;
        let changes = |e: &Expr| match &e.kind {
            Kind::Assign(..) | Kind::Ref(true, _) | Kind::Macro(..) | Kind::Opaque(_) => true,
            Kind::Method(receiver, method, ..) => {
                receiver.name() == Some(self.block) && MESSAGES.contains(&method.as_str())
            }
            Kind::Name(name) => {
                self.plan.accumulators.iter().any(|accumulator| accumulator.place.root == *name)
                    || self.plan.privates.contains(name)
            }
            _ => false,
        };
        match value.nodes().find(|e| changes(e)).or_else(|| leaving(value, &mut Around::default())) {
            Some(e) => Err(format!("it has `{}` outside of the work on a message", e.shown())),
            None => Ok(()),
        }
    }

    /// The work at the first visit, or on a message.
    fn work(&self, work: &Block, on_message: bool) -> Result<(), String> {
        let mut around = Around { continues: on_message, ..Around::default() };
        for e in expressions(work) {
            self.harmless(e)?;
            let receives = |e: &&Expr| match &e.kind {
                Kind::Method(receiver, method, ..) => {
                    receiver.name() == Some(self.block) && MESSAGES[..3].contains(&method.as_str())
                }
                _ => false,
            };
            if let Some(e) = e.nodes().find(receives).or_else(|| leaving(e, &mut around)) {
                return Err(format!("it has `{}` in the work on a message", e.shown()));
            }
        }
        Ok(())
    }

    /// Refuses code that may change the block or send and receive out of sight.
    fn harmless(&self, e: &Expr) -> Result<(), String> {
        let mut found = None;
        let ours = |name: Option<Local>| name.is_some_and(|name| name == self.block || self.kept.contains(&name));
        e.walk(&mut |e| {
            let inside = match &e.kind {
                // The block's own methods and data.
                Kind::Method(receiver, method, ..) => {
                    if methods::changes_shared_state(method) && ours(receiver.root()) {
                        found = Some(format!("`{}` changes shared state", e.shown()));
                    }
                    Some(receiver)
                }
                Kind::Field(inner, _) | Kind::Unary('*', inner) | Kind::Index(inner, _) => Some(inner),
                Kind::Name(name) if *name == self.block => {
                    found = Some(format!("other code gets `{name}`, which may send and receive"));
                    None
                }
                _ => None,
            };
            let Some(inner) = inside.filter(|inner| inner.name() == Some(self.block)) else { return true };
            let others: Vec<&Expr> = match &e.kind {
                Kind::Method(_, _, args, _) => args.iter().collect(),
                Kind::Index(_, index) => vec![index],
                _ => Vec::new(),
            };
            debug_assert!(inner.name().is_some());
            if let Some(reason) = others.into_iter().find_map(|other| self.harmless(other).err()) {
                found = Some(reason);
            }
            false
        });
        found.map_or(Ok(()), Err)
    }
}

/// The expressions of the statements of a block.
fn expressions(block: &Block) -> impl Iterator<Item = &Expr> {
    block.statements.iter().flat_map(|statement| match &statement.kind {
        StatementKind::Let(_, value, otherwise) => value.iter().chain(otherwise).collect(),
        StatementKind::Expr(e, _) => vec![e],
        StatementKind::Item(_) => Vec::new(),
    })
}

/// The loops and blocks around an expression that may be left without leaving the work.
#[derive(Default)]
struct Around {
    labels: Vec<String>,
    /// Whether `continue` and `break` stay inside.
    continues: bool,
    breaks: bool,
}

/// The first part of an expression that leaves the work before its end.
fn leaving<'e>(e: &'e Expr, around: &mut Around) -> Option<&'e Expr> {
    let mut found = None;
    e.walk(&mut |e| {
        if found.is_some() {
            return false;
        }
        let inside = |label: &Option<String>, plain: bool, around: &Around| {
            label.as_ref().map_or(plain, |label| around.labels.contains(label))
        };
        let leaves = match &e.kind {
            Kind::Break(label, _) => !inside(label, around.breaks, around),
            Kind::Continue(label) => !inside(label, around.continues, around),
            Kind::Return(_) | Kind::Try(_) => true,
            Kind::Opaque(opaque) => opaque.leaves,
            _ => false,
        };
        if leaves {
            found = Some(e);
            return false;
        }
        let (label, heads, body): (_, &[&Expr], _) = match &e.kind {
            Kind::For(f) => (&f.label.name, &[&f.source], &f.body),
            Kind::While(label, condition, body) => (&label.name, &[condition], body),
            Kind::Loop(label, body) => (&label.name, &[], body),
            Kind::Labeled(label, _, body) => {
                around.labels.push(label.clone());
                found = expressions(body).find_map(|e| leaving(e, around));
                around.labels.pop();
                return false;
            }
            // Its own `return` and `?`.
            Kind::Closure(..) => return false,
            _ => return true,
        };
        let before = (around.continues, around.breaks, around.labels.len());
        (around.continues, around.breaks) = (true, true);
        around.labels.extend(label.clone());
        let mut all = heads.iter().copied().chain(expressions(body));
        found = all.find_map(|e| leaving(e, around));
        (around.continues, around.breaks) = (before.0, before.1);
        around.labels.truncate(before.2);
        false
    });
    found
}
