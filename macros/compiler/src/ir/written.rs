//! Types as the user wrote them.

use proc_macro2::TokenStream;
use std::ops::Deref;

/// A type as the user wrote it, and its text.
#[derive(Debug, Clone)]
pub struct Written {
    text: String,
    pub tokens: TokenStream,
}

impl Written {
    pub fn of(tokens: TokenStream) -> Written {
        Written { text: tokens.to_string(), tokens }
    }
}

impl Deref for Written {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

/// `3` of `[f64; 3]`.
pub fn length_in(ty: &str) -> Option<i64> {
    ty.rsplit_once(';')?.1.trim().strip_suffix(']')?.trim().parse().ok()
}
