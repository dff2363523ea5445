//! Names in scope.

use super::hygiene::Context;
use crate::maps::HashMap;

/// The number of a variable, item or label.
pub type Local = usize;

/// Names and labels of one kind of name, with the context that each was written in.
#[derive(Debug, Default)]
struct Bound(HashMap<String, (Context, Local)>);

/// The part of a function in which names that are declared there can be seen.
#[derive(Debug, Default)]
struct Scope {
    /// Variables. In a block, each hides those before it.
    variables: Bound,
    /// Constants, statics, functions and constructors: seen in all of the block, also before they are written.
    items: Bound,
    types: Bound,
    labels: Bound,
    /// Whether it is an item's: variables and labels around it are not seen inside.
    is_item: bool,
}

/// A name that is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    Local(Local),
    /// It is declared outside of the function, or nowhere.
    Outside,
    /// It has the name of a variable that another macro wrote. Whether it is that variable is not known.
    Ambiguous(Local),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Namespace {
    Values,
    Types,
    Labels,
}

#[derive(Debug, Default)]
pub struct Scopes(Vec<Scope>);

impl Scopes {
    pub fn enter(&mut self) {
        self.0.push(Scope::default());
    }

    /// Enters an item, which captures nothing.
    pub fn enter_item(&mut self) {
        self.0.push(Scope { is_item: true, ..Scope::default() });
    }

    pub fn leave(&mut self) {
        self.0.pop();
    }

    pub fn depth(&self) -> usize {
        self.0.len()
    }

    pub fn bind(&mut self, name: &str, context: Context, local: Local) {
        self.innermost().variables.0.insert(name.to_owned(), (context, local));
    }

    pub fn declare(&mut self, namespace: Namespace, name: &str, context: Context, local: Local) {
        let scope = self.innermost();
        let bound = match namespace {
            Namespace::Values => &mut scope.items,
            Namespace::Types => &mut scope.types,
            Namespace::Labels => &mut scope.labels,
        };
        bound.0.insert(name.to_owned(), (context, local));
    }

    fn innermost(&mut self) -> &mut Scope {
        if self.0.is_empty() {
            self.enter();
        }
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    pub fn find(&self, namespace: Namespace, name: &str, context: &Context) -> Found {
        let mut in_item = false;
        for scope in self.0.iter().rev() {
            let bound = match namespace {
                Namespace::Values => [Some(&scope.variables).filter(|_| !in_item), Some(&scope.items)],
                Namespace::Types => [Some(&scope.types), None],
                Namespace::Labels => [Some(&scope.labels).filter(|_| !in_item), None],
            };
            let found = bound.into_iter().flatten().find_map(|bound| bound.0.get(name));
            if let Some((bound_in, local)) = found {
                return if bound_in == context { Found::Local(*local) } else { Found::Ambiguous(*local) };
            }
            in_item |= scope.is_item;
        }
        Found::Outside
    }
}
