//! The macro that an identifier comes from, as far as the compiler tells.

use proc_macro2::Span;

/// A mark of the macro whose rules contain an identifier; identifiers of the caller have the caller's mark.
///
/// rustc shows it in front of a span's place (`#4 bytes(20..21)`). Where it is not shown, as in tests, all identifiers have one mark.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context(String);

impl From<Span> for Context {
    fn from(span: Span) -> Self {
        let shown = format!("{span:?}");
        let mark = shown.split_once(' ').map_or("", |(mark, _)| mark);
        Context(if mark.starts_with('#') { mark.to_owned() } else { String::new() })
    }
}
