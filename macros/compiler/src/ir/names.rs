//! The bindings of names, and the names of generated variables.

use crate::ir::{Block, Expr, Kind, Local, Pattern};
use crate::maps::{HashMap, HashSet};
use proc_macro2::{Ident, Span};
use quote::format_ident;

/// Visits all patterns that bind names in a block.
pub fn bindings(block: &Block, visit: &mut dyn FnMut(&Pattern)) {
    let in_expr = &mut |e: &Expr, visit: &mut dyn FnMut(&Pattern)| match &e.kind {
        Kind::Block(b) | Kind::Labeled(_, _, b) | Kind::Loop(_, b) | Kind::If(_, b, _) | Kind::While(_, _, b) => {
            b.lets().for_each(|(pattern, _)| visit(pattern));
        }
        Kind::For(f) => {
            visit(&f.pattern);
            f.body.lets().for_each(|(pattern, _)| visit(pattern));
        }
        Kind::Let(pattern, _) => visit(pattern),
        Kind::Match(_, arms) => arms.iter().for_each(|arm| visit(&arm.pattern)),
        Kind::Closure(patterns, ..) => patterns.iter().for_each(visit),
        _ => {}
    };
    block.lets().for_each(|(pattern, _)| visit(pattern));
    for e in block.nodes() {
        in_expr(e, visit);
    }
}

/// Visits the declarations of a block that have a value, including those inside its statements.
pub fn each_let<'e>(block: &'e Block, visit: &mut dyn FnMut(&'e Pattern, &'e Expr)) {
    fn direct<'e>(block: &'e Block, visit: &mut dyn FnMut(&'e Pattern, &'e Expr)) {
        for (pattern, value) in block.lets() {
            if let Some(value) = value {
                visit(pattern, value);
            }
        }
    }
    direct(block, visit);
    for e in block.nodes() {
        match &e.kind {
            Kind::Block(b) | Kind::Labeled(_, _, b) | Kind::Loop(_, b) | Kind::If(_, b, _) | Kind::While(_, _, b) => {
                direct(b, visit);
            }
            Kind::For(f) => direct(&f.body, visit),
            _ => {}
        }
    }
}

/// The names that a closure binds itself.
pub fn names_of_closure(patterns: &[Pattern], body: &Expr) -> HashSet<Local> {
    let mut own: HashSet<Local> = patterns.iter().flat_map(|p| &p.names).map(|b| b.name).collect();
    for e in body.nodes() {
        if let Kind::Block(block) = &e.kind {
            own.extend(block.lets().flat_map(|(pattern, _)| &pattern.names).map(|b| b.name));
        }
    }
    own
}

/// A name as a part of another one: without the `r#` of a raw identifier.
pub fn unraw(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// The variable that holds the number of the iteration.
pub fn position_variable() -> Ident {
    Ident::new("__p", Span::mixed_site())
}

/// The variable that knows the type of a private variable.
pub fn type_variable(name: &str) -> Ident {
    format_ident!("__type_of_{}", unraw(name), span = Span::mixed_site())
}

/// The variable that holds an array's length before the loop.
pub fn length_variable(array: &str) -> Ident {
    format_ident!("__len_of_{}", unraw(array), span = Span::mixed_site())
}

/// The variable that holds blocks, next to the array of their handles.
pub fn blocks_variable(array: &str) -> Ident {
    format_ident!("__blocks_of_{}", unraw(array), span = Span::mixed_site())
}

/// The variable that holds the boxes of an object of a region.
pub fn boxes_variable(number: usize) -> Ident {
    format_ident!("__boxes{number}", span = Span::mixed_site())
}

/// The variable that holds the place of a task's box in its allocation.
pub fn place_variable(number: usize) -> Ident {
    format_ident!("__place{number}", span = Span::mixed_site())
}

/// The variable that holds the first index and the length of each loop over the elements of a task.
pub fn elements_variable() -> Ident {
    Ident::new("__elements", Span::mixed_site())
}

/// The variable that holds the iterations of a task.
pub fn positions_variable() -> Ident {
    Ident::new("__positions", Span::call_site())
}

/// The variables that hold the first index of a task's tile along an axis, the end, and the length of the object.
pub fn bounds_variables(axis: usize) -> [Ident; 3] {
    ["first", "end", "length"].map(|what| format_ident!("__{what}{axis}", span = Span::mixed_site()))
}

/// The variable that holds the global shape of a parameter.
pub fn shape_variable(array: &str) -> Ident {
    format_ident!("__shape_of_{}", unraw(array), span = Span::mixed_site())
}

/// The variables that the compiler has renamed: the user's name for each new name.
#[derive(Debug, Clone, Default)]
pub struct Renamed(HashMap<String, String>);

impl FromIterator<(String, String)> for Renamed {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(names: I) -> Self {
        Renamed(names.into_iter().collect())
    }
}

impl Extend<(String, String)> for Renamed {
    fn extend<I: IntoIterator<Item = (String, String)>>(&mut self, names: I) {
        self.0.extend(names);
    }
}

impl Renamed {
    /// The text with the user's names.
    pub fn shown(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { with_words(text, |word| self.0.get(word).map(String::as_str)) }
    }
}

/// The text, with some words replaced.
pub fn with_words<'w>(text: &str, other: impl Fn(&str) -> Option<&'w str>) -> String {
    let (mut all, mut rest) = (String::with_capacity(text.len()), text);
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(start) = rest.find(part_of_word) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c| !part_of_word(c)).unwrap_or(from.len()));
        all.push_str(before);
        all.push_str(other(word).unwrap_or(word));
        rest = after;
    }
    all + rest
}
