//! The index of the best element: `if x[i] > x[b] { b = i; }` compares with an element that the loop has found. It is
//! `if x[i] > held { held = x[i]; b = i; }`, with `held = x[b]` before the loop.

use super::parameters::slices;
use super::tokens::{bare, count, mentions, name_of};
use crate::ir::Local;
use crate::language::types;
use crate::maps::HashSet;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

/// Holds elements that are found by their indices. The result has each new name with that of the element, for messages.
pub fn hold_best_elements(signature: &syn::Signature, block: &mut syn::Block) -> Vec<(String, String)> {
    let numbers = slices(signature)
        .filter(|slice| !slice.mutable && types::is_primitive(&slice.element.to_token_stream().to_string()))
        .map(|slice| slice.name);
    let mut hold = Hold { arrays: numbers.collect(), names: Vec::new() };
    hold.visit_block_mut(block);
    hold.names
}

struct Hold {
    /// The parameters that are shared slices of numbers.
    arrays: HashSet<Local>,
    names: Vec<(String, String)>,
}

/// The assignments of the loop variable, and the elements at an index that is a variable.
#[derive(Default)]
struct Uses {
    /// `b` of `b = i`.
    set: Vec<Ident>,
    /// `x` and `b` of `x[b]`.
    elements: Vec<(Ident, Ident)>,
}

/// Finds uses in a loop over this variable.
struct Find<'a> {
    variable: &'a Ident,
    uses: Uses,
}

impl<'ast> Visit<'ast> for Find<'_> {
    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        match e {
            syn::Expr::Assign(assign) => {
                let is_variable = name_of(&assign.right).is_some_and(|name| name == self.variable);
                self.uses.set.extend(name_of(&assign.left).filter(|_| is_variable).cloned());
            }
            syn::Expr::Index(element) => {
                if let (Some(array), Some(index)) = (name_of(&element.expr), name_of(&element.index)) {
                    self.uses.elements.push((array.clone(), index.clone()));
                }
            }
            _ => {}
        }
        syn::visit::visit_expr(self, e);
    }
}

/// Whether an end of a range may be computed twice.
fn is_plain(e: &syn::Expr) -> bool {
    match bare(e) {
        syn::Expr::Lit(_) | syn::Expr::Path(_) => true,
        syn::Expr::Field(field) => is_plain(&field.base),
        syn::Expr::Binary(binary) => is_plain(&binary.left) && is_plain(&binary.right),
        syn::Expr::MethodCall(call) => {
            let plain = ["len", "min", "max", "saturating_sub"].iter().any(|name| call.method == name);
            plain && is_plain(&call.receiver) && call.args.iter().all(is_plain)
        }
        _ => false,
    }
}

impl Hold {
    /// The loop with held elements, and the range that it goes over.
    fn held(&mut self, f: &syn::ExprForLoop) -> Option<syn::Stmt> {
        let (syn::Pat::Ident(syn::PatIdent { ident: variable, mutability: None, .. }), syn::Expr::Range(range)) =
            (&*f.pat, bare(&f.expr))
        else {
            return None;
        };
        let (Some(start), Some(end), syn::RangeLimits::HalfOpen(_)) = (&range.start, &range.end, &range.limits) else {
            return None;
        };
        let mut find = Find { variable, uses: Uses::default() };
        find.visit_block(&f.body);
        let Uses { set, elements } = find.uses;
        if set.is_empty() || elements.is_empty() || !is_plain(start) || !is_plain(end) {
            return None;
        }
        let (mut f, at) = (f.clone(), f.for_token.span);
        let mut before = TokenStream::new();
        for index in &set {
            let Some((array, _)) = elements.iter().find(|(_, at)| at == index) else { continue };
            let all = elements.iter().filter(|(of, at)| at == index && of == array).count();
            // Each mention is the one assignment or such an element.
            let fits = self.arrays.contains(&Local::from(array))
                && count(&f.body, index) == all + 1
                && !mentions(&f.expr, index);
            if !fits {
                continue;
            }
            let held = format_ident!("__held_{index}_{}", self.names.len(), span = index.span());
            self.names.push((held.to_string(), format!("{array}[{index}]")));
            Write { array, index, variable, held: &held }.visit_block_mut(&mut f.body);
            before.extend(quote_spanned!(index.span()=> let mut #held = #array[#index];));
        }
        if before.is_empty() {
            return None;
        }
        syn::parse2(quote_spanned!(at=> if #start < #end { #before #f })).ok()
    }
}

impl VisitMut for Hold {
    fn visit_stmt_mut(&mut self, statement: &mut syn::Stmt) {
        syn::visit_mut::visit_stmt_mut(self, statement);
        let syn::Stmt::Expr(syn::Expr::ForLoop(f), _) = statement else { return };
        if let Some(held) = self.held(f) {
            *statement = held;
        }
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Writes `held` for `array[index]`, and sets it where the index is set.
struct Write<'a> {
    array: &'a Ident,
    index: &'a Ident,
    variable: &'a Ident,
    held: &'a Ident,
}

impl VisitMut for Write<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let mut statements = Vec::new();
        for mut statement in std::mem::take(&mut block.stmts) {
            if let syn::Stmt::Expr(syn::Expr::Assign(assign), _) = &statement
                && name_of(&assign.left).is_some_and(|name| name == self.index)
            {
                let (held, array, variable) = (self.held, self.array, self.variable);
                statements.push(syn::parse_quote_spanned!(assign.span()=> #held = #array[#variable];));
            }
            self.visit_stmt_mut(&mut statement);
            statements.push(statement);
        }
        block.stmts = statements;
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        if let syn::Expr::Index(element) = e
            && name_of(&element.expr).is_some_and(|name| name == self.array)
            && name_of(&element.index).is_some_and(|name| name == self.index)
        {
            let held = Ident::new(&self.held.to_string(), element.span());
            *e = syn::parse_quote!(#held);
            return;
        }
        syn::visit_mut::visit_expr_mut(self, e);
    }
}
