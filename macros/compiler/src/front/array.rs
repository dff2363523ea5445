//! Arrays of `ndarray`: which types of parameters these are, and the parts of one along its first axis.

use crate::ir::text::shown;
use crate::ir::{Expr, Kind, Local, Statement};
use crate::language::methods;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};

/// A distributed array of a fixed number of dimensions.
#[derive(Debug, Clone)]
pub struct Array {
    pub dims: usize,
    /// Whether its elements may be written.
    pub writable: bool,
    /// Whether it is behind `&` or `&mut`.
    pub reference: bool,
    kind: Owner,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Array,
    View,
    ViewMut,
}

/// Why an array cannot be distributed, and what to take instead.
type Refused = (String, String);

/// Methods that may be called beside those that ask for the shape: for headers and for other annotated functions.
const SUPPORTED: &[&str] = &[
    "fill",
    "first",
    "get",
    "indexed_iter",
    "indexed_iter_mut",
    "into_iter",
    "iter",
    "iter_mut",
    "last",
    "view",
    "view_mut",
];

/// The number in `Axis(0)`.
pub fn axis(e: &Expr) -> Option<usize> {
    match &e.bare().kind {
        Kind::Call(path, args) if path.text().ends_with("Axis") => match &args.first()?.bare().kind {
            Kind::Int(number) => usize::try_from(*number).ok(),
            _ => None,
        },
        _ => None,
    }
}

/// A part of an array along its first axis: `a.row(i)`, `a.index_axis(Axis(0), i)`, `a.slice(s![i, ..])`.
pub struct Planes<'e> {
    /// An index, or a range.
    pub index: &'e Expr,
    pub mutable: bool,
    /// Whether it has all elements of its planes.
    pub whole: bool,
}

/// The part that a method gives, if it is one along the first axis.
pub fn part<'e>(method: &str, args: &'e [Expr]) -> Option<Planes<'e>> {
    let (name, mutable) = method.strip_suffix("_mut").map_or((method, false), |name| (name, true));
    let all = |e: &Expr| matches!(e.bare().kind, Kind::Range(None, None, _));
    let (index, whole) = match (name, args) {
        ("row", [index]) => (index, true),
        ("index_axis", [first, index]) if axis(first) == Some(0) => (index, true),
        ("slice", [slice]) => match &slice.bare().kind {
            Kind::Macro(name, along, _) if name == "s" => {
                let (index, others) = along.split_first()?;
                (index, others.iter().all(all))
            }
            _ => return None,
        },
        _ => return None,
    };
    // A negative number counts from the end, and a new axis is none of the array's.
    let mut counted = !index.text().ends_with("NewAxis");
    index.walk(&mut |e| {
        counted &= !matches!(e.kind, Kind::Unary('-', _));
        counted
    });
    counted.then_some(Planes { index, mutable, whole })
}

/// Whether a method gives all parts of an array along its first axis, one after the other: whether they may be written, and the
/// number of dimensions that the array must have for it.
pub fn parts(method: &str, args: &[Expr]) -> Option<(bool, Option<usize>)> {
    let (name, mutable) = method.strip_suffix("_mut").map_or((method, false), |name| (name, true));
    match (name, args) {
        ("outer_iter", []) => Some((mutable, None)),
        ("rows", []) => Some((mutable, Some(2))),
        ("axis_iter", [first]) if axis(first) == Some(0) => Some((mutable, None)),
        _ => None,
    }
}

/// Whether a variable that holds a view has the same shape all through some statements: nothing but its elements is touched.
pub fn keeps_its_shape(name: Local, body: &[Statement]) -> bool {
    let mut keeps = true;
    let mut look = |e: &Expr| {
        match &e.kind {
            Kind::Assign(place, op, _) => keeps &= !(op.is_none() && holds_whole(place, name)),
            Kind::Ref(true, inner) => keeps &= inner.name() != Some(name),
            Kind::Method(receiver, method, ..) if receiver.name() == Some(name) => {
                keeps &= methods::keeps_length(method);
            }
            Kind::Opaque(opaque) => keeps &= !opaque.receives(name),
            _ => {}
        }
        keeps
    };
    body.iter().for_each(|statement| statement.walk(&mut look));
    keeps
}

