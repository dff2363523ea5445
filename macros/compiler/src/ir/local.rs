//! Variables as numbers.

use crate::maps::HashSet;
use proc_macro2::{Ident, Span};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{LazyLock, Mutex, PoisonError};

/// A name in a function. After `resolve`, two mentions are the same variable exactly if their `Local`s are equal.
///
/// A process keeps each name once, and the address of the name is the number of the variable. The order of `Local`s is
/// that of their texts, so that generated code does not depend on earlier compilations.
#[derive(Clone, Copy)]
pub struct Local(&'static str);

static NAMES: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);

impl Local {
    /// The variable of this name.
    pub fn named(name: &str) -> Local {
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = names.get(name) {
            return Local(known);
        }
        let text: &'static str = Box::leak(name.into());
        names.insert(text);
        Local(text)
    }

    /// The name in generated code.
    pub fn text(self) -> &'static str {
        self.0
    }
}

impl PartialEq for Local {
    fn eq(&self, other: &Local) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Local {}

impl Hash for Local {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_ptr().hash(state);
    }
}

impl Local {
    /// The name as an identifier in the user's code.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_variable_on_all_threads() {
        let here = ["x", "y", ""].map(Local::named);
        let there = std::thread::spawn(|| ["x", "y", ""].map(Local::named)).join().unwrap();
        assert_eq!(here, there);
        assert_ne!(here[0], here[1]);
        assert!(here[0] < here[1]);
    }
}
