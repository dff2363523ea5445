//! Values that have a name on the way into a variable: `let next = sum + v; sum = next;` is `sum = sum + v;`.

use super::assignments::some_of;
use super::tokens::{assigns, bare, count, declaration, mentions, name_of, root};
use crate::language::methods;
use proc_macro2::Ident;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;

/// Inlines such values. The statement that uses one is the first that changes a variable of the value.
pub fn inline_values(stmts: &mut Vec<syn::Stmt>) -> bool {
    let (mut number, mut any) = (0, false);
    while number + 1 < stmts.len() {
        if inlined(stmts, number) {
            stmts.remove(number);
            any = true;
        } else {
            number += 1;
        }
    }
    any
}

fn inlined(stmts: &mut [syn::Stmt], number: usize) -> bool {
    let is_plain = |statement: &syn::Stmt| declaration(statement).is_some_and(|(_, value)| is_pure(value));
    // Numbers of the value may get their type from that of the name.
    let typed = matches!(&stmts[number], syn::Stmt::Local(syn::Local { pat: syn::Pat::Type(_), .. }));
    if typed || !is_plain(&stmts[number]) {
        return false;
    }
    let Some(user) = (number + 1..stmts.len()).find(|number| !is_plain(&stmts[*number])) else { return false };
    let Some((name, value)) = declaration(&stmts[number]) else { return false };
    let is_changed = |place: &syn::Expr| root(place).is_some_and(|root| mentions(value, root));
    let uses = |statement: &syn::Stmt| match statement {
        syn::Stmt::Expr(syn::Expr::Assign(assign), _) => is_changed(&assign.left) && always_uses(&assign.right, name),
        _ => false,
    };
    let once = stmts[number + 1..].iter().map(|statement| count(statement, name)).sum::<usize>() == 1;
    if !once || !uses(&stmts[user]) {
        return false;
    }
    let (name, value) = (name.clone(), value.clone());
    let syn::Stmt::Expr(syn::Expr::Assign(assign), _) = &mut stmts[user] else { return false };
    let target = &mut *assign.right;
    Put { name: &name, value: &value }.visit_expr_mut(target);
    true
}

/// Whether an expression without side effects computes a variable in each case.
fn always_uses(e: &syn::Expr, name: &Ident) -> bool {
    let in_any = |parts: &[&syn::Expr]| parts.iter().any(|part| always_uses(part, name));
    let used = match bare(e) {
        syn::Expr::Cast(cast) => in_any(&[&cast.expr]),
        syn::Expr::Unary(unary) => in_any(&[&unary.expr]),
        syn::Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::And(_) | syn::BinOp::Or(_), .. }) => in_any(&[left]),
        syn::Expr::Binary(binary) => in_any(&[&binary.left, &binary.right]),
        syn::Expr::MethodCall(call) => in_any(&[&call.receiver]) || call.args.iter().any(|e| always_uses(e, name)),
        syn::Expr::If(choice) => in_any(&[&choice.cond]),
        other => some_of(other).map_or_else(|| name_of(other) == Some(name), |value| in_any(&[value])),
    };
    used && is_pure(e)
}

/// Puts an expression in place of a name.
struct Put<'a> {
    name: &'a Ident,
    value: &'a syn::Expr,
}

impl VisitMut for Put<'_> {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        if name_of(e).is_some_and(|name| name == self.name) {
            let value = self.value;
            *e = syn::parse_quote_spanned!(value.span()=> (#value));
        } else {
            syn::visit_mut::visit_expr_mut(self, e);
        }
    }
}

/// Whether an expression has no side effects, if its operators and methods are those of std.
fn is_pure(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Path(_) | syn::Expr::Lit(_) => true,
        syn::Expr::Call(_) => some_of(e).is_some_and(is_pure),
        syn::Expr::Paren(inner) => is_pure(&inner.expr),
        syn::Expr::Cast(cast) => is_pure(&cast.expr),
        syn::Expr::Field(field) => is_pure(&field.base),
        syn::Expr::Unary(unary) => is_pure(&unary.expr),
        syn::Expr::Index(element) => is_pure(&element.expr) && is_pure(&element.index),
        syn::Expr::Binary(binary) => !assigns(binary) && is_pure(&binary.left) && is_pure(&binary.right),
        syn::Expr::Block(block) if block.label.is_none() => is_value(&block.block),
        syn::Expr::If(choice) => {
            let otherwise = choice.else_branch.as_ref().is_some_and(|(_, e)| is_pure(e));
            otherwise && is_pure(&choice.cond) && is_value(&choice.then_branch)
        }
        syn::Expr::Match(choice) => {
            let guard = |pattern: &syn::Pat| match pattern {
                syn::Pat::Guard(guarded) => is_pure(&guarded.guard),
                _ => true,
            };
            is_pure(&choice.expr) && choice.arms.iter().all(|arm| guard(&arm.pat) && is_pure(&arm.body))
        }
        syn::Expr::MethodCall(call) => {
            methods::is_of_numbers(&call.method.to_string()) && is_pure(&call.receiver) && call.args.iter().all(is_pure)
        }
        _ => false,
    }
}

/// Whether a block is only a value.
fn is_value(block: &syn::Block) -> bool {
    matches!(block.stmts.as_slice(), [syn::Stmt::Expr(value, None)] if is_pure(value))
}
