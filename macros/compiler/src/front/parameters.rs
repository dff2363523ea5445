//! The parameters of a function: which are distributed, and what callers may pass for them.

use crate::front::array::Array;
use crate::front::items::Items;
use crate::front::lower::Lower;
use crate::front::signature::is_borrowed_mutably;
use crate::front::tokens::names_in;
use crate::front::variables::{Declared, collection_of};
use crate::ir::report::{Code, Location, Report};
use crate::ir::text::shown_tokens;
use crate::ir::{Block, Id, Kind, Local};
use crate::language::methods;
use crate::maps::HashMap;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;

/// A word about a parameter.
#[derive(Debug, Clone)]
pub enum Marker {
    Gather,
    Halo(TokenStream),
    Scatter,
}

/// A distributed parameter.
#[derive(Debug, Clone)]
pub struct Share {
    pub name: Local,
    pub element: TokenStream,
    pub mutable: bool,
    pub marker: Option<Marker>,
    /// Where it is an array with a shape.
    pub array: Option<Array>,
    /// The expression that splits another slice, if this is a part of it and no parameter.
    pub split_by: Option<Id>,
    /// Whether it is a `Blocks<T>`: its elements stand for blocks.
    pub blocks: bool,
    pub span: Span,
}

impl Share {
    /// Whether its elements are written as floating-point numbers of the language.
    pub fn is_of_floats(&self) -> bool {
        ["f32", "f64"].contains(&self.element.to_string().as_str())
    }

    /// One of its elements, as a person writes it.
    pub fn element_text(&self) -> String {
        let (name, indices) = (&self.name, ["i", "j", "k", "l", "m", "n"]);
        match self.array.as_ref().and_then(|array| indices.get(..array.dims)) {
            Some([_]) | None => format!("{name}[i]"),
            Some(indices) => format!("{name}[[{}]]", indices.join(", ")),
        }
    }
}

/// A parameter `&mut Vec<T>` that loops push to.
#[derive(Debug, Clone)]
pub struct Push {
    pub name: Local,
    pub element: TokenStream,
}

/// The kinds of the parameters.
#[derive(Default)]
pub struct Parameters {
    pub shares: Vec<Share>,
    pub pushes: Vec<Push>,
    pub declared: HashMap<Local, Declared>,
    /// Types of elements that are made of type parameters.
    generic: Vec<TokenStream>,
    /// Whether slices are what this rank has.
    local: bool,
}

/// One of them, as it is read.
struct Parameter<'p> {
    name: Local,
    place: Location,
    span: Span,
    marker: Option<Marker>,
    replicated: bool,
    /// As callers see it.
    input: &'p mut syn::PatType,
}

/// The properties that follow from its type.
struct TypeOfParameter {
    element: Option<syn::Type>,
    array: Option<Array>,
    mutable: bool,
    /// Whether it is a `Vec`.
    growable: bool,
    /// Whether it is a `Blocks<T>`.
    blocks: bool,
}

impl Parameters {
    /// Reads the parameters of a signature, and makes those that are distributed generic: callers pass whatever meets a
    /// bound. `plain` keeps the author's types, and loses our markers.
    pub fn read(
        signature: &mut syn::Signature,
        plain: &mut syn::Signature,
        body: &Block,
        local: bool,
        lower: &mut Lower,
        report: &mut Report,
    ) -> Parameters {
        let mut parameters = Parameters { local, ..Parameters::default() };
        let generics = plain.generics.clone();
        for (input, plain) in signature.inputs.iter_mut().zip(plain.inputs.iter_mut()) {
            match (input, plain) {
                (syn::FnArg::Typed(input), syn::FnArg::Typed(plain)) => {
                    if let Some(parameter) = parameters.named(input, plain, lower, report) {
                        parameters.add(parameter, &generics, body, report);
                    }
                }
                (syn::FnArg::Receiver(receiver), _) => {
                    let mutable = receiver.mutability.is_some() || is_borrowed_mutably(receiver);
                    let declared = Declared { mutable, parameter: true, reference: mutable, ..Declared::default() };
                    parameters.declared.insert(Local::named("self"), declared);
                }
                _ => {}
            }
        }
        let clause = signature.generics.make_where_clause();
        for element in &parameters.generic {
            clause.predicates.push(syn::parse_quote!(#element: ::forall::__private::Element));
        }
        if let syn::ReturnType::Type(_, ty) = &signature.output
            && !parameters.shares.is_empty()
            && ty.to_token_stream().to_string().starts_with('&')
        {
            report.error(
                Code::FA003,
                &ty.to_token_stream(),
                "a reference to an element cannot be returned: the element may be on another rank",
                "return the value, or the index",
            );
        }
        parameters
    }

    /// Declares the names of a parameter; one with a single name is looked at further.
    fn named<'p>(
        &mut self,
        input: &'p mut syn::PatType,
        plain: &mut syn::PatType,
        lower: &mut Lower,
        report: &mut Report,
    ) -> Option<Parameter<'p>> {
        let (marker, replicated) = markers(&mut input.attrs, report);
        let _ = markers(&mut plain.attrs, &mut Report::default());
        let place = Location::from(&plain.to_token_stream());
        let pattern = lower.pattern(&input.pat);
        for binding in &pattern.names {
            let declared = Declared { mutable: binding.mutable, parameter: true, ..Declared::default() };
            self.declared.insert(binding.name, declared);
        }
        if let Some(binding) = pattern.single() {
            let span = match plain.pat.as_ref() {
                syn::Pat::Ident(ident) => ident.ident.span(),
                other => other.span(),
            };
            return Some(Parameter { name: binding.name, place, span, marker, replicated, input });
        }
        if marker.is_some() || replicated {
            report.error(Code::FA051, place, "a marker needs a parameter with a plain name", "name the parameter");
        } else if holds_slice(&input.ty) {
            report.error(
                Code::FA003,
                place,
                "a slice behind a pattern has no name, so it cannot be distributed",
                "take each slice as a parameter of its own: `x: &[T], y: &[T]`",
            );
        }
        None
    }

