//! The names in the user's tokens.

use crate::ir::Op;
use crate::language::methods;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::Visit;

/// The names that an item gives: a constant, a function, and what `use a::{b, c as d};` brings.
pub fn named_by(item: TokenStream) -> Vec<String> {
    fn imported(tree: &syn::UseTree, to: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => imported(&path.tree, to),
            syn::UseTree::Name(name) => to.push(name.ident.to_string()),
            syn::UseTree::Rename(name) => to.push(name.rename.to_string()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| imported(tree, to)),
            syn::UseTree::Glob(_) => {}
        }
    }
    let mut found = Vec::new();
    match syn::parse2(item) {
        Ok(syn::Item::Use(import)) => imported(&import.tree, &mut found),
        Ok(syn::Item::Const(item)) => found.push(item.ident.to_string()),
        Ok(syn::Item::Static(item)) => found.push(item.ident.to_string()),
        Ok(syn::Item::Fn(item)) => found.push(item.sig.ident.to_string()),
        Ok(syn::Item::Struct(item)) => found.push(item.ident.to_string()),
        Ok(syn::Item::Enum(item)) => found.push(item.ident.to_string()),
        Ok(syn::Item::Type(item)) => found.push(item.ident.to_string()),
        Ok(syn::Item::Trait(item)) => found.push(item.ident.to_string()),
        Ok(syn::Item::Mod(item)) => found.push(item.ident.to_string()),
        _ => {}
    }
    found
}

/// The identifiers among tokens, at any depth.
pub fn names_in(tokens: TokenStream, to: &mut Vec<(String, Span)>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => to.push((ident.to_string(), ident.span())),
            TokenTree::Group(group) => names_in(group.stream(), to),
            TokenTree::Literal(literal) => {
                let is_text = literal.to_string().starts_with(['"', 'r']);
                if is_text && let Ok(text) = syn::parse2::<syn::LitStr>(literal.to_token_stream()) {
                    names_in_format(&text.value(), &mut |name| to.push((name.to_owned(), literal.span())));
                }
            }
            TokenTree::Punct(_) => {}
        }
    }
}

/// The identifiers among tokens that may be variables: keywords are not, `self` is.
pub(super) fn receive(tokens: TokenStream, to: &mut Vec<(String, Span)>) {
    names_in(tokens, to);
    to.retain(|(name, _)| name == "self" || syn::parse_str::<syn::Ident>(name).is_ok());
}

/// Whether tokens mention a name, at any depth.
pub(super) fn mentions(tokens: &impl ToTokens, name: &Ident) -> bool {
    let mut names = Vec::new();
    names_in(tokens.to_token_stream(), &mut names);
    names.iter().any(|(found, _)| name == found)
}

/// How often tokens mention a name, at any depth.
pub(super) fn count(tokens: &(impl ToTokens + ?Sized), name: &Ident) -> usize {
    let mut names = Vec::new();
    names_in(tokens.to_token_stream(), &mut names);
    names.iter().filter(|(found, _)| name == found).count()
}

/// The names that a format string mentions: `x`, `w` and `p` of `{x:w$.p$}`.
pub(super) fn names_in_format(text: &str, to: &mut dyn FnMut(&str)) {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut name = |text: &str| {
        if text.starts_with(|c: char| word(c) && !c.is_ascii_digit()) && text.chars().all(word) {
            to(text);
        }
    };
    for part in text.replace("{{", "").split('{').skip(1) {
        let part = part.split_once('}').map_or(part, |(inside, _)| inside);
        let (value, how) = part.split_once(':').unwrap_or((part, ""));
        name(value.trim());
        for count in how.split_inclusive('$').filter_map(|how| how.strip_suffix('$')) {
            // What is before it may be the sign that fills with zeros.
            name(count.rsplit(|c| !word(c)).next().unwrap_or_default().trim_start_matches('0'));
        }
    }
}

/// An expression without the parentheses around it.
pub(super) fn bare(e: &syn::Expr) -> &syn::Expr {
    match e {
        syn::Expr::Paren(inner) => bare(&inner.expr),
        e => e,
    }
}

/// The name that an expression is.
pub(super) fn name_of(e: &syn::Expr) -> Option<&Ident> {
    match bare(e) {
        syn::Expr::Path(path) if path.qself.is_none() => path.path.get_ident(),
        _ => None,
    }
}

/// The variable of a place that is a name or a field.
pub(super) fn root(place: &syn::Expr) -> Option<&Ident> {
    match place {
        syn::Expr::Field(field) => root(&field.base),
        syn::Expr::Paren(inner) => root(&inner.expr),
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => root(expr),
        place => name_of(place),
    }
}

/// The variable that an expression is, or the field of one, without parentheses around it.
pub(super) fn place_in(e: &syn::Expr) -> Option<&syn::Expr> {
    match bare(e) {
        syn::Expr::Field(field) => place_in(&field.base).map(|_| bare(e)),
        name => name_of(name).map(|_| name),
    }
}

