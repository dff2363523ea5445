//! Patterns: the variables that they bind.

use super::hygiene::Context;
use super::names::Declared;
use super::resolver::Resolver;
use super::scopes::{Found, Local, Namespace};
use crate::maps::HashMap;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::visit_mut::VisitMut;

/// How a pattern stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// It fits every value: a name in it is a variable.
    Always,
    /// It may not fit: a name in capital letters is a constant or a variant.
    Maybe,
}

/// The variables that a pattern has bound so far: two cases of one pattern bind the same ones.
#[derive(Debug, Default)]
struct Bound(HashMap<String, (Context, Local)>);

impl Resolver {
    /// Binds the variables of a pattern in the innermost scope.
    pub(super) fn bind(&mut self, pattern: &mut syn::Pat, fits: Match, declared: Declared) {
        let mut bound = Bound::default();
        self.pattern(pattern, fits, declared, &mut bound);
        // What a guard binds hides what the pattern binds.
        if !matches!(pattern, syn::Pat::Guard(_)) {
            self.bind_all(&bound);
        }
    }

    fn bind_all(&mut self, bound: &Bound) {
        for (name, (context, local)) in &bound.0 {
            self.scopes.bind(name, context.clone(), *local);
        }
    }

    fn pattern(&mut self, pattern: &mut syn::Pat, fits: Match, declared: Declared, bound: &mut Bound) {
        use syn::Pat as P;
        let mut part = |this: &mut Self, part: &mut syn::Pat| this.pattern(part, fits, declared, bound);
        match pattern {
            P::Ident(name) => self.name(name, fits, declared, bound),
            P::Or(or) => or.cases.iter_mut().for_each(|case| part(self, case)),
            P::Paren(inner) => part(self, &mut inner.pat),
            P::Reference(reference) => part(self, &mut reference.pat),
            P::Slice(slice) => slice.elems.iter_mut().for_each(|element| part(self, element)),
            P::Tuple(tuple) => tuple.elems.iter_mut().for_each(|element| part(self, element)),
            P::TupleStruct(tuple) => {
                if tuple.qself.is_none() {
                    self.value_path(&mut tuple.path);
                }
                tuple.elems.iter_mut().for_each(|element| part(self, element));
            }
            P::Struct(of) => {
                if of.qself.is_none() {
                    self.visit_path_mut(&mut of.path);
                }
                for field in &mut of.fields {
                    field.colon_token.get_or_insert_default();
                    part(self, &mut field.pat);
                }
            }
            P::Type(typed) => {
                self.visit_type_mut(&mut typed.ty);
                part(self, &mut typed.pat);
            }
            P::Guard(guarded) => {
                part(self, &mut guarded.pat);
                self.bind_all(bound);
                self.condition(&mut guarded.guard);
            }
            P::Path(path) if path.qself.is_none() => self.value_path(&mut path.path),
            P::Const(_) | P::Lit(_) | P::Path(_) | P::Range(_) | P::Rest(_) | P::Wild(_) | P::Macro(_) => {
                syn::visit_mut::visit_pat_mut(self, pattern);
            }
            other => *other = P::Verbatim(self.hand(other.to_token_stream())),
        }
    }

    fn name(&mut self, name: &mut syn::PatIdent, fits: Match, declared: Declared, bound: &mut Bound) {
        let (text, context) = (name.ident.to_string(), self.context(name.ident.span()));
        let plain = name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none();
        if plain && fits == Match::Maybe {
            let capital = name.ident.unraw().to_string().starts_with(char::is_uppercase);
            match self.declared(&text, &context) {
                Some((Declared::Constant | Declared::Constructor, _)) => {
                    return self.mention(Namespace::Values, &mut name.ident);
                }
                Some((Declared::Parameter | Declared::Variable, _)) => {}
                _ if capital => return self.mention(Namespace::Values, &mut name.ident),
                Some((Declared::Import, depth)) => self.bound_beside_import.push((depth, name.ident.clone())),
                _ => _ = self.bound_by_case.entry(text.clone()).or_insert_with(|| name.ident.clone()),
            }
        }
        let local = match bound.0.get(&text) {
            Some((known, local)) if *known == context => *local,
            _ => self.entity(Namespace::Values, &name.ident, declared),
        };
        bound.0.insert(text, (context, local));
        name.ident = self.word(local, name.ident.span());
        if let Some((_, inner)) = &mut name.subpat {
            self.pattern(inner, fits, declared, bound);
        }
    }

    /// The declaration of a name in scope, and the number of scopes around it.
    fn declared(&self, name: &str, context: &Context) -> Option<(Declared, usize)> {
        match self.scopes.find(Namespace::Values, name, context) {
            Found::Local(local) | Found::Ambiguous(local) => {
                Some((self.entities[local].declared, self.entities[local].depth))
            }
            Found::Outside => None,
        }
    }
}
