//! Loops and expressions of a function by their positions in the source.

use super::program::Program;
use crate::ir::report::Location;
use proc_macro2::Span;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};

/// Line and column.
pub type Position = (usize, usize);

pub fn position(span: Span) -> Position {
    (span.start().line, span.start().column)
}

/// The first and the last position of code.
fn extent(code: &impl ToTokens) -> (Position, Position) {
    let location = Location::from(&code.to_token_stream());
    let end = location.end.end();
    (position(location.start), (end.line, end.column))
}

/// The `for` loops around a location, the outermost first.
pub fn loops_around(program: &Program, location: Location) -> Vec<syn::ExprForLoop> {
    struct Around(Position, Vec<syn::ExprForLoop>);
    impl<'ast> Visit<'ast> for Around {
        fn visit_expr_for_loop(&mut self, f: &'ast syn::ExprForLoop) {
            let (from, to) = extent(f);
            if from <= self.0 && self.0 < to {
                self.1.push(f.clone());
            }
            visit::visit_expr_for_loop(self, f);
        }
    }
    let mut around = Around(position(location.start), Vec::new());
    around.visit_block(&program.item.block);
    around.1
}

/// The expression that a location is, or the largest one that begins there.
pub fn expression_at(program: &Program, location: Location) -> Option<syn::Expr> {
    struct At(Position, Position, Option<syn::Expr>);
    impl<'ast> Visit<'ast> for At {
        fn visit_expr(&mut self, e: &'ast syn::Expr) {
            let (from, to) = extent(e);
            if from == self.0 && to == self.1 {
                self.2.get_or_insert_with(|| e.clone());
            }
            visit::visit_expr(self, e);
        }
    }
    let end = location.end.end();
    let mut at = At(position(location.start), (end.line, end.column), None);
    at.visit_block(&program.item.block);
    at.2
}

/// The variable that a place expression begins with.
pub fn root(e: &syn::Expr) -> Option<&syn::Ident> {
    match e {
        syn::Expr::Path(path) => path.path.get_ident(),
        syn::Expr::Index(index) => root(&index.expr),
        syn::Expr::Field(field) => root(&field.base),
        syn::Expr::MethodCall(call) => root(&call.receiver),
        syn::Expr::Paren(inner) => root(&inner.expr),
        syn::Expr::Reference(inner) => root(&inner.expr),
        syn::Expr::Unary(inner) => root(&inner.expr),
        syn::Expr::Assign(assign) => root(&assign.left),
        syn::Expr::Binary(binary) => root(&binary.left),
        _ => None,
    }
}

/// Replaces the loop at a position by what `change` makes of it. Returns whether there is one.
pub fn change_loop(
    block: &mut syn::Block,
    at: Position,
    change: &mut dyn FnMut(syn::ExprForLoop) -> Option<Vec<syn::Stmt>>,
) -> bool {
    struct Change<'c>(Position, &'c mut dyn FnMut(syn::ExprForLoop) -> Option<Vec<syn::Stmt>>, bool);
    impl VisitMut for Change<'_> {
        fn visit_block_mut(&mut self, block: &mut syn::Block) {
            let is = |s: &syn::Stmt| matches!(s, syn::Stmt::Expr(syn::Expr::ForLoop(f), _) if position(f.for_token.span) == self.0);
            if let Some(number) = block.stmts.iter().position(is)
                && let syn::Stmt::Expr(syn::Expr::ForLoop(f), _) = block.stmts[number].clone()
                && let Some(statements) = (self.1)(f)
            {
                block.stmts.splice(number..=number, statements);
                self.2 = true;
                return;
            }
            visit_mut::visit_block_mut(self, block);
        }
    }
    let mut changed = Change(at, change, false);
    changed.visit_block_mut(block);
    changed.2
}
