//! Barriers in tasks: `a(); forall::barrier(); b();` in a loop over tiles becomes two loops, and the variables that both parts use stay with
//! their tasks.

use super::tokens::{Find, assigns, bare, declaration, is_stable, mentions};
use crate::ir::{Expr, Kind, Local};
use crate::language::methods;
use crate::maps::{HashSet, New as _};
use proc_macro2::{Ident, Literal};
use quote::{format_ident, quote_spanned};
use syn::visit::Visit;

/// Whether a statement is a call of `barrier`.
pub(super) fn is_barrier(statement: &syn::Stmt) -> bool {
    let syn::Stmt::Expr(syn::Expr::Call(call), _) = statement else { return false };
    let syn::Expr::Path(path) = &*call.func else { return false };
    call.args.is_empty() && path.path.segments.last().is_some_and(|last| last.ident == "barrier")
}

/// Whether a statement is where tasks are cut because of elements that they fetch.
pub(super) fn is_cut(statement: &syn::Stmt) -> bool {
    cut_named(statement, "wait") || is_begin(statement)
}

/// Whether a statement is where tasks are cut so that elements arrive while their next part runs.
fn is_begin(statement: &syn::Stmt) -> bool {
    cut_named(statement, "begin")
}

fn cut_named(statement: &syn::Stmt, name: &str) -> bool {
    let syn::Stmt::Expr(syn::Expr::Call(call), _) = statement else { return false };
    let syn::Expr::Path(path) = &*call.func else { return false };
    let names = path.path.segments.iter().map(|segment| segment.ident.to_string());
    path.path.leading_colon.is_some() && names.eq(["forall", "__private", "objects", name])
}

/// The variables that a pattern binds.
pub(super) fn bound(pattern: &syn::Pat) -> Vec<Ident> {
    struct Bound(Vec<Ident>);
    impl<'ast> Visit<'ast> for Bound {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            self.0.push(pattern.ident.clone());
        }
    }
    let mut bound = Bound(Vec::new());
    bound.visit_pat(pattern);
    bound.0
}

/// The variables that a pattern binds as `mut`.
pub(super) fn mutable_in(pattern: &syn::Pat) -> Vec<Ident> {
    declared(pattern, &[]).into_iter().map(|(name, _)| name).collect()
}

/// The variables that statements declare, each with whether it is `mut`, and the variables of the loop that are `mut`.
fn declared(pattern: &syn::Pat, statements: &[syn::Stmt]) -> Vec<(Ident, bool)> {
    struct Declared(Vec<(Ident, bool)>);
    impl<'ast> Visit<'ast> for Declared {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            self.0.push((pattern.ident.clone(), pattern.mutability.is_some()));
        }
    }
    let mut declared = Declared(Vec::new());
    declared.visit_pat(pattern);
    declared.0.retain(|(_, mutable)| *mutable);
    for statement in statements {
        if let syn::Stmt::Local(local) = statement {
            declared.visit_pat(&local.pat);
        }
    }
    declared.0
}

/// Whether a declaration has the same value again behind a barrier: a number, or a range of numbers, of variables that are there again.
pub(super) fn is_repeatable(statement: &syn::Stmt, others: &HashSet<Local>) -> bool {
    let Some((_, value)) = declaration(statement) else { return false };
    let stable = match value {
        syn::Expr::Range(range) => range.start.iter().chain(&range.end).all(|end| is_stable(end)),
        value => is_stable(value),
    };
    stable && others.iter().all(|name| !mentions(value, &name.ident()))
}

/// Whether an expression is the view of an object.
pub(super) type IsView<'v> = &'v dyn Fn(&syn::Expr) -> bool;

