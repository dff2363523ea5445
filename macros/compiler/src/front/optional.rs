//! The best value so far in an `Option`, as `if best.is_none_or(|b| v < b) { best = Some(v); }`; and the first one that is found, as
//! `if first.is_none() && c { first = Some(v); }`.

use super::tokens::{bare, mentions, names_in};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{VisitMut, visit_expr_mut};

/// The statement in that form, where it keeps a value in an `Option` in another one. Other types than an `Option` have a method `or` too.
pub fn optional(statement: &syn::Stmt, is_option: &dyn Fn(&syn::Ident) -> bool) -> Option<syn::Stmt> {
    let syn::Stmt::Expr(e, _) = statement else { return None };
    match e {
        syn::Expr::If(choice) if choice.attrs.is_empty() => match &choice.else_branch {
            None => by_condition(choice),
            Some((_, otherwise)) => by_if_let(choice, otherwise),
        },
        syn::Expr::Match(choice) if choice.attrs.is_empty() => by_match(choice),
        syn::Expr::Assign(assign) if assign.attrs.is_empty() => by_or(assign, is_option),
        _ => None,
    }
}

/// `if best.map_or(true, |b| v < b) {..}`, `if best.is_none() || v < best.unwrap() {..}`, with other conditions beside it.
fn by_condition(choice: &syn::ExprIf) -> Option<syn::Stmt> {
    let (best, _) = set_to_some(&choice.then_branch)?;
    statement(&compared_in(&choice.cond, &best)?, &choice.then_branch)
}

