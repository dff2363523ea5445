//! Loops that end early: `for i in 0..n { if x[i] < 0.0 { at = i; break; } sum += x[i]; }`. An iteration that leaves the loop sets a
//! variable of its own, and skips the rest: `let mut left = false; if x[i] < 0.0 { at = i; left = true; } else { sum += x[i]; }`. A chunk ends
//! with such an iteration, and later chunks do not count.

use super::new_names::NewNames;
use crate::language::types;
use crate::maps::HashSet;
use proc_macro2::{Ident, Span};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{VisitMut, visit_block_mut};
use syn::{Block, Expr, ExprForLoop, ReturnType, Signature, Stmt, Type, parse_quote, parse_quote_spanned};

/// The marker above a loop for the condition under which an iteration ends it.
pub const ENDS: &str = "__ends";

/// Removes the exits from loops that are not inside of others. The result has the new variables, with their names in messages.
pub fn remove_exits(signature: &Signature, block: &mut Block, words: &HashSet<String>) -> Vec<(String, String)> {
    let plain = matches!(&signature.output, ReturnType::Type(_, ty) if is_plain(ty));
    let mut remove = Remove { names: NewNames::beside(words), plain };
    remove.visit_block_mut(block);
    remove.names.into_names()
}

struct Remove {
    names: NewNames,
    /// Whether the function returns plain data.
    plain: bool,
}

