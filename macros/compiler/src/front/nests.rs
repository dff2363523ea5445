//! Tasks in nested loops: `for ty in 0..s { for tx in 0..r { a(); barrier(); b(); } }` becomes one loop, so that it can be cut at the barrier.

use super::barriers::is_barrier;
use super::tokens::{bare, is_stable, mentions};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::visit::Visit;

/// A loop of the nest: its pattern, the first index, and the step if there is one.
struct Axis<'f> {
    pattern: &'f syn::Pat,
    range: &'f syn::Expr,
    start: &'f syn::Expr,
    step: Option<&'f syn::Expr>,
}

impl<'f> Axis<'f> {
    /// Reads `for y in a..b` and `for y in (a..b).step_by(c)`.
    fn of(f: &'f syn::ExprForLoop) -> Option<Self> {
        let (range, step) = match bare(&f.expr) {
            syn::Expr::MethodCall(call) if call.method == "step_by" && call.args.len() == 1 => {
                (bare(&call.receiver), Some(&call.args[0]))
            }
            range => (range, None),
        };
        let syn::Expr::Range(syn::ExprRange { start: Some(start), end: Some(end), limits, .. }) = range else {
            return None;
        };
        let stable = is_stable(start) && is_stable(end) && step.is_none_or(is_stable);
        let plain =
            matches!(&*f.pat, syn::Pat::Ident(_) | syn::Pat::Wild(_)) && f.attrs.is_empty() && f.label.is_none();
        let open = matches!(limits, syn::RangeLimits::HalfOpen(_));
        (stable && plain && open).then_some(Axis { pattern: &f.pat, range: &f.expr, start, step })
    }
}

/// One loop for a nest whose innermost body has a barrier. `number` tells nests apart. Statements that count the iterations go to `before`.
pub(super) fn as_one_loop(
    f: &syn::ExprForLoop,
    number: usize,
    before: &mut Vec<syn::Stmt>,
) -> Option<syn::ExprForLoop> {
    let (mut axes, mut inner) = (vec![Axis::of(f)?], f);
    while let [syn::Stmt::Expr(syn::Expr::ForLoop(next), _)] = &inner.body.stmts[..] {
        let axis = Axis::of(next)?;
        let depends = |outer: &Axis<'_>| match outer.pattern {
            syn::Pat::Ident(name) => mentions(axis.range, &name.ident),
            _ => false,
        };
        if axes.iter().any(depends) {
            return None;
        }
        axes.push(axis);
        inner = next;
    }
    if axes.len() < 2 || !inner.body.stmts.iter().any(is_barrier) || breaks(&inner.body) {
        return None;
    }
    let span = f.for_token.span;
    let counts: Vec<Ident> = (0..axes.len()).map(|axis| format_ident!("__count{number}_{axis}", span = span)).collect();
    let position = format_ident!("__position{number}", span = span);
    let mut names = TokenStream::new();
    for (axis, Axis { pattern, range, start, step }) in axes.iter().enumerate() {
        let count = &counts[axis];
        before.extend(syn::parse2::<syn::Stmt>(quote_spanned!(span=> let #count = (#range).len();)));
        let (own, inner) = (&counts[axis], &counts[axis + 1..]);
        let mut steps = quote_spanned!(span=> #position);
        if let [first, rest @ ..] = inner {
            steps = quote_spanned!(span=> #steps / (#first #(* #rest)*));
        }
        if axis > 0 {
            steps = quote_spanned!(span=> #steps % #own);
        }
        let steps = step.map_or(quote_spanned!(span=> (#steps)), |step| quote_spanned!(span=> (#steps) * #step));
        let value = match start {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(zero), .. }) if zero.base10_digits() == "0" => steps,
            start => quote_spanned!(span=> #start + #steps),
        };
        names.extend(quote_spanned!(span=> let #pattern = #value;));
    }
    let mut one = f.clone();
    one.pat = syn::parse_quote!(#position);
    let [first, rest @ ..] = &counts[..] else { return None };
    one.expr = Box::new(syn::parse2(quote_spanned!(span=> 0..#first #(* #rest)*)).ok()?);
    one.body = inner.body.clone();
    let names = syn::parse::Parser::parse2(syn::Block::parse_within, names).ok()?;
    one.body.stmts.splice(0..0, names);
    Some(one)
}

/// Whether a body ends the loop around it.
fn breaks(body: &syn::Block) -> bool {
    struct Breaks(bool);
    impl<'ast> Visit<'ast> for Breaks {
        fn visit_expr_break(&mut self, _: &'ast syn::ExprBreak) {
            self.0 = true;
        }

        fn visit_expr_for_loop(&mut self, _: &'ast syn::ExprForLoop) {}

        fn visit_expr_while(&mut self, _: &'ast syn::ExprWhile) {}

        fn visit_expr_loop(&mut self, _: &'ast syn::ExprLoop) {}

        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut breaks = Breaks(false);
    breaks.visit_block(body);
    breaks.0
}
