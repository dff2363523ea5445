//! Which variable, item or label each word of a function means, by the scoping rules of the Rust Reference, in one place.
//!
//! Afterwards each variable has a name of its own: two mentions are one variable exactly if their names are equal. A variable keeps the name
//! that its author gave it where no other one has it; another one gets a number (`i`, `i_2`). [`Renamed`] has the author's names, for messages.
//!
//! Constants, statics and functions that a body declares are renamed in the same way. Types, traits and imports keep their names: two of them
//! with one name, or one that hides a name from outside, are refused (FA022).

pub mod arguments;
mod hygiene;
mod macros;
mod names;
mod patterns;
mod resolver;
mod scopes;
mod walk;

#[cfg(test)]
mod tests;

pub use names::Writer;

use crate::ir::Local;
use crate::ir::names::Renamed;
use crate::ir::report::Report;
use proc_macro2::{Ident, TokenStream};
use resolver::Resolver;
use std::collections::HashSet;
use syn::visit_mut::VisitMut;

/// What the compiler knows of the names of a function.
#[derive(Debug, Default)]
pub struct Resolved {
    /// The variables whose name is not what their author wrote.
    pub renamed: Renamed,
    /// The names that the function declares, and those of them that are variables.
    pub own: HashSet<Local>,
    pub variables: HashSet<Local>,
    /// Names that patterns bind if no constant has them, which only rustc knows.
    pub bound: Vec<Ident>,
}

/// A path in the arguments of an attribute. It names an item outside of the function.
#[derive(Debug)]
pub struct PathOfAttribute {
    pub path: TokenStream,
    /// Whether it is the operator, which the body calls: a variable or an import of the function may have the name, for both of them.
    pub is_combine: bool,
}

/// Gives each variable of a function a name of its own.
pub fn resolve(
    function: &mut syn::ImplItemFn,
    attribute: &[PathOfAttribute],
    writer: Writer,
    report: &mut Report,
) -> Resolved {
    let mut resolver = Resolver::new(function, writer);
    resolver.function(&mut function.sig, &mut function.block, attribute);
    let is_variable: Vec<bool> = resolver.entities.iter().map(|entity| entity.declared.is_variable()).collect();
    let bound = std::mem::take(&mut resolver.bound_by_case).into_values().collect();
    let mut names = resolver.finish(report);
    names.visit_impl_item_fn_mut(function);
    let variables = names.all().zip(is_variable).filter(|(_, is_variable)| *is_variable).map(|(name, _)| name);
    let (variables, own) = (variables.collect(), names.all().collect());
    Resolved { own, variables, renamed: names.into_renamed(), bound }
}

/// Gives each variable of a function that stands alone a name of its own.
pub fn resolve_alone(mut function: syn::ItemFn, writer: Writer, report: &mut Report) -> (syn::ItemFn, Renamed) {
    let mut resolver = Resolver::new(&function, writer);
    resolver.function(&mut function.sig, &mut function.block, &[]);
    let mut names = resolver.finish(report);
    names.visit_item_fn_mut(&mut function);
    (function, names.into_renamed())
}
