//! What is known of macros.

/// Macros of `std` that neither bind a name nor leave what is around them, but by a panic.
const PLAIN: [&str; 19] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "concat",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "matches",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
];

/// Whether a macro does nothing but what its arguments do. Any other may bind names, assign to them, or end the iteration.
pub fn is_plain(path: &str) -> bool {
    PLAIN.contains(&path.rsplit(':').next().unwrap_or_default().trim())
}

/// Whether a macro does not change what it is handed: `s![..]` of `ndarray` is an index.
pub fn reads(path: &str) -> bool {
    is_plain(path) || path == "s"
}

/// Whether a macro that stands as a statement may bind a name that it is handed for the statements after it.
pub fn may_bind(path: &str) -> bool {
    !reads(path) && !matches!(path, "write" | "writeln")
}
