//! A closure that reads slices, `let at = |i| x[i];`, goes to the beginning of each loop that calls it. There, the analysis sees which elements
//! an iteration reads.

use super::tokens::{Find, declaration, mentions, name_of};
use crate::ir::Local;
use crate::maps::HashSet;
use syn::Ident;
use syn::visit::Visit;
use syn::visit_mut::{VisitMut, visit_expr_for_loop_mut};

/// Copies the closures of a function into its loops. A closure borrows its captured variables, so they have the same values there.
pub fn copy_closures(block: &mut syn::Block, slices: &HashSet<Local>) {
    let mut closures: Vec<syn::Stmt> = Vec::new();
    for statement in &mut block.stmts {
        match reads_slices(statement, slices, &closures) {
            true => closures.push(statement.clone()),
            false => Insert { closures: &closures }.visit_stmt_mut(statement),
        }
    }
    // rustc could not infer the parameters' types of a closure without calls.
    for closure in closures.iter().rev() {
        let Some((name, _)) = declaration(closure) else { continue };
        let mut calls = Calls { name, found: false };
        block.stmts.iter().filter(|statement| *statement != closure).for_each(|statement| calls.visit_stmt(statement));
        if !calls.found {
            block.stmts.retain(|statement| statement != closure);
        }
    }
}

/// Whether a statement declares a closure that reads a slice, or calls another such closure. Without `mut`, it changes nothing that it captures.
fn reads_slices(statement: &syn::Stmt, slices: &HashSet<Local>, closures: &[syn::Stmt]) -> bool {
    let Some((_, syn::Expr::Closure(closure))) = declaration(statement) else { return false };
    let reads = |e: &syn::Expr| match e {
        syn::Expr::Index(index) => name_of(&index.expr).is_some_and(|name| slices.contains(&Local::from(name))),
        _ => false,
    };
    let calls = |other: &syn::Stmt| declaration(other).is_some_and(|(name, _)| mentions(&closure.body, name));
    closure.capture.is_none() && (Find::in_expr(&closure.body, reads) || closures.iter().any(calls))
}

/// Puts closures at the beginnings of the innermost loops that call them.
struct Insert<'a> {
    closures: &'a [syn::Stmt],
}

impl VisitMut for Insert<'_> {
    fn visit_expr_for_loop_mut(&mut self, f: &mut syn::ExprForLoop) {
        visit_expr_for_loop_mut(self, f);
        for closure in self.closures.iter().rev() {
            let Some((name, _)) = declaration(closure) else { continue };
            let mut calls = Calls { name, found: false };
            calls.visit_block(&f.body);
            if calls.found {
                f.body.stmts.insert(0, closure.clone());
            }
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Whether code mentions a closure outside of the loops in it, which have copies of their own.
struct Calls<'a> {
    name: &'a Ident,
    found: bool,
}

impl<'ast> Visit<'ast> for Calls<'_> {
    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        self.found |= e.path.is_ident(self.name);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.found |= mentions(called, self.name);
    }

    fn visit_expr_for_loop(&mut self, f: &'ast syn::ExprForLoop) {
        self.visit_expr(&f.expr);
    }
}
