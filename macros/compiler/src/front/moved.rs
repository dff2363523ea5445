//! Closures that read slices go into the loops that call them: `let at = |i| x[i];` before a loop is what it is at the beginning of the body,
//! where it is seen which elements an iteration reads.

use super::meaning::Given;
use super::tokens::names_in;
use quote::ToTokens;
use std::collections::HashSet;
use syn::visit::Visit;
use syn::visit_mut::{VisitMut, visit_expr_for_loop_mut};

/// Copies the closures of a function into its loops, where what they mention means the same. `slices` are the parameters that are slices.
pub fn move_closures(signature: &syn::Signature, block: &mut syn::Block, slices: &HashSet<String>) {
    let mut closures: Vec<Named> = Vec::new();
    let (all, mut before) = (Given::all(signature, block), Given::before(signature, block));
    for statement in &mut block.stmts {
        match closure(statement, slices, &closures, &|name| before.settles(name, &all)) {
            Some(closure) => closures.push(closure),
            // Those behind it are not seen yet.
            _ => Insert { closures: &closures }.visit_stmt_mut(statement),
        }
        before.visit_stmt(statement);
    }
    // One that nothing else calls would have parameters of unknown types.
    for closure in closures.iter().rev() {
        let declares = |statement: &syn::Stmt| *statement == closure.declaration;
        let mut calls = Calls { name: &closure.name, found: false };
        block.stmts.iter().filter(|statement| !declares(statement)).for_each(|statement| calls.visit_stmt(statement));
        if !calls.found {
            block.stmts.retain(|statement| !declares(statement));
        }
    }
}

/// A closure that has a name, and its declaration.
struct Named {
    name: String,
    declaration: syn::Stmt,
}

/// The closure that a statement declares, where it reads a slice and may stand elsewhere.
fn closure(
    statement: &syn::Stmt,
    slices: &HashSet<String>,
    before: &[Named],
    is_settled: &dyn Fn(&str) -> bool,
) -> Option<Named> {
    let syn::Stmt::Local(syn::Local { pat: syn::Pat::Ident(name), init: Some(init), .. }) = statement else {
        return None;
    };
    let syn::Expr::Closure(closure) = &*init.expr else { return None };
    // Without `mut`, it changes nothing that it captures.
    let plain =
        name.mutability.is_none() && name.by_ref.is_none() && name.subpat.is_none() && closure.capture.is_none();
    let mut own = Given::default();
    own.visit_expr_closure(closure);
    let mut names = Vec::new();
    names_in(closure.body.to_token_stream(), &mut names);
    let mut reads = Reads { slices, found: false };
    reads.visit_expr(&closure.body);
    let fits = names.iter().all(|(name, _)| own.0.contains(name) || is_settled(name));
    let calls = names.iter().any(|(name, _)| before.iter().any(|closure| closure.name == *name));
    (plain && fits && (reads.found || calls))
        .then(|| Named { name: name.ident.to_string(), declaration: statement.clone() })
}

/// Whether elements of a slice are read.
struct Reads<'a> {
    slices: &'a HashSet<String>,
    found: bool,
}

impl<'ast> Visit<'ast> for Reads<'_> {
    fn visit_expr_index(&mut self, e: &'ast syn::ExprIndex) {
        if let syn::Expr::Path(path) = &*e.expr {
            self.found |= path.path.get_ident().is_some_and(|name| self.slices.contains(&name.to_string()));
        }
        syn::visit::visit_expr_index(self, e);
    }
}

/// Puts closures at the beginnings of the innermost loops that call them.
struct Insert<'a> {
    closures: &'a [Named],
}

impl VisitMut for Insert<'_> {
    fn visit_expr_for_loop_mut(&mut self, f: &mut syn::ExprForLoop) {
        visit_expr_for_loop_mut(self, f);
        for closure in self.closures.iter().rev() {
            let mut calls = Calls { name: &closure.name, found: false };
            calls.visit_block(&f.body);
            if calls.found {
                f.body.stmts.insert(0, closure.declaration.clone());
            }
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Whether a block mentions a closure, but for the loops inside, which have their own.
struct Calls<'a> {
    name: &'a str,
    found: bool,
}

impl<'ast> Visit<'ast> for Calls<'_> {
    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        self.found |= e.path.is_ident(self.name);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        let mut names = Vec::new();
        names_in(called.to_token_stream(), &mut names);
        self.found |= names.iter().any(|(name, _)| name == self.name);
    }

    fn visit_expr_for_loop(&mut self, f: &'ast syn::ExprForLoop) {
        // The header is outside of the loop.
        self.visit_expr(&f.expr);
    }
}
