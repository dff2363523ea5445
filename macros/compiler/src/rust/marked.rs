//! `#[forall::device]`: what tells all crates of the program of a function.

use crate::analysis::obligations::macros_of_std;
use crate::front::fragments::parenthesize_item;
use crate::front::half_written::half_written;
use crate::front::lower::Lower;
use crate::ir::report::{Code, Report};
use crate::ir::text::{shown, shown_tokens};
use crate::resolve::{Writer, resolve_alone};
use crate::rust::callees::{Callees, unnamed};
use crate::rust::contract;
use crate::rust::obligations::printed;
use crate::wgsl::contract::{Call, Given, Marked, Table, Type};
use crate::wgsl::of_option;
use crate::wgsl::translate_function;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

/// Expands `#[forall::device]`.
pub fn device(args: TokenStream, item: TokenStream) -> TokenStream {
    let item = parenthesize_item(item);
    let mut report = Report::default();
    if !args.is_empty() {
        report.error(Code::FA002, args.span(), "`#[forall::device]` has no argument but `crate = path`", "remove them");
    }
    if let Some(half_written) = half_written(&item) {
        return half_written;
    }
    let function = match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Fn(function)) => function,
        Ok(syn::Item::Impl(item_impl)) => {
            let marked = methods(&item_impl, &mut report);
            let errors = report.finish();
            return quote!(#errors #item #marked);
        }
        // Loops and functions read constants as they are.
        Ok(syn::Item::Const(_) | syn::Item::Static(_)) => {
            let errors = report.finish();
            return quote!(#errors #item);
        }
        _ => {
            let first = item.clone().into_iter().next().map_or_else(proc_macro2::Span::call_site, |t| t.span());
            report.error(
                Code::FA001,
                first,
                "`#[forall::device]` is for functions, constants, and an `impl`",
                "put it above a function, or above the `impl` that has the methods",
            );
            let errors = report.finish();
            return quote!(#errors #item);
        }
    };
    let help = "change it, or remove `#[forall::device]`: loops that call the function then run on threads";
    if let Some((resolved, marked)) = translated(function.clone(), Writer::User, help, &mut report) {
        return expand(&function, &resolved, &marked);
    }
    let errors = report.finish();
    quote!(#errors #function)
}

/// A function with a name of its own for each variable, and its program. Reports what is in the way.
fn translated(function: syn::ItemFn, writer: Writer, help: &str, report: &mut Report) -> Option<(syn::ItemFn, Marked)> {
    let (resolved, renamed) = resolve_alone(function, writer, report);
    match translate_function(&resolved) {
        Ok(marked) if report.is_empty() => return Some((resolved, marked)),
        Ok(_) => {}
        Err(obstacles) => {
            for obstacle in obstacles {
                report.error(Code::FA052, obstacle.place, renamed.shown(&obstacle.what), help);
            }
        }
    }
    None
}

/// Expands `#[forall::device]` above a function.
fn expand(item: &syn::ItemFn, resolved: &syn::ItemFn, marked: &Marked) -> TokenStream {
    let name = &item.sig.ident;
    let path = quote!(#name);
    let registered = registered(resolved, marked, &path, &shown(&name.to_string()), None);
    let conditions = item.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    quote!(
        #item

        #(#conditions)*
        #[allow(clippy::all, clippy::pedantic)]
        const _: () = { #registered };
    )
}

/// The description of a function for all crates of the program; for a method, also its type.
pub fn registered(
    item: &syn::ItemFn,
    marked: &Marked,
    path: &TokenStream,
    name: &str,
    owner: Option<(&syn::Type, Option<&syn::Path>)>,
) -> TokenStream {
    let Marked { source, signature, helpers, values, tables, calls: called, result, queries, loops } = marked;
    let owned = |table: &Table| match table.part {
        Some(_) => {
            let found = contract::found(table);
            quote!(__device::lasting(#found))
        }
        None => contract::found(table),
    };
    let constants = |all: Vec<(&TokenStream, &Type, TokenStream)>| {
        let all = all.into_iter().map(|(tokens, ty, found)| {
            let (text, ty) = (shown_tokens(tokens), contract::ty(ty));
            quote!(__device::Constant {
                name: #text,
                ty: #ty,
                found: || {
                    #[allow(unused_imports)]
                    use __device::probes::*;
                    #found
                },
            },)
        });
        quote!(&[#(#all)*])
    };
    let kept = |value| quote!((&__device::Probe(__device::leaked(#value))).__found());
    let values = constants(values.iter().map(|(tokens, ty)| (tokens, ty, kept(tokens))).collect());
    let tables = constants(tables.iter().map(|table| (&table.tokens, &table.ty, owned(table))).collect());
    let (calls, callees) = (contract::calls(called), callees(item, called));
    let none = quote!(::core::option::Option::None);
    let result = match result {
        Some(ty) => {
            let ty = contract::ty(ty);
            quote!(::core::option::Option::Some(#ty))
        }
        None => none.clone(),
    };
    let of_trait = match owner.and_then(|(_, of_trait)| of_trait?.segments.last()) {
        Some(last) => {
            let name = last.ident.to_string();
            quote!(::core::option::Option::Some(#name))
        }
        None => none.clone(),
    };
    // References are seen through.
    let owner = owner.map_or(none, |(mut owner, _)| {
        while let syn::Type::Reference(reference) = owner {
            owner = &reference.elem;
        }
        contract::answer(&Given::Type(owner.to_token_stream()))
    });
    let (queries, given) = (contract::queries(queries), contract::answers(queries));
    let probes = quote!(
        #[allow(unused_imports)]
        use __device::probes::*;
    );
    // What it takes and gives devices know.
    let mut named = Vec::new();
    for input in &item.sig.inputs {
        if let syn::FnArg::Typed(input) = input {
            structs_in(&input.ty, &mut named);
        }
    }
    if let syn::ReturnType::Type(_, ty) = &item.sig.output {
        structs_in(ty, &mut named);
    }
    let known = named.iter().map(|ty| quote_spanned!(ty.span()=> __device::known::<#ty>();));
    let macros = printed(macros_of_std(&Lower::default().block(&item.block)).iter());
    quote!(
        const _: () = {
        #[allow(unused_imports)]
        use ::forall::__private::{self as __forall, device as __device};
        const _: fn() = || { #(#known)* #macros };
        __device::inventory::submit! {
        __device::Function {
            name: ::core::concat!(::core::module_path!(), "::", #name),
            id: || __device::id_of(#path),
            signature: #signature,
            source: #source,
            helpers: &[#(#helpers),*],
            values: #values,
            tables: #tables,
            calls: &[#(#calls),*],
            callees: #callees,
            result: #result,
            owner: || { #probes #owner },
            of_trait: #of_trait,
            queries: &[#(#queries),*],
            given: || { #probes #given },
            overflow: ::core::cfg!(debug_assertions),
            loops: #loops,
        }
        }
        };
    )
}

/// The types that a type is made of, but for those of numbers.
pub fn structs_in<'t>(ty: &'t syn::Type, to: &mut Vec<&'t syn::Type>) {
    match ty {
        syn::Type::Reference(inner) => structs_in(&inner.elem, to),
        syn::Type::Paren(inner) => structs_in(&inner.elem, to),
        syn::Type::Group(inner) => structs_in(&inner.elem, to),
        syn::Type::Array(inner) => structs_in(&inner.elem, to),
        syn::Type::Tuple(tuple) => tuple.elems.iter().for_each(|part| structs_in(part, to)),
        syn::Type::Path(path) if of_option(&path.path).is_some() => {
            structs_in(of_option(&path.path).unwrap_or(ty), to);
        }
        syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Ordering") => {}
        syn::Type::Path(path) if path.path.get_ident().is_none_or(|name| Type::named(&name.to_string()).is_none()) => {
            to.push(ty);
        }
        _ => {}
    }
}

/// Code that says which functions a function calls: a copy of it that never runs tells the compiler.
pub fn callees(item: &syn::ItemFn, calls: &[Call]) -> TokenStream {
    if calls.is_empty() {
        return quote!(::std::vec::Vec::new);
    }
    let callees = Callees::of(calls);
    let body = callees.note(item.block.to_token_stream());
    let (inputs, output) = (&item.sig.inputs, &item.sig.output);
    // A closure names no lifetimes.
    let (inputs, output) = (unnamed(quote!(#inputs)), unnamed(quote!(#output)));
    let (declared, list) = (callees.declared(), callees.list());
    quote!(|| {
        #declared
        #[allow(warnings, clippy::all, clippy::pedantic)]
        let _ = |#inputs| #output #body;
        #list
    })
}

/// Expands `#[forall::device]` above an `impl`: all of its functions are marked.
pub fn methods(item: &syn::ItemImpl, report: &mut Report) -> TokenStream {
    if let Some(parameter) = item.generics.params.iter().find(|p| !matches!(p, syn::GenericParam::Lifetime(_))) {
        report.error(
            Code::FA052,
            parameter.span(),
            "a generic `impl` has no types that a device could be told",
            "write one for each type",
        );
        return TokenStream::new();
    }
    let of = &item.self_ty;
    let types: Vec<(String, TokenStream)> = item
        .items
        .iter()
        .filter_map(|item| match item {
            syn::ImplItem::Type(item) => Some((item.ident.to_string(), item.ty.to_token_stream())),
            _ => None,
        })
        .collect();
    let mut all = TokenStream::new();
    for method in &item.items {
        let syn::ImplItem::Fn(method) = method else { continue };
        let name = &method.sig.ident;
        let Ok(function) = syn::parse2::<syn::ItemFn>(alone(method, of, &types)) else { continue };
        let help = "change it, or move the function to an `impl` without `#[forall::device]`";
        let mut of_method = Report::default();
        if let Some((resolved, marked)) = translated(function, Writer::Compiler, help, &mut of_method) {
            let path = unnamed(match &item.trait_ {
                Some((of_trait, _)) => quote!(<#of as #of_trait>::#name),
                None => quote!(<#of>::#name),
            });
            let name = format!("{}::{name}", shown(&of.to_token_stream().to_string()));
            let of_trait = item.trait_.as_ref().map(|(of_trait, _)| of_trait);
            let registered = registered(&resolved, &marked, &path, &name, Some((of, of_trait)));
            let conditions = method.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
            all.extend(quote!(
                #(#conditions)*
                #[allow(clippy::all, clippy::pedantic)]
                const _: () = { #registered };
            ));
        }
        report.absorb(of_method);
    }
    all
}

/// A method as a function that stands alone: `self` is a parameter like others, and `Self` the type.
pub fn alone(method: &syn::ImplItemFn, of: &syn::Type, types: &[(String, TokenStream)]) -> TokenStream {
    let syn::Signature { ident, output, inputs, .. } = &method.sig;
    let inputs = inputs.iter().map(|input| match input {
        syn::FnArg::Receiver(receiver) => match &receiver.kind {
            syn::ReceiverKind::Value => {
                let mutability = &receiver.mutability;
                quote!(#mutability self: #of)
            }
            syn::ReceiverKind::Reference(and, _, mutability) => quote!(self: #and #mutability #of),
            _ => input.to_token_stream(),
        },
        input => input.to_token_stream(),
    });
    let block = &method.block;
    without_self(quote!(fn #ident(#(#inputs),*) #output #block), of, types)
}

pub fn without_self(tokens: TokenStream, of: &syn::Type, types: &[(String, TokenStream)]) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: usize, c: char| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == c);
    let mut all = TokenStream::new();
    let mut at = 0;
    while at < tokens.len() {
        let path = is(at + 1, ':') && is(at + 2, ':');
        match &tokens[at] {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), without_self(group.stream(), of, types));
                inner.set_span(group.span());
                all.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Ident(name) if name == "Self" => {
                let associated = match tokens.get(at + 3) {
                    Some(TokenTree::Ident(name)) if path => types.iter().find(|(known, _)| name == known),
                    _ => None,
                };
                match associated {
                    Some((_, ty)) => {
                        all.extend(without_self(ty.clone(), of, types));
                        at += 3;
                    }
                    None => all.extend(of.to_token_stream()),
                }
            }
            TokenTree::Ident(name) if name == "self" && !path => {
                all.extend([TokenTree::Ident(Ident::new("__self", name.span()))]);
            }
            token => all.extend([token.clone()]),
        }
        at += 1;
    }
    all
}
