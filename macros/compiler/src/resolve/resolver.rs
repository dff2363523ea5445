//! The state of name resolution: scopes, and what has been declared and mentioned so far.

use super::hygiene::Context;
use super::names::{Clash, Declared, Entity, Names, OF_EXPANSION, Writer, choose, is_reserved};
use super::scopes::{Found, Local, Namespace, Scopes};
use crate::ir::report::{Code, Report};
use crate::maps::{HashSet, New as _};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use std::collections::BTreeMap;

pub struct Resolver {
    pub(super) scopes: Scopes,
    pub(super) entities: Vec<Entity>,
    /// Names that mean something outside of the function: whether they are types', and the name.
    pub(super) outside: HashSet<(bool, String)>,
    /// Names with the name of a variable that another macro wrote.
    pub(super) ambiguous: Vec<(String, Span)>,
    /// Names of items outside that the attribute names, which something in the function has as well.
    pub(super) of_attribute: Vec<(String, Span)>,
    /// Names from outside that the expansion may hide.
    reserved: Vec<(String, Span)>,
    /// Names in small letters that patterns bind, unless a constant has such a name.
    pub(super) bound_by_case: BTreeMap<String, Ident>,
    /// The same for names that an import in scope has, with the number of scopes around the import.
    pub(super) bound_beside_import: Vec<(usize, Ident)>,
    /// All words of the function.
    words: HashSet<String>,
    /// The prefix of the placeholders for names. No word of the function begins with it.
    prefix: String,
    writer: Writer,
}

impl Resolver {
    pub fn new(function: &impl ToTokens, writer: Writer) -> Self {
        let mut words = HashSet::new();
        words_of(function.to_token_stream(), &mut words);
        let mut prefix = "__local".to_owned();
        while words.iter().any(|word| word.starts_with(&prefix)) {
            prefix.push('_');
        }
        let (scopes, entities) = (Scopes::default(), Vec::new());
        Resolver {
            scopes,
            entities,
            outside: HashSet::new(),
            ambiguous: Vec::new(),
            of_attribute: Vec::new(),
            reserved: Vec::new(),
            bound_by_case: BTreeMap::new(),
            bound_beside_import: Vec::new(),
            words,
            prefix,
            writer,
        }
    }

    /// The words of the function that begin as the compiler's own names do.
    pub fn reserved_words(&self) -> HashSet<String> {
        self.words.iter().filter(|word| is_reserved(word)).cloned().collect()
    }

    /// Chooses the names, and refuses what has none.
    pub fn finish(self, report: &mut Report) -> Names {
        let (names, mut clashes) = choose(&self.prefix, &self.entities, &self.outside, self.words, self.writer);
        clashes.extend(self.reserved.into_iter().map(|(name, span)| Clash { name, span, other: OF_EXPANSION }));
        for Clash { name, span, other } in clashes {
            report.error(
                Code::FA022,
                span,
                format!("`{name}` here and {other} have one name: which of them is meant is not followed"),
                "give one of them another name",
            );
        }
        for (name, span) in self.of_attribute {
            report.error(
                Code::FA022,
                span,
                format!(
                    "the attribute names a `{name}` outside of the function, and the function has another `{name}`"
                ),
                "give one of them another name; or, if the attribute should name this one, move it out of the function",
            );
        }
        let mut reported = HashSet::new();
        for (name, span) in self.ambiguous {
            if reported.insert(name.clone()) {
                report.error(
                    Code::FA022,
                    span,
                    format!("a macro wrote this `{name}`, and another one, or its caller, the variable `{name}`: whether they are the same is not known"),
                    "give the variable of the macro another name",
                );
            }
        }
        names
    }

    pub(super) fn entity(&mut self, namespace: Namespace, ident: &Ident, declared: Declared) -> Local {
        let (name, span) = (ident.to_string(), ident.span());
        self.entities.push(Entity {
            namespace,
            name,
            span,
            declared,
            depth: self.scopes.depth(),
            handed: false,
            named_by_item: false,
        });
        self.entities.len() - 1
    }

    /// The macro that wrote a name. The compiler's own functions have names of the user and of the expansion, which mean the same.
    pub(super) fn context(&self, at: Span) -> Context {
        if self.writer == Writer::User { Context::from(at) } else { Context::default() }
    }

    /// The word that stands for a name.
    pub(super) fn word(&self, local: Local, span: Span) -> Ident {
        format_ident!("{}{}", self.prefix, local, span = span)
    }

    pub(super) fn mention(&mut self, namespace: Namespace, ident: &mut Ident) {
        let name = ident.to_string();
        if matches!(name.as_str(), "self" | "Self" | "super" | "crate") {
            return;
        }
        match self.scopes.find(namespace, &name, &self.context(ident.span())) {
            Found::Local(local) => *ident = self.word(local, ident.span()),
            Found::Outside => self.mention_outside(namespace, name, ident.span()),
            Found::Ambiguous(_) => self.ambiguous.push((name, ident.span())),
        }
    }

    pub(super) fn mention_outside(&mut self, namespace: Namespace, name: String, at: Span) {
        if self.writer == Writer::User && namespace == Namespace::Values && is_reserved(&name) {
            self.reserved.push((name.clone(), at));
        }
        self.outside.insert((namespace == Namespace::Types, name));
    }
}

fn words_of(tokens: TokenStream, to: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => _ = to.insert(ident.to_string()),
            TokenTree::Group(group) => words_of(group.stream(), to),
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                to.extend(text.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(str::to_owned));
            }
            TokenTree::Punct(_) => {}
        }
    }
}
