//! A short helper of the stages' unit tests: from the text of a function to its loops' plans, or to the codes of its mistakes.

use crate::check::check;
use crate::front::attribute::Attribute;
use crate::front::function::Function;
use crate::ir::report::Report;
use crate::plan::Plan;
use proc_macro2::TokenStream;
use quote::ToTokens;

/// The attribute above a function, its arguments, and the function without it.
pub fn annotated(mut item: syn::ImplItemFn) -> (Attribute, TokenStream, TokenStream) {
    let found = item.attrs.iter().position(|attribute| named(attribute).is_some()).unwrap();
    let attribute = item.attrs.remove(found);
    item.attrs.clear();
    let args = match &attribute.meta {
        syn::Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    };
    (named(&attribute).unwrap(), args, item.to_token_stream())
}

/// Whether a function has an attribute for loops.
pub fn is_annotated(item: &syn::ImplItemFn) -> bool {
    item.attrs.iter().any(|attribute| named(attribute).is_some())
}

fn named(attribute: &syn::Attribute) -> Option<Attribute> {
    let name = &attribute.path().segments.last()?.ident;
    Attribute::FOR_LOOPS.into_iter().find(|attribute| name == attribute.name())
}

/// An annotated function and the plans of its loops in their order, or the codes of its mistakes.
pub fn plans(item: syn::ImplItemFn) -> Result<(Function, Vec<Plan>), Vec<&'static str>> {
    let (attribute, args, item) = annotated(item);
    let mut report = Report::default();
    let planned = Function::parse(attribute, args, item, &mut report).map(|function| {
        let mut loops: Vec<_> = check(&function, &mut report).loops.into_iter().collect();
        loops.sort_by_key(|(id, _)| *id);
        (function, loops.into_iter().map(|(_, plan)| plan).collect())
    });
    let codes: Vec<&str> = report.codes().into_iter().map(|code| code.name()).collect();
    planned.filter(|_| codes.is_empty()).ok_or(codes)
}

/// The classes of the variables of a function's loops, `;` between two loops; or the codes of its mistakes.
pub fn classes(text: &str) -> String {
    match plans(syn::parse_str(text).unwrap()) {
        Ok((_, plans)) => plans.iter().map(Plan::classes).collect::<Vec<_>>().join("; "),
        Err(codes) => codes.join(", "),
    }
}

/// Code as text in one form, however it was made.
pub fn text(code: impl ToTokens) -> String {
    code.to_token_stream().to_string().replace("' ", "'").split(' ').collect()
}
