//! Names that a function writes and that nothing declares. rustc reports them in the function as it was written.

use super::function::Function;
use super::tokens::{assigns, bare, name_of};
use crate::ir::Local;
use crate::maps::HashMap;
use syn::visit::Visit;

/// Whether a function writes a variable that nothing declares. Safe code can write no variable from outside of the function.
pub fn writes_unknown_name(function: &Function) -> bool {
    let mut find = Find { own: &function.code.resolved.own, found: false };
    find.visit_block(&function.original.block);
    find.found
}

struct Find<'a> {
    own: &'a HashMap<Local, proc_macro2::Span>,
    found: bool,
}

impl Find<'_> {
    fn place(&mut self, e: &syn::Expr) {
        match bare(e) {
            syn::Expr::Index(syn::ExprIndex { expr: of, .. }) | syn::Expr::Field(syn::ExprField { base: of, .. }) => {
                self.place(of);
            }
            syn::Expr::Tuple(parts) => parts.elems.iter().for_each(|part| self.place(part)),
            e => {
                let unknown = |name: &&syn::Ident| {
                    let text = name.to_string();
                    text.starts_with(|c: char| c.is_ascii_lowercase())
                        && text != "self"
                        && !self.own.contains_key(&Local::from(*name))
                };
                self.found |= name_of(e).filter(unknown).is_some();
            }
        }
    }
}

impl<'ast> Visit<'ast> for Find<'_> {
    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        match e {
            syn::Expr::Assign(assign) => self.place(&assign.left),
            syn::Expr::Binary(binary) if assigns(binary) => {
                self.place(&binary.left);
            }
            // A mutable static, which other checks reject.
            syn::Expr::Unsafe(_) => return,
            _ => {}
        }
        syn::visit::visit_expr(self, e);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

#[cfg(test)]
mod tests {
    use crate::{Attribute, annotate};
    use quote::quote;

    #[test]
    fn an_unknown_name_stands_only_where_the_user_wrote_it() {
        for body in [quote!(ouy[i] = x[i];), quote!(ouy += x[i];), quote!((ouy.0, out[i]) = (x[i], x[i]);)] {
            let item = quote!(fn f(x: &[f64], out: &mut [f64]) { for i in 0..x.len() { #body } });
            let expansion = annotate(Attribute::Foreach, quote!(), item).to_string();
            assert_eq!(expansion.matches("ouy").count(), 1, "{expansion}");
            assert!(!expansion.contains("compile_error"), "{expansion}");
        }
    }

    #[test]
    fn other_names_are_written() {
        let item = quote!(
            fn f(x: &[f64], out: &mut [f64]) {
                for (i, o) in out.iter_mut().enumerate() {
                    *o = x[i];
                }
            }
        );
        assert!(annotate(Attribute::Foreach, quote!(), item).to_string().contains("Kernel"));
    }
}
