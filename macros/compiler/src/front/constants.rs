//! Names that stand for one integer: `let m = 2 * 3;`, `const N: usize = 64;`.

use super::tokens::{declaration, name_of};
use crate::ir::Local;
use crate::language::types;
use crate::maps::{HashMap, New as _};
use quote::ToTokens;
use syn::visit::Visit;

/// The values of the names that a function declares.
pub fn constants(block: &syn::Block) -> HashMap<Local, i64> {
    let mut found = Found(Vec::new());
    found.visit_block(block);
    let mut known = HashMap::new();
    // A constant may be computed from a later one.
    loop {
        let before = known.len();
        for (name, value) in &found.0 {
            if let Some(value) = evaluated(value, &known) {
                known.insert(*name, value);
            }
        }
        if known.len() == before {
            return known;
        }
    }
}

struct Found<'ast>(Vec<(Local, &'ast syn::Expr)>);

impl<'ast> Visit<'ast> for Found<'ast> {
    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        self.0.extend(match statement {
            syn::Stmt::Item(syn::Item::Const(item)) => Some((Local::from(&item.ident), &*item.expr)),
            _ => declaration(statement).map(|(name, value)| (Local::from(name), value)),
        });
        syn::visit::visit_stmt(self, statement);
    }

    // Name resolution leaves the variables of items such as `impl` as they are.
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// The value of an integer expression of literals and known names.
fn evaluated(e: &syn::Expr, known: &HashMap<Local, i64>) -> Option<i64> {
    match e {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => number.base10_parse().ok(),
        syn::Expr::Paren(inner) => evaluated(&inner.expr, known),
        syn::Expr::Group(inner) => evaluated(&inner.expr, known),
        syn::Expr::Path(_) => known.get(&Local::from(name_of(e)?)).copied(),
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => evaluated(expr, known)?.checked_neg(),
        // If the type cannot hold the value, the result is another one.
        syn::Expr::Cast(cast) => {
            let largest = types::largest(&cast.ty.to_token_stream().to_string())?;
            evaluated(&cast.expr, known).filter(|value| (0..=largest).contains(value))
        }
        syn::Expr::Binary(binary) => {
            let (a, b) = (evaluated(&binary.left, known)?, evaluated(&binary.right, known)?);
            match binary.op {
                syn::BinOp::Add(_) => a.checked_add(b),
                syn::BinOp::Sub(_) => a.checked_sub(b),
                syn::BinOp::Mul(_) => a.checked_mul(b),
                syn::BinOp::Div(_) => a.checked_div(b),
                syn::BinOp::Rem(_) => a.checked_rem(b),
                syn::BinOp::Shl(_) if (0..40).contains(&b) => a.checked_mul(1 << b),
                syn::BinOp::Shr(_) if (0..40).contains(&b) && a >= 0 => Some(a >> b),
                _ => None,
            }
        }
        _ => None,
    }
}