fn compared_in(condition: &syn::Expr, best: &syn::Ident) -> Option<TokenStream> {
    match bare(condition) {
        syn::Expr::Binary(both) if matches!(both.op, syn::BinOp::And(_)) => {
            let (left, right, and) = (&both.left, &both.right, &both.op);
            match (compared_in(left, best), compared_in(right, best)) {
                (Some(left), None) => Some(quote!(#left #and #right)),
                (None, Some(right)) => Some(quote!(#left #and #right)),
                _ => None,
            }
        }
        syn::Expr::MethodCall(call) if call.method == "map_or" && same(&call.receiver, best) => {
            let (Some(yes), Some(closure), 2) = (call.args.first(), call.args.last(), call.args.len()) else {
                return None;
            };
            (yes.to_token_stream().to_string() == "true").then_some(())?;
            let closure = under_another_name(closure, best).unwrap_or_else(|| closure.clone());
            Some(quote_spanned!(call.method.span()=> #best.is_none_or(#closure)))
        }
        syn::Expr::MethodCall(call) if call.method == "is_none_or" && same(&call.receiver, best) => {
            let closure = under_another_name(call.args.first().filter(|_| call.args.len() == 1)?, best)?;
            Some(quote_spanned!(call.method.span()=> #best.is_none_or(#closure)))
        }
        syn::Expr::Binary(either) if matches!(either.op, syn::BinOp::Or(_)) => {
            match bare(&either.left) {
                syn::Expr::MethodCall(test) if is_call(test, "is_none", best) => {}
                _ => return None,
            }
            let mut compared = (*either.right).clone();
            let held = format_ident!("__held", span = best.span());
            let mut unwrap = Unwrap { best, held: &held, found: 0 };
            unwrap.visit_expr_mut(&mut compared);
            (unwrap.found == 1).then_some(())?;
            compared_with(best, &held.to_token_stream(), &compared)
        }
        _ => None,
    }
}

/// `if let Some(b) = best { if v < b { best = Some(v); } } else { best = Some(v); }`.
fn by_if_let(choice: &syn::ExprIf, otherwise: &syn::Expr) -> Option<syn::Stmt> {
    let (syn::Expr::Let(test), syn::Expr::Block(otherwise)) = (&*choice.cond, otherwise) else { return None };
    let [syn::Stmt::Expr(syn::Expr::If(inner), _)] = choice.then_branch.stmts.as_slice() else { return None };
    let held = held_by(&test.pat)?;
    where_compared(&test.expr, &held, inner, &otherwise.block)
}

/// `match best { None => best = Some(v), Some(b) if v < b => best = Some(v), _ => {} }`.
fn by_match(choice: &syn::ExprMatch) -> Option<syn::Stmt> {
    let (mut none, mut better) = (None, None);
    for arm in &choice.arms {
        let (pattern, guard) = match &arm.pat {
            syn::Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
            other => (other, None),
        };
        let is_none = matches!(pattern, syn::Pat::Ident(name) if name.ident == "None" && name.subpat.is_none());
        match guard {
            None if is_none && none.is_none() => none = Some(&*arm.body),
            // Behind the others: what it catches before would be kept from them.
            None if nothing(pattern, &arm.body, &choice.expr)
                && better.is_some()
                && (none.is_some() || held_by(pattern).is_some()) => {}
            _ if better.is_none() => better = Some((held_by(pattern)?, guard, &*arm.body)),
            _ => return None,
        }
    }
    let ((held, guard, body), none) = (better?, none?);
    let none = block_of(none);
    match guard {
        Some(condition) => {
            let (best, _) = set_to_some(&none)?;
            let then = block_of(body);
            (alike(&then, &none) && same(&choice.expr, &best)).then_some(())?;
            statement(&compared_with(&best, &held, condition)?, &none)
        }
        None => {
            let syn::Expr::If(inner) = only(body)? else { return None };
            where_compared(&choice.expr, &held, inner, &none)
        }
    }
}

/// `first = first.or(v)`.
fn by_or(assign: &syn::ExprAssign, is_option: &dyn Fn(&syn::Ident) -> bool) -> Option<syn::Stmt> {
    let syn::Expr::MethodCall(call) = bare(&assign.right) else { return None };
    let first = variable(&assign.left).filter(|first| is_option(first))?;
    let (Some(other), 1, true) = (call.args.first(), call.args.len(), call.method == "or" && call.turbofish.is_none())
    else {
        return None;
    };
    (same(&call.receiver, first) && !mentions(other, &first.to_string())).then_some(())?;
    let found = format_ident!("__found", span = call.method.span());
    syn::parse2(quote_spanned!(call.method.span()=> {
        let #found = #other;
        if #first.is_none() && #found.is_some() { #first = Some(#found.unwrap()); }
    }))
    .ok()
}

/// The inner `if` of a value that is there, beside what is done where none is: both set the same.
fn where_compared(test: &syn::Expr, held: &TokenStream, inner: &syn::ExprIf, none: &syn::Block) -> Option<syn::Stmt> {
    let (best, _) = set_to_some(none)?;
    let fits = inner.else_branch.is_none() && alike(&inner.then_branch, none) && same(test, &best);
    fits.then_some(())?;
    statement(&compared_with(&best, held, &inner.cond)?, none)
}

/// `best.is_none_or(|held| condition)`; nothing where a closure cannot hold the condition.
fn compared_with(best: &syn::Ident, held: &TokenStream, condition: &syn::Expr) -> Option<TokenStream> {
    let syn::Expr::Binary(comparison) = bare(condition) else { return None };
    let compares =
        matches!(comparison.op, syn::BinOp::Lt(_) | syn::BinOp::Le(_) | syn::BinOp::Gt(_) | syn::BinOp::Ge(_));
    let mut names = Vec::new();
    names_in(condition.to_token_stream(), &mut names);
    let leaves = names.iter().any(|(name, _)| ["return", "break", "continue", "await"].contains(&name.as_str()));
    let plain = compares && !leaves && !condition.to_token_stream().to_string().contains('?');
    plain.then(|| quote_spanned!(condition.span()=> #best.is_none_or(|#held| #condition)))
}

fn statement(condition: &TokenStream, then: &syn::Block) -> Option<syn::Stmt> {
    syn::parse2(quote_spanned!(then.brace_token.span.join()=> if #condition #then)).ok()
}

/// The variable that a block sets to `Some(v)`, and the value.
fn set_to_some(block: &syn::Block) -> Option<(syn::Ident, &syn::Expr)> {
    block.stmts.iter().find_map(|statement| {
        let syn::Stmt::Expr(syn::Expr::Assign(assign), _) = statement else { return None };
        let syn::Expr::Call(call) = &*assign.right else { return None };
        let some = matches!(&*call.func, syn::Expr::Path(path) if path.path.is_ident("Some"));
        (some && call.args.len() == 1).then_some((variable(&assign.left)?.clone(), call.args.first()?))
    })
}

/// What `Some(b)` and `Some((i, b))` hold, as a closure takes it.
fn held_by(pattern: &syn::Pat) -> Option<TokenStream> {
    fn plain(pattern: &syn::Pat) -> bool {
        match pattern {
            syn::Pat::Wild(_) => true,
            syn::Pat::Ident(name) => name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none(),
            syn::Pat::Tuple(parts) => parts.elems.iter().all(plain),
            _ => false,
        }
    }
    let syn::Pat::TupleStruct(some) = pattern else { return None };
    let (true, Some(held), 1) = (some.path.is_ident("Some"), some.elems.first(), some.elems.len()) else { return None };
    plain(held).then(|| held.to_token_stream())
}

/// An arm's body as a block of statements.
fn block_of(e: &syn::Expr) -> syn::Block {
    match e {
        syn::Expr::Block(block) if block.label.is_none() => block.block.clone(),
        e => syn::Block {
            brace_token: syn::token::Brace(e.span()),
            stmts: vec![syn::Stmt::Expr(e.clone(), Some(syn::Token![;](e.span())))],
        },
    }
}

/// The only expression of an arm's body.
fn only(e: &syn::Expr) -> Option<&syn::Expr> {
    match e {
        syn::Expr::Block(block) => match block.block.stmts.as_slice() {
            [syn::Stmt::Expr(e, _)] => Some(e),
            _ => None,
        },
        e => Some(e),
    }
}

/// Whether an arm leaves what is matched as it is: it does nothing, or `same => best = same`.
fn nothing(pattern: &syn::Pat, e: &syn::Expr, matched: &syn::Expr) -> bool {
    match e {
        syn::Expr::Block(block) => match block.block.stmts.as_slice() {
            [syn::Stmt::Expr(syn::Expr::Assign(assign), _)] => {
                let (Some(best), syn::Pat::Ident(name)) = (variable(matched), pattern) else { return false };
                let stays = name.ident != *best && name.by_ref.is_none() && name.subpat.is_none();
                stays && same(&assign.left, best) && same(&assign.right, &name.ident)
            }
            statements => statements.is_empty(),
        },
        syn::Expr::Tuple(unit) => unit.elems.is_empty(),
        _ => false,
    }
}

/// Whether two blocks have the same statements, with a semicolon behind the last or without.
fn alike(one: &syn::Block, two: &syn::Block) -> bool {
    let text = |block: &syn::Block| {
        let stmts = &block.stmts;
        quote!(#(#stmts)*).to_string().trim_end_matches([';', ' ']).to_owned()
    };
    text(one) == text(two)
}

fn variable(e: &syn::Expr) -> Option<&syn::Ident> {
    match bare(e) {
        syn::Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

fn same(e: &syn::Expr, name: &syn::Ident) -> bool {
    variable(e).is_some_and(|found| found == name)
}

fn is_call(call: &syn::ExprMethodCall, method: &str, receiver: &syn::Ident) -> bool {
    call.method == method && call.args.is_empty() && same(&call.receiver, receiver)
}

/// A closure whose parameter has the name of the variable, `|best| v < best`, with another name for it; nothing where it has no such
/// parameter, or where not every mention is seen.
fn under_another_name(e: &syn::Expr, name: &syn::Ident) -> Option<syn::Expr> {
    let syn::Expr::Closure(closure) = e else { return None };
    let mut renamed = closure.clone();
    let mut parameters = Rename { name, found: false, unclear: false };
    renamed.inputs.iter_mut().for_each(|parameter| parameters.visit_pat_mut(parameter));
    let mut body = Rename { name, found: false, unclear: false };
    body.visit_expr_mut(&mut renamed.body);
    (parameters.found && !parameters.unclear && !body.unclear).then_some(syn::Expr::Closure(renamed))
}

/// Gives another name to what has this one.
struct Rename<'a> {
    name: &'a syn::Ident,
    found: bool,
    /// A macro may mention it, and a struct has a field by its name.
    unclear: bool,
}

impl Rename<'_> {
    fn rename(&mut self, name: &mut syn::Ident) {
        if name == self.name {
            *name = format_ident!("__held", span = name.span());
            self.found = true;
        }
    }
}

impl VisitMut for Rename<'_> {
    fn visit_pat_ident_mut(&mut self, pattern: &mut syn::PatIdent) {
        self.rename(&mut pattern.ident);
        self.unclear |= pattern.subpat.is_some();
    }

    fn visit_expr_path_mut(&mut self, e: &mut syn::ExprPath) {
        if let (None, 1, Some(segment)) = (&e.qself, e.path.segments.len(), e.path.segments.first_mut()) {
            self.rename(&mut segment.ident);
        }
    }

    fn visit_macro_mut(&mut self, _: &mut syn::Macro) {
        self.unclear = true;
    }

    fn visit_expr_struct_mut(&mut self, _: &mut syn::ExprStruct) {
        self.unclear = true;
    }

    fn visit_pat_struct_mut(&mut self, _: &mut syn::PatStruct) {
        self.unclear = true;
    }
}

/// Puts a name in place of `best.unwrap()`.
struct Unwrap<'a> {
    best: &'a syn::Ident,
    held: &'a syn::Ident,
    found: usize,
}

impl VisitMut for Unwrap<'_> {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        if let syn::Expr::MethodCall(call) = e
            && is_call(call, "unwrap", self.best)
        {
            let held = self.held;
            *e = syn::parse_quote!(#held);
            self.found += 1;
            return;
        }
        visit_expr_mut(self, e);
    }
}
