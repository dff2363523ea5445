//! What is captured, and its numbers in the text.

use crate::ir::report::shown;
use crate::wgsl::contract::Table;
use crate::wgsl::elaborate::captured::Capture;
use crate::wgsl::infer::types::Types;
use crate::wgsl::tree::Ty;
use proc_macro2::TokenStream;
use quote::quote;

/// A table for the elements of a captured array, or one for each of their parts; nothing where a device does not have these.
pub fn tables_of(capture: &Capture, types: &Types) -> Option<Vec<Table>> {
    let table = |ty, part| Table { tokens: capture.tokens.clone(), ty, axes: capture.axes, part };
    match types.shallow(&capture.ty) {
        Ty::Tuple(_) if capture.axes < 2 && !types.has_options(&capture.ty) => {
            let parts = types.parts(&capture.ty)?.into_iter().enumerate();
            Some(parts.map(|(part, ty)| table(ty, Some(part))).collect())
        }
        ty => Some(vec![table(types.known(&ty)?, None)]),
    }
}

/// Numbers the functions of these names anew that the text mentions, and tells which they were.
pub fn used(source: &str, stems: &[&str]) -> (String, Vec<usize>) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let number = |word: &str| stems.iter().find_map(|stem| word.strip_prefix(stem)?.parse::<usize>().ok());
    let mut kept: Vec<usize> = source.split(|c| !is_word(c)).filter_map(number).collect();
    kept.sort_unstable();
    kept.dedup();
    let mut text = String::new();
    let mut rest = source;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match number(word).and_then(|old| kept.iter().position(|k| *k == old)) {
            Some(new) => text.push_str(&format!("{}{new}", word.trim_end_matches(|c: char| c.is_ascii_digit()))),
            None => text.push_str(word),
        }
        let next = after.find(is_word).unwrap_or(after.len());
        text.push_str(&after[..next]);
        rest = &after[next..];
    }
    (text, kept)
}

/// What a captured value is, for those who read the text.
pub fn label(text: &str) -> String {
    match text.strip_prefix("__") {
        // The analysis's own variables are numbered.
        Some(own) => format!("the {} of the header", own.trim_end_matches(|c: char| c.is_ascii_digit())),
        None => shown(text),
    }
}

/// The parts of a value as code.
pub fn paths(types: &Types, ty: &Ty, tokens: &TokenStream) -> Vec<TokenStream> {
    match types.shallow(ty) {
        Ty::Tuple(parts) => {
            let part = |(number, ty): (usize, &Ty)| {
                let number = proc_macro2::Literal::usize_unsuffixed(number);
                paths(types, ty, &quote!((#tokens).#number))
            };
            parts.iter().enumerate().flat_map(part).collect()
        }
        _ => vec![tokens.clone()],
    }
}
