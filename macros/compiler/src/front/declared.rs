//! Declared access in tasks: `let view = object.get(range);` and its kin, in a loop over tiles.
//!
//! If the compiler knows the range before the task runs, it is a part of the task's box. Otherwise the task is cut: it asks for the range,
//! `let __fetched = view.request(range);`, and waits for it behind the cut.

use super::barriers::{IsView, bound, is_barrier, is_cut, is_repeatable, lends, lends_again, mutable_in};
use super::tokens::{Find, bare, changed, declaration, is_stable, mentions, name_of};
use crate::ir::Local;
use crate::language::methods;
use crate::maps::{HashSet, New as _};
use proc_macro2::Ident;
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{VisitMut, visit_expr_mut};

/// Whether a method declares access to a range of an object.
pub fn declares(method: &str) -> bool {
    gets(method) || matches!(method, "fetch" | "request" | "modified")
}

/// Whether a method returns elements of a range.
fn gets(method: &str) -> bool {
    matches!(method, "get" | "get_mut")
}

/// Whether a method returns elements of a range that is a part of the task's box.
pub fn is_boxed(method: &str) -> bool {
    gets(method) || method == "fetch"
}

/// A call of a method of an object that gets a range.
pub(super) fn range_of(e: &mut syn::Expr) -> Option<(&Ident, &mut syn::Expr)> {
    let syn::Expr::MethodCall(call) = e else { return None };
    if !declares(&call.method.to_string()) || call.args.len() != 1 {
        return None;
    }
    Some((name_of(&call.receiver)?, &mut call.args[0]))
}

/// Cuts the tasks of a loop where they need ranges that are known only when they run, and where they work while a range arrives. Returns
/// whether there is a cut.
pub(super) fn cut(f: &mut syn::ExprForLoop, views: &[(Ident, Ident)], is_view: IsView<'_>) -> bool {
    WaitedAtOnce(is_view).visit_block_mut(&mut f.body);
    // If the work cannot be a part of its own, it runs before the elements are asked for.
    for overlaps in [true, false] {
        let statements = Cutting::statements(f, is_view, overlaps);
        let cuts = statements.iter().any(is_cut);
        if cuts && !shares_changes(f, &statements, views) && !keeps_borrows(&statements, is_view) {
            f.body.stmts = statements;
            return true;
        }
    }
    false
}

/// Whether code waits for a range.
fn waits(statement: &syn::Stmt) -> bool {
    ["wait", "wait_while"].iter().any(|name| mentions(statement, &format_ident!("{name}")))
}

/// `object.fetch(range).wait()` is `object.get(range)`.
struct WaitedAtOnce<'v>(IsView<'v>);

impl VisitMut for WaitedAtOnce<'_> {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        visit_expr_mut(self, e);
        if let syn::Expr::MethodCall(wait) = e
            && wait.method == "wait"
            && wait.args.is_empty()
            && let syn::Expr::MethodCall(fetch) = &mut *wait.receiver
            && fetch.method == "fetch"
            && (self.0)(&fetch.receiver)
        {
            fetch.method = Ident::new("get", fetch.method.span());
            *e = (*wait.receiver).clone();
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

struct Cutting<'v> {
    is_view: IsView<'v>,
    out: Vec<syn::Stmt>,
    /// Variables of the task that are known only when it runs.
    unknown: HashSet<Local>,
    /// The number of ranges that tasks have asked for.
    number: usize,
    /// The last cut, if only ranges are waited for behind it, and the variables that hold them.
    group: Option<(usize, Vec<Ident>)>,
}

