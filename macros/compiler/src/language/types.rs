//! The types of `std` that the compiler knows by name.

use crate::language::methods::Of;

/// Integers, with the largest value of each, limited to that of `i64`.
const INTEGERS: [(&str, i64); 12] = [
    ("usize", i64::MAX),
    ("u64", i64::MAX),
    ("i64", i64::MAX),
    ("isize", i64::MAX),
    ("u128", i64::MAX),
    ("i128", i64::MAX),
    ("u32", u32::MAX as i64),
    ("i32", i32::MAX as i64),
    ("u16", u16::MAX as i64),
    ("i16", i16::MAX as i64),
    ("u8", u8::MAX as i64),
    ("i8", i8::MAX as i64),
];

/// Collections, with the kind of receiver that they are.
const COLLECTIONS: [(&str, Of); 9] = [
    ("Vec", Of::Sequence),
    ("VecDeque", Of::Sequence),
    ("String", Of::Sequence),
    ("HashMap", Of::Map),
    ("BTreeMap", Of::Map),
    ("HashSet", Of::Set),
    ("BTreeSet", Of::Set),
    ("BinaryHeap", Of::Set),
    ("LinkedList", Of::Set),
];

/// The largest value of an integer type, limited to that of `i64`.
pub fn largest(ty: &str) -> Option<i64> {
    INTEGERS.iter().find(|(name, _)| *name == ty).map(|(_, largest)| *largest)
}

/// The type in the suffix of a number: `u8` in `1_u8`.
pub fn suffix_of(number: &str) -> Option<&'static str> {
    let names = INTEGERS.iter().map(|(name, _)| *name).chain(FLOATS);
    names.into_iter().find(|name| number.ends_with(name))
}

const FLOATS: [&str; 3] = ["f16", "f32", "f64"];

/// Whether a type is a floating-point type.
pub fn is_float(ty: &str) -> bool {
    FLOATS.contains(&ty)
}

/// Whether a type is a primitive type, so that the compiler knows all its functions.
pub fn is_primitive(ty: &str) -> bool {
    largest(ty).is_some() || is_float(ty) || ty == "bool"
}

/// Whether the compiler reads a name at the beginning of a path as a name of std.
pub fn is_known(name: &str) -> bool {
    is_primitive(name)
        || ["char", "Option", "Some", "None", "Vec", "Range", "Ord", "cmp", "iter", "zip"].contains(&name)
}

/// The kind of a collection, by the name of its type.
pub fn collection(ty: &str) -> Option<Of> {
    COLLECTIONS.iter().find(|(name, _)| *name == ty).map(|(_, of)| *of)
}

/// The name of a collection type, if its items have no index.
pub fn unindexed(ty: &str) -> Option<&'static str> {
    COLLECTIONS.iter().find(|(name, of)| *name == ty && *of != Of::Sequence).map(|(name, _)| *name)
}