/// Whether a declaration borrows from other variables, or is a closure, so that its value cannot stay with the task. It is the same again
/// where those are, if it changes nothing and they do not change.
pub(super) fn lends(statement: &syn::Stmt, is_view: IsView<'_>) -> bool {
    let syn::Stmt::Local(syn::Local { init: Some(syn::LocalInit { expr, diverge: None, .. }), .. }) = statement else {
        return false;
    };
    // A range of an object is a copy.
    let copies = |e: &syn::Expr| matches!(e, syn::Expr::MethodCall(call) if is_view(&call.receiver));
    if !matches!(bare(expr), syn::Expr::Closure(_)) && Find::in_expr(expr, copies) {
        return false;
    }
    fn borrows(e: &syn::Expr) -> bool {
        match bare(e) {
            syn::Expr::Closure(closure) => closure.capture.is_none(),
            syn::Expr::Reference(of) => !matches!(bare(&of.expr), syn::Expr::Lit(_)),
            syn::Expr::MethodCall(call) => {
                let method = call.method.to_string();
                method == "elements" || methods::lends(&method)
            }
            syn::Expr::Tuple(list) => list.elems.iter().any(borrows),
            syn::Expr::Array(list) => list.elems.iter().any(borrows),
            _ => false,
        }
    }
    borrows(expr)
}

/// Whether such a declaration can be repeated: it only reads, and variables that are `mut` are not in it.
pub(super) fn lends_again(statement: &syn::Stmt, mutable: &[Ident], is_view: IsView<'_>) -> bool {
    let syn::Stmt::Local(syn::Local { pat, init: Some(init), .. }) = statement else { return false };
    let changes = |e: &syn::Expr| match e {
        syn::Expr::MethodCall(call) => {
            let method = call.method.to_string();
            !(methods::only_reads(&method) || matches!(method.as_str(), "elements" | "ranges" | "shape"))
        }
        syn::Expr::Reference(of) => of.mutability.is_some(),
        syn::Expr::Call(_) | syn::Expr::Macro(_) | syn::Expr::Assign(_) | syn::Expr::Await(_) => true,
        syn::Expr::Binary(binary) => assigns(binary),
        _ => false,
    };
    // The body of a closure runs where it is called.
    let reads = matches!(bare(&init.expr), syn::Expr::Closure(_)) || !Find::in_expr(&init.expr, changes);
    let is_mutable = !mutable_in(pat).is_empty();
    lends(statement, is_view) && reads && !is_mutable && mutable.iter().all(|name| !mentions(&init.expr, name))
}

