//! Functions, constants and names of a `use` that stand in a block.

use super::{Binding, Elaborate, Scope, lookup};
use crate::ir;
use crate::ir::report::Place;
use crate::wgsl::tree::Node;
use crate::wgsl::types::usize_of;
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::rc::Rc;

impl Elaborate<'_> {
    /// Functions and constants are seen in all of the block.
    pub(super) fn items(&mut self, block: &ir::Block) {
        for statement in &block.statements {
            if !matches!(statement.kind, ir::StatementKind::Item(_)) {
                continue;
            }
            match syn::parse2::<syn::Item>(statement.tokens.clone()) {
                Ok(syn::Item::Fn(function)) => {
                    self.name(&function.sig.ident.to_string(), Binding::Function(Rc::new(function)));
                }
                Ok(syn::Item::Const(constant)) => self.constant_item(&constant.ident, &constant.ty, &constant.expr),
                Ok(syn::Item::Static(item)) if matches!(item.mutability, syn::StaticMutability::None) => {
                    self.constant_item(&item.ident, &item.ty, &item.expr);
                }
                Ok(syn::Item::Use(item)) if !self.quiet => {
                    let root = item.leading_colon.map(|colons| colons.to_token_stream()).unwrap_or_default();
                    self.used(&item.tree, root, Place::from(&statement.tokens));
                }
                // What is asked of names is asked where the loop stands.
                Ok(syn::Item::Struct(_) | syn::Item::Enum(_) | syn::Item::Union(_))
                | Ok(syn::Item::Type(_) | syn::Item::Mod(_) | syn::Item::Static(_) | syn::Item::Macro(_))
                    if !self.quiet =>
                {
                    let what = "only this block knows the names of this item: put it before the loop, or outside of the function";
                    self.obstacle(Place::from(&statement.tokens), what);
                }
                _ => {}
            }
        }
    }

    /// The names of a `use`. Types and all that a `*` stands for would be asked for where the loop stands.
    pub(super) fn used(&mut self, tree: &syn::UseTree, path: TokenStream, at: Place) {
        let joined =
            |name: &syn::Ident| if path.is_empty() { quote::quote!(#name) } else { quote::quote!(#path #name) };
        match tree {
            syn::UseTree::Path(next) => {
                let path = joined(&next.ident);
                self.used(&next.tree, quote::quote!(#path ::), at);
            }
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.used(tree, path.clone(), at)),
            syn::UseTree::Name(syn::UseName { ident }) if ident != "self" => self.used_name(ident, joined(ident), at),
            syn::UseTree::Rename(syn::UseRename { ident, rename, .. }) if ident != "self" => {
                self.used_name(rename, joined(ident), at);
            }
            _ => self.obstacle(
                at,
                "a `use` of `*` or `self` in the body: name what it stands for, or put it before the loop",
            ),
        }
    }

    pub(super) fn used_name(&mut self, name: &syn::Ident, path: TokenStream, at: Place) {
        let text = name.to_string();
        let is_type = text.starts_with(char::is_uppercase) && text.contains(char::is_lowercase);
        match is_type && text != "Ordering" {
            true => {
                self.obstacle(at, format!("only this block knows the type `{text}`: put the `use` before the loop"))
            }
            false => self.name(&text, Binding::Use(path)),
        }
    }

    /// What a name means where a `use` of the body gave it.
    pub(super) fn of_use(&mut self, path: &TokenStream, at: Place) -> Node {
        // Its path is seen from outside.
        let scope = self.scope.take();
        let node = self.code(path, at);
        self.scope = scope;
        node
    }

    /// Whether a constant means the same right before the loop, where it is asked for.
    pub(super) fn is_seen_outside(&self, e: &syn::Expr) -> bool {
        let mut names = Vec::new();
        crate::front::lower::names_in(e.to_token_stream(), &mut names);
        names.iter().all(|(name, _)| {
            matches!(lookup(&self.scope, name), None | Some(Binding::Constant(_, _, None) | Binding::Outer(..)))
        })
    }

    pub(super) fn constant_item(&mut self, name: &syn::Ident, ty: &syn::Type, value: &syn::Expr) {
        let (ty, tokens) = (self.written(ty), value.to_token_stream());
        let number = number_in(&self.scope, value);
        let inside = (!self.quiet).then_some(tokens);
        self.name(&name.to_string(), Binding::Constant(ty, number, inside));
    }
}

/// The number that an expression of literals and constants is.
pub(super) fn number_in(scope: &Scope, e: &syn::Expr) -> Option<usize> {
    match e {
        syn::Expr::Paren(inner) => number_in(scope, &inner.expr),
        syn::Expr::Group(inner) => number_in(scope, &inner.expr),
        syn::Expr::Lit(_) => usize_of(&e.to_token_stream().to_string()),
        syn::Expr::Path(path) => match lookup(scope, &path.path.get_ident()?.to_string()) {
            Some(Binding::Constant(_, number, _)) => *number,
            _ => None,
        },
        syn::Expr::Binary(both) => {
            let (a, b) = (number_in(scope, &both.left)?, number_in(scope, &both.right)?);
            match both.op {
                syn::BinOp::Add(_) => a.checked_add(b),
                syn::BinOp::Sub(_) => a.checked_sub(b),
                syn::BinOp::Mul(_) => a.checked_mul(b),
                syn::BinOp::Div(_) => a.checked_div(b),
                syn::BinOp::Rem(_) => a.checked_rem(b),
                syn::BinOp::Shl(_) => u32::try_from(b).ok().filter(|b| *b < 32).map(|b| a << b),
                _ => None,
            }
        }
        _ => None,
    }
}
