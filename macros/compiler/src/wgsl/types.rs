//! Types: as devices hold them, and as they are inferred.

use super::asks::{self, Asks, Source};
use super::operators::Operator;
use super::views::Base;
use crate::ir::Op;
use crate::ir::report::Place;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The type of an element or a value, as Rust names it: `core`'s `device::Type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    Isize,
    Usize,
    F16,
    F32,
    F64,
    /// `[T; N]`.
    Array(Box<Type>, usize),
    /// What the program asks for under this number, and what is known of it.
    Asked(usize, Literal),
}

const NAMES: [(&str, Type); 14] = [
    ("bool", Type::Bool),
    ("i8", Type::I8),
    ("u8", Type::U8),
    ("i16", Type::I16),
    ("u16", Type::U16),
    ("i32", Type::I32),
    ("u32", Type::U32),
    ("i64", Type::I64),
    ("u64", Type::U64),
    ("isize", Type::Isize),
    ("usize", Type::Usize),
    ("f16", Type::F16),
    ("f32", Type::F32),
    ("f64", Type::F64),
];

impl Type {
    pub fn named(name: &str) -> Option<Type> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, ty)| ty.clone())
    }

    /// Rust's name; that of its elements for an array.
    pub fn name(&self) -> String {
        match self {
            Type::Array(element, _) => element.name(),
            Type::Asked(number, _) => format!("${number}$"),
            scalar => NAMES.iter().find(|(_, ty)| ty == scalar).map_or("", |(name, _)| name).to_owned(),
        }
    }

    /// Whether WGSL's operators compute as Rust does: those of `f16` round.
    pub fn is_plain_float(&self) -> bool {
        self.is_float() && *self != Type::F16
    }

    pub fn is_float(&self) -> bool {
        matches!(self, Type::F16 | Type::F32 | Type::F64 | Type::Asked(_, Literal::Float))
    }

    pub fn is_integer(&self) -> bool {
        !self.is_float() && !matches!(self, Type::Bool | Type::Array(..) | Type::Asked(_, Literal::Any))
    }

    /// Whether it may turn out to be anything.
    pub fn is_open(&self) -> bool {
        matches!(self, Type::Asked(_, Literal::Any))
    }

    /// Whether a value of it may have parts, so that only a variable is indexed by what is not known before.
    pub fn has_parts(&self) -> bool {
        self.is_open() || matches!(self, Type::Array(..))
    }

    /// How many bytes a number has in Rust.
    pub fn bytes(&self) -> Option<usize> {
        Some(match self {
            Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 | Type::F16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 | Type::F64 | Type::Isize | Type::Usize => 8,
            _ => return None,
        })
    }

    pub fn is_signed(&self) -> bool {
        matches!(self, Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Isize)
    }

    /// The type that holds it in WGSL.
    pub fn wgsl(&self) -> String {
        match self {
            Type::I8 | Type::I16 | Type::I32 | Type::Isize => "i32".to_owned(),
            Type::U8 | Type::U16 | Type::U32 | Type::Usize => "u32".to_owned(),
            Type::F16 => "f32".to_owned(),
            Type::Array(element, length) => format!("array<{}, {length}>", element.wgsl()),
            Type::Asked(number, _) => format!("${number}:type$"),
            other => other.name(),
        }
    }

    /// What follows a literal of this type in WGSL.
    pub fn suffix(&self) -> &'static str {
        match self {
            Type::I64 => "li",
            Type::U64 => "lu",
            Type::F16 | Type::F32 => "f",
            Type::F64 => "lf",
            Type::U8 | Type::U16 | Type::U32 | Type::Usize => "u",
            _ => "i",
        }
    }
}