impl<'v> Cutting<'v> {
    /// The statements of a loop with cuts. If `overlaps`, elements arrive while the statements before `wait` run.
    fn statements(f: &syn::ExprForLoop, is_view: IsView<'v>, overlaps: bool) -> Vec<syn::Stmt> {
        let mut cutting = Cutting { is_view, out: Vec::new(), unknown: HashSet::new(), number: 0, group: None };
        let (mut outstanding, mut begun) = (false, false);
        for (at, statement) in f.body.stmts.iter().enumerate() {
            let mut statement = statement.clone();
            let waits = waits(&statement);
            if is_barrier(&statement) || waits && outstanding {
                (outstanding, begun) = (false, false);
                cutting.group = None;
                if waits {
                    cutting.cut("wait", &statement);
                }
            }
            let rest = &f.body.stmts[at + 1..];
            let waits_later = rest.iter().position(self::waits);
            if let Some(later) = waits_later.filter(|_| !waits) {
                let work = rest[..later].iter().take_while(|statement| !is_barrier(statement));
                let works = overlaps && work.into_iter().any(|statement| cutting.works(statement));
                if cutting.request(&mut statement, works) {
                    (outstanding, begun) = (true, false);
                } else if overlaps && outstanding && !begun && cutting.works(&statement) {
                    begun = true;
                    cutting.group = None;
                    cutting.cut("begin", &statement);
                }
            }
            cutting.statement(statement);
        }
        cutting.out
    }

