//! Variables as numbers.

use proc_macro2::{Ident, Span};
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{LazyLock, PoisonError, RwLock};

/// A name of a function. After `resolve`, two mentions are one variable exactly if their `Local`s are equal.
///
/// A `Local` is ordered by its text, so that generated code does not depend on what was compiled before.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Local(u32);

#[derive(Default)]
struct Table {
    numbers: HashMap<&'static str, u32>,
    texts: Vec<&'static str>,
}

/// Each name stays in memory once, however many functions a process compiles.
static TABLE: LazyLock<RwLock<Table>> = LazyLock::new(RwLock::default);

impl Local {
    /// The variable of this name.
    pub fn named(name: &str) -> Local {
        let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = table.numbers.get(name) {
            return Local(*number);
        }
        let text: &'static str = Box::leak(name.into());
        let number = table.texts.len() as u32;
        table.texts.push(text);
        table.numbers.insert(text, number);
        Local(number)
    }

    /// The name that generated code has for it.
    pub fn text(self) -> &'static str {
        TABLE.read().unwrap_or_else(PoisonError::into_inner).texts[self.0 as usize]
    }
}

impl Local {
    /// The name as the user's code has it.
    pub fn ident(self) -> Ident {
        self.spanned(Span::call_site())
    }

    pub fn spanned(self, span: Span) -> Ident {
        match self.text().strip_prefix("r#") {
            Some(raw) => Ident::new_raw(raw, span),
            None => Ident::new(self.text(), span),
        }
    }
}

impl Deref for Local {
    type Target = str;

    fn deref(&self) -> &str {
        Local::text(*self)
    }
}

impl PartialOrd for Local {
    fn partial_cmp(&self, other: &Local) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Local {
    fn cmp(&self, other: &Local) -> std::cmp::Ordering {
        self.text().cmp(other.text())
    }
}

impl fmt::Display for Local {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.text())
    }
}

impl fmt::Debug for Local {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}", self.text())
    }
}

impl From<&Ident> for Local {
    fn from(ident: &Ident) -> Local {
        Local::named(&ident.to_string())
    }
}

impl AsRef<str> for Local {
    fn as_ref(&self) -> &str {
        self
    }
}

impl quote::IdentFragment for Local {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.text())
    }
}

impl PartialEq<str> for Local {
    fn eq(&self, word: &str) -> bool {
        self.text() == word
    }
}

impl PartialEq<&str> for Local {
    fn eq(&self, word: &&str) -> bool {
        self.text() == *word
    }
}

impl PartialEq<Local> for &Local {
    fn eq(&self, other: &Local) -> bool {
        **self == *other
    }
}
