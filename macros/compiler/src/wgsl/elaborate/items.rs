//! Functions, constants and names of a `use` that stand in a block.

use crate::front::tokens::names_in;
use crate::ir::report::Location;
use crate::ir::{self, Constant, Expr, Local};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::{Binding, number_in};
use crate::wgsl::tree::Node;
use proc_macro2::TokenStream;
use std::rc::Rc;

impl Elaborate<'_> {
    /// Items are seen in all of the block.
    pub fn items(&mut self, block: &ir::Block) {
        for statement in &block.statements {
            let ir::StatementKind::Item(item) = &statement.kind else { continue };
            let at = Location::from(&statement.tokens);
            match item {
                ir::Item::Function(function) => self.names.bind(function.name, Binding::Function(function.clone())),
                ir::Item::Constant(constant) => self.constant_item(constant),
                // Queries about names are answered where the loop stands.
                ir::Item::Use(..) | ir::Item::Named if self.quiet => {}
                ir::Item::Use(names, all) => {
                    if !all {
                        let what =
                            "a `use` of `*` or `self` in the body: name what it stands for, or put it before the loop";
                        self.obstacle(at, what);
                    }
                    names.iter().for_each(|(name, path)| self.used(*name, path, at));
                }
                ir::Item::Named => {
                    let what = "only this block knows the names of this item: put it before the loop, or outside of the function";
                    self.obstacle(at, what);
                }
                ir::Item::Other => {}
            }
        }
    }

    fn used(&mut self, name: Local, path: &TokenStream, at: Location) {
        let is_type = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
        match is_type && name != "Ordering" {
            true => {
                self.obstacle(at, format!("only this block knows the type `{name}`: put the `use` before the loop"))
            }
            false => self.names.bind(name, Binding::Use(path.clone())),
        }
    }

    /// The value of a name that a `use` of the body declares. The path is resolved outside of the body.
    pub fn of_use(&mut self, path: &TokenStream, at: Location) -> Node {
        let environment = self.names.environment.take();
        let node = self.code(path, at);
        self.names.environment = environment;
        node
    }

    /// Whether an expression has the same value right before the loop, where it is evaluated.
    pub fn is_seen_outside(&self, e: &Expr) -> bool {
        let mut names = Vec::new();
        names_in(e.tokens.clone(), &mut names);
        names.iter().all(|(name, _)| {
            matches!(
                self.names.get(Local::named(name)),
                None | Some(Binding::Constant(_, _, None) | Binding::Outer(..))
            )
        })
    }

    fn constant_item(&mut self, constant: &Rc<Constant>) {
        let ty = self.written(&constant.ty.tokens);
        let number = number_in(&self.names.environment, &constant.value);
        let inside = (!self.quiet).then(|| constant.clone());
        self.names.bind(constant.name, Binding::Constant(ty, number, inside));
    }
}
