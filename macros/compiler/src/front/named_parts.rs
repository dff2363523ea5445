//! Parts of written slices that get names before the loops: `let out = &mut out[a..b];` splits the slice twice.

use super::tokens::{bare, declaration, name_of};
use crate::ir::Local;
use crate::maps::HashSet;
use proc_macro2::Ident;
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;

/// Splits slices in place of borrowing parts of them, outside of loops.
pub fn split_parts(block: &mut syn::Block, slices: &HashSet<Local>) {
    Split { slices: slices.clone(), number: 0 }.visit_block_mut(block);
}

struct Split {
    /// The slices, and the parts of them that have names.
    slices: HashSet<Local>,
    number: usize,
}

impl Split {
    fn statements(&mut self, statement: &syn::Stmt) -> Option<Vec<syn::Stmt>> {
        let (name, value) = declaration(statement)?;
        let syn::Expr::Reference(syn::ExprReference { mutability: Some(_), expr, .. }) = bare(value) else {
            return None;
        };
        let syn::Expr::Index(part) = bare(expr) else { return None };
        let (slice, syn::Expr::Range(range)) = (name_of(&part.expr)?, bare(&part.index)) else { return None };
        let whole = range.start.is_none() && range.end.is_none();
        if whole || !self.slices.contains(&Local::from(slice)) {
            return None;
        }
        self.slices.insert(Local::from(name));
        self.number += 1;
        let at = value.span();
        let new = |what: &str| format_ident!("__{what}_of_{name}_{}", self.number, span = at);
        let held = |what: &str, end: &Option<Box<syn::Expr>>| end.as_ref().map(|end| (new(what), (**end).clone()));
        let (from, to) = (held("start", &range.start), held("end", &range.end));
        let declared = from.iter().chain(&to).map(|(end, value)| quote_spanned!(at=> let #end = #value;));
        let (limits, first, last) = (&range.limits, from.iter().map(|(from, _)| from), to.iter().map(|(to, _)| to));
        // It panics as the index does.
        let end = new("length");
        let mut statements = quote_spanned!(at=>
            #(#declared)*
            let #end = ::forall::__private::part_of(#slice.len(), #(#first)* #limits #(#last)*);
        );
        let (mut rest, back): (Ident, _) = (slice.clone(), new("back"));
        if to.is_some() {
            let front = if from.is_some() { new("rest") } else { name.clone() };
            statements.extend(quote_spanned!(at=> let (#front, #back) = #rest.split_at_mut(#end);));
            rest = front;
        }
        if let Some((from, _)) = from {
            let front = new("front");
            statements.extend(quote_spanned!(at=> let (#front, #name) = #rest.split_at_mut(#from);));
        }
        let block: syn::Block = syn::parse2(quote_spanned!(at=> { #statements })).ok()?;
        Some(block.stmts)
    }
}

impl VisitMut for Split {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let mut statements = Vec::new();
        for mut statement in std::mem::take(&mut block.stmts) {
            match self.statements(&statement) {
                Some(split) => statements.extend(split),
                None => {
                    self.visit_stmt_mut(&mut statement);
                    statements.push(statement);
                }
            }
        }
        block.stmts = statements;
    }

    fn visit_expr_for_loop_mut(&mut self, _: &mut syn::ExprForLoop) {}

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
