//! Declarations where the values are: `let mut j;` before loops, and `j = 0;` first in each block that mentions `j`, is `let mut j = 0;` there.
//! So each block has a variable of its own, and no value goes from one to another.

use super::tokens::{Find, bare, mentions, name_of};
use proc_macro2::Ident;
use quote::quote_spanned;
use std::cell::Cell;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;

/// Moves the declarations of a body.
pub fn declare_where_set(block: &mut syn::Block) {
    Declarations.visit_block_mut(block);
}

struct Declarations;

impl VisitMut for Declarations {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let mut at = 0;
        while at < block.stmts.len() {
            let rest = &block.stmts[at + 1..];
            if let Some(parts) = one_by_one(&block.stmts[at])
                && parts.iter().any(|part| moved(part, rest).is_some())
            {
                block.stmts.splice(at..=at, parts);
            } else if let Some(rest) = moved(&block.stmts[at], rest) {
                block.stmts.splice(at.., rest);
            } else {
                at += 1;
            }
        }
        syn::visit_mut::visit_block_mut(self, block);
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// The statements behind a declaration, with the declaration in those that set the variable first.
fn moved(declaration: &syn::Stmt, rest: &[syn::Stmt]) -> Option<Vec<syn::Stmt>> {
    let declared = Declared::of(declaration)?;
    let mut rest = rest.to_vec();
    let mentioned = rest.iter().any(|statement| mentions(statement, declared.name));
    let is_set = mentioned && declared.set_in(&mut rest);
    // One of several blocks may say the type of a number for all of them.
    (is_set && (declared.sets.get() <= 1 || !declared.open.get())).then_some(rest)
}

/// A variable whose first value nobody reads, if each block sets it first.
struct Declared<'a> {
    name: &'a Ident,
    ty: Option<&'a syn::Type>,
    /// Whether it begins as a number, which may say more about its type than the other values do.
    begins: bool,
    /// The number of blocks that set it.
    sets: Cell<usize>,
    /// Whether the type of the value in one of them comes from elsewhere.
    open: Cell<bool>,
}

impl<'a> Declared<'a> {
    fn of(statement: &'a syn::Stmt) -> Option<Self> {
        let syn::Stmt::Local(syn::Local { attrs, pat, init, .. }) = statement else { return None };
        let (pattern, ty) = match pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pattern => (pattern, None),
        };
        let syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, ident: name, .. }) = pattern else {
            return None;
        };
        let number = |e: &syn::Expr| match bare(e) {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int.suffix().is_empty(),
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(float), .. }) => float.suffix().is_empty(),
            _ => false,
        };
        let fits = attrs.is_empty() && init.as_ref().is_none_or(|init| init.diverge.is_none() && number(&init.expr));
        fits.then(|| Declared { name, ty, begins: init.is_some(), sets: Cell::new(0), open: Cell::new(false) })
    }

    /// Declares the variable in each block of these statements that mentions it. Returns whether all of them set it first.
    fn set_in(&self, statements: &mut [syn::Stmt]) -> bool {
        for at in 0..statements.len() {
            let statement = &mut statements[at];
            if !mentions(statement, self.name) {
                continue;
            }
            if let Some((set, literal)) = self.set_by(statement) {
                *statement = set;
                self.sets.set(self.sets.get() + 1);
                let is_index = || statements[at..].iter().any(|statement| self.indexes(statement));
                self.open.set(self.open.get() || literal && self.ty.is_none() && !is_index());
                return true;
            }
            let syn::Stmt::Expr(e, _) = statement else { return false };
            if !self.set_inside(e) {
                return false;
            }
        }
        true
    }

    /// `let mut j = 0;` for `j = 0;`, and whether the value consists of literals.
    fn set_by(&self, statement: &syn::Stmt) -> Option<(syn::Stmt, bool)> {
        let syn::Stmt::Expr(syn::Expr::Assign(assign), Some(_)) = statement else { return None };
        let value = &assign.right;
        let fits = name_of(&assign.left) == Some(self.name)
            && !mentions(value, self.name)
            && (!self.begins || self.ty.is_some() || has_a_type_of_its_own(value));
        let (name, ty) = (name_of(&assign.left)?, self.ty.map(|ty| quote_spanned!(self.name.span()=> : #ty)));
        let literal = !Find::in_expr(value, |e| matches!(e, syn::Expr::Path(_) | syn::Expr::Cast(_)));
        let set = fits.then(|| syn::parse2(quote_spanned!(name.span()=> let mut #name #ty = #value;)).ok())?;
        Some((set?, literal))
    }

    /// Whether the variable is in an index: it is a `usize` then.
    fn indexes(&self, statement: &syn::Stmt) -> bool {
        let block = syn::Block { brace_token: syn::token::Brace::default(), stmts: vec![statement.clone()] };
        Find::in_block(&block, |e| matches!(e, syn::Expr::Index(element) if mentions(&element.index, self.name)))
    }

    /// Declares the variable in the blocks of a loop or a condition.
    fn set_inside(&self, e: &mut syn::Expr) -> bool {
        let is_kept = |e: &syn::Expr| !mentions(e, self.name);
        match e {
            syn::Expr::ForLoop(f) => is_kept(&f.expr) && self.set_in(&mut f.body.stmts),
            syn::Expr::While(f) => is_kept(&f.cond) && self.set_in(&mut f.body.stmts),
            syn::Expr::Loop(f) => self.set_in(&mut f.body.stmts),
            syn::Expr::Block(block) => self.set_in(&mut block.block.stmts),
            syn::Expr::If(either) => {
                let other = either
                    .else_branch
                    .as_mut()
                    .is_none_or(|(_, other)| !mentions(other, self.name) || self.set_inside(other));
                other && is_kept(&either.cond) && self.set_in(&mut either.then_branch.stmts)
            }
            _ => false,
        }
    }
}

/// `let mut i = 0; let mut j = 0;` for `let (mut i, mut j) = (0, 0);`.
fn one_by_one(statement: &syn::Stmt) -> Option<Vec<syn::Stmt>> {
    let syn::Stmt::Local(syn::Local { attrs, pat: syn::Pat::Tuple(names), init: Some(init), .. }) = statement else {
        return None;
    };
    let syn::Expr::Tuple(values) = &*init.expr else { return None };
    let are_names = names
        .elems
        .iter()
        .all(|pattern| matches!(pattern, syn::Pat::Ident(name) if name.mutability.is_some() && name.by_ref.is_none()));
    let are_numbers = values.elems.iter().all(|value| matches!(value, syn::Expr::Lit(_)));
    let fits = are_names
        && are_numbers
        && names.elems.len() == values.elems.len()
        && attrs.is_empty()
        && init.diverge.is_none();
    let pairs = names.elems.iter().zip(&values.elems);
    fits.then(|| pairs.map(|(name, value)| syn::parse_quote_spanned!(name.span()=> let #name = #value;)).collect())
}

/// Whether an expression has the type that its variables have: no call whose result depends on where it goes.
fn has_a_type_of_its_own(e: &syn::Expr) -> bool {
    use syn::Expr as E;
    let calls = |e: &syn::Expr| match e {
        E::MethodCall(call) => call.method != "len",
        E::Call(_) | E::Macro(_) | E::Closure(_) | E::If(_) | E::Match(_) | E::Block(_) => true,
        E::Cast(cast) => matches!(*cast.ty, syn::Type::Infer(_)),
        _ => false,
    };
    !Find::in_expr(e, calls)
}
