//! Iterators that have a name: `let chunks = x.chunks_exact(8); for c in chunks` becomes `for c in x.chunks_exact(8)`.

use super::meaning::Given;
use super::tokens::{bare, mentions};
use std::collections::{HashMap, HashSet};
use syn::visit::Visit;
use syn::visit_mut::{VisitMut, visit_expr_for_loop_mut};

/// Methods that make an iterator over a slice, and those that adapt one.
const MAKE: [&str; 4] = ["iter", "chunks", "chunks_exact", "windows"];
const ADAPT: [&str; 8] = ["chunks", "copied", "cloned", "enumerate", "zip", "rev", "skip", "take"];

/// Puts iterators in place of their names at the beginnings of headers, where what they mention means the same.
pub fn unname_iterators(signature: &syn::Signature, block: &mut syn::Block) {
    let (all, before) = (Given::all(signature, block), Given::before(signature, block));
    let mut found = Found { all, before, iterators: HashMap::new(), changing: HashSet::new() };
    found.visit_block(block);
    let Found { mut iterators, changing, .. } = found;
    // Where a number in it changes between its name and the loop, it is another one.
    iterators.retain(|_, made| changing.iter().all(|name| !mentions(made, name)));
    let mut put = Put { iterators: &iterators, used: HashSet::new() };
    put.visit_block_mut(block);
    for name in put.used {
        let declares = |statement: &syn::Stmt| declared(statement).is_some_and(|(found, _)| *found == name);
        let others = block.stmts.iter().filter(|statement| !declares(statement));
        if others.clone().count() < block.stmts.len() && others.clone().all(|statement| !mentions(statement, &name)) {
            block.stmts.retain(|statement| !declares(statement));
        }
    }
}

/// The name and the value of `let name = value;`.
fn declared(statement: &syn::Stmt) -> Option<(&syn::Ident, &syn::Expr)> {
    let syn::Stmt::Local(syn::Local { pat: syn::Pat::Ident(name), init: Some(init), .. }) = statement else {
        return None;
    };
    let plain = name.mutability.is_none() && name.by_ref.is_none() && name.subpat.is_none() && init.diverge.is_none();
    plain.then_some((&name.ident, &*init.expr))
}

struct Found {
    all: Given,
    /// The names that are given so far.
    before: Given,
    iterators: HashMap<String, syn::Expr>,
    /// Variables that may change.
    changing: HashSet<String>,
}

impl Found {
    fn is_settled(&self, e: &syn::Expr) -> bool {
        let name = match bare(e) {
            syn::Expr::Path(path) => path.path.get_ident(),
            _ => None,
        };
        name.is_some_and(|name| self.before.settles(&name.to_string(), &self.all))
    }

    /// Whether an expression is an iterator over slices, of numbers that are the same wherever it stands.
    fn is_iterator(&self, e: &syn::Expr) -> bool {
        let syn::Expr::MethodCall(call) = bare(e) else { return false };
        let method = call.method.to_string();
        let number = |e: &syn::Expr| matches!(bare(e), syn::Expr::Lit(_)) || self.is_settled(e);
        let of_slice = self.is_settled(&call.receiver);
        if of_slice && MAKE.contains(&method.as_str()) {
            return call.args.iter().all(number);
        }
        ADAPT.contains(&method.as_str())
            && self.is_iterator(&call.receiver)
            && call.args.iter().all(|argument| number(argument) && method != "zip" || self.is_iterator(argument))
    }
}

impl<'ast> Visit<'ast> for Found {
    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        if let Some((name, made)) = declared(statement)
            && self.is_iterator(made)
        {
            self.iterators.insert(name.to_string(), made.clone());
        }
        syn::visit::visit_stmt(self, statement);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.before.0.insert(pattern.ident.to_string());
        if pattern.mutability.is_some() {
            self.changing.insert(pattern.ident.to_string());
        }
        syn::visit::visit_pat_ident(self, pattern);
    }
}

struct Put<'a> {
    iterators: &'a HashMap<String, syn::Expr>,
    used: HashSet<String>,
}

impl Put<'_> {
    fn header(&mut self, e: &mut syn::Expr) {
        match e {
            syn::Expr::Paren(inner) => self.header(&mut inner.expr),
            syn::Expr::MethodCall(call) => {
                if call.method == "zip" {
                    call.args.iter_mut().for_each(|other| self.header(other));
                }
                self.header(&mut call.receiver);
            }
            syn::Expr::Path(path) => {
                let name = path.path.get_ident().map(ToString::to_string).unwrap_or_default();
                if let Some(made) = self.iterators.get(&name) {
                    *e = made.clone();
                    self.used.insert(name);
                }
            }
            _ => {}
        }
    }
}

impl VisitMut for Put<'_> {
    fn visit_expr_for_loop_mut(&mut self, f: &mut syn::ExprForLoop) {
        self.header(&mut f.expr);
        visit_expr_for_loop_mut(self, f);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
