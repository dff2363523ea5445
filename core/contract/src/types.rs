//! The types that devices support.

use std::sync::{Mutex, PoisonError};

/// The kind of a literal, as far as its text shows its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Literal {
    /// Unknown.
    #[default]
    Any,
    /// An integer.
    Integer,
    /// A float.
    Float,
}

/// The type of an element or a value, as Rust names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
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
    /// `half::f16`. Devices compute with `f32` and round, as that crate does.
    F16,
    F32,
    F64,
    /// `[T; N]`.
    Array(&'static Type, usize),
    /// A struct with named fields, or a tuple struct.
    Struct(&'static Struct),
    /// The answer to the query with this number, and the kind that is known while compiling: see
    /// [`Program::queries`](crate::Program::queries). The runtime replaces it before a device gets the program.
    Queried(usize, Literal),
}

/// A struct in Rust's layout: the fields in this order, without padding. An enum without fields is a struct with one number.
#[derive(Debug)]
pub struct Struct {
    /// Its path.
    pub name: &'static str,
    /// Its type arguments.
    pub arguments: &'static [Type],
    /// The names and types of its fields. The fields of a tuple struct have numbers as names.
    pub fields: &'static [(&'static str, Type)],
    /// How the variants compare, if it is an enum.
    pub variants: Option<Compared>,
}

impl PartialEq for Struct {
    fn eq(&self, other: &Struct) -> bool {
        (self.name, self.arguments, self.fields) == (other.name, other.arguments, other.fields)
    }
}

impl Eq for Struct {}

impl std::hash::Hash for Struct {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.name, self.arguments, self.fields).hash(state);
    }
}

impl Struct {
    /// Its path as one unique word.
    fn word(&self) -> String {
        let arguments = self.arguments.iter().map(|ty| format!("_2{}", ty.word()));
        self.name.replace('_', "__").replace("::", "_1") + &arguments.collect::<String>()
    }
}

impl Type {
    /// Bytes of a value in Rust's memory.
    pub const fn size(self) -> usize {
        match self {
            Type::Bool | Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 | Type::F16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 | Type::F64 => 8,
            Type::Isize | Type::Usize => size_of::<usize>(),
            Type::Array(element, len) => element.size() * len,
            Type::Struct(of) => {
                let (mut size, mut field) = (0, 0);
                while field < of.fields.len() {
                    size += of.fields[field].1.size();
                    field += 1;
                }
                size
            }
            Type::Queried(..) => 0,
        }
    }

    /// The numbers and `bool`s in a value, in memory order.
    pub fn scalars(self) -> Vec<Type> {
        match self {
            Type::Array(element, len) => element.scalars().repeat(len),
            Type::Struct(of) => of.fields.iter().flat_map(|(_, field)| field.scalars()).collect(),
            scalar => vec![scalar],
        }
    }

    /// Its name as a part of function names: `f32` in `fa_add_f32`.
    pub fn word(self) -> String {
        match self {
            Type::Array(element, len) => format!("x{len}_{}", element.word()),
            Type::Struct(of) => of.word(),
            Type::Queried(number, _) => format!("${number}$"),
            scalar => scalar.name(),
        }
    }

    /// The type that holds it in WGSL.
    pub fn wgsl(self) -> String {
        match self {
            Type::I8 | Type::I16 | Type::I32 | Type::Isize => "i32".into(),
            Type::U8 | Type::U16 | Type::U32 | Type::Usize => "u32".into(),
            Type::F16 => "f32".into(),
            Type::Array(element, len) => format!("array<{}, {len}>", element.wgsl()),
            Type::Struct(of) => format!("fa_struct_{}", of.word()),
            Type::Queried(number, _) => format!("${number}:type$"),
            scalar => scalar.name(),
        }
    }

    /// The number or `bool` of this name in Rust.
    pub fn named(name: &str) -> Option<Type> {
        SCALARS.iter().find(|(known, _)| *known == name).map(|(_, ty)| *ty)
    }

    /// Rust's name of a number or of `bool`. For an array, the name of its element type.
    pub fn name(self) -> String {
        match self {
            Type::Array(element, _) => element.name(),
            Type::Struct(of) => of.name.to_owned(),
            Type::Queried(number, _) => format!("${number}$"),
            scalar => SCALARS.iter().find(|(_, ty)| *ty == scalar).map_or("", |(name, _)| name).to_owned(),
        }
    }

    /// The size of a number in bytes, if the type is one; `usize` and `isize` count as 8.
    pub fn bytes(self) -> Option<usize> {
        Some(match self {
            Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 | Type::F16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 | Type::F64 | Type::Isize | Type::Usize => 8,
            _ => return None,
        })
    }

    /// An array type. Each element type is allocated once and lives as long as the process.
    pub fn array(element: Type, length: usize) -> Type {
        static ELEMENTS: Mutex<Vec<&'static Type>> = Mutex::new(Vec::new());
        let mut known = ELEMENTS.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = known.iter().find(|kept| ***kept == element).copied().unwrap_or_else(|| {
            let kept: &'static Type = Box::leak(Box::new(element));
            known.push(kept);
            kept
        });
        Type::Array(kept, length)
    }

    /// Whether it is known to be a float.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F16 | Type::F32 | Type::F64 | Type::Queried(_, Literal::Float))
    }

    /// Whether it is a float whose operators in WGSL equal Rust's. Those of `f16` round.
    pub fn is_plain_float(self) -> bool {
        self.is_float() && self != Type::F16
    }

    /// Whether it is known to be an integer.
    pub fn is_integer(self) -> bool {
        match self {
            Type::Bool | Type::Array(..) | Type::Struct(_) | Type::Queried(_, Literal::Any) => false,
            number => !number.is_float(),
        }
    }

    /// Whether it is an integer with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Isize)
    }

    /// Whether nothing is known of the type.
    pub fn is_open(self) -> bool {
        matches!(self, Type::Queried(_, Literal::Any))
    }

    /// Whether a value of it may be an array. WGSL allows a dynamic index only on a variable.
    pub fn has_parts(self) -> bool {
        self.is_open() || matches!(self, Type::Array(..))
    }

    /// The suffix of a literal of this type in WGSL.
    pub fn suffix(self) -> &'static str {
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

impl std::fmt::Display for Type {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Array(element, len) => write!(formatter, "[{element}; {len}]"),
            Type::Struct(Struct { name, arguments: [], .. }) => formatter.write_str(name),
            Type::Struct(Struct { name, arguments, .. }) => {
                let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
                write!(formatter, "{name}<{}>", arguments.join(", "))
            }
            scalar => formatter.write_str(&scalar.word()),
        }
    }
}

/// How the variants of an enum compare.
#[derive(Debug, Clone, Copy)]
pub struct Compared {
    /// Whether its `==`, if it has one, distinguishes its variants as `match` does.
    pub apart: fn() -> bool,
    /// Whether it is ordered by its discriminants.
    pub ordered: fn() -> bool,
}

const SCALARS: [(&str, Type); 14] = [
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
