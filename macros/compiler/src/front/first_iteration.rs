//! Conditions that hold in the first iteration alone: `if i == 0 || x[i] > most { most = x[i]; }`. They become a variable: `let mut first =
//! true;` before the loop, and `first = false;` at each end of an iteration; or the first iteration runs in front of the loop.

use super::new_names::NewNames;
use super::tokens::{Find, bare, changed, is_stable, mentions, name_of, root};
use crate::ir::Local;
use crate::maps::HashSet;
use proc_macro2::Ident;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{VisitMut, visit_block_mut, visit_expr_mut, visit_stmt_mut};
use syn::{Block, Expr, ExprForLoop, Stmt, parse_quote, parse_quote_spanned};

/// Names the first iteration of loops that ask for it. The result has the new variables, with their names in messages.
pub fn name_first_iterations(block: &mut Block, words: &HashSet<String>) -> Vec<(String, String)> {
    let mut name = Name(NewNames::beside(words));
    name.visit_block_mut(block);
    name.0.into_names()
}

struct Name(NewNames);

impl Name {
    /// The variable and the loop, if the loop asks for its first iteration and each iteration runs to its end.
    fn with_variable(&mut self, f: &ExprForLoop) -> Option<[Stmt; 2]> {
        let (counter, start) = counter(f)?;
        let (counter, start) = (counter.clone(), start.to_token_stream().to_string());
        let asks = |e: &Expr| tests_start(e, &counter, &start).is_some();
        // The start is a number, or a variable that the loop leaves as it is.
        let changes = |e: &Expr| changed(e).and_then(root).is_some_and(|name| *name == start);
        if !Find::in_block(&f.body, asks) || Find::in_block(&f.body, changes) || Leaves::from(&f.body) {
            return None;
        }
        let at = f.for_token.span;
        let first = self.0.named("first", &format!("{counter} == {start}"), at);
        let mut f = f.clone();
        Put { counter: &counter, start: &start, first: &first, depth: 0 }.visit_block_mut(&mut f.body);
        f.body.stmts.push(parse_quote_spanned!(at=> #first = false;));
        let declared: Stmt = parse_quote_spanned!(at=> let mut #first = true;);
        Some([declared, Stmt::Expr(Expr::ForLoop(f), None)])
    }
}

impl VisitMut for Name {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut statements = Vec::new();
        for statement in std::mem::take(&mut block.stmts) {
            let found = match &statement {
                Stmt::Expr(Expr::ForLoop(f), _) => self.with_variable(f),
                _ => None,
            };
            match found {
                Some(both) => statements.extend(both),
                None => statements.push(statement),
            }
        }
        block.stmts = statements;
        visit_block_mut(self, block);
    }

    // Iterations of an outer loop begin their inner loops anew.
    fn visit_expr_for_loop_mut(&mut self, _: &mut ExprForLoop) {}

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Finds code that may leave the loop, or end an iteration otherwise than by a plain `continue`.
#[derive(Default)]
struct Leaves {
    found: bool,
    /// In how many inner loops the code is.
    depth: usize,
}

impl Leaves {
    fn from(block: &Block) -> bool {
        let mut leaves = Leaves::default();
        leaves.visit_block(block);
        leaves.found
    }
}

impl<'ast> Visit<'ast> for Leaves {
    fn visit_expr(&mut self, e: &'ast Expr) {
        let is_loop = matches!(e, Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_));
        self.found |= match e {
            Expr::Continue(leave) => leave.label.is_some(),
            Expr::Break(leave) => self.depth == 0 || leave.label.is_some(),
            Expr::Return(_) | Expr::Try(_) => true,
            _ => false,
        };
        self.depth += usize::from(is_loop);
        visit::visit_expr(self, e);
        self.depth -= usize::from(is_loop);
    }

    // A macro may hide it.
    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        let known = |name: &Ident| name == "matches" || name.to_string().contains("assert");
        self.found |= !called.path.get_ident().is_some_and(known);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// The counter of a loop, and its value in the first iteration.
fn counter(f: &ExprForLoop) -> Option<(&Ident, Expr)> {
    let named = |pattern| match pattern {
        &syn::Pat::Ident(syn::PatIdent { ref ident, mutability: None, .. }) => Some(ident),
        _ => None,
    };
    match (&*f.pat, bare(&f.expr)) {
        (pattern, Expr::Range(range)) => {
            let start = range.start.as_ref()?;
            let is_plain = matches!(**start, Expr::Lit(_)) || name_of(start).is_some();
            Some((named(pattern)?, (**start).clone())).filter(|_| is_plain)
        }
        (syn::Pat::Tuple(pattern), Expr::MethodCall(call)) if call.method == "enumerate" && call.args.is_empty() => {
            Some((named(pattern.elems.first()?)?, parse_quote!(0)))
        }
        _ => None,
    }
}

/// Whether a condition holds in the first iteration alone, or in all others.
fn tests_start(e: &Expr, counter: &Ident, start: &str) -> Option<bool> {
    let Expr::Binary(test) = e else { return None };
    let is_counter = |e: &Expr| name_of(e) == Some(counter);
    let is_start = |e: &Expr| bare(e).to_token_stream().to_string() == start;
    let (left, right) = (bare(&test.left), bare(&test.right));
    let [ahead, behind] = [is_counter(left) && is_start(right), is_start(left) && is_counter(right)];
    match test.op {
        syn::BinOp::Eq(_) if ahead || behind => Some(true),
        syn::BinOp::Ne(_) if ahead || behind => Some(false),
        syn::BinOp::Gt(_) if ahead => Some(false),
        syn::BinOp::Lt(_) if behind => Some(false),
        _ => None,
    }
}

/// Puts the variable in place of the conditions.
struct Put<'a> {
    counter: &'a Ident,
    start: &'a str,
    first: &'a Ident,
    /// In how many inner loops the code is.
    depth: usize,
}

impl VisitMut for Put<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let first = Ident::new(&self.first.to_string(), e.span());
        match (tests_start(e, self.counter, self.start), &*e) {
            (Some(true), _) => *e = parse_quote!(#first),
            (Some(false), _) => *e = parse_quote!((!#first)),
            (None, Expr::Continue(_)) if self.depth == 0 => *e = parse_quote!({ #first = false; #e }),
            (None, _) => {
                let is_loop = matches!(e, Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_));
                self.depth += usize::from(is_loop);
                visit_expr_mut(self, e);
                self.depth -= usize::from(is_loop);
            }
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Runs the first iteration in front of loops that ask for it: `if i == 0 { least = x[i]; .. } else { .. }`. `slices` have indices. Returns
/// whether there are such loops.
pub fn peel_first_iterations(block: &mut Block, slices: &HashSet<Local>) -> bool {
    let mut peel = Peel { slices, any: false };
    peel.visit_block_mut(block);
    peel.any
}

struct Peel<'s> {
    slices: &'s HashSet<Local>,
    any: bool,
}

impl Peel<'_> {
    /// The first iteration and the loop over the others, if each iteration runs to its end and has no loops.
    fn apart(&self, f: &ExprForLoop) -> Option<Stmt> {
        let indexed = indexed(f, self.slices);
        let f = indexed.as_ref().unwrap_or(f);
        let Expr::Range(range) = bare(&f.expr) else { return None };
        let (counter, start) = counter(f)?;
        let text = start.to_token_stream().to_string();
        let asks = |e: &Expr| tests_start(e, counter, &text).is_some();
        // The range is evaluated twice, once behind the first iteration. It reads no elements.
        let is_element = |place: &Expr| matches!(bare(place), Expr::Index(_));
        let in_range = |place: &Expr| root(place).is_none_or(|name| mentions(range, name));
        let changes = |e: &Expr| changed(e).is_some_and(|place| !is_element(place) && in_range(place));
        // Outside of loops, there are no pushes.
        let others = |e: &Expr| match e {
            Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) | Expr::Continue(_) => true,
            Expr::MethodCall(_) => changed(e).is_some(),
            _ => false,
        };
        let any = |fits: &dyn Fn(&Expr) -> bool| Find::in_block(&f.body, fits);
        let end = range.end.as_ref().filter(|end| is_stable(end))?;
        if !any(&asks) || any(&changes) || any(&others) || Leaves::from(&f.body) || f.label.is_some() {
            return None;
        }
        let second: Expr = match &start {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => {
                let next = number.base10_parse::<u64>().ok()?.checked_add(1)?;
                let next = syn::LitInt::new(&format!("{next}{}", number.suffix()), number.span());
                parse_quote!(#next)
            }
            start => parse_quote!((#start + 1)),
        };
        let at = f.for_token.span;
        // The counter has the type that the whole range gives it.
        let (goes_on, first): (Expr, Expr) = match range.limits {
            syn::RangeLimits::HalfOpen(_) => {
                (parse_quote_spanned!(at=> #start < #end), parse_quote_spanned!(at=> (#range).start))
            }
            syn::RangeLimits::Closed(_) => {
                (parse_quote_spanned!(at=> #start <= #end), parse_quote_spanned!(at=> *(#range).start()))
            }
        };
        let known = |holds| {
            let mut body = f.body.clone();
            Known { counter, start: &text, holds }.visit_block_mut(&mut body);
            body
        };
        let (Block { stmts: once, .. }, rest) = (known(true), known(false));
        let mut f = f.clone();
        let range = syn::ExprRange { start: Some(Box::new(second)), ..range.clone() };
        (*f.expr, f.body) = (Expr::Range(range), rest);
        Some(parse_quote_spanned!(at=> if #goes_on {
            {
                let #counter = #first;
                #(#once)*
            }
            #f
        }))
    }
}

/// `for (i, &v) in x.iter().enumerate()` as a loop over indices.
fn indexed(f: &ExprForLoop, slices: &HashSet<Local>) -> Option<ExprForLoop> {
    let items = without("enumerate", &f.expr)?;
    let syn::Pat::Tuple(pattern) = &*f.pat else { return None };
    let mut parts = pattern.elems.iter();
    let (Some(counter @ syn::Pat::Ident(name)), Some(item), None) = (parts.next(), parts.next(), parts.next()) else {
        return None;
    };
    let mut found = Elements { slices, index: &name.ident, lengths: Vec::new(), statements: Vec::new() };
    found.of(items, item)?;
    let Elements { lengths, statements, .. } = found;
    let at = f.for_token.span;
    let (first, others) = lengths.split_first()?;
    let end = others.iter().fold(first.clone(), |end, length| parse_quote_spanned!(at=> #end.min(#length)));
    let mut f = f.clone();
    (*f.pat, *f.expr) = (counter.clone(), parse_quote_spanned!(at=> 0..#end));
    f.body.stmts.splice(0..0, statements);
    Some(f)
}

/// `items` of `items.name()`.
fn without<'e>(name: &str, e: &'e Expr) -> Option<&'e Expr> {
    match bare(e) {
        Expr::MethodCall(call) if call.method == name && call.args.is_empty() => Some(&call.receiver),
        _ => None,
    }
}

/// The slices that an iterator goes through.
struct Elements<'s> {
    slices: &'s HashSet<Local>,
    index: &'s Ident,
    lengths: Vec<Expr>,
    /// The declarations of its item.
    statements: Vec<Stmt>,
}

impl Elements<'_> {
    fn of(&mut self, items: &Expr, item: &syn::Pat) -> Option<()> {
        let (at, index) = (items.span(), self.index);
        match (bare(items), item) {
            (Expr::MethodCall(call), syn::Pat::Tuple(pair)) if call.method == "zip" && pair.elems.len() == 2 => {
                self.of(&call.receiver, &pair.elems[0])?;
                return self.of(call.args.first()?, &pair.elems[1]);
            }
            _ => {}
        }
        let copied = without("copied", items).or_else(|| without("cloned", items));
        let slice = match (copied, bare(items)) {
            (Some(items), _) => without("iter", items)?,
            (None, Expr::Reference(syn::ExprReference { mutability: None, expr, .. })) => expr,
            (None, Expr::Path(_)) => items,
            (None, _) => without("iter", items)?,
        };
        name_of(slice).filter(|name| self.slices.contains(&Local::from(*name)))?;
        self.lengths.push(parse_quote_spanned!(at=> #slice.len()));
        self.statements.push(match (item, copied) {
            (syn::Pat::Reference(behind), None) => {
                let item = &behind.pat;
                parse_quote_spanned!(at=> let #item = #slice[#index];)
            }
            (item, Some(_)) => parse_quote_spanned!(at=> let #item = #slice[#index];),
            (item, None) => parse_quote_spanned!(at=> let #item = &#slice[#index];),
        });
        Some(())
    }
}

impl VisitMut for Peel<'_> {
    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        match statement {
            Stmt::Expr(Expr::ForLoop(f), _) => {
                if let Some(apart) = self.apart(f) {
                    *statement = apart;
                    self.any = true;
                }
            }
            // Iterations of an outer loop begin their inner loops anew.
            Stmt::Expr(Expr::While(_) | Expr::Loop(_), _) => {}
            _ => visit_stmt_mut(self, statement),
        }
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Decides conditions that hold in the first iteration alone.
struct Known<'a> {
    counter: &'a Ident,
    start: &'a str,
    holds: bool,
}

impl VisitMut for Known<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if let Some(first) = tests_start(e, self.counter, self.start) {
            let known = syn::LitBool::new(first == self.holds, e.span());
            *e = parse_quote!(#known);
            return;
        }
        visit_expr_mut(self, e);
        if let Some(simpler) = simpler(e) {
            *e = simpler;
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// The same value, where a part of a condition is known.
fn simpler(e: &Expr) -> Option<Expr> {
    let known = |e: &Expr| match bare(e) {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Bool(known), .. }) => Some(known.value),
        _ => None,
    };
    match e {
        Expr::Unary(syn::ExprUnary { op: syn::UnOp::Not(_), expr, .. }) => {
            let not = !known(expr)?;
            Some(parse_quote_spanned!(e.span()=> #not))
        }
        Expr::Binary(syn::ExprBinary { left, op, right, .. }) => {
            let is_or = matches!(op, syn::BinOp::Or(_));
            if !is_or && !matches!(op, syn::BinOp::And(_)) {
                return None;
            }
            match (known(left), known(right)) {
                (Some(left), _) if left == is_or => Some(parse_quote_spanned!(e.span()=> #left)),
                (Some(_), _) => Some((**right).clone()),
                (_, Some(right)) if right != is_or => Some((**left).clone()),
                _ => None,
            }
        }
        Expr::If(syn::ExprIf { cond, then_branch, else_branch, .. }) => match (known(cond)?, else_branch) {
            (true, _) => Some(parse_quote!(#then_branch)),
            (false, Some((_, otherwise))) => Some((**otherwise).clone()),
            (false, None) => Some(parse_quote!({})),
        },
        _ => None,
    }
}
