//! `#[forall::main]` and `#[forall::test]`: functions that run as a program of ranks.

use crate::front::fragments::parenthesize_item;
use crate::front::half_written::half_written;
use crate::ir::report::{Code, Report};
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::spanned::Spanned;

fn function_of(item: &TokenStream, what: &str) -> Result<syn::ItemFn, TokenStream> {
    if let Some(half_written) = half_written(item) {
        return Err(half_written);
    }
    syn::parse2::<syn::ItemFn>(parenthesize_item(item.clone())).map_err(|_| {
        let mut report = Report::default();
        let span = item.clone().into_iter().next().map_or_else(proc_macro2::Span::call_site, |t| t.span());
        report.error(
            Code::FA001,
            span,
            format!("`#[forall::{what}]` is for functions"),
            "put it above a function without parameters",
        );
        let errors = report.finish();
        quote!(#errors #item)
    })
}

fn refuse_parameters(function: &syn::ItemFn, what: &str, report: &mut Report) {
    let sig = &function.sig;
    if !sig.inputs.is_empty() || sig.asyncness.is_some() || !sig.generics.params.is_empty() {
        report.error(
            Code::FA003,
            sig.ident.span(),
            format!("`#[forall::{what}]` is for plain functions without parameters"),
            "remove the parameters, `async` and the generics",
        );
    }
}

/// Expands `#[forall::main]`.
pub fn main(args: TokenStream, item: TokenStream) -> TokenStream {
    let function = match function_of(&item, "main") {
        Ok(function) => function,
        Err(errors) => return errors,
    };
    let mut report = Report::default();
    refuse_parameters(&function, "main", &mut report);
    if !args.is_empty() {
        report.error(
            Code::FA002,
            args.span(),
            "`#[forall::main]` has no argument but `crate = path`",
            "settings are given by `FORALL_*` variables, or use `forall::run`",
        );
    }
    if !report.is_empty() {
        let errors = report.finish();
        return quote!(#errors #function);
    }
    let syn::ItemFn { attrs, vis, sig, block, .. } = &function;
    let (name, output) = (&sig.ident, &sig.output);
    quote!(
        #(#attrs)*
        #vis fn #name() -> ::std::process::ExitCode {
            fn program() #output #block
            ::forall::__private::run_main(program)
        }
    )
}

/// Expands `#[forall::test]`.
pub fn test(args: TokenStream, item: TokenStream) -> TokenStream {
    let function = match function_of(&item, "test") {
        Ok(function) => function,
        Err(errors) => return errors,
    };
    let mut report = Report::default();
    refuse_parameters(&function, "test", &mut report);
    let mut ranks = quote!(::core::option::Option::None);
    type List = syn::punctuated::Punctuated<syn::MetaNameValue, syn::Token![,]>;
    let span = args.span();
    match List::parse_terminated.parse2(args) {
        Ok(list) => {
            for pair in list {
                match &pair.value {
                    syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(n), .. })
                        if pair.path.is_ident("ranks") && n.base10_parse::<usize>().is_ok_and(|n| n > 0) =>
                    {
                        ranks = quote!(::core::option::Option::Some(#n));
                    }
                    _ => report.error(
                        Code::FA002,
                        pair.span(),
                        "`#[forall::test]` has the arguments `ranks`, a positive integer, and `crate`, a path",
                        "write `#[forall::test(ranks = 3)]`",
                    ),
                }
            }
        }
        Err(_) => report.error(
            Code::FA002,
            span,
            "`#[forall::test]` has the arguments `ranks`, a positive integer, and `crate`, a path",
            "write `#[forall::test(ranks = 3)]`",
        ),
    }
    if !report.is_empty() {
        let errors = report.finish();
        return quote!(#errors #function);
    }
    let syn::ItemFn { attrs, vis, sig, block, .. } = &function;
    let (name, output, text) = (&sig.ident, &sig.output, sig.ident.to_string());
    quote!(
        #[::core::prelude::v1::test]
        #(#attrs)*
        #vis fn #name() {
            fn test() #output #block
            ::forall::__private::run_test(
                ::forall::__private::TestSpec { name: ::core::concat!(::core::module_path!(), "::", #text), ranks: #ranks },
                test,
            );
        }
    )
}
