//! Parameters that are arrays of `ndarray`: which types these are, and what may be done with them.

use crate::front::function::{Function, Share};
use crate::ir::names::shadowed;
use crate::ir::report::{Code, Place, Report, shown};
use crate::ir::{Expr, Id, Kind, Statement};
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

/// The other methods that may be called: for headers and for other annotated functions.
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

/// Whether a method may be called on an array: of its parts, those along the first axis.
fn is_supported(method: &str, args: &[Expr], dims: usize) -> bool {
    let parts = || part(method, args).is_some() || parts(method, args, dims).is_some();
    methods::measures(method) || SUPPORTED.contains(&method) || parts()
}

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
pub struct Part<'e> {
    /// An index, or a range.
    pub index: &'e Expr,
    pub mutable: bool,
    /// Whether it has all elements of its planes.
    pub whole: bool,
}

/// The part that a method gives, if it is one along the first axis.
pub fn part<'e>(method: &str, args: &'e [Expr]) -> Option<Part<'e>> {
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
    counted.then_some(Part { index, mutable, whole })
}

/// Whether a method gives all parts of an array along its first axis, one after the other, and whether they may be written.
pub fn parts(method: &str, args: &[Expr], dims: usize) -> Option<bool> {
    let (name, mutable) = method.strip_suffix("_mut").map_or((method, false), |name| (name, true));
    match (name, args) {
        ("outer_iter", []) => Some(mutable),
        ("rows", []) if dims == 2 => Some(mutable),
        ("axis_iter", [first]) if axis(first) == Some(0) => Some(mutable),
        _ => None,
    }
}

/// Whether a variable that holds a view has the same shape all through some statements: nothing but its elements is touched.
pub fn keeps_its_shape(name: &str, body: &[Statement]) -> bool {
    let mut keeps = true;
    let mut look = |e: &Expr| {
        match &e.kind {
            Kind::Assign(place, op, _) => keeps &= !(op.is_none() && holds_whole(place, name)),
            Kind::Ref(true, inner) => keeps &= inner.name() != Some(name),
            Kind::Method(receiver, method, ..) if receiver.name() == Some(name) => {
                keeps &= methods::keeps_length(method);
            }
            Kind::Macro(_, args, names) => {
                keeps &= args.iter().any(|arg| arg.mentions(name)) || names.iter().all(|(n, _)| n != name);
            }
            _ => {}
        }
        keeps
    };
    body.iter().for_each(|statement| statement.walk(&mut look));
    keeps
}

/// Whether a place that is assigned is a variable, or takes it apart with others.
fn holds_whole(place: &Expr, name: &str) -> bool {
    match &place.bare().kind {
        Kind::Name(n) => n == name,
        Kind::Tuple(parts) | Kind::Array(parts) => parts.iter().any(|part| holds_whole(part, name)),
        Kind::Index(..) | Kind::Field(..) | Kind::Unary(..) => false,
        _ => place.mentions(name),
    }
}

impl Array {
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

    /// What callers may pass.
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

/// An element of a parameter, as a person writes it.
pub fn element(name: &str, array: Option<&Array>) -> String {
    let indices = ["i", "j", "k", "l", "m", "n"];
    match array.and_then(|array| indices.get(..array.dims)) {
        Some([_]) | None => format!("{name}[i]"),
        Some(indices) => format!("{name}[[{}]]", indices.join(", ")),
    }
}

/// The array and the method, where a method is called on an array that is not one of those that may be.
pub fn misused<'f>(function: &'f Function, e: &Expr) -> Option<&'f Share> {
    let Kind::Method(receiver, method, args, _) = &e.kind else { return None };
    let name = receiver.name()?;
    let share = function.shares.iter().find(|share| share.name == name)?;
    let dims = share.array.as_ref()?.dims;
    (!is_supported(method, args, dims) && !shadowed(&function.body, name).contains(&receiver.id)).then_some(share)
}

/// Whether an expression does what [`refuse_methods`] refuses: then it needs no other message.
pub fn is_refused(function: &Function, e: &Expr) -> bool {
    let mut refused = false;
    e.walk(&mut |e| {
        refused |= misused(function, e).is_some();
        !refused
    });
    refused
}

/// Refuses what is done with arrays beside indexing them, asking for their shape, iterating over them and taking parts.
pub fn refuse_methods(function: &Function, report: &mut Report) {
    function.body.walk(&mut |e| {
        let Some(share) = misused(function, e) else { return true };
        let name = &share.name;
        let (code, what, replicated) = if share.mutable {
            (Code::FA012, "may write any element", String::new())
        } else {
            let replicated = format!("; or mark the parameter `#[replicated] {name}` if every rank has all of it");
            (Code::FA050, "may read any element", replicated)
        };
        report.error(
            code,
            Place::from(e),
            format!("`{}` {what} of the distributed array `{name}`: it is not seen which", shown(&e.text())),
            format!(
                "write a loop over the elements, `{}`; of its methods, those that ask for the shape (`dim`, `shape`, `len_of`, ..), \
                 `iter`, `indexed_iter` and `outer_iter` in a header, and parts along the first axis (`index_axis(Axis(0), i)`, \
                 `slice(s![i, ..])`) are understood{replicated}",
                element(name, share.array.as_ref())
            ),
        );
        true
    });
}

/// Refuses parts that are taken for writing outside of the loops that are expanded: their elements may be on any rank.
pub fn refuse_parts_outside(function: &Function, is_expanded: impl Fn(Id) -> bool, report: &mut Report) {
    function.body.walk(&mut |e| {
        let Kind::Method(receiver, method, ..) = &e.kind else { return !is_expanded(e.id) };
        let share = function.shares.iter().find(|s| s.array.is_some() && receiver.name() == Some(&s.name));
        let Some(share) = share.filter(|_| method.ends_with("_mut") && method != "view_mut") else { return true };
        if !shadowed(&function.body, &share.name).contains(&receiver.id) {
            let name = &share.name;
            report.error(
                Code::FA012,
                Place::from(e),
                format!(
                    "`{}` may write elements of the distributed array `{name}` outside of the loops that run in parallel",
                    shown(&e.text())
                ),
                format!("write its elements in a loop, by their index (`{} = e`)", element(name, share.array.as_ref())),
            );
        }
        true
    });
}
