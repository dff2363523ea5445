//! Functions, constants and names of a `use` that stand in a block.

use crate::ir;
use crate::ir::Local;
use crate::ir::report::Location;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::{Binding, number_in};
use crate::wgsl::tree::Node;
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::rc::Rc;

impl Elaborate<'_> {
    /// Functions and constants are seen in all of the block.
    pub fn items(&mut self, block: &ir::Block) {
        for statement in &block.statements {
            if !matches!(statement.kind, ir::StatementKind::Item(_)) {
                continue;
            }
            match syn::parse2::<syn::Item>(statement.tokens.clone()) {
                Ok(syn::Item::Fn(function)) => {
                    self.names.bind((&function.sig.ident).into(), Binding::Function(Rc::new(function)));
                }
                Ok(syn::Item::Const(constant)) => self.constant_item(&constant.ident, &constant.ty, &constant.expr),
                Ok(syn::Item::Static(item)) if matches!(item.mutability, syn::StaticMutability::None) => {
                    self.constant_item(&item.ident, &item.ty, &item.expr);
                }
                Ok(syn::Item::Use(item)) if !self.quiet => {
                    let root = item.leading_colon.map(|colons| colons.to_token_stream()).unwrap_or_default();
                    self.used(&item.tree, root, Location::from(&statement.tokens));
                }
                // What is asked of names is asked where the loop stands.
                Ok(syn::Item::Struct(_) | syn::Item::Enum(_) | syn::Item::Union(_))
                | Ok(syn::Item::Type(_) | syn::Item::Mod(_) | syn::Item::Static(_) | syn::Item::Macro(_))
                    if !self.quiet =>
                {
                    let what = "only this block knows the names of this item: put it before the loop, or outside of the function";
                    self.obstacle(Location::from(&statement.tokens), what);
                }
                _ => {}
            }
        }
    }

    /// The names of a `use`. Types and all that a `*` stands for would be asked for where the loop stands.
    fn used(&mut self, tree: &syn::UseTree, path: TokenStream, at: Location) {
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

    fn used_name(&mut self, name: &syn::Ident, path: TokenStream, at: Location) {
        let text = name.to_string();
        let is_type = text.starts_with(char::is_uppercase) && text.contains(char::is_lowercase);
        match is_type && text != "Ordering" {
            true => {
                self.obstacle(at, format!("only this block knows the type `{text}`: put the `use` before the loop"))
            }
            false => self.names.bind(name.into(), Binding::Use(path)),
        }
    }

    /// What a name means where a `use` of the body gave it.
    pub fn of_use(&mut self, path: &TokenStream, at: Location) -> Node {
        // Its path is seen from outside.
        let scope = self.names.environment.take();
        let node = self.code(path, at);
        self.names.environment = scope;
        node
    }

    /// Whether a constant means the same right before the loop, where it is asked for.
    pub fn is_seen_outside(&self, e: &syn::Expr) -> bool {
        let mut names = Vec::new();
        crate::front::tokens::names_in(e.to_token_stream(), &mut names);
        names.iter().all(|(name, _)| {
            matches!(
                self.names.get(Local::named(name)),
                None | Some(Binding::Constant(_, _, None) | Binding::Outer(..))
            )
        })
    }

    fn constant_item(&mut self, name: &syn::Ident, ty: &syn::Type, value: &syn::Expr) {
        let (ty, tokens) = (self.written(ty), value.to_token_stream());
        let number = number_in(&self.names.environment, value);
        let inside = (!self.quiet).then_some(tokens);
        self.names.bind(name.into(), Binding::Constant(ty, number, inside));
    }
}
