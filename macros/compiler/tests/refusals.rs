//! Wrong loops are refused, and are told why: `tests/refusals/ui/<kind of mistake>/<case>.rs`, with the messages beside it.
//!
//! The compiler is called as a library here, which takes a moment, and its errors are shown as rustc would show them. Cases
//! whose mistake only rustc sees, because it is one of types or in what a macro makes, are left to `tests/refusals/rustc.rs`.
//!
//! After a change of messages, `REFUSALS=overwrite cargo test -p forall-compiler --test refusals` writes them anew: read them as
//! somebody who has just made that mistake.

use forall_compiler::{Attribute, annotate, device, device_data};
use proc_macro2::{Delimiter, Group, LineColumn, Span, TokenStream, TokenTree};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use syn::Meta;

#[test]
fn wrong_loops_are_refused_with_the_reason() {
    let refusals = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/refusals");
    let overwrite = std::env::var_os("REFUSALS").is_some_and(|value| value == "overwrite");
    let (mut checked, mut wrong) = (0, String::new());
    for case in folder(&refusals.join("ui")).iter().flat_map(|kind| folder(kind)) {
        if case.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let name = case.strip_prefix(&refusals).unwrap().display().to_string();
        let found = messages(&std::fs::read_to_string(&case).unwrap(), &name);
        let golden = case.with_extension("stderr");
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        if seen_by_rustc_alone(&expected) {
            continue;
        }
        checked += 1;
        if overwrite && !found.is_empty() && !same(&found, &expected) {
            std::fs::write(&golden, &found).unwrap();
        } else if found.is_empty() || !same(&found, &expected) {
            _ = writeln!(wrong, "{name}\nexpected:\n{expected}\nfound:\n{found}");
        }
    }
    assert!(checked > 150, "only {checked} cases found");
    assert!(wrong.is_empty(), "{wrong}");
}

/// The entries of a folder, in the order of the names.
fn folder(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// rustc's own errors have numbers or notes, and those in what a macro made have notes; `compile_error!` has neither.
fn seen_by_rustc_alone(messages: &str) -> bool {
    messages.contains("= note: ") || messages.contains("error[E")
}

/// The compiler's errors in a file, as rustc shows them.
fn messages(source: &str, name: &str) -> String {
    let mut errors = Vec::new();
    expand(apart(source.parse().unwrap()), &mut errors);
    errors.iter().map(|error| error.shown(source, name)).collect::<Vec<_>>().join("\n")
}

/// Whether two messages differ in no more than white space: rustc prints tokens with another spacing than the library does.
fn same(found: &str, expected: &str) -> bool {
    found.split_whitespace().flat_map(str::chars).eq(expected.split_whitespace().flat_map(str::chars))
}

/// The same tokens, each as if it were from a file of its own: rustc joins no places of tokens for a macro, and neither does the
/// library then.
fn apart(tokens: TokenStream) -> TokenStream {
    let place = |span: Span| {
        let (start, end) = (span.start(), span.end());
        let token = match end.line - start.line {
            0 => "x".repeat(end.column - start.column),
            lines => format!("\"{}{:2$}\"", "\n".repeat(lines), "", end.column - 1),
        };
        let file = format!("{}{:2$}{token}", "\n".repeat(start.line - 1), "", start.column);
        file.parse::<TokenStream>().unwrap().into_iter().next().unwrap().span()
    };
    let token = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            let mut inside = Group::new(group.delimiter(), apart(group.stream()));
            inside.set_span(group.span());
            token = inside.into();
        }
        token.set_span(place(token.span()));
        token
    };
    tokens.into_iter().map(token).collect()
}

/// Expands this project's attributes wherever they stand, and keeps the errors.
fn expand(tokens: TokenStream, errors: &mut Vec<Error>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: usize, punct: char| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == punct);
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        if at > 0 && is(at - 1, '#') {
            // Attributes before and after this one belong to the item, which ends with its body or a semicolon.
            let mut start = at - 1;
            while start > 1 && is(start - 2, '#') {
                start -= 2;
            }
            let body = |t: &TokenTree| matches!(t, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace);
            let end = (at + 1..tokens.len()).find(|&end| body(&tokens[end]) || is(end, ';')).unwrap_or(at);
            let item = tokens[start..at - 1].iter().chain(&tokens[at + 1..=end]).cloned().collect();
            errors_in(expanded(group.stream(), item), errors);
        } else if !(at > 2 && matches!(&tokens[at - 3], TokenTree::Ident(name) if name == "macro_rules")) {
            expand(group.stream(), errors);
        }
    }
}

/// The expansion of an item by an attribute; nothing for attributes of other projects.
fn expanded(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let Ok(meta) = syn::parse2::<Meta>(attribute) else { return TokenStream::new() };
    let name = meta.path().segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    let args = meta.require_list().map(|list| list.tokens.clone()).unwrap_or_default();
    if let Some(attribute) = Attribute::ALL.into_iter().find(|attribute| attribute.name() == name) {
        annotate(attribute, args, item)
    } else if name == "device" {
        device(args, item)
    } else if name == "derive" && args.to_string().contains("DeviceData") {
        device_data(item)
    } else {
        TokenStream::new()
    }
}

/// An error of the compiler: `::core::compile_error! { "text" }`, with the place that its first and last token have.
struct Error {
    text: String,
    start: LineColumn,
    end: LineColumn,
}

/// The errors in an expansion.
fn errors_in(expansion: TokenStream, errors: &mut Vec<Error>) {
    let tokens: Vec<TokenTree> = expansion.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        if at > 1 && matches!(&tokens[at - 2], TokenTree::Ident(name) if name == "compile_error") {
            let text = syn::parse2::<syn::LitStr>(group.stream()).unwrap().value();
            // `::core::compile_error!` is before it.
            errors.push(Error { text, start: tokens[at - 7].span().start(), end: group.span().end() });
        } else {
            errors_in(group.stream(), errors);
        }
    }
}

impl Error {
    /// As rustc shows it.
    fn shown(&self, source: &str, name: &str) -> String {
        let Error { text, start, end } = self;
        let line = |number: usize| source.lines().nth(number - 1).unwrap_or_default();
        let (row, column, width) = (start.line, start.column, end.line.to_string().len());
        let indented = text.replace('\n', "\n       ");
        let mut shown = format!("error: {indented}\n{:width$}--> {name}:{row}:{}\n{:width$} |\n", "", column + 1, "");
        if row == end.line {
            let underline = "^".repeat(end.column - column);
            _ = writeln!(shown, "{row} | {}\n{:width$} | {:column$}{underline}", line(row), "", "");
        } else {
            // What begins a line and ends in a later one has a bracket at its left.
            for row in row..=end.line {
                let bracket = if row == start.line { '/' } else { '|' };
                _ = writeln!(shown, "{row:width$} | {bracket} {}", line(row));
            }
            _ = writeln!(shown, "{:width$} | |{}^", "", "_".repeat(end.column));
        }
        shown
    }
}
