//! Loop fusion: consecutive loops over the same blocks become one loop, `for block in blocks.iter_mut() { { first } { second } }`, which loads each
//! block once.
//!
//! The result is the same if the loops share no variable that one of them changes, and if no message of the first one could reach the
//! second one. Each variable has a name of its own when this runs.

use super::parameters::argument_of;
use super::tokens::{bare, mentions, name_of, names_in};
use crate::ir::Local;
use crate::language::macros;
use crate::maps::{HashSet, New as _};
use crate::resolve::arguments::path_text;
use handles::{Uses, uses};
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::visit_mut::{VisitMut, visit_stmt_mut};
use syn::{Block, Expr, ExprForLoop, FnArg, Pat, PatIdent, Signature, Stmt, Type, parse_quote_spanned};

mod exits;
mod handles;

/// A loop over the blocks of the loop before it.
pub struct Follower {
    /// The `for` of the loop before it, or of the first one with which that one is fused.
    pub first: Span,
    pub span: Span,
    /// Why they are not fused, if they are not.
    pub apart: Option<String>,
}

/// Fuses consecutive loops over the same blocks.
pub fn fuse(signature: &Signature, block: &mut Block) -> Vec<Follower> {
    let blocks: HashSet<Local> = signature.inputs.iter().filter_map(blocks_in).collect();
    if blocks.is_empty() {
        return Vec::new();
    }
    let mut fusion = Fusion { changing: changing(signature, block, &blocks), blocks, followers: Vec::new() };
    fusion.visit_block_mut(block);
    fusion.followers
}

/// The name of a parameter that is a `Blocks<T>`.
pub(super) fn blocks_in(input: &FnArg) -> Option<Local> {
    let FnArg::Typed(syn::PatType { pat, ty, .. }) = input else { return None };
    match (&**pat, &**ty) {
        (Pat::Ident(name), Type::Reference(syn::TypeReference { elem, .. })) => {
            argument_of(elem, "Blocks").map(|_| Local::from(&name.ident))
        }
        _ => None,
    }
}

/// The variables that loops may change, as far as patterns and values show: others keep their values.
fn changing(signature: &Signature, block: &Block, blocks: &HashSet<Local>) -> HashSet<Local> {
    let mut changing = Changing { names: HashSet::new() };
    for input in &signature.inputs {
        match input {
            FnArg::Typed(typed) => changing.bound(&typed.pat, has_mut(typed.ty.to_token_stream())),
            FnArg::Receiver(receiver) if has_mut(receiver.to_token_stream()) => {
                changing.names.insert(Local::named("self"));
            }
            FnArg::Receiver(_) => {}
        }
    }
    changing.visit_block(block);
    changing.names.retain(|name| !blocks.contains(name));
    changing.names
}

/// Whether tokens have `mut`, or a method such as `iter_mut`.
fn has_mut(tokens: TokenStream) -> bool {
    let mut names = Vec::new();
    names_in(tokens, &mut names);
    names.iter().any(|(name, _)| name.ends_with("mut"))
}

struct Changing {
    names: HashSet<Local>,
}

impl Changing {
    /// The variables of a pattern, whose value may be a mutable borrow.
    fn bound(&mut self, pattern: &Pat, is_borrowed: bool) {
        struct Names<'n>(&'n mut HashSet<Local>, bool);
        impl<'ast> Visit<'ast> for Names<'_> {
            fn visit_pat_ident(&mut self, name: &'ast PatIdent) {
                if self.1 || name.mutability.is_some() {
                    self.0.insert(Local::from(&name.ident));
                }
                visit::visit_pat_ident(self, name);
            }
        }
        Names(&mut self.names, is_borrowed).visit_pat(pattern);
    }

    fn borrows(&self, value: &impl ToTokens) -> bool {
        let mut names = Vec::new();
        names_in(value.to_token_stream(), &mut names);
        names.iter().any(|(name, _)| name.ends_with("mut") || self.names.contains(&Local::named(name)))
    }
}

