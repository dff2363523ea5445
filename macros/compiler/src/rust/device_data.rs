//! `#[derive(forall::DeviceData)]`.

use crate::ir::report::{Code, Report};
use crate::ir::text::shown;
use crate::wgsl::contract::Type;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

/// Expands `#[derive(DeviceData)]`.
pub fn device_data(item: TokenStream) -> TokenStream {
    match syn::parse2::<syn::DeriveInput>(item) {
        Ok(item) => derive(&item),
        Err(error) => error.into_compile_error(),
    }
}

fn derive(item: &syn::DeriveInput) -> TokenStream {
    let mut report = Report::default();
    let mut refuse = |span: Span, what: &str, help: &str| report.error(Code::FA053, span, what, help);
    let name = &item.ident;
    let data = match &item.data {
        syn::Data::Struct(data) => Some(data),
        syn::Data::Enum(data) => match of_enum(item, data) {
            Ok(tokens) => return tokens,
            Err((span, what, help)) => {
                refuse(span, what, help);
                None
            }
        },
        syn::Data::Union(data) => {
            let help = "take a struct, and `to_bits` where the bits are meant";
            refuse(data.union_token.span, "a union has no fields that a device could tell apart", help);
            None
        }
    };
    if let Some(parameter) = item.generics.params.iter().find(|p| !matches!(p, syn::GenericParam::Type(_))) {
        let (what, help) = match parameter {
            syn::GenericParam::Lifetime(_) => {
                ("a struct with a lifetime refers to memory of this machine", "take the values themselves")
            }
            _ => ("a struct for a device has parameters that are types alone", "write a struct for each of them"),
        };
        refuse(parameter.span(), what, help);
    }
    if let Some(data) = data {
        if data.fields.is_empty() {
            refuse(name.span(), "a struct without fields has nothing that a device could hold", "remove the derive");
        }
        match layout(&item.attrs) {
            Layout::Fixed => {}
            Layout::Rust => refuse(
                name.span(),
                "the compiler may put the fields of this struct in any order",
                "put `#[repr(C)]` above it, or `#[repr(transparent)]`",
            ),
            Layout::Packed(span) => refuse(
                span,
                "the fields of a packed struct may begin in the middle of a number",
                "remove `packed` or `align`, and put fields into an order that leaves no room between them",
            ),
        }
    }
    let (Some(data), true) = (data, report.is_empty()) else { return report.finish() };
    let device = quote!(::forall::__private::device);
    let fields: Vec<(String, syn::Member, &syn::Type)> = data
        .fields
        .iter()
        .zip(data.fields.members())
        .map(|(field, member)| {
            let text = shown(&member.to_token_stream().to_string());
            (text.trim_start_matches("r#").to_owned(), member, &field.ty)
        })
        .collect();
    let entries = fields.iter().map(|(text, _, ty)| quote_spanned!(ty.span()=> (#text, <#ty as #device::Known>::TYPE)));
    // Where each field begins is after those before it: there is no room between them.
    let room = "FA053: there is room between the fields, or after the last one: put the larger ones first, and name what is left";
    let checks = fields.iter().enumerate().map(|(number, (_, member, _))| {
        let before = fields[..number].iter().map(|(_, _, ty)| quote!(::core::mem::size_of::<#ty>()));
        quote!(::core::assert!(::core::mem::offset_of!(Self, #member) == 0 #(+ #before)*, #room);)
    });
    let sizes = fields.iter().map(|(_, _, ty)| quote!(::core::mem::size_of::<#ty>()));
    let parameters: Vec<&Ident> = item.generics.type_params().map(|parameter| &parameter.ident).collect();
    let (generics, types, conditions) = item.generics.split_for_impl();
    let mut conditions = conditions.cloned().unwrap_or_else(|| syn::parse_quote!(where));
    if !parameters.is_empty() {
        let all = item.generics.type_params().map(|parameter| &parameter.ident);
        all.for_each(|parameter| conditions.predicates.push(syn::parse_quote!(#parameter: #device::Known)));
        conditions.predicates.push(syn::parse_quote!(#name #types: #device::Element));
        let generic = |ty: &syn::Type| parameters.iter().any(|parameter| mentions(ty.to_token_stream(), parameter));
        for ty in fields.iter().map(|(_, _, ty)| *ty).filter(|ty| generic(ty)) {
            conditions.predicates.push(syn::parse_quote!(#ty: #device::Known));
        }
    }
    // What has no parameters is looked at at once.
    let at_once = parameters.is_empty().then(|| quote!(const _: () = <#name as #device::Known>::FITS;));
    quote!(
        const _: () = {
            impl #generics #device::Known for #name #types #conditions {
                const TYPE: #device::Type = #device::Type::Struct(&#device::Struct {
                    name: ::core::concat!(::core::module_path!(), "::", ::core::stringify!(#name)),
                    arguments: &[#(<#parameters as #device::Known>::TYPE),*],
                    fields: &[#(#entries),*],
                    variants: ::core::option::Option::None,
                });
                const FITS: () = {
                    #(#checks)*
                    ::core::assert!(::core::mem::size_of::<Self>() == 0 #(+ #sizes)*, #room);
                };
            }
            #at_once
        };
    )
}

/// Whether a type is made of this one.
pub fn mentions(ty: TokenStream, name: &Ident) -> bool {
    ty.into_iter().any(|token| match token {
        proc_macro2::TokenTree::Group(group) => mentions(group.stream(), name),
        proc_macro2::TokenTree::Ident(ident) => ident == *name,
        _ => false,
    })
}

/// An enum whose variants have no fields: a number.
pub fn of_enum(
    item: &syn::DeriveInput,
    data: &syn::DataEnum,
) -> Result<TokenStream, (Span, &'static str, &'static str)> {
    let name = &item.ident;
    if let Some(variant) = data.variants.iter().find(|variant| !variant.fields.is_empty()) {
        let help = "take a struct with a number that tells the cases apart";
        return Err((
            variant.ident.span(),
            "a variant with fields is no plain data: not all of its bits mean something",
            help,
        ));
    }
    if data.variants.is_empty() {
        return Err((name.span(), "an enum without variants has no values", "remove the derive"));
    }
    let mut repr = None;
    for attribute in item.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        // What it cannot parse the compiler refuses.
        let _ = attribute.parse_nested_meta(|meta| {
            repr =
                meta.path.get_ident().filter(|name| Type::named(&name.to_string()).is_some()).cloned().or(repr.take());
            Ok(())
        });
    }
    let Some(repr) = repr else {
        let help = "put `#[repr(u8)]` above it, and derive `bytemuck::NoUninit`";
        return Err((name.span(), "the compiler may take any number for a variant of this enum", help));
    };
    let device = quote!(::forall::__private::device);
    let variants: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    Ok(quote!(
        const _: () = {
            static STRUCT: #device::Struct = #device::Struct {
                name: ::core::concat!(::core::module_path!(), "::", ::core::stringify!(#name)),
                arguments: &[],
                fields: &[("variant", <#repr as #device::Known>::TYPE)],
                variants: ::core::option::Option::Some(#device::Compared {
                    apart: || {
                        #[allow(unused_imports)]
                        use #device::probes::*;
                        (&#device::Variants(&[#(#name::#variants),*])).__told_apart()
                    },
                    ordered: || {
                        #[allow(unused_imports)]
                        use #device::probes::*;
                        (&&&#device::Variants(&[#(#name::#variants),*])).__are_ordered(&[#(#name::#variants as i128),*])
                    },
                }),
            };
            impl #device::Known for #name {
                const TYPE: #device::Type = #device::Type::Struct(&STRUCT);
            }
        };
    ))
}

pub enum Layout {
    Fixed,
    Rust,
    Packed(Span),
}

/// The order of fields by `#[repr(..)]`.
pub fn layout(attributes: &[syn::Attribute]) -> Layout {
    let mut found = Layout::Rust;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        let mut packed = None;
        // What it cannot parse the compiler refuses.
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("C") || meta.path.is_ident("transparent") {
                found = Layout::Fixed;
            } else if meta.path.is_ident("packed") {
                packed = Some(meta.path.span());
            }
            if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                content.parse::<TokenStream>()?;
            }
            Ok(())
        });
        if let Some(span) = packed {
            return Layout::Packed(span);
        }
    }
    found
}
