//! The macros that the compiler knows.

/// The form of the arguments of a macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    /// This number of expressions, and then optionally a format string with its arguments.
    Format(usize),
    /// A place, and then a format string with its arguments. The macro writes to the place.
    Write,
    /// `a, b, c` or `value; length`.
    Elements,
    /// `value, pattern if guard`.
    Pattern,
    /// Expressions.
    Values,
    /// Tokens that are not evaluated.
    Tokens,
}

/// Each macro with its arguments, and with the arguments of a call that has no side effect.
const KNOWN: [(&str, Arguments, &str); 29] = [
    ("assert", Arguments::Format(1), "true"),
    ("assert_eq", Arguments::Format(2), "0, 0"),
    ("assert_ne", Arguments::Format(2), "0, 1"),
    ("cfg", Arguments::Tokens, "all()"),
    ("column", Arguments::Tokens, ""),
    ("concat", Arguments::Tokens, ""),
    ("dbg", Arguments::Values, ""),
    ("debug_assert", Arguments::Format(1), "true"),
    ("debug_assert_eq", Arguments::Format(2), "0, 0"),
    ("debug_assert_ne", Arguments::Format(2), "0, 1"),
    ("eprint", Arguments::Format(0), "\"\""),
    ("eprintln", Arguments::Format(0), ""),
    ("file", Arguments::Tokens, ""),
    ("format", Arguments::Format(0), "\"\""),
    ("format_args", Arguments::Format(0), "\"\""),
    ("line", Arguments::Tokens, ""),
    ("matches", Arguments::Pattern, "0, _"),
    ("module_path", Arguments::Tokens, ""),
    ("panic", Arguments::Format(0), ""),
    ("print", Arguments::Format(0), "\"\""),
    ("println", Arguments::Format(0), ""),
    // A macro of `ndarray`; known only as an argument of `slice` and similar methods.
    (INDEX, Arguments::Values, "0"),
    ("stringify", Arguments::Tokens, ""),
    ("todo", Arguments::Format(0), ""),
    ("unimplemented", Arguments::Format(0), ""),
    ("unreachable", Arguments::Format(0), ""),
    ("vec", Arguments::Elements, "0"),
    ("write", Arguments::Write, "::std::vec::Vec::<u8>::new(), \"\""),
    ("writeln", Arguments::Write, "::std::vec::Vec::<u8>::new()"),
];

/// `s![..]` of `ndarray`.
pub const INDEX: &str = "s";

/// The form of a macro's arguments, if the compiler knows a macro of this path. An obligation checks that the path
/// leads to it.
pub fn arguments(path: &str) -> Option<Arguments> {
    KNOWN.iter().find(|(name, ..)| *name == known_by(path)).map(|(_, arguments, _)| *arguments)
}

/// The arguments of a call without side effects, if the compiler knows a macro of this name.
pub fn harmless_call(name: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(known, ..)| *known == name).map(|(.., call)| *call)
}

/// Whether the macro writes to its first argument.
pub fn writes(name: &str) -> bool {
    KNOWN.contains(&(name, Arguments::Write, harmless_call(name).unwrap_or_default()))
}

/// Whether the compiler knows a macro of this name, and a call has no side effect but those of its arguments.
pub fn only_computes(name: &str) -> bool {
    let prints = matches!(name, "dbg" | "eprint" | "eprintln" | "print" | "println");
    harmless_call(name).is_some() && !prints
}

/// Whether code after the macro does not run.
pub fn diverges(name: &str) -> bool {
    matches!(name, "panic" | "todo" | "unimplemented" | "unreachable")
}

/// The name of a macro, if its path is only the name, or the crate and the name; else the whole path, which is in no
/// table.
pub fn known_by(path: &str) -> &str {
    let path = path.strip_prefix("::").unwrap_or(path);
    match path.split_once("::") {
        Some(("std" | "core" | "alloc" | "ndarray", name)) => name,
        _ => path,
    }
}
