//! Loops over blocks: which blocks an iteration loads. A block is loaded when an iteration first uses its data, so a guard that looks only at
//! messages, links, the number or captured values keeps a block where it is.

use crate::front::waves::{RECEIVING, RESTS};
use crate::ir::text::shown_tokens;
use crate::ir::{Block, Expr, Kind, Local, Op, Statement, StatementKind};
use crate::plan::Plan;

/// Methods of a handle that do not load the block.
const OF_HANDLES: [&str; 8] = ["number", "links", "inbox", "send", "send_elements", RECEIVING[0], RECEIVING[1], RESTS];

/// The line of `EXPLAIN`; `None` if the loop is not over blocks.
pub(super) fn loads(plan: &Plan) -> Option<String> {
    let handles = plan.source.handles(&plan.f.pattern);
    if handles.is_empty() {
        return None;
    }
    let loads = Loads { handles };
    let of_body: Vec<&Statement> = plan.f.body.statements.iter().filter(|statement| !is_rest(statement)).collect();
    if !of_body.iter().any(|statement| loads.touched(statement)) {
        return Some("loads: no block".to_owned());
    }
    let guards = loads.guards(&of_body);
    Some(match guards.is_empty() {
        true => "loads: each block that it visits".to_owned(),
        false => format!("loads: each block that it visits, but none for which {}", guards.join(", or ")),
    })
}

/// Whether this is the statement by which a wave omits a block.
fn is_rest(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Expr(e, _) => match &e.bare().kind {
            Kind::If(condition, ..) => matches!(&condition.bare().kind, Kind::Method(_, method, ..) if method == RESTS),
            _ => false,
        },
        _ => false,
    }
}

struct Loads {
    /// The variables that are blocks.
    handles: Vec<Local>,
}

impl Loads {
    fn is_handle(&self, e: &Expr) -> bool {
        e.name().is_some_and(|name| self.handles.contains(&name))
    }

    /// Whether an expression uses the data of a block.
    fn touches(&self, e: &Expr) -> bool {
        let mut found = false;
        e.walk(&mut |e| {
            match &e.kind {
                Kind::Method(receiver, method, args, _)
                    if self.is_handle(receiver) && OF_HANDLES.contains(&method.as_str()) =>
                {
                    found |= args.iter().any(|argument| self.touches(argument));
                    return false;
                }
                Kind::Name(_) => found |= self.is_handle(e),
                _ => {}
            }
            !found
        });
        found
    }

    fn touched(&self, statement: &Statement) -> bool {
        match &statement.kind {
            StatementKind::Let(_, value, otherwise) => value.iter().chain(otherwise).any(|e| self.touches(e)),
            StatementKind::Expr(e, _) => self.touches(e),
            StatementKind::Item(_) => false,
        }
    }

    fn touches_in(&self, block: &Block) -> bool {
        block.statements.iter().any(|statement| self.touched(statement))
    }

    /// The conditions under which these statements do not use the data.
    fn guards(&self, statements: &[&Statement]) -> Vec<String> {
        let mut guards = Vec::new();
        let Some(at) = statements.iter().position(|statement| self.touched(statement)) else { return guards };
        for statement in &statements[..=at] {
            if let StatementKind::Expr(e, _) = &statement.kind
                && let Kind::If(condition, then, None) = &e.bare().kind
                && leaves(then)
                && !self.touches_in(then)
            {
                guards.extend(self.parts(condition, Op::OrOr).map(|part| format!("`{}`", part.shown())));
            }
        }
        let others: Vec<&Statement> =
            statements[at + 1..].iter().copied().filter(|statement| self.touched(statement)).collect();
        let StatementKind::Expr(e, _) = &statements[at].kind else { return guards };
        match &e.bare().kind {
            Kind::Block(block) | Kind::Labeled(_, _, block) => {
                let mut inner = self.guards(&block.statements.iter().collect::<Vec<_>>());
                if !others.is_empty() {
                    let of_others = self.guards(&others);
                    inner.retain(|guard| of_others.contains(guard));
                }
                guards.extend(inner);
            }
            _ if !others.is_empty() => {}
            Kind::If(condition, _, otherwise)
                if !otherwise.as_ref().is_some_and(|otherwise| self.touches(otherwise)) =>
            {
                guards.extend(self.parts(condition, Op::AndAnd).map(|part| format!("not `{}`", part.shown())));
            }
            Kind::For(f) if !self.touches(&f.source) => {
                let (pattern, source) = (shown_tokens(&f.pattern.tokens), f.source.shown());
                guards.push(format!("`for {pattern} in {source}` has no iteration"));
            }
            Kind::While(_, condition, _) if !self.touches(condition) => {
                guards.push(format!("not `{}`", condition.shown()));
            }
            _ => {}
        }
        guards
    }

    /// The parts of a condition before the first one that uses the data. Each of them decides alone.
    fn parts<'e>(&self, condition: &'e Expr, op: Op) -> std::vec::IntoIter<&'e Expr> {
        let mut all = Vec::new();
        flat(condition, op, &mut all);
        let free = all.iter().take_while(|part| !self.touches(part)).count();
        all.truncate(free);
        all.into_iter()
    }
}

/// The operands of a chain of one operator.
fn flat<'e>(e: &'e Expr, op: Op, to: &mut Vec<&'e Expr>) {
    match &e.bare().kind {
        Kind::Binary(found, one, other) if *found == op => {
            flat(one, op, to);
            flat(other, op, to);
        }
        _ => to.push(e),
    }
}

/// Whether a branch leaves the iteration, or the pass.
fn leaves(block: &Block) -> bool {
    matches!(block.statements.last().map(|last| &last.kind), Some(StatementKind::Expr(e, _)) if match &e.bare().kind {
        Kind::Continue(None) => true,
        Kind::Break(Some(label), None) => label.starts_with("'__pass_"),
        _ => false,
    })
}
