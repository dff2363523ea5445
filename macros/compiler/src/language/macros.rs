//! What is known of macros.

/// Macros of `std` that neither bind a name nor leave what is around them, but by a panic; each with what it is handed in a call
/// that changes nothing.
const PLAIN: [(&str, &str); 19] = [
    ("assert", "true"),
    ("assert_eq", "0, 0"),
    ("assert_ne", "0, 1"),
    ("cfg", "all()"),
    ("concat", ""),
    ("debug_assert", "true"),
    ("debug_assert_eq", "0, 0"),
    ("debug_assert_ne", "0, 1"),
    ("eprint", "\"\""),
    ("eprintln", ""),
    ("format", "\"\""),
    ("matches", "0, _"),
    ("panic", ""),
    ("print", "\"\""),
    ("println", ""),
    ("todo", ""),
    ("unimplemented", ""),
    ("unreachable", ""),
    ("vec", "0"),
];

/// Macros that write to their first argument, and do no more to what is around them than the others.
const WRITING: [(&str, &str); 2] =
    [("write", "::std::vec::Vec::<u8>::new(), \"\""), ("writeln", "::std::vec::Vec::<u8>::new()")];

/// Whether a macro does nothing but what its arguments do. Any other may bind names, assign to them, or end the iteration.
pub fn is_plain(name: &str) -> bool {
    PLAIN.iter().any(|(plain, _)| *plain == name)
}

/// Whether a macro does not change what it is handed: `s![..]` of `ndarray` is an index.
pub fn reads(name: &str) -> bool {
    is_plain(name) || name == "s"
}

/// Whether a macro that stands as a statement may bind a name that it is handed for the statements after it.
pub fn may_bind(name: &str) -> bool {
    !reads(name) && !matches!(name, "write" | "writeln")
}

/// What is handed to a macro of `std` in a call that changes nothing, where one of that name is known.
pub fn harmless_call(name: &str) -> Option<&'static str> {
    PLAIN.iter().chain(&WRITING).find(|(known, _)| *known == name).map(|(_, handed)| *handed)
}

/// What a macro is known by: its name, where it stands alone or behind the crate that has it; else its whole path, which
/// is in no table.
pub fn known_by(path: &[String]) -> String {
    match path {
        [of, name] if matches!(of.as_str(), "std" | "core" | "alloc" | "ndarray") => name.clone(),
        path => path.join("::"),
    }
}

/// Which argument of a macro of `std` is a format string.
pub fn format_string(name: &str) -> Option<usize> {
    match name {
        "eprint" | "eprintln" | "format" | "panic" | "print" | "println" | "todo" | "unimplemented" | "unreachable" => {
            Some(0)
        }
        "assert" | "debug_assert" | "write" | "writeln" => Some(1),
        "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" => Some(2),
        _ => None,
    }
}