/// Whether a place that is assigned is a variable, or takes it apart with others.
fn holds_whole(place: &Expr, name: Local) -> bool {
    match &place.bare().kind {
        Kind::Name(n) => n == name,
        Kind::Tuple(parts) | Kind::Array(parts) => parts.iter().any(|part| holds_whole(part, name)),
        Kind::Index(..) | Kind::Field(..) | Kind::Unary(..) => false,
        _ => place.mentions(name),
    }
}

impl Array {
    /// Whether a method may be called on it: of its parts, those along the first axis.
    pub fn supports(&self, method: &str, args: &[Expr]) -> bool {
        let parts = || {
            part(method, args).is_some()
                || parts(method, args).is_some_and(|(_, dims)| dims.is_none_or(|dims| dims == self.dims))
        };
        methods::measures(method) || SUPPORTED.contains(&method) || parts()
    }

    /// Reads the type of a parameter: the array and the type of its elements, if it is an array.
    pub fn parse(ty: &syn::Type) -> Option<Result<(Array, syn::Type), Refused>> {
        let (reference, ty) = match ty {
            syn::Type::Reference(reference) => (Some(reference.mutability.is_some()), &*reference.elem),
            other => (None, other),
        };
        let syn::Type::Path(path) = ty else { return None };
        let last = path.path.segments.last()?;
        let syn::PathArguments::AngleBracketed(args) = &last.arguments else { return None };
        let types: Vec<&syn::Type> = args
            .args
            .iter()
            .filter_map(|arg| match arg {
                syn::GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect();
        let name = last.ident.to_string();
        let rest = name.strip_prefix("Array")?;
        let (kind, dims) =
            [("ViewMut", Owner::ViewMut), ("View", Owner::View), ("Ref", Owner::Array), ("", Owner::Array)]
                .into_iter()
                .find_map(|(stem, kind)| Some((kind, rest.strip_prefix(stem)?)))?;
        // `Array2<T>`, or `Array<T, Ix2>`.
        let dims = match (dims, types.as_slice()) {
            ("", [_, syn::Type::Path(dims)]) => {
                let dims = dims.path.segments.last()?.ident.to_string();
                dims.strip_prefix("Ix")?.to_owned()
            }
            (dims, [_]) => dims.to_owned(),
            _ => return None,
        };
        let element = (*types.first()?).clone();
        let text = |ty: &syn::Type| shown(&ty.to_token_stream().to_string()).replace(" < ", "<").replace(" >", ">");
        let (array, of) = (text(ty), text(&element));
        let dims = match dims.as_str() {
            "1" | "2" | "3" | "4" | "5" | "6" => dims.parse().ok()?,
            "D" | "Dyn" => {
                return Some(Err((
                    format!("the number of dimensions of `{array}` is not known while compiling"),
                    "take an array of a fixed number of dimensions, such as `ArrayView2<T>`; or mark the parameter \
                     `#[replicated]` if every rank has all of it"
                        .to_owned(),
                )));
            }
            _ => return None,
        };
        if kind == Owner::Array && reference.is_none() {
            return Some(Err((
                format!("`{array}` by value would be dropped at the end of the call, with what the loop wrote to it"),
                format!("take a view, `ArrayView{dims}<{of}>` or `ArrayViewMut{dims}<{of}>`, or a reference"),
            )));
        }
        let writable = match kind {
            Owner::Array => reference == Some(true),
            Owner::View => false,
            Owner::ViewMut => reference != Some(false),
        };
        Some(Ok((Array { dims, writable, kind, reference: reference.is_some() }, element)))
    }

    /// The types that callers may pass.
    pub fn bound(&self, element: &impl ToTokens) -> TokenStream {
        let (shaped, dims) = (format_ident!("{}", if self.writable { "ShapedMut" } else { "Shaped" }), self.dims());
        quote!(::forall::__private::#shaped<#element, #dims>)
    }

    /// The number of dimensions, as code.
    pub fn dims(&self) -> Literal {
        Literal::usize_unsuffixed(self.dims)
    }

    /// A whole array in the form that the author's own function takes.
    pub fn lent(&self, whole: &Ident) -> TokenStream {
        let lent = match self.kind {
            Owner::Array => quote!(#whole),
            Owner::View => quote!(#whole.view()),
            Owner::ViewMut => quote!(#whole.view_mut()),
        };
        match (self.reference, self.writable) {
            (false, _) => lent,
            (true, false) => quote!(&#lent),
            (true, true) => quote!(&mut #lent),
        }
    }
}
