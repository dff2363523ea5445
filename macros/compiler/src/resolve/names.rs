//! The name that each variable gets.

use super::scopes::{Local, Namespace};
use crate::ir::text::formatted;
use crate::ir::{self, names::Renamed};
use crate::maps::{HashMap, HashSet, New as _};
use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};

/// Who wrote a function. Variables of the compiler begin with two underscores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    User,
    Compiler,
}

/// The declaration of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declared {
    /// A parameter: callers see its name.
    Parameter,
    Variable,
    /// A function.
    Item,
    /// A constant or a static: a pattern that is its name compares with it.
    Constant,
    /// A type, a trait, a generic parameter: its name stays, as more than this function may ask for it.
    Fixed,
    /// The constructor of a struct without named fields: its name stays, and in a pattern it is no variable.
    Constructor,
    /// An import: the same.
    Import,
    Label,
}

impl Declared {
    pub fn is_variable(self) -> bool {
        matches!(self, Declared::Parameter | Declared::Variable)
    }
}

/// A variable, an item or a label.
#[derive(Debug)]
pub struct Entity {
    pub namespace: Namespace,
    pub name: String,
    pub span: Span,
    pub declared: Declared,
    /// How many scopes are around it: the outermost variable of a name keeps the name.
    pub depth: usize,
    /// Whether a macro that is not understood is handed its name, which may show it.
    pub handed: bool,
    /// Whether an item that is not gone through names it.
    pub named_by_item: bool,
}

impl Entity {
    fn keeps_its_name(&self) -> bool {
        let fixed = matches!(self.declared, Declared::Fixed | Declared::Constructor | Declared::Import);
        self.named_by_item || fixed || self.declared == Declared::Parameter
    }
}

/// Two meanings of a name that both cannot have another name.
#[derive(Debug)]
pub struct Clash {
    pub name: String,
    pub span: Span,
    /// The other meaning.
    pub other: &'static str,
}

/// The names of a function's variables by the words that stand for them meanwhile.
#[derive(Debug)]
pub struct Names {
    prefix: String,
    chosen: Vec<(String, String)>,
}

/// Chooses a name for each entity.
pub fn choose(
    prefix: &str,
    entities: &[Entity],
    outside: &HashSet<(bool, String)>,
    mut taken: HashSet<String>,
    writer: Writer,
) -> (Names, Vec<Clash>) {
    let (mut clashes, mut owners) = (Vec::new(), HashMap::<(Namespace, &str), Local>::new());
    for (number, entity) in entities.iter().enumerate().filter(|(_, entity)| entity.keeps_its_name()) {
        let clash = |other| Clash { name: entity.name.clone(), span: entity.span, other };
        match owners.get(&(entity.namespace, &*entity.name)) {
            _ if writer == Writer::User && is_reserved(&entity.name) => clashes.push(clash(OF_EXPANSION)),
            Some(other) => clashes.push(clash(match entities[*other].declared {
                Declared::Parameter => "a parameter",
                _ => "something else of this function",
            })),
            None if is_outside(entity, outside) => clashes.push(clash("something outside of the function")),
            None => _ = owners.insert((entity.namespace, &entity.name), number),
        }
    }
    let mut outermost: Vec<Local> = (0..entities.len()).collect();
    outermost.sort_by_key(|number| (!entities[*number].handed, entities[*number].depth));
    for number in outermost {
        let entity = &entities[number];
        if !(is_outside(entity, outside) || writer == Writer::User && is_reserved(&entity.name)) {
            owners.entry((entity.namespace, &entity.name)).or_insert(number);
        }
    }
    let chosen = entities.iter().enumerate().map(|(number, entity)| {
        let name = match owners.get(&(entity.namespace, &*entity.name)) {
            Some(owner) if *owner == number || entity.keeps_its_name() => entity.name.clone(),
            None if entity.keeps_its_name() => entity.name.clone(),
            _ => free(&entity.name, &mut taken),
        };
        (entity.name.clone(), name)
    });
    (Names { prefix: prefix.to_owned(), chosen: chosen.collect() }, clashes)
}

/// The other meaning of a name that begins with two underscores.
pub const OF_EXPANSION: &str = "a variable of the expansion";

/// Whether the expansion may have a variable of this name.
pub fn is_reserved(name: &str) -> bool {
    name.starts_with("__")
}

fn is_outside(entity: &Entity, outside: &HashSet<(bool, String)>) -> bool {
    let types = entity.namespace == Namespace::Types;
    entity.namespace != Namespace::Labels && outside.contains(&(types, entity.name.clone()))
}

