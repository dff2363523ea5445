//! Names that stand for one integer, which is written in the function: `let m = 2 * 3;`, `const N: usize = 64;`.

use super::tokens::names_in;
use crate::language::types;
use crate::resolve::arguments::MacroArguments;
use quote::ToTokens;
use std::collections::{HashMap, HashSet};
use syn::visit::Visit;

/// The values of these names.
pub fn constants(block: &syn::Block) -> HashMap<String, i64> {
    let mut found = Found { whole: mentions(block), values: Vec::new(), at_risk: HashSet::new() };
    found.visit_block(block);
    let settled = |name: &String| !found.at_risk.contains(name);
    let mut known = HashMap::new();
    // A constant may stand before those that it is computed from.
    loop {
        let before = known.len();
        for (name, value) in found.values.iter().filter(|(name, _)| settled(name)) {
            if let Some(value) = evaluated(value, &known) {
                known.insert(name.clone(), value);
            }
        }
        if known.len() == before {
            return known;
        }
    }
}

/// How often each name is mentioned.
fn mentions(tokens: &impl ToTokens) -> HashMap<String, usize> {
    let (mut names, mut counts) = (Vec::new(), HashMap::new());
    names_in(tokens.to_token_stream(), &mut names);
    names.into_iter().for_each(|(name, _)| *counts.entry(name).or_default() += 1);
    counts
}

/// What names are set to that are mentioned nowhere but where this is seen, and those that a macro may give another meaning.
struct Found<'ast> {
    whole: HashMap<String, usize>,
    values: Vec<(String, &'ast syn::Expr)>,
    at_risk: HashSet<String>,
}

impl<'ast> Found<'ast> {
    fn add(&mut self, name: &syn::Ident, value: &'ast syn::Expr, seen_in: &[syn::Stmt]) {
        let name = name.to_string();
        let seen: usize = seen_in.iter().filter_map(|statement| mentions(statement).get(&name).copied()).sum();
        if self.whole.get(&name) == Some(&seen) {
            self.values.push((name, value));
        }
    }
}

impl<'ast> Visit<'ast> for Found<'ast> {
    fn visit_block(&mut self, block: &'ast syn::Block) {
        for (number, statement) in block.stmts.iter().enumerate() {
            match statement {
                syn::Stmt::Local(local) => {
                    let pattern = match &local.pat {
                        syn::Pat::Type(typed) => &typed.pat,
                        pattern => pattern,
                    };
                    if let (syn::Pat::Ident(name), Some(syn::LocalInit { expr, diverge: None, .. })) =
                        (pattern, &local.init)
                        && name.mutability.is_none()
                        && name.by_ref.is_none()
                        && name.subpat.is_none()
                    {
                        self.add(&name.ident, expr, &block.stmts[number..]);
                    }
                }
                syn::Stmt::Item(syn::Item::Const(item)) => self.add(&item.ident, &item.expr, &block.stmts),
                _ => {}
            }
        }
        syn::visit::visit_block(self, block);
    }

    // What is inside of a function is another function's.
    fn visit_item_fn(&mut self, _: &'ast syn::ItemFn) {}

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        if !MacroArguments::are_known(mac) {
            let mut names = Vec::new();
            names_in(mac.tokens.clone(), &mut names);
            self.at_risk.extend(names.into_iter().map(|(name, _)| name));
        }
    }
}

/// The value of an integer expression of literals and known names.
fn evaluated(e: &syn::Expr, known: &HashMap<String, i64>) -> Option<i64> {
    match e {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => number.base10_parse().ok(),
        syn::Expr::Paren(inner) => evaluated(&inner.expr, known),
        syn::Expr::Group(inner) => evaluated(&inner.expr, known),
        syn::Expr::Path(path) => known.get(&path.path.get_ident()?.to_string()).copied(),
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => evaluated(expr, known)?.checked_neg(),
        // Where the type cannot hold the value, it is another one.
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
