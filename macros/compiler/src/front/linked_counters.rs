//! Counters that move through another variable: `k = j + 1; ..; j = k + 1;` moves `j` by two in each iteration.

use super::counters::{Changes, is_kept, set_to};
use super::parameters::slices;
use super::tokens::{bare, name_of};
use crate::ir::Local;
use crate::maps::HashMap;
use proc_macro2::Ident;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

/// Writes `j += 1 + 1;` in place of `j = k + 1;`.
pub fn step_directly(signature: &syn::Signature, block: &mut syn::Block) {
    let slices = slices(signature).map(|slice| (slice.name, slice.mutable)).collect();
    Directly { slices: &slices }.visit_block_mut(block);
}

struct Directly<'a> {
    slices: &'a HashMap<Local, bool>,
}

impl VisitMut for Directly<'_> {
    fn visit_expr_for_loop_mut(&mut self, f: &mut syn::ExprForLoop) {
        syn::visit_mut::visit_expr_for_loop_mut(self, f);
        let mut changes = Changes::default();
        changes.visit_pat(&f.pat);
        changes.visit_block(&f.body);
        if changes.leaves {
            return;
        }
        let sets = |name: &Ident| changes.changed.iter().filter(|other| **other == Local::from(name)).count();
        for at in 1..f.body.stmts.len() {
            let Some((counter, through, second)) = sum(&f.body.stmts[at]) else { continue };
            let first = f.body.stmts[..at].iter().find_map(|statement| {
                let (name, from, first) = sum(statement)?;
                let assigns = usize::from(matches!(statement, syn::Stmt::Expr(..)));
                (name == through && from == counter && sets(name) == assigns).then_some(first)
            });
            let Some(first) = first else { continue };
            let kept = [first, second].iter().all(|step| is_kept(step, &changes, self.slices));
            let own = !changes.bound.contains(&Local::from(counter)) && counter != through;
            if kept && own && sets(counter) == 1 {
                let here = f.body.stmts[at].span();
                f.body.stmts[at] = syn::parse_quote_spanned!(here=> #counter += #first + #second;);
            }
        }
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// `k`, `j` and `e` of `k = j + e` and `let k = j + e`.
fn sum(statement: &syn::Stmt) -> Option<(&Ident, &Ident, &syn::Expr)> {
    let (name, value) = set_to(statement)?;
    let syn::Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::Add(_), right, .. }) = bare(value) else {
        return None;
    };
    match (name_of(left), name_of(right)) {
        (Some(other), _) if name_of(left) != Some(name) => Some((name, other, right)),
        (None, Some(other)) => Some((name, other, left)),
        _ => None,
    }
}