impl<'ast> Visit<'ast> for Changing {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        let borrows = local.init.as_ref().is_some_and(|init| self.borrows(&init.expr));
        self.bound(&local.pat, borrows);
        visit::visit_local(self, local);
    }

    fn visit_expr_let(&mut self, e: &'ast syn::ExprLet) {
        self.bound(&e.pat, self.borrows(&e.expr));
        visit::visit_expr_let(self, e);
    }

    fn visit_expr_for_loop(&mut self, f: &'ast ExprForLoop) {
        self.bound(&f.pat, self.borrows(&f.expr));
        visit::visit_expr_for_loop(self, f);
    }

    fn visit_expr_match(&mut self, e: &'ast syn::ExprMatch) {
        let borrows = self.borrows(&e.expr);
        e.arms.iter().for_each(|arm| self.bound(&arm.pat, borrows));
        visit::visit_expr_match(self, e);
    }
}

struct Fusion {
    blocks: HashSet<Local>,
    changing: HashSet<Local>,
    followers: Vec<Follower>,
}

/// A loop over blocks.
struct Loop<'f> {
    blocks: &'f Ident,
    block: &'f Ident,
    is_mutable: bool,
}

impl Fusion {
    fn loop_of<'f>(&self, f: &'f ExprForLoop) -> Option<Loop<'f>> {
        let Expr::MethodCall(call) = bare(&f.expr) else { return None };
        let blocks = name_of(&call.receiver).filter(|blocks| self.blocks.contains(&Local::from(*blocks)))?;
        let Pat::Ident(PatIdent { by_ref: None, ident: block, subpat: None, .. }) = &*f.pat else { return None };
        let is_mutable = call.method == "iter_mut";
        let plain = f.label.is_none() && f.attrs.is_empty() && call.args.is_empty();
        (plain && (is_mutable || call.method == "iter")).then_some(Loop { blocks, block, is_mutable })
    }

    /// The loops as one. `None` if they are over different blocks.
    fn fused(&self, first: &ExprForLoop, second: &ExprForLoop) -> Option<Result<ExprForLoop, String>> {
        let (one, two) = (self.loop_of(first)?, self.loop_of(second)?);
        (one.blocks == two.blocks).then(|| {
            let (of_first, of_second) = (uses(&first.body, one.block)?, uses(&second.body, two.block)?);
            self.independent(first, second, &of_first, &of_second)?;
            let mut fused = if two.is_mutable { second.clone() } else { first.clone() };
            fused.for_token = first.for_token;
            fused.pat = first.pat.clone();
            if let (Pat::Ident(pattern), Pat::Ident(other)) = (&mut *fused.pat, &*second.pat) {
                pattern.mutability = pattern.mutability.or(other.mutability);
            }
            let at = first.for_token.span;
            let passes = [(first, &one, at), (second, &two, second.for_token.span)];
            let [first, second] = passes.map(|(f, of, at)| {
                let (mut body, label) = (f.body.clone(), syn::Lifetime::new(&format!("'__pass_{}", of.block), at));
                handles::use_data(&mut body, of.block, one.block)?;
                Ok::<Stmt, String>(match exits::leave_by(&mut body, &label) {
                    true => parse_quote_spanned!(at=> #label: #body),
                    false => {
                        Stmt::Expr(Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block: body }), None)
                    }
                })
            });
            fused.body.stmts = vec![first?, second?];
            Ok(fused)
        })
    }

    /// The reason why the second loop has to wait for the first one, as an error.
    fn independent(&self, first: &ExprForLoop, second: &ExprForLoop, one: &Uses, two: &Uses) -> Result<(), String> {
        if one.receives || two.receives {
            return Err("loops that receive run until no block has messages".to_owned());
        }
        if one.sends && two.takes {
            return Err("messages of the first one reach the second one".to_owned());
        }
        if one.sends && two.sends {
            return Err("both send messages, and those of the first one arrive first".to_owned());
        }
        for f in [first, second] {
            exits::refuse(&f.body)?;
            Unknown::refuse(&f.body)?;
        }
        let mut names = Vec::new();
        names_in(second.body.to_token_stream(), &mut names);
        let shared = names.iter().map(|(name, _)| name).find(|name| {
            self.changing.contains(&Local::named(name))
                && mentions(&first.body, &Ident::new(name, first.for_token.span))
        });
        shared.map_or(Ok(()), |name| Err(format!("both use `{name}`, which may change")))
    }

    /// Whether a statement may come before a loop that does not know its variables.
    fn is_constant(statement: &Stmt) -> bool {
        fn constant(e: &Expr) -> bool {
            match e {
                Expr::Lit(_) => true,
                Expr::Path(path) => path.path.segments.len() > 1,
                Expr::Unary(unary) => constant(&unary.expr),
                Expr::Paren(inner) => constant(&inner.expr),
                Expr::Tuple(tuple) => tuple.elems.iter().all(constant),
                Expr::Array(array) => array.elems.iter().all(constant),
                Expr::Repeat(repeat) => constant(&repeat.expr) && constant(&repeat.len),
                Expr::Call(call) => {
                    let is_new = |path: &syn::ExprPath| {
                        path.path.segments.last().is_some_and(|last| last.ident == "new" || last.ident == "default")
                    };
                    matches!(&*call.func, Expr::Path(path) if is_new(path)) && call.args.is_empty()
                }
                _ => false,
            }
        }
        match statement {
            Stmt::Local(syn::Local { init: Some(init), .. }) => init.diverge.is_none() && constant(&init.expr),
            _ => false,
        }
    }
}

