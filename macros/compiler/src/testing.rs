//! A short helper of the stages' unit tests: from the text of a function to its loops' plans, or to the codes of its mistakes.

use crate::check::check;
use crate::front::attribute::Attribute;
use crate::front::chains::Chains;
use crate::front::function::Function;
use crate::ir::report::Report;
use crate::plan::Plan;
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::path::Path;

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
fn is_annotated(item: &syn::ImplItemFn) -> bool {
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
    let planned = Function::parse(attribute, Chains::AreLoops, args, item, &mut report).map(|function| {
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

/// The functions of a folder of the project that have an attribute for loops, each with the name of its file.
pub fn functions_in(folder: &str) -> Vec<(String, syn::ImplItemFn)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    struct Find<'a>(&'a str, &'a mut Vec<(String, syn::ImplItemFn)>);
    impl Find<'_> {
        fn found(&mut self, tokens: TokenStream) {
            if let Ok(item) = syn::parse2::<syn::ImplItemFn>(tokens)
                && is_annotated(&item)
            {
                self.1.push((format!("{}::{}", self.0, item.sig.ident), item));
            }
        }
    }
    impl<'ast> syn::visit::Visit<'ast> for Find<'_> {
        fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
            self.found(f.to_token_stream());
            syn::visit::visit_item_fn(self, f);
        }
        fn visit_impl_item_fn(&mut self, f: &'ast syn::ImplItemFn) {
            self.found(f.to_token_stream());
            syn::visit::visit_impl_item_fn(self, f);
        }
    }
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut all = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "rs")) {
        let file = syn::parse_file(&std::fs::read_to_string(path).unwrap()).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        syn::visit::Visit::visit_file(&mut Find(&name, &mut all), &file);
    }
    all
}

/// Code as text in one form, however it was made.
pub fn text(code: impl ToTokens) -> String {
    code.to_token_stream().to_string().replace("' ", "'").split(' ').collect()
}
