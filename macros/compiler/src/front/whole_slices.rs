//! Other names for whole slices: after `let y = &mut *x;`, `y` is `x`.

use super::rename::Rename;
use super::tokens::{bare, declaration, name_of};
use crate::ir::Local;
use crate::maps::HashSet;
use proc_macro2::Ident;
use syn::visit_mut::VisitMut;

/// Puts the slices in place of their other names, outside of loops.
pub fn use_slices(block: &mut syn::Block, slices: &HashSet<Local>) {
    Whole { slices }.visit_block_mut(block);
}

struct Whole<'a> {
    slices: &'a HashSet<Local>,
}

impl VisitMut for Whole<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let mut at = 0;
        while at < block.stmts.len() {
            if let Some((other, slice)) = self.named(&block.stmts[at]) {
                let mut rest: Vec<syn::Stmt> = block.stmts[at + 1..].to_vec();
                let mut rename = Rename { name: &other, to: &slice, hidden: false, changed: false };
                rest.iter_mut().for_each(|statement| rename.visit_stmt_mut(statement));
                if !rename.hidden {
                    block.stmts.splice(at.., rest);
                    continue;
                }
            }
            at += 1;
        }
        syn::visit_mut::visit_block_mut(self, block);
    }

    fn visit_expr_for_loop_mut(&mut self, _: &mut syn::ExprForLoop) {}

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

impl Whole<'_> {
    /// The name that a statement declares, and the slice that it denotes.
    fn named(&self, statement: &syn::Stmt) -> Option<(Ident, Ident)> {
        let (other, value) = declaration(statement)?;
        let slice = whole(value)?;
        self.slices.contains(&Local::from(slice)).then(|| (other.clone(), slice.clone()))
    }
}

/// `x` of `&mut *x`, `&x[..]` and `x`.
fn whole(e: &syn::Expr) -> Option<&Ident> {
    match bare(e) {
        syn::Expr::Reference(reference) => match bare(&reference.expr) {
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => name_of(expr),
            syn::Expr::Index(part) => match bare(&part.index) {
                syn::Expr::Range(syn::ExprRange { start: None, end: None, .. }) => name_of(&part.expr),
                _ => None,
            },
            _ => None,
        },
        e => name_of(e),
    }
}
