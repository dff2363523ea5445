//! Values, arrays and functions outside of the loop.

use crate::ir::report::Location;
use crate::maps::HashMap;
use crate::wgsl::infer::types::{Spelling, Types};
use crate::wgsl::tree::Ty;
use proc_macro2::TokenStream;

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

/// A call of a function whose body is not seen.
#[derive(Debug, Clone)]
pub struct Called {
    pub path: syn::Path,
    /// It is handed on, as in `map(helper)`.
    pub handed: bool,
    /// It is written as a method, of a value of this type.
    pub method: Option<Ty>,
    /// The types of the arguments, and whether the function may change them.
    pub arguments: Vec<(Ty, bool)>,
    pub result: Ty,
    pub at: Location,
}

/// All of it so far, each once.
#[derive(Debug, Default)]
pub struct Captured {
    pub calls: Vec<Called>,
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
