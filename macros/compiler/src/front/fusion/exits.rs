//! How iterations of a loop end.

use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, Lifetime};

/// Refuses iterations that end the loop, or a loop around it.
pub(super) fn refuse(body: &Block) -> Result<(), String> {
    let mut find = Find { labels: Vec::new(), depth: 0, leaves: false };
    find.visit_block(body);
    if find.leaves { Err("an iteration may end the loop".to_owned()) } else { Ok(()) }
}

struct Find {
    labels: Vec<String>,
    /// The number of loops around.
    depth: usize,
    leaves: bool,
}

impl Find {
    /// Visits a loop, or a block with a label.
    fn inside(&mut self, label: Option<&syn::Label>, is_loop: bool, visit: impl FnOnce(&mut Self)) {
        self.labels.extend(label.map(|label| label.name.ident.to_string()));
        self.depth += usize::from(is_loop);
        visit(self);
        self.depth -= usize::from(is_loop);
        if label.is_some() {
            self.labels.pop();
        }
    }

    fn leaves(&mut self, label: Option<&Lifetime>, is_plain: bool) {
        self.leaves |= match label {
            Some(label) => !self.labels.contains(&label.ident.to_string()),
            None => is_plain && self.depth == 0,
        };
    }
}

impl<'ast> Visit<'ast> for Find {
    fn visit_expr(&mut self, e: &'ast Expr) {
        match e {
            Expr::ForLoop(f) => {
                self.visit_expr(&f.expr);
                self.inside(f.label.as_ref(), true, |this| this.visit_block(&f.body));
            }
            Expr::While(f) => self.inside(f.label.as_ref(), true, |this| visit::visit_expr_while(this, f)),
            Expr::Loop(f) => self.inside(f.label.as_ref(), true, |this| this.visit_block(&f.body)),
            Expr::Block(f) => self.inside(f.label.as_ref(), false, |this| this.visit_block(&f.block)),
            Expr::Break(e) => {
                self.leaves(e.label.as_ref(), true);
                visit::visit_expr_break(self, e);
            }
            Expr::Continue(e) => self.leaves(e.label.as_ref(), false),
            Expr::Return(_) | Expr::Try(_) => self.leaves = true,
            // Its own `return` and `?`.
            Expr::Closure(_) => {}
            e => visit::visit_expr(self, e),
        }
    }

    fn visit_macro(&mut self, of: &'ast syn::Macro) {
        let mut names = Vec::new();
        crate::front::tokens::names_in(of.tokens.clone(), &mut names);
        let words = ["break", "continue", "return"];
        self.leaves |= names.iter().any(|(name, _)| words.contains(&&**name)) || of.tokens.to_string().contains('?');
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// Replaces each `continue` of the loop by a `break` of the block with this label. Returns whether there are any.
pub(super) fn leave_by(body: &mut Block, label: &Lifetime) -> bool {
    let mut leave = Leave { label, depth: 0, found: false };
    leave.visit_block_mut(body);
    leave.found
}

struct Leave<'l> {
    label: &'l Lifetime,
    depth: usize,
    found: bool,
}

impl VisitMut for Leave<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let is_loop = matches!(e, Expr::While(_) | Expr::Loop(_));
        if let Expr::Continue(syn::ExprContinue { label: None, .. }) = e
            && self.depth == 0
        {
            let (label, at) = (self.label, e.span());
            if let Ok(leaves) = syn::parse2(quote_spanned!(at=> break #label)) {
                *e = leaves;
                self.found = true;
            }
            return;
        }
        match e {
            Expr::Closure(_) => return,
            // `continue` in it is of the loop around.
            Expr::ForLoop(f) => {
                self.visit_expr_mut(&mut f.expr);
                self.depth += 1;
                self.visit_block_mut(&mut f.body);
                self.depth -= 1;
                return;
            }
            _ => {}
        }
        self.depth += usize::from(is_loop);
        visit_mut::visit_expr_mut(self, e);
        self.depth -= usize::from(is_loop);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
