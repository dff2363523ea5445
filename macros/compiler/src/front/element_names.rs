//! Names of elements in loops that accumulate: after `let s = &mut sums[k];`, `s[d] += v` is `sums[k][d] += v`. A variable holds the
//! index, because its variables may change while the name is in use.

use super::attribute::Attribute;
use super::parameters::slices;
use super::tokens::{bare, declaration, mentions, name_of};
use crate::ir::Local;
use crate::ir::text::shown_tokens;
use crate::language::methods;
use crate::maps::HashSet;
use proc_macro2::Ident;
use quote::{ToTokens, format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

/// Puts elements in place of their names. The result has each variable for an index, with the index, for messages.
pub fn use_elements(signature: &syn::Signature, block: &mut syn::Block, attribute: Attribute) -> Vec<(String, String)> {
    let accumulates = matches!(attribute, Attribute::KaryReduce | Attribute::ForeachTls);
    let written = slices(signature).filter(|slice| slice.mutable && (accumulates || slice.marked));
    let mut arrays = Arrays(written.map(|slice| slice.name).collect());
    if accumulates {
        arrays.visit_block(block);
    }
    let mut elements = Elements { arrays: arrays.0, in_loop: false, names: Vec::new() };
    elements.visit_block_mut(block);
    elements.names
}

/// The variables that a function declares outside of loops.
struct Arrays(HashSet<Local>);

impl<'ast> Visit<'ast> for Arrays {
    fn visit_pat_ident(&mut self, name: &'ast syn::PatIdent) {
        if name.by_ref.is_none() {
            self.0.insert(Local::from(&name.ident));
        }
    }

    fn visit_expr_for_loop(&mut self, _: &'ast syn::ExprForLoop) {}

    fn visit_expr_while(&mut self, _: &'ast syn::ExprWhile) {}

    fn visit_expr_loop(&mut self, _: &'ast syn::ExprLoop) {}

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// An element with a name.
struct Named<'s> {
    name: &'s Ident,
    /// The element, with variables as indices.
    element: syn::Expr,
    /// These variables, with their values.
    indices: Vec<(Ident, syn::Expr)>,
}

struct Elements {
    arrays: HashSet<Local>,
    in_loop: bool,
    names: Vec<(String, String)>,
}

impl Elements {
    /// `let (s, n) = (&mut sums[k], &mut counts[k]);` as one declaration for each name.
    fn apart(&self, statement: syn::Stmt) -> Vec<syn::Stmt> {
        if let syn::Stmt::Local(syn::Local { pat: syn::Pat::Tuple(names), init: Some(init), .. }) = &statement
            && let syn::Expr::Tuple(values) = bare(&init.expr)
            && names.elems.len() == values.elems.len()
            && init.diverge.is_none()
        {
            let each = names.elems.iter().zip(&values.elems);
            let declared: Vec<syn::Stmt> =
                each.map(|(name, value)| syn::parse_quote_spanned!(value.span()=> let #name = #value;)).collect();
            if declared.iter().all(|statement| self.element(statement).is_some()) {
                return declared;
            }
        }
        vec![statement]
    }

    /// The element that a statement gives a name. With a type, the name may be a pointer, or have other methods.
    fn element<'s>(&self, statement: &'s syn::Stmt) -> Option<Named<'s>> {
        let (name, value) = declaration(statement)?;
        if matches!(statement, syn::Stmt::Local(syn::Local { pat: syn::Pat::Type(_), .. })) {
            return None;
        }
        let syn::Expr::Reference(syn::ExprReference { mutability: Some(_), expr, .. }) = bare(value) else {
            return None;
        };
        let (mut element, mut indices) = (bare(expr).clone(), Vec::new());
        self.hold(&mut element, &mut indices)?;
        (!indices.is_empty()).then_some(Named { name, element, indices })
    }

    /// The variables of the indices and the rest of the block, with the element in place of its name.
    fn used(&mut self, statement: &syn::Stmt, rest: &[syn::Stmt]) -> Option<(Vec<syn::Stmt>, Vec<syn::Stmt>)> {
        let Named { name, element, indices } = self.element(statement)?;
        let mut put = Put { name, element: &element, count: 0, alone: false };
        let mut rest = rest.to_vec();
        rest.iter_mut().for_each(|statement| put.visit_stmt_mut(statement));
        if put.alone || put.count == 0 {
            return None;
        }
        let held = indices.into_iter().map(|(variable, index)| {
            self.names.push((variable.to_string(), shown_tokens(&index.to_token_stream())));
            syn::parse2(quote_spanned!(index.span()=> let #variable = #index;))
        });
        Some((held.collect::<Result<_, _>>().ok()?, rest))
    }

    /// Puts variables in place of the indices of an element of one of the arrays.
    fn hold(&self, element: &mut syn::Expr, indices: &mut Vec<(Ident, syn::Expr)>) -> Option<()> {
        match element {
            syn::Expr::Paren(inner) => self.hold(&mut inner.expr, indices),
            syn::Expr::Field(field) => self.hold(&mut field.base, indices),
            syn::Expr::Index(part) => {
                self.hold(&mut part.expr, indices)?;
                if matches!(bare(&part.index), syn::Expr::Range(_)) {
                    return None;
                }
                let number = self.names.len() + indices.len();
                let variable = format_ident!("__place_{number}", span = part.index.span());
                let index = std::mem::replace(&mut *part.index, syn::parse_quote!(#variable));
                indices.push((variable, index));
                Some(())
            }
            name => self.arrays.contains(&Local::from(name_of(name)?)).then_some(()),
        }
    }

    fn in_loop(&mut self, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.in_loop, true);
        visit(self);
        self.in_loop = before;
    }
}

impl VisitMut for Elements {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        if self.in_loop {
            let statements = std::mem::take(&mut block.stmts).into_iter();
            block.stmts = statements.flat_map(|statement| self.apart(statement)).collect();
        }
        let mut at = 0;
        while at < block.stmts.len() && self.in_loop {
            let (before, rest) = block.stmts.split_at(at + 1);
            match self.used(&before[at], rest) {
                Some((held, rest)) => {
                    block.stmts.truncate(at);
                    at += held.len();
                    block.stmts.extend(held);
                    block.stmts.extend(rest);
                }
                None => at += 1,
            }
        }
        syn::visit_mut::visit_block_mut(self, block);
    }

    fn visit_expr_for_loop_mut(&mut self, f: &mut syn::ExprForLoop) {
        self.in_loop(|elements| elements.visit_block_mut(&mut f.body));
    }

    fn visit_expr_while_mut(&mut self, of: &mut syn::ExprWhile) {
        self.in_loop(|elements| elements.visit_block_mut(&mut of.body));
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, _: &mut syn::Macro) {}
}

/// Puts an element in place of its name, where code goes through the reference.
struct Put<'a> {
    name: &'a Ident,
    element: &'a syn::Expr,
    count: usize,
    /// Whether the reference stands alone: another variable may hold it, a function get it, or a trait have a method of it.
    alone: bool,
}

impl Put<'_> {
    fn at(&mut self, place: &mut syn::Expr) {
        if name_of(place) == Some(self.name) {
            self.count += 1;
            *place = self.element.clone();
        }
    }
}

impl VisitMut for Put<'_> {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        match e {
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. })
                if name_of(expr) == Some(self.name) =>
            {
                self.count += 1;
                *e = self.element.clone();
                return;
            }
            syn::Expr::Index(part) => self.at(&mut part.expr),
            syn::Expr::Field(field) => self.at(&mut field.base),
            // std's method of the reference comes first.
            syn::Expr::MethodCall(call) if methods::pushes(&call.method.to_string()) => self.at(&mut call.receiver),
            _ => {}
        }
        self.alone |= name_of(e) == Some(self.name);
        syn::visit_mut::visit_expr_mut(self, e);
    }

    fn visit_macro_mut(&mut self, of: &mut syn::Macro) {
        self.alone |= mentions(&of.tokens, self.name);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
