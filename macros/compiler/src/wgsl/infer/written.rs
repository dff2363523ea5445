//! Types as the author writes them.

use crate::wgsl::contract::Type;
use crate::wgsl::infer::types::Types;
use crate::wgsl::tree::Ty;

impl Types {
    /// Whether a path is one that can be asked for: its parameters, if it has some, are numbers or such paths.
    pub fn is_plain(&self, path: &syn::Path) -> bool {
        /// Types of the standard library that hold values.
        const HOLDERS: &str = "Box Rc Arc Cell RefCell Mutex RwLock Cow Result HashMap HashSet BTreeMap BTreeSet VecDeque Wrapping \
                               PhantomData DistVec";
        let (Some(last), before) = (path.segments.last(), path.segments.len().saturating_sub(1)) else { return false };
        let is_argument = |argument: &syn::GenericArgument| match argument {
            syn::GenericArgument::Type(syn::Type::Path(ty)) => {
                let text = quote::ToTokens::to_token_stream(ty).to_string();
                ty.qself.is_none() && !self.generic.contains(&text) && self.is_plain(&ty.path)
            }
            _ => false,
        };
        let known = match &last.arguments {
            syn::PathArguments::None => true,
            syn::PathArguments::AngleBracketed(arguments) => {
                let name = last.ident.to_string();
                !HOLDERS.split_whitespace().any(|holder| holder == name)
                    && !name.starts_with("Array")
                    && arguments.args.iter().all(is_argument)
            }
            syn::PathArguments::Parenthesized(_) => false,
        };
        known && path.segments.iter().take(before).all(|segment| segment.arguments.is_none())
    }

    /// The type that the author has written.
    pub fn written(&mut self, ty: &syn::Type, constants: &dyn Fn(&syn::Expr) -> Option<usize>) -> Ty {
        use quote::ToTokens;
        match ty {
            syn::Type::Reference(inner) => self.written(&inner.elem, constants),
            syn::Type::Paren(inner) => self.written(&inner.elem, constants),
            syn::Type::Group(inner) => self.written(&inner.elem, constants),
            syn::Type::Slice(slice) => Ty::Slice(Box::new(self.written(&slice.elem, constants))),
            syn::Type::Array(array) => {
                let element = Box::new(self.written(&array.elem, constants));
                let length = match &array.len {
                    syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(length), .. }) => length.base10_parse().ok(),
                    length => constants(length),
                };
                match length {
                    Some(length) => Ty::Array(element, length),
                    None => Ty::Slice(element),
                }
            }
            syn::Type::Tuple(tuple) => {
                Ty::Tuple(tuple.elems.iter().map(|part| self.written(part, constants)).collect())
            }
            syn::Type::Infer(_) => self.unknown(),
            syn::Type::Never(_) => Ty::Never,
            syn::Type::Path(path) => {
                if let Some(scalar) = path.path.get_ident().and_then(|name| Type::named(&name.to_string())) {
                    return Ty::Scalar(scalar);
                }
                if let Some(last) = path.path.segments.last()
                    && last.ident == "Vec"
                    && let syn::PathArguments::AngleBracketed(args) = &last.arguments
                    && let Some(syn::GenericArgument::Type(element)) = args.args.first()
                {
                    return Ty::Slice(Box::new(self.written(element, constants)));
                }
                if let Some(inner) = of_option(&path.path) {
                    return Ty::Option(Box::new(self.written(inner, constants)));
                }
                if path.path.segments.last().is_some_and(|last| last.ident == "Ordering") {
                    return Ty::ORDERING;
                }
                // What may be a struct of the author's is asked for.
                let plain = path.qself.is_none() && self.is_plain(&path.path);
                let name = path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
                let text = ty.to_token_stream().to_string();
                if !plain || FOREIGN.contains(&name.as_str()) || self.generic.contains(&text) {
                    return Ty::Other(text);
                }
                self.given(&text, &ty.to_token_stream())
            }
            other => Ty::Other(other.to_token_stream().to_string()),
        }
    }
}

/// The type in an `Option`, if a path is one.
pub fn of_option(path: &syn::Path) -> Option<&syn::Type> {
    let last = path.segments.last().filter(|last| last.ident == "Option")?;
    match &last.arguments {
        syn::PathArguments::AngleBracketed(args) => match args.args.first()? {
            syn::GenericArgument::Type(inner) => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

/// Types that no device has.
pub const FOREIGN: [&str; 7] = ["String", "str", "char", "i128", "u128", "Duration", "Instant"];
