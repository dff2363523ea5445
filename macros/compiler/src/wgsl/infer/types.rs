//! Types as they are inferred: what is the same, and what follows from what.

use crate::ir::report::Location;
use crate::maps::{HashMap, HashSet};
use crate::wgsl::contract::{Literal, Type};
use crate::wgsl::infer::unknowns::{Follows, OpenOperator, Origin, Queries, Unknown};
use crate::wgsl::tree::{Base, Ty};
use std::cell::RefCell;
use std::rc::Rc;

/// A type, a path or a place outside of the loop, as the user wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Spelling(pub String);

/// The known types.
#[derive(Debug, Default)]
pub struct Types {
    pub unknowns: Vec<Unknown>,
    later: Vec<(Follows, Ty, Ty)>,
    /// Types that are called by a name.
    pub given: HashMap<Spelling, usize>,
    /// Types that the function writes, as text.
    pub spelled: HashSet<Spelling>,
    /// Names of types that stand for others: parameters.
    pub generic: Vec<String>,
    pub queries: RefCell<Queries>,
    /// Operators between values that may be structs.
    pub operators: Vec<OpenOperator>,
    /// The conflicts between types, which are reported at the end.
    pub apart: Vec<(Location, String)>,
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

    /// The outermost part of a type.
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
    pub fn root(&self, ty: &Ty) -> Ty {
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

    /// The type in an `Option`; any other type itself.
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

    pub fn literal(&self, number: usize) -> Literal {
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
                    self.source(element, &name, Origin::Part(number, "[]".to_owned()));
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
                Follows::Unsigned => Some(Origin::Unsigned(number)),
                Follows::Bits => Some(Origin::Bits(number)),
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
                let known = match self.shallow(&of) {
                    Ty::Scalar(ty) => follows(&how, ty).map(Ty::Scalar),
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
            Ty::Array(element, length) => Some(Type::array(self.known(&element)?, length)),
            Ty::Unknown(number) => Some(Type::Queried(self.query_of(number)?, self.literal(number))),
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
                Some(parts.map(|part| Type::array(part, length)).collect())
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
                    Some((name, Origin::Written(_))) if self.given.contains_key(&Spelling(name.clone())) => {
                        return crate::ir::text::shown(name);
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
            Ty::Other(text) => crate::ir::text::shown(&text),
        }
    }
}

/// The unsigned types of integers, and the signed types of the same width.
const WIDTHS: [(Type, Type); 5] = [
    (Type::U8, Type::I8),
    (Type::U16, Type::I16),
    (Type::U32, Type::I32),
    (Type::U64, Type::I64),
    (Type::Usize, Type::Isize),
];

/// The type that follows from this one.
fn follows(how: &Follows, ty: Type) -> Option<Type> {
    Some(match (how, ty) {
        (Follows::Bits, Type::F16) => Type::U16,
        (Follows::Bits, Type::F32) => Type::U32,
        (Follows::Bits, Type::F64) => Type::U64,
        (Follows::Bits, _) => return None,
        (Follows::Signed, ty) => WIDTHS.iter().find(|(unsigned, _)| *unsigned == ty).map_or(ty, |(_, signed)| *signed),
        (Follows::Unsigned, ty) => {
            WIDTHS.iter().find(|(_, signed)| *signed == ty).map_or(ty, |(unsigned, _)| *unsigned)
        }
    })
}