/// The parts of a loop between its barriers and cuts, as loops. Statements before them make room for the values that the tasks keep.
pub(super) fn parts(
    f: &syn::ExprForLoop,
    has_cuts: bool,
    is_view: IsView<'_>,
    barriers: &mut usize,
    before: &mut Vec<syn::Stmt>,
) -> Vec<syn::ExprForLoop> {
    let with = |statements: Vec<syn::Stmt>| {
        let mut part = f.clone();
        part.body.stmts = statements;
        part
    };
    let (mut parts, mut first) = (Vec::new(), f.body.stmts.clone());
    while let Some(at) = first.iter().position(|statement| is_barrier(statement) || is_cut(statement)) {
        let rest = first.split_off(at + 1);
        let cut = first.pop();
        let make = cut.as_ref().map_or("new", |cut| match is_begin(cut) {
            true => "begun",
            false if is_cut(cut) => "joined",
            false => "new",
        });
        // rustc checks that the function is ours. It is not called.
        let called = cut.and_then(|statement| match statement {
            syn::Stmt::Expr(syn::Expr::Call(call), _) if !is_cut(&statement) => Some(call.func),
            _ => None,
        });
        let declared = declared(&f.pat, &first);
        // Variables that are not there again, or have changed.
        let mut others: HashSet<Local> = declared.iter().map(|(name, _)| Local::from(name)).collect();
        let (mut again, mut repeated) = (Vec::new(), HashSet::new());
        for statement in &first {
            if matches!(statement, syn::Stmt::Item(_)) {
                again.push(statement.clone());
            } else if is_repeatable(statement, &others)
                && let Some((name, _)) = declaration(statement)
            {
                again.push(statement.clone());
                repeated.insert(Local::from(name));
                others.remove(&Local::from(name));
            }
        }
        let mutable: Vec<Ident> =
            declared.iter().filter(|(_, mutable)| *mutable).map(|(name, _)| name.clone()).collect();
        let mut lent: Vec<syn::Stmt> = Vec::new();
        for statement in first.iter().filter(|statement| lends_again(statement, &mutable, is_view)) {
            if let syn::Stmt::Local(local) = statement {
                repeated.extend(bound(&local.pat).iter().map(Local::from));
                lent.push(statement.clone());
            }
        }
        // What is not used does not need the values that it borrows from.
        for at in (0..lent.len()).rev() {
            let later = lent[at + 1..].iter().chain(&rest);
            let syn::Stmt::Local(local) = &lent[at] else { continue };
            if !bound(&local.pat).iter().any(|name| later.clone().any(|statement| mentions(statement, name))) {
                lent.remove(at);
            }
        }
        let used = |name: &Ident| lent.iter().chain(&rest).any(|statement| mentions(statement, name));
        let kept: Vec<&(Ident, bool)> =
            declared.iter().filter(|(name, _)| !repeated.contains(&Local::from(name)) && used(name)).collect();
        let (number, span) = (Literal::usize_unsuffixed(*barriers), f.for_token.span);
        let names = kept.iter().map(|(name, _)| name);
        let patterns = kept.iter().map(|(name, mutable)| match mutable {
            true => quote_spanned!(span=> mut #name),
            false => quote_spanned!(span=> #name),
        });
        let room = format_ident!("__kept{}", *barriers, span = span);
        *barriers += 1;
        let parse = |tokens| syn::parse::Parser::parse2(syn::Block::parse_within, tokens).unwrap_or_default();
        let make = Ident::new(make, span);
        before.extend(parse(quote_spanned!(span=> let #room = ::forall::__private::objects::Kept::#make();)));
        if let Some(called) = called {
            first.extend(parse(quote_spanned!(span=> let _: fn() -> ::forall::__private::objects::Barrier = #called;)));
        }
        let [keep, kept] = ["keep", "kept"].map(|name| match has_cuts {
            true => format_ident!("{name}_each", span = span),
            false => Ident::new(name, span),
        });
        first.extend(parse(quote_spanned!(span=> ::forall::__private::objects::#keep::<#number>((#(#names,)*));)));
        let taken = quote_spanned!(span=>
            let ::core::option::Option::Some((#(#patterns,)*)) = ::forall::__private::objects::#kept::<#number>() else {
                continue;
            };
        );
        again.extend(parse(taken));
        again.extend(lent.iter().cloned());
        again.extend(rest);
        parts.push(with(first));
        first = again;
    }
    parts.push(with(first));
    parts
}

/// Where tasks are cut.
#[derive(Debug, Clone, Copy)]
pub struct Cut {
    pub number: usize,
    /// Whether the expression keeps the values of a task, or takes them again.
    pub keeps: bool,
    /// Whether each iteration is a task: one of the cuts is no barrier.
    pub each: bool,
}

/// The cut at which an expression keeps the values of a task, or takes them again.
pub fn at_cut(e: &Expr) -> Option<Cut> {
    let Kind::Call(function, _) = &e.kind else { return None };
    let text = function.text().replace(' ', "");
    let call = text.strip_prefix("::forall::__private::objects::")?;
    let (call, number) = call.strip_suffix('>')?.split_once("::<")?;
    let (call, each) = call.strip_suffix("_each").map_or((call, false), |call| (call, true));
    let keeps = match call {
        "keep" => true,
        "kept" => false,
        _ => return None,
    };
    Some(Cut { number: number.parse().ok()?, keeps, each })
}
