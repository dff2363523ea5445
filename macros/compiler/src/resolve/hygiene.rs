//! The macro that an identifier comes from, as far as the compiler tells.

use proc_macro2::Span;
use quote::ToTokens;
use std::ops::Range;

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

/// The most characters between an attribute and its function: a newline and two levels of indentation. The rule of a macro needs more between an
/// attribute and an argument of its caller.
const INDENTATION: usize = 9;

/// Whether an attribute stands in the source directly before its function. Otherwise a macro may have put it there.
pub fn is_directly_before(attribute: Span, function: &impl ToTokens) -> bool {
    let Some(attribute) = bytes(attribute) else { return true };
    let starts = function.to_token_stream().into_iter().filter_map(|token| Some(bytes(token.span())?.start));
    let after = starts.filter_map(|start| start.checked_sub(attribute.end)).min();
    after.is_some_and(|between| between <= INDENTATION)
}

/// The place of a span in the source, where rustc shows it.
fn bytes(span: Span) -> Option<Range<usize>> {
    let shown = format!("{span:?}");
    let (_, place) = shown.strip_prefix('#')?.split_once(" bytes(")?;
    let (start, end) = place.strip_suffix(')')?.split_once("..")?;
    Some(start.parse().ok()?..end.parse().ok()?)
}
