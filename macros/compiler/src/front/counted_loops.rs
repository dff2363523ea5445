//! `let mut j = a; while j < b { ..; j += 2; }` as `for j in (a..b).step_by(2) { .. }`, if nothing else changes or mentions `j`, and `b` keeps
//! its value. The analysis sees the `for`; the user's loop runs.

use crate::front::lower::Lower;
use crate::ir::{Binding, Block, Expr, For, Form, Kind, Label, Local, Op, Pattern, Statement, StatementKind};
use quote::quote_spanned;

impl Lower {
    /// The loop that two statements are, before others of their block.
    pub(super) fn counted(&mut self, first: &Statement, second: &Statement, after: &[Statement]) -> Option<Expr> {
        let StatementKind::Let(Pattern { form, .. }, Some(from), None) = &first.kind else { return None };
        let Form::Name(Binding { name: counter, mutable: true, refers: false }, None) = form else { return None };
        let StatementKind::Expr(Expr { kind: Kind::While(label, condition, body), span, .. }, _) = &second.kind else {
            return None;
        };
        let Kind::Binary(op @ (Op::Lt | Op::Le), compared, to) = &condition.bare().kind else { return None };
        let (step, statements) = body.statements.split_last()?;
        let StatementKind::Expr(Expr { kind: Kind::Assign(counted, Some(Op::Add), by), .. }, _) = &step.kind else {
            return None;
        };
        let stride: u32 = by.text().replace('_', "").parse().ok().filter(|stride| *stride > 0)?;
        let body = Block { statements: statements.to_vec() };
        let fits = [compared, counted].iter().all(|e| e.name() == Some(*counter))
            && label.name.is_none()
            && !after.iter().any(|statement| statement.mentions(*counter))
            && !to.mentions(*counter)
            && !goes_on(&body)
            && keeps(&body, *counter)
            && is_kept(to, &body);
        if !fits {
            return None;
        }
        let (name, from, to, by) = (counter.spanned(*span), &from.tokens, &to.tokens, &by.tokens);
        let range =
            if *op == Op::Le { quote_spanned!(*span=> (#from..=#to)) } else { quote_spanned!(*span=> (#from..#to)) };
        let source = if stride == 1 { range } else { quote_spanned!(*span=> #range.step_by(#by)) };
        let binding = Binding { name: *counter, mutable: false, refers: false };
        let (names, form) = (vec![binding.clone()], Form::Name(binding, None));
        let pattern = Pattern { tokens: quote_spanned!(*span=> #name), names, form, ty: None };
        let source = self.expr(&syn::parse2(source).ok()?);
        let (label, sequential, counts_by_while) = (Label::default(), false, true);
        let loops = For { label, pattern, source, body, span: *span, sequential, counts_by_while, ends: None };
        let (first, second) = (&first.tokens, &second.tokens);
        Some(self.node(Kind::For(loops.into()), *span, quote_spanned!(*span=> { #first #second })))
    }
}

/// Whether a loop in the body, or the loop itself, ends an iteration early.
fn goes_on(body: &Block) -> bool {
    let mut found = false;
    body.walk(&mut |e| {
        found |= matches!(e.kind, Kind::Continue(_) | Kind::Break(..));
        !found
    });
    found
}

/// Whether a body leaves a variable as it is.
fn keeps(body: &Block, name: Local) -> bool {
    !body.nodes().any(|e| e.changes().contains(&name))
}

/// Whether an expression has the same value wherever it stands in a body.
fn is_kept(e: &Expr, body: &Block) -> bool {
    match &e.kind {
        Kind::Name(name) => keeps(body, *name),
        Kind::Path | Kind::Int(_) | Kind::Literal => true,
        Kind::Paren(inner) | Kind::Cast(inner, ..) | Kind::Field(inner, _) | Kind::Unary(_, inner) => {
            is_kept(inner, body)
        }
        Kind::Binary(_, left, right) => is_kept(left, body) && is_kept(right, body),
        Kind::Method(receiver, method, args, _) => {
            let pure = matches!(method.as_str(), "len" | "min" | "max" | "saturating_sub");
            pure && is_kept(receiver, body) && args.iter().all(|argument| is_kept(argument, body))
        }
        _ => false,
    }
}
