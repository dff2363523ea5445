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
use names::is_reserved;

use crate::ir::Local;
use crate::ir::names::Renamed;
use crate::ir::report::Report;
use crate::maps::{HashMap, HashSet};
use hygiene::{Context, is_directly_before};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use resolver::Resolver;
use syn::visit_mut::VisitMut;

/// The names of a function.
#[derive(Debug, Default)]
pub struct Resolved {
    /// The variables whose name is not what their author wrote.
    pub renamed: Renamed,
    /// The names that the function declares, with the places of their declarations, and those of them that are variables.
    pub own: HashMap<Local, Span>,
    pub variables: HashSet<Local>,
    /// Names that patterns bind if no constant has them, which only rustc knows.
    pub bound: Vec<Ident>,
    /// The words of the function that begin as the compiler's own names do.
    pub words: HashSet<String>,
}

impl Resolved {
    /// Code of the expansion of a function, in which each name of the function belongs to the macro that wrote its declaration. The attribute may
    /// come from another macro, and the expansion's mentions of a variable with it. The expansion's own variables belong to the
    /// attribute, also those with spans of the user's code.
    pub fn in_their_contexts(&self, code: TokenStream, function: &syn::ImplItemFn) -> TokenStream {
        // An attribute directly before a function comes from the macro that wrote the word `fn`.
        let home = Context::from(function.sig.fn_token.span);
        let one_macro = self.own.values().all(|declared| Context::from(*declared) == home);
        if one_macro && is_directly_before(Span::call_site(), function) {
            return code;
        }
        let mut declared = self.own.clone();
        declared.extend(function.sig.receiver().map(|receiver| (Local::named("self"), receiver.self_token.span)));
        moved(code, &declared, &Context::from(Span::mixed_site()))
    }
}

fn moved(code: TokenStream, declared: &HashMap<Local, Span>, mixed: &Context) -> TokenStream {
    let one = |mut token| {
        match &mut token {
            TokenTree::Ident(ident) => {
                let name = ident.to_string();
                let at = match is_reserved(&name) {
                    true => (Context::from(ident.span()) != *mixed).then(Span::call_site),
                    false => declared.get(&Local::named(&name)).copied(),
                };
                if let Some(at) = at {
                    ident.set_span(ident.span().resolved_at(at));
                }
            }
            TokenTree::Group(group) => {
                let span = group.span();
                *group = Group::new(group.delimiter(), moved(group.stream(), declared, mixed));
                group.set_span(span);
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
        token
    };
    code.into_iter().map(one).collect()
}

/// Checks that names which patterns bind are variables and no constants. A constant has another type than the value here.
pub fn no_constants<'n>(names: impl Iterator<Item = &'n Ident>) -> Option<TokenStream> {
    let names: Vec<&Ident> = names.collect();
    let value = quote!(::forall::__private::obligations::Fa022ANameInAPatternIsNoConstant);
    let values = names.iter().map(|name| quote_spanned!(name.span()=> #value));
    (!names.is_empty()).then(|| quote!(match (#(#values,)*) { (#(#names,)*) => {} }))
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
    let declared: Vec<(bool, Span)> =
        resolver.entities.iter().map(|entity| (entity.declared.is_variable(), entity.span)).collect();
    let bound = std::mem::take(&mut resolver.bound_by_case).into_values().collect();
    let mut words = resolver.reserved_words();
    let mut names = resolver.finish(report);
    names.visit_impl_item_fn_mut(function);
    let variables = names.all().zip(&declared).filter(|(_, (is_variable, _))| *is_variable).map(|(name, _)| name);
    let own = names.all().zip(&declared).map(|(name, (_, span))| (name, *span));
    words.extend(names.all().filter(|name| is_reserved(name)).map(|name| name.to_string()));
    let (variables, own) = (variables.collect(), own.collect());
    Resolved { own, variables, renamed: names.into_renamed(), bound, words }
}

/// Gives each variable of a function that stands alone a name of its own.
pub fn resolve_alone(mut function: syn::ItemFn, writer: Writer, report: &mut Report) -> (syn::ItemFn, Renamed) {
    let mut resolver = Resolver::new(&function, writer);
    resolver.function(&mut function.sig, &mut function.block, &[]);
    let mut names = resolver.finish(report);
    names.visit_item_fn_mut(&mut function);
    (function, names.into_renamed())
}
