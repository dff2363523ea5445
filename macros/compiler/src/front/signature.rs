//! Signatures that cannot be distributed.

use crate::ir::report::{Code, Location, Report};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::spanned::Spanned;

/// `impl Trait` in a type: its place, and its first words.
fn opaque_in(ty: TokenStream) -> Option<(Location, String)> {
    let mut tokens = ty.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match &token {
            proc_macro2::TokenTree::Ident(word) if word == "impl" => {
                let of = tokens.peek().map_or_else(String::new, |of| format!(" {of}"));
                return Some((Location::from(token.span()), format!("impl{of}")));
            }
            proc_macro2::TokenTree::Group(group) => {
                if let Some(found) = opaque_in(group.stream()) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether a method takes `&mut self`.
pub fn is_borrowed_mutably(receiver: &syn::Receiver) -> bool {
    matches!(receiver.kind, syn::ReceiverKind::Reference(_, _, Some(_)))
}

/// Refuses what no annotated function may be.
pub fn refuse_signature(signature: &syn::Signature, report: &mut Report) {
    for (span, what, help) in [
        (
            signature.asyncness.map(|token| token.span()),
            "an async function cannot be annotated: its loop could be suspended",
            "make it a plain function and call it from async code",
        ),
        (
            signature.constness.map(|token| token.span()),
            "a const function cannot be annotated: nothing runs in parallel while compiling",
            "remove `const`",
        ),
        (
            signature.abi.as_ref().map(|abi| abi.span()),
            "a function with a foreign calling convention cannot be annotated: its parameters become generic",
            "annotate a Rust function and call it from this one",
        ),
        (
            signature.variadic.as_ref().map(|variadic| variadic.span()),
            "a variadic function cannot be annotated",
            "take slices",
        ),
    ] {
        span.into_iter().for_each(|span| report.error(Code::FA001, span, what, help));
    }
    if let syn::ReturnType::Type(_, ty) = &signature.output
        && let Some((place, text)) = opaque_in(ty.to_token_stream())
    {
        report.error(
            Code::FA003,
            place,
            format!("`{text} ..` is a type that only the body tells, and the function has two bodies: its own, and the sequential one"),
            "return the type itself, or annotate a function that does and call it from this one",
        );
    }
}
