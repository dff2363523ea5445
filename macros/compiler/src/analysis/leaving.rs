//! Alternatives to an early exit from a loop that searches for the first match.

use crate::ir::{Block, Expr, Id, Kind, Local, Op, Statement, StatementKind};
use std::collections::HashMap;

/// The suggested alternative for each jump out of the loop.
pub type Instead = HashMap<Id, String>;

/// The alternatives for the usual forms at the end of a body: `if c { at = Some(e); break; }`,
/// `if c { found = true; break; }`, `if c { return Some(e); }`.
pub fn instead_of_leaving(body: &Block) -> Instead {
    let mut found = Instead::new();
    if let Some(Statement { kind: StatementKind::Expr(choice, _), .. }) = body.statements.last()
        && let Kind::If(condition, then, None) = &choice.kind
        && let Some((Statement { kind: StatementKind::Expr(last, _), .. }, before)) = then.statements.split_last()
    {
        found.extend(instead(condition, before, last).map(|help| (last.id, help)));
    }
    found
}

/// The suggestion for all other jumps out of the loop.
pub const OTHERWISE: &str = "let every iteration run: use `continue`, or collect what was found (a flag with `|=`, the first match with \
                             `min`) and look at it after the loop";

fn instead(condition: &Expr, before: &[Statement], last: &Expr) -> Option<String> {
    let condition_beside = match &condition.kind {
        Kind::Binary(Op::OrOr, ..) => format!("({})", condition.shown()),
        _ => condition.shown(),
    };
    let condition = condition.shown();
    let some =
        |e: &Expr| matches!(&e.bare().kind, Kind::Call(function, _) if function.name() == Some(Local::named("Some")));
    match (&last.kind, before) {
        (Kind::Break(_, None), [Statement { kind: StatementKind::Expr(set, _), .. }]) => {
            let Kind::Assign(place, None, value) = &set.kind else { return None };
            let (place, set, value) = (place.shown(), set.shown(), &**value);
            match value.text().as_str() {
                "true" | "false" => {
                    Some(format!("leave `break` out: `{place}` is the same however often iterations set it (`{set}`)"))
                }
                _ if some(value) => Some(format!(
                    "to keep the first that is found, let every iteration look: `if {place}.is_none() && {condition_beside} {{ {set}; }}`, \
                     where `{place}` is `None` before the loop"
                )),
                _ => Some(format!(
                    "to keep the first that is found, use an `Option` that is `None` before the loop, and let every iteration look: \
                     `if {place}.is_none() && {condition_beside} {{ {place} = Some({}); }}`",
                    value.shown()
                )),
            }
        }
        (Kind::Return(Some(value)), []) => match value.text().as_str() {
            "true" => Some(format!("set a flag, and return it after the loop: `if {condition} {{ found = true; }}`")),
            "false" => Some(format!("set a flag, and return it after the loop: `if {condition} {{ all = false; }}`")),
            _ => {
                let value = if some(value) { value.shown() } else { format!("Some({})", value.shown()) };
                Some(format!(
                    "keep the first that is found, and return it after the loop: `let mut found = None;` before it, and in it \
                     `if found.is_none() && {condition_beside} {{ found = {value}; }}`"
                ))
            }
        },
        _ => None,
    }
}
