//! Abstract values: the code that evaluates them over a range of iterations, and the code that computes them in one.

use crate::ir::Id;
use crate::maps::{HashMap, HashSet, New as _};
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::BTreeMap;
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

    /// Visits the value and all values that it needs, except those that have been `seen` before.
    pub fn walk(&self, seen: &mut HashSet<*const Value>, visit: &mut dyn FnMut(&Value)) {
        if seen.insert(self) {
            visit(self);
            let computed = self.computed.iter().flat_map(Computed::all);
            self.needs.iter().chain(computed).for_each(|need| need.walk(seen, visit));
        }
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

/// The values that an iteration computes before the accesses that use them, each once: at its beginning, or in the innermost loop or
/// closure that binds one of their counters.
pub struct Before {
    /// The loops and closures that bind counters, each with its place in the body. Of those around an access, the last is the innermost.
    binds: HashMap<Ident, (usize, Id)>,
    /// The statements, by the loop or the closure that begins with them.
    pub statements: BTreeMap<Option<Id>, TokenStream>,
    known: HashMap<Ident, Option<Known>>,
    by_code: HashMap<Code, Known>,
}

/// Code as text.
#[derive(PartialEq, Eq, Hash)]
struct Code(String);

/// A value that an iteration computes before its accesses.
#[derive(Clone)]
struct Known {
    /// A variable or a literal.
    tokens: TokenStream,
    innermost: Option<(usize, Id)>,
    /// Whether its type is determined; the type of a literal is not.
    is_typed: bool,
}

impl Before {
    pub fn new(binds: HashMap<Ident, (usize, Id)>) -> Before {
        Before { binds, statements: BTreeMap::new(), known: HashMap::new(), by_code: HashMap::new() }
    }

    /// The variables or literals of values. None if a value has a condition, which is checked at each access.
    pub fn compute(&mut self, values: &[Rc<Value>]) -> Option<Vec<TokenStream>> {
        values.iter().map(|value| Some(self.value(value)?.tokens)).collect()
    }

    fn value(&mut self, value: &Value) -> Option<Known> {
        if let Some(known) = self.known.get(&value.ident) {
            return known.clone();
        }
        let known = self.new_value(value);
        self.known.insert(value.ident.clone(), known.clone());
        known
    }

    fn new_value(&mut self, value: &Value) -> Option<Known> {
        let computed =
            value.computed.as_ref().filter(|computed| !computed.conditional && computed.inside.is_empty())?;
        let mut innermost = match &value.variable {
            Some(Variable::Counter(counter)) => Some(*self.binds.get(counter)?),
            Some(Variable::Held(_)) | None => None,
        };
        let (mut names, mut is_typed) = (HashMap::new(), computed.needs.is_empty());
        for need in &computed.needs {
            let known = self.value(need)?;
            (innermost, is_typed) = (innermost.max(known.innermost), is_typed || known.is_typed);
            names.insert(need.ident.clone(), known.tokens);
        }
        let code = with_names(computed.code.clone(), &names);
        let mut tokens = code.clone().into_iter();
        if let (Some(token), None) = (tokens.next(), tokens.next()) {
            let is_typed = !matches!(token, TokenTree::Literal(_));
            return Some(Known { tokens: code, innermost, is_typed });
        }
        let text = Code(code.to_string());
        if let Some(known) = self.by_code.get(&text).filter(|_| is_typed) {
            return Some(known.clone());
        }
        let ident = &value.ident;
        self.statements.entry(innermost.map(|(_, id)| id)).or_default().extend(quote!(let #ident = #code;));
        let known = Known { tokens: ident.to_token_stream(), innermost, is_typed };
        self.by_code.insert(text, known.clone());
        Some(known)
    }
}

/// Code with other tokens for some variables.
fn with_names(code: TokenStream, names: &HashMap<Ident, TokenStream>) -> TokenStream {
    let replaced = code.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let inner = Group::new(group.delimiter(), with_names(group.stream(), names));
            TokenTree::Group(inner).into()
        }
        TokenTree::Ident(ident) => names.get(&ident).cloned().unwrap_or_else(|| ident.into_token_stream()),
        token => token.into(),
    });
    replaced.collect()
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