impl Remove {
    /// The statements that stand for a loop with exits. `None` if it has none, or others than these: `break` of this loop, and `return`, each
    /// a statement.
    fn without_exits(&mut self, f: &ExprForLoop) -> Option<Vec<Stmt>> {
        let exits = Exits::of(&f.body.stmts, f.label.as_ref().map(|label| &label.name.ident), false);
        if exits.others || !(exits.breaks || exits.returns) {
            return None;
        }
        let at = f.for_token.span;
        let found = match exits.returns {
            true => Some((self.names.named("found", "return", at), Returned::of(&f.body, self.plain)?)),
            false => None,
        };
        let label = f.label.as_ref().map(|label| label.name.ident.clone());
        let leave = Leave { label, left: self.names.named("left", "break", at), found };
        let mut f = f.clone();
        f.label = None;
        let (ends, left) = (Ident::new(ENDS, at), &leave.left);
        let mut statements: Vec<Stmt> = vec![parse_quote_spanned!(at=> let mut #left = false;)];
        statements.extend(leave.statements(f.body.stmts, false)?);
        f.body.stmts = statements;
        f.attrs.push(parse_quote_spanned!(at=> #[#ends(#left)]));
        let mut all: Vec<Stmt> = Vec::new();
        all.extend(leave.found.iter().map(|(found, _)| -> Stmt { parse_quote_spanned!(at=> let mut #found = None;) }));
        all.push(Stmt::Expr(Expr::ForLoop(f), None));
        if let Some((found, returned)) = &leave.found {
            let value = self.names.named("returned", "return", at);
            let whole = returned.whole(found, &value, at);
            all.push(parse_quote_spanned!(at=> if let Some(#value) = #found {
                return #whole;
            }));
        }
        Some(all)
    }
}

/// How a loop keeps the value that it returns: as plain data.
enum Returned {
    /// The value.
    Plain,
    /// The argument of this constructor: `i` of `Some(i)`, `Err(i)`.
    Argument(Box<Expr>),
    /// The number of the constant.
    Constant(Vec<Expr>),
}

impl Returned {
    /// `None` if the values may be anything else. `plain` says whether the function returns plain data.
    fn of(body: &Block, plain: bool) -> Option<Returned> {
        struct Values(Vec<Expr>);
        impl<'ast> Visit<'ast> for Values {
            fn visit_expr_return(&mut self, e: &'ast syn::ExprReturn) {
                self.0.extend(e.expr.as_deref().cloned());
            }
            fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
            fn visit_item(&mut self, _: &'ast syn::Item) {}
        }
        let mut values = Values(Vec::new());
        values.visit_block(body);
        let Values(values) = values;
        let literal = |e: &Expr| matches!(e, Expr::Lit(_));
        if values.iter().all(is_constant) && !values.iter().all(literal) {
            return Some(Returned::Constant(values));
        }
        let constructor = values.first().and_then(constructor_of);
        match constructor {
            _ if !plain => None,
            Some((first, _)) => {
                let same = |e: &Expr| constructor_of(e).is_some_and(|(name, _)| name == first);
                values.iter().all(same).then(|| Returned::Argument(Box::new(first.clone())))
            }
            None => values.iter().all(|e| constructor_of(e).is_none()).then_some(Returned::Plain),
        }
    }

    /// The value that the loop keeps in place of this one.
    fn kept(&self, value: &Expr) -> Expr {
        match self {
            Returned::Plain => value.clone(),
            Returned::Argument(_) => constructor_of(value).map_or_else(|| value.clone(), |(_, of)| of.clone()),
            Returned::Constant(all) => {
                let number = all.iter().position(|constant| constant == value).unwrap_or(all.len());
                let number = syn::LitInt::new(&format!("{number}_u32"), value.span());
                parse_quote!(#number)
            }
        }
    }

    /// The returned value.
    fn whole(&self, found: &Ident, kept: &Ident, at: Span) -> Expr {
        match self {
            Returned::Plain => parse_quote_spanned!(at=> #kept),
            Returned::Argument(constructor) if **constructor == parse_quote!(Some) => parse_quote_spanned!(at=> #found),
            Returned::Argument(constructor) => parse_quote_spanned!(at=> #constructor(#kept)),
            Returned::Constant(all) => {
                let (last, others) = match all.split_last() {
                    Some((last, others)) => (last, others),
                    None => return parse_quote_spanned!(at=> #kept),
                };
                let numbers = 0_u32..;
                let arms = numbers.zip(others).map(|(number, value)| quote_spanned!(at=> #number => #value,));
                parse_quote_spanned!(at=> match #kept { #(#arms)* _ => #last })
            }
        }
    }
}

/// A constructor with one argument, and the argument.
fn constructor_of(e: &Expr) -> Option<(Expr, &Expr)> {
    let Expr::Call(call) = e else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    let is_type = path.path.segments.last()?.ident.to_string().starts_with(char::is_uppercase);
    let argument = call.args.first().filter(|_| is_type && call.args.len() == 1)?;
    Some(((*call.func).clone(), argument))
}

/// Whether an expression names no variable.
fn is_constant(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) => true,
        Expr::Path(path) => {
            let name = path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
            name.starts_with(char::is_uppercase)
        }
        Expr::Tuple(tuple) => tuple.elems.iter().all(is_constant),
        Expr::Unary(unary) => is_constant(&unary.expr),
        Expr::Call(call) => is_constant(&call.func) && call.args.iter().all(is_constant),
        _ => false,
    }
}

/// Whether a type consists of numbers: `Option<(usize, f64)>`, `Result<(), usize>`.
fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Tuple(tuple) => tuple.elems.iter().all(is_plain),
        Type::Array(array) => is_plain(&array.elem),
        Type::Paren(inner) => is_plain(&inner.elem),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return false };
            let of = |of: &syn::GenericArgument| matches!(of, syn::GenericArgument::Type(ty) if is_plain(ty));
            match &last.arguments {
                syn::PathArguments::None => types::is_primitive(&ty.to_token_stream().to_string()),
                syn::PathArguments::AngleBracketed(arguments) => {
                    (last.ident == "Option" || last.ident == "Result") && arguments.args.iter().all(of)
                }
                syn::PathArguments::Parenthesized(_) => false,
            }
        }
        _ => false,
    }
}

impl VisitMut for Remove {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut statements = Vec::new();
        for statement in std::mem::take(&mut block.stmts) {
            let loops = match &statement {
                Stmt::Expr(Expr::ForLoop(f), _) => self.without_exits(f),
                _ => None,
            };
            match loops {
                Some(loops) => statements.extend(loops),
                None => statements.push(statement),
            }
        }
        block.stmts = statements;
        visit_block_mut(self, block);
    }

    /// Inner loops that end early are loops of an iteration.
    fn visit_expr_for_loop_mut(&mut self, _: &mut ExprForLoop) {}

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// The exits in statements of a loop's body.
struct Exits<'a> {
    label: Option<&'a syn::Ident>,
    breaks: bool,
    returns: bool,
    /// Other exits, or code that may have some.
    others: bool,
    /// Whether this is inside of an inner loop.
    inside: bool,
}

impl<'a> Exits<'a> {
    fn of(statements: &[Stmt], label: Option<&'a syn::Ident>, inside: bool) -> Exits<'a> {
        let mut exits = Exits { label, breaks: false, returns: false, others: false, inside };
        statements.iter().for_each(|statement| exits.visit_stmt(statement));
        exits
    }

    fn any(&self) -> bool {
        self.breaks || self.returns
    }
}

impl<'ast> Visit<'ast> for Exits<'_> {
    fn visit_expr(&mut self, e: &'ast Expr) {
        match e {
            Expr::Break(exit) => match &exit.label {
                _ if exit.expr.is_some() => self.others = true,
                Some(label) if Some(&label.ident) == self.label => self.breaks = true,
                // This label belongs to an inner loop or block.
                Some(_) => self.others |= !self.inside,
                None => self.breaks |= !self.inside,
            },
            Expr::Continue(on) => self.others |= on.label.is_some(),
            Expr::Return(exit) => match &exit.expr {
                Some(_) => self.returns = true,
                None => self.others = true,
            },
            Expr::Try(_) | Expr::Await(_) | Expr::Yield(_) => self.others = true,
            Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) => {
                let outside = std::mem::replace(&mut self.inside, true);
                visit::visit_expr(self, e);
                self.inside = outside;
                return;
            }
            Expr::Closure(_) | Expr::Async(_) => return,
            _ => {}
        }
        visit::visit_expr(self, e);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// Writes assignments in place of exits.
struct Leave {
    label: Option<syn::Ident>,
    /// Whether the iteration leaves the loop.
    left: Ident,
    /// The returned value.
    found: Option<(Ident, Returned)>,
}

impl Leave {
    /// Statements that run only if the iteration has not left the loop.
    fn guarded(&self, statements: Vec<Stmt>, inside: bool) -> Option<Stmt> {
        let (left, statements) = (&self.left, self.statements(statements, inside)?);
        Some(parse_quote!(if !#left { #(#statements)* }))
    }

    fn has_exits(&self, statement: &Stmt, inside: bool) -> bool {
        Exits::of(std::slice::from_ref(statement), self.label.as_ref(), inside).any()
    }

    /// Statements without exits. Those after one that may leave the loop run only if it did not.
    fn statements(&self, statements: Vec<Stmt>, inside: bool) -> Option<Vec<Stmt>> {
        let (mut all, mut rest) = (Vec::new(), statements.into_iter());
        while let Some(statement) = rest.next() {
            if !self.has_exits(&statement, inside) {
                all.push(statement);
                continue;
            }
            let rest: Vec<Stmt> = rest.collect();
            let (first, rest) = self.without_rest(statement, rest, inside)?;
            all.extend(first);
            if !rest.is_empty() {
                all.push(self.guarded(rest, inside)?);
            }
            return Some(all);
        }
        Some(all)
    }

    /// A statement without exits, and the statements that are left after it.
    fn without_rest(&self, s: Stmt, rest: Vec<Stmt>, inside: bool) -> Option<(Vec<Stmt>, Vec<Stmt>)> {
        let at = s.span();
        match s {
            // The statements after an exit never run.
            Stmt::Expr(exit @ (Expr::Break(_) | Expr::Return(_)), _) => Some((self.leaves(&exit, at), Vec::new())),
            // One branch leaves, and the other one goes on: the rest belongs to the other one.
            Stmt::Expr(Expr::If(mut choice), None)
                if choice.else_branch.is_none() && always_leaves(&choice.then_branch) =>
            {
                choice.then_branch.stmts = self.statements(choice.then_branch.stmts, inside)?;
                if !rest.is_empty() {
                    let rest = self.statements(rest, inside)?;
                    choice.else_branch = Some((syn::Token![else](at), parse_quote_spanned!(at=> { #(#rest)* })));
                }
                Some((vec![Stmt::Expr(Expr::If(choice), None)], Vec::new()))
            }
            Stmt::Expr(e, end) => Some((vec![Stmt::Expr(self.branch(e, inside)?, end)], rest)),
            Stmt::Local(local) => {
                let syn::LocalInit { expr, diverge: Some((_, otherwise)), .. } = local.init? else { return None };
                let (pattern, otherwise) = (&local.pat, self.branch(*otherwise, inside)?);
                let rest = self.statements(rest, inside)?;
                Some((
                    vec![parse_quote_spanned!(at=> if let #pattern = #expr { #(#rest)* } else #otherwise)],
                    Vec::new(),
                ))
            }
            Stmt::Item(_) | Stmt::Macro(_) => None,
        }
    }

    /// The assignments that stand for an exit.
    fn leaves(&self, exit: &Expr, at: Span) -> Vec<Stmt> {
        let left = &self.left;
        let mut all: Vec<Stmt> = Vec::new();
        if let (Some((found, returned)), Expr::Return(syn::ExprReturn { expr: Some(value), .. })) = (&self.found, exit)
        {
            let value = returned.kept(value);
            all.push(parse_quote_spanned!(at=> #found = Some(#value);));
        }
        all.push(parse_quote_spanned!(at=> #left = true;));
        all
    }

    /// A branch without exits.
    fn branch(&self, e: Expr, inside: bool) -> Option<Expr> {
        let at = e.span();
        let block =
            |block: Block| -> Option<Block> { Some(Block { stmts: self.statements(block.stmts, inside)?, ..block }) };
        let alone = |e: &Expr| {
            let mut exits = Exits::of(&[], self.label.as_ref(), inside);
            exits.visit_expr(e);
            exits.any()
        };
        if !alone(&e) {
            return Some(e);
        }
        Some(match e {
            Expr::Break(_) | Expr::Return(_) => {
                let statements = self.leaves(&e, at);
                parse_quote_spanned!(at=> { #(#statements)* })
            }
            Expr::Block(inner) if inner.label.is_none() => {
                Expr::Block(syn::ExprBlock { block: block(inner.block)?, ..inner })
            }
            Expr::If(mut choice) if !alone(&choice.cond) => {
                choice.then_branch = block(choice.then_branch)?;
                if let Some((_, otherwise)) = &mut choice.else_branch {
                    **otherwise = self.branch((**otherwise).clone(), inside)?;
                }
                Expr::If(choice)
            }
            Expr::Match(mut choice) if !alone(&choice.expr) => {
                for arm in &mut choice.arms {
                    let mut guard = Exits::of(&[], self.label.as_ref(), inside);
                    guard.visit_pat(&arm.pat);
                    if guard.any() {
                        return None;
                    }
                    *arm.body = self.branch((*arm.body).clone(), inside)?;
                }
                Expr::Match(choice)
            }
            Expr::ForLoop(mut f) if !alone(&f.expr) => {
                let left = &self.left;
                f.body.stmts = self.statements(f.body.stmts, true)?;
                f.body.stmts.push(parse_quote_spanned!(at=> if #left { break; }));
                Expr::ForLoop(f)
            }
            _ => return None,
        })
    }
}

/// Whether a block ends by an exit.
fn always_leaves(block: &Block) -> bool {
    matches!(block.stmts.last(), Some(Stmt::Expr(Expr::Break(exit), _)) if exit.label.is_none())
        || matches!(block.stmts.last(), Some(Stmt::Expr(Expr::Return(_), _)))
}

/// The condition under which an iteration ends the loop, from the marker above it.
pub fn ends(f: &ExprForLoop) -> Option<Expr> {
    let marker = f.attrs.iter().find(|attribute| attribute.path().is_ident(ENDS))?;
    marker.parse_args().ok()
}
