//! Options that hold the best value so far, or the first that is found. The canonical forms are
//! `if best.is_none_or(|held| v < held) { best = Some(v); }` and `if first.is_none() && c { first = Some(v); }`.

use super::assignments::some_of;
use super::decisions::Action;
use super::tokens::{bare, mentions, name_of, names_in, place_in};
use crate::ir::Local;
use crate::maps::HashSet;
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{VisitMut, visit_expr_mut};

/// The variables that are declared as `None`, or with the type of an `Option`. Other types have a method `or` too.
#[derive(Default)]
pub struct Options(HashSet<Local>);

impl Options {
    fn declared(&mut self, pattern: &syn::Pat, value: Option<&syn::Expr>) {
        match (pattern, value) {
            (syn::Pat::Tuple(parts), Some(syn::Expr::Tuple(values))) => {
                parts.elems.iter().zip(&values.elems).for_each(|(part, value)| self.declared(part, Some(value)));
            }
            (syn::Pat::Ident(name), Some(none)) if name_of(none).is_some_and(|none| none == "None") => {
                self.0.insert(Local::from(&name.ident));
            }
            (syn::Pat::Type(syn::PatType { pat, ty, .. }), _) => {
                if let (syn::Pat::Ident(name), syn::Type::Path(of)) = (&**pat, &**ty)
                    && of.path.segments.last().is_some_and(|last| last.ident == "Option")
                {
                    self.0.insert(Local::from(&name.ident));
                }
            }
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Options {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        self.declared(&local.pat, local.init.as_ref().map(|init| &*init.expr));
        syn::visit::visit_local(self, local);
    }

    // Name resolution leaves the variables of items such as `impl` as they are.
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// A statement that keeps a value in an `Option`, in canonical form.
pub fn best_value(statement: &syn::Stmt, options: &Options) -> Option<syn::Stmt> {
    let syn::Stmt::Expr(e, _) = statement else { return None };
    match e {
        syn::Expr::If(choice) if choice.attrs.is_empty() => match &*choice.cond {
            syn::Expr::Let(test) => {
                let otherwise = choice.else_branch.as_ref().map_or(Action::Keep, |(_, e)| Action::of(e));
                let rest: syn::Pat = syn::parse_quote!(_);
                let arms = [(&*test.pat, None, Action::of_block(&choice.then_branch)), (&rest, None, otherwise)];
                decided(&test.expr, arms)
            }
            _ => by_condition(choice),
        },
        syn::Expr::Match(choice) if choice.attrs.is_empty() => decided(
            &choice.expr,
            choice.arms.iter().map(|arm| match &arm.pat {
                syn::Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard), Action::of(&arm.body)),
                pattern => (pattern, None, Action::of(&arm.body)),
            }),
        ),
        syn::Expr::Assign(assign) if assign.attrs.is_empty() => by_or(assign, options),
        _ => None,
    }
}

impl<'e> Action<'e> {
    /// The same, where `best = held` keeps what is held.
    fn keeping(self, best: &syn::Expr, held: &TokenStream) -> Action<'e> {
        match self {
            Action::Set(block) if text(&block) == text(&syn::parse_quote!({ #best = #held; })) => Action::Keep,
            Action::If(condition, then, otherwise) => {
                Action::If(condition, Box::new(then.keeping(best, held)), Box::new(otherwise.keeping(best, held)))
            }
            other => other,
        }
    }
}

/// The decision that patterns for `best` and their actions make: what happens if it is `None`, and if it holds a value.
fn decided<'e, I>(best: &'e syn::Expr, arms: I) -> Option<syn::Stmt>
where
    I: IntoIterator<Item = (&'e syn::Pat, Option<&'e syn::Expr>, Action<'e>), IntoIter: DoubleEndedIterator>,
{
    let best = place_in(best)?;
    let (mut if_none, mut if_some, mut held) = (None, None, quote!(_));
    for (pattern, guard, action) in arms.into_iter().rev() {
        let guarded = |action: Action<'e>, rest: &Option<Action<'e>>| match guard {
            None => Some(action),
            Some(guard) => Some(Action::If(guard, Box::new(action), Box::new(rest.clone()?))),
        };
        match (pattern, variable(pattern)) {
            (syn::Pat::Ident(name), _) if name.ident == "None" && name.subpat.is_none() => {
                if_none = guarded(action, &if_none);
            }
            (syn::Pat::Wild(_), _) => {
                (if_none, if_some) = (guarded(action.clone(), &if_none), guarded(action, &if_some));
            }
            // Only `same => best = same`: other code would mention the name.
            (_, Some(name)) => {
                let keeps = matches!(action.keeping(best, &name.to_token_stream()), Action::Keep);
                (keeps && guard.is_none()).then_some(())?;
                (if_none, if_some) = (Some(Action::Keep), Some(Action::Keep));
            }
            (pattern, None) => {
                let value = held_by(pattern)?;
                let action = action.keeping(best, &quote!(Some(#value)));
                if guard.is_some() || !matches!(action, Action::Keep) {
                    held = value;
                }
                if_some = guarded(action, &if_some);
            }
        }
    }
    let (condition, then) = match (if_none?, if_some?) {
        (Action::Set(none), Action::Keep) => (quote_spanned!(best.span()=> #best.is_none()), none),
        (Action::If(condition, none, rest), Action::Keep) => match (*none, *rest) {
            (Action::Set(none), Action::Keep) if !mentions(condition, &format_ident!("let")) => {
                (quote_spanned!(best.span()=> #best.is_none() && (#condition)), none)
            }
            _ => return None,
        },
        (Action::Set(none), Action::If(condition, then, otherwise)) => {
            let (then, worse) = match (*then, *otherwise) {
                (Action::Set(then), Action::Keep) => (then, false),
                (Action::Keep, Action::Set(then)) => (then, true),
                _ => return None,
            };
            (text(&then) == text(&none)).then_some(())?;
            (is_better(best, &held, condition, worse)?, none)
        }
        // `best = Some(best.max(v))`, where there is a best value.
        (Action::Set(none), Action::Set(some)) => {
            let (first, both) = (set_alone(&none, best)?, set_alone(&some, best)?);
            let syn::Expr::MethodCall(call) = bare(both) else { return None };
            (call.method == "max" || call.method == "min").then_some(())?;
            let chosen = quote_spanned!(call.span()=> #best = Some(#best.map_or(#first, |#held| #both)););
            return syn::parse2(chosen).ok();
        }
        _ => return None,
    };
    (set_to_some(&then)? == best).then_some(())?;
    statement(&condition, &then)
}

/// `best.is_none_or(|held| condition)`, for a comparison that a closure can hold.
fn is_better(best: &syn::Expr, held: &TokenStream, condition: &syn::Expr, not: bool) -> Option<TokenStream> {
    let syn::Expr::Binary(comparison) = bare(condition) else { return None };
    let compares =
        matches!(comparison.op, syn::BinOp::Lt(_) | syn::BinOp::Le(_) | syn::BinOp::Gt(_) | syn::BinOp::Ge(_));
    let mut names = Vec::new();
    names_in(condition.to_token_stream(), &mut names);
    let leaves = names.iter().any(|(name, _)| ["return", "break", "continue", "await"].contains(&name.as_str()));
    let plain = compares && !leaves && !condition.to_token_stream().to_string().contains('?');
    let condition = if not { quote_spanned!(condition.span()=> !(#comparison)) } else { condition.to_token_stream() };
    plain.then(|| quote_spanned!(condition.span()=> #best.is_none_or(|#held| #condition)))
}

fn statement(condition: &TokenStream, then: &syn::Block) -> Option<syn::Stmt> {
    syn::parse2(quote_spanned!(then.brace_token.span.join()=> if #condition #then)).ok()
}

/// The variable or field that a block sets to `Some(v)`.
fn set_to_some(block: &syn::Block) -> Option<&syn::Expr> {
    block.stmts.iter().find_map(|statement| {
        let syn::Stmt::Expr(syn::Expr::Assign(assign), _) = statement else { return None };
        some_of(&assign.right).and(place_in(&assign.left))
    })
}

/// `v` of a block that is `best = Some(v);`.
fn set_alone<'b>(block: &'b syn::Block, best: &syn::Expr) -> Option<&'b syn::Expr> {
    let [syn::Stmt::Expr(syn::Expr::Assign(assign), _)] = block.stmts.as_slice() else { return None };
    some_of(&assign.right).filter(|_| place_in(&assign.left) == Some(best))
}

/// The variable that a pattern is. A name in capital letters is a constant.
fn variable(pattern: &syn::Pat) -> Option<&syn::Ident> {
    let syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) = pattern else {
        return None;
    };
    Some(ident).filter(|name| !name.to_string().starts_with(char::is_uppercase))
}

/// The value of `Some(b)` and `Some((i, b))`, as a closure takes it.
fn held_by(pattern: &syn::Pat) -> Option<TokenStream> {
    fn plain(pattern: &syn::Pat) -> bool {
        match pattern {
            syn::Pat::Wild(_) => true,
            syn::Pat::Tuple(parts) => parts.elems.iter().all(plain),
            pattern => variable(pattern).is_some(),
        }
    }
    let syn::Pat::TupleStruct(some) = pattern else { return None };
    let held = some.elems.first().filter(|held| some.path.is_ident("Some") && some.elems.len() == 1 && plain(held))?;
    Some(held.to_token_stream())
}

/// The statements of a block as text, with a semicolon behind the last or without.
fn text(block: &syn::Block) -> String {
    let stmts = &block.stmts;
    quote!(#(#stmts)*).to_string().trim_end_matches([';', ' ']).to_owned()
}

/// `if best.map_or(true, |b| v < b) {..}`, `if best.is_none() || v < best.unwrap() {..}`, with other conditions beside it.
fn by_condition(choice: &syn::ExprIf) -> Option<syn::Stmt> {
    let best = set_to_some(&choice.then_branch).filter(|_| choice.else_branch.is_none())?;
    statement(&compared_in(&choice.cond, best)?, &choice.then_branch)
}

fn compared_in(condition: &syn::Expr, best: &syn::Expr) -> Option<TokenStream> {
    let is_best = |e: &syn::Expr| place_in(e) == Some(best);
    match bare(condition) {
        syn::Expr::Binary(syn::ExprBinary { left, op: and @ syn::BinOp::And(_), right, .. }) => {
            match (compared_in(left, best), compared_in(right, best)) {
                (Some(left), None) => Some(quote!(#left #and #right)),
                (None, Some(right)) => Some(quote!(#left #and #right)),
                _ => None,
            }
        }
        syn::Expr::MethodCall(call) if call.method == "map_or" && is_best(&call.receiver) => {
            let [yes, closure] = [call.args.first()?, call.args.get(1)?];
            let of_none = yes.to_token_stream().to_string() == "true";
            of_none.then(|| quote_spanned!(call.method.span()=> #best.is_none_or(#closure)))
        }
        syn::Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::Or(_), right, .. }) => {
            let syn::Expr::MethodCall(test) = bare(left) else { return None };
            (test.method == "is_none" && is_best(&test.receiver)).then_some(())?;
            let mut unwrap = Unwrap { best, held: format_ident!("__held", span = best.span()), found: 0 };
            let mut compared = (**right).clone();
            unwrap.visit_expr_mut(&mut compared);
            let held = unwrap.held.to_token_stream();
            is_better(best, &held, &compared, false).filter(|_| unwrap.found == 1)
        }
        _ => None,
    }
}

/// Puts a name in place of `best.unwrap()`.
struct Unwrap<'a> {
    best: &'a syn::Expr,
    held: syn::Ident,
    found: usize,
}

impl VisitMut for Unwrap<'_> {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        match e {
            syn::Expr::MethodCall(call) if call.method == "unwrap" && place_in(&call.receiver) == Some(self.best) => {
                let held = &self.held;
                *e = syn::parse_quote!(#held);
                self.found += 1;
            }
            e => visit_expr_mut(self, e),
        }
    }
}

/// `first = first.or(v)`.
fn by_or(assign: &syn::ExprAssign, options: &Options) -> Option<syn::Stmt> {
    let syn::Expr::MethodCall(call) = bare(&assign.right) else { return None };
    let first = name_of(&assign.left).filter(|first| options.0.contains(&Local::from(*first)))?;
    let other = call.args.first()?;
    let or = call.method == "or" && call.turbofish.is_none() && call.args.len() == 1;
    (or && name_of(&call.receiver) == Some(first) && !mentions(other, first)).then_some(())?;
    let found = format_ident!("__found", span = call.method.span());
    syn::parse2(quote_spanned!(call.method.span()=> {
        let #found = #other;
        if #first.is_none() && #found.is_some() { #first = Some(#found.unwrap()); }
    }))
    .ok()
}
