//! Statements that decide whether variables are set, as `if condition { place = value; .. }`: whether the code leaves the iteration, has an
//! empty branch, nests its conditions or names them is the same.

use super::assignments::some_of;
use super::tokens::{assigns, bare, count, declaration, mentions, name_of, root};
use crate::language::methods;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::borrow::Cow;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;

/// The effect of a branch on variables.
#[derive(Clone)]
pub enum Action<'e> {
    Keep,
    /// The block sets them.
    Set(Cow<'e, syn::Block>),
    If(&'e syn::Expr, Box<Action<'e>>, Box<Action<'e>>),
}

impl<'e> Action<'e> {
    pub fn of(e: &'e syn::Expr) -> Action<'e> {
        match e {
            syn::Expr::Block(block) if block.label.is_none() => Action::of_block(&block.block),
            syn::Expr::Tuple(unit) if unit.elems.is_empty() => Action::Keep,
            syn::Expr::If(choice) if !matches!(*choice.cond, syn::Expr::Let(_)) => {
                let otherwise = choice.else_branch.as_ref().map_or(Action::Keep, |(_, e)| Action::of(e));
                Action::If(&choice.cond, Box::new(Action::of_block(&choice.then_branch)), Box::new(otherwise))
            }
            e => Action::Set(Cow::Owned(block(
                e.span(),
                vec![syn::Stmt::Expr(e.clone(), Some(syn::Token![;](e.span())))],
            ))),
        }
    }

    pub fn of_block(block: &'e syn::Block) -> Action<'e> {
        match block.stmts.as_slice() {
            [] => Action::Keep,
            [syn::Stmt::Expr(e @ (syn::Expr::If(_) | syn::Expr::Block(_)), _)] => Action::of(e),
            _ => Action::Set(Cow::Borrowed(block)),
        }
    }

    /// The condition under which the variables are set, and the block that sets them.
    fn collapsed(&self) -> Option<(TokenStream, &syn::Block)> {
        let Action::If(condition, then, otherwise) = self else { return None };
        let (yes, no) = (|| quote!((#condition)), || negated(condition));
        match (&**then, &**otherwise) {
            (Action::Set(set), Action::Keep) => Some((condition.to_token_stream(), set)),
            (Action::Keep, Action::Set(set)) => Some((no(), set)),
            (deeper @ Action::If(..), Action::Keep) => {
                let (inner, set) = deeper.collapsed()?;
                let yes = yes();
                Some((quote!(#yes && (#inner)), set))
            }
            (Action::Keep, deeper @ Action::If(..)) => {
                let (inner, set) = deeper.collapsed()?;
                let no = no();
                Some((quote!(#no && (#inner)), set))
            }
            _ => None,
        }
    }

    /// As one statement, if it only sets places, and the condition reads one of them: itself, or by the name of a value `before`.
    fn statement(&self, before: &[syn::Stmt]) -> Option<syn::Stmt> {
        let (condition, set) = self.collapsed()?;
        let mut roots = Vec::new();
        for statement in &set.stmts {
            match statement {
                syn::Stmt::Local(_) => {}
                syn::Stmt::Expr(syn::Expr::Assign(assign), _) => roots.extend(root(&assign.left)),
                syn::Stmt::Expr(syn::Expr::Binary(binary), _) if assigns(binary) => roots.extend(root(&binary.left)),
                _ => return None,
            }
        }
        let named = |root: &Ident| {
            let mut values = before.iter().filter_map(declaration);
            values.any(|(name, value)| mentions(value, root) && mentions(&condition, name))
        };
        let decides = roots.into_iter().any(|root| mentions(&condition, root) || named(root));
        let is_let = mentions(&condition, &Ident::new("let", proc_macro2::Span::call_site()));
        (decides && !is_let).then_some(())?;
        syn::parse2(quote_spanned!(set.brace_token.span.join()=> if #condition #set)).ok()
    }
}

fn block(at: proc_macro2::Span, stmts: Vec<syn::Stmt>) -> syn::Block {
    syn::Block { brace_token: syn::token::Brace(at), stmts }
}

/// The condition that holds exactly if another one does not.
fn negated(condition: &syn::Expr) -> TokenStream {
    match bare(condition) {
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Not(_), expr, .. }) => quote!((#expr)),
        syn::Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::Or(_), right, .. }) => {
            let (left, right) = (negated(left), negated(right));
            quote!((#left && #right))
        }
        condition => quote_spanned!(condition.span()=> !(#condition)),
    }
}

/// A statement that decides whether variables are set, in canonical form.
pub fn decision(statement: &syn::Stmt) -> Option<Vec<syn::Stmt>> {
    let syn::Stmt::Expr(e, _) = statement else { return None };
    match e {
        syn::Expr::If(choice) if choice.attrs.is_empty() => {
            choice.else_branch.as_ref()?;
            Some(vec![Action::of(e).statement(&[])?])
        }
        syn::Expr::Match(choice) if choice.attrs.is_empty() => compared(choice).or_else(|| guarded(choice)),
        _ => None,
    }
}

/// `match e { v if v > best => best = v, _ => {} }`: the value has a name, and the guards decide.
fn guarded(choice: &syn::ExprMatch) -> Option<Vec<syn::Stmt>> {
    let (mut action, mut named) = (Action::Keep, None);
    for arm in choice.arms.iter().rev() {
        let (pattern, guard) = match &arm.pat {
            syn::Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
            pattern => (pattern, None),
        };
        match pattern {
            syn::Pat::Wild(_) => {}
            syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. })
                if !ident.to_string().starts_with(char::is_uppercase) && named.is_none() =>
            {
                named = Some(ident);
            }
            _ => return None,
        }
        action = match guard {
            Some(guard) => Action::If(guard, Box::new(Action::of(&arm.body)), Box::new(action)),
            None => Action::of(&arm.body),
        };
    }
    let (name, value, decided) = (named?, &choice.expr, action.statement(&[])?);
    Some(vec![syn::parse2(quote_spanned!(name.span()=> let #name = #value;)).ok()?, decided])
}

/// `match a.cmp(&b) { Ordering::Less => b = a, _ => {} }`.
fn compared(choice: &syn::ExprMatch) -> Option<Vec<syn::Stmt>> {
    let syn::Expr::MethodCall(call) = bare(&choice.expr) else { return None };
    (call.method == "cmp" || call.method == "total_cmp").then_some(())?;
    // Which of less, equal and greater sets the variables.
    let (mut left, mut sets, mut set) = (["Less", "Equal", "Greater"].to_vec(), Vec::new(), None);
    for arm in &choice.arms {
        let mut named: Vec<&str> = Vec::new();
        match &arm.pat {
            syn::Pat::Wild(_) => named.clone_from(&left),
            syn::Pat::Or(cases) => {
                for case in &cases.cases {
                    named.push(ordering(case)?);
                }
            }
            pattern => named.push(ordering(pattern)?),
        }
        // What an arm before takes does not get here.
        named.retain(|case| left.contains(case));
        left.retain(|case| !named.contains(case));
        match Action::of(&arm.body) {
            Action::Keep => {}
            Action::Set(block) if set.is_none() => {
                sets = named;
                set = Some(block);
            }
            _ => return None,
        }
    }
    let test = match sets.as_slice() {
        ["Less"] => "is_lt",
        ["Greater"] => "is_gt",
        ["Less", "Equal"] | ["Equal", "Less"] => "is_le",
        ["Greater", "Equal"] | ["Equal", "Greater"] => "is_ge",
        _ => return None,
    };
    let (test, value) = (Ident::new(test, call.method.span()), &choice.expr);
    let condition: syn::Expr = syn::parse2(quote!(#value.#test())).ok()?;
    let decided = Action::If(&condition, Box::new(Action::Set(set?)), Box::new(Action::Keep)).statement(&[])?;
    Some(vec![decided])
}

/// The variant of `std::cmp::Ordering` that a pattern is.
fn ordering(pattern: &syn::Pat) -> Option<&'static str> {
    let syn::Pat::Path(path) = pattern else { return None };
    let mut names = path.path.segments.iter().rev().map(|segment| segment.ident.to_string());
    let variant = names.next()?;
    let of_ordering = names.next().is_some_and(|name| name == "Ordering");
    ["Less", "Equal", "Greater"].into_iter().find(|name| of_ordering && variant == *name)
}

/// In the body of a loop, `if c { continue; } best = v;` is `if !c { best = v; }`.
pub fn without_continue(body: &mut syn::Block) {
    for number in 0..body.stmts.len() {
        let (before, rest) = body.stmts.split_at(number + 1);
        let Some(syn::Stmt::Expr(syn::Expr::If(choice), _)) = before.last() else { continue };
        let leaves = matches!(
            choice.then_branch.stmts.as_slice(),
            [syn::Stmt::Expr(syn::Expr::Continue(syn::ExprContinue { label: None, .. }), _)]
        );
        let is_set = |statement: &syn::Stmt| {
            let set = matches!(statement, syn::Stmt::Expr(syn::Expr::Assign(_) | syn::Expr::Binary(_), _));
            set || matches!(statement, syn::Stmt::Local(_))
        };
        let decides = matches!(rest, [syn::Stmt::Expr(syn::Expr::If(_), _)]) || rest.iter().all(is_set);
        if !leaves || !decides || choice.else_branch.is_some() || !choice.attrs.is_empty() {
            continue;
        }
        let rest = block(choice.then_branch.brace_token.span.join(), rest.to_vec());
        let action = Action::If(&choice.cond, Box::new(Action::Keep), Box::new(Action::of_block(&rest)));
        if let Some(decided) = action.statement(before) {
            body.stmts.truncate(number);
            body.stmts.push(decided);
            inline_values(&mut body.stmts);
            return;
        }
    }
}

/// Inlines a value that is used once: `let better = v > best; if better { best = v; }`, `let next = sum + v; sum = next;`. The statement
/// that uses it is the first one that changes a variable of the value.
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

fn inlined(stmts: &mut Vec<syn::Stmt>, number: usize) -> bool {
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
        syn::Stmt::Expr(syn::Expr::If(choice), _) => {
            let sets = |statement: &syn::Stmt| match statement {
                syn::Stmt::Expr(syn::Expr::Assign(assign), _) => is_changed(&assign.left),
                _ => false,
            };
            always_uses(&choice.cond, name) && choice.then_branch.stmts.iter().any(sets)
        }
        _ => false,
    };
    if !uses(&stmts[user]) {
        return false;
    }
    let (name, value) = (name.clone(), value.clone());
    // Conditions with the same name are one.
    let decides = |statement: Option<&syn::Stmt>| match statement {
        Some(syn::Stmt::Expr(syn::Expr::If(choice), _)) if choice.else_branch.is_none() => {
            name_of(&choice.cond).is_some_and(|condition| *condition == name)
        }
        _ => false,
    };
    while decides(stmts.get(user)) && decides(stmts.get(user + 1)) {
        let second = stmts.remove(user + 1);
        if let (syn::Stmt::Expr(syn::Expr::If(one), _), syn::Stmt::Expr(syn::Expr::If(two), _)) =
            (&mut stmts[user], second)
        {
            one.then_branch.stmts.extend(two.then_branch.stmts);
        }
    }
    let once = stmts[number + 1..].iter().map(|statement| count(statement, &name)).sum::<usize>() == 1;
    let target = match &mut stmts[user] {
        syn::Stmt::Expr(syn::Expr::Assign(assign), _) if once => &mut *assign.right,
        syn::Stmt::Expr(syn::Expr::If(choice), _) if once => &mut *choice.cond,
        _ => return false,
    };
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
