//! A closure that reads slices, `let at = |i| x[i];`, goes to the beginning of each loop that calls it. There, the analysis sees which elements
//! an iteration reads. So does one that only computes, `let at = |i, j| j * w + i;`: it captures the copies of a chunk there. Behind a
//! reference, the processor's compiler would read `w` again after each store.

use super::tokens::{Find, declaration, mentions, name_of, names_in};
use crate::ir::Local;
use crate::maps::HashSet;
use quote::ToTokens;
use syn::Ident;
use syn::visit::Visit;
use syn::visit_mut::{VisitMut, visit_expr_for_loop_mut};

/// Copies the closures of a function into its loops. A closure borrows its captured variables, so they have the same values there.
pub fn copy_closures(block: &mut syn::Block, slices: &HashSet<Local>) {
    let mut closures: Vec<syn::Stmt> = Vec::new();
    for statement in &mut block.stmts {
        match goes_into_loops(statement, slices, &closures) {
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

/// Whether a statement declares a closure that reads a slice, calls another such closure, or only computes. Without `mut`, it changes nothing
/// that it captures.
fn goes_into_loops(statement: &syn::Stmt, slices: &HashSet<Local>, closures: &[syn::Stmt]) -> bool {
    let Some((_, syn::Expr::Closure(closure))) = declaration(statement) else { return false };
    let reads = |e: &syn::Expr| match e {
        syn::Expr::Index(index) => name_of(&index.expr).is_some_and(|name| slices.contains(&Local::from(name))),
        _ => false,
    };
    let calls = |other: &syn::Stmt| declaration(other).is_some_and(|(name, _)| mentions(&closure.body, name));
    let captures = |e: &syn::Expr| name_of(e).is_some_and(|name| !binds(closure, name));
    let computes = || only_computes(&closure.body) && Find::in_expr(&closure.body, captures);
    let fits = || computes() || Find::in_expr(&closure.body, reads) || closures.iter().any(calls);
    closure.capture.is_none() && fits()
}

/// Whether a name is a parameter of a closure.
fn binds(closure: &syn::ExprClosure, name: &Ident) -> bool {
    let mut names = Vec::new();
    names_in(closure.inputs.to_token_stream(), &mut names);
    names.iter().any(|(bound, _)| name == bound)
}

/// Whether an expression is arithmetic on variables and fields.
fn only_computes(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Lit(_) => true,
        syn::Expr::Path(path) => path.path.get_ident().is_some(),
        syn::Expr::Paren(syn::ExprParen { expr, .. }) | syn::Expr::Unary(syn::ExprUnary { expr, .. }) => {
            only_computes(expr)
        }
        syn::Expr::Field(syn::ExprField { base, .. }) => only_computes(base),
        syn::Expr::Cast(cast) => only_computes(&cast.expr),
        syn::Expr::Binary(binary) => only_computes(&binary.left) && only_computes(&binary.right),
        syn::Expr::Block(syn::ExprBlock { block, label: None, .. }) => match block.stmts.as_slice() {
            [syn::Stmt::Expr(value, None)] => only_computes(value),
            _ => false,
        },
        _ => false,
    }
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
