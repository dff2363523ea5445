//! Structs of plain data: their values in bodies, and `#[derive(forall::DeviceData)]`.

use super::elaborate::Elaborate;
use super::tree::{Kind, Node};
use super::types::{Ty, Type};
use super::{asks, functions};
use crate::ir::Expr;
use crate::ir::report::{Code, Place, Report, shown};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

impl Elaborate<'_> {
    /// `Particle { mass: 1.0, ..p }`.
    pub fn made(&mut self, path: &TokenStream, fields: &[(TokenStream, Expr)], rest: Option<&Expr>, at: Place) -> Node {
        let ty = self.type_of_literal(path);
        let fields = fields.iter().map(|(name, value)| (name.to_string(), self.expr(value))).collect();
        let rest = rest.map(|rest| {
            let rest = self.expr(rest);
            self.same(&rest.ty, &ty, rest.at);
            rest.boxed()
        });
        self.of_fields(ty, fields, rest, at)
    }

    /// `Vec3(x, y, z)`, where that may be a tuple struct.
    pub fn made_of_parts(&mut self, function: &Expr, args: &[Expr], at: Place) -> Option<Node> {
        let path: syn::Path = syn::parse2(function.bare().tokens.clone()).ok()?;
        let name = path.segments.last()?.ident.to_string();
        let plain = path.segments.iter().all(|segment| segment.arguments.is_none());
        if !plain || !name.starts_with(char::is_uppercase) || matches!(&*name, "Some" | "Ok" | "Err") || args.is_empty()
        {
            return None;
        }
        let ty = self.type_of_literal(&path.to_token_stream());
        let fields = args.iter().enumerate().map(|(number, value)| (number.to_string(), self.expr(value))).collect();
        Some(self.of_fields(ty, fields, None, at))
    }

    /// The type of which a literal is. Whether its name is all of the type, or parameters belong to it, only a place tells
    /// where it is written as a type.
    fn type_of_literal(&mut self, path: &TokenStream) -> Ty {
        let text = path.to_string();
        if self.written_types.contains(&text) {
            return self.types.given(&text, asks::of_type(path));
        }
        // Else it follows from what is done with the value.
        self.types.unknown()
    }

    /// `value.name`.
    pub fn field(&mut self, value: &Node, name: &str, at: Place) -> Node {
        match self.types.part(&value.ty, name) {
            Some(part) => self.node(Kind::Field(value.clone().boxed(), name.to_owned()), part, at),
            None => {
                let ty = self.types.text(&value.ty);
                self.stuck(at, format!("`.{name}` is a field of `{ty}`, which a device does not have"))
            }
        }
    }

    fn of_fields(&mut self, ty: Ty, fields: Vec<(String, Node)>, rest: Option<Box<Node>>, at: Place) -> Node {
        for (name, value) in &fields {
            match self.types.part(&ty, name) {
                Some(part) => self.same(&part, &value.ty, value.at),
                None => self.obstacle(at, format!("`{name}` is no field that a device knows")),
            }
        }
        self.node(Kind::Struct(fields, rest), ty, at)
    }
}

/// Expands `#[derive(DeviceData)]`.
pub fn derive(item: &syn::DeriveInput) -> TokenStream {
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
fn mentions(ty: TokenStream, name: &Ident) -> bool {
    ty.into_iter().any(|token| match token {
        proc_macro2::TokenTree::Group(group) => mentions(group.stream(), name),
        proc_macro2::TokenTree::Ident(ident) => ident == *name,
        _ => false,
    })
}

/// An enum whose variants have no fields: a number.
fn of_enum(item: &syn::DeriveInput, data: &syn::DataEnum) -> Result<TokenStream, (Span, &'static str, &'static str)> {
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
                        (&#device::Variants(&[#(#name::#variants),*])).told_apart()
                    },
                    ordered: || {
                        #[allow(unused_imports)]
                        use #device::probes::*;
                        (&&&#device::Variants(&[#(#name::#variants),*])).are_ordered(&[#(#name::#variants as i128),*])
                    },
                }),
            };
            impl #device::Known for #name {
                const TYPE: #device::Type = #device::Type::Struct(&STRUCT);
            }
        };
    ))
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
        match functions::translate(&function) {
            Ok(marked) => {
                let path = functions::unnamed(match &item.trait_ {
                    Some((of_trait, _)) => quote!(<#of as #of_trait>::#name),
                    None => quote!(<#of>::#name),
                });
                let name = format!("{}::{name}", shown(&of.to_token_stream().to_string()));
                let of_trait = item.trait_.as_ref().map(|(of_trait, _)| of_trait);
                let registered = functions::registered(&function, &marked, &path, &name, Some((of, of_trait)));
                let conditions = method.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
                all.extend(quote!(
                    #(#conditions)*
                    #[allow(clippy::all, clippy::pedantic)]
                    const _: () = { #registered };
                ));
            }
            Err(obstacles) => {
                for obstacle in obstacles {
                    let help = "change it, or move the function to an `impl` without `#[forall::device]`";
                    report.error(Code::FA052, obstacle.place, obstacle.what, help);
                }
            }
        }
    }
    all
}

/// A method as a function that stands alone: `self` is a parameter like others, and `Self` the type.
fn alone(method: &syn::ImplItemFn, of: &syn::Type, types: &[(String, TokenStream)]) -> TokenStream {
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

fn without_self(tokens: TokenStream, of: &syn::Type, types: &[(String, TokenStream)]) -> TokenStream {
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

enum Layout {
    Fixed,
    Rust,
    Packed(Span),
}

/// What `#[repr(..)]` says of the order of fields.
fn layout(attributes: &[syn::Attribute]) -> Layout {
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

/// Types that are written as a path without parameters.
#[derive(Default)]
pub struct Written(pub std::collections::HashSet<String>);

impl<'ast> syn::visit::Visit<'ast> for Written {
    fn visit_type_path(&mut self, ty: &'ast syn::TypePath) {
        self.0.insert(ty.to_token_stream().to_string());
        syn::visit::visit_type_path(self, ty);
    }
}