/// A type as code, for a `Program`.
pub fn tokens(ty: &Type) -> TokenStream {
    match ty {
        Type::Array(element, length) => {
            let element = tokens(element);
            quote!(::forall::__private::device::Type::Array(&#element, #length))
        }
        Type::Asked(number, _) => quote!(::forall::__private::device::Type::Asked(#number)),
        scalar => {
            let name = scalar.name();
            let (first, rest) = name.split_at(1);
            let name = format_ident!("{}{rest}", first.to_uppercase());
            quote!(::forall::__private::device::Type::#name)
        }
    }
}

/// A type while it is inferred. References are seen through: they do not occur.
#[derive(Debug, Clone)]
pub enum Ty {
    Unknown(usize),
    Scalar(Type),
    Array(Box<Ty>, usize),
    Slice(Box<Ty>),
    /// A part of an array that the loop has: of which one, and its elements. Its values are pairs, where it starts and how long
    /// it is, so that parts of one array can be chosen between.
    View(Rc<Base>, Box<Ty>),
    Tuple(Vec<Ty>),
    /// Its values are pairs: whether there is a value, and the value.
    Option(Box<Ty>),
    /// Of an expression that does not come to an end.
    Never,
    /// A type that devices do not have, by its text.
    Other(String),
}

impl Ty {
    pub const USIZE: Ty = Ty::Scalar(Type::Usize);
    pub const BOOL: Ty = Ty::Scalar(Type::Bool);

    pub fn unit() -> Ty {
        Ty::Tuple(Vec::new())
    }

    /// Where a part of an array starts, and how long it is.
    pub fn pair() -> Ty {
        Ty::Tuple(vec![Ty::USIZE, Ty::USIZE])
    }
}

/// What a literal tells of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Literal {
    #[default]
    Any,
    Integer,
    Float,
}

/// A type that follows from another, once that is known.
#[derive(Debug)]
enum Follows {
    /// The unsigned type of the same width.
    Unsigned,
    /// The type of the bits of a float.
    Bits,
    /// The type with a sign of the same width.
    Signed,
}

/// A type that is not known, or was not at first.
#[derive(Debug, Default)]
pub(super) struct Unknown {
    pub is: Option<Ty>,
    pub literal: Literal,
    /// What it is called, and where its type comes from, if nothing tells it.
    pub sources: Vec<(String, Source)>,
    /// The types of its parts.
    pub parts: Vec<(String, Ty)>,
}

/// What is known of the types.
#[derive(Debug, Default)]
pub struct Types {
    pub(super) unknowns: Vec<Unknown>,
    later: Vec<(Follows, Ty, Ty)>,
    /// Types that are called by a name.
    pub(super) given: HashMap<String, usize>,
    /// Names of types that stand for others: parameters.
    pub generic: Vec<String>,
    pub(super) asks: RefCell<Asks>,
    /// Operators between values that may be structs.
    pub(super) operators: Vec<Operator>,
    /// What does not fit together, seen at the end alone.
    pub(super) apart: Vec<(Place, String)>,
    /// Whether parts of arrays, and `Option`s, are seen as the pairs that they are.
    opened: bool,
}

impl Types {
    fn new_of(&mut self, literal: Literal) -> Ty {
        self.unknowns.push(Unknown { literal, ..Unknown::default() });
        Ty::Unknown(self.unknowns.len() - 1)
    }

    pub fn unknown(&mut self) -> Ty {
        self.new_of(Literal::Any)
    }

    pub fn integer(&mut self) -> Ty {
        self.new_of(Literal::Integer)
    }

    pub fn float(&mut self) -> Ty {
        self.new_of(Literal::Float)
    }

    /// What stands for a type at its outermost.
    pub fn shallow(&self, ty: &Ty) -> Ty {
        match self.root(ty) {
            Ty::View(..) if self.opened => Ty::pair(),
            Ty::Option(inner) if self.opened => Ty::Tuple(vec![Ty::BOOL, *inner]),
            // Of tuples, an array for each of their parts.
            Ty::Array(element, length) if self.opened => match self.shallow(&element) {
                Ty::Tuple(parts) => {
                    Ty::Tuple(parts.into_iter().map(|part| Ty::Array(Box::new(part), length)).collect())
                }
                element => Ty::Array(Box::new(element), length),
            },
            ty => ty,
        }
    }

    /// The same where parts of arrays are never seen as pairs.
    fn root(&self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        while let Ty::Unknown(number) = ty {
            match &self.unknowns[number].is {
                Some(known) => ty = known.clone(),
                None => break,
            }
        }
        ty
    }

    /// The array that values of a type are parts of.
    pub fn array_of(&self, ty: &Ty) -> Option<Rc<Base>> {
        match self.root(ty) {
            Ty::View(base, _) => Some(base),
            _ => None,
        }
    }

    /// Whether values of a type are parts of an array of tuples.
    pub fn is_of_tuples(&self, ty: &Ty) -> bool {
        matches!(self.root(ty), Ty::View(_, element) if matches!(self.shallow(&element), Ty::Tuple(_)))
    }

    /// What may be in an `Option`; any other type itself.
    pub fn inside(&self, ty: &Ty) -> Ty {
        match self.root(ty) {
            Ty::Option(inner) => self.root(&inner),
            other => other,
        }
    }

    /// Whether it is no tuple, or one of at most 8 parts that are none.
    pub fn is_flat(&self, ty: &Ty) -> bool {
        let parts = match self.root(ty) {
            Ty::Tuple(parts) => parts,
            one => vec![one],
        };
        parts.len() <= 8 && parts.iter().all(|part| self.known(part).is_some())
    }

    /// The parts of tuples, and of those that are parts.
    pub fn pieces(&self, ty: &Ty) -> Vec<Ty> {
        match self.root(ty) {
            Ty::Tuple(parts) => parts.iter().flat_map(|part| self.pieces(part)).collect(),
            one => vec![one],
        }
    }

    /// The types of the numbers that values are made of: with tuples and options opened, and one for all elements of an array.
    pub fn numbers(&self, ty: &Ty) -> Vec<Ty> {
        match self.root(ty) {
            Ty::Tuple(parts) => parts.iter().flat_map(|part| self.numbers(part)).collect(),
            Ty::Array(inner, _) | Ty::Slice(inner) | Ty::View(_, inner) | Ty::Option(inner) => self.numbers(&inner),
            one => vec![one],
        }
    }

    /// Whether there is an `Option` in a type.
    pub fn has_options(&self, ty: &Ty) -> bool {
        match self.root(ty) {
            Ty::Option(_) => true,
            Ty::Tuple(parts) => parts.iter().any(|part| self.has_options(part)),
            Ty::Array(element, _) => self.has_options(&element),
            _ => false,
        }
    }

    /// From here on, parts of arrays and `Option`s are seen as the pairs that they are.
    pub fn open(&mut self) {
        self.opened = true;
    }

    fn occurs(&self, number: usize, ty: &Ty) -> bool {
        match self.shallow(ty) {
            Ty::Unknown(other) => other == number,
            Ty::Array(element, _) | Ty::Slice(element) | Ty::View(_, element) | Ty::Option(element) => {
                self.occurs(number, &element)
            }
            Ty::Tuple(parts) => parts.iter().any(|part| self.occurs(number, part)),
            _ => false,
        }
    }

    /// Whether nothing is known of a type, and nobody will tell.
    pub fn is_unknown(&self, ty: &Ty) -> bool {
        matches!(self.shallow(ty), Ty::Unknown(number) if self.literal(number) == Literal::Any) && !self.has_answer(ty)
    }

    fn literal(&self, number: usize) -> Literal {
        self.unknowns[number].literal
    }

    /// Makes two types the same. Whether they can be.
    pub fn same(&mut self, a: &Ty, b: &Ty) -> bool {
        match (self.shallow(a), self.shallow(b)) {
            (Ty::Unknown(a), Ty::Unknown(b)) if a == b => true,
            (Ty::Unknown(a), Ty::Unknown(b)) => {
                let (from, to) = match (self.literal(a), self.literal(b)) {
                    (Literal::Any, _) => (a, b),
                    (_, Literal::Any) => (b, a),
                    (one, two) if one == two => (a, b),
                    _ => return false,
                };
                if self.literal(to) != Literal::Any && !self.unknowns[from].parts.is_empty() {
                    return false;
                }
                self.unknowns[from].is = Some(Ty::Unknown(to));
                let parts = self.unknowns[from].parts.clone();
                parts.into_iter().fold(true, |same, (key, part)| {
                    match self.unknowns[to].parts.iter().find(|(known, _)| *known == key) {
                        Some((_, other)) => {
                            let other = other.clone();
                            self.same(&part, &other) && same
                        }
                        None => {
                            // What it is bound to may be bound by now.
                            match self.shallow(&Ty::Unknown(to)) {
                                Ty::Unknown(to) => self.unknowns[to].parts.push((key, part)),
                                _ => return false,
                            }
                            same
                        }
                    }
                })
            }
            (Ty::Unknown(number), other) | (other, Ty::Unknown(number)) => {
                let fits = match (&other, self.literal(number)) {
                    (Ty::Never, _) => return true,
                    (_, Literal::Any) => true,
                    (Ty::Scalar(ty), Literal::Integer) => ty.is_integer(),
                    (Ty::Scalar(ty), Literal::Float) => ty.is_float(),
                    _ => false,
                };
                if !fits || self.occurs(number, &other) {
                    return false;
                }
                let parts = self.unknowns[number].parts.clone();
                let pairs: Option<Vec<(Ty, Ty)>> =
                    parts.into_iter().map(|(key, part)| Some((self.part(&other, &key)?, part))).collect();
                let Some(pairs) = pairs else { return false };
                if let (Ty::Array(element, _), Some((name, _))) = (&other, self.unknowns[number].sources.first()) {
                    let name = format!("{name}[..]");
                    self.source(element, &name, Source::Part(number, "[]".to_owned()));
                }
                self.unknowns[number].is = Some(other);
                pairs.iter().fold(true, |same, (a, b)| self.same(a, b) && same)
            }
            (Ty::Never, _) | (_, Ty::Never) => true,
            (Ty::Scalar(a), Ty::Scalar(b)) => a == b,
            (Ty::Array(a, n), Ty::Array(b, m)) => n == m && self.same(&a, &b),
            (Ty::Array(a, _) | Ty::Slice(a), Ty::Array(b, _) | Ty::Slice(b)) => self.same(&a, &b),
            (Ty::View(of, a), Ty::View(other, b)) => of.is(&other) && self.same(&a, &b),
            (Ty::View(_, a), Ty::Slice(b)) | (Ty::Slice(a), Ty::View(_, b)) => self.same(&a, &b),
            (Ty::Tuple(a), Ty::Tuple(b)) => a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| self.same(a, b)),
            (Ty::Option(a), Ty::Option(b)) => self.same(&a, &b),
            (Ty::Other(a), Ty::Other(b)) => a == b,
            _ => false,
        }
    }

    fn follow(&mut self, how: Follows, of: &Ty) -> Ty {
        let to = self.unknown();
        if let Ty::Unknown(number) = self.shallow(of) {
            let source = match how {
                Follows::Unsigned => Some(Source::Unsigned(number)),
                Follows::Bits => Some(Source::Bits(number)),
                // It is not asked for.
                Follows::Signed => None,
            };
            let name = self.text(of);
            source.into_iter().for_each(|source| self.source(&to, &name, source));
        }
        self.later.push((how, of.clone(), to.clone()));
        self.settle();
        to
    }

    /// The unsigned type as wide as this one.
    pub fn unsigned(&mut self, of: &Ty) -> Ty {
        self.follow(Follows::Unsigned, of)
    }

    /// The signed type as wide as this one.
    pub fn signed_of(&mut self, of: &Ty) -> Ty {
        self.follow(Follows::Signed, of)
    }

    /// The type of a float's bits.
    pub fn bits(&mut self, of: &Ty) -> Ty {
        self.follow(Follows::Bits, of)
    }

    /// The element of an array.
    pub fn element(&mut self, of: &Ty) -> Ty {
        match self.part(of, "[]") {
            Some(element) => element,
            None => self.unknown(),
        }
    }

    pub fn settle(&mut self) {
        self.settle_operators();
        loop {
            let before = self.later.len();
            for (how, of, to) in std::mem::take(&mut self.later) {
                let known = match (&how, self.shallow(&of)) {
                    (Follows::Bits, Ty::Scalar(Type::F16)) => Some(Ty::Scalar(Type::U16)),
                    (Follows::Bits, Ty::Scalar(Type::F32)) => Some(Ty::Scalar(Type::U32)),
                    (Follows::Bits, Ty::Scalar(Type::F64)) => Some(Ty::Scalar(Type::U64)),
                    (Follows::Signed, Ty::Scalar(ty)) => Some(Ty::Scalar(match ty {
                        Type::U8 => Type::I8,
                        Type::U16 => Type::I16,
                        Type::U32 => Type::I32,
                        Type::U64 => Type::I64,
                        Type::Usize => Type::Isize,
                        other => other,
                    })),
                    (Follows::Unsigned, Ty::Scalar(ty)) => Some(Ty::Scalar(match ty {
                        Type::I8 => Type::U8,
                        Type::I16 => Type::U16,
                        Type::I32 => Type::U32,
                        Type::I64 => Type::U64,
                        Type::Isize => Type::Usize,
                        other => other,
                    })),
                    _ => None,
                };
                match known {
                    Some(known) => _ = self.same(&to, &known),
                    None => self.later.push((how, of, to)),
                }
            }
            if self.later.len() == before {
                break;
            }
        }
    }

    /// Takes `i32` and `f64` where nothing tells the type of a literal.
    pub fn finish(&mut self) {
        self.finish_operators();
        for number in 0..self.unknowns.len() {
            let ty = match (&self.unknowns[number].is, self.literal(number)) {
                (None, Literal::Integer) => Type::I32,
                (None, Literal::Float) => Type::F64,
                _ => continue,
            };
            if self.has_answer(&Ty::Unknown(number)) {
                continue;
            }
            self.unknowns[number].is = Some(Ty::Scalar(ty));
            self.settle();
        }
    }

    /// A type as devices have it.
    pub fn known(&self, ty: &Ty) -> Option<Type> {
        match self.shallow(ty) {
            Ty::Scalar(ty) => Some(ty),
            Ty::Array(element, length) => Some(Type::Array(Box::new(self.known(&element)?), length)),
            Ty::Unknown(number) => Some(Type::Asked(self.asked(number)?, self.literal(number))),
            _ => None,
        }
    }

    /// The parts of a type, with tuples opened. An array of tuples is an array for each of their parts.
    pub fn parts(&self, ty: &Ty) -> Option<Vec<Type>> {
        match self.shallow(ty) {
            Ty::Tuple(parts) => {
                let parts: Option<Vec<_>> = parts.iter().map(|part| self.parts(part)).collect();
                Some(parts?.concat())
            }
            Ty::View(..) => Some(vec![Type::Usize, Type::Usize]),
            Ty::Option(inner) => Some([vec![Type::Bool], self.parts(&inner)?].concat()),
            Ty::Array(element, length) => {
                let parts = self.parts(&element)?.into_iter();
                Some(parts.map(|part| Type::Array(Box::new(part), length)).collect())
            }
            other => Some(vec![self.known(&other)?]),
        }
    }

    /// The same in a signature, where what is asked for is a hole.
    pub fn signed(&self, ty: &Ty) -> String {
        match self.root(ty) {
            Ty::Slice(element) | Ty::View(_, element) => format!("[{}]", self.signed(&element)),
            Ty::Array(element, length) => format!("[{}; {length}]", self.signed(&element)),
            Ty::Tuple(parts) => {
                format!("({})", parts.iter().map(|part| self.signed(part)).collect::<Vec<_>>().join(", "))
            }
            Ty::Option(inner) => format!("Option<{}>", self.signed(&inner)),
            ty => self.known(&ty).map_or_else(|| self.text(&ty), |ty| ty.name()),
        }
    }

    /// As a person writes it.
    pub fn text(&self, ty: &Ty) -> String {
        match self.shallow(ty) {
            Ty::Unknown(number) => match self.literal(number) {
                Literal::Any => match self.unknowns[number].sources.first() {
                    Some((name, Source::Given(_))) if self.given.contains_key(name) => {
                        return crate::ir::report::shown(name);
                    }
                    _ => "_",
                },
                Literal::Integer => "an integer",
                Literal::Float => "a float",
            }
            .to_owned(),
            Ty::Scalar(ty) => ty.name(),
            Ty::Array(element, length) => format!("[{}; {length}]", self.text(&element)),
            Ty::Slice(element) | Ty::View(_, element) => format!("[{}]", self.text(&element)),
            Ty::Tuple(parts) => {
                format!("({})", parts.iter().map(|part| self.text(part)).collect::<Vec<_>>().join(", "))
            }
            Ty::Option(inner) => format!("Option<{}>", self.text(&inner)),
            Ty::Never => "!".to_owned(),
            Ty::Other(text) => crate::ir::report::shown(&text),
        }
    }

    /// Whether a path is one that can be asked for: its parameters, if it has some, are numbers or such paths.
    fn is_plain(&self, path: &syn::Path) -> bool {
        /// What the standard library holds values in.
        const HOLDERS: [&str; 17] = [
            "Box",
            "Rc",
            "Arc",
            "Cell",
            "RefCell",
            "Mutex",
            "RwLock",
            "Cow",
            "Result",
            "HashMap",
            "HashSet",
            "BTreeMap",
            "BTreeSet",
            "VecDeque",
            "Wrapping",
            "PhantomData",
            "DistVec",
        ];
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
                !HOLDERS.contains(&name.as_str())
                    && !name.starts_with("Array")
                    && arguments.args.iter().all(is_argument)
            }
            syn::PathArguments::Parenthesized(_) => false,
        };
        known && path.segments.iter().take(before).all(|segment| segment.arguments.is_none())
    }

    /// The type that the author has written.
    pub fn written(&mut self, ty: &syn::Type, constants: &dyn Fn(&str) -> Option<usize>) -> Ty {
        use quote::ToTokens;
        match ty {
            syn::Type::Reference(inner) => self.written(&inner.elem, constants),
            syn::Type::Paren(inner) => self.written(&inner.elem, constants),
            syn::Type::Group(inner) => self.written(&inner.elem, constants),
            syn::Type::Slice(slice) => Ty::Slice(Box::new(self.written(&slice.elem, constants))),
            syn::Type::Array(array) => {
                let length = array.len.to_token_stream().to_string();
                let element = Box::new(self.written(&array.elem, constants));
                match usize_of(&length).or_else(|| constants(&length)) {
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
                    return super::options::ORDERING;
                }
                // What may be a struct of the author's is asked for.
                let plain = path.qself.is_none() && self.is_plain(&path.path);
                let name = path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
                let text = ty.to_token_stream().to_string();
                if !plain || FOREIGN.contains(&name.as_str()) || self.generic.contains(&text) {
                    return Ty::Other(text);
                }
                self.given(&text, asks::of_type(&ty.to_token_stream()))
            }
            other => Ty::Other(other.to_token_stream().to_string()),
        }
    }
}

/// What may be in an `Option`, if a path is one.
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
const FOREIGN: [&str; 7] = ["String", "str", "char", "i128", "u128", "Duration", "Instant"];

/// The number that a literal is.
pub fn usize_of(text: &str) -> Option<usize> {
    match syn::parse_str::<syn::Lit>(text).ok()? {
        syn::Lit::Int(int) => int.base10_parse().ok(),
        _ => None,
    }
}

/// Whether both sides of an operator have the type of the result.
pub fn is_arithmetic(op: Op) -> bool {
    !op.is_comparison() && !matches!(op, Op::AndAnd | Op::OrOr | Op::Shl | Op::Shr)
}
