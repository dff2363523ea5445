//! What is outside of the loop and iterations read.

use crate::ir::report::Location;
use crate::wgsl::infer::types::{Spelling, Types};
use crate::wgsl::tree::Ty;
use proc_macro2::TokenStream;
use std::collections::HashMap;

/// Something outside of the loop that iterations read.
#[derive(Debug)]
pub struct Capture {
    pub text: String,
    pub tokens: TokenStream,
    pub ty: Ty,
    pub at: Location,
    /// Of a table that is a constant: how many of its axes are put one after the other.
    pub axes: usize,
}

/// All of it so far, each once.
#[derive(Debug, Default)]
pub struct Captured {
    pub values: Vec<Capture>,
    pub tables: Vec<Capture>,
    /// Types of places outside of the loop, by their text.
    types: HashMap<Spelling, Ty>,
}

impl Captured {
    /// The number of a value.
    pub fn value(&mut self, text: &str, tokens: &TokenStream, ty: &Ty, at: Location) -> usize {
        self.values.iter().position(|value| value.text == text).unwrap_or_else(|| {
            self.values.push(Capture { text: text.to_owned(), tokens: tokens.clone(), ty: ty.clone(), at, axes: 0 });
            self.values.len() - 1
        })
    }

    /// The number of a table, if it is known.
    pub fn table(&self, text: &str, axes: usize) -> Option<usize> {
        self.tables.iter().position(|table| table.text == text && table.axes == axes)
    }

    /// The type of a place, which is always the same.
    pub fn type_of(&mut self, text: &str, types: &mut Types) -> Ty {
        self.types.entry(Spelling(text.to_owned())).or_insert_with(|| types.unknown()).clone()
    }
}
