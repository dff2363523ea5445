//! Names of variables that the compiler adds.

use crate::maps::HashSet;
use proc_macro2::{Ident, Span};

/// The new variables of a rewrite.
#[derive(Clone)]
pub struct NewNames {
    /// The words of the function that begin as the new names do: the compiler may have made it of a block with such names.
    words: HashSet<String>,
    /// Each new name with the code for which it stands, for messages.
    names: Vec<(String, String)>,
}

impl NewNames {
    /// No names yet. `words` are the words of the function that begin as the new names do.
    pub fn beside(words: &HashSet<String>) -> NewNames {
        NewNames { words: words.clone(), names: Vec::new() }
    }

    /// A variable that messages call `shown`: `__first_1` for `first`.
    pub fn named(&mut self, word: &str, shown: &str, at: Span) -> Ident {
        let mut number = 1;
        while !self.words.insert(format!("__{word}_{number}")) {
            number += 1;
        }
        let name = format!("__{word}_{number}");
        self.names.push((name.clone(), shown.to_owned()));
        Ident::new(&name, at)
    }

    /// Each new name with the code for which it stands.
    pub fn into_names(self) -> Vec<(String, String)> {
        self.names
    }
}
