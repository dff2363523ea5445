//! Abstract values: the code that evaluates them over a range of iterations, and the code that computes them in one.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;
use std::collections::HashSet;
use std::rc::Rc;

/// An abstract value: the code that evaluates it over a range of iterations, and the values that this code needs.
#[derive(Debug)]
pub struct Value {
    pub(super) ident: Ident,
    pub(super) code: TokenStream,
    pub(super) needs: Vec<Rc<Value>>,
    /// The code that computes it in one iteration, from bindings that the user's tokens cannot name.
    pub(super) computed: Option<Computed>,
    /// The expansion's variable for the value, if the expansion declares it only on use.
    pub(super) variable: Option<Variable>,
}

/// A variable that the expansion declares.
#[derive(Debug, Clone)]
pub enum Variable {
    Held(Held),
    /// The counter of an inner loop, or a copy of one.
    Counter(Ident),
}

/// The code that computes a value in one iteration. `__holds` is whether the conditions hold on which the abstract
/// value relies.
#[derive(Debug)]
pub(super) struct Computed {
    pub code: TokenStream,
    /// The values to compute before.
    pub needs: Vec<Rc<Value>>,
    /// The values that the code computes itself, in one of its branches.
    pub inside: Vec<Rc<Value>>,
    pub conditional: bool,
}

impl Computed {
    pub fn new(code: TokenStream, needs: Vec<Rc<Value>>) -> Computed {
        Computed { code, needs, inside: Vec::new(), conditional: false }
    }

    fn all(&self) -> impl Iterator<Item = &Rc<Value>> {
        self.needs.iter().chain(&self.inside)
    }
}

/// A number outside of the loop, as the user writes it, and the variable that holds it.
#[derive(Debug, Clone)]
pub struct Held {
    pub ident: Ident,
    pub tokens: TokenStream,
}

/// A node of the body that is the same in all iterations: the variable outside of the loop, and its number.
#[derive(Debug, Clone)]
pub struct Invariant {
    pub variable: Ident,
    pub number: TokenStream,
}

impl Value {
    /// Whether the expansion can compute the value in an iteration.
    pub fn is_computable(&self) -> bool {
        self.computed.as_ref().is_some_and(|computed| computed.all().all(|need| need.is_computable()))
    }

    /// Visits the value and all values that it needs, some of them repeatedly.
    pub fn walk(&self, visit: &mut dyn FnMut(&Value)) {
        visit(self);
        let computed = self.computed.iter().flat_map(Computed::all);
        self.needs.iter().chain(computed).for_each(|need| need.walk(visit));
    }

    /// The expansion's variable for the value.
    pub fn variable(&self) -> Option<&Variable> {
        self.variable.as_ref()
    }
}

/// Emits the code of a value, after the code of the values that it needs, each once.
pub fn emit(value: &Rc<Value>, emitted: &mut HashSet<Ident>, to: &mut TokenStream) -> Ident {
    if emitted.insert(value.ident.clone()) {
        for need in &value.needs {
            emit(need, emitted, to);
        }
        let (ident, code) = (&value.ident, &value.code);
        to.extend(quote!(let #ident = #code;));
    }
    value.ident.clone()
}

/// The code that computes values in an iteration: `form` of them, and whether the conditions hold on which their
/// abstract values rely.
pub fn compute(values: &[Rc<Value>], form: impl FnOnce(&[Ident]) -> TokenStream) -> TokenStream {
    let (mut emitted, mut statements, mut conditional) = (HashSet::new(), TokenStream::new(), false);
    let idents: Vec<Ident> =
        values.iter().map(|value| compute_one(value, &mut emitted, &mut statements, &mut conditional)).collect();
    let form = form(&idents);
    match conditional {
        true => quote!({ let mut __holds = true; #statements (#form, __holds) }),
        false => quote!({ #statements (#form, true) }),
    }
}

pub(super) fn compute_one(
    value: &Rc<Value>,
    emitted: &mut HashSet<Ident>,
    to: &mut TokenStream,
    conditional: &mut bool,
) -> Ident {
    if let Some(computed) = &value.computed
        && emitted.insert(value.ident.clone())
    {
        for need in &computed.needs {
            compute_one(need, emitted, to, conditional);
        }
        let (ident, code) = (&value.ident, &computed.code);
        *conditional |= computed.conditional;
        to.extend(quote!(let #ident = #code;));
    }
    value.ident.clone()
}

/// Whether a value depends on the iteration.
pub fn depends_on_position(value: &Rc<Value>) -> bool {
    fn mentions(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Group(group) => mentions(group.stream()),
            TokenTree::Ident(ident) => ident == "__positions",
            _ => false,
        })
    }
    fn any(value: &Rc<Value>, seen: &mut HashSet<Ident>) -> bool {
        seen.insert(value.ident.clone())
            && (mentions(value.code.clone()) || value.needs.iter().any(|need| any(need, seen)))
    }
    any(value, &mut HashSet::new())
}
