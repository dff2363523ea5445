//! The types that devices know.

use super::variants::Compared;

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
    /// The type that a program asks for under this number: see [`Program::asks`]. A device never sees it.
    Asked(usize),
}

/// A struct as Rust holds it: field after field, in this order, with no room between them. An enum whose variants have no
/// fields is one with a number.
#[derive(Debug)]
pub struct Struct {
    /// Its path.
    pub name: &'static str,
    /// The types that its parameters stand for.
    pub arguments: &'static [Type],
    /// The names of its fields, and their types. Those of a tuple struct are called by their numbers.
    pub fields: &'static [(&'static str, Type)],
    /// Of an enum: how its variants compare.
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
    /// Its path as one word, which no other path gives.
    pub(super) fn word(&self) -> String {
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
            Type::Asked(_) => 0,
        }
    }

    /// The numbers and `bool`s that a value is made of, in the order in which Rust holds them.
    pub fn scalars(self) -> Vec<Type> {
        match self {
            Type::Array(element, len) => element.scalars().repeat(len),
            Type::Struct(of) => of.fields.iter().flat_map(|(_, field)| field.scalars()).collect(),
            scalar => vec![scalar],
        }
    }

    /// Its name in those of functions: `f32` in `fa_add_f32`.
    pub fn word(self) -> String {
        match self {
            Type::Array(element, len) => format!("x{len}_{}", element.word()),
            Type::Struct(of) => of.word(),
            Type::Asked(number) => format!("${number}$"),
            scalar => format!("{scalar:?}").to_lowercase(),
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
            Type::Asked(number) => format!("${number}:type$"),
            scalar => scalar.word(),
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
