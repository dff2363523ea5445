//! Loops that count, in the words of `while`: `let mut j = a; while j < b { ..; j += 2; }`, where nothing else changes or looks at `j`
//! and `b` stays the same, gives what `for j in (a..b).step_by(2) { .. }` gives. The analysis sees that one; the author's runs.

use super::normal::plain;
use super::tokens::{bare, mentions};
use crate::language::methods;
use quote::{ToTokens, quote_spanned};
use std::collections::HashSet;
use syn::visit::Visit;

/// The loop that two statements are, before others of their block.
pub fn counted(first: &syn::Stmt, second: &syn::Stmt, after: &[syn::Stmt]) -> Option<syn::ExprForLoop> {
    let (syn::Stmt::Local(local), syn::Stmt::Expr(syn::Expr::While(whole), _)) = (first, second) else { return None };
    let (syn::Pat::Ident(counter), Some(init)) = (&local.pat, &local.init) else { return None };
    let syn::Expr::Binary(condition) = bare(&whole.cond) else { return None };
    let inclusive = match condition.op {
        syn::BinOp::Lt(_) => false,
        syn::BinOp::Le(_) => true,
        _ => return None,
    };
    let is_counter = |e: &syn::Expr| matches!(e, syn::Expr::Path(path) if path.path.is_ident(&counter.ident));
    let (step, statements) = whole.body.stmts.split_last()?;
    let syn::Stmt::Expr(syn::Expr::Binary(step), _) = step else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(by), .. }) = &*step.right else { return None };
    let fits = matches!(step.op, syn::BinOp::AddAssign(_))
        && is_counter(&step.left)
        && is_counter(bare(&condition.left))
        && by.suffix().is_empty()
        && by.base10_parse::<u32>().is_ok_and(|by| by > 0)
        && whole.label.is_none()
        && whole.attrs.is_empty()
        && init.diverge.is_none();
    let name = counter.ident.to_string();
    if !fits || after.iter().any(|statement| mentions(statement, &name)) {
        return None;
    }
    let mut changes = Changes::default();
    statements.iter().for_each(|statement| changes.visit_stmt(statement));
    let mut fixed = Vec::new();
    crate::front::tokens::names_in(condition.right.to_token_stream(), &mut fixed);
    if !plain(&condition.right) || mentions(&condition.right, &name) || changes.goes_on {
        return None;
    }
    if changes.names.contains(&name) || fixed.iter().any(|(name, _)| changes.names.contains(name)) {
        return None;
    }
    let (name, from, to, span) = (&counter.ident, &init.expr, &condition.right, whole.while_token.span);
    let range = match inclusive {
        true => quote_spanned!(span=> (#from..=#to)),
        false => quote_spanned!(span=> (#from..#to)),
    };
    let source = if by.base10_digits() == "1" { range } else { quote_spanned!(span=> #range.step_by(#by)) };
    syn::parse2(quote_spanned!(span=> for #name in #source { #(#statements)* })).ok()
}

/// The names that statements may change or bind, and whether they leave an iteration early.
#[derive(Default)]
struct Changes {
    names: HashSet<String>,
    goes_on: bool,
}

impl Changes {
    /// What is written at a place: its variable, but not what an index is computed from.
    fn place(&mut self, place: &syn::Expr) {
        match place {
            syn::Expr::Index(index) => self.place(&index.expr),
            syn::Expr::Field(field) => self.place(&field.base),
            other => self.all_of(other),
        }
    }

    fn all_of(&mut self, tokens: &impl ToTokens) {
        let mut names = Vec::new();
        crate::front::tokens::names_in(tokens.to_token_stream(), &mut names);
        self.names.extend(names.into_iter().map(|(name, _)| name));
    }
}

impl<'ast> Visit<'ast> for Changes {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.names.insert(pattern.ident.to_string());
        syn::visit::visit_pat_ident(self, pattern);
    }

    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        self.place(&assign.left);
        syn::visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let op = binary.op.to_token_stream().to_string();
        if op.ends_with('=') && !matches!(op.as_str(), "==" | "!=" | "<=" | ">=") {
            self.place(&binary.left);
        }
        syn::visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_reference(&mut self, reference: &'ast syn::ExprReference) {
        if reference.mutability.is_some() {
            self.place(&reference.expr);
        }
        syn::visit::visit_expr_reference(self, reference);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if !methods::reads(&call.method.to_string()) {
            self.place(&call.receiver);
        }
        syn::visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.all_of(closure);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.all_of(mac);
    }

    fn visit_expr_continue(&mut self, _: &'ast syn::ExprContinue) {
        self.goes_on = true;
    }

    fn visit_expr_break(&mut self, _: &'ast syn::ExprBreak) {
        self.goes_on = true;
    }
}