    fn cut(&mut self, name: &str, at: &syn::Stmt) {
        let name = Ident::new(name, at.span());
        let cut = quote_spanned!(at.span()=> ::forall::__private::objects::#name(););
        self.out.extend(syn::parse2::<syn::Stmt>(cut));
    }

    /// Whether a statement takes time: it is no declaration of a number, of a range, or of what a task fetches.
    fn works(&self, statement: &syn::Stmt) -> bool {
        let syn::Stmt::Local(local) = statement else { return !matches!(statement, syn::Stmt::Item(_)) };
        let Some(init) = &local.init else { return false };
        match bare(&init.expr) {
            syn::Expr::Range(range) => !range.start.iter().chain(&range.end).all(|end| is_stable(end)),
            syn::Expr::MethodCall(call) if (self.is_view)(&call.receiver) => !declares(&call.method.to_string()),
            value => !is_stable(value),
        }
    }

    /// Whether the range is known before the task runs.
    fn is_known(&self, range: &syn::Expr) -> bool {
        let known = |e: &syn::Expr| match bare(e) {
            syn::Expr::Range(range) => range.start.iter().chain(&range.end).all(|end| is_stable(end)),
            _ => false,
        };
        let known = match bare(range) {
            syn::Expr::Array(list) => list.elems.iter().all(known),
            range => known(range),
        };
        known && self.unknown.iter().all(|name| !mentions(range, &name.ident()))
    }

    /// Turns `fetch` into a request, unless the statement has nothing else, the range is known, and nothing `works` while it arrives.
    fn request(&mut self, statement: &mut syn::Stmt, works: bool) -> bool {
        struct Requests<'v>(IsView<'v>, bool);
        impl VisitMut for Requests<'_> {
            fn visit_expr_method_call_mut(&mut self, call: &mut syn::ExprMethodCall) {
                syn::visit_mut::visit_expr_method_call_mut(self, call);
                if call.method == "fetch" && (self.0)(&call.receiver) {
                    call.method = Ident::new("request", call.method.span());
                    self.1 = true;
                }
            }

            fn visit_item_mut(&mut self, _: &mut syn::Item) {}
        }
        if let Some((_, syn::Expr::MethodCall(call))) = declaration(statement)
            && call.method == "fetch"
            && !works
            && call.args.first().is_some_and(|range| self.is_known(range))
        {
            return false;
        }
        let mut requests = Requests(self.is_view, false);
        requests.visit_stmt_mut(statement);
        requests.1
    }

    /// Adds a statement, behind a cut if it needs one.
    fn statement(&mut self, mut statement: syn::Stmt) {
        self.inner_ranges(&mut statement);
        let alone = match &statement {
            syn::Stmt::Local(syn::Local { init: Some(init), .. }) => {
                matches!(bare(&init.expr), syn::Expr::MethodCall(call) if (self.is_view)(&call.receiver))
            }
            _ => false,
        };
        let mut found = Vec::new();
        match &mut statement {
            syn::Stmt::Local(syn::Local { init: Some(init), .. }) => {
                self.first(&mut init.expr, &mut found);
            }
            syn::Stmt::Expr(e, _) => {
                self.first(e, &mut found);
            }
            _ => {}
        }
        let mut requests = Vec::new();
        for e in found {
            let syn::Expr::MethodCall(call) = &*e else { continue };
            let (span, name) = (call.span(), format_ident!("__fetched{}", self.number, span = call.span()));
            self.number += 1;
            let (view, range) = (&call.receiver, &call.args[0]);
            let request = quote_spanned!(span=> let #name = #view.request(#range););
            let wait = if call.method == "get" { "wait" } else { "wait_mut" };
            let wait = Ident::new(wait, span);
            requests.extend(syn::parse2::<syn::Stmt>(request));
            *e = syn::parse_quote_spanned!(span=> #name.#wait());
        }
        if !requests.is_empty() {
            match &self.group {
                Some((at, bound))
                    if requests.iter().all(|request| bound.iter().all(|name| !mentions(request, name))) =>
                {
                    let (at, count) = (*at, requests.len());
                    self.out.splice(at..at, requests);
                    self.group = self.group.take().map(|(_, bound)| (at + count, bound));
                }
                _ => {
                    self.out.extend(requests);
                    self.group = Some((self.out.len(), Vec::new()));
                    self.cut("wait", &statement);
                }
            }
        } else {
            self.group = None;
        }
        let repeatable = is_repeatable(&statement, &self.unknown);
        if let syn::Stmt::Local(local) = &statement {
            let names = bound(&local.pat);
            if !repeatable {
                self.unknown.extend(names.iter().map(Local::from));
            }
            if let Some((_, bound)) = &mut self.group {
                bound.extend(names);
            }
        }
        if !alone {
            self.group = None;
        }
        self.out.push(statement);
    }

    /// Gives a range that depends on another one a statement of its own.
    fn inner_ranges(&mut self, statement: &mut syn::Stmt) {
        let mut found = Vec::new();
        match statement {
            syn::Stmt::Local(syn::Local { init: Some(init), .. }) => self.first(&mut init.expr, &mut found),
            syn::Stmt::Expr(e, _) => self.first(e, &mut found),
            _ => false,
        };
        let mut ranges = Vec::new();
        for e in found {
            let Some((_, range)) = range_of(e) else { continue };
            let mut inner = range.clone();
            if Find::in_expr(&inner, |e| (self.is_view)(e)) {
                let (name, span) = (format_ident!("__range{}", self.number, span = range.span()), range.span());
                self.number += 1;
                *range = syn::parse_quote_spanned!(span=> #name);
                if let syn::Expr::Paren(paren) = inner {
                    inner = *paren.expr;
                }
                ranges.extend(syn::parse2::<syn::Stmt>(quote_spanned!(span=> let #name = #inner;)));
                self.unknown.insert(Local::from(&name));
            }
        }
        ranges.into_iter().for_each(|range| self.statement(range));
    }

    /// Finds calls that get ranges that are not known, as far as they are the first things that the expression does. Returns whether
    /// the expression does nothing else.
    fn first<'e>(&self, e: &'e mut syn::Expr, found: &mut Vec<&'e mut syn::Expr>) -> bool {
        let gets_unknown = match &*e {
            syn::Expr::MethodCall(call) => {
                gets(&call.method.to_string())
                    && (self.is_view)(&call.receiver)
                    && call.args.first().is_some_and(|range| !self.is_known(range))
            }
            _ => false,
        };
        if gets_unknown {
            found.push(e);
            return true;
        }
        if is_stable(e) {
            return true;
        }
        match e {
            syn::Expr::MethodCall(call) => {
                let boxed = is_boxed(&call.method.to_string()) && (self.is_view)(&call.receiver);
                let first = self.first(&mut call.receiver, found);
                boxed || first && call.args.is_empty() && methods::reads(&call.method.to_string())
            }
            syn::Expr::Array(syn::ExprArray { elems, .. }) | syn::Expr::Tuple(syn::ExprTuple { elems, .. }) => {
                elems.iter_mut().all(|e| self.first(e, found))
            }
            syn::Expr::Call(call) => {
                let _ = is_stable(&call.func) && call.args.iter_mut().all(|e| self.first(e, found));
                false
            }
            // The right side may not be evaluated.
            syn::Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::And(_) | syn::BinOp::Or(_), .. }) => {
                self.first(left, found);
                false
            }
            syn::Expr::Binary(binary) => self.first(&mut binary.left, found) && self.first(&mut binary.right, found),
            syn::Expr::Assign(assign) => {
                self.first(&mut assign.right, found);
                false
            }
            syn::Expr::ForLoop(f) => {
                self.first(&mut f.expr, found);
                false
            }
            syn::Expr::If(branch) => {
                self.first(&mut branch.cond, found);
                false
            }
            syn::Expr::Match(of) => {
                self.first(&mut of.expr, found);
                false
            }
            syn::Expr::Let(of) => self.first(&mut of.expr, found),
            syn::Expr::Index(of) => self.first(&mut of.expr, found) && is_stable(&of.index),
            syn::Expr::Reference(of) => self.first(&mut of.expr, found),
            syn::Expr::Unary(of) => self.first(&mut of.expr, found),
            syn::Expr::Paren(of) => self.first(&mut of.expr, found),
            syn::Expr::Field(of) => self.first(&mut of.base, found),
            syn::Expr::Cast(of) => self.first(&mut of.expr, found),
            _ => false,
        }
    }
}

/// Whether a variable that borrows from others would have to stay with the task.
fn keeps_borrows(statements: &[syn::Stmt], is_view: IsView<'_>) -> bool {
    let mut mutable: Vec<Ident> = Vec::new();
    statements.iter().enumerate().any(|(at, statement)| {
        let syn::Stmt::Local(local) = statement else { return false };
        let kept = lends(statement, is_view) && !lends_again(statement, &mutable, is_view);
        mutable.extend(mutable_in(&local.pat));
        let mut behind = statements[at + 1..].iter().skip_while(|statement| !is_cut(statement));
        kept && bound(&local.pat).iter().any(|name| behind.any(|statement| mentions(statement, name)))
    })
}

/// Whether the parts of tasks between two barriers share a variable from outside of the loop that one of them may change. Parts in one
/// piece would change it in another order.
fn shares_changes(f: &syn::ExprForLoop, statements: &[syn::Stmt], views: &[(Ident, Ident)]) -> bool {
    let mut own: HashSet<Local> = views.iter().map(|(_, view)| Local::from(view)).collect();
    own.extend(bound(&f.pat).iter().map(Local::from));
    for statement in statements {
        if let syn::Stmt::Local(local) = statement {
            own.extend(bound(&local.pat).iter().map(Local::from));
        }
    }
    statements.split(is_barrier).any(|segment| {
        let parts: Vec<&[syn::Stmt]> = segment.split(is_cut).collect();
        parts.iter().enumerate().any(|(at, part)| {
            let mut changes = Changes(Vec::new());
            part.iter().for_each(|statement| changes.visit_stmt(statement));
            let outer = changes.0.iter().filter(|name| !own.contains(&Local::from(*name)));
            outer.into_iter().any(|name| {
                let others = parts.iter().enumerate().filter(|(other, _)| *other != at);
                others.into_iter().any(|(_, part)| part.iter().any(|statement| mentions(statement, name)))
            })
        })
    })
}

/// The variables that code may change.
struct Changes(Vec<Ident>);

impl Changes {
    fn root(&mut self, e: &syn::Expr) {
        match bare(e) {
            syn::Expr::Field(of) => self.root(&of.base),
            syn::Expr::Index(of) => self.root(&of.expr),
            syn::Expr::Unary(of) => self.root(&of.expr),
            syn::Expr::MethodCall(call) => self.root(&call.receiver),
            syn::Expr::Tuple(of) => of.elems.iter().for_each(|e| self.root(e)),
            syn::Expr::Array(of) => of.elems.iter().for_each(|e| self.root(e)),
            e => self.0.extend(name_of(e).cloned()),
        }
    }
}

impl<'ast> Visit<'ast> for Changes {
    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        changed(e).into_iter().for_each(|place| self.root(place));
        syn::visit::visit_expr(self, e);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}