    fn add(&mut self, mut parameter: Parameter<'_>, generics: &syn::Generics, body: &Block, report: &mut Report) {
        let Some(held) = self.held(&parameter, generics, body, report) else { return };
        drop_markers(&mut parameter, &held, report);
        let Parameter { name, place, marker, replicated, .. } = &parameter;
        let Some(element) = &held.element else {
            if marker.is_some() || *replicated {
                report.warning(
                    Code::FA051,
                    *place,
                    format!("`{name}` is not a slice, so every rank has it anyway"),
                    "remove the marker",
                );
            }
            return;
        };
        refuse_markers(&parameter, &held, report);
        if *replicated {
            if held.mutable
                && let Some(declared) = self.declared.get_mut(name)
            {
                declared.everywhere = Some(*place);
            }
            return;
        }
        if held.blocks {
            let Parameter { name, span, .. } = parameter;
            let (element, mutable) = (quote!(::forall::__private::blocks::Token), held.mutable);
            self.shares.push(Share {
                name,
                element,
                mutable,
                marker: None,
                array: None,
                split_by: None,
                blocks: true,
                span,
            });
            return;
        }
        if held.growable && held.mutable && pushed(body, *name) {
            self.pushes.push(Push { name: *name, element: element.to_token_stream() });
            accept(&mut parameter.input.ty, quote!(::forall::__private::PushTarget<#element>));
            return;
        }
        if self.local {
            return;
        }
        let tokens = element.to_token_stream();
        if let syn::Type::Reference(_) = element {
            report.error(
                Code::FA040,
                &tokens,
                format!(
                    "`{}` refers to memory of this rank, so it cannot be an element of a distributed slice",
                    shown_tokens(&tokens)
                ),
                format!(
                    "mark the parameter `#[replicated] {name}` if every rank has all of it, or take the elements themselves"
                ),
            );
            return;
        }
        let mut named = Vec::new();
        names_in(tokens.clone(), &mut named);
        if named.iter().any(|(name, _)| generics.type_params().any(|p| p.ident == name)) {
            self.generic.push(tokens);
        }
        self.shares.push(share(parameter, held, report));
    }

    /// The properties that follow from the type of a parameter; none if it is rejected, or if every rank has an array
    /// of it.
    fn held(
        &mut self,
        parameter: &Parameter<'_>,
        generics: &syn::Generics,
        body: &Block,
        report: &mut Report,
    ) -> Option<TypeOfParameter> {
        let Parameter { name, place, replicated, input, .. } = parameter;
        let reference = match &*input.ty {
            syn::Type::Reference(reference) => Some(reference),
            _ => None,
        };
        let borrowed = reference.is_some_and(|reference| reference.mutability.is_some());
        let declared = self.declared.get_mut(name)?;
        let (array, mut element) = match Array::parse(&input.ty) {
            Some(Ok((array, element))) => (Some(array), Some(element)),
            Some(Err(_)) if *replicated => {
                declared.mutable |= borrowed;
                declared.reference = borrowed;
                return None;
            }
            Some(Err((message, help))) => {
                report.error(Code::FA003, *place, message, help);
                return None;
            }
            None => (None, None),
        };
        let mutable = array.as_ref().map_or(borrowed, |array| array.writable);
        let ty = reference.map_or(&*input.ty, |reference| &*reference.elem);
        let growable = argument_of(ty, "Vec").is_some();
        // Where no loop goes through them, they are a value as any other.
        let blocks = reference.is_some() && argument_of(ty, "Blocks").is_some() && gone_through(body, *name);
        if element.is_none() && reference.is_some() {
            element = match ty {
                syn::Type::Slice(slice) => Some((*slice.elem).clone()),
                other if blocks => argument_of(other, "Blocks"),
                other => argument_of(other, "Vec"),
            };
        }
        let text = match ty {
            // What is said of the type elsewhere.
            syn::Type::Path(path) if generics.type_params().any(|p| path.path.is_ident(&p.ident)) => {
                let (params, clause) = (&generics.params, &generics.where_clause);
                quote!(#params #clause).to_string()
            }
            other => other.to_token_stream().to_string(),
        };
        declared.mutable |= mutable;
        declared.reference = mutable;
        declared.iterator = element.is_none() && (text.contains("Iterator") || text.contains("Range"));
        declared.collection = collection_of(ty);
        declared.buffer = element.is_some() || growable || matches!(ty, syn::Type::Array(_));
        if let syn::Type::Array(array) = ty {
            declared.length = Some(array.len.to_token_stream().to_string());
        }
        Some(TypeOfParameter { element, array, mutable, growable, blocks })
    }
}

/// A distributed parameter, whose type becomes a bound.
fn share(parameter: Parameter<'_>, held: TypeOfParameter, report: &mut Report) -> Share {
    let Parameter { name, span, marker, input, .. } = parameter;
    let TypeOfParameter { element, array, mutable, .. } = held;
    let bound = match &array {
        Some(array) => array.bound(&element),
        None if mutable => quote!(::forall::__private::SharedMut<#element>),
        None => quote!(::forall::__private::Shared<#element>),
    };
    accept(&mut input.ty, bound);
    let by_value = array.as_ref().is_some_and(|array| !array.reference);
    if let syn::Pat::Ident(ident) = &mut *input.pat {
        let bound_again = ident.mutability.take().is_some();
        if by_value {
            // A view is written through `&mut` of the parameter.
            ident.mutability = mutable.then(Default::default);
        } else if bound_again {
            report.error(
                Code::FA003,
                span,
                format!(
                    "`{name}` is a slice that is bound again (`mut {name}`), so it is not seen which elements it holds"
                ),
                "remove `mut`, and index the whole slice",
            );
        }
    }
    Share { name, element: element.to_token_stream(), mutable, marker, array, split_by: None, blocks: false, span }
}

/// The problem with a slice that every rank has, and in which each would write other elements.
pub fn copies_are_written(name: Local) -> String {
    format!("`{name}` may be written, so it cannot be marked for reading: every rank would write a copy of its own")
}

/// The remedy.
pub const WRITTEN_IS_DISTRIBUTED: &str = "take `&[T]`, or remove the marker: written slices are distributed";

/// Refuses markers of a slice that do not fit it.
fn refuse_markers(parameter: &Parameter<'_>, held: &TypeOfParameter, report: &mut Report) {
    let Parameter { name, place, marker, replicated, .. } = parameter;
    let mutable = held.mutable;
    let mut refuse = |message: String, help: &str| report.error(Code::FA051, *place, message, help);
    if held.blocks && (*replicated || marker.is_some()) {
        refuse(
            format!("`{name}` are blocks: each is on one rank, which runs its iteration"),
            "remove the marker; what other blocks need is sent to them as messages",
        );
        return;
    }
    if *replicated && mutable && (held.array.is_some() || held.growable) {
        refuse(copies_are_written(*name), WRITTEN_IS_DISTRIBUTED);
    }
    if *replicated && marker.is_some() {
        refuse(
            format!("`{name}` has two markers that exclude each other"),
            "`#[replicated]` says that every rank has all of it; keep one",
        );
    }
    if matches!(marker, Some(Marker::Scatter)) && !*replicated && held.array.is_some() {
        refuse(
            format!("`{name}` has a shape: iterations are scattered to slices only"),
            "take `&mut [T]`, and write at `y * nx + x`",
        );
    }
}

/// Drops markers that have no effect, and warns of them.
fn drop_markers(parameter: &mut Parameter<'_>, held: &TypeOfParameter, report: &mut Report) {
    let Parameter { name, place, marker, replicated, .. } = parameter;
    if *replicated || held.blocks || held.element.is_none() {
        return;
    }
    let (message, help) = match (&*marker, held.mutable) {
        (Some(Marker::Scatter), false) => (
            format!("`{name}` is not written, so `#[scatter]` has no effect"),
            "remove the marker; `#[gather]` is for reads at places that only the data know",
        ),
        (Some(Marker::Halo(_)), true) => (
            format!("`{name}` may be written, so its marker for reading has no effect"),
            "remove the marker: the footprints of written slices are derived",
        ),
        _ => return,
    };
    report.warning(Code::FA051, *place, message, help);
    *marker = None;
}

/// Whether anything is pushed to the vector.
fn pushed(body: &Block, name: Local) -> bool {
    let mut found = false;
    body.walk(&mut |e| {
        if let Kind::Method(receiver, method, _, _) = &e.kind {
            found |= receiver.root() == Some(name) && methods::pushes(method);
        }
        !found
    });
    found
}

/// Whether a loop goes through what has this name.
fn gone_through(body: &Block, name: Local) -> bool {
    let (mut found, mut through) = (false, Vec::new());
    body.walk(&mut |e| {
        if let Kind::For(f) = &e.kind {
            Items::of(&f.source).gone_through(&mut through);
            found |= through.drain(..).any(|of| of.name() == Some(name));
        }
        !found
    });
    found
}

/// Lets callers pass whatever meets a bound, behind the reference that the author wrote.
fn accept(ty: &mut syn::Type, bound: TokenStream) {
    match ty {
        syn::Type::Reference(reference) => {
            *reference.elem = syn::Type::Verbatim(quote!((impl #bound + ?::core::marker::Sized)))
        }
        by_value => *by_value = syn::Type::Verbatim(quote!(impl #bound)),
    }
}

/// Whether a slice is part of a type.
fn holds_slice(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Reference(reference) => {
            matches!(&*reference.elem, syn::Type::Slice(_)) || holds_slice(&reference.elem)
        }
        syn::Type::Tuple(tuple) => tuple.elems.iter().any(holds_slice),
        syn::Type::Array(array) => holds_slice(&array.elem),
        syn::Type::Paren(inner) => holds_slice(&inner.elem),
        _ => false,
    }
}

/// The type that a type of this name has as its first argument.
pub(super) fn argument_of(ty: &syn::Type, name: &str) -> Option<syn::Type> {
    let syn::Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if last.ident != name {
        return None;
    }
    match &last.arguments {
        syn::PathArguments::AngleBracketed(args) => match args.args.first()? {
            syn::GenericArgument::Type(ty) => Some(ty.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn markers(attrs: &mut Vec<syn::Attribute>, report: &mut Report) -> (Option<Marker>, bool) {
    let (mut marker, mut replicated) = (None, false);
    attrs.retain(|attr| {
        let Some(name) = attr.path().segments.last().map(|s| s.ident.to_string()) else { return true };
        let found = match name.as_str() {
            "replicated" => {
                replicated = true;
                return false;
            }
            "gather" => Marker::Gather,
            "scatter" => Marker::Scatter,
            "halo" => match attr.parse_args::<syn::Expr>() {
                Ok(width) => Marker::Halo(width.to_token_stream()),
                Err(_) => {
                    report.error(
                        Code::FA051,
                        &attr.to_token_stream(),
                        "`#[halo(..)]` needs a width",
                        "say how many elements away an iteration may read, `#[halo(nx)]`",
                    );
                    return false;
                }
            },
            _ => return true,
        };
        if marker.replace(found).is_some() {
            report.error(
                Code::FA051,
                &attr.to_token_stream(),
                "a parameter has one marker",
                "keep `#[gather]`, `#[scatter]` or `#[halo(..)]`",
            );
        }
        false
    });
    (marker, replicated)
}

/// A parameter that is a slice.
pub(super) struct Slice<'s> {
    pub name: Local,
    pub mutable: bool,
    pub element: &'s syn::Type,
    /// Whether it has a marker.
    pub marked: bool,
}

/// The parameters that are slices.
pub(super) fn slices(signature: &syn::Signature) -> impl Iterator<Item = Slice<'_>> {
    signature.inputs.iter().filter_map(|input| {
        let syn::FnArg::Typed(syn::PatType { attrs, pat, ty, .. }) = input else { return None };
        let (syn::Pat::Ident(name), syn::Type::Reference(of)) = (&**pat, &**ty) else { return None };
        let syn::Type::Slice(slice) = &*of.elem else { return None };
        let (mutable, marked) = (of.mutability.is_some(), !attrs.is_empty());
        Some(Slice { name: Local::from(&name.ident), mutable, element: &slice.elem, marked })
    })
}