/// The name and the value of `let name = value;`.
pub(super) fn declaration(statement: &syn::Stmt) -> Option<(&Ident, &syn::Expr)> {
    let syn::Stmt::Local(syn::Local { pat, init: Some(syn::LocalInit { expr, diverge: None, .. }), .. }) = statement
    else {
        return None;
    };
    let pattern = match pat {
        syn::Pat::Type(typed) => &*typed.pat,
        pattern => pattern,
    };
    match pattern {
        syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) => {
            Some((ident, expr))
        }
        _ => None,
    }
}

/// Whether an expression has the same value as long as its variables have.
pub(super) fn is_stable(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Path(_) | syn::Expr::Lit(_) => true,
        syn::Expr::Paren(inner) => is_stable(&inner.expr),
        syn::Expr::Cast(cast) => is_stable(&cast.expr),
        syn::Expr::Field(field) => is_stable(&field.base),
        syn::Expr::Unary(unary) => is_stable(&unary.expr),
        syn::Expr::Binary(binary) => is_stable(&binary.left) && is_stable(&binary.right),
        syn::Expr::MethodCall(call) => {
            let pure = matches!(call.method.to_string().as_str(), "len" | "min" | "max" | "saturating_sub");
            pure && is_stable(&call.receiver) && call.args.iter().all(is_stable)
        }
        // As the compiler writes them: an absolute path is never one of the user's.
        syn::Expr::Call(call) => {
            let of_core = |path: &syn::ExprPath| {
                let mut names = path.path.segments.iter().map(|segment| &segment.ident);
                path.path.leading_colon.is_some()
                    && names.next().is_some_and(|name| name == "core")
                    && names.next().is_some_and(|name| name == "cmp")
                    && names.next().is_some_and(|name| name == "min" || name == "max")
            };
            matches!(&*call.func, syn::Expr::Path(path) if of_core(path)) && call.args.iter().all(is_stable)
        }
        _ => false,
    }
}

/// The operator, and whether it assigns.
pub(super) fn op(op: &syn::BinOp) -> Option<(Op, bool)> {
    use syn::BinOp as B;
    Some(match op {
        B::Add(_) => (Op::Add, false),
        B::Sub(_) => (Op::Sub, false),
        B::Mul(_) => (Op::Mul, false),
        B::Div(_) => (Op::Div, false),
        B::Rem(_) => (Op::Rem, false),
        B::And(_) => (Op::AndAnd, false),
        B::Or(_) => (Op::OrOr, false),
        B::BitXor(_) => (Op::Xor, false),
        B::BitAnd(_) => (Op::And, false),
        B::BitOr(_) => (Op::Or, false),
        B::Shl(_) => (Op::Shl, false),
        B::Shr(_) => (Op::Shr, false),
        B::Eq(_) => (Op::Eq, false),
        B::Lt(_) => (Op::Lt, false),
        B::Le(_) => (Op::Le, false),
        B::Ne(_) => (Op::Ne, false),
        B::Ge(_) => (Op::Ge, false),
        B::Gt(_) => (Op::Gt, false),
        B::AddAssign(_) => (Op::Add, true),
        B::SubAssign(_) => (Op::Sub, true),
        B::MulAssign(_) => (Op::Mul, true),
        B::DivAssign(_) => (Op::Div, true),
        B::RemAssign(_) => (Op::Rem, true),
        B::BitXorAssign(_) => (Op::Xor, true),
        B::BitAndAssign(_) => (Op::And, true),
        B::BitOrAssign(_) => (Op::Or, true),
        B::ShlAssign(_) => (Op::Shl, true),
        B::ShrAssign(_) => (Op::Shr, true),
        _ => return None,
    })
}

pub(super) fn assigns(binary: &syn::ExprBinary) -> bool {
    op(&binary.op).is_some_and(|(_, assigns)| assigns)
}

/// The place that an expression changes or may change: `x` of `x = 1`, `x += 1`, `&mut x` and `x.push(1)`.
pub(super) fn changed(e: &syn::Expr) -> Option<&syn::Expr> {
    match e {
        syn::Expr::Assign(assign) => Some(&assign.left),
        syn::Expr::Binary(binary) => assigns(binary).then_some(&*binary.left),
        syn::Expr::Reference(reference) => reference.mutability.is_some().then_some(&*reference.expr),
        syn::Expr::MethodCall(call) => (!methods::only_reads(&call.method.to_string())).then_some(&*call.receiver),
        _ => None,
    }
}

/// Finds an expression in code that is visited, other than the arguments of macros.
pub(super) struct Find<F> {
    fits: F,
    found: bool,
}

impl<F: Fn(&syn::Expr) -> bool> Find<F> {
    pub fn in_expr(e: &syn::Expr, fits: F) -> bool {
        let mut find = Find { fits, found: false };
        find.visit_expr(e);
        find.found
    }

    pub fn in_block(block: &syn::Block, fits: F) -> bool {
        let mut find = Find { fits, found: false };
        find.visit_block(block);
        find.found
    }
}

impl<'ast, F: Fn(&syn::Expr) -> bool> Visit<'ast> for Find<F> {
    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        self.found |= (self.fits)(e);
        syn::visit::visit_expr(self, e);
    }
}