impl VisitMut for Fusion {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut done: Vec<Stmt> = Vec::new();
        // The place of a loop over blocks after which only constants are declared, and its `for`.
        let mut last: Option<(usize, Span)> = None;
        for mut statement in std::mem::take(&mut block.stmts) {
            let Stmt::Expr(Expr::ForLoop(next), _) = &statement else {
                last = last.filter(|_| Fusion::is_constant(&statement));
                visit_stmt_mut(self, &mut statement);
                done.push(statement);
                continue;
            };
            let span = next.for_token.span;
            let joined = last.and_then(|(at, first)| match &done[at] {
                Stmt::Expr(Expr::ForLoop(before), _) => self.fused(before, next).map(|fused| (at, first, fused)),
                _ => None,
            });
            match joined {
                Some((at, first, Ok(fused))) => {
                    self.followers.push(Follower { first, span, apart: None });
                    done.remove(at);
                    done.push(Stmt::Expr(Expr::ForLoop(fused), None));
                    last = Some((done.len() - 1, first));
                    continue;
                }
                Some((_, first, Err(reason))) => self.followers.push(Follower { first, span, apart: Some(reason) }),
                None => {}
            }
            last = self.loop_of(next).map(|_| (done.len(), span));
            if last.is_none() {
                visit_stmt_mut(self, &mut statement);
            }
            done.push(statement);
        }
        block.stmts = done;
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Code that may have side effects out of sight.
#[derive(Default)]
struct Unknown(Option<String>);

impl Unknown {
    fn refuse(body: &Block) -> Result<(), String> {
        let mut unknown = Unknown::default();
        unknown.visit_block(body);
        unknown.0.map_or(Ok(()), |what| Err(format!("{what} may have side effects")))
    }
}

impl<'ast> Visit<'ast> for Unknown {
    fn visit_macro(&mut self, of: &'ast syn::Macro) {
        let name = path_text(of);
        if !macros::only_computes(macros::known_by(&name)) {
            self.0 = Some(format!("`{name}!`"));
        }
    }

    fn visit_expr(&mut self, e: &'ast Expr) {
        if matches!(e, Expr::Unsafe(_) | Expr::Await(_) | Expr::Yield(_) | Expr::Async(_) | Expr::Verbatim(_)) {
            self.0 = Some("code that is not analysed".to_owned());
        }
        visit::visit_expr(self, e);
    }
}

#[cfg(test)]
mod tests;
