//! The captured values, and their numbers in the text.

use crate::ir::text::shown;
use crate::wgsl::contract::{Table, Type};
use crate::wgsl::elaborate::captured::Capture;
use crate::wgsl::infer::types::Types;
use crate::wgsl::tree::Ty;
use proc_macro2::TokenStream;
use quote::quote;

/// The name of a type that a device does not have.
pub fn no_type(what: &str, ty: &str) -> String {
    format!(
        "{what} of the type `{ty}`, which a device does not have: it has numbers, `bool`, and arrays `[T; N]` of them"
    )
}

/// The values of a text: those that are tuples are taken apart.
#[derive(Default)]
pub struct Values {
    /// The expressions, and their types.
    all: Vec<(TokenStream, Type)>,
    /// The meaning of each, as a comment in the text.
    labels: Vec<String>,
    /// The number of each captured value's first part.
    pub firsts: Vec<usize>,
}

impl Values {
    /// Adds a captured value; what is in the way, as `refused` says it, where a device does not have its type.
    pub fn add(
        &mut self,
        (text, tokens): (&str, &TokenStream),
        ty: &Ty,
        types: &Types,
        refused: impl FnOnce() -> String,
    ) -> Result<(), String> {
        self.firsts.push(self.all.len());
        let parts = types.parts(ty).filter(|_| !types.has_options(ty)).ok_or_else(refused)?;
        for (tokens, ty) in paths(types, ty, tokens).into_iter().zip(parts) {
            self.labels.push(label(text));
            self.all.push((tokens, ty));
        }
        Ok(())
    }
}

/// The tables of a text: those of tuples are one for each part.
#[derive(Default)]
pub struct Tables {
    all: Vec<Table>,
    labels: Vec<String>,
    /// The number of each captured table's first part.
    pub firsts: Vec<usize>,
}

impl Tables {
    pub fn add(&mut self, capture: &Capture, types: &Types, refused: impl FnOnce() -> String) -> Result<(), String> {
        self.firsts.push(self.all.len());
        let parts = tables_of(capture, types).ok_or_else(refused)?;
        self.labels.resize(self.all.len() + parts.len(), shown(&capture.text));
        self.all.extend(parts);
        Ok(())
    }
}

/// A text with all its names. Values that were captured only for their type, or for a part of the body that is left out, are
/// not passed. So the rest is numbered anew.
pub struct Kept {
    pub source: String,
    pub values: Vec<(TokenStream, Type)>,
    pub tables: Vec<Table>,
    /// A comment for each table, and for each value.
    pub comments: String,
}

impl Kept {
    pub fn of(source: &str, values: &Values, tables: &Tables) -> Kept {
        let (source, of_values) = used(source, &["fa_value_"]);
        let (source, of_tables) = used(&source, &["fa_table_", "fa_table_len_"]);
        let mut comments = String::new();
        for (number, &old) in of_tables.iter().enumerate() {
            comments.push_str(&format!("// fa_table_{number}: {}\n", tables.labels[old]));
        }
        for (number, &old) in of_values.iter().enumerate() {
            comments.push_str(&format!("// fa_value_{number}: {}\n", values.labels[old]));
        }
        Kept {
            source,
            values: of_values.iter().map(|&old| values.all[old].clone()).collect(),
            tables: of_tables.iter().map(|&old| tables.all[old].clone()).collect(),
            comments,
        }
    }
}

/// A table for the elements of a captured array, or one for each of their parts; nothing where a device does not have these.
fn tables_of(capture: &Capture, types: &Types) -> Option<Vec<Table>> {
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
fn used(source: &str, stems: &[&str]) -> (String, Vec<usize>) {
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

/// The meaning of a captured value, as a comment in the text.
fn label(text: &str) -> String {
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
