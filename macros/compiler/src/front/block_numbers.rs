//! The number of a block is that of the iteration: `for block in blocks.iter() { out[block.number()] = .. }` is
//! `for (number, block) in blocks.iter().enumerate() { out[number] = .. }`.

use super::fusion::blocks_in;
use super::new_names::NewNames;
use super::tokens::{bare, name_of};
use super::waves::RECEIVING;
use crate::ir::Local;
use crate::maps::HashSet;
use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::visit_mut::{VisitMut, visit_expr_for_loop_mut, visit_expr_mut};
use syn::{Block, Expr, ExprForLoop, ExprMethodCall, Pat, PatIdent, Signature, parse_quote_spanned};

/// Names the numbers of blocks in their loops. The result has each new name with the call for which it stands, for messages.
pub fn name_numbers(signature: &Signature, block: &mut Block, words: &HashSet<String>) -> Vec<(String, String)> {
    let blocks: HashSet<Local> = signature.inputs.iter().filter_map(blocks_in).collect();
    let mut numbers = Numbers { blocks, names: NewNames::beside(words) };
    if !numbers.blocks.is_empty() {
        numbers.visit_block_mut(block);
    }
    numbers.names.into_names()
}

struct Numbers {
    blocks: HashSet<Local>,
    names: NewNames,
}

impl Numbers {
    /// The variable of a loop over all blocks of one set that asks for numbers. Loops that receive go through nothing but the blocks.
    fn block_of(&self, f: &ExprForLoop) -> Option<Ident> {
        let Expr::MethodCall(call) = bare(&f.expr) else { return None };
        let blocks = name_of(&call.receiver)?;
        let Pat::Ident(PatIdent { by_ref: None, ident, subpat: None, .. }) = &*f.pat else { return None };
        let plain = (call.method == "iter" || call.method == "iter_mut") && call.args.is_empty();
        let mut calls = Calls { block: ident, numbers: false, receives: false };
        calls.visit_block(&f.body);
        (plain && self.blocks.contains(&Local::from(blocks)) && calls.numbers && !calls.receives).then(|| ident.clone())
    }
}

impl VisitMut for Numbers {
    fn visit_expr_for_loop_mut(&mut self, f: &mut ExprForLoop) {
        if let Some(block) = self.block_of(f) {
            let at = f.for_token.span;
            let number = self.names.named("number", &format!("{block}.number()"), at);
            let (pattern, source) = (&f.pat, &f.expr);
            let source = parse_quote_spanned!(at=> #source.enumerate());
            *f.pat = parse_quote_spanned!(at=> (#number, #pattern));
            *f.expr = source;
            Replace { block: &block, number: &number }.visit_block_mut(&mut f.body);
        }
        visit_expr_for_loop_mut(self, f);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Whether this is `block.method()`.
fn is_call(call: &ExprMethodCall, block: &Ident, method: &str) -> bool {
    call.method == method && call.args.is_empty() && name_of(&call.receiver) == Some(block)
}

struct Calls<'b> {
    block: &'b Ident,
    numbers: bool,
    receives: bool,
}

impl<'ast> Visit<'ast> for Calls<'_> {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.numbers |= is_call(call, self.block, "number");
        self.receives |= RECEIVING.iter().any(|method| is_call(call, self.block, method));
        visit::visit_expr_method_call(self, call);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

struct Replace<'b> {
    block: &'b Ident,
    number: &'b Ident,
}

impl VisitMut for Replace<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if let Expr::MethodCall(call) = e
            && is_call(call, self.block, "number")
        {
            let mut number = self.number.clone();
            number.set_span(call.method.span());
            *e = parse_quote_spanned!(call.method.span()=> #number);
            return;
        }
        visit_expr_mut(self, e);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
