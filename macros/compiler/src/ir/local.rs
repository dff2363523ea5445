//! Variables.

use quote::IdentFragment;
use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;
use std::ops::Deref;

/// A variable, or a constant or a function that stands alone. After [`resolve`](crate::resolve), each has a name of its own, so that
/// equal names are one variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Local(&'static str);

thread_local! {
    /// All names so far.
    static NAMES: RefCell<HashSet<&'static str>> = RefCell::default();
}

impl Local {
    /// The variable of a name that `resolve` has given.
    pub fn named(name: &str) -> Local {
        NAMES.with_borrow_mut(|names| match names.get(name) {
            Some(known) => Local(known),
            None => {
                let name: &'static str = Box::leak(name.into());
                names.insert(name);
                Local(name)
            }
        })
    }

    pub fn name(self) -> &'static str {
        self.0
    }
}

impl Deref for Local {
    type Target = str;

    fn deref(&self) -> &str {
        self.0
    }
}

impl Borrow<str> for Local {
    fn borrow(&self) -> &str {
        self.0
    }
}

impl PartialEq<str> for Local {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Local {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl PartialEq<Local> for &str {
    fn eq(&self, other: &Local) -> bool {
        *self == other.0
    }
}

impl PartialEq<Local> for proc_macro2::Ident {
    fn eq(&self, other: &Local) -> bool {
        self == other.0
    }
}

impl fmt::Display for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl IdentFragment for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        IdentFragment::fmt(self.0, f)
    }
}