/// A name that no word of the function has: `i_2`.
fn free(name: &str, taken: &mut HashSet<String>) -> String {
    let stem = name.trim_start_matches("r#").trim_matches('_');
    let mut number = 2;
    loop {
        let name = format!("{stem}_{number}");
        if taken.insert(name.clone()) {
            return name;
        }
        number += 1;
    }
}

impl Names {
    fn chosen(&self, word: &str) -> Option<&str> {
        let number: usize = word.strip_prefix(&self.prefix)?.parse().ok()?;
        self.chosen.get(number).map(|(_, name)| &**name)
    }

    fn ident(&self, ident: &Ident) -> Option<Ident> {
        let name = self.chosen(&ident.to_string())?;
        Some(match name.strip_prefix("r#") {
            Some(raw) => Ident::new_raw(raw, ident.span()),
            None => Ident::new(name, ident.span()),
        })
    }

    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let one = |token| match token {
            TokenTree::Ident(ident) => TokenTree::Ident(self.ident(&ident).unwrap_or(ident)),
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), self.tokens(group.stream()));
                inside.set_span(group.span());
                TokenTree::Group(inside)
            }
            TokenTree::Literal(literal) => TokenTree::Literal(self.literal(literal)),
            token => token,
        };
        tokens.into_iter().map(one).collect()
    }

    /// A format string, whose names are words of the function too.
    fn literal(&self, literal: Literal) -> Literal {
        let Ok(text) = syn::parse2::<syn::LitStr>(literal.to_token_stream()) else { return literal };
        let value = text.value();
        let mut parts = value.split(&self.prefix);
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (number, after) = part.split_at(part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len()));
            text.push_str(self.chosen(&format!("{}{number}", self.prefix)).unwrap_or_default());
            text.push_str(after);
        }
        if text == value {
            return literal;
        }
        let mut named = Literal::string(&text);
        named.set_span(literal.span());
        named
    }

    /// The name of each entity.
    pub fn all(&self) -> impl Iterator<Item = ir::Local> {
        self.chosen.iter().map(|(_, name)| ir::Local::named(name))
    }

    pub fn into_renamed(self) -> Renamed {
        let renamed = self.chosen.into_iter().filter(|(written, name)| written != name);
        renamed.map(|(written, name)| (name, written)).collect()
    }

    /// The message of `assert!(condition)`, which shows the condition, if variables in it have other names here.
    fn message(&self, mac: &syn::Macro) -> Option<Literal> {
        let asserts =
            mac.path.segments.last().is_some_and(|name| name.ident == "assert" || name.ident == "debug_assert");
        let list = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        if !asserts || mac.parse_body_with(list).ok()?.len() != 1 {
            return None;
        }
        let renamed = self.tokens(mac.tokens.clone()).to_string();
        let written = Names {
            chosen: self.chosen.iter().map(|(w, _)| (w.clone(), w.clone())).collect(),
            prefix: self.prefix.clone(),
        };
        let written = written.tokens(mac.tokens.clone());
        let text = formatted(written.clone()).replace('{', "{{").replace('}', "}}");
        (renamed != written.to_string()).then(|| Literal::string(&format!("assertion failed: {text}")))
    }
}

impl VisitMut for Names {
    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        let message = self.message(mac);
        mac.tokens = self.tokens(std::mem::take(&mut mac.tokens));
        if let Some(message) = message {
            mac.tokens.extend(quote!(, #message));
        }
    }

    fn visit_ident_mut(&mut self, ident: &mut Ident) {
        if let Some(name) = self.ident(ident) {
            *ident = name;
        }
    }

    fn visit_token_stream_mut(&mut self, tokens: &mut TokenStream) {
        *tokens = self.tokens(std::mem::take(tokens));
    }

    /// `S { x: x }` is `S { x }`, as it was written.
    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        visit_mut::visit_field_value_mut(self, field);
        if let (syn::Member::Named(member), syn::Expr::Path(value)) = (&field.member, &field.expr)
            && value.path.is_ident(member)
        {
            field.colon_token = None;
        }
    }

    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        visit_mut::visit_field_pat_mut(self, field);
        if let (syn::Member::Named(member), syn::Pat::Ident(value)) = (&field.member, &*field.pat)
            && value.subpat.is_none()
            && value.ident == *member
        {
            field.colon_token = None;
        }
    }
}
